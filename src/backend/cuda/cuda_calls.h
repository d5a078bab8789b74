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
/* hdi_cuda_as_bytes - what moves bools moves their bytes: a view of another dtype may have written
 * others than 0 and 1. */
static inline void hdi_cuda_as_bytes(hdi_xarg *to, hdi_xarg *from)
{
    if (to->dt == HD_BOOL && from->dt == HD_BOOL)
        to->dt = from->dt = HD_UINT8;
}
/* hdi_cuda_copy - from's elements, cast, of the same extents. */
hd_status hdi_cuda_copy(hdi_cuda *d, const hdi_xarg *to, const hdi_xarg *from);
hd_status hdi_cuda_accumulate(hdi_cuda *d, const hdi_xcall *x);
hd_status hdi_cuda_reduceat(hdi_cuda *d, const hdi_xcall *x);
/* hdi_cuda_product - a matrix product of any dtype, element by element: what no library has. */
hd_status hdi_cuda_product(hdi_cuda *d, const hdi_xcall *x);

#endif
