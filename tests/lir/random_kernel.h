/* SPDX-License-Identifier: BSD-3-Clause */
/* random_kernel.h - kernels by chance, in lowered IR, that end and have one right result.
 * Parameters 0: pointer to i32 inputs, one for each thread of the grid; 1: pointer to i32 results,
 *            the same; 2: pointer to one u32 that is counted up; 3: an i32 that is 5; 4: three i32 in
 *            memory
 * Kinds      RANDOM_WARPS: barriers, shuffles and votes at any place, no shared memory.
 *            RANDOM_SHARED: values go through shared memory, where all threads arrive
 * Start at   random_kernel() */
#ifndef HEDDLE_TESTS_RANDOM_KERNEL_H
#define HEDDLE_TESTS_RANDOM_KERNEL_H

#include "lir/lir.h"

enum { RANDOM_WARPS, RANDOM_SHARED, RANDOM_MOST_THREADS = 128 };

/* random_kernel - from support.h's chance; NULL: no memory. */
hdi_lir *random_kernel(int kind);

#endif
