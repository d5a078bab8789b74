/* SPDX-License-Identifier: BSD-3-Clause */
/* llvm_guard.h - a way out of LLVM, which knows none: where it gets no memory, or finds itself in
 * a state that it did not expect, it ends the process.
 * Invariant  after it was left that way nobody enters it again: what it left behind may be locked
 *            or half made. The kernels that come then stay on tier 0
 * Threads    any
 * Start at   hdi_llvm_guarded() */
#ifndef HDI_LLVM_GUARD_H
#define HDI_LLVM_GUARD_H

#include "codegen/llvm_api.h"

/* hdi_llvm_guarded - run(ctx, out), or false and out->error. */
bool hdi_llvm_guarded(bool (*run)(const void *ctx, hdi_llvm_object *out), const void *ctx,
                      hdi_llvm_object *out);

/* hdi_llvm_give_up - the compile under way ends with this error. */
void hdi_llvm_give_up(const char *why);

#endif
