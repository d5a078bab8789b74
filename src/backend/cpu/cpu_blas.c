/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_blas.c - finding, opening and calling BLAS.
 *
 * Places, in this order: HEDDLE_BLAS (a path); the PyPI package scipy-openblas32 beside the
 * folder this library lies in, or beside a parent of it (site-packages); the system's
 * libopenblas and libblas. The package's names begin with scipy_.
 *
 * OpenBLAS makes its threads when it is loaded and maps an area for each thread that calls or
 * works. If it cannot, it ends the process or waits for ever, so both are tried before: where
 * threads cannot be made it is opened while the calling thread may run on one processor only, so
 * that it makes none. Where the address space is limited so too, and then gets as many threads as
 * there is room for; without room for one it is not opened, and tried again the next time. Under
 * a limit, each of its threads is given work once while there is room, so that it has its area,
 * and only one thread of ours calls at a time (cpu_turns.c).
 *
 * Its threads wait for each other by spinning, which on a busy machine takes a hundred times as
 * long as the work. So without a limit it is told to use one, the caller's, and products are
 * tasks of our own pool (cpu_product_cut.c); large matrices of LAPACK, which has its own ways to
 * share, get its threads while they last. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE   /* dladdr, cpu_set_t */
#endif
#include "backend/cpu/cpu_blas.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/cpu_blas_room.h"
#include "base/alloc.h"
#include "base/beside.h"
#include "base/cpus.h"
#include "base/forks.h"
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
    GET_PARALLEL,
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
                                           "openblas_get_num_threads",
                                           "openblas_get_parallel"};

static void *symbols[SYMBOLS];
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(int) state;       /* UNTRIED, ABSENT, OPEN */
enum { UNTRIED, ABSENT, OPEN };
static _Atomic(int) lacks_room;
static _Atomic(int) switched_off;
static _Atomic(int) set_to;      /* threads that BLAS was told to use; 0: not yet */
static bool one_thread;          /* of the caller alone, but for crowds */
static int crowds;               /* calls under way that use several */
static pthread_mutex_t telling = PTHREAD_MUTEX_INITIALIZER;   /* over crowds and set_to */
static int made;                 /* threads that it has, the caller's included */
static int in_use;               /* of these, how many it may use */
static int warm;                 /* of these, how many surely have their areas */

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

static bool open_library(const char *path, int how)
{
    void *handle = dlopen(path, how | RTLD_LOCAL);
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
            hdi_forks_loaded();
            return true;
        }
    }
    dlclose(handle);
    return false;
}

/* The package beside this library's folder, or beside up to four of its parents. It is complete:
 * its 2,000 calls of functions are bound when they are made. */
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
        if (open_library(path, RTLD_LAZY))
            return true;
        *slash = '\0';
    }
    return false;
}

static bool open_wish(void)
{
    return open_library(hdi_file_wish("HEDDLE_BLAS"), RTLD_NOW);
}

static bool open_system(void)
{
    return open_library("libopenblas.so.0", RTLD_NOW) || open_library("libblas.so.3", RTLD_NOW);
}

/* Opens while this thread may run on one processor only: OpenBLAS makes a thread for each processor
 * that it finds. */
static bool alone(bool (*open)(void))
{
    cpu_set_t before, one;
    const int cpu = sched_getcpu();
    bool known = cpu >= 0 && cpu < CPU_SETSIZE &&
                 sched_getaffinity(0, sizeof before, &before) == 0;
    CPU_ZERO(&one);
    if (known)
        CPU_SET((unsigned)cpu, &one);
    known = known && sched_setaffinity(0, sizeof one, &one) == 0;
    bool found = open();
    if (known)
        sched_setaffinity(0, sizeof before, &before);
    return found;
}

/* A library that may count processors only once makes its threads now, if they can be made: where
 * they cannot OpenBLAS waits for them for ever. */
static bool with_threads(bool (*open)(void), bool limited)
{
    const int others = (int)hdi_min64(hdi_cpus_affinity(), HDI_POOL_MAX) - 1;
    return limited || !hdi_cpu_threads_possible(others) ? alone(open) : open();
}

/* The package makes threads when they are asked for: mostly ours share the work
 * (settle_threads()). */
static bool find(bool limited)
{
    const bool wished = hdi_file_wish("HEDDLE_BLAS") != NULL;
    return (wished && with_threads(open_wish, limited)) || alone(open_package) ||
           with_threads(open_system, limited);
}

/* ---- threads and room ------------------------------------------------------------------------ */

enum {
    CALL_BYTES = 16 << 20,       /* lists of parts that parallel routines take, and do not check */
    WARM = 128                   /* rows for each thread: more than BLAS gives to one */
};
#define LIBRARY_BYTES ((int64_t)224 << 20)   /* the code, and the area that loading it maps */

/* Of one thread's area: what OpenBLAS has for x86-64 unless it is made otherwise, as the package
 * is. */
static int64_t area_bytes(void)
{
    return (int64_t)(with_prefix ? 32 : 128) << 20;
}

/* A product large enough that each of n threads gets a part, and with it its area. */
static void warm_up(int n)
{
    const int depth = n > 1 ? 32 : 8;
    const int64_t m = (int64_t)n * WARM, bytes = (m * 32 + 32 * WARM + m * WARM) * 8;
    double *a = bytes > 0 ? hdi_alloc((size_t)bytes) : NULL;
    if (a == NULL)
        return;
    memset(a, 0, (size_t)bytes);
    double *c = a + m * 32 + 32 * WARM;
    const hdi_cpu_gemm g = {.order = CPU_BLAS_ROWS, .ta = CPU_BLAS_PLAIN, .tb = CPU_BLAS_PLAIN,
                            .m = (int)m, .n = WARM, .k = depth, .lda = depth, .ldb = WARM,
                            .ldc = WARM,
                            .a = a, .b = a + m * 32, .c = c};
    hdi_cpu_blas_gemm(HD_FLOAT64, &g, false);
    hdi_cpu_blas_syrk(HD_FLOAT64, false, WARM, depth, a, depth, c, WARM);
    hdi_free(a, (size_t)bytes);
    warm = n;
}

/* As many threads, up to `wanted`, as there is room for. */
static int threads_with_room(int wanted)
{
    if (!hdi_cpu_threads_possible(wanted - made))
        return made;
    const int64_t each = area_bytes() + hdi_cpu_stack_bytes();
    while (wanted > made && !hdi_could_map((wanted - made + 1) * each))
        wanted = made + (wanted - made) / 2;
    return wanted;
}

static void tell_threads(int n)
{
    FUNCTION(get_threads, symbols[GET_THREADS]);
    if (f() != n) {
        put_threads put;
        memcpy(&put, &symbols[SET_THREADS], sizeof put);
        put(n);
    }
}

/* BLAS is told only when that is not what it does anyway. */
static void set_threads(int wanted)
{
    if (symbols[SET_THREADS] == NULL || symbols[GET_THREADS] == NULL ||
        atomic_load_explicit(&set_to, memory_order_relaxed) == wanted)
        return;
    int n = wanted > made ? threads_with_room(wanted) : wanted;
    tell_threads(n);
    made = n > made ? n : made;
    in_use = n;
    atomic_store_explicit(&set_to, wanted, memory_order_relaxed);
}

/* Can OpenBLAS be called by many threads, each for itself? One whose threads are OpenMP's would
 * make a team for each of ours. */
static bool counts_threads(void)
{
    if (symbols[SET_THREADS] == NULL || symbols[GET_THREADS] == NULL ||
        symbols[GET_PARALLEL] == NULL)
        return false;
    FUNCTION(get_threads, symbols[GET_PARALLEL]);
    return f() <= 1;
}

/* The threads of a call: as many as kernels use, or one if our own threads share the work. */
static void settle_threads(bool limited)
{
    const int wanted = one_thread && !limited ? 1 : hdi_pool_threads();
    if (HDI_LIKELY(atomic_load_explicit(&set_to, memory_order_relaxed) == wanted))
        return;
    pthread_mutex_lock(&telling);
    if (crowds == 0)
        set_threads(wanted);
    pthread_mutex_unlock(&telling);
}

/* Under a limit: threads that have no areas yet get them now, or are not used. Who calls has BLAS
 * for himself, unless the limit is news to others: these are kept from the numbers. */
static bool has_room(void)
{
    pthread_mutex_lock(&telling);
    while (in_use > warm && !hdi_could_map((in_use - warm + 1) * area_bytes()))
        in_use = warm + (in_use - warm) / 2;
    if (symbols[SET_THREADS] != NULL && symbols[GET_THREADS] != NULL)
        tell_threads(in_use);
    if (in_use > warm)
        warm_up(in_use);
    pthread_mutex_unlock(&telling);
    const bool room = hdi_could_map(CALL_BYTES);
    atomic_store_explicit(&lacks_room, !room, memory_order_relaxed);
    return room;
}

static void try_to_open(void)
{
    const bool limited = hdi_cpu_space_limited();
    bool room = !limited || library != NULL || hdi_could_map(LIBRARY_BYTES);
    if (room && library == NULL) {
        bool found = find(limited);
        made = 1;
        if (found && symbols[GET_THREADS] != NULL) {
            FUNCTION(get_threads, symbols[GET_THREADS]);
            made = f();
        }
        if (!found)
            atomic_store_explicit(&state, ABSENT, memory_order_release);
    }
    room = room && (!limited || library == NULL || hdi_could_map(2 * area_bytes()));
    atomic_store_explicit(&lacks_room, !room, memory_order_relaxed);
    if (!room || library == NULL)
        return;
    in_use = made;
    one_thread = counts_threads();
    warm_up(1);                  /* this thread's area */
    atomic_store_explicit(&state, OPEN, memory_order_release);
}

bool hdi_cpu_blas_ready(void)
{
    if (atomic_load_explicit(&switched_off, memory_order_relaxed))
        return false;
    if (HDI_UNLIKELY(atomic_load_explicit(&state, memory_order_acquire) == UNTRIED)) {
        pthread_mutex_lock(&opening);
        if (atomic_load_explicit(&state, memory_order_relaxed) == UNTRIED)
            try_to_open();
        pthread_mutex_unlock(&opening);
    }
    if (atomic_load_explicit(&state, memory_order_relaxed) != OPEN)
        return false;
    const bool limited = hdi_cpu_space_limited();
    settle_threads(limited);
    return !limited || has_room();
}

bool hdi_cpu_blas_at_hand(void)
{
    if (atomic_load_explicit(&switched_off, memory_order_relaxed))
        return true;
    const int now = atomic_load_explicit(&state, memory_order_acquire);
    return now == ABSENT || (now == OPEN && !hdi_cpu_space_limited());
}

bool hdi_cpu_blas_is_absent(void)
{
    return atomic_load_explicit(&switched_off, memory_order_relaxed) ||
           atomic_load_explicit(&state, memory_order_acquire) == ABSENT;
}

bool hdi_cpu_blas_lacks_room(void)
{
    return atomic_load_explicit(&lacks_room, memory_order_relaxed);
}

bool hdi_cpu_blas_one_caller(void)
{
    return hdi_cpu_space_limited_now();
}

bool hdi_cpu_blas_one_thread(void)
{
    return atomic_load_explicit(&state, memory_order_acquire) == OPEN && one_thread &&
           !hdi_cpu_space_limited();
}

bool hdi_cpu_blas_crowd(void)
{
    if (!hdi_cpu_blas_one_thread() || hdi_pool_threads() == 1 || hdi_cpu_blas_one_caller())
        return false;
    pthread_mutex_lock(&telling);
    if (crowds++ == 0)
        set_threads(hdi_pool_threads());
    pthread_mutex_unlock(&telling);
    return true;
}

void hdi_cpu_blas_uncrowd(void)
{
    pthread_mutex_lock(&telling);
    if (--crowds == 0)
        set_threads(1);
    pthread_mutex_unlock(&telling);
}

void *hdi_cpu_blas_symbol(const char *name)
{
    char full[64];
    snprintf(full, sizeof full, "%s%s", with_prefix ? "scipy_" : "", name);
    return library != NULL ? dlsym(library, full) : NULL;
}

const char *hdi_cpu_blas_name(void)
{
    return opened[0] != '\0' ? opened : NULL;
}

void hdi_cpu_blas_off(bool off)
{
    atomic_store(&switched_off, off);
}
