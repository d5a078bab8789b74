/* SPDX-License-Identifier: BSD-3-Clause */
/* cg_fold.c - from fold.def. */
#include "codegen/cg_fold.h"

#include <string.h>

hd_op hdi_fold_row(int op)
{
    if (op < HD_OP_sum)
        return (hd_op)op;
    switch (op) {
#define FOLD(name, reduction, identity) FOLD_##reduction(name, reduction)
#define FOLD_NONE(name, reduction)
#define FOLD_sum(name, reduction) case HD_OP_##reduction: return HD_OP_##name;
#define FOLD_prod FOLD_sum
#define FOLD_min FOLD_sum
#define FOLD_max FOLD_sum
#define FOLD_nanmin FOLD_sum
#define FOLD_nanmax FOLD_sum
#define FOLD_any FOLD_sum
#define FOLD_all FOLD_sum
#include "ops/reduce/fold.def"
#undef FOLD
    default:
        return HD_OP_add;   /* a sum of products */
    }
}

bool hdi_fold_keeps(int op, hd_dtype dt)
{
    const bool extreme =
        op == HD_OP_min || op == HD_OP_max || op == HD_OP_nanmin || op == HD_OP_nanmax;
    return extreme && hdi_chain_kind(dt) == 'f';
}

static uint64_t bits_of(double x, hd_dtype dt)
{
    uint64_t wide;
    uint32_t narrow;
    float single = (float)x;
    memcpy(&wide, &x, sizeof wide);
    memcpy(&narrow, &single, sizeof narrow);
    return dt == HD_FLOAT64 ? wide : narrow;
}

static uint64_t real_identity(int op, hd_dtype dt, bool pieces)
{
    switch (op) {
    case HD_OP_prod:
    case HD_OP_all:
        return bits_of(1, dt);
    case HD_OP_sum:
        return bits_of(pieces ? -0.0 : 0.0, dt);
    case HD_OP_nanmin:
    case HD_OP_nanmax:
        return bits_of((double)__builtin_nan(""), dt);
    case HD_OP_max:
    case HD_OP_argmax:
        return bits_of(-(double)__builtin_inf(), dt);
    case HD_OP_min:
    case HD_OP_argmin:
        return bits_of((double)__builtin_inf(), dt);
    default:
        return 0;
    }
}

uint64_t hdi_fold_identity(int op, hd_dtype dt, bool pieces)
{
    char kind = hdi_chain_kind(dt);
    bool most = hdi_fold_largest(op) || op == HD_OP_nanmax;
    uint64_t lowest = (uint64_t)(INT64_MIN >> (64 - hdi_chain_size(dt) * 8));
    if (kind == 'f')
        return real_identity(op, dt, pieces);
    if (op == HD_OP_prod || op == HD_OP_all)
        return 1;
    if (op < HD_OP_sum || op == HD_OP_sum || op == HD_OP_any || op == HD_OP_sumproduct)
        return 0;
    return kind == 'b'   ? !most
           : kind == 'u' ? (most ? 0 : UINT64_MAX)
           : most        ? lowest
                         : ~lowest;
}
