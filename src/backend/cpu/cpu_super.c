/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_super.c - finds pairs of operations that one loop can do: the value between them then
 * never leaves the processor's registers. A pair gives the same bits as its two operations:
 * superinstructions round twice. */
#include "backend/cpu/cpu_program.h"

/* First and second operation of each pattern; `square` counts as a product of x with itself. */
static const struct pattern { uint16_t first, second;
} patterns[HDI_SUPER_COUNT] = {
    [HDI_SUPER_MUL_ADD] = {HD_OP_multiply, HD_OP_add},
    [HDI_SUPER_MUL_SUB] = {HD_OP_multiply, HD_OP_subtract},
    [HDI_SUPER_SUB_MUL] = {HD_OP_subtract, HD_OP_multiply},
    [HDI_SUPER_ADD_MUL] = {HD_OP_add, HD_OP_multiply},
    [HDI_SUPER_ADD_ADD] = {HD_OP_add, HD_OP_add},
    [HDI_SUPER_MUL_MUL] = {HD_OP_multiply, HD_OP_multiply},
};

static int find_pattern(const hdi_kinst *f, const hdi_kinst *g)
{
    uint16_t first = f->op == HD_OP_square ? HD_OP_multiply : f->op;
    for (int p = 0; p < HDI_SUPER_COUNT; p++)
        if (patterns[p].first == first && patterns[p].second == g->op)
            return p;
    return -1;
}

/* May g's argument number a (the value of f, used nowhere else) be computed inside g? */
static int try_argument(const hdi_kernel *k, int g, int a, const uint16_t *uses,
                        const hdi_cpu_super *super)
{
    const hdi_kinst *second = &k->inst[g], *first = &k->inst[second->arg[a]];
    bool commutes = second->op == HD_OP_add || second->op == HD_OP_multiply;
    if (first->kind != KIR_EW || uses[second->arg[a]] != 1 || super[second->arg[a]].pattern >= 0)
        return -1;
    if (first->cdt != second->cdt || first->level != second->level ||
        first->phase != second->phase || (a == 1 && !commutes))
        return -1;
    return find_pattern(first, second);
}

void hdi_cpu_find_supers(const hdi_kernel *k, const hdi_loops *loops, hdi_cpu_super *super,
                         bool *absorbed)
{
    uint16_t uses[HDI_KERNEL_MAX_INSTS] = {0};
    for (int i = 0; i < k->ninst; i++) {
        super[i].pattern = -1;
        absorbed[i] = false;
        for (int a = 0; a < k->inst[i].narg; a++)
            uses[k->inst[i].arg[a]]++;
    }
    for (int g = 0; g < k->ninst; g++) {
        const hdi_kinst *second = &k->inst[g];
        if (second->kind != KIR_EW || second->narg != 2 ||
            (second->cdt != HD_FLOAT32 && second->cdt != HD_FLOAT64))
            continue;
        for (int a = 0; a < 2 && super[g].pattern < 0; a++) {
            int p = try_argument(k, g, a, uses, super);
            if (p < 0 || loops->super[p][second->cdt == HD_FLOAT64][0] == NULL)
                continue;
            const hdi_kinst *first = &k->inst[second->arg[a]];
            super[g] = (hdi_cpu_super){
                (int8_t)p, {first->arg[0], first->arg[first->narg - 1], second->arg[1 - a]}};
            absorbed[second->arg[a]] = true;
        }
    }
}
