/* SPDX-License-Identifier: BSD-3-Clause */
/* py_method.c - the type heddle.method: what the public methods of heddle.ndarray are. As the
 * public functions do (py_handover.c), a method that meets an operand which is not ours hands the
 * call to NumPy's method of its name, with the arguments as they were given.
 * See        docs/numpys-work.md */
#include "py_first.h"

#include "py.h"

#include <string.h>

typedef PyObject *(*fastcall)(PyObject *self, HP_FAST);
typedef PyObject *(*plaincall)(PyObject *self, PyObject *const *args, Py_ssize_t nargs);

typedef struct method {
    PyObject_HEAD
    hp_vectorcall call;
    PyObject *inner;            /* what computes: a method of C or a function */
    hp_vectorcall inner_call;
    fastcall c_call;            /* of a method of C: what it runs; c_plain if without keywords, */
    plaincall c_plain;          /* c_alone if without arguments */
    PyCFunction c_alone;
    hp_first first;             /* what is tried before it, or NULL */
    PyObject *name, *path;      /* "sum", and NumPy's name for it: "ndarray.sum" */
    int asks;                   /* are operands with rules of their own NumPy's? */
} method;

static PyTypeObject *method_type;

static PyObject *call(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    method *m = (method *)self;
    Py_ssize_t nargs = (Py_ssize_t)(nargsf & ~HP_ARGUMENTS_OFFSET);
    if (HP_UNLIKELY(nargs < 1 || !hp_check(args[0]))) {
        PyErr_Format(PyExc_TypeError, "%U() is a method of heddle.ndarray, not of %R", m->path,
                     nargs < 1 ? Py_None : (PyObject *)Py_TYPE(args[0]));
        return NULL;
    }
    int before = hp_ask_operands(m->asks);
    PyObject *r = HP_UNLIKELY(hp_is_sub(args[0]))
                      ? hp_method_of_subclass(m->inner, m->name, args, nargs, kwnames)
                      : m->inner_call(m->inner, args, nargsf, kwnames);
    hp_ask_operands(before);
    return HP_LIKELY(r != NULL) ? r : hp_hand_over(m->path, args, nargs, kwnames);
}

/* The same of a method of C, without what CPython has in between. */
static PyObject *call_c(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    method *m = (method *)self;
    Py_ssize_t nargs = (Py_ssize_t)(nargsf & ~HP_ARGUMENTS_OFFSET);
    if (HP_UNLIKELY(nargs < 1 || !hp_exact(args[0])))
        return call(self, args, nargsf, kwnames);
    int before = hp_ask_operands(m->asks);
    PyObject *r = m->c_call(args[0], args + 1, nargs - 1, kwnames);
    hp_ask_operands(before);
    return HP_LIKELY(r != NULL) ? r : hp_hand_over(m->path, args, nargs, kwnames);
}

/* The same of one that takes no keywords. */
static PyObject *call_plain(PyObject *self, PyObject *const *args, size_t nargsf,
                            PyObject *kwnames)
{
    method *m = (method *)self;
    Py_ssize_t nargs = (Py_ssize_t)(nargsf & ~HP_ARGUMENTS_OFFSET);
    if (HP_UNLIKELY(nargs < 1 || kwnames || !hp_exact(args[0])))
        return call(self, args, nargsf, kwnames);
    int before = hp_ask_operands(m->asks);
    PyObject *r = m->c_plain(args[0], args + 1, nargs - 1);
    hp_ask_operands(before);
    return HP_LIKELY(r != NULL) ? r : hp_hand_over(m->path, args, nargs, NULL);
}

/* The same of one that takes no arguments. */
static PyObject *call_alone(PyObject *self, PyObject *const *args, size_t nargsf,
                            PyObject *kwnames)
{
    method *m = (method *)self;
    if (HP_UNLIKELY((nargsf & ~HP_ARGUMENTS_OFFSET) != 1 || kwnames || !hp_exact(args[0])))
        return call(self, args, nargsf, kwnames);
    int before = hp_ask_operands(m->asks);
    PyObject *r = m->c_alone(args[0], NULL);
    hp_ask_operands(before);
    return HP_LIKELY(r != NULL) ? r : hp_hand_over(m->path, args, 1, NULL);
}

/* The same of one before which another is tried. */
static PyObject *call_first(PyObject *self, PyObject *const *args, size_t nargsf,
                            PyObject *kwnames)
{
    Py_ssize_t nargs = (Py_ssize_t)(nargsf & ~HP_ARGUMENTS_OFFSET);
    PyObject *r = ((method *)self)->first(args, nargs, kwnames);
    return HP_LIKELY(r || PyErr_Occurred()) ? r : call(self, args, nargsf, kwnames);
}

/* ---- objects --------------------------------------------------------------------------------- */

static void dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    Py_XDECREF(((method *)self)->inner);
    Py_XDECREF(((method *)self)->name);
    Py_XDECREF(((method *)self)->path);
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyObject *repr(PyObject *self)
{
    return PyUnicode_FromFormat("<method '%U' of 'heddle' objects>", ((method *)self)->path);
}

PyObject *hp_docstring(PyObject *self, PyObject *text)
{
    PyObject *module = text ? PyImport_ImportModule("heddle._docs") : NULL;
    PyObject *r = module ? PyObject_CallMethod(module, "docstring", "OO", self, text) : NULL;
    Py_XDECREF(module);
    Py_XDECREF(text);
    return r;
}

static PyObject *get_doc(PyObject *self, void *ctx)
{
    (void)ctx;
    return hp_docstring(self, PyObject_GetAttrString(((method *)self)->inner, "__doc__"));
}

/* __name__ and the like are those of what computes. */
static PyObject *get_inner(PyObject *self, void *name)
{
    return PyObject_GetAttrString(((method *)self)->inner, name);
}

static PyObject *get_path(PyObject *self, void *ctx)
{
    (void)ctx;
    return Py_NewRef(((method *)self)->path);
}

/* inspect.signature() of it: an AttributeError where nobody knows. */
static PyObject *get_signature(PyObject *self, void *ctx)
{
    (void)ctx;
    PyObject *module = PyImport_ImportModule("heddle._resolving");
    PyObject *r = module ? PyObject_CallMethod(module, "method_signature", "O", self) : NULL;
    Py_XDECREF(module);
    return r;
}

/* Pickled as NumPy's are: getattr(heddle.ndarray, name). */
static PyObject *reduce(PyObject *self, PyObject *unused)
{
    (void)unused;
    PyObject *builtins = PyImport_ImportModule("builtins");
    PyObject *get = builtins ? PyObject_GetAttrString(builtins, "getattr") : NULL;
    PyObject *name = get ? PyObject_GetAttrString(self, "__name__") : NULL;
    PyObject *r = name ? Py_BuildValue("(O(OO))", get, (PyObject *)hp_array_type, name) : NULL;
    Py_XDECREF(name);
    Py_XDECREF(get);
    Py_XDECREF(builtins);
    return r;
}

static PyMethodDef methods[] = {{"__reduce__", reduce, METH_NOARGS, NULL},
                                {NULL, NULL, 0, NULL}};
static PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(method, call), READONLY, NULL},
    {"__wrapped__", T_OBJECT_EX, offsetof(method, inner), READONLY, "what computes"},
    {NULL, 0, 0, 0, NULL}};
static PyGetSetDef getset[] = {
    {"__name__", get_inner, NULL, NULL, (void *)"__name__"},
    {"__doc__", get_doc, NULL, NULL, NULL},
    {"__text_signature__", get_inner, NULL, NULL, (void *)"__text_signature__"},
    {"__qualname__", get_path, NULL, NULL, NULL},
    {"__signature__", get_signature, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL}};

/* _method(inner, path, asks): a public method of heddle.ndarray. */
static PyObject *make(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    (void)module;
    if (nargs != 3 || !PyCallable_Check(args[0]) || !PyUnicode_Check(args[1])) {
        PyErr_SetString(PyExc_TypeError, "_method() takes a function, a name and a bool");
        return NULL;
    }
    PyObject *name = PyObject_GetAttrString(args[0], "__name__");
    const char *text = name ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
    method *m = text ? PyObject_New(method, method_type) : NULL;
    if (m) {
        int is_c = Py_TYPE(args[0]) == &PyMethodDescr_Type;
        const PyMethodDef *def = is_c ? hp_array_method(text) : NULL;
        int fast = def && def->ml_flags == (METH_FASTCALL | METH_KEYWORDS);
        int plain = def && def->ml_flags == METH_FASTCALL;
        int alone = def && def->ml_flags == METH_NOARGS;
        m->inner = Py_NewRef(args[0]);
        m->inner_call = PyVectorcall_Function(m->inner);
        if (!m->inner_call)
            m->inner_call = PyObject_Vectorcall;
        m->c_call = fast ? (fastcall)(void (*)(void))def->ml_meth : NULL;
        m->c_plain = plain ? (plaincall)(void (*)(void))def->ml_meth : NULL;
        m->c_alone = alone ? def->ml_meth : NULL;
        m->first = hp_first_of(args[1]);
        m->call = m->first ? call_first : fast ? call_c : plain ? call_plain
                             : alone ? call_alone : call;
        m->name = Py_NewRef(name);
        m->path = Py_NewRef(args[1]);
        m->asks = PyObject_IsTrue(args[2]);
    }
    Py_XDECREF(name);
    return (PyObject *)m;
}

PyMethodDef hp_method_functions[] = {
    {"_method", (PyCFunction)(void (*)(void))make, METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL}};

int hp_method_ready(PyObject *module)
{
    static PyType_Slot slots[] = {{Py_tp_dealloc, dealloc},     {Py_tp_call, PyVectorcall_Call},
                                  {Py_tp_repr, repr},           {Py_tp_descr_get, hp_bind},
                                  {Py_tp_methods, methods},     {Py_tp_members, members},
                                  {Py_tp_getset, getset},       {0, NULL}};
    /* Immutable: only then does CPython's interpreter remember where it found a method. */
    static PyType_Spec spec = {"heddle.method", sizeof(method), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION |
                                   Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_METHOD_DESCRIPTOR |
                                   HP_HAVE_VECTORCALL,
                               slots};
    method_type = (PyTypeObject *)PyType_FromSpec(&spec);
    return method_type ? PyModule_AddObjectRef(module, "method", (PyObject *)method_type) : -1;
}
