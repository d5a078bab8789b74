/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_solver_api.c - see cuda_solver_api.h. Functions of the 64-bit interface (cusolverDnX...)
 * take dtypes as numbers; older ones have a name for each dtype. */
#include "backend/cuda/cuda_solver_api.h"

#include <stdio.h>

#include "backend/cuda/cuda_blas.h"
#include "backend/cuda/cuda_libraries.h"
#include "base/alloc.h"

typedef struct buffers { void *device, *host; size_t device_bytes, host_bytes; } buffers;

static hd_status check(const hdi_cuda_la *p, int code, const char *function)
{
    return code == 0 ? HD_OK
                     : hdi_fail(HD_DEVICE, "%s on cuda:%d: cuSOLVER's %s gave status %d", p->name,
                                p->d->number, function, code);
}

static hdi_cuda_code_address solver(const char *name)
{
    return hdi_cuda_symbol(HDI_CUSOLVER, name);
}

/* The function whose name has a letter for the dtype where ours has a '?': "cusolverDn?orgqr". */
static hdi_cuda_code_address by_dtype(const hdi_cuda_la *p, hdi_cuda_library_name library,
                                      const char *real, const char *complex)
{
    char name[64];
    snprintf(name, sizeof name, "%s", p->z ? complex : real);
    *strchr(name, '?') = p->z ? (p->single ? 'C' : 'Z') : p->single ? 'S' : 'D';
    return hdi_cuda_symbol(library, name);
}

hd_status hdi_solver_open(hdi_cuda_la *p)
{
    typedef int (*stream_fn)(void *, CUstream);
    hdi_cuda *d = p->d;
    hdi_cuda_create *create = (hdi_cuda_create *)solver("cusolverDnCreate"),
                    *params = (hdi_cuda_create *)solver("cusolverDnCreateParams");
    stream_fn set = (stream_fn)solver("cusolverDnSetStream");
    if (create == NULL || params == NULL || set == NULL)
        return hd_error_peek()->code;
    hd_status status = hdi_cuda_blas_open(d);
    if (status == HD_OK)
        status = check(p, hdi_cuda_handle(d, create, &d->solver), "Create");
    if (status == HD_OK)
        status = check(p, hdi_cuda_handle(d, params, &d->solver_params), "CreateParams");
    if (status != HD_OK)
        return status;
    return check(p, set(d->solver, d->stream), "SetStream");
}

/* cudaDataType of the elements; of real numbers as precise. */
static int type_of(hd_dtype dt)
{
    return dt == HD_FLOAT32 ? 0 : dt == HD_FLOAT64 ? 1 : dt == HD_COMPLEX64 ? 4 : 5;
}

/* code: the answer to the query for their sizes. */
static hd_status get_buffers(hdi_cuda_la *p, buffers *b, int code, const char *function)
{
    hd_status status = check(p, code, function);
    if (status != HD_OK)
        return status;
    if ((b->device = hdi_cuda_la_borrow(p, (int64_t)b->device_bytes)) == NULL)
        return hd_error_peek()->code;
    if (b->host_bytes > 0 && (b->host = hdi_alloc(b->host_bytes)) == NULL)
        return hdi_fail(HD_NOMEM, "out of memory for %s", p->name);
    return HD_OK;
}

/* The last one borrowed: what is enqueued next may have it. */
static void drop_buffers(hdi_cuda_la *p, buffers *b)
{
    if (b->host != NULL)
        hdi_free(b->host, b->host_bytes);
    if (b->device != NULL) {
        p->nborrowed--;
        hdi_cuda_free(p->d, p->borrowed[p->nborrowed].ptr, p->borrowed[p->nborrowed].bytes);
    }
}

#define SIZES &b.device_bytes, &b.host_bytes
#define BUFFERS b.device, b.device_bytes, b.host, b.host_bytes
#define HANDLES p->d->solver, p->d->solver_params

/* ---- one matrix ------------------------------------------------------------------------------ */

hd_status hdi_solver_getrf(hdi_cuda_la *p, int64_t at, int64_t n, void *a, int64_t *pivots)
{
    typedef int (*size_fn)(void *, void *, int64_t, int64_t, int, const void *, int64_t, int,
                           size_t *, size_t *);
    typedef int (*run_fn)(void *, void *, int64_t, int64_t, int, void *, int64_t, int64_t *, int,
                          void *, size_t, void *, size_t, int *);
    size_fn size = (size_fn)solver("cusolverDnXgetrf_bufferSize");
    run_fn fn = (run_fn)solver("cusolverDnXgetrf");
    int dt = type_of(p->dt);
    buffers b = {NULL, NULL, 0, 0};
    if (size == NULL || fn == NULL)
        return hd_error_peek()->code;
    int asked = size(HANDLES, n, n, dt, a, n, dt, SIZES);
    hd_status status = get_buffers(p, &b, asked, "Xgetrf");
    if (status == HD_OK)
        status = check(p, fn(HANDLES, n, n, dt, a, n, pivots, dt, BUFFERS, p->info + at),
                          "Xgetrf");
    drop_buffers(p, &b);
    return status;
}

hd_status hdi_solver_getrs(hdi_cuda_la *p, int op, int64_t n, int64_t k, const void *a,
                           const int64_t *pivots, void *to)
{
    typedef int (*run_fn)(void *, void *, int, int64_t, int64_t, int, const void *, int64_t,
                          const int64_t *, int, void *, int64_t, int *);
    run_fn fn = (run_fn)solver("cusolverDnXgetrs");
    int dt = type_of(p->dt), *info = hdi_cuda_la_borrow(p, sizeof(int));
    if (fn == NULL || info == NULL)
        return hd_error_peek()->code;
    hd_status status = check(p, fn(HANDLES, op, n, k, dt, a, n, pivots, dt, to, n, info),
                             "Xgetrs");
    p->nborrowed--;
    hdi_cuda_free(p->d, info, p->borrowed[p->nborrowed].bytes);
    return status;
}

hd_status hdi_solver_potrf(hdi_cuda_la *p, int64_t at, int uplo, int64_t n, void *a)
{
    typedef int (*size_fn)(void *, void *, int, int64_t, int, const void *, int64_t, int,
                           size_t *, size_t *);
    typedef int (*run_fn)(void *, void *, int, int64_t, int, void *, int64_t, int, void *, size_t,
                          void *, size_t, int *);
    size_fn size = (size_fn)solver("cusolverDnXpotrf_bufferSize");
    run_fn fn = (run_fn)solver("cusolverDnXpotrf");
    int dt = type_of(p->dt);
    buffers b = {NULL, NULL, 0, 0};
    if (size == NULL || fn == NULL)
        return hd_error_peek()->code;
    int asked = size(HANDLES, uplo, n, dt, a, n, dt, SIZES);
    hd_status status = get_buffers(p, &b, asked, "Xpotrf");
    if (status == HD_OK)
        status = check(p, fn(HANDLES, uplo, n, dt, a, n, dt, BUFFERS, p->info + at), "Xpotrf");
    drop_buffers(p, &b);
    return status;
}

hd_status hdi_solver_geqrf(hdi_cuda_la *p, int64_t at, int64_t m, int64_t n, void *a, void *tau)
{
    typedef int (*size_fn)(void *, void *, int64_t, int64_t, int, const void *, int64_t, int,
                           const void *, int, size_t *, size_t *);
    typedef int (*run_fn)(void *, void *, int64_t, int64_t, int, void *, int64_t, int, void *, int,
                          void *, size_t, void *, size_t, int *);
    size_fn size = (size_fn)solver("cusolverDnXgeqrf_bufferSize");
    run_fn fn = (run_fn)solver("cusolverDnXgeqrf");
    int dt = type_of(p->dt);
    buffers b = {NULL, NULL, 0, 0};
    if (size == NULL || fn == NULL)
        return hd_error_peek()->code;
    int asked = size(HANDLES, m, n, dt, a, m, dt, tau, dt, SIZES);
    hd_status status = get_buffers(p, &b, asked, "Xgeqrf");
    if (status == HD_OK)
        status = check(p, fn(HANDLES, m, n, dt, a, m, dt, tau, dt, BUFFERS, p->info + at),
                          "Xgeqrf");
    drop_buffers(p, &b);
    return status;
}

hd_status hdi_solver_orgqr(hdi_cuda_la *p, int64_t at, int64_t m, int64_t n, int64_t k, void *a,
                           const void *tau)
{
    typedef int (*size_fn)(void *, int, int, int, const void *, int, const void *, int *);
    typedef int (*run_fn)(void *, int, int, int, void *, int, const void *, void *, int, int *);
    size_fn size = (size_fn)by_dtype(p, HDI_CUSOLVER, "cusolverDn?orgqr_bufferSize",
                                     "cusolverDn?ungqr_bufferSize");
    run_fn fn = (run_fn)by_dtype(p, HDI_CUSOLVER, "cusolverDn?orgqr", "cusolverDn?ungqr");
    int words = 0, mi = (int)m, ni = (int)n, ki = (int)k;
    buffers b = {NULL, NULL, 0, 0};
    if (size == NULL || fn == NULL)
        return hd_error_peek()->code;
    int asked = size(p->d->solver, mi, ni, ki, a, mi, tau, &words);
    b.device_bytes = (size_t)words * (size_t)p->size;
    hd_status status = get_buffers(p, &b, asked, "orgqr");
    if (status == HD_OK)
        status = check(p, fn(p->d->solver, mi, ni, ki, a, mi, tau, b.device, words, p->info + at),
                       "orgqr");
    drop_buffers(p, &b);
    return status;
}

hd_status hdi_solver_gesvd(hdi_cuda_la *p, int64_t at, char job, int64_t m, int64_t n, void *a,
                           void *s, void *u, void *vt)
{
    typedef int (*size_fn)(void *, void *, signed char, signed char, int64_t, int64_t, int,
                           const void *, int64_t, int, const void *, int, const void *, int64_t,
                           int, const void *, int64_t, int, size_t *, size_t *);
    typedef int (*run_fn)(void *, void *, signed char, signed char, int64_t, int64_t, int, void *,
                          int64_t, int, void *, int, void *, int64_t, int, void *, int64_t, int,
                          void *, size_t, void *, size_t, int *);
    size_fn size = (size_fn)solver("cusolverDnXgesvd_bufferSize");
    run_fn fn = (run_fn)solver("cusolverDnXgesvd");
    int dt = type_of(p->dt), real = type_of(p->real);
    signed char j = (signed char)job;
    buffers b = {NULL, NULL, 0, 0};
    if (size == NULL || fn == NULL)
        return hd_error_peek()->code;
    int asked = size(HANDLES, j, j, m, n, dt, a, m, real, s, dt, u, m, dt, vt, n, dt, SIZES);
    hd_status status = get_buffers(p, &b, asked, "Xgesvd");
    if (status == HD_OK)
        status = check(p, fn(HANDLES, j, j, m, n, dt, a, m, real, s, dt, u, m, dt, vt, n, dt,
                          BUFFERS, p->info + at), "Xgesvd");
    drop_buffers(p, &b);
    return status;
}

hd_status hdi_solver_gesvdp(hdi_cuda_la *p, int64_t at, char job, int64_t m, int64_t n, void *a,
                            void *s, void *u, void *v, double *error)
{
    typedef int (*size_fn)(void *, void *, int, int, int64_t, int64_t, int, const void *, int64_t,
                           int, const void *, int, const void *, int64_t, int, const void *,
                           int64_t, int, size_t *, size_t *);
    typedef int (*run_fn)(void *, void *, int, int, int64_t, int64_t, int, void *, int64_t, int,
                          void *, int, void *, int64_t, int, void *, int64_t, int, void *, size_t,
                          void *, size_t, int *, double *);
    size_fn size = (size_fn)solver("cusolverDnXgesvdp_bufferSize");
    run_fn fn = (run_fn)solver("cusolverDnXgesvdp");
    int dt = type_of(p->dt), real = type_of(p->real), vectors = job != 'N';
    int few = job != 'A' || m == n;
    buffers b = {NULL, NULL, 0, 0};
    if (size == NULL || fn == NULL)
        return hd_error_peek()->code;
    int asked = size(HANDLES, vectors, few, m, n, dt, a, m, real, s, dt, u, m, dt, v, n, dt,
                     SIZES);
    hd_status status = get_buffers(p, &b, asked, "Xgesvdp");
    if (status == HD_OK)
        status = check(p, fn(HANDLES, vectors, few, m, n, dt, a, m, real, s, dt, u, m, dt, v, n,
                             dt, BUFFERS, p->info + at, error), "Xgesvdp");
    drop_buffers(p, &b);
    return status;
}

hd_status hdi_solver_syevd(hdi_cuda_la *p, int64_t at, bool vectors, int uplo, int64_t n, void *a,
                           void *w)
{
    typedef int (*size_fn)(void *, void *, int, int, int64_t, int, const void *, int64_t, int,
                           const void *, int, size_t *, size_t *);
    typedef int (*run_fn)(void *, void *, int, int, int64_t, int, void *, int64_t, int, void *,
                          int, void *, size_t, void *, size_t, int *);
    size_fn size = (size_fn)solver("cusolverDnXsyevd_bufferSize");
    run_fn fn = (run_fn)solver("cusolverDnXsyevd");
    int dt = type_of(p->dt), real = type_of(p->real);
    buffers b = {NULL, NULL, 0, 0};
    if (size == NULL || fn == NULL)
        return hd_error_peek()->code;
    int asked = size(HANDLES, vectors, uplo, n, dt, a, n, real, w, dt, SIZES);
    hd_status status = get_buffers(p, &b, asked, "Xsyevd");
    if (status == HD_OK)
        status = check(p, fn(HANDLES, vectors, uplo, n, dt, a, n, real, w, dt, BUFFERS, p->info +
                          at), "Xsyevd");
    drop_buffers(p, &b);
    return status;
}

hd_status hdi_solver_geev(hdi_cuda_la *p, int64_t at, bool vectors, int64_t n, void *a, void *w,
                          void *v)
{
    typedef int (*size_fn)(void *, void *, int, int, int64_t, int, const void *, int64_t, int,
                           const void *, int, const void *, int64_t, int, const void *, int64_t,
                           int, size_t *, size_t *);
    typedef int (*run_fn)(void *, void *, int, int, int64_t, int, void *, int64_t, int, void *,
                          int, void *, int64_t, int, void *, int64_t, int, void *, size_t, void *,
                          size_t, int *);
    size_fn size = (size_fn)solver("cusolverDnXgeev_bufferSize");
    run_fn fn = (run_fn)solver("cusolverDnXgeev");
    if (size == NULL || fn == NULL) {
        hd_error_take(NULL);
        return hdi_fail(HD_UNSUPPORTED, "eig on cuda:%d needs cuSOLVER of CUDA 12.6 or newer "
                        "(`pip install nvidia-cusolver`)", p->d->number);
    }
    int dt = type_of(p->dt), wdt = type_of(p->single ? HD_COMPLEX64 : HD_COMPLEX128);
    buffers b = {NULL, NULL, 0, 0};
    int asked = size(HANDLES, 0, vectors, n, dt, a, n, wdt, w, dt, NULL, n, dt, v, n, dt,
                     SIZES);
    hd_status status = get_buffers(p, &b, asked, "Xgeev");
    if (status == HD_OK)
        status = check(p, fn(HANDLES, 0, vectors, n, dt, a, n, wdt, w, dt, NULL, n, dt, v, n, dt,
                          BUFFERS, p->info + at), "Xgeev");
    drop_buffers(p, &b);
    return status;
}

/* ---- parts of one matrix --------------------------------------------------------------------- */

/* 1, 0 or -1, as a number of the matrices' dtype, real or complex. */
static const void *scalar(const hdi_cuda_la *p, int value)
{
    static const double wide[3][2] = {{-1, 0}, {0, 0}, {1, 0}};
    static const float narrow[3][2] = {{-1, 0}, {0, 0}, {1, 0}};
    return p->single ? (const void *)narrow[value + 1] : wide[value + 1];
}

hd_status hdi_solver_trsm(hdi_cuda_la *p, int uplo, bool unit, int64_t m, int64_t n,
                          const void *a, int64_t lda, void *b, int64_t ldb)
{
    typedef int (*run_fn)(void *, int, int, int, int, int, int, const void *, const void *, int,
                          void *, int);
    enum { RIGHT = 1 };
    run_fn fn = (run_fn)by_dtype(p, HDI_CUBLAS, "cublas?trsm_v2", "cublas?trsm_v2");
    return fn == NULL ? hd_error_peek()->code
                      : check(p, fn(p->d->blas, RIGHT, uplo, HDI_OP_N, unit, (int)m, (int)n,
                                    scalar(p, 1), a, (int)lda, b, (int)ldb), "trsm");
}

hd_status hdi_solver_subtracted(hdi_cuda_la *p, int64_t m, int64_t n, int64_t k, const void *a,
                                int64_t lda, const void *b, int64_t ldb, void *c, int64_t ldc)
{
    typedef int (*run_fn)(void *, int, int, int, int, int, const void *, const void *, int,
                          const void *, int, const void *, void *, int);
    run_fn fn = (run_fn)by_dtype(p, HDI_CUBLAS, "cublas?gemm_v2", "cublas?gemm_v2");
    return fn == NULL ? hd_error_peek()->code
                      : check(p, fn(p->d->blas, HDI_OP_N, HDI_OP_N, (int)m, (int)n, (int)k,
                                    scalar(p, -1), a, (int)lda, b, (int)ldb, scalar(p, 0), c,
                                    (int)ldc), "gemm");
}

/* ---- all matrices of a batch ----------------------------------------------------------------- */

hd_status hdi_solver_getrf_all(hdi_cuda_la *p, int64_t n, void *a, int *pivots)
{
    typedef int (*run_fn)(void *, int, void *, int, int *, int *, int);
    run_fn fn = (run_fn)by_dtype(p, HDI_CUBLAS, "cublas?getrfBatched", "cublas?getrfBatched");
    return fn == NULL ? hd_error_peek()->code
                      : check(p, fn(p->d->blas, (int)n, a, (int)n, pivots, p->info,
                                    (int)p->batches), "getrfBatched");
}

hd_status hdi_solver_getrs_all(hdi_cuda_la *p, int op, int64_t n, int64_t k, const void *a,
                               const int *pivots, void *to)
{
    typedef int (*run_fn)(void *, int, int, int, const void *, int, const int *, void *, int,
                          int *, int);
    int host_info = 0;
    run_fn fn = (run_fn)by_dtype(p, HDI_CUBLAS, "cublas?getrsBatched", "cublas?getrsBatched");
    return fn == NULL ? hd_error_peek()->code
                      : check(p, fn(p->d->blas, op, (int)n, (int)k, a, (int)n, pivots, to, (int)n,
                                    &host_info, (int)p->batches), "getrsBatched");
}

hd_status hdi_solver_potrf_all(hdi_cuda_la *p, int uplo, int64_t n, void *a)
{
    typedef int (*run_fn)(void *, int, int, void *, int, int *, int);
    run_fn fn = (run_fn)by_dtype(p, HDI_CUSOLVER, "cusolverDn?potrfBatched",
                                 "cusolverDn?potrfBatched");
    return fn == NULL ? hd_error_peek()->code
                      : check(p, fn(p->d->solver, uplo, (int)n, a, (int)n, p->info,
                                    (int)p->batches), "potrfBatched");
}

hd_status hdi_solver_syev_all(hdi_cuda_la *p, bool vectors, int uplo, int64_t n, void *a, void *w,
                              bool *done)
{
    typedef int (*size_fn)(void *, void *, int, int, int64_t, int, const void *, int64_t, int,
                           const void *, int, size_t *, size_t *, int64_t);
    typedef int (*run_fn)(void *, void *, int, int, int64_t, int, void *, int64_t, int, void *,
                          int, void *, size_t, void *, size_t, int *, int64_t);
    size_fn size = (size_fn)solver("cusolverDnXsyevBatched_bufferSize");
    run_fn fn = (run_fn)solver("cusolverDnXsyevBatched");
    int dt = type_of(p->dt), real = type_of(p->real);
    *done = size != NULL && fn != NULL;
    if (!*done) {
        hd_error_take(NULL);
        return HD_OK;
    }
    buffers b = {NULL, NULL, 0, 0};
    int asked = size(HANDLES, vectors, uplo, n, dt, a, n, real, w, dt, SIZES, p->batches);
    hd_status status = get_buffers(p, &b, asked, "XsyevBatched");
    if (status == HD_OK)
        status = check(p, fn(HANDLES, vectors, uplo, n, dt, a, n, real, w, dt, BUFFERS, p->info,
                          p->batches), "XsyevBatched");
    drop_buffers(p, &b);
    return status;
}

hd_status hdi_solver_gesvdj_all(hdi_cuda_la *p, bool vectors, int64_t m, int64_t n, void *a,
                                void *s, void *u, void *v)
{
    typedef int (*size_fn)(void *, int, int, int, const void *, int, const void *, const void *,
                           int, const void *, int, int *, void *, int);
    typedef int (*run_fn)(void *, int, int, int, void *, int, void *, void *, int, void *, int,
                          void *, int, int *, void *, int);
    typedef int (*create_fn)(void **);
    typedef int (*destroy_fn)(void *);
    size_fn size = (size_fn)by_dtype(p, HDI_CUSOLVER, "cusolverDn?gesvdjBatched_bufferSize",
                                     "cusolverDn?gesvdjBatched_bufferSize");
    run_fn fn = (run_fn)by_dtype(p, HDI_CUSOLVER, "cusolverDn?gesvdjBatched",
                                 "cusolverDn?gesvdjBatched");
    create_fn create = (create_fn)solver("cusolverDnCreateGesvdjInfo");
    destroy_fn destroy = (destroy_fn)solver("cusolverDnDestroyGesvdjInfo");
    int mi = (int)m, ni = (int)n, words = 0, batches = (int)p->batches;
    buffers b = {NULL, NULL, 0, 0};
    void *how = NULL;
    if (size == NULL || fn == NULL || create == NULL || destroy == NULL)
        return hd_error_peek()->code;
    hd_status status = check(p, create(&how), "CreateGesvdjInfo");
    if (status != HD_OK)
        return status;
    int asked = size(p->d->solver, vectors, mi, ni, a, mi, s, u, mi, v, ni, &words, how, batches);
    b.device_bytes = (size_t)words * (size_t)p->size;
    status = get_buffers(p, &b, asked, "gesvdjBatched");
    if (status == HD_OK)
        status = check(p, fn(p->d->solver, vectors, mi, ni, a, mi, s, u, mi, v, ni, b.device,
                             words, p->info, how, batches), "gesvdjBatched");
    drop_buffers(p, &b);
    destroy(how);
    return status;
}
