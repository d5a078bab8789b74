/* SPDX-License-Identifier: BSD-3-Clause */
/* apply_values.c - expressions of lowered IR as operations of arrays. What an operation of arrays
 * does otherwise than C is composed: integers are divided towards 0, shifts have an amount of a
 * type of their own. */
#include "exec/apply.h"

enum { MOST_STEPS = 96 };   /* a kernel of more is faster compiled as it stands */

void hdi_apply_refuse(hdi_apply *a, int32_t node, const char *what)
{
    if (a->status == HD_OK)
        a->status = hdi_fail(HD_UNSUPPORTED, "%s: line %d: %s is no operation on arrays", a->name,
                             a->l->node[node].line, what);
}

static hdi_value nothing(int type) { return (hdi_value){.type = (uint8_t)type}; }

hd_dtype hdi_apply_dtype(int type)
{
    static const hd_dtype of[HDI_LIR_TYPES] = {
        [HDI_LIR_BOOL] = HD_BOOL,  [HDI_LIR_I8] = HD_INT8,     [HDI_LIR_U8] = HD_UINT8,
        [HDI_LIR_I16] = HD_INT16,  [HDI_LIR_U16] = HD_UINT16,  [HDI_LIR_I32] = HD_INT32,
        [HDI_LIR_U32] = HD_UINT32, [HDI_LIR_I64] = HD_INT64,   [HDI_LIR_U64] = HD_UINT64,
        [HDI_LIR_F32] = HD_FLOAT32, [HDI_LIR_F64] = HD_FLOAT64};
    return of[type];
}

hd_number hdi_apply_number(const hdi_value *v)
{
    const bool wide = v->type == HDI_LIR_U64 && v->bits < 0;
    hd_number n = {.kind = HD_WEAK_INT, .range = wide, .as.i = v->bits, .re = (double)v->bits};
    switch (hdi_lir_types[v->type].kind) {
    case 'b':
        n.kind = HD_WEAK_BOOL;
        break;
    case 'f':
        n.kind = HD_WEAK_FLOAT;
        n.re = hdi_lir_real_of((hdi_lir_type)v->type, v->bits);
        break;
    default:
        if (wide)
            n.re = (double)(uint64_t)v->bits;
    }
    return n;
}

/* ---- operations ------------------------------------------------------------------------------ */

/* One operation whose loop runs in the dtype of `loop`; takes the operands. What is not defined
 * counts as 0. */
static hdi_value record(hdi_apply *a, hd_op op, int loop, int type, int n, hdi_value *v)
{
    hd_number number[HDI_MAX_IN];
    hdi_in in[HDI_MAX_IN];
    hdi_value r = nothing(type);
    for (int k = 0; k < n; k++) {
        number[k] = hdi_apply_number(&v[k]);
        in[k] = v[k].x != NULL ? hdi_in_array(v[k].x) : hdi_in_number(&number[k]);
    }
    if (a->status == HD_OK && a->steps++ >= MOST_STEPS)
        a->status = hdi_fail(HD_UNSUPPORTED, "%s: more than %d operations on arrays", a->name,
                             MOST_STEPS);
    if (a->status == HD_OK) {
        r.x = hdi_ew_plain(op, hdi_apply_dtype(loop), n, in);
        if (r.x == NULL)
            a->status = hd_error_peek()->code;
    }
    for (int k = 0; k < n; k++)
        hdi_apply_drop(&v[k]);
    return r;
}

static hdi_value unary(hdi_apply *a, hd_op op, int type, hdi_value x)
{
    return record(a, op, x.type, type, 1, &x);
}

static hdi_value binary(hdi_apply *a, hd_op op, int type, hdi_value x, hdi_value y)
{
    return record(a, op, x.type, type, 2, (hdi_value[]){x, y});
}

static hdi_value convert(hdi_apply *a, hdi_lir_type type, hdi_value x)
{
    if (x.type == type || (x.x == NULL && !x.known)) {
        x.type = (uint8_t)type;
        return x;
    }
    if (x.known)
        return hdi_apply_known(type, hdi_lir_fold_convert(x.type, type, x.bits));
    return record(a, HD_OP_copy, (int)type, (int)type, 1, &x);
}

hdi_value hdi_apply_logical(hdi_apply *a, hd_op op, const hdi_value *x, const hdi_value *y)
{
    const bool decides = op == HD_OP_logical_or;   /* what one operand alone decides by */
    if (hdi_apply_is(x, decides) || hdi_apply_is(y, !decides))
        return hdi_apply_hold(*x);
    if (hdi_apply_is(y, decides) || hdi_apply_is(x, !decides))
        return hdi_apply_hold(*y);
    return binary(a, op, HDI_LIR_BOOL, hdi_apply_hold(*x), hdi_apply_hold(*y));
}

hdi_value hdi_apply_not(hdi_apply *a, const hdi_value *x)
{
    if (x->known)
        return hdi_apply_known(HDI_LIR_BOOL, x->bits == 0);
    return unary(a, HD_OP_logical_not, HDI_LIR_BOOL, hdi_apply_hold(*x));
}

static bool is_same(const hdi_value *x, const hdi_value *y)
{
    return x->x == y->x && x->known == y->known && x->bits == y->bits;
}

hdi_value hdi_apply_select(hdi_apply *a, const hdi_value *mask, const hdi_value *x,
                           const hdi_value *y)
{
    if (hdi_apply_is(mask, true) || is_same(x, y) || (y->x == NULL && !y->known))
        return hdi_apply_hold(*x);
    if (hdi_apply_is(mask, false) || (x->x == NULL && !x->known))
        return hdi_apply_hold(*y);
    return record(a, HD_OP_where, x->type, x->type, 3,
                  (hdi_value[]){hdi_apply_hold(*mask), hdi_apply_hold(*x), hdi_apply_hold(*y)});
}

/* ---- what C does otherwise ------------------------------------------------------------------- */

/* Towards 0: what is left over is taken away first. */
static hdi_value quotient(hdi_apply *a, int type, hdi_value x, hdi_value y)
{
    if (hdi_lir_types[type].kind == 'f')
        return binary(a, HD_OP_divide, type, x, y);
    if (hdi_lir_types[type].kind == 'u')
        return binary(a, HD_OP_floor_divide, type, x, y);
    hdi_value over = binary(a, HD_OP_fmod, type, hdi_apply_hold(x), hdi_apply_hold(y));
    return binary(a, HD_OP_floor_divide, type, binary(a, HD_OP_subtract, type, x, over), y);
}

/* The amount is a u32; from the width on all amounts are alike. */
static hdi_value shifted(hdi_apply *a, hd_op op, hdi_lir_type type, hdi_value x,
                         hdi_value by)
{
    const int64_t width = 8 * hdi_lir_types[type].bytes;
    if (by.known)
        by.bits = by.bits > width ? width : by.bits;
    else
        by = binary(a, HD_OP_minimum, HDI_LIR_U32, by, hdi_apply_known(HDI_LIR_U32, width));
    return binary(a, op, (int)type, x, convert(a, type, by));
}

static hdi_value reciprocal_root(hdi_apply *a, int type, hdi_value x)
{
    return unary(a, HD_OP_reciprocal, type, unary(a, HD_OP_sqrt, type, x));
}

/* ---- tables ---------------------------------------------------------------------------------- */

enum { NONE = HD_OP_COUNT };

static hd_op function_of(int64_t math)
{
    switch ((hdi_lir_math)math) {
    case HDI_LIR_M_SIN: return HD_OP_sin;
    case HDI_LIR_M_COS: return HD_OP_cos;
    case HDI_LIR_M_TAN: return HD_OP_tan;
    case HDI_LIR_M_ASIN: return HD_OP_arcsin;
    case HDI_LIR_M_ACOS: return HD_OP_arccos;
    case HDI_LIR_M_ATAN: return HD_OP_arctan;
    case HDI_LIR_M_ATAN2: return HD_OP_arctan2;
    case HDI_LIR_M_SINH: return HD_OP_sinh;
    case HDI_LIR_M_COSH: return HD_OP_cosh;
    case HDI_LIR_M_TANH: return HD_OP_tanh;
    case HDI_LIR_M_ASINH: return HD_OP_arcsinh;
    case HDI_LIR_M_ACOSH: return HD_OP_arccosh;
    case HDI_LIR_M_ATANH: return HD_OP_arctanh;
    case HDI_LIR_M_EXP: return HD_OP_exp;
    case HDI_LIR_M_EXP2: return HD_OP_exp2;
    case HDI_LIR_M_EXPM1: return HD_OP_expm1;
    case HDI_LIR_M_LOG: return HD_OP_log;
    case HDI_LIR_M_LOG2: return HD_OP_log2;
    case HDI_LIR_M_LOG10: return HD_OP_log10;
    case HDI_LIR_M_LOG1P: return HD_OP_log1p;
    case HDI_LIR_M_POW: return HD_OP_power;
    case HDI_LIR_M_SQRT: return HD_OP_sqrt;
    case HDI_LIR_M_CBRT: return HD_OP_cbrt;
    case HDI_LIR_M_HYPOT: return HD_OP_hypot;
    case HDI_LIR_M_ERF: return HD_OP_erf;
    case HDI_LIR_M_ERFC: return HD_OP_erfc;
    case HDI_LIR_M_TGAMMA: return HD_OP_gamma;
    case HDI_LIR_M_LGAMMA: return HD_OP_gammaln;
    case HDI_LIR_M_FLOOR: return HD_OP_floor;
    case HDI_LIR_M_CEIL: return HD_OP_ceil;
    case HDI_LIR_M_TRUNC: return HD_OP_trunc;
    case HDI_LIR_M_RINT: return HD_OP_rint;
    case HDI_LIR_M_FABS: return HD_OP_absolute;
    case HDI_LIR_M_COPYSIGN: return HD_OP_copysign;
    case HDI_LIR_M_FMOD: return HD_OP_fmod;
    case HDI_LIR_M_NEXTAFTER: return HD_OP_nextafter;
    case HDI_LIR_M_MIN: return HD_OP_fmin;
    case HDI_LIR_M_MAX: return HD_OP_fmax;
    default: return (hd_op)NONE;
    }
}

/* Operations whose operands and result have the meaning of C's. */
static hd_op operation_of(hdi_lir_op op)
{
    switch (op) {
    case HDI_LIR_NEG: return HD_OP_negative;
    case HDI_LIR_NOT: return HD_OP_invert;
    case HDI_LIR_ADD: return HD_OP_add;
    case HDI_LIR_SUB: return HD_OP_subtract;
    case HDI_LIR_MUL: return HD_OP_multiply;
    case HDI_LIR_REM: return HD_OP_fmod;
    case HDI_LIR_AND: return HD_OP_bitwise_and;
    case HDI_LIR_OR: return HD_OP_bitwise_or;
    case HDI_LIR_XOR: return HD_OP_bitwise_xor;
    case HDI_LIR_LT: return HD_OP_less;
    case HDI_LIR_LE: return HD_OP_less_equal;
    case HDI_LIR_EQ: return HD_OP_equal;
    case HDI_LIR_NE: return HD_OP_not_equal;
    default: return (hd_op)NONE;
    }
}

/* ---- expressions ----------------------------------------------------------------------------- */

static hdi_value math(hdi_apply *a, int32_t node)
{
    const hdi_lir_node *n = &a->l->node[node];
    const hd_op op = function_of(n->k);
    if (n->k == HDI_LIR_M_RSQRT)
        return reciprocal_root(a, n->type, hdi_apply_eval(a, n->arg[0]));
    if (op == (hd_op)NONE) {
        hdi_apply_refuse(a, node, hdi_lir_maths[n->k].text);
        return nothing(n->type);
    }
    if (hdi_lir_maths[n->k].narg == 1)
        return unary(a, op, n->type, hdi_apply_eval(a, n->arg[0]));
    hdi_value x = hdi_apply_eval(a, n->arg[0]);
    return binary(a, op, n->type, x, hdi_apply_eval(a, n->arg[1]));
}

static hdi_value two(hdi_apply *a, const hdi_lir_node *n)
{
    hdi_value x = hdi_apply_eval(a, n->arg[0]), y = hdi_apply_eval(a, n->arg[1]);
    int64_t bits;
    if (x.known && y.known && hdi_lir_fold2(n->op, x.type, x.bits, y.bits, &bits))
        return hdi_apply_known(n->type, bits);
    switch (n->op) {
    case HDI_LIR_DIV: return quotient(a, n->type, x, y);
    case HDI_LIR_SHL: return shifted(a, HD_OP_left_shift, n->type, x, y);
    case HDI_LIR_SHR: return shifted(a, HD_OP_right_shift, n->type, x, y);
    default: return binary(a, operation_of(n->op), n->type, x, y);
    }
}

static hdi_value one(hdi_apply *a, const hdi_lir_node *n)
{
    hdi_value x = hdi_apply_eval(a, n->arg[0]);
    int64_t bits;
    if (x.known && hdi_lir_fold1(n->op, x.type, x.bits, &bits))
        return hdi_apply_known(n->type, bits);
    return unary(a, operation_of(n->op), n->type, x);
}

/* Both operands are evaluated, as neither has an effect, unless the first is known. */
static hdi_value logical(hdi_apply *a, const hdi_lir_node *n)
{
    const bool either = n->op == HDI_LIR_EITHER;
    hdi_value x = hdi_apply_eval(a, n->arg[0]);
    if (hdi_apply_is(&x, either))
        return x;
    hdi_value y = hdi_apply_eval(a, n->arg[1]);
    hdi_value r = hdi_apply_logical(a, either ? HD_OP_logical_or : HD_OP_logical_and, &x, &y);
    hdi_apply_drop(&x);
    hdi_apply_drop(&y);
    return r;
}

static hdi_value choice(hdi_apply *a, const hdi_lir_node *n)
{
    hdi_value c = hdi_apply_eval(a, n->arg[0]);
    if (c.known)
        return hdi_apply_eval(a, n->arg[c.bits ? 1 : 2]);
    hdi_value x = hdi_apply_eval(a, n->arg[1]), y = hdi_apply_eval(a, n->arg[2]);
    hdi_value r = hdi_apply_select(a, &c, &x, &y);
    hdi_apply_drop(&c);
    hdi_apply_drop(&x);
    hdi_apply_drop(&y);
    return r;
}

/* Of a result's parameter only, which points to the element. */
static hdi_value load(hdi_apply *a, int32_t node)
{
    const hdi_lir_node *n = &a->l->node[node], *from = &a->l->node[n->arg[0]];
    if (from->op != HDI_LIR_GET || a->l->var[from->k].param < 0) {
        hdi_apply_refuse(a, node, "reading at an address");
        return nothing(n->type);
    }
    hdi_value v = hdi_apply_hold(a->var[from->k]);
    if (v.type != n->type && (v.x != NULL || v.known)) {
        hdi_apply_refuse(a, node, "reading as another type");
        hdi_apply_drop(&v);
    }
    v.type = n->type;
    return v;
}

hdi_value hdi_apply_eval(hdi_apply *a, int32_t node)
{
    const hdi_lir_node *n = &a->l->node[node];
    if (a->status != HD_OK)
        return nothing(n->type);
    switch (hdi_lir_ops[n->op].rule) {
    case HDI_LIR_R_CONSTANT: return hdi_apply_known(n->type, n->k);
    case HDI_LIR_R_SAME1: case HDI_LIR_R_WHOLE1: return one(a, n);
    case HDI_LIR_R_SAME2: case HDI_LIR_R_WHOLE2: case HDI_LIR_R_SHIFT: return two(a, n);
    case HDI_LIR_R_COMPARE: return two(a, n);
    case HDI_LIR_R_TRUTH2: return logical(a, n);
    case HDI_LIR_R_CHOICE: return choice(a, n);
    case HDI_LIR_R_CAST: return convert(a, n->type, hdi_apply_eval(a, n->arg[0]));
    case HDI_LIR_R_MATH: return math(a, node);
    case HDI_LIR_R_READ: return load(a, node);
    case HDI_LIR_R_VARIABLE:
        if (n->type != HDI_LIR_POINTER)
            return hdi_apply_hold(a->var[n->k]);
        /* fallthrough */
    default:
        hdi_apply_refuse(a, node, hdi_lir_ops[n->op].text);
        return nothing(n->type);
    }
}
