/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_small_work.h - operands of small work: memory for them, elements that do not lie densely,
 * casts.
 * Owns       hdi_cpu_work, hdi_cpu_walk
 * Memory     the caller's stack
 * Threads    under the library's lock
 * See        cpu_small.h */
#ifndef HDI_CPU_SMALL_WORK_H
#define HDI_CPU_SMALL_WORK_H

#include "backend/cpu/loops/loops.h"
#include "window/window.h"

enum { HDI_CPU_SMALL_ROOM = 48 << 10 };

/* One operation, and the stack memory that its operands take. */
typedef struct hdi_cpu_work {
    const hdi_record *r;
    const hdi_loops *loops;
    int64_t n;                   /* elements */
    /* all operands lie densely in the same order, which is not C order: they are walked as they
     * lie. Else in C order */
    bool as_it_lies;
    uint8_t *next, *end;         /* of the room that is left */
} hdi_cpu_work;

/* Axes in the order in which elements are taken, the last one fastest. Strides in bytes. */
typedef struct hdi_cpu_walk {
    int nd;
    const int64_t *dims, *strides;
} hdi_cpu_walk;

static inline int hdi_cpu_log2_bytes(int64_t item)
{
    return __builtin_ctz((unsigned)item);
}

/* hdi_cpu_work_take - bytes of the room; NULL: there are none left. */
static inline void *hdi_cpu_work_take(hdi_cpu_work *w, int64_t bytes)
{
    uint8_t *p = w->next;
    bytes = (bytes + 63) & -(int64_t)64;
    if (bytes > w->end - p)
        return NULL;
    w->next += bytes;
    return p;
}

/* hdi_cpu_walk_step - the index over the axes up to `last` goes on by one: what that adds to an
 * offset. */
int64_t hdi_cpu_walk_step(const hdi_cpu_walk *walk, int last, int64_t *index);
/* hdi_cpu_walk_is_dense - do elements of so many bytes lie one after the other? */
bool hdi_cpu_walk_is_dense(const hdi_cpu_walk *walk, int64_t item);
/* hdi_cpu_work_move - elements of a view to dense memory, or back. */
void hdi_cpu_work_move(const hdi_cpu_work *w, const hdi_cpu_walk *walk, uint8_t *at,
                       uint8_t *dense, int64_t item, bool gather);
/* hdi_cpu_work_cast - n elements of *dt as those of another dtype, by way of float32 where a half
 * type asks for it; *dt becomes it. NULL: no room, or no such cast. */
const void *hdi_cpu_work_cast(hdi_cpu_work *w, const void *from, int64_t n, hd_dtype *dt,
                              hd_dtype to);

/* hdi_cpu_small_ew - r, elementwise, of at most so much work (`most`); hdi_cpu_small_call - r, a
 * library call: if there are loops for it. In cpu_small.c. */
bool hdi_cpu_small_ew(const hdi_record *r, int64_t most);
bool hdi_cpu_small_call(const hdi_record *r);
/* hdi_cpu_small_reduction - r, a reduction, if there are loops for it; by rows whatever its shape,
 * if they are asked for. In cpu_small_red.c. */
bool hdi_cpu_small_reduction(const hdi_record *r, bool by_rows);

#endif
