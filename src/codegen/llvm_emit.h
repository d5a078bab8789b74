/* SPDX-License-Identifier: BSD-3-Clause */
/* llvm_emit.h - a chain as LLVM IR: explicit vectors, one value after the other.
 * Owns       hdi_emit
 * Invariant  gives the bits of tier 0's loops: no fast-math flags, no contraction, the same vector
 *            functions, the same answer for nan, -0.0, shifts beyond the width and the smallest
 *            integer. bool is i1 in registers and a byte, 0 or 1, in memory
 * Threads    one context per compiling thread
 * Start at   hdi_emit_chain()
 * See        docs/design/codegen.md */
#ifndef HDI_LLVM_EMIT_H
#define HDI_LLVM_EMIT_H

#include <llvm-c/Core.h>

#include "codegen/cg_chain.h"

typedef struct hdi_emit {
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef build;
    int lanes;                 /* of every vector in the chain */
    int vector_bytes;          /* of the instruction set's registers */
    bool fused;                /* a * b + c may round once */
    /* of the operation at hand: */
    hd_dtype dt;               /* its loop's */
    char kind;                 /* b bool, i signed, u unsigned, f real */
    bool own;                  /* its function is our own, not the C library's */
} hdi_emit;

/* hdi_emit_chain - a module with the function HDI_CHAIN_ENTRY; NULL if the chain has an operation
 * that hdi_chain_can() refuses. */
LLVMModuleRef hdi_emit_chain(LLVMContextRef context, const hdi_chain *c);

/* hdi_emit_row - the value of row op of ew.def. */
LLVMValueRef hdi_emit_row(hdi_emit *e, hd_op op, hd_dtype cdt, LLVMValueRef const *in);
/* hdi_emit_math - our own function of that name (functions.def) of type e->dt, y NULL where it has
 * one argument; hdi_emit_math_single: if it is one that is computed in float32, else NULL. */
LLVMValueRef hdi_emit_math(hdi_emit *e, const char *name, LLVMValueRef x, LLVMValueRef y);
LLVMValueRef hdi_emit_math_single(hdi_emit *e, const char *name, LLVMValueRef x, LLVMValueRef y);
LLVMValueRef hdi_emit_cast(hdi_emit *e, LLVMValueRef x, hd_dtype from, hd_dtype to);

/* Vector types of a dtype: of its values, and of its elements in memory. */
LLVMTypeRef hdi_emit_type(const hdi_emit *e, hd_dtype dt);
LLVMTypeRef hdi_emit_memory_type(const hdi_emit *e, hd_dtype dt);
/* hdi_emit_intrinsic - a call of an intrinsic that is overloaded on its value's type. */
LLVMValueRef hdi_emit_intrinsic(hdi_emit *e, const char *name, LLVMTypeRef type, int narg,
                                LLVMValueRef *args);

#endif
