/* SPDX-License-Identifier: BSD-3-Clause */
/* llvm_grid.c - operands, coordinates, and the values of groups. */
#include "codegen/llvm_grid.h"

#include <stdio.h>
#include <string.h>

typedef hdi_grid_emit emit;

/* ---- small words ----------------------------------------------------------------------------- */

value hdi_grid_number(const emit *e, int64_t n)
{
    return LLVMConstInt(e->index, (unsigned long long)n, 1);
}

value hdi_grid_i32(const emit *e, int64_t n)
{
    return LLVMConstInt(LLVMInt32TypeInContext(e->e.context), (unsigned long long)n, 1);
}

value hdi_grid_word(emit *e, int n)
{
    LLVMTypeRef word = LLVMInt64TypeInContext(e->e.context);
    value at = hdi_grid_i32(e, n);
    value from = LLVMBuildGEP2(e->e.build, word, e->words, &at, 1, "");
    return LLVMBuildLoad2(e->e.build, word, from, "");
}

value hdi_grid_pointer(emit *e, int n)
{
    LLVMTypeRef pointer = LLVMPointerTypeInContext(e->e.context, HDI_SPACE_GLOBAL);
    return LLVMBuildIntToPtr(e->e.build, hdi_grid_word(e, n), pointer, "");
}

static value as_index(emit *e, value n)
{
    return LLVMBuildIntCast2(e->e.build, n, e->index, 1, "");
}

value hdi_grid_count(emit *e, int n)
{
    return as_index(e, hdi_grid_word(e, n));
}

value hdi_grid_call(emit *e, const char *intrinsic, LLVMTypeRef result, int narg, value *args)
{
    return hdi_emit_call(&e->e, intrinsic, result, narg, args);
}

value hdi_grid_special(emit *e, const char *name)
{
    return hdi_emit_special(&e->e, name);
}

value hdi_grid_block_number(emit *e)
{
    return LLVMBuildZExt(
        e->e.build, e->block != NULL ? e->block : hdi_grid_special(e, "ctaid.x"), e->index, "");
}

value hdi_grid_assembly(emit *e, const char *text, const char *constraints, LLVMTypeRef result,
                        int narg, value *args)
{
    return hdi_emit_assembly(&e->e, text, constraints, result, narg, args);
}

void hdi_grid_call_void(emit *e, const char *intrinsic)
{
    hdi_grid_call(e, intrinsic, LLVMVoidTypeInContext(e->e.context), 0, NULL);
}

LLVMBasicBlockRef hdi_grid_block(emit *e)
{
    return LLVMAppendBasicBlockInContext(e->e.context, e->function, "");
}

void hdi_grid_jump(emit *e, LLVMBasicBlockRef to)
{
    LLVMBuildBr(e->e.build, to);
    LLVMPositionBuilderAtEnd(e->e.build, to);
}

/* In the function's first block, where LLVM looks for what can be a register. */
value hdi_grid_alloca(emit *e, LLVMTypeRef type)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(e->e.context);
    LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(
                                     LLVMGetEntryBasicBlock(e->function)));
    value a = LLVMBuildAlloca(b, type, "");
    LLVMDisposeBuilder(b);
    return a;
}

hdi_value hdi_grid_in_all_lanes(emit *e, hdi_value x)
{
    int lanes = e->e.lanes;
    if (b_count(LLVMTypeOf(x.re)) == lanes)
        return x;
    return (hdi_value){hdi_shuffle(&e->e, x.re, 0, 0, lanes),
                       x.im == NULL ? NULL : hdi_shuffle(&e->e, x.im, 0, 0, lanes)};
}

value hdi_grid_min(emit *e, value a, value b)
{
    value less = LLVMBuildICmp(e->e.build, LLVMIntSLT, a, b, "");
    return LLVMBuildSelect(e->e.build, less, a, b, "");
}

bool hdi_grid_while(emit *e, value at, value end, value step, hdi_grid_body body, void *ctx)
{
    LLVMBuilderRef b = e->e.build;
    LLVMBasicBlockRef test = hdi_grid_block(e), inside = hdi_grid_block(e),
                      after = hdi_grid_block(e);
    hdi_grid_jump(e, test);
    value now = LLVMBuildLoad2(b, e->index, at, "");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSLT, now, end, ""), inside, after);
    LLVMPositionBuilderAtEnd(b, inside);
    if (!body(e, now, ctx))
        return false;
    LLVMBuildStore(b, LLVMBuildAdd(b, now, step, ""), at);
    LLVMBuildBr(b, test);
    LLVMPositionBuilderAtEnd(b, after);
    return true;
}

/* ---- coordinates ----------------------------------------------------------------------------- */

static value axis_word(emit *e, int axis, int what)
{
    return hdi_grid_word(e, HDI_WORD_AXES + axis * HDI_AXIS_WORDS + what);
}

/* n / extent, n < 2^31, by a multiplication; or in 64 bits, by a division. */
static value divide(emit *e, value n, int axis)
{
    LLVMBuilderRef b = e->e.build;
    if (e->g->wide)
        return LLVMBuildUDiv(b, n, axis_word(e, axis, HDI_AXIS_EXTENT), "");
    LLVMTypeRef word = LLVMInt64TypeInContext(e->e.context);
    value product = LLVMBuildMul(b, LLVMBuildZExt(b, n, word, ""),
                                 axis_word(e, axis, HDI_AXIS_MULTIPLIER), "");
    return LLVMBuildTrunc(
        b, LLVMBuildLShr(b, product, axis_word(e, axis, HDI_AXIS_SHIFT), ""), e->index, "");
}

void hdi_grid_find(emit *e, value n, int first, int last, bool grouped, hdi_grid_place *p)
{
    LLVMBuilderRef b = e->e.build;
    for (int a = last - 1; a >= first; a--) {
        value up = NULL, here = n;
        if (a > first) {
            up = divide(e, n, a);
            value extent = as_index(e, axis_word(e, a, HDI_AXIS_EXTENT));
            here = LLVMBuildSub(b, n, LLVMBuildMul(b, up, extent, ""), "");
        }
        if (a == last - 1 && grouped && e->g->lanes > 1 && e->e.lanes == e->g->lanes)
            here = LLVMBuildMul(b, here, hdi_grid_number(e, e->g->lanes), "");
        p->at[a] = here;
        n = up;
    }
}

/* ---- operands -------------------------------------------------------------------------------- */

static int slot_word(const emit *e, int slot)
{
    return hdi_grid_slot_at(e->g, e->k, slot);
}

/* The axis that groups lie along. */
static int group_axis(const emit *e)
{
    return e->g->map == HDI_GRID_ROWS ? hdi_grid_axes(e->g) - 1 : e->g->kept - 1;
}

/* The coordinate of a wrapped operand: it goes on with its first element behind the last one. */
static value wrapped(emit *e, int slot, value at, int axis)
{
    LLVMBuilderRef b = e->e.build;
    value first = hdi_grid_count(e, slot_word(e, slot) + 1 + hdi_grid_axes(e->g) + axis);
    value extent = as_index(e, axis_word(e, axis, HDI_AXIS_EXTENT));
    value far = LLVMBuildAdd(b, at, first, "");
    value behind = LLVMBuildICmp(b, LLVMIntSGE, far, extent, "");
    return LLVMBuildSelect(b, behind, LLVMBuildSub(b, far, extent, ""), far, "");
}

/* Sum of coordinate times stride over axes [first, last). */
static value offset(emit *e, int slot, const hdi_grid_place *p, int first, int last)
{
    LLVMBuilderRef b = e->e.build;
    const hdi_kslot *s = &e->k->slots[slot];
    bool array = s->kind == HDI_SLOT_ARRAY;
    value sum = NULL;
    for (int a = first; a < last; a++) {
        bool along = a == group_axis(e) && array;
        if (along && e->g->how[slot] == HDI_GRID_SPLAT)
            continue;
        value stride = along && e->g->how[slot] == HDI_GRID_DENSE
                           ? hdi_grid_number(e, hdi_chain_size(s->dt))
                           : hdi_grid_count(e, slot_word(e, slot) + 1 + a);
        value at = hdi_grid_wraps(e->g, slot, a) ? wrapped(e, slot, p->at[a], a) : p->at[a];
        value term = LLVMBuildMul(b, at, stride, "");
        sum = sum == NULL ? term : LLVMBuildAdd(b, sum, term, "");
    }
    return sum;
}

/* u: of which group is the offset that the slot may have (of one lane, as all is where it has). */
value hdi_grid_address(emit *e, int slot, const hdi_grid_place *p, int first, int last, int u)
{
    LLVMBuilderRef b = e->e.build;
    LLVMTypeRef byte = LLVMInt8TypeInContext(e->e.context);
    value base = e->slot_base[slot];
    if (base == NULL)
        base = hdi_grid_pointer(e, slot_word(e, slot));
    if (e->k->slots[slot].by != 0) {
        value far = e->v[u][e->k->slots[slot].by - 1].re;
        far = LLVMBuildExtractElement(b, far, hdi_grid_i32(e, 0), "");
        base = LLVMBuildGEP2(b, byte, base, &far, 1, "");
    }
    value by = offset(e, slot, p, first, last);
    return by == NULL ? base : LLVMBuildGEP2(b, byte, base, &by, 1, "");
}

bool hdi_grid_is_complex(hd_dtype dt)
{
    return hdi_chain_kind(dt) == 'c';
}

/* Elements of `lanes` complex numbers are twice as many reals. */
LLVMTypeRef hdi_grid_memory_type(emit *e, hd_dtype dt, int lanes)
{
    LLVMTypeRef element = b_element(hdi_emit_memory_type(&e->e, dt));
    return hdi_lanes(element, hdi_grid_is_complex(dt) ? 2 * lanes : lanes);
}

/* bool is a byte in memory, and a bit elsewhere. */
value hdi_grid_part_from_memory(emit *e, value x, hd_dtype dt)
{
    return dt == HD_BOOL ? b_ne(&e->e, x, b_whole(x, 0)) : x;
}

value hdi_grid_part_to_memory(emit *e, value x, hd_dtype dt)
{
    return dt == HD_BOOL ? LLVMBuildZExt(e->e.build, x, hdi_emit_memory_type(&e->e, dt), "") : x;
}

hdi_value hdi_grid_from_memory(emit *e, value x, hd_dtype dt)
{
    int n = b_count(LLVMTypeOf(x));
    if (hdi_grid_is_complex(dt))
        return (hdi_value){hdi_shuffle(&e->e, x, 0, 2, n / 2), hdi_shuffle(&e->e, x, 1, 2, n / 2)};
    return (hdi_value){hdi_grid_part_from_memory(e, x, dt), NULL};
}

value hdi_grid_to_memory(emit *e, hdi_value v, hd_dtype dt)
{
    if (hdi_grid_is_complex(dt))
        return hdi_interleave(&e->e, v.re, v.im);
    return hdi_grid_part_to_memory(e, v.re, dt);
}

value hdi_grid_step_along(emit *e, int slot, value from, int lane)
{
    LLVMTypeRef byte = LLVMInt8TypeInContext(e->e.context);
    if (lane == 0)
        return from;
    value stride = hdi_grid_count(e, slot_word(e, slot) + 1 + group_axis(e));
    value by = LLVMBuildMul(e->e.build, stride, hdi_grid_number(e, lane), "");
    return LLVMBuildGEP2(e->e.build, byte, from, &by, 1, "");
}

static unsigned alignment(const emit *e, hd_dtype dt, int lanes)
{
    return e->g->unaligned ? 1 : (unsigned)(hdi_chain_size(dt) * lanes);
}

/* `lanes` neighbours. */
value hdi_grid_load_some(emit *e, hd_dtype dt, value from, int lanes)
{
    LLVMTypeRef type = hdi_grid_memory_type(e, dt, lanes);
    if (hdi_grid_are_bytes(type))
        return hdi_grid_load_bytes(e, type, from, alignment(e, dt, lanes));
    value x = LLVMBuildLoad2(e->e.build, type, from, "");
    LLVMSetAlignment(x, alignment(e, dt, lanes));
    return x;
}

void hdi_grid_store_some(emit *e, hd_dtype dt, value x, value to, int lanes)
{
    if (hdi_grid_are_bytes(LLVMTypeOf(x)))
        hdi_grid_store_bytes(e, x, to, alignment(e, dt, lanes));
    else
        LLVMSetAlignment(LLVMBuildStore(e->e.build, x, to), alignment(e, dt, lanes));
}

/* Cells of memory are no wider than 8 bytes. */
static unsigned cell_alignment(hd_dtype dt)
{
    int size = hdi_chain_size(dt);
    return (unsigned)(size < 8 ? size : 8);
}

hdi_value hdi_grid_load_cell(emit *e, hd_dtype dt, value from)
{
    value x = LLVMBuildLoad2(e->e.build, hdi_grid_memory_type(e, dt, 1), from, "");
    LLVMSetAlignment(x, cell_alignment(dt));
    return hdi_grid_from_memory(e, x, dt);
}

void hdi_grid_store_cell(emit *e, hd_dtype dt, value to, hdi_value x)
{
    LLVMSetAlignment(LLVMBuildStore(e->e.build, hdi_grid_to_memory(e, x, dt), to),
                     cell_alignment(dt));
}

hdi_value hdi_grid_load_array(emit *e, int slot, value from)
{
    const hdi_kslot *s = &e->k->slots[slot];
    hd_dtype dt = (hd_dtype)s->dt;
    int how = e->g->how[slot], lanes = e->e.lanes;
    if (lanes == 1 || (how == HDI_GRID_DENSE && lanes == e->g->lanes))
        return hdi_grid_from_memory(e, hdi_grid_load_some(e, dt, from, lanes), dt);
    if (how == HDI_GRID_SPLAT)
        return hdi_grid_in_all_lanes(
            e, hdi_grid_from_memory(e, hdi_grid_load_some(e, dt, from, 1), dt));
    LLVMTypeRef type = hdi_grid_memory_type(e, dt, lanes);
    value x = LLVMGetUndef(type);
    int parts = hdi_grid_is_complex(dt) ? 2 : 1;
    for (int k = 0; k < lanes * parts; k++) {
        value y = hdi_grid_load_some(e, dt, hdi_grid_step_along(e, slot, from, k / parts), 1);
        y = LLVMBuildExtractElement(e->e.build, y, hdi_grid_i32(e, k % parts), "");
        x = LLVMBuildInsertElement(e->e.build, x, y, hdi_grid_i32(e, k), "");
    }
    return hdi_grid_from_memory(e, x, dt);
}

void hdi_grid_store_array(emit *e, int slot, value to, hdi_value v)
{
    hd_dtype dt = (hd_dtype)e->k->slots[slot].dt;
    LLVMBuilderRef b = e->e.build;
    int lanes = e->e.lanes;
    value x = hdi_grid_to_memory(e, v, dt);
    if (lanes == 1 || e->g->how[slot] == HDI_GRID_DENSE) {
        hdi_grid_store_some(e, dt, x, to, lanes);
        return;
    }
    int parts = hdi_grid_is_complex(dt) ? 2 : 1;
    for (int lane = 0; lane < lanes; lane++) {
        value y = hdi_shuffle(&e->e, x, lane * parts, 1, parts);
        LLVMSetAlignment(LLVMBuildStore(b, y, hdi_grid_step_along(e, slot, to, lane)),
                         alignment(e, dt, 1));
    }
}

bool hdi_grid_ascends_by_1(const emit *e, int slot)
{
    return e->g->how[slot] == HDI_GRID_DENSE || e->g->how[slot] == HDI_GRID_LOW;
}

/* Positions are int64, whatever else is counted in 32 bits; LOW ones are added up as words of
 * 32 bits. */
static value position(emit *e, int slot, const hdi_grid_place *p, int axes, LLVMTypeRef type)
{
    value sum = b_resize(&e->e, hdi_grid_word(e, slot_word(e, slot)), type, true);
    for (int a = 0; a < axes; a++) {
        value by = b_resize(&e->e, p->at[a], type, true);
        if (a != group_axis(e) || !hdi_grid_ascends_by_1(e, slot)) {
            value stride = hdi_grid_word(e, slot_word(e, slot) + 1 + a);
            by = b_mul(&e->e, by, b_resize(&e->e, stride, type, true));
        }
        sum = b_add(&e->e, sum, by);
    }
    return sum;
}

hdi_value hdi_grid_load_index(emit *e, int slot, const hdi_grid_place *p, int axes, bool full)
{
    LLVMBuilderRef b = e->e.build;
    LLVMTypeRef word = LLVMInt64TypeInContext(e->e.context);
    const bool low = e->g->how[slot] == HDI_GRID_LOW;
    value first = position(e, slot, p, axes,
                           low ? LLVMInt32TypeInContext(e->e.context) : word);
    first = b_resize(&e->e, first, word, false);
    value x = LLVMGetUndef(hdi_emit_type(&e->e, HD_INT64));
    for (int lane = 0; lane < e->e.lanes; lane++) {
        value y = first;
        if (lane > 0 && full) {
            value by = LLVMConstInt(word, (unsigned long long)lane, 0);
            if (!hdi_grid_ascends_by_1(e, slot))
                by = LLVMBuildMul(
                    b, hdi_grid_word(e, slot_word(e, slot) + 1 + group_axis(e)), by, "");
            y = LLVMBuildAdd(b, first, by, "");
        }
        x = LLVMBuildInsertElement(b, x, y, hdi_grid_i32(e, lane), "");
    }
    return (hdi_value){x, NULL};
}

hdi_value hdi_grid_load_scalar(emit *e, int slot)
{
    hd_dtype dt = (hd_dtype)e->k->slots[slot].dt;
    value at = hdi_grid_i32(e, slot_word(e, slot));
    value from = LLVMBuildGEP2(e->e.build, LLVMInt64TypeInContext(e->e.context), e->words, &at, 1,
                               "");
    value x = LLVMBuildLoad2(e->e.build, hdi_grid_memory_type(e, dt, 1), from, "");
    LLVMSetAlignment(x, 8);
    return hdi_grid_in_all_lanes(e, hdi_grid_from_memory(e, x, dt));
}
