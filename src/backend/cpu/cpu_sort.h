/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_sort.h - sorting, searching and counting.
 * Threads    any; large calls share their work with the pool
 * Start at   hdi_cpu_sort() */
#ifndef HDI_CPU_SORT_H
#define HDI_CPU_SORT_H

#include "backend/cpu/cpu_library.h"

/* sort, argsort, partition, argpartition; the ranks of the last two, ascending int64 without
 * gaps, are in[1]. */
hd_status hdi_cpu_sort(const hdi_xcall *x);
hd_status hdi_cpu_searchsorted(const hdi_xcall *x);
hd_status hdi_cpu_bincount(const hdi_xcall *x);
hd_status hdi_cpu_histogram(const hdi_xcall *x);

#endif
