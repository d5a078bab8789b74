/* SPDX-License-Identifier: BSD-3-Clause */
/* kc_init.c - initialisers: values, lists with and without inner braces, texts; of variables, which
 * are stores, and of data of the module, which must be constants. */
#include "kernel/kc_expr.h"

enum { MANY = 16 };            /* parts from which on zeros are stored by a loop */

/* ---- zeros ----------------------------------------------------------------------------------- */

static int64_t parts_of(const kc_type *t)
{
    int64_t n = 1;
    for (; t->kind == KC_ARRAY; t = t->of)
        n *= t->count > 0 ? t->count : 1;
    int64_t fields = t->kind == KC_STRUCT ? 0 : 1;
    if (t->kind == KC_STRUCT)
        for (const kc_field *f = t->st->first; f != NULL && fields <= MANY; f = f->next)
            fields += parts_of(f->type);
    return n > MANY ? n : n * fields;
}

static void zero_loop(kc *c, kc_value place, const kc_type *type)
{
    int64_t count;
    const hdi_lir_type element = hdi_kc_element(c, type, &count);
    const int64_t bytes = hdi_lir_types[element].bytes;
    const int32_t i = hdi_kc_temporary(c, HDI_LIR_I64);
    hdi_lir *l = c->l;
    hdi_kc_assign(c, i, hdi_lir_const(l, HDI_LIR_I64, 0));
    hdi_lir_list turn, step;
    hdi_lir_list *old = hdi_kc_list_open(c, &turn);
    const int32_t ended = hdi_kc_node(c, HDI_LIR_LE, HDI_LIR_BOOL, 0,
                                      hdi_lir_const(l, HDI_LIR_I64, count), hdi_lir_get(l, i), -1);
    hdi_kc_emit(c, HDI_LIR_IF, 0, ended,
                hdi_kc_node(c, HDI_LIR_BREAK, HDI_LIR_VOID, 1, -1, -1, -1));
    const int32_t at = hdi_kc_node(c, HDI_LIR_OFFSET, HDI_LIR_POINTER, bytes, place.node,
                                   hdi_lir_get(l, i), -1);
    hdi_kc_emit(c, HDI_LIR_STORE, 0, at, hdi_lir_const(l, element, 0));
    hdi_kc_list_open(c, &step);
    hdi_kc_assign(c, i, hdi_kc_node(c, HDI_LIR_ADD, HDI_LIR_I64, 0, hdi_lir_get(l, i),
                                    hdi_lir_const(l, HDI_LIR_I64, 1), -1));
    c->list = old;
    hdi_kc_emit(c, HDI_LIR_LOOP, 0, turn.first, step.first);
    if (!l->failed)
        l->node[c->list->last].flags |= HDI_LIR_COUNTED;
}

static void zero_parts(kc *c, kc_value place, const kc_type *type, int64_t at)
{
    if (type->kind == KC_ARRAY) {
        const int64_t bytes = hdi_kc_bytes(c, type->of);
        for (int64_t i = 0; i < type->count && !c->r.failed; i++)
            zero_parts(c, place, type->of, at + i * bytes);
    } else if (type->kind == KC_STRUCT) {
        for (const kc_field *f = type->st->first; f != NULL; f = f->next)
            zero_parts(c, place, f->type, at + f->offset);
    } else {
        const int32_t zero = hdi_lir_const(c->l, hdi_kc_lir(type), 0);
        hdi_kc_store(c, hdi_kc_at_offset(c, hdi_kc_again(c, place), at, hdi_kc_bare(type)),
                     hdi_kc_rvalue(type, zero, 1));
    }
}

void hdi_kc_zero(kc *c, const kc_target *t, const kc_type *type)
{
    if (t->is_data || c->r.failed)
        return;
    const bool is_union = type->kind == KC_STRUCT && type->st->is_union;
    if (is_union || parts_of(type) > MANY)
        zero_loop(c, hdi_kc_again(c, t->place), type);
    else
        zero_parts(c, hdi_kc_stable(c, t->place), type, 0);
}

/* ---- parts ----------------------------------------------------------------------------------- */

static void data_write(kc *c, int64_t at, const kc_type *type, kc_value v)
{
    int64_t bits;
    const int bytes = hdi_lir_types[hdi_kc_lir(type)].bytes;
    if (v.kind != KC_V_NODE || !hdi_kc_constant(c, v.node, &bits))
        hdi_kc_bad(c, "the initialiser of a variable of the module must be a constant");
    else if (!c->l->failed && at + bytes <= c->l->data_bytes)
        memcpy(c->l->data + at, &bits, (size_t)bytes);      /* little-endian, as all targets are */
}

static void write(kc *c, const kc_target *t, int64_t at, const kc_type *type, kc_value v)
{
    v = hdi_kc_convert(c, v, hdi_kc_unqualified(c, type));
    if (t->is_data && hdi_kc_is_scalar(type))
        data_write(c, t->data + at, type, v);
    else if (t->is_data)
        hdi_kc_bad(c, "the initialiser of a variable of the module must be a list of constants");
    else if (t->place.kind == KC_V_VARIABLE)
        hdi_kc_store(c, t->place, v);
    else
        hdi_kc_store(c, hdi_kc_at_offset(c, hdi_kc_again(c, t->place), at,
                                         hdi_kc_unqualified(c, type)), v);
}

static void object(kc *c, const kc_target *t, const kc_type *type, int64_t at, const kc_value *v);

/* The part that comes next; false: there are no more. */
typedef struct part { const kc_type *type; int64_t at, i; const kc_field *field; } part;

static bool part_at(kc *c, const kc_type *type, part *p)
{
    if (type->kind == KC_ARRAY) {
        p->type = type->of;
        p->at = p->i * hdi_kc_bytes(c, type->of);
        return type->count < 0 || p->i < type->count;
    }
    const kc_field *f = p->field;
    if (f == NULL || (type->st->is_union && p->i > 0))
        return false;
    p->type = f->type;
    p->at = f->offset;
    return true;
}

static void part_next(part *p)
{
    p->i++;
    p->field = p->field == NULL ? NULL : p->field->next;
}

/* .x = ... */
static void designator(kc *c, const kc_type *type, part *p)
{
    if (!hdi_kc_at(c, '.') || type->kind != KC_STRUCT)
        return;
    hdi_kc_next(c);
    const kc_word *word = hdi_kc_need_name(c);
    hdi_kc_need(c, '=', "behind a field's name");
    for (p->field = type->st->first; p->field != NULL && p->field->word != word;)
        p->field = p->field->next;
}

static part first_part(const kc_type *type)
{
    return (part){.i = 0, .field = type->kind == KC_STRUCT ? type->st->first : NULL};
}

static void braced(kc *c, const kc_target *t, const kc_type *type, int64_t at)
{
    part p = first_part(type);
    while (!hdi_kc_at(c, '}') && !hdi_kc_ended(c)) {
        designator(c, type, &p);
        if (!part_at(c, type, &p)) {
            hdi_kc_bad(c, "the list has more values than %s holds", hdi_kc_type_text(c, type));
            break;
        }
        object(c, t, p.type, at + p.at, NULL);
        part_next(&p);
        if (!hdi_kc_take(c, ','))
            break;
    }
    hdi_kc_need(c, '}', "behind a list of values");
}

static void without_braces(kc *c, const kc_target *t, const kc_type *type, int64_t at,
                           const kc_value *v)
{
    part p = first_part(type);
    while (part_at(c, type, &p) && !c->r.failed) {
        object(c, t, p.type, at + p.at, v);
        v = NULL;
        part_next(&p);
        if (!part_at(c, type, &p) || !hdi_kc_at(c, ',') || hdi_kc_ahead(c, 1)->what == '}')
            break;
        hdi_kc_next(c);
    }
}

static void scalar(kc *c, const kc_target *t, const kc_type *type, int64_t at)
{
    const bool brace = hdi_kc_take(c, '{');
    if (brace && hdi_kc_at(c, '}'))
        write(c, t, at, type, hdi_kc_int(c, 0));
    else
        write(c, t, at, type, hdi_kc_assignment(c));
    if (brace) {
        hdi_kc_take(c, ',');
        hdi_kc_need(c, '}', "behind a value");
    }
}

static void letters(kc *c, const kc_target *t, const kc_type *type, int64_t at)
{
    int64_t i = 0;
    for (; hdi_kc_at(c, KC_TEXT); hdi_kc_next(c)) {
        const kc_token *token = hdi_kc_token(c);
        char *text = hdi_kc_new(&c->r, (size_t)token->length);
        const int32_t n = text == NULL ? 0 : hdi_kc_letters(token, text);
        for (int32_t j = 0; j < n && i < type->count; j++, i++)
            write(c, t, at + i, type->of, hdi_kc_int(c, text[j]));
    }
}

static bool of_letters(const kc_type *type)
{
    return type->kind == KC_ARRAY && type->of->kind >= KC_CHAR && type->of->kind <= KC_UCHAR;
}

static bool is_aggregate(const kc_type *type)
{
    return type->kind == KC_ARRAY || type->kind == KC_STRUCT;
}

static bool has_constructor(const kc_type *type)
{
    const kc_symbol *s = type->kind != KC_STRUCT || type->st->word == NULL
                             ? NULL
                             : hdi_kc_find_in(type->st->scope, type->st->word);
    return s != NULL && s->kind == KC_S_FUNCTION;
}

/* T x{a, b} where T has constructors. */
static __attribute__((noinline)) void constructed(kc *c, const kc_target *t, const kc_type *type,
                                                  int64_t at)
{
    kc_call k = {.self = hdi_kc_nothing(), .token = hdi_kc_token(c)};
    while (!hdi_kc_at(c, '}') && !hdi_kc_ended(c) && k.n < KC_MAX_CALL_ARGUMENTS) {
        k.arg[k.n++] = hdi_kc_assignment(c);
        if (!hdi_kc_take(c, ','))
            break;
    }
    hdi_kc_need(c, '}', "behind a list of values");
    write(c, t, at, type, hdi_kc_construct(c, type, &k));
}

static void object(kc *c, const kc_target *t, const kc_type *type, int64_t at, const kc_value *v)
{
    if (!hdi_kc_enter(c))
        return;
    if (!is_aggregate(type) && v != NULL)
        write(c, t, at, type, *v);
    else if (!is_aggregate(type))
        scalar(c, t, type, at);
    else if (v == NULL && of_letters(type) && hdi_kc_at(c, KC_TEXT))
        letters(c, t, type, at);
    else if (v == NULL && hdi_kc_take(c, '{')) {
        if (has_constructor(type))
            constructed(c, t, type, at);
        else
            braced(c, t, type, at);
    } else {
        const kc_value x = v != NULL ? *v : hdi_kc_assignment(c);
        if (type->kind == KC_STRUCT && (x.type->kind == KC_STRUCT || has_constructor(type)))
            write(c, t, at, type, x);
        else
            without_braces(c, t, type, at, &x);
    }
    hdi_kc_leave(c);
}

void hdi_kc_initialise(kc *c, const kc_target *t, const kc_type *type)
{
    kc_target stable = *t;
    stable.place = hdi_kc_stable(c, t->place);
    const bool list = hdi_kc_at(c, '{') || (of_letters(type) && hdi_kc_at(c, KC_TEXT));
    if (type->kind == KC_ARRAY && !list)
        hdi_kc_bad(c, "an array's initialiser is a list in { }");
    else if (list && is_aggregate(type) && !has_constructor(type))
        hdi_kc_zero(c, &stable, type);
    object(c, &stable, type, 0, NULL);
}

/* ---- how many -------------------------------------------------------------------------------- */

static int64_t letters_count(kc *c)
{
    int64_t n = 1;
    for (const kc_token *t = hdi_kc_token(c); t->what == KC_TEXT; t++) {
        char *text = hdi_kc_new(&c->r, (size_t)t->length);
        n += text == NULL ? 0 : hdi_kc_letters(t, text);
    }
    return n;
}

const kc_type *hdi_kc_counted(kc *c, const kc_type *type)
{
    const int32_t at = c->r.at;
    if (type->kind != KC_ARRAY || type->count >= 0)
        return type;
    if (hdi_kc_at(c, KC_TEXT))
        return hdi_kc_type_of(c, KC_ARRAY, type->of, letters_count(c));
    if (!hdi_kc_take(c, '{'))
        return type;
    const bool inner = hdi_kc_at(c, '{') || !is_aggregate(type->of);
    int64_t n = 0;
    while (!hdi_kc_at(c, '}') && !hdi_kc_ended(c)) {
        hdi_kc_skip_to(c, ',', '}');
        n++;
        hdi_kc_take(c, ',');
    }
    hdi_kc_goto(c, at);
    const int64_t each = inner ? 1 : parts_of(type->of);
    return hdi_kc_type_of(c, KC_ARRAY, type->of, (n + each - 1) / (each > 0 ? each : 1));
}
