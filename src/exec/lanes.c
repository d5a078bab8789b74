/* SPDX-License-Identifier: BSD-3-Clause */
/* lanes.c - see lanes.h. */
#include "exec/lanes.h"

#include "base/alloc.h"
#include "base/lock.h"
#include "window/windows.h"

#define JOB_NUMBER (((uint64_t)1 << HDI_LANE_SHIFT) - 1)
#define READ_BY_MANY UINT64_MAX   /* hdi_buf.read: jobs of several lanes */

static int lane_of(uint64_t use)
{
    return (int)(use >> HDI_LANE_SHIFT);
}

bool hdi_lane_finished(const hd_device *dev, uint64_t use)
{
    return dev->queue->lane[lane_of(use)]->done >= (use & JOB_NUMBER);
}

/* NULL: no memory. */
static hdi_lane *add_lane(hdi_queue *q)
{
    const size_t places = sizeof(hdi_lane *) * (size_t)q->nlanes;
    hdi_lane *lane = hdi_calloc(sizeof *lane);
    hdi_lane **list =
        lane != NULL ? hdi_realloc(q->lane, places, places + sizeof *list) : NULL;
    if (list == NULL) {
        hdi_free(lane, sizeof *lane);
        return NULL;
    }
    pthread_mutex_init(&lane->running, NULL);
    lane->number = q->nlanes;
    q->lane = list;
    q->lane[q->nlanes++] = lane;
    return lane;
}

hd_status hdi_lanes_open(hd_device *dev)
{
    return add_lane(dev->queue) != NULL
               ? HD_OK
               : hdi_fail(HD_NOMEM, "out of memory for device %s", dev->name);
}

hdi_lane *hdi_lane_here(hd_device *dev)
{
    hdi_queue *q = dev->queue;
    const int number = dev->backend->parallel ? hdi_window_of(dev)->number : 0;
    while (HDI_UNLIKELY(q->nlanes <= number))
        if (add_lane(q) == NULL)
            return q->lane[0];
    return q->lane[number];
}

/* ---- what waits for what --------------------------------------------------------------------- */

static void wait_for(const hd_device *dev, hdi_job *job, uint64_t use)
{
    if (hdi_lane_finished(dev, use) || lane_of(use) == job->lane->number)
        return;
    for (int k = 0; k < job->nafter; k++)
        if (lane_of(job->after[k]) == lane_of(use)) {
            job->after[k] = job->after[k] > use ? job->after[k] : use;
            return;
        }
    if (job->nafter == HDI_AFTER_MOST)
        job->after_all = true;
    else
        job->after[job->nafter++] = use;
}

void hdi_lane_uses_too(hd_device *dev, hdi_job *job, hdi_buf *b, bool written)
{
    const uint64_t use = hdi_lane_use(job);
    if (HDI_UNLIKELY(b->pins > 0)) {   /* others may have other generations in the same memory */
        wait_for(dev, job, dev->queue->shared);
        dev->queue->shared = use;
    }
    if (b->jobs == 0)
        b->wrote = b->read = 0;
    wait_for(dev, job, b->wrote);
    if (written && b->read == READ_BY_MANY)
        job->after_all = true;
    else if (written)
        wait_for(dev, job, b->read);
    if (written) {
        b->wrote = use;
        b->read = 0;
    } else if (b->read != READ_BY_MANY) {
        bool many = lane_of(b->read) != lane_of(use) && !hdi_lane_finished(dev, b->read);
        b->read = many ? READ_BY_MANY : use;
    }
}

/* A lane with an earlier job that this one waits for, or NULL. */
static hdi_lane *waits_for(const hd_device *dev, const hdi_job *job)
{
    const hdi_queue *q = dev->queue;
    for (int k = 0; k < job->nafter; k++)
        if (!hdi_lane_finished(dev, job->after[k]))
            return q->lane[lane_of(job->after[k])];
    for (int k = 0; k < q->nlanes && job->after_all; k++)
        if (q->lane[k]->first != NULL && q->lane[k]->first->number < job->number)
            return q->lane[k];
    return NULL;
}

hdi_lane *hdi_lane_next(const hd_device *dev, hdi_lane *own, uint64_t need, bool all)
{
    const hdi_queue *q = dev->queue;
    hdi_lane *lane = own != NULL && own->first != NULL ? own : NULL;
    if (lane == NULL && !hdi_lane_finished(dev, need))
        lane = q->lane[lane_of(need)];
    for (int k = 0; k < q->nlanes && all && lane == NULL; k++)
        lane = q->lane[k]->first != NULL ? q->lane[k] : NULL;
    /* the numbers of the first jobs go down on the way: it ends */
    for (hdi_lane *before = lane; before != NULL; before = waits_for(dev, lane->first))
        lane = before;
    return lane;
}

/* ---- all lanes ------------------------------------------------------------------------------- */

bool hdi_lanes_idle(const hd_device *dev)
{
    return hdi_lane_next(dev, NULL, 0, true) == NULL;
}

void hdi_lanes_update(hd_device *dev)
{
    bool queued = dev->starved;
    for (int k = 0; k < dev->nwindows && !queued; k++)
        queued = dev->windows[k]->queued;
    dev->queued = queued;
}

static _Thread_local char holder;   /* its address is the thread's name */

static hdi_lane *not_held(const hd_device *dev)
{
    const hdi_queue *q = dev->queue;
    for (int k = 0; k < q->nlanes; k++)
        if (q->lane[k]->holder != &holder)
            return q->lane[k];
    return NULL;
}

bool hdi_lanes_held(const hd_device *dev)
{
    return not_held(dev) == NULL;
}

void hdi_lanes_hold(hd_device *dev)
{
    hdi_lane *lane;
    hdi_lock();
    while ((lane = not_held(dev)) != NULL) {
        hdi_unlock();
        pthread_mutex_lock(&lane->running);
        hdi_lock();   /* allowed: it looks at the number of lanes again */
        lane->holder = &holder;
    }
    hdi_unlock();
}

void hdi_lanes_let_go(hd_device *dev)
{
    const hdi_queue *q = dev->queue;
    hdi_lock();
    for (int k = 0; k < q->nlanes; k++)
        if (q->lane[k]->holder == &holder) {
            q->lane[k]->holder = NULL;
            pthread_mutex_unlock(&q->lane[k]->running);
        }
    hdi_unlock();
}
