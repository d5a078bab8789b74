/* SPDX-License-Identifier: BSD-3-Clause */
/* queue.c - runs the jobs of a device in order: kernels, library calls, what follows when one
 * fails or is interrupted.
 *
 * An interrupted job stays at the head of the queue with its progress. The next demand goes on with
 * it. One that ran out of scratch memory is tried once more, when what is kept for reuse was given
 * back. Any other failure marks what the job had still to write as failed: each read of it raises
 * the same error. */
#include "base/alloc.h"
#include "base/lock.h"
#include "core/object.h"
#include "exec/lanes.h"
#include "exec/profile.h"
#include "ops/ops.h"
#include "window/windows.h"

/* A resting lane waits for a demand, or for new work. Under the lock. */
static void set_resting(hd_device *dev, hdi_lane *lane, bool resting)
{
    const hdi_lane *own = hdi_lane_here(dev);
    lane->resting = resting;
    hdi_window_of(dev)->queued = own->first != NULL && !own->resting;
    hdi_lanes_update(dev);
}

bool hdi_resume(hd_device *dev)
{
    hdi_lane *own = hdi_lane_here(dev);
    if (HDI_LIKELY(own->first == NULL || !own->resting))
        return own->first != NULL || dev->starved;
    set_resting(dev, own, false);
    return true;
}

void hdi_enqueue(hd_device *dev, hdi_job *job)
{
    hdi_lane *lane = job->lane;
    if (lane->last != NULL)
        lane->last->next = job;
    else
        lane->first = job;
    lane->last = job;
    lane->resting = false;
    hdi_window_of(dev)->queued = dev->queued = true;
}

/* Objects of library calls, which their records counted. */
static void release_objects(const hdi_job *job)
{
    for (int s = 0, x = 0; s < job->plan->nsteps; s++) {
        if (job->plan->steps[s].kernel != NULL)
            continue;
        const hdi_xcall *call = &job->call[x++];
        if (HDI_UNLIKELY(hdi_op_rows[call->op].payload == HDI_PAYLOAD_object))
            hdi_object_release(call->payload.object);
    }
}

/* The job is over: its memory and its references go. Under the lock. */
static void finish_job(hd_device *dev, hdi_job *job)
{
    hdi_lane *lane = job->lane;
    lane->first = job->next;
    if (lane->first == NULL)
        lane->last = NULL;
    lane->done = job->number;
    for (int k = 0; k < job->ngarbage; k++)
        dev->free(dev->heap, job->garbage[k], job->garbage_bytes[k]);
    hdi_end_uploads(job);
    for (int k = 0; k < job->nbufs; k++) {
        job->bufs[k]->jobs--;
        hdi_lane_used(job, job->bufs[k]);
        hdi_buf_settle(job->bufs[k]);
    }
    release_objects(job);
    job->plan->head.refs--;
    hdi_job_free(job);
}

static bool in_vain(const hdi_job *job, int s)
{
    return job->vain[s / 64] >> (s % 64) & 1;
}

/* What step s names as the k-th: a generation's number, and its buffer, NULL if it is not in
 * memory. A record names what it writes first, then what it reads. */
typedef struct name { int gen; bool written; hdi_buf *b; } name;

static name name_at(const hdi_job *job, int s, int k)
{
    const hdi_exec_plan *plan = job->plan;
    int g = plan->touched[plan->steps[s].touched + k];
    name found = {g & ~HDI_WRITTEN, (g & HDI_WRITTEN) != 0, NULL};
    for (int i = 0; i < job->nbufs && found.b == NULL; i++)
        if (job->gen[i] == found.gen)
            found.b = job->bufs[i];
    return found;
}

/* spare_shared: not what others can reach. */
static void fail_step(hdi_job *job, int s, const hd_error *why, bool spare_shared)
{
    job->vain[s / 64] |= (uint64_t)1 << (s % 64);
    for (int k = 0; k < job->plan->steps[s].ntouched; k++) {
        name n = name_at(job, s, k);
        if (n.b != NULL && n.written && !(spare_shared && n.b->pins > 0))
            hdi_buf_fail(n.b, why, job->number);
    }
}

/* Records of step s that read what has failed fail likewise, and so do those that write to part of
 * it. A kernel runs all the same, for its other records: numbers that mean nothing do no harm. But
 * not if it would write them to shared memory; and a library call may take them for places. */
static void fail_readers_in(hdi_job *job, int s)
{
    uint64_t failed[HDI_MAX_GENS / 64] = {0};
    hd_error why = {.code = HD_OK};
    const hdi_step *step = &job->plan->steps[s];
    bool shared = false, others = false;
    for (int first = 0, next; first < step->ntouched; first = next) {
        bool fails = false;
        next = first;
        do {
            name n = name_at(job, s, next++);
            bool is =
                n.b != NULL && n.b->error != NULL && n.b->failed_from <= job->number;
            why = is && why.code == HD_OK ? *n.b->error : why;
            fails = fails || is || (failed[n.gen / 64] >> (n.gen % 64) & 1);
        } while (next < step->ntouched && !name_at(job, s, next).written);
        name out = name_at(job, s, first);
        others = others || !fails;
        if (!fails)
            continue;
        failed[out.gen / 64] |= (uint64_t)1 << (out.gen % 64);
        shared = shared || (out.b != NULL && out.b->pins > 0);
        if (out.b != NULL)
            hdi_buf_fail(out.b, &why, job->number);
    }
    if (why.code != HD_OK && (shared || !others || step->kernel == NULL))
        fail_step(job, s, &why, false);
}

/* Under the lock. */
static void fail_readers(hdi_job *job)
{
    if (HDI_UNLIKELY(hdi_failed_bufs > 0))
        for (int s = job->next_step; s < job->plan->nsteps; s++)
            if (!in_vain(job, s))
                fail_readers_in(job, s);
}

/* An interrupted job whose results nobody wants any more does not go on. Library calls always
 * do. Under the lock. */
static bool abandoned(const hdi_job *job)
{
    if (!job->stopped)
        return false;
    for (int s = job->next_step; s < job->plan->nsteps; s++)
        if (job->plan->steps[s].kernel == NULL)
            return false;
    for (int k = 0; k < job->nbufs; k++) {
        const hdi_buf *b = job->bufs[k];
        if (job->plan->use[job->gen[k]].last_write >= job->next_step &&
            (b->held || b->recs > 0 || b->pins > 0 || b->jobs > 1))
            return false;
    }
    return true;
}

static void forget_job(hd_device *dev, hdi_job *job)
{
    for (int s = 0, k = 0; s < job->plan->nsteps; s++) {
        if (job->plan->steps[s].kernel == NULL)
            continue;
        hdi_launch *l = &job->launch[k++];
        l = l->box < l->nboxes && !dev->backend->wraps ? &l->boxes[l->box] : l;
        if (l->progress != NULL)
            dev->backend->forget(dev->state, l);
    }
    finish_job(dev, job);
}

/* Is this kernel launched box by box? */
static bool has_boxes(const hd_device *dev, const hdi_step *step)
{
    return step->wraps && !dev->backend->wraps;
}

/* Kernels of the job that come one after the other, the next one first. */
static int kernels_ahead(const hd_device *dev, const hdi_job *job)
{
    const hdi_exec_plan *plan = job->plan;
    int n = 0;
    while (job->next_step + n < plan->nsteps && plan->steps[job->next_step + n].kernel != NULL &&
           !in_vain(job, job->next_step + n) && !has_boxes(dev, &plan->steps[job->next_step + n]))
        n++;
    return n;
}

static hd_status launch_one(hd_device *dev, const hdi_kernel *k, hdi_launch *l)
{
    return hdi_profiling() ? hdi_profile_launch(dev, k, l) : dev->backend->launch(dev->state, l);
}

static hd_status launch_boxes(hd_device *dev, const hdi_kernel *k, hdi_launch *l)
{
    const hdi_backend *be = dev->backend;
    hd_status status = HD_OK;
    while (l->box < l->nboxes && status == HD_OK) {
        int done = 0;
        if (be->launch_all != NULL && !hdi_profiling()) {
            status = be->launch_all(dev->state, &l->boxes[l->box], l->nboxes - l->box, &done);
        } else {
            status = launch_one(dev, k, &l->boxes[l->box]);
            done = status == HD_OK;
        }
        l->box += done;
    }
    return status;
}

/* The next kernel, or several; *done: how many. */
static hd_status run_kernels(hd_device *dev, hdi_job *job, hdi_launch *next, int *done)
{
    const hdi_backend *be = dev->backend;
    int n = be->launch_all != NULL && !hdi_profiling() ? kernels_ahead(dev, job) : 1;
    hd_status status;
    *done = 0;
    const int64_t began = hdi_work_begin();
    if (n > 1) {
        status = be->launch_all(dev->state, next, n, done);
    } else {
        const hdi_step *step = &job->plan->steps[job->next_step];
        status = has_boxes(dev, step) ? launch_boxes(dev, step->kernel, next)
                                      : launch_one(dev, step->kernel, next);
        *done = status == HD_OK;
    }
    hdi_work_end(began, false);
    return status;
}

static hd_status call_library(hd_device *dev, const hdi_xcall *x)
{
    const hdi_backend *be = dev->backend;
    int turn = 0;
    hd_status status = be->begin_call != NULL ? be->begin_call(dev->state, x, &turn) : HD_OK;
    if (status != HD_OK)
        return status;
    const int64_t began = hdi_work_begin();
    status = hdi_profiling() ? hdi_profile_library(dev, x) : be->library(dev->state, x);
    hdi_work_end(began, status == HD_INTERRUPTED);
    if (be->end_call != NULL)
        be->end_call(dev->state, turn);
    return status;
}

/* Who looks for an error wants it where it comes from: nothing is left to run behind his back. */
static hd_status settle(hd_device *dev)
{
    uint64_t event;
    const int64_t began = hdi_work_begin();
    hd_status status = dev->backend->event_record(dev->state, &event);
    if (status == HD_OK)
        status = dev->backend->event_wait(dev->state, event);
    hdi_work_end(began, false);
    return status;
}

/* Runs the job's steps from where it stands. */
static hd_status run_job(hd_device *dev, hdi_job *job)
{
    const hdi_exec_plan *plan = job->plan;
    hd_status uploads = hdi_run_uploads(dev, job);
    if (HDI_UNLIKELY(uploads != HD_OK))
        return uploads;
    int kernels = 0;
    for (int s = 0; s < job->next_step; s++)
        kernels += plan->steps[s].kernel != NULL;
    while (job->next_step < plan->nsteps) {
        hd_status status;
        int done = 1;
        if (in_vain(job, job->next_step)) {
            kernels += plan->steps[job->next_step].kernel != NULL;
            status = HD_OK;
        } else if (plan->steps[job->next_step].kernel != NULL) {
            status = run_kernels(dev, job, &job->launch[kernels], &done);
            kernels += done;
        } else {
            status = call_library(dev, &job->call[job->next_step - kernels]);
            done = status == HD_OK;
        }
        if (HDI_UNLIKELY(hdi_watched.debug) && status == HD_OK)
            status = settle(dev);
        job->next_step += done;
        if (status != HD_OK)
            return status;
    }
    return HD_OK;
}

/* Layouts that only finished work used can go, once nothing is pending anywhere. */
static void trim_layouts(void)
{
    int n;
    bool idle = true;
    hdi_lock();
    hd_device *devs = hdi_devices(&n);
    for (int d = 0; d < n; d++)
        idle = idle && hdi_windows_pending(&devs[d]) == 0 && hdi_lanes_idle(&devs[d]);
    if (idle)
        hdi_layouts_trim();
    hdi_unlock();
}

/* run_job() with its own error in *why; an error that this thread has not taken yet stays as it
 * was. That it was stopped is for hdi_drain() to tell. */
static hd_status run_apart(hd_device *dev, hdi_job *job, hd_error *why)
{
    hd_error earlier;
    bool had = hd_error_peek()->code != HD_OK;
    if (HDI_UNLIKELY(had))
        hd_error_take(&earlier);
    const hdi_backend *be = dev->backend;
    bool watched = job->watcher != NULL && dev->tells_faults;
    if (HDI_UNLIKELY(watched))
        be->watch(dev->state, true);
    hd_status status = run_job(dev, job);
    if (HDI_UNLIKELY(watched))
        hdi_faults_add(job, be->watch(dev->state, false));
    if (HDI_UNLIKELY(status != HD_OK)) {
        hdi_fail(status, "%s", hd_status_text(status));   /* unless the back end said more */
        *why = *hd_error_peek();
    }
    /* What values do not allow is for those to hear who want the result, and it stands there: this
     * thread may be running the work of another one. */
    if (HDI_UNLIKELY(had || status == HD_LINALG || status == HD_NOMEM ||
                     status == HD_INTERRUPTED))
        hd_error_take(NULL);
    if (HDI_UNLIKELY(had))
        hdi_error_set(&earlier);
    return status;
}

/* A job without scratch memory: once more, now that what was kept for reuse is given back. Jobs of
 * other lanes may be running meanwhile. */
static bool try_again(hd_device *dev, hdi_job *job)
{
    if (job->again)
        return false;
    dev->backend->trim(dev->state);
    return job->again = true;
}

/* The job's next step failed: what it writes fails, for those who read it, and the job goes on.
 * Returns what whoever runs it has to hear. This thread may be running the work of others: that
 * memory is lacking, or that values do not allow it, stands in what they read. But who writes to
 * shared memory (rule M9) waits for just that, and is told by the call. Under the lock. */
static hd_status fail_next(hd_device *dev, hdi_job *job, hd_status status, const hd_error *why)
{
    bool shared = false;
    int s = job->next_step++;
    job->again = false;
    fail_step(job, s, why, status == HD_NOMEM);
    fail_readers(job);
    for (int k = 0; k < job->plan->steps[s].ntouched && !shared; k++) {
        name n = name_at(job, s, k);
        shared = n.b != NULL && n.written && n.b->pins > 0;
    }
    if (status == HD_NOMEM)
        hdi_give_up_noted(dev, why);
    if (status == HD_NOMEM && shared)
        hdi_error_set(why);
    return status == HD_LINALG || (status == HD_NOMEM && !shared) ? HD_OK : status;
}

/* ---- running the queue ----------------------------------------------------------------------- */

/* Work in a drain from which on a signal may well come meanwhile: about a millisecond of it. */
enum { ALERT_WORK = 1 << 22 };

typedef struct drain {
    uint64_t need;             /* a job of another lane that is to run as well, as hdi_buf.wrote */
    bool all;                  /* all that was submitted is to run */
    hdi_lane *own;             /* this thread's, NULL before the first look */
    bool resting;              /* it was when this began, and so it stays */
    hdi_lane *held;            /* whose `running` this thread has */
    hdi_lane *busy;            /* another thread runs what must run next */
    hd_status first;           /* the first failure of a job */
    int64_t since;             /* work since the host was last asked whether it wants this thread */
    bool crowded;
    bool deleters;             /* foreign deleters are to be run */
} drain;

/* Is it time to ask the host, or to tell it that it will be asked? Between two jobs. */
static bool wants_attention(hd_device *dev, const hdi_job *job, drain *d)
{
    if (HDI_LIKELY(d->since <= ALERT_WORK && job->work <= ALERT_WORK))
        return false;
    bool first = hdi_needs_alert(dev);
    if (!first && d->since <= ALERT_WORK)
        return false;
    if (!first) {
        d->since = 0;
        hdi_let_others_run();
        if (!hdi_poll_interrupt())
            return false;
    }
    d->since = 0;
    return true;
}

static void let_go(drain *d)
{
    if (d->held != NULL)
        pthread_mutex_unlock(&d->held->running);
    d->held = NULL;
}

/* This thread holds the lane afterwards, or another one does: d->busy. Under the lock. */
static bool take(drain *d, hdi_lane *lane)
{
    if (HDI_LIKELY(d->held == lane))
        return true;
    let_go(d);
    if (pthread_mutex_trylock(&lane->running) == 0)
        d->held = lane;
    else
        d->busy = lane;
    return d->held != NULL;
}

/* The lane whose first job is next; what nobody wants any more is gone. NULL: all has run, or
 * d->busy. Under the lock. */
static hdi_lane *next_lane(hd_device *dev, drain *d)
{
    if (d->own == NULL) {
        d->own = hdi_lane_here(dev);
        d->resting = d->own->resting;
    }
    hdi_lane *own = d->resting ? NULL : d->own;
    d->busy = NULL;
    for (;;) {
        bool all = d->all || dev->starved;   /* memory may come free */
        hdi_lane *lane = hdi_lane_next(dev, own, d->need, all);
        if (lane == NULL && HDI_UNLIKELY(hdi_relieve(dev)))
            continue;
        if (lane == NULL || !take(d, lane))
            return NULL;
        if (!abandoned(lane->first))
            return lane;
        forget_job(dev, lane->first);
    }
}

/* The job to run next. NULL: all has run, or another thread is at what comes next. */
static hdi_job *next_job(hd_device *dev, drain *d)
{
    hdi_lock();
    d->crowded = hdi_layouts_crowded();
    hdi_lane *lane = next_lane(dev, d);
    hdi_job *job = lane != NULL ? lane->first : NULL;
    if (job != NULL)
        fail_readers(job);
    else if (d->busy == NULL)   /* it may have been asked for to report faults only */
        set_resting(dev, d->own, d->own->resting);
    d->deleters = hdi_deleters_waiting;
    hdi_unlock();
    return job;
}

static void rest(hd_device *dev, hdi_lane *lane)
{
    hdi_lock();
    set_resting(dev, lane, true);
    hdi_unlock();
}

/* Without the lock; this thread holds the job's lane. */
static hd_status run_one(hd_device *dev, hdi_job *job, drain *d)
{
    hd_error why;
    hdi_lane *lane = job->lane;
    if (wants_attention(dev, job, d)) {
        rest(dev, lane);
        return HD_INTERRUPTED;
    }
    if (job->work > HDI_LONG_JOB)
        hdi_let_others_run();
    hd_status status = run_apart(dev, job, &why);
    if (HDI_UNLIKELY(status == HD_NOMEM) && try_again(dev, job))
        return HD_OK;
    d->since += job->work;
    job->stopped = status == HD_INTERRUPTED;
    if (status == HD_INTERRUPTED) {
        rest(dev, lane);
        return status;
    }
    hdi_lock();   /* allowed: it knows the queue only */
    if (HDI_UNLIKELY(status != HD_OK)) {
        status = fail_next(dev, job, status, &why);
        d->first = d->first != HD_OK ? d->first : status;
    }
    if (job->next_step >= job->plan->nsteps)
        finish_job(dev, job);
    hdi_unlock();
    return HD_OK;
}

/* Until no job is left; HD_INTERRUPTED: the host wants this thread, or shall be told that it takes
 * long. *stopped: it has had enough while this thread waited for another one. */
static hd_status run_queue(hd_device *dev, drain *d, bool *stopped)
{
    hd_status status = HD_OK;
    *stopped = false;
    while (status == HD_OK) {
        hdi_job *job = next_job(dev, d);
        if (job != NULL) {
            status = run_one(dev, job, d);
        } else if (d->busy != NULL) {
            status = hdi_wait_for_queue(&d->busy->running);
            *stopped = status != HD_OK;
            d->held = status == HD_OK ? d->busy : NULL;
        } else {
            break;
        }
    }
    if (HDI_UNLIKELY(d->crowded) && !*stopped)
        trim_layouts();
    let_go(d);
    return status;
}

/* This thread goes while jobs are left that would tell it of faults: nobody waits for these. */
static void forget_watchers(hd_device *dev)
{
    bool any = false;
    hdi_lock();
    hdi_lane *own = hdi_lane_here(dev);
    for (const hdi_job *j = own->first; j != NULL; j = j->next)
        any |= j->watcher != NULL;
    hdi_unlock();
    if (!any)
        return;
    pthread_mutex_lock(&own->running);
    hdi_lock();   /* allowed: it knows the queue only */
    for (hdi_job *j = own->first; j != NULL; j = j->next)
        j->watcher = NULL;
    hdi_unlock();
    pthread_mutex_unlock(&own->running);
}

/* The host has this thread; HD_OK: it gives it back for what is left to do. */
static hd_status attend(hd_device *dev)
{
    hd_status status = hdi_attend();
    if (status == HD_OK) {
        hdi_lock();
        hdi_resume(dev);
        hdi_unlock();
    }
    return status;
}

static hd_status drain_until(hd_device *dev, uint64_t need, bool all)
{
    drain d = {.need = need, .all = all, .first = HD_OK};
    hd_status status;
    bool stopped;
    do
        status = run_queue(dev, &d, &stopped);
    while (status == HD_INTERRUPTED && !stopped && (status = attend(dev)) == HD_OK);
    hdi_come_back();
    if (HDI_UNLIKELY(!dev->host_memory))
        hdi_bring_wanted(dev);
    if (HDI_UNLIKELY(d.deleters)) {
        hdi_lock();
        hdi_leave();
    }
    if (HDI_UNLIKELY(status != HD_OK)) {
        hdi_fail(status, "%s", hd_status_text(status));
        d.first = d.first != HD_OK ? d.first : status;
        forget_watchers(dev);
    }
    hd_status faults = hdi_faults_report();
    return d.first != HD_OK ? d.first : faults;
}

hd_status hdi_drain(hd_device *dev)
{
    return drain_until(dev, 0, false);
}

hd_status hdi_drain_for(hd_device *dev, uint64_t wrote)
{
    return drain_until(dev, wrote, false);
}

hd_status hdi_drain_all(hd_device *dev)
{
    return drain_until(dev, 0, true);
}
