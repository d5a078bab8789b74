/* SPDX-License-Identifier: BSD-3-Clause */
/* py_state.c - the library as a whole: devices, threads, statistics, explain, synchronize. */
#include "py.h"

#include <string.h>

/* _set_device(name): makes it the current device of this thread; the name of the one before. None
 * in both places is the default. */
static PyObject *set_device(PyObject *module, PyObject *name)
{
    (void)module;
    hd_device *dev = name == Py_None ? NULL : hp_device(name);
    if (!dev && name != Py_None)
        return NULL;
    hd_device *before = hd_device_swap(dev);
    return before ? PyUnicode_FromString(hd_device_name(before)) : Py_NewRef(Py_None);
}

/* _device_name(name or None): the name, if there is such a device. */
static PyObject *device_name(PyObject *module, PyObject *name)
{
    (void)module;
    hd_device *dev = hp_device(name);
    return dev ? PyUnicode_FromString(hd_device_name(dev)) : NULL;
}

/* _synchronize(name or None): None means every open device. */
static PyObject *synchronize(PyObject *module, PyObject *name)
{
    (void)module;
    hd_device *dev = name == Py_None ? NULL : hp_device(name);
    return !dev && name != Py_None ? NULL : hp_none(hd_synchronize(dev));
}

static PyObject *trim(PyObject *module, PyObject *name)
{
    (void)module;
    hd_device *dev = hp_device(name);
    return dev ? PyLong_FromLongLong(hd_trim(dev)) : NULL;
}

#define COUNTERS(X)                                                                        \
    X(records)                                                                             \
    X(pending) X(pending_peak) X(dead) X(flushes) X(plans) X(plan_hits) X(planned_records) \
        X(kernels) X(kernel_ops) X(programs) X(takeovers) X(temporaries) X(memory_used)    \
            X(memory_peak) X(memory_cached) X(layouts)

static PyObject *stats(PyObject *module, PyObject *name)
{
    (void)module;
    hd_stats s = {.size = sizeof s};
    hd_device *dev = hp_device(name);
    if (!dev)
        return NULL;
    if (hd_device_stats(dev, &s) != HD_OK)
        return hp_raise();
    PyObject *d = PyDict_New();
    const struct { const char *name; int64_t value; } all[] = {
#define COUNTER(field) {#field, s.field},
        COUNTERS(COUNTER)
    };
    for (size_t i = 0; d && i < sizeof all / sizeof *all; i++) {
        PyObject *v = PyLong_FromLongLong(all[i].value);
        if (!v || PyDict_SetItemString(d, all[i].name, v) < 0)
            Py_CLEAR(d);
        Py_XDECREF(v);
    }
    return d;
}

static PyObject *reset_memory_peak(PyObject *module, PyObject *name)
{
    (void)module;
    hd_device *dev = hp_device(name);
    if (!dev)
        return NULL;
    hd_reset_memory_peak(dev);
    return Py_NewRef(Py_None);
}

static PyObject *set_num_threads(PyObject *module, PyObject *n)
{
    (void)module;
    int threads;
    return hp_int(n, &threads) < 0 ? NULL : hp_none(hd_set_threads(threads));
}

static PyObject *get_num_threads(PyObject *module, PyObject *ignored)
{
    (void)module;
    (void)ignored;
    return PyLong_FromLong(hd_threads());
}

static PyObject *set_tier(PyObject *module, PyObject *tier)
{
    long wish = PyLong_AsLong(tier);
    (void)module;
    return wish == -1 && PyErr_Occurred() ? NULL : PyLong_FromLong(hd_set_tier((int)wish));
}

/* _device_info(name or None): lines of a name, a tab and a value. */
static PyObject *device_info(PyObject *module, PyObject *name)
{
    hd_device *dev = hp_device(name);
    (void)module;
    if (!dev)
        return NULL;
    char *text = hd_device_info(dev);
    if (!text)
        return hp_raise();
    PyObject *o = PyUnicode_FromString(text);
    hd_free_text(text);
    return o;
}

static PyObject *set_fusion(PyObject *module, PyObject *on)
{
    (void)module;
    long mode = PyLong_AsLong(on);
    return mode == -1 && PyErr_Occurred() ? NULL : PyLong_FromLong(hd_set_fusion((int)mode));
}

/* _error_left(): the message of an error of this thread that nobody has raised, or None. It would
 * stand in for the next one: tests ask for it. */
static PyObject *error_left(PyObject *module, PyObject *ignored)
{
    hd_error e;
    (void)module, (void)ignored;
    return hd_error_take(&e) != HD_OK ? PyUnicode_FromString(e.message) : Py_NewRef(Py_None);
}

static PyObject *set_matmul_tf32(PyObject *module, PyObject *on)
{
    (void)module;
    int flag = 0;
    return hp_true(on, &flag) < 0 ? NULL : PyBool_FromLong(hd_set_matmul_tf32(flag));
}

static PyObject *set_deterministic(PyObject *module, PyObject *on)
{
    (void)module;
    int flag = 0;
    return hp_true(on, &flag) < 0 ? NULL : PyBool_FromLong(hd_set_deterministic(flag));
}

/* _explain(x, dot) */
static PyObject *explain(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    (void)module;
    int dot = 0;
    if (nargs != 2 || !hp_check(args[0])) {
        PyErr_SetString(PyExc_TypeError, "explain() needs a heddle.ndarray");
        return NULL;
    }
    if (hp_true(args[1], &dot) < 0)
        return NULL;
    char *text = hd_explain(hp_a(args[0]), dot);
    if (!text)
        return hp_raise();
    PyObject *s = PyUnicode_FromString(text);
    hd_free_text(text);
    return s;
}

/* _eval(x): computes x now. */
static PyObject *eval(PyObject *module, PyObject *x)
{
    (void)module;
    if (!hp_check(x)) {
        PyErr_SetString(PyExc_TypeError, "a heddle.ndarray is needed");
        return NULL;
    }
    return hp_none(hd_eval(hp_a(x)));
}

/* ---- floating-point faults ------------------------------------------------------------------- */

int hp_watching;
static PyObject *reporter;   /* report(faults, operation) of heddle._errstate */
static PyObject *current;    /* its function that gives the setting of this thread's context */
static PyObject *mask_name;

/* The faults that the context of this thread cares for. Nothing here runs Python code: the function
 * is a ContextVar's get(), the attribute a slot. */
static int wanted_faults(void)
{
    if (!hp_gil_is_held())
        return 0;
    PyObject *error[3];
    PyErr_Fetch(&error[0], &error[1], &error[2]);
    PyObject *setting = PyObject_CallNoArgs(current);
    PyObject *mask = setting != NULL ? PyObject_GetAttr(setting, mask_name) : NULL;
    long faults = mask != NULL ? PyLong_AsLong(mask) : 0;   /* no memory: none */
    Py_XDECREF(mask);
    Py_XDECREF(setting);
    PyErr_Restore(error[0], error[1], error[2]);
    return (int)faults;
}

static int report_faults(int faults, const char *operation)
{
    if (PyErr_Occurred())   /* the operation failed for another reason */
        return 1;
    PyObject *done = PyObject_CallFunction(reporter, "is", faults, operation);
    Py_XDECREF(done);
    return done == NULL;
}

/* _watch_faults(faults, report, current): some setting cares for these faults. Operations ask
 * current() for that of their thread's context, and hand report what its mask names. */
static PyObject *watch_faults(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    (void)module;
    int faults;
    if (nargs != 3 || hp_int(args[0], &faults) < 0) {
        PyErr_SetString(PyExc_TypeError, "_watch_faults() takes a number and two functions");
        return NULL;
    }
    if (mask_name == NULL && (mask_name = PyUnicode_InternFromString("mask")) == NULL)
        return NULL;
    PyObject *before[2] = {reporter, current};
    reporter = Py_NewRef(args[1]);
    current = Py_NewRef(args[2]);
    Py_XDECREF(before[0]);
    Py_XDECREF(before[1]);
    hp_watching = faults;
    hd_set_fault_handler(report_faults);
    hd_set_faults_wanted(faults != 0 ? wanted_faults : NULL);
    return Py_NewRef(Py_None);
}

/* ---- memory hooks ---------------------------------------------------------------------------- */

static PyObject *memory_told;   /* tell(taken, device, asked, block, fresh, address) */

/* Within a call of the library, which may have an exception pending or be a destructor's. */
static void tell_memory(const hd_memory_event *e, void *ctx)
{
    PyObject *error[3];
    (void)ctx;
    if (!Py_IsInitialized())
        return;
    PyGILState_STATE state = PyGILState_Ensure();
    PyErr_Fetch(&error[0], &error[1], &error[2]);
    PyObject *done = PyObject_CallFunction(
        memory_told, "OsLLLK", e->given_back ? Py_False : Py_True, hd_device_name(e->device),
        (long long)e->asked, (long long)e->block, (long long)e->fresh,
        (unsigned long long)e->address);
    if (!done)
        PyErr_WriteUnraisable(memory_told);
    Py_XDECREF(done);
    PyErr_Restore(error[0], error[1], error[2]);
    PyGILState_Release(state);
}

/* _set_memory_hook(tell or None): for this thread. All threads have the same function. */
static PyObject *set_memory_hook(PyObject *module, PyObject *tell)
{
    (void)module;
    if (tell == Py_None)
        return hp_none(hd_set_memory_hook(NULL, NULL));
    PyObject *before = memory_told;
    memory_told = Py_NewRef(tell);
    Py_XDECREF(before);
    return hp_none(hd_set_memory_hook(tell_memory, NULL));
}

PyMethodDef hp_state_functions[] = {
    {"_set_device", set_device, METH_O, NULL},
    {"_device_name", device_name, METH_O, NULL},
    {"_synchronize", synchronize, METH_O, NULL},
    {"_trim", trim, METH_O, NULL},
    {"_stats", stats, METH_O, NULL},
    {"_reset_memory_peak", reset_memory_peak, METH_O, NULL},
    {"_error_left", error_left, METH_NOARGS, NULL},
    {"_set_fusion", set_fusion, METH_O, NULL},
    {"_set_matmul_tf32", set_matmul_tf32, METH_O, NULL},
    {"_set_deterministic", set_deterministic, METH_O, NULL},
    {"_set_tier", set_tier, METH_O, NULL},
    {"_device_info", device_info, METH_O, NULL},
    {"_explain", (PyCFunction)(void (*)(void))explain, METH_FASTCALL, NULL},
    {"_watch_faults", (PyCFunction)(void (*)(void))watch_faults, METH_FASTCALL, NULL},
    {"_eval", eval, METH_O, NULL},
    {"_set_memory_hook", set_memory_hook, METH_O, NULL},
    {"set_num_threads", set_num_threads, METH_O,
     "set_num_threads(n, /)\n--\n\nthreads that kernels use; 0 for the default "
     "(HEDDLE_NUM_THREADS, affinity, cgroup)"},
    {"get_num_threads", get_num_threads, METH_NOARGS,
     "get_num_threads()\n--\n\nthreads that kernels use"},
    {NULL, NULL, 0, NULL}};
