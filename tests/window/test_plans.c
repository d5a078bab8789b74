/* SPDX-License-Identifier: BSD-3-Clause */
/* test_plans.c - the plan cache: loops of any length need a bounded number of plans, and
 * whatever is found under a key would have been planned in the same way again. */
#include "fuse/legal.h"
#include "window/windows.h"

/* ---- every hit, planned again ---------------------------------------------------------------- */

typedef struct memory {
    struct memory *next;
    int nwords, n, ngens;
    uint64_t *words;
    hdi_partition partition;
    hdi_gen_use use[HDI_MAX_GENS];
} memory;

static memory *seen;
static int64_t hits, misses;
static const hdi_runner_table *real;

static void remember(const planned *p)
{
    memory *m = calloc(1, sizeof *m);
    m->words = malloc(sizeof(uint64_t) * (size_t)p->canon.nwords);
    memcpy(m->words, p->canon.word, sizeof(uint64_t) * (size_t)p->canon.nwords);
    m->nwords = p->canon.nwords;
    m->n = p->canon.n;
    m->ngens = p->canon.ngens;
    m->partition = p->partition;
    memcpy(m->use, p->use, sizeof m->use);
    m->next = seen;
    seen = m;
    misses++;
}

static void compare(const memory *m, const planned *p)
{
    const hdi_partition *a = &m->partition, *b = &p->partition;
    size_t n = (size_t)m->n;
    hits++;
    CHECK(m->n == p->canon.n && m->ngens == p->canon.ngens && a->ngroups == b->ngroups);
    CHECK(memcmp(a->where, b->where, sizeof *a->where * n) == 0);
    CHECK(memcmp(a->level, b->level, sizeof *a->level * n) == 0 &&
          memcmp(a->phase, b->phase, sizeof *a->phase * n) == 0);
    CHECK(memcmp(m->use, p->use, sizeof *m->use * (size_t)m->ngens) == 0);
}

static hd_status watching_submit(hd_device *dev, hdi_chunk *c)
{
    const memory *m = seen;
    planned *p = plan_chunk(c);
    if (c->only != 0 && c->only != p->canon.hash)
        return real->submit(dev, c);   /* to be refused */
    check_legal(c, p);
    while (m != NULL &&
           (m->nwords != p->canon.nwords ||
            memcmp(m->words, p->canon.word, sizeof(uint64_t) * (size_t)m->nwords) != 0))
        m = m->next;
    if (m != NULL)
        compare(m, p);
    else
        remember(p);
    int64_t plans = hdi_windows_stats(dev).plans;
    hd_status status = real->submit(dev, c);
    /* the cache agrees about what is new */
    CHECK_EQ_I64(hdi_windows_stats(dev).plans - plans, m == NULL);
    return status;
}

static void begin_watching(void)
{
    hits = misses = 0;
    real = begin_submitting(watching_submit);
}

static void end_watching(void)
{
    end_submitting(real);
    while (seen != NULL) {
        memory *m = seen;
        seen = m->next;
        free(m->words);
        free(m);
    }
}

/* One loop body: its records never change, but where the slices lie, how long they are and what
 * is kept does. */
static void random_body(hd_array *x, hd_array *y, hd_array **kept)
{
    int scope = hd_scope_begin();
    int64_t n = t_between(4, 5), m = t_below(3) ? n : t_between(4, 5), at = t_below(8);
    hd_array *base = t_below(2) ? x : y;
    hd_array *v = t_slice(x, SLICE(at, at + n, 1)),
             *w = t_slice(base, SLICE(at + t_below(3), HD_NONE, t_between(1, 2)));
    w = t_slice(w, SLICE(0, n, 1));
    hd_array *u = t_slice(y, SLICE(at + t_below(2) * 6, HD_NONE, 1)),
             *part = t_slice(u, SLICE(0, m, 1));
    hd_array *t = hd_multiply(v, hd_float(2));
    hd_inplace(HD_OP_add, v, t);
    hd_array *s = hd_sum(t, HD_ALL_AXES, NULL, 0), *r = hd_subtract(w, s);
    hd_array *q = hd_add(part, part);
    hd_inplace(HD_OP_multiply, part, q);
    hd_array *e = hd_exp(r);
    hd_release(*kept);
    *kept = hd_keep(t_below(2) ? e : q);
    hd_scope_end(scope, NULL);
}

TEST(plans, every_hit_planned_again_is_the_same)
{
    begin_watching();
    for (int program = 0; program < 4; program++) {
        hd_array *x = t_ready(SHAPE(32), HD_FLOAT64), *y = t_ready(SHAPE(32), HD_FLOAT64),
                 *kept = NULL;
        for (int k = 0; k < 250; k++) {
            random_body(x, y, &kept);
            if (program == 0)
                hd_synchronize(NULL);
            else if (program < 3 && t_below(3) == 0)
                hd_eval(t_below(2) ? x : kept);
        }
        DROP(x, y, kept);
    }
    end_watching();
    CHECK(hits > 100 && misses > 20);
}

/* Two axes, transposed, broadcast, reduced. */
static hd_array *matrix_body(hd_array *m, hd_array *v)
{
    int scope = hd_scope_begin();
    hd_array *t = t_below(3) ? m : hd_transpose(m, NULL);
    hd_array *a = hd_add(t, v), *peak = hd_max(a, AXES(-1), 1), *e = hd_exp(hd_subtract(a, peak));
    hd_array *total = hd_sum(e, AXES((int)t_below(2)), 1), *p = hd_divide(e, total);
    hd_array *row = t_slice(m, AT(t_below(6)));
    hd_assign(row, t_slice(p, AT(t_below(6))), HD_CAST_SAME_KIND);
    hd_array *r = hd_add(p, hd_transpose(m, NULL));
    return hd_scope_end(scope, r);
}

TEST(plans, and_in_two_dimensions)
{
    begin_watching();
    hd_array *m = t_ready(SHAPE(6, 6), HD_FLOAT64), *v = t_ready(SHAPE(6), HD_FLOAT64);
    for (int k = 0; k < 300; k++) {
        hd_array *r = matrix_body(m, v);
        if (t_below(4))
            hd_eval(t_below(2) ? r : m);
        hd_release(r);
    }
    DROP(m, v);
    end_watching();
    CHECK(hits > 50 && misses > 5);
}

/* ---- loops of any length --------------------------------------------------------------------- */

static hd_array *x, *y, *u, *w;   /* the state of the loops below */

/* x is replaced by its next value. */
static void become(hd_array **x_, hd_array *next)
{
    hd_array *old = *x_;
    *x_ = hd_keep(next);
    hd_release(old);
}

static void cubic_step(int64_t k)
{
    (void)k;
    hd_array *x2 = hd_multiply(x, x);
    hd_array *p = hd_add(hd_add(u, hd_multiply(w, x)), hd_multiply(w, hd_multiply(x2, x)));
    hd_array *g = hd_multiply(hd_float(2), hd_subtract(p, y));
    become(&u, hd_subtract(u, hd_multiply(hd_float(1e-6), hd_sum(g, HD_ALL_AXES, NULL, 0))));
    become(&w, hd_subtract(w, hd_multiply(hd_float(1e-6),
                                          hd_sum(hd_multiply(g, x2), HD_ALL_AXES, NULL, 0))));
}

static hd_array *shifted(hd_array *a, int64_t i, int64_t j)
{
    return t_slice(a, SLICE(1 + i, i < 1 ? -1 + i : HD_NONE, 1),
                   SLICE(1 + j, j < 1 ? -1 + j : HD_NONE, 1));
}

static void jacobi_step(int64_t k)
{
    (void)k;
    hd_array *sum = hd_add(hd_add(shifted(u, -1, 0), shifted(u, 1, 0)),
                           hd_add(shifted(u, 0, -1), shifted(u, 0, 1)));
    hd_assign(shifted(w, 0, 0), hd_multiply(sum, hd_float(0.25)), HD_CAST_SAME_KIND);
    hd_assign(shifted(u, 0, 0), shifted(w, 0, 0), HD_CAST_SAME_KIND);
}

/* The slices move with k. */
static void moving_step(int64_t k)
{
    int64_t at = k % 40;
    hd_array *v = t_slice(x, SLICE(at, at + 20, 1)), *r = t_slice(y, SLICE(at, at + 20, 1));
    hd_inplace(HD_OP_add, v, hd_multiply(r, hd_float(0.5)));
}

/* A triangular solve, row after row: extents grow and shrink with k. */
static void triangular_step(int64_t k)
{
    int64_t i = k % 62 + 1;
    hd_array *row = t_slice(u, AT(i), SLICE(0, i, 1)), *head = t_slice(x, SLICE(0, i, 1)),
             *cell = t_slice(x, SLICE(i, i + 1, 1));
    hd_assign(cell,
              hd_subtract(t_slice(y, SLICE(i, i + 1, 1)),
                          hd_sum(hd_multiply(row, head), HD_ALL_AXES, NULL, 1)),
              HD_CAST_SAME_KIND);
}

/* A metric that nobody ever reads, beside a state that is read at every step. */
static void metric_step(int64_t k)
{
    (void)k;
    become(&x, hd_add(hd_multiply(x, hd_float(0.9)), y));
    become(&u, hd_maximum(u, hd_max(hd_absolute(x), HD_ALL_AXES, NULL, 0)));
    hd_eval(x);
}

static void chain_step(int64_t k)
{
    (void)k;
    become(&x, hd_add(x, hd_int(1)));
}

/* A body longer than what is run at a time. */
static void long_step(int64_t k)
{
    hd_array *z = x;
    (void)k;
    for (int i = 0; i < 75; i++) {
        z = hd_add(z, i % 3 ? x : y);
        z = i % 4 ? hd_sin(z) : hd_multiply(z, z);
    }
    become(&x, z);
}

static void run(void (*step)(int64_t), int64_t n)
{
    for (int64_t k = 0; k < n; k++) {
        int scope = hd_scope_begin();
        step(k);
        hd_scope_end(scope, NULL);
    }
}

static void begin_state(void)
{
    begin_null();
    x = t_ready(SHAPE(64), HD_FLOAT64);
    y = t_ready(SHAPE(64), HD_FLOAT64);
    u = t_ready(SHAPE(64, 64), HD_FLOAT64);
    w = t_ready(SHAPE(64, 64), HD_FLOAT64);
}

static void check_loop(void (*step)(int64_t), int64_t most_plans, int64_t more)
{
    static const int64_t trips[] = {10, 100, 1000, 3000};
    int64_t plans[4];
    begin_state();
    if (step == cubic_step || step == metric_step) {
        become(&u, t_ready(SCALAR_SHAPE, HD_FLOAT64));
        become(&w, t_ready(SCALAR_SHAPE, HD_FLOAT64));
    }
    hd_stats start = t_stats(NULL);
    for (int t = 0; t < 4; t++) {
        run(step, trips[t]);
        plans[t] = t_stats(NULL).plans - start.plans;
    }
    CHECK(plans[2] <= most_plans);
    CHECK(plans[3] <= plans[2] + more);
    DROP(x, y, u, w);
    CHECK(hd_synchronize(NULL) == HD_OK && t_clean());
}

/* 10, 100, 1000, 3000 trips. Slices that move meet the borders of the window at other places
 * each time around: a few more plans. */
TEST(plans, do_not_grow_with_the_trip_count)
{
    check_loop(cubic_step, 2, 0);
    check_loop(jacobi_step, 3, 0);
    check_loop(chain_step, 2, 0);
    check_loop(metric_step, 6, 0);
    check_loop(long_step, 8, 0);
    check_loop(moving_step, 10, 2);
    check_loop(triangular_step, 20, 8);
}
