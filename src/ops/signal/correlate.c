/* SPDX-License-Identifier: BSD-3-Clause */
/* correlate.c - a window that slides over an array: one library call. Convolution is the same with
 * the window backwards. */
#include <heddle/signal.h>

#include "base/lock.h"
#include "ops/home.h"
#include "ops/ops.h"

_Static_assert((int)HD_WINDOW_FULL == (int)HDI_PLACES_FULL &&
                   (int)HD_WINDOW_SAME_LATE == (int)HDI_PLACES_LATE &&
                   (int)HD_WINDOW_SAME == (int)HDI_PLACES_SAME &&
                   (int)HD_WINDOW_SYMM == (int)HDI_BEYOND_MIRROR,
               "the public words are those of the library call");

static hd_status check(const hd_array *x, const hd_array *y, hdi_correlate_how how, int64_t *dims)
{
    const int nd = x->lay->nd;
    if (y->lay->nd != nd || nd == 0)
        return hdi_fail(HD_VALUE, "x and y should have the same dimensionality, at least 1, "
                                  "not %d and %d", nd, y->lay->nd);
    for (int a = 0; a < nd; a++) {
        const int64_t m = x->lay->dims[a], n = y->lay->dims[a];
        dims[a] = m > 0 && n > 0 ? hdi_correlate_count(how, m, n) : 0;
        if (dims[a] < 1)
            return hdi_fail(HD_VALUE, "a window of %lld does not fit in %lld elements (axis %d)",
                            (long long)n, (long long)m, a);
    }
    return HD_OK;
}

static hd_status record(hd_array *r, const hd_array *x, const hd_array *y, const hd_array *fill,
                        hdi_correlate_how how)
{
    hdi_window *w = hdi_window_of(r->st->buf->dev);
    hdi_record *rec =
        hdi_record_begin(w, HD_OP_correlate, 'x', (hd_dtype)r->dtype, fill != NULL ? 3 : 2);
    if (rec == NULL)
        return hd_error_peek()->code;
    hdi_record_array(rec, 0, r, r->lay);
    hdi_record_array(rec, 1, x, x->lay);
    hdi_record_array(rec, 2, y, y->lay);
    if (fill != NULL)
        hdi_record_array(rec, 3, fill, fill->lay);
    rec->domain = r->lay;
    rec->payload.correlate = how;
    hd_status status = hdi_record_end(w, rec);
    if (status == HD_OK && hdi_faults_unseen(r->st->buf->dev)) {
        const uint64_t all = UINT64_MAX >> (64 - r->lay->nd);
        const hdi_joined in[3] = {{x, all}, {y, all}, {fill, 0}};
        status = hdi_joined_faults(HD_OP_correlate, HD_OP_add, (hd_dtype)r->dtype, r,
                                   fill != NULL ? 3 : 2, in, false);
    }
    return status;
}

/* In dtype cdt, which has loops; fill may be NULL. */
static hd_array *slide(const hd_array *x, const hd_array *y, const hd_array *fill, hd_dtype cdt,
                       hdi_correlate_how how)
{
    int64_t dims[HD_MAXDIM];
    hd_status status = check(x, y, how, dims);
    hd_array *in[3] = {NULL, NULL, NULL}, *r = NULL;
    const hd_array *from[3] = {x, y, fill};
    for (int k = 0; k < 3 && status == HD_OK && from[k] != NULL; k++)
        if ((in[k] = hdi_cast(from[k], cdt)) == NULL)
            status = hd_error_peek()->code;
    if (status == HD_OK && (r = hdi_new(hdi_device_of(in[0]), x->lay->nd, dims, cdt)) == NULL)
        status = hd_error_peek()->code;
    if (status == HD_OK)
        status = record(r, in[0], in[1], in[2], how);
    for (int k = 0; k < 3; k++)
        if (in[k] != NULL)
            hdi_array_release(in[k]);
    if (status != HD_OK && r != NULL) {
        hdi_array_release(r);
        r = NULL;
    }
    return r;
}

hd_array *hd_correlate_window(const hd_array *x, const hd_array *y, hd_window_mode mode,
                              hd_window_bound bound, const hd_array *fill)
{
    if (x == NULL || y == NULL)
        return hdi_null("an array");
    if ((unsigned)mode > HD_WINDOW_SAME_LATE || (unsigned)bound > HD_WINDOW_SYMM) {
        hdi_fail(HD_VALUE, "there is no window mode %d with bound %d", (int)mode, (int)bound);
        return NULL;
    }
    hdi_lock();
    const hdi_correlate_how how = {.places = (int)mode, .beyond = (int)bound};
    const hdi_in both[2] = {hdi_in_array(x), hdi_in_array(y)};
    hd_array *r = NULL;
    if (fill != NULL && fill->lay->size != 1)
        hdi_fail(HD_VALUE, "the fill is one element, not %lld", (long long)fill->lay->size);
    else if (hdi_common_device(2, both) != NULL) {
        const hd_dtype dt = hdi_common_dtype(2, both), cdt = hdi_is_half(dt) ? HD_FLOAT32 : dt;
        const hd_array *in[3] = {x, y, bound == HD_WINDOW_FILL ? fill : NULL};
        hdi_home home;
        if (hdi_home_begin(&home, 3, in) == HD_OK)
            r = slide(in[0], in[1], in[2], cdt, how);
        r = hdi_home_end(&home, r);
        if (r != NULL && dt != cdt) {
            hd_array *single = r;
            r = hdi_cast(single, dt);
            hdi_array_release(single);
        }
    }
    return hdi_done(r, "correlate");
}

/* ---- NumPy's functions of rows --------------------------------------------------------------- */

/* A row: an array without axes is one of one element. */
static hd_array *row_of(const hd_array *x, const char *name)
{
    const int64_t flat = -1;
    if (hd_ndim(x) > 1) {
        hdi_fail(HD_VALUE, "object too deep for desired array: %s has %d dimensions, not 1", name,
                 hd_ndim(x));
        return NULL;
    }
    if (hd_size(x) == 0) {
        hdi_fail(HD_VALUE, "%s cannot be empty", name);
        return NULL;
    }
    return hd_reshape(x, 1, &flat, 'C');
}

static hd_array *backwards(const hd_array *x)
{
    return hd_slice(x, 1, &(hd_index){HD_INDEX_SLICE, HD_NONE, HD_NONE, -1});
}

/* The longer one stays where it is. */
hd_array *hd_convolve(const hd_array *a, const hd_array *v, hd_window_mode mode)
{
    if (a == NULL || v == NULL)
        return hdi_null("an array");
    int scope = hd_scope_begin();
    hd_array *x = row_of(a, "a"), *y = x != NULL ? row_of(v, "v") : NULL, *r = NULL;
    if (y != NULL && hd_size(y) > hd_size(x)) {
        hd_array *longer = y;
        y = x;
        x = longer;
    }
    if (y != NULL)
        r = hd_correlate_window(x, backwards(y), mode, HD_WINDOW_FILL, NULL);
    return hd_scope_end(scope, r);
}

/* With a shorter than v, results are those of v over a, backwards. */
hd_array *hd_correlate(const hd_array *a, const hd_array *v, hd_window_mode mode)
{
    if (a == NULL || v == NULL)
        return hdi_null("an array");
    int scope = hd_scope_begin();
    hd_array *x = row_of(a, "a"), *y = x != NULL ? row_of(v, "v") : NULL, *r = NULL;
    if (y != NULL && hdi_is_complex(hd_dtype_of(y)))
        y = hd_conjugate(y);
    if (y != NULL && hd_size(y) > hd_size(x)) {
        r = hd_correlate_window(y, x, mode, HD_WINDOW_FILL, NULL);
        r = r != NULL ? hd_copy(backwards(r), 'C') : NULL;
    } else if (y != NULL) {
        r = hd_correlate_window(x, y, mode, HD_WINDOW_FILL, NULL);
    }
    return hd_scope_end(scope, r);
}
