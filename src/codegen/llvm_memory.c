/* SPDX-License-Identifier: BSD-3-Clause */
/* llvm_memory.c - elements of a chain's operands from memory into lanes, and back. */
#include "codegen/llvm_loop.h"

#include <string.h>

typedef hdi_chain_loop loop;

value hdi_chain_address(loop *l, int operand, hd_dtype dt, value index)
{
    value offset = LLVMBuildMul(l->e.build, index, b_i64(&l->e, hdi_chain_size(dt)), "");
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

/* Parts of complex numbers lie side by side: twice the lanes, and twice each bit of the mask. */
static LLVMTypeRef memory_type(const hdi_emit *e, hd_dtype dt)
{
    LLVMTypeRef type = hdi_emit_memory_type(e, dt);
    return hdi_chain_kind(dt) == 'c' ? hdi_lanes(b_element(type), 2 * e->lanes) : type;
}

static value memory_mask(hdi_emit *e, hd_dtype dt, value mask)
{
    return hdi_chain_kind(dt) == 'c' ? hdi_interleave(e, mask, mask) : mask;
}

static hdi_value split_parts(loop *l, value x)
{
    int re[64], im[64];
    for (int j = 0; j < l->e.lanes; j++) {
        re[j] = 2 * l->order[j];
        im[j] = re[j] + 1;
    }
    return (hdi_value){hdi_shuffle_by(&l->e, x, NULL, re, l->e.lanes),
                       hdi_shuffle_by(&l->e, x, NULL, im, l->e.lanes)};
}

static value join_parts(loop *l, hdi_value v)
{
    int at[128];
    for (int j = 0; j < l->e.lanes; j++) {
        at[2 * l->order[j]] = j;
        at[2 * l->order[j] + 1] = l->e.lanes + j;
    }
    return hdi_shuffle_by(&l->e, v.re, v.im, at, 2 * l->e.lanes);
}

/* Lanes beyond the end are 1: no function or division is slow at 1, and none raises anything. */
static value load_elements(loop *l, hd_dtype dt, value from, value mask)
{
    hdi_emit *e = &l->e;
    LLVMTypeRef type = memory_type(e, dt);
    if (mask == NULL) {
        value x = LLVMBuildLoad2(e->build, type, from, "");
        LLVMSetAlignment(x, 1);
        return x;
    }
    value align = LLVMConstInt(LLVMInt32TypeInContext(e->context), 1, 0);
    value ones = b_is_real(type) ? hdi_real(type, 1.0) : hdi_whole(type, 1);
    value args[4] = {from, align, memory_mask(e, dt, mask), ones};
    return call_masked(l, "llvm.masked.load", type, 4, args);
}

/* The lane that holds element k of a vector. */
static int lane_of(const loop *l, int k)
{
    int lane = 0;
    while (l->order[lane] != k)
        lane++;
    return lane;
}

static value insert_element(hdi_emit *e, value vector, LLVMTypeRef type, value from, value lane)
{
    value x = LLVMBuildLoad2(e->build, type, from, "");
    LLVMSetAlignment(x, 1);
    return LLVMBuildInsertElement(e->build, vector, x, lane, "");
}

/* One element after the other. Lanes beyond the end hold the block's first element again. */
static hdi_value load_strided(loop *l, int operand, hd_dtype dt, value index, value mask)
{
    hdi_emit *e = &l->e;
    LLVMTypeRef type = hdi_emit_memory_type(e, dt), element = b_element(type);
    LLVMTypeRef byte = LLVMInt8TypeInContext(e->context);
    bool is_complex = hdi_chain_kind(dt) == 'c';
    value stride = l->stride[operand], offset = b_mul(e, index, stride), part = b_i64(e, 1);
    value first = LLVMBuildGEP2(e->build, byte, l->address[operand], &offset, 1, "");
    hdi_value v = {LLVMGetPoison(type), is_complex ? LLVMGetPoison(type) : NULL};
    for (int k = 0; k < e->lanes; k++) {
        value lane = b_i64(e, k), from = first;
        if (mask != NULL && k > 0) {
            value active = LLVMBuildExtractElement(e->build, mask, lane, "");
            offset = LLVMBuildSelect(e->build, active, b_mul(e, stride, lane), b_i64(e, 0), "");
            from = LLVMBuildGEP2(e->build, byte, first, &offset, 1, "");
        }
        lane = b_i64(e, lane_of(l, k));
        v.re = insert_element(e, v.re, element, from, lane);
        if (is_complex)
            v.im = insert_element(e, v.im, element,
                                  LLVMBuildGEP2(e->build, element, from, &part, 1, ""), lane);
        if (mask == NULL)
            first = LLVMBuildGEP2(e->build, byte, first, &stride, 1, "");
    }
    return v;
}

hdi_value hdi_chain_load(loop *l, int operand, hd_dtype dt, value index, value mask)
{
    hdi_emit *e = &l->e;
    if (operand < l->c->nin && l->c->in_strided[operand]) {
        hdi_value v = load_strided(l, operand, dt, index, mask);
        if (hdi_chain_kind(dt) == 'b')
            v.re = hdi_emit_cast(e, v.re, HD_UINT8, dt);
        return v;
    }
    value x = load_elements(l, dt, hdi_chain_address(l, operand, dt, index), mask);
    if (hdi_chain_kind(dt) == 'c')
        return split_parts(l, x);
    return (hdi_value){hdi_chain_kind(dt) == 'b' ? hdi_emit_cast(e, x, HD_UINT8, dt) : x, NULL};
}

void hdi_chain_store(loop *l, int operand, hd_dtype dt, hdi_value v, value index, value mask)
{
    hdi_emit *e = &l->e;
    LLVMTypeRef type = memory_type(e, dt);
    value to = hdi_chain_address(l, operand, dt, index);
    value x = hdi_chain_kind(dt) == 'b'   ? hdi_emit_cast(e, v.re, dt, HD_UINT8)
              : hdi_chain_kind(dt) == 'c' ? join_parts(l, v)
                                          : v.re;
    if (mask == NULL) {
        LLVMSetAlignment(LLVMBuildStore(e->build, x, to), 1);
        return;
    }
    value align = LLVMConstInt(LLVMInt32TypeInContext(e->context), 1, 0);
    value args[4] = {x, to, align, memory_mask(e, dt, mask)};
    call_masked(l, "llvm.masked.store", type, 4, args);
}

hdi_value hdi_chain_single(loop *l, int operand, hd_dtype dt, value index)
{
    hdi_emit *e = &l->e;
    LLVMTypeRef type = hdi_emit_memory_type(e, dt), element = b_element(type);
    hdi_value v = {NULL, NULL};
    value whole = hdi_chain_address(l, operand, dt, index);
    for (int part = 0; part < (hdi_chain_kind(dt) == 'c' ? 2 : 1); part++) {
        value at = b_i64(e, part);
        value from = LLVMBuildGEP2(e->build, element, whole, &at, 1, "");
        value x = LLVMBuildLoad2(e->build, element, from, "");
        LLVMSetAlignment(x, 1);
        *(part == 0 ? &v.re : &v.im) = hdi_fill(e, type, x);
    }
    if (hdi_chain_kind(dt) == 'b')
        v.re = hdi_emit_cast(e, v.re, HD_UINT8, dt);
    return v;
}
