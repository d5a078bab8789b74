/* SPDX-License-Identifier: BSD-3-Clause */
/* test_element.c - single elements: what is written to the caller, what is refused, what waits. */
#include "support.h"

TEST(element, get_writes_one_element)
{
    uint8_t bytes[32];
    hd_array *weak[] = {hd_bool(1), hd_float(2.5), hd_int(7)};
    for (int k = 0; k < 3; k++) {
        size_t item = (size_t)hd_dtype_size(hd_dtype_of(weak[k]));
        memset(bytes, 0xA5, sizeof bytes);
        CHECK(hd_element_get(weak[k], 0, NULL, bytes) == HD_OK);
        for (size_t i = item; i < sizeof bytes; i++)
            CHECK_EQ_I64(bytes[i], 0xA5);
        hd_release(weak[k]);
    }
}

TEST(element, of_what_is_computed_and_what_is_pending)
{
    for (int64_t n = 10; n < 10000; n *= 100) {
        hd_array *x = hd_ones(1, &n, HD_FLOAT64), *y = hd_add(x, x);
        double value = 0;
        for (int64_t i = 0; i < 10; i++) {   /* beyond what is recorded in a row */
            value = (double)i + 0.5;
            CHECK(hd_element_set(y, 1, &i, &value) == HD_OK);
        }
        CHECK(hd_element_get(y, 1, &(int64_t){-n + 9}, &value) == HD_OK && value == 9.5);
        CHECK(hd_element_get(x, 1, &(int64_t){3}, &value) == HD_OK && value == 1);
        hd_release(x);
        hd_release(y);
    }
}

TEST(element, that_is_not_there)
{
    hd_array *x = hd_zeros(SHAPE(2, 3), HD_FLOAT64);
    double value = 1;
    CHECK(hd_element_get(x, 2, (int64_t[]){0, 3}, &value) == HD_INDEX && t_failed(HD_INDEX));
    CHECK(hd_element_set(x, 2, (int64_t[]){-3, 0}, &value) == HD_INDEX && t_failed(HD_INDEX));
    CHECK(hd_element_get(x, 1, (int64_t[]){0}, &value) == HD_INDEX && t_failed(HD_INDEX));
    CHECK(hd_element_get(NULL, 0, NULL, &value) != HD_OK);
    hd_error_take(NULL);
    CHECK(hd_element_set(x, 2, (int64_t[]){0, 0}, NULL) != HD_OK);
    hd_error_take(NULL);
    CHECK(hd_from_element(NULL, HD_FLOAT64, NULL) == NULL);
    hd_error_take(NULL);
    hd_release(x);
}
