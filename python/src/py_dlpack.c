/* SPDX-License-Identifier: BSD-3-Clause */
/* py_dlpack.c - DLPack out (x.__dlpack__()) and in (from_dlpack()): the protocol of Python around
 * heddle/dlpack.h, whose tensors hold nothing of Python's, so that their deleters need no GIL. */
#include "py.h"

#include <heddle/dlpack.h>

enum { MAJOR = 1, HOST = 1 };   /* DLPack's version, its device type of the host's memory */

static const char plain_name[] = "dltensor", versioned_name[] = "dltensor_versioned";
static const char used_plain_name[] = "used_dltensor",
                  used_versioned_name[] = "used_dltensor_versioned";

static PyObject *refuse(const char *message)
{
    PyErr_SetString(PyExc_BufferError, message);
    return NULL;
}

/* ---- out ------------------------------------------------------------------------------------- */

/* A capsule that nobody consumed owns its tensor. */
static void free_capsule(PyObject *capsule)
{
    if (PyCapsule_IsValid(capsule, plain_name))
        hd_dlpack_free_unversioned(PyCapsule_GetPointer(capsule, plain_name));
    else if (PyCapsule_IsValid(capsule, versioned_name))
        hd_dlpack_free(PyCapsule_GetPointer(capsule, versioned_name));
}

/* Takes a. */
static PyObject *make_capsule(hd_array *a, int versioned, int copied, int64_t stream)
{
    void *tensor = versioned ? (void *)hd_to_dlpack(a, copied, stream)
                             : (void *)hd_to_dlpack_unversioned(a, copied, stream);
    hd_release(a);
    if (!tensor)
        return hp_raise();
    PyObject *capsule =
        PyCapsule_New(tensor, versioned ? versioned_name : plain_name, free_capsule);
    if (!capsule && versioned)
        hd_dlpack_free(tensor);
    else if (!capsule)
        hd_dlpack_free_unversioned(tensor);
    return capsule;
}

static int two_ints(PyObject *o, const char *name, int *a, int *b)
{
    if (PyTuple_Check(o) && PyTuple_Size(o) == 2)
        return PyArg_ParseTuple(o, "ii", a, b) ? 0 : -1;
    PyErr_Format(PyExc_TypeError, "%s must be a tuple of two integers or None, not %R", name, o);
    return -1;
}

/* Is the (device type, id) that the consumer asks for where a is (1), or the host, which a copy
 * can be on (0)? -1 with an exception. */
static int is_there(PyObject *o, const hd_array *a)
{
    int own_type, own_id, type, id;
    if (hd_dlpack_device(a, &own_type, &own_id) != HD_OK)
        return hp_raise(), -1;
    type = own_type;
    id = own_id;
    if (o && o != Py_None && two_ints(o, "dl_device", &type, &id) < 0)
        return -1;
    if (type == own_type && id == own_id)
        return 1;
    return type == HOST && id == 0 ? 0 : (refuse("unsupported device requested"), -1);
}

/* The consumer's stream: -1 for none to wait. 0 or -1. */
static int take_stream(PyObject *o, int on_host, int64_t *stream)
{
    *stream = 1;   /* CUDA's legacy default stream is what None means */
    if (!o || o == Py_None)
        return 0;
    if (on_host) {
        PyErr_SetString(PyExc_ValueError, "stream must be None: the array is in host memory");
        return -1;
    }
    *stream = PyLong_AsLongLong(o);
    if (PyErr_Occurred())
        return -1;
    /* others are addresses, which the driver believes: no stream lies in the first pages */
    if (*stream != 0 && *stream >= -1 && (*stream <= 2 || *stream >= 4096))
        return 0;
    PyErr_Format(PyExc_ValueError,
                 "stream %lld is not allowed: 0 is ambiguous, and 3 to 4095 are no addresses",
                 (long long)*stream);
    return -1;
}

static int wants_versioned(PyObject *max_version)
{
    int major, minor;
    if (!max_version || max_version == Py_None)
        return 0;
    if (two_ints(max_version, "max_version", &major, &minor) < 0)
        return -1;
    return major >= MAJOR;
}

static PyObject *array_dlpack(PyObject *self, HP_FAST)
{
    static hp_signature s = {.name = "__dlpack__",
                             .names = {"stream", "max_version", "dl_device", "copy"}};
    PyObject *v[4];
    int copy = -1, there;
    int64_t stream;
    hd_array *a = hp_a(self);
    if (hp_parse(&s, args, nargs, kwnames, v) < 0 || (there = is_there(v[2], a)) < 0 ||
        take_stream(v[0], hd_device_is_host(hd_device_of(a)), &stream) < 0)
        return NULL;
    if (v[3] && v[3] != Py_None && hp_true(v[3], &copy) < 0)
        return NULL;
    int versioned = wants_versioned(v[1]);
    if (versioned < 0)
        return NULL;
    if (!there) {
        hd_array *host = copy == 0 ? NULL : hp_on_host(a);
        if (copy == 0)
            return refuse("the array is on a CUDA device: the host can have a copy only");
        return host ? make_capsule(host, versioned, 1, HD_NO_STREAM) : NULL;
    }
    if (copy != 1)
        return make_capsule(hd_retain(a), versioned, 0, stream);
    hd_array *c = hd_copy(a, 'K');
    return c ? make_capsule(c, versioned, 1, stream) : hp_raise();
}

static PyObject *array_dlpack_device(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    int type, id;
    if (hd_dlpack_device(hp_a(self), &type, &id) != HD_OK)
        return hp_raise();
    return Py_BuildValue("(ii)", type, id);
}

/* ---- in -------------------------------------------------------------------------------------- */

/* The array, which owns the tensor from here on; on failure it stays the capsule's. */
static PyObject *taken(hd_array *a, PyObject *capsule, const char *used_name)
{
    if (!a)
        return hp_raise();
    PyCapsule_SetName(capsule, used_name);
    return hp_wrap(a);
}

/* _from_capsule(capsule): the array shares the tensor's memory. */
static PyObject *from_capsule(PyObject *module, PyObject *capsule)
{
    (void)module;
    if (PyCapsule_IsValid(capsule, versioned_name))
        return taken(hd_from_dlpack(PyCapsule_GetPointer(capsule, versioned_name)), capsule,
                     used_versioned_name);
    if (PyCapsule_IsValid(capsule, plain_name))
        return taken(hd_from_dlpack_unversioned(PyCapsule_GetPointer(capsule, plain_name)),
                     capsule, used_plain_name);
    PyErr_SetString(PyExc_ValueError,
                    "from_dlpack: no DLPack capsule, or one that was used before");
    return NULL;
}

/* ---- NumPy ----------------------------------------------------------------------------------- */

/* NumPy 2's protocol: copy=None shares if it can. */
static PyObject *array_array(PyObject *self, HP_FAST)
{
    static hp_signature s = {.name = "__array__", .positional = 1, .names = {"dtype", "copy"}};
    PyObject *v[2];
    if (hp_parse(&s, args, nargs, kwnames, v) < 0)
        return NULL;
    int host = hd_device_is_host(hd_device_of(hp_a(self)));
    if (!host && v[1] == Py_False) {
        PyErr_Format(PyExc_ValueError, "the array is on device %s: NumPy can have a copy only",
                     hd_device_name(hd_device_of(hp_a(self))));
        return NULL;
    }
    if (hp_see(HP_ARRAY) < 0)
        return NULL;
    PyObject *view = host && hd_dtype_of(hp_a(self)) != HD_BFLOAT16 ? hp_memory_view(self)
                                                                    : hp_as_numpy(self, 0);
    PyObject *kwargs =
        Py_BuildValue("{s:O,s:O}", "dtype", v[0] ? v[0] : Py_None, "copy",
                      v[1] && host ? v[1] : Py_None);
    PyObject *r =
        view && kwargs ? hp_numpy_call("array", PyTuple_Pack(1, view), Py_NewRef(kwargs)) : NULL;
    Py_XDECREF(view);
    Py_XDECREF(kwargs);
    return r;
}

PyMethodDef hp_export_methods[] = {
    HP_METHOD("__dlpack__", array_dlpack, "a DLPack capsule over the array's memory"),
    HP_METHOD("__array__", array_array, "a numpy.ndarray over the array's memory"),
    {"__dlpack_device__", array_dlpack_device, METH_NOARGS,
     "(device type, device id) as DLPack counts them"},
    {NULL, NULL, 0, NULL}};

PyMethodDef hp_exchange_functions[] = {
    {"_from_capsule", from_capsule, METH_O, NULL},
    {NULL, NULL, 0, NULL}};
