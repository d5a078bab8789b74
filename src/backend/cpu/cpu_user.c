/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_user.c - kernels of the user's own: blocks as tasks of the pool. */
#include "backend/cpu/cpu_user.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "backend/cpu/cpu_scratch.h"
#include "backend/cpu/cpu_user_code.h"
#include "backend/cpu/cpu_user_print.h"
#include "backend/xcall.h"
#include "base/clock.h"
#include "base/pool.h"
#include "core/object.h"

/* ---- what the code calls --------------------------------------------------------------------- */

/* A launch while it runs. */
typedef struct run {
    hdi_lir_call call;         /* the first member: hdi_cpu_user_ask() is given it */
    hdi_cpu_kernel *k;
    int64_t blocks, piece;     /* of the grid, of a task */
    int64_t begun;             /* when the launch began, or went on */
    _Atomic(int64_t) left;     /* tasks that nobody has ended */
    int64_t tasks;             /* what that was when it began */
    int64_t shared, room;      /* bytes that a task takes */
    pthread_t owner;           /* the thread that launches */
    int64_t asked;             /* when the host was asked last */
    int64_t wanted;            /* when it said yes, which it says once; 0: it did not */
    atomic_int ended;          /* HDI_LIR_STOPPED, HDI_LIR_TRAPPED; HDI_LIR_RAN: goes on */
} run;

/* The host gets its thread back between two blocks. Where a block goes on for so long after it was
 * wanted, it is given up. */
enum { ASK_EVERY = 5000000, GIVE_UP = 1000000000 };

int32_t hdi_cpu_user_ask(const hdi_lir_call *call)
{
    run *r = (run *)(uintptr_t)call;
    if (atomic_load_explicit(&r->ended, memory_order_relaxed) != HDI_LIR_RAN)
        return 1;
    if (!pthread_equal(pthread_self(), r->owner) || hdi_poll_interrupt == NULL)
        return 0;
    const int64_t now = hdi_now_ns(CLOCK_MONOTONIC_COARSE);
    if (now - r->asked < ASK_EVERY)
        return 0;
    r->asked = now;
    if (r->wanted == 0 && hdi_poll_interrupt())
        r->wanted = now;
    if (r->wanted == 0 || now - r->wanted < GIVE_UP)
        return 0;
    atomic_store(&r->ended, HDI_LIR_STOPPED);
    return 1;
}

static _Thread_local run *own_run __attribute__((tls_model("initial-exec")));

/* Between two tasks. */
static bool is_wanted(void)
{
    return own_run->wanted != 0 || (hdi_poll_interrupt != NULL && hdi_poll_interrupt());
}

/* ---- kernels --------------------------------------------------------------------------------- */

hd_status hdi_cpu_user_kernel(void *state, hdi_lir *l, uintptr_t *function)
{
    (void)state;
    hdi_cpu_kernel *k;
    const hd_status status = hdi_cpu_kernel_new(l, &k);
    if (status == HD_OK)
        *function = (uintptr_t)k;
    return status;
}

void hdi_cpu_user_free(void *state, uintptr_t function)
{
    (void)state;
    hdi_cpu_kernel_release((hdi_cpu_kernel *)function);
}

/* ---- launches -------------------------------------------------------------------------------- */

/* The launch is at quick code. If what is left takes longer than a compile, its own thread makes
 * fast code now, and the others go on meanwhile. */
static void consider_fast_code(run *r)
{
    enum { SURE = 1000000, A_COMPILE = 20000000 };   /* ns */
    if (!pthread_equal(pthread_self(), r->owner) || !hdi_cpu_kernel_is_quick(r->k))
        return;
    const int64_t left = atomic_load_explicit(&r->left, memory_order_relaxed);
    const int64_t done = hdi_max64(r->tasks - left, 1);
    const int64_t spent = hdi_now_ns(CLOCK_MONOTONIC) - r->begun;
    if (spent > SURE && (double)spent / (double)done * (double)left > A_COMPILE)
        hdi_cpu_kernel_hurry(r->k);
}

static bool run_piece(void *ctx, int64_t task)
{
    run *r = ctx;
    const int64_t first = task * r->piece, last = hdi_min64(first + r->piece, r->blocks);
    if (atomic_load_explicit(&r->ended, memory_order_relaxed) != HDI_LIR_RAN)
        return true;
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    uint8_t *memory = hdi_cpu_scratch(r->room);
    if (memory != NULL) {
        const int32_t how =
            hdi_cpu_kernel_run(r->k, &r->call, memory, memory + r->shared, first, last);
        if (how != HDI_LIR_RAN)
            atomic_store(&r->ended, how);
    }
    hdi_cpu_scratch_release(mark);
    atomic_fetch_sub_explicit(&r->left, 1, memory_order_relaxed);
    consider_fast_code(r);
    return memory != NULL;
}

/* Does the launch take longer than waking a thread? */
static bool is_long(const hdi_grid_launch *l)
{
    enum { LONG_WORK = 1 << 20 };
    return l->work >= LONG_WORK;
}

/* Blocks of a task: so many threads as are worth handing out; of a long launch not more than a
 * share for each thread of the pool. Large grids have more tasks, since blocks take different
 * times, and more yet where fast code may come in between. */
static int64_t piece_of(const hdi_grid_launch *l, int64_t blocks, int64_t threads, bool quick)
{
    enum { WORTH = 1 << 16, SHARES = 8, QUICK_WORTH = 1 << 10, QUICK_SHARES = 128 };
    const int64_t pool = hdi_pool_threads(), shares = quick ? QUICK_SHARES : SHARES;
    const int64_t wanted = quick ? QUICK_WORTH : WORTH;
    int64_t worth = hdi_min64(wanted / hdi_max64(threads, 1) + 1, blocks);
    if (is_long(l))
        worth = hdi_min64(worth, (blocks + pool - 1) / pool);
    return hdi_max64(worth, blocks / (shares * pool) + 1);
}

static hd_status run_grid(run *r, hdi_grid_launch *l)
{
    int64_t next = l->next;
    const int64_t tasks = (r->blocks + r->piece - 1) / r->piece;
    run *around = own_run;
    own_run = r;
    r->tasks = tasks - next;
    atomic_store(&r->left, r->tasks);
    r->begun = hdi_now_ns(CLOCK_MONOTONIC);
    hd_status status = (is_long(l) ? hdi_pool_run_long : hdi_pool_run)(
        tasks, run_piece, r, &next, is_wanted);
    own_run = around;
    l->next = next;
    const int how = atomic_load(&r->ended);
    if (how == HDI_LIR_STOPPED)
        return hdi_fail(HD_DEVICE, "%s was stopped within a block, which had not ended a second "
                        "after the user wanted to stop: its arrays are half written", l->name);
    if (how == HDI_LIR_TRAPPED) {
        char what[400];
        hdi_cpu_user_trapped(what, sizeof what);
        return hdi_fail(HD_DEVICE, "%s: %s", l->name, what);
    }
    return status == HD_NOMEM ? hdi_fail(HD_NOMEM, "out of memory for a block of %s", l->name)
                              : status;
}

hd_status hdi_cpu_user_grid(const hdi_xcall *x)
{
    hdi_grid_launch *l = (hdi_grid_launch *)x->payload.object;
    hdi_cpu_kernel *k = (hdi_cpu_kernel *)l->function;
    const hdi_lir *lir = hdi_cpu_kernel_lir(k);
    const int64_t threads = (int64_t)l->block[0] * l->block[1] * l->block[2];
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    const int64_t n = hdi_max64(l->nargs, 1);
    uint64_t *address = hdi_cpu_scratch(n * (int64_t)sizeof *address);
    void **args = hdi_cpu_scratch(n * (int64_t)sizeof *args);
    hd_status status = HD_OK;
    HD_REQUIRE(address != NULL && args != NULL, HD_NOMEM, "out of memory to launch %s", l->name);
    run r = {.k = k, .owner = pthread_self(), .call = {.args = (const void *const *)args,
                                                        .data = hdi_cpu_kernel_data(k)}};
    hdi_xcall_grid_args(x, l, address, args);
    memcpy(r.call.grid, l->grid, sizeof l->grid);
    memcpy(r.call.block, l->block, sizeof l->block);
    r.blocks = (int64_t)l->grid[0] * l->grid[1] * l->grid[2];
    r.piece = piece_of(l, r.blocks, threads, hdi_cpu_kernel_is_quick(k));
    r.shared = (lir->shared_bytes + l->shared_bytes + 63) & ~(int64_t)63;
    r.room = r.shared + lir->spread_bytes * threads + 64;
    HD_REQUIRE(hdi_cpu_scratch_reserve(r.room), HD_NOMEM, "out of memory for a block of %s",
               l->name);
    status = run_grid(&r, l);
done:
    hdi_cpu_scratch_release(mark);
    return status;
}
