/* SPDX-License-Identifier: BSD-3-Clause */
/* sink.c - records move from the kernel they joined to a later one, where all that read them are.
 *
 * The partition is greedy: a record joins the earliest kernel that may take it. In a loop over
 * stencils that is the kernel of the step before, which has just made the operands; what it makes
 * goes through memory to the kernel that reads it, and costs a store and a load. Where that one
 * loads the same operands anyway, it can as well compute it. */
#include "fuse/partition.h"

/* Records that move together: the first one is read by the later kernel, the others within it. */
enum { TREE_MOST = 8 };
typedef struct tree {
    const hdi_canon *c;
    const hdi_partition *p;
    int from, to;              /* groups */
    int n, wraps;
    uint16_t record[TREE_MOST];
    /* operands that the later kernel does not load yet */
    int nloads;
    const hdi_coperand *load[TREE_MOST * HDI_MAX_IN];
} tree;

static bool is_in(const tree *t, int i)
{
    for (int k = 0; k < t->n; k++)
        if (t->record[k] == i)
            return true;
    return false;
}

static bool reads(const hdi_crecord *r, int gen)
{
    for (int k = 1; k <= r->nin; k++)
        if (r->operand[k].kind == HDI_ARRAY && r->operand[k].gen == gen)
            return true;
    return false;
}

static bool writes(const hdi_crecord *r, int gen)
{
    return r->operand[0].kind == HDI_ARRAY && r->operand[0].gen == gen;
}

static bool same_elements(const hdi_coperand *a, const hdi_coperand *b)
{
    return a->gen == b->gen && a->core == b->core && a->view == b->view && a->dt == b->dt &&
           a->zmask == b->zmask;
}

/* Do only records of the tree read what i makes, or for the first record only those of the later
 * kernel? And do all of them see it as i does? */
static bool is_read_there_only(const tree *t, int i)
{
    const hdi_coperand *made = &t->c->record[i].operand[0];
    for (int j = 0; j < t->c->n; j++) {
        const hdi_crecord *r = &t->c->record[j];
        if (j != i && writes(r, made->gen))
            return false;
        if (!reads(r, made->gen))
            continue;
        if (!is_in(t, j) && (t->n > 0 || t->p->where[j] != t->to))
            return false;
        for (int k = 1; k <= r->nin; k++)
            if (r->operand[k].kind == HDI_ARRAY && r->operand[k].gen == made->gen &&
                !same_elements(&r->operand[k], made))
                return false;
    }
    return true;
}

/* Is an operand of i written to between i and the later kernel's end? */
static bool changes(const tree *t, int i, int gen)
{
    for (int j = i + 1; j < t->c->n; j++)
        if (writes(&t->c->record[j], gen) && t->p->where[j] <= t->to)
            return true;
    return false;
}

/* The only record that writes to it; -1: there are others, or none. */
static int maker_of(const tree *t, int gen)
{
    int maker = -1;
    for (int j = 0; j < t->c->n; j++)
        if (writes(&t->c->record[j], gen)) {
            if (maker >= 0)
                return -1;
            maker = j;
        }
    return maker;
}

/* Has it memory whatever the tree does? */
static bool is_stored(const tree *t, int gen)
{
    const hdi_cgen *g = &t->c->cgen[gen];
    if (g->live || g->pinned || !g->fresh)
        return true;
    const int maker = maker_of(t, gen);
    for (int j = 0; j < t->c->n; j++)
        if (reads(&t->c->record[j], gen) && !is_in(t, j) &&
            (maker < 0 || t->p->where[j] != t->p->where[maker]))
            return true;
    return false;
}

static bool is_loaded_there(const tree *t, const hdi_coperand *o)
{
    for (int k = 0; k < t->nloads; k++)
        if (same_elements(t->load[k], o))
            return true;
    const hdi_group *g = &t->p->group[t->to];
    for (int m = 0; m < g->n; m++) {
        const hdi_crecord *r = &t->c->record[g->record[m]];
        for (int k = 1; k <= r->nin; k++)
            if (r->operand[k].kind == HDI_ARRAY && same_elements(&r->operand[k], o))
                return true;
    }
    return false;
}

static bool is_plain(const tree *t, int i)
{
    const hdi_crecord *r = &t->c->record[i];
    const hdi_coperand *made = &r->operand[0];
    const hdi_cgen *g = &t->c->cgen[made->gen];
    return r->cls == 'e' && r->more == 0 && made->kind == HDI_ARRAY && made->whole && g->fresh &&
           !g->live && !g->pinned && t->p->where[i] == t->from &&
           r->domain == t->p->group[t->to].domain;
}

/* Takes i into the tree, and of what makes its operands what only the tree reads. */
static bool take(tree *t, int i)
{
    if (t->n == TREE_MOST || !is_plain(t, i) || !is_read_there_only(t, i))
        return false;
    const hdi_crecord *r = &t->c->record[i];
    t->record[t->n++] = (uint16_t)i;
    t->wraps += r->wraps;
    for (int k = 1; k <= r->nin; k++) {
        const hdi_coperand *o = &r->operand[k];
        if (o->kind != HDI_ARRAY)
            continue;
        if (changes(t, i, o->gen))
            return false;
        if (is_stored(t, o->gen)) {
            if (!is_loaded_there(t, o))
                t->load[t->nloads++] = o;
            continue;
        }
        const int maker = maker_of(t, o->gen);
        if (maker < 0 || (!is_in(t, maker) && !take(t, maker)))
            return false;
    }
    return true;
}

/* Which kernel reads each generation: NOBODY, its number, or SEVERAL do. */
enum { NOBODY = -1, SEVERAL = -2 };
typedef struct readers { int16_t group[HDI_MAX_GENS]; } readers;

static void note_reader(readers *r, const hdi_partition *p, const hdi_canon *c, int i)
{
    for (int k = 1; k <= c->record[i].nin; k++) {
        const hdi_coperand *o = &c->record[i].operand[k];
        if (o->kind != HDI_ARRAY)
            continue;
        int16_t *group = &r->group[o->gen];
        *group = *group == NOBODY || *group == p->where[i] ? (int16_t)p->where[i] : SEVERAL;
    }
}

static void find_readers(readers *r, const hdi_partition *p, const hdi_canon *c)
{
    for (int g = 0; g < c->ngens; g++)
        r->group[g] = NOBODY;
    for (int i = 0; i < c->n; i++)
        note_reader(r, p, c, i);
}

static bool computes_elements(const hdi_group *g)
{
    return !g->library && g->first_reduction < 0 && g->nphases == 1;
}

/* In the order of the program. */
static void add(hdi_group *g, int i)
{
    int at = g->n++;
    for (; at > 0 && g->record[at - 1] > i; at--)
        g->record[at] = g->record[at - 1];
    g->record[at] = (uint16_t)i;
}

static void drop(hdi_group *g, int i)
{
    int n = 0;
    for (int m = 0; m < g->n; m++)
        if (g->record[m] != i)
            g->record[n++] = g->record[m];
    g->n = n;
}

static void move(hdi_partition *p, const tree *t)
{
    for (int k = 0; k < t->n; k++) {
        drop(&p->group[t->from], t->record[k]);
        add(&p->group[t->to], t->record[k]);
        p->where[t->record[k]] = (uint16_t)t->to;
    }
    p->group[t->from].wraps -= t->wraps;
    p->group[t->to].wraps += t->wraps;
}

/* May what i makes be made by a later kernel, the only one that reads it? */
static bool may_sink(const readers *r, const hdi_partition *p, const hdi_canon *c, int i)
{
    const hdi_coperand *made = &c->record[i].operand[0];
    return c->record[i].cls == 'e' && made->kind == HDI_ARRAY &&
           r->group[made->gen] > (int)p->where[i] &&
           computes_elements(&p->group[p->where[i]]) &&
           computes_elements(&p->group[r->group[made->gen]]);
}

/* What a tree costs must be less than the store and the load that it saves. */
void hdi_partition_sink(hdi_partition *p, const hdi_canon *c)
{
    enum { SAVED = 2 };
    readers r;
    find_readers(&r, p, c);
    for (int i = c->n; i-- > 0;) {
        if (HDI_LIKELY(!may_sink(&r, p, c, i)))
            continue;
        tree t = {.c = c, .p = p, .from = p->where[i],
                  .to = r.group[c->record[i].operand[0].gen]};
        if (take(&t, i) && t.nloads < SAVED && t.n < p->group[t.from].n &&
            p->group[t.to].n + t.n < HDI_KERNEL_MAX_RECORDS &&
            p->group[t.to].wraps + t.wraps <= HDI_WRAPS_MOST) {
            move(p, &t);
            find_readers(&r, p, c);
        }
    }
}
