/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_user.h - kernels of the user's own.
 * Threads    by the thread that drains the device's queue, without the library's lock */
#ifndef HDI_CUDA_USER_H
#define HDI_CUDA_USER_H

#include "backend/cuda/cuda_device.h"

/* hdi_cuda_user_grid - enqueues the launch that x's payload describes. */
hd_status hdi_cuda_user_grid(hdi_cuda *d, const hdi_xcall *x);
/* hdi_cuda_user_kernel - l as code of the device; takes l, also where it fails.
 * hdi_cuda_user_free - nobody launches it any more; waits until what was launched has run. */
hd_status hdi_cuda_user_kernel(hdi_cuda *d, struct hdi_lir *l, uintptr_t *function);
void hdi_cuda_user_free(hdi_cuda *d, uintptr_t function);

#endif
