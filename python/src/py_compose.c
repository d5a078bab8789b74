/* SPDX-License-Identifier: BSD-3-Clause */
/* py_compose.c - what tile() and diff() of the package stand on: arguments by position,
 * checked there. */
#include "py.h"

#include <heddle/compose.h>

static int check_array(const char *name, PyObject *const *args, Py_ssize_t nargs, Py_ssize_t least)
{
    if (nargs >= least && hp_check(args[0]))
        return 0;
    PyErr_Format(PyExc_TypeError, "%s() takes an array and numbers", name);
    return -1;
}

/* _tile(x, times, times, ...) */
static PyObject *function_tile(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    int64_t reps[HD_MAXDIM];
    (void)module;
    if (check_array("_tile", args, nargs, 1) < 0)
        return NULL;
    if (nargs > HD_MAXDIM)
        return PyErr_SetString(PyExc_ValueError, "too many axes"), NULL;
    for (Py_ssize_t k = 1; k < nargs; k++)
        if (hp_int64(args[k], reps + k - 1) < 0)
            return NULL;
    return hp_wrap(hd_tile(hp_a(args[0]), (int)nargs - 1, reps));
}

static PyObject *function_diff(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    int64_t n;
    int axis;
    (void)module;
    if (check_array("_diff", args, nargs, 3) < 0 || hp_int64(args[1], &n) < 0 ||
        hp_axis(args[2], &axis) < 0)
        return NULL;
    return hp_wrap(hd_diff(hp_a(args[0]), n, axis));
}

#define ROW(name, doc) {"_" #name, (PyCFunction)(void (*)(void))function_##name, METH_FASTCALL, doc}
PyMethodDef hp_compose_functions[] = {
    ROW(tile, "_tile(x, times, times, ...)"),
    ROW(diff, "_diff(x, n, axis)"),
    {NULL, NULL, 0, NULL}};
