/* SPDX-License-Identifier: BSD-3-Clause */
/* kernel_ir.c - is a kernel legal, and are two the same? */
#include "fuse/kernel_ir.h"

#include "base/hash.h"

static hd_status bad(int i, const char *what)
{
    return hdi_fail(HD_INTERNAL, "kernel instruction %d: %s", i, what);
}

static bool has_value(int kind)
{
    return kind < KIR_STORE || kind == KIR_GET || kind == KIR_SCAN;
}

static hd_status check_argument(const hdi_kernel *k, int i, int a)
{
    const hdi_kinst *inst = &k->inst[i];
    if (inst->arg[a] >= i)
        return bad(i, "argument comes later");
    const hdi_kinst *from = &k->inst[inst->arg[a]];
    bool names = (inst->kind == KIR_GET || inst->kind == KIR_SET) && a == 0;
    if (names ? from->kind != KIR_LOCAL : !has_value(from->kind))
        return bad(i, names ? "is of no variable" : "argument has no value");
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

/* ---- flow ------------------------------------------------------------------------------------ */

/* The regions around an instruction, by the instructions that opened them, and the variables there
 * are. */
typedef struct regions {
    int depth, nlocals;
    struct { int opened, nlocals; bool is_loop, has_else; } at[HDI_KERNEL_DEPTH];
    int region[HDI_KERNEL_MAX_INSTS];    /* which an instruction is in: opened by; -1: none */
} regions;

static hd_status open_region(const hdi_kernel *k, regions *r, int i)
{
    if (r->depth == HDI_KERNEL_DEPTH)
        return bad(i, "regions are too deep");
    r->at[r->depth].opened = i;
    r->at[r->depth].nlocals = r->nlocals;
    r->at[r->depth].has_else = false;
    r->at[r->depth++].is_loop = k->inst[i].kind == KIR_LOOP;
    return HD_OK;
}

static hd_status close_region(const hdi_kernel *k, regions *r, int i)
{
    int kind = k->inst[i].kind;
    if (r->depth == 0 || r->at[r->depth - 1].is_loop != (kind == KIR_END_LOOP))
        return bad(i, "closes no region of its kind");
    r->nlocals = r->at[r->depth - 1].nlocals;
    if (kind != KIR_ELSE) {
        r->depth--;
        return HD_OK;
    }
    if (r->at[r->depth - 1].has_else)
        return bad(i, "is a second ELSE");
    r->at[r->depth - 1].has_else = true;
    r->at[r->depth - 1].opened = i;      /* what was defined before it is behind us */
    return HD_OK;
}

static bool in_loop(const regions *r)
{
    for (int d = 0; d < r->depth; d++)
        if (r->at[d].is_loop)
            return true;
    return false;
}

/* Is what stands in region `from` in sight? */
static bool in_sight(const regions *r, int from)
{
    bool found = from < 0;
    for (int d = 0; d < r->depth; d++)
        found |= r->at[d].opened == from;
    return found;
}

static hd_status check_region(const hdi_kernel *k, const regions *r, int i)
{
    const hdi_kinst *inst = &k->inst[i];
    if (r->depth == 0)
        return HD_OK;
    const hdi_kinst *open = &k->inst[r->at[r->depth - 1].opened];
    if (inst->kind == KIR_STORE || inst->kind == KIR_REDUCE)
        return bad(i, "a region has no stores and no reductions");
    bool anywhere = inst->kind == KIR_SCALAR || inst->kind == KIR_LOAD ||
                    inst->kind == KIR_INDEX;
    if (!anywhere && (inst->level != open->level || inst->phase != open->phase))
        return bad(i, "a region has one level and one phase");
    for (int a = 0; a < inst->narg; a++)
        if (!in_sight(r, r->region[inst->arg[a]]))
            return bad(i, "argument belongs to a region that is over");
    return HD_OK;
}

static hd_status check_types(const hdi_kernel *k, regions *r, int i)
{
    const hdi_kinst *inst = &k->inst[i];
    const hdi_kinst *x = inst->narg > 0 ? &k->inst[inst->arg[0]] : NULL;
    switch (inst->kind) {
    case KIR_IF:
    case KIR_BREAK:
        if (x == NULL ? inst->kind == KIR_IF : x->dt != HD_BOOL)
            return bad(i, "wants a bool");
        return inst->kind == KIR_IF || in_loop(r) ? HD_OK : bad(i, "leaves no loop");
    case KIR_LOCAL:
        if (inst->narg != 1 || x->dt != inst->dt)
            return bad(i, "begins as a value of another type");
        return ++r->nlocals <= HDI_KERNEL_LOCALS ? HD_OK : bad(i, "is a variable too many");
    case KIR_GET:
        return inst->narg == 1 && x->dt == inst->dt ? HD_OK : bad(i, "is of another type");
    case KIR_SET:
        return inst->narg == 2 && k->inst[inst->arg[1]].dt == x->dt
                   ? HD_OK
                   : bad(i, "makes a variable a value of another type");
    default:
        return HD_OK;
    }
}

static hd_status check_flow(const hdi_kernel *k, regions *r, int i)
{
    int kind = k->inst[i].kind;
    hd_status status = HD_OK;
    if (kind == KIR_ELSE || kind == KIR_END_IF || kind == KIR_END_LOOP)
        status = close_region(k, r, i);
    r->region[i] = r->depth > 0 ? r->at[r->depth - 1].opened : -1;
    if (status == HD_OK)
        status = check_region(k, r, i);
    if (status == HD_OK)
        status = check_types(k, r, i);
    if (status == HD_OK && (kind == KIR_IF || kind == KIR_LOOP))
        status = open_region(k, r, i);
    return status;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static hd_status check_instruction(const hdi_kernel *k, int i)
{
    const hdi_kinst *inst = &k->inst[i];
    bool uses_slot = inst->kind <= KIR_INDEX || inst->kind == KIR_STORE;
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
    return HD_OK;
}

hd_status hdi_kernel_verify(const hdi_kernel *k)
{
    regions r = {.depth = 0};
    for (int i = 0; i < k->ninst; i++) {
        hd_status status = check_instruction(k, i);
        if (status == HD_OK)
            status = check_flow(k, &r, i);
        if (status != HD_OK)
            return status;
    }
    return r.depth == 0 ? HD_OK : bad(k->ninst, "a region has no end");
}

uint64_t hdi_kernel_hash(const hdi_kernel *k)
{
    uint64_t h = hdi_mix((uint64_t)k->cls | (uint64_t)k->nphases << 8 | (uint64_t)k->pieces << 16 |
                             (uint64_t)k->some_empty << 24 | (uint64_t)k->odd_places << 25,
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
        a->nslots != b->nslots || a->pieces != b->pieces ||
        a->some_empty != b->some_empty || a->odd_places != b->odd_places)
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
