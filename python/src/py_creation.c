/* SPDX-License-Identifier: BSD-3-Clause */
/* py_creation.c - functions that make arrays: zeros, ones, empty, full, array, asarray, and what
 * arange, linspace and eye need. */
#include "py_element.h"

#include <math.h>

/* ---- where ----------------------------------------------------------------------------------- */

/* device=: that device is the current one until hp_leave(). 0 or -1. */
static int enter_device(PyObject *o, hd_device **before)
{
    *before = NULL;
    if (!o || o == Py_None)
        return 0;
    hd_device *dev = hp_device(o);
    if (!dev)
        return -1;
    *before = hp_switch(dev);
    return 0;
}

/* ---- by shape -------------------------------------------------------------------------------- */

typedef struct wanted {
    int nd;
    int64_t shape[HD_MAXDIM];
    hd_dtype dt;
    char order;
} wanted;

static int take_wanted(wanted *w, PyObject *shape, PyObject *dtype, PyObject *order,
                       hd_dtype fallback)
{
    w->order = 'C';
    if (hp_shape(shape, w->shape, &w->nd) < 0 || hp_dtype(dtype, &w->dt) < 0 ||
        hp_order(order, &w->order) < 0)
        return -1;
    if (w->dt == HD_NO_DTYPE)
        w->dt = fallback;
    if (w->order == 'F')   /* made with the axes reversed, and reversed back */
        for (int i = 0, j = w->nd - 1; i < j; i++, j--) {
            int64_t t = w->shape[i];
            w->shape[i] = w->shape[j];
            w->shape[j] = t;
        }
    return 0;
}

static PyObject *finish(const wanted *w, hd_array *a)
{
    if (!a || w->order != 'F' || w->nd < 2)
        return hp_wrap(a);
    hd_array *t = hd_transpose(a, NULL);
    hd_release(a);
    return hp_wrap(t);
}

typedef hd_array *(*maker)(int nd, const int64_t *shape, hd_dtype dt);

/* A call with one int alone; -1: it is another one. */
static int64_t lone_length(PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    int overflow = 0;
    if (nargs != 1 || kwnames || !PyLong_CheckExact(args[0]))
        return -1;
    const int64_t n = PyLong_AsLongLongAndOverflow(args[0], &overflow);
    return overflow ? -1 : n;
}

static PyObject *by_shape(maker make, hp_signature *s, HP_FAST)
{
    PyObject *v[5];
    const int64_t length = lone_length(args, nargs, kwnames);
    if (length >= 0)
        return hp_wrap(make(1, &length, HD_FLOAT64));
    wanted w;
    hd_device *before;
    if (hp_parse(s, args, nargs, kwnames, v) < 0 ||
        take_wanted(&w, v[0], v[1], v[2], HD_FLOAT64) < 0 || enter_device(v[3], &before) < 0)
        return NULL;
    hd_array *a = make(w.nd, w.shape, w.dt);
    hp_leave(before);
    return finish(&w, a);
}

#define BY_SHAPE(made)                                                                    \
    static PyObject *make_##made(PyObject *module, HP_FAST)                               \
    {                                                                                     \
        static hp_signature s = {.name = #made,                                           \
                                 .required = 1,                                           \
                                 .positional = 3,                                         \
                                 .names = {"shape", "dtype", "order", "device", "like"}}; \
        return (void)module, by_shape(hd_##made, &s, args, nargs, kwnames);               \
    }
BY_SHAPE(empty)
BY_SHAPE(zeros)
BY_SHAPE(ones)

static PyObject *make_full(PyObject *module, HP_FAST)
{
    (void)module;
    static hp_signature s = {.name = "full", .required = 2, .positional = 4,
                             .names = {"shape", "fill_value", "dtype", "order", "device", "like"}};
    PyObject *v[6], *r = NULL;
    wanted w;
    hd_device *before;
    if (hp_parse(&s, args, nargs, kwnames, v) < 0 ||
        take_wanted(&w, v[0], v[2], v[3], HD_NO_DTYPE) < 0)
        return NULL;
    /* Ints are checked against the dtype; everything else is cast, as NumPy's copyto(...,
     * casting="unsafe") does. */
    hd_array *value = hp_to_array(v[1], PyLong_Check(v[1]) ? w.dt : HD_NO_DTYPE), *a = NULL;
    if (!value || enter_device(v[4], &before) < 0) {
        hd_release(value);
        return NULL;
    }
    if (w.dt == HD_NO_DTYPE)
        w.dt = hd_dtype_of(value);
    if (w.order == 'C' || hd_ndim(value) == 0) {
        r = finish(&w, hd_full(w.nd, w.shape, value, w.dt));
    } else if ((a = hd_empty(w.nd, w.shape, w.dt)) && (r = finish(&w, a)) &&
               hd_assign(hp_a(r), value, HD_CAST_UNSAFE) != HD_OK) {
        Py_CLEAR(r);
        hp_raise();
    }
    hp_leave(before);
    hd_release(value);
    return r;
}

/* _empty_like(x, dtype=None): the same shape and order in memory. */
static PyObject *make_empty_like(PyObject *module, HP_FAST)
{
    (void)module;
    static hp_signature s = {
        .name = "_empty_like", .required = 1, .positional = 2, .names = {"x", "dtype"}};
    PyObject *v[2];
    hd_dtype dt;
    if (hp_parse(&s, args, nargs, kwnames, v) < 0 || hp_dtype(v[1], &dt) < 0)
        return NULL;
    hd_array *x = hp_to_array(v[0], HD_NO_DTYPE);
    PyObject *r = x ? hp_wrap(hd_empty_like(x, dt)) : NULL;
    hd_release(x);
    return r;
}

/* ---- sequences ------------------------------------------------------------------------------- */

/* _arange(start, step, length, dtype): NumPy's rule for the length is in the package. */
static PyObject *make_ramp(PyObject *module, HP_FAST)
{
    (void)module;
    static hp_signature s = {.name = "_arange", .required = 4, .positional = 4,
                             .names = {"start", "step", "length", "dtype"}};
    PyObject *v[4], *r = NULL;
    int64_t length;
    hd_dtype dt;
    if (hp_parse(&s, args, nargs, kwnames, v) < 0 || hp_int64(v[2], &length) < 0 ||
        hp_dtype(v[3], &dt) < 0)
        return NULL;
    hd_array *start = hp_value(v[0]), *step = start ? hp_value(v[1]) : NULL;
    if (step)
        r = hp_wrap(hd_arange(start, step, length, dt));
    hd_release(start);
    hd_release(step);
    return r;
}

/* As many steps as lie between, or -1 if they cannot be counted. */
static int64_t steps_between(double start, double stop, double step)
{
    double steps = ceil((stop - start) / step);
    if (step == 0)
        return -1;
    return steps <= 0 ? 0 : steps < 0x1p53 ? (int64_t)steps : -1;
}

/* Small enough that doubles hold the quotient of the differences as Python divides them. */
static int is_exact(const hd_number *n)
{
    return n->kind == HD_WEAK_FLOAT ||
           (n->kind == HD_WEAK_INT && n->as.i < (1LL << 52) && n->as.i > -(1LL << 52));
}

/* arange() of ints and floats: 1, or 0 if it is about more than that; -1 with an
 * exception. */
static int plain_arange(PyObject *const *v, hd_array **r)
{
    hd_number start = {.kind = HD_WEAK_INT}, stop, step = {.kind = HD_WEAK_INT, .as.i = 1, .re = 1};
    hd_dtype dt;
    hd_device *before;
    int two = v[1] && v[1] != Py_None;
    if (!hp_real_number(v[two], &stop) ||
        (two && !hp_real_number(v[0], &start)) ||
        (v[2] && v[2] != Py_None && !hp_real_number(v[2], &step)))
        return 0;
    if (!is_exact(&start) || !is_exact(&stop) || !is_exact(&step))
        return 0;
    if (hp_dtype(v[3], &dt) < 0) {
        PyErr_Clear();
        return 0;
    }
    if (dt == HD_NO_DTYPE)
        dt = start.kind == HD_WEAK_INT && stop.kind == HD_WEAK_INT && step.kind == HD_WEAK_INT
                 ? HD_INT64
                 : HD_FLOAT64;
    int64_t length = steps_between(start.re, stop.re, step.re);
    if (length < 0)
        return 0;
    if (enter_device(v[4], &before) < 0)
        return -1;
    hd_array *first = hd_from_number(&start), *by = first ? hd_from_number(&step) : NULL;
    *r = by ? hd_arange(first, by, length, dt) : NULL;
    hd_release(first);
    hd_release(by);
    hp_leave(before);
    return 1;
}

/* general: the package's function, which does what plain_arange() leaves. */
static PyObject *make_arange(PyObject *general, HP_FAST)
{
    static hp_signature s = {.name = "arange", .required = 0, .positional = 4,
                             .names = {"start", "stop", "step", "dtype", "device", "like"}};
    PyObject *v[6];
    hd_array *a;
    if (hp_parse(&s, args, nargs, kwnames, v) < 0)
        return NULL;
    if (!v[0]) {    /* arange(stop=3) */
        v[0] = v[1];
        v[1] = NULL;
    } else if (!v[1] && nargs == 0) {
        v[0] = NULL;    /* arange(start=3) */
    }
    if (!v[0]) {
        PyErr_SetString(PyExc_TypeError, "arange() requires stop to be specified.");
        return NULL;
    }
    int plain = plain_arange(v, &a);
    if (plain)
        return plain > 0 ? hp_wrap(a) : NULL;
    for (int i = 0; i < 6; i++)
        v[i] = v[i] || i == 2 ? v[i] : Py_None;
    return PyObject_CallFunctionObjArgs(general, v[0], v[1], v[2] ? v[2] : Py_None, v[3], v[4],
                                        NULL);
}

/* _arange_by(general): the function arange(). */
static PyObject *arange_by(PyObject *module, PyObject *general)
{
    static PyMethodDef def = HP_METHOD(
        "arange", make_arange,
        "arange(start, stop=None, step=1, dtype=None, *, device=None, like=None)\n--\n\n"
        "Numbers from start (0 if it is the only one) up to but not including stop, `step` apart.");
    (void)module;
    PyObject *name = PyUnicode_FromString("heddle");
    PyObject *r = name ? PyCFunction_NewEx(&def, general, name) : NULL;
    Py_XDECREF(name);
    return r;
}

/* _linspace(start, stop, num, endpoint, dtype) of real numbers. */
static PyObject *make_linspace(PyObject *module, HP_FAST)
{
    (void)module;
    static hp_signature s = {.name = "_linspace", .required = 5, .positional = 5,
                             .names = {"start", "stop", "num", "endpoint", "dtype"}};
    PyObject *v[5];
    int64_t n;
    int endpoint = 1;
    hd_dtype dt;
    if (hp_parse(&s, args, nargs, kwnames, v) < 0 || hp_int64(v[2], &n) < 0 ||
        hp_true(v[3], &endpoint) < 0 || hp_dtype(v[4], &dt) < 0)
        return NULL;
    double start = PyFloat_AsDouble(v[0]), stop = PyFloat_AsDouble(v[1]);
    return PyErr_Occurred() ? NULL : hp_wrap(hd_linspace(start, stop, n, endpoint, dt));
}

static PyObject *make_eye(PyObject *module, HP_FAST)
{
    (void)module;
    static hp_signature s = {.name = "eye", .required = 1, .positional = 5,
                             .names = {"N", "M", "k", "dtype", "order", "device", "like"}};
    PyObject *v[7];
    int64_t rows, columns, k = 0;
    hd_dtype dt;
    char order = 'C';
    hd_device *before;
    if (hp_parse(&s, args, nargs, kwnames, v) < 0 || hp_int64(v[0], &rows) < 0 ||
        hp_dtype(v[3], &dt) < 0 || hp_order(v[4], &order) < 0 ||
        (v[2] && hp_diagonal(v[2], &k) < 0))
        return NULL;
    columns = rows;
    if ((v[1] && v[1] != Py_None && hp_int64(v[1], &columns) < 0) ||
        enter_device(v[5], &before) < 0)
        return NULL;
    wanted w = {.nd = 2, .order = order};
    if (dt == HD_NO_DTYPE)
        dt = HD_FLOAT64;
    hd_array *a = order == 'F' ? hd_eye(columns, rows, -k, dt) : hd_eye(rows, columns, k, dt);
    hp_leave(before);
    return finish(&w, a);
}

/* ---- from objects ---------------------------------------------------------------------------- */

enum { COPY_NEVER, COPY_ALWAYS, COPY_IF_NEEDED };

static int take_copy(PyObject *o, int *copy)
{
    if (!o)
        return 0;
    if (o == Py_None) {
        *copy = COPY_IF_NEEDED;
        return 0;
    }
    if (PyUnicode_Check(o)) {
        PyErr_Format(PyExc_ValueError,
                     "strings are not allowed for 'copy' keyword. Use True/False/None instead (got "
                     "%R).",
                     o);
        return -1;
    }
    /* NumPy's _CopyMode: an enum of True, False and 2 */
    int is_number = PyBool_Check(o) || PyLong_Check(o);
    PyObject *value = is_number ? NULL : PyObject_GetAttrString(o, "value");
    if (value && PyLong_Check(value) && PyLong_AsLong(value) == 2)
        *copy = COPY_IF_NEEDED;
    else if (value && PyLong_Check(value))
        *copy = value == Py_True ? COPY_ALWAYS : COPY_NEVER;
    PyErr_Clear();
    Py_XDECREF(value);
    return value ? 0 : hp_true(o, copy);
}

static hd_array *needs_copy(void)
{
    PyErr_SetString(
        PyExc_ValueError,
        "Unable to avoid copy while creating an array as requested.\nIf using `np.array(obj, "
        "copy=False)` replace "
        "it with `np.asarray(obj)` to allow a copy when needed (no behavior change in NumPy 1.x).");
    return NULL;
}

static int order_fits(const hd_array *a, char order)
{
    unsigned flags = hd_flags(a);
    return order == 'C' ? (flags & HD_C_CONTIGUOUS) != 0
                        : order != 'F' || (flags & HD_F_CONTIGUOUS);
}

/* NULL with or without a Python exception. A scalar becomes a 0-d array. */
static hd_array *from_ours(hd_array *a, hd_dtype dt, char order, int copy)
{
    if (dt == HD_NO_DTYPE)
        dt = hd_dtype_of(a);
    if (hd_flags(a) & HD_SCALAR)
        return copy == COPY_NEVER ? needs_copy() : hd_full(0, NULL, a, dt);
    if (copy == COPY_NEVER && (dt != hd_dtype_of(a) || !order_fits(a, order)))
        return needs_copy();
    if (hp_warn_cast(hd_dtype_of(a), dt) < 0)
        return NULL;
    return hd_astype(a, dt, order, HD_CAST_UNSAFE, copy == COPY_ALWAYS);
}

/* Order 'A' of a NumPy array is C unless the array itself, not its copy, lies in F order only. */
static char order_of_numpy(PyObject *o)
{
    Py_buffer b;
    if (!hp_is_numpy_array(o) || PyObject_GetBuffer(o, &b, PyBUF_FULL_RO) < 0) {
        PyErr_Clear();
        return 'A';
    }
    char order = PyBuffer_IsContiguous(&b, 'F') && !PyBuffer_IsContiguous(&b, 'C') ? 'F' : 'C';
    PyBuffer_Release(&b);
    return order;
}

static hd_array *from_foreign(PyObject *o, hd_dtype dt, char order, int copy)
{
    hd_array *a;
    if (copy == COPY_NEVER) {
        int cuda = Py_TYPE(o) == hp_numpy_array_type() ? 0 : hp_from_cuda(o, &a);
        if (cuda < 0)
            return NULL;
        if (!cuda && !(a = hp_share(o)))
            return NULL;
        if ((dt == HD_NO_DTYPE || dt == hd_dtype_of(a)) && order_fits(a, order))
            return a;
        hd_release(a);
        return needs_copy();
    }
    a = hp_to_array(o, dt);
    if (!a)     /* with an error set, which order_of_numpy() would clear */
        return NULL;
    order = order == 'A' ? order_of_numpy(o) : order;
    if (order_fits(a, order))
        return a;
    hd_array *r = hd_copy(a, order);
    hd_release(a);
    return r;
}

/* Axes of extent 1 in front, up to nd. */
static hd_array *at_least(hd_array *a, int64_t nd)
{
    int axes[HD_MAXDIM], extra = 0;
    if (!a || nd <= hd_ndim(a) || nd > HD_MAXDIM)
        return a;
    for (; extra < nd - hd_ndim(a); extra++)
        axes[extra] = extra;
    hd_array *r = hd_expand_dims(a, extra, axes);
    hd_release(a);
    return r;
}

/* The same of o of a subclass: subok keeps its type. */
static PyObject *finish_subclass(PyObject *o, hd_array *a, int copy, int subok)
{
    PyTypeObject *type = subok ? Py_TYPE(o) : hp_array_type;
    if (copy == COPY_ALWAYS || !hd_same_memory(a, hp_a(o)))
        return hp_new_of(type, a, NULL, o);
    if (!subok || hd_ndim(a) != hd_ndim(hp_a(o)))
        return hp_view_as(type, a, o);
    hd_release(a);
    return Py_NewRef(o);
}

static PyObject *finish_object(PyObject *o, hd_array *a, int copy, int subok)
{
    if (!a)
        return hp_raise();
    if (hp_is_sub(o))
        return finish_subclass(o, a, copy, subok);
    if (hp_check(o) && copy != COPY_ALWAYS && hd_same_memory(a, hp_a(o))) {
        if (hd_ndim(a) != hd_ndim(hp_a(o)))
            return hp_wrap_view(a, o);
        hd_release(a);
        return Py_NewRef(o);
    }
    return copy == COPY_NEVER ? hp_wrap_view(a, o) : hp_wrap(a);
}

static PyObject *make_array(PyObject *o, PyObject *dtype, PyObject *order_name, int copy,
                            int64_t ndmin, int subok)
{
    hd_dtype dt;
    char order = 'K';
    if (hp_dtype(dtype, &dt) < 0 || hp_order(order_name, &order) < 0)
        return NULL;
    hd_array *a =
        hp_check(o) ? from_ours(hp_a(o), dt, order, copy) : from_foreign(o, dt, order, copy);
    return finish_object(o, at_least(a, ndmin), copy, subok);
}

/* o on the current device, if device= named one: itself, or a copy where it was elsewhere, which is
 * copy enough. A new reference. */
static PyObject *on_device(PyObject *o, PyObject *device, int *copy)
{
    if (!device || device == Py_None || !hp_check(o))
        return Py_NewRef(o);
    hd_device *dev = hd_device_current();
    if (!dev || dev == hd_device_of(hp_a(o)))
        return Py_NewRef(o);
    if (*copy == COPY_NEVER) {
        PyErr_Format(PyExc_ValueError,
                     "Unable to avoid copy while moving an array from device %s to %s",
                     hd_device_name(hd_device_of(hp_a(o))), hd_device_name(dev));
        return NULL;
    }
    *copy = COPY_IF_NEEDED;
    return hp_wrap(hd_to_device(hp_a(o), dev));
}

static PyObject *function_array(PyObject *module, HP_FAST)
{
    (void)module;
    static hp_signature s = {
        .name = "array",
        .required = 1,
        .positional = 2,
        .names = {"object", "dtype", "copy", "order", "subok", "ndmin", "like", "device", "ndmax"}};
    PyObject *v[9], *r;
    int copy = COPY_ALWAYS, subok = 0;
    int64_t ndmin, ndmax;
    hd_device *before;
    if (nargs == 1 && !kwnames && ((r = hp_array_of_text(args[0])) || PyErr_Occurred()))
        return r;
    if (hp_parse(&s, args, nargs, kwnames, v) < 0 || take_copy(v[2], &copy) < 0 ||
        (v[4] && hp_true(v[4], &subok) < 0) || hp_axis_limits(v[5], v[8], &ndmin, &ndmax) < 0)
        return NULL;
    if (subok && hp_has_rules(v[0])) {
        PyErr_Format(hp_not_ours, "%R is a class of its own", (PyObject *)Py_TYPE(v[0]));
        return NULL;
    }
    if (enter_device(v[7], &before) < 0)
        return NULL;
    PyObject *o = on_device(v[0], v[7], &copy);
    r = o ? make_array(o, v[1], v[3], copy, ndmin, subok) : NULL;
    Py_XDECREF(o);
    hp_leave(before);
    return ndmax < HD_MAXDIM ? hp_within_limit(r, v[0], ndmax) : r;
}

static PyObject *as_array(int subok, HP_FAST)
{
    static hp_signature s = {.name = "asarray", .required = 1, .positional = 3,
                             .names = {"a", "dtype", "order", "device", "copy", "like"}};
    PyObject *v[6], *r;
    int copy = COPY_IF_NEEDED;
    hd_device *before;
    if (hp_parse(&s, args, nargs, kwnames, v) < 0 || take_copy(v[4], &copy) < 0 ||
        enter_device(v[3], &before) < 0)
        return NULL;
    PyObject *o = on_device(v[0], v[3], &copy);
    if (!o)
        r = NULL;
    else if (hp_exact(o) && (!v[1] || v[1] == Py_None) && (!v[2] || v[2] == Py_None) &&
        copy != COPY_ALWAYS && !hp_is_scalar(o))
        r = Py_NewRef(o);
    else
        r = make_array(o, v[1], v[2], copy, 0, subok);
    Py_XDECREF(o);
    hp_leave(before);
    return r;
}

static PyObject *function_asarray(PyObject *module, HP_FAST)
{
    return (void)module, as_array(0, args, nargs, kwnames);
}

static PyObject *function_asanyarray(PyObject *module, HP_FAST)
{
    return (void)module, as_array(1, args, nargs, kwnames);
}

/* _beside(*them): a list of arrays of them all; what is none yet is made on the device of the
 * first that is one. */
static PyObject *beside(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    (void)module;
    hd_device *before = NULL;
    PyObject *list = PyList_New(nargs);
    for (Py_ssize_t i = 0; list && i < nargs; i++)
        if (hp_check(args[i])) {
            before = hp_switch(hd_device_of(hp_a(args[i])));
            break;
        }
    for (Py_ssize_t i = 0; list && i < nargs; i++) {
        PyObject *x = hp_check(args[i]) ? Py_NewRef(args[i])
                                        : make_array(args[i], NULL, NULL, COPY_IF_NEEDED, 0, 0);
        if (x)
            PyList_SetItem(list, i, x);
        else
            Py_CLEAR(list);
    }
    hp_leave(before);
    return list;
}

PyMethodDef hp_creation_functions[] = {
    HP_METHOD("empty", make_empty,
              "empty(shape, dtype=None, order='C', *, device=None, like=None)\n--\n\n"
              "array with undefined elements"),
    HP_METHOD(
        "zeros", make_zeros,
        "zeros(shape, dtype=None, order='C', *, device=None, like=None)\n--\n\narray of zeros"),
    HP_METHOD("ones", make_ones,
              "ones(shape, dtype=None, order='C', *, device=None, like=None)\n--\n\narray of ones"),
    HP_METHOD("full", make_full,
              "full(shape, fill_value, dtype=None, order='C', *, device=None, like=None)\n--\n\n"
              "array of one value"),
    HP_METHOD("eye", make_eye,
              "eye(N, M=None, k=0, dtype=None, order='C', *, device=None, like=None)\n--\n\n"
              "ones on the k-th diagonal, zeros elsewhere"),
    HP_METHOD("array", function_array,
              "array(object, dtype=None, *, copy=True, order='K', subok=False, ndmin=0, like=None, "
              "device=None)\n--\n\nan array of the elements of object"),
    HP_METHOD("asarray", function_asarray,
              "asarray(a, dtype=None, order=None, *, device=None, copy=None, like=None)\n--\n\n"
              "a as an array; itself if it is one. What comes from outside is copied unless "
              "copy=False"),
    HP_METHOD("asanyarray", function_asanyarray,
              "asanyarray(a, dtype=None, order=None, *, device=None, copy=None, like=None)\n--\n\n"
              "as asarray(), but an array of a subclass keeps its type"),
    HP_METHOD("_empty_like", make_empty_like, NULL),
    {"_beside", (PyCFunction)(void (*)(void))beside, METH_FASTCALL, NULL},
    HP_METHOD("_arange", make_ramp, NULL),
    {"_arange_by", arange_by, METH_O, NULL},
    HP_METHOD("_linspace", make_linspace, NULL),
    {NULL, NULL, 0, NULL}};
