/* SPDX-License-Identifier: BSD-3-Clause */
/* matmul.c - products of matrices: thin ones as fused sums of products (class R), the rest as
 * one BLAS call (class X).
 *
 * As sums of products both operands are read over one domain (batch..., m, n, k): a repeats along
 * n, b along m. A product is thin when at most one of m, n, k is above 16: then BLAS has nothing
 * to block for, and fusing with what surrounds it is worth more. Except on the host when none of
 * them is 1: there each element is read many times, by loads that BLAS saves (docs/design/linalg.md
 * has the figures). */
#include <heddle/linalg.h>
#include <stdio.h>

#include "base/lock.h"
#include "ops/ops.h"

enum { THIN = 16 };

static int tf32;   /* hd_set_matmul_tf32(); under the lock */

int hd_set_matmul_tf32(int on)
{
    hdi_lock();
    int before = tf32;
    tf32 = on != 0;
    hdi_unlock();
    return before;
}

/* a as (batch..., m, k) and b as (batch..., k, n): 1-d operands get an axis that the result
 * loses again. */
typedef struct product {
    int nd;                                  /* batch axes */
    int64_t batch[HD_MAXDIM], m, n, k;
    int64_t sa[HD_MAXDIM], sb[HD_MAXDIM];    /* strides of the batch axes */
    int64_t sam, sak, sbk, sbn;
    bool drop_m, drop_n;
} product;

static bool plan_batch(const hd_array *a, const hd_array *b, product *p)
{
    int na = a->lay->nd > 2 ? a->lay->nd - 2 : 0, nb = b->lay->nd > 2 ? b->lay->nd - 2 : 0;
    p->nd = na > nb ? na : nb;
    for (int i = 0; i < p->nd; i++) {
        int ia = i - (p->nd - na), ib = i - (p->nd - nb);
        int64_t da = ia >= 0 ? a->lay->dims[ia] : 1, db = ib >= 0 ? b->lay->dims[ib] : 1;
        if (da != db && da != 1 && db != 1)
            return false;
        p->batch[i] = da == 1 ? db : da;
        p->sa[i] = ia >= 0 && da != 1 ? hdi_layout_strides(a->lay)[ia] : 0;
        p->sb[i] = ib >= 0 && db != 1 ? hdi_layout_strides(b->lay)[ib] : 0;
    }
    return true;
}

static hd_status inner_mismatch(const hd_array *a, const hd_array *b, int64_t kb, int64_t k)
{
    char ta[150], tb[150];
    return hdi_fail(HD_SHAPE,
                    "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc "
                    "signature (n?,k),(k,m?)->(n?,m?) (size %lld is different from %lld): shapes "
                    "%s and %s",
                    (long long)kb, (long long)k,
                    hdi_shape_text(a->lay->nd, a->lay->dims, ta, sizeof ta),
                    hdi_shape_text(b->lay->nd, b->lay->dims, tb, sizeof tb));
}

static hd_status batch_mismatch(const hd_array *a, const hd_array *b)
{
    char ta[200], tb[200];
    return hdi_fail(HD_SHAPE,
                    "matmul: operands could not be broadcast together with shapes %s and %s (all "
                    "axes but the last two)",
                    hdi_shape_text(a->lay->nd, a->lay->dims, ta, sizeof ta),
                    hdi_shape_text(b->lay->nd, b->lay->dims, tb, sizeof tb));
}

static hd_status plan_product(const hd_array *a, const hd_array *b, product *p)
{
    const hdi_layout *la = a->lay, *lb = b->lay;
    const int64_t *sa = hdi_layout_strides(la), *sb = hdi_layout_strides(lb);
    if (la->nd == 0 || lb->nd == 0)
        return hdi_fail(HD_VALUE,
                        "matmul: Input operand %d does not have enough dimensions (has 0, gufunc "
                        "core with signature "
                        "(n?,k),(k,m?)->(n?,m?) requires 1)",
                        la->nd == 0 ? 0 : 1);
    p->drop_m = la->nd == 1;
    p->drop_n = lb->nd == 1;
    p->m = p->drop_m ? 1 : la->dims[la->nd - 2];
    p->sam = p->drop_m ? 0 : sa[la->nd - 2];
    p->k = la->dims[la->nd - 1];
    p->sak = sa[la->nd - 1];
    p->n = p->drop_n ? 1 : lb->dims[lb->nd - 1];
    p->sbn = p->drop_n ? 0 : sb[lb->nd - 1];
    int64_t kb = lb->dims[p->drop_n ? 0 : lb->nd - 2];
    p->sbk = sb[p->drop_n ? 0 : lb->nd - 2];
    if (kb != p->k)
        return inner_mismatch(a, b, kb, p->k);
    if (!plan_batch(a, b, p))
        return batch_mismatch(a, b);
    return HD_OK;
}

static bool is_thin(const product *p, const hd_device *dev)
{
    if (dev->host_memory && p->m > 1 && p->n > 1 && p->k > 1)
        return false;
    return (p->m > THIN) + (p->n > THIN) + (p->k > THIN) <= 1;
}

/* Views of a and b over (batch, m, n, k), reduced over k into the result. */
static hd_array *record_thin(const hd_array *a, const hd_array *b, const product *p, hd_dtype dt)
{
    int64_t dims[HD_MAXDIM], sa[HD_MAXDIM], sb[HD_MAXDIM];
    int nd = p->nd;
    if (nd + 3 > HD_MAXDIM) {
        hdi_fail(HD_VALUE, "matmul: too many dimensions");
        return NULL;
    }
    memcpy(dims, p->batch, sizeof *dims * (size_t)nd);
    memcpy(sa, p->sa, sizeof *sa * (size_t)nd);
    memcpy(sb, p->sb, sizeof *sb * (size_t)nd);
    if (!p->drop_m) {
        dims[nd] = p->m;
        sa[nd] = p->sam;
        sb[nd++] = 0;
    }
    if (!p->drop_n) {
        dims[nd] = p->n;
        sa[nd] = 0;
        sb[nd++] = p->sbn;
    }
    dims[nd] = p->k;
    sa[nd] = p->sak;
    sb[nd] = p->sbk;
    hdi_layout *la = hdi_layout_get(nd + 1, dims, sa, a->lay->item),
               *lb = hdi_layout_get(nd + 1, dims, sb, b->lay->item);
    hd_array *va = la && lb ? hdi_array_view(a, (hd_dtype)a->dtype, la, a->off) : NULL;
    hd_array *vb = va != NULL ? hdi_array_view(b, (hd_dtype)b->dtype, lb, b->off) : NULL;
    hd_array *r = NULL, *into = NULL;
    if (vb != NULL && (into = hdi_new(a->st->buf->dev, nd, dims, dt)) != NULL) {
        r = hdi_reduce(HD_OP_sumproduct, dt, va, vb, (uint64_t)1 << nd, false, into);
        if (r == NULL)
            hdi_array_release(into);
        else if (nd == 0)
            r->flags |= HDI_A_SCALAR | HDI_A_READONLY;
    }
    if (va != NULL)
        hdi_array_release(va);
    if (vb != NULL)
        hdi_array_release(vb);
    return r;
}

/* One side of the product over (batch, rows, columns). */
static hdi_layout *side(const product *p, const int64_t *batch_strides, int64_t rows,
                        int64_t columns, int64_t sr, int64_t sc, int64_t item)
{
    int64_t dims[HD_MAXDIM], strides[HD_MAXDIM];
    memcpy(dims, p->batch, sizeof *dims * (size_t)p->nd);
    memcpy(strides, batch_strides, sizeof *strides * (size_t)p->nd);
    dims[p->nd] = rows;
    dims[p->nd + 1] = columns;
    strides[p->nd] = sr;
    strides[p->nd + 1] = sc;
    return hdi_layout_get(p->nd + 2, dims, strides, item);
}

/* On a device that has no flags: a row of a and a column of b make an element. */
static hd_status look_for_faults(const hd_array *a, const hd_array *b, const hd_array *r,
                                 const product *p, hdi_layout *const lay[3], hd_dtype dt)
{
    const hd_array *of[3] = {a, b, r};
    hd_array *view[3];
    bool made = true;
    for (int k = 0; k < 3; k++) {
        view[k] = hdi_array_view(of[k], (hd_dtype)of[k]->dtype, lay[k], of[k]->off);
        made &= view[k] != NULL;
    }
    const hdi_joined in[2] = {{view[0], (uint64_t)2 << p->nd}, {view[1], (uint64_t)1 << p->nd}};
    hd_status status =
        made ? hdi_joined_faults(HD_OP_matmul, HD_OP_add, dt, view[2], 2, in, true) : HD_NOMEM;
    for (int k = 0; k < 3; k++)
        if (view[k] != NULL)
            hdi_array_release(view[k]);
    return status;
}

static hd_array *record_library(const hd_array *a, const hd_array *b, const product *p, hd_dtype dt)
{
    int64_t dims[HD_MAXDIM], item = hdi_itemsize(dt), wide[HD_MAXDIM];
    int nd = p->nd;
    memcpy(dims, p->batch, sizeof *dims * (size_t)nd);
    if (!p->drop_m)
        dims[nd++] = p->m;
    if (!p->drop_n)
        dims[nd++] = p->n;
    hd_array *r = hdi_new(a->st->buf->dev, nd, dims, dt);
    if (r == NULL || r->lay->size == 0)
        return r;
    int64_t step = p->m * p->n * item;
    for (int i = p->nd - 1; i >= 0; i--) {
        wide[i] = step;
        step *= p->batch[i];
    }
    hdi_layout *lr = side(p, wide, p->m, p->n, p->n * item, item, item);
    hdi_layout *la = side(p, p->sa, p->m, p->k, p->sam, p->sak, a->lay->item);
    hdi_layout *lb = side(p, p->sb, p->k, p->n, p->sbk, p->sbn, b->lay->item);
    hdi_window *w = hdi_window_of(a->st->buf->dev);
    hdi_record *rec = lr && la && lb ? hdi_record_begin(w, HD_OP_matmul, 'x', dt, 2) : NULL;
    if (rec != NULL) {
        hdi_record_array(rec, 0, r, lr);
        hdi_record_array(rec, 1, a, la);
        hdi_record_array(rec, 2, b, lb);
        rec->domain = lr;
        rec->payload.tf32 = tf32 != 0;
        hd_status status = hdi_record_end(w, rec);
        if (status == HD_OK && hdi_faults_unseen(r->st->buf->dev))
            status = look_for_faults(a, b, r, p, (hdi_layout *const[3]){la, lb, lr}, dt);
        if (status == HD_OK)
            return r;
    }
    hdi_array_release(r);
    return NULL;
}

static hd_array *cast_to(const hd_array *x, hd_dtype dt)
{
    if ((hd_dtype)x->dtype == dt && !hdi_is_weak(x)) {
        hd_array *same = (hd_array *)(uintptr_t)x;
        same->rc++;
        return same;
    }
    return hdi_new_copy(x, dt,
                        hdi_layout_k(x->lay->nd, x->lay->dims, hdi_itemsize(dt), 1,
                                     (const hdi_layout *const[]){x->lay}));
}

static hd_array *multiply(const hd_array *a, const hd_array *b, hd_dtype dt)
{
    product p;
    hdi_in in[2] = {hdi_in_array(a), hdi_in_array(b)};
    if (hdi_dtype_check(dt) != HD_OK || hdi_common_device(2, in) == NULL ||
        plan_product(a, b, &p) != HD_OK)
        return NULL;
    bool thin = is_thin(&p, a->st->buf->dev);
    if (thin && p.k > 0)   /* casts of the operands fuse with it */
        if ((hd_dtype)a->dtype == dt && (hd_dtype)b->dtype == dt)
            return record_thin(a, b, &p, dt);
    hd_array *ca = cast_to(a, dt), *cb = ca != NULL ? cast_to(b, dt) : NULL, *r = NULL;
    if (cb != NULL && plan_product(ca, cb, &p) == HD_OK)
        r = thin || p.k == 0 ? record_thin(ca, cb, &p, dt) : record_library(ca, cb, &p, dt);
    if (ca != NULL)
        hdi_array_release(ca);
    if (cb != NULL)
        hdi_array_release(cb);
    return r;
}

static hd_dtype common_dtype(const hd_array *a, const hd_array *b)
{
    hdi_in in[2] = {hdi_in_array(a), hdi_in_array(b)};
    return hdi_common_dtype(2, in);
}

/* ---- options --------------------------------------------------------------------------------- */

static hd_status cannot_cast(const char *what, int k, hd_dtype from, hd_dtype to,
                             hd_casting casting)
{
    char number[16] = "";
    if (k >= 0)
        snprintf(number, sizeof number, " %d", k);
    return hdi_fail(HD_CAST,
                    "Cannot cast ufunc 'matmul' %s%s from dtype('%s') to dtype('%s') with casting "
                    "rule '%s'",
                    what, number, hd_dtype_name(from), hd_dtype_name(to), hd_casting_name(casting));
}

/* The axes that come from the operands, not from broadcasting: they must be the same in out. */
static hd_status check_out(const hd_array *r, const hd_array *out, int ncore)
{
    char a[200], b[200];
    bool fits = hdi_layout_fits(r->lay, out->lay->nd, out->lay->dims);
    for (int i = 1; i <= ncore && fits; i++)
        fits = out->lay->dims[out->lay->nd - i] == r->lay->dims[r->lay->nd - i];
    return fits ? HD_OK
                : hdi_fail(HD_SHAPE,
                           "matmul: Output operand 0 has shape %s, a mismatch with the result's "
                           "shape %s",
                           hdi_shape_text(out->lay->nd, out->lay->dims, a, sizeof a),
                           hdi_shape_text(r->lay->nd, r->lay->dims, b, sizeof b));
}

static hd_array *matmul(const hd_array *a, const hd_array *b, const hd_apply_options *o)
{
    const hd_array *in[2] = {a, b};
    hd_dtype dt = o->dtype != HD_NO_DTYPE ? o->dtype : common_dtype(a, b);
    for (int k = 0; k < 2; k++)
        if (!hd_can_cast((hd_dtype)in[k]->dtype, dt, o->casting)) {
            cannot_cast("input", k, (hd_dtype)in[k]->dtype, dt, o->casting);
            return NULL;
        }
    if (o->out != NULL && !hd_can_cast(dt, (hd_dtype)o->out->dtype, o->casting)) {
        cannot_cast("output", -1, dt, (hd_dtype)o->out->dtype, o->casting);
        return NULL;
    }
    hd_array *r = multiply(a, b, dt);
    if (r == NULL || o->out == NULL)
        return r;
    return hdi_deliver(r, o->out, check_out(r, o->out, (a->lay->nd > 1) + (b->lay->nd > 1)),
                       HD_CAST_UNSAFE);
}

hd_array *hd_matmul_as(const hd_array *a, const hd_array *b, const hd_apply_options *options)
{
    hd_apply_options own = {.dtype = HD_NO_DTYPE, .casting = HD_CAST_SAME_KIND};
    if (a == NULL || b == NULL)
        return hdi_null("an array");
    if (options != NULL)   /* of whatever size the caller knows them */
        memcpy(&own, options, options->size < sizeof own ? options->size : sizeof own);
    if (own.casting == HD_CAST_DEFAULT)
        own.casting = HD_CAST_SAME_KIND;
    if (own.where != NULL) {
        hdi_fail(HD_VALUE, "matmul takes no where");
        return NULL;
    }
    hdi_lock();
    return hdi_done(matmul(a, b, &own), "matmul");
}

hd_array *hd_matmul(const hd_array *a, const hd_array *b, hd_array *out)
{
    if (out != NULL)
        return hd_matmul_as(a, b,
                            &(hd_apply_options){.size = sizeof(hd_apply_options),
                                                .out = out,
                                                .dtype = HD_NO_DTYPE,
                                                .casting = HD_CAST_SAME_KIND});
    if (a == NULL || b == NULL)
        return hdi_null("an array");
    hdi_lock();
    return hdi_done(multiply(a, b, common_dtype(a, b)), "matmul");
}

/* ---- dot ------------------------------------------------------------------------------------- */

/* NumPy's dot with more than two axes of b: a sum over the last of a and the last but one of b,
 * for all pairs of the others. */
static hd_array *dot_many(const hd_array *a, const hd_array *b)
{
    int64_t da[HD_MAXDIM], sa[HD_MAXDIM], sb[HD_MAXDIM];
    const hdi_layout *la = a->lay, *lb = b->lay;
    int nd = 0, kb = lb->nd > 1 ? lb->nd - 2 : 0;
    if (la->nd + lb->nd - 1 > HD_MAXDIM) {
        hdi_fail(HD_VALUE, "dot: the result would have more than %d dimensions", HD_MAXDIM);
        return NULL;
    }
    if (la->dims[la->nd - 1] != lb->dims[kb]) {
        char ta[200], tb[200];
        hdi_fail(HD_SHAPE, "shapes %s and %s not aligned: %lld (dim %d) != %lld (dim %d)",
                 hdi_shape_text(la->nd, la->dims, ta, sizeof ta),
                 hdi_shape_text(lb->nd, lb->dims, tb, sizeof tb),
                 (long long)la->dims[la->nd - 1], la->nd - 1, (long long)lb->dims[kb], kb);
        return NULL;
    }
    for (int i = 0; i < la->nd - 1; i++, nd++) {
        da[nd] = la->dims[i];
        sa[nd] = hdi_layout_strides(la)[i];
        sb[nd] = 0;
    }
    for (int i = 0; i < lb->nd; i++) {
        if (i == kb)
            continue;
        da[nd] = lb->dims[i];
        sa[nd] = 0;
        sb[nd++] = hdi_layout_strides(lb)[i];
    }
    da[nd] = la->dims[la->nd - 1];
    sa[nd] = hdi_layout_strides(la)[la->nd - 1];
    sb[nd] = hdi_layout_strides(lb)[kb];
    hd_array *r = NULL, *into = NULL, *va = NULL, *vb = NULL;
    hdi_layout *ga = hdi_layout_get(nd + 1, da, sa, la->item),
               *gb = hdi_layout_get(nd + 1, da, sb, lb->item);
    if (ga && gb && (va = hdi_array_view(a, (hd_dtype)a->dtype, ga, a->off)) &&
        (vb = hdi_array_view(b, (hd_dtype)b->dtype, gb, b->off)) &&
        (into = hdi_new(a->st->buf->dev, nd, da, (hd_dtype)a->dtype)) != NULL &&
        (r = hdi_reduce(HD_OP_sumproduct, (hd_dtype)a->dtype, va, vb, (uint64_t)1 << nd, false,
                        into)) == NULL)
        hdi_array_release(into);
    if (va != NULL)
        hdi_array_release(va);
    if (vb != NULL)
        hdi_array_release(vb);
    return r;
}

static bool is_single(const hd_array *x)
{
    char kind = hdi_dtypes[x->dtype].kind;
    return x->lay->size == 1 && x->lay->nd <= 2 &&
           ((kind == 'f' && !hdi_is_half((hd_dtype)x->dtype)) || kind == 'c');
}

/* One element by one: a bare product, as NumPy's, which can be -0.0; sums start at 0. */
static hd_array *dot_single(const hd_array *a, const hd_array *b)
{
    int64_t dims[2] = {1, 1}, strides[2] = {0, 0};
    int nd = a->lay->nd + b->lay->nd - 2;
    const hd_array *of[2] = {a, b};
    hd_array *view[2] = {NULL, NULL}, *r = NULL;
    for (int k = 0; k < 2; k++) {
        hdi_layout *lay = hdi_layout_get(nd, dims, strides, of[k]->lay->item);
        if (lay != NULL)
            view[k] = hdi_array_view(of[k], (hd_dtype)of[k]->dtype, lay, of[k]->off);
    }
    if (view[0] != NULL && view[1] != NULL)
        r = hdi_ew_auto(HD_OP_multiply, 2,
                        (hdi_in[2]){hdi_in_array(view[0]), hdi_in_array(view[1])});
    for (int k = 0; k < 2; k++)
        if (view[k] != NULL)
            hdi_array_release(view[k]);
    return r;
}

static hd_array *dot(const hd_array *a, const hd_array *b)
{
    hdi_in in[2] = {hdi_in_array(a), hdi_in_array(b)};
    if (a->lay->nd == 0 || b->lay->nd == 0)
        return hdi_ew_auto(HD_OP_multiply, 2, in);
    if (is_single(a) && is_single(b))
        return dot_single(a, b);
    int kb = b->lay->nd > 1 ? b->lay->nd - 2 : 0;
    if (b->lay->nd <= 2 && a->lay->dims[a->lay->nd - 1] == b->lay->dims[kb])
        return multiply(a, b, common_dtype(a, b));
    hd_dtype dt = hdi_common_dtype(2, in);
    hd_array *ca = hdi_common_device(2, in) != NULL ? cast_to(a, dt) : NULL,
             *cb = ca != NULL ? cast_to(b, dt) : NULL;
    hd_array *r = cb != NULL ? dot_many(ca, cb) : NULL;
    if (ca != NULL)
        hdi_array_release(ca);
    if (cb != NULL)
        hdi_array_release(cb);
    return r;
}

static hd_status check_dot_out(const hd_array *r, const hd_array *out)
{
    char a[150], b[150];
    bool same = out->lay->nd == r->lay->nd;
    if (out->dtype != r->dtype || !same || !out->lay->c_contiguous || out->flags & HDI_A_READONLY)
        return hdi_fail(HD_VALUE,
                        "output array is not acceptable (must have the right datatype, number of "
                        "dimensions, and be a C-Array): it has dtype %s and %d dimensions, the "
                        "result %s and %d",
                        hd_dtype_name((hd_dtype)out->dtype), out->lay->nd,
                        hd_dtype_name((hd_dtype)r->dtype), r->lay->nd);
    if (memcmp(out->lay->dims, r->lay->dims, sizeof(int64_t) * (size_t)r->lay->nd) != 0)
        return hdi_fail(HD_VALUE,
                        "output array has wrong dimensions: its shape is %s, the result's %s",
                        hdi_shape_text(out->lay->nd, out->lay->dims, a, sizeof a),
                        hdi_shape_text(r->lay->nd, r->lay->dims, b, sizeof b));
    return HD_OK;
}

hd_array *hd_dot(const hd_array *a, const hd_array *b, hd_array *out)
{
    if (a == NULL || b == NULL)
        return hdi_null("an array");
    hdi_lock();
    hd_array *r = dot(a, b);
    hd_status fits = r != NULL && out != NULL ? check_dot_out(r, out) : HD_OK;
    return hdi_done(hdi_deliver(r, out, fits, HD_CAST_UNSAFE), "dot");
}
