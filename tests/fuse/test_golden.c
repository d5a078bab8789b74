/* SPDX-License-Identifier: BSD-3-Clause */
/* test_golden.c - kernels of well-known programs, word for word: how many, what they load, what
 * they store. One operation per statement: C may evaluate two arguments in either order. */
#include "fuse/kernel_text.h"

static hd_array *line(int64_t n)
{
    return t_ready(1, &n, HD_FLOAT64);
}

static hd_array *times(double factor, hd_array *x)
{
    return hd_multiply(hd_float(factor), x);
}

/* What is pending becomes exactly these kernels. */
static void check_kernels(int n, const char *const *want)
{
    planned *p = plan_pending();
    CHECK_EQ_I64(p->partition.ngroups, n);
    for (int g = 0; g < n && g < p->partition.ngroups; g++)
        CHECK_STR(kernel_text(p, g), want[g]);
}
#define CHECK_KERNELS(...)                                                            \
    check_kernels((int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)), \
                  (const char *const[]){__VA_ARGS__})

/* a*x**2 + b*y + c: each input loaded once, one store. */
TEST(golden, grade2)
{
    begin_null();
    int scope = hd_scope_begin();
    hd_array *x = line(100), *y = line(100);
    hd_number two = {.kind = HD_WEAK_INT, .as.i = 2, .re = 2};
    hd_array *z = times(3, hd_binary_number(HD_OP_power, x, &two, 0));
    z = hd_add(z, times(4, y));
    z = hd_keep(hd_add(z, hd_float(5)));
    hd_keep(x);
    hd_keep(y);
    hd_scope_end(scope, NULL);
    CHECK_KERNELS("e 1 phase\n"
                  "0 load f8 a0\n"
                  "1 square f8 (0)\n"
                  "2 scalar f8 s1\n"
                  "3 multiply f8 (2 1)\n"
                  "4 scalar f8 s2\n"
                  "5 load f8 a3\n"
                  "6 multiply f8 (4 5)\n"
                  "7 add f8 (3 6)\n"
                  "8 scalar f8 s4\n"
                  "9 add f8 (7 8)\n"
                  "store a5 = 9\n");
    DROP(x, y, z);
}

/* One pass over x and y: four sums with what makes them, and the update of the four coefficients
 * as epilogue. */
TEST(golden, cubic_fit_step)
{
    begin_null();
    hd_array *x = line(2000), *y = line(2000), *a[4], *power[4], *next[4];
    for (int k = 0; k < 4; k++)
        a[k] = t_ready(SCALAR_SHAPE, HD_FLOAT64);
    int scope = hd_scope_begin();
    power[1] = x;
    power[2] = hd_square(x);
    power[3] = hd_multiply(power[2], x);
    hd_array *p = a[0];
    for (int k = 1; k < 4; k++)
        p = hd_add(p, hd_multiply(a[k], power[k]));
    hd_array *d = times(2, hd_subtract(p, y));
    for (int k = 0; k < 4; k++) {
        hd_array *g = hd_sum(k > 0 ? hd_multiply(d, power[k]) : d, HD_ALL_AXES, NULL, 0);
        next[k] = hd_keep(hd_subtract(a[k], times(1e-6, g)));
    }
    hd_scope_end(scope, NULL);
    CHECK_KERNELS("r 1 phase\n"
                  "0 load f8 a0\n"
                  "1 square f8 (0)\n"
                  "2 multiply f8 (1 0)\n"
                  "3 load f8 a1\n"
                  "4 multiply f8 (3 0)\n"
                  "5 load f8 a2\n"
                  "6 add f8 (5 4)\n"
                  "7 load f8 a3\n"
                  "8 multiply f8 (7 1)\n"
                  "9 add f8 (6 8)\n"
                  "10 load f8 a4\n"
                  "11 multiply f8 (10 2)\n"
                  "12 add f8 (9 11)\n"
                  "13 load f8 a5\n"
                  "14 subtract f8 (12 13)\n"
                  "15 scalar f8 s6\n"
                  "16 multiply f8 (15 14)\n"
                  "17 sum f8 (16) row\n"
                  "18 scalar f8 s7 row\n"
                  "19 multiply f8 (18 17) row\n"
                  "20 load f8 a8 row\n"
                  "21 subtract f8 (20 19) row\n"
                  "22 multiply f8 (16 0)\n"
                  "23 sum f8 (22) row\n"
                  "24 scalar f8 s9 row\n"
                  "25 multiply f8 (24 23) row\n"
                  "26 load f8 a10 row\n"
                  "27 subtract f8 (26 25) row\n"
                  "28 multiply f8 (16 1)\n"
                  "29 sum f8 (28) row\n"
                  "30 scalar f8 s11 row\n"
                  "31 multiply f8 (30 29) row\n"
                  "32 load f8 a12 row\n"
                  "33 subtract f8 (32 31) row\n"
                  "34 multiply f8 (16 2)\n"
                  "35 sum f8 (34) row\n"
                  "36 scalar f8 s13 row\n"
                  "37 multiply f8 (36 35) row\n"
                  "38 load f8 a14 row\n"
                  "39 subtract f8 (38 37) row\n"
                  "store a15 = 21 row\n"
                  "store a16 = 27 row\n"
                  "store a17 = 33 row\n"
                  "store a18 = 39 row\n");
    drop(4, a);
    drop(4, next);
    DROP(x, y);
}

/* Class RR: maximum, then the sum of what it shifts, then the quotient; x is loaded once. */
TEST(golden, softmax_of_rows)
{
    begin_null();
    hd_array *x = t_ready(SHAPE(100, 50), HD_FLOAT32);
    int scope = hd_scope_begin();
    hd_array *e = hd_exp(hd_subtract(x, hd_max(x, AXES(1), 1)));
    hd_array *r = hd_keep(hd_divide(e, hd_sum(e, AXES(1), 1)));
    hd_scope_end(scope, NULL);
    CHECK_KERNELS("w 3 phases\n"
                  "0 load f4 a0\n"
                  "1 max f4 (0) row\n"
                  "2 subtract f4 (0 1) @1\n"
                  "3 exp f4 (2) @1\n"
                  "4 sum f4 (3) row @1\n"
                  "5 divide f4 (3 4) @2\n"
                  "store a1 = 5 @2\n");
    DROP(x, r);
}

/* Over everything there are no rows to keep at hand: two kernels. */
TEST(golden, softmax_of_everything)
{
    begin_null();
    hd_array *x = t_ready(SHAPE(100, 50), HD_FLOAT32);
    int scope = hd_scope_begin();
    hd_array *e = hd_exp(x), *r = hd_keep(hd_divide(e, hd_sum(e, HD_ALL_AXES, NULL, 0)));
    hd_scope_end(scope, NULL);
    CHECK_KERNELS("r 1 phase\n"
                  "0 load f4 a0\n"
                  "1 exp f4 (0)\n"
                  "2 sum f4 (1) row\n"
                  "store a1 = 1\n"
                  "store a2 = 2 row\n",
                  "e 1 phase\n"
                  "0 load f4 a0\n"
                  "1 load f4 a1\n"
                  "2 divide f4 (0 1)\n"
                  "store a2 = 2\n");
    DROP(x, r);
}

/* Variance along columns: two passes over rows at hand, nothing but the result stored. */
TEST(golden, variance)
{
    begin_null();
    hd_array *m = t_ready(SHAPE(5, 7), HD_FLOAT64);
    hd_reduce_options o = {
        .size = sizeof o, .naxes = 1, .axes = (const int[]){0}, .dtype = HD_NO_DTYPE};
    hd_array *v = hd_var(m, &o);
    CHECK_KERNELS("w 2 phases\n"
                  "0 load f8 a0\n"
                  "1 sum f8 (0) row\n"
                  "2 scalar f8 s1 row\n"
                  "3 divide f8 (1 2) row\n"
                  "4 subtract f8 (0 3) @1\n"
                  "5 multiply f8 (4 4) @1\n"
                  "6 sum f8 (5) row @1\n"
                  "7 scalar f8 s2 row @1\n"
                  "8 divide f8 (6 7) row @1\n"
                  "store a3 = 8 row @1\n");
    DROP(m, v);
}

/* Logistic regression: X @ w with its sigmoid, X.T @ error with the update. Only the error
 * crosses through memory. */
TEST(golden, logistic_step)
{
    begin_null();
    hd_array *X = t_ready(SHAPE(1000, 4), HD_FLOAT64), *w = line(4), *y = line(1000);
    int scope = hd_scope_begin();
    hd_array *z = hd_matmul(X, w, NULL),
             *p = hd_divide(hd_float(1), hd_add(hd_float(1), hd_exp(hd_negative(z))));
    hd_array *error = hd_subtract(p, y),
             *grad = hd_divide(hd_matmul(hd_transpose(X, NULL), error, NULL), hd_float(1000));
    hd_inplace(HD_OP_subtract, w, times(0.1, grad));
    hd_scope_end(scope, NULL);
    CHECK_KERNELS("r 1 phase\n"
                  "0 load f8 a0\n"
                  "1 load f8 a1\n"
                  "2 sumproduct f8 (0 1) row\n"
                  "3 negative f8 (2) row\n"
                  "4 exp f8 (3) row\n"
                  "5 scalar f8 s2 row\n"
                  "6 add f8 (5 4) row\n"
                  "7 scalar f8 s3 row\n"
                  "8 divide f8 (7 6) row\n"
                  "9 load f8 a4 row\n"
                  "10 subtract f8 (8 9) row\n"
                  "store a5 = 10 row\n",
                  "r 1 phase\n"
                  "0 load f8 a0\n"
                  "1 load f8 a1\n"
                  "2 sumproduct f8 (0 1) row\n"
                  "3 scalar f8 s2 row\n"
                  "4 divide f8 (2 3) row\n"
                  "5 scalar f8 s3 row\n"
                  "6 multiply f8 (5 4) row\n"
                  "7 load f8 a4 row\n"
                  "8 subtract f8 (7 6) row\n"
                  "store a5 = 8 row\n");
    DROP(X, w, y);
}

/* ---- stencils -------------------------------------------------------------------------------- */

static hd_array *shifted(hd_array *m, int64_t i, int64_t j)
{
    return t_slice(m, SLICE(1 + i, 29 + i, 1), SLICE(1 + j, 29 + j, 1));
}

static void stencil(hd_array *from, hd_array *to)
{
    hd_array *sum = hd_add(shifted(from, 0, 0), shifted(from, 0, -1));
    sum = hd_add(sum, shifted(from, 0, 1));
    hd_assign(shifted(to, 0, 0), times(0.2, sum), HD_CAST_SAME_KIND);
}

static const char stencil_text[] = "e 1 phase\n"
                                   "0 load f8 a0\n"
                                   "1 load f8 a1\n"
                                   "2 add f8 (0 1)\n"
                                   "3 load f8 a2\n"
                                   "4 add f8 (2 3)\n"
                                   "5 scalar f8 s3\n"
                                   "6 multiply f8 (5 4)\n"
                                   "store a4 = 6\n";

/* A step of Jacobi's iteration forth and back: each half is one kernel; they read neighbours of
 * each other's output. */
TEST(golden, jacobi)
{
    begin_null();
    hd_array *a = t_ready(SHAPE(30, 30), HD_FLOAT64), *b = t_ready(SHAPE(30, 30), HD_FLOAT64);
    int scope = hd_scope_begin();
    stencil(a, b);
    stencil(b, a);
    hd_scope_end(scope, NULL);
    CHECK_KERNELS(stencil_text, stencil_text);
    DROP(a, b);
}

/* x[1:] += x[:-1] reads what it writes under another map: through a temporary. */
TEST(golden, shifted_in_place)
{
    begin_null();
    hd_array *x = line(100);
    int scope = hd_scope_begin();
    hd_inplace(HD_OP_add, t_slice(x, SLICE(1, HD_NONE, 1)), t_slice(x, SLICE(0, -1, 1)));
    hd_scope_end(scope, NULL);
    CHECK_KERNELS("e 1 phase\n"
                  "0 load f8 a0\n"
                  "1 load f8 a1\n"
                  "2 add f8 (0 1)\n"
                  "store a2 = 2\n",
                  "e 1 phase\n"
                  "0 load f8 a0\n"
                  "store a1 = 0\n");
    DROP(x);
}

/* x[::2] += x[1::2] does not: one kernel. */
TEST(golden, halves_in_place)
{
    begin_null();
    hd_array *x = line(100);
    int scope = hd_scope_begin();
    hd_array *even = t_slice(x, SLICE(0, HD_NONE, 2)), *odd = t_slice(x, SLICE(1, HD_NONE, 2));
    hd_inplace(HD_OP_add, even, odd);
    hd_inplace(HD_OP_multiply, even, even);
    hd_scope_end(scope, NULL);
    CHECK_KERNELS("e 1 phase\n"
                  "0 load f8 a0\n"
                  "1 load f8 a1\n"
                  "2 add f8 (0 1)\n"
                  "3 multiply f8 (2 2)\n"
                  "store a2 = 3\n");
    DROP(x);
}

/* ---- broadcasting ---------------------------------------------------------------------------- */

/* m @ m.T reads m twice, repeated along different axes: two loads. */
TEST(golden, thin_product_with_its_own_transpose)
{
    begin_null();
    hd_array *m = t_ready(SHAPE(5, 7), HD_FLOAT64);
    int scope = hd_scope_begin();
    hd_array *r = hd_keep(hd_matmul(m, hd_transpose(m, NULL), NULL));
    hd_scope_end(scope, NULL);
    CHECK_KERNELS("r 1 phase\n"
                  "0 load f8 a0\n"
                  "1 load f8 a1\n"
                  "2 sumproduct f8 (0 1) row\n"
                  "store a2 = 2 row\n");
    DROP(m, r);
}

/* v + v[:, None]: the same, elementwise. */
TEST(golden, outer_sum)
{
    begin_null();
    hd_array *v = line(6);
    int scope = hd_scope_begin();
    hd_array *r = hd_keep(hd_add(v, t_slice(v, ALL, NEWAXIS)));
    hd_scope_end(scope, NULL);
    CHECK_KERNELS("e 1 phase\n"
                  "0 load f8 a0\n"
                  "1 load f8 a1\n"
                  "2 add f8 (0 1)\n"
                  "store a2 = 2\n");
    DROP(v, r);
}

/* Positions and random words are values like others; nothing is stored but the sum. */
TEST(golden, operands_without_memory)
{
    begin_null();
    hd_generator g = hd_generator_seed(1);
    int scope = hd_scope_begin();
    hd_array *e = hd_eye(4, 5, 1, HD_FLOAT32), *u = hd_random_uniform(&g, SHAPE(4, 5), HD_FLOAT32),
             *s = hd_keep(hd_add(e, u));
    hd_scope_end(scope, NULL);
    CHECK_KERNELS("e 1 phase\n"
                  "0 index i8 i0\n"
                  "1 index i8 i1\n"
                  "2 equal i8 (0 1)\n"
                  "3 cast f4 (2)\n"
                  "4 index i8 i2\n"
                  "5 scalar c16 s3\n"
                  "6 random_uniform f4 (4 5)\n"
                  "7 add f4 (3 6)\n"
                  "store a4 = 7\n");
    DROP(s);
}

/* A value is cast once, however often it is read. */
TEST(golden, common_casts_and_values)
{
    begin_null();
    hd_array *i = t_ready(SHAPE(9), HD_INT32), *x = line(9);
    int scope = hd_scope_begin();
    hd_array *a = hd_add(i, x), *b = hd_multiply(i, x), *c = hd_add(i, x);
    hd_array *r = hd_add(hd_multiply(a, b), c);
    hd_keep(r);
    hd_scope_end(scope, NULL);
    CHECK_KERNELS("e 1 phase\n"
                  "0 load i4 a0\n"
                  "1 cast f8 (0)\n"
                  "2 load f8 a1\n"
                  "3 add f8 (1 2)\n"
                  "4 multiply f8 (1 2)\n"
                  "5 multiply f8 (3 4)\n"
                  "6 add f8 (5 3)\n"
                  "store a2 = 6\n");
    DROP(i, x, r);
}

/* Rolled operands are loaded where they come from; what was rolled twice too. */
TEST(golden, rolled_operands)
{
    begin_null();
    const int64_t by[2] = {1, 2};
    const int axes[2] = {0, 1};
    hd_array *x = t_ready(SHAPE(9, 8), HD_FLOAT32);
    int scope = hd_scope_begin();
    hd_array *once = hd_roll(x, 1, by, axes), *twice = hd_roll(once, 1, &by[1], &axes[1]),
             *r = hd_subtract(once, twice);
    r = hd_keep(hd_add(r, hd_roll(x, 1, &(int64_t){9}, axes)));
    hd_scope_end(scope, NULL);
    CHECK_KERNELS("e 1 phase\n"
                  "0 load f4 a0\n"
                  "1 load f4 a1\n"
                  "2 subtract f4 (0 1)\n"
                  "3 load f4 a2\n"
                  "4 add f4 (2 3)\n"
                  "store a3 = 4\n");
    DROP(x, r);
}

/* What only the next kernel reads is computed there, if that one loads its operands anyway. */
TEST(golden, computed_where_it_is_read)
{
    begin_null();
    const int64_t one = 1;
    const int axis = 0;
    hd_array *x = t_ready(SHAPE(9, 8), HD_FLOAT32);
    int scope = hd_scope_begin();
    hd_array *rolled = hd_roll(x, 1, &one, &axis), *y = hd_add(x, rolled), *t = hd_multiply(y, y);
    t = hd_add(t, y);
    rolled = hd_roll(y, 1, &one, &axis);
    hd_array *r = hd_keep(hd_subtract(rolled, t));
    hd_scope_end(scope, NULL);
    CHECK_KERNELS("e 1 phase\n"
                  "0 load f4 a0\n"
                  "1 load f4 a1\n"
                  "2 add f4 (1 0)\n"
                  "store a2 = 2\n",
                  "e 1 phase\n"
                  "0 load f4 a0\n"
                  "1 multiply f4 (0 0)\n"
                  "2 add f4 (1 0)\n"
                  "3 load f4 a1\n"
                  "4 subtract f4 (3 2)\n"
                  "store a2 = 4\n");
    DROP(x, r);
}

/* Not so what would cost more loads than it saves, or read what was written to since. */
TEST(golden, computed_where_it_was_recorded)
{
    const int64_t one = 1;
    const int axis = 0;
    for (int changed = 0; changed < 2; changed++) {
        begin_null();
        hd_array *x = t_ready(SHAPE(9, 8), HD_FLOAT32), *z = t_ready(SHAPE(9, 8), HD_FLOAT32),
                 *w = t_ready(SHAPE(9, 8), HD_FLOAT32);
        int scope = hd_scope_begin();
        hd_array *rolled = hd_roll(x, 1, &one, &axis), *y = hd_add(x, rolled);
        hd_array *t = changed ? hd_multiply(z, y) : hd_multiply(z, w);
        t = hd_add(t, y);
        if (changed)
            store_number(t_slice(z, AT(0)), 3);
        rolled = hd_roll(y, 1, &one, &axis);
        hd_array *r = hd_keep(hd_subtract(rolled, t));
        hd_scope_end(scope, NULL);
        planned *p = plan_pending();
        CHECK(strstr(kernel_text(p, 0), "multiply") != NULL);
        CHECK(strstr(kernel_text(p, p->partition.ngroups - 1), "multiply") == NULL);
        DROP(x, z, w, r);
    }
}
