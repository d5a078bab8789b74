/* SPDX-License-Identifier: BSD-3-Clause */
/* op.c - the operation tables as rows of facts, and NumPy's choice of loop. */
#include "core/op.h"

#include <math.h>

/* the identity column */
#define NONE 0
enum { ZERO = 1, ONE = 1 };
/* the column of whose name it is */
enum { NUMPY = 1, SCIPY = 0, OURS = 0 };
/* the column of faults */
enum {
    QUIET = 0,
    FLAGS = HDI_RAISES_FLAGS | HDI_RAISES_FLAGS << HDI_RAISES_COMPLEX,
    VALUES = HDI_RAISES_VALUES | HDI_RAISES_VALUES << HDI_RAISES_COMPLEX,
    OF_REALS = HDI_RAISES_FLAGS | HDI_RAISES_VALUES,
    HALF = HDI_RAISES_HALF,
    LINEAR = HDI_RAISES_LINEAR,
    OF_NAN = HDI_RAISES_OF_NAN,
    STEPS = HDI_RAISES_STEPS | FLAGS
};
#define REAL(w) ((w) & OF_REALS)
#define COMPLEX(w) ((w) & OF_REALS << HDI_RAISES_COMPLEX)
#define POLE(p) (HDI_POLE_##p << HDI_POLE_SHIFT)
#define UNDER(how) (HDI_UNDER_##how << HDI_UNDER_SHIFT)
#define INT(does) HDI_INT_##does
/* columns of library calls */
enum {
    DROP = HDI_TRAIT_DROP,
    PLAIN = HDI_TRAIT_PLAIN,
    FAILS = HDI_TRAIT_FAILS,
    OPENS = HDI_TRAIT_OPENS
};
enum { INDEXED_NONE = -1, INDEXED_OUT, INDEXED_IN };

const hdi_op_row hdi_op_rows[HD_OP_COUNT] = {
#define ROW(name, types, rule_, n, whose, faults, doc)                \
    [HD_OP_##name] = {.info = {#name, doc, #types, 'e', n, whose, 0}, \
                      .rule = HDI_RULE_##rule_,                       \
                      .raises = faults,                               \
                      .indexed = INDEXED_NONE,                        \
                      .of_scalars = "scalar " #name},
#define EW1(name, types, rule, value, vx, samples, whose, faults, doc) \
    ROW(name, types, rule, 1, whose, faults, doc)
#define EW2(name, types, rule, value, vx, vy, samples, whose, faults, doc) \
    ROW(name, types, rule, 2, whose, faults, doc)
#define EW3(name, types, rule, value, vx, vy, vz, samples, whose, faults, doc) \
    ROW(name, types, rule, 3, whose, faults, doc)
#include "ops/elementwise/ew.def"
#define RED(name, nin, types, rule_, combine, identity, vjp, faults, doc) \
    [HD_OP_##name] = {.info = {#name, doc, #types, 'r', nin, 0, 1},       \
                      .rule = HDI_RULE_##rule_,                           \
                      .raises = faults,                                   \
                      .has_identity = (identity) != 0,                    \
                      .indexed = INDEXED_NONE},
#include "ops/reduce/red.def"
#undef NONE
#define LIB(name, nin, payload_, traits_, operand, faults, doc) \
    [HD_OP_##name] = {.info = {#name, doc, "", 'x', nin, 0, 0}, \
                      .rule = HDI_RULE_SAME,                    \
                      .raises = faults,                         \
                      .traits = traits_,                        \
                      .payload = HDI_PAYLOAD_##payload_,        \
                      .indexed = INDEXED_##operand},
#include "ops/lib.def"
};

/* Whatever a call is told, all bytes of its payload are told. */
#define LIB(name, nin, payload, ...) \
    _Static_assert(sizeof((hdi_payload *)0)->payload == sizeof(hdi_payload), #name);
#include "ops/lib.def"

int hdi_loop_faults(hd_op op, hd_dtype cdt)
{
    const uint32_t raises = hdi_op_rows[op].raises;
    if (cdt == HD_BOOL || hdi_is_int(cdt))
        return 0;
    if (cdt == HD_FLOAT16 && raises & HDI_RAISES_HALF)
        return HD_FAULT_OVERFLOW | HD_FAULT_INVALID;
    const bool any = (hdi_is_complex(cdt) ? raises >> HDI_RAISES_COMPLEX : raises) & OF_REALS;
    return any ? HDI_ALL_FAULTS : 0;
}

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
