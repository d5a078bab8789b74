/* SPDX-License-Identifier: BSD-3-Clause */
/* fake_libcusolver.c - stands in for cuSOLVER and cuBLAS where there is no GPU: LU and Cholesky
 * factorizations and what is solved with them, of small matrices on the host, in the order of
 * textbooks. The dynamic linker finds it under those libraries' names
 * (tests/python/test_cuda_fake.py). Like cuSOLVER's, its LU factorization takes nan for 0. */
#include <complex.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fake_memory.h"

#define EXPORT __attribute__((visibility("default")))
#pragma GCC diagnostic ignored "-Wmissing-prototypes"   /* the libraries declare them */
typedef double complex number;
enum { OK = 0 };

/* Types are numbered as CUDA does: 0 float32, 1 float64, 4 complex64, 5 complex128. */
static number get(const void *at, int type, int64_t i)
{
    const void *a = fake_on_host(at);
    switch (type) {
    case 0: return ((const float *)a)[i];
    case 1: return ((const double *)a)[i];
    case 4: return ((const float complex *)a)[i];
    default: return ((const double complex *)a)[i];
    }
}

static void put(void *at, int type, int64_t i, number x)
{
    void *a = fake_on_host(at);
    switch (type) {
    case 0: ((float *)a)[i] = (float)creal(x); break;
    case 1: ((double *)a)[i] = creal(x); break;
    case 4: ((float complex *)a)[i] = (float complex)x; break;
    default: ((double complex *)a)[i] = x;
    }
}

/* ---- handles --------------------------------------------------------------------------------- */

static int make_handle(void **handle)
{
    static int there;
    *handle = &there;
    return OK;
}
EXPORT int cusolverDnCreate(void **handle) { return make_handle(handle); }
EXPORT int cusolverDnCreateParams(void **handle) { return make_handle(handle); }
EXPORT int cublasCreate_v2(void **handle) { return make_handle(handle); }
EXPORT int cusolverDnSetStream(void *h, void *stream) { (void)h, (void)stream; return OK; }
EXPORT int cublasSetStream_v2(void *h, void *stream) { (void)h, (void)stream; return OK; }

/* ---- cuSOLVER -------------------------------------------------------------------------------- */

EXPORT int cusolverDnXgetrf_bufferSize(void *h, void *how, int64_t m, int64_t n, int type,
                                       const void *a, int64_t lda, int inside, size_t *device,
                                       size_t *host)
{
    (void)h, (void)how, (void)m, (void)n, (void)type, (void)a, (void)lda, (void)inside;
    *device = *host = 8;
    return OK;
}

static void swap_rows(void *a, int type, int64_t lda, int64_t columns, int64_t i, int64_t k)
{
    for (int64_t j = 0; j < columns && i != k; j++) {
        number x = get(a, type, j * lda + i);
        put(a, type, j * lda + i, get(a, type, j * lda + k));
        put(a, type, j * lda + k, x);
    }
}

EXPORT int cusolverDnXgetrf(void *h, void *how, int64_t m, int64_t n, int type, void *a,
                            int64_t lda, int64_t *dpivots, int inside, void *device, size_t db,
                            void *host, size_t hb, int *dinfo)
{
    int64_t *pivots = fake_on_host(dpivots);
    int *info = fake_on_host(dinfo);
    (void)h, (void)how, (void)m, (void)inside, (void)device, (void)db, (void)host, (void)hb;
    *info = 0;
    for (int64_t i = 0; i < n * lda; i++) {
        number x = get(a, type, i);
        put(a, type, i, isnan(creal(x)) || isnan(cimag(x)) ? 0 : x);
    }
    for (int64_t k = 0; k < n; k++) {
        int64_t best = k;
        for (int64_t i = k; i < n; i++)
            best = cabs(get(a, type, k * lda + i)) > cabs(get(a, type, k * lda + best)) ? i : best;
        pivots[k] = best + 1;
        swap_rows(a, type, lda, n, k, best);
        number pivot = get(a, type, k * lda + k);
        if (pivot == 0 && *info == 0)
            *info = (int)k + 1;
        for (int64_t i = k + 1; i < n && pivot != 0; i++) {
            number by = get(a, type, k * lda + i) / pivot;
            put(a, type, k * lda + i, by);
            for (int64_t j = k + 1; j < n; j++)
                put(a, type, j * lda + i,
                    get(a, type, j * lda + i) - by * get(a, type, j * lda + k));
        }
    }
    return OK;
}

/* b becomes the solution: of a b = b, or turned of a^T b = b. */
EXPORT int cusolverDnXgetrs(void *h, void *how, int turned, int64_t n, int64_t k, int type,
                            const void *a, int64_t lda, const int64_t *dpivots, int btype, void *b,
                            int64_t ldb, int *dinfo)
{
    const int64_t *pivots = fake_on_host(dpivots);
    int *info = fake_on_host(dinfo);
    (void)h, (void)how, (void)btype;
    *info = 0;
    for (int64_t i = 0; i < n && !turned; i++)
        swap_rows(b, type, ldb, k, i, pivots[i] - 1);
    for (int64_t column = 0; column < k; column++)
        for (int step = 0; step < 2; step++) {
            bool down = step == 0, unit = down != (bool)turned;
            for (int64_t t = 0; t < n; t++) {
                int64_t i = down ? t : n - 1 - t;
                number x = get(b, type, column * ldb + i);
                for (int64_t j = down ? 0 : i + 1; j < (down ? i : n); j++)
                    x -= get(a, type, turned ? i * lda + j : j * lda + i) *
                         get(b, type, column * ldb + j);
                put(b, type, column * ldb + i, unit ? x : x / get(a, type, i * lda + i));
            }
        }
    for (int64_t i = n - 1; i >= 0 && turned; i--)
        swap_rows(b, type, ldb, k, i, pivots[i] - 1);
    return OK;
}

/* Column by column; the other triangle stays as it is. Whatever is no positive pivot ends it. */
static void factor_positive(int uplo, int64_t n, int type, void *a, int64_t lda, int *dinfo)
{
    int *info = fake_on_host(dinfo);
    enum { UPPER = 1 };
    int64_t down = uplo == UPPER ? lda : 1, right = uplo == UPPER ? 1 : lda;
    *info = 0;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = j; i < n; i++) {
            number x = get(a, type, i * down + j * right);
            for (int64_t k = 0; k < j; k++) {
                number at_i = get(a, type, i * down + k * right),
                       at_j = get(a, type, j * down + k * right);
                x -= at_i * conj(at_j);
            }
            if (i == j && !(creal(x) > 0)) {
                *info = (int)j + 1;
                return;
            }
            put(a, type, i * down + j * right,
                i == j ? sqrt(creal(x)) : x / get(a, type, j * (lda + 1)));
        }
}

EXPORT int cusolverDnXpotrf_bufferSize(void *h, void *how, int uplo, int64_t n, int type,
                                       const void *a, int64_t lda, int inside, size_t *device,
                                       size_t *host)
{
    (void)h, (void)how, (void)uplo, (void)n, (void)type, (void)a, (void)lda, (void)inside;
    *device = *host = 8;
    return OK;
}

EXPORT int cusolverDnXpotrf(void *h, void *how, int uplo, int64_t n, int type, void *a,
                            int64_t lda, int inside, void *device, size_t db, void *host,
                            size_t hb, int *info)
{
    (void)h, (void)how, (void)inside, (void)device, (void)db, (void)host, (void)hb;
    factor_positive(uplo, n, type, a, lda, info);
    return OK;
}

#define POTRF(letter, type)                                                                  \
    EXPORT int cusolverDn##letter##potrfBatched(void *h, int uplo, int n, void **a, int lda, \
                                                int *info, int batches)                      \
    {                                                                                        \
        (void)h;                                                                             \
        for (int b = 0; b < batches; b++)                                                    \
            factor_positive(uplo, n, type, ((void **)fake_on_host(a))[b], lda, &info[b]);                             \
        return OK;                                                                           \
    }
POTRF(S, 0)
POTRF(D, 1)
POTRF(C, 4)
POTRF(Z, 5)

/* ---- cuBLAS ---------------------------------------------------------------------------------- */

/* b = b a^-1, which is all that is asked for. */
static int solve_right(int type, int upper, int unit, int m, int n, const void *a, int lda,
                       void *b, int ldb)
{
    for (int64_t t = 0; t < n; t++) {
        int64_t j = upper ? t : n - 1 - t;
        for (int64_t i = 0; i < m; i++) {
            number x = get(b, type, j * ldb + i);
            for (int64_t k = upper ? 0 : j + 1; k < (upper ? j : n); k++)
                x -= get(b, type, k * ldb + i) * get(a, type, j * lda + k);
            put(b, type, j * ldb + i, unit ? x : x / get(a, type, j * lda + j));
        }
    }
    return OK;
}

#define TRSM(letter, type)                                                                        \
    EXPORT int cublas##letter##trsm_v2(void *h, int side, int uplo, int op, int unit, int m,      \
                                       int n, const void *alpha, const void *a, int lda, void *b, \
                                       int ldb)                                                   \
    {                                                                                             \
        enum { RIGHT = 1, WRONG = 7 };                                                            \
        (void)h;                                                                                  \
        return side != RIGHT || op != 0 || get(alpha, type, 0) != 1                               \
                   ? WRONG                                                                        \
                   : solve_right(type, uplo, unit, m, n, a, lda, b, ldb);                         \
    }
TRSM(S, 0)
TRSM(D, 1)
TRSM(C, 4)
TRSM(Z, 5)

/* Column by column; numbers of the same type throughout, float64 sums. */
EXPORT int cublasGemmStridedBatchedEx(void *handle, int turn_a, int turn_b, int m, int n, int k,
                                      const void *alpha, const void *a, int type_a, int lda,
                                      long long batch_a, const void *b, int type_b, int ldb,
                                      long long batch_b, const void *beta, void *c, int type_c,
                                      int ldc, long long batch_c, int batches, int compute,
                                      int algorithm)
{
    enum { WRONG = 7, NOT_SUPPORTED = 15, HALF = 2, BFLOAT = 14 };
    (void)handle, (void)compute, (void)algorithm;
    if (type_a == HALF || type_a == BFLOAT)
        return NOT_SUPPORTED;
    if (type_b != type_a || type_c != type_a || get(alpha, type_a, 0) != 1 ||
        get(beta, type_a, 0) != 0 || lda < (turn_a ? k : m) || ldb < (turn_b ? n : k) || ldc < m)
        return WRONG;
    for (int64_t t = 0; t < batches; t++)
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < m; i++) {
                number sum = 0;
                for (int64_t l = 0; l < k; l++)
                    sum += get(a, type_a, t * batch_a + (turn_a ? i * lda + l : l * lda + i)) *
                           get(b, type_a, t * batch_b + (turn_b ? l * ldb + j : j * ldb + l));
                put(c, type_a, t * batch_c + j * ldc + i, sum);
            }
    return OK;
}
