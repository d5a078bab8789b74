/* SPDX-License-Identifier: BSD-3-Clause */
/* llvm_grid_values.c - the values of groups: loads first, then what is computed, then stores. There
 * is one piece of code for all groups of a thread, also where some of them, or some lanes of the
 * last one, are not there: assembling takes as long as there are instructions. */
#include "codegen/llvm_grid.h"

typedef hdi_grid_emit emit;

/* ---- values ---------------------------------------------------------------------------------- */

hdi_value hdi_grid_argument(emit *e, int i, int a, int u)
{
    const hdi_kinst *inst = &e->k->inst[i], *from = &e->k->inst[inst->arg[a]];
    return hdi_grid_in_all_lanes(e, e->v[from->level == KIR_ROW ? 0 : u][inst->arg[a]]);
}

static hdi_value compute(emit *e, int i, int u)
{
    const hdi_kinst *inst = &e->k->inst[i];
    hdi_value in[3] = {{NULL, NULL}};
    for (int a = 0; a < inst->narg; a++)
        in[a] = hdi_grid_argument(e, i, a, u);
    if (inst->kind == KIR_CAST || inst->op == HD_OP_copy)
        return hdi_emit_convert(&e->e, in[0], (hd_dtype)e->k->inst[inst->arg[0]].dt,
                                (hd_dtype)inst->dt);
    if (!hdi_words_can((hd_op)inst->op, (hd_dtype)inst->cdt))
        return (hdi_value){NULL, NULL};
    const hdi_kinst *first = &e->k->inst[inst->arg[0]];
    e->e.in_step = first->kind == KIR_INDEX && hdi_grid_ascends_by_1(e, first->slot);
    return hdi_emit_row(&e->e, (hd_op)inst->op, (hd_dtype)inst->cdt, in);
}

static int full_first(const emit *e)
{
    return e->g->map <= HDI_GRID_TILES ? 0 : e->g->kept;
}

static value full_address(emit *e, int i, const hdi_grid_place *p, int u)
{
    return hdi_grid_address(e, e->k->inst[i].slot, p, full_first(e), hdi_grid_axes(e->g), u);
}

static hdi_value load_full(emit *e, int i, const hdi_grid_place *p, int u)
{
    const hdi_kinst *inst = &e->k->inst[i];
    return inst->kind == KIR_SCALAR  ? hdi_grid_load_scalar(e, inst->slot)
           : inst->kind == KIR_INDEX ? hdi_grid_load_index(e, inst->slot, p, hdi_grid_axes(e->g),
                                                           true)
                                     : hdi_grid_load_array(e, inst->slot, full_address(e, i, p, u));
}

/* An operand that lies the other way round: for each lane the elements of all groups at once, and
 * then turned. */
static void load_turned(emit *e, int i, const hdi_grid_place *p)
{
    int slot = e->k->inst[i].slot, lanes = e->e.lanes;
    hd_dtype dt = (hd_dtype)e->k->slots[slot].dt;
    int parts = hdi_grid_is_complex(dt) ? 2 : 1;
    value from = hdi_grid_address(e, slot, p, 0, e->g->kept, 0), line[HDI_GRID_UNROLL];
    for (int l = 0; l < lanes; l++)
        line[l] = hdi_grid_load_some(e, dt, hdi_grid_step_along(e, slot, from, l), lanes);
    for (int u = 0; u < lanes; u++) {
        value x = LLVMGetUndef(hdi_grid_memory_type(e, dt, lanes));
        for (int k = 0; k < lanes * parts; k++) {
            value at = hdi_grid_i32(e, u * parts + k % parts);
            value y = LLVMBuildExtractElement(e->e.build, line[k / parts], at, "");
            x = LLVMBuildInsertElement(e->e.build, x, y, hdi_grid_i32(e, k), "");
        }
        e->v[u][i] = hdi_grid_from_memory(e, x, dt);
    }
}

static bool is_turned(const emit *e, int i)
{
    const hdi_kinst *inst = &e->k->inst[i];
    return inst->kind == KIR_LOAD && e->g->how[inst->slot] == HDI_GRID_TURNED;
}

/* Is it loaded at once, and are lanes of the last group perhaps not there? */
static bool may_be_cut(const emit *e, int i)
{
    const hdi_kinst *inst = &e->k->inst[i];
    return e->there[0] != NULL && inst->kind == KIR_LOAD &&
           e->g->how[inst->slot] == HDI_GRID_DENSE;
}

#define EACH_CUT(i, u)                                                      \
    for (int i = 0; i < e->k->ninst; i++)                                   \
        for (int u = 0; u < count && e->need[i] && may_be_cut(e, i); u++)

/* Both ways meet again before anything is computed. A value's parts are first the operand's
 * address, then what is loaded. */
static void load_cut(emit *e, hdi_grid_place const *places, int count)
{
    LLVMBuilderRef b = e->e.build;
    LLVMBasicBlockRef way[2] = {hdi_grid_block(e), hdi_grid_block(e)}, after = hdi_grid_block(e);
    EACH_CUT(i, u) e->v[u][i].re = full_address(e, i, &places[u], u);
    LLVMBuildCondBr(b, e->whole, way[0], way[1]);
    LLVMPositionBuilderAtEnd(b, way[0]);
    EACH_CUT(i, u)
        e->v[u][i].im = hdi_grid_load_some(e, (hd_dtype)e->k->inst[i].dt, e->v[u][i].re,
                                           e->e.lanes);
    LLVMBuildBr(b, after);
    LLVMPositionBuilderAtEnd(b, way[1]);
    EACH_CUT(i, u)
        e->v[u][i].re = hdi_grid_load_part(e, (hd_dtype)e->k->inst[i].dt, e->v[u][i].re,
                                           e->there[u]);
    hdi_grid_jump(e, after);
    EACH_CUT(i, u) {
        value from[2] = {e->v[u][i].im, e->v[u][i].re};
        e->v[u][i].re = LLVMBuildPhi(b, LLVMTypeOf(from[0]), "");
        LLVMAddIncoming(e->v[u][i].re, from, way, 2);
    }
    EACH_CUT(i, u)
        e->v[u][i] = hdi_grid_from_memory(e, e->v[u][i].re, (hd_dtype)e->k->inst[i].dt);
}

static void load_all(emit *e, hdi_grid_place const *places, int count)
{
    const hdi_kernel *k = e->k;
    for (int i = 0; i < k->ninst; i++)
        for (int u = 0; u < count && e->need[i] && k->inst[i].kind <= KIR_INDEX; u++) {
            if (may_be_cut(e, i))
                continue;
            if (!is_turned(e, i) && !hdi_grid_has_offset(k, i))
                e->v[u][i] = load_full(e, i, &places[u], u);
            else if (u == 0 && is_turned(e, i))
                load_turned(e, i, &places[0]);
        }
    if (e->there[0] != NULL)
        load_cut(e, places, count);
}

static bool compute_all(emit *e, hdi_grid_place const *places, int count, hdi_grid_reduce reduce,
                        void *ctx)
{
    const hdi_kernel *k = e->k;
    const int held = e->held == HDI_NOT_HELD ? -1 : e->g->held - 1;
    for (int i = 0; i < k->ninst; i++)
        for (int u = 0; u < count && e->need[i]; u++) {
            int kind = k->inst[i].kind;
            if (i == held && e->held == HDI_RECALLED)
                break;
            if (kind == KIR_LOAD && hdi_grid_has_offset(k, i))
                e->v[u][i] = load_full(e, i, &places[u], u);
            if ((kind == KIR_CAST || kind == KIR_EW) && (e->v[u][i] = compute(e, i, u)).re == NULL)
                return false;
            if (kind == KIR_SCAN && !reduce(e, i, u, ctx))
                return false;
            if (i == held)
                hdi_grid_hold(e, u);
        }
    return true;
}

/* there: how many of the group's lanes are; NULL: all. */
static void store(emit *e, int i, const hdi_grid_place *p, int u, value there)
{
    const hdi_kinst *inst = &e->k->inst[i];
    value to = full_address(e, i, p, u);
    hdi_value x = hdi_grid_argument(e, i, 0, u);
    if (inst->kind == KIR_ATOMIC)
        hdi_grid_atomic(e, inst, to, x);
    else if (there != NULL)
        hdi_grid_store_part(e, (hd_dtype)inst->dt, x, to, there);
    else
        hdi_grid_store_array(e, inst->slot, to, x);
}

/* Of a group that may not be there at all. */
static LLVMBasicBlockRef open_group(emit *e, int u)
{
    LLVMBasicBlockRef here = hdi_grid_block(e), after = hdi_grid_block(e);
    LLVMBuildCondBr(e->e.build, e->valid[u], here, after);
    LLVMPositionBuilderAtEnd(e->e.build, here);
    return after;
}

static void store_groups(emit *e, hdi_grid_place const *places, int count, bool whole)
{
    for (int u = 0; u < count; u++) {
        LLVMBasicBlockRef after = whole || e->valid[u] == NULL ? NULL : open_group(e, u);
        for (int i = 0; i < e->k->ninst; i++)
            if (e->need[i] && hdi_grid_stores(&e->k->inst[i]))
                store(e, i, &places[u], u, whole ? NULL : e->there[u]);
        if (after != NULL)
            hdi_grid_jump(e, after);
    }
}

static void store_all(emit *e, hdi_grid_place const *places, int count)
{
    LLVMBuilderRef b = e->e.build;
    if (e->whole == NULL) {
        store_groups(e, places, count, false);
        return;
    }
    LLVMBasicBlockRef whole = hdi_grid_block(e), part = hdi_grid_block(e),
                      after = hdi_grid_block(e);
    LLVMBuildCondBr(b, e->whole, whole, part);
    LLVMPositionBuilderAtEnd(b, whole);
    store_groups(e, places, count, true);
    LLVMBuildBr(b, after);
    LLVMPositionBuilderAtEnd(b, part);
    store_groups(e, places, count, false);
    hdi_grid_jump(e, after);
}

static bool has_stores(const emit *e)
{
    for (int i = 0; i < e->k->ninst; i++)
        if (e->need[i] && hdi_grid_stores(&e->k->inst[i]))
            return true;
    return false;
}

bool hdi_grid_full(emit *e, hdi_grid_place const *places, int count, int phase,
                   hdi_grid_reduce reduce, void *ctx)
{
    const hdi_kernel *k = e->k;
    for (int u = 0; u < count && e->held == HDI_RECALLED; u++)
        e->v[u][e->g->held - 1] = hdi_grid_recall(e, u);
    load_all(e, places, count);
    if (!compute_all(e, places, count, reduce, ctx))
        return false;
    for (int i = 0; i < k->ninst; i++)
        for (int u = 0; u < count && e->need[i]; u++)
            if (k->inst[i].kind == KIR_REDUCE && k->inst[i].phase == phase &&
                !reduce(e, i, u, ctx))
                return false;
    if (has_stores(e))
        store_all(e, places, count);
    return true;
}

void hdi_grid_row_scalars(emit *e)
{
    for (int i = 0; i < e->k->ninst; i++)
        if (e->k->inst[i].kind == KIR_SCALAR && e->k->inst[i].level == KIR_ROW)
            e->v[0][i] = hdi_grid_load_scalar(e, e->k->inst[i].slot);
}

static value row_address(emit *e, const hdi_kinst *inst, const hdi_grid_place *p)
{
    return hdi_grid_address(e, inst->slot, p, 0, e->g->kept, 0);
}

bool hdi_grid_row(emit *e, const hdi_grid_place *p, int phase)
{
    const hdi_kernel *k = e->k;
    for (int i = 0; i < k->ninst; i++) {
        const hdi_kinst *inst = &k->inst[i];
        if (inst->level != KIR_ROW || inst->phase != phase || inst->kind == KIR_REDUCE ||
            inst->kind == KIR_STORE || inst->kind == KIR_SCALAR)
            continue;
        e->v[0][i] = inst->kind == KIR_INDEX
                         ? hdi_grid_load_index(e, inst->slot, p, e->g->kept,
                                               e->g->map == HDI_GRID_COLUMNS)
                     : inst->kind == KIR_LOAD
                         ? hdi_grid_load_array(e, inst->slot, row_address(e, inst, p))
                         : compute(e, i, 0);
        if (e->v[0][i].re == NULL)
            return false;
    }
    return true;
}

bool hdi_grid_row_stores(emit *e, const hdi_grid_place *p, int phase)
{
    for (int i = 0; i < e->k->ninst; i++) {
        const hdi_kinst *inst = &e->k->inst[i];
        if (inst->kind == KIR_STORE && inst->level == KIR_ROW && inst->phase == phase)
            hdi_grid_store_array(e, inst->slot, row_address(e, inst, p),
                                 hdi_grid_argument(e, i, 0, 0));
    }
    return true;
}
