/* SPDX-License-Identifier: BSD-3-Clause */
/* kc_unary.c - operators before and behind an operand, casts, sizeof. */
#include "kernel/kc_expr.h"

/* ---- casts ----------------------------------------------------------------------------------- */

/* A type in parentheses? "(double(x) + 1)" begins with one, too. */
static bool type_behind(kc *c)
{
    const int32_t at = c->r.at;
    hdi_kc_goto(c, at + 1);
    bool is = hdi_kc_at_type(c);
    if (is) {
        hdi_kc_type_name(c);
        is = !hdi_kc_at(c, '(') && !hdi_kc_at(c, '{');
    }
    hdi_kc_goto(c, at);
    return is;
}

static kc_value braced(kc *c, const kc_type *type)
{
    type = hdi_kc_counted(c, type);
    const kc_value made = hdi_kc_local(c, NULL, type);
    hdi_kc_initialise(c, &(kc_target){.place = made}, type);
    return hdi_kc_again(c, made);
}

static kc_value cast(kc *c)
{
    hdi_kc_next(c);
    const kc_type *type = hdi_kc_type_name(c);
    hdi_kc_need(c, ')', "behind a type");
    if (hdi_kc_at(c, '{'))
        return braced(c, type);
    const kc_value v = hdi_kc_unary(c);
    if (type->kind == KC_REFERENCE)                         /* the same bytes as another type */
        return hdi_kc_in_memory(type->of, hdi_kc_address(c, v));
    return hdi_kc_cast(c, v, type);
}

/* ---- sizeof ---------------------------------------------------------------------------------- */

static const kc_type *type_of_operand(kc *c)
{
    if (hdi_kc_at(c, '(') && type_behind(c)) {
        hdi_kc_next(c);
        const kc_type *type = hdi_kc_type_name(c);
        hdi_kc_need(c, ')', "behind a type");
        return type;
    }
    hdi_lir_list list;
    hdi_lir_list *old = hdi_kc_list_open(c, &list);
    c->idle++;
    const kc_type *type = hdi_kc_unary(c).type;
    c->idle--;
    c->list = old;
    return type;
}

static kc_value size_of(kc *c, bool align)
{
    const kc_type *type = hdi_kc_unreferenced(type_of_operand(c));
    return hdi_kc_number(c, KC_PLAIN_TYPE(ULONG), align ? hdi_kc_align(type)
                                                        : hdi_kc_bytes(c, type));
}

/* ---- before an operand ----------------------------------------------------------------------- */

static kc_value node1(kc *c, hdi_lir_op op, kc_value v)
{
    int64_t bits, r;
    if (hdi_kc_constant(c, v.node, &bits) && hdi_lir_fold1(op, hdi_kc_lir(v.type), bits, &r))
        return hdi_kc_number(c, v.type, r);
    return hdi_kc_load(c, hdi_kc_rvalue(v.type, hdi_kc_node(c, op, hdi_kc_lir(v.type), 0, v.node,
                                                            -1, -1), v.depth + 1));
}

static kc_value signed_one(kc *c, int what, kc_value v)
{
    kc_value r;
    if (v.type->kind == KC_STRUCT && hdi_kc_operator(c, what, &v, 1, &r))
        return r;
    v = hdi_kc_load(c, v);
    if (what == '!')
        return node1(c, HDI_LIR_NOT, hdi_kc_convert(c, v, KC_PLAIN_TYPE(BOOL)));
    const bool fits = what == '~' ? hdi_kc_is_integer(v.type) : hdi_kc_is_number(v.type);
    if (!fits) {
        hdi_kc_bad(c, "%c does not take %s", what, hdi_kc_type_text(c, v.type));
        return hdi_kc_int(c, 0);
    }
    v = hdi_kc_convert(c, v, hdi_kc_promoted(v.type));
    return what == '+' ? v : node1(c, what == '-' ? HDI_LIR_NEG : HDI_LIR_NOT, v);
}

static kc_value step(kc *c, int what, kc_value v)
{
    kc_value r;
    if (v.type->kind == KC_STRUCT && hdi_kc_operator(c, what, &v, 1, &r))
        return r;
    return hdi_kc_assign_op(c, what == KC_INC ? KC_ADD_SET : KC_SUB_SET, v, hdi_kc_int(c, 1));
}

/* Names of constants are numbers here: where an address is wanted they get a variable. */
static kc_value address(kc *c, kc_value v)
{
    int64_t bits;
    if (v.kind == KC_V_NODE && hdi_kc_constant(c, v.node, &bits)) {
        const kc_value own = hdi_kc_local(c, NULL, hdi_kc_qualified(c, v.type, true, false));
        hdi_kc_store(c, own, v);
        v = own;
    }
    const kc_type *type = hdi_kc_type_of(c, KC_POINTER, v.type, 0);
    return hdi_kc_rvalue(type, hdi_kc_address(c, v), v.depth);
}

static kc_value dereferenced(kc *c, kc_value v)
{
    kc_value r;
    if (v.type->kind == KC_STRUCT && hdi_kc_operator(c, '*', &v, 1, &r))
        return r;
    return hdi_kc_deref(c, v);
}

static kc_value unary(kc *c)
{
    const int what = hdi_kc_token(c)->what;
    switch (what) {
    case '+': case '-': case '!': case '~':
        hdi_kc_next(c);
        return signed_one(c, what, hdi_kc_unary(c));
    case '*':
        hdi_kc_next(c);
        return dereferenced(c, hdi_kc_unary(c));
    case '&':
        hdi_kc_next(c);
        return address(c, hdi_kc_unary(c));
    case KC_INC: case KC_DEC:
        hdi_kc_next(c);
        return step(c, what, hdi_kc_unary(c));
    case KC_W_SIZEOF: case KC_W_ALIGNOF:
        hdi_kc_next(c);
        return size_of(c, what == KC_W_ALIGNOF);
    case '(':
        if (type_behind(c))
            return cast(c);
        break;
    default:
        break;
    }
    return hdi_kc_postfix(c);
}

kc_value hdi_kc_unary(kc *c)
{
    if (!hdi_kc_enter(c))
        return hdi_kc_int(c, 0);
    const kc_value v = unary(c);
    hdi_kc_leave(c);
    return v;
}

/* ---- behind an operand ----------------------------------------------------------------------- */

static kc_value step_behind(kc *c, int what, kc_value v)
{
    v = hdi_kc_stable(c, v);
    const kc_value old = hdi_kc_load(c, hdi_kc_again(c, v));
    if (old.kind != KC_V_NODE) {
        hdi_kc_bad(c, "%s does not take %s", what == KC_INC ? "++" : "--",
                   hdi_kc_type_text(c, v.type));
        return v;
    }
    const int32_t var = hdi_kc_temporary(c, hdi_kc_lir(v.type));
    hdi_kc_assign(c, var, old.node);
    const kc_value kept = hdi_kc_rvalue(v.type, hdi_lir_get(c->l, var), 1);
    hdi_kc_assign_op(c, '=', v, hdi_kc_binary(c, what == KC_INC ? '+' : '-', kept,
                                              hdi_kc_int(c, 1)));
    return hdi_kc_rvalue(v.type, hdi_lir_get(c->l, var), 1);
}

static bool ends(int what) { return what == ';' || what == ')' || what == ','; }

static kc_value subscript(kc *c, kc_value v)
{
    kc_value arg[2] = {v, hdi_kc_expression(c)}, r;
    hdi_kc_need(c, ']', "behind an index");
    if (v.type->kind == KC_STRUCT && hdi_kc_operator(c, KC_X_INDEX, arg, 2, &r))
        return r;
    if (hdi_kc_is_integer(v.type))                          /* C: 3[a] */
        return hdi_kc_element_of(c, arg[1], v);
    return hdi_kc_element_of(c, v, arg[1]);
}

static __attribute__((noinline)) kc_value called(kc *c, kc_value v)
{
    kc_call k = {.self = v, .token = hdi_kc_token(c)};
    kc_value r = hdi_kc_int(c, 0);
    hdi_kc_call_arguments(c, &k);
    kc_word *word = hdi_kc_operator_name(c, KC_X_CALL);
    kc_symbol *s = v.type->kind == KC_STRUCT ? hdi_kc_find_in(v.type->st->scope, word) : NULL;
    if (s != NULL)
        hdi_kc_call(c, s, &k, true, &r);
    else
        hdi_kc_bad(c, "%s cannot be called", hdi_kc_type_text(c, v.type));
    return r;
}

static kc_value member(kc *c, kc_value v, bool arrow)
{
    kc_value r;
    if (arrow && v.type->kind == KC_STRUCT && hdi_kc_operator(c, KC_ARROW, &v, 1, &r))
        v = hdi_kc_deref(c, r);
    else if (arrow)
        v = hdi_kc_deref(c, v);
    hdi_kc_take(c, KC_W_TEMPLATE);
    if (hdi_kc_at(c, KC_W_OPERATOR)) {
        hdi_kc_next(c);
        return hdi_kc_member(c, v, hdi_kc_operator_name(c, hdi_kc_operator_read(c)));
    }
    return hdi_kc_member(c, v, hdi_kc_need_name(c));
}

kc_value hdi_kc_postfix(kc *c)
{
    const bool effect = c->effect_at == c->r.at;
    c->effect_at = -1;
    kc_value v = hdi_kc_primary(c);
    for (;;) {
        const int what = hdi_kc_token(c)->what;
        if (what == '[' || what == '(' || what == '.' || what == KC_ARROW || what == KC_INC ||
            what == KC_DEC)
            hdi_kc_next(c);
        else
            return v;
        if (what == '[')
            v = subscript(c, v);
        else if (what == '(')
            v = called(c, v);
        else if (what == '.' || what == KC_ARROW)
            v = member(c, v, what == KC_ARROW);
        else if (v.type->kind == KC_STRUCT || (effect && ends(hdi_kc_token(c)->what)))
            v = step(c, what, v);
        else
            v = step_behind(c, what, v);
    }
}
