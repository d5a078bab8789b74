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
#include "py.h"

#include <string.h>

enum { NONE = 0, INTEGER = 1, MASK = 2 };

typedef struct fancy_item {
    int kind;             /* of the array: NONE for a basic item */
    hd_index basic;
    hd_array *array;      /* owned */
} fancy_item;

typedef struct fancy_key {
    /* items; axes of x they use; place of the ellipsis or -1; 1 if a 0-d array was an int */
    int n, consumed, ellipsis, copy;
    fancy_item items[HP_MAXITEMS];
    /* the same, resolved against x */
    int nbasic, nindex, adjacent, place; /* place: where the axes of the result go */
    hd_index basic[HP_MAXITEMS + HD_MAXDIM];
    hd_array *index[HD_MAXDIM];          /* owned */
    int axis[HD_MAXDIM];                 /* of the basic view */
    int axis_in_x[HD_MAXDIM];
    int nbroadcast;                      /* axes that the index arrays broadcast to */
    int64_t broadcast[HD_MAXDIM];
    /* borrowed: set when the key is one mask over the first axes of x */
    hd_array *only_mask;
} fancy_key;

static void clear_key(fancy_key *k)
{
    for (int i = 0; i < k->n; i++)
        if (k->items[i].kind != NONE)
            hd_release(k->items[i].array);
    for (int i = 0; i < k->nindex; i++)
        hd_release(k->index[i]);
}

static int fail(const char *message)
{
    PyErr_SetString(PyExc_IndexError, message);
    return -1;
}

static int failed(void)
{
    if (!PyErr_Occurred())
        hp_raise();
    return -1;
}

/* ---- parsing --------------------------------------------------------------------------------- */

static int not_an_index(void)
{
    return fail("only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer "
                "or boolean arrays are "
                "valid indices");
}

/* An array in the key. An integer one without axes counts as an int. */
static int add_array(fancy_key *k, fancy_item *item, hd_array *a, int from_list)
{
    char kind = hd_dtype_kind(hd_dtype_of(a));
    item->array = a;
    item->kind = kind == 'b' ? MASK : INTEGER;
    if (kind == 'b') {
        k->consumed += hd_ndim(a);
        return 0;
    }
    k->consumed++;
    if (kind != 'i' && kind != 'u') {
        if (!from_list || hd_size(a) != 0)
            return from_list || hd_ndim(a) == 0
                       ? not_an_index()
                       : fail("arrays used as indices must be of integer (or boolean) type");
        /* [] has no integers, but means none */
        item->array = hd_astype(a, HD_INT64, 'K', HD_CAST_UNSAFE, 0);
        hd_release(a);
        if (!item->array)
            return item->kind = NONE, failed();
    }
    if (hd_ndim(item->array) == 0) {
        hd_value v;
        if (hd_item(item->array, 0, &v) != HD_OK)
            return failed();
        hd_release(item->array);
        item->kind = NONE;
        item->basic = (hd_index){HD_INDEX_INT, v.as.i, 0, 0};
        k->copy = 1;
    }
    return 0;
}

static int add_object(fancy_key *k, fancy_item *item, PyObject *o)
{
    if (PyUnicode_Check(o) || PyBytes_Check(o) || PyFloat_Check(o) || PyComplex_Check(o) ||
        (PyLong_Check(o) && !PyBool_Check(o)))
        return not_an_index();
    hd_array *a;
    int status = hp_operand(o, &a);
    if (status < 0 && PyErr_ExceptionMatches(PyExc_TypeError))   /* a list of what is no number */
        PyErr_Clear();
    else if (status < 0)
        return -1;
    if (status == 0 && PySequence_Check(o) && (a = hp_to_array(o, HD_NO_DTYPE)))   /* a range */
        return add_array(k, item, a, 1);
    if (status == 0)
        PyErr_Clear();
    if (status != 1)
        return not_an_index();
    if (hd_flags(a) & HD_WEAK) {   /* True or False */
        hd_array *strong = hd_astype(a, HD_BOOL, 'K', HD_CAST_UNSAFE, 1);
        hd_release(a);
        if (!(a = strong))
            return failed();
    }
    return add_array(k, item, a, PyList_Check(o) || PyTuple_Check(o));
}

static int add_item(fancy_key *k, PyObject *o)
{
    if (k->n == HP_MAXITEMS)
        return fail("too many indices for array");
    fancy_item *item = k->items + k->n;
    item->kind = NONE;
    int status = hp_parse_basic_item(o, &item->basic);
    if (status < 0)
        return -1;
    k->n++;
    if (status == 0)
        return add_object(k, item, o);
    if (item->basic.kind == HD_INDEX_ELLIPSIS) {
        if (k->ellipsis >= 0)
            return fail("an index can only have a single ellipsis ('...')");
        k->ellipsis = k->n - 1;
    }
    k->consumed += item->basic.kind == HD_INDEX_INT || item->basic.kind == HD_INDEX_SLICE;
    return 0;
}

static int parse(fancy_key *k, PyObject *key)
{
    k->n = k->consumed = k->copy = k->nbasic = k->nindex = 0;
    k->ellipsis = -1;
    k->only_mask = NULL;
    if (!PyTuple_Check(key))
        return add_item(k, key);
    int status = 0;
    for (Py_ssize_t i = 0; i < PyTuple_Size(key) && status == 0; i++)
        status = add_item(k, PyTuple_GetItem(key, i));
    return status;
}

/* ---- resolving against x --------------------------------------------------------------------- */

typedef struct walk {
    int axis, view_axis;      /* next axis of x, and of the basic view */
    int started, gap;         /* an int or array was seen; something else came after it */
} walk;

static void add_basic(fancy_key *k, hd_index ix)
{
    k->basic[k->nbasic++] = ix;
}

/* A full slice for an axis that index array a (owned) will pick from. */
static void add_index(fancy_key *k, walk *w, hd_array *a)
{
    add_basic(k, (hd_index){HD_INDEX_SLICE, HD_NONE, HD_NONE, 1});
    k->axis[k->nindex] = w->view_axis++;
    k->axis_in_x[k->nindex] = w->axis++;
    k->index[k->nindex++] = a;
}

/* Ints and arrays: they are side by side unless something else stands between two of them. */
static void note_advanced(fancy_key *k, walk *w)
{
    if (!w->started)
        k->place = w->view_axis;
    if (w->gap)
        k->adjacent = 0;
    w->started = 1;
}

static int mask_fits(const hd_array *x, const hd_array *mask, int axis)
{
    for (int i = 0; i < hd_ndim(mask); i++)
        /* NumPy lets an empty mask stand for no element of any axis */
        if (hd_shape(mask)[i] != 0 && hd_shape(mask)[i] != hd_shape(x)[axis + i]) {
            PyErr_Format(PyExc_IndexError,
                         "boolean index did not match indexed array along axis %d; size of axis is "
                         "%lld but size of "
                         "corresponding boolean axis is %lld",
                         axis + i, (long long)hd_shape(x)[axis + i], (long long)hd_shape(mask)[i]);
            return 0;
        }
    return 1;
}

/* True or False alone: a new axis of extent 1, picked from once or never. */
static int resolve_zero_dim_mask(fancy_key *k, walk *w, const hd_array *mask)
{
    hd_value v;
    if (k->nindex == HD_MAXDIM)
        return fail("too many indices for array");
    if (hd_item(mask, 0, &v) != HD_OK)
        return failed();
    int64_t n = v.as.i != 0;
    hd_array *zeros = hd_zeros(1, &n, HD_INT64);
    if (!zeros)
        return failed();
    add_index(k, w, zeros);
    k->basic[k->nbasic - 1] = (hd_index){HD_INDEX_NEWAXIS, 0, 0, 0};
    w->axis--;
    return 0;
}

static int resolve_mask(fancy_key *k, walk *w, const hd_array *x, const hd_array *mask)
{
    hd_array *found[HD_MAXDIM];
    int nd = hd_ndim(mask);
    if (nd == 0)
        return resolve_zero_dim_mask(k, w, mask);
    if (!mask_fits(x, mask, w->axis))
        return -1;
    if (hd_nonzero(mask, found) != HD_OK)
        return failed();
    for (int i = 0; i < nd; i++)
        add_index(k, w, found[i]);
    return 0;
}

static int resolve_item(fancy_key *k, walk *w, const hd_array *x, fancy_item *item)
{
    if (item->kind == NONE && item->basic.kind != HD_INDEX_INT) {
        hd_index_kind kind = item->basic.kind;
        w->gap |= w->started;
        add_basic(k, item->basic);
        int axes = kind == HD_INDEX_SLICE      ? 1
                   : kind == HD_INDEX_ELLIPSIS ? hd_ndim(x) - k->consumed
                                               : 0;
        w->axis += axes;
        w->view_axis += kind == HD_INDEX_NEWAXIS ? 1 : axes;
        return 0;
    }
    note_advanced(k, w);
    if (item->kind == NONE) {
        add_basic(k, item->basic);
        w->axis++;
        return 0;
    }
    if (item->kind == MASK)
        return resolve_mask(k, w, x, item->array);
    add_index(k, w, hd_retain(item->array));
    return 0;
}

/* Extent of an index array along axis ax of the nd axes that they broadcast to. */
static int64_t extent_along(const hd_array *index, int nd, int ax)
{
    int own = hd_ndim(index) - nd + ax;
    return own < 0 ? 1 : hd_shape(index)[own];
}

static int index_mismatch(const fancy_key *k)
{
    char shapes[400];
    size_t used = 0;
    for (int i = 0; i < k->nindex && used + 80 < sizeof shapes; i++) {
        hp_shape_text(hd_ndim(k->index[i]), hd_shape(k->index[i]), shapes + used,
                      sizeof shapes - used - 2);
        used += strlen(shapes + used);
        shapes[used++] = ' ';
        shapes[used] = '\0';
    }
    PyErr_Format(PyExc_IndexError,
                 "shape mismatch: indexing arrays could not be broadcast together with shapes %s",
                 shapes);
    return -1;
}

/* The shape that the index arrays broadcast to: its number of axes, or -1. */
static int index_shape(const fancy_key *k, int64_t *shape)
{
    int nd = 0;
    for (int i = 0; i < k->nindex; i++)
        nd = hd_ndim(k->index[i]) > nd ? hd_ndim(k->index[i]) : nd;
    for (int ax = 0; ax < nd; ax++) {
        shape[ax] = 1;
        for (int i = 0; i < k->nindex; i++) {
            int64_t extent = extent_along(k->index[i], nd, ax);
            if (extent != 1 && shape[ax] != 1 && extent != shape[ax])
                return index_mismatch(k);
            shape[ax] = shape[ax] == 1 ? extent : shape[ax];
        }
    }
    return nd;
}

static int too_many(const fancy_key *k, const hd_array *x)
{
    PyErr_Format(PyExc_IndexError,
                 "too many indices for array: array is %d-dimensional, but %d were indexed",
                 hd_ndim(x), k->consumed);
    return -1;
}

static int resolve(fancy_key *k, const hd_array *x)
{
    walk w = {0, 0, 0, 0};
    k->adjacent = 1;
    k->place = 0;
    if (k->consumed > hd_ndim(x))
        return too_many(k, x);
    for (int i = 0; i < k->n; i++)
        if (resolve_item(k, &w, x, k->items + i) < 0)
            return -1;
    if (!k->adjacent)
        k->place = 0;
    k->nbroadcast = index_shape(k, k->broadcast);
    return k->nbroadcast < 0 ? -1 : 0;
}

/* ---- axes ------------------------------------------------------------------------------------ */

/* The basic view of x, its indexed axes moved to the front. */
static hd_array *front_view(const fancy_key *k, const hd_array *x)
{
    hd_array *view = hd_slice(x, k->nbasic, k->basic);
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
    hd_array *mask = k->n == 1 && k->items[0].kind == MASK ? k->items[0].array : NULL;
    return mask && hd_ndim(mask) <= hd_ndim(x) ? mask : NULL;
}

/* A mask of the whole array, which needs no positions; or NULL. */
static hd_array *whole_mask(const fancy_key *k, const hd_array *x)
{
    hd_array *mask = lone_mask(k, x);
    if (!mask || hd_ndim(mask) == 0 || hd_ndim(mask) != hd_ndim(x) ||
        hd_device_of(mask) != hd_device_of(x))
        return NULL;
    for (int i = 0; i < hd_ndim(x); i++)
        if (hd_shape(mask)[i] != hd_shape(x)[i])
            return NULL;
    return mask;
}

PyObject *hp_fancy_get(PyObject *self, PyObject *key)
{
    fancy_key k;
    PyObject *r = NULL;
    if (parse(&k, key) == 0) {
        hd_array *mask = whole_mask(&k, hp_a(self));
        if (mask)
            r = hp_wrap(hd_extract(mask, hp_a(self)));
        else if (resolve(&k, hp_a(self)) == 0)
            r = get(self, &k);
    }
    clear_key(&k);
    return r;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Shape of x[key]: the broadcast of the index arrays (nb axes) and the rest of the view around
 * it. */
static int result_shape(const fancy_key *k, const hd_array *view, int64_t *shape)
{
    int nd = k->nbroadcast, rest = hd_ndim(view) - k->nindex;
    if (nd + rest > HD_MAXDIM)
        return fail("number of dimensions must be within [0, 64], indexing result would have more");
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

/* value (taken) as hd_put() wants it: broadcast to the result, then its index axes first. */
static hd_array *arrange(const fancy_key *k, const hd_array *view, hd_array *value)
{
    int64_t shape[2 * HD_MAXDIM];
    int nd = result_shape(k, view, shape);
    if (k->only_mask && nd == 1 && hd_ndim(value) > 1) {
        PyErr_Format(PyExc_TypeError,
                     "NumPy boolean array indexing assignment requires a 0 or 1-dimensional input, "
                     "input has "
                     "%d dimensions",
                     hd_ndim(value));
        nd = -1;
    }
    if (hd_flags(value) & HD_WEAK)
        value = strong(value, hd_dtype_of(view));
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
        return failed();
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
    hd_array *where = hd_reshape(mask, hd_ndim(x), shape, 'C'), *r = NULL, *checked = NULL;
    hd_apply_options options = {sizeof options, x, where, HD_NO_DTYPE, HD_CAST_UNSAFE, NULL};
    if (hd_flags(value) & HD_WEAK && (kind == 'i' || kind == 'u'))   /* must be in range */
        value = checked = hd_full(0, NULL, value, hd_dtype_of(x));
    if (where && value)
        r = hd_apply(HD_OP_copy, 1, &value, &options);
    hd_release(where);
    hd_release(checked);
    hd_release(r);
    return r ? 0 : failed();
}

static int set_resolved(fancy_key *k, hd_array *x, PyObject *value, hd_array *v)
{
    hd_array *view = NULL;
    int status = -1;
    if (resolve(k, x) < 0)
        ;
    else if (!(view = front_view(k, x)))
        failed();
    else if (k->nindex == 0)
        status = hd_ndim(view) == 0 && k->ellipsis < 0 ? hp_store_element(view, value)
                                                       : hp_store(view, value);
    else
        status = put(k, view, hd_retain(v));
    hd_release(view);
    return status;
}

int hp_fancy_set(PyObject *self, PyObject *key, PyObject *value)
{
    fancy_key k;
    hd_array *x = hp_a(self), *v = NULL;
    int status = parse(&k, key);
    if (status == 0 && !(v = hp_stored_value(hd_dtype_of(x), value)))
        status = failed();
    if (status == 0) {
        hd_array *mask = k.only_mask = lone_mask(&k, x);
        if (mask && hd_ndim(mask) > 0 && hd_size(mask) > 0 && hd_ndim(v) == 0)
            status = mask_fits(x, mask, 0) ? set_masked(x, mask, v) : -1;
        else
            status = set_resolved(&k, x, value, v);
    }
    hd_release(v);
    clear_key(&k);
    return status;
}

/* ---- operations at places -------------------------------------------------------------------- */

/* A key without arrays names no place twice: an operation in place on the view. */
static int at_view(hd_array *view, hd_op op, hd_array *values)
{
    const hd_array *in[2] = {view, values};
    hd_apply_options options = {.size = sizeof options, .out = view, .dtype = HD_NO_DTYPE,
                                .casting = HD_CAST_UNSAFE};
    hd_array *r = hd_apply(op, values ? 2 : 1, in, &options);
    hd_release(r);
    return r ? 0 : failed();
}

static int at_places(const fancy_key *k, hd_array *view, hd_op op, hd_array *values)
{
    hd_array *v = values ? arrange(k, view, hd_retain(values)) : NULL;
    if (values && !v)
        return failed();
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
    if (parse(&k, key) == 0 && resolve(&k, hp_a(self)) == 0) {
        if (!(view = front_view(&k, hp_a(self))))
            failed();
        else
            status = k.nindex == 0 ? at_view(view, op, values) : at_places(&k, view, op, values);
    }
    hd_release(view);
    clear_key(&k);
    return status;
}
