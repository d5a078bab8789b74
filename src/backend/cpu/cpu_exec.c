/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_exec.c - what all launches share: binding, aliases, the steps of a block. */
#include "backend/cpu/cpu_exec.h"

#include <stdatomic.h>
#include <unistd.h>

#include "backend/cpu/cpu_copy.h"
#include "backend/cpu/cpu_tier.h"
#include "base/pool.h"

/* ---- binding --------------------------------------------------------------------------------- */

static const hdi_cpu_space *space_of(const hdi_cpu_run *run, const hdi_cpu_view *v)
{
    return v->op->level == KIR_ROW ? &run->row : &run->full;
}

static void *filled(hdi_cpu_run *run, const void *element, int lsize, int64_t n)
{
    void *block = hdi_cpu_scratch(n << lsize);
    if (block != NULL)
        run->p->loops->fill[lsize](block, element, n);
    return block;
}

bool hdi_cpu_bind_shared(hdi_cpu_run *run, int64_t longest)
{
    const hdi_cpu_program *p = run->p;
    int64_t n = hdi_min64(longest, p->block);
    run->shared = hdi_cpu_scratch((int64_t)sizeof(void *) * p->nregs);
    if (run->shared == NULL)
        return false;
    memset(run->shared, 0, sizeof(void *) * (size_t)p->nregs);
    for (int i = 0; i < p->nscalars; i++) {
        const hdi_cpu_scalar *s = &p->scalars[i];
        const void *element = run->l->args[s->slot].scalar;
        run->shared[s->reg] = (void *)(uintptr_t)element;
        if (s->fill != HDI_CPU_NONE &&
            (run->shared[s->fill] = filled(run, element, s->lsize, n)) == NULL)
            return false;
    }
    for (int i = 0; i < p->nloads; i++) {
        const hdi_cpu_view *v = &run->loads[i];
        if (v->op->stride != HDI_CPU_NONE)
            run->shared[v->op->stride] = (void *)((intptr_t)1 << v->lsize);
        if (v->how == CPU_FIXED && space_of(run, v)->size > 0 &&
            (run->shared[v->op->reg] = filled(run, v->base, v->lsize, n)) == NULL)
            return false;
    }
    return true;
}

static bool overlap(uintptr_t low, uintptr_t high, uintptr_t low2, uintptr_t high2)
{
    return low < high2 && low2 < high;
}

/* A store that shares memory with a load: the load's value must be copied if it is used after
 * the store, and the value stored may not be made in memory while others still read what was
 * there. */
static void resolve_pair(hdi_cpu_run *run, hdi_cpu_view *load, hdi_cpu_view *store)
{
    const hdi_cpu_operand *a = load->op, *b = store->op;
    if (a->at > b->at)
        return;   /* reads what was stored */
    if (a->until > b->at)
        load->copy = true;
    if (a->until > b->until || (b->from != HDI_CPU_NONE && load == &run->loads[b->from]))
        store->direct = false;
    store->stream = false;
}

void hdi_cpu_resolve_aliases(hdi_cpu_run *run)
{
    const hdi_cpu_program *p = run->p;
    for (int i = 0; i < p->nstores; i++) {
        uintptr_t low, high, low2, high2;
        hdi_cpu_view *store = &run->stores[i];
        hdi_cpu_extent(space_of(run, store), store, &low, &high);
        for (int k = 0; k < p->nloads; k++) {
            hdi_cpu_view *load = &run->loads[k];
            if (load->op->index || load->how == CPU_FIXED)
                continue;   /* has no memory, or was copied before the first step */
            hdi_cpu_extent(space_of(run, load), load, &low2, &high2);
            if (overlap(low, high, low2, high2))
                resolve_pair(run, load, store);
        }
        for (int k = 0; k < i; k++) {
            hdi_cpu_extent(space_of(run, &run->stores[k]), &run->stores[k], &low2, &high2);
            if (overlap(low, high, low2, high2))
                store->direct = run->stores[k].direct = store->stream = run->stores[k].stream =
                    false;
        }
    }
}

/* ---- a thread's registers -------------------------------------------------------------------- */

bool hdi_cpu_open(hdi_cpu_ctx *c, hdi_cpu_run *run)
{
    const hdi_cpu_program *p = run->p;
    c->run = run;
    c->group = NULL;
    c->reg = hdi_cpu_scratch((int64_t)sizeof(void *) * p->nregs);
    c->buffers = hdi_cpu_scratch(p->nbuffers * p->buffer_bytes);
    if (c->reg == NULL || c->buffers == NULL)
        return false;
    for (int r = 0; r < p->nregs; r++)
        c->reg[r] = run->shared[r] != NULL || p->home[r] == HDI_CPU_NONE ? run->shared[r] :
                    c->buffers + p->home[r] * p->buffer_bytes;
    return true;
}

/* ---- a block --------------------------------------------------------------------------------- */

static void load_block(hdi_cpu_ctx *c, const hdi_cpu_view *v, int64_t n)
{
    const hdi_cpu_run *run = c->run;
    const hdi_cpu_operand *op = v->op;
    const hdi_cpu_space *s = space_of(run, v);
    const hdi_cpu_cursor *at = op->level == KIR_ROW ? &c->row : &c->full;
    if (v->how == CPU_FIXED)
        return;
    if (v->copy && op->crosses) {
        hdi_cpu_load_kept(c, v, n);
        return;
    }
    int64_t stride = (int64_t)1 << v->lsize;
    bool in_place = !v->copy && v->into == HDI_CPU_NONE;
    uint8_t *to = in_place ? hdi_cpu_place(v, s, at, n) : NULL;
    if (to == NULL && in_place && op->stride != HDI_CPU_NONE)
        to = hdi_cpu_place_strided(v, s, at, n, &stride);
    if (op->stride != HDI_CPU_NONE)
        c->reg[op->stride] = (void *)(intptr_t)stride;
    if (to == NULL) {
        to = v->into != HDI_CPU_NONE ? hdi_cpu_place(&run->stores[v->into], s, at, n) :
             c->buffers + op->buffer * run->p->buffer_bytes;
        hdi_cpu_gather(run->p->loops, v, s, at, n, to);
    }
    c->reg[op->reg] = to;
}

static void store_block(hdi_cpu_ctx *c, const hdi_cpu_view *v, const void *from, int64_t n)
{
    const hdi_cpu_run *run = c->run;
    const hdi_cpu_space *s = space_of(run, v);
    const hdi_cpu_cursor *at = v->op->level == KIR_ROW ? &c->row : &c->full;
    if (v->direct)
        return;
    uint8_t *to = hdi_cpu_place(v, s, at, n);
    if (to == NULL)
        hdi_cpu_scatter(run->p->loops, v, s, at, n, from);
    else if (v->stream)
        hdi_cpu_stream(to, from, n << v->lsize);
    else if (to != from)
        hdi_cpu_copy_line(to, from, n << v->lsize);
}

void hdi_cpu_run_chain(const hdi_cpu_chain *c, void **reg, int64_t n)
{
    void *operands[HDI_CHAIN_ENDS];
    for (int k = 0; k < c->n; k++)
        operands[k] = reg[c->reg[k]];
    c->code(operands, n);
}

void hdi_cpu_run_steps(hdi_cpu_ctx *c, const hdi_cpu_step *steps, int count, int64_t n)
{
    for (const hdi_cpu_step *s = steps; s < steps + count; s++) {
        switch (s->kind) {
        case CPU_LOAD:
            load_block(c, &c->run->loads[s->out], n);
            break;
        case CPU_STORE:
            store_block(c, &c->run->stores[s->out], c->reg[s->in[0]], n);
            break;
        case CPU_REDUCE:
            hdi_cpu_reduce(c, s->out, n);
            break;
        case CPU_CHAIN:
            if (hdi_cpu_reduce_chain(c, s->out, n))
                break;
            hdi_cpu_run_chain(&c->run->p->chains[s->out], c->reg, n);
            break;
        default:
            hdi_cpu_compute(c->run->p, s, c->reg, n);
        }
    }
}

/* ---- sizes ----------------------------------------------------------------------------------- */

/* Large enough to be worth handing out, small enough that all threads end together and a user's
 * wish to stop is seen soon. */
int64_t hdi_cpu_task_size(int64_t size, int64_t cost, int64_t block)
{
    /* one tile of a dear program is more than a task's work */
    int64_t least = hdi_max64(CPU_TASK_WORK / hdi_max64(cost, 1), 1), most = 16 * least;
    int64_t share = size / (16 * (int64_t)hdi_pool_threads());
    int64_t n = share < least ? least : share > most ? most : share;
    return (n + block - 1) / block * block;
}

int64_t hdi_cpu_block(const hdi_cpu_program *p, int64_t size)
{
    return p->block > 1 &&
                   size << p->max_lsize > hdi_cpu_cache_bytes() / (p->nloads + p->nstores + 1)
               ? p->block / 2
               : p->block;
}

int64_t hdi_cpu_cache_bytes(void)
{
    static _Atomic(int64_t) bytes;
    int64_t n = atomic_load_explicit(&bytes, memory_order_relaxed);
    if (HDI_UNLIKELY(n == 0)) {
        n = sysconf(_SC_LEVEL3_CACHE_SIZE);
        if (n <= 0)
            n = (int64_t)32 << 20;
        atomic_store_explicit(&bytes, n, memory_order_relaxed);
    }
    return n;
}

/* ---- launches -------------------------------------------------------------------------------- */

hd_status hdi_cpu_launch(void *state, hdi_launch *l)
{
    (void)state;
    if (l->progress == NULL)   /* what was begun on one tier ends on it */
        l->program = hdi_cpu_promote(l->program, l);
    const hdi_cpu_program *p = l->program;
    int depth = hdi_cpu_scratch_depth();
    hd_status status = p->rows ? hdi_cpu_launch_rows(l) : hdi_cpu_launch_ew(l);
    hd_assert(hdi_cpu_scratch_depth() == depth);   /* every mark was released */
    (void)depth;
    return status;
}

void hdi_cpu_forget(void *state, hdi_launch *l)
{
    const hdi_cpu_program *p = l->program;
    (void)state;
    if (l->progress != NULL)
        (p->rows ? hdi_cpu_forget_rows : hdi_cpu_forget_ew)(l->progress);
    l->progress = NULL;
}
