/* SPDX-License-Identifier: BSD-3-Clause */
/* llvm_words_int.c - integers: division, powers, common divisors (loops_vocab_int.h). */
#include "codegen/llvm_words.h"

static bool is_signed(const hdi_emit *e)
{
    return e->kind == 'i';
}

static value size_of(hdi_emit *e, value x)
{
    return is_signed(e) ? b_pick(e, b_lt(e, x, b_whole(x, 0)), b_neg(e, x), x) : x;
}

/* 1 / x where that is whole; of 0 what x86 converts infinity to. */
value hdi_word_int_reciprocal(hdi_emit *e, value x)
{
    int bits = hdi_bits(LLVMTypeOf(x));
    value zero = b_whole(x, 0);
    value by_zero = is_signed(e) && bits >= 32 ? b_shl(e, b_whole(x, 1), bits - 1) : zero;
    value unit = b_eq(e, x, b_whole(x, 1));
    if (is_signed(e))
        unit = b_or(e, unit, b_eq(e, x, b_whole(x, -1)));
    return b_pick(e, unit, x, b_pick(e, b_eq(e, x, zero), by_zero, zero));
}

/* ---- division -------------------------------------------------------------------------------- */

/* Neither traps nor overflows, and gives the remainder in the odd cases too. */
static value divisor(hdi_emit *e, value x, value y)
{
    int bits = hdi_bits(LLVMTypeOf(x));
    value odd = b_eq(e, y, b_whole(y, 0));
    if (is_signed(e)) {
        value lowest = b_shl(e, b_whole(x, 1), bits - 1);
        odd = b_or(e, odd, b_and(e, b_eq(e, x, lowest), b_eq(e, y, b_whole(y, -1))));
    }
    return b_pick(e, odd, b_whole(y, 1), y);
}

/* Up to 32 bits by reals, which vectors can divide: see v_quotient() in loops_vocab_int.h, whose
 * bound holds for cutting off as it does for floor. */
static bool by_reals(const hdi_emit *e, value x)
{
    return hdi_bits(LLVMTypeOf(x)) <= 32 && e->vector_bytes > 0;
}

static value real_quotient(hdi_emit *e, value x, value d, bool sign)
{
    LLVMTypeRef type = b_reals_as(e, x, hdi_bits(LLVMTypeOf(x)) > 16);
    return b_div(e, b_to_real(e, x, type, sign), b_to_real(e, d, type, sign));
}

static value whole_quotient(hdi_emit *e, value q, LLVMTypeRef type, bool sign)
{
    value r = b_to_int(e, q, b_ints_as(e, q, 32), sign || hdi_bits(type) < 32);
    return b_resize(e, r, type, true);
}

static value cut_quotient(hdi_emit *e, value x, value d, bool sign)
{
    if (by_reals(e, x))
        return whole_quotient(e, real_quotient(e, x, d, sign), LLVMTypeOf(x), sign);
    return sign ? LLVMBuildSDiv(e->build, x, d, "") : LLVMBuildUDiv(e->build, x, d, "");
}

static value floor_quotient(hdi_emit *e, value x, value d)
{
    if (!is_signed(e))
        return cut_quotient(e, x, d, false);
    if (by_reals(e, x)) {
        value q = b_call1(e, "llvm.floor", real_quotient(e, x, d, true));
        return whole_quotient(e, q, LLVMTypeOf(x), true);
    }
    value q = cut_quotient(e, x, d, true), zero = b_whole(x, 0);
    value differ = b_lt(e, b_xor(e, x, d), zero);
    value below = b_and(e, differ, b_ne(e, b_mul(e, q, d), x));
    return b_pick(e, below, b_sub(e, q, b_whole(q, 1)), q);
}

value hdi_word_int_floordiv(hdi_emit *e, value x, value y)
{
    value zero = b_whole(y, 0), q = floor_quotient(e, x, divisor(e, x, y));
    return b_pick(e, b_eq(e, y, zero), zero, q);
}

value hdi_word_int_mod(hdi_emit *e, value x, value y)
{
    value d = divisor(e, x, y);
    return b_sub(e, x, b_mul(e, floor_quotient(e, x, d), d));
}

value hdi_word_int_fmod(hdi_emit *e, value x, value y)
{
    value d = divisor(e, x, y), zero = b_whole(y, 0);
    value rest = b_sub(e, x, b_mul(e, cut_quotient(e, x, d, is_signed(e)), d));
    return b_pick(e, b_eq(e, y, zero), zero, rest);
}

value hdi_unsigned_rest(hdi_emit *e, value x, value y)
{
    return b_sub(e, x, b_mul(e, cut_quotient(e, x, y, false), y));
}

/* ---- powers ---------------------------------------------------------------------------------- */

/* The integer part of x to a negative power. */
static value negative_power(hdi_emit *e, value x, value y)
{
    value zero = b_whole(x, 0), one = b_whole(x, 1);
    value odd = b_ne(e, b_and(e, y, one), zero);
    value of_minus_1 = b_pick(e, odd, x, one);
    value rest = b_pick(e, b_eq(e, x, b_whole(x, -1)), of_minus_1, zero);
    return b_pick(e, b_eq(e, x, one), one, rest);
}

value hdi_word_int_power(hdi_emit *e, value x, value y)
{
    hdi_loop l;
    value zero = b_whole(x, 0), one = b_whole(x, 1);
    value state[] = {one, x, y};   /* result, square, exponent */
    hdi_loop_open(e, &l, b_ne(e, y, zero), 3, state);
    value odd = b_ne(e, b_and(e, state[2], one), zero);
    state[0] = b_pick(e, odd, b_mul(e, state[0], state[1]), state[0]);
    state[1] = b_mul(e, state[1], state[1]);
    state[2] = b_lshr(e, state[2], 1);
    hdi_loop_close(e, &l, b_ne(e, state[2], zero), state);
    if (!is_signed(e))
        return state[0];
    return b_pick(e, b_lt(e, y, zero), negative_power(e, x, y), state[0]);
}

/* ---- bits and divisors ----------------------------------------------------------------------- */

value hdi_word_popcount(hdi_emit *e, value x)
{
    value n = b_call1(e, "llvm.ctpop", size_of(e, x));
    return b_resize(e, n, hdi_emit_type(e, HD_UINT8), false);
}

/* Euclid's, of sizes as unsigned numbers. */
static value common_divisor(hdi_emit *e, value x, value y)
{
    hdi_loop l;
    value zero = b_whole(x, 0), state[] = {x, y};
    hdi_loop_open(e, &l, b_ne(e, x, zero), 2, state);
    value d = b_pick(e, l.active, state[0], b_whole(x, 1));
    value rest = hdi_unsigned_rest(e, state[1], d);
    state[1] = state[0];
    state[0] = rest;
    hdi_loop_close(e, &l, b_ne(e, rest, zero), state);
    return state[1];
}

value hdi_word_gcd(hdi_emit *e, value x, value y)
{
    return common_divisor(e, size_of(e, x), size_of(e, y));
}

value hdi_word_lcm(hdi_emit *e, value x, value y)
{
    value sx = size_of(e, x), sy = size_of(e, y), zero = b_whole(x, 0);
    value common = common_divisor(e, sx, sy), none = b_eq(e, common, zero);
    value others = cut_quotient(e, sx, b_pick(e, none, b_whole(x, 1), common), false);
    return b_mul(e, b_pick(e, none, zero, others), sy);
}
