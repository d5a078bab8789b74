/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_builder.h - inside the compiler of tier 0: what it knows of a kernel while it turns it into a
 * program.
 * Owns       hdi_cpu_builder, hdi_cpu_link
 * Invariant  a value has one register; absorbed instructions have none of their own, but for those
 *            that a chain hands out
 * Threads    one builder serves one thread at a time
 * Start at   hdi_cpu_build() */
#ifndef HDI_CPU_BUILDER_H
#define HDI_CPU_BUILDER_H

#include "backend/cpu/cpu_program.h"

enum {
    MAX = HDI_KERNEL_MAX_INSTS,
    MAX_PHASES = 64,
    MAX_REGS = 4 * MAX,
    MAX_STEPS = MAX + HDI_KERNEL_MAX_SLOTS * MAX_PHASES,
    MAX_CHAINS = 64
};

typedef struct hdi_cpu_pool { int n; uint16_t free[MAX_REGS]; } hdi_cpu_pool;

/* A chain of instructions that one compiled function does. Its last instruction stands for it; the
 * others are absorbed. */
typedef struct hdi_cpu_link {
    hdi_chain chain;
    uint16_t first;                     /* instruction */
    uint16_t in[HDI_CHAIN_INPUTS];      /* values */
    uint16_t out[HDI_CHAIN_OUTPUTS];
    /* the same with reductions, their instructions, and what it reads and hands out */
    hdi_chain reducer;
    uint16_t red[HDI_CHAIN_REDS], red_in[HDI_CHAIN_INPUTS], red_out[HDI_CHAIN_OUTPUTS];
} hdi_cpu_link;

typedef struct hdi_cpu_builder {
    const hdi_kernel *k;
    hdi_cpu_program p;                  /* counts and facts; its arrays are the ones below */
    hdi_cpu_super super[MAX];
    bool absorbed[MAX];
    uint64_t full_uses[MAX];            /* phases whose FULL section uses the value */
    uint16_t pos[MAX], last[MAX];       /* of the step and of the last use; 0: before all steps */
    uint16_t reg[MAX], buffer[MAX];     /* of the value; NONE if it has no buffer to give back */
    uint16_t vector[MAX];               /* a block full of a scalar, or of a ROW value repeated */
    uint16_t store_of[MAX];             /* STORE that may compute this value in memory */
    uint16_t operand[MAX];              /* of LOAD, INDEX, STORE: number */
    uint16_t event[MAX_STEPS];          /* instruction of each position */
    int nevents;
    hdi_cpu_pool values, gathers, rows;
    uint16_t shared[MAX_REGS];          /* per buffer: the register of all values kept there */
    uint16_t shared_list[MAX_REGS];
    hdi_cpu_step step[MAX_STEPS], compute[MAX_STEPS];
    hdi_cpu_section full[MAX_PHASES], row[MAX_PHASES];
    hdi_cpu_operand load[HDI_KERNEL_MAX_SLOTS], store[HDI_KERNEL_MAX_SLOTS];
    hdi_cpu_scalar scalar[HDI_KERNEL_MAX_SLOTS];
    hdi_cpu_red red[MAX];
    hdi_cpu_value kept[MAX], spread[MAX], row_value[MAX];
    uint16_t home[MAX_REGS];
    /* tier 1 (cpu_chain.c): */
    bool chained;
    uint64_t strided;                   /* slots that chains shall read by strides */
    int nchains;
    uint16_t chain_of[MAX];             /* chain that computes the value, or NONE */
    hdi_cpu_link link[MAX_CHAINS];
    hdi_cpu_chain chain[MAX_CHAINS];
    hdi_cpu_reducer reducer[MAX_CHAINS];
} hdi_cpu_builder;

static inline uint8_t hdi_cpu_log2_size(int dt)
{
    return (uint8_t)__builtin_ctz((unsigned)hd_dtype_size((hd_dtype)dt));
}

static inline bool hdi_cpu_is_load(const hdi_kinst *i)
{
    return i->kind == KIR_LOAD || i->kind == KIR_INDEX;
}

/* A reduction's value is ROW, but it is computed among the FULL steps. */
static inline bool hdi_cpu_runs_full(const hdi_kinst *i)
{
    return i->level == KIR_FULL || i->kind == KIR_REDUCE;
}

static inline int hdi_cpu_arguments(const hdi_cpu_builder *b, int i, const uint16_t **args)
{
    if (b->chain_of[i] != HDI_CPU_NONE) {
        *args = b->link[b->chain_of[i]].in;
        return b->link[b->chain_of[i]].chain.nin;
    }
    if (b->super[i].pattern >= 0) {
        *args = b->super[i].arg;
        return 3;
    }
    *args = b->k->inst[i].arg;
    return b->k->inst[i].narg;
}

/* hdi_cpu_build - steps, registers and buffers of b->k. */
hd_status hdi_cpu_build(hdi_cpu_builder *b);

/* hdi_cpu_find_chains - link[], chain_of[] and absorbed[]: runs of operations, in the order of the
 * program, that the code generator has words for. */
void hdi_cpu_find_chains(hdi_cpu_builder *b);
/* hdi_cpu_is_strided - is value v a load to be read by strides, and read by chains only? */
bool hdi_cpu_is_strided(const hdi_cpu_builder *b, int v);
/* hdi_cpu_has_flow - has k branches or loops, which the interpreter knows nothing of?
 * hdi_cpu_check_flow - that all of a phase's are in one chain. */
bool hdi_cpu_has_flow(const hdi_kernel *k);
hd_status hdi_cpu_check_flow(const hdi_cpu_builder *b);
/* hdi_cpu_worth_compiling - is there anything to chain in k? hdi_cpu_isa - hdi_chain_isa of the
 * loops in use. hdi_cpu_has_vector - has libmvec a function f?
 * hdi_cpu_resolve - what generated code calls. */
bool hdi_cpu_has_vector(const char *f, bool is_double);
void *hdi_cpu_resolve(const char *symbol, void *ctx);
bool hdi_cpu_worth_compiling(const hdi_kernel *k);
int hdi_cpu_isa(void);
/* hdi_cpu_find_reducers - reducer[] of all chains, once values have registers
 * (cpu_chain_red.c). */
void hdi_cpu_find_reducers(hdi_cpu_builder *b);
/* hdi_cpu_neutral - an accumulator that changes nothing, at most 16 bytes: the identity; else an
 * infinity, or an end of the integers; reductions that drop nan begin with one. */
void hdi_cpu_neutral(const hdi_loops *l, hd_op op, hd_dtype dt, uint8_t *to);
/* hdi_cpu_is_reducible - can a chain end in instruction i? */
bool hdi_cpu_is_reducible(const hdi_kernel *k, int i);
/* hdi_cpu_generate - code of all chains and reducers. Fails where there is no code generator. */
hd_status hdi_cpu_generate(hdi_cpu_builder *b);

#endif
