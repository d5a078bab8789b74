/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_thin.c - launches that only multiply a thin matrix by a vector before their ROW steps: X v
 * with few columns and X^T v with few of them. The loops of loops_thin.h take the matrix as it lies
 * in memory; what they give has the bits that the steps of a group would give, so that strides,
 * which decide whether a launch comes here, decide nothing else. */
#include "backend/cpu/cpu_copy.h"
#include "backend/cpu/cpu_rows.h"

/* ---- may it ---------------------------------------------------------------------------------- */

/* The operand whose blocks come into a register; NULL if that is not a load of FULL level. */
static const hdi_arg *loaded(const hdi_cpu_program *p, const hdi_launch *l, uint16_t reg)
{
    for (int i = 0; i < p->nloads; i++)
        if (p->loads[i].reg == reg && p->loads[i].level == KIR_FULL && !p->loads[i].index)
            return &l->args[p->loads[i].slot];
    return NULL;
}

static int64_t stride_of(const hdi_launch *l, const hdi_arg *a, int axis, int64_t size)
{
    if (a->strides != NULL)
        return a->strides[axis];
    return axis == 0 ? l->dims[1] * size : size;   /* linear */
}

/* x as the matrix and y as the vector of a product; false if they are not. */
static bool match(const hdi_cpu_rows *rows, const hdi_launch *l, const hdi_cpu_red *red,
                  const hdi_arg *x, const hdi_arg *y, hdi_cpu_thin *t)
{
    int reduced = l->reduced == 1 ? 0 : 1, kept = 1 - reduced;
    int64_t size = red->xsize, along = stride_of(l, x, reduced, size),
            across = stride_of(l, x, kept, size);
    *t = (hdi_cpu_thin){.x = x->ptr, .y = y->ptr, .x_stride = along};
    t->y_stride = stride_of(l, y, reduced, size);
    if (stride_of(l, y, kept, size) != 0)
        return false;
    if (rows->reduced > HDI_THIN)
        return across == size && along == rows->kept * size;
    t->turned = across == size;
    return t->turned || (along == size && across == rows->reduced * size);
}

static bool match_reduction(const hdi_cpu_rows *rows, const hdi_launch *l, const hdi_cpu_red *red,
                            hdi_cpu_thin *t)
{
    const hdi_cpu_program *p = rows->run.p;
    const hdi_arg *x = loaded(p, l, red->x), *y = loaded(p, l, red->y);
    if (red->row != HD_OP_sumproduct - HD_OP_sum || p->loops->thin_rows[red->dt] == NULL)
        return false;
    if (x == NULL || y == NULL)
        return false;
    return match(rows, l, red, x, y, t) || match(rows, l, red, y, x, t);
}

static bool only_products(const hdi_cpu_program *p)
{
    const hdi_cpu_step *s = p->steps + p->full[0].first;
    for (int i = 0; i < p->full[0].count; i++)
        if (s[i].kind != CPU_LOAD && s[i].kind != CPU_REDUCE)
            return false;
    return p->nphases == 1;
}

hdi_cpu_thin *hdi_cpu_thin_find(const hdi_cpu_rows *rows, const hdi_launch *l)
{
    const hdi_cpu_program *p = rows->run.p;
    bool one_each = l->nd == 2 && (l->reduced == 1 || l->reduced == 2);
    bool short_rows = rows->column && rows->reduced > 0 && rows->reduced <= HDI_THIN;
    bool few_rows = !rows->column && rows->kept <= HDI_THIN;
    if (!one_each || !(short_rows || few_rows))
        return NULL;
    if (!only_products(p))
        return NULL;
    hdi_cpu_thin *t = hdi_cpu_scratch((int64_t)sizeof *t * p->nreds);
    for (int i = 0; t != NULL && i < p->nreds; i++)
        if (!match_reduction(rows, l, &p->reds[i], &t[i]))
            return NULL;
    return t;
}

/* ---- doing it -------------------------------------------------------------------------------- */

/* The group's results, each a short row's. */
static void sum_rows(hdi_cpu_ctx *c, const hdi_cpu_red *red, const hdi_cpu_thin *t)
{
    const hdi_cpu_group *g = c->group;
    const hdi_loops *l = c->run->p->loops;
    uint8_t y[HDI_THIN * sizeof(uint64_t)];
    int R = (int)g->rows->reduced, size = red->xsize;
    hdi_cpu_copy_run(y, size, t->y, t->y_stride, R, __builtin_ctz((unsigned)size));
    if (t->turned)
        l->thin_turned[red->dt](c->reg[red->out], t->x + g->first * size, t->x_stride, y, g->n, R);
    else
        l->thin_rows[red->dt](c->reg[red->out], t->x + g->first * R * size, y, g->n, R);
}

/* A chunk that is not full, column by column. */
static void sum_rest(const hdi_cpu_cascade *k, const hdi_loops *l, const uint8_t *x,
                     const uint8_t *y, int64_t n)
{
    uint8_t column[HDI_RED_CHUNK * sizeof(uint64_t)];
    int64_t size = k->red->xsize;
    for (int64_t i = 0; i < k->width; i++) {
        l->gather[__builtin_ctz((unsigned)size)](column, x + i * size, k->width * size, n);
        k->red->chunk(k->spare + i * size, column, y, n);
    }
}

/* Elements [from, to) of the few long columns: chunk by chunk. */
static void sum_columns(hdi_cpu_ctx *c, hdi_cpu_cascade *k, const hdi_cpu_thin *t, int64_t from,
                        int64_t to)
{
    const hdi_loops *l = c->run->p->loops;
    uint8_t block[HDI_RED_CHUNK * sizeof(uint64_t)];
    int64_t size = k->red->xsize;
    for (int64_t r = from, n; r < to; r += n) {
        const uint8_t *x = t->x + r * k->width * size, *y = t->y + r * t->y_stride;
        n = hdi_min64(HDI_RED_CHUNK, to - r);
        if (t->y_stride != size) {
            l->gather[__builtin_ctz((unsigned)size)](block, y, t->y_stride, n);
            y = block;
        }
        if (n == HDI_RED_CHUNK)
            l->thin_columns[k->red->dt](k->spare, x, y, (int)k->width);
        else
            sum_rest(k, l, x, y, n);
        hdi_cpu_cascade_push(k, 0);
    }
}

void hdi_cpu_thin_full(hdi_cpu_ctx *c, int64_t from, int64_t to)
{
    hdi_cpu_group *g = c->group;
    const hdi_cpu_rows *rows = g->rows;
    const hdi_cpu_program *p = c->run->p;
    g->whole = rows->reduced <= HDI_THIN;
    for (int i = 0; i < p->nreds; i++)
        if (g->whole)
            sum_rows(c, &p->reds[i], &rows->thin[i]);
        else
            sum_columns(c, &g->cascade[i], &rows->thin[i], from, to);
}
