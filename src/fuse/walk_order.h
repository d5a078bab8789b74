/* SPDX-License-Identifier: BSD-3-Clause */
/* walk_order.h - in which order axes are walked, and so summed.
 * Invariant  the order of a reduction depends on its own input and axes alone, whatever it is fused
 *            with and whoever runs it
 * Threads    under the library's lock
 * Start at   hdi_reduction_walk() */
#ifndef HDI_WALK_ORDER_H
#define HDI_WALK_ORDER_H

#include "window/window.h"

/* hdi_sort_axes - from the slowest to the fastest in memory; equal strides stay in C order. */
void hdi_sort_axes(const int64_t *strides, int nd, int *axes);

/* hdi_reduction_walk - strides over the squeezed axes of r's domain, of which those in `reduced`
 * are reduced, that say in which order they are walked: the input's own, or others in
 * room[HD_MAXDIM]. NULL: C order. */
const int64_t *hdi_reduction_walk(const hdi_record *r, uint64_t reduced, int64_t *room);

#endif
