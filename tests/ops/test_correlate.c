/* SPDX-License-Identifier: BSD-3-Clause */
/* test_correlate.c - windows over arrays of random shapes, modes and bounds against the sum that
 * defines them, in every dtype; refusals. */
#include <math.h>

#include "support.h"

/* Where element i of an extended axis is; -1: beyond. */
static int64_t place(int64_t i, int64_t n, hd_window_bound bound)
{
    if (i >= 0 && i < n)
        return i;
    if (bound == HD_WINDOW_FILL)
        return -1;
    const int64_t period = bound == HD_WINDOW_WRAP ? n : 2 * n;
    i = ((i % period) + period) % period;
    return i < n ? i : 2 * n - 1 - i;
}

static int64_t before(hd_window_mode mode, int64_t n)
{
    return mode == HD_WINDOW_FULL        ? n - 1
           : mode == HD_WINDOW_SAME      ? n / 2
           : mode == HD_WINDOW_SAME_LATE ? (n - 1) / 2
                                         : 0;
}

static double sum_at(hd_array *x, hd_array *y, const int64_t *index, hd_window_mode mode,
                     hd_window_bound bound, double fill)
{
    const int64_t *dx = hd_shape(x), *dy = hd_shape(y);
    double sum = 0;
    for (int64_t k = 0; k < hd_size(y); k++) {
        int64_t at = 0, rest = k, below = 1;
        for (int a = hd_ndim(x) - 1; a >= 0; a--) {
            const int64_t i = index[a] - before(mode, dy[a]) + rest % dy[a];
            const int64_t from = place(i, dx[a], bound);
            rest /= dy[a];
            at = from < 0 || at < 0 ? -1 : at + from * below;
            below *= dx[a];
        }
        sum += t_value(y, k) * (at < 0 ? fill : t_value(x, at));
    }
    return sum;
}

static void try_one(int nd, hd_dtype dt)
{
    int64_t dx[3], dy[3];
    const hd_window_mode mode = (hd_window_mode)t_below(4);
    const hd_window_bound bound = (hd_window_bound)t_below(3);
    const double fill = bound == HD_WINDOW_FILL && t_below(2) ? 3 : 0;
    for (int a = 0; a < nd; a++) {
        dy[a] = t_between(1, nd == 1 ? 300 : 5);
        dx[a] = t_between(mode == HD_WINDOW_VALID ? dy[a] : 1, nd == 1 ? 400 : 12);
    }
    int scope = hd_scope_begin();
    hd_array *x = hd_remainder(t_ramp(nd, dx, HD_INT64), hd_int(7)),
             *y = hd_remainder(t_ramp(nd, dy, HD_INT64), hd_int(3));
    hd_array *r = hd_correlate_window(hd_astype(x, dt, 'K', HD_CAST_UNSAFE, 1),
                                      hd_astype(y, dt, 'K', HD_CAST_UNSAFE, 1), mode, bound,
                                      fill != 0 ? hd_float(fill) : NULL);
    REQUIRE(r != NULL && hd_dtype_of(r) == dt);
    for (int tries = 0; tries < 40; tries++) {
        int64_t index[3], at = 0;
        for (int a = 0; a < nd; a++) {
            index[a] = t_below(hd_shape(r)[a]);
            at = at * hd_shape(r)[a] + index[a];
        }
        double want = sum_at(x, y, index, mode, bound, fill), got = t_value(r, at);
        if (dt == HD_BOOL)
            want = want != 0;
        if (dt == HD_INT8 || dt == HD_UINT8)   /* these wrap */
            want = remainder(want - got, 256) + got;
        CHECK_NEAR(got, want, dt == HD_FLOAT16 || dt == HD_BFLOAT16 ? fabs(want) / 100 : 1e-9);
    }
    hd_scope_end(scope, NULL);
}

TEST(correlate, is_its_sum)
{
    for (int dt = HD_BOOL; dt < HD_DTYPE_COUNT; dt++)
        for (int tries = 0; tries < 6; tries++)
            try_one(1 + tries % 3, (hd_dtype)dt);
}

TEST(correlate, tiles_and_pieces)
{
    int scope = hd_scope_begin();
    hd_array *x = hd_ones(SHAPE(100, 600), HD_FLOAT32), *y = hd_ones(SHAPE(40, 300), HD_FLOAT32);
    hd_array *r = hd_correlate_window(x, y, HD_WINDOW_VALID, HD_WINDOW_FILL, NULL);
    CHECK(t_all(hd_equal(r, hd_int(12000)), 1) && hd_size(r) == 61 * 301);
    r = hd_correlate_window(x, y, HD_WINDOW_FULL, HD_WINDOW_WRAP, NULL);
    CHECK(t_all(hd_equal(r, hd_int(12000)), 1) && hd_size(r) == 139 * 899);
    hd_scope_end(scope, NULL);
}

TEST(correlate, rows_as_numpy)
{
    int scope = hd_scope_begin();
    hd_array *a = t_ramp_from(1, SHAPE(5), HD_INT64), *v = t_ramp_from(1, SHAPE(2), HD_INT64);
    const double full[] = {1, 4, 7, 10, 13, 10};
    hd_array *r = hd_convolve(v, a, HD_WINDOW_FULL), *c = hd_correlate(v, a, HD_WINDOW_FULL);
    const double turned[] = {5, 14, 11, 8, 5, 2};
    for (int64_t i = 0; i < 6; i++)
        CHECK(t_value(r, i) == full[i] && t_value(c, i) == turned[i]);
    hd_scope_end(scope, NULL);
}

TEST(correlate, refuses)
{
    int scope = hd_scope_begin();
    hd_array *x = hd_ones(SHAPE(3, 4), HD_FLOAT64), *y = hd_ones(SHAPE(4, 2), HD_FLOAT64),
             *row = hd_ones(SHAPE(3), HD_FLOAT64), *none = hd_ones(SHAPE(0), HD_FLOAT64);
    CHECK(hd_correlate_window(x, y, HD_WINDOW_VALID, HD_WINDOW_FILL, NULL) == NULL &&
          t_failed(HD_VALUE));
    CHECK(hd_correlate_window(x, row, HD_WINDOW_FULL, HD_WINDOW_FILL, NULL) == NULL &&
          t_failed(HD_VALUE));
    CHECK(hd_correlate_window(x, y, HD_WINDOW_FULL, HD_WINDOW_FILL, row) == NULL &&
          t_failed(HD_VALUE));
    CHECK(hd_correlate_window(x, y, (hd_window_mode)4, HD_WINDOW_FILL, NULL) == NULL &&
          t_failed(HD_VALUE));
    CHECK(hd_convolve(none, row, HD_WINDOW_FULL) == NULL && t_failed(HD_VALUE));
    CHECK(hd_correlate(row, none, HD_WINDOW_FULL) == NULL && t_failed(HD_VALUE));
    CHECK(hd_convolve(x, row, HD_WINDOW_FULL) == NULL && t_failed(HD_VALUE));
    hd_scope_end(scope, NULL);
}
