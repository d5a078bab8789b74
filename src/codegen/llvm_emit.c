/* SPDX-License-Identifier: BSD-3-Clause */
/* llvm_emit.c - the loop around a chain: whole vectors, several at a time, then masked ones to the
 * end, with the same operations, so that no element's bits depend on where it stands. */
#include "codegen/llvm_loop.h"
#include "codegen/llvm_words.h"

#include <stdio.h>
#include <string.h>

typedef hdi_chain_loop loop;

/* ---- types ----------------------------------------------------------------------------------- */

static LLVMTypeRef element_type(const hdi_emit *e, hd_dtype dt, bool memory)
{
    dt = hdi_chain_part(dt);
    switch (hdi_chain_kind(dt)) {
    case 'b':
        return LLVMIntTypeInContext(e->context, memory ? 8 : 1);
    case 'f':
        if (hdi_chain_half(dt))
            return LLVMInt16TypeInContext(e->context);
        return dt == HD_FLOAT64 ? LLVMDoubleTypeInContext(e->context)
                                : LLVMFloatTypeInContext(e->context);
    default:
        return LLVMIntTypeInContext(e->context, (unsigned)hdi_chain_size(dt) * 8);
    }
}

LLVMTypeRef hdi_emit_type(const hdi_emit *e, hd_dtype dt)
{
    return hdi_lanes(element_type(e, dt, false), e->lanes);
}

LLVMTypeRef hdi_emit_memory_type(const hdi_emit *e, hd_dtype dt)
{
    return hdi_lanes(element_type(e, dt, true), e->lanes);
}

LLVMValueRef hdi_emit_intrinsic(hdi_emit *e, const char *name, LLVMTypeRef type, int narg,
                                LLVMValueRef *args)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    value f = LLVMGetIntrinsicDeclaration(e->module, id, &type, 1);
    LLVMTypeRef signature = LLVMIntrinsicGetType(e->context, id, &type, 1);
    return LLVMBuildCall2(e->build, signature, f, args, (unsigned)narg, "");
}

/* ---- of GPUs --------------------------------------------------------------------------------- */

static LLVMTypeRef signature_of(LLVMTypeRef result, int narg, value const *args)
{
    LLVMTypeRef types[8];
    for (int k = 0; k < narg; k++)
        types[k] = LLVMTypeOf(args[k]);
    return LLVMFunctionType(result, types, (unsigned)narg, 0);
}

LLVMValueRef hdi_emit_call(hdi_emit *e, const char *name, LLVMTypeRef result, int narg,
                           LLVMValueRef *args)
{
    LLVMTypeRef type = signature_of(result, narg, args);
    value f = LLVMGetNamedFunction(e->module, name);
    if (f == NULL)
        f = LLVMAddFunction(e->module, name, type);
    return LLVMBuildCall2(e->build, type, f, args, (unsigned)narg, "");
}

LLVMValueRef hdi_emit_special(hdi_emit *e, const char *name)
{
    char text[64];
    snprintf(text, sizeof text, "llvm.nvvm.read.ptx.sreg.%s", name);
    return hdi_emit_call(e, text, LLVMInt32TypeInContext(e->context), 0, NULL);
}

LLVMValueRef hdi_emit_assembly(hdi_emit *e, const char *text, const char *constraints,
                               LLVMTypeRef result, int narg, LLVMValueRef *args)
{
    LLVMTypeRef type = signature_of(result, narg, args);
    value code = LLVMGetInlineAsm(type, text, strlen(text), constraints, strlen(constraints), 1, 0,
                                  LLVMInlineAsmDialectATT, 0);
    return LLVMBuildCall2(e->build, type, code, args, (unsigned)narg, "");
}

void hdi_emit_annotate(const hdi_emit *e, LLVMValueRef function, const char *what, int n)
{
    LLVMContextRef c = e->context;
    value number = LLVMConstInt(LLVMInt32TypeInContext(c), (unsigned long long)n, 1);
    LLVMMetadataRef parts[3] = {LLVMValueAsMetadata(function),
                                LLVMMDStringInContext2(c, what, strlen(what)),
                                LLVMValueAsMetadata(number)};
    LLVMMetadataRef node = LLVMMDNodeInContext2(c, parts, 3);
    LLVMAddNamedMetadataOperand(e->module, "nvvm.annotations", LLVMMetadataAsValue(c, node));
}

/* ---- casts ----------------------------------------------------------------------------------- */

LLVMValueRef hdi_emit_cast(hdi_emit *e, LLVMValueRef x, hd_dtype from, hd_dtype to)
{
    char f = hdi_chain_kind(from), t = hdi_chain_kind(to);
    LLVMTypeRef type = hdi_emit_type(e, to);
    if (from == to)
        return x;
    if (hdi_chain_half(from) || hdi_chain_half(to))
        return hdi_emit_half_cast(e, x, from, to);
    if (t == 'b')
        return f == 'f' ? LLVMBuildFCmp(e->build, LLVMRealUNE, x, LLVMConstNull(LLVMTypeOf(x)), "")
                        : LLVMBuildICmp(e->build, LLVMIntNE, x, LLVMConstNull(LLVMTypeOf(x)), "");
    if (f == 'f' && t != 'f')
        return hdi_word_whole(e, x, to);
    if (f == 'f')
        return LLVMBuildFPCast(e->build, x, type, "");
    if (t == 'f')
        return f == 'i' ? LLVMBuildSIToFP(e->build, x, type, "")
                        : LLVMBuildUIToFP(e->build, x, type, "");
    return LLVMBuildIntCast2(e->build, x, type, f == 'i', "");
}

/* Complex numbers become others by their real part, but for what is true of them. */
hdi_value hdi_emit_convert(hdi_emit *e, hdi_value x, hd_dtype from, hd_dtype to)
{
    hd_dtype part = hdi_chain_part(to), own = hdi_chain_part(from);
    if (from == to)
        return x;
    if (x.im == NULL && to == part)
        return (hdi_value){hdi_emit_cast(e, x.re, from, to), NULL};
    hdi_value r = {hdi_emit_cast(e, x.re, own, part), NULL};
    if (to != part)
        r.im = x.im != NULL ? hdi_emit_cast(e, x.im, own, part)
                            : LLVMConstNull(hdi_emit_type(e, part));
    else if (to == HD_BOOL)
        r.re = b_or(e, r.re, hdi_emit_cast(e, x.im, own, HD_BOOL));
    return r;
}

/* ---- one vector ------------------------------------------------------------------------------ */

static hd_dtype dtype_of(const hdi_chain *c, int v)
{
    return (hd_dtype)(v < c->nin ? c->in_dt[v] : c->op[v - c->nin].dt);
}

static hdi_value compute(loop *l, int k, hdi_value const *v)
{
    const hdi_chain_op *o = &l->c->op[k];
    hdi_value in[3] = {{NULL, NULL}};
    for (int a = 0; a < o->narg; a++)
        in[a] = v[o->arg[a]];
    if (o->op == HDI_CHAIN_CAST)
        return hdi_emit_convert(&l->e, in[0], (hd_dtype)o->cdt, (hd_dtype)o->dt);
    l->e.own = l->c->own[k / 64] >> k % 64 & 1;
    return hdi_emit_row(&l->e, (hd_op)o->op, (hd_dtype)o->cdt, in);
}

/* First all loads, so that they need not wait for stores they might overlap with. */
bool hdi_chain_vectors(loop *l, value index, int count, value mask,
                       hdi_value v[][HDI_CHAIN_INPUTS + HDI_CHAIN_OPS])
{
    const hdi_chain *c = l->c;
    value at[HDI_CHAIN_UNROLL];
    hdi_flow flow;
    l->e.mask = mask;
    hdi_flow_begin(l, &flow);
    for (int u = 0; u < count; u++) {
        at[u] = LLVMBuildAdd(l->e.build, index, b_i64(&l->e, (int64_t)u * l->e.lanes), "");
        for (int k = 0; k < c->nin; k++)
            v[u][k] = c->in_single[k] ? l->single[k]
                      : c->in_row[k]  ? l->of_row[u][k]
                                      : hdi_chain_load(l, k, (hd_dtype)c->in_dt[k], at[u], mask);
    }
    for (int k = 0; k < c->nops; k++)
        for (int u = 0; u < count; u++)
            if (hdi_chain_is_flow(&c->op[k]))
                hdi_flow_emit(l, &flow, k, v[u]);   /* count is 1 */
            else if ((v[u][c->nin + k] = compute(l, k, v[u])).re == NULL)
                return false;
    l->e.mask = mask;
    for (int u = 0; u < count; u++)
        for (int k = 0; k < c->nout; k++)
            hdi_chain_store(l, c->nin + k, dtype_of(c, c->out[k]), v[u][c->out[k]], at[u], mask);
    return true;
}

value hdi_chain_mask(loop *l, value index, value to)
{
    LLVMTypeRef words = hdi_lanes(LLVMInt64TypeInContext(l->e.context), l->e.lanes);
    value left = LLVMBuildSub(l->e.build, to, index, "");
    return b_lt(&l->e, hdi_count_up(words), hdi_fill(&l->e, words, left));
}

/* ---- the loop -------------------------------------------------------------------------------- */

bool hdi_chain_run(loop *l, value base, value from, value to, int count, bool masked)
{
    hdi_value v[HDI_CHAIN_UNROLL][HDI_CHAIN_INPUTS + HDI_CHAIN_OPS];
    hdi_count turns;
    hdi_count_open(&l->e, &turns, from, to, (int64_t)count * l->e.lanes, 0, NULL);
    value mask = masked ? hdi_chain_mask(l, turns.index, to) : NULL;
    value index = base != NULL ? b_add(&l->e, base, turns.index) : turns.index;
    if (!hdi_chain_vectors(l, index, count, mask, v))
        return false;
    hdi_count_close(&l->e, &turns, NULL);
    return true;
}

static value load_operand(loop *l, LLVMTypeRef type, int k)
{
    value at = b_i64(&l->e, k);
    value from = LLVMBuildGEP2(l->e.build, LLVMPointerTypeInContext(l->e.context, 0), l->operands,
                               &at, 1, "");
    return LLVMBuildLoad2(l->e.build, type, from, "");
}

static void load_addresses(loop *l)
{
    hdi_emit *e = &l->e;
    int accumulators = l->c->nin + l->c->nout, next = accumulators + 2 * l->c->nred;
    for (int k = 0; k < next; k++)
        l->address[k] = load_operand(l, LLVMPointerTypeInContext(e->context, 0), k);
    for (int k = 0; k < l->c->nin; k++)
        if (l->c->in_strided[k])
            l->stride[k] = load_operand(l, LLVMInt64TypeInContext(e->context), next++);
    for (int k = 0; k < l->c->nin; k++)
        if (l->c->in_single[k])
            l->single[k] = hdi_chain_single(l, k, (hd_dtype)l->c->in_dt[k], b_i64(e, 0));
    for (int k = 0; k < l->c->nred; k++)
        l->neutral[k] = hdi_chain_single(l, accumulators + l->c->nred + k,
                                         (hd_dtype)l->c->red[k].dt, b_i64(e, 0));
}

/* As many lanes as the largest element, or part of a complex one, leaves room for in one register;
 * of random numbers twice as many blocks, whose rounds wait for each other. Calls save no
 * registers, functions of our own use them all, loops are long already, and long chains have
 * enough to do at a time. */
static void choose_shape(loop *l)
{
    static const char *const bits[] = {"128", "256", "512"};
    const hdi_chain *c = l->c;
    int largest = 1, blocks = 1;
    bool plain = true;
    for (int v = 0; v < c->nin + c->nops; v++) {
        int size = hdi_chain_size(hdi_chain_part(dtype_of(c, v)));
        largest = size > largest ? size : largest;
    }
    for (int k = 0; k < c->nops; k++) {
        plain &= !hdi_chain_is_flow(&c->op[k]);
        if (c->op[k].op >= HDI_CHAIN_FLOW)
            continue;
        int per = hdi_word_per_block((hd_op)c->op[k].op, (hd_dtype)c->op[k].cdt);
        blocks = per > blocks ? per : blocks;
        plain &= hdi_chain_plain((hd_op)c->op[k].op, (hd_dtype)c->op[k].cdt);
    }
    l->e.vector_bytes = 16 << c->isa;
    l->e.vector_bits = bits[c->isa];
    l->e.fused = c->isa != HDI_CHAIN_V2;
    l->e.lanes = l->e.vector_bytes / largest * (blocks > 1 ? 2 * blocks : 1);
    if (c->mode != HDI_CHAIN_EACH && l->e.lanes > HDI_CHAIN_LANES)
        l->e.lanes = HDI_CHAIN_LANES;
    l->unroll = !plain || blocks > 1 || c->nops > 24 ? 1 : c->nops > 8 ? 2 : HDI_CHAIN_UNROLL;
}

/* Where memory has complex numbers only, their order in a register is free: the one that shuffles
 * within 16 bytes make, which take a cycle, where others take three. */
static void choose_order(loop *l)
{
    const hdi_chain *c = l->c;
    int lanes = l->e.lanes, per = 8 / (l->e.vector_bytes / lanes);   /* of each half, in 16 bytes */
    bool is_free = per > 0 && c->mode == HDI_CHAIN_EACH;   /* a reduction has an order */
    for (int k = 0; k < c->nin; k++)
        is_free &= c->in_single[k] || hdi_chain_kind(c->in_dt[k]) == 'c';
    for (int k = 0; k < c->nout; k++)
        is_free &= hdi_chain_kind(dtype_of(c, c->out[k])) == 'c';
    for (int j = 0; j < lanes; j++) {
        int half = j % (2 * per) / per;
        l->order[j] = is_free ? half * lanes / 2 + j / (2 * per) * per + j % per : j;
    }
}

static void add_attribute(const hdi_emit *e, value function, const char *name, const char *text)
{
    LLVMAttributeRef a = LLVMCreateStringAttribute(e->context, name, (unsigned)strlen(name), text,
                                                   (unsigned)strlen(text));
    LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, a);
}

void hdi_emit_attributes(const hdi_emit *e, LLVMValueRef function)
{
    unsigned nounwind = LLVMGetEnumAttributeKindForName("nounwind", 8);
    LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(e->context, nounwind, 0));
    if (e->vector_bits == NULL)
        return;
    add_attribute(e, function, "prefer-vector-width", e->vector_bits);
    add_attribute(e, function, "min-legal-vector-width", e->vector_bits);
    /* Values saved around calls then lie in whole lines of the cache: half the time. */
    add_attribute(e, function, "stackrealign", "");
}

static void open_function(loop *l)
{
    hdi_emit *e = &l->e;
    LLVMTypeRef word = LLVMInt64TypeInContext(e->context);
    LLVMTypeRef params[4] = {LLVMPointerTypeInContext(e->context, 0), word, word, word};
    unsigned nparams = l->c->mode == HDI_CHAIN_EACH ? 2 : 4;
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(e->context), params, nparams, 0);
    l->function = LLVMAddFunction(e->module, HDI_CHAIN_ENTRY, type);
    hdi_emit_attributes(e, l->function);
    l->operands = LLVMGetParam(l->function, 0);
    l->n = LLVMGetParam(l->function, 1);
    if (nparams > 2) {
        l->rows = LLVMGetParam(l->function, 2);
        l->pitch = LLVMGetParam(l->function, 3);
    }
    LLVMPositionBuilderAtEnd(e->build, LLVMAppendBasicBlockInContext(e->context, l->function, ""));
}

static bool emit_each(loop *l)
{
    value step = b_i64(&l->e, -(int64_t)l->unroll * l->e.lanes), whole = b_and(&l->e, l->n, step);
    return hdi_chain_run(l, NULL, b_i64(&l->e, 0), whole, l->unroll, false) &&
           hdi_chain_run(l, NULL, whole, l->n, 1, true);
}

static bool emit(loop *l)
{
    open_function(l);
    load_addresses(l);
    bool done = l->c->mode == HDI_CHAIN_ROWS      ? hdi_chain_emit_rows(l)
                : l->c->mode == HDI_CHAIN_COLUMNS ? hdi_chain_emit_columns(l)
                                                  : emit_each(l);
    LLVMBuildRetVoid(l->e.build);
    return done;
}

LLVMModuleRef hdi_emit_chain(LLVMContextRef context, const hdi_chain *c)
{
    loop l = {.c = c, .e = {.context = context}};
    l.e.module = LLVMModuleCreateWithNameInContext("heddle", context);
    l.e.build = LLVMCreateBuilderInContext(context);
    choose_shape(&l);
    choose_order(&l);
    bool done = emit(&l);
    LLVMDisposeBuilder(l.e.build);
    if (done)
        return l.e.module;
    LLVMDisposeModule(l.e.module);
    return NULL;
}
