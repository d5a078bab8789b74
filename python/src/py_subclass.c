/* SPDX-License-Identifier: BSD-3-Clause */
/* py_subclass.c - arrays whose type is a subclass of heddle.ndarray, by NumPy's rules: how they are
 * made and finalized, who wraps the results of ufuncs, and who is asked before one. All of it is
 * off the hot paths, which compare types by pointer. What calls Python code anyway is in
 * python/heddle/_subclassing.py. */
#include "py.h"

#include <math.h>
#include <string.h>

int hp_subclasses;
static PyObject *of_method, *of_function, *of_ufunc, *of_wrap;   /* of heddle._subclassing */

/* Does the type have another attribute of that name than heddle.ndarray? */
static int overrides(PyTypeObject *type, const char *name)
{
    PyObject *own = PyObject_GetAttrString((PyObject *)type, name);
    PyObject *base = PyObject_GetAttrString((PyObject *)hp_array_type, name);
    int other = own && own != base;
    Py_XDECREF(own);
    Py_XDECREF(base);
    PyErr_Clear();
    return other;
}

PyTypeObject *hp_type_of_arrays(PyObject *o)
{
    return o && PyType_Check(o) && PyType_IsSubtype((PyTypeObject *)o, hp_array_type)
               ? (PyTypeObject *)o
               : NULL;
}

/* ---- making ---------------------------------------------------------------------------------- */

/* o.__array_finalize__(like); o is taken. */
static PyObject *finalized(PyObject *o, PyObject *like)
{
    if (!overrides(Py_TYPE(o), "__array_finalize__"))
        return o;
    PyObject *done =
        PyObject_CallMethod(o, "__array_finalize__", "O", like ? like : Py_None);
    if (!done)
        Py_CLEAR(o);
    Py_XDECREF(done);
    return o;
}

hd_array *hp_no_scalar(hd_array *r)
{
    if (!r || !(hd_flags(r) & HD_SCALAR))
        return r;
    hd_array *a = hd_full(0, NULL, r, HD_NO_DTYPE);
    hd_release(r);
    return a;
}

PyObject *hp_new_of(PyTypeObject *type, hd_array *a, PyObject *base, PyObject *like)
{
    a = hp_no_scalar(a);
    if (!a)
        return hp_raise();
    if (type == hp_array_type) {
        hp_array *plain = (hp_array *)hp_wrap_array(a);
        if (plain)
            plain->base = Py_XNewRef(base);
        return (PyObject *)plain;
    }
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    hp_array *o = (hp_array *)alloc(type, 0);   /* zeroed */
    if (!o) {
        hd_release(a);
        return NULL;
    }
    hp_subclasses = 1;
    o->a = a;
    o->base = Py_XNewRef(base);
    return finalized((PyObject *)o, like);
}

/* The base of a view of owner: NumPy goes up as long as the types are the same. */
static PyObject *base_of(PyTypeObject *type, PyObject *owner)
{
    while (hp_check(owner)) {
        PyObject *up = ((hp_array *)owner)->base;
        if (!up || Py_TYPE(up) != type)
            break;
        owner = up;
    }
    return owner;
}

PyObject *hp_view_as(PyTypeObject *type, hd_array *a, PyObject *owner)
{
    return hp_new_of(type, a, base_of(type, owner), owner);
}

PyObject *hp_as_owner(PyObject *r, PyObject *owner)
{
    if (!r || !hp_is_sub(owner) || !hp_exact(r) || hp_is_scalar(r))
        return r;
    PyTypeObject *type = Py_TYPE(owner);
    PyObject *base = ((hp_array *)r)->base ? base_of(type, owner) : NULL;
    PyObject *o = hp_new_of(type, hd_retain(hp_a(r)), base, owner);
    Py_DECREF(r);
    return o;
}

/* ---- results of ufuncs ----------------------------------------------------------------------- */

/* NumPy's numbers for what has no __array_priority__, and for arrays. */
#define NO_PRIORITY (-1000000.0)
#define ARRAY_PRIORITY 0.0

double hp_priority(PyObject *o)
{
    if (hp_check(o) && !overrides(Py_TYPE(o), "__array_priority__"))
        return ARRAY_PRIORITY;   /* ours is above it, for operators beside NumPy's arrays */
    PyObject *value = PyObject_GetAttrString(o, "__array_priority__");
    double priority = value ? PyFloat_AsDouble(value) : NO_PRIORITY;
    Py_XDECREF(value);
    if (!PyErr_Occurred())
        return priority;
    PyErr_Clear();
    return NO_PRIORITY;
}

static int is_number(PyObject *o)
{
    return PyFloat_Check(o) || PyLong_Check(o) || PyComplex_Check(o) || PyUnicode_Check(o) ||
           PyBytes_Check(o) || hp_is_numpy_scalar(o);
}

/* The input whose __array_wrap__ NumPy would call (borrowed), or NULL: the first one, or one of
 * higher priority; before plain arrays a subclass of the same priority. */
static PyObject *wrapper(PyObject *const *in, int nin)
{
    double priority = -INFINITY;
    PyObject *found = NULL;
    for (int i = 0, plain = 0; i < nin; i++) {
        double own = hp_exact(in[i]) || Py_TYPE(in[i]) == hp_numpy_array_type() ? ARRAY_PRIORITY
                     : is_number(in[i])                                         ? NO_PRIORITY
                                                                                : NAN;
        if (own > priority) {
            priority = own;
            found = NULL;
            plain = 1;
        } else if (isnan(own) && !PyList_Check(in[i]) && !PyTuple_Check(in[i]) &&
                   hp_type_has(in[i], "__array_wrap__")) {
            own = hp_priority(in[i]);
            if (own > priority || (!found && (!plain || own == ARRAY_PRIORITY))) {
                priority = own;
                found = in[i];
            }
        }
    }
    return found;
}

/* with.__array_wrap__(r, context, return_scalar); r is taken. */
static PyObject *wrapped(PyObject *with, PyObject *r, int scalar, PyObject *ufunc, PyObject *args,
                         int i)
{
    if (hp_exact(r) && hp_is_scalar(r)) {
        hd_array *a = hp_no_scalar(hd_retain(hp_a(r)));
        Py_DECREF(r);
        r = hp_wrap_array(a);
    }
    PyObject *context = ufunc ? Py_BuildValue("(OOi)", ufunc, args, i) : Py_NewRef(Py_None);
    PyObject *o = r && context ? PyObject_CallFunctionObjArgs(of_wrap, with, r, context,
                                                              scalar ? Py_True : Py_False, NULL)
                               : NULL;
    Py_XDECREF(context);
    Py_XDECREF(r);
    return o;
}

PyObject *hp_wrap_result(PyObject *r, PyObject *ufunc, PyObject *const *args, int nin, int nargs,
                         int i)
{
    PyObject *with = r && hp_exact(r) ? wrapper(args, nin) : NULL;
    if (!with)
        return r;
    if (hp_check(with) && !overrides(Py_TYPE(with), "__array_wrap__")) {
        PyObject *o = hp_new_of(Py_TYPE(with), hd_retain(hp_a(r)), NULL, with);
        Py_DECREF(r);
        return o;
    }
    PyObject *all = hp_tuple_of(args, nargs);
    PyObject *o = all ? wrapped(with, r, hd_ndim(hp_a(r)) == 0, ufunc, all, i)
                      : (Py_DECREF(r), NULL);
    Py_XDECREF(all);
    return o;
}

PyObject *hp_wrap_output(PyObject *out, PyObject *ufunc, PyObject *const *args, int nin)
{
    if (!hp_is_sub(out) || !overrides(Py_TYPE(out), "__array_wrap__"))
        return Py_NewRef(out);
    PyObject *all = PyTuple_New(nin + 1);
    for (int k = 0; all && k <= nin; k++)
        PyTuple_SetItem(all, k, Py_NewRef(k < nin ? args[k] : out));
    PyObject *o = all ? wrapped(out, Py_NewRef(out), 0, ufunc, all, 0) : NULL;
    Py_XDECREF(all);
    return o;
}

/* Is r one of the arguments, or in a tuple among them? */
static int is_given(PyObject *r, PyObject *const *args, Py_ssize_t n)
{
    for (Py_ssize_t i = 0; i < n; i++)
        if (args[i] == r || (PyTuple_Check(args[i]) && PyTuple_Size(args[i]) == 1 &&
                             PyTuple_GetItem(args[i], 0) == r))
            return 1;
    return 0;
}

PyObject *hp_wrap_fold(PyObject *r, PyObject *const *args, Py_ssize_t n)
{
    return is_given(r, args, n) ? r : hp_wrap_result(r, NULL, args, 1, 1, 0);
}

/* ---- who is asked ---------------------------------------------------------------------------- */

typedef int (*test)(PyObject *o);

static int has_own_ufunc(PyObject *o)
{
    return hp_is_sub(o) && overrides(Py_TYPE(o), "__array_ufunc__");
}

/* Is the test true of an argument, or of what is in a tuple or, if lists, in a list? */
static int any(test is, PyObject *const *args, Py_ssize_t n, int lists)
{
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *o = args[i];
        if (is(o))
            return 1;
        Py_ssize_t tuple = PyTuple_Check(o) ? PyTuple_Size(o) : 0;
        for (Py_ssize_t k = 0; k < tuple; k++)
            if (is(PyTuple_GetItem(o, k)))
                return 1;
        Py_ssize_t list = lists && PyList_Check(o) ? PyList_Size(o) : 0;
        for (Py_ssize_t k = 0; k < list; k++)
            if (is(PyList_GetItem(o, k)))
                return 1;
    }
    return 0;
}

int hp_has_own_ufunc(PyObject *const *args, Py_ssize_t n)
{
    return hp_subclasses && any(has_own_ufunc, args, n, 0);
}

int hp_has_subclass(PyObject *const *args, Py_ssize_t n)
{
    return any(hp_is_sub, args, n, 1);
}

int hp_ask_subclasses(PyObject **result, PyObject *ufunc, const char *method, HP_FAST)
{
    if (!hp_has_own_ufunc(args, nargs + (kwnames ? PyTuple_Size(kwnames) : 0)))
        return 0;
    PyObject *all = hp_tuple_of(args, nargs);
    PyObject *named = all ? hp_dict_of(args + nargs, kwnames) : NULL;
    *result = named ? PyObject_CallFunction(of_ufunc, "OsOO", ufunc, method, all, named) : NULL;
    Py_XDECREF(all);
    Py_XDECREF(named);
    return 1;
}

PyObject *hp_method_of_subclass(PyObject *inner, PyObject *name, HP_FAST)
{
    PyObject *all = hp_tuple_of(args + 1, nargs - 1);
    PyObject *named = all ? hp_dict_of(args + nargs, kwnames) : NULL;
    PyObject *r = named ? PyObject_CallFunctionObjArgs(of_method, inner, name, args[0], all, named,
                                                       NULL)
                        : NULL;
    Py_XDECREF(all);
    Py_XDECREF(named);
    return r;
}

PyObject *hp_function_of_subclass(PyObject *function, HP_FAST)
{
    PyObject *all = hp_tuple_of(args, nargs);
    PyObject *named = all ? hp_dict_of(args + nargs, kwnames) : NULL;
    PyObject *r =
        named ? PyObject_CallFunctionObjArgs(of_function, function, all, named, NULL) : NULL;
    Py_XDECREF(all);
    Py_XDECREF(named);
    return r;
}

PyObject *hp_call_method(PyObject *o, const char *name, HP_FAST)
{
    PyObject *method = PyObject_GetAttrString(o, name);
    PyObject *all = method ? hp_tuple_of(args, nargs) : NULL;
    PyObject *named = all ? hp_dict_of(args + nargs, kwnames) : NULL;
    PyObject *r = named ? PyObject_Call(method, all, named) : NULL;
    Py_XDECREF(method);
    Py_XDECREF(all);
    Py_XDECREF(named);
    return r;
}

/* ---- for Python ------------------------------------------------------------------------------ */

static PyObject *array_finalize(PyObject *self, PyObject *like)
{
    (void)self;
    (void)like;
    Py_RETURN_NONE;
}

static PyObject *array_wrap(PyObject *self, HP_FAST)
{
    static hp_signature s = {.name = "__array_wrap__",
                             .required = 1,
                             .positional = 3,
                             .names = {"array", "context", "return_scalar"}};
    PyObject *v[3];
    int scalar = 0;
    if (hp_parse(&s, args, nargs, kwnames, v) < 0 || hp_true(v[2], &scalar) < 0)
        return NULL;
    if (!hp_check(v[0])) {
        PyErr_SetString(PyExc_TypeError, "can only be called with ndarray object");
        return NULL;
    }
    if (scalar && hp_exact(self) && hd_ndim(hp_a(v[0])) == 0)
        return hp_wrap(hd_scalar_of(hp_a(v[0])));
    return Py_TYPE(self) == Py_TYPE(v[0])
               ? Py_NewRef(v[0])
               : hp_new_of(Py_TYPE(self), hd_retain(hp_a(v[0])), v[0], self);
}

PyMethodDef hp_subclass_methods[] = {
    {"__array_finalize__", array_finalize, METH_O,
     "called with each new array of a subclass: what it was made from, or None; does nothing"},
    HP_METHOD("__array_wrap__", array_wrap,
              "array as one of self's type, a value if return_scalar; what makes the results of "
              "ufuncs of subclasses"),
    {NULL, NULL, 0, NULL}};

/* _as_subclass(r, x): the result r of a method of x, as an array of x's type. */
static PyObject *as_subclass(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    (void)module;
    if (nargs == 2 && hp_check(args[1]))
        return hp_as_owner(Py_NewRef(args[0]), args[1]);
    PyErr_SetString(PyExc_TypeError, "_as_subclass() takes two arrays");
    return NULL;
}

/* _wrap_result(r, x): as a reduction of x wraps it. */
static PyObject *wrap_result(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    (void)module;
    if (nargs == 2)
        return hp_wrap_result(Py_NewRef(args[0]), NULL, args + 1, 1, 1, 0);
    PyErr_SetString(PyExc_TypeError, "_wrap_result() takes two arrays");
    return NULL;
}

/* _has_own_ufunc(*args): does a subclass among them have an __array_ufunc__? */
static PyObject *own_ufunc(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    (void)module;
    return PyBool_FromLong(hp_has_own_ufunc(args, nargs));
}

static PyObject *set_subclassing(PyObject *module, PyObject *args)
{
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOO", &of_method, &of_function, &of_ufunc, &of_wrap))
        return NULL;
    Py_INCREF(of_method);
    Py_INCREF(of_function);
    Py_INCREF(of_ufunc);
    Py_INCREF(of_wrap);
    Py_RETURN_NONE;
}

PyMethodDef hp_subclass_functions[] = {
    {"_as_subclass", (PyCFunction)(void (*)(void))as_subclass, METH_FASTCALL, NULL},
    {"_wrap_result", (PyCFunction)(void (*)(void))wrap_result, METH_FASTCALL, NULL},
    {"_has_own_ufunc", (PyCFunction)(void (*)(void))own_ufunc, METH_FASTCALL, NULL},
    {"_set_subclassing", set_subclassing, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL}};
