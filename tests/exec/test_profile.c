/* SPDX-License-Identifier: BSD-3-Clause */
/* test_profile.c - spans of what ran: hd_profile_start(), hd_profile_stop(). */
#include <heddle/profile.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "support.h"
#include "window/inspect.h"

RECORDS_SMALL_WORK

typedef struct seen { int n, threads; hd_span of[8]; char name[8][64]; double last; } seen;

static void take(const hd_span *s, void *ctx)
{
    seen *all = ctx;
    CHECK(s->begin >= all->last && s->seconds >= 0);
    all->last = s->begin;
    all->threads = s->thread > all->threads ? s->thread : all->threads;
    if (all->n < 8) {
        snprintf(all->name[all->n], sizeof all->name[0], "%s", s->name);
        all->of[all->n] = *s;
    }
    all->n++;
}

TEST(profile, kernels_and_library_calls_have_spans)
{
    seen all = {.last = 0};
    int64_t lost = -1;
    hd_array *x = hd_ones(SHAPE(300, 40), HD_FLOAT64);
    CHECK(hd_eval(x) == HD_OK && hd_profile_start() == HD_OK);
    hd_array *y = hd_add(x, x), *z = hd_sqrt(y), *sum = hd_sum(z, 1, (int[]){0}, 0),
             *sorted = hd_sort(x, 0, 0);
    CHECK(hd_eval(sum) == HD_OK && hd_eval(sorted) == HD_OK);
    CHECK(hd_profile_stop(take, &all, &lost) == HD_OK && lost == 0);
    REQUIRE(all.n == 2);
    CHECK(all.of[0].kind == HD_SPAN_KERNEL && all.of[1].kind == HD_SPAN_LIBRARY);
    CHECK(strcmp(all.name[0], "add sqrt sum") == 0 && strcmp(all.name[1], "sort") == 0);
    CHECK_EQ_I64(all.of[0].bytes, (3 * 300 * 40 + 40) * 8);   /* y and z are wanted, too */
    CHECK_EQ_I64(all.of[0].operations, 3 * 300 * 40);
    CHECK_EQ_I64(all.of[1].bytes, 2 * 300 * 40 * 8);
    CHECK_EQ_I64(all.of[1].operations, -1);
    DROP(x, y, z, sum, sorted);
}

TEST(profile, one_at_a_time)
{
    hd_array *x = hd_ones(SHAPE(5000), HD_FLOAT64);
    CHECK(hd_profile_stop(NULL, NULL, NULL) == HD_VALUE);
    hd_error_take(NULL);
    CHECK(hd_profile_start() == HD_OK && hd_profile_start() == HD_VALUE);
    hd_error_take(NULL);
    CHECK(hd_eval(x) == HD_OK && hd_profile_stop(NULL, NULL, NULL) == HD_OK);
    CHECK(hd_profile_stop(NULL, NULL, NULL) == HD_VALUE);
    hd_error_take(NULL);
    hd_release(x);
}

enum { ROUNDS = 400 };

static void *work(void *unused)
{
    for (int k = 0; k < ROUNDS; k++) {
        hd_array *x = hd_ones(SHAPE(5000), HD_FLOAT32), *y = hd_exp(x);
        CHECK(hd_eval(y) == HD_OK);
        DROP(x, y);
    }
    return unused;
}

TEST(profile, of_several_threads)
{
    pthread_t thread[3];
    seen all = {.last = 0};
    CHECK(hd_profile_start() == HD_OK);
    for (int k = 0; k < 3; k++)
        REQUIRE(pthread_create(&thread[k], NULL, work, NULL) == 0);
    for (int k = 0; k < 3; k++)
        pthread_join(thread[k], NULL);
    CHECK(hd_profile_stop(take, &all, NULL) == HD_OK);
    CHECK_EQ_I64(all.n, 3 * ROUNDS);   /* beyond the room that it begins with */
    CHECK(all.threads >= 3);
}

TEST(profile, a_failing_allocation_loses_spans_and_nothing_else)
{
    seen all = {.last = 0};
    int64_t lost = 0;
    hd_array *x = hd_ones(SHAPE(5000), HD_FLOAT64), *y;
    CHECK(hd_eval(x) == HD_OK && hd_profile_start() == HD_OK);
    CHECK(hd_eval(y = hd_exp(x)) == HD_OK);   /* its plan is there from here on */
    hd_release(y);
    CHECK(hd_profile_stop(take, &all, &lost) == HD_OK && lost == 0 && all.n == 1);
    for (int n = 0; n < 40; n++) {
        CHECK(hd_profile_start() == HD_OK);
        hdi_fail_after(n + 1);
        y = hd_exp(x);
        hd_status status = y != NULL ? hd_eval(y) : HD_NOMEM;
        hdi_fail_after(0);
        hd_error_take(NULL);
        hd_release(y);
        all = (seen){.last = 0};
        CHECK(hd_profile_stop(take, &all, &lost) == HD_OK);
        CHECK(status != HD_OK || all.n + lost == 1);
    }
    hd_release(x);
}
