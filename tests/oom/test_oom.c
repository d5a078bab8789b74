/* SPDX-License-Identifier: BSD-3-Clause */
/* test_oom.c - every scenario with its first, second, third ... allocation failing, until it
 * runs through: the failure is reported as HD_NOMEM, nothing is lost or leaked, and the library
 * goes on with right values. */
#include "base/alloc.h"
#include "oom/scenarios.h"
#include "window/window.h"

enum { MOST_RUNS = 4000 };

static uint8_t result[MOST_RUNS / 8][SCENARIO_BYTES];

/* Memory in use when nothing is held or pending. */
static int64_t in_use(void)
{
    CHECK(hd_synchronize(NULL) == HD_OK);
    CHECK_EQ_I64(hdi_memory_bytes.held, 0);
    CHECK_EQ_I64(hdi_memory_bytes.window_only, 0);
    return t_stats(NULL).memory_used;
}

/* Fails allocation first, first + 1, ... of scenario k. Returns how many of them were reported. */
static int fail_in_turn(int k)
{
    int reported = 0, kept = 0;
    int64_t before = in_use();
    for (int64_t n = 1; n < MOST_RUNS; n++) {
        uint8_t *bytes = result[kept < MOST_RUNS / 8 - 1 ? kept : MOST_RUNS / 8 - 1];
        int64_t count = hdi_alloc_count();
        hdi_fail_after(n);
        hd_status status = scenario_run(k, bytes);
        hdi_fail_after(0);
        bool fired = hdi_alloc_count() - count >= n;
        CHECK(status == HD_OK || (fired && status == HD_NOMEM));
        reported += status != HD_OK;
        kept += status == HD_OK && kept < MOST_RUNS / 8 - 1;
        CHECK_EQ_I64(in_use(), before);
        if (!fired)
            break;
    }
    for (int r = 1; r < kept; r++)   /* those that got round the fault, and the last without one */
        CHECK(memcmp(result[r], result[0], SCENARIO_BYTES) == 0);
    CHECK(kept > 0);
    return reported;
}

/* From cold, and once more when plans and layouts are remembered. */
TEST(oom, programs)
{
    for (int k = 0; k < SCENARIO_PROGRAMS; k++) {
        CHECK(fail_in_turn(k) > 0);
        fail_in_turn(k);
    }
}

TEST(oom, rows_of_the_tables)
{
    int rows = 0;
    for (int k = SCENARIO_PROGRAMS; k < scenario_count(); k++) {
        if (!scenario_exists(k))
            continue;
        CHECK(fail_in_turn(k) > 0);
        fail_in_turn(k);
        rows++;
    }
    CHECK(rows > 60);
}

/* From the n-th allocation on none succeeds, until the program has given up. Then it must run. */
TEST(oom, nothing_is_left_and_then_there_is)
{
    static uint8_t want[SCENARIO_BYTES], bytes[SCENARIO_BYTES];
    for (int k = 0; k < SCENARIO_PROGRAMS; k++) {
        int64_t before = in_use();
        CHECK(scenario_run(k, want) == HD_OK);
        for (int64_t n = 1; n < MOST_RUNS; n += n < 40 ? 1 : n / 7) {
            int64_t count = hdi_alloc_count();
            hdi_fail_from(n);
            hd_status status = scenario_run(k, bytes);
            bool fired = hdi_alloc_count() - count >= n;
            CHECK(status == HD_OK || (fired && status == HD_NOMEM));
            hdi_fail_after(0);
            CHECK(scenario_run(k, bytes) == HD_OK);
            CHECK(memcmp(bytes, want, sizeof want) == 0);
            hd_synchronize(NULL);   /* of what nobody holds any more something may have failed */
            hd_error_take(NULL);
            CHECK_EQ_I64(in_use(), before);
            if (!fired)
                break;
        }
    }
}

/* Two faults in one run: the second meets what the first left behind. */
TEST(oom, again_right_after_a_fault)
{
    uint8_t bytes[SCENARIO_BYTES];
    for (int k = 0; k < SCENARIO_PROGRAMS; k++)
        for (int64_t n = 1; n < 40; n += 3) {
            int64_t before = in_use();
            for (int64_t m = 1; m < 8; m++) {
                hdi_fail_after(n);
                hd_status first = scenario_run(k, bytes);
                hdi_fail_after(m);
                hd_status second = scenario_run((k + 1) % SCENARIO_PROGRAMS, bytes);
                hdi_fail_after(0);
                CHECK((first == HD_OK || first == HD_NOMEM) &&
                      (second == HD_OK || second == HD_NOMEM));
            }
            CHECK_EQ_I64(in_use(), before);
        }
}
