/* SPDX-License-Identifier: BSD-3-Clause */
/* kernel_ir.c - is a kernel legal, and are two the same? */
#include "fuse/kernel_ir.h"

#include "base/hash.h"

static hd_status bad(int i, const char *what)
{
    return hdi_fail(HD_INTERNAL, "kernel instruction %d: %s", i, what);
}

static hd_status check_argument(const hdi_kernel *k, int i, int a)
{
    const hdi_kinst *inst = &k->inst[i];
    if (inst->arg[a] >= i)
        return bad(i, "argument comes later");
    const hdi_kinst *from = &k->inst[inst->arg[a]];
    if (from->kind == KIR_STORE)
        return bad(i, "argument has no value");
    if (from->phase > inst->phase)
        return bad(i, "argument belongs to a later phase");
    bool full_input = inst->level == KIR_FULL || inst->kind == KIR_REDUCE;
    if (full_input && from->level == KIR_ROW && from->phase == inst->phase &&
        from->kind != KIR_SCALAR)
        return bad(i, "a full value needs a row value of its own phase");
    if (!full_input && from->level == KIR_FULL)
        return bad(i, "a row value needs a full value");
    return HD_OK;
}

hd_status hdi_kernel_verify(const hdi_kernel *k)
{
    for (int i = 0; i < k->ninst; i++) {
        const hdi_kinst *inst = &k->inst[i];
        bool uses_slot = inst->kind <= KIR_INDEX || inst->kind == KIR_STORE;
        if (inst->kind > KIR_STORE)
            continue;
        if (uses_slot && inst->slot >= k->nslots)
            return bad(i, "no such operand");
        if (inst->phase >= k->nphases)
            return bad(i, "no such phase");
        if (inst->kind == KIR_STORE &&
            (!k->slots[inst->slot].write || k->slots[inst->slot].dt != inst->dt))
            return bad(i, "stores to an operand of another kind");
        for (int a = 0; a < inst->narg; a++) {
            hd_status status = check_argument(k, i, a);
            if (status != HD_OK)
                return status;
        }
    }
    return HD_OK;
}

uint64_t hdi_kernel_hash(const hdi_kernel *k)
{
    uint64_t h = hdi_mix((uint64_t)k->cls | (uint64_t)k->nphases << 8,
                         (uint64_t)k->ninst | (uint64_t)k->nslots << 32);
    for (int i = 0; i < k->ninst; i++) {
        uint64_t w[2];
        memcpy(w, &k->inst[i], sizeof w);
        h = hdi_mix(hdi_mix(h, w[0]), w[1]);
    }
    for (int s = 0; s < k->nslots; s++) {
        const hdi_kslot *p = &k->slots[s];
        h = hdi_mix(h, (uint64_t)p->kind | (uint64_t)p->dt << 8 | (uint64_t)p->level << 16 |
                           (uint64_t)p->write << 24 | (uint64_t)p->by << 32);
    }
    return h;
}

bool hdi_kernel_same(const hdi_kernel *a, const hdi_kernel *b)
{
    if (a->cls != b->cls || a->nphases != b->nphases || a->ninst != b->ninst ||
        a->nslots != b->nslots)
        return false;
    if (memcmp(a->inst, b->inst, sizeof *a->inst * a->ninst) != 0)
        return false;
    for (int s = 0; s < a->nslots; s++) {
        const hdi_kslot *p = &a->slots[s], *q = &b->slots[s];
        if (p->kind != q->kind || p->dt != q->dt || p->level != q->level ||
            p->write != q->write || p->by != q->by)
            return false;
    }
    return true;
}

_Static_assert(sizeof(hdi_kinst) == 16, "hashed as two words");
