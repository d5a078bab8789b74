/* SPDX-License-Identifier: BSD-3-Clause */
/* llvm_lir_effects.c - statements that others see: atomics, printf, assert. */
#include "codegen/llvm_lir.h"

typedef hdi_lir_node node;

/* ---- atomics --------------------------------------------------------------------------------- */

static LLVMAtomicRMWBinOp operation(int kind, char of)
{
    static const LLVMAtomicRMWBinOp plain[HDI_LIR_ATOMICS] = {
        [HDI_LIR_A_ADD] = LLVMAtomicRMWBinOpAdd,      [HDI_LIR_A_SUB] = LLVMAtomicRMWBinOpSub,
        [HDI_LIR_A_MIN] = LLVMAtomicRMWBinOpMin,      [HDI_LIR_A_MAX] = LLVMAtomicRMWBinOpMax,
        [HDI_LIR_A_AND] = LLVMAtomicRMWBinOpAnd,      [HDI_LIR_A_OR] = LLVMAtomicRMWBinOpOr,
        [HDI_LIR_A_XOR] = LLVMAtomicRMWBinOpXor,      [HDI_LIR_A_EXCHANGE] = LLVMAtomicRMWBinOpXchg,
        [HDI_LIR_A_INC] = LLVMAtomicRMWBinOpUIncWrap, [HDI_LIR_A_DEC] = LLVMAtomicRMWBinOpUDecWrap,
    };
    if (of == 'f')
        return kind == HDI_LIR_A_ADD   ? LLVMAtomicRMWBinOpFAdd
               : kind == HDI_LIR_A_SUB ? LLVMAtomicRMWBinOpFSub
               : kind == HDI_LIR_A_MIN ? LLVMAtomicRMWBinOpFMin
               : kind == HDI_LIR_A_MAX ? LLVMAtomicRMWBinOpFMax
                                       : LLVMAtomicRMWBinOpXchg;
    if (of == 'u' && kind == HDI_LIR_A_MIN)
        return LLVMAtomicRMWBinOpUMin;
    return of == 'u' && kind == HDI_LIR_A_MAX ? LLVMAtomicRMWBinOpUMax : plain[kind];
}

/* Integers, since processors compare those. */
static value exchange_if(lir_emit *m, hdi_lir_type t, value to, value expected, value next)
{
    const bool is_real = lir_kind(t) == 'f';
    value pair = LLVMBuildAtomicCmpXchg(
        m->e.build, to, is_real ? b_bits_of(&m->e, expected) : expected,
        is_real ? b_bits_of(&m->e, next) : next, LLVMAtomicOrderingMonotonic,
        LLVMAtomicOrderingMonotonic, 0);
    value old = LLVMBuildExtractValue(m->e.build, pair, 0, "");
    return is_real ? b_real_of_bits(&m->e, old) : old;
}

/* Memory that only this thread of the host sees: of a block's shared memory. */
static bool is_own(const lir_emit *m, int32_t pointer)
{
    const node *n = &m->l->node[pointer];
    while (n->op == HDI_LIR_OFFSET)
        n = &m->l->node[n->arg[0]];
    return m->l->lockstep && n->op == HDI_LIR_ADDRESS &&
           (m->l->var[n->k].space == HDI_LIR_SHARED || m->l->var[n->k].space == HDI_LIR_PRIVATE);
}

static value next_of(lir_emit *m, const node *n, hdi_lir_type t, value old, value x)
{
    hdi_emit *e = &m->e;
    const bool is_real = lir_kind(t) == 'f', is_signed = lir_kind(t) == 'i';
    value up = b_add(e, old, is_real ? b_real(x, 1) : b_whole(x, 1));
    switch (n->kind) {
    case HDI_LIR_A_ADD: return b_add(e, old, x);
    case HDI_LIR_A_SUB: return b_sub(e, old, x);
    case HDI_LIR_A_MIN:
        return b_call2(e, is_real ? "llvm.minnum" : is_signed ? "llvm.smin" : "llvm.umin", old, x);
    case HDI_LIR_A_MAX:
        return b_call2(e, is_real ? "llvm.maxnum" : is_signed ? "llvm.smax" : "llvm.umax", old, x);
    case HDI_LIR_A_AND: return b_and(e, old, x);
    case HDI_LIR_A_OR: return b_or(e, old, x);
    case HDI_LIR_A_XOR: return b_xor(e, old, x);
    case HDI_LIR_A_INC: return b_pick(e, b_below(e, old, x), up, b_whole(x, 0));
    case HDI_LIR_A_DEC: {
        value wraps = b_or(e, b_eq(e, old, b_whole(x, 0)), b_below(e, x, old));
        return b_pick(e, wraps, x, b_sub(e, old, b_whole(x, 1)));
    }
    default: return x;
    }
}

static value alone(lir_emit *m, const node *n, hdi_lir_type t, value to, value x, value z)
{
    value old = LLVMBuildLoad2(m->e.build, lir_memory(m, t), to, "");
    value next;
    if (n->kind == HDI_LIR_A_CAS) {
        const bool is_real = lir_kind(t) == 'f';
        value same = b_eq(&m->e, is_real ? b_bits_of(&m->e, old) : old,
                          is_real ? b_bits_of(&m->e, x) : x);
        next = b_pick(&m->e, same, z, old);
    } else {
        next = next_of(m, n, t, old, x);
    }
    LLVMBuildStore(m->e.build, next, to);
    return old;
}

void lir_atomic(lir_emit *m, const node *n)
{
    const hdi_lir_type t = lir_type_of(m, n->arg[1]);
    value to = lir_value(m, n->arg[0]), x = lir_value(m, n->arg[1]);
    value z = n->arg[2] >= 0 ? lir_value(m, n->arg[2]) : NULL;
    value old = is_own(m, n->arg[0])       ? alone(m, n, t, to, x, z)
                : n->kind == HDI_LIR_A_CAS ? exchange_if(m, t, to, x, z)
                                           : LLVMBuildAtomicRMW(m->e.build,
                                                                operation(n->kind, lir_kind(t)), to,
                                                                x, LLVMAtomicOrderingMonotonic, 0);
    if (n->k >= 0)
        lir_set_variable(m, (int32_t)n->k, old);
}

/* ---- printf ---------------------------------------------------------------------------------- */

enum { PRINTED = 32 };

/* On a CPU all are words of 64 bits, on a GPU they lie as C's arguments do. */
static value as_word(lir_emit *m, hdi_lir_type t, value x, char *kind)
{
    *kind = lir_kind(t);
    if (*kind == 'f')
        return b_bits_of(&m->e, lir_convert(m, x, t, HDI_LIR_F64));
    if (*kind == 'p')
        return lir_convert(m, x, t, HDI_LIR_U64);
    if (*kind == 'b')
        *kind = 'u';
    const unsigned bits = m->target->arch != 0 && lir_bytes(t) <= 4 ? 32 : 64;
    return b_resize(&m->e, x, LLVMIntTypeInContext(m->e.context, bits), *kind == 'i');
}

static void put_word(lir_emit *m, value list, int64_t *at, value x)
{
    const int64_t bytes = hdi_bits(LLVMTypeOf(x)) / 8;
    *at = (*at + bytes - 1) & -bytes;
    LLVMBuildStore(m->e.build, x, lir_step(m, list, lir_i64(m, *at)));
    *at += bytes;
}

void lir_print(lir_emit *m, const node *n)
{
    char kinds[PRINTED + 1] = "";
    int count = 0;
    int64_t at = 0;
    LLVMTypeRef word = lir_i64_type(m), list = LLVMArrayType2(word, PRINTED);
    LLVMTypeRef pointer = LLVMPointerTypeInContext(m->e.context, 0);
    value values = lir_room(m, list);
    for (int32_t i = n->arg[0]; i >= 0 && count < PRINTED; i = m->l->node[i].next, count++) {
        const int32_t x = m->l->node[i].arg[0];
        put_word(m, values, &at, as_word(m, lir_type_of(m, x), lir_value(m, x), &kinds[count]));
    }
    value format = lir_text(m, m->l->names + n->k);
    if (m->target->arch != 0) {
        lir_gpu_print(m, format, values);
        return;
    }
    LLVMTypeRef types[3] = {pointer, pointer, pointer};
    LLVMTypeRef f = LLVMFunctionType(LLVMVoidTypeInContext(m->e.context), types, 3, 0);
    value args[3] = {format, lir_text(m, kinds), values};
    LLVMBuildCall2(m->e.build, f, lir_outside(m, HDI_LIR_PRINT_NAME, f), args, 3, "");
}

/* ---- assert ---------------------------------------------------------------------------------- */

static value three(lir_emit *m, hdi_lir_builtin first)
{
    LLVMTypeRef word = LLVMInt32TypeInContext(m->e.context);
    value list = lir_room(m, LLVMArrayType2(word, 3));
    for (int k = 0; k < 3; k++)
        LLVMBuildStore(m->e.build, m->builtin[(int)first + k],
                       lir_step(m, list, lir_i64(m, 4 * (int64_t)k)));
    return list;
}

void lir_trap(lir_emit *m, const node *n)
{
    if (m->target->arch != 0) {
        lir_gpu_trap(m, n);
        return;
    }
    LLVMTypeRef pointer = LLVMPointerTypeInContext(m->e.context, 0);
    LLVMTypeRef types[4] = {pointer, LLVMInt32TypeInContext(m->e.context), pointer, pointer};
    LLVMTypeRef f = LLVMFunctionType(LLVMVoidTypeInContext(m->e.context), types, 4, 0);
    value args[4] = {lir_text(m, m->l->names + n->k), lir_u32(m, (uint32_t)n->line),
                     three(m, HDI_LIR_BLOCK_X), three(m, HDI_LIR_THREAD_X)};
    LLVMBuildCall2(m->e.build, f, lir_outside(m, HDI_LIR_TRAP_NAME, f), args, 4, "");
    LLVMBuildStore(m->e.build, lir_u32(m, HDI_LIR_TRAPPED), m->result);
    LLVMBuildBr(m->e.build, m->ended);
    lir_at(m, lir_block(m));
}
