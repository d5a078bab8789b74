/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_places.c - elements and rows from places of an array, and to them. */
#include "backend/cpu/cpu_places.h"

#include "backend/cpu/cpu_copy.h"
#include "base/pool.h"

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

HDI_CPU_INLINE void move_long_rows(const rows *r, int64_t from, int64_t to,
                                   hdi_cpu_place_kind kind)
{
    for (int64_t j = from; j < to; j++) {
        uint8_t *at = r->base + hdi_cpu_place(&r->places, j, kind),
                *here = r->walked + j * r->walk;
        if (r->put)
            copy_row(r, at, r->base_strides, here, r->walked_strides);
        else
            copy_row(r, here, r->walked_strides, at, r->base_strides);
    }
}

/* ---- elements -------------------------------------------------------------------------------- */

HDI_CPU_INLINE void move_sized(const rows *r, int64_t from, int64_t to, size_t size, bool put,
                               hdi_cpu_place_kind kind)
{
    const hdi_cpu_places places = r->places;
    uint8_t *const base = r->base, *here = r->walked + from * r->walk;
    for (int64_t j = from; j < to; j++, here += r->walk) {
        uint8_t *at = base + hdi_cpu_place(&places, j, kind);
        if (put)
            memcpy(at, here, size);
        else
            memcpy(here, at, size);
    }
}

HDI_CPU_INLINE void move_elements(const rows *r, int64_t from, int64_t to, bool put,
                                  hdi_cpu_place_kind kind)
{
    switch (r->lsize) {
    case 0: move_sized(r, from, to, 1, put, kind); break;
    case 1: move_sized(r, from, to, 2, put, kind); break;
    case 2: move_sized(r, from, to, 4, put, kind); break;
    case 3: move_sized(r, from, to, 8, put, kind); break;
    default: move_sized(r, from, to, 16, put, kind); break;
    }
}

/* ---- the calls ------------------------------------------------------------------------------- */

static bool move_rows(void *ctx, int64_t task)
{
    const rows *r = ctx;
    const int64_t from = task * r->per_task, to = hdi_min64(from + r->per_task, r->n);
#define ROWS(KIND) move_long_rows(r, from, to, KIND)
#define PUT(KIND) move_elements(r, from, to, true, KIND)
#define TAKE(KIND) move_elements(r, from, to, false, KIND)
    if (r->nd > 0)
        HDI_CPU_BY_PLACES(&r->places, ROWS)
    else if (r->put)
        HDI_CPU_BY_PLACES(&r->places, PUT)
    else
        HDI_CPU_BY_PLACES(&r->places, TAKE)
#undef ROWS
#undef PUT
#undef TAKE
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
