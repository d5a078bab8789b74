/* SPDX-License-Identifier: BSD-3-Clause */
/* red.h - what reductions and folds share.
 * Start at   hdi_fold() */
#ifndef HDI_RED_H
#define HDI_RED_H

#include "ops/ops.h"

/* hdi_fold - an elementwise operation that has no reduction row, over the axes asked for. Without
 * the lock; x is an array. */
hd_array *hdi_fold(hd_op op, const hd_array *x, const hd_reduce_options *o);
/* hdi_mask_fits - can `where` repeat over x? HD_SHAPE if not. */
bool hdi_mask_fits(const hd_array *x, const hd_array *where);
/* hdi_reduce_deliver - r, or out (retained) with r's elements, of whatever dtype it is. Takes r;
 * NULL passes through. */
hd_array *hdi_reduce_deliver(hd_array *r, hd_array *out);

#endif
