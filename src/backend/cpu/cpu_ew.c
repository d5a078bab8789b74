/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_ew.c - launches without reductions: blocks along memory, tiles where operands disagree about the fastest axis.
 *
 * Operands that are all dense in C order (or one element each) make the launch one-dimensional whatever its axes; everything the
 * small launches of interactive programs pay for is on that path. Otherwise axes are sorted and merged, and a block is a piece of the
 * last axis, or, where that is short, of the linear order, with operands gathered run by run. */
#include "backend/cpu/cpu_exec.h"

#include "base/alloc.h"
#include "base/pool.h"

enum { SHORT_AXIS = 64, TILE_MIN = 8 };

typedef struct ew_progress {
    int64_t next, task_size;
} ew_progress;

typedef struct ew_launch {
    hdi_cpu_run run;
    int64_t task_size;
    int64_t tile_rows, tile_columns;   /* 0: no tiles */
    int64_t tiles[2];                  /* per row of tiles, and rows of tiles */
} ew_launch;

/* ---- binding --------------------------------------------------------------------------------------------------------------------- */

static void init_views(hdi_cpu_run *run)
{
    const hdi_cpu_program *p = run->p;
    for (int i = 0; i < p->nloads; i++)
        run->loads[i] = (hdi_cpu_view){.op = &p->loads[i], .lsize = p->loads[i].lsize, .into = HDI_CPU_NONE};
    for (int i = 0; i < p->nstores; i++)
        run->stores[i] = (hdi_cpu_view){.op = &p->stores[i], .lsize = p->stores[i].lsize, .into = HDI_CPU_NONE};
}

static bool all_zero(const int64_t *strides, int nd)
{
    for (int a = 0; a < nd; a++)
        if (strides[a] != 0)
            return false;
    return true;
}

/* Binds v to the one-dimensional space of all elements, if it is dense there or a single element. */
static bool bind_linear(const hdi_launch *l, hdi_cpu_view *v)
{
    static const int64_t sizes[] = {0, 1, 2, 4, 8, 16};
    const hdi_arg *arg = &l->args[v->op->slot];
    if (v->op->index) {
        if (l->nd > 1)
            return false;
        v->value = arg->base;
        v->strides = l->nd == 1 ? arg->strides : sizes;
        v->how = l->nd == 1 && arg->strides[0] != 1 ? CPU_WALK : CPU_DENSE;
        return true;
    }
    v->base = arg->ptr;
    v->strides = sizes + 1 + v->lsize;
    v->how = CPU_DENSE;
    if (arg->linear || l->size == 1)
        return true;
    v->strides = sizes;
    v->how = CPU_FIXED;
    return !v->op->store && all_zero(arg->strides, l->nd);
}

static bool bind_all_linear(hdi_cpu_run *run)
{
    const hdi_cpu_program *p = run->p;
    for (int i = 0; i < p->nstores; i++)
        if (!bind_linear(run->l, &run->stores[i]))
            return false;
    for (int i = 0; i < p->nloads; i++)
        if (!bind_linear(run->l, &run->loads[i]))
            return false;
    run->full.nd = 1;
    run->full.size = run->full.dims[0] = run->l->size;
    return true;
}

/* ---- tiles ----------------------------------------------------------------------------------------------------------------------- */

/* An axis, not the last, along which some operand is dense while it is not along the last one; -1 if there is none. */
static int other_fast_axis(const hdi_cpu_run *run)
{
    const hdi_cpu_space *s = &run->full;
    int last = s->nd - 1;
    for (int i = 0; i < run->p->nloads + run->p->nstores; i++) {
        const hdi_cpu_view *v = i < run->p->nloads ? &run->loads[i] : &run->stores[i - run->p->nloads];
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
        int64_t *strides = (int64_t *)(uintptr_t)v->strides, stride = strides[axis];   /* scratch of this launch */
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
    /* Both sides get whole lines of memory: 128 bytes of rows, the rest of the block in columns. */
    int64_t rows = hdi_min64(hdi_max64(128 >> run->p->max_lsize, TILE_MIN), run->block);
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

/* Stands the cursor on tile number n; down the rows first, so that the operand that is dense there is read in order. */
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

/* ---- deciding -------------------------------------------------------------------------------------------------------------------- */

static bool dense_in_blocks(const ew_launch *e, const hdi_cpu_view *v)
{
    const hdi_cpu_space *s = &e->run.full;
    if (v->op->index || e->tile_rows > 0)
        return false;
    return v->how == CPU_DENSE || (v->how == CPU_WALK && !e->run.straddle && v->strides[s->nd - 1] == (int64_t)1 << v->lsize);
}

/* Which stores are computed in memory, which pass the cache by, and whether loads and stores take steps at all. */
static void decide(ew_launch *e)
{
    hdi_cpu_run *run = &e->run;
    const hdi_cpu_program *p = run->p;
    for (int i = 0; i < p->nstores; i++) {
        hdi_cpu_view *v = &run->stores[i];
        v->direct = (v->op->reg != HDI_CPU_NONE || v->op->from != HDI_CPU_NONE) && dense_in_blocks(e, v);
        v->stream = v->how == CPU_DENSE && run->full.size << v->lsize > hdi_cpu_cache_bytes();
    }
    if (!p->alias_safe || (p->nstores > 0 && run->stores[0].stream))
        hdi_cpu_resolve_aliases(run);
    run->in_place = e->tile_rows == 0;
    for (int i = 0; i < p->nstores; i++) {
        hdi_cpu_view *v = &run->stores[i];
        if (v->op->from != HDI_CPU_NONE) {
            hdi_cpu_view *load = &run->loads[v->op->from];
            v->direct = v->direct && !v->stream && load->how != CPU_FIXED && !load->copy && !dense_in_blocks(e, load);
            if (v->direct)
                load->into = (uint16_t)i;
        }
        v->direct = v->direct && !v->stream;
        run->streams = run->streams || v->stream;
        run->in_place = run->in_place && v->direct && v->op->from == HDI_CPU_NONE && v->how == CPU_DENSE;
    }
    for (int i = 0; i < p->nloads; i++) {
        const hdi_cpu_view *v = &run->loads[i];
        run->in_place = run->in_place && (v->op->index || v->how == CPU_FIXED || (v->how == CPU_DENSE && !v->copy));
    }
}

/* ---- running --------------------------------------------------------------------------------------------------------------------- */

/* Every operand in place: addresses move on, only the computing steps run. */
static void run_in_place(hdi_cpu_ctx *c, int64_t start, int64_t end)
{
    const hdi_cpu_run *run = c->run;
    const hdi_cpu_program *p = run->p;
    for (int64_t n; start < end; start += n) {
        n = hdi_min64(run->block, end - start);
        for (int i = 0; i < p->nloads; i++) {
            const hdi_cpu_view *v = &run->loads[i];
            if (v->how != CPU_FIXED && !v->op->index)
                c->reg[v->op->reg] = v->base + (start << v->lsize);
        }
        for (int i = 0; i < p->nstores; i++)
            c->reg[run->stores[i].op->reg] = run->stores[i].base + (start << run->stores[i].lsize);
        for (const hdi_cpu_step *s = p->compute; s < p->compute + p->ncompute; s++) {
            if (HDI_LIKELY(s->kind != CPU_LOAD)) {
                hdi_cpu_compute(s, c->reg, n);
                continue;
            }
            const hdi_cpu_view *v = &run->loads[s->out];   /* an index */
            hdi_cpu_seek(&c->full, &run->full, start);
            hdi_cpu_gather(p->loops, v, &run->full, &c->full, n, c->reg[v->op->reg]);
        }
    }
}

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
        if (e->run.in_place)
            run_in_place(&c, start, end);
        else if (e->tile_rows > 0)
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

static bool ew_task(void *ctx, int64_t task)
{
    ew_launch *e = ctx;
    int64_t start = task * e->task_size, size = e->tile_rows > 0 ? count_tiles(e) : e->run.full.size;
    return run_range(e, start, hdi_min64(start + e->task_size, size));
}

static hd_status run_tasks(ew_launch *e, hdi_launch *l)
{
    const hdi_cpu_run *run = &e->run;
    int64_t size = run->full.size, cost = run->p->cost, block = run->block;
    ew_progress *progress = l->progress;
    if (!run_range(e, 0, 0))   /* takes all the memory there is need for; it stays until the launch ends */
        return hdi_fail(HD_NOMEM, "out of memory to run a kernel");
    if (e->tile_rows > 0) {
        size = count_tiles(e);
        cost *= e->tile_rows * e->tile_columns;
        block = 1;
    }
    if (progress == NULL) {
        if ((progress = hdi_alloc(sizeof *progress)) == NULL)
            return hdi_fail(HD_NOMEM, "out of memory to run a kernel");
        *progress = (ew_progress){0, hdi_cpu_task_size(size, cost, block)};
        l->progress = progress;
    }
    e->task_size = progress->task_size;
    hd_status status = hdi_pool_run((size + e->task_size - 1) / e->task_size, ew_task, e, &progress->next, hdi_poll_interrupt);
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

hd_status hdi_cpu_launch_ew(hdi_launch *l)
{
    const hdi_cpu_program *p = l->program;
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    ew_launch e = {.run = {.p = p, .l = l, .block = p->block}};
    hdi_cpu_run *run = &e.run;
    hd_status status = HD_OK;
    if (l->size == 0)
        return HD_OK;
    run->loads = hdi_cpu_scratch((int64_t)sizeof *run->loads * (p->nloads + p->nstores));
    HD_REQUIRE(run->loads != NULL, HD_NOMEM, "out of memory to run a kernel");
    run->stores = run->loads + p->nloads;
    init_views(run);
    if (!bind_all_linear(run)) {
        int axes[HD_MAXDIM];
        hdi_cpu_sort_axes(l, axes);
        HD_REQUIRE(hdi_cpu_space_make(&run->full, l, axes, l->nd, run->loads, p->nloads + p->nstores, true), HD_NOMEM,
                   "out of memory to run a kernel");
        choose_tiles(&e);
    }
    run->straddle = run->full.nd > 1 && run->full.dims[run->full.nd - 1] < SHORT_AXIS;
    decide(&e);
    HD_REQUIRE(hdi_cpu_bind_shared(run, run->full.size), HD_NOMEM, "out of memory to run a kernel");
    if (run->full.size < CPU_PARALLEL_WORK / p->cost && l->progress == NULL)
        HD_REQUIRE(run_range(&e, 0, e.tile_rows > 0 ? count_tiles(&e) : run->full.size), HD_NOMEM, "out of memory to run a kernel");
    else
        status = run_tasks(&e, l);
done:
    hdi_cpu_scratch_release(mark);
    return status;
}
