/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_code.h - a kernel laid over a grid, as a function that the driver can launch.
 * Threads    by the thread that launches
 * Start at   hdi_cuda_code() */
#ifndef HDI_CUDA_CODE_H
#define HDI_CUDA_CODE_H

#include "backend/cuda/cuda_device.h"
#include "codegen/cg_grid.h"

/* hdi_cuda_code - g->arch is set here. module: to be unloaded when the function is not needed any
 * more. Takes milliseconds. */
hd_status hdi_cuda_code(hdi_cuda *d, const hdi_kernel *k, hdi_grid *g, CUmodule *module,
                        CUfunction *function);

#endif
