/* SPDX-License-Identifier: BSD-3-Clause */
/* float_faults.c - floating-point faults of elementwise operations, read off inputs and results:
 * nan from no nan is invalid, inf from finite numbers an overflow or, at a pole, a division by
 * zero. So it is on every device for functions whose loops raise flags of their own (they compute
 * more than they choose from in the end, or treat odd cases apart), and for all operations on a
 * device that has no flags. Runs only while somebody watches. */
#include "ops/fault_masks.h"

/* ---- an operation and what it is about ------------------------------------------------------- */

typedef struct look {
    hd_op op;
    hd_dtype cdt, dt;          /* of the loop, of the result */
    hdi_pole pole;
    hdi_under under;
    int n;
    const hdi_in *in;
    const hd_array *r;
} look;

/* op of the first input and of the second, if there is one. */
static hd_array *of_all(hdi_masks *m, const look *k, hd_op op, hd_op joined_by)
{
    hd_array *x = hdi_mask_of(m, op, k->cdt, k->in[0]);
    for (int i = 1; i < k->n; i++)
        x = hdi_mask_pair(m, joined_by, HD_BOOL, x, hdi_mask_of(m, op, k->cdt, k->in[i]));
    return x;
}

/* Input i as the loop takes it. */
static hd_array *operand(hdi_masks *m, const look *k, int i)
{
    return hdi_mask_of(m, HD_OP_copy, hdi_loop_dtype(k->op, i, k->cdt), k->in[i]);
}

/* ---- poles ----------------------------------------------------------------------------------- */

/* x is a or b */
static hd_array *is_either(hdi_masks *m, hd_dtype cdt, hdi_in x, hd_number a, hd_number b)
{
    hdi_in in[2] = {x, hdi_in_number(&a)}, other[2] = {x, hdi_in_number(&b)};
    hd_array *first = hdi_mask_keep(m, hdi_ew_plain(HD_OP_equal, cdt, 2, in));
    return hdi_mask_or(m, first, hdi_mask_keep(m, hdi_ew_plain(HD_OP_equal, cdt, 2, other)));
}

static hd_array *at_pole(hdi_masks *m, const look *k)
{
    const hd_number zero = {.kind = HD_WEAK_FLOAT}, one = {.kind = HD_WEAK_FLOAT, .re = 1};
    const hd_number minus = {.kind = HD_WEAK_FLOAT, .re = -1};
    hdi_in x = k->pole == HDI_POLE_BASE ? k->in[0] : k->in[k->n - 1];
    switch (k->pole) {
    case HDI_POLE_MINUS_ONE:
        return hdi_mask_number(m, HD_OP_equal, k->cdt, x, -1.0);
    case HDI_POLE_ONES:
        return is_either(m, k->cdt, x, one, minus);
    case HDI_POLE_ZERO_ONE:
        return is_either(m, k->cdt, x, zero, one);
    case HDI_POLE_I:
        return is_either(m, k->cdt, x, (hd_number){.kind = HD_WEAK_COMPLEX, .im = 1},
                         (hd_number){.kind = HD_WEAK_COMPLEX, .im = -1});
    case HDI_POLE_NEGATIVE:
        return hdi_mask_number(m, HD_OP_less_equal, k->cdt, x, 0.0);
    default:
        return hdi_mask_number(m, HD_OP_equal, k->cdt, x, 0.0);
    }
}

/* ---- underflow ------------------------------------------------------------------------------- */

static hd_array *in_double(hdi_masks *m, hd_op op, const hd_array *x, const hd_array *y)
{
    return hdi_mask_pair(m, op, HD_FLOAT64, x, y);
}

/* x as a sum of two numbers of half as many digits. */
static void halve(hdi_masks *m, const hd_array *x, hd_array **high, hd_array **low)
{
    *high = *low = NULL;
    if (x == NULL)
        return;
    hd_array *t = hdi_mask_number(m, HD_OP_multiply, HD_FLOAT64, hdi_in_array(x), 0x1p27 + 1);
    *high = in_double(m, HD_OP_subtract, t, in_double(m, HD_OP_subtract, t, x));
    *low = in_double(m, HD_OP_subtract, x, *high);
}

/* fl(a * b) - a * b, by Dekker: exact for numbers near 1. */
static hd_array *rest_of_product(hdi_masks *m, const hd_array *a, const hd_array *b,
                                 const hd_array *product)
{
    hd_array *ah, *al, *bh, *bl;
    halve(m, a, &ah, &al);
    halve(m, b, &bh, &bl);
    hd_array *e = in_double(m, HD_OP_subtract, product, in_double(m, HD_OP_multiply, ah, bh));
    e = in_double(m, HD_OP_subtract, e, in_double(m, HD_OP_multiply, al, bh));
    e = in_double(m, HD_OP_subtract, e, in_double(m, HD_OP_multiply, ah, bl));
    return in_double(m, HD_OP_subtract, e, in_double(m, HD_OP_multiply, al, bl));
}

static hd_array *mantissa(hdi_masks *m, const hd_array *x)
{
    return x != NULL ? hdi_mask_of(m, HD_OP_frexp_mantissa, HD_FLOAT64, hdi_in_array(x)) : NULL;
}

static hd_array *exponent(hdi_masks *m, const hd_array *x)
{
    return x != NULL ? hdi_mask_of(m, HD_OP_frexp_exponent, HD_FLOAT64, hdi_in_array(x)) : NULL;
}

/* Where a * b is not c, with all digits: of mantissas, so that nothing is lost on the way but what
 * is 0 on one side only. */
static hd_array *is_no_product(hdi_masks *m, const hd_array *a, const hd_array *b,
                               const hd_array *c)
{
    hd_array *ma = mantissa(m, a), *mb = mantissa(m, b);
    hd_array *p = in_double(m, HD_OP_multiply, ma, mb);
    hd_array *scale = hdi_mask_pair(m, HD_OP_subtract, HD_INT64, exponent(m, c), exponent(m, a));
    scale = hdi_mask_pair(m, HD_OP_subtract, HD_INT64, scale, exponent(m, b));
    hd_array *scaled = in_double(m, HD_OP_ldexp, mantissa(m, c), scale);
    hd_array *differs = hdi_mask_or(m, in_double(m, HD_OP_not_equal, p, scaled),
                                    in_double(m, HD_OP_logical_xor, p, c));
    hd_array *rest = rest_of_product(m, ma, mb, p);
    return rest == NULL ? NULL
                        : hdi_mask_or(m, differs,
                                      hdi_mask_number(m, HD_OP_not_equal, HD_FLOAT64,
                                                      hdi_in_array(rest), 0));
}

/* Where r is not x * 2**y: going back, nothing is lost. */
static hd_array *is_not_scaled(hdi_masks *m, const look *k)
{
    hd_array *x = operand(m, k, 0), *y = operand(m, k, 1);
    hd_array *back = y != NULL ? hdi_mask_of(m, HD_OP_negative, HD_INT64, hdi_in_array(y)) : NULL;
    return in_double(m, HD_OP_not_equal, in_double(m, HD_OP_ldexp, k->r, back), x);
}

/* Results of a power below the smallest normal number from a base that is not. */
static hd_array *base_is_normal(hdi_masks *m, const look *k)
{
    return hdi_mask_not(m, hdi_mask_small(m, k->cdt, operand(m, k, 0)));
}

/* Where a result that small is not exact; NULL where none can be, with *none. */
static hd_array *is_rounded(hdi_masks *m, const look *k, bool *none)
{
    const hd_number unit = {.kind = HD_WEAK_FLOAT, .re = 1};
    const hdi_in one = hdi_in_number(&unit);
    hd_array *x = operand(m, k, 0);
    switch (k->under) {
    case HDI_UNDER_FINITE:
        return hdi_mask_of(m, HD_OP_isfinite, k->cdt, k->in[0]);
    case HDI_UNDER_BASE:
        return base_is_normal(m, k);
    case HDI_UNDER_PRODUCT:
        return is_no_product(m, x, operand(m, k, 1), k->r);
    case HDI_UNDER_SQUARE:
        return is_no_product(m, x, x, k->r);
    case HDI_UNDER_QUOTIENT:
        return is_no_product(m, k->r, operand(m, k, 1), x);
    case HDI_UNDER_RECIPROCAL:
        return is_no_product(m, k->r, x, hdi_mask_of(m, HD_OP_copy, HD_FLOAT64, one));
    case HDI_UNDER_SCALED:
        return is_not_scaled(m, k);
    case HDI_UNDER_NEIGHBOUR:
        *none = hdi_is_half(k->cdt);   /* NumPy's of float16 says nothing of it */
        return *none ? NULL : hdi_mask_pair(m, HD_OP_not_equal, k->cdt, x, k->r);
    case HDI_UNDER_NONZERO:
        return x != NULL ? hdi_mask_number(m, HD_OP_not_equal, k->cdt, hdi_in_array(x), 0) : NULL;
    default:
        *none = true;
        return NULL;
    }
}

static void look_for_underflow(hdi_masks *m, const look *k, const hd_array *finite)
{
    bool none = hdi_is_complex(k->cdt);
    hd_array *rounded = none ? NULL : is_rounded(m, k, &none);
    if (!none)
        hdi_mask_also(m, &m->under,
                      hdi_mask_and(m, hdi_mask_and(m, hdi_mask_small(m, k->dt, k->r), rounded),
                                   finite));
}

/* ---- all four -------------------------------------------------------------------------------- */

/* inf // 0, inf / 0 and 0 ** -inf are exact. */
static bool pole_is_of_finite(const look *k)
{
    return k->pole == HDI_POLE_BASE || (k->n == 2 && !hdi_is_complex(k->cdt));
}

static void look_for_infinities(hdi_masks *m, const look *k, const hd_array *known,
                                const hd_array *finite)
{
    hd_array *infinite = hdi_mask_of(m, HD_OP_isinf, k->dt, hdi_in_array(k->r));
    hd_array *over = hdi_mask_and(m, infinite, finite);
    if (k->pole != HDI_POLE_NONE) {
        hd_array *pole = at_pole(m, k);
        hd_array *divided = hdi_mask_and(m, hdi_mask_and(m, infinite, known), pole);
        hdi_mask_also(m, &m->divide, pole_is_of_finite(k) ? hdi_mask_and(m, divided, finite)
                                                          : divided);
        over = hdi_mask_and(m, over, hdi_mask_not(m, pole));
    }
    hdi_mask_also(m, &m->over, over);
}

static void look_at_values(hdi_masks *m, const look *k)
{
    /* NumPy's compare it with 0, or take it for no number that has neighbours */
    const bool tells_of_nan = hdi_op_rows[k->op].raises & HDI_RAISES_OF_NAN;
    hd_array *known = hdi_mask_not(m, of_all(m, k, HD_OP_isnan, HD_OP_logical_or));
    /* the direction of nextafter() may be an infinity */
    hd_array *finite = k->under == HDI_UNDER_NEIGHBOUR
                           ? hdi_mask_of(m, HD_OP_isfinite, k->cdt, k->in[0])
                           : of_all(m, k, HD_OP_isfinite, HD_OP_logical_and);
    hd_array *nan = hdi_mask_of(m, HD_OP_isnan, k->dt, hdi_in_array(k->r));
    if (m->wanted & HD_FAULT_INVALID)
        hdi_mask_also(m, &m->invalid, tells_of_nan ? nan : hdi_mask_and(m, nan, known));
    if (m->wanted & (HD_FAULT_DIVIDE | HD_FAULT_OVERFLOW))
        look_for_infinities(m, k, known, finite);
    if (m->wanted & HD_FAULT_UNDERFLOW)
        look_for_underflow(m, k, finite);
    /* a difference of infinities on the way to a complex number */
    if (hdi_is_complex(k->cdt) && (k->under == HDI_UNDER_PRODUCT || k->under == HDI_UNDER_SQUARE))
        hdi_mask_also(m, &m->over, hdi_mask_and(m, nan, finite));
}

/* What the operation itself can raise that is to be read off values. */
static int faults_by_value(hd_op op, hd_dtype cdt, const hd_device *dev)
{
    if (op == HD_OP_copy)
        return 0;
    if (hdi_reports_values(op, cdt))
        return HDI_ALL_FAULTS;
    return dev->tells_faults ? 0 : hdi_loop_faults(op, cdt);
}

/* Does a conversion have faults that the device does not tell? To integers none does. */
static int cast_by_value(hd_dtype from, hd_dtype to, const hd_device *dev)
{
    if (from == HD_NO_DTYPE || to == HD_NO_DTYPE || from == to)
        return 0;
    if (from != HD_BOOL && !hdi_is_int(from) && hdi_is_int(to) && to != HD_BOOL)
        return HD_FAULT_INVALID;
    return dev->tells_faults ? 0 : hdi_cast_faults(from, to);
}

/* Conversions of the inputs to the loop's dtype and of the result to dst's: the faults that there
 * can be; with masks, their masks as well. */
static int look_at_casts(hdi_masks *m, const look *k, hd_dtype dst, const hd_device *dev)
{
    int can = 0, all = 0;
    for (int i = 0; i < k->n; i++) {
        hd_dtype from = k->in[i].x != NULL ? (hd_dtype)k->in[i].x->dtype : HD_NO_DTYPE;
        hd_dtype to = hdi_loop_dtype(k->op, i, k->cdt);
        all |= can = cast_by_value(from, to, dev);
        if (can != 0 && m != NULL)
            hdi_mask_cast(m, from, to, k->in[i].x);
    }
    all |= can = cast_by_value(k->dt, dst, dev);
    if (can != 0 && m != NULL && k->r != NULL)
        hdi_mask_cast(m, k->dt, dst, k->r);
    return all;
}

hd_status hdi_float_faults(hd_op op, hd_dtype cdt, int n, const hdi_in *in, hd_dtype dst)
{
    if (op == HD_OP_copy && in->x == NULL)   /* a number adapts */
        return HD_OK;
    hd_device *dev = hdi_one_device(n, in);
    look k = {.op = op, .cdt = cdt, .dt = hdi_value_dtype(op, cdt), .pole = hdi_pole_of(op, cdt),
              .under = hdi_under_of(op), .n = n, .in = in};
    if (dev == NULL)
        return hd_error_peek()->code;
    const int own = faults_by_value(op, cdt, dev);
    const int can = own | look_at_casts(NULL, &k, dst, dev);
    if ((can & hdi_faults()) == 0)
        return HD_OK;
    const char *name = hdi_fault_name(op, hdi_all_scalars(n, in));
    hdi_masks m;
    hdi_masks_begin(&m, can);
    k.r = hdi_mask_keep(&m, hdi_ew_plain(op, cdt, n, in));
    look_at_casts(&m, &k, dst, dev);
    const int wanted = m.wanted;
    m.wanted &= own;
    if (k.r != NULL && m.wanted != 0)
        look_at_values(&m, &k);
    m.wanted = wanted;
    return hdi_masks_end(&m, name, dev);
}
