/* SPDX-License-Identifier: BSD-3-Clause */
/* py_fancy.c - x[key] where key has integer arrays, boolean masks or lists in it: NumPy's
 * advanced indexing.
 *
 * The key becomes a basic index, in which each index array stands as a full slice, and a list of
 * (axis of that view, index array). The indexed axes are moved to the front for hd_take() or
 * hd_put(), which know only that case, and the axes of the result are moved to where NumPy puts
 * them: to the place of the index arrays if those stand side by side (an int beside them counts
 * as one of them), else to the front. A mask of k axes is k index arrays, its hd_nonzero(). A
 * mask of no axes (True, False) is a new axis of extent 1 and one index array of one zero or
 * none. */
#include "py_fancy.h"

#include <string.h>

/* ---- axes ------------------------------------------------------------------------------------ */

/* Is the basic view all of x, axis for axis? */
static int is_all(const fancy_key *k)
{
    for (int i = 0; i < k->nbasic; i++) {
        const hd_index *b = &k->basic[i];
        if (b->kind != HD_INDEX_ELLIPSIS &&
            (b->kind != HD_INDEX_SLICE || b->start != HD_NONE || b->stop != HD_NONE ||
             b->step != 1))
            return 0;
    }
    return 1;
}

/* The basic view of x, its indexed axes moved to the front. */
static hd_array *front_view(const fancy_key *k, hd_array *x)
{
    hd_array *view = is_all(k) ? hd_retain(x) : hd_slice(x, k->nbasic, k->basic);
    if (!view)
        return NULL;
    int axes[2 * HD_MAXDIM], n = 0, moved = 0;
    for (int i = 0; i < k->nindex; i++) {
        moved |= k->axis[i] != i;
        axes[n++] = k->axis[i];
    }
    for (int ax = 0, i = 0; ax < hd_ndim(view); ax++)
        if (i < k->nindex && k->axis[i] == ax)
            i++;
        else
            axes[n++] = ax;
    if (!moved)
        return view;
    hd_array *front = hd_transpose(view, axes);
    hd_release(view);
    return front;
}

/* Axes that exchange two neighbouring groups: the first `a` axes and the `b` after them. */
static hd_array *swap_groups(const hd_array *x, int a, int b)
{
    int axes[HD_MAXDIM];
    for (int i = 0; i < hd_ndim(x); i++)
        axes[i] = i < b ? a + i : i < a + b ? i - b : i;
    return hd_transpose(x, axes);
}

/* The key turned out to be basic: 0-d integer arrays were its only arrays. The result is a copy,
 * as NumPy's. */
static PyObject *get_basic(PyObject *self, const fancy_key *k)
{
    hd_array *view = hd_slice(hp_a(self), k->nbasic, k->basic), *copy = NULL;
    if (view)
        copy = hd_ndim(view) == 0 && k->ellipsis < 0 ? hd_scalar_of(view) : hd_copy(view, 'K');
    hd_release(view);
    return hp_wrap(copy);
}

static PyObject *get(PyObject *self, const fancy_key *k)
{
    if (k->nindex == 0)
        return get_basic(self, k);
    hd_array *view = front_view(k, hp_a(self));
    if (!view)
        return hp_raise();
    hd_array *r = hd_take(view, k->nindex, (const hd_array *const *)k->index);
    hd_release(view);
    if (!r)
        return hp_raise_index(k->axis_in_x, k->nindex);
    if (k->place > 0) {
        hd_array *moved = swap_groups(r, k->nbroadcast, k->place);
        hd_release(r);
        r = moved;
    }
    return hp_wrap(r);
}

/* The mask, if the key is nothing but one mask that fits the first axes of x. */
static hd_array *lone_mask(const fancy_key *k, const hd_array *x)
{
    hd_array *mask = k->n == 1 && k->items[0].kind == HP_KEY_MASK ? k->items[0].array : NULL;
    return mask && hd_ndim(mask) <= hd_ndim(x) ? mask : NULL;
}

/* Does the mask need no positions, for it is one of the whole array? */
static int is_whole(const hd_array *mask, const hd_array *x)
{
    return mask && hd_ndim(x) > 0 && hd_ndim(mask) == hd_ndim(x) &&
           hd_device_of(mask) == hd_device_of(x) &&
           memcmp(hd_shape(mask), hd_shape(x), sizeof(int64_t) * (size_t)hd_ndim(x)) == 0;
}

PyObject *hp_fancy_get(PyObject *self, PyObject *key)
{
    fancy_key k;
    PyObject *r = NULL;
    if (hp_key_parse(&k, key) == 0) {
        hd_array *mask = lone_mask(&k, hp_a(self));
        if (is_whole(mask, hp_a(self)))
            r = hp_wrap(hd_extract(mask, hp_a(self)));
        else if (hp_key_resolve(&k, hp_a(self)) == 0)
            r = get(self, &k);
    }
    hp_key_clear(&k);
    return r;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Shape of x[key]: the broadcast of the index arrays (nb axes) and the rest of the view around
 * it. */
static int result_shape(const fancy_key *k, const hd_array *view, int64_t *shape)
{
    int nd = k->nbroadcast, rest = hd_ndim(view) - k->nindex;
    if (nd + rest > HD_MAXDIM)
        return hp_key_fail("number of dimensions must be within [0, 64], indexing result would "
                           "have more");
    for (int i = 0; i < nd; i++)
        shape[k->place + i] = k->broadcast[i];
    for (int i = 0; i < rest; i++)
        shape[i < k->place ? i : nd + i] = hd_shape(view)[k->nindex + i];
    return nd + rest;
}

static int shape_mismatch(const fancy_key *k, const hd_array *value, int nd, const int64_t *shape)
{
    if (k->only_mask && hd_ndim(value) == 1 && nd == 1) {
        PyErr_Format(PyExc_ValueError,
                     "NumPy boolean array indexing assignment cannot assign %lld input values to "
                     "the %lld output values "
                     "where the mask is true",
                     (long long)hd_shape(value)[0], (long long)shape[0]);
        return -1;
    }
    char from[256], to[256];
    PyErr_Format(PyExc_ValueError,
                 "shape mismatch: value array of shape %s could not be broadcast to indexing "
                 "result of shape %s",
                 hp_shape_text(hd_ndim(value), hd_shape(value), from, sizeof from),
                 hp_shape_text(nd, shape, to, sizeof to));
    return -1;
}

/* A Python number (taken) as a 0-d array. */
static hd_array *strong(hd_array *number, hd_dtype dt)
{
    hd_array *a = hd_full(0, NULL, number, dt);
    hd_release(number);
    return a;
}

/* value (taken) as hd_put() wants it: broadcast to the result, then its index axes first; a number
 * stays one. */
static hd_array *arrange(const fancy_key *k, const hd_array *view, hd_array *value)
{
    int64_t shape[2 * HD_MAXDIM];
    int nd = result_shape(k, view, shape);
    if (nd >= 0 && hd_ndim(value) == 0 && hd_flags(value) & HD_WEAK)
        return value;
    if (k->only_mask && nd == 1 && hd_ndim(value) > 1) {
        PyErr_Format(PyExc_TypeError,
                     "NumPy boolean array indexing assignment requires a 0 or 1-dimensional input, "
                     "input has "
                     "%d dimensions",
                     hd_ndim(value));
        nd = -1;
    }
    if (nd < 0 || !(value = hp_fit_value(value, nd))) {
        hd_release(value);
        return NULL;
    }
    hd_array *full = hd_broadcast_to(value, nd, shape), *r = full;
    if (!full && hd_error_peek()->code == HD_SHAPE) {
        hd_error_take(NULL);
        shape_mismatch(k, value, nd, shape);
    } else if (full && k->place > 0) {
        r = swap_groups(full, k->place, k->nbroadcast);
        hd_release(full);
    }
    hd_release(value);
    return r;
}

static int put(const fancy_key *k, hd_array *view, hd_array *value)
{
    value = arrange(k, view, value);
    if (!value)
        return hp_key_failed();
    if (hp_warn_cast(hd_dtype_of(value), hd_dtype_of(view)) < 0) {
        hd_release(value);
        return -1;
    }
    hd_status status =
        hd_put(view, k->nindex, (const hd_array *const *)k->index, value, HD_CAST_UNSAFE);
    hd_release(value);
    if (status != HD_OK)
        hp_raise_index(k->axis_in_x, k->nindex);
    return status == HD_OK ? 0 : -1;
}

/* x[mask] = value with one value for all: a masked store, which needs no positions and fuses
 * with its neighbours. */
static int set_masked(hd_array *x, const hd_array *mask, const hd_array *value)
{
    int64_t shape[HD_MAXDIM];
    for (int i = 0; i < hd_ndim(x); i++)
        shape[i] = i < hd_ndim(mask) ? hd_shape(mask)[i] : 1;
    char kind = hd_dtype_kind(hd_dtype_of(x));
    if (hp_warn_cast(hd_dtype_of(value), hd_dtype_of(x)) < 0)
        return -1;
    hd_array *where = hd_ndim(mask) == hd_ndim(x) ? hd_retain((hd_array *)(uintptr_t)mask)
                                                  : hd_reshape(mask, hd_ndim(x), shape, 'C');
    hd_array *r = NULL, *checked = NULL;
    hd_apply_options options = {sizeof options, x, where, HD_NO_DTYPE, HD_CAST_UNSAFE, NULL};
    if (hd_flags(value) & HD_WEAK && (kind == 'i' || kind == 'u'))   /* must be in range */
        value = checked = hd_full(0, NULL, value, hd_dtype_of(x));
    if (where && value)
        r = hd_apply(HD_OP_copy, 1, &value, &options);
    hd_release(where);
    hd_release(checked);
    hd_release(r);
    return r ? 0 : hp_key_failed();
}

static int set_resolved(fancy_key *k, hd_array *x, PyObject *value, hd_array *v)
{
    hd_array *view = NULL;
    int status = -1;
    if (hp_key_resolve(k, x) < 0)
        ;
    else if (!(view = front_view(k, x)))
        hp_key_failed();
    else if (k->nindex == 0)
        status = hd_ndim(view) == 0 && k->ellipsis < 0 ? hp_store_element(view, value)
                                                       : hp_store(view, value);
    else
        status = put(k, view, hd_retain(v));
    hd_release(view);
    return status;
}

/* x[mask] = values for a mask of all of x: over the flat array, where places have one index. */
static int set_flat(fancy_key *k, hd_array *x, PyObject *value, hd_array *v)
{
    const int64_t all[1] = {hd_size(x)};
    hd_array *flat = hd_reshape_view(x, 1, all), *mask = hd_reshape(k->items[0].array, 1, all, 'C');
    int status = -1;
    if (flat && mask) {
        hd_array *before = k->items[0].array;
        k->only_mask = k->items[0].array = mask;
        k->consumed = 1;
        mask = before;
        status = set_resolved(k, flat, value, v);
    } else {
        hp_key_failed();
    }
    hd_release(flat);
    hd_release(mask);
    return status;
}

int hp_fancy_set(PyObject *self, PyObject *key, PyObject *value)
{
    fancy_key k;
    hd_array *x = hp_a(self), *v = NULL;
    int status = hp_key_parse(&k, key);
    if (status == 0 && !(v = hp_stored_value(hd_dtype_of(x), value)))
        status = hp_key_failed();
    if (status == 0) {
        hd_array *mask = k.only_mask = lone_mask(&k, x);
        if (mask && hd_ndim(mask) > 0 && hd_size(mask) > 0 && hd_ndim(v) == 0)
            status = hp_mask_fits(x, mask, 0) ? set_masked(x, mask, v) : -1;
        else if (is_whole(mask, x) && hd_ndim(x) > 1 && hd_flags(x) & HD_C_CONTIGUOUS)
            status = set_flat(&k, x, value, v);
        else
            status = set_resolved(&k, x, value, v);
    }
    hd_release(v);
    hp_key_clear(&k);
    return status;
}

/* ---- operations at places -------------------------------------------------------------------- */

/* A view in which elements meet: all positions of its first axis, one after the other. */
static int at_all(hd_array *view, hd_op op, hd_array *values)
{
    hd_array *start = hd_int(0), *step = hd_int(1);
    hd_array *index = hd_arange(start, step, hd_shape(view)[0], HD_INT64);
    hd_array *v = values ? hd_retain(values) : NULL;
    if (v && hd_flags(v) & HD_WEAK)
        v = strong(v, hd_dtype_of(view));
    hd_status status = values && !v ? HD_NOMEM
                                    : hd_at(op, view, 1, (const hd_array *const[]){index}, v);
    hd_release(start);
    hd_release(step);
    hd_release(index);
    hd_release(v);
    return status == HD_OK ? 0 : hp_key_failed();
}

/* A key without arrays names no place twice, unless the view does: an operation in place on it. */
static int at_view(hd_array *view, hd_op op, hd_array *values)
{
    if (hp_overlaps_itself(view))
        return at_all(view, op, values);
    const hd_array *in[2] = {view, values};
    hd_apply_options options = {.size = sizeof options, .out = view, .dtype = HD_NO_DTYPE,
                                .casting = HD_CAST_UNSAFE};
    hd_array *r = hd_apply(op, values ? 2 : 1, in, &options);
    hd_release(r);
    return r ? 0 : hp_key_failed();
}

static int at_places(const fancy_key *k, hd_array *view, hd_op op, hd_array *values)
{
    hd_array *v = values ? hd_retain(values) : NULL;
    if (v && hd_flags(v) & HD_WEAK)
        v = strong(v, hd_dtype_of(view));
    v = v ? arrange(k, view, v) : NULL;
    if (values && !v)
        return hp_key_failed();
    hd_status status = hd_at(op, view, k->nindex, (const hd_array *const *)k->index, v);
    hd_release(v);
    if (status != HD_OK)
        hp_raise_index(k->axis_in_x, k->nindex);
    return status == HD_OK ? 0 : -1;
}

int hp_fancy_at(PyObject *self, PyObject *key, hd_op op, hd_array *values)
{
    fancy_key k;
    hd_array *view = NULL;
    int status = -1;
    if (hp_key_parse(&k, key) == 0 && hp_key_resolve(&k, hp_a(self)) == 0) {
        if (!(view = front_view(&k, hp_a(self))))
            hp_key_failed();
        else
            status = k.nindex == 0 ? at_view(view, op, values) : at_places(&k, view, op, values);
    }
    hd_release(view);
    hp_key_clear(&k);
    return status;
}
