/* SPDX-License-Identifier: BSD-3-Clause */
/* fill.c - one number in all elements of an array: a record, or within the call. */
#include <math.h>
#include <string.h>

#include "ops/ops.h"

static void fill_host(uint8_t *to, int64_t n, size_t item, const uint64_t element[2])
{
    if ((element[0] | element[1]) == 0)
        memset(to, 0, (size_t)n * item);
    else if (item == 8)
        for (int64_t i = 0; i < n; i++)
            memcpy(to + i * 8, element, 8);
    else
        for (int64_t i = 0; i < n; i++)
            memcpy(to + i * (int64_t)item, element, item);
}

/* A new array of few elements is filled within the call, without a loop of tier 0. */
static bool fill_few(hd_array *dst, const uint64_t element[2])
{
    hdi_buf *b = dst->st->buf;
    const int64_t n = dst->lay->size;
    if (!hdi_buf_empty(b) || !dst->lay->c_contiguous || b->nbytes != n * dst->lay->item ||
        !hdi_buf_untouched(b) || !hdi_runs_at_once(b->dev, n) || !hdi_buf_take_host(b))
        return false;
    fill_host(b->host, n, (size_t)dst->lay->item, element);
    hdi_window_of(b->dev)->stats.small++;
    return true;
}

hd_status hdi_fill(hd_array *dst, const uint64_t element[2])
{
    if (dst->lay->size == 0 || fill_few(dst, element))
        return HD_OK;
    hdi_window *w = hdi_window_of(dst->st->buf->dev);
    hdi_record *r = hdi_record_begin(w, HD_OP_copy, 'e', (hd_dtype)dst->dtype, 1);
    if (r == NULL)
        return hd_error_peek()->code;
    hdi_record_array(r, 0, dst, dst->lay);
    hdi_record_scalar(r, 1, (hd_dtype)dst->dtype, element);
    r->domain = dst->lay;
    return hdi_record_end(w, r);
}

/* Does every value of the number's kind fit, whatever dtype of that kind it is? */
static bool is_held(const hd_number *n, hd_dtype dt)
{
    enum { MOST_REAL = 65504, MOST_INT = 127 };   /* of float16 and of int8 */
    switch (hdi_dtypes[dt].kind) {
    case 'b': return n->kind == HD_WEAK_BOOL;
    case 'i':
    case 'u':
        return n->kind == HD_WEAK_INT && n->range == 0 &&
               (dt == HD_INT64 || (n->as.i >= 0 && n->as.i <= MOST_INT));
    default:
        return n->kind != HD_WEAK_COMPLEX &&
               (dt == HD_FLOAT64 || dt == HD_COMPLEX128 || fabs(n->re) <= MOST_REAL);
    }
}

bool hdi_few_element(const hd_array *x, hd_dtype dt, uint64_t element[2])
{
    if (hdi_is_weak(x))
        return is_held(&x->weak, dt) && hdi_number_as(&x->weak, dt, element) == HD_OK;
    if (x->lay->nd != 0 || x->dtype != dt || !hdi_buf_at_hand(x->st->buf))
        return false;
    hdi_copy_element(element, x->st->buf->host + x->off, x->lay->item);
    return true;
}
