/* SPDX-License-Identifier: BSD-3-Clause */
/* canon.c - writes a chunk as words and reads them back. Layout of a record's words:
 *   word 0   op 16 | cls 8 | cdt 8 | nin 8 | row_fits or wraps 1 | more 7 | zmask flags 4 | axes 1
 *            | edges 8
 *   word 1   kind 2, dtype 4, whole 1, c_order 1 of the operands 0..3 | domain 11 | row 11
 *   words    array operands, two to a word: gen 10 | core 11 | view 11
 *   words    axes if flagged; zmask of each flagged operand
 *   words    edges, four to a word: distance in the chunk 8 | verdict 8
 * After the records: one byte for each generation. */
#include "window/canon.h"

#include "base/hash.h"

static inline uint32_t number_layout(hdi_numbering *num, const hdi_layout *l)
{
    hdi_layout *m = (hdi_layout *)(uintptr_t)l;   /* the scratch fields are not part of its value */
    if (m->mark != num->epoch) {
        m->mark = num->epoch;
        m->number = (uint32_t)num->nlayouts++;
    }
    return m->number;
}

/* The number of an offset within a generation that is not its first. */
static uint32_t number_another_view(hdi_numbering *num, hdi_met *g, int64_t off)
{
    uint32_t number = 1;
    int16_t *link = &g->more;
    for (; *link >= 0; link = &num->view_next[*link], number++)
        if (num->view_off[*link] == off)
            return number;
    int16_t v = (int16_t)num->nviews++;
    num->view_off[v] = off;
    num->view_next[v] = -1;
    *link = v;
    return number;
}

static inline uint64_t operand_bits(hdi_canon *c, const hdi_operand *p)
{
    hdi_numbering *num = &c->met;
    hdi_buf *b = p->buf;
    uint32_t number = b->number, view = 0;
    if (b->mark != num->epoch) {
        number = (uint32_t)num->ngens++;
        b->mark = num->epoch;
        b->number = number;
        c->gen[number] = b;
        num->gen[number] = (hdi_met){p->off, 1, -1};
    } else {
        hdi_met *g = &num->gen[number];
        g->refs++;
        if (HDI_UNLIKELY(g->off != p->off))
            view = number_another_view(num, g, p->off);
    }
    return number | number_layout(num, p->lay->core) << 10 | view << 21;
}

static inline uint64_t array_kind(const hdi_operand *p)
{
    return (uint64_t)(p->lay->fills == p->buf->nbytes) << 6 | (uint64_t)p->lay->c_order << 7;
}

/* op, cls, cdt, nin, row_fits, more. */
static inline uint64_t literal_bits(const hdi_record *r)
{
    _Static_assert(offsetof(hdi_record, pending) == offsetof(hdi_record, head) + 6, "six bytes");
    return r->head & UINT64_MAX >> 16;
}

/* Kind and dtype of the operands, a byte each. */
static inline uint64_t operand_kinds(const hdi_record *r, int nin)
{
    uint32_t kinds, dts;
    _Static_assert(sizeof r->kind == 4 && sizeof r->dt == 4 && HD_DTYPE_COUNT <= 16, "packed");
    memcpy(&kinds, r->kind, sizeof kinds);
    memcpy(&dts, r->dt, sizeof dts);
    return (kinds | dts << 2) & UINT32_MAX >> (24 - 8 * nin);
}

/* Distance and verdict of an edge; 0 if it leads out of the chunk. */
static inline uint64_t edge_bits(const hdi_chunk *chunk, const hdi_record *r, int i, hdi_edge e)
{
    uint64_t seq = r->seq - e.back;
    const hdi_record *to = hdi_window_at(chunk->window, seq);
    if (to->seq != seq || !to->pending || chunk->record[to->position] != to)
        return 0;
    uint64_t verdict = HDI_CHECK(verdict) ? e.verdict : HDI_SAME_MAP;
    return (uint64_t)(i - to->position) | verdict << 8;
}

static uint64_t *put_edges(uint64_t *w, const hdi_chunk *chunk, const hdi_record *r, int i,
                           uint64_t *count)
{
    uint64_t n = 0;
    for (int k = 0; k < r->nedges; k++) {
        uint64_t bits = edge_bits(chunk, r, i, hdi_record_edge(r, k));
        if (bits == 0)
            continue;
        if (n % 4 == 0)
            *w++ = 0;
        w[-1] |= bits << 16 * (n++ % 4);
    }
    *count = n;
    return w;
}

/* Axes of stride 0, of the operands that have some. */
typedef struct zmasks { int n; uint64_t flags, mask[1 + HDI_MAX_IN]; } zmasks;

/* Array operands, two to a word; kinds of all. */
static inline __attribute__((always_inline)) uint64_t *
put_operands(hdi_canon *c, uint64_t *w, const hdi_record *r, int nin, uint64_t *kinds, zmasks *z)
{
    int arrays = 0;
    *kinds = operand_kinds(r, nin);
    HDI_UNROLL
    for (int k = 0; k <= nin; k++) {
        const hdi_operand *p = &r->operand[k];
        if (r->kind[k] != HDI_ARRAY)
            continue;
        uint64_t bits = operand_bits(c, p);
        *kinds |= array_kind(p) << 8 * k;
        w[arrays / 2] = arrays % 2 == 0 ? bits : w[arrays / 2] | bits << 32;
        arrays++;
        if (HDI_UNLIKELY(p->lay->zmask != 0)) {
            z->flags |= (uint64_t)1 << k;
            z->mask[z->n++] = p->lay->zmask;
        }
    }
    return w + (arrays + 1) / 2;
}

static uint64_t *put_record(hdi_canon *c, uint64_t *w, const hdi_chunk *chunk, int i)
{
    hdi_record *r = chunk->record[i];
    r->position = (uint16_t)i;   /* edges lead back to records that have theirs */
    if (i + 4 < chunk->n)
        __builtin_prefetch(chunk->record[i + 4]->operand[0].buf, 1, 3);
    uint64_t *head = w, kinds, nedges = 0;
    zmasks z;
    z.n = 0;
    z.flags = 0;
    w += 2;
    if (r->nin == 1)
        w = put_operands(c, w, r, 1, &kinds, &z);
    else if (HDI_LIKELY(r->nin == 2))
        w = put_operands(c, w, r, 2, &kinds, &z);
    else
        w = put_operands(c, w, r, r->nin, &kinds, &z);
    if (HDI_UNLIKELY(r->sqaxes != 0))
        *w++ = r->sqaxes;
    for (int k = 0; k < z.n; k++)
        *w++ = z.mask[k];
    if (HDI_LIKELY(r->nedges == 1))
        nedges = (*w = edge_bits(chunk, r, i, r->edge[0])) != 0;
    else if (r->nedges > 1)
        w = put_edges(w, chunk, r, i, &nedges);
    w += nedges == 1 && r->nedges == 1;
    uint64_t row = r->row != NULL ? number_layout(&c->met, r->row) : 0;
    head[0] = literal_bits(r) | z.flags << 48 | (uint64_t)(r->sqaxes != 0) << 52 | nedges << 53;
    head[1] = kinds | (uint64_t)number_layout(&c->met, r->domain->shape) << 32 | row << 43;
    return w;
}

void hdi_canon_build(hdi_canon *c, const hdi_chunk *chunk)
{
    hdi_numbering *num = &c->met;
    num->epoch = ++hdi_epoch;
    num->ngens = num->nlayouts = num->nviews = 0;
    c->n = chunk->n;
    c->fusion = chunk->window->fusion;
    uint64_t *w = c->word;
    *w++ = (uint64_t)chunk->n | (uint64_t)c->fusion << 32;
    for (int i = 0; i < chunk->n; i++)
        w = put_record(c, w, chunk, i);
    c->ngens = num->ngens;
    uint8_t *state = (uint8_t *)w;
    w += (num->ngens + 7) / 8;
    w[-1] = 0;   /* not all of its bytes are written */
    for (int g = 0; g < num->ngens; g++)
        state[g] = hdi_gen_state(c->gen[g], num->gen[g].refs);
    c->nwords = (int)(w - c->word);
    c->hash = hdi_hash_words((uint64_t)c->nwords, c->word, (size_t)c->nwords);
}

static const uint64_t *get_operands(hdi_crecord *r, const uint64_t *w, uint64_t kinds)
{
    int arrays = 0;
    for (int k = 0; k <= r->nin; k++) {
        hdi_coperand *o = &r->operand[k];
        uint64_t kind = kinds >> 8 * k;
        *o = (hdi_coperand){.kind = kind & 3,
                            .dt = kind >> 2 & 15,
                            .whole = kind >> 6 & 1,
                            .c_order = kind >> 7 & 1};
        if (o->kind != HDI_ARRAY)
            continue;
        uint32_t bits = (uint32_t)(*w >> 32 * (arrays % 2));
        o->gen = bits & 1023;
        o->core = bits >> 10 & 2047;
        o->view = (uint16_t)(bits >> 21);
        w += arrays++ % 2;
    }
    return w + arrays % 2;
}

static const uint64_t *get_record(hdi_canon *c, hdi_crecord *r, const uint64_t *w, int i)
{
    uint64_t head = w[0], kinds = w[1];
    r->op = (uint16_t)head;
    r->cls = (uint8_t)(head >> 16);
    r->cdt = (uint8_t)(head >> 24);
    r->nin = (uint8_t)(head >> 32);
    r->row_fits = head >> 40 & 1;
    r->wraps = r->row_fits && r->cls == 'e';
    r->more = head >> 41 & 127;
    r->nedges = (int)(head >> 53 & 255);
    r->domain = kinds >> 32 & 2047;
    r->row = kinds >> 43 & 2047;
    w = get_operands(r, w + 2, kinds);
    r->sqaxes = head >> 52 & 1 ? *w++ : 0;
    for (int k = 0; k <= r->nin; k++)
        if (head >> (48 + k) & 1)
            r->operand[k].zmask = *w++;
    r->first_edge = c->nedges;
    for (int k = 0; k < r->nedges; k++) {
        uint32_t bits = (uint32_t)(w[k / 4] >> 16 * (k % 4)) & 0xffff;
        c->edge[c->nedges++] = (hdi_cedge){(uint16_t)(i - (int)(bits & 255)), (uint8_t)(bits >> 8)};
    }
    return w + (r->nedges + 3) / 4;
}

void hdi_canon_decode(hdi_canon *c)
{
    const uint64_t *w = c->word + 1;
    c->nedges = 0;
    for (int i = 0; i < c->n; i++)
        w = get_record(c, &c->record[i], w, i);
    const uint8_t *state = (const uint8_t *)w;
    for (int g = 0; g < c->ngens; g++) {
        uint8_t bits = state[g];
        c->cgen[g] = (hdi_cgen){.live = bits & 1, .fresh = bits >> 1 & 1, .pinned = bits >> 2 & 1};
    }
}
