/* SPDX-License-Identifier: BSD-3-Clause */
/* joined_faults.c - floating-point faults of what joins elements to one: reductions, running
 * results, products of matrices and other library calls, on a device that has no flags, and where
 * an operation is repeated that raises flags of its own. nan from operands without one is invalid;
 * inf from finite operands an overflow, and nan too where a sum or a product can only have come to
 * it through inf. Sums of products that vanish are not told from those that cancel: no underflow of
 * these. */
#include "ops/fault_masks.h"

/* What the operands that an element of the result comes of have in common, each in a shape that
 * broadcasts with the result's. */
typedef struct origin {
    hd_array *known;           /* no nan among them */
    hd_array *finite;
    hd_array *zero;            /* a divisor or a base of 0 */
    hd_array *normal;          /* none below the smallest normal number */
    hd_array *something;       /* none of 0 */
} origin;

/* May an infinity be a division by zero? Of the gamma function it may as well be an overflow, and
 * what its operands have in common does not tell which. */
static bool may_divide(hd_op steps)
{
    const hdi_pole pole = hdi_pole_of(steps, HD_FLOAT64);
    return pole != HDI_POLE_NONE && pole != HDI_POLE_NEGATIVE;
}

static int faults_of_steps(hd_op steps, hd_dtype cdt)
{
    if (cdt == HD_BOOL || hdi_is_int(cdt))
        return 0;
    int can = hdi_loop_faults(steps, cdt);
    if (hdi_under_of(steps) != HDI_UNDER_PRODUCT || hdi_is_complex(cdt))
        can &= ~HD_FAULT_UNDERFLOW;
    return may_divide(steps) ? can : can & ~HD_FAULT_DIVIDE;
}

/* Products of normal numbers that are none, and of anything but 0 that are 0. */
static hd_array *vanished(hdi_masks *m, const hd_array *r, const origin *from)
{
    hd_dtype dt = (hd_dtype)r->dtype;
    hd_array *zero = hdi_mask_number(m, HD_OP_equal, dt, hdi_in_array(r), 0);
    return hdi_mask_or(m, hdi_mask_and(m, hdi_mask_small(m, dt, r), from->normal),
                       hdi_mask_and(m, zero, from->something));
}

static void judge(hdi_masks *m, hd_op steps, const hd_array *r, const origin *from)
{
    hd_dtype dt = (hd_dtype)r->dtype;
    hd_array *nan = hdi_mask_of(m, HD_OP_isnan, dt, hdi_in_array(r));
    hd_array *over = hdi_mask_of(m, HD_OP_isinf, dt, hdi_in_array(r));
    const uint32_t raises = hdi_op_rows[steps].raises;
    if (m->wanted & HD_FAULT_INVALID)
        hdi_mask_also(m, &m->invalid,
                      raises & HDI_RAISES_OF_NAN ? nan : hdi_mask_and(m, nan, from->known));
    if (raises & HDI_RAISES_LINEAR)
        over = hdi_mask_or(m, over, nan);
    over = hdi_mask_and(m, over, from->finite);
    if (may_divide(steps)) {
        hdi_mask_also(m, &m->divide, hdi_mask_and(m, over, from->zero));
        over = hdi_mask_and(m, over, hdi_mask_not(m, from->zero));
    }
    hdi_mask_also(m, &m->over, over);
    if (m->wanted & HD_FAULT_UNDERFLOW)
        hdi_mask_also(m, &m->under, hdi_mask_and(m, vanished(m, r, from), from->finite));
}

/* ---- along whole axes ------------------------------------------------------------------------ */

/* x with one element along each axis that it repeats along. */
static hd_array *once(hdi_masks *m, const hd_array *x)
{
    int64_t dims[HD_MAXDIM];
    for (int a = 0; a < x->lay->nd; a++) {
        bool repeats = hdi_layout_strides(x->lay)[a] == 0 && x->lay->dims[a] > 1;
        dims[a] = repeats ? 1 : x->lay->dims[a];
    }
    hdi_layout *lay = hdi_layout_get(x->lay->nd, dims, hdi_layout_strides(x->lay), x->lay->item);
    return hdi_mask_keep(
        m, lay != NULL ? hdi_array_view(x, (hd_dtype)x->dtype, lay, x->off) : NULL);
}

static hd_array *any_along(hdi_masks *m, const hd_array *mask, uint64_t axes, bool keepdims)
{
    return mask != NULL ? hdi_mask_keep(m, hdi_reduce(HD_OP_any, HD_BOOL, mask, NULL, axes,
                                                      keepdims, NULL))
                        : NULL;
}

/* Adds operand `in` to what is known of all. */
static void join(hdi_masks *m, hd_op steps, hd_dtype cdt, const hdi_joined *in, bool keepdims,
                 origin *from)
{
    hd_array *x = once(m, in->x);
    if (x == NULL)
        return;
    hd_array *nan = hdi_mask_of(m, HD_OP_isnan, cdt, hdi_in_array(x));
    hd_array *bounded = hdi_mask_of(m, HD_OP_isfinite, cdt, hdi_in_array(x));
    hd_array *known = hdi_mask_not(m, any_along(m, nan, in->axes, keepdims));
    hd_array *finite =
        hdi_mask_not(m, any_along(m, hdi_mask_not(m, bounded), in->axes, keepdims));
    from->known = from->known != NULL ? hdi_mask_and(m, from->known, known) : known;
    from->finite = from->finite != NULL ? hdi_mask_and(m, from->finite, finite) : finite;
    if (m->wanted & HD_FAULT_UNDERFLOW)
        from->normal = hdi_mask_not(m, any_along(m, hdi_mask_small(m, cdt, x), in->axes, keepdims));
    if (may_divide(steps) || (m->wanted & HD_FAULT_UNDERFLOW)) {
        hd_array *zero = hdi_mask_number(m, HD_OP_equal, cdt, hdi_in_array(x), 0);
        from->zero = any_along(m, zero, in->axes, keepdims);
        from->something = hdi_mask_not(m, from->zero);
    }
    if ((hd_dtype)x->dtype != cdt)
        hdi_mask_cast(m, (hd_dtype)x->dtype, cdt, x);
}

hd_status hdi_joined_faults(hd_op op, hd_op steps, hd_dtype cdt, const hd_array *r, int n,
                            const hdi_joined *in, bool keepdims)
{
    const int can = faults_of_steps(steps, cdt) & hdi_loop_faults(op, cdt);
    if (!hdi_faults_unseen(r->st->buf->dev) || (can & hdi_faults()) == 0)
        return HD_OK;
    const char *name = hdi_fault_name(op, false);
    origin from = {0};
    hdi_masks m;
    hdi_masks_begin(&m, can);
    for (int k = 0; k < n; k++)
        join(&m, steps, cdt, &in[k], keepdims, &from);
    judge(&m, steps, r, &from);
    return hdi_masks_end(&m, name, r->st->buf->dev);
}

/* ---- along an axis, in pieces or up to each element ------------------------------------------ */

typedef struct fold {
    hd_op call;
    int axis;
    hdi_layout *lay;           /* of the result, as the call sees it */
    const hd_array *index;
} fold;

/* Is the mask true of any element that an element of the result comes of? */
static hd_array *any_before(hdi_masks *m, const fold *f, hd_array *mask)
{
    hd_array *r = NULL;
    if (mask == NULL)
        return NULL;
    r = hdi_mask_keep(m, hdi_new(mask->st->buf->dev, f->lay->nd, f->lay->dims, HD_BOOL));
    if (r != NULL && hdi_record_fold(f->call, HD_OP_logical_or, HD_BOOL, f->axis, r, r->lay, mask,
                                     f->index) != HD_OK)
        m->failed = true;
    return r;
}

hd_status hdi_fold_faults(hd_op call, hd_op steps, hd_dtype cdt, int axis, const hd_array *r,
                          hdi_layout *lay, const hd_array *x, const hd_array *index)
{
    const fold f = {call, axis, lay, index};
    const int can = faults_of_steps(steps, cdt);
    if ((can & hdi_faults()) == 0)
        return HD_OK;
    const char *name = hdi_fault_name(call, false);
    const hdi_in in = hdi_in_array(x);
    hdi_masks m;
    hdi_masks_begin(&m, can);
    hd_array *view = hdi_mask_keep(&m, hdi_array_view(r, (hd_dtype)r->dtype, lay, r->off));
    hd_array *bounded = hdi_mask_of(&m, HD_OP_isfinite, cdt, in);
    origin from = {
        .known = hdi_mask_not(&m, any_before(&m, &f, hdi_mask_of(&m, HD_OP_isnan, cdt, in))),
        .finite = hdi_mask_not(&m, any_before(&m, &f, hdi_mask_not(&m, bounded)))};
    if (m.wanted & HD_FAULT_UNDERFLOW)
        from.normal = hdi_mask_not(&m, any_before(&m, &f, hdi_mask_small(&m, cdt, x)));
    if (may_divide(steps) || (m.wanted & HD_FAULT_UNDERFLOW)) {
        from.zero = any_before(&m, &f, hdi_mask_number(&m, HD_OP_equal, cdt, in, 0));
        from.something = hdi_mask_not(&m, from.zero);
    }
    if (view != NULL)
        judge(&m, steps, view, &from);
    return hdi_masks_end(&m, name, r->st->buf->dev);
}

/* ---- at places ------------------------------------------------------------------------------- */

/* Which value went to which place is not looked up: one that is nan hides what the others did. */
hd_status hdi_at_faults(hd_op steps, hd_dtype cdt, const hd_array *r, const hd_array *before,
                        const hd_array *values)
{
    const int can = faults_of_steps(steps, cdt) & ~HD_FAULT_UNDERFLOW;
    if ((can & hdi_faults()) == 0)
        return HD_OK;
    const char *name = hdi_fault_name(HD_OP_at, false);
    const hdi_in was = hdi_in_array(before);
    origin from = {0};
    hdi_masks m;
    hdi_masks_begin(&m, can);
    if (values != NULL) {
        uint64_t all = hdi_all_axes(values->lay->nd);
        join(&m, steps, cdt, &(hdi_joined){values, all}, false, &from);
    }
    hd_array *known = hdi_mask_not(&m, hdi_mask_of(&m, HD_OP_isnan, cdt, was));
    hd_array *finite = hdi_mask_of(&m, HD_OP_isfinite, cdt, was);
    /* of the base, or of the one operand: where that has another pole, an infinity was there */
    const hdi_pole pole = hdi_pole_of(steps, HD_FLOAT64);
    if (pole == HDI_POLE_BASE || (values == NULL && pole == HDI_POLE_ZERO))
        from.zero = hdi_mask_number(&m, HD_OP_equal, cdt, was, 0);
    else if (values == NULL)
        from.zero = finite;
    from.known = from.known != NULL ? hdi_mask_and(&m, from.known, known) : known;
    from.finite = from.finite != NULL ? hdi_mask_and(&m, from.finite, finite) : finite;
    judge(&m, steps, r, &from);
    return hdi_masks_end(&m, name, r->st->buf->dev);
}
