/* SPDX-License-Identifier: BSD-3-Clause */
/* kc_token.h - a source as tokens: words, lexer, preprocessor, and the memory and errors of all who
 * read it.
 * Owns       kc_reader: memory in blocks, freed at once; the table of words
 * Invariant  after the first error `failed` is set, and whoever reads finds the end of the source:
 *            so loops that look for the end need no check of their own
 * Threads    one thread at a time
 * Memory     hdi_kc_new() gives NULL, and the reader has failed, where there is none
 * Start at   hdi_kc_preprocess() */
#ifndef HDI_KC_TOKEN_H
#define HDI_KC_TOKEN_H

#include "base/base.h"
#include "kernel/kernel.h"

/* What a token is: a character that stands for itself, or one of these. `>>` comes as two tokens,
 * because it may close two lists of template arguments. */
enum {
    KC_END = 1, KC_NAME, KC_NUMBER, KC_TEXT, KC_LETTER, KC_OTHER,
    KC_ARROW = 256, KC_INC, KC_DEC, KC_SHL, KC_LE, KC_GE, KC_EQ, KC_NE, KC_AND, KC_OR,
    KC_MUL_SET, KC_DIV_SET, KC_REM_SET, KC_ADD_SET, KC_SUB_SET, KC_SHL_SET, KC_AND_SET, KC_XOR_SET,
    KC_OR_SET, KC_SCOPE, KC_DOTS, KC_PASTE,
    KC_UNROLL, KC_UNROLL_END,   /* around what stands behind #pragma unroll */
    KC_W_FIRST = 512,
#define KC_WORD(NAME, text) KC_W_##NAME,
#define KC_SAME(NAME, text)
#include "kernel/kc_words.def"
#undef KC_WORD
#undef KC_SAME
    KC_W_LAST
};

enum { KC_SPACE = 1,    /* space before it */
       KC_FRESH = 2,    /* first of its line */
       KC_PLAIN = 4,    /* a macro's name that must not be expanded again */
       KC_OURS = 8 };   /* of the prelude, not of the user's source */

enum { KC_MAX_TOKENS = 1000000, KC_MAX_DEPTH = 256 };

typedef struct kc_word {
    const char *text;
    int32_t length;
    uint16_t what;                 /* KC_NAME or a KC_W_ */
    int16_t builtin;               /* row of kc_builtins.def, -1: none */
    struct kc_macro *macro;
    struct kc_symbol *symbols;     /* the innermost first */
    struct kc_word *next;
} kc_word;

typedef struct kc_token {
    const char *text;
    kc_word *word;                 /* of a name, else NULL */
    int32_t length, line;
    uint16_t what, column;
    uint8_t flags;
} kc_token;

typedef struct kc_tokens { kc_token *t; int32_t n, room; } kc_tokens;

enum { KC_BUCKETS = 1024 };
typedef struct kc_reader {
    const hdi_kernel_source *source;
    struct kc_block *blocks;
    kc_word *bucket[KC_BUCKETS];
    kc_tokens tokens;              /* after the preprocessor; the last is KC_END */
    int32_t at;                    /* the next one */
    int32_t called_at;             /* the user's token that led into the prelude */
    int32_t depth;                 /* of nested constructs that are being read */
    int32_t expanded;              /* tokens that macros have made */
    int64_t steps;                 /* tokens that were read */
    bool failed;
    const bool *no_memory;         /* there was none for the IR: other errors follow */
} kc_reader;

/* hdi_kc_new - zeroed, until hdi_kc_release(). */
void *hdi_kc_new(kc_reader *r, size_t bytes);
void hdi_kc_release(kc_reader *r);
char *hdi_kc_copy(kc_reader *r, const char *text, int32_t length);
/* hdi_kc_own_words - gives words their meaning; once, at the beginning. */
void hdi_kc_own_words(kc_reader *r);
kc_word *hdi_kc_word(kc_reader *r, const char *text, int32_t length);

void hdi_kc_tokens_add(kc_reader *r, kc_tokens *list, const kc_token *t);
void hdi_kc_tokens_free(kc_tokens *list);

/* hdi_kc_fail - the error of the reader, at a token (NULL: at none); only the first one counts. */
void hdi_kc_fail(kc_reader *r, hd_status code, const kc_token *t, const char *format, ...)
    __attribute__((format(printf, 4, 5), cold));

/* hdi_kc_lex - appends the tokens of a text. hdi_kc_preprocess - fills `tokens`: with the prelude,
 * the user's source, and the expression of its name (behind the first KC_END). */
void hdi_kc_lex(kc_reader *r, const char *text, int flags, kc_tokens *out);
void hdi_kc_preprocess(kc_reader *r);

/* ---- macros ---------------------------------------------------------------------------------- */

typedef struct kc_macro {
    kc_token *body;
    kc_word **parameter;
    int32_t length, nparameters;   /* -1: without parentheses */
    bool variadic, busy;
    uint8_t special;               /* 'L': __LINE__, 'F': __FILE__ */
} kc_macro;

/* hdi_kc_expand - appends [t, end) with its macros replaced. */
void hdi_kc_expand(kc_reader *r, const kc_token *t, const kc_token *end, kc_tokens *out);
/* hdi_kc_expand_next - the same of the next token, which may take more; where reading goes on. */
const kc_token *hdi_kc_expand_next(kc_reader *r, const kc_token *t, const kc_token *end,
                                   kc_tokens *out);
/* hdi_kc_define - of a line's tokens behind `#define`. */
void hdi_kc_define(kc_reader *r, const kc_token *t, const kc_token *end);
/* hdi_kc_directive - the line that begins at the # t; where reading goes on, behind what an #if
 * leaves out. Appends what #pragma unroll becomes. */
typedef struct kc_condition { int depth; bool taken[64], active[64]; } kc_condition;
const kc_token *hdi_kc_directive(kc_reader *r, kc_condition *k, const kc_token *t,
                                 const kc_token *end, kc_tokens *out);
const kc_token *hdi_kc_line_end(const kc_token *t, const kc_token *end);
/* hdi_kc_if_value - of an #if's expression, expanded. */
int64_t hdi_kc_if_value(kc_reader *r, const kc_token *t, const kc_token *end);
/* hdi_kc_integer - of a token that is a number or letter; false: it is no whole number. */
bool hdi_kc_integer(const kc_token *t, uint64_t *value);
/* hdi_kc_letters - the bytes that a quoted token stands for; how many. */
int32_t hdi_kc_letters(const kc_token *t, char *out);

#endif
