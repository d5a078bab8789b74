/* SPDX-License-Identifier: BSD-3-Clause */
/* lower.c - writes a group's kernel IR: each record's operands become values, each value that
 * must survive becomes a store. */
#include "fuse/lower.h"

#include "base/alloc.h"
#include "core/op.h"

/* ---- which generations need memory, and whose they may take ---------------------------------- */

/* Does an earlier record of the same group write exactly what operand k of record i reads? */
static bool forwarded(const hdi_canon *c, const hdi_partition *p, int i, int k)
{
    const hdi_coperand *r = &c->record[i].operand[k];
    const hdi_group *g = &p->group[p->where[i]];
    for (int m = 0; m < g->n && g->record[m] < i; m++) {
        const hdi_coperand *w = &c->record[g->record[m]].operand[0];
        if (w->gen == r->gen && w->core == r->core && w->view == r->view && w->dt == r->dt)
            return true;
    }
    return false;
}

static void note_use(hdi_gen_use *u, int group, bool write)
{
    if (u->first_group < 0 || group < u->first_group)
        u->first_group = (int16_t)group;
    if (group > u->last_group)
        u->last_group = (int16_t)group;
    if (write && group > u->last_write)
        u->last_write = (int16_t)group;
}

/* Could output o of record i live where the dying generation of operand r lived? Same elements
 * in the same order, whole buffers. */
static bool same_place(const hdi_coperand *o, const hdi_coperand *r)
{
    return r->kind == HDI_ARRAY && r->whole && r->core == o->core && r->zmask == 0;
}

/* Within group g, is generation gen only ever read, always as operand r sees it, and never after
 * record i? */
static bool only_read_before(const hdi_canon *c, const hdi_group *g, const hdi_coperand *r, int i)
{
    for (int m = 0; m < g->n; m++) {
        const hdi_crecord *e = &c->record[g->record[m]];
        for (int k = 0; k <= e->nin; k++) {
            const hdi_coperand *q = &e->operand[k];
            if (q->kind != HDI_ARRAY || q->gen != r->gen)
                continue;
            if (k == 0 || q->core != r->core || q->view != r->view || q->zmask != 0 ||
                g->record[m] > i)
                return false;
        }
    }
    return true;
}

/* Rule M8: an output takes over an input that dies in this kernel under the same map. */
static void find_takeover(const hdi_canon *c, const hdi_partition *p, int i, hdi_gen_use *use)
{
    const hdi_crecord *r = &c->record[i];
    const hdi_coperand *o = &r->operand[0];
    const hdi_group *g = &p->group[p->where[i]];
    hdi_gen_use *u = &use[o->gen];
    if (g->library || g->nphases > 1 || p->level[i] != KIR_FULL || !o->whole || !u->memory ||
        !c->cgen[o->gen].fresh || c->cgen[o->gen].pinned || u->first_group != p->where[i] ||
        u->take_from >= 0)
        return;
    for (int m = 0; m < g->n && g->record[m] <= i; m++) {
        const hdi_crecord *e = &c->record[g->record[m]];
        for (int k = 1; k <= e->nin; k++) {
            const hdi_coperand *q = &e->operand[k];
            if (q->kind != HDI_ARRAY || !same_place(o, q))
                continue;
            hdi_gen_use *v = &use[q->gen];
            const hdi_cgen *dying = &c->cgen[q->gen];
            bool dies = !dying->live && !dying->pinned && v->last_group == p->where[i];
            if (!v->memory || v->taken || q->gen == o->gen)
                continue;
            if (HDI_CHECK(takeover) && (!dies || !only_read_before(c, g, q, i)))
                continue;
            u->take_from = (int16_t)q->gen;
            v->taken = true;
            return;
        }
    }
}

static void find_uses(const hdi_canon *c, const hdi_partition *p, hdi_gen_use *use)
{
    for (int g = 0; g < c->ngens; g++)
        use[g] = (hdi_gen_use){-1, -1, -1, -1, c->cgen[g].live || !c->cgen[g].fresh, false};
    for (int i = 0; i < c->n; i++)
        for (int k = 0; k <= c->record[i].nin; k++)
            if (c->record[i].operand[k].kind == HDI_ARRAY)
                note_use(&use[c->record[i].operand[k].gen], p->where[i], k == 0);
    for (int i = 0; i < c->n; i++)
        for (int k = 0; k <= c->record[i].nin; k++) {
            const hdi_coperand *o = &c->record[i].operand[k];
            if (o->kind != HDI_ARRAY)
                continue;
            hdi_gen_use *u = &use[o->gen];
            if (p->group[p->where[i]].library || u->first_group != u->last_group ||
                (k > 0 && !forwarded(c, p, i, k)))
                u->memory = true;
        }
    for (int i = 0; i < c->n; i++)
        find_takeover(c, p, i, use);
}

void hdi_planning_make(hdi_planning *p)
{
    hdi_canon_decode(&p->canon);
    hdi_partition_make(&p->partition, &p->canon);
    find_uses(&p->canon, &p->partition, p->use);
}

/* ---- kernel IR ------------------------------------------------------------------------------- */

typedef hdi_known known;
typedef hdi_lowering builder;

static uint16_t emit(builder *b, hdi_kinst inst)
{
    /* The same pure value once more: look back a little. */
    int stop = b->ninst > 48 ? b->ninst - 48 : 0;
    if (inst.kind == KIR_CAST || inst.kind == KIR_EW)
        for (int i = b->ninst - 1; i >= stop; i--) {
            const hdi_kinst *e = &b->inst[i];
            if (e->kind == inst.kind && e->op == inst.op && e->dt == inst.dt &&
                e->cdt == inst.cdt && e->level == inst.level && e->phase <= inst.phase &&
                e->narg == inst.narg && memcmp(e->arg, inst.arg, sizeof e->arg) == 0)
                return (uint16_t)i;
        }
    b->inst[b->ninst] = inst;
    return (uint16_t)b->ninst++;
}

static uint16_t add_slot(builder *b, int record, int operand, hdi_slot_kind kind, uint8_t dt,
                         uint8_t level, bool write)
{
    b->slot[b->nslots] =
        (hdi_kslot){(uint16_t)record, (uint8_t)operand, (uint8_t)kind, dt, level, write, 0};
    return (uint16_t)b->nslots++;
}

/* Does a value of dt stand for what operand o reads? A bool that is only moved is moved as a byte,
 * since a byte other than 0 and 1 stays what it is (a view of another dtype may have put it there):
 * then a value loaded as a bool does not do. */
static bool stands_for(const builder *b, const known *e, const hdi_coperand *o, bool moved)
{
    uint8_t dt = b->inst[e->inst].dt;
    if (o->dt != HD_BOOL || o->kind != HDI_ARRAY)
        return dt == o->dt;
    return dt == HD_UINT8 || (dt == HD_BOOL && (e->written || !moved));
}

static known *find_known(builder *b, const hdi_coperand *o, uint8_t level, bool moved)
{
    known *row = NULL;
    for (int k = b->nknown - 1; k >= 0; k--) {
        known *e = &b->known[k];
        if (e->gen != o->gen || e->core != o->core || e->view != o->view ||
            !stands_for(b, e, o, moved))
            continue;
        if (e->level == level && e->zmask == o->zmask)
            return e;
        /* a ROW value of an earlier phase */
        if (e->level != level && level == KIR_FULL && e->written)
            row = e;
    }
    return row;
}

/* moved: the value itself is of no interest, its bytes are. */
static uint16_t read_operand(builder *b, int i, int k, uint8_t level, uint8_t phase, bool moved)
{
    const hdi_coperand *o = &b->c->record[i].operand[k];
    hdi_kinst inst = {.dt = o->dt, .level = level, .phase = phase};
    if (o->kind == HDI_ARRAY) {
        known *e = find_known(b, o, level, moved);
        if (e != NULL) {   /* a load serves the earliest phase that needs it */
            hdi_kinst *from = &b->inst[e->inst];
            if (!e->written && from->phase > phase)
                from->phase = phase;
            return e->inst;
        }
        inst.kind = KIR_LOAD;
        inst.dt = moved && o->dt == HD_BOOL ? HD_UINT8 : o->dt;
        inst.slot = add_slot(b, i, k, HDI_SLOT_ARRAY, inst.dt, level, false);
        uint16_t v = emit(b, inst);
        b->known[b->nknown++] =
            (known){o->gen, o->core, o->view, v, o->zmask, level, false, (int16_t)i};
        return v;
    }
    inst.kind = o->kind == HDI_SCALAR ? KIR_SCALAR : KIR_INDEX;
    inst.slot = add_slot(b, i, k, o->kind == HDI_SCALAR ? HDI_SLOT_SCALAR : HDI_SLOT_INDEX, o->dt,
                         level, false);
    return emit(b, inst);
}

static uint16_t cast_once(builder *b, uint16_t v, hd_dtype dt, uint8_t level, uint8_t phase)
{
    if (b->inst[v].dt == dt)
        return v;
    return emit(b, (hdi_kinst){.kind = KIR_CAST,
                               .dt = (uint8_t)dt,
                               .level = level,
                               .phase = phase,
                               .narg = 1,
                               .arg = {v}});
}

/* Back ends know half types as casts from and to float32 (and from float64 to float16): the other
 * casts take two steps. */
static uint16_t cast(builder *b, uint16_t v, hd_dtype dt, uint8_t level, uint8_t phase)
{
    hd_dtype via = hdi_cast_via((hd_dtype)b->inst[v].dt, dt);
    if (via != HD_NO_DTYPE)
        v = cast(b, v, via, level, phase);
    return cast_once(b, v, dt, level, phase);
}

static void write_result(builder *b, int i, uint16_t v)
{
    const hdi_coperand *o = &b->c->record[i].operand[0];
    uint8_t level = b->p->level[i];
    for (int k = 0; k < b->nknown; k++) {   /* the view's old value is history */
        known *e = &b->known[k];
        if (e->gen == o->gen && e->core == o->core && e->view == o->view)
            *e = b->known[--b->nknown], k--;
    }
    /* A reduction's result repeats along the reduced axes of the domain; as a ROW value it does
     * not repeat. */
    uint64_t zmask = b->c->record[i].cls == 'r' ? 0 : o->zmask;
    b->known[b->nknown++] = (known){o->gen, o->core, o->view, v, zmask, level, true, (int16_t)i};
}

/* Operand k of record i as the loop wants it. An input that a half type does not hold is rounded to
 * it before float32 computes; a number was rounded when it was recorded. */
static uint16_t argument(builder *b, int i, int k, uint8_t in_level)
{
    const hdi_crecord *r = &b->c->record[i];
    hd_op op = (hd_op)r->op;
    hd_dtype cdt = (hd_dtype)r->cdt, want = hdi_loop_dtype(op, k, cdt),
             runs = hdi_loop_dtype(op, k, hdi_compute_dtype(op, cdt));
    const hdi_coperand *o = &r->operand[k + 1];
    uint8_t phase = b->p->phase[i];
    bool moved = op == HD_OP_copy && o->dt == r->operand[0].dt;
    uint16_t v = read_operand(b, i, k + 1, in_level, phase, moved);
    uint8_t at = b->inst[v].level == KIR_ROW ? KIR_ROW : in_level;
    if (at == b->inst[v].level && at == KIR_ROW && in_level == KIR_FULL)
        phase = b->inst[v].phase;
    if (moved)
        return v;
    if (o->kind == HDI_ARRAY && o->dt == HD_BOOL)   /* if it is a byte */
        v = cast(b, v, HD_BOOL, at, phase);
    if (op == HD_OP_copy)
        return cast(b, v, (hd_dtype)r->operand[0].dt, at, phase);
    bool exact = b->inst[v].kind == KIR_SCALAR ||
                 hd_can_cast((hd_dtype)b->inst[v].dt, want, HD_CAST_SAFE);
    if (want != runs && !exact)
        v = cast(b, v, want, at, phase);
    return cast(b, v, runs, at, phase);
}

static void lower_record(builder *b, int i)
{
    const hdi_crecord *r = &b->c->record[i];
    uint8_t phase = b->p->phase[i], in_level = r->cls == 'r' ? KIR_FULL : b->p->level[i];
    hd_op op = (hd_op)r->op;
    hd_dtype cdt = (hd_dtype)r->cdt, runs = hdi_compute_dtype(op, cdt);
    hdi_kinst inst = {.kind = r->cls == 'r' ? KIR_REDUCE : KIR_EW,
                      .dt = (uint8_t)hdi_value_dtype(op, runs),
                      .cdt = (uint8_t)runs,
                      .op = r->op,
                      .phase = phase,
                      .narg = r->nin};
    inst.level = b->p->level[i];
    for (int k = 0; k < r->nin; k++)
        inst.arg[k] = argument(b, i, k, in_level);
    if (op == HD_OP_copy) {
        write_result(b, i, inst.arg[0]);
        return;
    }
    uint16_t v = cast(b, emit(b, inst), hdi_value_dtype(op, cdt), inst.level, phase);
    write_result(b, i, cast(b, v, (hd_dtype)r->operand[0].dt, inst.level, phase));
}

/* One store for each written view whose generation has memory, in the order of the writes. */
static void emit_stores(builder *b)
{
    for (int k = 0; k < b->nknown; k++) {
        const known *e = &b->known[k];
        if (!e->written || !b->use[e->gen].memory)
            continue;
        hdi_kinst inst = {.kind = KIR_STORE,
                          .dt = b->inst[e->inst].dt,
                          .level = e->level,
                          .narg = 1,
                          .arg = {e->inst}};
        inst.phase = b->inst[e->inst].phase > b->p->phase[e->record] ? b->inst[e->inst].phase
                                                                     : b->p->phase[e->record];
        inst.slot = add_slot(b, e->record, 0, HDI_SLOT_ARRAY, inst.dt, e->level, true);
        b->inst[b->ninst++] = inst;
    }
}

hdi_kernel *hdi_lower(hdi_planning *p, int n)
{
    const hdi_canon *c = &p->canon;
    const hdi_group *g = &p->partition.group[n];
    builder *b = &p->lowering;
    b->c = c;
    b->p = &p->partition;
    b->use = p->use;
    b->ninst = b->nslots = b->nknown = 0;
    for (int m = 0; m < g->n; m++)
        lower_record(b, g->record[m]);
    emit_stores(b);
    size_t insts = sizeof(hdi_kinst) * (size_t)b->ninst,
           slots = sizeof(hdi_kslot) * (size_t)b->nslots;
    hdi_kernel *k = hdi_alloc(sizeof *k + insts + slots);
    if (k == NULL) {
        hdi_fail(HD_NOMEM, "out of memory for a kernel of %d operations", g->n);
        return NULL;
    }
    *k = (hdi_kernel){.cls = g->first_reduction < 0 ? 'e'
                             : g->nphases > 1       ? 'w'
                                                    : 'r',
                      .nphases = (uint8_t)g->nphases,
                      .ninst = (uint16_t)b->ninst,
                      .nslots = (uint16_t)b->nslots,
                      .nrecords = (uint16_t)g->n};
    k->domain_record = g->record[0];
    for (int m = 0; m < g->n; m++)
        if (c->record[g->record[m]].domain == g->domain) {
            k->domain_record = g->record[m];
            break;
        }
    k->inst = (hdi_kinst *)(k + 1);
    k->slots = (hdi_kslot *)(k->inst + b->ninst);
    memcpy(k->inst, b->inst, insts);
    memcpy(k->slots, b->slot, slots);
    for (int s = 0; s < b->nslots; s++)
        k->has_index |= b->slot[s].kind == HDI_SLOT_INDEX;
    return k;
}

void hdi_kernel_free(hdi_kernel *k)
{
    if (k != NULL)
        hdi_free(k, sizeof *k + sizeof(hdi_kinst) * k->ninst + sizeof(hdi_kslot) * k->nslots);
}
