/* SPDX-License-Identifier: BSD-3-Clause */
/* py_convert.c - Python and NumPy values into arrays, and elements back into Python objects.
 * What comes from outside is copied (rule M9), except by hp_share(). */
#include "py_element.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Python numbers -------------------------------------------------------------------------- */

static void real_number(hd_number *n, hd_weak kind, double re)
{
    n->kind = kind;
    n->range = 0;
    n->as.i = 0;
    n->re = re;
    n->im = 0;
}

/* Past int64 the value travels as uint64 or, past that, as the double near it (infinite past
 * every double). */
static void large_int(PyObject *o, int negative, hd_number *n)
{
    n->range = 2;
    if (!negative) {
        n->as.u = PyLong_AsUnsignedLongLong(o);
        if (!PyErr_Occurred())
            n->range = 1;
        PyErr_Clear();
    }
    n->re = PyLong_AsDouble(o);
    if (n->re == -1.0 && PyErr_Occurred()) {
        PyErr_Clear();
        n->re = negative ? -HUGE_VAL : HUGE_VAL;
    }
}

static void int_number(PyObject *o, hd_number *n)
{
    int overflow;
    long long v = PyLong_AsLongLongAndOverflow(o, &overflow);
    real_number(n, HD_WEAK_INT, (double)v);
    n->as.i = v;
    if (HP_UNLIKELY(overflow))
        large_int(o, overflow < 0, n);
}

static void complex_number(PyObject *o, hd_number *n)
{
    real_number(n, HD_WEAK_COMPLEX, PyComplex_RealAsDouble(o));
    n->im = PyComplex_ImagAsDouble(o);
}

int hp_exact_number(PyObject *o, hd_number *n)
{
    PyTypeObject *type = Py_TYPE(o);
    if (type == &PyFloat_Type) {
        real_number(n, HD_WEAK_FLOAT, PyFloat_AsDouble(o));
    } else if (type == &PyLong_Type) {
        int_number(o, n);
    } else if (type == &PyBool_Type) {
        real_number(n, HD_WEAK_BOOL, o == Py_True);
        n->as.i = o == Py_True;
    } else if (type == &PyComplex_Type) {
        complex_number(o, n);
    } else {
        return 0;
    }
    return 1;
}

int hp_any_number(PyObject *o, hd_number *n)
{
    if (hp_exact_number(o, n))
        return 1;
    /* numpy.float64 is a subclass of float, with a dtype of its own */
    if (hp_check(o) || hp_is_numpy_scalar(o))
        return 0;
    if (PyFloat_Check(o))
        real_number(n, HD_WEAK_FLOAT, PyFloat_AsDouble(o));
    else if (PyLong_Check(o))
        int_number(o, n);
    else if (PyComplex_Check(o))
        complex_number(o, n);
    else
        return 0;
    return 1;
}

/* ---- buffers --------------------------------------------------------------------------------- */

/* 1 if the buffer's elements are ours to read where they lie. */
static int readable(const Py_buffer *b, hd_dtype *dt)
{
    *dt = hp_dtype_of_format(b->format, b->itemsize);
    return *dt != HD_NO_DTYPE && b->ndim <= HD_MAXDIM && !b->suboffsets;
}

/* The buffer's axes from the widest stride to the narrowest, so that a copy of them in that order
 * has the order in memory that NumPy's order='K' gives. 0 if that is their own order. */
static int memory_order(const Py_buffer *b, int *axes)
{
    int moved = 0;
    for (int i = 0; i < b->ndim; i++) {
        int at = i;
        for (; at > 0 && llabs(b->strides[axes[at - 1]]) < llabs(b->strides[i]); at--)
            axes[at] = axes[at - 1];
        axes[at] = i;
        moved |= at != i;
    }
    return moved;
}

/* Elements that do not lie in C order are copied with their axes turned, and turned back. */
static hd_array *copy_buffer(const Py_buffer *b)
{
    hd_dtype dt;
    int axes[HD_MAXDIM], back[HD_MAXDIM];
    int64_t shape[HD_MAXDIM], strides[HD_MAXDIM];
    if (!readable(b, &dt))
        return NULL;
    int turned = b->len > 0 && b->strides && !PyBuffer_IsContiguous(b, 'C') &&
                 memory_order(b, axes);
    for (int i = 0; i < b->ndim; i++) {
        int from = turned ? axes[i] : i;
        shape[i] = b->shape[from];
        strides[i] = b->strides ? b->strides[from] : 0;
        back[from] = i;
    }
    hd_array *a = hd_from_data(b->ndim, shape, b->strides ? strides : NULL, dt, b->buf), *r = a;
    if (a && turned) {
        r = hd_transpose(a, back);
        hd_release(a);
    }
    if (!r)
        hp_raise();
    return r;
}

/* NumPy's byte order and alignment, so that the elements can be read in place. */
static PyObject *normal_numpy(PyObject *o)
{
    PyObject *d = PyObject_GetAttrString(o, "dtype"), *native = NULL, *copy = NULL;
    hd_dtype dt;
    if (d)
        native = PyObject_CallMethod(d, "newbyteorder", "s", "=");
    if (d && !native) {   /* StringDType has no bytes to order */
        PyErr_Clear();
        PyErr_SetObject(hp_not_ours, d);
    }
    if (native && hp_dtype(native, &dt) == 0)
        copy = PyObject_CallMethod(o, "astype", "O", native);
    Py_XDECREF(d);
    Py_XDECREF(native);
    return copy;
}

/* The bits of a NumPy array or scalar of bfloat16s as uint16, since there are no buffers of
 * bfloat16; NULL without an exception if it is of something else. */
static PyObject *bits_of_bfloat16(PyObject *o)
{
    hd_dtype dt = HD_NO_DTYPE;
    PyObject *bits = NULL, *d = NULL;
    if (hp_is_numpy_array(o) || hp_is_numpy_scalar(o))
        d = PyObject_GetAttrString(o, "dtype");
    if (d && hp_dtype(d, &dt) == 0 && dt == HD_BFLOAT16) {
        PyObject *array = hp_numpy_call("asarray", PyTuple_Pack(1, o), NULL);
        bits = array ? PyObject_CallMethod(array, "view", "s", "u2") : NULL;
        Py_XDECREF(array);
    } else {
        PyErr_Clear();
    }
    Py_XDECREF(d);
    return bits;
}

/* Takes an array of the bits. */
static hd_array *as_bfloat16(hd_array *bits)
{
    hd_array *a = bits ? hd_view(bits, HD_BFLOAT16) : NULL;
    if (bits && !a)
        hp_raise();
    hd_release(bits);
    return a;
}

/* A scalar of another dtype may show its bytes. */
static int has_our_dtype(PyObject *o)
{
    hd_dtype dt;
    PyObject *d = PyObject_GetAttrString(o, "dtype");
    int status = d ? hp_dtype(d, &dt) : -1;
    Py_XDECREF(d);
    return status == 0;
}

/* A NumPy array or scalar, or anything else with a buffer of numbers. depth keeps the second try
 * from repeating itself. */
static hd_array *from_buffer(PyObject *o, int depth)
{
    Py_buffer b;
    hd_array *a = NULL;
    if (hp_is_numpy_scalar(o) && !has_our_dtype(o))
        return NULL;
    if (PyObject_GetBuffer(o, &b, PyBUF_FULL_RO) == 0) {
        a = copy_buffer(&b);
        PyBuffer_Release(&b);
        if (a || PyErr_Occurred())
            return a;
    }
    PyErr_Clear();
    PyObject *bits = depth ? NULL : bits_of_bfloat16(o);
    if (bits) {
        a = as_bfloat16(from_buffer(bits, 1));
        Py_DECREF(bits);
        return a;
    }
    PyObject *copy = depth || PyErr_Occurred() ? NULL : normal_numpy(o);
    if (copy)
        a = from_buffer(copy, 1);
    else if (!PyErr_Occurred())
        PyErr_Format(PyExc_TypeError, "heddle cannot read %R", (PyObject *)Py_TYPE(o));
    Py_XDECREF(copy);
    return a;
}

/* ---- sequences ------------------------------------------------------------------------------- */

/* A list of heddle arrays is stacked, without waiting for any of them. NULL without an exception
 * if it is something else. */
static hd_array *stack_list(PyObject *o, Py_ssize_t n)
{
    if (n <= 0 || n > INT32_MAX)
        return NULL;
    for (Py_ssize_t i = 0; i < n; i++)
        if (!hp_check(PyList_Check(o) ? PyList_GetItem(o, i) : PyTuple_GetItem(o, i)))
            return NULL;
    const hd_array **parts = malloc((size_t)n * sizeof *parts);
    if (!parts)
        return PyErr_NoMemory(), NULL;
    for (Py_ssize_t i = 0; i < n; i++)
        parts[i] = hp_a(PyList_Check(o) ? PyList_GetItem(o, i) : PyTuple_GetItem(o, i));
    hd_array *a = hd_stack((int)n, parts, 0, HD_NO_DTYPE, NULL);
    free(parts);
    if (!a && hd_error_peek()->code == HD_SHAPE)
        hd_error_take(NULL);   /* ragged: NumPy has the words for it */
    else if (!a)
        hp_raise();
    return a;
}

static hd_array *cast_to(hd_array *a, hd_dtype dt)
{
    if (!a || dt == HD_NO_DTYPE || hd_dtype_of(a) == dt)
        return a;
    const int told = hp_warn_cast(hd_dtype_of(a), dt);
    hd_array *r = told == 0 ? hd_astype(a, dt, 'K', HD_CAST_UNSAFE, 0) : NULL;
    hd_release(a);
    return r || told < 0 ? r : (hp_raise(), NULL);
}

/* After NumPy's ValueError: an array of ours is one that NumPy does not take from __array__(). */
static hd_array *ours_from_protocol(PyObject *o, hd_dtype dt)
{
    if (!PyErr_ExceptionMatches(PyExc_ValueError) || hp_check(o))
        return NULL;
    PyObject *error[3], *n;
    PyErr_Fetch(&error[0], &error[1], &error[2]);
    n = PyObject_CallMethod(o, "__array__", NULL);
    hd_array *a = n && hp_check(n) ? hd_retain(hp_a(n)) : NULL;
    Py_XDECREF(n);
    if (!a) {
        PyErr_Clear();
        PyErr_Restore(error[0], error[1], error[2]);
        return NULL;
    }
    for (int i = 0; i < 3; i++)
        Py_XDECREF(error[i]);
    return cast_to(a, dt);
}

/* What NumPy makes of o, as ours. */
static hd_array *by_numpy(PyObject *o, hd_dtype dt)
{
    PyObject *d = dt == HD_NO_DTYPE ? Py_NewRef(Py_None) : hp_dtype_object(dt);
    hp_converting++;   /* arrays in lists are read on our behalf */
    PyObject *n = d ? hp_numpy_call("asarray", PyTuple_Pack(2, o, d), NULL) : NULL;
    hp_converting--;
    hd_array *a = n ? from_buffer(n, 0) : d ? ours_from_protocol(o, dt) : NULL;
    Py_XDECREF(d);
    Py_XDECREF(n);
    return a;
}

/* Does a list or tuple begin with a text? Then it is not numbers that NumPy sees in it. */
static int begins_with_text(PyObject *o)
{
    const int list = PyList_Check(o);
    if ((list ? PyList_Size(o) : PyTuple_Size(o)) == 0)
        return 0;
    PyObject *first = list ? PyList_GetItem(o, 0) : PyTuple_GetItem(o, 0);
    return first && (PyUnicode_CheckExact(first) || PyBytes_CheckExact(first));
}

static hd_array *from_sequence(PyObject *o, hd_dtype dt)
{
    if (dt == HD_NO_DTYPE && begins_with_text(o)) {
        PyErr_SetString(hp_not_ours, "heddle has no arrays of text");
        return NULL;
    }
    hd_array *a = hp_from_list(o, dt);
    if (!a && !PyErr_Occurred())
        a = stack_list(o, PySequence_Size(o));
    return a || PyErr_Occurred() ? a : by_numpy(o, dt);
}

/* Objects that NumPy would read as an array of numbers. */
static int has_array(PyObject *o)
{
    static const char *const names[] = {"__array__", "__array_interface__", "__array_struct__"};
    if (PyUnicode_Check(o) || PyBytes_Check(o))
        return 0;
    if (PyObject_CheckBuffer(o))
        return 1;
    for (int i = 0; i < 3; i++)
        if (hp_type_has(o, names[i]))
            return 1;
    return 0;
}

/* NumPy's dtype of a Python number alone. */
static hd_array *strong_number(const hd_number *n, hd_dtype dt)
{
    static const hd_dtype own[] = {HD_BOOL, HD_INT64, HD_FLOAT64, HD_COMPLEX128};
    if (dt == HD_NO_DTYPE)
        dt = n->kind == HD_WEAK_INT && n->range == 1 ? HD_UINT64 : own[n->kind];
    hd_array *value = hd_from_number(n), *a = hd_full(0, NULL, value, dt);
    hd_release(value);
    return a ? a : (hp_raise(), NULL);
}

/* As hp_from_cuda(), but a copy: what comes from outside is. */
static int copy_cuda(PyObject *o, hd_array **a)
{
    hd_array *shared;
    int status = hp_from_cuda(o, &shared);
    *a = status == 1 ? hd_copy(shared, 'K') : NULL;
    if (status != 1)
        return status;
    hd_release(shared);
    return *a ? 1 : (hp_raise(), -1);
}

/* A sequence that is none of Python's own two: range, deque. 0 if NumPy sees no numbers in it: the
 * other operand's type may know better then. */
static int other_sequence(PyObject *o, hd_array **a)
{
    *a = NULL;
    if (!PySequence_Check(o) || PyUnicode_Check(o) || PyBytes_Check(o) || PySequence_Size(o) < 0) {
        PyErr_Clear();
        return 0;
    }
    *a = by_numpy(o, HD_NO_DTYPE);
    if (*a || !PyErr_ExceptionMatches(PyExc_TypeError))
        return *a ? 1 : -1;
    PyErr_Clear();
    return 0;
}

int hp_operand(PyObject *o, hd_array **a)
{
    hd_number n;
    hd_dtype dt;
    uint64_t element[2];
    int status;
    if (hp_check(o))
        *a = hd_retain(hp_a(o));
    else if (hp_exact_number(o, &n))
        return (*a = hd_from_number(&n)) ? 1 : (hp_raise(), -1);
    else if (hp_any_number(o, &n) && n.range != 2)
        *a = strong_number(&n, HD_NO_DTYPE);   /* NumPy's rule: only the exact types adapt */
    else if (hp_exact_scalar(o, &dt, element))
        return (*a = hd_from_element(NULL, dt, element)) ? 1 : (hp_raise(), -1);
    else if (hp_refuse_rules(o) < 0)
        return -1;
    else if (hp_is_numpy_array(o) || hp_is_numpy_scalar(o))
        *a = from_buffer(o, 0);
    else if (PyList_Check(o) || PyTuple_Check(o))
        *a = from_sequence(o, HD_NO_DTYPE);
    else if ((status = copy_cuda(o, a)))
        return status;
    else if (has_array(o))
        *a = by_numpy(o, HD_NO_DTYPE);
    else
        return other_sequence(o, a);
    return *a ? 1 : -1;
}

hd_array *hp_value(PyObject *o)
{
    hd_array *a = NULL;
    int status = hp_operand(o, &a);
    return status == 0 ? by_numpy(o, HD_NO_DTYPE) : a;   /* 0: NumPy knows the right exception */
}

/* Has the dtype a place for this kind of number as a matter of course? The rest is for NumPy to
 * convert, or to refuse. */
static int plain_number_for(const hd_number *n, hd_dtype dt)
{
    char kind = dt == HD_NO_DTYPE ? 'c' : hd_dtype_kind(dt);
    return kind == 'c' || (kind == 'f' && n->kind != HD_WEAK_COMPLEX) || n->kind == HD_WEAK_BOOL ||
           (kind != 'b' && n->kind == HD_WEAK_INT);
}

hd_array *hp_to_array(PyObject *o, hd_dtype dt)
{
    hd_number n;
    if (hp_check(o))
        return cast_to(hd_retain(hp_a(o)), dt);
    if (hp_exact_number(o, &n) && n.range != 2 && plain_number_for(&n, dt))
        return strong_number(&n, dt);
    if (hp_refuse_rules(o) < 0)
        return NULL;
    if (hp_is_numpy_array(o) || hp_is_numpy_scalar(o)) {
        hd_array *own = from_buffer(o, 0);
        if (own || dt == HD_NO_DTYPE || !PyErr_ExceptionMatches(PyExc_TypeError))
            return cast_to(own, dt);
        PyErr_Clear();   /* a dtype that we do not have: objects, text */
        return by_numpy(o, dt);
    }
    if (PyList_Check(o) || PyTuple_Check(o))
        return cast_to(from_sequence(o, dt), dt);
    hd_array *cuda;
    int status = copy_cuda(o, &cuda);
    return status ? cast_to(cuda, dt) : by_numpy(o, dt);
}

hd_array *hp_mask(PyObject *o)
{
    int typed = hp_check(o) || hp_is_numpy_array(o) || hp_is_numpy_scalar(o);
    return hp_to_array(o, typed ? HD_NO_DTYPE : HD_BOOL);
}

hd_array *hp_mask_beside(const hd_array *a, PyObject *o)
{
    hd_device *before;
    if (hp_enter_device(hd_device_of(a), o, &before) < 0)
        return NULL;
    hd_array *mask = hp_mask(o);
    hp_leave(before);
    return mask;
}

/* ---- sharing --------------------------------------------------------------------------------- */

void hp_release_buffer(void *ctx)
{
    if (!Py_IsInitialized())
        return;
    PyGILState_STATE state = PyGILState_Ensure();
    PyBuffer_Release(ctx);
    free(ctx);
    PyGILState_Release(state);
}

static hd_array *share_buffer(PyObject *o, PyObject *source);
/* share_buffer() of bfloat16s, which have no buffer of their dtype; all else is refused. */
static hd_array *share_bits(PyObject *o, PyObject *source)
{
    PyObject *bits = bits_of_bfloat16(o);
    if (!bits) {
        PyErr_Format(PyExc_ValueError, "Unable to avoid copy while creating an array of %R",
                     (PyObject *)Py_TYPE(source));
        return NULL;
    }
    hd_array *a = as_bfloat16(share_buffer(bits, source));
    Py_DECREF(bits);
    return a;
}

static hd_array *share_buffer(PyObject *o, PyObject *source)
{
    hd_dtype dt;
    int64_t shape[HD_MAXDIM], strides[HD_MAXDIM];
    hd_device *dev = hd_device_current();
    if (!dev)
        return hp_raise(), NULL;
    if (!hd_device_is_host(dev)) {
        PyErr_Format(PyExc_ValueError,
                     "Unable to avoid copy while creating an array of %R: device %s does not use "
                     "the host's memory",
                     (PyObject *)Py_TYPE(source), hd_device_name(dev));
        return NULL;
    }
    Py_buffer *b = malloc(sizeof *b);
    if (!b)
        return PyErr_NoMemory(), NULL;
    int status = PyObject_GetBuffer(o, b, PyBUF_FULL_RO);
    if (status < 0 || !readable(b, &dt)) {
        PyErr_Clear();
        if (status == 0)
            PyBuffer_Release(b);
        free(b);
        return share_bits(o, source);
    }
    for (int i = 0; i < b->ndim; i++) {
        shape[i] = b->shape[i];
        strides[i] = b->strides[i];
    }
    hd_array *a = hd_wrap(b->ndim, shape, strides, dt, b->buf, b->readonly, hp_release_buffer, b);
    if (!a) {
        hp_release_buffer(b);
        hp_raise();
    }
    return a;
}

/* What has no buffer NumPy asks for __array_interface__ and __array__(), and it has the error of
 * what has neither. */
hd_array *hp_share(PyObject *o)
{
    if (PyObject_CheckBuffer(o))
        return share_buffer(o, o);
    PyObject *n = hp_numpy_call("asarray", Py_BuildValue("(O)", o),
                                Py_BuildValue("{s:O}", "copy", Py_False));
    hd_array *a = n ? share_buffer(n, o) : NULL;
    Py_XDECREF(n);
    return a;
}

/* ---- back to Python -------------------------------------------------------------------------- */

#define READ(type) (*(const type *)element)

PyObject *hp_python_value(hd_dtype dt, const void *element)
{
    switch (dt) {
    case HD_BOOL: return PyBool_FromLong(READ(uint8_t));
    case HD_INT8: return PyLong_FromLong(READ(int8_t));
    case HD_INT16: return PyLong_FromLong(READ(int16_t));
    case HD_INT32: return PyLong_FromLong(READ(int32_t));
    case HD_INT64: return PyLong_FromLongLong(READ(int64_t));
    case HD_UINT8: return PyLong_FromLong(READ(uint8_t));
    case HD_UINT16: return PyLong_FromLong(READ(uint16_t));
    case HD_UINT32: return PyLong_FromLongLong(READ(uint32_t));
    case HD_UINT64: return PyLong_FromUnsignedLongLong(READ(uint64_t));
    case HD_FLOAT16: return PyFloat_FromDouble(hd_float16_value(READ(uint16_t)));
    case HD_BFLOAT16: return PyFloat_FromDouble(hd_bfloat16_value(READ(uint16_t)));
    case HD_FLOAT32: return PyFloat_FromDouble((double)READ(float));
    case HD_FLOAT64: return PyFloat_FromDouble(READ(double));
    case HD_COMPLEX64: return PyComplex_FromDoubles((double)READ(float), (double)(&READ(float))[1]);
    case HD_COMPLEX128: return PyComplex_FromDoubles(READ(double), (&READ(double))[1]);
    default:
        PyErr_Format(PyExc_TypeError, "no Python value for %s", hd_dtype_name(dt));
        return NULL;
    }
}

PyObject *hp_item(const hd_array *a, int64_t index)
{
    hd_value v;
    if (hd_item(a, index, &v) != HD_OK)
        return hp_raise();
    switch (v.kind) {
    case 'b': return PyBool_FromLong(v.as.i != 0);
    case 'i': return PyLong_FromLongLong(v.as.i);
    case 'u': return PyLong_FromUnsignedLongLong(v.as.u);
    case 'f': return PyFloat_FromDouble(v.as.f);
    default: return PyComplex_FromDoubles(v.as.c[0], v.as.c[1]);
    }
}

PyObject *hp_as_numpy(PyObject *array, int copy)
{
    hd_array *host = hd_device_is_host(hd_device_of(hp_a(array))) ? NULL : hp_on_host(hp_a(array));
    if (!host && PyErr_Occurred())
        return NULL;
    PyObject *d = NULL, *source = host ? hp_wrap(host) : Py_NewRef(array);
    if (source && hd_dtype_of(hp_a(source)) == HD_BFLOAT16) {
        hd_array *bits = hd_view(hp_a(source), HD_UINT16);
        Py_DECREF(source);
        if (!(d = hp_dtype_object(HD_BFLOAT16)) || !bits)
            return d ? (Py_DECREF(d), hp_raise()) : NULL;
        source = hp_wrap(bits);
    }
    PyObject *view = source ? hp_memory_view(source) : NULL;
    copy &= !host;   /* it is one already */
    PyObject *n =
        view ? hp_numpy_call(copy ? "array" : "asarray", PyTuple_Pack(1, view), NULL) : NULL;
    if (n && d) {
        PyObject *words = n;
        n = PyObject_CallMethod(words, "view", "O", d);
        Py_DECREF(words);
    }
    Py_XDECREF(view);
    Py_XDECREF(source);
    Py_XDECREF(d);
    return n;
}
