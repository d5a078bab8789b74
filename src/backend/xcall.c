/* SPDX-License-Identifier: BSD-3-Clause */
/* xcall.c - from the record of a library call to what a back end is called with. */
#include "backend/xcall.h"

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

void hdi_xcall_bind(hdi_xcall *x, const hdi_record *r, uint8_t *const memory[1 + HDI_MAX_IN])
{
    *x = (hdi_xcall){.op = (hd_op)r->op, .nin = r->nin, .payload = r->payload,
                     .cdt = (hd_dtype)r->cdt};
    hd_assert(hdi_op_rows[r->op].payload != HDI_PAYLOAD_none || r->payload.none == 0);
    for (int k = 0; k <= r->nin; k++) {
        const hdi_operand *p = &r->operand[k];
        hdi_xarg *arg = k == 0 ? &x->out : &x->in[k - 1];
        *arg = (hdi_xarg){memory[k] + p->off, (hd_dtype)r->dt[k], p->lay->nd, p->lay->dims,
                          hdi_layout_strides(p->lay)};
    }
    if (x->op == HD_OP_gather)
        keep_trailing(x, &x->in[0], x->out.nd - 1);
    if (x->op == HD_OP_scatter)
        keep_trailing(x, &x->out, x->in[0].nd - 1);
    if (x->op == HD_OP_at)
        keep_trailing(x, &x->out, x->out.nd - x->payload.places.axes);
}
