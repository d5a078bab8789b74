/* SPDX-License-Identifier: BSD-3-Clause */
/* plan_build.c - a new plan: partition, kernel IR, programs, memory uses. */
#include "base/alloc.h"
#include "exec/exec.h"

enum { NBUCKETS = 1024 };
static hdi_program *programs[NBUCKETS];

static hdi_program *find_program(hd_device *dev, const hdi_kernel *k, uint64_t hash)
{
    for (hdi_program *p = programs[hash & (NBUCKETS - 1)]; p != NULL; p = p->next)
        if (p->hash == hash && p->dev == dev && hdi_kernel_same(p->kernel, k))
            return p;
    return NULL;
}

static hdi_kernel *copy_kernel(const hdi_kernel *k)
{
    size_t insts = sizeof *k->inst * k->ninst, slots = sizeof *k->slots * k->nslots;
    hdi_kernel *copy = hdi_alloc(sizeof *k + insts + slots);
    if (copy == NULL)
        return NULL;
    *copy = *k;
    copy->inst = (hdi_kinst *)(copy + 1);
    copy->slots = (hdi_kslot *)(copy->inst + k->ninst);
    memcpy(copy->inst, k->inst, insts);
    memcpy(copy->slots, k->slots, slots);
    return copy;
}

/* The program for k: known already, or compiled now (tier 0 compiles in microseconds). */
static hd_status get_program(hd_device *dev, const hdi_kernel *k, hdi_program **out)
{
    uint64_t hash = hdi_kernel_hash(k);
    hdi_program *p = find_program(dev, k, hash);
    hd_status status = HD_OK;
    if (p == NULL) {
        if ((p = hdi_calloc(sizeof *p)) == NULL || (p->kernel = copy_kernel(k)) == NULL) {
            hdi_free(p, sizeof *p);
            return hdi_fail(HD_NOMEM, "out of memory for a kernel of %d instructions", k->ninst);
        }
        status = dev->backend->compile(dev->state, p->kernel, &p->code);
        if (status != HD_OK) {
            hdi_kernel_free(p->kernel);
            hdi_free(p, sizeof *p);
            return status;
        }
        p->hash = hash;
        p->dev = dev;
        p->next = programs[hash & (NBUCKETS - 1)];
        programs[hash & (NBUCKETS - 1)] = p;
        dev->windows[0]->stats.programs++;
    }
    p->uses++;
    *out = p;
    return HD_OK;
}

static void destroy_program(void *ctx)
{
    hdi_program *p = ctx;
    p->dev->backend->destroy(p->dev->state, p->code);
    hdi_kernel_free(p->kernel);
    hdi_free(p, sizeof *p);
}

static void release_program(hdi_program *p)
{
    if (p == NULL || --p->uses > 0)
        return;
    hdi_program **at = &programs[p->hash & (NBUCKETS - 1)];
    while (*at != p)
        at = &(*at)->next;
    *at = p->next;
    p->end = (hdi_deleter){.run = destroy_program, .ctx = p};
    hdi_defer(&p->end);
}

/* The most that records can name. */
static int names(int nrecords)
{
    return (1 + HDI_MAX_IN) * nrecords;
}

static size_t plan_bytes(int nsteps, int ngens, int nrecords)
{
    return sizeof(hdi_exec_plan) + sizeof(hdi_step) * (size_t)nsteps +
           (sizeof(hdi_gen_use) + sizeof(hdi_named) + 2 * sizeof(uint16_t)) * (size_t)ngens +
           sizeof(uint16_t) * (size_t)names(nrecords);
}

void hdi_plan_drop(hdi_plan *head)
{
    hdi_exec_plan *plan = (hdi_exec_plan *)head;
    for (int s = 0; s < plan->nsteps; s++) {
        hdi_kernel_free(plan->steps[s].kernel);
        release_program(plan->steps[s].program);
    }
    hdi_free(plan, plan_bytes(plan->nsteps, plan->ngens, plan->nrecords));
}

static hdi_exec_plan *plan_new(int nsteps, int ngens, int nrecords)
{
    hdi_exec_plan *plan = hdi_calloc(plan_bytes(nsteps, ngens, nrecords));
    if (plan == NULL) {
        hdi_fail(HD_NOMEM, "out of memory for a plan of %d operations", nrecords);
        return NULL;
    }
    plan->head.drop = hdi_plan_drop;
    plan->nsteps = nsteps;
    plan->ngens = ngens;
    plan->nrecords = nrecords;
    plan->steps = (hdi_step *)(plan + 1);
    plan->use = (hdi_gen_use *)(plan->steps + nsteps);
    plan->named = (hdi_named *)(plan->use + ngens);
    plan->stored = (uint16_t *)(plan->named + ngens);
    plan->dying = plan->stored + ngens;
    plan->touched = plan->dying + ngens;
    return plan;
}

static hd_status build_step(hd_device *dev, hdi_planning *p, int n, hdi_step *step)
{
    const hdi_group *g = &p->partition.group[n];
    step->record = g->record[0];
    step->reduced = g->sqaxes;
    step->order_record = (int16_t)g->first_reduction;
    step->wraps = g->wraps > 0;
    if (g->library)
        return HD_OK;
    if ((step->kernel = hdi_lower(p, n)) == NULL)
        return HD_NOMEM;
#ifdef HDI_DEBUG
    if (HDI_CHECK(map) && hdi_kernel_verify(step->kernel) != HD_OK)
        return HD_INTERNAL;
#endif
    for (int i = 0; i < step->kernel->nslots; i++) {
        const hdi_kslot *slot = &step->kernel->slots[i];
        if (slot->level == KIR_ROW && slot->kind != HDI_SLOT_SCALAR)
            step->nrows++;
    }
    return get_program(dev, step->kernel, &step->program);
}

static void count_names(hdi_exec_plan *plan, const hdi_canon *c)
{
    for (int i = 0; i < c->n; i++) {
        plan->nops += c->record[i].cls != HDI_MORE;
        for (int k = 0; k <= c->record[i].nin; k++) {
            const hdi_coperand *o = &c->record[i].operand[k];
            if (o->kind != HDI_ARRAY)
                continue;
            plan->named[o->gen].recs++;
            if (k == 0)
                plan->named[o->gen].writes++;
        }
    }
}

/* What each step reads and writes: where one fails, others need not. */
static void list_touched(hdi_exec_plan *plan, const hdi_canon *c, const hdi_partition *p)
{
    uint16_t n = 0;
    for (int s = 0; s < plan->nsteps; s++) {
        const hdi_group *g = &p->group[s];
        plan->steps[s].touched = n;
        for (int i = 0; i < g->n; i++) {
            const hdi_crecord *r = &c->record[g->record[i]];
            for (int k = 0; k <= r->nin; k++)
                if (r->operand[k].kind == HDI_ARRAY)
                    plan->touched[n++] = (uint16_t)(r->operand[k].gen | (k == 0 ? HDI_WRITTEN : 0));
        }
        plan->steps[s].ntouched = (uint16_t)(n - plan->steps[s].touched);
    }
}

/* In which order generations are given memory, and give it back. */
static void order_memory(hdi_exec_plan *plan, const hdi_canon *c)
{
    for (int s = -1; s < plan->nsteps; s++)
        for (int g = 0; g < plan->ngens; g++) {
            const hdi_gen_use *u = &plan->use[g];
            if (u->memory && u->first_group == s)
                plan->stored[plan->nstored++] = (uint16_t)g;
            if (u->memory && !c->cgen[g].live && u->last_group == s && s >= 0 &&
                s + 1 < plan->nsteps)
                plan->dying[plan->ndying++] = (uint16_t)g;
        }
}

hd_status hdi_plan_build(hd_device *dev, hdi_planning *p, hdi_exec_plan **out)
{
    const hdi_canon *c = &p->canon;
    hdi_planning_make(p);
    hdi_exec_plan *plan = plan_new(p->partition.ngroups, c->ngens, c->n);
    if (plan == NULL)
        return HD_NOMEM;
    memcpy(plan->use, p->use, sizeof *plan->use * (size_t)c->ngens);
    count_names(plan, c);
    list_touched(plan, c, &p->partition);
    order_memory(plan, c);
    for (int g = 0; g < c->ngens; g++)
        plan->ntakeovers += plan->use[g].take_from >= 0;
    plan->ntemporaries = plan->ngens - plan->nstored;
    for (int n = 0; n < plan->nsteps; n++) {
        hd_status status = build_step(dev, p, n, &plan->steps[n]);
        if (status != HD_OK) {
            hdi_plan_drop(&plan->head);
            return status;
        }
    }
    *out = plan;
    return HD_OK;
}

void hdi_plan_again(hd_device *dev, hdi_plan *p)
{
    hdi_plan_use(p);
    dev->windows[0]->stats.plan_hits++;
}

hd_status hdi_plan_for(hd_device *dev, hdi_planning *p, hdi_exec_plan **plan)
{
    const hdi_canon *c = &p->canon;
    hdi_window_stats *st = &dev->windows[0]->stats;
    *plan = (hdi_exec_plan *)hdi_plan_find(dev, c);
    if (*plan != NULL) {
        hdi_plan_again(dev, &(*plan)->head);
        return HD_OK;
    }
    hd_status status = hdi_plan_build(dev, p, plan);
    if (status != HD_OK)
        return status;
    st->plans++;
    st->planned_records += (*plan)->nops;
    status = hdi_plan_add(&(*plan)->head, dev, c);
    if (status != HD_OK)
        hdi_plan_drop(&(*plan)->head);
    return status;
}
