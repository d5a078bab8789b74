/* SPDX-License-Identifier: BSD-3-Clause */
/* llvm_lir_gpu.c - a kernel in lowered IR for a GPU: one thread of it, with the hardware's
 * barriers, shuffles and votes. */
#include "codegen/llvm_lir.h"

#include <stdio.h>

typedef hdi_lir_node node;

/* ---- calls ----------------------------------------------------------------------------------- */

/* The lanes that are here: the source's masks name no others that matter. It must stay where it
 * is, so that the same threads come to it. */
static value active(lir_emit *m)
{
    value lanes = hdi_emit_assembly(&m->e, "activemask.b32 $0;", "=r,~{memory}",
                                    LLVMInt32TypeInContext(m->e.context), 0, NULL);
    const unsigned kind = LLVMGetEnumAttributeKindForName("convergent", 10);
    LLVMAddCallSiteAttribute(lanes, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                             LLVMCreateEnumAttribute(m->e.context, kind, 0));
    return lanes;
}

/* ---- the function ---------------------------------------------------------------------------- */

static bool is_struct(const hdi_lir_var *v)
{
    return v->in_memory && v->count != 1;
}

static LLVMTypeRef bytes_of(const lir_emit *m, const hdi_lir_var *v)
{
    return LLVMArrayType2(lir_memory(m, (hdi_lir_type)v->type), (uint64_t)v->count);
}

/* The variable that begins as parameter k. */
static const hdi_lir_var *parameter(const hdi_lir *l, int k)
{
    for (int32_t i = 0; i < l->nvars; i++)
        if (l->var[i].param == k)
            return &l->var[i];
    return NULL;
}

enum { PARAMETERS = 256, PTX_KERNEL = 71 };

static void by_value(lir_emit *m, unsigned at, const hdi_lir_var *v)
{
    const unsigned kind = LLVMGetEnumAttributeKindForName("byval", 5);
    LLVMAddAttributeAtIndex(m->function, at,
                            LLVMCreateTypeAttribute(m->e.context, kind, bytes_of(m, v)));
    LLVMAddAttributeAtIndex(
        m->function, at,
        LLVMCreateEnumAttribute(m->e.context, LLVMGetEnumAttributeKindForName("align", 5),
                                (uint64_t)v->align));
}

static bool open_function(lir_emit *m)
{
    LLVMTypeRef types[PARAMETERS];
    const int n = m->l->nparams;
    if (n > PARAMETERS)
        return false;
    for (int k = 0; k < n; k++) {
        const hdi_lir_var *v = parameter(m->l, k);
        if (v == NULL)
            return false;
        types[k] = is_struct(v) ? LLVMPointerTypeInContext(m->e.context, 0)
                                : lir_memory(m, (hdi_lir_type)v->type);
    }
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(m->e.context), types, (unsigned)n, 0);
    m->function = LLVMAddFunction(m->e.module, HDI_LIR_ENTRY, type);
    LLVMSetFunctionCallConv(m->function, PTX_KERNEL);
    hdi_emit_attributes(&m->e, m->function);
    for (int k = 0; k < n; k++) {
        const hdi_lir_var *v = parameter(m->l, k);
        if (is_struct(v))
            by_value(m, (unsigned)k + 1, v);
        else if (v->restricted)
            lir_promise(m, m->function, (unsigned)k + 1, "noalias");
    }
    hdi_emit_annotate(&m->e, m->function, "kernel", 1);
    if (m->l->max_threads > 0)
        hdi_emit_annotate(&m->e, m->function, "maxntidx", m->l->max_threads);
    m->entry = lir_block(m);
    m->ended = m->over = lir_block(m);
    lir_at(m, m->entry);
    return true;
}

static void number(lir_emit *m)
{
    static const char axis[] = "xyz";
    static const struct { const char *name; hdi_lir_builtin first; } rows[] = {
        {"tid", HDI_LIR_THREAD_X}, {"ctaid", HDI_LIR_BLOCK_X}, {"ntid", HDI_LIR_BLOCK_DIM_X},
        {"nctaid", HDI_LIR_GRID_DIM_X}};
    value *b = m->builtin;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (int a = 0; a < 3; a++) {
            char text[16];
            snprintf(text, sizeof text, "%s.%c", rows[r].name, axis[a]);
            b[(int)rows[r].first + a] = hdi_emit_special(&m->e, text);
        }
    value row = b_add(&m->e, b_mul(&m->e, b[HDI_LIR_THREAD_Z], b[HDI_LIR_BLOCK_DIM_Y]),
                      b[HDI_LIR_THREAD_Y]);
    b[HDI_LIR_THREAD] =
        b_add(&m->e, b_mul(&m->e, row, b[HDI_LIR_BLOCK_DIM_X]), b[HDI_LIR_THREAD_X]);
    b[HDI_LIR_THREADS_OF_BLOCK] = b_mul(&m->e, b_mul(&m->e, b[HDI_LIR_BLOCK_DIM_X],
                                                     b[HDI_LIR_BLOCK_DIM_Y]),
                                        b[HDI_LIR_BLOCK_DIM_Z]);
}

/* ---- variables ------------------------------------------------------------------------------- */

enum { SPACE_GLOBAL = 1, SPACE_SHARED = 3 };

static value generic(lir_emit *m, value global)
{
    return LLVMConstAddrSpaceCast(global, LLVMPointerTypeInContext(m->e.context, 0));
}

static value shared_room(lir_emit *m, const hdi_lir_var *v)
{
    LLVMTypeRef type = v->dynamic ? LLVMArrayType2(LLVMInt8TypeInContext(m->e.context), 0)
                                  : bytes_of(m, v);
    value g = v->dynamic ? LLVMGetNamedGlobal(m->e.module, "heddle_dynamic") : NULL;
    if (g == NULL) {
        g = LLVMAddGlobalInAddressSpace(m->e.module, type, v->dynamic ? "heddle_dynamic" : "",
                                        SPACE_SHARED);
        LLVMSetAlignment(g, v->dynamic || v->align < 16 ? 16 : (unsigned)v->align);
        if (!v->dynamic) {
            LLVMSetInitializer(g, LLVMGetUndef(type));
            LLVMSetLinkage(g, LLVMInternalLinkage);
        }
    }
    return generic(m, g);
}

static value data_room(lir_emit *m)
{
    value bytes = LLVMConstStringInContext2(m->e.context, (const char *)m->l->data,
                                            (size_t)m->l->data_bytes, 1);
    value g = LLVMAddGlobalInAddressSpace(m->e.module, LLVMTypeOf(bytes), "heddle_data",
                                          SPACE_GLOBAL);
    LLVMSetInitializer(g, bytes);
    LLVMSetAlignment(g, 16);
    return generic(m, g);
}

static value own_room(lir_emit *m, const hdi_lir_var *v)
{
    value room = lir_room(m, v->in_memory ? bytes_of(m, v) : lir_memory(m, (hdi_lir_type)v->type));
    LLVMSetAlignment(room, (unsigned)v->align);
    return room;
}

static void take_parameter(lir_emit *m, const hdi_lir_var *v, value to)
{
    value given = LLVMGetParam(m->function, (unsigned)v->param);
    if (is_struct(v))
        LLVMBuildMemCpy(m->e.build, to, (unsigned)v->align, given, (unsigned)v->align,
                        lir_i64(m, v->count * lir_bytes((hdi_lir_type)v->type)));
    else
        LLVMBuildStore(m->e.build, given, to);
}

static void place_variables(lir_emit *m)
{
    for (int32_t i = 0; i < m->l->nvars; i++) {
        const hdi_lir_var *v = &m->l->var[i];
        switch ((hdi_lir_space)v->space) {
        case HDI_LIR_SHARED: m->place[i] = shared_room(m, v); break;
        case HDI_LIR_CONSTANT:
        case HDI_LIR_GLOBAL:
            if (m->data == NULL)
                m->data = data_room(m);
            m->place[i] = lir_step(m, m->data, lir_i64(m, v->at));
            break;
        default: m->place[i] = own_room(m, v); break;
        }
        if (v->param >= 0)
            take_parameter(m, v, m->place[i]);
    }
}

/* ---- warps ----------------------------------------------------------------------------------- */

/* Words of 32 bits of a number: one, or two. */
static value shuffle_word(lir_emit *m, const node *n, value x, value lane, value width)
{
    static const char *const names[] = {"idx", "up", "down", "bfly"};
    char text[48];
    snprintf(text, sizeof text, "llvm.nvvm.shfl.sync.%s.i32", names[n->kind - HDI_LIR_W_SHUFFLE]);
    value segment = b_shl(&m->e, b_sub(&m->e, lir_u32(m, HDI_LIR_WARP_SIZE), width), 8);
    value limit = n->kind == HDI_LIR_W_SHUFFLE_UP ? segment : b_or(&m->e, segment, lir_u32(m, 31));
    value args[4] = {active(m), x, lane, limit};
    return hdi_emit_call(&m->e, text, LLVMInt32TypeInContext(m->e.context), 4, args);
}

static value shuffle(lir_emit *m, const node *n)
{
    hdi_emit *e = &m->e;
    const hdi_lir_type t = lir_type_of(m, n->arg[0]);
    const int bits = lir_bytes(t) * 8;
    LLVMTypeRef word = LLVMInt32TypeInContext(e->context), own = LLVMIntTypeInContext(
                                                               e->context, (unsigned)bits);
    value x = lir_to_memory(m, t, lir_value(m, n->arg[0]));
    value lane = lir_value(m, n->arg[1]), width = lir_value(m, n->arg[2]), r;
    if (lir_kind(t) == 'f')
        x = b_bits_of(e, x);
    else if (lir_kind(t) == 'p')
        x = LLVMBuildPtrToInt(e->build, x, own, "");
    if (bits <= 32) {
        r = b_resize(e, shuffle_word(m, n, b_resize(e, x, word, false), lane, width), own, false);
    } else {
        value low = shuffle_word(m, n, b_resize(e, x, word, false), lane, width);
        value high = shuffle_word(m, n, b_resize(e, b_lshr(e, x, 32), word, false), lane, width);
        r = b_or(e, b_resize(e, low, own, false), b_shl(e, b_resize(e, high, own, false), 32));
    }
    if (lir_kind(t) == 'f')
        return b_real_of_bits(e, r);
    return lir_kind(t) == 'p' ? LLVMBuildIntToPtr(e->build, r, lir_type(m, t), "")
                              : lir_from_memory(m, t, r);
}

/* Votes of the block are a word; what they are of is one too. */
static value block_vote(lir_emit *m, const node *n)
{
    static const char *const names[] = {"popc", "and", "or"};
    char text[40];
    LLVMTypeRef word = LLVMInt32TypeInContext(m->e.context);
    snprintf(text, sizeof text, "llvm.nvvm.barrier0.%s", names[n->kind - HDI_LIR_W_BLOCK_COUNT]);
    value x = b_resize(&m->e, lir_value(m, n->arg[0]), word, false);
    return hdi_emit_call(&m->e, text, word, 1, &x);
}

static value match(lir_emit *m, const node *n)
{
    LLVMTypeRef word = LLVMInt32TypeInContext(m->e.context);
    const bool is_wide = lir_bytes(lir_type_of(m, n->arg[0])) == 8;
    value x = lir_value(m, n->arg[0]);
    value args[2] = {active(m), is_wide ? x : b_resize(&m->e, x, word, false)};
    return hdi_emit_call(&m->e,
                         is_wide ? "llvm.nvvm.match.any.sync.i64" : "llvm.nvvm.match.any.sync.i32",
                         word, 2, args);
}

static value vote(lir_emit *m, const node *n)
{
    LLVMTypeRef truth = LLVMInt1TypeInContext(m->e.context);
    value args[2] = {active(m), lir_value(m, n->arg[0])};
    if (n->kind == HDI_LIR_W_BALLOT)
        return hdi_emit_call(&m->e, "llvm.nvvm.vote.ballot.sync",
                             LLVMInt32TypeInContext(m->e.context), 2, args);
    const char *name =
        n->kind == HDI_LIR_W_ANY ? "llvm.nvvm.vote.any.sync" : "llvm.nvvm.vote.all.sync";
    return hdi_emit_call(&m->e, name, truth, 2, args);
}

static value of_warp(lir_emit *m, const node *n)
{
    switch ((hdi_lir_warp)n->kind) {
    case HDI_LIR_W_SHUFFLE ... HDI_LIR_W_SHUFFLE_XOR: return shuffle(m, n);
    case HDI_LIR_W_ACTIVE: return active(m);
    case HDI_LIR_W_MATCH: return match(m, n);
    case HDI_LIR_W_BLOCK_COUNT ... HDI_LIR_W_BLOCK_OR: return block_vote(m, n);
    default: return vote(m, n);
    }
}

void lir_meet(lir_emit *m, const node *n)
{
    LLVMTypeRef none = LLVMVoidTypeInContext(m->e.context);
    value all = lir_u32(m, UINT32_MAX);
    if (n->op == HDI_LIR_BARRIER)
        hdi_emit_call(&m->e, "llvm.nvvm.barrier0", none, 0, NULL);
    else if (n->op == HDI_LIR_FENCE)
        hdi_emit_call(&m->e, "llvm.nvvm.membar.gl", none, 0, NULL);
    else if (n->op == HDI_LIR_SYNCWARP)
        all = active(m), hdi_emit_call(&m->e, "llvm.nvvm.bar.warp.sync", none, 1, &all);
    else if (n->op == HDI_LIR_WARP)
        lir_set_variable(m, (int32_t)n->k, of_warp(m, n));
}

bool lir_emit_thread(lir_emit *m)
{
    if (!open_function(m))
        return false;
    number(m);
    place_variables(m);
    lir_statements(m, m->l->body, -1);
    LLVMBuildBr(m->e.build, m->ended);
    lir_at(m, m->ended);
    LLVMBuildRetVoid(m->e.build);
    return true;
}

/* ---- printf, assert -------------------------------------------------------------------------- */

/* The driver prints: vprintf(format, values), each where C would put it. */
void lir_gpu_print(lir_emit *m, value format, value values)
{
    value args[2] = {format, values};
    hdi_emit_call(&m->e, "vprintf", LLVMInt32TypeInContext(m->e.context), 2, args);
}

void lir_gpu_trap(lir_emit *m, const node *n)
{
    value args[5] = {lir_text(m, m->l->names + n->k), lir_text(m, m->l->names + m->l->name),
                     lir_u32(m, (uint32_t)n->line), lir_text(m, m->l->names + m->l->name),
                     lir_i64(m, 1)};
    hdi_emit_call(&m->e, "__assertfail", LLVMVoidTypeInContext(m->e.context), 5, args);
    hdi_emit_call(&m->e, "llvm.trap", LLVMVoidTypeInContext(m->e.context), 0, NULL);
    LLVMBuildBr(m->e.build, m->ended);
    lir_at(m, lir_block(m));
}
