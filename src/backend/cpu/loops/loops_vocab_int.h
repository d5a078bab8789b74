/* SPDX-License-Identifier: BSD-3-Clause */
/* loops_vocab_int.h - the vocabulary of ew.def and red.def for integers, signed and unsigned.
 * Wants      INT_T, UINT_T (its unsigned twin), INT_BITS and INT_SIGNED (0 or 1)
 * Invariant  nothing overflows as a signed number and nothing traps: sums and products wrap
 *            through unsigned, a division by 0 is 0, the smallest number by -1 is itself, shifts
 *            by the width or more (and by negative counts) are 0 or the sign */
typedef INT_T T;
typedef UINT_T U;
/* unsigned and not promoted: sums and products of U that cannot overflow as int */
typedef __typeof__((U)0 + 0u) W;
typedef T REAL_OF_T;
typedef T operand __attribute__((may_alias, aligned(1)));

#define ZERO ((T)0)
#define ONE ((T)1)
#if INT_SIGNED
#define NEGATIVE(x) ((x) < 0)
#else
#define NEGATIVE(x) ((void)(x), 0)   /* a comparison that is always false is a warning */
#endif
#define LOWEST ((T)(INT_SIGNED ? (T)((U)1 << (INT_BITS - 1)) : 0))

static inline uint8_t truth(T x) { return x != 0; }
static inline T v_neg(T x) { return (T)(0u - (W)x); }
static inline T v_add(T x, T y) { return (T)((W)x + (W)y); }
static inline T v_sub(T x, T y) { return (T)((W)x - (W)y); }
static inline T v_mul(T x, T y) { return (T)((W)x * (W)y); }
static inline T v_max(T x, T y) { return x > y ? x : y; }
static inline T v_min(T x, T y) { return x < y ? x : y; }
static inline T v_select(uint8_t c, T a, T b) { return c ? a : b; }
static inline T v_sign(T x) { return (T)((x > 0) - NEGATIVE(x)); }
static inline T v_abs(T x) { return NEGATIVE(x) ? v_neg(x) : x; }

/* What 1.0 / x is when it is converted back; NumPy's answer for 0 is the "integer indefinite"
 * value of x86. */
static inline T v_recip(T x)
{
    const T by_zero = INT_SIGNED && INT_BITS >= 32 ? LOWEST : 0;
    return x == 1 || (INT_SIGNED && v_neg(x) == 1) ? x : x == 0 ? by_zero : 0;
}

/* A divisor that can neither trap nor overflow, and for which x - (x / d) * d is the remainder
 * in the odd cases too. */
static inline T v_divisor(T x, T y)
{
    return y == 0 || (INT_SIGNED && x == LOWEST && y == (T)-1) ? 1 : y;
}

/* Floor of x / d. Up to 32 bits by floating point, which has vector instructions: a quotient
 * that is no integer is at least 1 / |d| away from one, and the rounding error of x / d is below
 * 2^(bits-p) / |d| with p = 24 or 53 bits of precision. */
static inline T v_quotient(T x, T d)
{
#if INT_BITS <= 16
    return (T)(int32_t)__builtin_floorf((float)x / (float)d);
#elif INT_BITS == 32 && INT_SIGNED
    return (T)__builtin_floor((double)x / (double)d);
#elif INT_BITS == 32
    return (T)(int64_t)((double)x / (double)d);
#else
    T q = (T)(x / d);
    return INT_SIGNED && NEGATIVE(x) != NEGATIVE(d) && v_mul(q, d) != x ? v_sub(q, 1) : q;
#endif
}

static inline T v_floordiv(T x, T y)
{
    const T q = v_quotient(x, v_divisor(x, y));
    return y == 0 ? 0 : q;
}

static inline T v_mod(T x, T y)
{
    const T d = v_divisor(x, y);
    return v_sub(x, v_mul(v_quotient(x, d), d));
}

/* C's remainder. */
static inline T v_fmod(T x, T y)
{
    const T r = (T)(x % v_divisor(x, y));
    return y == 0 ? 0 : r;
}

/* Sizes in the unsigned type, where that of the smallest number fits. */
static inline U v_size(T x)
{
    return (U)v_abs(x);
}

static inline U v_gcd(U x, U y)
{
    while (x != 0) {
        const U rest = (U)(y % x);
        y = x;
        x = rest;
    }
    return y;
}

static inline T v_lcm(T x, T y)
{
    const U common = v_gcd(v_size(x), v_size(y));
    const W others = common == 0 ? 0 : (W)(U)(v_size(x) / common);
    return (T)(others * v_size(y));
}

/* Negative exponents are refused before a loop runs; here they give the integer part of the true
 * value (0 for 0). */
static inline T v_pow(T x, T y)
{
    if (NEGATIVE(y))
        return x == 1 ? 1 : x != (T)-1 ? 0 : (y & 1) != 0 ? x : 1;
    W r = 1, b = (W)x;
    for (U e = (U)y; e != 0; e = (U)(e >> 1)) {
        if ((e & 1) != 0)
            r *= b;
        b *= b;
    }
    return (T)r;
}

static inline T v_shl(T x, T y)
{
    const T r = (T)((W)x << ((U)y & (INT_BITS - 1)));
    return (U)y < INT_BITS ? r : 0;
}

static inline T v_shr(T x, T y)
{
    if (INT_SIGNED)
        return (T)(x >> ((U)y < INT_BITS ? (U)y : INT_BITS - 1));
    const T r = (T)(x >> ((U)y & (INT_BITS - 1)));
    return (U)y < INT_BITS ? r : 0;
}

#define PART_RE(x) (x)
#define PART_IM(x) 0
#define NEG(x) v_neg(x)
#define ABS(x) v_abs(x)
#define SIGN(x) v_sign(x)
#define CONJ(x) (x)
#define RECIP(x) v_recip(x)
#define CALL1(f, x) HDI_CAT(int_, f)(x)
#define int_floor(x) (x)
#define int_ceil(x) (x)
#define int_trunc(x) (x)

#define ADD(x, y) v_add(x, y)
#define SUB(x, y) v_sub(x, y)
#define MUL(x, y) v_mul(x, y)
#define FMA(x, y, a) v_add(a, v_mul(x, y))
#define FLOORDIV(x, y) v_floordiv(x, y)
#define MOD(x, y) v_mod(x, y)
#define POW(x, y) v_pow(x, y)
#define FMOD(x, y) v_fmod(x, y)
#define GCD(x, y) ((T)v_gcd(v_size(x), v_size(y)))
#define LCM(x, y) v_lcm(x, y)
#define POPCOUNT(x) ((uint8_t)__builtin_popcountll(v_size(x)))
#define SIGNBIT(x) ((uint8_t)NEGATIVE(x))
#define MAX(x, y) v_max(x, y)
#define MIN(x, y) v_min(x, y)
#define FMAX(x, y) v_max(x, y)
#define FMIN(x, y) v_min(x, y)

#include "backend/cpu/loops/loops_vocab_real.h"
#define BAND(x, y) ((T)((x) & (y)))
#define BOR(x, y) ((T)((x) | (y)))
#define BXOR(x, y) ((T)((x) ^ (y)))
#define BNOT(x) ((T)~(x))
#define SHL(x, y) v_shl(x, y)
#define SHR(x, y) v_shr(x, y)
#define SELECT(c, a, b) v_select(c, a, b)
#define ISNAN(x) ((void)(x), (uint8_t)0)
#define ISINF(x) ((void)(x), (uint8_t)0)
#define ISFINITE(x) ((void)(x), (uint8_t)1)
#define FROM_INDEX(i) ((T)(i))
