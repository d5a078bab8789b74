/* SPDX-License-Identifier: BSD-3-Clause */
/* llvm_samplers.h - what the samplers of llvm_words_samplers.c and llvm_words_counts.c stand on:
 * loops_samplers.h, operation by operation. All numbers are float64.
 * Invariant  only + - * /, sqrt and floor, in the order of loops_samplers.h: the same bits
 * Threads    as hdi_emit
 * Start at   hdi_try_open() */
#ifndef HDI_LLVM_SAMPLERS_H
#define HDI_LLVM_SAMPLERS_H

#include "codegen/llvm_words.h"

#define HDI_SAMPLE_MOST 0x1.fffffffffffffp+62

static inline value b_zero(value x)
{
    return b_real(x, 0);
}

static inline value b_infinity(value x)
{
    return b_real(x, (double)__builtin_inf());
}

static inline value b_nan(value x)
{
    return b_real(x, (double)__builtin_nan(""));
}

/* Logarithm and exponential; log of the probability of k where the mean is m, and of k among n
 * trials of probability p, q = 1 - p. */
value hdi_sample_log(hdi_emit *e, value x);
value hdi_sample_exp(hdi_emit *e, value x);
value hdi_poisson_log(hdi_emit *e, value k, value m);
value hdi_binomial_log(hdi_emit *e, value k, value n, value p, value q);

/* A uniform number u for each lane of the mask, and 1 - u. */
value hdi_stream_uniform(hdi_emit *e, hdi_stream *s, value mask);
static inline value hdi_stream_above_0(hdi_emit *e, hdi_stream *s, value mask)
{
    return b_from(e, 1, hdi_stream_uniform(e, s, mask));
}

/* A loop whose state is n numbers, then the stream: state has room for n + 2. */
void hdi_try_open(hdi_emit *e, hdi_loop *l, value active, int n, value *state, hdi_stream *s);
void hdi_try_close(hdi_emit *e, hdi_loop *l, value again, int n, value *state, hdi_stream *s);

/* hdi_sampled - a sampler as a function of the module: of a word, and one or two (z NULL: one)
 * parameters, as numbers of their type. */
value hdi_sampled(hdi_emit *e, const char *name, hdi_body body, value word, value y, value z);

#endif
