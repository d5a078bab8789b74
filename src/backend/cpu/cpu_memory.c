/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_memory.c - size classes, slabs for small blocks, one mapping each for large ones.
 *
 * Classes. Up to 1 KB multiples of 64 bytes; above, eight to a doubling: 2^k * (9 ... 16) / 8.
 * Small blocks (up to 16 KB) are cut from slabs: 256 KB, aligned to their size, one class each.
 * The first 64 bytes are the slab's header; the free ones of a class are linked through their
 * first bytes, over all its slabs. Large blocks are mappings of their own. Kept ones hang in a
 * list per class, newest first, with the time they were freed in their first bytes, so that the
 * oldest can be given back when there is too much. Where its class has none, a request takes a kept
 * block of up to twice its size before it asks the system: arrays whose sizes change from step to
 * step then live in the same pages. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE   /* MADV_HUGEPAGE */
#endif
#include "backend/cpu/cpu_memory.h"

#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>

#include "base/alloc.h"
#include "base/poison.h"

enum {
    ALIGN = 64, PAGE = 4096, EXACT = 1024, EXACT_CLASSES = EXACT / ALIGN,
    SMALL = 16384, SMALL_CLASSES = EXACT_CLASSES + 4 * 8,
    CLASSES = EXACT_CLASSES + 37 * 8,   /* up to 2^47 bytes */
    SLAB = 1 << 18, HUGE_PAGE = 1 << 21,
    REACH = 8,                   /* classes to the next doubling */
    NOTE_BITS = 10
};
#define KEEP_ANYWAY ((int64_t)512 << 20)
/* Blocks in use and kept ones together may be so much whatever the most in use has been. */
#define KEEP_BESIDE ((int64_t)32 << 20)

/* The first bytes of a block that is kept. */
typedef struct block {
    struct block *next, *prev;   /* prev: large blocks only */
    uint64_t freed_at;
} block;

typedef struct slab {
    int64_t size;                /* of its blocks */
    int64_t count;               /* of its blocks */
    /* blocks that were never handed out; while slabs are trimmed, all that are free */
    int64_t unused;
    struct slab *next;
} slab;

/* A block in use that is of a larger class than its request. */
typedef struct note {
    const block *b;
    int c;
} note;

static struct heap {
    _Alignas(64) _Atomic(int) locked;
    block *newest[CLASSES];
    block *oldest[CLASSES];      /* large classes only */
    slab *slabs[SMALL_CLASSES];
    int64_t used, peak;          /* bytes asked for */
    /* bytes of blocks in use, of blocks kept; the most that held has been */
    int64_t held, cached, high;
    uint64_t clock;
    bool forking;
    note note[1 << NOTE_BITS];   /* at the one place that the block's address leads to */
} heap;

static void lock(void)
{
    for (int spins = 0; atomic_exchange_explicit(&heap.locked, 1, memory_order_acquire); spins++)
        if (spins > 100)
            sched_yield();
}

static void unlock(void)
{
    atomic_store_explicit(&heap.locked, 0, memory_order_release);
}

/* What this thread has had the system give: hdi_memory_stats. */
static _Thread_local int64_t taken __attribute__((tls_model("initial-exec")));

/* ---- classes --------------------------------------------------------------------------------- */

static inline int class_of(int64_t n, int64_t *size)
{
    if (n <= EXACT) {
        int c = n > 0 ? (int)((n - 1) / ALIGN) : 0;
        *size = (int64_t)(c + 1) * ALIGN;
        return c;
    }
    int k = 63 - __builtin_clzll((uint64_t)(n - 1));   /* 2^k <= n - 1 < 2^(k+1) */
    int eighth = (int)((n - 1) >> (k - 3));            /* 8 ... 15 */
    *size = (int64_t)(eighth + 1) << (k - 3);
    return EXACT_CLASSES + (k - 10) * 8 + (eighth - 8);
}

/* Bytes of the mapping of a large block. */
static int64_t mapped(int64_t size)
{
    return (size + PAGE - 1) & -(int64_t)PAGE;
}

/* ---- the system ------------------------------------------------------------------------------ */

/* Maps size bytes at a multiple of align by asking for more and returning both ends. */
static void *map_aligned(int64_t size, int64_t align)
{
    int64_t extra = align > PAGE ? align : 0;
    uint8_t *p = mmap(NULL, (size_t)(size + extra), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    if (extra > 0) {
        int64_t before = (int64_t)(-(uintptr_t)p & (uintptr_t)(align - 1)), after = extra - before;
        if (before > 0)
            munmap(p, (size_t)before);
        if (after > 0)
            munmap(p + before + size, (size_t)after);
        p += before;
    }
    return p;
}

static void *map_large(int64_t size)
{
    void *p = map_aligned(mapped(size), size >= HUGE_PAGE ? HUGE_PAGE : PAGE);
    taken += p != NULL ? mapped(size) : 0;
    if (p != NULL && size >= HUGE_PAGE)
        /* a wish: without huge pages it is only slower */
        madvise(p, (size_t)mapped(size), MADV_HUGEPAGE);
    return p;
}

/* ---- large blocks ---------------------------------------------------------------------------- */

static void unlink_block(int c, block *b)
{
    *(b->prev ? &b->prev->next : &heap.newest[c]) = b->next;
    *(b->next ? &b->next->prev : &heap.oldest[c]) = b->prev;
}

static void link_block(int c, block *b)
{
    b->prev = NULL;
    b->next = heap.newest[c];
    b->freed_at = heap.clock++;
    *(b->next ? &b->next->prev : &heap.oldest[c]) = b;
    heap.newest[c] = b;
}

/* The class whose oldest kept block was freed first; -1 if no large block is kept. */
static int oldest_class(void)
{
    int best = -1;
    for (int c = SMALL_CLASSES; c < CLASSES; c++)
        if (heap.oldest[c] != NULL &&
            (best < 0 || heap.oldest[c]->freed_at < heap.oldest[best]->freed_at))
            best = c;
    return best;
}

static int64_t class_size(int c)
{
    int k = 10 + (c - EXACT_CLASSES) / 8, eighth = 8 + (c - EXACT_CLASSES) % 8;
    return (int64_t)(eighth + 1) << (k - 3);
}

/* Takes the oldest kept blocks out of the lists until at most `limit` bytes are kept; they hang
 * together by `next`, with their sizes in freed_at, for give_back() to unmap when the lock is
 * off. */
static block *evict(int64_t limit)
{
    block *out = NULL;
    while (heap.cached > limit) {
        int c = oldest_class();
        if (c < 0)
            break;
        block *b = heap.oldest[c];
        unlink_block(c, b);
        heap.cached -= mapped(class_size(c));
        b->freed_at = (uint64_t)mapped(class_size(c));
        b->next = out;
        out = b;
    }
    return out;
}

static int64_t give_back(block *b)
{
    int64_t bytes = 0;
    while (b != NULL) {
        block *next = b->next;
        int64_t size = (int64_t)b->freed_at;
        HDI_UNPOISON(b, (size_t)size);
        munmap(b, (size_t)size);
        bytes += size;
        b = next;
    }
    return bytes;
}

static note *note_of(const block *b)
{
    uint64_t mixed = ((uint64_t)(uintptr_t)b / PAGE) * 0x9E3779B97F4A7C15u;
    return &heap.note[mixed >> (64 - NOTE_BITS)];
}

/* A kept block for class c, of that class or the smallest larger one within reach. A larger one is
 * noted; where the place of its note is taken it stays. */
static block *take_kept(int c, int *own)
{
    for (*own = c; *own <= c + REACH && *own < CLASSES; ++*own) {
        block *b = heap.newest[*own];
        if (b == NULL || (*own != c && note_of(b)->b != NULL))
            continue;
        if (*own != c)
            *note_of(b) = (note){b, *own};
        unlink_block(*own, b);
        return b;
    }
    *own = c;
    return NULL;
}

/* The class of a block that was requested as one of class c. Its note goes. */
static int own_class(const block *b, int c)
{
    note *n = note_of(b);
    if (n->b != b)
        return c;
    n->b = NULL;
    return n->c;
}

static void *alloc_large(int c, int64_t nbytes)
{
    int own;
    lock();
    block *b = take_kept(c, &own), *surplus = NULL;
    int64_t size = class_size(own);
    if (b != NULL) {
        heap.cached -= mapped(size);
    } else {
        /* New pages: what is kept must make room, or the cache would raise the peak. */
        int64_t held = heap.held + mapped(size);
        surplus = evict(hdi_max64(hdi_max64(heap.high, KEEP_BESIDE), held) - held);
    }
    heap.held += mapped(size);
    heap.high = hdi_max64(heap.high, heap.held);
    heap.used += nbytes;
    heap.peak = hdi_max64(heap.peak, heap.used);
    unlock();
    give_back(surplus);
    if (b == NULL && (b = map_large(size)) == NULL) {
        hdi_cpu_trim();
        b = map_large(size);
    }
    if (b == NULL) {
        lock();
        heap.held -= mapped(size);
        heap.used -= nbytes;
        unlock();
        return NULL;
    }
    HDI_UNPOISON(b, (size_t)mapped(class_size(c)));   /* the rest of a larger one is nobody's */
    return b;
}

static void free_large(int c, block *b, int64_t nbytes)
{
    lock();
    c = own_class(b, c);
    int64_t size = class_size(c);
    /* before the lock is off: from then on it may be another thread's, or unmapped */
    HDI_POISON((uint8_t *)b + sizeof(block), (size_t)mapped(size) - sizeof(block));
    heap.used -= nbytes;
    heap.held -= mapped(size);
    heap.cached += mapped(size);
    link_block(c, b);
    block *surplus = evict(hdi_max64(KEEP_ANYWAY, heap.held));
    unlock();
    give_back(surplus);
}

/* ---- small blocks ---------------------------------------------------------------------------- */

/* One more slab of class c. Its blocks are linked by cut_slab(), a page at a time, so that pages
 * are touched only when needed. */
static bool add_slab(int c, int64_t size)
{
    slab *s = map_aligned(SLAB, SLAB);
    if (s == NULL) {
        hdi_cpu_trim();
        s = map_aligned(SLAB, SLAB);
    }
    if (s == NULL)
        return false;
    taken += SLAB;
    s->size = size;
    s->count = s->unused = (SLAB - ALIGN) / size;
    lock();
    s->next = heap.slabs[c];
    heap.slabs[c] = s;
    unlock();
    return true;
}

/* Links the next few never-used blocks of the newest slab. */
static bool cut_slab(int c)
{
    slab *s = heap.slabs[c];
    if (s == NULL || s->unused == 0)
        return false;
    int64_t n = hdi_min64(s->unused, hdi_max64(1, PAGE / s->size));
    for (int64_t i = n; i-- > 0;) {
        block *b = (block *)((uint8_t *)s + ALIGN + (s->count - s->unused + i) * s->size);
        b->next = heap.newest[c];
        heap.newest[c] = b;
    }
    s->unused -= n;
    heap.cached += n * s->size;
    return true;
}

static void *alloc_small(int c, int64_t nbytes, int64_t size)
{
    lock();
    while (HDI_UNLIKELY(heap.newest[c] == NULL) && !cut_slab(c)) {
        unlock();
        if (!add_slab(c, size))
            return NULL;
        lock();
    }
    block *b = heap.newest[c];
    HDI_UNPOISON(b, (size_t)size);
    heap.newest[c] = b->next;
    heap.cached -= size;
    heap.held += size;
    heap.used += nbytes;
    heap.high = hdi_max64(heap.high, heap.held);
    heap.peak = hdi_max64(heap.peak, heap.used);
    unlock();
    return b;
}

static void free_small(int c, block *b, int64_t nbytes, int64_t size)
{
    lock();
    b->next = heap.newest[c];
    heap.newest[c] = b;
    HDI_POISON((uint8_t *)b + sizeof(block *), (size_t)size - sizeof(block *));
    heap.cached += size;
    heap.held -= size;
    heap.used -= nbytes;
    unlock();
}

static slab *slab_of(block *b)
{
    return (slab *)((uintptr_t)b & -(uintptr_t)SLAB);
}

/* Takes the slabs of class c that have no block in use out of the lists. */
static slab *empty_slabs(int c)
{
    slab *out = NULL;
    for (block *b = heap.newest[c]; b != NULL; b = b->next)
        slab_of(b)->unused++;
    for (block **link = &heap.newest[c]; *link != NULL;) {
        slab *s = slab_of(*link);
        if (s->unused == s->count) {
            heap.cached -= s->size;
            *link = (*link)->next;
        } else
            link = &(*link)->next;
    }
    for (slab **link = &heap.slabs[c]; *link != NULL;) {
        slab *s = *link;
        if (s->unused == s->count) {
            *link = s->next;
            s->next = out;
            out = s;
        } else
            link = &s->next;
    }
    for (block *b = heap.newest[c]; b != NULL; b = b->next)
        slab_of(b)->unused--;
    return out;
}

/* ---- the interface --------------------------------------------------------------------------- */

void *hdi_cpu_alloc(int64_t nbytes)
{
    int64_t size;
    if (HDI_UNLIKELY(hdi_alloc_should_fail()) || nbytes < 0 || nbytes > (int64_t)1 << 46)
        return NULL;
    int c = class_of(nbytes, &size);
    return size <= SMALL ? alloc_small(c, nbytes, size) : alloc_large(c, nbytes);
}

void hdi_cpu_free(void *p, int64_t nbytes)
{
    int64_t size;
    if (p == NULL)
        return;
    int c = class_of(nbytes, &size);
    if (size <= SMALL)
        free_small(c, p, nbytes, size);
    else
        free_large(c, p, nbytes);
}

int64_t hdi_cpu_block_bytes(const void *p, int64_t nbytes)
{
    int64_t size;
    int c = class_of(nbytes, &size);
    if (size <= SMALL)
        return size;
    lock();
    const note *n = note_of(p);
    c = n->b != NULL && n->b == p ? n->c : c;
    unlock();
    return mapped(class_size(c));
}

int64_t hdi_cpu_trim(void)
{
    int64_t bytes = 0;
    lock();
    block *large = evict(0);
    unlock();
    bytes += give_back(large);
    for (int c = 0; c < SMALL_CLASSES; c++) {
        lock();
        slab *s = empty_slabs(c);
        unlock();
        while (s != NULL) {
            slab *next = s->next;
            HDI_UNPOISON(s, SLAB);
            munmap(s, SLAB);
            bytes += SLAB;
            s = next;
        }
    }
    return bytes;
}

int64_t hdi_cpu_capacity(void)
{
    struct sysinfo host;
    struct rlimit limit;
    int64_t most = INT64_MAX;
    if (sysinfo(&host) == 0)
        most = (int64_t)((host.totalram + host.totalswap) * host.mem_unit);
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur < (rlim_t)most)
        most = (int64_t)limit.rlim_cur;
    return most;
}

void hdi_cpu_memory_stats(hdi_memory_stats *out, bool reset_peak)
{
    lock();
    out->used = heap.used;
    out->peak = heap.peak;
    out->cached = heap.cached;
    out->taken = taken;
    if (reset_peak)
        heap.peak = heap.used;
    unlock();
}

void hdi_cpu_memory_before_fork(void)
{
    lock();
    heap.forking = true;
}

void hdi_cpu_memory_after_fork(void)
{
    if (!heap.forking)
        return;
    heap.forking = false;
    unlock();
}
