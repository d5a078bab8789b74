/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_rows.c - the driver of launches with reductions: groups of kept elements, phase after
 * phase. */
#include "backend/cpu/cpu_rows.h"

#include "backend/cpu/cpu_copy.h"
#include "backend/cpu/cpu_tier.h"
#include "base/alloc.h"
#include "base/pool.h"

enum {
    KEEP_BYTES = 1 << 18,
    SPLIT_ELEMENTS = 1 << 12,
    CACHE_LINE = 64,
    AHEAD = 4,
    AT_ONCE = 8,
    LONG_BLOCK = 1 << 14   /* elements of a row that are read where they lie */
};

typedef struct rows_progress {
    /* settled when the launch begins, though the number of threads may change */
    int64_t next, per_task, segment;
    struct hdi_cpu_split *split;
} rows_progress;

/* ---- a thread at a group --------------------------------------------------------------------- */

/* The most pieces that a cascade has to combine. */
static int64_t chunks_of(const hdi_cpu_rows *rows)
{
    int64_t chunk = rows->column ? HDI_CPU_STEPS : HDI_RED_CHUNK;
    if (rows->segment == 0)
        return (rows->reduced + chunk - 1) / chunk;
    /* of a segment, and segments of a row */
    return hdi_max64(rows->segment / chunk, rows->reduced / rows->segment + 1);
}

/* Memory for values that stay from phase to phase; split launches share theirs. */
static bool open_kept(hdi_cpu_group *g, const hdi_cpu_rows *rows)
{
    const hdi_cpu_program *p = rows->run.p;
    int64_t n = rows->width * rows->reduced;
    g->kept = hdi_cpu_scratch((int64_t)sizeof *g->kept * (p->nkept + p->nloads + 1));
    if (g->kept == NULL)
        return false;
    for (int i = 0; i < p->nkept + p->nloads; i++) {
        const hdi_cpu_view *v = i < p->nkept ? NULL : &rows->run.loads[i - p->nkept];
        g->kept[i] = NULL;
        if (v != NULL && !(v->copy && v->op->crosses))
            continue;
        if ((g->kept[i] = hdi_cpu_scratch(n << (v != NULL ? v->lsize : p->kept[i].lsize))) == NULL)
            return false;
    }
    return true;
}

bool hdi_cpu_group_open(hdi_cpu_ctx *c, hdi_cpu_group *g, hdi_cpu_rows *rows)
{
    const hdi_cpu_program *p = rows->run.p;
    if (!hdi_cpu_open(c, &rows->run))
        return false;
    c->group = g;
    *g = (hdi_cpu_group){.rows = rows};
    int64_t width = rows->column ? rows->width : 1;
    /* thin products that are short rows need none */
    int64_t zeros = (rows->thin != NULL ? hdi_min64(width, HDI_THIN) : rows->width) * 16;
    bool ok = rows->segment > 0 || open_kept(g, rows);
    g->zeros = hdi_cpu_scratch(zeros);
    g->cascade = hdi_cpu_scratch((int64_t)sizeof *g->cascade * p->nreds);
    ok = ok && g->zeros != NULL && g->cascade != NULL;
    for (int i = 0; ok && i < p->nreds; i++)
        ok =
            hdi_cpu_cascade_open(&g->cascade[i], &p->reds[i], width, chunks_of(rows),
                                 rows->narrow && rows->thin == NULL);
    if (!ok)
        return false;
    memset(g->zeros, 0, (size_t)zeros);
    return true;
}

static bool has_whole_rows(const hdi_cpu_group *g)
{
    const hdi_cpu_rows *rows = g->rows;
    return !rows->column && rows->segment == 0 && g->n * rows->reduced <= rows->run.block;
}

/* ROW values that this phase's FULL steps use, repeated for each element of a block. Those of
 * earlier phases are there already, but for split launches, whose phases begin anew. */
void hdi_cpu_group_spread(hdi_cpu_ctx *c)
{
    hdi_cpu_group *g = c->group;
    const hdi_cpu_rows *rows = g->rows;
    const hdi_cpu_program *p = rows->run.p;
    g->whole = has_whole_rows(g);
    bool by_rows = p->nspreads > 0 && hdi_cpu_runs_by_rows(g, true);
    for (int i = 0; i < p->nspreads; i++) {
        const hdi_cpu_value *s = &p->spreads[i];
        const uint8_t *from = c->reg[s->from];
        uint8_t *to = c->reg[s->reg];
        bool there = s->phase < g->phase && rows->segment == 0;
        if (there || s->phase > g->phase || (s->in_chain && by_rows))
            continue;
        if (rows->column)
            /* as often as rows fit a block */
            for (int64_t k = 0; k + g->n <= rows->run.block; k += g->n)
                memcpy(to + (k << s->lsize), from, (size_t)(g->n << s->lsize));
        else
            for (int64_t k = 0, R = hdi_min64(rows->reduced, rows->run.block); k < g->n; k++)
                p->loops->fill[s->lsize](to + (k * R << s->lsize), from + (k << s->lsize), R);
    }
}

/* One block: n elements from number `start` of the space on. */
static void full_block(hdi_cpu_ctx *c, int64_t start, int64_t n)
{
    hdi_cpu_run *run = c->run;
    const hdi_cpu_program *p = run->p;
    hdi_cpu_group *g = c->group;
    const hdi_cpu_section *section = &p->full[g->phase];
    hdi_cpu_seek(&c->full, &run->full, start);
    for (int i = 0; i < p->nkept; i++)
        c->reg[p->kept[i].reg] = g->kept[i] + (g->kept_index << p->kept[i].lsize);
    for (int i = 0; i < p->nstores; i++) {
        const hdi_cpu_view *v = &run->stores[i];
        if (v->direct && v->op->level == KIR_FULL)
            c->reg[v->op->reg] = v->base + (start << v->lsize);
    }
    hdi_cpu_run_steps(c, p->steps + section->first, section->count, n);
}

/* Asks for a row of a group of columns ahead of time: it lies in other pages, which processors
 * do not foresee. (Inlined by force: gcc takes a function that only prefetches for one without
 * effect.) */
static inline __attribute__((always_inline)) void prefetch_row(const hdi_cpu_ctx *c, int64_t start,
                                                               int64_t n)
{
    const hdi_cpu_run *run = c->run;
    for (int i = 0; i < run->p->nloads; i++) {
        const hdi_cpu_view *v = &run->loads[i];
        if (v->how == CPU_DENSE && v->op->level == KIR_FULL && !v->op->index)
            for (int64_t at = 0; at < n << v->lsize; at += CACHE_LINE)
                /* to the second-level cache */
                __builtin_prefetch(v->base + (start << v->lsize) + at, 0, 2);
    }
}

static bool is_loaded(const hdi_cpu_program *p, uint16_t reg)
{
    for (int i = 0; i < p->nloads; i++)
        if (p->loads[i].reg == reg && p->loads[i].level == KIR_FULL)
            return true;
    return false;
}

/* A reduction takes what was loaded, or what the chain that it ends hands to it; columns are for
 * chains only. */
static bool takes_loaded(const hdi_cpu_ctx *c, const hdi_cpu_red *red)
{
    return red->chain != HDI_CPU_NONE ||
           (!c->group->rows->column && is_loaded(c->run->p, red->x) &&
            is_loaded(c->run->p, red->y));
}

/* Do this phase's steps only read operands where they lie, for reductions and chains that end in
 * some? Then blocks of a row may be of any length, and rows of some columns go together although
 * others lie between them. */
static bool reads_in_place(const hdi_cpu_ctx *c)
{
    const hdi_cpu_program *p = c->run->p;
    const hdi_cpu_section *section = &p->full[c->group->phase];
    if (p->nkept > 0 || (p->chained && !hdi_cpu_runs_by_rows(c->group, true)))
        return false;
    for (const hdi_cpu_step *s = p->steps + section->first; s < p->steps + section->first +
                                                                section->count; s++) {
        const hdi_cpu_view *v = s->kind == CPU_LOAD ? &c->run->loads[s->out] : NULL;
        bool fits = v != NULL              ? v->how == CPU_DENSE && !v->copy && !v->op->index
                    : s->kind == CPU_CHAIN ? p->reducers[s->out].nred > 0 &&
                                                 p->reducers[s->out].nout == 0
                                           : s->kind == CPU_REDUCE &&
                                                 takes_loaded(c, &p->reds[s->out]);
        if (!fits)
            return false;
    }
    return true;
}

bool hdi_cpu_group_settled(const hdi_cpu_ctx *c)
{
    const hdi_cpu_program *p = c->run->p;
    if (!p->ends_early || c->group->rows->column || hdi_cpu_is_watched())
        return false;
    for (int i = 0; i < p->nreds; i++)
        if (!c->group->cascade[i].settled)
            return false;
    return true;
}

/* The group's FULL steps of this phase over the reduced elements [from, to). */
void hdi_cpu_group_full(hdi_cpu_ctx *c, int64_t from, int64_t to)
{
    hdi_cpu_group *g = c->group;
    const hdi_cpu_rows *rows = g->rows;
    int64_t R = rows->reduced, K = rows->kept, block = rows->run.block;
    bool split = rows->segment > 0;
    if (rows->thin != NULL) {
        hdi_cpu_thin_full(c, from, to);
        return;
    }
    g->r = from;
    if (rows->column) {
        bool apart = g->n < K && reads_in_place(c);
        int64_t at_once = g->n == K ? hdi_max64(block / K, 1) : apart ? AT_ONCE : 1;
        for (int64_t m; g->r < to; g->r += m) {
            m = hdi_min64(at_once, to - g->r);
            g->kept_index = split ? g->r * K + g->first : g->r * g->n;
            if (at_once == 1 && g->r + AHEAD < to)
                prefetch_row(c, (g->r + AHEAD) * K + g->first, g->n);
            for (int64_t i = m; apart && i < 2 * m && g->r + i < to; i++)
                prefetch_row(c, (g->r + i) * K + g->first, g->n);
            full_block(c, g->r * K + g->first, m * g->n);
        }
        return;
    }
    g->whole = has_whole_rows(g);
    if (g->whole) {
        g->kept_index = 0;
        full_block(c, g->first * R, g->n * R);
        return;
    }
    if (to - from > block && reads_in_place(c))
        block = hdi_max64(block, LONG_BLOCK);
    for (int64_t m; g->r < to && !hdi_cpu_group_settled(c); g->r += m) {   /* g->n is 1 */
        m = hdi_min64(block, to - g->r);
        g->kept_index = split ? g->first * R + g->r : g->r;
        full_block(c, g->first * R + g->r, m);
    }
}

void hdi_cpu_load_kept(hdi_cpu_ctx *c, const hdi_cpu_view *v, int64_t n)
{
    hdi_cpu_group *g = c->group;
    const hdi_cpu_run *run = c->run;
    uint8_t *to = g->kept[run->p->nkept + (v - run->loads)] + (g->kept_index << v->lsize);
    if (g->phase == v->op->phase)
        hdi_cpu_gather(run->p->loops, v, &run->full, &c->full, n, to);
    c->reg[v->op->reg] = to;
}

/* Results of this phase's reductions, unless short rows have left theirs already. */
static void finish_reductions(hdi_cpu_ctx *c)
{
    hdi_cpu_group *g = c->group;
    const hdi_cpu_program *p = c->run->p;
    for (int i = 0; i < p->nreds; i++) {
        const hdi_cpu_red *red = &p->reds[i];
        hdi_cpu_cascade *k = &g->cascade[i];
        if (red->phase != g->phase || (g->whole && g->rows->reduced > 0))
            continue;
        if (g->rows->column && g->rows->thin == NULL)
            hdi_cpu_cascade_end(k, g->rows->reduced);
        hdi_cpu_row_result(p->loops, red, hdi_cpu_cascade_close(k, NULL), g->zeros, g->n,
                           c->reg[red->out]);
    }
}

static void begin_group(hdi_cpu_ctx *c, int64_t first, int64_t n)
{
    hdi_cpu_group *g = c->group;
    const hdi_cpu_program *p = c->run->p;
    g->first = first;
    g->n = n;
    hdi_cpu_seek(&c->row, &c->run->row, first);
    for (int i = 0; i < p->nstores; i++) {
        const hdi_cpu_view *v = &c->run->stores[i];
        if (v->direct && v->op->level == KIR_ROW)
            c->reg[v->op->reg] = v->base + (first << v->lsize);
    }
    for (int i = 0; i < p->nreds; i++)   /* the last group of columns may be narrower */
        hdi_cpu_cascade_width(&g->cascade[i], g->rows->column ? n : 1);
    g->phase = 0;
}

static void end_phase(hdi_cpu_ctx *c)
{
    const hdi_cpu_program *p = c->run->p;
    const hdi_cpu_section *section = &p->row[c->group->phase];
    finish_reductions(c);
    hdi_cpu_run_steps(c, p->steps + section->first, section->count, c->group->n);
}

static void run_group(hdi_cpu_ctx *c, int64_t first, int64_t n)
{
    hdi_cpu_group *g = c->group;
    for (begin_group(c, first, n); g->phase < c->run->p->nphases; g->phase++) {
        hdi_cpu_group_spread(c);
        if (g->rows->reduced > 0)
            hdi_cpu_group_full(c, 0, g->rows->reduced);
        end_phase(c);
    }
}

static bool rows_range(hdi_cpu_rows *rows, int64_t from, int64_t to)
{
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    hdi_cpu_ctx c;
    hdi_cpu_group g;
    bool ok = hdi_cpu_group_open(&c, &g, rows);
    for (int64_t i = from; ok && i < to; i++)
        run_group(&c, i * rows->width, hdi_min64(rows->width, rows->kept - i * rows->width));
    if (rows->run.streams)
        hdi_cpu_stream_end();
    hdi_cpu_scratch_release(mark);
    return ok;
}

/* Does the first block settle the only row? Then it is done, and no other thread was asked. Worth a
 * try where few values are possible. */
static bool settles_soon(hdi_cpu_rows *rows)
{
    const hdi_cpu_program *p = rows->run.p;
    bool likely = p->ends_early && rows->kept == 1 && !rows->column;
    for (int i = 0; i < p->nreds; i++)
        likely = likely && p->reds[i].asize == 1;
    if (!likely)
        return false;
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    hdi_cpu_ctx c;
    hdi_cpu_group g;
    bool settled = false;
    if (hdi_cpu_group_open(&c, &g, rows)) {
        begin_group(&c, 0, 1);
        hdi_cpu_group_spread(&c);
        hdi_cpu_group_full(&c, 0, hdi_min64(rows->run.block, rows->reduced));
        settled = hdi_cpu_group_settled(&c);
        if (settled)
            end_phase(&c);
    }
    hdi_cpu_scratch_release(mark);
    return settled;
}

static bool rows_task(void *ctx, int64_t task)
{
    hdi_cpu_rows *rows = ctx;
    return rows_range(rows, task * rows->per_task,
                      hdi_min64((task + 1) * rows->per_task, rows->groups));
}

/* ---- binding --------------------------------------------------------------------------------- */

static void choose_mode(hdi_cpu_rows *rows, const hdi_launch *l, hdi_cpu_mode *m)
{
    hdi_cpu_mode_find(m, l->nd, l->dims, l->reduced, hdi_cpu_order_of(l),
                      rows->run.p->has_position);
    rows->kept = m->kept_size;
    rows->reduced = m->reduced_size;
    rows->column = m->column;
    rows->thin = hdi_cpu_thin_find(rows, l);   /* leaves the bits as they are */
    rows->column = rows->column || rows->thin != NULL;
    rows->narrow = hdi_cpu_is_narrow(rows->column, rows->kept, rows->reduced);
}

static bool bind_spaces(hdi_cpu_rows *rows, const hdi_launch *l)
{
    hdi_cpu_run *run = &rows->run;
    const hdi_cpu_program *p = run->p;
    int axes[HD_MAXDIM], nfull = 0, nrow = 0;
    hdi_cpu_mode m;
    hdi_cpu_view *full = hdi_cpu_scratch((int64_t)sizeof *full * 3 * (p->nloads + p->nstores + 1));
    if (full == NULL)
        return false;
    hdi_cpu_view *row = full + p->nloads + p->nstores;
    choose_mode(rows, l, &m);
    hdi_cpu_mode_axes(&m, rows->column, axes);
    for (int i = 0; i < p->nloads + p->nstores; i++) {
        const hdi_cpu_operand *op = i < p->nloads ? &p->loads[i] : &p->stores[i - p->nloads];
        *(op->level == KIR_ROW ? &row[nrow++] : &full[nfull++]) =
            (hdi_cpu_view){.op = op, .lsize = op->lsize, .into = HDI_CPU_NONE};
    }
    if (!hdi_cpu_space_make(&run->full, l, axes, l->nd, full, nfull, false) ||
        !hdi_cpu_space_make(&run->row, l, m.kept, m.nkept, row, nrow, false))
        return false;
    run->loads = row + p->nloads + p->nstores;
    run->stores = run->loads + p->nloads;
    for (int i = 0, f = 0, r = 0; i < p->nloads + p->nstores; i++) {
        const hdi_cpu_operand *op = i < p->nloads ? &p->loads[i] : &p->stores[i - p->nloads];
        run->loads[i] = op->level == KIR_ROW ? row[r++] : full[f++];
    }
    return true;
}

/* Kept elements of a group. Values that stay from phase to phase should fit the second-level
 * cache. */
static int64_t group_width(const hdi_cpu_rows *rows)
{
    const hdi_cpu_program *p = rows->run.p;
    int64_t block = rows->run.block, R = hdi_max64(rows->reduced, 1), n = block;
    if (!rows->column)
        n = R <= block / 2 ? block / R : 1;
    else if (p->nkept > 0)
        n = hdi_min64(block, hdi_max64(KEEP_BYTES / R / ((int64_t)p->nkept << p->max_lsize),
                                       HDI_RED_LANES));
    return hdi_max64(hdi_min64(n, rows->kept), 1);
}

/* Few groups with long rows: threads share the rows. Returns the elements of a share, a power of
 * two of chunks and about the size of a task; 0 for none. */
static int64_t choose_segment(const hdi_cpu_rows *rows, int64_t task)
{
    int64_t segment = rows->column ? HDI_CPU_STEPS : SPLIT_ELEMENTS;
    while (rows->column && segment * rows->width < SPLIT_ELEMENTS)
        segment *= 2;
    if (rows->groups >= 4 * (int64_t)hdi_pool_threads() || rows->reduced < 2 * segment)
        return 0;
    for (int i = 0; i < rows->run.p->nloads; i++)
        if (rows->run.loads[i].copy)
            return 0;
    int64_t width = rows->column ? rows->width : 1;
    while (2 * segment * width <= task && 2 * segment < rows->reduced)
        segment *= 2;
    return segment;
}

/* Of one element of the whole space, with its share of the work per row. */
static int64_t element_cost(const hdi_cpu_rows *rows)
{
    const hdi_cpu_program *p = rows->run.p;
    return p->cost + p->row_cost / hdi_max64(rows->reduced, 1);
}

static hd_status run_tasks(hdi_cpu_rows *rows, hdi_launch *l)
{
    rows_progress *progress = l->progress;
    int64_t group = hdi_max64(rows->width * rows->reduced, 1);
    if (progress == NULL) {
        if ((progress = hdi_alloc(sizeof *progress)) == NULL)
            return hdi_fail(HD_NOMEM, "out of memory to run a kernel");
        int64_t elements = hdi_cpu_task_size(rows->groups * group, element_cost(rows), 1);
        *progress = (rows_progress){.per_task = hdi_max64(elements / group, 1),
                                    .segment = choose_segment(rows, elements)};
        l->progress = progress;
    }
    rows->segment = progress->segment;
    for (int i = 0; i < rows->run.p->nstores; i++)   /* row values of split launches stay */
        rows->run.stores[i].direct &=
            rows->segment == 0 || rows->run.stores[i].op->level == KIR_FULL;
    rows->per_task = progress->per_task;
    rows->split = progress->split;
    hd_status status;
    if (rows->segment > 0) {
        status = hdi_cpu_run_split(rows);
        progress->split = rows->split;
    /* takes all the memory there is need for; it stays until the launch ends */
    } else if (!rows_range(rows, 0, 0))
        status = hdi_fail(HD_NOMEM, "out of memory to run a kernel");
    else
        status = hdi_pool_run((rows->groups + rows->per_task - 1) / rows->per_task, rows_task, rows,
                              &progress->next, hdi_poll_interrupt);
    if (status == HD_OK) {
        hdi_cpu_forget_rows(progress);
        l->progress = NULL;
    }
    return status;
}

static void decide_stores(hdi_cpu_run *run)
{
    for (int i = 0; i < run->p->nstores; i++) {
        hdi_cpu_view *v = &run->stores[i];
        bool dense = v->how == CPU_DENSE, full = v->op->level == KIR_FULL;
        /* positions of short rows are written as int64_t, not as operands that may lie anywhere */
        bool fits = full || (uintptr_t)v->base % sizeof(int64_t) == 0;
        v->direct = v->op->reg != HDI_CPU_NONE && dense && fits;
        v->stream = dense && full && run->full.size << v->lsize > hdi_cpu_stream_bytes();
        run->streams = run->streams || v->stream;
    }
    if (!run->p->alias_safe || run->streams)
        hdi_cpu_resolve_aliases(run);
    for (int i = 0; i < run->p->nstores; i++)
        run->stores[i].direct = run->stores[i].direct && !run->stores[i].stream;
}

hd_status hdi_cpu_launch_rows(hdi_launch *l)
{
    const hdi_cpu_program *p = l->program;
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    hdi_cpu_rows rows = {.run = {.p = p, .l = l, .block = p->block}};
    hd_status status = HD_OK;
    HD_REQUIRE(bind_spaces(&rows, l), HD_NOMEM, "out of memory to run a kernel");
    if (rows.kept == 0)
        goto done;
    decide_stores(&rows.run);
    HD_REQUIRE(hdi_cpu_bind_shared(&rows.run, hdi_max64(rows.run.full.size, rows.kept)), HD_NOMEM,
               "out of memory to run a kernel");
    rows.width = group_width(&rows);
    rows.groups = (rows.kept + rows.width - 1) / rows.width;
    if (l->progress == NULL && rows.run.full.size < CPU_PARALLEL_WORK / element_cost(&rows) &&
        rows.groups < CPU_PARALLEL_WORK / 64)
        HD_REQUIRE(rows_range(&rows, 0, rows.groups), HD_NOMEM, "out of memory to run a kernel");
    else if (l->progress != NULL || !settles_soon(&rows))
        status = run_tasks(&rows, l);
done:
    hdi_cpu_scratch_release(mark);
    return status;
}

void hdi_cpu_forget_rows(void *l_progress)
{
    rows_progress *progress = l_progress;
    if (progress->split != NULL)
        hdi_cpu_split_free(progress->split);
    hdi_free(progress, sizeof *progress);
}
