/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_vecmath.h - libmvec's vector functions, looked up at their first use: the library need not
 * be there.
 * Threads    any; a look-up that two threads do at once has the same result
 * Start at   hdi_vecmath() */
#ifndef HDI_CPU_VECMATH_H
#define HDI_CPU_VECMATH_H

#include <stdbool.h>

typedef enum hdi_vecfn {
#define MATH1(f, ...) HDI_VEC_##f,
#define MATH2(f, ...) HDI_VEC_##f,
#include "ops/elementwise/math/functions.def"
    HDI_VECFN_COUNT
} hdi_vecfn;

/* What a vector takes and gives depends on the instruction set: the caller, compiled for it,
 * casts to the type it knows. */
typedef void (*hdi_veccode)(void);

/* hdi_vecmath - f on vectors of double or float as wide as that instruction set has them:
 * HDI_VEC_SSE 16 bytes, AVX2 32, AVX512 64. NULL where libmvec does not have it, or functions.def
 * says that our own is better: the caller uses that for every element then. */
enum { HDI_VEC_SSE, HDI_VEC_AVX2, HDI_VEC_AVX512, HDI_VEC_WIDTHS };
hdi_veccode hdi_vecmath(hdi_vecfn f, bool is_double, int width);

/* hdi_vecmath_own - while it is set hdi_vecmath() gives this thread NULL: the loops then compute
 * the texts, whose bits are a GPU's. */
extern _Thread_local bool hdi_vecmath_own;

/* hdi_vecmath_off - test aid: true makes hdi_vecmath() answer NULL to everything. */
void hdi_vecmath_off(bool off);

#endif
