/* SPDX-License-Identifier: BSD-3-Clause */
/* test_faults.c - watching for floating-point faults: what is noted, what goes to a handler, what
 * a handler can refuse, and that nothing is left of it afterwards. */
#include <heddle/faults.h>

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
