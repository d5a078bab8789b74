/* SPDX-License-Identifier: BSD-3-Clause */
/* pool.h - worker threads that share the tasks of one job at a time with the thread that brings
 * it.
 * Invariant  tasks are handed out in ascending order, each exactly once; when hdi_pool_run()
 *            returns, every task that was handed out has finished. An idle pool uses no
 *            processor time
 * Threads    any; a job brought while another one runs (or from inside a task) is run by its own
 *            thread alone
 * Memory     no allocation per job; workers start at the first job that can use them, and again
 *            in the child of a fork()
 * Start at   hdi_pool_run() */
#ifndef HDI_POOL_H
#define HDI_POOL_H

#include "base/base.h"

/* A task returns false when its thread lacks memory for it: the launching thread then does it.
 * That one sees to its memory before it brings the job; if it fails all the same the job ends with
 * HD_NOMEM, its results as they are. */
typedef bool (*hdi_task)(void *ctx, int64_t task);

/* hdi_pool_run - runs tasks *next, ..., ntasks - 1. The calling thread takes part, and between
 * its own tasks asks interrupted() (NULL: nobody) every few milliseconds whether to stop. Then
 * no further task is handed out and the result is HD_INTERRUPTED (no error is recorded). *next
 * is the first task that was not handed out: ntasks, or where a later call goes on. */
hd_status hdi_pool_run(int64_t ntasks, hdi_task run, void *ctx, int64_t *next,
                       bool (*interrupted)(void));

/* hdi_pool_run_long - the same for tasks that are known to take longer than waking a worker: all
 * that can be of use are woken at once. */
hd_status hdi_pool_run_long(int64_t ntasks, hdi_task run, void *ctx, int64_t *next,
                            bool (*interrupted)(void));

/* hdi_pool_ask_every - for tests: nanoseconds between two questions; 0 asks after each task, below
 * 0 is the default again. */
void hdi_pool_ask_every(int64_t ns);

/* hdi_pool_threads - threads that a job can use, the caller's included. The default is the
 * smallest of: processors this process may run on, processors its control group may use (rounded
 * up), and HEDDLE_NUM_THREADS. */
int hdi_pool_threads(void);
/* hdi_pool_set_threads - n >= 1, or 0 for the default; waits until the job that runs now has
 * finished. */
hd_status hdi_pool_set_threads(int n);
/* hdi_pool_note - why HEDDLE_NUM_THREADS was ignored, or NULL. */
const char *hdi_pool_note(void);

/* hdi_pool_watch - while on, jobs brought by this thread leave the floating-point exceptions that
 * their tasks raised, on whichever thread, in the flags of this one. */
void hdi_pool_watch(bool on);

enum { HDI_POOL_MAX = 256 };

#endif
