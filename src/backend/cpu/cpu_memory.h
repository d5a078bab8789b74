/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_memory.h - memory for array data on the host: a caching allocator, since fresh pages cost
 * more than arithmetic.
 * Owns       every block it hands out; sizes come back with the block, so blocks have no headers
 * Invariant  blocks are 64-byte aligned, from 2 MB on 2 MB aligned and on huge pages. Size
 *            classes waste at most 12.5 % (above 1 KB). Freed memory that is kept never exceeds
 *            max(512 MB, what is in use), and in use + kept never exceeds the most that was ever
 *            in use, so the cache does not raise a program's peak
 * Threads    any; one spin lock, never held over a system call
 * Start at   hdi_cpu_alloc() */
#ifndef HDI_CPU_MEMORY_H
#define HDI_CPU_MEMORY_H

#include "backend/backend.h"

/* hdi_cpu_alloc - NULL when the system has no memory left, even after everything kept was given
 * back. */
void *hdi_cpu_alloc(int64_t nbytes);
void hdi_cpu_free(void *block, int64_t nbytes);
/* hdi_cpu_block_bytes - of the block that so many bytes got; NULL: would get. */
int64_t hdi_cpu_block_bytes(const void *block, int64_t nbytes);
/* hdi_cpu_trim - gives back what is kept; returns the bytes. hdi_cpu_capacity - bytes of memory and
 * swap space, or what the process may have of them (RLIMIT_AS). */
int64_t hdi_cpu_trim(void);
int64_t hdi_cpu_capacity(void);
void hdi_cpu_memory_stats(hdi_memory_stats *out, bool reset_peak);

/* Around fork(), so that the child finds the lists whole; the second one in parent and child. */
void hdi_cpu_memory_before_fork(void);
void hdi_cpu_memory_after_fork(void);

#endif
