/* SPDX-License-Identifier: BSD-3-Clause */
/* py_attrs.c - attributes of heddle.ndarray. */
#include "py.h"

#include <stdio.h>

static PyObject *get_shape(PyObject *self, void *ctx)
{
    (void)ctx;
    return hp_int_tuple(hd_ndim(hp_a(self)), hd_shape(hp_a(self)));
}

/* The handle in the object is replaced (a is taken). The old one lives on: buffers and waiting
 * threads may still use it. */
static int replace_array(PyObject *self, hd_array *a)
{
    hp_extras *e = hp_add_extras(self);
    if (!e) {
        hd_release(a);
        return -1;
    }
    e->replaced = hp_a(self);
    ((hp_array *)self)->a = a;
    return 0;
}

PyObject *hp_replace(PyObject *self, PyObject *other)
{
    return replace_array(self, hd_retain(hp_a(other))) < 0 ? NULL : Py_NewRef(Py_None);
}

static int no_delete(PyObject *value, const char *name)
{
    if (value)
        return 0;
    PyErr_Format(PyExc_AttributeError, "cannot delete array %s", name);
    return -1;
}

/* The extents fit, but not as a view? */
static int no_such_view(PyObject *self, int nd, const int64_t *shape)
{
    hd_error_take(NULL);
    hd_array *copy = hd_reshape(hp_a(self), nd, shape, 'C');
    if (copy)
        PyErr_SetString(
            PyExc_AttributeError,
            "Incompatible shape for in-place modification. Use `.reshape()` to make a copy "
            "with the desired shape.");
    else
        hp_raise();
    hd_release(copy);
    return -1;
}

static int set_shape(PyObject *self, PyObject *value, void *ctx)
{
    (void)ctx;
    int64_t shape[HD_MAXDIM];
    int nd;
    if (no_delete(value, "shape") < 0 || hp_shape(value, shape, &nd) < 0)
        return -1;
    hd_array *view = hd_reshape_view(hp_a(self), nd, shape);
    return view ? replace_array(self, view) : no_such_view(self, nd, shape);
}

static PyObject *get_strides(PyObject *self, void *ctx)
{
    (void)ctx;
    return hp_int_tuple(hd_ndim(hp_a(self)), hd_strides(hp_a(self)));
}

static PyObject *get_ndim(PyObject *self, void *ctx)
{
    (void)ctx;
    return PyLong_FromLong(hd_ndim(hp_a(self)));
}

static PyObject *get_size(PyObject *self, void *ctx)
{
    (void)ctx;
    return PyLong_FromLongLong(hd_size(hp_a(self)));
}

static PyObject *get_itemsize(PyObject *self, void *ctx)
{
    (void)ctx;
    return PyLong_FromLong(hd_dtype_size(hd_dtype_of(hp_a(self))));
}

static PyObject *get_nbytes(PyObject *self, void *ctx)
{
    (void)ctx;
    return PyLong_FromLongLong(hd_nbytes(hp_a(self)));
}

static PyObject *get_dtype(PyObject *self, void *ctx)
{
    (void)ctx;
    return hp_dtype_object(hd_dtype_of(hp_a(self)));
}

static int set_dtype(PyObject *self, PyObject *value, void *ctx)
{
    (void)ctx;
    hd_dtype dt;
    if (no_delete(value, "dtype") < 0 || hp_dtype(value, &dt) < 0)
        return -1;
    hd_array *view = hd_view(hp_a(self), dt == HD_NO_DTYPE ? HD_FLOAT64 : dt);
    if (view)
        return replace_array(self, view);
    hp_raise();
    return -1;
}

static PyObject *get_T(PyObject *self, void *ctx)
{
    (void)ctx;
    return hp_is_scalar(self) ? Py_NewRef(self)
                              : hp_wrap_view(hd_transpose(hp_a(self), NULL), self);
}

static PyObject *get_mT(PyObject *self, void *ctx)
{
    (void)ctx;
    int axes[HD_MAXDIM], nd = hd_ndim(hp_a(self));
    if (nd < 2) {
        PyErr_SetString(PyExc_ValueError, "matrix transpose with ndim < 2 is undefined");
        return NULL;
    }
    for (int i = 0; i < nd; i++)
        axes[i] = i;
    axes[nd - 2] = nd - 1;
    axes[nd - 1] = nd - 2;
    return hp_wrap_view(hd_transpose(hp_a(self), axes), self);
}

static int is_complex(PyObject *self)
{
    return hd_dtype_kind(hd_dtype_of(hp_a(self))) == 'c';
}

static PyObject *get_real(PyObject *self, void *ctx)
{
    (void)ctx;
    return is_complex(self) ? hp_wrap_like(hd_real(hp_a(self)), self) : Py_NewRef(self);
}

static PyObject *get_imag(PyObject *self, void *ctx)
{
    (void)ctx;
    return hp_wrap_like(hd_imag(hp_a(self)), self);
}

/* ctx: NULL for the real part, else the imaginary one. */
static int set_part(PyObject *self, PyObject *value, void *ctx)
{
    if (no_delete(value, ctx ? "imag" : "real") < 0)
        return -1;
    if (ctx && !is_complex(self)) {
        PyErr_SetString(PyExc_TypeError, "array does not have imaginary part to set");
        return -1;
    }
    hd_array *part = ctx ? hd_imag(hp_a(self)) : hd_real(hp_a(self));
    if (!part) {
        hp_raise();
        return -1;
    }
    int status = hp_store(part, value);
    hd_release(part);
    return status;
}

static PyObject *get_base(PyObject *self, void *ctx)
{
    (void)ctx;
    PyObject *base = ((hp_array *)self)->base;
    return Py_NewRef(base ? base : Py_None);
}

static PyObject *get_data(PyObject *self, void *ctx)
{
    (void)ctx;
    return hp_memory_view(self);
}

/* ---- __array_interface__ --------------------------------------------------------------------- */

/* The consumer keeps this object, not a lease: the memory stays where it is until the object
 * dies. */
void *hp_pin(PyObject *self, void *(*export)(hd_array *a, int write))
{
    hp_array *o = (hp_array *)self;
    const hp_extras *known = o->extras;
    while (known && known->pinned != o->a)
        known = known->more;
    hp_extras *e = known ? NULL : hp_add_extras(self);
    if (!known && !e)
        return NULL;
    void *address = export(o->a, (hd_flags(o->a) & HD_WRITEABLE) != 0);
    if (!address)
        return hp_raise(), NULL;
    if (known)
        hd_unexport(o->a);
    else
        e->pinned = hd_retain(o->a);
    return address;
}

static PyObject *interface_strides(PyObject *self)
{
    return hd_flags(hp_a(self)) & HD_C_CONTIGUOUS ? Py_NewRef(Py_None) : get_strides(self, NULL);
}

static void fill_typestr(const hd_array *a, char *text, size_t room)
{
    hd_dtype dt = hd_dtype_of(a);
    int size = hd_dtype_size(dt);
    snprintf(text, room, "%c%c%d", size == 1 ? '|' : '<', hd_dtype_kind(dt), size);
}

/* __cuda_array_interface__, version 3: who reads it waits for the stream that it names. PyTorch
 * does not, and goes on in CUDA's legacy default stream: that one waits for ours. */
static PyObject *get_cuda_interface(PyObject *self, void *ctx)
{
    (void)ctx;
    char typestr[16];
    uintptr_t own, current;
    const hd_array *a = hp_a(self);
    hd_device *dev = hd_device_of(a);
    if (hp_cuda_ordinal(dev) < 0) {
        PyErr_SetString(PyExc_AttributeError,
                        "__cuda_array_interface__: the array is on no CUDA device");
        return NULL;
    }
    void *address = hp_pin(self, hd_export_device);
    if (!address)
        return NULL;
    if (hd_stream_get(dev, &own, &current) != HD_OK || hd_stream_order(dev, current, 1) != HD_OK)
        return hp_raise();
    fill_typestr(a, typestr, sizeof typestr);
    return Py_BuildValue("{s:(NN),s:N,s:s,s:N,s:K,s:i}", "data",
                         PyLong_FromVoidPtr(hd_size(a) > 0 ? address : NULL),
                         PyBool_FromLong(!(hd_flags(a) & HD_WRITEABLE)), "strides",
                         interface_strides(self), "typestr", typestr, "shape",
                         get_shape(self, NULL), "stream", (unsigned long long)current, "version",
                         3);
}

static PyObject *get_interface(PyObject *self, void *ctx)
{
    (void)ctx;
    char typestr[16];
    if (!hd_device_is_host(hd_device_of(hp_a(self)))) {   /* as if there were none */
        PyErr_SetString(PyExc_AttributeError, "__array_interface__: the array is on a device");
        return NULL;
    }
    if (!hp_dtype_format(hd_dtype_of(hp_a(self)))) {   /* NumPy then asks for __array__() */
        PyErr_Format(PyExc_AttributeError, "__array_interface__ has no type for %s",
                     hd_dtype_name(hd_dtype_of(hp_a(self))));
        return NULL;
    }
    if (hp_see(HP_INTERFACE) < 0)
        return NULL;
    fill_typestr(hp_a(self), typestr, sizeof typestr);
    void *address = hp_pin(self, hd_export);
    if (!address)
        return NULL;
    return Py_BuildValue("{s:(NN),s:N,s:[(ss)],s:s,s:N,s:i}", "data", PyLong_FromVoidPtr(address),
                         PyBool_FromLong(!(hd_flags(hp_a(self)) & HD_WRITEABLE)), "strides",
                         interface_strides(self), "descr", "", typestr, "typestr", typestr, "shape",
                         get_shape(self, NULL), "version", 3);
}

/* ---- for the Python side --------------------------------------------------------------------- */

static PyObject *get_flag_bits(PyObject *self, void *ctx)
{
    (void)ctx;
    return PyLong_FromLong((long)hd_flags(hp_a(self)));
}

static int set_flag_writeable(PyObject *self, PyObject *value, void *ctx)
{
    (void)ctx;
    int on = 0;
    if (no_delete(value, "flags") < 0 || hp_true(value, &on) < 0)
        return -1;
    if (hd_set_writeable(hp_a(self), on) == HD_OK)
        return 0;
    hp_raise();
    return -1;
}

static PyObject *get_device(PyObject *self, void *ctx)
{
    (void)ctx;
    return hp_device_object(hd_device_of(hp_a(self)));
}

static PyObject *get_priority(PyObject *self, void *ctx)
{
    (void)ctx;
    (void)self;
    return PyFloat_FromDouble(100.0);
}

PyGetSetDef hp_array_getset[] = {
    {"shape", get_shape, set_shape, "extents of the axes", NULL},
    {"strides", get_strides, NULL, "bytes from one element to the next, along each axis", NULL},
    {"ndim", get_ndim, NULL, "number of axes", NULL},
    {"size", get_size, NULL, "number of elements", NULL},
    {"itemsize", get_itemsize, NULL, "bytes of one element", NULL},
    {"nbytes", get_nbytes, NULL, "bytes of all elements", NULL},
    {"dtype", get_dtype, set_dtype, "element type, a numpy.dtype", NULL},
    {"T", get_T, NULL, "view with the axes reversed", NULL},
    {"mT", get_mT, NULL, "view with the last two axes exchanged", NULL},
    {"real", get_real, set_part, "real part; a view", NULL},
    {"imag", get_imag, set_part, "imaginary part; a view", (void *)"imag"},
    {"base", get_base, NULL, "the array that this is a view of, or None", NULL},
    {"data", get_data, NULL, "memoryview of the elements", NULL},
    {"__array_interface__", get_interface, NULL, "NumPy's array interface, version 3", NULL},
    {"__cuda_array_interface__", get_cuda_interface, NULL, "CUDA's array interface, version 3",
     NULL},
    {"__array_priority__", get_priority, NULL, "above numpy.ndarray's", NULL},
    {"_flag_bits", get_flag_bits, set_flag_writeable, "hd_flags(); set it to change writeability",
     NULL},
    {"device", get_device, NULL, "where the array lives", NULL},
    {NULL, NULL, NULL, NULL, NULL}};
