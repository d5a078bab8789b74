/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_fft_long.c - lines that do not fit a cache: points as a matrix of n1 rows of n2, its columns
 * transformed, turned, then its rows. Each is a few passes over a block that stays in the cache, so
 * that a line goes through memory twice; blocks are shared among threads.
 *
 * n1 and n2 follow from the length alone, and each column and row has the bits that it has by
 * itself. Columns go to planes of memory, the sheet, in the order that rows want: as many rows side
 * by side as there are lanes, so that their first pass reads the sheet itself.
 * What else is done, with real numbers or for Bluestein's way, whose convolution is two such
 * transforms, is cut into ranges of points.
 * Source     Bailey: FFTs in external or hierarchical memory, 1990 */
#include "backend/cpu/cpu_fft_batch.h"
#include "backend/cpu/cpu_memory.h"
#include "backend/cpu/cpu_scratch.h"
#include "base/pool.h"

enum {
    ROW_BYTES = 64,              /* of the lanes side by side, in a plane */
    LINE_BYTES = 64,             /* of a cache */
    SHARE = 1 << 17              /* points that a thread should have of the lines at a time */
};

/* ---- columns and rows ------------------------------------------------------------------------ */

static int64_t column_blocks(const hdi_fft_batch *b)
{
    return (b->core->turn.n2 + b->across - 1) / b->across;
}

static int64_t row_blocks(const hdi_fft_batch *b)
{
    return (b->core->turn.n1 + b->across - 1) / b->across;
}

/* Blocks of lines of n points that make a task. */
static int64_t per_task(const hdi_fft_batch *b, int64_t n)
{
    return hdi_max64(HDI_FFT_TASK_POINTS / (n * b->lanes), 1);
}

/* Of every so many points of a line, those of one block. */
static hdi_fft_lines block_of(const hdi_fft_batch *b, const hdi_fft_lines *line, int64_t first,
                              int64_t n, int64_t apart)
{
    hdi_fft_lines part = *line;
    const int64_t there = hdi_min64(b->across, apart - first);
    part.re += first * line->step;
    part.im += first * line->step;
    part.step = apart * line->step;
    part.n = n;
    if (b->across > 1) {
        part.lane = line->step;
        part.lanes = b->lanes;
        part.used = there;
    }
    for (int c = 0; c < 2; c++)
        part.have[c] = line->have[c] / apart + (first + there <= line->have[c] % apart);
    return part;
}

/* Columns [first, first + across): of a line that ends within a row of them, the last points go one
 * by one. */
static void fetch_columns(const hdi_fft_batch *b, const hdi_fft_lines *line,
                          const hdi_fft_planes *x, int64_t first)
{
    const int64_t n2 = b->core->turn.n2;
    const hdi_fft_lines part = block_of(b, line, first, b->core->turn.n1, n2);
    b->f->l->load(x, &part);
    for (int c = 0; c < 2 && b->across > 1; c++) {
        const int64_t row = line->have[c] / n2, rest = line->have[c] % n2 - first;
        const uint8_t *from = (c == 0 ? part.re : part.im) + row * part.step;
        uint8_t *to = (uint8_t *)(c == 0 ? x->re : x->im) + row * b->lanes * b->f->size;
        for (int64_t j = 0; j < rest && rest < part.used; j++)
            memcpy(to + j * b->f->size, from + j * part.lane, (size_t)b->f->size);
    }
}

static void turn_block(const hdi_fft_batch *b, const hdi_fft_planes *sheet, const hdi_fft_planes *y,
                       int64_t first)
{
    const hdi_fft_turn *t = &b->core->turn;
    if (b->across > 1)
        b->f->l->turn(sheet, y, t, b->lanes, first, hdi_min64(b->lanes, t->n2 - first));
    else
        b->f->l->turn_lines(sheet, y, t, b->lanes, first);
}

static bool do_columns(const hdi_fft_batch *b, int64_t line, int64_t piece)
{
    const hdi_fft_plan *p = b->core;
    const int64_t per = per_task(b, p->turn.n1), plane = hdi_fft_plane(b->f, p->turn.n1, b->lanes);
    const int64_t end = hdi_min64((piece + 1) * per, column_blocks(b));
    const hdi_fft_planes sheet = hdi_fft_sheet(b, line);
    const hdi_fft_lines source = hdi_fft_in_whole(b) ? hdi_fft_lines_of(b, hdi_fft_whole(b, line))
                                                     : hdi_fft_operand_in(b, line);
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    uint8_t *room = hdi_cpu_scratch(4 * plane);
    for (int64_t i = piece * per; room != NULL && i < end; i++) {
        const hdi_fft_planes x = {room, room + plane},
                             other = {room + 2 * plane, room + 3 * plane},
                             to = hdi_fft_swapped(b->swap, x);
        fetch_columns(b, &source, &to, i * b->across);
        turn_block(b, &sheet, hdi_cpu_fft_run(p->columns, b->f->l, b->lanes, &x, &other),
                   i * b->across);
    }
    hdi_cpu_scratch_release(mark);
    return room != NULL;
}

/* Rows [first, first + across) to points first, first + 1, ..., n1 + first, ...; as many of them as
 * the target has. */
static void store_rows(const hdi_fft_batch *b, const hdi_fft_lines *line, hdi_fft_planes y,
                       int64_t first)
{
    const hdi_fft_axis *f = b->f;
    const int64_t n1 = b->core->turn.n1, have = line->have[0];
    const int64_t row = have / n1, rest = have % n1 - first;
    const bool later = hdi_fft_out_whole(b);   /* then the way to the operand scales */
    const double scale = later ? 1 : f->scale, scale_im = later ? 1 : hdi_fft_scale_im(f);
    hdi_fft_lines part = block_of(b, line, first, b->core->turn.n2, n1);
    f->l->store(&y, &part, scale, scale_im);
    if (b->across == 1 || rest <= 0 || rest >= part.used)
        return;
    y.re = (uint8_t *)y.re + row * b->lanes * f->size;
    y.im = (uint8_t *)y.im + row * b->lanes * f->size;
    part.re += row * part.step;
    part.im += row * part.step;
    part.used = rest;
    part.have[0] = 1;
    part.have[1] = line->have[1] > 0;
    f->l->store(&y, &part, scale, scale_im);
}

static bool do_rows(const hdi_fft_batch *b, int64_t line, int64_t piece)
{
    const hdi_fft_plan *p = b->core;
    const int64_t n2 = p->turn.n2, per = per_task(b, n2), plane = hdi_fft_plane(b->f, n2, b->lanes);
    const int64_t end = hdi_min64((piece + 1) * per, row_blocks(b));
    const hdi_fft_lines target = hdi_fft_out_whole(b) ? hdi_fft_lines_of(b, hdi_fft_whole(b, line))
                                                      : hdi_fft_operand_out(b, line);
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    uint8_t *room = hdi_cpu_scratch(2 * plane);
    for (int64_t i = piece * per; room != NULL && i < end; i++) {
        const hdi_fft_planes x = hdi_fft_offset(b, hdi_fft_sheet(b, line), i * n2 * b->across),
                             other = {room, room + plane};
        const hdi_fft_planes *y = hdi_cpu_fft_run(p->rows, b->f->l, b->lanes, &x, &other);
        store_rows(b, &target, hdi_fft_swapped(b->swap, *y), i * b->across);
    }
    hdi_cpu_scratch_release(mark);
    return room != NULL;
}

/* ---- a batch --------------------------------------------------------------------------------- */

/* Lines that share cache lines are done at the same time; others one after the other, or what a
 * thread has left of one in its cache would go. */
static bool batch_task(void *ctx, int64_t task)
{
    const hdi_fft_batch *b = ctx;
    return b->neighbours ? b->piece(b, task % b->nlines, task / b->nlines)
                         : b->piece(b, task / b->pieces, task % b->pieces);
}

static hd_status do_step(hdi_fft_batch *b, hdi_fft_piece piece, bool swap, int64_t n,
                         int64_t per_task, hdi_cpu_asker ask)
{
    int64_t next = 0;
    b->piece = piece;
    b->pieces = (n + per_task - 1) / per_task;
    b->swap = swap;
    return hdi_pool_run(b->nlines * b->pieces, batch_task, b, &next, ask);
}

/* The steps of a transform, each when the one before is done with. */
static hd_status do_batch(hdi_fft_batch *b, hdi_cpu_asker ask)
{
    const hdi_fft_axis *f = b->f;
    const bool to_real = hdi_fft_to_real(f), from_pairs = hdi_fft_from_pairs(f);
    const bool pairs = f->plan->real;
    const bool long_way = b->bluestein;
    const int64_t columns = column_blocks(b), column_part = per_task(b, b->core->turn.n1);
    const int64_t rows = row_blocks(b), row_part = per_task(b, b->core->turn.n2);
    const struct {
        bool wanted, swap;
        hdi_fft_piece piece;
        int64_t n, per_task;
    } steps[] = {
        {hdi_fft_in_whole(b), false, hdi_fft_load, hdi_fft_loaded(b), HDI_FFT_RANGE},
        {to_real && pairs, false, hdi_fft_before, b->points, HDI_FFT_RANGE},
        {to_real && !pairs, false, hdi_fft_mirror, (f->n + 1) / 2, HDI_FFT_RANGE},
        {long_way && to_real, false, hdi_fft_chirp, b->padded, HDI_FFT_RANGE},
        {true, b->back, do_columns, columns, column_part},
        {true, b->back, do_rows, rows, row_part},
        {long_way, false, hdi_fft_filter, b->padded, HDI_FFT_RANGE},
        {long_way, !b->back, do_columns, columns, column_part},
        {long_way, !b->back, do_rows, rows, row_part},
        {long_way && from_pairs, false, hdi_fft_chirp, b->padded, HDI_FFT_RANGE},
        {from_pairs, false, hdi_fft_after, b->points + 1, HDI_FFT_RANGE},
        {long_way && !from_pairs, false, hdi_fft_store, hdi_fft_operand_out(b, 0).n, HDI_FFT_RANGE},
    };
    hd_status status = HD_OK;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && status == HD_OK; i++)
        if (steps[i].wanted)
            status = do_step(b, steps[i].piece, steps[i].swap, steps[i].n, steps[i].per_task, ask);
    return status;
}

/* Do lines of the result, or of what is read, lie between each other's points? */
static bool are_neighbours(const hdi_fft_axis *f)
{
    for (int a = 0; a < f->dst.nd; a++)
        if (a != f->axis && f->live[a] > 1 &&
            (hdi_abs64(f->dst.strides[a]) < hdi_abs64(f->dst.strides[f->axis]) ||
             hdi_abs64(f->src.strides[a]) < hdi_abs64(f->src.strides[f->axis])))
            return true;
    return false;
}

/* Bytes that a thread needs for a task. */
static int64_t room_of(const hdi_fft_batch *b)
{
    const hdi_fft_turn *t = &b->core->turn;
    return hdi_max64(4 * hdi_fft_plane(b->f, hdi_max64(t->n1, t->n2), b->lanes),
                     2 * hdi_fft_plane(b->f, HDI_FFT_RANGE, b->f->lanes));
}

/* A batch of the axis's lines, without memory. */
static hdi_fft_batch batch_of(const hdi_fft_axis *f)
{
    const hdi_fft_plan *p = f->plan, *core = p->inner != NULL ? p->inner : p;
    const int64_t lanes = f->lanes > 1 ? f->lanes : ROW_BYTES / f->size;
    hdi_fft_batch b = {.f = f,
                       .core = core,
                       .lanes = lanes,
                       .across = f->lanes > 1 ? 1 : lanes,
                       .points = p->real ? p->n / 2 : p->n,
                       .padded = core->turn.n1 * core->turn.n2,
                       .bluestein = p->inner != NULL,
                       .back = f->how.backward && !f->real};
    const int64_t rows = row_blocks(&b) * b.across;
    b.sheet_plane = hdi_fft_plane(f, hdi_max64(rows * core->turn.n2, b.points + 1), f->lanes);
    if (hdi_fft_in_whole(&b) || hdi_fft_out_whole(&b))
        b.whole_plane = hdi_fft_plane(f, b.padded, f->lanes);
    return b;
}

static hd_status run_batches(hdi_fft_batch *b, int64_t at_once, hdi_cpu_asker ask)
{
    hd_status status = HD_OK;
    for (int64_t g = 0; g < b->f->groups && status == HD_OK; g += at_once) {
        b->nlines = hdi_min64(at_once, b->f->groups - g);
        for (int64_t i = 0; i < b->nlines; i++)
            hdi_fft_find(b->f, g + i, &b->in[i], &b->out[i]);
        status = do_batch(b, ask);
    }
    return status;
}

hd_status hdi_fft_long_lines(const hdi_fft_axis *f, hdi_cpu_asker ask)
{
    hdi_fft_batch b = batch_of(f);
    b.neighbours = f->lanes == 1 && are_neighbours(f);
    const int64_t together = b.neighbours ? LINE_BYTES / (2 * f->size) : 1;
    const int64_t threads = hdi_pool_threads();
    const int64_t share = threads > 1 ? SHARE * threads / (b.padded * f->lanes) : 1;
    const int64_t wanted = hdi_min64(hdi_max64(together, share), HDI_FFT_LINES);
    const int64_t at_once = hdi_min64(wanted, f->groups);
    const int64_t nbytes = at_once * 2 * (b.sheet_plane + b.whole_plane);
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    hd_status status = HD_NOMEM;
    if (hdi_fft_reserve(room_of(&b))) {
        b.sheets = hdi_cpu_alloc(nbytes);
        if (b.sheets == NULL) {
            hdi_fail(HD_NOMEM, "out of memory for a transform: %lld bytes", (long long)nbytes);
        } else {
            b.wholes = b.sheets + at_once * 2 * b.sheet_plane;
            status = run_batches(&b, at_once, ask);
        }
        hdi_cpu_free(b.sheets, nbytes);
    }
    hdi_cpu_scratch_release(mark);
    return status;
}

bool hdi_cpu_fft_run_long(const hdi_fft_plan *plan, const hdi_fft_loops *l, const hdi_fft_planes *x)
{
    const int64_t size = hd_dtype_size(plan->dt);
    const hdi_fft_axis f = {.l = l, .plan = (hdi_fft_plan *)(uintptr_t)plan, .lanes = 1,
                            .size = size};
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    hd_status status = HD_NOMEM;
    hdi_fft_batch b = batch_of(&f);
    b.bluestein = true;          /* from whole planes to whole planes */
    b.nlines = 1;
    b.wholes = x->re;
    b.whole_plane = (uint8_t *)x->im - b.wholes;
    b.sheets = hdi_cpu_alloc(2 * b.sheet_plane);
    if (b.sheets != NULL && hdi_fft_reserve(room_of(&b)))
        status = do_step(&b, do_columns, false, column_blocks(&b),
                         per_task(&b, plan->turn.n1), NULL);
    if (status == HD_OK)
        status = do_step(&b, do_rows, false, row_blocks(&b), per_task(&b, plan->turn.n2), NULL);
    hdi_cpu_free(b.sheets, 2 * b.sheet_plane);
    hdi_cpu_scratch_release(mark);
    return status == HD_OK;
}
