/* SPDX-License-Identifier: BSD-3-Clause */
/* places.c - see places.h. */
#include "ops/index/places.h"

#include "base/alloc.h"
#include "base/lock.h"

/* ---- indices as the host sees them ----------------------------------------------------------- */

#define INLINE static inline __attribute__((always_inline))

/* uint64 above int64 wraps, as NumPy's. */
INLINE int64_t index_value(const void *values, hd_dtype dt, int64_t i)
{
    switch (dt) {
    case HD_BOOL:
    case HD_UINT8:  return ((const uint8_t *)values)[i];
    case HD_INT8:   return ((const int8_t *)values)[i];
    case HD_INT16:  return ((const int16_t *)values)[i];
    case HD_UINT16: return ((const uint16_t *)values)[i];
    case HD_INT32:  return ((const int32_t *)values)[i];
    case HD_UINT32: return ((const uint32_t *)values)[i];
    default:        return ((const int64_t *)values)[i];
    }
}

/* Macro M(DTYPE) for the dtype of indices: M's inlined functions see a constant. */
#define BY_INDEX_DTYPE(dt, M)                          \
    switch (dt) {                                      \
    case HD_BOOL: case HD_UINT8: M(HD_UINT8); break;   \
    case HD_INT8: M(HD_INT8); break;                   \
    case HD_INT16: M(HD_INT16); break;                 \
    case HD_UINT16: M(HD_UINT16); break;               \
    case HD_INT32: M(HD_INT32); break;                 \
    case HD_UINT32: M(HD_UINT32); break;               \
    default: M(HD_INT64); break;                       \
    }

/* Is any of n dense indices out of range? Without branches: a difference is negative then. */
INLINE bool any_beyond(const void *values, int64_t n, int64_t extent, hd_dtype dt)
{
    uint64_t beyond = 0;
    for (int64_t j = 0; j < n; j++) {
        const uint64_t v = (uint64_t)index_value(values, dt, j);
        beyond |= (v + (uint64_t)extent) | ((uint64_t)extent - 1 - v);
    }
    return beyond >> 63 != 0;
}

/* HD_OK, or which of n dense indices is the first out of range. */
static hd_status check_values(const void *values, hd_dtype dt, int64_t n, int axis, int64_t extent)
{
    bool beyond = false;
#define CHECK(D) beyond = any_beyond(values, n, extent, D)
    BY_INDEX_DTYPE(dt, CHECK)
#undef CHECK
    for (int64_t j = 0; beyond && j < n; j++) {
        const int64_t v = index_value(values, dt, j);
        if (v < -extent || v >= extent)
            return hdi_fail(HD_INDEX, "index %lld is out of bounds for axis %d with size %lld",
                            (long long)v, axis, (long long)extent);
    }
    return HD_OK;
}

/* An index array, read over the places: along the last axis its elements follow each other, or are
 * one. */
typedef struct reading {
    const void *values;
    const hdi_layout *over;
    int64_t extent, stride;
    bool first;                  /* offsets hold nothing yet */
} reading;

INLINE void add_line(const reading *r, int64_t *offsets, int64_t element, int64_t step, int64_t n,
                     hd_dtype dt)
{
    for (int64_t j = 0; j < n; j++) {
        int64_t v = index_value(r->values, dt, element + j * step);
        v = (v + (r->extent & v >> 63)) * r->stride;
        offsets[j] = r->first ? v : offsets[j] + v;
    }
}

INLINE void add_lines(const reading *r, int64_t *offsets, hd_dtype dt)
{
    const hdi_layout *over = r->over;
    const int64_t *steps = hdi_layout_strides(over);
    const int last = over->nd - 1;
    const int64_t n = last < 0 ? 1 : over->dims[last], step = last < 0 ? 0 : steps[last];
    int64_t at[HD_MAXDIM] = {0}, element = 0;
    for (int64_t j = 0; j < over->size; j += n) {
        if (step == 1)
            add_line(r, offsets + j, element, 1, n, dt);
        else
            add_line(r, offsets + j, element, 0, n, dt);
        for (int a = last - 1; a >= 0; a--) {
            element += steps[a];
            if (++at[a] < over->dims[a])
                break;
            element -= steps[a] * over->dims[a];
            at[a] = 0;
        }
    }
}

/* offsets[j] (+)= stride * index for every place j, once all are known to be in range. */
static hd_status add_axis(const hd_array *x, int axis, const hd_array *index,
                          const hdi_layout *over, const void *values, int64_t *offsets)
{
    const reading r = {values, over, x->lay->dims[axis], hdi_layout_strides(x->lay)[axis],
                       axis == 0};
    hd_status status = over->size == 0 ? HD_OK
                                       : check_values(values, (hd_dtype)index->dtype,
                                                      index->lay->size, axis, r.extent);
#define LINES(D) add_lines(&r, offsets, D)
    if (status == HD_OK)
        BY_INDEX_DTYPE(index->dtype, LINES)
#undef LINES
    return status;
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
    hd_status status = HD_OK;
    if (!hdi_values_open(index, &values)) {
        status = hd_error_peek()->code;
    } else {
        status = add_axis(x, axis, index, over, values.at, offsets);
        hdi_values_close(&values);
    }
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

/* The same for indices in the host's memory that lie one after the other: they are looked at now,
 * and again as they are used, for the memory may be somebody else's as well. */
static hd_status take_from_host(const hd_array *x, const hd_array *index, hdi_places *p)
{
    hdi_values values;
    if (!hdi_values_open(index, &values))
        return hd_error_peek()->code;
    hd_status status = check_values(values.at, (hd_dtype)index->dtype, index->lay->size, 0,
                                    x->lay->dims[0]);
    hdi_values_close(&values);
    if (status != HD_OK)
        return status;
    p->offsets = along_one_axis(index);
    p->flags |= HDI_PLACES_INDICES;
    return p->offsets != NULL ? HD_OK : hd_error_peek()->code;
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

/* The places while their thread captures: nobody can look at the indices then, and those out of
 * range wrap around, as CuPy's do. */
static hd_status find_wrapped(const hd_array *x, int n, const hd_array *const *index,
                              hdi_places *p)
{
    hd_array *sum = NULL, *dense = hdi_new(x->st->buf->dev, p->nd, p->dims, HD_INT64);
    bool fine = dense != NULL;
    for (int k = 0; k < n && fine; k++) {
        const int64_t extent = x->lay->dims[k], stride = hdi_layout_strides(x->lay)[k];
        if (extent == 0 && p->n > 0) {
            hdi_fail(HD_INDEX, "index is out of bounds for axis %d with size 0", k);
            fine = false;
            break;
        }
        hd_array *at = number_taken(HD_OP_remainder, HD_INT64, hdi_cast(index[k], HD_INT64),
                                    hdi_max64(extent, 1));
        at = number_taken(HD_OP_multiply, HD_INT64, at, stride);
        sum = k == 0 ? at : joined(HD_OP_add, HD_INT64, sum, at);
        fine = sum != NULL;
    }
    if (fine) {
        hdi_in in = hdi_in_array(sum);
        fine = hdi_store(dense, HD_OP_copy, HD_INT64, 1, &in) == HD_OK;
    }
    if (sum != NULL)
        hdi_array_release(sum);
    hdi_layout *lay = fine ? hdi_layout_c(1, &p->n, sizeof(int64_t)) : NULL;
    if (lay != NULL)
        p->offsets = hdi_array_view(dense, HD_INT64, lay, dense->off);
    if (dense != NULL)
        hdi_array_release(dense);
    return p->offsets != NULL ? HD_OK : hd_error_peek()->code;
}

/* Is it computed, and in memory or a mirror that the host reads? */
static bool is_here(const hd_array *index)
{
    return !hdi_is_weak(index) && hdi_buf_known(index->st->buf);
}

/* Values go to the host where they are the host's already, or lie elsewhere. */
static bool stays_on_device(const hd_array *x, int n, const hd_array *const *index,
                            const hdi_places *p)
{
    const hd_device *dev = x->st->buf->dev;
    bool here = true;
    for (int k = 0; k < n; k++) {
        if (hdi_is_weak(index[k]) || index[k]->st->buf->dev != dev)
            return false;
        here = here && is_here(index[k]);
    }
    return !dev->host_memory && !here && p->n > 0;
}

static bool lies_with_host(const hd_array *x, const hd_array *index, const hdi_places *p)
{
    const hd_device *dev = x->st->buf->dev;
    return (dev->host_memory || is_here(index)) && p->n > 0 && !hdi_is_weak(index) &&
           index->st->buf->dev == dev;
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
    if (hdi_window_captures(x->st->buf->dev))
        return find_wrapped(x, n, index, p);
    int found = stays_on_device(x, n, index, p) ? find_on_device(x, n, index, later, p) : 0;
    if (found != 0)
        return found > 0 ? HD_OK : hd_error_peek()->code;
    if (lies_with_host(x, index[0], p) && serves_as_is(x, n, index) && index[0]->lay->c_contiguous)
        return take_from_host(x, index[0], p);
    if (!hdi_staged_open(x->st->buf->dev, p->n, HD_INT64, &offsets))
        return hd_error_peek()->code;
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

/* A broadcast layout whose axes of the places are one; NULL if their strides do not allow it. */
static hdi_layout *places_merged(const hdi_layout *wide, const hdi_places *p)
{
    int64_t dims[HD_MAXDIM], strides[HD_MAXDIM];
    const int64_t *from = hdi_layout_strides(wide);
    for (int a = 0; a + 1 < p->nd; a++)
        if (from[a] != from[a + 1] * p->dims[a + 1])
            return NULL;
    dims[0] = p->n;
    strides[0] = p->nd > 0 ? from[p->nd - 1] : 0;
    const int nd = wide->nd - p->nd;
    memcpy(dims + 1, wide->dims + p->nd, sizeof *dims * (size_t)nd);
    memcpy(strides + 1, from + p->nd, sizeof *strides * (size_t)nd);
    return hdi_layout_get(1 + nd, dims, strides, wide->item);
}

/* A number as an array without axes, in memory of x's device. */
static hd_array *number_beside(const hd_array *x, const hd_array *number, hd_dtype dt)
{
    uint64_t element[2];
    hdi_staged s;
    hd_array *r = NULL;
    hdi_layout *lay = hdi_layout_c(0, NULL, hdi_itemsize(dt));
    if (lay == NULL || hdi_number_as(&number->weak, dt, element) != HD_OK ||
        !hdi_staged_open(x->st->buf->dev, 1, dt, &s))
        return NULL;
    memcpy(s.to, element, (size_t)hdi_itemsize(dt));
    hd_array *one = hdi_staged_close(&s, HD_OK);
    if (one != NULL) {
        r = hdi_array_view(one, dt, lay, 0);
        hdi_array_release(one);
    }
    return r;
}

/* A device that works in the host's memory reads values by any strides: few that stand for many
 * need not be written out. NULL if these do. */
static hd_array *values_in_place(const hd_array *x, int nd, const int64_t *dims,
                                 const hdi_places *p, const hd_array *values, hd_dtype dt)
{
    const hd_device *dev = x->st->buf->dev;
    if (dev->host_memory && hdi_is_weak(values) && p->n > 0) {
        hd_array *one = number_beside(x, values, dt),
                 *r = one != NULL ? values_in_place(x, nd, dims, p, one, dt) : NULL;
        if (one != NULL)
            hdi_array_release(one);
        return r;
    }
    if (!dev->host_memory || hdi_is_weak(values) || values->dtype != (int)dt ||
        values->st == x->st || values->st->buf->dev != dev || nd - p->nd + 1 > HD_MAXDIM ||
        p->n == 0)
        return NULL;
    hdi_layout *wide = hdi_layout_broadcast(values->lay, nd, dims);
    hdi_layout *lay = wide != NULL ? places_merged(wide, p) : NULL;
    if (lay == NULL)
        hd_error_take(NULL);   /* then they are, or it is said there */
    return lay != NULL ? hdi_array_view(values, dt, lay, values->off) : NULL;
}

hd_array *hdi_values_at(const hd_array *x, int n, const hdi_places *p, const hd_array *values,
                        hd_dtype dt)
{
    int64_t dims[HD_MAXDIM];
    int nd = hdi_with_trailing(x, n, p->nd, p->dims, dims);
    hd_array *v = values_in_place(x, nd, dims, p, values, dt);
    if (v != NULL)
        return v;
    v = are_spread(x, nd, dims, values, dt) ? hdi_contiguous(values)
                                                      : spread_values(x, nd, dims, values, dt);
    if (v == NULL)
        return NULL;
    hdi_layout *lay =
        hdi_layout_c(hdi_with_trailing(x, n, 1, &p->n, dims), dims, v->lay->item);
    hd_array *flat = lay != NULL ? hdi_array_view(v, dt, lay, v->off) : NULL;
    hdi_array_release(v);
    return flat;
}
