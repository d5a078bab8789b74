/* SPDX-License-Identifier: BSD-3-Clause */
/* kernel.h - users' kernels in C source with CUDA's words, to lowered IR.
 * Owns       nothing: what is needed while a source is read is freed at the end
 * Invariant  no source ends the process: its depth, its expansions and the size of the result are
 *            bounded, and what is beyond is an error
 * Threads    any, also several at once
 * Memory     the tokens of the source (40 bytes each) and about as much again, while it is read
 * Start at   hdi_kernel_lower()
 * See        kc.h, docs/design/lowered-ir.md */
#ifndef HDI_KERNEL_H
#define HDI_KERNEL_H

#include "base/base.h"
#include "lir/lir.h"

typedef struct hdi_kernel_source {
    const char *text;
    const char *name;              /* a __global__ function; of a template "f<float, 4>" */
    int noptions;
    const char *const *options;    /* NVRTC's: -DNAME=VALUE, -D NAME, --define-macro=...; others are
                                      accepted and change nothing */
} hdi_kernel_source;

/* hdi_kernel_lower - the kernel in lowered IR. Its parameters are the first variables: number i has
 * param = i; a struct by value is bytes in memory (u8, count is its size). Texts of PRINT and TRAP
 * are in names[], at the node's k.
 * Errors   NULL and HD_VALUE: no C, no kernel of that name, or too large; HD_UNSUPPORTED: C++ or
 *          CUDA that is not handled; both "NAME:LINE:COLUMN: what", with the line; HD_NOMEM */
hdi_lir *hdi_kernel_lower(const hdi_kernel_source *s);

/* A kernel that uses variables of its module (__device__, __constant__ and __managed__ ones outside
 * of functions) has a last parameter for their memory, with the role HDI_LIR_MODULE. */

/* hdi_kernel_globals - these variables: GLOBAL ones with name ("space::name"), place and size, in
 * the order of the source; data[] is what their memory begins as. There is no body. NULL and an
 * error as above. */
hdi_lir *hdi_kernel_globals(const hdi_kernel_source *s);

/* hdi_kernel_names - the __global__ functions of a source, each with '\n' behind it, in order;
 * templates too. To be freed with hdi_free(text, strlen(text) + 1). NULL and an error as above. */
char *hdi_kernel_names(const hdi_kernel_source *s);

#endif
