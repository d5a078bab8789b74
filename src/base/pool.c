/* SPDX-License-Identifier: BSD-3-Clause */
/* pool.c - one job at a time: the gate lets workers in and tells the launcher when the last one
 * has left.
 *
 * The gate is one 64-bit word: the job's number in the upper half, CLOSED, and how many workers
 * are inside. A worker enters by compare-and-swap only while the gate is open, so it never
 * touches the fields of a job that is over, however late it wakes. The launcher closes the gate
 * when no task is left and waits until nobody is inside.
 *
 * Workers that are awake come in by themselves. Waking sleeping ones costs the launcher
 * microseconds, so it waits until its own first tasks show that what is left is worth it.
 *
 * Waiting is spinning first, sleeping in the kernel (futex) after. How long workers spin follows
 * what they find: each job caught while spinning doubles the time (jobs come in quick
 * succession), each sleep halves it, between SPIN_MIN and SPIN_MAX. */
#include "base/pool.h"

#include <errno.h>
#include <fenv.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cpus.h"

enum {   /* ns */
    SPIN_MIN = 30000, SPIN_MAX = 120000, WAKE_WORTH = 25000, CLOSELY = 100000, ASK_EVERY = 2000000,
    RETRY = 100000000            /* after a worker could not be started */
};
enum { STACK = 1 << 20 };
#define CLOSED ((uint64_t)1 << 31)
#define INSIDE (CLOSED - 1)

static struct pool {
    _Alignas(64) _Atomic(uint64_t) gate;
    _Atomic(uint32_t) bell;        /* rung at each job; sleeping workers wait on it */
    _Atomic(int) sleepers;
    _Alignas(64) _Atomic(int64_t) next;
    _Atomic(int) stop;             /* hand out no further task */
    _Alignas(64) _Atomic(uint32_t) left;   /* rung when the last worker leaves a closed gate */
    _Alignas(64) hdi_task run;     /* the job; written while the gate is closed */
    void *ctx;
    int64_t ntasks;
    /* tasks that workers had no memory for; each such worker leaves the job */
    int64_t refused[HDI_POOL_MAX];
    _Atomic(int) nrefused;
    bool watch;                    /* the launcher wants to know what tasks raised */
    _Atomic(int) raised;           /* floating-point exceptions of the workers */
    bool quit;
    int64_t missed, missed_at;     /* ns of work that sleeping workers could have done, and when */
    _Atomic(int) busy;             /* a launcher owns the pool */
    _Atomic(int) threads;          /* 0: not asked yet */
    int started;
    int64_t retry_at;              /* no worker is started before */
    pthread_t worker[HDI_POOL_MAX];
} pool = {.gate = CLOSED};

static _Thread_local bool inside_task __attribute__((tls_model("initial-exec")));
static const char *_Atomic note;
static _Thread_local bool watching __attribute__((tls_model("initial-exec")));
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;

static void futex_wait(_Atomic(uint32_t) *word, uint32_t expected)
{
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, NULL, NULL, 0);
}

static void futex_wake(_Atomic(uint32_t) *word, int n)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, n, NULL, NULL, 0);
}

static void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* ---- workers --------------------------------------------------------------------------------- */

static void run_tasks(void)
{
    while (!atomic_load_explicit(&pool.stop, memory_order_relaxed)) {
        int64_t task = atomic_fetch_add_explicit(&pool.next, 1, memory_order_relaxed);
        if (task >= pool.ntasks)
            return;
        if (!pool.run(pool.ctx, task)) {
            pool.refused[atomic_fetch_add_explicit(&pool.nrefused, 1, memory_order_relaxed)] = task;
            return;
        }
    }
}

static void run_tasks_watched(void)
{
    feclearexcept(FE_ALL_EXCEPT);
    run_tasks();
    atomic_fetch_or_explicit(&pool.raised, fetestexcept(FE_ALL_EXCEPT), memory_order_relaxed);
}

/* Enters the gate if it is open for a job that this worker has not seen. */
static bool enter(uint32_t *seen)
{
    uint64_t gate = atomic_load_explicit(&pool.gate, memory_order_acquire);
    while ((uint32_t)(gate >> 32) != *seen && !(gate & CLOSED)) {
        if (atomic_compare_exchange_weak_explicit(&pool.gate, &gate, gate + 1, memory_order_acquire,
                                                  memory_order_acquire)) {
            *seen = (uint32_t)(gate >> 32);
            return true;
        }
    }
    return false;
}

static void leave(void)
{
    uint64_t gate = atomic_fetch_sub_explicit(&pool.gate, 1, memory_order_acq_rel) - 1;
    if ((gate & CLOSED) && (gate & INSIDE) == 0) {
        atomic_fetch_add_explicit(&pool.left, 1, memory_order_release);
        futex_wake(&pool.left, 1);
    }
}

static bool spin_for_job(uint32_t *seen, int64_t spin)
{
    int64_t end = hdi_now_ns(CLOCK_MONOTONIC) + spin;
    do {
        for (int i = 0; i < 32; i++) {
            if (enter(seen))
                return true;
            relax();
        }
    } while (hdi_now_ns(CLOCK_MONOTONIC) < end);
    return false;
}

static void sleep_for_job(uint32_t *seen, bool *entered)
{
    uint32_t bell = atomic_load(&pool.bell);
    atomic_fetch_add(&pool.sleepers, 1);
    /* The launcher opens the gate, rings, then looks for sleepers; we count ourselves, then look
     * at the gate: one of the two sees. */
    *entered = enter(seen);
    if (!*entered)
        futex_wait(&pool.bell, bell);
    atomic_fetch_sub(&pool.sleepers, 1);
}

static void *worker_main(void *arg)
{
    (void)arg;
    uint32_t seen = 0;
    int64_t spin = SPIN_MIN;
    inside_task = true;   /* a job brought from inside a task runs inline */
    for (;;) {
        bool entered = spin_for_job(&seen, spin);
        if (entered)
            spin = hdi_min64(2 * spin, SPIN_MAX);
        else {
            spin = hdi_max64(spin / 2, SPIN_MIN);
            sleep_for_job(&seen, &entered);
        }
        if (!entered)
            continue;
        bool quit = pool.quit;
        if (!quit && !pool.watch)
            run_tasks();
        else if (!quit)
            run_tasks_watched();
        leave();
        if (quit)
            return NULL;
    }
}

/* ---- starting and stopping ------------------------------------------------------------------- */

/* In the child of a fork only the forking thread is left: the pool starts afresh. */
static void forget_workers(void)
{
    atomic_store(&pool.gate, atomic_load(&pool.gate) | CLOSED);
    atomic_store(&pool.gate, atomic_load(&pool.gate) & ~INSIDE);
    atomic_store(&pool.sleepers, 0);
    atomic_store(&pool.busy, 0);
    pool.started = 0;
}

static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, forget_workers);
}

static void start_workers(int want)
{
    sigset_t all, old;
    pthread_attr_t attr;
    if (hdi_now_ns(CLOCK_MONOTONIC_COARSE) < pool.retry_at)
        return;
    pthread_once(&fork_once, watch_forks);
    if (pthread_attr_init(&attr) != 0)
        return;
    pthread_attr_setstacksize(&attr, STACK);
    sigfillset(&all);   /* signals are for the program's own threads */
    pthread_sigmask(SIG_SETMASK, &all, &old);
    while (pool.started < want &&
           pthread_create(&pool.worker[pool.started], &attr, worker_main, NULL) == 0)
        pool.started++;
    pool.retry_at = pool.started < want ? hdi_now_ns(CLOCK_MONOTONIC_COARSE) + RETRY : 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attr);
}

static void wake_workers(int n)
{
    if (atomic_load(&pool.sleepers) > 0)
        futex_wake(&pool.bell, n);
}

static void open_gate(void)
{
    uint64_t job = (atomic_load_explicit(&pool.gate, memory_order_relaxed) >> 32) + 1;
    if ((uint32_t)job == 0)
        job = 1;   /* 0 is what a new worker has seen */
    atomic_store(&pool.gate, job << 32);
    atomic_fetch_add(&pool.bell, 1);
}

static void close_gate(void)
{
    uint32_t left = atomic_load_explicit(&pool.left, memory_order_relaxed);
    uint64_t gate = atomic_fetch_or_explicit(&pool.gate, CLOSED, memory_order_acq_rel);
    for (int spins = 0; gate & INSIDE; spins++) {
        if (spins < 2000)
            relax();
        else
            futex_wait(&pool.left, left);
        left = atomic_load_explicit(&pool.left, memory_order_relaxed);
        gate = atomic_load_explicit(&pool.gate, memory_order_acquire);
    }
}

static bool own_pool(void)
{
    return !inside_task && atomic_exchange_explicit(&pool.busy, 1, memory_order_acquire) == 0;
}

static void disown_pool(void)
{
    atomic_store_explicit(&pool.busy, 0, memory_order_release);
}

static void stop_workers(void)
{
    if (pool.started == 0)
        return;
    pool.quit = true;
    open_gate();
    wake_workers(pool.started);
    for (int i = 0; i < pool.started; i++)
        pthread_join(pool.worker[i], NULL);
    close_gate();
    pool.quit = false;
    pool.started = 0;
}

/* ---- how many -------------------------------------------------------------------------------- */

static int default_threads(void)
{
    int usable = hdi_cpus_usable();
    const char *text = getenv("HEDDLE_NUM_THREADS");
    const char *said = NULL;
    if (text != NULL && *text != '\0') {
        char *end;
        errno = 0;
        long wish = strtol(text, &end, 10);
        if (errno != 0 || *end != '\0' || wish < 1)
            said = "HEDDLE_NUM_THREADS was ignored: it is not a whole number of at least 1";
        else if (wish < usable)
            usable = (int)wish;
    }
    atomic_store_explicit(&note, said, memory_order_relaxed);
    return usable > HDI_POOL_MAX ? HDI_POOL_MAX : usable;
}

int hdi_pool_threads(void)
{
    int n = atomic_load_explicit(&pool.threads, memory_order_relaxed);
    if (HDI_LIKELY(n > 0))
        return n;
    int expected = 0;   /* two threads may both look; one answer stays */
    n = default_threads();
    return atomic_compare_exchange_strong(&pool.threads, &expected, n) ? n : expected;
}

const char *hdi_pool_note(void)
{
    hdi_pool_threads();
    return atomic_load_explicit(&note, memory_order_relaxed);
}

hd_status hdi_pool_set_threads(int n)
{
    if (n < 0 || n > HDI_POOL_MAX)
        return hdi_fail(
            HD_VALUE,
            "the number of threads must be between 1 and %d, or 0 for the default, not %d",
            HDI_POOL_MAX, n);
    if (inside_task)
        return hdi_fail(HD_UNSUPPORTED, "the number of threads cannot change while a kernel runs");
    while (!own_pool())
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    stop_workers();
    atomic_store(&pool.threads, n > 0 ? n : default_threads());
    disown_pool();
    return HD_OK;
}

/* ---- running a job --------------------------------------------------------------------------- */

static int64_t ask_every = ASK_EVERY;

void hdi_pool_ask_every(int64_t ns)
{
    ask_every = ns < 0 ? ASK_EVERY : ns;
}

/* Asks at most once in that time of this thread's life, however short its jobs are. */
static bool asked_to_stop(bool (*interrupted)(void))
{
    static _Thread_local int64_t last;
    if (interrupted == NULL)
        return false;
    int64_t now = hdi_now_ns(CLOCK_MONOTONIC_COARSE);
    if (now - last < ask_every)
        return false;
    last = now;
    return interrupted();
}

/* The launching thread could not do a task: it had not kept the memory for it. */
static hd_status no_memory(void)
{
    return hdi_fail(HD_NOMEM, "out of memory in the middle of a kernel");
}

static hd_status run_alone(int64_t ntasks, hdi_task run, void *ctx, int64_t *next,
                           bool (*interrupted)(void))
{
    while (*next < ntasks) {
        if (!run(ctx, (*next)++))
            return no_memory();
        if (*next < ntasks && asked_to_stop(interrupted))
            return HD_INTERRUPTED;
    }
    return HD_OK;
}

/* Are there sleeping workers, and is there enough left for them to do, at the pace of the
 * launcher so far? What is too little by itself is added up over jobs that follow each other
 * closely: a worker that is woken for one of them finds the next ones by itself. */
static bool worth_waking(int64_t began, int64_t done, int64_t left)
{
    if (left <= 0 || atomic_load_explicit(&pool.sleepers, memory_order_relaxed) == 0)
        return false;
    int64_t now = hdi_now_ns(CLOCK_MONOTONIC), worth = (now - began) / done * left;
    if (worth <= WAKE_WORTH && done == 1) {
        pool.missed = began - pool.missed_at < CLOSELY ? pool.missed + worth : worth;
        pool.missed_at = now;
    }
    if (worth <= WAKE_WORTH && pool.missed <= 4 * WAKE_WORTH)
        return false;
    pool.missed = 0;
    return true;
}

/* The launcher's share of the tasks, with a look at the user's wish between them. false: it had no
 * memory for one. */
static bool run_tasks_polling(bool (*interrupted)(void), bool woken)
{
    int64_t began = hdi_now_ns(CLOCK_MONOTONIC);
    for (int64_t done = 1;; done++) {
        int64_t task = atomic_fetch_add_explicit(&pool.next, 1, memory_order_relaxed);
        if (task >= pool.ntasks)
            return true;
        if (!pool.run(pool.ctx, task)) {
            atomic_store_explicit(&pool.stop, 1, memory_order_relaxed);
            return false;
        }
        if (!woken && worth_waking(began, done, pool.ntasks - task - 1)) {
            wake_workers((int)hdi_min64(pool.ntasks - task - 1, pool.started));
            woken = true;
        }
        if (asked_to_stop(interrupted)) {
            atomic_store_explicit(&pool.stop, 1, memory_order_relaxed);
            return true;
        }
    }
}

void hdi_pool_watch(bool on)
{
    watching = on;
}

static hd_status run_job(int64_t ntasks, hdi_task run, void *ctx, int64_t *next,
                         bool (*interrupted)(void), bool wake)
{
    int threads = hdi_pool_threads();
    int64_t todo = ntasks - *next;
    if (todo <= 1 || threads == 1 || !own_pool())
        return run_alone(ntasks, run, ctx, next, interrupted);
    if (pool.started < threads - 1)
        start_workers(threads - 1);
    pool.run = run;
    pool.ctx = ctx;
    pool.ntasks = ntasks;
    pool.watch = watching;
    atomic_store_explicit(&pool.raised, 0, memory_order_relaxed);
    atomic_store_explicit(&pool.next, *next, memory_order_relaxed);
    atomic_store_explicit(&pool.stop, 0, memory_order_relaxed);
    atomic_store_explicit(&pool.nrefused, 0, memory_order_relaxed);
    open_gate();
    if (wake)
        wake_workers((int)hdi_min64(todo - 1, pool.started));
    inside_task = true;
    bool fits = run_tasks_polling(interrupted, wake);
    close_gate();
    for (int i = 0; i < atomic_load_explicit(&pool.nrefused, memory_order_relaxed) && fits; i++)
        fits = run(ctx, pool.refused[i]);
    inside_task = false;
    if (HDI_UNLIKELY(watching))   /* closing the gate ordered the workers' stores before this */
        feraiseexcept(atomic_load_explicit(&pool.raised, memory_order_relaxed));
    *next = hdi_min64(atomic_load_explicit(&pool.next, memory_order_relaxed), ntasks);
    disown_pool();
    return !fits ? no_memory() : *next < ntasks ? HD_INTERRUPTED : HD_OK;
}

hd_status hdi_pool_run(int64_t ntasks, hdi_task run, void *ctx, int64_t *next,
                       bool (*interrupted)(void))
{
    return run_job(ntasks, run, ctx, next, interrupted, false);
}

hd_status hdi_pool_run_long(int64_t ntasks, hdi_task run, void *ctx, int64_t *next,
                            bool (*interrupted)(void))
{
    return run_job(ntasks, run, ctx, next, interrupted, true);
}
