/* SPDX-License-Identifier: BSD-3-Clause */
/* py_kernel.c - kernels in C source that are compiled here, for heddle.cupy.RawKernel. */
#include "py_kernel.h"

static const char capsule_name[] = "heddle.kernel", module_name[] = "heddle.module";
enum { OPTIONS = 64 };

static void release(PyObject *capsule)
{
    hd_kernel_free(PyCapsule_GetPointer(capsule, capsule_name));
}

/* Takes the kernel; NULL: an error is pending. */
static PyObject *as_capsule(hd_kernel *k)
{
    if (!k)
        return hp_raise();
    PyObject *capsule = PyCapsule_New(k, capsule_name, release);
    if (!capsule)
        hd_kernel_free(k);
    return capsule;
}

hd_kernel *hp_kernel_of(PyObject *o)
{
    return PyCapsule_IsValid(o, capsule_name) ? PyCapsule_GetPointer(o, capsule_name) : NULL;
}

/* The texts of a tuple; -1 and an error, or how many. */
static int take_options(PyObject *options, const char **text)
{
    const Py_ssize_t n = PyTuple_Size(options);
    if (n > OPTIONS) {
        PyErr_Format(PyExc_ValueError, "%zd options, of at most %d", n, OPTIONS);
        return -1;
    }
    for (Py_ssize_t i = 0; i < n; i++)
        if (!(text[i] = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(options, i), NULL)))
            return -1;
    return (int)n;
}

/* The arguments (source, a tuple of options): how many options; -1 and an error. */
static int take_source(PyObject *const *args, Py_ssize_t nargs, const char **source,
                       const char **option)
{
    if (nargs != 2 || !PyTuple_Check(args[1])) {
        PyErr_SetString(PyExc_TypeError, "a source and a tuple of options expected");
        return -1;
    }
    *source = PyUnicode_AsUTF8AndSize(args[0], NULL);
    return *source ? take_options(args[1], option) : -1;
}

/* (source, name, a tuple of options) */
static PyObject *kernel_new(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    const char *option[OPTIONS];
    (void)module;
    if (nargs != 3 || !PyTuple_Check(args[2])) {
        PyErr_SetString(PyExc_TypeError, "a source, a name and a tuple of options expected");
        return NULL;
    }
    const char *source = PyUnicode_AsUTF8AndSize(args[0], NULL);
    const char *name = source ? PyUnicode_AsUTF8AndSize(args[1], NULL) : NULL;
    const int n = name ? take_options(args[2], option) : -1;
    if (n < 0)
        return NULL;
    hd_kernel *k;
    Py_BEGIN_ALLOW_THREADS
    k = hd_kernel_new(source, name, n, option);
    Py_END_ALLOW_THREADS
    return as_capsule(k);
}

/* (kernel, device): makes its code now. */
static PyObject *kernel_compile(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    (void)module;
    hd_kernel *k = nargs == 2 ? hp_kernel_of(args[0]) : NULL;
    hd_device *dev = k ? hp_device(args[1]) : NULL;
    if (!k)
        PyErr_SetString(PyExc_TypeError, "a kernel and a device expected");
    if (!dev)
        return NULL;
    hd_status status;
    Py_BEGIN_ALLOW_THREADS
    status = hd_kernel_compile(k, dev);
    Py_END_ALLOW_THREADS
    return hp_none(status);
}

/* (kernel): for each parameter (name, kind, bytes, access). */
static PyObject *kernel_parameters(PyObject *module, PyObject *o)
{
    (void)module;
    hd_kernel *k = hp_kernel_of(o);
    if (!k) {
        PyErr_SetString(PyExc_TypeError, "a kernel expected");
        return NULL;
    }
    const int n = hd_kernel_nparams(k);
    PyObject *list = PyTuple_New(n);
    for (int i = 0; list && i < n; i++) {
        hd_kernel_param p;
        PyObject *item =
            hd_kernel_param_at(k, i, &p) != HD_OK
                ? hp_raise()
                : Py_BuildValue("(sCni)", p.name, p.kind, (Py_ssize_t)p.bytes, p.access);
        if (!item || PyTuple_SetItem(list, i, item) < 0) {
            Py_DECREF(list);
            return NULL;
        }
    }
    return list;
}

/* (source, a tuple of options): the names of the kernels in it. */
static PyObject *kernel_names(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    const char *source, *option[OPTIONS];
    (void)module;
    const int n = take_source(args, nargs, &source, option);
    char *names = n < 0 ? NULL : hd_kernel_names(source, n, option);
    if (!names)
        return n < 0 ? NULL : hp_raise();
    PyObject *text = PyUnicode_FromString(names);
    PyObject *list = text ? PyObject_CallMethod(text, "split", NULL) : NULL;
    Py_XDECREF(text);
    hd_free_text(names);
    return list;
}

/* ---- modules --------------------------------------------------------------------------------- */

static void release_module(PyObject *capsule)
{
    hd_module_free(PyCapsule_GetPointer(capsule, module_name));
}

/* NULL and a TypeError: it is none. */
static hd_module *module_of(PyObject *o)
{
    if (PyCapsule_IsValid(o, module_name))
        return PyCapsule_GetPointer(o, module_name);
    PyErr_SetString(PyExc_TypeError, "a module expected");
    return NULL;
}

/* (source, a tuple of options) */
static PyObject *module_new(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    const char *source, *option[OPTIONS];
    (void)module;
    const int n = take_source(args, nargs, &source, option);
    hd_module *m = n < 0 ? NULL : hd_module_new(source, n, option);
    if (!m)
        return n < 0 ? NULL : hp_raise();
    PyObject *capsule = PyCapsule_New(m, module_name, release_module);
    if (!capsule)
        hd_module_free(m);
    return capsule;
}

/* (module, name): the kernel. */
static PyObject *module_kernel(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    (void)module;
    hd_module *m = nargs == 2 ? module_of(args[0]) : NULL;
    const char *name = m ? PyUnicode_AsUTF8AndSize(args[1], NULL) : NULL;
    if (!name) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_TypeError, "a module and a name expected");
        return NULL;
    }
    hd_kernel *k;
    Py_BEGIN_ALLOW_THREADS
    k = hd_module_kernel(m, name);
    Py_END_ALLOW_THREADS
    return as_capsule(k);
}

/* (module, device): the memory of its variables, as bytes. */
static PyObject *module_memory(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    (void)module;
    hd_module *m = nargs == 2 ? module_of(args[0]) : NULL;
    hd_device *dev = m ? hp_device(args[1]) : NULL;
    if (!dev) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_TypeError, "a module and a device expected");
        return NULL;
    }
    hd_array *x = hd_module_memory(m, dev);
    return x ? hp_wrap_array(x) : hp_raise();
}

/* (module): {name: (offset, bytes)} */
static PyObject *module_variables(PyObject *module, PyObject *o)
{
    (void)module;
    hd_module *m = module_of(o);
    if (!m)
        return NULL;
    const int n = hd_module_nvariables(m);
    PyObject *all = n < 0 ? hp_raise() : PyDict_New();
    for (int i = 0; all && i < n; i++) {
        hd_module_variable v;
        PyObject *place = hd_module_variable_at(m, i, &v) != HD_OK
                              ? hp_raise()
                              : Py_BuildValue("(LL)", (long long)v.offset, (long long)v.bytes);
        if (!place || PyDict_SetItemString(all, v.name, place) < 0)
            Py_CLEAR(all);
        Py_XDECREF(place);
    }
    return all;
}

/* ---- arguments ------------------------------------------------------------------------------- */

/* A Python number in the bytes of a real parameter. */
static int as_real(PyObject *o, const hd_kernel_param *p, hp_number *v)
{
    const double x = PyFloat_AsDouble(o);
    if (x == -1 && PyErr_Occurred())
        return -1;
    if (p->bytes == sizeof(float))
        v->f[0] = (float)x;
    else
        v->d[0] = x;
    return (int)p->bytes;
}

int hp_kernel_number(hd_kernel *k, int i, PyObject *o, hp_number *v)
{
    hd_kernel_param p;
    if (i >= hd_kernel_nparams(k))
        return 0;
    if (hd_kernel_param_at(k, i, &p) != HD_OK) {
        hp_raise();
        return -1;
    }
    if (p.kind == 'f' && (PyFloat_CheckExact(o) || PyLong_CheckExact(o)))
        return as_real(o, &p, v);
    if (PyFloat_CheckExact(o) && p.kind != 's') {
        PyErr_Format(PyExc_TypeError, "argument %d is a float, and %s is a %s", i, p.name,
                     p.kind == 'p' ? "pointer" : "whole number");
        return -1;
    }
    return 0;
}

PyMethodDef hp_kernel_functions[] = {
    {"_kernel_new", (PyCFunction)(void (*)(void))kernel_new, METH_FASTCALL, NULL},
    {"_kernel_names", (PyCFunction)(void (*)(void))kernel_names, METH_FASTCALL, NULL},
    {"_kernel_compile", (PyCFunction)(void (*)(void))kernel_compile, METH_FASTCALL, NULL},
    {"_kernel_parameters", kernel_parameters, METH_O, NULL},
    {"_module_new", (PyCFunction)(void (*)(void))module_new, METH_FASTCALL, NULL},
    {"_module_kernel", (PyCFunction)(void (*)(void))module_kernel, METH_FASTCALL, NULL},
    {"_module_memory", (PyCFunction)(void (*)(void))module_memory, METH_FASTCALL, NULL},
    {"_module_variables", module_variables, METH_O, NULL},
    {NULL, NULL, 0, NULL}};
