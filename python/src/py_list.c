/* SPDX-License-Identifier: BSD-3-Clause */
/* py_list.c - lists and tuples of plain numbers, and lists of such lists, to arrays without NumPy's
 * help: Python's floats and ints, and what elements are read as. The rest is NumPy's to convert.
 * And arrays to lists. */
#include "py_element.h"

#include <stdlib.h>
#include <string.h>

/* Numbers on the way to an array: all int64 until the first real one. */
typedef struct numbers {
    int64_t n;
    int real;                      /* they are doubles */
    union { int64_t i; double f; } *at;
} numbers;

static void make_real(numbers *to)
{
    for (int64_t i = 0; i < to->n; i++)
        to->at[i].f = (double)to->at[i].i;
    to->real = 1;
}

static void add_real(numbers *to, double value)
{
    if (!to->real)
        make_real(to);
    to->at[to->n++].f = value;
}

static void add_int(numbers *to, int64_t value)
{
    if (to->real)
        to->at[to->n++].f = (double)value;
    else
        to->at[to->n++].i = value;
}

/* 0: an object that is none of those. */
static int add(numbers *to, PyObject *o)
{
    hd_number n;
    hd_dtype dt;
    union { uint64_t word[2]; int64_t i; double f; } element;
    if (hp_exact_number(o, &n)) {
        if (n.kind == HD_WEAK_FLOAT)
            return add_real(to, n.re), 1;
        return n.kind == HD_WEAK_INT && n.range == 0 ? (add_int(to, n.as.i), 1) : 0;
    }
    if (hp_exact(o)) {
        if (hd_device_of(hp_a(o)) != hd_device_current() || !hd_value_known(hp_a(o), &element))
            return 0;
        dt = hd_dtype_of(hp_a(o));
    } else if (!hp_exact_scalar(o, &dt, &element)) {
        return 0;
    }
    if (dt == HD_FLOAT64)
        return add_real(to, element.f), 1;
    return dt == HD_INT64 ? (add_int(to, element.i), 1) : 0;
}

static Py_ssize_t length(PyObject *o)
{
    return PyList_CheckExact(o) ? PyList_Size(o) : PyTuple_CheckExact(o) ? PyTuple_Size(o) : -1;
}

static PyObject *item(PyObject *o, Py_ssize_t i)
{
    return PyList_CheckExact(o) ? PyList_GetItem(o, i) : PyTuple_GetItem(o, i);
}

static int add_all(numbers *to, PyObject *o, Py_ssize_t n)
{
    int plain = 1;
    for (Py_ssize_t i = 0; plain && i < n; i++)
        plain = add(to, item(o, i));
    return plain;
}

/* The shape of o, of one or two axes; 0 if it has another, or no elements. */
static int shape_of(PyObject *o, int64_t shape[2])
{
    Py_ssize_t rows = length(o), columns;
    if (rows <= 0)
        return 0;
    shape[0] = rows;
    if ((columns = length(item(o, 0))) < 0)
        return 1;
    for (Py_ssize_t i = 1; i < rows; i++)
        if (length(item(o, i)) != columns)
            return 0;
    shape[1] = columns;
    return columns > 0 ? 2 : 0;
}

/* A row of NumPy's scalars of one dtype; NULL, maybe with an exception: it is something else. */
static hd_array *from_scalars(PyObject *o, int64_t n)
{
    hd_dtype dt, other;
    uint64_t element[2];
    if (!hp_exact_scalar(item(o, 0), &dt, element))
        return NULL;
    const int64_t size = hd_dtype_size(dt);
    char *all = malloc((size_t)(n * size));
    int64_t i = 0;
    for (; all && i < n && hp_exact_scalar(item(o, (Py_ssize_t)i), &other, element); i++) {
        if (other != dt)
            break;
        memcpy(all + i * size, element, (size_t)size);
    }
    hd_array *a = all && i == n ? hd_from_data(1, &n, NULL, dt, all) : NULL;
    if (all && i == n && !a)
        hp_raise();
    free(all);
    return a;
}

hd_array *hp_from_list(PyObject *o, hd_dtype dt)
{
    int64_t shape[2] = {0, 1};
    int nd = shape_of(o, shape), plain = nd > 0;
    hd_array *scalars = nd == 1 && dt == HD_NO_DTYPE ? from_scalars(o, shape[0]) : NULL;
    if (scalars || PyErr_Occurred())
        return scalars;
    if (!plain || (dt != HD_NO_DTYPE && dt != HD_FLOAT64 && dt != HD_INT64))
        return NULL;
    numbers to = {.real = dt == HD_FLOAT64};
    to.at = malloc(sizeof *to.at * (size_t)(shape[0] * shape[1]));
    plain = to.at != NULL;
    if (nd == 1)
        plain = plain && add_all(&to, o, shape[0]);
    else
        for (Py_ssize_t i = 0; plain && i < shape[0]; i++)
            plain = add_all(&to, item(o, i), shape[1]);
    plain = plain && !(dt == HD_INT64 && to.real);
    hd_array *a = plain ? hd_from_data(nd, shape, NULL, to.real ? HD_FLOAT64 : HD_INT64, to.at)
                        : NULL;
    free(to.at);
    if (plain && !a)
        hp_raise();
    return a;
}

/* ---- and back -------------------------------------------------------------------------------- */

char *hp_read_all(const hd_array *a)
{
    char *data = malloc((size_t)hd_nbytes(a) + 1);
    if (!data) {
        PyErr_NoMemory();
        return NULL;
    }
    if (hd_read(a, data) == HD_OK)
        return data;
    free(data);
    hp_raise();
    return NULL;
}

static inline PyObject *real_value(const char *data)
{
    double f;
    memcpy(&f, data, sizeof f);
    return PyFloat_FromDouble(f);
}

/* n elements as a list. */
static PyObject *line_list(hd_dtype dt, int64_t n, const char **data)
{
    const int size = hd_dtype_size(dt);
    PyObject *list = PyList_New((Py_ssize_t)n);
    for (int64_t i = 0; list && i < n; i++, *data += size) {
        PyObject *item = HP_LIKELY(dt == HD_FLOAT64) ? real_value(*data)
                                                     : hp_python_value(dt, *data);
        if (!item || PyList_SetItem(list, (Py_ssize_t)i, item) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *nested_list(hd_dtype dt, int nd, const int64_t *shape, const char **data)
{
    if (nd == 1)
        return line_list(dt, shape[0], data);
    PyObject *list = PyList_New((Py_ssize_t)shape[0]);
    for (int64_t i = 0; list && i < shape[0]; i++) {
        PyObject *item = nested_list(dt, nd - 1, shape + 1, data);
        if (!item || PyList_SetItem(list, (Py_ssize_t)i, item) < 0)
            Py_CLEAR(list);
    }
    return list;
}

PyObject *hp_tolist(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    const hd_array *a = hp_a(self);
    const hd_dtype dt = hd_dtype_of(a);
    uint64_t few[64];
    const int fits = hd_nbytes(a) <= (int64_t)sizeof few;
    char *data = fits ? (char *)few : hp_read_all(a);
    const char *at = data;
    PyObject *list = NULL;
    if (fits && hd_read(a, data) != HD_OK)
        return hp_raise();
    if (data)
        list = hd_ndim(a) == 0 ? hp_python_value(dt, at)
                               : nested_list(dt, hd_ndim(a), hd_shape(a), &at);
    if (!fits)
        free(data);
    return list;
}
