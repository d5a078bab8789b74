/* SPDX-License-Identifier: BSD-3-Clause */
/* py_element.h - single elements and NumPy's scalars. */
#ifndef HP_PY_ELEMENT_H
#define HP_PY_ELEMENT_H

#include "py.h"

#pragma GCC visibility push(hidden)

enum { HP_PLAIN_AXES = 8, HP_SHORT_ROW = 8 };

/* hp_plain_key - 1 if key is as many plain ints as there are axes (at most HP_PLAIN_AXES). */
int hp_plain_key(PyObject *key, int nd, int64_t *index);
/* hp_gives_scalars - are elements of a read as NumPy's scalars? On a GPU they stay 0-d arrays,
 * which wait for nothing, and with heddle.config.scalars = "array" on every device. */
int hp_gives_scalars(const hd_array *a);
/* hp_has_scalars - is NumPy loaded, so that its scalars can be made without loading it? */
int hp_has_scalars(void);
/* hp_value_of - the element of an array of rank 0, on any device, as a NumPy scalar. */
PyObject *hp_value_of(PyObject *array);
/* hp_read_element - a[index] as a NumPy scalar. */
PyObject *hp_read_element(const hd_array *a, int n, const int64_t *index);
/* hp_write_element - a[index] = value: 1, 0 if value is to be converted first, -1 with an
 * exception. */
int hp_write_element(hd_array *a, int n, const int64_t *index, PyObject *value);
/* hp_plain_value - a number that a's dtype takes as it is, as a value of a's dtype and device; NULL
 * without an exception if value is to be converted first. */
hd_array *hp_plain_value(const hd_array *a, PyObject *value);
/* hp_write_row - a[index[0], ..., index[n - 2]] = values, a tuple or list of as many plain numbers
 * as the last axis has elements, up to HP_SHORT_ROW: as hp_write_element. */
int hp_write_row(hd_array *a, int n, int64_t *index, PyObject *values);
/* hp_signed_number - 1 and *n if value is a real number among NumPy's scalars and dt a signed
 * integer: NumPy stores it there as one of Python's, and refuses what does not fit. */
int hp_signed_number(hd_dtype dt, PyObject *value, hd_number *n);
/* hp_held - the element of one of NumPy's scalars, where all of them keep it
 * (numpy/arrayscalars.h), and ours. */
static inline void *hp_held(PyObject *scalar) { return (char *)scalar + sizeof(PyObject); }
/* hp_real_number - 1 and *n if o is a Python number, or an int64 or a float64 of NumPy's or ours
 * whose value is known: where dtypes are those of Python's numbers anyway. */
int hp_real_number(PyObject *o, hd_number *n);
/* hp_plain_real - the same of a float, or of an int that int64 holds; no bool. */
int hp_plain_real(PyObject *o, hd_number *n);
/* hp_numpy_scalar - NumPy's scalar of that element. hp_exact_scalar - 1, its dtype and its element
 * (16 bytes at most) if o is one, exactly. */
PyObject *hp_numpy_scalar(hd_dtype dt, const void *element);
int hp_exact_scalar(PyObject *o, hd_dtype *dt, void *element);
/* What elements of the most frequent dtypes are (py_scalar.c): a subclass of NumPy's type.
 * hp_make_scalar_types - once, from NumPy's types by dtype; -1 with an exception. hp_new_scalar -
 * NULL without an exception: dt has none. hp_own_scalar - 1 and its dtype if o is one. */
int hp_make_scalar_types(PyTypeObject *const *numpy);
PyObject *hp_new_scalar(hd_dtype dt, const void *element);
int hp_own_scalar(PyObject *o, hd_dtype *dt);
/* hp_operator, hp_power - the operators of arrays (py_number.c). */
PyObject *hp_operator(hd_op op, PyObject *x, PyObject *y);
PyObject *hp_power(PyObject *x, PyObject *y, PyObject *modulus);
/* hp_of_scalars - the operation on NumPy's scalars, which elements on the CPU are, and Python's
 * numbers: NumPy's ufuncs then give scalars, and so do ours. NULL without an exception: it is
 * another case. */
PyObject *hp_of_scalars(hd_op op, int nin, PyObject *const *args);
/* hp_beside_scalar - the operation on an array of ours and one of NumPy's scalars (py_number.c).
 * NULL without an exception: it is another case. */
PyObject *hp_beside_scalar(hd_op op, PyObject *x, PyObject *y);
/* hp_from_list - an array of dtype dt (HD_NO_DTYPE: as NumPy takes it) from a list or tuple of
 * plain numbers, or of such lists of one length. NULL without an exception: it is another case. */
hd_array *hp_from_list(PyObject *o, hd_dtype dt);
/* hp_tolist - the method: nested lists of Python's numbers. hp_read_all - the elements in C order,
 * in fresh memory for free(); NULL with an exception. */
PyObject *hp_tolist(PyObject *self, PyObject *ignored);
char *hp_read_all(const hd_array *a);
extern PyMethodDef hp_element_methods[], hp_element_functions[];

#pragma GCC visibility pop
#endif
