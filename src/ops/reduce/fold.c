/* SPDX-License-Identifier: BSD-3-Clause */
/* fold.c - elementwise operations over all elements, or over pieces, of an axis: what has no row
 * in red.def goes from the first element to the last, in one library call. */
#include "ops/reduce/red.h"

#include <math.h>

#include "base/alloc.h"
#include "base/lock.h"

/* ---- one library call ------------------------------------------------------------------------ */

/* A fresh result with these extents, in the memory order that steps say. */
static hd_array *new_like(const hd_array *x, int nd, const int64_t *dims, const int64_t *steps,
                          hd_dtype dt)
{
    hdi_layout *like = hdi_layout_get(nd, dims, steps, x->lay->item);
    hdi_layout *lay = like != NULL ? hdi_layout_k(nd, dims, hdi_itemsize(dt), 1,
                                                  &(const hdi_layout *){like})
                                   : NULL;
    return lay != NULL ? hdi_array_new(x->st->buf->dev, dt, lay) : NULL;
}

/* All of axis `axis` of x (which has elements) to one element. */
static hd_array *fold_axis(hd_op op, hd_dtype cdt, const hd_array *x, int axis, bool keepdims)
{
    int64_t dims[HD_MAXDIM], strides[HD_MAXDIM];
    int nd = x->lay->nd, kept = 0;
    for (int a = 0; a < nd; a++)
        if (a != axis || keepdims) {
            strides[kept] = a == axis ? 0 : hdi_layout_strides(x->lay)[a];
            dims[kept++] = a == axis ? 1 : x->lay->dims[a];
        }
    hd_array *r = new_like(x, kept, dims, strides, cdt);
    if (r == NULL)
        return NULL;
    for (int a = 0, from = 0; a < nd; a++) {
        dims[a] = a == axis ? 1 : x->lay->dims[a];
        strides[a] = a == axis ? 0 : hdi_layout_strides(r->lay)[from];
        from += a != axis || keepdims;
    }
    hdi_layout *lay = hdi_layout_get(nd, dims, strides, r->lay->item);
    hd_status status = lay != NULL ? hdi_check_fold(op, cdt, x, axis) : HD_NOMEM;
    if (status == HD_OK && r->lay->size > 0)
        status = hdi_record_fold(HD_OP_reduceat, op, cdt, axis, r, lay, x, NULL);
    if (status == HD_OK)
        return r;
    hdi_array_release(r);
    return NULL;
}

/* ---- folds, composed ------------------------------------------------------------------------- */

static hd_array *locked_fold(hd_op op, hd_dtype cdt, const hd_array *x, int axis, bool keepdims)
{
    if (x == NULL)
        return NULL;
    hdi_lock();
    hdi_watching.whole = "reduce";
    hd_array *from = hdi_cast(x, cdt), *r = NULL;
    if (from != NULL) {
        r = fold_axis(op, cdt, from, axis, keepdims);
        hdi_array_release(from);
    }
    hdi_watching.whole = NULL;
    return hdi_done(r, "reduce");
}

/* x with the axes in mask last, as one. */
static hd_array *axes_last(const hd_array *x, uint64_t mask, int64_t *reduced)
{
    int order[HD_MAXDIM], n = 0, kept = 0;
    int64_t dims[HD_MAXDIM];
    *reduced = 1;
    if (x == NULL)
        return NULL;
    for (int a = 0; a < x->lay->nd; a++)
        if (!(mask >> a & 1)) {
            dims[n] = x->lay->dims[a];
            order[n++] = a;
        }
    kept = n;
    for (int a = 0; a < x->lay->nd; a++)
        if (mask >> a & 1) {
            *reduced *= x->lay->dims[a];
            order[n++] = a;
        }
    dims[kept] = *reduced;
    return hd_reshape(hd_transpose(x, order), kept + 1, dims, 'C');
}

/* One slice of x along axis a: its value before the first element. */
static hd_array *with_initial(const hd_array *x, int axis, const hd_array *initial)
{
    int64_t dims[HD_MAXDIM];
    memcpy(dims, x->lay->dims, sizeof *dims * (size_t)x->lay->nd);
    dims[axis] = 1;
    const hd_array *parts[2] = {hd_full(x->lay->nd, dims, initial, (hd_dtype)x->dtype), x};
    return parts[0] != NULL ? hd_concatenate(2, parts, axis, (hd_dtype)x->dtype, NULL) : NULL;
}

/* Step by step, leaving out what the mask does: acc = where(mask, op(acc, x), acc). */
static hd_array *fold_masked(hd_op op, hd_dtype cdt, const hd_array *x, const hd_array *mask,
                             int axis, const hd_array *initial)
{
    int64_t dims[HD_MAXDIM];
    int nd = 0;
    for (int a = 0; a < x->lay->nd; a++)
        if (a != axis)
            dims[nd++] = x->lay->dims[a];
    hd_array *acc = hd_full(nd, dims, initial, cdt);
    for (int64_t i = 0; i < x->lay->dims[axis] && acc != NULL; i++) {
        hd_index at[HD_MAXDIM];
        for (int a = 0; a < axis; a++)
            at[a] = (hd_index){HD_INDEX_SLICE, HD_NONE, HD_NONE, 1};
        at[axis] = (hd_index){HD_INDEX_INT, i, 0, 0};
        const hd_array *in[2] = {acc, hd_slice(x, axis + 1, at)};
        hd_apply_options o = {.size = sizeof o, .dtype = cdt, .casting = HD_CAST_UNSAFE};
        hd_array *next = hd_apply(op, 2, in, &o);
        acc = hd_astype(hd_where(hd_slice(mask, axis + 1, at), next, acc), cdt, 'K',
                        HD_CAST_UNSAFE, 0);
    }
    return acc;
}

static hd_array *spread_result(const hd_array *r, const hd_array *x, uint64_t mask)
{
    int64_t dims[HD_MAXDIM];
    for (int a = 0; a < x->lay->nd; a++)
        dims[a] = mask >> a & 1 ? 1 : x->lay->dims[a];
    return hd_reshape(r, x->lay->nd, dims, 'C');
}

static hd_array *identity(const hd_fold_info *info, hd_dtype cdt)
{
    bool whole = hdi_is_int(cdt) || cdt == HD_BOOL;
    hd_array *value = whole ? hd_full(0, NULL, hd_int((int64_t)info->identity), HD_INT64)
                            : hd_full(0, NULL, hd_float(info->identity), cdt);
    return hd_astype(value, cdt, 'K', HD_CAST_UNSAFE, 0);
}

static hd_status check(hd_op op, const hd_fold_info *info, int naxes, bool masked, bool initial)
{
    const char *name = hdi_op_rows[op].info.name;
    if (naxes > 1 && info == NULL)
        return hdi_fail(
            HD_VALUE,
            "reduction operation '%s' is not reorderable, so at most one axis may be specified",
            name);
    if (masked && !initial && (info == NULL || isnan(info->identity)))
        return hdi_fail(HD_VALUE,
                        "reduction operation '%s' does not have an identity, so to use a where "
                        "mask one has to specify 'initial'",
                        name);
    return HD_OK;
}

/* Over `axis` of from, which has x's other axes in order before it. */
static hd_array *fold_one(hd_op op, hd_dtype cdt, hd_array *from, const hd_array *where, int axis,
                          const hd_array *initial)
{
    const hd_fold_info *info = hd_fold_info_of(op);
    bool has_identity = info != NULL && !isnan(info->identity);
    if (from == NULL)
        return NULL;
    if (where != NULL && has_identity)
        from = hd_astype(hd_where(where, from, identity(info, cdt)), cdt, 'K', HD_CAST_UNSAFE, 0);
    else if (where != NULL)
        return fold_masked(op, cdt, from, where, axis, initial);
    /* NumPy begins with the identity, which shows where one element is all there is */
    if (initial == NULL && has_identity && from != NULL && from->lay->dims[axis] == 1 &&
        (initial = identity(info, cdt)) == NULL)
        return NULL;
    if (initial != NULL && from != NULL)
        from = with_initial(from, axis, initial);
    if (from != NULL && from->lay->dims[axis] == 0) {
        int64_t dims[HD_MAXDIM];
        if (has_identity) {
            memcpy(dims, from->lay->dims, sizeof *dims * (size_t)axis);
            return hd_full(axis, dims, identity(info, cdt), cdt);
        }
        hdi_fail(HD_VALUE, "zero-size array to reduction operation %s which has no identity",
                 hdi_op_rows[op].info.name);
        return NULL;
    }
    return locked_fold(op, cdt, from, axis, false);
}

/* A result with x's axes, as array or value, or in out. */
static hd_array *finish(hd_array *r, const hd_array *x, uint64_t mask, const hd_reduce_options *o)
{
    if (r != NULL && o->keepdims)
        r = spread_result(r, x, mask);
    if (r == NULL)
        return NULL;
    if (o->out == NULL)
        return hd_ndim(r) == 0 ? hd_scalar_of(r) : r;
    hdi_lock();
    r->rc++;
    return hdi_done(hdi_reduce_deliver(r, o->out), "reduce");
}

hd_array *hdi_fold(hd_op op, const hd_array *x, const hd_reduce_options *o)
{
    uint64_t mask;
    int64_t reduced;
    const hd_fold_info *info = hd_fold_info_of(op);
    hd_dtype cdt;
    if (hdi_foldable(op, "reduce") != HD_OK ||
        hdi_axes_mask(o->naxes, o->axes, x->lay->nd, &mask) != HD_OK)
        return NULL;
    hdi_lock();
    cdt = hdi_fold_loop(op, (hd_dtype)x->dtype, o->dtype, o->out);
    hdi_unlock();
    if (cdt == HD_NO_DTYPE || check(op, info, __builtin_popcountll(mask), o->where != NULL,
                                    o->initial != NULL) != HD_OK)
        return NULL;
    int scope = hd_scope_begin();
    hd_array *where = NULL, *own = hd_astype(x, cdt, 'K', HD_CAST_UNSAFE, 0), *r;
    if (o->where != NULL) {
        if (!hdi_mask_fits(x, o->where))
            return hd_scope_end(scope, NULL);
        where = axes_last(hd_broadcast_to(o->where, x->lay->nd, x->lay->dims), mask, &reduced);
    }
    hd_array *from = axes_last(own, mask, &reduced);
    r = from != NULL && (o->where == NULL || where != NULL)
            ? fold_one(op, cdt, from, where, from->lay->nd - 1, o->initial)
            : NULL;
    return hd_scope_end(scope, finish(r, x, mask, o));
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static hd_status check_index(hd_op op, const int64_t *at, int64_t n, int64_t extent)
{
    for (int64_t j = 0; j < n; j++)
        if (at[j] < 0 || at[j] >= extent)
            return hdi_fail(HD_INDEX, "index %lld out-of-bounds in %s.reduceat [0, %lld)",
                            (long long)at[j], hdi_op_rows[op].info.name, (long long)extent);
    return HD_OK;
}

/* The indices as int64, each within the axis, and the extent behind them; the lock is away
 * meanwhile. */
static hd_array *pieces(hd_op op, const hd_array *index, int64_t extent)
{
    if (index->lay->nd != 1 || !hdi_is_int((hd_dtype)index->dtype)) {
        hdi_fail(HD_VALUE, "indices of reduceat must be integers along one axis");
        return NULL;
    }
    const int64_t n = index->lay->size;
    hd_array *own = hdi_new_copy(index, HD_INT64, hdi_layout_c(1, index->lay->dims, 8)), *r = NULL;
    hdi_values v;
    hdi_staged to;
    if (own != NULL && hdi_values_open(own, &v)) {
        if (check_index(op, v.at, n, extent) == HD_OK &&
            hdi_staged_open(own->st->buf->dev, n + 1, HD_INT64, &to)) {
            memcpy(to.to, v.at, (size_t)n * sizeof(int64_t));
            ((int64_t *)to.to)[n] = extent;
            r = hdi_staged_close(&to, HD_OK);
        }
        hdi_values_close(&v);
    }
    if (own != NULL)
        hdi_array_release(own);
    return r;
}

/* at: n indices and the extent behind them. */
static hd_array *reduceat(hd_op op, hd_dtype cdt, const hd_array *x, const hd_array *at, int axis)
{
    int64_t dims[HD_MAXDIM], steps[HD_MAXDIM];
    hd_array *from = hdi_cast(x, cdt), *r = NULL;
    if (from == NULL)
        return NULL;
    memcpy(dims, x->lay->dims, sizeof *dims * (size_t)x->lay->nd);
    memcpy(steps, hdi_layout_strides(x->lay), sizeof *steps * (size_t)x->lay->nd);
    dims[axis] = at->lay->size - 1;
    steps[axis] = 0;   /* NumPy walks the other axes only: they alone say in which order */
    if (hdi_check_fold(op, cdt, from, axis) == HD_OK)
        r = new_like(x, x->lay->nd, dims, steps, cdt);
    if (r != NULL && r->lay->size > 0 &&
        hdi_record_fold(HD_OP_reduceat, op, cdt, axis, r, r->lay, from, at) != HD_OK) {
        hdi_array_release(r);
        r = NULL;
    }
    hdi_array_release(from);
    return r;
}

hd_array *hd_reduceat(hd_op op, const hd_array *x, const hd_array *index, int axis, hd_dtype dt,
                      hd_array *out)
{
    if (x == NULL || index == NULL)
        return hdi_null("an array");
    if (hdi_foldable(op, "reduceat") != HD_OK)
        return NULL;
    if (hdi_is_weak(x) || x->lay->nd == 0) {
        hdi_fail(HD_DTYPE, "cannot reduceat on a scalar");
        return NULL;
    }
    int along;
    hd_array *at = NULL, *r = NULL;
    hd_dtype cdt;
    hdi_lock();
    if (hdi_axis(axis, x->lay->nd, &along) == HD_OK)   /* indices before dtypes, as NumPy does */
        at = pieces(op, index, x->lay->dims[along]);
    if (at != NULL && (cdt = hdi_fold_loop(op, (hd_dtype)x->dtype, dt, out)) != HD_NO_DTYPE)
        r = reduceat(op, cdt, x, at, along);
    if (at != NULL)
        hdi_array_release(at);
    return hdi_done(hdi_reduce_deliver(r, out), "reduceat");
}
