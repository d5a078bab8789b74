/* SPDX-License-Identifier: BSD-3-Clause */
/* int_faults.c - what NumPy reports of integers, found by looking at the values: division by zero,
 * a quotient that does not fit, and scalars that overflow. The processor raises no flag for
 * these. Runs only while somebody watches. */
#include <heddle/faults.h>

#include "base/alloc.h"
#include "ops/ops.h"

int hdi_any_true(hd_array *cond)
{
    if (cond == NULL)
        return -1;
    int answer = -1;
    uint64_t all = hdi_all_axes(cond->lay->nd);
    hd_array *any = hdi_reduce(HD_OP_any, HD_BOOL, cond, NULL, all, false, NULL);
    hdi_values value;
    hdi_faults_hold();
    if (any != NULL && hdi_values_open(any, &value)) {
        answer = *(const uint8_t *)value.at != 0;
        hdi_values_close(&value);
    }
    hdi_faults_let_go(hdi_device_of(cond));
    if (any != NULL)
        hdi_array_release(any);
    hdi_array_release(cond);
    return answer;
}

static hd_array *equals(const hdi_in *x, hd_dtype cdt, int64_t value)
{
    hd_number n = {.kind = HD_WEAK_INT, .as.i = value, .re = (double)value};
    hdi_in in[2] = {*x, hdi_in_number(&n)};
    return hdi_ew(HD_OP_equal, cdt, 2, in);
}

static int divides_by_zero(const hdi_in *y, hd_dtype cdt)
{
    if (y->n != NULL)
        return y->n->range == 0 && y->n->as.i == 0;
    return y->x->lay->size > 0 ? hdi_any_true(equals(y, cdt, 0)) : 0;
}

/* The smallest number by -1. */
static int quotient_overflows(const hdi_in *in, hd_dtype cdt)
{
    int bits = (int)hdi_itemsize(cdt) * 8;
    if (hdi_dtypes[cdt].kind != 'i' ||
        (in[1].n != NULL && (in[1].n->range != 0 || in[1].n->as.i != -1)))
        return 0;
    hd_array *x = equals(&in[0], cdt, INT64_MIN >> (64 - bits)), *y = NULL, *both = NULL;
    if (x != NULL && (y = equals(&in[1], cdt, -1)) != NULL) {
        hdi_in masks[2] = {hdi_in_array(x), hdi_in_array(y)};
        both = hdi_ew(HD_OP_logical_and, HD_BOOL, 2, masks);
    }
    if (x != NULL)
        hdi_array_release(x);
    if (y != NULL)
        hdi_array_release(y);
    return hdi_any_true(both);
}

static hd_status check_division(hd_op op, hd_dtype cdt, const hdi_in *in)
{
    bool scalar = hdi_all_scalars(2, in);
    int zero = divides_by_zero(&in[1], cdt);
    int over = zero >= 0 && op == HD_OP_floor_divide ? quotient_overflows(in, cdt) : 0;
    if (zero < 0 || over < 0)
        return hd_error_peek()->code;
    hdi_fault_note((zero ? HD_FAULT_DIVIDE : 0) | (over ? HD_FAULT_OVERFLOW : 0),
                   hdi_fault_name(op, scalar));
    return HD_OK;
}

static hd_status integer_value(const hdi_in *in, __int128 *value)
{
    uint64_t e = 0;
    if (in->n != NULL) {
        *value = in->n->range == 1 ? (__int128)in->n->as.u : in->n->as.i;
        return HD_OK;
    }
    hd_dtype dt = (hd_dtype)in->x->dtype;
    size_t size = (size_t)hdi_itemsize(dt);
    hdi_values bytes;
    if (!hdi_values_open(in->x, &bytes))
        return hd_error_peek()->code;
    memcpy(&e, bytes.at, size);
    hdi_values_close(&bytes);
    int unused = 64 - 8 * (int)size;
    *value = hdi_dtypes[dt].kind == 'i' ? (__int128)((int64_t)(e << unused) >> unused) : e;
    return HD_OK;
}

/* Operators on NumPy's integer scalars report what wraps around. */
static hd_status check_scalars(hd_op op, hd_dtype cdt, int n, const hdi_in *in)
{
    __int128 v[2] = {0, 0}, r = 0;
    for (int k = 0; k < n; k++)
        if (integer_value(&in[k], &v[k]) != HD_OK)
            return hd_error_peek()->code;
    switch (op) {
    case HD_OP_add:      r = v[0] + v[1]; break;
    case HD_OP_subtract: r = v[0] - v[1]; break;
    case HD_OP_multiply: r = v[0] * v[1]; break;
    case HD_OP_negative: r = -v[0]; break;
    default:             r = v[0] < 0 ? -v[0] : v[0]; break;
    }
    int bits = (int)hdi_itemsize(cdt) * 8;
    bool is_signed = hdi_dtypes[cdt].kind == 'i';
    __int128 most = ((__int128)1 << (bits - is_signed)) - 1, least = is_signed ? -most - 1 : 0;
    hdi_fault_note(r > most || r < least ? HD_FAULT_OVERFLOW : 0, hdi_fault_name(op, true));
    return HD_OK;
}

bool hdi_all_scalars(int n, const hdi_in *in)
{
    for (int k = 0; k < n; k++)
        if (in[k].x != NULL && !(in[k].x->flags & HDI_A_SCALAR))
            return false;
    return !hdi_watching.by_name;
}

static hd_status integer_faults(hd_op op, hd_dtype cdt, int n, const hdi_in *in)
{
    const uint32_t raises = hdi_op_rows[op].raises;
    if (raises & HDI_INT_DIVIDES && n == 2)
        return check_division(op, cdt, in);
    if (raises & HDI_INT_DIVIDES) {   /* 1 by x */
        int zero = divides_by_zero(&in[0], cdt);
        hdi_fault_note(zero > 0 ? HD_FAULT_DIVIDE | HD_FAULT_INVALID : 0,
                       hdi_op_rows[op].info.name);
        return zero >= 0 ? HD_OK : hd_error_peek()->code;
    }
    return raises & HDI_INT_WRAPS && hdi_all_scalars(n, in) ? check_scalars(op, cdt, n, in) : HD_OK;
}

hd_status hdi_value_faults(hd_op op, hd_dtype cdt, int n, const hdi_in *in, hd_dtype dst)
{
    return hdi_is_int(cdt) && op != HD_OP_copy ? integer_faults(op, cdt, n, in)
                                               : hdi_float_faults(op, cdt, n, in, dst);
}
