/* SPDX-License-Identifier: BSD-3-Clause */
/* record_ew.h - one elementwise operation from inputs to record, inline: the hottest callers know
 * how many inputs there are and which are arrays, and then a third of it falls away.
 * Threads    under the library's lock
 * Start at   hdi_record_ew(); who is not hot calls hdi_ew()
 * See        docs/design/recording.md */
#ifndef HDI_RECORD_EW_H
#define HDI_RECORD_EW_H

#include "ops/ops.h"
#include "window/append.h"

/* The rest of broadcasting and of setting a number: hdi_broadcast_slow() asks nothing of the
 * inputs, hdi_broadcast_cached() remembers pairs of layouts (a or b may be NULL). */
bool hdi_broadcast_slow(int n, const hdi_in *in, int64_t item, hdi_shapes *s);
bool hdi_broadcast_cached(const hdi_in *in, hdi_layout *a, hdi_layout *b, int n, int64_t item,
                          hdi_shapes *s);
hd_status hdi_set_number(hdi_record *r, hd_op op, int k, hd_dtype want, const hd_number *n);

static inline __attribute__((always_inline)) bool hdi_broadcast_dense(int n, const hdi_in *in,
                                                                      int64_t item, hdi_shapes *s)
{
    if (n > 2)
        return hdi_broadcast_slow(n, in, item, s);
    hdi_layout *a = in[0].x != NULL ? in[0].x->lay : NULL;
    hdi_layout *b = n > 1 && in[1].x != NULL ? in[1].x->lay : NULL;
    hdi_layout *only = a == NULL ? b : a;
    if (HDI_UNLIKELY(only == NULL))
        return hdi_broadcast_slow(n, in, item, s);
    s->out = only;   /* equal dense shapes, or one beside a number */
    s->in[0] = a;
    s->in[1] = b;
    if (HDI_LIKELY(only->c_contiguous && only->item == item && only->size > 0 &&
                   (b == NULL || b == only)))
        return true;
    return hdi_broadcast_cached(in, a, b, n, item, s);
}

/* A scalar that has been computed goes into the record as its value: no kernel then waits for its
 * memory or keeps it, and a GPU's kernel need not wait for a copy. Not halves, which are recorded
 * as float32. */
static inline bool hdi_may_know_value(const hdi_buf *b)
{
    return b->host == b->spot || hdi_buf_mirrored(b);
}
static inline bool hdi_knows_value(const hd_array *x)
{
    const hdi_buf *b = x->st->buf;
    return x->lay->nd == 0 && hdi_buf_known(b) && b->pins == 0 &&
           !hdi_is_half((hd_dtype)x->dtype);
}

typedef struct hdi_element { uint64_t word[2]; } hdi_element;
static inline hdi_element hdi_value_of(const hd_array *x)
{
    hdi_element e = {{0, 0}};
    hdi_copy_element(e.word, x->st->buf->host + x->off, x->lay->item);
    return e;
}

static inline hd_status hdi_set_input(hdi_record *r, hd_op op, hd_dtype cdt, int k,
                                      const hdi_in *in, const hdi_layout *lay)
{
    hd_dtype want = hdi_loop_dtype(op, k, cdt);
    if (in->x != NULL) {
        if (HDI_UNLIKELY(hdi_may_know_value(in->x->st->buf)) && in->x->dtype == want &&
            hdi_knows_value(in->x))
            hdi_record_scalar(r, k + 1, want, hdi_value_of(in->x).word);
        else
            hdi_record_array(r, k + 1, in->x, lay);
        return HD_OK;
    }
    if (HDI_UNLIKELY((want != HD_FLOAT64 && want != HD_FLOAT32) ||
                     in->n->kind == HD_WEAK_COMPLEX))
        return hdi_set_number(r, op, k, want, in->n);
    uint64_t element[2] = {0, 0};
    float single = (float)in->n->re;
    if (want == HD_FLOAT64)
        memcpy(element, &in->n->re, sizeof in->n->re);
    else
        memcpy(element, &single, sizeof single);
    hdi_record_scalar(r, k + 1, want, element);
    return HD_OK;
}

static inline hd_device *hdi_device_of_inputs(int n, const hdi_in *in)
{
    hd_device *a = in[0].x != NULL ? in[0].x->st->buf->dev : NULL;
    hd_device *b = n > 1 && in[1].x != NULL ? in[1].x->st->buf->dev : a;
    return HDI_LIKELY(n <= 2 && b != NULL && (a == NULL || a == b)) ? b : hdi_one_device(n, in);
}

static inline __attribute__((always_inline)) hd_array *hdi_record_ew(hd_op op, hd_dtype cdt, int n,
                                                                 const hdi_in *in)
{
    hdi_shapes s;
    hd_dtype dt = hdi_value_dtype(op, cdt);
    hd_device *dev = hdi_device_of_inputs(n, in);
    if (HDI_UNLIKELY(dev == NULL))
        return hdi_ew_mixed(op, cdt, n, in);
    if (!hdi_broadcast_dense(n, in, hdi_itemsize(dt), &s))
        return NULL;
    hdi_window *w = hdi_window_of(dev);
    hdi_record *r = hdi_record_begin(w, op, 'e', cdt, n);
    hd_array *out = r != NULL ? hdi_array_new(dev, dt, s.out) : NULL;
    if (out == NULL)
        return NULL;
    if (s.out->nd == 0 && op != HD_OP_where)   /* where gives an array even then */
        out->flags |= HDI_A_SCALAR | HDI_A_READONLY;
    hd_status status = HD_OK;
    HDI_UNROLL
    for (int k = 0; k < n; k++)
        if (HDI_LIKELY(status == HD_OK))
            status = hdi_set_input(r, op, cdt, k, &in[k], s.in[k]);
    if (status == HD_OK && HDI_LIKELY(s.out->size > 0)) {
        hdi_record_array(r, 0, out, s.out);
        r->domain = s.out;
        if (HDI_UNLIKELY(hdi_watched.any))
            hdi_watching.scalar = hdi_all_scalars(n, in);
        status = hdi_append(w, r, n);
    }
    if (HDI_LIKELY(status == HD_OK))
        return out;
    hdi_array_release(out);
    return NULL;
}

#endif
