/* SPDX-License-Identifier: BSD-3-Clause */
/* repeat.c - remembers the records a plan was used for, and compares others with them. */
#include "window/repeat.h"

#include "base/alloc.h"

typedef struct seen_operand {
    const hdi_layout *lay;     /* of arrays only */
    int64_t off;
    int gen;
} seen_operand;

typedef struct seen_record {
    uint64_t head, kinds, edges;
    uint64_t seq;              /* counted from the first record: edges lead back by numbers */
    const hdi_layout *domain;
    const hdi_layout *row;     /* reductions only, and so are the axes */
    uint64_t sqaxes;
    seen_operand operand[1 + HDI_MAX_IN];
} seen_record;

typedef struct seen_gen {
    int64_t nbytes;
    uint16_t refs;             /* operands in the chunk */
    uint8_t state;
} seen_gen;

struct hdi_repeat {
    size_t bytes;              /* of this block */
    int n, ngens;
    bool fusion;
    uint64_t generation;       /* of the layouts: pointers to older ones are stale */
    seen_gen *gen;
    seen_record record[];
};

/* ---- comparing ------------------------------------------------------------------------------- */

typedef struct numbers { hdi_buf **gen; int n; } numbers;

/* A generation that has two numbers keeps the later one: same_gens() sees that. */
static inline __attribute__((always_inline)) bool same_operands(numbers *at, const hdi_record *r,
                                                                const seen_record *s, int nin)
{
    HDI_UNROLL
    for (int k = 0; k <= nin; k++) {
        const hdi_operand *p = &r->operand[k];
        const seen_operand *o = &s->operand[k];
        if (r->kind[k] != HDI_ARRAY)
            continue;
        if (p->lay != o->lay || p->off != o->off)
            return false;
        if (o->gen == at->n) {
            p->buf->number = (uint32_t)at->n;
            at->gen[at->n++] = p->buf;
        } else if (at->gen[o->gen] != p->buf) {
            return false;
        }
    }
    return true;
}

static inline bool same_record(numbers *at, const hdi_record *r, const seen_record *s,
                               uint64_t first)
{
    if (r->head != s->head || r->kinds != s->kinds || r->edges != s->edges ||
        r->nedges > HDI_EDGES_INLINE || r->seq - first != s->seq || r->domain != s->domain)
        return false;
    if (HDI_UNLIKELY(r->cls == 'r') && (r->row != s->row || r->sqaxes != s->sqaxes))
        return false;
    if (r->nin == 1)
        return same_operands(at, r, s, 1);
    return HDI_LIKELY(r->nin == 2) ? same_operands(at, r, s, 2) : same_operands(at, r, s, r->nin);
}

static bool same_gens(const hdi_repeat *s, hdi_buf *const *gen)
{
    for (int g = 0; g < s->ngens; g++)
        if (gen[g]->number != (uint32_t)g || gen[g]->nbytes != s->gen[g].nbytes ||
            hdi_gen_state(gen[g], s->gen[g].refs) != s->gen[g].state)
            return false;
    return true;
}

static bool same_chunk(const hdi_repeat *s, hdi_buf **gen, const hdi_chunk *chunk)
{
    if (s->n != chunk->n || s->fusion != chunk->window->fusion ||
        s->generation != hdi_layouts_generation)
        return false;
    numbers at = {gen, 0};
    uint64_t first = chunk->record[0]->seq;
    for (int i = 0; i < s->n; i++) {
        if (i + 4 < s->n)
            __builtin_prefetch(chunk->record[i + 4]->operand[0].buf, 1, 3);
        if (!same_record(&at, chunk->record[i], &s->record[i], first))
            return false;
    }
    return same_gens(s, gen);
}

#ifdef HDI_DEBUG
/* What was found has the key that would have been made. */
static bool has_key(hdi_canon *c, const hdi_plan *p, const hdi_chunk *chunk)
{
    hdi_canon_build(c, chunk);
    return c->hash == p->hash && c->nwords == p->nwords &&
           memcmp(c->word, p->words, sizeof *c->word * (size_t)c->nwords) == 0;
}
#endif

hdi_plan *hdi_repeat_find(hdi_canon *c, const hdi_chunk *chunk)
{
    const hdi_plan *latest = chunk->window->latest;
    hdi_plan *p = latest != NULL ? latest->then : NULL;
    if (p == NULL || p->repeat == NULL || !same_chunk(p->repeat, c->gen, chunk))
        return NULL;
    hd_assert(has_key(c, p, chunk));
    c->n = chunk->n;
    c->ngens = p->repeat->ngens;
    c->hash = p->hash;
    return p;
}

/* ---- remembering ----------------------------------------------------------------------------- */

void hdi_repeat_free(hdi_repeat *s)
{
    if (s != NULL)
        hdi_free(s, s->bytes);
}

/* Room for the chunk: that of the last time, if it fits. NULL: there is none. */
static hdi_repeat *room_for(hdi_repeat *s, int n, int ngens)
{
    size_t bytes = sizeof *s + sizeof(seen_record) * (size_t)n + sizeof(seen_gen) * (size_t)ngens;
    if (s == NULL || s->bytes != bytes) {
        hdi_repeat_free(s);
        if ((s = hdi_alloc(bytes)) == NULL)
            return NULL;
        s->bytes = bytes;
    }
    s->n = n;
    s->ngens = ngens;
    s->gen = (seen_gen *)(s->record + n);
    memset(s->gen, 0, sizeof *s->gen * (size_t)ngens);
    return s;
}

static void keep_record(hdi_repeat *s, const hdi_record *r, uint64_t first, seen_record *into)
{
    *into = (seen_record){.head = r->head,
                          .kinds = r->kinds,
                          .edges = r->edges,
                          .seq = r->seq - first,
                          .domain = r->domain,
                          .row = r->row,
                          .sqaxes = r->sqaxes};
    for (int k = 0; k <= r->nin; k++) {
        const hdi_operand *p = &r->operand[k];
        if (r->kind[k] != HDI_ARRAY)
            continue;
        into->operand[k] = (seen_operand){p->lay, p->off, (int)p->buf->number};
        s->gen[p->buf->number].refs++;
    }
}

/* NULL where there is no room for it. */
static hdi_repeat *keep(hdi_repeat *s, const hdi_canon *c, const hdi_chunk *chunk)
{
    if ((s = room_for(s, chunk->n, c->ngens)) == NULL)
        return NULL;
    s->fusion = chunk->window->fusion;
    s->generation = hdi_layouts_generation;
    for (int i = 0; i < chunk->n; i++)
        keep_record(s, chunk->record[i], chunk->record[0]->seq, &s->record[i]);
    for (int g = 0; g < c->ngens; g++) {
        s->gen[g].nbytes = c->gen[g]->nbytes;
        s->gen[g].state = hdi_gen_state(c->gen[g], s->gen[g].refs);
    }
    return s;
}

void hdi_repeat_note(hdi_plan *p, const hdi_canon *c, const hdi_chunk *chunk, bool found)
{
    hdi_window *w = chunk->window;
    bool expected = w->latest != NULL && w->latest->then == p;
    if (found) {
        p->unlike = 0;
    } else if (p->uses > 0 && (p->repeat == NULL || expected)) {
        /* Where offsets or strides change from time to time it is in vain: tried ever less. */
        if ((p->unlike & (p->unlike - 1)) == 0)
            p->repeat = keep(p->repeat, c, chunk);
        p->unlike++;
    }
    if (w->latest != NULL)
        w->latest->then = p;
    w->latest = p;
}
