/* SPDX-License-Identifier: BSD-3-Clause */
/* test_flush.c - what runs when: the closure of a demand (M6), dead records and those that never
 * are (M8), retiring a full window. */
#include "window/inspect.h"

static hd_array *line(int64_t n)
{
    return t_ready(1, &n, HD_FLOAT64);
}

static int64_t pending_now(void)
{
    return t_stats(NULL).pending;
}

/* ---- demand ---------------------------------------------------------------------------------- */

TEST(demand, runs_its_closure_and_nothing_else)
{
    begin_null();
    int scope = hd_scope_begin();
    hd_array *x = line(8), *u = line(5);
    hd_array *a = hd_add(x, x), *b = hd_multiply(a, x);
    hd_array *p = hd_add(u, u), *q = hd_negative(p);
    hd_array *c = hd_subtract(b, a), *other = hd_exp(a);
    CHECK_EQ_I64(pending_now(), 6);
    hd_stats before = t_stats(NULL);
    CHECK(hd_eval(c) == HD_OK);
    hd_stats after = t_stats(NULL);
    CHECK_EQ_I64(after.kernel_ops - before.kernel_ops, 3);
    CHECK_EQ_I64(after.flushes - before.flushes, 1);
    CHECK_EQ_I64(after.pending, 3);
    CHECK((hd_flags(q) & HD_PENDING) && (hd_flags(other) & HD_PENDING) &&
          !(hd_flags(a) & HD_PENDING));
    CHECK(hd_eval(c) == HD_OK && hd_eval(a) == HD_OK);   /* there already */
    CHECK_EQ_I64(t_stats(NULL).flushes, after.flushes);
    CHECK(hd_synchronize(NULL) == HD_OK);
    CHECK_EQ_I64(pending_now(), 0);
    CHECK(!(hd_flags(q) & HD_PENDING) && !(hd_flags(p) & HD_PENDING));
    hd_scope_end(scope, NULL);
}

/* A demanded store takes with it the earlier readers that it would disturb. */
TEST(demand, includes_readers_of_what_is_overwritten)
{
    begin_null();
    int scope = hd_scope_begin();
    hd_array *x = line(8), *kept = read_slice(x, 0, 4, 1), *untouched = read_slice(x, 4, 8, 1);
    store_slice(x, 2, 4, 1, 7);
    hd_stats before = t_stats(NULL);
    CHECK(hd_eval(x) == HD_OK);
    CHECK_EQ_I64(t_stats(NULL).kernel_ops - before.kernel_ops, 2);
    CHECK(!(hd_flags(kept) & HD_PENDING) && (hd_flags(untouched) & HD_PENDING));
    hd_scope_end(scope, NULL);
}

/* After a whole store the readers of the old generation may wait. */
TEST(demand, leaves_readers_of_an_old_generation)
{
    begin_null();
    int scope = hd_scope_begin();
    hd_array *x = line(8), *y = hd_add(x, x);
    store_number(x, 3);
    CHECK(hd_eval(x) == HD_OK);
    CHECK(hd_flags(y) & HD_PENDING);
    CHECK_EQ_I64(pending_now(), 1);
    hd_scope_end(scope, NULL);
}

/* ---- dead records ---------------------------------------------------------------------------- */

TEST(dead, what_nobody_can_see_is_dropped)
{
    begin_null();
    hd_array *x = line(8);
    hd_stats before = t_stats(NULL);
    int scope = hd_scope_begin();
    hd_array *a = hd_add(x, x), *b = hd_multiply(a, a), *keep = hd_negative(a);
    (void)hd_exp(b);
    hd_scope_end(scope, keep);
    CHECK_EQ_I64(pending_now(), 2);   /* exp and, once nobody reads it, multiply: gone already */
    CHECK(hd_synchronize(NULL) == HD_OK);
    hd_stats after = t_stats(NULL);
    CHECK_EQ_I64(after.dead - before.dead, 2);
    CHECK_EQ_I64(after.kernel_ops - before.kernel_ops, 2);
    DROP(x, keep);
}

TEST(dead, stores_to_what_is_gone)
{
    begin_null();
    hd_stats before = t_stats(NULL);
    hd_array *x = line(8), *y = hd_add(x, x), *seen = read_slice(y, 0, 2, 1);
    store_slice(y, 0, 4, 1, 1);   /* nobody reads it after this */
    hd_release(y);
    CHECK(hd_eval(seen) == HD_OK);
    hd_stats after = t_stats(NULL);
    CHECK_EQ_I64(after.dead - before.dead, 1);
    CHECK_EQ_I64(after.kernel_ops - before.kernel_ops, 2);
    CHECK_EQ_I64(after.pending, 0);
    DROP(x, seen);
}

/* In a loop that nobody reads the window stays empty: no slot is waited for, nothing is planned. */
TEST(dead, goes_with_the_last_handle_that_could_read_it)
{
    begin_null();
    hd_array *x = line(8), *z = hd_add(x, x);
    CHECK(hd_eval(z) == HD_OK);
    hd_stats before = t_stats(NULL);
    for (int i = 0; i < 1000; i++) {
        hd_array *sum = hd_add(z, x), *next = hd_multiply(sum, sum);
        hd_release(sum);
        hd_release(next);   /* takes sum's record with it */
        CHECK_EQ_I64(pending_now(), 0);
    }
    hd_stats after = t_stats(NULL);
    CHECK_EQ_I64(after.dead - before.dead, 2000);
    CHECK_EQ_I64(after.flushes, before.flushes);
    DROP(x, z);
}

/* A write that a pending reader needs is not dead, though nobody holds the array. */
TEST(dead, not_while_something_pending_reads_it)
{
    begin_null();
    hd_array *x = line(8), *y = hd_add(x, x);
    store_slice(y, 0, 4, 1, 1);
    hd_array *seen = read_slice(y, 2, 6, 1);
    hd_release(y);
    hd_stats before = t_stats(NULL);
    CHECK(hd_eval(seen) == HD_OK);
    CHECK_EQ_I64(t_stats(NULL).kernel_ops - before.kernel_ops, 3);
    CHECK_EQ_I64(t_stats(NULL).dead, before.dead);
    DROP(x, seen);
}

TEST(dead, overwritten_generations)
{
    begin_null();
    hd_array *x = line(8);
    hd_stats before = t_stats(NULL);
    for (int k = 0; k < 10; k++)
        store_number(x, k);   /* each renames: nobody can see the nine before */
    CHECK(hd_synchronize(NULL) == HD_OK);
    CHECK_EQ_I64(t_stats(NULL).dead - before.dead, 9);
    hd_release(x);
}

TEST(dead, library_calls_never_are)
{
    begin_null();
    int scope = hd_scope_begin();
    hd_array *m = t_ready(SHAPE(40, 40), HD_FLOAT64), *places = t_ready(SHAPE(4), HD_INT64);
    (void)places;
    hd_stats before = t_stats(NULL);
    int inner = hd_scope_begin();
    (void)hd_matmul(m, m, NULL);
    (void)hd_cumsum(m, 0, HD_NO_DTYPE, NULL);
    (void)hd_cumsum(hd_add(m, m), 1, HD_NO_DTYPE, NULL);   /* and so is what they read */
    (void)hd_add(m, m);
    hd_scope_end(inner, NULL);
    CHECK(hd_synchronize(NULL) == HD_OK);
    hd_stats after = t_stats(NULL);
    CHECK_EQ_I64(after.dead - before.dead, 1);
    CHECK_EQ_I64(after.kernel_ops - before.kernel_ops, 4);
    hd_scope_end(scope, NULL);
}

/* Thin products are fused reductions of ours and may be dropped. */
TEST(dead, thin_products_may_be)
{
    begin_null();
    int scope = hd_scope_begin();
    hd_array *m = t_ready(SHAPE(40, 3), HD_FLOAT64), *v = line(3);
    hd_stats before = t_stats(NULL);
    int inner = hd_scope_begin();
    (void)hd_matmul(m, v, NULL);
    hd_scope_end(inner, NULL);
    CHECK(hd_synchronize(NULL) == HD_OK);
    CHECK_EQ_I64(t_stats(NULL).dead - before.dead, 1);
    hd_scope_end(scope, NULL);
}

/* Dropped or not, a draw takes its number: what follows is the same. */
TEST(dead, random_draws_keep_their_numbers)
{
    begin_null();
    hd_generator g = hd_generator_seed(3);
    hd_release(hd_random_uniform(&g, SHAPE(4), HD_FLOAT64));
    CHECK_EQ_I64(g.calls, 1);
    CHECK(hd_synchronize(NULL) == HD_OK);
    hd_release(hd_random_raw(&g, SHAPE(0)));
    CHECK_EQ_I64(g.calls, 2);
    CHECK(hd_random_uniform(&g, SHAPE(4), HD_INT32) == NULL && t_failed(HD_DTYPE));
    CHECK_EQ_I64(g.calls, 2);
}

/* ---- a full window --------------------------------------------------------------------------- */

TEST(retire, a_window_that_nobody_demands_anything_of)
{
    begin_null();
    hd_array *x = line(16);
    hd_stats start = t_stats(NULL), last = start;
    for (int k = 0; k < 2000; k++) {
        hd_array *y = hd_add(x, x);
        hd_release(x);
        x = y;
        hd_stats now = t_stats(NULL);
        CHECK(now.pending <= HDI_WINDOW_MAX);
        if (now.flushes != last.flushes) {
            int64_t ran = now.kernel_ops - last.kernel_ops;
            CHECK(now.flushes == last.flushes + 1 && ran >= HDI_CUT_LO && ran <= HDI_CUT_HI);
        }
        last = now;
    }
    CHECK(last.flushes - start.flushes >= 14);
    CHECK(last.pending_peak <= HDI_WINDOW_MAX);
    hd_release(x);
    CHECK(hd_synchronize(NULL) == HD_OK);
}

/* A record that nobody demands while the others are: it is run before its slot is needed again. */
TEST(retire, a_forgotten_record_does_not_block_the_ring)
{
    begin_null();
    hd_array *x = line(8), *forgotten = hd_exp(x);
    for (int k = 0; k < 3 * HDI_RING; k++) {
        hd_array *y = hd_add(x, x);
        CHECK(hd_eval(y) == HD_OK);
        hd_release(y);
        CHECK_EQ_I64(pending_now(), k < HDI_RING - 1 ? 1 : 0);
    }
    CHECK(!(hd_flags(forgotten) & HD_PENDING));
    DROP(x, forgotten);
}

/* Results that nobody reads are dropped and leave holes: the ring is full before 192 are pending.
 * What runs then are prefixes as long as ever, the same again and again. */
TEST(retire, holes_do_not_make_prefixes_short)
{
    begin_null();
    hd_array *x = line(16);
    hd_stats before = t_stats(NULL);
    for (int k = 0; k < 2000; k++) {
        int scope = hd_scope_begin();
        hd_array *y = hd_add(x, x);
        (void)hd_multiply(hd_add(y, y), y);   /* dropped at the end of the scope */
        hd_keep(y);
        hd_scope_end(scope, NULL);
        hd_release(x);
        x = y;
    }
    hd_stats after = t_stats(NULL);
    int64_t flushes = after.flushes - before.flushes;
    CHECK(flushes > 0 && (after.kernel_ops - before.kernel_ops) / flushes >= 20);
    CHECK(after.plans - before.plans <= 4);
    hd_release(x);
    CHECK(hd_synchronize(NULL) == HD_OK);
}

/* Every tenth result is kept and never read, the others are demanded at once. */
TEST(retire, what_lies_about_is_run_together)
{
    begin_null();
    hd_array *x = line(8), *kept[100];
    hd_stats before = t_stats(NULL);
    for (int k = 0; k < 1000; k++) {
        hd_array *y = hd_add(x, x);
        if (k % 10 == 0) {
            kept[k / 10] = y;
            continue;
        }
        CHECK(hd_eval(y) == HD_OK);
        hd_release(y);
    }
    CHECK(t_stats(NULL).flushes - before.flushes <= 900 + 1000 / (HDI_RING / 4));
    drop(100, kept);
    hd_release(x);
    CHECK(hd_synchronize(NULL) == HD_OK);
}

/* Hazards across the reused slots: the chain of an array that lives longer than the ring. */
TEST(retire, old_accesses_fall_out_of_the_chains)
{
    begin_null();
    int scope = hd_scope_begin();
    hd_array *x = line(64), *u = line(4);
    store_slice(x, 0, 32, 1, 1);
    for (int k = 0; k < 2 * HDI_RING; k++) {
        int inner = hd_scope_begin();
        CHECK(hd_eval(hd_add(u, u)) == HD_OK);
        if (k % 50 == 0)
            store_slice(x, k % 64, k % 64 + 1, 1, 2);
        hd_scope_end(inner, NULL);
    }
    hd_array *y = hd_add(x, x);
    hdi_chunk *c = pending(false);
    for (int i = 0; i + 1 < c->n; i++)
        CHECK(edge(c, i, c->n - 1) != HDI_DISJOINT ||
              c->record[i]->operand[0].buf != hdi_array_buf(x));
    CHECK(hd_eval(y) == HD_OK);
    hd_scope_end(scope, NULL);
    CHECK(hd_synchronize(NULL) == HD_OK);
}

/* Rule Retire: memory that only the window keeps alive is bounded by 256 MB, or by what the user
 * holds. */
TEST(retire, bytes_that_only_the_window_keeps)
{
    begin_null();
    enum { MB = 1 << 20, BATCH = 40 * MB };
    hd_stats before = t_stats(NULL);
    hd_array *sum[20];
    for (int k = 0; k < 20; k++) {
        hd_array *batch = line(BATCH / 8);
        sum[k] = hd_sum(batch, HD_ALL_AXES, NULL, 0);
        hd_release(batch);   /* only the pending sum needs it now */
        CHECK(hdi_memory_bytes.window_only <= 256 * MB + BATCH);
        CHECK(t_stats(NULL).memory_used - before.memory_used <= 256 * MB + 2 * BATCH);
    }
    CHECK(hdi_memory_bytes.window_only >= BATCH);
    CHECK(t_stats(NULL).flushes - before.flushes <= 4);   /* and it is not run at every step */
    drop(20, sum);
    CHECK(hd_synchronize(NULL) == HD_OK);
    CHECK_EQ_I64(hdi_memory_bytes.window_only, 0);
}

/* Outputs that are not computed yet weigh nothing: a long chain over a large array stays one
 * kernel and one array. */
TEST(retire, pending_outputs_weigh_nothing)
{
    begin_null();
    hd_array *x = line((int64_t)1 << 27);   /* 1 GB */
    hd_stats before = t_stats(NULL);
    hd_reset_memory_peak(NULL);
    int scope = hd_scope_begin();
    hd_array *y = x;
    for (int k = 0; k < 50; k++)
        y = hd_add(y, x);
    hd_keep(y);
    hd_scope_end(scope, NULL);
    CHECK(hd_eval(y) == HD_OK);
    hd_stats after = t_stats(NULL);
    CHECK_EQ_I64(after.kernels - before.kernels, 1);
    CHECK_EQ_I64(after.temporaries - before.temporaries, 49);
    CHECK_EQ_I64(after.memory_peak - before.memory_used, (int64_t)1 << 30);
    DROP(x, y);
}
