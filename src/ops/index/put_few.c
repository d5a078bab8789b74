/* SPDX-License-Identifier: BSD-3-Clause */
/* put_few.c - x[index] = values of few elements, within the call: the general way makes an array of
 * byte offsets and one of the values, which takes three times as long as the stores. */
#include "ops/index/places.h"

/* Do both lie ready, and is that little work? Memory that both may share is for the general
 * way, which reads all of it first. */
static bool are_ready(const hd_array *x, const hd_array *index)
{
    if (hdi_is_weak(x) || hdi_is_weak(index) || x->flags & HDI_A_READONLY || x->lay->nd != 1 ||
        index->lay->nd != 1 || index->dtype != HD_INT64 || index->lay->size == 0)
        return false;
    const hdi_buf *b = x->st->buf, *i = index->st->buf;
    return i != b && i->dev == b->dev && b->foreign == NULL && hdi_buf_alone(b) &&
           hdi_buf_at_hand(i) && hdi_runs_at_once(b->dev, index->lay->size);
}

/* What is written to the n places, and the bytes from one to the next of them. */
typedef struct source { const uint8_t *at; int64_t step; uint64_t element[2]; } source;

static bool find_source(const hd_array *values, const hd_array *x, int64_t n, source *s)
{
    s->at = (const uint8_t *)s->element;
    s->step = 0;
    if (hdi_is_weak(values) || values->lay->nd == 0)
        return hdi_few_element(values, (hd_dtype)x->dtype, s->element);
    const hdi_buf *b = values->st->buf;
    if (values->dtype != x->dtype || values->lay->nd != 1 || values->lay->size != n ||
        b == x->st->buf || b->dev != x->st->buf->dev || !hdi_buf_at_hand(b))
        return false;
    s->at = b->host + values->off;
    s->step = hdi_layout_strides(values->lay)[0];
    return true;
}

/* All of the indices are looked at before anything is written, as in NumPy. */
static bool are_within(const uint8_t *at, int64_t step, int64_t n, int64_t extent)
{
    bool within = true;
    for (int64_t i = 0, v; i < n; i++) {
        memcpy(&v, at + i * step, sizeof v);
        within &= v >= -extent && v < extent;
    }
    return within;
}

static inline __attribute__((always_inline)) void scatter(const hd_array *x, const hd_array *index,
                                                         const source *s, size_t item)
{
    const uint8_t *at = index->st->buf->host + index->off;
    uint8_t *to = x->st->buf->host + x->off;
    const int64_t extent = x->lay->dims[0], stride = hdi_layout_strides(x->lay)[0],
                  step = hdi_layout_strides(index->lay)[0];
    for (int64_t i = 0, v; i < index->lay->size; i++) {
        memcpy(&v, at + i * step, sizeof v);
        memcpy(to + (v < 0 ? v + extent : v) * stride, s->at + i * s->step, item);
    }
}

bool hdi_put_few(const hd_array *x, const hd_array *index, const hd_array *values)
{
    source s;
    if (!are_ready(x, index) || !find_source(values, x, index->lay->size, &s) ||
        !are_within(index->st->buf->host + index->off, hdi_layout_strides(index->lay)[0],
                    index->lay->size, x->lay->dims[0]))
        return false;
    if (x->lay->item == 8)
        scatter(x, index, &s, 8);
    else
        scatter(x, index, &s, x->lay->item);
    hdi_buf_changed(x->st->buf);
    hdi_window_of(x->st->buf->dev)->stats.small++;
    return true;
}
