/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_linalg_solve.c - one matrix at a time: equations, inverses, determinants, Cholesky factors,
 * least squares. */
#include <math.h>

#include "backend/cpu/cpu_linalg.h"

/* buffers */
enum { A, B, PIVOTS, S = PIVOTS };

/* ---- solve, inv ------------------------------------------------------------------------------ */

static void plan_solve(hdi_cpu_la *p)
{
    int64_t n = p->n, k = p->x->op == HD_OP_inv ? n : p->k;
    hdi_cpu_la_reserve(p, A, n * n * p->size);
    hdi_cpu_la_reserve(p, B, n * k * p->size);
    hdi_cpu_la_reserve(p, PIVOTS, n * (int64_t)sizeof(int));
}

static int solve(const hdi_cpu_la *p, int64_t batch, uint8_t *memory)
{
    void *a = hdi_cpu_la_buffer(p, memory, A), *b = hdi_cpu_la_buffer(p, memory, B);
    hdi_cpu_la_pull(p, 0, batch, a, p->n);
    hdi_cpu_la_pull(p, 1, batch, b, p->n);
    int info = hdi_lapack_gesv(p->z, p->n, p->k, a, hdi_cpu_la_buffer(p, memory, PIVOTS), b);
    if (info == 0)
        hdi_cpu_la_push(p, 0, batch, b, p->n);
    return info;
}

static int inv(const hdi_cpu_la *p, int64_t batch, uint8_t *memory)
{
    void *a = hdi_cpu_la_buffer(p, memory, A), *b = hdi_cpu_la_buffer(p, memory, B);
    hdi_cpu_la_pull(p, 0, batch, a, p->n);
    hdi_cpu_la_identity(p, b, p->n);
    int info = hdi_lapack_gesv(p->z, p->n, p->n, a, hdi_cpu_la_buffer(p, memory, PIVOTS), b);
    if (info == 0)
        hdi_cpu_la_push(p, 0, batch, b, p->n);
    else if (p->x->payload.la & HDI_LA_NAN) {
        hdi_cpu_la_fill(p, 0, batch, NAN);
        return 0;
    }
    return info;
}

const hdi_cpu_routine hdi_cpu_la_solve = {plan_solve, solve, "Singular matrix"};
const hdi_cpu_routine hdi_cpu_la_inv = {plan_solve, inv, "Singular matrix"};

/* ---- det, slogdet ---------------------------------------------------------------------------- */

static void plan_det(hdi_cpu_la *p)
{
    int64_t n = p->n;
    hdi_cpu_la_reserve(p, A, n * n * p->size);
    hdi_cpu_la_reserve(p, PIVOTS, n * (int64_t)sizeof(int));
}

/* Sign and logarithm of the product of n numbers that are `step` apart. */
static double log_product(const double *a, int64_t n, int64_t step, double *sign)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        double x = a[i * step];
        *sign = x < 0 ? -*sign : *sign;
        sum += log(fabs(x));
    }
    return sum;
}

static double log_product_complex(const double *a, int64_t n, int64_t step, double *sign)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        const double *z = a + 2 * i * step;
        double size = hypot(z[0], z[1]), re = sign[0], im = sign[1], x = z[0] / size,
               y = z[1] / size;
        sign[0] = re * x - im * y;
        sign[1] = re * y + im * x;
        sum += log(size);
    }
    return sum;
}

/* det is sign times exp(logdet), as NumPy's. */
static int det(const hdi_cpu_la *p, int64_t batch, uint8_t *memory)
{
    void *a = hdi_cpu_la_buffer(p, memory, A);
    int *pivots = hdi_cpu_la_buffer(p, memory, PIVOTS);
    double sign[2] = {1, 0}, logdet = -INFINITY;
    hdi_cpu_la_pull(p, 0, batch, a, p->n);
    int info = p->n > 0 ? hdi_lapack_getrf(p->z, p->n, a, pivots) : 0;
    for (int i = 0; i < p->n; i++)
        sign[0] = pivots[i] != i + 1 ? -sign[0] : sign[0];
    if (info != 0)
        sign[0] = 0;
    else if (p->z)
        logdet = log_product_complex(a, p->n, p->n + 1, sign);
    else
        logdet = log_product(a, p->n, p->n + 1, sign);
    if (p->x->op == HD_OP_slogdet) {
        hdi_cpu_la_push_plain(p, 1, batch, &logdet, 1);
    } else {
        sign[0] *= exp(logdet);
        sign[1] *= exp(logdet);
    }
    hdi_cpu_la_push_plain(p, 0, batch, sign, 1);
    return 0;
}

const hdi_cpu_routine hdi_cpu_la_det = {plan_det, det, ""};

/* ---- cholesky -------------------------------------------------------------------------------- */

static void plan_cholesky(hdi_cpu_la *p)
{
    hdi_cpu_la_reserve(p, A, (int64_t)p->n * p->n * p->size);
}

static int cholesky(const hdi_cpu_la *p, int64_t batch, uint8_t *memory)
{
    void *a = hdi_cpu_la_buffer(p, memory, A);
    int64_t n = p->n;
    bool upper = p->x->payload.la & HDI_LA_UPPER;
    hdi_cpu_la_pull(p, 0, batch, a, n);
    int info = hdi_lapack_potrf(p->z, upper, p->n, a);
    if (info == 0 && upper)
        hdi_cpu_la_push_upper(p, 0, batch, a, n);
    else if (info == 0) {
        for (int64_t column = 1; column < n; column++)   /* above the diagonal */
            memset((uint8_t *)a + column * n * p->size, 0, (size_t)(column * p->size));
        hdi_cpu_la_push(p, 0, batch, a, n);
    }
    return info;
}

const hdi_cpu_routine hdi_cpu_la_cholesky = {plan_cholesky, cholesky,
                                             "Matrix is not positive definite"};

/* ---- lstsq ----------------------------------------------------------------------------------- */

/* LAPACK wants one right-hand side at least. */
static int columns_of(const hdi_cpu_la *p)
{
    return p->k > 0 ? p->k : 1;
}

static void plan_lstsq(hdi_cpu_la *p)
{
    int64_t m = p->m, n = p->n, most = hdi_max64(hdi_max64(m, n), 1);
    double work[2] = {1, 0}, rwork[1] = {0};
    int iwork[1] = {0}, rank;
    hdi_lapack_work ask = {work, rwork, iwork, -1, -1, -1};
    hdi_cpu_la_reserve(p, A, m * n * p->size);
    hdi_cpu_la_reserve(p, B, most * columns_of(p) * p->size);
    hdi_cpu_la_reserve(p, S, p->mn * (int64_t)sizeof(double));
    if (p->mn == 0)
        return;
    hdi_lapack_gelsd(p->z, p->m, p->n, columns_of(p), NULL, NULL, NULL, 0, &rank, &ask);
    hdi_cpu_la_workspace(p, work[0], p->z ? rwork[0] : 0, iwork[0]);
}

/* The sum of squares below row n of column c: what LAPACK leaves of a x - b. */
static double residual(const hdi_cpu_la *p, const void *b, int64_t rows, int64_t c)
{
    const double *at = (const double *)((const uint8_t *)b + (c * rows + p->n) * p->size);
    double sum = 0;
    for (int64_t i = 0; i < (p->m - p->n) * (p->size / 8); i++)
        sum += at[i] * at[i];
    return sum;
}

static int lstsq(const hdi_cpu_la *p, int64_t batch, uint8_t *memory)
{
    void *a = hdi_cpu_la_buffer(p, memory, A), *b = hdi_cpu_la_buffer(p, memory, B);
    double *s = hdi_cpu_la_buffer(p, memory, S);
    const double rcond = p->x->payload.rcond;
    int64_t rows = hdi_max64(p->m, p->n);
    int rank = 0, info = 0;
    hdi_lapack_work work = hdi_cpu_la_work(p, memory);
    hdi_cpu_la_pull(p, 0, batch, a, p->m);
    memset(b, 0, (size_t)(rows * columns_of(p) * p->size));
    hdi_cpu_la_pull(p, 1, batch, b, rows);
    if (!hdi_cpu_la_finite(p, a, (int64_t)p->m * p->n))
        return CPU_NOT_CONVERGED;
    if (p->mn > 0)
        info = hdi_lapack_gelsd(p->z, p->m, p->n, columns_of(p), a, b, s, rcond, &rank, &work);
    if (info != 0)
        return info;
    hdi_cpu_la_push(p, 0, batch, b, rows);
    hdi_cpu_la_push_plain(p, 3, batch, s, p->mn);
    memcpy(p->part[2].at, &rank, sizeof rank);
    for (int64_t c = 0; c < p->k; c++) {
        double sum = rank == p->n && p->m >= p->n ? residual(p, b, rows, c) : NAN;
        uint64_t element[2];
        hdi_encode_f64(p->part[1].dt, sum, 0, element);
        memcpy(p->part[1].at + c * hdi_itemsize(p->part[1].dt), element,
               (size_t)hdi_itemsize(p->part[1].dt));
    }
    return 0;
}

const hdi_cpu_routine hdi_cpu_la_lstsq = {plan_lstsq, lstsq,
                                          "SVD did not converge in Linear Least Squares"};
