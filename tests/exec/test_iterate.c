/* SPDX-License-Identifier: BSD-3-Clause */
/* test_iterate.c - loops over elements and lines. */
#include "support.h"

/* The elements in the order of the loop, beside hd_read() of the same. */
static void check_elements(hd_array *x)
{
    const int64_t n = hd_size(x);
    double *want = calloc((size_t)n + 1, sizeof *want);
    CHECK(hd_read(x, want) == HD_OK);
    int64_t at = 0;
    hd_iter it;
    for (CHECK(hd_iter_begin(&it, x, HD_FLAT, 0) == HD_OK); hd_iter_next(&it); at++) {
        REQUIRE(at < n && it.n == 1);
        CHECK(*(double *)it.data == want[at]);
        double element;
        CHECK(hd_element_get(x, hd_ndim(x), it.index, &element) == HD_OK && element == want[at]);
    }
    CHECK_EQ_I64(at, n);
    CHECK(!hd_iter_next(&it));
    free(want);
}

/* Sums of the lines, beside hd_sum(). */
static void check_lines(hd_array *x)
{
    for (int axis = -hd_ndim(x); axis < hd_ndim(x); axis++) {
        hd_array *sums = hd_sum(x, 1, &axis, 0);
        const int64_t n = hd_size(sums);
        double *want = calloc((size_t)n + 1, sizeof *want);
        CHECK(hd_read(sums, want) == HD_OK);
        int64_t at = 0;
        hd_iter it;
        for (CHECK(hd_iter_begin(&it, x, axis, 0) == HD_OK); hd_iter_next(&it); at++) {
            REQUIRE(at < n);
            double total = 0;
            for (int64_t k = 0; k < it.n; k++)
                total += *(double *)(it.data + k * it.stride);
            CHECK(total == want[at]);
        }
        CHECK_EQ_I64(at, n);
        free(want);
    }
}

TEST(iterate, views_and_empty_arrays)
{
    const int scope = hd_scope_begin();
    hd_array *x = t_ramp(SHAPE(3, 4, 5), HD_FLOAT64);
    hd_array *all[] = {x, hd_transpose(x, NULL), t_slice(x, SLICE(HD_NONE, HD_NONE, -2), ALL, SLICE(1, 5, 3)),
                       t_slice(x, AT(1), AT(2), AT(3)), hd_zeros(SHAPE(0, 3), HD_FLOAT64),
                       hd_zeros(SHAPE(3, 0), HD_FLOAT64), hd_broadcast_to(t_slice(x, AT(0), AT(0)), SHAPE(4, 5)),
                       hd_multiply(x, hd_float(2))};
    for (int i = 0; i < 8; i++) {
        check_elements(all[i]);
        check_lines(all[i]);
        CHECK_STR(hd_error_peek()->message, "");
    }
    hd_scope_end(scope, NULL);
}

TEST(iterate, writes)
{
    hd_array *x = hd_zeros(SHAPE(2, 3), HD_INT32);
    hd_iter it;
    for (hd_iter_begin(&it, x, 0, 1); hd_iter_next(&it);)
        for (int64_t k = 0; k < it.n; k++)
            *(int32_t *)(it.data + k * it.stride) = (int32_t)(10 * k + it.index[1]);
    int32_t got[6];
    CHECK(hd_read(x, got) == HD_OK);
    CHECK(memcmp(got, (int32_t[]){0, 1, 2, 10, 11, 12}, sizeof got) == 0);
    hd_release(x);
}

TEST(iterate, left_early_and_refused)
{
    hd_array *x = hd_ones(SHAPE(3), HD_FLOAT64), *one = hd_ones(SHAPE(1), HD_FLOAT64);
    hd_array *fixed = hd_broadcast_to(one, SHAPE(3));
    hd_iter it;
    CHECK(hd_iter_begin(&it, x, 0, 1) == HD_OK && hd_iter_next(&it));
    hd_iter_end(&it);
    hd_iter_end(&it);
    CHECK(!hd_iter_next(&it));
    CHECK(hd_iter_begin(&it, x, 1, 0) == HD_AXIS && !hd_iter_next(&it));
    CHECK(hd_error_take(NULL) == HD_AXIS);
    CHECK(hd_iter_begin(&it, fixed, HD_FLAT, 1) == HD_READONLY && !hd_iter_next(&it));
    CHECK(hd_error_take(NULL) == HD_READONLY);
    CHECK(hd_iter_begin(&it, NULL, HD_FLAT, 0) == HD_VALUE && !hd_iter_next(&it));
    CHECK(hd_error_take(NULL) == HD_VALUE);
    hd_iter_end(&it);
    /* the memory is not held any more: the array may be moved and computed on */
    CHECK(hd_inplace(HD_OP_add, x, x) == HD_OK);
    hd_release(fixed);
    hd_release(one);
    hd_release(x);
}
