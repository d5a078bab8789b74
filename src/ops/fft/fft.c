/* SPDX-License-Identifier: BSD-3-Clause */
/* fft.c - Fourier transforms: one library call over all axes but where an axis comes twice, and
 * where several go back to real numbers, of which the last is a call of its own. */
#include <heddle/fft.h>

#include "base/lock.h"
#include "ops/home.h"
#include "ops/ops.h"

/* What is asked for: axes in the order named, and the points of each. */
typedef struct request {
    const char *name;
    hdi_fft_how how;
    hd_fft_norm norm;
    int naxes;
    int axes[HD_MAXDIM];
    int64_t n[HD_MAXDIM];
} request;

/* ---- one call -------------------------------------------------------------------------------- */

/* x's layout with these extents, the axes named last. */
static hdi_layout *axes_last(const hdi_layout *lay, const request *q, int from, int to)
{
    int64_t dims[HD_MAXDIM], strides[HD_MAXDIM];
    const int64_t *steps = hdi_layout_strides(lay);
    int nd = 0;
    for (int a = 0; a < lay->nd; a++) {
        bool named = false;
        for (int i = from; i < to; i++)
            named |= q->axes[i] == a;
        if (!named) {
            dims[nd] = lay->dims[a];
            strides[nd++] = steps[a];
        }
    }
    for (int i = from; i < to; i++, nd++) {
        dims[nd] = lay->dims[q->axes[i]];
        strides[nd] = steps[q->axes[i]];
    }
    return hdi_layout_get(nd, dims, strides, lay->item);
}

/* A fresh array for the result, its axes in memory as x's. */
static hd_array *result_of(const hd_array *x, hd_dtype dt, const request *q, hdi_fft_how how,
                           int from, int to)
{
    int64_t dims[HD_MAXDIM];
    memcpy(dims, x->lay->dims, sizeof *dims * (size_t)x->lay->nd);
    for (int i = from; i < to; i++)
        dims[q->axes[i]] =
            how.kind == HDI_FFT_HALF && i == to - 1 ? q->n[i] / 2 + 1 : q->n[i];
    hdi_layout *same = hdi_layout_get(x->lay->nd, dims, hdi_layout_strides(x->lay), x->lay->item);
    hdi_layout *lay = same != NULL ? hdi_layout_like(same, hdi_itemsize(dt)) : NULL;
    return lay != NULL ? hdi_array_new(x->st->buf->dev, dt, lay) : NULL;
}

static hd_status record(hd_array *r, const hd_array *x, const request *q, hdi_fft_how how, int from,
                        int to, hd_dtype cdt)
{
    hdi_layout *lr = axes_last(r->lay, q, from, to), *lx = axes_last(x->lay, q, from, to);
    hdi_window *w = hdi_window_of(x->st->buf->dev);
    hdi_record *rec = lr && lx ? hdi_record_begin(w, HD_OP_fft, 'x', cdt, 1) : NULL;
    if (rec == NULL)
        return hd_error_peek()->code;
    how.odd = q->n[to - 1] % 2 != 0;
    how.naxes = to - from;
    hdi_record_array(rec, 0, r, lr);
    hdi_record_array(rec, 1, x, lx);
    rec->domain = lr;
    rec->payload.fft = how;
    hd_status status = hdi_record_end(w, rec);
    uint64_t axes = 0;
    for (int i = from; i < to; i++)
        axes |= (uint64_t)1 << q->axes[i];
    if (status == HD_OK && hdi_faults_unseen(r->st->buf->dev))
        status = hdi_joined_faults(HD_OP_fft, HD_OP_add, (hd_dtype)x->dtype, r, 1,
                                   &(hdi_joined){x, axes}, true);
    return status;
}

static bool is_single(hd_dtype dt)
{
    return hdi_is_half(dt) || dt == HD_FLOAT32 || dt == HD_COMPLEX64;
}

/* Axes [from, to), no two of them the same. */
static hd_array *call(const hd_array *x, const request *q, hdi_fft_how how, int from, int to)
{
    const hd_dtype dt = (hd_dtype)x->dtype, real = is_single(dt) ? HD_FLOAT32 : HD_FLOAT64;
    const hd_dtype complex = real == HD_FLOAT32 ? HD_COMPLEX64 : HD_COMPLEX128;
    const bool back = how.kind == HDI_FFT_REAL;
    hd_array *in = hdi_cast(x, hdi_is_complex(dt) || back ? complex : real), *r = NULL;
    if (in == NULL)
        return NULL;
    hd_status status = HD_NOMEM;
    r = result_of(in, back ? real : complex, q, how, from, to);
    if (r != NULL)
        status = r->lay->size > 0 ? record(r, in, q, how, from, to, real) : HD_OK;
    hdi_array_release(in);
    if (status != HD_OK && r != NULL) {
        hdi_array_release(r);
        r = NULL;
    }
    return r;
}

/* r (taken) transformed over axes [from, to). */
static hd_array *go_on(hd_array *x, const request *q, hdi_fft_how how, int from, int to)
{
    if (x == NULL || from == to)
        return x;
    hd_array *r = call(x, q, how, from, to);
    hdi_array_release(x);
    return r;
}

static bool repeats(const request *q)
{
    uint64_t seen = 0;
    for (int i = 0; i < q->naxes; i++) {
        if (seen >> q->axes[i] & 1)
            return true;
        seen |= (uint64_t)1 << q->axes[i];
    }
    return false;
}

static hd_array *transform(const hd_array *x, const request *q)
{
    hd_array *r = (hd_array *)(uintptr_t)x;
    const int last = q->naxes - 1;
    hdi_fft_how full = q->how;
    full.kind = HDI_FFT_FULL;
    r->rc++;
    if (repeats(q)) {
        if (q->how.kind == HDI_FFT_HALF)
            r = go_on(r, q, q->how, last, last + 1);
        for (int i = last - (q->how.kind != HDI_FFT_FULL); i >= 0; i--)
            r = go_on(r, q, full, i, i + 1);
        return q->how.kind == HDI_FFT_REAL ? go_on(r, q, q->how, last, last + 1) : r;
    }
    if (q->how.kind != HDI_FFT_REAL)
        return go_on(r, q, q->how, 0, last + 1);
    return go_on(go_on(r, q, full, 0, last), q, q->how, last, last + 1);
}

/* ---- what callers say ------------------------------------------------------------------------ */

static hd_status read_norm(request *q)
{
    if ((unsigned)q->norm > HD_FFT_FORWARD)
        return hdi_fail(HD_VALUE,
                        "Invalid norm value %d; should be \"backward\",\"ortho\" or \"forward\".",
                        (int)q->norm);
    q->how.scale = q->norm == HD_FFT_ORTHO ? HDI_FFT_OVER_SQRT
                   : (q->norm == HD_FFT_FORWARD) != q->how.backward ? HDI_FFT_OVER_N
                                                                    : HDI_FFT_PLAIN;
    return HD_OK;
}

/* Axes and points; s NULL or an entry HD_NONE: as many as there are. */
static hd_status read_axes(request *q, const hd_array *x, int naxes, const int *axes,
                           const int64_t *s)
{
    const bool all = naxes == HD_ALL_AXES;
    if (naxes > 0 && axes == NULL)
        return hdi_fail_null("the list of axes");
    q->naxes = all ? x->lay->nd : naxes;
    if (q->naxes > HD_MAXDIM || q->naxes < (q->how.kind != HDI_FFT_FULL))
        return hdi_fail(HD_VALUE, "%s cannot transform over %d axes", q->name, q->naxes);
    for (int i = 0; i < q->naxes; i++) {
        hd_status status = hdi_axis(all ? i : axes[i], x->lay->nd, &q->axes[i]);
        if (status != HD_OK)
            return status;
        const int64_t given = s != NULL ? s[i] : HD_NONE, have = x->lay->dims[q->axes[i]];
        const bool half = q->how.kind == HDI_FFT_REAL && i == q->naxes - 1;
        q->n[i] = given != HD_NONE ? given : half ? 2 * (have - 1) : have;
        if (q->n[i] < 1)
            return hdi_fail(HD_VALUE, "Invalid number of FFT data points (%lld) specified.",
                            (long long)q->n[i]);
    }
    return HD_OK;
}

static hd_array *deliver(hd_array *r, hd_array *out)
{
    hd_status fits = hdi_out_fits(r, out, "output array has wrong shape. It is", "the result's");
    return hdi_deliver(r, out, fits, HD_CAST_SAME_KIND);
}

static hd_array *run(request *q, const hd_array *x, int naxes, const int *axes, const int64_t *s,
                     hd_array *out)
{
    hd_array *r = NULL;
    if (x == NULL)
        return hdi_null("an array");
    hdi_lock();
    const hd_dtype dt = (hd_dtype)x->dtype;
    hd_status status = read_norm(q);
    if (status == HD_OK)
        status = read_axes(q, x, naxes, axes, s);
    if (status == HD_OK && q->how.kind == HDI_FFT_HALF && hdi_is_complex(dt))
        status = hdi_fail(HD_DTYPE, "%s is of real numbers, and the input is %s", q->name,
                          hd_dtype_name(dt));
    hdi_home home = {.dev = NULL};
    if (status == HD_OK)
        status = hdi_home_begin(&home, 1, &x);
    if (status == HD_OK)
        r = transform(x, q);
    if (r != NULL && q->how.kind == HDI_FFT_REAL && hdi_is_half(dt)) {
        hd_array *single = r;   /* as NumPy: in the precision that came in */
        r = hdi_cast(single, dt);
        hdi_array_release(single);
    }
    return hdi_done(deliver(hdi_home_end(&home, r), out), q->name);
}

static hd_array *run_one(request q, const hd_array *x, int64_t n, int axis, hd_fft_norm norm,
                         hd_array *out)
{
    q.norm = norm;
    return run(&q, x, 1, &axis, &n, out);
}

static hd_array *run_many(request q, const hd_array *x, int naxes, const int *axes,
                          const int64_t *s, hd_fft_norm norm, hd_array *out)
{
    int64_t points[HD_MAXDIM];
    if (naxes == 0 && axes == NULL)
        naxes = HD_ALL_AXES;
    if (naxes > 0 && axes == NULL)
        s = NULL;   /* an error soon */
    const int n = x == NULL ? 0 : naxes == HD_ALL_AXES ? x->lay->nd : naxes;
    for (int i = 0; s != NULL && i < n && i < HD_MAXDIM; i++) {
        const int axis = naxes == HD_ALL_AXES ? i : axes[i], nd = x->lay->nd;
        const bool known = axis >= -nd && axis < nd;   /* else an error soon */
        points[i] = s[i] != -1 || !known ? s[i] : x->lay->dims[axis < 0 ? axis + nd : axis];
    }
    q.norm = norm;
    return run(&q, x, naxes, axes, s != NULL ? points : NULL, out);
}

/* ---- the functions --------------------------------------------------------------------------- */

#define FULL {.kind = HDI_FFT_FULL}
#define FULL_BACK {.kind = HDI_FFT_FULL, .backward = true}
#define HALF {.kind = HDI_FFT_HALF}
#define REAL {.kind = HDI_FFT_REAL, .backward = true}

hd_array *hd_fft(const hd_array *x, int64_t n, int axis, hd_fft_norm norm, hd_array *out)
{
    return run_one((request){.name = "fft", .how = FULL}, x, n, axis, norm, out);
}

hd_array *hd_ifft(const hd_array *x, int64_t n, int axis, hd_fft_norm norm, hd_array *out)
{
    return run_one((request){.name = "ifft", .how = FULL_BACK}, x, n, axis, norm, out);
}

hd_array *hd_rfft(const hd_array *x, int64_t n, int axis, hd_fft_norm norm, hd_array *out)
{
    return run_one((request){.name = "rfft", .how = HALF}, x, n, axis, norm, out);
}

hd_array *hd_irfft(const hd_array *x, int64_t n, int axis, hd_fft_norm norm, hd_array *out)
{
    return run_one((request){.name = "irfft", .how = REAL}, x, n, axis, norm, out);
}

/* hfft is irfft of the conjugate, ihfft the conjugate of rfft, each with the other's norm. */
static hd_fft_norm other_way(hd_fft_norm norm)
{
    return norm == HD_FFT_BACKWARD  ? HD_FFT_FORWARD
           : norm == HD_FFT_FORWARD ? HD_FFT_BACKWARD
                                    : norm;
}

hd_array *hd_hfft(const hd_array *x, int64_t n, int axis, hd_fft_norm norm, hd_array *out)
{
    int scope = hd_scope_begin();
    const hd_array *turned = x != NULL && hdi_is_complex((hd_dtype)x->dtype) ? hd_conjugate(x) : x;
    return hd_scope_end(scope, run_one((request){.name = "hfft", .how = REAL}, turned, n, axis,
                                       other_way(norm), out));
}

hd_array *hd_ihfft(const hd_array *x, int64_t n, int axis, hd_fft_norm norm, hd_array *out)
{
    int scope = hd_scope_begin();
    hd_array *r = run_one((request){.name = "ihfft", .how = HALF}, x, n, axis, other_way(norm),
                          NULL);
    r = hd_conjugate(r);
    if (r != NULL && out != NULL) {
        hdi_lock();
        r->rc++;
        r = hdi_done(deliver(r, out), "ihfft");
    }
    return hd_scope_end(scope, r);
}

hd_array *hd_fftn(const hd_array *x, int naxes, const int *axes, const int64_t *s, hd_fft_norm norm,
                  hd_array *out)
{
    return run_many((request){.name = "fftn", .how = FULL}, x, naxes, axes, s, norm, out);
}

hd_array *hd_ifftn(const hd_array *x, int naxes, const int *axes, const int64_t *s,
                   hd_fft_norm norm, hd_array *out)
{
    return run_many((request){.name = "ifftn", .how = FULL_BACK}, x, naxes, axes, s, norm, out);
}

hd_array *hd_rfftn(const hd_array *x, int naxes, const int *axes, const int64_t *s,
                   hd_fft_norm norm, hd_array *out)
{
    return run_many((request){.name = "rfftn", .how = HALF}, x, naxes, axes, s, norm, out);
}

hd_array *hd_irfftn(const hd_array *x, int naxes, const int *axes, const int64_t *s,
                    hd_fft_norm norm, hd_array *out)
{
    return run_many((request){.name = "irfftn", .how = REAL}, x, naxes, axes, s, norm, out);
}
