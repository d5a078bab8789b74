/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_tier.h - which code a kernel runs on: tier 0 until its own is there, which is made in the
 * background once the kernel has come again, or has much to do.
 * Owns       the state of a variant
 * Invariant  a variant that is ready has its function, and keeps it
 * Threads    the launching thread's, but for what the background publishes under a lock of its own
 * Start at   hdi_cuda_tier_begin()
 * See        docs/design/gpu-tier0.md */
#ifndef HDI_CUDA_TIER_H
#define HDI_CUDA_TIER_H

#include "backend/cuda/cuda_program.h"

/* hdi_cuda_tier_begin - for a variant that is new: its function, or tier 0 in its place. */
hd_status hdi_cuda_tier_begin(hdi_cuda *d, const hdi_kernel *k, const hdi_cuda_layout *lay,
                              hdi_cuda_variant *v);

/* hdi_cuda_tier_ready - has it got its function? */
static inline bool hdi_cuda_tier_ready(const hdi_cuda_variant *v)
{
    return atomic_load_explicit(&v->ready, memory_order_acquire);
}

/* hdi_cuda_tier_note - a launch over so many elements was run by tier 0: its code may be wanted
 * now. */
void hdi_cuda_tier_note(hdi_cuda *d, const hdi_kernel *k, int64_t size, hdi_cuda_variant *v);

/* hdi_cuda_tier_end - the variant goes: its function is unloaded, or will be when it is made. */
void hdi_cuda_tier_end(hdi_cuda *d, hdi_cuda_variant *v);

#endif
