/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_user_print.h - printf() and assert() of kernels of the user's own.
 * Threads    any; a line of output is written as one. What was asserted in vain is kept for the
 *            process: the latest
 * Start at   hdi_cpu_user_print() */
#ifndef HDI_CPU_USER_PRINT_H
#define HDI_CPU_USER_PRINT_H

#include <stddef.h>
#include <stdint.h>

/* hdi_cpu_user_print - format as C's printf(), of values[0 ...) whose kinds are i u f p, 64 bits
 * each; what does not fit a value's kind is converted. */
void hdi_cpu_user_print(const char *format, const char *kinds, const uint64_t *values);
/* hdi_cpu_user_trap - notes that an assertion of a kernel failed. hdi_cpu_user_trapped - what. */
void hdi_cpu_user_trap(const char *what, int32_t line, const uint32_t *block,
                       const uint32_t *thread);
void hdi_cpu_user_trapped(char *text, size_t size);

#endif
