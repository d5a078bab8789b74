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

static inline uint64_t hdi_mix(uint64_t h, uint64_t word)
{
    h = (h ^ word) * 0x9E3779B97F4A7C15u;
    return h ^ (h >> 29);
}

static inline uint64_t hdi_hash_words(uint64_t h, const uint64_t *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        h = hdi_mix(h, words[i]);
    return h;
}

#endif
