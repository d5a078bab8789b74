/* SPDX-License-Identifier: BSD-3-Clause */
/* fault_masks.h - bool arrays of where a floating-point fault happened, and what they are made of.
 * Owns       hdi_masks: the arrays of one look, released together
 * Invariant  between hdi_masks_begin() and hdi_masks_end() nothing is watched: masks are recorded
 *            like any other work, and run as one kernel when the end asks for what they say
 * Threads    under the library's lock, which is away during hdi_masks_end()
 * Start at   hdi_float_faults() in float_faults.c */
#ifndef HDI_FAULT_MASKS_H
#define HDI_FAULT_MASKS_H

#include <heddle/faults.h>

#include "ops/ops.h"

enum { HDI_MASKS = 160 };

typedef struct hdi_masks {
    int n;
    bool failed;                      /* out of memory: what came of it is NULL */
    int wanted;                       /* the faults that somebody watches and that can happen */
    hd_array *divide, *over, *under, *invalid;   /* where; NULL: nowhere */
    hd_array *all[HDI_MASKS];
} hdi_masks;

void hdi_masks_begin(hdi_masks *m, int wanted);
/* hdi_masks_end - notes the faults whose masks have a true element, as those of the operation on
 * dev that has this name. */
hd_status hdi_masks_end(hdi_masks *m, const char *name, hd_device *dev);

/* Arrays that live as long as m; of NULL comes NULL.
 * hdi_mask_keep - x, taken. hdi_mask_of - row op of x. hdi_mask_pair - row op of x and y.
 * hdi_mask_number - row op of x and a number. hdi_mask_and, _or, _not - of masks.
 * hdi_mask_also - *where or more (NULL: nowhere yet). */
hd_array *hdi_mask_keep(hdi_masks *m, hd_array *x);
hd_array *hdi_mask_of(hdi_masks *m, hd_op op, hd_dtype cdt, hdi_in x);
hd_array *hdi_mask_pair(hdi_masks *m, hd_op op, hd_dtype cdt, const hd_array *x, const hd_array *y);
hd_array *hdi_mask_number(hdi_masks *m, hd_op op, hd_dtype cdt, hdi_in x, double number);
hd_array *hdi_mask_and(hdi_masks *m, const hd_array *x, const hd_array *y);
hd_array *hdi_mask_or(hdi_masks *m, const hd_array *x, const hd_array *y);
hd_array *hdi_mask_not(hdi_masks *m, const hd_array *x);
void hdi_mask_also(hdi_masks *m, hd_array **where, hd_array *more);

/* hdi_mask_small - elements below the smallest normal number of dt, 0 and -0 too. */
hd_array *hdi_mask_small(hdi_masks *m, hd_dtype dt, const hd_array *x);
/* hdi_mask_cast - adds the faults of x, of dtype `from`, becoming one of dtype `to`. */
void hdi_mask_cast(hdi_masks *m, hd_dtype from, hd_dtype to, const hd_array *x);

#endif
