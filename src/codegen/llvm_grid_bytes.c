/* SPDX-License-Identifier: BSD-3-Clause */
/* llvm_grid_bytes.c - many bytes between memory and registers: as words of 32 bits, taken apart and
 * put together one by one. Of a vector of bytes, and of words that are made one by a bitcast, LLVM
 * makes a load or a store for each four. */
#include "codegen/llvm_grid.h"

typedef hdi_grid_emit emit;
enum { IN_A_WORD = 4 };

bool hdi_grid_are_bytes(LLVMTypeRef type)
{
    return b_count(type) >= 2 * IN_A_WORD && hdi_bits(type) == 8;
}

static LLVMTypeRef words_of(const emit *e, LLVMTypeRef bytes)
{
    return LLVMVectorType(LLVMInt32TypeInContext(e->e.context),
                          (unsigned)b_count(bytes) / IN_A_WORD);
}

value hdi_grid_load_bytes(emit *e, LLVMTypeRef type, value from, unsigned align)
{
    LLVMBuilderRef b = e->e.build;
    LLVMTypeRef four = LLVMVectorType(LLVMInt8TypeInContext(e->e.context), IN_A_WORD);
    value words = LLVMBuildLoad2(b, words_of(e, type), from, ""), x = LLVMGetUndef(type);
    LLVMSetAlignment(words, align);
    for (int k = 0; k < b_count(type); k++) {
        value word = LLVMBuildExtractElement(b, words, hdi_grid_i32(e, k / IN_A_WORD), "");
        value part = LLVMBuildBitCast(b, word, four, "");
        value byte = LLVMBuildExtractElement(b, part, hdi_grid_i32(e, k % IN_A_WORD), "");
        x = LLVMBuildInsertElement(b, x, byte, hdi_grid_i32(e, k), "");
    }
    return x;
}

static value word_of(emit *e, value x, int first)
{
    LLVMBuilderRef b = e->e.build;
    LLVMTypeRef type = LLVMInt32TypeInContext(e->e.context);
    value word = hdi_grid_i32(e, 0);
    for (int k = 0; k < IN_A_WORD; k++) {
        value byte = LLVMBuildExtractElement(b, x, hdi_grid_i32(e, first + k), "");
        byte = LLVMBuildShl(b, LLVMBuildZExt(b, byte, type, ""), hdi_grid_i32(e, 8 * k), "");
        word = LLVMBuildOr(b, word, byte, "");
    }
    return word;
}

void hdi_grid_store_bytes(emit *e, value x, value to, unsigned align)
{
    LLVMBuilderRef b = e->e.build;
    LLVMTypeRef type = words_of(e, LLVMTypeOf(x));
    value words = LLVMGetUndef(type);
    for (int w = 0; w < b_count(type); w++)
        words = LLVMBuildInsertElement(b, words, word_of(e, x, w * IN_A_WORD), hdi_grid_i32(e, w),
                                       "");
    LLVMSetAlignment(LLVMBuildStore(b, words, to), align);
}
