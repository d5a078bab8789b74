/* SPDX-License-Identifier: BSD-3-Clause */
/* xcall.c - from the record of a library call to what a back end is called with. */
#include "backend/xcall.h"

#include "core/object.h"
#include "core/op.h"

/* gather, scatter and at name the whole array they reach into, for the hazards; the call itself
 * wants its trailing axes, and of the others, which the places stand for, how far they reach. */
static void keep_trailing(hdi_xcall *x, hdi_xarg *whole, int trailing)
{
    int drop = whole->nd - trailing;
    x->low = x->high = 0;
    for (int a = 0; a < drop; a++) {
        int64_t reach = (whole->dims[a] - 1) * whole->strides[a];
        *(reach < 0 ? &x->low : &x->high) += reach;
    }
    x->extent = x->payload.places.flags & HDI_PLACES_INDICES ? whole->dims[0] : 0;
    x->step = x->extent != 0 ? whole->strides[0] : 0;
    whole->nd -= drop;
    whole->dims += drop;
    whole->strides += drop;
}

static hdi_xarg bind(const hdi_record *r, int k, hdi_place_of place, const void *ctx)
{
    const hdi_operand *p = &r->operand[k];
    return (hdi_xarg){place(ctx, p->buf) + p->off, (hd_dtype)r->dt[k], p->lay->nd, p->lay->dims,
                      hdi_layout_strides(p->lay)};
}

/* Operands of the slots after the first: results in front of `room`, inputs behind them. */
static void bind_more(hdi_xcall *x, const hdi_record *r, hdi_place_of place, const void *ctx,
                      hdi_xarg *room)
{
    hdi_xarg *inputs = room + r->more;
    x->results = room;
    x->inputs = inputs;
    for (int i = 1; i < hdi_record_slots(r); i++) {
        const hdi_record *slot = hdi_record_slot(r, i);
        if (slot->kind[0] == HDI_ARRAY)
            room[x->nout++ - 1] = bind(slot, 0, place, ctx);
        for (int k = 1; k <= slot->nin; k++, x->nin++) {
            hdi_xarg *arg = x->nin < HDI_MAX_IN ? &x->in[x->nin] : &inputs[x->nin - HDI_MAX_IN];
            *arg = bind(slot, k, place, ctx);
        }
    }
}

void hdi_xcall_bind(hdi_xcall *x, const hdi_record *r, hdi_place_of place, const void *ctx,
                    hdi_xarg *room)
{
    *x = (hdi_xcall){.op = (hd_op)r->op, .nin = r->nin, .nout = 1, .payload = r->payload,
                     .cdt = (hd_dtype)r->cdt};
    hd_assert(hdi_op_rows[r->op].payload != HDI_PAYLOAD_none || r->payload.none == 0);
    x->out = bind(r, 0, place, ctx);
    for (int k = 1; k <= r->nin; k++)
        x->in[k - 1] = bind(r, k, place, ctx);
    if (HDI_UNLIKELY(r->more != 0))
        bind_more(x, r, place, ctx, room);
    if (x->op == HD_OP_gather)
        keep_trailing(x, &x->in[0], x->out.nd - 1);
    if (x->op == HD_OP_scatter)
        keep_trailing(x, &x->out, x->in[0].nd - 1);
    if (x->op == HD_OP_at)
        keep_trailing(x, &x->out, x->out.nd - x->payload.places.axes);
}

/* The axes of the batch are those of the first operand; a result has its own after them. */
int hdi_xcall_parts(const hdi_xcall *x, hdi_part *part)
{
    const int batch = x->in[0].nd - 2;
    for (int i = 0; i < x->nout; i++) {
        const hdi_xarg *r = hdi_xcall_result(x, i);
        hdi_part *p = &part[i];
        *p = (hdi_part){.dt = r->dt, .nd = r->nd - batch, .dims = {1, 1}, .at = r->ptr};
        for (int a = 0; a < p->nd; a++)
            p->dims[a] = r->dims[batch + a];
        p->bytes = hdi_itemsize(r->dt) * p->dims[0] * p->dims[1];
    }
    return x->nout;
}

void hdi_xcall_grid_args(const hdi_xcall *x, const hdi_grid_launch *l, uint64_t *address,
                         void **args)
{
    for (int i = 0; i < l->nargs; i++) {
        const hdi_grid_arg *a = &l->arg[i];
        if (a->result < 0 && a->input < 0) {
            args[i] = l->values + a->off;
            continue;
        }
        const hdi_xarg *operand =
            a->result >= 0 ? hdi_xcall_result(x, a->result) : hdi_xcall_input(x, a->input);
        address[i] = (uint64_t)(uintptr_t)operand->ptr + (uint64_t)a->off;
        args[i] = &address[i];
    }
}
