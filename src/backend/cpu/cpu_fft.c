/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_fft.c - Fourier transforms over some axes of an array: one axis after the other, groups of
 * lines shared among threads.
 *
 * The first axis goes from the input to the output, the others are done in place. Lines are
 * cropped to what is asked for, and filled up with zeros, as they are fetched: a line that has only
 * zeros is not transformed. Several lines go side by side where they find room in the cache, so
 * that every vector is full; a long line goes by itself. The bits are the same. */
#include <math.h>

#include "backend/cpu/cpu_fft.h"
#include "backend/cpu/cpu_scratch.h"
#include "base/pool.h"

enum { GROUP_BYTES = 1 << 20 };   /* a group's buffers stay in the cache */

/* ---- one group ------------------------------------------------------------------------------- */

void hdi_fft_find(const hdi_fft_axis *f, int64_t group, hdi_fft_lines *in, hdi_fft_lines *out)
{
    int64_t number = group / f->pieces, first = group % f->pieces * f->lanes;
    uint8_t *from = f->src.ptr, *to = f->dst.ptr;
    for (int a = f->dst.nd - 1; a >= 0; a--) {
        if (a == f->axis || a == f->lane_axis)
            continue;
        from += number % f->live[a] * f->src.strides[a];
        to += number % f->live[a] * f->dst.strides[a];
        number /= f->live[a];
    }
    *in = (hdi_fft_lines){.lanes = f->lanes, .used = 1, .step = f->src.strides[f->axis]};
    *out = (hdi_fft_lines){.lanes = f->lanes, .used = 1, .step = f->dst.strides[f->axis]};
    if (f->lane_axis >= 0) {
        in->lane = f->src.strides[f->lane_axis];
        out->lane = f->dst.strides[f->lane_axis];
        in->used = out->used = hdi_min64(f->lanes, f->live[f->lane_axis] - first);
    }
    in->re = from + first * in->lane;
    out->re = to + first * out->lane;
}

static const hdi_fft_planes *run(const hdi_fft_axis *f, bool backward, const hdi_fft_planes *x,
                                 const hdi_fft_planes *other)
{
    if (!backward)
        return hdi_cpu_fft_run(f->plan, f->l, f->lanes, x, other);
    const hdi_fft_planes a = {x->im, x->re}, b = {other->im, other->re};
    return hdi_cpu_fft_run(f->plan, f->l, f->lanes, &a, &b) == &a ? x : other;
}

void hdi_fft_points(const hdi_fft_axis *f, hdi_fft_lines *lines, int64_t n, int64_t have)
{
    lines->im = lines->re + f->size;
    lines->n = n;
    lines->have[0] = lines->have[1] = hdi_min64(have, n);
}

void hdi_fft_pairs(hdi_fft_lines *lines, int64_t n, int64_t have)
{
    lines->im = lines->re + lines->step;
    lines->step *= 2;
    lines->n = n / 2;
    lines->have[0] = (have + 1) / 2;
    lines->have[1] = have / 2;
}

static void load_complex(const hdi_fft_axis *f, const hdi_fft_planes *x, hdi_fft_lines *in,
                         int64_t n)
{
    hdi_fft_points(f, in, n, f->have);
    f->l->load(x, in);
}

static void store_complex(const hdi_fft_axis *f, const hdi_fft_planes *y, hdi_fft_lines *out,
                          int64_t n, double scale_im)
{
    hdi_fft_points(f, out, n, n);
    f->l->store(y, out, f->scale, scale_im);
}

/* Real numbers to a spectrum, or to the half of it that says all. Backward is the conjugate. */
static void from_real(const hdi_fft_axis *f, const hdi_fft_planes *x, const hdi_fft_planes *other,
                      hdi_fft_lines *in, hdi_fft_lines *out)
{
    const int64_t half = f->n / 2 + 1;
    const double scale_im = f->how.backward ? -f->scale : f->scale;
    if (!f->plan->real) {
        in->im = in->re;
        in->n = f->n;
        in->have[0] = f->have;
        in->have[1] = 0;
        f->l->load(x, in);
        const hdi_fft_planes *y = run(f, false, x, other);
        store_complex(f, y, out, f->how.kind == HDI_FFT_HALF ? half : f->n, scale_im);
        return;
    }
    hdi_fft_pairs(in, f->n, f->have);
    f->l->load(x, in);
    const hdi_fft_planes *z = run(f, false, x, other), *y = z == x ? other : x;
    f->l->after(y, z, f->plan->ends, f->n / 2, f->lanes, (hdi_fft_range){0, half});
    store_complex(f, y, out, half, scale_im);
    if (f->how.kind == HDI_FFT_HALF || f->n < 3)
        return;
    const int64_t skip = f->lanes * f->size;   /* the rest, from the last one back to 1 */
    const hdi_fft_planes rest = {(uint8_t *)y->re + skip, (uint8_t *)y->im + skip};
    out->re += (f->n - 1) * out->step;
    out->step = -out->step;
    store_complex(f, &rest, out, half - 2, -scale_im);
}

/* Half a spectrum to real numbers. */
static void to_real(const hdi_fft_axis *f, const hdi_fft_planes *x, const hdi_fft_planes *other,
                    hdi_fft_lines *in, hdi_fft_lines *out)
{
    const int64_t half = f->n / 2 + 1;
    if (!f->plan->real) {
        load_complex(f, x, in, half);
        f->l->mirror(x, f->n, f->lanes, (hdi_fft_range){0, (f->n + 1) / 2});
        out->im = out->re;
        out->have[0] = f->n;
    } else {
        load_complex(f, other, in, half);
        f->l->before(x, other, f->plan->ends, f->n / 2, f->lanes,
                     (hdi_fft_range){0, f->n / 2});
        hdi_fft_pairs(out, f->n, f->n);
    }
    f->l->store(run(f, f->how.backward, x, other), out, f->scale, f->scale);
}

static void run_group(const hdi_fft_axis *f, int64_t group, uint8_t *room, int64_t plane)
{
    const hdi_fft_planes x = {room, room + plane},
                         other = {room + 2 * plane, room + 3 * plane};
    hdi_fft_lines in, out;
    hdi_fft_find(f, group, &in, &out);
    if (f->how.kind == HDI_FFT_REAL) {
        to_real(f, &x, &other, &in, &out);
    } else if (f->real) {
        from_real(f, &x, &other, &in, &out);
    } else {
        load_complex(f, &x, &in, f->n);
        store_complex(f, run(f, f->how.backward, &x, &other), &out, f->n, f->scale);
    }
}

static int64_t plane_bytes(const hdi_fft_axis *f)
{
    return hdi_fft_plane(f, f->plan->padded + 1, f->lanes);
}

static bool group_task(void *ctx, int64_t task)
{
    const hdi_fft_axis *f = ctx;
    const int64_t plane = plane_bytes(f), end = hdi_min64((task + 1) * f->per_task, f->groups);
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    uint8_t *room = hdi_cpu_scratch(4 * plane);
    for (int64_t g = task * f->per_task; room != NULL && g < end; g++)
        run_group(f, g, room, plane);
    hdi_cpu_scratch_release(mark);
    return room != NULL;
}

/* ---- one axis -------------------------------------------------------------------------------- */

/* The axis whose lines go side by side: the fastest in memory, or one that is long enough. */
static int choose_lanes(const hdi_fft_axis *f)
{
    int best = -1;
    for (int a = 0; a < f->dst.nd; a++) {
        if (a == f->axis || f->live[a] < 2)
            continue;
        if (best < 0 || (f->live[a] >= f->l->lanes) > (f->live[best] >= f->l->lanes) ||
            ((f->live[a] >= f->l->lanes) == (f->live[best] >= f->l->lanes) &&
             hdi_abs64(f->dst.strides[a]) < hdi_abs64(f->dst.strides[best])))
            best = a;
    }
    if (best < 0 || f->live[best] < f->l->lanes / 2)
        return -1;
    const bool neighbours =
        hdi_abs64(f->dst.strides[best]) < hdi_abs64(f->dst.strides[f->axis]);
    return neighbours || 4 * f->plan->padded * f->l->lanes * f->size <= GROUP_BYTES ? best : -1;
}

bool hdi_fft_reserve(int64_t nbytes)
{
    const bool fits = hdi_cpu_scratch_reserve(nbytes);
    if (!fits)
        hdi_fail(HD_NOMEM, "out of memory for a transform: %lld bytes", (long long)nbytes);
    return fits;
}

static double scale_of(const hdi_fft_how *how, int64_t n)
{
    return how->scale == HDI_FFT_PLAIN    ? 1
           : how->scale == HDI_FFT_OVER_N ? 1 / (double)n
                                          : sqrt(1 / (double)n);
}

static hd_status run_axis(hdi_fft_axis *f, hdi_cpu_asker ask)
{
    int64_t next = 0;
    f->lane_axis = choose_lanes(f);
    f->lanes = f->lane_axis >= 0 ? f->l->lanes : 1;
    f->pieces =
        f->lane_axis >= 0 ? (f->live[f->lane_axis] + f->lanes - 1) / f->lanes : 1;
    f->groups = f->pieces;
    for (int a = 0; a < f->dst.nd; a++)
        if (a != f->axis && a != f->lane_axis)
            f->groups *= f->live[a];
    if (f->groups == 0)
        return HD_OK;
    if (hdi_cpu_fft_long(f->plan))
        return hdi_fft_long_lines(f, ask);
    f->per_task = hdi_max64(HDI_FFT_TASK_POINTS / (f->n * f->lanes), 1);
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    hd_status status = HD_NOMEM;
    if (hdi_fft_reserve(4 * plane_bytes(f)))
        status = hdi_pool_run((f->groups + f->per_task - 1) / f->per_task, group_task, f, &next,
                              ask);
    hdi_cpu_scratch_release(mark);
    return status;
}

hd_status hdi_cpu_fft(const hdi_xcall *x)
{
    const hdi_fft_how how = x->payload.fft;
    const bool wide = x->cdt == HD_FLOAT64;
    hd_status status = HD_OK;
    const int nd = x->out.nd, last = nd - 1;
    int64_t *live;
    hdi_fft_axis f = {.how = how,
                   .l = hdi_loops_best()->fft[wide],
                   .src = x->in[0],
                   .dst = x->out,
                   .size = wide ? 8 : 4,
                   .real = x->in[0].dt == x->cdt};
    live = f.live;
    for (int a = 0; a < nd; a++)   /* rows of nothing but zeros are left for later */
        live[a] = a < last ? hdi_min64(x->in[0].dims[a], x->out.dims[a]) : 0;
    for (int i = 0; i < how.naxes && status == HD_OK; i++) {
        f.axis = last - i;
        f.n = x->out.dims[f.axis];
        if (i == 0 && how.kind == HDI_FFT_HALF)
            f.n = 2 * (f.n - 1) + how.odd;
        f.have = hdi_min64(x->in[0].dims[f.axis], f.n);
        f.scale = scale_of(&how, f.n);
        const bool ends = (f.real || how.kind == HDI_FFT_REAL) && f.n % 2 == 0;
        f.plan = hdi_cpu_fft_plan(f.n, ends, x->cdt);
        if (f.plan == NULL)
            return HD_NOMEM;
        status = run_axis(&f, hdi_cpu_may_stop(x));
        hdi_cpu_fft_done(f.plan);
        live[f.axis] = x->out.dims[f.axis];
        f.src = x->out;
        f.real = false;
    }
    return status;
}
