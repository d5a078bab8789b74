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
    int lanes;                 /* of every vector in the chain; 0: values are plain scalars */
    int vector_bytes;          /* of the instruction set's registers; 0: a GPU's, no C library */
    bool fused;                /* a * b + c may round once, where a text says so */
    const char *vector_bits;   /* the same as text for functions' attributes, or NULL */
    LLVMValueRef mask;         /* of lanes before the end; NULL: all are */
    /* of the operation at hand: */
    hd_dtype dt;               /* its loop's */
    char kind;                 /* b bool, i signed, u unsigned, f real, c complex */
    bool own;                  /* its function is our own, not the C library's */
    bool in_step;              /* its positions ascend by 1, from a multiple of the lanes on */
} hdi_emit;

/* hdi_emits_for_gpu - is the code for a GPU, compiled for it or a word of its tier 0? */
static inline bool hdi_emits_for_gpu(const hdi_emit *e) { return e->vector_bytes == 0; }

/* A value: all lanes of a vector, or a scalar. Only complex numbers have an im. */
typedef struct hdi_value { LLVMValueRef re, im; } hdi_value;

/* hdi_emit_chain - a module with the function HDI_CHAIN_ENTRY; NULL if the chain has an operation
 * that hdi_chain_can() refuses. */
LLVMModuleRef hdi_emit_chain(LLVMContextRef context, const hdi_chain *c);

/* hdi_emit_row - the value of row op of ew.def; re is NULL if it has none. in[0 .. 3), of type cdt,
 * but for the position of a ramp, which is an int64. */
hdi_value hdi_emit_row(hdi_emit *e, hd_op op, hd_dtype cdt, hdi_value const *in);
/* hdi_emit_red - accumulator in[0] with in[1] (and in[2]), as row op of red.def combines them. */
hdi_value hdi_emit_red(hdi_emit *e, hd_op op, hd_dtype cdt, hdi_value const *in);
/* hdi_emit_math - our own function of that name (functions.def) of type e->dt, y NULL where it has
 * one argument; hdi_emit_math_single: if it is one that is computed in float32, else NULL. */
LLVMValueRef hdi_emit_math(hdi_emit *e, const char *name, LLVMValueRef x, LLVMValueRef y);
LLVMValueRef hdi_emit_math_single(hdi_emit *e, const char *name, LLVMValueRef x, LLVMValueRef y);
/* hdi_emit_complex - our own function of that name (functions_complex.def) of complex type e->dt;
 * y is {NULL, NULL} where it has one argument, and so is the result if there is none. */
hdi_value hdi_emit_complex(hdi_emit *e, const char *name, hdi_value x, hdi_value y);
/* hdi_emit_cast - of anything but complex numbers. hdi_emit_convert - of anything. */
LLVMValueRef hdi_emit_cast(hdi_emit *e, LLVMValueRef x, hd_dtype from, hd_dtype to);
hdi_value hdi_emit_convert(hdi_emit *e, hdi_value x, hd_dtype from, hd_dtype to);
/* hdi_emit_half_cast - float32 to a half type, back, or float64 to float16 (llvm_half.c). */
LLVMValueRef hdi_emit_half_cast(hdi_emit *e, LLVMValueRef x, hd_dtype from, hd_dtype to);

/* Types of a dtype's lanes: of its values, and of its elements in memory; of a complex number,
 * of its parts. */
LLVMTypeRef hdi_emit_type(const hdi_emit *e, hd_dtype dt);
LLVMTypeRef hdi_emit_memory_type(const hdi_emit *e, hd_dtype dt);
/* hdi_emit_attributes - tells a function of the module which registers it has. */
void hdi_emit_attributes(const hdi_emit *e, LLVMValueRef function);
/* hdi_emit_intrinsic - a call of an intrinsic that is overloaded on its value's type. */
LLVMValueRef hdi_emit_intrinsic(hdi_emit *e, const char *name, LLVMTypeRef type, int narg,
                                LLVMValueRef *args);
/* hdi_emit_call - of a function by its name, whose type the arguments (at most 8) say: intrinsics
 * of GPUs. hdi_emit_special - a special register of a GPU: "tid.x". hdi_emit_assembly - PTX in its
 * own words. hdi_emit_annotate - what the driver is told of a kernel: "kernel", "maxntidx". */
LLVMValueRef hdi_emit_call(hdi_emit *e, const char *name, LLVMTypeRef result, int narg,
                           LLVMValueRef *args);
LLVMValueRef hdi_emit_special(hdi_emit *e, const char *name);
LLVMValueRef hdi_emit_assembly(hdi_emit *e, const char *text, const char *constraints,
                               LLVMTypeRef result, int narg, LLVMValueRef *args);
void hdi_emit_annotate(const hdi_emit *e, LLVMValueRef function, const char *what, int n);

#endif
