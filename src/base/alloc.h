/* SPDX-License-Identifier: BSD-3-Clause */
/* alloc.h - memory for the library's own objects, through the user's allocator if one is set.
 * Invariant  NULL means out of memory and records no error: the caller does, with what it wanted
 *            the memory for
 * Threads    any
 * Start at   hdi_alloc() */
#ifndef HDI_ALLOC_H
#define HDI_ALLOC_H

#include "base/base.h"

void *hdi_alloc(size_t size);
void *hdi_calloc(size_t size);
void *hdi_realloc(void *old, size_t old_size, size_t new_size);   /* on failure old stays valid */
void hdi_free(void *p, size_t size);

/* hdi_fail_after - test aid: the n-th allocation from now on fails once (n >= 1); 0 switches it
 * off. hdi_fail_from - it fails, and so do all that follow it.
 * hdi_alloc_count - allocations made so far. */
void hdi_fail_after(int64_t n);
void hdi_fail_from(int64_t n);
int64_t hdi_alloc_count(void);
/* hdi_could_map - is there address space for so many more bytes now? Maps them to see. */
bool hdi_could_map(int64_t nbytes);
/* hdi_alloc_should_fail - asked by other allocators (array data), so that the test reaches them
 * as well. */
bool hdi_alloc_should_fail(void);

#endif
