/* SPDX-License-Identifier: BSD-3-Clause */
/* kc_token.c - memory, words and errors of the reader. */
#include "kernel/kc_token.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/hash.h"

/* ---- memory ---------------------------------------------------------------------------------- */

typedef struct kc_block {
    struct kc_block *next;
    size_t size, used;             /* with this header */
} kc_block;

static kc_block *block_new(kc_reader *r, size_t bytes)
{
    const size_t size = bytes + sizeof(kc_block) > 32768 ? bytes + sizeof(kc_block) : 32768;
    kc_block *b = r->failed ? NULL : hdi_calloc(size);
    if (b == NULL) {
        hdi_kc_fail(r, HD_NOMEM, NULL, "out of memory for a kernel's source");
        return NULL;
    }
    *b = (kc_block){r->blocks, size, sizeof *b};
    r->blocks = b;
    return b;
}

void *hdi_kc_new(kc_reader *r, size_t bytes)
{
    bytes = (bytes + 15) & ~(size_t)15;
    kc_block *b = r->blocks;
    if (b == NULL || b->size - b->used < bytes)
        b = block_new(r, bytes);
    if (b == NULL)
        return NULL;
    void *p = (char *)b + b->used;
    b->used += bytes;
    return p;
}

void hdi_kc_release(kc_reader *r)
{
    while (r->blocks != NULL) {
        kc_block *b = r->blocks;
        r->blocks = b->next;
        hdi_free(b, b->size);
    }
    hdi_kc_tokens_free(&r->tokens);
}

char *hdi_kc_copy(kc_reader *r, const char *text, int32_t length)
{
    char *copy = hdi_kc_new(r, (size_t)length + 1);
    if (copy != NULL)
        memcpy(copy, text, (size_t)length);
    return copy;
}

void hdi_kc_tokens_add(kc_reader *r, kc_tokens *list, const kc_token *t)
{
    if (list->n == list->room && !r->failed) {
        const int32_t room = list->room == 0 ? 64 : 2 * list->room;
        kc_token *grown = list->n >= KC_MAX_TOKENS
                              ? NULL
                              : hdi_realloc(list->t, (size_t)list->room * sizeof *grown,
                                            (size_t)room * sizeof *grown);
        if (list->n >= KC_MAX_TOKENS)
            hdi_kc_fail(r, HD_VALUE, t, "the source has more than %d tokens", (int)KC_MAX_TOKENS);
        else if (grown == NULL)
            hdi_kc_fail(r, HD_NOMEM, NULL, "out of memory for a kernel's source");
        if (grown != NULL) {
            list->t = grown;
            list->room = room;
        }
    }
    if (!r->failed)
        list->t[list->n++] = *t;
}

void hdi_kc_tokens_free(kc_tokens *list)
{
    hdi_free(list->t, (size_t)list->room * sizeof *list->t);
    *list = (kc_tokens){NULL, 0, 0};
}

/* ---- words ----------------------------------------------------------------------------------- */

static const struct { const char *text; uint16_t what; } own_words[] = {
#define KC_WORD(NAME, text) {text, KC_W_##NAME},
#define KC_SAME(NAME, text) {text, KC_W_##NAME},
#include "kernel/kc_words.def"
#undef KC_WORD
#undef KC_SAME
};

static kc_word *word_new(kc_reader *r, kc_word **bucket, const char *text, int32_t length)
{
    kc_word *w = hdi_kc_new(r, sizeof *w);
    char *copy = w == NULL ? NULL : hdi_kc_copy(r, text, length);
    if (copy == NULL)
        return NULL;
    *w = (kc_word){.text = copy, .length = length, .what = KC_NAME, .builtin = -1, .next = *bucket};
    *bucket = w;
    return w;
}

void hdi_kc_own_words(kc_reader *r)
{
    for (size_t i = 0; i < sizeof own_words / sizeof *own_words; i++) {
        kc_word *w = hdi_kc_word(r, own_words[i].text, (int32_t)strlen(own_words[i].text));
        if (w != NULL)
            w->what = own_words[i].what;
    }
}

kc_word *hdi_kc_word(kc_reader *r, const char *text, int32_t length)
{
    const uint64_t hash = hdi_hash_bytes(1, text, (size_t)length);
    kc_word **bucket = &r->bucket[(hash ^ hash >> 32) % KC_BUCKETS];
    for (kc_word *w = *bucket; w != NULL; w = w->next)
        if (w->length == length && memcmp(w->text, text, (size_t)length) == 0)
            return w;
    return word_new(r, bucket, text, length);
}

/* ---- errors ---------------------------------------------------------------------------------- */

/* One pass without strchr(): sanitizers make each call of it read to the end of the text. */
static const char *line_of(const char *text, int line)
{
    for (; line > 1 && *text != '\0'; text++)
        line -= *text == '\n';
    return line > 1 ? NULL : text;
}

/* The user's place: of what the prelude does, the call of it. */
static const kc_token *place_of(const kc_reader *r, const kc_token *t)
{
    if (t != NULL && (t->flags & KC_OURS) != 0 && r->called_at < r->tokens.n)
        t = &r->tokens.t[r->called_at];
    return t == NULL || (t->flags & KC_OURS) != 0 ? NULL : t;
}

static void record(kc_reader *r, hd_status code, const kc_token *t, const char *what)
{
    const char *name = r->source->name != NULL ? r->source->name : "kernel";
    const int length = (int)strcspn(name, "<");
    t = place_of(r, t);
    if (t == NULL) {
        hdi_fail(code, "%.*s: %s", length, name, what);
        return;
    }
    const char *line = line_of(r->source->text, t->line);
    if (line != NULL)
        line += strspn(line, " \t");
    const int bytes = line == NULL ? 0 : (int)strcspn(line, "\r\n");
    if (bytes > 0 && (size_t)bytes + strlen(what) + (size_t)length < 420)
        hdi_fail(code, "%.*s:%d:%d: %s\n    %.*s", length, name, (int)t->line, (int)t->column, what,
                 bytes, line);
    else
        hdi_fail(code, "%.*s:%d:%d: %s", length, name, (int)t->line, (int)t->column, what);
}

void hdi_kc_fail(kc_reader *r, hd_status code, const kc_token *t, const char *format, ...)
{
    if (r->failed)
        return;
    char what[400];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (r->no_memory != NULL && *r->no_memory)
        record(r, HD_NOMEM, NULL, "out of memory for a kernel");
    else
        record(r, code, t, what);
    r->failed = true;
    if (r->tokens.n > 0)
        r->at = r->tokens.n - 1;
}
