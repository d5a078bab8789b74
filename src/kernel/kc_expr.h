/* SPDX-License-Identifier: BSD-3-Clause */
/* kc_expr.h - operators that are more than one token, and what else the files of expressions share.
 * Start at   hdi_kc_effect() */
#ifndef HDI_KC_EXPR_H
#define HDI_KC_EXPR_H

#include "kernel/kc.h"

enum { KC_X_SHR = KC_W_LAST + 1, KC_X_SHR_SET, KC_X_CALL, KC_X_INDEX, KC_X_CONVERSION, KC_X_NOT,
       KC_X_LAST };

/* hdi_kc_effect - an expression whose value nobody wants. */
void hdi_kc_effect(kc *c);
/* hdi_kc_operator_name - the word of `operator` and this sign; NULL: it cannot be defined. */
kc_word *hdi_kc_operator_name(kc *c, int what);
/* hdi_kc_operator_read - the sign behind `operator`, taken; 0: a conversion. */
int hdi_kc_operator_read(kc *c);
/* hdi_kc_converts - a struct that says how it becomes a number. */
bool hdi_kc_converts(kc *c, const kc_type *t);

#endif
