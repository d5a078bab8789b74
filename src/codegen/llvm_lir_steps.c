/* SPDX-License-Identifier: BSD-3-Clause */
/* llvm_lir_steps.c - statements of lowered IR: assignments, stores, control flow. */
#include "codegen/llvm_lir.h"

typedef hdi_lir_node node;

/* Code behind a jump is emitted into a block that nobody comes to; passes drop it. */
static void jump(lir_emit *m, LLVMBasicBlockRef to)
{
    LLVMBuildBr(m->e.build, to);
    lir_at(m, lir_block(m));
}

/* ---- variables and memory -------------------------------------------------------------------- */

/* What a variable had in an earlier turn of a loop is gone: it need not be kept. */
static void declare(lir_emit *m, const node *n)
{
    const hdi_lir_var *v = &m->l->var[n->k];
    if (v->space == HDI_LIR_PRIVATE && !v->in_memory)
        LLVMBuildStore(m->e.build, LLVMGetUndef(lir_memory(m, (hdi_lir_type)v->type)),
                       m->place[n->k]);
}

static void store(lir_emit *m, const node *n)
{
    const hdi_lir_type t = lir_type_of(m, n->arg[1]);
    value to = lir_value(m, n->arg[0]);
    value s = LLVMBuildStore(m->e.build, lir_to_memory(m, t, lir_value(m, n->arg[1])), to);
    if (n->flags & HDI_LIR_VOLATILE)
        LLVMSetVolatile(s, 1);
    lir_align(m, n, t, s);
    lir_parallel_at(m, s, n->arg[0]);
}

/* ---- control flow ---------------------------------------------------------------------------- */

static void choose(lir_emit *m, const node *n)
{
    LLVMBasicBlockRef first = lir_block(m), second = lir_block(m), after = lir_block(m);
    value c = lir_value(m, n->arg[0]);
    LLVMBuildCondBr(m->e.build, c, first, second);
    lir_at(m, first);
    lir_statements(m, n->arg[1], -1);
    LLVMBuildBr(m->e.build, after);
    lir_at(m, second);
    lir_statements(m, n->arg[2], -1);
    LLVMBuildBr(m->e.build, after);
    lir_at(m, after);
}

/* Now and then: does the host want its thread back? */
static void ask(lir_emit *m)
{
    LLVMTypeRef word = LLVMInt32TypeInContext(m->e.context);
    LLVMTypeRef pointer = LLVMPointerTypeInContext(m->e.context, 0);
    LLVMBasicBlockRef now = lir_block(m), on = lir_block(m);
    value turn = LLVMBuildLoad2(m->e.build, word, m->turns, "");
    turn = b_add(&m->e, turn, b_whole(turn, 1));
    LLVMBuildStore(m->e.build, turn, m->turns);
    value due = b_eq(&m->e, b_and(&m->e, turn, b_whole(turn, HDI_LIR_TURNS - 1)), b_whole(turn, 0));
    LLVMBuildCondBr(m->e.build, due, now, on);
    lir_at(m, now);
    LLVMTypeRef f = LLVMFunctionType(word, &pointer, 1, 0);
    value wish =
        LLVMBuildCall2(m->e.build, f, lir_outside(m, HDI_LIR_ASK_NAME, f), &m->call, 1, "");
    LLVMBasicBlockRef leave = lir_block(m);
    LLVMBuildCondBr(m->e.build, b_ne(&m->e, wish, b_whole(wish, 0)), leave, on);
    lir_at(m, leave);
    LLVMBuildStore(m->e.build, lir_u32(m, HDI_LIR_STOPPED), m->result);
    LLVMBuildBr(m->e.build, m->ended);
    lir_at(m, on);
}

static void loop(lir_emit *m, const node *n)
{
    LLVMBasicBlockRef turn = lir_block(m);
    lir_level level = {.after = lir_block(m), .step = lir_block(m), .outer = m->level};
    LLVMBuildBr(m->e.build, turn);
    lir_at(m, turn);
    m->level = &level;
    lir_statements(m, n->arg[0], -1);
    LLVMBuildBr(m->e.build, level.step);
    lir_at(m, level.step);
    lir_statements(m, n->arg[1], -1);
    if (m->turns != NULL && !(n->flags & HDI_LIR_COUNTED))
        ask(m);
    value back = LLVMBuildBr(m->e.build, turn);
    if (m->target->arch != 0 && n->k != 0)
        lir_unroll_wish(m->e.context, back, n->k);
    m->level = level.outer;
    lir_at(m, level.after);
}

static const lir_level *level_at(const lir_emit *m, int64_t k)
{
    const lir_level *level = m->level;
    while (--k > 0)
        level = level->outer;
    return level;
}

static void assign(lir_emit *m, const node *n)
{
    lir_set_variable(m, (int32_t)n->k, lir_value(m, n->arg[0]));
}

/* On a CPU lockstep.c has left of these the fence only. */
static void meet(lir_emit *m, const node *n)
{
    if (m->target->arch != 0)
        lir_meet(m, n);
    else
        LLVMBuildFence(m->e.build, LLVMAtomicOrderingSequentiallyConsistent, 0, "");
}

void lir_statements(lir_emit *m, int32_t first, int32_t end)
{
    for (int32_t i = first; i != end && i >= 0; i = m->l->node[i].next) {
        const node *n = &m->l->node[i];
        switch ((hdi_lir_op)n->op) {
        case HDI_LIR_DECLARE: declare(m, n); break;
        case HDI_LIR_ASSIGN: assign(m, n); break;
        case HDI_LIR_STORE: store(m, n); break;
        case HDI_LIR_ATOMIC: lir_atomic(m, n); break;
        case HDI_LIR_IF:
            if (i == m->holds)
                lir_statements(m, n->arg[1], -1);
            else
                choose(m, n);
            break;
        case HDI_LIR_LOOP: loop(m, n); break;
        case HDI_LIR_BREAK: jump(m, level_at(m, n->k)->after); break;
        case HDI_LIR_CONTINUE: jump(m, level_at(m, n->k)->step); break;
        case HDI_LIR_RETURN: jump(m, m->over); break;
        case HDI_LIR_BARRIER:
        case HDI_LIR_SYNCWARP:
        case HDI_LIR_WARP:
        case HDI_LIR_FENCE: meet(m, n); break;
        case HDI_LIR_PRINT: lir_print(m, n); break;
        case HDI_LIR_TRAP: lir_trap(m, n); break;
        case HDI_LIR_THREADS: lir_threads(m, n); break;
        default: break;
        }
    }
}
