/* SPDX-License-Identifier: BSD-3-Clause */
/* ew_scalar.c - an elementwise operation from elements to an element: the loop and the bits of
 * arrays of rank 0, but no array is made. */
#include "base/lock.h"
#include "ops/elementwise/ew.h"
#include "ops/record_ew.h"

/* Is it one loop that gives the result, whatever the values are? See hdi_ew_checked(). */
static bool is_one_loop(hd_op op, int n, const hdi_in *in)
{
    const hdi_rule rule = hdi_op_rows[op].rule;
    bool numbers = false, integers = false;
    for (int k = 0; k < n; k++) {
        numbers |= in[k].n != NULL;
        integers |= in[k].x != NULL && hdi_is_int((hd_dtype)in[k].x->dtype);
    }
    if (hdi_is_comparison(op) || op == HD_OP_power)
        return !integers;
    if (op >= HD_OP_logical_and && op <= HD_OP_logical_xor)
        return !numbers;
    return rule != HDI_RULE_EXPO && rule != HDI_RULE_BITS && rule != HDI_RULE_DRAW;
}

/* Its dtype; HD_NO_DTYPE: there is none. */
static hd_dtype loop_of(hd_op op, int n, const hdi_in *in)
{
    const hd_dtype cdt = is_one_loop(op, n, in) ? hdi_row_loop(op, n, in) : HD_NO_DTYPE;
    return cdt != HD_NO_DTYPE && op == HD_OP_power && hdi_is_int(cdt) ? HD_NO_DTYPE : cdt;
}

bool hdi_element_run(hdi_window *w, hd_op op, hd_dtype cdt, int n, const hd_dtype *dts,
                     const void *const *elements, hd_dtype dt, void *result)
{
    hdi_record r;
    hdi_buf buf[HDI_MAX_IN + 1];
    bool ready = true;
    r.op = (uint16_t)op;
    r.cls = 'e';
    r.cdt = (uint8_t)cdt;
    r.nin = (uint8_t)n;
    r.row_fits = 0;
    r.more = 0;
    r.payload.none = 0;
    for (int k = 0; k <= n && ready; k++) {
        const hd_dtype own = k == 0 ? dt : dts[k - 1];
        if (own == HD_NO_DTYPE) {
            ready = hdi_set_number(&r, op, k - 1, hdi_loop_dtype(op, k - 1, cdt),
                                   elements[k - 1]) == HD_OK;
            continue;
        }
        const hdi_layout *lay = hdi_layout_c(0, NULL, hdi_itemsize(own));
        ready = lay != NULL;
        buf[k].host = k == 0 ? result : (uint8_t *)(uintptr_t)elements[k - 1];
        hdi_record_buffer(&r, k, &buf[k], own, lay, 0);
        r.domain = k == 0 ? lay : r.domain;
    }
    return ready && w->run_small(&r);
}

/* Are there elements, and of dtypes that there are? */
static bool are_given(int n, const hd_dtype *dts, const void *const *elements)
{
    for (int k = 0; k < n; k++) {
        if (elements[k] == NULL) {
            hdi_fail_null("an element");
            return false;
        }
        if ((unsigned)dts[k] >= HD_DTYPE_COUNT)
            return false;
    }
    return true;
}

int hd_element_op(hd_op op, int nin, const hd_dtype *dts, const void *const *elements,
                  hd_dtype *dt, void *result)
{
    hd_array x[2];
    hdi_in in[2];
    if (dts == NULL || elements == NULL || dt == NULL || result == NULL) {
        hdi_fail_null(dts == NULL || elements == NULL ? "an element" : "the place for the result");
        return 0;
    }
    if ((unsigned)op >= HD_OP_sum || nin > 2 || hdi_op_rows[op].info.nin != nin ||
        !are_given(nin, dts, elements))
        return 0;
    for (int k = 0; k < nin; k++) {
        if (dts[k] == HD_NO_DTYPE) {
            in[k] = hdi_in_number(elements[k]);
            continue;
        }
        x[k].dtype = (uint8_t)dts[k];
        in[k] = (hdi_in){&x[k], NULL};
    }
    const bool had = hd_error_peek()->code != HD_OK;
    hdi_lock();
    hd_device *dev = hdi_current_device();
    hd_dtype cdt = HD_NO_DTYPE;
    if (dev != NULL && hdi_runs_at_once(dev, 1))
        cdt = loop_of(op, nin, in);
    if (cdt != HD_NO_DTYPE)
        *dt = hdi_value_dtype(op, cdt);
    const bool done =
        cdt != HD_NO_DTYPE &&
        hdi_element_run(hdi_window_of(dev), op, cdt, nin, dts, elements, *dt, result);
    hdi_unlock();
    if (!done && !had)
        hd_error_take(NULL);     /* the way of arrays meets it again */
    return done;
}
