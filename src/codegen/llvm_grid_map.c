/* SPDX-License-Identifier: BSD-3-Clause */
/* llvm_grid_map.c - the kernels themselves: which thread does which groups. */
#include <stdlib.h>
#include <string.h>

#include "codegen/llvm_grid.h"

typedef hdi_grid_emit emit;

/* ---- the function ---------------------------------------------------------------------------- */

/* The words come as one parameter, or as the address of where they are. */
void hdi_grid_open(emit *e, int words, bool in_memory, const hdi_grid *g)
{
    enum { PTX_KERNEL = 71 };
    LLVMContextRef c = e->e.context;
    LLVMTypeRef block = LLVMArrayType2(LLVMInt64TypeInContext(c), (uint64_t)words);
    LLVMTypeRef param = LLVMPointerTypeInContext(c, in_memory ? HDI_SPACE_GLOBAL : 0);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(c), &param, 1, 0);
    e->function = LLVMAddFunction(e->e.module, HDI_GRID_ENTRY, type);
    LLVMSetFunctionCallConv(e->function, PTX_KERNEL);
    if (!in_memory) {
        unsigned byval = LLVMGetEnumAttributeKindForName("byval", 5);
        LLVMAddAttributeAtIndex(e->function, 1, LLVMCreateTypeAttribute(c, byval, block));
    }
    hdi_emit_annotate(&e->e, e->function, "kernel", 1);
    hdi_emit_annotate(&e->e, e->function, "maxntidx", g->threads);
    e->words = LLVMGetParam(e->function, 0);
    LLVMPositionBuilderAtEnd(e->e.build, hdi_grid_block(e));
    hdi_grid_jump(e, hdi_grid_block(e));   /* the first block is for allocas */
    if (hdi_grid_waits(g->arch))
        hdi_grid_assembly(e, "griddepcontrol.wait;", "~{memory}", LLVMVoidTypeInContext(c), 0,
                          NULL);
}

static value times(emit *e, value a, int64_t n)
{
    return LLVMBuildMul(e->e.build, a, hdi_grid_number(e, n), "");
}

static value plus(emit *e, value a, value b)
{
    return LLVMBuildAdd(e->e.build, a, b, "");
}

/* ---- ELEMENTS -------------------------------------------------------------------------------- */

/* Groups that a thread has, a block's threads apart: which of them are there, and how much of the
 * last one, which may be less than a group where there is a single axis. */
static void find_groups(emit *e, value mine, value whole, value all, hdi_grid_place *place)
{
    LLVMBuilderRef b = e->e.build;
    int count = e->g->unroll;
    value at = mine;
    for (int u = 0; u < count; u++) {
        value n = plus(e, mine, hdi_grid_number(e, (int64_t)u * e->g->threads));
        at = n;
        if (u > 0) {
            e->valid[u] = LLVMBuildICmp(b, LLVMIntSLT, n, all, "");
            n = LLVMBuildSelect(b, e->valid[u], n, mine, "");
        }
        if (e->g->tail)
            e->there[u] = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntSLT, n, whole, ""),
                                          hdi_grid_number(e, e->g->lanes),
                                          hdi_grid_count(e, HDI_WORD_KEPT), "");
        hdi_grid_find(e, n, 0, e->g->kept, true, &place[u]);
    }
    if (count > 1 || e->g->tail)
        e->whole = LLVMBuildICmp(b, LLVMIntSLT, at, whole, "");
}

static bool elements(emit *e)
{
    LLVMBuilderRef b = e->e.build;
    LLVMBasicBlockRef work = hdi_grid_block(e), after = hdi_grid_block(e);
    int64_t per_block = (int64_t)e->g->threads * e->g->unroll;
    hdi_grid_place place[HDI_GRID_UNROLL];
    value whole = hdi_grid_count(e, HDI_WORD_GROUPS), all = whole;
    value mine = plus(e, times(e, hdi_grid_block_number(e), per_block), e->thread);
    if (e->g->tail) {
        value rest = hdi_grid_min(e, hdi_grid_count(e, HDI_WORD_KEPT), hdi_grid_number(e, 1));
        all = plus(e, whole, rest);
    }
    hdi_grid_needs(e->k, 0, -1, e->need);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSLT, mine, all, ""), work, after);
    LLVMPositionBuilderAtEnd(b, work);
    find_groups(e, mine, whole, all, place);
    bool done = hdi_grid_full(e, place, e->g->unroll, 0, NULL, NULL);
    memset(e->valid, 0, sizeof e->valid);
    memset(e->there, 0, sizeof e->there);
    e->whole = NULL;
    hdi_grid_jump(e, after);
    return done;
}

/* ---- TILES ----------------------------------------------------------------------------------- */

static value low_bits(emit *e, value n, int shift, int mask)
{
    return LLVMBuildAnd(e->e.build,
                        LLVMBuildLShr(e->e.build, n, hdi_grid_number(e, shift), ""),
                        hdi_grid_number(e, mask), "");
}

/* n = *up * by + what is returned. */
static value split_off(emit *e, value n, value by, value *up)
{
    *up = LLVMBuildUDiv(e->e.build, n, by, "");
    return LLVMBuildSub(e->e.build, n, LLVMBuildMul(e->e.build, *up, by, ""), "");
}

static value extent_of(emit *e, int axis)
{
    return hdi_grid_count(e, HDI_WORD_AXES + axis * HDI_AXIS_WORDS + HDI_AXIS_EXTENT);
}

static bool tiles(emit *e)
{
    LLVMBuilderRef b = e->e.build;
    LLVMBasicBlockRef work = hdi_grid_block(e), after = hdi_grid_block(e);
    hdi_grid_place place[HDI_GRID_UNROLL];
    int last = e->g->kept - 1;
    value outer, block = hdi_grid_block_number(e);
    value x = split_off(e, block, hdi_grid_count(e, HDI_WORD_TILES_LAST), &outer);
    value y = split_off(e, outer, hdi_grid_count(e, HDI_WORD_TILES_BEFORE), &outer);
    x = plus(e, times(e, x, HDI_TILE_GROUPS),
             plus(e, low_bits(e, e->thread, 0, 3), times(e, low_bits(e, e->thread, 5, 3), 4)));
    y = plus(e, times(e, y, HDI_TILE_GROUPS),
             plus(e, low_bits(e, e->thread, 2, 7), times(e, low_bits(e, e->thread, 7, 1), 8)));
    value inside = LLVMBuildAnd(b, LLVMBuildICmp(b, LLVMIntSLT, x, extent_of(e, last), ""),
                                LLVMBuildICmp(b, LLVMIntSLT, y, extent_of(e, last - 1), ""), "");
    LLVMBuildCondBr(b, inside, work, after);
    LLVMPositionBuilderAtEnd(b, work);
    for (int u = 0; u < e->g->lanes; u++) {
        hdi_grid_find(e, outer, 0, last - 1, false, &place[u]);
        place[u].at[last] = times(e, x, e->g->lanes);
        place[u].at[last - 1] = plus(e, times(e, y, e->g->lanes), hdi_grid_number(e, u));
    }
    hdi_grid_needs(e->k, 0, -1, e->need);
    bool done = hdi_grid_full(e, place, e->g->lanes, 0, NULL, NULL);
    hdi_grid_jump(e, after);
    return done;
}

/* ---- reductions ------------------------------------------------------------------------------ */

/* A block's part of the work. */
typedef struct part {
    int phase;
    int count;               /* groups at a time */
    bool rest;               /* there may be fewer */
    hdi_grid_place kept;     /* of this thread's row */
    value block, split, kept_index, valid;   /* valid: is there such a row? */
    value row_thread;        /* of the threads that share it */
    value start;             /* number of the row's first group (COLUMNS: element) */
    value first, end;        /* of those that this thread's part begins with */
} part;

static bool rows_map(const emit *e)
{
    return e->g->map == HDI_GRID_ROWS;
}

/* Which row, which of its threads. Threads beyond the last row stand at the last one, and have no
 * part of it. */
static void find_row(emit *e, part *p)
{
    LLVMBuilderRef b = e->e.build;
    int side = e->g->threads / e->g->across;
    int inner = rows_map(e) ? e->g->across : side;
    value low = LLVMBuildAnd(b, e->thread, hdi_grid_number(e, inner - 1), "");
    value high = LLVMBuildUDiv(b, e->thread, hdi_grid_number(e, inner), "");
    p->block = hdi_grid_block_number(e);
    p->split = NULL;
    if (e->g->split)
        p->split = split_off(e, p->block, hdi_grid_count(e, HDI_WORD_SPLITS), &p->block);
    p->row_thread = rows_map(e) ? low : high;
    value n = plus(e, times(e, p->block, side), rows_map(e) ? high : low);
    value last = LLVMBuildSub(
        b, hdi_grid_count(e, rows_map(e) ? HDI_WORD_KEPT : HDI_WORD_GROUPS), hdi_grid_number(e, 1),
        "");
    p->valid = LLVMBuildICmp(b, LLVMIntSLE, n, last, "");
    p->kept_index = hdi_grid_min(e, n, last);
    hdi_grid_find(e, p->kept_index, 0, e->g->kept, !rows_map(e), &p->kept);
}

/* Addresses of FULL operands at the kept index: the loops add the rest. */
static void find_bases(emit *e, const part *p)
{
    LLVMBuilderRef b = e->e.build;
    LLVMTypeRef byte = LLVMInt8TypeInContext(e->e.context);
    for (int s = 0; s < e->k->nslots; s++) {
        const hdi_kslot *slot = &e->k->slots[s];
        if (slot->kind != HDI_SLOT_ARRAY || slot->level != KIR_FULL)
            continue;
        int at = hdi_grid_slot_at(e->g, e->k, s);
        value base = hdi_grid_pointer(e, at);
        for (int a = 0; a < e->g->kept; a++) {
            value by = LLVMBuildMul(b, p->kept.at[a], hdi_grid_count(e, at + 1 + a), "");
            base = LLVMBuildGEP2(b, byte, base, &by, 1, "");
        }
        e->slot_base[s] = base;
    }
}

/* Of the first element of the group, and of the others. */
static value positions(emit *e, int u)
{
    LLVMBuilderRef b = e->e.build;
    LLVMTypeRef word = LLVMInt64TypeInContext(e->e.context);
    value n = LLVMBuildZExt(b, e->group[u], word, "");
    bool along = rows_map(e);
    if (along)
        n = LLVMBuildMul(b, n, LLVMConstInt(word, e->g->lanes, 0), "");
    value x = LLVMGetUndef(LLVMVectorType(word, (unsigned)e->e.lanes));
    for (int l = 0; l < e->e.lanes; l++) {
        value lane = LLVMBuildAdd(b, n, LLVMConstInt(word, along ? (unsigned)l : 0, 0), "");
        x = LLVMBuildInsertElement(b, x, lane, hdi_grid_i32(e, l), "");
    }
    return x;
}

static value is_zero(emit *e, value n)
{
    return LLVMBuildICmp(e->e.build, LLVMIntEQ, n, hdi_grid_number(e, 0), "");
}

static value is_first(emit *e, const part *p)
{
    return LLVMBuildICmp(e->e.build, LLVMIntEQ, e->group[0], p->start, "");
}

static bool reduce(emit *e, int inst, int u, void *ctx)
{
    if (e->k->inst[inst].kind == KIR_SCAN)
        return hdi_grid_scan_step(e, inst, is_first(e, ctx));
    bool position = hdi_is_position(e->k->inst[inst].op);
    return hdi_grid_red_step(e, inst, u, position ? positions(e, u) : NULL);
}

static bool step(emit *e, value n, void *ctx)
{
    part *p = ctx;
    hdi_grid_place place[HDI_GRID_UNROLL];
    for (int u = 0; u < p->count; u++) {
        value at = plus(e, n, hdi_grid_number(e, (int64_t)u * e->g->across));
        if (p->rest && u > 0) {
            e->valid[u] = LLVMBuildICmp(e->e.build, LLVMIntSLT, at, p->end, "");
            at = LLVMBuildSelect(e->e.build, e->valid[u], at, n, "");
        }
        place[u] = p->kept;
        e->group[u] = at;
        hdi_grid_find(e, at, e->g->kept, hdi_grid_axes(e->g), rows_map(e), &place[u]);
    }
    return hdi_grid_full(e, place, p->count, p->phase, reduce, p);
}

/* A part that is taken at once needs no loop. */
static bool take_all(emit *e, part *p)
{
    LLVMBuilderRef b = e->e.build;
    LLVMBasicBlockRef work = hdi_grid_block(e), after = hdi_grid_block(e);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSLT, p->first, p->end, ""), work, after);
    LLVMPositionBuilderAtEnd(b, work);
    p->count = e->g->unroll;
    p->rest = e->g->turns == HDI_GRID_TURN_PART;
    bool done = step(e, p->first, p);
    hdi_grid_jump(e, after);
    return done;
}

/* The loop over this thread's part, several groups at a time; then what is left of them, all at
 * once, so that no load waits for another. */
static bool take_in_turns(emit *e, part *p)
{
    LLVMBuilderRef b = e->e.build;
    value at = hdi_grid_alloca(e, e->index);
    int64_t across = e->g->across, ahead = across * (e->g->unroll - 1);
    value by = hdi_grid_number(e, across * e->g->unroll);
    LLVMBuildStore(b, p->first, at);
    p->count = e->g->unroll;
    p->rest = false;
    if (p->count > 1 &&
        !hdi_grid_while(e, at, LLVMBuildSub(b, p->end, hdi_grid_number(e, ahead), ""), by, step, p))
        return false;
    p->rest = p->count > 1;
    return hdi_grid_while(e, at, p->end, by, step, p);
}

static bool walk(emit *e, part *p)
{
    bool done = e->g->turns == HDI_GRID_TURNS_ANY ? take_in_turns(e, p) : take_all(e, p);
    memset(e->valid, 0, sizeof e->valid);
    return done;
}

static value piece_border(emit *e, int number)
{
    LLVMBuilderRef b = e->e.build;
    LLVMTypeRef word = LLVMInt64TypeInContext(e->e.context);
    value at = LLVMConstInt(word, (unsigned long long)number, 0);
    value from = LLVMBuildGEP2(b, word, e->slot_base[e->k->pieces - 1], &at, 1, "");
    return LLVMBuildTrunc(b, LLVMBuildLoad2(b, word, from, ""), e->index, "");
}

static void find_piece(emit *e, part *p)
{
    p->start = piece_border(e, 0);
    value least = plus(e, p->start, hdi_grid_number(e, !e->k->some_empty));
    value end = piece_border(e, 1);
    value some = LLVMBuildICmp(e->e.build, LLVMIntSGT, end, least, "");
    p->first = plus(e, p->start, p->row_thread);
    p->end = LLVMBuildSelect(e->e.build, some, end, least, "");
}

static void find_part(emit *e, part *p)
{
    value n = hdi_grid_count(e, rows_map(e) ? HDI_WORD_GROUPS : HDI_WORD_REDUCED);
    p->start = hdi_grid_number(e, 0);
    p->first = p->row_thread;
    p->end = n;
    if (e->k->pieces != 0)
        find_piece(e, p);
    if (e->g->split) {
        value segment = hdi_grid_count(e, HDI_WORD_SEGMENT);
        value from = LLVMBuildMul(e->e.build, p->split, segment, "");
        p->first = plus(e, from, p->row_thread);
        p->end = hdi_grid_min(e, plus(e, from, segment), n);
    }
    p->end = LLVMBuildSelect(e->e.build, p->valid, p->end, hdi_grid_number(e, 0), "");
}

/* ---- several blocks to a row ----------------------------------------------------------------- */

/* Number of this row's partial result from block `split`: kept elements side by side. */
static value partial_number(emit *e, const part *p, value split)
{
    value kept = hdi_grid_count(e, rows_map(e) ? HDI_WORD_KEPT : HDI_WORD_GROUPS);
    value n = plus(e, LLVMBuildMul(e->e.build, split, kept, ""), p->kept_index);
    return rows_map(e) ? n : times(e, n, e->g->lanes);
}

static bool collect(emit *e, value split, void *ctx)
{
    hdi_grid_red_collect(e, partial_number(e, ctx, split));
    return true;
}

static value count_in(emit *e, value counter, value limit)
{
    return hdi_grid_assembly(e, "atom.inc.acq_rel.gpu.global.u32 $0, [$1], $2;",
                             "=r,l,r,~{memory}", LLVMTypeOf(limit), 2,
                             (value[]){counter, limit});
}

/* Whoever comes last, of the blocks that share rows, goes on; the others jump to `out`. */
static void wait_for_last(emit *e, const part *p, LLVMBasicBlockRef out)
{
    LLVMBuilderRef b = e->e.build;
    LLVMTypeRef word = LLVMInt32TypeInContext(e->e.context);
    value flag = LLVMAddGlobalInAddressSpace(e->e.module, word, "last", HDI_SPACE_SHARED);
    LLVMSetInitializer(flag, LLVMGetUndef(word));
    LLVMSetLinkage(flag, LLVMInternalLinkage);
    LLVMBasicBlockRef ask = hdi_grid_block(e), told = hdi_grid_block(e), go_on = hdi_grid_block(e);
    hdi_grid_call_void(e, "llvm.nvvm.barrier0");
    LLVMBuildCondBr(b, is_zero(e, e->thread), ask, told);
    LLVMPositionBuilderAtEnd(b, ask);
    value counters = hdi_grid_pointer(e, HDI_WORD_COUNTERS);
    value counter = LLVMBuildGEP2(b, word, counters, (value[]){p->block}, 1, "");
    value limit = LLVMBuildTrunc(b, hdi_grid_word(e, HDI_WORD_SPLITS), word, "");
    limit = LLVMBuildSub(b, limit, hdi_grid_i32(e, 1), "");
    /* Counts to the limit and begins again at 0, for the next launch. Thread 0 lets go of what all
     * threads of its block wrote, and takes over what they will read: the barriers see to that. */
    value before = count_in(e, counter, limit);
    value last = LLVMBuildICmp(b, LLVMIntEQ, before, limit, "");
    LLVMBuildStore(b, LLVMBuildZExt(b, last, word, ""), flag);
    hdi_grid_jump(e, told);
    hdi_grid_call_void(e, "llvm.nvvm.barrier0");
    value seen = LLVMBuildLoad2(b, word, flag, "");
    LLVMSetVolatile(seen, 1);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntNE, seen, hdi_grid_i32(e, 0), ""), go_on, out);
    LLVMPositionBuilderAtEnd(b, go_on);
}

/* What follows is done by the first thread of each row, which then goes to the block returned,
 * where the others are. */
static LLVMBasicBlockRef open_first_thread(emit *e, const part *p)
{
    LLVMBasicBlockRef mine = hdi_grid_block(e), after = hdi_grid_block(e);
    value first = LLVMBuildAnd(e->e.build, p->valid, is_zero(e, p->row_thread), "");
    LLVMBuildCondBr(e->e.build, first, mine, after);
    LLVMPositionBuilderAtEnd(e->e.build, mine);
    return after;
}

static bool meet(emit *e, part *p, LLVMBasicBlockRef out)
{
    LLVMBasicBlockRef after = open_first_thread(e, p);
    hdi_grid_red_spill(e, partial_number(e, p, p->split));
    hdi_grid_jump(e, after);
    wait_for_last(e, p, out);
    value at = hdi_grid_alloca(e, e->index);
    LLVMBuildStore(e->e.build, p->row_thread, at);
    hdi_grid_red_reset(e);
    if (!hdi_grid_while(e, at, hdi_grid_count(e, HDI_WORD_SPLITS),
                        hdi_grid_number(e, e->g->across), collect, p))
        return false;
    hdi_grid_red_across(e);
    return true;
}

/* ---- a row ----------------------------------------------------------------------------------- */

static bool store_row(emit *e, part *p)
{
    LLVMBasicBlockRef after = open_first_thread(e, p);
    bool done = hdi_grid_row_stores(e, &p->kept, p->phase);
    hdi_grid_jump(e, after);
    return done;
}

static bool has_reductions(const hdi_kernel *k, int phase)
{
    for (int i = 0; i < k->ninst; i++)
        if (k->inst[i].kind == KIR_REDUCE && k->inst[i].phase == phase)
            return true;
    return false;
}

static bool needs_loop(const emit *e)
{
    for (int i = 0; i < e->k->ninst; i++)
        if (e->need[i] && (e->k->inst[i].kind == KIR_REDUCE || e->k->inst[i].kind == KIR_STORE))
            return true;
    return false;
}

static bool phase(emit *e, part *p, LLVMBasicBlockRef out)
{
    int lanes = rows_map(e) ? 1 : e->g->lanes;
    bool reduces = has_reductions(e->k, p->phase);
    e->e.lanes = e->g->lanes;
    hdi_grid_held_in(e, p->phase);
    hdi_grid_needs(e->k, p->phase, e->held == HDI_RECALLED ? e->g->held - 1 : -1, e->need);
    hdi_grid_red_open(e, p->phase, e->g->unroll);
    if (needs_loop(e) && !walk(e, p))
        return false;
    if (reduces) {
        hdi_grid_red_join(e, e->g->unroll);
        hdi_grid_red_across(e);
        if (e->g->split && !meet(e, p, out))
            return false;
        hdi_grid_red_close(e);
    }
    e->e.lanes = lanes;
    return hdi_grid_row(e, &p->kept, p->phase) && store_row(e, p);
}

static bool reductions(emit *e)
{
    part p = {0};
    LLVMBasicBlockRef out = hdi_grid_block(e);
    e->e.lanes = e->g->lanes;
    find_row(e, &p);
    find_bases(e, &p);
    find_part(e, &p);
    e->e.lanes = 1;
    hdi_grid_row_scalars(e);
    for (p.phase = 0; p.phase < e->k->nphases; p.phase++)
        if (!phase(e, &p, out))
            return false;
    hdi_grid_jump(e, out);
    return true;
}

/* ---- the module ------------------------------------------------------------------------------ */

emit *hdi_grid_new(LLVMContextRef context)
{
    emit *e = calloc(1, sizeof *e);   /* too large for a stack */
    if (e == NULL)
        return NULL;
    e->e.context = context;
    e->e.module = LLVMModuleCreateWithNameInContext("heddle", context);
    e->e.build = LLVMCreateBuilderInContext(context);
    e->e.fused = true;
    e->e.own = true;
    return e;
}

bool hdi_grid_kernel_code(emit *e, const hdi_kernel *k, const hdi_grid *g)
{
    e->k = k;
    e->g = g;
    e->e.lanes = g->lanes;
    e->index = LLVMIntTypeInContext(e->e.context, g->wide ? 64 : 32);
    e->thread = LLVMBuildZExt(e->e.build, hdi_grid_special(e, "tid.x"), e->index, "");
    memset(e->slot_base, 0, sizeof e->slot_base);
    return g->map == HDI_GRID_ELEMENTS ? elements(e)
           : g->map == HDI_GRID_TILES  ? tiles(e)
                                       : reductions(e);
}

LLVMModuleRef hdi_grid_close(emit *e, bool done)
{
    LLVMModuleRef module = e->e.module;
    LLVMBuildRetVoid(e->e.build);
    LLVMDisposeBuilder(e->e.build);
    free(e);
    if (done)
        return module;
    LLVMDisposeModule(module);
    return NULL;
}

/* Mathematical functions need the registers that they take. */
static bool all_plain(const hdi_kernel *k)
{
    for (int i = 0; i < k->ninst; i++) {
        const hdi_kinst *inst = &k->inst[i];
        if (inst->kind == KIR_EW && inst->level == KIR_FULL &&
            !hdi_chain_plain((hd_op)inst->op, (hd_dtype)inst->cdt))
            return false;
    }
    return true;
}

/* Left alone, the assembler gives accumulators and loads under way 96 registers a thread, and two
 * blocks fill a multiprocessor. */
static void share_registers(emit *e, const hdi_kernel *k, const hdi_grid *g)
{
    enum { BLOCKS_TOGETHER = 4 };
    if ((g->map == HDI_GRID_ROWS || g->map == HDI_GRID_COLUMNS) && all_plain(k))
        hdi_emit_annotate(&e->e, e->function, "minctasm", BLOCKS_TOGETHER);
}

LLVMModuleRef hdi_emit_grid(LLVMContextRef context, const hdi_kernel *k, const hdi_grid *g)
{
    emit *e = hdi_grid_new(context);
    if (e == NULL)
        return NULL;
    hdi_grid_open(e, hdi_grid_slot_at(g, k, k->nslots), g->words_in_memory, g);
    share_registers(e, k, g);
    return hdi_grid_close(e, hdi_grid_kernel_code(e, k, g));
}
