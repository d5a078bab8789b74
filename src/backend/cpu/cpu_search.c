/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_search.c - searchsorted, bincount and histogram. Several searches go side by side, so that
 * their cache misses do. */
#include <math.h>

#include "backend/cpu/cpu_key.h"
#include "backend/cpu/cpu_scratch.h"
#include "backend/cpu/cpu_sort.h"
#include "backend/cpu/loops/loops.h"
#include "base/pool.h"

enum {
    SEARCHES = 1 << 12,          /* of a task */
    SIDE_BY_SIDE = 8,
    CHUNK = 256,                 /* elements whose keys are made at once */
    TABLE = 1 << 14,             /* a table of at most so many becomes keys before it is searched */
    COUNTED = 1 << 16,           /* elements of a task that counts into places of its own */
    PLACES = 1 << 14             /* more places than this, and one thread counts */
};

/* ---- keys ----------------------------------------------------------------------------------- */

HDI_CPU_INLINE void keys_of(const hdi_xarg *a, int64_t from, int64_t n, hd_dtype dt, uint64_t *key)
{
    const uint8_t *p = a->ptr + from * a->strides[0];
    for (int64_t k = 0; k < n; k++)
        key[k] = hdi_cpu_key(p + k * a->strides[0], dt);
}

static void make_keys(const hdi_xarg *a, int64_t from, int64_t n, uint64_t *key)
{
#define KEYS(D) keys_of(a, from, n, D, key)
    HDI_CPU_BY_DTYPE(a->dt, KEYS)
#undef KEYS
}

/* Where each of SIDE_BY_SIDE keys belongs among n > 0 ascending ones: behind those that are less,
 * right: or the same. */
HDI_CPU_INLINE void places_among(const uint64_t *keys, int64_t n, const uint64_t *key, bool right,
                                 int64_t *at)
{
    for (int k = 0; k < SIDE_BY_SIDE; k++)
        at[k] = 0;
    for (; n > 1; n -= n / 2)
        for (int k = 0; k < SIDE_BY_SIDE; k++) {
            const uint64_t here = keys[at[k] + n / 2 - 1];
            at[k] += (right ? here <= key[k] : here < key[k]) ? n / 2 : 0;
        }
    for (int k = 0; k < SIDE_BY_SIDE; k++)
        at[k] += right ? keys[at[k]] <= key[k] : keys[at[k]] < key[k];
}

/* ---- searchsorted ---------------------------------------------------------------------------- */

/* Does a table's element come before value? right: also where the two are equal. */
HDI_CPU_INLINE bool before(const uint8_t *element, uint64_t high, uint64_t low, hd_dtype dt,
                           bool right)
{
    if (dt == HD_COMPLEX128) {
        uint64_t h, l;
        hdi_cpu_key128(element, &h, &l);
        return h < high || (h == high && (l < low || (right && l == low)));
    }
    const uint64_t key = hdi_cpu_key(element, dt);
    return right ? key <= high : key < high;
}

/* m searches, m <= SIDE_BY_SIDE: each narrows [base, base + length), all of the same length. */
HDI_CPU_INLINE void search(const hdi_xcall *x, int64_t from, int m, hd_dtype dt, bool right)
{
    const hdi_xarg *table = &x->in[0], *values = &x->in[1];
    const int64_t step = table->strides[0];
    const uint8_t *base[SIDE_BY_SIDE];
    uint64_t high[SIDE_BY_SIDE], low[SIDE_BY_SIDE];
    int64_t length = table->dims[0];
    for (int k = 0; k < m; k++) {
        const uint8_t *p = values->ptr + (from + k) * values->strides[0];
        base[k] = table->ptr;
        low[k] = 0;
        if (dt == HD_COMPLEX128)
            hdi_cpu_key128(p, &high[k], &low[k]);
        else
            high[k] = hdi_cpu_key(p, dt);
    }
    while (length > 1) {
        const int64_t half = length / 2, jump = half * step;
        for (int k = 0; k < m; k++)
            base[k] += before(base[k] + jump - step, high[k], low[k], dt, right) ? jump : 0;
        length -= half;
    }
    for (int k = 0; k < m; k++) {
        int64_t at = step != 0 ? (base[k] - table->ptr) / step : 0;
        at += length == 1 && before(base[k], high[k], low[k], dt, right);
        memcpy(x->out.ptr + (from + k) * x->out.strides[0], &at, sizeof at);
    }
}

HDI_CPU_INLINE void search_all(const hdi_xcall *x, int64_t from, int64_t to, hd_dtype dt,
                               bool right)
{
    for (; from + SIDE_BY_SIDE <= to; from += SIDE_BY_SIDE)
        search(x, from, SIDE_BY_SIDE, dt, right);
    for (; from < to; from++)
        search(x, from, 1, dt, right);
}

/* A table whose elements are all one, in memory as well, has no steps to count. */
HDI_CPU_INLINE void search_repeated(const hdi_xcall *x, int64_t from, int64_t to, hd_dtype dt,
                                    bool right)
{
    for (; from < to; from++) {
        uint64_t high, low = 0;
        const uint8_t *p = x->in[1].ptr + from * x->in[1].strides[0];
        if (dt == HD_COMPLEX128)
            hdi_cpu_key128(p, &high, &low);
        else
            high = hdi_cpu_key(p, dt);
        const int64_t at = before(x->in[0].ptr, high, low, dt, right) ? x->in[0].dims[0] : 0;
        memcpy(x->out.ptr + from * x->out.strides[0], &at, sizeof at);
    }
}

static bool search_task(void *ctx, int64_t task)
{
    const hdi_xcall *x = ctx;
    const int64_t from = task * SEARCHES, to = hdi_min64(from + SEARCHES, x->out.dims[0]);
    const bool right = x->payload.right != 0;
    const bool repeated = x->in[0].strides[0] == 0 && x->in[0].dims[0] > 1;
#define SEARCH(D)                               \
    if (repeated)                               \
        search_repeated(x, from, to, D, right); \
    else if (right)                             \
        search_all(x, from, to, D, true);       \
    else                                        \
        search_all(x, from, to, D, false)
    HDI_CPU_BY_DTYPE(x->in[0].dt, SEARCH)
#undef SEARCH
    return true;
}

typedef struct key_table { const hdi_xcall *x; const uint64_t *keys; } key_table;

/* The same by the table's keys. */
static bool search_keys_task(void *ctx, int64_t task)
{
    const key_table *t = ctx;
    const hdi_xcall *x = t->x;
    const int64_t n = x->in[0].dims[0], end = hdi_min64((task + 1) * SEARCHES, x->out.dims[0]);
    for (int64_t i = task * SEARCHES, m; i < end; i += m) {
        uint64_t key[CHUNK] = {0};
        int64_t at[CHUNK];
        m = hdi_min64(CHUNK, end - i);
        make_keys(&x->in[1], i, m, key);
        for (int64_t k = 0; k < m && x->payload.right != 0; k += SIDE_BY_SIDE)
            places_among(t->keys, n, key + k, true, at + k);
        for (int64_t k = 0; k < m && x->payload.right == 0; k += SIDE_BY_SIDE)
            places_among(t->keys, n, key + k, false, at + k);
        for (int64_t k = 0; k < m; k++)
            memcpy(x->out.ptr + (i + k) * x->out.strides[0], &at[k], sizeof at[k]);
    }
    return true;
}

static hd_status search_keys(const hdi_xcall *x)
{
    int64_t next = 0;
    const int64_t n = x->in[0].dims[0];
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    uint64_t *keys = hdi_cpu_scratch(n * (int64_t)sizeof *keys);
    hd_status status;
    HD_REQUIRE(keys != NULL, HD_NOMEM, "out of memory for %lld keys", (long long)n);
    make_keys(&x->in[0], 0, n, keys);
    key_table t = {x, keys};
    status = hdi_pool_run((x->out.dims[0] + SEARCHES - 1) / SEARCHES, search_keys_task, &t, &next,
                          hdi_cpu_may_stop(x));
done:
    hdi_cpu_scratch_release(mark);
    return status;
}

/* in[0] (k) ascending, in[1] (n) of the same dtype, int64 out (n). */
hd_status hdi_cpu_searchsorted(const hdi_xcall *x)
{
    int64_t next = 0;
    if (x->in[0].dims[0] == 0) {
        for (int64_t i = 0; i < x->out.dims[0]; i++)
            memset(x->out.ptr + i * x->out.strides[0], 0, sizeof(int64_t));
        return HD_OK;
    }
    if (x->in[0].dims[0] <= hdi_min64(TABLE, x->out.dims[0] / 2) && x->in[0].dt != HD_COMPLEX128)
        return search_keys(x);
    return hdi_pool_run((x->out.dims[0] + SEARCHES - 1) / SEARCHES, search_task,
                        (void *)(uintptr_t)x, &next, hdi_cpu_may_stop(x));
}

/* ---- bincount -------------------------------------------------------------------------------- */

/* The places that m <= CHUNK elements from `from` on name, times step. */
static void places(const hdi_xcall *x, int64_t from, int64_t m, int64_t step, int64_t *at)
{
    const hdi_xarg *a = &x->in[0];
    const bool wide = a->dt == HD_INT64;
    const hdi_loops *l = hdi_loops_chosen();
    const uint8_t *number = a->ptr + from * a->strides[0];
    int64_t room[CHUNK];
    if (a->strides[0] != (wide ? 8 : 4)) {
        l->gather[wide ? 3 : 2](room, number, a->strides[0], m);
        number = (const uint8_t *)room;
    }
    l->index[wide](at, number, m, x->out.dims[0], step);
}

/* Sums are made in the order of the elements, whatever the number of threads. */
static hd_status add_weights(const hdi_xcall *x, hdi_cpu_asker ask)
{
    const hdi_xarg *from = &x->in[0], *weights = &x->in[1];
    const hdi_loops *l = hdi_loops_chosen();
    int64_t offset[CHUNK];
    for (int64_t i = 0, m; i < from->dims[0]; i += m) {
        m = hdi_min64(CHUNK, from->dims[0] - i);
        if (i % ((int64_t)COUNTED * 64) == 0 && i > 0 && ask != NULL && ask())
            return HD_INTERRUPTED;
        places(x, i, m, sizeof(double), offset);
        l->at[HDI_SCAN_cumsum][HD_FLOAT64](x->out.ptr, offset,
                                           weights->ptr + i * weights->strides[0],
                                           weights->strides[0], m);
    }
    return HD_OK;
}

typedef struct counting {
    const hdi_xcall *x;
    int64_t n, places, parts;
    int64_t *count;              /* of each part */
    const double *edges;         /* of equal bins; else NULL */
    double by;                   /* bins to a unit */
    const uint64_t *edge_keys;   /* of others */
} counting;

static double real_at(const hdi_xarg *a, int64_t i)
{
    float single;
    double v;
    const uint8_t *p = a->ptr + i * a->strides[0];
    if (a->dt == HD_FLOAT64) {
        memcpy(&v, p, sizeof v);
        return v;
    }
    memcpy(&single, p, sizeof single);
    return single;
}

/* What rounding leads to a bin beside the right one is put right. An element outside has the place
 * behind the last. */
static void equal_bins(const counting *c, int64_t from, int m, int64_t *at)
{
    const int64_t bins = c->places;
    const double *edges = c->edges;
    for (int k = 0; k < m; k++) {
        const double v = real_at(&c->x->in[0], from + k);
        const bool inside = v >= edges[0] && v <= edges[bins];
        int64_t bin = inside ? (int64_t)((v - edges[0]) * c->by) : bins;
        bin = inside && bin >= bins ? bins - 1 : bin;
        while (inside && v < edges[bin])
            bin--;
        while (inside && bin + 1 < bins && v >= edges[bin + 1])
            bin++;
        at[k] = bin;
    }
}

/* Of any bins. The last one has its upper edge. */
static void searched_bins(const counting *c, int64_t from, int m, int64_t *at)
{
    const int64_t bins = c->places;
    uint64_t key[CHUNK] = {0};
    make_keys(&c->x->in[0], from, m, key);
    for (int k = 0; k < m; k += SIDE_BY_SIDE)
        places_among(c->edge_keys, bins + 1, key + k, true, at + k);
    for (int k = 0; k < m; k++)
        at[k] = at[k] == 0                     ? bins
                : at[k] <= bins                ? at[k] - 1
                : key[k] == c->edge_keys[bins] ? bins - 1
                                               : bins;
}

static bool count_task(void *ctx, int64_t part)
{
    const counting *c = ctx;
    int64_t *count = c->count + part * c->places, at[CHUNK];
    const int64_t to = (int64_t)((__int128)c->n * (part + 1) / c->parts);
    int64_t from = (int64_t)((__int128)c->n * part / c->parts);
    memset(count, 0, sizeof *count * (size_t)c->places);
    for (; from < to; from += CHUNK) {
        const int m = (int)hdi_min64(CHUNK, to - from);
        if (c->x->op == HD_OP_bincount)
            places(c->x, from, m, 1, at);
        else
            (c->edges != NULL ? equal_bins : searched_bins)(c, from, m, at);
        for (int k = 0; k < m; k++)
            if (at[k] < c->places)
                count[at[k]]++;
    }
    return true;
}

/* To out, which is dense: one part counts there, several into places of their own first. */
static hd_status count_all(counting *c)
{
    hdi_cpu_asker ask = hdi_cpu_may_stop(c->x);
    int64_t next = 0, *total = (int64_t *)(void *)c->x->out.ptr;
    c->parts = c->places > PLACES ? 1 : hdi_min64(hdi_pool_threads(), c->n / COUNTED);
    if (c->parts <= 1) {
        c->parts = 1;
        c->count = total;
        return hdi_pool_run(1, count_task, c, &next, ask);
    }
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    c->count = hdi_cpu_scratch(c->parts * c->places * (int64_t)sizeof *c->count);
    hd_status status = c->count == NULL
                           ? hdi_fail(HD_NOMEM, "out of memory for %lld counts",
                                      (long long)c->places)
                           : hdi_pool_run(c->parts, count_task, c, &next, ask);
    memset(total, 0, sizeof *total * (size_t)c->places);
    for (int64_t part = 0; part < c->parts && status == HD_OK; part++)
        for (int64_t v = 0; v < c->places; v++)
            total[v] += c->count[part * c->places + v];
    hdi_cpu_scratch_release(mark);
    return status;
}

/* int64 or int32 in[0] (n), every element a place of out; float64 in[1] (n), or none. out is
 * dense. */
hd_status hdi_cpu_bincount(const hdi_xcall *x)
{
    counting c = {.x = x, .n = x->in[0].dims[0], .places = x->out.dims[0]};
    if (x->nin == 1)
        return count_all(&c);
    memset(x->out.ptr, 0, sizeof(double) * (size_t)c.places);
    return add_weights(x, hdi_cpu_may_stop(x));
}

/* What the bins are found by. */
static hd_status edges_for(counting *c)
{
    const hdi_xarg *from = &c->x->in[1];
    const int64_t bins = c->places;
    void *memory = hdi_cpu_scratch((bins + 1) * (int64_t)sizeof(uint64_t));
    if (memory == NULL)
        return hdi_fail(HD_NOMEM, "out of memory for %lld edges", (long long)bins + 1);
    if (c->x->payload.equal != 0 && (from->dt == HD_FLOAT32 || from->dt == HD_FLOAT64)) {
        double *edges = memory;
        for (int64_t k = 0; k <= bins; k++)
            edges[k] = real_at(from, k);
        const double width = edges[bins] - edges[0];
        c->by = (double)bins / width;
        c->edges = width > 0 && isfinite(width) && isfinite(c->by) ? edges : NULL;
    }
    if (c->edges == NULL) {
        make_keys(from, 0, bins + 1, memory);
        c->edge_keys = memory;
    }
    return HD_OK;
}

/* in[0] (n), in[1] (k + 1) ascending, of one dtype; int64 out (k), dense. payload.equal: are the
 * bins said to be equal? Then they are found faster; nothing wrong comes of it if they are not. */
hd_status hdi_cpu_histogram(const hdi_xcall *x)
{
    counting c = {.x = x, .n = x->in[0].dims[0], .places = x->out.dims[0]};
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    hd_status status = edges_for(&c);
    if (status == HD_OK)
        status = count_all(&c);
    hdi_cpu_scratch_release(mark);
    return status;
}
