/* SPDX-License-Identifier: BSD-3-Clause */
/* py_launch.c - kernels of the user's own, for heddle.cupy.RawKernel. */
#include <heddle/launch.h>

#include "py.h"

#include <stdlib.h>

/* Three numbers of a tuple. */
static int take_sizes(PyObject *o, unsigned size[3])
{
    if (!PyTuple_Check(o) || PyTuple_Size(o) != 3) {
        PyErr_SetString(PyExc_TypeError, "three sizes are expected");
        return -1;
    }
    for (int a = 0; a < 3; a++) {
        unsigned long long n = PyLong_AsUnsignedLongLong(PyTuple_GetItem(o, a));
        if (!PyErr_Occurred() && n > UINT32_MAX)
            PyErr_Format(PyExc_ValueError, "a size of %llu is too large for a launch", n);
        if (PyErr_Occurred())
            return -1;
        size[a] = (unsigned)n;
    }
    return 0;
}

/* An array, which is written; (array, access); bytes, a value. */
static int take_argument(PyObject *o, hd_launch_arg *arg)
{
    *arg = (hd_launch_arg){.access = HD_READS | HD_WRITES};
    if (hp_check(o)) {
        arg->array = hp_a(o);
    } else if (PyBytes_Check(o)) {
        char *value;
        Py_ssize_t bytes;
        if (PyBytes_AsStringAndSize(o, &value, &bytes) < 0)
            return -1;
        arg->value = value;
        arg->bytes = (size_t)bytes;
    } else if (PyTuple_Check(o) && PyTuple_Size(o) == 2 && hp_check(PyTuple_GetItem(o, 0))) {
        arg->array = hp_a(PyTuple_GetItem(o, 0));
        arg->access = (int)PyLong_AsLong(PyTuple_GetItem(o, 1));
    } else {
        PyErr_SetString(PyExc_TypeError, "an argument of a kernel is an array or bytes");
    }
    return PyErr_Occurred() ? -1 : 0;
}

static PyObject *launch_with(PyObject *const *args, hd_launch_arg *arguments, Py_ssize_t n)
{
    unsigned grid[3], block[3];
    hd_device *dev = hp_device(args[0]);
    uintptr_t function = (uintptr_t)PyLong_AsUnsignedLongLong(args[1]);
    const char *name = dev && !PyErr_Occurred() ? PyUnicode_AsUTF8AndSize(args[2], NULL) : NULL;
    unsigned long shared = PyErr_Occurred() ? 0 : PyLong_AsUnsignedLong(args[5]);
    if (PyErr_Occurred() || take_sizes(args[3], grid) < 0 || take_sizes(args[4], block) < 0)
        return NULL;
    for (Py_ssize_t i = 0; i < n; i++)
        if (take_argument(PyTuple_GetItem(args[6], i), &arguments[i]) < 0)
            return NULL;
    return hp_none(hd_launch(dev, function, name, grid, block, (unsigned)shared, (int)n,
                             arguments));
}

/* (device, function, name, grid, block, shared_bytes, arguments) */
static PyObject *launch(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    (void)module;
    if (nargs != 7 || !PyTuple_Check(args[6])) {
        PyErr_SetString(PyExc_TypeError, "seven arguments expected, a tuple the last");
        return NULL;
    }
    const Py_ssize_t n = PyTuple_Size(args[6]);
    hd_launch_arg *arguments = calloc((size_t)n + 1, sizeof *arguments);
    if (!arguments)
        return PyErr_NoMemory();
    PyObject *r = launch_with(args, arguments, n);
    free(arguments);
    return r;
}
PyMethodDef hp_launch_functions[] = {
    {"_launch", (PyCFunction)(void (*)(void))launch, METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL}};
