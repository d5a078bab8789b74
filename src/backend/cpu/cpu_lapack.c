/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_lapack.c - finding and calling LAPACK by Fortran's convention: all arguments are addresses,
 * and the lengths of texts, 1 each, follow behind. */
#include "backend/cpu/cpu_lapack.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "backend/cpu/cpu_blas.h"

enum { GESV, GETRF, POTRF, EIGH, GEEV, GESDD, GEQRF, ORGQR, GELSD, ROUTINES };

static const char *const names[2][ROUTINES] = {
    {"dgesv_", "dgetrf_", "dpotrf_", "dsyevd_", "dgeev_", "dgesdd_", "dgeqrf_", "dorgqr_",
     "dgelsd_"},
    {"zgesv_", "zgetrf_", "zpotrf_", "zheevd_", "zgeev_", "zgesdd_", "zgeqrf_", "zungqr_",
     "zgelsd_"}};

static void *symbols[2][ROUTINES];
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool found;
static _Atomic(bool) looked;

static bool find_in(void *library)
{
    bool all = true;
    for (int z = 0; z < 2; z++)
        for (int i = 0; i < ROUTINES; i++) {
            symbols[z][i] = library != NULL ? dlsym(library, names[z][i])
                                            : hdi_cpu_blas_symbol(names[z][i]);
            all = all && symbols[z][i] != NULL;
        }
    return all;
}

/* A BLAS without LAPACK: the system's LAPACK may be there beside it. */
static void find(void)
{
    found = find_in(NULL);
    void *library = found ? NULL : dlopen("liblapack.so.3", RTLD_NOW | RTLD_LOCAL);
    if (library != NULL) {
        found = find_in(library);
        if (!found)
            dlclose(library);
    }
    atomic_store_explicit(&looked, true, memory_order_release);
}

bool hdi_cpu_lapack_at_hand(void)
{
    return hdi_cpu_blas_at_hand() && atomic_load_explicit(&looked, memory_order_acquire);
}

bool hdi_cpu_lapack_ready(void)
{
    if (!hdi_cpu_blas_ready())
        return false;
    pthread_once(&once, find);
    return found;
}

/* ---- calling --------------------------------------------------------------------------------- */

typedef const int *count;
typedef const char *letter;
typedef void (*gesv_f)(count n, count k, void *a, count lda, int *pivots, void *b, count ldb,
                       int *info);
typedef void (*getrf_f)(count m, count n, void *a, count lda, int *pivots, int *info);
typedef void (*potrf_f)(letter uplo, count n, void *a, count lda, int *info, size_t);
typedef void (*dsyevd_f)(letter job, letter uplo, count n, void *a, count lda, double *w,
                         void *work, count lwork, int *iwork, count liwork, int *info, size_t,
                         size_t);
typedef void (*zheevd_f)(letter job, letter uplo, count n, void *a, count lda, double *w,
                         void *work, count lwork, double *rwork, count lrwork, int *iwork,
                         count liwork, int *info, size_t, size_t);
typedef void (*dgeev_f)(letter left, letter right, count n, void *a, count lda, double *wr,
                        double *wi, void *vl, count ldvl, void *vr, count ldvr, void *work,
                        count lwork, int *info, size_t, size_t);
typedef void (*zgeev_f)(letter left, letter right, count n, void *a, count lda, void *w, void *vl,
                        count ldvl, void *vr, count ldvr, void *work, count lwork, double *rwork,
                        int *info, size_t, size_t);
typedef void (*dgesdd_f)(letter job, count m, count n, void *a, count lda, double *s, void *u,
                         count ldu, void *vt, count ldvt, void *work, count lwork, int *iwork,
                         int *info, size_t);
typedef void (*zgesdd_f)(letter job, count m, count n, void *a, count lda, double *s, void *u,
                         count ldu, void *vt, count ldvt, void *work, count lwork, double *rwork,
                         int *iwork, int *info, size_t);
typedef void (*geqrf_f)(count m, count n, void *a, count lda, void *tau, void *work, count lwork,
                        int *info);
typedef void (*orgqr_f)(count m, count n, count k, void *a, count lda, const void *tau, void *work,
                        count lwork, int *info);
typedef void (*dgelsd_f)(count m, count n, count k, void *a, count lda, void *b, count ldb,
                         double *s, const double *rcond, int *rank, void *work, count lwork,
                         int *iwork, int *info);
typedef void (*zgelsd_f)(count m, count n, count k, void *a, count lda, void *b, count ldb,
                         double *s, const double *rcond, int *rank, void *work, count lwork,
                         double *rwork, int *iwork, int *info);

/* dlsym() gives addresses of objects; the copy is the way POSIX recommends to make functions of
 * them. */
#define FUNCTION(type, symbol) type f; memcpy(&f, &(symbol), sizeof f)

static int at_least_1(int n)
{
    return n > 0 ? n : 1;
}

int hdi_lapack_gesv(bool z, int n, int k, void *a, int *pivots, void *b)
{
    int info = 0, ld = at_least_1(n);
    FUNCTION(gesv_f, symbols[z][GESV]);
    f(&n, &k, a, &ld, pivots, b, &ld, &info);
    return info;
}

int hdi_lapack_getrf(bool z, int n, void *a, int *pivots)
{
    int info = 0, ld = at_least_1(n);
    FUNCTION(getrf_f, symbols[z][GETRF]);
    f(&n, &n, a, &ld, pivots, &info);
    return info;
}

int hdi_lapack_potrf(bool z, bool upper, int n, void *a)
{
    int info = 0, ld = at_least_1(n);
    FUNCTION(potrf_f, symbols[z][POTRF]);
    f(upper ? "U" : "L", &n, a, &ld, &info, 1);
    return info;
}

int hdi_lapack_eigh(bool z, bool vectors, bool upper, int n, void *a, double *w,
                    const hdi_lapack_work *k)
{
    int info = 0, ld = at_least_1(n);
    const char *job = vectors ? "V" : "N", *uplo = upper ? "U" : "L";
    if (z) {
        FUNCTION(zheevd_f, symbols[1][EIGH]);
        f(job, uplo, &n, a, &ld, w, k->work, &k->lwork, k->rwork, &k->lrwork, k->iwork, &k->liwork,
          &info, 1, 1);
    } else {
        FUNCTION(dsyevd_f, symbols[0][EIGH]);
        f(job, uplo, &n, a, &ld, w, k->work, &k->lwork, k->iwork, &k->liwork, &info, 1, 1);
    }
    return info;
}

int hdi_lapack_geev(bool z, bool vectors, int n, void *a, void *w, void *v,
                    const hdi_lapack_work *k)
{
    int info = 0, ld = at_least_1(n);
    const char *right = vectors ? "V" : "N";
    if (z) {
        FUNCTION(zgeev_f, symbols[1][GEEV]);
        f("N", right, &n, a, &ld, w, NULL, &ld, v, &ld, k->work, &k->lwork, k->rwork, &info, 1, 1);
    } else {
        FUNCTION(dgeev_f, symbols[0][GEEV]);
        double *re = w, *im = w != NULL ? re + n : NULL;
        f("N", right, &n, a, &ld, re, im, NULL, &ld, v, &ld, k->work, &k->lwork, &info, 1, 1);
    }
    return info;
}

int hdi_lapack_gesdd(bool z, char job, int m, int n, void *a, double *s, void *u, void *vt,
                     int vt_rows, const hdi_lapack_work *k)
{
    int info = 0, ld = at_least_1(m), ldvt = at_least_1(vt_rows);
    if (z) {
        FUNCTION(zgesdd_f, symbols[1][GESDD]);
        f(&job, &m, &n, a, &ld, s, u, &ld, vt, &ldvt, k->work, &k->lwork, k->rwork, k->iwork,
          &info, 1);
    } else {
        FUNCTION(dgesdd_f, symbols[0][GESDD]);
        f(&job, &m, &n, a, &ld, s, u, &ld, vt, &ldvt, k->work, &k->lwork, k->iwork, &info, 1);
    }
    return info;
}

int hdi_lapack_geqrf(bool z, int m, int n, void *a, void *tau, const hdi_lapack_work *k)
{
    int info = 0, ld = at_least_1(m);
    FUNCTION(geqrf_f, symbols[z][GEQRF]);
    f(&m, &n, a, &ld, tau, k->work, &k->lwork, &info);
    return info;
}

int hdi_lapack_orgqr(bool z, int m, int columns, int reflectors, void *a, void *tau,
                     const hdi_lapack_work *k)
{
    int info = 0, ld = at_least_1(m);
    FUNCTION(orgqr_f, symbols[z][ORGQR]);
    f(&m, &columns, &reflectors, a, &ld, tau, k->work, &k->lwork, &info);
    return info;
}

int hdi_lapack_gelsd(bool z, int m, int n, int columns, void *a, void *b, double *s, double rcond,
                     int *rank, const hdi_lapack_work *k)
{
    int info = 0, lda = at_least_1(m), ldb = at_least_1(m > n ? m : n);
    if (z) {
        FUNCTION(zgelsd_f, symbols[1][GELSD]);
        f(&m, &n, &columns, a, &lda, b, &ldb, s, &rcond, rank, k->work, &k->lwork, k->rwork,
          k->iwork, &info);
    } else {
        FUNCTION(dgelsd_f, symbols[0][GELSD]);
        f(&m, &n, &columns, a, &lda, b, &ldb, s, &rcond, rank, k->work, &k->lwork, k->iwork, &info);
    }
    return info;
}
