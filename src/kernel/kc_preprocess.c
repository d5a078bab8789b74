/* SPDX-License-Identifier: BSD-3-Clause */
/* kc_preprocess.c - options, the prelude and the source, to one list of tokens. */
#include "kernel/kc_prelude.h"
#include "kernel/kc_token.h"

#include "base/alloc.h"

static void lines(kc_reader *r, const kc_tokens *raw, kc_tokens *out)
{
    kc_condition k = {.depth = 0};
    const kc_token *t = raw->t, *end = raw->t + raw->n;
    while (t < end && !r->failed) {
        if ((t->flags & KC_FRESH) != 0 && t->what == '#')
            t = hdi_kc_directive(r, &k, t, end, out);
        else
            t = hdi_kc_expand_next(r, t, end, out);
    }
    if (k.depth > 0)
        hdi_kc_fail(r, HD_VALUE, raw->t + raw->n - 1, "#if without #endif");
}

static void text(kc_reader *r, const char *source, int flags, kc_tokens *out)
{
    kc_tokens raw = {NULL, 0, 0};
    hdi_kc_lex(r, source, flags, &raw);
    if (!r->failed)
        lines(r, &raw, out);
    hdi_kc_tokens_free(&raw);
}

static void end_add(kc_reader *r, kc_tokens *out)
{
    kc_token end = {.text = "", .what = KC_END, .line = 1, .column = 1};
    if (out->n > 0) {
        end = out->t[out->n - 1];
        end.column = (uint16_t)(end.column + end.length);
        end.text = "";
        end.length = 0;
        end.what = KC_END;
        end.word = NULL;
    }
    hdi_kc_tokens_add(r, out, &end);
}

/* ---- options --------------------------------------------------------------------------------- */

/* NAME, NAME=VALUE or NAME(x)=VALUE, as behind -D. */
static void define(kc_reader *r, const char *option)
{
    const char *equal = strchr(option, '=');
    const int32_t length = (int32_t)(equal != NULL ? (size_t)(equal - option) : strlen(option));
    const char *value = equal != NULL ? equal + 1 : "1";
    char *line = hdi_kc_new(r, (size_t)length + strlen(value) + 2);
    if (line == NULL)
        return;
    memcpy(line, option, (size_t)length);
    line[length] = ' ';
    memcpy(line + length + 1, value, strlen(value));
    kc_tokens raw = {NULL, 0, 0};
    hdi_kc_lex(r, line, KC_OURS, &raw);
    if (!r->failed && raw.n > 0)
        hdi_kc_define(r, raw.t, raw.t + raw.n);
    hdi_kc_tokens_free(&raw);
}

/* The rest of an option that begins so, else NULL. */
static const char *behind(const char *option, const char *start)
{
    const size_t n = strlen(start);
    return strncmp(option, start, n) == 0 ? option + n : NULL;
}

static void options(kc_reader *r)
{
    const hdi_kernel_source *s = r->source;
    for (int i = 0; i < s->noptions && !r->failed; i++) {
        const char *o = s->options[i];
        const char *rest = behind(o, "--define-macro=");
        if (rest == NULL)
            rest = behind(o, "-D");
        if (rest == NULL && strcmp(o, "--define-macro") == 0)
            rest = "";
        if (rest != NULL && *rest == '\0')
            rest = i + 1 < s->noptions ? s->options[++i] : NULL;
        const char *gone = rest != NULL ? NULL : behind(o, "-U");
        if (rest != NULL)
            define(r, rest + strspn(rest, " "));
        else if (gone != NULL && *gone != '\0') {
            kc_word *w = hdi_kc_word(r, gone, (int32_t)strlen(gone));
            if (w != NULL)
                w->macro = NULL;
        }
    }
}

static void own_macros(kc_reader *r)
{
    static const char *const names[] = {"__LINE__", "__FILE__"};
    for (int i = 0; i < 2; i++) {
        kc_word *w = hdi_kc_word(r, names[i], 8);
        kc_macro *m = w == NULL ? NULL : hdi_kc_new(r, sizeof *m);
        if (m == NULL)
            return;
        *m = (kc_macro){.nparameters = -1, .special = i == 0 ? 'L' : 'F'};
        w->macro = m;
    }
}

static void check_quotes(kc_reader *r)
{
    for (int32_t i = 0; i < r->tokens.n && !r->failed; i++) {
        const kc_token *t = &r->tokens.t[i];
        if (t->what == KC_OTHER && (*t->text == '"' || *t->text == '\''))
            hdi_kc_fail(r, HD_VALUE, t, "the %s has no end on its line",
                        *t->text == '"' ? "text" : "character");
    }
}

static bool mentions(const hdi_kernel_source *s, const char *word)
{
    bool found = strstr(s->text, word) != NULL;
    for (int i = 0; i < s->noptions && !found; i++)
        found = strstr(s->options[i], word) != NULL;
    return found;
}

/* What few kernels use is read where the source may want it. */
static void rare(kc_reader *r)
{
    for (const kc_rare *p = hdi_kc_rare; p->text != NULL && !r->failed; p++) {
        bool wanted = false;
        for (int i = 0; i < KC_RARE_WORDS && p->word[i] != NULL; i++)
            wanted = wanted || mentions(r->source, p->word[i]);
        if (wanted)
            text(r, p->text, KC_OURS, &r->tokens);
    }
}

void hdi_kc_preprocess(kc_reader *r)
{
    own_macros(r);
    for (int i = 0; hdi_kc_prelude[i] != NULL && !r->failed; i++)
        text(r, hdi_kc_prelude[i], KC_OURS, &r->tokens);
    rare(r);
    options(r);
    text(r, r->source->text, 0, &r->tokens);
    end_add(r, &r->tokens);
    if (r->source->name != NULL)
        text(r, r->source->name, KC_OURS, &r->tokens);
    end_add(r, &r->tokens);
    check_quotes(r);
    if (r->failed && r->tokens.n > 0)
        r->tokens.t[r->tokens.n - 1].what = KC_END;
}
