/* SPDX-License-Identifier: BSD-3-Clause */
/* again.h - a pending elementwise result, recorded once more in another shape.
 * Threads    under the library's lock
 * Start at   hdi_again() */
#ifndef HDI_AGAIN_H
#define HDI_AGAIN_H

#include "ops/ops.h"

/* hdi_maker - the pending record of this thread that makes all of b, if none but that one is to
 * write to it; or NULL. */
const hdi_record *hdi_maker(const hdi_buf *b);

/* hdi_can_again - is all of x still to be computed, by a few elementwise operations on dense arrays
 * and single elements? Then hdi_again() records these once more, for elements [from, ...) of x in C
 * order, as an array of these extents; up to HDI_AGAIN_TIMES times, with as many records between
 * them, within hdi_hold_pending(). x itself stays pending, and is never computed if nobody wants
 * it. */
enum { HDI_AGAIN_TIMES = 2 };
bool hdi_can_again(const hd_array *x);
hd_array *hdi_again(const hd_array *x, int64_t from, int nd, const int64_t *dims);

#endif
