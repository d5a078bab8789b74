/* SPDX-License-Identifier: BSD-3-Clause */
/* test_repeat.c - chunks that come again are found without a key, and what is found so has the
 * key that would have been made. */
#include "window/inspect.h"
#include "window/repeat.h"

static const hdi_runner_table *real;
static int64_t asked, found;

/* What the window submits, looked for both ways. */
static hd_status comparing_submit(hd_device *dev, hdi_chunk *c)
{
    static hdi_canon known, made;
    const hdi_plan *p = hdi_repeat_find(&known, c);
    hdi_canon_build(&made, c);
    asked++;
    if (p != NULL) {
        found++;
        CHECK(p->hash == made.hash && known.hash == made.hash && p->nwords == made.nwords &&
              memcmp(p->words, made.word, sizeof *made.word * (size_t)made.nwords) == 0);
        CHECK(known.n == made.n && known.ngens == made.ngens &&
              memcmp(known.gen, made.gen, sizeof *made.gen * (size_t)made.ngens) == 0);
    }
    return real->submit(dev, c);
}

static void begin_comparing(void)
{
    asked = found = 0;
    real = begin_submitting(comparing_submit);
}

/* ---- one chunk, and one that differs in a single thing --------------------------------------- */

typedef enum what {
    USUAL, NUMBER, ARRAY, LAST_ALIKE = ARRAY,
    OFFSET, EXTENT, STRIDE, DTYPE, OPERATION, AXIS, TWICE, ORDER, KEPT, MEMORY, LONGER, NWHAT
} what;

static hd_array *x, *y, *z, *f, *m;   /* lines of 40, f of float32; a square */

/* Demands one chunk. */
static void body(what v)
{
    int scope = hd_scope_begin();
    hd_array *from = v == ARRAY ? z : v == DTYPE ? f : x;
    int64_t at = v == OFFSET, by = v == STRIDE ? 2 : 1, n = v == EXTENT ? 9 : 8;
    hd_array *a = t_slice(from, SLICE(at, at + n * by, by)), *b = t_slice(y, SLICE(0, n, 1));
    hd_array *sum = hd_sum(m, AXES(v == AXIS ? 0 : 1), 0);
    hd_array *t = v == TWICE ? hd_add(a, a) : v == ORDER ? hd_add(b, a) : hd_add(a, b);
    hd_array *u = v == OPERATION ? hd_subtract(t, b) : hd_multiply(t, b);
    if (v != KEPT)
        hd_release(hd_keep(t));
    hd_array *fresh = hd_full(SHAPE(8), hd_int(1), HD_FLOAT64);
    if (v == MEMORY)
        hd_eval(fresh);
    hd_array *part = t_slice(u, SLICE(0, 8, 1));
    hd_array *r = hd_add(hd_add(hd_multiply(part, hd_float(v == NUMBER ? 3 : 2)), sum), fresh);
    if (v == LONGER)
        r = hd_negative(r);
    hd_eval(r);
    hd_scope_end(scope, NULL);
}

/* Is the latest of n chunks of that kind found? */
static bool latest_found(what v, int n)
{
    int64_t before = 0;
    for (int i = 0; i < n; i++) {
        before = found;
        body(v);
    }
    return found > before;
}

TEST(repeat, only_what_is_alike_is_found)
{
    begin_comparing();
    x = t_ready(SHAPE(40), HD_FLOAT64);
    y = t_ready(SHAPE(40), HD_FLOAT64);
    z = t_ready(SHAPE(40), HD_FLOAT64);
    f = t_ready(SHAPE(40), HD_FLOAT32);
    m = t_ready(SHAPE(8, 8), HD_FLOAT64);
    for (what v = USUAL; v < NWHAT; v++) {
        CHECK(latest_found(USUAL, 6));
        CHECK_EQ_I64(latest_found(v, 1), v <= LAST_ALIKE);
    }
    DROP(x, y, z, f, m);
    end_submitting(real);
}

/* ---- whatever comes -------------------------------------------------------------------------- */

/* Views that overlap, stores, reductions; mostly as the last time. */
static void wandering_body(hd_array **kept)
{
    static int64_t at, by = 1;
    int scope = hd_scope_begin();
    at = t_below(8) ? at : t_below(4);
    by = t_below(12) ? by : t_between(1, 2);
    hd_array *v = t_slice(x, SLICE(at, at + 8 * by, by)), *w = t_slice(y, SLICE(1, 9, 1));
    hd_array *t = hd_multiply(v, w);
    int64_t stores = t_below(8) ? 1 : 6;   /* more edges than fit a record */
    for (int64_t i = 0; i < stores; i++)
        hd_assign(t_slice(y, SLICE(i, i + 2, 1)), hd_float((double)i), HD_CAST_SAME_KIND);
    hd_inplace(HD_OP_add, v, t);
    hd_array *r = hd_add(hd_sum(w, HD_ALL_AXES, NULL, 0), t_below(9) ? t : w);
    hd_release(*kept);
    *kept = hd_keep(r);
    hd_scope_end(scope, NULL);
}

TEST(repeat, what_is_found_has_the_key)
{
    begin_comparing();
    x = t_ready(SHAPE(40), HD_FLOAT64);
    y = t_ready(SHAPE(40), HD_FLOAT64);
    for (int program = 0; program < 3; program++) {
        hd_array *kept = NULL;
        for (int k = 0; k < 400; k++) {
            wandering_body(&kept);
            if (program == 1 || (program == 2 && t_below(3) == 0))
                hd_eval(kept);
        }
        DROP(kept);
    }
    DROP(x, y);
    end_submitting(real);
    CHECK(found > 20 && asked > found + 20);
}

/* A prefix that is retired again and again. */
TEST(repeat, a_loop_is_found)
{
    begin_comparing();
    x = t_ready(SHAPE(10), HD_FLOAT64);
    for (int k = 0; k < 128 * 40; k++) {
        hd_array *next = hd_binary_number(
            HD_OP_add, x, &(hd_number){.kind = HD_WEAK_INT, .as.i = 1, .re = 1}, 0);
        hd_release(x);
        x = next;
    }
    CHECK(found > 30 && asked < 50);
    DROP(x);
    end_submitting(real);
}
