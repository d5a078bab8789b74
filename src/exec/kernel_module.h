/* SPDX-License-Identifier: BSD-3-Clause */
/* kernel_module.h - a source and what its kernels share: the memory of its variables.
 * Owns       hd_module: the texts; for each device one array of bytes, made when it is first needed
 * Invariant  all kernels of a source find a variable at the same place of these bytes
 * Threads    any; an array is made without a lock, and of two made at once one is dropped
 * Start at   hdi_module_memory()
 * See        docs/design/lowered-ir.md */
#ifndef HDI_KERNEL_MODULE_H
#define HDI_KERNEL_MODULE_H

#include <heddle/kernel.h>

#include "lir/lir.h"

/* hdi_module_lower - one of its kernels in lowered IR, verified; NULL and an error. */
hdi_lir *hdi_module_lower(const hd_module *m, const char *name);
/* hdi_module_globals - its variables, as hdi_kernel_globals() has them; they stay the module's.
 * NULL and an error: an initialiser is no C, or no memory. */
const hdi_lir *hdi_module_globals(hd_module *m);
/* hdi_module_memory - the bytes of its variables on a device, which stay the module's; NULL and an
 * error. */
hd_array *hdi_module_memory(hd_module *m, hd_device *dev);
void hdi_module_hold(hd_module *m);

#endif
