/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_fft.c - from a library call to calls of cuFFT: up to three axes at a time where they lie so
 * that one plan can say it, else one by one; the first call goes from the operand to the result,
 * the others work in the result. An operand that is cropped, padded, reversed or repeated is copied
 * first, and so is one of which real numbers are made, since cuFFT would write to it. */
#include "backend/cuda/cuda_fft.h"

#include <math.h>

#include "backend/cuda/cuda_build.h"
#include "backend/cuda/cuda_fft_plan.h"

typedef struct transform {
    hdi_cuda *d;
    const hdi_xcall *x;
    hdi_fft_how how;
    int nd, nbatch;
    int64_t n[HD_MAXDIM];            /* points, of the axes that are transformed */
    /* the operand (x's, or a copy) and the result, strides in elements; extents of the operand */
    uint8_t *in, *out;
    hd_dtype idt, odt;
    int64_t dims[HD_MAXDIM], is[HD_MAXDIM], os[HD_MAXDIM];
    int64_t borrowed;                /* bytes of the copy; 0: none */
} transform;

static int type_of(hd_dtype dt)
{
    return dt == HD_FLOAT32 ? 0 : dt == HD_FLOAT64 ? 1 : dt == HD_COMPLEX64 ? 4 : 5;
}

/* ---- the operand ----------------------------------------------------------------------------- */

/* A number to everything of this layout. */
static hd_status fill(transform *t, uint8_t *ptr, hd_dtype dt, int nd, const int64_t *dims,
                      const int64_t *strides)
{
    call c;
    begin(&c, 'e');
    uint16_t to = add_slot(&c, &(hdi_xarg){.ptr = ptr, .dt = dt}, KIR_FULL, true, 0);
    for (int a = 0; a < nd; a++)
        add_axis(&c, dims[a], false, (int64_t[MOST_SLOTS]){strides[a]});
    store(&c, number(&c, dt, 0, 0), to);
    return run(t->d, &c, to);
}

static hd_status copy_part(transform *t, const int64_t *dims, const int64_t *to_strides)
{
    call c;
    const hdi_xarg *from = &t->x->in[0];
    begin(&c, 'e');
    uint16_t f = add_slot(&c, from, KIR_FULL, false, 0),
             to = add_slot(&c, &(hdi_xarg){.ptr = t->in, .dt = t->idt}, KIR_FULL, true, 0);
    for (int a = 0; a < t->nd; a++)
        add_axis(&c, dims[a], false, (int64_t[MOST_SLOTS]){from->strides[a], to_strides[a]});
    store(&c, load(&c, f), to);
    return run(t->d, &c, to);
}

/* Of numbers that become real ones the first has no imaginary part, nor has the one in the middle:
 * what stands there does not count. */
static hd_status drop_imaginary(transform *t, const int64_t *steps)
{
    int last = t->nd - 1;
    int64_t n = t->n[last], half = hdi_itemsize(t->idt) / 2;
    hd_dtype real = hd_dtype_real(t->idt);
    hd_status status = fill(t, t->in + half, real, last, t->dims, steps);
    if (status == HD_OK && n % 2 == 0)
        status = fill(t, t->in + half + n / 2 * steps[last], real, last, t->dims, steps);
    return status;
}

/* Lines of real numbers begin where complex ones could: cuFFT wants that of its operands. */
static int64_t pitch_of(int64_t n, hd_dtype dt)
{
    return hdi_is_complex(dt) ? n : n + n % 2;
}

static hd_status copy_operand(transform *t)
{
    int64_t item = hdi_itemsize(t->idt), steps[HD_MAXDIM], common[HD_MAXDIM], bytes = item;
    bool short_of = false, any = true;
    for (int a = t->nd - 1; a >= 0; a--) {
        steps[a] = bytes;
        t->is[a] = bytes / item;
        bytes *= a == t->nd - 1 ? pitch_of(t->dims[a], t->idt) : t->dims[a];
        common[a] = hdi_min64(t->dims[a], t->x->in[0].dims[a]);
        short_of |= common[a] < t->dims[a];
        any &= common[a] > 0;
    }
    t->borrowed = bytes;
    if ((t->in = hdi_cuda_alloc(t->d, bytes)) == NULL)
        return hdi_fail(HD_NOMEM, "out of memory on cuda:%d: a Fourier transform needs %lld bytes "
                        "for a copy", t->d->number, (long long)bytes);
    hd_status status = HD_OK;
    if (short_of)
        status = hdi_cuda_check(t->d, hdi_cu.cuMemsetD8Async((CUdeviceptr)(uintptr_t)t->in, 0,
                                                             (size_t)bytes, t->d->stream),
                                "a Fourier transform");
    if (status == HD_OK && any)
        status = copy_part(t, common, steps);
    return status == HD_OK && t->how.kind == HDI_FFT_REAL ? drop_imaginary(t, steps) : status;
}

/* May there be several calls of cuFFT, not all of whose pieces of a real operand or result begin
 * where complex numbers could? */
static bool lies_crooked(const transform *t, const hdi_xarg *x)
{
    int64_t size = 2 * hdi_itemsize(x->dt);
    bool crooked = (uintptr_t)x->ptr % (uintptr_t)size != 0;
    int axes = 0;
    for (int a = 0; a < t->nd - 1; a++)
        axes += x->dims[a] > 1;
    for (int a = 0; a < t->nd - 1 && axes > 1; a++)
        crooked |= x->dims[a] > 1 && x->strides[a] % size != 0;
    return crooked && !hdi_is_complex(x->dt);
}

static bool needs_copy(const transform *t)
{
    const hdi_xarg *in = &t->x->in[0];
    int64_t item = hdi_itemsize(t->idt);
    bool odd = t->how.kind == HDI_FFT_REAL || in->dt != t->idt ||
               (uintptr_t)in->ptr % (uintptr_t)item != 0 || lies_crooked(t, in);
    for (int a = 0; a < t->nd; a++)
        odd |= in->dims[a] != t->dims[a] || in->strides[a] % item != 0 ||
               (in->strides[a] <= 0 && in->dims[a] > 1);
    return odd;
}

/* ---- axes ------------------------------------------------------------------------------------ */

/* Can one plan have these axes, in this order? */
static bool express(const int64_t *stride, const int64_t *dims, int rank, hdi_fft_side *side)
{
    int64_t step = 0, s[HDI_FFT_AXES] = {0};
    for (int a = rank - 1; a >= 0; a--) {
        s[a] = dims[a] > 1 ? stride[a] : hdi_max64(step, 1);
        step = s[a] * dims[a];
    }
    side->stride = s[rank - 1];
    side->embed[0] = dims[0];
    for (int a = 1; a < rank; a++) {
        if (s[a - 1] % s[a] != 0 || s[a - 1] / s[a] < dims[a])
            return false;
        side->embed[a] = s[a - 1] / s[a];
    }
    return true;
}

/* The axes that a call does not transform: merged where they can be; the longest one is the call's
 * own, the rest is gone through here. */
typedef struct others { int n; int64_t dims[HD_MAXDIM], is[HD_MAXDIM], os[HD_MAXDIM]; } others;

static void add_other(others *o, int64_t dim, int64_t is, int64_t os)
{
    if (dim == 1)
        return;
    int at = o->n++;
    for (; at > 0 && o->os[at - 1] < os; at--) {
        o->dims[at] = o->dims[at - 1];
        o->is[at] = o->is[at - 1];
        o->os[at] = o->os[at - 1];
    }
    o->dims[at] = dim;
    o->is[at] = is;
    o->os[at] = os;
}

static void merge_others(others *o)
{
    int n = 0;
    for (int a = 0; a < o->n; a++) {
        bool joins = n > 0 && o->is[n - 1] == o->is[a] * o->dims[a] &&
                     o->os[n - 1] == o->os[a] * o->dims[a];
        int at = joins ? n - 1 : n++;
        o->dims[at] = joins ? o->dims[at] * o->dims[a] : o->dims[a];
        o->is[at] = o->is[a];
        o->os[at] = o->os[a];
    }
    o->n = n;
}

static void take_longest(others *o, hdi_fft_key *key)
{
    int best = -1;
    for (int a = 0; a < o->n; a++)
        best = best < 0 || o->dims[a] > o->dims[best] ? a : best;
    key->batch = 1;
    key->in.dist = key->out.dist = 1;
    if (best < 0)
        return;
    key->batch = o->dims[best];
    key->in.dist = o->is[best];
    key->out.dist = o->os[best];
    o->dims[best] = o->dims[0];
    o->is[best] = o->is[0];
    o->os[best] = o->os[0];
    o->n--;
    for (int a = 0; a < o->n; a++) {
        o->dims[a] = o->dims[a + 1];
        o->is[a] = o->is[a + 1];
        o->os[a] = o->os[a + 1];
    }
}

static hd_status run_others(transform *t, const hdi_fft_key *key, const others *o)
{
    int64_t index[HD_MAXDIM] = {0};
    uint8_t *in = t->in, *out = t->out;
    for (;;) {
        hd_status status = hdi_cuda_fft_run(t->d, key, in, out, t->how.backward);
        int a = o->n - 1;
        for (; a >= 0; a--) {
            bool wraps = ++index[a] == o->dims[a];
            int64_t by = wraps ? 1 - o->dims[a] : 1;
            in += by * o->is[a] * hdi_itemsize(t->idt);
            out += by * o->os[a] * hdi_itemsize(t->odt);
            index[a] = wraps ? 0 : index[a];
            if (!wraps)
                break;
        }
        if (a < 0 || status != HD_OK)
            return status;
    }
}

/* Axes [from, to), which are at most three, in one plan; false in *can if they do not fit one. */
static hd_status transform_axes(transform *t, int from, int to, bool *can)
{
    hdi_fft_key key = {.rank = to - from, .n = {1, 1, 1}};
    others o = {.n = 0};
    const int64_t *results = t->x->out.dims;
    *can = express(t->is + from, t->dims + from, to - from, &key.in) &&
           express(t->os + from, results + from, to - from, &key.out);
    if (!*can)
        return HD_OK;
    for (int a = from; a < to; a++)
        key.n[a - from] = t->n[a];
    for (int a = 0; a < t->nd; a++)
        if (a < from || a >= to)
            add_other(&o, t->dims[a], t->is[a], t->os[a]);
    key.in.type = type_of(t->idt);
    key.out.type = type_of(t->odt);
    merge_others(&o);
    take_longest(&o, &key);
    hd_status status = run_others(t, &key, &o);
    t->in = t->out;              /* the others work in the result */
    t->idt = t->odt;
    memcpy(t->is, t->os, sizeof t->is);
    memcpy(t->dims, results, sizeof *t->dims * (size_t)t->nd);
    return status;
}

static hd_status transform_all(transform *t)
{
    hd_status status = HD_OK;
    for (int end = t->nd; end > t->nbatch && status == HD_OK;) {
        bool can = false;
        int most = end - t->nbatch < HDI_FFT_AXES ? end - t->nbatch : HDI_FFT_AXES, rank = most;
        for (; rank > 0 && !can && status == HD_OK; rank--)
            status = transform_axes(t, end - rank, end, &can);
        end -= rank + 1;
    }
    return status;
}

/* ---- the call -------------------------------------------------------------------------------- */

/* The axes of a complex transform in the order of memory. */
static void sort_axes(transform *t)
{
    for (int a = t->nbatch + 1; a < t->nd && t->how.kind == HDI_FFT_FULL; a++)
        for (int b = a; b > t->nbatch && t->os[b - 1] < t->os[b]; b--) {
            int64_t *pairs[] = {t->os, t->is, t->dims, t->n};
            for (int k = 0; k < 4; k++) {
                int64_t keep = pairs[k][b];
                pairs[k][b] = pairs[k][b - 1];
                pairs[k][b - 1] = keep;
            }
        }
}

/* The result, scaled, from where it was made. */
static hd_status deliver(transform *t, double points, uint8_t *from_ptr, const int64_t *from_steps)
{
    call c;
    const hdi_xarg *out = &t->x->out;
    double factor = t->how.scale == HDI_FFT_PLAIN    ? 1
                    : t->how.scale == HDI_FFT_OVER_N ? 1 / points
                                                     : 1 / sqrt(points);
    begin(&c, 'e');
    uint16_t from = add_slot(&c, &(hdi_xarg){.ptr = from_ptr, .dt = out->dt}, KIR_FULL, false, 0),
             to = add_slot(&c, out, KIR_FULL, true, 0);
    for (int a = 0; a < t->nd; a++)
        add_axis(&c, out->dims[a], false, (int64_t[MOST_SLOTS]){from_steps[a], out->strides[a]});
    uint16_t v = load(&c, from);
    if (t->how.scale != HDI_FFT_PLAIN)
        v = apply(&c, HD_OP_multiply, out->dt, 2, v, number(&c, out->dt, factor, 0), 0);
    store(&c, v, to);
    return run(t->d, &c, to);
}

/* Real results that cuFFT cannot write in place are made in memory of their own, line after line,
 * as the copy that they are made of lies. */
typedef struct room { uint8_t *ptr; int64_t bytes, steps[HD_MAXDIM]; } room;

static hd_status make_room(transform *t, room *r)
{
    int64_t item = hdi_itemsize(t->odt);
    r->bytes = item;
    for (int a = t->nd - 1; a >= 0; a--) {
        r->steps[a] = r->bytes;
        t->os[a] = r->bytes / item;
        r->bytes *= a == t->nd - 1 ? pitch_of(t->n[a], t->odt) : t->n[a];
    }
    r->ptr = t->out = hdi_cuda_alloc(t->d, r->bytes);
    return r->ptr != NULL ? HD_OK
                          : hdi_fail(HD_NOMEM, "out of memory on cuda:%d: a Fourier transform "
                                     "needs %lld bytes beside its result", t->d->number,
                                     (long long)r->bytes);
}

hd_status hdi_cuda_fft(hdi_cuda *d, const hdi_xcall *x)
{
    transform t = {.d = d, .x = x, .how = x->payload.fft, .nd = x->out.nd,
                   .in = x->in[0].ptr, .out = x->out.ptr, .idt = x->in[0].dt, .odt = x->out.dt};
    int last = t.nd - 1;
    double points = 1;
    t.nbatch = t.nd - t.how.naxes;
    if (t.how.kind == HDI_FFT_FULL)
        t.idt = t.odt;           /* real numbers become complex ones in the copy */
    for (int a = 0; a < t.nd; a++) {
        t.n[a] = t.dims[a] = x->out.dims[a];
        t.is[a] = x->in[0].strides[a] / hdi_itemsize(x->in[0].dt);
        t.os[a] = x->out.strides[a] / hdi_itemsize(t.odt);
    }
    if (t.how.kind == HDI_FFT_HALF)
        t.n[last] = t.dims[last] = 2 * (x->out.dims[last] - 1) + t.how.odd;
    if (t.how.kind == HDI_FFT_REAL)
        t.dims[last] = x->out.dims[last] / 2 + 1;
    for (int a = t.nbatch; a < t.nd; a++)
        points *= (double)t.n[a];
    hd_status status = needs_copy(&t) ? copy_operand(&t) : HD_OK;
    uint8_t *copy = t.in;
    room r = {.ptr = NULL};
    if (status == HD_OK && lies_crooked(&t, &x->out))
        status = make_room(&t, &r);
    hdi_xcall sorted = *x;       /* with the result's axes in the same order */
    int64_t dims[HD_MAXDIM];
    sort_axes(&t);
    if (t.how.kind == HDI_FFT_FULL) {
        memcpy(dims, t.n, sizeof dims);
        sorted.out.dims = dims;
        t.x = &sorted;
    }
    if (status == HD_OK)
        status = transform_all(&t);
    t.x = x;
    if (status == HD_OK && (r.ptr != NULL || t.how.scale != HDI_FFT_PLAIN))
        status = deliver(&t, points, t.out, r.ptr != NULL ? r.steps : x->out.strides);
    if (r.ptr != NULL)
        hdi_cuda_free(d, r.ptr, r.bytes);
    if (t.borrowed > 0 && copy != NULL)
        hdi_cuda_free(d, copy, t.borrowed);
    return status;
}
