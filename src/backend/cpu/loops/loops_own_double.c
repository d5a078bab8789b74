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
