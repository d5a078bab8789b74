/* SPDX-License-Identifier: BSD-3-Clause */
/* py_shape.c - small arguments: shapes, axes, integers, orders, flags. */
#include "py.h"

#include <stdio.h>

PyObject *hp_int_tuple(int n, const int64_t *values)
{
    PyObject *t = PyTuple_New(n);
    for (int i = 0; t && i < n; i++) {
        PyObject *v = PyLong_FromLongLong(values[i]);
        if (!v || PyTuple_SetItem(t, i, v) < 0)
            Py_CLEAR(t);
    }
    return t;
}

const char *hp_shape_text(int nd, const int64_t *shape, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "(");
    for (int i = 0; i < nd && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, i + 1 < nd || nd == 1 ? "%lld," : "%lld",
                                 (long long)shape[i]);
    if (used < size)
        snprintf(text + used, size - used, ")");
    return text;
}

int hp_int64(PyObject *o, int64_t *value)
{
    Py_ssize_t v = PyNumber_AsSsize_t(o, PyExc_OverflowError);
    *value = v;
    return v == -1 && PyErr_Occurred() ? -1 : 0;
}

/* A diagonal: an integer of any size, since all that are outside of the matrix are alike. */
int hp_diagonal(PyObject *o, int64_t *k)
{
    const int64_t outside = (int64_t)1 << 62;
    if (!PyLong_Check(o))
        return hp_int64(o, k);
    int64_t n = PyNumber_AsSsize_t(o, NULL);
    *k = n > outside ? outside : n < -outside ? -outside : n;
    return 0;
}

int hp_int(PyObject *o, int *value)
{
    /* NULL: too large a number is clipped, and out of range as an axis */
    Py_ssize_t v = PyNumber_AsSsize_t(o, NULL);
    *value = v > INT32_MAX ? INT32_MAX : v < INT32_MIN + 1 ? INT32_MIN + 1 : (int)v;
    return v == -1 && PyErr_Occurred() ? -1 : 0;
}

int hp_axis(PyObject *o, int *axis)
{
    if (PyBool_Check(o)) {
        PyErr_Format(PyExc_TypeError, "an integer is required for the axis, not %R", o);
        return -1;
    }
    return hp_int(o, axis);
}

/* An extent; one that no machine word holds is as wrong as one that no memory holds. */
int hp_extent(PyObject *o, int64_t *value)
{
    if (PyBool_Check(o)) {
        PyErr_Format(PyExc_TypeError, "an integer is required for an extent, not %R", o);
        return -1;
    }
    if (hp_int64(o, value) == 0)
        return 0;
    if (PyErr_ExceptionMatches(PyExc_OverflowError)) {
        PyErr_Clear();
        PyErr_SetString(PyExc_ValueError, "Maximum allowed dimension exceeded");
    }
    return -1;
}

static int not_a_shape(PyObject *o)
{
    if (PyErr_ExceptionMatches(PyExc_TypeError) && PyNumber_Check(o)) {
        PyErr_Clear();
        PyErr_Format(PyExc_TypeError,
                     "expected a sequence of integers or a single integer, got '%R'", o);
    }
    return -1;
}

int hp_shape(PyObject *o, int64_t *shape, int *nd)
{
    *nd = 1;
    if (PyLong_Check(o) || (PyIndex_Check(o) && !PySequence_Check(o)))
        return hp_extent(o, shape);
    if (hp_check(o) && hd_ndim(hp_a(o)) == 0)
        return hp_extent(o, shape);
    Py_ssize_t n = PySequence_Check(o) ? PySequence_Size(o) : -1;
    if (n < 0) {
        if (!PyErr_Occurred())
            hp_int64(o, shape);   /* for its message */
        return not_a_shape(o);
    }
    if (n > HD_MAXDIM) {
        PyErr_Format(PyExc_ValueError,
                     "maximum supported dimension for an ndarray is currently %d, found %zd",
                     HD_MAXDIM, n);
        return -1;
    }
    *nd = (int)n;
    for (int i = 0; i < n; i++) {
        PyObject *item = PySequence_GetItem(o, i);
        int status = item ? hp_extent(item, shape + i) : -1;
        Py_XDECREF(item);
        if (status < 0)
            return -1;
    }
    return 0;
}

int hp_axes(PyObject *o, int *axes, int *naxes)
{
    *naxes = HD_ALL_AXES;
    if (!o || o == Py_None)
        return 0;
    *naxes = 1;
    if (!PyTuple_Check(o) && !PyList_Check(o))
        return hp_axis(o, axes);
    Py_ssize_t n = PySequence_Size(o);
    if (n > HD_MAXDIM) {
        PyErr_SetString(PyExc_ValueError, "too many axes");
        return -1;
    }
    *naxes = (int)n;
    for (int i = 0; i < n; i++) {
        PyObject *item = PySequence_GetItem(o, i);
        int status = item ? hp_axis(item, axes + i) : -1;
        Py_XDECREF(item);
        if (status < 0)
            return -1;
    }
    return 0;
}

int hp_order(PyObject *o, char *order)
{
    if (!o || o == Py_None)
        return 0;
    static const char *const names[] = {"C", "F", "A", "K", "c", "f", "a", "k"};
    for (int i = 0; i < 8; i++)
        if (PyUnicode_Check(o) && PyUnicode_CompareWithASCIIString(o, names[i]) == 0) {
            *order = names[i & 3][0];
            return 0;
        }
    PyErr_Format(PyUnicode_Check(o) ? PyExc_ValueError : PyExc_TypeError,
                 "order must be one of 'C', 'F', 'A', or 'K' (got %R)", o);
    return -1;
}

int hp_true(PyObject *o, int *flag)
{
    if (!o)
        return 0;
    int t = PyObject_IsTrue(o);
    *flag = t > 0;
    return t < 0 ? -1 : 0;
}

int hp_axis_limits(PyObject *ndmin, PyObject *ndmax, int64_t *least, int64_t *most)
{
    *least = 0;
    *most = HD_MAXDIM;
    if ((ndmin && hp_int64(ndmin, least) < 0) || (ndmax && hp_int64(ndmax, most) < 0))
        return -1;
    if (*most < 0 || *most > HD_MAXDIM) {
        PyErr_Format(PyExc_ValueError, "ndmax must be in the range [0, %d]", HD_MAXDIM);
        return -1;
    }
    if (*least > *most) {
        PyErr_Format(PyExc_ValueError, "ndmin must be <= ndmax (%lld), not %lld", (long long)*most,
                     (long long)*least);
        return -1;
    }
    return 0;
}

PyObject *hp_within_limit(PyObject *array, PyObject *of, int64_t most)
{
    if (!array || !(PyList_Check(of) || PyTuple_Check(of)) || hd_ndim(hp_a(array)) <= most)
        return array;
    Py_DECREF(array);
    PyErr_Format(PyExc_ValueError,
                 "setting an array element with a sequence. The requested array would exceed the "
                 "maximum number of dimension of %lld.",
                 (long long)most);
    return NULL;
}

int hp_refuse_ellipsis(PyObject *const *args, Py_ssize_t first, Py_ssize_t nargs)
{
    for (Py_ssize_t k = first; k < nargs; k++)
        if (args[k] == HP_ANY_ARRAY) {
            PyErr_SetString(PyExc_TypeError, "out=... is only allowed as a keyword argument.");
            return -1;
        }
    return 0;
}
