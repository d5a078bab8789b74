/* SPDX-License-Identifier: BSD-3-Clause */
/* select.c - elements and positions where a mask is true. How many there are is asked for at the
 * call (a wait), for arrays have a size; finding them is one library call. A device that makes
 * something else of a mask first (selection_bytes) does so while the host learns how many. */
#include "base/lock.h"
#include "ops/ops.h"

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

static hd_status record(hd_op op, hd_array *out, int64_t param, int n, hd_array *const *in)
{
    hdi_record *r = hdi_record_begin(out->st->buf->dev->window, op, 'x', (hd_dtype)out->dtype, n);
    if (r == NULL)
        return hd_error_peek()->code;
    hdi_record_array(r, 0, out, out->lay);
    for (int k = 0; k < n; k++)
        hdi_record_array(r, k + 1, in[k], in[k]->lay);
    r->domain = out->lay;
    r->param = param;
    return hdi_record_end(out->st->buf->dev->window, r);
}

/* The mask as compress and true_places of its device want it (owned). */
static hd_array *flags_of(const hd_array *mask)
{
    hd_device *dev = hdi_device_of(mask);
    hd_array *flags = flat(mask);
    if (flags == NULL || dev->selection_bytes == NULL)
        return flags;
    const int64_t bytes = dev->selection_bytes(flags->lay->size);
    hd_array *words = hdi_new(dev, 1, &bytes, HD_UINT8);
    if (words != NULL && record(HD_OP_true_words, words, 0, 1, &flags) != HD_OK) {
        hdi_array_release(words);
        words = NULL;
    }
    hdi_array_release(flags);
    return words;
}

/* How many are true. flags are recorded: what is written to the mask while the lock is away changes
 * neither. */
static bool count_true(const hd_array *mask, const hd_array *flags, int64_t *count)
{
    uint64_t all = hdi_all_axes(mask->lay->nd);
    hd_array *sum = hdi_reduce(HD_OP_sum, HD_INT64, mask, NULL, all, false, NULL);
    const bool ahead = hdi_device_of(mask)->selection_bytes != NULL;
    hd_status status = sum != NULL ? hdi_value_then(sum, ahead ? flags : NULL, count)
                                   : hd_error_peek()->code;
    if (sum != NULL)
        hdi_array_release(sum);
    return status == HD_OK;
}

/* x NULL: numbers of elements. */
static hd_array *selected(const hd_array *x, const hd_array *mask, hd_dtype dt)
{
    int64_t count = 0;
    hd_array *r = NULL, *from = NULL, *flags = flags_of(mask);
    hd_status status = flags != NULL && count_true(mask, flags, &count) ? HD_OK
                                                                        : hd_error_peek()->code;
    if (status == HD_OK && (r = hdi_new(hdi_device_of(mask), 1, &count, dt)) == NULL)
        status = hd_error_peek()->code;
    if (status == HD_OK && count > 0 && x == NULL)
        status = record(HD_OP_true_places, r, mask->lay->size, 1, &flags);
    else if (status == HD_OK && count > 0)
        status = (from = flat(x)) != NULL
                     ? record(HD_OP_compress, r, 0, 2, (hd_array *[]){from, flags})
                     : hd_error_peek()->code;
    if (from != NULL)
        hdi_array_release(from);
    if (flags != NULL)
        hdi_array_release(flags);
    if (status != HD_OK && r != NULL)
        hdi_array_release(r);
    return status == HD_OK ? r : NULL;
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
