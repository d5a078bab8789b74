/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_scratch.h - memory of one thread for the time of one launch or task: a stack that keeps
 * its pages from launch to launch.
 * Owns       one chain of chunks per thread, freed when the thread ends
 * Invariant  what was taken after a mark is gone at the release of that mark, but the memory
 *            stays until the outermost release: what fitted once fits again. Addresses are
 *            64-byte aligned
 * Threads    each thread sees only its own
 * Start at   hdi_cpu_scratch() */
#ifndef HDI_CPU_SCRATCH_H
#define HDI_CPU_SCRATCH_H

#include "base/base.h"

typedef struct hdi_cpu_chunk {
    /* chunks above the top are empty and wait to be used again */
    struct hdi_cpu_chunk *below, *above;
    int64_t size, used;          /* bytes after this header */
} hdi_cpu_chunk;

extern _Thread_local hdi_cpu_chunk *hdi_cpu_scratch_top __attribute__((tls_model("initial-exec")));

typedef struct hdi_cpu_mark { hdi_cpu_chunk *chunk; int64_t used; } hdi_cpu_mark;

void *hdi_cpu_scratch_grow(int64_t nbytes);
void hdi_cpu_scratch_shrink(hdi_cpu_mark mark);

static inline hdi_cpu_mark hdi_cpu_scratch_mark(void)
{
    hdi_cpu_chunk *top = hdi_cpu_scratch_top;
    return (hdi_cpu_mark){top, top != NULL ? top->used : 0};
}

/* hdi_cpu_scratch - nbytes of uninitialised memory; NULL when there is none (no error recorded). */
static inline void *hdi_cpu_scratch(int64_t nbytes)
{
    hdi_cpu_chunk *top = hdi_cpu_scratch_top;
    int64_t n = (nbytes + 63) & -(int64_t)64;
    if (HDI_UNLIKELY(top == NULL || top->size - top->used < n))
        return hdi_cpu_scratch_grow(n);
    void *p = (uint8_t *)top + 64 + top->used;
    top->used += n;
    return p;
}

static inline void hdi_cpu_scratch_release(hdi_cpu_mark mark)
{
    if (HDI_LIKELY(mark.chunk == hdi_cpu_scratch_top && mark.chunk != NULL))
        mark.chunk->used = mark.used;
    else
        hdi_cpu_scratch_shrink(mark);
}

#endif
