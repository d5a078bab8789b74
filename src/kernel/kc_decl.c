/* SPDX-License-Identifier: BSD-3-Clause */
/* kc_decl.c - variables of functions and of the module, and names for types. */
#include "kernel/kc_expr.h"

/* ---- names ----------------------------------------------------------------------------------- */

static void name_value(kc *c, kc_word *word, kc_value v)
{
    kc_symbol *s = hdi_kc_declare(c, word, KC_S_VALUE);
    if (s != NULL)
        s->value = v;
}

static void name_constant(kc *c, kc_word *word, const kc_type *type, int64_t bits)
{
    kc_symbol *s = hdi_kc_declare(c, word, KC_S_CONSTANT);
    if (s != NULL) {
        s->value = (kc_value){.type = hdi_kc_bare(type), .kind = KC_V_NODE};
        s->bits = bits;
    }
}

static void name_type(kc *c, kc_word *word, const kc_type *type)
{
    kc_symbol *s = hdi_kc_declare(c, word, KC_S_TYPE);
    if (s != NULL)
        s->type = type;
    if (type->kind == KC_STRUCT && type->st->word == NULL)
        type->st->word = word;
}

static void type_definition(kc *c)
{
    kc_spec spec;
    kc_word *word;
    hdi_kc_next(c);
    hdi_kc_spec_read(c, &spec);
    do {
        const kc_type *type = hdi_kc_declarator(c, spec.base, &word);
        if (word == NULL)
            hdi_kc_bad(c, "typedef needs a name");
        else
            name_type(c, word, type);
    } while (hdi_kc_take(c, ','));
    hdi_kc_need(c, ';', "behind typedef");
}

/* Another name of a symbol, in the scope that is open. */
static void alias(kc *c, kc_word *word, kc_symbol *of)
{
    kc_symbol *s = hdi_kc_declare(c, word, (kc_symbol_kind)of->kind);
    if (s == NULL)
        return;
    const kc_symbol links = *s;
    *s = *of;
    s->scope = links.scope;
    s->below = links.below;
    s->next = links.next;
    s->next_global = NULL;
    if (of->kind == KC_S_GLOBAL && of->alias_of == NULL)
        s->alias_of = of;
}

static void use_namespace(kc *c)
{
    int ntokens;
    hdi_kc_next(c);
    const kc_symbol *s = hdi_kc_find_here(c, &ntokens);
    if (s != NULL && s->kind == KC_S_NAMESPACE && s->inner != NULL)
        for (kc_symbol *x = s->inner->symbols; x != NULL && !c->r.failed; x = x->next)
            alias(c, x->word, x);
    hdi_kc_skip_to(c, ';', '}');
}

static void use(kc *c)
{
    hdi_kc_next(c);
    if (hdi_kc_at(c, KC_W_NAMESPACE))
        use_namespace(c);
    else if (hdi_kc_at(c, KC_NAME) && hdi_kc_ahead(c, 1)->what == '=') {
        kc_word *word = hdi_kc_next(c)->word;
        hdi_kc_next(c);
        name_type(c, word, hdi_kc_type_name(c));
    } else {
        int ntokens;
        kc_symbol *s = hdi_kc_find_here(c, &ntokens);
        if (s != NULL && s->scope != c->scope)
            alias(c, s->word, s);
        hdi_kc_skip_to(c, ';', '}');
    }
    hdi_kc_need(c, ';', "behind using");
}

/* static_assert(condition) or static_assert(condition, text) */
static void assert_now(kc *c)
{
    hdi_kc_next(c);
    hdi_kc_need(c, '(', "behind static_assert");
    const kc_token *t = hdi_kc_token(c);
    const bool holds = hdi_kc_whole(c) != 0;
    if (hdi_kc_at(c, ',')) {
        hdi_kc_next(c);
        t = hdi_kc_token(c);
        hdi_kc_next(c);
    }
    hdi_kc_need(c, ')', "behind static_assert");
    hdi_kc_need(c, ';', "behind static_assert");
    if (!holds)
        hdi_kc_fail(&c->r, HD_VALUE, t, "static assertion failed: %.*s", (int)t->length, t->text);
}

bool hdi_kc_common_declaration(kc *c)
{
    const int what = hdi_kc_token(c)->what;
    if (what == KC_W_TYPEDEF)
        type_definition(c);
    else if (what == KC_W_USING)
        use(c);
    else if (what == KC_W_STATIC_ASSERT)
        assert_now(c);
    else
        return false;
    return true;
}

/* ---- shared memory --------------------------------------------------------------------------- */

kc_value hdi_kc_extern_shared(kc *c, const kc_type *type)
{
    if (c->dynamic_shared < 0) {
        const int32_t var =
            hdi_kc_variable(c, "extern __shared__", HDI_LIR_U8, HDI_LIR_SHARED);
        if (!c->l->failed) {
            c->l->var[var].in_memory = c->l->var[var].dynamic = true;
            c->l->var[var].count = 0;
            c->l->var[var].align = 16;
        }
        c->dynamic_shared = var;
    }
    return hdi_kc_of_variable(c, type, c->dynamic_shared);
}

/* One variable for each place of the source, however often its function is put in place. */
static int32_t shared_variable(kc *c, int32_t at, kc_word *word, const kc_type *type, int align)
{
    for (const kc_shared *s = c->shared; s != NULL; s = s->next)
        if (s->at == at && hdi_kc_same(s->type, type))
            return s->var;
    int64_t count;
    const hdi_lir_type element = hdi_kc_element(c, type, &count);
    const int32_t var = hdi_kc_variable(c, word == NULL ? "" : word->text, element, HDI_LIR_SHARED);
    kc_shared *s = hdi_kc_new(&c->r, sizeof *s);
    if (s == NULL || c->l->failed)
        return var;
    c->l->var[var].in_memory = true;
    c->l->var[var].count = count;
    c->l->var[var].align = align > hdi_kc_align(type) ? align : hdi_kc_align(type);
    *s = (kc_shared){at, var, type, c->shared};
    c->shared = s;
    return var;
}

static void shared(kc *c, const kc_spec *spec, kc_word *word, const kc_type *type)
{
    if (hdi_kc_at(c, '=') || hdi_kc_at(c, '{'))
        hdi_kc_bad(c, "shared memory has no initialiser: store to it");
    if (spec->is_extern || (type->kind == KC_ARRAY && type->count < 0))
        name_value(c, word, hdi_kc_extern_shared(c, type));
    else {
        const int32_t var = shared_variable(c, c->r.at, word, type, spec->align);
        name_value(c, word, hdi_kc_of_variable(c, type, var));
    }
}

/* ---- variables of functions ------------------------------------------------------------------ */

static void reference(kc *c, kc_word *word, const kc_type *type)
{
    if (!hdi_kc_take(c, '=')) {
        hdi_kc_bad(c, "a reference needs what it refers to");
        return;
    }
    kc_value v = hdi_kc_assignment(c);
    if (type->of->kind == KC_AUTO)
        type = hdi_kc_type_of(c, KC_REFERENCE,
                              hdi_kc_qualified(c, v.type, type->of->is_const, false), 0);
    if (!hdi_kc_is_place(v) || !hdi_kc_same(v.type, type->of)) {
        if (!type->of->is_const) {
            hdi_kc_bad(c, "a reference to %s cannot refer to this", hdi_kc_type_text(c, type->of));
            return;
        }
        const kc_value own = hdi_kc_local(c, word, type->of);
        v = hdi_kc_convert(c, v, hdi_kc_unqualified(c, type->of));
        hdi_kc_store(c, hdi_kc_again(c, own), v);
        v = own;
    }
    v = hdi_kc_stable(c, v);
    v.type = type->of;
    name_value(c, word, v);
}

/* A constant of whole or real numbers is no variable. */
static void scalar(kc *c, kc_word *word, const kc_type *type, kc_value v)
{
    int64_t bits;
    v = hdi_kc_convert(c, v, hdi_kc_unqualified(c, type));
    if (type->is_const && hdi_kc_is_number(type) && hdi_kc_constant(c, v.node, &bits)) {
        name_constant(c, word, type, bits);
        return;
    }
    const kc_value own = hdi_kc_local(c, word, type);
    hdi_kc_store(c, hdi_kc_again(c, own), v);
    name_value(c, word, own);
}

static void constant_array(kc *c, kc_word *word, const kc_type *type)
{
    int64_t count;
    const hdi_lir_type element = hdi_kc_element(c, type, &count);
    const int64_t at = hdi_lir_data(c->l, hdi_kc_bytes(c, type));
    const int32_t var = hdi_kc_variable(c, word->text, element, HDI_LIR_CONSTANT);
    if (!c->l->failed) {
        c->l->var[var].at = at;
        c->l->var[var].count = count;
        c->l->var[var].align = hdi_kc_align(type);
        c->l->var[var].in_memory = true;
    }
    hdi_kc_initialise(c, &(kc_target){.is_data = true, .data = at}, type);
    name_value(c, word, hdi_kc_of_variable(c, type, var));
}

static bool is_aggregate(const kc_type *t) { return t->kind == KC_ARRAY || t->kind == KC_STRUCT; }

static __attribute__((noinline)) void constructed(kc *c, kc_word *word, const kc_type *type)
{
    kc_call k = {.self = hdi_kc_nothing(), .token = hdi_kc_token(c)};
    hdi_kc_call_arguments(c, &k);
    if (type->kind == KC_STRUCT)
        name_value(c, word, hdi_kc_stable(c, hdi_kc_spill(c, hdi_kc_construct(c, type, &k))));
    else if (k.n == 1)
        scalar(c, word, type, k.arg[0]);
    else
        hdi_kc_bad(c, "one value is expected for %s", hdi_kc_type_text(c, type));
}

static void without_value(kc *c, kc_word *word, const kc_type *type)
{
    const kc_value own = hdi_kc_local(c, word, type);
    name_value(c, word, own);
    if (type->kind != KC_STRUCT || type->st->word == NULL)
        return;
    const kc_symbol *s = hdi_kc_find_in(type->st->scope, type->st->word);
    if (s == NULL || s->kind != KC_S_FUNCTION)
        return;
    kc_call *k = hdi_kc_new(&c->r, sizeof *k);
    if (k == NULL)
        return;
    *k = (kc_call){.self = hdi_kc_nothing(), .token = hdi_kc_token(c)};
    const kc_value made = hdi_kc_construct(c, type, k);
    hdi_kc_store(c, hdi_kc_again(c, own), made);
}

/* auto, auto * ...: what the value is. */
static bool is_auto(const kc_type *t)
{
    while (t->kind == KC_POINTER)
        t = t->of;
    return t->kind == KC_AUTO;
}

static void with_value(kc *c, const kc_spec *spec, kc_word *word, const kc_type *type)
{
    type = hdi_kc_counted(c, type);
    if (type->kind == KC_ARRAY && (spec->is_static || spec->is_constexpr || spec->is_constant)) {
        constant_array(c, word, type);
        return;
    }
    if (is_aggregate(type)) {
        const kc_value own = hdi_kc_local(c, word, type);
        hdi_kc_initialise(c, &(kc_target){.place = own}, type);
        name_value(c, word, own);
        return;
    }
    const bool brace = hdi_kc_take(c, '{');
    kc_value v = brace && hdi_kc_at(c, '}') ? hdi_kc_int(c, 0) : hdi_kc_assignment(c);
    if (brace)
        hdi_kc_need(c, '}', "behind a value");
    if (is_auto(type)) {
        v = hdi_kc_load(c, v);
        type = hdi_kc_qualified(c, hdi_kc_unqualified(c, v.type), type->is_const, false);
    }
    if (is_aggregate(type)) {
        const kc_value own = hdi_kc_local(c, word, type);
        hdi_kc_store(c, hdi_kc_again(c, own), v);
        name_value(c, word, own);
    } else
        scalar(c, word, type, v);
}

static bool has_value(kc *c)
{
    return hdi_kc_take(c, '=') || hdi_kc_at(c, '{');
}

static void local(kc *c, const kc_spec *spec, kc_word *word, const kc_type *type)
{
    const bool unsized = type->kind == KC_ARRAY && type->count < 0;
    if (spec->is_shared)
        shared(c, spec, word, type);
    else if (type->kind == KC_REFERENCE)
        reference(c, word, type);
    else if (spec->is_static && !type->is_const && !spec->is_constexpr &&
             !(type->kind == KC_ARRAY && type->of->is_const))
        hdi_kc_beyond(c, "static variables of functions are not supported: use a __device__ one");
    else if (has_value(c))
        with_value(c, spec, word, type);
    else if (hdi_kc_take(c, '('))
        constructed(c, word, type);
    else if (type->kind == KC_AUTO || type->kind == KC_VOID || unsized)
        hdi_kc_bad(c, "the variable %s needs a type of known size", word->text);
    else
        without_value(c, word, type);
}

/* A function that is declared in a function is one of the module. */
static bool prototype(kc *c)
{
    if (!hdi_kc_at(c, '('))
        return false;
    const int32_t at = c->r.at;
    hdi_kc_next(c);
    const bool is = hdi_kc_at_type(c) && hdi_kc_ahead(c, 1)->what != '(';
    hdi_kc_goto(c, at);
    return is;
}

void hdi_kc_declaration(kc *c)
{
    kc_spec spec;
    kc_word *word;
    hdi_kc_spec_read(c, &spec);
    while (!hdi_kc_at(c, ';') && !hdi_kc_ended(c)) {
        const kc_type *type = hdi_kc_declarator(c, spec.base, &word);
        if (word == NULL) {
            hdi_kc_bad(c, "a declaration needs a name");
            break;
        }
        if (prototype(c))
            hdi_kc_skip(c);
        else
            local(c, &spec, word, type);
        if (!hdi_kc_take(c, ','))
            break;
    }
    hdi_kc_need(c, ';', "behind a declaration");
}

bool hdi_kc_at_declaration(kc *c)
{
    const kc_token *t = hdi_kc_token(c);
    if (!hdi_kc_at_type(c))
        return false;
    if (t->what == KC_W_DECLTYPE || t->what == KC_W_ALIGNAS || t->what == KC_W_ATTRIBUTE ||
        t->what == KC_W_ENUM || t->what == KC_W_STRUCT || t->what == KC_W_UNION)
        return true;
    int ntokens = 1;
    if (t->what == KC_NAME || t->what == KC_SCOPE)
        hdi_kc_find_here(c, &ntokens);
    const kc_token *next = hdi_kc_ahead(c, ntokens);
    if (next->what == '(')
        return next[1].what == '*' || next[1].what == '&';
    return next->what != '{' && next->what != '.' && next->what != KC_SCOPE;
}
