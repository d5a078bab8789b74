/* SPDX-License-Identifier: BSD-3-Clause */
/* test_element.c - single elements: what is written to the caller, what is refused, what waits. */
#include <heddle/faults.h>

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

/* Of arrays that are computed, and pending; the value is a copy, with memory of its own. */
TEST(element, as_a_value)
{
    double value = -1;
    for (int64_t n = 10; n < 10000; n *= 100) {
        hd_array *x = hd_ones(1, &n, HD_FLOAT64), *y = hd_add(x, x);
        hd_array *rows = hd_reshape(y, 2, (const int64_t[]){2, n / 2}, 'C');
        hd_array *e = hd_element(rows, 2, (int64_t[]){-1, 0}), *f = hd_element(x, 1, &(int64_t){3});
        CHECK(hd_is_scalar(e) && !hd_is_writeable(e) && hd_ndim(e) == 0);
        CHECK(!hd_same_memory(e, y) && !hd_same_memory(f, x));
        CHECK(hd_element_set(y, 1, &(int64_t){n / 2}, &(double){7}) == HD_OK);
        CHECK(hd_read(e, &value) == HD_OK && value == 2);
        CHECK(hd_read(f, &value) == HD_OK && value == 1);
        CHECK(hd_element(rows, 1, (int64_t[]){0}) == NULL && t_failed(HD_INDEX));
        CHECK(hd_element(rows, 2, (int64_t[]){2, 0}) == NULL && t_failed(HD_INDEX));
        CHECK(hd_element(rows, 2, NULL) == NULL && t_failed(HD_INDEX));
        hd_array *all[] = {x, y, rows, e, f};
        for (int k = 0; k < 5; k++)
            hd_release(all[k]);
    }
    hd_array *weak = hd_float(2.5), *w = hd_element(weak, 0, NULL);
    CHECK(w != NULL && hd_dtype_of(w) == HD_FLOAT64 && hd_read(w, &value) == HD_OK && value == 2.5);
    CHECK(hd_element(NULL, 0, NULL) == NULL && t_failed(HD_VALUE));
    hd_release(weak);
    hd_release(w);
}

TEST(element, values_that_are_known)
{
    for (int64_t n = 10; n < 1000000; n *= 300) {   /* at once, and recorded */
        hd_array *x = hd_ones(1, &n, HD_FLOAT64), *s = hd_sum(x, HD_ALL_AXES, NULL, 0);
        double value = -1;
        CHECK(hd_is_scalar(s) && !hd_is_scalar(x) && !hd_value_known(x, &value) && value == -1);
        CHECK(hd_value_known(s, &value) ? value == (double)n : n > 10 && value == -1);
        hd_synchronize(NULL);
        CHECK(hd_value_known(s, &value) && value == (double)n);
        hd_release(x);
        hd_release(s);
    }
    hd_array *weak = hd_float(2), *zero = hd_zeros(0, NULL, HD_FLOAT64);
    double value = -1;
    CHECK(hd_is_scalar(weak) && !hd_value_known(weak, &value));
    CHECK(!hd_is_scalar(zero) && !hd_value_known(zero, &value) && value == -1);
    CHECK(!hd_value_known(NULL, &value) && t_failed(HD_VALUE));
    CHECK(!hd_value_known(weak, NULL) && t_failed(HD_VALUE));
    CHECK(!hd_is_scalar(NULL) && t_failed(HD_VALUE));
    hd_release(weak);
    hd_release(zero);
}

/* What hd_element_op() says of x op y, or of op x where y is NULL, as a float64. */
static double of_elements(hd_op op, const double *x, const double *y, hd_dtype *dt)
{
    double r[2] = {-1, 0};
    const hd_dtype dts[2] = {HD_FLOAT64, HD_FLOAT64};
    *dt = HD_NO_DTYPE;
    CHECK(hd_element_op(op, y != NULL ? 2 : 1, dts, (const void *const[]){x, y}, dt, r) == 1);
    return r[0];
}

TEST(element, operations)
{
    const double x = 6.25, y = 0.5;
    const int64_t i = 7;
    hd_dtype dt;
    uint64_t r[3] = {0, 0, 0x5a5a};
    const hd_number number = {.kind = HD_WEAK_INT, .as.i = 3, .re = 3};
    CHECK(of_elements(HD_OP_sqrt, &x, NULL, &dt) == 2.5 && dt == HD_FLOAT64);
    CHECK(of_elements(HD_OP_multiply, &x, &y, &dt) == 3.125 && dt == HD_FLOAT64);
    CHECK(hd_element_op(HD_OP_less, 2, (hd_dtype[]){HD_FLOAT64, HD_FLOAT64},
                        (const void *const[]){&y, &x}, &dt, r) == 1);
    CHECK(dt == HD_BOOL && *(uint8_t *)r == 1);
    CHECK(hd_element_op(HD_OP_add, 2, (hd_dtype[]){HD_INT64, HD_NO_DTYPE},
                        (const void *const[]){&i, &number}, &dt, r) == 1);
    CHECK(dt == HD_INT64 && r[0] == 10);
    CHECK(hd_element_op(HD_OP_add, 2, (hd_dtype[]){HD_NO_DTYPE, HD_FLOAT64},
                        (const void *const[]){&number, &y}, &dt, r) == 1);
    double sum;
    memcpy(&sum, r, sizeof sum);
    CHECK(dt == HD_FLOAT64 && sum == 3.5 && r[2] == 0x5a5a);
}

TEST(element, operations_that_arrays_do)
{
    const int64_t i = -1;
    const double x = 1;
    const uint8_t yes = 1;
    hd_dtype dt;
    uint64_t r[2];
    const hd_dtype ints[2] = {HD_INT64, HD_INT64};
    CHECK(hd_element_op(HD_OP_power, 2, ints, (const void *const[]){&i, &i}, &dt, r) == 0);
    CHECK(hd_element_op(HD_OP_less, 2, ints, (const void *const[]){&i, &i}, &dt, r) == 0);
    CHECK(hd_element_op(HD_OP_negative, 1, (hd_dtype[]){HD_BOOL}, (const void *const[]){&yes}, &dt,
                        r) == 0);   /* refused */
    CHECK(hd_error_peek()->code == HD_OK);
    CHECK(hd_element_op(HD_OP_sin, 2, ints, (const void *const[]){&i, &i}, &dt, r) == 0);
    CHECK(hd_element_op(HD_OP_sum, 1, ints, (const void *const[]){&i}, &dt, r) == 0);
    CHECK(hd_element_op(HD_OP_sin, 1, NULL, NULL, &dt, r) == 0 && t_failed(HD_VALUE));
    CHECK(hd_element_op(HD_OP_sin, 1, ints, (const void *const[]){NULL}, &dt, r) == 0 &&
          t_failed(HD_VALUE));
    CHECK(hd_element_op(HD_OP_sin, 1, (hd_dtype[]){HD_DTYPE_COUNT}, (const void *const[]){&x}, &dt,
                        r) == 0);
    int fusion = hd_set_fusion(2);
    CHECK(hd_element_op(HD_OP_sin, 1, (hd_dtype[]){HD_FLOAT64}, (const void *const[]){&x}, &dt,
                        r) == 0);
    hd_set_fusion(fusion);
    int watched = hd_watch_faults(HD_FAULT_DIVIDE);
    CHECK(hd_element_op(HD_OP_sin, 1, (hd_dtype[]){HD_FLOAT64}, (const void *const[]){&x}, &dt,
                        r) == 0);
    hd_watch_faults(watched);
    CHECK(hd_error_peek()->code == HD_OK);
}
