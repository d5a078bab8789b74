/* SPDX-License-Identifier: BSD-3-Clause */
/* ew.c - the public entries of elementwise operations. */
#include "ops/elementwise/ew.h"

#include "base/lock.h"
#include "ops/record_ew.h"

#include <math.h>
#include <string.h>

/* Is there such an operation, with so many inputs? */
static inline bool takes(hd_op op, int nin)
{
    if (HDI_LIKELY((unsigned)op < HD_OP_sum && hdi_op_rows[op].info.nin == nin))
        return true;
    hdi_fail(HD_VALUE, "operation %d does not take %d inputs", (int)op, nin);
    return false;
}

hd_array *hd_unary(hd_op op, const hd_array *x)
{
    if (HDI_UNLIKELY(x == NULL))
        return hdi_null("an array");
    if (!takes(op, 1))
        return NULL;
    hdi_lock();
    hdi_in in = hdi_in_array(x);
    return hdi_done(hdi_ew_checked(op, 1, &in), hdi_op_rows[op].info.name);
}

static hd_array *binary_checked(hd_op op, hdi_in a, hdi_in b)
{
    hdi_in in[2] = {a, b};
    return hdi_ew_checked(op, 2, in);
}

/* ---- known values ---------------------------------------------------------------------------- */

/* The number, or the float64 of rank 0 that the host knows. */
static inline bool real_of(const hdi_in *in, double *value)
{
    if (in->x == NULL) {
        *value = in->n->re;
        return in->n->kind == HD_WEAK_FLOAT ||   /* every double, or an int that is one */
               (in->n->kind == HD_WEAK_INT && fabs(in->n->re) < 0x1p53);
    }
    const hdi_buf *b = in->x->st->buf;
    if (in->x->dtype != HD_FLOAT64 || !hdi_may_know_value(b) || !hdi_knows_value(in->x))
        return false;
    memcpy(value, b->host + in->x->off, sizeof *value);
    return true;
}

static bool compare(hd_op op, double a, double b)
{
    switch (op) {
    case HD_OP_less: return a < b;
    case HD_OP_less_equal: return a <= b;
    case HD_OP_greater: return a > b;
    case HD_OP_greater_equal: return a >= b;
    case HD_OP_equal: return a == b;
    default: return a != b;
    }
}

static double calculate(hd_op op, double a, double b)
{
    switch (op) {
    case HD_OP_add: return a + b;
    case HD_OP_subtract: return a - b;
    case HD_OP_multiply: return a * b;
    default: return a / b;
    }
}

/* Arithmetic and comparisons of known values of rank 0, by C's operators, which have the bits of
 * the loops; x: one of the two. False: it is something else. NULL in *out: no memory. */
static bool of_values(hd_op op, const hdi_in *in, const hd_array *x, hd_array **out)
{
    double a, b;
    const bool arithmetic = hdi_is_arithmetic(op);
    hd_device *dev = x->st->buf->dev;
    hdi_window *w = hdi_window_of(dev);
    const bool here = (dev->host_memory || dev->mirror_most > 0) &&
                      hdi_device_of_inputs(2, in) == dev;
    if ((!arithmetic && !hdi_is_comparison(op)) || !here || w->small < 1 || hdi_watched.any ||
        !real_of(&in[0], &a) || !real_of(&in[1], &b))
        return false;
    if ((*out = hdi_new(dev, 0, NULL, arithmetic ? HD_FLOAT64 : HD_BOOL)) == NULL)
        return true;
    hdi_buf *made = (*out)->st->buf;
    hdi_buf_take_host(made);   /* its own: nothing that could fail */
    if (arithmetic)
        memcpy(made->host, &(double){calculate(op, a, b)}, sizeof a);
    else
        *made->host = compare(op, a, b);
    (*out)->flags |= HDI_A_SCALAR | HDI_A_READONLY;
    w->stats.small++;
    return true;
}

/* Rows whose loop follows from the dtypes alone, and the loop is known: most, and most of the
 * time. */
static inline __attribute__((always_inline)) hd_array *binary(hd_op op, hdi_in a, hdi_in b)
{
    hdi_in in[2] = {a, b};
    hd_dtype cdt = HD_NO_DTYPE;
    if (HDI_LIKELY(hdi_op_rows[op].rule == HDI_RULE_SAME && op != HD_OP_power &&
                   hdi_faults() == 0))
        cdt = hdi_known_loop(op, in);
    const hd_array *x = a.x != NULL ? a.x : b.x;
    hd_array *value;
    if (HDI_UNLIKELY(x->lay->nd == 0) && of_values(op, in, x, &value))
        return value;
    return HDI_LIKELY(cdt != HD_NO_DTYPE) ? hdi_record_ew(op, cdt, 2, in)
                                          : binary_checked(op, a, b);
}

hd_array *hd_binary(hd_op op, const hd_array *x, const hd_array *y)
{
    if (HDI_UNLIKELY(x == NULL || y == NULL))
        return hdi_null("an array");
    if (!takes(op, 2))
        return NULL;
    hdi_lock();
    hd_array *r;
    if (HDI_LIKELY(!hdi_is_weak(x) && !hdi_is_weak(y)))
        r = binary(op, (hdi_in){x, NULL}, (hdi_in){y, NULL});
    else
        r = binary_checked(op, hdi_in_array(x), hdi_in_array(y));
    return hdi_done(r, hdi_op_rows[op].info.name);
}

hd_array *hd_binary_number(hd_op op, const hd_array *x, const hd_number *n, int number_first)
{
    if (HDI_UNLIKELY(x == NULL || n == NULL))
        return hdi_null(x == NULL ? "an array" : "a number");
    if (!takes(op, 2))
        return NULL;
    hdi_lock();
    hdi_in number = hdi_in_number(n);
    hd_array *r;
    if (HDI_UNLIKELY(hdi_is_weak(x)))
        r = number_first ? binary_checked(op, number, hdi_in_array(x))
                         : binary_checked(op, hdi_in_array(x), number);
    else if (HDI_UNLIKELY(op == HD_OP_power && !number_first))
        r = hdi_power_number(x, n);
    else if (number_first)
        r = binary(op, number, (hdi_in){x, NULL});
    else
        r = binary(op, (hdi_in){x, NULL}, number);
    return hdi_done(r, hdi_op_rows[op].info.name);
}

static hd_status inplace(hd_op op, hd_array *x, hdi_in other)
{
    if (hdi_is_weak(x))
        return hdi_fail(HD_READONLY, "output array is read-only");
    hdi_in in[2] = {hdi_in_array(x), other};
    hd_dtype cdt = hdi_row_loop(op, 2, in);
    if (cdt == HD_NO_DTYPE)
        return HD_DTYPE;
    if (op == HD_OP_power && hdi_is_int(cdt)) {
        hd_status status = hdi_check_exponent(&other);
        if (status != HD_OK)
            return status;
    }
    if (op == HD_OP_power && other.n != NULL && !hdi_is_int(cdt)) {
        hd_array *r = hdi_power_number(x, other.n);
        if (r == NULL)
            return hd_error_peek()->code;
        hdi_in copy = hdi_in_array(r);
        hd_status status =
            hdi_store_checked(x, HD_OP_copy, (hd_dtype)r->dtype, 1, &copy, HD_CAST_SAME_KIND);
        hdi_array_release(r);
        return status;
    }
    return hdi_store_checked(x, op, cdt, 2, in, HD_CAST_SAME_KIND);
}

hd_status hd_inplace(hd_op op, hd_array *x, const hd_array *y)
{
    if (x == NULL || y == NULL)
        return hdi_fail_null("an array");
    if (!takes(op, 2))
        return hd_error_peek()->code;
    hdi_lock();
    return hdi_done_status(inplace(op, x, hdi_in_array(y)), hd_device_of_locked(x),
                           hdi_op_rows[op].info.name);
}

hd_status hd_inplace_number(hd_op op, hd_array *x, const hd_number *n)
{
    if (x == NULL || n == NULL)
        return hdi_fail_null(x == NULL ? "an array" : "a number");
    if (!takes(op, 2))
        return hd_error_peek()->code;
    hdi_lock();
    return hdi_done_status(inplace(op, x, hdi_in_number(n)), hd_device_of_locked(x),
                           hdi_op_rows[op].info.name);
}

/* The choice is made in out's dtype: what is left there would not always survive another one. */
static hd_status store_where(hd_op op, hd_array *out, const hd_array *where, const hd_array *value)
{
    hd_dtype dt = (hd_dtype)out->dtype;
    hd_array *cast = hdi_cast(value, dt);
    if (cast == NULL)
        return hd_error_peek()->code;
    hdi_in pick[3] = {hdi_in_array(where), hdi_in_array(cast), hdi_in_array(out)};
    /* copyto leaves the rest alone, which tells where elements come twice; NumPy's loops do not */
    bool chosen = op == HD_OP_copy && hdi_stores_in_places(out) && !(out->flags & HDI_A_READONLY);
    hd_status status = chosen ? hdi_store_chosen(out, where, cast)
                              : hdi_store_checked(out, HD_OP_where, dt, 3, pick, HD_CAST_UNSAFE);
    hdi_array_release(cast);
    return status;
}

/* value (taken) where `where` is true, else what out had; without out a fresh array that is
 * undefined elsewhere. */
static hd_array *masked(hd_op op, hd_array *value, const hd_apply_options *o)
{
    if (value == NULL)
        return NULL;
    hd_array *out = o->out;
    hdi_in both[2] = {hdi_in_array(value), hdi_in_array(o->where)};
    hdi_shapes s;
    hd_status status = HD_OK;
    if (o->where->dtype != HD_BOOL)
        status = hdi_fail(
            HD_CAST,
            "Cannot cast array data from dtype('%s') to dtype('bool') according to the rule 'safe'",
            hd_dtype_name((hd_dtype)o->where->dtype));
    if (out == NULL && status == HD_OK && hdi_broadcast(2, both, value->lay->item, &s))
        out = hdi_array_new(hdi_common_device(2, both), (hd_dtype)value->dtype, s.out);
    else if (out != NULL)
        out->rc++;
    if (out != NULL && status == HD_OK) {
        if (!hd_can_cast((hd_dtype)value->dtype, (hd_dtype)out->dtype, o->casting))
            status = hdi_fail(HD_CAST,
                              "Cannot cast ufunc '%s' output from dtype('%s') to dtype('%s') with "
                              "casting rule '%s'",
                              hdi_op_rows[op].info.name, hd_dtype_name((hd_dtype)value->dtype),
                              hd_dtype_name((hd_dtype)out->dtype), hd_casting_name(o->casting));
        else
            status = store_where(op, out, o->where, value);
    }
    hdi_array_release(value);
    if (status == HD_OK)
        return out;
    if (out != NULL)
        hdi_array_release(out);
    return NULL;
}

/* A value (taken) that no one loop gives, where the options want it. */
static hd_array *deliver(hd_op op, hd_array *value, const hd_apply_options *o)
{
    if (value == NULL || (o->out == NULL && o->where == NULL))
        return value;
    if (o->where != NULL)
        return masked(op, value, o);
    const char *whole = hdi_watching.whole;   /* errors and faults are op's */
    hdi_watching.whole = hdi_op_rows[op].info.name;
    hdi_in in = hdi_in_array(value);
    hd_status status = hdi_is_weak(o->out) ? HD_READONLY
                                           : hdi_store_checked(o->out, HD_OP_copy,
                                                               (hd_dtype)value->dtype, 1, &in,
                                                               o->casting);
    hdi_watching.whole = whole;
    hdi_array_release(value);
    o->out->rc += status == HD_OK;
    return status == HD_OK ? o->out : NULL;
}

/* Do the options leave the loop to promotion? A comparison's dtype is bool in any case. */
static bool is_free(hd_op op, const hd_apply_options *o)
{
    return o->signature == NULL &&
           (o->dtype == HD_NO_DTYPE || (o->dtype == HD_BOOL && op != HD_OP_clip));
}

hd_array *hdi_ew_apply(hd_op op, int n, const hdi_in *in, const hd_apply_options *o)
{
    hd_array *value;
    if (o == NULL || (o->out == NULL && o->where == NULL && o->dtype == HD_NO_DTYPE &&
                      o->signature == NULL && o->casting >= HD_CAST_SAFE))
        return hdi_ew_checked(op, n, in);
    if (is_free(op, o) && o->casting >= HD_CAST_SAFE && hdi_ew_special(op, in, &value))
        return deliver(op, value, o);
    hd_dtype cdt = hdi_ew_choose(op, n, in, o);
    if (cdt == HD_NO_DTYPE)
        return NULL;
    if (op == HD_OP_power && hdi_is_int(cdt) && hdi_check_exponent(&in[1]) != HD_OK)
        return NULL;
    if (o->where != NULL)
        return masked(op, hdi_ew(op, cdt, n, in), o);
    if (o->out == NULL)
        return hdi_ew(op, cdt, n, in);
    if (hdi_is_weak(o->out) || hdi_store_checked(o->out, op, cdt, n, in, o->casting) != HD_OK)
        return NULL;
    o->out->rc++;
    return o->out;
}

hd_apply_options hdi_ew_options(const hd_apply_options *o)
{
    hd_apply_options all = {.dtype = HD_NO_DTYPE, .casting = HD_CAST_SAME_KIND};
    if (o != NULL)
        memcpy(&all, o, o->size < sizeof all ? o->size : sizeof all);
    if (all.casting == HD_CAST_DEFAULT)
        all.casting = HD_CAST_SAME_KIND;
    return all;
}

hd_array *hd_apply(hd_op op, int nin, const hd_array *const *in, const hd_apply_options *options)
{
    hdi_in all[HDI_MAX_IN];
    if (!takes(op, nin))
        return NULL;
    for (int k = 0; k < nin; k++) {
        if (in == NULL || in[k] == NULL)
            return hdi_null("an array");
        all[k] = hdi_in_array(in[k]);
    }
    hd_apply_options own = hdi_ew_options(options);
    hdi_lock();
    if (op == HD_OP_copy && own.out != NULL && own.where != NULL &&
        hdi_store_few(own.out, own.where, in[0])) {
        own.out->rc++;
        return hdi_done(own.out, hdi_op_rows[op].info.name);
    }
    hdi_watching.by_name = true;
    hd_array *r = hdi_ew_apply(op, nin, all, options != NULL ? &own : NULL);
    hdi_watching.by_name = false;
    return hdi_done(r, hdi_op_rows[op].info.name);
}

hd_array *hd_from_number(const hd_number *n)
{
    if (n == NULL)
        return hdi_null("a number");
    hdi_lock();
    return hdi_done(hdi_array_weak(n), "scalar");
}

hd_array *hd_int(int64_t value)
{
    return hd_from_number(&(hd_number){.kind = HD_WEAK_INT, .as.i = value, .re = (double)value});
}

hd_array *hd_uint(uint64_t value)
{
    return hd_from_number(&(hd_number){
        .kind = HD_WEAK_INT, .range = value > INT64_MAX, .as.u = value, .re = (double)value});
}

hd_array *hd_float(double value)
{
    return hd_from_number(&(hd_number){.kind = HD_WEAK_FLOAT, .re = value});
}

hd_array *hd_complex(double re, double im)
{
    return hd_from_number(&(hd_number){.kind = HD_WEAK_COMPLEX, .re = re, .im = im});
}

hd_array *hd_bool(int value)
{
    return hd_from_number(&(hd_number){.kind = HD_WEAK_BOOL, .as.i = value != 0, .re = value != 0});
}

/* hd_negative(x), hd_add(x, y), ... : one function for each row. */
#define EW1(name, types, rule, ...) ROW1_##rule(name)
#define EW2(name, types, rule, ...) ROW2_##rule(name)
#define EW3(name, types, rule, ...) ROW3_##rule(name)
#define ROW1_KEEP(name)
#define ROW1_SAME(name) hd_array *hd_##name(const hd_array *x) { return hd_unary(HD_OP_##name, x); }
#define ROW1_BOOL ROW1_SAME
#define ROW1_REAL ROW1_SAME
#define ROW1_PART ROW1_SAME
#define ROW1_UINT8 ROW1_SAME
#define ROW1_INT32 ROW1_SAME
#define ROW2_BITS(name)
#define ROW2_DRAW(name)
#define ROW2_SAME(name)                                       \
    hd_array *hd_##name(const hd_array *x, const hd_array *y) \
    {                                                         \
        return hd_binary(HD_OP_##name, x, y);                 \
    }
#define ROW2_BOOL ROW2_SAME
#define ROW2_WIDE ROW2_SAME
#define ROW2_EXPO ROW2_SAME
#define ROW3_INDEX(name)
#define ROW3_DRAW(name)
#define ROW3_SAME(name)                                                             \
    hd_array *hd_##name(const hd_array *x, const hd_array *y, const hd_array *z)    \
    {                                                                               \
        return hd_apply(HD_OP_##name, 3, (const hd_array *const[]){x, y, z}, NULL); \
    }
#define ROW3_COND ROW3_SAME
#include "ops/elementwise/ew.def"
