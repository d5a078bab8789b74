/* SPDX-License-Identifier: BSD-3-Clause */
/* llvm_words.h - the words of ew.def's vocabulary that take more than an instruction or two, one
 * file to a family: llvm_words_int.c, _float.c, _complex.c, _random.c, _samplers.c.
 * Invariant  each equals its meaning in src/backend/cpu/loops (loops_vocab_*.h, loops_whole.h,
 *            loops_random*.h, loops_samplers.h) bit for bit, on any target and for any number of
 *            lanes; a nan is a nan. Lanes that a loop is done with compute on, without effect
 * Threads    as hdi_emit
 * Start at   llvm_words.c, whose rows these are */
#ifndef HDI_LLVM_WORDS_H
#define HDI_LLVM_WORDS_H

#include "codegen/llvm_build.h"

/* hdi_library_call - a vector function of the C library, which takes whole registers: vectors are
 * cut or filled up to them. NULL where there is none to call. */
value hdi_library_call(hdi_emit *e, const char *f, int narg, value x, value y);
/* hdi_word_function - f of the C library, or our own where e->own says so. */
value hdi_word_function(hdi_emit *e, const char *f, int narg, value x, value y);
/* hdi_word_call1 - what CALL1(f, x) means. */
value hdi_word_call1(hdi_emit *e, const char *f, value x);

/* integers, of type e->dt */
value hdi_word_int_reciprocal(hdi_emit *e, value x);
value hdi_word_int_floordiv(hdi_emit *e, value x, value y);
value hdi_word_int_mod(hdi_emit *e, value x, value y);
value hdi_word_int_fmod(hdi_emit *e, value x, value y);
value hdi_word_int_power(hdi_emit *e, value x, value y);
value hdi_word_gcd(hdi_emit *e, value x, value y);
value hdi_word_lcm(hdi_emit *e, value x, value y);
value hdi_word_popcount(hdi_emit *e, value x);
/* hdi_unsigned_rest - x % y as unsigned numbers of any width; y is not 0. */
value hdi_unsigned_rest(hdi_emit *e, value x, value y);

/* reals */
value hdi_word_divide(hdi_emit *e, value x, value y);
value hdi_word_floordiv(hdi_emit *e, value x, value y);
value hdi_word_mod(hdi_emit *e, value x, value y);
value hdi_word_fmod(hdi_emit *e, value x, value y);
value hdi_word_ldexp(hdi_emit *e, value x, value by);   /* by: int64 */
value hdi_word_mantissa(hdi_emit *e, value x);
value hdi_word_exponent(hdi_emit *e, value x);          /* int32 */
value hdi_word_fraction(hdi_emit *e, value x);
value hdi_word_spacing(hdi_emit *e, value x);
value hdi_word_nextafter(hdi_emit *e, value x, value y);
/* hdi_word_whole - as an integer of type `to`, by way of int64. */
value hdi_word_whole(hdi_emit *e, value x, hd_dtype to);

/* halves, as words of 16 bits; dt: which */
value hdi_word_half_spacing(hdi_emit *e, value x, hd_dtype dt);
value hdi_word_half_nextafter(hdi_emit *e, value x, value y, hd_dtype dt);

/* hdi_complex_row - re is NULL if the row has no word. */
hdi_value hdi_complex_row(hdi_emit *e, hd_op op, hdi_value const *in);
hdi_value hdi_complex_red(hdi_emit *e, hd_op op, hdi_value const *in);

/* hdi_word_per_block - how many numbers a row draws from one block of random words; 1 if it draws
 * none. With a multiple of that many lanes no block is made twice. */
int hdi_word_per_block(hd_op op, hd_dtype cdt);
/* in[0]: int64 positions, in[1]: 128-bit state */
value hdi_word_uniform(hdi_emit *e, hdi_value const *in);
value hdi_word_normal(hdi_emit *e, hdi_value const *in);
value hdi_word_raw64(hdi_emit *e, hdi_value const *in);

/* The stream of random words that belongs to one element (random_stream.h). */
typedef struct hdi_stream {
    value key;      /* the element's own word */
    value at;       /* words taken */
    value spare;    /* the next word, where `at` is odd */
} hdi_stream;
hdi_stream hdi_stream_of(hdi_emit *e, value word);
/* hdi_stream_word - lanes of the mask take one; the others get what is of no use. */
value hdi_stream_word(hdi_emit *e, hdi_stream *s, value mask);

/* word: int64; the result has the type of the parameters */
value hdi_word_bounded(hdi_emit *e, value word, value low, value last);
value hdi_word_gamma(hdi_emit *e, value word, value shape, value scale);
value hdi_word_beta(hdi_emit *e, value word, value a, value b);
value hdi_word_poisson(hdi_emit *e, value word, value mean);
value hdi_word_binomial(hdi_emit *e, value word, value n, value p);

#endif
