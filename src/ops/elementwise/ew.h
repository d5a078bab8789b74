/* SPDX-License-Identifier: BSD-3-Clause */
/* ew.h - elementwise operations whose values need a look before they are recorded.
 * Threads    under the library's lock
 * Start at   hdi_ew_checked() */
#ifndef HDI_EW_H
#define HDI_EW_H

#include "ops/ops.h"

/* hdi_ew_checked - hdi_ew_auto() with what NumPy does beyond the loop: integer powers,
 * comparisons with numbers out of range or between int64 and uint64, where's condition. */
hd_array *hdi_ew_checked(hd_op op, int n, const hdi_in *in);
/* hdi_ew_special - the cases of hdi_ew_checked() that no one loop gives: true if this is one, with
 * *r its result (owned), or NULL with an error. */
bool hdi_ew_special(hd_op op, const hdi_in *in, hd_array **r);
/* hdi_ew_choose - the loop that the options ask for; HD_NO_DTYPE and an error if there is none, or
 * if an input may not be cast to it. */
hd_dtype hdi_ew_choose(hd_op op, int n, const hdi_in *in, const hd_apply_options *o);
/* hdi_ew_apply - hd_apply() under the lock. o NULL: no options. */
hd_array *hdi_ew_apply(hd_op op, int n, const hdi_in *in, const hd_apply_options *o);
/* hdi_ew_options - the caller's options, of whatever size he knows them, over the defaults. */
hd_apply_options hdi_ew_options(const hd_apply_options *o);
/* hdi_store_few - out[where] = x, one number for all, if that is little work and everything lies
 * ready; false: the general way does it, or says what is wrong. */
bool hdi_store_few(const hd_array *out, const hd_array *where, const hd_array *x);
/* hdi_power_number - x ** n, by multiplication, square root or reciprocal where NumPy's operator
 * does so. */
hd_array *hdi_power_number(const hd_array *x, const hd_number *n);

static inline hd_device *hd_device_of_locked(const hd_array *x)
{
    return x->st != NULL ? x->st->buf->dev : NULL;
}

#endif
