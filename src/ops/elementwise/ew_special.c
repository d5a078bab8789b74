/* SPDX-License-Identifier: BSD-3-Clause */
/* ew_special.c - the few elementwise cases that promotion and one loop do not settle. */
#include "base/alloc.h"
#include "ops/elementwise/ew.h"

static bool all_nonnegative(const void *values, hd_dtype dt, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t v = 0;
        switch (dt) {
        case HD_INT8:  v = ((const int8_t *)values)[i]; break;
        case HD_INT16: v = ((const int16_t *)values)[i]; break;
        case HD_INT32: v = ((const int32_t *)values)[i]; break;
        case HD_INT64: v = ((const int64_t *)values)[i]; break;
        default: return true;
        }
        if (v < 0)
            return false;
    }
    return true;
}

hd_status hdi_check_exponent(const hdi_in *exponent)
{
    bool fine = true;
    if (exponent->n != NULL) {
        fine = exponent->n->kind != HD_WEAK_INT || exponent->n->re >= 0;
    } else if (hdi_dtypes[exponent->x->dtype].kind == 'i') {
        const hd_array *x = exponent->x;
        hdi_values values;
        if (!hdi_values_open(x, &values))
            return hd_error_peek()->code;
        fine = all_nonnegative(values.at, (hd_dtype)x->dtype, x->lay->size);
        hdi_values_close(&values);
    }
    return fine ? HD_OK
                : hdi_fail(HD_VALUE, "Integers to negative integer powers are not allowed.");
}

hd_array *hdi_power_number(const hd_array *x, const hd_number *n)
{
    hdi_in in[2] = {hdi_in_array(x), hdi_in_number(n)};
    hd_dtype cdt = hdi_loop_for(HD_OP_power, hdi_common_dtype(2, in));
    if (cdt == HD_NO_DTYPE)
        return NULL;
    if ((hd_dtype)x->dtype == HD_BOOL && x->flags & HDI_A_SCALAR && n->kind == HD_WEAK_INT)
        cdt = HD_INT64;   /* NumPy's bool scalars; arrays of bool give int8 */
    bool integer = hdi_is_int(cdt), pair = hdi_dtypes[cdt].kind == 'c';
    if (integer && hdi_check_exponent(&in[1]) != HD_OK)
        return NULL;
    if (n->kind == HD_WEAK_COMPLEX || n->range != 0 || (hd_dtype)x->dtype == HD_BOOL)
        return hdi_ew(HD_OP_power, cdt, 2, in);
    if (n->re == 2.0)
        return hdi_ew(HD_OP_square, cdt, 1, in);
    if (n->re == 1.0 && !pair)   /* that of complex -0 is 0 */
        return hdi_ew(HD_OP_positive, cdt, 1, in);
    if (n->re == 3.0) {   /* x * x * x: two roundings, where pow() has one */
        hd_array *square = hdi_ew(HD_OP_square, cdt, 1, in);
        if (square == NULL)
            return NULL;
        hdi_in cube[2] = {hdi_in_array(square), in[0]};
        hd_array *r = hdi_ew(HD_OP_multiply, cdt, 2, cube);
        hdi_array_release(square);
        return r;
    }
    if (!integer && n->re == 0.5)
        return hdi_ew(HD_OP_sqrt, cdt, 1, in);
    if (!integer && n->re == -1.0 && (!pair || n->kind == HD_WEAK_INT))   /* as NumPy has it */
        return hdi_ew(HD_OP_reciprocal, cdt, 1, in);
    return hdi_ew(HD_OP_power, cdt, 2, in);
}

/* A comparison of integers with a Python integer that their dtype cannot hold is decided by its
 * sign alone. */
static hd_array *compare_out_of_range(hd_op op, const hd_array *x, const hd_number *n,
                                      bool number_first)
{
    bool large = n->re > 0;   /* the number is above every x */
    bool less = number_first ? !large : large;
    bool answer = op == HD_OP_not_equal || ((op == HD_OP_less || op == HD_OP_less_equal) && less) ||
                  ((op == HD_OP_greater || op == HD_OP_greater_equal) && !less);
    uint64_t element[2] = {answer, 0};
    hdi_layout *lay =
        hdi_layout_k(x->lay->nd, x->lay->dims, 1, 1, (const hdi_layout *const[]){x->lay});
    hd_array *r = lay != NULL ? hdi_array_new(x->st->buf->dev, HD_BOOL, lay) : NULL;
    if (r != NULL && hdi_fill(r, element) != HD_OK) {
        hdi_array_release(r);
        return NULL;
    }
    if (r != NULL && lay->nd == 0)
        r->flags |= HDI_A_SCALAR | HDI_A_READONLY;
    return r;
}

/* signed op unsigned of 64 bits, exactly: if the signed one is negative it is the smaller, else
 * both compare as unsigned. */
static hd_array *compare_mixed(hd_op op, const hdi_in *in)
{
    int s = hdi_dtypes[in[0].x->dtype].kind == 'u';   /* which one is signed */
    bool when_negative =
        op == HD_OP_not_equal || (s == 0 ? op == HD_OP_less || op == HD_OP_less_equal
                                         : op == HD_OP_greater || op == HD_OP_greater_equal);
    hd_number zero = {.kind = HD_WEAK_INT},
              constant = {.kind = HD_WEAK_BOOL, .as.i = when_negative, .re = when_negative};
    hdi_in sign[2] = {in[s], hdi_in_number(&zero)};
    hd_array *negative = hdi_ew_auto(HD_OP_less, 2, sign), *unsigned_result = NULL, *r = NULL;
    if (negative != NULL)
        unsigned_result = hdi_ew(op, HD_UINT64, 2, in);
    if (unsigned_result != NULL) {
        hdi_in pick[3] = {hdi_in_array(negative), hdi_in_number(&constant),
                          hdi_in_array(unsigned_result)};
        r = hdi_ew(HD_OP_where, HD_BOOL, 3, pick);
        if (r != NULL && r->lay->nd == 0)   /* where itself would give an array */
            r->flags |= HDI_A_SCALAR | HDI_A_READONLY;
        hdi_array_release(unsigned_result);
    }
    if (negative != NULL)
        hdi_array_release(negative);
    return r;
}

/* Comparisons that their dtype's loop would get wrong: true if it is one, with *r its result. */
static bool special_comparison(hd_op op, const hdi_in *in, hd_array **r)
{
    for (int k = 0; k < 2; k++) {
        const hd_number *n = in[k].n;
        const hd_array *x = in[1 - k].x;
        if (n == NULL || x == NULL || n->kind != HD_WEAK_INT || !hdi_is_int((hd_dtype)x->dtype))
            continue;
        if (hdi_integer_fits(n, (hd_dtype)x->dtype))
            return false;
        *r = compare_out_of_range(op, x, n, k == 0);
        return true;
    }
    if (in[0].x == NULL || in[1].x == NULL)
        return false;
    hd_dtype a = (hd_dtype)in[0].x->dtype, b = (hd_dtype)in[1].x->dtype;
    if ((a == HD_UINT64 && hdi_dtypes[b].kind == 'i') ||
        (b == HD_UINT64 && hdi_dtypes[a].kind == 'i')) {
        *r = compare_mixed(op, in);
        return true;
    }
    return false;
}

/* Bounds of a clip that no element of the integer dtype can reach do nothing. */
static hd_array *clip_numbers(const hdi_in *in)
{
    hd_dtype cdt = hdi_loop_for(HD_OP_clip, hdi_common_dtype(3, in));
    hd_number limit[3];
    hdi_in all[3] = {in[0], in[1], in[2]};
    if (cdt == HD_NO_DTYPE)
        return NULL;
    bool is_signed = hdi_dtypes[cdt].kind == 'i';
    int bits = (int)hdi_itemsize(cdt) * 8;
    for (int k = 1; k < 3 && hdi_is_int(cdt); k++) {
        const hd_number *n = in[k].n;
        uint64_t element[2];
        if (n == NULL || n->kind != HD_WEAK_INT || hdi_integer_fits(n, cdt))
            continue;
        bool below = n->re < 0;
        if (below != (k == 1)) {   /* it would cut everything off */
            hdi_number_as(n, cdt, element);
            return NULL;
        }
        limit[k] = (hd_number){.kind = HD_WEAK_INT};
        if (below)
            limit[k].as.i = is_signed ? INT64_MIN >> (64 - bits) : 0;
        else if (!is_signed && bits == 64)
            limit[k] = (hd_number){.kind = HD_WEAK_INT, .range = 1, .as.u = UINT64_MAX};
        else
            limit[k].as.i = (int64_t)(UINT64_MAX >> (64 - bits + is_signed));
        all[k] = hdi_in_number(&limit[k]);
    }
    return hdi_ew(HD_OP_clip, cdt, 3, all);
}

/* Of a number only its truth counts, whatever dtype stands beside it; NumPy wants it to be an
 * int64 all the same. */
static hd_array *logical_number(hd_op op, const hdi_in *in)
{
    hd_number truth[2];
    hdi_in both[2] = {in[0], in[1]};
    for (int k = 0; k < 2; k++)
        if (in[k].n != NULL && in[k].n->kind == HD_WEAK_INT) {
            uint64_t element[2];
            if (hdi_number_as(in[k].n, HD_INT64, element) != HD_OK)
                return NULL;
            truth[k] =
                (hd_number){.kind = HD_WEAK_BOOL, .as.i = element[0] != 0, .re = element[0] != 0};
            both[k] = hdi_in_number(&truth[k]);
        }
    return hdi_ew_auto(op, 2, both);
}

bool hdi_ew_special(hd_op op, const hdi_in *in, hd_array **r)
{
    if (op >= HD_OP_logical_and && op <= HD_OP_logical_xor && (in[0].n != NULL || in[1].n != NULL))
        *r = logical_number(op, in);
    else if (op == HD_OP_clip && (in[1].n != NULL || in[2].n != NULL))
        *r = clip_numbers(in);
    else
        return hdi_is_comparison(op) && special_comparison(op, in, r);
    return true;
}

hd_array *hdi_ew_checked(hd_op op, int n, const hdi_in *in)
{
    hd_array *r;
    if (hdi_ew_special(op, in, &r))
        return r;
    hd_dtype cdt = hdi_row_loop(op, n, in);
    if (cdt == HD_NO_DTYPE)
        return NULL;
    if (op == HD_OP_power && hdi_is_int(cdt) && hdi_check_exponent(&in[1]) != HD_OK)
        return NULL;
    return hdi_ew(op, cdt, n, in);
}
