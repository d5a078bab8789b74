/* SPDX-License-Identifier: BSD-3-Clause */
/* py_signature.c - signature= of a ufunc: which dtypes its loop has, as "dd->d" or as a tuple with
 * one dtype, or None, for each input and output. */
#include "py.h"

#include <string.h>

static int no_loop(const char *ufunc)
{
    PyErr_Format(PyExc_TypeError,
                 "No loop matching the specified signature and casting was found for ufunc %s",
                 ufunc);
    return -1;
}

/* One dtype alone is what dtype= is for. */
static int single(void)
{
    PyErr_SetString(PyExc_TypeError,
                    "Use `dtype` or  fill the tuple with more than one 'None'.");
    return -1;
}

/* One letter of a type string. */
static int take_letter(char letter, const char *ufunc, hd_dtype *dt)
{
    char text[2] = {letter, '\0'};
    PyObject *name = PyUnicode_FromString(text);
    int status = name ? hp_dtype(name, dt) : -1;
    Py_XDECREF(name);
    if (status == 0 || !PyErr_ExceptionMatches(PyExc_TypeError))
        return status;
    PyErr_Clear();
    if (strchr("gGOSUVMmpPnNqQ", letter))   /* a dtype that no loop of ours has */
        return no_loop(ufunc);
    PyErr_Format(PyExc_ValueError, "Invalid data-type for array: '%c' in the signature of %s",
                 letter, ufunc);
    return -1;
}

static int from_string(PyObject *o, const char *ufunc, int nin, int nout, hd_dtype *dts)
{
    Py_ssize_t length;
    const char *s = PyUnicode_AsUTF8AndSize(o, &length);
    if (!s)
        return -1;
    if (length == 1)
        return single();
    if (length != nin + nout + 2 || strncmp(s + nin, "->", 2) != 0) {
        PyErr_Format(PyExc_ValueError,
                     "a type-string for %s, %d typecode(s) before and %d after the -> sign", ufunc,
                     nin, nout);
        return -1;
    }
    int status = 0;
    for (int i = 0; i < nin + nout && status == 0; i++)
        status = take_letter(s[i < nin ? i : i + 2], ufunc, dts + i);
    return status;
}

static int from_tuple(PyObject *o, const char *ufunc, int nin, int nout, hd_dtype *dts)
{
    Py_ssize_t n = PyTuple_Size(o);
    if (n == 1 && nin + nout != 1)
        return single();
    if (n != nin + nout) {
        PyErr_Format(PyExc_ValueError,
                     "a type-tuple must be specified of length %d for ufunc '%s'", nin + nout,
                     ufunc);
        return -1;
    }
    int status = 0;
    for (int i = 0; i < nin + nout && status == 0; i++)
        status = hp_dtype(PyTuple_GetItem(o, i), dts + i);
    return status;
}

int hp_loop_signature(PyObject *o, const char *ufunc, int nin, int nout, hd_dtype *dts)
{
    for (int i = 0; i < nin + nout; i++)
        dts[i] = HD_NO_DTYPE;
    if (PyTuple_Check(o))
        return from_tuple(o, ufunc, nin, nout, dts);
    if (PyUnicode_Check(o))
        return from_string(o, ufunc, nin, nout, dts);
    if (PyBytes_Check(o)) {
        PyObject *text = PyUnicode_FromEncodedObject(o, NULL, NULL);
        const int status = text ? from_string(text, ufunc, nin, nout, dts) : -1;
        Py_XDECREF(text);
        return status;
    }
    PyErr_SetString(PyExc_TypeError,
                    "the signature object to ufunc must be a string or a tuple.");
    return -1;
}
