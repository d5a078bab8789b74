/* SPDX-License-Identifier: BSD-3-Clause */
/* fake_libcufft.c - stands in for cuFFT where there is no GPU: small transforms of up to three axes
 * as their definition says, on the host. The dynamic linker finds it under that library's name
 * (tests/python/test_cuda_fake.py). A test may also look for these:
 *   fake_fft_fail(n, status)   the next n plans cannot be made: status
 *   fake_fft_plans()           how many plans there are
 * A plan's tables are there when the context has been waited for, as on a GPU that has other work. */
#include <complex.h>
#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "fake_memory.h"

#define EXPORT __attribute__((visibility("default")))
#pragma GCC diagnostic ignored "-Wmissing-prototypes"   /* the library declares them */
typedef double complex number;
enum { OK = 0, INVALID_PLAN = 1, ALLOC_FAILED = 2, INVALID_VALUE = 4, EXEC_FAILED = 6, AXES = 3,
       MOST = 64 };

/* Types are numbered as CUDA does: 0 float32, 1 float64, 4 complex64, 5 complex128. */
typedef struct side { long long embed[AXES], stride, dist; int type; } side;
typedef struct plan {
    bool there;
    int rank;
    long long n[AXES], batch;
    side in, out;
    char *work;
    long long waits;             /* how often everything had been waited for when it was made */
} plan;
static plan plans[MOST];
static int fails, fail_status;

EXPORT void fake_fft_fail(int n, int status)
{
    fails = n;
    fail_status = status;
}

EXPORT int fake_fft_plans(void)
{
    int n = 0;
    for (int k = 0; k < MOST; k++)
        n += plans[k].there;
    return n;
}

static long long waits(void)
{
    void *driver = dlopen(getenv("HEDDLE_LIBCUDA"), RTLD_NOW | RTLD_NOLOAD);
    long long (*count)(const char *) = NULL;
    *(void **)&count = dlsym(driver, "fake_cuda_count");
    dlclose(driver);
    return count("cuCtxSynchronize");
}

/* ---- plans ----------------------------------------------------------------------------------- */

EXPORT int cufftCreate(int *handle)
{
    int k = 0;
    while (k < MOST && plans[k].there)
        k++;
    *handle = k;
    if (k == MOST)
        return ALLOC_FAILED;
    plans[k] = (plan){.there = true};
    return OK;
}

EXPORT int cufftDestroy(int handle)
{
    if (handle < 0 || handle >= MOST || !plans[handle].there)
        return INVALID_PLAN;
    plans[handle].there = false;
    return OK;
}

static bool is_real(int type) { return type < 4; }

/* embed NULL: elements lie one after another. */
static side side_of(const plan *p, const long long *embed, long long stride, long long dist,
                    int type, bool half)
{
    side s = {.stride = stride, .dist = dist, .type = type};
    for (int a = 0; a < p->rank; a++)
        s.embed[a] = embed != NULL                ? embed[a]
                     : half && a == p->rank - 1 ? p->n[a] / 2 + 1
                                                : p->n[a];
    return s;
}

EXPORT int cufftXtMakePlanMany(int handle, int rank, long long *n, long long *in, long long istride,
                               long long idist, int itype, long long *out, long long ostride,
                               long long odist, int otype, long long batch, size_t *work, int type)
{
    if (fails > 0 && fails-- > 0)
        return fail_status;
    if (handle < 0 || handle >= MOST || !plans[handle].there || rank < 1 || rank > AXES ||
        is_real(type))
        return INVALID_VALUE;
    plan *p = &plans[handle];
    p->rank = rank;
    p->batch = batch;
    memcpy(p->n, n, sizeof *n * (size_t)rank);
    p->in = side_of(p, in, istride, idist, itype, is_real(otype));
    p->out = side_of(p, out, ostride, odist, otype, is_real(itype));
    p->waits = waits();
    *work = 64;
    return OK;
}

EXPORT int cufftSetAutoAllocation(int handle, int on) { (void)handle; return on ? 1 : OK; }
EXPORT int cufftSetStream(int handle, void *stream)
{
    (void)handle;
    return stream != NULL ? OK : INVALID_VALUE;
}
EXPORT int cufftSetWorkArea(int handle, void *area)
{
    plans[handle].work = area;
    return area != NULL ? OK : INVALID_VALUE;
}

/* ---- transforms ------------------------------------------------------------------------------ */

static long long place(const plan *p, const side *s, const long long *at)
{
    long long place = 0;
    for (int a = 0; a < p->rank; a++)
        place = place * s->embed[a] + at[a];
    return place * s->stride;
}

/* Element `at`; of a half spectrum also those that are conjugates of what is stored. */
static number get(const plan *p, const char *from, const long long *at)
{
    long long mirrored[AXES];
    int last = p->rank - 1;
    bool turned = is_real(p->out.type) && at[last] > p->n[last] / 2;
    for (int a = 0; a < p->rank; a++)
        mirrored[a] = turned ? (p->n[a] - at[a]) % p->n[a] : at[a];
    long long i = place(p, &p->in, mirrored);
    number x = 0;
    switch (p->in.type) {
    case 0: x = ((const float *)from)[i]; break;
    case 1: x = ((const double *)from)[i]; break;
    case 4: x = ((const float complex *)from)[i]; break;
    default: x = ((const double complex *)from)[i]; break;
    }
    return turned ? conj(x) : x;
}

static void put(const plan *p, char *to, const long long *at, number x)
{
    long long i = place(p, &p->out, at);
    switch (p->out.type) {
    case 0: ((float *)to)[i] = (float)creal(x); break;
    case 1: ((double *)to)[i] = creal(x); break;
    case 4: ((float complex *)to)[i] = (float complex)x; break;
    default: ((double complex *)to)[i] = x; break;
    }
}

static void index_of(const plan *p, long long k, long long *at)
{
    for (int a = p->rank - 1; a >= 0; k /= p->n[a--])
        at[a] = k % p->n[a];
}

static long long size_of_type(int type)
{
    return type == 0 ? 4 : type == 5 ? 16 : 8;
}

static number sum(const plan *p, const number *x, long long size, const long long *k, int sign)
{
    number s = 0;
    for (long long j = 0; j < size; j++) {
        long long at[AXES];
        double turns = 0;
        index_of(p, j, at);
        for (int a = 0; a < p->rank; a++)
            turns += (double)(at[a] * k[a] % p->n[a]) / (double)p->n[a];
        s += x[j] * cexp(sign * 2 * M_PI * I * turns);
    }
    return s;
}

EXPORT int cufftXtExec(int handle, void *in, void *out, int sign)
{
    const plan *p = &plans[handle];
    long long size = 1, at[AXES];
    if (waits() == p->waits)
        return EXEC_FAILED;
    for (int a = 0; a < p->rank; a++)
        size *= p->n[a];
    number *x = malloc(sizeof *x * (size_t)size);
    if (x == NULL || !p->there || p->work == NULL) {
        free(x);
        return INVALID_PLAN;
    }
    memset(fake_on_host(p->work), 0, 64);
    for (long long b = 0; b < p->batch; b++) {
        const char *from = (const char *)fake_on_host(in) + b * p->in.dist * size_of_type(p->in.type);
        char *to = (char *)fake_on_host(out) + b * p->out.dist * size_of_type(p->out.type);
        for (long long j = 0; j < size; j++) {
            index_of(p, j, at);
            x[j] = get(p, from, at);
        }
        for (long long k = 0; k < size; k++) {
            index_of(p, k, at);
            if (!is_real(p->in.type) || at[p->rank - 1] <= p->n[p->rank - 1] / 2)
                put(p, to, at, sum(p, x, size, at, is_real(p->in.type)    ? -1
                                                   : is_real(p->out.type) ? 1
                                                                          : sign));
        }
    }
    free(x);
    return OK;
}
