/* SPDX-License-Identifier: BSD-3-Clause */
/* select.c - elements and positions where a mask is true. How many there are is asked for at the
 * call (a wait), for arrays have a size; finding them is one library call. */
#include "base/lock.h"
#include "ops/ops.h"

static bool count_true(const hd_array *mask, int64_t *count)
{
    uint64_t all = hdi_all_axes(mask->lay->nd);
    hd_array *sum = hdi_reduce(HD_OP_sum, HD_INT64, mask, NULL, all, false, NULL);
    hdi_values value;
    bool known = sum != NULL && hdi_values_open(sum, &value);
    if (known) {
        *count = *(const int64_t *)value.at;
        hdi_values_close(&value);
    }
    if (sum != NULL)
        hdi_array_release(sum);
    return known;
}

/* x's elements in C order, along one axis (owned). */
static hd_array *flat(const hd_array *x)
{
    hd_array *dense = hdi_contiguous(x);
    hdi_layout *lay = dense != NULL ? hdi_layout_c(1, &x->lay->size, x->lay->item) : NULL;
    hd_array *r = lay != NULL ? hdi_array_view(dense, (hd_dtype)x->dtype, lay, dense->off) : NULL;
    if (dense != NULL)
        hdi_array_release(dense);
    return r;
}

static hd_status record(hd_op op, hd_array *out, int n, hd_array *const *in)
{
    hdi_record *r = hdi_record_begin(out->st->buf->dev->window, op, 'x', (hd_dtype)out->dtype, n);
    if (r == NULL)
        return hd_error_peek()->code;
    hdi_record_array(r, 0, out, out->lay);
    for (int k = 0; k < n; k++)
        hdi_record_array(r, k + 1, in[k], in[k]->lay);
    r->domain = out->lay;
    return hdi_record_end(out->st->buf->dev->window, r);
}

/* x NULL: numbers of elements. */
static hd_array *selected(const hd_array *x, const hd_array *mask, hd_dtype dt)
{
    int64_t count = 0;
    hd_array *r = NULL, *in[2] = {NULL, NULL};
    if (!count_true(mask, &count))
        return NULL;
    const int n = x != NULL ? 2 : 1;
    if ((r = hdi_new(mask->st->buf->dev, 1, &count, dt)) == NULL || count == 0)
        return r;
    if (x != NULL)
        in[0] = flat(x);
    in[n - 1] = x == NULL || in[0] != NULL ? flat(mask) : NULL;
    hd_status status = in[n - 1] != NULL
                           ? record(x != NULL ? HD_OP_compress : HD_OP_true_places, r, n, in)
                           : hd_error_peek()->code;
    for (int k = 0; k < n; k++)
        if (in[k] != NULL)
            hdi_array_release(in[k]);
    if (status == HD_OK)
        return r;
    hdi_array_release(r);
    return NULL;
}

hd_array *hd_extract(const hd_array *mask, const hd_array *x)
{
    if (mask == NULL || x == NULL)
        return NULL;
    if (hdi_is_weak(mask) || hdi_is_weak(x) || mask->dtype != HD_BOOL ||
        mask->lay->nd != x->lay->nd ||
        memcmp(mask->lay->dims, x->lay->dims, sizeof *x->lay->dims * (size_t)x->lay->nd) != 0) {
        char a[200], b[200];
        hdi_fail(HD_VALUE, "a mask must be bool and have the array's shape: %s of shape %s for "
                 "shape %s", hd_dtype_name((hd_dtype)mask->dtype),
                 hdi_shape_text(mask->lay->nd, mask->lay->dims, a, sizeof a),
                 hdi_shape_text(x->lay->nd, x->lay->dims, b, sizeof b));
        return NULL;
    }
    hd_device *dev = hdi_device_of(x);
    if (hdi_device_of(mask) != dev) {
        hdi_fail(HD_DEVICE, "arrays live on two devices, %s and %s; move one with to_device()",
                 hdi_device_of(mask)->name, dev->name);
        return NULL;
    }
    hdi_lock();
    return hdi_done(selected(x, mask, (hd_dtype)x->dtype), "extract");
}

/* ---- nonzero --------------------------------------------------------------------------------- */

/* Position along an axis of the elements with these numbers; `below` of them have the same. */
static hd_array *along_axis(const hd_array *numbers, int64_t below, int64_t dim, bool first)
{
    hd_array *above = hdi_ew_number(HD_OP_floor_divide, HD_INT64, numbers, below), *r = above;
    if (above != NULL && !first) {
        r = hdi_ew_number(HD_OP_remainder, HD_INT64, above, dim);
        hdi_array_release(above);
    }
    return r;
}

static hd_status find_positions(const hd_array *x, const hd_array *hits, hd_array **axes_out)
{
    int64_t below = 1;
    hd_array *numbers = selected(NULL, hits, HD_INT64);
    hd_status status = numbers != NULL ? HD_OK : hd_error_peek()->code;
    for (int a = x->lay->nd - 1; a >= 0 && status == HD_OK; a--) {
        axes_out[a] = x->lay->nd == 1 ? numbers
                                      : along_axis(numbers, below, x->lay->dims[a], a == 0);
        below *= x->lay->dims[a];
        if (axes_out[a] != NULL)
            continue;
        while (++a < x->lay->nd)
            hdi_array_release(axes_out[a]);
        status = hd_error_peek()->code;
        break;
    }
    if (numbers != NULL && (x->lay->nd != 1 || status != HD_OK))
        hdi_array_release(numbers);
    return status;
}

hd_status hd_nonzero(const hd_array *x, hd_array **axes_out)
{
    if (x == NULL)
        return hd_error_peek()->code;
    hd_number zero = {.kind = HD_WEAK_INT};
    hdi_in truth[2] = {hdi_in_array(x), hdi_in_number(&zero)};
    hdi_lock();
    hd_array *hits = hdi_ew_auto(HD_OP_not_equal, 2, truth);
    hd_status status = hits != NULL ? find_positions(x, hits, axes_out) : hd_error_peek()->code;
    hd_device *dev = hits != NULL ? hits->st->buf->dev : NULL;
    if (hits != NULL)
        hdi_array_release(hits);
    status = hdi_done_status(status, dev, "nonzero");
    for (int a = 0; status == HD_OK && a < x->lay->nd; a++)
        hdi_scope_own(axes_out[a]);
    return status;
}
