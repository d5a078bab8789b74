/* SPDX-License-Identifier: BSD-3-Clause */
/* queue.c - runs the jobs of a device in order: kernels, library calls, what follows when one
 * fails or is interrupted.
 *
 * An interrupted job stays at the head of the queue with its progress; so does one that ran out
 * of scratch memory. The next demand goes on with it. Any other failure marks what the job had
 * still to write as failed: each read of it raises the same error. */
#include "base/alloc.h"
#include "base/lock.h"
#include "exec/exec.h"

bool (*hdi_poll_interrupt)(void);

static hd_wait_hooks hooks;
/* what hooks.release() returned */
static _Thread_local void *released __attribute__((tls_model("initial-exec")));
static _Thread_local bool is_released __attribute__((tls_model("initial-exec")));

void hd_set_wait_hooks(const hd_wait_hooks *h)
{
    hdi_lock();
    if (h != NULL)
        hooks = *h;
    else
        memset(&hooks, 0, sizeof hooks);
    hdi_unlock();
}

static void let_others_run(void)
{
    if (!is_released && hooks.release != NULL) {
        released = hooks.release();
        is_released = true;
    }
}

static void come_back(void)
{
    if (is_released) {
        is_released = false;
        hooks.acquire(released);
    }
}

void hdi_wait_begin(const hd_device *dev)
{
    if (!dev->host_memory)
        let_others_run();
}

void hdi_wait_end(void)
{
    come_back();
}

static bool poll_interrupt(void)
{
    return is_released && hooks.interrupted != NULL && hooks.interrupted(released) != 0;
}

/* A resting queue waits for a demand, or for new work. Under the lock. */
static void set_resting(hd_device *dev, bool resting)
{
    dev->queue->resting = resting;
    dev->queued = dev->queue->first != NULL && !resting;
}

bool hdi_resume(hd_device *dev)
{
    set_resting(dev, false);
    return dev->queued;
}

void hdi_enqueue(hd_device *dev, hdi_job *job)
{
    hdi_queue *q = dev->queue;
    if (q->last != NULL)
        q->last->next = job;
    else
        q->first = job;
    q->last = job;
    set_resting(dev, false);
}

/* The job is over: its memory and its references go. Under the lock. */
static void finish_job(hd_device *dev, hdi_job *job)
{
    hdi_queue *q = dev->queue;
    q->first = job->next;
    if (q->first == NULL)
        q->last = NULL;
    set_resting(dev, q->resting);
    for (int k = 0; k < job->ngarbage; k++)
        dev->free(dev->state, job->garbage[k], job->garbage_bytes[k]);
    for (int k = 0; k < job->nbufs; k++) {
        job->bufs[k]->jobs--;
        hdi_buf_settle(job->bufs[k]);
    }
    job->plan->head.refs--;
    hdi_job_free(dev, job);
}

static void fail_job(hdi_job *job, const hd_error *why)
{
    for (int k = 0; k < job->nbufs; k++)
        if (job->plan->use[job->gen[k]].last_write >= job->next_step)
            hdi_buf_fail(job->bufs[k], why);
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
    for (int s = 0, k = 0; s < job->plan->nsteps; s++)
        if (job->plan->steps[s].kernel != NULL && job->launch[k++].progress != NULL)
            dev->backend->forget(dev->state, &job->launch[k - 1]);
    finish_job(dev, job);
}

/* Kernels of the job that come one after the other, the next one first. */
static int kernels_ahead(const hdi_job *job)
{
    const hdi_exec_plan *plan = job->plan;
    int n = 0;
    while (job->next_step + n < plan->nsteps && plan->steps[job->next_step + n].kernel != NULL)
        n++;
    return n;
}

/* The next kernel, or several; *done: how many. */
static hd_status run_kernels(hd_device *dev, hdi_job *job, hdi_launch *next, int *done)
{
    const hdi_backend *be = dev->backend;
    int n = be->launch_all != NULL ? kernels_ahead(job) : 1;
    *done = 0;
    if (n > 1)
        return be->launch_all(dev->state, next, n, done);
    hd_status status = be->launch(dev->state, next);
    *done = status == HD_OK;
    return status;
}

/* Who looks for an error wants it where it comes from: nothing is left to run behind his back. */
static hd_status settle(hd_device *dev)
{
    uint64_t event;
    hd_status status = dev->backend->event_record(dev->state, &event);
    return status == HD_OK ? dev->backend->event_wait(dev->state, event) : status;
}

/* Runs the job's steps from where it stands. */
static hd_status run_job(hd_device *dev, hdi_job *job)
{
    const hdi_exec_plan *plan = job->plan;
    const hdi_backend *be = dev->backend;
    int kernels = 0;
    for (int s = 0; s < job->next_step; s++)
        kernels += plan->steps[s].kernel != NULL;
    while (job->next_step < plan->nsteps) {
        hd_status status;
        int done = 1;
        if (plan->steps[job->next_step].kernel != NULL) {
            status = run_kernels(dev, job, &job->launch[kernels], &done);
            kernels += done;
        } else {
            status = be->library(dev->state, &job->call[job->next_step - kernels]);
            done = status == HD_OK;
        }
        if (HDI_UNLIKELY(hdi_watching.debug) && status == HD_OK)
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
        idle = idle && devs[d].window->pending == 0 && devs[d].queue->first == NULL;
    if (idle)
        hdi_layouts_trim();
    hdi_unlock();
}

/* run_job() with its own error in *why; an error that this thread has not taken yet stays as it
 * was. */
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
    if (HDI_UNLIKELY(had || status == HD_LINALG))
        hd_error_take(NULL);
    if (HDI_UNLIKELY(had))
        hdi_error_set(&earlier);
    return status;
}

/* Why a job that was queued behind a failed one cannot run; NULL if it can. Under the lock. */
static const hd_error *poisoned(const hdi_job *job)
{
    if (HDI_LIKELY(hdi_failed_bufs == 0) || job->next_step > 0)
        return NULL;
    for (int k = 0; k < job->nbufs; k++)
        if (job->bufs[k]->error != NULL)
            return job->bufs[k]->error;
    return NULL;
}

/* work above which other threads of the host program may run meanwhile */
enum { LONG_JOB = 1 << 18 };

hd_status hdi_drain(hd_device *dev)
{
    hdi_queue *q = dev->queue;
    hd_status first = HD_OK;
    bool crowded = false;
    if (pthread_mutex_trylock(&q->running) != 0) {
        let_others_run();
        pthread_mutex_lock(&q->running);
    }
    for (;;) {
        hdi_lock();
        crowded = hdi_layouts_crowded();
        while (q->first != NULL && abandoned(q->first))
            forget_job(dev, q->first);
        hdi_job *job = q->first;
        const hd_error *poison = job != NULL ? poisoned(job) : NULL;
        if (HDI_UNLIKELY(poison != NULL)) {
            hd_error why = *poison;   /* the job may hold the last reference to it */
            fail_job(job, &why);
            finish_job(dev, job);
            hdi_leave();
            continue;
        }
        if (job == NULL)
            set_resting(dev, q->resting);   /* it may have been asked for to report faults only */
        hdi_unlock();
        if (job == NULL)
            break;
        if (job->work > LONG_JOB)
            let_others_run();
        hd_error why;
        hd_status status = run_apart(dev, job, &why);
        first = first != HD_OK || status == HD_LINALG ? first : status;
        job->stopped = status == HD_INTERRUPTED;
        hdi_lock();
        if (status == HD_INTERRUPTED || status == HD_NOMEM) {
            set_resting(dev, true);
            for (hdi_job *j = q->first; j != NULL; j = j->next)
                j->watcher = NULL;   /* a thread that may be gone when they go on */
            hdi_unlock();
            break;
        }
        if (status != HD_OK)
            fail_job(job, &why);
        finish_job(dev, job);
        hdi_leave();
    }
    if (HDI_UNLIKELY(crowded))
        trim_layouts();
    pthread_mutex_unlock(&q->running);
    come_back();
    hd_status faults = hdi_faults_report();
    return first != HD_OK ? first : faults;
}

void hdi_queue_install(void)
{
    hdi_poll_interrupt = poll_interrupt;
}
