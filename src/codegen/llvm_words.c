/* SPDX-License-Identifier: BSD-3-Clause */
/* llvm_words.c - the rows of ew.def for bool, integers and reals in LLVM IR: the words that are an
 * instruction or a few, and calls of the C library. */
#include <stdio.h>
#include <string.h>

#include "codegen/llvm_words.h"

static LLVMTypeRef type_of(const hdi_emit *e)
{
    return hdi_emit_type(e, e->dt);
}

static value zero(const hdi_emit *e)
{
    return LLVMConstNull(type_of(e));
}

static value whole(const hdi_emit *e, int64_t n)
{
    return hdi_whole(type_of(e), n);
}

static value real(const hdi_emit *e, double x)
{
    return hdi_real(type_of(e), x);
}

static value one(const hdi_emit *e)
{
    return e->kind == 'f' ? real(e, 1.0) : whole(e, 1);
}

/* ---- truth ----------------------------------------------------------------------------------- */

static value truth(hdi_emit *e, value x)
{
    LLVMTypeRef type = LLVMTypeOf(x);
    return hdi_bits(type) == 1 ? x : b_ne(e, x, LLVMConstNull(type));
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
    return e->kind == 'b' ? b_or(e, x, y) : b_add(e, x, y);
}

static value mul(hdi_emit *e, value x, value y)
{
    return e->kind == 'b' ? b_and(e, x, y) : b_mul(e, x, y);
}

static value abs_of(hdi_emit *e, value x)
{
    if (e->kind == 'f')
        return b_abs(e, x);
    return e->kind == 'i' ? SELECT(LT(x, zero(e)), b_neg(e, x), x) : x;
}

static value sign(hdi_emit *e, value x)
{
    value minus = e->kind == 'f' ? real(e, -1.0) : whole(e, -1);
    if (e->kind == 'u')
        return SELECT(x, one(e), zero(e));
    value rest = e->kind == 'f' ? SELECT(EQ(x, zero(e)), zero(e), x) : x;   /* nan stays nan */
    return SELECT(GT(x, zero(e)), one(e), SELECT(LT(x, zero(e)), minus, rest));
}

/* Of equal operands (0 and -0) the second one; nan wins, or loses. */
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
    value beats = LLVMBuildFCmp(e->build, smaller ? LLVMRealOLT : LLVMRealOGT, x, y, "");
    return SELECT(OR(beats, LLVMBuildFCmp(e->build, LLVMRealUNO, y, y, "")), x, y);
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
    value b = b_bits_of(e, x);
    return b_lt(e, b, b_whole(b, 0));
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

/* n lanes of x from `first` on; where it has fewer, some of them again. */
static value some_lanes(hdi_emit *e, value x, int first, int n)
{
    int at[64], from = b_count(LLVMTypeOf(x));
    for (int i = 0; i < n; i++)
        at[i] = (first + i) % from;
    return hdi_shuffle_by(e, x, NULL, at, n);
}

/* The symbol is resolved when the code is loaded: name.d or name.s. */
value hdi_library_call(hdi_emit *e, const char *f, int narg, value x, value y)
{
    char symbol[40];
    LLVMTypeRef element = b_element(LLVMTypeOf(x));
    int lanes = b_count(LLVMTypeOf(x)), size = hdi_bits(element) / 8;
    int width = e->vector_bytes / size;
    if (lanes == 0 || width == 0)
        return NULL;
    LLVMTypeRef part = hdi_lanes(element, width);
    LLVMTypeRef params[2] = {part, part};
    LLVMTypeRef type = LLVMFunctionType(part, params, (unsigned)narg, 0);
    snprintf(symbol, sizeof symbol, "%s.%c", f, size == 8 ? 'd' : 's');
    value code = LLVMGetNamedFunction(e->module, symbol), result[64];
    if (code == NULL)
        code = LLVMAddFunction(e->module, symbol, type);
    int n = 0;
    for (int at = 0; at < lanes; at += width) {
        value args[2] = {lanes == width ? x : some_lanes(e, x, at, width), NULL};
        if (narg > 1)
            args[1] = lanes == width ? y : some_lanes(e, y, at, width);
        result[n++] = LLVMBuildCall2(e->build, type, code, args, (unsigned)narg, "");
    }
    value all = hdi_join_all(e, result, n);
    return lanes < width ? some_lanes(e, all, 0, lanes) : all;
}

/* Does the CPU never take f of that type from libmvec? Then a row that calls several functions has
 * the text of this one beside libmvec's others. */
static bool always_own(const char *f, hd_dtype dt)
{
    enum { LIB, OWN };
    static const struct { const char *name; int use[2]; } functions[] = {
#define MATH1(f, body32, cpu32, cpu64) {#f, {cpu32, cpu64}},
#define MATH2(f, body32, cpu32, cpu64) {#f, {cpu32, cpu64}},
#include "ops/elementwise/math/functions.def"
    };
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++)
        if (strcmp(f, functions[k].name) == 0)
            return functions[k].use[dt == HD_FLOAT64] == OWN;
    return false;
}

/* x may have other lanes than the row at hand has. */
value hdi_word_function(hdi_emit *e, const char *f, int narg, value x, value y)
{
    int lanes = e->lanes;
    hd_dtype dt = e->dt;
    if (!e->own && !always_own(f, hdi_chain_part(dt)))
        return hdi_library_call(e, f, narg, x, y);
    e->lanes = b_count(LLVMTypeOf(x));
    e->dt = hdi_chain_part(dt);
    value r = hdi_emit_math(e, f, x, y);
    e->lanes = lanes;
    e->dt = dt;
    return r;
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
    return strcmp(f, "nextafter") == 0 ? hdi_word_nextafter(e, x, y)
                                       : hdi_word_function(e, f, narg, x, y);
}

value hdi_word_call1(hdi_emit *e, const char *f, value x)
{
    return function(e, f, 1, x, NULL);
}

/* ---- what integers and reals do differently -------------------------------------------------- */

static value reciprocal(hdi_emit *e, value x)
{
    return e->kind == 'f' ? hdi_word_divide(e, one(e), x) : hdi_word_int_reciprocal(e, x);
}

static value floordiv(hdi_emit *e, value x, value y)
{
    return e->kind == 'f' ? hdi_word_floordiv(e, x, y) : hdi_word_int_floordiv(e, x, y);
}

static value mod(hdi_emit *e, value x, value y)
{
    return e->kind == 'f' ? hdi_word_mod(e, x, y) : hdi_word_int_mod(e, x, y);
}

static value fmod_of(hdi_emit *e, value x, value y)
{
    return e->kind == 'f' ? hdi_word_fmod(e, x, y) : hdi_word_int_fmod(e, x, y);
}

static value power(hdi_emit *e, value x, value y)
{
    return e->kind == 'f' ? hdi_word_function(e, "pow", 2, x, y) : hdi_word_int_power(e, x, y);
}

/* ---- rows ------------------------------------------------------------------------------------ */

#define x in[0].re
#define y in[1].re
#define z in[2].re
#define ZERO zero(e)
#define ONE one(e)
#define DEGREE angle(e, true)
#define RADIAN angle(e, false)
#define SIGNBIT(a) signbit_of(e, a)
#define NEG(a) b_neg(e, a)
#define ABS(a) abs_of(e, a)
#define SIGN(a) sign(e, a)
#define CONJ(a) (a)
#define RECIP(a) reciprocal(e, a)
#define ADD(a, b) add(e, a, b)
#define SUB(a, b) b_sub(e, a, b)
#define MUL(a, b) mul(e, a, b)
#define DIV(a, b) hdi_word_divide(e, a, b)
#define MAX(a, b) larger(e, a, b, false)
#define MIN(a, b) larger(e, a, b, true)
#define FMAX(a, b) larger_number(e, a, b, false)
#define FMIN(a, b) larger_number(e, a, b, true)
#define BAND(a, b) b_and(e, a, b)
#define BOR(a, b) b_or(e, a, b)
#define BXOR(a, b) b_xor(e, a, b)
#define BNOT(a) b_not(e, a)
#define SHL(a, b) shift_left(e, a, b)
#define SHR(a, b) shift_right(e, a, b)
#define ISNAN(a) is_number(e, a, "nan")
#define ISINF(a) is_number(e, a, "inf")
#define ISFINITE(a) is_number(e, a, "finite")
#define CALL1(f, a) function(e, #f, 1, a, NULL)
#define CALL2(f, a, b) function(e, #f, 2, a, b)
#define POW(a, b) power(e, a, b)
#define FLOORDIV(a, b) floordiv(e, a, b)
#define MOD(a, b) mod(e, a, b)
#define FMOD(a, b) fmod_of(e, a, b)
#define LDEXP(a, b) hdi_word_ldexp(e, a, b)
#define MANTISSA(a) hdi_word_mantissa(e, a)
#define EXPONENT(a) hdi_word_exponent(e, a)
#define FRACTION(a) hdi_word_fraction(e, a)
#define SPACING(a) hdi_word_spacing(e, a)
#define POPCOUNT(a) hdi_word_popcount(e, a)
#define GCD(a, b) hdi_word_gcd(e, a, b)
#define LCM(a, b) hdi_word_lcm(e, a, b)
#define UNIFORM(a, b) hdi_word_uniform(e, in)
#define NORMAL(a, b) hdi_word_normal(e, in)
#define RAW64(a, b) hdi_word_raw64(e, in)
#define BOUNDED(a, b, c) hdi_word_bounded(e, a, b, c)
#define GAMMA(a, b, c) hdi_word_gamma(e, a, b, c)
#define BETA(a, b, c) hdi_word_beta(e, a, b, c)
#define POISSON(a, b) hdi_word_poisson(e, a, b)
#define BINOMIAL(a, b, c) hdi_word_binomial(e, a, b, c)

static value row(hdi_emit *e, hd_op op, hdi_value const *in)
{
    switch (op) {
#include "codegen/cg_row_cases.def"
    default:
        return NULL;
    }
}

hdi_value hdi_emit_row(hdi_emit *e, hd_op op, hd_dtype cdt, hdi_value const *in)
{
    hdi_value ramp[3];
    e->dt = cdt;
    e->kind = hdi_chain_kind(cdt);
    if (op == HD_OP_ramp) {   /* counts positions: as numbers of its own type */
        memcpy(ramp, in, sizeof ramp);
        ramp[0] = hdi_emit_convert(e, in[0], HD_INT64, cdt);
        in = ramp;
    }
    if (hdi_chain_half(cdt))
        return (hdi_value){op == HD_OP_spacing
                               ? hdi_word_half_spacing(e, in[0].re, cdt)
                               : hdi_word_half_nextafter(e, in[0].re, in[1].re, cdt),
                           NULL};
    return e->kind == 'c' ? hdi_complex_row(e, op, in) : (hdi_value){row(e, op, in), NULL};
}

/* ---- reductions ------------------------------------------------------------------------------ */

static value fma_of(hdi_emit *e, value a, value b, value c)
{
    if (e->kind != 'f')
        return add(e, c, mul(e, a, b));
    return e->fused ? b_fma(e, a, b, c) : NULL;
}

/* Of reals as loops_float.h has it for reductions: a nan in x is looked for, one in a stays; of 0
 * and -0 the first one stays. */
static value next_extreme(hdi_emit *e, value from, value next, bool smaller)
{
    if (e->kind != 'f')
        return larger(e, from, next, smaller);
    value beats = smaller ? b_lt(e, next, from) : b_gt(e, next, from);
    return b_pick(e, b_ne(e, next, next), next, b_pick(e, beats, next, from));
}

static value next_number(hdi_emit *e, value from, value next, bool smaller)
{
    if (e->kind != 'f')
        return larger(e, from, next, smaller);
    value beats = LLVMBuildFCmp(e->build, smaller ? LLVMRealULT : LLVMRealUGT, next, from, "");
    value ordered = LLVMBuildFCmp(e->build, LLVMRealORD, next, next, "");
    return SELECT(AND(beats, ordered), next, from);
}

#undef x
#undef y
#undef z
#undef MAX
#undef MIN
#undef FMAX
#undef FMIN
#define MAX(p, q) next_extreme(e, p, q, false)
#define MIN(p, q) next_extreme(e, p, q, true)
#define FMAX(p, q) next_number(e, p, q, false)
#define FMIN(p, q) next_number(e, p, q, true)
#define a in[0].re
#define x in[1].re
#define y in[2].re
#define FMA(p, q, r) fma_of(e, p, q, r)

static value red_row(hdi_emit *e, hd_op op, hdi_value const *in)
{
    switch (op) {
#define RED(name, nin, types, rule, combine, ...) \
    case HD_OP_##name:                                           \
        return combine;
#include "ops/reduce/red.def"
    default:
        return NULL;
    }
}

hdi_value hdi_emit_red(hdi_emit *e, hd_op op, hd_dtype cdt, hdi_value const *in)
{
    e->dt = cdt;
    e->kind = hdi_chain_kind(cdt);
    return e->kind == 'c' ? hdi_complex_red(e, op, in) : (hdi_value){red_row(e, op, in), NULL};
}
