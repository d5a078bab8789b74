/* SPDX-License-Identifier: BSD-3-Clause */
/* test_again.c - a pending elementwise result recorded once more in another shape: which can be,
 * what comes of it, and that neither the first recording nor its operands are disturbed. */
#include "base/lock.h"
#include "ops/index/again.h"
#include "support.h"

RECORDS_SMALL_WORK

static bool can_again(const hd_array *x)
{
    hdi_lock();
    bool can = hdi_can_again(x);
    hdi_unlock();
    return can;
}

/* Elements from `from` on, as rows of `width`. */
static hd_array *again(const hd_array *x, int64_t from, int64_t rows, int64_t width)
{
    hdi_lock();
    return hdi_done(hdi_again(x, from, 2, (int64_t[]){rows, width}), "again");
}

/* Is every part of x, made again, what x is when it is computed afterwards? */
static bool same_again(hd_array *x)
{
    const int64_t n = hd_size(x), rows = n / 4;
    if (!can_again(x))
        return false;
    hd_array *front = again(x, 0, rows, 4), *rest = again(x, n - 3, 1, 3);
    bool same = front != NULL && rest != NULL && hd_ndim(front) == 2;
    for (int64_t i = 0; i < 4 * rows && same; i++)
        same = t_value(front, i) == t_value(x, i);
    for (int64_t i = 0; i < 3 && same; i++)
        same = t_value(rest, i) == t_value(x, n - 3 + i);
    return same;
}

TEST(again, chains_of_dense_arrays_and_single_elements)
{
    int scope = hd_scope_begin();
    hd_array *x = t_ramp(SHAPE(5, 7), HD_FLOAT32), *y = t_ramp_from(-9, SHAPE(5, 7), HD_INT16);
    hd_array *one = t_ramp_from(3, SCALAR_SHAPE, HD_FLOAT64);
    CHECK(same_again(hd_greater(x, hd_int(11))));
    CHECK(same_again(hd_add(x, y)));
    CHECK(same_again(hd_multiply(hd_add(x, y), hd_subtract(x, one))));
    CHECK(same_again(hd_where(hd_less(x, y), x, hd_negative(x))));
    hd_array *sum = hd_sum(x, HD_ALL_AXES, NULL, 0);   /* pending as well: it is read */
    CHECK(same_again(hd_greater(x, sum)));
    hd_array *running = hd_cumsum(x, 1, HD_NO_DTYPE, NULL);
    CHECK(same_again(hd_multiply(running, x)));
    hd_scope_end(scope, NULL);
}

TEST(again, what_cannot_be)
{
    int scope = hd_scope_begin();
    hd_array *x = t_ramp(SHAPE(6, 8), HD_FLOAT64), *row = t_ramp(SHAPE(8), HD_FLOAT64);
    CHECK(!can_again(x));                                       /* there already */
    CHECK(!can_again(hd_add(x, row)));                          /* repeats */
    CHECK(!can_again(hd_add(t_slice(x, ALL, SLICE(0, 8, 2)), hd_int(1))));
    CHECK(!can_again(hd_transpose(hd_add(x, x), NULL)));
    CHECK(!can_again(hd_sum(x, AXES(0), 0)));
    CHECK(!can_again(hd_arange(hd_int(0), hd_int(1), 40, HD_NO_DTYPE)));
    hd_array *long_one = hd_add(x, hd_int(1));
    for (int k = 0; k < 8; k++)
        long_one = hd_add(long_one, hd_int(k));
    CHECK(!can_again(long_one));
    hd_array *y = hd_add(x, hd_int(1));
    CHECK(can_again(y) && hd_eval(y) == HD_OK && !can_again(y));
    hd_scope_end(scope, NULL);
}

TEST(again, what_was_read_is_what_it_was)
{
    int scope = hd_scope_begin();
    hd_array *x = t_ramp(SHAPE(40), HD_FLOAT64), *y = hd_add(x, hd_int(1));
    hd_array *part = t_slice(x, SLICE(0, 10, 1)), *whole = hd_add(x, hd_int(2));
    CHECK(can_again(y) && can_again(whole));
    CHECK(hd_assign(part, hd_int(7), HD_CAST_SAME_KIND) == HD_OK);
    CHECK(!can_again(y) && t_value(y, 3) == 4);          /* x is another one by now */
    hd_array *z = hd_multiply(whole, hd_int(2));
    CHECK(hd_assign(whole, hd_int(0), HD_CAST_SAME_KIND) == HD_OK);
    CHECK(same_again(whole) && t_value(whole, 5) == 0);
    CHECK(t_value(z, 5) == 14 && t_value(x, 5) == 7 && t_value(x, 15) == 15);
    hd_scope_end(scope, NULL);
}

TEST(again, a_full_window_refuses)
{
    int scope = hd_scope_begin();
    hd_array *x = t_ramp(SHAPE(40), HD_FLOAT64), *kept[180], *y = NULL;
    int refused = 0;
    for (int k = 0; k < 180; k++) {
        kept[k] = hd_add(x, hd_int(k));
        if (can_again(kept[k]))
            CHECK((y = again(kept[k], 8, 4, 8)) != NULL);
        else
            refused++;
    }
    CHECK(refused > 0 && refused < 150);
    for (int k = 0; k < 180; k++)
        CHECK(t_value(kept[k], 9) == 9 + k);
    hd_scope_end(scope, NULL);
}
