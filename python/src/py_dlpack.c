/* SPDX-License-Identifier: BSD-3-Clause */
/* py_dlpack.c - DLPack out (x.__dlpack__()) and in (from_dlpack()). The structs that go out hold
 * a handle of the library and nothing of Python's, so that their deleters need no GIL. */
#include "py.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "py_dlpack.h"

static const char plain_name[] = "dltensor", versioned_name[] = "dltensor_versioned";
static const char used_plain_name[] = "used_dltensor",
                  used_versioned_name[] = "used_dltensor_versioned";

static PyObject *refuse(const char *message)
{
    PyErr_SetString(PyExc_BufferError, message);
    return NULL;
}

/* ---- dtypes ---------------------------------------------------------------------------------- */

static dl_dtype to_dl_dtype(hd_dtype dt)
{
    static const struct { char kind; uint8_t code; } codes[] = {
        {'b', DL_BOOL}, {'i', DL_INT}, {'u', DL_UINT}, {'f', DL_FLOAT}, {'c', DL_COMPLEX}};
    dl_dtype d = {DL_BFLOAT, (uint8_t)(8 * hd_dtype_size(dt)), 1};
    for (size_t i = 0; i < sizeof codes / sizeof *codes && dt != HD_BFLOAT16; i++)
        if (codes[i].kind == hd_dtype_kind(dt))
            d.code = codes[i].code;
    return d;
}

static hd_dtype from_dl_dtype(dl_dtype d)
{
    for (int dt = HD_BOOL; dt < HD_DTYPE_COUNT; dt++) {
        dl_dtype candidate = to_dl_dtype((hd_dtype)dt);
        if (candidate.code == d.code && candidate.bits == d.bits && d.lanes == 1)
            return (hd_dtype)dt;
    }
    return HD_NO_DTYPE;
}

/* ---- out ------------------------------------------------------------------------------------- */

/* One block: the struct of either kind, then shape and strides. */
typedef struct outgoing {
    union { dl_managed plain; dl_versioned versioned; } dl;
    hd_array *a;
    hd_device *gpu;          /* NULL: it is in the host's memory */
    int64_t stream;          /* the consumer's */
    int64_t numbers[];
} outgoing;

static void let_go(outgoing *o)
{
    if (o->gpu)
        hp_come_after(o->gpu, (uintptr_t)o->stream);
    hd_unexport(o->a);
    hd_release(o->a);
    free(o);
}

static void delete_plain(dl_managed *m) { let_go(m->context); }
static void delete_versioned(dl_versioned *m) { let_go(m->context); }

/* A capsule that nobody consumed owns its tensor. */
static void free_capsule(PyObject *capsule)
{
    if (PyCapsule_IsValid(capsule, plain_name)) {
        dl_managed *m = PyCapsule_GetPointer(capsule, plain_name);
        m->deleter(m);
    } else if (PyCapsule_IsValid(capsule, versioned_name)) {
        dl_versioned *m = PyCapsule_GetPointer(capsule, versioned_name);
        m->deleter(m);
    }
}

static void fill_tensor(dl_tensor *t, outgoing *o, void *data)
{
    const hd_array *a = o->a;
    int nd = hd_ndim(a), size = hd_dtype_size(hd_dtype_of(a));
    dl_device device = {o->gpu ? DL_CUDA : DL_CPU, o->gpu ? hp_cuda_ordinal(o->gpu) : 0};
    *t = (dl_tensor){data,       device,          nd, to_dl_dtype(hd_dtype_of(a)),
                     o->numbers, o->numbers + nd, 0};
    for (int i = 0; i < nd; i++) {
        t->shape[i] = hd_shape(a)[i];
        t->strides[i] = hd_strides(a)[i] / size;
    }
}

/* The address for the consumer, whose stream from here on waits for ours. */
static void *export_tensor(hd_array *a, int writeable, outgoing *o)
{
    uintptr_t own, current;
    if (!o->gpu)
        return hd_export(a, writeable);
    void *data = hd_export_device(a, writeable);
    if (!data || o->stream < 0)
        return data;
    if (hd_stream_get(o->gpu, &own, &current) == HD_OK &&
        hd_stream_order(o->gpu, current, (uintptr_t)o->stream) == HD_OK)
        return data;
    hd_unexport(a);
    return NULL;
}

/* Takes a. */
static PyObject *make_capsule(hd_array *a, int versioned, uint64_t flags, int64_t stream)
{
    int nd = hd_ndim(a), writeable = (hd_flags(a) & HD_WRITEABLE) != 0;
    hd_device *dev = hd_device_of(a);
    outgoing *o = malloc(sizeof *o + 2 * (size_t)nd * sizeof *o->numbers);
    if (o) {
        o->gpu = hp_cuda_ordinal(dev) >= 0 ? dev : NULL;
        o->stream = stream;
    }
    void *data = o ? export_tensor(a, writeable, o) : NULL;
    if (!data) {
        if (o)
            hp_raise();
        else
            PyErr_NoMemory();
        free(o);
        hd_release(a);
        return NULL;
    }
    o->a = a;
    if (versioned) {
        o->dl.versioned = (dl_versioned){
            DL_MAJOR, DL_MINOR, o, delete_versioned, flags | (writeable ? 0 : DL_READ_ONLY), {0}};
        fill_tensor(&o->dl.versioned.tensor, o, data);
    } else {
        o->dl.plain = (dl_managed){{0}, o, delete_plain};
        fill_tensor(&o->dl.plain.tensor, o, data);
    }
    PyObject *capsule =
        PyCapsule_New(&o->dl, versioned ? versioned_name : plain_name, free_capsule);
    if (!capsule)
        let_go(o);
    return capsule;
}

/* Where a is, as DLPack counts; type 0: nowhere that it knows. */
static dl_device own_device(const hd_array *a)
{
    hd_device *dev = hd_device_of(a);
    int ordinal = hp_cuda_ordinal(dev);
    if (ordinal >= 0)
        return (dl_device){DL_CUDA, ordinal};
    return (dl_device){strcmp(hd_device_name(dev), "cpu") == 0 ? DL_CPU : 0, 0};
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
    dl_device own = own_device(a);
    int type = own.type, id = own.id;
    if (own.type == 0)
        return refuse("DLPack of this device is not supported"), -1;
    if (o && o != Py_None && two_ints(o, "dl_device", &type, &id) < 0)
        return -1;
    if (type == own.type && id == own.id)
        return 1;
    return type == DL_CPU && id == 0 ? 0 : (refuse("unsupported device requested"), -1);
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
    return major >= DL_MAJOR;
}

static int stride_fits(const hd_array *a)
{
    int size = hd_dtype_size(hd_dtype_of(a));
    for (int i = 0; i < hd_ndim(a); i++)
        if (hd_shape(a)[i] > 1 && hd_strides(a)[i] % size != 0)
            return 0;
    return 1;
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
        take_stream(v[0], own_device(a).type == DL_CPU, &stream) < 0)
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
        return host ? make_capsule(host, versioned, DL_IS_COPIED, -1) : NULL;
    }
    if (!stride_fits(a))
        return refuse("DLPack only supports strides which are a multiple of itemsize.");
    if (!versioned && copy != 1 && !(hd_flags(a) & HD_WRITEABLE))
        return refuse("Cannot export readonly array since signalling readonly is unsupported by "
                      "DLPack (supported by newer "
                      "DLPack version).");
    if (copy != 1)
        return make_capsule(hd_retain(a), versioned, 0, stream);
    hd_array *c = hd_copy(a, 'K');
    return c ? make_capsule(c, versioned, DL_IS_COPIED, stream) : hp_raise();
}

static PyObject *array_dlpack_device(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    dl_device own = own_device(hp_a(self));
    if (own.type == 0)
        return refuse("DLPack of this device is not supported");
    return Py_BuildValue("(ii)", (int)own.type, (int)own.id);
}

/* ---- in -------------------------------------------------------------------------------------- */

static void release_plain(void *m)
{
    if (((dl_managed *)m)->deleter)
        ((dl_managed *)m)->deleter(m);
}
static void release_versioned(void *m)
{
    if (((dl_versioned *)m)->deleter)
        ((dl_versioned *)m)->deleter(m);
}

/* An array over the tensor; on failure the tensor stays the capsule's. */
static hd_array *wrap_tensor(const dl_tensor *t, int readonly, void (*deleter)(void *), void *ctx)
{
    int64_t strides[HD_MAXDIM];
    hd_dtype dt = from_dl_dtype(t->dtype);
    hd_device *gpu = NULL;
    if (t->device.type == DL_CUDA) {
        char name[24];
        snprintf(name, sizeof name, "cuda:%d", (int)t->device.id);
        if (!(gpu = hd_device_get(name)))
            return hp_raise(), NULL;
    } else if (t->device.type != DL_CPU && t->device.type != DL_CUDA_HOST) {
        return refuse("from_dlpack: the tensor is neither in host memory nor on a CUDA device"),
               NULL;
    }
    if (dt == HD_NO_DTYPE)
        return refuse("from_dlpack: heddle has no arrays of this dtype"), NULL;
    if (t->ndim > HD_MAXDIM)
        return refuse("from_dlpack: too many dimensions"), NULL;
    for (int i = 0; i < t->ndim && t->strides; i++)
        strides[i] = t->strides[i] * hd_dtype_size(dt);
    const int64_t *given = t->strides ? strides : NULL;
    void *data = t->data ? (char *)t->data + t->byte_offset : NULL;
    hd_array *a =
        gpu ? hd_wrap_device(gpu, t->ndim, t->shape, given, dt, data, readonly, deleter, ctx)
            : hd_wrap(t->ndim, t->shape, given, dt, data, readonly, deleter, ctx);
    return a ? a : (hp_raise(), NULL);
}

static hd_array *from_plain(PyObject *capsule)
{
    dl_managed *m = PyCapsule_GetPointer(capsule, plain_name);
    hd_array *a = wrap_tensor(&m->tensor, 0, release_plain, m);
    if (a)
        PyCapsule_SetName(capsule, used_plain_name);
    return a;
}

static hd_array *from_versioned(PyObject *capsule)
{
    dl_versioned *m = PyCapsule_GetPointer(capsule, versioned_name);
    if (m->major > DL_MAJOR)
        return refuse("from_dlpack: the tensor's DLPack version is too new"), NULL;
    hd_array *a = wrap_tensor(&m->tensor, (m->flags & DL_READ_ONLY) != 0, release_versioned, m);
    if (a)
        PyCapsule_SetName(capsule, used_versioned_name);
    return a;
}

/* _from_capsule(capsule): the array shares the tensor's memory. */
static PyObject *from_capsule(PyObject *module, PyObject *capsule)
{
    (void)module;
    if (PyCapsule_IsValid(capsule, versioned_name))
        return hp_wrap(from_versioned(capsule));
    if (PyCapsule_IsValid(capsule, plain_name))
        return hp_wrap(from_plain(capsule));
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
