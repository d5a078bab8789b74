/* SPDX-License-Identifier: BSD-3-Clause */
/* test_matmul.c - products of random shapes, memory orders and dtypes against brute force; thin
 * ones are fused reductions, others one library call. */
#include <math.h>

#include "support.h"

/* Small whole numbers: every product is exact in every dtype. */
static hd_array *digits(int nd, const int64_t *dims, hd_dtype dt)
{
    return hd_astype(hd_remainder(t_ramp_from((double)t_below(5), nd, dims, HD_INT64), hd_int(7)),
                     dt, 'K', HD_CAST_UNSAFE, 1);
}

/* The same values in another memory order: transposed, with gaps, backwards. */
static hd_array *scattered(hd_array *x)
{
    int nd = hd_ndim(x);
    hd_array *r = x;
    switch (t_below(4)) {
    case 0:
        return hd_transpose(hd_copy(hd_transpose(x, NULL), 'C'), NULL);
    case 1:
        r = hd_concatenate(2, (const hd_array *const[]){x, x}, nd - 1, HD_NO_DTYPE, NULL);
        return t_slice(r, ELLIPSIS, SLICE(0, hd_shape(x)[nd - 1], 1));
    case 2:
        r = hd_copy(t_slice(x, ELLIPSIS, SLICE(HD_NONE, HD_NONE, -1)), 'C');
        return t_slice(r, ELLIPSIS, SLICE(HD_NONE, HD_NONE, -1));
    default:
        return r;
    }
}

static int64_t batch_at(int64_t b, int nd, const int64_t *batch, const int64_t *own)
{
    int64_t at = 0, below = 1;
    for (int a = nd - 1; a >= 0; a--) {
        int64_t i = b % batch[a];
        b /= batch[a];
        at += (own[a] == 1 ? 0 : i) * below;
        below *= own[a];
    }
    return at;
}

/* (batch, m, k) @ (batch, k, n) with extents of 1 in the batch axes that repeat. */
static void check_product(int nbatch, const int64_t *batch, int64_t m, int64_t k, int64_t n,
                          hd_dtype dt)
{
    int64_t da[4], db[4];
    for (int a = 0; a < nbatch; a++) {
        da[a] = t_below(3) == 0 ? 1 : batch[a];
        db[a] = da[a] != batch[a] ? batch[a] : t_below(3) == 0 ? 1 : batch[a];
    }
    da[nbatch] = m;
    da[nbatch + 1] = db[nbatch] = k;
    db[nbatch + 1] = n;
    int scope = hd_scope_begin();
    hd_array *x = digits(nbatch + 2, da, dt), *y = digits(nbatch + 2, db, dt);
    hd_array *r = hd_matmul(scattered(x), scattered(y), NULL);
    REQUIRE(r != NULL && hd_dtype_of(r) == dt && hd_ndim(r) == nbatch + 2);
    double *vx = malloc(sizeof(double) * (size_t)hd_size(x)),
           *vy = malloc(sizeof(double) * (size_t)hd_size(y));
    CHECK(hd_read(hd_astype(hd_real(x), HD_FLOAT64, 'C', HD_CAST_UNSAFE, 1), vx) == HD_OK);
    CHECK(hd_read(hd_astype(hd_real(y), HD_FLOAT64, 'C', HD_CAST_UNSAFE, 1), vy) == HD_OK);
    int64_t wrong = 0, count = hd_size(r) / (m * n);
    for (int64_t b = 0; b < count; b++) {
        const double *a0 = vx + batch_at(b, nbatch, batch, da) * m * k,
                     *b0 = vy + batch_at(b, nbatch, batch, db) * k * n;
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++) {
                double want = 0;
                for (int64_t p = 0; p < k; p++)
                    want += a0[i * k + p] * b0[p * n + j];
                wrong += t_value(r, (b * m + i) * n + j) != want;
            }
    }
    CHECK_EQ_I64(wrong, 0);
    free(vx);
    free(vy);
    hd_scope_end(scope, NULL);
}

static const hd_dtype dtypes[] = {HD_FLOAT64, HD_FLOAT32,    HD_INT64,
                                  HD_INT32,   HD_COMPLEX128, HD_COMPLEX64};

TEST(matmul, small_shapes_of_every_kind)
{
    for (int repeat = 0; repeat < 120; repeat++) {
        int64_t batch[2] = {t_between(1, 3), t_between(1, 3)};
        check_product((int)t_below(3), batch, t_between(1, 6), t_between(1, 6), t_between(1, 6),
                      dtypes[t_below(6)]);
    }
}

TEST(matmul, one_side_beyond_the_limit_of_thin)
{
    check_product(0, NULL, 40, 3, 5, HD_FLOAT64);
    check_product(0, NULL, 3, 40, 5, HD_FLOAT64);
    check_product(0, NULL, 3, 5, 40, HD_FLOAT32);
    check_product(1, (const int64_t[]){3}, 16, 17, 16, HD_FLOAT64);
}

TEST(matmul, library_calls)
{
    for (int d = 0; d < 6; d++) {
        check_product(0, NULL, 33, 20, 18, dtypes[d]);
        check_product(1, (const int64_t[]){3}, 20, 17, 21, dtypes[d]);
    }
    check_product(2, (const int64_t[]){2, 2}, 17, 40, 1, HD_FLOAT64);
    check_product(0, NULL, 1, 40, 17, HD_FLOAT64);
}

TEST(matmul, vectors)
{
    int scope = hd_scope_begin();
    hd_array *v = t_ramp_from(1, SHAPE(3), HD_FLOAT64), *m = t_ramp(SHAPE(2, 3), HD_FLOAT64),
             *r = hd_matmul(v, v, NULL);
    CHECK(hd_ndim(r) == 0 && (hd_flags(r) & HD_SCALAR) && t_equals(r, 14));
    CHECK(t_equals(hd_matmul(m, v, NULL), 8, 26) &&
          t_equals(hd_matmul(v, hd_transpose(m, NULL), NULL), 8, 26));
    hd_array *batch = t_ramp(SHAPE(2, 2, 3), HD_FLOAT64);
    CHECK(t_equals(hd_matmul(batch, v, NULL), 8, 26, 44, 62));
    hd_array *big = hd_ones(SHAPE(100000), HD_FLOAT64);
    CHECK(t_equals(hd_dot(big, big, NULL), 100000));
    hd_scope_end(scope, NULL);
}

TEST(matmul, mixed_dtypes_and_out)
{
    int scope = hd_scope_begin();
    hd_array *i = t_ramp(SHAPE(2, 2), HD_INT8), *f = t_ramp(SHAPE(2, 2), HD_FLOAT32),
             *b = hd_ones(SHAPE(2, 2), HD_BOOL), *r = hd_matmul(i, f, NULL);
    CHECK(hd_dtype_of(r) == HD_FLOAT32 && t_equals(r, 2, 3, 6, 11));
    r = hd_matmul(b, b, NULL);
    CHECK(hd_dtype_of(r) == HD_BOOL && t_all(r, 1));
    hd_array *out = hd_zeros(SHAPE(2, 2), HD_FLOAT64);
    CHECK(hd_matmul(f, f, out) == out && t_equals(out, 2, 3, 6, 11));
    CHECK(hd_matmul(f, f, f) == f && t_equals(f, 2, 3, 6, 11));   /* out is an input */
    CHECK(hd_matmul(out, out, i) == NULL && t_failed(HD_CAST));
    CHECK(hd_matmul(out, out, hd_zeros(SHAPE(2), HD_FLOAT64)) == NULL && t_failed(HD_SHAPE));
    hd_scope_end(scope, NULL);
}

TEST(matmul, nothing_to_sum)
{
    int scope = hd_scope_begin();
    hd_array *a = hd_empty(SHAPE(2, 0), HD_FLOAT64), *b = hd_empty(SHAPE(0, 3), HD_FLOAT64);
    hd_array *r = hd_matmul(a, b, NULL);
    CHECK(hd_size(r) == 6 && t_all(r, 0));
    CHECK(hd_size(hd_matmul(b, hd_empty(SHAPE(3, 4), HD_FLOAT64), NULL)) == 0);
    hd_array *wide = hd_empty(SHAPE(40, 0), HD_FLOAT64), *tall = hd_empty(SHAPE(0, 40), HD_FLOAT64);
    CHECK(t_all(hd_matmul(wide, tall, NULL), 0));
    hd_scope_end(scope, NULL);
}

TEST(matmul, refuses)
{
    int scope = hd_scope_begin();
    hd_array *a = hd_ones(SHAPE(2, 3), HD_FLOAT64), *v = hd_ones(SHAPE(4), HD_FLOAT64),
             *c = hd_ones(SHAPE(2, 3, 2), HD_FLOAT64);
    hd_array *d = hd_ones(SHAPE(3, 2, 3), HD_FLOAT64);
    CHECK(hd_matmul(a, a, NULL) == NULL && t_failed(HD_SHAPE));
    CHECK(hd_matmul(a, v, NULL) == NULL && t_failed(HD_SHAPE));
    CHECK(hd_matmul(c, d, NULL) == NULL && t_failed(HD_SHAPE));
    CHECK(hd_matmul(a, hd_float(2), NULL) == NULL && t_failed(HD_VALUE));
    CHECK(hd_dot(a, v, NULL) == NULL && t_failed(HD_SHAPE));
    CHECK(hd_dot(d, c, NULL) != NULL || t_failed(HD_SHAPE));
    hd_scope_end(scope, NULL);
}

/* dot of more than two axes: the last axis of a with the last but one of b, for all pairs of the
 * others. */
TEST(dot, of_many_axes)
{
    int scope = hd_scope_begin();
    hd_array *a = t_ramp(SHAPE(2, 2, 3), HD_FLOAT64), *b = t_ramp(SHAPE(2, 3, 2), HD_FLOAT64),
             *r = hd_dot(a, b, NULL);
    REQUIRE(r != NULL && hd_ndim(r) == 4 && hd_size(r) == 16);
    for (int64_t i = 0; i < 4; i++)
        for (int64_t j = 0; j < 2; j++)
            for (int64_t k = 0; k < 2; k++) {
                double want = 0;
                for (int64_t p = 0; p < 3; p++)
                    want += (double)((i * 3 + p) * (j * 6 + p * 2 + k));
                CHECK_NEAR(t_value(r, i * 4 + j * 2 + k), want, 0);
            }
    CHECK(t_equals(hd_dot(t_ramp(SHAPE(2), HD_INT32), hd_int(3), NULL), 0, 3));
    hd_scope_end(scope, NULL);
}

/* Thin products round each term once: x * x summed with one rounding a term. */
TEST(matmul, thin_and_library_agree)
{
    int scope = hd_scope_begin();
    hd_array *x = hd_sin(t_ramp(SHAPE(16, 100), HD_FLOAT64)),
             *y = hd_cos(t_ramp(SHAPE(100, 17), HD_FLOAT64));
    /* 100 > 16: thin */
    hd_array *whole = hd_matmul(x, y, NULL),
             *part = hd_matmul(x, t_slice(y, ALL, SLICE(0, 16, 1)), NULL);
    for (int64_t i = 0; i < 16; i++)
        for (int64_t j = 0; j < 16; j++)
            CHECK_NEAR(t_value(whole, i * 17 + j), t_value(part, i * 16 + j), 1e-13);
    hd_scope_end(scope, NULL);
}
