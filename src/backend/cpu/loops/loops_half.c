/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops of float16 and bfloat16. Casts from and to float32, and from float64 to float16, are
 * here; the others are two of these, block by block. */
#define FLOAT_T float
#define FLOAT_SUFFIX f
#define FLOAT_BITS 32
#include <fenv.h>

#include "backend/cpu/loops/loops_half.h"
#include "backend/cpu/loops/loops_vec.h"
#include "backend/cpu/loops/loops_vocab_float.h"
#include "core/half.h"

typedef uint16_t half_operand __attribute__((may_alias, aligned(1)));
typedef double double_operand __attribute__((may_alias, aligned(1)));
#define CAST(FROM, TO) void HDI_SYM3(cast, FROM, TO)(void *out, const void *in, int64_t n)

/* ---- from and to float32 --------------------------------------------------------------------- */

/* Rounding with integers raises no flags of its own: those of a finite number that became
 * infinite, or of one that lost bits below the smallest normal number. (Sizes are compared as
 * integers: a comparison of reals raises a flag of its own at nan.) */
HDI_INLINE uint32_t size_of(float x)
{
    return (hdi_float_bits){x}.bits & 0x7fffffff;
}

HDI_INLINE uint32_t overflowed(float x, uint16_t h, uint16_t inf)
{
    return ((h & 0x7fff) == inf) & (size_of(x) < HDI_FLOAT_INF);
}

static void raise_faults(uint32_t overflow, uint32_t underflow, uint32_t invalid)
{
    if (overflow | underflow | invalid)
        feraiseexcept((overflow ? FE_OVERFLOW : 0) | (underflow ? FE_UNDERFLOW : 0) |
                      (invalid ? FE_INVALID : 0));
}

#if defined(__F16C__)

/* The instructions round by the mode in force and raise what they must. */
CAST(FLOAT16, FLOAT32)
{
    operand *o = out;
    const half_operand *x = in;
    int64_t i = 0;
#if defined(__AVX512F__)
    for (; i + 16 <= n; i += 16)
        _mm512_storeu_ps(o + i, _mm512_cvtph_ps(_mm256_loadu_si256((const void *)(x + i))));
#endif
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_ps((float *)(o + i), _mm256_cvtph_ps(_mm_loadu_si128((const void *)(x + i))));
    for (; i < n; i++)
        o[i] = _cvtsh_ss(x[i]);
}

CAST(FLOAT32, FLOAT16)
{
    enum { NEAREST = _MM_FROUND_TO_NEAREST_INT };
    half_operand *o = out;
    const operand *x = in;
    int64_t i = 0;
#if defined(__AVX512F__)
    for (; i + 16 <= n; i += 16)
        _mm256_storeu_si256((void *)(o + i), _mm512_cvtps_ph(_mm512_loadu_ps(x + i), NEAREST));
#endif
    for (; i + 8 <= n; i += 8)
        _mm_storeu_si128((void *)(o + i),
                         _mm256_cvtps_ph(_mm256_loadu_ps((const float *)(x + i)), NEAREST));
    for (; i < n; i++)
        o[i] = _cvtss_sh(x[i], NEAREST);
}

#else

CAST(FLOAT16, FLOAT32)
{
    operand *o = out;
    const half_operand *x = in;
    HDI_NO_DEPENDENCE
    for (int64_t i = 0; i < n; i++)
        o[i] = hdi_from_f16(x[i]);
}

/* Beside 0.5 a float32 has the last bit of the smallest float16. */
HDI_INLINE uint32_t vanished(float x)
{
    const float size = LIBM(fabs)(x), rounded = (size + 0.5f) - 0.5f;
    return (size_of(x) < 113u << 23) & (rounded != size);
}

CAST(FLOAT32, FLOAT16)
{
    half_operand *o = out;
    const operand *x = in;
    uint32_t overflow = 0, underflow = 0;
    HDI_NO_DEPENDENCE
    for (int64_t i = 0; i < n; i++) {
        const float xi = x[i];
        const uint16_t h = hdi_to_f16(xi);
        overflow |= overflowed(xi, h, HDI_F16_INF);
        underflow |= vanished(xi);
        o[i] = h;
    }
    raise_faults(overflow, underflow, 0);
}

#endif

CAST(BFLOAT16, FLOAT32)
{
    operand *o = out;
    const half_operand *x = in;
    HDI_NO_DEPENDENCE
    for (int64_t i = 0; i < n; i++)
        o[i] = hdi_from_bf16(x[i]);
}

CAST(FLOAT32, BFLOAT16)
{
    half_operand *o = out;
    const operand *x = in;
    uint32_t overflow = 0;
    HDI_NO_DEPENDENCE
    for (int64_t i = 0; i < n; i++) {
        const float xi = x[i];
        const uint16_t h = hdi_to_bf16(xi);
        overflow |= overflowed(xi, h, HDI_BF16_INF);
        o[i] = h;
    }
    raise_faults(overflow, 0, 0);
}

/* ---- other casts ----------------------------------------------------------------------------- */

enum { BLOCK = 128 };

CAST(FLOAT64, FLOAT16)
{
    float odd[BLOCK];
    half_operand *o = out;
    const double_operand *x = in;
    for (int64_t m; n > 0; n -= m, o += m, x += m) {
        m = n < BLOCK ? n : BLOCK;
        for (int64_t i = 0; i < m; i++)
            odd[i] = hdi_odd_float(x[i]);
        HDI_SYM3(cast, FLOAT32, FLOAT16)(o, odd, m);
    }
}

/* A cast in two steps; elements of at most 8 bytes between them. */
HDI_INLINE void by_way(void *out, const void *in, int64_t n, int64_t to, int64_t from,
                       hdi_cast_loop first, hdi_cast_loop second)
{
    double between[BLOCK];
    for (int64_t i = 0, m; i < n; i += m) {
        m = n - i < BLOCK ? n - i : BLOCK;
        first(between, (const char *)in + i * from, m);
        second((char *)out + i * to, between, m);
    }
}

#define BY_WAY(FROM, VIA, TO, from, to)                                                            \
    CAST(FROM, TO)                                                                                 \
    {                                                                                              \
        by_way(out, in, n, to, from, HDI_SYM3(cast, FROM, VIA), HDI_SYM3(cast, VIA, TO));          \
    }
#define BOTH_WAYS(HALF, D, size) \
    BY_WAY(HALF, FLOAT32, D, 2, size) BY_WAY(D, FLOAT32, HALF, size, 2)
#define WITH_HALF(HALF, OTHER)                                                                     \
    BOTH_WAYS(HALF, BOOL, 1) BOTH_WAYS(HALF, INT8, 1) BOTH_WAYS(HALF, UINT8, 1)                    \
    BOTH_WAYS(HALF, INT16, 2) BOTH_WAYS(HALF, UINT16, 2)                                           \
    BOTH_WAYS(HALF, INT32, 4) BOTH_WAYS(HALF, UINT32, 4)                                           \
    BOTH_WAYS(HALF, INT64, 8) BOTH_WAYS(HALF, UINT64, 8) BOTH_WAYS(HALF, COMPLEX64, 8)             \
    BY_WAY(HALF, FLOAT32, OTHER, 2, 2) BY_WAY(HALF, FLOAT32, FLOAT64, 2, 8)                        \
    BY_WAY(HALF, FLOAT32, COMPLEX128, 2, 16)
HDI_EACH_HALF(WITH_HALF)
BY_WAY(FLOAT64, FLOAT32, BFLOAT16, 8, 2)
BY_WAY(COMPLEX128, FLOAT32, BFLOAT16, 16, 2)
BY_WAY(COMPLEX128, FLOAT64, FLOAT16, 16, 2)

/* ---- running results ------------------------------------------------------------------------- */

#if defined(__F16C__)
#define from_FLOAT16(h) _cvtsh_ss(h)
#define to_FLOAT16(x) _cvtss_sh(x, _MM_FROUND_TO_NEAREST_INT)
#else
#define from_FLOAT16 hdi_from_f16
#define to_FLOAT16 hdi_to_f16
#endif
#define from_BFLOAT16 hdi_from_bf16
#define to_BFLOAT16 hdi_to_bf16

#define EMIT_SCAN(name, HALF)                                                                      \
    void HDI_SYM3(scan, name, HALF)(void *out, const void *x, int64_t n, void *carry)              \
    {                                                                                              \
        const half_operand *e = x;                                                                 \
        half_operand *o = out, a = *(const half_operand *)carry;                                   \
        for (int64_t i = 0; i < n; i++)                                                            \
            o[i] = a = to_##HALF(scan_##name(from_##HALF(a), from_##HALF(e[i])));                  \
        *(half_operand *)carry = a;                                                                \
    }
#define SCAN(name, of, types, combine, doc)                                                        \
    HDI_INLINE T scan_##name(T a, T x) { return combine; }                                         \
    EMIT_SCAN(name, FLOAT16)                                                                       \
    EMIT_SCAN(name, BFLOAT16)
#include "ops/scan/scan.def"

/* ---- neighbours ------------------------------------------------------------------------------ */

/* Numbers of one sign are ordered as their bits are. Of equal numbers (0 and -0) NumPy's float16
 * gives the first one, ml_dtypes' bfloat16 the second. */
HDI_INLINE uint16_t next(uint16_t x, uint16_t y, uint16_t inf, bool is_f16)
{
    const uint32_t a = x & 0x7fff, b = y & 0x7fff;
    const bool nan = (a > inf) | (b > inf), equal = (x == y) | ((a | b) == 0);
    const bool shrinks = (a > b) | ((x ^ y) >> 15 != 0);
    const uint32_t moved = a == 0 ? (y & 0x8000u) + 1 : shrinks ? x - 1u : x + 1u;
    const uint32_t quiet = (uint32_t)inf | (uint32_t)(is_f16 ? 0x200 : 0x40);
    return (uint16_t)(nan ? quiet : equal ? (is_f16 ? x : y) : moved);
}

/* As NumPy has it: never negative, and of a negative power of 2 the distance to the number that is
 * nearer to 0. */
HDI_INLINE uint16_t spacing_FLOAT16(uint16_t h)
{
    const uint32_t size = h & 0x7fff, exponent = size & 0x7c00;
    const uint32_t below = (h & 0x8000) && (h & 0x3ff) == 0;
    const uint32_t drop = 0x2800 + (below << 10), shift = (exponent >> 10) - 1 - below;
    const uint32_t finite = exponent > drop       ? exponent - drop
                            : exponent > 0x0400   ? 1u << (shift & 31)
                                                  : 1;
    return (uint16_t)(size >= HDI_F16_INF ? 0x7e00 : h == 0x7bff ? HDI_F16_INF : finite);
}

/* As ml_dtypes has it, and as wider reals: with the sign of x. */
HDI_INLINE uint16_t spacing_BFLOAT16(uint16_t h)
{
    const uint16_t away = (uint16_t)((h & 0x8000) | HDI_BF16_INF);
    return hdi_to_bf16(hdi_from_bf16(next(h, away, HDI_BF16_INF, false)) - hdi_from_bf16(h));
}

HDI_INLINE uint16_t next_FLOAT16(uint16_t x, uint16_t y)
{
    return next(x, y, HDI_F16_INF, true);
}

HDI_INLINE uint16_t next_BFLOAT16(uint16_t x, uint16_t y)
{
    return next(x, y, HDI_BF16_INF, false);
}

#define inf_FLOAT16 HDI_F16_INF
#define inf_BFLOAT16 HDI_BF16_INF
#define EMIT_NEXT(HALF, variant, xi, yi)                                                           \
    void HDI_SYM(ew, nextafter, HALF, variant)(void *out, const void *const *in, int64_t n)        \
    {                                                                                              \
        half_operand *o = out;                                                                     \
        const half_operand *x = in[0], *y = in[1];                                                 \
        const uint16_t x0 = x[0], y0 = y[0];                                                       \
        uint32_t overflow = 0;                                                                     \
        (void)x0, (void)y0;                                                                        \
        HDI_NO_DEPENDENCE                                                                          \
        for (int64_t i = 0; i < n; i++) {                                                          \
            const uint16_t from = xi, to = next_##HALF(from, yi);                                  \
            overflow |= ((to & 0x7fff) == inf_##HALF) & ((from & 0x7fff) < inf_##HALF);            \
            o[i] = to;                                                                             \
        }                                                                                          \
        raise_faults(overflow, 0, 0);                                                              \
    }
#define EMIT_NEIGHBOURS(HALF, OTHER)                                                               \
    void HDI_SYM(ew, spacing, HALF, vv)(void *out, const void *const *in, int64_t n)               \
    {                                                                                              \
        half_operand *o = out;                                                                     \
        const half_operand *x = in[0];                                                             \
        uint32_t overflow = 0, invalid = 0;                                                        \
        HDI_NO_DEPENDENCE                                                                          \
        for (int64_t i = 0; i < n; i++) {                                                          \
            const uint16_t r = spacing_##HALF(x[i]);                                               \
            overflow |= (r & 0x7fff) == inf_##HALF;                                                \
            invalid |= (r & 0x7fff) > inf_##HALF;                                                  \
            o[i] = r;                                                                              \
        }                                                                                          \
        raise_faults(overflow, 0, invalid);                                                        \
    }                                                                                              \
    EMIT_NEXT(HALF, vv, x[i], y[i])                                                                \
    EMIT_NEXT(HALF, vs, x[i], y0)                                                                  \
    EMIT_NEXT(HALF, sv, x0, y[i])
HDI_EACH_HALF(EMIT_NEIGHBOURS)
