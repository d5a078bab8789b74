/* SPDX-License-Identifier: BSD-3-Clause */
/* py_handover.c - calls that NumPy does. A conversion that meets a dtype heddle does not compute
 * on, or an operand whose type has rules of its own (a masked array, a Series), raises hp_not_ours;
 * the public function that was called then goes to NumPy's function of the same name, with the
 * arguments as they were given. Public functions are objects of the type here, which does nothing
 * else: what heddle's modules call of each other are the functions inside. */
#include "py_element.h"
#include "py_first.h"

#include <string.h>

PyObject *hp_not_ours;
_Thread_local int hp_asking;
/* Of heddle._handing: hand_over(path, args, kwargs, error); a dict of how often by path; a list of
 * one text, "allow" or "error". */
static PyObject *handler, *counts, *policy;

typedef PyObject *(*hp_fastcall)(PyObject *self, HP_FAST);

typedef struct function {
    PyObject_HEAD
    hp_vectorcall call;
    PyObject *dict;
    PyObject *inner;         /* what computes */
    hp_vectorcall inner_call;
    hp_fastcall c_call;   /* of a C function: what it runs, and its module */
    PyObject *c_self;
    hp_first first;          /* what is tried before it, or NULL */
    PyObject *path;          /* NumPy's name for it: "linalg.norm" */
    int asks;                /* are operands with rules of their own NumPy's? */
    int binds;               /* in the body of a class it is a method */
} function;

static PyTypeObject *function_type;

/* ---- operands with rules of their own -------------------------------------------------------- */

PyObject *hp_type_attr(PyObject *o, const char *name)
{
    PyObject *attr = PyObject_GetAttrString((PyObject *)Py_TYPE(o), name);
    if (!attr)
        PyErr_Clear();
    return attr;
}

int hp_type_has(PyObject *o, const char *name)
{
    PyObject *attr = hp_type_attr(o, name);
    Py_XDECREF(attr);
    return attr != NULL;
}

/* A NumPy array that is read as its elements: of the type itself, or a file's. */
static int is_plain_array(PyObject *o)
{
    static PyObject *file;
    if (Py_TYPE(o) == hp_numpy_array_type())
        return 1;
    if (!file && !(file = PyObject_GetAttrString(hp_numpy(), "memmap")))
        PyErr_Clear();
    return (PyObject *)Py_TYPE(o) == file;
}

int hp_has_rules(PyObject *o)
{
    if (hp_check(o) || PyFloat_Check(o) || PyLong_Check(o) || PyList_Check(o) || PyTuple_Check(o) ||
        PyComplex_Check(o) || hp_is_numpy_scalar(o))
        return 0;
    if (hp_is_numpy_array(o))
        return !is_plain_array(o);
    return (hp_type_has(o, "__array_ufunc__") || hp_type_has(o, "__array_function__")) &&
           !hp_type_has(o, "__cuda_array_interface__");   /* elements on a GPU, which we read */
}

int hp_refuse_rules(PyObject *o)
{
    if (!hp_asking || !hp_has_rules(o))
        return 0;
    PyErr_Format(hp_not_ours, "%R has rules of its own for arrays", (PyObject *)Py_TYPE(o));
    return -1;
}

/* ---- handing over ---------------------------------------------------------------------------- */

static int is_ours_to_hand(void)
{
    return handler && PyErr_ExceptionMatches(hp_not_ours);
}

/* NumPy's answer to these arguments; the exception at hand is the handler's to raise again. */
static PyObject *hand(PyObject *path, PyObject *args, PyObject *kwargs)
{
    PyObject *type, *error, *trace;
    PyErr_Fetch(&type, &error, &trace);
    PyErr_NormalizeException(&type, &error, &trace);
    int before = hp_ask_operands(0);
    PyObject *result = PyObject_CallFunctionObjArgs(handler, path, args, kwargs, error, NULL);
    hp_ask_operands(before);
    Py_XDECREF(type);
    Py_XDECREF(error);
    Py_XDECREF(trace);
    return result;
}

PyObject *hp_hand_over(PyObject *path, HP_FAST)
{
    if (!is_ours_to_hand())
        return NULL;
    PyObject *error[3], *result = NULL;
    PyErr_Fetch(&error[0], &error[1], &error[2]);
    PyObject *all = hp_tuple_of(args, nargs);
    PyObject *named = all ? hp_dict_of(args + nargs, kwnames) : NULL;
    if (named) {
        PyErr_Restore(error[0], error[1], error[2]);
        result = hand(path, all, named);
    } else {
        for (int i = 0; i < 3; i++)
            Py_XDECREF(error[i]);
    }
    Py_XDECREF(all);
    Py_XDECREF(named);
    return result;
}

PyObject *hp_hand_over_named(const char *name, HP_FAST)
{
    PyObject *error[3], *result = NULL;
    if (!is_ours_to_hand())
        return NULL;
    PyErr_Fetch(&error[0], &error[1], &error[2]);
    PyObject *path = PyUnicode_FromString(name);
    PyErr_Restore(error[0], error[1], error[2]);
    if (path)
        result = hp_hand_over(path, args, nargs, kwnames);
    Py_XDECREF(path);
    return result;
}

/* Is o a list or tuple of texts and nothing else? */
static int is_all_text(PyObject *o)
{
    const int list = PyList_CheckExact(o);
    const Py_ssize_t n = list ? PyList_Size(o) : PyTuple_CheckExact(o) ? PyTuple_Size(o) : 0;
    for (Py_ssize_t i = 0; i < n; i++)
        if (!PyUnicode_CheckExact(list ? PyList_GetItem(o, i) : PyTuple_GetItem(o, i)))
            return 0;
    return n > 0;
}

/* One more hand-over by that path. */
static int count(PyObject *path)
{
    PyObject *before = PyDict_GetItemWithError(counts, path);
    const long n = before ? PyLong_AsLong(before) : 0;
    PyObject *now = PyErr_Occurred() ? NULL : PyLong_FromLong(n + 1);
    const int status = now ? PyDict_SetItem(counts, path, now) : -1;
    Py_XDECREF(now);
    return status;
}

PyObject *hp_array_of_text(PyObject *o)
{
    static PyObject *name;
    PyObject *word = policy && is_all_text(o) ? PyList_GetItem(policy, 0) : NULL;
    if (!word || PyUnicode_CompareWithASCIIString(word, "allow") != 0)
        return NULL;
    if (!name && !(name = PyUnicode_InternFromString("array")))
        return NULL;
    if (!hp_numpy() || count(name) < 0)
        return NULL;
    PyObject *numpys = PyObject_GetAttr(hp_numpy(), name);
    PyObject *r = numpys ? PyObject_Vectorcall(numpys, &o, 1, NULL) : NULL;
    Py_XDECREF(numpys);
    return r;
}

/* ---- the functions --------------------------------------------------------------------------- */

static inline int has_subclass(PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    return HP_UNLIKELY(hp_subclasses) &&
           hp_has_subclass(args, nargs + (kwnames ? PyTuple_Size(kwnames) : 0));
}

static PyObject *call(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    function *f = (function *)self;
    Py_ssize_t nargs = (Py_ssize_t)(nargsf & ~HP_ARGUMENTS_OFFSET);
    int before = hp_ask_operands(f->asks);
    PyObject *r = has_subclass(args, nargs, kwnames)
                      ? hp_function_of_subclass(self, args, nargs, kwnames)
                      : f->inner_call(f->inner, args, nargsf, kwnames);
    hp_ask_operands(before);
    return HP_LIKELY(r != NULL) ? r : hp_hand_over(f->path, args, nargs, kwnames);
}

/* The same of a C function, without the interpreter's call in between. */
static PyObject *call_c(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    function *f = (function *)self;
    Py_ssize_t nargs = (Py_ssize_t)(nargsf & ~HP_ARGUMENTS_OFFSET);
    if (has_subclass(args, nargs, kwnames))
        return call(self, args, nargsf, kwnames);
    int before = hp_ask_operands(f->asks);
    PyObject *r = f->c_call(f->c_self, args, nargs, kwnames);
    hp_ask_operands(before);
    return HP_LIKELY(r != NULL) ? r : hp_hand_over(f->path, args, nargs, kwnames);
}

/* The same of one before which another is tried. */
static PyObject *call_first(PyObject *self, PyObject *const *args, size_t nargsf,
                            PyObject *kwnames)
{
    function *f = (function *)self;
    Py_ssize_t nargs = (Py_ssize_t)(nargsf & ~HP_ARGUMENTS_OFFSET);
    PyObject *r = f->first(args, nargs, kwnames);
    return HP_LIKELY(r || PyErr_Occurred()) ? r : call(self, args, nargsf, kwnames);
}

/* As a function in the body of a class; NumPy's functions of C are none there, as array(). */
static PyObject *bind(PyObject *self, PyObject *object, PyObject *type)
{
    return ((function *)self)->binds ? hp_bind(self, object, type) : Py_NewRef(self);
}

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    function *f = (function *)self;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(f->dict);
    Py_VISIT(f->inner);
    return 0;
}

static int clear(PyObject *self)
{
    function *f = (function *)self;
    Py_CLEAR(f->dict);
    Py_CLEAR(f->inner);
    return 0;
}

static void dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    clear(self);
    Py_XDECREF(((function *)self)->path);
    PyObject_GC_Del(self);
    Py_DECREF(type);
}

static PyObject *repr(PyObject *self)
{
    PyObject *name = PyObject_GetAttrString(self, "__name__");
    PyObject *text = name ? PyUnicode_FromFormat("<function %U at %p>", name, self) : NULL;
    Py_XDECREF(name);
    return text;
}

/* Pickled by name. */
static PyObject *reduce(PyObject *self, PyObject *unused)
{
    (void)unused;
    return PyObject_GetAttrString(self, "__qualname__");
}

/* What was set, or what follows from the docstring of what computes. */
static PyObject *get_doc(PyObject *self, void *ctx)
{
    (void)ctx;
    function *f = (function *)self;
    PyObject *name = PyUnicode_FromString("__doc__");
    PyObject *set = name && f->dict ? PyDict_GetItemWithError(f->dict, name) : NULL;
    Py_XDECREF(name);
    if (set || PyErr_Occurred())
        return Py_XNewRef(set);
    return hp_docstring(self, PyObject_GetAttrString(f->inner, "__doc__"));
}

static int set_doc(PyObject *self, PyObject *text, void *ctx)
{
    (void)ctx;
    PyObject *dict = PyObject_GenericGetDict(self, NULL);
    int status = dict ? PyDict_SetItemString(dict, "__doc__", text ? text : Py_None) : -1;
    Py_XDECREF(dict);
    return status;
}

static PyMethodDef methods[] = {{"__reduce__", reduce, METH_NOARGS, NULL},
                                {NULL, NULL, 0, NULL}};
static PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(function, call), READONLY, NULL},
    {"__dictoffset__", T_PYSSIZET, offsetof(function, dict), READONLY, NULL},
    {"__wrapped__", T_OBJECT_EX, offsetof(function, inner), READONLY, "what computes"},
    {NULL, 0, 0, 0, NULL}};
static PyGetSetDef getset[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {"__doc__", get_doc, set_doc, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL}};

/* _function(inner, path, asks, binds): a public function. Its attributes are set by the caller. */
static PyObject *make(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    (void)module;
    if (nargs != 4 || !PyCallable_Check(args[0]) || !PyUnicode_Check(args[1])) {
        PyErr_SetString(PyExc_TypeError, "_function() takes a function, a name and two bools");
        return NULL;
    }
    function *f = PyObject_GC_New(function, function_type);
    if (!f)
        return NULL;
    f->call = call;
    f->dict = NULL;
    f->inner = Py_NewRef(args[0]);
    f->inner_call = PyVectorcall_Function(f->inner);
    if (!f->inner_call)
        f->inner_call = PyObject_Vectorcall;
    if (PyCFunction_Check(f->inner) &&
        PyCFunction_GetFlags(f->inner) == (METH_FASTCALL | METH_KEYWORDS)) {
        f->c_call = (hp_fastcall)(void (*)(void))PyCFunction_GetFunction(f->inner);
        f->c_self = PyCFunction_GetSelf(f->inner);
        f->call = call_c;
    }
    f->first = hp_first_of(args[1]);
    if (f->first)
        f->call = call_first;
    f->path = Py_NewRef(args[1]);
    f->asks = PyObject_IsTrue(args[2]);
    f->binds = PyObject_IsTrue(args[3]);
    PyObject_GC_Track((PyObject *)f);
    return (PyObject *)f;
}

/* _set_hand_over(handler, counts, policy), once. */
static PyObject *set_handler(PyObject *module, PyObject *args)
{
    (void)module;
    if (!PyArg_ParseTuple(args, "OO!O!", &handler, &PyDict_Type, &counts, &PyList_Type, &policy))
        return NULL;
    Py_INCREF(handler);
    Py_INCREF(counts);
    Py_INCREF(policy);
    return Py_NewRef(Py_None);
}

PyMethodDef hp_handover_functions[] = {
    {"_function", (PyCFunction)(void (*)(void))make, METH_FASTCALL, NULL},
    {"_set_hand_over", set_handler, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL}};

int hp_handover_ready(PyObject *module)
{
    static PyType_Slot slots[] = {{Py_tp_dealloc, dealloc},   {Py_tp_traverse, traverse},
                                  {Py_tp_clear, clear},       {Py_tp_call, PyVectorcall_Call},
                                  {Py_tp_repr, repr},         {Py_tp_descr_get, bind},
                                  {Py_tp_methods, methods},   {Py_tp_members, members},
                                  {Py_tp_getset, getset},     {0, NULL}};
    static PyType_Spec spec = {"heddle.function", sizeof(function), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION |
                                   Py_TPFLAGS_HAVE_GC | HP_HAVE_VECTORCALL,
                               slots};
    function_type = (PyTypeObject *)PyType_FromSpec(&spec);
    hp_not_ours = PyErr_NewExceptionWithDoc(
        "heddle.exceptions.NotOurs",
        "An operand that heddle does not compute on: of a dtype that it has not, which is then its "
        "argument, or of a type with rules of its own.",
        PyExc_TypeError, NULL);
    if (!function_type || !hp_not_ours)
        return -1;
    return PyModule_AddObjectRef(module, "function", (PyObject *)function_type) < 0
               ? -1
               : PyModule_AddObjectRef(module, "NotOurs", hp_not_ours);
}
