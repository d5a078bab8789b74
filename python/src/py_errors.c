/* SPDX-License-Identifier: BSD-3-Clause */
/* py_errors.c - the library's errors as Python's and NumPy's exceptions. */
#include "py.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const exception_names[HD_STATUS_COUNT] = {
#define EXCEPTION_NAME(name, text, python) #python,
    HD_ERRORS(EXCEPTION_NAME)
#undef EXCEPTION_NAME
};

/* The exception type of a status (borrowed). NumPy's own where it has one; its base class if
 * NumPy lacks it. */
static PyObject *exception_type(hd_status code)
{
    const char *name = exception_names[code];
    PyObject *type = NULL;
    if (strcmp(name, "AxisError") == 0)
        return (type = hp_numpy_exception("numpy.exceptions", name)) ? type : PyExc_IndexError;
    if (strcmp(name, "UFuncTypeError") == 0)
        return (type = hp_numpy_exception("numpy._core._exceptions", name)) ? type
                                                                            : PyExc_TypeError;
    if (strcmp(name, "LinAlgError") == 0)
        return (type = hp_numpy_exception("numpy.linalg", name)) ? type : PyExc_ValueError;
    PyObject *builtins = PyImport_ImportModule("builtins");
    type = builtins ? PyObject_GetAttrString(builtins, name) : NULL;
    Py_XDECREF(builtins);
    if (!type) {
        PyErr_Clear();
        return PyExc_RuntimeError;
    }
    Py_DECREF(type);   /* builtins keeps it alive */
    return type;
}

static void raise_error(const hd_error *e)
{
    /* casts of whole arrays are no ufunc's */
    int plain = e->code == HD_CAST && strncmp(e->message, "Cannot cast array data", 22) == 0;
    PyObject *type = plain ? PyExc_TypeError : exception_type(e->code);
    if (e->code != HD_AXIS || e->ndim <= 0) {
        PyErr_SetString(type, e->message[0] ? e->message : hd_status_text(e->code));
        return;
    }
    PyObject *value = PyObject_CallFunction(type, "ii", e->axis, e->ndim);
    if (value)
        PyErr_SetObject(type, value);
    Py_XDECREF(value);
}

PyObject *hp_raise(void)
{
    hd_error e;
    hd_status code = hd_error_take(&e);
    if (PyErr_Occurred() || hp_raise_caught() < 0)
        return NULL;
    if (code == HD_OK)
        PyErr_SetString(PyExc_SystemError, "heddle failed without a reason");
    else if (code == HD_INTERRUPTED)
        PyErr_SetNone(PyExc_KeyboardInterrupt);
    else
        raise_error(&e);
    return NULL;
}

PyObject *hp_raise_index(const int *axes, int naxes)
{
    hd_error e;
    long long index, size;
    int axis;
    if (hd_error_peek()->code != HD_INDEX || PyErr_Occurred())
        return hp_raise();
    hd_error_take(&e);
    if (sscanf(e.message, "index %lld is out of bounds for axis %d with size %lld", &index, &axis,
               &size) == 3 &&
        axis >= 0 && axis < naxes)
        snprintf(e.message, sizeof e.message,
                 "index %lld is out of bounds for axis %d with size %lld", index, axes[axis], size);
    raise_error(&e);
    return NULL;
}

PyObject *hp_none(hd_status status)
{
    return status == HD_OK ? Py_NewRef(Py_None) : hp_raise();
}
