/* SPDX-License-Identifier: BSD-3-Clause */
/* lockstep_uniform.c - lowered IR in lockstep: what is the same in all threads of a block, and what
 * the block does once for all of them. */
#include "base/alloc.h"
#include "lir/lockstep.h"

enum { MOST_ROUNDS = 64,       /* walks over the body; more are not worth the time */
       IN_LOOP = 1 << 30 };

typedef struct finder {
    const hdi_lir *l;
    hdi_ls_facts *facts;
    bool changed;
} finder;

/* A loop around a statement. */
typedef struct level {
    int32_t loop;
    const struct level *outer;
} level;

static bool is(const finder *f, int32_t i, int flags)
{
    return (f->facts->node[i] & flags) != 0;
}

static void mark(finder *f, int32_t i, int flag)
{
    f->changed |= !is(f, i, flag);
    f->facts->node[i] |= (uint8_t)flag;
}

static void mark_var(finder *f, int64_t var, int flag)
{
    f->changed |= !(f->facts->var[var] & flag);
    f->facts->var[var] |= (uint8_t)flag;
}

/* ---- what differs between threads ------------------------------------------------------------ */

static bool varies(const finder *f, int32_t i)
{
    if (i < 0)
        return false;
    const hdi_lir_node *n = &f->l->node[i];
    switch (n->op) {
    case HDI_LIR_LOAD: case HDI_LIR_PEER:
        return true;
    case HDI_LIR_BUILTIN:
        return n->k <= HDI_LIR_THREAD_Z || n->k == HDI_LIR_THREAD;
    case HDI_LIR_GET:
        return f->l->var[n->k].param < 0 && (f->facts->var[n->k] & HDI_LS_VARIES);
    case HDI_LIR_ADDRESS:
        return f->l->var[n->k].space == HDI_LIR_PRIVATE;
    default:
        return varies(f, n->arg[0]) || varies(f, n->arg[1]) || varies(f, n->arg[2]);
    }
}

static bool is_block_vote(const hdi_lir_node *n)
{
    return n->op == HDI_LIR_WARP && n->kind >= HDI_LIR_W_BLOCK_COUNT;
}

static void find_assignment(finder *f, int32_t i, bool apart)
{
    const hdi_lir_node *n = &f->l->node[i];
    if (n->k < 0)
        return;
    const bool same = is_block_vote(n) || (n->op == HDI_LIR_ASSIGN && !varies(f, n->arg[0]));
    if (apart || !same)
        mark_var(f, n->k, HDI_LS_VARIES);
}

static int64_t find_apart(finder *f, int32_t first, bool apart);

/* A loop that some threads leave before others, or a turn of it: what is in it, they do apart. */
static int64_t find_in_loop(finder *f, int32_t i, bool apart)
{
    const hdi_lir_node *n = &f->l->node[i];
    const bool inside = apart || is(f, i, HDI_LS_SPLITS);
    const int64_t reach = find_apart(f, n->arg[0], inside);
    find_apart(f, n->arg[1], inside);
    if (reach > 0)
        mark(f, i, HDI_LS_SPLITS);
    return reach > 0 ? reach - 1 : 0;
}

static int64_t find_in_if(finder *f, int32_t i, bool apart)
{
    const hdi_lir_node *n = &f->l->node[i];
    if (varies(f, n->arg[0]))
        mark(f, i, HDI_LS_SPLITS);
    const bool inside = apart || is(f, i, HDI_LS_SPLITS);
    const int64_t one = find_apart(f, n->arg[1], inside);
    const int64_t other = find_apart(f, n->arg[2], inside);
    return one > other ? one : other;
}

/* apart: only some of the threads that live may be here. Returns how many loops outwards threads go
 * that leave the list apart from others. Those that return are not missed: nothing of what others
 * do is the same for them any more, and they do not ask. */
static int64_t find_apart(finder *f, int32_t first, bool apart)
{
    int64_t most = 0;
    for (int32_t i = first; i >= 0; i = f->l->node[i].next) {
        const hdi_lir_node *n = &f->l->node[i];
        const bool here = apart || most > 0;
        int64_t reach = 0;
        if (here)
            mark(f, i, HDI_LS_APART);
        switch (n->op) {
        case HDI_LIR_ASSIGN: case HDI_LIR_ATOMIC: case HDI_LIR_WARP:
            find_assignment(f, i, here);
            break;
        case HDI_LIR_IF:       reach = find_in_if(f, i, here); break;
        case HDI_LIR_LOOP:     reach = find_in_loop(f, i, here); break;
        case HDI_LIR_BREAK: case HDI_LIR_CONTINUE:
            reach = here ? n->k : 0;
            break;
        default:
            break;
        }
        most = reach > most ? reach : most;
    }
    return most;
}

/* ---- loops that the block runs although threads do not meet in them -------------------------- */

typedef struct content { int accesses, assigned; bool bad; } content;

static void look_in_value(const finder *f, int32_t i, content *c)
{
    if (i < 0)
        return;
    const hdi_lir_node *n = &f->l->node[i];
    c->accesses += n->op == HDI_LIR_LOAD;
    /* A thread's array would lie in scratch memory, its elements far from other threads'. */
    c->bad |= n->op == HDI_LIR_ADDRESS && f->l->var[n->k].space == HDI_LIR_PRIVATE;
    for (int a = 0; a < 3; a++)
        look_in_value(f, n->arg[a], c);
}

static void look_in_list(const finder *f, int32_t first, content *c)
{
    for (int32_t i = first; i >= 0 && !c->bad; i = f->l->node[i].next) {
        const hdi_lir_node *n = &f->l->node[i];
        c->accesses += n->op == HDI_LIR_STORE;
        c->assigned += n->op == HDI_LIR_ASSIGN && (f->facts->var[n->k] & HDI_LS_VARIES);
        c->bad |= n->op == HDI_LIR_ATOMIC || n->op == HDI_LIR_PRINT || n->op == HDI_LIR_TRAP
                  || n->op == HDI_LIR_FENCE || n->op == HDI_LIR_RETURN
                  || (n->op == HDI_LIR_LOOP && is(f, i, HDI_LS_SPLITS));
        for (int a = 0; a < 3; a++)
            if (hdi_lir_ops[n->op].shape[a] == 's')
                look_in_list(f, n->arg[a], c);
            else
                look_in_value(f, n->arg[a], c);
    }
}

/* A region within a loop is vectorized over the threads, a loop within a region is not: it has one
 * thread's additions in a row, and the next thread's address in the next turn. */
static bool is_better_outside(const finder *f, int32_t i)
{
    enum { MOST_ASSIGNED = 24 };
    content c = {0, 0, false};
    if (is(f, i, HDI_LS_APART | HDI_LS_SPLITS))
        return false;
    look_in_list(f, f->l->node[i].arg[0], &c);
    look_in_list(f, f->l->node[i].arg[1], &c);
    return !c.bad && c.accesses > 0 && c.assigned <= MOST_ASSIGNED;
}

/* Notes MEETS and OUTSIDE; whether the block has to run any of the list. */
static bool find_block_parts(finder *f, int32_t first)
{
    bool any = false;
    for (int32_t i = first; i >= 0; i = f->l->node[i].next) {
        const hdi_lir_node *n = &f->l->node[i];
        bool here = n->op == HDI_LIR_BARRIER || n->op == HDI_LIR_SYNCWARP || n->op == HDI_LIR_WARP;
        for (int a = 0; a < 3; a++)
            if (hdi_lir_ops[n->op].shape[a] == 's')
                here |= find_block_parts(f, n->arg[a]);
        here |= n->op == HDI_LIR_LOOP && is_better_outside(f, i);
        if (here)
            mark(f, i, HDI_LS_BLOCK);
        any |= here;
    }
    return any;
}

/* ---- what the block does once ---------------------------------------------------------------- */

/* The block evaluates this expression. */
static void need(finder *f, int32_t i)
{
    if (i < 0)
        return;
    const hdi_lir_node *n = &f->l->node[i];
    if (n->op == HDI_LIR_GET && f->l->var[n->k].param < 0)
        mark_var(f, n->k, HDI_LS_OF_BLOCK);
    for (int a = 0; a < 3; a++)
        need(f, n->arg[a]);
}

static bool leaves_block_loop(const finder *f, int32_t i, const level *around)
{
    for (int64_t k = f->l->node[i].k; k > 1; k--)
        around = around->outer;
    return !is(f, i, HDI_LS_APART) && is(f, around->loop, HDI_LS_BLOCK);
}

static bool find_once(finder *f, int32_t first, const level *around);

static bool is_once(finder *f, int32_t i, const level *around)
{
    const hdi_lir_node *n = &f->l->node[i];
    const level inner = {i, around};
    bool here = is(f, i, HDI_LS_BLOCK);
    switch (n->op) {
    case HDI_LIR_ASSIGN:
        here |= (f->facts->var[n->k] & HDI_LS_OF_BLOCK) != 0;
        break;
    case HDI_LIR_BREAK: case HDI_LIR_CONTINUE:
        here |= leaves_block_loop(f, i, around);
        break;
    case HDI_LIR_RETURN:
        here |= !is(f, i, HDI_LS_APART);
        break;
    case HDI_LIR_IF:
        here |= find_once(f, n->arg[1], around);
        here |= find_once(f, n->arg[2], around);
        break;
    case HDI_LIR_LOOP:
        here |= find_once(f, n->arg[0], &inner);
        here |= find_once(f, n->arg[1], &inner);
        break;
    default:
        break;
    }
    return here;
}

/* What is done once, and so all that is around it; whether there is any in the list. */
static bool find_once(finder *f, int32_t first, const level *around)
{
    bool any = false;
    for (int32_t i = first; i >= 0; i = f->l->node[i].next) {
        const hdi_lir_node *n = &f->l->node[i];
        const bool plain = !is(f, i, HDI_LS_APART | HDI_LS_SPLITS);
        if (!is_once(f, i, around))
            continue;
        any = true;
        mark(f, i, HDI_LS_BLOCK);
        if (plain && (n->op == HDI_LIR_ASSIGN || n->op == HDI_LIR_IF))
            need(f, n->arg[0]);
    }
    return any;
}

/* Whether the block knows all that the value of `self` is made of. */
static bool has_values(const finder *f, int32_t i, int64_t self)
{
    if (i < 0)
        return true;
    const hdi_lir_node *n = &f->l->node[i];
    if (n->op == HDI_LIR_GET && f->l->var[n->k].param < 0 && n->k != self
        && !(f->facts->var[n->k] & HDI_LS_OF_BLOCK))
        return false;
    return has_values(f, n->arg[0], self) && has_values(f, n->arg[1], self)
           && has_values(f, n->arg[2], self);
}

/* Counts for each variable how often the block could set it, and with IN_LOOP whether in a loop. */
static void count_possible(const finder *f, int32_t first, bool in_loop, int32_t *possible)
{
    for (int32_t i = first; i >= 0; i = f->l->node[i].next) {
        const hdi_lir_node *n = &f->l->node[i];
        if (n->op == HDI_LIR_ASSIGN && !(f->facts->var[n->k] & HDI_LS_VARIES)
            && has_values(f, n->arg[0], n->k))
            possible[n->k] = (possible[n->k] + 1) | (in_loop ? IN_LOOP : 0);
        for (int a = 0; a < 3 && is(f, i, HDI_LS_BLOCK); a++)
            if (hdi_lir_ops[n->op].shape[a] == 's')
                count_possible(f, n->arg[a], in_loop || n->op == HDI_LIR_LOOP, possible);
    }
}

/* Variables that the block may as well set: nobody needs them spread. Those that have several
 * values in a row would cut regions into pieces. */
static void find_possible(finder *f, int32_t *possible)
{
    f->changed = true;
    for (int k = 0; k < MOST_ROUNDS && f->changed; k++) {
        f->changed = false;
        memset(possible, 0, ((size_t)f->l->nvars + 1) * sizeof *possible);
        count_possible(f, f->l->body, false, possible);
        for (int32_t i = 0; i < f->l->nvars; i++) {
            const int32_t times = possible[i] & ~IN_LOOP;
            if (times > 0 && times == f->facts->times[i] && (times == 1 || possible[i] != times))
                mark_var(f, i, HDI_LS_OF_BLOCK);
        }
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Which statements hold a RETURN that some threads reach and others do not. */
static bool find_returns(finder *f, int32_t first)
{
    bool any = false;
    for (int32_t i = first; i >= 0; i = f->l->node[i].next) {
        const hdi_lir_node *n = &f->l->node[i];
        bool here = n->op == HDI_LIR_RETURN && is(f, i, HDI_LS_APART);
        for (int a = 0; a < 3; a++)
            if (hdi_lir_ops[n->op].shape[a] == 's')
                here |= find_returns(f, n->arg[a]);
        if (here)
            mark(f, i, HDI_LS_RETURNS);
        any |= here;
    }
    return any;
}

static bool settle_apart(finder *f)
{
    f->changed = true;
    for (int k = 0; k < MOST_ROUNDS && f->changed; k++) {
        f->changed = false;
        find_apart(f, f->l->body, false);
    }
    return !f->changed;
}

static bool settle_once(finder *f)
{
    f->changed = true;
    for (int k = 0; k < MOST_ROUNDS && f->changed; k++) {
        f->changed = false;
        find_once(f, f->l->body, NULL);
    }
    return !f->changed;
}

/* Nothing is known to be the same: all that threads meet in goes on under masks. */
static void give_up(finder *f)
{
    memset(f->facts->var, HDI_LS_VARIES, (size_t)f->l->nvars);
    memset(f->facts->node, HDI_LS_APART | HDI_LS_SPLITS, (size_t)f->l->nnodes);
    find_block_parts(f, f->l->body);
}

/* Which ASSIGN is a variable's only one. Nodes that the body does not lead to count as well. */
static void find_assignments(const hdi_lir *l, int32_t *assigned, int32_t *times)
{
    for (int32_t k = 0; k < l->nvars; k++)
        assigned[k] = -1;
    for (int32_t i = 0; i < l->nnodes; i++) {
        const hdi_lir_node *n = &l->node[i];
        const bool sets =
            n->op == HDI_LIR_ASSIGN || n->op == HDI_LIR_ATOMIC || n->op == HDI_LIR_WARP;
        if (!sets || n->k < 0)
            continue;
        times[n->k]++;
        assigned[n->k] = n->op == HDI_LIR_ASSIGN && assigned[n->k] == -1 ? i : -2;
    }
}

static void find_all(const hdi_lir *l, hdi_ls_facts *facts, int32_t *possible)
{
    finder f = {.l = l, .facts = facts};
    const bool settled = settle_apart(&f);
    facts->cut = settled && find_block_parts(&f, l->body);
    if (facts->cut && settle_once(&f)) {
        find_possible(&f, possible);
        find_once(&f, l->body, NULL);
    } else if (facts->cut || !settled) {
        give_up(&f);
        facts->cut = find_block_parts(&f, l->body);
    }
    find_returns(&f, l->body);
}

hd_status hdi_ls_find_uniform(const hdi_lir *l, hdi_ls_facts *facts)
{
    hd_status status = HD_OK;
    const size_t words = ((size_t)l->nvars + 1) * sizeof(int32_t);
    int32_t *possible = hdi_calloc(words);
    *facts = (hdi_ls_facts){.node = hdi_calloc((size_t)l->nnodes + 1),
                            .var = hdi_calloc((size_t)l->nvars + 1),
                            .assigned = hdi_calloc(words), .times = hdi_calloc(words),
                            .nnodes = l->nnodes, .nvars = l->nvars};
    HD_REQUIRE(possible != NULL && facts->node != NULL && facts->var != NULL
               && facts->assigned != NULL && facts->times != NULL,
               HD_NOMEM, "out of memory to cut a kernel of %d nodes", l->nnodes);
    find_assignments(l, facts->assigned, facts->times);
    find_all(l, facts, possible);
done:
    hdi_free(possible, words);
    return status;
}

void hdi_ls_free_facts(hdi_ls_facts *facts)
{
    const size_t words = ((size_t)facts->nvars + 1) * sizeof(int32_t);
    hdi_free(facts->node, (size_t)facts->nnodes + 1);
    hdi_free(facts->var, (size_t)facts->nvars + 1);
    hdi_free(facts->assigned, words);
    hdi_free(facts->times, words);
    *facts = (hdi_ls_facts){0};
}
