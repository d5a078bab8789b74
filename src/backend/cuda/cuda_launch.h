/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_launch.h - enqueues one kernel on the device's current stream.
 * Threads    by the thread that drains the device's queue, without the library's lock; the device
 *            has been entered
 * Start at   hdi_cuda_launch() */
#ifndef HDI_CUDA_LAUNCH_H
#define HDI_CUDA_LAUNCH_H

#include "backend/cuda/cuda_device.h"

hd_status hdi_cuda_launch(hdi_cuda *d, hdi_launch *l);

#endif
