/* SPDX-License-Identifier: BSD-3-Clause */
/* test_views.c - values seen through views of other dtypes while the work on them is pending
 * together. */
#include "support.h"

/* The bits of 1.0, 2.0 and 3.0 as integers, halved so that sums stay in range. */
static const double bits_of[] = {0x3ff0000000000000, 0x4000000000000000, 0x4008000000000000};

TEST(views, bits_are_read_after_values_were_written)
{
    int scope = hd_scope_begin();
    hd_array *x = t_ramp(SHAPE(8), HD_FLOAT64), *bits = hd_view(x, HD_INT64),
             *part = t_slice(x, SLICE(1, 4, 1)), *y, *z;
    hd_array *low = t_slice(bits, SLICE(1, 4, 1)), *three = t_ramp_from(1, SHAPE(3), HD_FLOAT64);
    hd_assign(part, three, HD_CAST_SAME_KIND);
    y = hd_floor_divide(low, hd_int(2));
    z = hd_multiply(part, part);
    CHECK(hd_synchronize(NULL) == HD_OK);
    for (int64_t k = 0; k < 3; k++) {
        CHECK_NEAR(t_value(y, k), bits_of[k] / 2, 0);
        CHECK_NEAR(t_value(z, k), (double)((k + 1) * (k + 1)), 0);
    }
    hd_scope_end(scope, NULL);
}

TEST(views, values_and_bits_are_read_together)
{
    int scope = hd_scope_begin();
    hd_array *x = t_ramp_from(1, SHAPE(3), HD_FLOAT64), *bits = hd_view(x, HD_INT64),
             *two = hd_int(2);
    hd_array *a = hd_add(x, x), *b = hd_floor_divide(bits, two), *c = hd_add(x, two);
    CHECK(hd_synchronize(NULL) == HD_OK);
    CHECK(t_equals(a, 2, 4, 6) && t_equals(c, 3, 4, 5));
    CHECK(t_equals(b, bits_of[0] / 2, bits_of[1] / 2, bits_of[2] / 2));
    hd_scope_end(scope, NULL);
}

/* Written as bits, read as values; then the whole storage is renamed through the other dtype. */
TEST(views, values_are_read_after_bits_were_written)
{
    int scope = hd_scope_begin();
    hd_array *x = t_ramp(SHAPE(4), HD_FLOAT32), *bits = hd_view(x, HD_INT32),
             *one = hd_int(0x3f800000), *y, *z;
    hd_assign(bits, one, HD_CAST_SAME_KIND);
    y = hd_add(x, x);
    hd_inplace(HD_OP_add, bits, hd_int(0x00800000));
    z = hd_add(x, x);
    CHECK(hd_synchronize(NULL) == HD_OK);
    CHECK(t_all(y, 2.0) && t_all(z, 4.0) && t_all(x, 2.0));
    hd_scope_end(scope, NULL);
}

/* Parts of complex numbers: 8 bytes of every 16. */
TEST(views, parts_of_complex_numbers)
{
    int scope = hd_scope_begin();
    hd_array *z = t_ramp(SHAPE(4), HD_COMPLEX128), *re = hd_real(z), *im = hd_imag(z);
    hd_assign(im, re, HD_CAST_SAME_KIND);          /* k + ik */
    hd_array *w = hd_multiply(z, z);               /* 2ik^2 */
    hd_inplace(HD_OP_add, re, im);                 /* 2k + ik */
    hd_array *wi = hd_imag(w), *sum = hd_add(re, im);
    CHECK(hd_synchronize(NULL) == HD_OK);
    CHECK(t_equals(w, 0, 0, 0, 0) && t_equals(wi, 0, 2, 8, 18) && t_equals(sum, 0, 3, 6, 9) &&
          t_equals(z, 0, 2, 4, 6));
    hd_scope_end(scope, NULL);
}

/* Bytes of a wider element: overlapping item sizes. */
TEST(views, other_item_sizes)
{
    int scope = hd_scope_begin();
    hd_array *x = t_ramp(SHAPE(4), HD_INT64), *b = hd_view(x, HD_UINT8), *low, *y;
    low = t_slice(b, SLICE(0, HD_NONE, 8));
    hd_inplace(HD_OP_add, low, hd_int(10));
    y = hd_multiply(x, x);
    hd_array *high = t_slice(b, SLICE(1, HD_NONE, 8));
    hd_assign(high, hd_int(1), HD_CAST_SAME_KIND);
    CHECK(t_equals(y, 100, 121, 144, 169));
    CHECK(t_equals(x, 266, 267, 268, 269));
    hd_scope_end(scope, NULL);
}
