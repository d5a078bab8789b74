/* SPDX-License-Identifier: BSD-3-Clause */
/* test_faults.c - watching for floating-point faults: what is noted, what goes to a handler, what
 * a handler can refuse, and that nothing is left of it afterwards. */
#include <heddle/faults.h>

#include <pthread.h>
#include <stdio.h>

#include "support.h"

RECORDS_SMALL_WORK

enum { EVERY = HD_FAULT_DIVIDE | HD_FAULT_OVERFLOW | HD_FAULT_UNDERFLOW | HD_FAULT_INVALID };

static int64_t pending(void)
{
    hd_stats s = {.size = sizeof s};
    hd_device_stats(NULL, &s);
    return s.pending;
}

TEST(faults, are_noted_while_watched)
{
    int scope = hd_scope_begin();
    hd_array *x = t_ramp(SHAPE(3), HD_FLOAT64), *one = hd_ones(SHAPE(3), HD_FLOAT64);
    hd_array *before = hd_divide(one, x);   /* recorded before: nobody hears of it */
    CHECK(hd_watch_faults(EVERY) == 0);
    hd_array *after = hd_add(before, one);
    CHECK(hd_faults_take() == 0);
    CHECK_EQ_I64(pending(), 0);
    hd_array *again = hd_divide(one, x);
    CHECK(hd_faults_take() == HD_FAULT_DIVIDE && hd_faults_take() == 0);
    CHECK(hd_watch_faults(HD_FAULT_INVALID) == EVERY);
    CHECK(hd_divide(one, x) != NULL && hd_faults_take() == 0);
    CHECK(hd_divide(hd_subtract(x, x), hd_subtract(x, x)) != NULL);
    CHECK(hd_faults_take() == HD_FAULT_INVALID);
    CHECK(hd_watch_faults(0) == HD_FAULT_INVALID);
    hd_array *late = hd_divide(one, x);
    CHECK(pending() == 1 && hd_eval(late) == HD_OK && hd_faults_take() == 0);
    CHECK(hd_eval(after) == HD_OK && hd_eval(again) == HD_OK);
    hd_scope_end(scope, NULL);
}

/* Another thread's watch: this one's records stay pending, and their faults are not noted. */
static void *watches(void *unused)
{
    (void)unused;
    int scope = hd_scope_begin();
    hd_array *x = t_ramp(SHAPE(3), HD_FLOAT64), *one = hd_ones(SHAPE(3), HD_FLOAT64);
    hd_watch_faults(EVERY);
    CHECK(hd_divide(one, x) != NULL && hd_faults_take() == HD_FAULT_DIVIDE);
    hd_scope_end(scope, NULL);
    return NULL;   /* it ends while it watches */
}

TEST(faults, are_watched_by_each_thread_for_itself)
{
    for (int turn = 0; turn < 3; turn++) {
        pthread_t thread;
        int scope = hd_scope_begin();
        hd_array *x = t_ramp(SHAPE(3), HD_FLOAT64), *one = hd_ones(SHAPE(3), HD_FLOAT64);
        hd_eval(x);
        hd_eval(one);
        hd_array *early = hd_divide(one, x);
        CHECK(pthread_create(&thread, NULL, watches, NULL) == 0);
        hd_array *late = hd_add(early, hd_divide(one, x));
        pthread_join(thread, NULL);
        CHECK_EQ_I64(pending(), 3);
        CHECK(hd_eval(late) == HD_OK && hd_faults_take() == 0);
        CHECK(hd_watch_faults(EVERY) == 0);
        CHECK(hd_divide(one, x) != NULL && hd_faults_take() == HD_FAULT_DIVIDE);
        CHECK(hd_watch_faults(0) == EVERY);
        hd_scope_end(scope, NULL);
    }
}

/* A host's answer is asked by each operation, in its thread; besides what the thread asked for. */
static _Thread_local int wish;
static int wished(void)
{
    return wish;
}

TEST(faults, a_host_says_what_its_threads_watch)
{
    int scope = hd_scope_begin();
    hd_array *x = t_ramp(SHAPE(3), HD_FLOAT64), *one = hd_ones(SHAPE(3), HD_FLOAT64);
    hd_array *big = hd_multiply(one, hd_float(1e308));
    hd_eval(x);
    hd_eval(big);
    hd_set_faults_wanted(wished);
    CHECK(hd_divide(one, x) != NULL);
    CHECK_EQ_I64(pending(), 1);
    wish = HD_FAULT_DIVIDE;
    CHECK(hd_divide(one, x) != NULL && hd_faults_take() == HD_FAULT_DIVIDE);
    CHECK_EQ_I64(pending(), 0);
    CHECK(hd_multiply(big, big) != NULL && hd_faults_take() == 0);
    hd_watch_faults(HD_FAULT_OVERFLOW);
    CHECK(hd_multiply(big, big) != NULL && hd_faults_take() == HD_FAULT_OVERFLOW);
    hd_watch_faults(0);
    wish = 0;
    CHECK(hd_divide(one, x) != NULL && hd_faults_take() == 0);
    CHECK_EQ_I64(pending(), 1);
    wish = HD_FAULT_DIVIDE;
    hd_set_faults_wanted(NULL);
    CHECK(hd_divide(one, x) != NULL && hd_faults_take() == 0);
    CHECK_EQ_I64(pending(), 2);
    hd_scope_end(scope, NULL);
}

static int told;
static char name[40];

static int refuse(int faults, const char *operation)
{
    told = faults;
    snprintf(name, sizeof name, "%s", operation);
    return 1;
}

TEST(faults, go_to_the_handler)
{
    int scope = hd_scope_begin();
    hd_array *x = t_ramp(SHAPE(3), HD_INT32), *zero = hd_zeros(SHAPE(3), HD_INT32);
    hd_set_fault_handler(refuse);
    hd_watch_faults(EVERY);
    CHECK(hd_floor_divide(x, zero) == NULL && t_failed(HD_FLOATING));
    CHECK(told == HD_FAULT_DIVIDE);
    CHECK_STR(name, "floor_divide");
    hd_array *large = hd_full(SHAPE(2), hd_float(1e308), HD_FLOAT64);
    CHECK(hd_sum(large, HD_ALL_AXES, NULL, 0) == NULL && t_failed(HD_FLOATING));
    CHECK(told == HD_FAULT_OVERFLOW);
    CHECK_STR(name, "reduce");
    CHECK(hd_inplace(HD_OP_multiply, large, large) == HD_FLOATING && t_failed(HD_FLOATING));
    CHECK(hd_add(x, x) != NULL);
    hd_set_fault_handler(NULL);
    hd_watch_faults(0);
    CHECK(hd_faults_take() == 0);
    hd_scope_end(scope, NULL);
}

TEST(faults, of_all_threads_are_gathered)
{
    int scope = hd_scope_begin();
    hd_array *x = hd_ones(SHAPE(3000000), HD_FLOAT64), *one = hd_ones(SHAPE(1), HD_FLOAT64);
    hd_index at = {.kind = HD_INDEX_INT, .start = 2999999};
    hd_array *last = hd_slice(x, 1, &at);
    CHECK(hd_assign(last, hd_zeros(0, NULL, HD_FLOAT64), HD_CAST_SAME_KIND) == HD_OK);
    hd_watch_faults(EVERY);
    CHECK(hd_divide(one, x) != NULL && hd_faults_take() == HD_FAULT_DIVIDE);
    CHECK(hd_add(one, x) != NULL && hd_faults_take() == 0);
    hd_watch_faults(0);
    hd_scope_end(scope, NULL);
}
