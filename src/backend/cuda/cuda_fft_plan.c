/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_fft_plan.c - see cuda_fft_plan.h. Making a plan takes milliseconds; what it works in is
 * borrowed from the device's pool for each call. */
#include "backend/cuda/cuda_fft_plan.h"

#include "backend/cuda/cuda_libraries.h"
#include "base/alloc.h"

enum { KEPT = 32 };

typedef struct plan { hdi_fft_key key; int handle; size_t work; uint64_t used; } plan;
struct hdi_cuda_ffts { plan plans[KEPT]; int n; uint64_t clock; };

static hd_status check(hdi_cuda *d, int code, const char *function, const hdi_fft_key *k)
{
    enum { ALLOC_FAILED = 2 };
    return code == 0
               ? HD_OK
               : hdi_fail(code == ALLOC_FAILED ? HD_NOMEM : HD_DEVICE,
                          "cuFFT on cuda:%d: %s of %lld transforms of %lld x %lld x %lld points "
                          "gave status %d", d->number, function, (long long)k->batch,
                          (long long)k->n[0], (long long)k->n[1], (long long)k->n[2], code);
}

static hdi_cuda_code_address cufft(const char *name)
{
    return hdi_cuda_symbol(HDI_CUFFT, name);
}

static hd_status make_plan(hdi_cuda *d, const hdi_fft_key *key, plan *p)
{
    typedef int (*create_fn)(int *);
    typedef int (*auto_fn)(int, int);
    typedef int (*make_fn)(int, int, long long *, long long *, long long, long long, int,
                           long long *, long long, long long, int, long long, size_t *, int);
    typedef int (*destroy_fn)(int);
    create_fn create = (create_fn)cufft("cufftCreate");
    auto_fn allocate = (auto_fn)cufft("cufftSetAutoAllocation");
    make_fn make = (make_fn)cufft("cufftXtMakePlanMany");
    destroy_fn destroy = (destroy_fn)cufft("cufftDestroy");
    long long n[HDI_FFT_AXES], in[HDI_FFT_AXES], out[HDI_FFT_AXES];
    if (create == NULL || allocate == NULL || make == NULL || destroy == NULL)
        return hd_error_peek()->code;
    bool plain = key->batch == 1 && key->in.stride == 1 && key->out.stride == 1;
    for (int a = 0; a < HDI_FFT_AXES; a++) {
        plain = plain && (a == 0 || (key->in.embed[a] == key->n[a] &&
                                     key->out.embed[a] == key->n[a]) || a >= key->rank);
        n[a] = key->n[a];
        in[a] = key->in.embed[a];
        out[a] = key->out.embed[a];
    }
    hd_status status = check(d, create(&p->handle), "cufftCreate", key);
    if (status != HD_OK)
        return status;
    status = check(d, allocate(p->handle, 0), "cufftSetAutoAllocation", key);
    int it = (int)key->in.type, ot = (int)key->out.type;
    if (status == HD_OK)   /* computed in the complex one of the two types */
        status = check(d, make(p->handle, (int)key->rank, n, plain ? NULL : in, key->in.stride,
                               key->in.dist, it, plain ? NULL : out, key->out.stride,
                               key->out.dist, ot, key->batch, &p->work, it > ot ? it : ot),
                       "cufftXtMakePlanMany", key);
    if (status == HD_OK)
        status = hdi_cuda_settle(d);
    if (status != HD_OK)
        destroy(p->handle);
    p->key = *key;
    return status;
}

static void drop_plan(struct hdi_cuda_ffts *f, plan *p)
{
    typedef int (*destroy_fn)(int);
    destroy_fn destroy = (destroy_fn)cufft("cufftDestroy");
    if (destroy != NULL)
        destroy(p->handle);
    *p = f->plans[--f->n];
}

/* A plan has memory of its own, for its roots. For want of it cuFFT says "internal error" as often
 * as "no memory", so any failure is met by giving back what there is, the other plans too. */
static hd_status make_plan_or_room(hdi_cuda *d, const hdi_fft_key *key, plan *p)
{
    hd_status status = make_plan(d, key, p);
    if (status == HD_OK || !hdi_cuda_make_room(d))
        return status;
    hd_error_take(NULL);
    while (d->ffts->n > 0)
        drop_plan(d->ffts, &d->ffts->plans[d->ffts->n - 1]);
    return make_plan(d, key, p);
}

/* The least recently used one gives way. */
static hd_status plan_for(hdi_cuda *d, const hdi_fft_key *key, plan **found)
{
    if (d->ffts == NULL && (d->ffts = hdi_calloc(sizeof *d->ffts)) == NULL)
        return hdi_fail(HD_NOMEM, "out of memory for the plan of a Fourier transform");
    struct hdi_cuda_ffts *f = d->ffts;
    plan fresh, *oldest = &f->plans[0];
    *found = NULL;
    for (int k = 0; k < f->n; k++) {
        if (memcmp(&f->plans[k].key, key, sizeof *key) == 0)
            *found = &f->plans[k];
        oldest = f->plans[k].used < oldest->used ? &f->plans[k] : oldest;
    }
    if (*found == NULL) {
        if (f->n == KEPT)
            drop_plan(f, oldest);
        hd_status status = make_plan_or_room(d, key, &fresh);
        if (status != HD_OK)
            return status;
        *found = &f->plans[f->n++];
        **found = fresh;
    }
    (*found)->used = ++f->clock;
    return HD_OK;
}

hd_status hdi_cuda_fft_run(hdi_cuda *d, const hdi_fft_key *key, void *in, void *out,
                           bool backward)
{
    typedef int (*stream_fn)(int, CUstream);
    typedef int (*area_fn)(int, void *);
    typedef int (*run_fn)(int, void *, void *, int);
    stream_fn set = (stream_fn)cufft("cufftSetStream");
    area_fn area = (area_fn)cufft("cufftSetWorkArea");
    run_fn fn = (run_fn)cufft("cufftXtExec");
    plan *p = NULL;
    if (set == NULL || area == NULL || fn == NULL)
        return hd_error_peek()->code;
    hd_status status = plan_for(d, key, &p);
    if (status != HD_OK)
        return status;
    int64_t bytes = hdi_max64((int64_t)p->work, 64);
    void *work = hdi_cuda_alloc(d, bytes);
    if (work == NULL)
        return hdi_fail(HD_NOMEM, "out of memory on cuda:%d: a Fourier transform needs %lld bytes "
                        "beside its result", d->number, (long long)bytes);
    status = check(d, set(p->handle, d->stream), "cufftSetStream", key);
    if (status == HD_OK)
        status = check(d, area(p->handle, work), "cufftSetWorkArea", key);
    if (status == HD_OK)
        status = check(d, fn(p->handle, in, out, backward ? 1 : -1), "cufftXtExec", key);
    hdi_cuda_free(d, work, bytes);
    return status;
}
