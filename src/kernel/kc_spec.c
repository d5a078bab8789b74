/* SPDX-License-Identifier: BSD-3-Clause */
/* kc_spec.c - types as they are written: specifiers, pointers, arrays. */
#include "kernel/kc_expr.h"

/* ---- does a type begin here? ----------------------------------------------------------------- */

static bool is_type_word(int what)
{
    return (what >= KC_W_VOID && what <= KC_W_CONSTEXPR) || what == KC_W_TYPENAME ||
           what == KC_W_STRUCT || what == KC_W_CLASS || what == KC_W_UNION || what == KC_W_ENUM ||
           what == KC_W_DECLTYPE;
}

bool hdi_kc_at_type(kc *c)
{
    const int what = hdi_kc_token(c)->what;
    if (what != KC_NAME && what != KC_SCOPE)
        return is_type_word(what) || what == KC_W_SHARED || what == KC_W_CONSTANT ||
               what == KC_W_DEVICE || what == KC_W_ALIGNAS || what == KC_W_ATTRIBUTE;
    int ntokens;
    const kc_symbol *s = hdi_kc_find_here(c, &ntokens);
    return s != NULL && (s->kind == KC_S_TYPE || s->kind == KC_S_TEMPLATE);
}

/* ---- attributes ------------------------------------------------------------------------------ */

static void attribute_align(kc *c, kc_spec *spec)
{
    hdi_kc_need(c, '(', "behind an alignment");
    int64_t align;
    if (hdi_kc_at_type(c))
        align = hdi_kc_align(hdi_kc_type_name(c));
    else
        align = hdi_kc_whole(c);
    hdi_kc_need(c, ')', "behind an alignment");
    if (align < 0 || align > 4096 || (align & (align - 1)) != 0)
        hdi_kc_bad(c, "an alignment is a power of 2 up to 4096, and not %lld", (long long)align);
    else if (align > spec->align)
        spec->align = (int)align;
}

static void attribute_launch(kc *c, kc_spec *spec)
{
    hdi_kc_need(c, '(', "behind __launch_bounds__");
    const int64_t n = hdi_kc_whole(c);
    if (n < 1 || n > INT32_MAX)
        hdi_kc_bad(c, "__launch_bounds__(%lld) is no number of threads", (long long)n);
    spec->max_threads = (int)n;
    while (hdi_kc_take(c, ','))
        hdi_kc_whole(c);
    hdi_kc_need(c, ')', "behind __launch_bounds__");
}

bool hdi_kc_attribute(kc *c, kc_spec *spec)
{
    const kc_token *t = hdi_kc_token(c);
    if (t->what == '[' && t[1].what == '[') {
        hdi_kc_skip(c);
        return true;
    }
    if (t->what != KC_W_ALIGNAS && t->what != KC_W_LAUNCH_BOUNDS && t->what != KC_W_ATTRIBUTE)
        return false;
    hdi_kc_next(c);
    if (t->what == KC_W_ALIGNAS)
        attribute_align(c, spec);
    else if (t->what == KC_W_LAUNCH_BOUNDS)
        attribute_launch(c, spec);
    else if (hdi_kc_at(c, '('))
        hdi_kc_skip(c);
    return true;
}

/* ---- specifiers ------------------------------------------------------------------------------ */

typedef struct words {
    int kind;                      /* a KC_W_ of a type, 0: none */
    int nlong;
    bool is_short, is_signed, is_unsigned, is_const, is_volatile;
} words;

static bool storage(kc *c, kc_spec *s, words *w)
{
    switch (hdi_kc_token(c)->what) {
    case KC_W_CONST: w->is_const = true; break;
    case KC_W_VOLATILE: w->is_volatile = true; break;
    case KC_W_CONSTEXPR: s->is_constexpr = w->is_const = true; break;
    case KC_W_STATIC: s->is_static = true; break;
    case KC_W_EXTERN: s->is_extern = true; break;
    case KC_W_TYPEDEF: s->is_typedef = true; break;
    case KC_W_SHARED: s->is_shared = true; break;
    case KC_W_CONSTANT: s->is_constant = true; break;
    case KC_W_DEVICE: s->is_device = true; break;
    case KC_W_GLOBAL: s->is_kernel = true; break;
    case KC_W_HOST: case KC_W_INLINE: case KC_W_REGISTER: case KC_W_RESTRICT: case KC_W_TYPENAME:
        break;
    default: return hdi_kc_attribute(c, s);
    }
    hdi_kc_next(c);
    if (s->is_extern && hdi_kc_at(c, KC_TEXT))
        hdi_kc_next(c);
    return true;
}

static bool plain(kc *c, words *w)
{
    const int what = hdi_kc_token(c)->what;
    switch (what) {
    case KC_W_LONG: w->nlong++; break;
    case KC_W_SHORT: w->is_short = true; break;
    case KC_W_SIGNED: w->is_signed = true; break;
    case KC_W_UNSIGNED: w->is_unsigned = true; break;
    case KC_W_VOID: case KC_W_BOOL: case KC_W_CHAR: case KC_W_INT: case KC_W_FLOAT:
    case KC_W_DOUBLE: case KC_W_AUTO:
        if (w->kind != 0)
            hdi_kc_bad(c, "a second type stands here");
        w->kind = what;
        break;
    default: return false;
    }
    hdi_kc_next(c);
    return true;
}

static kc_kind kind_of(const words *w)
{
    const int u = w->is_unsigned;
    switch (w->kind) {
    case KC_W_VOID: return KC_VOID;
    case KC_W_BOOL: return KC_BOOL;
    case KC_W_CHAR: return u ? KC_UCHAR : w->is_signed ? KC_SCHAR : KC_CHAR;
    case KC_W_FLOAT: return KC_FLOAT;
    case KC_W_DOUBLE: return KC_DOUBLE;
    case KC_W_AUTO: return KC_AUTO;
    default: break;
    }
    if (w->nlong > 0)
        return (kc_kind)((w->nlong > 1 ? KC_LLONG : KC_LONG) + u);
    return (kc_kind)((w->is_short ? KC_SHORT : KC_INT) + u);
}

static const kc_type *decltype_of(kc *c)
{
    hdi_kc_next(c);
    hdi_kc_need(c, '(', "behind decltype");
    hdi_lir_list list;
    hdi_lir_list *old = hdi_kc_list_open(c, &list);
    c->idle++;
    const kc_type *type = hdi_kc_expression(c).type;
    c->idle--;
    c->list = old;
    hdi_kc_need(c, ')', "behind decltype");
    return type;
}

/* A template with its arguments, and members that are types. */
static const kc_type *named(kc *c, kc_symbol *s, int ntokens)
{
    hdi_kc_goto(c, c->r.at + ntokens);
    const kc_type *type = s->type;
    if (s->kind == KC_S_TEMPLATE && hdi_kc_at(c, '<')) {
        kc_argument a[KC_MAX_ARGUMENTS];
        const int n = hdi_kc_arguments(c, a);
        type = hdi_kc_instance(c, s, a, n);
    } else if (s->kind == KC_S_TEMPLATE) {
        /* Within the template its name alone is the instance. */
        for (kc_scope *scope = c->scope; scope != NULL && type == NULL; scope = scope->parent)
            if (scope->st != NULL && scope->st->origin == s) {
                type = hdi_kc_type_of(c, KC_STRUCT, NULL, 0);
                if (!c->r.failed)
                    ((kc_type *)type)->st = scope->st;
            }
        if (type == NULL)
            hdi_kc_bad(c, "the template %s needs arguments: %s<...>", s->word->text, s->word->text);
    }
    while (type != NULL && hdi_kc_at(c, KC_SCOPE) && hdi_kc_ahead(c, 1)->what == KC_NAME &&
           type->kind == KC_STRUCT) {
        const kc_symbol *inner = hdi_kc_find_in(type->st->scope, hdi_kc_ahead(c, 1)->word);
        if (inner == NULL || inner->kind != KC_S_TYPE)
            break;
        type = inner->type;
        hdi_kc_goto(c, c->r.at + 2);
    }
    return type == NULL ? KC_PLAIN_TYPE(INT) : type;
}

static const kc_type *named_here(kc *c)
{
    const int what = hdi_kc_token(c)->what;
    if (what == KC_W_STRUCT || what == KC_W_CLASS || what == KC_W_UNION)
        return hdi_kc_struct_read(c);
    if (what == KC_W_ENUM)
        return hdi_kc_enum(c);
    if (what == KC_W_DECLTYPE)
        return decltype_of(c);
    int ntokens;
    kc_symbol *s = hdi_kc_find_here(c, &ntokens);
    if (s != NULL && (s->kind == KC_S_TYPE || s->kind == KC_S_TEMPLATE))
        return named(c, s, ntokens);
    return NULL;
}

static const kc_type *no_type(kc *c)
{
    const kc_token *t = hdi_kc_token(c);
    hdi_kc_bad(c, "a type is expected, and %.*s is none", t->length < 60 ? (int)t->length : 60,
               t->what == KC_END ? "the end" : t->text);
    return KC_PLAIN_TYPE(INT);
}

void hdi_kc_spec_read(kc *c, kc_spec *s)
{
    *s = (kc_spec){.base = NULL};
    words w = {0};
    const kc_type *type = NULL;
    while (!hdi_kc_ended(c)) {
        if (storage(c, s, &w) || (type == NULL && plain(c, &w)))
            continue;
        const bool any = w.kind != 0 || w.nlong > 0 || w.is_short || w.is_signed || w.is_unsigned;
        if (any || type != NULL || (type = named_here(c)) == NULL)
            break;
    }
    const bool any = w.kind != 0 || w.nlong > 0 || w.is_short || w.is_signed || w.is_unsigned;
    if (type == NULL && !any)
        type = no_type(c);
    if (type == NULL)
        type = kind_of(&w) == KC_AUTO ? hdi_kc_type_of(c, KC_AUTO, NULL, 0)
                                      : &hdi_kc_plain[kind_of(&w)];
    s->base = hdi_kc_qualified(c, type, w.is_const, w.is_volatile);
}

/* ---- declarators ----------------------------------------------------------------------------- */

static const kc_type *pointers(kc *c, const kc_type *t)
{
    for (;;) {
        const int what = hdi_kc_token(c)->what;
        kc_spec ignored = {.base = NULL};
        if (what == '*')
            t = hdi_kc_type_of(c, KC_POINTER, t, 0);
        else if (what == '&' || what == KC_AND)
            t = t->kind == KC_REFERENCE ? t : hdi_kc_type_of(c, KC_REFERENCE, t, 0);
        else if (what == KC_W_CONST || what == KC_W_VOLATILE)
            t = hdi_kc_qualified(c, t, what == KC_W_CONST, what == KC_W_VOLATILE);
        else if (what == KC_W_RESTRICT) {
            kc_type *made = hdi_kc_new(&c->r, sizeof *made);
            if (made != NULL) {
                *made = *t;
                made->is_restrict = true;
                t = made;
            }
        } else if (hdi_kc_attribute(c, &ignored))
            continue;
        else
            return t;
        hdi_kc_next(c);
    }
}

/* [2][3] is an array of 2 arrays of 3. */
static const kc_type *brackets(kc *c, const kc_type *t)
{
    int64_t count[16];
    int n = 0;
    while (hdi_kc_at(c, '[') && n < 16) {
        hdi_kc_next(c);
        const kc_token *at = hdi_kc_token(c);
        count[n] = hdi_kc_at(c, ']') ? -1 : hdi_kc_whole(c);
        if (count[n] < 0 && at->what != ']')
            hdi_kc_fail(&c->r, HD_VALUE, at, "an array cannot have %lld elements",
                        (long long)count[n]);
        n++;
        hdi_kc_need(c, ']', "behind an array's size");
    }
    while (n > 0)
        t = hdi_kc_type_of(c, KC_ARRAY, t, count[--n]);
    return t;
}

/* (*p)[3] and (&r)[3]: what is inside the parentheses applies to what stands around them. */
static bool inner_declarator(kc *c)
{
    const kc_token *t = hdi_kc_token(c);
    return t->what == '(' && (t[1].what == '*' || t[1].what == '&');
}

const kc_type *hdi_kc_declarator(kc *c, const kc_type *base, kc_word **word)
{
    const kc_type *t = pointers(c, base);
    *word = NULL;
    if (inner_declarator(c)) {
        const int32_t inside = c->r.at + 1;
        hdi_kc_skip(c);
        if (hdi_kc_at(c, '(')) {
            hdi_kc_beyond(c, "pointers to functions are not supported");
            return t;
        }
        t = brackets(c, t);
        const int32_t behind = c->r.at;
        hdi_kc_goto(c, inside);
        if (!hdi_kc_enter(c))
            return t;
        t = hdi_kc_declarator(c, t, word);
        hdi_kc_leave(c);
        hdi_kc_need(c, ')', "in a declaration");
        hdi_kc_goto(c, behind);
        return t;
    }
    if (hdi_kc_at(c, KC_NAME))
        *word = hdi_kc_next(c)->word;
    kc_spec ignored = {.base = NULL};
    while (hdi_kc_attribute(c, &ignored))
        ;
    return brackets(c, t);
}

const kc_type *hdi_kc_type_name(kc *c)
{
    kc_spec spec;
    kc_word *word;
    hdi_kc_spec_read(c, &spec);
    const kc_type *t = pointers(c, spec.base);
    if (inner_declarator(c))
        return hdi_kc_declarator(c, t, &word);
    return brackets(c, t);
}

/* ---- enum ------------------------------------------------------------------------------------ */

static void enumerators(kc *c)
{
    int64_t value = 0;
    while (!hdi_kc_at(c, '}') && !hdi_kc_ended(c)) {
        kc_word *word = hdi_kc_need_name(c);
        if (hdi_kc_take(c, '='))
            value = hdi_kc_whole(c);
        kc_symbol *s = hdi_kc_declare(c, word, KC_S_CONSTANT);
        if (s != NULL) {
            s->value = (kc_value){.type = KC_PLAIN_TYPE(INT), .kind = KC_V_NODE};
            s->bits = value++;
        }
        if (!hdi_kc_take(c, ','))
            break;
    }
    hdi_kc_need(c, '}', "behind an enum");
}

const kc_type *hdi_kc_enum(kc *c)
{
    hdi_kc_next(c);
    const bool apart = hdi_kc_take(c, KC_W_CLASS) || hdi_kc_take(c, KC_W_STRUCT);
    kc_word *word = hdi_kc_at(c, KC_NAME) ? hdi_kc_next(c)->word : NULL;
    const kc_type *type = KC_PLAIN_TYPE(INT);
    if (hdi_kc_take(c, ':'))
        type = hdi_kc_type_name(c);
    kc_symbol *s = hdi_kc_find(c, c->scope, word);
    if (!hdi_kc_take(c, '{'))
        return s != NULL && s->kind == KC_S_TYPE ? s->type : type;
    s = hdi_kc_declare(c, word, KC_S_TYPE);
    if (s != NULL)
        s->type = type;
    kc_scope *old = c->scope;
    if (apart && word != NULL) {
        c->scope = hdi_kc_scope_new(c, old);
        if (s != NULL)
            s->inner = c->scope;
    }
    enumerators(c);
    c->scope = old;
    return type;
}
