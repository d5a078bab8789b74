/* SPDX-License-Identifier: BSD-3-Clause */
/* llvm_words_random.c - Philox 4x32-10 and what is drawn from it (loops_random.h,
 * loops_random_float.h, loops_draw.h; docs/design/random.md).
 *
 * A block serves several numbers. Where positions ascend one by one from the first of a block, as
 * they nearly always do, each block is made once, in a vector with a lane for each block; else
 * every position has a block of its own.
 *
 * On a GPU words are numbers of 32 bits, a round is two multiplications, and the rounds stand where
 * they are needed one after the other: a call and its loop would take longer than they do. */
#include "codegen/llvm_words.h"

int hdi_word_per_block(hd_op op, hd_dtype cdt)
{
    if (op != HD_OP_random_uniform && op != HD_OP_random_normal && op != HD_OP_random_raw)
        return 1;
    return cdt == HD_FLOAT32 ? 4 : 2;
}

/* ---- Philox ---------------------------------------------------------------------------------- */

/* The low half of 64 bits: in vectors by a mask, which a multiplication of low halves leaves out;
 * of a scalar as the number of 32 bits that it is. */
static value low_half(hdi_emit *e, value x)
{
    if (b_count(LLVMTypeOf(x)) > 0)
        return b_and(e, x, b_whole(x, 0xffffffff));
    return b_resize(e, b_resize(e, x, b_ints_as(e, x, 32), false), LLVMTypeOf(x), false);
}

/* One round of Philox on counter words and the key's two. Words live in low halves, above them is
 * rubbish. */
static void one_round(hdi_emit *e, value c[4], value k[2])
{
    value p0 = b_mul(e, low_half(e, c[0]), b_whole(c[0], 0xD2511F53));
    value p1 = b_mul(e, low_half(e, c[2]), b_whole(c[2], 0xCD9E8D57));
    c[0] = b_xor(e, b_xor(e, b_lshr(e, p1, 32), c[1]), k[0]);
    c[1] = p1;
    c[2] = b_xor(e, b_xor(e, b_lshr(e, p0, 32), c[3]), k[1]);
    c[3] = p0;
    k[0] = b_add(e, k[0], b_whole(k[0], 0x9E3779B9));
    k[1] = b_add(e, k[1], b_whole(k[1], 0xBB67AE85));
}

enum { ROUNDS = 10 };

static value joined(hdi_emit *e, value low, value high, LLVMTypeRef type)
{
    return b_or(e, b_resize(e, low, type, false), b_shl(e, b_resize(e, high, type, false), 32));
}

/* philox() on a GPU. */
static void short_philox(hdi_emit *e, value key, value const c[4], value out[2])
{
    static const int64_t by[2] = {0xD2511F53, 0xCD9E8D57}, step[2] = {0x9E3779B9, 0xBB67AE85};
    LLVMTypeRef wide = LLVMTypeOf(c[0]), word = b_ints_as(e, c[0], 32);
    value w[4], k[2] = {b_resize(e, key, word, false),
                        b_resize(e, b_lshr(e, key, 32), word, false)};
    for (int i = 0; i < 4; i++)
        w[i] = b_resize(e, c[i], word, false);
    for (int round = 0; round < ROUNDS; round++) {
        value low[2], high[2];
        for (int i = 0; i < 2; i++) {
            value p = b_mul(e, b_resize(e, w[2 * i], wide, false), hdi_whole(wide, by[i]));
            low[i] = b_resize(e, p, word, false);
            high[i] = b_resize(e, b_lshr(e, p, 32), word, false);
        }
        w[0] = b_xor(e, b_xor(e, high[1], w[1]), k[0]);
        w[2] = b_xor(e, b_xor(e, high[0], w[3]), k[1]);
        w[1] = low[1];
        w[3] = low[0];
        for (int i = 0; i < 2; i++)
            k[i] = b_add(e, k[i], b_whole(k[i], step[i]));
    }
    out[0] = joined(e, w[0], w[1], wide);
    out[1] = joined(e, w[2], w[3], wide);
}

/* Ten rounds, two to a turn: all in a row take twice as long to compile and run no faster. out:
 * words 0 and 1 as 64 bits, then 2 and 3. */
static void philox(hdi_emit *e, value key, value const c[4], value out[2])
{
    enum { AT_ONCE = 2 };
    hdi_turns t;
    if (hdi_emits_for_gpu(e)) {
        short_philox(e, key, c, out);
        return;
    }
    value s[] = {c[0], c[1], c[2], c[3], key, b_lshr(e, key, 32)};
    hdi_turns_open(e, &t, 6, s);
    for (int k = 0; k < AT_ONCE; k++)
        one_round(e, s, s + 4);
    hdi_turns_close(e, &t, ROUNDS / AT_ONCE, s);
    out[0] = b_or(e, low_half(e, s[0]), b_shl(e, s[1], 32));
    out[1] = b_or(e, low_half(e, s[2]), b_shl(e, s[3], 32));
}

static value first_lane(hdi_emit *e, value x)
{
    value zero = LLVMConstInt(LLVMInt32TypeInContext(e->context), 0, 0);
    return b_count(LLVMTypeOf(x)) == 0 ? x : LLVMBuildExtractElement(e->build, x, zero, "");
}

/* Block numbers; key and call number, scalars or the same in all lanes. */
static void generator_blocks(hdi_emit *e, value const *in, value out[2])
{
    LLVMTypeRef type = LLVMTypeOf(in[0]);
    value key = hdi_fill(e, type, in[1]), call = hdi_fill(e, type, in[2]);
    value c[4] = {call, b_lshr(e, call, 32), in[0], b_lshr(e, in[0], 32)};
    philox(e, key, c, out);
}

/* A function of the generator: of x, its key and its call number. */
static value of_generator(hdi_emit *e, const char *name, hdi_body body, LLVMTypeRef element,
                          int each, int registers, value x, hdi_value state)
{
    value in[] = {x, first_lane(e, b_bits_of(e, state.re)),
                  first_lane(e, b_bits_of(e, state.im))};
    if (e->in_step)
        return body(e, in);
    return hdi_function_by_parts(e, name, body, element, each, registers * e->vector_bytes / 8, 3,
                                 in);
}

static value random_blocks(hdi_emit *e, value const *in)
{
    value out[2];
    generator_blocks(e, in, out);
    return hdi_interleave(e, out[0], out[1]);
}

/* Both words of each block. They fill two registers, so that the rounds of one need not wait for
 * themselves. */
static value block_words(hdi_emit *e, hdi_value state, value block)
{
    return of_generator(e, "random_blocks", random_blocks, b_element(LLVMTypeOf(block)), 2, 2,
                        block, state);
}

/* ---- positions ------------------------------------------------------------------------------- */

/* Can a vector of positions hold whole blocks? */
static bool holds_blocks(const hdi_emit *e, int per)
{
    return e->lanes >= per && e->lanes % per == 0;
}

/* A scalar: do positions x ascend one by one, from the first of a block on? Lanes beyond the end
 * may hold anything. */
static value in_step(hdi_emit *e, value x, int per)
{
    value start = hdi_fill(e, LLVMTypeOf(x), first_lane(e, x));
    value want = b_add(e, start, hdi_count_up(LLVMTypeOf(x)));
    value rest = b_and(e, start, b_whole(x, per - 1));
    value off = b_ne(e, b_or(e, b_xor(e, x, want), rest), b_whole(x, 0));
    return b_not(e, hdi_any(e, e->mask != NULL ? b_and(e, off, e->mask) : off));
}

/* The words of as many blocks as x has numbers: interleaved, and cut to the width of a word. */
static value step_words(hdi_emit *e, hdi_value state, value x, int per)
{
    LLVMTypeRef type = hdi_lanes(b_element(LLVMTypeOf(x)), e->lanes / per);
    value first = b_lshr(e, hdi_fill(e, type, first_lane(e, x)), per == 4 ? 2 : 1);
    value words = block_words(e, state, b_add(e, first, hdi_count_up(type)));
    return b_as(e, words, b_ints_as(e, x, per == 4 ? 32 : 64));
}

static value bit_of(hdi_emit *e, value x, int bit)
{
    return b_ne(e, b_and(e, x, b_whole(x, bit)), b_whole(x, 0));
}

static value own_words_of_2(hdi_emit *e, value const *in)
{
    value out[2], of_block[] = {b_lshr(e, in[0], 1), in[1], in[2]};
    generator_blocks(e, of_block, out);
    return b_pick(e, bit_of(e, in[0], 1), out[1], out[0]);
}

static value own_words_of_4(hdi_emit *e, value const *in)
{
    value out[2], of_block[] = {b_lshr(e, in[0], 2), in[1], in[2]};
    generator_blocks(e, of_block, out);
    value w = b_pick(e, bit_of(e, in[0], 2), out[1], out[0]);
    w = b_pick(e, bit_of(e, in[0], 1), b_lshr(e, w, 32), w);
    return b_resize(e, w, b_ints_as(e, w, 32), false);
}

/* Each position's word, from a block of its own. */
static value own_words(hdi_emit *e, hdi_value state, value x, int per)
{
    LLVMTypeRef word = b_element(per == 4 ? b_ints_as(e, x, 32) : LLVMTypeOf(x));
    return per == 4 ? of_generator(e, "own_words_of_4", own_words_of_4, word, 1, 1, x, state)
                    : of_generator(e, "own_words_of_2", own_words_of_2, word, 1, 1, x, state);
}

/* Each position's word. */
static value words_at(hdi_emit *e, hdi_value const *in, int per)
{
    hdi_ways w;
    if (!holds_blocks(e, per))
        return own_words(e, in[1], in[0].re, per);
    if (e->in_step)
        return step_words(e, in[1], in[0].re, per);
    hdi_ways_open(e, &w, in_step(e, in[0].re, per));
    hdi_ways_turn(e, &w, step_words(e, in[1], in[0].re, per));
    return hdi_ways_close(e, &w, own_words(e, in[1], in[0].re, per));
}

/* ---- uniform and normal numbers -------------------------------------------------------------- */

value hdi_word_raw64(hdi_emit *e, hdi_value const *in)
{
    return b_resize(e, words_at(e, in, 2), hdi_emit_type(e, e->dt), false);
}

/* float64 from 64 bits, float32 from 32: the leading ones, as many as it is precise to. */
static value unit_of(hdi_emit *e, value word)
{
    bool wide = hdi_bits(LLVMTypeOf(word)) == 64;
    value leading = b_lshr(e, word, wide ? 11 : 8);
    value r = b_to_real(e, leading, b_reals_as(e, word, wide), true);
    return b_times(e, r, wide ? 0x1p-53 : 0x1p-24);
}

value hdi_word_uniform(hdi_emit *e, hdi_value const *in)
{
    return unit_of(e, words_at(e, in, hdi_word_per_block(HD_OP_random_uniform, e->dt)));
}

/* The coordinates of a random point: radius from one word, angle from the other. */
static void normal_pair(hdi_emit *e, value to_radius, value to_angle, value out[2])
{
    bool wide = hdi_bits(LLVMTypeOf(to_radius)) == 64;
    double turn = wide ? 6.283185307179586476925 : (double)(float)6.283185307179586476925;
    value u = unit_of(e, to_radius), angle = b_times(e, unit_of(e, to_angle), turn);
    value log = hdi_word_call1(e, "log", b_from(e, 1, u));
    value r = b_sqrt(e, b_times(e, log, -2));
    out[0] = b_mul(e, r, hdi_word_call1(e, "cos", angle));
    out[1] = b_mul(e, r, hdi_word_call1(e, "sin", angle));
}

static value own_normals_of_2(hdi_emit *e, value const *in)
{
    value w[2], r[2], of_block[] = {b_lshr(e, in[0], 1), in[1], in[2]};
    generator_blocks(e, of_block, w);
    normal_pair(e, w[0], w[1], r);
    return b_pick(e, bit_of(e, in[0], 1), r[1], r[0]);
}

/* Numbers 0 and 1 are made of words 0 and 1, others of 2 and 3. */
static value own_normals_of_4(hdi_emit *e, value const *in)
{
    value w[2], r[2], of_block[] = {b_lshr(e, in[0], 2), in[1], in[2]};
    generator_blocks(e, of_block, w);
    value both = b_pick(e, bit_of(e, in[0], 2), w[1], w[0]);
    LLVMTypeRef half = b_ints_as(e, both, 32);
    normal_pair(e, b_resize(e, both, half, false),
                b_resize(e, b_lshr(e, both, 32), half, false), r);
    return b_pick(e, bit_of(e, in[0], 1), r[1], r[0]);
}

static value own_normals(hdi_emit *e, hdi_value state, value x, int per)
{
    LLVMTypeRef real = b_element(b_reals_as(e, x, per == 2));
    return per == 4 ? of_generator(e, "own_normals_of_4", own_normals_of_4, real, 1, 1, x, state)
                    : of_generator(e, "own_normals_of_2", own_normals_of_2, real, 1, 1, x, state);
}

static value step_normals(hdi_emit *e, hdi_value state, value x, int per)
{
    value words = step_words(e, state, x, per), r[2];
    normal_pair(e, hdi_shuffle(e, words, 0, 2, e->lanes / 2),
                hdi_shuffle(e, words, 1, 2, e->lanes / 2), r);
    return hdi_interleave(e, r[0], r[1]);
}

value hdi_word_normal(hdi_emit *e, hdi_value const *in)
{
    hdi_ways w;
    int per = hdi_word_per_block(HD_OP_random_normal, e->dt);
    if (!holds_blocks(e, per))
        return own_normals(e, in[1], in[0].re, per);
    if (e->in_step)
        return step_normals(e, in[1], in[0].re, per);
    hdi_ways_open(e, &w, in_step(e, in[0].re, per));
    hdi_ways_turn(e, &w, step_normals(e, in[1], in[0].re, per));
    return hdi_ways_close(e, &w, own_normals(e, in[1], in[0].re, per));
}

/* ---- an element's own stream ----------------------------------------------------------------- */

hdi_stream hdi_stream_of(hdi_emit *e, value word)
{
    (void)e;
    return (hdi_stream){word, b_whole(word, 0), b_whole(word, 0)};
}

/* Both words of block x[1] of the streams with keys x[0]. */
static value stream_block(hdi_emit *e, value const *x)
{
    value out[2], c[4] = {x[1], b_lshr(e, x[1], 32), b_whole(x[1], 0), b_whole(x[1], -1)};
    LLVMTypeRef type = LLVMTypeOf(x[0]);
    philox(e, x[0], c, out);
    value both = LLVMGetUndef(LLVMStructTypeInContext(e->context, (LLVMTypeRef[]){type, type}, 2,
                                                      0));
    both = LLVMBuildInsertValue(e->build, both, out[0], 0, "");
    return LLVMBuildInsertValue(e->build, both, out[1], 1, "");
}

value hdi_stream_word(hdi_emit *e, hdi_stream *s, value mask)
{
    hdi_branch b;
    LLVMTypeRef type = LLVMTypeOf(s->key);
    LLVMTypeRef two = LLVMStructTypeInContext(e->context, (LLVMTypeRef[]){type, type}, 2, 0);
    value otherwise[] = {s->spare, s->spare}, one = b_whole(s->at, 1);
    hdi_branch_open(e, &b, b_and(e, mask, b_not(e, bit_of(e, s->at, 1))));
    value x[] = {s->key, b_lshr(e, s->at, 1)};
    value both = hdi_function(e, "stream_block", stream_block, two, 2, x);
    value words[] = {LLVMBuildExtractValue(e->build, both, 0, ""),
                     LLVMBuildExtractValue(e->build, both, 1, "")};
    hdi_branch_close(e, &b, 2, otherwise, words);
    s->spare = words[1];
    s->at = b_add(e, s->at, b_pick(e, mask, one, b_whole(one, 0)));
    return words[0];
}

/* ---- integers -------------------------------------------------------------------------------- */

/* All 128 bits of a product: out[0] the high half. */
static void wide_product(hdi_emit *e, value x, value y, value out[2])
{
    value xl = low_half(e, x), xh = b_lshr(e, x, 32), yl = low_half(e, y), yh = b_lshr(e, y, 32);
    value ll = b_mul(e, xl, yl), lh = b_mul(e, xl, yh), hl = b_mul(e, xh, yl);
    value mid = b_add(e, b_lshr(e, ll, 32), b_add(e, low_half(e, lh), low_half(e, hl)));
    value high = b_add(e, b_mul(e, xh, yh), b_lshr(e, mid, 32));
    out[0] = b_add(e, high, b_add(e, b_lshr(e, lh, 32), b_lshr(e, hl, 32)));
    out[1] = b_or(e, b_shl(e, mid, 32), low_half(e, ll));
}

/* in: words and bounds. Where the low half of the product is one that comes once too often, it is
 * drawn again. */
static value draw_again(hdi_emit *e, value const *in)
{
    hdi_loop l;
    hdi_stream s = hdi_stream_of(e, in[0]);
    value bound = in[1], zero = b_whole(bound, 0), p[2];
    value some = b_pick(e, b_eq(e, bound, zero), b_whole(bound, 1), bound);
    value excess = hdi_unsigned_rest(e, b_neg(e, some), some);
    wide_product(e, in[0], bound, p);
    value state[] = {p[0], s.at, s.spare};
    hdi_loop_open(e, &l, b_below(e, p[1], excess), 3, state);
    s.at = state[1];
    s.spare = state[2];
    wide_product(e, hdi_stream_word(e, &s, l.active), bound, p);
    state[0] = p[0];
    state[1] = s.at;
    state[2] = s.spare;
    hdi_loop_close(e, &l, b_below(e, p[1], excess), state);
    return state[0];
}

/* low to last, both included; if last < low through the end of the type. */
value hdi_word_bounded(hdi_emit *e, value word, value low, value last)
{
    hdi_branch b;
    LLVMTypeRef type = LLVMTypeOf(low);
    value range = b_resize(e, b_sub(e, last, low), LLVMTypeOf(word), false);
    value bound = b_add(e, range, b_whole(range, 1)), p[2], state[1];
    wide_product(e, word, bound, p);
    hdi_branch_open(e, &b, b_below(e, p[1], bound));   /* never of bound 0 */
    value in[] = {word, bound};
    state[0] = hdi_function_by_parts(e, "draw_again", draw_again, b_element(LLVMTypeOf(word)), 1,
                                     e->vector_bytes / 8, 2, in);
    hdi_branch_close(e, &b, 1, p, state);
    value at = b_pick(e, b_eq(e, bound, b_whole(bound, 0)), word, state[0]);
    return b_add(e, low, b_resize(e, at, type, false));
}
