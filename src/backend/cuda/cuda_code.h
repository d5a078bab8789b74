/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_code.h - a kernel laid over a grid, or a sequence of them, as a function that the driver
 * can launch.
 * Threads    any that has entered the device
 * Start at   hdi_cuda_code() */
#ifndef HDI_CUDA_CODE_H
#define HDI_CUDA_CODE_H

#include "backend/cuda/cuda_device.h"
#include "codegen/cg_grid.h"
#include "codegen/cg_lir.h"

/* hdi_cuda_code - s->body[].g->arch as hdi_cuda_arch() says. module: to be unloaded when the
 * function is not needed any more. Takes milliseconds. */
hd_status hdi_cuda_code(hdi_cuda *d, const hdi_sequence *s, CUmodule *module,
                        CUfunction *function);
/* hdi_cuda_code_known - the same, if it is on disk; else *function is NULL. */
hd_status hdi_cuda_code_known(hdi_cuda *d, const hdi_sequence *s, CUmodule *module,
                              CUfunction *function);
/* hdi_cuda_load - an image, as a module. */
CUresult hdi_cuda_load(hdi_cuda *d, const void *image, CUmodule *module);
/* hdi_cuda_arch - the newest architecture that the generator knows and the device can run. */
uint8_t hdi_cuda_arch(const hdi_cuda *d);

/* hdi_cuda_code_text - the same of PTX written elsewhere, which ends with a 0: its function
 * `entry`. Kept on disk like the others. */
hd_status hdi_cuda_code_text(hdi_cuda *d, const char *text, const char *entry, CUmodule *module,
                             CUfunction *function);
/* hdi_cuda_code_lir - of a kernel in lowered IR. */
hd_status hdi_cuda_code_lir(hdi_cuda *d, const hdi_lir *l, CUmodule *module, CUfunction *function);

#endif
