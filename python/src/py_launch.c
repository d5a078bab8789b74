/* SPDX-License-Identifier: BSD-3-Clause */
/* py_launch.c - kernels of the user's own, for heddle.cupy.RawKernel. */
#include <heddle/launch.h>

#include "py_kernel.h"

#include <stdlib.h>
#include <string.h>

typedef hp_number number;

/* One launch. What is known of the function: its handle (or `kernel`, of source that was compiled
 * here), its name, the most threads and dynamic shared memory of a block, and for each parameter
 * whether it is a pointer to const (NULL: nobody knows). */
typedef struct launching {
    hd_device *dev;
    uintptr_t function;
    hd_kernel *kernel;
    const char *name, *constant;
    Py_ssize_t nconstant;
    unsigned long most_threads, most_shared;
    unsigned grid[3], block[3];
    unsigned long shared;
    Py_ssize_t n;
    hd_launch_arg *arg;
    number *value;
    Py_buffer *view;             /* of those that have one: obj is not NULL */
    hd_array **result;           /* of an application: room for each pointer's */
    PyObject *(*run)(struct launching *l);
} launching;

/* ---- sizes ----------------------------------------------------------------------------------- */

static int take_size(PyObject *o, unsigned *size)
{
    long long n = PyLong_AsLongLong(o);
    if (PyErr_Occurred())
        return -1;
    if (n < 0 || n > UINT32_MAX) {
        PyErr_Format(PyExc_ValueError, "a launch cannot have a size of %lld", n);
        return -1;
    }
    *size = (unsigned)n;
    return 0;
}

/* A number, or up to three of a sequence. */
static int take_sizes(PyObject *o, unsigned size[3])
{
    size[0] = size[1] = size[2] = 1;
    if (PyLong_Check(o))
        return take_size(o, &size[0]);
    PyObject *t = PySequence_Tuple(o);
    if (!t)
        return -1;
    int status = 0;
    Py_ssize_t n = PyTuple_Size(t);
    if (n < 1 || n > 3) {
        PyErr_Format(PyExc_ValueError, "a launch has one to three sizes, not %zd", n);
        status = -1;
    }
    for (Py_ssize_t a = 0; a < n && status == 0; a++)
        status = take_size(PyTuple_GetItem(t, a), &size[a]);
    Py_DECREF(t);
    return status;
}

/* What the driver would refuse is refused before anything is recorded. */
static int check_sizes(const launching *l)
{
    const char *problem = NULL;
    const unsigned *g = l->grid, *b = l->block;
    const uint64_t plane = (uint64_t)b[0] * b[1];
    if (plane > l->most_threads || plane * b[2] > l->most_threads || b[2] > 64)
        problem = "threads in a block";
    else if (g[0] > INT32_MAX || g[1] > UINT16_MAX || g[2] > UINT16_MAX)
        problem = "blocks in a grid";
    else if (l->shared > l->most_shared)
        problem = "bytes (max_dynamic_shared_size_bytes)";
    if (!problem)
        return 0;
    PyErr_Format(PyExc_RuntimeError,
                 "CUDA_ERROR_INVALID_VALUE: %s: grid (%u, %u, %u), block (%u, %u, %u), %lu bytes "
                 "of shared memory: too many %s; a block may have %lu threads and %lu bytes",
                 l->name, g[0], g[1], g[2], b[0], b[1], b[2], l->shared, problem, l->most_threads,
                 l->most_shared);
    return -1;
}

/* ---- arguments ------------------------------------------------------------------------------- */

static int take_int(PyObject *o, number *v)
{
    v->i = PyLong_AsLongLong(o);
    if (v->i == -1 && PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_OverflowError)) {
        PyErr_Clear();
        v->u = PyLong_AsUnsignedLongLong(o);
    }
    return PyErr_Occurred() ? -1 : 8;
}

/* The bytes of a Python number, as CuPy passes them: how many, 0: it is none, -1: an error. */
static int take_number(PyObject *o, number *v)
{
    if (PyBool_Check(o)) {
        v->b[0] = o == Py_True;
        return 1;
    }
    if (PyLong_Check(o))
        return take_int(o, v);
    if (PyFloat_CheckExact(o)) {
        v->d[0] = PyFloat_AsDouble(o);
        return 8;
    }
    if (!PyComplex_CheckExact(o))
        return 0;
    v->d[0] = PyComplex_RealAsDouble(o);
    v->d[1] = PyComplex_ImagAsDouble(o);
    return 16;
}

/* Anything else that has bytes: NumPy's scalars and records. */
static int take_bytes(PyObject *o, hd_launch_arg *arg, Py_buffer *view)
{
    if (PyObject_GetBuffer(o, view, PyBUF_C_CONTIGUOUS) < 0) {
        PyErr_Clear();
        PyErr_Format(PyExc_TypeError, "an argument of a kernel is an array or a number, not %R",
                     (PyObject *)Py_TYPE(o));
        return -1;
    }
    arg->value = view->buf;
    arg->bytes = (size_t)view->len;
    return 0;
}

static int take_array(launching *l, Py_ssize_t i, PyObject *o)
{
    hd_array *x = hp_a(o);
    const int only_read = i < l->nconstant && l->constant[i];
    if (hd_device_of(x) != l->dev) {
        PyErr_Format(PyExc_ValueError, "%s: argument %zd is an array on %s, the kernel is on %s",
                     l->name, i, hd_device_name(hd_device_of(x)), hd_device_name(l->dev));
        return -1;
    }
    l->arg[i] = (hd_launch_arg){.array = x, .access = only_read ? HD_READS : HD_READS | HD_WRITES};
    return 0;
}

static PyObject *run_apply(launching *l);

static int take_argument(launching *l, Py_ssize_t i, PyObject *o)
{
    if (hp_check(o))
        return take_array(l, i, o);
    if (o == Py_None && l->run == run_apply)
        return 0;
    PyObject *address = NULL;
    int n = l->kernel ? hp_kernel_number(l->kernel, (int)i, o, &l->value[i]) : 0;
    if (n == 0)
        n = take_number(o, &l->value[i]);
    /* A MemoryPointer, a texture's handle. NumPy's scalars are not asked: a name that is not there
     * costs a microsecond. */
    if (n == 0 && !PyObject_CheckBuffer(o) && PyObject_HasAttrString(o, "ptr")) {
        if (!(address = PyObject_GetAttrString(o, "ptr")))
            return -1;
        n = take_int(address, &l->value[i]);
        Py_DECREF(address);
    }
    if (n == 0)
        return take_bytes(o, &l->arg[i], &l->view[i]);
    l->arg[i] = (hd_launch_arg){.value = &l->value[i], .bytes = n > 0 ? (size_t)n : 0};
    return n < 0 ? -1 : 0;
}

/* (handle, name, most threads, most shared memory, bytes of flags or None) */
static int take_function(launching *l, PyObject *facts)
{
    char *flags = NULL;
    l->kernel = hp_kernel_of(PyTuple_GetItem(facts, 0));
    if (!l->kernel)
        l->function = (uintptr_t)PyLong_AsUnsignedLongLong(PyTuple_GetItem(facts, 0));
    l->name = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(facts, 1), NULL);
    l->most_threads = PyLong_AsUnsignedLong(PyTuple_GetItem(facts, 2));
    l->most_shared = PyLong_AsUnsignedLong(PyTuple_GetItem(facts, 3));
    PyObject *constant = PyTuple_GetItem(facts, 4);
    if (!PyErr_Occurred() && constant != Py_None &&
        PyBytes_AsStringAndSize(constant, &flags, &l->nconstant) < 0)
        return -1;
    l->constant = flags;
    return PyErr_Occurred() ? -1 : 0;
}

static PyObject *run_launch(launching *l)
{
    for (int a = 0; a < 3; a++)
        if (l->grid[a] == 0 || l->block[a] == 0)
            Py_RETURN_NONE;
    if (l->kernel)
        return hp_none(hd_kernel_launch(l->kernel, l->dev, l->grid, l->block, (unsigned)l->shared,
                                        (int)l->n, l->arg));
    return hp_none(hd_launch(l->dev, l->function, l->name, l->grid, l->block, (unsigned)l->shared,
                             (int)l->n, l->arg));
}

static PyObject *with_arguments(launching *l, PyObject *arguments)
{
    if (l->constant && l->n != l->nconstant) {
        PyErr_Format(PyExc_TypeError, "%s() takes %zd arguments, %zd were given", l->name,
                     l->nconstant, l->n);
        return NULL;
    }
    for (Py_ssize_t i = 0; i < l->n; i++)
        if (take_argument(l, i, PyTuple_GetItem(arguments, i)) < 0)
            return NULL;
    return l->run(l);
}

static PyObject *run_with(launching *l, PyObject *arguments)
{
    l->n = PyTuple_Size(arguments);
    const size_t n = (size_t)l->n + 1;
    uint8_t *room = calloc(n, sizeof *l->arg + sizeof *l->value + sizeof *l->view +
                                     sizeof *l->result);
    if (!room)
        return PyErr_NoMemory();
    l->value = (number *)(void *)room;
    l->arg = (hd_launch_arg *)(void *)(l->value + n);
    l->view = (Py_buffer *)(void *)(l->arg + n);
    l->result = (hd_array **)(void *)(l->view + n);
    PyObject *r = with_arguments(l, arguments);
    for (Py_ssize_t i = 0; i < l->n; i++)
        if (l->view[i].obj)
            PyBuffer_Release(&l->view[i]);
    free(room);
    return r;
}

/* (device, function, grid, block, arguments, shared_bytes) */
static PyObject *launch(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    (void)module;
    launching l = {.run = run_launch};
    if (nargs != 6 || !PyTuple_Check(args[1]) || PyTuple_Size(args[1]) != 5) {
        PyErr_SetString(PyExc_TypeError, "six arguments expected");
        return NULL;
    }
    if (!(l.dev = hp_device(args[0])) || take_function(&l, args[1]) < 0 ||
        take_sizes(args[2], l.grid) < 0 || take_sizes(args[3], l.block) < 0)
        return NULL;
    l.shared = PyLong_AsUnsignedLong(args[5]);
    if (PyErr_Occurred() || check_sizes(&l) < 0)
        return NULL;
    PyObject *arguments = PySequence_Tuple(args[4]);
    PyObject *r = arguments ? run_with(&l, arguments) : NULL;
    Py_XDECREF(arguments);
    return r;
}

/* ---- kernels over elements ------------------------------------------------------------------- */

/* The results that were made, as a tuple. Takes all results. */
static PyObject *made_of(launching *l)
{
    PyObject *list = PyList_New(0);
    for (int i = 0, k = 0; i < l->n; i++) {
        hd_kernel_param p;
        if (hd_kernel_param_at(l->kernel, i, &p) != HD_OK || p.kind != 'p')
            continue;
        hd_array *x = l->result[k++];
        if (l->arg[i].array || !list) {
            hd_release(x);
            continue;
        }
        PyObject *o = hp_wrap_array(x);
        if (!o || PyList_Append(list, o) < 0)
            Py_CLEAR(list);
        Py_XDECREF(o);
    }
    PyObject *tuple = list ? PyList_AsTuple(list) : NULL;
    Py_XDECREF(list);
    return tuple;
}

static PyObject *run_apply(launching *l)
{
    return hd_kernel_apply(l->kernel, l->dev, (int)l->n, l->arg, l->result) == HD_OK ? made_of(l)
                                                                                     : hp_raise();
}

/* (device, kernel, arguments): None for a result that is to be made. */
static PyObject *apply(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    (void)module;
    launching l = {.run = run_apply, .name = "kernel"};
    if (nargs != 3 || !(l.kernel = hp_kernel_of(args[1]))) {
        PyErr_SetString(PyExc_TypeError, "a device, a kernel and its arguments expected");
        return NULL;
    }
    if (!(l.dev = hp_device(args[0])))
        return NULL;
    PyObject *arguments = PySequence_Tuple(args[2]);
    PyObject *r = arguments ? run_with(&l, arguments) : NULL;
    Py_XDECREF(arguments);
    return r;
}

PyMethodDef hp_launch_functions[] = {
    {"_kernel_apply", (PyCFunction)(void (*)(void))apply, METH_FASTCALL, NULL},
    {"_launch", (PyCFunction)(void (*)(void))launch, METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL}};
