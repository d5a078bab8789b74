/* SPDX-License-Identifier: BSD-3-Clause */
/* test_index.c - reading and writing through index arrays against brute force; indices are
 * checked at the call. */
#include "support.h"

static hd_array *indices(int64_t n, const int64_t *values)
{
    return hd_from_data(1, &n, NULL, HD_INT64, values);
}

/* x[i, j, :] over random matrices of indices, one of them broadcast, negative ones among them. */
TEST(take, like_brute_force)
{
    for (int repeat = 0; repeat < 100; repeat++) {
        int scope = hd_scope_begin(), n = (int)t_between(1, 3);
        int64_t dims[3] = {t_between(1, 5), t_between(1, 5), t_between(1, 5)},
                places[2] = {t_between(1, 4), t_between(1, 4)};
        int64_t value[3][16], nd[3];
        hd_array *x = t_ramp(3, dims, HD_INT32), *index[3];
        for (int k = 0; k < n; k++) {
            nd[k] = k == 1 && t_below(2) ? 1 : 2;   /* a row of indices repeats */
            int64_t count = nd[k] == 1 ? places[1] : places[0] * places[1];
            for (int64_t i = 0; i < count; i++)
                value[k][i] = t_between(-dims[k], dims[k] - 1);
            index[k] = hd_from_data((int)nd[k], places + 2 - nd[k], NULL, HD_INT64, value[k]);
        }
        if (t_below(2))   /* pending, and of another dtype */
            index[0] = hd_astype(hd_add(index[0], hd_int(0)), HD_INT16, 'K', HD_CAST_UNSAFE, 1);
        hd_array *from = t_below(2) ? x : hd_transpose(hd_copy(hd_transpose(x, NULL), 'C'), NULL);
        hd_array *r = hd_take(from, n, (const hd_array *const *)index);
        REQUIRE(r != NULL);
        int64_t trail = 1;
        for (int a = n; a < 3; a++)
            trail *= dims[a];
        CHECK_EQ_I64(hd_ndim(r), 2 + 3 - n);
        CHECK_EQ_I64(hd_size(r), places[0] * places[1] * trail);
        for (int64_t p = 0; p < places[0] * places[1]; p++)
            for (int64_t t = 0; t < trail; t++) {
                int64_t at = 0;
                for (int k = 0; k < n; k++) {
                    int64_t v = value[k][nd[k] == 1 ? p % places[1] : p];
                    at = at * dims[k] + (v < 0 ? v + dims[k] : v);
                }
                CHECK_NEAR(t_value(r, p * trail + t), (double)(at * trail + t), 0);
            }
        hd_scope_end(scope, NULL);
    }
}

TEST(take, checks_at_the_call)
{
    int scope = hd_scope_begin();
    hd_array *x = t_ramp(SHAPE(4, 3), HD_FLOAT64), *high = indices(1, (int64_t[]){4}),
             *low = indices(1, (int64_t[]){-5});
    hd_array *fine = indices(2, (int64_t[]){-4, 3}), *three = indices(3, (int64_t[]){0, 1, 2});
    CHECK(hd_take(x, 1, (const hd_array *const[]){high}) == NULL && t_failed(HD_INDEX));
    CHECK(hd_take(x, 1, (const hd_array *const[]){low}) == NULL && t_failed(HD_INDEX));
    /* the second axis has three */
    CHECK(hd_take(x, 2, (const hd_array *const[]){fine, fine}) == NULL && t_failed(HD_INDEX));
    CHECK(hd_take(x, 2, (const hd_array *const[]){fine, three}) == NULL && t_failed(HD_INDEX));
    CHECK(hd_take(x, 3, (const hd_array *const[]){fine, fine, fine}) == NULL && t_failed(HD_INDEX));
    CHECK(hd_take(x, 0, NULL) == NULL && t_failed(HD_INDEX));
    CHECK(hd_take(x, 1, (const hd_array *const[]){x}) == NULL && t_failed(HD_INDEX));
    hd_array *pending = hd_add(three, hd_int(5)),
             *huge = hd_full(SHAPE(1), hd_uint(UINT64_MAX), HD_UINT64);
    CHECK(hd_take(x, 1, (const hd_array *const[]){pending}) == NULL && t_failed(HD_INDEX));
    /* wraps to -1, as NumPy's does */
    CHECK(t_equals(hd_take(x, 1, (const hd_array *const[]){huge}), 9, 10, 11));
    CHECK(hd_put(x, 1, (const hd_array *const[]){high}, hd_int(1), HD_CAST_UNSAFE) == HD_INDEX &&
          t_failed(HD_INDEX));
    CHECK_NEAR(t_value(x, 0), 0, 0);
    hd_array *r = hd_take(x, 1, (const hd_array *const[]){hd_int(-1)});
    CHECK(hd_ndim(r) == 1 && t_equals(r, 9, 10, 11));
    hd_array *none = indices(0, (int64_t[]){0});
    CHECK(hd_size(hd_take(x, 1, (const hd_array *const[]){none})) == 0);
    hd_scope_end(scope, NULL);
}

TEST(put, the_last_one_wins)
{
    int scope = hd_scope_begin();
    hd_array *x = hd_zeros(SHAPE(4, 2), HD_FLOAT32), *at = indices(3, (int64_t[]){1, 3, -3}),
             *rows = t_ramp_from(1, SHAPE(3, 2), HD_FLOAT64);
    CHECK(hd_put(x, 1, (const hd_array *const[]){at}, rows, HD_CAST_SAME_KIND) == HD_OK);
    CHECK(t_equals(x, 0, 0, 5, 6, 0, 0, 3, 4));
    CHECK(hd_put(x, 2, (const hd_array *const[]){at, hd_int(0)}, hd_int(9), HD_CAST_SAME_KIND) ==
          HD_OK);
    CHECK(t_equals(x, 0, 0, 9, 6, 0, 0, 9, 4));
    CHECK(hd_put(x, 1, (const hd_array *const[]){at}, t_ramp(SHAPE(3), HD_FLOAT32),
                 HD_CAST_SAME_KIND) == HD_SHAPE &&
          t_failed(HD_SHAPE));
    CHECK(hd_put(t_ramp(SHAPE(4), HD_INT8), 1, (const hd_array *const[]){at}, rows, HD_CAST_SAFE) ==
              HD_CAST &&
          t_failed(HD_CAST));
    hd_set_writeable(x, 0);
    CHECK(hd_put(x, 1, (const hd_array *const[]){at}, hd_int(1), HD_CAST_UNSAFE) == HD_READONLY &&
          t_failed(HD_READONLY));
    hd_scope_end(scope, NULL);
}

/* Through a view of a pending array, and with values that come from the array itself. */
TEST(put, into_views_and_from_itself)
{
    int scope = hd_scope_begin();
    hd_array *x = hd_add(t_ramp(SHAPE(8), HD_INT64), hd_int(0)), *odd = t_slice(x, SLICE(1, 8, 2)),
             *before = hd_add(x, x);
    hd_array *swap = indices(4, (int64_t[]){3, 2, 1, 0});
    CHECK(hd_put(odd, 1, (const hd_array *const[]){swap}, odd, HD_CAST_UNSAFE) == HD_OK);
    CHECK(t_equals(x, 0, 7, 2, 5, 4, 3, 6, 1));
    CHECK(t_equals(before, 0, 2, 4, 6, 8, 10, 12, 14));
    hd_array *r = hd_take(odd, 1, (const hd_array *const[]){swap});
    hd_assign(odd, hd_int(0), HD_CAST_UNSAFE);   /* after the read */
    CHECK(t_equals(r, 1, 3, 5, 7) && t_equals(x, 0, 0, 2, 0, 4, 0, 6, 0));
    hd_scope_end(scope, NULL);
}

TEST(nonzero, positions_in_c_order)
{
    int scope = hd_scope_begin();
    hd_array *x = hd_remainder(t_ramp(SHAPE(3, 4), HD_INT64), hd_int(3)), *axes[2];
    CHECK(hd_nonzero(x, axes) == HD_OK);
    CHECK(t_equals(axes[0], 0, 0, 1, 1, 1, 2, 2, 2) && t_equals(axes[1], 1, 2, 0, 1, 3, 0, 2, 3));
    hd_array *picked = hd_take(x, 2, (const hd_array *const *)axes);
    CHECK(t_equals(picked, 1, 2, 1, 2, 1, 2, 1, 2));
    hd_array *t = hd_transpose(x, NULL);
    CHECK(hd_nonzero(t, axes) == HD_OK && t_equals(axes[0], 0, 0, 1, 1, 2, 2, 3, 3) &&
          t_equals(axes[1], 1, 2, 0, 1, 0, 2, 1, 2));
    CHECK(hd_nonzero(hd_zeros(SHAPE(3, 4), HD_FLOAT64), axes) == HD_OK && hd_size(axes[0]) == 0 &&
          hd_size(axes[1]) == 0);
    CHECK(hd_nonzero(hd_empty(SHAPE(0, 2), HD_BOOL), axes) == HD_OK && hd_size(axes[1]) == 0);
    hd_scope_end(scope, NULL);
}

TEST(extract, elements_in_c_order)
{
    int scope = hd_scope_begin();
    hd_array *x = t_ramp(SHAPE(3, 4), HD_INT32), *odd = hd_equal(hd_remainder(x, hd_int(2)), hd_int(1)),
             *long_one = t_ramp(SHAPE(200000), HD_INT64), *late = hd_greater(long_one, hd_int(199996));
    CHECK(t_equals(hd_extract(odd, x), 1, 3, 5, 7, 9, 11));
    CHECK(t_equals(hd_extract(hd_transpose(odd, NULL), hd_transpose(x, NULL)), 1, 5, 9, 3, 7, 11));
    CHECK(t_equals(hd_extract(late, long_one), 199997, 199998, 199999));
    CHECK(hd_size(hd_extract(hd_zeros(SHAPE(3, 4), HD_BOOL), x)) == 0);
    CHECK(hd_size(hd_extract(hd_zeros(SHAPE(0), HD_BOOL), hd_zeros(SHAPE(0), HD_FLOAT64))) == 0);
    CHECK(hd_extract(x, x) == NULL && t_failed(HD_VALUE));
    CHECK(hd_extract(hd_zeros(SHAPE(4), HD_BOOL), x) == NULL && t_failed(HD_VALUE));
    hd_scope_end(scope, NULL);
}

/* A place that is named twice counts twice; the view may lie anyhow. */
TEST(at, repeats_places)
{
    int scope = hd_scope_begin();
    hd_array *x = hd_zeros(SHAPE(3, 4), HD_INT8), *t = hd_transpose(x, NULL),
             *rows = hd_from_data(1, (int64_t[]){3}, NULL, HD_INT64, (int64_t[]){2, 2, -4});
    CHECK(hd_at(HD_OP_add, t, 1, (const hd_array *const[]){rows}, hd_int(5)) == HD_OK);
    CHECK(t_equals(x, 5, 0, 10, 0, 5, 0, 10, 0, 5, 0, 10, 0));
    CHECK(hd_at(HD_OP_subtract, x, 2, (const hd_array *const[]){hd_remainder(rows, hd_int(3)), rows},
                hd_arange(hd_float(1), hd_float(1.5), 3, HD_FLOAT64)) == HD_OK);
    CHECK(t_equals(x, 5, 0, 10, 0, 5, 0, 10, 0, 1, 0, 6, 0));   /* 10 - 1 - 2.5 is cut off at each step */
    CHECK(hd_at(HD_OP_negative, x, 1, (const hd_array *const[]){rows}, NULL) == HD_INDEX &&
          t_failed(HD_INDEX));
    CHECK(hd_at(HD_OP_add, x, 1, (const hd_array *const[]){rows}, NULL) == HD_VALUE &&
          t_failed(HD_VALUE));
    CHECK(hd_at(HD_OP_clip, x, 1, (const hd_array *const[]){rows}, x) == HD_VALUE &&
          t_failed(HD_VALUE));
    hd_scope_end(scope, NULL);
}

/* Few places lie ready: written within the call, unless an index is out of range, or somebody else
 * holds the old elements. */
TEST(put, of_few)
{
    int scope = hd_scope_begin();
    const int64_t places[3] = {2, -1, 2}, beyond[2] = {0, 5};
    hd_array *x = hd_zeros(SHAPE(5), HD_INT64), *values = t_ramp(SHAPE(3), HD_INT64);
    const hd_array *at[] = {indices(3, places)}, *high[] = {indices(2, beyond)};
    CHECK(hd_eval(x) == HD_OK && hd_is_writeable(x));
    CHECK(hd_put(x, 1, at, hd_int(-4), HD_CAST_UNSAFE) == HD_OK);
    CHECK(t_equals(x, 0, 0, -4, 0, -4));
    hd_array *before = hd_copy(x, 'K');
    CHECK(hd_put(x, 1, at, values, HD_CAST_UNSAFE) == HD_OK);
    CHECK(t_equals(x, 0, 0, 2, 0, 1) && t_equals(before, 0, 0, -4, 0, -4));
    CHECK(hd_put(x, 1, high, hd_int(9), HD_CAST_UNSAFE) == HD_INDEX && t_failed(HD_INDEX));
    CHECK(t_equals(x, 0, 0, 2, 0, 1));
    CHECK(hd_set_writeable(x, 0) == HD_OK && !hd_is_writeable(x));
    CHECK(!hd_is_writeable(NULL) && t_failed(HD_VALUE));
    hd_scope_end(scope, NULL);
}
