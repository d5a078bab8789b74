/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_program.h - a kernel as tier 0 runs it: steps over blocks of elements, with registers that
 * hold the blocks' addresses.
 * Owns       hdi_cpu_program and its parts
 * Invariant  steps stand in the order of the kernel's instructions within their section, so
 *            memory is read and written in program order block by block. A section is one phase
 *            of one level: FULL steps run over blocks of elements, ROW steps over the kept
 *            elements of a group
 * Threads    immutable once compiled
 * Memory     one block per program, freed by hdi_cpu_destroy()
 * Start at   hdi_cpu_compile() */
#ifndef HDI_CPU_PROGRAM_H
#define HDI_CPU_PROGRAM_H

#include "backend/cpu/loops/loops.h"
#include "codegen/cg_chain.h"
#include "fuse/kernel_ir.h"

#define HDI_CPU_NONE UINT16_MAX

typedef enum hdi_cpu_kind {
    CPU_EW,       /* elementwise loop: out and in are registers */
    CPU_CAST,
    CPU_LOAD,     /* out: number of the operand whose block comes into its register */
    CPU_STORE,    /* out: number of the operand, in[0]: register of the value */
    CPU_REDUCE,   /* out: number of the reduction */
    CPU_CHAIN     /* out: number of the compiled chain */
} hdi_cpu_kind;

typedef struct hdi_cpu_step {
    union { hdi_ew_loop ew; hdi_cast_loop cast; } fn;
    uint16_t out, in[3];
    uint8_t kind;
} hdi_cpu_step;

/* An array or index operand. Positions count steps in the order they run. */
typedef struct hdi_cpu_operand {
    uint16_t slot;
    /* LOAD: its register. STORE: the value's own register if that may stand for the memory
     * itself, else NONE */
    uint16_t reg;
    uint16_t buffer;     /* LOAD: block buffer for what cannot be used in place */
    /* STORE: the load that makes its value, if it may be gathered straight into the memory, else
     * NONE */
    uint16_t from;
    uint16_t at;         /* position of the load or store */
    /* LOAD: of its last use. STORE: of the step that makes the value in memory (reg or from),
     * else `at` */
    uint16_t until;
    uint8_t lsize;       /* log2 of the element size */
    uint8_t level, phase;
    bool store, index;
    bool crosses;        /* LOAD: used in a later phase as well, where it is loaded again */
    /* LOAD: register of the bytes from one element to the next, for chains that take it so; else
     * NONE */
    uint16_t stride;
} hdi_cpu_operand;

/* A scalar operand: its register addresses the one element, `fill` a block full of it (NONE if
 * nobody wants one). */
typedef struct hdi_cpu_scalar { uint16_t slot, reg, fill; uint8_t lsize; } hdi_cpu_scalar;

/* A value of one level wanted at another time or place. */
typedef struct hdi_cpu_value {
    uint16_t reg, from;
    uint8_t lsize, phase;
    bool in_chain;           /* spreads: only chains want it, which may do without */
} hdi_cpu_value;

typedef struct hdi_cpu_red {
    uint16_t x, y, out;      /* registers of the inputs, row register of the result */
    uint8_t phase, row;      /* row: number in red.def */
    uint8_t dt;              /* of the loop */
    uint8_t xsize, asize;    /* bytes of an input element and of an accumulator */
    bool position, plus_zero;   /* argmin, argmax; sums, whose zero is never negative */
    bool can_settle;         /* `settled` is an accumulator that no element changes any more */
    /* the chain that may have done it, or NONE; then also an element that changes nothing */
    uint16_t chain;
    _Alignas(16) uint8_t neutral[16];
    uint8_t settled[16];
    hdi_red_chunk chunk;
    hdi_red_step step, merge;
    hdi_red_start start;
    hdi_red_run run;         /* one of them is there, as loops.h says */
    hdi_red_extend extend;
    hdi_arg_extend arg_extend;
    hdi_arg_chunk arg_chunk;
    hdi_arg_step arg_step;
    hdi_arg_merge arg_merge;
} hdi_cpu_red;

/* A compiled chain and the registers of its operands, then of strides. */
typedef struct hdi_cpu_chain {
    hdi_chain_code code;
    uint16_t n, reg[HDI_CHAIN_ENDS];
} hdi_cpu_chain;

/* The same chain by rows and columns: with the reductions that follow it, whose steps have nothing
 * to do then, and with ROW values as they are, not repeated. n 0: it has neither. */
typedef struct hdi_cpu_reducer {
    hdi_chain_reduce rows, columns;
    uint16_t n, nred, nout;
    bool row_values;
    uint16_t reg[HDI_CHAIN_INPUTS + HDI_CHAIN_OUTPUTS];
    /* of an element; 0: one for all. per_row: of a ROW value */
    uint8_t size[HDI_CHAIN_INPUTS + HDI_CHAIN_OUTPUTS];
    uint8_t per_row[HDI_CHAIN_INPUTS + HDI_CHAIN_OUTPUTS];
    uint16_t stride[HDI_CHAIN_INPUTS + HDI_CHAIN_OUTPUTS];   /* register, or NONE */
    uint16_t red[HDI_CHAIN_REDS];                         /* numbers */
} hdi_cpu_reducer;

typedef struct hdi_cpu_section { uint16_t first, count; } hdi_cpu_section;

typedef struct hdi_cpu_program {
    const hdi_loops *loops;
    size_t bytes;
    bool rows;               /* has values of level ROW: runs by groups of rows */
    /* may go the short way: elementwise, no index operand, each store computed in memory */
    bool plain;
    /* tier 1: has compiled chains; is one chain and nothing else, so that blocks may be of any
     * length */
    bool chained, whole;
    bool alias_safe;         /* in-place operands need no look at addresses */
    bool has_position;       /* argmin or argmax: reduced axes are walked in C order */
    /* a row's elements are of no use but to its reductions: the rest may stay away once all of
     * these have settled */
    bool ends_early;
    uint8_t nphases;
    uint8_t max_lsize;
    int block;               /* elements of a block buffer */
    int64_t buffer_bytes;    /* from one block buffer to the next */
    /* work per element, and per row besides, in bytes handled by a plain loop */
    int64_t cost, row_cost;
    int nregs, nbuffers, nslots;
    int nsteps, ncompute, nshared, nloads, nstores, nscalars, nreds, nkept, nspreads, nrows;
    hdi_cpu_step *steps;
    hdi_cpu_step *compute;   /* plain programs: the steps without loads and stores */
    hdi_cpu_section *full, *row;   /* per phase */
    hdi_cpu_operand *loads, *stores;
    hdi_cpu_scalar *scalars;
    hdi_cpu_red *reds;
    hdi_cpu_value *kept;     /* FULL values that later phases use */
    /* ROW values repeated for FULL steps: from, reg; the first phase that wants them */
    hdi_cpu_value *spreads;
    hdi_cpu_value *row_values;
    uint16_t *home;          /* per register: its block buffer, or NONE */
    uint16_t *shared;        /* registers of block buffers that values share */
    hdi_cpu_chain *chains;
    hdi_cpu_reducer *reducers;     /* per chain */
    struct hdi_cpu_tier *tier;   /* its way to tier 1; NULL if there is none */
} hdi_cpu_program;

/* hdi_cpu_compiler - the state of the CPU's device, which only compiling needs. */
void *hdi_cpu_compiler(void);
hd_status hdi_cpu_compile(void *state, const hdi_kernel *k, void **program);
void hdi_cpu_destroy(void *state, void *program);
/* hdi_cpu_compile_chained - the same kernel with its chains compiled to machine code: NULL if it
 * has none, or an error. Takes milliseconds. strided: slots (bits) whose operands chains read by
 * strides, where nothing else reads them. */
hd_status hdi_cpu_compile_chained(const hdi_kernel *k, uint64_t strided, hdi_cpu_program **program);

/* hdi_cpu_tier_new - what it takes to compile k later; NULL if that would gain nothing (or there
 * is no memory: tier 0 goes on). See cpu_tier.h. */
struct hdi_cpu_tier *hdi_cpu_tier_new(const hdi_kernel *k);
void hdi_cpu_tier_release(struct hdi_cpu_tier *t);

/* ---- inside the compiler --------------------------------------------------------------------- */

/* What a fused pair of operations became: (x f y) g z. */
typedef struct hdi_cpu_super { int8_t pattern; uint16_t arg[3]; } hdi_cpu_super;

/* hdi_cpu_find_supers - super[i].pattern >= 0 where instruction i absorbs an earlier one;
 * absorbed[j] for those. */
void hdi_cpu_find_supers(const hdi_kernel *k, const hdi_loops *loops, hdi_cpu_super *super,
                         bool *absorbed);

/* hdi_cpu_red_set - the loops of reduction op over dt; acc: dtype of an accumulator. false: there
 * are none. In cpu_reduce.c. */
bool hdi_cpu_red_set(hdi_cpu_red *r, const hdi_loops *l, hd_op op, hd_dtype dt, hd_dtype acc);

/* hdi_cpu_ew_cost - per row of ew.def, in plain operations. */
extern const uint8_t hdi_cpu_ew_cost[HDI_EW_COUNT];

#endif
