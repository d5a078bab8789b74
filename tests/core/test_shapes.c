/* SPDX-License-Identifier: BSD-3-Clause */
/* test_shapes.c - broadcasting against brute force, memory order of results, sizes that do not
 * fit, 64 axes. */
#include "core/layouts.h"

static int64_t offset[MOST_ELEMENTS];

/* ---- broadcasting ---------------------------------------------------------------------------- */

/* Right-aligned; extents are equal or 1. Returns nd or -1. */
static int broadcast_by_hand(const hdi_layout *a, const hdi_layout *b, int64_t *dims)
{
    int nd = a->nd > b->nd ? a->nd : b->nd;
    for (int i = 1; i <= nd; i++) {
        int64_t x = i <= a->nd ? a->dims[a->nd - i] : 1, y = i <= b->nd ? b->dims[b->nd - i] : 1;
        if (x != y && x != 1 && y != 1)
            return -1;
        dims[nd - i] = x == 1 ? y : x;
    }
    return nd;
}

TEST(broadcast, extents_equal_brute_force)
{
    int fits = 0;
    for (int repeat = 0; repeat < 5000; repeat++) {
        const hdi_layout *in[2] = {random_layout(8), random_layout(8)};
        int64_t want[HD_MAXDIM], got[HD_MAXDIM];
        int nd = broadcast_by_hand(in[0], in[1], want);
        CHECK_EQ_I64(hdi_broadcast_dims(2, in, got), nd);
        CHECK(nd < 0 ? t_failed(HD_SHAPE) : t_clean());
        for (int a = 0; a < nd; a++)
            CHECK_EQ_I64(got[a], want[a]);
        fits += nd >= 0;
    }
    CHECK(fits > 500 && fits < 4500);
}

/* Element (i, j, ...) of the broadcast layout lies where the original's element (i mod extent,
 * ...) does. */
TEST(broadcast, elements_lie_where_they_lay)
{
    for (int repeat = 0; repeat < 2000; repeat++) {
        hdi_layout *l = random_layout(random_item());
        int lead = (int)t_below(SMALL_AXES - l->nd + 1), nd = l->nd + lead;
        int64_t dims[SMALL_AXES] = {0}, size = 1;
        for (int a = 0; a < nd; a++) {
            bool free_axis = a < lead || l->dims[a - lead] == 1;
            dims[a] = free_axis ? t_between(1, 3) : l->dims[a - lead];
            size *= dims[a];
        }
        hdi_layout *b = hdi_layout_broadcast(l, nd, dims);
        REQUIRE(b != NULL);
        CHECK(b->core == l->core);   /* the same index map, repetition apart */
        CHECK_EQ_I64(b->size, size);
        if (size == 0 || size > MOST_ELEMENTS)
            continue;
        offsets_of(b, offset);
        for (int64_t k = 0; k < size; k++) {
            int64_t rest = k, at = 0;
            for (int a = nd - 1; a >= lead; a--) {
                at += rest % dims[a] % l->dims[a - lead] * hdi_layout_strides(l)[a - lead];
                rest /= dims[a];
            }
            CHECK_EQ_I64(offset[k], at);
        }
    }
}

TEST(broadcast, refuses_what_does_not_fit)
{
    int64_t three = 3, wide[2] = {3, 4}, empty = 0;
    hdi_layout *l = hdi_layout_c(1, &three, 8), *m = hdi_layout_c(2, wide, 8);
    CHECK(hdi_layout_broadcast(l, 2, wide) == NULL && t_failed(HD_SHAPE));
    CHECK(hdi_layout_broadcast(m, 1, &three) == NULL && t_failed(HD_SHAPE));
    CHECK(hdi_layout_broadcast(l, 1, &empty) == NULL && t_failed(HD_SHAPE));
    int64_t one = 1;
    hdi_layout *o = hdi_layout_broadcast(hdi_layout_c(1, &one, 8), 1, &empty);
    REQUIRE(o != NULL);
    CHECK_EQ_I64(o->size, 0);
    CHECK(hdi_layout_broadcast(l, 1, &three) == l);
}

/* ---- memory order of results ----------------------------------------------------------------- */

static const int64_t *k_strides(int nd, const int64_t *dims, int n, const hdi_layout *const *in)
{
    return hdi_layout_strides(hdi_layout_k(nd, dims, 8, n, in));
}

static hdi_layout *f_order(int nd, const int64_t *dims)
{
    int64_t strides[HD_MAXDIM], step = 8;
    for (int a = 0; a < nd; a++) {
        strides[a] = step;
        step *= dims[a];
    }
    return hdi_layout_get(nd, dims, strides, 8);
}

/* What NumPy 2 gives np.add(x, y).strides. */
TEST(order_k, follows_the_operands)
{
    int64_t d[2] = {3, 4}, column[2] = {3, 1}, row[2] = {1, 4};
    hdi_layout *c = hdi_layout_c(2, d, 8), *f = f_order(2, d);
    const int64_t *s = k_strides(2, d, 2, (const hdi_layout *const[]){c, c});
    CHECK(s[0] == 32 && s[1] == 8);
    s = k_strides(2, d, 2, (const hdi_layout *const[]){f, f});
    CHECK(s[0] == 8 && s[1] == 24);
    s = k_strides(2, d, 2, (const hdi_layout *const[]){f, c});
    CHECK(s[0] == 32 && s[1] == 8);
    s = k_strides(2, d, 2, (const hdi_layout *const[]){c, f});
    CHECK(s[0] == 32 && s[1] == 8);
    /* a row says nothing about columns */
    s = k_strides(2, d, 2, (const hdi_layout *const[]){f, hdi_layout_c(1, row + 1, 8)});
    CHECK(s[0] == 8 && s[1] == 24);
    s = k_strides(2, d, 2, (const hdi_layout *const[]){hdi_layout_c(2, column, 8), f});
    CHECK(s[0] == 8 && s[1] == 24);
    s = k_strides(2, d, 2,
                  (const hdi_layout *const[]){hdi_layout_c(2, column, 8), hdi_layout_c(2, row, 8)});
    CHECK(s[0] == 32 && s[1] == 8);
    s = k_strides(2, d, 0, NULL);
    CHECK(s[0] == 32 && s[1] == 8);
}

/* One operand, dense in any order of its axes, turned around or not: the result walks memory in
 * the same order. */
TEST(order_k, of_one_operand_is_its_own)
{
    for (int repeat = 0; repeat < 2000; repeat++) {
        int nd = (int)t_between(2, SMALL_AXES), order[SMALL_AXES];
        int64_t dims[SMALL_AXES], strides[SMALL_AXES], want[SMALL_AXES], step = 8,
                                                                         gaps = t_between(1, 3);
        for (int a = 0; a < nd; a++) {
            int b = (int)t_below(a + 1);
            order[a] = order[b];
            order[b] = a;
            dims[a] = t_between(2, 4);
        }
        for (int i = nd - 1; i >= 0; i--) {
            want[order[i]] = step;
            strides[order[i]] = step * gaps * (t_below(3) ? 1 : -1);
            step *= dims[order[i]];
        }
        const hdi_layout *l = hdi_layout_get(nd, dims, strides, 8);
        const hdi_layout *k = hdi_layout_k(nd, dims, 8, 1, &l), *like = hdi_layout_like(l, 8);
        REQUIRE(k != NULL && like != NULL);
        CHECK(k->dense && like == k);
        for (int a = 0; a < nd; a++)
            CHECK_EQ_I64(hdi_layout_strides(k)[a], want[a]);
    }
}

TEST(order_k, results_are_dense)
{
    for (int repeat = 0; repeat < 3000; repeat++) {
        const hdi_layout *in[2] = {random_layout(8), random_layout(8)};
        int64_t dims[HD_MAXDIM];
        int nd = broadcast_by_hand(in[0], in[1], dims);
        if (nd < 0)
            continue;
        const hdi_layout *k = hdi_layout_k(nd, dims, 8, 2, in);
        REQUIRE(k != NULL);
        CHECK(k->dense && k->lo == 0 && (k->size == 0 || k->zmask == 0));
    }
}

/* ---- sizes that do not fit ------------------------------------------------------------------- */

TEST(shape, sizes_that_do_not_fit)
{
    int64_t bytes, huge[3] = {(int64_t)1 << 31, (int64_t)1 << 31, 2}, edge[2] = {INT64_MAX, 1};
    CHECK(hdi_shape_check(2, huge, 1, &bytes) == HD_OK && bytes == (int64_t)1 << 62);
    CHECK(hdi_shape_check(2, huge, 2, &bytes) == HD_VALUE && t_failed(HD_VALUE));
    CHECK(hdi_shape_check(3, huge, 1, &bytes) == HD_VALUE && t_failed(HD_VALUE));
    CHECK(hdi_shape_check(2, edge, 1, &bytes) == HD_OK && bytes == INT64_MAX);
    CHECK(hdi_shape_check(2, edge, 2, &bytes) == HD_VALUE && t_failed(HD_VALUE));
    /* as NumPy: too big although nothing is in it */
    int64_t empty[3] = {(int64_t)1 << 40, 0, (int64_t)1 << 40};
    CHECK(hdi_shape_check(3, empty, 8, &bytes) == HD_VALUE && t_failed(HD_VALUE));
    int64_t none[2] = {(int64_t)1 << 40, 0};
    CHECK(hdi_shape_check(2, none, 8, &bytes) == HD_OK && bytes == 0);
    int64_t negative[2] = {3, -1};
    CHECK(hdi_shape_check(2, negative, 8, &bytes) == HD_VALUE && t_failed(HD_VALUE));
    CHECK(hdi_shape_check(-1, negative, 8, &bytes) == HD_VALUE && t_failed(HD_VALUE));
    CHECK(hdi_shape_check(HD_MAXDIM + 1, negative, 8, &bytes) == HD_VALUE && t_failed(HD_VALUE));
}

/* Through the public entries: a clear error at the call, and nothing allocated. */
TEST(shape, the_library_refuses_them)
{
    int64_t half = (int64_t)1 << 62;
    int scope = hd_scope_begin();
    hd_array *one = t_ramp(SHAPE(1), HD_FLOAT64), *none = hd_empty(SHAPE(0), HD_FLOAT64);
    CHECK(hd_empty(1, &half, HD_FLOAT64) == NULL && t_failed(HD_VALUE));
    CHECK(hd_zeros(SHAPE(INT64_MAX, INT64_MAX), HD_INT8) == NULL && t_failed(HD_VALUE));
    CHECK(hd_eye((int64_t)1 << 40, (int64_t)1 << 40, 0, HD_FLOAT64) == NULL && t_failed(HD_VALUE));
    CHECK(hd_arange(hd_int(0), hd_int(1), half, HD_INT64) == NULL && t_failed(HD_VALUE));
    CHECK(hd_arange(hd_int(0), hd_int(1), -1, HD_INT64) == NULL && t_failed(HD_VALUE));
    CHECK(hd_linspace(0, 1, -5, 1, HD_FLOAT64) == NULL && t_failed(HD_VALUE));
    CHECK(hd_broadcast_to(one, 1, &half) == NULL && t_failed(HD_VALUE));
    CHECK(hd_broadcast_to(one, SHAPE(INT64_MAX, INT64_MAX)) == NULL && t_failed(HD_VALUE));
    CHECK(hd_as_strided(one, 1, &half, (const int64_t[]){0}, 0) == NULL && t_failed(HD_VALUE));
    CHECK(hd_as_strided(one, SHAPE(3), (const int64_t[]){INT64_MAX / 2}, 0) == NULL &&
          t_failed(HD_SHAPE));
    CHECK(hd_as_strided(one, SHAPE(1), (const int64_t[]){8}, INT64_MAX) == NULL &&
          t_failed(HD_VALUE));
    CHECK(hd_as_strided(one, SHAPE(1), (const int64_t[]){8}, INT64_MIN) == NULL &&
          t_failed(HD_VALUE));
    /* refused or not, but nothing overflows */
    hd_reshape(none, SHAPE((int64_t)1 << 61, 0), 'C');
    hd_error_take(NULL);
    hd_scope_end(scope, NULL);
    CHECK(t_clean());
}

/* Results of sizes that no machine has are recorded like others, since they need not be stored; it
 * is computing them that fails, and what is no longer wanted is dropped. Zeros are refused. */
TEST(shape, too_large_for_this_machine)
{
    int64_t wide = (int64_t)1 << 59;
    hd_array *one = t_ramp(SHAPE(1), HD_FLOAT64), *b = hd_broadcast_to(one, 1, &wide);
    REQUIRE(b != NULL);
    CHECK_EQ_I64(hd_nbytes(b), (int64_t)1 << 62);
    hd_array *sum = hd_add(b, b);
    REQUIRE(sum != NULL);
    CHECK(hd_zeros(SHAPE((int64_t)1 << 60, 4), HD_INT8) == NULL && t_failed(HD_NOMEM));
    CHECK(hd_eval(sum) == HD_NOMEM && t_failed(HD_NOMEM));
    CHECK(hd_eval(sum) == HD_NOMEM && t_failed(HD_NOMEM));
    hd_release(sum);
    hd_array *two = hd_int(2), *small = hd_add(one, two);
    CHECK(t_equals(small, 2.0));
    hd_release(two);
    hd_release(small);
    hd_release(b);
    hd_release(one);
    CHECK(hd_synchronize(NULL) == HD_OK && t_clean());
}

/* ---- 64 axes --------------------------------------------------------------------------------- */

TEST(shape, sixty_four_axes)
{
    int64_t dims[HD_MAXDIM + 1], ones[HD_MAXDIM + 1];
    int axes[HD_MAXDIM];
    for (int a = 0; a <= HD_MAXDIM; a++)
        dims[a] = ones[a] = 1;
    dims[0] = 3;
    dims[31] = 2;
    dims[63] = 5;
    hd_array *x = t_ramp(HD_MAXDIM, dims, HD_INT32), *t = hd_transpose(x, NULL), *y = hd_add(t, t);
    REQUIRE(y != NULL);
    CHECK_EQ_I64(hd_ndim(y), 64);
    CHECK(hd_shape(y)[0] == 5 && hd_shape(y)[32] == 2 && hd_shape(y)[63] == 3);
    CHECK_NEAR(t_value(y, 1), 2.0 * 10, 0);   /* the last axis steps over the first of x */
    for (int a = 0; a < HD_MAXDIM; a++)
        axes[a] = HD_MAXDIM - 1 - a;
    hd_array *s = hd_sum(y, 3, (const int[]){0, 32, 63}, 1), *q = hd_squeeze(y, -1, NULL),
             *back = hd_transpose(y, axes);
    CHECK_EQ_I64(hd_ndim(s), 64);
    CHECK_NEAR(t_value(s, 0), 2.0 * 29 * 30 / 2, 0);
    CHECK_EQ_I64(hd_ndim(q), 3);
    CHECK_EQ_I64(hd_shape(back)[0], 3);
    hd_array *f = hd_reshape(x, HD_MAXDIM, ones, 'C');
    CHECK(f == NULL && t_failed(HD_VALUE));
    CHECK(hd_empty(HD_MAXDIM + 1, ones, HD_INT8) == NULL && t_failed(HD_VALUE));
    CHECK(hd_expand_dims(x, AXES(0)) == NULL && t_failed(HD_VALUE));
    CHECK(t_slice(x, NEWAXIS) == NULL && t_failed(HD_INDEX));
    CHECK(hd_reshape(x, HD_MAXDIM + 1, dims, 'C') == NULL && t_failed(HD_VALUE));
    CHECK(hd_stack(1, (const hd_array *const[]){x}, 0, HD_NO_DTYPE, NULL) == NULL &&
          t_failed(HD_VALUE));
    hd_array *all[] = {x, t, y, s, q, back};
    for (int k = 0; k < 6; k++)
        hd_release(all[k]);
    CHECK(t_clean());
}

TEST(shape, text_of_a_shape)
{
    char text[256];
    CHECK_STR(hdi_shape_text(0, NULL, text, sizeof text), "()");
    CHECK_STR(hdi_shape_text(1, (const int64_t[]){7}, text, sizeof text), "(7,)");
    CHECK_STR(hdi_shape_text(3, (const int64_t[]){2, -1, 0}, text, sizeof text), "(2,-1,0)");
    CHECK_STR(hdi_shape_text(1, (const int64_t[]){INT64_MIN}, text, sizeof text),
              "(-9223372036854775808,)");
    int64_t many[HD_MAXDIM];
    for (int a = 0; a < HD_MAXDIM; a++)
        many[a] = INT64_MAX;
    for (size_t size = 40; size < sizeof text; size++) {
        char guarded[300];
        memset(guarded, '#', sizeof guarded);
        hdi_shape_text(HD_MAXDIM, many, guarded, size);
        CHECK(strlen(guarded) < size && guarded[size] == '#');
    }
}
