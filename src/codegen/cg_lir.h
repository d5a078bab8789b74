/* SPDX-License-Identifier: BSD-3-Clause */
/* cg_lir.h - lowered IR as code: what it is compiled for, and how its code is called.
 * Threads    plain data
 * See        docs/design/lowered-ir.md */
#ifndef HDI_CG_LIR_H
#define HDI_CG_LIR_H

#include "codegen/cg_chain.h"
#include "codegen/cg_image.h"
#include "codegen/cg_loader.h"
#include "lir/lir.h"

/* On a CPU (arch 0) the IR is what lockstep.c made. */
typedef struct hdi_lir_target {
    uint8_t isa;               /* hdi_chain_isa */
    uint8_t arch;              /* of a GPU: 80, 90; 0: the host's code */
    bool small_grid;           /* fewer than 2^31 threads along each axis: indexes do not wrap */
    bool quick;                /* of a CPU: few passes and no vectors; a tenth of the time to
                                * compile, several times as long to run. The same bits */
} hdi_lir_target;

/* Why the code of a CPU returned before its last block. */
enum { HDI_LIR_RAN, HDI_LIR_STOPPED, HDI_LIR_TRAPPED };

/* What code for a CPU is told; the arrays are the launch's. */
typedef struct hdi_lir_call {
    const void *const *args;   /* where the value of each parameter lies */
    uint8_t *data;             /* of CONSTANT and GLOBAL variables */
    uint32_t grid[3], block[3];
} hdi_lir_call;

/* hdi_lir_code - runs blocks first <= b < last, x the fastest; shared and spread: the memory of one
 * block, which no other call uses meanwhile. */
typedef int32_t (*hdi_lir_code)(const hdi_lir_call *call, uint8_t *shared, uint8_t *spread,
                                int64_t first, int64_t last);
#define HDI_LIR_ENTRY "heddle_lir"

/* What that code calls: functions of the C library that reals have no text for, and these. kinds: a
 * letter for each value, i u f p. */
typedef void (*hdi_lir_print_fn)(const char *format, const char *kinds, const uint64_t *values);
typedef void (*hdi_lir_trap_fn)(const char *what, int32_t line, const uint32_t *block,
                                const uint32_t *thread);
/* Asked every HDI_LIR_TURNS turns of loops that may go on for ever: is the host program to have its
 * thread back? */
typedef int32_t (*hdi_lir_ask_fn)(const hdi_lir_call *call);
enum { HDI_LIR_TURNS = 1 << 16 };
#define HDI_LIR_ASK_NAME "heddle_lir_ask"
#define HDI_LIR_PRINT_NAME "heddle_lir_print"
#define HDI_LIR_TRAP_NAME "heddle_lir_trap"

/* hdi_cg_lir_code - the code of a kernel for a CPU: from the disk cache, or compiled, which takes
 * some milliseconds; NULL and an error. hdi_cg_lir_kept - from the disk cache, else NULL and no
 * error. Both are called by a background thread (hdi_cg_later()), or under hdi_cg_lock_codes():
 * fork() waits for either. Code is to be given back by hdi_cg_unload(). */
hdi_lir_code hdi_cg_lir_code(const hdi_lir *l, const hdi_lir_target *t, hdi_cg_resolve resolve,
                             void *ctx);
hdi_lir_code hdi_cg_lir_kept(const hdi_lir *l, const hdi_lir_target *t, hdi_cg_resolve resolve,
                             void *ctx);
/* hdi_cg_lir_image - of a kernel for a GPU, as hdi_cg_image(): to be freed with
 * hdi_free(*image, *bytes). */
hd_status hdi_cg_lir_image(const hdi_lir *l, const hdi_lir_target *t, const char *target,
                           hdi_cg_assemble assemble, void *ctx, void **image, size_t *bytes);

#endif
