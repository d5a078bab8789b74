/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_tier0.h - tier 0 of CUDA devices: one kernel, compiled with the library, that reads what it
 * is to do from its words. Kernels run on it until their own code is there.
 * Owns       the module, one for each device
 * Invariant  gives the bits that the compiled kernel gives
 * Threads    the launching thread's, but for hdi_cuda_tier0_open() and _about(): any
 * Start at   hdi_cuda_tier0_launch(); tier0/tier0_grid.c is what runs
 * See        docs/design/gpu-tier0.md */
#ifndef HDI_CUDA_TIER0_H
#define HDI_CUDA_TIER0_H

#include "backend/cuda/cuda_device.h"
#include "backend/cuda/cuda_layout.h"

/* hdi_cuda_tier0_open - is there such a kernel for this device? It is loaded the first time. */
bool hdi_cuda_tier0_open(hdi_cuda *d);
/* hdi_cuda_tier0_about - for info: what there is, or why there is none. */
const char *hdi_cuda_tier0_about(hdi_cuda *d);

/* hdi_cuda_tier0_words - the words for a kernel laid out so: how many; 0 if it is not for tier 0:
 * hundreds of values at a time, or of operands. words: room for HDI_TIER0_WORDS. */
int hdi_cuda_tier0_words(const hdi_kernel *k, const hdi_cuda_layout *lay, uint64_t *words);

/* hdi_cuda_tier0_wide - which elements it takes together (t0_wide); narrow: just one, since there
 * is no last axis along which others lie, or something goes from one element to the next. */
int hdi_cuda_tier0_wide(const hdi_kernel *k, const hdi_grid *g);

/* hdi_cuda_tier0_launch - for a kernel that has words; its partials and counters are lent. */
hd_status hdi_cuda_tier0_launch(hdi_cuda *d, const hdi_kernel *k, const hdi_cuda_layout *lay);

#endif
