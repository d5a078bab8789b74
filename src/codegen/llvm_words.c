/* SPDX-License-Identifier: BSD-3-Clause */
/* llvm_words.c - the meaning of ew.def's vocabulary in LLVM IR, after loops_vocab_*.h, which it
 * must equal bit for bit. */
#include <stdio.h>
#include <string.h>

#include "codegen/llvm_emit.h"

typedef LLVMValueRef value;

static LLVMTypeRef type_of(const hdi_emit *e)
{
    return hdi_emit_type(e, e->dt);
}

static value zero(const hdi_emit *e)
{
    return LLVMConstNull(type_of(e));
}

static value splat(const hdi_emit *e, value element)
{
    value lane[64];
    for (int i = 0; i < e->lanes; i++)
        lane[i] = element;
    return LLVMConstVector(lane, (unsigned)e->lanes);
}

static value whole(const hdi_emit *e, int64_t n)
{
    return splat(e, LLVMConstInt(LLVMGetElementType(type_of(e)), (unsigned long long)n, 1));
}

static value real(const hdi_emit *e, double x)
{
    return splat(e, LLVMConstReal(LLVMGetElementType(type_of(e)), x));
}

static value one(const hdi_emit *e)
{
    return e->kind == 'f' ? real(e, 1.0) : whole(e, 1);
}

static value call1(hdi_emit *e, const char *intrinsic, value x)
{
    return hdi_emit_intrinsic(e, intrinsic, type_of(e), 1, &x);
}

/* ---- truth ----------------------------------------------------------------------------------- */

static value truth(hdi_emit *e, value x)
{
    LLVMTypeRef element = LLVMGetElementType(LLVMTypeOf(x));
    LLVMTypeKind kind = LLVMGetTypeKind(element);
    if (kind == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(element) == 1)
        return x;
    return kind == LLVMIntegerTypeKind
               ? LLVMBuildICmp(e->build, LLVMIntNE, x, LLVMConstNull(LLVMTypeOf(x)), "")
               : LLVMBuildFCmp(e->build, LLVMRealUNE, x, LLVMConstNull(LLVMTypeOf(x)), "");
}

static value not(hdi_emit *e, value x)
{
    return LLVMBuildNot(e->build, truth(e, x), "");
}

static value compare(hdi_emit *e, LLVMIntPredicate i, LLVMIntPredicate u, LLVMRealPredicate f,
                     value x, value y)
{
    return e->kind == 'f' ? LLVMBuildFCmp(e->build, f, x, y, "")
                          : LLVMBuildICmp(e->build, e->kind == 'i' ? i : u, x, y, "");
}

#define LT(a, b) compare(e, LLVMIntSLT, LLVMIntULT, LLVMRealOLT, a, b)
#define LE(a, b) compare(e, LLVMIntSLE, LLVMIntULE, LLVMRealOLE, a, b)
#define GT(a, b) compare(e, LLVMIntSGT, LLVMIntUGT, LLVMRealOGT, a, b)
#define GE(a, b) compare(e, LLVMIntSGE, LLVMIntUGE, LLVMRealOGE, a, b)
#define EQ(a, b) compare(e, LLVMIntEQ, LLVMIntEQ, LLVMRealOEQ, a, b)
#define NE(a, b) compare(e, LLVMIntNE, LLVMIntNE, LLVMRealUNE, a, b)
#define AND(a, b) LLVMBuildAnd(e->build, truth(e, a), truth(e, b), "")
#define OR(a, b) LLVMBuildOr(e->build, truth(e, a), truth(e, b), "")
#define XOR(a, b) LLVMBuildXor(e->build, truth(e, a), truth(e, b), "")
#define NOT(a) not(e, a)
#define SELECT(c, a, b) LLVMBuildSelect(e->build, truth(e, c), a, b, "")

/* ---- arithmetic ------------------------------------------------------------------------------ */

static value add(hdi_emit *e, value x, value y)
{
    return e->kind == 'f'   ? LLVMBuildFAdd(e->build, x, y, "")
           : e->kind == 'b' ? LLVMBuildOr(e->build, x, y, "")
                            : LLVMBuildAdd(e->build, x, y, "");
}

static value sub(hdi_emit *e, value x, value y)
{
    return e->kind == 'f' ? LLVMBuildFSub(e->build, x, y, "") : LLVMBuildSub(e->build, x, y, "");
}

static value mul(hdi_emit *e, value x, value y)
{
    return e->kind == 'f'   ? LLVMBuildFMul(e->build, x, y, "")
           : e->kind == 'b' ? LLVMBuildAnd(e->build, x, y, "")
                            : LLVMBuildMul(e->build, x, y, "");
}

static value neg(hdi_emit *e, value x)
{
    return e->kind == 'f' ? LLVMBuildFNeg(e->build, x, "") : LLVMBuildNeg(e->build, x, "");
}

static value abs_of(hdi_emit *e, value x)
{
    if (e->kind == 'f')
        return call1(e, "llvm.fabs", x);
    return e->kind == 'i' ? SELECT(LT(x, zero(e)), neg(e, x), x) : x;
}

static value sign(hdi_emit *e, value x)
{
    value minus = e->kind == 'f' ? real(e, -1.0) : whole(e, -1);
    if (e->kind == 'u')
        return SELECT(x, one(e), zero(e));
    value rest = e->kind == 'f' ? SELECT(EQ(x, zero(e)), zero(e), x) : x;   /* nan stays nan */
    return SELECT(GT(x, zero(e)), one(e), SELECT(LT(x, zero(e)), minus, rest));
}

/* Of equal operands (0 and -0) the second one, of fmax and fmin the first; nan wins, or loses. */
static value larger(hdi_emit *e, value x, value y, bool smaller)
{
    if (e->kind == 'b')
        return smaller ? AND(x, y) : OR(x, y);
    if (e->kind != 'f')
        return SELECT(smaller ? LT(x, y) : GT(x, y), x, y);
    value beats = LLVMBuildFCmp(e->build, smaller ? LLVMRealULT : LLVMRealUGT, x, y, "");
    return SELECT(AND(beats, LLVMBuildFCmp(e->build, LLVMRealORD, y, y, "")), x, y);
}

static value larger_number(hdi_emit *e, value x, value y, bool smaller)
{
    if (e->kind != 'f')
        return larger(e, x, y, smaller);
    value beats = LLVMBuildFCmp(e->build, smaller ? LLVMRealULT : LLVMRealUGT, y, x, "");
    return SELECT(AND(beats, LLVMBuildFCmp(e->build, LLVMRealORD, y, y, "")), y, x);
}

static int bits(const hdi_emit *e)
{
    return hdi_chain_size(e->dt) * 8;
}

/* By the width or more: 0, or the sign. A negative count is a large one. */
static value shift_left(hdi_emit *e, value x, value y)
{
    value inside = LLVMBuildICmp(e->build, LLVMIntULT, y, whole(e, bits(e)), "");
    value by = LLVMBuildAnd(e->build, y, whole(e, bits(e) - 1), "");
    return SELECT(inside, LLVMBuildShl(e->build, x, by, ""), zero(e));
}

static value shift_right(hdi_emit *e, value x, value y)
{
    value inside = LLVMBuildICmp(e->build, LLVMIntULT, y, whole(e, bits(e)), "");
    if (e->kind == 'i')
        return LLVMBuildAShr(e->build, x, SELECT(inside, y, whole(e, bits(e) - 1)), "");
    value by = LLVMBuildAnd(e->build, y, whole(e, bits(e) - 1), "");
    return SELECT(inside, LLVMBuildLShr(e->build, x, by, ""), zero(e));
}

static value signbit_of(hdi_emit *e, value x)
{
    if (e->kind != 'f')
        return e->kind == 'i' ? LT(x, zero(e)) : LLVMConstNull(hdi_emit_type(e, HD_BOOL));
    LLVMTypeRef word = LLVMVectorType(
        LLVMIntTypeInContext(e->context, (unsigned)hdi_chain_size(e->dt) * 8), (unsigned)e->lanes);
    value b = LLVMBuildBitCast(e->build, x, word, "");
    return LLVMBuildICmp(e->build, LLVMIntSLT, b, LLVMConstNull(word), "");
}

/* A degree in radians, or a radian in degrees, as the type computes it. */
static value angle(const hdi_emit *e, bool degree)
{
    const double pi = 3.14159265358979323846;
    if (e->dt == HD_FLOAT64)
        return real(e, degree ? pi / 180 : 180 / pi);
    return real(e, (double)(degree ? (float)pi / 180 : 180 / (float)pi));
}

/* Kind of number: what integers always or never are. */
static value is_number(hdi_emit *e, value x, const char *what)
{
    LLVMTypeRef flags = hdi_emit_type(e, HD_BOOL);
    if (e->kind != 'f')
        return strcmp(what, "finite") == 0 ? LLVMConstAllOnes(flags) : LLVMConstNull(flags);
    if (strcmp(what, "nan") == 0)
        return LLVMBuildFCmp(e->build, LLVMRealUNO, x, x, "");
    return LLVMBuildFCmp(e->build, strcmp(what, "inf") == 0 ? LLVMRealOEQ : LLVMRealOLT,
                         abs_of(e, x), real(e, (double)__builtin_inf()), "");
}

/* ---- functions ------------------------------------------------------------------------------- */

/* x with lanes [0, n) and, where x has fewer, some of its own again. */
static value resize(hdi_emit *e, value x, int from, int first, int n)
{
    value lane[64];
    LLVMTypeRef i32 = LLVMInt32TypeInContext(e->context);
    for (int i = 0; i < n; i++)
        lane[i] = LLVMConstInt(i32, (unsigned long long)((first + i) % from), 0);
    return LLVMBuildShuffleVector(e->build, x, LLVMGetUndef(LLVMTypeOf(x)),
                                  LLVMConstVector(lane, (unsigned)n), "");
}

/* A vector function of the C library, which takes whole registers: the chain's vectors are cut or
 * filled up to them. Its symbol is resolved when the code is loaded: name.d or name.s. */
static value library_call(hdi_emit *e, const char *f, int narg, value x, value y)
{
    char symbol[40];
    int width = e->vector_bytes / hdi_chain_size(e->dt);
    LLVMTypeRef part = LLVMVectorType(LLVMGetElementType(type_of(e)), (unsigned)width);
    LLVMTypeRef params[2] = {part, part};
    LLVMTypeRef type = LLVMFunctionType(part, params, (unsigned)narg, 0);
    snprintf(symbol, sizeof symbol, "%s.%c", f, e->dt == HD_FLOAT64 ? 'd' : 's');
    value code = LLVMGetNamedFunction(e->module, symbol);
    if (code == NULL)
        code = LLVMAddFunction(e->module, symbol, type);
    value result = NULL, args[2];
    for (int at = 0; at < e->lanes; at += width) {
        args[0] = e->lanes == width ? x : resize(e, x, e->lanes, at, width);
        args[1] = narg < 2 || e->lanes == width ? y : resize(e, y, e->lanes, at, width);
        value r = LLVMBuildCall2(e->build, type, code, args, (unsigned)narg, "");
        if (e->lanes <= width)
            return e->lanes == width ? r : resize(e, r, width, 0, e->lanes);
        value lane[64];
        LLVMTypeRef i32 = LLVMInt32TypeInContext(e->context);
        value wide = resize(e, r, width, 0, e->lanes);
        for (int i = 0; i < e->lanes; i++)   /* earlier parts, then this one */
            lane[i] = LLVMConstInt(i32, (unsigned long long)(i < at ? i : e->lanes + i - at), 0);
        result = result == NULL ? wide
                                : LLVMBuildShuffleVector(
                                      e->build, result, wide,
                                      LLVMConstVector(lane, (unsigned)e->lanes), "");
    }
    return result;
}

static value function(hdi_emit *e, const char *f, int narg, value x, value y)
{
    static const char *const instructions[][2] = {{"floor", "llvm.floor"},
                                                  {"ceil", "llvm.ceil"},
                                                  {"trunc", "llvm.trunc"},
                                                  {"rint", "llvm.rint"},
                                                  {"sqrt", "llvm.sqrt"},
                                                  {"copysign", "llvm.copysign"}};
    if (e->kind != 'f')
        return x;   /* roundings of what is whole */
    value args[2] = {x, y};
    for (size_t k = 0; k < sizeof instructions / sizeof *instructions; k++)
        if (strcmp(f, instructions[k][0]) == 0)
            return hdi_emit_intrinsic(e, instructions[k][1], type_of(e), narg, args);
    return e->own ? hdi_emit_math(e, f, x, y) : library_call(e, f, narg, x, y);
}

/* ---- rows ------------------------------------------------------------------------------------ */

#define x in[0]
#define y in[1]
#define z in[2]
#define ZERO zero(e)
#define ONE one(e)
#define DEGREE angle(e, true)
#define RADIAN angle(e, false)
#define SIGNBIT(a) signbit_of(e, a)
#define NEG(a) neg(e, a)
#define ABS(a) abs_of(e, a)
#define SIGN(a) sign(e, a)
#define CONJ(a) (a)
#define RECIP(a) LLVMBuildFDiv(e->build, one(e), a, "")
#define ADD(a, b) add(e, a, b)
#define SUB(a, b) sub(e, a, b)
#define MUL(a, b) mul(e, a, b)
#define DIV(a, b) LLVMBuildFDiv(e->build, a, b, "")
#define MAX(a, b) larger(e, a, b, false)
#define MIN(a, b) larger(e, a, b, true)
#define FMAX(a, b) larger_number(e, a, b, false)
#define FMIN(a, b) larger_number(e, a, b, true)
#define BAND(a, b) LLVMBuildAnd(e->build, a, b, "")
#define BOR(a, b) LLVMBuildOr(e->build, a, b, "")
#define BXOR(a, b) LLVMBuildXor(e->build, a, b, "")
#define BNOT(a) LLVMBuildNot(e->build, a, "")
#define SHL(a, b) shift_left(e, a, b)
#define SHR(a, b) shift_right(e, a, b)
#define ISNAN(a) is_number(e, a, "nan")
#define ISINF(a) is_number(e, a, "inf")
#define ISFINITE(a) is_number(e, a, "finite")
#define CALL1(f, a) function(e, #f, 1, a, NULL)
#define CALL2(f, a, b) function(e, #f, 2, a, b)
#define POW(a, b) function(e, "pow", 2, a, b)
/* hdi_chain_can() refuses the rows with these. */
#define FLOORDIV(a, b) NULL
#define MOD(a, b) NULL
#define FMOD(a, b) NULL
#define LDEXP(a, b) NULL
#define MANTISSA(a) NULL
#define EXPONENT(a) NULL
#define FRACTION(a) NULL
#define SPACING(a) NULL
#define POPCOUNT(a) NULL
#define GCD(a, b) NULL
#define LCM(a, b) NULL
#define LOGADDEXP(a, b) NULL
#define LOGADDEXP2(a, b) NULL
#define BOUNDED(a, b, c) NULL
#define GAMMA(a, b, c) NULL
#define BETA(a, b, c) NULL
#define POISSON(a, b) NULL
#define BINOMIAL(a, b, c) NULL
#define UNIFORM(a, b) NULL
#define NORMAL(a, b) NULL
#define RAW64(a, b) NULL

static value row(hdi_emit *e, hd_op op, value const *in)
{
    switch (op) {
#define EW1(name, types, rule, value, vx, samples, doc) \
    case HD_OP_##name:                                  \
        return value;
#define EW2(name, types, rule, value, vx, vy, samples, doc) \
    case HD_OP_##name:                                      \
        return value;
#define EW3(name, types, rule, value, vx, vy, vz, samples, doc) \
    case HD_OP_##name:                                          \
        return value;
#include "ops/elementwise/ew.def"
    default:
        return NULL;
    }
}

LLVMValueRef hdi_emit_row(hdi_emit *e, hd_op op, hd_dtype cdt, LLVMValueRef const *in)
{
    e->dt = cdt;
    e->kind = hdi_chain_kind(cdt);
    return row(e, op, in);
}
