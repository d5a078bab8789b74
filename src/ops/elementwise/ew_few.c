/* SPDX-License-Identifier: BSD-3-Clause */
/* ew_few.c - out[where] = number of few elements, within the call: a select would read all of out
 * and write it again. */
#include "ops/elementwise/ew.h"

/* The mask and out have the same elements in the same order, and lie ready. */
static bool are_ready(const hd_array *out, const hd_array *where)
{
    const hdi_layout *l = out->lay, *m = where->lay;
    const hdi_buf *b = out->st->buf;
    return !hdi_is_weak(out) && !hdi_is_weak(where) && !(out->flags & HDI_A_READONLY) &&
           where->dtype == HD_BOOL && l->nd == m->nd && l->c_contiguous && m->c_contiguous &&
           memcmp(l->dims, m->dims, sizeof *l->dims * (size_t)l->nd) == 0 && l->size > 0 &&
           where->st->buf != b && hdi_runs_at_once(b->dev, l->size) && hdi_buf_alone(b) &&
           hdi_buf_at_hand(where->st->buf);
}

static inline __attribute__((always_inline)) void store(uint8_t *to, const uint8_t *mask, int64_t n,
                                                       const uint64_t element[2], size_t item)
{
    for (int64_t i = 0; i < n; i++)
        if (mask[i] != 0)
            memcpy(to + i * (int64_t)item, element, item);
}

bool hdi_store_few(const hd_array *out, const hd_array *where, const hd_array *x)
{
    uint64_t element[2];
    if (!are_ready(out, where) || !hdi_few_element(x, (hd_dtype)out->dtype, element))
        return false;
    hdi_buf *b = out->st->buf;
    const uint8_t *mask = where->st->buf->host + where->off;
    if (out->lay->item == 8)
        store(b->host + out->off, mask, out->lay->size, element, 8);
    else
        store(b->host + out->off, mask, out->lay->size, element, out->lay->item);
    hdi_buf_changed(b);
    hdi_window_of(b->dev)->stats.small++;
    return true;
}
