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

typedef struct hdi_chain_loop {
    hdi_emit e;
    const hdi_chain *c;
    value function, operands, n, rows, pitch;
    value address[HDI_CHAIN_OPERANDS];
    hdi_value single[HDI_CHAIN_INPUTS], neutral[HDI_CHAIN_REDS];
    int unroll;
    int order[64];           /* of a vector of complex numbers: which of them a lane holds */
} hdi_chain_loop;

/* hdi_chain_vectors - values, and outputs, of the `count` vectors at index, index + lanes, ...;
 * mask: as hdi_emit's. hdi_chain_mask - of elements before `to`. */
bool hdi_chain_vectors(hdi_chain_loop *l, value index, int count, value mask,
                       hdi_value v[][HDI_CHAIN_INPUTS + HDI_CHAIN_OPS]);
value hdi_chain_mask(hdi_chain_loop *l, value index, value to);

/* A vector of an operand; an element's address. */
hdi_value hdi_chain_load(hdi_chain_loop *l, int operand, hd_dtype dt, value index, value mask);
void hdi_chain_store(hdi_chain_loop *l, int operand, hd_dtype dt, hdi_value v, value index,
                     value mask);
value hdi_chain_address(hdi_chain_loop *l, int operand, hd_dtype dt, value index);

/* hdi_chain_emit_rows, hdi_chain_emit_columns - of chains with reductions (llvm_reduce.c). */
bool hdi_chain_emit_rows(hdi_chain_loop *l);
bool hdi_chain_emit_columns(hdi_chain_loop *l);

#endif
