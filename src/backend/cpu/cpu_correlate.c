/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_correlate.c - a window that slides over an array, tile by tile of the result.
 *
 * For each tile and each piece of the window, the part of x that they meet is copied to scratch
 * memory, with what is beyond its ends, and a loop that knows no ends adds up the products
 * (docs/design/fft.md). Complex numbers are two planes of reals. The sums of one piece of the
 * window begin at 0 and are then added: a long window's sum is one of shorter sums, and its order
 * does not depend on tiles or threads. */
#include <math.h>

#include "backend/cpu/cpu_library.h"
#include "backend/cpu/cpu_scratch.h"
#include "backend/cpu/loops/loops.h"
#include "base/pool.h"

enum {
    TILE_ROWS = 32,
    TILE_COLUMNS = 256,
    ROW_COLUMNS = 2048,          /* of a tile of one row */
    PIECE_ROWS = 32,             /* of the window */
    PIECE_COLUMNS = 256
};

/* An operand with at least two axes. */
typedef struct grid { uint8_t *ptr; int64_t dims[HD_MAXDIM + 1], strides[HD_MAXDIM + 1]; } grid;

typedef struct slide {
    const hdi_loops *l;
    hdi_correlate_loop loop;
    hdi_correlate_how how;
    int nd, lsize, planes;       /* lsize: of a plane's element; planes: 2 of complex numbers */
    int64_t size;                /* of a plane's element */
    grid x, y, out;
    const uint8_t *window[3];    /* dense; of complex numbers re, im, -im */
    const uint8_t *fill;         /* one element, or NULL: 0 */
    /* what is beyond x may not even be multiplied by 0: not all of the window is finite */
    bool strict;
    int64_t before[HD_MAXDIM + 1];
    int64_t tile_rows, tile_columns, row_tiles, column_tiles, tasks;
    int64_t x_row, acc_row;      /* elements of a row of scratch */
} slide;

/* A tile: where it begins in the result and its extent; memory of the thread. */
typedef struct tile {
    int64_t lead[HD_MAXDIM + 1];   /* indices over the leading axes */
    int64_t row, column, rows, columns;
    uint8_t *x, *acc;              /* planes one after the other */
} tile;

/* ---- what lies beneath the window ------------------------------------------------------------ */

static void put_fill(const slide *s, int plane, uint8_t *to, int64_t n)
{
    static const uint64_t zero = 0;
    s->l->fill[s->lsize](to, s->fill != NULL ? s->fill + plane * s->size : (const void *)&zero, n);
}

/* n elements of a row of x (NULL: beyond it) from column `first` of the extended axis on. */
static void load_row(const slide *s, const uint8_t *row, int plane, int64_t first, int64_t n,
                     uint8_t *to)
{
    const int64_t columns = s->x.dims[s->nd - 1], step = s->x.strides[s->nd - 1];
    if (row == NULL) {
        put_fill(s, plane, to, n);
        return;
    }
    const int64_t from = hdi_min64(hdi_max64(0, -first), n);
    const int64_t end = hdi_max64(from, hdi_min64(n, columns - first));
    row += plane * s->size;
    for (int64_t j = 0; j < n; j++) {
        const int64_t at = hdi_correlate_place(s->how, first + j, columns);
        if (j == from && end > from) {
            s->l->gather[s->lsize](to + j * s->size, row + at * step, step, end - from);
            j = end - 1;
        } else if (at < 0) {
            put_fill(s, plane, to + j * s->size, 1);
        } else {
            memcpy(to + j * s->size, row + at * step, (size_t)s->size);
        }
    }
}

/* rows x columns elements of the extended x from (row, column) on, and zeros to the end of rows. */
static void load_tile(const slide *s, const uint8_t *matrix, int64_t row, int64_t rows,
                      int64_t column, int64_t columns, uint8_t *to, int64_t plane_bytes)
{
    const int64_t n = s->x.dims[s->nd - 2], step = s->x.strides[s->nd - 2];
    for (int plane = 0; plane < s->planes; plane++)
        for (int64_t i = 0; i < rows; i++) {
            uint8_t *here = to + plane * plane_bytes + i * s->x_row * s->size;
            const int64_t at = matrix != NULL ? hdi_correlate_place(s->how, row + i, n) : -1;
            load_row(s, at < 0 ? NULL : matrix + at * step, plane, column, columns, here);
            memset(here + columns * s->size, 0, (size_t)((s->x_row - columns) * s->size));
        }
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* Adds the products of one piece of the window. */
static void add_products(const slide *s, hdi_correlate_block b, const uint8_t *x, uint8_t *acc,
                         int64_t window_at, int64_t x_plane, int64_t acc_plane)
{
    const uint8_t *y[3];
    for (int k = 0; k < (s->planes == 2 ? 3 : 1); k++)
        y[k] = s->window[k] + window_at * s->size;
    b.acc = acc;
    b.x = x;
    b.y = y[0];
    s->loop(&b);
    if (s->planes == 1)
        return;
    b.x = x + x_plane;
    b.y = y[2];
    s->loop(&b);
    b.acc = acc + acc_plane;
    b.x = x;
    b.y = y[1];
    s->loop(&b);
    b.x = x + x_plane;
    b.y = y[0];
    s->loop(&b);
}

/* The same where products with what is beyond x must be left out: element after element of the
 * result, with the part of the window that is over x. */
static void add_strictly(const slide *s, const tile *t, hdi_correlate_block b, int64_t k,
                         int64_t l, int64_t window_at, int64_t x_plane, int64_t acc_plane)
{
    const int64_t m = s->x.dims[s->nd - 2], n = s->x.dims[s->nd - 1];
    const int64_t ky = b.ky, kx = b.kx;
    b.rows = 1;
    b.columns = HDI_CORRELATE_BYTES / s->size;
    for (int64_t i = 0; i < t->rows; i++)
        for (int64_t j = 0; j < t->columns; j++) {
            _Alignas(64) uint8_t sum[2 * HDI_CORRELATE_BYTES] = {0};
            const int64_t y0 = t->row + i - s->before[s->nd - 2] + k;
            const int64_t x0 = t->column + j - s->before[s->nd - 1] + l;
            const int64_t above = hdi_max64(0, -y0), left = hdi_max64(0, -x0);
            b.ky = hdi_min64(ky, m - y0) - above;
            b.kx = hdi_min64(kx, n - x0) - left;
            if (b.ky <= 0 || b.kx <= 0)
                continue;
            uint8_t *to = t->acc + (i * s->acc_row + j) * s->size;
            for (int p = 0; p < s->planes; p++)
                memcpy(sum + p * HDI_CORRELATE_BYTES, to + p * acc_plane, (size_t)s->size);
            add_products(s, b, t->x + ((i + above) * s->x_row + j + left) * s->size, sum,
                         window_at + above * b.y_row + left, x_plane, HDI_CORRELATE_BYTES);
            for (int p = 0; p < s->planes; p++)
                memcpy(to + p * acc_plane, sum + p * HDI_CORRELATE_BYTES, (size_t)s->size);
        }
}

static int64_t x_plane_bytes(const slide *s)
{
    return (s->tile_rows + PIECE_ROWS - 1) * s->x_row * s->size;
}

static int64_t acc_plane_bytes(const slide *s)
{
    return s->tile_rows * s->acc_row * s->size;
}

/* One matrix of the window, over one of x (NULL: what is beyond it). */
static void add_matrix(const slide *s, const tile *t, const uint8_t *matrix, int64_t window_at)
{
    const int64_t m = s->y.dims[s->nd - 2], n = s->y.dims[s->nd - 1];
    const int64_t x_plane = x_plane_bytes(s), acc_plane = acc_plane_bytes(s);
    const int64_t whole = HDI_CORRELATE_BYTES / s->size;
    hdi_correlate_block b = {.rows = t->rows,
                             .columns = (t->columns + whole - 1) / whole * whole,
                             .acc_row = s->acc_row,
                             .x_row = s->x_row,
                             .y_row = n};
    for (int64_t k = 0; k < m; k += PIECE_ROWS)
        for (int64_t l = 0; l < n; l += PIECE_COLUMNS) {
            const int64_t at = window_at + k * n + l;
            b.ky = hdi_min64(PIECE_ROWS, m - k);
            b.kx = hdi_min64(PIECE_COLUMNS, n - l);
            load_tile(s, matrix, t->row - s->before[s->nd - 2] + k, t->rows + b.ky - 1,
                      t->column - s->before[s->nd - 1] + l, t->columns + b.kx - 1, t->x, x_plane);
            if (s->strict)
                add_strictly(s, t, b, k, l, at, x_plane, acc_plane);
            else
                add_products(s, b, t->x, t->acc, at, x_plane, acc_plane);
        }
}

/* Every matrix of a window with leading axes. */
static void add_all(const slide *s, const tile *t)
{
    int64_t index[HD_MAXDIM + 1] = {0}, at = 0;
    const int lead = s->nd - 2;
    const int64_t matrix = s->y.dims[lead] * s->y.dims[lead + 1];
    for (;; at += matrix) {
        const uint8_t *x = s->x.ptr;
        for (int a = 0; a < lead && x != NULL; a++) {
            const int64_t i = hdi_correlate_place(s->how,
                                                  t->lead[a] - s->before[a] + index[a],
                                                  s->x.dims[a]);
            x = i < 0 ? NULL : x + i * s->x.strides[a];
        }
        if (x != NULL || (s->fill != NULL && !s->strict))
            add_matrix(s, t, x, at);
        int a = lead - 1;
        for (; a >= 0 && ++index[a] == s->y.dims[a]; a--)
            index[a] = 0;
        if (a < 0)
            return;
    }
}

/* ---- tiles ----------------------------------------------------------------------------------- */

static void store_tile(const slide *s, const tile *t)
{
    const int64_t rows = s->out.strides[s->nd - 2], columns = s->out.strides[s->nd - 1];
    uint8_t *to = s->out.ptr + t->row * rows + t->column * columns;
    for (int a = 0; a < s->nd - 2; a++)
        to += t->lead[a] * s->out.strides[a];
    for (int p = 0; p < s->planes; p++)
        for (int64_t i = 0; i < t->rows; i++)
            s->l->scatter[s->lsize](to + i * rows + p * s->size, columns,
                                    t->acc + p * acc_plane_bytes(s) + i * s->acc_row * s->size,
                                    t->columns);
}

static int64_t tile_bytes(const slide *s)
{
    return s->planes * (x_plane_bytes(s) + acc_plane_bytes(s)) + 2 * HDI_CORRELATE_BYTES;
}

static bool tile_task(void *ctx, int64_t task)
{
    const slide *s = ctx;
    tile t;
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    t.x = hdi_cpu_scratch(tile_bytes(s));
    if (t.x == NULL) {
        hdi_cpu_scratch_release(mark);
        return false;
    }
    t.acc = t.x + s->planes * x_plane_bytes(s);
    t.column = task % s->column_tiles * s->tile_columns;
    task /= s->column_tiles;
    t.row = task % s->row_tiles * s->tile_rows;
    task /= s->row_tiles;
    for (int a = s->nd - 3; a >= 0; a--) {
        t.lead[a] = task % s->out.dims[a];
        task /= s->out.dims[a];
    }
    t.rows = hdi_min64(s->tile_rows, s->out.dims[s->nd - 2] - t.row);
    t.columns = hdi_min64(s->tile_columns, s->out.dims[s->nd - 1] - t.column);
    memset(t.acc, 0, (size_t)(s->planes * acc_plane_bytes(s)));
    add_all(s, &t);
    store_tile(s, &t);
    hdi_cpu_scratch_release(mark);
    return true;
}

/* ---- the call -------------------------------------------------------------------------------- */

/* One axis becomes two. */
static grid grid_of(const hdi_xarg *a, int nd)
{
    grid g = {.ptr = a->ptr, .dims = {1}};
    for (int i = 0; i < a->nd; i++) {
        g.dims[nd - a->nd + i] = a->dims[i];
        g.strides[nd - a->nd + i] = a->strides[i];
    }
    return g;
}

/* Is element k of a dense plane of reals finite? */
static bool is_finite(const slide *s, const uint8_t *plane, int64_t k)
{
    return s->size == 8 ? isfinite(((const double *)(const void *)plane)[k])
                        : isfinite(((const float *)(const void *)plane)[k]);
}

static void negate(const slide *s, uint8_t *to, const uint8_t *from, int64_t k)
{
    if (s->size == 8)
        ((double *)(void *)to)[k] = -((const double *)(const void *)from)[k];
    else
        ((float *)(void *)to)[k] = -((const float *)(const void *)from)[k];
}

/* The window, dense: planes of n elements at `to`. */
static void pack_window(slide *s, uint8_t *to, int64_t n, bool real)
{
    int64_t index[HD_MAXDIM + 1] = {0}, at = 0;
    const int last = s->nd - 1;
    const uint8_t *from = s->y.ptr;
    bool finite = true;
    for (int a = 0; a >= 0;) {
        for (int p = 0; p < s->planes; p++)
            s->l->gather[s->lsize](to + (p * n + at) * s->size, from + p * s->size,
                                   s->y.strides[last], s->y.dims[last]);
        at += s->y.dims[last];
        for (a = last - 1; a >= 0; a--) {
            from += s->y.strides[a];
            if (++index[a] < s->y.dims[a])
                break;
            from -= s->y.dims[a] * s->y.strides[a];
            index[a] = 0;
        }
    }
    for (int p = 0; p < 3; p++)
        s->window[p] = to + p * n * s->size;
    for (int64_t k = 0; real && k < n * s->planes; k++)
        finite &= is_finite(s, to, k);
    for (int64_t k = 0; s->planes == 2 && k < n; k++)
        negate(s, to + 2 * n * s->size, s->window[1], k);
    s->strict = !finite && s->fill == NULL && s->how.beyond == HDI_BEYOND_FILL;
}

static void choose_tiles(slide *s)
{
    const int64_t rows = s->out.dims[s->nd - 2], columns = s->out.dims[s->nd - 1];
    const int64_t whole = HDI_CORRELATE_BYTES / s->size;
    s->tile_rows = hdi_min64(TILE_ROWS, rows);
    s->tile_columns = hdi_min64(rows == 1 ? ROW_COLUMNS : TILE_COLUMNS, columns);
    s->acc_row = (s->tile_columns + whole - 1) / whole * whole;
    s->x_row = s->acc_row + hdi_min64(PIECE_COLUMNS, s->y.dims[s->nd - 1]) - 1;
    s->row_tiles = (rows + s->tile_rows - 1) / s->tile_rows;
    s->column_tiles = (columns + s->tile_columns - 1) / s->tile_columns;
    s->tasks = s->row_tiles * s->column_tiles;
    for (int a = 0; a < s->nd - 2; a++)
        s->tasks *= s->out.dims[a];
}

hd_status hdi_cpu_correlate(const hdi_xcall *x)
{
    const int nd = x->out.nd < 2 ? 2 : x->out.nd;
    const char kind = hd_dtype_kind(x->cdt);
    const hd_dtype part = x->cdt == HD_COMPLEX64    ? HD_FLOAT32
                          : x->cdt == HD_COMPLEX128 ? HD_FLOAT64
                                                    : x->cdt;
    slide s = {.l = hdi_loops_best(),
               .how = x->payload.correlate,
               .nd = nd,
               .planes = kind == 'c' ? 2 : 1,
               .size = hd_dtype_size(part),
               .x = grid_of(&x->in[0], nd),
               .y = grid_of(&x->in[1], nd),
               .out = grid_of(&x->out, nd),
               .fill = x->nin > 2 ? x->in[2].ptr : NULL};
    int64_t n = 1, next = 0;
    s.loop = s.l->correlate[part];
    s.lsize = __builtin_ctzll((uint64_t)s.size);
    for (int a = 0; a < nd; a++) {
        s.before[a] = hdi_correlate_before(s.how, s.y.dims[a]);
        n *= s.y.dims[a];
    }
    if (x->out.nd == 1)
        s.before[0] = 0;
    choose_tiles(&s);
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    uint8_t *room = hdi_cpu_scratch((s.planes == 2 ? 3 : 1) * n * s.size);
    hd_status status = HD_OK;
    if (room == NULL || !hdi_cpu_scratch_reserve(tile_bytes(&s))) {
        status = hdi_fail(HD_NOMEM, "out of memory for a window of %lld elements", (long long)n);
    } else {
        pack_window(&s, room, n, kind == 'f' || kind == 'c');
        status = hdi_pool_run(s.tasks, tile_task, &s, &next, hdi_cpu_may_stop(x));
    }
    hdi_cpu_scratch_release(mark);
    return status;
}
