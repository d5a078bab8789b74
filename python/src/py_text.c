/* SPDX-License-Identifier: BSD-3-Clause */
/* py_text.c - the text of an array, which is NumPy's to the letter, and comparisons with what no
 * array of numbers can hold. */
#include "py_element.h"

/* NumPy's array of the same elements; of a scalar, NumPy's scalar. */
static PyObject *numpy_twin(PyObject *self)
{
    if (hp_is_scalar(self) && hd_dtype_of(hp_a(self)) != HD_BFLOAT16)
        return hp_value_of(self);
    PyObject *n = hp_as_numpy(self, 0), *key = NULL, *scalar = NULL;
    if (!n || !hp_is_scalar(self))
        return n;
    if ((key = PyTuple_New(0)))
        scalar = PyObject_GetItem(n, key);
    Py_XDECREF(key);
    Py_DECREF(n);
    return scalar;
}

/* n (taken) as an array of a type that has the name of self's. */
static PyObject *named_twin(PyObject *n, PyObject *self)
{
    PyObject *name = PyObject_GetAttrString((PyObject *)Py_TYPE(self), "__name__");
    PyObject *type = name ? PyObject_CallFunction((PyObject *)&PyType_Type, "O(O){}", name,
                                                  (PyObject *)hp_numpy_array_type())
                          : NULL;
    PyObject *twin = type ? PyObject_CallMethod(n, "view", "O", type) : NULL;
    Py_XDECREF(type);
    Py_XDECREF(name);
    Py_DECREF(n);
    return twin;
}

static PyObject *array_repr(PyObject *self)
{
    PyObject *n = numpy_twin(self);
    if (n && hp_is_sub(self))
        n = named_twin(n, self);
    PyObject *text = n ? PyObject_Repr(n) : NULL;
    Py_XDECREF(n);
    return text;
}

static PyObject *array_str(PyObject *self)
{
    PyObject *n = numpy_twin(self), *text = n ? PyObject_Str(n) : NULL;
    Py_XDECREF(n);
    return text;
}

PyObject *hp_compare_unlike(PyObject *x, PyObject *y, int negate)
{
    PyObject *n = numpy_twin(x),
             *answer = n ? PyObject_RichCompare(n, y, negate ? Py_NE : Py_EQ) : NULL, *r = answer;
    Py_XDECREF(n);
    if (answer && (hp_is_numpy_array(answer) || hp_is_numpy_scalar(answer))) {
        hd_array *a = hp_to_array(answer, HD_NO_DTYPE), *own = a;
        if (a && hp_is_scalar(x))
            a = hd_scalar_of(own);
        if (a != own)
            hd_release(own);
        r = hp_wrap(a);
        Py_DECREF(answer);
    }
    return r;
}

PyType_Slot hp_text_slots[] = {{Py_tp_repr, array_repr}, {Py_tp_str, array_str}, {0, NULL}};
