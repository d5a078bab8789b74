/* SPDX-License-Identifier: BSD-3-Clause */
/* float_faults.c - faults of the operations whose loops raise flags of their own: they compute
 * more than they choose from in the end, or treat odd cases apart. What happened is read off
 * inputs and results instead: nan from no nan is invalid, inf from finite numbers an overflow or,
 * at a pole, a division by zero. Runs only while somebody watches. */
#include <heddle/faults.h>

#include "ops/ops.h"

/* Intermediate masks, released together. */
typedef struct masks { int n; hd_array *all[48]; } masks;

static hd_array *keep(masks *m, hd_array *x)
{
    if (x != NULL)
        m->all[m->n++] = x;
    return x;
}

static hd_array *unary(masks *m, hd_op op, hd_dtype cdt, hdi_in x)
{
    return keep(m, hdi_ew(op, cdt, 1, &x));
}

/* Operation op on two masks, or on values in dtype cdt; NULL operands pass through. */
static hd_array *both(masks *m, hd_op op, hd_array *x, hd_array *y)
{
    if (x == NULL || y == NULL)
        return NULL;
    hdi_in in[2] = {hdi_in_array(x), hdi_in_array(y)};
    return keep(m, hdi_ew(op, HD_BOOL, 2, in));
}

static hd_array *not(masks *m, hd_array *x)
{
    return x != NULL ? unary(m, HD_OP_logical_not, HD_BOOL, hdi_in_array(x)) : NULL;
}

static hd_array *compared(masks *m, hd_op op, hd_dtype cdt, hdi_in x, double value)
{
    hd_number n = {.kind = HD_WEAK_FLOAT, .re = value};
    hdi_in in[2] = {x, hdi_in_number(&n)};
    return keep(m, hdi_ew(op, cdt, 2, in));
}

/* op of the first input and of the second, if there is one. */
static hd_array *of_all(masks *m, hd_op op, hd_op joined_by, hd_dtype cdt, int n, const hdi_in *in)
{
    hd_array *x = unary(m, op, cdt, in[0]);
    return n < 2 ? x : both(m, joined_by, x, unary(m, op, cdt, in[1]));
}

/* Is any element of a mask that stays with its masks true? -1 on failure. */
static int any_of(hd_array *mask)
{
    if (mask == NULL)
        return -1;
    mask->rc++;
    return hdi_any_true(mask);
}

static void release_all(masks *m)
{
    for (int k = 0; k < m->n; k++)
        hdi_array_release(m->all[k]);
}

static bool is_power(hd_op op)
{
    return op == HD_OP_power || op == HD_OP_float_power;
}

/* Functions over whole vectors. Which flags these raise differs from one instruction set to the
 * next. */
static bool is_function(hd_op op)
{
    switch (op) {
    case HD_OP_exp: case HD_OP_exp2: case HD_OP_expm1:
    case HD_OP_log: case HD_OP_log2: case HD_OP_log10: case HD_OP_log1p: case HD_OP_cbrt:
    case HD_OP_sin: case HD_OP_cos: case HD_OP_tan:
    case HD_OP_arcsin: case HD_OP_arccos: case HD_OP_arctan: case HD_OP_arctan2:
    case HD_OP_sinh: case HD_OP_cosh: case HD_OP_tanh:
    case HD_OP_arcsinh: case HD_OP_arccosh: case HD_OP_arctanh: case HD_OP_hypot:
    case HD_OP_logaddexp: case HD_OP_logaddexp2:
        return true;
    default:
        return false;
    }
}

static bool has_pole(hd_op op, hd_dtype cdt)
{
    switch (op) {
    case HD_OP_arctan:
        return hdi_dtypes[cdt].kind == 'c';
    case HD_OP_log: case HD_OP_log2: case HD_OP_log10: case HD_OP_log1p: case HD_OP_arctanh:
        return true;
    default:
        return !is_function(op) && op != HD_OP_remainder && op != HD_OP_fmod;
    }
}

/* NumPy's compare it with 0. */
static bool tells_of_nan(hd_op op)
{
    return op == HD_OP_logaddexp || op == HD_OP_logaddexp2;
}

/* x is n or -n */
static hd_array *is_either(masks *m, hd_dtype cdt, hdi_in x, hd_number n)
{
    hd_number minus = {.kind = n.kind, .re = -n.re, .im = -n.im};
    hdi_in in[2] = {x, hdi_in_number(&n)}, other[2] = {x, hdi_in_number(&minus)};
    hd_array *plus = keep(m, hdi_ew(HD_OP_equal, cdt, 2, in));
    return both(m, HD_OP_logical_or, plus, keep(m, hdi_ew(HD_OP_equal, cdt, 2, other)));
}

/* Where that is: at a base, a divisor or an argument of 0; of log1p at -1, of arctanh at 1 and
 * -1, of arctan at i and -i. */
static hd_array *at_pole(masks *m, hd_op op, hd_dtype cdt, int n, const hdi_in *in)
{
    hdi_in x = is_power(op) ? in[0] : in[n - 1];
    if (op == HD_OP_log1p)
        return compared(m, HD_OP_equal, cdt, x, -1.0);
    if (op == HD_OP_arctanh)
        return is_either(m, cdt, x, (hd_number){.kind = HD_WEAK_FLOAT, .re = 1});
    if (op == HD_OP_arctan)
        return is_either(m, cdt, x, (hd_number){.kind = HD_WEAK_COMPLEX, .im = 1});
    return compared(m, HD_OP_equal, cdt, x, 0.0);
}

/* Results below the smallest normal number although no input is, or only the second one. */
static hd_array *vanished(masks *m, hd_op op, hd_dtype cdt, const hdi_in *in, hdi_in r,
                          hd_array *finite)
{
    double tiny = cdt == HD_FLOAT64 ? 0x1p-1022 : cdt == HD_FLOAT16 ? 0x1p-14 : 0x1p-126;
    hd_array *size = unary(m, HD_OP_absolute, cdt, r);
    hd_array *small = size != NULL
                          ? compared(m, HD_OP_less, cdt, hdi_in_array(size), tiny)
                          : NULL;
    small = both(m, HD_OP_logical_and, small, finite);
    if (op == HD_OP_exp)
        return small;
    hd_array *base = unary(m, HD_OP_absolute, cdt, in[0]);
    hd_array *normal = base != NULL
                           ? compared(m, HD_OP_greater_equal, cdt, hdi_in_array(base), tiny)
                           : NULL;
    return both(m, HD_OP_logical_and, small, normal);
}

/* The masks of each fault, or NULL where it cannot happen; false: out of memory. */
static bool find_masks(masks *m, hd_op op, hd_dtype cdt, int n, const hdi_in *in, hdi_in r,
                       hd_array *found[4])
{
    bool real = hdi_dtypes[cdt].kind == 'f';
    hd_array *known = not(m, of_all(m, HD_OP_isnan, HD_OP_logical_or, cdt, n, in));
    hd_array *finite = of_all(m, HD_OP_isfinite, HD_OP_logical_and, cdt, n, in);
    hd_array *infinite = unary(m, HD_OP_isinf, cdt, r), *pole = NULL, *over;
    hd_array *nan = unary(m, HD_OP_isnan, cdt, r);
    found[3] = tells_of_nan(op) ? nan : both(m, HD_OP_logical_and, nan, known);
    over = both(m, HD_OP_logical_and, infinite, finite);
    if (has_pole(op, cdt)) {
        pole = at_pole(m, op, cdt, n, in);
        found[0] = both(m, HD_OP_logical_and, both(m, HD_OP_logical_and, infinite, known), pole);
        /* inf // 0 and 0 ** -inf are exact */
        if (op == HD_OP_floor_divide || is_power(op))
            found[0] = both(m, HD_OP_logical_and, found[0], finite);
        over = both(m, HD_OP_logical_and, over, not(m, pole));
    }
    found[1] = over;
    bool under = real && (op == HD_OP_exp || is_power(op));
    found[2] = under ? vanished(m, op, cdt, in, r, finite) : NULL;
    return found[3] != NULL && over != NULL && (!has_pole(op, cdt) || found[0] != NULL) &&
           (!under || found[2] != NULL);
}

static hd_status check_result(hd_op op, hd_dtype cdt, int n, const hdi_in *in, bool scalar)
{
    static const int bits[4] = {HD_FAULT_DIVIDE, HD_FAULT_OVERFLOW, HD_FAULT_UNDERFLOW,
                                HD_FAULT_INVALID};
    masks m = {0};
    hd_array *found[4] = {NULL}, *r = hdi_ew_plain(op, cdt, n, in);
    int faults = 0;
    bool ok = r != NULL && find_masks(&m, op, cdt, n, in, hdi_in_array(r), found);
    for (int k = 0; k < 4 && ok; k++) {
        if (found[k] == NULL)
            continue;
        int any = any_of(found[k]);
        faults |= any > 0 ? bits[k] : 0;
        ok = any >= 0;
    }
    release_all(&m);
    if (r != NULL)
        hdi_array_release(r);
    if (!ok)
        return hd_error_peek()->code;
    hdi_fault_note(faults, hdi_fault_name(op, scalar));
    return HD_OK;
}

/* Reals that an integer dtype does not hold. Like NumPy's, conversions go through int32 or int64,
 * so that of narrow integers only the bits count. */
static hd_status check_cast(hd_dtype from, hd_dtype to, const hdi_in *in)
{
    masks m = {0};
    bool wide = hdi_itemsize(to) == 8 || to == HD_UINT32;
    hd_dtype cdt = hd_dtype_real(from);
    double end = to == HD_UINT64 ? 0x1p64 : wide ? 0x1p63 : 0x1p31;
    hd_array *x = unary(&m, HD_OP_copy, cdt, *in), *below = NULL, *above = NULL;
    if (x != NULL) {
        hdi_in value = hdi_in_array(x);
        below = compared(&m, HD_OP_less, cdt, value, end);
        above = wide ? compared(&m, HD_OP_greater_equal, cdt, value, -0x1p63)
                     : compared(&m, HD_OP_greater, cdt, value, -0x1p31 - 1.0);
    }
    int any = any_of(not(&m, both(&m, HD_OP_logical_and, below, above)));
    release_all(&m);
    if (any < 0)
        return hd_error_peek()->code;
    hdi_fault_note(any ? HD_FAULT_INVALID : 0, "cast");
    return HD_OK;
}

bool hdi_reports_values(hd_op op, hd_dtype cdt)
{
    bool complex = hdi_dtypes[cdt].kind == 'c';
    switch (op) {
    case HD_OP_power: case HD_OP_float_power:
        return true;
    case HD_OP_divide: case HD_OP_reciprocal: case HD_OP_sqrt:
        return complex;
    case HD_OP_remainder: case HD_OP_fmod: case HD_OP_floor_divide:
        return !complex;
    default:
        return is_function(op);
    }
}

hd_status hdi_float_faults(hd_op op, hd_dtype cdt, int n, const hdi_in *in)
{
    if (op == HD_OP_copy) {
        hd_dtype from = in->x != NULL ? (hd_dtype)in->x->dtype : HD_BOOL;
        bool to_integer = hdi_is_int(cdt) && from != HD_BOOL && !hdi_is_int(from);
        return to_integer ? check_cast(from, cdt, in) : HD_OK;
    }
    if (!hdi_reports_values(op, cdt))
        return HD_OK;
    bool by_name = hdi_watching.by_name, scalar = hdi_all_scalars(n, in);
    hd_status status = check_result(op, cdt, n, in, scalar);
    hdi_watching.by_name = by_name;
    return status;
}
