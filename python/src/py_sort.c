/* SPDX-License-Identifier: BSD-3-Clause */
/* py_sort.c - what the Python side of sorting, searching, counting and sets stands on: arguments by
 * position, arrays as arrays. The functions that users see are in the package. */
#include "py.h"

#include <stdlib.h>

static int check_call(const char *name, Py_ssize_t nargs, Py_ssize_t wanted, PyObject *array)
{
    if (nargs == wanted && hp_check(array))
        return 0;
    PyErr_Format(PyExc_TypeError, "%s: an array and %zd arguments expected", name, wanted - 1);
    return -1;
}

static int axis_of(PyObject *o, int *axis)
{
    *axis = HD_FLAT;
    return o == Py_None ? 0 : hp_int(o, axis);
}

typedef hd_array *(*sorter)(const hd_array *x, int axis, int descending);

static PyObject *sort_by(const char *name, sorter f, PyObject *const *args, Py_ssize_t nargs)
{
    int axis, down = 0;
    if (check_call(name, nargs, 3, nargs > 0 ? args[0] : NULL) < 0 ||
        axis_of(args[1], &axis) < 0 || hp_true(args[2], &down) < 0)
        return NULL;
    return hp_wrap(f(hp_a(args[0]), axis, down));
}

static PyObject *function_sort(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    (void)module;
    return sort_by("_sort", hd_sort, args, nargs);
}

static PyObject *function_argsort(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    (void)module;
    return sort_by("_argsort", hd_argsort, args, nargs);
}

typedef hd_array *(*partitioner)(const hd_array *x, int n, const int64_t *kth, int axis);

static PyObject *partition_by(const char *name, partitioner f, PyObject *const *args,
                              Py_ssize_t nargs)
{
    int axis;
    if (check_call(name, nargs, 3, nargs > 0 ? args[0] : NULL) < 0 ||
        axis_of(args[2], &axis) < 0)
        return NULL;
    const Py_ssize_t n = PyTuple_Size(args[1]);
    int64_t *kth = n >= 0 ? malloc(sizeof *kth * (size_t)(n + 1)) : NULL;
    if (!kth)
        return n < 0 ? NULL : PyErr_NoMemory();
    PyObject *r = NULL;
    Py_ssize_t i = 0;
    while (i < n && hp_int64(PyTuple_GetItem(args[1], i), kth + i) == 0)
        i++;
    if (i == n)
        r = hp_wrap(f(hp_a(args[0]), (int)n, kth, axis));
    free(kth);
    return r;
}

static PyObject *function_partition(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    (void)module;
    return partition_by("_partition", hd_partition, args, nargs);
}

static PyObject *function_argpartition(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    (void)module;
    return partition_by("_argpartition", hd_argpartition, args, nargs);
}

static PyObject *function_searchsorted(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    (void)module;
    int right = 0;
    if (check_call("_searchsorted", nargs, 3, nargs > 0 ? args[0] : NULL) < 0 ||
        check_call("_searchsorted", nargs, 3, args[1]) < 0 || hp_true(args[2], &right) < 0)
        return NULL;
    return hp_wrap(hd_searchsorted(hp_a(args[0]), hp_a(args[1]), right));
}

static PyObject *function_bincount(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    (void)module;
    int64_t minlength;
    if (check_call("_bincount", nargs, 3, nargs > 0 ? args[0] : NULL) < 0 ||
        (args[1] != Py_None && check_call("_bincount", nargs, 3, args[1]) < 0) ||
        hp_int64(args[2], &minlength) < 0)
        return NULL;
    return hp_wrap(hd_bincount(hp_a(args[0]), args[1] != Py_None ? hp_a(args[1]) : NULL,
                               minlength));
}

static PyObject *function_histogram(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    (void)module;
    int equal = 0;
    if (check_call("_histogram", nargs, 3, nargs > 0 ? args[0] : NULL) < 0 ||
        check_call("_histogram", nargs, 3, args[1]) < 0 || hp_true(args[2], &equal) < 0)
        return NULL;
    return hp_wrap(hd_histogram(hp_a(args[0]), hp_a(args[1]), equal));
}

static PyObject *function_unique(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    (void)module;
    int wanted[4] = {0, 0, 0, 0};   /* equal_nan, index, inverse, counts */
    hd_array *out[4] = {NULL, NULL, NULL, NULL};
    if (check_call("_unique", nargs, 5, nargs > 0 ? args[0] : NULL) < 0)
        return NULL;
    for (int k = 0; k < 4; k++)
        if (hp_true(args[k + 1], wanted + k) < 0)
            return NULL;
    if (hd_unique(hp_a(args[0]), wanted[0], out, wanted[1] ? out + 1 : NULL,
                  wanted[2] ? out + 2 : NULL, wanted[3] ? out + 3 : NULL) != HD_OK)
        return hp_raise();
    PyObject *result = PyTuple_New(4);
    for (int k = 0; k < 4; k++) {
        PyObject *o = out[k] ? hp_wrap(out[k]) : Py_NewRef(Py_None);
        if (!result)
            Py_XDECREF(o);
        else if (!o || PyTuple_SetItem(result, k, o) < 0)
            Py_CLEAR(result);
    }
    return result;
}

#define ROW(name, doc) {"_" #name, (PyCFunction)(void (*)(void))function_##name, METH_FASTCALL, doc}
PyMethodDef hp_sort_functions[] = {
    ROW(sort, "_sort(x, axis, descending)"),
    ROW(argsort, "_argsort(x, axis, descending)"),
    ROW(partition, "_partition(x, ranks, axis)"),
    ROW(argpartition, "_argpartition(x, ranks, axis)"),
    ROW(searchsorted, "_searchsorted(table, values, right)"),
    ROW(bincount, "_bincount(x, weights, minlength)"),
    ROW(histogram, "_histogram(x, edges, equal)"),
    ROW(unique, "_unique(x, equal_nan, index, inverse, counts): (values, index, inverse, counts)"),
    {NULL, NULL, 0, NULL}};
