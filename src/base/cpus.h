/* SPDX-License-Identifier: BSD-3-Clause */
/* cpus.h - how many processors this process may use.
 * Threads    any
 * Start at   hdi_cpus_usable() */
#ifndef HDI_CPUS_H
#define HDI_CPUS_H

/* hdi_cpus_usable - the smaller of affinity and control-group quota (rounded up); at least 1. */
int hdi_cpus_usable(void);
/* hdi_cpus_affinity - processors that the calling thread may run on, at least 1. */
int hdi_cpus_affinity(void);

/* hdi_cpus_quota - processors that the text of a cpu.max file allows, rounded up ("150000
 * 100000" gives 2); 0 for no limit. */
int hdi_cpus_quota(const char *cpu_max);

#endif
