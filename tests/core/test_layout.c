/* SPDX-License-Identifier: BSD-3-Clause */
/* test_layout.c - interned layouts: one object for equal ones, and every derived fact against
 * brute force over random layouts. */
#include "core/layouts.h"

static int64_t offset[MOST_ELEMENTS], other[MOST_ELEMENTS];

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

TEST(layout, equal_ones_are_one_object)
{
    for (int repeat = 0; repeat < 3000; repeat++) {
        hdi_layout *l = random_layout(random_item());
        REQUIRE(l != NULL);
        CHECK(hdi_layout_get(l->nd, l->dims, hdi_layout_strides(l), l->item) == l);
        int64_t changed[SMALL_AXES];
        memcpy(changed, hdi_layout_strides(l), sizeof *changed * (size_t)l->nd);
        if (l->nd > 0) {
            changed[t_below(l->nd)] += 1;
            CHECK(hdi_layout_get(l->nd, l->dims, changed, l->item) != l);
        }
        CHECK(hdi_layout_get(l->nd, l->dims, hdi_layout_strides(l), 32) != l);
    }
}

TEST(layout, a_hundred_thousand_are_found_again)
{
    enum { MANY = 20000 };
    static hdi_layout *made[MANY];
    int64_t before = hdi_layouts_count();
    for (int64_t k = 0; k < MANY; k++) {
        int64_t dims[2] = {k + 2, 3};
        made[k] = hdi_layout_c(2, dims, 8);
        REQUIRE(made[k] != NULL);
    }
    CHECK(hdi_layouts_count() >= before + MANY);
    int64_t count = hdi_layouts_count();
    int wrong = 0;
    for (int64_t k = MANY - 1; k >= 0; k--) {
        int64_t dims[2] = {k + 2, 3};
        wrong += hdi_layout_c(2, dims, 8) != made[k];
    }
    CHECK_EQ_I64(wrong, 0);
    CHECK_EQ_I64(hdi_layouts_count(), count);
}

static void check_range(const hdi_layout *l, int64_t n)
{
    int64_t lo = 0, hi = n > 0 ? 0 : -1;
    for (int64_t k = 0; k < n; k++) {
        lo = offset[k] < lo ? offset[k] : lo;
        hi = offset[k] > hi ? offset[k] : hi;
    }
    CHECK_EQ_I64(l->size, n);
    CHECK_EQ_I64(l->lo, lo);
    CHECK_EQ_I64(l->hi, hi);
}

/* Contiguous: element k of that order lies at byte k * item. Dense: the elements fill their
 * range, each place once. */
static void check_contiguity(const hdi_layout *l, int64_t n)
{
    bool c = true, f = true, dense = true;
    for (int64_t k = 0; k < n; k++) {
        c = c && offset[k] == k * l->item;
        int64_t at = 0, below = 1, rest = k;   /* position of element k in Fortran order */
        for (int a = l->nd - 1; a >= 0; a--) {
            int64_t i = rest % l->dims[a], under = 1;
            rest /= l->dims[a];
            for (int b = 0; b < a; b++)
                under *= l->dims[b];
            at += i * under;
        }
        (void)below;
        f = f && offset[k] == at * l->item;
    }
    memcpy(other, offset, sizeof *offset * (size_t)n);
    qsort(other, (size_t)n, sizeof *other, compare);
    for (int64_t k = 1; k < n; k++)
        dense = dense && other[k] - other[k - 1] == l->item;
    CHECK_EQ_I64(l->c_contiguous, c);
    CHECK_EQ_I64(l->f_contiguous, f);
    CHECK_EQ_I64(l->dense, dense);
}

static void check_squeezed(const hdi_layout *l)
{
    int n = 0, m = 0;
    for (int a = 0; a < l->nd; a++) {
        int64_t stride = hdi_layout_strides(l)[a];
        if (l->dims[a] == 1)
            continue;
        CHECK_EQ_I64(l->sqdims[n], l->dims[a]);
        CHECK_EQ_I64(l->sqstrides[n], stride);
        CHECK_EQ_I64(l->zmask >> n & 1, stride == 0);
        CHECK_EQ_I64(l->shape->dims[n], l->dims[a]);
        n++;
        if (stride == 0)
            continue;
        CHECK_EQ_I64(l->core->dims[m], l->dims[a]);
        CHECK_EQ_I64(hdi_layout_strides(l->core)[m], stride);
        CHECK(l->gcd > 0 && stride % l->gcd == 0);
        m++;
    }
    CHECK_EQ_I64(l->nsq, n);
    CHECK_EQ_I64(l->zmask >> n, 0);
    CHECK_EQ_I64(l->shape->nd, n);
    CHECK_EQ_I64(l->shape->item, 0);
    CHECK_EQ_I64(l->core->nd, m);
    CHECK_EQ_I64(l->core->item, l->item);
    CHECK(l->core->core == l->core && l->shape->shape == l->shape);
    CHECK(m > 0 || l->gcd == 0);
}

TEST(layout, derived_facts_equal_brute_force)
{
    int dense = 0, sparse = 0, contiguous = 0;
    for (int repeat = 0; repeat < 6000; repeat++) {
        hdi_layout *l = random_layout(random_item());
        REQUIRE(l != NULL);
        int64_t n = offsets_of(l, offset);
        check_range(l, n);
        check_contiguity(l, n);
        check_squeezed(l);
        dense += l->dense;
        sparse += !l->dense;
        contiguous += l->c_contiguous;
    }
    CHECK(dense > 500 && sparse > 500 && contiguous > 200);   /* chance must meet all of them */
}

/* The gcd is the largest step that all elements keep to. */
TEST(layout, gcd_is_the_largest)
{
    for (int repeat = 0; repeat < 2000; repeat++) {
        hdi_layout *l = random_layout(random_item());
        int64_t n = offsets_of(l, offset), g = 0;
        for (int64_t k = 0; k < n; k++)
            for (int64_t a = offset[k] < 0 ? -offset[k] : offset[k], t; a != 0;
                 t = g % a, g = a, a = t)
                ;
        if (n > 0)
            CHECK_EQ_I64(l->gcd, g);
    }
}

/* ---- overlap: rule M4 ------------------------------------------------------------------------ */

static bool bytes_meet(const hdi_layout *a, int64_t ao, const hdi_layout *b, int64_t bo)
{
    int64_t na = offsets_of(a, offset), nb = offsets_of(b, other);
    for (int64_t i = 0; i < na; i++)
        for (int64_t j = 0; j < nb; j++) {
            int64_t x = ao + offset[i], y = bo + other[j];
            if (x < y + b->item && y < x + a->item)
                return true;
        }
    return false;
}

/* Two views of one buffer; false: too large to be compared byte by byte. */
static bool random_pair(hdi_layout **a, hdi_layout **b, int64_t *ao, int64_t *bo)
{
    *a = random_layout(random_item());
    *b = random_layout(t_below(2) ? (*a)->item : random_item());
    if ((*a)->size * (*b)->size > 20000)
        return false;
    *ao = t_between(-24, 24);
    *bo = t_between(-24, 24);
    return true;
}

TEST(overlap, never_denies_a_common_byte)
{
    int meet = 0, denied = 0, apart = 0;
    for (int repeat = 0; repeat < 20000; repeat++) {
        hdi_layout *a, *b;
        int64_t ao, bo;
        if (!random_pair(&a, &b, &ao, &bo))
            continue;
        bool said = hdi_overlap(a, ao, b, bo), truth = bytes_meet(a, ao, b, bo);
        CHECK(said || !truth);
        CHECK(said == hdi_overlap(b, bo, a, ao));
        meet += truth;
        apart += !truth;
        denied += !said;
    }
    CHECK(meet > 3000 && apart > 1000);
    CHECK(denied * 2 > apart);   /* and is not merely saying yes */
}

static bool bytes_within(const hdi_layout *a, int64_t ao, const hdi_layout *b, int64_t bo)
{
    int64_t na = offsets_of(a, offset), nb = offsets_of(b, other);
    for (int64_t j = 0; j < nb; j++)
        for (int64_t byte = bo + other[j]; byte < bo + other[j] + b->item; byte++) {
            bool there = false;
            for (int64_t i = 0; i < na && !there; i++)
                there = byte >= ao + offset[i] && byte < ao + offset[i] + a->item;
            if (!there)
                return false;
        }
    return true;
}

TEST(overlap, contains_only_what_is_there)
{
    int within = 0, said_so = 0;
    for (int repeat = 0; repeat < 20000; repeat++) {
        hdi_layout *a, *b;
        int64_t ao, bo;
        if (!random_pair(&a, &b, &ao, &bo))
            continue;
        bool said = hdi_contains(a, ao, b, bo), truth = bytes_within(a, ao, b, bo);
        CHECK(truth || !said);
        CHECK(a->size == 0 || hdi_contains(a, ao, a, ao) || !a->injective);
        within += truth && b->size > 0;
        said_so += said && b->size > 0;
    }
    CHECK(within > 1000 && said_so * 4 > within * 3);
}

/* Rows, columns and blocks of one matrix, perhaps in steps along one axis or backwards: both answers
 * are exact. */
TEST(overlap, views_of_one_matrix_are_told_apart)
{
    enum { SIDE = 12, PITCH = 8 * (SIDE + 2) };
    int meet = 0, within = 0;
    for (int repeat = 0; repeat < 20000; repeat++) {
        hdi_layout *l[2];
        int64_t off[2];
        for (int k = 0; k < 2; k++) {
            int64_t i = t_below(SIDE), j = t_below(SIDE), n[2] = {t_between(1, SIDE - i),
                                                                    t_between(1, SIDE - j)};
            int64_t strides[2] = {PITCH, 8};
            off[k] = 16 + PITCH * i + 8 * j;
            switch (t_below(6)) {
            case 0: n[0] = 1; break;
            case 1: n[1] = 1; break;
            case 2: strides[0] *= 2; n[0] = (n[0] + 1) / 2; n[1] = 1; break;
            case 3: off[k] += PITCH * (n[0] - 1); strides[0] = -PITCH; break;
            default: break;
            }
            l[k] = hdi_layout_get(2, n, strides, 8);
        }
        bool truth = bytes_meet(l[0], off[0], l[1], off[1]),
             inside = bytes_within(l[0], off[0], l[1], off[1]);
        CHECK(hdi_overlap(l[0], off[0], l[1], off[1]) == truth);
        CHECK(hdi_contains(l[0], off[0], l[1], off[1]) == inside);
        meet += truth;
        within += inside;
    }
    CHECK(meet > 2000 && meet < 18000 && within > 500);
}

static hdi_layout *line(int64_t n, int64_t stride, int64_t item)
{
    return hdi_layout_get(1, &n, &stride, item);
}

TEST(overlap, the_cases_of_rule_m4)
{
    hdi_layout *x = line(10, 8, 8), *half = line(5, 16, 8), *back = line(5, -16, 8);
    CHECK(hdi_overlap(x, 0, x, 0));
    CHECK(!hdi_overlap(half, 0, half, 8));            /* x[::2] and x[1::2] */
    CHECK(!hdi_overlap(half, 0, back, 72));           /* x[::2] and x[::-2] of an even length */
    CHECK(hdi_overlap(half, 8, back, 72));
    CHECK(!hdi_overlap(line(5, 8, 8), 0, line(5, 8, 8), 40));   /* x[:5], x[5:] */
    CHECK(hdi_overlap(line(6, 8, 8), 0, line(5, 8, 8), 40));
    CHECK(hdi_overlap(line(9, 8, 8), 8, line(9, 8, 8), 0));     /* x[1:], x[:-1] */
    CHECK(!hdi_overlap(line(0, 8, 8), 0, x, 0));
    /* the parts of complex numbers: 8 bytes every 16; and a whole complex number meets both */
    CHECK(!hdi_overlap(line(5, 16, 8), 0, line(5, 16, 8), 8));
    CHECK(hdi_overlap(line(5, 16, 16), 0, line(5, 16, 8), 8));
    /* columns of a matrix, and rows */
    CHECK(!hdi_overlap(line(4, 32, 8), 0, line(4, 32, 8), 24));
    CHECK(!hdi_overlap(line(4, 8, 8), 0, line(4, 8, 8), 32));
    /* a broadcast element lies where it lies */
    CHECK(!hdi_overlap(line(7, 0, 8), 8, half, 0));
    CHECK(hdi_overlap(line(7, 0, 8), 16, half, 0));
    /* other item sizes: bytes 4..8 of each pair of int32 */
    CHECK(!hdi_overlap(line(5, 8, 4), 4, line(5, 8, 4), 0));
    CHECK(hdi_overlap(line(5, 8, 8), 0, line(5, 8, 4), 4));
}

/* ---- forgetting ------------------------------------------------------------------------------ */

TEST(layout, trim_keeps_what_handles_use)
{
    enum { KEPT = 300 };
    hdi_layout *kept[KEPT];
    int64_t facts[KEPT];
    for (int k = 0; k < KEPT; k++) {
        kept[k] = random_layout(random_item());
        kept[k]->handles++;
        facts[k] = kept[k]->core->nd + 100 * kept[k]->shape->nd + 10000 * kept[k]->size;
    }
    uint64_t generation = hdi_layouts_generation;
    int64_t before = hdi_layouts_count();
    hdi_layouts_trim();
    CHECK(hdi_layouts_generation == generation + 1);
    CHECK(hdi_layouts_count() < before);
    CHECK(hdi_layouts_count() <= 6 * KEPT);
    for (int k = 0; k < KEPT; k++) {
        const hdi_layout *l = kept[k], *s = l->shape, *c = l->core;
        CHECK(hdi_layout_get(l->nd, l->dims, hdi_layout_strides(l), l->item) == l);
        CHECK(hdi_layout_get(s->nd, s->dims, hdi_layout_strides(s), 0) == s);
        CHECK(hdi_layout_get(c->nd, c->dims, hdi_layout_strides(c), c->item) == c);
        CHECK_EQ_I64(facts[k], c->nd + 100 * s->nd + 10000 * l->size);
        /* no relative is gone */
        CHECK(s->core->nd == 0 && c->core == c && c->shape->shape == c->shape);
    }
    for (int k = 0; k < KEPT; k++)
        kept[k]->handles--;
    hdi_layouts_trim();
    CHECK_EQ_I64(hdi_layouts_count(), 0);
    CHECK(random_layout(8) != NULL);
}

/* Wrapped: of its own order, so never taken for the plain one; the same elements. */
TEST(layout, wrapped_ones_are_anothers)
{
    for (int repeat = 0; repeat < 1000; repeat++) {
        const hdi_layout *l = random_layout(random_item());
        int64_t wrap[SMALL_AXES], another[SMALL_AXES];
        bool moved = false, plain = true;
        for (int a = 0; a < l->nd; a++) {
            wrap[a] = another[a] = l->dims[a] > 1 ? t_below(l->dims[a]) : 0;
            moved |= l->dims[a] > 1;
            plain &= l->dims[a] < 2 || hdi_layout_strides(l)[a] != 0;
        }
        if (!moved || !plain)
            continue;
        const hdi_layout *w = hdi_layout_wrapped(l, wrap);
        CHECK(w != NULL && w != l && w->wrap != NULL && w->core == w && w->shape == l->shape);
        CHECK(w->lo == l->lo && w->hi == l->hi && w->size == l->size && w->fills < 0);
        CHECK(!w->c_contiguous && !w->f_contiguous && !w->dense && !w->c_order);
        CHECK(hdi_layout_wrapped(l, wrap) == w);
        CHECK(hdi_layout_get(l->nd, l->dims, hdi_layout_strides(l), l->item) == l);
        int k = 0;
        for (int a = 0; a < l->nd; a++)
            if (l->dims[a] != 1)
                CHECK_EQ_I64(w->wrap[k++], wrap[a]);
        for (int a = 0; a < l->nd; a++)
            if (l->dims[a] > 1) {
                another[a] = (another[a] + 1) % l->dims[a];
                CHECK(hdi_layout_wrapped(l, another) != w);
                break;
            }
    }
}

/* ids break ties in the window: they must not depend on what ran before, only on the order of
 * first use. */
TEST(layout, ids_differ)
{
    hdi_layout *a = line(3, 8, 8), *b = line(4, 8, 8);
    CHECK(a->id != 0 && b->id != 0 && a->id != b->id);
}

/* No byte twice; strides that cross are taken for such that meet. */
TEST(layout, knows_whether_elements_come_twice)
{
    const struct { int nd; int64_t dims[3], strides[3]; bool once; } cases[] = {
        {0, {0}, {0}, true},
        {1, {5}, {8}, true},
        {1, {5}, {-24}, true},
        {1, {5}, {0}, false},
        {1, {1}, {0}, true},
        {1, {5}, {4}, false},
        {2, {5, 4}, {8, 8}, false},
        {2, {5, 4}, {32, 8}, true},
        {2, {5, 4}, {8, 40}, true},
        {2, {5, 4}, {24, 8}, false},
        {2, {5, 1}, {8, 0}, true},
        {2, {0, 4}, {0, 0}, true},
        {3, {2, 3, 4}, {8, 64, -16}, true},
        {3, {2, 3, 4}, {8, 56, -16}, false},
        {3, {3, 3, 3}, {8, 8, 8}, false},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        hdi_layout *l = hdi_layout_get(cases[k].nd, cases[k].dims, cases[k].strides, 8);
        REQUIRE(l != NULL);
        CHECK(l->injective == cases[k].once);
    }
}
