/* SPDX-License-Identifier: BSD-3-Clause */
/* small.c - work that is worth less than recording it runs within the call that asked for it. */
#include "window/append.h"

bool hdi_run_small(hdi_window *w, hdi_record *r)
{
    hdi_buf *out = r->operand[0].buf;
    if (hdi_watching.at_once != 0 || !hdi_buf_untouched(out))
        return false;
    for (int k = 1; k <= r->nin; k++)
        if (r->kind[k] == HDI_ARRAY && r->operand[k].buf != out &&
            !hdi_buf_at_hand(r->operand[k].buf))
            return false;
    bool fresh = hdi_buf_empty(out);
    if (fresh ? !hdi_buf_take_host(out) : !hdi_buf_writable(out))
        return false;   /* a record may wait for memory */
    if (!w->run_small(r)) {
        if (fresh)
            hdi_buf_give_memory(out);
        return false;
    }
    hdi_buf_changed(out);
    hdi_forget_axes(r);
    w->stats.small++;
    return true;
}
