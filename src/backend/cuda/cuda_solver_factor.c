/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_solver_factor.c - QR, singular values, eigenvalues. */
#include "backend/cuda/cuda_cub.h"
#include "backend/cuda/cuda_solver_api.h"

/* ---- qr -------------------------------------------------------------------------------------- */

/* Matrices inside: m x n, column by column, `each` elements from one to the next. */
typedef struct inside {
    const hdi_cub_table *together;   /* who does all at once; NULL: cuSOLVER, in turn */
    uint8_t *a, *tau;
    int64_t each;
} inside;

/* A block's memory holds a small one. One alone is not worth it, unless it is so small that what
 * cuSOLVER enqueues takes longest. */
static const hdi_cub_table *together(const hdi_cuda_la *p, int64_t each)
{
    enum { SMALL = 32 };
    bool fits = each * p->size <= HDI_CUB_FACTOR_BYTES && p->d->limits.major >= 8;
    return fits && (p->batches > 1 || p->m <= SMALL) ? hdi_cuda_cub_open() : NULL;
}

/* R and reflectors of m x n; or, of k reflectors, q's first n columns. */
static hd_status factor(hdi_cuda_la *p, const inside *i, int64_t n, int64_t k, bool q)
{
    hd_status status = HD_OK;
    if (i->together != NULL) {
        hdi_cub_call c = {.out = i->a, .out2 = i->tau, .lines = p->batches, .m = p->m, .n = n,
                          .k = k, .step = i->each, .dt = p->dt};
        return hdi_cuda_cub_run(p->d, q ? i->together->orgqr : i->together->geqrf, &c, p->name);
    }
    for (int64_t b = 0; b < p->batches && status == HD_OK; b++) {
        uint8_t *a = i->a + b * i->each * p->size, *tau = i->tau + b * p->mn * p->size;
        status = q ? hdi_solver_orgqr(p, b, p->m, n, k, a, tau)
                   : hdi_solver_geqrf(p, b, p->m, n, a, tau);
    }
    return status;
}

static hd_status give_raw(hdi_cuda_la *p, const inside *i)
{
    hdi_cuda_matrix factors = hdi_cuda_la_columns(i->tau, p->dt, p->mn, p->mn, false);
    hdi_cuda_matrix turned = hdi_cuda_la_columns(i->a, p->dt, p->m, i->each, true);
    hd_status status = hdi_cuda_la_move(p, hdi_cuda_la_result(p, 0), turned, p->n, p->m, 0);
    return status == HD_OK
               ? hdi_cuda_la_move(p, hdi_cuda_la_result(p, 1), factors, p->mn, 1, 0)
               : status;
}

/* q is made where the reflectors are, which may take more columns than they. */
hd_status hdi_cuda_la_qr(hdi_cuda_la *p)
{
    const uint64_t flags = p->x->payload.la;
    bool raw = flags & HDI_LA_RAW, wants_q = !(flags & (HDI_LA_R | HDI_LA_RAW));
    int64_t m = p->m, n = p->n, columns = wants_q ? p->part[0].dims[1] : n;
    inside i = {.each = m * hdi_max64(n, columns)};
    i.a = hdi_cuda_la_borrow(p, p->batches * i.each * p->size);
    i.tau = i.a != NULL ? hdi_cuda_la_borrow(p, p->batches * p->mn * p->size) : NULL;
    if (i.tau == NULL)
        return hd_error_peek()->code;
    if (p->mn == 0)   /* complete, of a matrix without columns */
        return wants_q ? hdi_cuda_la_identity(p, hdi_cuda_la_result(p, 0), m, columns) : HD_OK;
    i.together = together(p, i.each);
    hdi_cuda_matrix a = hdi_cuda_la_columns(i.a, p->dt, m, i.each, false);
    const hdi_part *r = &p->part[p->nparts - 1];
    hd_status status = hdi_cuda_la_move(p, a, hdi_cuda_la_operand(p, 0), m, n, 0);
    if (status == HD_OK)
        status = factor(p, &i, n, 0, false);
    if (status == HD_OK && raw)
        return give_raw(p, &i);
    if (status == HD_OK)
        status = hdi_cuda_la_move(p, hdi_cuda_la_result(p, p->nparts - 1), a, r->dims[0],
                                  r->dims[1], HDI_MOVE_UPPER);
    if (status == HD_OK && wants_q)
        status = factor(p, &i, columns, p->mn, true);
    return status == HD_OK && wants_q
               ? hdi_cuda_la_move(p, hdi_cuda_la_result(p, 0), a, m, columns, 0)
               : status;
}

/* ---- svd ------------------------------------------------------------------------------------- */

/* cuSOLVER decomposes matrices of at least as many rows as columns, column by column. Of others it
 * gets the transpose, which is what C order is to it: a^T = u' s v'^H means that vh is u'
 * transposed and u is v' conjugated. */
typedef struct svd {
    bool turned, jacobi, polar;
    const hdi_cub_table *warps;      /* who does Jacobi's method; NULL: cuSOLVER */
    bool plain;                      /* v is v', not v'^H */
    int64_t rows, columns, left;     /* left: columns of u' */
    uint8_t *a, *s, *u, *v;
} svd;

/* Jacobi's method is for small matrices: ours (cub/cub_svd.cu), or where that is missing
 * cuSOLVER's, which is for many of them, and makes all columns of u. The polar decomposition, of
 * more columns than that, takes a fifth of the time of the QR iteration (2000 x 2000 float64 on an
 * H100: 84 ms, 443), but gives up on some matrices that are nearly singular. The values alone of
 * one small matrix the QR iteration has sooner (32 x 32 on an H200: 0.23 ms, ours 0.58). */
enum { JACOBI = 32 };

static bool borrow_svd(hdi_cuda_la *p, svd *f, char job)
{
    int64_t n = f->columns;
    f->a = hdi_cuda_la_borrow(p, p->batches * f->rows * n * p->size);
    f->s = f->a != NULL ? hdi_cuda_la_borrow(p, p->batches * n * hdi_itemsize(p->real)) : NULL;
    f->u = f->s != NULL && (job != 'N' || f->jacobi)
               ? hdi_cuda_la_borrow(p, p->batches * f->rows * f->left * p->size) : NULL;
    f->v = f->u != NULL ? hdi_cuda_la_borrow(p, p->batches * n * n * p->size) : NULL;
    return job == 'N' && !f->jacobi ? f->s != NULL : f->v != NULL;
}

static hd_status pull_svd(hdi_cuda_la *p, const svd *f, hdi_cuda_matrix a)
{
    return hdi_cuda_la_move(p, hdi_cuda_la_columns(f->a, p->dt, f->rows, f->rows * f->columns,
                                                   f->turned),
                            a, p->m, p->n, HDI_MOVE_FINITE);
}

/* *exact: did it do all of them well? If not, the QR iteration does. */
static hd_status run_polar(hdi_cuda_la *p, svd *f, char job, bool *exact)
{
    int64_t m = f->rows, n = f->columns, real = hdi_itemsize(p->real);
    hd_status status = HD_OK;
    double error = 0;
    for (int64_t b = 0; b < p->batches && status == HD_OK && error == 0; b++)
        status = hdi_solver_gesvdp(p, b, job, m, n, f->a + b * m * n * p->size,
                                   f->s + b * n * real,
                                   f->u != NULL ? f->u + b * m * f->left * p->size : NULL,
                                   f->v != NULL ? f->v + b * n * n * p->size : NULL, &error);
    *exact = error == 0 && status == HD_OK;
    if (status != HD_OK && status != HD_NOMEM) {   /* if more is wrong, the other one says so */
        hd_error_take(NULL);
        status = HD_OK;
    }
    return status;
}

static hd_status run_svd(hdi_cuda_la *p, svd *f, char job, hdi_cuda_matrix a)
{
    int64_t m = f->rows, n = f->columns, real = hdi_itemsize(p->real);
    hd_status status = HD_OK;
    bool exact = false;
    f->plain = true;
    if (f->warps != NULL) {
        bool vectors = job != 'N';
        hdi_cub_call c = {.in = f->a, .out = vectors ? f->u : NULL, .out2 = f->s,
                          .out3 = vectors ? f->v : NULL, .info = p->info, .lines = p->batches,
                          .m = m, .n = n, .k = f->left, .dt = p->dt};
        return hdi_cuda_cub_run(p->d, f->warps->gesvdj, &c, p->name);
    }
    if (f->jacobi)
        return hdi_solver_gesvdj_all(p, job != 'N', m, n, f->a, f->s, f->u, f->v);
    if (f->polar && (status = run_polar(p, f, job, &exact)) == HD_OK && !exact)
        status = pull_svd(p, f, a);
    if (status != HD_OK || exact)
        return status;
    f->plain = false;
    for (int64_t b = 0; b < p->batches && status == HD_OK; b++)
        status = hdi_solver_gesvd(p, b, job, m, n, f->a + b * m * n * p->size, f->s + b * n * real,
                                  f->u != NULL ? f->u + b * m * f->left * p->size : NULL,
                                  f->v != NULL ? f->v + b * n * n * p->size : NULL);
    return status;
}

static hd_status put_vectors(hdi_cuda_la *p, const svd *f, char job, int how, hdi_cuda_matrix u,
                             hdi_cuda_matrix vh)
{
    int64_t nu = job == 'A' ? p->m : p->mn, nv = job == 'A' ? p->n : p->mn;
    int turned = f->plain ? how ^ HDI_MOVE_CONJ : how;
    hdi_cuda_matrix left = hdi_cuda_la_columns(f->u, p->dt, f->rows, f->rows * f->left, f->turned),
                    right = hdi_cuda_la_columns(f->v, p->dt, f->columns, f->columns * f->columns,
                                                f->turned != f->plain);
    hd_status status = hdi_cuda_la_move(p, u, f->turned ? right : left, p->m, nu,
                                        f->turned ? turned : how);
    return status == HD_OK ? hdi_cuda_la_move(p, vh, f->turned ? left : right, nv, p->n,
                                              f->turned ? how : turned)
                           : status;
}

hd_status hdi_cuda_la_decompose(hdi_cuda_la *p, hdi_cuda_matrix a, char job, int how,
                                hdi_cuda_matrix u, hdi_cuda_matrix s, hdi_cuda_matrix vh)
{
    svd f = {.turned = p->n >= p->m, .rows = hdi_max64(p->m, p->n), .columns = p->mn};
    if (f.rows <= JACOBI && (p->batches > 1 || job != 'N') && p->d->limits.major >= 8)
        f.warps = hdi_cuda_cub_open();
    f.jacobi = f.rows <= JACOBI && f.warps == NULL && p->batches > 1;
    /* with as many vectors as columns: that is what it was seen to be good at */
    f.polar = f.columns > JACOBI && job != 'N' && (job == 'S' || p->m == p->n);
    f.left = job == 'A' || f.jacobi ? f.rows : f.columns;
    if (!borrow_svd(p, &f, job))
        return hd_error_peek()->code;
    hd_status status = hdi_cuda_la_odd(p, a, p->m, p->n, 0);
    if (status == HD_OK)
        status = pull_svd(p, &f, a);
    if (status == HD_OK)
        status = run_svd(p, &f, job, a);
    if (status == HD_OK)   /* Jacobi's method has some as -0 */
        status = hdi_cuda_la_move(p, s, hdi_cuda_la_columns(f.s, p->real, 1, p->mn, false), 1,
                                  p->mn, HDI_MOVE_ABSOLUTE);
    return status == HD_OK && job != 'N' ? put_vectors(p, &f, job, how, u, vh) : status;
}

/* Of a Hermitian matrix the lower triangle counts; it is made whole first. */
hd_status hdi_cuda_la_svd(hdi_cuda_la *p)
{
    bool vectors = p->x->payload.la & HDI_LA_VECTORS;
    char job = !vectors ? 'N' : p->x->payload.la & HDI_LA_FULL ? 'A' : 'S';
    hdi_cuda_matrix a = hdi_cuda_la_operand(p, 0), u = hdi_cuda_la_result(p, 0),
                    s = hdi_cuda_la_result(p, vectors ? 1 : 0),
                    vh = hdi_cuda_la_result(p, vectors ? 2 : 0);
    hd_status status = HD_OK;
    if (p->mn == 0) {
        if (vectors)
            status = hdi_cuda_la_identity(p, u, p->m, p->part[0].dims[1]);
        return vectors && status == HD_OK
                   ? hdi_cuda_la_identity(p, vh, p->part[2].dims[0], p->n) : status;
    }
    if (p->x->payload.la & HDI_LA_HERMITIAN) {
        uint8_t *whole = hdi_cuda_la_borrow(p, p->batches * p->n * p->n * p->size);
        if (whole == NULL)
            return hd_error_peek()->code;
        hdi_cuda_matrix to = hdi_cuda_la_columns(whole, p->dt, p->n, p->n * p->n, true);
        status = hdi_cuda_la_move(p, to, a, p->n, p->n, HDI_MOVE_HERMITIAN);
        a = to;
    }
    return status == HD_OK ? hdi_cuda_la_decompose(p, a, job, 0, u, s, vh) : status;
}

/* ---- eigenvalues ----------------------------------------------------------------------------- */

/* The matrix is handed over as it lies: conjugated, and with the triangles exchanged. */
hd_status hdi_cuda_la_eigh(hdi_cuda_la *p)
{
    int64_t n = p->n, each = n * n * p->size, real = hdi_itemsize(p->real);
    const uint64_t flags = p->x->payload.la;
    bool vectors = flags & HDI_LA_VECTORS, upper = flags & HDI_LA_UPPER, done = false;
    int uplo = upper ? HDI_FILL_LOWER : HDI_FILL_UPPER;
    hdi_cuda_matrix from = hdi_cuda_la_operand(p, 0);
    uint8_t *a = hdi_cuda_la_borrow(p, p->batches * each),
            *w = a != NULL ? hdi_cuda_la_borrow(p, p->batches * n * real) : NULL;
    if (w == NULL)
        return hd_error_peek()->code;
    hd_status status = HD_OK;
    if (n > 1)
        status = hdi_cuda_la_odd(p, from, n, n, upper ? HDI_MOVE_UPPER : HDI_MOVE_LOWER);
    if (status == HD_OK)
        status = hdi_cuda_la_move(p, hdi_cuda_la_columns(a, p->dt, n, n * n, true), from, n, n,
                                  n > 1 ? HDI_MOVE_FINITE : 0);
    if (status == HD_OK && p->batches > 1)
        status = hdi_solver_syev_all(p, vectors, uplo, n, a, w, &done);
    for (int64_t b = 0; b < p->batches && !done && status == HD_OK; b++)
        status = hdi_solver_syevd(p, b, vectors, uplo, n, a + b * each, w + b * n * real);
    if (status == HD_OK)
        status = hdi_cuda_la_move(p, hdi_cuda_la_result(p, 0),
                                  hdi_cuda_la_columns(w, p->real, n, n, false), n, 1, 0);
    return status == HD_OK && vectors
               ? hdi_cuda_la_move(p, hdi_cuda_la_result(p, 1),
                                  hdi_cuda_la_columns(a, p->dt, n, n * n, false), n, n,
                                  HDI_MOVE_CONJ)
               : status;
}

hd_status hdi_cuda_la_eig(hdi_cuda_la *p)
{
    int64_t n = p->n, each = n * n, vectors = p->x->payload.la & HDI_LA_VECTORS ? (n + 2) * n : 0;
    hd_dtype wdt = p->single ? HD_COMPLEX64 : HD_COMPLEX128;
    int64_t wsize = hdi_itemsize(wdt);
    hdi_cuda_matrix from = hdi_cuda_la_operand(p, 0);
    uint8_t *a = hdi_cuda_la_borrow(p, p->batches * each * p->size),
            *w = a != NULL ? hdi_cuda_la_borrow(p, p->batches * n * wsize) : NULL,
            *v = w != NULL ? hdi_cuda_la_borrow(p, p->batches * vectors * p->size) : NULL;
    if (v == NULL)
        return hd_error_peek()->code;
    hd_status status = hdi_cuda_la_odd(p, from, n, n, 0);
    if (status == HD_OK)
        status = hdi_cuda_la_move(p, hdi_cuda_la_columns(a, p->dt, n, each, false), from, n, n,
                                  HDI_MOVE_FINITE);
    uint8_t *first = v + (vectors > 0 ? n * p->size : 0);
    for (int64_t b = 0; b < p->batches && status == HD_OK; b++)
        status = hdi_solver_geev(p, b, vectors > 0, n, a + b * each * p->size,
                                 w + b * n * wsize, first + b * vectors * p->size);
    hdi_cuda_matrix values = hdi_cuda_la_columns(w, wdt, 1, n, false),
                    columns = hdi_cuda_la_columns(first, p->dt, n, vectors, false);
    if (status == HD_OK)
        status = hdi_cuda_la_move(p, hdi_cuda_la_result(p, 0),
                                  hdi_cuda_la_columns(w, wdt, n, n, false), n, 1, 0);
    if (status != HD_OK || vectors == 0)
        return status;
    return p->z ? hdi_cuda_la_move(p, hdi_cuda_la_result(p, 1), columns, n, n, 0)
                : hdi_cuda_la_join_pairs(p, hdi_cuda_la_result(p, 1), values, columns);
}
