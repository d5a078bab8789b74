/* SPDX-License-Identifier: BSD-3-Clause */
/* Our own functions of float64, and those of float32 that are computed in float64. */
#define MATH_BITS 64
#include "codegen/llvm_math.h"

static value of_double(hdi_emit *em, const char *name, value x, value y)
{
#define MATH1(f, ...) if (strcmp(name, #f) == 0) return CALL(f, x);
#define MATH2(f, ...) if (strcmp(name, #f) == 0) return CALL(f, x, y);
#include "ops/elementwise/math/functions.def"
    return NULL;
}

#define SINGLE1(f)
#define SINGLE2(f)
#define WIDE1(f) if (strcmp(name, #f) == 0) return CALL(wide_##f, x);
#define WIDE2(f) if (strcmp(name, #f) == 0) return CALL(wide_##f, x, y);

static value of_widened(hdi_emit *em, const char *name, value x, value y)
{
#define MATH1(f, body32, ...) body32##1(f)
#define MATH2(f, body32, ...) body32##2(f)
#include "ops/elementwise/math/functions.def"
    return NULL;
}

LLVMValueRef hdi_emit_math(hdi_emit *em, const char *name, LLVMValueRef x, LLVMValueRef y)
{
    if (em->dt == HD_FLOAT64)
        return of_double(em, name, x, y);
    value r = hdi_emit_math_single(em, name, x, y);
    if (r != NULL)
        return r;
    LLVMTypeRef narrow = LLVMTypeOf(x);
    r = of_widened(em, name, LLVMBuildFPExt(em->build, x, w_real(em), ""),
                   y == NULL ? NULL : LLVMBuildFPExt(em->build, y, w_real(em), ""));
    return r == NULL ? NULL : LLVMBuildFPTrunc(em->build, r, narrow, "");
}

/* ---- complex --------------------------------------------------------------------------------- */

static pair of_complex(hdi_emit *em, const char *name, hdi_value x, hdi_value y)
{
#define COMPLEX1(f) if (strcmp(name, #f) == 0) return CALL(c_##f, x.re, x.im);
#define COMPLEX2(f) if (strcmp(name, #f) == 0) return CALL(c_##f, x.re, x.im, y.re, y.im);
#include "ops/elementwise/math/functions_complex.def"
    return (pair){NULL, NULL};
}

static hdi_value widened(hdi_emit *em, hdi_value x)
{
    if (x.re == NULL)
        return x;
    return (hdi_value){LLVMBuildFPExt(em->build, x.re, w_real(em), ""),
                       LLVMBuildFPExt(em->build, x.im, w_real(em), "")};
}

hdi_value hdi_emit_complex(hdi_emit *em, const char *name, hdi_value x, hdi_value y)
{
    if (em->dt == HD_COMPLEX128) {
        const pair r = of_complex(em, name, x, y);
        return (hdi_value){r.hi, r.lo};
    }
    const pair r = of_complex(em, name, widened(em, x), widened(em, y));
    if (r.hi == NULL)
        return (hdi_value){NULL, NULL};
    LLVMTypeRef narrow = LLVMTypeOf(x.re);
    return (hdi_value){LLVMBuildFPTrunc(em->build, r.hi, narrow, ""),
                       LLVMBuildFPTrunc(em->build, r.lo, narrow, "")};
}
