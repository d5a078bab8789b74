/* SPDX-License-Identifier: BSD-3-Clause */
/* lower.h - from groups of records to kernel IR, and which generations need memory.
 * Owns       hdi_gen_use
 * Invariant  values flow between records of one kernel as values, never through memory; stores
 *            come last, one per view
 * Threads    under the library's lock
 * Start at   hdi_lower()
 * See        docs/design/kernel-ir.md */
#ifndef HDI_LOWER_H
#define HDI_LOWER_H

#include "fuse/partition.h"

/* Where a generation is used within the chunk. */
typedef struct hdi_gen_use {
    int16_t first_group, last_group;   /* -1: not at all */
    int16_t last_write;                /* group that writes it last, or -1 */
    int16_t take_from;                 /* generation whose memory it takes over, or -1 */
    /* needs memory: false means it lives in registers of one kernel */
    bool memory;
    bool taken;                        /* its memory goes to another one */
} hdi_gen_use;

/* hdi_gen_uses - fills use[0..ngens). */
void hdi_gen_uses(const hdi_canon *c, const hdi_partition *p, hdi_gen_use *use);
/* hdi_lower - a new kernel for group n; NULL and HD_NOMEM on failure. Free with
 * hdi_kernel_free(). */
hdi_kernel *hdi_lower(const hdi_canon *c, const hdi_partition *p, int n, const hdi_gen_use *use);
void hdi_kernel_free(hdi_kernel *k);

#endif
