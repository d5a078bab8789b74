/* SPDX-License-Identifier: BSD-3-Clause */
/* loops_own.h - our own mathematical functions on vectors of the instruction set at hand: what the
 * words of ops/elementwise/math mean in C.
 * Wants      MATH_BITS 32 or 64
 * Invariant  the operations that the text names and no others, so that generated code, which has
 *            the same text, gives the same bits
 * Start at   ops/elementwise/math/bodies.def for the words, loops_own_*.c for the loops */
#include "backend/cpu/loops/loops_symbols.h"

#if MATH_BITS == 64
#define R double
#define R_IS_DOUBLE 1
typedef int64_t I;
typedef uint64_t U;
#else
#define R float
#define R_IS_DOUBLE 0
typedef int32_t I;
typedef uint32_t U;
#endif
#include "backend/cpu/loops/loops_math.h"

typedef hdi_vr real;
typedef I whole __attribute__((vector_size(HDI_VEC_BYTES)));
typedef U bare __attribute__((vector_size(HDI_VEC_BYTES)));
typedef struct pair { real hi, lo; } pair;
enum { LANES = R_LANES };

#define OWN HDI_INLINE

OWN real w_k(R c) { return c - (real){0}; }   /* minus, so that -0 stays itself */
OWN whole w_ik(I c) { return (whole){0} + c; }

/* ---- instructions that C has no operator for ------------------------------------------------- */

#if defined(__AVX512F__) && defined(__AVX512DQ__)
#if MATH_BITS == 64
typedef __mmask8 mask;
typedef __m512d raw;
#define W_NAME(f) _mm512_##f##_pd
#define W_COMPARE(a, b, how) _mm512_cmp_pd_mask((raw)(a), (raw)(b), how)
#define W_ICOMPARE(a, b, how) _mm512_cmp_epi64_mask((__m512i)(a), (__m512i)(b), how)
#else
typedef __mmask16 mask;
typedef __m512 raw;
#define W_NAME(f) _mm512_##f##_ps
#define W_COMPARE(a, b, how) _mm512_cmp_ps_mask((raw)(a), (raw)(b), how)
#define W_ICOMPARE(a, b, how) _mm512_cmp_epi32_mask((__m512i)(a), (__m512i)(b), how)
#endif
#define LT(a, b) W_COMPARE(a, b, _CMP_LT_OQ)
#define LE(a, b) W_COMPARE(a, b, _CMP_LE_OQ)
#define GT(a, b) W_COMPARE(a, b, _CMP_GT_OQ)
#define GE(a, b) W_COMPARE(a, b, _CMP_GE_OQ)
#define EQ(a, b) W_COMPARE(a, b, _CMP_EQ_OQ)
#define NE(a, b) W_COMPARE(a, b, _CMP_NEQ_UQ)
#define ILT(a, b) W_ICOMPARE(a, b, _MM_CMPINT_LT)
#define IEQ(a, b) W_ICOMPARE(a, b, _MM_CMPINT_EQ)
#define AND(c, d) ((mask)((c) & (d)))
#define OR(c, d) ((mask)((c) | (d)))
#define NOT(c) ((mask)~(c))
OWN bool w_any(mask c) { return c != 0; }
OWN real w_select(mask c, real a, real b)
{
    return (real)W_NAME(mask_blend)(c, (raw)b, (raw)a);
}
OWN real w_round(real x, const int how)
{
    return (real)(how == 0   ? W_NAME(roundscale)((raw)x, 8)
                  : how == 1 ? W_NAME(roundscale)((raw)x, 9)
                             : W_NAME(roundscale)((raw)x, 11));
}

#else
typedef whole mask;
#define ILT(a, b) ((mask)((a) < (b)))
#define IEQ(a, b) ((mask)((a) == (b)))
#define AND(c, d) ((c) & (d))
#define OR(c, d) ((c) | (d))
#define NOT(c) (~(c))

#if defined(__AVX2__)
#if MATH_BITS == 64
typedef __m256d raw;
#define W_NAME(f) _mm256_##f##_pd
#else
typedef __m256 raw;
#define W_NAME(f) _mm256_##f##_ps
#endif
#elif defined(__SSE4_1__)
#if MATH_BITS == 64
typedef __m128d raw;
#define W_NAME(f) _mm_##f##_pd
#else
typedef __m128 raw;
#define W_NAME(f) _mm_##f##_ps
#endif
#endif

#if defined(__AVX2__)   /* quiet of nan, as C's operators are not */
#define W_COMPARE(a, b, how) ((mask)W_NAME(cmp)((raw)(a), (raw)(b), how))
#define LT(a, b) W_COMPARE(a, b, _CMP_LT_OQ)
#define LE(a, b) W_COMPARE(a, b, _CMP_LE_OQ)
#define GT(a, b) W_COMPARE(a, b, _CMP_GT_OQ)
#define GE(a, b) W_COMPARE(a, b, _CMP_GE_OQ)
#else
#define LT(a, b) ((mask)((a) < (b)))
#define LE(a, b) ((mask)((a) <= (b)))
#define GT(a, b) ((mask)((a) > (b)))
#define GE(a, b) ((mask)((a) >= (b)))
#endif
#define EQ(a, b) ((mask)((a) == (b)))
#define NE(a, b) ((mask)((a) != (b)))

#if defined(__SSE4_1__)
OWN bool w_any(mask c) { return W_NAME(movemask)((raw)c) != 0; }
OWN real w_select(mask c, real a, real b)
{
    return (real)W_NAME(blendv)((raw)b, (raw)a, (raw)c);
}
OWN real w_round(real x, const int how)
{
    return (real)(how == 0   ? W_NAME(round)((raw)x, 8)
                  : how == 1 ? W_NAME(round)((raw)x, 9)
                             : W_NAME(round)((raw)x, 11));
}
#else
OWN bool w_any(mask c)
{
    I any = 0;
    for (int i = 0; i < LANES; i++)
        any |= c[i];
    return any != 0;
}
OWN real w_select(mask c, real a, real b)
{
    return (real)((c & (whole)a) | (~c & (whole)b));
}
OWN real w_round(real x, const int how)
{
    for (int i = 0; i < LANES; i++)
        x[i] = (R)(how == 0   ? __builtin_rint(x[i])
                   : how == 1 ? __builtin_floor(x[i])
                              : __builtin_trunc(x[i]));
    return x;
}
#endif
#endif

#if defined(W_NAME)
OWN real w_sqrt(real x) { return (real)W_NAME(sqrt)((raw)x); }
#else
OWN real w_sqrt(real x)
{
    for (int i = 0; i < LANES; i++)
        x[i] = (R)__builtin_sqrt(x[i]);   /* of float too: rounding twice is harmless here */
    return x;
}
#endif

#if defined(__FMA__)
OWN real w_fma(real a, real b, real c)
{
    return (real)W_NAME(fmadd)((raw)a, (raw)b, (raw)c);
}
#define IF_FUSED(a, b) (a)
#else
OWN real w_fma(real a, real b, real c) { return a * b + c; }
#define IF_FUSED(a, b) (b)
#endif

/* ---- words ----------------------------------------------------------------------------------- */

#define K(c) w_k((R)(c))
#define IK(c) w_ik((I)(c))
#define ADD(a, b) ((a) + (b))
#define SUB(a, b) ((a) - (b))
#define MUL(a, b) ((a) * (b))
#define DIV(a, b) ((a) / (b))
#define NEG(a) (-(a))
#define FMA(a, b, c) w_fma(a, b, c)
#define SQRT(a) w_sqrt(a)
#define RINT(a) w_round(a, 0)
#define FLOOR(a) w_round(a, 1)
#define TRUNC(a) w_round(a, 2)
#define ABS(a) ((real)((whole)(a) & ~w_ik(SIGN_BIT)))
#define COPYSIGN(a, s) ((real)(((whole)(a) & ~w_ik(SIGN_BIT)) | ((whole)(s) & w_ik(SIGN_BIT))))
#define SELECT(c, a, b) w_select(c, a, b)
#define BITS(a) ((whole)(a))
#define REAL(i) ((real)(i))
#define IADD(a, b) ((whole)((bare)(a) + (bare)(b)))
#define ISUB(a, b) ((whole)((bare)(a) - (bare)(b)))
#define IMUL(a, b) ((whole)((bare)(a) * (bare)(b)))
#define IAND(a, b) ((a) & (b))
#define IOR(a, b) ((a) | (b))
#define IXOR(a, b) ((a) ^ (b))
#define ISHL(a, n) ((whole)((bare)(a) << (n)))
#define ISHR(a, n) ((whole)((bare)(a) >> (n)))
#define ISHLV(a, n) ((whole)((bare)(a) << (bare)(n)))
#define ISHRV(a, n) ((whole)((bare)(a) >> (bare)(n)))
#define ISELECT(c, a, b) ((whole)w_select(c, (real)(a), (real)(b)))
#define TABLE(name, n, ...) static const U table_##name[n] = {__VA_ARGS__};
#define LOOKUP(name, i) w_lookup(table_##name, i)
#define IHIGH(a, b) w_high(a, b)
#define TO_REAL(i) __builtin_convertvector(i, real)
#define HI(p) ((p).hi)
#define LO(p) ((p).lo)
#define LET(name, ...) const real name = __VA_ARGS__;
#define ILET(name, ...) const whole name = __VA_ARGS__;
#define MLET(name, ...) const mask name = __VA_ARGS__;
#define PLET(name, ...) const pair name = __VA_ARGS__;

OWN whole w_lookup(const U *table, whole i)
{
    whole r;
    for (int k = 0; k < LANES; k++)
        r[k] = (I)table[i[k]];
    return r;
}

#if MATH_BITS == 64
OWN whole w_high(whole a, whole b)
{
    whole r;
    for (int k = 0; k < LANES; k++)
        r[k] = (I)((unsigned __int128)(U)a[k] * (U)b[k] >> 64);
    return r;
}
#endif

OWN real w_poly(real x, const R *c, int n)
{
    real p = w_k(c[n - 1]);
#pragma GCC unroll 32
    for (int i = n - 2; i >= 0; i--)
        p = w_fma(p, x, w_k(c[i]));
    return p;
}
#define POLY(x, ...)                                           \
    ({                                                         \
        static const R c_[] = {__VA_ARGS__};                   \
        w_poly(x, c_, (int)(sizeof c_ / sizeof *c_));          \
    })

#define NAME(f) own_##f
#define CALL(f, ...) NAME(f)(__VA_ARGS__)
#define FUNCTION1(f, a) OWN real NAME(f)(const real a) {
#define FUNCTION2(f, a, b) OWN real NAME(f)(const real a, const real b) {
#define FUNCTION3(f, a, b, c) OWN real NAME(f)(const real a, const real b, const real c) {
#define PFUNCTION1(f, a) OWN pair NAME(f)(const real a) {
#define PFUNCTION2(f, a, b) OWN pair NAME(f)(const real a, const real b) {
#define PFUNCTION3(f, a, b, c) OWN pair NAME(f)(const real a, const real b, const real c) {
#define PFUNCTION4(f, a, b, c, d) \
    OWN pair NAME(f)(const real a, const real b, const real c, const real d) {
#define RESULT(...) return __VA_ARGS__;
#define RESULT_PAIR(hi, lo) return (pair){hi, lo};
#define END }

/* In whole registers; a lane's bits depend on that lane only. */
#define RARE1(f, a) static __attribute__((noinline, unused)) real NAME(f)(const real a) {
#define RARE3(f, a, b, c)                                                                          \
    static __attribute__((noinline, unused)) real NAME(f)(const real a, const real b,              \
                                                          const real c) {
#define RARELY(c, rare, common)                       \
    ({                                                \
        const mask c_ = (c);                          \
        real r_ = (common);                           \
        if (__builtin_expect(w_any(c_), 0))           \
            r_ = w_select(c_, rare, r_);              \
        r_;                                           \
    })

#include "ops/elementwise/math/bodies.def"

/* ---- loops ----------------------------------------------------------------------------------- */

#define OWN_LOOP(f, dt) \
    void HDI_OWN(f, dt)(void *out, const void *const *in, int64_t n, int variant)
#define OWN_LOOP1(f, dt)                     \
    OWN_LOOP(f, dt)                          \
    {                                        \
        (void)variant;                       \
        vec_map1(out, in[0], n, NAME(f));    \
    }
#define OWN_LOOP2(f, dt)                     \
    OWN_LOOP(f, dt)                          \
    {                                        \
        vec_map2(out, in, n, variant, NAME(f)); \
    }
