/* SPDX-License-Identifier: BSD-3-Clause */
/* bounds.c - see bounds.h.
 *
 * A byte of the buffer at address x has row x / pitch and column x % pitch, both scaled down to 16
 * bits where they need more. An access is the smallest box of rows and columns around its elements;
 * one that begins in the middle of a row and goes on in the next one has all columns. Two accesses
 * whose boxes do not meet share no byte, whatever the pitch: it decides only how well they are told
 * apart. The stride from row to row of the matrix that the views were taken of does it best: rows,
 * columns, blocks and elements meet in their boxes only where they meet in memory. */
#include "window/bounds.h"

#include "base/alloc.h"

enum {
    LANES = HDI_LANES,
    GROUPS = 128,                 /* room for all that can be pending (3 * 256 reads) and more */
    ROOM = GROUPS * LANES,
    NO_PITCH = 1 << 16,           /* of views that are no more than runs of elements */
    IDLE = 64,                    /* questions that were not about it: another may have it */
    VAIN = 12,                    /* found in vain by one question: too many */
    AGAIN = 64                    /* questions between two changes of the pitch */
};

typedef hdi_bound_lanes lanes;
typedef struct box { int16_t edge[HDI_BOX]; } box;
typedef struct group { lanes edge[HDI_BOX]; } group;

/* The accesses of one chain, oldest first. None before `first` is pending. */
struct hdi_boxes {
    uint64_t upto;                /* records up to this sequence number are there */
    int first, n;
    group group[GROUPS];
    uint64_t link[ROOM];
};

struct hdi_bounds {
    const hdi_buf *buf;
    int64_t nbytes;
    uint64_t used;                /* the window's count of questions when it was asked last */
    uint64_t changed;             /* and when the pitch was */
    int64_t pitch, wanted;        /* wanted: of the last access that had to have all columns */
    int row_shift, column_shift;
    hdi_boxes chain[2];           /* reads, writes */
};

static int shift_of(int64_t most)
{
    int shift = 0;
    while (most >> shift > UINT16_MAX)
        shift++;
    return shift;
}

static void begin(hdi_bounds *s, int64_t pitch)
{
    s->pitch = s->wanted = pitch;
    s->row_shift = shift_of(s->nbytes / pitch);
    s->column_shift = shift_of(pitch - 1);
    for (int c = 0; c < 2; c++) {
        s->chain[c].upto = 0;
        s->chain[c].first = s->chain[c].n = 0;
    }
}

/* From one row to the next in the matrix that l is most likely a view of. */
static int64_t pitch_of(const hdi_layout *l)
{
    int64_t pitch = 0;
    for (int a = 0; a < l->nsq; a++)
        pitch = hdi_max64(pitch, hdi_abs64(l->sqstrides[a]));
    return pitch > l->item ? pitch : NO_PITCH;
}

hdi_bounds *hdi_bounds_of(hdi_window *w, const hdi_operand *p)
{
    hdi_bounds **oldest = &w->bounds[0];
    uint64_t now = ++w->questions;
    for (int i = 0; i < HDI_BOUNDS_MOST; i++) {
        hdi_bounds *s = w->bounds[i];
        if (s == NULL) {
            oldest = &w->bounds[i];
            break;
        }
        if (s->buf == p->buf && s->nbytes == p->buf->nbytes) {
            s->used = now;
            return s;
        }
        if (s->used < (*oldest)->used)
            oldest = &w->bounds[i];
    }
    hdi_bounds *s = *oldest;
    if (s == NULL && (s = *oldest = hdi_calloc(sizeof *s)) == NULL)
        return NULL;
    if (s->buf != NULL && s->used + IDLE > now)
        return NULL;
    s->buf = p->buf;
    s->nbytes = p->buf->nbytes;
    s->used = s->changed = now;
    begin(s, pitch_of(p->lay));
    return s;
}

static int16_t scaled(int64_t x, int shift)
{
    return (int16_t)(hdi_min64(x >> shift, UINT16_MAX) + INT16_MIN);
}

static box box_of(hdi_bounds *s, const hdi_operand *p)
{
    const hdi_layout *l = p->lay;
    int64_t pitch = s->pitch, span = l->hi - l->lo, at = p->off + l->lo, rows = 0;
    hd_assert(at >= 0);
    if (HDI_UNLIKELY(l->size == 0))   /* meets what is the same view, wherever that lies */
        return (box){{INT16_MIN, (int16_t)~INT16_MAX, INT16_MIN, (int16_t)~INT16_MAX}};
    for (int a = 0; a < l->nsq; a++) {
        int64_t stride = hdi_abs64(l->sqstrides[a]);
        if (stride == pitch)
            rows += l->sqdims[a] - 1;
        else if (stride > pitch && stride % pitch == 0)
            rows += (l->sqdims[a] - 1) * (stride / pitch);
    }
    int64_t row = at / pitch, column = at % pitch,
            last = column + span - rows * pitch + l->item - 1;
    if (HDI_UNLIKELY(last >= pitch)) {
        int64_t wanted = pitch_of(l);
        s->wanted = wanted != NO_PITCH ? wanted : s->wanted;
        rows = (at + span + l->item - 1) / pitch - row;
        column = 0;
        last = pitch - 1;
    }
    return (box){{scaled(row, s->row_shift), (int16_t)~scaled(row + rows, s->row_shift),
                      scaled(column, s->column_shift), (int16_t)~scaled(last, s->column_shift)}};
}

/* ---- keeping in step with a chain ------------------------------------------------------------ */

static const hdi_record *pending_at(hdi_window *w, uint64_t link)
{
    const hdi_record *e = hdi_window_at(w, link >> 2);
    return e->seq == link >> 2 && e->pending ? e : NULL;
}

static void set_box(hdi_boxes *c, int i, box where)
{
    for (int k = 0; k < HDI_BOX; k++)
        c->group[i / LANES].edge[k][i % LANES] = where.edge[k];
}

/* Those that are pending move to the front. */
static void close_up(hdi_window *w, hdi_boxes *c)
{
    int n = 0;
    for (int i = c->first; i < c->n; i++) {
        if (pending_at(w, c->link[i]) == NULL)
            continue;
        box where;
        for (int k = 0; k < HDI_BOX; k++)
            where.edge[k] = c->group[i / LANES].edge[k][i % LANES];
        set_box(c, n, where);
        c->link[n++] = c->link[i];
    }
    c->first = 0;
    c->n = n;
}

/* Takes in what is pending from `link` back to what is there. */
static void take_in(hdi_window *w, hdi_bounds *s, hdi_boxes *c, uint64_t link)
{
    uint64_t fresh[ROOM], newest = link >> 2;
    int n = 0;
    while (c->first < c->n && pending_at(w, c->link[c->first]) == NULL)
        c->first++;
    if (c->first == c->n)
        c->first = c->n = 0;
    while (link >> 2 > c->upto) {
        const hdi_record *e = hdi_window_at(w, link >> 2);
        if (e->seq != link >> 2)
            break;   /* its slot was used again: everything older has run as well */
        if (e->pending)
            fresh[n++] = link;
        link = e->operand[link & 3].link;
    }
    if (newest > c->upto)
        c->upto = newest;
    if (c->n + n > ROOM)
        close_up(w, c);
    while (n > 0) {
        link = fresh[--n];
        set_box(c, c->n, box_of(s, &hdi_window_at(w, link >> 2)->operand[link & 3]));
        c->link[c->n++] = link;
    }
}

/* ---- questions ------------------------------------------------------------------------------- */

/* Which lanes of the group m is at hold boxes that meet. */
static void compare(hdi_meeting *m)
{
    const group *g = &m->boxes->group[m->group];
    lanes apart = g->edge[0] > m->most[0];
    for (int k = 1; k < HDI_BOX; k++)
        apart |= g->edge[k] > m->most[k];
    lanes meet = ~apart;
    memcpy(m->half, &meet, sizeof m->half);
}

void hdi_bounds_meet(hdi_window *w, hdi_bounds *s, const hdi_operand *p, bool writes, uint64_t link,
                     hdi_meeting *m)
{
    hdi_boxes *c = &s->chain[writes];
    take_in(w, s, c, link);
    box where = box_of(s, p);
    int end = c->n;
    while (end > c->first && c->link[end - 1] >> 2 > link >> 2)
        end--;
    m->bounds = s;
    m->boxes = c;
    /* the other's first row may be no larger than our last one, and so on */
    for (int k = 0; k < HDI_BOX; k++)
        m->most[k] = (lanes){0} + (int16_t)~where.edge[k ^ 1];
    m->vain = 0;
    m->end = end;
    m->group = (end + LANES - 1) / LANES;
    m->half[0] = m->half[1] = 0;
}

uint64_t hdi_bounds_next(hdi_meeting *m)
{
    enum { BITS = 16 };
    for (;;) {
        while ((m->half[0] | m->half[1]) != 0) {
            int h = m->half[1] != 0;
            int lane = (63 - __builtin_clzll(m->half[h])) / BITS;
            m->half[h] &= ~((uint64_t)UINT16_MAX << lane * BITS);
            int i = m->group * LANES + h * (LANES / 2) + lane;
            if (i >= m->boxes->first && i < m->end)
                return m->boxes->link[i];
        }
        if (m->group * LANES <= m->boxes->first)
            return 0;
        m->group--;
        compare(m);
    }
}

void hdi_bounds_end(hdi_meeting *m)
{
    hdi_bounds *s = m->bounds;
    if (m->vain <= VAIN || s->wanted == s->pitch || s->used < s->changed + AGAIN)
        return;
    s->changed = s->used;
    begin(s, s->wanted);
}
