/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_scratch.c - growing and shrinking a thread's stack of scratch memory. */
#include "backend/cpu/cpu_scratch.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/alloc.h"

/* bytes of chunks: the first, grown by itself, kept for long */
enum { FIRST = (1 << 18) - HDI_CPU_CHUNK_HEAD, LARGEST = 1 << 26, KEEP = 8 << 20 };

_Thread_local hdi_cpu_arena hdi_cpu_arena_own __attribute__((tls_model("initial-exec")));

static pthread_key_t key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static bool key_made;

static uint8_t *bytes_of(hdi_cpu_chunk *chunk)
{
    return (uint8_t *)chunk + HDI_CPU_CHUNK_HEAD;
}

static void free_chunk(hdi_cpu_chunk *chunk)
{
    if (chunk == NULL)
        return;
    HDI_UNPOISON(bytes_of(chunk), chunk->size);
    free(chunk);
}

static hdi_cpu_chunk *highest(hdi_cpu_chunk *chunk)
{
    while (chunk != NULL && chunk->above != NULL)
        chunk = chunk->above;
    return chunk;
}

static hdi_cpu_chunk *lowest(hdi_cpu_chunk *chunk)
{
    while (chunk != NULL && chunk->below != NULL)
        chunk = chunk->below;
    return chunk;
}

/* ---- growing --------------------------------------------------------------------------------- */

static void free_chain(void *unused)
{
    (void)unused;
    hdi_cpu_chunk *c = highest(hdi_cpu_arena_own.top);
    while (c != NULL) {
        hdi_cpu_chunk *below = c->below;
        free_chunk(c);
        c = below;
    }
    hdi_cpu_arena_own = (hdi_cpu_arena){0};
}

static void make_key(void)
{
    key_made = pthread_key_create(&key, free_chain) == 0;
}

/* A chunk right above the top, or the only one. */
static hdi_cpu_chunk *new_chunk(int64_t n)
{
    hdi_cpu_chunk *top = hdi_cpu_arena_own.top;
    int64_t size = top != NULL ? hdi_min64(2 * (top->size + HDI_CPU_CHUNK_HEAD) -
                                               HDI_CPU_CHUNK_HEAD, LARGEST)
                               : FIRST;
    size = (hdi_max64(size, n) + 63) & -(int64_t)64;
    if (hdi_alloc_should_fail())
        return NULL;
    hdi_cpu_chunk *chunk = aligned_alloc(64, (size_t)(size + HDI_CPU_CHUNK_HEAD));
    if (chunk == NULL)
        return NULL;
    *chunk = (hdi_cpu_chunk){.below = top, .size = size};
    HDI_POISON(bytes_of(chunk), size);
    if (top == NULL) {
        hdi_cpu_arena_own.top = chunk;
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

/* An empty chunk of at least n bytes above the top, or a new one. Those between that are too
 * small stay empty: so what fitted the chain once fits it again, whatever came in between. */
static hdi_cpu_chunk *room_above(int64_t n)
{
    hdi_cpu_chunk *top = hdi_cpu_arena_own.top, *c = top != NULL ? top->above : NULL;
    while (c != NULL && c->size < n)
        c = c->above;
    return c != NULL ? c : new_chunk(n);
}

void *hdi_cpu_scratch_grow(int64_t n)
{
    hdi_cpu_chunk *chunk = room_above(n);
    if (chunk == NULL)
        return NULL;
    chunk->used = n;
    hdi_cpu_arena_own.top = chunk;
    return bytes_of(chunk);
}

bool hdi_cpu_scratch_reserve(int64_t nbytes)
{
    const hdi_cpu_chunk *top = hdi_cpu_arena_own.top;
    int64_t n = (nbytes + 63) & -(int64_t)64;
    hd_assert(hdi_cpu_arena_own.depth > 0 && nbytes >= 0);
    return (top != NULL && top->size - top->used >= n) || room_above(n) != NULL;
}

/* ---- shrinking ------------------------------------------------------------------------------- */

/* Nothing is in use any more: the largest chunk that is not too large stays alone for the next
 * launch, which so finds all it needs in one piece. */
static void keep_one(void)
{
    hdi_cpu_chunk *c = highest(hdi_cpu_arena_own.top), *keep = NULL;
    while (c != NULL) {
        hdi_cpu_chunk *below = c->below, *loser = c;
        if (c->size <= KEEP && (keep == NULL || c->size > keep->size)) {
            loser = keep;
            keep = c;
        }
        free_chunk(loser);
        c = below;
    }
    if (keep != NULL) {
        *keep = (hdi_cpu_chunk){.size = keep->size};
        HDI_POISON(bytes_of(keep), keep->size);
    }
    hdi_cpu_arena_own.top = keep;
}

void hdi_cpu_scratch_shrink(hdi_cpu_mark mark)
{
    hdi_cpu_chunk *c = hdi_cpu_arena_own.top;
    if (c == NULL)
        return;
    if (mark.depth == 0) {
        keep_one();
        return;
    }
    hdi_cpu_chunk *to = mark.chunk != NULL ? mark.chunk : lowest(c);
    for (; c != to; c = c->below) {
        HDI_POISON(bytes_of(c), c->used);
        c->used = 0;
    }
    HDI_POISON(bytes_of(to) + mark.used, to->used - mark.used);
    to->used = mark.used;
    hdi_cpu_arena_own.top = to;
}

bool hdi_cpu_scratch_nests(hdi_cpu_mark mark)
{
    const hdi_cpu_chunk *c = hdi_cpu_arena_own.top;
    if (mark.depth != hdi_cpu_arena_own.depth - 1)
        return false;
    if (mark.chunk == NULL)      /* the first chunk came after the mark */
        return mark.used == 0;
    while (c != NULL && c != mark.chunk)
        c = c->below;
    return c != NULL && mark.used <= c->used &&
           (mark.depth > 0 || (mark.used == 0 && c->below == NULL));
}
