/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_program.c - from kernel IR to steps: order, registers, block buffers.
 *
 * Registers hold addresses. A block of a FULL value lives in a block buffer, reused as soon as
 * the value is dead, so that the blocks of a kernel stay in the first-level cache. Values that
 * are stored have a register of their own: at launch it may address the output's memory instead
 * of the buffer. Loads have one too, which addresses the operand in place or, if that is not
 * dense, a gathered copy. They take buffers from their own pool: mostly they need none. */
#include "backend/cpu/cpu_program.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/alloc.h"

enum {
    MAX = HDI_KERNEL_MAX_INSTS, MAX_PHASES = 64, MAX_REGS = 4 * MAX,
    MAX_STEPS = MAX + HDI_KERNEL_MAX_SLOTS * MAX_PHASES, BLOCK_BYTES = 4096,
    STAGGER = 128 /* buffers a whole number of pages apart would share the cache's sets */
};

typedef struct pool { int n; uint16_t free[MAX_REGS]; } pool;

typedef struct builder {
    const hdi_kernel *k;
    hdi_cpu_program p;                  /* counts and facts; its arrays are the ones below */
    hdi_cpu_super super[MAX];
    bool absorbed[MAX];
    uint64_t full_uses[MAX];            /* phases whose FULL section uses the value */
    uint16_t pos[MAX], last[MAX];       /* of the step and of the last use; 0: before all steps */
    uint16_t reg[MAX], buffer[MAX];     /* of the value; NONE if it has no buffer to give back */
    uint16_t vector[MAX];               /* a block full of a scalar, or of a ROW value repeated */
    uint16_t store_of[MAX];             /* STORE that may compute this value in memory */
    uint16_t operand[MAX];              /* of LOAD, INDEX, STORE: number */
    uint16_t event[MAX_STEPS];          /* instruction of each position */
    int nevents;
    pool values, gathers, rows;
    uint16_t shared[MAX_REGS];          /* per buffer: the register of all values kept there */
    uint16_t shared_list[MAX_REGS];
    hdi_cpu_step step[MAX_STEPS], compute[MAX_STEPS];
    hdi_cpu_section full[MAX_PHASES], row[MAX_PHASES];
    hdi_cpu_operand load[HDI_KERNEL_MAX_SLOTS], store[HDI_KERNEL_MAX_SLOTS];
    hdi_cpu_scalar scalar[HDI_KERNEL_MAX_SLOTS];
    hdi_cpu_red red[MAX];
    hdi_cpu_value kept[MAX], spread[MAX], row_value[MAX];
    uint16_t home[MAX_REGS];
} builder;

static uint8_t log2_size(int dt)
{
    return (uint8_t)__builtin_ctz((unsigned)hd_dtype_size((hd_dtype)dt));
}

static bool is_load(const hdi_kinst *i)
{
    return i->kind == KIR_LOAD || i->kind == KIR_INDEX;
}

/* A reduction's value is ROW, but it is computed among the FULL steps. */
static bool runs_full(const hdi_kinst *i)
{
    return i->level == KIR_FULL || i->kind == KIR_REDUCE;
}

static int arguments(const builder *b, int i, const uint16_t **args)
{
    if (b->super[i].pattern >= 0) {
        *args = b->super[i].arg;
        return 3;
    }
    *args = b->k->inst[i].arg;
    return b->k->inst[i].narg;
}

/* ---- order ----------------------------------------------------------------------------------- */

static void find_uses(builder *b)
{
    for (int i = 0; i < b->k->ninst; i++) {
        const hdi_kinst *inst = &b->k->inst[i];
        const uint16_t *args;
        if (b->absorbed[i])
            continue;
        for (int a = 0, n = arguments(b, i, &args); a < n; a++)
            if (runs_full(inst))
                b->full_uses[args[a]] |= (uint64_t)1 << inst->phase;
    }
}

/* Steps run by phase, FULL before ROW, in the kernel's order. What an earlier phase loaded is
 * loaded again where it is used. */
static void order_section(builder *b, int phase, bool full)
{
    for (int i = 0; full && i < b->k->ninst; i++) {
        const hdi_kinst *inst = &b->k->inst[i];
        if (is_load(inst) && inst->level == KIR_FULL && inst->phase < phase &&
            (b->full_uses[i] >> phase & 1))
            b->event[++b->nevents] = (uint16_t)i;
    }
    for (int i = 0; i < b->k->ninst; i++) {
        const hdi_kinst *inst = &b->k->inst[i];
        if (inst->phase != phase || runs_full(inst) != full || inst->kind == KIR_SCALAR ||
            b->absorbed[i])
            continue;
        b->event[++b->nevents] = (uint16_t)i;
        b->pos[i] = (uint16_t)b->nevents;
    }
}

static void find_last_uses(builder *b)
{
    for (int i = 0; i < b->k->ninst; i++) {
        const uint16_t *args;
        if (b->absorbed[i])
            continue;
        for (int a = 0, n = arguments(b, i, &args); a < n; a++)
            if (b->pos[i] > b->last[args[a]])
                b->last[args[a]] = b->pos[i];
    }
}

/* The first store of a value in its own phase (ROW: the only one) may let it be computed there. */
static void find_stores(builder *b)
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

static uint16_t new_reg(builder *b, uint16_t home)
{
    b->home[b->p.nregs] = home;
    return (uint16_t)b->p.nregs++;
}

static uint16_t new_buffer(builder *b)
{
    b->shared[b->p.nbuffers] = HDI_CPU_NONE;
    return (uint16_t)b->p.nbuffers++;
}

static uint16_t take(builder *b, pool *from)
{
    return from->n > 0 ? from->free[--from->n] : new_buffer(b);
}

/* Gives back the buffer of a value that is dead after position `at`. */
static void release(builder *b, int v, int at)
{
    const hdi_kinst *inst = &b->k->inst[v];
    if (b->buffer[v] == HDI_CPU_NONE || b->last[v] > at)
        return;
    pool *to = is_load(inst) ? &b->gathers : inst->level == KIR_ROW ? &b->rows : &b->values;
    to->free[to->n++] = b->buffer[v];
    b->buffer[v] = HDI_CPU_NONE;
}

static void add_value(hdi_cpu_value *list, int *n, uint16_t reg, uint16_t from,
                      const hdi_kinst *inst, int phase)
{
    list[(*n)++] = (hdi_cpu_value){reg, from, log2_size(inst->dt), (uint8_t)phase};
}

/* Where the result of an EW, CAST or REDUCE goes. */
static void place_value(builder *b, int i)
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
static uint16_t vector_of(builder *b, int v, bool full, int phase)
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

static hdi_cpu_step *add_step(builder *b, hdi_cpu_kind kind)
{
    hdi_cpu_step *s = &b->step[b->p.nsteps++];
    *s = (hdi_cpu_step){.kind = (uint8_t)kind};
    return s;
}

static bool single(const builder *b, int v)
{
    return b->k->inst[v].kind == KIR_SCALAR;
}

/* Inputs die before the result gets its buffer, so that it may take one of theirs, unless its
 * elements are larger. */
static void finish_step(builder *b, int i, hdi_cpu_step *s)
{
    const uint16_t *args;
    int n = arguments(b, i, &args), at = b->pos[i];
    bool larger = false;
    for (int a = 0; a < n; a++)
        larger |= log2_size(b->k->inst[i].dt) > log2_size(b->k->inst[args[a]].dt);
    if (larger)
        place_value(b, i);
    for (int a = 0; a < n; a++)
        release(b, args[a], at);
    if (!larger)
        place_value(b, i);
    release(b, i, at);   /* nobody uses it */
    s->out = b->reg[i];
}

static hd_status emit_super(builder *b, int i, hdi_cpu_step *s)
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

static hd_status emit_ew(builder *b, int i, hdi_cpu_step *s)
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

static hd_status emit_cast(builder *b, int i, hdi_cpu_step *s)
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

static hd_status emit_reduce(builder *b, int i, hdi_cpu_step *s)
{
    const hdi_kinst *inst = &b->k->inst[i];
    const hdi_loops *l = b->p.loops;
    int row = inst->op - HD_OP_sum, dt = inst->cdt;
    bool position = inst->op == HD_OP_argmin || inst->op == HD_OP_argmax;
    hdi_cpu_red *r = &b->red[b->p.nreds];
    *r = (hdi_cpu_red){
        .phase = inst->phase, .row = (uint8_t)row, .dt = inst->cdt, .position = position};
    r->xsize = (uint8_t)hd_dtype_size((hd_dtype)dt);
    r->asize = position ? r->xsize : (uint8_t)hd_dtype_size((hd_dtype)inst->dt);
    r->plus_zero = (inst->op == HD_OP_sum || inst->op == HD_OP_sumproduct) && dt >= HD_FLOAT16;
    if (position) {
        int which = inst->op - HD_OP_argmin;
        r->arg_chunk = l->arg_chunk[which][dt];
        r->arg_step = l->arg_step[which][dt];
        r->arg_merge = l->arg_merge[which][dt];
        b->p.has_position = true;
    } else {
        r->chunk = l->red_chunk[row][dt];
        r->step = l->red_step[row][dt][HDI_VV];
        r->start = l->red_start[row][dt][HDI_VV];
        r->merge = l->red_merge[row][dt];
    }
    if (position ? r->arg_chunk == NULL
                 : r->chunk == NULL || r->step == NULL || r->start == NULL || r->merge == NULL)
        return hdi_fail(HD_INTERNAL, "no reduction %d over %s", row, hd_dtype_name((hd_dtype)dt));
    r->x = vector_of(b, inst->arg[0], true, inst->phase);
    r->y = inst->narg > 1 ? vector_of(b, inst->arg[1], true, inst->phase) : r->x;
    s->kind = CPU_REDUCE;
    s->out = (uint16_t)b->p.nreds++;
    return HD_OK;
}

static void emit_load(builder *b, int i, int at)
{
    const hdi_kinst *inst = &b->k->inst[i];
    hdi_cpu_step *s = add_step(b, CPU_LOAD);
    if (b->operand[i] == HDI_CPU_NONE) {   /* first time */
        bool crosses = inst->level == KIR_FULL && b->full_uses[i] >> inst->phase >> 1 != 0;
        uint16_t buffer = crosses || inst->level == KIR_ROW ? new_buffer(b) : take(b, &b->gathers);
        b->reg[i] = new_reg(b, buffer);
        b->operand[i] = (uint16_t)b->p.nloads;
        b->buffer[i] = crosses || inst->level == KIR_ROW ? HDI_CPU_NONE : buffer;
        b->load[b->p.nloads++] = (hdi_cpu_operand){.slot = inst->slot,
                                                   .reg = b->reg[i],
                                                   .buffer = buffer,
                                                   .from = HDI_CPU_NONE,
                                                   .at = (uint16_t)at,
                                                   .until = b->last[i],
                                                   .lsize = log2_size(inst->dt),
                                                   .level = inst->level,
                                                   .phase = inst->phase,
                                                   .index = inst->kind == KIR_INDEX,
                                                   .crosses = crosses};
        release(b, i, at);   /* nobody uses it */
    }
    s->out = b->operand[i];
}

static void emit_store(builder *b, int i)
{
    const hdi_kinst *inst = &b->k->inst[i];
    int v = inst->arg[0];
    bool mine = b->store_of[v] == i, loaded = is_load(&b->k->inst[v]);
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
                          .lsize = log2_size(inst->dt),
                          .level = inst->level,
                          .phase = inst->phase,
                          .store = true};
    release(b, v, b->pos[i]);
}

static hd_status emit(builder *b, int at)
{
    int i = b->event[at];
    const hdi_kinst *inst = &b->k->inst[i];
    if (is_load(inst))
        emit_load(b, i, at);
    else if (inst->kind == KIR_STORE)
        emit_store(b, i);
    if (is_load(inst) || inst->kind == KIR_STORE)
        return HD_OK;
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
        s->out = number;
    }
    return HD_OK;
}

static void add_scalars(builder *b)
{
    for (int i = 0; i < b->k->ninst; i++) {
        const hdi_kinst *inst = &b->k->inst[i];
        if (inst->kind != KIR_SCALAR)
            continue;
        b->reg[i] = new_reg(b, HDI_CPU_NONE);
        b->operand[i] = (uint16_t)b->p.nscalars;
        b->scalar[b->p.nscalars++] =
            (hdi_cpu_scalar){inst->slot, b->reg[i], HDI_CPU_NONE, log2_size(inst->dt)};
    }
}

static void order_all(builder *b)
{
    for (int phase = 0; phase < b->k->nphases; phase++)
        for (int full = 1; full >= 0; full--) {
            int first = b->nevents;
            order_section(b, phase, full);
            *(full ? &b->full[phase] : &b->row[phase]) =
                (hdi_cpu_section){(uint16_t)first, (uint16_t)(b->nevents - first)};
        }
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Nothing to look at when no load is read after memory may have changed, and no two stores could
 * meet. */
static bool alias_safe(const builder *b)
{
    for (int s = 0; s < b->p.nstores; s++)
        for (int l = 0; l < b->p.nloads; l++)
            if (b->load[l].until > b->store[s].until || b->load[l].crosses)
                return false;
    return b->p.nstores <= 1;
}

/* Elements of a block: BLOCK_BYTES of the largest type, in whole chunks of a reduction.
 * HEDDLE_BLOCK (a test aid) sets it. */
static int block_elements(uint8_t lsize, bool rows)
{
    const char *text = getenv("HEDDLE_BLOCK");
    long n = text != NULL ? strtol(text, NULL, 10) : 0;
    if (n < 1 || n > 1 << 20)
        n = BLOCK_BYTES >> lsize;
    if (rows)
        n = (n + HDI_RED_CHUNK - 1) / HDI_RED_CHUNK * HDI_RED_CHUNK;
    return (int)n;
}

static void measure(builder *b)
{
    hdi_cpu_program *p = &b->p;
    for (int i = 0; i < b->k->ninst; i++) {
        const hdi_kinst *inst = &b->k->inst[i];
        uint8_t lsize = log2_size(inst->dt);
        if (lsize > p->max_lsize && inst->kind != KIR_SCALAR)
            p->max_lsize = lsize;
        int cost = inst->kind == KIR_EW ? hdi_cpu_ew_cost[inst->op] : inst->kind != KIR_SCALAR;
        cost <<= lsize + (inst->dt >= HD_COMPLEX64);
        *(runs_full(inst) ? &p->cost : &p->row_cost) += cost;
        p->rows |= !runs_full(inst) || inst->kind == KIR_REDUCE;
    }
    for (int i = 0; i < p->nscalars; i++)
        if (b->scalar[i].fill != HDI_CPU_NONE && b->scalar[i].lsize > p->max_lsize)
            p->max_lsize = b->scalar[i].lsize;
    p->cost = hdi_max64(p->cost, 1);
    p->block = block_elements(p->max_lsize, p->rows);
    p->buffer_bytes = (((int64_t)p->block << p->max_lsize) + STAGGER + 63) & -(int64_t)64;
    p->nphases = b->k->nphases;
    p->nslots = b->k->nslots;
    p->alias_safe = alias_safe(b);
}

/* Copies n elements of size bytes to the next free place of the program's block. With at == NULL
 * only counts. */
static void *place(uint8_t *base, size_t *at, const void *from, int n, size_t size)
{
    void *to = base != NULL ? base + *at : NULL;
    if (base != NULL && n > 0)
        memcpy(to, from, (size_t)n * size);
    *at += ((size_t)n * size + 15) & ~(size_t)15;
    return to;
}

/* Lays the program out in one block; with base == NULL only counts its bytes. */
static size_t lay_out(const builder *b, uint8_t *base)
{
    size_t at = 0;
    hdi_cpu_program only_counting, *p = place(base, &at, &b->p, 1, sizeof b->p);
    if (p == NULL)
        p = &only_counting;
    p->steps = place(base, &at, b->step, b->p.nsteps, sizeof *b->step);
    p->compute = place(base, &at, b->compute, b->p.ncompute, sizeof *b->compute);
    p->full = place(base, &at, b->full, b->k->nphases, sizeof *b->full);
    p->row = place(base, &at, b->row, b->k->nphases, sizeof *b->row);
    p->loads = place(base, &at, b->load, b->p.nloads, sizeof *b->load);
    p->stores = place(base, &at, b->store, b->p.nstores, sizeof *b->store);
    p->scalars = place(base, &at, b->scalar, b->p.nscalars, sizeof *b->scalar);
    p->reds = place(base, &at, b->red, b->p.nreds, sizeof *b->red);
    p->kept = place(base, &at, b->kept, b->p.nkept, sizeof *b->kept);
    p->spreads = place(base, &at, b->spread, b->p.nspreads, sizeof *b->spread);
    p->row_values = place(base, &at, b->row_value, b->p.nrows, sizeof *b->row_value);
    p->home = place(base, &at, b->home, b->p.nregs, sizeof *b->home);
    p->shared = place(base, &at, b->shared_list, b->p.nshared, sizeof *b->shared_list);
    p->bytes = at;
    return at;
}

static hd_status check(const hdi_kernel *k)
{
    if (k->ninst > MAX || k->nslots > HDI_KERNEL_MAX_SLOTS || k->nphases > MAX_PHASES)
        return hdi_fail(HD_UNSUPPORTED, "a kernel of %d instructions in %d phases is too large",
                        k->ninst, k->nphases);
    for (int i = 0; i < k->ninst; i++)
        if (k->inst[i].kind > KIR_STORE)
            return hdi_fail(HD_UNSUPPORTED, "instruction kind %d does not run on this back end yet",
                            k->inst[i].kind);
    return HD_OK;
}

/* Can the program do without load and store steps? */
static void find_plain(builder *b)
{
    bool plain = !b->p.rows;
    for (int i = 0; i < b->p.nloads; i++)
        plain = plain && !b->load[i].index;
    for (int i = 0; i < b->p.nstores; i++)
        plain = plain && b->store[i].reg != HDI_CPU_NONE;
    for (int s = 0; plain && s < b->p.nsteps; s++)
        if (b->step[s].kind == CPU_EW || b->step[s].kind == CPU_CAST)
            b->compute[b->p.ncompute++] = b->step[s];
    b->p.plain = plain;
}

static hd_status build(builder *b)
{
    hd_status status;
    hdi_cpu_find_supers(b->k, b->p.loops, b->super, b->absorbed);
    find_uses(b);
    order_all(b);
    find_last_uses(b);
    find_stores(b);
    add_scalars(b);
    for (int at = 1; at <= b->nevents; at++)
        HD_TRY(emit(b, at));
    measure(b);
    find_plain(b);
    status = HD_OK;
done:
    return status;
}

static void reset(builder *b, const hdi_kernel *k)
{
    b->k = k;
    b->p = (hdi_cpu_program){.loops = hdi_loops_best()};
    b->nevents = b->values.n = b->gathers.n = b->rows.n = 0;
    for (int i = 0; i < k->ninst; i++) {
        b->full_uses[i] = 0;
        b->pos[i] = b->last[i] = 0;
        b->buffer[i] = b->vector[i] = b->store_of[i] = b->operand[i] = HDI_CPU_NONE;
    }
}

hd_status hdi_cpu_compile(void *state, const hdi_kernel *k, void **program)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static builder the_builder;   /* too large for a stack, and its pages stay */
    builder *b = &the_builder;
    hd_status status;
    (void)state;
    pthread_mutex_lock(&mutex);
    HD_TRY(check(k));
    reset(b, k);
    HD_TRY(build(b));
    size_t bytes = lay_out(b, NULL);
    *program = hdi_alloc(bytes);
    HD_REQUIRE(*program != NULL, HD_NOMEM, "out of memory for a program of %d instructions",
               k->ninst);
    lay_out(b, *program);
done:
    pthread_mutex_unlock(&mutex);
    return status;
}

void hdi_cpu_destroy(void *state, void *program)
{
    (void)state;
    hdi_free(program, ((hdi_cpu_program *)program)->bytes);
}
