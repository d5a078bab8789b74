/* SPDX-License-Identifier: BSD-3-Clause */
/* roll.c - elements moved along axes, those that leave at the end coming in at the front: a copy
 * whose input is a wrapped layout (core/layout.h), so that it fuses with what reads it. */
#include "base/lock.h"
#include "ops/index/again.h"
#include "ops/ops.h"

enum { WRAPPED_AXES_MOST = 6 };   /* each doubles the boxes that a launch is cut into */
/* Elements up to which a CPU copies the parts in less time than it takes to launch boxes: four
 * rolled operands of 50 x 50 float64 take 14 us so, and 17 fused; of 200 x 200 71 and 44. */
enum { PARTS_MOST = 4096 };

/* What is read: a buffer through a layout, from which element on along each of its axes. */
typedef struct source {
    hdi_buf *buf;
    const hdi_layout *lay;
    int64_t off;
    int64_t first[HD_MAXDIM];
} source;

/* Was b written to since e was recorded, or by other windows? */
static bool is_newer(const hdi_window *w, const hdi_buf *b, const hdi_record *e)
{
    return b->writes > 0 &&
           (hdi_window_number(b->write_link) != w->number || b->write_link >> 2 > e->seq);
}

/* An array that was rolled and not computed yet is read where its own elements come from, if these
 * are still there. */
static void look_through(const hdi_window *w, const hd_array *x, source *s)
{
    const hdi_record *e = hdi_maker(x->st->buf);
    if (e == NULL || e->cls != 'e' || !e->wraps)
        return;
    const hdi_operand *made = &e->operand[0], *from = &e->operand[1];
    if (made->lay != x->lay || made->off != x->off || is_newer(w, from->buf, e) ||
        from->lay->nd != x->lay->nd)
        return;
    s->buf = from->buf;
    s->lay = from->lay;
    s->off = from->off;
    for (int a = 0, k = 0; a < x->lay->nd; a++)
        if (x->lay->dims[a] != 1) {
            const int64_t n = x->lay->dims[a], i = s->first[a] + from->lay->wrap[k++];
            s->first[a] = i >= n ? i - n : i;
        }
}

static hd_status record_roll(hd_array *r, const hd_array *x, const int64_t *first)
{
    hdi_window *w = hdi_window_of(hdi_device_of(x));
    source s = {.buf = x->st->buf, .lay = x->lay, .off = x->off};
    memcpy(s.first, first, sizeof *first * (size_t)x->lay->nd);
    hdi_record *e = hdi_record_begin(w, HD_OP_copy, 'e', (hd_dtype)x->dtype, 1);
    if (e == NULL)   /* it may run what was pending */
        return hd_error_peek()->code;
    look_through(w, x, &s);
    const hdi_layout *lay = hdi_layout_wrapped(s.lay, s.first);
    if (lay == NULL)
        return hd_error_peek()->code;
    e->wraps = 1;
    hdi_record_array(e, 0, r, r->lay);
    hdi_record_buffer(e, 1, s.buf, (hd_dtype)x->dtype, lay, s.off);
    e->domain = r->lay;
    return hdi_record_end(w, e);
}

/* The part of x from `first` to before `end` of each axis. */
static hd_array *part_of(const hd_array *x, const int64_t *first, const int64_t *end)
{
    int64_t dims[HD_MAXDIM], off = x->off;
    for (int a = 0; a < x->lay->nd; a++) {
        dims[a] = end[a] - first[a];
        off += first[a] * hdi_layout_strides(x->lay)[a];
    }
    hdi_layout *lay = hdi_layout_get(x->lay->nd, dims, hdi_layout_strides(x->lay), x->lay->item);
    return lay != NULL ? hdi_array_view(x, (hd_dtype)x->dtype, lay, off) : NULL;
}

static hd_status copy_part(hd_array *r, const hd_array *x, const int64_t *to, const int64_t *from,
                           const int64_t *n)
{
    int64_t to_end[HD_MAXDIM], from_end[HD_MAXDIM];
    for (int a = 0; a < x->lay->nd; a++) {
        to_end[a] = to[a] + n[a];
        from_end[a] = from[a] + n[a];
    }
    hd_array *into = part_of(r, to, to_end), *part = part_of(x, from, from_end);
    hd_status status = HD_NOMEM;
    if (into != NULL && part != NULL) {
        hdi_in in = hdi_in_array(part);
        status = hdi_store(into, HD_OP_copy, (hd_dtype)r->dtype, 1, &in);
    }
    if (into != NULL)
        hdi_array_release(into);
    if (part != NULL)
        hdi_array_release(part);
    return status;
}

/* Part by part: what lies before and behind the first element of each axis changes places. */
static hd_status copy_parts(hd_array *r, const hd_array *x, const int64_t *first)
{
    int64_t to[HD_MAXDIM], from[HD_MAXDIM], n[HD_MAXDIM];
    uint64_t moved = 0, front = 0;   /* axes; those of which the front is copied now */
    for (int a = 0; a < x->lay->nd; a++)
        moved |= (uint64_t)(first[a] > 0) << a;
    hd_status status = HD_OK;
    do {
        for (int a = 0; a < x->lay->nd; a++) {
            const bool is_front = front >> a & 1;
            from[a] = is_front ? 0 : first[a];
            to[a] = is_front ? x->lay->dims[a] - first[a] : 0;
            n[a] = is_front ? first[a] : x->lay->dims[a] - first[a];
        }
        status = copy_part(r, x, to, from, n);
        front = (front - moved) & moved;   /* the next subset of the moved axes */
    } while (front != 0 && status == HD_OK);
    return status;
}

static int count_moved(const hd_array *x, const int64_t *first)
{
    int n = 0;
    for (int a = 0; a < x->lay->nd; a++)
        n += first[a] > 0;
    return n;
}

/* Elements up to which parts are copied: none where all work is to be recorded. */
static int64_t parts_most(hd_device *dev)
{
    const int64_t small = hdi_window_of(dev)->small;
    return small >= 0 && dev->host_memory ? hdi_max64(small, PARTS_MOST) : small;
}

static hd_array *roll(const hd_array *x, const int64_t *first)
{
    hd_device *dev = hdi_device_of(x);
    const int moved = count_moved(x, first);
    if (moved == 0)   /* what it shares with x it does until one of them is written to */
        return hdi_copy(x, (hd_dtype)x->dtype, 'K');
    hdi_layout *lay = hdi_layout_like(x->lay, x->lay->item);
    hd_array *r = lay != NULL ? hdi_array_new(dev, (hd_dtype)x->dtype, lay) : NULL;
    if (r == NULL || r->lay->size == 0)
        return r;
    const bool recorded = r->lay->size > parts_most(dev) && x->lay->zmask == 0 &&
                          moved <= WRAPPED_AXES_MOST && !hdi_is_weak(x);
    if ((recorded ? record_roll(r, x, first) : copy_parts(r, x, first)) == HD_OK)
        return r;
    hdi_array_release(r);
    return NULL;
}

/* From which element on axis a is read after it was moved by so many places as well. */
static int64_t moved_by(int64_t first, int64_t shift, int64_t extent)
{
    const int64_t back = shift % extent;   /* of its sign */
    first -= back;
    return first < 0 ? first + extent : first >= extent ? first - extent : first;
}

hd_array *hd_roll(const hd_array *x, int n, const int64_t *shifts, const int *axes)
{
    int64_t first[HD_MAXDIM] = {0}, minus_one = -1;
    if (x == NULL)
        return hdi_null("an array");
    if (n < 0 || (n > 0 && shifts == NULL)) {
        hdi_fail(HD_VALUE, "roll: %d shifts are not given", n);
        return NULL;
    }
    if (axes == NULL && x->lay->nd != 1) {
        hd_array *flat = hd_keep(hd_reshape(x, 1, &minus_one, 'C')),
                 *rolled = flat != NULL ? hd_keep(hd_roll(flat, n, shifts, NULL)) : NULL,
                 *r = rolled != NULL ? hd_reshape(rolled, x->lay->nd, x->lay->dims, 'C') : NULL;
        hd_release(flat);
        hd_release(rolled);
        return r;
    }
    for (int i = 0, a = 0; i < n; i++) {
        if (axes != NULL && hdi_axis(axes[i], x->lay->nd, &a) != HD_OK)
            return NULL;
        if (x->lay->dims[a] > 0)
            first[a] = moved_by(first[a], shifts[i], x->lay->dims[a]);
    }
    hdi_lock();
    return hdi_done(roll(x, first), "roll");
}
