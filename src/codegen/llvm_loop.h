/* SPDX-License-Identifier: BSD-3-Clause */
/* llvm_loop.h - inside the loop around a chain: what its ways over the elements share.
 * Owns       hdi_chain_loop
 * Invariant  an element's index is the same for every operand but accumulators
 * Threads    as hdi_emit
 * Start at   hdi_chain_vectors() */
#ifndef HDI_LLVM_LOOP_H
#define HDI_LLVM_LOOP_H

#include "codegen/llvm_build.h"

enum { HDI_CHAIN_UNROLL = 4 };

static inline value b_i64(const hdi_emit *e, int64_t n)
{
    return LLVMConstInt(LLVMInt64TypeInContext(e->context), (unsigned long long)n, 1);
}

typedef struct hdi_chain_loop {
    hdi_emit e;
    const hdi_chain *c;
    value function, operands, n, rows, pitch;
    value address[HDI_CHAIN_OPERANDS], stride[HDI_CHAIN_INPUTS];
    hdi_value single[HDI_CHAIN_INPUTS], neutral[HDI_CHAIN_REDS];
    hdi_value of_row[HDI_CHAIN_UNROLL][HDI_CHAIN_INPUTS];   /* per vector of columns */
    int unroll;
    int order[64];           /* of a vector of complex numbers: which of them a lane holds */
} hdi_chain_loop;

/* hdi_chain_vectors - values, and outputs, of the `count` vectors at index, index + lanes, ...;
 * mask: as hdi_emit's. hdi_chain_mask - of elements before `to`. */
bool hdi_chain_vectors(hdi_chain_loop *l, value index, int count, value mask,
                       hdi_value v[][HDI_CHAIN_INPUTS + HDI_CHAIN_OPS]);
value hdi_chain_mask(hdi_chain_loop *l, value index, value to);

/* hdi_chain_run - elements [from, to), from + base on in memory: whole steps of `count` vectors, or
 * masked ones. hdi_chain_single - element `index` of an operand, in all lanes. */
bool hdi_chain_run(hdi_chain_loop *l, value base, value from, value to, int count, bool masked);
hdi_value hdi_chain_single(hdi_chain_loop *l, int operand, hd_dtype dt, value index);

/* A vector of an operand; an element's address (llvm_memory.c). */
hdi_value hdi_chain_load(hdi_chain_loop *l, int operand, hd_dtype dt, value index, value mask);
void hdi_chain_store(hdi_chain_loop *l, int operand, hd_dtype dt, hdi_value v, value index,
                     value mask);
value hdi_chain_address(hdi_chain_loop *l, int operand, hd_dtype dt, value index);

/* Where in the flow the code at hand stands (llvm_flow.c). */
typedef struct hdi_flow_frame {
    bool loop;
    value outside, condition;    /* lanes at work around it; IF: its argument */
    value alive;                 /* LOOP: lanes that have not left it */
    int nlocals, n;
    LLVMBasicBlockRef before, head, after;
    value state[2 * HDI_CHAIN_LOCALS + 1];
} hdi_flow_frame;

typedef struct hdi_flow {
    value active;                /* lanes at work */
    int depth, nlocals;
    int local[HDI_CHAIN_LOCALS];         /* the operations that made them */
    hdi_value now[HDI_CHAIN_LOCALS];
    hdi_flow_frame frame[HDI_CHAIN_DEPTH];
} hdi_flow;

void hdi_flow_begin(hdi_chain_loop *l, hdi_flow *f);
/* hdi_flow_emit - operation k of the chain, which is flow; v: values so far, to which it adds. */
void hdi_flow_emit(hdi_chain_loop *l, hdi_flow *f, int k, hdi_value *v);

/* hdi_chain_emit_rows, hdi_chain_emit_columns - of chains with reductions (llvm_reduce.c). */
bool hdi_chain_emit_rows(hdi_chain_loop *l);
bool hdi_chain_emit_columns(hdi_chain_loop *l);

#endif
