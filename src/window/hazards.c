/* SPDX-License-Identifier: BSD-3-Clause */
/* hazards.c - which pending records one that is recorded conflicts with, as edges. Rules M3 and M4.
 *
 * Each generation has a chain of writes and one of reads, newest first. The first links are walked:
 * mostly the writes among them cover the view, and what is older is ordered by these. Of what is
 * left the bounds (bounds.h) say which could meet. */
#include "base/alloc.h"
#include "window/append.h"
#include "window/bounds.h"

/* Records that are walked before the bounds are asked. */
enum { NEAR = 2 };

/* One operand and the chain it is compared with. */
typedef struct search {
    hdi_window *w;
    hdi_record *r;
    int k;
    bool no_memory;
    /* The newest writes cover the operand all together: the oldest of them, 0 if they do not yet.
     * Until then: the bytes in which it may not be covered. */
    uint64_t covered;
    int64_t from, to;
} search;

static hdi_edge *edge_at(hdi_record *r, int i)
{
    return i < HDI_EDGES_INLINE ? &r->edge[i] : &r->more_edges[i - HDI_EDGES_INLINE];
}

/* The edge from r back to e, or NULL. */
static hdi_edge *find_edge(hdi_record *r, const hdi_record *e, uint8_t back)
{
    for (int i = 0; i < r->nedges && i < HDI_EDGES_INLINE; i++)
        if (r->edge[i].back == back)
            return &r->edge[i];
    /* a number may have been another record's, which was never recorded: forget_newest() */
    if (e->edge_from == r->seq && e->edge_at < r->nedges && edge_at(r, e->edge_at)->back == back)
        return edge_at(r, e->edge_at);
    return NULL;
}

/* False: no memory for it. */
static bool add_edge(hdi_record *r, hdi_record *e, hdi_verdict verdict)
{
    uint8_t back = (uint8_t)(r->seq - e->seq);
    hdi_edge *edge = find_edge(r, e, back);
    if (edge != NULL) {
        edge->verdict = edge->verdict > verdict ? edge->verdict : (uint8_t)verdict;
        return true;
    }
    /* the slot keeps the space for its next records */
    if (r->nedges >= HDI_EDGES_INLINE && r->more_edges == NULL &&
        (r->more_edges = hdi_alloc(sizeof *r->more_edges * HDI_RING)) == NULL)
        return false;
    e->edge_from = r->seq;
    e->edge_at = r->nedges;
    *edge_at(r, r->nedges++) = (hdi_edge){back, (uint8_t)verdict};
    return true;
}

/* Do two accesses of one buffer touch common elements, and if so in the same order over the
 * domain? Rules M4 and M5. */
static inline hdi_verdict judge(const hdi_record *e, int j, const hdi_record *r, int k)
{
    const hdi_operand *a = &e->operand[j], *b = &r->operand[k];
    /* Another dtype sees the same bytes, but other values. A view with elements twice: a write of
     * one disturbs those that are read later at the same place. */
    if (a->off == b->off && a->lay->core == b->lay->core)
        return e->dt[j] == r->dt[k] && (k > 0 || r->cls != 'e' || b->lay->injective ||
                                        !HDI_CHECK(injective))
                   ? HDI_SAME_MAP
                   : HDI_OVERLAP;
    if (HDI_CHECK(overlap) && hdi_overlap(a->lay, a->off, b->lay, b->off))
        return HDI_OVERLAP;
    return HDI_DISJOINT;
}

/* What is older and conflicts with the operand in bytes that e writes conflicts with e as well, and
 * was ordered when that was recorded: these bytes need not be looked at any more. */
static void cover(search *s, const hdi_record *e, hdi_verdict verdict)
{
    const hdi_operand *made = &e->operand[0], *p = &s->r->operand[s->k];
    const hdi_layout *l = made->lay;
    if (l->dense) {
        int64_t from = made->off + l->lo, to = made->off + l->hi + l->item;
        if (from <= s->from && to > s->from)
            s->from = to;
        else if (to >= s->to && from < s->to)
            s->to = from;
    }
    if (verdict == HDI_SAME_MAP || s->from >= s->to ||
        (!l->dense && hdi_contains(l, made->off, p->lay, p->off)))
        s->covered = e->seq;
}

/* Notes that an access conflicts. False: the search is over. */
static bool note(search *s, hdi_record *e, int j, hdi_verdict verdict)
{
    s->no_memory = !add_edge(s->r, e, verdict);
    if (!s->no_memory && j == 0)
        cover(s, e, verdict);
    return !s->no_memory && s->covered == 0;
}

/* Looks at one access. False: the search is over. */
static inline __attribute__((always_inline)) bool look(search *s, hdi_record *e, int j)
{
    const hdi_operand *a = &e->operand[j];
    if (a->off + a->lay->lo >= s->to || a->off + a->lay->hi + a->lay->item <= s->from)
        return true;
    hdi_verdict v = judge(e, j, s->r, s->k);
    return v == HDI_DISJOINT || note(s, e, j, v);
}

/* The accesses of a chain from `link` on that may meet the operand; down to sequence number `stop`.
 * False: there are no bounds to be had. */
static bool ask_bounds(search *s, uint64_t link, uint64_t stop, bool writes)
{
    const hdi_operand *p = &s->r->operand[s->k];
    hdi_bounds *bounds = hdi_bounds_of(s->w, p);
    if (bounds == NULL)
        return false;
    hdi_meeting m;
    hdi_bounds_meet(s->w, bounds, p, writes, link, &m);
    while ((link = hdi_bounds_next(&m)) != 0 && link >> 2 > stop) {
        hdi_record *e = hdi_window_at(s->w, link >> 2);
        int edges = s->r->nedges;
        if (e->seq != link >> 2 || !e->pending)
            continue;
        if (!look(s, e, (int)(link & 3)))
            break;
        m.vain += s->r->nedges == edges;
    }
    hdi_bounds_end(&m);
    return true;
}

/* Adds an edge for each pending access on one chain, newest first, that conflicts with the operand;
 * down to sequence number `stop`. */
static void search_chain(search *s, uint64_t link, uint64_t stop, bool writes)
{
    uint64_t before = 0;
    int records = 0;
    while (link != 0 && link >> 2 > stop) {
        uint64_t seq = link >> 2;
        int operand = (int)(link & 3);
        hdi_record *e = hdi_window_at(s->w, seq);
        if (e->seq != seq)
            break;   /* its slot was used again: everything older has run as well */
        /* a record's reads are handed over together */
        if (seq != before && records++ == NEAR && ask_bounds(s, link, stop, writes))
            break;
        before = seq;
        if (e->pending && !look(s, e, operand))
            break;
        link = e->operand[operand].link;
    }
}

/* An operand that is the output as well, as in x += 1: what it conflicts with the output does. */
static bool is_output(const hdi_record *r, int k)
{
    const hdi_operand *p = &r->operand[k], *out = &r->operand[0];
    return p->buf == out->buf && p->off == out->off && p->lay == out->lay && r->dt[k] == r->dt[0];
}

static search search_for(hdi_window *w, hdi_record *r, int k)
{
    const hdi_operand *p = &r->operand[k];
    return (search){.w = w,
                    .r = r,
                    .k = k,
                    .from = p->off + p->lay->lo,
                    .to = p->off + p->lay->hi + p->lay->item};
}

bool hdi_find_hazards(hdi_window *w, hdi_record *r, int k)
{
    search s = search_for(w, r, k);
    const hdi_buf *b = r->operand[k].buf;
    if (r->operand[k].lay->size == 0)
        return true;
    if (k > 0) {
        if (HDI_CHECK(raw) && !(is_output(r, k) && HDI_CHECK(waw)))
            search_chain(&s, b->write_link, 0, true);
        return !s.no_memory;
    }
    if (HDI_CHECK(waw))
        search_chain(&s, b->write_link, 0, true);
    uint64_t covered = s.covered;
    bool no_memory = s.no_memory;
    s = search_for(w, r, k);
    if (HDI_CHECK(war) && !no_memory)
        search_chain(&s, b->read_link, covered, false);
    return !no_memory && !s.no_memory;
}
