/* SPDX-License-Identifier: BSD-3-Clause */
/* test_lock.c - the one lock: mutual exclusion before, while and after a second thread revokes
 * the first one's bias; fork.
 *
 * A process has one bias to lose, so each case runs in a child of its own, made before anybody
 * took the lock. */
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/lock.h"
#include "harness.h"

enum { ROUNDS = 40000, THREADS = 4 };

/* Not atomic on purpose: a lost update, or the sanitizer, would show two threads inside at once. */
static int64_t counter, inside_pairs;
static atomic_int started;

static void count_up(int rounds)
{
    for (int k = 0; k < rounds; k++) {
        hdi_lock();
        int64_t seen = counter;
        inside_pairs++;
        counter = seen + 1;
        hdi_unlock();
    }
}

static void *worker(void *arg)
{
    (void)arg;
    atomic_fetch_add(&started, 1);
    count_up(ROUNDS);
    return NULL;
}

static int in_child(int (*body)(void))
{
    int status = -1;
    pid_t child = fork();
    if (child == 0)
        _exit(body());
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return -1;
    return WEXITSTATUS(status);
}

/* The owner is deep in its fast path when the others come. */
static int revoked_under_load(void)
{
    pthread_t thread[THREADS];
    count_up(1000);
    for (int k = 0; k < THREADS; k++)
        if (pthread_create(&thread[k], NULL, worker, NULL) != 0)
            return 2;
    while (atomic_load(&started) < THREADS)
        count_up(1);
    int64_t extra = counter;
    (void)extra;
    count_up(ROUNDS);
    for (int k = 0; k < THREADS; k++)
        pthread_join(thread[k], NULL);
    count_up(10);
    return counter == inside_pairs && counter >= (int64_t)ROUNDS * (THREADS + 1) + 1010 ? 0 : 3;
}

TEST(lock, bias_is_revoked_under_load)
{
    for (int repeat = 0; repeat < 5; repeat++)
        CHECK_EQ_I64(in_child(revoked_under_load), 0);
}

/* While the owner holds the lock on its fast path nobody else may enter. */
static atomic_int entered;
static void *enters(void *arg)
{
    (void)arg;
    hdi_lock();
    atomic_store(&entered, 1);
    hdi_unlock();
    return NULL;
}

static int owner_keeps_others_out(void)
{
    pthread_t thread;
    count_up(10);
    hdi_lock();
    bool begun = pthread_create(&thread, NULL, enters, NULL) == 0;
    usleep(100000);
    int too_early = atomic_load(&entered);
    hdi_unlock();
    if (!begun)
        return 2;
    pthread_join(thread, NULL);
    return too_early ? 3 : atomic_load(&entered) ? 0 : 4;
}

TEST(lock, the_owner_keeps_others_out)
{
    CHECK_EQ_I64(in_child(owner_keeps_others_out), 0);
}

/* The owner is gone; the others go on by themselves. */
static void *short_life(void *arg)
{
    (void)arg;
    count_up(100);
    return NULL;
}

static int owner_has_left(void)
{
    pthread_t first, thread[2];
    if (pthread_create(&first, NULL, short_life, NULL) != 0)
        return 2;
    pthread_join(first, NULL);
    for (int k = 0; k < 2; k++)
        if (pthread_create(&thread[k], NULL, worker, NULL) != 0)
            return 2;
    for (int k = 0; k < 2; k++)
        pthread_join(thread[k], NULL);
    return counter == 100 + 2 * (int64_t)ROUNDS ? 0 : 3;
}

TEST(lock, the_owner_may_end)
{
    CHECK_EQ_I64(in_child(owner_has_left), 0);
}

/* ---- fork ------------------------------------------------------------------------------------ */

static int child_counts(void)
{
    int64_t before = counter;
    count_up(1000);
    return counter == before + 1000 ? 0 : 5;
}

static int forked_child(void)
{
    hdi_lock_before_fork();
    int64_t frozen = counter;
    pid_t child = fork();
    hdi_lock_after_fork();
    if (child == 0) {
        alarm(20);
        _exit(frozen == counter ? child_counts() : 6);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 7;
}

static int fork_with_bias(void)
{
    count_up(10);
    int result = forked_child();
    return result != 0 ? result : child_counts();
}

/* ThreadSanitizer does not follow threads made after a fork of a process with threads, and takes
 * one that had just ended, which the child cannot join, for a leak. */
#if !defined(__SANITIZE_THREAD__)
static int fork_while_others_count(void)
{
    pthread_t thread[2];
    for (int k = 0; k < 2; k++)
        if (pthread_create(&thread[k], NULL, worker, NULL) != 0)
            return 2;
    int result = 0;
    for (int k = 0; k < 8 && result == 0; k++)
        result = forked_child();
    for (int k = 0; k < 2; k++)
        pthread_join(thread[k], NULL);
    return result != 0 ? result : counter == 2 * (int64_t)ROUNDS ? 0 : 3;
}

/* A thread that takes the bias away holds the mutex while it waits for the owner, who forks. A child
 * that waits for that thread is ended by its alarm. */
static int fork_while_revoked(void)
{
    pthread_t thread;
    count_up(10);
    atomic_store(&started, 0);
    if (pthread_create(&thread, NULL, worker, NULL) != 0)
        return 2;
    while (atomic_load(&started) == 0)
        count_up(1);
    int result = 0;
    for (int k = 0; k < 3 && result == 0; k++)
        result = forked_child();
    pthread_join(thread, NULL);
    return result;
}

/* The child of a process whose bias is intact may get threads of its own. */
static int child_revokes(void)
{
    count_up(10);
    int status = -1;
    hdi_lock_before_fork();
    pid_t child = fork();
    hdi_lock_after_fork();
    if (child == 0)
        _exit(revoked_under_load());
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 7;
}
#endif

TEST(lock, works_in_the_child_of_a_fork)
{
    CHECK_EQ_I64(in_child(fork_with_bias), 0);
#if !defined(__SANITIZE_THREAD__)
    CHECK_EQ_I64(in_child(fork_while_others_count), 0);
    CHECK_EQ_I64(in_child(child_revokes), 0);
    for (int k = 0; k < 50; k++)
        CHECK_EQ_I64(in_child(fork_while_revoked), 0);
#endif
}
