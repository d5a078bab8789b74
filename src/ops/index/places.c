/* SPDX-License-Identifier: BSD-3-Clause */
/* places.c - see places.h. */
#include "ops/index/places.h"

#include "base/alloc.h"
#include "base/lock.h"

static int64_t index_value(const void *values, hd_dtype dt, int64_t i)
{
    switch (dt) {
    case HD_BOOL:
    case HD_UINT8:  return ((const uint8_t *)values)[i];
    case HD_INT8:   return ((const int8_t *)values)[i];
    case HD_INT16:  return ((const int16_t *)values)[i];
    case HD_UINT16: return ((const uint16_t *)values)[i];
    case HD_INT32:  return ((const int32_t *)values)[i];
    case HD_UINT32: return ((const uint32_t *)values)[i];
    /* uint64 above int64 wraps, as NumPy's */
    default:        return ((const int64_t *)values)[i];
    }
}

static hd_status out_of_bounds(int64_t v, int axis, int64_t extent)
{
    return hdi_fail(HD_INDEX, "index %lld is out of bounds for axis %d with size %lld",
                    (long long)v, axis, (long long)extent);
}

/* The usual case: int64 indices, one for each place. First all are looked at, without branches. */
static hd_status add_dense_axis(int axis, int64_t extent, int64_t stride, const int64_t *values,
                                int64_t *offsets, int64_t n)
{
    int64_t outside = 0;
    for (int64_t j = 0; j < n; j++) {
        int64_t v = values[j], at = v + (extent & v >> 63);
        outside |= at | (extent - 1 - at);   /* negative if either is */
        offsets[j] += (int64_t)((uint64_t)at * (uint64_t)stride);
    }
    for (int64_t j = 0; outside < 0 && j < n; j++)
        if (values[j] < -extent || values[j] >= extent)
            return out_of_bounds(values[j], axis, extent);
    return HD_OK;
}

/* offsets[j] += stride * index for every place j; the index array is read over the places. */
static hd_status add_axis(const hd_array *x, int axis, const hd_array *index,
                          const hdi_layout *over, const void *values, int64_t *offsets)
{
    int64_t extent = x->lay->dims[axis], stride = hdi_layout_strides(x->lay)[axis],
            at[HD_MAXDIM] = {0}, element = 0;
    const int64_t *steps = hdi_layout_strides(over);
    if (index->dtype == HD_INT64 && over->size == index->lay->size)
        return add_dense_axis(axis, extent, stride, values, offsets, over->size);
    for (int64_t j = 0; j < over->size; j++) {
        int64_t v = index_value(values, (hd_dtype)index->dtype, element);
        if (v < -extent || v >= extent)
            return out_of_bounds(v, axis, extent);
        offsets[j] += (v < 0 ? v + extent : v) * stride;
        for (int a = over->nd - 1; a >= 0; a--) {
            element += steps[a];
            if (++at[a] < over->dims[a])
                break;
            element -= steps[a] * over->dims[a];
            at[a] = 0;
        }
    }
    return HD_OK;
}

static hd_status check_indices(const hd_array *x, int n, const hd_array *const *index,
                               hdi_places *p)
{
    const hdi_layout *lay[HD_MAXDIM];
    if (n < 1 || n > x->lay->nd)
        return hdi_fail(HD_INDEX,
                        "too many indices for array: array is %d-dimensional, but %d were indexed",
                        x->lay->nd, n);
    for (int k = 0; k < n; k++) {
        if (!hdi_is_int((hd_dtype)index[k]->dtype))
            return hdi_fail(HD_INDEX,
                            "arrays used as indices must be of integer (or boolean) type");
        lay[k] = index[k]->lay;
    }
    p->nd = hdi_broadcast_dims(n, lay, p->dims);
    if (p->nd < 0) {
        hd_error e;
        hd_error_take(&e);
        return hdi_fail(HD_INDEX,
                        "shape mismatch: indexing arrays could not be broadcast together%.300s",
                        strstr(e.message, " with shapes") ?: "");
    }
    p->n = 1;
    for (int a = 0; a < p->nd; a++)
        p->n *= p->dims[a];
    return HD_OK;
}

/* Elements are read in C order; the layout says where a broadcast place finds its own. */
static hd_status add_index(const hd_array *x, int axis, const hd_array *index, const hdi_places *p,
                           int64_t *offsets)
{
    hdi_values values;
    hdi_layout *dense = hdi_layout_c(index->lay->nd, index->lay->dims, 1);
    hdi_layout *over = dense != NULL ? hdi_layout_broadcast(dense, p->nd, p->dims) : NULL;
    if (over == NULL)
        return hd_error_peek()->code;
    over->handles++;   /* keeps the layout while the lock is away */
    hd_status status = HD_OK;
    if (!hdi_values_open(index, &values)) {
        status = hd_error_peek()->code;
    } else {
        status = add_axis(x, axis, index, over, values.at, offsets);
        hdi_values_close(&values);
    }
    over->handles--;
    return status;
}

/* ---- on a device whose memory is its own ----------------------------------------------------- */

/* op of two arrays, both taken; NULL passes through. */
static hd_array *joined(hd_op op, hd_dtype cdt, hd_array *x, hd_array *y)
{
    hd_array *r = NULL;
    if (x != NULL && y != NULL) {
        hdi_in in[2] = {hdi_in_array(x), hdi_in_array(y)};
        r = hdi_ew_plain(op, cdt, 2, in);
    }
    if (x != NULL)
        hdi_array_release(x);
    if (y != NULL)
        hdi_array_release(y);
    return r;
}

/* op of an array, taken, and a number; NULL passes through. */
static hd_array *number_taken(hd_op op, hd_dtype cdt, hd_array *x, int64_t value)
{
    hd_array *r = x != NULL ? hdi_ew_number(op, cdt, x, value) : NULL;
    if (x != NULL)
        hdi_array_release(x);
    return r;
}

/* Byte offsets of one axis, and where its indices are out of range. */
static bool axis_offsets(const hd_array *x, int axis, const hd_array *index, hd_array **offsets,
                         hd_array **outside)
{
    const int64_t extent = x->lay->dims[axis], stride = hdi_layout_strides(x->lay)[axis];
    hd_array *v = hdi_cast(index, HD_INT64), *at = NULL;
    if (v != NULL) {
        hd_array *negative = hdi_ew_number(HD_OP_less, HD_INT64, v, 0);
        at = joined(HD_OP_add, HD_INT64, v,
                    number_taken(HD_OP_multiply, HD_INT64, negative, extent));
    }
    if (at == NULL)
        return false;
    *outside = joined(HD_OP_logical_or, HD_BOOL, hdi_ew_number(HD_OP_less, HD_INT64, at, 0),
                      hdi_ew_number(HD_OP_greater_equal, HD_INT64, at, extent));
    *offsets = number_taken(HD_OP_multiply, HD_INT64, at, stride);
    return true;
}

/* Does the one index array serve as it is? Then looking at it is all that is to do before the
 * places are used. Not x's own elements, which may be written by then. */
static bool serves_as_is(const hd_array *x, int n, const hd_array *const *index)
{
    hd_dtype dt = (hd_dtype)index[0]->dtype;
    return n == 1 && index[0]->st != x->st && (dt == HD_INT64 || dt == HD_INT32);
}

/* Its elements along one axis. */
static hd_array *along_one_axis(const hd_array *index)
{
    hd_array *dense = hdi_contiguous(index), *r = NULL;
    hdi_layout *lay = dense != NULL ? hdi_layout_c(1, &dense->lay->size, dense->lay->item) : NULL;
    if (lay != NULL)
        r = hdi_array_view(dense, (hd_dtype)index->dtype, lay, dense->off);
    if (dense != NULL)
        hdi_array_release(dense);
    return r;
}

/* -1: failed. */
static int any_outside(const hd_array *index, int64_t extent)
{
    hd_array *low = hdi_ew_number(HD_OP_less, HD_INT64, index, -extent);
    hd_array *high = hdi_ew_number(HD_OP_greater_equal, HD_INT64, index, extent);
    return hdi_any_true(joined(HD_OP_logical_or, HD_BOOL, low, high));
}

/* 1: done; 0: an index is out of range, which the host words; -1: failed. */
static int take_as_is(const hd_array *x, const hd_array *index, bool later, hdi_places *p)
{
    int outside = later ? 0 : any_outside(index, x->lay->dims[0]);
    if (outside != 0)
        return outside > 0 ? 0 : -1;
    p->offsets = along_one_axis(index);
    p->flags |= HDI_PLACES_INDICES | (later ? HDI_PLACES_UNSEEN : 0);
    return p->offsets != NULL ? 1 : -1;
}

/* The places by kernels. 1: done; 0: an index is out of range, which the host words; -1: failed. */
static int find_on_device(const hd_array *x, int n, const hd_array *const *index, bool later,
                          hdi_places *p)
{
    if (serves_as_is(x, n, index))
        return take_as_is(x, index[0], later && x->lay->size > 0, p);
    hd_array *sum = NULL, *bad = NULL, *dense = hdi_new(x->st->buf->dev, p->nd, p->dims, HD_INT64);
    bool fine = dense != NULL;
    for (int k = 0; k < n && fine; k++) {
        hd_array *offsets = NULL, *outside = NULL;
        fine = axis_offsets(x, k, index[k], &offsets, &outside);
        sum = k == 0 ? offsets : joined(HD_OP_add, HD_INT64, sum, offsets);
        bad = k == 0 ? outside : joined(HD_OP_logical_or, HD_BOOL, bad, outside);
        fine = fine && sum != NULL && bad != NULL;
    }
    if (fine) {
        hdi_in in = hdi_in_array(sum);
        fine = hdi_store(dense, HD_OP_copy, HD_INT64, 1, &in) == HD_OK;
    }
    int outside = fine ? hdi_any_true(bad) : -1;   /* takes it */
    if (!fine && bad != NULL)
        hdi_array_release(bad);
    if (sum != NULL)
        hdi_array_release(sum);
    hdi_layout *lay = outside == 0 ? hdi_layout_c(1, &p->n, sizeof(int64_t)) : NULL;
    if (lay != NULL)
        p->offsets = hdi_array_view(dense, HD_INT64, lay, dense->off);
    if (dense != NULL)
        hdi_array_release(dense);
    return p->offsets != NULL ? 1 : outside > 0 ? 0 : -1;
}

/* Values go to the host where they are the host's already, or lie elsewhere. */
static bool stays_on_device(const hd_array *x, int n, const hd_array *const *index,
                            const hdi_places *p)
{
    const hd_device *dev = x->st->buf->dev;
    for (int k = 0; k < n; k++)
        if (hdi_is_weak(index[k]) || index[k]->st->buf->dev != dev)
            return false;
    return !dev->host_memory && p->n > 0;
}

/* HDI_PLACES_ODD, if it is so of the places over x's first n axes. */
static int what_is_known(const hd_array *x, int n)
{
    uint64_t places = (uint64_t)x->off;
    for (int a = 0; a < n; a++)
        places |= (uint64_t)hdi_layout_strides(x->lay)[a];
    return places % (uint64_t)x->lay->item != 0 ? HDI_PLACES_ODD : 0;
}

hd_status hdi_find_places(const hd_array *x, int n, const hd_array *const *index, bool later,
                          hdi_places *p)
{
    hd_status status = check_indices(x, n, index, p);
    hdi_staged offsets;
    p->offsets = NULL;
    if (status != HD_OK)
        return status;
    p->flags = what_is_known(x, n);
    int found = stays_on_device(x, n, index, p) ? find_on_device(x, n, index, later, p) : 0;
    if (found != 0)
        return found > 0 ? HD_OK : hd_error_peek()->code;
    if (!hdi_staged_open(x->st->buf->dev, p->n, HD_INT64, &offsets))
        return hd_error_peek()->code;
    memset(offsets.to, 0, offsets.bytes);
    for (int k = 0; k < n && status == HD_OK; k++)
        status = add_index(x, k, index[k], p, offsets.to);
    p->offsets = hdi_staged_close(&offsets, status);
    return p->offsets != NULL ? HD_OK : hd_error_peek()->code;
}

int hdi_with_trailing(const hd_array *x, int n, int nlead, const int64_t *lead, int64_t *dims)
{
    int nd = nlead;
    memcpy(dims, lead, sizeof *dims * (size_t)nlead);
    for (int a = n; a < x->lay->nd; a++)
        dims[nd++] = x->lay->dims[a];
    return nd;
}

/* Do the values have that shape and lie in that order, in memory that is not x's? */
static bool are_spread(const hd_array *x, int nd, const int64_t *dims, const hd_array *values,
                       hd_dtype dt)
{
    return !hdi_is_weak(values) && values->dtype == (int)dt && values->st != x->st &&
           values->st->buf->dev == x->st->buf->dev && values->lay->c_contiguous &&
           values->lay->nd == nd &&
           memcmp(values->lay->dims, dims, sizeof *dims * (size_t)nd) == 0;
}

/* Values of (places, trailing) in dense memory. */
static hd_array *spread_values(const hd_array *x, int nd, const int64_t *dims,
                               const hd_array *values, hd_dtype dt)
{
    hdi_in in = hdi_in_array(values);
    hd_array *v = hdi_new(x->st->buf->dev, nd, dims, dt);
    hd_status status = v != NULL ? hdi_store(v, HD_OP_copy, dt, 1, &in) : HD_NOMEM;
    if (status == HD_SHAPE) {
        char a[200], b[200];
        hd_error_take(NULL);
        hdi_fail(HD_SHAPE,
                 "shape mismatch: value array of shape %s could not be broadcast to indexing "
                 "result of shape %s",
                 hdi_shape_text(values->lay->nd, values->lay->dims, a, sizeof a),
                 hdi_shape_text(nd, dims, b, sizeof b));
    }
    if (status == HD_OK)
        return v;
    if (v != NULL)
        hdi_array_release(v);
    return NULL;
}

hd_array *hdi_values_at(const hd_array *x, int n, const hdi_places *p, const hd_array *values,
                        hd_dtype dt)
{
    int64_t dims[HD_MAXDIM];
    int nd = hdi_with_trailing(x, n, p->nd, p->dims, dims);
    hd_array *v = are_spread(x, nd, dims, values, dt) ? hdi_contiguous(values)
                                                      : spread_values(x, nd, dims, values, dt);
    if (v == NULL)
        return NULL;
    hdi_layout *lay =
        hdi_layout_c(hdi_with_trailing(x, n, 1, &p->n, dims), dims, v->lay->item);
    hd_array *flat = lay != NULL ? hdi_array_view(v, dt, lay, v->off) : NULL;
    hdi_array_release(v);
    return flat;
}
