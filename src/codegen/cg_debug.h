/* SPDX-License-Identifier: BSD-3-Clause */
/* cg_debug.h - tells perf and gdb where kernels are, when HEDDLE_PERF_MAP or HEDDLE_GDB is 1.
 * Owns       copies of objects that gdb knows of; lines in /tmp/perf-<pid>.map
 * Threads    the caller holds the loader's lock, but for hdi_cg_debug_perf_line()
 * Start at   hdi_cg_debug_perf_line(), hdi_cg_debug_gdb_add()
 * See        gdb manual, "JIT Compilation Interface"; perf's tools/perf/Documentation/
 *            jit-interface.txt */
#ifndef HDI_CG_DEBUG_H
#define HDI_CG_DEBUG_H

#include "base/base.h"

/* Reads the two variables. */
void hdi_cg_debug_reread(void);
bool hdi_cg_debug_perf(void);
bool hdi_cg_debug_gdb(void);

/* hdi_cg_debug_perf_line - a name for code, for good: perf reads the file when all is over. The
 * file's last line for an address counts. A file that cannot be written is left alone. */
void hdi_cg_debug_perf_line(const void *code, size_t bytes, const char *entry, const char *label);

/* hdi_cg_debug_gdb_add - makes a copy of an object known, whose section headers have the addresses
 * that the sections were loaded to. Takes the copy, made with hdi_alloc(bytes). */
void hdi_cg_debug_gdb_add(const void *entry, uint8_t *copy, size_t bytes);
void hdi_cg_debug_gdb_remove(const void *entry);

#endif
