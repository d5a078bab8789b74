/* SPDX-License-Identifier: BSD-3-Clause */
/* py_instance.c - isinstance(x, heddle.ndarray), by a metaclass.
 *
 * In a program written for NumPy every array is an ndarray. Some are NumPy's own: those that Heddle
 * does not compute on (text, dates, records, masked arrays), which therefore count as instances.
 * Arrays of NumPy's that Heddle could compute on do not: programs written for CuPy ask in this way
 * whether an array is still on the host. `python -m heddle run --numpy` counts them too, as
 * there numpy.ndarray is this type. The package itself asks _is_array(). */
#include "py.h"

static int count_all;   /* are all of NumPy's arrays instances? */

static int is_computed_on(PyObject *numpys)
{
    hd_dtype dt;
    PyObject *dtype = PyObject_GetAttrString(numpys, "dtype");
    int found = dtype && hp_dtype(dtype, &dt) == 0;
    PyErr_Clear();
    Py_XDECREF(dtype);
    return found;
}

/* As type.__instancecheck__() does for what is no instance by its type. */
static int says_that_it_is(PyObject *o, PyTypeObject *type)
{
    static PyObject *name;
    if (!name && !(name = PyUnicode_InternFromString("__class__")))
        return -1;
    PyObject *said = PyObject_GetAttr(o, name);
    if (!said && !PyErr_ExceptionMatches(PyExc_AttributeError))
        return -1;
    PyErr_Clear();
    int is = said && said != (PyObject *)Py_TYPE(o) && PyType_Check(said) &&
             PyType_IsSubtype((PyTypeObject *)said, type);
    Py_XDECREF(said);
    return is;
}

static PyObject *instance_check(PyObject *type, PyObject *o)
{
    if (PyObject_TypeCheck(o, (PyTypeObject *)type))
        return Py_NewRef(Py_True);
    if ((PyTypeObject *)type == hp_array_type && hp_is_numpy_array(o))
        return PyBool_FromLong(count_all || hp_has_rules(o) || !is_computed_on(o));
    int is = says_that_it_is(o, (PyTypeObject *)type);
    return is < 0 ? NULL : PyBool_FromLong(is);
}

/* Until CPython 3.12 PyType_FromSpec() takes no metaclass: the type is given one when it is
 * ready. */
int hp_instance_ready(void)
{
    static PyMethodDef methods[] = {{"__instancecheck__", instance_check, METH_O, NULL},
                                    {NULL, NULL, 0, NULL}};
    static PyType_Slot slots[] = {{Py_tp_methods, methods}, {0, NULL}};
    static PyType_Spec spec = {"heddle._array_type", 0, 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    PyObject *bases = PyTuple_Pack(1, (PyObject *)&PyType_Type);
    PyObject *metatype = bases ? PyType_FromSpecWithBases(&spec, bases) : NULL;
    Py_XDECREF(bases);
    if (!metatype)
        return -1;
    /* which keeps the reference */
    Py_SET_TYPE((PyObject *)hp_array_type, (PyTypeObject *)metatype);
    return 0;
}

/* _is_array(x): is it an array of ours? */
static PyObject *is_array(PyObject *module, PyObject *o)
{
    (void)module;
    return PyBool_FromLong(hp_check(o));
}

/* _count_numpys_arrays(all): are all of NumPy's arrays instances of ndarray? */
static PyObject *count_numpys_arrays(PyObject *module, PyObject *all)
{
    (void)module;
    int wanted = PyObject_IsTrue(all);
    if (wanted < 0)
        return NULL;
    count_all = wanted;
    return Py_NewRef(Py_None);
}

PyMethodDef hp_instance_functions[] = {{"_count_numpys_arrays", count_numpys_arrays, METH_O, NULL},
                                       {"_is_array", is_array, METH_O, NULL},
                                       {NULL, NULL, 0, NULL}};
