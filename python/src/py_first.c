/* SPDX-License-Identifier: BSD-3-Clause */
/* py_first.c - the table of the functions that are tried first, and those of them that belong to no
 * other file. */
#include "py_first.h"

#include "py_element.h"

#include <stdlib.h>
#include <string.h>

/* ---- memory ---------------------------------------------------------------------------------- */

/* Where a bytes or a bytearray has its elements, and how many bytes; NULL: o is neither. */
static const char *memory_of(PyObject *o, int64_t *nbytes)
{
    if (PyBytes_CheckExact(o)) {
        *nbytes = PyBytes_Size(o);
        return PyBytes_AsString(o);
    }
    if (!PyByteArray_CheckExact(o))
        return NULL;
    *nbytes = PyByteArray_Size(o);
    return PyByteArray_AsString(o);
}

/* May run in any thread, with or without the GIL. */
static void release_object(void *ctx)
{
    if (!Py_IsInitialized())
        return;
    PyGILState_STATE state = PyGILState_Ensure();
    Py_DECREF((PyObject *)ctx);
    PyGILState_Release(state);
}

/* A row over all of o. A bytearray must not be resized meanwhile, so that its buffer is kept; the
 * memory of a bytes is what it is for all its life. */
static hd_array *share_bytes(PyObject *o, hd_dtype dt)
{
    const int64_t size = hd_dtype_size(dt);
    if (PyBytes_CheckExact(o)) {
        const int64_t n = PyBytes_Size(o) / size;
        hd_array *a = hd_wrap(1, &n, &size, dt, PyBytes_AsString(o), 1, release_object,
                              Py_NewRef(o));
        return a ? a : (Py_DECREF(o), (hd_array *)hp_raise());
    }
    Py_buffer *b = malloc(sizeof *b);
    if (!b || PyObject_GetBuffer(o, b, PyBUF_SIMPLE) < 0)
        return free(b), b ? NULL : (hd_array *)PyErr_NoMemory();
    const int64_t n = b->len / size;
    hd_array *a = hd_wrap(1, &n, &size, dt, b->buf, b->readonly, hp_release_buffer, b);
    return a ? a : (hp_release_buffer(b), (hd_array *)hp_raise());
}

int hp_is_only(PyObject *kwnames, const char *name)
{
    return PyTuple_Size(kwnames) == 1 &&
           PyUnicode_CompareWithASCIIString(PyTuple_GetItem(kwnames, 0), name) == 0;
}

/* frombuffer(buffer, dtype=float) of all of a bytes or a bytearray. */
static PyObject *frombuffer(HP_FAST)
{
    hd_dtype dt = HD_FLOAT64;
    int64_t nbytes = 0;
    const Py_ssize_t given = nargs + (kwnames ? PyTuple_Size(kwnames) : 0);
    if (nargs < 1 || given > 2 || (kwnames && !hp_is_only(kwnames, "dtype")))
        return NULL;
    const char *memory = memory_of(args[0], &nbytes);
    if (!memory || nbytes == 0 || !hd_device_is_host(NULL))
        return NULL;
    if (given == 2 && (hp_dtype(args[1], &dt) < 0 || dt == HD_NO_DTYPE)) {
        PyErr_Clear();   /* one that we do not have */
        return NULL;
    }
    const int64_t size = hd_dtype_size(dt);
    if (nbytes % size != 0 || (uintptr_t)memory % (uintptr_t)size != 0)
        return NULL;
    hd_array *shared = share_bytes(args[0], dt);
    PyObject *r = shared ? hp_wrap_array(shared) : NULL;
    if (r)
        ((hp_array *)r)->base = Py_NewRef(args[0]);
    return r;
}

/* ---- elements -------------------------------------------------------------------------------- */

static int same_shape(const hd_array *a, const hd_array *b)
{
    return hd_ndim(a) == hd_ndim(b) &&
           memcmp(hd_shape(a), hd_shape(b), sizeof(int64_t) * (size_t)hd_ndim(a)) == 0;
}

/* Does a number of Python's go into arrays of that kind as it is? */
static int goes_into(PyObject *number, char kind)
{
    return PyFloat_CheckExact(number) ? kind == 'f'
                                      : PyLong_CheckExact(number) && kind != 'b' && kind != 'c';
}

/* place(x, mask, number), and putmask() of one: an assignment by a mask. */
static PyObject *place(HP_FAST)
{
    if (kwnames || nargs != 3 || !hp_exact(args[0]) || !hp_exact(args[1]))
        return NULL;
    const hd_array *x = hp_a(args[0]), *mask = hp_a(args[1]);
    if (!goes_into(args[2], hd_dtype_kind(hd_dtype_of(x))) || hd_dtype_of(mask) != HD_BOOL ||
        hd_ndim(x) == 0 || !same_shape(x, mask) || !hd_is_writeable(x))
        return NULL;
    return PyObject_SetItem(args[0], args[1], args[2]) < 0 ? NULL : Py_NewRef(Py_None);
}

/* einsum("ii", A), the trace, of dtypes that a sum keeps. */
static PyObject *einsum(HP_FAST)
{
    if (kwnames || nargs != 2 || !PyUnicode_CheckExact(args[0]) || !hp_exact(args[1]) ||
        PyUnicode_CompareWithASCIIString(args[0], "ii") != 0)
        return NULL;
    const hd_array *a = hp_a(args[1]);
    const hd_dtype dt = hd_dtype_of(a);
    if (hd_ndim(a) != 2 || hd_shape(a)[0] != hd_shape(a)[1] || !hp_gives_scalars(a) ||
        (dt != HD_FLOAT64 && dt != HD_FLOAT32 && dt != HD_INT64 && dt != HD_COMPLEX128))
        return NULL;
    const int64_t n = hd_shape(a)[0], step = hd_strides(a)[0] + hd_strides(a)[1];
    const int axis = 0;
    hd_array *diagonal = hd_as_strided(a, 1, &n, &step, 0);
    hd_array *sum = diagonal ? hd_sum(diagonal, 1, &axis, 0) : NULL;
    hd_release(diagonal);
    if (!sum)
        return hp_raise();
    PyObject *r = hp_read_element(sum, 0, NULL);
    hd_release(sum);
    return r;
}

/* linspace(start, stop, num) of real numbers. */
static PyObject *linspace(HP_FAST)
{
    hd_number ends[2];
    int64_t n;
    if (kwnames || nargs != 3 || !PyLong_CheckExact(args[2]))
        return NULL;
    for (int i = 0; i < 2; i++)
        if (!hp_plain_real(args[i], &ends[i]) ||
            (hp_exact(args[i]) && !hp_gives_scalars(hp_a(args[i]))))
            return NULL;
    if (hp_int64(args[2], &n) < 0 || n < 0) {
        PyErr_Clear();
        return NULL;
    }
    return hp_wrap(hd_linspace(ends[0].re, ends[1].re, n, 1, HD_FLOAT64));
}

/* ---- arrays as they are ---------------------------------------------------------------------- */

static int is_one_of_ours(HP_FAST)
{
    return nargs == 1 && !kwnames && hp_exact(args[0]);
}

/* asarray(a) of an array. */
static PyObject *asarray(HP_FAST)
{
    return is_one_of_ours(args, nargs, kwnames) ? Py_NewRef(args[0]) : NULL;
}

/* ascontiguousarray(a) of an array with axes. */
static PyObject *ascontiguousarray(HP_FAST)
{
    if (!is_one_of_ours(args, nargs, kwnames) || hd_ndim(hp_a(args[0])) == 0)
        return NULL;
    const hd_array *a = hp_a(args[0]);
    return hd_flags(a) & HD_C_CONTIGUOUS ? Py_NewRef(args[0]) : hp_wrap(hd_copy(a, 'C'));
}

/* take(x, positions) of a row by a list of ints or a row of int64. */
static PyObject *take(HP_FAST)
{
    if (kwnames || nargs != 2 || !hp_exact(args[0]) || hd_ndim(hp_a(args[0])) != 1)
        return NULL;
    if (hp_exact(args[1]))
        return hd_dtype_of(hp_a(args[1])) == HD_INT64 && hd_ndim(hp_a(args[1])) == 1
                   ? PyObject_GetItem(args[0], args[1])
                   : NULL;
    const Py_ssize_t n = PyList_CheckExact(args[1]) ? PyList_Size(args[1]) : 0;
    for (Py_ssize_t i = 0; i < n; i++)
        if (!PyLong_CheckExact(PyList_GetItem(args[1], i)))
            return NULL;
    return n > 0 ? PyObject_GetItem(args[0], args[1]) : NULL;
}

/* ---- the table ------------------------------------------------------------------------------- */

hp_first hp_first_of(PyObject *path)
{
    static const struct { const char *path; hp_first function; } table[] = {
        {"asarray", asarray},
        {"ascontiguousarray", ascontiguousarray},
        {"bincount", hp_first_bincount},
        {"count_nonzero", hp_first_count_nonzero},
        {"delete", hp_first_delete},
        {"diag", hp_first_diag},
        {"einsum", einsum},
        {"fill_diagonal", hp_first_fill_diagonal},
        {"frombuffer", frombuffer},
        {"fromiter", hp_first_fromiter},
        {"insert", hp_first_insert},
        {"interp", hp_first_interp},
        {"lexsort", hp_first_lexsort},
        {"linspace", linspace},
        {"ndarray.repeat", hp_first_repeat},
        {"ndarray.searchsorted", hp_first_searchsorted},
        {"ndarray.sort", hp_first_sort},
        {"ndarray.take", take},
        {"place", place},
        {"putmask", place},
        {"repeat", hp_first_repeat},
        {"searchsorted", hp_first_searchsorted},
        {"take", take},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (PyUnicode_CompareWithASCIIString(path, table[i].path) == 0)
            return table[i].function;
    return NULL;
}
