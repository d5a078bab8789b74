/* SPDX-License-Identifier: BSD-3-Clause */
/* test_hazards.c - which pending records conflict (rules M2 to M4, M7): named cases, then random
 * programs against brute force. */
#include "window/inspect.h"

static hd_array *line(int64_t n)
{
    return t_ready(1, &n, HD_FLOAT64);
}

TEST(hazards, read_after_write)
{
    begin_null();
    hd_array *x = line(8), *y = hd_add(x, x), *z = hd_multiply(y, y), *w = read_slice(y, 2, 8, 1),
             *v = read_slice(x, 0, 8, 1);
    hdi_chunk *c = pending(false);
    REQUIRE(c->n == 4);
    CHECK(edge(c, 0, 1) == HDI_SAME_MAP);
    CHECK(edge(c, 0, 2) == HDI_OVERLAP);
    /* readers of one array are free */
    CHECK(edge(c, 1, 2) == HDI_DISJOINT && edge(c, 0, 3) == HDI_DISJOINT);
    DROP(x, y, z, w, v);
}

TEST(hazards, read_after_partial_writes)
{
    begin_null();
    hd_array *x = line(8), *a, *b, *d;
    store_slice(x, 0, 8, 2, 1);
    a = read_slice(x, 0, 8, 2);
    b = read_slice(x, 1, 8, 2);
    d = read_slice(x, 0, 4, 1);
    hdi_chunk *c = pending(false);
    REQUIRE(c->n == 4);
    CHECK(edge(c, 0, 1) == HDI_SAME_MAP);
    CHECK(edge(c, 0, 2) == HDI_DISJOINT);   /* x[::2] and x[1::2] */
    CHECK(edge(c, 0, 3) == HDI_OVERLAP);
    DROP(x, a, b, d);
}

TEST(hazards, write_after_read)
{
    begin_null();
    hd_array *x = line(8), *a = read_slice(x, 2, 6, 1);
    store_slice(x, 2, 6, 1, 0);
    store_slice(x, 0, 3, 1, 0);
    store_slice(x, 6, 8, 1, 0);
    hdi_chunk *c = pending(false);
    REQUIRE(c->n == 4);
    CHECK(edge(c, 0, 1) == HDI_SAME_MAP);
    CHECK(edge(c, 0, 2) == HDI_OVERLAP && edge(c, 1, 2) == HDI_OVERLAP);
    CHECK(edge(c, 0, 3) == HDI_DISJOINT && edge(c, 1, 3) == HDI_DISJOINT);
    DROP(x, a);
}

TEST(hazards, write_after_write)
{
    begin_null();
    hd_array *x = line(8);
    store_slice(x, 0, 4, 1, 1);
    store_slice(x, 0, 4, 1, 2);
    store_slice(x, 2, 6, 1, 3);
    store_slice(x, 6, 8, 1, 4);
    hdi_chunk *c = pending(false);
    REQUIRE(c->n == 4);
    CHECK(edge(c, 0, 1) == HDI_SAME_MAP);
    CHECK(edge(c, 1, 2) == HDI_OVERLAP && edge(c, 2, 3) == HDI_DISJOINT);
    DROP(x);
}

/* One operation that reads and writes: the worse verdict counts. */
TEST(hazards, the_worst_verdict_of_a_pair)
{
    begin_null();
    hd_array *x = line(8), *front, *back;
    store_slice(x, 0, 4, 1, 1);
    front = t_slice(x, SLICE(0, 4, 1));
    back = t_slice(x, SLICE(1, 5, 1));
    hd_array *y = hd_add(front, back), *z = hd_add(front, front);
    hdi_chunk *c = pending(false);
    CHECK(edge(c, 0, 1) == HDI_OVERLAP && edge(c, 0, 2) == HDI_SAME_MAP);
    DROP(x, front, back, y, z);
}

TEST(hazards, broadcasting_keeps_the_map)
{
    begin_null();
    hd_array *x = line(4), *row = hd_add(x, x), *m = hd_broadcast_to(row, SHAPE(3, 4)),
             *y = hd_negative(m);
    hd_array *s = hd_sum(y, AXES(0), 0), *d = hd_subtract(y, s);
    hdi_chunk *c = pending(false);
    REQUIRE(c->n == 4);
    CHECK(edge(c, 0, 1) == HDI_SAME_MAP);   /* repeated, but the same elements in the same order */
    CHECK(edge(c, 1, 2) == HDI_SAME_MAP && edge(c, 2, 3) == HDI_SAME_MAP &&
          edge(c, 1, 3) == HDI_SAME_MAP);
    DROP(x, row, m, y, s, d);
}

/* A write that covers a view hides what came before it: edges to it are enough. */
TEST(hazards, a_covering_write_ends_the_chain)
{
    begin_null();
    hd_array *x = line(8), *y;
    for (int k = 0; k < 5; k++)
        store_slice(x, 0, 4, 1, k);
    y = read_slice(x, 0, 4, 1);
    hdi_chunk *c = pending(false);
    REQUIRE(c->n == 6);
    CHECK_EQ_I64(c->record[5]->nedges, 1);
    CHECK(edge(c, 4, 5) == HDI_SAME_MAP);
    DROP(x, y);
    begin_null();
    x = line(8);
    hd_array *z = hd_add(x, x), *part;   /* writes the whole buffer: covers every view */
    store_slice(z, 0, 2, 1, 1);
    part = read_slice(z, 1, 3, 1);
    c = pending(false);
    REQUIRE(c->n == 3);
    CHECK(edge(c, 1, 2) == HDI_OVERLAP && edge(c, 0, 2) == HDI_OVERLAP);
    DROP(x, z, part);
}

/* Rule M7: nothing waits for the readers of an array that is overwritten as a whole. */
TEST(hazards, a_store_to_the_whole_array_renames_it)
{
    begin_null();
    hd_array *x = line(8), *y = hd_add(x, x);
    uintptr_t storage = hd_storage_of(x);
    const hdi_buf *old = hdi_array_buf(x);
    store_number(x, 0);
    hd_array *z = hd_add(x, x);
    CHECK(hdi_array_buf(x) != old && hd_storage_of(x) == storage);
    hdi_chunk *c = pending(false);
    REQUIRE(c->n == 3);
    CHECK(edge(c, 0, 1) == HDI_DISJOINT && edge(c, 1, 2) == HDI_SAME_MAP);
    hd_array *t = hd_transpose(x, NULL), *back = t_slice(x, SLICE(HD_NONE, HD_NONE, -1));
    old = hdi_array_buf(x);
    store_number(back, 1);   /* the whole array backwards */
    CHECK(hdi_array_buf(x) != old);
    old = hdi_array_buf(x);
    store_slice(x, 0, 7, 1, 1);   /* all but one */
    CHECK(hdi_array_buf(x) == old);
    DROP(x, y, z, t, back);
}

/* Reads and writes of other dtypes see the same bytes, but not the same values. */
TEST(hazards, another_dtype_is_another_map)
{
    begin_null();
    hd_array *x = line(8), *bits = hd_view(x, HD_INT64), *part = t_slice(x, SLICE(0, 4, 1));
    store_number(part, 1);
    hd_array *y = read_slice(bits, 0, 4, 1);
    hdi_chunk *c = pending(false);
    REQUIRE(c->n == 2);
    CHECK(edge(c, 0, 1) == HDI_OVERLAP);
    DROP(x, bits, part, y);
}

TEST(hazards, more_edges_than_fit_a_record)
{
    enum { MANY = 40 };
    begin_null();
    hd_array *x = line(MANY);
    for (int k = 0; k < MANY; k++)
        store_slice(x, k, k + 1, 1, k);
    hd_array *y = hd_add(x, x);
    hdi_chunk *c = pending(false);
    REQUIRE(c->n == MANY + 1);
    CHECK_EQ_I64(c->record[MANY]->nedges, MANY);
    for (int k = 0; k < MANY; k++)
        CHECK(edge(c, k, MANY) == HDI_OVERLAP);
    DROP(x, y);
    CHECK(hd_synchronize(NULL) == HD_OK);
}

/* ---- random programs ------------------------------------------------------------------------- */

enum { CELLS = 24, LENGTH = 120, ARRAYS = 3 };

typedef struct access { int array; bool write; uint32_t cells; int64_t first, step, count; } access;
typedef struct step { int n; access a[2]; } step;

static access random_access(int array, bool write)
{
    access a = {.array = array, .write = write};
    a.step = t_between(1, 3) * (t_below(4) ? 1 : -1);
    a.count = t_between(1, 6);
    int64_t span = (a.count - 1) * (a.step < 0 ? -a.step : a.step);
    a.first = t_between(0, CELLS - 1 - span) + (a.step < 0 ? span : 0);
    for (int64_t k = 0; k < a.count; k++)
        a.cells |= 1u << (a.first + k * a.step);
    return a;
}

static hd_array *view_of(hd_array *const *x, const access *a)
{
    int64_t stop = a->first + a->count * a->step;
    return t_slice(x[a->array], SLICE(a->first, stop < 0 ? HD_NONE : stop, a->step));
}

/* One step: a store through a view, of a number or of another view's elements, or a fresh
 * result. */
static void random_step(hd_array *const *x, step *s, hd_array **result)
{
    s->n = 0;
    *result = NULL;
    if (t_below(2)) {
        s->a[0] = random_access((int)t_below(ARRAYS), false);
        s->n = 1;
        hd_array *v = view_of(x, &s->a[0]);
        *result = hd_negative(v);
        hd_release(v);
        return;
    }
    access to = random_access((int)t_below(ARRAYS), true),
           from = random_access((to.array + 1) % ARRAYS, false);
    hd_array *dst = view_of(x, &to);
    if (from.count >= to.count) {
        from.cells = 0;
        from.count = to.count;
        for (int64_t k = 0; k < from.count; k++)
            from.cells |= 1u << (from.first + k * from.step);
        hd_array *src = view_of(x, &from);
        hd_assign(dst, src, HD_CAST_SAME_KIND);
        hd_release(src);
        s->a[s->n++] = from;
    } else {
        store_number(dst, 1);
    }
    s->a[s->n++] = to;
    hd_release(dst);
}

/* Is there a way from record `to` back to record `from` along edges? */
static bool reaches(const hdi_chunk *c, int from, int to, bool *seen)
{
    if (to == from)
        return true;
    for (int k = from; k < to; k++)
        if (!seen[k] && edge(c, k, to) != HDI_DISJOINT) {
            seen[k] = true;
            if (reaches(c, from, k, seen))
                return true;
        }
    return false;
}

static bool same_map(const access *a, const access *b)
{
    return a->first == b->first && a->count == b->count && (a->step == b->step || a->count == 1);
}

static void check_pair(const hdi_chunk *c, const step *s, int i, int j, int *conflicts)
{
    bool conflict = false, all_same = true, any = false;
    for (int p = 0; p < s[i].n; p++)
        for (int q = 0; q < s[j].n; q++) {
            const access *a = &s[i].a[p], *b = &s[j].a[q];
            if (a->array != b->array || !(a->write || b->write))
                continue;
            any = true;
            conflict |= (a->cells & b->cells) != 0;
            all_same = all_same && ((a->cells & b->cells) == 0 || same_map(a, b));
        }
    hdi_verdict v = edge(c, i, j);
    CHECK(v == HDI_DISJOINT || any);
    CHECK(v != HDI_SAME_MAP || (conflict && all_same));
    *conflicts += conflict;
    if (conflict) {
        bool seen[LENGTH] = {false};
        CHECK(reaches(c, i, j, seen));
    }
}

TEST(hazards, random_programs_against_brute_force)
{
    static step s[LENGTH];
    int conflicts = 0, edges = 0;
    for (int repeat = 0; repeat < 8; repeat++) {
        begin_null();
        hd_array *x[ARRAYS], *result[LENGTH];
        for (int k = 0; k < ARRAYS; k++)
            x[k] = line(CELLS);
        for (int k = 0; k < LENGTH; k++)
            random_step(x, &s[k], &result[k]);
        hdi_chunk *c = pending(false);
        REQUIRE(c->n == LENGTH);
        for (int j = 0; j < LENGTH; j++) {
            edges += c->record[j]->nedges;
            for (int i = 0; i < j; i++)
                check_pair(c, s, i, j, &conflicts);
        }
        drop(LENGTH, result);
        drop(ARRAYS, x);
    }
    CHECK(conflicts > 3000 && edges < 2 * conflicts);   /* chains end early */
    CHECK(hd_synchronize(NULL) == HD_OK && t_clean());
}
