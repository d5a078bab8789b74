/* SPDX-License-Identifier: BSD-3-Clause */
/* lir_read.h - tokens of lowered IR's text form, for lir_read.c and lir_read_body.c.
 * Owns       hdi_lir_reader
 * Invariant  once `failed`, at stands still and every function returns at once: callers need to
 *            look at `failed` only where they repeat something
 * Threads    one
 * Memory     the text is borrowed
 * Start at   hdi_lir_skip(), hdi_lir_word() */
#ifndef HDI_LIR_READ_H
#define HDI_LIR_READ_H

#include "lir/lir.h"

enum { HDI_LIR_WORD = 128 };       /* bytes of the longest word, with its end */

typedef struct hdi_lir_reader {
    const char *text, *at;
    hdi_lir *l;
    int depth;
    bool failed;
} hdi_lir_reader;

/* hdi_lir_expected - the error that names the place, what was expected there and what is there. */
void hdi_lir_expected(hdi_lir_reader *r, const char *what);

/* hdi_lir_skip - to the next token; that character, 0 at the end and after an error. */
char hdi_lir_skip(hdi_lir_reader *r);
/* hdi_lir_accept - whether the next token is this word, or this character: then goes past it. */
bool hdi_lir_accept(hdi_lir_reader *r, const char *word);
bool hdi_lir_accept_char(hdi_lir_reader *r, char c);
void hdi_lir_expect_char(hdi_lir_reader *r, char c);
/* hdi_lir_word - the next word, "" after an error. hdi_lir_choice - its number among n words. */
void hdi_lir_word(hdi_lir_reader *r, char word[HDI_LIR_WORD], const char *what);
int hdi_lir_choice(hdi_lir_reader *r, const char *const *words, int n, const char *what);
hdi_lir_type hdi_lir_read_type(hdi_lir_reader *r);
/* hdi_lir_integer - a decimal number between low and high. */
int64_t hdi_lir_integer(hdi_lir_reader *r, int64_t low, int64_t high, const char *what);
/* hdi_lir_read_name - a word or a text in quotes; its offset in names[]. */
int32_t hdi_lir_read_name(hdi_lir_reader *r);

/* hdi_lir_read_body - `{ STATEMENT ... }`; its first statement, -1: none (lir_read_body.c). */
int32_t hdi_lir_read_body(hdi_lir_reader *r);
/* hdi_lir_read_expression - the node (lir_read_value.c). hdi_lir_read_variable - behind its `$`.
 * hdi_lir_read_line - what `@` says, or -1. */
int32_t hdi_lir_read_expression(hdi_lir_reader *r, int32_t around);
int32_t hdi_lir_read_variable(hdi_lir_reader *r);
int32_t hdi_lir_read_line(hdi_lir_reader *r);
/* hdi_lir_read_align - `[align N]` of LOAD and STORE: their `kind` (lir_read_value.c). */
uint8_t hdi_lir_read_align(hdi_lir_reader *r);
/* hdi_lir_deeper - one level more; false, and an error: too deep. */
bool hdi_lir_deeper(hdi_lir_reader *r);

#endif
