/* SPDX-License-Identifier: BSD-3-Clause */
/* kc_template.c - parameters of templates get their arguments: given, found from a call's operands,
 * or by default. */
#include "kernel/kc_expr.h"

int hdi_kc_arguments(kc *c, kc_argument *a)
{
    int n = 0;
    const bool closed = c->closed_list;
    hdi_kc_need(c, '<', "of a template's arguments");
    c->closed_list = true;
    while (!hdi_kc_at(c, '>') && !hdi_kc_ended(c) && n < KC_MAX_ARGUMENTS) {
        if (hdi_kc_at_type(c))
            a[n++] = (kc_argument){.type = hdi_kc_type_name(c), .given = true};
        else
            a[n++] = (kc_argument){KC_PLAIN_TYPE(LONG), true, true, hdi_kc_whole(c)};
        if (!hdi_kc_take(c, ','))
            break;
    }
    c->closed_list = closed;
    hdi_kc_need(c, '>', "behind a template's arguments");
    return n;
}

/* ---- binding --------------------------------------------------------------------------------- */

static void skip_default(kc *c)
{
    while (!hdi_kc_at(c, ',') && !hdi_kc_at(c, '>') && !hdi_kc_ended(c))
        if (hdi_kc_at(c, '(') || hdi_kc_at(c, '{') || hdi_kc_at(c, '['))
            hdi_kc_skip(c);
        else if (!hdi_kc_at(c, '<') || !hdi_kc_skip_angles(c))
            hdi_kc_next(c);
}

static void standard(kc *c, kc_argument *a)
{
    if (!hdi_kc_take(c, '='))
        return;
    if (a->given) {
        skip_default(c);
        return;
    }
    c->closed_list = true;
    if (a->is_value)
        a->value = hdi_kc_whole(c);
    else
        a->type = hdi_kc_type_name(c);
    c->closed_list = false;
    a->given = true;
}

static void bind_type(kc *c, kc_word *word, kc_argument *a, int i, bool pattern)
{
    if (!a->given && pattern)
        a->type = hdi_kc_type_of(c, KC_DEPENDENT, NULL, i);
    if (a->is_value) {
        hdi_kc_bad(c, "the template's argument %d must be a type", i + 1);
        return;
    }
    kc_symbol *s = a->type == NULL ? NULL : hdi_kc_declare(c, word, KC_S_TYPE);
    if (s != NULL)
        s->type = a->type;
}

static void bind_value(kc *c, kc_word *word, kc_argument *a, int i, const kc_type *type,
                       bool pattern)
{
    if (a->given && !a->is_value) {
        hdi_kc_bad(c, "the template's argument %d must be a number", i + 1);
        return;
    }
    if (!a->given && pattern)
        a->value = KC_VALUE_WANTED(i);
    kc_symbol *s = hdi_kc_declare(c, word, KC_S_CONSTANT);
    if (s == NULL)
        return;
    if (!hdi_kc_is_integer(type))
        type = KC_PLAIN_TYPE(INT);
    s->value = (kc_value){.type = hdi_kc_bare(type), .kind = KC_V_NODE};
    s->bits = pattern ? a->value
                      : hdi_lir_fold_convert(HDI_LIR_I64, hdi_kc_lir(type), a->value);
}

static void bind_one(kc *c, kc_argument *a, int i, bool pattern)
{
    const bool is_type = hdi_kc_at(c, KC_W_TYPENAME) || hdi_kc_at(c, KC_W_CLASS);
    kc_word *word = NULL;
    const kc_type *type = NULL;
    if (is_type) {
        hdi_kc_next(c);
        if (hdi_kc_at(c, KC_NAME))
            word = hdi_kc_next(c)->word;
    } else if (hdi_kc_at_type(c)) {
        kc_spec spec;
        hdi_kc_spec_read(c, &spec);
        if (!hdi_kc_at(c, KC_DOTS))
            type = hdi_kc_declarator(c, spec.base, &word);
        a->is_value = a->is_value || !a->given;
    }
    if (type == NULL && (!is_type || hdi_kc_at(c, KC_DOTS))) {
        hdi_kc_beyond(c, "this kind of template parameter is not supported");
        return;
    }
    standard(c, a);
    if (is_type)
        bind_type(c, word, a, i, pattern);
    else
        bind_value(c, word, a, i, type, pattern);
}

bool hdi_kc_bind(kc *c, int32_t list, kc_argument *a, int *n, bool pattern)
{
    const int32_t at = c->r.at;
    const bool closed = c->closed_list;
    bool all = true;
    int i = 0;
    hdi_kc_goto(c, list);
    hdi_kc_need(c, '<', "behind `template`");
    c->closed_list = false;
    while (!hdi_kc_at(c, '>') && !hdi_kc_ended(c) && i < KC_MAX_ARGUMENTS) {
        if (i >= *n)
            a[i] = (kc_argument){NULL, false, false, 0};
        bind_one(c, &a[i], i, pattern);
        all = all && a[i].given;
        i++;
        if (!hdi_kc_take(c, ','))
            break;
    }
    if (!hdi_kc_at(c, '>'))
        hdi_kc_bad(c, "a template has at most %d parameters", (int)KC_MAX_ARGUMENTS);
    all = all && i >= *n;
    *n = i;
    c->closed_list = closed;
    hdi_kc_goto(c, at);
    return all && !c->r.failed;
}

/* ---- finding out ----------------------------------------------------------------------------- */

bool hdi_kc_depends(const kc_type *t)
{
    for (; t != NULL; t = t->of)
        if (t->kind == KC_DEPENDENT || (t->kind == KC_STRUCT && t->st->dependent) ||
            (t->kind == KC_ARRAY && t->count >= KC_VALUE_WANTED(0)))
            return true;
    return false;
}

static bool deduce_value(int64_t pattern, int64_t given, kc_argument *a)
{
    const int64_t i = pattern - KC_VALUE_WANTED(0);
    if (i < 0 || i >= KC_MAX_ARGUMENTS)
        return pattern == given;
    if (a[i].given)
        return a[i].value == given;
    a[i] = (kc_argument){KC_PLAIN_TYPE(LONG), true, true, given};
    return true;
}

static bool deduce_type(kc *c, const kc_type *pattern, const kc_type *given, kc_argument *a)
{
    kc_argument *found = &a[pattern->count];
    if (pattern->is_const)
        given = hdi_kc_unqualified(c, given);
    if (found->given)
        return hdi_kc_same(found->type, given);
    *found = (kc_argument){.type = given, .given = true};
    return true;
}

static bool deduce_struct(kc *c, const kc_type *pattern, const kc_type *given, kc_argument *a)
{
    if (given->kind != KC_STRUCT || given->st->origin != pattern->st->origin)
        return false;
    for (int i = 0; i < pattern->st->narguments; i++) {
        const kc_argument *p = &pattern->st->argument[i], *g = &given->st->argument[i];
        if (p->is_value ? !deduce_value(p->value, g->value, a)
                        : !hdi_kc_deduce(c, p->type, g->type, a))
            return false;
    }
    return true;
}

bool hdi_kc_deduce(kc *c, const kc_type *pattern, const kc_type *given, kc_argument *a)
{
    switch (pattern->kind) {
    case KC_REFERENCE:
        return hdi_kc_deduce(c, pattern->of, given, a);
    case KC_DEPENDENT:
        return deduce_type(c, pattern, given, a);
    case KC_POINTER:
        return (given->kind == KC_POINTER || given->kind == KC_ARRAY) &&
               hdi_kc_deduce(c, pattern->of, given->of, a);
    case KC_ARRAY:
        return given->kind == KC_ARRAY && deduce_value(pattern->count, given->count, a) &&
               hdi_kc_deduce(c, pattern->of, given->of, a);
    case KC_STRUCT:
        return pattern->st->dependent ? deduce_struct(c, pattern, given, a)
                                      : hdi_kc_same(pattern, given);
    default:
        return hdi_kc_same(pattern, given);
    }
}
