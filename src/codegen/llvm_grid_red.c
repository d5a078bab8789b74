/* SPDX-License-Identifier: BSD-3-Clause */
/* llvm_grid_red.c - accumulators, and how the threads and blocks that share a row bring theirs
 * together. The order depends on the layout of the grid alone. */
#include <stdio.h>

#include "codegen/cg_fold.h"
#include "codegen/llvm_grid.h"

typedef hdi_grid_emit emit;
typedef struct pair { hdi_value x; value at; } pair;   /* at: position, or NULL */

/* ---- what is repeated ------------------------------------------------------------------------ */

static value identity_part(emit *e, int op, hd_dtype dt)
{
    LLVMTypeRef type = hdi_emit_type(&e->e, dt);
    uint64_t bits = hdi_fold_identity(op, dt, e->k->pieces != 0);
    if (hdi_chain_kind(dt) != 'f')
        return hdi_whole(type, (int64_t)bits);
    LLVMTypeRef whole = LLVMIntTypeInContext(e->e.context, (unsigned)hdi_chain_size(dt) * 8);
    return LLVMConstBitCast(hdi_whole(hdi_lanes(whole, b_count(type)), (int64_t)bits), type);
}

/* Complex numbers are ordered by their real parts first; of one its imaginary part is 0. */
static hdi_value identity(emit *e, int op, hd_dtype dt)
{
    hd_dtype part = hdi_chain_part(dt);
    hdi_value x = {identity_part(e, op, part), NULL};
    if (part != dt)
        x.im = op == HD_OP_prod ? LLVMConstNull(LLVMTypeOf(x.re)) : x.re;
    return x;
}

static hdi_value row2(emit *e, hd_op op, hd_dtype dt, hdi_value a, hdi_value b)
{
    if (!hdi_words_can(op, dt))
        return (hdi_value){NULL, NULL};
    return hdi_emit_row(&e->e, op, dt, (hdi_value[]){a, b, {NULL, NULL}});
}

static value is_nan(emit *e, hd_dtype dt, hdi_value x)
{
    return hdi_emit_row(&e->e, HD_OP_isnan, dt, (hdi_value[]){x, {NULL, NULL}, {NULL, NULL}}).re;
}

/* Does x come before a? The better value; of equals, and of nans, the first in the row. */
static value comes_first(emit *e, const hdi_grid_red *r, pair a, pair x)
{
    hdi_emit *b = &e->e;
    hd_op better = hdi_fold_largest(r->op) ? HD_OP_greater : HD_OP_less;
    value x_nan = is_nan(e, r->dt, x.x), a_nan = is_nan(e, r->dt, a.x);
    value wins = b_or(b, row2(e, better, r->dt, x.x, a.x).re, b_and(b, x_nan, b_not(b, a_nan)));
    value same = b_or(b, row2(e, HD_OP_equal, r->dt, x.x, a.x).re, b_and(b, x_nan, a_nan));
    wins = b_and(b, wins, b_or(b, x_nan, b_not(b, a_nan)));
    return b_or(b, wins, b_and(b, same, b_lt(b, x.at, a.at)));
}

static hdi_value pick(emit *e, value c, hdi_value x, hdi_value y)
{
    return (hdi_value){b_pick(&e->e, c, x.re, y.re),
                       x.im == NULL ? NULL : b_pick(&e->e, c, x.im, y.im)};
}

static pair fold(emit *e, const hdi_grid_red *r, pair a, pair x)
{
    if (!r->position) {
        const bool keeps = hdi_fold_keeps(r->op, r->dt);
        return (pair){row2(e, hdi_fold_row(r->op), r->dt, keeps ? x.x : a.x, keeps ? a.x : x.x),
                      NULL};
    }
    value first = comes_first(e, r, a, x);
    return (pair){pick(e, first, x.x, a.x), b_pick(&e->e, first, x.at, a.at)};
}

/* ---- accumulators ---------------------------------------------------------------------------- */

static pair start(emit *e, const hdi_grid_red *r)
{
    value at = r->position ? hdi_whole(hdi_emit_type(&e->e, HD_INT64), INT64_MAX) : NULL;
    return (pair){identity(e, r->op, r->dt), at};
}

/* The parts of an accumulator, as dtypes: HD_NO_DTYPE where it has no such part. */
static hd_dtype part_type(const hdi_grid_red *r, int part)
{
    hd_dtype of_value = hdi_chain_part(r->dt);
    return part == HDI_PART_RE   ? of_value
           : part == HDI_PART_IM ? (of_value == r->dt ? HD_NO_DTYPE : of_value)
           : r->position         ? HD_INT64
                                 : HD_NO_DTYPE;
}

static value *part_of(pair *p, int part)
{
    return part == HDI_PART_RE ? &p->x.re : part == HDI_PART_IM ? &p->x.im : &p->at;
}

static pair get(emit *e, const hdi_grid_red *r, const hdi_grid_room *room)
{
    pair p = {{NULL, NULL}, NULL};
    for (int k = 0; k < HDI_PARTS; k++)
        if (part_type(r, k) != HD_NO_DTYPE)
            *part_of(&p, k) = LLVMBuildLoad2(e->e.build, hdi_emit_type(&e->e, part_type(r, k)),
                                             room->part[k], "");
    return p;
}

static void set(emit *e, const hdi_grid_red *r, pair p, const hdi_grid_room *room)
{
    for (int k = 0; k < HDI_PARTS; k++)
        if (part_type(r, k) != HD_NO_DTYPE)
            LLVMBuildStore(e->e.build, *part_of(&p, k), room->part[k]);
}

static int row_lanes(const emit *e)
{
    return e->g->map == HDI_GRID_COLUMNS ? e->g->lanes : 1;
}

static void make_room(emit *e, const hdi_grid_red *r, hdi_grid_room *room)
{
    for (int k = 0; k < HDI_PARTS; k++)
        if (part_type(r, k) != HD_NO_DTYPE)
            room->part[k] = hdi_grid_alloca(e, hdi_emit_type(&e->e, part_type(r, k)));
}

void hdi_grid_red_open(emit *e, int phase, int unroll)
{
    int lanes = e->e.lanes;
    e->nreds = 0;
    for (int i = 0; i < e->k->ninst; i++) {
        const hdi_kinst *inst = &e->k->inst[i];
        if ((inst->kind != KIR_REDUCE && inst->kind != KIR_SCAN) || inst->phase != phase)
            continue;
        hdi_grid_red *r = &e->red[e->nreds++];
        bool truth = inst->op == HD_OP_any || inst->op == HD_OP_all;
        *r = (hdi_grid_red){.inst = i, .op = inst->op,
                            .dt = truth ? HD_BOOL : (hd_dtype)inst->cdt};
        r->keyed = hdi_grid_is_keyed(e->g, inst);
        r->position = hdi_is_position(inst->op) && !r->keyed;
        if (r->keyed) {
            r->op = HD_OP_max;
            r->dt = HD_UINT64;
        }
        for (int u = 0; u < unroll; u++) {
            make_room(e, r, &r->flight[u]);
            set(e, r, start(e, r), &r->flight[u]);
        }
        e->e.lanes = row_lanes(e);
        make_room(e, r, &r->row);
        e->e.lanes = lanes;
    }
}

static hdi_grid_red *red_of(emit *e, int inst)
{
    for (int j = 0; j < e->nreds; j++)
        if (e->red[j].inst == inst)
            return &e->red[j];
    return NULL;
}

/* Of a sum of products: fused, where the type is real. */
static hdi_value step_product(emit *e, const hdi_grid_red *r, hdi_value a, hdi_value x, hdi_value y)
{
    if (hdi_chain_kind(r->dt) == 'f')
        return (hdi_value){b_fma(&e->e, x.re, y.re, a.re), NULL};
    return row2(e, HD_OP_add, r->dt, a, row2(e, HD_OP_multiply, r->dt, x, y));
}

/* The first element is the first result. One thread goes through all of a line. */
bool hdi_grid_scan_step(emit *e, int inst, value is_first)
{
    const hdi_grid_red *r = red_of(e, inst);
    pair x = {hdi_grid_argument(e, inst, 0, 0), NULL}, a = get(e, r, &r->flight[0]);
    bool copies = e->k->inst[inst].op == HD_OP_copy;
    pair next = copies ? x : fold(e, r, a, x);
    if (next.x.re == NULL)
        return false;
    if (!copies)
        next.x = pick(e, is_first, x.x, next.x);
    hd_dtype to = (hd_dtype)e->k->inst[inst].dt;
    e->v[0][inst] = hdi_emit_convert(&e->e, next.x, r->dt, to);
    next.x = hdi_emit_convert(&e->e, e->v[0][inst], to, r->dt);
    set(e, r, next, &r->flight[0]);
    return true;
}

static pair if_valid(emit *e, const hdi_grid_red *r, value valid, pair x, pair y)
{
    for (int k = 0; k < HDI_PARTS; k++)
        if (part_type(r, k) != HD_NO_DTYPE)
            *part_of(&x, k) = LLVMBuildSelect(e->e.build, valid, *part_of(&x, k),
                                              *part_of(&y, k), "");
    return x;
}

bool hdi_grid_red_step(emit *e, int inst, int u, value position)
{
    const hdi_grid_red *r = red_of(e, inst);
    hd_dtype cdt = (hd_dtype)e->k->inst[inst].cdt;
    hdi_value x = hdi_grid_argument(e, inst, 0, u);
    pair a = get(e, r, &r->flight[u]), sum = a;
    if (r->keyed)
        x.re = hdi_grid_key(&e->e, hdi_fold_largest(e->k->inst[inst].op), cdt, x.re, position);
    if (r->op == HD_OP_sumproduct) {
        sum.x = step_product(e, r, a.x, x, hdi_grid_argument(e, inst, 1, u));
    } else {
        pair next = {r->dt == HD_BOOL ? hdi_emit_convert(&e->e, x, cdt, HD_BOOL) : x, position};
        sum = fold(e, r, a, next);
    }
    if (sum.x.re == NULL)
        return false;
    if (e->valid[u] != NULL)
        sum = if_valid(e, r, e->valid[u], sum, a);
    set(e, r, sum, &r->flight[u]);
    return true;
}

/* ---- within a thread ------------------------------------------------------------------------- */

/* Lanes [first, first + e.lanes). */
static pair half(emit *e, const hdi_grid_red *r, pair p, int first)
{
    for (int k = 0; k < HDI_PARTS; k++)
        if (part_type(r, k) != HD_NO_DTYPE)
            *part_of(&p, k) = hdi_shuffle(&e->e, *part_of(&p, k), first, 1, e->e.lanes);
    return p;
}

void hdi_grid_red_join(emit *e, int unroll)
{
    int lanes = e->e.lanes;
    for (int j = 0; j < e->nreds; j++) {
        hdi_grid_red *r = &e->red[j];
        pair sum = get(e, r, &r->flight[0]);
        for (int u = 1; u < unroll; u++)
            sum = fold(e, r, sum, get(e, r, &r->flight[u]));
        while (e->e.lanes > row_lanes(e)) {
            int n = e->e.lanes /= 2;
            sum = fold(e, r, half(e, r, sum, 0), half(e, r, sum, n));
        }
        set(e, r, sum, &r->row);
        e->e.lanes = lanes;
    }
    e->e.lanes = row_lanes(e);
}

/* ---- between the threads of a warp ----------------------------------------------------------- */

#define FROM_AHEAD "llvm.nvvm.shfl.sync.down.i32"    /* of the thread `by` further on */
#define FROM_NUMBER "llvm.nvvm.shfl.sync.idx.i32"   /* of thread `by` of these */

/* A word as another of `width` threads of the same warp has it. */
static value exchange_word(emit *e, value x, const char *shuffle, int by, int width)
{
    value args[4] = {hdi_grid_i32(e, -1), x, hdi_grid_i32(e, by),
                     hdi_grid_i32(e, (32 - width) << 8 | 31)};
    return hdi_grid_call(e, shuffle, LLVMInt32TypeInContext(e->e.context), 4, args);
}

static value exchange(emit *e, value x, hd_dtype dt, const char *shuffle, int by, int width)
{
    LLVMBuilderRef b = e->e.build;
    LLVMTypeRef word = LLVMInt32TypeInContext(e->e.context), type = LLVMTypeOf(x);
    int size = hdi_chain_size(dt);
    if (size < 4) {
        int bits = dt == HD_BOOL ? 1 : size * 8;
        LLVMTypeRef whole = LLVMIntTypeInContext(e->e.context, (unsigned)bits);
        value n = b_resize(&e->e, b_as(&e->e, x, whole), word, false);
        n = exchange_word(e, n, shuffle, by, width);
        return b_as(&e->e, b_resize(&e->e, n, whole, false), type);
    }
    LLVMTypeRef parts = LLVMVectorType(word, (unsigned)size / 4);
    value from = b_as(&e->e, x, parts), to = LLVMGetUndef(parts);
    for (int k = 0; k < size / 4; k++) {
        value n = LLVMBuildExtractElement(b, from, hdi_grid_i32(e, k), "");
        n = exchange_word(e, n, shuffle, by, width);
        to = LLVMBuildInsertElement(b, to, n, hdi_grid_i32(e, k), "");
    }
    return b_as(&e->e, to, type);
}

static pair exchange_pair(emit *e, const hdi_grid_red *r, pair p, const char *shuffle, int by,
                          int width)
{
    for (int k = 0; k < HDI_PARTS; k++)
        if (part_type(r, k) != HD_NO_DTYPE)
            *part_of(&p, k) = exchange(e, *part_of(&p, k), part_type(r, k), shuffle, by, width);
    return p;
}

/* ---- between the warps of a block ------------------------------------------------------------ */

/* Kernels of a sequence that want as much share it. */
value hdi_grid_shared(emit *e, const char *what, int bytes)
{
    char name[32];
    snprintf(name, sizeof name, "%s_%d", what, bytes);
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
    hdi_grid_call_void(e, "llvm.nvvm.barrier0");
}

static value entry_of(emit *e, value area, value number, int64_t bytes)
{
    LLVMTypeRef byte = LLVMInt8TypeInContext(e->e.context);
    value by = LLVMBuildMul(e->e.build, number,
                            LLVMConstInt(LLVMTypeOf(number), (unsigned long long)bytes, 0), "");
    return LLVMBuildGEP2(e->e.build, byte, area, &by, 1, "");
}

/* A part in shared memory: entry `number` of as many lanes as there are. Each part has an area of
 * its own; bool is a byte. */
static value shared_entry(emit *e, int part, int entries, value number)
{
    static const char *const names[HDI_PARTS] = {"shared_re", "shared_im", "shared_at"};
    enum { LANE_BYTES = 8 };
    value area = hdi_grid_shared(e, names[part], entries * e->e.lanes * LANE_BYTES);
    return entry_of(e, area, number, (int64_t)e->e.lanes * LANE_BYTES);
}

static void put(emit *e, const hdi_grid_red *r, pair p, int entries, value number)
{
    for (int k = 0; k < HDI_PARTS; k++) {
        hd_dtype dt = part_type(r, k);
        if (dt == HD_NO_DTYPE)
            continue;
        value x = hdi_grid_part_to_memory(e, *part_of(&p, k), dt);
        LLVMSetAlignment(LLVMBuildStore(e->e.build, x, shared_entry(e, k, entries, number)),
                         (unsigned)hdi_chain_size(dt));
    }
}

static pair take(emit *e, const hdi_grid_red *r, int entries, value number)
{
    pair p = {{NULL, NULL}, NULL};
    for (int k = 0; k < HDI_PARTS; k++) {
        hd_dtype dt = part_type(r, k);
        if (dt == HD_NO_DTYPE)
            continue;
        value x = LLVMBuildLoad2(e->e.build, hdi_emit_memory_type(&e->e, dt),
                                 shared_entry(e, k, entries, number), "");
        LLVMSetAlignment(x, (unsigned)hdi_chain_size(dt));
        *part_of(&p, k) = hdi_grid_part_from_memory(e, x, dt);
    }
    return p;
}

/* ROWS with more threads to a row than a warp has: a warp's result goes to memory, and all of them
 * go through the row's in order. */
static pair across_warps(emit *e, const hdi_grid_red *r, pair p)
{
    LLVMBuilderRef b = e->e.build;
    int warps = e->g->across / 32, entries = e->g->threads / 32;
    value warp = LLVMBuildLShr(b, e->thread, hdi_grid_number(e, 5), "");
    value first = LLVMBuildAnd(b, warp, hdi_grid_number(e, -warps), "");
    barrier(e);   /* what was here before has been read */
    put(e, r, p, entries, warp);
    barrier(e);
    pair sum = take(e, r, entries, first);
    for (int w = 1; w < warps; w++)
        sum = fold(e, r, sum,
                   take(e, r, entries, LLVMBuildAdd(b, first, hdi_grid_number(e, w), "")));
    return sum;
}

/* Threads of one warp write the same result to the warp's place. */
static pair across_row(emit *e, const hdi_grid_red *r, pair p)
{
    int width = e->g->across < 32 ? e->g->across : 32;
    for (int by = width / 2; by > 0; by /= 2)
        p = fold(e, r, p, exchange_pair(e, r, p, FROM_AHEAD, by, width));
    if (width > 1)
        p = exchange_pair(e, r, p, FROM_NUMBER, 0, width);
    return e->g->across > 32 ? across_warps(e, r, p) : p;
}

/* COLUMNS: rows of threads, halved until one is left. */
static pair across_column(emit *e, const hdi_grid_red *r, pair p)
{
    LLVMBuilderRef b = e->e.build;
    int entries = e->g->threads, per_row = entries / e->g->across;
    value column = LLVMBuildAnd(b, e->thread, hdi_grid_number(e, per_row - 1), "");
    barrier(e);
    put(e, r, p, entries, e->thread);
    barrier(e);
    for (int rows = e->g->across / 2; rows > 0; rows /= 2) {
        LLVMBasicBlockRef work = hdi_grid_block(e), after = hdi_grid_block(e);
        value limit = hdi_grid_number(e, (int64_t)rows * per_row);
        LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, e->thread, limit, ""), work, after);
        LLVMPositionBuilderAtEnd(b, work);
        value other = LLVMBuildAdd(b, e->thread, limit, "");
        put(e, r, fold(e, r, take(e, r, entries, e->thread), take(e, r, entries, other)), entries,
            e->thread);
        hdi_grid_jump(e, after);
        barrier(e);
    }
    return take(e, r, entries, column);
}

void hdi_grid_red_across(emit *e)
{
    for (int j = 0; j < e->nreds && e->g->across > 1; j++) {
        hdi_grid_red *r = &e->red[j];
        pair p = get(e, r, &r->row);
        set(e, r, e->g->map == HDI_GRID_ROWS ? across_row(e, r, p) : across_column(e, r, p),
            &r->row);
    }
}

/* ---- between blocks -------------------------------------------------------------------------- */

/* Where part `part` of number `at` is, those of the next numbers behind it; entry: the reduction's
 * first. A position is an entry of its own, behind the value's two halves. */
static value partial(emit *e, const hdi_grid_red *r, value at, int entry, int part)
{
    LLVMBuilderRef b = e->e.build;
    LLVMTypeRef word = LLVMInt64TypeInContext(e->e.context);
    value all = LLVMBuildMul(b, hdi_grid_word(e, HDI_WORD_SPLITS), hdi_grid_word(e, HDI_WORD_KEPT),
                             "");
    value from = entry_of(e, hdi_grid_pointer(e, HDI_WORD_PARTIALS), all,
                          (int64_t)(2 * entry + part) * HDI_PARTIAL_BYTES / 2);
    return entry_of(e, from, LLVMBuildZExt(b, at, word, ""), hdi_chain_size(part_type(r, part)));
}

static unsigned partial_alignment(const emit *e, hd_dtype dt)
{
    int bytes = e->e.lanes * hdi_chain_size(dt);
    return (unsigned)(bytes < HDI_PARTIAL_BYTES ? bytes : HDI_PARTIAL_BYTES);
}

/* Other blocks read these: past the first-level cache. */
static void spill_part(emit *e, value x, hd_dtype dt, value to)
{
    value stored = LLVMBuildStore(e->e.build, hdi_grid_part_to_memory(e, x, dt), to);
    LLVMSetVolatile(stored, 1);
    LLVMSetAlignment(stored, partial_alignment(e, dt));
}

/* What other blocks wrote is there to be read behind the barrier at which the last one learns that
 * it is that. */
static value collect_part(emit *e, hd_dtype dt, value from)
{
    value x = LLVMBuildLoad2(e->e.build, hdi_emit_memory_type(&e->e, dt), from, "");
    LLVMSetAlignment(x, partial_alignment(e, dt));
    return hdi_grid_part_from_memory(e, x, dt);
}

void hdi_grid_red_spill(emit *e, value at)
{
    for (int j = 0, entry = 0; j < e->nreds; entry += e->red[j++].position ? 2 : 1) {
        hdi_grid_red *r = &e->red[j];
        pair p = get(e, r, &r->row);
        for (int k = 0; k < HDI_PARTS; k++)
            if (part_type(r, k) != HD_NO_DTYPE)
                spill_part(e, *part_of(&p, k), part_type(r, k), partial(e, r, at, entry, k));
    }
}

void hdi_grid_red_reset(emit *e)
{
    for (int j = 0; j < e->nreds; j++)
        set(e, &e->red[j], start(e, &e->red[j]), &e->red[j].row);
}

void hdi_grid_red_collect(emit *e, value at)
{
    for (int j = 0, entry = 0; j < e->nreds; entry += e->red[j++].position ? 2 : 1) {
        hdi_grid_red *r = &e->red[j];
        pair next = {{NULL, NULL}, NULL};
        for (int k = 0; k < HDI_PARTS; k++)
            if (part_type(r, k) != HD_NO_DTYPE)
                *part_of(&next, k) =
                    collect_part(e, part_type(r, k), partial(e, r, at, entry, k));
        set(e, r, fold(e, r, get(e, r, &r->row), next), &r->row);
    }
}

void hdi_grid_red_close(emit *e)
{
    for (int j = 0; j < e->nreds; j++) {
        hdi_grid_red *r = &e->red[j];
        pair p = get(e, r, &r->row);
        value at = r->keyed ? hdi_grid_key_position(&e->e, p.x.re) : p.at;
        e->v[0][r->inst] = at != NULL ? (hdi_value){at, NULL} : p.x;
    }
}
