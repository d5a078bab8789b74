/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of products under a moving window, of every type: integers wrap, so signed ones are done as
 * unsigned ones; complex ones are four sums of reals. */
#include "backend/cpu/loops/loops_symbols.h"
#include "backend/cpu/loops/loops_vec.h"

#ifdef __clang__
#define HDI_CORRELATE_UNROLL
#else
#define HDI_CORRELATE_UNROLL _Pragma("GCC unroll 8")
#endif

/* Vectors of a row that are in registers: twice as many sums, and what is multiplied. */
#if defined(__AVX512F__)
enum { HDI_CORRELATE_VECTORS = 8 };
#else
enum { HDI_CORRELATE_VECTORS = 4 };
#endif

/* Products of reals are fused with their sum, where there is an instruction for it. */
#if defined(__AVX512F__)
#define FUSED(suffix, x, y, a) _mm512_fmadd_##suffix(x, y, a)
#elif defined(__FMA__)
#define FUSED(suffix, x, y, a) _mm256_fmadd_##suffix(x, y, a)
#else
#define FUSED(suffix, x, y, a) ((x) * (y) + (a))
#endif

#define DTYPE FLOAT32
#define T float
#define NAME correlate_float32_
#define MULTIPLY_ADD(x, y, a) FUSED(ps, x, y, a)
#define PLUS(x, y) ((x) + (y))
#include "backend/cpu/loops/loops_correlate.h"

#define DTYPE FLOAT64
#define T double
#define NAME correlate_float64_
#define MULTIPLY_ADD(x, y, a) FUSED(pd, x, y, a)
#define PLUS(x, y) ((x) + (y))
#include "backend/cpu/loops/loops_correlate.h"

#define DTYPE BOOL
#define T uint8_t
#define NAME correlate_bool_
#define MULTIPLY_ADD(x, y, a) ((a) | ((x) & (y)))
#define PLUS(x, y) ((x) | (y))
#include "backend/cpu/loops/loops_correlate.h"

#define DTYPE UINT8
#define T uint8_t
#define NAME correlate_uint8_
#define MULTIPLY_ADD(x, y, a) ((a) + (x) * (y))
#define PLUS(x, y) ((x) + (y))
#include "backend/cpu/loops/loops_correlate.h"

#define DTYPE UINT16
#define T uint16_t
#define NAME correlate_uint16_
#define MULTIPLY_ADD(x, y, a) ((a) + (x) * (y))
#define PLUS(x, y) ((x) + (y))
#include "backend/cpu/loops/loops_correlate.h"

#define DTYPE UINT32
#define T uint32_t
#define NAME correlate_uint32_
#define MULTIPLY_ADD(x, y, a) ((a) + (x) * (y))
#define PLUS(x, y) ((x) + (y))
#include "backend/cpu/loops/loops_correlate.h"

#define DTYPE UINT64
#define T uint64_t
#define NAME correlate_uint64_
#define MULTIPLY_ADD(x, y, a) ((a) + (x) * (y))
#define PLUS(x, y) ((x) + (y))
#include "backend/cpu/loops/loops_correlate.h"
