/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_product_own.c - products by loops of our own: they add to a row of the result the rows of
 * the second matrix, times one element of the first, in order, each product fused into its sum.
 *
 * Large products go in tiles that share threads, small ones of a batch in groups. Inputs are used
 * where they lie if the loop can: elements of its dtype, and of b rows that are dense. A product
 * with short rows and longer columns is computed turned, c^T = b^T a^T: loops want long rows. */
#include "backend/cpu/cpu_product.h"
#include "backend/cpu/cpu_scratch.h"
#include "base/pool.h"

enum { COLUMNS = 256, DEPTH = 128, ROWS = 64 };   /* of a tile */
enum { SHORT = 16 };

typedef struct tiles {
    const hdi_cpu_product *p;
    int64_t rows, columns, depth;          /* of the largest tile */
    int64_t row_tasks, column_tasks;       /* tiles of one product */
    int64_t per_task;                      /* products */
    bool packs[2];                         /* is a, is b copied first? */
    int64_t sums, a, b;                    /* bytes of memory for each */
} tiles;

static hdi_cpu_matrix part(const tiles *t, int which, const hdi_cpu_spot *at, int64_t row,
                           int64_t rows, int64_t column, int64_t columns)
{
    hdi_cpu_matrix m = t->p->of[which];
    m.ptr = at->ptr[which] + row * m.row + column * m.column;
    m.rows = hdi_min64(rows, m.rows - row);
    m.columns = hdi_min64(columns, m.columns - column);
    return m;
}

/* The part as the loop can use it. */
static void bring(const tiles *t, int which, hdi_cpu_matrix *m, uint8_t *memory, int64_t stride)
{
    if (!t->packs[which])
        return;
    hdi_cpu_pack(t->p, m, memory, stride);
    m->ptr = memory;
    m->row = stride;
    m->column = t->p->size;
}

/* A tile of the result, depth by depth so that the piece of b stays in the second-level cache. */
static void do_tile(const tiles *t, const hdi_cpu_spot *at, int64_t row, int64_t column,
                    uint8_t *memory)
{
    const hdi_cpu_product *p = t->p;
    uint8_t *sums = memory, *as = sums + t->sums, *bs = as + t->a;
    hdi_cpu_matrix to = part(t, CPU_C, at, row, t->rows, column, t->columns);
    int64_t stride = to.columns * p->size;
    hdi_red_step step = p->l->red_step[HD_OP_sumproduct - HD_OP_sum][p->cdt][HDI_SV];
    memset(sums, 0, (size_t)(to.rows * stride));
    for (int64_t k = 0; k < p->k; k += t->depth) {
        hdi_cpu_matrix b = part(t, CPU_B, at, k, t->depth, column, t->columns),
                       a = part(t, CPU_A, at, row, t->rows, k, t->depth);
        bring(t, CPU_B, &b, bs, stride);
        bring(t, CPU_A, &a, as, t->depth * p->size);
        for (int64_t i = 0; i < a.rows; i++)
            for (int64_t l = 0; l < b.rows; l++)
                step(sums + i * stride, a.ptr + i * a.row + l * a.column, b.ptr + l * b.row,
                     to.columns);
    }
    hdi_cpu_unpack(p, &to, sums, stride);
}

static bool run_task(void *ctx, int64_t task)
{
    const tiles *t = ctx;
    int64_t each = t->row_tasks * t->column_tasks, tile = task % each, from = task / each;
    int64_t to = hdi_min64((from + 1) * t->per_task, t->p->batches);
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    uint8_t *memory = hdi_cpu_scratch(t->sums + t->a + t->b);
    hdi_cpu_spot at;
    hdi_cpu_spot_start(&at, t->p, from * t->per_task);
    for (int64_t i = from * t->per_task; i < to && memory != NULL;
         i++, hdi_cpu_spot_next(&at, t->p))
        do_tile(t, &at, tile / t->column_tasks * ROWS, tile % t->column_tasks * COLUMNS, memory);
    hdi_cpu_scratch_release(mark);
    return memory != NULL;
}

static void set_tiles(tiles *t)
{
    const hdi_cpu_product *p = t->p;
    const hdi_cpu_matrix *a = &p->of[CPU_A], *b = &p->of[CPU_B];
    t->rows = hdi_min64(p->m, ROWS);
    t->columns = hdi_min64(p->n, COLUMNS);
    t->depth = hdi_min64(p->k, DEPTH);
    t->row_tasks = (p->m + ROWS - 1) / ROWS;
    t->column_tasks = (p->n + COLUMNS - 1) / COLUMNS;
    t->packs[CPU_A] = a->dt != p->cdt || !p->aligned[CPU_A];
    t->packs[CPU_B] = b->dt != p->cdt || !p->aligned[CPU_B] ||
                      (b->column != p->size && p->n > 1);
    t->sums = t->rows * t->columns * p->size;
    t->a = t->packs[CPU_A] ? t->rows * t->depth * p->size : 0;
    t->b = t->packs[CPU_B] ? t->depth * t->columns * p->size : 0;
    t->per_task = t->row_tasks * t->column_tasks > 1
                      ? 1
                      : hdi_max64(1, HDI_CPU_PRODUCT_TASK /
                                         (p->m * p->n * hdi_min64(p->k, HDI_CPU_PRODUCT_TASK) +
                                          256));
}

static hdi_cpu_matrix turned(hdi_cpu_matrix m)
{
    return (hdi_cpu_matrix){m.ptr, m.columns, m.rows, m.column, m.row, m.dt};
}

/* The same product with rows and columns exchanged. */
static hdi_cpu_product turn(const hdi_cpu_product *p)
{
    hdi_cpu_product q = *p;
    const int from[CPU_MATRICES] = {CPU_B, CPU_A, CPU_C};
    q.m = p->n;
    q.n = p->m;
    for (int k = 0; k < CPU_MATRICES; k++) {
        q.of[k] = turned(p->of[from[k]]);
        q.aligned[k] = p->aligned[from[k]];
        for (int i = 0; i < p->nd; i++)
            q.steps[i][k] = p->steps[i][from[k]];
    }
    return q;
}

hd_status hdi_cpu_product_own(const hdi_cpu_product *p)
{
    int64_t next = 0;
    hdi_cpu_product other;
    if (p->n < SHORT && p->m > 2 * p->n) {
        other = turn(p);
        p = &other;
    }
    tiles t = {.p = p};
    set_tiles(&t);
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    int64_t groups = (p->batches + t.per_task - 1) / t.per_task;
    hd_status status =
        hdi_cpu_scratch_reserve(t.sums + t.a + t.b)
            ? hdi_pool_run(groups * t.row_tasks * t.column_tasks, run_task, &t, &next, p->ask)
            : hdi_fail(HD_NOMEM, "out of memory: a matrix product needs %lld bytes",
                       (long long)(t.sums + t.a + t.b));
    hdi_cpu_scratch_release(mark);
    return status;
}
