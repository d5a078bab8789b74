/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_linalg_factor.c - one matrix at a time: QR, singular values, eigenvalues. */
#include <math.h>

#include "backend/cpu/cpu_linalg.h"

enum { REAL = (int64_t)sizeof(double) };

/* What LAPACK answers a query with. */
typedef struct answer { double work[2], rwork[1]; int iwork[1]; } answer;

static hdi_lapack_work query(answer *a)
{
    *a = (answer){{1}, {0}, {0}};
    return (hdi_lapack_work){a->work, a->rwork, a->iwork, -1, -1, -1};
}

/* ---- qr -------------------------------------------------------------------------------------- */

enum { QR_A, QR_TAU };

static bool wants_q(const hdi_cpu_la *p)
{
    return !(p->x->payload.la & (HDI_LA_R | HDI_LA_RAW));
}

/* q is made where the reflectors are, which may take more columns than they. */
static void plan_qr(hdi_cpu_la *p)
{
    answer a;
    hdi_lapack_work ask = query(&a);
    int columns = wants_q(p) ? (int)p->part[0].dims[1] : p->n;
    hdi_cpu_la_reserve(p, QR_A, (int64_t)p->m * hdi_max64(p->n, columns) * p->size);
    hdi_cpu_la_reserve(p, QR_TAU, p->mn * p->size);
    if (p->mn == 0)
        return;
    hdi_lapack_geqrf(p->z, p->m, p->n, NULL, NULL, &ask);
    hdi_cpu_la_workspace(p, a.work[0], 0, 0);
    if (wants_q(p)) {
        hdi_lapack_orgqr(p->z, p->m, columns, p->mn, NULL, NULL, &ask);
        hdi_cpu_la_workspace(p, a.work[0], 0, 0);
    }
}

static int qr(const hdi_cpu_la *p, int64_t batch, uint8_t *memory)
{
    void *a = hdi_cpu_la_buffer(p, memory, QR_A), *tau = hdi_cpu_la_buffer(p, memory, QR_TAU);
    hdi_lapack_work work = hdi_cpu_la_work(p, memory);
    int info = 0;
    hdi_cpu_la_pull(p, 0, batch, a, p->m);
    if (p->mn > 0)
        info = hdi_lapack_geqrf(p->z, p->m, p->n, a, tau, &work);
    if (info == 0 && p->x->payload.la & HDI_LA_RAW) {
        hdi_cpu_la_push_plain(p, 0, batch, a, (int64_t)p->m * p->n);
        hdi_cpu_la_push_plain(p, 1, batch, tau, p->mn);
        return 0;
    }
    if (info == 0)
        hdi_cpu_la_push_upper(p, p->nparts - 1, batch, a, p->m);
    if (info != 0 || !wants_q(p))
        return info;
    int columns = (int)p->part[0].dims[1];
    if (p->mn > 0)
        info = hdi_lapack_orgqr(p->z, p->m, columns, p->mn, a, tau, &work);
    else if (columns > 0)   /* complete, of a matrix without columns */
        hdi_cpu_la_identity(p, a, columns);
    hdi_cpu_la_push(p, 0, batch, a, p->m);
    return info;
}

const hdi_cpu_routine hdi_cpu_la_qr = {
    plan_qr, qr, "Incorrect argument found while performing QR factorization"};

/* ---- svd ------------------------------------------------------------------------------------- */

enum { SVD_A, SVD_S, SVD_U, SVD_VT };

static char svd_job(const hdi_cpu_la *p)
{
    return !(p->x->payload.la & HDI_LA_VECTORS) ? 'N' : p->x->payload.la & HDI_LA_FULL ? 'A' : 'S';
}

static void plan_svd(hdi_cpu_la *p)
{
    answer a;
    hdi_lapack_work ask = query(&a);
    bool vectors = svd_job(p) != 'N';
    double mn = p->mn, mx = p->m > p->n ? p->m : p->n;
    int vt_rows = vectors ? (int)p->part[2].dims[0] : 1;
    hdi_cpu_la_reserve(p, SVD_A, (int64_t)p->m * p->n * p->size);
    hdi_cpu_la_reserve(p, SVD_S, p->mn * REAL);
    hdi_cpu_la_reserve(p, SVD_U, vectors ? p->m * p->part[0].dims[1] * p->size : 0);
    hdi_cpu_la_reserve(p, SVD_VT, vectors ? vt_rows * (int64_t)p->n * p->size : 0);
    if (p->mn == 0)
        return;
    hdi_lapack_gesdd(p->z, svd_job(p), p->m, p->n, NULL, NULL, NULL, NULL, vt_rows, &ask);
    /* The real workspace of zgesdd is not part of the answer: its documentation has the formula. */
    double lrwork = vectors ? mn * fmax(5 * mn + 7, 2 * mx + 2 * mn + 1) : 7 * mn;
    hdi_cpu_la_workspace(p, a.work[0], p->z ? lrwork : 0, 8 * mn);
}

/* NumPy's answer to inf without nan, where values alone are asked for, is nan; else it is an
 * error. */
static int svd_not_finite(const hdi_cpu_la *p, int64_t batch, const double *a)
{
    int64_t n = (int64_t)p->m * p->n * (p->size / REAL);
    for (int64_t i = 0; i < n; i++)
        if (isnan(a[i]))
            return CPU_NOT_CONVERGED;
    if (svd_job(p) != 'N')
        return CPU_NOT_CONVERGED;
    hdi_cpu_la_fill(p, 0, batch, NAN);
    return 0;
}

static int svd(const hdi_cpu_la *p, int64_t batch, uint8_t *memory)
{
    void *a = hdi_cpu_la_buffer(p, memory, SVD_A), *u = hdi_cpu_la_buffer(p, memory, SVD_U),
         *vt = hdi_cpu_la_buffer(p, memory, SVD_VT);
    double *s = hdi_cpu_la_buffer(p, memory, SVD_S);
    hdi_lapack_work work = hdi_cpu_la_work(p, memory);
    bool vectors = svd_job(p) != 'N';
    int vt_rows = vectors ? (int)p->part[2].dims[0] : 1, info = 0;
    hdi_cpu_la_pull(p, 0, batch, a, p->m);
    if (!hdi_cpu_la_finite(p, a, (int64_t)p->m * p->n))
        return svd_not_finite(p, batch, a);
    if (p->mn > 0) {
        info = hdi_lapack_gesdd(p->z, svd_job(p), p->m, p->n, a, s, u, vt, vt_rows, &work);
    } else if (vectors) {
        hdi_cpu_la_identity(p, u, p->part[0].dims[1]);
        hdi_cpu_la_identity(p, vt, vt_rows);
    }
    if (info != 0)
        return info;
    hdi_cpu_la_push_plain(p, vectors ? 1 : 0, batch, s, p->mn);
    if (vectors) {
        hdi_cpu_la_push(p, 0, batch, u, p->m);
        hdi_cpu_la_push(p, 2, batch, vt, vt_rows);
    }
    return 0;
}

const hdi_cpu_routine hdi_cpu_la_svd = {plan_svd, svd, "SVD did not converge"};

/* ---- eigh, and svd by it --------------------------------------------------------------------- */

enum { EIGH_A, EIGH_W, EIGH_VT, EIGH_ORDER };

static void plan_eigh(hdi_cpu_la *p)
{
    answer a;
    hdi_lapack_work ask = query(&a);
    hdi_cpu_la_reserve(p, EIGH_A, (int64_t)p->n * p->n * p->size);
    hdi_cpu_la_reserve(p, EIGH_W, p->n * REAL);
    if (p->n == 0)
        return;
    hdi_lapack_eigh(p->z, p->x->payload.la & HDI_LA_VECTORS, false, p->n, NULL, NULL, &ask);
    hdi_cpu_la_workspace(p, a.work[0], p->z ? a.rwork[0] : 0, a.iwork[0]);
}

/* In the triangle that LAPACK reads. */
static bool triangle_finite(const hdi_cpu_la *p, const uint8_t *a)
{
    bool upper = p->x->payload.la & HDI_LA_UPPER;
    for (int64_t c = 0; c < p->n; c++) {
        int64_t first = upper ? 0 : c, end = upper ? c + 1 : p->n;
        if (!hdi_cpu_la_finite(p, a + (c * p->n + first) * p->size, end - first))
            return false;
    }
    return true;
}

static int decompose(const hdi_cpu_la *p, int64_t batch, uint8_t *memory)
{
    hdi_lapack_work work = hdi_cpu_la_work(p, memory);
    void *a = hdi_cpu_la_buffer(p, memory, EIGH_A);
    hdi_cpu_la_pull(p, 0, batch, a, p->n);
    /* up to 2 rows LAPACK takes no steps that could fail to converge */
    if (p->n > 2 && !triangle_finite(p, a))
        return CPU_NOT_CONVERGED;
    return p->n == 0 ? 0
                     : hdi_lapack_eigh(p->z, p->x->payload.la & HDI_LA_VECTORS,
                                       p->x->payload.la & HDI_LA_UPPER, p->n, a,
                                       hdi_cpu_la_buffer(p, memory, EIGH_W), &work);
}

static int eigh(const hdi_cpu_la *p, int64_t batch, uint8_t *memory)
{
    int info = decompose(p, batch, memory);
    if (info != 0)
        return info;
    hdi_cpu_la_push_plain(p, 0, batch, hdi_cpu_la_buffer(p, memory, EIGH_W), p->n);
    if (p->x->payload.la & HDI_LA_VECTORS)
        hdi_cpu_la_push(p, 1, batch, hdi_cpu_la_buffer(p, memory, EIGH_A), p->n);
    return 0;
}

const hdi_cpu_routine hdi_cpu_la_eigh = {plan_eigh, eigh, "Eigenvalues did not converge"};

static void plan_hermitian_svd(hdi_cpu_la *p)
{
    plan_eigh(p);
    hdi_cpu_la_reserve(p, EIGH_VT, (int64_t)p->n * p->n * p->size);
    hdi_cpu_la_reserve(p, EIGH_ORDER, p->n * (int64_t)sizeof(int));
}

/* Places of rising eigenvalues by falling absolute value: the largest is at one of the ends. */
static void order_by_size(const double *w, int n, int *order)
{
    int low = 0, high = n - 1;
    for (int i = 0; i < n; i++)
        order[i] = fabs(w[low]) > fabs(w[high]) ? low++ : high--;
}

/* Column c of the eigenvectors as row c of vt: conjugated, with the sign of the eigenvalue. */
static void put_vector(const hdi_cpu_la *p, const double *column, double sign, double *vt)
{
    int64_t parts = p->size / REAL;
    for (int64_t i = 0; i < p->n; i++) {
        vt[i * p->n * parts] = sign * column[i * parts];
        if (p->z)
            vt[i * p->n * parts + 1] = -sign * column[i * parts + 1];
    }
}

/* The singular values of a Hermitian matrix are the sizes of its eigenvalues; signs go to vh. u is
 * pushed column by column through vt's memory, which is free again by then. */
static int hermitian_svd(const hdi_cpu_la *p, int64_t batch, uint8_t *memory)
{
    int *order = hdi_cpu_la_buffer(p, memory, EIGH_ORDER), info = decompose(p, batch, memory);
    const double *w = hdi_cpu_la_buffer(p, memory, EIGH_W);
    uint8_t *a = hdi_cpu_la_buffer(p, memory, EIGH_A), *vt = hdi_cpu_la_buffer(p, memory, EIGH_VT);
    bool vectors = p->x->payload.la & HDI_LA_VECTORS;
    int64_t column = p->n * p->size;
    if (info != 0)
        return info;
    order_by_size(w, p->n, order);
    for (int64_t i = 0; i < p->n; i++) {
        double s = fabs(w[order[i]]);
        uint64_t element[2];
        const hdi_part *part = &p->part[vectors];
        int64_t item = hdi_itemsize(part->dt);
        hdi_encode_f64(part->dt, s, 0, element);
        memcpy(part->at + batch * part->bytes + i * item, element, (size_t)item);
    }
    if (!vectors)
        return 0;
    for (int64_t i = 0; i < p->n; i++)
        put_vector(p, (const double *)(const void *)(a + order[i] * column),
                   copysign(1, w[order[i]]), (double *)(void *)(vt + i * p->size));
    hdi_cpu_la_push(p, 2, batch, vt, p->n);
    for (int64_t i = 0; i < p->n; i++)
        memcpy(vt + i * column, a + order[i] * column, (size_t)column);
    hdi_cpu_la_push(p, 0, batch, vt, p->n);
    return 0;
}

const hdi_cpu_routine hdi_cpu_la_hermitian_svd = {plan_hermitian_svd, hermitian_svd,
                                                  "Eigenvalues did not converge"};

/* ---- eig ------------------------------------------------------------------------------------- */

enum { EIG_A, EIG_W, EIG_V, EIG_Z };

static void plan_eig(hdi_cpu_la *p)
{
    answer a;
    hdi_lapack_work ask = query(&a);
    int64_t n = p->n, vectors = p->x->payload.la & HDI_LA_VECTORS ? n * n : 0;
    hdi_cpu_la_reserve(p, EIG_A, n * n * p->size);
    hdi_cpu_la_reserve(p, EIG_W, 2 * n * REAL);
    hdi_cpu_la_reserve(p, EIG_V, vectors * p->size);
    /* of a real matrix: its eigenvalues, then its eigenvectors, as complex numbers */
    hdi_cpu_la_reserve(p, EIG_Z, p->z ? 0 : hdi_max64(n, vectors) * 2 * REAL);
    if (n == 0)
        return;
    hdi_lapack_geev(p->z, vectors > 0, p->n, NULL, NULL, NULL, &ask);
    hdi_cpu_la_workspace(p, a.work[0], p->z ? 2.0 * p->n : 0, 0);
}

static void put_number(double *z, int64_t at, double re, double im)
{
    z[2 * at] = re;
    z[2 * at + 1] = im;
}

/* A pair of conjugate eigenvalues has one column for the real parts of its vectors and one for the
 * imaginary parts. */
static void join_pairs(int64_t n, const double *wi, const double *v, double *z)
{
    for (int64_t c = 0; c < n; c++) {
        const double *re = v + c * n, *im = re + n;
        bool pair = wi[c] != 0 && c + 1 < n;
        for (int64_t i = 0; i < n; i++)
            put_number(z, c * n + i, re[i], pair ? im[i] : 0);
        for (int64_t i = 0; i < n && pair; i++)
            put_number(z, (c + 1) * n + i, re[i], -im[i]);
        c += pair;
    }
}

static int eig(const hdi_cpu_la *p, int64_t batch, uint8_t *memory)
{
    void *a = hdi_cpu_la_buffer(p, memory, EIG_A), *v = hdi_cpu_la_buffer(p, memory, EIG_V);
    double *w = hdi_cpu_la_buffer(p, memory, EIG_W), *z = hdi_cpu_la_buffer(p, memory, EIG_Z);
    hdi_lapack_work work = hdi_cpu_la_work(p, memory);
    bool vectors = p->x->payload.la & HDI_LA_VECTORS;
    int64_t n = p->n;
    hdi_cpu_la_pull(p, 0, batch, a, n);
    if (!hdi_cpu_la_finite(p, a, n * n))
        return CPU_NOT_FINITE;
    int info = n > 0 ? hdi_lapack_geev(p->z, vectors, p->n, a, w, v, &work) : 0;
    if (info != 0)
        return info;
    for (int64_t i = 0; i < n && !p->z; i++)
        put_number(z, i, w[i], w[n + i]);
    hdi_cpu_la_push_plain(p, 0, batch, p->z ? w : z, n);
    if (vectors && !p->z)
        join_pairs(n, w + n, v, z);
    if (vectors)
        hdi_cpu_la_push(p, 1, batch, p->z ? v : z, n);
    return 0;
}

const hdi_cpu_routine hdi_cpu_la_eig = {plan_eig, eig, "Eigenvalues did not converge"};
