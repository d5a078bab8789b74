/* SPDX-License-Identifier: BSD-3-Clause */
/* llvm_lir_stride.c - regions that are better not vectorized: some thread stores under a condition
 * of its own, and not beside the thread before it. LLVM would do it lane by lane, which takes
 * longer than one thread after the other; its own estimate is too low. */
#include <stdlib.h>

#include "codegen/llvm_lir.h"

enum { UNKNOWN = 1 << 20, SEVERAL = -2, DEEP = 24 };

/* Which ASSIGN is a variable's only one, -1: none. */
bool lir_strides_open(lir_emit *m)
{
    const hdi_lir *l = m->l;
    m->assigned = malloc(((size_t)l->nvars + 1) * sizeof *m->assigned);
    if (m->assigned == NULL)
        return false;
    for (int32_t i = 0; i < l->nvars; i++)
        m->assigned[i] = -1;
    for (int32_t i = 0; i < l->nnodes; i++) {
        const hdi_lir_node *n = &l->node[i];
        if (n->op == HDI_LIR_ASSIGN || (n->op == HDI_LIR_ATOMIC && n->k >= 0))
            m->assigned[n->k] = n->op == HDI_LIR_ASSIGN && m->assigned[n->k] == -1 ? i : SEVERAL;
    }
    return true;
}

static int64_t bounded(int64_t x)
{
    return x > -UNKNOWN && x < UNKNOWN ? x : UNKNOWN;
}

static int64_t stride_of(const lir_emit *m, int32_t i, int depth);

static int64_t of_variable(const lir_emit *m, int64_t var, int depth)
{
    const hdi_lir_var *v = &m->l->var[var];
    if (v->param >= 0 || v->space == HDI_LIR_UNIFORM)
        return 0;
    if (v->space != HDI_LIR_PRIVATE || m->assigned[var] < 0)
        return UNKNOWN;
    return stride_of(m, m->l->node[m->assigned[var]].arg[0], depth - 1);
}

static int64_t of_product(const lir_emit *m, const hdi_lir_node *n, int64_t x, int64_t y)
{
    const hdi_lir_node *a = &m->l->node[n->arg[0]], *b = &m->l->node[n->arg[1]];
    if (x == 0 && y == 0)
        return 0;
    if (n->op == HDI_LIR_MUL && a->op == HDI_LIR_CONST && bounded(a->k) != UNKNOWN)
        return bounded(a->k * y);
    if (n->op == HDI_LIR_MUL && b->op == HDI_LIR_CONST && bounded(b->k) != UNKNOWN)
        return bounded(b->k * x);
    return UNKNOWN;
}

/* How much more it is for the next thread along x; UNKNOWN: not always the same. */
static int64_t stride_of(const lir_emit *m, int32_t i, int depth)
{
    if (i < 0)
        return 0;
    if (depth <= 0)
        return UNKNOWN;
    const hdi_lir_node *n = &m->l->node[i];
    switch (n->op) {
    case HDI_LIR_BUILTIN: return n->k == HDI_LIR_THREAD_X || n->k == HDI_LIR_THREAD;
    case HDI_LIR_GET:     return of_variable(m, n->k, depth);
    case HDI_LIR_LOAD: case HDI_LIR_PEER: return UNKNOWN;
    case HDI_LIR_ADDRESS: return m->l->var[n->k].space == HDI_LIR_SPREAD ? UNKNOWN : 0;
    default: break;
    }
    const int64_t x = stride_of(m, n->arg[0], depth - 1), y = stride_of(m, n->arg[1], depth - 1);
    const int64_t z = stride_of(m, n->arg[2], depth - 1);
    if (x == UNKNOWN || y == UNKNOWN || z != 0)
        return UNKNOWN;
    switch (n->op) {
    case HDI_LIR_CONVERT: return x;
    case HDI_LIR_ADD:     return bounded(x + y);
    case HDI_LIR_SUB:     return bounded(x - y);
    case HDI_LIR_OFFSET:  return bounded(n->k) == UNKNOWN ? UNKNOWN : bounded(x + n->k * y);
    default:              return of_product(m, n, x, y);
    }
}

bool lir_is_scattered(const lir_emit *m, int32_t first, bool condition)
{
    for (int32_t i = first; i >= 0; i = m->l->node[i].next) {
        const hdi_lir_node *n = &m->l->node[i];
        if (n->op == HDI_LIR_STORE && condition
            && stride_of(m, n->arg[0], DEEP) != lir_bytes(lir_type_of(m, n->arg[1])))
            return true;
        if (n->op == HDI_LIR_IF
            && (lir_is_scattered(m, n->arg[1], condition || i != m->holds)
                || lir_is_scattered(m, n->arg[2], true)))
            return true;
    }
    return false;
}
