/* SPDX-License-Identifier: BSD-3-Clause */
/* llvm_words_counts.c - Poisson and binomial numbers by rejection (loops_samplers.h). */
#include "codegen/llvm_samplers.h"

/* ---- what transformed rejections have in common ---------------------------------------------- */

typedef struct hat { value a, b, centre, us, v, k; } hat;

static void hat_try(hdi_emit *e, hat *h, hdi_stream *s, value mask)
{
    value u = b_plus(e, hdi_stream_uniform(e, s, mask), -0.5);
    h->v = hdi_stream_above_0(e, s, mask);
    h->us = b_from(e, 0.5, b_abs(e, u));
    value slope = b_add(e, b_div(e, b_times(e, h->a, 2), h->us), h->b);
    h->k = b_call1(e, "llvm.floor", b_add(e, b_mul(e, slope, u), h->centre));
}

/* 0 <= x <= most */
static value in_range(hdi_emit *e, value x, value most)
{
    return b_and(e, b_ge(e, x, b_zero(x)), b_le(e, x, most));
}

/* Is the try as likely as log probability `most` allows? */
static value hat_accepts(hdi_emit *e, const hat *h, value scale, value most)
{
    value density = b_add(e, b_div(e, h->a, b_mul(e, h->us, h->us)), h->b);
    value u = b_div(e, b_mul(e, h->v, scale), density);
    return b_le(e, hdi_sample_log(e, u), most);
}

static value hat_is_easy(hdi_emit *e, const hat *h, value easy)
{
    return b_and(e, b_ge(e, h->us, b_real(h->us, 0.07)), b_le(e, h->v, easy));
}

/* ---- Poisson --------------------------------------------------------------------------------- */

static value poisson_above_10(hdi_emit *e, hdi_stream *s, value mean, value mask)
{
    hdi_loop l;
    hdi_branch b;
    hat h = {.centre = b_plus(e, mean, 0.43)};
    h.b = b_plus(e, b_times(e, b_sqrt(e, mean), 2.53), 0.931);
    h.a = b_plus(e, b_times(e, h.b, 0.02483), -0.059);
    value scale = b_div(e, b_real(mean, 1.1328), b_plus(e, h.b, -3.4));
    value easy = b_div(e, b_real(mean, 3.6224), b_plus(e, h.b, -2)), state[3] = {mean};
    scale = b_plus(e, scale, 1.1239);
    easy = b_from(e, 0.9277, easy);
    hdi_try_open(e, &l, mask, 1, state, s);
    hat_try(e, &h, s, l.active);
    value none = LLVMConstNull(LLVMTypeOf(mask)), slow[1], is_easy = hat_is_easy(e, &h, easy);
    value inside = in_range(e, h.k, b_real(mean, HDI_SAMPLE_MOST));
    value steep = b_and(e, b_lt(e, h.us, b_real(mean, 0.013)), b_gt(e, h.v, h.us));
    value open = b_and(e, inside, b_not(e, b_or(e, steep, is_easy)));
    hdi_branch_open(e, &b, b_and(e, l.active, open));
    slow[0] = hat_accepts(e, &h, scale, hdi_poisson_log(e, h.k, mean));
    hdi_branch_close(e, &b, 1, &none, slow);
    state[0] = h.k;
    hdi_try_close(e, &l, b_not(e, b_or(e, is_easy, slow[0])), 1, state, s);
    return state[0];
}

/* How many factors a product takes to come down to exp(-mean), less 1. */
static value poisson_below_10(hdi_emit *e, hdi_stream *s, value mean, value mask)
{
    hdi_loop l;
    value limit = hdi_sample_exp(e, b_neg(e, mean));
    value state[4] = {b_real(mean, -1), b_real(mean, 1)};
    hdi_try_open(e, &l, mask, 2, state, s);
    state[1] = b_mul(e, state[1], hdi_stream_above_0(e, s, l.active));
    state[0] = b_plus(e, state[0], 1);
    hdi_try_close(e, &l, b_gt(e, state[1], limit), 2, state, s);
    return state[0];
}

static value poisson_body(hdi_emit *e, value const *in)
{
    hdi_branch b;
    hdi_stream s = hdi_stream_of(e, in[0]), s1 = s;
    value mean = in[1], nan = b_nan(mean), state[1], r, ten = b_real(mean, 10);
    value valid = in_range(e, mean, b_real(mean, HDI_SAMPLE_MOST));
    value large = b_ge(e, mean, ten);
    hdi_branch_open(e, &b, b_and(e, valid, large));
    state[0] = poisson_above_10(e, &s1, mean, b.mask);
    hdi_branch_close(e, &b, 1, &nan, state);
    r = state[0];
    hdi_branch_open(e, &b, b_and(e, valid, b_not(e, large)));
    state[0] = poisson_below_10(e, &s, mean, b.mask);
    hdi_branch_close(e, &b, 1, &r, state);
    return state[0];
}

/* ---- binomial -------------------------------------------------------------------------------- */

/* Subtracts probabilities from a uniform number until they pass it: one count after the other, or
 * one lane's next uniform number. */
static value binomial_inverse(hdi_emit *e, hdi_stream *s, value n, value p, value mask)
{
    hdi_loop l, tries;
    value q = b_from(e, 1, p), odds = b_div(e, p, q), mean = b_mul(e, n, p);
    value put_back = b_div(e, b_sub(e, b_from(e, 1, q), p), q);
    value none = hdi_sample_exp(e, b_mul(e, n, b_add(e, hdi_sample_log(e, q), put_back)));
    value sd = b_sqrt(e, b_plus(e, b_mul(e, mean, q), 1));
    value far = b_add(e, mean, b_times(e, sd, 20)), state[3] = {b_zero(n)};
    hdi_try_open(e, &tries, mask, 1, state, s);
    /* u, probability, k */
    value at[] = {hdi_stream_uniform(e, s, tries.active), none, b_zero(n)};
    value inside = b_and(e, b_lt(e, at[2], n), b_lt(e, at[2], far));
    value on = b_and(e, b_ge(e, at[0], at[1]), inside);
    hdi_loop_open(e, &l, b_and(e, tries.active, on), 3, at);
    at[0] = b_sub(e, at[0], at[1]);
    at[2] = b_plus(e, at[2], 1);
    value ways = b_mul(e, b_plus(e, b_sub(e, n, at[2]), 1), odds);
    at[1] = b_mul(e, at[1], b_div(e, ways, at[2]));
    inside = b_and(e, b_lt(e, at[2], n), b_lt(e, at[2], far));
    hdi_loop_close(e, &l, b_and(e, b_ge(e, at[0], at[1]), inside), at);
    state[0] = at[2];
    hdi_try_close(e, &tries, b_not(e, b_lt(e, at[0], at[1])), 1, state, s);
    return state[0];
}

static value binomial_above_10(hdi_emit *e, hdi_stream *s, value n, value p, value mask)
{
    hdi_loop l;
    hdi_branch b;
    value q = b_from(e, 1, p), np = b_mul(e, n, p), sd = b_sqrt(e, b_mul(e, np, q));
    hat h = {.b = b_plus(e, b_times(e, sd, 2.53), 1.15), .centre = b_plus(e, np, 0.5)};
    h.a = b_add(e, b_plus(e, b_times(e, h.b, 0.0248), -0.0873), b_times(e, p, 0.01));
    value scale = b_mul(e, b_plus(e, b_div(e, b_real(n, 5.1), h.b), 2.83), sd);
    value easy = b_from(e, 0.92, b_div(e, b_real(n, 4.2), h.b)), state[3] = {n};
    value mode = b_call1(e, "llvm.floor", b_mul(e, b_plus(e, n, 1), p));
    value top = hdi_binomial_log(e, mode, n, p, q);
    hdi_try_open(e, &l, mask, 1, state, s);
    hat_try(e, &h, s, l.active);
    value none = LLVMConstNull(LLVMTypeOf(mask)), slow[1];
    value inside = in_range(e, h.k, n);
    value is_easy = b_and(e, inside, hat_is_easy(e, &h, easy));
    hdi_branch_open(e, &b, b_and(e, l.active, b_and(e, inside, b_not(e, is_easy))));
    slow[0] = hat_accepts(e, &h, scale, b_sub(e, hdi_binomial_log(e, h.k, n, p, q), top));
    hdi_branch_close(e, &b, 1, &none, slow);
    state[0] = h.k;
    hdi_try_close(e, &l, b_not(e, b_or(e, is_easy, slow[0])), 1, state, s);
    return state[0];
}

static value binomial_body(hdi_emit *e, value const *in)
{
    hdi_branch b;
    hdi_stream s = hdi_stream_of(e, in[0]), s1 = s;
    value p = in[2], n = b_call1(e, "llvm.floor", in[1]), zero = b_zero(n), one = b_real(n, 1);
    value valid = b_and(e, in_range(e, n, b_real(n, 0x1p63)), in_range(e, p, one));
    value most = b_real(n, HDI_SAMPLE_MOST), is_rare = b_le(e, p, b_real(p, 0.5)), state[1];
    n = b_pick(e, b_lt(e, n, most), n, most);
    value rare = b_pick(e, is_rare, p, b_sub(e, one, p)), r = zero;
    value some = b_not(e, b_or(e, b_eq(e, n, zero), b_eq(e, rare, zero)));
    value drawn = b_and(e, valid, some), large = b_ge(e, b_mul(e, n, rare), b_real(n, 10));
    hdi_branch_open(e, &b, b_and(e, drawn, large));
    state[0] = binomial_above_10(e, &s1, n, rare, b.mask);
    hdi_branch_close(e, &b, 1, &r, state);
    r = state[0];
    hdi_branch_open(e, &b, b_and(e, drawn, b_not(e, large)));
    state[0] = binomial_inverse(e, &s, n, rare, b.mask);
    hdi_branch_close(e, &b, 1, &r, state);
    r = b_pick(e, is_rare, state[0], b_sub(e, n, state[0]));
    return b_pick(e, valid, r, b_nan(n));
}

value hdi_word_poisson(hdi_emit *e, value word, value mean)
{
    return hdi_sampled(e, "sample_poisson", poisson_body, word, mean, NULL);
}

value hdi_word_binomial(hdi_emit *e, value word, value n, value p)
{
    return hdi_sampled(e, "sample_binomial", binomial_body, word, n, p);
}
