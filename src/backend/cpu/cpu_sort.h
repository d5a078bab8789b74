/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_sort.h - sorting, searching and counting.
 * Threads    any; large calls share their work with the pool
 * Start at   hdi_cpu_sort() */
#ifndef HDI_CPU_SORT_H
#define HDI_CPU_SORT_H

#include "backend/cpu/cpu_library.h"

/* The parameter of sort, argsort, partition and argpartition: the axis, and whether the largest
 * comes first. */
static inline int hdi_sort_axis(int64_t param) { return (int)(param >> 1); }
static inline bool hdi_sort_down(int64_t param) { return (param & 1) != 0; }

/* sort, argsort, partition, argpartition; the ranks of the last two, ascending int64 without
 * gaps, are in[1]. */
hd_status hdi_cpu_sort(const hdi_xcall *x);
hd_status hdi_cpu_searchsorted(const hdi_xcall *x);
hd_status hdi_cpu_bincount(const hdi_xcall *x);
hd_status hdi_cpu_histogram(const hdi_xcall *x);

#endif
