/* SPDX-License-Identifier: BSD-3-Clause */
/* random_stream.h - Philox 4x32-10, and the stream of random words that belongs to one element:
 * what samplers that reject draw from, however often they try.
 * Owns       random_stream: it lives for one element and is never stored
 * Invariant  the key of a stream is the element's own random word, so that nothing else is needed
 *            to go on; its blocks end in a counter word that no block of a generator ends in
 * Threads    pure
 * See        docs/design/random.md
 * Source     Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3 (SC 2011);
 *            Lemire: Fast random integer generation in an interval (ACM TOMACS 29, 2019) */
#ifndef HDI_RANDOM_STREAM_H
#define HDI_RANDOM_STREAM_H

#include <stdint.h>

/* The block of a counter of two 64-bit words, as two 64-bit words. */
static inline void hdi_philox(uint64_t key, uint64_t low, uint64_t high, uint64_t words[2])
{
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    uint32_t c0 = (uint32_t)low, c1 = (uint32_t)(low >> 32);
    uint32_t c2 = (uint32_t)high, c3 = (uint32_t)(high >> 32);
    for (int round = 0; round < 10; round++) {
        const uint64_t p0 = (uint64_t)0xD2511F53u * c0, p1 = (uint64_t)0xCD9E8D57u * c2;
        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)p1;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)p0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    words[0] = c0 | (uint64_t)c1 << 32;
    words[1] = c2 | (uint64_t)c3 << 32;
}

typedef struct random_stream { uint64_t key, block, words[2]; int left; } random_stream;

static inline random_stream stream_of(uint64_t word)
{
    return (random_stream){.key = word};
}

/* The block of counter (block, 0, 2^32 - 1); its words are taken last to first. */
static inline void stream_refill(random_stream *s)
{
    uint64_t words[2];
    hdi_philox(s->key, s->block, (uint64_t)~0u << 32, words);
    s->words[0] = words[1];
    s->words[1] = words[0];
    s->left = 2;
    s->block++;
}

static inline uint64_t stream_word(random_stream *s)
{
    if (s->left == 0)
        stream_refill(s);
    return s->words[--s->left];
}

/* [0, 1), 53 bits */
static inline double stream_uniform(random_stream *s)
{
    return (double)(stream_word(s) >> 11) * 0x1p-53;
}

/* The words below a bound, each as likely as the others: the high half of word * bound, but for
 * the few low halves that come once too often. A bound of 0 stands for 2^64. *s is where further
 * words come from. */
static inline uint64_t stream_below(uint64_t word, uint64_t bound, random_stream *s)
{
    if (bound == 0)
        return word;
    unsigned __int128 product = (unsigned __int128)word * bound;
    if ((uint64_t)product < bound) {
        const uint64_t excess = -bound % bound;
        while ((uint64_t)product < excess)
            product = (unsigned __int128)stream_word(s) * bound;
    }
    return (uint64_t)(product >> 64);
}

#endif
