/* SPDX-License-Identifier: BSD-3-Clause */
/* llvm_lir_math.c - functions of lowered IR: instructions, our own texts (ops/elementwise/math),
 * whose bits are the same on every target, and the C library for what is left. */
#include "codegen/llvm_lir.h"
#include "codegen/llvm_words.h"

#include <math.h>
#include <stdio.h>

static const struct { const char *text; int narg; } rows[HDI_LIR_MATHS] = {
#define LIR_MATH(NAME, text, narg, kinds) {text, narg},
#include "lir/math.def"
#undef LIR_MATH
};

/* ---- whole numbers --------------------------------------------------------------------------- */

static value high_half(lir_emit *m, hdi_lir_type t, value x, value y)
{
    const bool is_signed = lir_kind(t) == 'i';
    const unsigned width = (unsigned)lir_bytes(t) * 8;
    LLVMTypeRef wide = LLVMIntTypeInContext(m->e.context, 2 * width);
    value r =
        b_mul(&m->e, b_resize(&m->e, x, wide, is_signed), b_resize(&m->e, y, wide, is_signed));
    return b_resize(&m->e, b_lshr(&m->e, r, (int)width), LLVMTypeOf(x), false);
}

static value whole(lir_emit *m, int f, hdi_lir_type t, value x, value y)
{
    hdi_emit *e = &m->e;
    const bool is_signed = lir_kind(t) == 'i';
    switch (f) {
    case HDI_LIR_M_FABS:
        return is_signed ? b_pick(e, b_lt(e, x, b_whole(x, 0)), b_neg(e, x), x) : x;
    case HDI_LIR_M_MIN: return b_call2(e, is_signed ? "llvm.smin" : "llvm.umin", x, y);
    case HDI_LIR_M_MAX: return b_call2(e, is_signed ? "llvm.smax" : "llvm.umax", x, y);
    case HDI_LIR_M_POPCOUNT: return b_call1(e, "llvm.ctpop", x);
    case HDI_LIR_M_BREV: return b_call1(e, "llvm.bitreverse", x);
    case HDI_LIR_M_MULHI: return high_half(m, t, x, y);
    default: break;
    }
    LLVMTypeRef type = LLVMTypeOf(x);   /* CLZ: of 0 it is the width */
    unsigned id = LLVMLookupIntrinsicID("llvm.ctlz", 9);
    value args[2] = {x, LLVMConstInt(LLVMInt1TypeInContext(e->context), 0, 0)};
    return LLVMBuildCall2(e->build, LLVMIntrinsicGetType(e->context, id, &type, 1),
                          LLVMGetIntrinsicDeclaration(e->module, id, &type, 1), args, 2, "");
}

/* ---- reals ----------------------------------------------------------------------------------- */

static const char *instruction(int f)
{
    switch (f) {
    case HDI_LIR_M_SQRT: return "llvm.sqrt";
    case HDI_LIR_M_FLOOR: return "llvm.floor";
    case HDI_LIR_M_CEIL: return "llvm.ceil";
    case HDI_LIR_M_TRUNC: return "llvm.trunc";
    case HDI_LIR_M_RINT: return "llvm.rint";
    case HDI_LIR_M_FABS: return "llvm.fabs";
    case HDI_LIR_M_COPYSIGN: return "llvm.copysign";
    case HDI_LIR_M_FMA: return "llvm.fma";
    case HDI_LIR_M_MIN: return "llvm.minnum";
    case HDI_LIR_M_MAX: return "llvm.maxnum";
    default: return NULL;
    }
}

/* sin(pi x) and cos(pi x): first the quarter of a turn, which is exact. */
static value of_pi(lir_emit *m, value x, bool is_sine)
{
    hdi_emit *e = &m->e;
    value turns = b_times(e, b_call1(e, "llvm.rint", b_times(e, x, 0.5)), 2);
    value r = b_times(e, b_sub(e, x, turns), M_PI);
    return hdi_emit_math(e, is_sine ? "sin" : "cos", r, NULL);
}

/* A GPU has an instruction for float32, within 2 units, which is what CUDA's rsqrtf() is. */
static value one_by_root(lir_emit *m, value x)
{
    hdi_emit *e = &m->e;
    if (m->target->arch == 0 || e->dt != HD_FLOAT32)
        return b_div(e, b_real(x, 1), b_sqrt(e, x));
    return hdi_emit_call(e, "llvm.nvvm.rsqrt.approx.f", LLVMTypeOf(x), 1, &x);
}

/* Half away from 0, which no processor has. */
static value rounded(lir_emit *m, value x)
{
    hdi_emit *e = &m->e;
    value size = b_abs(e, x), low = b_call1(e, "llvm.floor", size);
    value up = LLVMBuildFCmp(e->build, LLVMRealOGE, b_sub(e, size, low), b_real(x, 0.5), "");
    value r = b_add(e, low, b_pick(e, up, b_real(x, 1), b_real(x, 0)));
    return b_call2(e, "llvm.copysign", r, x);
}

/* A function of the host's C library; of float32 its name ends with f. */
static value from_library(lir_emit *m, const char *name, int narg, value *args)
{
    char full[32];
    LLVMTypeRef type = LLVMTypeOf(args[0]), types[3] = {type, type, type};
    snprintf(full, sizeof full, "%s%s", name, m->e.dt == HD_FLOAT32 ? "f" : "");
    LLVMTypeRef f = LLVMFunctionType(type, types, (unsigned)narg, 0);
    value called = lir_outside(m, full, f);
    static const char *const promises[] = {"nounwind", "willreturn", "memory", "nosync"};
    for (size_t i = 0; i < sizeof promises / sizeof *promises; i++)
        lir_promise(m, called, (unsigned)LLVMAttributeFunctionIndex, promises[i]);
    return LLVMBuildCall2(m->e.build, f, called, args, (unsigned)narg, "");
}

static value real(lir_emit *m, int f, value *x)
{
    hdi_emit *e = &m->e;
    value r = NULL;
    if (instruction(f) != NULL)
        return hdi_emit_intrinsic(e, instruction(f), LLVMTypeOf(x[0]), rows[f].narg, x);
    switch (f) {
    case HDI_LIR_M_SINPI:
    case HDI_LIR_M_COSPI: return of_pi(m, x[0], f == HDI_LIR_M_SINPI);
    case HDI_LIR_M_RSQRT: return one_by_root(m, x[0]);
    case HDI_LIR_M_EXP10: return hdi_emit_math(e, "pow", b_real(x[0], 10), x[0]);
    case HDI_LIR_M_ROUND: return rounded(m, x[0]);
    case HDI_LIR_M_FMOD: return LLVMBuildFRem(e->build, x[0], x[1], "");
    case HDI_LIR_M_NEXTAFTER: return hdi_word_nextafter(e, x[0], x[1]);
    case HDI_LIR_M_LDEXP:
        return hdi_word_ldexp(e, x[0], lir_convert(m, x[1], m->e.dt == HD_FLOAT32 ? HDI_LIR_F32
                                                                              : HDI_LIR_F64,
                                                   HDI_LIR_I64));
    default: r = hdi_emit_math(e, rows[f].text, x[0], rows[f].narg > 1 ? x[1] : NULL);
    }
    return r != NULL ? r : from_library(m, rows[f].text, rows[f].narg, x);
}

value lir_math(lir_emit *m, const hdi_lir_node *n)
{
    const hdi_lir_type t = (hdi_lir_type)n->type;
    value x[3] = {NULL, NULL, NULL};
    for (int k = 0; k < rows[n->k].narg; k++)
        x[k] = lir_value(m, n->arg[k]);
    if (lir_kind(t) != 'f')
        return whole(m, (int)n->k, t, x[0], x[1]);
    m->e.dt = t == HDI_LIR_F64 ? HD_FLOAT64 : HD_FLOAT32;
    m->e.kind = 'f';
    return real(m, (int)n->k, x);
}
