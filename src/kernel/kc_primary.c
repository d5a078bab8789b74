/* SPDX-License-Identifier: BSD-3-Clause */
/* kc_primary.c - operands: names, literals, calls, casts that look like calls. */
#include "kernel/kc_expr.h"

/* T(x), T(x, y) and T{...}. */
static __attribute__((noinline)) kc_value functional(kc *c, const kc_type *type)
{
    if (hdi_kc_at(c, '{')) {
        const kc_value made = hdi_kc_local(c, NULL, hdi_kc_bare(type));
        hdi_kc_initialise(c, &(kc_target){.place = made}, made.type);
        return type->kind == KC_STRUCT ? hdi_kc_again(c, made) : hdi_kc_load(c, made);
    }
    hdi_kc_need(c, '(', "behind a type");
    kc_call k = {.self = hdi_kc_nothing(), .token = hdi_kc_token(c)};
    hdi_kc_call_arguments(c, &k);
    if (type->kind == KC_STRUCT)
        return hdi_kc_construct(c, type, &k);
    if (k.n > 1)
        hdi_kc_bad(c, "%s takes one value", hdi_kc_type_text(c, type));
    return hdi_kc_cast(c, k.n == 0 ? hdi_kc_int(c, 0) : k.arg[0], type);
}

static kc_value named_cast(kc *c)
{
    hdi_kc_next(c);
    hdi_kc_need(c, '<', "of a cast");
    const kc_type *type = hdi_kc_type_name(c);
    hdi_kc_need(c, '>', "behind a type");
    hdi_kc_need(c, '(', "of a cast");
    const kc_value v = hdi_kc_expression(c);
    hdi_kc_need(c, ')', "of a cast");
    if (type->kind == KC_REFERENCE)
        return hdi_kc_in_memory(type->of, hdi_kc_address(c, v));
    return hdi_kc_cast(c, v, type);
}

static kc_value self(kc *c)
{
    hdi_kc_next(c);
    if (c->frame == NULL || c->frame->self.kind != KC_V_MEMORY) {
        hdi_kc_bad(c, "`this` is for the functions of a struct");
        return hdi_kc_int(c, 0);
    }
    const kc_value v = hdi_kc_again(c, c->frame->self);
    return hdi_kc_rvalue(hdi_kc_type_of(c, KC_POINTER, v.type, 0), v.node, 1);
}

/* A field's name within a function of its struct. */
static kc_value own_field(kc *c, kc_symbol *s)
{
    int64_t offset = 0;
    if (c->frame == NULL || c->frame->self.kind != KC_V_MEMORY) {
        hdi_kc_bad(c, "%s is a member: an object is needed", s->word->text);
        return hdi_kc_int(c, 0);
    }
    const kc_value v = hdi_kc_again(c, c->frame->self);
    const kc_field *f = hdi_kc_field(v.type->st, s->word, &offset);
    if (f == NULL)
        return hdi_kc_int(c, 0);
    return hdi_kc_at_offset(c, v, offset, hdi_kc_qualified(c, f->type, v.type->is_const, false));
}

/* ---- calls ----------------------------------------------------------------------------------- */

static bool takes_arguments(const kc_symbol *s)
{
    for (; s != NULL; s = s->below)
        if (s->kind == KC_S_FUNCTION &&
            (s->function->template_list >= 0 || s->function->special >= 0))
            return true;
    return false;
}

static void given(kc *c, kc_symbol *s, kc_call *k)
{
    if (!hdi_kc_at(c, '<') || !takes_arguments(s))
        return;
    const int32_t at = c->r.at;
    const bool list = hdi_kc_skip_angles(c) && hdi_kc_at(c, '(');
    hdi_kc_goto(c, at);
    if (!list)
        return;
    k->has_given = true;
    k->ngiven = hdi_kc_arguments(c, k->given);
}

static __attribute__((noinline)) kc_value call(kc *c, kc_symbol *s)
{
    kc_call k = {.self = hdi_kc_nothing(), .token = &c->r.tokens.t[c->r.at > 0 ? c->r.at - 1 : 0]};
    kc_value r = hdi_kc_int(c, 0);
    given(c, s, &k);
    if (!hdi_kc_at(c, '(')) {
        hdi_kc_beyond(c, "%s is a function: pointers to functions are not supported; call it",
                      s->word->text);
        return r;
    }
    if (c->frame != NULL && s->function->owner != NULL && c->frame->self.kind == KC_V_MEMORY &&
        c->frame->self.type->st == s->function->owner)
        k.self = hdi_kc_again(c, c->frame->self);
    const int32_t at = c->r.at;
    hdi_kc_next(c);
    const bool built_in = s->word->builtin >= 0;
    hdi_kc_call_arguments(c, &k);
    const int32_t behind = c->r.at;
    if (hdi_kc_call(c, s, &k, !built_in, &r) || c->r.failed || !built_in)
        return r;
    /* A user's overload of a function of CUDA's which does not fit. Arguments are read again;
     * those with effects are refused rather than run twice. */
    hdi_kc_goto(c, at);
    hdi_kc_builtin(c, s->word, &r);
    hdi_kc_goto(c, behind);
    return r;
}

/* ---- names ----------------------------------------------------------------------------------- */

static kc_value unknown(kc *c, const kc_token *t)
{
    kc_value r;
    if (hdi_kc_at(c, '(') && hdi_kc_builtin(c, t->word, &r))
        return r;
    if (hdi_kc_builtin_variable(c, t->word, &r))
        return r;
    if (t->word != NULL && t->word->what == KC_NAME)
        hdi_kc_fail(&c->r, hdi_kc_at(c, '(') ? HD_UNSUPPORTED : HD_VALUE, t,
                    hdi_kc_at(c, '(') ? "the function %.80s is not known: define it in the source"
                                      : "%.80s is not declared", t->word->text);
    return hdi_kc_int(c, 0);
}

static kc_value type_named(kc *c, int ntokens)
{
    hdi_kc_goto(c, c->r.at - ntokens);
    return functional(c, hdi_kc_type_name(c));
}

static kc_value of_symbol(kc *c, kc_symbol *s, int ntokens)
{
    switch (s->kind) {
    case KC_S_VALUE:
        return hdi_kc_again(c, s->value);
    case KC_S_CONSTANT:
        return hdi_kc_number(c, s->value.type, s->bits);
    case KC_S_FUNCTION:
        return call(c, s);
    case KC_S_FIELD:
        return own_field(c, s);
    case KC_S_GLOBAL:
        return hdi_kc_global(c, s);
    case KC_S_TYPE: case KC_S_TEMPLATE:
        return type_named(c, ntokens);
    default:
        hdi_kc_bad(c, "%s is no value", s->word->text);
        return hdi_kc_int(c, 0);
    }
}

/* T<...>::name, and what else has a type before ::. */
static kc_value qualified(kc *c)
{
    const kc_type *type = hdi_kc_type_name(c);
    if (!hdi_kc_take(c, KC_SCOPE))
        return functional(c, type);
    kc_word *word = hdi_kc_need_name(c);
    kc_symbol *s = type->kind == KC_STRUCT ? hdi_kc_find_in(type->st->scope, word) : NULL;
    if (s == NULL || s->kind == KC_S_TYPE) {
        hdi_kc_bad(c, "%s has no such member", hdi_kc_type_text(c, type));
        return hdi_kc_int(c, 0);
    }
    return of_symbol(c, s, 1);
}

static kc_value name(kc *c)
{
    int ntokens;
    kc_symbol *s = hdi_kc_find_here(c, &ntokens);
    const kc_token *last = hdi_kc_ahead(c, ntokens - 1);
    if (s != NULL && s->kind == KC_S_TEMPLATE)
        return qualified(c);
    if (s != NULL && s->kind == KC_S_TYPE && last[1].what == KC_SCOPE)
        return qualified(c);
    hdi_kc_goto(c, c->r.at + ntokens);
    return s != NULL ? of_symbol(c, s, ntokens) : unknown(c, last);
}

static kc_value parenthesized(kc *c)
{
    hdi_kc_next(c);
    const kc_value v = hdi_kc_expression(c);
    hdi_kc_need(c, ')', "to close a (");
    return v;
}

kc_value hdi_kc_primary(kc *c)
{
    const kc_token *t = hdi_kc_token(c);
    switch (t->what) {
    case KC_NUMBER: case KC_LETTER:
        return hdi_kc_literal(c);
    case KC_TEXT:
        return hdi_kc_text(c, t);
    case KC_NAME: case KC_SCOPE:
        return name(c);
    case '(':
        return parenthesized(c);
    case KC_W_TRUE: case KC_W_FALSE:
        hdi_kc_next(c);
        return hdi_kc_number(c, KC_PLAIN_TYPE(BOOL), t->what == KC_W_TRUE);
    case KC_W_NULLPTR:
        hdi_kc_next(c);
        return hdi_kc_number(c, hdi_kc_type_of(c, KC_POINTER, KC_PLAIN_TYPE(VOID), 0), 0);
    case KC_W_THIS:
        return self(c);
    case KC_W_STATIC_CAST:
        return named_cast(c);
    default:
        break;
    }
    if (hdi_kc_at_type(c))
        return functional(c, hdi_kc_type_name(c));
    if (t->what == '[')
        hdi_kc_beyond(c, "functions without a name are not supported: write a __device__ function");
    else if (t->what == KC_W_BEYOND)
        hdi_kc_beyond(c, "%.*s is not supported in kernels", (int)t->length, t->text);
    else if (t->what == KC_END)
        hdi_kc_bad(c, "the source ends where a value is expected");
    else
        hdi_kc_bad(c, "a value is expected, and not %.*s", t->length < 60 ? (int)t->length : 60,
                   t->text);
    return hdi_kc_int(c, 0);
}
