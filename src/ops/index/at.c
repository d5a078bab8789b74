/* SPDX-License-Identifier: BSD-3-Clause */
/* at.c - an elementwise operation at places of an array: one library call, place after place. */
#include "base/lock.h"
#include "ops/index/places.h"

static bool deterministic;

int hd_set_deterministic(int on)
{
    hdi_lock();
    int before = deterministic;
    deterministic = on != 0;
    hdi_unlock();
    return before;
}

/* What the loop is run in: by promotion of x with the values. */
static hd_dtype loop_of(hd_op op, const hd_array *x, const hd_array *values)
{
    hdi_in in[2] = {hdi_in_array(x), values != NULL ? hdi_in_array(values) : (hdi_in){NULL, NULL}};
    return hdi_row_loop(op, values != NULL ? 2 : 1, in);
}

/* What comes of it is cast to x's dtype whatever it is, as NumPy's. */
static hd_status check(hd_op op, hd_dtype cdt, const hd_array *x, const hd_array *values)
{
    if (x->flags & HDI_A_READONLY || hdi_is_weak(x))
        return hdi_fail(HD_READONLY, "output array is read-only");
    if (op == HD_OP_power && hdi_is_int(cdt) && values != NULL) {
        hdi_in exponent = hdi_in_array(values);
        return hdi_check_exponent(&exponent);
    }
    return HD_OK;
}

static hd_status record(hd_op op, hd_dtype cdt, hd_array *x, int n, const hdi_places *p,
                        const hd_array *values)
{
    hdi_window *w = hdi_window_of(x->st->buf->dev);
    hdi_record *r = hdi_record_begin(w, HD_OP_at, 'x', cdt, values != NULL ? 2 : 1);
    if (r == NULL)
        return hd_error_peek()->code;
    hdi_record_array(r, 0, x, x->lay);
    hdi_record_array(r, 1, p->offsets, p->offsets->lay);
    if (values != NULL)
        hdi_record_array(r, 2, values, values->lay);
    r->domain = x->lay;
    const int flags = p->flags | (deterministic ? HDI_PLACES_IN_ORDER : 0);
    r->payload.places = (hdi_places_how){op, (uint16_t)n, (uint16_t)flags};
    return hdi_record_end(w, r);
}

/* record(); where the loop's flags do not tell, faults are told from what was there before. */
static hd_status record_watched(hd_op op, hd_dtype cdt, hd_array *x, int n,
                                const hdi_places *p, const hd_array *values)
{
    if (!hdi_steps_unseen(x->st->buf->dev, op, cdt))
        return record(op, cdt, x, n, p, values);
    hd_array *before = hdi_new_copy(x, (hd_dtype)x->dtype, hdi_layout_like(x->lay, x->lay->item));
    if (before == NULL)
        return hd_error_peek()->code;
    hd_status status = record(op, cdt, x, n, p, values);
    if (status == HD_OK)
        status = hdi_at_faults(op, cdt, x, before, values);
    hdi_array_release(before);
    return status;
}

static hd_status at(hd_op op, hd_array *x, int n, const hd_array *const *index,
                    const hd_array *values)
{
    hdi_places p;
    hd_array *v = NULL;
    hdi_places_none(&p);
    hd_dtype cdt = loop_of(op, x, values);
    hd_status status = cdt != HD_NO_DTYPE ? check(op, cdt, x, values) : hd_error_peek()->code;
    if (status == HD_OK)
        status = hdi_find_places(x, n, index, false, &p);
    if (status == HD_OK && values != NULL && p.n > 0) {
        v = hdi_values_at(x, n, &p, values, hdi_loop_dtype(op, 1, cdt));
        status = v != NULL ? HD_OK : hd_error_peek()->code;
    }
    if (status == HD_OK)   /* from here on the lock stays */
        status = hdi_window_unshare(x);
    if (status == HD_OK && p.n > 0 && x->lay->size > 0)
        status = record_watched(op, cdt, x, n, &p, v);
    if (v != NULL)
        hdi_array_release(v);
    if (p.offsets != NULL)
        hdi_array_release(p.offsets);
    return status;
}

hd_status hd_at(hd_op op, hd_array *x, int n, const hd_array *const *index, const hd_array *values)
{
    if (x == NULL)
        return hdi_fail_null("an array");
    if (n > x->lay->nd)
        return hdi_fail(HD_INDEX, "too many indices for array: array is %d-dimensional, but %d "
                        "were indexed", x->lay->nd, n);
    if (hdi_all_given(n, index) != HD_OK)
        return hd_error_peek()->code;
    int nin = (unsigned)op < HD_OP_sum ? hdi_op_rows[op].info.nin : 0;
    if (nin < 1 || nin > 2 || hdi_op_rows[op].rule == HDI_RULE_BITS || op == HD_OP_copy)
        return hdi_fail(HD_VALUE, "operation %d does not work at places", (int)op);
    if ((values != NULL) != (nin == 2))
        return hdi_fail(HD_VALUE, nin == 2 ? "second operand needed for ufunc"
                                           : "second operand provided when ufunc is unary");
    hdi_lock();
    return hdi_done_status(at(op, x, n, index, values), x->st != NULL ? x->st->buf->dev : NULL,
                           hdi_op_rows[op].info.name);
}
