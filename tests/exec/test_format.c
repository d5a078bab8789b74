/* SPDX-License-Identifier: BSD-3-Clause */
/* test_format.c - arrays as text; tests/python/test_format.py has them beside NumPy's. */
#include <stdio.h>
#include <string.h>

#include "support.h"

static int is(const hd_array *x, const hd_format_options *o, const char *want)
{
    char *text = hd_format(x, o);
    const int same = text != NULL && strcmp(text, want) == 0;
    if (!same)
        fprintf(stderr, "%s\nis not\n%s\n", text != NULL ? text : hd_error_peek()->message, want);
    hd_free_text(text);
    return same;
}

static hd_array *count_to(int64_t n, hd_dtype dt)
{
    hd_array *start = hd_int(0), *step = hd_int(1), *x = hd_arange(start, step, n, dt);
    hd_release(start);
    hd_release(step);
    return x;
}

TEST(format, what_is_pending_and_views)
{
    const int64_t shape[2] = {2, 3};
    hd_array *x = count_to(6, HD_FLOAT64), *m = hd_reshape(x, 2, shape, 'C');
    hd_array *t = hd_transpose(m, NULL), *y = hd_multiply(t, t), *s = hd_sum(y, HD_ALL_AXES, NULL, 0);
    CHECK(is(y, NULL, "[[ 0.  9.]\n [ 1. 16.]\n [ 4. 25.]]"));
    CHECK(is(t, NULL, "[[0. 3.]\n [1. 4.]\n [2. 5.]]"));
    CHECK(is(s, NULL, "55.0"));
    hd_array *all[] = {x, m, t, y, s};
    for (int i = 0; i < 5; i++)
        hd_release(all[i]);
}

TEST(format, within_a_scope)
{
    hd_array *x = count_to(100000, HD_INT64);
    const int scope = hd_scope_begin();
    CHECK(is(x, NULL, "[    0     1     2 ... 99997 99998 99999]"));
    const hd_format_options two = {sizeof two, .edge_items = 2};
    CHECK(is(x, &two, "[    0     1 ... 99998 99999]"));
    hd_scope_end(scope, NULL);
    hd_release(x);
}

TEST(format, options_of_an_older_program)
{
    hd_array *x = hd_linspace(0, 1, 4, 1, HD_FLOAT64);
    const hd_format_options first = {offsetof(hd_format_options, line_width), .precision = 2,
                                     .line_width = -7};
    CHECK(is(x, &first, "[0.   0.33 0.67 1.  ]"));
    hd_release(x);
}

TEST(format, what_is_refused)
{
    CHECK(hd_format(NULL, NULL) == NULL);
    hd_error_take(NULL);
    CHECK(hd_print(NULL) != HD_OK);
    hd_error_take(NULL);
}
