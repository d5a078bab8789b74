/* SPDX-License-Identifier: BSD-3-Clause */
/* test_cpu_turns.c - calls of BLAS beside each other, and alone. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "backend/cpu/cpu_blas.h"
#include "backend/cpu/cpu_turns.h"
#include "threads/workers.h"

/* ---- at random ------------------------------------------------------------------------------- */

typedef struct inside { atomic_int beside, alone, most; } inside;

static void *come_and_go(void *arg)
{
    worker *w = arg;
    inside *in = w->shared;
    for (int k = 0; k < 400; k++) {
        const hdi_cpu_turn turn = below(w, 4) == 0 ? HDI_CPU_ALONE : HDI_CPU_BESIDE;
        atomic_int *mine = turn == HDI_CPU_ALONE ? &in->alone : &in->beside;
        w->wrong += hdi_cpu_take_turn(turn) != HD_OK;
        const int now = atomic_fetch_add(mine, 1) + 1;
        for (int64_t turns = below(w, 4); turns > 0; turns--)
            sched_yield();
        if (turn == HDI_CPU_ALONE)
            w->wrong += now != 1 || atomic_load(&in->beside) != 0;
        else
            w->wrong += atomic_load(&in->alone) != 0;
        atomic_fetch_sub(mine, 1);
        hdi_cpu_leave_turn(turn);
    }
    return NULL;
}

TEST(cpu_turns, alone_is_alone)
{
    inside in = {0};
    CHECK_EQ_I64(run_threads(4, come_and_go, &in), 0);
}

/* ---- one after the other --------------------------------------------------------------------- */

static atomic_int asked, stops;
static bool host_asks(void)
{
    atomic_fetch_add(&asked, 1);
    return atomic_load(&stops) != 0;
}

typedef struct visitor {
    pthread_t thread;
    hdi_cpu_turn turn;
    atomic_int came;
    hd_status status;
} visitor;

static void *visit(void *arg)
{
    visitor *v = arg;
    v->status = hdi_cpu_take_turn(v->turn);
    atomic_store(&v->came, 1);
    if (v->status == HD_OK)
        hdi_cpu_leave_turn(v->turn);
    return NULL;
}

static bool begin_visit(visitor *v, hdi_cpu_turn turn)
{
    v->turn = turn;
    atomic_store(&v->came, 0);
    return CHECK(pthread_create(&v->thread, NULL, visit, v) == 0);
}

/* Until a thread that waits has asked the host once more: by then it does wait. */
static void until_asked(void)
{
    const int before = atomic_load(&asked);
    while (atomic_load(&asked) == before)
        sched_yield();
}

TEST(cpu_turns, who_waits_to_be_alone_is_not_put_off)
{
    visitor alone, later;
    hdi_poll_interrupt = host_asks;
    CHECK(hdi_cpu_take_turn(HDI_CPU_BESIDE) == HD_OK);
    REQUIRE(begin_visit(&alone, HDI_CPU_ALONE));
    until_asked();
    REQUIRE(begin_visit(&later, HDI_CPU_BESIDE));
    for (int k = 0; k < 3; k++)
        until_asked();
    CHECK(atomic_load(&alone.came) == 0 && atomic_load(&later.came) == 0);
    hdi_cpu_leave_turn(HDI_CPU_BESIDE);
    pthread_join(alone.thread, NULL);
    pthread_join(later.thread, NULL);
    CHECK(alone.status == HD_OK && later.status == HD_OK);
    hdi_poll_interrupt = NULL;
}

TEST(cpu_turns, who_is_stopped_holds_nobody_up)
{
    visitor alone;
    hdi_poll_interrupt = host_asks;
    CHECK(hdi_cpu_take_turn(HDI_CPU_BESIDE) == HD_OK);
    atomic_store(&stops, 1);
    REQUIRE(begin_visit(&alone, HDI_CPU_ALONE));
    pthread_join(alone.thread, NULL);
    CHECK(alone.status == HD_INTERRUPTED);
    atomic_store(&stops, 0);
    CHECK(hdi_cpu_take_turn(HDI_CPU_BESIDE) == HD_OK);
    hdi_cpu_leave_turn(HDI_CPU_BESIDE);
    hdi_cpu_leave_turn(HDI_CPU_BESIDE);
    CHECK(hdi_cpu_take_turn(HDI_CPU_ALONE) == HD_OK);
    hdi_cpu_leave_turn(HDI_CPU_ALONE);
    hdi_poll_interrupt = NULL;
}

/* ---- who needs which ------------------------------------------------------------------------- */

static hdi_cpu_turn turn_of(hd_op op, hd_dtype dt, int64_t n)
{
    const int64_t dims[2] = {n, n};
    const hdi_xcall x = {.op = op, .nin = 1, .cdt = dt,
                         .in = {{.dt = dt, .nd = 2, .dims = dims}}};
    return hdi_cpu_turn_of(&x);
}

TEST(cpu_turns, what_has_nothing_of_blas_needs_none)
{
    CHECK(turn_of(HD_OP_sort, HD_FLOAT64, 2000) == HDI_CPU_FREE);
    CHECK(turn_of(HD_OP_fft, HD_FLOAT64, 2000) == HDI_CPU_FREE);
    CHECK(turn_of(HD_OP_matmul, HD_INT64, 2000) == HDI_CPU_FREE);
    hdi_cpu_blas_off(true);
    CHECK(turn_of(HD_OP_matmul, HD_FLOAT64, 2000) == HDI_CPU_FREE);
    hdi_cpu_blas_off(false);
}

TEST(cpu_turns, blas_on_many_threads_is_alone)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    SKIP("BLAS is not instrumented");
#endif
    if (!hdi_cpu_blas_ready() || !hdi_cpu_blas_one_thread())
        SKIP("no OpenBLAS here: set HEDDLE_BLAS to its path");
    CHECK(hd_set_threads(2) == HD_OK);
    CHECK(turn_of(HD_OP_matmul, HD_FLOAT64, 2000) == HDI_CPU_BESIDE);
    CHECK(turn_of(HD_OP_inv, HD_FLOAT64, 200) == HDI_CPU_BESIDE);
    CHECK(turn_of(HD_OP_inv, HD_FLOAT64, 2000) == HDI_CPU_ALONE);
    CHECK(turn_of(HD_OP_eigh, HD_COMPLEX128, 2000) == HDI_CPU_ALONE);
    CHECK(hd_set_threads(1) == HD_OK);
    CHECK(turn_of(HD_OP_inv, HD_FLOAT64, 2000) == HDI_CPU_BESIDE);
    CHECK(hd_set_threads(0) == HD_OK);
}
