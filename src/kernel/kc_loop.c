/* SPDX-License-Identifier: BSD-3-Clause */
/* kc_loop.c - for, while and do. A `for` whose variable only goes towards a bound that stays is
 * marked: it ends, whatever the data are. */
#include "kernel/kc_expr.h"

/* ---- loops that end -------------------------------------------------------------------------- */

/* Such a loop, and a variable that must stay out of memory for that. */
typedef struct kc_counted { int32_t loop, var; struct kc_counted *next; } kc_counted;

typedef struct suspect { int32_t when, first, behind; hdi_lir_list step; } suspect;

static const hdi_lir_node *at(const kc *c, int32_t node) { return &c->l->node[node]; }

/* The variable that a side of the condition reads, also widened from signed; -1: another thing. */
static int32_t read_variable(const kc *c, int32_t node)
{
    const hdi_lir_node *n = at(c, node);
    if (n->op == HDI_LIR_CONVERT) {
        n = at(c, n->arg[0]);
        if (n->type != HDI_LIR_I32)
            return -1;
    }
    const bool wide = n->type >= HDI_LIR_I32 && n->type <= HDI_LIR_U64;
    return n->op == HDI_LIR_GET && wide ? (int32_t)n->k : -1;
}

static int assignments(const kc *c, const suspect *s, int32_t var)
{
    int n = 0;
    for (int32_t i = s->first; i < s->behind; i++) {
        const hdi_lir_node *x = at(c, i);
        n += (x->op == HDI_LIR_ASSIGN || x->op == HDI_LIR_ATOMIC || x->op == HDI_LIR_WARP) &&
             x->k == var;
    }
    return n;
}

static void note(kc *c, int32_t loop, int32_t var)
{
    kc_counted *n = hdi_kc_new(&c->r, sizeof *n);
    if (n == NULL)
        return;
    *n = (kc_counted){loop, var, c->counted};
    c->counted = n;
}

/* Whether the other side stays as it is: no loads, no variables that the loop assigns. */
static bool stays(kc *c, const suspect *s, int32_t loop, int32_t node)
{
    const hdi_lir_node n = *at(c, node);
    if (n.op == HDI_LIR_LOAD || n.op == HDI_LIR_PEER)
        return false;
    if (n.op == HDI_LIR_GET && assignments(c, s, (int32_t)n.k) > 0)
        return false;
    if (n.op == HDI_LIR_GET)
        note(c, loop, (int32_t)n.k);
    for (int i = 0; i < 3; i++)
        if (n.arg[i] >= 0 && !stays(c, s, loop, n.arg[i]))
            return false;
    return true;
}

/* By how much the step changes the variable; 0: not by a constant. */
static int64_t step_of(const kc *c, const suspect *s, int32_t var)
{
    if (s->step.first < 0 || s->step.first != s->step.last)
        return 0;
    const hdi_lir_node *n = at(c, s->step.first);
    if (n->op != HDI_LIR_ASSIGN || n->k != var)
        return 0;
    const hdi_lir_node *sum = at(c, n->arg[0]);
    int64_t by;
    if ((sum->op != HDI_LIR_ADD && sum->op != HDI_LIR_SUB) ||
        sum->type != at(c, sum->arg[0])->type || at(c, sum->arg[0])->op != HDI_LIR_GET ||
        at(c, sum->arg[0])->k != var ||
        !hdi_kc_constant(c, sum->arg[1], &by) || by == INT64_MIN)
        return 0;
    if (sum->type == HDI_LIR_U32)
        by = (int32_t)(uint32_t)by;
    return sum->op == HDI_LIR_SUB ? -by : by;
}

/* An unsigned variable may go past its bound and wrap; a signed one may not. */
static bool leads(const kc *c, hdi_lir_op op, int32_t var, bool left, int64_t by)
{
    const bool is_signed = hdi_lir_types[c->l->var[var].type].kind == 'i';
    if (op == HDI_LIR_NE)
        return by == 1 || by == -1;
    if (left ? by <= 0 : by >= 0)
        return false;
    return is_signed || (op == HDI_LIR_LT && (by == 1 || by == -1));
}

static bool ends(kc *c, const suspect *s, int32_t loop)
{
    const hdi_lir_node when = *at(c, s->when);
    if (when.op != HDI_LIR_LT && when.op != HDI_LIR_LE && when.op != HDI_LIR_NE)
        return false;
    for (int side = 0; side < 2; side++) {
        const int32_t var = read_variable(c, when.arg[side]);
        const int64_t by = var < 0 ? 0 : step_of(c, s, var);
        if (by == 0 || assignments(c, s, var) != 1 ||
            !leads(c, (hdi_lir_op)when.op, var, side == 0, by))
            continue;
        note(c, loop, var);
        return stays(c, s, loop, when.arg[1 - side]);
    }
    return false;
}

void hdi_kc_counted_end(kc *c)
{
    for (const kc_counted *n = c->counted; n != NULL && !c->l->failed; n = n->next)
        if (c->l->var[n->var].in_memory)
            c->l->node[n->loop].flags &= (uint8_t)~HDI_LIR_COUNTED;
}

/* ---- parts of loops -------------------------------------------------------------------------- */

typedef struct outer {
    int switch_loop, continue_loop;
    bool continue_is_break;
    int64_t unroll;                /* not of the loops around it, but of this one */
} outer;

static outer loop_enter(kc *c)
{
    kc_frame *f = c->frame;
    const outer old = {f->switch_loop, f->continue_loop, f->continue_is_break, c->unroll};
    c->unroll = 0;
    f->switch_loop = f->continue_loop = ++c->loops;
    f->continue_is_break = false;
    return old;
}

static void loop_leave(kc *c, outer old)
{
    kc_frame *f = c->frame;
    c->loops--;
    f->switch_loop = old.switch_loop;
    f->continue_loop = old.continue_loop;
    f->continue_is_break = old.continue_is_break;
}

static void scoped_statement(kc *c)
{
    kc_scope *old = c->scope, *scope = hdi_kc_scope_new(c, old);
    c->scope = scope;
    hdi_kc_statement(c);
    hdi_kc_scope_close(c, scope);
    c->scope = old;
}

static void break_unless(kc *c, int32_t when)
{
    int64_t bits;
    if (hdi_kc_constant(c, when, &bits) && bits != 0)
        return;
    const int32_t not = hdi_kc_node(c, HDI_LIR_NOT, HDI_LIR_BOOL, 0, when, -1, -1);
    hdi_kc_emit(c, HDI_LIR_IF, 0, not, hdi_kc_node(c, HDI_LIR_BREAK, HDI_LIR_VOID, 1, -1, -1, -1));
}

/* ---- while, do ------------------------------------------------------------------------------- */

void hdi_kc_while(kc *c)
{
    int32_t when;
    hdi_lir_list body;
    kc_scope *old_scope = c->scope, *scope = hdi_kc_scope_new(c, old_scope);
    c->scope = scope;
    hdi_kc_next(c);
    hdi_kc_need(c, '(', "behind while");
    hdi_lir_list *old = hdi_kc_list_open(c, &body);
    const outer around = loop_enter(c);
    hdi_kc_condition(c, &when);
    hdi_kc_need(c, ')', "behind a condition");
    break_unless(c, when);
    scoped_statement(c);
    loop_leave(c, around);
    c->list = old;
    hdi_kc_emit(c, HDI_LIR_LOOP, around.unroll, body.first, -1);
    hdi_kc_scope_close(c, scope);
    c->scope = old_scope;
}

static bool continues(kc *c)
{
    const int32_t start = c->r.at;
    hdi_kc_skip_statement(c);
    bool found = false;
    for (int32_t i = start; i < c->r.at && !found; i++)
        found = c->r.tokens.t[i].what == KC_W_CONTINUE;
    hdi_kc_goto(c, start);
    return found;
}

/* `continue` goes to the condition at the end: it leaves a loop of one turn around the body. */
static void body_of_do(kc *c)
{
    hdi_lir_list body;
    kc_frame *f = c->frame;
    if (!continues(c)) {
        scoped_statement(c);
        return;
    }
    hdi_lir_list *old = hdi_kc_list_open(c, &body);
    f->continue_loop = ++c->loops;
    f->continue_is_break = true;
    scoped_statement(c);
    hdi_kc_emit(c, HDI_LIR_BREAK, 1, -1, -1);
    c->loops--;
    c->list = old;
    hdi_kc_emit(c, HDI_LIR_LOOP, 0, body.first, -1);
}

void hdi_kc_do(kc *c)
{
    int32_t when;
    hdi_lir_list body;
    hdi_lir_list *old = hdi_kc_list_open(c, &body);
    hdi_kc_next(c);
    const outer around = loop_enter(c);
    body_of_do(c);
    hdi_kc_skip_unroll(c);
    hdi_kc_need(c, KC_W_WHILE, "behind the body of do");
    hdi_kc_need(c, '(', "behind while");
    hdi_kc_condition(c, &when);
    hdi_kc_need(c, ')', "behind a condition");
    hdi_kc_need(c, ';', "behind do ... while (...)");
    break_unless(c, when);
    loop_leave(c, around);
    c->list = old;
    hdi_kc_emit(c, HDI_LIR_LOOP, around.unroll, body.first, -1);
}

/* ---- for ------------------------------------------------------------------------------------- */

static void for_begin(kc *c)
{
    hdi_kc_next(c);
    hdi_kc_need(c, '(', "behind for");
    if (hdi_kc_at_declaration(c))
        hdi_kc_declaration(c);
    else if (!hdi_kc_take(c, ';')) {
        hdi_kc_effect(c);
        hdi_kc_need(c, ';', "in for (...)");
    }
}

static void for_turn(kc *c, suspect *s, int32_t *step_at)
{
    s->first = c->l->nnodes;
    s->when = -1;
    if (!hdi_kc_at(c, ';'))
        hdi_kc_condition(c, &s->when);
    hdi_kc_need(c, ';', "in for (...)");
    if (s->when >= 0)
        break_unless(c, s->when);
    *step_at = c->r.at;
    hdi_kc_skip_to(c, ')', ';');
    hdi_kc_need(c, ')', "behind for (...");
    scoped_statement(c);
}

static void for_step(kc *c, suspect *s, int32_t step_at)
{
    const int32_t behind = c->r.at;
    hdi_lir_list *old = hdi_kc_list_open(c, &s->step);
    hdi_kc_goto(c, step_at);
    if (!hdi_kc_at(c, ')'))
        hdi_kc_effect(c);
    if (!hdi_kc_at(c, ')'))
        hdi_kc_need(c, ')', "behind for (...");
    c->list = old;
    hdi_kc_goto(c, behind);
    s->behind = c->l->nnodes;
}

void hdi_kc_for(kc *c)
{
    suspect s;
    int32_t step_at;
    hdi_lir_list body;
    kc_scope *old_scope = c->scope, *scope = hdi_kc_scope_new(c, old_scope);
    c->scope = scope;
    for_begin(c);
    hdi_lir_list *old = hdi_kc_list_open(c, &body);
    const outer around = loop_enter(c);
    for_turn(c, &s, &step_at);
    for_step(c, &s, step_at);
    loop_leave(c, around);
    c->list = old;
    hdi_kc_emit(c, HDI_LIR_LOOP, around.unroll, body.first, s.step.first);
    const int32_t loop = c->list->last;
    if (!c->r.failed && !c->l->failed && s.when >= 0 && ends(c, &s, loop))
        c->l->node[loop].flags |= HDI_LIR_COUNTED;
    hdi_kc_scope_close(c, scope);
    c->scope = old_scope;
}
