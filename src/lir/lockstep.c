/* SPDX-License-Identifier: BSD-3-Clause */
/* lockstep.c - lowered IR for targets without threads of their own: the body is cut where threads
 * meet, and control flow around such points runs for the block, under masks. */
#include "lir/lockstep.h"

#include "base/alloc.h"
#include "lir/passes.h"

static void statements(hdi_ls *b, int32_t first);

/* ---- nodes ----------------------------------------------------------------------------------- */

int32_t hdi_ls_var(hdi_ls *b, const char *name, hdi_lir_type type, hdi_lir_space space)
{
    return hdi_lir_variable(b->l, name, type, space);
}

int32_t hdi_ls_get(hdi_ls *b, int32_t var)
{
    return hdi_lir_get(b->l, var);
}

int32_t hdi_ls_const(hdi_ls *b, hdi_lir_type type, int64_t bits)
{
    return hdi_lir_const(b->l, type, bits);
}

int32_t hdi_ls_op(hdi_ls *b, hdi_lir_op op, hdi_lir_type type, int32_t x, int32_t y)
{
    return hdi_lir_node3(b->l, op, type, b->line, 0, x, y, -1);
}

int32_t hdi_ls_assign(hdi_ls *b, int32_t var, int32_t x)
{
    return hdi_lir_node3(b->l, HDI_LIR_ASSIGN, HDI_LIR_VOID, b->line, var, x, -1, -1);
}

int32_t hdi_ls_break(hdi_ls *b, int64_t loops)
{
    return hdi_lir_node3(b->l, HDI_LIR_BREAK, HDI_LIR_VOID, b->line, loops, -1, -1, -1);
}

int32_t hdi_ls_if(hdi_ls *b, int32_t c, int32_t list)
{
    return hdi_ls_op(b, HDI_LIR_IF, HDI_LIR_VOID, c, list);
}

static int32_t loop(hdi_ls *b, int32_t list, int flags)
{
    const int32_t i = hdi_ls_op(b, HDI_LIR_LOOP, HDI_LIR_VOID, list, -1);
    if (!b->l->failed)
        b->l->node[i].flags = (uint8_t)flags;
    return i;
}

static int32_t truth(hdi_ls *b, bool x)
{
    return hdi_ls_const(b, HDI_LIR_BOOL, x);
}

/* ---- the block's body ------------------------------------------------------------------------ */

void hdi_ls_block(hdi_ls *b, int32_t statement)
{
    hdi_lir_list_add(b->l, &b->out, statement);
}

void hdi_ls_region(hdi_ls *b, int32_t statement)
{
    hdi_lir_list_add(b->l, &b->region, statement);
}

void hdi_ls_guarded(hdi_ls *b, hdi_lir_list list)
{
    if (b->l->failed || list.first < 0)
        return;
    if (b->scope->mask >= 0) {
        hdi_ls_region(b, hdi_ls_if(b, hdi_ls_get(b, b->scope->mask), list.first));
        return;
    }
    hdi_ls_region(b, list.first);
    b->region.last = list.last;
}

void hdi_ls_flush(hdi_ls *b)
{
    if (b->region.first >= 0)
        hdi_ls_block(b, hdi_ls_op(b, HDI_LIR_THREADS, HDI_LIR_VOID, b->region.first, -1));
    b->region = HDI_LIR_EMPTY;
}

int32_t hdi_ls_under(hdi_ls *b, int32_t x)
{
    return b->scope->mask < 0
               ? x : hdi_ls_op(b, HDI_LIR_BOTH, HDI_LIR_BOOL, hdi_ls_get(b, b->scope->mask), x);
}

/* A UNIFORM bool that the open region makes true if `mask` is true for any thread. */
static void gather(hdi_ls *b, int32_t any, int32_t mask)
{
    hdi_ls_block(b, hdi_ls_assign(b, any, truth(b, false)));
    hdi_ls_region(b, hdi_ls_assign(b, any, hdi_ls_op(b, HDI_LIR_OR, HDI_LIR_BOOL,
                                                     hdi_ls_get(b, any), hdi_ls_get(b, mask))));
}

static int32_t any_of(hdi_ls *b, int32_t mask)
{
    const int32_t any = hdi_ls_var(b, "any", HDI_LIR_BOOL, HDI_LIR_UNIFORM);
    gather(b, any, mask);
    return any;
}

/* ---- exits ----------------------------------------------------------------------------------- */

/* The k-th loop outwards that runs in lockstep. */
static hdi_ls_scope *loop_scope(const hdi_ls *b, int64_t k)
{
    hdi_ls_scope *s = b->scope;
    while (s->stay < 0 || --k > 0)
        s = s->outer;
    return s;
}

static void clear(hdi_ls *b, hdi_lir_list *list, int32_t mask)
{
    if (mask >= 0)
        hdi_lir_list_add(b->l, list, hdi_ls_assign(b, mask, truth(b, false)));
}

/* The thread is no longer in the lists from here to `target` (NULL: all); if it breaks, it does not
 * stay in that loop either. Then it leaves the piece, out of `loops` loops and the piece's own. */
static hdi_lir_list way_out(hdi_ls *b, const hdi_ls_scope *target, bool breaks, int64_t loops)
{
    hdi_lir_list list = HDI_LIR_EMPTY;
    for (const hdi_ls_scope *s = b->scope; s != NULL; s = s == target ? NULL : s->outer) {
        clear(b, &list, s->mask);
        if (s != target || breaks)
            clear(b, &list, s->stay);
    }
    hdi_lir_list_add(b->l, &list, hdi_ls_break(b, loops + 1));
    return list;
}

/* Puts the way out in the place of an exit. What followed is never reached and goes.
 * Returns the last statement. */
static int32_t leave(hdi_ls *b, int32_t i, int64_t loops)
{
    const hdi_lir_node n = b->l->node[i];
    const hdi_ls_scope *target = n.op == HDI_LIR_RETURN ? NULL : loop_scope(b, n.k - loops);
    b->line = n.line;
    const hdi_lir_list list = way_out(b, target, n.op == HDI_LIR_BREAK, loops);
    if (b->l->failed)
        return i;
    b->l->node[i] = b->l->node[list.first];
    return list.last == list.first ? i : list.last;
}

static bool is_exit(const hdi_lir_node *n, int64_t loops)
{
    return n->op == HDI_LIR_RETURN
           || ((n->op == HDI_LIR_BREAK || n->op == HDI_LIR_CONTINUE) && n->k > loops);
}

/* Exits in the lists of a statement within `loops` loops of its piece; whether there are any. None
 * are in the step of a loop: nothing leaves it. */
static bool cut_exits(hdi_ls *b, int32_t first, int64_t loops)
{
    bool found = false;
    for (int32_t i = first; i >= 0 && !b->l->failed; i = b->l->node[i].next) {
        const hdi_lir_node n = b->l->node[i];
        if (n.op == HDI_LIR_IF) {
            found |= cut_exits(b, n.arg[1], loops);
            found |= cut_exits(b, n.arg[2], loops);
        } else if (n.op == HDI_LIR_LOOP) {
            found |= cut_exits(b, n.arg[0], loops + 1);
        } else if (is_exit(&n, loops)) {
            leave(b, i, loops);
            return true;
        }
    }
    return found;
}

/* ---- pieces ---------------------------------------------------------------------------------- */

typedef struct piece { hdi_lir_list list; bool exits; } piece;

/* How many statements in a list leave the piece, itself out of `loops` loops of it. */
static int ways_out(const hdi_lir *l, int32_t first, int64_t loops)
{
    int sum = 0;
    for (int32_t i = first; i >= 0; i = l->node[i].next) {
        const hdi_lir_node *n = &l->node[i];
        sum += n->op == HDI_LIR_BREAK && n->k > loops;
        for (int a = 0; a < 3; a++)
            if (hdi_lir_ops[n->op].shape[a] == 's' && n->op != HDI_LIR_PRINT)
                sum += ways_out(l, n->arg[a], loops + (n->op == HDI_LIR_LOOP));
    }
    return sum;
}

/* if (c) leave; rest   becomes   if (!c) rest, which needs no loop: where nothing else is done
 * before leaving, and it is the only way out. Loops over threads are vectorized only if no other is
 * in them. */
static bool turn_round(hdi_ls *b, hdi_lir_list list)
{
    hdi_lir *l = b->l;
    for (int32_t i = list.first; i >= 0; i = l->node[i].next) {
        const hdi_lir_node n = l->node[i];
        const bool leaves = n.op == HDI_LIR_IF && n.arg[1] >= 0 && n.arg[2] < 0
                            && l->node[n.arg[1]].op == HDI_LIR_BREAK;
        if (!leaves || n.next < 0)
            continue;
        if (ways_out(l, list.first, 0) != 1)
            return false;
        const int32_t c = hdi_ls_op(b, HDI_LIR_NOT, HDI_LIR_BOOL, n.arg[0], -1);
        if (l->failed)
            return false;
        l->node[i].arg[0] = c;
        l->node[i].arg[1] = n.next;
        l->node[i].next = -1;
        return true;
    }
    return false;
}

static int32_t last_of(const hdi_lir *l, int32_t first)
{
    while (first >= 0 && l->node[first].next >= 0)
        first = l->node[first].next;
    return first;
}

/* Statements in which threads do not meet. Exits leave a loop of one turn around them. */
static void close_piece(hdi_ls *b, piece *p)
{
    hdi_lir_list list = p->list;
    if (p->exits && !b->l->failed && turn_round(b, list)) {
        list.last = last_of(b->l, list.first);
    } else if (p->exits && !b->l->failed) {
        if (b->l->node[list.last].op != HDI_LIR_BREAK)
            hdi_lir_list_add(b->l, &list, hdi_ls_break(b, 1));
        const int32_t turn = loop(b, list.first, HDI_LIR_COUNTED);
        list = (hdi_lir_list){turn, turn};
    }
    hdi_ls_guarded(b, list);
    *p = (piece){HDI_LIR_EMPTY, false};
}

/* Adds statement i, whose `next` the caller has read; whether what follows can be reached. */
static bool add_to_piece(hdi_ls *b, piece *p, int32_t i)
{
    const bool goes_on = !is_exit(&b->l->node[i], 0);
    int32_t last = i;
    b->l->node[i].next = -1;
    if (goes_on) {
        p->exits |= cut_exits(b, i, 0);
    } else {
        p->exits = true;
        last = leave(b, i, 0);
    }
    hdi_lir_list_add(b->l, &p->list, i);
    p->list.last = last;
    return goes_on;
}

/* ---- control flow in lockstep ---------------------------------------------------------------- */

/* A list that the block runs, with regions of its own. */
static int32_t inner_list(hdi_ls *b, int32_t first)
{
    const hdi_lir_list around = b->out;
    b->out = HDI_LIR_EMPTY;
    statements(b, first);
    hdi_ls_flush(b);
    const int32_t inner = b->out.first;
    b->out = around;
    return inner;
}

/* A part of an IF, for the threads of `mask`, if `any` says that there are some. */
static void part(hdi_ls *b, int32_t first, int32_t mask, int32_t any)
{
    hdi_ls_scope scope = {mask, -1, b->scope};
    b->scope = &scope;
    const int32_t inner = inner_list(b, first);
    b->scope = scope.outer;
    hdi_ls_block(b, hdi_ls_if(b, hdi_ls_get(b, any), inner));
}

static int32_t part_mask(hdi_ls *b, int32_t c)
{
    const int32_t mask = hdi_ls_var(b, "mask", HDI_LIR_BOOL, HDI_LIR_SPREAD);
    hdi_ls_region(b, hdi_ls_assign(b, mask, hdi_ls_under(b, c)));
    return mask;
}

/* Both masks are made before the first part runs: it may change what the condition reads. */
static void when(hdi_ls *b, const hdi_lir_node *n)
{
    const int32_t mask = part_mask(b, n->arg[0]), any = any_of(b, mask);
    int32_t other = -1, any_other = -1;
    if (n->arg[2] >= 0) {
        other = part_mask(b, hdi_ls_op(b, HDI_LIR_NOT, HDI_LIR_BOOL, hdi_ls_get(b, mask), -1));
        any_other = any_of(b, other);
    }
    hdi_ls_flush(b);
    part(b, n->arg[1], mask, any);
    if (n->arg[2] >= 0)
        part(b, n->arg[2], other, any_other);
}

/* All threads that stay are in the next turn; `any`: whether there is one. */
static void next_turn(hdi_ls *b, const hdi_ls_scope *scope, int32_t any)
{
    hdi_ls_region(b, hdi_ls_assign(b, scope->mask, hdi_ls_get(b, scope->stay)));
    gather(b, any, scope->stay);
    hdi_ls_flush(b);
}

static void turns(hdi_ls *b, const hdi_lir_node *n)
{
    const int32_t turn = hdi_ls_var(b, "turn", HDI_LIR_BOOL, HDI_LIR_SPREAD);
    const int32_t stay = hdi_ls_var(b, "stay", HDI_LIR_BOOL, HDI_LIR_SPREAD);
    const int32_t any = hdi_ls_var(b, "any", HDI_LIR_BOOL, HDI_LIR_UNIFORM);
    hdi_ls_scope body = {turn, stay, b->scope}, step = {stay, -1, b->scope};
    hdi_ls_region(b, hdi_ls_assign(b, stay, b->scope->mask < 0
                                                ? truth(b, true) : hdi_ls_get(b, b->scope->mask)));
    next_turn(b, &body, any);
    const hdi_lir_list around = b->out;
    b->out = HDI_LIR_EMPTY;
    const int32_t none = hdi_ls_op(b, HDI_LIR_NOT, HDI_LIR_BOOL, hdi_ls_get(b, any), -1);
    hdi_ls_block(b, hdi_ls_if(b, none, hdi_ls_break(b, 1)));
    b->scope = &body;
    statements(b, n->arg[0]);
    b->scope = &step;
    statements(b, n->arg[1]);
    b->scope = body.outer;
    next_turn(b, &body, any);
    const int32_t inner = b->out.first;
    b->out = around;
    hdi_ls_block(b, loop(b, inner, n->flags));
}

/* ---- what the block does once ---------------------------------------------------------------- */

/* All threads go the same way. */
static void plain_when(hdi_ls *b, const hdi_lir_node *n)
{
    hdi_ls_flush(b);
    const int32_t yes = inner_list(b, n->arg[1]), no = inner_list(b, n->arg[2]);
    hdi_ls_block(b, hdi_lir_node3(b->l, HDI_LIR_IF, HDI_LIR_VOID, b->line, 0, n->arg[0], yes, no));
}

/* A loop may go on for ever because nobody is left to end it. */
static int32_t unless_all_returned(hdi_ls *b, const hdi_lir_node *n)
{
    if (b->scope->mask < 0 || (n->flags & HDI_LIR_COUNTED))
        return -1;
    const hdi_lir_list around = b->out;
    b->out = HDI_LIR_EMPTY;
    const int32_t any = any_of(b, b->scope->mask);
    hdi_ls_flush(b);
    const int32_t none = hdi_ls_op(b, HDI_LIR_NOT, HDI_LIR_BOOL, hdi_ls_get(b, any), -1);
    hdi_ls_block(b, hdi_ls_if(b, none, hdi_ls_break(b, 1)));
    const int32_t first = b->out.first;
    b->out = around;
    return first;
}

static int32_t joined(hdi_ls *b, int32_t first, int32_t second)
{
    if (first < 0 || b->l->failed)
        return second;
    b->l->node[last_of(b->l, first)].next = second;
    return first;
}

static void plain_turns(hdi_ls *b, const hdi_lir_node *n)
{
    hdi_ls_flush(b);
    const int32_t check = unless_all_returned(b, n);
    const int32_t turn = joined(b, check, inner_list(b, n->arg[0]));
    const int32_t step = inner_list(b, n->arg[1]), i = loop(b, turn, n->flags);
    if (!b->l->failed)
        b->l->node[i].arg[1] = step;
    hdi_ls_block(b, i);
}

/* The region that is open comes after it: what it reads may not change. */
static void once(hdi_ls *b, int32_t i)
{
    const hdi_lir_node n = b->l->node[i];
    if (n.op != HDI_LIR_ASSIGN || hdi_ls_mentions(b->l, b->region.first, (int32_t)n.k))
        hdi_ls_flush(b);
    b->l->node[i].next = -1;
    hdi_ls_block(b, i);
}

/* Whether what follows can be reached. */
static bool of_block(hdi_ls *b, int32_t i)
{
    const hdi_lir_node n = b->l->node[i];
    const bool plain = !(b->facts.node[i] & (HDI_LS_APART | HDI_LS_SPLITS));
    b->line = n.line;
    switch (n.op) {
    case HDI_LIR_IF:   plain ? plain_when(b, &n) : when(b, &n); return true;
    case HDI_LIR_LOOP: plain ? plain_turns(b, &n) : turns(b, &n); return true;
    case HDI_LIR_WARP: hdi_ls_warp(b, i); return true;
    case HDI_LIR_BARRIER: case HDI_LIR_SYNCWARP:   /* the border of the regions is enough */
        hdi_ls_flush(b);
        return true;
    default:
        once(b, i);
        return n.op == HDI_LIR_ASSIGN;
    }
}

/* From here on threads may have returned. No mask is needed before. */
static void begin_mask(hdi_ls *b)
{
    b->scope->mask = hdi_ls_var(b, "alive", HDI_LIR_BOOL, HDI_LIR_SPREAD);
    hdi_ls_region(b, hdi_ls_assign(b, b->scope->mask, truth(b, true)));
}

static void statements(hdi_ls *b, int32_t first)
{
    piece p = {HDI_LIR_EMPTY, false};
    bool goes_on = true;
    b->depth++;
    for (int32_t i = first, next; i >= 0 && goes_on && !b->l->failed; i = next) {
        next = b->l->node[i].next;
        const bool begins = b->depth == 1 && b->facts.cut && b->scope->mask < 0
                            && (b->facts.node[i] & HDI_LS_RETURNS);
        if (begins || (b->facts.node[i] & HDI_LS_BLOCK))
            close_piece(b, &p);
        if (begins)
            begin_mask(b);
        if (b->facts.node[i] & HDI_LS_BLOCK)
            goes_on = of_block(b, i);
        else
            goes_on = add_to_piece(b, &p, i);
    }
    close_piece(b, &p);
    b->depth--;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* A RETURN in the body's own list ends it: what follows is never reached. */
static void cut_tail(hdi_lir *l)
{
    for (int32_t *link = &l->body; *link >= 0; link = &l->node[*link].next)
        if (l->node[*link].op == HDI_LIR_RETURN) {
            *link = -1;
            return;
        }
}

static void cut_body(hdi_ls *b)
{
    hdi_ls_scope all = {-1, -1, NULL};
    for (int32_t k = 0; k < b->facts.nvars; k++)
        if (b->facts.var[k] & HDI_LS_OF_BLOCK)
            b->l->var[k].space = HDI_LIR_UNIFORM;
    b->scope = &all;
    statements(b, b->l->body);
    hdi_ls_flush(b);
    b->l->body = b->out.first;
}

hd_status hdi_lir_lockstep(hdi_lir *l)
{
    if (l->lockstep)
        return HD_OK;
    hd_status status = HD_OK;
    hdi_ls_facts facts = {0};
    cut_tail(l);
    hdi_ls_copy_params(l);
    hdi_ls_split_variables(l);
    HD_REQUIRE(!l->failed, HD_NOMEM, "out of memory to cut a kernel of %d nodes", l->nnodes);
    HD_TRY(hdi_ls_find_uniform(l, &facts));
    if (hdi_ls_cut_strides(l, &facts)) {
        hdi_ls_free_facts(&facts);
        HD_REQUIRE(!l->failed, HD_NOMEM, "out of memory to cut a kernel of %d nodes", l->nnodes);
        HD_TRY(hdi_ls_find_uniform(l, &facts));
    }
    hdi_ls b = {.l = l, .facts = facts, .out = HDI_LIR_EMPTY, .region = HDI_LIR_EMPTY,
                .there = {-1, -1}, .lane = -1, .width = -1, .vote = -1, .ballot = -1,
                .so_far = -1};
    memset(b.value, -1, sizeof b.value);
    cut_body(&b);
    HD_REQUIRE(!l->failed, HD_NOMEM, "out of memory to cut a kernel of %d nodes", l->nnodes);
    l->lockstep = true;
    l->syncs = false;
    status = hdi_ls_place_variables(l, &facts);
done:
    hdi_ls_free_facts(&facts);
    return status;
}
