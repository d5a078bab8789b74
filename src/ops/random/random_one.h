/* SPDX-License-Identifier: BSD-3-Clause */
/* random_one.h - what draws one number within the call: a copy of the generator, and loops of
 * elementwise rows on numbers.
 * Owns       hdi_one: it lives for one number
 * Invariant  once not fine, the number is not used, and the generator stays as it was
 * Threads    under the library's lock
 * Start at   hd_random_one() */
#ifndef HDI_RANDOM_ONE_H
#define HDI_RANDOM_ONE_H

#include <heddle/random.h>

#include <math.h>

#include "base/random_stream.h"
#include "ops/ops.h"

typedef struct hdi_one {
    hd_generator g;
    hdi_window *w;
    bool fine;
} hdi_one;

/* hdi_one_raw, hdi_one_uniform - of the next call of g.
 * hdi_one_of - row op of x, float64.
 * hdi_one_need - leaves the number to the general way if not so.
 * hdi_one_is_count - is x a whole number that a float64 holds, not below 0? */
uint64_t hdi_one_raw(hd_generator *g);
double hdi_one_uniform(hd_generator *g);
double hdi_one_of(hdi_one *s, hd_op op, double x);
static inline void hdi_one_need(hdi_one *s, bool so) { s->fine = s->fine && so; }
static inline bool hdi_one_is_count(double x) { return x >= 0 && x <= 0x1p53 && x == floor(x); }

/* Those that are drawn in rounds (random_rounds.c). */
double hdi_one_vonmises(hdi_one *s, const double *p);
double hdi_one_zipf(hdi_one *s, const double *p);
double hdi_one_hypergeometric(hdi_one *s, const double *p);

#endif
