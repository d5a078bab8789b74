/* SPDX-License-Identifier: BSD-3-Clause */
/* py_buffer.c - the buffer protocol: memoryview(x), numpy.asarray(x) and whoever else reads
 * memory in place. While a buffer is held the storage counts as shared, so that records on it
 * run before they return (rule M9). */
#include "py.h"

#include <stdlib.h>

/* What a buffer keeps: its own handle, since x.shape = ... replaces the object's. */
typedef struct lease {
    hd_array *a;
    Py_ssize_t shape[HD_MAXDIM], strides[HD_MAXDIM];
} lease;

/* ---- conversions that nobody asked for in so many words -------------------------------------- */

_Thread_local int hp_converting;
static PyObject *watcher;   /* seen(way) of heddle._conversions */

int hp_see(hp_way way)
{
    static const char *const texts[] = {"buffer", "__array__", "__array_interface__"};
    static PyObject *names[sizeof texts / sizeof *texts];
    if (HP_UNLIKELY(!watcher) || hp_converting)
        return 0;
    if (HP_UNLIKELY(!names[way]) && !(names[way] = PyUnicode_InternFromString(texts[way])))
        return -1;
    PyObject *done = PyObject_CallFunctionObjArgs(watcher, names[way], NULL);
    Py_XDECREF(done);
    return done ? 0 : -1;
}

PyObject *hp_memory_view(PyObject *self)
{
    hp_converting++;
    PyObject *view = PyMemoryView_FromObject(self);
    hp_converting--;
    return view;
}

/* _set_watcher(seen): who is told of conversions to NumPy's arrays. */
static PyObject *set_watcher(PyObject *module, PyObject *o)
{
    (void)module;
    return hp_put(&watcher, o);
}

PyMethodDef hp_buffer_functions[] = {{"_set_watcher", set_watcher, METH_O, NULL},
                                     {NULL, NULL, 0, NULL}};

/* ---- buffers --------------------------------------------------------------------------------- */

static int refuse(const char *message)
{
    PyErr_SetString(PyExc_BufferError, message);
    return -1;
}

/* May the consumer have the array as it lies? */
static int check_request(unsigned have, int flags)
{
    if ((flags & PyBUF_WRITABLE) && !(have & HD_WRITEABLE))
        return refuse("buffer source array is read-only");
    int c = (have & HD_C_CONTIGUOUS) != 0, f = (have & HD_F_CONTIGUOUS) != 0;
    if ((flags & PyBUF_C_CONTIGUOUS) == PyBUF_C_CONTIGUOUS && !c)
        return refuse("ndarray is not C-contiguous");
    if ((flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS && !f)
        return refuse("ndarray is not Fortran contiguous");
    if ((flags & PyBUF_ANY_CONTIGUOUS) == PyBUF_ANY_CONTIGUOUS && !c && !f)
        return refuse("ndarray is not contiguous");
    if ((flags & PyBUF_STRIDES) != PyBUF_STRIDES && !c)
        return refuse("ndarray is not C-contiguous");
    return 0;
}

static void describe(Py_buffer *view, lease *l, int flags)
{
    const hd_array *a = l->a;
    hd_dtype dt = hd_dtype_of(a);
    for (int i = 0; i < hd_ndim(a); i++) {
        l->shape[i] = (Py_ssize_t)hd_shape(a)[i];
        l->strides[i] = (Py_ssize_t)hd_strides(a)[i];
    }
    view->len = (Py_ssize_t)hd_nbytes(a);
    view->itemsize = hd_dtype_size(dt);
    view->readonly = !(hd_flags(a) & HD_WRITEABLE);
    view->ndim = flags & PyBUF_ND ? hd_ndim(a) : 0;   /* as NumPy: hashlib asks for bytes alone */
    view->format = flags & PyBUF_FORMAT ? (char *)(uintptr_t)hp_dtype_format(dt) : NULL;
    view->shape = flags & PyBUF_ND ? l->shape : NULL;
    view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? l->strides : NULL;
    view->suboffsets = NULL;
    view->internal = l;
}

static int array_getbuffer(PyObject *self, Py_buffer *view, int flags)
{
    hd_array *a = hp_a(self);
    unsigned have = hd_flags(a);
    view->obj = NULL;
    if ((flags & PyBUF_FORMAT) && !hp_dtype_format(hd_dtype_of(a)))
        return refuse("the buffer protocol has no format for bfloat16");
    if (check_request(have, flags) < 0)
        return -1;
    if (hd_device_is_host(hd_device_of(a)) && hp_see(HP_BUFFER) < 0)
        return -1;
    lease *l = malloc(sizeof *l);
    if (!l)
        return PyErr_NoMemory(), -1;
    view->buf = hd_export(a, (have & HD_WRITEABLE) != 0);
    if (!view->buf) {
        free(l);
        return hp_raise(), -1;
    }
    l->a = hd_retain(a);
    describe(view, l, flags);
    view->obj = Py_NewRef(self);
    return 0;
}

static void array_releasebuffer(PyObject *self, Py_buffer *view)
{
    (void)self;
    lease *l = view->internal;
    hd_unexport(l->a);
    hd_release(l->a);
    free(l);
}

PyType_Slot hp_buffer_slots[] = {
    {Py_bf_getbuffer, array_getbuffer}, {Py_bf_releasebuffer, array_releasebuffer}, {0, NULL}};
