/* SPDX-License-Identifier: BSD-3-Clause */
/* loops_reference_int.h - the rows of ew.def on integers, in 128 bits: only the result's low
 * bits count.
 * Wants      T, wide_int, REFERENCE(name): a name of its own for this T; undefines T and
 *            REFERENCE */

static wide_int REFERENCE(quotient)(wide_int x, wide_int y)
{
    if (y == 0)
        return 0;
    wide_int q = x / y;
    return q * y != x && (x < 0) != (y < 0) ? q - 1 : q;
}

static wide_int REFERENCE(remainder)(wide_int x, wide_int y)
{
    return y == 0 ? 0 : x - REFERENCE(quotient)(x, y) * y;
}

static wide_int REFERENCE(reciprocal)(wide_int x)
{
    if (x != 0)
        return 1 / x;
    return (T)-1 < (T)1 && sizeof(T) >= 4 ? (wide_int)((uint64_t)1 << (8 * sizeof(T) - 1)) : 0;
}

static wide_int REFERENCE(power)(wide_int x, wide_int y)
{
    if (y < 0)
        return x == 1 ? 1 : x == -1 ? (y % 2 == 0 ? 1 : -1) : 0;
    uint64_t r = 1;
    for (wide_int bit = (wide_int)1 << 63; bit > 0; bit /= 2) {
        r *= r;
        if ((y & bit) != 0)
            r *= (uint64_t)x;
    }
    return (wide_int)r;
}

static wide_int REFERENCE(shift)(wide_int x, wide_int by, int left)
{
    const int outside = by < 0 || by >= 8 * (int)sizeof(T);
    if (left)
        return outside ? 0 : (wide_int)((uint64_t)x << (int)by);
    return outside ? (x < 0 ? -1 : 0) : x >> (int)by;
}

static wide_int REFERENCE(common)(wide_int x, wide_int y)
{
    x = x < 0 ? -x : x;
    y = y < 0 ? -y : y;
    return y == 0 ? x : REFERENCE(common)(y, x % y);
}

static wide_int REFERENCE(multiple)(wide_int x, wide_int y)
{
    if (x == 0 || y == 0)
        return 0;
    x /= REFERENCE(common)(x, y);
    return (wide_int)((unsigned __int128)(x < 0 ? -x : x) * (unsigned __int128)(y < 0 ? -y : y));
}

static wide_int REFERENCE(bits)(wide_int x)
{
    int n = 0;
    for (x = x < 0 ? -x : x; x > 0; x /= 2)
        n += x % 2 != 0;
    return n;
}

#define NEG(x) (-(x))
#define RECIP(x) REFERENCE(reciprocal)(x)
#define ABS(x) ((x) < 0 ? -(x) : (x))
#define SIGN(x) (((x) > 0) - ((x) < 0))
#define CONJ(x) (x)
#define CALL1(f, x) (x)   /* floor, ceil and trunc are all that integers have */
#define CALL2(f, x, y) 0
#define FMOD(x, y) ((y) == 0 ? 0 : (x) % (y))
#define GCD(x, y) REFERENCE(common)(x, y)
#define LCM(x, y) REFERENCE(multiple)(x, y)
#define POPCOUNT(x) REFERENCE(bits)(x)
#define SIGNBIT(x) ((x) < 0)
#define LDEXP(x, y) 0
#define FRACTION(x) 0
#define MANTISSA(x) 0
#define EXPONENT(x) 0
#define SPACING(x) 0
#define DEGREE 0
#define RADIAN 0
#define ADD(x, y) ((x) + (y))
#define SUB(x, y) ((x) - (y))
#define MUL(x, y) ((wide_int)((unsigned __int128)(x) * (unsigned __int128)(y)))
#define DIV(x, y) 0
#define FLOORDIV(x, y) REFERENCE(quotient)(x, y)
#define MOD(x, y) REFERENCE(remainder)(x, y)
#define POW(x, y) REFERENCE(power)(x, y)
#define MAX(x, y) ((x) > (y) ? (x) : (y))
#define MIN(x, y) ((x) < (y) ? (x) : (y))
#define FMAX MAX
#define FMIN MIN
#include "compare_words.h"
#define ISNAN(x) 0
#define ISINF(x) 0
#define ISFINITE(x) 1
#define ZERO 0
#define ONE 1
#define BNOT(x) (~(x))
#define BAND(x, y) ((x) & (y))
#define BOR(x, y) ((x) | (y))
#define BXOR(x, y) ((x) ^ (y))
#define SHL(x, y) REFERENCE(shift)(x, y, 1)
#define SHR(x, y) REFERENCE(shift)(x, y, 0)
#define UNIFORM(x, y) 0
#define NORMAL(x, y) 0
#define RAW64(x, y) 0
#define BOUNDED(x, y, z) 0
#define GAMMA(x, y, z) 0
#define BETA(x, y, z) 0
#define POISSON(x, y) 0
#define BINOMIAL(x, y, z) 0

static wide_int REFERENCE(reference)(int op, wide_int x, wide_int y, wide_int z)
{
    switch (op) {
#define EW1(name, types, rule, value, ...) case HD_OP_##name: return (wide_int)(value);
#define EW2 EW1
#define EW3 EW1
#include "ops/elementwise/ew.def"
    }
    return (void)z, 0;
}

#include "loops_reference_end.h"
