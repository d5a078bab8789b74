/* SPDX-License-Identifier: BSD-3-Clause */
/* windows.c - which window a thread records in, and what happens when an operation names memory
 * that another window has accesses of. */
#include "window/windows.h"

#include <pthread.h>
#include <stdalign.h>

#include "base/alloc.h"
#include "window/append.h"
#include "window/tape.h"

_Thread_local hdi_here hdi_window_here __attribute__((tls_model("initial-exec")));

static hdi_window *every;     /* of all devices */

void hdi_watchers_changed(void)
{
    hdi_watched.any = hdi_watched.threads > 0 || hdi_watched.wanted != NULL || hdi_watched.debug;
    for (hdi_window *w = every; w != NULL; w = w->other)
        w->special = (w->special & ~(unsigned)HDI_WATCHED) | (hdi_watched.any ? HDI_WATCHED : 0);
}

/* ---- a window for each thread ---------------------------------------------------------------- */

static pthread_key_t key;     /* the windows of a thread, so that its end is noticed */
static bool has_key;

/* What is pending is submitted by whoever comes next, as what was starved is: a thread that ends
 * runs nothing any more. Under the lock. */
static void abandon(hdi_window *w)
{
    hdi_tape_drop(w);
    w->owner = NULL;
    w->mine = NULL;
    if (w->pending > 0)
        w->starved = w->dev->starved = w->dev->queued = true;
}

static void thread_ends(void *windows)
{
    hdi_lock();
    for (hdi_window *w = windows, *next; w != NULL; w = next) {
        next = w->mine;
        abandon(w);
    }
    hdi_window_here = (hdi_here){NULL, NULL};
    hdi_watched.threads -= hdi_watching.asked != 0;
    hdi_watching.asked = 0;
    hdi_watchers_changed();
    hdi_unlock();
}

/* What hd_set_fusion() says holds for all of a device's windows. */
static void take_settings(hdi_window *w, const hdi_window *from)
{
    w->fusion = from->fusion;
    w->records_all = from->records_all;
    w->small = hdi_tape_small(from);
    w->run_small = from->run_small;
}

/* NULL: no memory. */
static hdi_window *window_new(hd_device *dev)
{
    const size_t places = sizeof(hdi_window *) * (size_t)dev->nwindows;
    /* never freed; the records begin at lines of the cache */
    const size_t bytes = sizeof(hdi_window) + alignof(hdi_window);
    uint8_t *block = dev->nwindows < HDI_WINDOWS_MOST ? hdi_calloc(bytes) : NULL;
    hdi_window **list = NULL;
    if (block != NULL)
        list = hdi_realloc(dev->windows, places, places + sizeof *list);
    if (list == NULL) {
        hdi_free(block, bytes);
        return NULL;
    }
    hdi_window *w = (void *)(block + (-(uintptr_t)block & (alignof(hdi_window) - 1)));
    w->dev = dev;
    w->number = dev->nwindows;
    w->next = w->head = ((uint64_t)w->number << HDI_WINDOW_SHIFT) + HDI_RING;
    w->fusion = true;
    w->small = -1;
    if (dev->nwindows > 0)
        take_settings(w, list[0]);
    dev->windows = list;
    dev->windows[dev->nwindows++] = w;
    w->other = every;
    every = w;
    for (int k = 0; k < dev->nwindows && dev->nwindows > 1; k++)
        dev->windows[k]->special |= HDI_BESIDE;
    hdi_watchers_changed();
    return w;
}

hd_status hdi_windows_open(hd_device *dev)
{
    hdi_unread = hdi_drop_writer;
    has_key = has_key || pthread_key_create(&key, thread_ends) == 0;
    return window_new(dev) != NULL ? HD_OK
                                   : hdi_fail(HD_NOMEM, "out of memory for the window of device %s",
                                              dev->name);
}

/* A window that nobody records in, or a new one; NULL: there is none. */
static hdi_window *free_window(hd_device *dev)
{
    for (int k = 0; k < dev->nwindows; k++)
        if (dev->windows[k]->owner == NULL)
            return dev->windows[k];
    return window_new(dev);
}

static hdi_window *own_window(hd_device *dev)
{
    for (int k = 0; k < dev->nwindows; k++)
        if (dev->windows[k]->owner == &hdi_window_here)
            return dev->windows[k];
    hdi_window *w = has_key ? free_window(dev) : NULL;
    hdi_window *before = w != NULL ? pthread_getspecific(key) : NULL;
    if (w == NULL || pthread_setspecific(key, w) != 0)
        return NULL;
    w->owner = &hdi_window_here;
    w->mine = before;
    return w;
}

hdi_window *hdi_window_find(hd_device *dev)
{
    hdi_window *w = own_window(dev);
    if (w == NULL)
        return dev->windows[0];
    hdi_window_here = (hdi_here){dev, w};
    return w;
}

void hdi_windows_after_fork(hd_device *dev)
{
    for (int k = 0; k < dev->nwindows; k++)
        if (dev->windows[k]->owner != &hdi_window_here && dev->windows[k]->owner != NULL)
            abandon(dev->windows[k]);
}

/* ---- memory that several threads name -------------------------------------------------------- */

/* Submits what writes to b in w, and what reads it there if `readers`. */
static hd_status submit_uses(hdi_window *w, const hdi_buf *b, bool readers)
{
    hdi_chunk c;
    hdi_window_drop_dead(w);
    hdi_window_closure(w, b, &c);
    if (readers)
        hdi_window_join_readers(w, b, &c);
    w->small_run = 0;
    return c.n > 0 ? hdi_runner->submit(w->dev, &c) : HD_OK;
}

hd_status hdi_windows_settle(hdi_buf *b)
{
    hd_status status = HD_OK;
    if (b->writes > 0)
        return submit_uses(hdi_window_with(b->dev, b->write_link), b, true);
    for (int k = 0; k < b->dev->nwindows && b->recs > 0 && status == HD_OK; k++)
        if (b->dev->windows[k]->pending > 0)
            status = submit_uses(b->dev->windows[k], b, true);
    return status;
}

/* Does another window have accesses of b that must come before this one? */
static bool waits_elsewhere(const hdi_window *w, const hdi_buf *b, bool write)
{
    if (b->writes > 0)
        return hdi_window_number(b->write_link) != w->number;
    return write && b->recs > 0 &&
           (b->several || hdi_window_number(b->read_link) != w->number);
}

/* The operands of r stay, and what is submitted leaves them in memory. */
static void hold(const hdi_record *r, int by)
{
    for (int i = 0; i < hdi_record_slots(r); i++) {
        const hdi_record *slot = hdi_record_slot(r, i);
        for (int k = 0; k <= slot->nin; k++)
            if (slot->kind[k] == HDI_ARRAY)
                slot->operand[k].buf->held += by;
    }
}

static hd_status submit_before(hdi_window *w, const hdi_record *r)
{
    hd_status status = HD_OK;
    for (int k = 0; k <= r->nin && status == HD_OK; k++) {
        hdi_buf *b = r->operand[k].buf;
        if (r->kind[k] == HDI_ARRAY && waits_elsewhere(w, b, k == 0))
            status = k == 0 ? hdi_windows_settle(b) : hdi_window_demand(b);
    }
    return status;
}

/* first: of r's operation. */
static hd_status slot_meets(hdi_window *w, const hdi_record *first, const hdi_record *r)
{
    bool waits = false;
    for (int k = 0; k <= r->nin; k++) {
        hdi_buf *b = r->operand[k].buf;
        if (r->kind[k] != HDI_ARRAY)
            continue;
        b->several &= b->recs > 0;
        waits |= waits_elsewhere(w, b, k == 0);
    }
    hd_status status = HD_OK;
    if (HDI_UNLIKELY(waits)) {
        hold(first, 1);
        status = submit_before(w, r);
        hold(first, -1);
    }
    for (int k = 1; k <= r->nin; k++) {
        hdi_buf *b = r->operand[k].buf;
        if (r->kind[k] == HDI_ARRAY && b->recs > 0 && b->writes == 0 &&
            hdi_window_number(b->read_link) != w->number)
            b->several = true;
    }
    return status;
}

hd_status hdi_meet_windows(hdi_window *w, const hdi_record *r)
{
    hd_status status = slot_meets(w, r, r);
    for (int i = 1; i < hdi_record_slots(r) && status == HD_OK; i++)
        status = slot_meets(w, r, hdi_record_slot(r, i));
    return status;
}

/* ---- all windows of a device ----------------------------------------------------------------- */

void hdi_windows_flush(hd_device *dev)
{
    for (int k = 0; k < dev->nwindows; k++)
        hdi_window_flush(dev->windows[k]);
}

void hdi_windows_retire(hdi_window *w, int64_t bound)
{
    const int n = w->dev->nwindows;
    for (int k = 0; k < n && hdi_memory_bytes.window_only > bound; k++) {
        hdi_window *v = w->dev->windows[(w->number + k) % n];
        if (v->pending > 0 && !v->starved)
            hdi_window_retire(v, 1, v->pending);
    }
}

int hdi_windows_pending(const hd_device *dev)
{
    int pending = 0;
    for (int k = 0; k < dev->nwindows; k++)
        pending += dev->windows[k]->pending;
    return pending;
}

hdi_window_stats hdi_windows_stats(const hd_device *dev)
{
    hdi_window_stats sum = {0};
    for (int k = 0; k < dev->nwindows; k++) {
        const hdi_window_stats *s = &dev->windows[k]->stats;
        sum.records += s->records;
        sum.pending_peak = hdi_max64(sum.pending_peak,
                                     hdi_max64(s->pending_peak, dev->windows[k]->pending));
        sum.dead += s->dead;
        sum.flushes += s->flushes;
        sum.plans += s->plans;
        sum.plan_hits += s->plan_hits;
        sum.planned_records += s->planned_records;
        sum.kernels += s->kernels;
        sum.kernel_ops += s->kernel_ops;
        sum.programs += s->programs;
        sum.takeovers += s->takeovers;
        sum.temporaries += s->temporaries;
        sum.small += s->small;
    }
    return sum;
}
