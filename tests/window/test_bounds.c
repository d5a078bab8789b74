/* SPDX-License-Identifier: BSD-3-Clause */
/* test_bounds.c - the edges of long chains, against a walk over all that is pending: each conflict
 * is a way of edges, and each edge has a reason. Random views of few buffers, with holes by results
 * that are dropped and demanded; and the ways of the bounds. */
#include "window/bounds.h"
#include "window/inspect.h"

#include "base/alloc.h"


/* ---- a walk over all that is pending --------------------------------------------------------- */

static hdi_verdict verdict_of(const hdi_record *e, int j, const hdi_record *r, int k)
{
    const hdi_operand *a = &e->operand[j], *b = &r->operand[k];
    if (e->kind[j] != HDI_ARRAY || r->kind[k] != HDI_ARRAY || a->buf != b->buf)
        return HDI_DISJOINT;
    if (a->off == b->off && a->lay->core == b->lay->core)
        return e->dt[j] == r->dt[k] && (k > 0 || r->cls != 'e' || b->lay->injective)
                   ? HDI_SAME_MAP
                   : HDI_OVERLAP;
    return hdi_overlap(a->lay, a->off, b->lay, b->off) ? HDI_OVERLAP : HDI_DISJOINT;
}

/* The worst verdict of a pair of accesses one of which writes. */
static hdi_verdict worst(const hdi_record *e, const hdi_record *r)
{
    hdi_verdict most = HDI_DISJOINT;
    for (int j = 0; j <= e->nin; j++)
        for (int k = 0; k <= r->nin; k++) {
            hdi_verdict v = j == 0 || k == 0 ? verdict_of(e, j, r, k) : HDI_DISJOINT;
            most = v > most ? v : most;
        }
    return most;
}

/* ---- what has to be ordered ------------------------------------------------------------------ */

enum { SIDE = 24, BYTES = SIDE * SIDE * 8, WORDS = BYTES / 64 };

/* For each slot of the ring: the bytes of the matrices that its record touches; and for each other
 * slot the number of the record there if that comes before it by way of edges, and if it may not
 * share a kernel with it. */
typedef struct touched {
    const hdi_buf *buf[1 + HDI_MAX_IN];
    uint64_t bit[1 + HDI_MAX_IN][WORDS];
    uint64_t before[HDI_RING], apart[HDI_RING];
} touched;
static touched seen[HDI_RING];

static void mark_bytes(const hdi_operand *p, uint64_t *bit)
{
    int64_t index[HD_MAXDIM] = {0};
    const hdi_layout *l = p->lay;
    memset(bit, 0, sizeof(uint64_t) * WORDS);
    while (l->size > 0) {
        int64_t off = p->off;
        for (int a = 0; a < l->nd; a++)
            off += index[a] * hdi_layout_strides(l)[a];
        for (int64_t i = off; i < off + l->item; i++)
            bit[i / 64] |= (uint64_t)1 << i % 64;
        int a = l->nd - 1;
        while (a >= 0 && ++index[a] == l->dims[a])
            index[a--] = 0;
        if (a < 0)
            return;
    }
}

static bool common_byte(const uint64_t *a, const uint64_t *b)
{
    for (int i = 0; i < WORDS; i++)
        if (a[i] & b[i])
            return true;
    return false;
}

/* By the bytes: does r have to run after e, or in a later kernel? */
static hdi_verdict conflict(const hdi_record *e, const hdi_record *r)
{
    const touched *a = &seen[e->seq % HDI_RING], *b = &seen[r->seq % HDI_RING];
    hdi_verdict most = HDI_DISJOINT;
    for (int j = 0; j <= e->nin; j++)
        for (int k = 0; k <= r->nin; k++) {
            hdi_verdict v = j == 0 || k == 0 ? verdict_of(e, j, r, k) : HDI_DISJOINT;
            if (v > most && a->buf[j] != NULL && common_byte(a->bit[j], b->bit[k]))
                most = v;
        }
    return most;
}

static void latest(uint64_t *into, uint64_t seq)
{
    *into = seq > *into ? seq : *into;
}

static void note(const hdi_record *r)
{
    touched *t = &seen[r->seq % HDI_RING];
    memset(t, 0, sizeof *t);
    for (int k = 0; k <= r->nin; k++)
        if (r->kind[k] == HDI_ARRAY && r->operand[k].buf->nbytes == BYTES) {
            t->buf[k] = r->operand[k].buf;
            mark_bytes(&r->operand[k], t->bit[k]);
        }
    for (int i = 0; i < r->nedges; i++) {
        hdi_edge edge = hdi_record_edge(r, i);
        uint64_t seq = r->seq - edge.back;
        const touched *e = &seen[seq % HDI_RING];
        bool apart = edge.verdict == HDI_OVERLAP;
        for (int s = 0; s < HDI_RING; s++) {
            latest(&t->before[s], e->before[s]);
            latest(&t->apart[s], apart ? e->before[s] : e->apart[s]);
        }
        latest(&t->before[seq % HDI_RING], seq);
        latest(&t->apart[seq % HDI_RING], apart ? seq : 0);
    }
}

typedef struct tally { int64_t records, edges, conflicts, asked, holes; } tally;

/* Each edge has a reason, and each conflict a way of edges. */
static void check_record(hdi_window *w, const hdi_record *r, tally *count)
{
    const touched *t = &seen[r->seq % HDI_RING];
    for (int i = 0; i < r->nedges; i++) {
        const hdi_record *e = hdi_window_at(w, r->seq - hdi_record_edge(r, i).back);
        CHECK(e->pending && e->seq == r->seq - hdi_record_edge(r, i).back);
        CHECK(hdi_record_edge(r, i).verdict <= worst(e, r));
        for (int k = 0; k < i; k++)
            CHECK(hdi_record_edge(r, k).back != hdi_record_edge(r, i).back);
    }
    for (uint64_t s = r->seq - HDI_RING + 1; s < r->seq; s++) {
        const hdi_record *e = hdi_window_at(w, s);
        count->holes += s >= w->head && !e->pending;
        hdi_verdict v = e->pending && e->seq == s ? conflict(e, r) : HDI_DISJOINT;
        count->conflicts += v != HDI_DISJOINT;
        CHECK(v == HDI_DISJOINT || t->before[s % HDI_RING] == s);
        CHECK(v != HDI_OVERLAP || t->apart[s % HDI_RING] == s);
    }
    count->records++;
    count->edges += r->nedges;
}

/* The records made since number `first`; the last of them is looked at, since nothing ran after it
 * was recorded. */
static void check_newest(hdi_window *w, uint64_t first, tally *count)
{
    for (uint64_t s = first; s < w->next; s++)
        if (hdi_window_at(w, s)->pending)
            note(hdi_window_at(w, s));
    const hdi_record *r = hdi_window_at(w, w->next - 1);
    if (w->next != first && r->pending)
        check_record(w, r, count);
}

/* ---- random accesses ------------------------------------------------------------------------- */

enum { STEPS = 3000, HELD = 40, KINDS = 9, MATRICES = HDI_BOUNDS_MOST + 4 };

/* A view of a matrix of SIDE x SIDE float64. */
typedef struct pick { int64_t kind, i, j, m, n, s, back, dt; } pick;

static pick random_pick(int64_t kinds)
{
    pick p = {.kind = t_below(kinds), .i = t_below(SIDE), .j = t_below(SIDE), .s = t_between(1, 3)};
    p.m = t_between(1, SIDE - p.i);
    p.n = t_between(1, SIDE - p.j);
    p.back = t_below(2) ? 1 : -1;
    p.dt = t_below(2) ? HD_INT32 : HD_INT64;
    return p;
}

/* An element, part of a row or a column, a block, all of it in steps, perhaps backwards, a diagonal;
 * elements that come twice; three axes; bytes of a row as another dtype. */
static hd_array *view_of(const hd_array *x, const pick *p)
{
    switch (p->kind) {
    case 0:
        return t_slice(x, AT(p->i), AT(p->j));
    case 1:
        return t_slice(x, AT(p->i), SLICE(p->j, p->j + p->n, p->s));
    case 2:
        return t_slice(x, SLICE(p->i, p->i + p->m, p->s), AT(p->j));
    case 3:
        return t_slice(x, SLICE(p->i, p->i + p->m, 1), SLICE(p->j, p->j + p->n, 1));
    case 4:
        return t_slice(x, SLICE(HD_NONE, HD_NONE, p->back * p->s), SLICE(p->j, HD_NONE, p->s));
    case 5:
        return hd_as_strided(x, 1, (int64_t[]){SIDE - 1}, (int64_t[]){8 * (SIDE + 1)}, 0);
    case 6:
        return hd_as_strided(x, 2, (int64_t[]){p->n, 2}, (int64_t[]){8, 8},
                             8 * (SIDE * (p->i % (SIDE - 1)) + p->j));
    case 7:
        return hd_as_strided(x, 3, (int64_t[]){3, 2, 4}, (int64_t[]){1536, 40, -8},
                             8 * (3 + p->i * 5));
    default: {
        hd_array *row = t_slice(x, AT(p->i)), *y = hd_view(row, (hd_dtype)p->dt),
                 *v = t_slice(y, SLICE(p->j, p->j + p->n, p->s));
        hd_release(y);
        hd_release(row);
        return v;
    }
    }
}

/* v[...] = 1, v[...] = the same of another matrix, v += an element of any, or a result that is kept:
 * what is there in its place is dropped, perhaps demanded before. */
static void random_statement(hd_array *const *x, int n, hd_array **held, int64_t kinds)
{
    pick p = random_pick(kinds), one = random_pick(1);
    int64_t a = t_below(2 * n) / 2;
    hd_array *v = view_of(x[a], &p), *u = NULL, **at = &held[t_below(HELD)];
    switch (t_below(4)) {
    case 0:
        store_number(v, 1);
        break;
    case 1:
        u = view_of(x[(a + 1) % n], &p);
        CHECK(p.kind == 6 || hd_assign(v, u, HD_CAST_UNSAFE) == HD_OK);
        break;
    case 2:
        u = view_of(x[t_below(n)], &one);
        CHECK(p.kind == 6 || p.kind == KINDS - 1 || hd_inplace(HD_OP_add, v, u) == HD_OK);
        break;
    default:
        if (*at != NULL && t_below(3) == 0)
            CHECK(hd_eval(*at) == HD_OK);
        hd_release(*at);
        u = view_of(x[a], &one);   /* two reads of one matrix */
        *at = p.kind == KINDS - 1 ? hd_negative(v) : hd_add(u, v);
        break;
    }
    hd_release(u);
    hd_release(v);
}

/* The first `kinds` kinds of views of n matrices: where there are elements only, nothing covers. */
static tally random_program(int64_t kinds, int n)
{
    tally count = {0};
    hd_device *dev = begin_null();
    hd_array *x[MATRICES], *held[HELD] = {NULL};
    for (int b = 0; b < n; b++)
        x[b] = t_ready(2, (int64_t[]){SIDE, SIDE}, HD_FLOAT64);
    uint64_t asked = hdi_window_of(dev)->questions;
    for (int i = 0; i < STEPS; i++) {
        uint64_t first = hdi_window_of(dev)->next;
        random_statement(x, n, held, kinds);
        check_newest(hdi_window_of(dev), first, &count);
    }
    count.asked += (int64_t)(hdi_window_of(dev)->questions - asked);
    drop(HELD, held);
    drop(n, x);
    CHECK(hd_synchronize(NULL) == HD_OK && t_clean());
    return count;
}

TEST(bounds, find_what_a_walk_finds)
{
    for (int64_t kinds = 1; kinds <= KINDS; kinds++) {
        tally count = random_program(kinds, 1 + (int)kinds % 3);
        CHECK(count.records > STEPS / 2 && count.holes > 10 * count.records);
        CHECK(count.conflicts > STEPS / 10 && count.asked > count.records);
    }
}

TEST(bounds, of_more_generations_than_they_are_kept_for)
{
    tally count = random_program(3, MATRICES);
    CHECK(count.conflicts > 100 && count.asked > 1000);
}

/* ---- how well they tell apart ---------------------------------------------------------------- */

/* How many pending writes of v's buffer might meet v; v is asked for `times` times. */
static int candidates(hd_array *v, int times)
{
    int n = 0;
    hdi_window *w = hdi_window_of(hd_device_current());
    hdi_lock();
    hdi_operand p = {.buf = hdi_array_buf(v), .lay = v->lay, .off = v->off};
    while (times-- > 0) {
        hdi_bounds *s = hdi_bounds_of(w, &p);
        hdi_meeting m;
        CHECK(s != NULL);
        if (s == NULL)
            break;
        hdi_bounds_meet(w, s, &p, true, p.buf->write_link, &m);
        for (n = 0; hdi_bounds_next(&m) != 0;)
            n++;
        m.vain = n;
        hdi_bounds_end(&m);
    }
    hdi_unlock();
    return n;
}

enum { WRITES = 100, WIDE = 128 };

static void write_at(hd_array *v)
{
    store_number(v, 1);
    hd_release(v);
}

/* After what: elements, so that the bounds begin without rows; then in rows from column to column. */
TEST(bounds, tell_columns_apart_once_they_are_asked_for)
{
    begin_null();
    hd_array *x = t_ready(2, (int64_t[]){WIDE, WIDE}, HD_FLOAT64), *last;
    for (int k = 0; k < WRITES / 2; k++)
        write_at(t_slice(x, AT(k), AT(WIDE - 1)));
    last = t_slice(x, AT(1), AT(WIDE - 1));
    CHECK_EQ_I64(candidates(last, 1), 1);
    hd_release(last);
    for (int k = 0; k < WRITES; k++)
        write_at(t_slice(x, SLICE(HD_NONE, HD_NONE, 1), AT(k)));
    last = t_slice(x, SLICE(HD_NONE, HD_NONE, 1), AT(WRITES / 2));
    CHECK_EQ_I64(candidates(last, 100), 1);
    hd_release(last);
    last = t_slice(x, SLICE(0, 8, 1), SLICE(20, 30, 1));
    CHECK_EQ_I64(candidates(last, 1), 10);
    DROP(x, last);
    CHECK(hd_synchronize(NULL) == HD_OK);
}

/* Of 32 MB, which have more bytes than 16 bits count. */
TEST(bounds, tell_elements_of_a_large_array_apart)
{
    enum { LONG = 1 << 22 };
    begin_null();
    hd_array *x = t_ready(1, (int64_t[]){LONG}, HD_FLOAT64), *v;
    for (int k = 0; k < WRITES; k++)
        write_at(t_slice(x, AT(LONG / 2 - WRITES / 2 + k)));
    for (int k = 0; k < WRITES; k += 9) {
        v = t_slice(x, AT(LONG / 2 - WRITES / 2 + k));
        CHECK_EQ_I64(candidates(v, 1), 1);
        hd_release(v);
    }
    v = t_slice(x, SLICE(LONG / 2 - 10, LONG, 1));
    CHECK(candidates(v, 1) >= WRITES / 2 + 10);
    DROP(x, v);
    CHECK(hd_synchronize(NULL) == HD_OK);
}

/* ---- edges ----------------------------------------------------------------------------------- */

static int edges_of_newest(void)
{
    hdi_window *w = hdi_window_of(hd_device_current());
    return hdi_window_at(w, w->next - 1)->nedges;
}

/* m[k:, k:] -= 1 and what else a decomposition does: each step waits for the one before it, not for
 * all of them. */
TEST(bounds, nested_blocks_cover_each_other)
{
    begin_null();
    hd_array *x = t_ready(2, (int64_t[]){WIDE, WIDE}, HD_FLOAT64), *v;
    for (int k = 0; k < WRITES; k++) {
        v = t_slice(x, SLICE(k, HD_NONE, 1), SLICE(k, HD_NONE, 1));
        write_at(v);
        CHECK_EQ_I64(edges_of_newest(), k > 0);
        write_at(t_slice(x, SLICE(k + 1, HD_NONE, 1), AT(k)));
        CHECK_EQ_I64(edges_of_newest(), 1);
    }
    DROP(x);
    CHECK(hd_synchronize(NULL) == HD_OK);
}

/* y[:k] and y[k] are y[:k + 1]. */
TEST(bounds, what_several_writes_cover_together_is_covered)
{
    begin_null();
    hd_array *x = t_ready(1, (int64_t[]){WIDE}, HD_FLOAT64);
    for (int k = 1; k < WRITES; k++) {
        write_at(t_slice(x, SLICE(0, k, 1)));
        CHECK(edges_of_newest() <= 2);
        write_at(t_slice(x, AT(k)));
    }
    hd_array *y = read_slice(x, 0, WRITES, 1);
    CHECK_EQ_I64(edges_of_newest(), 2);
    hd_array *z = read_slice(x, 0, WIDE, 1);   /* the rest of x is not written */
    CHECK_EQ_I64(edges_of_newest(), 2);
    DROP(x, y, z);
    CHECK(hd_synchronize(NULL) == HD_OK);
}

/* A record that could not be submitted at once was never recorded, and the next one has its number:
 * what others note of its edges is not believed. */
TEST(bounds, edges_of_a_record_that_was_forgotten)
{
    enum { MANY = 30, PLACE = 6 };
    hdi_window *w = hdi_window_of(begin_null());
    hd_array *x = t_ready(1, (int64_t[]){WIDE}, HD_FLOAT64);
    for (int k = 0; k < MANY; k++)
        write_at(t_slice(x, AT(k)));
    for (int k = 1; k <= MANY; k++) {
        hdi_window_at(w, w->next - (uint64_t)k)->edge_from = w->next;
        hdi_window_at(w, w->next - (uint64_t)k)->edge_at = PLACE;
    }
    hd_array *y = read_slice(x, 0, MANY, 1);
    CHECK_EQ_I64(edges_of_newest(), MANY);
    DROP(x, y);
    CHECK(hd_synchronize(NULL) == HD_OK);
}

TEST(bounds, without_memory_for_them_chains_are_walked)
{
    hdi_bounds *kept[HDI_BOUNDS_MOST];
    hdi_window *w = hdi_window_of(begin_null());
    hd_array *x = t_ready(1, (int64_t[]){WIDE}, HD_FLOAT64), *v = t_slice(x, AT(3));
    memcpy(kept, w->bounds, sizeof kept);
    memset(w->bounds, 0, sizeof kept);
    for (int k = 0; k < 30; k++) {
        hd_array *one = t_slice(x, AT(k));
        int64_t before = hdi_alloc_count();
        hdi_fail_from(1);
        store_number(one, 1);
        hdi_fail_after(0);
        CHECK(k < 4 || hdi_alloc_count() > before);
        hd_release(one);
    }
    hdi_fail_from(1);
    store_number(v, 1);
    hdi_fail_after(0);
    CHECK_EQ_I64(edges_of_newest(), 1);
    CHECK(w->bounds[0] == NULL && hd_error_peek()->code == HD_OK);
    memcpy(w->bounds, kept, sizeof kept);
    DROP(x, v);
    CHECK(hd_synchronize(NULL) == HD_OK);
}
