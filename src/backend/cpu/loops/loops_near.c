/* SPDX-License-Identifier: BSD-3-Clause */
/* What libmvec's functions miss beside zero, where the result is known: its cosine of float32 is
 * not 1 for many of the arguments so small that it should be, and its asinh is not the argument for
 * some of them, but its neighbour. A function here calls libmvec's and puts that right; both tiers
 * are given the function here. */
#include "backend/cpu/loops/loops_near.h"

#include "backend/cpu/loops/loops_symbols.h"
#include "backend/cpu/loops/loops_vec.h"

#define NEAR_(isa) hdi_near_##isa
#define NEAR(isa) NEAR_(isa)
/* the largest x whose cosine 1 - x^2/2 is rounded to 1, x^2 being 2^-24; x - x^3/6 is rounded to x
 * there, too, and for float64 from 2^-27 on */
#define LARGEST_32 0x1p-12f
#define LARGEST_64 0x1p-27

typedef float near32 __attribute__((vector_size(HDI_VEC_BYTES)));
typedef int32_t bits32 __attribute__((vector_size(HDI_VEC_BYTES)));
typedef double near64 __attribute__((vector_size(HDI_VEC_BYTES)));
typedef int64_t bits64 __attribute__((vector_size(HDI_VEC_BYTES)));

static near32 (*cos32)(near32);
static near32 (*asinh32)(near32);
static near64 (*asinh64)(near64);

static bits32 is_small32(near32 x)
{
    return (near32)((bits32)x & INT32_MAX) <= LARGEST_32;
}

static near32 near_cos32(near32 x)
{
    const near32 r = cos32(x), one = (near32){0} + 1.0f;
    const bits32 is_one = is_small32(x);
    return (near32)((is_one & (bits32)one) | (~is_one & (bits32)r));
}

static near32 near_asinh32(near32 x)
{
    const bits32 r = (bits32)asinh32(x), same = is_small32(x);
    return (near32)((same & (bits32)x) | (~same & r));
}

static near64 near_asinh64(near64 x)
{
    const bits64 r = (bits64)asinh64(x),
                 same = (near64)((bits64)x & INT64_MAX) <= LARGEST_64;
    return (near64)((same & (bits64)x) | (~same & r));
}

hdi_veccode NEAR(HDI_ISA)(hdi_vecfn f, bool is_double, hdi_veccode code)
{
    if (f == HDI_VEC_cos && !is_double) {
        cos32 = (near32 (*)(near32))code;
        return (hdi_veccode)near_cos32;
    }
    if (f == HDI_VEC_asinh && is_double) {
        asinh64 = (near64 (*)(near64))code;
        return (hdi_veccode)near_asinh64;
    }
    if (f == HDI_VEC_asinh) {
        asinh32 = (near32 (*)(near32))code;
        return (hdi_veccode)near_asinh32;
    }
    return code;
}
