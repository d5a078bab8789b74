/* SPDX-License-Identifier: BSD-3-Clause */
/* ptx_memory.c - loads, stores, atomic operations; each looks whether there is memory. */
#include <string.h>

#include "ptx_code.h"

static uint8_t *within(uint8_t *from, uint64_t size, uint64_t at, uint64_t bytes)
{
    return from != NULL && at <= size && bytes <= size - at ? from + at : NULL;
}

static bool holds(ptx_range r, uint64_t address, uint64_t bytes)
{
    return address >= r.from && address <= r.to && bytes <= r.to - address;
}

/* Blocks found before, the module's own variables, blocks of the device. */
static uint8_t *global(ptx_grid *g, uint64_t address, uint64_t bytes)
{
    enum { SEEN = sizeof g->seen / sizeof *g->seen };
    for (int k = 0; k < SEEN; k++)
        if (holds(g->seen[k], address, bytes))
            return g->seen[k].bytes + (address - g->seen[k].from);
    for (int k = 0; k < g->module->nglobals; k++)
        if (holds(g->module->global[k].range, address, bytes))
            return g->module->global[k].bytes + (address - g->module->global[k].range.from);
    ptx_range found = g->launch->find(address);
    if (found.from == found.to || !holds(found, address, bytes))
        return NULL;
    g->seen[g->next_seen++ % SEEN] = found;
    return found.bytes + (address - found.from);
}

static uint8_t *parameter(ptx_thread *t, uint64_t at, uint64_t bytes)
{
    const ptx_function *f = t->now.f;
    return at >= PTX_OUT ? within(t->now.out, (uint64_t)f->out_bytes, at - PTX_OUT, bytes)
                         : within(t->now.in, (uint64_t)f->in_bytes, at, bytes);
}

/* A function names its local memory from its frame on. As a generic address it is told from where
 * the thread's frames begin, so that those it calls can be handed it. */
static uint8_t *local(ptx_thread *t, uint64_t at, uint64_t bytes, bool generic)
{
    uint64_t size = (uint64_t)t->now.f->local_bytes;
    return generic ? within(t->bytes, (uint64_t)(t->now.local - t->bytes) + size, at, bytes)
                   : within(t->now.local, size, at, bytes);
}

static uint8_t *shared(const ptx_grid *g, uint64_t at, uint64_t bytes)
{
    return at < PTX_DYNAMIC ? within(g->shared, (uint64_t)g->module->shared_bytes, at, bytes)
                            : within(g->shared + g->dynamic_at, g->launch->shared_bytes,
                                     at - PTX_DYNAMIC, bytes);
}

/* The memory that an instruction means; NULL after an error. */
static uint8_t *memory(ptx_thread *t, const ptx_ins *i)
{
    uint64_t bytes = (uint64_t)i->lanes * i->type.bits / 8, at = ptx_read(t, i->s[0]).u64;
    unsigned space = i->space;
    if (space == PTX_SHARED)
        at = (uint32_t)at;
    at += (uint64_t)i->offset;
    if (space == PTX_GENERIC) {
        space = (unsigned)(at >> 60) > PTX_GLOBAL ? (unsigned)(at >> 60) : PTX_GLOBAL;
        at -= space == PTX_GLOBAL ? 0 : PTX_WINDOW(space);
    }
    ptx_grid *g = t->grid;
    uint8_t *p = space == PTX_GLOBAL   ? global(g, at, bytes)
                 : space == PTX_SHARED ? shared(g, at, bytes)
                 : space == PTX_LOCAL  ? local(t, at, bytes, i->space == PTX_GENERIC)
                 : space == PTX_PARAM  ? parameter(t, at, bytes) : NULL;
    if (p == NULL)
        ptx_fail(t, i, PTX_ILLEGAL_ADDRESS, "%d bytes at 0x%llx are not there", (int)bytes,
                 (unsigned long long)at);
    else if (at % bytes != 0)
        ptx_fail(t, i, PTX_MISALIGNED, "0x%llx is not a multiple of %d", (unsigned long long)at,
                 (int)bytes);
    return t->state == PTX_FAILED ? NULL : p;
}

void ptx_ld(ptx_thread *t, const ptx_ins *i)
{
    const uint8_t *p = memory(t, i);
    size_t bytes = i->type.bits / 8;
    for (int k = 0; k < i->lanes && p != NULL; k++) {
        uint64_t v = 0;
        memcpy(&v, p + (size_t)k * bytes, bytes);
        t->now.r[i->d[k]].u64 = ptx_extend(v, i->type);
    }
}

void ptx_st(ptx_thread *t, const ptx_ins *i)
{
    uint8_t *p = memory(t, i);
    size_t bytes = i->type.bits / 8;
    for (int k = 0; k < i->lanes && p != NULL; k++) {
        uint64_t v = i->d[k] >= 0 ? t->now.r[i->d[k]].u64 : t->now.f->constant[~i->d[k]].u64;
        memcpy(p + (size_t)k * bytes, &v, bytes);
    }
}

void ptx_cvta(ptx_thread *t, const ptx_ins *i)
{
    uint64_t window = i->space == PTX_GLOBAL ? 0 : PTX_WINDOW(i->space);
    if (i->space == PTX_LOCAL)
        window += (uint64_t)(t->now.local - t->bytes);
    uint64_t at = ptx_read(t, i->s[0]).u64;
    t->now.r[i->d[0]].u64 = i->word[0] == W_to ? at - window : at + window;
}

static uint64_t real_sum(ptx_type type, ptx_slot x, ptx_slot y)
{
    if (type.bits == 32)
        x.f32 += y.f32;
    else
        x.f64 += y.f64;
    return x.u64;
}

static uint64_t changed(ptx_thread *t, const ptx_ins *i, uint64_t old, ptx_slot b, ptx_slot c)
{
    uint64_t x = ptx_extend(b.u64, i->type);
    bool less = i->type.kind == 's' ? (int64_t)x < (int64_t)old : x < old;
    if (i->type.kind == 'f' && (i->word[0] != W_add || i->type.bits < 32))
        ptx_unknown(t, i);
    switch ((ptx_word)i->word[0]) {
    case W_add: return i->type.kind == 'f' ? real_sum(i->type, (ptx_slot){old}, b) : old + x;
    case W_min: return less ? x : old;
    case W_max: return less ? old : x;
    case W_and: return old & x;
    case W_or: return old | x;
    case W_xor: return old ^ x;
    case W_exch: return x;
    case W_cas: return old == x ? c.u64 : old;
    case W_inc: return old >= x ? 0 : old + 1;
    case W_dec: return old == 0 || old > x ? x : old - 1;
    default: ptx_unknown(t, i); return old;
    }
}

/* One thread at a time runs, so that each operation is atomic. */
void ptx_atom(ptx_thread *t, const ptx_ins *i)
{
    uint8_t *p = memory(t, i);
    size_t bytes = i->type.bits / 8;
    uint64_t old = 0;
    if (p == NULL)
        return;
    memcpy(&old, p, bytes);
    old = ptx_extend(old, i->type);
    uint64_t now = changed(t, i, old, ptx_read(t, i->s[1]), ptx_read(t, i->s[2]));
    memcpy(p, &now, bytes);
    t->now.r[i->d[0]].u64 = old;
}
