/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_steps.c - from kernel IR to steps: order, registers, block buffers.
 *
 * Registers hold addresses. A block of a FULL value lives in a block buffer, reused as soon as
 * the value is dead, so that the blocks of a kernel stay in the first-level cache. Values that
 * are stored have a register of their own: at launch it may address the output's memory instead
 * of the buffer. Loads have one too, which addresses the operand in place or, if that is not
 * dense, a gathered copy. They take buffers from their own pool: mostly they need none. */
#include "backend/cpu/cpu_builder.h"

/* ---- order ----------------------------------------------------------------------------------- */

static void find_uses(hdi_cpu_builder *b)
{
    for (int i = 0; i < b->k->ninst; i++) {
        const hdi_kinst *inst = &b->k->inst[i];
        const uint16_t *args;
        if (b->absorbed[i])
            continue;
        for (int a = 0, n = hdi_cpu_arguments(b, i, &args); a < n; a++)
            if (hdi_cpu_runs_full(inst))
                b->full_uses[args[a]] |= (uint64_t)1 << inst->phase;
    }
}

enum { LOADS = 1, OTHERS = 2, REDUCTIONS = 4, STORES = 8 };

static int kind_of(const hdi_kinst *i)
{
    return hdi_cpu_is_load(i)       ? LOADS
           : i->kind == KIR_STORE  ? STORES
           : i->kind == KIR_REDUCE ? REDUCTIONS
                                   : OTHERS;
}

static void order_kinds(hdi_cpu_builder *b, int phase, bool full, int kinds)
{
    for (int i = 0; i < b->k->ninst; i++) {
        const hdi_kinst *inst = &b->k->inst[i];
        if (inst->phase != phase || hdi_cpu_runs_full(inst) != full || inst->kind == KIR_SCALAR ||
            b->absorbed[i] || !(kind_of(inst) & kinds))
            continue;
        b->event[++b->nevents] = (uint16_t)i;
        b->pos[i] = (uint16_t)b->nevents;
        if (b->chain_of[i] != HDI_CPU_NONE)
            for (int j = b->link[b->chain_of[i]].first; j < i; j++)
                if (b->chain_of[j] == b->chain_of[i])
                    b->pos[j] = b->pos[i];
    }
}

/* Steps run by phase, FULL before ROW, in the kernel's order. What an earlier phase loaded is
 * loaded again where it is used. */
static void order_section(hdi_cpu_builder *b, int phase, bool full)
{
    for (int i = 0; full && i < b->k->ninst; i++) {
        const hdi_kinst *inst = &b->k->inst[i];
        if (hdi_cpu_is_load(inst) && inst->level == KIR_FULL && inst->phase < phase &&
            (b->full_uses[i] >> phase & 1))
            b->event[++b->nevents] = (uint16_t)i;
    }
    /* A chain stands where its last operation did: loads go before it, what it feeds comes after.
     * (A reduction's value is of use only when the section is over.) */
    order_kinds(b, phase, full, b->chained ? LOADS : LOADS | OTHERS | REDUCTIONS | STORES);
    for (int kinds = OTHERS; b->chained && kinds <= STORES; kinds *= 2)
        order_kinds(b, phase, full, kinds);
}

static void find_last_uses(hdi_cpu_builder *b)
{
    for (int i = 0; i < b->k->ninst; i++) {
        const uint16_t *args;
        if (b->absorbed[i])
            continue;
        for (int a = 0, n = hdi_cpu_arguments(b, i, &args); a < n; a++)
            if (b->pos[i] > b->last[args[a]])
                b->last[args[a]] = b->pos[i];
    }
}

/* The first store of a value in its own phase (ROW: the only one) may let it be computed there. */
static void find_stores(hdi_cpu_builder *b)
{
    for (int i = b->k->ninst - 1; i >= 0; i--) {
        const hdi_kinst *s = &b->k->inst[i], *v = &b->k->inst[s->arg[0]];
        if (s->kind != KIR_STORE || s->level != v->level || v->phase != s->phase ||
            (s->level == KIR_ROW && b->k->nphases > 1))
            continue;
        if (v->kind == KIR_SCALAR || b->full_uses[s->arg[0]] >> v->phase >> 1 != 0)
            continue;
        b->store_of[s->arg[0]] = (uint16_t)i;
    }
}

/* ---- registers ------------------------------------------------------------------------------- */

static uint16_t new_reg(hdi_cpu_builder *b, uint16_t home)
{
    b->home[b->p.nregs] = home;
    return (uint16_t)b->p.nregs++;
}

static uint16_t new_buffer(hdi_cpu_builder *b)
{
    b->shared[b->p.nbuffers] = HDI_CPU_NONE;
    return (uint16_t)b->p.nbuffers++;
}

static uint16_t take(hdi_cpu_builder *b, hdi_cpu_pool *from)
{
    return from->n > 0 ? from->free[--from->n] : new_buffer(b);
}

/* Gives back the buffer of a value that is dead after position `at`. */
static void release(hdi_cpu_builder *b, int v, int at)
{
    const hdi_kinst *inst = &b->k->inst[v];
    if (b->buffer[v] == HDI_CPU_NONE || b->last[v] > at)
        return;
    hdi_cpu_pool *to = hdi_cpu_is_load(inst)     ? &b->gathers
                       : inst->level == KIR_ROW ? &b->rows
                                                : &b->values;
    to->free[to->n++] = b->buffer[v];
    b->buffer[v] = HDI_CPU_NONE;
}

static void add_value(hdi_cpu_value *list, int *n, uint16_t reg, uint16_t from,
                      const hdi_kinst *inst, int phase)
{
    list[(*n)++] = (hdi_cpu_value){reg, from, hdi_cpu_log2_size(inst->dt), (uint8_t)phase, false};
}

/* Where the result of an EW, CAST or REDUCE goes. */
static void place_value(hdi_cpu_builder *b, int i)
{
    const hdi_kinst *inst = &b->k->inst[i];
    if (inst->level == KIR_ROW) {
        uint16_t buffer = take(b, &b->rows);
        b->reg[i] = new_reg(b, buffer);
        b->buffer[i] = b->k->nphases == 1 ? buffer : HDI_CPU_NONE;   /* later phases may want it */
        add_value(b->row_value, &b->p.nrows, b->reg[i], HDI_CPU_NONE, inst, inst->phase);
    } else if (b->full_uses[i] >> inst->phase >> 1 != 0) {
        b->reg[i] = new_reg(b, HDI_CPU_NONE);
        add_value(b->kept, &b->p.nkept, b->reg[i], HDI_CPU_NONE, inst, inst->phase);
    } else {
        uint16_t buffer = b->buffer[i] = take(b, &b->values);
        if (b->store_of[i] != HDI_CPU_NONE)
            b->reg[i] = new_reg(b, buffer);
        else {
            if (b->shared[buffer] == HDI_CPU_NONE)
                b->shared[buffer] = b->shared_list[b->p.nshared++] = new_reg(b, buffer);
            b->reg[i] = b->shared[buffer];
        }
    }
}

/* The register of a value as a whole block, for loops that cannot take a single element. */
static uint16_t vector_of(hdi_cpu_builder *b, int v, bool full, int phase)
{
    const hdi_kinst *inst = &b->k->inst[v];
    if (inst->kind == KIR_SCALAR) {
        hdi_cpu_scalar *s = &b->scalar[b->operand[v]];
        if (s->fill == HDI_CPU_NONE)
            s->fill = new_reg(b, new_buffer(b));
        return s->fill;
    }
    if (!full || inst->level == KIR_FULL)
        return b->reg[v];
    if (b->vector[v] == HDI_CPU_NONE) {
        b->vector[v] = new_reg(b, new_buffer(b));
        add_value(b->spread, &b->p.nspreads, b->vector[v], b->reg[v], inst, phase);
    }
    return b->vector[v];
}

/* ---- steps ----------------------------------------------------------------------------------- */

static hdi_cpu_step *add_step(hdi_cpu_builder *b, hdi_cpu_kind kind)
{
    hdi_cpu_step *s = &b->step[b->p.nsteps++];
    *s = (hdi_cpu_step){.kind = (uint8_t)kind};
    return s;
}

static bool single(const hdi_cpu_builder *b, int v)
{
    return b->k->inst[v].kind == KIR_SCALAR;
}

/* Inputs die before the result gets its buffer, so that it may take one of theirs, unless its
 * elements are larger. */
static void finish_step(hdi_cpu_builder *b, int i, hdi_cpu_step *s)
{
    const uint16_t *args;
    int n = hdi_cpu_arguments(b, i, &args), at = b->pos[i];
    bool larger = false;
    for (int a = 0; a < n; a++)
        larger |= hdi_cpu_log2_size(b->k->inst[i].dt) > hdi_cpu_log2_size(b->k->inst[args[a]].dt);
    if (larger)
        place_value(b, i);
    for (int a = 0; a < n; a++)
        release(b, args[a], at);
    if (!larger)
        place_value(b, i);
    release(b, i, at);   /* nobody uses it */
    s->out = b->reg[i];
}

static hd_status emit_super(hdi_cpu_builder *b, int i, hdi_cpu_step *s)
{
    const hdi_kinst *inst = &b->k->inst[i];
    const uint16_t *args = b->super[i].arg;
    unsigned mask = 0;
    for (int a = 0; a < 3; a++)
        mask |= (unsigned)single(b, args[a]) << a;
    if (mask == 7)
        mask = 6;   /* one of them as a block: a result has a length */
    s->fn.ew = b->p.loops->super[b->super[i].pattern][inst->cdt == HD_FLOAT64][mask];
    if (s->fn.ew == NULL) {
        mask = 0;
        s->fn.ew = b->p.loops->super[b->super[i].pattern][inst->cdt == HD_FLOAT64][0];
    }
    for (int a = 0; a < 3; a++)
        s->in[a] = mask >> a & 1 ? b->reg[args[a]]
                                 : vector_of(b, args[a], inst->level == KIR_FULL, inst->phase);
    return HD_OK;
}

static hd_status emit_ew(hdi_cpu_builder *b, int i, hdi_cpu_step *s)
{
    const hdi_kinst *inst = &b->k->inst[i];
    const hdi_ew_loop *loops = b->p.loops->ew[inst->op][inst->cdt];
    int variant = HDI_VV;
    if (inst->narg == 2 && single(b, inst->arg[1]))
        variant = HDI_VS;
    else if (inst->narg == 2 && single(b, inst->arg[0]))
        variant = HDI_SV;
    if (loops[variant] == NULL)
        variant = HDI_VV;
    s->fn.ew = loops[variant];
    if (s->fn.ew == NULL)
        return hdi_fail(HD_INTERNAL, "no loop for operation %d over %s", inst->op,
                        hd_dtype_name((hd_dtype)inst->cdt));
    for (int a = 0; a < inst->narg; a++) {
        bool alone = (variant == HDI_VS && a == 1) || (variant == HDI_SV && a == 0);
        s->in[a] = alone ? b->reg[inst->arg[a]]
                         : vector_of(b, inst->arg[a], inst->level == KIR_FULL, inst->phase);
    }
    return HD_OK;
}

static hd_status emit_cast(hdi_cpu_builder *b, int i, hdi_cpu_step *s)
{
    const hdi_kinst *inst = &b->k->inst[i], *from = &b->k->inst[inst->arg[0]];
    s->kind = CPU_CAST;
    s->fn.cast = b->p.loops->cast[from->dt][inst->dt];
    if (s->fn.cast == NULL)
        return hdi_fail(HD_INTERNAL, "no cast from %s to %s", hd_dtype_name((hd_dtype)from->dt),
                        hd_dtype_name((hd_dtype)inst->dt));
    s->in[0] = vector_of(b, inst->arg[0], inst->level == KIR_FULL, inst->phase);
    return HD_OK;
}

static hd_status emit_reduce(hdi_cpu_builder *b, int i, hdi_cpu_step *s)
{
    const hdi_kinst *inst = &b->k->inst[i];
    hdi_cpu_red *r = &b->red[b->p.nreds];
    const hd_dtype dt = (hd_dtype)inst->cdt;
    if (!hdi_cpu_red_set(r, b->p.loops, (hd_op)inst->op, dt, (hd_dtype)inst->dt))
        return hdi_fail(HD_INTERNAL, "no reduction %d over %s", inst->op - HD_OP_sum,
                        hd_dtype_name(dt));
    r->phase = inst->phase;
    b->p.has_position = b->p.has_position || r->position;
    r->x = vector_of(b, inst->arg[0], true, inst->phase);
    r->y = inst->narg > 1 ? vector_of(b, inst->arg[1], true, inst->phase) : r->x;
    s->kind = CPU_REDUCE;
    s->out = (uint16_t)b->p.nreds++;
    return HD_OK;
}

static void emit_load(hdi_cpu_builder *b, int i, int at)
{
    const hdi_kinst *inst = &b->k->inst[i];
    hdi_cpu_step *s = add_step(b, CPU_LOAD);
    if (b->operand[i] == HDI_CPU_NONE) {   /* first time */
        bool crosses = inst->level == KIR_FULL && b->full_uses[i] >> inst->phase >> 1 != 0;
        uint16_t buffer = crosses || inst->level == KIR_ROW ? new_buffer(b) : take(b, &b->gathers);
        b->reg[i] = new_reg(b, buffer);
        uint16_t stride =
            hdi_cpu_is_strided(b, i) ? new_reg(b, HDI_CPU_NONE) : HDI_CPU_NONE;
        b->operand[i] = (uint16_t)b->p.nloads;
        b->buffer[i] = crosses || inst->level == KIR_ROW ? HDI_CPU_NONE : buffer;
        b->load[b->p.nloads++] = (hdi_cpu_operand){.slot = inst->slot,
                                                   .reg = b->reg[i],
                                                   .buffer = buffer,
                                                   .from = HDI_CPU_NONE,
                                                   .at = (uint16_t)at,
                                                   .until = b->last[i],
                                                   .lsize = hdi_cpu_log2_size(inst->dt),
                                                   .level = inst->level,
                                                   .phase = inst->phase,
                                                   .index = inst->kind == KIR_INDEX,
                                                   .crosses = crosses,
                                                   .stride = stride};
        release(b, i, at);   /* nobody uses it */
    }
    s->out = b->operand[i];
}

static void emit_store(hdi_cpu_builder *b, int i)
{
    const hdi_kinst *inst = &b->k->inst[i];
    int v = inst->arg[0];
    bool mine = b->store_of[v] == i, loaded = hdi_cpu_is_load(&b->k->inst[v]);
    hdi_cpu_step *s = add_step(b, CPU_STORE);
    s->out = b->operand[i] = (uint16_t)b->p.nstores;
    s->in[0] = vector_of(b, v, inst->level == KIR_FULL, inst->phase);
    b->store[b->p.nstores++] =
        (hdi_cpu_operand){.slot = inst->slot,
                          .reg = mine && !loaded ? b->reg[v] : HDI_CPU_NONE,
                          .buffer = HDI_CPU_NONE,
                          .from = mine && loaded ? b->operand[v] : HDI_CPU_NONE,
                          .at = b->pos[i],
                          .until = mine ? b->pos[v] : b->pos[i],
                          .lsize = hdi_cpu_log2_size(inst->dt),
                          .level = inst->level,
                          .phase = inst->phase,
                          .store = true,
                          .stride = HDI_CPU_NONE};
    release(b, v, b->pos[i]);
}

/* Outputs have their buffers before inputs give theirs back: a chain reads and writes at once. */
static void emit_chain(hdi_cpu_builder *b, int i)
{
    int number = b->chain_of[i], at = b->pos[i];
    const hdi_kinst *inst = &b->k->inst[i];
    const hdi_cpu_link *link = &b->link[number];
    hdi_cpu_chain *chain = &b->chain[number];
    hdi_cpu_step *s = add_step(b, CPU_CHAIN);
    s->out = (uint16_t)number;
    chain->n = 0;
    for (int k = 0; k < link->chain.nin; k++)
        chain->reg[chain->n++] = link->chain.in_single[k]
                                     ? b->reg[link->in[k]]
                                     : vector_of(b, link->in[k], inst->level == KIR_FULL,
                                                 inst->phase);
    for (int k = 0; k < link->chain.nout; k++) {
        place_value(b, link->out[k]);
        chain->reg[chain->n++] = b->reg[link->out[k]];
    }
    for (int k = 0; k < link->chain.nin; k++)
        if (link->chain.in_strided[k])
            chain->reg[chain->n++] = b->load[b->operand[link->in[k]]].stride;
    for (int k = 0; k < link->chain.nin; k++)
        release(b, link->in[k], at);
    for (int k = 0; k < link->chain.nout; k++)
        release(b, link->out[k], at);
}

static hd_status emit(hdi_cpu_builder *b, int at)
{
    int i = b->event[at];
    const hdi_kinst *inst = &b->k->inst[i];
    if (b->chain_of[i] != HDI_CPU_NONE) {
        emit_chain(b, i);
        return HD_OK;
    }
    if (hdi_cpu_is_load(inst)) {
        emit_load(b, i, at);
        return HD_OK;
    }
    if (inst->kind == KIR_STORE) {
        emit_store(b, i);
        return HD_OK;
    }
    hdi_cpu_step *s = add_step(b, CPU_EW);
    bool cast = inst->kind == KIR_CAST || (inst->kind == KIR_EW && inst->op == HD_OP_copy);
    hd_status status = cast ? emit_cast(b, i, s) : inst->kind == KIR_REDUCE ? emit_reduce(b, i, s) :
                       b->super[i].pattern >= 0 ? emit_super(b, i, s) : emit_ew(b, i, s);
    if (status != HD_OK)
        return status;
    uint16_t number = s->out;
    finish_step(b, i, s);
    if (inst->kind == KIR_REDUCE) {
        b->red[number].out = s->out;
        b->operand[i] = s->out = number;
    }
    return HD_OK;
}

static void add_scalars(hdi_cpu_builder *b)
{
    for (int i = 0; i < b->k->ninst; i++) {
        const hdi_kinst *inst = &b->k->inst[i];
        if (inst->kind != KIR_SCALAR)
            continue;
        b->reg[i] = new_reg(b, HDI_CPU_NONE);
        b->operand[i] = (uint16_t)b->p.nscalars;
        b->scalar[b->p.nscalars++] =
            (hdi_cpu_scalar){inst->slot, b->reg[i], HDI_CPU_NONE, hdi_cpu_log2_size(inst->dt)};
    }
}

static void order_all(hdi_cpu_builder *b)
{
    for (int phase = 0; phase < b->k->nphases; phase++)
        for (int full = 1; full >= 0; full--) {
            int first = b->nevents;
            order_section(b, phase, full);
            *(full ? &b->full[phase] : &b->row[phase]) =
                (hdi_cpu_section){(uint16_t)first, (uint16_t)(b->nevents - first)};
        }
}

static void find_operations(hdi_cpu_builder *b)
{
    if (!b->chained) {
        hdi_cpu_find_supers(b->k, b->p.loops, b->super, b->absorbed);
        return;
    }
    for (int i = 0; i < b->k->ninst; i++) {
        b->super[i].pattern = -1;
        b->absorbed[i] = false;
    }
    hdi_cpu_find_chains(b);
}

hd_status hdi_cpu_build(hdi_cpu_builder *b)
{
    hd_status status;
    find_operations(b);
    HD_TRY(hdi_cpu_check_flow(b));
    find_uses(b);
    order_all(b);
    find_last_uses(b);
    find_stores(b);
    add_scalars(b);
    for (int at = 1; at <= b->nevents; at++)
        HD_TRY(emit(b, at));
    hdi_cpu_find_reducers(b);
    status = HD_OK;
done:
    return status;
}
