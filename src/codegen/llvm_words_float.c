/* SPDX-License-Identifier: BSD-3-Clause */
/* llvm_words_float.c - reals: remainders, parts of a number, neighbours, integers of reals
 * (loops_vocab_float.h, loops_float.h, loops_whole.h). */
#include "codegen/llvm_words.h"

/* What differs between float64 and float32. */
typedef struct format { int bits, fraction, mask; double smallest_normal, raising; } format;

static format format_of(value x)
{
    if (hdi_bits(LLVMTypeOf(x)) == 64)
        return (format){64, 52, 0x7ff, 0x1p-1022, 0x1p53};
    return (format){32, 23, 0xff, 0x1p-126, 0x1p24};
}

static value infinity(value x)
{
    return b_real(x, (double)__builtin_inf());
}

static value copysign_of(hdi_emit *e, value x, value y)
{
    return b_call2(e, "llvm.copysign", x, y);
}

static value exponent_of_bits(hdi_emit *e, const format *f, value bits)
{
    return b_and(e, b_lshr(e, bits, f->fraction), b_whole(bits, f->mask));
}

/* x, or where that is subnormal x * 2^(fraction + 1), as bits. */
static value normal_bits(hdi_emit *e, const format *f, value x)
{
    value small = b_lt(e, b_abs(e, x), b_real(x, f->smallest_normal));
    return b_bits_of(e, b_pick(e, small, b_times(e, x, f->raising), x));
}

/* The biased exponent, as it would be without a smallest one. */
static value biased_exponent(hdi_emit *e, const format *f, value x)
{
    value small = b_lt(e, b_abs(e, x), b_real(x, f->smallest_normal));
    value biased = exponent_of_bits(e, f, normal_bits(e, f, x));
    value raised = b_whole(biased, f->fraction + 1);
    return b_sub(e, biased, b_pick(e, small, raised, b_whole(biased, 0)));
}

/* x * 2^n for whole numbers n of x's width, |n| < 2^(bits of the exponent). */
static value power_of_2(hdi_emit *e, const format *f, value n)
{
    return b_real_of_bits(e, b_shl(e, b_add(e, n, b_whole(n, f->mask / 2)), f->fraction));
}

static value clamp(hdi_emit *e, value n, int64_t low, int64_t high)
{
    value l = b_whole(n, low), h = b_whole(n, high);
    n = b_pick(e, b_lt(e, n, l), l, n);
    return b_pick(e, b_gt(e, n, h), h, n);
}

/* ---- quotients ------------------------------------------------------------------------------- */

/* A GPU's reciprocal of each lane, off by one unit of the last place at most. */
static value nearly_reciprocal(hdi_emit *e, value y)
{
    static const char name[] = "llvm.nvvm.rcp.approx.ftz.f";
    const unsigned id = LLVMLookupIntrinsicID(name, sizeof name - 1);
    value f = LLVMGetIntrinsicDeclaration(e->module, id, NULL, 0);
    LLVMTypeRef signature = LLVMIntrinsicGetType(e->context, id, NULL, 0);
    const int lanes = b_count(LLVMTypeOf(y));
    if (lanes == 0)
        return LLVMBuildCall2(e->build, signature, f, &y, 1, "");
    value r = LLVMGetUndef(LLVMTypeOf(y));
    for (int lane = 0; lane < lanes; lane++) {
        value at = LLVMConstInt(LLVMInt32TypeInContext(e->context), (unsigned)lane, 0);
        value of = LLVMBuildExtractElement(e->build, y, at, "");
        of = LLVMBuildCall2(e->build, signature, f, &of, 1, "");
        r = LLVMBuildInsertElement(e->build, r, of, at, "");
    }
    return r;
}

/* Markstein's division: the remainder of a first quotient corrects it to the nearest number, where
 * nothing on the way is subnormal or too large (P. Markstein, Computation of elementary functions
 * on the IBM RISC System/6000, 1990). Of y it takes only what a loop over x need not do again. */
static value by_reciprocal(hdi_emit *e, value x, value y)
{
    value minus = b_neg(e, y), near = nearly_reciprocal(e, y);
    value r = b_fma(e, b_fma(e, minus, near, b_real(y, 1)), near, near);
    value q = b_mul(e, x, r);
    return b_fma(e, b_fma(e, minus, q, x), r, q);
}

static value middling(hdi_emit *e, value x)
{
    return b_and(e, b_ge(e, b_abs(e, x), b_real(x, 0x1p-60)),
                 b_le(e, b_abs(e, x), b_real(x, 0x1p60)));
}

static value exact_quotient(hdi_emit *e, value const *x)
{
    return b_div(e, x[0], x[1]);
}

/* x / y. A GPU's own division of float32 does the same as by_reciprocal, but all of it each
 * time. It becomes a dozen instructions with branches: one function has them for all quotients. */
value hdi_word_divide(hdi_emit *e, value x, value y)
{
    hdi_ways w;
    if (!hdi_emits_for_gpu(e) || hdi_bits(LLVMTypeOf(x)) != 32)
        return b_div(e, x, y);
    value q = by_reciprocal(e, x, y);
    value rare = hdi_any(e, b_not(e, b_and(e, middling(e, x), middling(e, y))));
    hdi_ways_open(e, &w, rare);
    hdi_ways_turn(e, &w, hdi_function(e, "quotient.s", exact_quotient, LLVMTypeOf(x), 2,
                                      (value[]){x, y}));
    return hdi_ways_close(e, &w, q);
}

/* ---- remainders ------------------------------------------------------------------------------ */

/* in: x >= 0, y > 0, both finite. What is left of x once all y * 2^k have gone, largest first. Each
 * difference is exact, since the two are less than a factor of 2 apart. */
static value long_division_body(hdi_emit *e, value const *in)
{
    hdi_loop l;
    value y = in[1], state[] = {in[0]};
    const format f = format_of(y);
    value of_y = biased_exponent(e, &f, y);
    hdi_loop_open(e, &l, b_ge(e, in[0], y), 1, state);
    value apart = b_sub(e, biased_exponent(e, &f, state[0]), of_y), t = y;
    for (int step = 0; step < 3; step++) {   /* 2^apart may be more than there is */
        value part = clamp(e, apart, 0, f.mask / 2);
        t = b_mul(e, t, power_of_2(e, &f, part));
        apart = b_sub(e, apart, part);
    }
    t = b_pick(e, b_gt(e, t, state[0]), b_times(e, t, 0.5), t);
    state[0] = b_sub(e, state[0], t);
    hdi_loop_close(e, &l, b_ge(e, state[0], y), state);
    return state[0];
}

/* Of lanes not in the mask: 0. */
static value long_division(hdi_emit *e, value mask, value x, value y)
{
    value in[] = {b_pick(e, mask, x, b_real(x, 0)), b_pick(e, mask, y, b_real(y, 1))};
    const char *name = hdi_bits(LLVMTypeOf(x)) == 64 ? "long_division.d" : "long_division.s";
    return hdi_function(e, name, long_division_body, LLVMTypeOf(x), 2, in);
}

/* quick_fmod() of loops_float.h, and where it holds. */
static value quick_rest(hdi_emit *e, value x, value y, value *simple)
{
    value q = b_div(e, x, y);
    double limit = hdi_bits(LLVMTypeOf(x)) == 64 ? 0x1p52 : 0x1p23;
    value r = b_fma(e, b_neg(e, b_call1(e, "llvm.trunc", q)), y, x);
    value differs = b_ne(e, r, copysign_of(e, r, x));
    *simple = b_and(e, b_lt(e, b_abs(e, q), b_real(x, limit)),
                    b_lt(e, b_abs(e, y), infinity(y)));
    return b_pick(e, differs, b_add(e, r, copysign_of(e, y, x)), r);
}

/* What has no remainder: nan, one of the operands or that of an invalid operation on x86, which is
 * negative. */
static value no_rest(hdi_emit *e, value x, value y)
{
    value given = LLVMBuildFCmp(e->build, LLVMRealUNO, x, y, "");
    return b_pick(e, given, b_add(e, x, y), b_real(x, -(double)__builtin_nan("")));
}

/* fmod with the sign of x: exact, so that the way to it does not matter. */
value hdi_word_fmod(hdi_emit *e, value x, value y)
{
    value ax = b_abs(e, x), ay = b_abs(e, y), inf = infinity(x), zero = b_real(x, 0);
    value simple = NULL, quick = x, state[1];
    if (e->fused)
        quick = quick_rest(e, x, y, &simple);
    hdi_branch b;
    value valid = b_and(e, b_lt(e, ax, inf), b_gt(e, ay, zero));   /* nan: neither */
    value hard = e->fused ? b_not(e, simple) : LLVMConstAllOnes(LLVMTypeOf(valid));
    if (e->fused)
        hdi_branch_open(e, &b, hard);
    value finite = b_and(e, valid, b_lt(e, ay, inf));
    state[0] = long_division(e, b_and(e, hard, finite), ax, ay);
    state[0] = b_pick(e, finite, state[0], ax);
    if (e->fused)
        hdi_branch_close(e, &b, 1, &quick, state);
    return b_pick(e, valid, copysign_of(e, state[0], x), no_rest(e, x, y));
}

/* of a that is not 0 */
static value signs_differ(hdi_emit *e, value a, value b)
{
    return b_ne(e, a, copysign_of(e, a, b));
}

value hdi_word_mod(hdi_emit *e, value x, value y)
{
    value rest = hdi_word_fmod(e, x, y), zero = b_real(x, 0);
    value moved = b_pick(e, signs_differ(e, rest, y), b_add(e, rest, y), rest);
    return b_pick(e, b_ne(e, rest, zero), moved, copysign_of(e, zero, y));
}

value hdi_word_floordiv(hdi_emit *e, value x, value y)
{
    value rest = hdi_word_fmod(e, x, y), zero = b_real(x, 0), quotient = b_div(e, x, y);
    value whole = b_div(e, b_sub(e, x, rest), y);
    value div = b_pick(e, signs_differ(e, rest, y), b_plus(e, whole, -1), whole);
    value floor = b_call1(e, "llvm.floor", div);
    value off = b_gt(e, b_sub(e, div, floor), b_real(x, 0.5));
    value snapped = b_pick(e, off, b_plus(e, floor, 1), floor);
    value r = b_pick(e, b_ne(e, div, zero), snapped, copysign_of(e, zero, quotient));
    return b_pick(e, b_eq(e, y, zero), quotient, r);
}

/* ---- parts of a number ----------------------------------------------------------------------- */

value hdi_word_fraction(hdi_emit *e, value x)
{
    value fraction = b_sub(e, x, b_call1(e, "llvm.trunc", x));
    value none = b_eq(e, b_abs(e, x), infinity(x));
    return copysign_of(e, b_pick(e, none, b_real(x, 0), fraction), x);
}

/* Has x a mantissa and an exponent of its own? */
static value has_parts(hdi_emit *e, value x)
{
    return b_and(e, b_ne(e, x, b_real(x, 0)), b_lt(e, b_abs(e, x), infinity(x)));
}

value hdi_word_mantissa(hdi_emit *e, value x)
{
    const format f = format_of(x);
    value bits = normal_bits(e, &f, x);
    int64_t half = (int64_t)(f.mask / 2 - 1) << f.fraction, mask = (int64_t)f.mask << f.fraction;
    bits = b_or(e, b_and(e, bits, b_whole(bits, ~mask)), b_whole(bits, half));
    return b_pick(e, has_parts(e, x), b_real_of_bits(e, bits), x);
}

value hdi_word_exponent(hdi_emit *e, value x)
{
    const format f = format_of(x);
    value biased = biased_exponent(e, &f, x);
    value n = b_sub(e, biased, b_whole(biased, f.mask / 2 - 1));
    n = b_pick(e, has_parts(e, x), n, b_whole(n, 0));
    return b_resize(e, n, hdi_emit_type(e, HD_INT32), true);
}

/* In three steps, so that neither 2^n nor what is between need be normal numbers. Downwards a step
 * stops short of rounding: what is rounded in the second step would be 0 after the third anyway
 * (as musl's scalbn has it). */
value hdi_word_ldexp(hdi_emit *e, value x, value by)
{
    const format f = format_of(x);
    int most = f.mask / 2, least = 1 - most;
    value n = b_resize(e, clamp(e, by, -4 * most, 4 * most), b_ints_as(e, x, f.bits), true);
    for (int step = 0; step < 2; step++) {
        value far = b_lt(e, n, b_whole(n, least));
        value part = b_pick(e, far, b_whole(n, least + f.fraction + 1), clamp(e, n, least, most));
        x = b_mul(e, x, power_of_2(e, &f, part));
        n = b_sub(e, n, part);
    }
    return b_mul(e, x, power_of_2(e, &f, clamp(e, n, least, most)));
}

/* ---- neighbours ------------------------------------------------------------------------------ */

/* Numbers of one sign are ordered as their bits are. */
value hdi_word_spacing(hdi_emit *e, value x)
{
    value bits = b_bits_of(e, x), one = b_whole(bits, 1);
    bits = b_pick(e, b_eq(e, x, b_real(x, 0)), one, b_add(e, bits, one));
    value apart = b_sub(e, b_real_of_bits(e, bits), x);
    value nan = b_real(x, (double)__builtin_nan(""));
    return b_pick(e, b_eq(e, b_abs(e, x), infinity(x)), nan, apart);
}

value hdi_word_nextafter(hdi_emit *e, value x, value y)
{
    value zero = b_real(x, 0), bits = b_bits_of(e, x), one = b_whole(bits, 1);
    value outwards = b_pick(e, b_gt(e, x, zero), b_gt(e, y, x), b_lt(e, y, x));
    bits = b_add(e, bits, b_pick(e, outwards, one, b_whole(bits, -1)));
    value first = copysign_of(e, b_real_of_bits(e, one), y);   /* next to 0 */
    value r = b_pick(e, b_eq(e, x, zero), first, b_real_of_bits(e, bits));
    r = b_pick(e, b_eq(e, x, y), y, r);
    value nan = LLVMBuildFCmp(e->build, LLVMRealUNO, x, y, "");
    return b_pick(e, nan, b_add(e, x, y), r);
}

/* ---- integers -------------------------------------------------------------------------------- */

static value is_within(hdi_emit *e, value x, double limit)
{
    return b_and(e, b_ge(e, x, b_real(x, -limit)), b_lt(e, x, b_real(x, limit)));
}

/* What no int64 holds is the smallest one. */
static value whole_signed(hdi_emit *e, value x)
{
    value inside = is_within(e, x, 0x1p63);
    value r = b_to_int(e, b_pick(e, inside, x, b_real(x, 0)), b_ints_as(e, x, 64), true);
    return b_pick(e, inside, r, b_whole(r, INT64_MIN));
}

static value whole_unsigned(hdi_emit *e, value x)
{
    value big = b_ge(e, x, b_real(x, 0x1p63));
    value r = whole_signed(e, b_pick(e, big, b_plus(e, x, -0x1p63), x));
    return b_xor(e, r, b_pick(e, big, b_whole(r, INT64_MIN), b_whole(r, 0)));
}

/* Narrow ones by way of int32, unless a lane is too large for it. */
value hdi_word_whole(hdi_emit *e, value x, hd_dtype to)
{
    hdi_branch b;
    LLVMTypeRef type = hdi_emit_type(e, to);
    if (hdi_chain_size(to) == 8)
        return to == HD_UINT64 ? whole_unsigned(e, x) : whole_signed(e, x);
    value inside = is_within(e, x, 0x1p31), zero = b_real(x, 0);
    value quick = b_to_int(e, b_pick(e, inside, x, zero), b_ints_as(e, x, 32), true), state[1];
    quick = b_resize(e, quick, type, true);
    hdi_branch_open(e, &b, b_not(e, inside));
    state[0] = b_resize(e, whole_signed(e, x), type, true);
    hdi_branch_close(e, &b, 1, &quick, state);
    return state[0];
}
