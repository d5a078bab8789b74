/* SPDX-License-Identifier: BSD-3-Clause */
/* ew_loop.c - which loop an elementwise operation runs in: the one that promotion gives, or the
 * one that the caller names by dtype or by signature. */
#include "ops/elementwise/ew.h"

/* An exponent of ldexp is an integer that an int64 holds; a Python number must fit C's int. */
static bool exponent_fits(hd_op op, const hdi_in *exponent)
{
    uint64_t element[2];
    if (exponent->n != NULL && exponent->n->kind <= HD_WEAK_INT)
        return hdi_number_as(exponent->n, HD_INT32, element) == HD_OK;
    hd_dtype dt = exponent->x != NULL ? (hd_dtype)exponent->x->dtype : HD_FLOAT64;
    if (hd_can_cast(dt, HD_INT64, HD_CAST_SAFE))
        return true;
    hdi_fail(HD_DTYPE,
             "ufunc '%s' not supported for the input types, and the inputs could not be safely "
             "coerced to any supported types according to the casting rule ''safe'' (exponent of "
             "dtype %s)",
             hdi_op_rows[op].info.name, hd_dtype_name(dt));
    return false;
}

/* A Python integer beside an array of exponents adapts to the first loop, as in NumPy: float16. */
static hd_dtype scaled_loop(hd_op op, const hdi_in *in)
{
    if (!exponent_fits(op, &in[1]))
        return HD_NO_DTYPE;
    bool adapts = in[0].n != NULL && in[0].n->kind == HD_WEAK_INT && in[1].x != NULL;
    return adapts ? HD_FLOAT16 : hdi_common_loop(op, 1, in);
}

hd_dtype hdi_row_loop(hd_op op, int n, const hdi_in *in)
{
    switch (hdi_op_rows[op].rule) {
    case HDI_RULE_COND:
        return hdi_common_loop(op, n - 1, in + 1);
    case HDI_RULE_EXPO:
        return scaled_loop(op, in);
    default:
        return hdi_common_loop(op, n, in);
    }
}

/* ---- loops asked for ------------------------------------------------------------------------- */

/* What a Python number is before it adapts. */
static hd_dtype number_dtype(const hd_number *n)
{
    static const hd_dtype dt[] = {HD_BOOL, HD_INT64, HD_FLOAT64, HD_COMPLEX128};
    return dt[n->kind];
}

/* Integers adapt to every dtype but bool; the rest as their dtypes do. */
static bool number_casts(const hd_number *n, hd_dtype to, hd_casting casting)
{
    return (n->kind == HD_WEAK_INT && to != HD_BOOL) ||
           hd_can_cast(number_dtype(n), to, casting < HD_CAST_SAME_KIND ? HD_CAST_SAME_KIND
                                                                        : casting);
}

static bool casts(const hdi_in *in, hd_dtype to, hd_casting casting)
{
    return in->x != NULL ? hd_can_cast((hd_dtype)in->x->dtype, to, casting)
                         : number_casts(in->n, to, casting);
}

static bool inputs_cast(hd_op op, hd_dtype cdt, int n, const hdi_in *in, hd_casting casting)
{
    for (int k = 0; k < n; k++)
        if (!casts(&in[k], hdi_loop_dtype(op, k, cdt), casting))
            return false;
    return true;
}

static hd_dtype refuse_input(hd_op op, hd_dtype cdt, int n, const hdi_in *in, hd_casting casting)
{
    for (int k = 0; k < n; k++) {
        hd_dtype want = hdi_loop_dtype(op, k, cdt),
                 from = in[k].x != NULL ? (hd_dtype)in[k].x->dtype : number_dtype(in[k].n);
        if (casts(&in[k], want, casting))
            continue;
        hdi_fail(HD_CAST,
                 "Cannot cast ufunc '%s' input%s from dtype('%s') to dtype('%s') with casting "
                 "rule '%s'",
                 hdi_op_rows[op].info.name, n == 1 ? "" : k == 0 ? " 0" : k == 1 ? " 1" : " 2",
                 hd_dtype_name(from), hd_dtype_name(want), hd_casting_name(casting));
        break;
    }
    return HD_NO_DTYPE;
}

/* Has the row a loop in cdt, and that loop the dtypes asked for? */
static bool matches(hd_op op, hd_dtype cdt, int n, const hd_dtype *want)
{
    if (!hdi_has_loop(op, cdt))
        return false;
    for (int k = 0; k < n; k++) {
        /* NumPy has loops for two sizes of exponent */
        bool exponent = hdi_op_rows[op].rule == HDI_RULE_EXPO && k == 1 && want[k] == HD_INT32;
        if (want[k] != HD_NO_DTYPE && !exponent && want[k] != hdi_loop_dtype(op, k, cdt))
            return false;
    }
    return want[n] == HD_NO_DTYPE || want[n] == hdi_value_dtype(op, cdt);
}

/* The loop with the dtypes asked for: the natural one if it has them, else the first that the
 * inputs can be cast to safely, else the first. */
static hd_dtype find_loop(hd_op op, int n, const hdi_in *in, const hd_dtype *want)
{
    hd_error unsuitable;
    hd_dtype natural = hdi_row_loop(op, n, in), first = HD_NO_DTYPE;
    if (natural != HD_NO_DTYPE && matches(op, natural, n, want))
        return natural;
    hd_error_take(&unsuitable);
    for (hd_dtype dt = HD_BOOL; dt < HD_DTYPE_COUNT; dt++) {
        if (!matches(op, dt, n, want))
            continue;
        if (inputs_cast(op, dt, n, in, HD_CAST_SAFE))
            return dt;
        first = first == HD_NO_DTYPE ? dt : first;
    }
    if (first == HD_NO_DTYPE)
        hdi_fail(HD_DTYPE,
                 "No loop matching the specified signature and casting was found for ufunc %s",
                 hdi_op_rows[op].info.name);
    return first;
}

hd_dtype hdi_ew_choose(hd_op op, int n, const hdi_in *in, const hd_apply_options *o)
{
    hd_dtype want[HDI_MAX_IN + 1], cdt;
    for (int k = 0; k <= n; k++) {
        want[k] = o->signature != NULL ? o->signature[k] : k == n ? o->dtype : HD_NO_DTYPE;
        if (want[k] != HD_NO_DTYPE && hdi_dtype_check(want[k]) != HD_OK)
            return HD_NO_DTYPE;
    }
    bool asked = o->signature != NULL || o->dtype != HD_NO_DTYPE;
    cdt = asked ? find_loop(op, n, in, want) : hdi_row_loop(op, n, in);
    /* what promotion gives can be cast to safely; casting can forbid even that */
    if (cdt == HD_NO_DTYPE || (!asked && o->casting >= HD_CAST_SAFE) ||
        inputs_cast(op, cdt, n, in, o->casting))
        return cdt;
    return refuse_input(op, cdt, n, in, o->casting);
}
