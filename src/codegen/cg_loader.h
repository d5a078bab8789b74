/* SPDX-License-Identifier: BSD-3-Clause */
/* cg_loader.h - turns a relocatable ELF object in memory into code that can be called.
 * Owns       nothing that callers see; the memory of the code is cg_arena.h's
 * Invariant  the object may come from a damaged file: each number in it is checked before it is
 *            used, and a bad one ends as an error. What the code itself does is the caller's trust
 * Threads    any, also several at once; resolve() is called without a lock. Code that was loaded
 *            before a fork() runs in parent and child, each may load and unload on
 * Memory     per kernel about 700 bytes of arena for the usual object of 1.5 KB, no mapping
 * Start at   hdi_cg_load()
 * Source     System V ABI, generic part and AMD64 supplement 1.0 (section 4.4, relocation) */
#ifndef HDI_CG_LOADER_H
#define HDI_CG_LOADER_H

#include "base/base.h"

/* The address of what an object calls `symbol`; NULL: unknown. Asked once for each symbol that is
 * needed and that the object does not define, by the thread that loads. */
typedef void *(*hdi_cg_resolve)(const char *symbol, void *ctx);

/* hdi_cg_load - the address of the function `entry` of the object, in executable memory. The
 * object is copied as far as needed and may be freed afterwards; it needs no alignment.
 * Loaded       sections with SHF_ALLOC but .eh_frame and notes, with their alignment (up to 4 KB).
 *              Those with SHF_WRITE (.data, .bss) get memory of their own for each load; a
 *              child of fork() gets a copy
 * Label        what the kernel computes, for perf and gdb; NULL: nothing to say
 * Constructors are not run: an object that has some is refused
 * Errors       NULL and HD_VALUE: not an object, or a damaged one; HD_UNSUPPORTED: another
 *              machine's, something that we do not handle (the message says what), or no
 *              executable memory allowed here; HD_LIBRARY: a symbol that resolve() does not
 *              know; HD_NOMEM */
void *hdi_cg_load(const void *object, size_t bytes, const char *entry, const char *label,
                  hdi_cg_resolve resolve, void *ctx);

/* hdi_cg_unload - the memory of a loaded entry may be used again; nobody may be running in it,
 * nor hold its address for later. NULL does nothing. */
void hdi_cg_unload(void *entry);

typedef struct hdi_cg_code_stats {
    int64_t kernels;   /* loaded now */
    int64_t bytes;     /* of arena that they take */
    int64_t mapped;    /* bytes of arena, used or not */
} hdi_cg_code_stats;
void hdi_cg_code_stats_get(hdi_cg_code_stats *out);

/* hdi_cg_loader_start - registers what a fork() needs. The first load does so too; but one that
 * begins while another thread is in fork() comes too late for that fork. */
void hdi_cg_loader_start(void);

/* hdi_cg_loader_reread - test aid: reads HEDDLE_NO_EXEC, HEDDLE_PERF_MAP and HEDDLE_GDB again,
 * which otherwise are read once, before the first load. No load may be going on. */
void hdi_cg_loader_reread(void);

#endif
