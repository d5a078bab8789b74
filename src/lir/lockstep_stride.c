/* SPDX-License-Identifier: BSD-3-Clause */
/* lockstep_stride.c - lowered IR in lockstep: loops that go over an array with the block's or the
 * grid's stride,
 *     for (i = first; i < end; i += blockDim.x * gridDim.x) body
 * become loops of the block. One thread after the other would touch each line of the cache as
 * often as it has elements; all threads of one turn touch consecutive addresses. They become
 *     far = 0
 *     loop { if no thread has first + far < end, break
 *            if (first + far < end) { i = first + far; body } } step { far += stride }
 * The comparison is made in 64 bits: threads that have left go on counting, beyond i's type. */
#include "lir/lockstep.h"

typedef struct strider {
    hdi_lir *l;
    const hdi_ls_facts *facts;
    int found;
} strider;

/* A loop that matches. */
typedef struct stride {
    int32_t init, loop;        /* statements */
    int32_t var;               /* i */
    int32_t exit;              /* the condition to leave */
    int32_t body;              /* first statement, or none */
    int32_t by;                /* the expression of the stride */
} stride;

/* ---- does it match? -------------------------------------------------------------------------- */

static bool is_whole(int type)
{
    const char kind = hdi_lir_types[type].kind;
    return (kind == 'i' || kind == 'u') && hdi_lir_types[type].bytes >= 4;
}

/* Without conversions between integers. */
static int32_t stripped(const hdi_lir *l, int32_t i)
{
    while (l->node[i].op == HDI_LIR_CONVERT && is_whole(l->node[i].type)
           && is_whole(l->node[l->node[i].arg[0]].type))
        i = l->node[i].arg[0];
    return i;
}

static bool reads(const hdi_lir *l, int32_t i, int32_t var)
{
    return l->node[i].op == HDI_LIR_GET && l->node[i].k == var;
}

/* Sizes of the block and the grid, their products and sums: not negative. *block: some are the
 * block's. */
static bool is_size(const strider *s, int32_t i, int depth, bool *block)
{
    const hdi_lir *l = s->l;
    const hdi_lir_node *n = &l->node[stripped(l, i)];
    switch (n->op) {
    case HDI_LIR_CONST:
        return n->k > 0 && is_whole(n->type);
    case HDI_LIR_BUILTIN:
        *block |= n->k == HDI_LIR_THREADS_OF_BLOCK
                  || (n->k >= HDI_LIR_BLOCK_DIM_X && n->k <= HDI_LIR_BLOCK_DIM_Z);
        return n->k >= HDI_LIR_BLOCK_DIM_X && n->k != HDI_LIR_THREAD;
    case HDI_LIR_GET:
        return depth > 0 && l->var[n->k].param < 0 && s->facts->assigned[n->k] >= 0
               && is_size(s, l->node[s->facts->assigned[n->k]].arg[0], depth - 1, block);
    case HDI_LIR_ADD: case HDI_LIR_MUL:
        return depth > 0 && is_size(s, n->arg[0], depth - 1, block)
               && is_size(s, n->arg[1], depth - 1, block);
    default:
        return false;
    }
}

static bool match_step(const strider *s, stride *m)
{
    enum { DEEP = 8 };
    const hdi_lir *l = s->l;
    bool block = false;
    const int32_t step = l->node[m->loop].arg[1];
    if (step < 0 || l->node[step].next >= 0 || l->node[step].op != HDI_LIR_ASSIGN
        || l->node[step].k != m->var)
        return false;
    const hdi_lir_node *sum = &l->node[stripped(l, l->node[step].arg[0])];
    if (sum->op != HDI_LIR_ADD
        || hdi_lir_types[sum->type].bytes != hdi_lir_types[l->var[m->var].type].bytes)
        return false;
    const bool first = reads(l, stripped(l, sum->arg[0]), m->var);
    m->by = sum->arg[first ? 1 : 0];
    return (first || reads(l, stripped(l, sum->arg[1]), m->var))
           && is_size(s, m->by, DEEP, &block) && block;
}

/* An expression that has the same value in all threads and turns. */
static bool is_bound(const strider *s, int32_t i)
{
    const hdi_lir *l = s->l;
    const hdi_lir_node *n = &l->node[i];
    if (n->op == HDI_LIR_GET && l->var[n->k].param < 0
        && (s->facts->assigned[n->k] < 0 || (s->facts->var[n->k] & HDI_LS_VARIES)))
        return false;
    if (n->op == HDI_LIR_LOAD || n->op == HDI_LIR_ADDRESS
        || (n->op == HDI_LIR_BUILTIN && (n->k <= HDI_LIR_THREAD_Z || n->k == HDI_LIR_THREAD)))
        return false;
    for (int a = 0; a < 3; a++)
        if (n->arg[a] >= 0 && !is_bound(s, n->arg[a]))
            return false;
    return true;
}

/* not (i < end), not (i <= end), end <= i or end < i */
static bool match_exit(const strider *s, stride *m)
{
    const hdi_lir *l = s->l;
    const hdi_lir_node *n = &l->node[m->exit];
    const bool negated = n->op == HDI_LIR_NOT;
    const hdi_lir_node *c = negated ? &l->node[n->arg[0]] : n;
    if (c->op != HDI_LIR_LT && c->op != HDI_LIR_LE)
        return false;
    const int32_t x = c->arg[negated ? 0 : 1], end = c->arg[negated ? 1 : 0];
    const int32_t inner = stripped(l, x);
    if (l->node[inner].op != HDI_LIR_GET || !is_whole(l->node[inner].type)
        || (x != inner && hdi_lir_types[l->node[x].type].bytes != 8) || !is_bound(s, end))
        return false;
    m->var = (int32_t)l->node[inner].k;
    /* Between i64 and u64 a conversion may turn the order round. */
    return x == inner || l->var[m->var].type == HDI_LIR_I32 || l->var[m->var].type == HDI_LIR_U32;
}

static bool is_simple(const hdi_lir *l, int32_t first)
{
    for (int32_t i = first; i >= 0; i = l->node[i].next) {
        const hdi_lir_node *n = &l->node[i];
        switch (n->op) {
        case HDI_LIR_DECLARE: case HDI_LIR_ASSIGN: case HDI_LIR_STORE: case HDI_LIR_ATOMIC:
            break;
        case HDI_LIR_IF:
            if (!is_simple(l, n->arg[1]) || !is_simple(l, n->arg[2]))
                return false;
            break;
        default:
            return false;
        }
    }
    return true;
}

static int32_t uses_in(const hdi_lir *l, int32_t first, int32_t var)
{
    int32_t sum = 0;
    for (int32_t i = first; i >= 0; i = l->node[i].next) {
        const hdi_lir_node *n = &l->node[i];
        sum += hdi_ls_names_var(n->op) && n->k == var;
        for (int a = 0; a < 3; a++)
            if (n->arg[a] >= 0)
                sum += uses_in(l, n->arg[a], var);
    }
    return sum;
}

/* It is used in the loop and set once before, nothing else. */
static bool is_counter(const hdi_lir *l, const stride *m)
{
    int32_t all = 0;
    const hdi_lir_var *v = &l->var[m->var];
    for (int32_t i = 0; i < l->nnodes; i++)
        all += hdi_ls_names_var(l->node[i].op) && l->node[i].k == m->var;
    return !v->in_memory && v->param < 0 && uses_in(l, m->body, m->var) + 4 == all;
}

static bool match(const strider *s, int32_t first, int32_t i, stride *m)
{
    const hdi_lir *l = s->l;
    const int flags = s->facts->node[i];
    const int32_t head = l->node[i].arg[0];
    if (l->node[i].op != HDI_LIR_LOOP || (flags & (HDI_LS_APART | HDI_LS_BLOCK))
        || !(flags & HDI_LS_SPLITS) || head < 0 || l->node[head].op != HDI_LIR_IF)
        return false;
    const int32_t leaves = l->node[head].arg[1];
    *m = (stride){-1, i, -1, l->node[head].arg[0], l->node[head].next, -1};
    if (leaves < 0 || l->node[leaves].op != HDI_LIR_BREAK || l->node[leaves].k != 1
        || l->node[head].arg[2] >= 0 || !is_simple(l, m->body) || !match_exit(s, m)
        || !match_step(s, m))
        return false;
    for (int32_t k = first; k != i; k = l->node[k].next)
        if (l->node[k].op == HDI_LIR_ASSIGN && l->node[k].k == m->var)
            m->init = k;
    return m->init >= 0 && is_counter(l, m);
}

/* ---- making the new loop --------------------------------------------------------------------- */

static int32_t op(hdi_lir *l, hdi_lir_op o, hdi_lir_type type, int64_t k, int32_t x, int32_t y)
{
    return hdi_lir_node3(l, o, type, 0, k, x, y, -1);
}

static int32_t as(hdi_lir *l, hdi_lir_type type, int32_t x)
{
    return !l->failed && l->node[x].type == type ? x : op(l, HDI_LIR_CONVERT, type, 0, x, -1);
}

/* Of a new variable in i64: first + far. */
static int32_t position(hdi_lir *l, int32_t first, int32_t far)
{
    return op(l, HDI_LIR_ADD, HDI_LIR_I64, 0, as(l, HDI_LIR_I64, hdi_lir_get(l, first)),
              hdi_lir_get(l, far));
}

/* Whether a thread is still in the loop. */
static int32_t is_inside(hdi_lir *l, const stride *m, int32_t first, int32_t far)
{
    const hdi_lir_node exit = l->node[m->exit];
    const bool negated = exit.op == HDI_LIR_NOT;
    const hdi_lir_node c = negated ? l->node[exit.arg[0]] : exit;
    const int32_t end = c.arg[negated ? 1 : 0];
    const hdi_lir_type wide =
        !l->failed && l->node[end].type == HDI_LIR_U64 ? HDI_LIR_U64 : HDI_LIR_I64;
    const int32_t x = as(l, wide, position(l, first, far));
    const int32_t y = as(l, wide, hdi_ls_copy(l, end));
    const int32_t same = op(l, (hdi_lir_op)c.op, HDI_LIR_BOOL, 0, negated ? x : y, negated ? y : x);
    return negated ? same : op(l, HDI_LIR_NOT, HDI_LIR_BOOL, 0, same, -1);
}

/* In the body: i = first + far, where that is known not to overflow. */
static int32_t inner_body(hdi_lir *l, const stride *m, int32_t first, int32_t far)
{
    const hdi_lir_type type = (hdi_lir_type)l->var[m->var].type;
    const int32_t own = hdi_lir_variable(l, "", type, HDI_LIR_PRIVATE);
    const int32_t declare = op(l, HDI_LIR_DECLARE, HDI_LIR_VOID, own, -1, -1);
    const int32_t sum = op(l, HDI_LIR_ADD, type, 0, hdi_lir_get(l, first),
                           as(l, type, hdi_lir_get(l, far)));
    const int32_t set = op(l, HDI_LIR_ASSIGN, HDI_LIR_VOID, own, sum, -1);
    if (!l->failed) {
        l->var[own].name = l->var[m->var].name;
        hdi_ls_rename_reads(l, m->body, m->var, own);
        l->node[declare].next = set;
        l->node[set].next = m->body;
    }
    return declare;
}

static void build(hdi_lir *l, int32_t before, const stride *m)
{
    const hdi_lir_type type = (hdi_lir_type)l->var[m->var].type;
    const int32_t first = hdi_lir_variable(l, "first", type, HDI_LIR_PRIVATE);
    const int32_t far = hdi_lir_variable(l, "far", HDI_LIR_I64, HDI_LIR_PRIVATE);
    const int32_t some = hdi_lir_variable(l, "some", HDI_LIR_I32, HDI_LIR_PRIVATE);
    const int32_t zero = op(l, HDI_LIR_ASSIGN, HDI_LIR_VOID, far,
                            hdi_lir_const(l, HDI_LIR_I64, 0), -1);
    const int32_t ask = op(l, HDI_LIR_WARP, HDI_LIR_VOID, some, is_inside(l, m, first, far), -1);
    const int32_t none = op(l, HDI_LIR_EQ, HDI_LIR_BOOL, 0, hdi_lir_get(l, some),
                            hdi_lir_const(l, HDI_LIR_I32, 0));
    const int32_t leave = op(l, HDI_LIR_IF, HDI_LIR_VOID, 0, none,
                             op(l, HDI_LIR_BREAK, HDI_LIR_VOID, 1, -1, -1));
    const int32_t turn = op(l, HDI_LIR_IF, HDI_LIR_VOID, 0, is_inside(l, m, first, far),
                            inner_body(l, m, first, far));
    const int32_t next = op(l, HDI_LIR_ADD, HDI_LIR_I64, 0, hdi_lir_get(l, far),
                            as(l, HDI_LIR_I64, as(l, type, hdi_ls_copy(l, m->by))));
    const int32_t step = op(l, HDI_LIR_ASSIGN, HDI_LIR_VOID, far, next, -1);
    if (l->failed)
        return;
    l->node[ask].kind = HDI_LIR_W_BLOCK_OR;
    l->node[ask].next = leave;
    l->node[leave].next = turn;
    l->node[m->init].k = first;
    l->node[zero].next = m->loop;
    l->node[before].next = zero;
    l->node[m->loop].arg[0] = ask;
    l->node[m->loop].arg[1] = step;
}

static void look_at_list(strider *s, int32_t first)
{
    hdi_lir *l = s->l;
    stride m;
    for (int32_t i = first, before = -1; i >= 0 && !l->failed; before = i, i = l->node[i].next) {
        if (match(s, first, i, &m)) {
            build(l, before, &m);
            s->found++;
            continue;
        }
        for (int a = 0; a < 3; a++)
            if (hdi_lir_ops[l->node[i].op].shape[a] == 's' && l->node[i].op != HDI_LIR_PRINT)
                look_at_list(s, l->node[i].arg[a]);
    }
}

bool hdi_ls_cut_strides(hdi_lir *l, const hdi_ls_facts *facts)
{
    strider s = {l, facts, 0};
    look_at_list(&s, l->body);
    return s.found > 0;
}
