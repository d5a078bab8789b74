/* SPDX-License-Identifier: BSD-3-Clause */
/* py_args.h - arguments of a fast call, without PyArg_Parse (which costs 18 ns, 51 with a keyword).
 * Owns       hp_signature, one static object per function
 * Start at   hp_parse() */
#ifndef HP_PY_ARGS_H
#define HP_PY_ARGS_H

#include <Python.h>

#pragma GCC visibility push(hidden)

enum { HP_MAXARGS = 12 };

typedef struct hp_signature {
    const char *name;
    int required;             /* positional arguments that must be there */
    int positional;           /* arguments that may be given by position: the first ones */
    int only_positional;      /* of them, the first that have no keyword */
    const char *names[HP_MAXARGS + 1];
    /* filled at the first call: keywords are compared by pointer first */
    PyObject *interned[HP_MAXARGS];
} hp_signature;

/* hp_parse - borrowed arguments by place in names, NULL where not given. 0, or -1 with
 * TypeError. */
int hp_parse(hp_signature *s, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames,
             PyObject **out);

/* What METH_FASTCALL | METH_KEYWORDS functions take. */
#define HP_FAST PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames
#define HP_METHOD(name, function, doc) \
    {name, (PyCFunction)(void (*)(void))(function), METH_FASTCALL | METH_KEYWORDS, doc}

/* hp_tuple_of, hp_dict_of - arguments by position, and by keyword (names may be NULL), of a fast
 * call as what other calls take. hp_put - *place becomes o; returns None. */
PyObject *hp_tuple_of(PyObject *const *args, Py_ssize_t n);
PyObject *hp_dict_of(PyObject *const *values, PyObject *names);
PyObject *hp_put(PyObject **place, PyObject *o);

#pragma GCC visibility pop
#endif
