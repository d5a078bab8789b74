/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_blas.h - matrix products by cuBLAS, which is opened at the first of them.
 * Threads    by the thread that drains the device's queue, without the library's lock
 * Start at   hdi_cuda_matmul() */
#ifndef HDI_CUDA_BLAS_H
#define HDI_CUDA_BLAS_H

#include "backend/cuda/cuda_device.h"

/* hdi_cuda_blas_can - has cuBLAS a product of this dtype, and do the matrices lie so that it can
 * read and write them in place? */
bool hdi_cuda_blas_can(const hdi_xcall *x);
/* hdi_cuda_matmul - HD_UNSUPPORTED, saying how to get it, if there is no cuBLAS. */
hd_status hdi_cuda_matmul(hdi_cuda *d, const hdi_xcall *x);

#endif
