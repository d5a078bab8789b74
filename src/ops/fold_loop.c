/* SPDX-License-Identifier: BSD-3-Clause */
/* fold_loop.c - the loop that an elementwise operation runs in when it is repeated over elements:
 * the result of one step is an input of the next, so both have its dtype. */
#include "ops/ops.h"

hd_dtype hdi_sum_dtype(hd_dtype dt)
{
    if (hdi_itemsize(dt) < 8 && (dt == HD_BOOL || hdi_is_int(dt)))
        return hdi_dtypes[dt].kind == 'u' ? HD_UINT64 : HD_INT64;
    return dt;
}

static hd_dtype no_loop(hd_op op)
{
    hdi_fail(HD_DTYPE,
             "No loop matching the specified signature and casting was found for ufunc %s",
             hdi_op_rows[op].info.name);
    return HD_NO_DTYPE;
}

hd_status hdi_foldable(hd_op op, const char *method)
{
    if ((unsigned)op >= HD_OP_sum || hdi_op_rows[op].info.nin != 2)
        return hdi_fail(HD_VALUE, "%s only supported for binary functions", method);
    if (hdi_op_rows[op].rule == HDI_RULE_BITS)
        return hdi_fail(HD_VALUE, "operation %d does not combine elements", (int)op);
    return HD_OK;
}

hd_dtype hdi_fold_loop(hd_op op, hd_dtype dt, hd_dtype asked, const hd_array *out)
{
    hdi_rule rule = hdi_op_rows[op].rule;
    bool logical = op >= HD_OP_logical_and && op <= HD_OP_logical_xor;
    if (asked != HD_NO_DTYPE && hdi_dtype_check(asked) != HD_OK)
        return HD_NO_DTYPE;
    if (rule == HDI_RULE_EXPO) {
        hdi_fail(HD_DTYPE,
                 "ufunc '%s' not supported for the input types, and the inputs could not be safely "
                 "coerced to any supported types according to the casting rule ''safe''",
                 hdi_op_rows[op].info.name);
        return HD_NO_DTYPE;
    }
    if (rule == HDI_RULE_BOOL)   /* steps of a comparison compare bools */
        return asked == HD_BOOL || (asked == HD_NO_DTYPE && (dt == HD_BOOL || logical))
                   ? HD_BOOL
                   : no_loop(op);
    if (asked == HD_NO_DTYPE && out == NULL && (op == HD_OP_add || op == HD_OP_multiply))
        return hdi_sum_dtype(dt);
    if (asked != HD_NO_DTYPE)
        return hdi_has_loop(op, asked) ? asked : no_loop(op);
    return hdi_loop_for(op, out != NULL ? hd_promote(dt, (hd_dtype)out->dtype) : dt);
}

/* x[i + 1:] along axis, for each i of it. */
hd_status hdi_check_fold(hd_op op, hd_dtype cdt, const hd_array *x, int axis)
{
    int64_t dims[HD_MAXDIM];
    if (op != HD_OP_power || !hdi_is_int(cdt) || x->lay->dims[axis] < 2)
        return HD_OK;
    memcpy(dims, x->lay->dims, sizeof *dims * (size_t)x->lay->nd);
    dims[axis]--;
    hdi_layout *lay =
        hdi_layout_get(x->lay->nd, dims, hdi_layout_strides(x->lay), x->lay->item);
    hd_array *rest = lay != NULL ? hdi_array_view(x, (hd_dtype)x->dtype, lay,
                                                  x->off + hdi_layout_strides(x->lay)[axis])
                                 : NULL;
    if (rest == NULL)
        return hd_error_peek()->code;
    hdi_in in = hdi_in_array(rest);
    hd_status status = hdi_check_exponent(&in);
    hdi_array_release(rest);
    return status;
}

/* x as dt: itself (retained) or a copy. */
hd_array *hdi_cast(const hd_array *x, hd_dtype dt)
{
    if ((hd_dtype)x->dtype == dt && !hdi_is_weak(x)) {
        hd_array *same = (hd_array *)(uintptr_t)x;
        same->rc++;
        return same;
    }
    return hdi_new_copy(x, dt, hdi_layout_like(x->lay, hdi_itemsize(dt)));
}

hd_status hdi_record_fold(hd_op op, hd_op repeated, hd_dtype cdt, int axis, hd_array *r,
                          hdi_layout *lay, const hd_array *x, const hd_array *index)
{
    hdi_window *w = hdi_window_of(x->st->buf->dev);
    hdi_record *rec = hdi_record_begin(w, op, 'x', cdt, index != NULL ? 2 : 1);
    if (rec == NULL)
        return hd_error_peek()->code;
    hdi_record_array(rec, 0, r, lay);
    hdi_record_array(rec, 1, x, x->lay);
    if (index != NULL)
        hdi_record_array(rec, 2, index, index->lay);
    rec->domain = lay;
    rec->payload.fold = (hdi_fold_how){repeated, axis};
    hd_status status = hdi_record_end(w, rec);
    if (status == HD_OK && hdi_steps_unseen(r->st->buf->dev, repeated, cdt))
        status = hdi_fold_faults(op, repeated, cdt, axis, r, lay, x, index);
    return status;
}
