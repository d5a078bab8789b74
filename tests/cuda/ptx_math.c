/* SPDX-License-Identifier: BSD-3-Clause */
/* ptx_math.c - arithmetic. What PTX leaves to IEEE 754 the host does; what it says of NaNs, of
 * shifts that are too long and of conversions that do not fit is said here. */
#include <math.h>

#include "core/half.h"
#include "ptx_code.h"

#define A ptx_read(t, i->s[0])
#define B ptx_read(t, i->s[1])
#define C ptx_read(t, i->s[2])
#define R t->now.r[i->d[0]]
#define EXT(x) ptx_extend((x).u64, i->type)
#define HANDLER(name) void ptx_##name(ptx_thread *t, const ptx_ins *i)
#define INTS(name, value) \
    HANDLER(name) { R.u64 = (uint64_t)(value); }
#define SINGLES(name, value) \
    HANDLER(name) { R.f32 = one_nan(value); }
#define DOUBLES(name, value) \
    HANDLER(name) { R.f64 = (value); }

/* There is one nan of 32 bits. */
static float one_nan(float x)
{
    const ptx_slot nan32 = {.u32 = 0x7fffffff};
    return x != x ? nan32.f32 : x;
}

/* ---- integers: upper bits of a result may be anything ----------------------------------------- */

INTS(add, A.u64 + B.u64)
INTS(sub, A.u64 - B.u64)
INTS(and, A.u64 & B.u64)
INTS(or, A.u64 | B.u64)
INTS(xor, A.u64 ^ B.u64)
INTS(not, ~A.u64)
INTS(neg, 0 - A.u64)
INTS(abs, (int64_t)EXT(A) < 0 ? 0 - EXT(A) : EXT(A))
INTS(selp, (C.u64 & 1) != 0 ? A.u64 : B.u64)
INTS(popc, __builtin_popcountll(A.u64 << (64 - i->type.bits)))

static uint64_t product(const ptx_ins *i, uint64_t x, uint64_t y)
{
    if (i->word[0] != W_hi)
        return x * y;
    if (i->type.bits < 64)
        return x * y >> i->type.bits;
    return i->type.kind == 's' ? (uint64_t)((__int128)(int64_t)x * (int64_t)y >> 64)
                               : (uint64_t)((unsigned __int128)x * y >> 64);
}
INTS(mul, product(i, EXT(A), EXT(B)))
INTS(mad, product(i, EXT(A), EXT(B)) + C.u64)

/* By 0: all bits, which is what the hardware gives; the smallest by -1 does not trap there. */
static uint64_t quotient(bool is_signed, uint64_t x, uint64_t y)
{
    if (y == 0)
        return UINT64_MAX;
    if (!is_signed)
        return x / y;
    return y == UINT64_MAX ? 0 - x : (uint64_t)((int64_t)x / (int64_t)y);
}
INTS(div, quotient(i->type.kind == 's', EXT(A), EXT(B)))
INTS(rem, EXT(B) == 0 ? EXT(A)
                      : EXT(A) - quotient(i->type.kind == 's', EXT(A), EXT(B)) * EXT(B))

static bool below(ptx_type type, uint64_t x, uint64_t y)
{
    return type.kind == 's' ? (int64_t)x < (int64_t)y : x < y;
}
INTS(min, below(i->type, EXT(A), EXT(B)) ? A.u64 : B.u64)
INTS(max, below(i->type, EXT(A), EXT(B)) ? B.u64 : A.u64)

/* Amounts are 32 bits without a sign. */
INTS(shl, B.u32 >= i->type.bits ? 0 : A.u64 << B.u32)
HANDLER(shr)
{
    uint32_t by = B.u32 < i->type.bits ? B.u32 : i->type.bits;
    uint64_t x = EXT(A);
    R.u64 = i->type.kind == 's' ? (uint64_t)((int64_t)x >> (by < 64 ? by : 63)) : by < 64 ? x >> by : 0;
}

HANDLER(shf)
{
    uint64_t both = (uint64_t)B.u32 << 32 | A.u32;
    uint32_t by = i->word[1] == W_wrap ? C.u32 & 31 : C.u32 < 32 ? C.u32 : 32;
    R.u64 = i->word[0] == W_r ? both >> by : both << by >> 32;
}

HANDLER(bfe)
{
    uint64_t x = EXT(A);
    uint32_t at = B.u32 & 255, n = C.u32 & 255, bits = i->type.bits;
    bool is_signed = i->type.kind == 's';
    uint32_t last = at + n - 1 < bits - 1 ? at + n - 1 : bits - 1;
    uint64_t fill = n > 0 && is_signed && x >> last & 1 ? UINT64_MAX : 0;
    uint64_t keep = n < 64 ? (UINT64_C(1) << n) - 1 : UINT64_MAX;
    uint64_t body = at < bits ? (is_signed ? (uint64_t)((int64_t)x >> at) : x >> at) : fill;
    R.u64 = n == 0 ? 0 : (body & keep) | (fill & ~keep);
}

HANDLER(bfi)
{
    uint32_t at = C.u32 & 255, n = ptx_read(t, i->s[3]).u32 & 255, bits = i->type.bits;
    uint64_t mask = n < 64 ? (UINT64_C(1) << n) - 1 : UINT64_MAX;
    mask = at < bits ? mask << at : 0;
    R.u64 = (B.u64 & ~mask) | (at < bits ? A.u64 << at & mask : 0);
}

HANDLER(brev)
{
    uint64_t x = A.u64, reversed = 0;
    for (int k = 0; k < i->type.bits; k++)
        reversed |= (x >> k & 1) << (i->type.bits - 1 - k);
    R.u64 = reversed;
}

HANDLER(clz)
{
    uint64_t x = A.u64 << (64 - i->type.bits);
    R.u64 = x == 0 ? i->type.bits : (uint64_t)__builtin_clzll(x);
}

HANDLER(prmt)
{
    uint64_t both = (uint64_t)B.u32 << 32 | A.u32, made = 0;
    for (int k = 0; k < 4; k++) {
        uint32_t select = C.u32 >> 4 * k & 15;
        uint64_t byte = both >> 8 * (select & 7) & 255;
        if (select & 8)
            byte = byte & 128 ? 255 : 0;
        made |= byte << 8 * k;
    }
    R.u64 = made;
}

HANDLER(setp)
{
    uint64_t x = EXT(A), y = EXT(B);
    bool less = below(i->type, x, y);
    switch ((ptx_word)i->word[0]) {
    case W_eq: R.u64 = x == y; break;
    case W_ne: R.u64 = x != y; break;
    case W_lt: case W_lo: R.u64 = less; break;
    case W_le: case W_ls: R.u64 = less || x == y; break;
    case W_gt: case W_hi: R.u64 = !less && x != y; break;
    case W_ge: case W_hs: R.u64 = !less; break;
    default: ptx_unknown(t, i); break;
    }
}

/* ---- reals ------------------------------------------------------------------------------------ */

SINGLES(add_f32, A.f32 + B.f32)
SINGLES(sub_f32, A.f32 - B.f32)
SINGLES(mul_f32, A.f32 * B.f32)
SINGLES(div_f32, A.f32 / B.f32)
SINGLES(fma_f32, fmaf(A.f32, B.f32, C.f32))
SINGLES(sqrt_f32, sqrtf(A.f32))
/* approx may be off by one unit of the last place, and is: by whichever the operand's bits say. */
static float reciprocal(const ptx_ins *i, ptx_slot x)
{
    ptx_slot r = {.f32 = 1.0f / x.f32};
    if (i->word[0] == W_approx && r.f32 == r.f32 && (r.u32 & 0x7fffffff) - 1 < 0x7f7ffffe)
        r.u32 += x.u32 % 3 - 1;
    return r.f32;
}
SINGLES(rcp_f32, reciprocal(i, A))
SINGLES(rsqrt_f32, 1.0f / sqrtf(A.f32))
DOUBLES(add_f64, A.f64 + B.f64)
DOUBLES(sub_f64, A.f64 - B.f64)
DOUBLES(mul_f64, A.f64 * B.f64)
DOUBLES(div_f64, A.f64 / B.f64)
DOUBLES(fma_f64, fma(A.f64, B.f64, C.f64))
DOUBLES(sqrt_f64, sqrt(A.f64))
DOUBLES(rcp_f64, 1.0 / A.f64)
DOUBLES(rsqrt_f64, 1.0 / sqrt(A.f64))

/* By their bits. copysign takes the sign of its first operand. */
enum { SIGN32 = 31, SIGN64 = 63 };
#define BIT(n) (UINT64_C(1) << (n))
INTS(neg_f32, A.u64 ^ BIT(SIGN32))
INTS(neg_f64, A.u64 ^ BIT(SIGN64))
INTS(abs_f32, A.u64 & ~BIT(SIGN32))
INTS(abs_f64, A.u64 & ~BIT(SIGN64))
INTS(copysign_f32, (A.u64 & BIT(SIGN32)) | (B.u64 & ~BIT(SIGN32)))
INTS(copysign_f64, (A.u64 & BIT(SIGN64)) | (B.u64 & ~BIT(SIGN64)))

/* A number rather than nan, unless .NaN; -0 is less than 0. */
static double extreme(const ptx_ins *i, double x, double y, bool largest)
{
    if (x != x || y != y)
        return i->word[0] == W_NaN ? x + y : x != x ? y : x;
    bool first = x == y ? (signbit(x) != 0) : x < y;
    return first != largest ? x : y;
}
SINGLES(min_f32, (float)extreme(i, (double)A.f32, (double)B.f32, false))
SINGLES(max_f32, (float)extreme(i, (double)A.f32, (double)B.f32, true))
DOUBLES(min_f64, extreme(i, A.f64, B.f64, false))
DOUBLES(max_f64, extreme(i, A.f64, B.f64, true))

static bool compare(ptx_thread *t, const ptx_ins *i, double x, double y)
{
    bool nans = x != x || y != y;
    switch ((ptx_word)i->word[0]) {
    case W_eq: return x == y;
    case W_ne: return !nans && x != y;
    case W_lt: return x < y;
    case W_le: return x <= y;
    case W_gt: return x > y;
    case W_ge: return x >= y;
    case W_equ: return nans || x == y;
    case W_neu: return x != y;
    case W_ltu: return !(x >= y);
    case W_leu: return !(x > y);
    case W_gtu: return !(x <= y);
    case W_geu: return !(x < y);
    case W_num: return !nans;
    case W_nan: return nans;
    default: ptx_unknown(t, i); return false;
    }
}
INTS(setp_f32, compare(t, i, (double)A.f32, (double)B.f32))
INTS(setp_f64, compare(t, i, A.f64, B.f64))

HANDLER(testp)
{
    double x = i->type.bits == 32 ? (double)A.f32 : A.f64;
    R.u64 = i->word[0] == W_finite     ? isfinite(x) != 0
            : i->word[0] == W_infinite ? isinf(x) != 0
                                       : (x == x) == (i->word[0] == W_number);
}

/* ---- conversions ------------------------------------------------------------------------------ */

static double rounded(double x, char how)
{
    return how == 'z' ? trunc(x) : how == 'm' ? floor(x) : how == 'p' ? ceil(x) : nearbyint(x);
}

/* What does not fit becomes the largest or the smallest there is. */
static uint64_t integer_of(ptx_type type, double x)
{
    bool is_signed = type.kind == 's';
    int bits = type.bits - is_signed;
    double end = ldexp(1.0, bits);
    uint64_t top = UINT64_MAX >> (64 - bits);
    if (x >= end)
        return top;
    if (!is_signed)
        return x <= 0 ? 0 : (uint64_t)x;
    return x < -end ? ~top : (uint64_t)(int64_t)x;
}

static void real_to_integer(ptx_thread *t, const ptx_ins *i, double x)
{
    if (x == x)
        R.u64 = integer_of(i->type, rounded(x, i->round));
    else   /* as PTX has it: 0 if neither side has 64 bits */
        R.u64 = i->type.bits < 64 && i->from.bits < 64 ? 0 : UINT64_C(1) << (i->type.bits - 1);
}

static void put_real(ptx_thread *t, const ptx_ins *i, double x)
{
    if (i->type.bits == 64)
        R.f64 = x;
    else if (i->type.bits == 32)
        R.f32 = one_nan((float)x);
    else
        R.u16 = x == x ? hdi_to_f16(hdi_odd_float(x)) : 0x7fff;
}

static void integer_to_real(ptx_thread *t, const ptx_ins *i, uint64_t x)
{
    bool is_signed = i->from.kind == 's';
    if (i->type.bits == 32)   /* in one step */
        R.f32 = is_signed ? (float)(int64_t)x : (float)x;
    else
        put_real(t, i, is_signed ? (double)(int64_t)x : (double)x);
}

static void integer_to_integer(ptx_thread *t, const ptx_ins *i, uint64_t x)
{
    if (i->saturates) {
        double top = ldexp(1.0, i->type.bits - (i->type.kind == 's')) - 1;
        double value = i->from.kind == 's' ? (double)(int64_t)x : (double)x;
        if (i->type.bits == 64 || i->from.bits == 64)   /* not exact in a double */
            ptx_unknown(t, i);
        x = value > top || value < -top - 1 ? integer_of(i->type, value) : x;
    }
    R.u64 = ptx_extend(x, i->type);
}

/* Narrowing rounds to nearest; the other directions are not made by anyone. */
void ptx_cvt(ptx_thread *t, const ptx_ins *i)
{
    bool to = i->type.kind == 'f', from = i->from.kind == 'f';
    double x = i->from.bits == 64 ? A.f64 : i->from.bits == 32 ? (double)A.f32 : 0;
    if (from && i->from.bits == 16)
        x = (double)hdi_from_f16(A.u16);
    if (!from && !to)
        integer_to_integer(t, i, ptx_extend(A.u64, i->from));
    else if (i->saturates || (to && !i->integral && i->round != 'n' && i->round != 0))
        ptx_unknown(t, i);
    else if (!from)
        integer_to_real(t, i, ptx_extend(A.u64, i->from));
    else if (!to)
        real_to_integer(t, i, x);
    else
        put_real(t, i, i->integral ? rounded(x, i->round) : x);
}
