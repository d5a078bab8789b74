/* SPDX-License-Identifier: BSD-3-Clause */
/* py_device.c - which device objects from outside go to, and arrays of others on a CUDA device. */
#include "py.h"

#include <stdlib.h>
#include <string.h>

static int guarded;   /* heddle.config.transfer_guard is "disallow" */

/* The objects that x.device is, one for each device. */
static PyObject *device_type;
static struct { hd_device *dev; PyObject *o; } places[32];
static int nplaces;

PyObject *hp_device_object(hd_device *dev)
{
    for (int i = 0; i < nplaces; i++)
        if (places[i].dev == dev)
            return Py_NewRef(places[i].o);
    PyObject *o = PyObject_CallFunction(device_type, "s", hd_device_name(dev));
    if (o && nplaces < (int)(sizeof places / sizeof *places)) {
        places[nplaces].dev = dev;
        places[nplaces++].o = Py_NewRef(o);
    }
    return o;
}

hd_device *hp_device(PyObject *o)
{
    Py_ssize_t length;
    hd_device *dev = NULL;
    for (int i = 0; i < nplaces; i++)
        if (places[i].o == o)
            return places[i].dev;
    if (!o || o == Py_None) {
        dev = hd_device_current();
    } else {
        const char *name = PyUnicode_AsUTF8AndSize(o, &length);
        if (!name)
            return NULL;
        dev = hd_device_get(name);
    }
    if (!dev)
        hp_raise();
    return dev;
}

void hp_come_after(hd_device *gpu, uintptr_t stream)
{
    int had = hd_error_peek()->code != HD_OK;
    hd_status status = hd_stream_follow(gpu, stream);
    if (status != HD_OK && !had)   /* a lost device: nobody is at work on it */
        hd_error_take(NULL);
}

int hp_cuda_ordinal(const hd_device *dev)
{
    const char *name = hd_device_name(dev);
    return strncmp(name, "cuda:", 5) == 0 ? atoi(name + 5) : -1;
}

static int check_guard(const hd_device *dev, PyObject *o)
{
    if (!guarded || hd_device_is_host(dev) || !(hp_is_numpy_array(o) || PyList_Check(o)))
        return 0;
    PyErr_Format(PyExc_RuntimeError,
                 "heddle.config.transfer_guard disallows sending host data (%R) to device %s as an "
                 "operand; asarray() does it in so many words",
                 (PyObject *)Py_TYPE(o), hd_device_name(dev));
    return -1;
}

int hp_check_guard_out(const hd_device *dev)
{
    if (!guarded || hd_device_is_host(dev))
        return 0;
    PyErr_Format(PyExc_RuntimeError,
                 "heddle.config.transfer_guard disallows sending an array of device %s to the "
                 "host; x.get() does it in so many words",
                 hd_device_name(dev));
    return -1;
}

int hp_enter_device(hd_device *dev, PyObject *o, hd_device **before)
{
    *before = NULL;
    if (!hp_is_foreign(o))
        return 0;
    if (check_guard(dev, o) < 0)
        return -1;
    *before = hp_switch(dev);
    return 0;
}

int hp_enter_beside(PyObject *const *args, Py_ssize_t n, hd_device **before)
{
    hd_device *dev = NULL;
    *before = NULL;
    for (Py_ssize_t i = 0; i < n && !dev; i++)
        if (hp_check(args[i]))
            dev = hd_device_of(hp_a(args[i]));
    if (guarded) {
        hd_device *to = dev ? dev : hp_device(NULL);
        if (!to)
            return -1;
        for (Py_ssize_t i = 0; i < n; i++)
            if (check_guard(to, args[i]) < 0)
                return -1;
    }
    if (dev)
        *before = hp_switch(dev);
    return 0;
}

hd_array *hp_on_host(const hd_array *a)
{
    hd_array *host = hd_to_host(a);
    return host ? host : (hp_raise(), NULL);
}

/* ---- __cuda_array_interface__ ---------------------------------------------------------------- */

/* May run in any thread, with or without the GIL. */
static void release_owner(void *owner)
{
    if (!Py_IsInitialized())
        return;
    PyGILState_STATE state = PyGILState_Ensure();
    Py_DECREF((PyObject *)owner);
    PyGILState_Release(state);
}

typedef struct interface {
    int nd, nstrides, readonly;
    int64_t shape[HD_MAXDIM], strides[HD_MAXDIM];
    hd_dtype dt;
    void *data;
    unsigned long long stream;   /* 0: there is nothing to wait for */
} interface;

/* Borrowed; NULL without an exception if it is missing or None. */
static PyObject *entry(PyObject *dict, const char *name)
{
    PyObject *o = PyDict_GetItemString(dict, name);
    return o == Py_None ? NULL : o;
}

static int refuse(const char *message)
{
    PyErr_Format(PyExc_ValueError, "__cuda_array_interface__: %s", message);
    return -1;
}

static int take_typestr(PyObject *o, interface *x)
{
    Py_ssize_t length;
    const char *text = o && PyUnicode_Check(o) ? PyUnicode_AsUTF8AndSize(o, &length) : NULL;
    if (!text)
        return refuse("there is no typestr");
    if (text[0] == '>')
        return refuse("the bytes are not in this machine's order");
    if (hp_dtype(o, &x->dt) < 0)
        return -1;
    return hd_dtype_ready(x->dt) ? 0 : refuse("heddle has no arrays of this dtype");
}

static int parse_interface(PyObject *dict, interface *x)
{
    PyObject *shape = entry(dict, "shape"), *data = entry(dict, "data"),
             *strides = entry(dict, "strides"), *stream = entry(dict, "stream");
    if (!shape || !data || !PyTuple_Check(data) || PyTuple_Size(data) != 2)
        return refuse("it has no shape, or no data");
    if (entry(dict, "mask"))
        return refuse("masked arrays are not supported");
    if (hp_shape(shape, x->shape, &x->nd) < 0 || take_typestr(entry(dict, "typestr"), x) < 0)
        return -1;
    x->nstrides = x->nd;
    if (strides && hp_shape(strides, x->strides, &x->nstrides) < 0)
        return -1;
    if (x->nstrides != x->nd)
        return refuse("shape and strides differ in length");
    x->nstrides = strides ? x->nd : -1;
    x->data = PyLong_AsVoidPtr(PyTuple_GetItem(data, 0));
    x->readonly = PyObject_IsTrue(PyTuple_GetItem(data, 1));
    x->stream = stream ? PyLong_AsUnsignedLongLong(stream) : 0;
    if (PyErr_Occurred())
        return -1;
    return stream && x->stream == 0 ? refuse("stream 0 is ambiguous") : 0;
}

/* The array over that memory, if it is dev's, whose later work waits for the interface's stream:
 * that is dev's as well. Takes a reference to owner. *found: the memory is dev's. */
static hd_array *over_on(hd_device *dev, const interface *x, PyObject *owner, int *found)
{
    uintptr_t own, current;
    hd_array *a = hd_wrap_device(dev, x->nd, x->shape, x->nstrides < 0 ? NULL : x->strides, x->dt,
                                 x->data, x->readonly, release_owner, owner);
    *found = a != NULL;
    if (!a)
        return NULL;
    Py_INCREF(owner);
    if (x->stream == 0 || (hd_stream_get(dev, &own, &current) == HD_OK &&
                           hd_stream_order(dev, (uintptr_t)x->stream, current) == HD_OK))
        return a;
    hd_release(a);
    return NULL;
}

/* On whichever device it is. */
static hd_array *over(const interface *x, PyObject *owner)
{
    int n = hd_device_count("cuda");
    for (int i = 0; i < n; i++) {
        char name[16];
        PyOS_snprintf(name, sizeof name, "cuda:%d", i);
        hd_device *dev = hd_device_get(name);
        int found = 0;
        hd_array *a = dev ? over_on(dev, x, owner, &found) : NULL;
        if (a)
            return a;
        if (found || hd_error_peek()->code != HD_VALUE || i + 1 == n)
            return hp_raise(), NULL;
        hd_error_take(NULL);   /* it may be another device's memory */
    }
    refuse("there is no CUDA device");
    return NULL;
}

int hp_from_cuda(PyObject *o, hd_array **a)
{
    interface x;
    if (hp_check(o) || PyUnicode_Check(o) || PyBytes_Check(o))
        return 0;
    PyObject *dict = PyObject_GetAttrString(o, "__cuda_array_interface__");
    if (!dict) {
        PyErr_Clear();
        return 0;
    }
    *a = NULL;
    if (!PyDict_Check(dict))
        refuse("it is no dict");
    else if (parse_interface(dict, &x) == 0)
        *a = over(&x, o);
    Py_DECREF(dict);
    return *a ? 1 : -1;
}

/* ---- functions of the module ----------------------------------------------------------------- */

/* _set_transfer_guard(on) */
static PyObject *set_transfer_guard(PyObject *module, PyObject *on)
{
    (void)module;
    int before = guarded;
    return hp_true(on, &guarded) < 0 ? NULL : PyBool_FromLong(before);
}

/* _to_host(x): the elements in an array on the CPU. */
static PyObject *to_host(PyObject *module, PyObject *x)
{
    (void)module;
    hd_array *a = hp_to_array(x, HD_NO_DTYPE);
    hd_array *host = a ? hp_on_host(a) : NULL;
    hd_release(a);
    return host ? hp_wrap(host) : NULL;
}

/* _write(x, buffer): x's elements from memory in C order, of the same shape and dtype. */
static PyObject *write_elements(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    (void)module;
    Py_buffer b;
    if (nargs != 2 || !hp_check(args[0])) {
        PyErr_SetString(PyExc_TypeError, "_write() needs a heddle.ndarray and a buffer");
        return NULL;
    }
    if (PyObject_GetBuffer(args[1], &b, PyBUF_C_CONTIGUOUS) < 0)
        return NULL;
    hd_array *x = hp_a(args[0]);
    PyObject *r = NULL;
    if (b.len != hd_nbytes(x))
        PyErr_Format(PyExc_ValueError, "%zd bytes for an array of %lld", b.len,
                     (long long)hd_nbytes(x));
    else
        r = hp_none(hd_write(x, b.buf));
    PyBuffer_Release(&b);
    return r;
}

/* _set_device_type(type): what x.device is an object of. */
static PyObject *set_device_type(PyObject *module, PyObject *type)
{
    (void)module;
    Py_XDECREF(device_type);
    device_type = Py_NewRef(type);
    Py_RETURN_NONE;
}

/* _is_host(device): does it use the host's memory? */
static PyObject *is_host(PyObject *module, PyObject *device)
{
    (void)module;
    hd_device *dev = hp_device(device);
    return dev ? PyBool_FromLong(hd_device_is_host(dev)) : NULL;
}

static PyObject *device_count(PyObject *module, PyObject *kind)
{
    Py_ssize_t length;
    (void)module;
    const char *name = PyUnicode_AsUTF8AndSize(kind, &length);
    return name ? PyLong_FromLong(hd_device_count(name)) : NULL;
}

/* _memory_limit(device, bytes) */
static PyObject *memory_limit(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    (void)module;
    int64_t bytes;
    hd_device *dev = nargs == 2 ? hp_device(args[0]) : NULL;
    if (!dev || hp_int64(args[1], &bytes) < 0)
        return NULL;
    return PyLong_FromLongLong(hd_memory_limit(dev, bytes));
}

/* The object that x.device is for arrays that are made now. */
static PyObject *here(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    hd_device *dev = hp_device(NULL);
    return dev ? hp_device_object(dev) : NULL;
}

PyMethodDef hp_device_functions[] = {
    {"_here", here, METH_NOARGS, NULL},
    {"_set_transfer_guard", set_transfer_guard, METH_O, NULL},
    {"_set_device_type", set_device_type, METH_O, NULL},
    {"_to_host", to_host, METH_O, NULL},
    {"_write", (PyCFunction)(void (*)(void))write_elements, METH_FASTCALL, NULL},
    {"_is_host", is_host, METH_O, NULL},
    {"_device_count", device_count, METH_O, NULL},
    {"_memory_limit", (PyCFunction)(void (*)(void))memory_limit, METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL}};
