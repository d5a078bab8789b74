/* SPDX-License-Identifier: BSD-3-Clause */
/* py_wait.c - letting go of the GIL while kernels run, and Python's signal handlers meanwhile.
 *
 * Python runs these in the main thread, from PyErr_CheckSignals(), and tells nobody without running
 * them whether there are any to run. What it does tell is set_wakeup_fd(): a byte for each signal.
 * While the main thread waits for long work that is a pipe of ours, so that to look for signals
 * needs no GIL, and work is only stopped for one that came. What is read is written on to the
 * descriptor that was set before (asyncio's, say), which is set again when the wait is over. */
#include "py.h"

#include <heddle/wait.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The main thread's only. */
static struct wakeup {
    int from, to;              /* the pipe; -1: none */
    dev_t device;              /* and what it is: programs close what they do not know */
    ino_t inode;
    pid_t process;             /* that made it; the child of a fork() has one of its own */
    bool on;                   /* set_wakeup_fd() has our pipe */
    long before;               /* the descriptor it had before, -1: none */
} wakeup = {.from = -1, .to = -1};

static PyObject *caught[3];    /* the exception of a handler that ran while we waited */

static bool in_main_thread(void)
{
    return getpid() == gettid();
}

/* ---- the exception of a handler -------------------------------------------------------------- */

int hp_raise_caught(void)
{
    if (!caught[0])
        return 0;
    PyErr_Restore(caught[0], caught[1], caught[2]);
    caught[0] = caught[1] = caught[2] = NULL;
    return -1;
}

/* If the work was over before it could be stopped, nobody asked hp_raise(): the exception comes
 * between two bytecodes then, as it would without us. */
static int raise_late(void *ignored)
{
    (void)ignored;
    return hp_raise_caught();
}

static void keep_exception(void)
{
    for (int i = 0; i < 3; i++)
        Py_CLEAR(caught[i]);
    PyErr_Fetch(&caught[0], &caught[1], &caught[2]);
    Py_AddPendingCall(raise_late, NULL);
}

/* ---- the pipe -------------------------------------------------------------------------------- */

static bool is_ours(int fd)
{
    struct stat s;
    return fd >= 0 && fstat(fd, &s) == 0 && s.st_dev == wakeup.device && s.st_ino == wakeup.inode;
}

static void close_pipe(void)
{
    if (is_ours(wakeup.from))
        close(wakeup.from);
    if (is_ours(wakeup.to))
        close(wakeup.to);
    wakeup.from = wakeup.to = -1;
}

static bool open_pipe(void)
{
    int ends[2];
    struct stat s;
    if (wakeup.process == getpid() && is_ours(wakeup.from) && is_ours(wakeup.to))
        return true;
    close_pipe();
    if (pipe(ends) != 0)
        return false;
    for (int k = 0; k < 2; k++) {
        fcntl(ends[k], F_SETFD, FD_CLOEXEC);
        fcntl(ends[k], F_SETFL, O_NONBLOCK);
    }
    wakeup.from = ends[0];
    wakeup.to = ends[1];
    wakeup.process = getpid();
    fstat(wakeup.from, &s);
    wakeup.device = s.st_dev;
    wakeup.inode = s.st_ino;
    return true;
}

/* Reads what signals have written; false if none came. */
static bool read_signals(void)
{
    char bytes[64];
    ssize_t n, all = 0;
    while ((n = read(wakeup.from, bytes, sizeof bytes)) > 0 || (n < 0 && errno == EINTR)) {
        if (n < 0)
            continue;
        all += n;
        if (wakeup.before >= 0 && write((int)wakeup.before, bytes, (size_t)n) < 0)
            continue;   /* a pipe that is full wakes whom it is to wake as well */
    }
    return all > 0;
}

/* signal.set_wakeup_fd(fd): what was there before, or -2. */
static long set_wakeup(long fd)
{
    static PyObject *set;
    PyObject *type, *value, *trace;
    long before = -2;
    PyErr_Fetch(&type, &value, &trace);
    if (!set) {
        PyObject *module = PyImport_ImportModule("signal");
        set = module ? PyObject_GetAttrString(module, "set_wakeup_fd") : NULL;
        Py_XDECREF(module);
    }
    PyObject *old = set ? PyObject_CallFunction(set, "l", fd) : NULL;
    if (old)
        before = PyLong_AsLong(old);
    Py_XDECREF(old);
    PyErr_Restore(type, value, trace);   /* in place of what went wrong here */
    return before;
}

static bool install_pipe(void)
{
    if (wakeup.on)   /* by a wait around the handler in which this one is */
        return true;
    if (!open_pipe())
        return false;
    long before = set_wakeup(wakeup.to);
    wakeup.on = before != -2;
    if (wakeup.on)
        wakeup.before = before;
    return wakeup.on;
}

static void restore_descriptor(void)
{
    if (!wakeup.on)
        return;
    wakeup.on = false;
    if (set_wakeup(wakeup.before) == -2)   /* its owner has closed it */
        set_wakeup(-1);
    read_signals();
}

/* The child has its parent's pipe where another thread waited when this one forked. */
static PyObject *after_fork(PyObject *self, PyObject *ignored)
{
    (void)self;
    (void)ignored;
    if (wakeup.on && wakeup.process != getpid()) {
        wakeup.on = false;
        set_wakeup(wakeup.before);
    }
    close_pipe();
    Py_RETURN_NONE;
}

static int watch_forks(void)
{
    static PyMethodDef def = {"_after_fork", after_fork, METH_NOARGS, NULL};
    PyObject *os = PyImport_ImportModule("os"), *done = NULL;
    PyObject *run = PyCFunction_New(&def, NULL), *none = PyTuple_New(0), *named = PyDict_New();
    PyObject *hook = os ? PyObject_GetAttrString(os, "register_at_fork") : NULL;
    if (hook && run && none && named && PyDict_SetItemString(named, "after_in_child", run) == 0)
        done = PyObject_Call(hook, none, named);
    Py_XDECREF(hook);
    Py_XDECREF(named);
    Py_XDECREF(none);
    Py_XDECREF(run);
    Py_XDECREF(os);
    Py_XDECREF(done);
    return done ? 0 : -1;
}

/* At the beginning of the interpreter's end, while signals still have their handlers: to wait for a
 * compile takes a while. */
static PyObject *before_exit(PyObject *self, PyObject *ignored)
{
    (void)self;
    (void)ignored;
    hd_before_exit();
    Py_RETURN_NONE;
}

static int watch_exit(void)
{
    static PyMethodDef def = {"_before_exit", before_exit, METH_NOARGS, NULL};
    PyObject *module = PyImport_ImportModule("atexit"), *run = PyCFunction_New(&def, NULL);
    PyObject *done = module && run ? PyObject_CallMethod(module, "register", "O", run) : NULL;
    Py_XDECREF(done);
    Py_XDECREF(run);
    Py_XDECREF(module);
    return done ? 0 : -1;
}

/* ---- the hooks ------------------------------------------------------------------------------- */

static _Thread_local int away;

/* PyGILState_Check() is a function of every CPython, but not one of the stable ABI's. */
static int (*check_gil)(void);

static void find_gil_check(void)
{
    void *found = dlsym(RTLD_DEFAULT, "PyGILState_Check");
    memcpy(&check_gil, &found, sizeof found);
}

int hp_gil_is_held(void)
{
    return !away && (check_gil == NULL || check_gil());
}

/* NULL where the caller does not hold the GIL: other code of the process may call the C API from
 * threads that Python does not know, or that have released it (ctypes does). */
static void *release_gil(void)
{
    if (!hp_gil_is_held())
        return NULL;
    away = 1;
    return PyEval_SaveThread();
}

static void acquire_gil(void *saved)
{
    if (saved == NULL)
        return;
    PyEval_RestoreThread(saved);
    away = 0;
    if (wakeup.on && in_main_thread())
        restore_descriptor();
}

static int is_wanted(void *saved)
{
    return saved != NULL && in_main_thread() && (!wakeup.on || read_signals());
}

/* The handlers, then the pipe, then the handlers of what came in between. A handler that waits
 * itself restores the descriptor at its end: then a byte is written, and handlers run once more. */
static int run_handlers(void)
{
    if (!in_main_thread() || !hp_gil_is_held())
        return 0;
    int raised = PyErr_CheckSignals();
    if (raised == 0 && install_pipe()) {
        raised = PyErr_CheckSignals();
        if (raised == 0 && !wakeup.on && install_pipe())
            (void)!write(wakeup.to, "", 1);
    }
    if (raised == 0)
        return 0;
    restore_descriptor();
    keep_exception();
    return 1;
}

int hp_install_wait_hooks(void)
{
    static const hd_wait_hooks hooks = {release_gil, acquire_gil, is_wanted};
    find_gil_check();
    hd_set_wait_hooks(&hooks);
    hd_set_attend_hook(run_handlers);
    return watch_forks() < 0 ? -1 : watch_exit();
}
