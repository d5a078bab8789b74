/* SPDX-License-Identifier: BSD-3-Clause */
/* Our own functions of float32, computed in float32. */
#define MATH_BITS 32
#include "codegen/llvm_math.h"

#define SINGLE1(f) if (strcmp(name, #f) == 0) return CALL(f, x);
#define SINGLE2(f) if (strcmp(name, #f) == 0) return CALL(f, x, y);
#define WIDE1(f)
#define WIDE2(f)

LLVMValueRef hdi_emit_math_single(hdi_emit *em, const char *name, LLVMValueRef x, LLVMValueRef y)
{
#define MATH1(f, body32, ...) body32##1(f)
#define MATH2(f, body32, ...) body32##2(f)
#include "ops/elementwise/math/functions.def"
    return NULL;
}
