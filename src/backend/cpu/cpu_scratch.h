/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_scratch.h - memory of one thread for the time of one launch or task: a stack that keeps
 * its pages from launch to launch.
 *
 *     hdi_cpu_mark mark = hdi_cpu_scratch_mark();
 *     uint8_t *p = hdi_cpu_scratch(n);           NULL: out of memory, no error recorded
 *     ...
 *     hdi_cpu_scratch_release(mark);             on every way out of the function
 *
 * Owns       one chain of chunks per thread, freed when the thread ends
 * Invariant  marks nest: the last one taken is released first, each exactly once, by its own
 *            thread. Memory is taken only while a mark is open, and is gone at the release of
 *            the innermost mark that was open then. Chunks are freed only at the release of the
 *            outermost mark: until then what fitted once fits again. Addresses are 64-byte
 *            aligned. Debug builds assert all of this, and hand out memory full of 0xdb;
 *            AddressSanitizer sees reads and writes of what is not taken
 * Threads    each thread sees only its own; other threads may use what one has taken
 * Start at   hdi_cpu_scratch() */
#ifndef HDI_CPU_SCRATCH_H
#define HDI_CPU_SCRATCH_H

#include "base/base.h"
#include "base/poison.h"

typedef struct hdi_cpu_chunk {
    /* chunks above the top are empty and wait to be used again */
    struct hdi_cpu_chunk *below, *above;
    int64_t size, used;          /* bytes after this header */
} hdi_cpu_chunk;

typedef struct hdi_cpu_arena {
    hdi_cpu_chunk *top;
    int depth;                   /* marks that are open */
} hdi_cpu_arena;

extern _Thread_local hdi_cpu_arena hdi_cpu_arena_own __attribute__((tls_model("initial-exec")));

/* chunk: the top when the mark was taken; NULL: there was no chunk */
typedef struct hdi_cpu_mark { hdi_cpu_chunk *chunk; int64_t used; int depth; } hdi_cpu_mark;

enum { HDI_CPU_CHUNK_HEAD = 64 };

void *hdi_cpu_scratch_grow(int64_t nbytes);
void hdi_cpu_scratch_shrink(hdi_cpu_mark mark);
/* hdi_cpu_scratch_nests - is this the mark to release next? For assertions. */
bool hdi_cpu_scratch_nests(hdi_cpu_mark mark);
/* hdi_cpu_scratch_reserve - sees to it that nbytes more, in pieces of multiples of 64 bytes or as
 * one, fit until the outermost mark is released, without taking them. false: no memory. */
bool hdi_cpu_scratch_reserve(int64_t nbytes);

/* hdi_cpu_scratch_depth - marks of this thread that are open. */
static inline int hdi_cpu_scratch_depth(void)
{
    return hdi_cpu_arena_own.depth;
}

static inline hdi_cpu_mark hdi_cpu_scratch_mark(void)
{
    hdi_cpu_chunk *top = hdi_cpu_arena_own.top;
    return (hdi_cpu_mark){top, top != NULL ? top->used : 0, hdi_cpu_arena_own.depth++};
}

/* hdi_cpu_scratch - nbytes of uninitialised memory; NULL when there is none (no error recorded). */
static inline void *hdi_cpu_scratch(int64_t nbytes)
{
    hdi_cpu_chunk *top = hdi_cpu_arena_own.top;
    int64_t n = (nbytes + 63) & -(int64_t)64;
    void *p;
    hd_assert(hdi_cpu_arena_own.depth > 0 && nbytes >= 0);
    if (HDI_UNLIKELY(top == NULL || top->size - top->used < n)) {
        if ((p = hdi_cpu_scratch_grow(n)) == NULL)
            return NULL;
    } else {
        p = (uint8_t *)top + HDI_CPU_CHUNK_HEAD + top->used;
        top->used += n;
    }
    HDI_UNPOISON(p, nbytes);
#ifdef HDI_DEBUG
    memset(p, 0xdb, (size_t)nbytes);
#endif
    return p;
}

static inline void hdi_cpu_scratch_release(hdi_cpu_mark mark)
{
    hd_assert(hdi_cpu_scratch_nests(mark));
    hdi_cpu_arena_own.depth = mark.depth;
    if (HDI_LIKELY(mark.chunk == hdi_cpu_arena_own.top && mark.chunk != NULL &&
                   (mark.depth > 0 || mark.chunk->above == NULL))) {
        HDI_POISON((uint8_t *)mark.chunk + HDI_CPU_CHUNK_HEAD + mark.used,
                   mark.chunk->used - mark.used);
        mark.chunk->used = mark.used;
    } else
        hdi_cpu_scratch_shrink(mark);
}

#endif
