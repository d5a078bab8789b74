/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_blas_room.h - is there room for a BLAS library and its threads? OpenBLAS ends the process
 * when it cannot map its work areas, and waits for ever for threads that it could not make.
 * Threads    any
 * Start at   hdi_cpu_space_limited() */
#ifndef HDI_CPU_BLAS_ROOM_H
#define HDI_CPU_BLAS_ROOM_H

#include <stdbool.h>
#include <stdint.h>

/* hdi_cpu_space_limited - may a mapping fail although it is never written to? So it is under
 * RLIMIT_AS and RLIMIT_DATA, and where the kernel does not overcommit. */
bool hdi_cpu_space_limited(void);
/* hdi_cpu_space_limited_now - the same, asked of the system at each call: for who is about to make
 * several threads call BLAS, which each need an area. */
bool hdi_cpu_space_limited_now(void);
/* hdi_cpu_threads_possible - can this process have n more threads at once? Makes them to see. */
bool hdi_cpu_threads_possible(int n);
/* hdi_cpu_stack_bytes - address space of a thread's stack, unless it asks for less. */
int64_t hdi_cpu_stack_bytes(void);

#endif
