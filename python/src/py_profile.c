/* SPDX-License-Identifier: BSD-3-Clause */
/* py_profile.c - hd_profile_start() and hd_profile_stop() for heddle.profile(). */
#include "py.h"

#include <heddle/profile.h>

static PyObject *start(PyObject *module, PyObject *ignored)
{
    (void)module, (void)ignored;
    return hd_profile_start() == HD_OK ? Py_NewRef(Py_None) : hp_raise();
}

static const char *const kinds[] = {[HD_SPAN_KERNEL] = "kernel",
                                    [HD_SPAN_LIBRARY] = "library call",
                                    [HD_SPAN_COPY] = "copy",
                                    [HD_SPAN_COMPILE] = "compilation"};

/* Appends the span as a tuple; *list is NULL after a failure. */
static void take(const hd_span *s, void *list)
{
    PyObject **all = list;
    PyObject *o = *all == NULL ? NULL
                               : Py_BuildValue("ssssiddLL", kinds[s->kind], s->name, s->device,
                                               s->shape, s->thread, s->begin, s->seconds,
                                               (long long)s->bytes, (long long)s->operations);
    if (o == NULL || PyList_Append(*all, o) < 0)
        Py_CLEAR(*all);
    Py_XDECREF(o);
}

/* _profile_stop(): the spans, each as (kind, name, device, shape, thread, begin, seconds, bytes,
 * operations), and how many were lost. */
static PyObject *stop(PyObject *module, PyObject *ignored)
{
    (void)module, (void)ignored;
    int64_t lost = 0;
    PyObject *list = PyList_New(0);
    if (list == NULL)
        return NULL;
    hd_status status = hd_profile_stop(take, &list, &lost);
    if (list == NULL)
        return hp_raise();
    if (status != HD_OK) {
        Py_DECREF(list);
        return hp_raise();
    }
    return Py_BuildValue("NL", list, (long long)lost);
}

PyMethodDef hp_profile_functions[] = {{"_profile_start", start, METH_NOARGS, NULL},
                                      {"_profile_stop", stop, METH_NOARGS, NULL},
                                      {NULL, NULL, 0, NULL}};
