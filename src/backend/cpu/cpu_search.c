/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_search.c - searchsorted and bincount. Several searches go side by side, so that their cache
 * misses do. */
#include "backend/cpu/cpu_key.h"
#include "backend/cpu/cpu_scratch.h"
#include "backend/cpu/cpu_sort.h"
#include "base/pool.h"

enum {
    SEARCHES = 1 << 12,          /* of a task */
    SIDE_BY_SIDE = 8,
    COUNTED = 1 << 16,           /* elements of a task that counts into places of its own */
    PLACES = 1 << 14             /* more places than this, and one thread counts */
};

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
    const bool right = x->param != 0, repeated = x->in[0].strides[0] == 0 && x->in[0].dims[0] > 1;
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

/* in[0] (k) ascending, in[1] (n) of the same dtype, int64 out (n). */
hd_status hdi_cpu_searchsorted(const hdi_xcall *x)
{
    int64_t next = 0;
    if (x->in[0].dims[0] == 0) {
        for (int64_t i = 0; i < x->out.dims[0]; i++)
            memset(x->out.ptr + i * x->out.strides[0], 0, sizeof(int64_t));
        return HD_OK;
    }
    return hdi_pool_run((x->out.dims[0] + SEARCHES - 1) / SEARCHES, search_task,
                        (void *)(uintptr_t)x, &next, hdi_cpu_may_stop(x));
}

/* ---- bincount -------------------------------------------------------------------------------- */

static int64_t place(const hdi_xcall *x, int64_t i)
{
    int64_t v;
    memcpy(&v, x->in[0].ptr + i * x->in[0].strides[0], sizeof v);
    return v;
}

/* Sums are made in the order of the elements, whatever the number of threads. */
static hd_status add_weights(const hdi_xcall *x, hdi_cpu_asker ask)
{
    double *sum = (double *)(void *)x->out.ptr, weight;
    for (int64_t i = 0; i < x->in[0].dims[0]; i++) {
        if (i % (COUNTED * 64) == 0 && i > 0 && ask != NULL && ask())
            return HD_INTERRUPTED;
        memcpy(&weight, x->in[1].ptr + i * x->in[1].strides[0], sizeof weight);
        sum[place(x, i)] += weight;
    }
    return HD_OK;
}

typedef struct counting {
    const hdi_xcall *x;
    int64_t n, places, parts;
    int64_t *count;              /* of each part */
} counting;

static bool count_task(void *ctx, int64_t part)
{
    const counting *c = ctx;
    int64_t *count = c->count + part * c->places;
    const int64_t from = (int64_t)((__int128)c->n * part / c->parts),
                  to = (int64_t)((__int128)c->n * (part + 1) / c->parts);
    memset(count, 0, sizeof *count * (size_t)c->places);
    for (int64_t i = from; i < to; i++)
        count[place(c->x, i)]++;
    return true;
}

/* int64 in[0] (n), every element a place of out; float64 in[1] (n), or none. out is dense. */
hd_status hdi_cpu_bincount(const hdi_xcall *x)
{
    counting c = {.x = x, .n = x->in[0].dims[0], .places = x->out.dims[0]};
    hdi_cpu_asker ask = hdi_cpu_may_stop(x);
    int64_t next = 0, *total = (int64_t *)(void *)x->out.ptr;
    memset(total, 0, sizeof *total * (size_t)c.places);
    if (x->nin > 1)
        return add_weights(x, ask);
    c.parts = c.places > PLACES ? 1 : hdi_min64(hdi_pool_threads(), c.n / COUNTED);
    if (c.parts <= 1) {
        c.parts = 1;
        c.count = total;
        return hdi_pool_run(1, count_task, &c, &next, ask);
    }
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    c.count = hdi_cpu_scratch(c.parts * c.places * (int64_t)sizeof *c.count);
    hd_status status = c.count == NULL
                           ? hdi_fail(HD_NOMEM, "out of memory for %lld counts",
                                      (long long)c.places)
                           : hdi_pool_run(c.parts, count_task, &c, &next, ask);
    for (int64_t part = 0; part < c.parts && status == HD_OK; part++)
        for (int64_t v = 0; v < c.places; v++)
            total[v] += c.count[part * c.places + v];
    hdi_cpu_scratch_release(mark);
    return status;
}
