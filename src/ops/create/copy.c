/* SPDX-License-Identifier: BSD-3-Clause */
/* copy.c - copies, casts, assignment through a view, reshape with a copy where it must be one. */
#include "base/lock.h"
#include "ops/ops.h"

/* Layout of a copy of x as dt: order 'C', 'F', 'A' (F if x is F-contiguous only) or 'K' (x's own
 * order). */
static hdi_layout *copy_layout(const hd_array *x, hd_dtype dt, char order)
{
    const hdi_layout *l = x->lay;
    int64_t item = hdi_itemsize(dt), strides[HD_MAXDIM], step = item;
    if (order == 'A')
        order = l->f_contiguous && !l->c_contiguous ? 'F' : 'C';
    if (order == 'K')
        return hdi_layout_like(l, item);
    if (order != 'F' || l->size == 0)
        return hdi_layout_c(l->nd, l->dims, item);
    for (int a = 0; a < l->nd; a++) {
        strides[a] = step;
        step *= l->dims[a] ? l->dims[a] : 1;
    }
    return hdi_layout_get(l->nd, l->dims, strides, item);
}

hd_array *hdi_copy(const hd_array *x, hd_dtype dt, char order)
{
    hdi_layout *lay = hdi_dtype_check(dt) == HD_OK ? copy_layout(x, dt, order) : NULL;
    bool whole = lay == x->lay && !hdi_is_weak(x) && (hd_dtype)x->dtype == dt &&
                 lay->fills == x->st->buf->nbytes;
    return whole ? hdi_snapshot(x, lay) : hdi_new_copy(x, dt, lay);
}

hd_array *hd_copy(const hd_array *x, char order)
{
    if (x == NULL)
        return hdi_null("an array");
    hdi_lock();
    return hdi_done(hdi_copy(x, (hd_dtype)x->dtype, order == '\0' ? 'K' : order), "copy");
}

/* x's element at that byte offset, into r. */
static hd_status copy_element(hd_array *r, const hd_array *x, int64_t off)
{
    if (hdi_is_weak(x)) {
        hdi_in in = hdi_in_array(x);
        return hdi_store(r, HD_OP_copy, (hd_dtype)r->dtype, 1, &in);
    }
    if (HDI_LIKELY(hdi_buf_known(x->st->buf)) && hdi_buf_take_host(r->st->buf)) {
        /* no record */
        hdi_copy_element(r->st->buf->host, x->st->buf->host + off, x->lay->item);
        return HD_OK;
    }
    hd_array *element = hdi_array_view(x, (hd_dtype)x->dtype, r->lay, off);
    if (element == NULL)
        return HD_NOMEM;
    hdi_in in = hdi_in_array(element);
    hd_status status = hdi_store(r, HD_OP_copy, (hd_dtype)r->dtype, 1, &in);
    hdi_array_release(element);
    return status;
}

/* x's element at that byte offset as a value of its own. */
static hd_array *value_of(const hd_array *x, int64_t off)
{
    hd_array *r = hdi_new(hdi_device_of(x), 0, NULL, (hd_dtype)x->dtype);
    if (r == NULL)
        return NULL;
    hd_status status = copy_element(r, x, off);
    r->flags |= HDI_A_SCALAR | HDI_A_READONLY;
    if (status == HD_OK)
        return r;
    hdi_array_release(r);
    return NULL;
}

hd_array *hd_scalar_of(const hd_array *x)
{
    if (x == NULL)
        return hdi_null("an array");
    hd_array *r = NULL;
    hdi_lock();
    if (x->lay->size != 1)
        hdi_fail(HD_VALUE, "only arrays of one element become a scalar; this one has %lld",
                 (long long)x->lay->size);
    else
        r = value_of(x, x->off);
    return hdi_done(r, "item");
}

hd_array *hd_element(const hd_array *x, int n, const int64_t *index)
{
    int64_t off;
    if (x == NULL)
        return hdi_null("an array");
    if (!hdi_find_element(x, n, index, &off))
        return NULL;
    hdi_lock();
    return hdi_done(value_of(x, off), "item");
}

hd_array *hd_astype(const hd_array *x, hd_dtype dt, char order, hd_casting casting, int force)
{
    if (x == NULL)
        return hdi_null("an array");
    hd_array *r = NULL;
    casting = casting == HD_CAST_DEFAULT ? HD_CAST_UNSAFE : casting;
    order = order == '\0' ? 'K' : order;
    hdi_lock();
    bool in_order = order == 'K' || order == 'A' ||
                    (order == 'C' ? x->lay->c_contiguous : x->lay->f_contiguous);
    if (hdi_dtype_check(dt) == HD_OK) {
        if (!hd_can_cast((hd_dtype)x->dtype, dt, casting)) {
            hdi_fail(
                HD_DTYPE,
                "Cannot cast array data from dtype('%s') to dtype('%s') according to the rule '%s'",
                hd_dtype_name((hd_dtype)x->dtype), hd_dtype_name(dt), hd_casting_name(casting));
        } else if (!force && (hd_dtype)x->dtype == dt && in_order && !hdi_is_weak(x)) {
            r = (hd_array *)(uintptr_t)x;
            r->rc++;
        } else {
            r = hdi_copy(x, dt, order);
        }
    }
    if (r != NULL && r != x && x->flags & HDI_A_SCALAR)
        r->flags |= HDI_A_SCALAR | HDI_A_READONLY;
    return hdi_done(r, "astype");
}

/* Few bytes that lie the same way in both, at hand: copied within the call, without a record. */
static bool assign_few(const hd_array *dst, const hd_array *src)
{
    enum { MOST_BYTES = 1024 };
    if (dst->lay != src->lay || dst->dtype != src->dtype || hdi_is_weak(dst) ||
        hdi_is_weak(src) || !dst->lay->c_contiguous || dst->flags & HDI_A_READONLY)
        return false;
    const int64_t nbytes = dst->lay->size * dst->lay->item;
    hdi_buf *to = dst->st->buf;
    const hdi_buf *from = src->st->buf;
    if (nbytes == 0 || nbytes > MOST_BYTES || to == from || to->dev != from->dev ||
        !hdi_runs_at_once(to->dev, dst->lay->size) || !hdi_buf_at_hand(from) ||
        !hdi_buf_alone(to))
        return false;
    memmove(to->host + dst->off, from->host + src->off, (size_t)nbytes);   /* foreign memory */
    hdi_buf_changed(to);
    hdi_window_of(to->dev)->stats.small++;
    return true;
}

hd_status hd_assign(hd_array *dst, const hd_array *src, hd_casting casting)
{
    if (dst == NULL || src == NULL)
        return hdi_fail_null("an array");
    hd_status status = HD_OK;
    casting = casting == HD_CAST_DEFAULT ? HD_CAST_SAME_KIND : casting;
    hdi_lock();
    if (assign_few(dst, src)) {
        hdi_unlock();
        return HD_OK;
    }
    hdi_in in = hdi_in_array(src);
    char from[200], to[200];
    if (dst->flags & HDI_A_READONLY)
        status = hdi_fail(HD_READONLY, "assignment destination is read-only");
    else if (in.x != NULL && !hd_can_cast((hd_dtype)src->dtype, (hd_dtype)dst->dtype, casting))
        status = hdi_fail(HD_CAST,
                          "Cannot cast array data from dtype('%s') to dtype('%s') according to the "
                          "rule 'same_kind'",
                          hd_dtype_name((hd_dtype)src->dtype), hd_dtype_name((hd_dtype)dst->dtype));
    /* NumPy lets leading axes of extent 1 go in an assignment. */
    hd_array *shorter = NULL;
    if (status == HD_OK && in.x != NULL && src->lay->nd > dst->lay->nd) {
        int extra = src->lay->nd - dst->lay->nd;
        bool ones = true;
        for (int a = 0; a < extra; a++)
            ones = ones && src->lay->dims[a] == 1;
        hdi_layout *lay = ones
                              ? hdi_layout_get(dst->lay->nd, src->lay->dims + extra,
                                               hdi_layout_strides(src->lay) + extra, src->lay->item)
                              : NULL;
        shorter = lay != NULL ? hdi_array_view(src, (hd_dtype)src->dtype, lay, src->off) : NULL;
        if (shorter != NULL)
            in = hdi_in_array(shorter);
    }
    if (status == HD_OK)
        status = hdi_store(dst, HD_OP_copy, (hd_dtype)dst->dtype, 1, &in);
    if (status == HD_SHAPE) {
        hd_error_take(NULL);
        status = hdi_fail(HD_SHAPE, "could not broadcast input array from shape %s into shape %s",
                          hdi_shape_text(src->lay->nd, src->lay->dims, from, sizeof from),
                          hdi_shape_text(dst->lay->nd, dst->lay->dims, to, sizeof to));
    }
    if (shorter != NULL)
        hdi_array_release(shorter);
    return hdi_done_status(status, dst->st != NULL ? dst->st->buf->dev : NULL, "assignment");
}

hd_status hd_assign_number(hd_array *dst, const hd_number *n)
{
    if (dst == NULL || n == NULL)
        return hdi_fail_null(dst == NULL ? "an array" : "a number");
    hd_status status;
    hdi_lock();
    hdi_in in = hdi_in_number(n);
    if (dst->flags & HDI_A_READONLY)
        status = hdi_fail(HD_READONLY, "assignment destination is read-only");
    else if (n->kind == HD_WEAK_COMPLEX && !hdi_is_complex((hd_dtype)dst->dtype))
        status = hdi_fail(HD_DTYPE, "a complex number cannot be stored in an array of %s",
                          hd_dtype_name((hd_dtype)dst->dtype));
    else
        status = hdi_store(dst, HD_OP_copy, (hd_dtype)dst->dtype, 1, &in);
    return hdi_done_status(status, dst->st != NULL ? dst->st->buf->dev : NULL, "assignment");
}

static hd_array *reshape_f(const hd_array *x, int nd, const int64_t *shape)
{
    int64_t dims[HD_MAXDIM], back[HD_MAXDIM];
    if (!hdi_reshape_dims(x, nd, shape, dims))
        return NULL;
    for (int a = 0; a < nd; a++)
        back[a] = dims[nd - 1 - a];
    hd_array *t = hd_keep(hd_transpose(x, NULL));
    hd_array *r = hd_keep(hd_reshape(t, nd, back, 'C'));
    hd_array *result = hd_transpose(r, NULL);
    hd_release(t);
    hd_release(r);
    return result;
}

hd_array *hd_reshape(const hd_array *x, int nd, const int64_t *shape, char order)
{
    int64_t dims[HD_MAXDIM];
    if (x == NULL)
        return hdi_null("an array");
    if (order == 'A')
        order = x->lay->f_contiguous && !x->lay->c_contiguous ? 'F' : 'C';
    if (order == 'F' && !hdi_is_weak(x))
        return reshape_f(x, nd, shape);
    if (!hdi_is_weak(x) && x->lay->c_contiguous)
        return hd_reshape_view(x, nd, shape);
    if (!hdi_is_weak(x)) {
        bool legal = nd >= 0 && nd <= HD_MAXDIM && hdi_reshape_dims(x, nd, shape, dims);
        if (!legal || hdi_reshape_is_view(x, nd, dims))
            return hd_reshape_view(x, nd, shape);   /* or its error */
    }
    hdi_lock();
    hd_array *c =
        hdi_new_copy(x, (hd_dtype)x->dtype, hdi_layout_c(x->lay->nd, x->lay->dims, x->lay->item));
    c = hd_keep(hdi_done(c, "reshape"));
    hd_array *v = hd_reshape_view(c, nd, shape);
    hd_release(c);
    return v;
}
