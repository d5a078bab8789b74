/* SPDX-License-Identifier: BSD-3-Clause */
/* cg_words.h - the elementwise operations and casts one by one, as functions with numbers: what
 * tier 0 of GPUs, which is made when the library is built, can call.
 * Owns       hdi_word
 * Invariant  the list follows from the tables alone; numbers are places in it
 * Threads    any
 * Start at   hdi_words_list()
 * See        docs/design/gpu-tier0.md */
#ifndef HDI_CG_WORDS_H
#define HDI_CG_WORDS_H

#include "codegen/cg_chain.h"

typedef struct hdi_word {
    uint16_t op;             /* row of ew.def, or HDI_CHAIN_CAST */
    uint8_t cdt;             /* of the loop; a cast: of the argument */
    uint8_t dt;              /* of the value */
    uint8_t narg;
    uint8_t arg[3];          /* of the arguments */
    uint16_t wide;           /* > 0: has a function over HDI_WIDE_LANES lanes as well, number - 1 */
} hdi_word;

/* What nearly every program has is also there for this many elements at a time. */
enum { HDI_WIDE_LANES = 4 };

/* hdi_words_list - all of them; *n: how many. */
const hdi_word *hdi_words_list(int *n);

/* hdi_word_number - of row op in loop dtype cdt; hdi_word_cast - of a cast. -1: there is none. */
int hdi_word_number(hd_op op, hd_dtype cdt);
int hdi_word_cast(hd_dtype from, hd_dtype to);

#endif
