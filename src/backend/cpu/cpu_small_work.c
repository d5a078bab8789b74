/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_small_work.c - moving and casting the elements of small work. */
#include "backend/cpu/cpu_small_work.h"

#include "core/dtype.h"

enum { SHORT_LINE = 16 };

int64_t hdi_cpu_walk_step(const hdi_cpu_walk *walk, int last, int64_t *index)
{
    int64_t by = 0;
    for (int a = last; a >= 0; a--) {
        by += walk->strides[a];
        if (++index[a] < walk->dims[a])
            break;
        by -= walk->strides[a] * walk->dims[a];
        index[a] = 0;
    }
    return by;
}

bool hdi_cpu_walk_is_dense(const hdi_cpu_walk *walk, int64_t item)
{
    for (int a = walk->nd - 1; a >= 0; a--) {
        if (walk->strides[a] != item)
            return false;
        item *= walk->dims[a];
    }
    return true;
}

/* A line that is not worth a call. */
static void move_short(uint8_t *to, int64_t to_step, const uint8_t *from, int64_t from_step,
                       int64_t n, int lsize)
{
    for (int64_t i = 0; i < n; i++, to += to_step, from += from_step)
        if (lsize == 3)
            memcpy(to, from, 8);
        else if (lsize == 2)
            memcpy(to, from, 4);
        else
            memcpy(to, from, (size_t)1 << lsize);
}

/* Line by line. */
void hdi_cpu_work_move(const hdi_cpu_work *w, const hdi_cpu_walk *walk, uint8_t *at,
                       uint8_t *dense, int64_t item, bool gather)
{
    int64_t index[HD_MAXDIM] = {0}, lines = 1;
    int last = walk->nd - 1, lsize = hdi_cpu_log2_bytes(item);
    int64_t n = last < 0 ? 1 : walk->dims[last], step = last < 0 ? 0 : walk->strides[last];
    for (int a = 0; a < last; a++)
        lines *= walk->dims[a];
    for (; lines > 0; lines--, dense += n << lsize) {
        if (n <= SHORT_LINE && gather)
            move_short(dense, item, at, step, n, lsize);
        else if (n <= SHORT_LINE)
            move_short(at, step, dense, item, n, lsize);
        else if (gather)
            w->loops->gather[lsize](dense, at, step, n);
        else
            w->loops->scatter[lsize](at, step, dense, n);
        at += hdi_cpu_walk_step(walk, last - 1, index);
    }
}

const void *hdi_cpu_work_cast(hdi_cpu_work *w, const void *from, int64_t n, hd_dtype *dt,
                              hd_dtype to)
{
    if (*dt == to)
        return from;
    const hd_dtype via = hdi_cast_via(*dt, to), next = via != HD_NO_DTYPE ? via : to;
    const hdi_cast_loop loop = w->loops->cast[*dt][next];
    void *room = loop != NULL ? hdi_cpu_work_take(w, n * hdi_itemsize(next)) : NULL;
    if (room == NULL)
        return NULL;
    loop(room, from, n);
    *dt = next;
    return next == to ? room : hdi_cpu_work_cast(w, room, n, dt, to);
}
