/* SPDX-License-Identifier: BSD-3-Clause */
/* test_compose.c - tiled arrays and neighbours' differences; tests/python has them beside
 * NumPy's. */
#include <heddle/compose.h>

#include <stdio.h>

#include "support.h"

static bool is(const hd_array *x, const char *text)
{
    char *got = hd_format(x, NULL);
    const bool same = got != NULL && strcmp(got, text) == 0;
    if (!same)
        fprintf(stderr, "%s\n", got != NULL ? got : hd_error_peek()->message);
    hd_free_text(got);
    return same;
}

#define LONGS(...) ((const int64_t[]){__VA_ARGS__})

TEST(compose, tile)
{
    const int scope = hd_scope_begin();
    hd_array *m = t_ramp(SHAPE(2, 2), HD_INT64);
    CHECK(is(hd_tile(m, 1, LONGS(2)), "[[0 1 0 1]\n [2 3 2 3]]"));
    CHECK(is(hd_tile(m, 2, LONGS(2, 1)), "[[0 1]\n [2 3]\n [0 1]\n [2 3]]"));
    CHECK(is(hd_tile(m, 3, LONGS(1, 1, 2)), "[[[0 1 0 1]\n  [2 3 2 3]]]"));
    CHECK(hd_size(hd_tile(m, 1, LONGS(0))) == 0);
    hd_array *same = hd_tile(m, 0, NULL);
    CHECK(is(same, "[[0 1]\n [2 3]]") && !hd_may_share(same, m));
    CHECK(hd_tile(m, 1, LONGS(-1)) == NULL && hd_error_take(NULL) == HD_VALUE);
    CHECK(hd_tile(m, 1, LONGS(INT64_MAX)) == NULL && hd_error_take(NULL) == HD_VALUE);
    hd_scope_end(scope, NULL);
}

TEST(compose, diff)
{
    const int scope = hd_scope_begin();
    hd_array *x = hd_square(t_ramp(SHAPE(2, 4), HD_INT64));
    CHECK(is(hd_diff(x, 1, -1), "[[ 1  3  5]\n [ 9 11 13]]"));
    CHECK(is(hd_diff(x, 2, 1), "[[2 2]\n [2 2]]"));
    CHECK(is(hd_diff(x, 1, 0), "[[16 24 32 40]]"));
    CHECK(hd_size(hd_diff(x, 99, 1)) == 0);
    CHECK(is(hd_diff(hd_less(x, hd_int(4)), 1, 1), "[[False  True False]\n [False False False]]"));
    hd_array *same = hd_diff(x, 0, 1);
    CHECK(hd_size(same) == 8 && !hd_may_share(same, x));
    CHECK(hd_diff(x, -1, 1) == NULL && hd_error_take(NULL) == HD_VALUE);
    CHECK(hd_diff(hd_zeros(SCALAR_SHAPE, HD_INT8), 1, 0) == NULL && hd_error_take(NULL) == HD_AXIS);
    hd_scope_end(scope, NULL);
}
