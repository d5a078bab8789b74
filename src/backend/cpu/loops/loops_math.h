/* SPDX-License-Identifier: BSD-3-Clause */
/* loops_math.h - loops of functions on vectors of the real type.
 * Wants      R (float or double), R_IS_DOUBLE
 * Invariant  every element goes through the same function whatever its place: the last vector is
 *            filled up, never finished by a scalar function, whose last bits differ */
#include <string.h>

#include "backend/cpu/loops/loops_vec.h"

typedef R hdi_vr __attribute__((vector_size(HDI_VEC_BYTES)));
enum { R_LANES = HDI_VEC_BYTES / (int)sizeof(R) };
typedef hdi_vr (*vec_function1)(hdi_vr);
typedef hdi_vr (*vec_function2)(hdi_vr, hdi_vr);

static inline hdi_vr vec_load(const void *from)
{
    hdi_vr v;
    memcpy(&v, from, sizeof v);
    return v;
}

static inline hdi_vr vec_of(const void *element)
{
    R one;
    memcpy(&one, element, sizeof one);
    return one - (hdi_vr){0};   /* minus, so that -0 stays itself */
}

/* The first n elements, and the last of them in the other lanes: a number of the same kind costs
 * no more than it does itself. vec_store_part writes n elements. */
static inline hdi_vr vec_load_part(const void *from, int64_t n);
static inline void vec_store_part(void *to, hdi_vr v, int64_t n);

#if defined(__AVX512F__) && defined(__AVX512DQ__)

#if R_IS_DOUBLE
#define VEC_MASK(n) (__mmask8)((1u << (n)) - 1)
#define VEC_INTRINSIC(name) _mm512_##name##_pd
typedef __m512d vec_raw;
#else
#define VEC_MASK(n) (__mmask16)((1u << (n)) - 1)
#define VEC_INTRINSIC(name) _mm512_##name##_ps
typedef __m512 vec_raw;
#endif

static inline hdi_vr vec_load_part(const void *from, int64_t n)
{
    const hdi_vr last = vec_of((const char *)from + (n - 1) * (int64_t)sizeof(R));
    return (hdi_vr)VEC_INTRINSIC(mask_loadu)((vec_raw)last, VEC_MASK(n), from);
}

static inline void vec_store_part(void *to, hdi_vr v, int64_t n)
{
    VEC_INTRINSIC(mask_storeu)(to, VEC_MASK(n), (vec_raw)v);
}

#elif defined(__AVX2__)

#if R_IS_DOUBLE
#define VEC_MASK(n) _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3))
#define VEC_INTRINSIC(name) _mm256_##name##_pd
typedef __m256d vec_raw;
#else
#define VEC_MASK(n) \
    _mm256_cmpgt_epi32(_mm256_set1_epi32((int)(n)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7))
#define VEC_INTRINSIC(name) _mm256_##name##_ps
typedef __m256 vec_raw;
#endif

static inline hdi_vr vec_load_part(const void *from, int64_t n)
{
    const hdi_vr last = vec_of((const char *)from + (n - 1) * (int64_t)sizeof(R));
    const vec_raw first = VEC_INTRINSIC(maskload)(from, VEC_MASK(n));
    return (hdi_vr)VEC_INTRINSIC(blendv)((vec_raw)last, first, (vec_raw)VEC_MASK(n));
}

static inline void vec_store_part(void *to, hdi_vr v, int64_t n)
{
    VEC_INTRINSIC(maskstore)(to, VEC_MASK(n), (vec_raw)v);
}

#else

static inline hdi_vr vec_load_part(const void *from, int64_t n)
{
    R lane[R_LANES];
    for (int64_t i = 0; i < R_LANES; i++)
        memcpy(&lane[i], (const char *)from + (i < n ? i : n - 1) * (int64_t)sizeof(R), sizeof(R));
    return vec_load(lane);
}

static inline void vec_store_part(void *to, hdi_vr v, int64_t n)
{
    memcpy(to, &v, (size_t)n * sizeof(R));
}

#endif

static inline void vec_store(void *to, hdi_vr v)
{
    memcpy(to, &v, sizeof v);
}

HDI_INLINE void vec_map1(void *out, const void *in, int64_t n, vec_function1 f)
{
    char *o = out;
    const char *x = in;
    for (; n >= R_LANES; n -= R_LANES, o += HDI_VEC_BYTES, x += HDI_VEC_BYTES)
        vec_store(o, f(vec_load(x)));
    if (n > 0)
        vec_store_part(o, f(vec_load_part(x, n)), n);
}

HDI_INLINE void vec_map2(void *out, const void *const *in, int64_t n, int variant,
                         vec_function2 f)
{
    char *o = out;
    const char *x = in[0], *y = in[1];
    const hdi_vr x0 = vec_of(x), y0 = vec_of(y);
    for (; n >= R_LANES; n -= R_LANES, o += HDI_VEC_BYTES, x += HDI_VEC_BYTES, y += HDI_VEC_BYTES)
        vec_store(o, f(variant == HDI_SV ? x0 : vec_load(x), variant == HDI_VS ? y0 : vec_load(y)));
    if (n > 0)
        vec_store_part(o, f(variant == HDI_SV ? x0 : vec_load_part(x, n),
                            variant == HDI_VS ? y0 : vec_load_part(y, n)), n);
}
