/* SPDX-License-Identifier: BSD-3-Clause */
/* bounds.h - where the pending accesses of one generation lie, side by side: which of them could
 * meet a view is a few comparisons of vectors instead of a walk along a chain.
 * Owns       hdi_bounds
 * Invariant  what hdi_bounds_next() gives holds every pending access of the chain, from the link
 *            asked for on, that shares a byte with the view. It may hold others, also of records
 *            that are no longer pending
 * Threads    under the library's lock
 * Memory     a window has HDI_BOUNDS_MOST at most, made when long chains are met, never freed: the
 *            next generation takes what the last one left. Who gets none walks the chain
 * Start at   hdi_bounds_of(), hdi_bounds_meet()
 * See        docs/design/window.md, Hazards */
#ifndef HDI_BOUNDS_H
#define HDI_BOUNDS_H

#include "window/window.h"

typedef struct hdi_bounds hdi_bounds;
typedef struct hdi_boxes hdi_boxes;

/* An access as a box in a matrix: its first row, last row, first column, last column; the last ones
 * with all bits inverted, so that two boxes are compared in one direction only. */
enum { HDI_BOX = 4, HDI_LANES = 8 };
typedef int16_t hdi_bound_lanes __attribute__((vector_size(2 * HDI_LANES)));

/* One question: the accesses of a chain that could meet a view, newest first. */
typedef struct hdi_meeting {
    hdi_bounds *bounds;
    const hdi_boxes *boxes;
    hdi_bound_lanes most[HDI_BOX];   /* an edge beyond it: the box is elsewhere */
    int group, end;
    uint64_t half[2];        /* lanes of the group that meet and were not given yet */
    int vain;                /* of those given, how many the caller found not to meet */
} hdi_meeting;

/* hdi_bounds_of - those of p's generation; NULL if there are none to be had. */
hdi_bounds *hdi_bounds_of(hdi_window *w, const hdi_operand *p);
/* hdi_bounds_meet - begins m: the accesses of the chain of writes, or of reads, from `link` on that
 * could meet p; `link` is the first of its record in the chain. hdi_bounds_next - the link of the
 * next, 0 after the last. hdi_bounds_end - ends it: if much was given in vain, another pitch is
 * tried. */
void hdi_bounds_meet(hdi_window *w, hdi_bounds *s, const hdi_operand *p, bool writes, uint64_t link,
                     hdi_meeting *m);
uint64_t hdi_bounds_next(hdi_meeting *m);
void hdi_bounds_end(hdi_meeting *m);

#endif
