/* SPDX-License-Identifier: BSD-3-Clause */
/* llvm_grid_red.c - accumulators, and how the threads and blocks that share a row bring theirs
 * together. The order depends on the layout of the grid alone. */
#include <float.h>
#include <stdint.h>

#include "codegen/llvm_grid.h"

typedef LLVMValueRef value;
typedef hdi_grid_emit emit;
typedef struct pair { value x, at; } pair;   /* at: position, or NULL */

/* ---- what is repeated ------------------------------------------------------------------------ */

/* The row of ew.def that brings two accumulators together. */
static hd_op fold_of(int op)
{
    switch (op) {
#define FOLD(name, reduction, identity) FOLD_##reduction(name, reduction)
#define FOLD_NONE(name, reduction)
#define FOLD_sum(name, reduction) case HD_OP_##reduction: return HD_OP_##name;
#define FOLD_prod FOLD_sum
#define FOLD_min FOLD_sum
#define FOLD_max FOLD_sum
#define FOLD_nanmin FOLD_sum
#define FOLD_nanmax FOLD_sum
#define FOLD_any FOLD_sum
#define FOLD_all FOLD_sum
#include "ops/reduce/fold.def"
#undef FOLD
    default:
        return HD_OP_add;   /* a sum of products */
    }
}

static bool largest_first(int op)
{
    return op == HD_OP_max || op == HD_OP_argmax;
}

/* What changes no other value: for the smallest, the largest there is, and so on. */
static value identity(emit *e, int op, hd_dtype dt)
{
    LLVMTypeRef type = hdi_emit_type(&e->e, dt), element = LLVMGetElementType(type);
    char kind = hdi_chain_kind(dt);
    unsigned bits = (unsigned)hdi_chain_size(dt) * 8;
    uint64_t all = UINT64_MAX >> (64 - bits), high = (uint64_t)1 << (bits - 1);
    bool least = op == HD_OP_max || op == HD_OP_argmax || op == HD_OP_nanmax;
    value one;
    if (op == HD_OP_prod || op == HD_OP_all)
        one = kind == 'f' ? LLVMConstReal(element, 1.0) : LLVMConstInt(element, 1, 0);
    else if (op == HD_OP_sum || op == HD_OP_any || op == HD_OP_sumproduct)
        return LLVMConstNull(type);
    else if (kind == 'f')
        one = LLVMConstReal(element, op == HD_OP_nanmin || op == HD_OP_nanmax
                                         ? (double)__builtin_nan("")
                                     : least ? -(double)__builtin_inf()
                                             : (double)__builtin_inf());
    else
        one = LLVMConstInt(element, kind == 'b'   ? !least
                                    : kind == 'u' ? (least ? 0 : all)
                                    : least       ? high
                                                  : all >> 1, 0);
    value lane = LLVMBuildInsertElement(
        e->e.build, LLVMGetUndef(LLVMVectorType(element, 1)), one, hdi_grid_i32(e, 0), "");
    return hdi_grid_splat(e, lane);
}

static value row2(emit *e, hd_op op, hd_dtype dt, value a, value b)
{
    return hdi_emit_row(&e->e, op, dt, (value[]){a, b, NULL});
}

/* Does x come before a? The better value; of equals, and of nans, the first in the row. */
static value comes_first(emit *e, const hdi_grid_red *r, pair a, pair x)
{
    LLVMBuilderRef b = e->e.build;
    hd_op better = largest_first(e->k->inst[r->inst].op) ? HD_OP_greater : HD_OP_less;
    value x_nan = hdi_emit_row(&e->e, HD_OP_isnan, r->dt, (value[]){x.x, NULL, NULL});
    value a_nan = hdi_emit_row(&e->e, HD_OP_isnan, r->dt, (value[]){a.x, NULL, NULL});
    value wins = LLVMBuildOr(b, row2(e, better, r->dt, x.x, a.x),
                             LLVMBuildAnd(b, x_nan, LLVMBuildNot(b, a_nan, ""), ""), "");
    value same = LLVMBuildOr(b, row2(e, HD_OP_equal, r->dt, x.x, a.x),
                             LLVMBuildAnd(b, x_nan, a_nan, ""), "");
    value earlier = LLVMBuildICmp(b, LLVMIntSLT, x.at, a.at, "");
    return LLVMBuildOr(b, wins, LLVMBuildAnd(b, same, earlier, ""), "");
}

static pair fold(emit *e, const hdi_grid_red *r, pair a, pair x)
{
    if (!r->position)
        return (pair){row2(e, fold_of(e->k->inst[r->inst].op), r->dt, a.x, x.x), NULL};
    value first = comes_first(e, r, a, x);
    return (pair){LLVMBuildSelect(e->e.build, first, x.x, a.x, ""),
                  LLVMBuildSelect(e->e.build, first, x.at, a.at, "")};
}

/* ---- accumulators ---------------------------------------------------------------------------- */

static pair start(emit *e, const hdi_grid_red *r)
{
    value last = LLVMConstInt(LLVMInt64TypeInContext(e->e.context), INT64_MAX, 0), at = NULL;
    if (r->position) {
        value lane = LLVMBuildInsertElement(
            e->e.build, LLVMGetUndef(LLVMVectorType(LLVMTypeOf(last), 1)), last,
            hdi_grid_i32(e, 0), "");
        at = hdi_grid_splat(e, lane);
    }
    return (pair){identity(e, e->k->inst[r->inst].op, r->dt), at};
}

static pair get(emit *e, const hdi_grid_red *r, value x, value at)
{
    LLVMBuilderRef b = e->e.build;
    return (pair){LLVMBuildLoad2(b, hdi_emit_type(&e->e, r->dt), x, ""),
                  r->position ? LLVMBuildLoad2(b, hdi_emit_type(&e->e, HD_INT64), at, "") : NULL};
}

static void set(emit *e, pair p, value x, value at)
{
    LLVMBuildStore(e->e.build, p.x, x);
    if (p.at != NULL)
        LLVMBuildStore(e->e.build, p.at, at);
}

static int row_lanes(const emit *e)
{
    return e->g->map == HDI_GRID_COLUMNS ? e->g->lanes : 1;
}

static void room(emit *e, const hdi_grid_red *r, value *x, value *at)
{
    *x = hdi_grid_alloca(e, hdi_emit_type(&e->e, r->dt));
    *at = r->position ? hdi_grid_alloca(e, hdi_emit_type(&e->e, HD_INT64)) : NULL;
}

bool hdi_grid_red_open(emit *e, int phase, int unroll)
{
    int lanes = e->e.lanes;
    e->nreds = 0;
    for (int i = 0; i < e->k->ninst; i++) {
        const hdi_kinst *inst = &e->k->inst[i];
        if (inst->kind != KIR_REDUCE || inst->phase != phase)
            continue;
        if (e->nreds == HDI_GRID_REDUCTIONS)
            return false;
        hdi_grid_red *r = &e->red[e->nreds++];
        bool truth = inst->op == HD_OP_any || inst->op == HD_OP_all;
        r->inst = i;
        r->dt = truth ? HD_BOOL : (hd_dtype)inst->cdt;
        r->position = inst->op == HD_OP_argmin || inst->op == HD_OP_argmax;
        for (int u = 0; u < unroll; u++) {
            room(e, r, &r->value[u], &r->at[u]);
            set(e, start(e, r), r->value[u], r->at[u]);
        }
        e->e.lanes = row_lanes(e);
        room(e, r, &r->row_value, &r->row_at);
        e->e.lanes = lanes;
    }
    return true;
}

static hdi_grid_red *red_of(emit *e, int inst)
{
    for (int j = 0; j < e->nreds; j++)
        if (e->red[j].inst == inst)
            return &e->red[j];
    return NULL;
}

static value full_argument(emit *e, int inst, int a, int u)
{
    const hdi_kinst *from = &e->k->inst[e->k->inst[inst].arg[a]];
    value x = e->v[from->level == KIR_ROW ? 0 : u][e->k->inst[inst].arg[a]];
    return LLVMGetVectorSize(LLVMTypeOf(x)) == (unsigned)e->e.lanes ? x : hdi_grid_splat(e, x);
}

/* Of a sum of products: fused, where the type has a fraction. */
static pair step_product(emit *e, const hdi_grid_red *r, pair a, value x, value y)
{
    LLVMTypeRef type = hdi_emit_type(&e->e, r->dt);
    if (hdi_chain_kind(r->dt) == 'f')
        return (pair){hdi_emit_intrinsic(&e->e, "llvm.fma", type, 3, (value[]){x, y, a.x}), NULL};
    return (pair){row2(e, HD_OP_add, r->dt, a.x, row2(e, HD_OP_multiply, r->dt, x, y)), NULL};
}

bool hdi_grid_red_step(emit *e, int inst, int u, value position)
{
    const hdi_grid_red *r = red_of(e, inst);
    hd_dtype cdt = (hd_dtype)e->k->inst[inst].cdt;
    value x = full_argument(e, inst, 0, u);
    pair a = get(e, r, r->value[u], r->at[u]), sum;
    if (e->k->inst[inst].op == HD_OP_sumproduct) {
        sum = step_product(e, r, a, x, full_argument(e, inst, 1, u));
    } else {
        pair next = {r->dt == HD_BOOL ? hdi_emit_cast(&e->e, x, cdt, HD_BOOL) : x, position};
        sum = fold(e, r, a, next);
    }
    if (sum.x == NULL)
        return false;
    set(e, sum, r->value[u], r->at[u]);
    return true;
}

/* ---- within a thread ------------------------------------------------------------------------- */

static value half(emit *e, value x, int first)
{
    value lane[64];
    if (x == NULL)
        return NULL;
    for (int l = 0; l < e->e.lanes; l++)
        lane[l] = hdi_grid_i32(e, first + l);
    return LLVMBuildShuffleVector(e->e.build, x, LLVMGetUndef(LLVMTypeOf(x)),
                                  LLVMConstVector(lane, (unsigned)e->e.lanes), "");
}

void hdi_grid_red_join(emit *e, int unroll)
{
    int lanes = e->e.lanes;
    for (int j = 0; j < e->nreds; j++) {
        hdi_grid_red *r = &e->red[j];
        pair sum = get(e, r, r->value[0], r->at[0]);
        for (int u = 1; u < unroll; u++)
            sum = fold(e, r, sum, get(e, r, r->value[u], r->at[u]));
        while (e->e.lanes > row_lanes(e)) {
            int n = e->e.lanes /= 2;
            pair low = {half(e, sum.x, 0), half(e, sum.at, 0)},
                 high = {half(e, sum.x, n), half(e, sum.at, n)};
            sum = fold(e, r, low, high);
        }
        set(e, sum, r->row_value, r->row_at);
        e->e.lanes = lanes;
    }
    e->e.lanes = row_lanes(e);
}

/* ---- between the threads of a warp ----------------------------------------------------------- */

/* x, which has 32-bit parts, as thread `from` of the same warp has it: by "down" or "idx". */
static value exchange(emit *e, value x, hd_dtype dt, const char *how, int by, int width)
{
    LLVMBuilderRef b = e->e.build;
    LLVMTypeRef word = LLVMInt32TypeInContext(e->e.context);
    char name[64] = "llvm.nvvm.shfl.sync.down.i32";
    int size = hdi_chain_size(dt);
    LLVMTypeRef type = LLVMTypeOf(x);
    if (how[0] == 'i')
        __builtin_strcpy(name, "llvm.nvvm.shfl.sync.idx.i32");
    if (size < 4) {
        unsigned bits = dt == HD_BOOL ? 1 : (unsigned)size * 8;
        value n = LLVMBuildBitCast(b, x, LLVMIntTypeInContext(e->e.context, bits), "");
        n = LLVMBuildZExt(b, n, word, "");
        value args[4] = {hdi_grid_i32(e, -1), n, hdi_grid_i32(e, by),
                         hdi_grid_i32(e, (32 - width) << 8 | 31)};
        n = LLVMBuildTrunc(b, hdi_grid_call(e, name, word, 4, args),
                           LLVMIntTypeInContext(e->e.context, bits), "");
        return LLVMBuildBitCast(b, n, type, "");
    }
    LLVMTypeRef parts = LLVMVectorType(word, (unsigned)size / 4);
    value from = LLVMBuildBitCast(b, x, parts, ""), to = LLVMGetUndef(parts);
    for (int k = 0; k < size / 4; k++) {
        value args[4] = {hdi_grid_i32(e, -1),
                         LLVMBuildExtractElement(b, from, hdi_grid_i32(e, k), ""),
                         hdi_grid_i32(e, by), hdi_grid_i32(e, (32 - width) << 8 | 31)};
        to = LLVMBuildInsertElement(b, to, hdi_grid_call(e, name, word, 4, args),
                                    hdi_grid_i32(e, k), "");
    }
    return LLVMBuildBitCast(b, to, type, "");
}

static pair exchange_pair(emit *e, const hdi_grid_red *r, pair p, const char *how, int by,
                          int width)
{
    return (pair){exchange(e, p.x, r->dt, how, by, width),
                  r->position ? exchange(e, p.at, HD_INT64, how, by, width) : NULL};
}

/* ---- between the warps of a block ------------------------------------------------------------ */

static value shared_room(emit *e, const char *name, int bytes)
{
    LLVMTypeRef type = LLVMArrayType2(LLVMInt8TypeInContext(e->e.context), (uint64_t)bytes);
    value area = LLVMGetNamedGlobal(e->e.module, name);
    if (area != NULL)
        return area;
    area = LLVMAddGlobalInAddressSpace(e->e.module, type, name, HDI_SPACE_SHARED);
    LLVMSetInitializer(area, LLVMGetUndef(type));
    LLVMSetLinkage(area, LLVMInternalLinkage);
    LLVMSetAlignment(area, 16);
    return area;
}

static void barrier(emit *e)
{
    hdi_grid_call(e, "llvm.nvvm.barrier0", LLVMVoidTypeInContext(e->e.context), 0, NULL);
}

static value entry_of(emit *e, value area, value number, int64_t bytes)
{
    LLVMTypeRef byte = LLVMInt8TypeInContext(e->e.context);
    value by = LLVMBuildMul(e->e.build, number,
                            LLVMConstInt(LLVMTypeOf(number), (unsigned long long)bytes, 0), "");
    return LLVMBuildGEP2(e->e.build, byte, area, &by, 1, "");
}

/* Values in memory: bool as a byte. */
static void put(emit *e, value x, hd_dtype dt, value to)
{
    if (dt == HD_BOOL)
        x = LLVMBuildZExt(e->e.build, x, hdi_emit_memory_type(&e->e, dt), "");
    LLVMSetAlignment(LLVMBuildStore(e->e.build, x, to), (unsigned)hdi_chain_size(dt));
}

static value take(emit *e, hd_dtype dt, value from)
{
    value x = LLVMBuildLoad2(e->e.build, hdi_emit_memory_type(&e->e, dt), from, "");
    LLVMSetAlignment(x, (unsigned)hdi_chain_size(dt));
    return dt == HD_BOOL ? LLVMBuildICmp(e->e.build, LLVMIntNE, x, LLVMConstNull(LLVMTypeOf(x)), "")
                         : x;
}

/* ROWS with more threads to a row than a warp has: a warp's result goes to memory, and all of them
 * go through the row's in order. */
static pair across_warps(emit *e, const hdi_grid_red *r, pair p)
{
    LLVMBuilderRef b = e->e.build;
    int warps = e->g->across / 32;
    value x_area = shared_room(e, "warps", e->g->threads / 32 * 16), at_area = NULL;
    if (r->position)
        at_area = shared_room(e, "warps_at", e->g->threads / 32 * 8);
    value warp = LLVMBuildLShr(b, e->thread, hdi_grid_number(e, 5), "");
    value first = LLVMBuildAnd(b, warp, hdi_grid_number(e, -warps), "");
    barrier(e);   /* what was here before has been read */
    put(e, p.x, r->dt, entry_of(e, x_area, warp, 16));
    if (r->position)
        put(e, p.at, HD_INT64, entry_of(e, at_area, warp, 8));
    barrier(e);
    pair sum = {NULL, NULL};
    for (int w = 0; w < warps; w++) {
        value n = LLVMBuildAdd(b, first, hdi_grid_number(e, w), "");
        pair next = {take(e, r->dt, entry_of(e, x_area, n, 16)),
                     r->position ? take(e, HD_INT64, entry_of(e, at_area, n, 8)) : NULL};
        sum = w == 0 ? next : fold(e, r, sum, next);
    }
    return sum;
}

/* Threads of one warp write the same result to the warp's place. */
static pair across_row(emit *e, const hdi_grid_red *r, pair p)
{
    int width = e->g->across < 32 ? e->g->across : 32;
    for (int by = width / 2; by > 0; by /= 2)
        p = fold(e, r, p, exchange_pair(e, r, p, "down", by, width));
    if (width > 1)
        p = exchange_pair(e, r, p, "idx", 0, width);
    return e->g->across > 32 ? across_warps(e, r, p) : p;
}

/* COLUMNS: rows of threads, halved until one is left. */
static pair across_column(emit *e, const hdi_grid_red *r, pair p)
{
    LLVMBuilderRef b = e->e.build;
    int lanes = e->e.lanes, size = hdi_chain_size(r->dt), per_row = e->g->threads / e->g->across;
    value x_area = shared_room(e, "columns", e->g->threads * lanes * 16), at_area = NULL;
    if (r->position)
        at_area = shared_room(e, "columns_at", e->g->threads * lanes * 8);
    value column = LLVMBuildURem(b, e->thread, hdi_grid_number(e, per_row), "");
    barrier(e);
    put(e, p.x, r->dt, entry_of(e, x_area, e->thread, (int64_t)lanes * size));
    if (r->position)
        put(e, p.at, HD_INT64, entry_of(e, at_area, e->thread, (int64_t)lanes * 8));
    barrier(e);
    for (int rows = e->g->across / 2; rows > 0; rows /= 2) {
        LLVMBasicBlockRef work = hdi_grid_block(e), after = hdi_grid_block(e);
        value limit = hdi_grid_number(e, (int64_t)rows * per_row);
        LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, e->thread, limit, ""), work, after);
        LLVMPositionBuilderAtEnd(b, work);
        value other = LLVMBuildAdd(b, e->thread, limit, "");
        value to = entry_of(e, x_area, e->thread, (int64_t)lanes * size),
              to_at = r->position ? entry_of(e, at_area, e->thread, (int64_t)lanes * 8) : NULL;
        pair mine = {take(e, r->dt, to), r->position ? take(e, HD_INT64, to_at) : NULL};
        pair theirs = {take(e, r->dt, entry_of(e, x_area, other, (int64_t)lanes * size)),
                       r->position ? take(e, HD_INT64, entry_of(e, at_area, other,
                                                                (int64_t)lanes * 8))
                                   : NULL};
        pair sum = fold(e, r, mine, theirs);
        put(e, sum.x, r->dt, to);
        if (r->position)
            put(e, sum.at, HD_INT64, to_at);
        hdi_grid_jump(e, after);
        barrier(e);
    }
    return (pair){take(e, r->dt, entry_of(e, x_area, column, (int64_t)lanes * size)),
                  r->position ? take(e, HD_INT64, entry_of(e, at_area, column, (int64_t)lanes * 8))
                              : NULL};
}

void hdi_grid_red_across(emit *e)
{
    for (int j = 0; j < e->nreds && e->g->across > 1; j++) {
        hdi_grid_red *r = &e->red[j];
        pair p = get(e, r, r->row_value, r->row_at);
        p = e->g->map == HDI_GRID_ROWS ? across_row(e, r, p) : across_column(e, r, p);
        set(e, p, r->row_value, r->row_at);
    }
}

/* ---- between blocks -------------------------------------------------------------------------- */

static value partial(emit *e, value at, int lane, int entry)
{
    LLVMBuilderRef b = e->e.build;
    LLVMTypeRef word = LLVMInt64TypeInContext(e->e.context);
    value number = LLVMBuildAdd(b, LLVMBuildZExt(b, at, word, ""),
                                LLVMConstInt(word, (unsigned long long)lane, 0), "");
    number = LLVMBuildMul(
        b, number, LLVMConstInt(word, (unsigned long long)hdi_grid_partials(e->k), 0), "");
    number = LLVMBuildAdd(b, number, LLVMConstInt(word, (unsigned long long)entry, 0), "");
    value area = LLVMBuildIntToPtr(b, hdi_grid_word(e, HDI_WORD_PARTIALS),
                                   LLVMPointerTypeInContext(e->e.context, HDI_SPACE_GLOBAL), "");
    return entry_of(e, area, number, HDI_PARTIAL_BYTES);
}

/* Other blocks read and write these: past the first-level cache. */
static void spill_lanes(emit *e, value x, hd_dtype dt, value at, int entry)
{
    int lanes = e->e.lanes;
    for (int l = 0; l < lanes; l++) {
        e->e.lanes = 1;
        value lane = half(e, x, l);
        if (dt == HD_BOOL)
            lane = LLVMBuildZExt(e->e.build, lane, hdi_emit_memory_type(&e->e, dt), "");
        value stored = LLVMBuildStore(
            e->e.build, LLVMBuildExtractElement(e->e.build, lane, hdi_grid_i32(e, 0), ""),
            partial(e, at, l, entry));
        LLVMSetVolatile(stored, 1);
        LLVMSetAlignment(stored, (unsigned)hdi_chain_size(dt));
        e->e.lanes = lanes;
    }
}

static value collect_lanes(emit *e, hd_dtype dt, value at, int entry)
{
    LLVMTypeRef type = hdi_emit_memory_type(&e->e, dt);
    value x = LLVMGetUndef(type);
    for (int l = 0; l < e->e.lanes; l++) {
        value y = LLVMBuildLoad2(e->e.build, LLVMGetElementType(type), partial(e, at, l, entry), "");
        LLVMSetVolatile(y, 1);
        LLVMSetAlignment(y, (unsigned)hdi_chain_size(dt));
        x = LLVMBuildInsertElement(e->e.build, x, y, hdi_grid_i32(e, l), "");
    }
    return dt == HD_BOOL ? LLVMBuildICmp(e->e.build, LLVMIntNE, x, LLVMConstNull(type), "") : x;
}

void hdi_grid_red_spill(emit *e, value at)
{
    for (int j = 0, entry = 0; j < e->nreds; j++) {
        hdi_grid_red *r = &e->red[j];
        pair p = get(e, r, r->row_value, r->row_at);
        spill_lanes(e, p.x, r->dt, at, entry++);
        if (r->position)
            spill_lanes(e, p.at, HD_INT64, at, entry++);
    }
}

void hdi_grid_red_reset(emit *e)
{
    for (int j = 0; j < e->nreds; j++)
        set(e, start(e, &e->red[j]), e->red[j].row_value, e->red[j].row_at);
}

void hdi_grid_red_collect(emit *e, value at)
{
    for (int j = 0, entry = 0; j < e->nreds; j++) {
        hdi_grid_red *r = &e->red[j];
        pair next = {collect_lanes(e, r->dt, at, entry++), NULL};
        if (r->position)
            next.at = collect_lanes(e, HD_INT64, at, entry++);
        set(e, fold(e, r, get(e, r, r->row_value, r->row_at), next), r->row_value, r->row_at);
    }
}

void hdi_grid_red_close(emit *e)
{
    for (int j = 0; j < e->nreds; j++) {
        hdi_grid_red *r = &e->red[j];
        pair p = get(e, r, r->row_value, r->row_at);
        e->v[0][r->inst] = r->position ? p.at : p.x;
    }
}
