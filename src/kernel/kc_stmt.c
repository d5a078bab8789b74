/* SPDX-License-Identifier: BSD-3-Clause */
/* kc_stmt.c - statements but loops. */
#include "kernel/kc_expr.h"

/* ---- conditions ------------------------------------------------------------------------------ */

static kc_value declared_condition(kc *c)
{
    kc_spec spec;
    kc_word *word;
    hdi_kc_spec_read(c, &spec);
    const kc_type *type = hdi_kc_declarator(c, spec.base, &word);
    hdi_kc_need(c, '=', "in a condition");
    kc_value v = hdi_kc_load(c, hdi_kc_assignment(c));
    if (type->kind == KC_AUTO)
        type = v.type;
    if (!hdi_kc_is_scalar(type)) {
        hdi_kc_bad(c, "a condition is a number or pointer, and not %s", hdi_kc_type_text(c, type));
        return hdi_kc_int(c, 0);
    }
    const kc_value own = hdi_kc_local(c, word, type);
    hdi_kc_store(c, own, hdi_kc_convert(c, v, hdi_kc_unqualified(c, type)));
    kc_symbol *s = hdi_kc_declare(c, word, KC_S_VALUE);
    if (s != NULL)
        s->value = own;
    return own;
}

void hdi_kc_condition(kc *c, int32_t *node)
{
    const kc_value v = hdi_kc_at_declaration(c) ? declared_condition(c) : hdi_kc_expression(c);
    *node = hdi_kc_truth(c, v);
}

/* ---- if -------------------------------------------------------------------------------------- */

static void branch(kc *c, hdi_lir_list *list)
{
    hdi_lir_list *old = hdi_kc_list_open(c, list);
    kc_scope *scope = c->scope, *inner = hdi_kc_scope_new(c, scope);
    c->scope = inner;
    hdi_kc_statement(c);
    hdi_kc_scope_close(c, inner);
    c->scope = scope;
    c->list = old;
}

/* What is known not to run is skipped, as `if constexpr` wants it. */
static void known_if(kc *c, bool taken)
{
    if (taken)
        hdi_kc_statement(c);
    else
        hdi_kc_skip_statement(c);
    if (!hdi_kc_take(c, KC_W_ELSE))
        return;
    if (taken)
        hdi_kc_skip_statement(c);
    else
        hdi_kc_statement(c);
}

static void if_statement(kc *c)
{
    int32_t when;
    int64_t bits;
    kc_scope *old = c->scope, *scope = hdi_kc_scope_new(c, old);
    c->scope = scope;
    hdi_kc_next(c);
    hdi_kc_take(c, KC_W_CONSTEXPR);
    hdi_kc_need(c, '(', "behind if");
    hdi_kc_condition(c, &when);
    hdi_kc_need(c, ')', "behind a condition");
    if (hdi_kc_constant(c, when, &bits))
        known_if(c, bits != 0);
    else {
        hdi_lir_list yes, no = HDI_LIR_EMPTY;
        branch(c, &yes);
        if (hdi_kc_take(c, KC_W_ELSE))
            branch(c, &no);
        const int32_t s = hdi_kc_node(c, HDI_LIR_IF, HDI_LIR_VOID, 0, when, yes.first, no.first);
        hdi_lir_list_add(c->l, c->list, s);
    }
    hdi_kc_scope_close(c, scope);
    c->scope = old;
}

/* ---- switch ---------------------------------------------------------------------------------- */

/* A loop of one turn. The labels cut its body into segments; the number of the first one that runs
 * is found, then all behind it run as well, until a break. */
typedef struct segment { hdi_lir_list list; struct segment *next; } segment;
typedef struct label { int64_t value; int32_t segment; struct label *next; } label;
typedef struct choice {
    kc_value selector;
    int32_t entry;                 /* the variable */
    segment *first, *last;
    label *labels;
    int32_t nsegments, standard;   /* segment of default, -1: none */
} choice;

static void segment_open(kc *c, choice *x)
{
    segment *s = hdi_kc_new(&c->r, sizeof *s);
    if (s == NULL)
        return;
    s->list = HDI_LIR_EMPTY;
    if (x->last != NULL)
        x->last->next = s;
    else
        x->first = s;
    x->last = s;
    x->nsegments++;
    c->list = &s->list;
}

static void label_read(kc *c, choice *x)
{
    const bool is_case = hdi_kc_next(c)->what == KC_W_CASE;
    const int64_t value = is_case ? hdi_kc_whole(c) : 0;
    hdi_kc_need(c, ':', "behind a label");
    if (is_case) {
        label *l = hdi_kc_new(&c->r, sizeof *l);
        if (l != NULL) {
            *l = (label){value, x->nsegments - 1, x->labels};
            x->labels = l;
        }
    } else if (x->standard >= 0)
        hdi_kc_bad(c, "a switch has one default");
    else
        x->standard = x->nsegments - 1;
}

static bool at_label(kc *c) { return hdi_kc_at(c, KC_W_CASE) || hdi_kc_at(c, KC_W_DEFAULT); }

static void segments_read(kc *c, choice *x)
{
    hdi_lir_list before = HDI_LIR_EMPTY;
    c->list = &before;                                      /* C never runs it */
    while (!hdi_kc_at(c, '}') && !hdi_kc_ended(c)) {
        if (at_label(c)) {
            segment_open(c, x);
            while (at_label(c))
                label_read(c, x);
        } else
            hdi_kc_statement(c);
    }
    hdi_kc_need(c, '}', "behind switch");
}

static void entry_find(kc *c, choice *x)
{
    const hdi_lir_type type = hdi_kc_lir(x->selector.type);
    hdi_lir *l = c->l;
    const int32_t none = x->standard >= 0 ? x->standard : x->nsegments;
    hdi_kc_assign(c, x->entry, hdi_lir_const(l, HDI_LIR_I32, none));
    for (const label *a = x->labels; a != NULL && !c->r.failed; a = a->next) {
        const int64_t bits = hdi_lir_fold_convert(HDI_LIR_I64, type, a->value);
        const int32_t same = hdi_kc_node(c, HDI_LIR_EQ, HDI_LIR_BOOL, 0,
                                         hdi_lir_get(l, x->selector.var),
                                         hdi_lir_const(l, type, bits), -1);
        hdi_lir_list then;
        hdi_lir_list *old = hdi_kc_list_open(c, &then);
        hdi_kc_assign(c, x->entry, hdi_lir_const(l, HDI_LIR_I32, a->segment));
        c->list = old;
        hdi_kc_emit(c, HDI_LIR_IF, 0, same, then.first);
    }
}

static void segments_emit(kc *c, const choice *x)
{
    int32_t i = 0;
    for (const segment *s = x->first; s != NULL; s = s->next, i++) {
        const int32_t reached = hdi_kc_node(c, HDI_LIR_LE, HDI_LIR_BOOL, 0,
                                            hdi_lir_get(c->l, x->entry),
                                            hdi_lir_const(c->l, HDI_LIR_I32, i), -1);
        if (s->list.first >= 0)
            hdi_kc_emit(c, HDI_LIR_IF, 0, reached, s->list.first);
    }
}

static void selector_read(kc *c, choice *x)
{
    hdi_kc_next(c);
    hdi_kc_need(c, '(', "behind switch");
    kc_value v = hdi_kc_load(c, hdi_kc_expression(c));
    hdi_kc_need(c, ')', "behind a condition");
    if (!hdi_kc_is_integer(v.type)) {
        hdi_kc_bad(c, "switch takes a whole number, and not %s", hdi_kc_type_text(c, v.type));
        v = hdi_kc_int(c, 0);
    }
    v = hdi_kc_convert(c, v, hdi_kc_promoted(v.type));
    x->selector = v;
    x->selector.var = hdi_kc_temporary(c, hdi_kc_lir(v.type));
    hdi_kc_assign(c, x->selector.var, v.node);
    x->entry = hdi_kc_temporary(c, HDI_LIR_I32);
    hdi_kc_need(c, '{', "behind switch (...)");
}

void hdi_kc_switch(kc *c)
{
    choice x = {.standard = -1};
    selector_read(c, &x);
    hdi_lir_list *old = c->list;
    kc_scope *outer = c->scope, *scope = hdi_kc_scope_new(c, outer);
    kc_frame *f = c->frame;
    const int left = f->switch_loop;
    c->scope = scope;
    f->switch_loop = ++c->loops;
    segments_read(c, &x);
    hdi_lir_list body;
    hdi_kc_list_open(c, &body);
    segments_emit(c, &x);
    hdi_kc_emit(c, HDI_LIR_BREAK, 1, -1, -1);
    c->loops--;
    f->switch_loop = left;
    hdi_kc_scope_close(c, scope);
    c->scope = outer;
    c->list = old;
    entry_find(c, &x);
    hdi_kc_emit(c, HDI_LIR_LOOP, 0, body.first, -1);
}

/* ---- statements ------------------------------------------------------------------------------ */

void hdi_kc_leave_loop(kc *c, hdi_lir_op op, int loop)
{
    hdi_kc_emit(c, op, c->loops - loop + 1, -1, -1);
}

static void leave(kc *c)
{
    const bool is_break = hdi_kc_next(c)->what == KC_W_BREAK;
    const kc_frame *f = c->frame;
    const int loop = is_break ? f->switch_loop : f->continue_loop;
    if (loop == 0)
        hdi_kc_bad(c, "%s is not in a loop", is_break ? "break" : "continue");
    else
        hdi_kc_leave_loop(c, is_break || f->continue_is_break ? HDI_LIR_BREAK : HDI_LIR_CONTINUE,
                          loop);
    hdi_kc_need(c, ';', is_break ? "behind break" : "behind continue");
}

void hdi_kc_block(kc *c)
{
    kc_scope *old = c->scope, *scope = hdi_kc_scope_new(c, old);
    c->scope = scope;
    while (!hdi_kc_at(c, '}') && !hdi_kc_ended(c))
        hdi_kc_statement(c);
    hdi_kc_need(c, '}', "to close a {");
    hdi_kc_scope_close(c, scope);
    c->scope = old;
}

static void others(kc *c)
{
    const kc_token *t = hdi_kc_token(c);
    kc_spec ignored = {.base = NULL};
    if (t->what == '[' && hdi_kc_attribute(c, &ignored))
        return;
    if (t->what == KC_W_GOTO || (t->what == KC_NAME && t[1].what == ':'))
        hdi_kc_beyond(c, "goto and its labels are not supported: use loops, break and return");
    else if (at_label(c))
        hdi_kc_beyond(c, "this label is not directly in the { } of a switch, which is not "
                      "supported");
    else if (hdi_kc_common_declaration(c))
        return;
    else if (hdi_kc_at_declaration(c))
        hdi_kc_declaration(c);
    else {
        hdi_kc_effect(c);
        hdi_kc_need(c, ';', "behind a statement");
    }
}

/* #pragma unroll, behind which a loop stands. */
static void unrolled(kc *c)
{
    int64_t turns = HDI_LIR_UNROLL_ALL;
    hdi_kc_next(c);
    if (!hdi_kc_at(c, KC_UNROLL_END)) {
        turns = hdi_kc_whole(c);
        turns = turns < 1 ? 0 : turns > HDI_LIR_MOST_UNROLL ? HDI_LIR_MOST_UNROLL : turns;
    }
    if (!hdi_kc_take(c, KC_UNROLL_END))
        hdi_kc_bad(c, "a whole number is expected behind #pragma unroll");
    c->unroll = turns;
    hdi_kc_statement(c);
    c->unroll = 0;
}

static void statement(kc *c)
{
    switch (hdi_kc_token(c)->what) {
    case KC_UNROLL: unrolled(c); break;
    case ';': hdi_kc_next(c); break;
    case '{':
        hdi_kc_next(c);
        hdi_kc_block(c);
        break;
    case KC_W_IF: if_statement(c); break;
    case KC_W_FOR: hdi_kc_for(c); break;
    case KC_W_WHILE: hdi_kc_while(c); break;
    case KC_W_DO: hdi_kc_do(c); break;
    case KC_W_SWITCH: hdi_kc_switch(c); break;
    case KC_W_BREAK: case KC_W_CONTINUE: leave(c); break;
    case KC_W_RETURN:
        hdi_kc_next(c);
        hdi_kc_return(c);
        break;
    default: others(c); break;
    }
}

void hdi_kc_statement(kc *c)
{
    if (!hdi_kc_enter(c))
        return;
    statement(c);
    hdi_kc_leave(c);
}
