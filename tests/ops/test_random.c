/* SPDX-License-Identifier: BSD-3-Clause */
/* test_random.c - draws with parameters, orders and choices: shapes, dtypes, refusals, call
 * numbers. What they draw is tested from Python. */
#include <heddle/random.h>

#include <math.h>

#include "support.h"

static int below(hd_array *x, double low, double high)
{
    return t_value(hd_min(x, HD_ALL_AXES, NULL, 0), 0) >= low &&
           t_value(hd_max(x, HD_ALL_AXES, NULL, 0), 0) <= high;
}

TEST(random, integers_fill_their_interval)
{
    int scope = hd_scope_begin();
    hd_generator g = hd_generator_seed(1);
    for (int dt = HD_INT8; dt <= HD_UINT64; dt++) {
        hd_array *x =
            hd_random_integers(&g, SHAPE(20, 30), hd_int(3), hd_int(9), (hd_dtype)dt);
        CHECK(hd_dtype_of(x) == (hd_dtype)dt && hd_ndim(x) == 2 && hd_size(x) == 600);
        CHECK(t_value(hd_min(x, HD_ALL_AXES, NULL, 0), 0) == 3 &&
              t_value(hd_max(x, HD_ALL_AXES, NULL, 0), 0) == 9);
    }
    hd_array *last = t_ramp_from(5, SHAPE(3), HD_INT64),
             *x = hd_random_integers(&g, SHAPE(50, 3), last, last, HD_INT16);
    CHECK(t_all(hd_equal(x, last), 1));
    CHECK(g.calls == 9);
    hd_scope_end(scope, NULL);
}

TEST(random, parameters_broadcast_to_the_shape_and_no_further)
{
    int scope = hd_scope_begin();
    hd_generator g = hd_generator_seed(1);
    hd_array *three = t_ramp(SHAPE(3), HD_FLOAT64), *half = hd_float(0.5);
    CHECK(hd_size(hd_random_gamma(&g, SHAPE(4, 3), three, half, HD_FLOAT32)) == 12);
    CHECK(hd_random_gamma(&g, SHAPE(4), three, half, HD_FLOAT64) == NULL && t_failed(HD_SHAPE));
    CHECK(hd_random_beta(&g, SHAPE(1), half, three, HD_FLOAT64) == NULL && t_failed(HD_SHAPE));
    CHECK(hd_random_poisson(&g, SCALAR_SHAPE, three) == NULL && t_failed(HD_SHAPE));
    hd_array *b = hd_random_binomial(&g, SHAPE(100, 3), hd_int(12), hd_multiply(three, half));
    CHECK(hd_dtype_of(b) == HD_INT64 && below(b, 0, 12));
    CHECK(hd_size(hd_random_poisson(&g, SHAPE(0, 3), three)) == 0);
    CHECK(hd_ndim(hd_random_poisson(&g, SCALAR_SHAPE, half)) == 0);
    hd_scope_end(scope, NULL);
}

TEST(random, draws_refuse_what_has_no_loop)
{
    int scope = hd_scope_begin();
    hd_generator g = hd_generator_seed(1);
    hd_array *one = hd_float(1);
    CHECK(hd_random_integers(&g, SHAPE(3), one, one, HD_BOOL) == NULL && t_failed(HD_DTYPE));
    CHECK(hd_random_gamma(&g, SHAPE(3), one, one, HD_INT32) == NULL && t_failed(HD_DTYPE));
    CHECK(hd_random_beta(&g, SHAPE(3), one, one, HD_COMPLEX64) == NULL && t_failed(HD_DTYPE));
    CHECK(hd_random_order(&g, 1, 3, 4) == NULL && t_failed(HD_VALUE));
    CHECK(hd_random_order(&g, 1, -1, 0) == NULL && t_failed(HD_VALUE));
    CHECK(hd_random_choice(&g, 3, one) == NULL && t_failed(HD_VALUE));
    CHECK(hd_random_choice(&g, 3, t_ramp(SHAPE(3), HD_FLOAT32)) == NULL && t_failed(HD_VALUE));
    CHECK(g.calls == 0);
    /* what no distribution has */
    CHECK(t_all(hd_isnan(hd_random_gamma(&g, SHAPE(3), hd_float(-1), one, HD_FLOAT64)), 1));
    CHECK(t_all(hd_isnan(hd_random_beta(&g, SHAPE(3), one, hd_float(0), HD_FLOAT32)), 1));
    hd_scope_end(scope, NULL);
}

TEST(random, orders_are_permutations)
{
    enum { N = 500 };
    int scope = hd_scope_begin();
    hd_generator g = hd_generator_seed(1);
    hd_array *x = hd_random_order(&g, 7, N, N), *few = hd_random_order(&g, 2, N, 3);
    hd_array *square = hd_multiply(x, x), *sum = hd_sum(x, 1, (int[]){1}, 0);
    CHECK(below(x, 0, N - 1) && below(few, 0, N - 1) && hd_size(few) == 6);
    CHECK(t_all(sum, N * (N - 1) / 2));
    CHECK(t_all(hd_sum(square, 1, (int[]){1}, 0), (N - 1) * N * (2 * N - 1) / 6));
    CHECK(hd_size(hd_random_order(&g, 0, 5, 5)) == 0 && hd_size(hd_random_order(&g, 3, 5, 0)) == 0);
    hd_scope_end(scope, NULL);
}

TEST(random, choices_follow_the_table)
{
    int scope = hd_scope_begin();
    hd_generator g = hd_generator_seed(1);
    /* 0, 1/4, 1/2, 3/4, 1: never the first, the others alike */
    hd_array *table = hd_multiply(t_ramp(SHAPE(5), HD_FLOAT64), hd_float(0.25)),
             *x = hd_random_choice(&g, 40000, table);
    CHECK(hd_dtype_of(x) == HD_INT64 && below(x, 1, 4));
    for (int k = 1; k <= 4; k++)
        CHECK_NEAR(t_value(hd_mean(hd_equal(x, hd_int(k)), NULL), 0), 0.25, 0.02);
    hd_scope_end(scope, NULL);
}

TEST(random, one_number_is_that_of_an_array)
{
    double one = -1, shape = 2.5;
    int scope = hd_scope_begin();
    hd_generator g = hd_generator_seed(1), arrays = g;
    hd_array *x = hd_random_gamma(&arrays, SHAPE(1), hd_float(shape), hd_float(1), HD_FLOAT64);
    const double array = t_value(x, 0);
    if (hd_random_one(&g, HD_RANDOM_standard_gamma, &shape, &one)) {   /* not so on a GPU */
        CHECK(one == array && g.calls == arrays.calls);
        CHECK(hd_random_one(&g, HD_RANDOM_random, &shape, &one) && one >= 0 && one < 1);
    }
    hd_scope_end(scope, NULL);
}

TEST(random, one_number_of_odd_arguments_is_for_arrays)
{
    int64_t counts[HD_RANDOM_MOST_OUTCOMES + 1];
    double one, p[HD_RANDOM_MOST_OUTCOMES + 1] = {-1, 0.5, NAN};
    hd_generator g = hd_generator_seed(1);
    CHECK(!hd_random_one(NULL, HD_RANDOM_random, p, &one) && t_failed(HD_VALUE));
    CHECK(!hd_random_one(&g, HD_RANDOM_random, NULL, &one) && t_failed(HD_VALUE));
    CHECK(!hd_random_one(&g, HD_RANDOM_random, p, NULL) && t_failed(HD_VALUE));
    CHECK(hd_random_one_order(&g, 3, NULL) == HD_VALUE && t_failed(HD_VALUE));
    CHECK(hd_random_one_order(&g, -1, counts) == HD_VALUE && t_failed(HD_VALUE));
    CHECK(hd_random_one_order(&g, HD_RANDOM_MOST_PLACES + 1, counts) == HD_VALUE &&
          t_failed(HD_VALUE));
    CHECK(!hd_random_one(&g, HD_RANDOM_COUNT, p, &one));
    CHECK(!hd_random_one(&g, (hd_distribution)-1, p, &one));
    CHECK(!hd_random_one(&g, HD_RANDOM_exponential, p, &one));
    CHECK(!hd_random_one(&g, HD_RANDOM_exponential, p + 2, &one));
    CHECK(!hd_random_one(&g, HD_RANDOM_hypergeometric, p, &one));
    CHECK(!hd_random_one_multinomial(&g, 3, 2, p, counts));
    CHECK(!hd_random_one_multinomial(&g, -1, 2, p + 3, counts));
    CHECK(!hd_random_one_multinomial(&g, 3, HD_RANDOM_MOST_OUTCOMES + 1, p, counts));
    CHECK(!hd_random_one_multinomial(&g, 3, 0, p, counts));
    CHECK(g.calls == 0 && hd_error_take(NULL) == HD_OK);
}
