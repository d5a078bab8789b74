/* SPDX-License-Identifier: BSD-3-Clause */
/* py_graph.c - captures and graphs, for the streams and graphs of heddle.cuda and heddle.cupy. */
#include "py.h"

#include <heddle/graph.h>

static const char graph_name[] = "heddle.graph";

static void free_graph(PyObject *capsule)
{
    hd_graph_free(PyCapsule_GetPointer(capsule, graph_name));
}

static hd_graph *graph_of(PyObject *capsule)
{
    return PyCapsule_GetPointer(capsule, graph_name);
}

/* _capture_begin(device) */
static PyObject *capture_begin(PyObject *module, PyObject *device)
{
    (void)module;
    hd_device *dev = hp_device(device);
    return dev ? hp_none(hd_capture_begin(dev)) : NULL;
}

/* _capture_end(device): the graph. */
static PyObject *capture_end(PyObject *module, PyObject *device)
{
    (void)module;
    hd_graph *graph = NULL;
    hd_device *dev = hp_device(device);
    if (!dev)
        return NULL;
    if (hd_capture_end(dev, &graph) != HD_OK)
        return hp_raise();
    PyObject *capsule = PyCapsule_New(graph, graph_name, free_graph);
    if (!capsule)
        hd_graph_free(graph);
    return capsule;
}

/* _capture_drop(device): its end, without a graph. */
static PyObject *capture_drop(PyObject *module, PyObject *device)
{
    (void)module;
    hd_device *dev = hp_device(device);
    return dev ? hp_none(hd_capture_end(dev, NULL)) : NULL;
}

/* _capture_pause(device, pause) */
static PyObject *capture_pause(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    (void)module;
    int pause = 0;
    if (nargs != 2) {
        PyErr_SetString(PyExc_TypeError, "_capture_pause() takes a device and a flag");
        return NULL;
    }
    hd_device *dev = hp_device(args[0]);
    if (!dev || hp_true(args[1], &pause) < 0)
        return NULL;
    return hp_none(hd_capture_pause(dev, pause));
}

/* _capturing(device or None): does this thread capture there? */
static PyObject *capturing(PyObject *module, PyObject *device)
{
    (void)module;
    hd_device *dev = hp_device(device);
    return dev ? PyBool_FromLong(hd_capturing(dev)) : NULL;
}

/* _graph_launch(graph) */
static PyObject *graph_launch(PyObject *module, PyObject *capsule)
{
    (void)module;
    hd_graph *graph = graph_of(capsule);
    return graph ? hp_none(hd_graph_launch(graph)) : NULL;
}

/* _graph_operations(graph): their names. */
static PyObject *graph_operations(PyObject *module, PyObject *capsule)
{
    (void)module;
    const hd_graph *graph = graph_of(capsule);
    if (!graph)
        return NULL;
    PyObject *names = PyList_New(0);
    for (int64_t i = 0; names && i < hd_graph_size(graph); i++) {
        PyObject *name = PyUnicode_FromString(hd_graph_operation(graph, i));
        if (!name || PyList_Append(names, name) < 0)
            Py_CLEAR(names);
        Py_XDECREF(name);
    }
    return names;
}

PyMethodDef hp_graph_functions[] = {
    {"_capture_begin", capture_begin, METH_O, NULL},
    {"_capture_end", capture_end, METH_O, NULL},
    {"_capture_drop", capture_drop, METH_O, NULL},
    {"_capture_pause", (PyCFunction)(void (*)(void))capture_pause, METH_FASTCALL, NULL},
    {"_capturing", capturing, METH_O, NULL},
    {"_graph_launch", graph_launch, METH_O, NULL},
    {"_graph_operations", graph_operations, METH_O, NULL},
    {NULL, NULL, 0, NULL}};
