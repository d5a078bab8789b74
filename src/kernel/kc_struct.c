/* SPDX-License-Identifier: BSD-3-Clause */
/* kc_struct.c - structs and unions: C's layout. Functions of them are kept as tokens. */
#include "kernel/kc_expr.h"

/* ---- fields ---------------------------------------------------------------------------------- */

static int64_t aligned(int64_t x, int64_t align) { return (x + align - 1) & ~(align - 1); }

static void field_add(kc *c, kc_struct *s, kc_word *word, const kc_type *type, int align)
{
    kc_field *f = hdi_kc_new(&c->r, sizeof *f);
    const int64_t bytes = hdi_kc_bytes(c, type);
    if (align < hdi_kc_align(type))
        align = hdi_kc_align(type);
    if (f == NULL || c->r.failed)
        return;
    *f = (kc_field){word, type, s->is_union ? 0 : aligned(s->bytes, align), NULL};
    s->bytes = s->is_union ? hdi_max64(s->bytes, bytes) : f->offset + bytes;
    if (s->align < align)
        s->align = align;
    if (s->last != NULL)
        s->last->next = f;
    else
        s->first = f;
    s->last = f;
    kc_symbol *symbol = hdi_kc_declare(c, word, KC_S_FIELD);
    if (symbol != NULL)
        symbol->field = f;
    if (s->bytes > INT32_MAX)
        hdi_kc_bad(c, "a struct is larger than 2 GB");
}

/* Fields of a struct without a name belong to the one around it. */
static void names_inside(kc *c, const kc_type *type)
{
    for (kc_field *f = type->st->first; f != NULL; f = f->next) {
        kc_symbol *symbol = hdi_kc_declare(c, f->word, KC_S_FIELD);
        if (symbol != NULL)
            symbol->field = f;
    }
}

kc_field *hdi_kc_field(kc_struct *s, const kc_word *word, int64_t *offset)
{
    for (kc_field *f = s == NULL ? NULL : s->first; f != NULL; f = f->next) {
        kc_field *inner;
        *offset = f->offset;
        if (f->word == word && word != NULL)
            return f;
        if (f->word == NULL && f->type->kind == KC_STRUCT &&
            (inner = hdi_kc_field(f->type->st, word, offset)) != NULL) {
            *offset += f->offset;
            return inner;
        }
    }
    return NULL;
}

static void constant_member(kc *c, kc_word *word, const kc_type *type)
{
    kc_symbol *s = hdi_kc_declare(c, word, KC_S_CONSTANT);
    if (!hdi_kc_take(c, '=') || s == NULL) {
        hdi_kc_beyond(c, "static members that are no constants are not supported");
        return;
    }
    const kc_value v = hdi_kc_convert(c, hdi_kc_assignment(c), type);
    s->value = (kc_value){.type = hdi_kc_bare(type), .kind = KC_V_NODE};
    if (!hdi_kc_constant(c, v.node, &s->bits))
        hdi_kc_bad(c, "the value of a static member must be a constant");
}

static void field(kc *c, kc_struct *s, const kc_spec *spec)
{
    kc_word *word;
    const kc_type *type = hdi_kc_declarator(c, spec->base, &word);
    if (spec->is_static)
        constant_member(c, word, type);
    else if (hdi_kc_at(c, ':'))
        hdi_kc_beyond(c, "fields of so many bits are not supported: use shifts and masks");
    else if (hdi_kc_at(c, '=') || hdi_kc_at(c, '{'))
        hdi_kc_beyond(c, "initialisers of fields are not supported: write a constructor");
    else if (type->kind == KC_REFERENCE)
        hdi_kc_beyond(c, "references as fields are not supported: use a pointer");
    else
        field_add(c, s, word, type, spec->align);
}

static void fields(kc *c, kc_struct *s)
{
    kc_spec spec;
    hdi_kc_spec_read(c, &spec);
    if (hdi_kc_at(c, ';') && spec.base->kind == KC_STRUCT && spec.base->st->word == NULL) {
        field_add(c, s, NULL, spec.base, spec.align);
        names_inside(c, spec.base);
    } else if (!hdi_kc_at(c, ';')) {
        do
            field(c, s, &spec);
        while (hdi_kc_take(c, ','));
    }
    hdi_kc_need(c, ';', "behind a field");
}

static void member(kc *c, kc_struct *s)
{
    if (hdi_kc_take(c, KC_W_ACCESS))
        hdi_kc_need(c, ':', "behind it");
    else if (hdi_kc_at(c, KC_W_BEYOND) || hdi_kc_at(c, '~'))
        hdi_kc_beyond(c, "this kind of member is not supported in kernels");
    else if (hdi_kc_at(c, KC_W_TEMPLATE))
        hdi_kc_template_read(c, s);
    else if (hdi_kc_take(c, ';') || hdi_kc_common_declaration(c))
        return;
    else if (hdi_kc_at_function(c))
        hdi_kc_function_read(c, -1, s);
    else
        fields(c, s);
}

/* ---- structs --------------------------------------------------------------------------------- */

static void body(kc *c, kc_struct *s)
{
    kc_scope *old = c->scope;
    if (!hdi_kc_enter(c))
        return;
    c->scope = s->scope;
    hdi_kc_need(c, '{', "of a struct");
    while (!hdi_kc_at(c, '}') && !hdi_kc_ended(c))
        member(c, s);
    hdi_kc_need(c, '}', "behind a struct");
    c->scope = old;
    s->bytes = s->bytes == 0 ? 1 : aligned(s->bytes, s->align);
    s->complete = true;
    hdi_kc_leave(c);
}

static kc_struct *struct_new(kc *c, kc_word *word, kc_scope *scope)
{
    kc_struct *s = hdi_kc_new(&c->r, sizeof *s);
    if (s == NULL)
        return NULL;
    s->word = word;
    s->align = 1;
    s->scope = scope != NULL ? scope : hdi_kc_scope_new(c, c->scope);
    s->scope->st = s;
    return c->r.failed ? NULL : s;
}

static const kc_type *type_of(kc *c, kc_struct *s)
{
    kc_type *t = s == NULL ? NULL : hdi_kc_new(&c->r, sizeof *t);
    if (t == NULL)
        return KC_PLAIN_TYPE(INT);
    *t = (kc_type){.kind = KC_STRUCT, .st = s};
    return t;
}

/* The struct of that name, which may be known by now only as a name. */
static const kc_type *declared(kc *c, kc_word *word, bool here)
{
    kc_symbol *s = here ? hdi_kc_find_in(c->scope, word) : hdi_kc_find(c, c->scope, word);
    const bool replaces = here && s != NULL && s->ours && (hdi_kc_token(c)->flags & KC_OURS) == 0;
    if (s != NULL && s->kind == KC_S_TYPE && s->type->kind == KC_STRUCT && !replaces)
        return s->type;
    const kc_type *type = type_of(c, struct_new(c, word, NULL));
    s = hdi_kc_declare(c, word, KC_S_TYPE);
    if (s != NULL)
        s->type = type;
    return type;
}

const kc_type *hdi_kc_struct_read(kc *c)
{
    const bool is_union = hdi_kc_next(c)->what == KC_W_UNION;
    kc_spec spec = {.base = NULL};
    while (hdi_kc_attribute(c, &spec))
        ;
    kc_word *word = hdi_kc_at(c, KC_NAME) ? hdi_kc_next(c)->word : NULL;
    kc_symbol *known = hdi_kc_find(c, c->scope, word);
    if (known != NULL && known->kind == KC_S_TEMPLATE && hdi_kc_at(c, '<')) {
        kc_argument a[KC_MAX_ARGUMENTS];
        const int n = hdi_kc_arguments(c, a);
        return hdi_kc_instance(c, known, a, n);
    }
    while (hdi_kc_attribute(c, &spec))
        ;
    if (hdi_kc_at(c, ':')) {
        hdi_kc_beyond(c, "structs that build on others are not supported: make it a field");
        return KC_PLAIN_TYPE(INT);
    }
    const bool defined = hdi_kc_at(c, '{');
    const kc_type *type = word == NULL ? type_of(c, struct_new(c, NULL, NULL))
                                       : declared(c, word, defined);
    if (!defined || type->kind != KC_STRUCT)
        return type;
    if (type->st->complete) {
        hdi_kc_bad(c, "struct %s is defined a second time", hdi_kc_type_text(c, type));
        return type;
    }
    type->st->is_union = is_union;
    if (type->st->align < spec.align)
        type->st->align = spec.align;
    body(c, type->st);
    return type;
}

/* ---- instances of templates ------------------------------------------------------------------ */

static bool equal(const kc_argument *a, const kc_argument *b, int n)
{
    for (int i = 0; i < n; i++)
        if (a[i].is_value != b[i].is_value ||
            (a[i].is_value ? a[i].value != b[i].value
                           : a[i].type->is_const != b[i].type->is_const ||
                                 !hdi_kc_same(a[i].type, b[i].type)))
            return false;
    return true;
}

static bool depends(const kc_argument *a, int n)
{
    for (int i = 0; i < n; i++)
        if (a[i].is_value ? a[i].value >= KC_VALUE_WANTED(0) &&
                                a[i].value < KC_VALUE_WANTED(KC_MAX_ARGUMENTS)
                          : hdi_kc_depends(a[i].type))
            return true;
    return false;
}

static const kc_type *made(kc *c, kc_symbol *t, const kc_argument *a, int n, kc_scope *scope)
{
    kc_argument *kept = hdi_kc_new(&c->r, ((size_t)n + 1) * sizeof *kept);
    kc_struct *s = struct_new(c, t->word, scope);
    if (s == NULL || kept == NULL)
        return KC_PLAIN_TYPE(INT);
    memcpy(kept, a, (size_t)n * sizeof *kept);
    s->origin = t;
    s->argument = kept;
    s->narguments = n;
    s->dependent = depends(a, n);
    s->sibling = t->instances;
    t->instances = s;
    if (!s->dependent) {
        hdi_kc_goto(c, t->at);
        s->is_union = hdi_kc_next(c)->what == KC_W_UNION;
        kc_spec spec = {.base = NULL};
        while (!hdi_kc_at(c, '{') && !hdi_kc_ended(c) && !hdi_kc_at(c, ':'))
            if (!hdi_kc_attribute(c, &spec))
                hdi_kc_next(c);
        s->align = spec.align > 1 ? spec.align : 1;
        body(c, s);
    }
    return type_of(c, s);
}

/* The scope of the arguments is that of the members as well. */
const kc_type *hdi_kc_instance(kc *c, kc_symbol *t, const kc_argument *given, int n)
{
    kc_argument a[KC_MAX_ARGUMENTS] = {{NULL, false, false, 0}};
    memcpy(a, given, (size_t)n * sizeof *a);
    const int32_t at = c->r.at;
    kc_scope *old = c->scope, *scope = hdi_kc_scope_new(c, t->scope);
    const kc_type *type = NULL;
    if (!hdi_kc_enter(c))
        return KC_PLAIN_TYPE(INT);
    c->scope = scope;
    if (!hdi_kc_bind(c, t->parameters, a, &n, false))
        hdi_kc_bad(c, "the template %s needs more arguments", t->word->text);
    if (t->is_alias) {
        hdi_kc_goto(c, t->at);
        type = hdi_kc_type_name(c);
    }
    for (kc_struct *s = t->instances; s != NULL && type == NULL; s = s->sibling)
        if (equal(s->argument, a, n)) {
            type = type_of(c, s);
            hdi_kc_scope_close(c, scope);
        }
    if (type == NULL)
        type = made(c, t, a, n, scope);
    c->scope = old;
    hdi_kc_leave(c);
    hdi_kc_goto(c, at);
    return type;
}

/* ---- members of an object -------------------------------------------------------------------- */

static __attribute__((noinline)) kc_value call_member(kc *c, kc_value object, kc_symbol *s)
{
    kc_call k = {.self = object, .token = hdi_kc_token(c)};
    kc_value r = hdi_kc_int(c, 0);
    if (hdi_kc_at(c, '<')) {
        k.has_given = true;
        k.ngiven = hdi_kc_arguments(c, k.given);
    }
    hdi_kc_need(c, '(', "of a call");
    hdi_kc_call_arguments(c, &k);
    hdi_kc_call(c, s, &k, true, &r);
    return r;
}

kc_value hdi_kc_member(kc *c, kc_value object, kc_word *word)
{
    int64_t offset = 0;
    if (c->r.failed || word == NULL)
        return hdi_kc_int(c, 0);
    if (object.type->kind != KC_STRUCT || object.kind != KC_V_MEMORY) {
        hdi_kc_bad(c, "%s has no member %s", hdi_kc_type_text(c, object.type), word->text);
        return hdi_kc_int(c, 0);
    }
    const kc_field *f = hdi_kc_field(object.type->st, word, &offset);
    if (f != NULL)
        return hdi_kc_at_offset(c, object, offset,
                                hdi_kc_qualified(c, f->type, object.type->is_const,
                                                 object.type->is_volatile));
    kc_symbol *s = hdi_kc_find_in(object.type->st->scope, word);
    if (s != NULL && s->kind == KC_S_CONSTANT)
        return hdi_kc_number(c, s->value.type, s->bits);
    if (s != NULL && s->kind == KC_S_FUNCTION)
        return call_member(c, object, s);
    hdi_kc_bad(c, "%s has no member %s", hdi_kc_type_text(c, object.type), word->text);
    return hdi_kc_int(c, 0);
}

/* template <> struct name<arguments> { ... }; at the <. */
void hdi_kc_specialise(kc *c, kc_symbol *t)
{
    kc_argument *a = hdi_kc_new(&c->r, KC_MAX_ARGUMENTS * sizeof *a);
    if (a == NULL)
        return;
    const int n = hdi_kc_arguments(c, a);
    kc_struct *s = struct_new(c, t->word, hdi_kc_scope_new(c, t->scope));
    if (s == NULL)
        return;
    s->origin = t;
    s->argument = a;
    s->narguments = n;
    s->sibling = t->instances;
    t->instances = s;
    if (hdi_kc_at(c, '{'))
        body(c, s);
    else
        hdi_kc_beyond(c, "structs that build on others are not supported: make it a field");
    hdi_kc_need(c, ';', "behind a struct");
}
