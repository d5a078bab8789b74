/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_library.c - which function does a library call; indexing by byte offsets. */
#include "backend/cpu/cpu_library.h"

#include "backend/cpu/cpu_copy.h"
#include "backend/cpu/cpu_sort.h"
#include "base/pool.h"

enum { ROWS_BYTES = 1 << 17 };   /* of output per task */

hd_status hdi_cpu_library(void *state, const hdi_xcall *x)
{
    (void)state;
    switch (x->op) {
    case HD_OP_matmul:
        return hdi_cpu_matmul(x);
    case HD_OP_solve ... HD_OP_lstsq:
        return hdi_cpu_linalg(x);
    case HD_OP_accumulate:
        return hdi_cpu_accumulate(x);
    case HD_OP_reduceat:
        return hdi_cpu_reduceat(x);
    case HD_OP_at:
        return hdi_cpu_at(x);
    case HD_OP_gather:
        return hdi_cpu_take(x);
    case HD_OP_scatter:
        return hdi_cpu_put(x);
    case HD_OP_compress:
    case HD_OP_true_places:
        return hdi_cpu_select(x);
    case HD_OP_random_order:
        return hdi_cpu_random_order(x);
    case HD_OP_random_pick:
        return hdi_cpu_random_pick(x);
    case HD_OP_fft:
        return hdi_cpu_fft(x);
    case HD_OP_correlate:
        return hdi_cpu_correlate(x);
    case HD_OP_sort:
    case HD_OP_argsort:
    case HD_OP_partition:
    case HD_OP_argpartition:
        return hdi_cpu_sort(x);
    case HD_OP_searchsorted:
        return hdi_cpu_searchsorted(x);
    case HD_OP_bincount:
        return hdi_cpu_bincount(x);
    case HD_OP_histogram:
        return hdi_cpu_histogram(x);
    default:
        return hdi_fail(HD_UNSUPPORTED, "library call %d does not run on this back end",
                        (int)x->op);
    }
}

/* ---- may it be stopped? ---------------------------------------------------------------------- */

static void extent(const hdi_xarg *a, uintptr_t *low, uintptr_t *high)
{
    *low = (uintptr_t)a->ptr;
    *high = *low + (uintptr_t)hd_dtype_size(a->dt);
    for (int i = 0; i < a->nd; i++)
        *(a->strides[i] < 0 ? low : high) += (uintptr_t)(a->strides[i] * (a->dims[i] - 1));
}

hdi_cpu_asker hdi_cpu_may_stop(const hdi_xcall *x)
{
    uintptr_t low, high, low2, high2;
    extent(&x->out, &low, &high);
    for (int i = 0; i < x->nin; i++) {
        extent(&x->in[i], &low2, &high2);
        if (low < high2 && low2 < high)
            return NULL;
    }
    return hdi_poll_interrupt;
}

/* ---- rows at offsets ------------------------------------------------------------------------- */

/* n rows: one side walks by its first stride, the other is at offsets. The rows' own axes are
 * `nd` trailing ones, dense ones merged. */
typedef struct rows {
    uint8_t *walked, *base;
    const uint8_t *offsets;
    int64_t n, walk, offset_stride, per_task;
    bool put;                    /* from the walked side to the offsets */
    int nd, lsize;
    int64_t dims[HD_MAXDIM], walked_strides[HD_MAXDIM], base_strides[HD_MAXDIM];
} rows;

/* One row, from strides to strides; the last axis is a run. */
static void copy_row(const rows *r, uint8_t *to, const int64_t *to_strides, const uint8_t *from,
                     const int64_t *from_strides)
{
    int64_t index[HD_MAXDIM] = {0};
    int last = r->nd - 1;
    for (;;) {
        if (to_strides[last] == (int64_t)1 << r->lsize && from_strides[last] == to_strides[last])
            memcpy(to, from, (size_t)(r->dims[last] << r->lsize));
        else
            hdi_cpu_copy_run(to, to_strides[last], from, from_strides[last], r->dims[last],
                             r->lsize);
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

static inline __attribute__((always_inline)) void move_elements(const rows *r, int64_t from,
                                                                int64_t to, size_t size)
{
    for (int64_t j = from; j < to; j++) {
        uint8_t *at = r->base + *(const int64_t *)(const void *)(r->offsets + j * r->offset_stride),
                *here = r->walked + j * r->walk;
        if (r->put)
            memcpy(at, here, size);
        else
            memcpy(here, at, size);
    }
}

static bool move_rows(void *ctx, int64_t task)
{
    const rows *r = ctx;
    int64_t from = task * r->per_task, to = hdi_min64(from + r->per_task, r->n);
    if (r->nd > 0) {
        for (int64_t j = from; j < to; j++) {
            uint8_t *at =
                r->base + *(const int64_t *)(const void *)(r->offsets + j * r->offset_stride);
            if (r->put)
                copy_row(r, at, r->base_strides, r->walked + j * r->walk, r->walked_strides);
            else
                copy_row(r, r->walked + j * r->walk, r->walked_strides, at, r->base_strides);
        }
        return true;
    }
    switch (r->lsize) {
    case 0: move_elements(r, from, to, 1); break;
    case 1: move_elements(r, from, to, 2); break;
    case 2: move_elements(r, from, to, 4); break;
    case 3: move_elements(r, from, to, 8); break;
    default: move_elements(r, from, to, 16); break;
    }
    return true;
}

/* walked has one axis more than base, in front. Returns the bytes of a row; 0 if there is
 * nothing to do. */
static int64_t set_rows(rows *r, const hdi_xarg *walked, const hdi_xarg *base,
                        const hdi_xarg *offsets)
{
    int64_t size = hd_dtype_size(base->dt), bytes = size;
    *r = (rows){.walked = walked->ptr,
                .base = base->ptr,
                .offsets = offsets->ptr,
                .n = walked->dims[0],
                .walk = walked->strides[0],
                .offset_stride = offsets->strides[0],
                .lsize = __builtin_ctzll((uint64_t)size)};
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
    if (set_rows(&r, &x->out, &x->in[0], &x->in[1]) == 0)
        return HD_OK;
    return hdi_pool_run((r.n + r.per_task - 1) / r.per_task, move_rows, &r, &next,
                        hdi_cpu_may_stop(x));
}

/* One thread: where offsets repeat, the last one must win. */
hd_status hdi_cpu_put(const hdi_xcall *x)
{
    rows r;
    hdi_cpu_asker ask = hdi_cpu_may_stop(x);
    if (set_rows(&r, &x->in[0], &x->out, &x->in[1]) == 0)
        return HD_OK;
    r.put = true;
    r.per_task *= 16;
    for (int64_t task = 0; task * r.per_task < r.n; task++) {
        if (task > 0 && ask != NULL && ask())
            return HD_INTERRUPTED;
        move_rows(&r, task);
    }
    return HD_OK;
}
