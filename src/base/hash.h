/* SPDX-License-Identifier: BSD-3-Clause */
/* hash.h - mixing of 64-bit words; not for adversaries, only for tables that compare in full
 * afterwards.
 * Start at   hdi_mix()
 * Source     multiply-xorshift with the golden-ratio constant, as in Fibonacci hashing (Knuth,
 *            TAOCP 3, 6.4) */
#ifndef HDI_HASH_H
#define HDI_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t hdi_mix(uint64_t h, uint64_t word)
{
    h = (h ^ word) * 0x9E3779B97F4A7C15u;
    return h ^ (h >> 29);
}

/* In four lanes, because each mix has to wait for the one before. */
static inline uint64_t hdi_hash_words(uint64_t h, const uint64_t *words, size_t n)
{
    uint64_t a = h, b = h + 1, c = h + 2, d = h + 3;
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        a = hdi_mix(a, words[i]);
        b = hdi_mix(b, words[i + 1]);
        c = hdi_mix(c, words[i + 2]);
        d = hdi_mix(d, words[i + 3]);
    }
    for (; i < n; i++)
        a = hdi_mix(a, words[i]);
    return hdi_mix(hdi_mix(hdi_mix(a, b), c), d);
}

/* Each step is one-to-one in h and in the word: no change of a single word goes unnoticed. */
static inline uint64_t hdi_hash_bytes(uint64_t h, const void *p, size_t n)
{
    const uint8_t *bytes = p;
    uint64_t word;
    size_t i = 0;
    for (; i + sizeof word <= n; i += sizeof word) {
        memcpy(&word, bytes + i, sizeof word);
        h = hdi_mix(h, word);
    }
    word = 0;
    if (i < n)
        memcpy(&word, bytes + i, n - i);
    return hdi_mix(hdi_mix(h, word), n);
}

#endif
