/* SPDX-License-Identifier: BSD-3-Clause */
/* view.c - views of an array: new handles over the same storage. They record nothing and force
 * nothing (rule M1). */
#include "core/array.h"

#include "base/lock.h"

/* A weak scalar has no storage to view. */
static bool viewable(const hd_array *x)
{
    if (x == NULL)
        return hdi_null("an array") != NULL;
    if (!hdi_is_weak(x))
        return true;
    hdi_fail(HD_VALUE, "a weak scalar has no views; make an array of it first");
    return false;
}

static hd_array *make_view(const hd_array *x, hd_dtype dt, int nd, const int64_t *dims,
                           const int64_t *strides, int64_t off, bool readonly)
{
    hdi_lock();
    hdi_layout *lay = hdi_layout_get(nd, dims, strides, hdi_itemsize(dt));
    hd_array *v = lay != NULL ? hdi_array_view(x, dt, lay, off) : NULL;
    if (v != NULL && readonly)
        v->flags |= HDI_A_READONLY;
    hdi_unlock();
    return hdi_scope_own(v);
}

static hd_array *view(const hd_array *x, int nd, const int64_t *dims, const int64_t *strides,
                      int64_t off)
{
    return make_view(x, (hd_dtype)x->dtype, nd, dims, strides, off, false);
}

hd_array *hd_alias(const hd_array *x)
{
    return viewable(x) ? view(x, x->lay->nd, x->lay->dims, hdi_layout_strides(x->lay), x->off)
                       : NULL;
}

/* Python's slice.indices(): start, step and number of elements of a slice over n. */
static int64_t slice_length(const hd_index *s, int64_t n, int64_t *start)
{
    int64_t step = s->step == HD_NONE ? 1 : s->step;
    int64_t low = step < 0 ? -1 : 0, high = step < 0 ? n - 1 : n;
    int64_t a = s->start, b = s->stop;
    if (a == HD_NONE)
        a = step < 0 ? high : low;
    else
        a = a < 0 ? hdi_max64(a + n, low) : hdi_min64(a, high);
    if (b == HD_NONE)
        b = step < 0 ? low : high;
    else
        b = b < 0 ? hdi_max64(b + n, low) : hdi_min64(b, high);
    *start = a;
    if (step < 0)
        return b < a ? (a - b - 1) / (step == INT64_MIN ? INT64_MAX : -step) + 1 : 0;
    return a < b ? (b - a - 1) / step + 1 : 0;
}

static hd_status index_axis(const hd_array *x, int axis, const hd_index *item, int64_t *dims,
                            int64_t *strides, int *nd, int64_t *off)
{
    int64_t n = x->lay->dims[axis], stride = hdi_layout_strides(x->lay)[axis], start;
    if (item->kind == HD_INDEX_INT) {
        if (item->start < -n || item->start >= n)
            return hdi_fail(HD_INDEX, "index %lld is out of bounds for axis %d with size %lld",
                            (long long)item->start, axis, (long long)n);
        if (x->lay->size > 0)   /* strides of nothing may be anything */
            *off += (item->start < 0 ? item->start + n : item->start) * stride;
        return HD_OK;
    }
    if (item->step == 0)
        return hdi_fail(HD_VALUE, "slice step cannot be zero");
    int64_t count = slice_length(item, n, &start);
    *off += count > 0 && x->lay->size > 0 ? start * stride : 0;
    dims[*nd] = count;
    /* A step beyond the extent leaves one element: its stride is never used, but must not
     * overflow. */
    int64_t step = item->step == HD_NONE ? 1 : item->step;
    if (!hdi_mul64(stride, step, &strides[*nd]))
        strides[*nd] = stride;
    (*nd)++;
    return HD_OK;
}

hd_array *hd_slice(const hd_array *x, int nitems, const hd_index *items)
{
    int64_t dims[HD_MAXDIM], strides[HD_MAXDIM];
    int64_t off;
    int nd = 0, axis = 0, used = 0, ellipses = 0, added = 0;
    if (!viewable(x))
        return NULL;
    off = x->off;
    if (nitems < 0 || nitems > 2 * HD_MAXDIM + 1) {   /* an ellipsis, each axis taken and added */
        hdi_fail(HD_INDEX, "an index of %d items", nitems);
        return NULL;
    }
    if (items == NULL && nitems > 0)
        return hdi_null("the items of an index");
    for (int k = 0; k < nitems; k++) {
        used += items[k].kind == HD_INDEX_INT || items[k].kind == HD_INDEX_SLICE;
        ellipses += items[k].kind == HD_INDEX_ELLIPSIS;
        added += items[k].kind == HD_INDEX_NEWAXIS;
    }
    if (used > x->lay->nd || ellipses > 1 || x->lay->nd + added > HD_MAXDIM) {
        if (used > x->lay->nd)
            hdi_fail(HD_INDEX,
                     "too many indices for array: array is %d-dimensional, but %d were indexed",
                     x->lay->nd, used);
        else if (ellipses > 1)
            hdi_fail(HD_INDEX, "an index can only have a single ellipsis ('...')");
        else
            hdi_fail(HD_INDEX,
                     "number of dimensions must be within [0, %d], indexing result would have %d",
                     HD_MAXDIM, x->lay->nd + added);
        return NULL;
    }
    const hd_index all = {HD_INDEX_SLICE, HD_NONE, HD_NONE, HD_NONE};
    for (int k = 0; k < nitems + (ellipses == 0); k++) {
        /* what is left out at the end is taken whole */
        hd_index_kind kind = k < nitems ? items[k].kind : HD_INDEX_ELLIPSIS;
        if (kind == HD_INDEX_NEWAXIS) {
            dims[nd] = 1;
            strides[nd++] = 0;
        } else if (kind == HD_INDEX_ELLIPSIS) {
            for (int rest = x->lay->nd - used; rest > 0; rest--)
                (void)index_axis(x, axis++, &all, dims, strides, &nd, &off);
        } else if (index_axis(x, axis++, &items[k], dims, strides, &nd, &off) != HD_OK) {
            return NULL;
        }
    }
    return view(x, nd, dims, strides, off);
}

hd_array *hd_transpose(const hd_array *x, const int *axes)
{
    int64_t dims[HD_MAXDIM], strides[HD_MAXDIM];
    uint64_t seen = 0;
    if (!viewable(x))
        return NULL;
    int nd = x->lay->nd;
    for (int a = 0; a < nd; a++) {
        int from = axes != NULL ? axes[a] : nd - 1 - a;
        if (from < -nd || from >= nd) {
            hdi_fail_axis(from, nd);
            return NULL;
        }
        from += from < 0 ? nd : 0;
        if (seen >> from & 1) {
            hdi_fail(HD_VALUE, "repeated axis in transpose");
            return NULL;
        }
        seen |= (uint64_t)1 << from;
        dims[a] = x->lay->dims[from];
        strides[a] = hdi_layout_strides(x->lay)[from];
    }
    return view(x, nd, dims, strides, x->off);
}

bool hdi_reshape_dims(const hd_array *x, int nd, const int64_t *shape, int64_t *dims)
{
    int64_t known = 1, bytes;
    int unknown = -1;
    char to[200];
    if (nd < 0 || nd > HD_MAXDIM || (shape == NULL && nd > 0))   /* its error */
        return hdi_shape_check(nd, shape, x->lay->item, &bytes) == HD_OK;
    for (int a = 0; a < nd; a++) {
        dims[a] = shape[a];
        if (shape[a] < 0 && unknown < 0) {   /* any negative number, as NumPy */
            unknown = a;
            dims[a] = 1;
        } else if (shape[a] < 0) {
            hdi_fail(HD_VALUE, "can only specify one unknown dimension");
            return false;
        }
    }
    if (hdi_shape_check(nd, dims, x->lay->item, &bytes) != HD_OK)
        return false;
    for (int a = 0; a < nd; a++)
        known *= dims[a];
    if (unknown >= 0 && known > 0 && x->lay->size % known == 0) {
        dims[unknown] = x->lay->size / known;
        return true;
    }
    if (unknown < 0 && known == x->lay->size)
        return true;
    hdi_fail(HD_VALUE, "cannot reshape array of size %lld into shape %s", (long long)x->lay->size,
             hdi_shape_text(nd, shape, to, sizeof to));
    return false;
}

/* Strides of the same elements in C order under other extents; false if no strides do that. Runs
 * of axes that are walked like one axis are cut anew. Source: the same question is NumPy's
 * _attempt_nocopy_reshape. */
static bool reshape_strides(const hdi_layout *l, int nd, const int64_t *dims, int64_t *strides)
{
    int old = 0, new = 0;
    const int64_t *od = l->sqdims, *os = l->sqstrides;
    if (l->size == 0) {
        int64_t step = l->item;
        for (int a = nd - 1; a >= 0; a--) {
            strides[a] = step;
            step *= dims[a] ? dims[a] : 1;
        }
        return true;
    }
    while (new < nd && old < l->nsq) {
        int64_t np = dims[new], op = od[old];
        int next_new = new + 1, next_old = old + 1;
        while (np != op)
            if (np < op)
                np *= dims[next_new++];
            else
                op *= od[next_old++];
        for (int k = old; k < next_old - 1; k++)
            if (os[k] != od[k + 1] * os[k + 1])
                return false;
        strides[next_new - 1] = os[next_old - 1];
        for (int k = next_new - 1; k > new; k--)
            strides[k - 1] = strides[k] * dims[k];
        new = next_new;
        old = next_old;
    }
    int64_t last = new > 0 ? strides[new - 1] : l->item;
    for (; new < nd; new++)
        strides[new] = last;
    return true;
}

bool hdi_reshape_is_view(const hd_array *x, int nd, const int64_t *dims)
{
    int64_t strides[HD_MAXDIM];
    return reshape_strides(x->lay, nd, dims, strides);
}

bool hdi_find_element(const hd_array *x, int n, const int64_t *index, int64_t *off)
{
    const hdi_layout *l = x->lay;
    const int64_t *strides = hdi_layout_strides(l);
    *off = x->off;
    if (HDI_UNLIKELY(n != l->nd || (n > 0 && index == NULL))) {
        hdi_fail(HD_INDEX, "%d indices for an array of %d dimensions", n, l->nd);
        return false;
    }
    for (int a = 0; a < n; a++) {
        int64_t i = index[a];
        if (HDI_UNLIKELY(i < -l->dims[a] || i >= l->dims[a])) {
            hdi_fail(HD_INDEX, "index %lld is out of bounds for axis %d with size %lld",
                     (long long)i, a, (long long)l->dims[a]);
            return false;
        }
        *off += (i < 0 ? i + l->dims[a] : i) * strides[a];
    }
    return true;
}

hd_array *hd_reshape_view(const hd_array *x, int nd, const int64_t *shape)
{
    int64_t dims[HD_MAXDIM], strides[HD_MAXDIM];
    char text[200];
    if (!viewable(x))
        return NULL;
    if (!hdi_reshape_dims(x, nd, shape, dims))
        return NULL;
    if (!reshape_strides(x->lay, nd, dims, strides)) {
        hdi_fail(HD_VALUE, "no view has shape %s without a copy",
                 hdi_shape_text(nd, shape, text, sizeof text));
        return NULL;
    }
    return view(x, nd, dims, strides, x->off);
}

hd_array *hd_broadcast_to(const hd_array *x, int nd, const int64_t *shape)
{
    int64_t bytes;
    char from[200], to[200];
    if (!viewable(x) || hdi_shape_check(nd, shape, x->lay->item, &bytes) != HD_OK)
        return NULL;
    if (!hdi_layout_fits(x->lay, nd, shape)) {
        hdi_fail(HD_SHAPE, "cannot broadcast array of shape %s to shape %s",
                 hdi_shape_text(x->lay->nd, x->lay->dims, from, sizeof from),
                 hdi_shape_text(nd, shape, to, sizeof to));
        return NULL;
    }
    hdi_lock();
    hdi_layout *lay = hdi_layout_broadcast(x->lay, nd, shape);
    hd_array *v = lay != NULL ? hdi_array_view(x, (hd_dtype)x->dtype, lay, x->off) : NULL;
    hdi_unlock();
    if (v != NULL)
        v->flags |= HDI_A_READONLY;
    return hdi_scope_own(v);
}

static bool normal_axis(int axis, int nd, int *out)
{
    if (axis < -nd || axis >= nd) {
        hdi_fail_axis(axis, nd);
        return false;
    }
    *out = axis < 0 ? axis + nd : axis;
    return true;
}

hd_array *hd_diagonal(const hd_array *x, int64_t offset, int axis1, int axis2)
{
    int64_t dims[HD_MAXDIM], strides[HD_MAXDIM];
    int a1, a2, n = 0;
    if (!viewable(x))
        return NULL;
    int nd = x->lay->nd;
    if (nd < 2) {
        hdi_fail(HD_VALUE, "diag requires an array of at least two dimensions");
        return NULL;
    }
    if (!normal_axis(axis1, nd, &a1) || !normal_axis(axis2, nd, &a2))
        return NULL;
    if (a1 == a2) {
        hdi_fail(HD_VALUE, "axis1 and axis2 cannot be the same");
        return NULL;
    }
    const int64_t *d = x->lay->dims, *s = hdi_layout_strides(x->lay);
    int64_t length =
        offset >= 0 ? hdi_min64(d[a1], d[a2] - hdi_min64(offset, d[a2]))
                    : hdi_min64(d[a1] - hdi_min64(-hdi_max64(offset, -INT64_MAX), d[a1]), d[a2]);
    int64_t off = x->off;
    if (length > 0)
        off += offset >= 0 ? offset * s[a2] : -offset * s[a1];
    for (int a = 0; a < nd; a++)
        if (a != a1 && a != a2) {
            dims[n] = d[a];
            strides[n++] = s[a];
        }
    dims[n] = length;
    strides[n++] = s[a1] + s[a2];
    return make_view(x, (hd_dtype)x->dtype, n, dims, strides, off, true);
}

static hd_array *part(const hd_array *x, int64_t shift)
{
    return make_view(x, hd_dtype_real((hd_dtype)x->dtype), x->lay->nd, x->lay->dims,
                     hdi_layout_strides(x->lay), x->off + shift, false);
}

hd_array *hd_real(const hd_array *x)
{
    if (!viewable(x))
        return NULL;
    return hdi_is_complex((hd_dtype)x->dtype) ? part(x, 0) : hd_alias(x);
}

hd_array *hdi_imag_view(const hd_array *x)
{
    return viewable(x) ? part(x, x->lay->item / 2) : NULL;
}

/* Do all elements of lay at offset off lie in the first n bytes? Written so that nothing
 * overflows. */
static bool stays_inside(const hdi_layout *lay, int64_t off, int64_t n)
{
    return lay->size == 0 ||
           (lay->lo > INT64_MIN && off >= -lay->lo && off <= n - lay->item - lay->hi);
}

hd_array *hd_as_strided(const hd_array *x, int nd, const int64_t *shape, const int64_t *strides,
                        int64_t offset)
{
    int64_t off;
    if (!viewable(x))
        return NULL;
    hdi_lock();
    hdi_layout *lay = hdi_layout_get(nd, shape, strides, x->lay->item);
    hd_array *v = NULL;
    if (lay != NULL) {
        bool fits = hdi_add64(x->off, offset, &off) && stays_inside(lay, off, x->st->buf->nbytes);
        if (!fits)
            hdi_fail(HD_VALUE,
                     "strided view leaves its storage: offsets %lld to %lld of elements from byte "
                     "%lld, storage of %lld bytes",
                     (long long)lay->lo, (long long)lay->hi, (long long)offset,
                     (long long)x->st->buf->nbytes);
        else
            v = hdi_array_view(x, (hd_dtype)x->dtype, lay, lay->size > 0 ? off : x->off);
    }
    hdi_unlock();
    return hdi_scope_own(v);
}

hd_array *hd_view(const hd_array *x, hd_dtype dt)
{
    int64_t dims[HD_MAXDIM], strides[HD_MAXDIM];
    if (!viewable(x) || hdi_dtype_check(dt) != HD_OK)
        return NULL;
    const hdi_layout *l = x->lay;
    int64_t old = l->item, new = hdi_itemsize(dt);
    for (int a = 0; a < l->nd; a++) {
        dims[a] = l->dims[a];
        strides[a] = hdi_layout_strides(l)[a];
    }
    if (old != new) {
        int last = l->nd - 1;
        if (l->nd == 0) {
            hdi_fail(
                HD_VALUE,
                "Changing the dtype of a 0d array is only supported if the itemsize is unchanged");
            return NULL;
        }
        if (l->size > 0 && dims[last] != 1 && strides[last] != old) {
            hdi_fail(HD_VALUE,
                     "To change to a dtype of a different size, the last axis must be contiguous");
            return NULL;
        }
        if (new > old ? dims[last] * old % new != 0 : old % new != 0) {
            hdi_fail(HD_VALUE, "When changing to a larger dtype, its size must be a divisor of the "
                               "total size in bytes of the last axis "
                               "of the array.");
            return NULL;
        }
        dims[last] = dims[last] * old / new;
        strides[last] = new;
    }
    return make_view(x, dt, l->nd, dims, strides, x->off, false);
}

/* A list of axes as callers give it: 0 and NULL mean all. */
static bool usable_axes(int *naxes, const int *axes)
{
    if (*naxes == 0 && axes == NULL)
        *naxes = HD_ALL_AXES;
    if (*naxes < HD_ALL_AXES)
        hdi_fail(HD_VALUE, "a list of %d axes", *naxes);
    else if (*naxes > 0 && axes == NULL)
        hdi_fail_null("the list of axes");
    else
        return true;
    return false;
}

hd_array *hd_squeeze(const hd_array *x, int naxes, const int *axes)
{
    int64_t dims[HD_MAXDIM], strides[HD_MAXDIM];
    uint64_t drop = 0;
    int n = 0, axis;
    if (!viewable(x) || !usable_axes(&naxes, axes))
        return NULL;
    for (int k = 0; k < naxes; k++) {
        if (!normal_axis(axes[k], x->lay->nd, &axis))
            return NULL;
        if (x->lay->dims[axis] != 1) {
            hdi_fail(HD_VALUE,
                     "cannot select an axis to squeeze out which has size not equal to one");
            return NULL;
        }
        if (drop >> axis & 1) {
            hdi_fail(HD_VALUE, "duplicate value in 'axis': %d", axes[k]);
            return NULL;
        }
        drop |= (uint64_t)1 << axis;
    }
    for (int a = 0; a < x->lay->nd; a++) {
        if (naxes == HD_ALL_AXES ? x->lay->dims[a] == 1 : (drop >> a & 1) != 0)
            continue;
        dims[n] = x->lay->dims[a];
        strides[n++] = hdi_layout_strides(x->lay)[a];
    }
    return view(x, n, dims, strides, x->off);
}

hd_array *hd_expand_dims(const hd_array *x, int naxes, const int *axes)
{
    int64_t dims[HD_MAXDIM], strides[HD_MAXDIM];
    uint64_t added = 0;
    int axis, from = 0;
    if (!viewable(x))
        return NULL;
    if (naxes < 0 || (axes == NULL && naxes > 0)) {
        if (naxes < 0)
            hdi_fail(HD_VALUE, "%d axes to add", naxes);
        else
            hdi_fail_null("the list of axes");
        return NULL;
    }
    int nd = naxes <= HD_MAXDIM ? x->lay->nd + naxes : naxes;
    if (nd > HD_MAXDIM) {
        hdi_fail_ndim(nd);
        return NULL;
    }
    for (int k = 0; k < naxes; k++) {
        if (!normal_axis(axes[k], nd, &axis))
            return NULL;
        if (added >> axis & 1) {
            hdi_fail(HD_VALUE, "repeated axis");
            return NULL;
        }
        added |= (uint64_t)1 << axis;
    }
    for (int a = 0; a < nd; a++) {
        bool fresh = added >> a & 1;
        dims[a] = fresh ? 1 : x->lay->dims[from];
        strides[a] = fresh ? 0 : hdi_layout_strides(x->lay)[from];
        from += !fresh;
    }
    return view(x, nd, dims, strides, x->off);
}
