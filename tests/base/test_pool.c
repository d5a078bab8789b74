/* SPDX-License-Identifier: BSD-3-Clause */
/* test_pool.c - the thread pool: each task once, stopping and going on, concurrency, fork, an
 * idle pool at rest. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cpus.h"
#include "base/pool.h"
#include "harness.h"

enum { MANY = 5000 };

typedef struct tally {
    _Atomic(int) runs[MANY];
    _Atomic(int) total;
    int stop_at;
} tally;

static bool count_run(void *ctx, int64_t task)
{
    tally *t = ctx;
    atomic_fetch_add(&t->runs[task], 1);
    atomic_fetch_add(&t->total, 1);
    return true;
}

static int wrong_counts(const tally *t, int64_t from, int64_t to, int wanted)
{
    int wrong = 0;
    for (int64_t i = from; i < to; i++)
        wrong += atomic_load(&t->runs[i]) != wanted;
    return wrong;
}

TEST(pool, runs_each_task_once)
{
    for (int threads = 1; threads <= 4; threads++) {
        REQUIRE(hdi_pool_set_threads(threads) == HD_OK);
        CHECK_EQ_I64(hdi_pool_threads(), threads);
        for (int repeat = 0; repeat < 300; repeat++) {
            tally t = {0};
            int64_t next = 0, n = repeat % 7 == 0 ? MANY : repeat % 50;
            CHECK(hdi_pool_run(n, count_run, &t, &next, NULL) == HD_OK);
            CHECK_EQ_I64(next, n);
            CHECK_EQ_I64(wrong_counts(&t, 0, n, 1), 0);
            CHECK_EQ_I64(atomic_load(&t.total), n);
        }
    }
    hdi_pool_set_threads(0);
}

TEST(pool, starts_at_next)
{
    tally t = {0};
    int64_t next = 40;
    CHECK(hdi_pool_run(100, count_run, &t, &next, NULL) == HD_OK);
    CHECK_EQ_I64(wrong_counts(&t, 0, 40, 0), 0);
    CHECK_EQ_I64(wrong_counts(&t, 40, 100, 1), 0);
}

static bool slow_run(void *ctx, int64_t task)
{
    count_run(ctx, task);
    nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
    return true;
}

static _Atomic(int) asked;
static bool stop_at_third(void)
{
    return atomic_fetch_add(&asked, 1) == 2;
}

TEST(pool, stops_and_goes_on)
{
    for (int threads = 1; threads <= 3; threads++) {
        hdi_pool_set_threads(threads);
        tally t = {0};
        int64_t next = 0, calls = 0;
        hd_status status;
        do {
            int64_t before = next;
            atomic_store(&asked, 0);
            status = hdi_pool_run(400, slow_run, &t, &next, stop_at_third);
            CHECK(status == HD_OK || status == HD_INTERRUPTED);
            CHECK(next > before);
            CHECK_EQ_I64(wrong_counts(&t, 0, next, 1), 0);
            CHECK_EQ_I64(wrong_counts(&t, next, 400, 0), 0);
            calls++;
        } while (status == HD_INTERRUPTED && calls < 400);
        CHECK(calls > 1);
        CHECK_EQ_I64(next, 400);
    }
    hdi_pool_set_threads(0);
}

static bool nested_run(void *ctx, int64_t task)
{
    int64_t next = 0;
    (void)task;
    CHECK(hdi_pool_run(10, count_run, ctx, &next, NULL) == HD_OK);
    CHECK(hdi_pool_set_threads(2) == HD_UNSUPPORTED);
    return true;
}

TEST(pool, nested_jobs_run_inline)
{
    hdi_pool_set_threads(3);
    tally t = {0};
    int64_t next = 0;
    CHECK(hdi_pool_run(20, nested_run, &t, &next, NULL) == HD_OK);
    CHECK_EQ_I64(wrong_counts(&t, 0, 10, 20), 0);
    hd_error_take(NULL);
    hdi_pool_set_threads(0);
}

/* Workers refuse everything: what they were handed comes back to the launcher. */
static pthread_t the_launcher;
static bool picky_run(void *ctx, int64_t task)
{
    return pthread_equal(pthread_self(), the_launcher) && slow_run(ctx, task);
}

TEST(pool, refused_tasks_come_back)
{
    the_launcher = pthread_self();
    for (int repeat = 0; repeat < 20; repeat++) {
        hdi_pool_set_threads(4);
        tally t = {0};
        int64_t next = 0;
        CHECK(hdi_pool_run(50, picky_run, &t, &next, NULL) == HD_OK);
        CHECK_EQ_I64(wrong_counts(&t, 0, 50, 1), 0);
    }
    hdi_pool_set_threads(0);
}

/* The launching thread fails: the job is over and says so, however many threads there are. */
static bool failing_run(void *ctx, int64_t task)
{
    return task != 20 && picky_run(ctx, task);
}

TEST(pool, a_launcher_without_memory_ends_the_job)
{
    the_launcher = pthread_self();
    for (int threads = 1; threads <= 4; threads++) {
        hdi_pool_set_threads(threads);
        tally t = {0};
        int64_t next = 0;
        CHECK(hdi_pool_run(50, failing_run, &t, &next, NULL) == HD_NOMEM);
        CHECK(hd_error_take(NULL) == HD_NOMEM);
        next = 0;
        CHECK(hdi_pool_run(10, count_run, &t, &next, NULL) == HD_OK);
    }
    hdi_pool_set_threads(0);
}

static void *launcher(void *arg)
{
    (void)arg;
    for (int repeat = 0; repeat < 500; repeat++) {
        tally *t = calloc(1, sizeof *t);
        int64_t next = 0;
        CHECK(hdi_pool_run(64, count_run, t, &next, NULL) == HD_OK);
        CHECK_EQ_I64(wrong_counts(t, 0, 64, 1), 0);
        free(t);
    }
    return NULL;
}

TEST(pool, several_launchers)
{
    pthread_t thread[3];
    hdi_pool_set_threads(3);
    for (int i = 0; i < 3; i++)
        REQUIRE(pthread_create(&thread[i], NULL, launcher, NULL) == 0);
    for (int i = 0; i < 20; i++)
        CHECK(hdi_pool_set_threads(2 + i % 2) == HD_OK);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    hdi_pool_set_threads(0);
}

static int child_of_fork(void)
{
    tally *t = calloc(1, sizeof *t);
    int64_t next = 0;
    if (hdi_pool_run(MANY, count_run, t, &next, NULL) != HD_OK || next != MANY)
        return 1;
    int wrong = wrong_counts(t, 0, MANY, 1);
    free(t);
    return wrong == 0 ? 0 : 2;
}

TEST(pool, works_in_the_child_of_a_fork)
{
#if defined(__SANITIZE_THREAD__)
    SKIP("the thread sanitizer does not follow threads made after a fork");
#endif
    hdi_pool_set_threads(2);
    CHECK_EQ_I64(child_of_fork(), 0);
    for (int i = 0; i < 10; i++) {
        int status = -1;
        pid_t child = fork();
        if (child == 0)
            _exit(child_of_fork());
        REQUIRE(child > 0);
        REQUIRE(waitpid(child, &status, 0) == child);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        CHECK_EQ_I64(child_of_fork(), 0);
    }
    hdi_pool_set_threads(0);
}

static double cpu_seconds(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

TEST(pool, rests_when_idle)
{
    tally t = {0};
    int64_t next = 0;
    hdi_pool_set_threads(2);
    CHECK(hdi_pool_run(MANY, count_run, &t, &next, NULL) == HD_OK);
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    double before = cpu_seconds();
    nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
    CHECK(cpu_seconds() - before < 0.03);
    hdi_pool_set_threads(0);
}

TEST(pool, number_of_threads)
{
    CHECK_EQ_I64(hdi_cpus_quota("max 100000\n"), 0);
    CHECK_EQ_I64(hdi_cpus_quota("-1 100000"), 0);
    CHECK_EQ_I64(hdi_cpus_quota("150000 100000\n"), 2);
    CHECK_EQ_I64(hdi_cpus_quota("100000 100000"), 1);
    CHECK_EQ_I64(hdi_cpus_quota("5000 100000"), 1);
    CHECK_EQ_I64(hdi_cpus_quota(""), 0);
    CHECK(hdi_cpus_usable() >= 1);
    CHECK(hdi_pool_set_threads(-1) == HD_VALUE);
    CHECK(hdi_pool_set_threads(100000) == HD_VALUE);
    hd_error_take(NULL);
    const char *old = getenv("HEDDLE_NUM_THREADS");
    char *kept = old != NULL ? strdup(old) : NULL;
    setenv("HEDDLE_NUM_THREADS", "1", 1);
    CHECK(hdi_pool_set_threads(0) == HD_OK);
    CHECK_EQ_I64(hdi_pool_threads(), 1);
    CHECK(hdi_pool_note() == NULL);
    setenv("HEDDLE_NUM_THREADS", "two", 1);
    CHECK(hdi_pool_set_threads(0) == HD_OK);
    CHECK_EQ_I64(hdi_pool_threads(), hdi_cpus_usable());
    CHECK(hdi_pool_note() != NULL);
    if (kept != NULL)
        setenv("HEDDLE_NUM_THREADS", kept, 1);
    else
        unsetenv("HEDDLE_NUM_THREADS");
    free(kept);
    hdi_pool_set_threads(0);
}
