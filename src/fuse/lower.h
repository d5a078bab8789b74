/* SPDX-License-Identifier: BSD-3-Clause */
/* lower.h - from groups of records to kernel IR, and which generations need memory.
 * Owns       hdi_gen_use, hdi_planning
 * Invariant  values flow between records of one kernel as values, never through memory; stores
 *            come last, one per view
 * Threads    a planning is one thread's at a time
 * Start at   hdi_planning_make(), hdi_lower()
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

/* The value that a view of a generation has at a point of a kernel. */
typedef struct hdi_known {
    uint16_t gen, core, view, inst;
    uint64_t zmask;
    uint8_t level;
    bool written;
    int16_t record;
} hdi_known;

/* A kernel being written. */
typedef struct hdi_lowering {
    const hdi_canon *c;
    const hdi_partition *p;
    const hdi_gen_use *use;
    int ninst, nslots, nknown;
    hdi_kinst inst[HDI_KERNEL_MAX_INSTS];
    hdi_kslot slot[HDI_KERNEL_MAX_SLOTS];
    hdi_known known[HDI_KERNEL_MAX_RECORDS * 4];
} hdi_lowering;

/* A chunk being planned: its key, and what follows from that. Half a megabyte, too large for a
 * stack: whoever plans keeps one. */
typedef struct hdi_planning {
    hdi_canon canon;
    hdi_partition partition;
    hdi_gen_use use[HDI_MAX_GENS];
    hdi_lowering lowering;
} hdi_planning;

/* hdi_planning_make - decodes the canon's words, parts its records, fills use[0..ngens). */
void hdi_planning_make(hdi_planning *p);
/* hdi_lower - a new kernel for group n; NULL and HD_NOMEM on failure. Free with
 * hdi_kernel_free(). */
hdi_kernel *hdi_lower(hdi_planning *p, int n);
void hdi_kernel_free(hdi_kernel *k);

#endif
