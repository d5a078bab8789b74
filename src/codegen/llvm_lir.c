/* SPDX-License-Identifier: BSD-3-Clause */
/* llvm_lir.c - the function around a kernel's statements on a CPU: over blocks, and in each THREADS
 * over the threads of a block (llvm_lir_threads.c). */
#include "codegen/llvm_lir.h"

#include <stdlib.h>

/* ---- types ----------------------------------------------------------------------------------- */

static const struct { char kind; int bytes; } types[HDI_LIR_TYPES] = {
#define LIR_TYPE(NAME, text, kind, bytes) {kind, bytes},
#include "lir/types.def"
#undef LIR_TYPE
};

char lir_kind(hdi_lir_type t)
{
    return types[t].kind;
}

int lir_bytes(hdi_lir_type t)
{
    return types[t].bytes;
}

LLVMTypeRef lir_memory(const lir_emit *m, hdi_lir_type t)
{
    switch (types[t].kind) {
    case 'p': return LLVMPointerTypeInContext(m->e.context, 0);
    case 'f': return t == HDI_LIR_F64 ? LLVMDoubleTypeInContext(m->e.context)
                                      : LLVMFloatTypeInContext(m->e.context);
    default: return LLVMIntTypeInContext(m->e.context, (unsigned)types[t].bytes * 8);
    }
}

LLVMTypeRef lir_type(const lir_emit *m, hdi_lir_type t)
{
    return t == HDI_LIR_BOOL ? LLVMInt1TypeInContext(m->e.context) : lir_memory(m, t);
}

/* ---- parts of a module ----------------------------------------------------------------------- */

void lir_promise(const lir_emit *m, value function, unsigned at, const char *name)
{
    const unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(function, at, LLVMCreateEnumAttribute(m->e.context, kind, 0));
}

LLVMBasicBlockRef lir_block(const lir_emit *m)
{
    return LLVMAppendBasicBlockInContext(m->e.context, m->function, "");
}

void lir_at(lir_emit *m, LLVMBasicBlockRef block)
{
    LLVMPositionBuilderAtEnd(m->e.build, block);
}

value lir_room(lir_emit *m, LLVMTypeRef type)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(m->e.build);
    value first = LLVMGetFirstInstruction(m->entry);
    if (first != NULL)
        LLVMPositionBuilderBefore(m->e.build, first);
    else
        lir_at(m, m->entry);
    value room = LLVMBuildAlloca(m->e.build, type, "");
    lir_at(m, here);
    return room;
}

value lir_text(lir_emit *m, const char *text)
{
    value s = LLVMConstStringInContext2(m->e.context, text, strlen(text), 0);
    value g = LLVMAddGlobal(m->e.module, LLVMTypeOf(s), "");
    LLVMSetInitializer(g, s);
    LLVMSetGlobalConstant(g, 1);
    LLVMSetLinkage(g, LLVMPrivateLinkage);
    return g;
}

value lir_outside(lir_emit *m, const char *name, LLVMTypeRef type)
{
    value f = LLVMGetNamedFunction(m->e.module, name);
    return f != NULL ? f : LLVMAddFunction(m->e.module, name, type);
}

value lir_step(lir_emit *m, value pointer, value bytes)
{
    return LLVMBuildGEP2(m->e.build, LLVMInt8TypeInContext(m->e.context), pointer, &bytes, 1, "");
}

/* ---- the entry ------------------------------------------------------------------------------- */

static value member(lir_emit *m, size_t at, LLVMTypeRef type)
{
    return LLVMBuildLoad2(m->e.build, type, lir_step(m, m->call, lir_i64(m, (int64_t)at)), "");
}

static void load_sizes(lir_emit *m)
{
    LLVMTypeRef word = LLVMInt32TypeInContext(m->e.context);
    LLVMTypeRef pointer = LLVMPointerTypeInContext(m->e.context, 0);
    for (int a = 0; a < 3; a++) {
        m->builtin[HDI_LIR_GRID_DIM_X + a] =
            member(m, offsetof(hdi_lir_call, grid) + 4 * (size_t)a, word);
        m->builtin[HDI_LIR_BLOCK_DIM_X + a] =
            member(m, offsetof(hdi_lir_call, block) + 4 * (size_t)a, word);
    }
    value size = m->builtin[HDI_LIR_BLOCK_DIM_X];
    for (int a = 1; a < 3; a++)
        size = LLVMBuildNUWMul(m->e.build, size, m->builtin[HDI_LIR_BLOCK_DIM_X + a], "");
    m->builtin[HDI_LIR_THREADS_OF_BLOCK] = size;
    m->data = member(m, offsetof(hdi_lir_call, data), pointer);
}

static value own_room(lir_emit *m, const hdi_lir_var *v)
{
    LLVMTypeRef type = lir_memory(m, (hdi_lir_type)v->type);
    if (v->in_memory)
        type = LLVMArrayType2(type, (uint64_t)v->count);
    value room = lir_room(m, type);
    LLVMSetAlignment(room, (unsigned)v->align);
    return room;
}

/* The bytes that the launch gave, in a variable of the function. */
static void load_parameter(lir_emit *m, const hdi_lir_var *v, value to)
{
    LLVMTypeRef pointer = LLVMPointerTypeInContext(m->e.context, 0);
    value args = member(m, offsetof(hdi_lir_call, args), pointer);
    value from = LLVMBuildLoad2(m->e.build, pointer,
                                lir_step(m, args, lir_i64(m, 8 * (int64_t)v->param)), "");
    LLVMTypeRef type = lir_memory(m, (hdi_lir_type)v->type);
    if (v->in_memory && v->count != 1) {
        const int64_t bytes = v->count * lir_bytes((hdi_lir_type)v->type);
        LLVMBuildMemCpy(m->e.build, to, (unsigned)v->align, from, 1, lir_i64(m, bytes));
        return;
    }
    value x = LLVMBuildLoad2(m->e.build, type, from, "");
    LLVMSetAlignment(x, 1);
    LLVMBuildStore(m->e.build, x, to);
}

static void place_variables(lir_emit *m, value shared)
{
    for (int32_t i = 0; i < m->l->nvars; i++) {
        const hdi_lir_var *v = &m->l->var[i];
        value at = lir_i64(m, v->at);
        if (v->space == HDI_LIR_SHARED)
            m->place[i] = lir_step(m, shared, at);
        else if (v->space == HDI_LIR_CONSTANT || v->space == HDI_LIR_GLOBAL)
            m->place[i] = lir_step(m, m->data, at);
        else if (v->space != HDI_LIR_SPREAD)
            m->place[i] = own_room(m, v);
        if (v->param >= 0 && m->place[i] != NULL)
            load_parameter(m, v, m->place[i]);
        else if (v->space == HDI_LIR_UNIFORM)   /* regions may compute with it before it is set */
            LLVMBuildStore(m->e.build, LLVMConstNull(lir_memory(m, (hdi_lir_type)v->type)),
                           m->place[i]);
    }
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static void number_block(lir_emit *m, value at)
{
    LLVMTypeRef word = LLVMInt32TypeInContext(m->e.context);
    value left = at;
    for (int a = 0; a < 2; a++) {
        value size =
            LLVMBuildZExt(m->e.build, m->builtin[HDI_LIR_GRID_DIM_X + a], lir_i64_type(m), "");
        value rest = LLVMBuildURem(m->e.build, left, size, "");
        m->builtin[HDI_LIR_BLOCK_X + a] = LLVMBuildTrunc(m->e.build, rest, word, "");
        left = LLVMBuildUDiv(m->e.build, left, size, "");
    }
    m->builtin[HDI_LIR_BLOCK_Z] = LLVMBuildTrunc(m->e.build, left, word, "");
}

static void open_function(lir_emit *m)
{
    LLVMTypeRef word = lir_i64_type(m), pointer = LLVMPointerTypeInContext(m->e.context, 0);
    LLVMTypeRef params[5] = {pointer, pointer, pointer, word, word};
    LLVMTypeRef type = LLVMFunctionType(LLVMInt32TypeInContext(m->e.context), params, 5, 0);
    m->function = LLVMAddFunction(m->e.module, HDI_LIR_ENTRY, type);
    hdi_emit_attributes(&m->e, m->function);
    for (unsigned k = 1; k <= 3; k++)
        lir_promise(m, m->function, k, "noalias");
    m->call = LLVMGetParam(m->function, 0);
    m->spread = LLVMGetParam(m->function, 2);
    m->entry = lir_block(m);
    m->ended = lir_block(m);
    lir_at(m, m->entry);
    m->result = lir_room(m, LLVMInt32TypeInContext(m->e.context));
    LLVMBuildStore(m->e.build, lir_u32(m, HDI_LIR_RAN), m->result);
    m->turns = lir_room(m, LLVMInt32TypeInContext(m->e.context));
    LLVMBuildStore(m->e.build, lir_u32(m, 0), m->turns);
    m->builtin[HDI_LIR_THREAD_X] = m->builtin[HDI_LIR_THREAD_Y] = m->builtin[HDI_LIR_THREAD_Z] =
        m->builtin[HDI_LIR_THREAD] = lir_u32(m, 0);
}

static void emit_blocks(lir_emit *m)
{
    open_function(m);
    load_sizes(m);
    place_variables(m, LLVMGetParam(m->function, 1));
    lir_parallel_open(m);
    lir_count blocks =
        lir_count_open(m, LLVMGetParam(m->function, 3), LLVMGetParam(m->function, 4));
    number_block(m, blocks.index);
    m->over = lir_block(m);
    lir_statements(m, m->l->body, -1);
    LLVMBuildBr(m->e.build, m->over);
    lir_at(m, m->over);
    lir_count_close(m, &blocks);
    LLVMBuildBr(m->e.build, m->ended);
    lir_at(m, m->ended);
    LLVMTypeRef word = LLVMInt32TypeInContext(m->e.context);
    LLVMBuildRet(m->e.build, LLVMBuildLoad2(m->e.build, word, m->result, ""));
}

LLVMModuleRef hdi_emit_lir(LLVMContextRef context, const hdi_lir *l, const hdi_lir_target *t)
{
    static const char *const bits[] = {"128", "256", "512"};
    lir_emit m = {.l = l, .target = t, .holds = -1,
                  .e = {.context = context, .fused = t->isa != HDI_CHAIN_V2}};
    m.place = calloc((size_t)l->nvars + 1, sizeof *m.place);
    if (m.place == NULL || !lir_strides_open(&m)) {
        free(m.place);
        return NULL;
    }
    m.e.vector_bits = t->arch == 0 ? bits[t->isa] : NULL;
    m.e.module = LLVMModuleCreateWithNameInContext("heddle", context);
    m.e.build = LLVMCreateBuilderInContext(context);
    bool done = true;
    if (t->arch != 0)
        done = lir_emit_thread(&m);
    else
        emit_blocks(&m);
    LLVMDisposeBuilder(m.e.build);
    free(m.place);
    free(m.assigned);
    if (done)
        return m.e.module;
    LLVMDisposeModule(m.e.module);
    return NULL;
}

/* ---- passes ---------------------------------------------------------------------------------- */

/* Quick code: variables in registers as far as a block goes, and what a loop does not change before
 * it. */
static const char quick_passes[] =
    "function(sroa,early-cse,simplifycfg,instcombine<max-iterations=1;no-verify-fixpoint>,"
    "loop-mssa(loop-rotate,licm),simplifycfg,early-cse)";

char *hdi_optimize_lir(LLVMModuleRef module, LLVMTargetMachineRef machine,
                       const hdi_lir_target *t)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMPassBuilderOptionsSetLoopVectorization(options, 1);
    LLVMPassBuilderOptionsSetSLPVectorization(options, 1);
    LLVMPassBuilderOptionsSetLoopUnrolling(options, 1);
    LLVMErrorRef failed =
        LLVMRunPasses(module, t->quick ? quick_passes : "default<O2>", machine, options);
    if (failed == NULL && t->arch != 0)
        failed = lir_unroll(module, machine, options);
    LLVMDisposePassBuilderOptions(options);
    return failed == NULL ? NULL : LLVMGetErrorMessage(failed);
}
