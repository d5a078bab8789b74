/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_calls.h - library calls that are kernels of our own: made here as kernel IR, and run as any
 * other kernel.
 * Threads    by the thread that drains the device's queue, without the library's lock
 * Start at   hdi_cuda_accumulate() */
#ifndef HDI_CUDA_CALLS_H
#define HDI_CUDA_CALLS_H

#include "backend/cuda/cuda_device.h"

/* hdi_cuda_borrow - memory for the length of a call: whoever gets it next runs after it. */
hd_status hdi_cuda_borrow(hdi_cuda *d, int64_t bytes, void *p);
/* hdi_cuda_copy - from's elements, cast, of the same extents. */
hd_status hdi_cuda_copy(hdi_cuda *d, const hdi_xarg *to, const hdi_xarg *from);
hd_status hdi_cuda_accumulate(hdi_cuda *d, const hdi_xcall *x);
hd_status hdi_cuda_reduceat(hdi_cuda *d, const hdi_xcall *x);
/* hdi_cuda_product - a matrix product of any dtype, element by element: what no library has. */
hd_status hdi_cuda_product(hdi_cuda *d, const hdi_xcall *x);

#endif
