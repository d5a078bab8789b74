/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_fft.h - Fourier transforms by cuFFT, which is opened at the first of them.
 * Threads    by the thread that drains the device's queue, without the library's lock
 * Start at   hdi_cuda_fft() */
#ifndef HDI_CUDA_FFT_H
#define HDI_CUDA_FFT_H

#include "backend/cuda/cuda_device.h"

/* hdi_cuda_fft - HD_UNSUPPORTED, saying how to get it, if there is no cuFFT. */
hd_status hdi_cuda_fft(hdi_cuda *d, const hdi_xcall *x);

#endif
