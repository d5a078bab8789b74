/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_user.h - kernels of the user's own on the host: compiled, blocks spread over threads.
 * Owns       hdi_cpu_kernel
 * Invariant  a block runs on one thread from its beginning to its end; a launch that was stopped
 *            between two blocks goes on with the next one
 * Threads    kernels are made and launched by any thread
 * Start at   hdi_cpu_user_kernel(), hdi_cpu_user_grid()
 * See        docs/design/lowered-ir.md */
#ifndef HDI_CPU_USER_H
#define HDI_CPU_USER_H

#include "backend/backend.h"

/* hdi_cpu_user_kernel - l in lockstep and as code; takes l, also where it fails.
 * hdi_cpu_user_free - when nothing launches it any more. */
hd_status hdi_cpu_user_kernel(void *state, struct hdi_lir *l, uintptr_t *function);
void hdi_cpu_user_free(void *state, uintptr_t function);
/* hdi_cpu_user_grid - runs the launch that x's payload describes. */
hd_status hdi_cpu_user_grid(const hdi_xcall *x);

#endif
