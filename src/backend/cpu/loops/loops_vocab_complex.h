/* SPDX-License-Identifier: BSD-3-Clause */
/* loops_vocab_complex.h - the vocabulary of ew.def and red.def for complex numbers, as pairs of
 * reals.
 * Wants      R (float or double), R_SUFFIX, R_BITS (an unsigned integer as wide)
 * Invariant  NumPy's formulas (loops.c.src, funcs.inc.src, npy_math_complex.c.src): products
 *            plain, quotients Smith's, order lexicographic, nan if either part is
 * Source     Smith: Algorithm 116: Complex division (1962)
 *
 * Pairs and not C's _Complex, whose products look for infinities in the C standard's way and so
 * do not become vectors. */
typedef R REAL_OF_T;
typedef struct { R re, im; } __attribute__((may_alias, packed)) T;
typedef T operand;

#define R_LIBM(f) HDI_CAT(__builtin_##f, R_SUFFIX)
#define R_INF ((R)__builtin_inf())
#define R_NAN R_LIBM(nan)("")
#define ZERO ((T){0, 0})
#define ONE ((T){1, 0})

static inline uint8_t v_isnan(T x) { return (x.re != x.re) | (x.im != x.im); }
static inline uint8_t truth(T x) { return (x.re != 0) | (x.im != 0); }
static inline T v_select(uint8_t c, T a, T b) { return (T){c ? a.re : b.re, c ? a.im : b.im}; }
static inline T v_neg(T x) { return (T){-x.re, -x.im}; }
static inline T v_conj(T x) { return (T){x.re, -x.im}; }
static inline T v_add(T x, T y) { return (T){x.re + y.re, x.im + y.im}; }
static inline T v_sub(T x, T y) { return (T){x.re - y.re, x.im - y.im}; }

/* -x by its sign bit. A product is written re * re + flipped(im) * im and not with a minus,
 * since gcc 12 makes one fused multiply-add instruction of every pair (a * b - c, d * e + f),
 * -ffp-contract=off or not. */
static inline R flipped(R x)
{
    union { R real; R_BITS bits; } u = {x};
    u.bits ^= (R_BITS)1 << (sizeof(R) * 8 - 1);
    return u.real;
}

static inline T v_mul(T x, T y)
{
    return (T){x.re * y.re + flipped(x.im) * y.im, x.re * y.im + x.im * y.re};
}

/* Every product rounds once, with the sum it goes to. */
static inline T v_fma(T x, T y, T a)
{
    return (T){R_LIBM(fma)(-x.im, y.im, R_LIBM(fma)(x.re, y.re, a.re)),
               R_LIBM(fma)(x.im, y.re, R_LIBM(fma)(x.re, y.im, a.im))};
}

/* Smith's quotient, scaled by the larger part of y; written with selects in place of branches. */
static inline T v_div(T x, T y)
{
    const R by_re = R_LIBM(fabs)(y.re), by_im = R_LIBM(fabs)(y.im);
    const int re_larger = by_re >= by_im;
    const R large = re_larger ? y.re : y.im, small = re_larger ? y.im : y.re;
    const R ratio = small / large, scale = 1 / (large + small * ratio);
    const R re = re_larger ? x.re + x.im * ratio : x.re * ratio + x.im;
    const R im = re_larger ? x.im + flipped(x.re) * ratio : x.im * ratio + flipped(x.re);
    const int by_zero = (by_re == 0) & (by_im == 0);
    return (T){by_zero ? x.re / by_re : re * scale, by_zero ? x.im / by_im : im * scale};
}

static inline T v_recip(T x)
{
    const int re_larger = R_LIBM(fabs)(x.im) <= R_LIBM(fabs)(x.re);
    const R large = re_larger ? x.re : x.im, small = re_larger ? x.im : x.re;
    const R ratio = small / large, d = large + small * ratio;
    return (T){(re_larger ? 1 : ratio) / d, -(re_larger ? ratio : 1) / d};
}

/* Lexicographic; a nan in an imaginary part makes the real parts incomparable too, as far as
 * NumPy looks. */
static inline uint8_t v_lt(T x, T y)
{
    return ((x.re < y.re) & (x.im == x.im) & (y.im == y.im)) | ((x.re == y.re) & (x.im < y.im));
}

static inline uint8_t v_le(T x, T y)
{
    return ((x.re < y.re) & (x.im == x.im) & (y.im == y.im)) | ((x.re == y.re) & (x.im <= y.im));
}

static inline uint8_t v_eq(T x, T y) { return (x.re == y.re) & (x.im == y.im); }
static inline T v_max(T x, T y) { return v_select(v_isnan(x) | v_le(y, x), x, y); }
static inline T v_min(T x, T y) { return v_select(v_isnan(x) | v_le(x, y), x, y); }
static inline T v_fmax(T x, T y) { return v_select(v_isnan(y) | v_le(y, x), x, y); }
static inline T v_fmin(T x, T y) { return v_select(v_isnan(y) | v_le(x, y), x, y); }
static inline uint8_t v_isinf(T x)
{
    return (R_LIBM(fabs)(x.re) == R_INF) | (R_LIBM(fabs)(x.im) == R_INF);
}
static inline uint8_t v_isfinite(T x)
{
    return (R_LIBM(fabs)(x.re) < R_INF) & (R_LIBM(fabs)(x.im) < R_INF);
}

/* x / |x|. Where the modulus is infinite, the infinite part wins; two of them have no direction
 * (as NumPy has it, down to a modulus that overflows from finite parts). */
static inline T v_sign_by(T x, R modulus)
{
    const int re_inf = R_LIBM(fabs)(x.re) == R_INF, im_inf = R_LIBM(fabs)(x.im) == R_INF;
    if (modulus == 0)
        return ZERO;
    if (modulus < R_INF)
        return (T){x.re / modulus, x.im / modulus};
    if (modulus != modulus || (re_inf && im_inf))
        return (T){R_NAN, R_NAN};
    return re_inf ? (T){x.re > 0 ? 1 : -1, 0} : (T){0, x.im > 0 ? 1 : -1};
}

static inline R v_abs(T x) { return R_LIBM(hypot)(x.re, x.im); }
static inline T v_sign(T x) { return v_sign_by(x, v_abs(x)); }

static inline T c_rint(T x) { return (T){R_LIBM(rint)(x.re), R_LIBM(rint)(x.im)}; }

#define PART_RE(x) ((x).re)
#define PART_IM(x) ((x).im)
#define NEG(x) v_neg(x)
#define ABS(x) v_abs(x)
#define SIGN(x) v_sign(x)
#define CONJ(x) v_conj(x)
#define RECIP(x) v_recip(x)

#define ADD(x, y) v_add(x, y)
#define SUB(x, y) v_sub(x, y)
#define MUL(x, y) v_mul(x, y)
#define DIV(x, y) v_div(x, y)
#define FMA(x, y, a) v_fma(x, y, a)
#define MAX(x, y) v_max(x, y)
#define MIN(x, y) v_min(x, y)
#define FMAX(x, y) v_fmax(x, y)
#define FMIN(x, y) v_fmin(x, y)

#define LT(x, y) v_lt(x, y)
#define LE(x, y) v_le(x, y)
#define GT(x, y) v_lt(y, x)
#define GE(x, y) v_le(y, x)
#define EQ(x, y) v_eq(x, y)
#define NE(x, y) (uint8_t)!v_eq(x, y)
#define AND(x, y) ((uint8_t)(truth(x) & truth(y)))
#define OR(x, y) ((uint8_t)(truth(x) | truth(y)))
#define XOR(x, y) ((uint8_t)(truth(x) ^ truth(y)))
#define NOT(x) ((uint8_t)!truth(x))
#define SELECT(c, a, b) v_select(c, a, b)
#define ISNAN(x) v_isnan(x)
#define ISINF(x) v_isinf(x)
#define ISFINITE(x) v_isfinite(x)
#define FROM_INDEX(i) ((T){(R)(i), 0})
