/* SPDX-License-Identifier: BSD-3-Clause */
/* object.h - what does not fit the payload of a record: the payload points to it.
 * Owns       hdi_object, hdi_arrival, hdi_grid_launch
 * Invariant  a record counts its object from hdi_record_end() on, until it has run or was dropped;
 *            if hdi_record_end() fails, the caller counts it still
 * Threads    counts are atomic; the last one to let go of an object under the lock has it end
 *            later, without the lock
 * See        docs/design/records.md */
#ifndef HDI_OBJECT_H
#define HDI_OBJECT_H

#include <stdatomic.h>

#include "core/payload.h"
#include "core/storage.h"

struct hdi_object {
    _Atomic(int64_t) count;
    hdi_deleter end;             /* when nobody counts it any more; frees it */
};

/* hdi_object_hold - counts it once more. hdi_object_release - once less, under the lock.
 * hdi_object_release_away - without the lock. */
static inline void hdi_object_hold(hdi_object *o)
{
    atomic_fetch_add(&o->count, 1);
}
static inline void hdi_object_release(hdi_object *o)
{
    if (atomic_fetch_sub(&o->count, 1) == 1)
        hdi_defer(&o->end);
}
static inline void hdi_object_release_away(hdi_object *o)
{
    if (atomic_fetch_sub(&o->count, 1) == 1)
        o->end.run(o->end.ctx);
}

/* Contents that another device sends to the host's memory: what HD_OP_receive is told. wait: until
 * they are there; HD_INTERRUPTED if the user would rather not, and then it may be called again. */
typedef struct hdi_arrival {
    hdi_object object;
    hd_status (*wait)(struct hdi_arrival *a);
} hdi_arrival;

/* A kernel of the user's over a grid: what HD_OP_user_grid is told. Its operands are the
 * generations that its arrays lie in, each once and as a whole: those that it writes to are
 * outputs. */
typedef struct hdi_grid_arg {
    int result, input;           /* number of the operand, -1: none; both: a value */
    int64_t off;                 /* bytes in that operand; of a value in `values` */
} hdi_grid_arg;
typedef struct hdi_grid_launch {
    hdi_object object;
    size_t bytes;                /* of this block */
    uintptr_t function;
    hdi_object *kernel;          /* what the function belongs to; NULL: it stays by itself */
    int64_t work;                /* instructions, roughly */
    int64_t next;                /* the first task that has not run: stopped between two */
    unsigned grid[3], block[3], shared_bytes;
    char name[64];
    int nargs;
    uint8_t *values;
    hdi_grid_arg arg[];
} hdi_grid_launch;

#endif
