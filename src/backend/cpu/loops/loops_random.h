/* SPDX-License-Identifier: BSD-3-Clause */
/* loops_random.h - Philox 4x32-10 and what is drawn from it.
 * Wants      T and operand; FLOAT_T and its kin, and loops_math.h, for the reals
 * Invariant  an element depends on the state and its own position only: same bits in any block,
 *            alone or among neighbours
 * See        docs/design/random.md, the stream that this fixes
 * Source     Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3 (SC 2011) */
#include <string.h>

#include "backend/cpu/loops/loops_vec.h"

/* What in[1] of a BITS row points at. */
typedef struct philox_state { uint64_t key, call; } philox_state;

/* Ten rounds on as many blocks as a vector has lanes; block is their number. A 32-bit word lives
 * in the low half of its lane; the high half holds rubbish that multiplications and the last
 * step ignore. *first is words 0 and 1 as 64 bits, *second words 2 and 3. */
static inline void philox(philox_state s, hdi_vu64 block, hdi_vu64 *first, hdi_vu64 *second)
{
    const hdi_vu64 none = {0}, m0 = none + 0xD2511F53u, m1 = none + 0xCD9E8D57u;
    uint32_t k0 = (uint32_t)s.key, k1 = (uint32_t)(s.key >> 32);
    hdi_vu64 c0 = none + s.call, c1 = none + (s.call >> 32), c2 = block, c3 = block >> 32;
    for (int round = 0; round < 10; round++) {
        const hdi_vu64 p0 = hdi_mul32(c0, m0), p1 = hdi_mul32(c2, m1);
        c0 = (p1 >> 32) ^ c1 ^ (none + k0);
        c1 = p1;
        c2 = (p0 >> 32) ^ c3 ^ (none + k1);
        c3 = p0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    *first = (c0 & 0xffffffffu) | (c1 << 32);
    *second = (c2 & 0xffffffffu) | (c3 << 32);
}

/* A loop works through pieces of this many elements; each has two 64-bit words of a block at
 * most. */
enum { RANDOM_PIECE = 256, RANDOM_WORDS = 2 * (RANDOM_PIECE + HDI_VU64_LANES) };

/* The words of n blocks, two of 64 bits each, rounded up to whole vectors: of consecutive blocks
 * from number[0] on, or of every block in number, which then has room for a vector more. */
static inline void philox_words(philox_state s, const uint64_t *number, bool consecutive, int64_t n,
                                uint64_t *words)
{
    hdi_vu64 block;
    for (int l = 0; l < HDI_VU64_LANES; l++)
        block[l] = number[0] + (uint64_t)l;
    for (int64_t j = 0; j < n; j += HDI_VU64_LANES, words += 2 * HDI_VU64_LANES) {
        hdi_vu64 even, odd;
        if (!consecutive)
            memcpy(&block, number + j, sizeof block);
        philox(s, block, &even, &odd);
#if defined(__AVX512F__) && defined(__AVX512DQ__)
        const hdi_vu64 low = __builtin_shufflevector(even, odd, 0, 8, 1, 9, 2, 10, 3, 11);
        const hdi_vu64 high = __builtin_shufflevector(even, odd, 4, 12, 5, 13, 6, 14, 7, 15);
#elif defined(__AVX2__)
        const hdi_vu64 low = __builtin_shufflevector(even, odd, 0, 4, 1, 5);
        const hdi_vu64 high = __builtin_shufflevector(even, odd, 2, 6, 3, 7);
#else
        const hdi_vu64 low = __builtin_shufflevector(even, odd, 0, 2);
        const hdi_vu64 high = __builtin_shufflevector(even, odd, 1, 3);
#endif
        memcpy(words, &low, sizeof low);
        memcpy(words + HDI_VU64_LANES, &high, sizeof high);
        block += HDI_VU64_LANES;
    }
}

static inline bool positions_ascend(const index_operand *x, int64_t n)
{
    const uint64_t first = (uint64_t)x[0];
    uint64_t off = 0;
    for (int64_t i = 0; i < n; i++)
        off |= (uint64_t)x[i] ^ (first + (uint64_t)i);
    return off == 0;
}

/* What draw() found: the blocks that serve n positions, `per` elements each. Position j's
 * element is the skip + j-th of them if the positions ascend one by one, as they nearly always
 * do; else every position has a block of its own. */
typedef struct drawn { int64_t nblocks, skip; bool ascending; } drawn;

static inline drawn draw(philox_state s, const index_operand *x, int64_t n, int per,
                         uint64_t *words)
{
    uint64_t number[RANDOM_PIECE + HDI_VU64_LANES];
    drawn d = {.ascending = positions_ascend(x, n)};
    number[0] = (uint64_t)x[0] / (unsigned)per;
    if (d.ascending) {
        d.skip = (int64_t)((uint64_t)x[0] % (unsigned)per);
        d.nblocks = (d.skip + n + per - 1) / per;
    } else {
        d.nblocks = n;
        for (int64_t j = 0; j < n; j++)
            number[j] = (uint64_t)x[j] / (unsigned)per;
        for (int64_t j = n; j < n + HDI_VU64_LANES; j++)   /* read by the last vector */
            number[j] = 0;
    }
    philox_words(s, number, d.ascending, d.nblocks, words);
    return d;
}

/* Element of position j among those drawn. */
static inline int64_t drawn_at(drawn d, const index_operand *x, int64_t j, int per)
{
    return d.ascending ? d.skip + j : per * j + (int64_t)((uint64_t)x[j] % (unsigned)per);
}

/* Calls piece() for every RANDOM_PIECE elements. */
HDI_INLINE void random_pieces(void *out, const void *const *in, int64_t n,
                              void (*piece)(operand *, philox_state, const index_operand *,
                                            int64_t))
{
    philox_state s;
    memcpy(&s, in[1], sizeof s);
    for (int64_t i = 0; i < n; i += RANDOM_PIECE)
        piece((operand *)out + i, s, (const index_operand *)in[0] + i,
              n - i < RANDOM_PIECE ? n - i : RANDOM_PIECE);
}
