/* SPDX-License-Identifier: BSD-3-Clause */
/* exec.h - from a chunk of records to finished kernels: plans, jobs, the queues of a device.
 * Owns       hdi_exec_plan, hdi_job, hdi_submission
 * Invariant  jobs that share memory finish in the order they were queued (lanes.h); memory that a
 *            job names stays until it has finished
 * Threads    jobs are queued under the library's lock and run without it
 * Start at   submit() in submit.c, drain() in queue.c
 * See        docs/design/recording.md */
#ifndef HDI_EXEC_H
#define HDI_EXEC_H

#include <pthread.h>

#include "backend/backend.h"
#include "core/services.h"
#include "fuse/lower.h"
#include "window/plan.h"

/* A program of the back end, shared by all plans whose kernels are the same. */
typedef struct hdi_program {
    struct hdi_program *next;
    uint64_t hash;
    hdi_kernel *kernel;
    void *code;
    hd_device *dev;
    int64_t uses;
    hdi_deleter end;            /* freeing it may have to wait for a driver */
} hdi_program;

typedef struct hdi_step {
    hdi_kernel *kernel;         /* slots of this plan; NULL for a library call */
    hdi_program *program;
    uint64_t reduced;           /* squeezed axes of the domain */
    uint16_t record;            /* library call: its record */
    uint16_t nrows;             /* slots with strides of their own: see job_bytes() */
    bool wraps;                 /* an operand is wrapped: see boxes.h */
    /* the first reduction, whose input says in which order memory is walked; -1 if there is none */
    int16_t order_record;
    uint16_t touched, ntouched; /* what it reads and writes, in the plan's list */
} hdi_step;

enum { HDI_WRITTEN = 1 << 15 };

typedef struct hdi_exec_plan {
    hdi_plan head;
    int nsteps, ngens, nstored;
    int nrecords, nops;         /* slots, operations */
    int ntemporaries, ntakeovers;
    hdi_step *steps;
    hdi_gen_use *use;
    hdi_named *named;           /* of each generation */
    uint16_t *stored;           /* the generations that are in memory at all, by their first step */
    /* those of them that nobody needs after a step before the last one, by that step */
    uint16_t *dying;
    int ndying;
    uint16_t *touched;          /* generations, with HDI_WRITTEN where a step writes */
} hdi_exec_plan;

/* Work of a job above which other threads of the host program may run meanwhile. */
enum { HDI_LONG_JOB = 1 << 18 };

typedef struct hdi_upload { hdi_buf *b; uint8_t *to; const uint8_t *from; } hdi_upload;

/* Jobs of other lanes that one waits for by their numbers: those of so many lanes. */
enum { HDI_AFTER_MOST = 4 };

/* A chunk with addresses: runs without looking at arrays or records again. */
typedef struct hdi_job {
    struct hdi_job *next;
    struct hdi_lane *lane;
    uint64_t after[HDI_AFTER_MOST];
    int nafter;
    bool after_all;             /* it waits for all jobs of lower numbers */
    hdi_exec_plan *plan;
    size_t bytes;               /* of this block */
    uint64_t number;            /* in the order of submission */
    int next_step;
    uint64_t vain[HDI_RING / 64];   /* steps that do not run: what they read has failed */
    bool stopped;               /* interrupted once */
    bool again;                 /* tried once more, since it lacked memory */
    int64_t work;               /* elements x instructions, roughly */
    int nbufs, ngarbage, nuploads, uploaded;
    hdi_launch *launch;         /* one per kernel step */
    hdi_xcall *call;            /* one per library step */
    hdi_buf **bufs;             /* counted in buf->jobs */
    uint16_t *gen;              /* and their numbers in the plan */
    hdi_upload *upload;         /* what goes from mirrors to the device before the first step */
    uint8_t **garbage;          /* memory of dead generations, to free at the end */
    int64_t *garbage_bytes;
    /* whose faults are to be told, and which can come from the operation; NULL: nobody wants to
     * know */
    struct hdi_fault_list *watcher;
    int faults;
    const char *operation;
} hdi_job;

/* Memory of generations that died at an earlier step of the job. */
typedef struct hdi_dead_memory {
    int n;
    uint8_t *ptr[HDI_MAX_GENS];
    int64_t nbytes[HDI_MAX_GENS];
} hdi_dead_memory;

/* What a submission lacked memory for: a generation of its chunk, and the step of its plan that
 * wanted it first. NULL: something else. */
typedef struct hdi_lack { hdi_buf *gen; int step; } hdi_lack;

/* A chunk being submitted. By number of the generation: */
typedef struct hdi_submission {
    hdi_planning planning;
    uint8_t *memory[HDI_MAX_GENS];      /* address during the job */
    uint8_t *owned[HDI_MAX_GENS];       /* address it keeps after the job, NULL if given away */
    bool fresh[HDI_MAX_GENS];           /* allocated by this job */
    hdi_dead_memory pool;
    hdi_lack lacking;
} hdi_submission;

/* hdi_memory_functions - dev->alloc, free and heap: the back end's, or those that note for memory
 * hooks what they do. hdi_memory_hooks_after_fork - in the child. Under the lock. */
void hdi_memory_functions(hd_device *dev);
void hdi_memory_hooks_after_fork(void);
/* hdi_devices - every device opened so far; *n is their number. Under the library's lock. */
hd_device *hdi_devices(int *n);

/* hdi_plan_for - the plan of the chunk whose canon p has, remembered or made. hdi_plan_again - p
 * was found. hdi_plan_build - makes one. */
void hdi_plan_again(hd_device *dev, hdi_plan *p);
hd_status hdi_plan_for(hd_device *dev, hdi_planning *p, hdi_exec_plan **plan);
hd_status hdi_plan_build(hd_device *dev, hdi_planning *p, hdi_exec_plan **plan);
void hdi_plan_drop(hdi_plan *head);
/* hdi_submit - under the lock. What it lacked memory for is in dev's submission. */
hd_status hdi_submit(hd_device *dev, hdi_chunk *chunk);
/* hdi_record_fail - the operation whose first slot r is does not run: what it would have written
 * has failed, and it leaves the window. */
void hdi_record_fail(hdi_window *w, hdi_record *r, const hd_error *why);
/* hdi_relieve - while a window of dev is starved: submits some of what is pending, or gives up the
 * record that is in the way; false: nothing was left to do. Best when nothing is queued. Under the
 * lock. hdi_demand_some - the same of what b's contents wait for, when hdi_window_demand() found no
 * memory; but gives up only what b's contents do not come of, else HD_NOMEM.
 * hdi_give_up_noted - a job failed for want of memory. hdi_given_up_since - the error of what was
 * given up since the queue's ngiven_up was `before`. */
bool hdi_relieve(hd_device *dev);
hd_status hdi_demand_some(hdi_buf *b);
void hdi_give_up_noted(hd_device *dev, const hd_error *why);
hd_status hdi_given_up_since(const hd_device *dev, int64_t before);
/* hdi_drain - without the lock: runs what this thread submitted, and what that waits for.
 * hdi_drain_for - the job of hdi_buf.wrote as well, whoever submitted it. hdi_drain_all - all that
 * was submitted. */
HDI_AWAY hd_status hdi_drain(hd_device *dev);
hd_status hdi_drain_for(hd_device *dev, uint64_t wrote);
hd_status hdi_drain_all(hd_device *dev);
/* hdi_resume - this thread's job that was interrupted goes on at the next drain; true if there is
 * anything to run. Under the lock. */
bool hdi_resume(hd_device *dev);
/* hdi_enqueue - job, whose lane and number are known, is the last of its lane now. Under the
 * lock. */
void hdi_enqueue(hd_device *dev, hdi_job *job);
/* hdi_faults_watch - job is the record being submitted for the sake of its faults, if there is
 * one: it tells this thread. Under the lock. */
void hdi_faults_watch(hdi_job *job, const hdi_chunk *chunk);
/* hdi_faults_add - what job raised. Without the lock. */
void hdi_faults_add(const hdi_job *job, int raised);

/* Waiting: wait.c. All without the lock.
 * hdi_let_others_run - this thread is about to wait: other threads of the host program may run
 * until hdi_come_back(). hdi_attend - after it was asked to stop, and with nothing held: the host
 * does what it wanted; HD_OK: the wait goes on (hdi_let_others_run() once more), else
 * HD_INTERRUPTED. Also before a wait that may be long, if hdi_needs_alert() says so: from here on
 * the host will notice that somebody wants the thread.
 * hdi_work_begin - a kernel or a library call, from here to hdi_work_end(): it is not stopped for a
 * host that was not told (hdi_needs_alert()). lost: it was stopped and begins anew.
 * hdi_wait_for_queue - somebody else drains it.
 * hdi_wait_begin - this thread is about to wait for a device whose work runs behind our back.
 * hdi_wait_again - it has waited, with that status; true: it was stopped and is to wait again. */
HDI_AWAY void hdi_let_others_run(void);
HDI_AWAY void hdi_come_back(void);
HDI_AWAY hd_status hdi_attend(void);
bool hdi_needs_alert(const hd_device *dev);
int64_t hdi_work_begin(void);
void hdi_work_end(int64_t began, bool lost);
HDI_AWAY hd_status hdi_wait_for_queue(pthread_mutex_t *running);
HDI_AWAY void hdi_wait_begin(const hd_device *dev);
HDI_AWAY bool hdi_wait_again(hd_status *status);
void hdi_wait_install(void);

/* hdi_copy_out - nbytes of b's contents to the host's memory. hdi_mirror - has b's contents come to
 * the host, if it may have a mirror: *host is where they are read, NULL if nowhere; b is pinned.
 * hdi_bring - the same of an array. hdi_gather_host - elements of any layout, in C order, both on
 * the host. Without the lock. */
HDI_AWAY hd_status hdi_copy_out(hdi_buf *b, int64_t off, void *into, int64_t nbytes);
HDI_AWAY hd_status hdi_mirror(hdi_buf *b, const uint8_t **host);
HDI_AWAY hd_status hdi_bring(const hd_array *x);
/* hdi_copy_in - into the memory or mirror of a generation that nobody else uses now.
 * hdi_leave_mirror - b's contents are in its device's memory afterwards and in no mirror; pinned,
 * without the lock. hdi_leave_home - b, which a job is about to use, has memory there (false: there
 * is none); its contents go along with the job: hdi_job_upload() notes that, under the lock,
 * hdi_run_uploads() does it, hdi_end_uploads() ends it.
 * hdi_bring_wanted - hdi_window.bring. Without the lock. */
HDI_AWAY hd_status hdi_copy_in(hdi_buf *b, int64_t at, const void *from, int64_t nbytes);
HDI_AWAY hd_status hdi_leave_mirror(hdi_buf *b);
bool hdi_leave_home(hdi_buf *b);
void hdi_bring_wanted(hd_device *dev);
void hdi_job_upload(hdi_job *job, hdi_buf *b, uint8_t *to);
hd_status hdi_run_uploads(hd_device *dev, hdi_job *job);
void hdi_end_uploads(hdi_job *job);
void hdi_gather_host(uint8_t *to, const uint8_t *from, const hdi_layout *l);
/* hdi_may_arrive - can nbytes of `from` go to `to` without the host waiting for them?
 * hdi_arriving - then: an array of the CPU's device with what c, which is one piece, has in memory
 * of the generation `from`; *out is NULL if there is no pinned memory. Without the lock. */
bool hdi_may_arrive(const hd_device *from, const hd_device *to, int64_t nbytes);
HDI_AWAY hd_status hdi_arriving(const hd_array *c, hdi_buf *from, hd_device *cpu, hd_array **out);
/* hdi_read_begin - computes x and returns its generation, which stays where it is until
 * hdi_read_end() whatever other threads do. NULL on failure. hdi_memory_begin - also while this
 * thread captures, when x has memory and contents to come. hdi_refuse_capture - HD_DEVICE then;
 * under the lock. */
hd_status hdi_refuse_capture(hd_device *dev);
HDI_AWAY hdi_buf *hdi_memory_begin(const hd_array *x, hd_status *status);
HDI_AWAY hdi_buf *hdi_read_begin(const hd_array *x, hd_status *status);
HDI_AWAY void hdi_read_end(hdi_buf *b);
/* hdi_read_at - the element at byte `off` of x's storage, computed if it must be. hdi_read_weak -
 * that of a weak scalar. Both write one element of x's dtype. */
hd_status hdi_read_at(const hd_array *x, int64_t off, void *into);
hd_status hdi_read_weak(const hd_array *x, void *into);
void hdi_job_free(hdi_job *job);

/* The services of core/services.h, for the table in install.c. */
hd_device *hdi_exec_default_device(void);
hd_device *hdi_exec_host_device(void);
HDI_LOCKED bool hdi_exec_values_open(const hd_array *x, hdi_values *v);
void hdi_exec_values_close(hdi_values *v);
HDI_LOCKED hd_status hdi_exec_value_then(const hd_array *x, const hd_array *next, void *into);
bool hdi_exec_staged_open(hd_device *dev, int64_t n, hd_dtype dt, hdi_staged *s);
HDI_LOCKED hd_array *hdi_exec_staged_close(hdi_staged *s, hd_status status);
HDI_LOCKED hd_array *hdi_exec_moved(const hd_array *x, hd_device *dev);
hd_array *hdi_exec_from_host(hd_device *dev, int nd, const int64_t *shape, hd_dtype dt,
                             const void *data);
/* hdi_wants_debug - HEDDLE_DEBUG is 1: also before a device was opened. */
bool hdi_wants_debug(void);
/* hdi_exec_install - installs that table and hdi_runner, before main(). */
void hdi_exec_install(void);

#endif
