/* SPDX-License-Identifier: BSD-3-Clause */
/* py_numpys.c - generators over NumPy's: the base type heddle._OverNumpys, an object over one of
 * NumPy's, and the type heddle.numpys_method of its methods. Such a method calls NumPy's if the
 * arguments are plain, and makes the result ours. All else is done by the function of
 * heddle/_numpys_generators.py that it stands for.
 * See        docs/design/random.md, "Generators over NumPy's bit generators" */
#include "py_element.h"

typedef struct over {
    PyObject_HEAD
    PyObject *numpys;    /* NULL until it is set */
} over;

typedef struct method {
    PyObject_HEAD
    hp_vectorcall call;
    PyObject *numpys;    /* NumPy's method, not bound */
    PyObject *function;  /* ours */
} method;

enum { MOST_ARGUMENTS = 12 };   /* of plain calls, with the object */

static PyTypeObject *over_type, *method_type;
static PyObject *converted;   /* converted(result): any result as ours */

/* Is o what NumPy takes as it is, and no array that it may write to? */
static int is_plain(PyObject *o)
{
    return o == Py_None || PyFloat_CheckExact(o) || PyLong_CheckExact(o) || PyBool_Check(o) ||
           PyUnicode_CheckExact(o) || PyTuple_CheckExact(o) || PyList_CheckExact(o) ||
           PyType_Check(o);
}

/* What NumPy gave for plain arguments (taken), as ours. */
static PyObject *as_ours(PyObject *r)
{
    hd_dtype dt;
    uint64_t element[2];
    PyObject *own = NULL;
    if (PyFloat_CheckExact(r) || PyLong_CheckExact(r) || r == Py_None)
        return r;
    if (hp_exact_scalar(r, &dt, element)) {
        own = hp_numpy_scalar(dt, element);
    } else if (Py_TYPE(r) == hp_numpy_array_type()) {
        hd_array *a = hp_to_array(r, HD_NO_DTYPE);
        own = a ? hp_wrap(a) : NULL;
        if (!own && PyErr_ExceptionMatches(PyExc_TypeError))   /* none of our dtypes */
            PyErr_Clear();
    }
    if (!own && !PyErr_Occurred())
        own = PyObject_CallFunctionObjArgs(converted, r, NULL);
    Py_DECREF(r);
    return own;
}

static PyObject *call(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    const method *m = (method *)self;
    PyObject *stack[MOST_ARGUMENTS];
    const Py_ssize_t nargs = (Py_ssize_t)(nargsf & ~HP_ARGUMENTS_OFFSET);
    const Py_ssize_t n = nargs + (kwnames ? PyTuple_Size(kwnames) : 0);
    int plain = nargs > 0 && n <= MOST_ARGUMENTS && PyObject_TypeCheck(args[0], over_type) &&
                ((over *)args[0])->numpys;
    for (Py_ssize_t i = 1; i < n && plain; i++) {
        plain = is_plain(args[i]);
        stack[i] = args[i];
    }
    if (!plain)
        return PyObject_Vectorcall(m->function, args, nargsf, kwnames);
    stack[0] = ((over *)args[0])->numpys;
    PyObject *r = PyObject_Vectorcall(m->numpys, stack, (size_t)nargs, kwnames);
    return r ? as_ours(r) : NULL;
}

/* ---- objects --------------------------------------------------------------------------------- */

static void dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    Py_XDECREF(((method *)self)->numpys);
    Py_XDECREF(((method *)self)->function);
    PyObject_Free(self);
    Py_DECREF(type);
}

static void over_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    Py_XDECREF(((over *)self)->numpys);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

static PyObject *get_of_function(PyObject *self, void *name)
{
    return PyObject_GetAttrString(((method *)self)->function, name);
}

static PyMemberDef over_members[] = {
    {"_numpys", T_OBJECT_EX, offsetof(over, numpys), 0, "the generator of NumPy's"},
    {NULL, 0, 0, 0, NULL}};
static PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(method, call), READONLY, NULL},
    {"__wrapped__", T_OBJECT_EX, offsetof(method, function), READONLY, NULL},
    {NULL, 0, 0, 0, NULL}};
static PyGetSetDef getset[] = {
    {"__name__", get_of_function, NULL, NULL, (void *)"__name__"},
    {"__qualname__", get_of_function, NULL, NULL, (void *)"__qualname__"},
    {"__doc__", get_of_function, NULL, NULL, (void *)"__doc__"},
    {NULL, NULL, NULL, NULL, NULL}};

/* _numpys_method(numpys, function, converted): function, and NumPy's method that is not bound.
 * converted is the same for all. */
static PyObject *make(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    (void)module;
    if (nargs != 3 || !PyCallable_Check(args[0]) || !PyCallable_Check(args[1])) {
        PyErr_SetString(PyExc_TypeError, "_numpys_method() takes three functions");
        return NULL;
    }
    method *m = PyObject_New(method, method_type);
    if (m) {
        m->call = call;
        m->numpys = Py_NewRef(args[0]);
        m->function = Py_NewRef(args[1]);
        Py_XDECREF(hp_put(&converted, args[2]));
    }
    return (PyObject *)m;
}

PyMethodDef hp_numpys_functions[] = {
    {"_numpys_method", (PyCFunction)(void (*)(void))make, METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL}};

int hp_numpys_ready(PyObject *module)
{
    static PyType_Slot over_slots[] = {
        {Py_tp_dealloc, over_dealloc}, {Py_tp_members, over_members}, {0, NULL}};
    static PyType_Spec over_spec = {"heddle._OverNumpys", sizeof(over), 0,
                                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, over_slots};
    static PyType_Slot slots[] = {{Py_tp_dealloc, dealloc}, {Py_tp_call, PyVectorcall_Call},
                                  {Py_tp_descr_get, hp_bind},  {Py_tp_members, members},
                                  {Py_tp_getset, getset},   {0, NULL}};
    /* Immutable, as heddle.method. */
    static PyType_Spec spec = {"heddle.numpys_method", sizeof(method), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION |
                                   Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_METHOD_DESCRIPTOR |
                                   HP_HAVE_VECTORCALL,
                               slots};
    over_type = (PyTypeObject *)PyType_FromSpec(&over_spec);
    method_type = (PyTypeObject *)PyType_FromSpec(&spec);
    if (!over_type || !method_type)
        return -1;
    return PyModule_AddObjectRef(module, "_OverNumpys", (PyObject *)over_type);
}
