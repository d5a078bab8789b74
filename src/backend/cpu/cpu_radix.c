/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_radix.c - see cpu_radix.h. Much memory is dealt to 256 heaps by the highest 8 bits in which
 * elements differ; heaps, which fit the cache, are sorted by each thread for itself. A selection
 * goes on with the heaps that have a rank in them only. */
#include "backend/cpu/cpu_radix.h"

#include <string.h>

#include "base/pool.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum {
    RUN = 12,                    /* elements sorted by insertion */
    SMALL = 64,                  /* elements that are merged */
    DIGIT = 11,                  /* bits of a digit in the cache: counts take 8 KB of it */
    PART = 1 << 16,              /* elements of a part, at least */
    NEAR = 1 << 20,              /* bytes that fit the cache */
    ASK_EVERY = 1 << 22          /* elements dealt between questions whether to stop */
};

/* A line of the cache goes to memory past the cache. */
static inline void line_to_memory(void *to, const void *line)
{
#if defined(__SSE2__)
    for (int k = 0; k < 4; k++)
        _mm_stream_si128((__m128i *)to + k, _mm_load_si128((const __m128i *)line + k));
#else
    memcpy(to, line, 64);
#endif
}

/* Other threads see the lines from here on. */
static inline void lines_are_written(void)
{
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

#define T uint8_t
#define KEY(v) (v)
#define NAME(f) f##_8
#include "backend/cpu/cpu_radix_loops.h"
#define T uint16_t
#define KEY(v) (v)
#define NAME(f) f##_16
#include "backend/cpu/cpu_radix_loops.h"
#define T uint32_t
#define KEY(v) (v)
#define NAME(f) f##_32
#include "backend/cpu/cpu_radix_loops.h"
#define T uint64_t
#define KEY(v) (v)
#define NAME(f) f##_64
#include "backend/cpu/cpu_radix_loops.h"
#define T hdi_cpu_pair
#define KEY(v) ((v).key)
#define NAME(f) f##_pair
#include "backend/cpu/cpu_radix_loops.h"

typedef struct loops {
    int64_t (*ascending)(const void *x, int64_t n);
    uint64_t (*differ)(const void *x, int64_t n, const void *first);
    void (*count)(const void *x, int64_t n, int shift, int64_t *count);
    void (*deal)(const void *x, void *y, int64_t n, int shift, int64_t *at);
    void (*near)(void *x, void *y, int64_t n, int low, int high);
    void (*small)(void *x, void *y, int64_t n);
} loops;

static const loops *loops_for(int size)
{
#define ROW(s) {ascending_##s, differ_##s, count_##s, deal_##s, near_##s, small_##s}
    static const loops all[] = {ROW(8), ROW(16), ROW(32), ROW(64), ROW(pair)};
#undef ROW
    return all + __builtin_ctz((unsigned)size);
}

int hdi_cpu_radix_parts(int64_t n)
{
    const int64_t threads = hdi_pool_threads();
    return threads == 1 ? 1 : (int)hdi_max64(1, hdi_min64(2 * threads, n / PART));
}

int64_t hdi_cpu_radix_counts(int parts)
{
    return (parts + 1) * (int64_t)sizeof(int64_t[256]);
}

/* ---- one pass -------------------------------------------------------------------------------- */

typedef struct pass {
    const hdi_cpu_radix *r;
    const loops *l;
    uint8_t *x, *y;
    int64_t n;
    int low, high;               /* bits that are left; shift and up: those of the pass */
    int shift;
    _Atomic(uint64_t) differ;
} pass;

static int64_t part_start(const pass *p, int64_t part)
{
    return (int64_t)((__int128)p->n * part / p->r->parts);
}

static bool differ_part(void *ctx, int64_t part)
{
    pass *p = ctx;
    const int64_t from = part_start(p, part), to = part_start(p, part + 1);
    p->differ |= p->l->differ(p->x + from * p->r->size, to - from, p->x);
    return true;
}

static bool count_part(void *ctx, int64_t part)
{
    const pass *p = ctx;
    const int64_t from = part_start(p, part), to = part_start(p, part + 1);
    memset(p->r->count[part], 0, sizeof p->r->count[part]);
    p->l->count(p->x + from * p->r->size, to - from, p->shift, p->r->count[part]);
    return true;
}

static bool deal_part(void *ctx, int64_t part)
{
    const pass *p = ctx;
    const int64_t from = part_start(p, part), to = part_start(p, part + 1);
    p->l->deal(p->x + from * p->r->size, p->y, to - from, p->shift, p->r->count[part]);
    return true;
}

static bool copy_part(void *ctx, int64_t part)
{
    const pass *p = ctx;
    const int64_t from = part_start(p, part), to = part_start(p, part + 1);
    memcpy(p->x + from * p->r->size, p->y + from * p->r->size,
           (size_t)((to - from) * p->r->size));
    return true;
}

static hd_status over_parts(pass *p, hdi_task task)
{
    int64_t next = 0;
    if (p->r->parts > 1)
        return hdi_pool_run(p->r->parts, task, p, &next, p->r->ask);
    if (p->n >= ASK_EVERY && p->r->ask != NULL && p->r->ask())
        return HD_INTERRUPTED;
    task(p, 0);
    return HD_OK;
}

/* Counts to places: of value 0 in part 0, part 1, ..., then of value 1. The totals go to the
 * entry past the parts. */
static void add_up(const hdi_cpu_radix *r)
{
    int64_t at = 0, *total = r->count[r->parts];
    for (int v = 0; v < 256; v++) {
        const int64_t start = at;
        for (int part = 0; part < r->parts; part++) {
            const int64_t here = r->count[part][v];
            r->count[part][v] = at;
            at += here;
        }
        total[v] = at - start;
    }
}

/* Deals x to y by the highest bits that differ, and says how many elements each value has. Without
 * such bits *shift is -1, and nothing was done. */
static hd_status deal_highest(pass *p, int64_t *total)
{
    hd_status status;
    p->differ = 0;
    p->shift = -1;
    HD_TRY(over_parts(p, differ_part));
    const uint64_t below = p->high < 64 ? ((uint64_t)1 << p->high) - 1 : UINT64_MAX,
                   bits = p->low < 64 ? (p->differ & below) >> p->low << p->low : 0;
    if (bits == 0)
        return HD_OK;
    p->high = 64 - __builtin_clzll(bits);
    p->low = __builtin_ctzll(bits);
    p->shift = (int)hdi_max64(p->high - 8, p->low);
    HD_TRY(over_parts(p, count_part));
    add_up(p->r);
    memcpy(total, p->r->count[p->r->parts], sizeof(int64_t[256]));
    HD_TRY(over_parts(p, deal_part));
done:
    return status;
}

/* ---- sorting --------------------------------------------------------------------------------- */

/* The heaps of y, some of which are still to be sorted, with x to help. */
typedef struct heaps {
    pass *p;
    const int64_t *start;        /* of 256 heaps, and the end */
    int64_t large;               /* elements of a heap that all threads sort together */
} heaps;

/* One heap by the bits below those dealt by; by this thread alone unless r has parts. */
static hd_status sort_heap(const hdi_cpu_radix *r, const heaps *h, int64_t v)
{
    const pass *p = h->p;
    const int64_t n = h->start[v + 1] - h->start[v], at = h->start[v] * r->size;
    void *x = p->y + at, *y = p->x + at;
    hdi_cpu_radix rest = *r;
    rest.low = p->low;
    rest.high = p->shift;
    const hd_status status = hdi_cpu_radix_sort(&rest, &x, &y, n);
    if (x != p->y + at)
        memcpy(y, x, (size_t)(n * r->size));
    return status;
}

static bool heap_task(void *ctx, int64_t v)
{
    const heaps *h = ctx;
    int64_t count[2][256];
    hdi_cpu_radix r = {.size = h->p->r->size, .parts = 1, .count = count};
    if (h->start[v + 1] - h->start[v] < h->large)
        sort_heap(&r, h, v);
    return true;
}

static hd_status sort_heaps(pass *p, const int64_t *total)
{
    int64_t start[257] = {0}, next = 0;
    const hdi_cpu_radix *r = p->r;
    if (p->shift == p->low)
        return HD_OK;
    for (int v = 0; v < 256; v++)
        start[v + 1] = start[v] + total[v];
    const heaps h = {p, start, r->parts > 1 ? hdi_max64(p->n / r->parts, 2 * PART) : INT64_MAX};
    hd_status status = HD_OK;
    for (int v = 0; v < 256 && status == HD_OK; v++)
        if (total[v] >= h.large)
            status = sort_heap(r, &h, v);
    return status == HD_OK ? hdi_pool_run(256, heap_task, (void *)(uintptr_t)&h, &next, r->ask)
                           : status;
}

hd_status hdi_cpu_radix_sort(const hdi_cpu_radix *r, void **x, void **y, int64_t n)
{
    const loops *l = loops_for(r->size);
    int64_t total[256];
    if (n < 2 || l->ascending(*x, n) == n)
        return HD_OK;
    if (n * r->size <= NEAR) {
        l->near(*x, *y, n, r->low, r->high);
        return HD_OK;
    }
    pass p = {.r = r, .l = l, .x = *x, .y = *y, .n = n, .low = r->low, .high = r->high};
    hd_status status = deal_highest(&p, total);
    if (status != HD_OK || p.shift < 0)
        return status;
    void *was = *x;
    *x = *y;
    *y = was;
    return sort_heaps(&p, total);
}

/* ---- selecting ------------------------------------------------------------------------------- */

/* Ranks rank[k0], ..., rank[k1 - 1] are among the elements [from, to), which agree in the bits
 * from high on. */
typedef struct range { int64_t from, to, k0, k1; int high; } range;

typedef struct selection {
    const hdi_cpu_radix *r;
    const loops *l;
    uint8_t *x, *y;
    const int64_t *rank;
} selection;

static hd_status select_in(const selection *s, range g)
{
    const int64_t n = g.to - g.from;
    hdi_cpu_radix r = *s->r;
    int64_t total[256], at = g.from, k = g.k0;
    pass p = {.r = &r, .l = s->l, .x = s->x + g.from * r.size, .y = s->y + g.from * r.size, .n = n,
              .low = r.low, .high = g.high};
    if (n <= SMALL) {
        s->l->small(p.x, p.y, n);
        return HD_OK;
    }
    r.parts = n < 2 * PART ? 1 : r.parts;
    hd_status status = deal_highest(&p, total);
    if (status != HD_OK || p.shift < 0)
        return status;
    status = over_parts(&p, copy_part);
    for (int v = 0; v < 256 && k < g.k1 && status == HD_OK; v++) {
        const int64_t end = at + total[v], first = k;
        while (k < g.k1 && s->rank[k] < end)
            k++;
        if (k > first && p.shift > p.low)
            status = select_in(s, (range){at, end, first, k, p.shift});
        at = end;
    }
    return status;
}

hd_status hdi_cpu_radix_select(const hdi_cpu_radix *r, void *x, void *y, int64_t n,
                               const int64_t *rank, int64_t k)
{
    const selection s = {r, loops_for(r->size), x, y, rank};
    if (s.l->ascending(x, n) >= n)
        return HD_OK;
    return select_in(&s, (range){0, n, 0, k, r->high});
}
