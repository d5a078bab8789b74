/* SPDX-License-Identifier: BSD-3-Clause */
/* random_kernel.c - kernels by chance, in lowered IR. */
#include "lir/random_kernel.h"

#include "lir/passes.h"
#include "support.h"

enum { I32 = HDI_LIR_I32, U32 = HDI_LIR_U32, BOOL = HDI_LIR_BOOL, PTR = HDI_LIR_POINTER };
enum { MOST_VARS = 40, MOST_DEPTH = 4, ARRAY = 4, FIRST_BUDGET = 30 };

typedef struct maker {
    hdi_lir *l;
    int kind;
    int32_t pool[MOST_VARS];   /* i32 variables that have a value and may be assigned */
    int npool;
    int32_t counters[MOST_VARS];   /* of loops: read only */
    int ncounters;
    int32_t fixed[MOST_VARS];  /* have one value, of the thread's number and such: read only */
    int nfixed;
    int32_t same[3];           /* in RANDOM_SHARED the same in all threads that live */
    int32_t pair;              /* in memory, used at known offsets only */
    int32_t in, out, count, n, three;
    int32_t trace, array, pointer, shared, vote, mask;
    int loops;                 /* that may be left from here */
    int depth, budget;
    bool uniform;              /* all threads that live are here */
    bool in_step;
} maker;

static hdi_lir_list statements(maker *m);

/* ---- nodes ----------------------------------------------------------------------------------- */

static int32_t node(maker *m, int op, int type, int64_t k, int32_t x, int32_t y)
{
    return hdi_lir_node3(m->l, (hdi_lir_op)op, (hdi_lir_type)type, (int32_t)t_below(50), k, x, y, -1);
}

static int32_t get(maker *m, int32_t var)
{
    return hdi_lir_get(m->l, var);
}

static int32_t whole(maker *m, int64_t x)
{
    return hdi_lir_const(m->l, HDI_LIR_I32, x);
}

static int32_t builtin(maker *m, int which)
{
    return node(m, HDI_LIR_BUILTIN, U32, which, -1, -1);
}

static int32_t convert(maker *m, int type, int32_t x)
{
    return node(m, HDI_LIR_CONVERT, type, 0, x, -1);
}

static void add(maker *m, hdi_lir_list *list, int32_t statement)
{
    hdi_lir_list_add(m->l, list, statement);
}

static void set(maker *m, hdi_lir_list *list, int32_t var, int32_t x)
{
    add(m, list, node(m, HDI_LIR_ASSIGN, HDI_LIR_VOID, var, x, -1));
}

static void declare(maker *m, hdi_lir_list *list, int32_t var)
{
    add(m, list, node(m, HDI_LIR_DECLARE, HDI_LIR_VOID, var, -1, -1));
}

static int32_t variable(maker *m, const char *name, int type)
{
    return hdi_lir_variable(m->l, name, (hdi_lir_type)type, HDI_LIR_PRIVATE);
}

/* The number of the thread in the grid, of one dimension. */
static int32_t global_thread(maker *m)
{
    const int32_t before = node(m, HDI_LIR_MUL, U32, 0, builtin(m, HDI_LIR_BLOCK_X),
                                builtin(m, HDI_LIR_THREADS_OF_BLOCK));
    return convert(m, HDI_LIR_I64, node(m, HDI_LIR_ADD, U32, 0, before, builtin(m, HDI_LIR_THREAD)));
}

static int32_t element(maker *m, int32_t base, int32_t i64)
{
    return node(m, HDI_LIR_OFFSET, PTR, 4, base, i64);
}

/* ---- expressions ----------------------------------------------------------------------------- */

static int32_t value(maker *m, int depth);

/* An element of an array in memory, by an index that fits. */
static int32_t part_of(maker *m, int32_t base, int size, int depth)
{
    const int32_t i = node(m, HDI_LIR_REM, U32, 0, convert(m, U32, value(m, depth)),
                           hdi_lir_const(m->l, HDI_LIR_U32, size));
    return element(m, base, convert(m, HDI_LIR_I64, i));
}

static int32_t array(maker *m)
{
    return t_below(3) == 0 ? get(m, m->pointer) : node(m, HDI_LIR_ADDRESS, PTR, m->array, -1, -1);
}

static int32_t half_of_pair(maker *m)
{
    return element(m, node(m, HDI_LIR_ADDRESS, PTR, m->pair, -1, -1),
                   hdi_lir_const(m->l, HDI_LIR_I64, t_below(2)));
}

static int32_t leaf(maker *m)
{
    switch (t_below(11)) {
    case 7: case 8:
        return m->nfixed > 0 ? get(m, m->fixed[t_below(m->nfixed)]) : whole(m, 2);
    case 9:  return get(m, m->same[t_below(3)]);
    case 10: return node(m, HDI_LIR_LOAD, I32, 0, half_of_pair(m), -1);
    case 0:  return whole(m, t_between(-3, 40));
    case 1:  return convert(m, HDI_LIR_I32, builtin(m, HDI_LIR_THREAD));
    case 2:  return m->ncounters > 0 ? get(m, m->counters[t_below(m->ncounters)]) : whole(m, 1);
    case 3:  return node(m, HDI_LIR_LOAD, I32, 0, element(m, get(m, m->in), global_thread(m)), -1);
    default: return get(m, m->pool[t_below(m->npool)]);
    }
}

static int32_t truth(maker *m, int depth)
{
    static const int ops[] = {HDI_LIR_LT, HDI_LIR_LE, HDI_LIR_EQ, HDI_LIR_NE};
    if (depth > 0 && t_below(4) == 0)
        return node(m, t_below(2) ? HDI_LIR_BOTH : HDI_LIR_EITHER, BOOL, 0, truth(m, depth - 1),
                    truth(m, depth - 1));
    const int32_t x = node(m, HDI_LIR_REM, I32, 0, value(m, depth - 1), whole(m, t_between(2, 7)));
    return node(m, ops[t_below(4)], BOOL, 0, x, whole(m, t_between(-2, 4)));
}

/* In 64 bits and back: signed arithmetic does not overflow. */
static int32_t arithmetic(maker *m, int depth)
{
    static const int ops[] = {HDI_LIR_ADD, HDI_LIR_SUB, HDI_LIR_MUL, HDI_LIR_XOR, HDI_LIR_AND};
    const int32_t x = convert(m, HDI_LIR_I64, value(m, depth - 1));
    const int32_t y = convert(m, HDI_LIR_I64, value(m, depth - 1));
    return convert(m, HDI_LIR_I32, node(m, ops[t_below(5)], HDI_LIR_I64, 0, x, y));
}

static int32_t value(maker *m, int depth)
{
    if (depth <= 0)
        return leaf(m);
    switch (t_below(6)) {
    case 0:
        return node(m, HDI_LIR_LOAD, I32, 0, part_of(m, array(m), ARRAY, depth - 1), -1);
    case 1:
        return node(m, HDI_LIR_LOAD, I32, 0,
                    part_of(m, node(m, HDI_LIR_ADDRESS, PTR, m->three, -1, -1), 3, depth - 1), -1);
    case 2: {
        const int32_t c = truth(m, depth - 1), x = value(m, depth - 1), y = value(m, depth - 1);
        return hdi_lir_node3(m->l, HDI_LIR_CHOOSE, HDI_LIR_I32, 0, 0, c, x, y);
    }
    case 3:
        return leaf(m);
    default:
        return arithmetic(m, depth);
    }
}

/* The same in all threads of the block that are here. */
static int32_t uniform_value(maker *m, int depth)
{
    static const int ops[] = {HDI_LIR_ADD, HDI_LIR_SUB, HDI_LIR_MUL, HDI_LIR_XOR};
    if (depth > 0) {
        const int32_t x = convert(m, HDI_LIR_I64, uniform_value(m, depth - 1));
        const int32_t y = convert(m, HDI_LIR_I64, uniform_value(m, depth - 1));
        return convert(m, I32, node(m, ops[t_below(4)], HDI_LIR_I64, 0, x, y));
    }
    switch (t_below(5)) {
    case 0:  return convert(m, I32, builtin(m, t_below(2) ? HDI_LIR_BLOCK_X : HDI_LIR_BLOCK_DIM_X));
    case 1:  return m->ncounters > 0 ? get(m, m->counters[t_below(m->ncounters)]) : whole(m, 1);
    case 2:  return whole(m, t_between(-2, 5));
    default: return get(m, m->same[t_below(3)]);
    }
}

static int32_t uniform_truth(maker *m)
{
    const int32_t x = m->ncounters > 0 ? get(m, m->counters[t_below(m->ncounters)]) : whole(m, 1);
    const int32_t other = node(m, HDI_LIR_REM, I32, 0, uniform_value(m, 1), whole(m, 3));
    return node(m, t_below(2) ? HDI_LIR_EQ : HDI_LIR_LT, BOOL, 0, t_below(2) ? x : other,
                whole(m, t_between(0, 2)));
}

/* Made of what never changes: cheap to compute anew. */
static int32_t fixed_value(maker *m, int depth)
{
    if (depth > 0 && t_below(4) != 0) {
        const int32_t x = convert(m, HDI_LIR_I64, fixed_value(m, depth - 1));
        const int32_t y = convert(m, HDI_LIR_I64, fixed_value(m, depth - 1));
        return convert(m, I32, node(m, t_below(2) ? HDI_LIR_ADD : HDI_LIR_MUL, HDI_LIR_I64, 0, x, y));
    }
    switch (t_below(4)) {
    case 0:  return whole(m, t_between(1, 9));
    case 1:  return m->nfixed > 0 ? get(m, m->fixed[t_below(m->nfixed)]) : whole(m, 3);
    case 2:  return convert(m, I32, builtin(m, HDI_LIR_BLOCK_DIM_X));
    default: return convert(m, I32, builtin(m, HDI_LIR_THREAD_X));
    }
}

/* ---- statements without control flow --------------------------------------------------------- */

/* trace = trace * 31 + x, in 64 bits, and where it can be seen. */
static void note(maker *m, hdi_lir_list *list, int32_t x)
{
    const int32_t old = node(m, HDI_LIR_MUL, HDI_LIR_I64, 0, convert(m, HDI_LIR_I64, get(m, m->trace)),
                             hdi_lir_const(m->l, HDI_LIR_I64, 31));
    const int32_t sum = node(m, HDI_LIR_ADD, HDI_LIR_I64, 0, old, convert(m, HDI_LIR_I64, x));
    set(m, list, m->trace, convert(m, HDI_LIR_I32, sum));
    add(m, list, node(m, HDI_LIR_STORE, HDI_LIR_VOID, 0,
                      element(m, get(m, m->out), global_thread(m)), get(m, m->trace)));
}

static int32_t any_var(maker *m)
{
    return m->pool[t_below(m->npool)];
}

static int32_t warp_node(maker *m, int kind, int32_t var, int32_t x, int32_t y, int32_t z)
{
    const int32_t i = hdi_lir_node3(m->l, HDI_LIR_WARP, HDI_LIR_VOID, (int32_t)t_below(50), var, x, y, z);
    m->l->node[i].kind = (uint8_t)kind;
    return i;
}

static int32_t width(maker *m)
{
    const int32_t log = node(m, HDI_LIR_AND, U32, 0, convert(m, U32, value(m, 0)),
                             hdi_lir_const(m->l, HDI_LIR_U32, 3));
    return t_below(3) != 0 ? hdi_lir_const(m->l, HDI_LIR_U32, (int64_t)1 << t_below(6))
                           : node(m, HDI_LIR_SHL, U32, 0, hdi_lir_const(m->l, HDI_LIR_U32, 1), log);
}

static void warp(maker *m, hdi_lir_list *list)
{
    const int kind = (int)t_below(HDI_LIR_WARPS);
    if (kind <= HDI_LIR_W_SHUFFLE_XOR) {
        const int32_t lane = t_below(2) ? hdi_lir_const(m->l, HDI_LIR_U32, t_below(34))
                                        : convert(m, U32, value(m, 1));
        add(m, list, warp_node(m, kind, any_var(m), value(m, 1), lane, width(m)));
    } else if (kind <= HDI_LIR_W_ALL) {
        add(m, list, warp_node(m, kind, m->vote, truth(m, 1), -1, -1));
        note(m, list, convert(m, HDI_LIR_I32, get(m, m->vote)));
    } else if (kind == HDI_LIR_W_ACTIVE || kind == HDI_LIR_W_BALLOT) {
        add(m, list, warp_node(m, kind, m->mask,
                               kind == HDI_LIR_W_ACTIVE ? -1 : truth(m, 1), -1, -1));
        note(m, list, convert(m, HDI_LIR_I32, get(m, m->mask)));
    } else if (kind == HDI_LIR_W_MATCH) {
        const int32_t x = node(m, HDI_LIR_REM, I32, 0, value(m, 1), whole(m, 3));
        add(m, list, warp_node(m, kind, m->mask, x, -1, -1));
        note(m, list, convert(m, HDI_LIR_I32, get(m, m->mask)));
    } else {
        add(m, list, warp_node(m, kind, any_var(m), truth(m, 1), -1, -1));
    }
}

/* Each thread writes its place; behind a barrier it reads another's. */
static void exchange(maker *m, hdi_lir_list *list)
{
    const int32_t own = convert(m, HDI_LIR_I64, builtin(m, HDI_LIR_THREAD));
    const int32_t far = node(m, HDI_LIR_ADD, U32, 0, builtin(m, HDI_LIR_THREAD),
                             hdi_lir_const(m->l, HDI_LIR_U32, t_below(70)));
    const int32_t other = convert(m, HDI_LIR_I64, node(m, HDI_LIR_REM, U32, 0, far,
                                                       builtin(m, HDI_LIR_THREADS_OF_BLOCK)));
    const int32_t to = element(m, node(m, HDI_LIR_ADDRESS, PTR, m->shared, -1, -1), own);
    const int32_t from = element(m, node(m, HDI_LIR_ADDRESS, PTR, m->shared, -1, -1), other);
    add(m, list, node(m, HDI_LIR_STORE, HDI_LIR_VOID, 0, to, value(m, 2)));
    add(m, list, node(m, HDI_LIR_BARRIER, HDI_LIR_VOID, 0, -1, -1));
    set(m, list, any_var(m), node(m, HDI_LIR_LOAD, I32, 0, from, -1));
    add(m, list, node(m, HDI_LIR_BARRIER, HDI_LIR_VOID, 0, -1, -1));
}

static void meeting(maker *m, hdi_lir_list *list)
{
    if (m->kind == RANDOM_SHARED && !m->uniform) {
        set(m, list, any_var(m), value(m, 2));
    } else if (m->kind == RANDOM_SHARED && t_below(3) != 0) {
        exchange(m, list);
    } else if (t_below(4) != 0) {
        warp(m, list);
    } else {
        add(m, list, node(m, t_below(2) ? HDI_LIR_BARRIER : HDI_LIR_SYNCWARP, HDI_LIR_VOID, 0, -1, -1));
    }
}

static void count(maker *m, hdi_lir_list *list)
{
    add(m, list, node(m, HDI_LIR_ATOMIC, HDI_LIR_VOID, -1, get(m, m->count),
                      convert(m, U32, value(m, 1))));
}

/* A variable that lives to the end of the list. */
static void local(maker *m, hdi_lir_list *list)
{
    if (m->npool == MOST_VARS)
        return;
    const int32_t var = variable(m, "t", I32);
    declare(m, list, var);
    set(m, list, var, value(m, 2));
    m->pool[m->npool++] = var;
}

static void fix(maker *m, hdi_lir_list *list)
{
    if (m->nfixed == MOST_VARS)
        return;
    const int32_t var = variable(m, "fixed", I32);
    if (t_below(4) != 0)
        declare(m, list, var);
    set(m, list, var, fixed_value(m, 2));
    m->fixed[m->nfixed++] = var;
}

/* Where threads are apart it stays the same only if nobody sets it. */
static void set_same(maker *m, hdi_lir_list *list)
{
    const int32_t var = m->same[t_below(3)];
    if (m->uniform)
        set(m, list, var, uniform_value(m, 2));
    else if (m->kind == RANDOM_WARPS)
        set(m, list, var, t_below(2) ? uniform_value(m, 1) : value(m, 1));
}

/* for (i = first; i < end; i += threads) without meetings in it. */
static void strides(maker *m, hdi_lir_list *list)
{
    const int32_t i = variable(m, "i", I32);
    const int32_t first = t_below(3) ? convert(m, I32, builtin(m, HDI_LIR_THREAD)) : value(m, 1);
    const int32_t end = node(m, HDI_LIR_REM, I32, 0,
                             t_below(3) ? uniform_value(m, 1) : value(m, 1), whole(m, 300));
    const int32_t limit = variable(m, "end", I32);
    hdi_lir_list body = HDI_LIR_EMPTY, inner = HDI_LIR_EMPTY;
    set(m, list, limit, end);
    set(m, list, i, node(m, HDI_LIR_REM, I32, 0, first, whole(m, 200)));
    add(m, &body, node(m, HDI_LIR_IF, HDI_LIR_VOID, 0,
                       node(m, HDI_LIR_NOT, BOOL, 0, node(m, HDI_LIR_LT, BOOL, 0, get(m, i), get(m, limit)), -1),
                       node(m, HDI_LIR_BREAK, HDI_LIR_VOID, 1, -1, -1)));
    note(m, &body, get(m, i));
    set(m, &inner, any_var(m), node(m, HDI_LIR_XOR, I32, 0, get(m, i), value(m, 1)));
    add(m, &body, node(m, HDI_LIR_IF, HDI_LIR_VOID, 0, truth(m, 1), inner.first));
    const int32_t by = convert(m, U32, get(m, i));
    const int32_t next = convert(m, I32, node(m, HDI_LIR_ADD, U32, 0, by, builtin(m, HDI_LIR_BLOCK_DIM_X)));
    add(m, list, node(m, HDI_LIR_LOOP, HDI_LIR_VOID, 0, body.first,
                      node(m, HDI_LIR_ASSIGN, HDI_LIR_VOID, i, next, -1)));
    if (t_below(4) == 0)
        note(m, list, get(m, i));
}

/* ---- control flow ---------------------------------------------------------------------------- */

static hdi_lir_list inner(maker *m, bool uniform)
{
    const int npool = m->npool, nfixed = m->nfixed;
    const bool around = m->uniform;
    m->uniform = around && uniform;
    m->depth++;
    const hdi_lir_list list = statements(m);
    m->depth--;
    m->uniform = around;
    m->npool = npool;
    m->nfixed = nfixed;
    return list;
}

static void when(maker *m, hdi_lir_list *list)
{
    const bool uniform = m->uniform && t_below(2) == 0;
    const int32_t c = uniform ? uniform_truth(m) : truth(m, 2);
    const int32_t yes = inner(m, uniform).first;
    const int32_t no = t_below(2) ? inner(m, uniform).first : -1;
    add(m, list, hdi_lir_node3(m->l, HDI_LIR_IF, HDI_LIR_VOID, (int32_t)t_below(50), 0, c, yes, no));
}

/* A variable that is used at one place only, in a loop, and lives from turn to turn. */
static void carry(maker *m, hdi_lir_list *list, int32_t i)
{
    const int32_t var = variable(m, "carried", I32);
    const int32_t begins = node(m, HDI_LIR_EQ, BOOL, 0, get(m, i), whole(m, 0));
    hdi_lir_list first = HDI_LIR_EMPTY;
    set(m, &first, var, value(m, 1));
    add(m, list, node(m, HDI_LIR_IF, HDI_LIR_VOID, 0, begins, first.first));
    set(m, list, var, node(m, HDI_LIR_XOR, I32, 0, get(m, var), value(m, 1)));
    note(m, list, get(m, var));
}

/* if (end) break; ... step i = i + 1, and sometimes more. */
static void turns(maker *m, hdi_lir_list *list)
{
    const bool uniform = m->uniform && t_below(3) != 0;
    const int32_t i = variable(m, "i", I32);
    const int32_t most = uniform || t_below(2) ? whole(m, t_below(4))
                         : node(m, HDI_LIR_AND, I32, 0, value(m, 1), whole(m, 3));
    const int32_t end = node(m, HDI_LIR_LE, BOOL, 0, most, get(m, i));
    const int loops = m->loops;
    hdi_lir_list body = HDI_LIR_EMPTY, step = HDI_LIR_EMPTY;
    declare(m, list, i);
    set(m, list, i, whole(m, 0));
    add(m, &body, node(m, HDI_LIR_IF, HDI_LIR_VOID, 0, end, node(m, HDI_LIR_BREAK, HDI_LIR_VOID, 1, -1, -1)));
    m->counters[m->ncounters++] = i;
    m->loops++;
    if (t_below(4) == 0)
        carry(m, &body, i);
    const int32_t rest = inner(m, uniform).first;
    if (rest >= 0)
        add(m, &body, rest);
    m->loops = 0;
    const bool was_step = m->in_step;
    m->in_step = true;
    set(m, &step, i, node(m, HDI_LIR_ADD, I32, 0, get(m, i), whole(m, 1)));
    if (t_below(3) == 0) {
        const int32_t more = inner(m, uniform).first;
        if (more >= 0)
            add(m, &step, more);
    }
    m->in_step = was_step;
    m->loops = loops;
    m->ncounters--;
    add(m, list, node(m, HDI_LIR_LOOP, HDI_LIR_VOID, 0, body.first, step.first));
}

static int32_t exit_node(maker *m)
{
    if (!m->in_step && t_below(4) == 0)
        return node(m, HDI_LIR_RETURN, HDI_LIR_VOID, 0, -1, -1);
    if (m->loops == 0)
        return -1;
    return node(m, t_below(2) ? HDI_LIR_BREAK : HDI_LIR_CONTINUE, HDI_LIR_VOID,
                t_between(1, m->loops), -1, -1);
}

/* In kernels with shared memory all who live arrive at each barrier: there threads leave loops
 * together, or not at all. They may return where no barrier follows in a loop. */
static void leave(maker *m, hdi_lir_list *list)
{
    const bool together = m->kind == RANDOM_SHARED && m->loops > 0;
    if (together && !m->uniform)
        return;
    const int32_t way = exit_node(m);
    if (way < 0)
        return;
    if (!together && t_below(12) == 0)
        add(m, list, way);
    else
        add(m, list, node(m, HDI_LIR_IF, HDI_LIR_VOID, 0,
                          together ? uniform_truth(m) : truth(m, 1), way));
}

static void statement(maker *m, hdi_lir_list *list)
{
    m->budget--;
    switch (t_below(16)) {
    case 11:        fix(m, list); break;
    case 12:        set_same(m, list); break;
    case 13:        strides(m, list); break;
    case 14:        add(m, list, node(m, HDI_LIR_STORE, HDI_LIR_VOID, 0, half_of_pair(m), value(m, 2))); break;
    case 0: case 1: set(m, list, any_var(m), value(m, 3)); break;
    case 2:         add(m, list, node(m, HDI_LIR_STORE, HDI_LIR_VOID, 0,
                                      part_of(m, array(m), ARRAY, 1), value(m, 2))); break;
    case 3: case 4: meeting(m, list); break;
    case 5:         leave(m, list); break;
    case 6:         t_below(4) == 0 ? count(m, list) : local(m, list); break;
    case 7: case 8: note(m, list, value(m, 1)); break;
    case 9: case 10:
        if (m->depth < MOST_DEPTH)
            when(m, list);
        break;
    default:
        if (m->depth < MOST_DEPTH)
            turns(m, list);
        break;
    }
}

static hdi_lir_list statements(maker *m)
{
    hdi_lir_list list = HDI_LIR_EMPTY;
    for (int64_t k = t_between(0, 5); k > 0 && m->budget > 0; k--)
        statement(m, &list);
    while (list.last >= 0 && m->l->node[list.last].next >= 0)
        list.last = m->l->node[list.last].next;
    return list;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static int32_t param(maker *m, const char *name, int type, int number)
{
    const int32_t var = variable(m, name, type);
    m->l->var[var].param = number;
    return var;
}

static void variables(maker *m)
{
    hdi_lir *l = m->l;
    m->in = param(m, "in", PTR, 0);
    m->out = param(m, "out", PTR, 1);
    m->count = param(m, "count", PTR, 2);
    m->n = param(m, "n", I32, 3);
    m->three = param(m, "three", I32, 4);
    l->var[m->three].in_memory = true;
    l->var[m->three].count = 3;
    l->nparams = 5;
    m->trace = variable(m, "trace", I32);
    m->array = variable(m, "array", I32);
    l->var[m->array].in_memory = true;
    l->var[m->array].count = ARRAY;
    m->pointer = variable(m, "pointer", PTR);
    m->pair = variable(m, "pair", I32);
    l->var[m->pair].in_memory = true;
    l->var[m->pair].count = 2;
    m->vote = variable(m, "vote", BOOL);
    m->mask = variable(m, "mask", U32);
    m->shared = hdi_lir_variable(l, "shared", HDI_LIR_I32, HDI_LIR_SHARED);
    l->var[m->shared].in_memory = true;
    l->var[m->shared].count = RANDOM_MOST_THREADS;
}

/* Everything that is read later has a value. Some variables are not declared. */
static void begin(maker *m, hdi_lir_list *list)
{
    set(m, list, m->trace, whole(m, 1));
    declare(m, list, m->array);
    for (int i = 0; i < ARRAY; i++)
        add(m, list, node(m, HDI_LIR_STORE, HDI_LIR_VOID, 0,
                          element(m, node(m, HDI_LIR_ADDRESS, PTR, m->array, -1, -1),
                                  hdi_lir_const(m->l, HDI_LIR_I64, i)), whole(m, i)));
    set(m, list, m->pointer, node(m, HDI_LIR_ADDRESS, PTR, m->array, -1, -1));
    for (int i = 0; i < 4; i++) {
        const int32_t var = variable(m, "v", I32);
        if (t_below(2))
            declare(m, list, var);
        set(m, list, var, node(m, HDI_LIR_LOAD, I32, 0, element(m, get(m, m->in), global_thread(m)), -1));
        m->pool[m->npool++] = var;
    }
    if (t_below(2))
        m->pool[m->npool++] = m->n;
    for (int i = 0; i < 3; i++) {
        m->same[i] = variable(m, "same", I32);
        set(m, list, m->same[i], whole(m, t_between(0, 4)));
    }
    for (int i = 0; i < 2; i++) {
        add(m, list, node(m, HDI_LIR_STORE, HDI_LIR_VOID, 0,
                          element(m, node(m, HDI_LIR_ADDRESS, PTR, m->pair, -1, -1),
                                  hdi_lir_const(m->l, HDI_LIR_I64, i)), whole(m, i)));
        fix(m, list);
    }
    if (t_below(4) == 0)
        add(m, list, node(m, HDI_LIR_IF, HDI_LIR_VOID, 0, truth(m, 1),
                          node(m, HDI_LIR_RETURN, HDI_LIR_VOID, 0, -1, -1)));
}

hdi_lir *random_kernel(int kind)
{
    maker m = {.l = hdi_lir_new("random"), .kind = kind, .uniform = true, .budget = FIRST_BUDGET};
    if (m.l == NULL)
        return NULL;
    hdi_lir_list list = HDI_LIR_EMPTY;
    variables(&m);
    begin(&m, &list);
    while (m.budget > 0)
        statement(&m, &list);
    for (int i = 0; i < m.npool; i++)
        note(&m, &list, get(&m, m.pool[i]));
    note(&m, &list, node(&m, HDI_LIR_LOAD, I32, 0, part_of(&m, array(&m), ARRAY, 0), -1));
    m.l->body = list.first;
    m.l->syncs = true;
    return m.l;
}
