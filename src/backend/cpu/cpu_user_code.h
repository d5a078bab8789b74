/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_user_code.h - the code of a kernel of the user's: quick code at once, fast code once its
 * launches have taken a while, made by a thread in the background.
 * Owns       hdi_cpu_kernel, both of its codes, its lowered IR
 * Invariant  both codes give the same bits, and each runs whole blocks, so nobody can tell when the
 *            change was, which may be within a launch
 * Threads    any
 * Memory     counted: its user has one reference, a compile under way another
 * Start at   hdi_cpu_kernel_new(), hdi_cpu_kernel_run()
 * See        docs/design/lowered-ir.md */
#ifndef HDI_CPU_USER_CODE_H
#define HDI_CPU_USER_CODE_H

#include "base/base.h"
#include "codegen/cg_lir.h"

typedef struct hdi_cpu_kernel hdi_cpu_kernel;

/* hdi_cpu_kernel_new - takes l, also where it fails. */
hd_status hdi_cpu_kernel_new(hdi_lir *l, hdi_cpu_kernel **kernel);
void hdi_cpu_kernel_release(hdi_cpu_kernel *k);

/* hdi_cpu_kernel_run - blocks first <= b < last; of the time that quick code takes note is made. */
int32_t hdi_cpu_kernel_run(hdi_cpu_kernel *k, const hdi_lir_call *call, uint8_t *shared,
                           uint8_t *spread, int64_t first, int64_t last);

/* hdi_cpu_kernel_is_quick - is there no fast code yet? hdi_cpu_kernel_hurry - the calling thread
 * makes it, unless somebody does so already. */
bool hdi_cpu_kernel_is_quick(hdi_cpu_kernel *k);
void hdi_cpu_kernel_hurry(hdi_cpu_kernel *k);

const hdi_lir *hdi_cpu_kernel_lir(const hdi_cpu_kernel *k);
/* hdi_cpu_kernel_data - the bytes of its CONSTANT and GLOBAL variables. */
uint8_t *hdi_cpu_kernel_data(const hdi_cpu_kernel *k);

/* hdi_cpu_user_ask - what code asks while it runs (cpu_user.c). */
int32_t hdi_cpu_user_ask(const hdi_lir_call *call);

#endif
