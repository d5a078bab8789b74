/* SPDX-License-Identifier: BSD-3-Clause */
/* partition.h - which records of a chunk share a kernel. Rule M5 and the kernel classes.
 * Owns       hdi_group, hdi_partition
 * Invariant  groups are in an order in which every record's predecessors are in its own or an
 *            earlier group
 * Threads    a partition is one thread's at a time
 * Start at   hdi_partition_make()
 * See        docs/design/fusion.md */
#ifndef HDI_PARTITION_H
#define HDI_PARTITION_H

#include "fuse/kernel_ir.h"
#include "window/canon.h"

typedef struct hdi_group {
    bool library;          /* one class X record */
    bool has_war;          /* an operand is read and later written */
    int wraps;             /* wrapped operands: launched box by box, so nothing is reduced */
    int domain, row;       /* symbols; row is -1 without reductions */
    uint64_t sqaxes;
    int first_reduction;   /* record, -1 if none */
    int nphases, n;
    uint16_t record[HDI_KERNEL_MAX_RECORDS];
} hdi_group;

typedef struct hdi_partition {
    int ngroups;
    hdi_group group[HDI_RING];
    uint16_t where[HDI_RING];          /* group of each record */
    uint8_t level[HDI_RING], phase[HDI_RING];
} hdi_partition;

void hdi_partition_make(hdi_partition *p, const hdi_canon *c);
/* hdi_partition_sink - moves what only one later kernel reads to that one, where it costs less
 * there than going through memory: sink.c. Part of hdi_partition_make(). */
void hdi_partition_sink(hdi_partition *p, const hdi_canon *c);

#endif
