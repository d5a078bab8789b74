/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_fft_plan.h - cuFFT's plans, the last few of each device kept.
 * Threads    by the thread that drains the device's queue, without the library's lock
 * Start at   hdi_cuda_fft_run() */
#ifndef HDI_CUDA_FFT_PLAN_H
#define HDI_CUDA_FFT_PLAN_H

#include "backend/cuda/cuda_device.h"

enum { HDI_FFT_AXES = 3 };       /* that a plan of cuFFT's can have */

/* How cuFFT sees an operand, in elements: element (j, k, l) of transform b is at
 * b * dist + ((j * embed[1] + k) * embed[2] + l) * stride. */
typedef struct hdi_cuda_fft_side { int64_t embed[HDI_FFT_AXES], stride, dist, type; } hdi_fft_side;

/* A plan's key: no padding, compared byte by byte. */
typedef struct hdi_cuda_fft_key {
    int64_t rank, n[HDI_FFT_AXES], batch;
    hdi_fft_side in, out;
} hdi_fft_key;

/* hdi_cuda_fft_run - one call of cuFFT; backward: exponents have a plus. */
hd_status hdi_cuda_fft_run(hdi_cuda *d, const hdi_fft_key *key, void *in, void *out,
                           bool backward);

#endif
