/* SPDX-License-Identifier: BSD-3-Clause */
/* llvm_words_logs.c - the samplers' logarithm, exponential and probabilities, each a function of
 * its module; their streams and loops. */
#include "codegen/llvm_samplers.h"

/* ---- logarithm and exponential --------------------------------------------------------------- */

static value log_body(hdi_emit *e, value const *in)
{
    value x = in[0], bits = b_bits_of(e, x);
    value above = b_sub(e, bits, b_whole(bits, 0x3FE6A09E667F3BCD));
    value high = b_resize(e, b_lshr(e, above, 32), b_ints_as(e, x, 32), false);
    value k = b_to_real(e, b_ashr(e, high, 20), LLVMTypeOf(x), true);
    value power = b_and(e, above, b_whole(bits, (int64_t)0xFFF0000000000000));
    value m = b_real_of_bits(e, b_sub(e, bits, power));
    value s = b_div(e, b_plus(e, m, -1), b_plus(e, m, 1)), ss = b_mul(e, s, s);
    value sum = b_zero(x);
    for (int odd = 21; odd > 1; odd -= 2)
        sum = b_mul(e, b_plus(e, sum, 1.0 / odd), ss);
    value series = b_add(e, b_mul(e, b_times(e, s, 2), sum), b_times(e, s, 2));
    value r = b_add(e, b_times(e, k, 0x1.62e42fee00000p-1),
                    b_add(e, b_times(e, k, 0x1.a39ef35793c76p-33), series));
    value inside = b_and(e, b_gt(e, x, b_zero(x)), b_lt(e, x, b_infinity(x)));
    value outside = b_pick(e, b_eq(e, x, b_zero(x)), b_neg(e, b_infinity(x)), x);
    return b_pick(e, inside, r, outside);
}

value hdi_sample_log(hdi_emit *e, value x)
{
    return hdi_function(e, "sample_log", log_body, LLVMTypeOf(x), 1, &x);
}

static value power_of_2(hdi_emit *e, value n)
{
    value wide = b_resize(e, n, b_ints_as(e, n, 64), true);
    return b_real_of_bits(e, b_shl(e, b_add(e, wide, b_whole(wide, 1023)), 52));
}

static value exp_body(hdi_emit *e, value const *in)
{
    value given = in[0], low = b_gt(e, given, b_real(given, -746));
    value inside = b_and(e, low, b_le(e, given, b_real(given, 709.7)));
    value x = b_pick(e, inside, given, b_zero(given));
    value k = b_call1(e, "llvm.floor", b_plus(e, b_times(e, x, 0x1.71547652b82fep0), 0.5));
    value r = b_sub(e, b_sub(e, x, b_times(e, k, 0x1.62e42fee00000p-1)),
                    b_times(e, k, 0x1.a39ef35793c76p-33));
    value sum = b_real(x, 1);
    for (int i = 13; i > 0; i--)
        sum = b_plus(e, b_mul(e, b_times(e, r, 1.0 / i), sum), 1);
    value whole = b_to_int(e, k, b_ints_as(e, x, 32), true);
    value half = LLVMBuildSDiv(e->build, whole, b_whole(whole, 2), "");
    value result = b_mul(e, b_mul(e, sum, power_of_2(e, half)),
                         power_of_2(e, b_sub(e, whole, half)));
    value large = b_gt(e, given, b_zero(given));
    value outside = b_pick(e, large, b_infinity(x), b_zero(x));
    outside = b_pick(e, b_ne(e, given, given), given, outside);
    return b_pick(e, inside, result, outside);
}

value hdi_sample_exp(hdi_emit *e, value x)
{
    return hdi_function(e, "sample_exp", exp_body, LLVMTypeOf(x), 1, &x);
}

/* ---- probabilities --------------------------------------------------------------------------- */

/* Of 16 numbers the n-th, bit by bit of n: no memory to look them up in. */
static value small_rest(hdi_emit *e, value n)
{
    static const double small[16] = {
        0, 0.081061466795327258220, 0.041340695955409294094, 0.027677925684998339149,
        0.020790672103765093112, 0.016644691189821192163, 0.013876128823070747999,
        0.011896709945891770095, 0.010411265261972096497, 0.0092554621827127329177,
        0.0083305634333628712565, 0.0075736754879518407950, 0.0069428401072095298657,
        0.0064089941880042070684, 0.0059513701127588477356, 0.0055547335519628013710};
    value bits = b_bits_of(e, b_plus(e, n, 0x1p52)), r[16];
    for (int i = 0; i < 16; i++)
        r[i] = b_real(n, small[i]);
    for (int bit = 1; bit < 16; bit *= 2) {
        value c = b_ne(e, b_and(e, bits, b_whole(bits, bit)), b_whole(bits, 0));
        for (int i = 0; i < 16; i += 2 * bit)
            r[i] = b_pick(e, c, r[i + bit], r[i]);
    }
    return r[0];
}

static value stirling_body(hdi_emit *e, value const *in)
{
    static const double rest[] = {1.0 / 1680, 1.0 / 1260, 1.0 / 360, 1.0 / 12};
    value n = in[0], r = b_div(e, b_real(n, 1), n), rr = b_mul(e, r, r);
    value sum = b_real(n, 1.0 / 1188);
    for (int k = 0; k < 4; k++)
        sum = b_from(e, rest[k], b_mul(e, sum, rr));
    return b_pick(e, b_lt(e, n, b_real(n, 16)), small_rest(e, n), b_mul(e, sum, r));
}

static value stirling_rest(hdi_emit *e, value n)
{
    return hdi_function(e, "stirling_rest", stirling_body, LLVMTypeOf(n), 1, &n);
}

static value deviance_body(hdi_emit *e, value const *in)
{
    value x = in[0], m = in[1], apart = b_sub(e, x, m), both = b_add(e, x, m);
    value far = b_ge(e, b_abs(e, apart), b_times(e, both, 0.1));
    value of_log = b_mul(e, x, hdi_sample_log(e, b_div(e, x, m)));
    of_log = b_sub(e, b_add(e, of_log, m), x);
    value v = b_div(e, apart, both), vv = b_mul(e, v, v);
    value sum = b_mul(e, apart, v), term = b_mul(e, b_times(e, x, 2), v);
    for (int odd = 3; odd < 25; odd += 2) {
        term = b_mul(e, term, vv);
        sum = b_add(e, sum, b_times(e, term, 1.0 / odd));
    }
    return b_pick(e, far, of_log, sum);
}

static value deviance(hdi_emit *e, value x, value m)
{
    return hdi_function(e, "deviance", deviance_body, LLVMTypeOf(x), 2, (value[]){x, m});
}

#define LOG_2PI 1.8378770664093454836

value hdi_poisson_log(hdi_emit *e, value k, value m)
{
    value scale = b_times(e, b_plus(e, hdi_sample_log(e, k), LOG_2PI), 0.5);
    value r = b_sub(e, b_neg(e, stirling_rest(e, k)), deviance(e, k, m));
    return b_pick(e, b_eq(e, k, b_zero(k)), b_neg(e, m), b_sub(e, r, scale));
}

/* in: k, n, p, q */
static value binomial_log_body(hdi_emit *e, value const *in)
{
    value k = in[0], n = in[1], np = b_mul(e, n, in[2]), nq = b_mul(e, n, in[3]);
    value others = b_sub(e, n, k);
    value r = b_sub(e, stirling_rest(e, n), stirling_rest(e, k));
    r = b_sub(e, r, stirling_rest(e, others));
    value of_k = deviance(e, k, np), of_others = deviance(e, others, nq);
    r = b_sub(e, b_sub(e, r, of_k), of_others);
    value scale = b_plus(e, hdi_sample_log(e, k), LOG_2PI);
    scale = b_add(e, scale, hdi_sample_log(e, b_div(e, others, n)));
    r = b_sub(e, r, b_times(e, scale, 0.5));
    value none = b_sub(e, b_neg(e, of_others), np), all = b_sub(e, b_neg(e, of_k), nq);
    r = b_pick(e, b_eq(e, k, n), all, r);
    return b_pick(e, b_eq(e, k, b_zero(k)), none, r);
}

value hdi_binomial_log(hdi_emit *e, value k, value n, value p, value q)
{
    value in[] = {k, n, p, q};
    return hdi_function(e, "binomial_log", binomial_log_body, LLVMTypeOf(k), 4, in);
}

/* ---- streams and loops over them ------------------------------------------------------------- */

value hdi_stream_uniform(hdi_emit *e, hdi_stream *s, value mask)
{
    value w = b_lshr(e, hdi_stream_word(e, s, mask), 11);
    return b_times(e, b_to_real(e, w, b_reals_as(e, w, true), true), 0x1p-53);
}

/* A loop whose state is n numbers, then the stream: in state[n] and state[n + 1]. */
void hdi_try_open(hdi_emit *e, hdi_loop *l, value active, int n, value *state, hdi_stream *s)
{
    state[n] = s->at;
    state[n + 1] = s->spare;
    hdi_loop_open(e, l, active, n + 2, state);
    s->at = state[n];
    s->spare = state[n + 1];
}

void hdi_try_close(hdi_emit *e, hdi_loop *l, value again, int n, value *state, hdi_stream *s)
{
    state[n] = s->at;
    state[n + 1] = s->spare;
    hdi_loop_close(e, l, again, state);
    s->at = state[n];
    s->spare = state[n + 1];
}

/* ---- samplers as functions ------------------------------------------------------------------- */

static value as_double(hdi_emit *e, value x)
{
    return LLVMBuildFPCast(e->build, x, b_reals_as(e, x, true), "");
}

value hdi_sampled(hdi_emit *e, const char *name, hdi_body body, value word, value y, value z)
{
    value in[] = {word, as_double(e, y), z != NULL ? as_double(e, z) : NULL};
    value r = hdi_function_by_parts(e, name, body, b_element(LLVMTypeOf(in[1])), 1,
                                    e->vector_bytes / 8, z != NULL ? 3 : 2, in);
    return LLVMBuildFPCast(e->build, r, LLVMTypeOf(y), "");
}
