/* SPDX-License-Identifier: BSD-3-Clause */
/* py_sort.c - what the Python side of sorting, searching, counting and sets stands on: arguments by
 * position, arrays as arrays. The functions that users see are in the package. */
#include "py_first.h"

#include "py.h"
#include "py_element.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- few elements in a row ------------------------------------------------------------------- */

enum { FEW = 32 };

/* A row of few on the host, where results are made too: its elements, keys of the same order, and
 * after order_few() the places in that order. A record and a call of the library take five times as
 * long as to sort so few. */
typedef struct few {
    int64_t n;
    hd_dtype dt;
    uint64_t element[FEW];
    int64_t key[FEW], place[FEW];
} few;

/* float64 in the order of sort() as an integer: -0 is equal to 0, and nan comes last. */
static int64_t key_of(uint64_t bits)
{
    double f;
    memcpy(&f, &bits, sizeof f);
    if (isnan(f) || f == 0)
        return f == 0 ? 0 : INT64_MAX;
    return (int64_t)(bits >> 63 ? bits ^ INT64_MAX : bits);
}

/* 1: read; 0: x is another case; -1 with an exception. */
static int read_few(const hd_array *x, few *r)
{
    r->dt = hd_dtype_of(x);
    r->n = hd_size(x);
    if (hd_ndim(x) != 1 || r->n > FEW || (r->dt != HD_FLOAT64 && r->dt != HD_INT64) ||
        !hd_device_at_hand(hd_device_of(x)) || !hd_device_is_host(NULL))
        return 0;
    if (r->n > 0 && hd_read(x, r->element) != HD_OK)
        return hp_raise(), -1;
    for (int64_t i = 0; i < r->n; i++)
        r->key[i] = r->dt == HD_FLOAT64 ? key_of(r->element[i]) : (int64_t)r->element[i];
    return 1;
}

/* By insertion: equal ones stay as they come. */
static void order_few(few *r)
{
    for (int64_t i = 0; i < r->n; i++) {
        const int64_t key = r->key[i];
        int64_t j = i;
        for (; j > 0 && r->key[j - 1] > key; j--) {
            r->key[j] = r->key[j - 1];
            r->place[j] = r->place[j - 1];
        }
        r->key[j] = key;
        r->place[j] = i;
    }
}

static void pick_few(const few *r, uint64_t *sorted)
{
    for (int64_t i = 0; i < r->n; i++)
        sorted[i] = r->element[r->place[i]];
}

/* A sorted copy, or the places. NULL without an exception: x is another case. */
static PyObject *few_in_order(const hd_array *x, int places)
{
    few r;
    uint64_t sorted[FEW];
    if (read_few(x, &r) <= 0)
        return NULL;
    order_few(&r);
    if (!places)
        pick_few(&r, sorted);
    return hp_wrap(hd_from_data(1, &r.n, NULL, places ? HD_INT64 : r.dt,
                                places ? (const void *)r.place : sorted));
}

/* 1: x has been sorted; 0: it is another case; -1 with an exception. */
static int sort_few_in_place(hd_array *x)
{
    few r;
    uint64_t sorted[FEW];
    const int status = read_few(x, &r);
    if (status <= 0 || r.n == 0)
        return status;
    order_few(&r);
    pick_few(&r, sorted);
    return hd_write(x, sorted) == HD_OK ? 1 : (hp_raise(), -1);
}

/* ---- calls of the library -------------------------------------------------------------------- */

static int check_call(const char *name, Py_ssize_t nargs, Py_ssize_t wanted, PyObject *array)
{
    if (nargs == wanted && hp_check(array))
        return 0;
    PyErr_Format(PyExc_TypeError, "%s: an array and %zd arguments expected", name, wanted - 1);
    return -1;
}

static int axis_of(PyObject *o, int *axis)
{
    *axis = HD_FLAT;
    return o == Py_None ? 0 : hp_int(o, axis);
}

typedef hd_array *(*sorter)(const hd_array *x, int axis, int descending);

static PyObject *sort_by(const char *name, sorter f, PyObject *const *args, Py_ssize_t nargs)
{
    int axis, down = 0;
    if (check_call(name, nargs, 3, nargs > 0 ? args[0] : NULL) < 0 ||
        axis_of(args[1], &axis) < 0 || hp_true(args[2], &down) < 0)
        return NULL;
    PyObject *r = !down && (axis == -1 || axis == 0 || axis == HD_FLAT)
                      ? few_in_order(hp_a(args[0]), f == hd_argsort)
                      : NULL;
    return r || PyErr_Occurred() ? r : hp_wrap(f(hp_a(args[0]), axis, down));
}

static PyObject *function_sort(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    (void)module;
    return sort_by("_sort", hd_sort, args, nargs);
}

static PyObject *function_argsort(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    (void)module;
    return sort_by("_argsort", hd_argsort, args, nargs);
}

/* x.sort(): along the last axis, ascending. Of few it happens where they lie. */
PyObject *hp_first_sort(HP_FAST)
{
    if (nargs != 1 || kwnames || !hp_exact(args[0]))
        return NULL;
    hd_array *x = hp_a(args[0]);
    if (!hd_is_writeable(x) || hp_overlaps_itself(x))
        return NULL;
    const int done = sort_few_in_place(x);
    if (done != 0)
        return done > 0 ? Py_NewRef(Py_None) : NULL;
    hd_array *sorted = hd_sort(x, -1, 0);
    const hd_status st = sorted ? hd_assign(x, sorted, HD_CAST_UNSAFE) : HD_NOMEM;
    hd_release(sorted);
    return st == HD_OK ? Py_NewRef(Py_None) : hp_raise();
}

/* How many elements of an ascending row come before x: nan is the largest, as NumPy has it. */
static int64_t count_below(int64_t n, const double *row, double x)
{
    int64_t from = 0, to = n;
    while (from < to) {
        const int64_t at = from + (to - from) / 2;
        if (row[at] < x || (isnan(x) && !isnan(row[at])))
            from = at + 1;
        else
            to = at;
    }
    return from;
}

/* searchsorted(table, v) of a row of few float64 and a number, or of two rows. */
PyObject *hp_first_searchsorted(HP_FAST)
{
    double row[HP_FEW];
    hd_number v;
    if (nargs != 2 || kwnames || !hp_exact(args[0]) || hd_ndim(hp_a(args[0])) != 1)
        return NULL;
    if (hp_exact(args[1]))
        return hd_ndim(hp_a(args[1])) == 1
                   ? hp_wrap(hd_searchsorted(hp_a(args[0]), hp_a(args[1]), 0))
                   : NULL;
    const int64_t n = hp_plain_real(args[1], &v) ? hp_read_few(args[0], HD_FLOAT64, row) : -1;
    if (n < 0)
        return NULL;
    const int64_t place = count_below(n, row, v.re);
    return hp_wrap(hd_from_element(NULL, HD_INT64, &place));
}

typedef hd_array *(*partitioner)(const hd_array *x, int n, const int64_t *kth, int axis);

static PyObject *partition_by(const char *name, partitioner f, PyObject *const *args,
                              Py_ssize_t nargs)
{
    int axis;
    if (check_call(name, nargs, 3, nargs > 0 ? args[0] : NULL) < 0 ||
        axis_of(args[2], &axis) < 0)
        return NULL;
    const Py_ssize_t n = PyTuple_Size(args[1]);
    int64_t *kth = n >= 0 ? malloc(sizeof *kth * (size_t)(n + 1)) : NULL;
    if (!kth)
        return n < 0 ? NULL : PyErr_NoMemory();
    PyObject *r = NULL;
    Py_ssize_t i = 0;
    while (i < n && hp_int64(PyTuple_GetItem(args[1], i), kth + i) == 0)
        i++;
    if (i == n)
        r = hp_wrap(f(hp_a(args[0]), (int)n, kth, axis));
    free(kth);
    return r;
}

static PyObject *function_partition(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    (void)module;
    return partition_by("_partition", hd_partition, args, nargs);
}

static PyObject *function_argpartition(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    (void)module;
    return partition_by("_argpartition", hd_argpartition, args, nargs);
}

static PyObject *function_searchsorted(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    (void)module;
    int right = 0;
    if (check_call("_searchsorted", nargs, 3, nargs > 0 ? args[0] : NULL) < 0 ||
        check_call("_searchsorted", nargs, 3, args[1]) < 0 || hp_true(args[2], &right) < 0)
        return NULL;
    return hp_wrap(hd_searchsorted(hp_a(args[0]), hp_a(args[1]), right));
}

static PyObject *function_bincount(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    (void)module;
    int64_t minlength;
    if (check_call("_bincount", nargs, 3, nargs > 0 ? args[0] : NULL) < 0 ||
        (args[1] != Py_None && check_call("_bincount", nargs, 3, args[1]) < 0) ||
        hp_int64(args[2], &minlength) < 0)
        return NULL;
    return hp_wrap(hd_bincount(hp_a(args[0]), args[1] != Py_None ? hp_a(args[1]) : NULL,
                               minlength));
}

static PyObject *function_histogram(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    (void)module;
    int equal = 0;
    if (check_call("_histogram", nargs, 3, nargs > 0 ? args[0] : NULL) < 0 ||
        check_call("_histogram", nargs, 3, args[1]) < 0 || hp_true(args[2], &equal) < 0)
        return NULL;
    return hp_wrap(hd_histogram(hp_a(args[0]), hp_a(args[1]), equal));
}

static PyObject *function_unique(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    (void)module;
    int wanted[4] = {0, 0, 0, 0};   /* equal_nan, index, inverse, counts */
    hd_array *out[4] = {NULL, NULL, NULL, NULL};
    if (check_call("_unique", nargs, 5, nargs > 0 ? args[0] : NULL) < 0)
        return NULL;
    for (int k = 0; k < 4; k++)
        if (hp_true(args[k + 1], wanted + k) < 0)
            return NULL;
    if (hd_unique(hp_a(args[0]), wanted[0], out, wanted[1] ? out + 1 : NULL,
                  wanted[2] ? out + 2 : NULL, wanted[3] ? out + 3 : NULL) != HD_OK)
        return hp_raise();
    PyObject *result = PyTuple_New(4);
    for (int k = 0; k < 4; k++) {
        PyObject *o = out[k] ? hp_wrap(out[k]) : Py_NewRef(Py_None);
        if (!result)
            Py_XDECREF(o);
        else if (!o || PyTuple_SetItem(result, k, o) < 0)
            Py_CLEAR(result);
    }
    return result;
}

#define ROW(name, doc) {"_" #name, (PyCFunction)(void (*)(void))function_##name, METH_FASTCALL, doc}
PyMethodDef hp_sort_functions[] = {
    ROW(sort, "_sort(x, axis, descending)"),
    ROW(argsort, "_argsort(x, axis, descending)"),
    ROW(partition, "_partition(x, ranks, axis)"),
    ROW(argpartition, "_argpartition(x, ranks, axis)"),
    ROW(searchsorted, "_searchsorted(table, values, right)"),
    ROW(bincount, "_bincount(x, weights, minlength)"),
    ROW(histogram, "_histogram(x, edges, equal)"),
    ROW(unique, "_unique(x, equal_nan, index, inverse, counts): (values, index, inverse, counts)"),
    {NULL, NULL, 0, NULL}};
