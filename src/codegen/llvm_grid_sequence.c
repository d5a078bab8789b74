/* SPDX-License-Identifier: BSD-3-Clause */
/* llvm_grid_sequence.c - a function that runs many kernels, one after the other. */
#include "codegen/llvm_grid.h"

typedef hdi_grid_emit emit;

static LLVMTypeRef i32(const emit *e)
{
    return LLVMInt32TypeInContext(e->e.context);
}

/* ---- a kernel -------------------------------------------------------------------------------- */

static bool one_block(emit *e, value at, void *ctx)
{
    const hdi_grid_kernel *body = ctx;
    e->block = at;
    return hdi_grid_kernel_code(e, body->k, body->g);
}

/* All blocks of the kernel that `what` says. */
static bool run(emit *e, const hdi_sequence *s, value what, LLVMBasicBlockRef after)
{
    LLVMBuilderRef b = e->e.build;
    LLVMTypeRef word = LLVMInt64TypeInContext(e->e.context);
    value all = e->words, at = hdi_grid_alloca(e, i32(e));
    value number = LLVMBuildAnd(b, LLVMBuildTrunc(b, what, i32(e), ""), hdi_grid_i32(e, 255), "");
    value far = LLVMBuildLShr(b, LLVMBuildTrunc(b, what, i32(e), ""),
                              hdi_grid_i32(e, HDI_SEQUENCE_AT_SHIFT), "");
    value top = LLVMBuildLShr(b, what, LLVMConstInt(word, HDI_SEQUENCE_BLOCKS_SHIFT, 0), "");
    bool done = true;
    e->words = LLVMBuildGEP2(b, word, all, &far, 1, "");
    e->blocks = LLVMBuildTrunc(b, top, i32(e), "");
    LLVMBuildStore(b, hdi_grid_i32(e, 0), at);
    value choice = LLVMBuildSwitch(b, number, after, (unsigned)s->nbodies);
    for (int k = 0; k < s->nbodies && done; k++) {
        hdi_grid_kernel body = s->body[k];
        LLVMBasicBlockRef here = hdi_grid_block(e);
        LLVMAddCase(choice, hdi_grid_i32(e, k), here);
        LLVMPositionBuilderAtEnd(b, here);
        e->index = i32(e);
        done = hdi_grid_while(e, at, e->blocks, hdi_grid_i32(e, 1), one_block, &body);
        LLVMBuildBr(b, after);
    }
    LLVMPositionBuilderAtEnd(b, after);
    e->words = all;
    return done;
}

static bool all_kernels(emit *e, const hdi_sequence *s)
{
    LLVMBuilderRef b = e->e.build;
    LLVMBasicBlockRef turn = hdi_grid_block(e), after = hdi_grid_block(e), more = hdi_grid_block(e),
                      end = hdi_grid_block(e);
    LLVMTypeRef word = LLVMInt64TypeInContext(e->e.context);
    value at = hdi_grid_alloca(e, i32(e));
    value n = LLVMBuildTrunc(b, hdi_grid_word(e, HDI_SEQUENCE_COUNT), i32(e), "");
    LLVMBuildStore(b, hdi_grid_i32(e, 0), at);
    hdi_grid_jump(e, turn);
    value now = LLVMBuildLoad2(b, i32(e), at, "");
    value number = LLVMBuildAdd(b, now, hdi_grid_i32(e, HDI_SEQUENCE_KERNELS), "");
    value what = LLVMBuildLoad2(b, word, LLVMBuildGEP2(b, word, e->words, &number, 1, ""), "");
    bool done = run(e, s, what, after);
    value next = LLVMBuildAdd(b, now, hdi_grid_i32(e, 1), "");
    LLVMBuildStore(b, next, at);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSLT, next, n, ""), more, end);
    LLVMPositionBuilderAtEnd(b, more);
    hdi_grid_call_void(e, "llvm.nvvm.barrier0");
    LLVMBuildBr(b, turn);
    LLVMPositionBuilderAtEnd(b, end);
    return done;
}

LLVMModuleRef hdi_emit_sequence(LLVMContextRef context, const hdi_sequence *s)
{
    emit *e = hdi_grid_new(context);
    if (e == NULL)
        return NULL;
    hdi_grid_open(e, HDI_GRID_PARAMETER_WORDS, false, s->body[0].g);
    return hdi_grid_close(e, all_kernels(e, s));
}
