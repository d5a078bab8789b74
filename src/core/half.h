/* SPDX-License-Identifier: BSD-3-Clause */
/* half.h - the half types bit by bit: float16 (5 bits of exponent, 10 of fraction) and bfloat16,
 * the upper half of a float32.
 * Invariant  what is narrowed is rounded to the nearest, ties to even, with overflow to infinity
 *            and subnormal results. nan keeps its sign and the upper bits of its payload and
 *            becomes quiet, as the processor's own instructions (F16C) have it: they give the same
 *            bits as these functions for every input. No branches, so that loops become vectors
 * Threads    pure
 * Start at   hdi_to_f16() */
#ifndef HDI_HALF_H
#define HDI_HALF_H

#include <stdbool.h>
#include <stdint.h>

typedef union hdi_float_bits { float real; uint32_t bits; } hdi_float_bits;

#define HDI_FLOAT_INF 0x7f800000u
enum { HDI_F16_INF = 0x7c00, HDI_BF16_INF = 0x7f80 };

static inline float hdi_from_bf16(uint16_t h)
{
    return (hdi_float_bits){.bits = (uint32_t)h << 16}.real;
}

static inline uint16_t hdi_to_bf16(float x)
{
    const uint32_t b = (hdi_float_bits){x}.bits;
    const uint32_t nan = b >> 16 | 0x40, rounded = (b + 0x7fff + (b >> 16 & 1)) >> 16;
    return (uint16_t)((b & 0x7fffffff) > HDI_FLOAT_INF ? nan : rounded);
}

static inline float hdi_from_f16(uint16_t h)
{
    const uint32_t sign = (uint32_t)(h & 0x8000) << 16, size = (uint32_t)(h & 0x7fff) << 13;
    const uint32_t above = size >= (uint32_t)HDI_F16_INF << 13 ? 255u - 31u : 127u - 15u;
    const uint32_t quiet = size > (uint32_t)HDI_F16_INF << 13 ? 0x400000 : 0;
    const uint32_t normal = (size + (above << 23)) | quiet;
    /* a subnormal number as what it adds to the smallest normal one's exponent */
    hdi_float_bits tiny = {.bits = size + (113u << 23)};
    tiny.real -= 0x1p-14f;
    return (hdi_float_bits){.bits = sign | (size < 1u << 23 ? tiny.bits : normal)}.real;
}

static inline uint16_t hdi_to_f16(float x)
{
    const uint32_t b = (hdi_float_bits){x}.bits, size = b & 0x7fffffff;
    const uint32_t nan = 0x7e00 | (size >> 13 & 0x3ff);
    const uint32_t normal = (size - (112u << 23) + 0xfff + (size >> 13 & 1)) >> 13;
    /* beside 0.5 the last bit of a float32 counts the smallest float16's: the sum rounds */
    const hdi_float_bits tiny = {(hdi_float_bits){.bits = size}.real + 0.5f};
    const uint32_t finite = size < 113u << 23 ? tiny.bits - 0x3f000000u : normal;
    const uint32_t large = size > HDI_FLOAT_INF ? nan : (uint32_t)HDI_F16_INF;
    return (uint16_t)((b >> 16 & 0x8000) | (size >= 143u << 23 ? large : finite));
}

/* hdi_odd_float - x cut to a float32 whose last bit is 1 if anything was lost: rounded once more
 * to a half type it is x rounded once, since float32 has more than two bits more. */
static inline float hdi_odd_float(double x)
{
    hdi_float_bits r = {(float)x};
    const double back = (double)r.real;
    const double size = back < 0 ? -back : back, want = x < 0 ? -x : x;
    r.bits = (r.bits - (size > want)) | (back != x);
    return r.real;
}

#endif
