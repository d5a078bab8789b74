/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_space.c - sorting and merging axes; copying blocks that are not dense, run by run. */
#include "backend/cpu/cpu_space.h"

#include "backend/cpu/cpu_scratch.h"

enum { SHORT_RUN = 16 };   /* below, a call of the strided loop costs more than it saves */

/* ---- making ---------------------------------------------------------------------------------------------------------------------- */

void hdi_cpu_sort_axes(const hdi_launch *l, int *axes)
{
    const hdi_arg *order = &l->args[l->order_arg];
    for (int a = 0; a < l->nd; a++) {
        int at = a;
        if (!order->linear && order->strides != NULL)   /* insertion keeps equal strides in C order */
            for (; at > 0 && hdi_abs64(order->strides[axes[at - 1]]) < hdi_abs64(order->strides[a]); at--)
                axes[at] = axes[at - 1];
        axes[at] = a;
    }
}

static int64_t element_size(const hdi_cpu_view *v)
{
    return v->op->index ? 1 : (int64_t)1 << v->lsize;
}

/* The view's strides over the chosen axes, in their order. */
static void take_strides(const hdi_launch *l, const int *axes, int naxes, const int64_t *c_strides, hdi_cpu_view *v, int64_t *out)
{
    const hdi_arg *arg = &l->args[v->op->slot];
    int64_t size = element_size(v);
    for (int a = 0; a < naxes; a++)
        out[a] = arg->strides != NULL ? arg->strides[axes[a]] : c_strides[axes[a]] * size;
    v->strides = out;
    v->base = v->op->index ? NULL : arg->ptr;
    v->value = v->op->index ? arg->base : 0;
}

static void flip_axis(hdi_cpu_view *views, int n, int64_t *strides, int naxes, int axis, int64_t dim)
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

bool hdi_cpu_space_make(hdi_cpu_space *s, const hdi_launch *l, const int *axes, int naxes, hdi_cpu_view *views, int n, bool flip)
{
    int64_t c_strides[HD_MAXDIM], *strides = hdi_cpu_scratch((int64_t)sizeof *strides * (naxes * n + 1));
    const int64_t *order = l->args[l->order_arg].linear ? NULL : l->args[l->order_arg].strides;
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

/* ---- standing somewhere ------------------------------------------------------------------------------------------------------------ */

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

uint8_t *hdi_cpu_place(const hdi_cpu_view *v, const hdi_cpu_space *s, const hdi_cpu_cursor *c, int64_t n)
{
    if (v->op->index || c->rows > 0)
        return NULL;
    if (v->how == CPU_DENSE)
        return v->base + (c->start << v->lsize);
    if (n <= c->run && s->nd > 0 && v->strides[s->nd - 1] == (int64_t)1 << v->lsize)
        return v->base + offset_of(v, s, c);
    return NULL;
}

/* ---- copying runs ------------------------------------------------------------------------------------------------------------------ */

/* One run. The size is a constant wherever this is inlined, so that memcpy() is one move. */
static inline __attribute__((always_inline)) void copy_run(uint8_t *to, int64_t to_stride, const uint8_t *from, int64_t from_stride,
                                                           int64_t n, size_t size)
{
    for (int64_t i = 0; i < n; i++)
        memcpy(to + i * to_stride, from + i * from_stride, size);
}

void hdi_cpu_copy_run(uint8_t *to, int64_t to_stride, const uint8_t *from, int64_t from_stride, int64_t n, int lsize)
{
    switch (lsize) {
    case 0: copy_run(to, to_stride, from, from_stride, n, 1); break;
    case 1: copy_run(to, to_stride, from, from_stride, n, 2); break;
    case 2: copy_run(to, to_stride, from, from_stride, n, 4); break;
    case 3: copy_run(to, to_stride, from, from_stride, n, 8); break;
    default: copy_run(to, to_stride, from, from_stride, n, 16); break;
    }
}

static void gather_run(const hdi_loops *l, uint8_t *to, const uint8_t *from, int64_t stride, int64_t n, int lsize)
{
    if (n < SHORT_RUN)
        hdi_cpu_copy_run(to, (int64_t)1 << lsize, from, stride, n, lsize);
    else if (stride == (int64_t)1 << lsize)
        memcpy(to, from, (size_t)(n << lsize));
    else if (stride == 0)
        l->fill[lsize](to, from, n);
    else
        l->gather[lsize](to, from, stride, n);
}

static void scatter_run(const hdi_loops *l, uint8_t *to, int64_t stride, const uint8_t *from, int64_t n, int lsize)
{
    if (n < SHORT_RUN)
        hdi_cpu_copy_run(to, stride, from, (int64_t)1 << lsize, n, lsize);
    else if (stride == (int64_t)1 << lsize)
        memcpy(to, from, (size_t)(n << lsize));
    else
        l->scatter[lsize](to, stride, from, n);
}

static void count_run(int64_t *to, int64_t value, int64_t step, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        to[i] = value + i * step;
}

/* What is done with each run of a block: the dense side moves on, the strided side is at an offset of the view. */
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
        scatter_run(m->l, v->base + offset, m->stride, m->dense, n, v->lsize);
    else
        gather_run(m->l, m->dense, v->base + offset, m->stride, n, v->lsize);
    m->dense += n << v->lsize;
}

/* A tile: rows runs along the last axis; along the one before where only that one is dense in the view, each line of memory then being
 * visited once. */
static void move_tile(mover *m, const hdi_cpu_space *s, const hdi_cpu_cursor *c, int64_t offset)
{
    const hdi_cpu_view *v = m->v;
    int64_t row = v->strides[s->nd - 2], column = v->strides[s->nd - 1], size = (int64_t)1 << v->lsize;
    if (v->op->index || row != size) {
        m->stride = column;
        for (int64_t i = 0; i < c->rows; i++)
            move_run(m, offset + i * row, c->columns);
        return;
    }
    for (int64_t j = 0; j < c->columns; j++) {
        uint8_t *dense = m->dense + j * size, *strided = v->base + offset + j * column;
        if (m->scatter)
            hdi_cpu_copy_run(strided, size, dense, c->columns * size, c->rows, v->lsize);
        else
            hdi_cpu_copy_run(dense, c->columns * size, strided, size, c->rows, v->lsize);
    }
}

static void move_block(mover *m, const hdi_cpu_space *s, const hdi_cpu_cursor *c, int64_t n)
{
    int64_t offset = offset_of(m->v, s, c), index[HD_MAXDIM];
    int last = s->nd - 1;
    if (c->rows > 0) {
        move_tile(m, s, c, offset);
        return;
    }
    m->stride = last >= 0 ? m->v->strides[last] : 0;
    if (n <= c->run) {
        move_run(m, offset, n);
        return;
    }
    memcpy(index, c->index, sizeof *index * (size_t)s->nd);
    for (int64_t run = c->run; n > 0; run = hdi_min64(n, s->dims[last])) {
        move_run(m, offset, run);
        n -= run;
        offset -= index[last] * m->stride;
        index[last] = 0;
        for (int a = last - 1; a >= 0; a--) {
            offset += m->v->strides[a];
            if (++index[a] < s->dims[a])
                break;
            offset -= s->dims[a] * m->v->strides[a];
            index[a] = 0;
        }
    }
}

void hdi_cpu_gather(const hdi_loops *l, const hdi_cpu_view *v, const hdi_cpu_space *s, const hdi_cpu_cursor *c, int64_t n, void *to)
{
    mover m = {.l = l, .v = v, .dense = to};
    move_block(&m, s, c, n);
}

void hdi_cpu_scatter(const hdi_loops *l, const hdi_cpu_view *v, const hdi_cpu_space *s, const hdi_cpu_cursor *c, int64_t n,
                     const void *from)
{
    mover m = {.l = l, .v = v, .dense = (uint8_t *)(uintptr_t)from, .scatter = true};
    move_block(&m, s, c, n);
}
