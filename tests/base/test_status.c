/* SPDX-License-Identifier: BSD-3-Clause */
/* test_status.c - the error record: the first error of a thread wins until it is taken, each
 * thread has its own. */
#include <pthread.h>
#include <stdio.h>

#include "base/base.h"
#include "harness.h"

TEST(status, first_error_wins)
{
    CHECK(hd_error_peek()->code == HD_OK);
    CHECK(hdi_fail(HD_SHAPE, "shapes (%d,) and (%d,)", 2, 3) == HD_SHAPE);
    CHECK(hdi_fail(HD_NOMEM, "later") == HD_NOMEM);
    CHECK(hd_error_peek()->code == HD_SHAPE);
    CHECK_STR(hd_error_peek()->message, "shapes (2,) and (3,)");
    hd_error e;
    CHECK(hd_error_take(&e) == HD_SHAPE);
    CHECK(e.code == HD_SHAPE);
    CHECK_STR(e.message, "shapes (2,) and (3,)");
    CHECK(hd_error_take(NULL) == HD_OK);
    CHECK(hd_error_peek()->code == HD_OK);
    CHECK_STR(hd_error_peek()->message, "");
}

TEST(status, names_the_innermost_operation)
{
    CHECK(hdi_fail_where("nothing_failed") == HD_OK);
    CHECK_STR(hd_error_peek()->where, "");
    hdi_fail(HD_VALUE, "no");
    CHECK(hdi_fail_where("inner") == HD_VALUE);
    CHECK(hdi_fail_where("outer") == HD_VALUE);
    CHECK_STR(hd_error_peek()->where, "inner");
    hd_error_take(NULL);
    hdi_fail(HD_VALUE, "again");
    CHECK_STR(hd_error_peek()->where, "");
    hdi_fail_where("a_name_that_is_much_longer_than_the_field_that_holds_it");
    CHECK_EQ_I64(strlen(hd_error_peek()->where), sizeof hd_error_peek()->where - 1);
    hd_error_take(NULL);
}

TEST(status, axis_carries_its_numbers)
{
    CHECK(hdi_fail_axis(-4, 3) == HD_AXIS);
    CHECK_EQ_I64(hd_error_peek()->axis, -4);
    CHECK_EQ_I64(hd_error_peek()->ndim, 3);
    CHECK_STR(hd_error_peek()->message, "axis -4 is out of bounds for array of dimension 3");
    hd_error_take(NULL);
    hdi_fail(HD_VALUE, "first");
    CHECK(hdi_fail_axis(9, 1) == HD_AXIS);
    CHECK(hd_error_peek()->code == HD_VALUE);
    CHECK_EQ_I64(hd_error_peek()->axis, 0);
    hd_error_take(NULL);
}

TEST(status, a_kept_error_can_be_raised_again)
{
    hd_error kept;
    hdi_fail(HD_LIBRARY, "matmul failed");
    hd_error_take(&kept);
    for (int k = 0; k < 2; k++) {
        CHECK(hdi_error_set(&kept) == HD_LIBRARY);
        CHECK_STR(hd_error_peek()->message, "matmul failed");
        hd_error_take(NULL);
    }
    hdi_fail(HD_VALUE, "mine");
    CHECK(hdi_error_set(&kept) == HD_LIBRARY);
    CHECK_STR(hd_error_peek()->message, "mine");
    hd_error_take(NULL);
}

TEST(status, long_messages_are_cut)
{
    char text[2000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    hdi_fail(HD_VALUE, "%s", text);
    CHECK_EQ_I64(strlen(hd_error_peek()->message), sizeof hd_error_peek()->message - 1);
    hd_error_take(NULL);
}

TEST(status, every_code_has_a_text)
{
    for (int code = 0; code < HD_STATUS_COUNT; code++) {
        CHECK(strlen(hd_status_text((hd_status)code)) > 3);
        for (int other = 0; other < code; other++)
            CHECK(strcmp(hd_status_text((hd_status)code), hd_status_text((hd_status)other)) != 0);
    }
    CHECK_STR(hd_status_text((hd_status)HD_STATUS_COUNT), "unknown status");
    CHECK_STR(hd_status_text((hd_status)-1), "unknown status");
}

static void *other_thread(void *arg)
{
    CHECK(hd_error_peek()->code == HD_OK);
    hdi_fail(HD_DTYPE, "of the other thread");
    *(hd_status *)arg = hd_error_take(NULL);
    return NULL;
}

TEST(status, each_thread_has_its_own)
{
    pthread_t thread;
    hd_status seen = HD_OK;
    hdi_fail(HD_INDEX, "of this thread");
    REQUIRE(pthread_create(&thread, NULL, other_thread, &seen) == 0);
    pthread_join(thread, NULL);
    CHECK(seen == HD_DTYPE);
    CHECK(hd_error_take(NULL) == HD_INDEX);
}

static hd_status guarded(int value, int *reached)
{
    hd_status status = HD_OK;
    HD_REQUIRE(value > 0, HD_VALUE, "%d is not positive", value);
    HD_TRY(value > 10 ? hdi_fail(HD_OVERFLOW, "too large") : HD_OK);
    *reached = value;
done:
    return status;
}

TEST(status, require_and_try_leave_early)
{
    int reached = 0;
    CHECK(guarded(3, &reached) == HD_OK);
    CHECK_EQ_I64(reached, 3);
    CHECK(guarded(-1, &reached) == HD_VALUE);
    CHECK_STR(hd_error_peek()->message, "-1 is not positive");
    hd_error_take(NULL);
    CHECK(guarded(11, &reached) == HD_OVERFLOW);
    CHECK_EQ_I64(reached, 3);
    hd_error_take(NULL);
}

TEST(status, arithmetic_that_notices_overflow)
{
    int64_t r;
    CHECK(hdi_mul64(INT64_MAX, 1, &r) && r == INT64_MAX);
    CHECK(!hdi_mul64(INT64_MAX, 2, &r));
    CHECK(!hdi_mul64(INT64_MIN, -1, &r));
    CHECK(hdi_add64(INT64_MAX, INT64_MIN, &r) && r == -1);
    CHECK(!hdi_add64(INT64_MAX, 1, &r));
    CHECK_EQ_I64(hdi_min64(-3, 2), -3);
    CHECK_EQ_I64(hdi_max64(-3, 2), 2);
    CHECK_EQ_I64(hdi_abs64(-3), 3);
}

TEST(status, version_is_the_headers)
{
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", HD_VERSION_MAJOR, HD_VERSION_MINOR, HD_VERSION_PATCH);
    CHECK_STR(hd_version(), text);
    CHECK_EQ_I64(hd_abi_version(), HD_ABI_VERSION);
}
