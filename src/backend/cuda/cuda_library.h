/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_library.h - library calls (class X) on the device's current stream.
 * Threads    by the thread that drains the device's queue, without the library's lock
 * Start at   hdi_cuda_library() */
#ifndef HDI_CUDA_LIBRARY_H
#define HDI_CUDA_LIBRARY_H

#include "backend/cuda/cuda_device.h"

hd_status hdi_cuda_library(hdi_cuda *d, const hdi_xcall *x);

#endif
