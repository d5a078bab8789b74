/* SPDX-License-Identifier: BSD-3-Clause */
/* loops_vec.h - the vectors of the instruction set at hand, for the few loops that do not come
 * from plain C. */
#ifndef HDI_LOOPS_VEC_H
#define HDI_LOOPS_VEC_H

#include "backend/cpu/cpu_vecmath.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__) && defined(__AVX512DQ__)
enum { HDI_VEC_BYTES = 64, HDI_VEC_WIDTH = HDI_VEC_AVX512 };
#elif defined(__AVX2__)
enum { HDI_VEC_BYTES = 32, HDI_VEC_WIDTH = HDI_VEC_AVX2 };
#else
enum { HDI_VEC_BYTES = 16, HDI_VEC_WIDTH = HDI_VEC_SSE };
#endif

typedef uint64_t hdi_vu64 __attribute__((vector_size(HDI_VEC_BYTES)));
enum { HDI_VU64_LANES = HDI_VEC_BYTES / 8 };

/* HDI_PICK(v, at) - piece at[i] of v for each i, in pieces of four bytes. Only where there is an
 * instruction for it. */
typedef uint32_t hdi_vu32 __attribute__((vector_size(HDI_VEC_BYTES)));
/* anywhere in memory; gcc makes two halves of a memcpy(), whose loads then wait for both stores */
typedef hdi_vu32 hdi_vu32_any __attribute__((aligned(1), may_alias));
#if defined(__AVX512F__) && defined(__AVX512DQ__)
#define HDI_PICK(v, at) ((hdi_vu32)_mm512_permutexvar_epi32((__m512i)(at), (__m512i)(v)))
#elif defined(__AVX2__)
#define HDI_PICK(v, at) ((hdi_vu32)_mm256_permutevar8x32_epi32((__m256i)(v), (__m256i)(at)))
#endif

/* hdi_mul32 - products of the low halves of the 64-bit lanes: one instruction, which gcc does
 * not find by itself. */
static inline hdi_vu64 hdi_mul32(hdi_vu64 a, hdi_vu64 b)
{
#if defined(__AVX512F__) && defined(__AVX512DQ__)
    return (hdi_vu64)_mm512_mul_epu32((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
    return (hdi_vu64)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)
    return (hdi_vu64)_mm_mul_epu32((__m128i)a, (__m128i)b);
#else
    return (a & 0xffffffffu) * (b & 0xffffffffu);
#endif
}

#endif
