/* SPDX-License-Identifier: BSD-3-Clause */
/* Words of 4 and 8 bytes in order, by vectors of 32 bytes: those of AVX2, which AVX-512 has more
 * instructions for. */
#include "backend/cpu/loops/loops_symbols.h"

#if defined(__AVX2__)
#include <immintrin.h>
#include <string.h>

#include "base/base.h"

/* Loops over registers are unrolled whole, long ones by four. */
#ifdef __clang__
#define HDI_WHOLE _Pragma("clang loop unroll(full)")
#define HDI_ORDER_UNROLL _Pragma("clang loop unroll_count(4)")
#else
#define HDI_WHOLE _Pragma("GCC unroll 64")
#define HDI_ORDER_UNROLL _Pragma("GCC unroll 4")
#endif

/* Lanes whose bit of m is 1, in order, then those whose bit is 0: numbers of four bits, of the
 * first lane in the lowest. */
#define BIT(m, i) ((unsigned)(m) >> (i) & 1)
#define BEFORE(m, i) __builtin_popcount((unsigned)(m) & ((1u << (i)) - 1))
#define TO(m, i) (BIT(m, i) ? BEFORE(m, i) : __builtin_popcount(m) + (i) - BEFORE(m, i))
#define AT8(m, i) ((unsigned)(i) << 4 * TO(m, i))
#define ROW8(m) (AT8(m, 0) | AT8(m, 1) | AT8(m, 2) | AT8(m, 3) | AT8(m, 4) | AT8(m, 5) | \
                 AT8(m, 6) | AT8(m, 7))
#define AT4(m, i) ((2 * (i) | (2u * (i) + 1) << 4) << 8 * TO(m, i))
#define ROW4(m) (AT4(m, 0) | AT4(m, 1) | AT4(m, 2) | AT4(m, 3))
#define FOUR(R, m) R(m), R((m) + 1), R((m) + 2), R((m) + 3)
#define SIXTEEN(R, m) FOUR(R, m), FOUR(R, (m) + 4), FOUR(R, (m) + 8), FOUR(R, (m) + 12)
#define SIXTY(R, m) SIXTEEN(R, m), SIXTEEN(R, (m) + 16), SIXTEEN(R, (m) + 32), SIXTEEN(R, (m) + 48)
static const uint32_t parted8[256] = {SIXTY(ROW8, 0), SIXTY(ROW8, 64), SIXTY(ROW8, 128),
                                      SIXTY(ROW8, 192)};
static const uint32_t parted4[16] = {SIXTEEN(ROW4, 0)};

enum { MANY = 1 << 12 };          /* words whose middle is worth more than a glance */

/* Networks that sort: the shortest that are known, of 19 and (Green's) of 60 exchanges. */
#define ORDER8(X) X(0, 2) X(1, 3) X(4, 6) X(5, 7) X(0, 4) X(1, 5) X(2, 6) X(3, 7) X(0, 1) \
    X(2, 3) X(4, 5) X(6, 7) X(2, 4) X(3, 5) X(1, 4) X(3, 6) X(1, 2) X(3, 4) X(5, 6)
#define ORDER16(X) X(0, 13) X(1, 12) X(2, 15) X(3, 14) X(4, 8) X(5, 6) X(7, 11) X(9, 10) X(0, 5) \
    X(1, 7) X(2, 9) X(3, 4) X(6, 13) X(8, 14) X(10, 15) X(11, 12) X(0, 1) X(2, 3) X(4, 5) \
    X(6, 8) X(7, 9) X(10, 11) X(12, 13) X(14, 15) X(0, 2) X(1, 3) X(4, 10) X(5, 11) X(6, 7) \
    X(8, 9) X(12, 14) X(13, 15) X(1, 2) X(3, 12) X(4, 6) X(5, 7) X(8, 10) X(9, 11) X(13, 14) \
    X(1, 4) X(2, 6) X(5, 8) X(7, 10) X(9, 13) X(11, 14) X(2, 4) X(3, 6) X(9, 12) X(11, 13) \
    X(3, 5) X(6, 8) X(7, 9) X(10, 12) X(3, 4) X(5, 6) X(7, 8) X(9, 10) X(11, 12) X(6, 7) X(8, 9)

/* Numbers of lanes, for masks of the first n of them. */
static const int32_t lane8[8] = {0, 1, 2, 3, 4, 5, 6, 7};
static const int64_t lane4[4] = {0, 1, 2, 3};

HDI_INLINE __m256i part_by(__m256i v, uint32_t places)
{
    const __m256i shift = _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28);
    return _mm256_permutevar8x32_epi32(
        v, _mm256_srlv_epi32(_mm256_set1_epi32((int)places), shift));
}

/* ---- words of 4 bytes ------------------------------------------------------------------------ */

/* Comparisons are of signed numbers. */
#define SIGNED4(v) _mm256_xor_si256(v, _mm256_set1_epi32(INT32_MIN))
#define SHUFFLE_PS(a, b, at) (__m256i)_mm256_shuffle_ps((__m256)(a), (__m256)(b), at)

HDI_INLINE __m256i first8(int64_t n)
{
    const int most = (int)hdi_max64(hdi_min64(n, 8), 0);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(most),
                              _mm256_loadu_si256((const __m256i *)lane8));
}

HDI_INLINE __m256i load_first8(const uint32_t *p, int64_t n)
{
    const __m256i mask = first8(n), v = _mm256_maskload_epi32((const int *)p, mask);
    return _mm256_or_si256(v, _mm256_andnot_si256(mask, _mm256_set1_epi32(-1)));
}

/* Both vectors at once: lanes that are compared come to lie in two vectors by themselves. */
HDI_INLINE void smooth8(__m256i *x, __m256i *y)
{
    __m256i a = _mm256_permute2x128_si256(*x, *y, 0x20),
            b = _mm256_permute2x128_si256(*x, *y, 0x31), low = _mm256_min_epu32(a, b),
            high = _mm256_max_epu32(a, b);
    a = _mm256_unpacklo_epi64(low, high);
    b = _mm256_unpackhi_epi64(low, high);
    low = _mm256_min_epu32(a, b);
    high = _mm256_max_epu32(a, b);
    a = SHUFFLE_PS(low, high, 0x88);
    b = SHUFFLE_PS(low, high, 0xdd);
    low = _mm256_min_epu32(a, b);    /* 0 4 2 6, and 1 5 3 7 beside it */
    high = _mm256_max_epu32(a, b);
    a = _mm256_unpacklo_epi32(low, high);
    b = _mm256_unpackhi_epi32(low, high);
    low = _mm256_unpacklo_epi64(a, b);
    high = _mm256_unpackhi_epi64(a, b);
    *x = _mm256_permute2x128_si256(low, high, 0x20);
    *y = _mm256_permute2x128_si256(low, high, 0x31);
}

HDI_INLINE void transpose8(__m256i *v)
{
    __m256i a[8], b[8];
    HDI_WHOLE
    for (int i = 0; i < 8; i += 2) {
        a[i] = _mm256_unpacklo_epi32(v[i], v[i + 1]);
        a[i + 1] = _mm256_unpackhi_epi32(v[i], v[i + 1]);
    }
    HDI_WHOLE
    for (int i = 0; i < 8; i += 4) {
        b[i] = _mm256_unpacklo_epi64(a[i], a[i + 2]);
        b[i + 1] = _mm256_unpackhi_epi64(a[i], a[i + 2]);
        b[i + 2] = _mm256_unpacklo_epi64(a[i + 1], a[i + 3]);
        b[i + 3] = _mm256_unpackhi_epi64(a[i + 1], a[i + 3]);
    }
    HDI_WHOLE
    for (int i = 0; i < 4; i++) {
        v[i] = _mm256_permute2x128_si256(b[i], b[i + 4], 0x20);
        v[i + 4] = _mm256_permute2x128_si256(b[i], b[i + 4], 0x31);
    }
}

#define T uint32_t
#define DTYPE UINT32
#define NAME order4_
#define LANES 8
#define vec __m256i
#define LOAD(p) _mm256_loadu_si256((const __m256i *)(p))
#define STORE(p, v) _mm256_storeu_si256((__m256i *)(p), v)
#define LOAD_FIRST(p, n) load_first8(p, n)
#define STORE_FIRST(p, v, n) _mm256_maskstore_epi32((int *)(p), first8(n), v)
#define LOWER(a, b) _mm256_min_epu32(a, b)
#define UPPER(a, b) _mm256_max_epu32(a, b)
#define TURNED(v) _mm256_permutevar8x32_epi32(v, _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0))
#define SMOOTH(a, b) smooth8(&(a), &(b))
#define TRANSPOSE(v) transpose8(v)
#define THRESHOLD(t) SIGNED4(_mm256_set1_epi32((int)(t)))
#define BELOW(v, t) (unsigned)_mm256_movemask_ps((__m256)_mm256_cmpgt_epi32(t, SIGNED4(v)))
#define PARTED(v, below) part_by(v, parted8[below])
typedef __m256i order4_loose __attribute__((aligned(4), may_alias));
#include "backend/cpu/loops/loops_order.h"
#undef T
#undef DTYPE
#undef NAME
#undef LANES
#undef LOAD
#undef STORE
#undef LOAD_FIRST
#undef STORE_FIRST
#undef LOWER
#undef UPPER
#undef TURNED
#undef SMOOTH
#undef TRANSPOSE
#undef THRESHOLD
#undef BELOW
#undef PARTED

/* ---- words of 8 bytes: signed in registers, since that is what can be compared --------------- */

#define SIGNED8(v) _mm256_xor_si256(v, _mm256_set1_epi64x(INT64_MIN))

HDI_INLINE __m256i lower4(__m256i a, __m256i b)
{
#if defined(__AVX512VL__)
    return _mm256_min_epi64(a, b);
#else
    return (__m256i)_mm256_blendv_pd((__m256d)a, (__m256d)b, (__m256d)_mm256_cmpgt_epi64(a, b));
#endif
}

HDI_INLINE __m256i upper4(__m256i a, __m256i b)
{
#if defined(__AVX512VL__)
    return _mm256_max_epi64(a, b);
#else
    return (__m256i)_mm256_blendv_pd((__m256d)b, (__m256d)a, (__m256d)_mm256_cmpgt_epi64(a, b));
#endif
}

HDI_INLINE __m256i first4(int64_t n)
{
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_loadu_si256((const __m256i *)lane4));
}

HDI_INLINE __m256i load_first4(const uint64_t *p, int64_t n)
{
    const __m256i mask = first4(n), v = _mm256_maskload_epi64((const long long *)p, mask);
    return _mm256_blendv_epi8(_mm256_set1_epi64x(INT64_MAX), SIGNED8(v), mask);
}

HDI_INLINE void smooth4(__m256i *x, __m256i *y)
{
    __m256i a = _mm256_permute2x128_si256(*x, *y, 0x20),
            b = _mm256_permute2x128_si256(*x, *y, 0x31), low = lower4(a, b), high = upper4(a, b);
    a = _mm256_unpacklo_epi64(low, high);
    b = _mm256_unpackhi_epi64(low, high);
    low = lower4(a, b);
    high = upper4(a, b);
    a = _mm256_unpacklo_epi64(low, high);
    b = _mm256_unpackhi_epi64(low, high);
    *x = _mm256_permute2x128_si256(a, b, 0x20);
    *y = _mm256_permute2x128_si256(a, b, 0x31);
}

HDI_INLINE void transpose4(__m256i *v)
{
    const __m256i a = _mm256_unpacklo_epi64(v[0], v[1]), b = _mm256_unpackhi_epi64(v[0], v[1]),
                  c = _mm256_unpacklo_epi64(v[2], v[3]), d = _mm256_unpackhi_epi64(v[2], v[3]);
    v[0] = _mm256_permute2x128_si256(a, c, 0x20);
    v[1] = _mm256_permute2x128_si256(b, d, 0x20);
    v[2] = _mm256_permute2x128_si256(a, c, 0x31);
    v[3] = _mm256_permute2x128_si256(b, d, 0x31);
}

#define T uint64_t
#define DTYPE UINT64
#define NAME order8_
#define LANES 4
#define LOAD(p) SIGNED8(_mm256_loadu_si256((const __m256i *)(p)))
#define STORE(p, v) _mm256_storeu_si256((__m256i *)(p), SIGNED8(v))
#define LOAD_FIRST(p, n) load_first4(p, n)
#define STORE_FIRST(p, v, n) \
    _mm256_maskstore_epi64((long long *)(p), first4(n), SIGNED8(v))
#define LOWER(a, b) lower4(a, b)
#define UPPER(a, b) upper4(a, b)
#define TURNED(v) _mm256_permute4x64_epi64(v, 0x1b)
#define SMOOTH(a, b) smooth4(&(a), &(b))
#define TRANSPOSE(v) transpose4(v)
#define THRESHOLD(t) SIGNED8(_mm256_set1_epi64x((int64_t)(t)))
#define BELOW(v, t) (unsigned)_mm256_movemask_pd((__m256d)_mm256_cmpgt_epi64(t, SIGNED8(v)))
#define PARTED(v, below) part_by(v, parted4[below])
typedef __m256i order8_loose __attribute__((aligned(8), may_alias));
#include "backend/cpu/loops/loops_order.h"

#endif
