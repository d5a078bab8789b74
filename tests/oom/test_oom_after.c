/* SPDX-License-Identifier: BSD-3-Clause */
/* test_oom_after.c - what works after an allocation has failed and the program goes on, with all
 * that it had made still alive: statements that read none of it work, with right values, in
 * whatever number; what it could not make raises the same error each time it is read; and what is
 * written to as a whole is sound again. */
#include "base/alloc.h"
#include "oom/scenarios.h"
#include "window/window.h"

enum { EVERY_UP_TO = 60, STEP_BEYOND = 7, MOST_RUNS = 4000 };

static uint8_t want[SCENARIO_PROGRAMS][SCENARIO_BYTES];

static bool reads_as(const hd_array *x, double value)
{
    double v = -1;
    return hd_read(x, &v) == HD_OK && v == value;
}

/* What the rest of a program might do: more records than a window holds, stores, and a scenario
 * that has its result. Takes no error: there is none. */
static void go_on(int k)
{
    uint8_t bytes[SCENARIO_BYTES];
    int scope = hd_scope_begin();
    hd_array *x = hd_zeros(SHAPE(4), HD_FLOAT64);
    for (int j = 0; j < 300; j++)
        CHECK(hd_inplace(HD_OP_add, x, hd_int(1)) == HD_OK);
    CHECK(reads_as(t_slice(x, AT(2)), 300));
    CHECK(hd_assign(t_slice(x, SLICE(1, 3, 1)), hd_int(7), HD_CAST_SAME_KIND) == HD_OK);
    CHECK(reads_as(hd_sum(x, HD_ALL_AXES, NULL, 0), 614));
    hd_scope_end(scope, NULL);
    CHECK(scenario_run(k, bytes) == HD_OK);
    CHECK(memcmp(bytes, want[k], SCENARIO_BYTES) == 0);
}

/* Arrays of somebody else, made before the fault: in memory, pending, and seen through a view. */
typedef struct bystanders { hd_array *made, *pending, *view; } bystanders;

static bystanders stand_by(void)
{
    bystanders b = {.made = hd_full(SHAPE(5), hd_int(2), HD_FLOAT64)};
    CHECK(hd_synchronize(NULL) == HD_OK);
    b.pending = hd_multiply(b.made, hd_int(3));
    b.view = t_slice(b.made, AT(1));
    return b;
}

static void look_at(const bystanders *b)
{
    CHECK(reads_as(t_slice(b->pending, AT(4)), 6));
    CHECK(reads_as(b->view, 2));
    CHECK(hd_inplace(HD_OP_add, b->made, hd_int(1)) == HD_OK);
    CHECK(reads_as(b->view, 3));
}

/* The n-th allocation of scenario k fails, and the process goes on. False when there was no n-th. */
static bool fail_and_go_on(int k, int64_t n)
{
    uint8_t bytes[SCENARIO_BYTES], again[SCENARIO_BYTES];
    int outer = hd_scope_begin();
    bystanders others = stand_by();
    int64_t count = hdi_alloc_count();
    int scope = hd_scope_begin();
    hd_error e = {.code = HD_OK};
    memset(bytes, 0, sizeof bytes);
    hdi_fail_after(n);
    hd_array *r = scenario_programs[k]();
    hd_status status = r != NULL ? hd_read(r, bytes) : HD_NOMEM;
    hdi_fail_after(0);
    bool fired = hdi_alloc_count() - count >= n;
    hd_error_take(&e);
    CHECK(status == HD_OK || (fired && status == HD_NOMEM));
    CHECK(status != HD_OK || memcmp(bytes, want[k], SCENARIO_BYTES) == 0);

    go_on((k + 1) % SCENARIO_PROGRAMS);   /* all that the scenario made is alive */
    look_at(&others);
    memset(again, 0, sizeof again);
    if (r != NULL) {                      /* it is there after all, or it raises for ever */
        hd_status second = hd_read(r, again);
        CHECK(second == HD_OK || second == HD_NOMEM);
        CHECK(second != HD_OK || memcmp(again, want[k], SCENARIO_BYTES) == 0);
        CHECK(second == HD_OK || hd_read(r, again) == second);
        hd_error_take(&e);
    }
    CHECK(hd_synchronize(NULL) == HD_OK);
    CHECK_EQ_I64(t_stats(NULL).pending, 0);
    hd_scope_end(scope, NULL);
    go_on(k);
    hd_scope_end(outer, NULL);
    return fired;
}

static void learn_results(void)
{
    for (int k = 0; k < SCENARIO_PROGRAMS; k++)
        CHECK(scenario_run(k, want[k]) == HD_OK);
    CHECK(hd_synchronize(NULL) == HD_OK);
}

TEST(oom_after, the_rest_of_the_process_goes_on)
{
    learn_results();
    for (int k = 0; k < SCENARIO_PROGRAMS; k++) {
        go_on(k);
        int64_t before = t_stats(NULL).memory_used;
        for (int64_t n = 1; n < MOST_RUNS; n += n < EVERY_UP_TO ? 1 : STEP_BEYOND)
            if (!fail_and_go_on(k, n))
                break;
        CHECK(hd_synchronize(NULL) == HD_OK);
        CHECK_EQ_I64(t_stats(NULL).memory_used, before);
        CHECK_EQ_I64(hdi_memory_bytes.held, 0);
        CHECK_EQ_I64(hdi_memory_bytes.window_only, 0);
    }
}

/* A statement that writes in place and fails may have done its work or none; either way the array
 * is whole again once it is written to as a whole. */
TEST(oom_after, an_array_that_was_written_to_is_mended_by_a_store)
{
    for (int64_t n = 1; n < 40; n++) {
        int scope = hd_scope_begin();
        hd_array *x = t_ramp(SHAPE(3000), HD_FLOAT64), *y = hd_exp(x);
        hd_error e = {.code = HD_OK};
        CHECK(x != NULL && y != NULL);
        hdi_fail_after(n);
        hd_status first = hd_inplace(HD_OP_add, t_slice(x, SLICE(1, 3000, 1)),
                                     t_slice(y, SLICE(0, 2999, 1)));
        hd_status second = hd_synchronize(NULL);
        hdi_fail_after(0);
        CHECK(first == HD_OK || first == HD_NOMEM);
        CHECK(second == HD_OK || second == HD_NOMEM);
        hd_error_take(&e);
        CHECK(hd_assign(x, hd_int(4), HD_CAST_SAME_KIND) == HD_OK);
        CHECK(reads_as(hd_sum(x, HD_ALL_AXES, NULL, 0), 12000));
        CHECK(hd_synchronize(NULL) == HD_OK);
        hd_scope_end(scope, NULL);
    }
}
