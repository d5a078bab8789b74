/* SPDX-License-Identifier: BSD-3-Clause */
/* llvm_grid_ends.c - the last group of a line, of which only the first lanes are there. The others
 * stand where the last one that is there stands: they read it, and write what it writes. */
#include "codegen/llvm_grid.h"

typedef hdi_grid_emit emit;

static value lane_number(emit *e, int lane, value last)
{
    return hdi_grid_min(e, hdi_grid_number(e, lane), last);
}

static value last_of(emit *e, value there)
{
    return LLVMBuildSub(e->e.build, there, hdi_grid_number(e, 1), "");
}

static value lane_address(emit *e, hd_dtype dt, value from, int lane, value last)
{
    LLVMTypeRef byte = LLVMInt8TypeInContext(e->e.context);
    if (lane == 0)
        return from;
    value by = LLVMBuildMul(e->e.build, lane_number(e, lane, last),
                            hdi_grid_number(e, hdi_chain_size(dt)), "");
    return LLVMBuildGEP2(e->e.build, byte, from, &by, 1, "");
}

value hdi_grid_load_part(emit *e, hd_dtype dt, value from, value there)
{
    LLVMBuilderRef b = e->e.build;
    int lanes = e->e.lanes;
    value x = LLVMGetUndef(hdi_grid_memory_type(e, dt, lanes)), last = last_of(e, there);
    for (int lane = 0; lane < lanes; lane++) {
        value y = hdi_grid_load_some(e, dt, lane_address(e, dt, from, lane, last), 1);
        int parts = b_count(LLVMTypeOf(y));
        for (int k = 0; k < parts; k++) {
            value part = LLVMBuildExtractElement(b, y, hdi_grid_i32(e, k), "");
            x = LLVMBuildInsertElement(b, x, part, hdi_grid_i32(e, lane * parts + k), "");
        }
    }
    return x;
}

void hdi_grid_store_part(emit *e, hd_dtype dt, hdi_value v, value to, value there)
{
    LLVMBuilderRef b = e->e.build;
    int lanes = e->e.lanes;
    value x = hdi_grid_to_memory(e, v, dt), last = last_of(e, there), y = NULL;
    int parts = b_count(LLVMTypeOf(x)) / lanes;
    for (int lane = 0; lane < lanes; lane++) {
        value here = hdi_shuffle(&e->e, x, lane * parts, 1, parts);
        if (lane > 0) {
            value is_there = LLVMBuildICmp(b, LLVMIntSLE, hdi_grid_number(e, lane), last, "");
            here = LLVMBuildSelect(b, is_there, here, y, "");
        }
        y = here;
        hdi_grid_store_some(e, dt, y, lane_address(e, dt, to, lane, last), 1);
    }
}
