/* SPDX-License-Identifier: BSD-3-Clause */
/* philox.h - one block of Philox 4x32-10, the generator of random words.
 * Threads    pure
 * See        docs/design/random.md
 * Source     Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3 (SC 2011) */
#ifndef HDI_PHILOX_H
#define HDI_PHILOX_H

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

#endif
