/* SPDX-License-Identifier: BSD-3-Clause */
/* lockstep_again.c - lowered IR in lockstep: variables with one cheap value, int tid = threadIdx.x,
 * are computed anew in each region instead of kept in memory. Addresses made of them are then known
 * to be consecutive, and the loop over threads can be vectorized. */
#include "base/alloc.h"
#include "lir/lockstep.h"

enum {
    MOST_NODES = 24,           /* of a value, with those of the variables in it */
    MOST_LEVELS = 8            /* of variables in values of variables */
};

typedef struct again {
    hdi_lir *l;
    const hdi_ls_facts *facts;
    int32_t nvars;
    uint8_t *level;            /* of each variable: 0 it is kept; 1 its value reads no variable that
                                  is computed anew; 2 it reads some of level 1; ... */
    int32_t *cost;
    bool *wanted;
} again;

/* ---- which --------------------------------------------------------------------------------- */

static bool is_fast_divisor(const hdi_lir *l, int32_t i)
{
    const hdi_lir_node *n = &l->node[i];
    return n->op == HDI_LIR_CONST && n->k != 0;
}

/* What it costs to evaluate i anew; MOST_NODES + 1: too much, or it may be another value by then,
 * or none where it was not to be evaluated: divisions of what is not defined are not harmless. */
static int32_t cost_of(const again *a, int32_t i, uint8_t *level)
{
    const hdi_lir_node *n = &a->l->node[i];
    int32_t sum = n->op != HDI_LIR_CONST && n->op != HDI_LIR_CONVERT;
    switch (n->op) {
    case HDI_LIR_LOAD: case HDI_LIR_PEER: case HDI_LIR_MATH:
        return MOST_NODES + 1;
    case HDI_LIR_DIV: case HDI_LIR_REM:
        if (!is_fast_divisor(a->l, n->arg[1]))
            return MOST_NODES + 1;
        break;
    case HDI_LIR_ADDRESS:
        return a->l->var[n->k].space == HDI_LIR_PRIVATE ? MOST_NODES + 1 : 1;
    case HDI_LIR_GET:
        if (a->l->var[n->k].param >= 0)
            return 0;
        if (n->k >= a->nvars || a->level[n->k] == 0)
            return MOST_NODES + 1;
        *level = a->level[n->k] > *level ? a->level[n->k] : *level;
        return a->cost[n->k];
    default:
        break;
    }
    for (int k = 0; k < 3 && sum <= MOST_NODES; k++)
        if (n->arg[k] >= 0)
            sum += cost_of(a, n->arg[k], level);
    return sum;
}

static bool may_have_level(const again *a, int32_t var)
{
    const hdi_lir_var *v = &a->l->var[var];
    return a->level[var] == 0 && a->facts->assigned[var] >= 0 && !v->in_memory && v->param < 0
           && (v->space == HDI_LIR_PRIVATE || v->space == HDI_LIR_UNIFORM);
}

/* By induction: such a value is the same whenever it is computed, and no variable needs itself. */
static void find_levels(again *a)
{
    for (int round = 1, found = 1; round <= MOST_LEVELS && found; round++) {
        found = 0;
        for (int32_t i = 0; i < a->nvars; i++) {
            uint8_t level = 0;
            if (!may_have_level(a, i))
                continue;
            const int32_t value = a->l->node[a->facts->assigned[i]].arg[0];
            const int32_t cost = cost_of(a, value, &level);
            if (cost > MOST_NODES || level >= round)
                continue;
            a->level[i] = (uint8_t)round;
            a->cost[i] = a->l->var[i].space == HDI_LIR_UNIFORM ? 1 : cost;
            found = 1;
        }
    }
}

/* ---- how ----------------------------------------------------------------------------------- */

static void want_operands(again *a, int32_t i)
{
    if (i < 0)
        return;
    const hdi_lir_node *n = &a->l->node[i];
    if (n->op == HDI_LIR_GET && n->k < a->nvars && a->l->var[n->k].space == HDI_LIR_PRIVATE
        && a->level[n->k] > 0)
        a->wanted[n->k] = true;
    for (int k = 0; k < 3; k++)
        want_operands(a, n->arg[k]);
}

int32_t hdi_ls_copy(hdi_lir *l, int32_t i)
{
    if (i < 0 || l->failed)
        return -1;
    const hdi_lir_node n = l->node[i];
    int32_t arg[3];
    for (int k = 0; k < 3; k++)
        arg[k] = hdi_ls_copy(l, n.arg[k]);
    const int32_t copy = hdi_lir_node3(l, (hdi_lir_op)n.op, (hdi_lir_type)n.type, n.line, n.k,
                                       arg[0], arg[1], arg[2]);
    if (!l->failed) {
        l->node[copy].kind = n.kind;
        l->node[copy].flags = n.flags;
    }
    return copy;
}

void hdi_ls_rename_reads(hdi_lir *l, int32_t first, int32_t from, int32_t to)
{
    for (int32_t i = first; i >= 0 && !l->failed; i = l->node[i].next) {
        hdi_lir_node *n = &l->node[i];
        if (n->op == HDI_LIR_GET && n->k == from)
            n->k = to;
        for (int k = 0; k < 3; k++)
            hdi_ls_rename_reads(l, n->arg[k], from, to);
    }
}

/* A variable of the region, with its value, before all that is there. */
static void begin_with(again *a, int32_t threads, int32_t var, int32_t value)
{
    hdi_lir *l = a->l;
    const hdi_lir_var v = l->var[var];
    const int32_t line = l->node[threads].line;
    const int32_t own = hdi_lir_variable(l, "", (hdi_lir_type)v.type, HDI_LIR_PRIVATE);
    const int32_t declare = hdi_lir_node3(l, HDI_LIR_DECLARE, HDI_LIR_VOID, line, own, -1, -1, -1);
    const int32_t set = hdi_lir_node3(l, HDI_LIR_ASSIGN, HDI_LIR_VOID, line, own,
                                      hdi_ls_copy(l, value), -1, -1);
    if (l->failed)
        return;
    l->var[own].name = v.name;
    hdi_ls_rename_reads(l, l->node[threads].arg[0], var, own);
    l->node[declare].next = set;
    l->node[set].next = l->node[threads].arg[0];
    l->node[threads].arg[0] = declare;
}

static void compute_in_regions(again *a, int32_t first, int32_t var, int32_t value)
{
    hdi_lir *l = a->l;
    for (int32_t i = first; i >= 0 && !l->failed; i = l->node[i].next) {
        const hdi_lir_node n = l->node[i];
        if (n.op == HDI_LIR_THREADS) {
            if (hdi_ls_mentions(l, n.arg[0], var))
                begin_with(a, i, var, value);
            continue;
        }
        for (int k = 0; k < 3; k++)
            if (hdi_lir_ops[n.op].shape[k] == 's')
                compute_in_regions(a, n.arg[k], var, value);
    }
}

/* The ASSIGN goes: an IF of nothing is taken out in the end. */
static void compute_again(again *a, int32_t var)
{
    const int32_t set = a->facts->assigned[var], value = a->l->node[set].arg[0];
    want_operands(a, value);
    a->l->node[set].op = HDI_LIR_IF;
    a->l->node[set].k = 0;
    a->l->node[set].arg[0] = -1;
    compute_in_regions(a, a->l->body, var, value);
}

void hdi_ls_recompute(hdi_lir *l, const hdi_ls_facts *facts)
{
    const int32_t nfacts = facts->nvars;
    const size_t room = (size_t)nfacts + 1;
    again a = {l, facts, nfacts, hdi_calloc(room), hdi_calloc(room * sizeof *a.cost),
               hdi_calloc(room)};
    if (a.level != NULL && a.cost != NULL && a.wanted != NULL) {
        find_levels(&a);
        for (int32_t i = 0; i < nfacts; i++)
            a.wanted[i] = l->var[i].space == HDI_LIR_PRIVATE && (facts->var[i] & HDI_LS_AWAY);
        /* Those that others' values read come later, and stand before them in the region. */
        for (int level = MOST_LEVELS; level > 0; level--)
            for (int32_t i = 0; i < nfacts && !l->failed; i++)
                if (a.level[i] == level && a.wanted[i])
                    compute_again(&a, i);
    } else {
        l->failed = true;
    }
    hdi_free(a.level, room);
    hdi_free(a.cost, room * sizeof *a.cost);
    hdi_free(a.wanted, room);
}
