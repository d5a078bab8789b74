/* SPDX-License-Identifier: BSD-3-Clause */
/* llvm_words_samplers.c - gamma and beta numbers by rejection (loops_samplers.h, which has the
 * sources): a loop goes on while any lane is at work. */
#include "codegen/llvm_samplers.h"

/* ---- normal and gamma ------------------------------------------------------------------------ */

static value normal(hdi_emit *e, hdi_stream *s, value mask, value like)
{
    hdi_loop l;
    value state[4] = {b_zero(like), b_real(like, 0.5)};   /* x and the square of the radius */
    hdi_try_open(e, &l, mask, 2, state, s);
    value x = b_plus(e, b_times(e, hdi_stream_uniform(e, s, l.active), 2), -1);
    value y = b_plus(e, b_times(e, hdi_stream_uniform(e, s, l.active), 2), -1);
    value rr = b_add(e, b_mul(e, x, x), b_mul(e, y, y));
    value inside = b_and(e, b_lt(e, rr, b_real(x, 1)), b_gt(e, rr, b_zero(x)));
    state[0] = x;
    state[1] = rr;
    hdi_try_close(e, &l, b_not(e, inside), 2, state, s);
    value of_log = b_div(e, b_times(e, hdi_sample_log(e, state[1]), -2), state[1]);
    return b_mul(e, state[0], b_sqrt(e, of_log));
}

/* May the try stand? By the quick test, or the full one where that fails. */
static value gamma_accepts(hdi_emit *e, value valid, value u, value x, value v, value d)
{
    hdi_branch b;
    value xx = b_mul(e, x, x), none = LLVMConstNull(LLVMTypeOf(valid)), slow[1];
    value quick = b_lt(e, u, b_from(e, 1, b_mul(e, b_times(e, xx, 0.0331), xx)));
    quick = b_and(e, quick, valid);
    hdi_branch_open(e, &b, b_and(e, valid, b_not(e, quick)));
    value rest = b_add(e, b_from(e, 1, v), hdi_sample_log(e, v));
    value limit = b_add(e, b_mul(e, b_times(e, x, 0.5), x), b_mul(e, d, rest));
    slow[0] = b_lt(e, hdi_sample_log(e, u), limit);
    hdi_branch_close(e, &b, 1, &none, slow);
    return b_or(e, quick, slow[0]);
}

/* shape >= 1 in the lanes of the mask */
static value gamma_above_1(hdi_emit *e, hdi_stream *s, value shape, value mask)
{
    hdi_loop l;
    value d = b_plus(e, shape, -(1.0 / 3));
    value c = b_div(e, b_real(d, 1), b_sqrt(e, b_times(e, d, 9)));
    value state[3] = {b_zero(shape)};
    hdi_try_open(e, &l, mask, 1, state, s);
    value x = normal(e, s, l.active, shape);
    value root = b_plus(e, b_mul(e, c, x), 1), v = b_mul(e, b_mul(e, root, root), root);
    value u = hdi_stream_above_0(e, s, l.active);
    value valid = b_and(e, l.active, b_not(e, b_le(e, root, b_zero(root))));
    value accepted = gamma_accepts(e, valid, u, x, v, d);
    state[0] = b_mul(e, d, v);
    hdi_try_close(e, &l, b_not(e, accepted), 1, state, s);
    return state[0];
}

static value sample_gamma(hdi_emit *e, hdi_stream *s, value shape, value mask)
{
    hdi_branch b;
    value zero = b_zero(shape), one = b_real(shape, 1);
    value small = b_lt(e, shape, one), valid = b_gt(e, shape, zero);
    value drawn = b_and(e, valid, b_lt(e, shape, b_real(shape, 0x1p1000)));
    value larger = b_pick(e, small, b_add(e, shape, one), shape);
    value r = gamma_above_1(e, s, larger, b_and(e, mask, drawn));
    value state[3], otherwise[3] = {r, s->at, s->spare};
    hdi_branch_open(e, &b, b_and(e, b_and(e, mask, drawn), small));
    value power = b_div(e, hdi_sample_log(e, hdi_stream_above_0(e, s, b.mask)), shape);
    state[0] = b_mul(e, r, hdi_sample_exp(e, power));
    state[1] = s->at;
    state[2] = s->spare;
    hdi_branch_close(e, &b, 3, otherwise, state);
    s->at = state[1];
    s->spare = state[2];
    r = b_pick(e, drawn, state[0], shape);   /* as large as that: itself */
    value odd = b_pick(e, b_eq(e, shape, zero), zero, b_nan(shape));
    return b_pick(e, valid, r, odd);
}

/* in: word, shape, scale */
static value gamma_body(hdi_emit *e, value const *in)
{
    hdi_stream s = hdi_stream_of(e, in[0]);
    value all = LLVMConstAllOnes(LLVMTypeOf(b_eq(e, in[0], in[0])));
    return b_mul(e, sample_gamma(e, &s, in[1], all), in[2]);
}

/* ---- beta ------------------------------------------------------------------------------------ */

static value at_least(hdi_emit *e, value x, double least)
{
    value l = b_real(x, least);
    return b_pick(e, b_lt(e, x, l), l, x);
}

static value beta_below_1(hdi_emit *e, hdi_stream *s, value a, value b, value mask)
{
    hdi_loop l;
    value state[4] = {b_zero(a), b_zero(a)}, one = b_real(a, 1);
    hdi_try_open(e, &l, mask, 2, state, s);
    value x = b_div(e, hdi_sample_log(e, hdi_stream_above_0(e, s, l.active)), a);
    value y = b_div(e, hdi_sample_log(e, hdi_stream_above_0(e, s, l.active)), b);
    value both = b_add(e, hdi_sample_exp(e, x), hdi_sample_exp(e, y));
    state[0] = x;
    state[1] = y;
    hdi_try_close(e, &l, b_not(e, b_le(e, both, one)), 2, state, s);
    value odds = hdi_sample_exp(e, b_sub(e, state[1], state[0]));
    return b_div(e, one, b_plus(e, odds, 1));
}

static value beta_body(hdi_emit *e, value const *in)
{
    hdi_branch b;
    hdi_stream s = hdi_stream_of(e, in[0]), s1 = s;
    value one = b_real(in[1], 1), zero = b_zero(in[1]), nan = b_nan(one), state[1], r;
    value valid = b_and(e, b_gt(e, in[1], zero), b_gt(e, in[2], zero));
    value small = b_and(e, b_le(e, in[1], one), b_le(e, in[2], one));
    hdi_branch_open(e, &b, b_and(e, valid, small));
    state[0] = beta_below_1(e, &s1, at_least(e, in[1], 1e-300), at_least(e, in[2], 1e-300),
                            b.mask);
    hdi_branch_close(e, &b, 1, &nan, state);
    r = state[0];
    hdi_branch_open(e, &b, b_and(e, valid, b_not(e, small)));
    value x = sample_gamma(e, &s, in[1], b.mask), y = sample_gamma(e, &s, in[2], b.mask);
    state[0] = b_div(e, x, b_add(e, x, y));
    hdi_branch_close(e, &b, 1, &r, state);
    return state[0];
}

/* ---- words ----------------------------------------------------------------------------------- */

value hdi_word_gamma(hdi_emit *e, value word, value shape, value scale)
{
    return hdi_sampled(e, "sample_gamma", gamma_body, word, shape, scale);
}

value hdi_word_beta(hdi_emit *e, value word, value a, value b)
{
    return hdi_sampled(e, "sample_beta", beta_body, word, a, b);
}
