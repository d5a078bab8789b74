/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_ew.c - launches without reductions: blocks along memory, tiles where operands disagree
 * about the fastest axis.
 *
 * Operands that are all dense in C order (or one element each) make the launch one-dimensional
 * whatever its axes; everything the small launches of interactive programs pay for is on that
 * path. Otherwise axes are sorted and merged, and a block is a piece of the last axis, or, where
 * that is short, of the linear order, with operands gathered run by run. */
#include "backend/cpu/cpu_copy.h"
#include "backend/cpu/cpu_exec.h"

#include "base/alloc.h"
#include "base/pool.h"

enum { SHORT_AXIS = 64, TILE_MIN = 4, CACHE_LINE = 64 };

typedef struct ew_progress {
    int64_t next, task_size;
} ew_progress;

typedef struct ew_launch {
    hdi_cpu_run run;
    /* >= 0: the short way of cpu_plain.c, with so many single elements */
    int fixed;
    int64_t task_size, size;           /* in elements, or in tiles */
    int64_t tile_rows, tile_columns;   /* 0: no tiles */
    int64_t tiles[2];                  /* per row of tiles, and rows of tiles */
} ew_launch;

/* ---- binding --------------------------------------------------------------------------------- */

static void init_views(hdi_cpu_run *run)
{
    const hdi_cpu_program *p = run->p;
    for (int i = 0; i < p->nloads; i++)
        run->loads[i] =
            (hdi_cpu_view){.op = &p->loads[i], .lsize = p->loads[i].lsize, .into = HDI_CPU_NONE};
    for (int i = 0; i < p->nstores; i++)
        run->stores[i] =
            (hdi_cpu_view){.op = &p->stores[i], .lsize = p->stores[i].lsize, .into = HDI_CPU_NONE};
}

/* ---- tiles ----------------------------------------------------------------------------------- */

/* An axis, not the last, along which some operand is dense while it is not along the last one;
 * -1 if there is none. */
static int other_fast_axis(const hdi_cpu_run *run)
{
    const hdi_cpu_space *s = &run->full;
    int last = s->nd - 1;
    for (int i = 0; i < run->p->nloads + run->p->nstores; i++) {
        const hdi_cpu_view *v =
            i < run->p->nloads ? &run->loads[i] : &run->stores[i - run->p->nloads];
        int64_t size = (int64_t)1 << v->lsize;
        if (v->op->index || v->how != CPU_WALK || hdi_abs64(v->strides[last]) <= size)
            continue;
        for (int a = last - 1; a >= 0; a--)
            if (v->strides[a] == size && s->dims[a] >= TILE_MIN)
                return a;
    }
    return -1;
}

/* Moves an axis of the space before the last one. */
static void move_axis(hdi_cpu_run *run, int axis)
{
    hdi_cpu_space *s = &run->full;
    int to = s->nd - 2;
    int64_t dim = s->dims[axis];
    memmove(&s->dims[axis], &s->dims[axis + 1], sizeof dim * (size_t)(to - axis));
    s->dims[to] = dim;
    for (int i = 0; i < run->p->nloads + run->p->nstores; i++) {
        hdi_cpu_view *v = i < run->p->nloads ? &run->loads[i] : &run->stores[i - run->p->nloads];
        /* scratch of this launch */
        int64_t *strides = (int64_t *)(uintptr_t)v->strides, stride = strides[axis];
        memmove(&strides[axis], &strides[axis + 1], sizeof stride * (size_t)(to - axis));
        strides[to] = stride;
    }
}

static void choose_tiles(ew_launch *e)
{
    hdi_cpu_run *run = &e->run;
    hdi_cpu_space *s = &run->full;
    if (s->nd < 2 || s->dims[s->nd - 1] < TILE_MIN || s->size < 4 * run->block)
        return;
    int axis = other_fast_axis(run);
    if (axis < 0)
        return;
    move_axis(run, axis);
    /* One line of memory down the rows, the rest of the block along the columns: measured best
     * of 16 shapes, from 4 to 16 bytes. */
    int64_t rows = hdi_min64(hdi_max64(CACHE_LINE >> run->p->max_lsize, TILE_MIN), run->block);
    e->tile_rows = hdi_min64(rows, s->dims[s->nd - 2]);
    e->tile_columns = hdi_min64(hdi_max64(run->block / e->tile_rows, 1), s->dims[s->nd - 1]);
    e->tiles[0] = (s->dims[s->nd - 1] + e->tile_columns - 1) / e->tile_columns;
    e->tiles[1] = (s->dims[s->nd - 2] + e->tile_rows - 1) / e->tile_rows;
}

static int64_t count_tiles(const ew_launch *e)
{
    const hdi_cpu_space *s = &e->run.full;
    return s->size / (s->dims[s->nd - 1] * s->dims[s->nd - 2]) * e->tiles[0] * e->tiles[1];
}

/* Stands the cursor on tile number n; down the rows first, so that the operand that is dense
 * there is read in order. */
static int64_t seek_tile(const ew_launch *e, hdi_cpu_cursor *c, int64_t n)
{
    const hdi_cpu_space *s = &e->run.full;
    int64_t tiles = e->tiles[0] * e->tiles[1], outer = n / tiles, tile = n % tiles;
    int64_t row = tile % e->tiles[1] * e->tile_rows, column = tile / e->tiles[1] * e->tile_columns;
    hdi_cpu_seek(c, s, outer * s->dims[s->nd - 2] * s->dims[s->nd - 1]);
    c->index[s->nd - 2] = row;
    c->index[s->nd - 1] = column;
    c->rows = hdi_min64(e->tile_rows, s->dims[s->nd - 2] - row);
    c->columns = hdi_min64(e->tile_columns, s->dims[s->nd - 1] - column);
    return c->rows * c->columns;
}

/* ---- deciding -------------------------------------------------------------------------------- */

static bool dense_in_blocks(const ew_launch *e, const hdi_cpu_view *v)
{
    const hdi_cpu_space *s = &e->run.full;
    if (v->op->index || e->tile_rows > 0)
        return false;
    return v->how == CPU_DENSE || (v->how == CPU_WALK && !e->run.straddle &&
                                   v->strides[s->nd - 1] == (int64_t)1 << v->lsize);
}

/* Which stores are computed in memory, and which pass the cache by. */
static void decide(ew_launch *e)
{
    hdi_cpu_run *run = &e->run;
    const hdi_cpu_program *p = run->p;
    for (int i = 0; i < p->nstores; i++) {
        hdi_cpu_view *v = &run->stores[i];
        v->direct =
            (v->op->reg != HDI_CPU_NONE || v->op->from != HDI_CPU_NONE) && dense_in_blocks(e, v);
        v->stream = v->how == CPU_DENSE && run->full.size << v->lsize > hdi_cpu_stream_bytes();
    }
    if (!p->alias_safe || (p->nstores > 0 && run->stores[0].stream))
        hdi_cpu_resolve_aliases(run);
    for (int i = 0; i < p->nstores; i++) {
        hdi_cpu_view *v = &run->stores[i];
        if (v->op->from != HDI_CPU_NONE) {
            hdi_cpu_view *load = &run->loads[v->op->from];
            v->direct = v->direct && !v->stream && load->how != CPU_FIXED && !load->copy &&
                        !dense_in_blocks(e, load);
            if (v->direct)
                load->into = (uint16_t)i;
        }
        v->direct = v->direct && !v->stream;
        run->streams = run->streams || v->stream;
    }
}

/* ---- running --------------------------------------------------------------------------------- */

static void run_block(hdi_cpu_ctx *c, int64_t n)
{
    const hdi_cpu_run *run = c->run;
    for (int i = 0; i < run->p->nstores; i++) {
        const hdi_cpu_view *v = &run->stores[i];
        if (v->direct && v->op->reg != HDI_CPU_NONE)
            c->reg[v->op->reg] = hdi_cpu_place(v, &run->full, &c->full, n);
    }
    hdi_cpu_run_steps(c, run->p->steps, run->p->nsteps, n);
}

static void run_blocks(hdi_cpu_ctx *c, int64_t start, int64_t end)
{
    const hdi_cpu_run *run = c->run;
    for (int64_t n; start < end; start += n) {
        hdi_cpu_seek(&c->full, &run->full, start);
        n = hdi_min64(run->block, end - start);
        if (!run->straddle)
            n = hdi_min64(n, c->full.run);
        run_block(c, n);
    }
}

static bool run_range(ew_launch *e, int64_t start, int64_t end)
{
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    hdi_cpu_ctx c;
    bool ok = hdi_cpu_open(&c, &e->run);
    if (ok) {
        if (e->tile_rows > 0)
            for (int64_t t = start; t < end; t++)
                run_block(&c, seek_tile(e, &c.full, t));
        else
            run_blocks(&c, start, end);
        if (e->run.streams)
            hdi_cpu_stream_end();
    }
    hdi_cpu_scratch_release(mark);
    return ok;
}

static bool run_part(ew_launch *e, int64_t start, int64_t end)
{
    const hdi_cpu_run *run = &e->run;
    return e->fixed >= 0 ? hdi_cpu_plain_range(run->p, run->l, e->fixed, run->block, start, end)
                         : run_range(e, start, end);
}

static bool ew_task(void *ctx, int64_t task)
{
    ew_launch *e = ctx;
    int64_t start = task * e->task_size;
    return run_part(e, start, hdi_min64(start + e->task_size, e->size));
}

static hd_status no_memory(void)
{
    return hdi_fail(HD_NOMEM, "out of memory to run a kernel");
}

static hd_status run_tasks(ew_launch *e, hdi_launch *l)
{
    bool tiles = e->fixed < 0 && e->tile_rows > 0;
    int64_t cost = e->run.p->cost * (tiles ? e->tile_rows * e->tile_columns : 1);
    ew_progress *progress = l->progress;
    /* takes all the memory there is need for; it stays until the launch ends */
    if (!run_part(e, 0, 0))
        return no_memory();
    if (progress == NULL) {
        if ((progress = hdi_alloc(sizeof *progress)) == NULL)
            return no_memory();
        *progress = (ew_progress){0, hdi_cpu_task_size(e->size, cost, tiles ? 1 : e->run.block)};
        l->progress = progress;
    }
    e->task_size = progress->task_size;
    hd_status status = hdi_pool_run((e->size + e->task_size - 1) / e->task_size, ew_task, e,
                                    &progress->next, hdi_poll_interrupt);
    if (status != HD_INTERRUPTED) {
        hdi_cpu_forget_ew(progress);
        l->progress = NULL;
    }
    return status;
}

void hdi_cpu_forget_ew(void *progress)
{
    hdi_free(progress, sizeof(ew_progress));
}

/* Operands over sorted, merged axes. false: no memory. */
static bool bind(ew_launch *e, const hdi_launch *l)
{
    hdi_cpu_run *run = &e->run;
    const hdi_cpu_program *p = run->p;
    int axes[HD_MAXDIM];
    run->loads = hdi_cpu_scratch((int64_t)sizeof *run->loads * (p->nloads + p->nstores));
    if (run->loads == NULL)
        return false;
    run->stores = run->loads + p->nloads;
    run->streams = false;
    init_views(run);
    hdi_cpu_sort_axes(l, axes);
    if (!hdi_cpu_space_make(&run->full, l, axes, l->nd, run->loads, p->nloads + p->nstores, true))
        return false;
    e->tile_rows = e->tile_columns = 0;
    choose_tiles(e);
    e->size = e->tile_rows > 0 ? count_tiles(e) : run->full.size;
    run->straddle = run->full.nd > 1 && run->full.dims[run->full.nd - 1] < SHORT_AXIS;
    decide(e);
    return hdi_cpu_bind_shared(run, run->full.size);
}

hd_status hdi_cpu_launch_ew(hdi_launch *l)
{
    const hdi_cpu_program *p = l->program;
    bool small = l->size < CPU_PARALLEL_WORK / p->cost && l->progress == NULL;
    int fixed = hdi_cpu_plain_fixed(p, l);
    if (l->size == 0)
        return HD_OK;
    if (small && fixed >= 0)
        return hdi_cpu_plain_range(p, l, fixed, p->block, 0, l->size) ? HD_OK : no_memory();
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    ew_launch e;   /* half a kilobyte that bind() fills as far as it is used */
    hd_status status;
    e.run.p = p;
    e.run.l = l;
    e.run.block = hdi_cpu_block(p, l->size);
    e.fixed = fixed;
    e.size = l->size;
    if (fixed < 0 && !bind(&e, l))
        status = no_memory();
    else if (small)
        status = run_part(&e, 0, e.size) ? HD_OK : no_memory();
    else
        status = run_tasks(&e, l);
    hdi_cpu_scratch_release(mark);
    return status;
}
