/* SPDX-License-Identifier: BSD-3-Clause */
/* py_kernel.h - kernels in C source that are compiled here, as Python's capsules.
 * Start at   hp_kernel_of() */
#ifndef HP_KERNEL_H
#define HP_KERNEL_H

#include <heddle/kernel.h>

#include "py.h"

/* Room for the number that a Python object is: it must stay until the launch has been recorded. */
typedef union hp_number {
    int64_t i;
    uint64_t u;
    float f[4];
    double d[2];
    uint8_t b[16];
} hp_number;

/* hp_kernel_of - of a capsule; NULL, and no error: it is none. */
hd_kernel *hp_kernel_of(PyObject *o);
/* hp_kernel_number - a Python number as parameter i wants it: how many bytes; 0: as its own bytes,
 * whatever it is; -1 and an error. */
int hp_kernel_number(hd_kernel *k, int i, PyObject *o, hp_number *v);

#endif
