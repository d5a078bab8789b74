/* SPDX-License-Identifier: BSD-3-Clause */
/* py_stream.c - streams and events as numbers, for the classes of heddle.cuda. */
#include "py.h"

/* The arguments: a device, then up to three handles or numbers. 0 or -1. */
static int take(PyObject *const *args, Py_ssize_t nargs, int n, hd_device **dev, uintptr_t *v)
{
    if (nargs != n + 1) {
        PyErr_Format(PyExc_TypeError, "%d arguments expected, not %zd", n + 1, nargs);
        return -1;
    }
    if (!(*dev = hp_device(args[0])))
        return -1;
    for (int i = 0; i < n; i++)
        v[i] = (uintptr_t)PyLong_AsUnsignedLongLong(args[i + 1]);
    return PyErr_Occurred() ? -1 : 0;
}

static PyObject *handle(hd_status status, uintptr_t value)
{
    return status == HD_OK ? PyLong_FromUnsignedLongLong(value) : hp_raise();
}

#define FUNCTION(name) \
    static PyObject *name(PyObject *module, PyObject *const *args, Py_ssize_t nargs)

/* Functions of a device and n numbers that return nothing. */
static PyObject *call1(hd_status (*f)(hd_device *, uintptr_t), PyObject *const *args,
                       Py_ssize_t nargs)
{
    hd_device *dev;
    uintptr_t v[1];
    return take(args, nargs, 1, &dev, v) < 0 ? NULL : hp_none(f(dev, v[0]));
}

static PyObject *call2(hd_status (*f)(hd_device *, uintptr_t, uintptr_t), PyObject *const *args,
                       Py_ssize_t nargs)
{
    hd_device *dev;
    uintptr_t v[2];
    return take(args, nargs, 2, &dev, v) < 0 ? NULL : hp_none(f(dev, v[0], v[1]));
}

static PyObject *answer(hd_status (*f)(hd_device *, uintptr_t, int *), PyObject *const *args,
                        Py_ssize_t nargs)
{
    hd_device *dev;
    uintptr_t v[1];
    int done = 0;
    if (take(args, nargs, 1, &dev, v) < 0)
        return NULL;
    return f(dev, v[0], &done) == HD_OK ? PyBool_FromLong(done) : hp_raise();
}

FUNCTION(stream_new)   /* (device, non_blocking) */
{
    hd_device *dev;
    uintptr_t v[1], stream = 0;
    (void)module;
    if (take(args, nargs, 1, &dev, v) < 0)
        return NULL;
    hd_status status = hd_stream_new(dev, v[0] != 0, &stream);
    return handle(status, stream);
}

FUNCTION(stream_get)   /* (device): the stream it started with, the one it uses */
{
    hd_device *dev;
    uintptr_t v[1], own, current;
    (void)module;
    if (take(args, nargs, 0, &dev, v) < 0)
        return NULL;
    if (hd_stream_get(dev, &own, &current) != HD_OK)
        return hp_raise();
    return Py_BuildValue("(KK)", (unsigned long long)own, (unsigned long long)current);
}

FUNCTION(event_new)    /* (device, timed, blocking) */
{
    hd_device *dev;
    uintptr_t v[2], event = 0;
    (void)module;
    if (take(args, nargs, 2, &dev, v) < 0)
        return NULL;
    hd_status status = hd_event_new(dev, v[0] != 0, v[1] != 0, &event);
    return handle(status, event);
}

FUNCTION(event_elapsed)
{
    hd_device *dev;
    uintptr_t v[2];
    double ms = 0;
    (void)module;
    if (take(args, nargs, 2, &dev, v) < 0)
        return NULL;
    return hd_event_elapsed(dev, v[0], v[1], &ms) == HD_OK ? PyFloat_FromDouble(ms) : hp_raise();
}

FUNCTION(stream_free) { return (void)module, call1(hd_stream_free, args, nargs); }
FUNCTION(stream_use) { return (void)module, call1(hd_stream_use, args, nargs); }
FUNCTION(stream_synchronize) { return (void)module, call1(hd_stream_synchronize, args, nargs); }
FUNCTION(stream_done) { return (void)module, answer(hd_stream_done, args, nargs); }
FUNCTION(stream_order) { return (void)module, call2(hd_stream_order, args, nargs); }
FUNCTION(stream_wait_event) { return (void)module, call2(hd_stream_wait_event, args, nargs); }
FUNCTION(event_free) { return (void)module, call1(hd_event_free, args, nargs); }
FUNCTION(event_record) { return (void)module, call2(hd_event_record, args, nargs); }
FUNCTION(event_done) { return (void)module, answer(hd_event_done, args, nargs); }
FUNCTION(event_synchronize) { return (void)module, call1(hd_event_synchronize, args, nargs); }

static PyObject *wait_all(PyObject *module, PyObject *device)
{
    (void)module;
    hd_device *dev = hp_device(device);
    return dev ? hp_none(hd_device_wait_all(dev)) : NULL;
}

#define FAST(name) {"_" #name, (PyCFunction)(void (*)(void))name, METH_FASTCALL, NULL}
PyMethodDef hp_stream_functions[] = {
    FAST(stream_new), FAST(stream_get), FAST(stream_free), FAST(stream_use),
    FAST(stream_synchronize), FAST(stream_done), FAST(stream_order), FAST(stream_wait_event),
    FAST(event_new), FAST(event_free), FAST(event_record), FAST(event_done),
    FAST(event_synchronize), FAST(event_elapsed),
    {"_wait_all", wait_all, METH_O, NULL},
    {NULL, NULL, 0, NULL}};
