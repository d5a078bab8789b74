/* SPDX-License-Identifier: BSD-3-Clause */
/* lockstep_vars.c - lowered IR in lockstep: copies of parameters, and which variables live in one
 * region only. */
#include "base/alloc.h"
#include "lir/lockstep.h"

/* ---- parameters ------------------------------------------------------------------------------ */

static bool sets_var(int op)
{
    return op == HDI_LIR_ASSIGN || op == HDI_LIR_ATOMIC || op == HDI_LIR_WARP;
}

/* Nodes that the body does not lead to count as well: at worst there is a copy too many. */
static bool needs_copy(const hdi_lir *l, int32_t param)
{
    for (int32_t i = 0; i < l->nnodes; i++) {
        const int op = l->node[i].op;
        if ((sets_var(op) || op == HDI_LIR_ADDRESS) && l->node[i].k == param)
            return true;
    }
    return false;
}

static void rename_var(hdi_lir *l, int32_t from, int32_t to)
{
    for (int32_t i = 0; i < l->nnodes; i++)
        if (hdi_ls_names_var(l->node[i].op) && l->node[i].k == from)
            l->node[i].k = to;
}

static int32_t node(hdi_lir *l, hdi_lir_op op, hdi_lir_type type, int64_t k, int32_t x, int32_t y)
{
    return hdi_lir_node3(l, op, type, 0, k, x, y, -1);
}

static int32_t element(hdi_lir *l, int32_t var, int32_t i, int64_t bytes)
{
    const int32_t base = node(l, HDI_LIR_ADDRESS, HDI_LIR_POINTER, var, -1, -1);
    return node(l, HDI_LIR_OFFSET, HDI_LIR_POINTER, bytes, base, hdi_lir_get(l, i));
}

/* A loop that copies the elements of `from` to `to`. */
static void copy_elements(hdi_lir *l, hdi_lir_list *list, int32_t to, int32_t from,
                          hdi_lir_type type, int64_t count)
{
    const int64_t bytes = hdi_lir_types[type].bytes;
    const int32_t i = hdi_lir_variable(l, "i", HDI_LIR_I64, HDI_LIR_PRIVATE);
    const int32_t end = node(l, HDI_LIR_LE, HDI_LIR_BOOL, 0, hdi_lir_const(l, HDI_LIR_I64, count),
                             hdi_lir_get(l, i));
    const int32_t value = node(l, HDI_LIR_LOAD, type, 0, element(l, from, i, bytes), -1);
    hdi_lir_list turn = HDI_LIR_EMPTY;
    hdi_lir_list_add(l, &turn, node(l, HDI_LIR_IF, HDI_LIR_VOID, 0, end,
                                    node(l, HDI_LIR_BREAK, HDI_LIR_VOID, 1, -1, -1)));
    hdi_lir_list_add(l, &turn, node(l, HDI_LIR_STORE, HDI_LIR_VOID, 0, element(l, to, i, bytes),
                                    value));
    const int32_t next = node(l, HDI_LIR_ADD, HDI_LIR_I64, 0, hdi_lir_get(l, i),
                              hdi_lir_const(l, HDI_LIR_I64, 1));
    const int32_t step = node(l, HDI_LIR_ASSIGN, HDI_LIR_VOID, i, next, -1);
    const int32_t loop = node(l, HDI_LIR_LOOP, HDI_LIR_VOID, 0, turn.first, step);
    if (!l->failed)
        l->node[loop].flags = HDI_LIR_COUNTED;
    hdi_lir_list_add(l, list, node(l, HDI_LIR_DECLARE, HDI_LIR_VOID, i, -1, -1));
    hdi_lir_list_add(l, list, node(l, HDI_LIR_ASSIGN, HDI_LIR_VOID, i,
                                   hdi_lir_const(l, HDI_LIR_I64, 0), -1));
    hdi_lir_list_add(l, list, loop);
}

/* One variable for all threads may not be assigned by one of them. */
static void copy_param(hdi_lir *l, hdi_lir_list *list, int32_t param)
{
    const hdi_lir_var var = l->var[param];
    const hdi_lir_type type = (hdi_lir_type)var.type;
    const int32_t copy = hdi_lir_variable(l, "", type, HDI_LIR_PRIVATE);
    if (l->failed)
        return;
    rename_var(l, param, copy);
    l->var[copy].name = var.name;
    l->var[copy].count = var.count;
    l->var[copy].align = var.align;
    l->var[copy].in_memory = var.in_memory;
    hdi_lir_list_add(l, list, node(l, HDI_LIR_DECLARE, HDI_LIR_VOID, copy, -1, -1));
    if (var.count != 1) {
        copy_elements(l, list, copy, param, type, var.count);
        return;
    }
    l->var[param].in_memory = false;
    const int32_t value = hdi_lir_get(l, param);
    hdi_lir_list_add(l, list,
                     var.in_memory
                         ? node(l, HDI_LIR_STORE, HDI_LIR_VOID, 0,
                                node(l, HDI_LIR_ADDRESS, HDI_LIR_POINTER, copy, -1, -1), value)
                         : node(l, HDI_LIR_ASSIGN, HDI_LIR_VOID, copy, value, -1));
}

void hdi_ls_copy_params(hdi_lir *l)
{
    hdi_lir_list list = HDI_LIR_EMPTY;
    const int32_t nvars = l->nvars;
    for (int32_t i = 0; i < nvars && !l->failed; i++)
        if (l->var[i].param >= 0 && needs_copy(l, i))
            copy_param(l, &list, i);
    if (l->failed || list.first < 0)
        return;
    l->node[list.last].next = l->body;
    l->body = list.first;
}

bool hdi_ls_mentions(const hdi_lir *l, int32_t first, int32_t var)
{
    for (int32_t i = first; i >= 0; i = l->node[i].next) {
        const hdi_lir_node *n = &l->node[i];
        if (hdi_ls_names_var(n->op) && n->k == var)
            return true;
        for (int a = 0; a < 3; a++)
            if (hdi_ls_mentions(l, n->arg[a], var))
                return true;
    }
    return false;
}

/* ---- where variables are used ---------------------------------------------------------------- */

enum { NOWHERE = -1, SEVERAL = -2, MOST_ROUNDS = 8 };

typedef struct use {
    int32_t home;              /* the THREADS with all its uses, NOWHERE or SEVERAL */
    bool declared_first;       /* the first that is met there is its DECLARE */
    bool repeated;             /* home runs more than once */
    bool leaks;                /* its value, or its address if it is in memory, leaves home */
} use;

typedef struct finder {
    hdi_lir *l;
    use *use;
    int32_t threads;           /* the THREADS that is walked */
    int32_t nthreads;
    bool in_loop;              /* of the block */
    int round;
    bool changed;
} finder;

static void note(finder *f, int32_t var, bool declares)
{
    use *u = &f->use[var];
    if (u->home == NOWHERE)
        *u = (use){f->threads, declares, f->in_loop, false};
    else if (u->home != f->threads)
        u->home = SEVERAL;
}

/* Its value needs not outlive one run of one region. */
static bool at_home(const finder *f, int64_t var)
{
    const use *u = &f->use[var];
    return f->l->var[var].space == HDI_LIR_PRIVATE && u->home != SEVERAL
           && (u->declared_first || !u->repeated);
}

/* The first round finds homes; later ones what leaks, until no more is found. */
static void visit(finder *f, const hdi_lir_node *n, bool leaks)
{
    if (!hdi_ls_names_var(n->op) && n->op != HDI_LIR_DECLARE && n->op != HDI_LIR_PEER)
        return;
    if (n->k < 0)
        return;
    if (f->round == 0)
        note(f, (int32_t)n->k, n->op == HDI_LIR_DECLARE);
    else if (leaks && !f->use[n->k].leaks)
        f->use[n->k].leaks = f->changed = true;
}

/* leaks: the value of the expression goes where it may be read after this region. */
static void find_in_value(finder *f, int32_t i, bool leaks)
{
    if (i < 0)
        return;
    const hdi_lir_node *n = &f->l->node[i];
    visit(f, n, leaks);
    for (int a = 0; a < 3; a++)
        find_in_value(f, n->arg[a], leaks && n->op != HDI_LIR_LOAD && n->op != HDI_LIR_PEER);
}

/* What is stored leaks: nobody follows memory. What is assigned leaks as the variable does; when
 * chains of assignments take many rounds, it just does. */
static void find_in_operands(finder *f, const hdi_lir_node *n)
{
    const bool assigns = n->op == HDI_LIR_ASSIGN;
    const bool stays = assigns && at_home(f, n->k) && !f->use[n->k].leaks
                       && f->round < MOST_ROUNDS;
    for (int a = 0; a < 3; a++) {
        const char shape = hdi_lir_ops[n->op].shape[a];
        const bool is_address = a == 0 && (n->op == HDI_LIR_STORE || n->op == HDI_LIR_ATOMIC);
        const bool is_read = n->op == HDI_LIR_IF || n->op == HDI_LIR_ITEM;
        if (shape == 'e' || shape == 'o')
            find_in_value(f, n->arg[a], !stays && !is_address && !is_read);
    }
}

static void find(finder *f, int32_t first)
{
    for (int32_t i = first; i >= 0; i = f->l->node[i].next) {
        const hdi_lir_node *n = &f->l->node[i];
        const bool was_in_loop = f->in_loop, begins = n->op == HDI_LIR_THREADS;
        if (begins) {
            f->threads = i;
            f->nthreads += f->round == 0;
        }
        f->in_loop |= n->op == HDI_LIR_LOOP && f->threads == NOWHERE;
        visit(f, n, false);
        find_in_operands(f, n);
        for (int a = 0; a < 3; a++)
            if (hdi_lir_ops[n->op].shape[a] == 's')
                find(f, n->arg[a]);
        f->in_loop = was_in_loop;
        if (begins)
            f->threads = NOWHERE;
    }
}

static void find_homes(finder *f)
{
    for (int32_t i = 0; i < f->l->nvars; i++)
        f->use[i].home = NOWHERE;
    f->threads = NOWHERE;
    f->nthreads = f->round = 0;
    f->changed = true;
    find(f, f->l->body);
}

/* With one region that runs once, no address outlives it. */
static void spread_others(const finder *f)
{
    for (int32_t i = 0; i < f->l->nvars; i++) {
        hdi_lir_var *var = &f->l->var[i];
        const bool leaks = var->in_memory && f->use[i].leaks
                           && (f->nthreads > 1 || f->use[i].repeated);
        if (var->space == HDI_LIR_PRIVATE && var->param < 0 && (!at_home(f, i) || leaks))
            var->space = HDI_LIR_SPREAD;
    }
}

/* ---- what is left over ----------------------------------------------------------------------- */

/* Takes out DECLAREs of variables that are no longer PRIVATE, and statements that this empties. */
static void tidy(hdi_lir *l, int32_t *link)
{
    while (*link >= 0) {
        hdi_lir_node *n = &l->node[*link];
        for (int a = 0; a < 3; a++)
            if (hdi_lir_ops[n->op].shape[a] == 's' && n->op != HDI_LIR_PRINT)
                tidy(l, &n->arg[a]);
        const bool idle =
            (n->op == HDI_LIR_DECLARE && l->var[n->k].space != HDI_LIR_PRIVATE)
            || (n->op == HDI_LIR_IF && n->arg[1] < 0 && n->arg[2] < 0)
            || (n->op == HDI_LIR_THREADS && n->arg[0] < 0);
        if (idle)
            *link = n->next;
        else
            link = &n->next;
    }
}

hd_status hdi_ls_place_variables(hdi_lir *l, const hdi_ls_facts *facts)
{
    hd_status status = HD_OK;
    size_t size = ((size_t)l->nvars + 1) * sizeof(use);
    finder f = {.l = l, .use = hdi_calloc(size)};
    HD_REQUIRE(f.use != NULL, HD_NOMEM, "out of memory for %d variables", l->nvars);
    find_homes(&f);
    for (int32_t i = 0; i < facts->nvars; i++)
        facts->var[i] = at_home(&f, i) ? 0 : HDI_LS_AWAY;
    hdi_free(f.use, size);
    f.use = NULL;
    hdi_ls_recompute(l, facts);
    HD_REQUIRE(!l->failed, HD_NOMEM, "out of memory to cut a kernel of %d nodes", l->nnodes);
    size = ((size_t)l->nvars + 1) * sizeof(use);
    f.use = hdi_calloc(size);
    HD_REQUIRE(f.use != NULL, HD_NOMEM, "out of memory for %d variables", l->nvars);
    find_homes(&f);
    for (f.round = 1; f.changed && f.round <= MOST_ROUNDS; f.round++) {
        f.changed = false;
        find(&f, l->body);
    }
    spread_others(&f);
    tidy(l, &l->body);
done:
    hdi_free(f.use, size);
    return status;
}
