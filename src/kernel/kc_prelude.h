/* SPDX-License-Identifier: BSD-3-Clause */
/* kc_prelude.h - what CUDA and C declare that is no node of the IR, as source that is read before
 * the user's.
 * Start at   hdi_kc_prelude */
#ifndef HDI_KC_PRELUDE_H
#define HDI_KC_PRELUDE_H

/* Texts that follow each other; NULL behind the last. */
extern const char *const hdi_kc_prelude[];

/* Texts behind these, each read if the source has one of its words; NULL behind the last. */
enum { KC_RARE_WORDS = 16 };
typedef struct kc_rare { const char *word[KC_RARE_WORDS], *text; } kc_rare;
extern const kc_rare hdi_kc_rare[];

#endif
