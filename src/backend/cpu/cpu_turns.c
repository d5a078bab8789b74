/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_turns.c - see cpu_turns.h. */
#include "backend/cpu/cpu_turns.h"

#include <pthread.h>
#include <time.h>

#include "backend/cpu/cpu_blas.h"
#include "backend/cpu/cpu_library.h"
#include "backend/cpu/cpu_linalg.h"
#include "base/pool.h"

/* MOST: calls beside each other. OpenBLAS has areas for at least 50 threads that work at the same
 * time, those of the pool included, and prints a warning, or ends the process, where more come. */
enum { MOST = 32, SLICE = 50000000 /* ns */ };

static struct turns {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int beside, waiting;         /* calls under way; those that wait to be alone */
    bool alone;
} turns = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

hdi_cpu_turn hdi_cpu_turn_of(const hdi_xcall *x)
{
    const bool lapack = x->op >= HD_OP_solve && x->op <= HD_OP_lstsq;
    const bool product = x->op == HD_OP_matmul && hdi_cpu_matmul_wants_blas(x->cdt);
    if ((!lapack && !product) || hdi_cpu_blas_is_absent())
        return HDI_CPU_FREE;
    const bool shares = lapack && hdi_pool_threads() > 1 && hdi_cpu_linalg_is_large(x);
    return hdi_cpu_blas_one_thread() && !shares ? HDI_CPU_BESIDE : HDI_CPU_ALONE;
}

/* Under the mutex. */
static bool may_begin(hdi_cpu_turn turn)
{
    if (turn == HDI_CPU_ALONE)
        return !turns.alone && turns.beside == 0;
    return !turns.alone && turns.waiting == 0 && turns.beside < MOST;
}

/* Under the mutex, which is given back while it waits and while the host is asked. */
static hd_status wait_to_begin(hdi_cpu_turn turn)
{
    while (!may_begin(turn)) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += SLICE;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        if (pthread_cond_timedwait(&turns.changed, &turns.mutex, &until) == 0)
            continue;
        pthread_mutex_unlock(&turns.mutex);
        const bool wanted = hdi_poll_interrupt != NULL && hdi_poll_interrupt();
        pthread_mutex_lock(&turns.mutex);
        if (wanted)
            return HD_INTERRUPTED;
    }
    return HD_OK;
}

hd_status hdi_cpu_take_turn(hdi_cpu_turn turn)
{
    if (turn == HDI_CPU_FREE)
        return HD_OK;
    const bool alone = turn == HDI_CPU_ALONE;
    pthread_mutex_lock(&turns.mutex);
    turns.waiting += alone;
    const hd_status status = wait_to_begin(turn);
    turns.waiting -= alone;
    if (status != HD_OK)
        pthread_cond_broadcast(&turns.changed);   /* nobody waits for this one any more */
    else if (alone)
        turns.alone = true;
    else
        turns.beside++;
    pthread_mutex_unlock(&turns.mutex);
    return status;
}

void hdi_cpu_leave_turn(hdi_cpu_turn turn)
{
    if (turn == HDI_CPU_FREE)
        return;
    pthread_mutex_lock(&turns.mutex);
    if (turn == HDI_CPU_ALONE)
        turns.alone = false;
    else
        turns.beside--;
    pthread_cond_broadcast(&turns.changed);
    pthread_mutex_unlock(&turns.mutex);
}

hd_status hdi_cpu_begin_call(void *state, const hdi_xcall *x, int *turn)
{
    const hdi_cpu_turn wanted = hdi_cpu_turn_of(x);
    (void)state;
    *turn = (int)wanted;
    return hdi_cpu_take_turn(wanted);
}

void hdi_cpu_end_call(void *state, int turn)
{
    (void)state;
    hdi_cpu_leave_turn((hdi_cpu_turn)turn);
}
