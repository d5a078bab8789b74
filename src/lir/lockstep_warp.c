/* SPDX-License-Identifier: BSD-3-Clause */
/* lockstep_warp.c - lowered IR in lockstep: shuffles and votes. A region leaves operands in SPREAD
 * variables, the next reads those of other threads. */
#include "lir/lockstep.h"

static const hdi_lir_type U32 = HDI_LIR_U32, BOOL = HDI_LIR_BOOL;

static int32_t binary(hdi_ls *b, hdi_lir_op op, int32_t x, int32_t y)
{
    return hdi_ls_op(b, op, U32, x, y);
}

static int32_t truth(hdi_ls *b, hdi_lir_op op, int32_t x, int32_t y)
{
    return hdi_ls_op(b, op, BOOL, x, y);
}

static int32_t number(hdi_ls *b, int64_t x)
{
    return hdi_ls_const(b, U32, x);
}

static int32_t builtin(hdi_ls *b, hdi_lir_builtin which)
{
    return hdi_lir_node3(b->l, HDI_LIR_BUILTIN, U32, b->line, which, -1, -1, -1);
}

static int32_t thread(hdi_ls *b)
{
    return builtin(b, HDI_LIR_THREAD);
}

/* The number of a thread in its warp. */
static int32_t lane(hdi_ls *b)
{
    return binary(b, HDI_LIR_AND, thread(b), number(b, HDI_LIR_WARP_SIZE - 1));
}

static int32_t peer(hdi_ls *b, int32_t var, int32_t of)
{
    const hdi_lir_type type = b->l->failed ? HDI_LIR_U32 : (hdi_lir_type)b->l->var[var].type;
    return hdi_lir_node3(b->l, HDI_LIR_PEER, type, b->line, var, of, -1, -1);
}

static int32_t spread(hdi_ls *b, int32_t *var, const char *name, hdi_lir_type type)
{
    if (*var < 0)
        *var = hdi_ls_var(b, name, type, HDI_LIR_SPREAD);
    return *var;
}

static void add(hdi_ls *b, hdi_lir_list *list, int32_t statement)
{
    hdi_lir_list_add(b->l, list, statement);
}

/* A new variable of the thread that lives in this list, with its first value. */
static int32_t local(hdi_ls *b, hdi_lir_list *list, const char *name, int32_t first)
{
    const int32_t var = hdi_ls_var(b, name, HDI_LIR_U32, HDI_LIR_PRIVATE);
    add(b, list, hdi_lir_node3(b->l, HDI_LIR_DECLARE, HDI_LIR_VOID, b->line, var, -1, -1, -1));
    add(b, list, hdi_ls_assign(b, var, first));
    return var;
}

static void guarded(hdi_ls *b, int32_t statement)
{
    hdi_ls_guarded(b, (hdi_lir_list){statement, statement});
}

/* ---- operands -------------------------------------------------------------------------------- */

/* A u32 operand that the next region reads too: a constant, or what a variable keeps. */
typedef struct kept { bool is_constant; int64_t bits; int32_t var; } kept;

static kept keep(hdi_ls *b, hdi_lir_list *list, int32_t x, int32_t *var, const char *name)
{
    if (!b->l->failed && b->l->node[x].op == HDI_LIR_CONST)
        return (kept){true, b->l->node[x].k, -1};
    spread(b, var, name, HDI_LIR_U32);
    add(b, list, hdi_ls_assign(b, *var, x));
    return (kept){false, 0, *var};
}

static int32_t again(hdi_ls *b, const kept *x)
{
    return x->is_constant ? number(b, x->bits) : hdi_ls_get(b, x->var);
}

/* The variable for a value that other threads read. */
static int32_t value_var(hdi_ls *b, int32_t x)
{
    const hdi_lir_type type = b->l->failed ? HDI_LIR_U32 : (hdi_lir_type)b->l->node[x].type;
    return spread(b, &b->value[type][b->turn], "value", type);
}

/* Who is in the mask, for other threads to read; -1: all are. The mask itself may have changed by
 * then: a thread runs on in the region before the next one reads. */
static int32_t keep_mask(hdi_ls *b)
{
    if (b->scope->mask < 0)
        return -1;
    spread(b, &b->there[b->turn], "there", HDI_LIR_BOOL);
    hdi_ls_region(b, hdi_ls_assign(b, b->there[b->turn], hdi_ls_get(b, b->scope->mask)));
    return b->there[b->turn];
}

/* Whether thread `at`, a variable, exists and is in the mask. */
static int32_t is_there(hdi_ls *b, int32_t at, int32_t there)
{
    const int32_t exists = truth(b, HDI_LIR_LT, hdi_ls_get(b, at),
                                 builtin(b, HDI_LIR_THREADS_OF_BLOCK));
    return there < 0
               ? exists : truth(b, HDI_LIR_BOTH, exists, peer(b, there, hdi_ls_get(b, at)));
}

/* ---- shuffles -------------------------------------------------------------------------------- */

static int32_t last_of_segment(hdi_ls *b, const kept *width)
{
    return binary(b, HDI_LIR_SUB, again(b, width), number(b, 1));
}

/* How far to go; PTX takes 5 bits of it. */
static int32_t distance(hdi_ls *b, const kept *by)
{
    return binary(b, HDI_LIR_AND, again(b, by), number(b, HDI_LIR_WARP_SIZE - 1));
}

/* The thread that is read. width - 1 is a mask of the lanes in a segment; segments do not cross
 * warps, so the thread's number serves as the lane's. */
static int32_t source(hdi_ls *b, int kind, const kept *by, const kept *width)
{
    switch (kind) {
    case HDI_LIR_W_SHUFFLE_UP:   return binary(b, HDI_LIR_SUB, thread(b), distance(b, by));
    case HDI_LIR_W_SHUFFLE_DOWN: return binary(b, HDI_LIR_ADD, thread(b), distance(b, by));
    case HDI_LIR_W_SHUFFLE_XOR:  return binary(b, HDI_LIR_XOR, thread(b), distance(b, by));
    default: break;
    }
    const int32_t first = hdi_ls_op(b, HDI_LIR_NOT, U32, last_of_segment(b, width), -1);
    return binary(b, HDI_LIR_OR, binary(b, HDI_LIR_AND, thread(b), first),
                  binary(b, HDI_LIR_AND, again(b, by), last_of_segment(b, width)));
}

/* Whether it is in the segment; of XOR: in that or one before. */
static int32_t in_segment(hdi_ls *b, int kind, int32_t at, const kept *by, const kept *width)
{
    const hdi_lir_op fill = kind == HDI_LIR_W_SHUFFLE_UP ? HDI_LIR_AND : HDI_LIR_OR;
    const int32_t end = binary(b, fill, thread(b), last_of_segment(b, width));
    if (kind == HDI_LIR_W_SHUFFLE_UP)
        return truth(b, HDI_LIR_LE, distance(b, by), end);
    return truth(b, HDI_LIR_LE, hdi_ls_get(b, at), end);
}

static void shuffle(hdi_ls *b, const hdi_lir_node *n)
{
    hdi_lir_list before = HDI_LIR_EMPTY, after = HDI_LIR_EMPTY;
    const int32_t value = value_var(b, n->arg[0]);
    add(b, &before, hdi_ls_assign(b, value, n->arg[0]));
    const kept by = keep(b, &before, n->arg[1], &b->lane, "lane");
    const kept width = keep(b, &before, n->arg[2], &b->width, "width");
    const int32_t there = keep_mask(b);
    hdi_ls_guarded(b, before);
    hdi_ls_flush(b);
    const int32_t at = local(b, &after, "at", source(b, n->kind, &by, &width));
    int32_t reads = is_there(b, at, there);
    if (n->kind != HDI_LIR_W_SHUFFLE)
        reads = truth(b, HDI_LIR_BOTH, in_segment(b, n->kind, at, &by, &width), reads);
    const int32_t other = peer(b, value, hdi_ls_get(b, at)), own = hdi_ls_get(b, value);
    const hdi_lir_type type = b->l->failed ? HDI_LIR_U32 : (hdi_lir_type)b->l->var[value].type;
    const int32_t result = hdi_lir_node3(b->l, HDI_LIR_CHOOSE, type, b->line, 0, reads, other, own);
    add(b, &after, hdi_ls_assign(b, (int32_t)n->k, result));
    hdi_ls_guarded(b, after);
}

/* ---- votes ----------------------------------------------------------------------------------- */

/* In the second region bits of `vote` are collected in the threads' order; the last thread of a
 * warp has them all. A region of its own, because nothing of it can be vectorized. */
static void collect(hdi_ls *b)
{
    if (b->so_far < 0)
        b->so_far = hdi_ls_var(b, "so_far", HDI_LIR_U32, HDI_LIR_UNIFORM);
    spread(b, &b->ballot, "ballot", HDI_LIR_U32);
    const int32_t bit = hdi_ls_op(b, HDI_LIR_CONVERT, U32, hdi_ls_get(b, b->vote), -1);
    const int32_t first = truth(b, HDI_LIR_EQ, lane(b), number(b, 0));
    const int32_t before = hdi_lir_node3(b->l, HDI_LIR_CHOOSE, U32, b->line, 0, first,
                                         number(b, 0), hdi_ls_get(b, b->so_far));
    const int32_t with = binary(b, HDI_LIR_OR, before, binary(b, HDI_LIR_SHL, bit, lane(b)));
    hdi_ls_region(b, hdi_ls_assign(b, b->so_far, with));
    hdi_ls_region(b, hdi_ls_assign(b, b->ballot, hdi_ls_get(b, b->so_far)));
    hdi_ls_flush(b);
}

static int32_t ballot_of_warp(hdi_ls *b)
{
    const int32_t end = binary(b, HDI_LIR_OR, thread(b), number(b, HDI_LIR_WARP_SIZE - 1));
    const int32_t last = binary(b, HDI_LIR_SUB, builtin(b, HDI_LIR_THREADS_OF_BLOCK),
                                number(b, 1));
    const int32_t of = hdi_lir_node3(b->l, HDI_LIR_MATH, U32, b->line, HDI_LIR_M_MIN, end, last,
                                     -1);
    return peer(b, b->ballot, of);
}

/* Absent threads say no. ALL asks whether any says that it does not hold. */
static int32_t opinion(hdi_ls *b, const hdi_lir_node *n, bool negated)
{
    const int32_t x = n->arg[0] < 0 ? hdi_ls_const(b, HDI_LIR_BOOL, true) : n->arg[0];
    return hdi_ls_under(b, negated ? hdi_ls_op(b, HDI_LIR_NOT, BOOL, x, -1) : x);
}

static void vote(hdi_ls *b, const hdi_lir_node *n)
{
    spread(b, &b->vote, "vote", HDI_LIR_BOOL);
    hdi_ls_region(b, hdi_ls_assign(b, b->vote, opinion(b, n, n->kind == HDI_LIR_W_ALL)));
    hdi_ls_flush(b);
    collect(b);
    int32_t result = ballot_of_warp(b);
    if (n->kind == HDI_LIR_W_ANY || n->kind == HDI_LIR_W_ALL)
        result = truth(b, n->kind == HDI_LIR_W_ANY ? HDI_LIR_NE : HDI_LIR_EQ, result,
                       number(b, 0));
    guarded(b, hdi_ls_assign(b, (int32_t)n->k, result));
}

/* Each block vote has a variable of its own: it is set to 0 before the region that may still read
 * the result of the vote before. */
static void block_vote(hdi_ls *b, const hdi_lir_node *n)
{
    const int32_t sum = hdi_ls_var(b, "votes", HDI_LIR_I32, HDI_LIR_UNIFORM);
    const int32_t one = hdi_ls_op(b, HDI_LIR_CONVERT, HDI_LIR_I32,
                                  opinion(b, n, n->kind == HDI_LIR_W_BLOCK_AND), -1);
    hdi_ls_block(b, hdi_ls_assign(b, sum, hdi_ls_const(b, HDI_LIR_I32, 0)));
    hdi_ls_region(b, hdi_ls_assign(b, sum, hdi_ls_op(b, HDI_LIR_ADD, HDI_LIR_I32,
                                                     hdi_ls_get(b, sum), one)));
    hdi_ls_flush(b);
    int32_t result = hdi_ls_get(b, sum);
    if (n->kind != HDI_LIR_W_BLOCK_COUNT) {
        const hdi_lir_op op = n->kind == HDI_LIR_W_BLOCK_OR ? HDI_LIR_NE : HDI_LIR_EQ;
        result = truth(b, op, result, hdi_ls_const(b, HDI_LIR_I32, 0));
        result = hdi_ls_op(b, HDI_LIR_CONVERT, HDI_LIR_I32, result, -1);
    }
    const int32_t set = hdi_ls_assign(b, (int32_t)n->k, result);
    if (!b->l->failed && b->l->var[n->k].space == HDI_LIR_UNIFORM)
        hdi_ls_block(b, set);
    else
        guarded(b, set);
}

/* ---- match ----------------------------------------------------------------------------------- */

static int32_t plus(hdi_ls *b, int32_t var, int64_t x)
{
    return hdi_ls_assign(b, var, binary(b, HDI_LIR_ADD, hdi_ls_get(b, var), number(b, x)));
}

/* One turn: the bit of thread `at`, which is lane i, if its value is the thread's own. */
static hdi_lir_list match_turn(hdi_ls *b, int32_t i, int32_t at, int32_t bits, int32_t value,
                               int32_t there)
{
    hdi_lir_list list = HDI_LIR_EMPTY;
    const int32_t end = truth(b, HDI_LIR_LE, number(b, HDI_LIR_WARP_SIZE), hdi_ls_get(b, i));
    const int32_t same = truth(b, HDI_LIR_EQ, peer(b, value, hdi_ls_get(b, at)),
                               hdi_ls_get(b, value));
    const int32_t bit = binary(b, HDI_LIR_SHL, number(b, 1), hdi_ls_get(b, i));
    const int32_t set = hdi_ls_assign(b, bits, binary(b, HDI_LIR_OR, hdi_ls_get(b, bits), bit));
    add(b, &list, hdi_ls_if(b, end, hdi_ls_break(b, 1)));
    add(b, &list, hdi_ls_if(b, truth(b, HDI_LIR_BOTH, is_there(b, at, there), same), set));
    return list;
}

static void match(hdi_ls *b, const hdi_lir_node *n)
{
    hdi_lir_list list = HDI_LIR_EMPTY, step = HDI_LIR_EMPTY;
    const int32_t value = value_var(b, n->arg[0]);
    const int32_t there = keep_mask(b);
    guarded(b, hdi_ls_assign(b, value, n->arg[0]));
    hdi_ls_flush(b);
    const int32_t first = binary(b, HDI_LIR_SUB, thread(b), lane(b));
    const int32_t i = local(b, &list, "i", number(b, 0)), at = local(b, &list, "at", first);
    const int32_t bits = local(b, &list, "bits", number(b, 0));
    const int32_t turn = match_turn(b, i, at, bits, value, there).first;
    add(b, &step, plus(b, i, 1));
    add(b, &step, plus(b, at, 1));
    const int32_t loop = hdi_ls_op(b, HDI_LIR_LOOP, HDI_LIR_VOID, turn, step.first);
    if (!b->l->failed)
        b->l->node[loop].flags = HDI_LIR_COUNTED;
    add(b, &list, loop);
    add(b, &list, hdi_ls_assign(b, (int32_t)n->k, hdi_ls_get(b, bits)));
    hdi_ls_guarded(b, list);
}

void hdi_ls_warp(hdi_ls *b, int32_t i)
{
    const hdi_lir_node n = b->l->node[i];
    b->turn = !b->turn;
    if (n.kind <= HDI_LIR_W_SHUFFLE_XOR)
        shuffle(b, &n);
    else if (n.kind >= HDI_LIR_W_BLOCK_COUNT)
        block_vote(b, &n);
    else if (n.kind == HDI_LIR_W_MATCH)
        match(b, &n);
    else
        vote(b, &n);
}
