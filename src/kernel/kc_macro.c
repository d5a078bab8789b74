/* SPDX-License-Identifier: BSD-3-Clause */
/* kc_macro.c - macros are defined and replaced. What a macro stands for is read again together with
 * what follows it, as C says: so it is put on a stack of inputs above the rest. */
#include "kernel/kc_token.h"

#include <stdio.h>

typedef struct input {
    const kc_token *t, *end;
    kc_macro *macro;               /* busy while this input is read */
    struct input *below;
} input;

typedef struct expander {
    kc_reader *r;
    input *top;
    kc_tokens *out;
} expander;

enum { MAX_EXPANDED = 2 * KC_MAX_TOKENS };

/* ---- definitions ----------------------------------------------------------------------------- */

static const kc_token *parameters(kc_reader *r, kc_macro *m, const kc_token *t, const kc_token *end)
{
    m->nparameters = 0;
    m->parameter = hdi_kc_new(r, (size_t)(end - t + 1) * sizeof *m->parameter);
    for (t++; t < end && t->what != ')' && m->parameter != NULL; t++) {
        if (t->what == KC_DOTS)
            m->variadic = true;
        if (t->what == KC_DOTS)
            m->parameter[m->nparameters++] = hdi_kc_word(r, "__VA_ARGS__", 11);
        else if (t->word != NULL)
            m->parameter[m->nparameters++] = t->word;
        else if (t->what != ',')
            break;
    }
    if (t >= end || t->what != ')')
        hdi_kc_fail(r, HD_VALUE, t < end ? t : end - 1, "the macro's parameters have no )");
    return t + 1;
}

void hdi_kc_define(kc_reader *r, const kc_token *t, const kc_token *end)
{
    if (t >= end || t->word == NULL) {
        hdi_kc_fail(r, HD_VALUE, t - 1, "#define needs a name");
        return;
    }
    kc_word *word = t->word;
    kc_macro *m = hdi_kc_new(r, sizeof *m);
    if (m == NULL)
        return;
    m->nparameters = -1;
    t++;
    if (t < end && t->what == '(' && (t->flags & KC_SPACE) == 0)
        t = parameters(r, m, t, end);
    if (r->failed)
        return;
    m->length = (int32_t)(end - t);
    m->body = hdi_kc_new(r, (size_t)(m->length + 1) * sizeof *m->body);
    if (m->body == NULL)
        return;
    for (int32_t i = 0; i < m->length; i++)
        m->body[i] = t[i];
    word->macro = m;
}

/* ---- the stack of inputs --------------------------------------------------------------------- */

static const kc_token *peek(expander *e)
{
    while (e->top != NULL && e->top->t >= e->top->end) {
        if (e->top->macro != NULL)
            e->top->macro->busy = false;
        if (e->top->below == NULL)
            return NULL;
        e->top = e->top->below;
    }
    return e->top == NULL ? NULL : e->top->t;
}

static void push(expander *e, kc_macro *m, const kc_tokens *list)
{
    kc_reader *r = e->r;
    input *in = hdi_kc_new(r, sizeof *in);
    kc_token *copy = hdi_kc_new(r, (size_t)(list->n + 1) * sizeof *copy);
    r->expanded += list->n + 1;
    if (r->expanded > MAX_EXPANDED)
        hdi_kc_fail(r, HD_VALUE, e->top->t, "macros make more than %d tokens", (int)MAX_EXPANDED);
    if (in == NULL || copy == NULL || r->failed)
        return;
    for (int32_t i = 0; i < list->n; i++)
        copy[i] = list->t[i];
    *in = (input){copy, copy + list->n, m, e->top};
    m->busy = true;
    e->top = in;
}

/* ---- arguments ------------------------------------------------------------------------------- */

typedef struct argument { kc_tokens raw, full; bool expanded; } argument;
typedef struct call { argument *argument; int n, room; } call;

static void call_free(call *k)
{
    for (int i = 0; i < k->room; i++) {
        hdi_kc_tokens_free(&k->argument[i].raw);
        hdi_kc_tokens_free(&k->argument[i].full);
    }
}

static bool enough(const kc_macro *m, const call *k)
{
    const int least = m->nparameters - (m->variadic ? 1 : 0);
    return k->n >= least || least <= 1;
}

/* Tokens up to the ) that closes the call. */
static void collect(expander *e, const kc_macro *m, const kc_token *name, call *k)
{
    int depth = 0;
    k->n = 1;
    for (const kc_token *t; (t = peek(e)) != NULL && !e->r->failed;) {
        e->top->t++;
        const bool outer = depth == 0;
        if (t->what == ')' && outer && enough(m, k))
            return;
        if (t->what == ')' && outer)
            break;
        depth += (t->what == '(') - (t->what == ')');
        const bool last = m->variadic && k->n == m->nparameters;
        if (t->what == ',' && outer && !last) {
            if (k->n++ == k->room)
                break;
            continue;
        }
        hdi_kc_tokens_add(e->r, &k->argument[k->n - 1].raw, t);
    }
    hdi_kc_fail(e->r, HD_VALUE, name, "the macro %.*s is given another number of arguments, or no "
                ")", (int)name->length, name->text);
}

static int parameter_of(const kc_macro *m, const kc_token *t)
{
    for (int i = 0; i < m->nparameters; i++)
        if (m->parameter[i] == t->word && t->word != NULL)
            return i;
    return -1;
}

static void text_of(kc_reader *r, const kc_tokens *list, const kc_token *at, kc_tokens *out)
{
    size_t bytes = 3;
    for (int32_t i = 0; i < list->n; i++)
        bytes += 2 * (size_t)list->t[i].length + 1;
    char *text = hdi_kc_new(r, bytes), *p = text;
    if (text == NULL)
        return;
    *p++ = '"';
    for (int32_t i = 0; i < list->n; i++) {
        const kc_token *t = &list->t[i];
        if (i > 0 && (t->flags & KC_SPACE) != 0)
            *p++ = ' ';
        const bool quoted = t->what == KC_TEXT || t->what == KC_LETTER;
        for (int32_t b = 0; b < t->length; b++) {
            if (quoted && (t->text[b] == '"' || t->text[b] == '\\'))
                *p++ = '\\';
            *p++ = t->text[b];
        }
    }
    *p++ = '"';
    kc_token made = *at;
    made.text = text;
    made.length = (int32_t)(p - text);
    made.what = KC_TEXT;
    made.word = NULL;
    hdi_kc_tokens_add(r, out, &made);
}

static void paste(kc_reader *r, kc_tokens *out, const kc_tokens *right)
{
    if (right->n == 0)
        return;
    if (out->n == 0) {
        for (int32_t i = 0; i < right->n; i++)
            hdi_kc_tokens_add(r, out, &right->t[i]);
        return;
    }
    const kc_token left = out->t[--out->n], *first = &right->t[0];
    char *text = hdi_kc_new(r, (size_t)(left.length + first->length) + 1);
    if (text == NULL)
        return;
    memcpy(text, left.text, (size_t)left.length);
    memcpy(text + left.length, first->text, (size_t)first->length);
    const int32_t begin = out->n;
    hdi_kc_lex(r, text, 0, out);
    for (int32_t i = begin; i < out->n && !r->failed; i++) {
        out->t[i].line = left.line;
        out->t[i].column = left.column;
        out->t[i].flags = left.flags;
    }
    for (int32_t i = 1; i < right->n; i++)
        hdi_kc_tokens_add(r, out, &right->t[i]);
}

static const kc_tokens *full_of(kc_reader *r, argument *a)
{
    if (!a->expanded && !r->failed) {
        a->expanded = true;
        hdi_kc_expand(r, a->raw.t, a->raw.t + a->raw.n, &a->full);
    }
    return &a->full;
}

/* The macro's body with the arguments in place. */
static void substitute(kc_reader *r, const kc_macro *m, const kc_token *name, call *k,
                       kc_tokens *out)
{
    for (int32_t i = 0; i < m->length && !r->failed; i++) {
        kc_token t = m->body[i];
        const bool pasted = t.what == KC_PASTE && i + 1 < m->length;
        if (pasted)
            t = m->body[++i];
        const bool as_text = t.what == '#' && k != NULL && i + 1 < m->length;
        const int p = k == NULL ? -1 : parameter_of(m, as_text ? &m->body[i + 1] : &t);
        const bool before_paste = i + 1 < m->length && m->body[i + 1].what == KC_PASTE;
        t.line = name->line;
        t.column = name->column;
        t.flags = (uint8_t)((t.flags & ~KC_FRESH) | (name->flags & KC_OURS));
        const kc_tokens one = {&t, 1, 1};
        if (as_text && p >= 0) {
            text_of(r, &k->argument[p].raw, name, out);
            i++;
            continue;
        }
        const kc_tokens *list = p < 0 ? &one
                                : pasted || before_paste ? &k->argument[p].raw
                                                         : full_of(r, &k->argument[p]);
        if (pasted) {
            paste(r, out, list);
            continue;
        }
        for (int32_t j = 0; j < list->n; j++)
            hdi_kc_tokens_add(r, out, &list->t[j]);
    }
}

/* ---- replacing ------------------------------------------------------------------------------- */

static void special(expander *e, const kc_token *t, int which)
{
    kc_token made = *t;
    char text[24];
    snprintf(text, sizeof text, which == 'L' ? "%d" : "\"kernel\"", (int)t->line);
    made.length = (int32_t)strlen(text);
    made.text = hdi_kc_copy(e->r, text, made.length);
    made.what = which == 'L' ? KC_NUMBER : KC_TEXT;
    made.word = NULL;
    if (made.text != NULL)
        hdi_kc_tokens_add(e->r, e->out, &made);
}

static void replace(expander *e, kc_macro *m, const kc_token *name)
{
    kc_reader *r = e->r;
    kc_tokens made = {NULL, 0, 0};
    call k = {NULL, 0, m->nparameters > 0 ? m->nparameters : 1};
    k.argument = hdi_kc_new(r, (size_t)k.room * sizeof *k.argument);
    if (k.argument == NULL)
        return;
    if (m->nparameters >= 0) {
        e->top->t++;                                        /* the ( */
        collect(e, m, name, &k);
    }
    substitute(r, m, name, m->nparameters < 0 ? NULL : &k, &made);
    push(e, m, &made);
    hdi_kc_tokens_free(&made);
    call_free(&k);
}

static void one(expander *e)
{
    const kc_token *t = peek(e);
    if (t == NULL)
        return;
    e->top->t++;
    kc_macro *m = t->word == NULL || (t->flags & KC_PLAIN) != 0 ? NULL : t->word->macro;
    if (m != NULL && m->busy) {
        kc_token plain = *t;
        plain.flags |= KC_PLAIN;
        hdi_kc_tokens_add(e->r, e->out, &plain);
        return;
    }
    if (m != NULL && m->special != 0) {
        special(e, t, m->special);
        return;
    }
    /* The name is copied: peek() may leave the input that it lies in. */
    const kc_token name = *t;
    const kc_token *next = m != NULL && m->nparameters >= 0 ? peek(e) : NULL;
    if (m != NULL && m->busy == false && (m->nparameters < 0 || (next && next->what == '(')))
        replace(e, m, &name);
    else
        hdi_kc_tokens_add(e->r, e->out, &name);
}

const kc_token *hdi_kc_expand_next(kc_reader *r, const kc_token *t, const kc_token *end,
                                   kc_tokens *out)
{
    input base = {t, end, NULL, NULL};
    expander e = {r, &base, out};
    do
        one(&e);
    while (!r->failed && peek(&e) != NULL && e.top != &base);
    return base.t;
}

void hdi_kc_expand(kc_reader *r, const kc_token *t, const kc_token *end, kc_tokens *out)
{
    if (++r->depth > KC_MAX_DEPTH)
        hdi_kc_fail(r, HD_VALUE, t < end ? t : NULL, "macros are nested deeper than %d",
                    (int)KC_MAX_DEPTH);
    while (t < end && !r->failed)
        t = hdi_kc_expand_next(r, t, end, out);
    r->depth--;
}
