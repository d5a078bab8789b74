/* SPDX-License-Identifier: BSD-3-Clause */
/* test_reduce.c - reductions over random axes against brute force, their options, running sums,
 * and empty and trivial cases. */
#include <math.h>

#include "support.h"

/* ---- brute force ----------------------------------------------------------------------------- */

typedef struct cell { double sum, prod, min, max; int64_t argmin, argmax, count; } cell;

/* Reduces x (C order) over the axes in mask; returns the number of results. */
static int64_t by_hand(int nd, const int64_t *dims, const double *x, unsigned mask, cell *out)
{
    int64_t size = 1, kept = 1;
    for (int a = 0; a < nd; a++) {
        size *= dims[a];
        kept *= mask >> a & 1 ? 1 : dims[a];
    }
    for (int64_t k = 0; k < kept; k++)
        out[k] = (cell){0, 1, INFINITY, -INFINITY, 0, 0, 0};
    for (int64_t i = 0; i < size; i++) {
        int64_t at = 0, rest = i, below = size;
        for (int a = 0; a < nd; a++) {
            below /= dims[a];
            if (!(mask >> a & 1))
                at = at * dims[a] + rest / below;
            rest %= below;
        }
        cell *c = &out[at];
        c->sum += x[i];
        c->prod *= x[i];
        if (x[i] < c->min)
            c->argmin = c->count;
        if (x[i] > c->max)
            c->argmax = c->count;
        c->min = fmin(c->min, x[i]);
        c->max = fmax(c->max, x[i]);
        c->count++;
    }
    return kept;
}

static int axes_of(unsigned mask, int nd, int *axes)
{
    int n = 0;
    for (int a = nd - 1; a >= 0; a--)
        if (mask >> a & 1)
            axes[n++] = t_below(2) ? a : a - nd;
    return n;
}

static void check_cells(const hd_array *r, int64_t n, const cell *c, double (*of)(const cell *),
                        double tolerance)
{
    CHECK(r != NULL && hd_size(r) == n);
    for (int64_t k = 0; r != NULL && k < n; k++)
        CHECK_NEAR(t_value(r, k), of(&c[k]), tolerance);
}

static double sum_of(const cell *c) { return c->sum; }
static double prod_of(const cell *c) { return c->prod; }
static double min_of(const cell *c) { return c->min; }
static double max_of(const cell *c) { return c->max; }
static double argmin_of(const cell *c) { return (double)c->argmin; }
static double argmax_of(const cell *c) { return (double)c->argmax; }
static double mean_of(const cell *c) { return c->sum / (double)c->count; }

TEST(reduce, random_axes_against_brute_force)
{
    for (int repeat = 0; repeat < 300; repeat++) {
        int64_t dims[4];
        double data[4 * 4 * 4 * 9];
        cell want[4 * 4 * 4 * 9];
        int nd = (int)t_between(1, 4), axes[4], scope = hd_scope_begin();
        for (int a = 0; a < nd; a++)
            dims[a] = a == nd - 1 ? t_between(1, 9) : t_between(1, 4);
        unsigned mask = (unsigned)t_between(1, (1 << nd) - 1);
        hd_array *x = hd_sin(t_ramp_from((double)repeat, nd, dims, HD_FLOAT64));
        int n = axes_of(mask, nd, axes), keep = (int)t_below(2);
        CHECK(hd_read(x, data) == HD_OK);
        int64_t count = by_hand(nd, dims, data, mask, want);
        hd_array *same = x;
        if (t_below(2)) {   /* the same elements in another memory order */
            int order[4] = {0, 1, 2, 3};
            for (int a = 0; a < nd; a++)
                order[a] = nd - 1 - a;
            same = hd_transpose(hd_copy(hd_transpose(x, order), 'C'), order);
        }
        hd_array *s = hd_sum(same, n, axes, keep);
        CHECK_EQ_I64(hd_ndim(s), keep ? nd : nd - n);
        check_cells(s, count, want, sum_of, 1e-13);
        check_cells(hd_prod(same, n, axes, keep), count, want, prod_of, 1e-13);
        check_cells(hd_min(same, n, axes, keep), count, want, min_of, 0);
        check_cells(hd_max(same, n, axes, keep), count, want, max_of, 0);
        hd_reduce_options o = {
            .size = sizeof o, .naxes = n, .axes = axes, .keepdims = keep, .dtype = HD_NO_DTYPE};
        check_cells(hd_mean(same, &o), count, want, mean_of, 1e-14);
        if (n == 1) {
            check_cells(hd_argmin(same, n, axes, keep), count, want, argmin_of, 0);
            check_cells(hd_argmax(same, n, axes, keep), count, want, argmax_of, 0);
        }
        hd_scope_end(scope, NULL);
    }
}

/* ---- dtypes and values ----------------------------------------------------------------------- */

TEST(reduce, dtypes)
{
    int scope = hd_scope_begin();
    hd_array *b = hd_ones(SHAPE(300), HD_BOOL), *i = hd_full(SHAPE(300), hd_int(100), HD_INT8),
             *u = hd_full(SHAPE(300), hd_int(200), HD_UINT8);
    hd_array *s = hd_sum(b, HD_ALL_AXES, NULL, 0);
    CHECK(hd_dtype_of(s) == HD_INT64 && t_equals(s, 300) && (hd_flags(s) & HD_SCALAR));
    s = hd_sum(i, HD_ALL_AXES, NULL, 0);
    CHECK(hd_dtype_of(s) == HD_INT64 && t_equals(s, 30000));
    s = hd_sum(u, HD_ALL_AXES, NULL, 0);
    CHECK(hd_dtype_of(s) == HD_UINT64 && t_equals(s, 60000));
    hd_reduce_options o = {.size = sizeof o, .naxes = HD_ALL_AXES, .dtype = HD_INT8};
    s = hd_reduce(HD_OP_sum, i, &o);
    CHECK(hd_dtype_of(s) == HD_INT8 && t_equals(s, 30000 % 256 - 0));   /* wraps: 48 */
    CHECK(hd_dtype_of(hd_max(u, HD_ALL_AXES, NULL, 0)) == HD_UINT8);
    CHECK(t_equals(hd_any(hd_equal(i, hd_int(3)), HD_ALL_AXES, NULL, 0), 0) &&
          t_equals(hd_all(i, HD_ALL_AXES, NULL, 0), 1));
    hd_array *m = hd_mean(i, NULL);
    CHECK(hd_dtype_of(m) == HD_FLOAT64 && t_equals(m, 100));
    o.dtype = HD_FLOAT16;
    s = hd_reduce(HD_OP_sum, i, &o);   /* 30000 in float32, and then rounded */
    CHECK(hd_dtype_of(s) == HD_FLOAT16 && t_equals(s, 30000));
    hd_scope_end(scope, NULL);
}

TEST(reduce, nan_and_ties)
{
    int scope = hd_scope_begin();
    double with_nan[] = {3, 1, NAN, 1, 3, NAN};
    hd_array *x = hd_from_data(SHAPE(6), NULL, HD_FLOAT64, with_nan),
             *y = t_slice(x, SLICE(0, 2, 1));
    CHECK(isnan(t_value(hd_max(x, HD_ALL_AXES, NULL, 0), 0)) &&
          isnan(t_value(hd_min(x, HD_ALL_AXES, NULL, 0), 0)));
    CHECK(t_equals(hd_argmax(x, HD_ALL_AXES, NULL, 0), 2) &&
          t_equals(hd_argmin(x, HD_ALL_AXES, NULL, 0), 2));
    CHECK(t_equals(hd_max(y, HD_ALL_AXES, NULL, 0), 3));
    hd_array *ties = hd_remainder(t_ramp(SHAPE(1000), HD_INT64), hd_int(10));
    CHECK(t_equals(hd_argmax(ties, HD_ALL_AXES, NULL, 0), 9) &&
          t_equals(hd_argmin(ties, HD_ALL_AXES, NULL, 0), 0));
    hd_scope_end(scope, NULL);
}

TEST(reduce, statistics)
{
    int scope = hd_scope_begin();
    hd_array *x = t_ramp(SHAPE(2, 4), HD_FLOAT64), *v, *ints = t_ramp(SHAPE(4), HD_INT32);
    hd_reduce_options o = {
        .size = sizeof o, .naxes = 1, .axes = (const int[]){1}, .dtype = HD_NO_DTYPE};
    v = hd_var(x, &o);
    CHECK(t_equals(v, 1.25, 1.25));
    o.ddof = 1;
    CHECK_NEAR(t_value(hd_var(x, &o), 1), 5.0 / 3, 1e-15);
    CHECK_NEAR(t_value(hd_std(x, &o), 0), sqrt(5.0 / 3), 1e-15);
    o.ddof = 0;
    o.out = hd_zeros(SHAPE(2), HD_FLOAT32);
    CHECK(hd_var(x, &o) == o.out && t_equals(o.out, 1.25, 1.25));
    CHECK(t_equals(hd_var(ints, NULL), 1.25) && t_equals(hd_mean(ints, NULL), 1.5));
    hd_scope_end(scope, NULL);
}

/* ---- options --------------------------------------------------------------------------------- */

TEST(reduce, out_where_initial)
{
    int scope = hd_scope_begin();
    hd_array *x = t_ramp(SHAPE(2, 3), HD_FLOAT64),
             *odd = hd_equal(hd_remainder(x, hd_int(2)), hd_int(1));
    hd_reduce_options o = {
        .size = sizeof o, .naxes = 1, .axes = (const int[]){0}, .dtype = HD_NO_DTYPE};
    o.out = hd_zeros(SHAPE(3), HD_FLOAT64);
    CHECK(hd_reduce(HD_OP_sum, x, &o) == o.out && t_equals(o.out, 3, 5, 7));
    o.out = hd_zeros(SHAPE(2), HD_FLOAT64);
    CHECK(hd_reduce(HD_OP_sum, x, &o) == NULL && t_failed(HD_SHAPE));
    o.out = NULL;
    o.where = odd;
    CHECK(t_equals(hd_reduce(HD_OP_sum, x, &o), 3, 1, 5) &&
          t_equals(hd_reduce(HD_OP_prod, x, &o), 3, 1, 5));
    CHECK(hd_reduce(HD_OP_max, x, &o) == NULL && t_failed(HD_VALUE));
    o.initial = hd_float(2);
    CHECK(t_equals(hd_reduce(HD_OP_max, x, &o), 3, 2, 5) &&
          t_equals(hd_reduce(HD_OP_sum, x, &o), 5, 3, 7));
    CHECK(t_equals(hd_mean(x, &(hd_reduce_options){.size = sizeof o,
                                                   .naxes = HD_ALL_AXES,
                                                   .dtype = HD_NO_DTYPE,
                                                   .where = odd}),
                   3));
    o.where = hd_ones(SHAPE(2, 2, 3), HD_BOOL);   /* may repeat, but not make x larger */
    CHECK(hd_reduce(HD_OP_sum, x, &o) == NULL && t_failed(HD_SHAPE));
    o.where = hd_ones(SHAPE(3), HD_BOOL);
    o.initial = NULL;
    CHECK(t_equals(hd_reduce(HD_OP_sum, x, &o), 3, 5, 7));
    hd_scope_end(scope, NULL);
}

TEST(reduce, options_of_another_size)
{
    int scope = hd_scope_begin();
    hd_array *x = t_ramp(SHAPE(2, 3), HD_FLOAT64);
    hd_reduce_options o = {.size = offsetof(hd_reduce_options, dtype),
                           .naxes = 1,
                           .axes = (const int[]){1},
                           .dtype = HD_INT8};
    o.out = x;   /* beyond the size it says: not read */
    hd_array *r = hd_reduce(HD_OP_sum, x, &o), *m = hd_mean(x, &o);
    CHECK(t_equals(r, 3, 12) && hd_dtype_of(r) == HD_FLOAT64 && t_equals(m, 1, 4));
    hd_scope_end(scope, NULL);
}

TEST(reduce, refuses)
{
    hd_array *x = t_ramp(SHAPE(2, 3), HD_FLOAT64);
    CHECK(hd_sum(x, AXES(2), 0) == NULL && hd_error_peek()->axis == 2 &&
          hd_error_peek()->ndim == 2 && t_failed(HD_AXIS));
    CHECK(hd_sum(x, AXES(-3), 0) == NULL && t_failed(HD_AXIS));
    CHECK(hd_sum(x, AXES(1, -1), 0) == NULL && t_failed(HD_VALUE));
    CHECK(hd_reduce(HD_OP_sqrt, x, NULL) == NULL && t_failed(HD_VALUE));
    CHECK(hd_reduce(HD_OP_sumproduct, x, NULL) == NULL && t_failed(HD_VALUE));
    CHECK(hd_sum(NULL, HD_ALL_AXES, NULL, 0) == NULL && hd_mean(NULL, NULL) == NULL && t_failed(HD_VALUE));
    hd_release(x);
}

TEST(reduce, nothing_and_single_elements)
{
    int scope = hd_scope_begin();
    hd_array *none = hd_empty(SHAPE(0, 3), HD_FLOAT64),
             *one = t_ramp_from(7, SHAPE(1, 3, 1), HD_INT16);
    CHECK(t_equals(hd_sum(none, AXES(0), 0), 0, 0, 0) &&
          t_equals(hd_prod(none, HD_ALL_AXES, NULL, 0), 1));
    CHECK(hd_size(hd_sum(none, AXES(1), 0)) == 0);
    CHECK(hd_max(none, AXES(0), 0) == NULL && t_failed(HD_VALUE));
    CHECK(hd_argmin(none, AXES(0), 0) == NULL && t_failed(HD_VALUE));
    hd_array *s = hd_sum(one, AXES(0, 2), 0);
    CHECK(hd_dtype_of(s) == HD_INT64 && t_equals(s, 7, 8, 9));
    CHECK(t_equals(hd_argmax(one, AXES(0), 0), 0, 0, 0) &&
          t_equals(hd_any(one, AXES(2), 1), 1, 1, 1));
    CHECK(t_equals(hd_sum(one, 0, &(int){0}, 0), 7, 8, 9));   /* over no axis */
    CHECK(t_equals(hd_sum(hd_int(5), HD_ALL_AXES, NULL, 0), 5));
    hd_scope_end(scope, NULL);
}

/* Sums are pairwise: a million times 0.1 in float32 keeps six digits. And they do not depend on
 * threads. */
TEST(reduce, sums_are_accurate_and_repeatable)
{
    int scope = hd_scope_begin();
    hd_array *x = hd_full(SHAPE(1000000), hd_float(0.1), HD_FLOAT32),
             *y = hd_sin(t_ramp(SHAPE(1000, 1000), HD_FLOAT64));
    CHECK_NEAR(t_value(hd_sum(x, HD_ALL_AXES, NULL, 0), 0), 100000, 0.2);
    double first[3], again[3];
    for (int threads = 1; threads <= 2; threads++) {
        double *into = threads == 1 ? first : again;
        hd_set_threads(threads);
        into[0] = t_value(hd_sum(y, HD_ALL_AXES, NULL, 0), 0);
        into[1] = t_value(hd_sum(y, AXES(0), 0), 17);
        into[2] = t_value(hd_sum(hd_transpose(y, NULL), AXES(0), 0), 17);
    }
    hd_set_threads(0);
    CHECK(memcmp(first, again, sizeof first) == 0);
    hd_scope_end(scope, NULL);
}

/* ---- running sums ---------------------------------------------------------------------------- */

TEST(cumsum, along_an_axis)
{
    int scope = hd_scope_begin();
    hd_array *x = t_ramp(SHAPE(2, 3), HD_INT8), *r = hd_cumsum(x, 0, HD_NO_DTYPE, NULL);
    CHECK(hd_dtype_of(r) == HD_INT64 && t_equals(r, 0, 1, 2, 3, 5, 7));
    CHECK(t_equals(hd_cumsum(x, -1, HD_NO_DTYPE, NULL), 0, 1, 3, 3, 7, 12));
    CHECK(
        t_equals(hd_cumsum(hd_transpose(x, NULL), HD_FLAT, HD_FLOAT32, NULL), 0, 3, 4, 8, 10, 15));
    hd_array *out = hd_zeros(SHAPE(2, 3), HD_FLOAT64);
    CHECK(hd_cumsum(x, 1, HD_NO_DTYPE, out) == out && t_equals(out, 0, 1, 3, 3, 7, 12));
    CHECK(hd_cumsum(x, 2, HD_NO_DTYPE, NULL) == NULL && t_failed(HD_AXIS));
    CHECK(hd_cumsum(x, 0, HD_DTYPE_COUNT, NULL) == NULL && t_failed(HD_DTYPE));
    hd_array *halves = hd_full(SHAPE(4), hd_float(2047.5), HD_FLOAT16);   /* a float16: 2048 */
    CHECK(t_equals(hd_cumsum(hd_add(halves, hd_int(1)), 0, HD_NO_DTYPE, NULL), 2048, 4096, 6144,
                   8192));
    CHECK(hd_size(hd_cumsum(hd_empty(SHAPE(0, 3), HD_INT8), 0, HD_NO_DTYPE, NULL)) == 0);
    CHECK(hd_cumsum(x, 0, HD_NO_DTYPE, hd_zeros(SHAPE(3), HD_INT64)) == NULL && t_failed(HD_SHAPE));
    hd_scope_end(scope, NULL);
}

TEST(accumulate, any_operation)
{
    int scope = hd_scope_begin();
    hd_array *x = t_ramp_from(1, SHAPE(2, 3), HD_INT8), *y = hd_subtract(hd_int(4), x);
    CHECK(t_equals(hd_cumprod(x, 1, HD_NO_DTYPE, NULL), 1, 2, 6, 4, 20, 120));
    CHECK(t_equals(hd_cummax(y, HD_FLAT, HD_NO_DTYPE, NULL), 3, 3, 3, 3, 3, 3));
    hd_array *low = hd_cummin(y, 0, HD_NO_DTYPE, NULL);
    CHECK(hd_dtype_of(low) == HD_INT8 && t_equals(low, 3, 2, 1, 0, -1, -2));
    CHECK(t_equals(hd_accumulate(HD_OP_subtract, x, 1, HD_NO_DTYPE, NULL), 1, -1, -4, 4, -1, -7));
    CHECK(t_equals(hd_accumulate(HD_OP_bitwise_or, x, 0, HD_NO_DTYPE, NULL), 1, 2, 3, 5, 7, 7));
    CHECK(hd_accumulate(HD_OP_less, x, 0, HD_NO_DTYPE, NULL) == NULL && t_failed(HD_DTYPE));
    CHECK(hd_accumulate(HD_OP_sqrt, x, 0, HD_NO_DTYPE, NULL) == NULL && t_failed(HD_VALUE));
    CHECK(hd_accumulate(HD_OP_power, y, 1, HD_NO_DTYPE, NULL) == NULL && t_failed(HD_VALUE));
    hd_scope_end(scope, NULL);
}

static hd_reduce_options over(int naxes, const int *axes)
{
    return (hd_reduce_options){
        .size = sizeof(hd_reduce_options), .naxes = naxes, .axes = axes, .dtype = HD_NO_DTYPE};
}

TEST(fold, any_operation)
{
    int scope = hd_scope_begin();
    hd_array *x = t_ramp_from(1, SHAPE(2, 3), HD_INT64);
    hd_reduce_options first = over(1, (const int[]){0}), all = over(HD_ALL_AXES, NULL);
    CHECK(t_equals(hd_reduce(HD_OP_add, x, &first), 5, 7, 9));
    CHECK(t_equals(hd_reduce(HD_OP_subtract, x, &first), -3, -3, -3));
    CHECK(hd_reduce(HD_OP_subtract, x, &all) == NULL && t_failed(HD_VALUE));
    CHECK(t_equals(hd_reduce(HD_OP_bitwise_xor, x, &all), 7) && t_equals(hd_nanmax(x, -1, NULL, 0), 6));
    hd_array *r = hd_reduce(HD_OP_gcd, x, &all);
    CHECK((hd_flags(r) & HD_SCALAR) != 0);
    first.keepdims = 1;
    first.initial = hd_int(10);
    r = hd_reduce(HD_OP_subtract, x, &first);
    CHECK(hd_ndim(r) == 2 && t_equals(r, 5, 3, 1));
    first.where = hd_greater(x, hd_int(2));
    CHECK(t_equals(hd_reduce(HD_OP_subtract, x, &first), 6, 5, 1));
    first.initial = NULL;
    CHECK(hd_reduce(HD_OP_subtract, x, &first) == NULL && t_failed(HD_VALUE));
    CHECK(t_equals(hd_reduce(HD_OP_bitwise_and, x, &first), 4, 5, 2));
    hd_array *none = hd_empty(SHAPE(0, 2), HD_FLOAT64);
    first = over(1, (const int[]){0});
    CHECK(hd_reduce(HD_OP_subtract, none, &first) == NULL && t_failed(HD_VALUE));
    CHECK(t_equals(hd_reduce(HD_OP_hypot, none, &first), 0, 0));
    hd_scope_end(scope, NULL);
}

TEST(fold, reduceat)
{
    int scope = hd_scope_begin();
    hd_array *x = t_ramp(SHAPE(2, 4), HD_FLOAT64),
             *at = hd_from_data(1, (int64_t[]){3}, NULL, HD_INT64, (int64_t[]){1, 0, 3});
    CHECK(t_equals(hd_reduceat(HD_OP_add, x, at, 1, HD_NO_DTYPE, NULL), 1, 3, 3, 5, 15, 7));
    CHECK(t_equals(hd_reduceat(HD_OP_subtract, hd_transpose(x, NULL), at, 0, HD_INT32, NULL), 1, 5,
                   -3, -7, 3, 7));
    CHECK(hd_reduceat(HD_OP_add, x, at, 0, HD_NO_DTYPE, NULL) == NULL && t_failed(HD_INDEX));
    CHECK(hd_reduceat(HD_OP_add, hd_float(1), at, 0, HD_NO_DTYPE, NULL) == NULL &&
          t_failed(HD_DTYPE));
    hd_scope_end(scope, NULL);
}
