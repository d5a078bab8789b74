/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_random.c - the first m of 0 ... n - 1 in random order, by Fisher and Yates; and a table
 * looked up. An order is drawn by one thread, so the number of threads cannot matter.
 * Source     Durstenfeld: Algorithm 235: Random permutation (CACM 7, 1964) */
#include "backend/cpu/cpu_library.h"
#include "base/random_stream.h"
#include "base/alloc.h"
#include "base/pool.h"

enum {
    ASK_EVERY = 1 << 20,         /* swaps between questions whether to stop */
    AHEAD = 64,                  /* swaps whose partners are drawn together */
    SPARSE = 32,                 /* fewer than n / SPARSE are wanted: only what moved is kept */
    PICKS = 1 << 12              /* look-ups of a task */
};

/* ---- orders ---------------------------------------------------------------------------------- */

/* Places that hold something other than their own number: an open table of 2^bits pairs, at most
 * half full. An empty pair has place -1. */
typedef struct moved { int64_t *pair; int bits; } moved;

static int64_t *moved_find(const moved *t, int64_t place)
{
    uint64_t at = (uint64_t)place * 0x9E3779B97F4A7C15u >> (64 - t->bits);
    while (t->pair[2 * at] != place && t->pair[2 * at] != -1)
        at = (at + 1) & (((uint64_t)1 << t->bits) - 1);
    return t->pair + 2 * at;
}

typedef struct orders {
    const hdi_xcall *x;
    int64_t n, m;
    hdi_cpu_asker ask;
    bool stopped;                /* where there is one row, hence one thread */
    _Atomic(bool) nomem;
} orders;

/* The swap partner of place i. */
static int64_t partner(random_stream *s, int64_t i, int64_t n)
{
    return i + (int64_t)stream_below(stream_word(s), (uint64_t)(n - i), s);
}

static bool keeps_on(orders *o, int64_t i)
{
    if (i % ASK_EVERY == 0 && i > 0 && o->x->out.dims[0] == 1 && o->ask != NULL && o->ask())
        o->stopped = true;
    return !o->stopped;
}

/* With all n places at hand; out has room for m of them. Partners do not depend on what was
 * swapped: some are drawn ahead, so that their cache misses go side by side. */
static void order_dense(orders *o, random_stream *s, int64_t *place, int64_t *out)
{
    int64_t partners[AHEAD];
    for (int64_t i = 0; i < o->n; i++)
        place[i] = i;
    for (int64_t i = 0, m; i < o->m && keeps_on(o, i); i += m) {
        m = hdi_min64(AHEAD, o->m - i);
        for (int64_t k = 0; k < m; k++) {
            partners[k] = partner(s, i + k, o->n);
            __builtin_prefetch(&place[partners[k]], 1);
        }
        for (int64_t k = 0; k < m; k++) {
            const int64_t j = partners[k], taken = place[j];
            place[j] = place[i + k];
            out[i + k] = taken;
        }
    }
}

/* The same swaps, where few of many places move: place i is never looked at again, so only j is
 * kept. */
static void order_sparse(orders *o, random_stream *s, const moved *t, int64_t *out)
{
    memset(t->pair, -1, sizeof *t->pair * 2 << t->bits);
    for (int64_t i = 0; i < o->m && keeps_on(o, i); i++) {
        const int64_t *here = moved_find(t, i), value = here[0] == i ? here[1] : i;
        const int64_t j = partner(s, i, o->n);
        int64_t *there = moved_find(t, j);
        out[i] = there[0] == j ? there[1] : j;
        there[0] = j;
        there[1] = value;
    }
}

static void order_of(orders *o, uint64_t word, int64_t *out)
{
    random_stream s = stream_of(word);
    if (o->m == o->n) {
        order_dense(o, &s, out, out);
        return;
    }
    moved t = {.bits = 1};
    const bool sparse = o->m < o->n / SPARSE;
    while (sparse && (int64_t)1 << t.bits < 2 * o->m)
        t.bits++;
    const size_t bytes = sizeof(int64_t) * (sparse ? (size_t)2 << t.bits : (size_t)o->n);
    t.pair = hdi_alloc(bytes);
    if (t.pair == NULL)
        o->nomem = true;
    else if (sparse)
        order_sparse(o, &s, &t, out);
    else
        order_dense(o, &s, t.pair, out);
    hdi_free(t.pair, bytes);
}

static bool order_task(void *ctx, int64_t row)
{
    orders *o = ctx;
    uint64_t word;
    memcpy(&word, o->x->in[0].ptr + row * o->x->in[0].strides[0], sizeof word);
    order_of(o, word, (int64_t *)(void *)(o->x->out.ptr + row * o->x->out.strides[0]));
    return true;
}

/* out (rows, m), whose rows are dense; in[0] (rows). */
hd_status hdi_cpu_random_order(const hdi_xcall *x)
{
    orders o = {.x = x, .n = x->payload.n, .m = x->out.dims[1], .ask = hdi_cpu_may_stop(x)};
    int64_t next = 0;
    hd_status status = hdi_pool_run(x->out.dims[0], order_task, &o, &next, o.ask);
    if (o.nomem)
        return hdi_fail(HD_NOMEM, "out of memory for %lld places", (long long)o.n);
    return o.stopped ? HD_INTERRUPTED : status;
}

/* ---- a table --------------------------------------------------------------------------------- */

static bool pick_task(void *ctx, int64_t task)
{
    const hdi_xcall *x = ctx;
    const hdi_xarg *from = &x->in[0], *table = &x->in[1];
    for (int64_t i = task * PICKS; i < hdi_min64((task + 1) * PICKS, from->dims[0]); i++) {
        const double v = *(const double *)(const void *)(from->ptr + i * from->strides[0]);
        int64_t low = 0, high = table->dims[0];
        while (low < high) {
            const int64_t middle = low + (high - low) / 2;
            if (*(const double *)(const void *)(table->ptr + middle * table->strides[0]) <= v)
                low = middle + 1;
            else
                high = middle;
        }
        *(int64_t *)(void *)(x->out.ptr + i * x->out.strides[0]) = low;
    }
    return true;
}

/* float64 in[0] (n) and in[1] (k), int64 out (n) */
hd_status hdi_cpu_random_pick(const hdi_xcall *x)
{
    int64_t next = 0;
    return hdi_pool_run((x->out.dims[0] + PICKS - 1) / PICKS, pick_task, (void *)(uintptr_t)x,
                        &next, hdi_cpu_may_stop(x));
}
