/* SPDX-License-Identifier: BSD-3-Clause */
/* llvm_build.c - constants, shuffles, loops over lanes, functions within a module. */
#include <stdio.h>

#include "codegen/llvm_build.h"

#include <string.h>

int hdi_bits(LLVMTypeRef type)
{
    LLVMTypeRef element = b_element(type);
    switch (LLVMGetTypeKind(element)) {
    case LLVMIntegerTypeKind:
        return (int)LLVMGetIntTypeWidth(element);
    case LLVMDoubleTypeKind:
        return 64;
    case LLVMFloatTypeKind:
        return 32;
    default:
        return 16;
    }
}

/* ---- constants ------------------------------------------------------------------------------- */

value hdi_splat(LLVMTypeRef type, value element)
{
    value lane[128];
    int n = b_count(type);
    for (int i = 0; i < n; i++)
        lane[i] = element;
    return n == 0 ? element : LLVMConstVector(lane, (unsigned)n);
}

value hdi_whole(LLVMTypeRef type, int64_t n)
{
    return hdi_splat(type, LLVMConstInt(b_element(type), (unsigned long long)n, 1));
}

value hdi_real(LLVMTypeRef type, double r)
{
    return hdi_splat(type, LLVMConstReal(b_element(type), r));
}

/* ---- lanes ----------------------------------------------------------------------------------- */

static value index32(const hdi_emit *e, int i)
{
    return LLVMConstInt(LLVMInt32TypeInContext(e->context), (unsigned long long)i, 0);
}

value hdi_shuffle_by(hdi_emit *e, value x, value y, const int *at, int n)
{
    value index[128];
    for (int i = 0; i < n; i++)
        index[i] = index32(e, at[i]);
    return LLVMBuildShuffleVector(e->build, x, y != NULL ? y : LLVMGetUndef(LLVMTypeOf(x)),
                                  LLVMConstVector(index, (unsigned)n), "");
}

value hdi_shuffle(hdi_emit *e, value x, int first, int step, int n)
{
    int at[128];
    for (int i = 0; i < n; i++)
        at[i] = first + i * step;
    return hdi_shuffle_by(e, x, NULL, at, n);
}

value hdi_interleave(hdi_emit *e, value x, value y)
{
    int at[128], n = b_count(LLVMTypeOf(x));
    for (int i = 0; i < 2 * n; i++)
        at[i] = i / 2 + (i % 2 != 0 ? n : 0);
    return hdi_shuffle_by(e, x, y, at, 2 * n);
}

value hdi_join(hdi_emit *e, value x, value y)
{
    int at[128], n = b_count(LLVMTypeOf(x));
    for (int i = 0; i < 2 * n; i++)
        at[i] = i;
    return hdi_shuffle_by(e, x, y, at, 2 * n);
}

value hdi_join_all(hdi_emit *e, value *part, int n)
{
    for (; n > 1; n /= 2)
        for (int k = 0; k < n / 2; k++)
            part[k] = hdi_join(e, part[2 * k], part[2 * k + 1]);
    return part[0];
}

value hdi_fill(hdi_emit *e, LLVMTypeRef type, value x)
{
    static const int first[128];
    int n = b_count(type);
    if (n == 0)
        return x;
    value v = LLVMBuildInsertElement(e->build, LLVMGetUndef(type), x, index32(e, 0), "");
    return hdi_shuffle_by(e, v, v, first, n);
}

value hdi_count_up(LLVMTypeRef type)
{
    value lane[64];
    int n = b_count(type);
    for (int i = 0; i < n; i++)
        lane[i] = LLVMConstInt(b_element(type), (unsigned long long)i, 0);
    return n == 0 ? LLVMConstNull(type) : LLVMConstVector(lane, (unsigned)n);
}

/* Lanes of a GPU's thread are registers of their own: LLVM would put them together to a number. */
value hdi_any(hdi_emit *e, value mask)
{
    int lanes = b_count(LLVMTypeOf(mask));
    if (lanes == 0)
        return mask;
    if (!hdi_emits_for_gpu(e))
        return b_call1(e, "llvm.vector.reduce.or", mask);
    value any = LLVMBuildExtractElement(e->build, mask, index32(e, 0), "");
    for (int k = 1; k < lanes; k++)
        any = b_or(e, any, LLVMBuildExtractElement(e->build, mask, index32(e, k), ""));
    return any;
}

/* ---- flow ------------------------------------------------------------------------------------ */

static LLVMBasicBlockRef new_block(hdi_emit *e)
{
    value function = LLVMGetBasicBlockParent(LLVMGetInsertBlock(e->build));
    return LLVMAppendBasicBlockInContext(e->context, function, "");
}

static value new_phi(hdi_emit *e, value first, LLVMBasicBlockRef from)
{
    value phi = LLVMBuildPhi(e->build, LLVMTypeOf(first), "");
    LLVMAddIncoming(phi, &first, &from, 1);
    return phi;
}

void hdi_loop_open(hdi_emit *e, hdi_loop *l, value active, int n, value *state)
{
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->build), turn = new_block(e);
    *l = (hdi_loop){.head = turn, .n = n};
    turn = new_block(e);
    l->after = new_block(e);
    LLVMBuildBr(e->build, l->head);
    LLVMPositionBuilderAtEnd(e->build, l->head);
    l->active = new_phi(e, active, before);
    for (int k = 0; k < n; k++)
        state[k] = l->phi[k] = new_phi(e, state[k], before);
    LLVMBuildCondBr(e->build, hdi_any(e, l->active), turn, l->after);
    LLVMPositionBuilderAtEnd(e->build, turn);
}

void hdi_loop_close(hdi_emit *e, hdi_loop *l, value on, value *state)
{
    value next[HDI_LOOP_STATE], active = b_and(e, l->active, on);
    for (int k = 0; k < l->n; k++)
        next[k] = b_pick(e, l->active, state[k], l->phi[k]);
    LLVMBasicBlockRef end = LLVMGetInsertBlock(e->build);
    LLVMBuildBr(e->build, l->head);
    LLVMAddIncoming(l->active, &active, &end, 1);
    for (int k = 0; k < l->n; k++) {
        LLVMAddIncoming(l->phi[k], &next[k], &end, 1);
        state[k] = l->phi[k];
    }
    LLVMPositionBuilderAtEnd(e->build, l->after);
}

void hdi_turns_open(hdi_emit *e, hdi_turns *t, int n, value *state)
{
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->build);
    *t = (hdi_turns){.turn = new_block(e), .n = n};
    LLVMBuildBr(e->build, t->turn);
    LLVMPositionBuilderAtEnd(e->build, t->turn);
    t->at = new_phi(e, index32(e, 0), before);
    for (int k = 0; k < n; k++)
        state[k] = t->phi[k] = new_phi(e, state[k], before);
}

void hdi_turns_close(hdi_emit *e, hdi_turns *t, int turns, value *state)
{
    LLVMBasicBlockRef end = LLVMGetInsertBlock(e->build), after = new_block(e);
    value next = b_add(e, t->at, index32(e, 1));
    LLVMBuildCondBr(e->build, b_lt(e, next, index32(e, turns)), t->turn, after);
    LLVMAddIncoming(t->at, &next, &end, 1);
    for (int k = 0; k < t->n; k++)
        LLVMAddIncoming(t->phi[k], &state[k], &end, 1);
    LLVMPositionBuilderAtEnd(e->build, after);
}

void hdi_branch_open(hdi_emit *e, hdi_branch *b, value mask)
{
    LLVMBasicBlockRef inside = new_block(e);
    *b = (hdi_branch){.before = LLVMGetInsertBlock(e->build), .after = new_block(e), .mask = mask};
    LLVMBuildCondBr(e->build, hdi_any(e, mask), inside, b->after);
    LLVMPositionBuilderAtEnd(e->build, inside);
}

void hdi_branch_close(hdi_emit *e, hdi_branch *b, int n, value const *otherwise, value *state)
{
    for (int k = 0; k < n; k++)
        state[k] = b_pick(e, b->mask, state[k], otherwise[k]);
    LLVMBasicBlockRef end = LLVMGetInsertBlock(e->build);
    LLVMBuildBr(e->build, b->after);
    LLVMPositionBuilderAtEnd(e->build, b->after);
    for (int k = 0; k < n; k++) {
        value phi = new_phi(e, otherwise[k], b->before);
        LLVMAddIncoming(phi, &state[k], &end, 1);
        state[k] = phi;
    }
}

void hdi_count_open(hdi_emit *e, hdi_count *t, value from, value to, int64_t step, int n,
                    value *state)
{
    *t = (hdi_count){.before = LLVMGetInsertBlock(e->build), .to = to, .step = step, .n = n};
    t->inside = new_block(e);
    t->after = new_block(e);
    LLVMBuildCondBr(e->build, b_lt(e, from, to), t->inside, t->after);
    LLVMPositionBuilderAtEnd(e->build, t->inside);
    t->index = new_phi(e, from, t->before);
    for (int k = 0; k < n; k++) {
        t->first[k] = state[k];
        state[k] = t->phi[k] = new_phi(e, state[k], t->before);
    }
}

void hdi_count_close(hdi_emit *e, hdi_count *t, value *state)
{
    value next = b_add(e, t->index, b_whole(t->index, t->step));
    LLVMBasicBlockRef end = LLVMGetInsertBlock(e->build);
    LLVMBuildCondBr(e->build, b_lt(e, next, t->to), t->inside, t->after);
    LLVMAddIncoming(t->index, &next, &end, 1);
    LLVMPositionBuilderAtEnd(e->build, t->after);
    for (int k = 0; k < t->n; k++) {
        LLVMAddIncoming(t->phi[k], &state[k], &end, 1);
        value phi = new_phi(e, t->first[k], t->before);
        LLVMAddIncoming(phi, &state[k], &end, 1);
        state[k] = phi;
    }
}

void hdi_ways_open(hdi_emit *e, hdi_ways *w, value c)
{
    LLVMBasicBlockRef first = new_block(e);
    *w = (hdi_ways){.second = new_block(e), .after = new_block(e)};
    LLVMBuildCondBr(e->build, c, first, w->second);
    LLVMPositionBuilderAtEnd(e->build, first);
}

void hdi_ways_turn(hdi_emit *e, hdi_ways *w, value result)
{
    w->result = result;
    w->first_end = LLVMGetInsertBlock(e->build);
    LLVMBuildBr(e->build, w->after);
    LLVMPositionBuilderAtEnd(e->build, w->second);
}

value hdi_ways_close(hdi_emit *e, hdi_ways *w, value result)
{
    LLVMBasicBlockRef end = LLVMGetInsertBlock(e->build);
    LLVMBuildBr(e->build, w->after);
    LLVMPositionBuilderAtEnd(e->build, w->after);
    value phi = new_phi(e, w->result, w->first_end);
    LLVMAddIncoming(phi, &result, &end, 1);
    return phi;
}

/* ---- functions ------------------------------------------------------------------------------- */

static void set_noinline(hdi_emit *e, value code)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("noinline", 8);
    LLVMAddAttributeAtIndex(code, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(e->context, kind, 0));
}

static void make_function(hdi_emit *e, value code, hdi_body body, int n)
{
    value x[4];
    LLVMBasicBlockRef caller = LLVMGetInsertBlock(e->build);
    LLVMSetLinkage(code, LLVMInternalLinkage);
    hdi_emit_attributes(e, code);
    if (hdi_emits_for_gpu(e))   /* the assembler would take it into each place that calls it */
        set_noinline(e, code);
    LLVMPositionBuilderAtEnd(e->build, LLVMAppendBasicBlockInContext(e->context, code, ""));
    for (int k = 0; k < n; k++)
        x[k] = LLVMGetParam(code, (unsigned)k);
    LLVMBuildRet(e->build, body(e, x));
    LLVMPositionBuilderAtEnd(e->build, caller);
}

value hdi_function(hdi_emit *e, const char *name, hdi_body body, LLVMTypeRef result, int n,
                   value const *x)
{
    LLVMTypeRef params[4];
    value args[4];
    char of_lanes[64];   /* a module may have vectors of several lengths */
    for (int k = 0; k < n; k++) {
        params[k] = LLVMTypeOf(x[k]);
        args[k] = x[k];
    }
    LLVMTypeRef type = LLVMFunctionType(result, params, (unsigned)n, 0);
    snprintf(of_lanes, sizeof of_lanes, "%s.%d", name, b_count(LLVMTypeOf(x[0])));
    value code = LLVMGetNamedFunction(e->module, of_lanes);
    if (code == NULL) {
        code = LLVMAddFunction(e->module, of_lanes, type);
        make_function(e, code, body, n);
    }
    return LLVMBuildCall2(e->build, type, code, args, (unsigned)n, "");
}

value hdi_function_by_parts(hdi_emit *e, const char *name, hdi_body body, LLVMTypeRef element,
                            int each, int lanes, int n, value const *x)
{
    value result[64], args[4];
    int all = b_count(LLVMTypeOf(x[0])), parts = 0;
    if (lanes == 0 || all <= lanes)
        return hdi_function(e, name, body, hdi_lanes(element, all * each), n, x);
    for (int at = 0; at < all; at += lanes) {
        for (int k = 0; k < n; k++)
            args[k] = b_count(LLVMTypeOf(x[k])) == 0 ? x[k] : hdi_shuffle(e, x[k], at, 1, lanes);
        result[parts++] = hdi_function(e, name, body, hdi_lanes(element, lanes * each), n, args);
    }
    return hdi_join_all(e, result, parts);
}
