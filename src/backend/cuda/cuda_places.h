/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_places.h - reading, writing and combining at byte offsets.
 * Threads    by the thread that drains the device's queue, without the library's lock
 * Start at   hdi_cuda_gather() */
#ifndef HDI_CUDA_PLACES_H
#define HDI_CUDA_PLACES_H

#include "backend/cuda/cuda_device.h"

hd_status hdi_cuda_gather(hdi_cuda *d, const hdi_xcall *x);
hd_status hdi_cuda_scatter(hdi_cuda *d, const hdi_xcall *x);
hd_status hdi_cuda_at(hdi_cuda *d, const hdi_xcall *x);

#endif
