/* SPDX-License-Identifier: BSD-3-Clause */
/* partition.c - greedy partition in program order: each record joins the earliest kernel that
 * may take it, one that depends on no other the latest; else it starts one.
 *
 * A kernel runs over one domain. A record over that domain is FULL. Once the kernel has a
 * reduction, a record over the kept extents is ROW, and a FULL record that reads a reduced
 * value, repeated along exactly the reduced axes, opens a new phase (class RR), if rows are
 * short enough to be kept at hand. Records in conflict may meet only if both accesses have the
 * same index map (edges say so), seen from the same level. */
#include "fuse/partition.h"

/* What joining would make of record i. */
typedef struct seat { uint8_t level, phase; bool war; } seat;

/* Do the accesses of one generation by j (earlier) and i, at least one of them a write, fit one
 * kernel? Raises i's seat as needed. */
static bool conflicts_agree(const hdi_canon *c, const hdi_partition *p, int i, int j, seat *s)
{
    const hdi_crecord *a = &c->record[j], *b = &c->record[i];
    const hdi_coperand *aw = &a->operand[0], *bw = &b->operand[0];
    uint8_t level = p->level[j], phase = p->phase[j];
    bool a_reduces = a->cls == 'r', b_reduces = b->cls == 'r';
    for (int k = 1; k <= b->nin; k++) {   /* read after write */
        const hdi_coperand *r = &b->operand[k];
        if (r->kind != HDI_ARRAY || r->gen != aw->gen)
            continue;
        if (level == KIR_ROW && s->level == KIR_FULL)
            /* repeated along the reduced axes: checked by the caller */
            phase = (uint8_t)(p->phase[j] + 1);
        else if (level != s->level || (level == KIR_FULL && r->zmask != 0))
            return false;
    }
    for (int k = 1; k <= a->nin; k++) {   /* write after read */
        const hdi_coperand *r = &a->operand[k];
        if (r->kind != HDI_ARRAY || r->gen != bw->gen)
            continue;
        uint8_t reader = a_reduces ? KIR_FULL : level;
        if (b_reduces || reader != s->level || r->zmask != 0)
            return false;
        s->war = true;
    }
    if (aw->gen == bw->gen && level != (b_reduces ? KIR_ROW : s->level))   /* write after write */
        return false;
    s->phase = s->phase > phase ? s->phase : phase;
    return true;
}

/* Is every read of a ROW value by a FULL record repeated along exactly the reduced axes? */
static bool repeats_rows(const hdi_canon *c, const hdi_partition *p, const hdi_group *g, int i,
                         int j)
{
    const hdi_crecord *b = &c->record[i];
    uint16_t gen = c->record[j].operand[0].gen;
    if (p->level[j] != KIR_ROW)
        return true;
    for (int k = 1; k <= b->nin; k++)
        if (b->operand[k].kind == HDI_ARRAY && b->operand[k].gen == gen &&
            b->operand[k].zmask != g->sqaxes)
            return false;
    return true;
}

static bool rows_fit(const hdi_canon *c, const hdi_group *g)
{
    for (int m = 0; m < g->n; m++)
        if (c->record[g->record[m]].cls == 'r' && !c->record[g->record[m]].row_fits)
            return false;
    return true;
}

static bool same_reduction(const hdi_canon *c, const hdi_group *g, const hdi_crecord *r)
{
    if (g->first_reduction < 0)
        return true;
    const hdi_crecord *f = &c->record[g->first_reduction];
    const hdi_coperand *x = &f->operand[1], *y = &r->operand[1];
    bool same_order = (x->c_order && y->c_order) ||
                      (x->kind == HDI_ARRAY && y->kind == HDI_ARRAY && x->core == y->core);
    return g->sqaxes == r->sqaxes && g->row == r->row && same_order &&
           (f->nin == 2) == (r->nin == 2);
}

/* Do the edges of one slot of a record allow it to join group n? */
static bool edges_agree(const hdi_canon *c, const hdi_partition *p, int n, int i, seat *s)
{
    const hdi_crecord *r = &c->record[i];
    for (int k = 0; k < r->nedges; k++) {
        hdi_cedge e = c->edge[r->first_edge + k];
        if (p->where[e.to] != n)
            continue;
        if (HDI_CHECK(map) && (e.verdict != HDI_SAME_MAP || !conflicts_agree(c, p, i, e.to, s)))
            return false;
        if (s->level == KIR_FULL && !repeats_rows(c, p, &p->group[n], i, e.to))
            return false;
    }
    return true;
}

/* May record i join group g (number n)? */
static bool may_join(const hdi_canon *c, const hdi_partition *p, int n, int i, seat *s)
{
    const hdi_group *g = &p->group[n];
    const hdi_crecord *r = &c->record[i];
    if (!c->fusion || g->library || r->cls == 'x' ||
        g->n + r->more >= HDI_KERNEL_MAX_RECORDS)
        return false;
    *s = (seat){KIR_FULL, 0, g->has_war};
    if (r->domain != g->domain) {
        if (r->cls != 'e' || g->row < 0 || r->domain != g->row)
            return false;
        s->level = KIR_ROW;
    }
    if ((g->wraps > 0 && r->cls == 'r') ||
        (r->wraps && (g->first_reduction >= 0 || g->wraps == HDI_WRAPS_MOST)))
        return false;
    if (r->cls == 'r' && !same_reduction(c, g, r))
        return false;
    for (int slot = i; slot <= i + r->more; slot++)
        if (!edges_agree(c, p, n, slot, s))
            return false;
    int nphases = s->phase + 1 > g->nphases ? s->phase + 1 : g->nphases;
    if (nphases > 1 && (s->war || !rows_fit(c, g) || (r->cls == 'r' && !r->row_fits)))
        return false;
    return true;
}

static void join(hdi_partition *p, const hdi_canon *c, int n, int i, const seat *s)
{
    hdi_group *g = &p->group[n];
    const hdi_crecord *r = &c->record[i];
    g->record[g->n++] = (uint16_t)i;
    g->has_war = s->war;
    g->wraps += r->wraps;
    p->where[i] = (uint16_t)n;
    p->phase[i] = s->phase;
    p->level[i] = r->cls == 'r' ? KIR_ROW : s->level;   /* of its result */
    if (s->phase + 1 > g->nphases)
        g->nphases = s->phase + 1;
    if (r->cls == 'r' && g->first_reduction < 0) {
        g->first_reduction = i;
        g->sqaxes = r->sqaxes;
        g->row = r->row;
    }
}

static void open_group(hdi_partition *p, const hdi_crecord *r)
{
    hdi_group *g = &p->group[p->ngroups++];
    g->library = r->cls == 'x';
    g->has_war = false;
    g->wraps = 0;
    g->domain = r->domain;
    g->row = -1;
    g->sqaxes = 0;
    g->first_reduction = -1;
    g->nphases = 1;
    g->n = 0;
}

/* The group that record i joins; p->ngroups: a new one. What depends on others of the chunk goes as
 * early as it may, with them; what does not as late as it may, with what was recorded just before
 * it and mostly, therefore, with what reads it: in a loop of several kernels a power of a constant
 * would else be made in the first of them for all the steps of the chunk, and kept in memory. */
static int group_for(const hdi_canon *c, const hdi_partition *p, int i, seat *s)
{
    const hdi_crecord *r = &c->record[i];
    int n = 0, nedges = 0;
    for (int slot = i; slot <= i + r->more; slot++)
        nedges += c->record[slot].nedges;
    for (int k = 0; k < nedges; k++) {   /* those of one slot after another */
        int at = p->where[c->edge[r->first_edge + k].to];
        n = at > n ? at : n;
    }
    if (nedges == 0)
        for (int late = p->ngroups; late-- > 0;)
            if (may_join(c, p, late, i, s))
                return late;
    while (n < p->ngroups && !may_join(c, p, n, i, s))
        n++;
    return n;
}

void hdi_partition_make(hdi_partition *p, const hdi_canon *c)
{
    p->ngroups = 0;
    for (int i = 0; i < c->n; i += 1 + c->record[i].more) {
        seat s;
        int n = group_for(c, p, i, &s);
        if (n == p->ngroups) {
            s = (seat){KIR_FULL, 0, false};
            open_group(p, &c->record[i]);
        }
        for (int slot = i; slot <= i + c->record[i].more; slot++)
            join(p, c, n, slot, &s);
    }
    if (c->fusion)
        hdi_partition_sink(p, c);
}
