/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_places.h - places of an array, as a call that moves elements there or from there has them:
 * byte offsets, or indices of one axis.
 * Invariant  offsets are trusted. Indices were looked at before the call was recorded, but their
 *            memory may be somebody else's as well: what is out of range by now means the first
 *            place
 * Threads    pure
 * Start at   hdi_cpu_places_of() */
#ifndef HDI_CPU_PLACES_H
#define HDI_CPU_PLACES_H

#include "backend/cpu/cpu_key.h"
#include "backend/cpu/cpu_library.h"

typedef enum hdi_cpu_place_kind {
    HDI_CPU_OFFSETS,
    HDI_CPU_INDICES64,
    HDI_CPU_INDICES32
} hdi_cpu_place_kind;

typedef struct hdi_cpu_places {
    const uint8_t *at;
    int64_t stride;              /* from one to the next */
    int64_t n, extent, step;     /* of indices: the axis they are of */
    hdi_cpu_place_kind kind;
} hdi_cpu_places;

/* hdi_cpu_places_of - what operand `a` of call x says. */
static inline hdi_cpu_places hdi_cpu_places_of(const hdi_xcall *x, const hdi_xarg *a)
{
    return (hdi_cpu_places){.at = a->ptr, .stride = a->strides[0], .n = a->dims[0],
                            .extent = x->extent, .step = x->step,
                            .kind = x->extent == 0        ? HDI_CPU_OFFSETS
                                    : a->dt == HD_INT32 ? HDI_CPU_INDICES32
                                                          : HDI_CPU_INDICES64};
}

/* hdi_cpu_place - byte offset of place j. kind is p->kind, a constant where loops are made of
 * this. */
HDI_CPU_INLINE int64_t hdi_cpu_place(const hdi_cpu_places *p, int64_t j, hdi_cpu_place_kind kind)
{
    int64_t v;
    int32_t narrow;
    if (kind == HDI_CPU_INDICES32) {
        memcpy(&narrow, p->at + j * p->stride, sizeof narrow);
        v = narrow;
    } else {
        memcpy(&v, p->at + j * p->stride, sizeof v);
    }
    if (kind == HDI_CPU_OFFSETS)
        return v;
    v += v >> 63 & p->extent;
    return ((uint64_t)v < (uint64_t)p->extent ? v : 0) * p->step;
}

/* HDI_CPU_BY_PLACES - macro M(KIND) for the kind in the switch. */
#define HDI_CPU_BY_PLACES(p, M)                                  \
    switch ((p)->kind) {                                         \
    case HDI_CPU_OFFSETS: M(HDI_CPU_OFFSETS); break;             \
    case HDI_CPU_INDICES64: M(HDI_CPU_INDICES64); break;         \
    default: M(HDI_CPU_INDICES32); break;                        \
    }

#endif
