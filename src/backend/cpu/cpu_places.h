/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_places.h - places of an array, as a call that moves elements there or from there has them:
 * byte offsets, or indices of one axis; dense either way.
 * Invariant  offsets are trusted. Indices were looked at before the call was recorded, but their
 *            memory may be somebody else's as well: what is out of range by now means the first
 *            place
 * Threads    pure
 * Start at   hdi_cpu_places_of() */
#ifndef HDI_CPU_PLACES_H
#define HDI_CPU_PLACES_H

#include "backend/cpu/cpu_library.h"
#include "backend/cpu/loops/loops.h"

enum { HDI_CPU_PLACES = 512 };   /* offsets that are made at once */

typedef struct hdi_cpu_places {
    const uint8_t *at;
    int64_t n, extent, step;     /* extent 0: offsets */
    hdi_index_loop index;
    int item;                    /* bytes of one */
} hdi_cpu_places;

/* hdi_cpu_places_of - what operand `a` of call x says. */
hdi_cpu_places hdi_cpu_places_of(const hdi_xcall *x, const hdi_xarg *a);

/* hdi_cpu_offsets - byte offsets of n <= HDI_CPU_PLACES places: where they are, or made in room. */
const int64_t *hdi_cpu_offsets(const hdi_cpu_places *p, int64_t from, int64_t n, int64_t *room);

/* hdi_cpu_take_elements - n elements of 2^lsize bytes from offsets of base to `to`, where they lie
 * `walk` bytes apart; hdi_cpu_put_elements - the other way, in order. */
void hdi_cpu_take_elements(uint8_t *to, int64_t walk, const uint8_t *base, const int64_t *offset,
                           int64_t n, int lsize);
void hdi_cpu_put_elements(uint8_t *base, const int64_t *offset, const uint8_t *from, int64_t walk,
                          int64_t n, int lsize);

#endif
