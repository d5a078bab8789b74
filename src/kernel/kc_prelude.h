/* SPDX-License-Identifier: BSD-3-Clause */
/* kc_prelude.h - what CUDA and C declare that is no node of the IR, as source that is read before
 * the user's.
 * Start at   hdi_kc_prelude */
#ifndef HDI_KC_PRELUDE_H
#define HDI_KC_PRELUDE_H

/* Texts that follow each other; NULL behind the last. */
extern const char *const hdi_kc_prelude[];

#endif
