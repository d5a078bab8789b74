/* SPDX-License-Identifier: BSD-3-Clause */
/* llvm_flow.c - branches and loops of a chain (kernel_ir.h says what they mean), for many lanes at
 * a time: code runs if any lane is at work in it, and only those change variables. A variable is a
 * value that each assignment makes anew; where ways meet, it is the one of the way taken. */
#include "codegen/llvm_loop.h"

typedef hdi_chain_loop loop;
typedef hdi_flow_frame frame;

void hdi_flow_begin(hdi_chain_loop *l, hdi_flow *f)
{
    LLVMTypeRef flags = hdi_emit_type(&l->e, HD_BOOL);
    f->active = l->e.mask != NULL ? l->e.mask : LLVMConstAllOnes(flags);
    f->depth = f->nlocals = 0;
}

static LLVMBasicBlockRef new_block(const loop *l)
{
    return LLVMAppendBasicBlockInContext(l->e.context, l->function, "");
}

/* ---- what changes along the way -------------------------------------------------------------- */

static frame *innermost_loop(hdi_flow *f)
{
    for (int d = f->depth - 1; d >= 0; d--)
        if (f->frame[d].loop)
            return &f->frame[d];
    return NULL;
}

/* The first nlocals variables, and which lanes have not left the loop. */
static int get_state(hdi_flow *f, int nlocals, value *state)
{
    const frame *around = innermost_loop(f);
    int n = 0;
    for (int k = 0; k < nlocals; k++) {
        state[n++] = f->now[k].re;
        if (f->now[k].im != NULL)
            state[n++] = f->now[k].im;
    }
    if (around != NULL)
        state[n++] = around->alive;
    return n;
}

static void set_state(hdi_flow *f, int nlocals, const value *state)
{
    frame *around = innermost_loop(f);
    int n = 0;
    for (int k = 0; k < nlocals; k++) {
        f->now[k].re = state[n++];
        if (f->now[k].im != NULL)
            f->now[k].im = state[n++];
    }
    if (around != NULL)
        around->alive = state[n];
    f->nlocals = nlocals;
}

static value phi_of(const loop *l, value first, LLVMBasicBlockRef from)
{
    value phi = LLVMBuildPhi(l->e.build, LLVMTypeOf(first), "");
    LLVMAddIncoming(phi, &first, &from, 1);
    return phi;
}

/* ---- branches -------------------------------------------------------------------------------- */

static void open_way(loop *l, hdi_flow *f, frame *w)
{
    LLVMBasicBlockRef inside = new_block(l);
    w->n = get_state(f, w->nlocals, w->state);
    w->before = LLVMGetInsertBlock(l->e.build);
    w->after = new_block(l);
    LLVMBuildCondBr(l->e.build, hdi_any(&l->e, f->active), inside, w->after);
    LLVMPositionBuilderAtEnd(l->e.build, inside);
}

static void close_way(loop *l, hdi_flow *f, frame *w)
{
    value end[2 * HDI_CHAIN_LOCALS + 1];
    LLVMBasicBlockRef from = LLVMGetInsertBlock(l->e.build);
    get_state(f, w->nlocals, end);
    LLVMBuildBr(l->e.build, w->after);
    LLVMPositionBuilderAtEnd(l->e.build, w->after);
    for (int k = 0; k < w->n; k++) {
        value phi = phi_of(l, w->state[k], w->before);
        LLVMAddIncoming(phi, &end[k], &from, 1);
        w->state[k] = phi;
    }
    set_state(f, w->nlocals, w->state);
}

/* Lanes at work behind a way: those before it that have not left the loop. */
static value still(loop *l, hdi_flow *f, value lanes)
{
    const frame *around = innermost_loop(f);
    return around != NULL ? b_and(&l->e, lanes, around->alive) : lanes;
}

static void open_if(loop *l, hdi_flow *f, value condition)
{
    frame *w = &f->frame[f->depth++];
    *w = (frame){.outside = f->active, .condition = condition, .nlocals = f->nlocals};
    f->active = b_and(&l->e, f->active, condition);
    open_way(l, f, w);
}

static void turn_else(loop *l, hdi_flow *f)
{
    frame *w = &f->frame[f->depth - 1];
    close_way(l, f, w);
    f->active = still(l, f, b_and(&l->e, w->outside, b_not(&l->e, w->condition)));
    open_way(l, f, w);
}

static void close_if(loop *l, hdi_flow *f)
{
    frame *w = &f->frame[f->depth - 1];
    close_way(l, f, w);
    f->active = still(l, f, w->outside);
    f->depth--;
}

/* ---- loops ----------------------------------------------------------------------------------- */

static void open_loop(loop *l, hdi_flow *f)
{
    frame *w = &f->frame[f->depth++];
    *w = (frame){.loop = true, .outside = f->active, .alive = f->active, .nlocals = f->nlocals};
    LLVMBasicBlockRef before = LLVMGetInsertBlock(l->e.build), turn = new_block(l);
    w->head = new_block(l);
    w->after = new_block(l);
    LLVMBuildBr(l->e.build, w->head);
    LLVMPositionBuilderAtEnd(l->e.build, w->head);
    w->n = get_state(f, w->nlocals, w->state);
    for (int k = 0; k < w->n; k++)
        w->state[k] = phi_of(l, w->state[k], before);
    set_state(f, w->nlocals, w->state);
    f->active = w->alive;
    LLVMBuildCondBr(l->e.build, hdi_any(&l->e, w->alive), turn, w->after);
    LLVMPositionBuilderAtEnd(l->e.build, turn);
}

static void leave_loop(loop *l, hdi_flow *f, value condition)
{
    frame *w = innermost_loop(f);
    value stay = b_not(&l->e, condition != NULL ? b_and(&l->e, f->active, condition) : f->active);
    w->alive = b_and(&l->e, w->alive, stay);
    f->active = b_and(&l->e, f->active, stay);
}

static void close_loop(loop *l, hdi_flow *f)
{
    frame *w = &f->frame[f->depth - 1];
    value end[2 * HDI_CHAIN_LOCALS + 1];
    LLVMBasicBlockRef from = LLVMGetInsertBlock(l->e.build);
    get_state(f, w->nlocals, end);
    LLVMBuildBr(l->e.build, w->head);
    for (int k = 0; k < w->n; k++)
        LLVMAddIncoming(w->state[k], &end[k], &from, 1);
    LLVMPositionBuilderAtEnd(l->e.build, w->after);
    set_state(f, w->nlocals, w->state);
    f->active = w->outside;
    f->depth--;
}

/* ---- variables ------------------------------------------------------------------------------- */

static hdi_value *local_of(const loop *l, hdi_flow *f, int number)
{
    int k = f->nlocals - 1;
    while (k > 0 && f->local[k] != number - l->c->nin)
        k--;
    return &f->now[k];
}

static void assign(loop *l, hdi_flow *f, hdi_value *to, hdi_value x)
{
    to->re = b_pick(&l->e, f->active, x.re, to->re);
    if (x.im != NULL)
        to->im = b_pick(&l->e, f->active, x.im, to->im);
}

void hdi_flow_emit(hdi_chain_loop *l, hdi_flow *f, int k, hdi_value *v)
{
    const hdi_chain_op *o = &l->c->op[k];
    switch (o->op) {
    case HDI_CHAIN_IF:
        open_if(l, f, v[o->arg[0]].re);
        break;
    case HDI_CHAIN_ELSE:
        turn_else(l, f);
        break;
    case HDI_CHAIN_END_IF:
        close_if(l, f);
        break;
    case HDI_CHAIN_LOOP:
        open_loop(l, f);
        break;
    case HDI_CHAIN_BREAK:
        leave_loop(l, f, o->narg > 0 ? v[o->arg[0]].re : NULL);
        break;
    case HDI_CHAIN_END_LOOP:
        close_loop(l, f);
        break;
    case HDI_CHAIN_LOCAL:
        f->local[f->nlocals] = k;
        f->now[f->nlocals++] = v[o->arg[0]];
        break;
    case HDI_CHAIN_GET:
        v[l->c->nin + k] = *local_of(l, f, o->arg[0]);
        break;
    default:
        assign(l, f, local_of(l, f, o->arg[0]), v[o->arg[1]]);
    }
    l->e.mask = f->active;
}
