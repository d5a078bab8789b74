/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_reduce.c - chunks of a reduction, and the tree that combines them. */
#include "backend/cpu/cpu_rows.h"

bool hdi_cpu_red_set(hdi_cpu_red *r, const hdi_loops *l, hd_op op, hd_dtype dt, hd_dtype acc)
{
    const int row = (int)(op - HD_OP_sum);
    *r = (hdi_cpu_red){.row = (uint8_t)row, .dt = (uint8_t)dt, .chain = HDI_CPU_NONE,
                       .position = hdi_is_position((int)op), .xsize = (uint8_t)hd_dtype_size(dt)};
    r->asize = r->position ? r->xsize : (uint8_t)hd_dtype_size(acc);
    r->plus_zero = (op == HD_OP_sum || op == HD_OP_sumproduct) && dt >= HD_FLOAT16;
    if (r->position) {
        const int which = (int)(op - HD_OP_argmin);
        r->arg_chunk = l->arg_chunk[which][dt];
        r->arg_step = l->arg_step[which][dt];
        r->arg_merge = l->arg_merge[which][dt];
        r->arg_extend = l->arg_extend[which][dt];
        return r->arg_chunk != NULL;
    }
    r->chunk = l->red_chunk[row][dt];
    r->step = l->red_step[row][dt][HDI_VV];
    r->start = l->red_start[row][dt][HDI_VV];
    r->merge = l->red_merge[row][dt];
    r->run = l->red_run[row][dt];
    r->extend = l->red_extend[row][dt];
    return r->chunk != NULL && r->step != NULL && r->start != NULL && r->merge != NULL;
}

/* ---- the tree -------------------------------------------------------------------------------- */

static int64_t align64(int64_t n)
{
    return (n + 63) & -(int64_t)64;
}

int64_t hdi_cpu_entry_bytes(const hdi_cpu_red *red, int64_t width)
{
    return align64(width * red->asize) +
           (red->position ? align64(width * (int64_t)sizeof(int64_t)) : 0);
}

bool hdi_cpu_cascade_open(hdi_cpu_cascade *k, const hdi_cpu_red *red, int64_t width, int64_t chunks,
                          bool lanes)
{
    int levels = 2;
    while (chunks >> (levels - 1) > 0)
        levels++;
    int64_t bytes = hdi_cpu_entry_bytes(red, width);
    uint8_t *entries = hdi_cpu_scratch(bytes * levels);
    if (entries == NULL)
        return false;
    k->lanes = NULL;
    if (lanes && !red->position &&
        (k->lanes = hdi_cpu_scratch(HDI_RED_LANES * width * red->asize)) == NULL)
        return false;
    k->red = red;
    k->count = 0;
    k->open = k->settled = false;
    hdi_cpu_cascade_width(k, width);
    for (int i = 0; i < levels - 1; i++)
        k->level[i] = entries + i * bytes;
    k->spare = entries + (levels - 1) * bytes;
    return true;
}

void hdi_cpu_cascade_width(hdi_cpu_cascade *k, int64_t width)
{
    k->width = width;
    k->positions = align64(width * k->red->asize);
}

static int64_t *positions_of(const hdi_cpu_cascade *k, uint8_t *entry)
{
    return (int64_t *)(void *)(entry + k->positions);
}

/* left = left (+) right; the order matters to positions and to the last bits. */
static void combine(const hdi_cpu_cascade *k, uint8_t *left, uint8_t *right)
{
    if (k->red->position)
        k->red->arg_merge(left, positions_of(k, left), right, positions_of(k, right), k->width);
    else
        k->red->merge(left, right, NULL, k->width);
}

void hdi_cpu_cascade_push(hdi_cpu_cascade *k, int level)
{
    uint64_t chunks = (uint64_t)1 << level;
    uint8_t *entry = k->spare;
    for (; k->count >> level & 1; level++) {
        uint8_t *left = k->level[level];
        combine(k, left, entry);
        /* the memory moves up with the sum, the other entry stays here for later */
        k->level[level] = entry;
        entry = left;
    }
    k->spare = k->level[level];
    k->level[level] = entry;
    k->count += chunks;
}

uint8_t *hdi_cpu_cascade_close(hdi_cpu_cascade *k, uint8_t *tail)
{
    uint8_t *sum = tail;
    if (k->open)
        hdi_cpu_cascade_push(k, 0);
    k->open = k->settled = false;
    for (int level = 0; k->count >> level != 0; level++) {
        if (!(k->count >> level & 1))
            continue;
        if (sum != NULL)
            combine(k, k->level[level], sum);
        sum = k->level[level];
    }
    k->count = 0;
    return sum;
}

void hdi_cpu_row_result(const hdi_loops *l, const hdi_cpu_red *red, uint8_t *entry,
                        const void *zeros, int64_t n, void *out)
{
    if (entry == NULL) {
        _Alignas(16) uint8_t identity[16] = {0};
        l->identity(red->row, (hd_dtype)red->dt, identity);
        l->fill[__builtin_ctz(red->asize)](out, identity, n);
        return;
    }
    if (red->position) {
        memcpy(out, entry + align64(n * red->asize), (size_t)n * sizeof(int64_t));
        return;
    }
    if (red->plus_zero)
        red->merge(entry, zeros, NULL, n);   /* a sum starts at +0, so it is never -0 */
    memcpy(out, entry, (size_t)(n * red->asize));
}

/* ---- the steps ------------------------------------------------------------------------------- */

enum { RUN_LEVEL = __builtin_ctz(HDI_RED_RUN / HDI_RED_CHUNK) };

/* Any order will do: the entry that was begun goes on to the row's end. */
static void extend_row(hdi_cpu_cascade *k, const uint8_t *x, const uint8_t *y, int64_t n, int64_t r)
{
    const hdi_cpu_red *red = k->red;
    if (red->position)
        k->settled = red->arg_extend(k->spare, positions_of(k, k->spare), x, n, r, !k->open);
    else
        k->settled = red->extend(k->spare, x, y, n, !k->open);
    k->open = true;
}

/* n elements of one row, whose first has number r: chunk by chunk, or as many chunks at once as
 * make a subtree. */
void hdi_cpu_push_row(hdi_cpu_cascade *k, const uint8_t *x, const uint8_t *y, int64_t n, int64_t r)
{
    const hdi_cpu_red *red = k->red;
    if (red->run == NULL) {
        extend_row(k, x, y, n, r);
        return;
    }
    for (int64_t i = 0, m; i < n; i += m) {
        const uint8_t *xi = x + i * red->xsize, *yi = y + i * red->xsize;
        bool run = n - i >= HDI_RED_RUN && (k->count & ((1 << RUN_LEVEL) - 1)) == 0;
        m = run ? HDI_RED_RUN : hdi_min64(n - i, HDI_RED_CHUNK);
        if (run)
            red->run(k->spare, xi, yi);
        else
            red->chunk(k->spare, xi, yi, m);
        hdi_cpu_cascade_push(k, run ? RUN_LEVEL : 0);
    }
}

/* The chunk's lanes become its entry: halves are combined until one is left; lanes that took no
 * element are left out. */
void hdi_cpu_cascade_push_lanes(hdi_cpu_cascade *k, int64_t elements)
{
    int64_t present = hdi_min64(elements, HDI_RED_LANES), lane = k->width * k->red->asize;
    for (int64_t half = HDI_RED_LANES / 2; half > 0; half /= 2)
        if (present > half) {
            k->red->merge(k->lanes, k->lanes + half * lane, NULL, (present - half) * k->width);
            present = half;
        }
    memcpy(k->spare, k->lanes, (size_t)lane);
    hdi_cpu_cascade_push(k, 0);
}

/* n elements of every column, from number r on: those of different lanes next to each other. */
static void reduce_lanes(hdi_cpu_cascade *k, const uint8_t *x, const uint8_t *y, int64_t n,
                         int64_t r)
{
    const hdi_cpu_red *red = k->red;
    for (int64_t run; n > 0; n -= run, r += run) {
        int64_t lane = r % HDI_RED_LANES, count;
        run = hdi_min64(n, HDI_RED_LANES - lane);
        count = run * k->width;
        (r % HDI_RED_CHUNK < HDI_RED_LANES ? red->start : red->step)(
            k->lanes + lane * k->width * red->asize, x, y, count);
        x += count * red->xsize;
        y += count * red->xsize;
        if ((r + run) % HDI_RED_CHUNK == 0)
            hdi_cpu_cascade_push_lanes(k, HDI_RED_CHUNK);
    }
}

void hdi_cpu_cascade_end(hdi_cpu_cascade *k, int64_t elements)
{
    if (k->lanes == NULL && elements % HDI_CPU_STEPS != 0)
        hdi_cpu_cascade_push(k, 0);
    else if (k->lanes != NULL && elements % HDI_RED_CHUNK != 0)
        hdi_cpu_cascade_push_lanes(k, elements % HDI_RED_CHUNK);
}

/* Element r of every column. */
static void reduce_across(hdi_cpu_cascade *k, const uint8_t *x, const uint8_t *y, int64_t r)
{
    const hdi_cpu_red *red = k->red;
    bool starts = r % HDI_CPU_STEPS == 0;
    if (red->position && starts) {
        int64_t *positions = positions_of(k, k->spare);
        memcpy(k->spare, x, (size_t)(k->width * red->xsize));
        for (int64_t i = 0; i < k->width; i++)
            positions[i] = r;
    } else if (red->position)
        red->arg_step(k->spare, positions_of(k, k->spare), x, k->width, r);
    else if (starts)
        red->start(k->spare, x, y, k->width);
    else
        red->step(k->spare, x, y, k->width);
    if (r % HDI_CPU_STEPS == HDI_CPU_STEPS - 1)
        hdi_cpu_cascade_push(k, 0);
}

void hdi_cpu_push_columns(hdi_cpu_cascade *k, const uint8_t *x, const uint8_t *y, int64_t n,
                          int64_t r)
{
    const int64_t step = k->width * k->red->xsize;
    if (k->lanes != NULL)
        reduce_lanes(k, x, y, n, r);
    else
        for (int64_t i = 0; i < n; i++)
            reduce_across(k, x + i * step, y + i * step, r + i);
}

void hdi_cpu_short_rows(hdi_cpu_cascade *k, const uint8_t *x, const uint8_t *y, int64_t R,
                        const void *zeros, int64_t n, uint8_t *out)
{
    const hdi_cpu_red *red = k->red;
    int64_t step = R * red->xsize;
    for (int64_t i = 0; i < n; i++, x += step, y += step) {
        if (red->position)
            red->arg_chunk(k->spare, (int64_t *)(void *)out + i, x, R, 0);
        else
            red->chunk(out + i * red->asize, x, y, R);
    }
    if (red->plus_zero)
        red->merge(out, zeros, NULL, n);
}

static void reduce_whole_rows(hdi_cpu_group *g, hdi_cpu_cascade *k, const uint8_t *x,
                              const uint8_t *y, uint8_t *out)
{
    const hdi_cpu_red *red = k->red;
    int64_t R = g->rows->reduced, step = R * red->xsize,
            size = red->position ? (int64_t)sizeof(int64_t) : red->asize;
    for (int64_t i = 0; i < g->n; i++, x += step, y += step) {
        hdi_cpu_push_row(k, x, y, R, 0);
        hdi_cpu_row_result(g->rows->run.p->loops, red, hdi_cpu_cascade_close(k, NULL), g->zeros, 1,
                           out + i * size);
    }
}

void hdi_cpu_reduce(hdi_cpu_ctx *c, int number, int64_t n)
{
    hdi_cpu_group *g = c->group;
    const hdi_cpu_rows *rows = g->rows;
    const hdi_cpu_red *red = &c->run->p->reds[number];
    hdi_cpu_cascade *k = &g->cascade[number];
    if (red->chain != HDI_CPU_NONE &&
        hdi_cpu_runs_by_rows(g, c->run->p->reducers[red->chain].row_values))
        return;
    const uint8_t *x = c->reg[red->x], *y = c->reg[red->y];
    if (rows->column)
        hdi_cpu_push_columns(k, x, y, n / g->n, g->r);
    else if (!g->whole)
        hdi_cpu_push_row(k, x, y, n, g->r);
    else if (rows->reduced <= HDI_RED_CHUNK)
        hdi_cpu_short_rows(k, x, y, rows->reduced, g->zeros, g->n, c->reg[red->out]);
    else
        reduce_whole_rows(g, k, x, y, c->reg[red->out]);
}
