/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_blas.c - finding, opening and calling BLAS.
 *
 * Places, in this order: HEDDLE_BLAS (a path); the PyPI package scipy-openblas32 beside the
 * folder this library lies in, or beside a parent of it (site-packages); the system's
 * libopenblas and libblas. The package's names begin with scipy_. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE   /* dladdr */
#endif
#include "backend/cpu/cpu_blas.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/pool.h"

enum {
    SGEMM,
    DGEMM,
    CGEMM,
    ZGEMM,
    SGEMV,
    DGEMV,
    CGEMV,
    ZGEMV,
    SSYRK,
    DSYRK,
    CSYRK,
    ZSYRK,
    SET_THREADS,
    GET_THREADS,
    SYMBOLS,
    NEEDED = SET_THREADS
};

static const char *const names[SYMBOLS] = {"cblas_sgemm",
                                           "cblas_dgemm",
                                           "cblas_cgemm",
                                           "cblas_zgemm",
                                           "cblas_sgemv",
                                           "cblas_dgemv",
                                           "cblas_cgemv",
                                           "cblas_zgemv",
                                           "cblas_ssyrk",
                                           "cblas_dsyrk",
                                           "cblas_csyrk",
                                           "cblas_zsyrk",
                                           "openblas_set_num_threads",
                                           "openblas_get_num_threads"};

static void *symbols[SYMBOLS];
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool found;
static _Atomic(int) switched_off;
static _Atomic(int) set_to;      /* threads that BLAS was told to use; 0: not yet */

/* ---- calling --------------------------------------------------------------------------------- */

typedef void (*gemm_s)(int, int, int, int, int, int, float, const void *, int, const void *, int,
                       float, void *, int);
typedef void (*gemm_d)(int, int, int, int, int, int, double, const void *, int, const void *, int,
                       double, void *, int);
typedef void (*gemm_z)(int, int, int, int, int, int, const void *, const void *, int, const void *,
                       int, const void *, void *, int);
typedef void (*gemv_s)(int, int, int, int, float, const void *, int, const void *, int, float,
                       void *, int);
typedef void (*gemv_d)(int, int, int, int, double, const void *, int, const void *, int, double,
                       void *, int);
typedef void (*syrk_s)(int, int, int, int, int, float, const void *, int, float, void *, int);
typedef void (*syrk_d)(int, int, int, int, int, double, const void *, int, double, void *, int);
typedef void (*syrk_z)(int, int, int, int, int, const void *, const void *, int, const void *,
                       void *, int);
typedef int (*get_threads)(void);
typedef void (*put_threads)(int);
typedef void (*gemv_z)(int, int, int, int, const void *, const void *, int, const void *, int,
                       const void *, void *, int);

static const float one_c[2] = {1, 0}, zero_c[2];
static const double one_z[2] = {1, 0}, zero_z[2];

/* dlsym() gives addresses of objects; the copy is the way POSIX recommends to make functions of
 * them. */
#define FUNCTION(type, symbol) type f; memcpy(&f, &(symbol), sizeof f)

void hdi_cpu_blas_gemm(hd_dtype dt, const hdi_cpu_gemm *g, bool add)
{
    if (dt == HD_FLOAT32) {
        FUNCTION(gemm_s, symbols[SGEMM]);
        f(g->order, g->ta, g->tb, g->m, g->n, g->k, 1, g->a, g->lda, g->b, g->ldb, add ? 1 : 0,
          g->c, g->ldc);
    } else if (dt == HD_FLOAT64) {
        FUNCTION(gemm_d, symbols[DGEMM]);
        f(g->order, g->ta, g->tb, g->m, g->n, g->k, 1, g->a, g->lda, g->b, g->ldb, add ? 1 : 0,
          g->c, g->ldc);
    } else if (dt == HD_COMPLEX64) {
        FUNCTION(gemm_z, symbols[CGEMM]);
        f(g->order, g->ta, g->tb, g->m, g->n, g->k, one_c, g->a, g->lda, g->b, g->ldb,
          add ? one_c : zero_c, g->c, g->ldc);
    } else {
        FUNCTION(gemm_z, symbols[ZGEMM]);
        f(g->order, g->ta, g->tb, g->m, g->n, g->k, one_z, g->a, g->lda, g->b, g->ldb,
          add ? one_z : zero_z, g->c, g->ldc);
    }
}

void hdi_cpu_blas_gemv(hd_dtype dt, bool transposed, int m, int n, const void *a, int lda,
                       const void *x, int incx, void *y, int incy)
{
    int t = transposed ? CPU_BLAS_TRANSPOSED : CPU_BLAS_PLAIN, rows = CPU_BLAS_ROWS;
    if (dt == HD_FLOAT32) {
        FUNCTION(gemv_s, symbols[SGEMV]);
        f(rows, t, m, n, 1, a, lda, x, incx, 0, y, incy);
    } else if (dt == HD_FLOAT64) {
        FUNCTION(gemv_d, symbols[DGEMV]);
        f(rows, t, m, n, 1, a, lda, x, incx, 0, y, incy);
    } else if (dt == HD_COMPLEX64) {
        FUNCTION(gemv_z, symbols[CGEMV]);
        f(rows, t, m, n, one_c, a, lda, x, incx, zero_c, y, incy);
    } else {
        FUNCTION(gemv_z, symbols[ZGEMV]);
        f(rows, t, m, n, one_z, a, lda, x, incx, zero_z, y, incy);
    }
}

void hdi_cpu_blas_syrk(hd_dtype dt, bool transposed, int n, int k, const void *a, int lda, void *c,
                       int ldc)
{
    int t = transposed ? CPU_BLAS_TRANSPOSED : CPU_BLAS_PLAIN, rows = CPU_BLAS_ROWS,
        upper = CPU_BLAS_UPPER;
    if (dt == HD_FLOAT32) {
        FUNCTION(syrk_s, symbols[SSYRK]);
        f(rows, upper, t, n, k, 1, a, lda, 0, c, ldc);
    } else if (dt == HD_FLOAT64) {
        FUNCTION(syrk_d, symbols[DSYRK]);
        f(rows, upper, t, n, k, 1, a, lda, 0, c, ldc);
    } else if (dt == HD_COMPLEX64) {
        FUNCTION(syrk_z, symbols[CSYRK]);
        f(rows, upper, t, n, k, one_c, a, lda, zero_c, c, ldc);
    } else {
        FUNCTION(syrk_z, symbols[ZSYRK]);
        f(rows, upper, t, n, k, one_z, a, lda, zero_z, c, ldc);
    }
}

/* ---- finding --------------------------------------------------------------------------------- */

static char opened[4096];   /* its path */
static void *library;       /* as dlopen() gave it */
static bool with_prefix;

static bool open_library(const char *path)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL)
        return false;
    for (int prefixed = 1; prefixed >= 0; prefixed--) {
        bool all = true;
        for (int i = 0; i < SYMBOLS; i++) {
            char name[64];
            snprintf(name, sizeof name, "%s%s", prefixed ? "scipy_" : "", names[i]);
            symbols[i] = dlsym(handle, name);
            all = all && (symbols[i] != NULL || i >= NEEDED);
        }
        if (all) {
            snprintf(opened, sizeof opened, "%s", path);
            library = handle;
            with_prefix = prefixed;
            return true;
        }
    }
    dlclose(handle);
    return false;
}

/* The package beside this library's folder, or beside up to four of its parents. */
static bool open_package(void)
{
    Dl_info info;
    char path[4096];
    if (dladdr(symbols, &info) == 0 || info.dli_fname == NULL ||
        strlen(info.dli_fname) > sizeof path - 64)
        return false;
    strcpy(path, info.dli_fname);
    for (int up = 0; up < 5; up++) {
        char *slash = strrchr(path, '/');
        if (slash == NULL)
            return false;
        strcpy(slash, "/scipy_openblas32/lib/libscipy_openblas.so");
        if (open_library(path))
            return true;
        *slash = '\0';
    }
    return false;
}

static void find(void)
{
    static const char *const system[] = {"libopenblas.so.0", "libblas.so.3"};
    const char *wish = getenv("HEDDLE_BLAS");
    if (wish != NULL && *wish != '\0')
        found = open_library(wish);
    found = found || open_package();
    for (size_t i = 0; !found && i < sizeof system / sizeof *system; i++)
        found = open_library(system[i]);
}

/* BLAS uses as many threads as kernels do; it is told only when that is not what it does anyway. */
static void set_threads(void)
{
    int wanted = hdi_pool_threads();
    if (symbols[SET_THREADS] == NULL || symbols[GET_THREADS] == NULL ||
        atomic_load_explicit(&set_to, memory_order_relaxed) == wanted)
        return;
    FUNCTION(get_threads, symbols[GET_THREADS]);
    if (f() != wanted) {
        put_threads put;
        memcpy(&put, &symbols[SET_THREADS], sizeof put);
        put(wanted);
    }
    atomic_store_explicit(&set_to, wanted, memory_order_relaxed);
}

bool hdi_cpu_blas_ready(void)
{
    if (atomic_load_explicit(&switched_off, memory_order_relaxed))
        return false;
    pthread_once(&once, find);
    if (!found)
        return false;
    set_threads();
    return true;
}

void *hdi_cpu_blas_symbol(const char *name)
{
    char full[64];
    snprintf(full, sizeof full, "%s%s", with_prefix ? "scipy_" : "", name);
    return found ? dlsym(library, full) : NULL;
}

const char *hdi_cpu_blas_name(void)
{
    return opened[0] != '\0' ? opened : NULL;
}

void hdi_cpu_blas_off(bool off)
{
    atomic_store(&switched_off, off);
}
