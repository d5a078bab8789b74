/* SPDX-License-Identifier: BSD-3-Clause */
/* py_fancy_key.c - keys with arrays in them: parsed, and resolved against an array. */
#include "py_fancy.h"

#include <string.h>

void hp_key_clear(fancy_key *k)
{
    for (int i = 0; i < k->n; i++)
        if (k->items[i].kind != HP_KEY_BASIC)
            hd_release(k->items[i].array);
    for (int i = 0; i < k->nindex; i++)
        hd_release(k->index[i]);
}

int hp_key_fail(const char *message)
{
    PyErr_SetString(PyExc_IndexError, message);
    return -1;
}

int hp_key_failed(void)
{
    return hp_raise(), -1;
}

/* ---- parsing --------------------------------------------------------------------------------- */

int hp_key_not_an_index(void)
{
    return hp_key_fail("only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and "
                       "integer or boolean arrays are valid indices");
}

/* An array in the key. An integer one without axes counts as an int. */
static int add_array(fancy_key *k, fancy_item *item, hd_array *a, int from_list)
{
    char kind = hd_dtype_kind(hd_dtype_of(a));
    item->array = a;
    item->kind = kind == 'b' ? HP_KEY_MASK : HP_KEY_INTEGERS;
    if (kind == 'b') {
        k->consumed += hd_ndim(a);
        return 0;
    }
    k->consumed++;
    if (kind != 'i' && kind != 'u') {
        if (!from_list || hd_size(a) != 0)
            return from_list || hd_ndim(a) == 0
                       ? hp_key_not_an_index()
                       : hp_key_fail("arrays used as indices must be of integer (or boolean) type");
        /* [] has no integers, but means none */
        item->array = hd_astype(a, HD_INT64, 'K', HD_CAST_UNSAFE, 0);
        hd_release(a);
        if (!item->array)
            return item->kind = HP_KEY_BASIC, hp_key_failed();
    }
    if (hd_ndim(item->array) == 0) {
        hd_value v;
        if (hd_item(item->array, 0, &v) != HD_OK)
            return hp_key_failed();
        hd_release(item->array);
        item->kind = HP_KEY_BASIC;
        item->basic = (hd_index){HD_INDEX_INT, v.as.i, 0, 0};
        k->copy = 1;
    }
    return 0;
}

static int add_object(fancy_key *k, fancy_item *item, PyObject *o)
{
    if (HP_LIKELY(hp_check(o)))
        return add_array(k, item, hd_retain(hp_a(o)), 0);
    if (PyUnicode_Check(o) || PyBytes_Check(o) || PyFloat_Check(o) || PyComplex_Check(o) ||
        (PyLong_Check(o) && !PyBool_Check(o)))
        return hp_key_not_an_index();
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
        return hp_key_not_an_index();
    if (hd_ndim(a) == 0 && hd_flags(a) & HD_WEAK) {   /* True or False */
        hd_array *strong = hd_astype(a, HD_BOOL, 'K', HD_CAST_UNSAFE, 1);
        hd_release(a);
        if (!(a = strong))
            return hp_key_failed();
    }
    return add_array(k, item, a, PyList_Check(o) || PyTuple_Check(o));
}

static int add_item(fancy_key *k, PyObject *o)
{
    if (k->n == HP_MAXITEMS)
        return hp_key_fail("too many indices for array");
    fancy_item *item = k->items + k->n;
    item->kind = HP_KEY_BASIC;
    int status = hp_parse_basic_item(o, &item->basic);
    if (status < 0)
        return -1;
    k->n++;
    if (status == 0)
        return add_object(k, item, o);
    if (item->basic.kind == HD_INDEX_ELLIPSIS) {
        if (k->ellipsis >= 0)
            return hp_key_fail("an index can only have a single ellipsis ('...')");
        k->ellipsis = k->n - 1;
    }
    k->consumed += item->basic.kind == HD_INDEX_INT || item->basic.kind == HD_INDEX_SLICE;
    return 0;
}

int hp_key_parse(fancy_key *k, PyObject *key)
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

int hp_mask_fits(const hd_array *x, const hd_array *mask, int axis)
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
        return hp_key_fail("too many indices for array");
    if (hd_item(mask, 0, &v) != HD_OK)
        return hp_key_failed();
    int64_t n = v.as.i != 0;
    hd_array *zeros = hd_zeros(1, &n, HD_INT64);
    if (!zeros)
        return hp_key_failed();
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
    if (!hp_mask_fits(x, mask, w->axis))
        return -1;
    if (hd_nonzero(mask, found) != HD_OK)
        return hp_key_failed();
    for (int i = 0; i < nd; i++)
        add_index(k, w, found[i]);
    return 0;
}

static int resolve_item(fancy_key *k, walk *w, const hd_array *x, fancy_item *item)
{
    if (item->kind == HP_KEY_BASIC && item->basic.kind != HD_INDEX_INT) {
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
    if (item->kind == HP_KEY_BASIC) {
        add_basic(k, item->basic);
        w->axis++;
        return 0;
    }
    if (item->kind == HP_KEY_MASK)
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

int hp_key_resolve(fancy_key *k, const hd_array *x)
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
