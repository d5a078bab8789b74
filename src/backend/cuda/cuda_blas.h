/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_blas.h - matrix products by cuBLAS, which is opened at the first of them.
 * Threads    by the thread that drains the device's queue, without the library's lock
 * Start at   hdi_cuda_matmul() */
#ifndef HDI_CUDA_BLAS_H
#define HDI_CUDA_BLAS_H

#include "backend/cuda/cuda_device.h"

/* hdi_cuda_blas_knows - has cuBLAS products of this dtype? */
bool hdi_cuda_blas_knows(hd_dtype dt);
/* hdi_cuda_matmul - of a dtype that it knows, however the matrices lie. HD_UNSUPPORTED, saying how
 * to get it, if there is no cuBLAS. */
hd_status hdi_cuda_matmul(hdi_cuda *d, const hdi_xcall *x);
/* hdi_cuda_blas_open - d->blas, on the device's current stream. */
hd_status hdi_cuda_blas_open(hdi_cuda *d);

#endif
