/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_radix.h - sorting dense unsigned integers, or pairs of one and a position, by some of their
 * bits; and putting the elements of given ranks where sorting would. Stable, the former.
 * Owns       nothing: callers bring the elements' memory and as much again
 * Invariant  elements are of 1, 2, 4, 8 (integers) or 16 bytes (hdi_cpu_pair). Elements whose bits
 *            [low, high) agree count as equal; the bits below must then ascend with the places of
 *            the elements, or be 0, and those above be equal
 * Threads    the calling one, or the pool where `parts` is more than 1
 * Start at   hdi_cpu_radix_sort()
 * See        docs/design/sort.md */
#ifndef HDI_CPU_RADIX_H
#define HDI_CPU_RADIX_H

#include "backend/cpu/cpu_library.h"

typedef struct hdi_cpu_pair { uint64_t key, at; } hdi_cpu_pair;

typedef struct hdi_cpu_radix {
    int size;                    /* bytes of an element */
    int low, high;               /* bits that count */
    int parts;                   /* pieces that threads take, 1: the calling thread alone */
    int64_t (*count)[256];       /* of each part, and one more; long rows need it */
    hdi_cpu_asker ask;           /* NULL: not to be stopped */
} hdi_cpu_radix;

/* hdi_cpu_radix_parts - into how many parts n elements are best cut. */
int hdi_cpu_radix_parts(int64_t n);
/* hdi_cpu_radix_counts - bytes that `count` needs. */
int64_t hdi_cpu_radix_counts(int parts);
/* hdi_cpu_radix_sort - sorts the n elements at *x with the help of *y. They end in *x: the two are
 * exchanged as need be. */
hd_status hdi_cpu_radix_sort(const hdi_cpu_radix *r, void **x, void **y, int64_t n);
/* hdi_cpu_radix_select - puts the elements of the k ascending ranks where sorting would, what is
 * less before them, what is greater behind them. They stay in x. */
hd_status hdi_cpu_radix_select(const hdi_cpu_radix *r, void *x, void *y, int64_t n,
                               const int64_t *rank, int64_t k);

#endif
