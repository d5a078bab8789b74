/* SPDX-License-Identifier: BSD-3-Clause */
/* test_linalg.c - linear algebra through the C interface: results that share one memory, order with
 * stores, what runs when, errors that name the matrix, a stop between matrices. */
#include <heddle/linalg.h>
#include <math.h>

#include "backend/backend.h"
#include "backend/cpu/cpu_blas.h"
#include "core/array.h"
#include "support.h"

/* n x n with a large diagonal, in a batch. */
static hd_array *well_conditioned(int64_t batch, int64_t n, hd_dtype dt)
{
    hd_array *x = hd_remainder(t_ramp_from(1, SHAPE(batch, n, n), HD_INT64), hd_int(7));
    return hd_astype(hd_add(x, hd_multiply(hd_eye(n, n, 0, HD_INT64), hd_int(40))), dt, 'K',
                     HD_CAST_UNSAFE, 1);
}

static double largest(hd_array *x)
{
    hd_value v = {0};
    hd_array *m = hd_max(hd_absolute(x), HD_ALL_AXES, NULL, 0);
    CHECK(m != NULL && hd_item(m, 0, &v) == HD_OK);
    return v.as.f;
}

TEST(linalg, solve_and_inverse)
{
    static const hd_dtype dts[] = {HD_FLOAT64, HD_COMPLEX128, HD_INT32};
    for (int k = 0; k < 3; k++)
        for (int64_t n = 1; n <= 130; n = 2 * n + 1) {
            int scope = hd_scope_begin();
            hd_array *a = well_conditioned(3, n, dts[k]), *b = t_ramp(SHAPE(n, 2), HD_FLOAT64);
            hd_array *x = hd_solve(a, b), *i = hd_inv(a, 0);
            CHECK(largest(hd_subtract(hd_matmul(a, x, NULL), b)) < 1e-9);
            CHECK(largest(hd_subtract(hd_matmul(i, b, NULL), x)) < 1e-9);
            hd_scope_end(scope, NULL);
        }
}

TEST(linalg, several_results_are_arrays_of_their_own)
{
    int scope = hd_scope_begin();
    hd_array *a = well_conditioned(2, 5, HD_FLOAT32), *u, *s, *vh;
    REQUIRE(hd_svd(a, 1, 0, &u, &s, &vh) == HD_OK);
    CHECK(u->st != s->st && s->st != vh->st && u->st != vh->st);
    CHECK(hd_dtype_of(u) == HD_FLOAT32 && hd_dtype_of(s) == HD_FLOAT32);
    hd_array *back = hd_matmul(hd_multiply(u, hd_expand_dims(s, AXES(-2))), vh, NULL);
    CHECK(largest(hd_subtract(back, a)) < 1e-4);
    /* a store to one does not reach the others */
    hd_array *before = hd_add(s, hd_int(0));
    CHECK(hd_assign(u, hd_float(0), HD_CAST_SAME_KIND) == HD_OK);
    CHECK(largest(hd_subtract(before, s)) == 0);
    CHECK(largest(vh) > 0.1);
    hd_scope_end(scope, NULL);
}

TEST(linalg, what_cannot_fail_waits)
{
    int scope = hd_scope_begin(), fusion = hd_set_fusion(2);   /* small ones too */
    hd_array *a = well_conditioned(1, 4, HD_FLOAT64), *q, *r;
    REQUIRE(hd_eval(a) == HD_OK && hd_synchronize(NULL) == HD_OK);
    hd_array *d = hd_det(a);
    REQUIRE(hd_qr(a, HD_QR_COMPLETE, &q, &r) == HD_OK);
    CHECK(hd_flags(d) & HD_PENDING);
    CHECK(hd_flags(q) & HD_PENDING);
    CHECK(hd_assign(a, hd_float(0), HD_CAST_SAME_KIND) == HD_OK);   /* after they were recorded */
    CHECK(largest(d) > 1e6);
    CHECK(largest(hd_matmul(q, r, NULL)) > 40);
    hd_array *i = hd_inv(well_conditioned(1, 4, HD_FLOAT64), 0);
    CHECK(i != NULL && !(hd_flags(i) & HD_PENDING));
    hd_set_fusion(fusion);
    d = hd_det(i);
    CHECK(!(hd_flags(d) & HD_PENDING));   /* LAPACK is open */
    hd_scope_end(scope, NULL);
}

TEST(linalg, errors)
{
    int scope = hd_scope_begin();
    hd_array *a = well_conditioned(5, 3, HD_FLOAT64), *w = a, *v = a;
    CHECK(hd_assign(t_slice(a, AT(2)), hd_float(1), HD_CAST_SAME_KIND) == HD_OK);
    CHECK(hd_inv(a, 0) == NULL);
    CHECK_STR(hd_error_peek()->message, "Singular matrix (matrix 2 of 5)");
    CHECK_STR(hd_error_peek()->where, "inv");
    CHECK(t_failed(HD_LINALG));
    hd_array *i = hd_inv(a, 1);
    CHECK(i != NULL && isnan(largest(t_slice(i, AT(2)))) && largest(t_slice(i, AT(3))) < 1);
    CHECK(hd_cholesky(hd_negative(a), 0) == NULL && t_failed(HD_LINALG));
    CHECK(hd_det(t_slice(a, AT(0), AT(0))) == NULL && t_failed(HD_LINALG));
    CHECK(hd_eig(hd_divide(a, hd_float(0)), &w, &v) == HD_LINALG && w == NULL && v == NULL);
    CHECK(t_failed(HD_LINALG));
    CHECK(hd_eigh(t_ramp(SHAPE(2, 2), HD_FLOAT16), 0, &w, NULL) == HD_DTYPE && t_failed(HD_DTYPE));
    CHECK(hd_solve(a, t_ramp(SHAPE(4), HD_FLOAT64)) == NULL && t_failed(HD_VALUE));
    CHECK(hd_qr(a, (hd_qr_mode)9, &w, &v) == HD_VALUE && t_failed(HD_VALUE));
    hd_scope_end(scope, NULL);
}

static int asked;

static bool stop_at_first(void)
{
    return asked++ == 0;
}

TEST(linalg, stops_between_matrices)
{
    int scope = hd_scope_begin();
    hd_array *a = well_conditioned(4, 100, HD_FLOAT64), *d = hd_det(a);
    REQUIRE(d != NULL && hd_eval(a) == HD_OK);
    bool (*usual)(void) = hdi_poll_interrupt;
    hdi_poll_interrupt = stop_at_first;
    CHECK(hd_eval(d) == HD_INTERRUPTED && t_failed(HD_INTERRUPTED));
    CHECK(hd_eval(d) == HD_OK);
    CHECK_EQ_I64(asked, 1 + 3);
    hdi_poll_interrupt = usual;
    CHECK(largest(d) > 1);
    hd_scope_end(scope, NULL);
}

TEST(linalg, without_a_library)
{
    int scope = hd_scope_begin();
    hd_array *a = well_conditioned(1, 3, HD_FLOAT64);
    hdi_cpu_blas_off(true);
    CHECK(hd_inv(a, 0) == NULL && t_failed(HD_LIBRARY));
    hdi_cpu_blas_off(false);
    CHECK(hd_inv(a, 0) != NULL);
    hd_scope_end(scope, NULL);
}
