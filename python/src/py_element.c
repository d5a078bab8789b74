/* SPDX-License-Identifier: BSD-3-Clause */
/* py_element.c - single elements: x[i, j] as a NumPy scalar, x[i, j] = value as a store, and
 * NumPy's scalars as operands. Loops of ordinary programs consist of them, so a key of plain ints
 * is looked at before anything else.
 * See        docs/design/window.md, "Elements" */
#include "py_element.h"

#include <math.h>
#include <string.h>

/* ---- NumPy's C functions --------------------------------------------------------------------- */

/* Entries of the table that NumPy exports for extensions; its order is part of NumPy's ABI. */
enum { API_SCALAR = 60, API_SCALAR_AS_CTYPE = 62 };
typedef PyObject *(*scalar_maker)(void *data, PyObject *dtype, PyObject *base);
typedef void (*scalar_reader)(PyObject *scalar, void *into);

static scalar_maker make_scalar;
static scalar_reader read_scalar;
static PyObject *scalar_types[HD_DTYPE_COUNT];   /* borrowed for the life of the process */

static void **numpy_api(void)
{
    PyObject *module = PyImport_ImportModule("numpy._core._multiarray_umath");
    PyObject *capsule = module ? PyObject_GetAttrString(module, "_ARRAY_API") : NULL;
    void **api = capsule ? PyCapsule_GetPointer(capsule, NULL) : NULL;
    Py_XDECREF(capsule);
    Py_XDECREF(module);
    return api;
}

/* The type of NumPy's scalars of dt, NULL (no exception) if there is none. */
static PyObject *scalar_type(hd_dtype dt)
{
    if (HP_UNLIKELY(!scalar_types[dt])) {
        PyObject *d = hp_dtype_object(dt);
        scalar_types[dt] = d ? PyObject_GetAttrString(d, "type") : NULL;
        Py_XDECREF(d);
        PyErr_Clear();
    }
    return scalar_types[dt];
}

static int open_numpy(void)
{
    void **api = numpy_api();
    if (!api)
        return -1;
    memcpy(&make_scalar, &api[API_SCALAR], sizeof make_scalar);
    memcpy(&read_scalar, &api[API_SCALAR_AS_CTYPE], sizeof read_scalar);
    for (int dt = HD_BOOL; dt < HD_DTYPE_COUNT; dt++)
        if (dt != HD_BFLOAT16)   /* its type is ml_dtypes', which may be missing */
            scalar_type((hd_dtype)dt);
    return 0;
}

PyObject *hp_numpy_scalar(hd_dtype dt, const void *element)
{
    PyObject *d = hp_dtype_object(dt);
    if (!d || (HP_UNLIKELY(!make_scalar) && open_numpy() < 0)) {
        Py_XDECREF(d);
        return NULL;
    }
    PyObject *scalar = make_scalar((void *)(uintptr_t)element, d, NULL);
    Py_DECREF(d);
    return scalar;
}

int hp_exact_scalar(PyObject *o, hd_dtype *dt, void *element)
{
    PyObject *type = (PyObject *)Py_TYPE(o);
    if (HP_UNLIKELY(!read_scalar) && (!hp_is_numpy_scalar(o) || open_numpy() < 0))
        return PyErr_Clear(), 0;
    for (int i = HD_DTYPE_COUNT - 1; i >= HD_BOOL; i--)
        if (type == scalar_types[i] && i != HD_BFLOAT16) {
            *dt = (hd_dtype)i;
            read_scalar(o, element);
            return 1;
        }
    return 0;
}

/* ---- reading --------------------------------------------------------------------------------- */

int hp_gives_scalars(const hd_array *a)
{
    return hd_device_is_host(hd_device_of(a)) && hd_dtype_of(a) != HD_BFLOAT16;
}

int hp_plain_key(PyObject *key, int nd, int64_t *index)
{
    int overflow = 0;
    if (nd == 1 && PyLong_CheckExact(key)) {
        index[0] = PyLong_AsLongLongAndOverflow(key, &overflow);
        return !overflow;
    }
    if (!PyTuple_CheckExact(key) || PyTuple_Size(key) != nd || nd > HP_PLAIN_AXES)
        return 0;
    for (int i = 0; i < nd; i++) {
        PyObject *o = PyTuple_GetItem(key, i);
        if (!PyLong_CheckExact(o))
            return 0;
        index[i] = PyLong_AsLongLongAndOverflow(o, &overflow);
        if (overflow)
            return 0;
    }
    return nd > 0;
}

PyObject *hp_read_element(const hd_array *a, int n, const int64_t *index)
{
    uint64_t element[2];
    if (HP_UNLIKELY(hd_element_get(a, n, index, element) != HD_OK))
        return hp_raise();
    return hp_numpy_scalar(hd_dtype_of(a), element);
}

/* ---- writing --------------------------------------------------------------------------------- */

/* A real number that is one of NumPy's scalars, as one of Python's. */
static int scalar_number(hd_dtype dt, const void *element, hd_number *n)
{
    char kind = hd_dtype_kind(dt);
    if (kind != 'i' && kind != 'u' && kind != 'f')
        return 0;
    PyObject *value = hp_python_value(dt, element);
    int number = value && hp_exact_number(value, n);
    Py_XDECREF(value);
    return number;
}

int hp_signed_number(hd_dtype dt, PyObject *value, hd_number *n)
{
    hd_dtype own;
    uint64_t element[2];
    return hd_dtype_kind(dt) == 'i' && hp_exact_scalar(value, &own, element) &&
           scalar_number(own, element, n);
}

/* A Python or NumPy number that x's dtype takes as it is, as one of its elements. 0: it is for the
 * general way to convert, or to refuse. */
static int plain_element(const hd_array *a, PyObject *value, void *element)
{
    hd_number n;
    hd_dtype dt = hd_dtype_of(a), own;
    char kind = hd_dtype_kind(dt);
    uint64_t own_element[2];
    int python = hp_exact_number(value, &n);
    if (!python) {
        if (!hp_exact_scalar(value, &own, own_element))
            return 0;
        if (own == dt) {
            memcpy(element, own_element, (size_t)hd_dtype_size(dt));
            return 1;
        }
        /* other ones into reals may have to be rounded once only */
        if (kind != 'i' || !scalar_number(own, own_element, &n))
            return 0;
    }
    if (!python && n.kind == HD_WEAK_FLOAT && fabs(n.re) < 0x1p62)   /* cut, as int() does */
        n = (hd_number){.kind = HD_WEAK_INT, .as.i = (int64_t)n.re, .re = trunc(n.re)};
    int fits = n.kind == HD_WEAK_BOOL;
    if (kind == 'f' || kind == 'c')
        fits = n.range != 2 && (kind == 'c' || n.kind != HD_WEAK_COMPLEX);
    else if (kind == 'i' || kind == 'u')
        fits = fits || (n.kind == HD_WEAK_INT && n.range != 2);
    if (fits && hd_element_number(a, &n, element) == HD_OK)
        return 1;
    if (fits)
        hd_error_take(NULL);   /* out of range: the general way says so */
    return 0;
}

int hp_write_element(hd_array *a, int n, const int64_t *index, PyObject *value)
{
    uint64_t element[2];
    if (!plain_element(a, value, element))
        return 0;
    if (HP_UNLIKELY(hd_element_set(a, n, index, element) != HD_OK))
        return hp_raise(), -1;
    return 1;
}

/* ---- ufuncs of scalars ---------------------------------------------------------------------- */

/* By arrays of rank 0. */
static PyObject *by_arrays(hd_op op, int nin, const hd_dtype *dts, const void *const *elements)
{
    hd_array *in[2] = {NULL, NULL}, *r = NULL;
    int made = 1;
    for (int i = 0; made && i < nin; i++) {
        in[i] = dts[i] == HD_NO_DTYPE ? hd_from_number(elements[i])
                                      : hd_from_element(NULL, dts[i], elements[i]);
        made = in[i] != NULL;
    }
    if (made)
        r = nin == 1 ? hd_unary(op, in[0]) : hd_binary(op, in[0], in[1]);
    hd_release(in[0]);
    hd_release(in[1]);
    if (!made)
        return hp_raise();
    PyObject *value = r && hp_gives_scalars(r) ? hp_read_element(r, 0, NULL) : NULL;
    if (!value && !PyErr_Occurred())
        return hp_wrap(r);
    hd_release(r);
    return value;
}

PyObject *hp_of_scalars(hd_op op, int nin, PyObject *const *args)
{
    hd_dtype dts[2], dt;
    hd_number number[2];
    uint64_t element[2][2], result[2];
    const void *elements[2];
    int scalars = 0;
    for (int i = 0; i < nin; i++) {
        if (hp_exact_scalar(args[i], &dts[i], element[i])) {
            elements[i] = element[i];
            scalars++;
        } else if (hp_exact_number(args[i], &number[i]) && number[i].range != 2) {
            dts[i] = HD_NO_DTYPE;
            elements[i] = &number[i];
        } else {
            return NULL;
        }
    }
    if (scalars == 0)
        return NULL;
    if (HP_LIKELY(hd_element_op(op, nin, dts, elements, &dt, result)))
        return hp_numpy_scalar(dt, result);
    return hd_device_is_host(NULL) ? by_arrays(op, nin, dts, elements) : NULL;
}

/* ---- operands of NumPy's ufuncs -------------------------------------------------------------- */

/* numpy.ufunc -> ufunc of ours, as far as they have met; and what knows the rest, in Python. Set
 * once, when the package is imported. */
static PyObject *known_ufuncs, *general_override;

static PyObject *set_override(PyObject *module, PyObject *args)
{
    (void)module;
    if (!PyArg_ParseTuple(args, "OO", &known_ufuncs, &general_override))
        return NULL;
    Py_INCREF(known_ufuncs);
    Py_INCREF(general_override);
    return Py_NewRef(Py_None);
}

static int is_plain_operand(PyObject *o)
{
    hd_number n;
    hd_dtype dt;
    uint64_t element[2];
    return hp_check(o) || hp_exact_number(o, &n) || hp_exact_scalar(o, &dt, element);
}

/* x.__array_ufunc__(function, method, *inputs, **kwargs): numpy_scalar * x comes here. */
static PyObject *array_ufunc(PyObject *self, HP_FAST)
{
    int plain = !kwnames && nargs > 2 && known_ufuncs && PyUnicode_Check(args[1]) &&
                PyUnicode_CompareWithASCIIString(args[1], "__call__") == 0;
    for (Py_ssize_t i = 2; plain && i < nargs; i++)
        plain = is_plain_operand(args[i]);
    PyObject *ours = plain ? PyDict_GetItemWithError(known_ufuncs, args[0]) : NULL;
    if (ours)
        return hp_call_ufunc(ours, args + 2, nargs - 2);
    if (PyErr_Occurred())
        return NULL;
    PyObject *all = PyTuple_New(nargs + 1), *kwargs = kwnames ? PyDict_New() : NULL;
    for (Py_ssize_t i = 0; all && i <= nargs; i++)
        PyTuple_SetItem(all, i, Py_NewRef(i == 0 ? self : args[i - 1]));
    int status = !all || (kwnames && !kwargs) ? -1 : 0;
    for (Py_ssize_t i = 0; kwnames && i < PyTuple_Size(kwnames) && status == 0; i++)
        status = PyDict_SetItem(kwargs, PyTuple_GetItem(kwnames, i), args[nargs + i]);
    PyObject *r = status == 0 ? PyObject_Call(general_override, all, kwargs) : NULL;
    Py_XDECREF(all);
    Py_XDECREF(kwargs);
    return r;
}

PyMethodDef hp_element_methods[] = {
    HP_METHOD("__array_ufunc__", array_ufunc,
              "what a ufunc of NumPy's does with operands among which are ours"),
    {NULL, NULL, 0, NULL}};

PyMethodDef hp_element_functions[] = {{"_set_override", set_override, METH_VARARGS, NULL},
                                      {NULL, NULL, 0, NULL}};
