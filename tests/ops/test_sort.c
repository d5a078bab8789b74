/* SPDX-License-Identifier: BSD-3-Clause */
/* test_sort.c - sorting, searching and counting through the C interface: order, errors, what
 * happens to long rows under several threads. */
#include <heddle/sort.h>

#include <math.h>

#include "base/pool.h"
#include "harness.h"
#include "support.h"

enum { LONG = 300000 };

static double value[LONG];
static uint8_t given[LONG * 16], sorted[LONG * 16];
static int64_t place[LONG];

/* LONG elements by chance, many of them twice; their values are in value, their bytes in given. */
static hd_array *noise(hd_dtype dt)
{
    const double most = hd_dtype_size(dt) == 1 ? 200 : hd_dtype_size(dt) == 2 ? 30000 : 1e6;
    for (int64_t i = 0; i < LONG; i++) {
        value[i] = (double)t_below((int64_t)most);
        t_put(dt, given, i, value[i]);
    }
    return hd_from_data(1, (int64_t[]){LONG}, NULL, dt, given);
}

TEST(sort, long_rows_ascend_and_positions_are_stable)
{
    static const hd_dtype types[] = {HD_UINT8, HD_INT16, HD_FLOAT32, HD_INT64, HD_COMPLEX64,
                                     HD_COMPLEX128};
    for (int threads = 1; threads < 4; threads++) {
        REQUIRE(hdi_pool_set_threads(threads) == HD_OK);
        for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
            const size_t size = (size_t)hd_dtype_size(types[t]);
            int64_t wrong = 0;
            int scope = hd_scope_begin();
            hd_array *x = noise(types[t]);
            REQUIRE(hd_read(hd_sort(x, 0, 0), sorted) == HD_OK);
            REQUIRE(hd_read(hd_argsort(x, 0, 0), place) == HD_OK);
            for (int64_t i = 0; i < LONG; i++) {
                const int64_t p = place[i], before = i > 0 ? place[i - 1] : -1;
                wrong += memcmp(sorted + (size_t)i * size, given + (size_t)p * size, size) != 0;
                wrong += i > 0 && !(value[before] < value[p] ||
                                    (value[before] == value[p] && before < p));
            }
            CHECK_EQ_I64(wrong, 0);
            hd_scope_end(scope, NULL);
        }
    }
    hdi_pool_set_threads(0);
}

TEST(sort, partition_puts_ranks)
{
    const int64_t kth[3] = {LONG / 2, 10, -1};
    static float all[LONG], part[LONG];
    for (int threads = 1; threads < 4; threads++) {
        REQUIRE(hdi_pool_set_threads(threads) == HD_OK);
        int scope = hd_scope_begin();
        hd_array *x = noise(HD_FLOAT32);
        REQUIRE(hd_read(hd_sort(x, 0, 0), all) == HD_OK);
        REQUIRE(hd_read(hd_partition(x, 3, kth, 0), part) == HD_OK);
        for (int k = 0; k < 3; k++) {
            const int64_t at = kth[k] < 0 ? LONG + kth[k] : kth[k];
            int64_t wrong = part[at] != all[at];
            for (int64_t i = 0; i < LONG; i++)
                wrong += i < at ? part[i] > part[at] : part[i] < part[at];
            CHECK_EQ_I64(wrong, 0);
        }
        hd_scope_end(scope, NULL);
    }
    hdi_pool_set_threads(0);
}

TEST(sort, partition_does_not_depend_on_threads)
{
    const int64_t kth = LONG / 3;
    static float first[LONG], part[LONG];
    int scope = hd_scope_begin();
    hd_array *x = noise(HD_FLOAT32);
    for (int threads = 1; threads < 4; threads++) {
        REQUIRE(hdi_pool_set_threads(threads) == HD_OK);
        REQUIRE(hd_read(hd_partition(x, 1, &kth, 0), threads == 1 ? first : part) == HD_OK);
        if (threads > 1)
            CHECK(memcmp(first, part, sizeof part) == 0);
    }
    hd_scope_end(scope, NULL);
    hdi_pool_set_threads(0);
}

TEST(sort, nan_come_last)
{
    const double values[] = {NAN, 1, -INFINITY, -0.0, INFINITY, 0.0, -NAN, -1};
    double up[8];
    int scope = hd_scope_begin();
    hd_array *x = hd_from_data(1, (int64_t[]){8}, NULL, HD_FLOAT64, values);
    REQUIRE(hd_read(hd_sort(x, 0, 0), up) == HD_OK);
    CHECK(up[0] == -INFINITY && up[1] == -1 && up[5] == INFINITY);
    CHECK(signbit(up[2]) && up[2] == 0 && !signbit(up[3]) && up[3] == 0);
    CHECK(isnan(up[6]) && !signbit(up[6]) && isnan(up[7]) && signbit(up[7]));
    REQUIRE(hd_read(hd_sort(x, 0, 1), up) == HD_OK);
    CHECK(isnan(up[0]) && isnan(up[1]) && up[2] == INFINITY);
    hd_scope_end(scope, NULL);
}

static void refused(hd_array *r, hd_status code)
{
    hd_error e;
    CHECK(r == NULL);
    CHECK(hd_error_take(&e) == code);
    hd_release(r);
}

TEST(sort, errors_name_what_is_wrong)
{
    int scope = hd_scope_begin();
    hd_array *x = t_ramp(SHAPE(4, 3), HD_FLOAT64), *row = t_ramp(SHAPE(3), HD_INT32);
    refused(hd_sort(x, 2, 0), HD_AXIS);
    refused(hd_argsort(x, -3, 0), HD_AXIS);
    refused(hd_sort(hd_float(2), 0, 0), HD_AXIS);
    refused(hd_partition(x, 1, (int64_t[]){3}, 1), HD_VALUE);
    refused(hd_argpartition(x, 1, (int64_t[]){-5}, 0), HD_VALUE);
    refused(hd_searchsorted(x, row, 0), HD_VALUE);
    refused(hd_bincount(x, NULL, 0), HD_VALUE);
    refused(hd_bincount(hd_sqrt(row), NULL, 0), HD_DTYPE);
    refused(hd_bincount(hd_negative(row), NULL, 0), HD_VALUE);
    refused(hd_bincount(row, x, 0), HD_VALUE);
    refused(hd_bincount(row, NULL, -1), HD_VALUE);
    refused(hd_histogram(x, row, 0), HD_VALUE);
    refused(hd_histogram(row, x, 0), HD_VALUE);
    refused(hd_histogram(row, t_ramp(SHAPE(0), HD_FLOAT64), 1), HD_VALUE);
    refused(hd_histogram(hd_astype(row, HD_COMPLEX64, 'K', HD_CAST_SAFE, 1), row, 1), HD_DTYPE);
    refused(hd_histogram(row, hd_float(2), 1), HD_VALUE);
    refused(hd_sort(NULL, 0, 0), HD_VALUE);
    hd_scope_end(scope, NULL);
}

TEST(sort, distinct_elements)
{
    const float values[] = {3, 1, NAN, 3, NAN, 1, 3};
    int64_t n[4];
    int scope = hd_scope_begin();
    hd_array *x = hd_from_data(1, (int64_t[]){7}, NULL, HD_FLOAT32, values), *v = NULL, *i = NULL,
             *inverse = NULL, *counts = NULL;
    REQUIRE(hd_unique_all(x, &v, &i, &inverse, &counts) == HD_OK);
    CHECK_EQ_I64(hd_size(v), 4);
    CHECK_EQ_I64(hd_size(hd_unique_values(x)), 4);
    REQUIRE(hd_read(counts, n) == HD_OK);
    CHECK(n[0] == 2 && n[1] == 3 && n[2] == 1 && n[3] == 1);
    REQUIRE(hd_read(i, n) == HD_OK);
    CHECK(n[0] == 1 && n[1] == 0 && n[2] == 2 && n[3] == 4);
    REQUIRE(hd_unique_counts(x, &v, NULL) == HD_OK);
    REQUIRE(hd_unique(x, 1, &v, NULL, NULL, &counts) == HD_OK);
    CHECK_EQ_I64(hd_size(v), 3);
    REQUIRE(hd_read(counts, n) == HD_OK);
    CHECK_EQ_I64(n[2], 2);
    hd_scope_end(scope, NULL);
}
