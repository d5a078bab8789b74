/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_small_red.c - small reductions, in the interpreter's order: its choice between rows and
 * columns (cpu_rows_mode.c), its chunks and its tree (cpu_reduce.c). */
#include "backend/cpu/cpu_rows.h"
#include "backend/cpu/cpu_small_work.h"
#include "core/op.h"
#include "fuse/walk_order.h"

/* One reduction: its operands over its axes in the order of the mode. */
typedef struct reduction {
    hdi_cpu_work w;
    hd_op op;
    hd_dtype cdt, runs;          /* dtype of the loop, and the one that does it */
    hdi_cpu_mode mode;
    int axes[HD_MAXDIM];
    hdi_cpu_red red;
    const uint8_t *x, *y;
    bool y_repeats;              /* one row for all */
    bool one_chunk;              /* a row is, however long */
} reduction;

/* Layout lay over n axes, in their order; room for dims and strides of each. */
static hdi_cpu_walk walk_over(const hdi_layout *lay, const int *axes, int n, int64_t *room)
{
    for (int i = 0; i < n; i++) {
        room[i] = lay->sqdims[axes[i]];
        room[n + i] = lay->sqstrides[axes[i]];
    }
    return (hdi_cpu_walk){n, room, room + n};
}

/* Input k over some axes as n dense elements of the loop's dtype. Rounded first where its own is
 * wider than a half type, as the planner does (fuse/lower.c: argument()). NULL: no room. */
static const void *bring(reduction *d, int k, const int *axes, int naxes, int64_t n)
{
    const hdi_operand *p = &d->w.r->operand[k];
    int64_t lists[2 * HD_MAXDIM];
    const hdi_cpu_walk walk = walk_over(p->lay, axes, naxes, lists);
    hd_dtype dt = (hd_dtype)d->w.r->dt[k];
    const hd_dtype want = hdi_loop_dtype(d->op, k - 1, d->cdt);
    uint8_t *at = p->buf->host + p->off;
    const void *elements = at;
    if (!hdi_cpu_walk_is_dense(&walk, p->lay->item)) {
        uint8_t *room = hdi_cpu_work_take(&d->w, n * p->lay->item);
        if (room != NULL)
            hdi_cpu_work_move(&d->w, &walk, at, room, p->lay->item, true);
        elements = room;
    }
    if (elements != NULL && want != hdi_loop_dtype(d->op, k - 1, d->runs) &&
        !hd_can_cast(dt, want, HD_CAST_SAFE))
        elements = hdi_cpu_work_cast(&d->w, elements, n, &dt, want);
    return elements == NULL ? NULL
                            : hdi_cpu_work_cast(&d->w, elements, n, &dt,
                                                hdi_loop_dtype(d->op, k - 1, d->runs));
}

/* Row after row. */
static void reduce_rows(const reduction *d, hdi_cpu_cascade *k, const void *zeros, uint8_t *out)
{
    const int64_t R = d->mode.reduced_size, row = R * d->red.xsize,
                  size = d->red.position ? (int64_t)sizeof(int64_t) : d->red.asize;
    for (int64_t i = 0; i < d->mode.kept_size; i++, out += size) {
        const uint8_t *x = d->x + i * row, *y = d->y + (d->y_repeats ? 0 : i * row);
        if (R <= HDI_RED_CHUNK || d->one_chunk) {
            hdi_cpu_short_rows(k, x, y, R, zeros, 1, out);
            continue;
        }
        hdi_cpu_push_row(k, x, y, R, 0);
        hdi_cpu_row_result(d->w.loops, &d->red, hdi_cpu_cascade_close(k, NULL), zeros, 1, out);
    }
}

/* All results side by side. False: no memory. */
static bool reduce(const reduction *d, uint8_t *out)
{
    const hdi_cpu_mode *m = &d->mode;
    const int64_t K = m->kept_size, R = m->reduced_size, width = m->column ? K : 1,
                  chunk = m->column ? HDI_CPU_STEPS : HDI_RED_CHUNK;
    hdi_cpu_cascade k;
    void *zeros = hdi_cpu_scratch(K * d->red.asize);
    if (zeros == NULL || !hdi_cpu_cascade_open(&k, &d->red, width, (R + chunk - 1) / chunk,
                                               hdi_cpu_is_narrow(m->column, K, R)))
        return false;
    memset(zeros, 0, (size_t)(K * d->red.asize));
    if (m->column) {
        hdi_cpu_push_columns(&k, d->x, d->y, R, 0);
        hdi_cpu_cascade_end(&k, R);
        hdi_cpu_row_result(d->w.loops, &d->red, hdi_cpu_cascade_close(&k, NULL), zeros, K,
                           out);
    } else
        reduce_rows(d, &k, zeros, out);
    return true;
}

/* The results to their places. */
static bool put(reduction *d, const void *made, hd_dtype dt)
{
    const hdi_operand *p = &d->w.r->operand[0];
    int64_t axes[2 * HD_MAXDIM], n = d->mode.kept_size;
    const hdi_cpu_walk walk = walk_over(p->lay, d->mode.kept, d->mode.nkept, axes);
    made = hdi_cpu_work_cast(&d->w, made, n, &dt, hdi_value_dtype(d->op, d->cdt));
    if (made != NULL)
        made = hdi_cpu_work_cast(&d->w, made, n, &dt, (hd_dtype)d->w.r->dt[0]);
    if (made != NULL)
        hdi_cpu_work_move(&d->w, &walk, p->buf->host + p->off, (uint8_t *)(uintptr_t)made,
                          p->lay->item, false);
    return made != NULL;
}

static bool repeats_over_kept(const reduction *d, int k)
{
    for (int i = 0; i < d->mode.nkept; i++)
        if (d->w.r->operand[k].lay->sqstrides[d->mode.kept[i]] != 0)
            return false;
    return true;
}

/* The product of a matrix with short rows and a vector, by the loops that take both as they lie
 * (cpu_thin.c). False: it is something else. */
static bool reduce_thin(reduction *d, uint8_t *out)
{
    const hdi_record *r = d->w.r;
    const hdi_cpu_mode *m = &d->mode;
    const hdi_loops *l = d->w.loops;
    if (d->op != HD_OP_sumproduct || !m->column || m->nkept != 1 || m->nreduced != 1 ||
        m->reduced_size > HDI_THIN || l->thin_rows[d->runs] == NULL ||
        r->dt[1] != (uint8_t)d->runs || r->dt[2] != (uint8_t)d->runs || d->cdt != d->runs)
        return false;
    const int matrix = repeats_over_kept(d, 2) ? 1 : 2;
    if (!repeats_over_kept(d, 3 - matrix))
        return false;
    const hdi_operand *p = &r->operand[matrix];
    const int64_t size = d->red.xsize, K = m->kept_size, R = m->reduced_size,
                  along = p->lay->sqstrides[m->reduced[0]], across = p->lay->sqstrides[m->kept[0]];
    if (across != size && (along != size || across != R * size))
        return false;
    const uint8_t *x = p->buf->host + p->off;
    const void *y = bring(d, 3 - matrix, m->reduced, 1, R);
    if (y != NULL && across == size)
        l->thin_turned[d->runs](out, x, along, y, K, (int)R);
    else if (y != NULL)
        l->thin_rows[d->runs](out, x, y, K, (int)R);
    return y != NULL;
}

static bool run(reduction *d)
{
    const hdi_record *r = d->w.r;
    const hd_dtype value = d->red.position ? HD_INT64 : hdi_value_dtype(d->op, d->runs);
    uint8_t *out = hdi_cpu_work_take(&d->w, d->mode.kept_size * hdi_itemsize(value));
    const hdi_cpu_mode *m = &d->mode;
    if (out == NULL)
        return false;
    if (reduce_thin(d, out))
        return put(d, out, value);
    d->x = bring(d, 1, d->axes, m->nkept + m->nreduced, d->w.n);
    d->y_repeats = r->nin == 2 && !m->column && repeats_over_kept(d, 2);
    d->y = r->nin == 1      ? d->x
           : d->y_repeats ? bring(d, 2, m->reduced, m->nreduced, m->reduced_size)
                            : bring(d, 2, d->axes, m->nkept + m->nreduced, d->w.n);
    return d->x != NULL && d->y != NULL && reduce(d, out) && put(d, out, value);
}

/* The others' chunks have room for HDI_RED_CHUNK elements; their results depend on no order. */
static bool has_long_chunks(hd_op op)
{
    return op != HD_OP_any && op != HD_OP_all && hdi_op_rows[op].rule != HDI_RULE_ARG;
}

static __attribute__((noinline)) bool run_general(const hdi_record *r, bool by_rows)
{
    _Alignas(64) uint8_t room[HDI_CPU_SMALL_ROOM];
    int64_t strides[HD_MAXDIM];
    reduction d;                 /* long lists of axes, which nobody need clear */
    d.op = (hd_op)r->op;
    d.cdt = (hd_dtype)r->cdt;
    d.runs = hdi_compute_dtype(d.op, d.cdt);
    d.w = (hdi_cpu_work){.r = r,
                         .loops = hdi_loops_chosen(),
                         .n = r->domain->size,
                         .next = room,
                         .end = room + sizeof room};
    for (int k = 1; k <= r->nin; k++)
        if (r->kind[k] != HDI_ARRAY)
            return false;
    if (!hdi_cpu_red_set(&d.red, d.w.loops, d.op, d.runs, hdi_value_dtype(d.op, d.runs)))
        return false;
    hdi_cpu_mode_find(&d.mode, r->domain->nsq, r->domain->sqdims, r->sqaxes,
                      hdi_reduction_walk(r, r->sqaxes, strides), d.red.position);
    d.mode.column = d.mode.column && !by_rows;
    d.one_chunk = by_rows && has_long_chunks(d.op);
    hdi_cpu_mode_axes(&d.mode, d.mode.column, d.axes);
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    const bool done = run(&d);
    hdi_cpu_scratch_release(mark);
    return done;
}

/* ---- all elements ---------------------------------------------------------------------------- */

/* Where input k lies, if its elements are what the loop takes, in the order in which they are
 * summed; else NULL. */
static const uint8_t *as_it_lies(const hdi_record *r, int k, hd_dtype runs, bool any_order)
{
    const hdi_operand *p = &r->operand[k];
    if (r->kind[k] != HDI_ARRAY || r->dt[k] != hdi_loop_dtype((hd_op)r->op, k - 1, runs) ||
        !(p->lay->c_contiguous || (any_order && p->lay->f_contiguous)))
        return NULL;
    return p->buf->host + p->off;
}

/* The one row of dtype dt to acc. At most two chunks: the second one is combined with the first, as
 * the tree does. */
static bool reduce_row(int row, hd_dtype dt, const uint8_t *x, const uint8_t *y, int64_t n,
                       bool one_chunk, void *acc)
{
    const hdi_loops *l = hdi_loops_chosen();
    const int64_t first = one_chunk ? n : hdi_min64(n, HDI_RED_CHUNK), item = hdi_itemsize(dt);
    _Alignas(16) uint8_t second[16];
    if (l->red_extend[row][dt] != NULL) {
        l->red_extend[row][dt](acc, x, y, n, true);
        return true;
    }
    if (l->red_chunk[row][dt] == NULL || (n > 2 * HDI_RED_CHUNK && !one_chunk))
        return false;
    l->red_chunk[row][dt](acc, x, y, first);
    if (n > first) {
        l->red_chunk[row][dt](second, x + first * item, y + first * item, n - first);
        l->red_merge[row][dt](acc, second, NULL, 1);
    }
    return true;
}

/* All elements, which nobody need move or cast: most of what there is. False: it is something else,
 * and nothing was done. */
static bool run_plain(const hdi_record *r, bool by_rows)
{
    const hd_op op = (hd_op)r->op;
    const hd_dtype runs = hdi_compute_dtype(op, (hd_dtype)r->cdt);
    const bool position = hdi_op_rows[op].rule == HDI_RULE_ARG;
    const hdi_operand *out = &r->operand[0];
    const uint8_t *x, *y;
    _Alignas(16) uint8_t acc[16];
    int64_t at = 0;
    if (r->sqaxes != ((uint64_t)1 << r->domain->nsq) - 1 || runs != (hd_dtype)r->cdt ||
        r->dt[0] != hdi_value_dtype(op, runs) ||
        (x = as_it_lies(r, 1, runs, r->nin == 1 && !position)) == NULL)
        return false;
    y = r->nin == 2 ? as_it_lies(r, 2, runs, false) : x;
    if (y == NULL)
        return false;
    if (position) {
        const hdi_arg_extend extend = hdi_loops_chosen()->arg_extend[op - HD_OP_argmin][runs];
        if (extend == NULL)
            return false;
        extend(acc, &at, x, r->domain->size, 0, true);
        memcpy(out->buf->host + out->off, &at, sizeof at);
        return true;
    }
    if (!reduce_row((int)(op - HD_OP_sum), runs, x, y, r->domain->size,
                    by_rows && has_long_chunks(op), acc))
        return false;
    memcpy(out->buf->host + out->off, acc, out->lay->item);
    return true;
}

bool hdi_cpu_small_reduction(const hdi_record *r, bool by_rows)
{
    return run_plain(r, by_rows) || run_general(r, by_rows);
}
