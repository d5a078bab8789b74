/* SPDX-License-Identifier: BSD-3-Clause */
/* join.c - concatenate and stack: each input is copied to its place in the result, one record
 * each, fused with what made it. */
#include "base/alloc.h"
#include "base/lock.h"
#include "ops/ops.h"

hd_dtype hd_result_dtype(int n, const hd_array *const *arrays)
{
    hd_dtype dt = HD_NO_DTYPE;
    bool strong = false;
    if (hdi_all_given(n, arrays) != HD_OK)
        return HD_NO_DTYPE;
    for (int k = 0; k < n; k++)
        strong |= !hdi_is_weak(arrays[k]);
    for (int k = 0; k < n; k++)
        if (!strong || !hdi_is_weak(arrays[k]))
            dt = dt == HD_NO_DTYPE ? (hd_dtype)arrays[k]->dtype
                                   : hd_promote(dt, (hd_dtype)arrays[k]->dtype);
    for (int k = 0; strong && k < n; k++)
        if (hdi_is_weak(arrays[k]))
            dt = hd_promote_weak(dt, arrays[k]->weak.kind);
    return dt;
}

/* The part of r that runs from `start` over `length` along axis; with drop, without that axis. */
static hd_array *slot(const hd_array *r, int axis, int64_t start, int64_t length, bool drop)
{
    int64_t dims[HD_MAXDIM], strides[HD_MAXDIM];
    int nd = 0;
    for (int a = 0; a < r->lay->nd; a++) {
        if (a == axis && drop)
            continue;
        dims[nd] = a == axis ? length : r->lay->dims[a];
        strides[nd++] = hdi_layout_strides(r->lay)[a];
    }
    hdi_layout *lay = hdi_layout_get(nd, dims, strides, r->lay->item);
    return lay != NULL ? hdi_array_view(r, (hd_dtype)r->dtype, lay,
                                        r->off + start * hdi_layout_strides(r->lay)[axis])
                       : NULL;
}

static hd_status fill_parts(hd_array *r, int n, const hd_array *const *arrays, int axis,
                            bool stacked)
{
    hd_status status = HD_OK;
    int64_t at = 0;
    for (int k = 0; k < n && status == HD_OK; k++) {
        int64_t length = stacked ? 1 : arrays[k]->lay->dims[axis];
        hd_array *part = slot(r, axis, at, length, stacked);
        hdi_in in = hdi_in_array(arrays[k]);
        status = part != NULL ? hdi_store(part, HD_OP_copy, (hd_dtype)r->dtype, 1, &in) : HD_NOMEM;
        if (part != NULL)
            hdi_array_release(part);
        at += length;
    }
    return status;
}

static hd_status check_concatenate(int n, const hd_array *const *arrays, int axis, int64_t *dims)
{
    const hdi_layout *f = arrays[0]->lay;
    memcpy(dims, f->dims, sizeof *dims * (size_t)f->nd);
    for (int k = 1; k < n; k++) {
        const hdi_layout *l = arrays[k]->lay;
        if (l->nd != f->nd)
            return hdi_fail(
                HD_VALUE,
                "all the input arrays must have same number of dimensions, but the array at "
                "index 0 has %d dimension(s) and the array at index %d has %d dimension(s)",
                f->nd, k, l->nd);
        for (int a = 0; a < f->nd; a++)
            if (a != axis && l->dims[a] != f->dims[a])
                return hdi_fail(HD_VALUE,
                                "all the input array dimensions except for the concatenation axis "
                                "must match exactly, but along "
                                "dimension %d, the array at index 0 has size %lld and the array at "
                                "index %d has size %lld",
                                a, (long long)f->dims[a], k, (long long)l->dims[a]);
        if (!hdi_add64(dims[axis], l->dims[axis], &dims[axis]))
            return hdi_fail(HD_VALUE, "the concatenated axis is too long");
    }
    return HD_OK;
}

static hd_status check_stack(int n, const hd_array *const *arrays, int axis, int64_t *dims)
{
    const hdi_layout *f = arrays[0]->lay;
    for (int k = 1; k < n; k++)
        if (arrays[k]->lay->nd != f->nd ||
            memcmp(arrays[k]->lay->dims, f->dims, sizeof *dims * (size_t)f->nd) != 0)
            return hdi_fail(HD_VALUE, "all input arrays must have the same shape");
    for (int a = 0; a <= f->nd; a++)
        dims[a] = a == axis ? n : f->dims[a - (a > axis)];
    return HD_OK;
}

static hd_device *device_of(int n, const hd_array *const *arrays)
{
    hd_device *dev = NULL;
    for (int k = 0; k < n; k++) {
        hdi_in in = hdi_in_array(arrays[k]);
        hd_device *d = in.x != NULL ? in.x->st->buf->dev : NULL;
        if (d != NULL && dev != NULL && d != dev) {
            hdi_fail(HD_DEVICE, "arrays live on two devices, %s and %s; move one with to_device()",
                     dev->name, d->name);
            return NULL;
        }
        dev = d != NULL ? d : dev;
    }
    return dev != NULL ? dev : hdi_current_device();
}

/* The result's memory order: that of the inputs taken together, as NumPy's order K. */
static hdi_layout *joined_layout(int n, const hd_array *const *arrays, int nd, const int64_t *dims,
                                 int axis, bool stacked, hd_dtype dt)
{
    size_t bytes = sizeof(hdi_layout *) * (size_t)n;
    const hdi_layout **like = hdi_alloc(bytes);
    hdi_layout *lay = NULL;
    bool fits = like != NULL;
    for (int k = 0; k < n && fits; k++) {
        int64_t d[HD_MAXDIM], s[HD_MAXDIM];
        like[k] = arrays[k]->lay;
        if (!stacked)
            continue;
        for (int a = 0; a < nd; a++) {
            d[a] = a == axis ? 1 : arrays[k]->lay->dims[a - (a > axis)];
            s[a] = a == axis ? 0 : hdi_layout_strides(arrays[k]->lay)[a - (a > axis)];
        }
        fits = (like[k] = hdi_layout_get(nd, d, s, arrays[k]->lay->item)) != NULL;
    }
    if (fits)
        lay = hdi_layout_joined(nd, dims, hdi_itemsize(dt), n, like);
    else if (like == NULL)
        hdi_fail(HD_NOMEM, "out of memory to join %d arrays", n);
    hdi_free(like, bytes);
    return lay;
}

static hd_array *join(int n, const hd_array *const *arrays, int axis, hd_dtype dt, hd_array *out,
                      bool stacked)
{
    int64_t dims[HD_MAXDIM];
    int at;
    hd_device *dev = device_of(n, arrays);
    int nd = arrays[0]->lay->nd + stacked;
    if (dev == NULL)
        return NULL;
    if (nd == 0) {
        hdi_fail(HD_VALUE, "zero-dimensional arrays cannot be concatenated");
        return NULL;
    }
    if (nd > HD_MAXDIM) {
        hdi_fail_ndim(nd);
        return NULL;
    }
    if (hdi_axis(axis, nd, &at) != HD_OK ||
        (stacked ? check_stack(n, arrays, at, dims) : check_concatenate(n, arrays, at, dims)) !=
            HD_OK)
        return NULL;
    hd_array *r = out;
    if (out == NULL) {
        hdi_layout *lay = hdi_dtype_check(dt) == HD_OK
                              ? joined_layout(n, arrays, nd, dims, at, stacked, dt)
                              : NULL;
        r = lay != NULL ? hdi_array_new(dev, dt, lay) : NULL;
    } else if (out->lay->nd != nd || memcmp(out->lay->dims, dims, sizeof *dims * (size_t)nd) != 0) {
        hdi_fail(HD_VALUE, "Output array is the wrong shape");
        return NULL;
    } else if (out->flags & HDI_A_READONLY) {
        hdi_fail(HD_READONLY, "output array is read-only");
        return NULL;
    } else {
        r->rc++;
    }
    if (r == NULL || fill_parts(r, n, arrays, at, stacked) == HD_OK)
        return r;
    hdi_array_release(r);
    return NULL;
}

static bool usable(int n, const hd_array *const *arrays)
{
    if (n <= 0) {
        hdi_fail(HD_VALUE, "need at least one array to concatenate");
        return false;
    }
    return hdi_all_given(n, arrays) == HD_OK;
}

hd_array *hd_stack(int n, const hd_array *const *arrays, int axis, hd_dtype dt, hd_array *out)
{
    if (!usable(n, arrays))
        return NULL;
    hdi_lock();
    return hdi_done(
        join(n, arrays, axis, dt == HD_NO_DTYPE ? hd_result_dtype(n, arrays) : dt, out, true),
        "stack");
}

hd_array *hd_concatenate(int n, const hd_array *const *arrays, int axis, hd_dtype dt, hd_array *out)
{
    if (!usable(n, arrays))
        return NULL;
    dt = dt == HD_NO_DTYPE ? hd_result_dtype(n, arrays) : dt;
    if (axis != HD_FLAT) {
        hdi_lock();
        return hdi_done(join(n, arrays, axis, dt, out, false), "concatenate");
    }
    int64_t total = 0, minus_one = -1;
    for (int k = 0; k < n; k++)
        total += arrays[k]->lay->size;
    hd_array *r = out != NULL ? hd_retain(out) : hd_keep(hd_empty(1, &total, dt));
    hd_status status = r != NULL ? HD_OK : HD_NOMEM;
    if (r != NULL && (r->lay->nd != 1 || r->lay->dims[0] != total))
        status = hdi_fail(HD_VALUE, "Output array is the wrong shape");
    for (int64_t k = 0, at = 0; k < n && status == HD_OK; at += arrays[k++]->lay->size) {
        hd_index range = {HD_INDEX_SLICE, at, at + arrays[k]->lay->size, 1};
        hd_array *part = hd_keep(hd_slice(r, 1, &range)),
                 *flat = hd_keep(hd_reshape(arrays[k], 1, &minus_one, 'C'));
        status = part != NULL && flat != NULL ? hd_assign(part, flat, HD_CAST_UNSAFE)
                                              : hd_error_peek()->code;
        hd_release(part);
        hd_release(flat);
    }
    if (status == HD_OK)
        return hdi_scope_own(r);
    hd_release(r);
    return NULL;
}
