/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_at.c - an elementwise operation at places of an array, one place after the other: where one
 * comes twice, the second time sees what the first one left. */
#include "backend/cpu/cpu_lines.h"
#include "backend/cpu/cpu_places.h"
#include "backend/cpu/cpu_scratch.h"

enum { BLOCK = HDI_CPU_LINE_BLOCK };

/* out[place j] = op(out[place j], values[j]): trailing axes follow. */
typedef struct places {
    const hdi_xcall *x;
    hdi_cpu_places at;
    const hdi_loops *l;
    hdi_ew_loop loop;
    hd_dtype cdt, value_dt;      /* the loop computes in, and takes values in */
    hd_dtype result, rounded;    /* of the loop, and what that is rounded to before it is stored */
    int osize, vsize;            /* log2 of element sizes of out and of values */
    bool direct;                 /* the loop may work in out's memory */
    uint8_t *target, *value, *spare;   /* scratch: a block each */
} places;

static void fetch_values(const places *p, const uint8_t *value, int64_t step, int64_t n)
{
    if (value == NULL)
        return;
    hd_dtype dt = p->x->in[1].dt;
    p->l->gather[p->vsize](dt == p->value_dt ? p->value : p->spare, value, step, n);
    if (dt != p->value_dt)
        p->l->cast[dt][p->value_dt](p->value, p->spare, n);
}

/* n elements, at most a block. */
static void combine(const places *p, uint8_t *out, int64_t step_of_out, const uint8_t *value,
                    int64_t value_step, int64_t n)
{
    hd_dtype dt = p->x->out.dt, cdt = p->cdt;
    uint8_t *to = p->target, *other = p->spare;
    const bool dense = step_of_out == (int64_t)1 << p->osize &&
                       (value == NULL || value_step == (int64_t)1 << p->vsize);
    if (p->direct && (n == 1 || dense)) {
        p->loop(out, (const void *[]){out, value, out}, n);
        return;
    }
    p->l->gather[p->osize](dt == cdt ? p->target : p->spare, out, step_of_out, n);
    if (dt != cdt)
        p->l->cast[dt][cdt](p->target, p->spare, n);
    fetch_values(p, value, value_step, n);
    p->loop(p->target, (const void *[]){p->target, p->value, p->target}, n);
    const hd_dtype step[3] = {p->result, p->rounded, dt};
    for (int k = 0; k < 2; k++) {
        if (step[k] == step[k + 1])
            continue;
        p->l->cast[step[k]][step[k + 1]](other, to, n);
        uint8_t *swapped = to;
        to = other;
        other = swapped;
    }
    p->l->scatter[p->osize](out, step_of_out, to, n);
}

/* One place: a run along the last axis for each index over the others. */
static void run_place(const places *p, uint8_t *out, const uint8_t *value)
{
    const hdi_xarg *o = &p->x->out;
    const int64_t *steps = p->x->nin > 1 ? p->x->in[1].strides + 1 : NULL;
    int64_t index[HD_MAXDIM];
    int last = o->nd - 1, a;
    if (last < 0) {
        combine(p, out, 0, value, 0, 1);
        return;
    }
    /* elements of the run that meet are places that come twice as well */
    const bool meet = hdi_abs64(o->strides[last]) < (int64_t)1 << p->osize;
    const int64_t block = meet ? 1 : BLOCK;
    memset(index, 0, sizeof *index * (size_t)o->nd);
    do {
        for (int64_t i = 0; i < o->dims[last]; i += block)
            combine(p, out + i * o->strides[last], o->strides[last],
                    value != NULL ? value + i * steps[last] : NULL,
                    value != NULL ? steps[last] : 0, hdi_min64(block, o->dims[last] - i));
        for (a = last - 1; a >= 0; a--) {
            bool wraps = ++index[a] == o->dims[a];
            int64_t by = wraps ? 1 - o->dims[a] : 1;
            out += by * o->strides[a];
            value = value != NULL ? value + by * steps[a] : NULL;
            index[a] = wraps ? 0 : index[a];
            if (!wraps)
                break;
        }
    } while (a >= 0);
}

/* The loop of an operation that has a row in scan.def, or NULL. */
static hdi_at_loop loop_at(const places *p)
{
    const int row = hdi_cpu_scan_row(p->x->payload.places.op);
    return row >= 0 && p->x->nin > 1 ? p->l->at[row][p->cdt] : NULL;
}

/* n places of one element each, which the loop may work on in memory. */
static void run_elements(const places *p, const int64_t *offset, const uint8_t *value, int64_t n)
{
    const int64_t step = value != NULL ? p->x->in[1].strides[0] : 0;
    hdi_at_loop loop = loop_at(p);
    if (loop != NULL) {
        loop(p->x->out.ptr, offset, value, step, n);
        return;
    }
    for (int64_t j = 0; j < n; j++, value = value != NULL ? value + step : NULL) {
        uint8_t *out = p->x->out.ptr + offset[j];
        p->loop(out, (const void *[]){out, value, out}, 1);
    }
}

static bool open_places(places *p, const hdi_xcall *x)
{
    hd_op op = x->payload.places.op;
    hd_dtype cdt = hdi_compute_dtype(op, x->cdt);
    *p = (places){.x = x,
                  .at = hdi_cpu_places_of(x, &x->in[0]),
                  .l = hdi_loops_chosen(),
                  .cdt = cdt,
                  .value_dt = hdi_loop_dtype(op, 1, cdt),
                  .result = hdi_value_dtype(op, cdt),
                  .rounded = hdi_value_dtype(op, x->cdt),
                  .osize = __builtin_ctz((unsigned)hd_dtype_size(x->out.dt))};
    p->loop = p->l->ew[op][cdt][HDI_VV];
    p->direct = x->out.dt == cdt && p->result == cdt;
    if (x->nin > 1)
        p->vsize = __builtin_ctz((unsigned)hd_dtype_size(x->in[1].dt));
    p->target = hdi_cpu_scratch(3 * HDI_CPU_LINE_BYTES);
    p->value = p->target + HDI_CPU_LINE_BYTES;
    p->spare = p->value + HDI_CPU_LINE_BYTES;
    return p->target != NULL;
}

static bool single_elements(const hdi_xarg *o)
{
    bool single = true;
    for (int a = 0; a < o->nd; a++)
        single = single && o->dims[a] == 1;
    return single;
}

/* One thread, and to the end: a place must not be changed twice by the same value. */
hd_status hdi_cpu_at(const hdi_xcall *x)
{
    places p;
    int64_t room[HDI_CPU_PLACES];
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    if (!open_places(&p, x)) {
        hdi_cpu_scratch_release(mark);
        return hdi_fail(HD_NOMEM, "out of memory for an operation at places");
    }
    const bool elements = p.direct && single_elements(&x->out);
    for (int64_t i = 0, n; i < p.at.n; i += n) {
        const uint8_t *value = x->nin > 1 ? x->in[1].ptr + i * x->in[1].strides[0] : NULL;
        n = hdi_min64(HDI_CPU_PLACES, p.at.n - i);
        const int64_t *offset = hdi_cpu_offsets(&p.at, i, n, room);
        if (elements)
            run_elements(&p, offset, value, n);
        for (int64_t j = 0; j < n && !elements; j++)
            run_place(&p, x->out.ptr + offset[j],
                      value != NULL ? value + j * x->in[1].strides[0] : NULL);
    }
    hdi_cpu_scratch_release(mark);
    return HD_OK;
}
