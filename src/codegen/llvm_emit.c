/* SPDX-License-Identifier: BSD-3-Clause */
/* llvm_emit.c - the loop around a chain: whole vectors, several at a time, then masked ones to the
 * end, with the same operations, so that no element's bits depend on where it stands. */
#include "codegen/llvm_emit.h"

#include <string.h>

typedef LLVMValueRef value;

typedef struct loop {
    hdi_emit e;
    const hdi_chain *c;
    value function, operands, n;
    value address[HDI_CHAIN_INPUTS + HDI_CHAIN_OUTPUTS];
    value single[HDI_CHAIN_INPUTS];
    int unroll;
} loop;

/* ---- types ----------------------------------------------------------------------------------- */

static LLVMTypeRef element_type(const hdi_emit *e, hd_dtype dt, bool memory)
{
    switch (hdi_chain_kind(dt)) {
    case 'b':
        return LLVMIntTypeInContext(e->context, memory ? 8 : 1);
    case 'f':
        return dt == HD_FLOAT64 ? LLVMDoubleTypeInContext(e->context)
                                : LLVMFloatTypeInContext(e->context);
    default:
        return LLVMIntTypeInContext(e->context, (unsigned)hdi_chain_size(dt) * 8);
    }
}

LLVMTypeRef hdi_emit_type(const hdi_emit *e, hd_dtype dt)
{
    return LLVMVectorType(element_type(e, dt, false), (unsigned)e->lanes);
}

LLVMTypeRef hdi_emit_memory_type(const hdi_emit *e, hd_dtype dt)
{
    return LLVMVectorType(element_type(e, dt, true), (unsigned)e->lanes);
}

LLVMValueRef hdi_emit_intrinsic(hdi_emit *e, const char *name, LLVMTypeRef type, int narg,
                                LLVMValueRef *args)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    value f = LLVMGetIntrinsicDeclaration(e->module, id, &type, 1);
    LLVMTypeRef signature = LLVMIntrinsicGetType(e->context, id, &type, 1);
    return LLVMBuildCall2(e->build, signature, f, args, (unsigned)narg, "");
}

static value i64(const hdi_emit *e, int64_t n)
{
    return LLVMConstInt(LLVMInt64TypeInContext(e->context), (unsigned long long)n, 1);
}

/* A vector full of one element. */
static value broadcast(const hdi_emit *e, value element)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(e->context);
    value v = LLVMGetUndef(LLVMVectorType(LLVMTypeOf(element), (unsigned)e->lanes));
    v = LLVMBuildInsertElement(e->build, v, element, LLVMConstInt(i32, 0, 0), "");
    return LLVMBuildShuffleVector(e->build, v, v,
                                  LLVMConstNull(LLVMVectorType(i32, (unsigned)e->lanes)), "");
}

/* ---- casts ----------------------------------------------------------------------------------- */

/* What hdi_chain_can_cast() allows. */
LLVMValueRef hdi_emit_cast(hdi_emit *e, LLVMValueRef x, hd_dtype from, hd_dtype to)
{
    char f = hdi_chain_kind(from), t = hdi_chain_kind(to);
    LLVMTypeRef type = hdi_emit_type(e, to);
    if (from == to)
        return x;
    if (t == 'b')
        return f == 'f' ? LLVMBuildFCmp(e->build, LLVMRealUNE, x, LLVMConstNull(LLVMTypeOf(x)), "")
                        : LLVMBuildICmp(e->build, LLVMIntNE, x, LLVMConstNull(LLVMTypeOf(x)), "");
    if (f == 'f')
        return LLVMBuildFPCast(e->build, x, type, "");
    if (t == 'f')
        return f == 'i' ? LLVMBuildSIToFP(e->build, x, type, "")
                        : LLVMBuildUIToFP(e->build, x, type, "");
    return LLVMBuildIntCast2(e->build, x, type, f == 'i', "");
}

/* ---- memory ---------------------------------------------------------------------------------- */

static value address_at(loop *l, int operand, hd_dtype dt, value index)
{
    value offset = LLVMBuildMul(l->e.build, index, i64(&l->e, hdi_chain_size(dt)), "");
    LLVMTypeRef byte = LLVMInt8TypeInContext(l->e.context);
    return LLVMBuildGEP2(l->e.build, byte, l->address[operand], &offset, 1, "");
}

static value call_masked(loop *l, const char *name, LLVMTypeRef type, int narg, value *args)
{
    LLVMTypeRef types[2] = {type, LLVMPointerTypeInContext(l->e.context, 0)};
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    value f = LLVMGetIntrinsicDeclaration(l->e.module, id, types, 2);
    LLVMTypeRef signature = LLVMIntrinsicGetType(l->e.context, id, types, 2);
    return LLVMBuildCall2(l->e.build, signature, f, args, (unsigned)narg, "");
}

/* Lanes beyond the end are 1: no function or division is slow at 1, and none raises anything. */
static value load(loop *l, int operand, hd_dtype dt, value index, value mask)
{
    hdi_emit *e = &l->e;
    LLVMTypeRef type = hdi_emit_memory_type(e, dt);
    value from = address_at(l, operand, dt, index), x;
    if (mask == NULL) {
        x = LLVMBuildLoad2(e->build, type, from, "");
        LLVMSetAlignment(x, 1);
    } else {
        LLVMTypeRef element = LLVMGetElementType(type);
        value ones[64], one = hdi_chain_kind(dt) == 'f' ? LLVMConstReal(element, 1.0)
                                                        : LLVMConstInt(element, 1, 0);
        for (int i = 0; i < e->lanes; i++)
            ones[i] = one;
        value align = LLVMConstInt(LLVMInt32TypeInContext(e->context), 1, 0);
        value args[4] = {from, align, mask, LLVMConstVector(ones, (unsigned)e->lanes)};
        x = call_masked(l, "llvm.masked.load", type, 4, args);
    }
    return hdi_chain_kind(dt) == 'b' ? hdi_emit_cast(e, x, HD_UINT8, dt) : x;
}

static void store(loop *l, int operand, hd_dtype dt, value x, value index, value mask)
{
    hdi_emit *e = &l->e;
    LLVMTypeRef type = hdi_emit_memory_type(e, dt);
    value to = address_at(l, operand, dt, index);
    if (hdi_chain_kind(dt) == 'b')
        x = hdi_emit_cast(e, x, dt, HD_UINT8);
    if (mask == NULL) {
        LLVMSetAlignment(LLVMBuildStore(e->build, x, to), 1);
        return;
    }
    value align = LLVMConstInt(LLVMInt32TypeInContext(e->context), 1, 0);
    value args[4] = {x, to, align, mask};
    call_masked(l, "llvm.masked.store", type, 4, args);
}

/* ---- one vector ------------------------------------------------------------------------------ */

static hd_dtype dtype_of(const hdi_chain *c, int v)
{
    return (hd_dtype)(v < c->nin ? c->in_dt[v] : c->op[v - c->nin].dt);
}

/* Rows that count positions take them as numbers of their own type. */
static value compute(loop *l, int k, value const *v)
{
    const hdi_chain_op *o = &l->c->op[k];
    value in[3] = {NULL, NULL, NULL};
    for (int a = 0; a < o->narg; a++)
        in[a] = v[o->arg[a]];
    if (o->op == HDI_CHAIN_CAST)
        return hdi_emit_cast(&l->e, in[0], (hd_dtype)o->cdt, (hd_dtype)o->dt);
    if (o->op == HD_OP_ramp)
        in[0] = hdi_emit_cast(&l->e, in[0], HD_INT64, (hd_dtype)o->cdt);
    l->e.own = l->c->own[k / 64] >> k % 64 & 1;
    return hdi_emit_row(&l->e, (hd_op)o->op, (hd_dtype)o->cdt, in);
}

/* Everything for the vectors at index, index + lanes, ...: first all loads, so that they need not
 * wait for stores they might overlap with. */
static bool body(loop *l, value index, int count, value mask)
{
    const hdi_chain *c = l->c;
    value v[4][HDI_CHAIN_INPUTS + HDI_CHAIN_OPS], at[4];
    for (int u = 0; u < count; u++) {
        at[u] = LLVMBuildAdd(l->e.build, index, i64(&l->e, (int64_t)u * l->e.lanes), "");
        for (int k = 0; k < c->nin; k++)
            v[u][k] = c->in_single[k] ? l->single[k]
                                      : load(l, k, (hd_dtype)c->in_dt[k], at[u], mask);
    }
    for (int k = 0; k < c->nops; k++)
        for (int u = 0; u < count; u++)
            if ((v[u][c->nin + k] = compute(l, k, v[u])) == NULL)
                return false;
    for (int u = 0; u < count; u++)
        for (int k = 0; k < c->nout; k++)
            store(l, c->nin + k, dtype_of(c, c->out[k]), v[u][c->out[k]], at[u], mask);
    return true;
}

/* ---- the loop -------------------------------------------------------------------------------- */

/* A block that runs index from `from` to `to` in steps; leaves the builder behind it. */
static bool counted(loop *l, value from, value to, int64_t step, int count, bool masked)
{
    hdi_emit *e = &l->e;
    LLVMTypeRef word = LLVMInt64TypeInContext(e->context);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->build);
    LLVMBasicBlockRef inside = LLVMAppendBasicBlockInContext(e->context, l->function, "");
    LLVMBasicBlockRef after = LLVMAppendBasicBlockInContext(e->context, l->function, "");
    LLVMBuildCondBr(e->build, LLVMBuildICmp(e->build, LLVMIntSLT, from, to, ""), inside, after);
    LLVMPositionBuilderAtEnd(e->build, inside);
    value index = LLVMBuildPhi(e->build, word, ""), mask = NULL;
    if (masked) {
        value lane[64], left = LLVMBuildSub(e->build, to, index, "");
        for (int i = 0; i < e->lanes; i++)
            lane[i] = i64(e, i);
        value ahead = broadcast(e, left);
        mask = LLVMBuildICmp(e->build, LLVMIntSLT, LLVMConstVector(lane, (unsigned)e->lanes), ahead,
                             "");
    }
    if (!body(l, index, count, mask))
        return false;
    value next = LLVMBuildAdd(e->build, index, i64(e, step), "");
    LLVMBasicBlockRef end = LLVMGetInsertBlock(e->build);
    LLVMBuildCondBr(e->build, LLVMBuildICmp(e->build, LLVMIntSLT, next, to, ""), inside, after);
    LLVMAddIncoming(index, (value[]){from, next}, (LLVMBasicBlockRef[]){before, end}, 2);
    LLVMPositionBuilderAtEnd(e->build, after);
    return true;
}

static void load_addresses(loop *l)
{
    hdi_emit *e = &l->e;
    LLVMTypeRef pointer = LLVMPointerTypeInContext(e->context, 0);
    for (int k = 0; k < l->c->nin + l->c->nout; k++) {
        value at = i64(e, k);
        value from = LLVMBuildGEP2(e->build, pointer, l->operands, &at, 1, "");
        l->address[k] = LLVMBuildLoad2(e->build, pointer, from, "");
    }
    for (int k = 0; k < l->c->nin; k++) {
        if (!l->c->in_single[k])
            continue;
        hd_dtype dt = (hd_dtype)l->c->in_dt[k];
        LLVMTypeRef type = element_type(e, dt, true);
        value element = LLVMBuildLoad2(e->build, type, l->address[k], "");
        LLVMSetAlignment(element, 1);
        if (hdi_chain_kind(dt) == 'b')
            element = hdi_emit_cast(e, element, HD_UINT8, dt);
        l->single[k] = broadcast(e, element);
    }
}

/* As many lanes as the largest element leaves room for in one register. Calls save no registers,
 * functions of our own use them all, and long chains have enough to do at a time. */
static void choose_shape(loop *l)
{
    const hdi_chain *c = l->c;
    int largest = 1;
    bool calls = false;
    for (int v = 0; v < c->nin + c->nops; v++) {
        int size = hdi_chain_size(dtype_of(c, v));
        largest = size > largest ? size : largest;
    }
    for (int k = 0; k < c->nops; k++)
        calls |= c->op[k].op != HDI_CHAIN_CAST &&
                 hdi_chain_own((hd_op)c->op[k].op, (hd_dtype)c->op[k].cdt, NULL);
    l->e.vector_bytes = 16 << c->isa;
    l->e.fused = c->isa >= HDI_CHAIN_V3;
    l->e.lanes = l->e.vector_bytes / largest;
    l->unroll = calls || c->nops > 24 ? 1 : c->nops > 8 ? 2 : 4;
}

static void add_attribute(loop *l, const char *name, const char *text)
{
    LLVMAttributeRef a = LLVMCreateStringAttribute(l->e.context, name, (unsigned)strlen(name), text,
                                                   (unsigned)strlen(text));
    LLVMAddAttributeAtIndex(l->function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, a);
}

static void open_function(loop *l)
{
    static const char *const width[] = {"128", "256", "512"};
    hdi_emit *e = &l->e;
    LLVMTypeRef params[2] = {LLVMPointerTypeInContext(e->context, 0),
                             LLVMInt64TypeInContext(e->context)};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(e->context), params, 2, 0);
    l->function = LLVMAddFunction(e->module, HDI_CHAIN_ENTRY, type);
    add_attribute(l, "prefer-vector-width", width[l->c->isa]);
    add_attribute(l, "min-legal-vector-width", width[l->c->isa]);
    /* Values saved around calls then lie in whole lines of the cache: half the time. */
    add_attribute(l, "stackrealign", "");
    unsigned nounwind = LLVMGetEnumAttributeKindForName("nounwind", 8);
    LLVMAddAttributeAtIndex(l->function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(e->context, nounwind, 0));
    l->operands = LLVMGetParam(l->function, 0);
    l->n = LLVMGetParam(l->function, 1);
    LLVMPositionBuilderAtEnd(e->build, LLVMAppendBasicBlockInContext(e->context, l->function, ""));
}

static bool emit(loop *l)
{
    hdi_emit *e = &l->e;
    int64_t step = (int64_t)l->unroll * e->lanes;
    open_function(l);
    load_addresses(l);
    value whole = LLVMBuildAnd(e->build, l->n, i64(e, -step), "");
    if (!counted(l, i64(e, 0), whole, step, l->unroll, false) ||
        !counted(l, whole, l->n, e->lanes, 1, true))
        return false;
    LLVMBuildRetVoid(e->build);
    return true;
}

LLVMModuleRef hdi_emit_chain(LLVMContextRef context, const hdi_chain *c)
{
    loop l = {.c = c, .e = {.context = context}};
    l.e.module = LLVMModuleCreateWithNameInContext("heddle", context);
    l.e.build = LLVMCreateBuilderInContext(context);
    choose_shape(&l);
    bool done = emit(&l);
    LLVMDisposeBuilder(l.e.build);
    if (done)
        return l.e.module;
    LLVMDisposeModule(l.e.module);
    return NULL;
}
