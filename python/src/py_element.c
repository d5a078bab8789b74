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
static int scalars_follow_head;   /* is a scalar's element what follows its head? */

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

/* Does a scalar of dt keep its element where hp_held() says? */
static int follows_head(hd_dtype dt)
{
    uint64_t element[2] = {1, 1};
    PyObject *d = hp_dtype_object(dt), *scalar = d ? make_scalar(element, d, NULL) : NULL;
    int same = scalar && !memcmp(hp_held(scalar), element, (size_t)hd_dtype_size(dt));
    Py_XDECREF(d);
    Py_XDECREF(scalar);
    PyErr_Clear();
    return same;
}

static int open_numpy(void)
{
    void **api = numpy_api();
    if (!api)
        return -1;
    memcpy(&make_scalar, &api[API_SCALAR], sizeof make_scalar);
    memcpy(&read_scalar, &api[API_SCALAR_AS_CTYPE], sizeof read_scalar);
    int follow = 1;
    for (int dt = HD_BOOL; dt < HD_DTYPE_COUNT; dt++)
        if (dt != HD_BFLOAT16)   /* its type is ml_dtypes', which may be missing */
            follow &= scalar_type((hd_dtype)dt) != NULL && follows_head((hd_dtype)dt);
    scalars_follow_head = follow;
    return follow ? hp_make_scalar_types((PyTypeObject *const *)scalar_types) : 0;
}

PyObject *hp_numpy_scalar(hd_dtype dt, const void *element)
{
    if (HP_UNLIKELY(!make_scalar) && open_numpy() < 0)
        return NULL;
    PyObject *scalar = hp_new_scalar(dt, element);
    if (HP_LIKELY(scalar) || PyErr_Occurred())
        return scalar;
    PyObject *d = hp_dtype_object(dt);
    if (!d)
        return NULL;
    scalar = make_scalar((void *)(uintptr_t)element, d, NULL);
    Py_DECREF(d);
    return scalar;
}

int hp_exact_scalar(PyObject *o, hd_dtype *dt, void *element)
{
    PyObject *type = (PyObject *)Py_TYPE(o);
    if (HP_UNLIKELY(!read_scalar) && (!hp_is_numpy_scalar(o) || open_numpy() < 0))
        return PyErr_Clear(), 0;
    if (HP_LIKELY(hp_own_scalar(o, dt))) {
        memcpy(element, hp_held(o), (size_t)hd_dtype_size(*dt));
        return 1;
    }
    for (int i = HD_DTYPE_COUNT - 1; i >= HD_BOOL; i--)
        if (type == scalar_types[i] && i != HD_BFLOAT16) {
            *dt = (hd_dtype)i;
            if (HP_LIKELY(scalars_follow_head))
                memcpy(element, hp_held(o), (size_t)hd_dtype_size(*dt));
            else
                read_scalar(o, element);
            return 1;
        }
    return 0;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Are elements arrays of rank 0 on every device (heddle.config.scalars == "array")? */
static int arrays_everywhere;

int hp_gives_scalars(const hd_array *a)
{
    return hd_device_at_hand(hd_device_of(a)) && !arrays_everywhere &&
           hd_dtype_of(a) != HD_BFLOAT16;
}

/* An int of Python's, an int64 of NumPy's or a known value of ours as a position. */
static inline int plain_position(PyObject *o, int64_t *position)
{
    int overflow = 0;
    if (HP_LIKELY(PyLong_CheckExact(o))) {
        *position = PyLong_AsLongLongAndOverflow(o, &overflow);
        return !overflow;
    }
    hd_dtype dt = HD_NO_DTYPE;
    if (PySlice_Check(o))
        return 0;
    if (hp_check(o))
        return hd_dtype_of(hp_a(o)) == HD_INT64 && hd_value_known(hp_a(o), position);
    const int numpys = (PyObject *)Py_TYPE(o) == scalar_types[HD_INT64] && scalars_follow_head;
    if (hp_own_scalar(o, &dt) ? dt != HD_INT64 : !numpys)
        return 0;
    memcpy(position, hp_held(o), sizeof *position);
    return 1;
}

int hp_plain_key(PyObject *key, int nd, int64_t *index)
{
    if (!PyTuple_CheckExact(key))
        return nd == 1 && plain_position(key, index);
    if (PyTuple_Size(key) != nd || nd > HP_PLAIN_AXES)
        return 0;
    for (int i = 0; i < nd; i++)
        if (!plain_position(PyTuple_GetItem(key, i), &index[i]))
            return 0;
    return nd > 0;
}

PyObject *hp_read_element(const hd_array *a, int n, const int64_t *index)
{
    uint64_t element[2];
    if (HP_UNLIKELY(hd_element_get(a, n, index, element) != HD_OK))
        return hp_raise();
    return hp_numpy_scalar(hd_dtype_of(a), element);
}

int hp_has_scalars(void) { return make_scalar != NULL; }

PyObject *hp_value_of(PyObject *array)
{
    uint64_t element[2];
    if (hd_read(hp_a(array), element) != HD_OK)
        return hp_raise();
    return hp_numpy_scalar(hd_dtype_of(hp_a(array)), element);
}

int hp_numpy_scalars;

PyObject *hp_as_value(hd_array *a)
{
    if (hd_dtype_of(a) == HD_BFLOAT16)   /* NumPy has no such scalar */
        return hp_wrap_array(a);
    PyObject *value = hp_read_element(a, 0, NULL);
    hd_release(a);
    return value;
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

int hp_real_number(PyObject *o, hd_number *n)
{
    hd_dtype dt;
    union { uint64_t word[2]; int64_t i; double f; } element;
    if (hp_exact_number(o, n))
        return 1;
    if (hp_check(o) && hd_value_known(hp_a(o), &element))
        dt = hd_dtype_of(hp_a(o));
    else if (!hp_exact_scalar(o, &dt, &element))
        return 0;
    if (dt == HD_FLOAT64)
        *n = (hd_number){.kind = HD_WEAK_FLOAT, .re = element.f};
    else if (dt == HD_INT64)
        *n = (hd_number){.kind = HD_WEAK_INT, .as.i = element.i, .re = (double)element.i};
    return dt == HD_FLOAT64 || dt == HD_INT64;
}

int hp_plain_real(PyObject *o, hd_number *n)
{
    return hp_real_number(o, n) && n->range == 0 &&
           (n->kind == HD_WEAK_FLOAT || n->kind == HD_WEAK_INT);
}

int hp_signed_number(hd_dtype dt, PyObject *value, hd_number *n)
{
    hd_dtype own;
    uint64_t element[2];
    return hd_dtype_kind(dt) == 'i' && hp_exact_scalar(value, &own, element) &&
           scalar_number(own, element, n);
}

/* Python's floats in float64 and ints in int64, which are most of what is stored. */
static inline int same_element(hd_dtype dt, PyObject *value, void *element)
{
    if (dt == HD_FLOAT64 && PyFloat_CheckExact(value)) {
        const double f = PyFloat_AsDouble(value);
        memcpy(element, &f, sizeof f);
        return 1;
    }
    int overflow = 1;
    if (dt == HD_INT64 && PyLong_CheckExact(value)) {
        const int64_t i = PyLong_AsLongLongAndOverflow(value, &overflow);
        memcpy(element, &i, sizeof i);
    }
    return !overflow;
}

/* A Python or NumPy number that x's dtype takes as it is, as one of its elements. 0: it is for the
 * general way to convert, or to refuse. */
static int plain_element(const hd_array *a, PyObject *value, void *element)
{
    hd_number n;
    hd_dtype dt = hd_dtype_of(a), own;
    if (HP_LIKELY(same_element(dt, value, element)))
        return 1;
    char kind = hd_dtype_kind(dt);
    uint64_t own_element[2];
    int python = hp_exact_number(value, &n);
    if (!python) {
        if (hp_check(value) && hd_value_known(hp_a(value), own_element))
            own = hd_dtype_of(hp_a(value));
        else if (!hp_exact_scalar(value, &own, own_element))
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

hd_array *hp_plain_value(const hd_array *a, PyObject *value)
{
    uint64_t element[2];
    if (!plain_element(a, value, element))
        return NULL;
    hd_array *r = hd_from_element(hd_device_of(a), hd_dtype_of(a), element);
    return r ? r : (hp_raise(), NULL);
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

int hp_write_row(hd_array *a, int n, int64_t *index, PyObject *values)
{
    uint64_t element[HP_SHORT_ROW][2];
    const int tuple = PyTuple_CheckExact(values);
    if (!tuple && !PyList_CheckExact(values))
        return 0;
    const Py_ssize_t count = tuple ? PyTuple_Size(values) : PyList_Size(values);
    if (count == 0 || count > HP_SHORT_ROW || count != hd_shape(a)[n - 1])
        return 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *value = tuple ? PyTuple_GetItem(values, i) : PyList_GetItem(values, i);
        if (!value || !plain_element(a, value, element[i]))
            return 0;
    }
    for (index[n - 1] = 0; index[n - 1] < count; index[n - 1]++)
        if (hd_element_set(a, n, index, element[index[n - 1]]) != HD_OK)
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

/* A number as an element of the dtype that it has alone. 0: it has none of its own. */
static inline int own_element(const hd_number *n, hd_dtype *dt, uint64_t element[2])
{
    static const hd_dtype own[] = {HD_BOOL, HD_INT64, HD_FLOAT64, HD_COMPLEX128};
    const double complex[2] = {n->re, n->im};
    *dt = own[n->kind];
    if (n->kind == HD_WEAK_INT)
        memcpy(element, &n->as.i, sizeof n->as.i);
    else if (n->kind == HD_WEAK_BOOL)
        memcpy(element, &(uint8_t){n->as.i != 0}, 1);
    else
        memcpy(element, complex, sizeof complex);
    return n->range == 0;
}

/* The operation on Python's numbers alone: as of NumPy's scalars, and on a GPU a value that is an
 * array, as other functions give there; so it is before NumPy is loaded, which this does not do. */
static PyObject *of_numbers(hd_op op, int nin, const hd_number *number)
{
    uint64_t element[2][2], result[2];
    const void *elements[2] = {element[0], element[1]};
    hd_dtype dts[2], dt;
    for (int i = 0; i < nin; i++)
        if (!own_element(&number[i], &dts[i], element[i]))
            return NULL;
    if (!hd_element_op(op, nin, dts, elements, &dt, result))
        return NULL;
    return make_scalar && hd_device_is_host(NULL) ? hp_numpy_scalar(dt, result)
                                                  : hp_wrap(hd_from_element(NULL, dt, result));
}

PyObject *hp_of_scalars(hd_op op, int nin, PyObject *const *args)
{
    hd_dtype dts[2], dt;
    hd_number number[2];
    uint64_t element[2][2], result[2];
    const void *elements[2];
    int scalars = 0;
    for (int i = 0; i < nin; i++) {
        if (hp_exact_number(args[i], &number[i]) && number[i].range != 2) {
            dts[i] = HD_NO_DTYPE;
            elements[i] = &number[i];
        } else if (hp_exact_scalar(args[i], &dts[i], element[i])) {
            elements[i] = element[i];
            scalars++;
        } else {
            return NULL;
        }
    }
    if (scalars == 0)
        return of_numbers(op, nin, number);
    if (HP_LIKELY(hd_element_op(op, nin, dts, elements, &dt, result)))
        return hp_numpy_scalar(dt, result);
    return hd_device_is_host(NULL) ? by_arrays(op, nin, dts, elements) : NULL;
}

/* ---- operands of NumPy's ufuncs -------------------------------------------------------------- */

/* numpy.ufunc -> ufunc of ours, as far as they have met; and what knows the rest, in Python. Set
 * once, when the package is imported. */
static PyObject *known_ufuncs, *general_override;
enum { HP_PLAIN_OPERANDS = 3 };

/* _set_scalars(results, elements): which of them are NumPy's scalars. NumPy is imported here, not
 * by the first result: that may be amid a fork() of another thread. */
static PyObject *set_scalars(PyObject *module, PyObject *args)
{
    (void)module;
    int results, elements;
    if (!PyArg_ParseTuple(args, "pp", &results, &elements) ||
        (results && !make_scalar && (!hp_numpy() || open_numpy() < 0)))
        return NULL;
    hp_numpy_scalars = results;
    arrays_everywhere = !elements;
    return Py_NewRef(Py_None);
}

static PyObject *set_override(PyObject *module, PyObject *args)
{
    (void)module;
    if (!PyArg_ParseTuple(args, "OO", &known_ufuncs, &general_override))
        return NULL;
    Py_INCREF(known_ufuncs);
    Py_INCREF(general_override);
    return Py_NewRef(Py_None);
}

/* An operand that needs no conversion in Python, owned: an array of ours, a number, one of NumPy's
 * scalars; for an array of NumPy's of rank 0 its scalar (numpy_scalar < x asks with one). NULL,
 * maybe with an exception: it is something else. */
static PyObject *plain_operand(PyObject *o)
{
    hd_number n;
    hd_dtype dt;
    uint64_t element[2];
    if (hp_check(o) || hp_exact_number(o, &n) || hp_exact_scalar(o, &dt, element))
        return Py_NewRef(o);
    if (!hp_is_numpy_array(o) || PyObject_Size(o) >= 0)
        return NULL;
    PyErr_Clear();   /* rank 0: it has no length */
    PyObject *key = PyTuple_New(0), *scalar = key ? PyObject_GetItem(o, key) : NULL;
    Py_XDECREF(key);
    if (scalar && !hp_exact_scalar(scalar, &dt, element))
        Py_CLEAR(scalar);
    return scalar;
}

/* ours(*operands), where all of them are plain; NULL without an exception: one is not. */
static PyObject *call_plain(PyObject *ours, PyObject *const *operands, Py_ssize_t n)
{
    PyObject *plain[HP_PLAIN_OPERANDS], *r = NULL;
    Py_ssize_t k = 0;
    while (k < n && (plain[k] = plain_operand(operands[k])) != NULL)
        k++;
    if (k == n)
        r = hp_call_ufunc(ours, plain, n);
    while (k > 0)
        Py_DECREF(plain[--k]);
    return r;
}

/* x.__array_ufunc__(function, method, *inputs, **kwargs): numpy_scalar * x comes here. */
static PyObject *array_ufunc(PyObject *self, HP_FAST)
{
    if (HP_UNLIKELY(hp_subclasses) &&
        hp_has_own_ufunc(args, nargs + (kwnames ? PyTuple_Size(kwnames) : 0)))
        return Py_NewRef(Py_NotImplemented);
    int plain = !kwnames && nargs > 2 && nargs <= 2 + HP_PLAIN_OPERANDS && known_ufuncs &&
                PyUnicode_Check(args[1]) &&
                PyUnicode_CompareWithASCIIString(args[1], "__call__") == 0;
    PyObject *ours = plain ? PyDict_GetItemWithError(known_ufuncs, args[0]) : NULL;
    PyObject *done = ours ? call_plain(ours, args + 2, nargs - 2) : NULL;
    if (done || PyErr_Occurred())
        return done;
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

/* _value_of(x): the element of an array of rank 0 as a NumPy scalar. */
static PyObject *value_of(PyObject *module, PyObject *o)
{
    (void)module;
    if (hp_check(o) && hd_ndim(hp_a(o)) == 0)
        return hp_value_of(o);
    PyErr_SetString(PyExc_TypeError, "_value_of: an array of rank 0 expected");
    return NULL;
}

PyMethodDef hp_element_functions[] = {{"_value_of", value_of, METH_O, NULL},
                                      {"_set_override", set_override, METH_VARARGS, NULL},
                                      {"_set_scalars", set_scalars, METH_VARARGS, NULL},
                                      {NULL, NULL, 0, NULL}};
