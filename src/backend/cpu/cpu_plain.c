/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_plain.c - the short way for launches that need nothing special: no reductions, every
 * operand dense in C order (or one element for all), every result computed in memory.
 * Interactive programs consist of them, so what they cost over ten elements matters: no views,
 * no spaces, only addresses put into registers. */
#include "backend/cpu/cpu_exec.h"

static bool all_zero(const int64_t *strides, int nd)
{
    for (int a = 0; a < nd; a++)
        if (strides[a] != 0)
            return false;
    return true;
}

static bool overlap(const hdi_launch *l, const hdi_cpu_operand *a, const hdi_cpu_operand *b)
{
    const uint8_t *p = l->args[a->slot].ptr, *q = l->args[b->slot].ptr;
    return p < q + (l->size << b->lsize) && q < p + (l->size << a->lsize);
}

/* No store meets another one, or a load that is still read when the store's value is made. */
static bool no_conflict(const hdi_cpu_program *p, const hdi_launch *l)
{
    for (int i = 0; i < p->nstores; i++) {
        for (int k = 0; k < p->nloads; k++)
            if (p->loads[k].until > p->stores[i].until && l->args[p->loads[k].slot].linear &&
                overlap(l, &p->stores[i], &p->loads[k]))
                return false;
        for (int k = 0; k < i; k++)
            if (overlap(l, &p->stores[i], &p->stores[k]))
                return false;
    }
    return true;
}

int hdi_cpu_plain_fixed(const hdi_cpu_program *p, const hdi_launch *l)
{
    int fixed = 0;
    if (!p->plain)
        return -1;
    for (int i = 0; i < p->nstores; i++)
        if (!l->args[p->stores[i].slot].linear ||
            l->size << p->stores[i].lsize > hdi_cpu_stream_bytes())
            return -1;
    for (int i = 0; i < p->nloads; i++) {
        const hdi_arg *arg = &l->args[p->loads[i].slot];
        if (arg->linear)
            continue;
        if (!all_zero(arg->strides, l->nd))
            return -1;
        fixed++;
    }
    return p->alias_safe || no_conflict(p, l) ? fixed : -1;
}

/* A thread's registers, but for what moves from block to block. NULL: no memory. */
static void **open_registers(const hdi_cpu_program *p, const hdi_launch *l, int fixed, int64_t n)
{
    int64_t bytes = ((int64_t)sizeof(void *) * p->nregs + 63) & -(int64_t)64;
    uint8_t *memory = hdi_cpu_scratch(bytes + (p->nbuffers + fixed) * p->buffer_bytes);
    void **reg = (void **)(void *)memory;
    if (memory == NULL)
        return NULL;
    memory += bytes;
    for (int i = 0; i < p->nshared; i++)
        reg[p->shared[i]] = memory + p->home[p->shared[i]] * p->buffer_bytes;
    for (int i = 0; i < p->nscalars; i++) {
        const hdi_cpu_scalar *s = &p->scalars[i];
        const void *element = l->args[s->slot].scalar;
        reg[s->reg] = (void *)(uintptr_t)element;
        if (s->fill != HDI_CPU_NONE) {
            reg[s->fill] = memory + p->home[s->fill] * p->buffer_bytes;
            p->loops->fill[s->lsize](reg[s->fill], element, n);
        }
    }
    memory += p->nbuffers * p->buffer_bytes;
    for (int i = 0; fixed > 0; i++) {
        const hdi_arg *arg = &l->args[p->loads[i].slot];
        if (arg->linear)
            continue;
        p->loops->fill[p->loads[i].lsize](memory, arg->ptr, n);
        reg[p->loads[i].reg] = memory;
        memory += p->buffer_bytes;
        fixed--;
    }
    return reg;
}

bool hdi_cpu_plain_range(const hdi_cpu_program *p, const hdi_launch *l, int fixed, int64_t block,
                         int64_t start, int64_t end)
{
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    if (p->whole && fixed == 0 && block == p->block)   /* smaller: memory is the limit */
        block = end - start;
    void **reg = open_registers(p, l, fixed, hdi_min64(block, end - start));
    for (int64_t n; reg != NULL && start < end; start += n) {
        n = hdi_min64(block, end - start);
        for (int i = 0; i < p->nloads; i++)
            if (l->args[p->loads[i].slot].linear)
                reg[p->loads[i].reg] = l->args[p->loads[i].slot].ptr + (start << p->loads[i].lsize);
        for (int i = 0; i < p->nstores; i++)
            reg[p->stores[i].reg] = l->args[p->stores[i].slot].ptr + (start << p->stores[i].lsize);
        for (const hdi_cpu_step *s = p->compute; s < p->compute + p->ncompute; s++)
            hdi_cpu_compute(p, s, reg, n);
    }
    hdi_cpu_scratch_release(mark);
    return reg != NULL;
}
