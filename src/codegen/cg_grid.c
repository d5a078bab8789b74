/* SPDX-License-Identifier: BSD-3-Clause */
/* cg_grid.c - what a phase computes: the same whether it is compiled or interpreted. */
#include "codegen/cg_grid.h"

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

void hdi_grid_needs(const hdi_kernel *k, int phase, bool *need)
{
    memset(need, 0, sizeof *need * k->ninst);
    for (int i = k->ninst - 1; i >= 0; i--) {
        const hdi_kinst *inst = &k->inst[i];
        uint16_t value[HDI_GRID_USES];
        need[i] = inst->kind == KIR_REDUCE ? inst->phase == phase
                  : hdi_grid_stores(inst)
                      ? inst->level == KIR_FULL && phase == k->nphases - 1
                      : inst->level == KIR_FULL && need[i];
        int n = need[i] ? hdi_grid_uses(k, i, value) : 0;
        for (int a = 0; a < n; a++)
            need[value[a]] |= k->inst[value[a]].level == KIR_FULL;
    }
}
