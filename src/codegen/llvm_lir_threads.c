/* SPDX-License-Identifier: BSD-3-Clause */
/* llvm_lir_threads.c - THREADS on a CPU: the loops over a block's threads. */
#include "codegen/llvm_lir.h"

/* ---- loops ----------------------------------------------------------------------------------- */

lir_count lir_count_open(lir_emit *m, value from, value to)
{
    LLVMBasicBlockRef before = LLVMGetInsertBlock(m->e.build);
    lir_count c = {lir_block(m), lir_block(m), lir_block(m), NULL};
    LLVMBuildBr(m->e.build, c.head);
    lir_at(m, c.head);
    c.index = LLVMBuildPhi(m->e.build, LLVMTypeOf(from), "");
    LLVMAddIncoming(c.index, &from, &before, 1);
    LLVMBuildCondBr(m->e.build, b_below(&m->e, c.index, to), c.turn, c.after);
    lir_at(m, c.turn);
    return c;
}

value lir_count_close(lir_emit *m, const lir_count *c)
{
    LLVMBasicBlockRef end = LLVMGetInsertBlock(m->e.build);
    value next = LLVMBuildAdd(m->e.build, c->index, b_whole(c->index, 1), "");
    LLVMSetNUW(next, 1);
    LLVMSetNSW(next, 1);
    LLVMAddIncoming(c->index, &next, &end, 1);
    value back = LLVMBuildBr(m->e.build, c->head);
    lir_at(m, c->after);
    return back;
}

static value sum_of(lir_emit *m, value x, value y)
{
    value r = LLVMBuildAdd(m->e.build, x, y, "");
    if (LLVMIsAInstruction(r) != NULL) {
        LLVMSetNUW(r, 1);
        LLVMSetNSW(r, 1);
    }
    return r;
}

/* The statements of a region before `end` for all threads, and whether `condition`
 * holds for `all` (NULL: nobody asks). */
static void each_thread(lir_emit *m, int32_t first, int32_t end, int32_t condition, value all)
{
    lir_count axis[3];
    value zero = lir_u32(m, 0), row = NULL;
    value *const b = m->builtin;
    for (int a = 2; a >= 0; a--) {
        axis[a] = lir_count_open(m, zero, b[HDI_LIR_BLOCK_DIM_X + a]);
        b[HDI_LIR_THREAD_X + a] = axis[a].index;
        row = row == NULL
                  ? axis[a].index
                  : sum_of(m, LLVMBuildNUWMul(m->e.build, row, b[HDI_LIR_BLOCK_DIM_X + a], ""),
                           axis[a].index);
    }
    b[HDI_LIR_THREAD] = row;
    m->in_threads = true;
    lir_statements(m, first, end);
    if (all != NULL) {
        LLVMTypeRef bit = LLVMInt1TypeInContext(m->e.context);
        value old = LLVMBuildLoad2(m->e.build, bit, all, "");
        LLVMBuildStore(m->e.build, b_and(&m->e, old, lir_value(m, condition)), all);
    }
    m->in_threads = false;
    const bool scattered = lir_is_scattered(m, first, false);
    for (int a = 0; a < 3; a++)
        lir_parallel_loop(m, lir_count_close(m, &axis[a]), scattered);
    for (int a = 0; a < 3; a++)
        b[HDI_LIR_THREAD_X + a] = zero;
    b[HDI_LIR_THREAD] = zero;
}

/* ---- regions under one condition ------------------------------------------------------------- */

enum { MOST_GUARD = 40, MOST_GUARDED = 400 };   /* nodes */

/* Costs no loads but those of SPREAD variables. */
static bool is_light(const lir_emit *m, int32_t i, int *left)
{
    const hdi_lir_node *n = &m->l->node[i];
    if (--*left < 0 || n->op == HDI_LIR_LOAD || n->op == HDI_LIR_MATH || n->op == HDI_LIR_PEER)
        return false;
    for (int k = 0; k < 3; k++)
        if (n->arg[k] >= 0 && !is_light(m, n->arg[k], left))
            return false;
    return true;
}

static bool is_straight(const lir_emit *m, int32_t first, int *left)
{
    for (int32_t i = first; i >= 0; i = m->l->node[i].next) {
        const hdi_lir_node *n = &m->l->node[i];
        if (--*left < 0 || n->op == HDI_LIR_LOOP || n->op == HDI_LIR_PRINT
            || n->op == HDI_LIR_TRAP || n->op == HDI_LIR_ATOMIC)
            return false;
        for (int k = 0; k < 3; k++)
            if (n->arg[k] >= 0 && !is_straight(m, n->arg[k], left))
                return false;
    }
    return true;
}

/* The IF that the region ends with, if what is before it only computes; -1: there is none. */
static int32_t guard_of(const lir_emit *m, int32_t first)
{
    int light = MOST_GUARD, straight = MOST_GUARDED;
    for (int32_t i = first; i >= 0; i = m->l->node[i].next) {
        const hdi_lir_node *n = &m->l->node[i];
        if (n->op == HDI_LIR_IF && n->next < 0 && n->arg[2] < 0)
            return is_light(m, n->arg[0], &light) && is_straight(m, n->arg[1], &straight) ? i : -1;
        if (n->op == HDI_LIR_DECLARE)
            continue;
        if (n->op != HDI_LIR_ASSIGN || m->l->var[n->k].space != HDI_LIR_PRIVATE
            || !is_light(m, n->arg[0], &light))
            return -1;
    }
    return -1;
}

/* Stores under a mask are slow, and of some processors very slow. Mostly a condition like i < n
 * holds for all threads: then the region runs without it. */
static void with_guard(lir_emit *m, int32_t first, int32_t guard)
{
    LLVMTypeRef bit = LLVMInt1TypeInContext(m->e.context);
    LLVMBasicBlockRef free = lir_block(m), masked = lir_block(m), after = lir_block(m);
    const int32_t condition = m->l->node[guard].arg[0];
    value all = lir_room(m, bit);
    LLVMBuildStore(m->e.build, LLVMConstInt(bit, 1, 0), all);
    each_thread(m, first, guard, condition, all);
    LLVMBuildCondBr(m->e.build, LLVMBuildLoad2(m->e.build, bit, all, ""), free, masked);
    lir_at(m, free);
    m->holds = guard;
    each_thread(m, first, -1, -1, NULL);
    m->holds = -1;
    LLVMBuildBr(m->e.build, after);
    lir_at(m, masked);
    each_thread(m, first, -1, -1, NULL);
    LLVMBuildBr(m->e.build, after);
    lir_at(m, after);
}

void lir_threads(lir_emit *m, const hdi_lir_node *n)
{
    const int32_t guard = m->target->quick ? -1 : guard_of(m, n->arg[0]);
    if (guard >= 0)
        with_guard(m, n->arg[0], guard);
    else
        each_thread(m, n->arg[0], -1, -1, NULL);
}
