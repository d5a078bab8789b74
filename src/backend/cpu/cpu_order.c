/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_order.c - see cpu_order.h. A row that does not fit the cache is cut in blocks. Each is split
 * by the same thresholds, which come from some of the words, into as many pieces; from the pieces'
 * sizes it follows where each belongs, and there they make heaps that are put in order one by
 * one. */
#include "backend/cpu/cpu_order.h"

#include <string.h>

#include "backend/cpu/cpu_scratch.h"
#include "base/pool.h"

enum {
    NEAR = 1 << 17,              /* words that are not worth a cut */
    BLOCK = 1 << 17,             /* bytes of a block */
    HEAP = 1 << 16,              /* words that a heap should have */
    HEAPS = 256,                 /* at most, but for those of one value each */
    OVER = 16,                   /* words looked at for each threshold */
    SOME = HEAPS * OVER,
    ROUND_A_RANK = 96            /* of SOME: three standard deviations of where a rank is */
};

/* A row that is cut. Heap h has words of [least[h], least[h + 1]) and ranks [rank[h],
 * rank[h + 1]). */
typedef struct cut {
    const hdi_cpu_order *o;
    /* There are few heaps: blocks are read twice, to count and to place; else their pieces wait in
     * y, which takes longer than to count a few times. */
    bool twice;
    int64_t block, blocks;       /* words of one; how many */
    int heaps;
    uint64_t least[2 * HEAPS + 1];
    int64_t start[2 * HEAPS + 1], rank[2 * HEAPS + 1];
    int64_t *at;                 /* [block][heap]: words of the piece, then where it belongs */
} cut;

static int64_t block_words(int size)
{
    return BLOCK / size;
}

int64_t hdi_cpu_order_room(int64_t n, int size)
{
    const int64_t blocks = n / block_words(size) + 1;
    return n <= NEAR ? 0
                     : (int64_t)sizeof(cut) + blocks * 2 * HEAPS * (int64_t)sizeof(int64_t) +
                           2 * BLOCK + 2 * SOME * size + 256;
}

static uint64_t word(const void *words, int64_t i, int size)
{
    return size == 4 ? ((const uint32_t *)words)[i] : ((const uint64_t *)words)[i];
}

/* ---- thresholds ------------------------------------------------------------------------------ */

/* One more threshold, if it is one. */
static void add_threshold(cut *c, uint64_t least)
{
    if (least > c->least[c->heaps - 1] && least <= c->o->high)
        c->least[c->heaps++] = least;
}

/* Heaps of about equal size; a word that makes up more than that has one of its own. */
static void even_thresholds(cut *c, const void *some)
{
    const int64_t wanted = hdi_min64(HEAPS, hdi_max64(c->o->n / HEAP, 2));
    uint64_t last = 0;
    for (int64_t h = 1; h < wanted; h++) {
        const uint64_t here = word(some, h * SOME / wanted, c->o->size);
        add_threshold(c, here);
        if (here == last && here < c->o->high)
            add_threshold(c, here + 1);
        last = here;
    }
}

/* Each rank in a small heap, as is most likely. */
static void rank_thresholds(cut *c, const void *some)
{
    for (int64_t k = 0; k < c->o->ranks; k++) {
        const int64_t at = (int64_t)((__int128)c->o->rank[k] * SOME / c->o->n);
        const uint64_t after = word(some, hdi_min64(at + ROUND_A_RANK, SOME - 1), c->o->size);
        if (at >= ROUND_A_RANK)
            add_threshold(c, word(some, at - ROUND_A_RANK, c->o->size));
        if (at + ROUND_A_RANK < SOME && after < c->o->high)
            add_threshold(c, after + 1);
    }
}

static bool few_ranks(const hdi_cpu_order *o)
{
    return o->rank != NULL && o->ranks <= 4;
}

/* From words that lie evenly but for a little, in order. */
static hd_status find_thresholds(cut *c)
{
    const hdi_cpu_order *o = c->o;
    uint8_t *some = hdi_cpu_scratch(SOME * o->size), *help = hdi_cpu_scratch(SOME * o->size);
    if (some == NULL || help == NULL)
        return HD_NOMEM;
    const int64_t step = o->n / SOME;
    uint32_t chance = 1;
    for (int64_t i = 0; i < SOME; i++) {
        const int64_t from = i * step + (int64_t)(((uint64_t)chance * (uint64_t)step) >> 32);
        o->load(o->ctx, some + i * o->size, from, from + 1);
        chance = chance * 1664525 + 1013904223;
    }
    o->l->order((hdi_order){some, help, SOME, false, 0, o->high, NULL, 0, 0});
    c->heaps = 1;
    c->least[0] = 0;
    if (few_ranks(o))
        rank_thresholds(c, some);
    else
        even_thresholds(c, some);
    c->least[c->heaps] = o->high;
    return HD_OK;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* The n words at x, of heaps [from, to), to pieces; y helps. They end in x or y, as wanted. */
static void split_block(const cut *c, uint8_t *x, uint8_t *y, int64_t n, int from, int to,
                        bool to_y, int64_t *count)
{
    const int64_t size = c->o->size;
    if (to - from == 1) {
        count[from] = n;
        if (to_y)
            memcpy(y, x, (size_t)(n * size));
        return;
    }
    const int middle = (from + to) / 2;
    const int64_t m = c->o->l->split(x, y, n, c->least[middle]);
    split_block(c, y, x, m, from, middle, !to_y, count);
    split_block(c, y + m * size, x + m * size, n - m, middle, to, !to_y, count);
}

/* The words of block b: in their place in y, or in scratch. NULL: there is not enough of that. */
static uint8_t *load_block(const cut *c, int64_t b, int64_t *n)
{
    const hdi_cpu_order *o = c->o;
    const int64_t from = b * c->block, to = hdi_min64(from + c->block, o->n);
    uint8_t *words = c->twice ? hdi_cpu_scratch(BLOCK) : (uint8_t *)o->y + from * o->size;
    *n = to - from;
    if (words != NULL)
        o->load(o->ctx, words, from, to);
    return words;
}

static bool split_task(void *ctx, int64_t b)
{
    const cut *c = ctx;
    int64_t n;
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    uint8_t *words = load_block(c, b, &n), *help = hdi_cpu_scratch(BLOCK);
    if (help != NULL)
        split_block(c, words, help, n, 0, c->heaps, false, c->at + b * c->heaps);
    hdi_cpu_scratch_release(mark);
    return help != NULL;
}

static bool count_task(void *ctx, int64_t b)
{
    const cut *c = ctx;
    int64_t n, before = 0;
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    const uint8_t *words = load_block(c, b, &n);
    for (int h = 0; h < c->heaps && words != NULL; h++) {
        const int64_t below = h + 1 < c->heaps ? c->o->l->below(words, n, c->least[h + 1]) : n;
        c->at[b * c->heaps + h] = below - before;
        before = below;
    }
    hdi_cpu_scratch_release(mark);
    return words != NULL;
}

/* Sizes of pieces to their places: heap after heap, and in a heap block after block. */
static void add_up(cut *c)
{
    int64_t next[2 * HEAPS], total = 0, k = 0;
    memset(c->start, 0, sizeof c->start);
    for (int64_t b = 0; b < c->blocks; b++)
        for (int h = 0; h < c->heaps; h++)
            c->start[h] += c->at[b * c->heaps + h];
    for (int h = 0; h <= c->heaps; h++) {
        const int64_t n = h < c->heaps ? c->start[h] : 0;
        c->start[h] = total;
        while (k < c->o->ranks && c->o->rank[k] < total)
            k++;
        c->rank[h] = k;
        total += n;
    }
    memcpy(next, c->start, sizeof next);
    for (int64_t b = 0; b < c->blocks; b++)
        for (int h = 0; h < c->heaps; h++) {
            int64_t *at = &c->at[b * c->heaps + h];
            const int64_t n = *at;
            *at = next[h];
            next[h] += n;
        }
}

/* Are heap h's words to be put in order? */
static bool matters(const cut *c, int h)
{
    return c->o->rank == NULL || c->rank[h] < c->rank[h + 1];
}

/* The pieces of block b to their heaps. Where one ends is where the next block's begins. */
static void place(const cut *c, int64_t b, const uint8_t *from)
{
    const hdi_cpu_order *o = c->o;
    for (int h = 0; h < c->heaps; h++) {
        const int64_t *at = c->at + b * c->heaps + h,
                      end = b + 1 < c->blocks ? at[c->heaps] : c->start[h + 1],
                      bytes = (end - *at) * o->size;
        memcpy((uint8_t *)o->x + *at * o->size, from, (size_t)bytes);
        if (!matters(c, h))
            o->store(o->ctx, *at, end);
        from += bytes;
    }
}

static bool place_task(void *ctx, int64_t b)
{
    const cut *c = ctx;
    place(c, b, (const uint8_t *)c->o->y + b * c->block * c->o->size);
    return true;
}

static bool split_and_place_task(void *ctx, int64_t b)
{
    const cut *c = ctx;
    int64_t n, count[2 * HEAPS];
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    uint8_t *words = load_block(c, b, &n), *help = hdi_cpu_scratch(BLOCK);
    const bool fits = words != NULL && help != NULL;
    if (fits) {
        split_block(c, words, help, n, 0, c->heaps, false, count);
        place(c, b, words);
    }
    hdi_cpu_scratch_release(mark);
    return fits;
}

static bool heap_task(void *ctx, int64_t number)
{
    const cut *c = ctx;
    const hdi_cpu_order *o = c->o;
    const int h = (int)number;
    const int64_t at = c->start[h], n = c->start[h + 1] - at;
    if (!matters(c, h))
        return true;
    o->l->order((hdi_order){
        .x = (uint8_t *)o->x + at * o->size, .y = (uint8_t *)o->y + at * o->size, .n = n,
        .low = c->least[h], .high = h + 1 < c->heaps ? c->least[h + 1] - 1 : o->high,
        .rank = o->rank != NULL ? o->rank + c->rank[h] : NULL,
        .ranks = c->rank[h + 1] - c->rank[h], .first = at});
    o->store(o->ctx, at, at + n);
    return true;
}

/* ---- a row ----------------------------------------------------------------------------------- */

static hd_status order_cut(const hdi_cpu_order *o)
{
    hd_status status;
    int64_t next = 0;
    cut *c = hdi_cpu_scratch((int64_t)sizeof *c);
    if (c == NULL)
        return HD_NOMEM;
    *c = (cut){.o = o, .twice = few_ranks(o), .block = block_words(o->size)};
    c->blocks = (o->n + c->block - 1) / c->block;
    HD_TRY(find_thresholds(c));
    c->at = hdi_cpu_scratch(c->blocks * c->heaps * (int64_t)sizeof *c->at);
    if (c->at == NULL || !hdi_cpu_scratch_reserve(2 * BLOCK))
        return HD_NOMEM;
    HD_TRY(hdi_pool_run(c->blocks, c->twice ? count_task : split_task, c, &next, o->ask));
    add_up(c);
    next = 0;
    HD_TRY(hdi_pool_run(c->blocks, c->twice ? split_and_place_task : place_task, c, &next,
                        o->ask));
    next = 0;
    HD_TRY(hdi_pool_run(c->heaps, heap_task, c, &next, o->ask));
done:
    return status;
}

static bool in_order(const hdi_cpu_order *o)
{
    int64_t i = 1;
    while (i < o->n && word(o->x, i - 1, o->size) <= word(o->x, i, o->size))
        i++;
    return i >= o->n;
}

hd_status hdi_cpu_order_row(const hdi_cpu_order *o)
{
    if (o->n > NEAR)
        return order_cut(o);
    o->load(o->ctx, o->x, 0, o->n);
    if (!in_order(o))
        o->l->order((hdi_order){o->x, o->y, o->n, false, 0, o->high, o->rank, o->ranks, 0});
    o->store(o->ctx, 0, o->n);
    return HD_OK;
}
