/* SPDX-License-Identifier: BSD-3-Clause */
/* cg_thread.c - the background threads: the first begins with the first request, others when all
 * that there are have something to do; between requests they sleep. fork() and exit() wait for the
 * requests at hand (some milliseconds), so that a child finds no lock of the code generator taken,
 * and no code runs while the process is taken down.
 *
 * exit() asks last who registered first, and a request may load libraries that register their own
 * destructors, while it runs even (the CUDA driver's compiler does): their tables would be gone
 * under it. So a program should say when it ends (hd_before_exit(); Python's package does), and for
 * one that does not we register again, ever more rarely. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/cpus.h"
#include "base/spans.h"
#include "codegen/cg_compile.h"

typedef struct request {
    struct request *next;
    void (*run)(void *ctx);
    int64_t (*worth)(void *ctx);
    void *ctx;
} request;

enum { MOST_THREADS = 4 };   /* a driver's compiler may be one at a time; LLVM is not */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER, idle = PTHREAD_COND_INITIALIZER;
static request *first, **last = &first;
static int threads, busy;    /* busy: have a request at hand */
static bool held, ended;     /* held: nothing new is begun; ended: nor asked for */
static uint64_t asked;

/* One is left to the program where there are several. */
static int most_threads(void)
{
    static int most;   /* asked once: it takes a look at files */
    int n = most == 0 ? hdi_cpus_usable() - 1 : 0;
    if (most == 0)
        most = n < 1 ? 1 : n > MOST_THREADS ? MOST_THREADS : n;
    return most;
}

/* What is worth most now; of equals what was asked for first. */
static request *take_next(void)
{
    request **best = &first;
    int64_t most = INT64_MIN;
    for (request **at = &first; *at != NULL; at = &(*at)->next) {
        int64_t worth = (*at)->worth == NULL ? INT64_MAX : (*at)->worth((*at)->ctx);
        if (worth > most) {
            most = worth;
            best = at;
        }
    }
    request *r = *best;
    if (last == &r->next)
        last = best;
    *best = r->next;
    return r;
}

/* The request, with a span of it if somebody wants to know what runs. */
static void run_noted(const request *r)
{
    hdi_span span;
    const bool noted = hdi_profiling();
    if (noted)
        hdi_span_begin(&span, HD_SPAN_COMPILE, "compile", "cpu");
    r->run(r->ctx);
    if (noted)
        hdi_span_end(&span);
}

static void *work(void *unused)
{
    pthread_mutex_lock(&mutex);
    for (;;) {
        while (first == NULL || held || ended)
            pthread_cond_wait(&more, &mutex);
        request *r = take_next();
        busy++;
        pthread_mutex_unlock(&mutex);
        run_noted(r);
        hdi_free(r, sizeof *r);
        pthread_mutex_lock(&mutex);
        busy--;
        pthread_cond_broadcast(&idle);
    }
    return unused;
}

/* Waits for the requests at hand and lets no other begin. Leaves the mutex locked. */
static void hold(void)
{
    pthread_mutex_lock(&mutex);
    held = true;
    while (busy > 0)
        pthread_cond_wait(&idle, &mutex);
}

int hdi_cg_under_way(void)
{
    pthread_mutex_lock(&mutex);
    int n = busy;
    pthread_mutex_unlock(&mutex);
    return n;
}

static void let_go(void)
{
    held = false;
    pthread_cond_broadcast(&more);
    pthread_mutex_unlock(&mutex);
}

void hdi_cg_end(void)
{
    hold();
    ended = true;
    pthread_cond_broadcast(&idle);
    let_go();
}

/* The child has no such threads: the next request starts one, which finds what was left undone.
 * Nobody waits for these any more, and to wake those who did would wait for them. */
static void in_child(void)
{
    more = idle = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    hdi_cg_lock_codes(false);
    threads = 0;
    let_go();
}

static void before_fork(void)
{
    hold();
    hdi_cg_lock_codes(true);
}

static void after_fork(void)
{
    hdi_cg_lock_codes(false);
    let_go();
}

/* Who registers later is asked earlier: compiles come to an end before the loader is locked. */
static void watch(void)
{
    hdi_cg_loader_start();
    pthread_atfork(before_fork, after_fork, in_child);
    atexit(hdi_cg_end);
}

void hdi_cg_watch_forks(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch);
}

/* Signals are for the threads of the program. */
static bool start(void)
{
    pthread_t thread;
    sigset_t all, before;
    hdi_cg_watch_forks();
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool done = pthread_create(&thread, NULL, work, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (done)
        pthread_detach(thread);
    threads += done;
    return done;
}

/* Is there a thread for one request more? */
static bool have_thread(void)
{
    if (threads == 0 || (busy == threads && threads < most_threads()))
        start();
    return threads > 0;
}

bool hdi_cg_later(void (*run)(void *ctx), int64_t (*worth)(void *ctx), void *ctx)
{
    request *r = hdi_alloc(sizeof *r);
    if (r == NULL)
        return false;
    *r = (request){NULL, run, worth, ctx};
    pthread_mutex_lock(&mutex);
    bool done = !ended && have_thread();
    if (done) {
        asked++;
        if ((asked & (asked - 1)) == 0)   /* the 1st, 2nd, 4th, 8th, ... */
            atexit(hdi_cg_end);
        *last = r;
        last = &r->next;
        pthread_cond_broadcast(&more);
    }
    pthread_mutex_unlock(&mutex);
    if (!done)
        hdi_free(r, sizeof *r);
    return done;
}

void hdi_cg_wait(void)
{
    pthread_mutex_lock(&mutex);
    if (first != NULL && !ended)   /* perhaps left undone by the parent of this process */
        have_thread();
    while (busy > 0 || (first != NULL && threads > 0 && !ended))
        pthread_cond_wait(&idle, &mutex);
    pthread_mutex_unlock(&mutex);
}
