/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_blas_room.c - asking the system by trying. */
#include "backend/cpu/cpu_blas_room.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/base.h"
#include "base/clock.h"

enum { PROBE_STACK = 1 << 16, DEFAULT_STACK = 2 << 20 /* where RLIMIT_STACK sets none */ };
#define MANY ((int64_t)1 << 40)

static bool has_limits(void)
{
    struct rlimit space, data;
    return (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) ||
           (getrlimit(RLIMIT_DATA, &data) == 0 && data.rlim_cur != RLIM_INFINITY);
}

/* 2: every private mapping counts. */
static bool never_overcommits(void)
{
    static _Atomic(int) known;   /* 0: not yet, 1: no, 2: yes */
    int answer = atomic_load_explicit(&known, memory_order_relaxed);
    if (answer == 0) {
        FILE *f = fopen("/proc/sys/vm/overcommit_memory", "re");
        answer = f != NULL && fgetc(f) == '2' ? 2 : 1;
        if (f != NULL)
            fclose(f);
        atomic_store_explicit(&known, answer, memory_order_relaxed);
    }
    return answer == 2;
}

bool hdi_cpu_space_limited_now(void)
{
    return has_limits() || never_overcommits();
}

/* Asked at each product: the system is asked at most once in a tick of the coarse clock (1 to 10
 * ms). */
bool hdi_cpu_space_limited(void)
{
    static _Atomic(int64_t) asked;   /* 2 ns + answer */
    const int64_t now = hdi_now_ns(CLOCK_MONOTONIC_COARSE) * 2;
    const int64_t last = atomic_load_explicit(&asked, memory_order_relaxed);
    if ((last & ~(int64_t)1) == now)
        return last & 1;
    bool limited = hdi_cpu_space_limited_now();
    atomic_store_explicit(&asked, now | limited, memory_order_relaxed);
    return limited;
}

int64_t hdi_cpu_stack_bytes(void)
{
    struct rlimit limit;
    bool set = getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return set && limit.rlim_cur < (rlim_t)MANY ? (int64_t)limit.rlim_cur : DEFAULT_STACK;
}

static void *wait_for_the_others(void *gate)
{
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

bool hdi_cpu_threads_possible(int n)
{
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    pthread_attr_t attr;
    sigset_t all, old;
    int made = 0;
    pthread_t *thread = n > 0 ? malloc((size_t)n * sizeof *thread) : NULL;
    if (thread == NULL || pthread_attr_init(&attr) != 0) {
        free(thread);
        return n <= 0;
    }
    pthread_attr_setstacksize(&attr, PROBE_STACK);
    sigfillset(&all);            /* signals are for the program's own threads */
    pthread_sigmask(SIG_SETMASK, &all, &old);
    pthread_mutex_lock(&gate);
    while (made < n &&
           pthread_create(&thread[made], &attr, wait_for_the_others, &gate) == 0)
        made++;
    pthread_mutex_unlock(&gate);
    for (int i = 0; i < made; i++)
        pthread_join(thread[i], NULL);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attr);
    free(thread);
    return made == n;
}
