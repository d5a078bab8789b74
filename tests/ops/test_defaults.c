/* SPDX-License-Identifier: BSD-3-Clause */
/* test_defaults.c - zero is the default of every option and argument, NULL of every result that is
 * not wanted; what NULL makes of an expression. */
#include <math.h>

#include "support.h"

TEST(defaults, reductions_go_over_all_axes)
{
    int scope = hd_scope_begin();
    hd_array *x = t_ramp_from(1, SHAPE(3, 4), HD_FLOAT64);
    hd_value v;
    hd_reduce_options keep = {.size = sizeof keep, .keepdims = 1}, none = {0};
    hd_array *m = hd_mean(x, &keep), *all = hd_reduce(HD_OP_add, x, &none);
    REQUIRE(m != NULL && all != NULL);
    CHECK(hd_ndim(m) == 2 && hd_size(m) == 1 && hd_dtype_of(m) == HD_FLOAT64);
    CHECK(hd_item(m, 0, &v) == HD_OK && v.as.f == 6.5);
    CHECK(hd_ndim(all) == 0 && hd_item(all, 0, &v) == HD_OK && v.as.f == 78);
    hd_array *sum = hd_sum(x, 0, NULL, 0);
    CHECK(sum != NULL && hd_ndim(sum) == 0);
    /* a list of no axes is one */
    hd_array *over_none = hd_sum(x, 0, (const int[]){0}, 0);
    CHECK(over_none != NULL && hd_size(over_none) == 12);
    CHECK(hd_std(x, &none) != NULL && hd_var(x, &none) != NULL);
    CHECK(hd_fftn(x, 0, NULL, NULL, HD_FFT_BACKWARD, NULL) != NULL);
    CHECK(hd_fftshift(x, 0, NULL) != NULL && hd_squeeze(x, 0, NULL) != NULL);
    CHECK(hd_sum(x, 1, NULL, 0) == NULL && t_failed(HD_VALUE));
    CHECK(hd_sum(x, -2, NULL, 0) == NULL && t_failed(HD_VALUE));
    hd_scope_end(scope, NULL);
}

TEST(defaults, operations_cast_as_numpy_does)
{
    int scope = hd_scope_begin();
    hd_array *x = t_ramp_from(1, SHAPE(4), HD_FLOAT64), *out = hd_zeros(SHAPE(4), HD_FLOAT32),
             *whole = hd_zeros(SHAPE(4), HD_INT32);
    const hd_array *in[1] = {x};
    hd_apply_options zero = {.size = sizeof zero}, into = {.size = sizeof into, .out = out};
    hd_array *r = hd_apply(HD_OP_sqrt, 1, in, &zero);
    REQUIRE(r != NULL);
    CHECK(hd_dtype_of(r) == HD_FLOAT64);
    CHECK(hd_apply(HD_OP_sqrt, 1, in, &into) == out);
    into.out = whole;
    CHECK(hd_apply(HD_OP_sqrt, 1, in, &into) == NULL && t_failed(HD_CAST));
    into.dtype = HD_BOOL;   /* 0 is not bool */
    CHECK(hd_dtype_of(r) != HD_BOOL && HD_BOOL != HD_NO_DTYPE);
    CHECK(hd_assign(out, x, HD_CAST_DEFAULT) == HD_OK);
    CHECK(hd_assign(whole, x, HD_CAST_DEFAULT) == HD_CAST && t_failed(HD_CAST));
    hd_array *cast = hd_astype(x, HD_INT8, '\0', HD_CAST_DEFAULT, 0);
    CHECK(cast != NULL && hd_dtype_of(cast) == HD_INT8);
    CHECK(hd_can_cast(HD_INT8, HD_INT16, HD_CAST_DEFAULT) == 1);
    CHECK(hd_can_cast(HD_FLOAT64, HD_FLOAT32, HD_CAST_DEFAULT) == 0);
    CHECK_STR(hd_casting_name(HD_CAST_SAME_KIND), "same_kind");
    CHECK_STR(hd_casting_name((hd_casting)99), "");
    hd_array *a = t_ramp_from(1, SHAPE(2, 2), HD_FLOAT64), *b = hd_matmul_as(a, a, &zero);
    CHECK(b != NULL && hd_dtype_of(b) == HD_FLOAT64);
    CHECK(hd_copy(a, '\0') != NULL);
    hd_scope_end(scope, NULL);
}

TEST(defaults, arrays_are_of_float64)
{
    int scope = hd_scope_begin();
    hd_generator g = hd_generator_seed(1);
    hd_array *made[] = {hd_empty(SHAPE(2), 0), hd_zeros(SHAPE(2), 0), hd_ones(SHAPE(2), 0),
                        hd_eye(2, 2, 0, 0), hd_linspace(0, 1, 3, 1, 0),
                        hd_random_uniform(&g, SHAPE(2), 0), hd_random_normal(&g, SHAPE(2), 0)};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        CHECK(made[i] != NULL && hd_dtype_of(made[i]) == HD_FLOAT64);
    hd_array *n = hd_random_integers(&g, SHAPE(2), hd_int(0), hd_int(9), 0);
    CHECK(n != NULL && hd_dtype_of(n) == HD_INT64);
    CHECK(hd_dtype_of(hd_full(SHAPE(2), hd_int(1), 0)) == HD_INT64);
    hd_scope_end(scope, NULL);
}

TEST(defaults, shapes_that_cannot_be)
{
    int scope = hd_scope_begin();
    static const int64_t huge[] = {INT64_MAX, INT64_MAX}, negative[] = {3, -1};
    CHECK(hd_zeros(1, NULL, HD_FLOAT64) == NULL && t_failed(HD_VALUE));
    CHECK(hd_zeros(-1, huge, HD_FLOAT64) == NULL && t_failed(HD_VALUE));
    CHECK(hd_zeros(HD_MAXDIM + 1, huge, HD_FLOAT64) == NULL && t_failed(HD_VALUE));
    CHECK(hd_zeros(2, huge, HD_FLOAT64) == NULL && t_failed(HD_VALUE));
    CHECK(hd_zeros(2, negative, HD_FLOAT64) == NULL && t_failed(HD_VALUE));
    CHECK(hd_zeros(0, NULL, HD_FLOAT64) != NULL);
    hd_scope_end(scope, NULL);
}

TEST(defaults, an_expression_that_failed_says_why)
{
    int scope = hd_scope_begin();
    hd_array *a = hd_ones(SHAPE(3), HD_FLOAT64), *b = hd_ones(SHAPE(4), HD_FLOAT64);
    hd_array *failed = hd_add(a, b);
    CHECK(failed == NULL && hd_shape(failed) == NULL && hd_ndim(failed) == 0);
    CHECK(hd_eval(failed) == HD_SHAPE && hd_inplace(HD_OP_add, a, failed) == HD_SHAPE);
    CHECK(t_failed(HD_SHAPE));   /* the first one */
    CHECK(hd_shape(NULL) == NULL && t_failed(HD_VALUE));
    CHECK(hd_inplace(HD_OP_add, a, NULL) == HD_VALUE && t_failed(HD_VALUE));
    CHECK(hd_binary(HD_OP_sqrt, a, a) == NULL && t_failed(HD_VALUE));
    CHECK(hd_unary(HD_OP_add, a) == NULL && t_failed(HD_VALUE));
    CHECK(hd_unary(HD_OP_COUNT, a) == NULL && t_failed(HD_VALUE));
    hd_scope_end(scope, NULL);
}

TEST(defaults, results_that_nobody_wants)
{
    int scope = hd_scope_begin();
    hd_array *a = hd_eye(3, 3, 0, HD_FLOAT64), *only = NULL, *counts = NULL;
    CHECK(hd_svd(a, 0, 0, NULL, NULL, &only) == HD_OK && only != NULL && hd_size(only) == 9);
    CHECK(hd_eigh(a, 0, NULL, &only) == HD_OK && only != NULL && hd_size(only) == 9);
    CHECK(hd_slogdet(a, NULL, &only) == HD_OK && only != NULL && hd_ndim(only) == 0);
    CHECK(hd_qr(a, HD_QR_REDUCED, NULL, &only) == HD_OK && only != NULL);
    CHECK(hd_lstsq(a, a, -1, &only, NULL, NULL, NULL) == HD_OK && only != NULL);
    CHECK(hd_unique_counts(a, NULL, &counts) == HD_OK && counts != NULL && hd_size(counts) == 2);
    CHECK(hd_slogdet(NULL, NULL, &only) == HD_VALUE && only == NULL && t_failed(HD_VALUE));
    hd_scope_end(scope, NULL);
}
