/* SPDX-License-Identifier: BSD-3-Clause */
/* py_few.c - functions of few elements that are the host's: read, computed here, and made into an
 * array. They give the bits of the Python functions of these names, which do all else and raise
 * what is to be raised: NULL from hp_first_...(), which are tried first, or None from _few_...(),
 * which those functions call, says that this is a case for them. */
#include "py_first.h"

#include "py_element.h"

#include <math.h>
#include <string.h>

enum { FEW = HP_FEW };

static PyObject *not_here(void) { return Py_NewRef(Py_None); }

/* Are x's elements few, on the host, where results are made too, and of dt (HD_NO_DTYPE: of
 * any)? */
static int are_few(const hd_array *x, hd_dtype dt)
{
    return hd_size(x) <= FEW && (dt == HD_NO_DTYPE || hd_dtype_of(x) == dt) &&
           hd_device_at_hand(hd_device_of(x)) && hd_device_is_host(NULL);
}

int64_t hp_read_few(PyObject *o, hd_dtype dt, void *to)
{
    if (!hp_exact(o) || !are_few(hp_a(o), dt))
        return -1;
    if (hd_read(hp_a(o), to) != HD_OK)
        return hp_raise(), -1;
    return hd_size(hp_a(o));
}

static PyObject *or_not_here(PyObject *r)
{
    return r || PyErr_Occurred() ? r : not_here();
}

/* A row of n. */
static PyObject *row(int64_t n, hd_dtype dt, const void *data)
{
    return hp_wrap(hd_from_data(1, &n, NULL, dt, data));
}

/* ---- counting -------------------------------------------------------------------------------- */

/* The elements of a row of integers: how many, or -1, as hp_read_few(). */
static int64_t read_integers(PyObject *o, int64_t *to)
{
    const hd_dtype dt = hp_exact(o) ? hd_dtype_of(hp_a(o)) : HD_NO_DTYPE;
    if (dt == HD_INT64)
        return hd_ndim(hp_a(o)) == 1 ? hp_read_few(o, dt, to) : -1;
    uint8_t bytes[FEW];
    const int64_t n = dt == HD_UINT8 && hd_ndim(hp_a(o)) == 1 ? hp_read_few(o, dt, bytes) : -1;
    for (int64_t i = 0; i < n; i++)
        to[i] = bytes[i];
    return n;
}

/* bincount(x), bincount(x, minlength=n): of bins that are few. */
PyObject *hp_first_bincount(HP_FAST)
{
    int64_t x[FEW], count[FEW], bins = 0;
    if (nargs != 1 || (kwnames && !hp_is_only(kwnames, "minlength")) ||
        (kwnames && !PyLong_CheckExact(args[1])))
        return NULL;
    if (kwnames && (hp_int64(args[1], &bins) < 0 || bins < 0 || bins > FEW)) {
        PyErr_Clear();
        return NULL;
    }
    const int64_t n = read_integers(args[0], x);
    if (n < 0)
        return NULL;
    for (int64_t i = 0; i < n; i++) {
        if (x[i] < 0 || x[i] >= FEW)
            return NULL;
        bins = x[i] >= bins ? x[i] + 1 : bins;
    }
    memset(count, 0, sizeof *count * (size_t)bins);
    for (int64_t i = 0; i < n; i++)
        count[x[i]]++;
    return row(bins, HD_INT64, count);
}

/* count_nonzero(a). */
PyObject *hp_first_count_nonzero(HP_FAST)
{
    PyObject *o = nargs == 1 && !kwnames ? args[0] : NULL;
    union { uint8_t bytes[FEW]; int64_t ints[FEW]; double reals[FEW]; } to;
    const hd_dtype dt = o && hp_exact(o) ? hd_dtype_of(hp_a(o)) : HD_NO_DTYPE;
    if (dt != HD_BOOL && dt != HD_INT64 && dt != HD_FLOAT64 && dt != HD_UINT8)
        return NULL;
    const int64_t n = hp_read_few(o, dt, &to);
    if (n < 0)
        return NULL;
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++)
        count += dt == HD_INT64 ? to.ints[i] != 0 : dt == HD_FLOAT64 ? to.reals[i] != 0
                                                                     : to.bytes[i] != 0;
    return hp_wrap(hd_from_element(NULL, HD_INT64, &count));
}

/* ---- bits ------------------------------------------------------------------------------------ */

/* _few_packed(a, little): packbits() of a row of bools or bytes. */
static PyObject *few_packed(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    uint8_t from[FEW], to[FEW / 8] = {0};
    (void)module;
    const int row_of = nargs == 2 && hp_exact(args[0]) && hd_ndim(hp_a(args[0])) == 1;
    const hd_dtype dt = row_of ? hd_dtype_of(hp_a(args[0])) : HD_NO_DTYPE;
    const int little = nargs == 2 && args[1] == Py_True;
    const int64_t n = dt == HD_BOOL || dt == HD_UINT8 ? hp_read_few(args[0], dt, from) : -1;
    if (n < 0)
        return or_not_here(NULL);
    for (int64_t i = 0; i < n; i++)
        to[i / 8] |= (uint8_t)((from[i] != 0) << (little ? i % 8 : 7 - i % 8));
    return row((n + 7) / 8, HD_UINT8, to);
}

/* _few_unpacked(a, little): unpackbits() of a row, all bits. */
static PyObject *few_unpacked(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    uint8_t from[FEW], to[FEW];
    (void)module;
    const int row_of = nargs == 2 && hp_exact(args[0]) && hd_ndim(hp_a(args[0])) == 1 &&
                       hd_size(hp_a(args[0])) <= FEW / 8;
    const int little = nargs == 2 && args[1] == Py_True;
    const int64_t n = row_of ? hp_read_few(args[0], HD_UINT8, from) : -1;
    if (n < 0)
        return or_not_here(NULL);
    for (int64_t i = 0; i < 8 * n; i++)
        to[i] = from[i / 8] >> (little ? i % 8 : 7 - i % 8) & 1;
    return row(8 * n, HD_UINT8, to);
}

/* ---- positions ------------------------------------------------------------------------------- */

/* A row of counts: 0 as often as the first says, then 1 and so on. How many, if all in all few, or
 * -1, as hp_read_few(). */
static int64_t repeated(PyObject *o, int64_t *places)
{
    int64_t counts[FEW], n = 0;
    const int row_of = hp_exact(o) && hd_ndim(hp_a(o)) == 1;
    const int64_t given = row_of ? hp_read_few(o, HD_INT64, counts) : -1;
    for (int64_t i = 0; i < given; i++) {
        if (counts[i] < 0 || counts[i] > FEW - n)
            return -1;
        for (int64_t k = 0; k < counts[i]; k++)
            places[n++] = i;
    }
    return given < 0 ? -1 : n;
}

/* _few_repeated(counts): positions. */
static PyObject *few_repeated(PyObject *module, PyObject *o)
{
    int64_t places[FEW];
    (void)module;
    const int64_t n = repeated(o, places);
    return n < 0 ? or_not_here(NULL) : row(n, HD_INT64, places);
}

/* _few_repeat(a, counts): repeat() of a row, a count for each. */
static PyObject *few_repeat(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    int64_t places[FEW];
    (void)module;
    if (nargs != 2 || !hp_exact(args[0]) || !hp_exact(args[1]) || hd_ndim(hp_a(args[0])) != 1 ||
        hd_size(hp_a(args[0])) == 1 || hd_size(hp_a(args[0])) != hd_size(hp_a(args[1])) ||
        !are_few(hp_a(args[0]), HD_NO_DTYPE))
        return not_here();
    const int64_t n = repeated(args[1], places);
    if (n < 0)
        return or_not_here(NULL);
    hd_array *index = hd_from_data(1, &n, NULL, HD_INT64, places);
    hd_array *r = index ? hd_take(hp_a(args[0]), 1, (const hd_array *const *)&index) : NULL;
    hd_release(index);
    return hp_wrap(r);
}

/* A tuple of extents, none negative, and the size of that shape: the number of axes; -1: it is
 * another case. */
static int extents_of(PyObject *o, int64_t *shape, int64_t *size)
{
    const Py_ssize_t nd = PyTuple_CheckExact(o) ? PyTuple_Size(o) : -1;
    *size = 1;
    if (nd < 1 || nd > HD_MAXDIM)
        return -1;
    for (Py_ssize_t i = 0; i < nd; i++) {
        int overflow = 1;
        PyObject *n = PyTuple_GetItem(o, i);
        shape[i] = PyLong_CheckExact(n) ? PyLong_AsLongLongAndOverflow(n, &overflow) : 0;
        if (overflow || shape[i] < 0 || __builtin_mul_overflow(*size, shape[i], size))
            return -1;
    }
    return (int)nd;
}

/* An int as the element that a position is, or n of them as an array like x. */
static PyObject *position_or_all(PyObject *x, int64_t n, const int64_t *places)
{
    if (!hp_check(x) || hd_ndim(hp_a(x)) == 0)
        return hp_numpy_scalar(HD_INT64, places);
    return n < 0 ? NULL : hp_wrap(hd_from_data(hd_ndim(hp_a(x)), hd_shape(hp_a(x)), NULL, HD_INT64,
                                               places));
}

/* The places that an int or an array of int64 with axes holds: how many, or -1 likewise. */
static int64_t places_of(PyObject *o, int64_t *places)
{
    if (hp_exact(o) && hd_ndim(hp_a(o)) > 0)
        return hp_read_few(o, HD_INT64, places);
    return hp_plain_key(o, 1, places) ? 1 : -1;
}

/* _few_unraveled(places, shape): unravel_index() in C order. */
static PyObject *few_unraveled(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    int64_t shape[HD_MAXDIM], places[FEW], part[FEW], size;
    (void)module;
    const int nd = nargs == 2 ? extents_of(args[1], shape, &size) : -1;
    const int64_t n = nd < 0 ? -1 : places_of(args[0], places);
    if (n < 0)
        return or_not_here(NULL);
    for (int64_t i = 0; i < n; i++)
        if (places[i] < 0 || places[i] >= size)
            return not_here();
    PyObject *result = PyTuple_New(nd);
    for (int ax = nd - 1; ax >= 0 && result; ax--) {
        const int64_t extent = shape[ax] ? shape[ax] : 1;
        for (int64_t i = 0; i < n; i++) {
            part[i] = places[i] % extent;
            places[i] /= extent;
        }
        PyObject *o = position_or_all(args[0], n, part);
        if (!o || PyTuple_SetItem(result, ax, o) < 0)
            Py_CLEAR(result);
    }
    return result;
}

/* Do two arrays, or numbers, of places have one shape? */
static int alike(PyObject *x, PyObject *y)
{
    if (!hp_check(x) || !hp_check(y))
        return hp_check(x) == hp_check(y);
    const int nd = hd_ndim(hp_a(x));
    return nd == hd_ndim(hp_a(y)) &&
           !memcmp(hd_shape(hp_a(x)), hd_shape(hp_a(y)), sizeof(int64_t) * (size_t)nd);
}

/* _few_raveled(parts, dims): ravel_multi_index() of parts of one shape, in C order. */
static PyObject *few_raveled(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    int64_t shape[HD_MAXDIM], places[FEW] = {0}, part[FEW], size, n = 1;
    (void)module;
    const int nd = nargs == 2 ? extents_of(args[1], shape, &size) : -1;
    if (nd < 0 || !PyTuple_CheckExact(args[0]) || PyTuple_Size(args[0]) != nd)
        return not_here();
    PyObject *first = PyTuple_GetItem(args[0], 0);
    for (int ax = 0; ax < nd; ax++) {
        PyObject *o = PyTuple_GetItem(args[0], ax);
        n = alike(o, first) ? places_of(o, part) : -1;
        if (n < 0)
            return or_not_here(NULL);
        for (int64_t i = 0; i < n; i++) {
            if (part[i] < 0 || part[i] >= shape[ax])
                return not_here();
            places[i] = (ax == 0 ? 0 : places[i] * shape[ax]) + part[i];
        }
    }
    return position_or_all(first, n, places);
}

/* ---- order by several keys ------------------------------------------------------------------- */

enum { MOST_KEYS = 8 };

/* Rows of n elements, of float64 or int64; the last one counts first. */
typedef struct keys {
    int count;
    int64_t n;
    hd_dtype dt[MOST_KEYS];
    union { int64_t i; double f; } of[MOST_KEYS][FEW];
} keys;

/* Does place i come before place j, by their elements? nan comes last. */
static int comes_before(const keys *k, int64_t i, int64_t j)
{
    for (int row = k->count - 1; row >= 0; row--) {
        if (k->dt[row] == HD_INT64) {
            if (k->of[row][i].i != k->of[row][j].i)
                return k->of[row][i].i < k->of[row][j].i;
            continue;
        }
        const double x = k->of[row][i].f, y = k->of[row][j].f;
        if (x < y || x > y || isnan(x) != isnan(y))
            return x < y || (isnan(y) && !isnan(x));
    }
    return 0;
}

/* Two runs of places, in order each, merged; equal ones of the first come first. */
static void merge(const keys *k, const int64_t *from, int64_t middle, int64_t end, int64_t *to)
{
    for (int64_t i = 0, j = middle, out = 0; out < end; out++)
        to[out] = j >= end || (i < middle && !comes_before(k, from[j], from[i])) ? from[i++]
                                                                               : from[j++];
}

static void order_by(const keys *k, int64_t *places)
{
    int64_t other[FEW];
    for (int64_t i = 0; i < k->n; i++)
        places[i] = i;
    for (int64_t run = 1; run < k->n; run *= 2) {
        for (int64_t at = 0; at < k->n; at += 2 * run) {
            const int64_t end = at + 2 * run < k->n ? 2 * run : k->n - at;
            merge(k, places + at, run < end ? run : end, end, other + at);
        }
        memcpy(places, other, sizeof *places * (size_t)k->n);
    }
}

/* lexsort(keys) of a tuple of rows. */
PyObject *hp_first_lexsort(HP_FAST)
{
    keys k;   /* large: only what is used is written */
    int64_t places[FEW];
    PyObject *o = nargs == 1 && !kwnames && PyTuple_CheckExact(args[0]) ? args[0] : NULL;
    k.count = o && PyTuple_Size(o) <= MOST_KEYS ? (int)PyTuple_Size(o) : 0;
    if (k.count == 0)
        return NULL;
    for (int i = 0; i < k.count; i++) {
        PyObject *key = PyTuple_GetItem(o, i);
        if (!hp_exact(key) || hd_ndim(hp_a(key)) != 1)
            return NULL;
        k.dt[i] = hd_dtype_of(hp_a(key));
        const int known = k.dt[i] == HD_FLOAT64 || k.dt[i] == HD_INT64;
        const int64_t n = known ? hp_read_few(key, k.dt[i], k.of[i]) : -1;
        if (n < 0 || (i > 0 && n != k.n))
            return NULL;
        k.n = n;
    }
    order_by(&k, places);
    return row(k.n, HD_INT64, places);
}

/* ---- lists, a diagonal ----------------------------------------------------------------------- */

/* fromiter(list, float or int): a row of the numbers in a list. */
PyObject *hp_first_fromiter(HP_FAST)
{
    if (nargs != 2 || kwnames || !PyList_CheckExact(args[0]) ||
        (args[1] != (PyObject *)&PyFloat_Type && args[1] != (PyObject *)&PyLong_Type))
        return NULL;
    hd_array *a = hp_from_list(args[0], args[1] == (PyObject *)&PyFloat_Type ? HD_FLOAT64
                                                                            : HD_INT64);
    if (a && hd_ndim(a) == 1)
        return hp_wrap(a);
    hd_release(a);
    return NULL;
}

/* fill_diagonal(a, value) of a matrix by a number that its dtype takes. */
PyObject *hp_first_fill_diagonal(HP_FAST)
{
    if (nargs != 2 || kwnames || !hp_exact(args[0]) || hp_exact(args[1]) ||
        hd_ndim(hp_a(args[0])) != 2 || !hd_is_writeable(hp_a(args[0])))
        return NULL;
    hd_array *value = hp_plain_value(hp_a(args[0]), args[1]);
    if (!value)
        return NULL;
    const int64_t *shape = hd_shape(hp_a(args[0])), *steps = hd_strides(hp_a(args[0]));
    const int64_t extent = shape[0] < shape[1] ? shape[0] : shape[1], step = steps[0] + steps[1];
    hd_array *line = hd_as_strided(hp_a(args[0]), 1, &extent, &step, 0);
    const hd_status st = line ? hd_assign(line, value, HD_CAST_UNSAFE) : HD_NOMEM;
    hd_release(line);
    hd_release(value);
    return st == HD_OK ? Py_NewRef(Py_None) : hp_raise();
}

/* diag(x) of a row. */
PyObject *hp_first_diag(HP_FAST)
{
    uint64_t element[2 * FEW], all[2 * FEW];
    if (nargs != 1 || kwnames || !hp_exact(args[0]) || hd_ndim(hp_a(args[0])) != 1 ||
        hd_size(hp_a(args[0])) > 32)   /* 32 * 32 is FEW */
        return NULL;
    const hd_dtype dt = hd_dtype_of(hp_a(args[0]));
    const int64_t size = hd_dtype_size(dt), n = hp_read_few(args[0], dt, element);
    if (n < 0)
        return NULL;
    memset(all, 0, (size_t)(n * n * size));
    for (int64_t i = 0; i < n; i++)
        memcpy((char *)all + i * (n + 1) * size, (char *)element + i * size, (size_t)size);
    const int64_t shape[2] = {n, n};
    return hp_wrap(hd_from_data(2, shape, NULL, dt, all));
}

/* repeat(x, count) of a row. */
PyObject *hp_first_repeat(HP_FAST)
{
    int64_t count;
    uint64_t element[2 * FEW], all[2 * FEW];
    if (nargs != 2 || kwnames || !hp_exact(args[0]) || hd_ndim(hp_a(args[0])) != 1 ||
        !hp_plain_key(args[1], 1, &count) || count < 0 || count > FEW ||
        hd_size(hp_a(args[0])) * count > FEW)
        return NULL;
    const hd_dtype dt = hd_dtype_of(hp_a(args[0]));
    const int64_t size = hd_dtype_size(dt), n = hp_read_few(args[0], dt, element);
    char *to = (char *)all;
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < count; k++, to += size)
            memcpy(to, (char *)element + i * size, (size_t)size);
    return n < 0 ? NULL : row(n * count, dt, all);
}

/* Marks those of n elements that delete() of o takes: 0, or -1: it is another case. */
static int mark_deleted(PyObject *o, int64_t n, uint8_t *gone)
{
    int64_t places[FEW];
    const int64_t count = places_of(o, places);
    memset(gone, 0, (size_t)n);
    for (int64_t i = 0; i < count; i++) {
        if (places[i] < -n || places[i] >= n)
            return -1;
        gone[places[i] < 0 ? places[i] + n : places[i]] = 1;
    }
    return count < 0 ? -1 : 0;
}

/* delete(x, position or positions) of a row. */
PyObject *hp_first_delete(HP_FAST)
{
    uint8_t gone[FEW];
    uint64_t element[2 * FEW];
    if (nargs != 2 || kwnames || !hp_exact(args[0]) || hd_ndim(hp_a(args[0])) != 1 ||
        hd_size(hp_a(args[0])) > FEW || mark_deleted(args[1], hd_size(hp_a(args[0])), gone) < 0)
        return NULL;
    const hd_dtype dt = hd_dtype_of(hp_a(args[0]));
    const int64_t size = hd_dtype_size(dt), n = hp_read_few(args[0], dt, element);
    char *at = (char *)element;
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++)
        if (!gone[i])
            memmove(at + size * kept++, at + size * i, (size_t)size);
    return n < 0 ? NULL : row(kept, dt, element);
}

/* insert(x, position, number) into a row of float64 or int64. */
PyObject *hp_first_insert(HP_FAST)
{
    hd_number n;
    int64_t position;
    uint64_t with[FEW + 1];
    if (nargs != 3 || kwnames || !hp_exact(args[0]) || !PyLong_CheckExact(args[1]) ||
        !hp_exact_number(args[2], &n) || n.range != 0)
        return NULL;
    hd_array *x = hp_a(args[0]);
    const hd_dtype dt = hd_dtype_of(x);
    const int fits = (dt == HD_FLOAT64 && n.kind == HD_WEAK_FLOAT) ||
                     (dt == HD_INT64 && n.kind == HD_WEAK_INT);
    if (hd_ndim(x) != 1 || !fits || !are_few(x, dt) || hp_int64(args[1], &position) < 0) {
        PyErr_Clear();   /* a position beyond int64: the Python function says so */
        return NULL;
    }
    const int64_t count = hd_size(x), more = count + 1;
    if (position < -count || position > count)
        return NULL;
    const int64_t before = position < 0 ? position + count : position;
    if (hp_read_few(args[0], dt, with) < 0)
        return NULL;
    memmove(with + before + 1, with + before, sizeof *with * (size_t)(count - before));
    if (dt == HD_INT64)
        memcpy(with + before, &n.as.i, sizeof n.as.i);
    else
        memcpy(with + before, &n.re, sizeof n.re);
    return row(more, dt, with);
}

/* ---- points of a line ------------------------------------------------------------------------ */

/* The value at x on the line through the points i and i + 1, as _on_line() of _differences.py. */
static double on_line(double x, const double *xp, const double *fp)
{
    const double slope = (fp[1] - fp[0]) / (xp[1] - xp[0]), value = slope * (x - xp[0]) + fp[0];
    if (!isnan(value))
        return value;
    const double other = slope * (x - xp[1]) + fp[1];
    return isnan(other) && fp[0] == fp[1] ? fp[0] : other;
}

/* interp() of one number among n points, which rise. */
static double between(double x, int64_t n, const double *xp, const double *fp)
{
    int64_t low = 0, high = n;   /* of the points above x, the first */
    if (isnan(x))
        return x;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (xp[middle] <= x)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == n)
        return fp[n - 1];
    const int64_t at = low > 0 ? low - 1 : 0;
    return x <= xp[at] ? fp[at] : on_line(x, xp + at, fp + at);
}

/* o, a row of float64 or int64 or a list of numbers, as reals: how many, or -1 likewise. */
static int64_t reals_of(PyObject *o, double *to)
{
    int64_t ints[FEW], n;
    if (PyList_CheckExact(o) || PyTuple_CheckExact(o)) {
        hd_array *list = hp_from_list(o, HD_FLOAT64);
        const int few = list && hd_ndim(list) == 1 && are_few(list, HD_FLOAT64);
        n = few && hd_read(list, to) == HD_OK ? hd_size(list) : -1;
        hd_release(list);
        return n;
    }
    if (!hp_exact(o) || hd_ndim(hp_a(o)) != 1)
        return -1;
    if (hd_dtype_of(hp_a(o)) == HD_FLOAT64)
        return hp_read_few(o, HD_FLOAT64, to);
    n = hp_read_few(o, HD_INT64, ints);
    for (int64_t i = 0; i < n; i++)
        to[i] = (double)ints[i];
    return n;
}

/* Do the points rise? */
static int are_rising(int64_t n, const double *xp)
{
    for (int64_t i = 0; i < n; i++)
        if (isnan(xp[i]) || (i > 0 && xp[i] < xp[i - 1]))
            return 0;
    return 1;
}

/* A number that is no array: 1 and it. */
static int number_of(PyObject *o, double *x)
{
    hd_number n;
    if (hp_check(o) || !hp_plain_real(o, &n))
        return 0;
    *x = n.re;
    return 1;
}

/* interp(x, xp, fp) of a number or an array of float64. */
PyObject *hp_first_interp(HP_FAST)
{
    double x[FEW], xp[FEW], fp[FEW];
    if (nargs != 3 || kwnames || hp_watching)
        return NULL;
    const int number = number_of(args[0], x);
    const int array = hp_exact(args[0]) && hd_ndim(hp_a(args[0])) > 0;
    const int64_t n = number ? 1 : array ? hp_read_few(args[0], HD_FLOAT64, x) : -1;
    const int64_t points = n < 0 ? -1 : reals_of(args[1], xp);
    if (points < 2 || reals_of(args[2], fp) != points)
        return NULL;
    if (!are_rising(points, xp) || (number && !hd_device_is_host(NULL)))
        return NULL;
    for (int64_t i = 0; i < n; i++)
        x[i] = between(x[i], points, xp, fp);
    if (number)
        return hp_numpy_scalar(HD_FLOAT64, x);
    return hp_wrap(hd_from_data(hd_ndim(hp_a(args[0])), hd_shape(hp_a(args[0])), NULL, HD_FLOAT64,
                                x));
}

#define ROW(name, flags, doc) {"_few_" #name, (PyCFunction)(void (*)(void))few_##name, flags, doc}
PyMethodDef hp_few_functions[] = {
    ROW(packed, METH_FASTCALL, "_few_packed(a, little)"),
    ROW(unpacked, METH_FASTCALL, "_few_unpacked(a, little)"),
    ROW(repeated, METH_O, "_few_repeated(counts): positions"),
    ROW(repeat, METH_FASTCALL, "_few_repeat(a, counts)"),
    ROW(unraveled, METH_FASTCALL, "_few_unraveled(places, shape)"),
    ROW(raveled, METH_FASTCALL, "_few_raveled(parts, dims)"),
    {NULL, NULL, 0, NULL}};
