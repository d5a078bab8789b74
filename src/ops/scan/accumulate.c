/* SPDX-License-Identifier: BSD-3-Clause */
/* accumulate.c - running results of an operation: one library call along one axis. */
#include "base/lock.h"
#include "ops/ops.h"

static hd_array *record(hd_op op, hd_dtype cdt, const hd_array *x, int axis)
{
    hd_array *from = hdi_cast(x, cdt);
    if (from == NULL)
        return NULL;
    hdi_layout *lay = hdi_layout_k(x->lay->nd, x->lay->dims, hdi_itemsize(cdt), 1,
                                   (const hdi_layout *const[]){x->lay});
    hd_array *r = lay != NULL ? hdi_array_new(x->st->buf->dev, cdt, lay) : NULL;
    hd_status status = r != NULL ? hdi_check_fold(op, cdt, from, axis) : HD_NOMEM;
    if (status == HD_OK && r->lay->size > 0)
        status = hdi_record_fold(HD_OP_accumulate, op, cdt, axis, r, r->lay, from, NULL);
    hdi_array_release(from);
    if (status != HD_OK && r != NULL) {
        hdi_array_release(r);
        r = NULL;
    }
    return r;
}

/* NumPy casts running results of x to out whatever it is. */
static hd_array *deliver(hd_array *r, hd_array *out, const hd_array *x, int axis)
{
    hd_status fits = hdi_out_fits(r, out, "output parameter has shape",
                                  "but the result has shape");
    bool lines = r != NULL && out != NULL && fits == HD_OK && hdi_stores_in_places(out) &&
                 !(out->flags & HDI_A_READONLY) && out->st->buf->dev == r->st->buf->dev;
    if (HDI_LIKELY(!lines))
        return hdi_deliver(r, out, fits, HD_CAST_UNSAFE);
    hd_status status = hdi_store_lines(out, r, x, axis);
    hdi_array_release(r);
    out->rc += status == HD_OK;
    return status == HD_OK ? out : NULL;
}

hd_array *hd_accumulate(hd_op op, const hd_array *x, int axis, hd_dtype dt, hd_array *out)
{
    if (x == NULL)
        return hdi_null("an array");
    if (hdi_foldable(op, "accumulate") != HD_OK)
        return NULL;
    int64_t flat = -1;
    hd_array *from = axis == HD_FLAT || hdi_is_weak(x) ? hd_keep(hd_reshape(x, 1, &flat, 'C'))
                                                       : hd_retain((hd_array *)(uintptr_t)x);
    if (from == NULL)
        return NULL;
    hd_array *r = NULL;
    int along = 0;
    hdi_lock();
    hd_dtype cdt = hdi_fold_loop(op, (hd_dtype)from->dtype, dt, out);
    if (cdt != HD_NO_DTYPE &&
        (axis == HD_FLAT || hdi_axis(axis, from->lay->nd, &along) == HD_OK))
        r = record(op, cdt, from, along);
    r = deliver(r, out, from, along);
    hdi_array_release(from);
    return hdi_done(r, "accumulate");
}

/* hd_cumsum(x, axis, dt, out), ... : one function for each row. */
#define SCAN(name, of, types, combine, doc)                                             \
    hd_array *hd_##name(const hd_array *x, int axis, hd_dtype dt, hd_array *out)        \
    {                                                                                   \
        return hd_accumulate(HD_OP_##of, x, axis, dt, out);                             \
    }
#include "ops/scan/scan.def"
