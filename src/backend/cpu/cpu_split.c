/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_split.c - few long rows: threads take segments of one row, whose partial results then go
 * through the upper part of the same tree. Phases run one after the other for all groups; what
 * must outlive a phase (row values, kept values, partial results) belongs to the launch, so that
 * an interrupted one can go on. */
#include <stdatomic.h>

#include "backend/cpu/cpu_copy.h"
#include "backend/cpu/cpu_memory.h"
#include "backend/cpu/cpu_rows.h"
#include "base/alloc.h"
#include "base/pool.h"

typedef struct hdi_cpu_split {
    const hdi_cpu_program *p;
    int phase;
    int64_t next;                /* segment of this phase */
    int64_t segments;            /* per group */
    int64_t nbytes;              /* of memory */
    uint8_t *memory;             /* the pieces: */
    int64_t *partials;           /* offset per reduction: an entry per group and segment */
    int64_t *row_values;         /* offset per ROW value: an element per kept element */
    int64_t *kept;               /* offset per kept value: an element per element */
    /* per group: the first segment known to settle its results, or all of them; those after it may
     * not have been run */
    _Atomic(int64_t) *last;
} hdi_cpu_split;

static size_t split_bytes(const hdi_cpu_program *p)
{
    return sizeof(hdi_cpu_split) + sizeof(int64_t) * (size_t)(p->nreds + p->nrows + p->nkept);
}

static int64_t reserve(hdi_cpu_split *s, int64_t nbytes)
{
    int64_t at = s->nbytes;
    s->nbytes += (nbytes + 63) & -(int64_t)64;
    return at;
}

void hdi_cpu_split_free(hdi_cpu_split *s)
{
    hdi_cpu_free(s->memory, s->nbytes);
    hdi_free(s, split_bytes(s->p));
}

static hdi_cpu_split *split_new(const hdi_cpu_rows *rows)
{
    const hdi_cpu_program *p = rows->run.p;
    hdi_cpu_split *s = hdi_calloc(split_bytes(p));
    if (s == NULL)
        return NULL;
    s->p = p;
    s->segments = (rows->reduced + rows->segment - 1) / rows->segment;
    s->partials = (int64_t *)(s + 1);
    s->row_values = s->partials + p->nreds;
    s->kept = s->row_values + p->nrows;
    for (int i = 0; i < p->nreds; i++)
        s->partials[i] =
            reserve(s, hdi_cpu_entry_bytes(&p->reds[i], rows->column ? rows->width : 1) *
                           rows->groups * s->segments);
    for (int i = 0; i < p->nrows; i++)
        s->row_values[i] = reserve(s, rows->kept << p->row_values[i].lsize);
    for (int i = 0; i < p->nkept; i++)
        s->kept[i] = reserve(s, rows->kept * rows->reduced << p->kept[i].lsize);
    int64_t last = reserve(s, (int64_t)sizeof *s->last * rows->groups);
    if ((s->memory = hdi_cpu_alloc(s->nbytes)) == NULL) {
        hdi_free(s, split_bytes(p));
        return NULL;
    }
    s->last = (_Atomic(int64_t) *)(void *)(s->memory + last);
    for (int64_t i = 0; i < rows->groups; i++)
        atomic_init(&s->last[i], s->segments - 1);
    return s;
}

/* Stands a thread at a group: its row values are the launch's, and its ROW operands are loaded
 * again for it. */
static void enter_group(hdi_cpu_ctx *c, int64_t group, uint8_t **kept)
{
    hdi_cpu_group *g = c->group;
    const hdi_cpu_rows *rows = g->rows;
    const hdi_cpu_split *s = rows->split;
    const hdi_cpu_program *p = s->p;
    g->first = group * rows->width;
    g->n = hdi_min64(rows->width, rows->kept - g->first);
    g->phase = s->phase;
    g->kept = kept;
    for (int i = 0; i < p->nkept; i++)
        kept[i] = s->memory + s->kept[i];
    for (int i = 0; i < p->nrows; i++)
        c->reg[p->row_values[i].reg] =
            s->memory + s->row_values[i] + (g->first << p->row_values[i].lsize);
    for (int i = 0; i < p->nreds; i++)
        hdi_cpu_cascade_width(&g->cascade[i], rows->column ? g->n : 1);
    hdi_cpu_seek(&c->row, &c->run->row, g->first);
    for (int phase = 0; phase < s->phase; phase++)
        for (int i = 0; i < p->row[phase].count; i++)
            if (p->steps[p->row[phase].first + i].kind == CPU_LOAD)
                hdi_cpu_run_steps(c, &p->steps[p->row[phase].first + i], 1, g->n);
}

static uint8_t *partial_of(const hdi_cpu_rows *rows, int red, int64_t group, int64_t segment)
{
    const hdi_cpu_split *s = rows->split;
    int64_t bytes = hdi_cpu_entry_bytes(&s->p->reds[red], rows->column ? rows->width : 1);
    return s->memory + s->partials[red] + (group * s->segments + segment) * bytes;
}

/* A thread's registers for split launches. */
static bool open_thread(hdi_cpu_ctx *c, hdi_cpu_group *g, hdi_cpu_rows *rows, uint8_t ***kept)
{
    *kept = hdi_cpu_scratch((int64_t)sizeof **kept * (rows->run.p->nkept + 1));
    return *kept != NULL && hdi_cpu_group_open(c, g, rows);
}

/* (Segments are handed out in order, so those before this one have been or are being run.) */
static void settle(hdi_cpu_split *s, int64_t group, int64_t segment)
{
    int64_t last = atomic_load_explicit(&s->last[group], memory_order_relaxed);
    while (segment < last &&
           !atomic_compare_exchange_weak_explicit(&s->last[group], &last, segment,
                                                  memory_order_relaxed, memory_order_relaxed))
        ;
}

static void run_segment(hdi_cpu_ctx *c, int64_t group, int64_t segment)
{
    const hdi_cpu_group *g = c->group;
    const hdi_cpu_rows *rows = g->rows;
    int64_t from = segment * rows->segment, to = hdi_min64(from + rows->segment, rows->reduced);
    hdi_cpu_group_spread(c);
    hdi_cpu_group_full(c, from, to);
    if (hdi_cpu_group_settled(c))
        settle(rows->split, group, segment);
    for (int i = 0; i < rows->run.p->nreds; i++) {
        hdi_cpu_cascade *k = &g->cascade[i];
        if (k->red->phase != g->phase)
            continue;
        if (rows->column && rows->thin == NULL)
            hdi_cpu_cascade_end(k, to);
        memcpy(partial_of(rows, i, group, segment), hdi_cpu_cascade_close(k, NULL),
               (size_t)hdi_cpu_entry_bytes(k->red, k->width));
    }
}

static bool segment_task(void *ctx, int64_t task)
{
    hdi_cpu_rows *rows = ctx;
    int64_t group = task / rows->split->segments, segment = task % rows->split->segments;
    if (segment > atomic_load_explicit(&rows->split->last[group], memory_order_relaxed))
        return true;
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    hdi_cpu_ctx c;
    hdi_cpu_group g;
    uint8_t **kept;
    bool ok = open_thread(&c, &g, rows, &kept);
    if (ok) {
        enter_group(&c, group, kept);
        run_segment(&c, group, segment);
        if (rows->run.streams)
            hdi_cpu_stream_end();
    }
    hdi_cpu_scratch_release(mark);
    return ok;
}

/* The results of a phase's reductions for one group. Whole segments are subtrees of equal size;
 * the last one may be shorter. */
static void combine_segments(hdi_cpu_ctx *c, int64_t group)
{
    hdi_cpu_group *g = c->group;
    const hdi_cpu_rows *rows = g->rows;
    const hdi_cpu_split *s = rows->split;
    int64_t there = atomic_load_explicit(&s->last[group], memory_order_relaxed) + 1;
    int64_t whole = hdi_min64(rows->reduced / rows->segment, there);
    for (int i = 0; i < s->p->nreds; i++) {
        const hdi_cpu_red *red = &s->p->reds[i];
        hdi_cpu_cascade *k = &g->cascade[i];
        if (red->phase != s->phase)
            continue;
        for (int64_t n = 0; n < whole; n++) {
            memcpy(k->spare, partial_of(rows, i, group, n),
                   (size_t)hdi_cpu_entry_bytes(red, k->width));
            hdi_cpu_cascade_push(k, 0);
        }
        uint8_t *tail = whole < there ? partial_of(rows, i, group, whole) : NULL;
        hdi_cpu_row_result(c->run->p->loops, red, hdi_cpu_cascade_close(k, tail), g->zeros, g->n,
                           c->reg[red->out]);
    }
}

static void finish_phase(hdi_cpu_rows *rows)
{
    const hdi_cpu_split *s = rows->split;
    const hdi_cpu_program *p = s->p;
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    hdi_cpu_ctx c;
    hdi_cpu_group g;
    uint8_t **kept;
    bool ok = open_thread(&c, &g, rows, &kept);   /* has succeeded before */
    for (int64_t group = 0; ok && group < rows->groups; group++) {
        enter_group(&c, group, kept);
        combine_segments(&c, group);
        hdi_cpu_run_steps(&c, p->steps + p->row[s->phase].first, p->row[s->phase].count, g.n);
    }
    hdi_cpu_scratch_release(mark);
}

/* Does this thread have the memory that tasks need? It stays with the thread until the launch
 * ends. */
static bool try_memory(hdi_cpu_rows *rows)
{
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    hdi_cpu_ctx c;
    hdi_cpu_group g;
    uint8_t **kept;
    bool ok = open_thread(&c, &g, rows, &kept);
    hdi_cpu_scratch_release(mark);
    return ok;
}

hd_status hdi_cpu_run_split(hdi_cpu_rows *rows)
{
    if (!try_memory(rows) || (rows->split == NULL && (rows->split = split_new(rows)) == NULL))
        return hdi_fail(HD_NOMEM, "out of memory to run a kernel");
    hdi_cpu_split *s = rows->split;
    for (; s->phase < s->p->nphases; s->phase++, s->next = 0) {
        hd_status status = hdi_pool_run(rows->groups * s->segments, segment_task, rows, &s->next,
                                        hdi_poll_interrupt);
        if (status != HD_OK)
            return status;
        finish_phase(rows);
    }
    return HD_OK;
}
