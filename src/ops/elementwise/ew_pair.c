/* SPDX-License-Identifier: BSD-3-Clause */
/* ew_pair.c - operations with two results: a record for each, one after the other, which the
 * window puts into one kernel. To the user they are one operation: errors and faults bear its
 * name. */
#include <stdio.h>

#include "base/lock.h"
#include "ops/elementwise/ew.h"

/* In the pending error, the operation's own name in place of its half's. */
static void rename_error(const char *half, const char *whole)
{
    hd_error e;
    char text[sizeof e.message];
    if (hd_error_peek()->code == HD_OK)
        return;
    hd_error_take(&e);
    const char *at = strstr(e.message, half);
    if (at != NULL) {
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - e.message), e.message, whole,
                 at + strlen(half));
        memcpy(e.message, text, sizeof text);
    }
    hdi_error_set(&e);
}

static bool overlap(const hd_array *x, const hd_array *y)
{
    int64_t apart;
    return hdi_buf_distance(x->st->buf, y->st->buf, &apart) &&
           hdi_overlap(y->lay, y->off + apart, x->lay, x->off);
}

/* Both results into the same elements: NumPy's loops of floats write the first one last. */
static bool first_stays(const hd_array *first, const hd_array *second)
{
    return second != NULL && !hdi_is_weak(second) && first->st == second->st &&
           first->off == second->off && first->lay == second->lay &&
           first->dtype == second->dtype && hdi_dtypes[first->dtype].kind == 'f';
}

/* The second result is made of the inputs as they were before the first one was written. */
static hd_status keep_inputs(int nin, hdi_in *in, const hd_array *out, hd_array **kept)
{
    for (int k = 0; k < nin && out != NULL; k++) {
        const hd_array *x = in[k].x;
        if (x == NULL || !overlap(out, x))
            continue;
        kept[k] = hdi_new_copy(x, (hd_dtype)x->dtype, hdi_layout_like(x->lay, x->lay->item));
        if (kept[k] == NULL)
            return hd_error_peek()->code;
        in[k] = hdi_in_array(kept[k]);
    }
    return HD_OK;
}

static hd_status apply(const hd_pair_info *pair, hdi_in *in, hd_apply_options *o,
                       hd_array *const *out, hd_array **results)
{
    int nin = hdi_op_rows[pair->result[0]].info.nin;
    hd_array *kept[HDI_MAX_IN] = {NULL};
    hd_dtype signature[HDI_MAX_IN + 2];
    bool writes = out != NULL && out[0] != NULL && !hdi_is_weak(out[0]);
    bool joined = writes && first_stays(out[0], out[1]);
    hd_status status = keep_inputs(nin, in, writes ? out[joined] : NULL, kept);
    if (o->signature != NULL)
        memcpy(signature, o->signature, sizeof *signature * (size_t)(nin + 2));
    for (int k = 0; k < 2 && status == HD_OK; k++) {
        int i = joined ? 1 - k : k;
        if (o->signature != NULL)
            signature[nin] = o->signature[nin + i];
        hd_apply_options own = *o;
        own.out = out != NULL ? out[i] : NULL;
        own.signature = o->signature != NULL ? signature : NULL;
        results[i] = hdi_ew_apply(pair->result[i], nin, in, &own);
        status = results[i] != NULL ? HD_OK : hd_error_peek()->code;
        if (status != HD_OK)
            rename_error(hdi_op_rows[pair->result[i]].info.name, pair->name);
    }
    for (int k = 0; k < nin; k++)
        if (kept[k] != NULL)
            hdi_array_release(kept[k]);
    return status;
}

hd_status hd_apply_pair(const hd_pair_info *pair, const hd_array *const *in,
                        const hd_apply_options *options, hd_array *const *out, hd_array **results)
{
    hdi_in all[HDI_MAX_IN];
    hd_device *dev = NULL;
    if (results == NULL)
        return hdi_fail_null("the place for results");
    results[0] = results[1] = NULL;
    if (pair == NULL)
        return hdi_fail_null("the operation");
    int nin = hdi_op_rows[pair->result[0]].info.nin;
    for (int k = 0; k < nin; k++) {
        if (in == NULL || in[k] == NULL)
            return hdi_fail_null("an array");
        all[k] = hdi_in_array(in[k]);
    }
    hd_apply_options own = hdi_ew_options(options);
    hdi_lock();
    hdi_watching.by_name = true;
    hdi_watching.whole = pair->name;
    hd_status status = apply(pair, all, &own, out, results);
    hdi_watching.whole = NULL;
    hdi_watching.by_name = false;
    if (results[0] != NULL)
        dev = results[0]->st->buf->dev;
    status = hdi_done_status(status, dev, pair->name);
    for (int i = 0; i < 2; i++) {
        if (status != HD_OK)
            hd_release(results[i]);
        results[i] = status == HD_OK ? hdi_scope_own(results[i]) : NULL;
    }
    return status;
}
