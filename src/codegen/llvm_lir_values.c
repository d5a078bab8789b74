/* SPDX-License-Identifier: BSD-3-Clause */
/* llvm_lir_values.c - expressions of lowered IR. */
#include "codegen/llvm_lir.h"

typedef hdi_lir_node node;

/* ---- variables ------------------------------------------------------------------------------- */

value lir_from_memory(lir_emit *m, hdi_lir_type t, value x)
{
    return t == HDI_LIR_BOOL ? b_ne(&m->e, x, b_whole(x, 0)) : x;
}

value lir_to_memory(lir_emit *m, hdi_lir_type t, value x)
{
    return t == HDI_LIR_BOOL ? LLVMBuildZExt(m->e.build, x, lir_memory(m, t), "") : x;
}

static value spread_address(lir_emit *m, const hdi_lir_var *v, value thread)
{
    const int64_t bytes = v->count * lir_bytes((hdi_lir_type)v->type);
    const int64_t size = (bytes + v->align - 1) / v->align * v->align;
    value threads = LLVMBuildZExt(m->e.build, m->builtin[HDI_LIR_THREADS_OF_BLOCK],
                                  lir_i64_type(m), "");
    value which = LLVMBuildZExt(m->e.build, thread, lir_i64_type(m), "");
    value first =
        lir_step(m, m->spread, LLVMBuildNSWMul(m->e.build, threads, lir_i64(m, v->at), ""));
    return lir_step(m, first, LLVMBuildNSWMul(m->e.build, which, lir_i64(m, size), ""));
}

value lir_address_of(lir_emit *m, int32_t var, value thread)
{
    const hdi_lir_var *v = &m->l->var[var];
    if (v->space == HDI_LIR_SPREAD)
        return spread_address(m, v, thread != NULL ? thread : m->builtin[HDI_LIR_THREAD]);
    return m->place[var];
}

value lir_read_variable(lir_emit *m, int32_t var, value thread)
{
    const hdi_lir_type t = (hdi_lir_type)m->l->var[var].type;
    value x = LLVMBuildLoad2(m->e.build, lir_memory(m, t), lir_address_of(m, var, thread), "");
    if (m->l->var[var].space == HDI_LIR_SPREAD)
        lir_parallel_access(m, x);
    return lir_from_memory(m, t, x);
}

void lir_set_variable(lir_emit *m, int32_t var, value x)
{
    const hdi_lir_type t = (hdi_lir_type)m->l->var[var].type;
    value s = LLVMBuildStore(m->e.build, lir_to_memory(m, t, x), lir_address_of(m, var, NULL));
    if (m->l->var[var].space == HDI_LIR_SPREAD)
        lir_parallel_access(m, s);
}

/* ---- conversions ----------------------------------------------------------------------------- */

static value saturated(lir_emit *m, value x, LLVMTypeRef type, bool is_signed)
{
    LLVMTypeRef types[2] = {type, LLVMTypeOf(x)};
    const char *name = is_signed ? "llvm.fptosi.sat" : "llvm.fptoui.sat";
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    value f = LLVMGetIntrinsicDeclaration(m->e.module, id, types, 2);
    return LLVMBuildCall2(m->e.build, LLVMIntrinsicGetType(m->e.context, id, types, 2), f, &x, 1,
                          "");
}

value lir_convert(lir_emit *m, value x, hdi_lir_type from, hdi_lir_type to)
{
    const char f = lir_kind(from), t = lir_kind(to);
    LLVMTypeRef type = lir_type(m, to);
    if (from == to)
        return x;
    if (t == 'b')
        return f == 'f' ? b_ne(&m->e, x, LLVMConstNull(LLVMTypeOf(x)))
                        : LLVMBuildICmp(m->e.build, LLVMIntNE, x, LLVMConstNull(LLVMTypeOf(x)), "");
    if (f == 'p')
        return LLVMBuildPtrToInt(m->e.build, x, type, "");
    if (t == 'p')
        return LLVMBuildIntToPtr(m->e.build, x, type, "");
    if (f == 'f')
        return t == 'f' ? LLVMBuildFPCast(m->e.build, x, type, "")
                        : saturated(m, x, type, t == 'i');
    return t == 'f' ? b_to_real(&m->e, x, type, f == 'i') : b_resize(&m->e, x, type, f == 'i');
}

/* ---- whole numbers --------------------------------------------------------------------------- */

static bool is_constant(value x)
{
    return LLVMIsConstant(x) && LLVMIsAConstantInt(x) != NULL;
}

/* Processors trap where the divisor is 0, and where the quotient is beyond the type. */
value lir_quotient(lir_emit *m, bool rest, hdi_lir_type t, value x, value y)
{
    hdi_emit *e = &m->e;
    const bool is_signed = lir_kind(t) == 'i';
    value by = y, none = NULL;
    if (!is_constant(y) || LLVMConstIntGetSExtValue(y) == 0 || LLVMConstIntGetSExtValue(y) == -1) {
        none = b_eq(e, y, b_whole(y, 0));
        value bad = none;
        if (is_signed)
            bad = b_or(e, none, b_eq(e, y, b_whole(y, -1)));
        by = b_pick(e, bad, b_whole(y, 1), y);
    }
    value q = is_signed ? LLVMBuildSDiv(e->build, x, by, "") : LLVMBuildUDiv(e->build, x, by, "");
    if (rest) {
        value r =
            is_signed ? LLVMBuildSRem(e->build, x, by, "") : LLVMBuildURem(e->build, x, by, "");
        return none == NULL ? r : b_pick(e, none, x, r);
    }
    if (none == NULL)
        return q;
    if (is_signed)
        q = b_pick(e, b_eq(e, y, b_whole(y, -1)), b_neg(e, x), q);
    return b_pick(e, none, b_whole(q, -1), q);
}

static value shift(lir_emit *m, const node *n, value x, value by)
{
    hdi_emit *e = &m->e;
    const hdi_lir_type t = (hdi_lir_type)n->type;
    const unsigned width = (unsigned)lir_bytes(t) * 8;
    const bool is_signed = n->op == HDI_LIR_SHR && lir_kind(t) == 'i';
    value inside = b_below(e, by, lir_u32(m, width));
    value safe = b_pick(e, inside, by, lir_u32(m, is_signed ? width - 1 : 0));
    value count = b_resize(e, safe, LLVMTypeOf(x), false);
    value r = n->op == HDI_LIR_SHL ? LLVMBuildShl(e->build, x, count, "")
              : is_signed          ? LLVMBuildAShr(e->build, x, count, "")
                                   : LLVMBuildLShr(e->build, x, count, "");
    return is_signed ? r : b_pick(e, inside, r, b_whole(x, 0));
}

/* ---- numbers of threads ---------------------------------------------------------------------- */

static const node *strip(const lir_emit *m, int32_t i)
{
    const node *n = &m->l->node[i];
    while (n->op == HDI_LIR_CONVERT && lir_bytes((hdi_lir_type)n->type) >= 4 &&
           lir_kind((hdi_lir_type)n->type) != 'f' && n->arg[0] >= 0)
        n = &m->l->node[n->arg[0]];
    return n;
}

static int axis_of(const node *n, hdi_lir_builtin first)
{
    const int64_t axis = n->k - (int64_t)first;
    return n->op == HDI_LIR_BUILTIN && axis >= 0 && axis < 3 ? (int)axis : -1;
}

static bool is_pair(const node *x, hdi_lir_builtin a, const node *y, hdi_lir_builtin b)
{
    return axis_of(x, a) >= 0 && axis_of(x, a) == axis_of(y, b);
}

/* blockIdx.x * blockDim.x or gridDim.x * blockDim.x */
static bool is_size(const lir_emit *m, const node *n)
{
    if (n->op != HDI_LIR_MUL)
        return false;
    const node *x = strip(m, n->arg[0]), *y = strip(m, n->arg[1]);
    return is_pair(x, HDI_LIR_BLOCK_X, y, HDI_LIR_BLOCK_DIM_X) ||
           is_pair(y, HDI_LIR_BLOCK_X, x, HDI_LIR_BLOCK_DIM_X) ||
           is_pair(x, HDI_LIR_GRID_DIM_X, y, HDI_LIR_BLOCK_DIM_X) ||
           is_pair(y, HDI_LIR_GRID_DIM_X, x, HDI_LIR_BLOCK_DIM_X);
}

/* The number of a thread in its grid along an axis: it does not wrap, so that the loop over threads
 * has consecutive addresses. */
static bool is_position(const lir_emit *m, const node *n)
{
    if (!m->target->small_grid)
        return false;
    if (is_size(m, n))
        return true;
    if (n->op != HDI_LIR_ADD)
        return false;
    const node *x = strip(m, n->arg[0]), *y = strip(m, n->arg[1]);
    return (is_size(m, x) && axis_of(y, HDI_LIR_THREAD_X) >= 0) ||
           (is_size(m, y) && axis_of(x, HDI_LIR_THREAD_X) >= 0);
}

static value without_wrap(value x)
{
    if (LLVMIsAInstruction(x) != NULL) {
        LLVMSetNUW(x, 1);
        LLVMSetNSW(x, 1);
    }
    return x;
}

/* ---- operators ------------------------------------------------------------------------------- */

static value whole_sum(lir_emit *m, const node *n, value x, value y)
{
    LLVMBuilderRef b = m->e.build;
    const bool is_signed = lir_kind((hdi_lir_type)n->type) == 'i';
    value r = n->op == HDI_LIR_ADD   ? LLVMBuildAdd(b, x, y, "")
              : n->op == HDI_LIR_SUB ? LLVMBuildSub(b, x, y, "")
                                     : LLVMBuildMul(b, x, y, "");
    if (is_position(m, n))
        return without_wrap(r);
    if (is_signed && LLVMIsAInstruction(r) != NULL)
        LLVMSetNSW(r, 1);
    return r;
}

/* On a GPU products and sums become one operation, as nvcc makes them. */
static value real_operator(lir_emit *m, const node *n, value x, value y)
{
    value r = n->op == HDI_LIR_ADD   ? b_add(&m->e, x, y)
              : n->op == HDI_LIR_SUB ? b_sub(&m->e, x, y)
              : n->op == HDI_LIR_MUL ? b_mul(&m->e, x, y)
                                     : b_div(&m->e, x, y);
    if (m->target->arch != 0 && LLVMIsAInstruction(r) != NULL)
        LLVMSetFastMathFlags(r, LLVMFastMathAllowContract);
    return r;
}

static value two(lir_emit *m, const node *n)
{
    hdi_emit *e = &m->e;
    const hdi_lir_type t = (hdi_lir_type)n->type;
    value x = lir_value(m, n->arg[0]), y = lir_value(m, n->arg[1]);
    switch (n->op) {
    case HDI_LIR_AND: return b_and(e, x, y);
    case HDI_LIR_OR: return b_or(e, x, y);
    case HDI_LIR_XOR: return b_xor(e, x, y);
    case HDI_LIR_SHL:
    case HDI_LIR_SHR: return shift(m, n, x, y);
    case HDI_LIR_REM: return lir_quotient(m, true, t, x, y);
    default: break;
    }
    if (lir_kind(t) == 'f')
        return real_operator(m, n, x, y);
    return n->op == HDI_LIR_DIV ? lir_quotient(m, false, t, x, y) : whole_sum(m, n, x, y);
}

static value compare(lir_emit *m, const node *n)
{
    value x = lir_value(m, n->arg[0]), y = lir_value(m, n->arg[1]);
    const char kind = lir_kind(lir_type_of(m, n->arg[0]));
    const int at = n->op - HDI_LIR_LT;
    static const LLVMRealPredicate real[] = {LLVMRealOLT, LLVMRealOLE, LLVMRealOEQ, LLVMRealUNE};
    static const LLVMIntPredicate is_signed[] = {LLVMIntSLT, LLVMIntSLE, LLVMIntEQ, LLVMIntNE};
    static const LLVMIntPredicate is_unsigned[] = {LLVMIntULT, LLVMIntULE, LLVMIntEQ, LLVMIntNE};
    if (kind == 'f')
        return LLVMBuildFCmp(m->e.build, real[at], x, y, "");
    return LLVMBuildICmp(m->e.build, kind == 'i' ? is_signed[at] : is_unsigned[at], x, y, "");
}

/* Costs a few instructions, and may be evaluated whether wanted or not. */
static bool is_cheap(const lir_emit *m, int32_t i, int *left)
{
    const node *n = &m->l->node[i];
    if (--*left < 0 || n->op == HDI_LIR_LOAD || n->op == HDI_LIR_MATH || n->op == HDI_LIR_PEER ||
        n->op == HDI_LIR_DIV || n->op == HDI_LIR_REM)
        return false;
    for (int k = 0; k < 3; k++)
        if (n->arg[k] >= 0 && !is_cheap(m, n->arg[k], left))
            return false;
    return true;
}

enum { CHEAP = 6 };

static value lazily(lir_emit *m, value c, int32_t x, int32_t y, LLVMTypeRef type)
{
    int left = CHEAP;
    LLVMBuilderRef b = m->e.build;
    if ((x < 0 || is_cheap(m, x, &left)) && (y < 0 || is_cheap(m, y, &left))) {
        value yes = x < 0 ? LLVMConstInt(type, 1, 0) : lir_value(m, x);
        value no = y < 0 ? LLVMConstInt(type, 0, 0) : lir_value(m, y);
        return LLVMBuildSelect(b, c, yes, no, "");
    }
    LLVMBasicBlockRef first = lir_block(m), second = lir_block(m), after = lir_block(m), end[2];
    value r[2];
    LLVMBuildCondBr(b, c, first, second);
    lir_at(m, first);
    r[0] = x < 0 ? LLVMConstInt(type, 1, 0) : lir_value(m, x);
    end[0] = LLVMGetInsertBlock(b);
    LLVMBuildBr(b, after);
    lir_at(m, second);
    r[1] = y < 0 ? LLVMConstInt(type, 0, 0) : lir_value(m, y);
    end[1] = LLVMGetInsertBlock(b);
    LLVMBuildBr(b, after);
    lir_at(m, after);
    value phi = LLVMBuildPhi(b, type, "");
    LLVMAddIncoming(phi, r, end, 2);
    return phi;
}

static value choice(lir_emit *m, const node *n)
{
    value c = lir_value(m, n->arg[0]);
    LLVMTypeRef type = lir_type(m, (hdi_lir_type)n->type);
    if (n->op == HDI_LIR_BOTH)
        return lazily(m, c, n->arg[1], -1, type);
    if (n->op == HDI_LIR_EITHER)
        return lazily(m, c, -1, n->arg[1], type);
    return lazily(m, c, n->arg[1], n->arg[2], type);
}

/* ---- memory ---------------------------------------------------------------------------------- */

void lir_align(const lir_emit *m, const node *n, hdi_lir_type t, value access)
{
    if (m->target->arch != 0 && 1 << n->kind > lir_bytes(t))
        LLVMSetAlignment(access, 1u << n->kind);
}

static value load(lir_emit *m, const node *n)
{
    const hdi_lir_type t = (hdi_lir_type)n->type;
    value x = LLVMBuildLoad2(m->e.build, lir_memory(m, t), lir_value(m, n->arg[0]), "");
    if (n->flags & HDI_LIR_VOLATILE)
        LLVMSetVolatile(x, 1);
    lir_align(m, n, t, x);
    lir_parallel_at(m, x, n->arg[0]);
    return lir_from_memory(m, t, x);
}

static value offset(lir_emit *m, const node *n)
{
    value from = lir_value(m, n->arg[0]), by = lir_value(m, n->arg[1]);
    LLVMTypeRef element = LLVMArrayType2(LLVMInt8TypeInContext(m->e.context), (uint64_t)n->k);
    return LLVMBuildGEP2(m->e.build, element, from, &by, 1, "");
}

static value constant(lir_emit *m, const node *n)
{
    LLVMTypeRef type = lir_type(m, (hdi_lir_type)n->type);
    switch (lir_kind((hdi_lir_type)n->type)) {
    case 'p': return LLVMConstNull(type);
    case 'f': {
        LLVMTypeRef whole = LLVMIntTypeInContext(m->e.context,
                                                 (unsigned)lir_bytes((hdi_lir_type)n->type) * 8);
        return LLVMConstBitCast(LLVMConstInt(whole, (unsigned long long)n->k, 0), type);
    }
    default: return LLVMConstInt(type, (unsigned long long)n->k, 1);
    }
}

value lir_value(lir_emit *m, int32_t i)
{
    const node *n = &m->l->node[i];
    LLVMBuilderRef b = m->e.build;
    switch ((hdi_lir_op)n->op) {
    case HDI_LIR_CONST: return constant(m, n);
    case HDI_LIR_GET: return lir_read_variable(m, (int32_t)n->k, NULL);
    case HDI_LIR_PEER: return lir_read_variable(m, (int32_t)n->k, lir_value(m, n->arg[0]));
    case HDI_LIR_ADDRESS: return lir_address_of(m, (int32_t)n->k, NULL);
    case HDI_LIR_BUILTIN: return m->builtin[n->k];
    case HDI_LIR_NEG: {
        value x = lir_value(m, n->arg[0]);
        return lir_kind((hdi_lir_type)n->type) == 'f' ? LLVMBuildFNeg(b, x, "")
                                                      : LLVMBuildNeg(b, x, "");
    }
    case HDI_LIR_NOT: return LLVMBuildNot(b, lir_value(m, n->arg[0]), "");
    case HDI_LIR_LT:
    case HDI_LIR_LE:
    case HDI_LIR_EQ:
    case HDI_LIR_NE: return compare(m, n);
    case HDI_LIR_BOTH:
    case HDI_LIR_EITHER:
    case HDI_LIR_CHOOSE: return choice(m, n);
    case HDI_LIR_CONVERT:
        return lir_convert(m, lir_value(m, n->arg[0]), lir_type_of(m, n->arg[0]),
                           (hdi_lir_type)n->type);
    case HDI_LIR_BITS:
        return b_as(&m->e, lir_value(m, n->arg[0]), lir_type(m, (hdi_lir_type)n->type));
    case HDI_LIR_LOAD: return load(m, n);
    case HDI_LIR_OFFSET: return offset(m, n);
    case HDI_LIR_MATH: return lir_math(m, n);
    default: return two(m, n);
    }
}
