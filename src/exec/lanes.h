/* SPDX-License-Identifier: BSD-3-Clause */
/* lanes.h - the jobs of a device in queues, one for each thread that submits where the back end can
 * run several jobs at a time, and which job may run next.
 * Owns       hdi_lane, hdi_queue
 * Invariant  jobs of a lane run in the order of their numbers. A job waits for those of lower
 *            numbers in other lanes that write to what it names, or name what it writes to: so the
 *            job with the lowest number of all waits for none
 * Threads    under the library's lock, but for `running`. Who runs a job holds its lane's; nobody
 *            waits for a lane while he holds another one
 * Start at   hdi_lane_here(), hdi_lane_next()
 * See        docs/design/window.md, Streams */
#ifndef HDI_LANES_H
#define HDI_LANES_H

#include <pthread.h>

#include "exec/exec.h"

typedef struct hdi_lane {
    pthread_mutex_t running;    /* held by the thread that runs the first job */
    hdi_job *first, *last;
    /* the first job was interrupted: a demand or new work goes on with it, recording does not */
    bool resting;
    hdi_job *spare;             /* a finished job's block for the next one */
    int number;
    uint64_t done;              /* number of the job that finished last */
    const void *holder;         /* hdi_lanes_hold() */
} hdi_lane;

typedef struct hdi_queue {
    hdi_lane **lane;            /* by number: that of the window whose thread submits there */
    int nlanes;
    /* an event of the device and when it was on the host's clock; 0: none (profile.c) */
    uintptr_t base_mark;
    int64_t base_at;
    uint64_t shared;            /* the last job with shared memory (rule M9), as hdi_buf.wrote */
    /* records that could not run for want of memory, so far, and why the last one could not */
    int64_t ngiven_up;
    hd_error given_up;
    /* scratch of the next submission, made with the device: that lacks no memory for it. Under the
     * library's lock, as whatever else is planned for the device */
    hdi_submission *submission;
} hdi_queue;

/* hdi_lanes_open - the first lane of dev. hdi_lane_here - the one that the calling thread submits
 * to: its own, or the first one where there is no other, or no memory for it. */
hd_status hdi_lanes_open(hd_device *dev);
hdi_lane *hdi_lane_here(hd_device *dev);
/* Uses of a generation by jobs (hdi_buf.wrote, .read): the number of the job's lane above, that of
 * the job below; 0: none. Jobs of a lane finish in order, so that no list of them is needed. */
enum { HDI_LANE_SHIFT = 48 };
static inline uint64_t hdi_lane_use(const hdi_job *job)
{
    return (uint64_t)job->lane->number << HDI_LANE_SHIFT | job->number;
}
/* hdi_lane_uses - job, about to be queued, names b. Before b->jobs is counted. */
void hdi_lane_uses_too(hd_device *dev, hdi_job *job, hdi_buf *b, bool written);
static inline void hdi_lane_uses(hd_device *dev, hdi_job *job, hdi_buf *b, bool written)
{
    if (HDI_UNLIKELY((b->jobs | b->pins) != 0)) {
        hdi_lane_uses_too(dev, job, b, written);
        return;
    }
    b->wrote = written ? hdi_lane_use(job) : 0;
    b->read = written ? 0 : hdi_lane_use(job);
}
/* hdi_lane_used - job has finished: b names it no more, since its structure may be another
 * device's generation next. */
static inline void hdi_lane_used(const hdi_job *job, hdi_buf *b)
{
    if (b->wrote == hdi_lane_use(job))
        b->wrote = 0;
    if (b->read == hdi_lane_use(job) || b->jobs == 0)
        b->read = 0;
}
/* hdi_lane_finished - has the job of that use run? */
bool hdi_lane_finished(const hd_device *dev, uint64_t use);
/* hdi_lane_next - the lane whose first job is to run next so that own (NULL: not that) will be
 * empty, the job `need` will have run, and, if `all`, everything; NULL: nothing is left to do. */
hdi_lane *hdi_lane_next(const hd_device *dev, hdi_lane *own, uint64_t need, bool all);
/* hdi_lanes_idle - no job is left. hdi_lanes_update - dev->queued after a change. */
bool hdi_lanes_idle(const hd_device *dev);
void hdi_lanes_update(hd_device *dev);
/* hdi_lanes_hold - nothing runs on dev until hdi_lanes_let_go(). Without the lock. */
HDI_AWAY void hdi_lanes_hold(hd_device *dev);
void hdi_lanes_let_go(hd_device *dev);
/* hdi_lanes_held - does this thread hold all of them? Under the lock. */
bool hdi_lanes_held(const hd_device *dev);

#endif
