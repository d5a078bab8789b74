/* SPDX-License-Identifier: BSD-3-Clause */
/* llvm_words_half.c - neighbours of half types, which have them in loops of their own
 * (loops_half.c): everything else about halves is computed in float32. */
#include "codegen/llvm_words.h"

#include "core/half.h"

static value wide(hdi_emit *e, value x)
{
    return b_resize(e, x, b_ints_as(e, x, 32), false);
}

static value narrow(hdi_emit *e, value x)
{
    return b_resize(e, x, b_ints_as(e, x, 16), false);
}

static value low(hdi_emit *e, value x, int64_t mask)
{
    return b_and(e, x, b_whole(x, mask));
}

/* next() of loops_half.c, on words of 32 bits. */
static value next(hdi_emit *e, value x, value y, hd_dtype dt)
{
    bool is_f16 = dt == HD_FLOAT16;
    int64_t inf = is_f16 ? HDI_F16_INF : HDI_BF16_INF, quiet = inf | (is_f16 ? 0x200 : 0x40);
    value a = low(e, x, 0x7fff), b = low(e, y, 0x7fff), one = b_whole(x, 1);
    value nan = b_or(e, b_gt(e, a, b_whole(a, inf)), b_gt(e, b, b_whole(b, inf)));
    value both_zero = b_eq(e, b_or(e, a, b), b_whole(a, 0));
    value equal = b_or(e, b_eq(e, x, y), both_zero);
    value sign = LLVMBuildXor(e->build, x, y, "");
    value shrinks = b_or(e, b_gt(e, a, b), b_ne(e, low(e, sign, 0x8000), b_whole(x, 0)));
    value moved = b_pick(e, shrinks, b_sub(e, x, one), b_add(e, x, one));
    value first = b_add(e, low(e, y, 0x8000), one);   /* next to 0 */
    moved = b_pick(e, b_eq(e, a, b_whole(a, 0)), first, moved);
    return b_pick(e, nan, b_whole(x, quiet), b_pick(e, equal, is_f16 ? x : y, moved));
}

value hdi_word_half_nextafter(hdi_emit *e, value x, value y, hd_dtype dt)
{
    return narrow(e, next(e, wide(e, x), wide(e, y), dt));
}

/* spacing_FLOAT16() of loops_half.c */
static value spacing_f16(hdi_emit *e, value h)
{
    value size = low(e, h, 0x7fff), exponent = low(e, size, 0x7c00);
    value zero = b_whole(h, 0), one = b_whole(h, 1);
    value below = b_and(e, b_ne(e, low(e, h, 0x8000), zero), b_eq(e, low(e, h, 0x3ff), zero));
    value one_below = b_pick(e, below, one, zero);
    value drop = b_add(e, b_whole(h, 0x2800), b_shl(e, one_below, 10));
    value shift = b_sub(e, b_sub(e, b_lshr(e, exponent, 10), one), one_below);
    value tiny = LLVMBuildShl(e->build, one, low(e, shift, 31), "");
    tiny = b_pick(e, b_gt(e, exponent, b_whole(h, 0x400)), tiny, one);
    value finite = b_pick(e, b_gt(e, exponent, drop), b_sub(e, exponent, drop), tiny);
    finite = b_pick(e, b_eq(e, h, b_whole(h, 0x7bff)), b_whole(h, HDI_F16_INF), finite);
    return b_pick(e, b_ge(e, size, b_whole(h, HDI_F16_INF)), b_whole(h, 0x7e00), finite);
}

value hdi_word_half_spacing(hdi_emit *e, value x, hd_dtype dt)
{
    value h = wide(e, x);
    if (dt == HD_FLOAT16)
        return narrow(e, spacing_f16(e, h));
    value away = b_or(e, low(e, h, 0x8000), b_whole(h, HDI_BF16_INF));
    value there = hdi_emit_half_cast(e, narrow(e, next(e, h, away, dt)), dt, HD_FLOAT32);
    value here = hdi_emit_half_cast(e, x, dt, HD_FLOAT32);
    return hdi_emit_half_cast(e, b_sub(e, there, here), HD_FLOAT32, dt);
}
