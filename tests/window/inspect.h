/* SPDX-License-Identifier: BSD-3-Clause */
/* inspect.h - looks into the window of the null device: what is pending, which edges it has, how
 * it would be planned.
 * Threads    one; the tests below have the device to themselves
 * Start at   begin_null(), pending(), plan_pending() */
#ifndef HEDDLE_TESTS_INSPECT_H
#define HEDDLE_TESTS_INSPECT_H

#include "base/lock.h"
#include "fuse/lower.h"
#include "support.h"
#include "window/canon.h"

/* Makes null the current device, with nothing pending on it. */
static inline hd_device *begin_null(void)
{
    hd_device *dev = hd_device_get("null");
    hd_device_set_current(dev);
    hd_synchronize(dev);
    hd_error_take(NULL);
    return dev;
}

/* The same, and what the window submits goes by way of `submit`, until end_submitting() is given
 * what this returns: what runs it. */
static inline const hdi_runner_table *begin_submitting(hd_status (*submit)(hd_device *,
                                                                           hdi_chunk *))
{
    static hdi_runner_table table;
    begin_null();
    hdi_lock();
    const hdi_runner_table *real = hdi_runner;
    table = *real;
    table.submit = submit;
    hdi_runner = &table;
    hdi_unlock();
    return real;
}

static inline void end_submitting(const hdi_runner_table *real)
{
    CHECK(hd_synchronize(NULL) == HD_OK);
    hdi_lock();
    hdi_runner = real;
    hdi_unlock();
}

/* Everything pending, in order; dead records are dropped first if asked. The answer lives until
 * the next call. */
static inline hdi_chunk *pending(bool drop_dead)
{
    static hdi_chunk c;
    hdi_window *w = hdi_window_of(hd_device_current());
    hdi_lock();
    if (drop_dead)
        hdi_window_drop_dead(w);
    c.window = w;
    c.n = 0;
    for (uint64_t s = w->next > HDI_RING ? w->next - HDI_RING : 0; s < w->next; s++) {
        hdi_record *r = hdi_window_at(w, s);
        if (r->pending && r->seq == s)
            c.record[c.n++] = r;
    }
    hdi_unlock();
    return &c;
}

/* Verdict of the edge from record `to` back to record `from` of the chunk; HDI_DISJOINT if there
 * is none. */
static inline hdi_verdict edge(const hdi_chunk *c, int from, int to)
{
    const hdi_record *r = c->record[to];
    for (int k = 0; k < r->nedges; k++)
        if (r->seq - hdi_record_edge(r, k).back == c->record[from]->seq)
            return (hdi_verdict)hdi_record_edge(r, k).verdict;
    return HDI_DISJOINT;
}

/* The plan of a chunk, as submit() would make it. The caller holds the lock, or is alone. */
typedef hdi_planning planned;

static inline planned *plan_chunk(const hdi_chunk *c)
{
    static planned p;
    hdi_canon_build(&p.canon, c);
    hdi_planning_make(&p);
    return &p;
}

static inline planned *plan_pending(void)
{
    return plan_chunk(pending(true));
}

/* Releases n arrays. */
static inline void drop(int n, hd_array *const *x)
{
    for (int k = 0; k < n; k++)
        hd_release(x[k]);
}
#define DROP(...)                                                              \
    drop((int)(sizeof((hd_array *const[]){__VA_ARGS__}) / sizeof(hd_array *)), \
         (hd_array *const[]){__VA_ARGS__})

static inline void store_number(hd_array *x, int64_t value)
{
    hd_assign_number(x, &(hd_number){.kind = HD_WEAK_INT, .as.i = value, .re = (double)value});
}

/* x[from:to:by] = value */
static inline void store_slice(hd_array *x, int64_t from, int64_t to, int64_t by, int64_t value)
{
    hd_array *v = t_slice(x, SLICE(from, to, by));
    store_number(v, value);
    hd_release(hd_keep(v));
}

/* x[from:to:by] + x[from:to:by] */
static inline hd_array *read_slice(hd_array *x, int64_t from, int64_t to, int64_t by)
{
    hd_array *v = t_slice(x, SLICE(from, to, by)), *y = hd_add(v, v);
    hd_release(hd_keep(v));
    return y;
}

#endif
