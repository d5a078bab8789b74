/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_calls.c - copies, running results, folds and products of any dtype as kernel IR. */
#include "backend/cuda/cuda_calls.h"

#include "backend/cuda/cuda_build.h"

hd_status hdi_cuda_borrow(hdi_cuda *d, int64_t bytes, void *p)
{
    void *memory = hdi_cuda_alloc(d, bytes);
    memcpy(p, &memory, sizeof memory);
    return memory != NULL ? HD_OK
                          : hdi_fail(HD_NOMEM, "unable to allocate %lld bytes on cuda:%d to work "
                                     "in", (long long)bytes, d->number);
}

hd_status hdi_cuda_copy(hdi_cuda *d, const hdi_xarg *to, const hdi_xarg *from)
{
    call c;
    hdi_xarg out = *to, in = *from;
    hdi_cuda_as_bytes(&out, &in);
    begin(&c, 'e');
    uint16_t f = add_slot(&c, &in, KIR_FULL, false, 0), t = add_slot(&c, &out, KIR_FULL, true, 0);
    for (int a = 0; a < to->nd; a++)
        add_axis(&c, to->dims[a], false,
                 (int64_t[MOST_SLOTS]){from->strides[a], to->strides[a], 0, 0});
    store(&c, load(&c, f), t);
    return run(d, &c, 1);
}

/* ---- running results ------------------------------------------------------------------------- */

/* of v, each rounded to dt */
static uint16_t running(call *c, hd_op op, uint16_t v, hd_dtype dt)
{
    return add(c, (hdi_kinst){.kind = KIR_SCAN, .dt = (uint8_t)dt, .cdt = c->inst[v].dt,
                              .op = (uint16_t)op, .narg = 1, .arg = {v}});
}

hd_status hdi_cuda_accumulate(hdi_cuda *d, const hdi_xcall *x)
{
    call c;
    hd_op op = x->payload.fold.op;
    int axis = x->payload.fold.axis;
    hd_dtype cdt = hdi_compute_dtype(op, x->cdt);
    if (hdi_value_dtype(op, cdt) != cdt)
        return hdi_fail(HD_UNSUPPORTED, "%s.accumulate is not available on cuda:%d yet",
                        hdi_op_rows[op].info.name, d->number);
    begin(&c, 'r');
    uint16_t from = add_slot(&c, &x->in[0], KIR_FULL, false, 0);
    uint16_t to = add_slot(&c, &x->out, KIR_FULL, true, 0);
    for (int a = 0; a < x->out.nd; a++)
        add_axis(&c, x->out.dims[a], a == axis,
                 (int64_t[MOST_SLOTS]){x->in[0].strides[a], x->out.strides[a], 0, 0});
    store(&c, running(&c, op, cast(&c, load(&c, from), cdt), x->cdt), to);
    return run(d, &c, 0);
}

/* ---- folds ----------------------------------------------------------------------------------- */

/* Where the operation has a reduction, threads share a piece. Elsewhere one goes through it in
 * order, and each result overwrites the one before: so it is with products of real and complex
 * numbers, which overflow elsewhere when they are joined otherwise. */
static void fold(call *c, hd_op op, uint16_t v, hd_dtype dt, uint16_t to)
{
    const hd_fold_info *info = hd_fold_info_of(op);
    hd_dtype cdt = (hd_dtype)c->inst[v].dt;
    const char kind = hd_dtype_kind(cdt);
    if (info == NULL || info->reduction >= HD_OP_COUNT ||
        (op == HD_OP_multiply && (kind == 'f' || kind == 'c'))) {
        store(c, running(c, op, v, hdi_fold_rounds_once(op) ? cdt : dt), to);
        return;
    }
    c->slot[to].level = KIR_ROW;
    store(c, add(c, (hdi_kinst){.kind = KIR_REDUCE, .cdt = (uint8_t)cdt, .level = KIR_ROW,
                                .dt = (uint8_t)hdi_value_dtype(info->reduction, cdt),
                                .op = (uint16_t)info->reduction, .narg = 1, .arg = {v}}), to);
}

hd_status hdi_cuda_reduceat(hdi_cuda *d, const hdi_xcall *x)
{
    call c;
    hd_op op = x->payload.fold.op;
    const hdi_xarg *in = &x->in[0], *o = &x->out;
    int axis = x->payload.fold.axis;
    int64_t step = in->strides[axis];
    begin(&c, 'r');
    uint16_t from = add_slot(&c, in, KIR_FULL, false, 0);
    uint16_t to = add_slot(&c, o, KIR_FULL, true, 0);
    if (x->nin > 1)
        c.k.pieces = (uint8_t)(add_slot(&c, &x->in[1], KIR_FULL, false, 0) + 1);
    for (int a = 0; a < o->nd; a++)
        add_axis(&c, o->dims[a], false,
                 (int64_t[MOST_SLOTS]){a == axis ? 0 : in->strides[a], o->strides[a],
                                       a == axis && x->nin > 1 ? x->in[1].strides[0] : 0, 0});
    add_axis(&c, in->dims[axis], true, (int64_t[MOST_SLOTS]){step, 0, 0, 0});
    fold(&c, op, cast(&c, load(&c, from), hdi_compute_dtype(op, x->cdt)), x->cdt, to);
    return run(d, &c, 1);
}

/* ---- products -------------------------------------------------------------------------------- */

hd_status hdi_cuda_product(hdi_cuda *d, const hdi_xcall *x)
{
    call c;
    const hdi_xarg *a = &x->in[0], *b = &x->in[1], *o = &x->out;
    int batch = o->nd - 2;
    hd_dtype cdt = hdi_compute_dtype(HD_OP_multiply, x->cdt);
    begin(&c, 'r');
    uint16_t sa = add_slot(&c, a, KIR_FULL, false, 0), sb = add_slot(&c, b, KIR_FULL, false, 0);
    uint16_t so = add_slot(&c, o, KIR_ROW, true, 0);
    for (int i = 0; i < batch; i++)
        add_axis(&c, o->dims[i], false,
                 (int64_t[MOST_SLOTS]){a->strides[i], b->strides[i], o->strides[i], 0});
    add_axis(&c, o->dims[batch], false,
             (int64_t[MOST_SLOTS]){a->strides[batch], 0, o->strides[batch], 0});
    add_axis(&c, o->dims[batch + 1], false,
             (int64_t[MOST_SLOTS]){0, b->strides[batch + 1], o->strides[batch + 1], 0});
    add_axis(&c, a->dims[batch + 1], true,
             (int64_t[MOST_SLOTS]){a->strides[batch + 1], b->strides[batch], 0, 0});
    uint16_t va = cast(&c, load(&c, sa), cdt), vb = cast(&c, load(&c, sb), cdt);
    store(&c, add(&c, (hdi_kinst){.kind = KIR_REDUCE, .dt = (uint8_t)cdt, .cdt = (uint8_t)cdt,
                                  .op = HD_OP_sumproduct, .level = KIR_ROW, .narg = 2,
                                  .arg = {va, vb}}), so);
    return run(d, &c, 0);
}
