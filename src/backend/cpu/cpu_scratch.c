/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_scratch.c - growing and shrinking a thread's stack of scratch memory. */
#include "backend/cpu/cpu_scratch.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/alloc.h"

/* bytes of chunks: the first, grown by itself, kept for long */
enum { FIRST = (1 << 18) - 64, LARGEST = 1 << 26, KEEP = 8 << 20 };

_Thread_local hdi_cpu_chunk *hdi_cpu_scratch_top __attribute__((tls_model("initial-exec")));

static pthread_key_t key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static bool key_made;

static void free_chain(void *unused)
{
    (void)unused;
    hdi_cpu_chunk *c = hdi_cpu_scratch_top;
    while (c != NULL && c->above != NULL)
        c = c->above;
    while (c != NULL) {
        hdi_cpu_chunk *below = c->below;
        free(c);
        c = below;
    }
    hdi_cpu_scratch_top = NULL;
}

static void make_key(void)
{
    key_made = pthread_key_create(&key, free_chain) == 0;
}

static hdi_cpu_chunk *new_chunk(int64_t n)
{
    hdi_cpu_chunk *top = hdi_cpu_scratch_top;
    int64_t size = top != NULL ? hdi_min64(2 * (top->size + 64) - 64, LARGEST) : FIRST;
    size = hdi_max64(size, n);
    if (hdi_alloc_should_fail())
        return NULL;
    hdi_cpu_chunk *chunk = aligned_alloc(64, (size_t)((size + 64 + 63) & -(int64_t)64));
    if (chunk == NULL)
        return NULL;
    *chunk = (hdi_cpu_chunk){.below = top, .size = size};
    if (top == NULL) {
        pthread_once(&key_once, make_key);
        if (key_made)
            /* any value but NULL: free_chain() looks at the chain itself */
            pthread_setspecific(key, chunk);
    } else {
        chunk->above = top->above;
        top->above = chunk;
        if (chunk->above != NULL)
            chunk->above->below = chunk;
    }
    return chunk;
}

void *hdi_cpu_scratch_grow(int64_t n)
{
    hdi_cpu_chunk *top = hdi_cpu_scratch_top;
    hdi_cpu_chunk *chunk =
        top != NULL && top->above != NULL && top->above->size >= n ? top->above : new_chunk(n);
    if (chunk == NULL)
        return NULL;
    chunk->used = n;
    hdi_cpu_scratch_top = chunk;
    return (uint8_t *)chunk + 64;
}

/* Back to a mark in a lower chunk. Where nothing is in use any more, the largest chunk stays
 * alone for the next launch, which so finds all it needs in one piece. */
void hdi_cpu_scratch_shrink(hdi_cpu_mark mark)
{
    hdi_cpu_chunk *c = hdi_cpu_scratch_top, *keep = NULL;
    if (c == NULL)
        return;
    if (mark.chunk != NULL) {
        hdi_cpu_scratch_top = mark.chunk;
        mark.chunk->used = mark.used;
        if (mark.chunk->below != NULL || mark.used > 0)
            return;
    }
    while (c->above != NULL)
        c = c->above;
    while (c != NULL) {
        hdi_cpu_chunk *below = c->below, *loser = c;
        if (c->size <= KEEP && (keep == NULL || c->size > keep->size)) {
            loser = keep;
            keep = c;
        }
        free(loser);
        c = below;
    }
    if (keep != NULL)
        *keep = (hdi_cpu_chunk){.size = keep->size};
    hdi_cpu_scratch_top = keep;
}
