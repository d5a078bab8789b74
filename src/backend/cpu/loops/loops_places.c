/* SPDX-License-Identifier: BSD-3-Clause */
/* Places: byte offsets that indices mean, and those where flags are set. */
#include <string.h>

#include "backend/cpu/loops/loops_symbols.h"
#if defined(__SSE2__)
#include <immintrin.h>
#endif

/* ---- of indices ------------------------------------------------------------------------------ */

HDI_INLINE int64_t within(int64_t v, int64_t extent)
{
    v += v >> 63 & extent;
    return (uint64_t)v < (uint64_t)extent ? v : 0;
}

#define INDEX_LOOP(bits, bytes)                                                                 \
    void HDI_SYM3(places, index, bytes)(int64_t *offset, const void *index, int64_t n,          \
                                        int64_t extent, int64_t step)                           \
    {                                                                                           \
        typedef int##bits##_t loose __attribute__((may_alias, aligned(1)));                     \
        const loose *v = index;                                                                 \
        HDI_NO_DEPENDENCE                                                                       \
        for (int64_t j = 0; j < n; j++)                                                         \
            offset[j] = (int64_t)((uint64_t)within(v[j], extent) * (uint64_t)step);             \
    }
INDEX_LOOP(32, 4)
INDEX_LOOP(64, 8)

/* ---- of flags -------------------------------------------------------------------------------- */

enum { WORD = 64 };              /* flags that are looked at together */

#if defined(__AVX512BW__)
HDI_INLINE uint64_t word_of(const uint8_t *flag)
{
    const __m512i v = _mm512_loadu_si512(flag);
    return _mm512_test_epi8_mask(v, v);
}
#elif defined(__AVX2__)
HDI_INLINE uint64_t word_of(const uint8_t *flag)
{
    uint64_t unset = 0;
    for (int k = 0; k < 2; k++) {
        const __m256i v = _mm256_loadu_si256((const void *)(flag + 32 * k));
        unset |= (uint64_t)(uint32_t)_mm256_movemask_epi8(
                     _mm256_cmpeq_epi8(v, _mm256_setzero_si256())) << 32 * k;
    }
    return ~unset;
}
#elif defined(__SSE2__)
HDI_INLINE uint64_t word_of(const uint8_t *flag)
{
    uint64_t unset = 0;
    for (int k = 0; k < 4; k++) {
        const __m128i v = _mm_loadu_si128((const void *)(flag + 16 * k));
        unset |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_setzero_si128()))
                 << 16 * k;
    }
    return ~unset;
}
#else
HDI_INLINE uint64_t word_of(const uint8_t *flag)
{
    uint64_t set = 0;
    for (int k = 0; k < WORD; k++)
        set |= (uint64_t)(flag[k] != 0) << k;
    return set;
}
#endif

/* Of the last flags, fewer than WORD. */
HDI_INLINE uint64_t last_word(const uint8_t *flag, int64_t n)
{
    uint64_t set = 0;
    for (int64_t k = 0; k < n; k++)
        set |= (uint64_t)(flag[k] != 0) << k;
    return set;
}

int64_t HDI_SYM3(places, flags, count)(const uint8_t *flag, int64_t n)
{
    int64_t found = 0, i = 0;
    for (; i + WORD <= n; i += WORD)
        found += __builtin_popcountll(word_of(flag + i));
    return found + __builtin_popcountll(last_word(flag + i, n - i));
}

#if defined(__AVX512DQ__)
enum { MANY = 12 };              /* bits that are worth all lanes */

/* Numbers of the bits of a word, times step, from `first` on: eight lanes at a time. Whole vectors
 * are stored: stores by a mask wait long where lanes left out lie in a page nobody has touched. */
HDI_INLINE int64_t *put_many(int64_t *at, uint64_t word, int64_t first, int64_t step)
{
    const __m512i eight = _mm512_set1_epi64(8 * step);
    __m512i number = _mm512_add_epi64(
        _mm512_mullo_epi64(_mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0), _mm512_set1_epi64(step)),
        _mm512_set1_epi64(first));
    for (int k = 0; k < WORD / 8; k++, word >>= 8) {
        const int many = __builtin_popcountll(word & 0xff);
        _mm512_storeu_si512(at, _mm512_maskz_compress_epi64((__mmask8)word, number));
        at += many;
        number = _mm512_add_epi64(number, eight);
    }
    return at;
}
#endif

/* room: what may be written of `at`, no less than there are bits. */
HDI_INLINE int64_t *put_word(int64_t *at, int64_t room, uint64_t word, int64_t first, int64_t step)
{
#if defined(__AVX512DQ__)
    const int many = __builtin_popcountll(word);
    if (many > MANY && many + 8 <= room)
        return put_many(at, word, first, step);
#else
    (void)room;
#endif
    for (; word != 0; word &= word - 1)
        *at++ = first + step * __builtin_ctzll(word);
    return at;
}

int64_t HDI_SYM3(places, flags, find)(int64_t *at, int64_t room, const uint8_t *flag, int64_t n,
                                      int64_t first, int64_t step)
{
    int64_t *const start = at, i = 0;
    for (; i < n; i += WORD) {
        const uint64_t word = i + WORD <= n ? word_of(flag + i) : last_word(flag + i, n - i);
        const int64_t left = room - (at - start);
        if (__builtin_popcountll(word) > left)
            break;
        at = put_word(at, left, word, first + i * step, step);
    }
    return at - start;
}
