/* SPDX-License-Identifier: BSD-3-Clause */
/* py_linalg.c - the library calls behind heddle.linalg: positional arguments only, tuples of
 * results. heddle/linalg.py has the signatures. */
#include "py.h"

static int check_count(const char *name, Py_ssize_t nargs, Py_ssize_t wanted)
{
    if (nargs == wanted)
        return 0;
    PyErr_Format(PyExc_TypeError, "%s takes %zd arguments, not %zd", name, wanted, nargs);
    return -1;
}

/* The first n arguments as arrays (owned) and the others as flags. 0, or -1 with an exception. */
static int take(const char *name, PyObject *const *args, Py_ssize_t nargs, int n, hd_array **in,
                int nflags, int *flags)
{
    hd_device *before;
    int made = 0;
    if (check_count(name, nargs, n + nflags) < 0)
        return -1;
    for (int i = 0; i < nflags; i++)
        if ((flags[i] = PyObject_IsTrue(args[n + i])) < 0)
            return -1;
    if (hp_enter_beside(args, n, &before) < 0)
        return -1;
    while (made < n && (in[made] = hp_to_array(args[made], HD_NO_DTYPE)))
        made++;
    hp_leave(before);
    if (made == n)
        return 0;
    while (made > 0)
        hd_release(in[--made]);
    return -1;
}

/* Takes the n results; NULL ones are left out. */
static PyObject *results(hd_status status, int n, hd_array **r)
{
    PyObject *objects[4], *tuple = NULL;
    int made = 0;
    if (status != HD_OK)
        return hp_raise();
    for (int i = 0; i < n; i++) {
        PyObject *o = r[i] ? hp_wrap(r[i]) : NULL;
        if (o)
            objects[made++] = o;
    }
    if (made == 1)
        return objects[0];
    if (!PyErr_Occurred())
        tuple = PyTuple_New(made);
    for (int i = 0; i < made; i++)
        if (tuple)
            PyTuple_SetItem(tuple, i, objects[i]);
        else
            Py_DECREF(objects[i]);
    return tuple;
}

/* solve(a, b) */
static PyObject *linalg_solve(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    hd_array *in[2];
    (void)module;
    if (take("solve", args, nargs, 2, in, 0, NULL) < 0)
        return NULL;
    hd_array *r = hd_solve(in[0], in[1]);
    hd_release(in[0]);
    hd_release(in[1]);
    return hp_wrap(r);
}

/* inv(a, nan_if_singular), cholesky(a, upper) */
static PyObject *with_flag(const char *name, hd_array *(*f)(const hd_array *, int),
                           PyObject *const *args, Py_ssize_t nargs)
{
    hd_array *a;
    int flag;
    if (take(name, args, nargs, 1, &a, 1, &flag) < 0)
        return NULL;
    hd_array *r = f(a, flag);
    hd_release(a);
    return hp_wrap(r);
}

static PyObject *linalg_inv(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    (void)module;
    return with_flag("inv", hd_inv, args, nargs);
}

static PyObject *linalg_cholesky(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    (void)module;
    return with_flag("cholesky", hd_cholesky, args, nargs);
}

/* det(a) */
static PyObject *linalg_det(PyObject *module, PyObject *o)
{
    (void)module;
    hd_array *a = hp_to_array(o, HD_NO_DTYPE), *r = a ? hd_det(a) : NULL;
    hd_release(a);
    return a ? hp_wrap(r) : NULL;
}

/* slogdet(a): sign and logdet */
static PyObject *linalg_slogdet(PyObject *module, PyObject *o)
{
    (void)module;
    hd_array *a = hp_to_array(o, HD_NO_DTYPE), *r[2];
    if (!a)
        return NULL;
    hd_status status = hd_slogdet(a, &r[0], &r[1]);
    hd_release(a);
    return results(status, 2, r);
}

/* qr(a, mode): mode is the number of a hd_qr_mode */
static PyObject *linalg_qr(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    (void)module;
    hd_array *a, *r[2];
    int mode;
    if (check_count("qr", nargs, 2) < 0 || hp_int(args[1], &mode) < 0 ||
        take("qr", args, 1, 1, &a, 0, NULL) < 0)
        return NULL;
    hd_status status = hd_qr(a, (hd_qr_mode)mode, &r[0], &r[1]);
    hd_release(a);
    return results(status, 2, r);
}

/* svd(a, full, vectors, hermitian): u, s and vh, or s */
static PyObject *linalg_svd(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    (void)module;
    hd_array *a, *r[3] = {NULL, NULL, NULL};
    int flags[3];
    if (take("svd", args, nargs, 1, &a, 3, flags) < 0)
        return NULL;
    hd_status status = hd_svd(a, flags[0], flags[2], flags[1] ? &r[0] : NULL, &r[1],
                              flags[1] ? &r[2] : NULL);
    hd_release(a);
    return results(status, 3, r);
}

/* eigh(a, upper, vectors): w and v, or w */
static PyObject *linalg_eigh(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    (void)module;
    hd_array *a, *r[2] = {NULL, NULL};
    int flags[2];
    if (take("eigh", args, nargs, 1, &a, 2, flags) < 0)
        return NULL;
    hd_status status = hd_eigh(a, flags[0], &r[0], flags[1] ? &r[1] : NULL);
    hd_release(a);
    return results(status, 2, r);
}

/* eig(a, vectors): w and v, or w */
static PyObject *linalg_eig(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    (void)module;
    hd_array *a, *r[2] = {NULL, NULL};
    int vectors;
    if (take("eig", args, nargs, 1, &a, 1, &vectors) < 0)
        return NULL;
    hd_status status = hd_eig(a, &r[0], vectors ? &r[1] : NULL);
    hd_release(a);
    return results(status, 2, r);
}

/* lstsq(a, b, rcond): x, sums of squares, rank and singular values */
static PyObject *linalg_lstsq(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    (void)module;
    hd_array *in[2], *r[4];
    if (check_count("lstsq", nargs, 3) < 0)
        return NULL;
    double rcond = PyFloat_AsDouble(args[2]);
    if ((rcond == -1 && PyErr_Occurred()) || take("lstsq", args, 2, 2, in, 0, NULL) < 0)
        return NULL;
    hd_status status = hd_lstsq(in[0], in[1], rcond, &r[0], &r[1], &r[2], &r[3]);
    hd_release(in[0]);
    hd_release(in[1]);
    return results(status, 4, r);
}

#define ROW(name, flags) {"_linalg_" #name, (PyCFunction)(void (*)(void))linalg_##name, flags, NULL}
PyMethodDef hp_linalg_functions[] = {
    ROW(solve, METH_FASTCALL), ROW(inv, METH_FASTCALL),  ROW(cholesky, METH_FASTCALL),
    ROW(det, METH_O),          ROW(slogdet, METH_O),     ROW(qr, METH_FASTCALL),
    ROW(svd, METH_FASTCALL),   ROW(eigh, METH_FASTCALL), ROW(eig, METH_FASTCALL),
    ROW(lstsq, METH_FASTCALL), {NULL, NULL, 0, NULL}};
#undef ROW
