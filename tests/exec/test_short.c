/* SPDX-License-Identifier: BSD-3-Clause */
/* test_short.c - a device with little memory: what fits in parts runs in parts, what does not fit
 * fails for those who read it and for nobody else, and then is gone. */
#include "base/lock.h"
#include "core/device.h"
#include "ops/ops.h"
#include "support.h"

RECORDS_SMALL_WORK

/* The cpu device, and how many bytes of arrays may be added to what there is. */
static struct { hd_device *dev, real; int64_t room; } little;

static void *little_alloc(void *state, int64_t nbytes)
{
    void *p = nbytes <= little.room ? little.real.alloc(state, nbytes) : NULL;
    little.room -= p != NULL ? nbytes : 0;
    return p;
}

static void little_free(void *state, void *p, int64_t nbytes)
{
    little.room += p != NULL ? nbytes : 0;
    little.real.free(state, p, nbytes);
}

static void begin_little(int64_t room)
{
    hd_device *dev = hd_device_get("cpu");
    hd_device_set_current(dev);
    CHECK(hd_synchronize(dev) == HD_OK && t_clean());
    little.dev = dev;
    little.real = *dev;
    little.room = room;
    dev->alloc = little_alloc;
    dev->free = little_free;
}

/* Everything was given back. */
static void end_little(int64_t room)
{
    hd_synchronize(little.dev);
    hd_error_take(NULL);
    CHECK_EQ_I64(hd_synchronize(little.dev), HD_OK);
    CHECK_EQ_I64(little.room, room);
    little.dev->alloc = little.real.alloc;
    little.dev->free = little.real.free;
}

static int64_t pending_now(void)
{
    return t_stats(NULL).pending;
}

static hd_array *line(int64_t n)
{
    int scope = hd_scope_begin();
    hd_array *x = hd_add(hd_zeros(1, &n, HD_FLOAT64), hd_float(1));
    hd_scope_end(scope, x);
    return x;
}

enum { KB = 1024, ROOM = 64 * KB };

/* n short programs, none of which has anything to do with what does not fit. */
static void run_others(int n)
{
    for (int k = 0; k < n; k++) {
        int scope = hd_scope_begin();
        hd_array *y = hd_add(line(10), hd_float(k));
        CHECK(y != NULL && t_value(y, 3) == k + 1);
        CHECK(t_clean());
        hd_scope_end(scope, NULL);
    }
}

/* Held, never read: the window lets go of it in time. */
TEST(short_of, memory_for_what_nobody_reads)
{
    begin_little(ROOM);
    int scope = hd_scope_begin();
    hd_array *bad = line(ROOM), *worse = hd_exp(bad), *good = line(20);
    run_others(600);
    CHECK_EQ_I64(pending_now(), 0);
    for (int k = 0; k < 2; k++) {
        CHECK(hd_eval(bad) == HD_NOMEM && t_failed(HD_NOMEM));
        CHECK(hd_eval(worse) == HD_NOMEM && t_failed(HD_NOMEM));
        CHECK(t_value(good, 3) == 1 && t_clean());
    }
    hd_assign_number(bad, &(hd_number){.kind = HD_WEAK_INT, .as.i = 2, .re = 2});
    CHECK(hd_eval(bad) == HD_NOMEM && t_failed(HD_NOMEM));
    hd_scope_end(scope, NULL);
    end_little(ROOM);
}

/* What only it would have read is not computed either: it would take a year. */
TEST(short_of, memory_and_what_it_is_made_of_is_dropped)
{
    begin_little(ROOM);
    int scope = hd_scope_begin();
    hd_array *ramp = hd_arange(hd_int(0), hd_int(1), (int64_t)1 << 48, HD_FLOAT32),
             *bad = hd_exp(ramp), *worse = hd_add(bad, hd_float(1)), *t = hd_exp(ramp),
             *late = hd_add(t, bad);
    hd_release(hd_keep(ramp));
    hd_release(hd_keep(t));
    run_others(300);
    CHECK_EQ_I64(pending_now(), 0);
    CHECK(hd_eval(late) == HD_NOMEM && t_failed(HD_NOMEM));
    CHECK(hd_eval(worse) == HD_NOMEM && t_failed(HD_NOMEM));
    hd_scope_end(scope, NULL);
    end_little(ROOM);
}

/* The error came and nothing is held: a library call is not dropped, but in the way of nobody. */
TEST(short_of, memory_for_a_call_that_was_given_up)
{
    begin_little(ROOM);
    for (int k = 0; k < 3; k++) {
        hd_array *x = line(ROOM / 20), *y = hd_cumsum(x, 0, HD_FLOAT64, NULL);
        CHECK(hd_eval(y) == HD_OK);   /* both fit */
        hd_release(x);
        hd_release(y);
        x = line(ROOM / 15);          /* one does */
        y = hd_cumsum(x, 0, HD_FLOAT64, NULL);
        CHECK(hd_eval(y) == HD_NOMEM && t_failed(HD_NOMEM));
        hd_release(x);
        hd_release(y);
        run_others(400);
        CHECK_EQ_I64(pending_now(), 0);
    }
    end_little(ROOM);
}

/* A call with several results: one that has no memory fails all of them, and who reads one hears of
 * it; what has nothing to do with it runs. With memory for all of them it runs. */
TEST(short_of, memory_for_one_of_several_results)
{
    begin_little(ROOM);
    for (int n = 40; n <= 120; n += 40) {
        const bool fits = n == 40;   /* matrix, q and r: 25 kB, 102 kB with 80 rows */
        for (int wait = 0; wait < 3; wait++) {
            int scope = hd_scope_begin();
            hd_array *q, *r, *a = hd_full(SHAPE(n, n / 2), hd_float(0.5), HD_FLOAT64);
            REQUIRE(hd_qr(a, HD_QR_COMPLETE, &q, &r) == HD_OK);
            hd_array *good = line(20), *sum = hd_sum(r, HD_ALL_AXES, NULL, 0);
            if (wait == 1)
                run_others(300);
            if (wait == 2)
                CHECK((hd_synchronize(NULL) == HD_OK) == fits);
            hd_error_take(NULL);
            hd_array *all[] = {q, r, sum};
            for (int k = 0; k < 3; k++)
                CHECK(fits ? hd_eval(all[k]) == HD_OK
                           : hd_eval(all[k]) == HD_NOMEM && t_failed(HD_NOMEM));
            CHECK(t_value(good, 3) == 1 && t_clean());
            hd_scope_end(scope, NULL);
        }
    }
    run_others(300);
    CHECK_EQ_I64(pending_now(), 0);
    end_little(ROOM);
}

/* Each of these needs most of the memory, and leaves it when the next one comes. */
TEST(short_of, memory_for_all_at_once)
{
    begin_little(ROOM);
    for (int wait = 0; wait < 3; wait++) {
        int scope = hd_scope_begin();
        hd_array *sum[4], *all = hd_float(0);
        for (int k = 0; k < 4; k++) {
            hd_array *x = hd_arange(hd_int(0), hd_int(1), 3000 + 10 * k, HD_FLOAT64),
                     *y = hd_cumsum(x, 0, HD_FLOAT64, NULL);
            hd_release(hd_keep(x));
            sum[k] = hd_max(y, HD_ALL_AXES, NULL, 0);
            all = hd_add(all, sum[k]);
            hd_release(hd_keep(y));
        }
        hd_status status = wait == 0 ? hd_eval(all) : wait == 1 ? hd_synchronize(NULL) : HD_OK;
        CHECK_EQ_I64(status, HD_OK);
        if (wait == 2)
            run_others(300);
        double n = 3030;
        CHECK_NEAR(t_value(sum[3], 0), n * (n - 1) / 2, 0);
        CHECK(t_value(all, 0) > 4 * 2999 * 1500 && t_clean());
        hd_scope_end(scope, NULL);
    }
    end_little(ROOM);
}

static hd_array *table(void)
{
    hd_array *x = hd_arange(hd_int(0), hd_int(1), 1000, HD_FLOAT64);
    return hd_multiply(hd_expand_dims(x, AXES(1)), x);   /* 8 MB */
}

/* What is never stored needs no memory, whoever else lacks it. */
TEST(short_of, memory_but_temporaries_need_none)
{
    begin_little(ROOM);
    for (int wait = 0; wait < 4; wait++) {
        int scope = hd_scope_begin();
        hd_array *t = table(), *s = hd_sum(t, 1, (const int[]){1}, 0),
                 *m = hd_max(t, 1, (const int[]){1}, 0), *bad = wait > 0 ? table() : NULL,
                 *early = line(ROOM / 16);
        hd_release(hd_keep(t));
        CHECK_EQ_I64(wait < 2 ? HD_OK : wait == 2 ? hd_synchronize(NULL) : HD_OK,
                     wait == 2 ? HD_NOMEM : HD_OK);
        hd_error_take(NULL);
        if (wait == 3)
            run_others(300);
        CHECK_NEAR(t_value(s, 3), 3 * 999 * 500, 0);
        CHECK_NEAR(t_value(m, 3), 3 * 999, 0);
        CHECK(hd_eval(early) == HD_OK);
        CHECK(t_clean());
        CHECK(bad == NULL || (hd_eval(bad) == HD_NOMEM && t_failed(HD_NOMEM)));
        hd_scope_end(scope, NULL);
    }
    end_little(ROOM);
}

/* A store that finds no memory: who reads the array hears of it. The old contents are there as long
 * as the store waits, and with memory it is made; let go of, it leaves a failed array. */
TEST(short_of, memory_for_a_store)
{
    begin_little(ROOM);
    int scope = hd_scope_begin();
    hd_array *x = hd_keep(line(4000)), *old = hd_copy(x, 'C');
    CHECK(hd_eval(x) == HD_OK && hd_eval(old) == HD_OK);
    hd_array *seen = hd_reshape(x, SHAPE(4000), 'C');
    CHECK(seen != NULL && hd_inplace(HD_OP_add, x, old) == HD_OK);
    CHECK(t_value(x, 7) == 2);   /* in place: nobody needs what was there */
    hd_array *snap = hdi_snapshot(x, x->lay);
    CHECK(hd_inplace(HD_OP_add, x, old) == HD_OK);
    CHECK(hd_eval(x) == HD_NOMEM && t_failed(HD_NOMEM));
    CHECK(t_value(snap, 7) == 2 && t_clean());
    CHECK(hd_eval(x) == HD_NOMEM && t_failed(HD_NOMEM));
    little.room += ROOM;
    CHECK(t_value(x, 7) == 3 && t_clean());
    little.room -= ROOM;
    hd_array *again = hdi_snapshot(x, x->lay);
    CHECK(hd_inplace(HD_OP_add, x, old) == HD_OK);
    CHECK(hd_synchronize(NULL) == HD_NOMEM && t_failed(HD_NOMEM));
    CHECK(hd_synchronize(NULL) == HD_OK && t_clean());
    little.room += ROOM;
    CHECK(hd_eval(x) == HD_NOMEM && t_failed(HD_NOMEM));
    CHECK(t_value(again, 7) == 3 && t_value(snap, 7) == 2 && t_clean());
    hd_assign_number(x, &(hd_number){.kind = HD_WEAK_INT, .as.i = 5, .re = 5});
    CHECK(t_value(x, 7) == 5 && t_clean());
    little.room -= ROOM;
    hd_release(x);
    hd_release(snap);
    hd_release(again);
    hd_scope_end(scope, NULL);
    end_little(ROOM);
}

/* One operation of more records than there are slots: what does not fit has to make room at once. */
TEST(short_of, memory_within_one_operation)
{
    begin_little(ROOM);
    int scope = hd_scope_begin();
    hd_array *bad = line(ROOM), *x = hd_keep(line(10));
    CHECK(bad != NULL);
    hdi_lock();
    for (int k = 0; k < 700 && x != NULL; k++) {
        hd_array *y = hdi_ew_number(HD_OP_add, HD_FLOAT64, x, 1);
        hdi_array_release(x);
        x = y;
    }
    CHECK(hdi_finish(little.dev) == HD_OK);
    REQUIRE(x != NULL);
    CHECK(t_value(x, 2) == 701 && t_clean());
    CHECK(hd_eval(bad) == HD_NOMEM && t_failed(HD_NOMEM));
    hd_release(x);
    hd_scope_end(scope, NULL);
    end_little(ROOM);
}

/* ---- what never fits ------------------------------------------------------------------------- */

static int64_t little_capacity(void *state)
{
    (void)state;
    return (int64_t)1 << 26;
}

TEST(never_fits, is_refused_where_it_is_asked_for)
{
    begin_little(ROOM);
    little.dev->capacity = little_capacity;
    int scope = hd_scope_begin();
    const int64_t n = 100000;
    int64_t before = pending_now();
    CHECK(hd_zeros(SHAPE(n, 100), HD_FLOAT64) == NULL);
    CHECK(strstr(hd_error_peek()->message, "(100000,100)") != NULL && t_failed(HD_NOMEM));
    CHECK(hd_ones(SHAPE(n, 100), HD_FLOAT64) == NULL && t_failed(HD_NOMEM));
    CHECK(hd_full(SHAPE(n, 100), hd_int(3), HD_INT64) == NULL && t_failed(HD_NOMEM));
    CHECK(hd_empty(SHAPE(n, 100), HD_FLOAT64) == NULL && t_failed(HD_NOMEM));
    CHECK_EQ_I64(pending_now(), before);
    /* a ramp may be wanted for its sum only; a library call must have it stored */
    hd_array *x = hd_arange(hd_int(0), hd_int(1), n * 100, HD_FLOAT64);
    hd_array *y = hd_add(x, x), *most = hd_max(y, HD_ALL_AXES, NULL, 0);
    hd_release(hd_keep(y));
    CHECK(most != NULL);
    before = pending_now();
    CHECK(hd_cumsum(x, 0, HD_FLOAT64, NULL) == NULL && t_failed(HD_NOMEM));
    hd_array *part = t_slice(x, AT(3));
    CHECK(hd_assign(part, hd_float(1), HD_CAST_SAME_KIND) == HD_NOMEM && t_failed(HD_NOMEM));
    CHECK_EQ_I64(pending_now(), before);
    hd_release(hd_keep(x));
    hd_release(hd_keep(part));
    CHECK(t_value(most, 0) == 2.0 * ((double)n * 100 - 1) && t_clean());
    hd_array *column = hd_broadcast_to(line(1), SHAPE(n, 100));   /* takes no memory */
    CHECK(column != NULL && t_value(column, 5) == 1 && t_clean());
    hd_scope_end(scope, NULL);
    little.dev->capacity = little.real.capacity;
    end_little(ROOM);
}
