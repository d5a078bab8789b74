/* SPDX-License-Identifier: BSD-3-Clause */
/* lir_read.c - lowered IR from text: tokens, variables and data. */
#include "lir/lir_read.h"

#include <errno.h>
#include <stdlib.h>

#include "base/strbuf.h"
#include "base/alloc.h"
#include "lir/lir_words.h"
#include "lir/passes.h"

/* ---- errors ---------------------------------------------------------------------------------- */

static void where(const hdi_lir_reader *r, int *line, int *column)
{
    *line = *column = 1;
    for (const char *p = r->text; p < r->at; p++) {
        *column = *p == '\n' ? 1 : *column + 1;
        *line += *p == '\n';
    }
}

void hdi_lir_expected(hdi_lir_reader *r, const char *what)
{
    const bool known = r->failed || r->l->failed;   /* without memory, variables are missing too */
    r->failed = true;
    if (known)
        return;
    int line, column, n = 0;
    where(r, &line, &column);
    while (n < 20 && r->at[n] > ' ' && r->at[n] <= '~')
        n++;
    hdi_fail(HD_VALUE, "line %d, column %d: expected %s, not \"%.*s\"", line, column, what, n,
             r->at);
}

/* ---- tokens ---------------------------------------------------------------------------------- */

/* By loops, not strspn() and strtoll(): sanitizers make each call of these read to the end of the
 * text. */
char hdi_lir_skip(hdi_lir_reader *r)
{
    if (r->failed)
        return '\0';
    for (;;) {
        while (*r->at == ' ' || *r->at == '\n' || *r->at == '\t' || *r->at == '\r')
            r->at++;
        if (*r->at != '#')
            return *r->at;
        while (*r->at != '\0' && *r->at != '\n')
            r->at++;
    }
}

bool hdi_lir_accept(hdi_lir_reader *r, const char *word)
{
    const size_t n = strlen(word);
    if (hdi_lir_skip(r) == '\0' || strncmp(r->at, word, n) != 0 || hdi_lir_goes_on(r->at[n]))
        return false;
    r->at += n;
    return true;
}

bool hdi_lir_accept_char(hdi_lir_reader *r, char c)
{
    if (hdi_lir_skip(r) != c || c == '\0')
        return false;
    r->at++;
    return true;
}

void hdi_lir_expect_char(hdi_lir_reader *r, char c)
{
    const char what[] = {'\'', c, '\'', '\0'};
    if (!hdi_lir_accept_char(r, c))
        hdi_lir_expected(r, what);
}

void hdi_lir_word(hdi_lir_reader *r, char word[HDI_LIR_WORD], const char *what)
{
    size_t n = 0;
    if (hdi_lir_starts_word(hdi_lir_skip(r)))
        while (hdi_lir_goes_on(r->at[n]))
            n++;
    if (n == 0 || n >= HDI_LIR_WORD) {
        hdi_lir_expected(r, what);
        n = 0;
    }
    memcpy(word, r->at, n);
    word[n] = '\0';
    r->at += n;
}

int hdi_lir_choice(hdi_lir_reader *r, const char *const *words, int n, const char *what)
{
    hdi_lir_skip(r);
    const char *begin = r->at;
    char word[HDI_LIR_WORD];
    hdi_lir_word(r, word, what);
    for (int i = 0; i < n; i++)
        if (strcmp(words[i], word) == 0)
            return i;
    r->at = begin;
    hdi_lir_expected(r, what);
    return 0;
}

hdi_lir_type hdi_lir_read_type(hdi_lir_reader *r)
{
    static const char *const words[] = {
#define LIR_TYPE(NAME, text, kind, bytes) text,
#include "lir/types.def"
#undef LIR_TYPE
    };
    return (hdi_lir_type)hdi_lir_choice(r, words, HDI_LIR_TYPES, "a type");
}

int64_t hdi_lir_integer(hdi_lir_reader *r, int64_t low, int64_t high, const char *what)
{
    char digits[HDI_LIR_WORD], *end = digits;
    size_t n = hdi_lir_skip(r) == '-';
    while (r->at[n] >= '0' && r->at[n] <= '9')
        n++;
    errno = 0;
    int64_t x = low;
    if (n < sizeof digits) {
        memcpy(digits, r->at, n);
        digits[n] = '\0';
        x = strtoll(digits, &end, 10);
    }
    if (end == digits || x < low || x > high || errno != 0) {
        hdi_lir_expected(r, what);
        return low;
    }
    r->at += n;
    return x;
}

/* ---- names ----------------------------------------------------------------------------------- */

static int hex(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* One character of a text in quotes; 0, and an error: there is none. */
static char unquoted(hdi_lir_reader *r)
{
    const char c = *r->at;
    if (c == '\\' && r->at[1] == 'x' && hex(r->at[2]) >= 0 && hex(r->at[3]) >= 0) {
        const int code = 16 * hex(r->at[2]) + hex(r->at[3]);
        r->at += code != 0 ? 4 : 0;
        return (char)code;
    }
    if (c == '\\') {
        const char next = r->at[1];
        r->at += next == 'n' || next == '"' || next == '\\' ? 2 : 0;
        return next == 'n' ? '\n' : next == '"' || next == '\\' ? next : '\0';
    }
    r->at += c != '\0';
    return c;
}

static int32_t quoted(hdi_lir_reader *r)
{
    hdi_strbuf s = {0};
    while (!r->failed && *r->at != '"') {
        const char c = unquoted(r);
        if (c == '\0')
            hdi_lir_expected(r, "a character of a text");
        hdi_strbuf_add(&s, "%c", c);
    }
    r->at += !r->failed;
    char *text = hdi_strbuf_take(&s);
    if (text == NULL) {
        r->l->failed = true;
        return 0;
    }
    const int32_t at = hdi_lir_name(r->l, text);
    hdi_free(text, strlen(text) + 1);
    return at;
}

int32_t hdi_lir_read_name(hdi_lir_reader *r)
{
    char word[HDI_LIR_WORD];
    if (hdi_lir_accept_char(r, '"'))
        return quoted(r);
    hdi_lir_word(r, word, "a name");
    return hdi_lir_name(r->l, word);
}

/* ---- variables and data ---------------------------------------------------------------------- */

static bool option(hdi_lir_reader *r, hdi_lir_var *var)
{
    if (hdi_lir_accept(r, "memory"))
        var->in_memory = true;
    else if (hdi_lir_accept(r, "dynamic"))
        var->dynamic = true;
    else if (hdi_lir_accept(r, "count"))
        var->count = hdi_lir_integer(r, 0, INT64_MAX, "a number of elements");
    else if (hdi_lir_accept(r, "align"))
        var->align = (int32_t)hdi_lir_integer(r, 1, INT32_MAX, "an alignment");
    else if (hdi_lir_accept(r, "at"))
        var->at = hdi_lir_integer(r, 0, INT64_MAX, "an offset");
    else if (hdi_lir_accept(r, "param"))
        var->param = (int32_t)hdi_lir_integer(r, 0, INT32_MAX, "the number of a parameter");
    else if (hdi_lir_accept(r, "role"))
        var->role = (uint8_t)hdi_lir_choice(r, hdi_lir_role_words, HDI_LIR_ROLES, "a role");
    else if (hdi_lir_accept(r, "of"))
        var->of = (int32_t)hdi_lir_integer(r, 0, INT32_MAX, "the number of a parameter");
    else if (hdi_lir_accept(r, "reads"))
        var->reads = true;
    else if (hdi_lir_accept(r, "writes"))
        var->writes = true;
    else if (hdi_lir_accept(r, "restricted"))
        var->restricted = true;
    else if (hdi_lir_accept(r, "leads"))
        var->leads = (int32_t)hdi_lir_integer(r, 0, INT32_MAX, "an alignment");
    else
        return false;
    return true;
}

static void declaration(hdi_lir_reader *r)
{
    hdi_lir_var var = {.name = hdi_lir_read_name(r), .count = 1, .param = -1};
    var.type = (uint8_t)hdi_lir_read_type(r);
    var.space = (uint8_t)hdi_lir_choice(r, hdi_lir_space_words, HDI_LIR_SPACES, "a space");
    var.align = hdi_lir_types[var.type].bytes;
    while (option(r, &var))
        continue;
    const int32_t i = hdi_lir_variable(r->l, "", (hdi_lir_type)var.type, HDI_LIR_PRIVATE);
    if (!r->l->failed)
        r->l->var[i] = var;
}

static void bytes(hdi_lir_reader *r)
{
    int64_t at = hdi_lir_integer(r, 0, r->l->data_bytes - 1, "an offset in the data");
    hdi_lir_skip(r);
    if (!r->failed && hex(*r->at) < 0)
        hdi_lir_expected(r, "hexadecimal digits");
    for (; !r->failed && hex(*r->at) >= 0; r->at += 2, at++) {
        if (hex(r->at[1]) < 0 || at >= r->l->data_bytes) {
            hdi_lir_expected(r, "two hexadecimal digits for a byte of the data");
            return;
        }
        r->l->data[at] = (uint8_t)(16 * hex(r->at[0]) + hex(r->at[1]));
    }
}

static void head(hdi_lir_reader *r)
{
    hdi_lir *l = r->l;
    if (!hdi_lir_accept(r, "kernel"))
        hdi_lir_expected(r, "'kernel'");
    l->name = hdi_lir_read_name(r);
    if (!hdi_lir_accept(r, "params"))
        hdi_lir_expected(r, "'params'");
    l->nparams = (int32_t)hdi_lir_integer(r, 0, INT32_MAX, "a number of parameters");
    if (hdi_lir_accept(r, "max_threads"))
        l->max_threads = (int32_t)hdi_lir_integer(r, 0, INT32_MAX, "a number of threads");
    l->syncs = hdi_lir_accept(r, "syncs");
    l->lockstep = hdi_lir_accept(r, "lockstep");
    if (hdi_lir_accept(r, "shared"))
        l->shared_bytes = hdi_lir_integer(r, 0, INT64_MAX, "a number of bytes");
    if (hdi_lir_accept(r, "spread"))
        l->spread_bytes = hdi_lir_integer(r, 0, INT64_MAX, "a number of bytes");
    if (hdi_lir_accept(r, "data"))
        hdi_lir_data(l, hdi_lir_integer(r, 0, INT32_MAX, "a number of bytes"));
    while (!l->failed && hdi_lir_accept(r, "bytes"))
        bytes(r);
}

static void whole(hdi_lir_reader *r)
{
    head(r);
    while (hdi_lir_accept(r, "var"))
        declaration(r);
    if (!hdi_lir_accept(r, "body"))
        hdi_lir_expected(r, "'body'");
    r->l->body = hdi_lir_read_body(r);
    if (hdi_lir_skip(r) != '\0')
        hdi_lir_expected(r, "the end of the text");
}

hdi_lir *hdi_lir_read(const char *text)
{
    hdi_lir_reader r = {.text = text, .at = text, .l = hdi_lir_new("")};
    if (r.l == NULL)
        return NULL;
    whole(&r);
    if (r.l->failed)
        hdi_fail(HD_NOMEM, "out of memory for a kernel of %zu characters", strlen(text));
    if (!r.failed && !r.l->failed)
        return r.l;
    hdi_lir_free(r.l);
    return NULL;
}
