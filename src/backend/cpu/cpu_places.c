/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_places.c - elements and rows from places of an array, and to them. */
#include "backend/cpu/cpu_places.h"

#include <string.h>

#include "backend/cpu/cpu_copy.h"
#include "base/pool.h"

#define INLINE static inline __attribute__((always_inline))

enum { ROWS_BYTES = 1 << 17 };   /* of output per task */

/* n rows: one side walks by its first stride, the other is at the places. The rows' own axes are
 * `nd` trailing ones, dense ones merged. */
typedef struct rows {
    hdi_cpu_places places;
    uint8_t *walked, *base;
    int64_t n, walk, per_task;
    bool put;                    /* from the walked side to the places */
    int nd, lsize;
    int64_t dims[HD_MAXDIM], walked_strides[HD_MAXDIM], base_strides[HD_MAXDIM];
} rows;

/* ---- places and elements --------------------------------------------------------------------- */

hdi_cpu_places hdi_cpu_places_of(const hdi_xcall *x, const hdi_xarg *a)
{
    const int item = hd_dtype_size(a->dt);
    hd_assert(a->dims[0] < 2 || a->strides[0] == item);
    return (hdi_cpu_places){.at = a->ptr, .n = a->dims[0], .extent = x->extent, .step = x->step,
                            .index = hdi_loops_chosen()->index[item == 8], .item = item};
}

const int64_t *hdi_cpu_offsets(const hdi_cpu_places *p, int64_t from, int64_t n, int64_t *room)
{
    const uint8_t *at = p->at + from * p->item;
    if (p->extent == 0)
        return (const int64_t *)(const void *)at;
    p->index(room, at, n, p->extent, p->step);
    return room;
}

INLINE void take_sized(uint8_t *to, int64_t walk, const uint8_t *base, const int64_t *offset,
                       int64_t n, size_t size)
{
    for (int64_t j = 0; j < n; j++, to += walk)
        memcpy(to, base + offset[j], size);
}

void hdi_cpu_take_elements(uint8_t *to, int64_t walk, const uint8_t *base, const int64_t *offset,
                           int64_t n, int lsize)
{
    switch (lsize) {
    case 0: take_sized(to, walk, base, offset, n, 1); break;
    case 1: take_sized(to, walk, base, offset, n, 2); break;
    case 2: take_sized(to, walk, base, offset, n, 4); break;
    case 3: take_sized(to, walk, base, offset, n, 8); break;
    default: take_sized(to, walk, base, offset, n, 16); break;
    }
}

INLINE void put_sized(uint8_t *base, const int64_t *offset, const uint8_t *from, int64_t walk,
                      int64_t n, size_t size)
{
    for (int64_t j = 0; j < n; j++, from += walk)
        memcpy(base + offset[j], from, size);
}

void hdi_cpu_put_elements(uint8_t *base, const int64_t *offset, const uint8_t *from, int64_t walk,
                          int64_t n, int lsize)
{
    switch (lsize) {
    case 0: put_sized(base, offset, from, walk, n, 1); break;
    case 1: put_sized(base, offset, from, walk, n, 2); break;
    case 2: put_sized(base, offset, from, walk, n, 4); break;
    case 3: put_sized(base, offset, from, walk, n, 8); break;
    default: put_sized(base, offset, from, walk, n, 16); break;
    }
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void copy_last_axis(const rows *r, uint8_t *to, int64_t to_stride, const uint8_t *from,
                           int64_t from_stride)
{
    const int64_t size = (int64_t)1 << r->lsize, n = r->dims[r->nd - 1];
    if (to_stride == size && from_stride == size)
        memcpy(to, from, (size_t)(n << r->lsize));
    else
        hdi_cpu_copy_run(to, to_stride, from, from_stride, n, r->lsize);
}

/* One row, from strides to strides; the last axis is a run. */
static void copy_row(const rows *r, uint8_t *to, const int64_t *to_strides, const uint8_t *from,
                     const int64_t *from_strides)
{
    int64_t index[HD_MAXDIM];
    const int last = r->nd - 1;
    memset(index, 0, sizeof *index * (size_t)r->nd);
    for (;;) {
        copy_last_axis(r, to, to_strides[last], from, from_strides[last]);
        int a = last - 1;
        for (; a >= 0; a--) {
            to += to_strides[a];
            from += from_strides[a];
            if (++index[a] < r->dims[a])
                break;
            to -= r->dims[a] * to_strides[a];
            from -= r->dims[a] * from_strides[a];
            index[a] = 0;
        }
        if (a < 0)
            return;
    }
}

static void move_long_rows(const rows *r, const int64_t *offset, uint8_t *here, int64_t n)
{
    for (int64_t j = 0; j < n; j++, here += r->walk) {
        uint8_t *at = r->base + offset[j];
        if (r->put)
            copy_row(r, at, r->base_strides, here, r->walked_strides);
        else
            copy_row(r, here, r->walked_strides, at, r->base_strides);
    }
}

/* ---- the calls ------------------------------------------------------------------------------- */

static bool move_rows(void *ctx, int64_t task)
{
    const rows *r = ctx;
    const int64_t to = hdi_min64((task + 1) * r->per_task, r->n);
    int64_t room[HDI_CPU_PLACES];
    for (int64_t i = task * r->per_task, n; i < to; i += n) {
        n = hdi_min64(HDI_CPU_PLACES, to - i);
        const int64_t *offset = hdi_cpu_offsets(&r->places, i, n, room);
        uint8_t *here = r->walked + i * r->walk;
        if (r->nd > 0)
            move_long_rows(r, offset, here, n);
        else if (r->put)
            hdi_cpu_put_elements(r->base, offset, here, r->walk, n, r->lsize);
        else
            hdi_cpu_take_elements(here, r->walk, r->base, offset, n, r->lsize);
    }
    return true;
}

/* walked has one axis more than base, in front. Returns the bytes of a row; 0 if there is
 * nothing to do. */
static int64_t set_rows(rows *r, const hdi_xcall *x, const hdi_xarg *walked, const hdi_xarg *base)
{
    int64_t size = hd_dtype_size(base->dt), bytes = size;
    r->places = hdi_cpu_places_of(x, &x->in[1]);
    r->walked = walked->ptr;
    r->base = base->ptr;
    r->n = walked->dims[0];
    r->walk = walked->strides[0];
    r->put = walked != &x->out;
    r->lsize = __builtin_ctzll((uint64_t)size);
    r->nd = 0;
    for (int a = 0; a < base->nd; a++) {
        int64_t dim = base->dims[a], ws = walked->strides[a + 1], bs = base->strides[a];
        int to = r->nd;
        bytes *= dim;
        if (dim == 1)
            continue;
        if (to > 0 && r->walked_strides[to - 1] == ws * dim && r->base_strides[to - 1] == bs * dim)
            dim *= r->dims[--to];
        r->dims[to] = dim;
        r->walked_strides[to] = ws;
        r->base_strides[to] = bs;
        r->nd = to + 1;
    }
    r->per_task = bytes > 0 ? hdi_max64(ROWS_BYTES / bytes, 1) : 1;
    return r->n > 0 ? bytes : 0;
}

hd_status hdi_cpu_take(const hdi_xcall *x)
{
    rows r;
    int64_t next = 0;
    if (set_rows(&r, x, &x->out, &x->in[0]) == 0)
        return HD_OK;
    return hdi_pool_run((r.n + r.per_task - 1) / r.per_task, move_rows, &r, &next,
                        hdi_cpu_may_stop(x));
}

/* One thread: where places repeat, the last one must win. */
hd_status hdi_cpu_put(const hdi_xcall *x)
{
    rows r;
    hdi_cpu_asker ask = hdi_cpu_may_stop(x);
    if (set_rows(&r, x, &x->in[0], &x->out) == 0)
        return HD_OK;
    r.per_task *= 16;
    for (int64_t task = 0; task * r.per_task < r.n; task++) {
        if (task > 0 && ask != NULL && ask())
            return HD_INTERRUPTED;
        move_rows(&r, task);
    }
    return HD_OK;
}
