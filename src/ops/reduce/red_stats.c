/* SPDX-License-Identifier: BSD-3-Clause */
/* red_stats.c - mean, variance, deviation: compositions of sums, which the window fuses again. */
#include "ops/ops.h"

static int64_t count_of(const hd_array *x, const hd_reduce_options *o)
{
    int64_t n = 1;
    uint64_t mask = 0;
    if (o->naxes == HD_ALL_AXES)
        return x->lay->size;
    for (int k = 0; k < o->naxes; k++) {
        int axis = o->axes[k] < 0 ? o->axes[k] + x->lay->nd : o->axes[k];
        if (axis >= 0 && axis < x->lay->nd && !(mask >> axis & 1))
            n *= x->lay->dims[axis];
        mask |= axis >= 0 && axis < 64 ? (uint64_t)1 << axis : 0;
    }
    return n;
}

/* Number of elements under each mean: a number, or an array where a mask decides. */
static hd_array *divisor(const hd_array *x, const hd_reduce_options *o, double ddof, hd_dtype dt)
{
    if (o->where == NULL)
        return hd_float(
            (double)hdi_max64(count_of(x, o), 0) - ddof > 0 ? (double)count_of(x, o) - ddof : 0.0);
    hd_reduce_options count = {.size = sizeof count,
                               .naxes = o->naxes,
                               .axes = o->axes,
                               .keepdims = o->keepdims,
                               .dtype = HD_INT64};
    hd_array *w = hd_broadcast_to(o->where, x->lay->nd, x->lay->dims);
    hd_array *n = hd_reduce(HD_OP_sum, w, &count);
    hd_array *d = ddof != 0 ? hd_subtract(n, hd_float(ddof)) : n;
    return hd_astype(hd_maximum(d, hd_int(0)), dt, 'K', HD_CAST_UNSAFE, 0);
}

static hd_dtype mean_dtype(const hd_array *x, hd_dtype asked)
{
    if (asked != HD_NO_DTYPE)
        return asked;
    char kind = hdi_dtypes[x->dtype].kind;
    return kind == 'f' || kind == 'c' ? (hd_dtype)x->dtype : HD_FLOAT64;
}

static hd_array *into_out(hd_array *r, hd_array *out, hd_casting casting)
{
    if (r == NULL || out == NULL)
        return r;
    if (hdi_out_fits(r, out, "output parameter for reduction operation has shape",
                     "but the result has shape") != HD_OK ||
        hd_assign(out, r, casting) != HD_OK)
        return NULL;
    return hdi_scope_own(hd_retain(out));
}

/* A dtype was asked for in which a quotient is not: NumPy divides and casts back. */
static hd_array *cast_back(hd_array *r, hd_dtype dt)
{
    return hdi_is_int(dt) || hdi_is_half(dt) || dt == HD_BOOL
               ? hd_astype(r, dt, 'K', HD_CAST_UNSAFE, 0)
               : r;
}

/* sum / n, with the sum in dt; a quotient. */
static hd_array *mean(const hd_array *x, const hd_reduce_options *o, hd_dtype dt)
{
    hd_reduce_options s = *o;
    s.dtype = dt;
    s.out = NULL;
    s.initial = NULL;
    hd_array *sum = hd_reduce(HD_OP_sum, x, &s);
    hd_array *n = divisor(x, o, 0.0, hd_dtype_real(dt));
    return hd_divide(sum, n);
}

hd_array *hd_mean(const hd_array *x, const hd_reduce_options *options)
{
    if (x == NULL)
        return hdi_null("an array");
    hd_reduce_options o = hdi_reduce_options(options);
    int scope = hd_scope_begin();
    hd_dtype dt = mean_dtype(x, o.dtype);
    /* as NumPy: halves are summed and divided in float32 */
    hd_array *r = mean(x, &o, hdi_is_half(dt) && o.dtype == HD_NO_DTYPE ? HD_FLOAT32 : dt);
    return hd_scope_end(scope, into_out(cast_back(r, dt), o.out, HD_CAST_UNSAFE));
}

static hd_array *variance(const hd_array *x, const hd_reduce_options *o)
{
    hd_dtype dt = mean_dtype(x, o->dtype);
    hd_reduce_options wide = *o;
    wide.keepdims = 1;
    wide.out = NULL;
    const hd_array *centre = o->initial != NULL ? o->initial : cast_back(mean(x, &wide, dt), dt);
    hd_array *d = hd_subtract(x, centre);
    hd_array *square;
    if (d != NULL && hdi_is_complex((hd_dtype)x->dtype)) {
        hd_array *re = hd_real(d), *im = hd_imag(d);
        square = hd_add(hd_multiply(re, re), hd_multiply(im, im));
    } else {
        square = hd_multiply(d, d);
    }
    hd_reduce_options s = *o;
    s.out = NULL;
    s.initial = NULL;   /* as NumPy, an explicit complex dtype makes the variance complex */
    hd_array *r = hd_divide(hd_reduce(HD_OP_sum, square, &s),
                            divisor(x, o, o->ddof, hd_dtype_real(dt)));
    return o->dtype == HD_NO_DTYPE ? r : cast_back(r, dt);
}

hd_array *hd_var(const hd_array *x, const hd_reduce_options *options)
{
    if (x == NULL)
        return hdi_null("an array");
    hd_reduce_options o = hdi_reduce_options(options);
    int scope = hd_scope_begin();
    return hd_scope_end(scope, into_out(variance(x, &o), o.out, HD_CAST_UNSAFE));
}

/* The square root goes where the variance is, in out or a dtype asked for: that is NumPy's last
 * step, and a ufunc's. */
static hd_array *root_into(hd_array *root, hd_dtype dt)
{
    if (root == NULL || hd_can_cast((hd_dtype)root->dtype, dt, HD_CAST_SAME_KIND))
        return root;
    hdi_fail(HD_CAST,
             "Cannot cast ufunc 'sqrt' output from dtype('%s') to dtype('%s') with casting rule "
             "'same_kind'",
             hd_dtype_name((hd_dtype)root->dtype), hd_dtype_name(dt));
    return NULL;
}

hd_array *hd_std(const hd_array *x, const hd_reduce_options *options)
{
    if (x == NULL)
        return hdi_null("an array");
    hd_reduce_options o = hdi_reduce_options(options);
    int scope = hd_scope_begin();
    hd_array *v = variance(x, &o), *r = hd_sqrt(v);
    if (o.out != NULL)
        r = root_into(r, (hd_dtype)o.out->dtype);
    else if (v != NULL && hdi_is_int((hd_dtype)v->dtype))   /* a scalar is cast to it again */
        r = v->lay->nd == 0 ? cast_back(r, (hd_dtype)v->dtype) : root_into(r, (hd_dtype)v->dtype);
    return hd_scope_end(scope, into_out(r, o.out, HD_CAST_SAME_KIND));
}
