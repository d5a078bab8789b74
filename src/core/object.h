/* SPDX-License-Identifier: BSD-3-Clause */
/* object.h - what does not fit the payload of a record: the payload points to it.
 * Owns       hdi_object and hdi_arrival
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

#endif
