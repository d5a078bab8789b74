/* SPDX-License-Identifier: BSD-3-Clause */
/* test_view.c - views against brute force: slices as Python's slice.indices() has them, reshape,
 * diagonal and the rest; they record nothing and compute nothing (rule M1). */
#include "core/array.h"
#include "support.h"
#include "window/window.h"

RECORDS_SMALL_WORK

/* ---- slices ---------------------------------------------------------------------------------- */

/* slice(start, stop, step).indices(n), as the Python reference defines it: positions one by one. */
static int64_t positions_of(int64_t start, int64_t stop, int64_t step, int64_t n, int64_t *out)
{
    int64_t count = 0, by = step == HD_NONE ? 1 : step;
    int64_t from = start, to = stop;
    if (from == HD_NONE)
        from = by > 0 ? 0 : n - 1;
    else if (from < 0)
        from = from + n < 0 ? (by > 0 ? 0 : -1) : from + n;
    else if (from >= n)
        from = by > 0 ? n : n - 1;
    if (to == HD_NONE)
        to = by > 0 ? n : -1;
    else if (to < 0)
        to = to + n < 0 ? (by > 0 ? 0 : -1) : to + n;
    else if (to >= n)
        to = by > 0 ? n : n - 1;
    for (int64_t i = from; by > 0 ? i < to : i > to; i += by) {
        out[count++] = i;
        if (by > n || by < -n)
            break;
    }
    return count;
}

static int64_t random_bound(int64_t n)
{
    static const int64_t far_away[] = {INT64_MAX, INT64_MIN + 1, 1000, -1000, INT64_MAX - 1};
    switch (t_below(8)) {
    case 0:  return HD_NONE;
    case 1:  return far_away[t_below(5)];
    default: return t_between(-n - 3, n + 3);
    }
}

static int64_t random_step(void)
{
    static const int64_t far_away[] = {INT64_MAX, INT64_MIN + 1, 50, -50, HD_NONE};
    int64_t step = t_below(5) == 0 ? far_away[t_below(5)] : t_between(-4, 4);
    return step == 0 ? 1 : step;
}

TEST(slice, picks_what_python_picks)
{
    for (int64_t n = 0; n <= 9; n++) {
        hd_array *x = t_ramp(SHAPE(n), HD_INT64);
        for (int repeat = 0; repeat < 600; repeat++) {
            int64_t start = random_bound(n), stop = random_bound(n), step = random_step(), want[16];
            int64_t count = positions_of(start, stop, step, n, want);
            hd_array *v = t_slice(x, SLICE(start, stop, step));
            REQUIRE(v != NULL);
            CHECK_EQ_I64(hd_size(v), count);
            CHECK(hd_same_memory(v, x));
            for (int64_t k = 0; k < count && k < hd_size(v); k++)
                CHECK_NEAR(t_value(v, k), (double)want[k], 0);
            hd_release(v);
        }
        hd_release(x);
    }
    CHECK(t_clean());
}

/* Slices of slices in two axes, with integers and new axes between, against index arithmetic on
 * the original. */
TEST(slice, of_slices)
{
    enum { R = 7, C = 5 };
    hd_array *x = t_ramp(SHAPE(R, C), HD_INT32);
    for (int repeat = 0; repeat < 400; repeat++) {
        int64_t rows[2][16], cols[2][16], n[2], m[2];
        int64_t s[2][6];
        hd_array *v = hd_alias(x);
        for (int level = 0; level < 2; level++) {
            int64_t *q = s[level], high = level == 0 ? R : n[0], wide = level == 0 ? C : m[0];
            for (int k = 0; k < 6; k++)
                q[k] = k % 3 == 2 ? random_step() : random_bound(high);
            n[level] = positions_of(q[0], q[1], q[2], high, rows[level]);
            m[level] = positions_of(q[3], q[4], q[5], wide, cols[level]);
            hd_array *w =
                t_slice(v, SLICE(q[0], q[1], q[2]), NEWAXIS, ELLIPSIS, SLICE(q[3], q[4], q[5]));
            hd_release(v);
            v = hd_squeeze(w, 1, (const int[]){1});
            hd_release(w);
        }
        CHECK_EQ_I64(hd_size(v), n[1] * m[1]);
        for (int64_t i = 0; i < n[1]; i++)
            for (int64_t j = 0; j < m[1]; j++)
                CHECK_NEAR(t_value(v, i * m[1] + j),
                           (double)(rows[0][rows[1][i]] * C + cols[0][cols[1][j]]), 0);
        hd_release(v);
    }
    hd_release(x);
}

TEST(slice, integers_ellipsis_and_new_axes)
{
    hd_array *x = t_ramp(SHAPE(2, 3, 4), HD_INT64);
    hd_array *v = t_slice(x, AT(-1), ELLIPSIS, AT(1));
    CHECK(hd_ndim(v) == 1 && t_equals(v, 13, 17, 21));
    hd_release(v);
    v = t_slice(x, AT(1), AT(2), AT(3));
    CHECK(hd_ndim(v) == 0 && hd_size(v) == 1 && t_equals(v, 23));
    CHECK(hd_same_memory(v, x) && !(hd_flags(v) & HD_SCALAR));
    hd_release(v);
    v = t_slice(x, NEWAXIS, ELLIPSIS, NEWAXIS);
    CHECK(hd_ndim(v) == 5 && hd_shape(v)[0] == 1 && hd_shape(v)[4] == 1 && hd_shape(v)[2] == 3);
    hd_release(v);
    v = hd_slice(x, 0, NULL);
    CHECK(hd_ndim(v) == 3 && hd_offset(v) == 0);
    hd_release(v);
    CHECK(t_slice(x, AT(2)) == NULL && t_failed(HD_INDEX));
    CHECK(t_slice(x, AT(-3)) == NULL && t_failed(HD_INDEX));
    CHECK(t_slice(x, ALL, AT(3)) == NULL && t_failed(HD_INDEX));
    CHECK(t_slice(x, AT(INT64_MAX)) == NULL && t_failed(HD_INDEX));
    CHECK(t_slice(x, AT(INT64_MIN)) == NULL && t_failed(HD_INDEX));
    CHECK(t_slice(x, ALL, ALL, ALL, ALL) == NULL && t_failed(HD_INDEX));
    CHECK(t_slice(x, ELLIPSIS, ELLIPSIS) == NULL && t_failed(HD_INDEX));
    CHECK(t_slice(x, SLICE(0, 1, 0)) == NULL && t_failed(HD_VALUE));
    CHECK(hd_slice(NULL, 0, NULL) == NULL && t_failed(HD_VALUE));
    hd_release(x);
}

TEST(slice, of_nothing_may_have_any_strides)
{
    hd_array *x = t_ramp(SHAPE(4), HD_INT64);
    hd_array *none = hd_as_strided(x, SHAPE(3, 0), (const int64_t[]){INT64_MAX / 2, 8}, 0);
    REQUIRE(none != NULL);
    hd_array *v = t_slice(none, AT(2)), *w = t_slice(none, SLICE(HD_NONE, HD_NONE, -1));
    CHECK(hd_size(v) == 0 && hd_size(w) == 0);
    hd_release(v);
    hd_release(w);
    hd_release(none);
    hd_release(x);
}

/* ---- reshape --------------------------------------------------------------------------------- */

/* A random view of x in up to three axes, dense or not. */
static hd_array *random_view(const hd_array *x)
{
    hd_index items[4];
    int nd = hd_ndim(x), axes[4];
    for (int a = 0; a < nd; a++) {
        items[a] = t_below(3) ? ALL : SLICE(t_below(2), HD_NONE, t_below(3) ? 1 : 2);
        if (t_below(6) == 0)
            items[a] = SLICE(HD_NONE, HD_NONE, -1);
        axes[a] = a;
    }
    for (int a = nd - 1; a > 0 && t_below(2); a--) {
        int b = (int)t_below(a + 1), t = axes[a];
        axes[a] = axes[b];
        axes[b] = t;
    }
    hd_array *v = hd_slice(x, nd, items), *t = hd_transpose(v, axes);
    hd_release(v);
    return t;
}

/* A random factorization of size, with ones here and there. */
static int random_shape(int64_t size, int64_t *dims)
{
    int nd = 0;
    while (size > 1 && nd < 4) {
        int64_t f = t_between(1, size);
        while (size % f != 0)
            f--;
        dims[nd++] = f;
        size /= f;
    }
    if (size > 1 || nd == 0 || t_below(4) == 0)
        dims[nd++] = size;
    return nd;
}

/* Is there a view? Only if elements that follow each other in an axis lie one fixed distance
 * apart: brute force over all elements. */
static bool view_exists(const hd_array *x, int nd, const int64_t *dims, const int64_t *at)
{
    int64_t size = hd_size(x), below = 1;
    (void)x;
    for (int a = nd - 1; a >= 0; below *= dims[a--]) {
        int64_t step = 0;
        bool known = false;
        for (int64_t k = 0; k < size; k++) {
            if (k / below % dims[a] == 0)
                continue;
            int64_t d = at[k] - at[k - below];
            if (known && d != step)
                return false;
            step = d;
            known = true;
        }
    }
    return true;
}

static void address_list(const hd_array *x, int64_t *at)
{
    for (int64_t k = 0; k < hd_size(x); k++) {
        int64_t rest = k;
        at[k] = hd_offset(x);
        for (int a = hd_ndim(x) - 1; a >= 0; a--) {
            at[k] += rest % hd_shape(x)[a] * hd_strides(x)[a];
            rest /= hd_shape(x)[a];
        }
    }
}

TEST(reshape, is_a_view_exactly_when_one_exists)
{
    int views = 0, copies = 0;
    for (int repeat = 0; repeat < 3000; repeat++) {
        int64_t shape[3] = {t_between(1, 4), t_between(1, 4), t_between(1, 6)}, dims[8], at[128],
                got[128];
        hd_array *base = t_ramp(3, shape, HD_INT32), *x = random_view(base);
        int64_t size = hd_size(x);
        int nd = size > 0 ? random_shape(size, dims) : 0;
        if (size == 0) {
            hd_release(base);
            hd_release(x);
            continue;
        }
        address_list(x, at);
        hd_array *v = hd_reshape_view(x, nd, dims);
        CHECK((v != NULL) == view_exists(x, nd, dims, at));
        CHECK(v != NULL ? t_clean() : t_failed(HD_VALUE));
        if (v != NULL) {
            address_list(v, got);
            CHECK(memcmp(at, got, sizeof *at * (size_t)size) == 0);
        }
        hd_array *r = hd_reshape(x, nd, dims, 'C');
        CHECK(hd_same_memory(r, x) == (v != NULL));
        for (int64_t k = 0; k < size; k++)
            CHECK_NEAR(t_value(r, k), t_value(x, k), 0);
        views += v != NULL;
        copies += v == NULL;
        hd_release(v);
        hd_release(r);
        hd_release(x);
        hd_release(base);
    }
    CHECK(views > 500 && copies > 300);
}

TEST(reshape, works_out_one_extent)
{
    hd_array *x = t_ramp(SHAPE(4, 3), HD_INT64), *v = hd_reshape(x, SHAPE(2, -1, 2), 'C');
    CHECK(hd_shape(v)[1] == 3);
    hd_release(v);
    v = hd_reshape(x, SHAPE(6, 2), 'F');
    for (int64_t i = 0; i < 6; i++)
        for (int64_t j = 0; j < 2; j++) {
            int64_t k = i + 6 * j;   /* number of the element in Fortran order, in both */
            CHECK_NEAR(t_value(v, i * 2 + j), (double)(k % 4 * 3 + k / 4), 0);
        }
    hd_release(v);
    CHECK(hd_reshape(x, SHAPE(5, -1), 'C') == NULL && t_failed(HD_VALUE));
    CHECK(hd_reshape(x, SHAPE(-1, -1), 'C') == NULL && t_failed(HD_VALUE));
    CHECK(hd_reshape(x, SHAPE(3, 5), 'C') == NULL && t_failed(HD_VALUE));
    CHECK(hd_reshape(x, SHAPE(0, -1), 'C') == NULL && t_failed(HD_VALUE));
    CHECK(hd_reshape(x, SCALAR_SHAPE, 'C') == NULL && t_failed(HD_VALUE));
    hd_release(x);
    hd_array *none = hd_empty(SHAPE(0, 3), HD_INT64);
    v = hd_reshape(none, SHAPE(5, -1), 'C');
    CHECK(v != NULL && hd_shape(v)[1] == 0);
    hd_release(v);
    hd_release(none);
    hd_array *one = t_ramp(SHAPE(1, 1), HD_INT64);
    v = hd_reshape(one, SCALAR_SHAPE, 'C');
    CHECK(hd_ndim(v) == 0 && hd_same_memory(v, one));
    hd_release(v);
    hd_release(one);
    CHECK(t_clean());
}

/* ---- the others ------------------------------------------------------------------------------ */

TEST(view, diagonal)
{
    enum { N = 4, M = 6 };
    hd_array *x = t_ramp(SHAPE(N, 2, M), HD_INT64);
    for (int64_t offset = -N - 1; offset <= M + 1; offset++) {
        hd_array *d = hd_diagonal(x, offset, 0, -1);
        int64_t count = 0;
        for (int64_t i = 0; i < N; i++)
            count += i + offset >= 0 && i + offset < M;
        CHECK(hd_ndim(d) == 2 && hd_shape(d)[0] == 2);
        CHECK_EQ_I64(hd_shape(d)[1], count);
        for (int64_t p = 0; p < 2; p++)
            for (int64_t q = 0, i = offset < 0 ? -offset : 0; q < count; q++, i++)
                CHECK_NEAR(t_value(d, p * count + q), (double)(i * 2 * M + p * M + i + offset), 0);
        CHECK(!(hd_flags(d) & HD_WRITEABLE));
        hd_release(d);
    }
    hd_array *d = hd_diagonal(x, INT64_MIN, 0, 1);
    CHECK(d != NULL && hd_size(d) == 0);
    hd_release(d);
    CHECK(hd_diagonal(x, 0, 1, 1) == NULL && t_failed(HD_VALUE));
    CHECK(hd_diagonal(x, 0, 0, 3) == NULL && t_failed(HD_AXIS));
    hd_release(x);
}

TEST(view, transpose_squeeze_expand)
{
    hd_array *x = t_ramp(SHAPE(2, 1, 3), HD_INT64), *t = hd_transpose(x, (const int[]){-1, 0, 1}),
             *s, *e;
    CHECK(hd_shape(t)[0] == 3 && hd_shape(t)[1] == 2 && hd_shape(t)[2] == 1);
    CHECK(t_equals(t, 0, 3, 1, 4, 2, 5));
    CHECK(hd_transpose(x, (const int[]){0, 0, 1}) == NULL && t_failed(HD_VALUE));
    CHECK(hd_transpose(x, (const int[]){0, 1, 3}) == NULL && t_failed(HD_AXIS));
    s = hd_squeeze(t, -1, NULL);
    CHECK(hd_ndim(s) == 2);
    CHECK(hd_squeeze(x, AXES(0)) == NULL && t_failed(HD_VALUE));
    e = hd_expand_dims(s, AXES(0, -1));
    CHECK(hd_ndim(e) == 4 && hd_shape(e)[0] == 1 && hd_shape(e)[3] == 1 && hd_shape(e)[1] == 3);
    CHECK(hd_expand_dims(s, AXES(1, -3)) == NULL && t_failed(HD_VALUE));
    CHECK(hd_expand_dims(s, AXES(4)) == NULL && t_failed(HD_AXIS));
    hd_array *all[] = {x, t, s, e};
    for (int k = 0; k < 4; k++)
        hd_release(all[k]);
}

TEST(view, parts_of_complex_numbers)
{
    double data[6] = {1, 10, 2, 20, 3, 30};
    hd_array *z = hd_from_data(SHAPE(3), NULL, HD_COMPLEX128, data), *re = hd_real(z),
             *im = hd_imag(z);
    CHECK(hd_dtype_of(re) == HD_FLOAT64 && hd_strides(re)[0] == 16 && hd_offset(im) == 8);
    CHECK(!hd_may_share(re, im) && hd_may_share(re, z) && hd_may_share(im, z));
    CHECK(hd_assign(im, re, HD_CAST_SAME_KIND) == HD_OK);
    CHECK(t_equals(im, 1, 2, 3) && t_equals(re, 1, 2, 3));
    hd_array *x = t_ramp(SHAPE(2), HD_FLOAT32), *same = hd_real(x), *zero = hd_imag(x);
    CHECK(hd_same_memory(same, x) && !hd_same_memory(zero, x));
    CHECK(t_all(zero, 0.0) && !(hd_flags(zero) & HD_WRITEABLE));
    hd_array *all[] = {z, re, im, x, same, zero};
    for (int k = 0; k < 6; k++)
        hd_release(all[k]);
}

TEST(view, imag_of_reals_is_on_their_device)
{
    hd_device *before = hd_device_swap(hd_device_get("null"));
    hd_array *x = hd_zeros(SHAPE(2), HD_FLOAT32), *weak = hd_float(1);
    hd_device_set_current(hd_device_get("cpu"));
    hd_array *zero = hd_imag(x), *none = hd_imag(NULL);
    CHECK(zero != NULL && hd_device_of(zero) == hd_device_of(x));
    CHECK(hd_device_of(zero) == hd_device_get("null"));
    CHECK(none == NULL && t_failed(HD_VALUE));
    CHECK(hd_imag(weak) == NULL && t_failed(HD_VALUE));
    hd_array *all[] = {x, zero, weak};
    for (int k = 0; k < 3; k++)
        hd_release(all[k]);
    hd_device_set_current(before);
}

TEST(view, other_dtype)
{
    hd_array *x = t_ramp(SHAPE(2, 4), HD_INT32), *b = hd_view(x, HD_UINT8),
             *w = hd_view(x, HD_INT64), *f = hd_view(x, HD_FLOAT32);
    CHECK(hd_shape(b)[1] == 16 && hd_shape(w)[1] == 2 && hd_shape(f)[1] == 4);
    CHECK_NEAR(t_value(b, 4), 1, 0);
    CHECK_NEAR(t_value(w, 0), 4294967296.0, 0);
    hd_array *t = hd_transpose(x, NULL), *odd = t_slice(x, ALL, SLICE(0, 3, 1)),
             *shifted = t_slice(x, ALL, SLICE(1, 3, 1));
    CHECK(hd_view(t, HD_INT64) == NULL && t_failed(HD_VALUE));
    CHECK(hd_view(odd, HD_INT64) == NULL && t_failed(HD_VALUE));
    hd_array *unaligned = hd_view(shifted, HD_INT64);
    CHECK(unaligned != NULL && !(hd_flags(unaligned) & HD_ALIGNED));
    CHECK(hd_flags(shifted) & HD_ALIGNED);
    CHECK_NEAR(t_value(unaligned, 1), 6 * 4294967296.0 + 5, 0);
    CHECK(hd_view(x, HD_DTYPE_COUNT) == NULL && t_failed(HD_DTYPE));
    hd_array *all[] = {x, b, w, f, t, odd, shifted, unaligned};
    for (int k = 0; k < 8; k++)
        hd_release(all[k]);
}

TEST(view, as_strided_stays_inside)
{
    hd_array *x = t_ramp(SHAPE(10), HD_INT64),
             *v = hd_as_strided(x, SHAPE(4, 3), (const int64_t[]){16, 8}, 8);
    CHECK(t_equals(v, 1, 2, 3, 3, 4, 5, 5, 6, 7, 7, 8, 9));
    CHECK(hd_as_strided(x, SHAPE(4, 3), (const int64_t[]){16, 8}, 16) == NULL &&
          t_failed(HD_VALUE));
    CHECK(hd_as_strided(x, SHAPE(2), (const int64_t[]){-8}, 0) == NULL && t_failed(HD_VALUE));
    hd_array *between = hd_as_strided(x, SHAPE(2), (const int64_t[]){4}, 12);
    CHECK(!(hd_flags(between) & HD_ALIGNED));
    CHECK_NEAR(t_value(between, 0), 2 * 4294967296.0, 0);
    CHECK_NEAR(t_value(between, 1), 2, 0);
    CHECK(hd_as_strided(x, SHAPE(2), (const int64_t[]){INT64_MIN}, 0) == NULL && !t_clean());
    CHECK(hd_as_strided(x, SHAPE(2), (const int64_t[]){INT64_MAX}, 0) == NULL && !t_clean());
    hd_array *last = t_slice(x, SLICE(9, 10, 1)),
             *back = hd_as_strided(last, SHAPE(10), (const int64_t[]){-8}, 0);
    CHECK_NEAR(t_value(back, 9), 0, 0);
    hd_array *all[] = {x, v, last, back, between};
    for (int k = 0; k < 5; k++)
        hd_release(all[k]);
}

/* ---- rule M1 --------------------------------------------------------------------------------- */

TEST(view, records_nothing_and_forces_nothing)
{
    hd_array *x = t_ramp(SHAPE(4, 6), HD_COMPLEX128), *y = hd_add(x, x);   /* pending */
    hd_stats before = t_stats(NULL);
    CHECK(before.pending > 0);
    hd_array *v[] = {hd_alias(y),
                     t_slice(y, SLICE(1, 3, 1), AT(2)),
                     hd_transpose(y, NULL),
                     hd_reshape(y, SHAPE(8, 3), 'C'),
                     hd_broadcast_to(y, SHAPE(2, 4, 6)),
                     hd_diagonal(y, 1, 0, 1),
                     hd_real(y),
                     hd_imag(y),
                     hd_view(y, HD_FLOAT64),
                     hd_expand_dims(y, AXES(0)),
                     hd_squeeze(y, -1, NULL),
                     hd_as_strided(y, SHAPE(2), (const int64_t[]){16}, 0)};
    hd_stats after = t_stats(NULL);
    CHECK_EQ_I64(after.records, before.records);
    CHECK_EQ_I64(after.flushes, before.flushes);
    CHECK_EQ_I64(after.pending, before.pending);
    for (size_t k = 0; k < sizeof v / sizeof *v; k++) {
        CHECK(v[k] != NULL && hd_same_memory(v[k], y));
        hd_release(v[k]);
    }
    hd_release(x);
    hd_release(y);
    CHECK(t_clean());
}

TEST(view, weak_scalars_have_none)
{
    hd_array *n = hd_int(3);
    CHECK(hd_alias(n) == NULL && t_failed(HD_VALUE));
    CHECK(hd_slice(n, 0, NULL) == NULL && t_failed(HD_VALUE));
    CHECK(hd_transpose(n, NULL) == NULL && t_failed(HD_VALUE));
    CHECK(hd_broadcast_to(n, SHAPE(2)) == NULL && t_failed(HD_VALUE));
    CHECK(hd_view(n, HD_UINT64) == NULL && t_failed(HD_VALUE));
    CHECK(hd_as_strided(n, SHAPE(1), (const int64_t[]){8}, 0) == NULL && t_failed(HD_VALUE));
    hd_release(n);
}
