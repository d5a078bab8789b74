/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_solver.c - the call around cuSOLVER: what it is of, memory, what values did not allow. */
#include "backend/cuda/cuda_solver_api.h"

#include "base/alloc.h"

void *hdi_cuda_la_borrow(hdi_cuda_la *p, int64_t bytes)
{
    bytes = hdi_max64(bytes, 64);
    void *ptr = p->nborrowed < HDI_CUDA_BORROWED ? hdi_cuda_alloc(p->d, bytes) : NULL;
    if (ptr == NULL) {
        hdi_fail(HD_NOMEM, "out of memory on cuda:%d: %s needs %lld bytes beside its results",
                 p->d->number, p->name, (long long)bytes);
        return NULL;
    }
    p->borrowed[p->nborrowed].ptr = ptr;
    p->borrowed[p->nborrowed++].bytes = bytes;
    return ptr;
}

static void give_back(hdi_cuda_la *p)
{
    while (p->nborrowed > 0) {
        p->nborrowed--;
        hdi_cuda_free(p->d, p->borrowed[p->nborrowed].ptr, p->borrowed[p->nborrowed].bytes);
    }
}

/* ---- what is called -------------------------------------------------------------------------- */

typedef struct routine {
    hd_op op;
    hd_status (*enqueue)(hdi_cuda_la *p);
    const char *failure;         /* what it means that info is not 0; NULL: it cannot fail */
} routine;

static const routine routines[] = {
    {HD_OP_solve, hdi_cuda_la_solve, "Singular matrix"},
    {HD_OP_inv, hdi_cuda_la_inv, "Singular matrix"},
    {HD_OP_det, hdi_cuda_la_det, NULL},
    {HD_OP_slogdet, hdi_cuda_la_det, NULL},
    {HD_OP_cholesky, hdi_cuda_la_cholesky, "Matrix is not positive definite"},
    {HD_OP_qr, hdi_cuda_la_qr, NULL},
    {HD_OP_svd, hdi_cuda_la_svd, "SVD did not converge"},
    {HD_OP_eigh, hdi_cuda_la_eigh, "Eigenvalues did not converge"},
    {HD_OP_eig, hdi_cuda_la_eig, "Eigenvalues did not converge"},
    {HD_OP_lstsq, hdi_cuda_la_lstsq, "SVD did not converge in Linear Least Squares"},
};

static const routine *routine_of(hd_op op)
{
    size_t k = 0;
    while (routines[k].op != op)
        k++;
    return &routines[k];
}

static bool is_single(hd_dtype dt)
{
    return dt == HD_FLOAT32 || dt == HD_COMPLEX64;
}

static void describe(hdi_cuda_la *p, hdi_cuda *d, const hdi_xcall *x)
{
    const hdi_xarg *a = &x->in[0];
    *p = (hdi_cuda_la){.d = d, .x = x, .name = hdi_op_rows[x->op].info.name,
                       .z = hdi_is_complex(x->cdt), .single = is_single(x->out.dt),
                       .m = a->dims[a->nd - 2], .n = a->dims[a->nd - 1],
                       .k = x->nin > 1 ? x->in[1].dims[x->in[1].nd - 1] : 0,
                       .nbatch = a->nd - 2, .batches = 1};
    /* What singular values are for, telling small ones from none, takes double precision, as in
     * NumPy; and in single precision cuSOLVER's fast method mostly fails. */
    if (x->op == HD_OP_svd || x->op == HD_OP_lstsq)
        p->single = false;
    p->real = p->single ? HD_FLOAT32 : HD_FLOAT64;
    p->dt = !p->z ? p->real : p->single ? HD_COMPLEX64 : HD_COMPLEX128;
    p->size = hdi_itemsize(p->dt);
    p->mn = hdi_min64(p->m, p->n);
    for (int i = 0; i < p->nbatch; i++)
        p->batches *= a->dims[i];
    p->nparts = hdi_xcall_parts(x, p->part);
}

/* ---- what came of it ------------------------------------------------------------------------- */

static hd_status report(const hdi_cuda_la *p, const char *failure, int64_t batch)
{
    if (p->batches == 1)
        hdi_fail(HD_LINALG, "%s", failure);
    else
        hdi_fail(HD_LINALG, "%s (matrix %lld of %lld)", failure, (long long)batch,
                 (long long)p->batches);
    return hdi_fail_where(p->name);
}

/* Eigenvalues of up to two rows need not converge: LAPACK's of two rows with nan or inf are nan, as
 * are the vectors, that of one nan is nan. odd: 1 for inf, 2 for nan. */
static bool is_small(const hdi_cuda_la *p, int odd)
{
    bool eigh = p->x->op == HD_OP_eigh;
    bool hermitian = eigh || (p->x->op == HD_OP_svd && p->x->payload.la & HDI_LA_HERMITIAN);
    return (p->n == 2 && hermitian) || (p->n == 1 && eigh && odd == 2);
}

static hd_status fill_small(hdi_cuda_la *p, int64_t batch)
{
    hd_status status = HD_OK;
    for (int k = 0; k < (p->n == 2 ? p->nparts : 1) && status == HD_OK; k++)
        status = hdi_cuda_la_fill(p, k, batch, __builtin_nan(""));
    return status;
}

/* Singular values alone of what holds inf and no nan are nan, as NumPy's; every other matrix that
 * is not finite is an error where `odd` was looked at. */
static hd_status judge(hdi_cuda_la *p, const routine *r, const int *info)
{
    const int *odd = info + p->batches;
    bool values = p->x->op == HD_OP_svd &&
                  !(p->x->payload.la & (HDI_LA_VECTORS | HDI_LA_HERMITIAN));
    hd_status status = HD_OK;
    for (int64_t b = 0; b < p->batches && status == HD_OK; b++) {
        if (odd[b] == 1 && values)
            status = hdi_cuda_la_fill(p, 0, b, __builtin_nan(""));
        else if (odd[b] != 0 && is_small(p, odd[b]))
            status = fill_small(p, b);
        else if (odd[b] != 0)
            status = report(p, p->x->op == HD_OP_eig ? "Array must not contain infs or NaNs"
                                                     : r->failure, b);
        else if (info[b] != 0)
            status = report(p, r->failure, b);
    }
    return status;
}

/* Which elements of a matrix count, for hdi_cuda_la_odd(). */
static int triangle_of(const hdi_cuda_la *p)
{
    return p->x->op != HD_OP_cholesky        ? 0
           : p->x->payload.la & HDI_LA_UPPER ? HDI_MOVE_UPPER
                                         : HDI_MOVE_LOWER;
}

/* A matrix with inf or nan is not singular to LAPACK, nor without a Cholesky factor, whatever its
 * pivots became: there is a result, with nan. */
static hd_status pardon_odd(hdi_cuda_la *p, int *info)
{
    int64_t bytes = 2 * p->batches * (int64_t)sizeof(int);
    int triangle = triangle_of(p);
    hdi_cuda_matrix result = hdi_cuda_la_result(p, 0);
    bool any = false;
    for (int64_t b = 0; b < p->batches; b++)
        any |= info[b] != 0;
    if (!any)
        return HD_OK;
    hd_status status = hdi_cuda_la_odd(p, hdi_cuda_la_operand(p, 0), p->n, p->n, triangle);
    if (status == HD_OK)
        status = hdi_cuda_copy_out(p->d, info, (CUdeviceptr)(uintptr_t)p->info, bytes);
    for (int64_t b = 0; b < p->batches && status == HD_OK; b++) {
        if (info[b] != 0 && info[p->batches + b] != 0 && triangle != 0)
            status = hdi_cuda_la_fill(p, 0, b, __builtin_nan(""));
        info[b] = info[p->batches + b] != 0 ? 0 : info[b];
        info[p->batches + b] = 0;
    }
    if (status == HD_OK && triangle != 0)
        status = hdi_cuda_la_move(p, result, result, p->n, p->n, triangle);
    return status;
}

static hd_status wait_and_judge(hdi_cuda_la *p, const routine *r)
{
    int64_t bytes = 2 * p->batches * (int64_t)sizeof(int);
    int *info = hdi_alloc((size_t)bytes);
    if (info == NULL)
        return hdi_fail(HD_NOMEM, "out of memory for %s of %lld matrices", p->name,
                        (long long)p->batches);
    hd_status status = hdi_cuda_copy_out(p->d, info, (CUdeviceptr)(uintptr_t)p->info, bytes);
    if (status == HD_OK && (p->x->op == HD_OP_solve || p->x->op == HD_OP_inv ||
                            p->x->op == HD_OP_cholesky))
        status = pardon_odd(p, info);
    if (status == HD_OK)
        status = judge(p, r, info);
    hdi_free(info, (size_t)bytes);
    return status;
}

hd_status hdi_cuda_linalg(hdi_cuda *d, const hdi_xcall *x)
{
    hdi_cuda_la p;
    const routine *r = routine_of(x->op);
    describe(&p, d, x);
    int64_t bytes = 2 * p.batches * (int64_t)sizeof(int);
    if (p.batches == 0)
        return HD_OK;
    if (hdi_max64(hdi_max64(p.m, p.n), hdi_max64(p.k, p.batches)) > INT32_MAX)
        return hdi_fail(HD_VALUE, "%s: %lld matrices of %lld x %lld are too large for cuSOLVER",
                        p.name, (long long)p.batches, (long long)p.m, (long long)p.n);
    hd_status status = hdi_solver_open(&p);
    if (status != HD_OK)
        return status;
    if ((p.info = hdi_cuda_la_borrow(&p, bytes)) == NULL)
        return hd_error_peek()->code;
    p.odd = p.info + p.batches;
    status = hdi_cuda_check(
        d, hdi_cu.cuMemsetD8Async((CUdeviceptr)(uintptr_t)p.info, 0, (size_t)bytes, d->stream),
        p.name);
    if (status == HD_OK)
        status = r->enqueue(&p);
    bool can_fail = r->failure != NULL && !(x->op == HD_OP_inv && x->payload.la & HDI_LA_NAN);
    if (status == HD_OK && can_fail)
        status = wait_and_judge(&p, r);
    give_back(&p);
    return status;
}
