/* SPDX-License-Identifier: BSD-3-Clause */
/* cumsum.c - running sums: one library call along one axis. */
#include "base/lock.h"
#include "ops/ops.h"

static hd_dtype sum_dtype(hd_dtype dt, hd_dtype asked)
{
    if (asked != HD_NO_DTYPE)
        return asked;
    if (hdi_itemsize(dt) < 8 && (dt == HD_BOOL || hdi_is_int(dt)))
        return hdi_dtypes[dt].kind == 'u' ? HD_UINT64 : HD_INT64;
    return dt;
}

static hd_array *record(const hd_array *x, int axis, hd_dtype dt)
{
    hd_array *in = (hd_dtype)x->dtype == dt
                       ? NULL
                       : hdi_new_copy(x, dt, hdi_layout_like(x->lay, hdi_itemsize(dt)));
    if (in == NULL && (hd_dtype)x->dtype != dt)
        return NULL;
    const hd_array *from = in != NULL ? in : x;
    hdi_layout *lay = hdi_layout_k(x->lay->nd, x->lay->dims, hdi_itemsize(dt), 1,
                                   (const hdi_layout *const[]){x->lay});
    hd_array *r = lay != NULL ? hdi_array_new(x->st->buf->dev, dt, lay) : NULL;
    hd_status status = r != NULL ? HD_OK : HD_NOMEM;
    if (r != NULL && r->lay->size > 0) {
        hdi_window *w = x->st->buf->dev->window;
        hdi_record *rec = hdi_record_begin(w, HD_OP_cumsum, 'x', dt, 1);
        status = rec != NULL ? HD_OK : hd_error_peek()->code;
        if (rec != NULL) {
            hdi_record_array(rec, 0, r, r->lay);
            hdi_record_array(rec, 1, from, from->lay);
            rec->domain = r->lay;
            rec->param = axis;
            status = hdi_record_end(w, rec);
        }
    }
    if (in != NULL)
        hdi_array_release(in);
    if (status != HD_OK && r != NULL) {
        hdi_array_release(r);
        r = NULL;
    }
    return r;
}

hd_array *hd_cumsum(const hd_array *x, int axis, hd_dtype dt, hd_array *out)
{
    if (x == NULL)
        return NULL;
    int64_t flat = -1;
    hd_array *from = axis == HD_FLAT || hdi_is_weak(x) ? hd_keep(hd_reshape(x, 1, &flat, 'C'))
                                                       : hd_retain((hd_array *)(uintptr_t)x);
    if (from == NULL)
        return NULL;
    hd_array *r = NULL;
    int along = 0;
    hdi_lock();
    dt = sum_dtype((hd_dtype)from->dtype,
                   dt == HD_NO_DTYPE && out != NULL ? (hd_dtype)out->dtype : dt);
    if (hdi_dtype_check(dt) == HD_OK &&
        (axis == HD_FLAT || hdi_axis(axis, from->lay->nd, &along) == HD_OK))
        r = record(from, along, dt);
    hdi_array_release(from);
    if (r != NULL && out != NULL) {
        hdi_in in = hdi_in_array(r);
        hd_status status = hdi_store_checked(out, HD_OP_copy, dt, 1, &in, HD_CAST_SAME_KIND);
        hdi_array_release(r);
        r = status == HD_OK ? out : NULL;
        out->rc += status == HD_OK;
    }
    return hdi_done(r, "cumsum");
}
