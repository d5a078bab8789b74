/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_reduce_chain.c - a block through a compiled chain that ends in reductions: the chain makes
 * the entries of the tree, whose order is that of cpu_reduce.c. */
#include "backend/cpu/cpu_rows.h"

/* Chunks at a time, whose entries lie on the stack. */
enum { AT_ONCE = 16 };

/* Rows or columns too short to fill registers run operation by operation, for a block of them. */
enum { SHORT_ROW = 128, SHORT_COLUMNS = 32 };

bool hdi_cpu_runs_by_rows(const hdi_cpu_group *g, bool row_values)
{
    const hdi_cpu_rows *rows = g->rows;
    if (rows->narrow)
        return !row_values;   /* several rows stand side by side */
    return rows->column ? g->n >= SHORT_COLUMNS : !g->whole || rows->reduced >= SHORT_ROW;
}

/* Operands at element number i of the block, which belongs to row number `row` of its rows, then
 * the accumulators. */
static void bind(const hdi_cpu_ctx *c, const hdi_cpu_reducer *r, int64_t i, int64_t row,
                 void *const *sums, void **operands)
{
    void **stride = operands + r->n + 2 * r->nred;
    for (int k = 0; k < r->n; k++) {
        int64_t step = r->size[k];
        if (r->stride[k] != HDI_CPU_NONE) {
            *stride = c->reg[r->stride[k]];
            step = (intptr_t)*stride++;
        }
        operands[k] = (uint8_t *)c->reg[r->reg[k]] + i * step + row * r->per_row[k];
    }
    for (int k = 0; k < r->nred; k++) {
        operands[r->n + k] = sums[k];
        operands[r->n + r->nred + k] = (void *)(uintptr_t)c->run->p->reds[r->red[k]].neutral;
    }
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void push_entries(hdi_cpu_cascade *k, const uint8_t *entries, int64_t n)
{
    size_t size = k->red->asize;
    for (int64_t i = 0; i < n; i++) {
        if (k->red->can_settle && memcmp(entries + (size_t)i * size, k->red->settled, size) == 0)
            k->settled = true;
        memcpy(k->spare, entries + (size_t)i * size, size);
        hdi_cpu_cascade_push(k, 0);
    }
}

/* n elements of row number `number`, from element number `at` of the block on. */
static void row(hdi_cpu_ctx *c, const hdi_cpu_reducer *r, int64_t number, int64_t at, int64_t n)
{
    _Alignas(16) uint8_t entries[HDI_CHAIN_REDS][AT_ONCE * 16];
    void *operands[HDI_CHAIN_OPERANDS], *sums[HDI_CHAIN_REDS];
    for (int k = 0; k < r->nred; k++)
        sums[k] = entries[k];
    for (int64_t m, i = 0; i < n; i += m) {
        m = hdi_min64(n - i, AT_ONCE * HDI_RED_CHUNK);
        bind(c, r, at + i, number, sums, operands);
        r->rows(operands, m, 1, m);
        for (int k = 0; k < r->nred; k++)
            push_entries(&c->group->cascade[r->red[k]], entries[k],
                         (m + HDI_RED_CHUNK - 1) / HDI_RED_CHUNK);
    }
}

/* Whole rows, each of one chunk, or without reductions: the results come side by side. */
static void short_rows(hdi_cpu_ctx *c, const hdi_cpu_reducer *r)
{
    const hdi_cpu_group *g = c->group;
    void *operands[HDI_CHAIN_OPERANDS], *sums[HDI_CHAIN_REDS];
    for (int k = 0; k < r->nred; k++)
        sums[k] = c->reg[c->run->p->reds[r->red[k]].out];
    bind(c, r, 0, 0, sums, operands);
    r->rows(operands, g->rows->reduced, g->n, g->rows->reduced);
    for (int k = 0; k < r->nred; k++) {
        const hdi_cpu_red *red = &c->run->p->reds[r->red[k]];
        if (red->plus_zero)
            red->merge(sums[k], g->zeros, NULL, g->n);
    }
}

static void whole_rows(hdi_cpu_ctx *c, const hdi_cpu_reducer *r)
{
    hdi_cpu_group *g = c->group;
    int64_t R = g->rows->reduced;
    for (int64_t i = 0; i < g->n; i++) {
        row(c, r, i, i * R, R);
        for (int k = 0; k < r->nred; k++) {
            const hdi_cpu_red *red = &c->run->p->reds[r->red[k]];
            hdi_cpu_row_result(c->run->p->loops, red,
                               hdi_cpu_cascade_close(&g->cascade[r->red[k]], NULL), g->zeros, 1,
                               (uint8_t *)c->reg[red->out] + i * red->asize);
        }
    }
}

/* ---- columns --------------------------------------------------------------------------------- */

static void begin(const hdi_cpu_ctx *c, const hdi_cpu_reducer *r, void *const *sums, int64_t n)
{
    for (int k = 0; k < r->nred; k++) {
        const hdi_cpu_red *red = &c->run->p->reds[r->red[k]];
        c->run->p->loops->fill[__builtin_ctz(red->asize)](sums[k], red->neutral, n);
    }
}

/* `rows` reduced elements of every column. */
static void across(hdi_cpu_ctx *c, const hdi_cpu_reducer *r, int64_t rows, int64_t pitch)
{
    hdi_cpu_group *g = c->group;
    void *operands[HDI_CHAIN_OPERANDS], *sums[HDI_CHAIN_REDS];
    for (int64_t i = 0, m; i < rows; i += m) {
        int64_t step = (g->r + i) % HDI_CPU_STEPS;
        m = hdi_min64(rows - i, HDI_CPU_STEPS - step);
        for (int k = 0; k < r->nred; k++)
            sums[k] = g->cascade[r->red[k]].spare;
        if (step == 0)
            begin(c, r, sums, g->n);
        bind(c, r, i * pitch, 0, sums, operands);
        r->columns(operands, g->n, m, pitch);
        for (int k = 0; step + m == HDI_CPU_STEPS && k < r->nred; k++)
            hdi_cpu_cascade_push(&g->cascade[r->red[k]], 0);
    }
}

/* The same where columns are few: those of a chunk's lanes lie side by side, and as many rounds of
 * the lanes as there are go at once. */
static void across_lanes(hdi_cpu_ctx *c, const hdi_cpu_reducer *r, int64_t rows)
{
    hdi_cpu_group *g = c->group;
    void *operands[HDI_CHAIN_OPERANDS], *sums[HDI_CHAIN_REDS];
    for (int64_t i = 0, m; i < rows; i += m) {
        int64_t at = (g->r + i) % HDI_RED_CHUNK, lane = at % HDI_RED_LANES, rounds = 1;
        m = hdi_min64(rows - i, HDI_RED_LANES - lane);
        if (m == HDI_RED_LANES)
            rounds = hdi_min64(rows - i, HDI_RED_CHUNK - at) / HDI_RED_LANES;
        for (int k = 0; k < r->nred; k++) {
            const hdi_cpu_cascade *cascade = &g->cascade[r->red[k]];
            sums[k] = cascade->lanes + lane * g->n * cascade->red->asize;
        }
        if (at < HDI_RED_LANES)
            begin(c, r, sums, m * g->n);
        bind(c, r, i * g->n, 0, sums, operands);
        r->columns(operands, m * g->n, rounds, m * g->n);
        m *= rounds;
        for (int k = 0; at + m == HDI_RED_CHUNK && k < r->nred; k++)
            hdi_cpu_cascade_push_lanes(&g->cascade[r->red[k]], HDI_RED_CHUNK);
    }
}

bool hdi_cpu_reduce_chain(hdi_cpu_ctx *c, int number, int64_t n)
{
    const hdi_cpu_reducer *r = &c->run->p->reducers[number];
    if (r->n == 0 || c->group == NULL || !hdi_cpu_runs_by_rows(c->group, r->row_values))
        return false;
    const hdi_cpu_rows *rows = c->group->rows;
    if (rows->narrow)
        across_lanes(c, r, n / c->group->n);
    else if (rows->column)
        across(c, r, n / c->group->n, rows->kept);
    else if (!c->group->whole)
        row(c, r, 0, 0, n);
    else if (rows->reduced <= HDI_RED_CHUNK || r->nred == 0)
        short_rows(c, r);
    else
        whole_rows(c, r);
    return true;
}
