/* SPDX-License-Identifier: BSD-3-Clause */
/* kc_scope.c - names and where they hold. Each word has its symbols of all scopes that are open. */
#include "kernel/kc.h"

kc_scope *hdi_kc_scope_new(kc *c, kc_scope *parent)
{
    static kc_scope none;          /* never written: who has failed declares nothing */
    kc_scope *s = hdi_kc_new(&c->r, sizeof *s);
    if (s == NULL)
        return parent != NULL ? parent : &none;
    s->parent = parent;
    return s;
}

void hdi_kc_scope_close(kc *c, kc_scope *s)
{
    for (kc_symbol *x = s->symbols; x != NULL && !c->r.failed; x = x->next) {
        kc_symbol **link = &x->word->symbols;
        while (*link != NULL && *link != x)
            link = &(*link)->below;
        if (*link == x)
            *link = x->below;
    }
    if (!c->r.failed)
        s->symbols = NULL;
}

kc_symbol *hdi_kc_declare(kc *c, kc_word *word, kc_symbol_kind kind)
{
    kc_symbol *s = c->r.failed || word == NULL ? NULL : hdi_kc_new(&c->r, sizeof *s);
    if (s == NULL)
        return NULL;
    s->word = word;
    s->scope = c->scope;
    s->kind = (uint8_t)kind;
    s->below = word->symbols;
    s->next = c->scope->symbols;
    s->at = s->parameters = -1;
    s->ours = (hdi_kc_token(c)->flags & KC_OURS) != 0;
    s->value = hdi_kc_nothing();
    word->symbols = s;
    c->scope->symbols = s;
    return s;
}

kc_symbol *hdi_kc_find_in(kc_scope *scope, const kc_word *word)
{
    for (kc_symbol *s = word == NULL ? NULL : word->symbols; s != NULL; s = s->below)
        if (s->scope == scope)
            return s;
    return NULL;
}

kc_symbol *hdi_kc_find(kc *c, kc_scope *scope, const kc_word *word)
{
    for (; scope != NULL && !c->r.failed; scope = scope->parent) {
        kc_symbol *s = hdi_kc_find_in(scope, word);
        /* Among its members a struct's name is the struct, not its constructor. */
        if (s != NULL && !(s->kind == KC_S_FUNCTION && s->function->is_constructor))
            return s;
    }
    return NULL;
}

/* Whose names the prelude has in the outermost scope. */
static bool is_library(const kc_word *word)
{
    static const char *const names[] = {"std", "thrust", "cuda"};
    for (int i = 0; i < 3; i++)
        if (strcmp(word->text, names[i]) == 0)
            return true;
    return false;
}

/* What may stand before :: is no variable, even if one of that name is nearer. */
static kc_symbol *find_outer(kc *c, kc_scope *scope, const kc_word *word, bool only_there)
{
    for (; scope != NULL && !c->r.failed; scope = only_there ? NULL : scope->parent)
        for (kc_symbol *s = word->symbols; s != NULL; s = s->below)
            if (s->scope == scope && (s->kind == KC_S_NAMESPACE || s->kind == KC_S_TYPE ||
                                      s->kind == KC_S_TEMPLATE))
                return s;
    return NULL;
}

static kc_symbol *find_last(kc *c, kc_scope *scope, const kc_word *word, bool only_there)
{
    return only_there ? hdi_kc_find_in(scope, word) : hdi_kc_find(c, scope, word);
}

kc_symbol *hdi_kc_find_here(kc *c, int *ntokens)
{
    const kc_token *t = hdi_kc_token(c);
    const kc_token *first = t;
    kc_scope *scope = c->scope;
    bool only_there = false;
    if (t->what == KC_SCOPE) {
        scope = c->global;
        t++;
    }
    while (t->what == KC_NAME) {
        *ntokens = (int)(t - first) + 1;
        const bool more = t[1].what == KC_SCOPE && t[2].what == KC_NAME;
        kc_symbol *s = more ? find_outer(c, scope, t->word, only_there)
                            : find_last(c, scope, t->word, only_there);
        if (more && s == NULL && is_library(t->word))
            scope = c->global;
        else if (more && s != NULL && s->kind == KC_S_NAMESPACE && s->inner != NULL)
            scope = s->inner;
        else if (more && s != NULL && s->kind == KC_S_TYPE && s->inner != NULL)
            scope = s->inner;                               /* enum class */
        else if (more && s != NULL && s->kind == KC_S_TYPE && s->type->kind == KC_STRUCT)
            scope = s->type->st->scope;
        else
            return more && s != NULL && s->kind == KC_S_TYPE ? s : more ? NULL : s;
        only_there = scope != c->global;
        t += 2;
    }
    *ntokens = 1;
    return NULL;
}
