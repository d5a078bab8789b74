/* SPDX-License-Identifier: BSD-3-Clause */
/* llvm_grid_atomic.c - stores that combine with what is there, whoever else does so at the same
 * time. What the hardware does in one instruction: sums, and of integers the largest, the smallest
 * and bits. */
#include "codegen/llvm_grid.h"

typedef hdi_grid_emit emit;

static LLVMAtomicRMWBinOp whole_op(hd_op op, bool is_signed)
{
    switch ((int)op) {
    case HD_OP_subtract:
        return LLVMAtomicRMWBinOpSub;
    case HD_OP_maximum:
        return is_signed ? LLVMAtomicRMWBinOpMax : LLVMAtomicRMWBinOpUMax;
    case HD_OP_minimum:
        return is_signed ? LLVMAtomicRMWBinOpMin : LLVMAtomicRMWBinOpUMin;
    case HD_OP_bitwise_and:
        return LLVMAtomicRMWBinOpAnd;
    case HD_OP_bitwise_or:
        return LLVMAtomicRMWBinOpOr;
    case HD_OP_bitwise_xor:
        return LLVMAtomicRMWBinOpXor;
    default:
        return LLVMAtomicRMWBinOpAdd;
    }
}

/* x: one lane. Reals are subtracted by adding the opposite, which an instruction does. */
static void combine(emit *e, hd_op op, char kind, value to, value x)
{
    LLVMBuilderRef b = e->e.build;
    bool real = kind == 'f' || kind == 'c';
    x = LLVMBuildExtractElement(b, x, hdi_grid_i32(e, 0), "");
    if (real && op == HD_OP_subtract)
        x = LLVMBuildFNeg(b, x, "");
    LLVMBuildAtomicRMW(b, real ? LLVMAtomicRMWBinOpFAdd : whole_op(op, kind == 'i'), to, x,
                       LLVMAtomicOrderingMonotonic, 0);
}

void hdi_grid_atomic(emit *e, const hdi_kinst *inst, LLVMValueRef to, hdi_value x)
{
    hd_dtype dt = (hd_dtype)inst->dt;
    char kind = hdi_chain_kind(dt);
    combine(e, (hd_op)inst->op, kind, to, x.re);
    if (x.im == NULL)
        return;
    value by = hdi_grid_number(e, hdi_chain_size(hdi_chain_part(dt)));
    LLVMTypeRef byte = LLVMInt8TypeInContext(e->e.context);
    combine(e, (hd_op)inst->op, kind, LLVMBuildGEP2(e->e.build, byte, to, &by, 1, ""), x.im);
}
