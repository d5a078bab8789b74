/* SPDX-License-Identifier: BSD-3-Clause */
/* kc_expr.c - operators of two and three operands, and assignments. Operands may have effects,
 * which are statements by then; where C may leave an operand out, they stand in an IF. */
#include "kernel/kc_expr.h"

/* ---- arithmetic ------------------------------------------------------------------------------ */

static int depth_of(kc_value x, kc_value y)
{
    return (x.depth > y.depth ? x.depth : y.depth) + 1;
}

static kc_value node2(kc *c, hdi_lir_op op, const kc_type *type, kc_value x, kc_value y)
{
    const hdi_lir_type of = c->l->failed ? HDI_LIR_I32 : (hdi_lir_type)c->l->node[x.node].type;
    int64_t a, b, r;
    if (hdi_kc_constant(c, x.node, &a) && hdi_kc_constant(c, y.node, &b) &&
        hdi_lir_fold2(op, of, a, b, &r))
        return hdi_kc_number(c, type, r);
    return hdi_kc_load(c, hdi_kc_rvalue(type, hdi_kc_node(c, op, hdi_kc_lir(type), 0, x.node,
                                                          y.node, -1), depth_of(x, y)));
}

static const struct { uint16_t what; int8_t level; uint8_t op; } rows[] = {
    {KC_OR, 2, 0},  {KC_AND, 3, 0}, {'|', 4, HDI_LIR_OR}, {'^', 5, HDI_LIR_XOR},
    {'&', 6, HDI_LIR_AND}, {KC_EQ, 7, HDI_LIR_EQ}, {KC_NE, 7, HDI_LIR_NE}, {'<', 8, HDI_LIR_LT},
    {'>', 8, HDI_LIR_LT}, {KC_LE, 8, HDI_LIR_LE}, {KC_GE, 8, HDI_LIR_LE},
    {KC_SHL, 9, HDI_LIR_SHL}, {KC_X_SHR, 9, HDI_LIR_SHR}, {'+', 10, HDI_LIR_ADD},
    {'-', 10, HDI_LIR_SUB}, {'*', 11, HDI_LIR_MUL}, {'/', 11, HDI_LIR_DIV}, {'%', 11, HDI_LIR_REM},
};

static int row_of(int what)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].what == what)
            return (int)i;
    return -1;
}

static bool compares(int level) { return level == 7 || level == 8; }

static kc_value refuse(kc *c, kc_value x, kc_value y)
{
    hdi_kc_bad(c, "this operator does not take %s and %s", hdi_kc_type_text(c, x.type),
               hdi_kc_type_text(c, y.type));
    return hdi_kc_int(c, 0);
}

static kc_value shift(kc *c, hdi_lir_op op, kc_value x, kc_value y)
{
    const kc_type *type = hdi_kc_promoted(x.type);
    x = hdi_kc_convert(c, x, type);
    y = hdi_kc_convert(c, hdi_kc_convert(c, y, hdi_kc_promoted(y.type)), KC_PLAIN_TYPE(UINT));
    return node2(c, op, type, x, y);
}

static kc_value of_numbers(kc *c, int what, kc_value x, kc_value y)
{
    const int i = row_of(what), level = rows[i].level;
    const kc_type *type = hdi_kc_common(x.type, y.type);
    const bool whole = level == 9 || (level >= 4 && level <= 6) || what == '%';
    if (whole && !(hdi_kc_is_integer(x.type) && hdi_kc_is_integer(y.type)))
        return refuse(c, x, y);
    if (level == 9)
        return shift(c, (hdi_lir_op)rows[i].op, x, y);
    x = hdi_kc_convert(c, x, type);
    y = hdi_kc_convert(c, y, type);
    if (what == '>' || what == KC_GE)
        return node2(c, (hdi_lir_op)rows[i].op, KC_PLAIN_TYPE(BOOL), y, x);
    return node2(c, (hdi_lir_op)rows[i].op, compares(level) ? KC_PLAIN_TYPE(BOOL) : type, x, y);
}

static kc_value difference(kc *c, kc_value x, kc_value y)
{
    const kc_type *type = KC_PLAIN_TYPE(LONG);
    const int64_t bytes = x.type->of->kind == KC_VOID ? 1 : hdi_kc_bytes(c, x.type->of);
    x = hdi_kc_cast(c, x, type);
    y = hdi_kc_cast(c, y, type);
    const kc_value by = node2(c, HDI_LIR_SUB, type, x, y);
    return bytes <= 1 ? by : node2(c, HDI_LIR_DIV, type, by, hdi_kc_number(c, type, bytes));
}

static kc_value of_pointers(kc *c, int what, kc_value x, kc_value y)
{
    const int i = row_of(what);
    const bool both = x.type->kind == KC_POINTER && y.type->kind == KC_POINTER;
    if (what == '+' && !both)
        return x.type->kind == KC_POINTER ? hdi_kc_step(c, x, y, false)
                                          : hdi_kc_step(c, y, x, false);
    if (what == '-' && x.type->kind == KC_POINTER && !both)
        return hdi_kc_step(c, x, y, true);
    if (what == '-' && both)
        return difference(c, x, y);
    if (!compares(rows[i].level))
        return refuse(c, x, y);
    const kc_type *type = x.type->kind == KC_POINTER ? x.type : y.type;
    x = both ? x : hdi_kc_convert(c, x, type);
    y = both ? y : hdi_kc_convert(c, y, type);
    const bool swap = what == '>' || what == KC_GE;
    return node2(c, (hdi_lir_op)rows[i].op, KC_PLAIN_TYPE(BOOL), swap ? y : x, swap ? x : y);
}

static kc_value as_number(kc *c, kc_value v)
{
    kc_value r;
    if (hdi_kc_converts(c, v.type) && hdi_kc_operator(c, KC_W_OPERATOR, &v, 1, &r))
        v = r;
    return hdi_kc_load(c, v);
}

kc_value hdi_kc_binary(kc *c, int what, kc_value x, kc_value y)
{
    kc_value arg[2] = {x, y}, r;
    if ((x.type->kind == KC_STRUCT || y.type->kind == KC_STRUCT) && !c->r.failed &&
        hdi_kc_operator(c, what, arg, 2, &r))
        return r;
    x = as_number(c, x);
    y = as_number(c, y);
    if (c->r.failed || x.kind != KC_V_NODE || y.kind != KC_V_NODE)
        return refuse(c, x, y);
    if (x.type->kind == KC_POINTER || y.type->kind == KC_POINTER)
        return of_pointers(c, what, x, y);
    return of_numbers(c, what, x, y);
}

/* ---- && and || ------------------------------------------------------------------------------- */

static kc_value binary_level(kc *c, int least);

/* The right side has statements: they are run only where it counts. */
static int32_t logical_if(kc *c, bool both, int32_t x, int32_t y, hdi_lir_list *right)
{
    const int32_t var = hdi_kc_temporary(c, HDI_LIR_BOOL);
    hdi_kc_assign(c, var, x);
    hdi_lir_list *old = c->list;
    c->list = right;
    hdi_kc_assign(c, var, y);
    c->list = old;
    int32_t when = hdi_lir_get(c->l, var);
    if (!both)
        when = hdi_kc_node(c, HDI_LIR_NOT, HDI_LIR_BOOL, 0, when, -1, -1);
    hdi_kc_emit(c, HDI_LIR_IF, 0, when, right->first);
    return hdi_lir_get(c->l, var);
}

static kc_value logical(kc *c, int what, kc_value left, int level)
{
    const bool both = what == KC_AND;
    const kc_type *type = KC_PLAIN_TYPE(BOOL);
    const kc_value x = hdi_kc_convert(c, left, type);
    int64_t bits;
    const bool known = hdi_kc_constant(c, x.node, &bits);
    const bool settled = known && (bits != 0) != both;
    hdi_lir_list right;
    hdi_lir_list *old = hdi_kc_list_open(c, &right);
    c->idle += settled;
    const kc_value y = hdi_kc_convert(c, binary_level(c, level + 1), type);
    c->idle -= settled;
    c->list = old;
    if (settled)
        return x;
    if (known) {
        hdi_kc_splice(c, &right);
        return y;
    }
    const int32_t node = right.first >= 0
                             ? logical_if(c, both, x.node, y.node, &right)
                             : hdi_kc_node(c, both ? HDI_LIR_BOTH : HDI_LIR_EITHER, HDI_LIR_BOOL,
                                           0, x.node, y.node, -1);
    return hdi_kc_load(c, hdi_kc_rvalue(type, node, depth_of(x, y)));
}

/* ---- levels ---------------------------------------------------------------------------------- */

/* The operator here, 0: none; of how many tokens it is. A > > without space is a shift. */
static int operator_here(kc *c, int *ntokens)
{
    const kc_token *t = hdi_kc_token(c);
    const bool joined = t->what == '>' && (t[1].flags & KC_SPACE) == 0;
    *ntokens = 1;
    if (t->what == '>' && c->closed_list)
        return 0;
    if (joined && t[1].what == KC_GE)
        return 0;
    if (joined && t[1].what == '>') {
        *ntokens = 2;
        return KC_X_SHR;
    }
    return t->what;
}

static kc_value binary_level(kc *c, int least)
{
    kc_value x = hdi_kc_unary(c);
    for (;;) {
        int ntokens;
        const int what = operator_here(c, &ntokens), row = row_of(what);
        if (row < 0 || rows[row].level < least || c->r.failed)
            return x;
        hdi_kc_goto(c, c->r.at + ntokens);
        if (what == KC_AND || what == KC_OR)
            x = logical(c, what, x, rows[row].level);
        else
            x = hdi_kc_binary(c, what, x, binary_level(c, rows[row].level + 1));
    }
}

/* ---- ?: -------------------------------------------------------------------------------------- */

typedef struct branch { hdi_lir_list list; kc_value v; } branch;

static void branch_read(kc *c, branch *b, bool settled, bool comma)
{
    hdi_lir_list *old = hdi_kc_list_open(c, &b->list);
    const bool closed = c->closed_list;
    c->idle += settled;
    c->closed_list = closed && !comma;
    b->v = hdi_kc_load(c, comma ? hdi_kc_expression(c) : hdi_kc_assignment(c));
    c->closed_list = closed;
    c->idle -= settled;
    c->list = old;
}

static void branch_convert(kc *c, branch *b, const kc_type *type)
{
    hdi_lir_list *old = c->list;
    c->list = &b->list;
    b->v = hdi_kc_convert(c, b->v, type);
    c->list = old;
}

static void branch_assign(kc *c, branch *b, kc_value place)
{
    hdi_lir_list *old = c->list;
    c->list = &b->list;
    hdi_kc_store(c, hdi_kc_again(c, place), b->v);
    c->list = old;
}

static const kc_type *type_of_both(kc *c, kc_value x, kc_value y)
{
    if (hdi_kc_is_number(x.type) && hdi_kc_is_number(y.type))
        return x.type->kind == y.type->kind ? hdi_kc_bare(x.type) : hdi_kc_common(x.type, y.type);
    if (x.type->kind == KC_POINTER && y.type->kind == KC_POINTER)
        return x.type->of->is_const || y.type->of->kind == KC_VOID ? x.type : y.type;
    if (x.type->kind == KC_POINTER || x.type->kind == KC_STRUCT)
        return x.type;
    if (y.type->kind == KC_POINTER || y.type->kind == KC_STRUCT)
        return y.type;
    (void)c;
    return KC_PLAIN_TYPE(VOID);
}

static void branch_if(kc *c, int32_t when, branch *yes, branch *no)
{
    const int32_t s = hdi_kc_node(c, HDI_LIR_IF, HDI_LIR_VOID, 0, when, yes->list.first,
                                  no->list.first);
    hdi_lir_list_add(c->l, c->list, s);
}

static kc_value choose(kc *c, int32_t when, branch *yes, branch *no)
{
    const kc_type *type = type_of_both(c, yes->v, no->v);
    if (type->kind == KC_VOID) {
        branch_if(c, when, yes, no);
        return hdi_kc_nothing();
    }
    branch_convert(c, yes, type);
    branch_convert(c, no, type);
    if (type->kind != KC_STRUCT && yes->list.first < 0 && no->list.first < 0) {
        const int32_t node = hdi_kc_node(c, HDI_LIR_CHOOSE, hdi_kc_lir(type), 0, when, yes->v.node,
                                         no->v.node);
        return hdi_kc_load(c, hdi_kc_rvalue(type, node, depth_of(yes->v, no->v) + 1));
    }
    const kc_value r = hdi_kc_local(c, NULL, type);
    branch_assign(c, yes, r);
    branch_assign(c, no, r);
    branch_if(c, when, yes, no);
    return type->kind == KC_STRUCT ? hdi_kc_again(c, r) : hdi_kc_load(c, r);
}

/* c ? a : b where it stands for a or b itself. */
static kc_value chosen_place(kc *c, kc_value when)
{
    const kc_value x = hdi_kc_expression(c);
    hdi_kc_need(c, ':', "of ? :");
    const kc_value y = hdi_kc_assignment(c);
    if (!hdi_kc_is_place(x) || !hdi_kc_is_place(y) || !hdi_kc_same(x.type, y.type)) {
        hdi_kc_bad(c, "a reference needs variables of one type on both sides of :");
        return x;
    }
    const int32_t a = hdi_kc_address(c, x), b = hdi_kc_address(c, y);
    return hdi_kc_in_memory(x.type, hdi_kc_node(c, HDI_LIR_CHOOSE, HDI_LIR_POINTER, 0, when.node, a,
                                                b));
}

static kc_value conditional(kc *c)
{
    const bool want_place = c->want_place;
    c->want_place = false;
    const kc_value x = binary_level(c, 2);
    if (!hdi_kc_take(c, '?'))
        return x;
    const kc_value when = hdi_kc_convert(c, x, KC_PLAIN_TYPE(BOOL));
    if (want_place)
        return chosen_place(c, when);
    int64_t bits = 0;
    const bool known = hdi_kc_constant(c, when.node, &bits);
    branch yes, no;
    branch_read(c, &yes, known && bits == 0, true);
    hdi_kc_need(c, ':', "of ? :");
    branch_read(c, &no, known && bits != 0, false);
    if (!known)
        return choose(c, when.node, &yes, &no);
    const kc_type *type = type_of_both(c, yes.v, no.v);
    branch *taken = bits != 0 ? &yes : &no;
    hdi_kc_splice(c, &taken->list);
    return type->kind == KC_VOID ? taken->v : hdi_kc_convert(c, taken->v, type);
}

/* ---- assignments ----------------------------------------------------------------------------- */

static const struct { uint16_t what, op; } sets[] = {
    {KC_MUL_SET, '*'}, {KC_DIV_SET, '/'}, {KC_REM_SET, '%'}, {KC_ADD_SET, '+'}, {KC_SUB_SET, '-'},
    {KC_SHL_SET, KC_SHL}, {KC_X_SHR_SET, KC_X_SHR}, {KC_AND_SET, '&'}, {KC_XOR_SET, '^'},
    {KC_OR_SET, '|'}, {'=', '='},
};

static int set_of(int what)
{
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        if (sets[i].what == what)
            return sets[i].op;
    return 0;
}

/* x = y; x is stable. */
static void set(kc *c, kc_value x, kc_value y)
{
    if (!hdi_kc_is_place(x))
        hdi_kc_bad(c, "this cannot be assigned to: it is no variable or element");
    else if (x.type->is_const)
        hdi_kc_bad(c, "what is const cannot be assigned to");
    else if (x.type->kind == KC_ARRAY)
        hdi_kc_bad(c, "an array cannot be assigned as a whole: assign its elements");
    else
        hdi_kc_store(c, hdi_kc_again(c, x), hdi_kc_convert(c, y, x.type));
}

kc_value hdi_kc_assign_op(kc *c, int what, kc_value place, kc_value v)
{
    kc_value arg[2] = {place, v}, r;
    const int op = set_of(what);
    if (place.type->kind == KC_STRUCT && !c->r.failed && hdi_kc_operator(c, what, arg, 2, &r))
        return r;
    place = hdi_kc_stable(c, place);
    set(c, place, op == '=' ? v : hdi_kc_binary(c, op, hdi_kc_again(c, place), v));
    return hdi_kc_again(c, place);
}

/* The usual x[i] = y; whose value nobody wants: its address is used once. */
static void set_once(kc *c, kc_value x, kc_value y)
{
    if (!hdi_kc_is_place(x) || x.type->is_const || !hdi_kc_is_scalar(x.type))
        set(c, hdi_kc_stable(c, x), y);
    else
        hdi_kc_store(c, x, hdi_kc_convert(c, y, x.type));
}

static int set_here(kc *c, int *ntokens)
{
    const kc_token *t = hdi_kc_token(c);
    *ntokens = 1;
    if (t->what == '>' && t[1].what == KC_GE && (t[1].flags & KC_SPACE) == 0) {
        *ntokens = 2;
        return KC_X_SHR_SET;
    }
    return set_of(t->what) != 0 ? t->what : 0;
}

static kc_value right_side(kc *c, kc_value x)
{
    if (!hdi_kc_at(c, '{'))
        return hdi_kc_assignment(c);
    const kc_value made = hdi_kc_local(c, NULL, hdi_kc_bare(x.type));
    hdi_kc_initialise(c, &(kc_target){.place = made}, made.type);
    return hdi_kc_again(c, made);
}

static kc_value assignment(kc *c, bool wanted)
{
    const kc_value x = conditional(c);
    int ntokens;
    const int what = set_here(c, &ntokens);
    if (what == 0 || c->r.failed)
        return x;
    hdi_kc_goto(c, c->r.at + ntokens);
    const kc_value y = right_side(c, x);
    if (what == '=' && !wanted && x.type->kind != KC_STRUCT) {
        set_once(c, x, y);
        return hdi_kc_nothing();
    }
    return hdi_kc_assign_op(c, what, x, y);
}

kc_value hdi_kc_assignment(kc *c)
{
    if (!hdi_kc_enter(c))
        return hdi_kc_int(c, 0);
    const kc_value v = assignment(c, true);
    hdi_kc_leave(c);
    return v;
}

kc_value hdi_kc_expression(kc *c)
{
    const bool closed = c->closed_list;
    c->closed_list = false;
    kc_value v = hdi_kc_assignment(c);
    while (hdi_kc_take(c, ','))
        v = hdi_kc_assignment(c);
    c->closed_list = closed;
    return v;
}

void hdi_kc_effect(kc *c)
{
    do {
        c->effect_at = c->r.at;
        assignment(c, false);
        c->effect_at = -1;
    } while (hdi_kc_take(c, ','));
}

int64_t hdi_kc_whole(kc *c)
{
    const kc_token *t = hdi_kc_token(c);
    const kc_value v = hdi_kc_load(c, conditional(c));
    int64_t bits = 0;
    if (!hdi_kc_is_integer(v.type) || !hdi_kc_constant(c, v.node, &bits))
        hdi_kc_fail(&c->r, HD_VALUE, t, "a whole number that is known when the kernel is compiled "
                    "is expected here");
    return bits;
}
