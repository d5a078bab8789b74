/* SPDX-License-Identifier: BSD-3-Clause */
/* loops_reference_real.h - the rows of ew.def by plain formulas on T (float or double),
 * functions in more precision than T has.
 * Wants      T, wide_real, REFERENCE(name): a name of its own for this T; undefines T and
 *            REFERENCE */

static T REFERENCE(remainder)(T x, T y)
{
    T r = (T)fmod(x, y);
    if (r != 0 && (r < 0) != (y < 0))
        r += y;
    return r == 0 ? (T)copysign(0, y) : r;
}

/* As Python has it: the quotient that goes with the remainder, made whole. */
static T REFERENCE(floor_divide)(T x, T y)
{
    if (y == 0)
        return x / y;
    T r = (T)fmod(x, y), q = (x - r) / y;
    if (r != 0 && (r < 0) != (y < 0))
        q -= 1;
    if (q == 0)
        return (T)copysign(0, x / y);
    T whole = (T)floor(q);
    return q - whole > (T)0.5 ? whole + 1 : whole;
}

static T REFERENCE(larger)(T x, T y)
{
    return isnan(x) ? x : isnan(y) ? y : x > y ? x : y;
}

static T REFERENCE(smaller)(T x, T y)
{
    return isnan(x) ? x : isnan(y) ? y : x < y ? x : y;
}

/* Bits and signs come from the C library here, which the loops leave out where they can. */
static T REFERENCE(fraction)(T x)
{
    double whole;
    return (T)modf(x, &whole);
}

static T REFERENCE(mantissa)(T x, int *e)
{
    *e = 0;
    return (T)frexp(x, e);
}

static wide_real REFERENCE(exponent)(T x)
{
    int e;
    REFERENCE(mantissa)(x, &e);
    return isfinite(x) ? e : 0;
}

static T REFERENCE(next)(T x, T to)
{
    return sizeof(T) == sizeof(float) ? (T)nextafterf((float)x, (float)to) : (T)nextafter(x, to);
}

static T REFERENCE(spacing)(T x)
{
    return isinf(x) ? (T)NAN : (T)(REFERENCE(next)(x, x < 0 ? -(T)INFINITY : (T)INFINITY) - x);
}

static int REFERENCE(clamp)(wide_real e)
{
    return e > 1e6L ? 1000000 : e < -1e6L ? -1000000 : (int)e;
}

#define WIDE(f, ...) \
    (sizeof(T) == sizeof(float) ? (wide_real)f(__VA_ARGS__) : (wide_real)f##l(__VA_ARGS__))
#define NEG(x) (-(x))
#define RECIP(x) (1 / (x))
#define ABS(x) fabsl(x)
#define SIGN(x) (isnan(x) ? (x) : (T)(((x) > 0) - ((x) < 0)))
#define CONJ(x) (x)
#define CALL1(f, x) WIDE(f, x)
#define CALL2(f, x, y) CALL2_##f(f, x, y)
#define CALL2_nextafter(f, x, y) REFERENCE(next)(x, y)   /* depends on the type's own numbers */
#define CALL2_atan2 WIDE
#define CALL2_hypot WIDE
#define CALL2_logaddexp(f, x, y) exact_logaddexp(x, y)
#define CALL2_logaddexp2(f, x, y) exact_logaddexp2(x, y)
#define CALL2_copysign WIDE
#define FMOD(x, y) (T)fmod(x, y)
#define LDEXP(x, y) (T)ldexpl(x, REFERENCE(clamp)(y))   /* rounded once, overflow included */
#define FRACTION(x) REFERENCE(fraction)(x)
#define MANTISSA(x) REFERENCE(mantissa)(x, &(int){0})
#define EXPONENT(x) REFERENCE(exponent)(x)
#define SPACING(x) REFERENCE(spacing)(x)
#define SIGNBIT(x) (signbit(x) != 0)
#define DEGREE ((T)3.14159265358979323846264338327950288L / (T)180)
#define RADIAN ((T)180 / (T)3.14159265358979323846264338327950288L)
#define ADD(x, y) ((x) + (y))
#define SUB(x, y) ((x) - (y))
#define MUL(x, y) ((x) * (y))
#define DIV(x, y) ((x) / (y))
#define FLOORDIV(x, y) REFERENCE(floor_divide)(x, y)
#define MOD(x, y) REFERENCE(remainder)(x, y)
#define POW(x, y) WIDE(pow, x, y)
#define MAX(x, y) REFERENCE(larger)(x, y)
#define MIN(x, y) REFERENCE(smaller)(x, y)
#define FMAX(x, y) fmaxl(x, y)
#define FMIN(x, y) fminl(x, y)
#include "compare_words.h"
#define ISNAN(x) (isnan(x) != 0)
#define ISINF(x) (isinf(x) != 0)
#define ISFINITE(x) (isfinite(x) != 0)
#define ZERO 0
#define ONE 1
/* No reals have these; random numbers have tests of their own. */
#define BNOT(x) 0
#define BAND(x, y) 0
#define BOR(x, y) 0
#define BXOR(x, y) 0
#define SHL(x, y) 0
#define SHR(x, y) 0
#define GCD(x, y) 0
#define LCM(x, y) 0
#define POPCOUNT(x) 0
#define UNIFORM(x, y) 0
#define NORMAL(x, y) 0
#define RAW64(x, y) 0
#define BOUNDED(x, y, z) 0
#define GAMMA(x, y, z) 0
#define BETA(x, y, z) 0
#define POISSON(x, y) 0
#define BINOMIAL(x, y, z) 0

static wide_real REFERENCE(reference)(int op, T x, T y, T z)
{
    switch (op) {
#define EW1(name, types, rule, value, ...) case HD_OP_##name: return (wide_real)(value);
#define EW2 EW1
#define EW3 EW1
#include "ops/elementwise/ew.def"
    }
    return (void)z, NAN;
}

#include "loops_reference_end.h"
