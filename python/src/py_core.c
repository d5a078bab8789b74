/* SPDX-License-Identifier: BSD-3-Clause */
/* py_core.c - module functions over several arrays (where, matmul, concatenate, copyto ...) and
 * views that have no method. */
#include "py.h"

#include <stdlib.h>

/* ---- products -------------------------------------------------------------------------------- */

int hp_array_pair(PyObject *x, PyObject *y, hd_array *in[2])
{
    hd_device *before;
    if (hp_enter_beside((PyObject *const[]){x, y}, 2, &before) < 0)
        return -1;
    in[0] = hp_to_array(x, HD_NO_DTYPE);
    in[1] = in[0] ? hp_to_array(y, HD_NO_DTYPE) : NULL;
    hp_leave(before);
    if (in[1])
        return 0;
    hd_release(in[0]);
    return -1;
}

PyObject *hp_dot(PyObject *x, PyObject *y, PyObject *out)
{
    hd_array *in[2];
    if (out == Py_None)
        out = NULL;
    if (out && !hp_check(out)) {
        PyErr_SetString(hp_is_numpy_array(out) ? hp_not_ours : PyExc_TypeError,
                        "'out' must be an array");
        return NULL;
    }
    if (hp_array_pair(x, y, in) < 0)
        return NULL;
    PyObject *r = hp_wrap_out(hd_dot(in[0], in[1], out ? hp_a(out) : NULL), out);
    hd_release(in[0]);
    hd_release(in[1]);
    if (HP_LIKELY(!hp_subclasses))
        return r;
    /* as NumPy: the first one's type, or that of the higher priority */
    int second = Py_TYPE(x) != Py_TYPE(y) && hp_priority(y) > hp_priority(x);
    return hp_as_owner(r, second ? y : x);
}

enum { OUT = 2, CASTING, ORDER, DTYPE, SUBOK, AXES, AXIS, KEEPDIMS };

static int refuse_axes(PyObject *const *v)
{
    static const char *const reasons[] = {
        "matmul: axis can only be used with a single shared core dimension, not with the 3 "
        "distinct ones implied by signature (n?,k),(k,m?)->(n?,m?).",
        "matmul does not support keepdims: its signature (n?,k),(k,m?)->(n?,m?) requires output 0 "
        "to have 2 core dimensions, but keepdims can only be used when all inputs have the same "
        "number of core dimensions and all outputs have no core dimensions."};
    for (int i = AXIS; i <= KEEPDIMS; i++)
        if (v[i]) {
            PyErr_SetString(PyExc_TypeError, reasons[i - AXIS]);
            return -1;
        }
    return 0;
}

/* matmul(axes=): the package moves the axes. */
static PyObject *matmul_along(HP_FAST)
{
    PyObject *module = PyImport_ImportModule("heddle._products");
    PyObject *r = module ? hp_call_method(module, "_matmul_along", args, nargs, kwnames) : NULL;
    Py_XDECREF(module);
    return r;
}

PyObject *hp_matmul(HP_FAST)
{
    static hp_signature s = {.name = "matmul", .required = 2, .positional = 3, .only_positional = 2,
                             .names = {"x1", "x2", "out", "casting", "order", "dtype", "subok",
                                       "axes", "axis", "keepdims"}};
    hd_apply_options o = {.size = sizeof o, .dtype = HD_NO_DTYPE, .casting = HD_CAST_SAME_KIND};
    PyObject *v[HP_MAXARGS], *out;
    hd_array *in[2];
    char order = 'K';
    int subok = 1;
    if (hp_parse(&s, args, nargs, kwnames, v) < 0 || refuse_axes(v) < 0)
        return NULL;
    if (v[AXES])
        return matmul_along(args, nargs, kwnames);
    if (hp_true(v[SUBOK], &subok) < 0 ||
        hp_ufunc_out(v[OUT], &out) < 0 || hp_casting(v[CASTING], &o.casting) < 0 ||
        hp_order(v[ORDER], &order) < 0 || hp_dtype(v[DTYPE], &o.dtype) < 0 ||
        hp_array_pair(v[0], v[1], in) < 0)
        return NULL;
    o.out = hp_out_array(out);
    hd_array *r = hd_matmul_as(in[0], in[1], &o);
    if (!o.out)
        r = hp_reorder(r, hp_resolve_order(order, 2, in));
    hd_release(in[0]);
    hd_release(in[1]);
    PyObject *result = hp_wrap_out(r, out);
    return o.out || !subok ? result
                           : hp_wrap_result(result, hp_ufunc_of(HD_OP_matmul), v, 2, 2, 0);
}

static PyObject *function_dot(PyObject *module, HP_FAST)
{
    (void)module;
    static hp_signature s = {
        .name = "dot", .required = 2, .positional = 3, .names = {"a", "b", "out"}};
    PyObject *v[3];
    return hp_parse(&s, args, nargs, kwnames, v) < 0 ? NULL : hp_dot(v[0], v[1], v[2]);
}

/* ---- choosing and joining -------------------------------------------------------------------- */

static PyObject *positions(PyObject *condition)
{
    PyObject *o = hp_check(condition) ? Py_NewRef(condition)
                                      : hp_wrap_array(hp_to_array(condition, HD_NO_DTYPE));
    PyObject *r = o ? PyObject_CallMethod(o, "nonzero", NULL) : NULL;
    Py_XDECREF(o);
    return r;
}

/* A scalar (taken) as a 0-d array: what NumPy's functions give that are not ufuncs. */
static hd_array *as_array(hd_array *scalar)
{
    hd_array *a = hd_full(0, NULL, scalar, HD_NO_DTYPE);
    hd_release(scalar);
    if (!a)
        hp_raise();
    return a;
}

/* where(condition, x, y); Python numbers adapt to the other array, or stand for themselves if
 * both are numbers. */
static PyObject *function_where(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    (void)module;
    hd_number n;
    hd_array *in[3] = {NULL, NULL, NULL}, *r = NULL;
    if (nargs == 1)
        return positions(args[0]);
    if (nargs != 3) {
        PyErr_SetString(nargs == 2 ? PyExc_ValueError : PyExc_TypeError,
                        nargs == 2 ? "either both or neither of x and y should be given"
                                   : "where() takes from 1 to 3 positional arguments");
        return NULL;
    }
    hd_device *before;
    int numbers = hp_any_number(args[1], &n) && hp_any_number(args[2], &n);
    if (hp_enter_beside(args, 3, &before) < 0)
        return NULL;
    in[0] = hp_to_array(args[0], HD_NO_DTYPE);
    in[1] = !in[0] ? NULL : numbers ? hp_to_array(args[1], HD_NO_DTYPE) : hp_value(args[1]);
    in[2] = !in[1] ? NULL : numbers ? hp_to_array(args[2], HD_NO_DTYPE) : hp_value(args[2]);
    hp_leave(before);
    if (in[2]) {
        r = hd_apply(HD_OP_where, 3, (const hd_array *const *)in, NULL);
        if (!r)
            hp_raise();
        else if (hd_flags(r) & HD_SCALAR)
            r = as_array(r);
    }
    for (int i = 0; i < 3; i++)
        hd_release(in[i]);
    return r ? hp_wrap(r) : NULL;
}

typedef hd_array *(*joiner)(int n, const hd_array *const *arrays, int axis, hd_dtype dt,
                            hd_array *out);

/* Every array must cast to the dtype asked for. What goes further than the library's own rule is
 * cast here. */
static int cast_joined(hd_array **arrays, Py_ssize_t n, hd_dtype dt, hd_casting casting)
{
    for (Py_ssize_t i = 0; i < n && dt != HD_NO_DTYPE; i++) {
        if (hd_can_cast(hd_dtype_of(arrays[i]), dt, casting) &&
            hd_can_cast(hd_dtype_of(arrays[i]), dt, HD_CAST_SAME_KIND))
            continue;
        hd_array *cast = hd_astype(arrays[i], dt, 'K', casting, 0);
        if (!cast)
            return hp_raise(), -1;
        hd_release(arrays[i]);
        arrays[i] = cast;
    }
    return 0;
}

/* Where arrays are joined: where the first of them is. */
static hd_device *joined_device(PyObject *sequence, Py_ssize_t n, PyObject *out)
{
    hd_device *dev = out ? hd_device_of(hp_a(out)) : NULL;
    for (Py_ssize_t i = 0; i < n && !dev; i++) {
        PyObject *item = PySequence_GetItem(sequence, i);
        if (item && hp_check(item))
            dev = hd_device_of(hp_a(item));
        Py_XDECREF(item);
    }
    PyErr_Clear();   /* told when it is read */
    return dev ? dev : hd_device_current();
}

/* The joined array r (taken) with the type of one of a subclass: by priority only. */
static PyObject *as_joined(PyObject *r, PyObject *sequence, Py_ssize_t n)
{
    PyObject *found = NULL;
    double priority = 0;
    for (Py_ssize_t i = 0; hp_subclasses && i < n; i++) {
        PyObject *item = PySequence_GetItem(sequence, i);
        if (item && hp_is_sub(item) && hp_priority(item) > priority) {
            priority = hp_priority(item);
            Py_XDECREF(found);
            found = Py_NewRef(item);
        }
        Py_XDECREF(item);
    }
    PyErr_Clear();
    if (!found)
        return r;
    PyObject *o = hp_new_of(Py_TYPE(found), hd_retain(hp_a(r)), NULL, NULL);
    Py_DECREF(found);
    Py_DECREF(r);
    return o;
}

static PyObject *join(joiner f, PyObject *sequence, PyObject *axis, PyObject *out, PyObject *dtype,
                      PyObject *casting_name)
{
    hd_casting casting = HD_CAST_SAME_KIND;
    hd_dtype dt;
    int ax = axis == Py_None ? HD_FLAT : 0;
    PyObject *o, *r = NULL;
    int (*read)(PyObject *, int *) = f == hd_stack ? hp_int : hp_axis;   /* as NumPy's take True */
    if ((axis && axis != Py_None && read(axis, &ax) < 0) || hp_dtype(dtype, &dt) < 0 ||
        hp_casting(casting_name, &casting) < 0 || hp_out(out, &o) < 0)
        return NULL;
    if (o && dt != HD_NO_DTYPE) {
        PyErr_Format(PyExc_TypeError,
                     "%s() only takes `out` or `dtype` as an argument, but both were provided.",
                     f == hd_stack ? "stack" : "concatenate");
        return NULL;
    }
    Py_ssize_t n = PySequence_Size(sequence), made = 0;
    if (n < 0)
        return NULL;
    if (n > INT32_MAX) {
        PyErr_Format(PyExc_ValueError, "%s() only supports up to %d arrays but got %zd.",
                     f == hd_stack ? "stack" : "concatenate", INT32_MAX, n);
        return NULL;
    }
    hd_array **arrays = calloc((size_t)n + 1, sizeof *arrays);
    if (!arrays)
        return PyErr_NoMemory();
    hd_device *dev = joined_device(sequence, n, o), *before = NULL;
    for (; made < n; made++) {
        PyObject *item = PySequence_GetItem(sequence, made);
        if (item && hp_enter_device(dev, item, &before) == 0)
            arrays[made] = hp_to_array(item, HD_NO_DTYPE);
        hp_leave(before);
        Py_XDECREF(item);
        if (!arrays[made])
            break;
    }
    if (made == n && cast_joined(arrays, n, o ? hd_dtype_of(hp_a(o)) : dt, casting) == 0)
        r = hp_wrap_out(f((int)n, (const hd_array *const *)arrays, ax, dt, o ? hp_a(o) : NULL), o);
    while (made > 0)
        hd_release(arrays[--made]);
    free(arrays);
    return hp_subclasses && r && !o ? as_joined(r, sequence, n) : r;
}

static PyObject *function_concatenate(PyObject *module, HP_FAST)
{
    (void)module;
    static hp_signature s = {.name = "concatenate", .required = 1, .positional = 3,
                             .names = {"arrays", "axis", "out", "dtype", "casting"}};
    PyObject *v[5];
    return hp_parse(&s, args, nargs, kwnames, v) < 0
               ? NULL
               : join(hd_concatenate, v[0], v[1], v[2], v[3], v[4]);
}

static PyObject *function_stack(PyObject *module, HP_FAST)
{
    (void)module;
    static hp_signature s = {.name = "stack", .required = 1, .positional = 3,
                             .names = {"arrays", "axis", "out", "dtype", "casting"}};
    PyObject *v[5];
    return hp_parse(&s, args, nargs, kwnames, v) < 0 ? NULL
                                                     : join(hd_stack, v[0], v[1], v[2], v[3], v[4]);
}

/* _roll(array, shifts, axes): an int each, or as many ints of both. */
static PyObject *function_roll(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    int64_t shifts[HD_MAXDIM];
    int axes[HD_MAXDIM], nshifts, naxes;
    (void)module;
    if (nargs != 3 || !hp_check(args[0])) {
        PyErr_SetString(PyExc_TypeError, "_roll() takes an array, shifts and axes");
        return NULL;
    }
    if (hp_shape(args[1], shifts, &nshifts) < 0 || hp_axes(args[2], axes, &naxes) < 0)
        return NULL;
    return hp_wrap(hd_roll(hp_a(args[0]), nshifts < naxes ? nshifts : naxes, shifts, axes));
}

static hd_status copy_where(hd_array *dst, const hd_array *src, const hd_array *where,
                            hd_casting casting)
{
    hd_apply_options options = {sizeof options, dst, where, HD_NO_DTYPE, casting, NULL};
    hd_array *r = hd_apply(HD_OP_copy, 1, &src, &options);
    hd_release(r);
    return r ? HD_OK : hd_error_peek()->code;
}

/* What copyto() may do with a Python number: an int goes into every integer dtype that holds it. */
static int number_may_go(PyObject *o, hd_dtype to, hd_casting casting)
{
    static const hd_dtype own[] = {HD_BOOL, HD_INT64, HD_FLOAT64, HD_COMPLEX128};
    hd_number n;
    if (!hp_exact_number(o, &n))
        return 1;
    char kind = hd_dtype_kind(to), from = hd_dtype_kind(own[n.kind]);
    int holds = kind == from || kind == 'c' || (kind == 'f' && from != 'c') ||
                (kind != 'b' && from != 'f' && from != 'c');
    if (holds || hd_can_cast(own[n.kind], to, casting))
        return 1;
    PyErr_Format(PyExc_TypeError,
                 "Cannot cast scalar from dtype('%s') to dtype('%s') according to the rule '%s'",
                 hd_dtype_name(own[n.kind]), hd_dtype_name(to), hd_casting_name(casting));
    return 0;
}

static PyObject *function_copyto(PyObject *module, HP_FAST)
{
    (void)module;
    static hp_signature s = {.name = "copyto",
                             .required = 2,
                             .positional = 4,
                             .names = {"dst", "src", "casting", "where"}};
    PyObject *v[4], *r = NULL;
    hd_casting casting = HD_CAST_SAME_KIND;
    if (hp_parse(&s, args, nargs, kwnames, v) < 0 || hp_casting(v[2], &casting) < 0)
        return NULL;
    if (!hp_check(v[0])) {
        PyErr_Format(hp_is_numpy_array(v[0]) ? hp_not_ours : PyExc_TypeError,
                     "copyto() argument 1 must be heddle.ndarray, not %S",
                     (PyObject *)Py_TYPE(v[0]));
        return NULL;
    }
    if (!number_may_go(v[1], hd_dtype_of(hp_a(v[0])), casting))
        return NULL;
    int everywhere = !v[3] || v[3] == Py_True;
    hd_device *before;
    if (hp_enter_beside(v, 2, &before) < 0)
        return NULL;
    hd_array *dst = hp_a(v[0]);
    /* an int adapts, and has to fit */
    hd_array *src = PyLong_CheckExact(v[1]) ? hp_to_array(v[1], hd_dtype_of(dst)) : hp_value(v[1]);
    hp_leave(before);
    hd_array *where = src && !everywhere ? hp_mask_beside(dst, v[3]) : NULL;
    const int told = src && casting == HD_CAST_UNSAFE
                         ? hp_warn_cast(hd_dtype_of(src), hd_dtype_of(dst))
                         : 0;
    if (src && everywhere && told == 0)
        r = hp_none(hd_assign(dst, src, casting));
    else if (where && told == 0)
        r = hp_none(copy_where(dst, src, where, casting));
    hd_release(src);
    hd_release(where);
    return r;
}

/* ---- views ----------------------------------------------------------------------------------- */

/* An object's own array, or the one made of it; owner is what the views are views of. */
static PyObject *as_object(PyObject *o)
{
    return hp_exact(o) ? Py_NewRef(o) : hp_wrap_array(hp_to_array(o, HD_NO_DTYPE));
}

static PyObject *function_broadcast_to(PyObject *module, HP_FAST)
{
    (void)module;
    static hp_signature s = {.name = "broadcast_to",
                             .required = 2,
                             .positional = 3,
                             .names = {"array", "shape", "subok"}};
    PyObject *v[3];
    int64_t shape[HD_MAXDIM];
    int nd;
    if (hp_parse(&s, args, nargs, kwnames, v) < 0 || hp_shape(v[1], shape, &nd) < 0)
        return NULL;
    PyObject *o = as_object(v[0]), *r = NULL;
    hd_array *view = o ? hd_broadcast_to(hp_a(o), nd, shape) : NULL;
    if (view)
        hd_set_writeable(view, 0);   /* its elements lie on top of each other */
    if (o)
        r = hp_wrap_view(view, o);
    Py_XDECREF(o);
    return r;
}

static PyObject *function_expand_dims(PyObject *module, HP_FAST)
{
    (void)module;
    static hp_signature s = {
        .name = "expand_dims", .required = 2, .positional = 2, .names = {"a", "axis"}};
    PyObject *v[2], *r = NULL;
    int axes[HD_MAXDIM], n = 1;
    if (hp_parse(&s, args, nargs, kwnames, v) < 0 ||
        (PyBool_Check(v[1]) ? hp_int(v[1], axes) : hp_axes(v[1], axes, &n)) < 0)
        return NULL;
    PyObject *o = as_object(v[0]);
    if (o)
        r = hp_wrap_view(hd_expand_dims(hp_a(o), n == HD_ALL_AXES ? 0 : n, axes), o);
    Py_XDECREF(o);
    return r;
}

/* _as_strided(x, shape, strides, offset) */
static PyObject *function_as_strided(PyObject *module, HP_FAST)
{
    (void)module;
    static hp_signature s = {.name = "as_strided", .required = 4, .positional = 4,
                             .names = {"x", "shape", "strides", "offset"}};
    PyObject *v[4], *r = NULL;
    int64_t shape[HD_MAXDIM], strides[HD_MAXDIM], offset;
    int nd, ns;
    if (hp_parse(&s, args, nargs, kwnames, v) < 0 || hp_shape(v[1], shape, &nd) < 0 ||
        hp_shape(v[2], strides, &ns) < 0 || hp_int64(v[3], &offset) < 0)
        return NULL;
    if (nd != ns) {
        PyErr_SetString(PyExc_ValueError, "strides, if given, must be the same length as shape");
        return NULL;
    }
    PyObject *o = as_object(v[0]);
    if (o)
        r = hp_wrap_view(hd_as_strided(hp_a(o), nd, shape, strides, offset), o);
    Py_XDECREF(o);
    return r;
}

static PyObject *two_arrays(int (*test)(const hd_array *, const hd_array *), PyObject *const *args,
                            Py_ssize_t nargs)
{
    if (nargs != 2) {
        PyErr_Format(PyExc_TypeError, "two arrays expected, not %zd", nargs);
        return NULL;
    }
    if (!hp_check(args[0]) || !hp_check(args[1]))   /* what becomes an array shares nothing yet */
        return Py_NewRef(Py_False);
    return PyBool_FromLong(test(hp_a(args[0]), hp_a(args[1])));
}

static PyObject *function_may_share(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    (void)module;
    for (Py_ssize_t i = 0; i < nargs; i++)
        if (hp_is_numpy_array(args[i])) {       /* what it is about is NumPy's memory */
            PyErr_SetString(hp_not_ours, "an array of NumPy's");
            return NULL;
        }
    return two_arrays(hd_may_share, args, nargs);
}

/* Does a stride not reach beyond all that the smaller ones span? */
int hp_overlaps_itself(const hd_array *x)
{
    const int64_t *shape = hd_shape(x), *strides = hd_strides(x);
    int nd = hd_ndim(x);
    if (hd_size(x) <= 1)
        return 0;
    for (int a = 0; a < nd; a++) {
        int64_t stride = llabs(strides[a]), span = (int64_t)hd_dtype_size(hd_dtype_of(x));
        for (int b = 0; b < nd; b++) {
            int64_t other = llabs(strides[b]);
            int smaller = other < stride || (other == stride && b < a);
            span += smaller && shape[b] > 1 ? (shape[b] - 1) * other : 0;
        }
        if (shape[a] > 1 && stride < span)
            return 1;
    }
    return 0;
}

static PyObject *function_overlaps_itself(PyObject *module, PyObject *x)
{
    return (void)module, PyBool_FromLong(hp_check(x) && hp_overlaps_itself(hp_a(x)));
}

/* _scalar(x): the one element of x as a scalar value. */
static PyObject *function_scalar(PyObject *module, PyObject *x)
{
    (void)module;
    hd_array *a = hp_to_array(x, HD_NO_DTYPE);
    PyObject *r = a ? hp_wrap(hd_scalar_of(a)) : NULL;
    hd_release(a);
    return r;
}

static PyObject *function_is_scalar(PyObject *module, PyObject *x)
{
    return (void)module, PyBool_FromLong(hp_check(x) && hp_is_scalar(x));
}

/* _replace(x, y): x becomes the array that y is. */
static PyObject *function_replace(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    (void)module;
    if (nargs == 2 && hp_check(args[0]) && hp_check(args[1]))
        return hp_replace(args[0], args[1]);
    PyErr_SetString(PyExc_TypeError, "two arrays are needed");
    return NULL;
}

PyMethodDef hp_core_functions[] = {
    {"_replace", (PyCFunction)(void (*)(void))function_replace, METH_FASTCALL, NULL},
    HP_METHOD("dot", function_dot, "dot(a, b, out=None)\n--\n\ndot product of two arrays"),
    {"where", (PyCFunction)(void (*)(void))function_where, METH_FASTCALL,
     "where(condition, x=None, y=None, /)\n--\n\nx where the condition holds, else y; alone: "
     "positions where it holds"},
    HP_METHOD("concatenate", function_concatenate,
              "concatenate(arrays, /, axis=0, out=None, *, dtype=None, "
              "casting='same_kind')\n--\n\njoins along an axis"),
    HP_METHOD("stack", function_stack,
              "stack(arrays, axis=0, out=None, *, dtype=None, casting='same_kind')\n--\n\njoins "
              "along a new axis"),
    HP_METHOD("copyto", function_copyto,
              "copyto(dst, src, casting='same_kind', where=True)\n--\n\ndst[where] = src[where]"),
    HP_METHOD("broadcast_to", function_broadcast_to,
              "broadcast_to(array, shape, subok=False)\n--\n\nread-only view"),
    HP_METHOD("expand_dims", function_expand_dims,
              "expand_dims(a, axis)\n--\n\nview with more axes of extent 1"),
    {"_roll", (PyCFunction)(void (*)(void))function_roll, METH_FASTCALL, NULL},
    HP_METHOD("_as_strided", function_as_strided, NULL),
    {"may_share_memory", (PyCFunction)(void (*)(void))function_may_share, METH_FASTCALL,
     "may_share_memory(a, b, /)\n--\n\nmay two arrays overlap?"},
    {"_overlaps_itself", function_overlaps_itself, METH_O, NULL},
    {"_scalar", function_scalar, METH_O, NULL},
    {"_is_scalar", function_is_scalar, METH_O, NULL},
    {NULL, NULL, 0, NULL}};
