/* SPDX-License-Identifier: BSD-3-Clause */
/* py_methods.c - methods of heddle.ndarray that make views and copies or read elements.
 * Reductions are in py_reduce.c, exchange with other libraries in py_exchange.c, long-tail
 * compositions in the Python package. */
#include "py_element.h"

#include <stdlib.h>
#include <string.h>

/* ---- shape ----------------------------------------------------------------------------------- */

/* f(2, 3), f((2, 3)) and f([2, 3]) are the same. */
static int shape_args(PyObject *const *args, Py_ssize_t nargs, int64_t *shape, int *nd)
{
    if (nargs == 1)
        return hp_shape(args[0], shape, nd);
    if (nargs > HD_MAXDIM) {
        PyErr_Format(PyExc_ValueError,
                     "maximum supported dimension for an ndarray is currently %d, found %zd",
                     HD_MAXDIM, nargs);
        return -1;
    }
    *nd = (int)nargs;
    for (int i = 0; i < nargs; i++)
        if (hp_extent(args[i], shape + i) < 0)
            return -1;
    return 0;
}

static PyObject *without_copy(PyObject *self, int nd, const int64_t *shape)
{
    hd_array *view = hd_reshape_view(hp_a(self), nd, shape);
    if (view)
        return hp_wrap_view(view, self);
    hd_error_take(NULL);
    PyErr_SetString(PyExc_ValueError, "Unable to avoid creating a copy while reshaping.");
    return NULL;
}

/* How the elements are read for reshape: order 'A' is 'F' for an array that lies in that order
 * only. */
static char resolve_order(const hd_array *a, char order)
{
    unsigned flags = hd_flags(a);
    return order != 'A'                                              ? order
           : (flags & HD_F_CONTIGUOUS) && !(flags & HD_C_CONTIGUOUS) ? 'F'
                                                                     : 'C';
}

/* NumPy's methods take None for "as it is", and say so in NumPy 2.5. */
static PyObject *same_shape(PyObject *self)
{
    return hp_wrap_maybe_view(
        hd_reshape(hp_a(self), hd_ndim(hp_a(self)), hd_shape(hp_a(self)), 'C'), self);
}

static PyObject *array_reshape(PyObject *self, HP_FAST)
{
    static hp_signature s = {.name = "reshape", .names = {"order", "copy"}};
    PyObject *v[2];
    int64_t shape[HD_MAXDIM];
    int nd, copy = -1;
    char order = 'C';
    if (nargs == 0) {
        PyErr_SetString(PyExc_TypeError, "reshape() takes at least 1 argument (0 given)");
        return NULL;
    }
    if (nargs == 1 && args[0] == Py_None)
        return same_shape(self);
    if (shape_args(args, nargs, shape, &nd) < 0 || hp_parse(&s, args + nargs, 0, kwnames, v) < 0)
        return NULL;
    if (hp_order(v[0], &order) < 0 || (v[1] && v[1] != Py_None && hp_true(v[1], &copy) < 0))
        return NULL;
    if (order == 'K') {
        PyErr_SetString(PyExc_ValueError, "order 'K' is not permitted for reshaping");
        return NULL;
    }
    order = resolve_order(hp_a(self), order);
    if (copy == 0 && order == 'C')
        return without_copy(self, nd, shape);
    if (copy != 1) {
        hd_array *same = hd_reshape(hp_a(self), nd, shape, order);
        if (copy == 0 && same && hd_size(same) > 0 && !hd_same_memory(same, hp_a(self))) {
            hd_release(same);
            PyErr_SetString(PyExc_ValueError, "Unable to avoid creating a copy while reshaping.");
            return NULL;
        }
        return hp_wrap_maybe_view(same, self);
    }
    hd_array *c = hd_copy(hp_a(self), order), *r = hd_reshape(c, nd, shape, order);
    hd_release(c);
    return hp_wrap(r);
}

/* order='K': axes from the widest stride to the narrowest, as NumPy's iterator has them. An axis
 * that repeats, or has one element, says nothing about the order: the search for a place goes on
 * past it, so that it stays where it is among the others. */
static hd_array *memory_order(const hd_array *a)
{
    int axes[HD_MAXDIM], nd = hd_ndim(a);
    int64_t st[HD_MAXDIM];
    for (int i = 0; i < nd; i++)
        st[i] = hd_shape(a)[i] == 1 ? 0 : llabs(hd_strides(a)[i]);
    for (int i = nd - 1; i >= 0; i--) {   /* axes[i + 1 ...] are in order */
        int to = i;
        for (int at = i + 1; at < nd; at++) {
            int64_t own = st[i], other = st[axes[at]];
            if (own == 0 || other == 0)
                continue;
            if (other <= own)
                break;
            to = at;
        }
        for (int at = i; at < to; at++)
            axes[at] = axes[at + 1];
        axes[to] = i;
    }
    return hd_transpose(a, axes);
}

static hd_array *flat(const hd_array *a, char order)
{
    static const int64_t any = -1;
    if (order != 'K')
        return hd_reshape(a, 1, &any, resolve_order(a, order));
    hd_array *t = memory_order(a), *r = hd_reshape(t, 1, &any, 'C');
    hd_release(t);
    return r;
}

static PyObject *array_ravel(PyObject *self, HP_FAST)
{
    static hp_signature s = {.name = "ravel", .positional = 1, .names = {"order"}};
    PyObject *v[1];
    char order = 'C';
    if ((nargs > 0 || kwnames) &&
        (hp_parse(&s, args, nargs, kwnames, v) < 0 || hp_order(v[0], &order) < 0))
        return NULL;
    const int64_t any = -1;
    hd_array *f = order == 'C' && hd_flags(hp_a(self)) & HD_C_CONTIGUOUS
                      ? hd_reshape_view(hp_a(self), 1, &any)
                      : flat(hp_a(self), order),
             *r = f;
    if (f && !(hd_flags(f) & HD_C_CONTIGUOUS)) {   /* as NumPy's, ravel() leaves no gaps */
        r = hd_copy(f, 'C');
        hd_release(f);
    }
    return hp_wrap_maybe_view(r, self);
}

static PyObject *array_flatten(PyObject *self, HP_FAST)
{
    static hp_signature s = {.name = "flatten", .positional = 1, .names = {"order"}};
    PyObject *v[1];
    char order = 'C';
    if ((nargs > 0 || kwnames) &&
        (hp_parse(&s, args, nargs, kwnames, v) < 0 || hp_order(v[0], &order) < 0))
        return NULL;
    hd_array *f = flat(hp_a(self), order), *r = f;
    if (f && hd_same_memory(f, hp_a(self))) {
        r = hd_copy(f, 'C');
        hd_release(f);
    }
    return hp_wrap(r);
}

/* Axes as transpose() has them: of any sequence, also of an array. Reductions take tuples only. */
static int given_axes(PyObject *o, int *axes, int *n)
{
    int one = PyTuple_Check(o) || !PySequence_Check(o) || (hp_check(o) && hd_ndim(hp_a(o)) == 0);
    PyObject *items = one ? NULL : PySequence_Tuple(o);
    if (PyErr_Occurred())
        return -1;
    int status = hp_axes(items ? items : o, axes, n);
    Py_XDECREF(items);
    return status;
}

static PyObject *array_transpose(PyObject *self, HP_FAST)
{
    int axes[HD_MAXDIM], n = 0;
    if (kwnames && PyTuple_Size(kwnames) > 0) {
        PyErr_SetString(PyExc_TypeError, "transpose() takes no keyword arguments");
        return NULL;
    }
    if (nargs == 0 || (nargs == 1 && args[0] == Py_None)) {
        hd_array *r = hd_transpose(hp_a(self), NULL);
        return hp_is_scalar(self) ? hp_wrap_like(r, self) : hp_wrap_view(r, self);
    }
    if (nargs == 1 && given_axes(args[0], axes, &n) < 0)
        return NULL;
    for (n = nargs == 1 ? n : 0; nargs > 1 && n < nargs && n < HD_MAXDIM; n++)
        if (hp_axis(args[n], axes + n) < 0)
            return NULL;
    if (n != hd_ndim(hp_a(self))) {
        PyErr_SetString(PyExc_ValueError, "axes don't match array");
        return NULL;
    }
    return hp_wrap_view(hd_transpose(hp_a(self), axes), self);
}

static int check_axis(const hd_array *a, int *axis)
{
    int nd = hd_ndim(a), given = *axis;
    if (*axis < 0)
        *axis += nd;
    if (*axis >= 0 && *axis < nd)
        return 0;
    PyObject *type = hp_numpy_exception("numpy.exceptions", "AxisError");
    PyObject *value = type ? PyObject_CallFunction(type, "ii", given, nd) : NULL;
    if (value)
        PyErr_SetObject(type, value);
    Py_XDECREF(value);
    return -1;
}

static PyObject *array_swapaxes(PyObject *self, HP_FAST)
{
    static hp_signature s = {
        .name = "swapaxes", .required = 2, .positional = 2, .names = {"axis1", "axis2"}};
    PyObject *v[2];
    int axes[HD_MAXDIM], a, b;
    if (hp_parse(&s, args, nargs, kwnames, v) < 0 || hp_int(v[0], &a) < 0 || hp_int(v[1], &b) < 0)
        return NULL;
    if (check_axis(hp_a(self), &a) < 0 || check_axis(hp_a(self), &b) < 0)
        return NULL;
    for (int i = 0; i < hd_ndim(hp_a(self)); i++)
        axes[i] = i == a ? b : i == b ? a : i;
    return hp_wrap_view(hd_transpose(hp_a(self), axes), self);
}

static PyObject *array_squeeze(PyObject *self, HP_FAST)
{
    static hp_signature s = {.name = "squeeze", .positional = 1, .names = {"axis"}};
    PyObject *v[1];
    int axes[HD_MAXDIM], n;
    if (hp_parse(&s, args, nargs, kwnames, v) < 0 || hp_axes(v[0], axes, &n) < 0)
        return NULL;
    if (hd_ndim(hp_a(self)) == 0 && n == 1 && (axes[0] == 0 || axes[0] == -1) &&
        !PyTuple_Check(v[0]))
        n = 0;   /* NumPy lets a value without axes have axis 0 */
    hd_array *r = hd_squeeze(hp_a(self), n, axes);
    return hp_is_scalar(self) ? hp_wrap_like(r, self) : hp_wrap_view(r, self);
}

static PyObject *array_diagonal(PyObject *self, HP_FAST)
{
    static hp_signature s = {
        .name = "diagonal", .positional = 3, .names = {"offset", "axis1", "axis2"}};
    PyObject *v[3];
    int64_t offset = 0;
    int axis1 = 0, axis2 = 1;
    if (hp_parse(&s, args, nargs, kwnames, v) < 0 || (v[0] && hp_int64(v[0], &offset) < 0) ||
        (v[1] && hp_int(v[1], &axis1) < 0) || (v[2] && hp_int(v[2], &axis2) < 0))
        return NULL;
    hd_array *d = hd_diagonal(hp_a(self), offset, axis1, axis2);
    if (d)
        hd_set_writeable(d, 0);   /* NumPy's promise since 1.9 */
    return hp_wrap_view(d, self);
}

/* ---- copies ---------------------------------------------------------------------------------- */

static PyObject *array_copy(PyObject *self, HP_FAST)
{
    static hp_signature s = {.name = "copy", .positional = 1, .names = {"order"}};
    PyObject *v[1];
    char order = 'C';
    if (hp_parse(&s, args, nargs, kwnames, v) < 0 || hp_order(v[0], &order) < 0)
        return NULL;
    return hp_wrap_like(hd_copy(hp_a(self), order), self);
}

/* __copy__() and __deepcopy__(memo): elements hold no references. */
static PyObject *array_copy_method(PyObject *self, PyObject *memo)
{
    (void)memo;
    return hp_wrap_like(hd_copy(hp_a(self), 'K'), self);
}

static PyObject *array_astype(PyObject *self, HP_FAST)
{
    static hp_signature s = {.name = "astype", .required = 1, .positional = 5,
                             .names = {"dtype", "order", "casting", "subok", "copy", "device"}};
    PyObject *v[6];
    hd_dtype dt;
    hd_casting casting = HD_CAST_UNSAFE;
    char order = 'K';
    int copy = 1, subok = 1;
    if (hp_parse(&s, args, nargs, kwnames, v) < 0 || hp_dtype(v[0], &dt) < 0 ||
        hp_order(v[1], &order) < 0 || hp_casting(v[2], &casting) < 0 || hp_true(v[3], &subok) < 0 ||
        hp_true(v[4], &copy) < 0)
        return NULL;
    if (dt == HD_NO_DTYPE)
        dt = HD_FLOAT64;   /* numpy.dtype(None) */
    if (casting == HD_CAST_UNSAFE && hp_warn_cast(hd_dtype_of(hp_a(self)), dt) < 0)
        return NULL;
    hd_array *r = hd_astype(hp_a(self), dt, order, casting, copy);
    if (r && !subok && hp_is_sub(self))
        return copy ? hp_wrap(r) : hp_view_as(hp_array_type, r, self);
    if (r && !copy && hd_same_memory(r, hp_a(self))) {
        hd_release(r);
        return Py_NewRef(self);
    }
    return hp_wrap_like(r, self);
}

static PyObject *array_view(PyObject *self, HP_FAST)
{
    static hp_signature s = {.name = "view", .positional = 2, .names = {"dtype", "type"}};
    PyObject *v[2];
    hd_dtype dt = HD_NO_DTYPE;
    if (hp_parse(&s, args, nargs, kwnames, v) < 0)
        return NULL;
    PyTypeObject *type = hp_type_of_arrays(v[1] ? v[1] : v[0]);
    if (v[1] && !type) {
        PyErr_SetString(PyType_Check(v[1]) ? hp_not_ours : PyExc_TypeError,
                        "Type must be a sub-type of ndarray type");
        return NULL;
    }
    if (v[0] && (v[1] || !type) && hp_dtype(v[0], &dt) < 0)
        return NULL;
    hd_array *r = dt == HD_NO_DTYPE ? hd_alias(hp_a(self)) : hd_view(hp_a(self), dt);
    if (type && (type != hp_array_type || !hp_exact(self)))
        return hp_view_as(type, r, self);
    return hp_is_scalar(self) ? hp_wrap_like(r, self) : hp_wrap_view(r, self);
}

static PyObject *array_conjugate(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    PyObject *out = NULL;
    if (nargs > 1) {
        PyErr_SetString(PyExc_TypeError, "conjugate() takes an output array at most");
        return NULL;
    }
    if (nargs == 1 && hp_out(args[0], &out) < 0)
        return NULL;
    if (out) {
        hd_apply_options options = {sizeof options, hp_out_array(out), NULL, HD_NO_DTYPE,
                                    HD_CAST_SAME_KIND, NULL};
        const hd_array *in = hp_a(self);
        return hp_wrap_out(hd_apply(HD_OP_conjugate, 1, &in, &options), out);
    }
    if (hd_dtype_kind(hd_dtype_of(hp_a(self))) != 'c')
        return Py_NewRef(self);
    return hp_wrap(hd_unary(HD_OP_conjugate, hp_a(self)));
}

static PyObject *array_fill(PyObject *self, PyObject *value)
{
    if (!(hd_flags(hp_a(self)) & HD_WRITEABLE)) {
        PyErr_SetString(PyExc_ValueError, "assignment destination is read-only");
        return NULL;
    }
    return hp_store_element(hp_a(self), value) < 0 ? NULL : Py_NewRef(Py_None);
}

static PyObject *array_to_device(PyObject *self, HP_FAST)
{
    static hp_signature s = {.name = "to_device",
                             .required = 1,
                             .positional = 1,
                             .only_positional = 1,
                             .names = {"device", "stream"}};
    PyObject *v[2];
    if (hp_parse(&s, args, nargs, kwnames, v) < 0)
        return NULL;
    hd_device *dev = hp_device(v[0]);
    if (!dev)
        return NULL;
    return dev == hd_device_of(hp_a(self)) ? Py_NewRef(self)
                                           : hp_wrap_like(hd_to_device(hp_a(self), dev), self);
}

/* ---- elements -------------------------------------------------------------------------------- */

static PyObject *item_at(const hd_array *a, int64_t i)
{
    int64_t n = hd_size(a);
    if (i >= -n && i < n)
        return hp_item(a, i < 0 ? i + n : i);
    if (hd_ndim(a) == 1)
        PyErr_Format(PyExc_IndexError, "index %lld is out of bounds for axis 0 with size %lld",
                     (long long)i, (long long)n);
    else
        PyErr_Format(PyExc_IndexError, "index %lld is out of bounds for size %lld", (long long)i,
                     (long long)n);
    return NULL;
}

/* The element at args, which are as many as there are axes. */
static PyObject *item_of(const hd_array *a, PyObject *const *args)
{
    int64_t index[HD_MAXDIM];
    uint64_t element[2];
    for (int ax = 0; ax < hd_ndim(a); ax++)
        if (hp_int64(args[ax], &index[ax]) < 0)
            return NULL;
    return hd_element_get(a, hd_ndim(a), index, element) == HD_OK
               ? hp_python_value(hd_dtype_of(a), element)
               : hp_raise();
}

static PyObject *array_item(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    hd_array *a = hp_a(self);
    PyObject *places[HD_MAXDIM];
    int64_t i = 0;
    if (nargs == 1 && PyTuple_Check(args[0])) {
        PyObject *key = args[0];
        nargs = PyTuple_Size(key);
        for (int n = 0; n < nargs && n < HD_MAXDIM; n++)
            places[n] = PyTuple_GetItem(key, n);
        args = places;
    }
    if (nargs == 0 && hd_size(a) != 1) {
        PyErr_SetString(PyExc_ValueError, "can only convert an array of size 1 to a Python scalar");
        return NULL;
    }
    if (nargs == 1 && hd_ndim(a) != 1)
        return hp_int64(args[0], &i) < 0 ? NULL : item_at(a, i);
    if (nargs > 0 && nargs != hd_ndim(a)) {
        PyErr_SetString(PyExc_ValueError, "incorrect number of indices for array");
        return NULL;
    }
    return nargs > 0 ? item_of(a, args) : hp_item(a, 0);
}

static PyObject *array_tobytes(PyObject *self, HP_FAST)
{
    static hp_signature s = {.name = "tobytes", .positional = 1, .names = {"order"}};
    PyObject *v[1], *bytes = NULL;
    char order = 'C';
    if (hp_parse(&s, args, nargs, kwnames, v) < 0 || hp_order(v[0], &order) < 0)
        return NULL;
    hd_array *a = hp_a(self);
    if (order == 'C' || order == 'K') {   /* as NumPy */
        bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)hd_nbytes(a));
        if (bytes && hd_read(a, PyBytes_AsString(bytes)) != HD_OK) {
            Py_CLEAR(bytes);
            hp_raise();
        }
        return bytes;
    }
    hd_array *f = flat(a, order);
    char *data = f ? hp_read_all(f) : NULL;
    if (data)
        bytes = PyBytes_FromStringAndSize(data, (Py_ssize_t)hd_nbytes(a));
    else
        hp_raise();
    free(data);
    hd_release(f);
    return bytes;
}

/* The positions as columns of one array, which is how NumPy's lie in memory. */
static int as_columns(int nd, hd_array **axes)
{
    static const hd_index all = {HD_INDEX_SLICE, HD_NONE, HD_NONE, 1};
    hd_array *table = hd_stack(nd, (const hd_array *const *)axes, 1, HD_NO_DTYPE, NULL);
    for (int i = 0; i < nd; i++) {
        hd_index key[2] = {all, {HD_INDEX_INT, i, 0, 0}};
        hd_release(axes[i]);
        axes[i] = table ? hd_slice(table, 2, key) : NULL;
    }
    hd_release(table);
    return table ? 0 : (hp_raise(), -1);
}

static PyObject *array_nonzero(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    hd_array *axes[HD_MAXDIM];
    int nd = hd_ndim(hp_a(self));
    if (nd == 0) {
        PyErr_SetString(
            PyExc_ValueError,
            "Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() "
            "instead. If the context of this error is of the form `arr[nonzero(cond)]`, just "
            "use `arr[cond]`.");
        return NULL;
    }
    if (hd_nonzero(hp_a(self), axes) != HD_OK)
        return hp_raise();
    if (nd > 1 && as_columns(nd, axes) < 0)
        return NULL;
    PyObject *t = PyTuple_New(nd);
    for (int i = 0; i < nd; i++) {
        PyObject *o = hp_wrap(axes[i]);
        if (t && (!o || PyTuple_SetItem(t, i, o) < 0))
            Py_CLEAR(t);
        else if (!t)
            Py_XDECREF(o);
    }
    return t;
}

static PyObject *array_dot(PyObject *self, HP_FAST)
{
    static hp_signature s = {.name = "dot", .required = 1, .positional = 2, .names = {"b", "out"}};
    PyObject *v[2];
    if (hp_parse(&s, args, nargs, kwnames, v) < 0)
        return NULL;
    return hp_dot(self, v[0], v[1]);
}

static PyObject *array_complex(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    if (hd_ndim(hp_a(self)) != 0) {
        PyErr_SetString(PyExc_TypeError,
                        "only 0-dimensional arrays can be converted to Python scalars");
        return NULL;
    }
    PyObject *value = hp_item(hp_a(self), 0), *z = NULL;
    if (value)
        z = PyObject_CallFunctionObjArgs((PyObject *)&PyComplex_Type, value, NULL);
    Py_XDECREF(value);
    return z;
}

#define FAST_ITEM(name, doc) {#name, (PyCFunction)(void (*)(void))array_##name, METH_FASTCALL, doc}
PyMethodDef hp_array_methods[] = {
    HP_METHOD("reshape", array_reshape,
              "the same elements in another shape; a view where that can be"),
    HP_METHOD("ravel", array_ravel, "one axis; a view where that can be"),
    HP_METHOD("flatten", array_flatten, "a copy with one axis"),
    HP_METHOD("transpose", array_transpose, "view with the axes in another order"),
    HP_METHOD("swapaxes", array_swapaxes, "view with two axes exchanged"),
    HP_METHOD("squeeze", array_squeeze, "view without axes of extent 1"),
    HP_METHOD("diagonal", array_diagonal, "read-only view of a diagonal"),
    HP_METHOD("copy", array_copy, "a copy"),
    HP_METHOD("astype", array_astype, "the elements cast to another dtype"),
    HP_METHOD("view", array_view, "the same bytes, perhaps as another dtype or type of arrays"),
    HP_METHOD("to_device", array_to_device, "the array on another device"),
    HP_METHOD("tobytes", array_tobytes, "the elements' bytes"),
    HP_METHOD("dot", array_dot, "dot product, as heddle.dot"),
    FAST_ITEM(item, "an element as a number of Python's"),
    {"fill", array_fill, METH_O, "sets every element to a value"},
    {"tolist", hp_tolist, METH_NOARGS, "nested lists of Python numbers"},
    {"nonzero", array_nonzero, METH_NOARGS, "positions of the true elements, one array per axis"},
    {"conj", (PyCFunction)(void (*)(void))array_conjugate, METH_FASTCALL, "complex conjugate"},
    {"conjugate", (PyCFunction)(void (*)(void))array_conjugate, METH_FASTCALL,
     "complex conjugate"},
    {"__copy__", array_copy_method, METH_NOARGS, "a copy"},
    {"__deepcopy__", array_copy_method, METH_O, "a copy"},
    {"__complex__", array_complex, METH_NOARGS, "complex(x)"},
    {NULL, NULL, 0, NULL}};
