/* SPDX-License-Identifier: BSD-3-Clause */
/* cg_grid.c - what a phase computes: the same whether it is compiled or interpreted. */
#include "codegen/cg_grid.h"

#include "codegen/cg_chain.h"

#include <string.h>

int hdi_grid_uses(const hdi_kernel *k, int i, uint16_t *value)
{
    const hdi_kinst *inst = &k->inst[i];
    int n = inst->narg;
    memcpy(value, inst->arg, sizeof *value * (size_t)n);
    if (hdi_grid_has_offset(k, i))
        value[n++] = (uint16_t)(k->slots[inst->slot].by - 1);
    return n;
}

void hdi_grid_needs(const hdi_kernel *k, int phase, int known, bool *need)
{
    memset(need, 0, sizeof *need * k->ninst);
    for (int i = k->ninst - 1; i >= 0; i--) {
        const hdi_kinst *inst = &k->inst[i];
        uint16_t value[HDI_GRID_USES];
        need[i] = inst->kind == KIR_REDUCE ? inst->phase == phase
                  : hdi_grid_stores(inst)
                      ? inst->level == KIR_FULL && phase == k->nphases - 1
                      : inst->level == KIR_FULL && need[i];
        int n = need[i] && i != known ? hdi_grid_uses(k, i, value) : 0;
        for (int a = 0; a < n; a++)
            need[value[a]] |= k->inst[value[a]].level == KIR_FULL;
    }
}

int hdi_grid_first_need(const hdi_kernel *k, int i)
{
    bool need[HDI_KERNEL_MAX_INSTS];
    int phase = 0;
    for (; phase < k->nphases; phase++) {
        hdi_grid_needs(k, phase, -1, need);
        if (need[i])
            break;
    }
    return phase;
}

static bool costs_much(const hdi_kinst *inst)
{
    return inst->kind == KIR_EW && inst->level == KIR_FULL &&
           (inst->dt == HD_FLOAT32 || inst->dt == HD_FLOAT64) && inst->cdt == inst->dt &&
           !hdi_chain_plain((hd_op)inst->op, (hd_dtype)inst->cdt);
}

/* Of several the one that comes last, which stands for more of the work before it. */
int hdi_grid_held_value(const hdi_kernel *k)
{
    bool need[HDI_KERNEL_MAX_INSTS];
    uint8_t phases[HDI_KERNEL_MAX_INSTS] = {0};
    for (int phase = 0; phase < k->nphases; phase++) {
        hdi_grid_needs(k, phase, -1, need);
        for (int i = 0; i < k->ninst; i++)
            phases[i] = (uint8_t)(phases[i] + need[i]);
    }
    int held = k->ninst - 1;
    while (held >= 0 && !(phases[held] > 1 && costs_much(&k->inst[held])))
        held--;
    return held;
}
