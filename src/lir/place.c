/* SPDX-License-Identifier: BSD-3-Clause */
/* place.c - lowered IR: where SHARED and SPREAD variables lie. */
#include "lir/passes.h"

static const int64_t MOST_BYTES = (int64_t)1 << 40;
enum { LINE = 16 };      /* alignment of each SPREAD variable's range, and of dynamic memory */

static int64_t round_up(int64_t x, int64_t to)
{
    return (x + to - 1) / to * to;
}

static int64_t align_of(const hdi_lir_var *var, int64_t least)
{
    return hdi_max64(hdi_max64(var->align, hdi_lir_types[var->type].bytes), least);
}

static int64_t size_of(const hdi_lir_var *var)
{
    return var->count * hdi_lir_types[var->type].bytes;
}

int64_t hdi_lir_spread_size(const hdi_lir_var *var)
{
    return round_up(size_of(var), align_of(var, 1));
}

/* Puts a variable at the end of *sum, and moves the end. */
static hd_status put(const hdi_lir *l, hdi_lir_var *var, int64_t align, int64_t size, int64_t *sum)
{
    var->at = round_up(*sum, align);
    *sum = var->at + size;
    if (*sum > MOST_BYTES)
        return hdi_fail(HD_VALUE, "kernel %s: its variables need more than 2^40 bytes",
                        l->names + l->name);
    return HD_OK;
}

hd_status hdi_lir_place(hdi_lir *l)
{
    hd_status status = HD_OK;
    l->shared_bytes = l->spread_bytes = 0;
    for (int32_t i = 0; i < l->nvars; i++) {
        hdi_lir_var *var = &l->var[i];
        if (var->space == HDI_LIR_SPREAD)
            HD_TRY(put(l, var, align_of(var, LINE), hdi_lir_spread_size(var), &l->spread_bytes));
        if (var->space == HDI_LIR_SHARED && !var->dynamic)
            HD_TRY(put(l, var, align_of(var, 1), size_of(var), &l->shared_bytes));
    }
    l->spread_bytes = round_up(l->spread_bytes, LINE);
    for (int32_t i = 0; i < l->nvars; i++)
        if (l->var[i].space == HDI_LIR_SHARED && l->var[i].dynamic)
            l->var[i].at = round_up(l->shared_bytes, LINE);
done:
    return status;
}
