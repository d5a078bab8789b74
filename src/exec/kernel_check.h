/* SPDX-License-Identifier: BSD-3-Clause */
/* kernel_check.h - launches whose kernels look whether what they access is in bounds (HEDDLE_DEBUG,
 * lir/lir_check.c): what such a kernel is told, and what it told.
 * Owns       hdi_checking: the record of one launch
 * Invariant  a launch is waited for before its record is read
 * Threads    one launch's belongs to its thread
 * Start at   hdi_check_give() */
#ifndef HDI_KERNEL_CHECK_H
#define HDI_KERNEL_CHECK_H

#include <heddle/launch.h>

#include "lir/lir.h"

/* A parameter that a launch gives by itself. */
typedef struct hdi_hidden {
    uint8_t role;                /* hdi_lir_role */
    int access;                  /* of a pointer */
    int32_t of;                  /* number of the parameter that it says something of */
} hdi_hidden;

typedef struct hdi_checking {
    hd_array *record;            /* NULL: nothing is checked */
    unsigned shared_bytes;
} hdi_checking;

/* hdi_check_give - the argument for a parameter that is not HDI_LIR_MODULE; args: those that are
 * known already; value: room that stays until the launch was recorded. */
hd_status hdi_check_give(hdi_checking *c, hd_device *dev, const hdi_hidden *p,
                         const hd_launch_arg *args, hd_launch_arg *arg, int64_t *value);
/* hdi_check_end - waits, and tells of an access out of bounds: HD_INDEX. Frees what is in c. names:
 * of the kernel's variables. */
hd_status hdi_check_end(hdi_checking *c, hd_status status, const char *kernel, const char *names);

#endif
