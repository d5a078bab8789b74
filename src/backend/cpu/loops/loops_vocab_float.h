/* SPDX-License-Identifier: BSD-3-Clause */
/* loops_vocab_float.h - the vocabulary of ew.def and red.def for float and double.
 * Wants      FLOAT_T, FLOAT_SUFFIX (f or nothing: the C library's), FLOAT_BITS
 * Invariant  + - * / sqrt, comparisons and roundings are the machine's, never contracted; NaN
 *            handling is NumPy's
 *
 * Functions that libmvec has for whole vectors are used only where they are the whole value of a
 * row (loops_math.h); inside a larger expression CALL1 is the C library's scalar function. */
typedef FLOAT_T T;
typedef T REAL_OF_T;
typedef T operand __attribute__((may_alias, aligned(1)));

#define ZERO ((T)0)
#define ONE ((T)1)
#define LIBM(f) HDI_CAT(__builtin_##f, FLOAT_SUFFIX)
#define INF ((T)__builtin_inf())
#define DEGREE ((T)3.14159265358979323846264338327950288 / 180)
#define RADIAN (180 / (T)3.14159265358979323846264338327950288)

static inline uint8_t truth(T x) { return x != 0; }
static inline uint8_t v_isnan(T x) { return x != x; }
static inline T v_sign(T x) { return x > 0 ? 1 : x < 0 ? -1 : x == 0 ? 0 : x; }
static inline T v_select(uint8_t c, T a, T b) { return c ? a : b; }

/* Of equal operands (0 and -0) the second one, as in NumPy's vectors; its fmax and fmin give the
 * first one at some places of what is left after whole vectors. One select each: of nested ones
 * gcc makes jumps, and no vectors where clip nests two of these. */
static inline T v_max(T x, T y) { return (!(x <= y) & (y == y)) ? x : y; }
static inline T v_min(T x, T y) { return (!(x >= y) & (y == y)) ? x : y; }
static inline T v_fmax(T x, T y) { return ((x > y) | (y != y)) ? x : y; }
static inline T v_fmin(T x, T y) { return ((x < y) | (y != y)) ? x : y; }

/* Python's floor division and remainder from fmod (after NumPy's npy_divmod): the remainder has
 * the sign of y. */
static inline uint8_t v_signs_differ(T a, T b)   /* of a that is not 0 */
{
    return a != LIBM(copysign)(a, b);
}

static inline T v_mod_of(T y, T fmod)
{
    const T moved = v_signs_differ(fmod, y) ? fmod + y : fmod;   /* nan stays nan */
    return fmod != 0 ? moved : LIBM(copysign)(0, y);
}

/* For y != 0. */
static inline T v_floordiv_of(T x, T y, T fmod)
{
    const T whole = (x - fmod) / y;   /* an integer, but for rounding */
    const T div = v_signs_differ(fmod, y) ? whole - 1 : whole;
    const T floor = LIBM(floor)(div);
    const T snapped = div - floor > (T)0.5 ? floor + 1 : floor;
    return div != 0 ? snapped : LIBM(copysign)(0, x / y);
}

static inline T v_mod(T x, T y) { return v_mod_of(y, LIBM(fmod)(x, y)); }
static inline T v_floordiv(T x, T y)
{
    return y == 0 ? x / y : v_floordiv_of(x, y, LIBM(fmod)(x, y));
}

/* ---- parts of a number ----------------------------------------------------------------------- */

/* What is no number has no fraction, mantissa and exponent of its own: as the C library on Linux
 * has it, nan and inf are their own mantissa, and the exponent is 0. */
static inline T v_fraction(T x)
{
    const T fraction = x - LIBM(trunc)(x);
    return LIBM(fabs)(x) == INF ? LIBM(copysign)(0, x) : LIBM(copysign)(fraction, x);
}

enum {
    FRACTION_BITS = FLOAT_BITS == 64 ? 52 : 23,
    EXPONENT_MASK = FLOAT_BITS == 64 ? 0x7ff : 0xff,
    EXPONENT_OF_HALF = EXPONENT_MASK / 2 - 1,
    RAISED = FRACTION_BITS + 1   /* by so many powers of 2 a subnormal number becomes normal */
};
#define SMALLEST_NORMAL (FLOAT_BITS == 64 ? (T)0x1p-1022 : (T)0x1p-126)
#define RAISING (FLOAT_BITS == 64 ? (T)0x1p53 : (T)0x1p24)

typedef HDI_CAT(HDI_CAT(uint, FLOAT_BITS), _t) bits_of_t;
typedef union real_bits { T real; bits_of_t bits; } real_bits;

static inline real_bits v_normal(T x)
{
    return (real_bits){LIBM(fabs)(x) < SMALLEST_NORMAL ? x * RAISING : x};
}

static inline T v_mantissa(T x)
{
    real_bits m = v_normal(x);
    m.bits = (m.bits & ~((bits_of_t)EXPONENT_MASK << FRACTION_BITS)) |
             (bits_of_t)EXPONENT_OF_HALF << FRACTION_BITS;
    return ((x != 0) & (LIBM(fabs)(x) < INF)) ? m.real : x;
}

static inline int32_t v_exponent(T x)
{
    const T size = LIBM(fabs)(x);
    const int32_t biased = (int32_t)(v_normal(x).bits >> FRACTION_BITS & EXPONENT_MASK);
    const int32_t raised = size < SMALLEST_NORMAL ? RAISED : 0;
    return ((x != 0) & (size < INF)) ? biased - EXPONENT_OF_HALF - raised : 0;
}

static inline T v_ldexp(T x, int64_t by)
{
    return LIBM(ldexp)(x, by > INT32_MAX ? INT32_MAX : by < INT32_MIN ? INT32_MIN : (int)by);
}

/* Numbers of one sign are ordered as their bits are. */
static inline T v_spacing(T x)
{
    real_bits next = {x};
    next.bits = x == 0 ? 1 : next.bits + 1;
    return LIBM(fabs)(x) == INF ? (T)__builtin_nan("") : next.real - x;
}

#define PART_RE(x) (x)
#define PART_IM(x) 0
#define NEG(x) (-(x))
#define ABS(x) LIBM(fabs)(x)
#define SIGN(x) v_sign(x)
#define CONJ(x) (x)
#define RECIP(x) ((T)1 / (x))
#define CALL1(f, x) LIBM(f)(x)
#define CALL2(f, x, y) LIBM(f)(x, y)

#define ADD(x, y) ((x) + (y))
#define SUB(x, y) ((x) - (y))
#define MUL(x, y) ((x) * (y))
#define DIV(x, y) ((x) / (y))
#define FMA(x, y, a) LIBM(fma)(x, y, a)
#define FLOORDIV(x, y) v_floordiv(x, y)
#define MOD(x, y) v_mod(x, y)
#define POW(x, y) LIBM(pow)(x, y)
#define FMOD(x, y) LIBM(fmod)(x, y)
#define LDEXP(x, y) v_ldexp(x, y)
#define FRACTION(x) v_fraction(x)
#define MANTISSA(x) v_mantissa(x)
#define EXPONENT(x) v_exponent(x)
#define SPACING(x) v_spacing(x)
#define SIGNBIT(x) ((uint8_t)(__builtin_signbit(x) != 0))
#define MAX(x, y) v_max(x, y)
#define MIN(x, y) v_min(x, y)
#define FMAX(x, y) v_fmax(x, y)
#define FMIN(x, y) v_fmin(x, y)

#include "backend/cpu/loops/loops_vocab_real.h"
#define SELECT(c, a, b) v_select(c, a, b)
#define ISNAN(x) v_isnan(x)
#define ISINF(x) ((uint8_t)(ABS(x) == INF))
#define ISFINITE(x) ((uint8_t)(ABS(x) < INF))
#define FROM_INDEX(i) ((T)(i))
