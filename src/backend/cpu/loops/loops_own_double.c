/* SPDX-License-Identifier: BSD-3-Clause */
/* Our own functions of float64, and those of float32 that are computed in float64. */
#define MATH_BITS 64
#include "backend/cpu/loops/loops_own.h"

#define MATH1(f, ...) OWN_LOOP1(f, FLOAT64)
#define MATH2(f, ...) OWN_LOOP2(f, FLOAT64)
#include "ops/elementwise/math/functions.def"

/* ---- float32 --------------------------------------------------------------------------------- */

/* As many floats as a register has doubles. */
typedef float half __attribute__((vector_size(HDI_VEC_BYTES / 2)));

OWN real widened(const void *from, int64_t n)   /* the last of them in the lanes beyond n */
{
    half x;
    if (n >= LANES) {
        memcpy(&x, from, sizeof x);
    } else {
        float lane[LANES];
        for (int i = 0; i < LANES; i++)
            memcpy(&lane[i], (const char *)from + (i < n ? i : (int)n - 1) * 4, 4);
        memcpy(&x, lane, sizeof x);
    }
#if defined(__AVX512F__) && defined(__AVX512DQ__)
    return (real)_mm512_cvtps_pd((__m256)x);   /* gcc's own conversion takes it in halves */
#else
    return __builtin_convertvector(x, real);
#endif
}

OWN void narrow(void *to, real r, int64_t n)
{
    const half h = __builtin_convertvector(r, half);
    memcpy(to, &h, n >= LANES ? sizeof h : (size_t)n * 4);
}

OWN void wide_map(void *out, const void *const *in, int64_t n, int variant, vec_function1 f1,
                  vec_function2 f2)
{
    const float *x = in[0], *y = f2 != NULL ? in[1] : NULL;
    const real x0 = widened(x, 1), y0 = f2 != NULL ? widened(y, 1) : x0;
    for (int64_t i = 0; i < n; i += LANES) {
        const real a = variant == HDI_SV ? x0 : widened(x + i, n - i);
        if (f2 == NULL)
            narrow((float *)out + i, f1(a), n - i);
        else
            narrow((float *)out + i, f2(a, variant == HDI_VS ? y0 : widened(y + i, n - i)), n - i);
    }
}

#define LOOP1_SINGLE(f)
#define LOOP2_SINGLE(f)
#define LOOP1_WIDE(f) \
    OWN_LOOP(f, FLOAT32) { wide_map(out, in, n, variant, NAME(wide_##f), NULL); }
#define LOOP2_WIDE(f) \
    OWN_LOOP(f, FLOAT32) { wide_map(out, in, n, variant, NULL, NAME(wide_##f)); }
#define MATH1(f, body32, ...) LOOP1_##body32(f)
#define MATH2(f, body32, ...) LOOP2_##body32(f)
#include "ops/elementwise/math/functions.def"

/* ---- complex --------------------------------------------------------------------------------- */

typedef pair (*complex_function1)(const real, const real);
typedef pair (*complex_function2)(const real, const real, const real, const real);

/* Lanes of two registers, one after the other: each second one, and one of each by turns. */
#if defined(__AVX512F__) && defined(__AVX512DQ__)
#define EVEN 0, 2, 4, 6, 8, 10, 12, 14
#define ODD 1, 3, 5, 7, 9, 11, 13, 15
#define LOWER 0, 8, 1, 9, 2, 10, 3, 11
#define UPPER 4, 12, 5, 13, 6, 14, 7, 15
#elif defined(__AVX2__)
#define EVEN 0, 2, 4, 6
#define ODD 1, 3, 5, 7
#define LOWER 0, 4, 1, 5
#define UPPER 2, 6, 3, 7
#else
#define EVEN 0, 2
#define ODD 1, 3
#define LOWER EVEN
#define UPPER ODD
#endif
typedef float singles __attribute__((vector_size(HDI_VEC_BYTES)));

/* A register of real parts, one of imaginary ones; the last number in the lanes beyond n. */
OWN pair apart(const void *from, int64_t n, bool is_double)
{
    const size_t size = is_double ? 16 : 8;
    char all[LANES * 16];
    if (n < LANES) {
        for (int64_t i = 0; i < LANES; i++)
            memcpy(all + (size_t)i * size, (const char *)from + (size_t)(i < n ? i : n - 1) * size,
                   size);
        from = all;
    }
    if (is_double) {
        const real x = vec_load(from), y = vec_load((const char *)from + sizeof x);
        return (pair){__builtin_shufflevector(x, y, EVEN), __builtin_shufflevector(x, y, ODD)};
    }
    singles s;
    memcpy(&s, from, sizeof s);
    return (pair){__builtin_convertvector(__builtin_shufflevector(s, s, EVEN), real),
                  __builtin_convertvector(__builtin_shufflevector(s, s, ODD), real)};
}

OWN void together(void *to, pair r, int64_t n, bool is_double)
{
    const real x = __builtin_shufflevector(r.hi, r.lo, LOWER);
    const real y = __builtin_shufflevector(r.hi, r.lo, UPPER);
    const half s = __builtin_convertvector(x, half), t = __builtin_convertvector(y, half);
    const size_t part = is_double ? sizeof x : sizeof s;
    char all[LANES * 16], *at = n < LANES ? all : to;
    memcpy(at, is_double ? (const void *)&x : &s, part);
    memcpy(at + part, is_double ? (const void *)&y : &t, part);
    if (n < LANES)
        memcpy(to, all, (size_t)n * 2 * part / LANES);
}

OWN void complex_map(void *out, const void *const *in, int64_t n, int variant, bool is_double,
                     complex_function1 f1, complex_function2 f2)
{
    const char *x = in[0], *y = f2 != NULL ? in[1] : NULL;
    const int size = is_double ? 16 : 8;
    const pair x0 = apart(x, 1, is_double), y0 = f2 != NULL ? apart(y, 1, is_double) : x0;
    for (int64_t i = 0; i < n; i += LANES) {
        const pair a = variant == HDI_SV ? x0 : apart(x + i * size, n - i, is_double);
        const pair b = f2 == NULL || variant == HDI_VS ? y0
                                                       : apart(y + i * size, n - i, is_double);
        together((char *)out + i * size,
                 f2 != NULL ? f2(a.hi, a.lo, b.hi, b.lo) : f1(a.hi, a.lo), n - i, is_double);
    }
}

/* One copy of each text for both types. */
#define COMPLEX_LOOPS(f, f1, f2)                                                                   \
    static void complex_##f(void *out, const void *const *in, int64_t n, int variant,              \
                            bool is_double)                                                        \
    {                                                                                              \
        complex_map(out, in, n, variant, is_double, f1, f2);                                       \
    }                                                                                              \
    OWN_LOOP(f, COMPLEX64) { complex_##f(out, in, n, variant, false); }                            \
    OWN_LOOP(f, COMPLEX128) { complex_##f(out, in, n, variant, true); }
#define COMPLEX1(f) COMPLEX_LOOPS(f, NAME(c_##f), NULL)
#define COMPLEX2(f) COMPLEX_LOOPS(f, NULL, NAME(c_##f))
#include "ops/elementwise/math/functions_complex.def"
