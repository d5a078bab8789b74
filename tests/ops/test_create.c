/* SPDX-License-Identifier: BSD-3-Clause */
/* test_create.c - arrays from nothing, copies and casts; random numbers as values of position
 * and call. */
#include <heddle/random.h>
#include <math.h>

#include "support.h"

TEST(create, constants)
{
    int scope = hd_scope_begin();
    for (int dt = HD_BOOL; dt < HD_DTYPE_COUNT; dt++) {
        CHECK(t_all(hd_zeros(SHAPE(3, 2), (hd_dtype)dt), 0) &&
              t_all(hd_ones(SHAPE(3, 2), (hd_dtype)dt), 1));
        CHECK(t_all(hd_full(SHAPE(5), hd_int(1), (hd_dtype)dt), 1));
    }
    hd_array *f = hd_full(SHAPE(2, 3), t_ramp(SHAPE(3), HD_INT16), HD_NO_DTYPE);
    CHECK(hd_dtype_of(f) == HD_INT16 && t_equals(f, 0, 1, 2, 0, 1, 2));
    CHECK(hd_full(SHAPE(2), t_ramp(SHAPE(3), HD_INT16), HD_NO_DTYPE) == NULL && t_failed(HD_SHAPE));
    CHECK(hd_full(SHAPE(2), hd_int(300), HD_UINT8) == NULL && t_failed(HD_OVERFLOW));
    CHECK(hd_ndim(hd_zeros(SCALAR_SHAPE, HD_INT8)) == 0);
    CHECK(hd_empty(SHAPE(2), (hd_dtype)99) == NULL && t_failed(HD_DTYPE));
    hd_scope_end(scope, NULL);
}

TEST(create, ramps)
{
    int scope = hd_scope_begin();
    CHECK(t_equals(hd_arange(hd_int(2), hd_int(3), 4, HD_NO_DTYPE), 2, 5, 8, 11));
    hd_array *r = hd_arange(hd_float(0.5), hd_float(0.25), 3, HD_FLOAT32);
    CHECK(hd_dtype_of(r) == HD_FLOAT32 && t_equals(r, 0.5, 0.75, 1));
    CHECK(t_equals(hd_arange(hd_int(5), hd_int(-2), 3, HD_INT8), 5, 3, 1));
    /* counted in float32 by the difference of the first two, each a float16 */
    r = hd_arange(hd_int(2047), hd_int(1), 4, HD_FLOAT16);
    CHECK(hd_dtype_of(r) == HD_FLOAT16 && t_equals(r, 2047, 2048, 2048, 2050));
    CHECK(hd_size(hd_arange(hd_int(5), hd_int(-2), 0, HD_INT8)) == 0);
    CHECK(t_equals(hd_arange(hd_int(0), hd_int(1), 2, HD_BOOL), 0, 1));
    CHECK(hd_arange(hd_int(0), hd_int(1), 3, HD_BOOL) == NULL && t_failed(HD_DTYPE));
    hd_array *step = t_ramp_from(4, SHAPE(1), HD_INT64),
             *start = t_ramp_from(1, SHAPE(1), HD_INT64);
    CHECK(t_equals(hd_arange(start, step, 3, HD_NO_DTYPE), 1, 5, 9));
    CHECK(hd_arange(start, hd_int(1), 3, HD_NO_DTYPE) == NULL && t_failed(HD_VALUE));
    CHECK(t_equals(hd_linspace(0, 1, 5, 1, HD_NO_DTYPE), 0, 0.25, 0.5, 0.75,
        1) && t_equals(hd_linspace(0, 1, 4, 0, HD_NO_DTYPE), 0, 0.25, 0.5, 0.75));
    hd_array *l = hd_linspace(0, 0.1 * 3, 4, 1, HD_FLOAT64);
    CHECK(t_value(l, 3) == 0.1 * 3);   /* the end is met exactly */
    CHECK(t_equals(hd_linspace(0, -2.5, 3, 1, HD_INT32), 0, -2, -3));   /* rounded down */
    CHECK(t_equals(hd_linspace(3, 9, 1, 1, HD_NO_DTYPE), 3) &&
          hd_size(hd_linspace(0, 1, 0, 1, HD_NO_DTYPE)) == 0);
    CHECK(t_equals(hd_eye(2, 3, 1, HD_INT8), 0, 1, 0, 0, 0, 1) &&
          t_equals(hd_eye(3, 2, -2, HD_FLOAT64), 0, 0, 0, 0, 1, 0));
    CHECK(t_all(hd_eye(2, 2, 5, HD_FLOAT64), 0) && hd_size(hd_eye(0, 4, 0, HD_FLOAT64)) == 0);
    hd_scope_end(scope, NULL);
}

TEST(copy, orders)
{
    int scope = hd_scope_begin();
    hd_array *x = t_ramp(SHAPE(2, 3), HD_INT32), *t = hd_transpose(x, NULL);
    static const struct {
        char order;
        int64_t row, column;
    } cases[] = {{'C', 8, 4}, {'F', 4, 12}, {'A', 4, 12}, {'K', 4, 12}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        hd_array *c = hd_copy(t, cases[k].order);
        CHECK(hd_strides(c)[0] == cases[k].row && hd_strides(c)[1] == cases[k].column);
        CHECK(!hd_same_memory(c, t) && t_equals(c, 0, 3, 1, 4, 2, 5));
    }
    CHECK(hd_astype(x, HD_INT32, 'K', HD_CAST_SAFE, 0) == x &&
          hd_astype(x, HD_INT32, 'F', HD_CAST_SAFE, 0) != x);
    hd_array *like = hd_empty_like(t, HD_FLOAT64);
    CHECK(hd_strides(like)[0] == 8 && hd_strides(like)[1] == 24 && hd_dtype_of(like) == HD_FLOAT64);
    hd_scope_end(scope, NULL);
}

TEST(copy, casts)
{
    int scope = hd_scope_begin();
    double values[] = {-1.9, 0, 255.9, 3e9};
    hd_array *x = hd_from_data(SHAPE(4), NULL, HD_FLOAT64, values),
             *i = hd_astype(x, HD_INT64, 'K', HD_CAST_UNSAFE, 1);
    CHECK(t_equals(i, -1, 0, 255, 3e9) &&
          t_equals(hd_astype(i, HD_BOOL, 'K', HD_CAST_UNSAFE, 1), 1, 0, 1, 1));
    CHECK(t_equals(hd_astype(i, HD_UINT8, 'K', HD_CAST_UNSAFE, 1), 255, 0, 255, 0));
    hd_array *z = hd_astype(x, HD_COMPLEX64, 'K', HD_CAST_SAFE, 1);
    CHECK(z == NULL && t_failed(HD_DTYPE));
    z = hd_astype(x, HD_COMPLEX128, 'K', HD_CAST_SAFE, 1);
    CHECK(t_equals(hd_imag(z), 0, 0, 0, 0) && t_value(z, 3) == 3e9);
    hd_scope_end(scope, NULL);
}

/* ---- random ---------------------------------------------------------------------------------- */

TEST(random, is_a_function_of_seed_call_and_position)
{
    int scope = hd_scope_begin();
    hd_generator a = hd_generator_seed(7), b = hd_generator_seed(7), other = hd_generator_seed(8);
    hd_array *x = hd_random_uniform(&a, SHAPE(50, 20), HD_FLOAT64),
             *y = hd_random_uniform(&b, SHAPE(50, 20), HD_FLOAT64);
    hd_array *next = hd_random_uniform(&a, SHAPE(50, 20), HD_FLOAT64),
             *z = hd_random_uniform(&other, SHAPE(50, 20), HD_FLOAT64);
    CHECK(t_all(hd_equal(x, y), 1));
    CHECK(t_value(hd_sum(hd_equal(x, next), HD_ALL_AXES, NULL, 0), 0) == 0 &&
          t_value(hd_sum(hd_equal(x, z), HD_ALL_AXES, NULL, 0), 0) == 0);
    /* fused, viewed, of another shape: position alone counts */
    hd_generator c = hd_generator_seed(7);
    hd_array *flat = hd_random_uniform(&c, SHAPE(1000), HD_FLOAT64),
             *sum = hd_sum(hd_multiply(flat, hd_float(2)), HD_ALL_AXES, NULL, 0);
    hd_array *back = t_slice(flat, SLICE(HD_NONE, HD_NONE, -7));
    CHECK_NEAR(t_value(sum, 0), 2 * t_value(hd_sum(x, HD_ALL_AXES, NULL, 0), 0), 1e-12);
    CHECK(t_value(back, 1) == t_value(x, 992) && t_value(flat, 123) == t_value(x, 123));
    CHECK(a.calls == 2 && b.calls == 1);
    hd_scope_end(scope, NULL);
}

TEST(random, does_not_depend_on_threads_or_fusion)
{
    int scope = hd_scope_begin();
    hd_array *kept[4];
    for (int k = 0; k < 4; k++) {
        hd_generator g = hd_generator_seed(99);
        hd_set_threads(1 + k % 2);
        hd_set_fusion(k < 2);
        kept[k] = hd_add(hd_random_normal(&g, SHAPE(60000), HD_FLOAT32),
                         hd_random_uniform(&g, SHAPE(60000), HD_FLOAT32));
        CHECK(hd_eval(kept[k]) == HD_OK);
    }
    hd_set_threads(0);
    hd_set_fusion(1);
    for (int k = 1; k < 4; k++)
        CHECK(t_equals(hd_all(hd_equal(kept[0], kept[k]), HD_ALL_AXES, NULL, 0), 1));
    hd_scope_end(scope, NULL);
}

TEST(random, has_the_right_moments)
{
    enum { N = 200000 };
    int scope = hd_scope_begin();
    for (int dt = HD_FLOAT32; dt <= HD_FLOAT64; dt++) {
        hd_generator g = hd_generator_seed(5);
        hd_array *u = hd_random_uniform(&g, SHAPE(N), (hd_dtype)dt),
                 *n = hd_random_normal(&g, SHAPE(N), (hd_dtype)dt);
        double sigma = 1 / sqrt(12.0 * N);
        CHECK_NEAR(t_value(hd_mean(u, NULL), 0), 0.5, 5 * sigma);
        CHECK_NEAR(t_value(hd_var(u, NULL), 0), 1 / 12.0, 0.002);
        CHECK(t_value(hd_min(u, HD_ALL_AXES, NULL, 0), 0) >= 0 &&
              t_value(hd_max(u, HD_ALL_AXES, NULL, 0), 0) < 1);
        CHECK_NEAR(t_value(hd_mean(n, NULL), 0), 0, 5 / sqrt(N));
        CHECK_NEAR(t_value(hd_std(n, NULL), 0), 1, 0.01);
        CHECK(t_value(hd_all(hd_isfinite(n), HD_ALL_AXES, NULL, 0), 0) == 1);
    }
    hd_generator g = hd_generator_seed(5);
    hd_array *r = hd_random_raw(&g, SHAPE(N)), *top = hd_right_shift(r, hd_int(63));
    CHECK(hd_dtype_of(r) == HD_UINT64);
    CHECK_NEAR(t_value(hd_mean(top, NULL), 0), 0.5, 0.01);
    hd_scope_end(scope, NULL);
}
