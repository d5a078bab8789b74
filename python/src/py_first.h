/* SPDX-License-Identifier: BSD-3-Clause */
/* py_first.h - C functions that are tried before the public functions of their names, with the
 * arguments as they were given: for the calls that stand in loops over small arrays, where the
 * Python function's own lines would be most of the time. NULL without an exception says that the
 * call is for the Python function, which does all cases and raises what is to be raised.
 * Owns       nothing
 * Start at   hp_first_of() */
#ifndef HP_FIRST_H
#define HP_FIRST_H

#include "py.h"
#include "py_args.h"

typedef PyObject *(*hp_first)(HP_FAST);

/* hp_first_of - the one tried before the public function of that path ("interp", "ndarray.sort"),
 * or NULL. */
hp_first hp_first_of(PyObject *path);

/* hp_is_only - is there one keyword argument, and is it called so? */
int hp_is_only(PyObject *kwnames, const char *name);

/* py_sort.c */
PyObject *hp_first_sort(HP_FAST);

/* py_few.c. hp_read_few - reads the elements of o, an array of dt on the host, where results are
 * made too, to a place for HP_FEW: how many; -1: it is none such, or, with an exception, it could
 * not be read. */
enum { HP_FEW = 1024 };
int64_t hp_read_few(PyObject *o, hd_dtype dt, void *to);
PyObject *hp_first_bincount(HP_FAST);
PyObject *hp_first_count_nonzero(HP_FAST);
PyObject *hp_first_delete(HP_FAST);
PyObject *hp_first_diag(HP_FAST);
PyObject *hp_first_fill_diagonal(HP_FAST);
PyObject *hp_first_fromiter(HP_FAST);
PyObject *hp_first_insert(HP_FAST);
PyObject *hp_first_interp(HP_FAST);
PyObject *hp_first_lexsort(HP_FAST);
PyObject *hp_first_repeat(HP_FAST);
PyObject *hp_first_searchsorted(HP_FAST);

#endif
