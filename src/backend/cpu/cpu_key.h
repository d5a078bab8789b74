/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_key.h - unsigned integers in the order of the elements of a dtype, as NumPy sorts them: nan
 * last, the zeros equal, complex numbers by real part, then by imaginary part.
 * Invariant  equal keys exactly where neither element comes before the other. A key is as wide as
 *            its element; that of a complex128 is two words
 * Threads    pure
 * Start at   hdi_cpu_key() */
#ifndef HDI_CPU_KEY_H
#define HDI_CPU_KEY_H

#include <string.h>

#include "core/dtype.h"
#include "core/half.h"

/* HDI_CPU_BY_DTYPE - macro M(DTYPE) for the dtype in the switch: M's inlined functions see a
 * constant. */
#define HDI_CPU_BY_DTYPE(dt, M)                      \
    switch (dt) {                                    \
    case HD_BOOL: case HD_UINT8: M(HD_UINT8); break; \
    case HD_INT8: M(HD_INT8); break;                 \
    case HD_INT16: M(HD_INT16); break;               \
    case HD_INT32: M(HD_INT32); break;               \
    case HD_INT64: M(HD_INT64); break;               \
    case HD_UINT16: M(HD_UINT16); break;             \
    case HD_UINT32: M(HD_UINT32); break;             \
    case HD_UINT64: M(HD_UINT64); break;             \
    case HD_FLOAT16: M(HD_FLOAT16); break;           \
    case HD_BFLOAT16: M(HD_BFLOAT16); break;         \
    case HD_FLOAT32: M(HD_FLOAT32); break;           \
    case HD_FLOAT64: M(HD_FLOAT64); break;           \
    case HD_COMPLEX64: M(HD_COMPLEX64); break;       \
    default: M(HD_COMPLEX128); break;                \
    }

#define HDI_CPU_INLINE static inline __attribute__((always_inline))

/* The bits of one element of at most eight bytes; of larger ones, of the first eight. */
HDI_CPU_INLINE uint64_t hdi_cpu_bits(const void *p, hd_dtype dt)
{
    uint8_t b;
    uint16_t h;
    uint32_t w;
    uint64_t q;
    switch (hdi_dtypes[dt].size) {
    case 1: memcpy(&b, p, 1); return b;
    case 2: memcpy(&h, p, 2); return h;
    case 4: memcpy(&w, p, 4); return w;
    default: memcpy(&q, p, 8); return q;
    }
}

/* The key of the bits of a real number: sign is its sign bit, inf the bits of infinity. */
HDI_CPU_INLINE uint64_t hdi_cpu_float_key(uint64_t bits, uint64_t sign, uint64_t inf)
{
    const uint64_t size = bits & (sign - 1), all = sign | (sign - 1);
    uint64_t key = bits & sign ? ~bits & all : bits | sign;
    key = size == 0 ? sign : key;
    return size > inf ? all : key;
}

/* Both words of a complex number, from the keys of its parts. All numbers without nan come before
 * those whose imaginary part alone is nan; these are in the order of the real parts. */
HDI_CPU_INLINE void hdi_cpu_complex_key(uint64_t re, uint64_t im, uint64_t all, uint64_t *high,
                                        uint64_t *low)
{
    const bool aside = im == all && re != all;
    *high = aside ? all - 1 : re;
    *low = aside ? re : im;
}

enum { HDI_CPU_F32_INF = 0x7f800000 };
#define HDI_CPU_F64_INF ((uint64_t)0x7ff << 52)

/* hdi_cpu_key - of a complex128, the first word; hdi_cpu_key_low - its second word. */
HDI_CPU_INLINE void hdi_cpu_key128(const void *p, uint64_t *high, uint64_t *low)
{
    uint64_t part[2];
    memcpy(part, p, sizeof part);
    for (int k = 0; k < 2; k++)
        part[k] = hdi_cpu_float_key(part[k], (uint64_t)1 << 63, HDI_CPU_F64_INF);
    hdi_cpu_complex_key(part[0], part[1], UINT64_MAX, high, low);
}

HDI_CPU_INLINE uint64_t hdi_cpu_key(const void *p, hd_dtype dt)
{
    uint64_t high, low;
    uint32_t part[2];
    switch (dt) {
    case HD_INT8: return hdi_cpu_bits(p, dt) ^ 0x80;
    case HD_INT16: return hdi_cpu_bits(p, dt) ^ 0x8000;
    case HD_INT32: return hdi_cpu_bits(p, dt) ^ 0x80000000;
    case HD_INT64: return hdi_cpu_bits(p, dt) ^ (uint64_t)1 << 63;
    case HD_FLOAT16: return hdi_cpu_float_key(hdi_cpu_bits(p, dt), 0x8000, HDI_F16_INF);
    case HD_BFLOAT16: return hdi_cpu_float_key(hdi_cpu_bits(p, dt), 0x8000, HDI_BF16_INF);
    case HD_FLOAT32:
        return hdi_cpu_float_key(hdi_cpu_bits(p, dt), 0x80000000, HDI_CPU_F32_INF);
    case HD_FLOAT64:
        return hdi_cpu_float_key(hdi_cpu_bits(p, dt), (uint64_t)1 << 63, HDI_CPU_F64_INF);
    case HD_COMPLEX64:
        memcpy(part, p, sizeof part);
        hdi_cpu_complex_key(hdi_cpu_float_key(part[0], 0x80000000, HDI_CPU_F32_INF),
                            hdi_cpu_float_key(part[1], 0x80000000, HDI_CPU_F32_INF), UINT32_MAX,
                            &high, &low);
        return high << 32 | low;
    case HD_COMPLEX128: hdi_cpu_key128(p, &high, &low); return high;
    default: return hdi_cpu_bits(p, dt);
    }
}

HDI_CPU_INLINE uint64_t hdi_cpu_key_low(const void *p)
{
    uint64_t high, low;
    hdi_cpu_key128(p, &high, &low);
    return low;
}

#endif
