/* SPDX-License-Identifier: BSD-3-Clause */
/* test_ew.c - elementwise operations through the C API: options, stores into views, numbers,
 * what is refused. Values of every row are compared with NumPy elsewhere. */
#include "support.h"

static hd_array *line(int64_t n)
{
    return t_ramp(1, &n, HD_FLOAT64);
}

static hd_number integer(int64_t v)
{
    return (hd_number){.kind = HD_WEAK_INT, .as.i = v, .re = (double)v};
}

static hd_number real(double v)
{
    return (hd_number){.kind = HD_WEAK_FLOAT, .re = v};
}

static hd_array *apply2(hd_op op, const hd_array *a, const hd_array *b, const hd_apply_options *o)
{
    return hd_apply(op, 2, (const hd_array *const[]){a, b}, o);
}

static hd_apply_options into(hd_array *out)
{
    return (hd_apply_options){.size = sizeof(hd_apply_options),
                              .out = out,
                              .dtype = HD_NO_DTYPE,
                              .casting = HD_CAST_SAME_KIND};
}

/* ---- broadcasting ---------------------------------------------------------------------------- */

static double element(const double *data, int nd, const int64_t *dims, const int64_t *index)
{
    int64_t at = 0;
    for (int a = 0; a < nd; a++)
        at = at * dims[a] + (dims[a] == 1 ? 0 : index[a]);
    return data[at];
}

TEST(ew, broadcasts_like_brute_force)
{
    for (int repeat = 0; repeat < 200; repeat++) {
        int64_t dims[3], da[3], db[3], index[3];
        double wa[128], wb[128];
        int scope = hd_scope_begin(), lead = (int)t_below(3);
        for (int a = 0; a < 3; a++) {
            dims[a] = t_between(1, 5);
            da[a] = t_below(3) == 0 ? 1 : dims[a];
            db[a] = t_below(3) == 0 || a < lead ? 1 : dims[a];
            dims[a] = da[a] > db[a] ? da[a] : db[a];
        }
        hd_array *x = t_ramp_from(1, 3, da, HD_FLOAT64),
                 *y = t_ramp_from(100, 3 - lead, db + lead, HD_FLOAT64);
        CHECK(hd_read(x, wa) == HD_OK && hd_read(y, wb) == HD_OK);
        hd_array *r = hd_subtract(x, y);
        REQUIRE(r != NULL && hd_ndim(r) == 3);
        int64_t size = dims[0] * dims[1] * dims[2];
        CHECK_EQ_I64(hd_size(r), size);
        for (int64_t k = 0; k < size; k++) {
            index[0] = k / (dims[1] * dims[2]);
            index[1] = k / dims[2] % dims[1];
            index[2] = k % dims[2];
            CHECK_NEAR(t_value(r, k), element(wa, 3, da, index) - element(wb, 3, db, index), 0);
        }
        hd_scope_end(scope, NULL);
    }
}

/* ---- options --------------------------------------------------------------------------------- */

TEST(apply, out)
{
    int scope = hd_scope_begin();
    hd_array *x = line(4), *out = hd_zeros(SHAPE(4), HD_FLOAT32),
             *part = t_slice(out, SLICE(HD_NONE, HD_NONE, -1));
    hd_apply_options o = into(part);
    CHECK(apply2(HD_OP_add, x, x, &o) == part);
    CHECK(t_equals(out, 6, 4, 2, 0));
    o = into(x);
    CHECK(apply2(HD_OP_multiply, x, x, &o) == x && t_equals(x, 0, 1, 4, 9));   /* out is an input */
    hd_array *tail = t_slice(x, SLICE(1, 4, 1)), *head = t_slice(x, SLICE(0, 3, 1));
    o = into(tail);
    /* and another view of it */
    CHECK(apply2(HD_OP_add, head, tail, &o) == tail && t_equals(x, 0, 1, 5, 13));
    hd_array *wide = hd_zeros(SHAPE(2, 4), HD_FLOAT64);
    o = into(wide);
    CHECK(apply2(HD_OP_add, x, x, &o) == wide && t_equals(wide, 0, 2, 10, 26, 0, 2, 10, 26));
    hd_array *narrow = hd_zeros(SHAPE(2), HD_FLOAT64), *ints = hd_zeros(SHAPE(4), HD_INT32);
    o = into(narrow);
    CHECK(apply2(HD_OP_add, x, x, &o) == NULL && t_failed(HD_SHAPE));
    o = into(ints);
    CHECK(apply2(HD_OP_add, x, x, &o) == NULL && t_failed(HD_CAST));
    o.casting = HD_CAST_UNSAFE;
    CHECK(apply2(HD_OP_add, x, x, &o) == ints && t_equals(ints, 0, 2, 10, 26));
    hd_set_writeable(ints, 0);
    CHECK(apply2(HD_OP_add, x, x, &o) == NULL && t_failed(HD_READONLY));
    hd_scope_end(scope, NULL);
}

TEST(apply, where)
{
    int scope = hd_scope_begin();
    hd_array *x = line(4), *out = hd_full(SHAPE(4), hd_float(-1), HD_FLOAT64),
             *odd = hd_equal(hd_remainder(x, hd_int(2)), hd_int(1));
    hd_apply_options o = into(out);
    o.where = odd;
    CHECK(apply2(HD_OP_add, x, x, &o) == out && t_equals(out, -1, 2, -1, 6));
    o = into(x);
    o.where = odd;
    CHECK(apply2(HD_OP_multiply, x, hd_int(10), &o) == x && t_equals(x, 0, 10, 2, 30));
    o = into(NULL);
    o.where = odd;
    hd_array *r = apply2(HD_OP_add, x, x, &o);   /* fresh: undefined where the mask is false */
    CHECK(t_value(r, 1) == 20 && t_value(r, 3) == 60);
    o = into(out);
    o.where = x;
    CHECK(apply2(HD_OP_add, x, x, &o) == NULL && t_failed(HD_CAST));
    o.where = hd_ones(SHAPE(3), HD_BOOL);
    CHECK(apply2(HD_OP_add, x, x, &o) == NULL && t_failed(HD_SHAPE));
    hd_scope_end(scope, NULL);
}

TEST(apply, dtype)
{
    int scope = hd_scope_begin();
    hd_array *i = t_ramp(SHAPE(3), HD_INT32), *x = line(3);
    hd_apply_options o = into(NULL);
    o.dtype = HD_FLOAT32;
    hd_array *r = apply2(HD_OP_add, i, i, &o);
    CHECK(hd_dtype_of(r) == HD_FLOAT32 && t_equals(r, 0, 2, 4));
    r = apply2(HD_OP_add, x, x, &o);
    CHECK(hd_dtype_of(r) == HD_FLOAT32);
    o.dtype = HD_INT32;
    CHECK(apply2(HD_OP_add, x, x, &o) == NULL && t_failed(HD_CAST));
    CHECK(apply2(HD_OP_arctan2, i, i, &o) == NULL && t_failed(HD_DTYPE));
    o.dtype = HD_FLOAT16;
    r = apply2(HD_OP_add, x, x, &o);
    CHECK(hd_dtype_of(r) == HD_FLOAT16 && t_equals(r, 0, 2, 4));
    hd_scope_end(scope, NULL);
}

/* A program built against an older header passes a shorter structure. */
TEST(apply, options_of_another_size)
{
    int scope = hd_scope_begin();
    hd_array *x = line(3);
    hd_apply_options o = into(NULL);
    o.size = offsetof(hd_apply_options, where);
    o.where = x;             /* beyond the size it says: not read */
    o.dtype = HD_INT8;
    hd_array *r = apply2(HD_OP_add, x, x, &o);
    CHECK(r != NULL && hd_dtype_of(r) == HD_FLOAT64);
    hd_scope_end(scope, NULL);
}

TEST(apply, refuses)
{
    hd_array *x = line(3);
    CHECK(hd_apply(HD_OP_add, 1, (const hd_array *const[]){x}, NULL) == NULL && t_failed(HD_VALUE));
    CHECK(hd_apply(HD_OP_sum, 1, (const hd_array *const[]){x}, NULL) == NULL && t_failed(HD_VALUE));
    CHECK(hd_apply((hd_op)9999, 1, (const hd_array *const[]){x}, NULL) == NULL &&
          t_failed(HD_VALUE));
    CHECK(apply2(HD_OP_add, x, NULL, NULL) == NULL && t_failed(HD_VALUE));
    CHECK(hd_add(NULL, x) == NULL && hd_sin(NULL) == NULL && t_failed(HD_VALUE));
    CHECK(hd_inplace(HD_OP_add, NULL, x) == HD_VALUE && t_failed(HD_VALUE));
    hd_release(x);
}

/* ---- two results ------------------------------------------------------------------------------ */

static const hd_pair_info *pair(const char *name)
{
    int i = 0;
    while (hd_pair_info_of(i) != NULL && strcmp(hd_pair_info_of(i)->name, name) != 0)
        i++;
    return hd_pair_info_of(i);
}

TEST(pair, results_are_those_of_its_rows)
{
    int scope = hd_scope_begin();
    hd_array *x = hd_multiply(line(5), hd_float(0.75)), *r[2];
    CHECK(hd_apply_pair(pair("modf"), (const hd_array *const[]){x}, NULL, NULL, r) == HD_OK);
    CHECK(t_equals(r[0], 0, 0.75, 0.5, 0.25, 0) && t_equals(r[1], 0, 0, 1, 2, 3));
    CHECK(hd_apply_pair(pair("frexp"), (const hd_array *const[]){x}, NULL, NULL, r) == HD_OK);
    CHECK(t_equals(r[0], 0, 0.75, 0.75, 0.5625, 0.75) && t_equals(r[1], 0, 0, 1, 2, 2) &&
          hd_dtype_of(r[1]) == HD_INT32);
    CHECK(hd_pair_info_of(-1) == NULL && pair("add") == NULL);
    hd_scope_end(scope, NULL);
}

TEST(pair, reads_its_inputs_before_it_writes)
{
    int scope = hd_scope_begin();
    hd_array *x = t_ramp_from(5, SHAPE(4), HD_FLOAT64), *r[2];
    const hd_array *const in[] = {x, hd_int(3)};
    CHECK(hd_apply_pair(pair("divmod"), in, NULL, (hd_array *const[]){x, NULL}, r) == HD_OK);
    CHECK(r[0] == x && t_equals(x, 1, 2, 2, 2) && t_equals(r[1], 2, 0, 1, 2));
    hd_scope_end(scope, NULL);
}

TEST(pair, signature_and_what_it_refuses)
{
    int scope = hd_scope_begin();
    hd_array *x = line(3), *r[2];
    hd_dtype single[] = {HD_FLOAT32, HD_FLOAT32, HD_INT32}, wrong[] = {HD_NO_DTYPE, HD_FLOAT64,
                                                                       HD_FLOAT64};
    hd_apply_options o = into(NULL);
    o.signature = single;
    CHECK(hd_apply_pair(pair("frexp"), (const hd_array *const[]){x}, &o, NULL, r) == HD_OK &&
          hd_dtype_of(r[0]) == HD_FLOAT32);
    o.signature = wrong;
    CHECK(hd_apply_pair(pair("frexp"), (const hd_array *const[]){x}, &o, NULL, r) == HD_DTYPE &&
          r[0] == NULL && r[1] == NULL);
    CHECK(strstr(hd_error_peek()->message, "ufunc frexp") != NULL && t_failed(HD_DTYPE));
    CHECK(hd_apply_pair(pair("modf"), (const hd_array *const[]){NULL}, NULL, NULL, r) == HD_VALUE &&
          r[0] == NULL && t_failed(HD_VALUE));
    hd_scope_end(scope, NULL);
}

TEST(apply, signature)
{
    int scope = hd_scope_begin();
    hd_array *x = line(3);
    hd_dtype as_int[] = {HD_INT64, HD_INT64, HD_BOOL}, open[] = {HD_NO_DTYPE, HD_FLOAT32,
                                                                 HD_NO_DTYPE};
    hd_apply_options o = into(NULL);
    o.signature = as_int;
    CHECK(apply2(HD_OP_less, x, x, &o) == NULL && t_failed(HD_CAST));
    o.casting = HD_CAST_UNSAFE;
    CHECK(t_equals(apply2(HD_OP_less, x, hd_multiply(x, hd_float(1.5)), &o), 0, 0, 1));
    o.signature = open;
    CHECK(hd_dtype_of(apply2(HD_OP_add, x, x, &o)) == HD_FLOAT32);
    CHECK(apply2(HD_OP_float_power, x, x, &o) == NULL && t_failed(HD_DTYPE));
    hd_scope_end(scope, NULL);
}

TEST(apply, exponents)
{
    int scope = hd_scope_begin();
    hd_array *x = line(3), *i = t_ramp(SHAPE(3), HD_INT8);
    CHECK(t_equals(hd_ldexp(x, i), 0, 2, 8) && t_equals(hd_ldexp(x, hd_int(-1)), 0, 0.5, 1));
    CHECK(hd_dtype_of(hd_ldexp(t_ramp(SHAPE(3), HD_INT16), i)) == HD_FLOAT32);
    CHECK(hd_ldexp(x, x) == NULL && t_failed(HD_DTYPE));
    CHECK(hd_ldexp(x, t_ramp(SHAPE(3), HD_UINT64)) == NULL && t_failed(HD_DTYPE));
    CHECK(hd_ldexp(x, hd_int((int64_t)1 << 40)) == NULL && t_failed(HD_OVERFLOW));
    hd_scope_end(scope, NULL);
}

/* ---- in place -------------------------------------------------------------------------------- */

TEST(inplace, keeps_the_dtype)
{
    int scope = hd_scope_begin();
    hd_array *i = t_ramp(SHAPE(3), HD_INT8), *x = line(3), *m = t_ramp(SHAPE(2, 3), HD_FLOAT32);
    CHECK(hd_inplace(HD_OP_add, i, x) == HD_CAST && t_failed(HD_CAST));
    CHECK(hd_inplace(HD_OP_divide, i, i) == HD_CAST && t_failed(HD_CAST));
    CHECK(t_equals(i, 0, 1, 2));
    CHECK(hd_inplace(HD_OP_multiply, i, t_ramp(SHAPE(3), HD_INT64)) == HD_OK &&
          hd_dtype_of(i) == HD_INT8 && t_equals(i, 0, 1, 4));
    CHECK(hd_inplace(HD_OP_add, m, x) == HD_OK && t_equals(m, 0, 2, 4, 3, 5, 7));
    CHECK(hd_inplace(HD_OP_add, x, m) == HD_SHAPE && t_failed(HD_SHAPE));
    hd_number two = integer(2), huge = integer(300), half = real(0.5);
    CHECK(hd_inplace_number(HD_OP_left_shift, i, &two) == HD_OK && t_equals(i, 0, 4, 16));
    CHECK(hd_inplace_number(HD_OP_add, i, &huge) == HD_OVERFLOW && t_failed(HD_OVERFLOW));
    CHECK(hd_inplace_number(HD_OP_add, i, &half) == HD_CAST && t_failed(HD_CAST));
    CHECK(hd_inplace_number(HD_OP_power, m, &two) == HD_OK && t_equals(m, 0, 4, 16, 9, 25, 49));
    hd_array *t = hd_transpose(m, NULL);
    CHECK(hd_inplace(HD_OP_subtract, t_slice(t, AT(0)), t_slice(t, AT(1))) == HD_OK &&
          t_equals(m, -4, 4, 16, -16, 25, 49));
    hd_scope_end(scope, NULL);
}

/* x += x.T and the like read what they write elsewhere. */
TEST(inplace, through_another_view_of_itself)
{
    int scope = hd_scope_begin();
    hd_array *m = t_ramp(SHAPE(3, 3), HD_FLOAT64), *x = line(6);
    CHECK(hd_inplace(HD_OP_add, m, hd_transpose(m, NULL)) == HD_OK &&
          t_equals(m, 0, 4, 8, 4, 8, 12, 8, 12, 16));
    CHECK(hd_inplace(HD_OP_subtract, x, t_slice(x, SLICE(HD_NONE, HD_NONE, -1))) == HD_OK &&
          t_equals(x, -5, -3, -1, 1, 3, 5));
    hd_array *tail = t_slice(x, SLICE(1, 6, 1)), *head = t_slice(x, SLICE(0, 5, 1));
    CHECK(hd_assign(tail, head, HD_CAST_SAME_KIND) == HD_OK && t_equals(x, -5, -5, -3, -1, 1, 3));
    CHECK(hd_inplace(HD_OP_add, x, t_slice(x, SLICE(2, 3, 1))) == HD_OK &&
          t_equals(x, -8, -8, -6, -4, -2, 0));
    hd_scope_end(scope, NULL);
}

TEST(assign, broadcasts_and_casts)
{
    int scope = hd_scope_begin();
    hd_array *m = hd_zeros(SHAPE(2, 3), HD_INT32), *x = line(3);
    CHECK(hd_assign(m, t_ramp(SHAPE(1, 1, 1, 3), HD_INT64), HD_CAST_SAME_KIND) == HD_OK &&
          t_equals(m, 0, 1, 2, 0, 1, 2));
    CHECK(hd_assign(m, x, HD_CAST_SAME_KIND) == HD_CAST && t_failed(HD_CAST));
    CHECK(hd_assign(m, hd_add(x, hd_float(0.7)), HD_CAST_UNSAFE) == HD_OK &&
          t_equals(m, 0, 1, 2, 0, 1, 2));
    CHECK(hd_assign(m, line(2), HD_CAST_UNSAFE) == HD_SHAPE && t_failed(HD_SHAPE));
    CHECK(hd_assign(m, t_ramp(SHAPE(2, 1, 3), HD_INT32), HD_CAST_UNSAFE) == HD_SHAPE &&
          t_failed(HD_SHAPE));
    CHECK(hd_assign(t_slice(m, ALL, SLICE(0, 0, 1)), line(1), HD_CAST_UNSAFE) == HD_OK);
    CHECK(hd_assign(hd_broadcast_to(x, SHAPE(2, 3)), x, HD_CAST_UNSAFE) == HD_READONLY &&
          t_failed(HD_READONLY));
    hd_number z = {.kind = HD_WEAK_COMPLEX, .re = 1, .im = 1};
    CHECK(hd_assign_number(x, &z) == HD_DTYPE && t_failed(HD_DTYPE));
    hd_scope_end(scope, NULL);
}

/* ---- numbers --------------------------------------------------------------------------------- */

TEST(number, on_either_side)
{
    int scope = hd_scope_begin();
    hd_array *x = line(3);
    hd_number ten = integer(10), half = real(0.5);
    CHECK(t_equals(hd_binary_number(HD_OP_subtract, x, &ten, 0), -10, -9, -8));
    CHECK(t_equals(hd_binary_number(HD_OP_subtract, x, &ten, 1), 10, 9, 8));
    hd_array *i = t_ramp(SHAPE(3), HD_UINT8), *r = hd_binary_number(HD_OP_multiply, i, &half, 0);
    CHECK(hd_dtype_of(r) == HD_FLOAT64 && t_equals(r, 0, 0.5, 1));
    CHECK(hd_dtype_of(hd_binary_number(HD_OP_add, i, &ten, 0)) == HD_UINT8);
    hd_scope_end(scope, NULL);
}

TEST(number, powers)
{
    int scope = hd_scope_begin();
    hd_array *x = t_ramp_from(1, SHAPE(3), HD_FLOAT64), *i = t_ramp_from(1, SHAPE(3), HD_INT64);
    static const double exponents[] = {2, 3, 1, 0.5, -1, 0, 4};
    for (size_t k = 0; k < sizeof exponents / sizeof *exponents; k++) {
        hd_number n = real(exponents[k]);
        hd_array *r = hd_binary_number(HD_OP_power, x, &n, 0);
        for (int j = 0; j < 3; j++) {
            double base = j + 1, want = exponents[k] == 0.5 ? (j == 0   ? 1
                                                               : j == 1 ? 1.4142135623730951
                                                                        : 1.7320508075688772)
                                                            : 1;
            for (int e = 0; e < (int)exponents[k]; e++)
                want *= base;
            CHECK_NEAR(t_value(r, j), exponents[k] == -1 ? 1 / base : want, 1e-15);
        }
    }
    hd_number three = integer(3), minus = integer(-1);
    CHECK(t_equals(hd_binary_number(HD_OP_power, i, &three, 0), 1, 8, 27));
    CHECK(hd_binary_number(HD_OP_power, i, &minus, 0) == NULL && t_failed(HD_VALUE));
    CHECK(hd_power(i, hd_negative(i)) == NULL && t_failed(HD_VALUE));   /* looks at the exponents */
    CHECK(hd_inplace(HD_OP_power, i, hd_negative(i)) == HD_VALUE && t_failed(HD_VALUE));
    CHECK(t_equals(hd_power(i, i), 1, 4, 27) && t_equals(i, 1, 2, 3));
    CHECK(t_equals(hd_binary_number(HD_OP_power, i, &three, 1), 3, 9, 27));
    hd_scope_end(scope, NULL);
}

/* 64-bit integers of both kinds compare as numbers, not as float64. */
TEST(number, large_integers_compare_exactly)
{
    int scope = hd_scope_begin();
    uint64_t big[2] = {UINT64_MAX, (uint64_t)1 << 63};
    int64_t small[2] = {-1, INT64_MAX};
    hd_array *u = hd_from_data(SHAPE(2), NULL, HD_UINT64, big),
             *i = hd_from_data(SHAPE(2), NULL, HD_INT64, small);
    CHECK(t_all(hd_less(i, u), 1) && t_all(hd_greater(i, u), 0) && t_all(hd_equal(i, u), 0) &&
          t_all(hd_not_equal(u, i), 1));
    CHECK(t_all(hd_greater_equal(u, i), 1) && t_all(hd_less_equal(u, i), 0));
    CHECK(t_all(hd_less(u, hd_int(-5)), 0) && t_all(hd_greater(i, hd_uint(UINT64_MAX)), 0));
    hd_scope_end(scope, NULL);
}

/* ---- what has no loop ------------------------------------------------------------------------ */

TEST(ew, refuses_kinds_without_a_loop)
{
    int scope = hd_scope_begin();
    hd_array *b = hd_ones(SHAPE(2), HD_BOOL), *z = hd_ones(SHAPE(2), HD_COMPLEX64), *x = line(2),
             *i = t_ramp(SHAPE(2), HD_INT8);
    CHECK(hd_subtract(b, b) == NULL && t_failed(HD_DTYPE));
    CHECK(hd_negative(b) == NULL && t_failed(HD_DTYPE));
    CHECK(hd_floor(z) == NULL && t_failed(HD_DTYPE));
    CHECK(hd_bitwise_and(x, x) == NULL && t_failed(HD_DTYPE));
    CHECK(hd_arctan2(z, z) == NULL && t_failed(HD_DTYPE));
    CHECK(hd_dtype_of(hd_sqrt(i)) == HD_FLOAT16);
    CHECK(hd_astype(x, HD_INT32, 'K', HD_CAST_SAFE, 1) == NULL && t_failed(HD_DTYPE));
    CHECK(hd_astype(x, (hd_dtype)77, 'K', HD_CAST_SAFE, 1) == NULL && t_failed(HD_DTYPE));
    hd_scope_end(scope, NULL);
}

TEST(ew, nothing_and_scalars)
{
    int scope = hd_scope_begin();
    hd_array *none = hd_empty(SHAPE(0, 3), HD_FLOAT64), *r = hd_add(none, hd_float(1)),
             *s = hd_add(hd_int(2), hd_int(3));
    CHECK(hd_size(r) == 0 && hd_ndim(r) == 2 && hd_eval(r) == HD_OK);
    CHECK((hd_flags(s) & HD_SCALAR) && t_equals(s, 5));
    hd_array *zero_d = hd_reshape(line(1), SCALAR_SHAPE, 'C'), *t = hd_exp(zero_d);
    CHECK(!(hd_flags(zero_d) & HD_SCALAR) && (hd_flags(t) & HD_SCALAR) && t_equals(t, 1));
    CHECK(hd_inplace(HD_OP_add, t, hd_int(1)) == HD_READONLY && t_failed(HD_READONLY));
    hd_array *e = hd_scalar_of(t_slice(line(5), AT(3)));
    CHECK((hd_flags(e) & HD_SCALAR) && t_equals(e, 3));
    CHECK(hd_scalar_of(line(2)) == NULL && t_failed(HD_VALUE));
    hd_scope_end(scope, NULL);
}

/* Probing for what fits takes no error away that this thread has not seen yet. */
TEST(ew, keeps_an_earlier_error)
{
    int scope = hd_scope_begin();
    hd_array *x = t_ramp(SHAPE(2, 3), HD_UINT8), *t = hd_transpose(x, NULL);
    CHECK(hd_sum(x, AXES(7), 0) == NULL);
    hd_array *r[] = {hd_less(x, hd_int(300)), hd_clip(x, hd_int(-5), hd_int(1000)),
                     hd_reshape(t, SHAPE(6), 'C'), hd_reshape(t, SHAPE(2, 3), 'F')};
    for (size_t k = 0; k < sizeof r / sizeof *r; k++)
        CHECK(r[k] != NULL);
    CHECK(hd_broadcast_to(x, SHAPE(4)) == NULL &&
          hd_assign(t, t_ramp(SHAPE(5), HD_UINT8), HD_CAST_SAFE) != HD_OK);
    CHECK(!t_clean());
    hd_scope_end(scope, NULL);
}
