/* SPDX-License-Identifier: BSD-3-Clause */
/* llvm_grid_held.c - a value that several phases of a row need, in shared memory. A thread finds
 * there what it put there itself, so nobody waits. */
#include "codegen/llvm_grid.h"

typedef hdi_grid_emit emit;

void hdi_grid_held_in(emit *e, int phase)
{
    int first = e->g->held == 0 ? phase : hdi_grid_first_need(e->k, e->g->held - 1);
    e->held = e->g->held == 0 || phase < first ? HDI_NOT_HELD
              : phase == first                 ? HDI_HELD
                                               : HDI_RECALLED;
}

static LLVMTypeRef type_of(const emit *e)
{
    return hdi_emit_type(&e->e, (hd_dtype)e->k->inst[e->g->held - 1].dt);
}

/* Rows of a block one after the other, groups as in the row: neighbouring threads, neighbouring
 * places. */
static value place_of(emit *e, int u)
{
    LLVMBuilderRef b = e->e.build;
    const int rows = e->g->threads / e->g->across;
    value n = e->group[u], area = hdi_grid_shared(e, "held", e->g->held_bytes);
    if (rows > 1) {
        value row = LLVMBuildUDiv(b, e->thread, hdi_grid_number(e, e->g->across), "");
        value before = LLVMBuildMul(b, row, hdi_grid_count(e, HDI_WORD_GROUPS), "");
        n = LLVMBuildAdd(b, n, before, "");
    }
    return LLVMBuildGEP2(b, type_of(e), area, &n, 1, "");
}

static unsigned alignment(const emit *e)
{
    const int bytes = e->e.lanes * hdi_chain_size(e->k->inst[e->g->held - 1].dt);
    return bytes < 16 ? (unsigned)bytes : 16;
}

void hdi_grid_hold(emit *e, int u)
{
    value x = e->v[u][e->g->held - 1].re;
    LLVMSetAlignment(LLVMBuildStore(e->e.build, x, place_of(e, u)), alignment(e));
}

hdi_value hdi_grid_recall(emit *e, int u)
{
    value x = LLVMBuildLoad2(e->e.build, type_of(e), place_of(e, u), "");
    LLVMSetAlignment(x, alignment(e));
    return (hdi_value){x, NULL};
}
