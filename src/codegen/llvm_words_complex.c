/* SPDX-License-Identifier: BSD-3-Clause */
/* llvm_words_complex.c - the rows of ew.def for complex numbers, as pairs of reals
 * (loops_vocab_complex.h, with the reasons for each formula). Functions are our own texts. */
#include <string.h>

#include "codegen/llvm_words.h"

typedef hdi_value pair;

static const pair none = {NULL, NULL};

static pair flag(value c)
{
    return (pair){c, NULL};
}

static value size_of(hdi_emit *e, value x)
{
    return b_abs(e, x);
}

static pair splat(pair like, double re)
{
    return (pair){b_real(like.re, re), b_real(like.re, 0)};
}

static pair zero_of(hdi_emit *e)
{
    return splat((pair){LLVMConstNull(hdi_emit_type(e, e->dt)), NULL}, 0);
}

/* ---- truth ----------------------------------------------------------------------------------- */

static value truth(hdi_emit *e, pair x)
{
    if (x.im == NULL)
        return x.re;
    value zero = b_real(x.re, 0);
    return b_or(e, b_ne(e, x.re, zero), b_ne(e, x.im, zero));
}

static pair pick(hdi_emit *e, value c, pair x, pair y)
{
    return (pair){b_pick(e, c, x.re, y.re), b_pick(e, c, x.im, y.im)};
}

static value is_nan(hdi_emit *e, pair x)
{
    return b_or(e, b_ne(e, x.re, x.re), b_ne(e, x.im, x.im));
}

static value infinity(pair x)
{
    return b_real(x.re, (double)__builtin_inf());
}

static value is_inf(hdi_emit *e, pair x)
{
    return b_or(e, b_eq(e, size_of(e, x.re), infinity(x)), b_eq(e, size_of(e, x.im), infinity(x)));
}

static value is_finite(hdi_emit *e, pair x)
{
    return b_and(e, b_lt(e, size_of(e, x.re), infinity(x)),
                 b_lt(e, size_of(e, x.im), infinity(x)));
}

static value equal(hdi_emit *e, pair x, pair y)
{
    return b_and(e, b_eq(e, x.re, y.re), b_eq(e, x.im, y.im));
}

/* x < y, or x <= y: by the real parts, then by the imaginary ones. */
static value less(hdi_emit *e, pair x, pair y, bool or_equal)
{
    value comparable = LLVMBuildFCmp(e->build, LLVMRealORD, x.im, y.im, "");
    value by_im = or_equal ? b_le(e, x.im, y.im) : b_lt(e, x.im, y.im);
    return b_or(e, b_and(e, b_lt(e, x.re, y.re), comparable),
                b_and(e, b_eq(e, x.re, y.re), by_im));
}

/* A nan wins, or loses. */
static pair larger(hdi_emit *e, pair x, pair y, bool smaller, bool drop_nan)
{
    value before = smaller ? less(e, x, y, true) : less(e, y, x, true);
    return pick(e, b_or(e, is_nan(e, drop_nan ? y : x), before), x, y);
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

static pair add(hdi_emit *e, pair x, pair y)
{
    return (pair){b_add(e, x.re, y.re), b_add(e, x.im, y.im)};
}

static pair sub(hdi_emit *e, pair x, pair y)
{
    return (pair){b_sub(e, x.re, y.re), b_sub(e, x.im, y.im)};
}

static pair neg(hdi_emit *e, pair x)
{
    return (pair){b_neg(e, x.re), b_neg(e, x.im)};
}

static pair conjugate(hdi_emit *e, pair x)
{
    return (pair){x.re, b_neg(e, x.im)};
}

static pair mul(hdi_emit *e, pair x, pair y)
{
    return (pair){b_sub(e, b_mul(e, x.re, y.re), b_mul(e, x.im, y.im)),
                  b_add(e, b_mul(e, x.re, y.im), b_mul(e, x.im, y.re))};
}

/* Smith's quotient. */
static pair divide(hdi_emit *e, pair x, pair y)
{
    value by_re = size_of(e, y.re), by_im = size_of(e, y.im), zero = b_real(x.re, 0);
    value c = b_ge(e, by_re, by_im);
    value large = b_pick(e, c, y.re, y.im), small = b_pick(e, c, y.im, y.re);
    value ratio = b_div(e, small, large);
    value scale = b_div(e, b_real(x.re, 1), b_add(e, large, b_mul(e, small, ratio)));
    value re = b_pick(e, c, b_add(e, x.re, b_mul(e, x.im, ratio)),
                      b_add(e, b_mul(e, x.re, ratio), x.im));
    value im = b_pick(e, c, b_sub(e, x.im, b_mul(e, x.re, ratio)),
                      b_sub(e, b_mul(e, x.im, ratio), x.re));
    value by_zero = b_and(e, b_eq(e, by_re, zero), b_eq(e, by_im, zero));
    return (pair){b_pick(e, by_zero, b_div(e, x.re, by_re), b_mul(e, re, scale)),
                  b_pick(e, by_zero, b_div(e, x.im, by_im), b_mul(e, im, scale))};
}

static pair reciprocal(hdi_emit *e, pair x)
{
    value c = b_le(e, size_of(e, x.im), size_of(e, x.re)), one = b_real(x.re, 1);
    value large = b_pick(e, c, x.re, x.im), small = b_pick(e, c, x.im, x.re);
    value ratio = b_div(e, small, large), d = b_add(e, large, b_mul(e, small, ratio));
    return (pair){b_div(e, b_pick(e, c, one, ratio), d),
                  b_div(e, b_neg(e, b_pick(e, c, ratio, one)), d)};
}

static value modulus(hdi_emit *e, pair x)
{
    return hdi_word_function(e, "hypot", 2, x.re, x.im);
}

/* 1 or -1 by x > 0 */
static value unit(hdi_emit *e, value x)
{
    return b_pick(e, b_gt(e, x, b_real(x, 0)), b_real(x, 1), b_real(x, -1));
}

/* x / |x|; where that is infinite the infinite part wins, two of them have no direction. */
static pair sign(hdi_emit *e, pair x)
{
    value m = modulus(e, x);
    if (m == NULL)
        return none;
    value zero = b_real(m, 0), nan = b_real(m, (double)__builtin_nan(""));
    value re_inf = b_eq(e, size_of(e, x.re), infinity(x));
    value im_inf = b_eq(e, size_of(e, x.im), infinity(x));
    pair far = pick(e, re_inf, (pair){unit(e, x.re), zero}, (pair){zero, unit(e, x.im)});
    value lost = b_or(e, b_ne(e, m, m), b_and(e, re_inf, im_inf));
    far = pick(e, lost, (pair){nan, nan}, far);
    pair near = {b_div(e, x.re, m), b_div(e, x.im, m)};
    pair r = pick(e, b_lt(e, m, infinity(x)), near, far);
    return pick(e, b_eq(e, m, zero), zero_of(e), r);
}

static pair function(hdi_emit *e, const char *f, pair x)
{
    if (strcmp(f, "rint") != 0)
        return hdi_emit_complex(e, f, x, none);
    return (pair){b_call1(e, "llvm.rint", x.re), b_call1(e, "llvm.rint", x.im)};
}

/* ---- rows ------------------------------------------------------------------------------------ */

#define x in[0]
#define y in[1]
#define z in[2]
#define ZERO zero_of(e)
#define ONE splat(zero_of(e), 1)
#define NEG(a) neg(e, a)
#define ABS(a) flag(modulus(e, a))
#define SIGN(a) sign(e, a)
#define CONJ(a) conjugate(e, a)
#define RECIP(a) reciprocal(e, a)
#define ADD(a, b) add(e, a, b)
#define SUB(a, b) sub(e, a, b)
#define MUL(a, b) mul(e, a, b)
#define DIV(a, b) divide(e, a, b)
#define MAX(a, b) larger(e, a, b, false, false)
#define MIN(a, b) larger(e, a, b, true, false)
#define FMAX(a, b) larger(e, a, b, false, true)
#define FMIN(a, b) larger(e, a, b, true, true)
#define LT(a, b) flag(less(e, a, b, false))
#define LE(a, b) flag(less(e, a, b, true))
#define GT(a, b) flag(less(e, b, a, false))
#define GE(a, b) flag(less(e, b, a, true))
#define EQ(a, b) flag(equal(e, a, b))
#define NE(a, b) flag(b_not(e, equal(e, a, b)))
#define AND(a, b) flag(b_and(e, truth(e, a), truth(e, b)))
#define OR(a, b) flag(b_or(e, truth(e, a), truth(e, b)))
#define XOR(a, b) flag(b_xor(e, truth(e, a), truth(e, b)))
#define NOT(a) flag(b_not(e, truth(e, a)))
#define SELECT(c, a, b) pick(e, truth(e, c), a, b)
#define ISNAN(a) flag(is_nan(e, a))
#define ISINF(a) flag(is_inf(e, a))
#define ISFINITE(a) flag(is_finite(e, a))
#define CALL1(f, a) function(e, #f, a)
#define POW(a, b) hdi_emit_complex(e, "pow", a, b)
/* Not of complex numbers. */
#define CALL2(f, a, b) none
#define FLOORDIV(a, b) none
#define MOD(a, b) none
#define FMOD(a, b) none
#define LDEXP(a, b) none
#define MANTISSA(a) none
#define EXPONENT(a) none
#define FRACTION(a) none
#define SPACING(a) none
#define SIGNBIT(a) none
#define POPCOUNT(a) none
#define GCD(a, b) none
#define LCM(a, b) none
#define DEGREE none
#define RADIAN none
#define BAND(a, b) none
#define BOR(a, b) none
#define BXOR(a, b) none
#define BNOT(a) none
#define SHL(a, b) none
#define SHR(a, b) none
#define UNIFORM(a, b) none
#define NORMAL(a, b) none
#define RAW64(a, b) none
#define BOUNDED(a, b, c) none
#define GAMMA(a, b, c) none
#define BETA(a, b, c) none
#define POISSON(a, b) none
#define BINOMIAL(a, b, c) none

hdi_value hdi_complex_row(hdi_emit *e, hd_op op, hdi_value const *in)
{
    switch (op) {
#include "codegen/cg_row_cases.def"
    default:
        return none;
    }
}

/* ---- reductions ------------------------------------------------------------------------------ */

static pair fma_of(hdi_emit *e, pair p, pair q, pair r)
{
    if (!e->fused)
        return none;
    return (pair){b_fma(e, b_neg(e, p.im), q.im, b_fma(e, p.re, q.re, r.re)),
                  b_fma(e, p.im, q.re, b_fma(e, p.re, q.im, r.im))};
}

#undef x
#undef y
#undef z
#define a in[0]
#define x in[1]
#define y in[2]
#define FMA(p, q, r) fma_of(e, p, q, r)

hdi_value hdi_complex_red(hdi_emit *e, hd_op op, hdi_value const *in)
{
    switch (op) {
#define RED(name, nin, types, rule, combine, ...) \
    case HD_OP_##name:                                           \
        return combine;
#include "ops/reduce/red.def"
    default:
        return none;
    }
}
