/* SPDX-License-Identifier: BSD-3-Clause */
/* op.c - the operation tables as rows of facts, and NumPy's choice of loop. */
#include "core/op.h"

#include <math.h>

/* the identity column */
#define NONE 0
enum { ZERO = 1, ONE = 1 };
/* Rows that are made from positions, that NumPy has as a function or that are half of an
 * operation are no ufuncs. */
enum {
    PUBLIC_SAME = 1,
    PUBLIC_BOOL = 1,
    PUBLIC_REAL = 1,
    PUBLIC_COND = 0,
    PUBLIC_KEEP = 0,
    PUBLIC_INDEX = 0,
    PUBLIC_BITS = 0,
    PUBLIC_WIDE = 1,
    PUBLIC_EXPO = 1,
    PUBLIC_PART = 0,
    PUBLIC_UINT8 = 1,
    PUBLIC_INT32 = 0,
    PUBLIC_DRAW = 0
};

/* SciPy's special functions, which NumPy does not have. */
#define IS_SPECIAL(op) ((op) >= HD_OP_expit && (op) <= HD_OP_digamma)

const hdi_op_row hdi_op_rows[HD_OP_COUNT] = {
#define ROW(name, types, rule, n, doc)                                                       \
    [HD_OP_##name] = {                                                                       \
        {#name, doc, #types, 'e', n, PUBLIC_##rule && !IS_SPECIAL(HD_OP_##name), 0},         \
        HDI_RULE_##rule,                                                                     \
        false},
#define EW1(name, types, rule, value, vx, samples, doc) ROW(name, types, rule, 1, doc)
#define EW2(name, types, rule, value, vx, vy, samples, doc) ROW(name, types, rule, 2, doc)
#define EW3(name, types, rule, value, vx, vy, vz, samples, doc) ROW(name, types, rule, 3, doc)
#include "ops/elementwise/ew.def"
#define RED(name, nin, types, rule, combine, identity, vjp, doc) \
    [HD_OP_##name] = {{#name, doc, #types, 'r', nin, 0, 1}, HDI_RULE_##rule, (identity) != 0},
#include "ops/reduce/red.def"
#define LIB(name, nin, drop, doc) \
    [HD_OP_##name] = {{#name, doc, "", 'x', nin, 0, 0}, HDI_RULE_SAME, false},
#include "ops/lib.def"
};
#undef NONE

static const hd_pair_info pairs[] = {
#define PAIR(name, first, second, doc) {#name, doc, {HD_OP_##first, HD_OP_##second}},
#include "ops/elementwise/pairs.def"
};

const hd_pair_info *hd_pair_info_of(int i)
{
    return i >= 0 && i < (int)(sizeof pairs / sizeof *pairs) ? pairs + i : NULL;
}

#define HD_OP_NONE HD_OP_COUNT
static const hd_fold_info folds[HD_OP_COUNT] = {
#define FOLD(name, reduction, identity) [HD_OP_##name] = {1, HD_OP_##reduction, identity},
#define NONE NAN
#include "ops/reduce/fold.def"
#undef NONE
};

const hd_fold_info *hd_fold_info_of(hd_op op)
{
    return (unsigned)op < HD_OP_COUNT && folds[op].any_order ? folds + op : NULL;
}

int hd_op_count(void)
{
    return HD_OP_COUNT;
}

const hd_op_info *hd_op_info_of(hd_op op)
{
    return (unsigned)op < HD_OP_COUNT ? &hdi_op_rows[op].info : NULL;
}

/* The float that NumPy computes an integer's sqrt in. */
static hd_dtype float_of(hd_dtype dt)
{
    switch (hdi_itemsize(dt)) {
    case 1:
        return HD_FLOAT16;
    case 2:
        return HD_FLOAT32;
    default:
        return HD_FLOAT64;
    }
}

hd_dtype hdi_float_for(hd_op op, hd_dtype dt)
{
    if (dt != HD_BOOL && !hdi_is_int(dt))
        return dt;
    /* NumPy divides every integer type in float64 */
    bool wide = op == HD_OP_divide || hdi_op_rows[op].rule == HDI_RULE_WIDE;
    return wide ? HD_FLOAT64 : float_of(dt);
}

int8_t hdi_loop_memo[HD_OP_COUNT][HD_DTYPE_COUNT];

hd_dtype hdi_find_loop(hd_op op, hd_dtype dt)
{
    const hd_op_info *info = &hdi_op_rows[op].info;
    hd_dtype loop = dt;
    bool refuses_bool = strchr(info->types, '_') != NULL;
    if (strchr(info->types, hdi_type_letter(loop)) == NULL && loop == HD_BOOL && !refuses_bool)
        loop = HD_INT8;
    if (strchr(info->types, hdi_type_letter(loop)) == NULL && hdi_is_int(loop))
        loop = hdi_float_for(op, loop);
    if (hdi_op_rows[op].rule == HDI_RULE_WIDE)
        loop = hd_promote(loop, HD_FLOAT64);
    if (strchr(info->types, hdi_type_letter(loop)) == NULL || (dt == HD_BOOL && refuses_bool)) {
        if (dt == HD_BOOL && op == HD_OP_subtract)
            hdi_fail(HD_DTYPE, "numpy boolean subtract, the `-` operator, is not supported, use "
                               "the bitwise_xor, the `^` operator, "
                               "or the logical_xor function instead.");
        else if (dt == HD_BOOL && op == HD_OP_negative)
            hdi_fail(HD_DTYPE, "The numpy boolean negative, the `-` operator, is not supported, "
                               "use the `~` operator or the "
                               "logical_not function instead.");
        else
            hdi_fail(HD_DTYPE,
                     "ufunc '%s' not supported for the input types, and the inputs could not be "
                     "safely coerced to any "
                     "supported types according to the casting rule ''safe'' (%s)",
                     info->name, hd_dtype_name(dt));
        return HD_NO_DTYPE;
    }
    hdi_loop_memo[op][dt] = (int8_t)loop;
    return loop;
}

hd_dtype hdi_find_loop_dtype(hd_op op, int k, hd_dtype cdt)
{
    switch (hdi_op_rows[op].rule) {
    case HDI_RULE_COND:
        return k == 0 ? HD_BOOL : cdt;
    case HDI_RULE_INDEX:
    case HDI_RULE_DRAW:
        return k == 0 ? HD_INT64 : cdt;
    case HDI_RULE_BITS:
        return k == 0 ? HD_INT64 : HD_COMPLEX128;   /* the state: 128 bits */
    case HDI_RULE_EXPO:
        return k == 1 ? HD_INT64 : cdt;
    default:
        return cdt;
    }
}

hd_dtype hdi_find_value_dtype(hd_op op, hd_dtype cdt)
{
    switch (hdi_op_rows[op].rule) {
    case HDI_RULE_BOOL:
        return HD_BOOL;
    case HDI_RULE_REAL:
        return hd_dtype_real(cdt);
    case HDI_RULE_ARG:
        return HD_INT64;
    case HDI_RULE_UINT8:
        return HD_UINT8;
    case HDI_RULE_INT32:
        return HD_INT32;
    default:
        return cdt;
    }
}

bool hdi_has_loop(hd_op op, hd_dtype cdt)
{
    const hdi_op_row *row = &hdi_op_rows[op];
    return strchr(row->info.types, hdi_type_letter(cdt)) != NULL &&
           (row->rule != HDI_RULE_WIDE || hd_promote(cdt, HD_FLOAT64) == cdt);
}

int hd_op_loop(hd_op op, hd_dtype dt, hd_dtype *dts)
{
    if (dts == NULL)
        hdi_fail_null("the place for dtypes");
    if ((unsigned)op >= HD_OP_COUNT || hd_dtype_size(dt) == 0 || dts == NULL ||
        hdi_op_rows[op].info.cls != 'e' || !hdi_has_loop(op, dt))
        return 0;
    int nin = hdi_op_rows[op].info.nin;
    for (int k = 0; k < nin; k++)
        dts[k] = hdi_loop_dtype(op, k, dt);
    dts[nin] = hdi_value_dtype(op, dt);
    return 1;
}
