/* SPDX-License-Identifier: BSD-3-Clause */
/* py_args.c - see py_args.h. */
#include "py.h"

static int intern_names(hp_signature *s)
{
    for (int i = 0; i < HP_MAXARGS && s->names[i]; i++)
        if (!s->interned[i] && !(s->interned[i] = PyUnicode_InternFromString(s->names[i])))
            return -1;
    return 0;
}

/* The place of a keyword, or -1. Keywords in source code are interned, so that the first loop
 * nearly always ends it. */
static int find_name(const hp_signature *s, PyObject *key)
{
    for (int i = s->only_positional; i < HP_MAXARGS && s->names[i]; i++)
        if (s->interned[i] == key)
            return i;
    for (int i = s->only_positional; i < HP_MAXARGS && s->names[i]; i++)
        if (PyUnicode_Compare(s->interned[i], key) == 0)
            return i;
    return -1;
}

static int wrong_count(const hp_signature *s, Py_ssize_t nargs)
{
    if (s->required == s->positional)
        PyErr_Format(PyExc_TypeError, "%s() takes exactly %d positional argument%s (%zd given)",
                     s->name, s->required, s->required == 1 ? "" : "s", nargs);
    else
        PyErr_Format(PyExc_TypeError,
                     "%s() takes from %d to %d positional arguments but %zd were given", s->name,
                     s->required, s->positional, nargs);
    return -1;
}

static int take_keywords(hp_signature *s, PyObject *const *values, PyObject *kwnames,
                         PyObject **out)
{
    Py_ssize_t n = PyTuple_Size(kwnames);
    for (Py_ssize_t k = 0; k < n; k++) {
        PyObject *key = PyTuple_GetItem(kwnames, k);
        int i = find_name(s, key);
        if (i < 0) {
            PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", s->name,
                         key);
            return -1;
        }
        if (out[i]) {
            PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%U'", s->name,
                         key);
            return -1;
        }
        out[i] = values[k];
    }
    return 0;
}

int hp_parse(hp_signature *s, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames,
             PyObject **out)
{
    if (HP_UNLIKELY(!s->interned[0]) && intern_names(s) < 0)
        return -1;
    if (HP_UNLIKELY(nargs > s->positional))
        return wrong_count(s, nargs);
    int i = 0;
    for (; i < nargs; i++)
        out[i] = args[i];
    for (; i < HP_MAXARGS && s->names[i]; i++)
        out[i] = NULL;
    if (kwnames && take_keywords(s, args + nargs, kwnames, out) < 0)
        return -1;
    for (i = 0; i < s->required; i++)
        if (HP_UNLIKELY(!out[i])) {
            PyErr_Format(PyExc_TypeError, "%s() missing required argument '%s' (pos %d)", s->name,
                         s->names[i], i + 1);
            return -1;
        }
    return 0;
}

PyObject *hp_tuple_of(PyObject *const *args, Py_ssize_t n)
{
    PyObject *tuple = PyTuple_New(n);
    for (Py_ssize_t i = 0; tuple && i < n; i++)
        PyTuple_SetItem(tuple, i, Py_NewRef(args[i]));
    return tuple;
}

PyObject *hp_dict_of(PyObject *const *values, PyObject *names)
{
    PyObject *dict = PyDict_New();
    Py_ssize_t n = names ? PyTuple_Size(names) : 0;
    for (Py_ssize_t i = 0; dict && i < n; i++)
        if (PyDict_SetItem(dict, PyTuple_GetItem(names, i), values[i]) < 0)
            Py_CLEAR(dict);
    return dict;
}

PyObject *hp_put(PyObject **place, PyObject *o)
{
    PyObject *before = *place;
    *place = Py_NewRef(o);
    Py_XDECREF(before);
    Py_RETURN_NONE;
}
