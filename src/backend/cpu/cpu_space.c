/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_space.c - sorting and merging axes; copying blocks that are not dense, run by run. */
#include "backend/cpu/cpu_space.h"

#include "backend/cpu/cpu_copy.h"
#include "backend/cpu/cpu_scratch.h"
#include "fuse/walk_order.h"

enum { SHORT_RUN = 16 };   /* below, a call of the strided loop costs more than it saves */

/* ---- making ---------------------------------------------------------------------------------- */

void hdi_cpu_sort_axes(const hdi_launch *l, int *axes)
{
    const int64_t *order = hdi_cpu_order_of(l);
    for (int a = 0; order == NULL && a < l->nd; a++)
        axes[a] = a;
    if (order != NULL)
        hdi_sort_axes(order, l->nd, axes);
}

static int64_t element_size(const hdi_cpu_view *v)
{
    return v->op->index ? 1 : (int64_t)1 << v->lsize;
}

/* The view's strides over the chosen axes, in their order. */
static void take_strides(const hdi_launch *l, const int *axes, int naxes, const int64_t *c_strides,
                         hdi_cpu_view *v, int64_t *out)
{
    const hdi_arg *arg = &l->args[v->op->slot];
    int64_t size = element_size(v);
    for (int a = 0; a < naxes; a++)
        out[a] = arg->strides != NULL ? arg->strides[axes[a]] : c_strides[axes[a]] * size;
    v->strides = out;
    v->base = v->op->index ? NULL : arg->ptr;
    v->value = v->op->index ? arg->base : 0;
}

static void flip_axis(hdi_cpu_view *views, int n, int64_t *strides, int naxes, int axis,
                      int64_t dim)
{
    for (int i = 0; i < n; i++) {
        int64_t *stride = &strides[i * naxes + axis];
        if (views[i].op->index)
            views[i].value += *stride * (dim - 1);
        else
            views[i].base += *stride * (dim - 1);
        *stride = -*stride;
    }
}

/* Can axis `inner`, of extent dim, follow axis `outer` as one longer axis in every view? */
static bool mergeable(const int64_t *strides, int naxes, int n, int outer, int inner, int64_t dim)
{
    for (int i = 0; i < n; i++)
        if (strides[i * naxes + outer] != strides[i * naxes + inner] * dim)
            return false;
    return true;
}

static void merge_axes(hdi_cpu_space *s, int64_t *strides, int naxes, int n)
{
    s->nd = 0;
    for (int a = 0; a < naxes; a++) {
        int64_t dim = s->dims[a];
        int to = s->nd;
        if (to > 0 && mergeable(strides, naxes, n, to - 1, a, dim))
            s->dims[--to] *= dim;
        else
            s->dims[to] = dim;
        for (int i = 0; i < n; i++)
            strides[i * naxes + to] = strides[i * naxes + a];
        s->nd = to + 1;
    }
}

static uint8_t classify(const hdi_cpu_space *s, const hdi_cpu_view *v)
{
    bool fixed = true, dense = true;
    int64_t step = element_size(v);
    for (int a = s->nd - 1; a >= 0; a--) {
        fixed = fixed && v->strides[a] == 0;
        dense = dense && v->strides[a] == step;
        step *= s->dims[a];
    }
    return dense ? CPU_DENSE : fixed && !v->op->store && !v->op->index ? CPU_FIXED : CPU_WALK;
}

bool hdi_cpu_space_make(hdi_cpu_space *s, const hdi_launch *l, const int *axes, int naxes,
                        hdi_cpu_view *views, int n, bool flip)
{
    int64_t c_strides[HD_MAXDIM],
        *strides = hdi_cpu_scratch((int64_t)sizeof *strides * (naxes * n + 1));
    const int64_t *order = hdi_cpu_order_of(l);
    if (strides == NULL)
        return false;
    for (int64_t a = l->nd - 1, step = 1; a >= 0; step *= l->dims[a--])
        c_strides[a] = step;
    s->size = 1;
    for (int a = 0; a < naxes; a++)
        s->size *= s->dims[a] = l->dims[axes[a]];
    for (int i = 0; i < n; i++)
        take_strides(l, axes, naxes, c_strides, &views[i], strides + i * naxes);
    for (int a = 0; flip && order != NULL && a < naxes; a++)
        if (order[axes[a]] < 0)
            flip_axis(views, n, strides, naxes, a, s->dims[a]);
    merge_axes(s, strides, naxes, n);
    for (int i = 0; i < n; i++)
        views[i].how = classify(s, &views[i]);
    return true;
}

void hdi_cpu_extent(const hdi_cpu_space *s, const hdi_cpu_view *v, uintptr_t *low, uintptr_t *high)
{
    uintptr_t a = (uintptr_t)v->base, b = a + (uintptr_t)element_size(v);
    for (int i = 0; i < s->nd; i++) {
        int64_t reach = v->strides[i] * (s->dims[i] - 1);
        *(reach < 0 ? &a : &b) += (uintptr_t)reach;
    }
    *low = a;
    *high = b;
}

/* ---- standing somewhere ---------------------------------------------------------------------- */

void hdi_cpu_seek(hdi_cpu_cursor *c, const hdi_cpu_space *s, int64_t start)
{
    c->start = start;
    c->rows = 0;
    for (int a = s->nd - 1; a > 0; a--) {
        int64_t up = start / s->dims[a];
        c->index[a] = start - up * s->dims[a];
        start = up;
    }
    c->index[0] = start;
    c->run = s->nd > 0 ? s->dims[s->nd - 1] - c->index[s->nd - 1] : 1;
}

static int64_t offset_of(const hdi_cpu_view *v, const hdi_cpu_space *s, const hdi_cpu_cursor *c)
{
    int64_t offset = 0;
    for (int a = 0; a < s->nd; a++)
        offset += v->strides[a] * c->index[a];
    return offset;
}

uint8_t *hdi_cpu_place(const hdi_cpu_view *v, const hdi_cpu_space *s, const hdi_cpu_cursor *c,
                       int64_t n)
{
    if (v->op->index || c->rows > 0)
        return NULL;
    if (v->how == CPU_DENSE)
        return v->base + (c->start << v->lsize);
    if (n <= c->run && s->nd > 0 && v->strides[s->nd - 1] == (int64_t)1 << v->lsize)
        return v->base + offset_of(v, s, c);
    return NULL;
}

uint8_t *hdi_cpu_place_strided(const hdi_cpu_view *v, const hdi_cpu_space *s,
                               const hdi_cpu_cursor *c, int64_t n, int64_t *stride)
{
    if (v->op->index || c->rows > 0 || n > c->run || s->nd == 0)
        return NULL;
    *stride = v->strides[s->nd - 1];
    return v->base + offset_of(v, s, c);
}

/* ---- copying runs ---------------------------------------------------------------------------- */

static void gather_run(const hdi_loops *l, uint8_t *to, const uint8_t *from, int64_t stride,
                       int64_t n, int lsize)
{
    if (n < SHORT_RUN)
        hdi_cpu_copy_run(to, (int64_t)1 << lsize, from, stride, n, lsize);
    else if (stride == (int64_t)1 << lsize)
        hdi_cpu_copy_line(to, from, n << lsize);
    else if (stride == 0)
        l->fill[lsize](to, from, n);
    else
        l->gather[lsize](to, from, stride, n);
}

static void scatter_run(const hdi_loops *l, uint8_t *to, int64_t stride, const uint8_t *from,
                        int64_t n, int lsize, bool stream)
{
    if (n < SHORT_RUN)
        hdi_cpu_copy_run(to, stride, from, (int64_t)1 << lsize, n, lsize);
    else if (stride == (int64_t)1 << lsize && stream)
        hdi_cpu_stream(to, from, n << lsize);
    else if (stride == (int64_t)1 << lsize)
        hdi_cpu_copy_line(to, from, n << lsize);
    else
        l->scatter[lsize](to, stride, from, n);
}

typedef int64_t counts __attribute__((vector_size(16), aligned(8), may_alias));

static void count_run(int64_t *to, int64_t value, int64_t step, int64_t n)
{
    counts a = {value, value + step}, b = a + 2 * step, by = {4 * step, 4 * step};
    int64_t i = 0;
    for (; i + 4 <= n; i += 4, a += by, b += by) {
        *(counts *)(void *)(to + i) = a;
        *(counts *)(void *)(to + i + 2) = b;
    }
    for (; i < n; i++)
        to[i] = value + i * step;
}

/* What is done with each run of a block: the dense side moves on, the strided side is at an
 * offset of the view. */
typedef struct mover {
    const hdi_loops *l;
    const hdi_cpu_view *v;
    uint8_t *dense;
    int64_t stride;
    bool scatter;
} mover;

static void move_run(mover *m, int64_t offset, int64_t n)
{
    const hdi_cpu_view *v = m->v;
    if (v->op->index)
        count_run((int64_t *)(void *)m->dense, v->value + offset, m->stride, n);
    else if (m->scatter)
        scatter_run(m->l, v->base + offset, m->stride, m->dense, n, v->lsize, v->stream);
    else
        gather_run(m->l, m->dense, v->base + offset, m->stride, n, v->lsize);
    m->dense += n << v->lsize;
}

/* rows x columns elements from an offset of the view on, the dense side having its rows one
 * after the other. */
static void move_rectangle(mover *m, int64_t offset, int64_t row_stride, int64_t rows,
                           int64_t columns)
{
    const hdi_cpu_view *v = m->v;
    int64_t size = (int64_t)1 << v->lsize;
    if (v->op->index || columns >= SHORT_RUN) {
        for (int64_t i = 0; i < rows; i++)
            move_run(m, offset + i * row_stride, columns);
        return;
    }
    hdi_cpu_side dense = {m->dense, columns * size, size},
                 strided = {v->base + offset, row_stride, m->stride};
    if (m->scatter)
        hdi_cpu_copy_rows(strided, dense, rows, columns, v->lsize);
    else
        hdi_cpu_copy_rows(dense, strided, rows, columns, v->lsize);
    m->dense += rows * columns * size;
}

/* A tile of the last two axes. Where the view is dense along the first of them it is transposed,
 * so that each line of memory is visited once. */
static void move_tile(mover *m, const hdi_cpu_space *s, const hdi_cpu_cursor *c, int64_t offset)
{
    const hdi_cpu_view *v = m->v;
    int64_t row = v->strides[s->nd - 2], column = v->strides[s->nd - 1],
            size = (int64_t)1 << v->lsize;
    m->stride = column;
    if (v->op->index || row != size) {
        move_rectangle(m, offset, row, c->rows, c->columns);
        return;
    }
    hdi_cpu_side dense = {m->dense, c->columns * size, size},
                 turned = {v->base + offset, size, column};
    if (!m->scatter) {
        /* the next tile goes on where this one ends: a line of each column */
        for (int64_t j = 0; j < c->columns; j++)
            __builtin_prefetch(turned.ptr + c->rows * size + j * column, 0, 2);
        hdi_cpu_transpose(dense, turned, c->rows, c->columns, v->lsize);
    }
    else   /* the other way round: rows of the memory are columns of the block */
        hdi_cpu_transpose((hdi_cpu_side){turned.ptr, column, size},
                          (hdi_cpu_side){dense.ptr, size, dense.row}, c->columns, c->rows,
                          v->lsize);
}

/* Steps an index over all axes but the last two by one; offset follows. */
static int64_t next_outer(const hdi_cpu_view *v, const hdi_cpu_space *s, int64_t *index,
                          int64_t offset)
{
    for (int a = s->nd - 3; a >= 0; a--) {
        offset += v->strides[a];
        if (++index[a] < s->dims[a])
            break;
        offset -= s->dims[a] * v->strides[a];
        index[a] = 0;
    }
    return offset;
}

/* Blocks that reach over the end of the last axis: what is left of its run, then rectangles over
 * the last two axes, then a beginning. */
static void move_runs(mover *m, const hdi_cpu_space *s, const hdi_cpu_cursor *c, int64_t offset,
                      int64_t n)
{
    int64_t index[HD_MAXDIM], columns = s->dims[s->nd - 1], row_stride = m->v->strides[s->nd - 2];
    int64_t row = c->index[s->nd - 2], at = c->index[s->nd - 1];
    memcpy(index, c->index, sizeof *index * (size_t)s->nd);
    offset -= row * row_stride;
    while (n > 0) {
        if (row == s->dims[s->nd - 2]) {
            row = 0;
            offset = next_outer(m->v, s, index, offset);
        }
        if (at > 0 || n < columns) {   /* offset includes `at` the first time only, when at > 0 */
            int64_t run = hdi_min64(n, columns - at);
            move_run(m, offset + row * row_stride, run);
            offset -= at * m->stride;
            n -= run;
            at = 0;
            row++;
            continue;
        }
        int64_t rows = hdi_min64(n / columns, s->dims[s->nd - 2] - row);
        move_rectangle(m, offset + row * row_stride, row_stride, rows, columns);
        n -= rows * columns;
        row += rows;
    }
}

static void move_block(mover *m, const hdi_cpu_space *s, const hdi_cpu_cursor *c, int64_t n)
{
    int64_t offset = offset_of(m->v, s, c);
    if (c->rows > 0) {
        move_tile(m, s, c, offset);
        return;
    }
    m->stride = s->nd > 0 ? m->v->strides[s->nd - 1] : 0;
    if (n <= c->run)
        move_run(m, offset, n);
    else
        move_runs(m, s, c, offset, n);
}

void hdi_cpu_gather(const hdi_loops *l, const hdi_cpu_view *v, const hdi_cpu_space *s,
                    const hdi_cpu_cursor *c, int64_t n, void *to)
{
    mover m = {.l = l, .v = v, .dense = to};
    move_block(&m, s, c, n);
}

void hdi_cpu_scatter(const hdi_loops *l, const hdi_cpu_view *v, const hdi_cpu_space *s,
                     const hdi_cpu_cursor *c, int64_t n, const void *from)
{
    mover m = {.l = l, .v = v, .dense = (uint8_t *)(uintptr_t)from, .scatter = true};
    move_block(&m, s, c, n);
}
