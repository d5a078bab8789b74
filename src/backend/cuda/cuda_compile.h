/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_compile.h - kernel IR to what a CUDA device runs.
 * Threads    under the library's lock; must not wait for a compiler
 * Start at   hdi_cuda_compile() */
#ifndef HDI_CUDA_COMPILE_H
#define HDI_CUDA_COMPILE_H

#include "backend/cuda/cuda_device.h"

hd_status hdi_cuda_compile(hdi_cuda *d, const hdi_kernel *k, void **program);
void hdi_cuda_destroy(hdi_cuda *d, void *program);

/* hdi_cuda_kernel_copy - NULL: out of memory. */
hdi_kernel *hdi_cuda_kernel_copy(const hdi_kernel *k);
void hdi_cuda_kernel_free(hdi_kernel *k);

#endif
