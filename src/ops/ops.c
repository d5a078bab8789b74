/* SPDX-License-Identifier: BSD-3-Clause */
/* ops.c - operands, broadcasting (with a cache of layout pairs), recording one elementwise
 * operation, storing through a view. */
#include "ops/record_ew.h"

#include "base/alloc.h"
#include "base/lock.h"

/* ---- operands -------------------------------------------------------------------------------- */

/* One element on the host joins any device. */
static bool is_loose(const hd_array *x)
{
    return x->lay->nd == 0 && x->st->buf->dev->host_memory;
}

hd_device *hdi_common_device(int n, const hdi_in *in)
{
    const hd_array *first = NULL;
    for (int k = 0; k < n; k++) {
        const hd_array *x = in[k].x;
        if (x == NULL || (first != NULL && x->st->buf->dev == first->st->buf->dev))
            continue;
        if (first == NULL || is_loose(first)) {
            first = x;
        } else if (!is_loose(x)) {
            hdi_fail(HD_DEVICE, "arrays live on two devices, %s and %s; move one with to_device()",
                     first->st->buf->dev->name, x->st->buf->dev->name);
            return NULL;
        }
    }
    return first != NULL ? first->st->buf->dev : hdi_current_device();
}

hd_device *hdi_one_device(int n, const hdi_in *in)
{
    hd_device *dev = hdi_common_device(n, in);
    for (int k = 0; k < n && dev != NULL; k++)
        if (in[k].x != NULL && in[k].x->st->buf->dev != dev)
            return NULL;
    return dev;
}

/* The inputs with those that are elsewhere moved to dev: `owned` has what to release. The lock is
 * away meanwhile. */
static hd_status gather_inputs(hd_device *dev, int n, const hdi_in *in, hdi_in *here,
                               hd_array **owned)
{
    hd_status status = HD_OK;
    for (int k = 0; k < n; k++) {
        here[k] = in[k];
        owned[k] = NULL;
        if (status != HD_OK || in[k].x == NULL || in[k].x->st->buf->dev == dev)
            continue;
        if ((owned[k] = hdi_moved(in[k].x, dev)) == NULL)
            status = hd_error_peek()->code;
        here[k].x = owned[k];
    }
    return status;
}

static void release_inputs(int n, hd_array **owned)
{
    for (int k = 0; k < n; k++)
        if (owned[k] != NULL)
            hdi_array_release(owned[k]);
}

hd_array *hdi_ew_mixed(hd_op op, hd_dtype cdt, int n, const hdi_in *in)
{
    hdi_in here[HDI_MAX_IN];
    hd_array *owned[HDI_MAX_IN];
    hd_device *dev = hdi_common_device(n, in);
    if (dev == NULL)
        return NULL;
    hd_status status = gather_inputs(dev, n, in, here, owned);
    hd_array *r = status == HD_OK ? hdi_ew(op, cdt, n, here) : NULL;
    release_inputs(n, owned);
    return r;
}

hd_dtype hdi_common_dtype(int n, const hdi_in *in)
{
    static const hd_dtype alone[] = {HD_BOOL, HD_INT64, HD_FLOAT64, HD_COMPLEX128};
    int dt = HD_NO_DTYPE, weak = -1;
    for (int k = 0; k < n; k++) {
        if (in[k].x != NULL)
            dt = dt == HD_NO_DTYPE ? in[k].x->dtype : hdi_promotion[dt][in[k].x->dtype];
        else
            weak = (int)in[k].n->kind > weak ? (int)in[k].n->kind : weak;
    }
    if (dt == HD_NO_DTYPE)
        return weak == HD_WEAK_INT && n == 1 && in[0].n->range == 1 ? HD_UINT64 : alone[weak];
    return weak < 0 ? (hd_dtype)dt : hd_promote_weak((hd_dtype)dt, (hd_weak)weak);
}

static hd_status number_too_large(const hd_number *n, hd_dtype dt)
{
    if (n->range == 0)
        return hdi_fail(HD_OVERFLOW, "Python integer %lld out of bounds for %s", (long long)n->as.i,
                        hd_dtype_name(dt));
    if (n->range == 1)
        return hdi_fail(HD_OVERFLOW, "Python integer %llu out of bounds for %s",
                        (unsigned long long)n->as.u, hd_dtype_name(dt));
    return hdi_fail(HD_OVERFLOW, "Python integer near %.17g out of bounds for %s", n->re,
                    hd_dtype_name(dt));
}

bool hdi_integer_fits(const hd_number *n, hd_dtype dt)
{
    int bits = (int)hdi_itemsize(dt) * 8;
    if (hdi_dtypes[dt].kind == 'u') {
        if (n->range == 1)
            return bits == 64;
        return n->range == 0 && n->as.i >= 0 && (bits == 64 || n->as.i < (int64_t)1 << bits);
    }
    return n->range == 0 && (bits == 64 || (n->as.i >= -((int64_t)1 << (bits - 1)) &&
                                            n->as.i < (int64_t)1 << (bits - 1)));
}

hd_status hdi_number_as(const hd_number *n, hd_dtype dt, uint64_t out[2])
{
    if (n->kind == HD_WEAK_FLOAT || n->kind == HD_WEAK_COMPLEX) {
        hdi_encode_f64(dt, n->re, n->im, out);
    } else if (hdi_is_int(dt)) {
        if (n->kind == HD_WEAK_INT && !hdi_integer_fits(n, dt))
            return number_too_large(n, dt);
        if (n->range == 1)
            hdi_encode_u64(dt, n->as.u, out);
        else
            hdi_encode_i64(dt, n->as.i, out);
    } else if (dt == HD_BOOL) {
        hdi_encode_i64(dt, n->range != 0 || n->as.i != 0, out);
    } else {
        hdi_encode_f64(dt, n->re, 0.0, out);
    }
    return HD_OK;
}

/* ---- broadcasting ---------------------------------------------------------------------------- */

typedef struct pair {
    const hdi_layout *a, *b;
    int64_t item;
    uint64_t generation;
    hdi_shapes shapes;
} pair;
enum { PAIRS = 256 };
static pair pairs[PAIRS];

bool hdi_broadcast_slow(int n, const hdi_in *in, int64_t item, hdi_shapes *s)
{
    const hdi_layout *lay[HDI_MAX_IN];
    int64_t dims[HD_MAXDIM];
    int count = 0;
    for (int k = 0; k < n; k++)
        if (in[k].x != NULL)
            lay[count++] = in[k].x->lay;
    int nd = hdi_broadcast_dims(count, lay, dims);
    if (nd < 0 || (s->out = hdi_layout_k(nd, dims, item, count, lay)) == NULL)
        return false;
    for (int k = 0; k < n; k++) {
        s->in[k] = NULL;
        if (in[k].x != NULL && (s->in[k] = hdi_layout_broadcast(in[k].x->lay, nd, dims)) == NULL)
            return false;
    }
    return true;
}

bool hdi_broadcast_cached(const hdi_in *in, hdi_layout *a, hdi_layout *b, int n, int64_t item,
                             hdi_shapes *s)
{
    uint64_t slot =
        ((a != NULL ? a->id * 31u : 7u) + (b != NULL ? b->id : 0) + (uint64_t)item * 5u) % PAIRS;
    pair *p = &pairs[slot];
    if (p->a != a || p->b != b || p->item != item || p->generation != hdi_layouts_generation ||
        p->shapes.out == NULL) {
        p->shapes.out = NULL;
        hdi_shapes fresh;
        if (!hdi_broadcast_slow(n, in, item, &fresh))
            return false;
        *p = (pair){a, b, item, hdi_layouts_generation, fresh};
    }
    *s = p->shapes;
    return true;
}

bool hdi_broadcast(int n, const hdi_in *in, int64_t item, hdi_shapes *s)
{
    return hdi_broadcast_dense(n, in, item, s);
}

/* ---- recording ------------------------------------------------------------------------------- */

hd_status hdi_set_number(hdi_record *r, hd_op op, int k, hd_dtype want, const hd_number *n)
{
    uint64_t element[2] = {0, 0};
    hd_status status = hdi_number_as(n, want, element);
    if (status == HD_OK && hdi_compute_dtype(op, want) != want) {
        float value = hdi_decode_half(want, (uint16_t)element[0]);
        memcpy(element, &value, sizeof value);   /* rounded, as the loop takes it */
        want = HD_FLOAT32;
    }
    if (HDI_LIKELY(status == HD_OK))
        hdi_record_scalar(r, k + 1, want, element);
    return status;
}

/* One body for each number of inputs: the loops over them unroll. */
hd_array *hdi_ew_plain(hd_op op, hd_dtype cdt, int n, const hdi_in *in)
{
    switch (n) {
    case 1:
        return hdi_record_ew(op, cdt, 1, in);
    case 2:
        return hdi_record_ew(op, cdt, 2, in);
    default:
        return hdi_record_ew(op, cdt, 3, in);
    }
}

hd_array *hdi_ew(hd_op op, hd_dtype cdt, int n, const hdi_in *in)
{
    if (HDI_LIKELY(hdi_faults() == 0))
        return hdi_ew_plain(op, cdt, n, in);
    if (hdi_one_device(n, in) == NULL)
        return hdi_ew_mixed(op, cdt, n, in);   /* comes back here */
    return hdi_value_faults(op, cdt, n, in, HD_NO_DTYPE) == HD_OK ? hdi_ew_plain(op, cdt, n, in)
                                                                  : NULL;
}

hd_array *hdi_ew_number(hd_op op, hd_dtype cdt, const hd_array *x, int64_t value)
{
    hd_number n = {.kind = HD_WEAK_INT, .as.i = value, .re = (double)value};
    hdi_in in[2] = {hdi_in_array(x), hdi_in_number(&n)};
    return hdi_ew_plain(op, cdt, 2, in);
}

/* Where integers move up to reals, NumPy takes the first loop that each input casts to safely,
 * one by one: arctan2 of int16 and uint16 runs in float32, although the two together promote to
 * int32. */
hd_dtype hdi_common_loop(hd_op op, int n, const hdi_in *in)
{
    hd_dtype dt = hdi_common_dtype(n, in);
    bool moves_up =
        n > 1 && HDI_UNLIKELY(hdi_is_int(dt)) && strchr(hdi_op_rows[op].info.types, 'I') == NULL;
    if (HDI_LIKELY(!moves_up))
        return hdi_loop_for(op, dt);
    hd_dtype loop = HD_NO_DTYPE;
    for (int k = 0; k < n; k++) {
        if (in[k].x == NULL)
            continue;
        hd_dtype from = (hd_dtype)in[k].x->dtype;
        hd_dtype own = hdi_float_for(op, from == HD_BOOL && in[1 - k % 2].n != NULL &&
                                                 in[1 - k % 2].n->kind == HD_WEAK_INT
                                             ? HD_INT64
                                             : from);
        loop = loop == HD_NO_DTYPE ? own : hd_promote(loop, own);
    }
    return loop == HD_NO_DTYPE || loop == HD_FLOAT16 ? hdi_loop_for(op, HD_INT8) : loop;
}

hd_array *hdi_ew_auto(hd_op op, int n, const hdi_in *in)
{
    hd_dtype cdt = hdi_common_loop(op, n, in);
    return cdt == HD_NO_DTYPE ? NULL : hdi_ew(op, cdt, n, in);
}

/* ---- storing --------------------------------------------------------------------------------- */

/* Would writing dst disturb what input k has still to read? Rule M5. */
static bool reads_elsewhere(const hd_array *dst, const hdi_in *in, const hdi_layout *lay)
{
    int64_t apart;
    if (in->x == NULL || !hdi_buf_distance(dst->st->buf, in->x->st->buf, &apart))
        return false;
    if (in->x->off + apart == dst->off && lay->core == dst->lay->core &&
        in->x->dtype == dst->dtype && (dst->lay->injective || !HDI_CHECK(injective)))
        return false;
    return hdi_overlap(lay, in->x->off + apart, dst->lay, dst->off);
}

static bool fills_storage(const hd_array *dst)
{
    return dst->lay->fills == dst->st->buf->nbytes && !hdi_buf_keeps_place(dst->st->buf);
}

/* A small array that nobody shares and nothing waits for keeps its memory, since it is likely to be
 * written to at once. */
static bool is_quiet(const hd_array *dst)
{
    const hdi_buf *b = dst->st->buf;
    return dst->lay->size <= hdi_window_of(b->dev)->small && hdi_buf_alone(b);
}

/* whole: as fills_storage() says. elsewhere: an input is read under another map. */
typedef struct store_how { bool whole, elsewhere; } store_how;

static hd_status record_store(hd_array *dst, hd_op op, hd_dtype cdt, int n, const hdi_in *in,
                              const hdi_shapes *s, store_how how)
{
    hdi_window *w = hdi_window_of(dst->st->buf->dev);
    hdi_record *r = hdi_record_begin(w, op, 'e', cdt, n);
    hd_status status = r != NULL ? HD_OK : hd_error_peek()->code;
    for (int k = 0; k < n && status == HD_OK; k++)
        status = hdi_set_input(r, op, cdt, k, &in[k], s->in[k]);
    if (status != HD_OK)
        return status;
    /* A store to the whole of an array nobody else can reach takes a fresh generation: no write
     * waits for its readers; one that reads it under another map needs that. Rule M7. */
    hdi_buf *old = NULL;
    if (how.whole && (how.elsewhere || !is_quiet(dst)) && HDI_CHECK(rename)) {
        old = dst->st->buf;
        old->held++;   /* inputs may be bound to it: keep it until they are attached */
        status = hdi_storage_renew(dst->st);
    }
    if (status == HD_OK) {
        hdi_record_array(r, 0, dst, dst->lay);
        r->domain = dst->lay;
        status = hdi_record_end(w, r);
    }
    if (old != NULL && status != HD_OK && dst->st->buf != old)
        hdi_storage_restore(dst->st, old);
    if (old != NULL)
        hdi_buf_let_go(old);
    return status;
}

static hd_status shape_mismatch(const hd_array *dst, const hdi_layout *l)
{
    char a[200], b[200];
    return hdi_fail(
        HD_SHAPE,
        "non-broadcastable output operand with shape %s doesn't match the broadcast shape %s",
        hdi_shape_text(dst->lay->nd, dst->lay->dims, a, sizeof a),
        hdi_shape_text(l->nd, l->dims, b, sizeof b));
}

/* hdi_store() of inputs that are not all where dst is. */
static hd_status store_mixed(hd_array *dst, hd_op op, hd_dtype cdt, int n, const hdi_in *in)
{
    hdi_in here[HDI_MAX_IN], all[HDI_MAX_IN + 1];
    hd_array *owned[HDI_MAX_IN];
    hd_device *to = dst->st->buf->dev;
    memcpy(all, in, sizeof *in * (size_t)n);
    all[n] = hdi_in_array(dst);
    const hd_device *dev = hdi_common_device(n + 1, all);
    if (dev == NULL)
        return HD_DEVICE;
    if (dev != to)
        return hdi_fail(HD_DEVICE,
                        "arrays live on two devices, %s and %s; move one with to_device()",
                        dev->name, to->name);
    hd_status status = gather_inputs(to, n, in, here, owned);
    if (status == HD_OK)
        status = hdi_store(dst, op, cdt, n, here);
    release_inputs(n, owned);
    return status;
}

/* A fresh array, which shares nothing with dst, into dst. */
static hd_status store_copy(hd_array *dst, const hdi_in *in)
{
    hdi_shapes s = {.in = {hdi_layout_broadcast(in->x->lay, dst->lay->nd, dst->lay->dims)}};
    return s.in[0] != NULL ? record_store(dst, HD_OP_copy, (hd_dtype)dst->dtype, 1, in, &s,
                                          (store_how){fills_storage(dst), false})
                           : hd_error_peek()->code;
}

/* The operation shape by shape: does it fit dst? */
static hd_status check_fit(const hd_array *dst, int n, const hdi_in *in)
{
    hdi_shapes together;
    for (int k = 0; k < n; k++)
        if (in[k].x != NULL && !hdi_layout_fits(in[k].x->lay, dst->lay->nd, dst->lay->dims))
            return hdi_broadcast(n, in, 1, &together) ? shape_mismatch(dst, together.out)
                                                      : hd_error_peek()->code;
    return HD_OK;
}

/* What of a store is to be looked for in values. The lock may be away meanwhile: so this comes
 * before anything is decided by what dst and the inputs are at the moment. */
static hd_status look_at_values(const hd_array *dst, hd_op op, hd_dtype cdt, int n,
                                const hdi_in *in)
{
    hd_status status = check_fit(dst, n, in);
    return status != HD_OK || dst->lay->size == 0
               ? status
               : hdi_value_faults(op, cdt, n, in, (hd_dtype)dst->dtype);
}

hd_status hdi_store(hd_array *dst, hd_op op, hd_dtype cdt, int n, const hdi_in *in)
{
    hdi_shapes s;
    bool elsewhere = false;
    for (int k = 0; k < n; k++)
        if (HDI_UNLIKELY(in[k].x != NULL && in[k].x->st->buf->dev != dst->st->buf->dev))
            return store_mixed(dst, op, cdt, n, in);
    if (HDI_UNLIKELY(hdi_faults() != 0) && look_at_values(dst, op, cdt, n, in) != HD_OK)
        return hd_error_peek()->code;
    const bool whole = fills_storage(dst);
    if (!whole && hdi_window_unshare(dst) != HD_OK)
        return hd_error_peek()->code;
    for (int k = 0; k < n; k++) {
        s.in[k] = NULL;
        if (in[k].x == NULL)
            continue;
        if (!hdi_layout_fits(in[k].x->lay, dst->lay->nd, dst->lay->dims))
            return check_fit(dst, n, in);
        s.in[k] = hdi_layout_broadcast(in[k].x->lay, dst->lay->nd, dst->lay->dims);
        if (s.in[k] == NULL)
            return hd_error_peek()->code;
        elsewhere |= reads_elsewhere(dst, &in[k], s.in[k]);
    }
    if (dst->lay->size == 0)
        return HD_OK;
    if (HDI_UNLIKELY(!dst->lay->injective) && HDI_CHECK(injective) &&
        !hdi_stores_alike(dst, n, in, &s))
        return hdi_store_repeated(dst, op, cdt, n, in, &s, elsewhere);
    if (!elsewhere || whole)
        return record_store(dst, op, cdt, n, in, &s, (store_how){whole, elsewhere});
    hd_array *temporary = hdi_ew_plain(op, cdt, n, in);
    if (temporary == NULL)
        return hd_error_peek()->code;
    hdi_in copy = hdi_in_array(temporary);
    hd_status status = store_copy(dst, &copy);
    hdi_array_release(temporary);
    return status;
}

hd_status hdi_store_checked(hd_array *dst, hd_op op, hd_dtype cdt, int n, const hdi_in *in,
                            hd_casting casting)
{
    hd_dtype value = hdi_value_dtype(op, cdt);
    if (dst->flags & HDI_A_READONLY)
        return hdi_fail(HD_READONLY, "output array is read-only");
    if (!hd_can_cast(value, (hd_dtype)dst->dtype, casting))
        return hdi_fail(
            HD_CAST,
            "Cannot cast ufunc '%s' output from dtype('%s') to dtype('%s') with casting rule '%s'",
            hdi_op_rows[op].info.name, hd_dtype_name(value), hd_dtype_name((hd_dtype)dst->dtype),
            hd_casting_name(casting));
    return hdi_store(dst, op, cdt, n, in);
}

hd_array *hdi_snapshot(const hd_array *x, hdi_layout *lay)
{
    if (hdi_buf_keeps_place(x->st->buf))   /* others may write to it at any time */
        return hdi_new_copy(x, (hd_dtype)x->dtype, lay);
    return hdi_array_over(hdi_storage_snapshot(x->st), (hd_dtype)x->dtype, x->lay, x->off);
}

hd_array *hdi_new(hd_device *dev, int nd, const int64_t *dims, hd_dtype dt)
{
    hdi_layout *lay;
    if (hdi_dtype_check(dt) != HD_OK || (lay = hdi_layout_c(nd, dims, hdi_itemsize(dt))) == NULL)
        return NULL;
    return hdi_array_new(dev, dt, lay);
}

hd_array *hdi_new_copy(const hd_array *x, hd_dtype dt, hdi_layout *lay)
{
    if (lay == NULL)
        return NULL;
    hd_array *out = hdi_array_new(hdi_device_of(x), dt, lay);
    hdi_in in = hdi_in_array(x);
    if (out != NULL && hdi_store(out, HD_OP_copy, dt, 1, &in) != HD_OK) {
        hdi_array_release(out);
        return NULL;
    }
    return out;
}

hd_array *hdi_contiguous(const hd_array *x)
{
    if (x->lay->c_contiguous && !hdi_is_weak(x)) {
        hd_array *same = (hd_array *)(uintptr_t)x;
        same->rc++;
        return same;
    }
    return hdi_new_copy(x, (hd_dtype)x->dtype,
                        hdi_layout_c(x->lay->nd, x->lay->dims, x->lay->item));
}

hd_status hdi_all_given(int n, const hd_array *const *arrays)
{
    if (n < 0)
        return hdi_fail(HD_VALUE, "a list of %d arrays", n);
    if (n > 0 && arrays == NULL)
        return hdi_fail_null("the list of arrays");
    for (int k = 0; k < n; k++)
        if (arrays[k] == NULL)
            return hdi_fail_null("an array");
    return HD_OK;
}

hd_status hdi_axis(int axis, int nd, int *out)
{
    if (axis < -nd || axis >= nd)
        return hdi_fail_axis(axis, nd);
    *out = axis < 0 ? axis + nd : axis;
    return HD_OK;
}

hd_status hdi_axes_mask(int n, const int *axes, int nd, uint64_t *mask)
{
    *mask = 0;
    if (HDI_UNLIKELY(n < HD_ALL_AXES))
        return hdi_fail(HD_VALUE, "a list of %d axes", n);
    if (HDI_UNLIKELY(n > 0 && axes == NULL))
        return hdi_fail_null("the list of axes");
    if (n == HD_ALL_AXES)
        *mask = hdi_all_axes(nd);
    for (int k = 0; k < n; k++) {
        int axis = 0;
        if (hdi_axis(axes[k], nd, &axis) != HD_OK)
            return HD_AXIS;
        if (*mask >> axis & 1)
            return hdi_fail(HD_VALUE, "duplicate value in 'axis'");
        *mask |= (uint64_t)1 << axis;
    }
    return HD_OK;
}

hd_status hdi_done_status(hd_status status, hd_device *dev, const char *operation)
{
    if (status != HD_OK)
        hdi_fail_where(operation);
    hd_status ran = hdi_finish(dev);
    return status != HD_OK ? status : ran;
}

hd_status hdi_out_fits(const hd_array *r, const hd_array *out, const char *what, const char *whose)
{
    char a[200], b[200];
    if (r == NULL || out == NULL ||
        (out->lay->nd == r->lay->nd &&
         memcmp(out->lay->dims, r->lay->dims, sizeof(int64_t) * (size_t)r->lay->nd) == 0))
        return HD_OK;
    return hdi_fail(HD_SHAPE, "%s %s, %s %s", what,
                    hdi_shape_text(out->lay->nd, out->lay->dims, a, sizeof a), whose,
                    hdi_shape_text(r->lay->nd, r->lay->dims, b, sizeof b));
}

hd_array *hdi_deliver(hd_array *r, hd_array *out, hd_status fits, hd_casting casting)
{
    if (r == NULL || out == NULL)
        return r;
    hdi_in in = hdi_in_array(r);
    hd_status status = fits;
    if (status == HD_OK)
        status = hdi_store_checked(out, HD_OP_copy, (hd_dtype)r->dtype, 1, &in, casting);
    hdi_array_release(r);
    out->rc += status == HD_OK;
    return status == HD_OK ? out : NULL;
}

hd_status hdi_record_places(hd_op op, hd_array *out, const hd_array *in, const hd_array *offsets,
                            int flags)
{
    hdi_window *w = hdi_window_of(out->st->buf->dev);
    hdi_record *r = hdi_record_begin(w, op, 'x', (hd_dtype)out->dtype, 2);
    if (r == NULL)
        return hd_error_peek()->code;
    hdi_record_array(r, 0, out, out->lay);
    hdi_record_array(r, 1, in, in->lay);
    hdi_record_array(r, 2, offsets, offsets->lay);
    r->domain = out->lay;
    r->payload.places = (hdi_places_how){.op = HD_OP_copy, .flags = (uint16_t)flags};
    return hdi_record_end(w, r);
}
