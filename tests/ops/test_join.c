/* SPDX-License-Identifier: BSD-3-Clause */
/* test_join.c - concatenate and stack: values, dtypes, out, what is refused. */
#include "support.h"

#define LIST(...) (const hd_array *const[]){__VA_ARGS__}

TEST(concatenate, along_each_axis)
{
    int scope = hd_scope_begin();
    hd_array *a = t_ramp(SHAPE(2, 2), HD_INT32), *b = t_ramp_from(10, SHAPE(2, 1), HD_INT32),
             *c = t_ramp_from(20, SHAPE(1, 2), HD_INT32);
    CHECK(t_equals(hd_concatenate(2, LIST(a, b), 1, HD_NO_DTYPE, NULL), 0, 1, 10, 2, 3, 11));
    CHECK(t_equals(hd_concatenate(2, LIST(a, c), 0, HD_NO_DTYPE, NULL), 0, 1, 2, 3, 20, 21));
    CHECK(t_equals(hd_concatenate(2, LIST(hd_transpose(a, NULL), hd_transpose(c, NULL)), -1,
                                  HD_NO_DTYPE, NULL),
                   0, 2, 20, 1, 3, 21));
    CHECK(t_equals(hd_concatenate(3, LIST(hd_transpose(a, NULL), b, c), HD_FLAT, HD_NO_DTYPE, NULL),
                   0, 2, 1, 3, 10, 11, 20, 21));
    hd_array *none = hd_empty(SHAPE(0, 2), HD_INT32);
    CHECK(t_equals(hd_concatenate(3, LIST(none, a, none), 0, HD_NO_DTYPE, NULL), 0, 1, 2, 3));
    CHECK(hd_size(hd_concatenate(1, LIST(none), 0, HD_NO_DTYPE, NULL)) == 0);
    hd_scope_end(scope, NULL);
}

TEST(stack, along_a_new_axis)
{
    int scope = hd_scope_begin();
    hd_array *a = t_ramp(SHAPE(2, 2), HD_INT32), *b = t_ramp_from(10, SHAPE(2, 2), HD_INT32);
    CHECK(t_equals(hd_stack(2, LIST(a, b), 0, HD_NO_DTYPE, NULL), 0, 1, 2, 3, 10, 11, 12, 13));
    CHECK(t_equals(hd_stack(2, LIST(a, b), 1, HD_NO_DTYPE, NULL), 0, 1, 10, 11, 2, 3, 12, 13));
    CHECK(t_equals(hd_stack(2, LIST(a, b), -1, HD_NO_DTYPE, NULL), 0, 10, 1, 11, 2, 12, 3, 13));
    hd_array *s = hd_stack(2, LIST(hd_int(1), hd_float(2.5)), 0, HD_NO_DTYPE, NULL);
    CHECK(hd_ndim(s) == 1 && hd_dtype_of(s) == HD_FLOAT64 && t_equals(s, 1, 2.5));
    hd_scope_end(scope, NULL);
}

TEST(join, dtypes_and_out)
{
    int scope = hd_scope_begin();
    hd_array *i = t_ramp(SHAPE(2), HD_INT32), *f = t_ramp_from(10.5, SHAPE(2), HD_FLOAT32),
             *out = hd_zeros(SHAPE(4), HD_FLOAT32);
    hd_array *r = hd_concatenate(2, LIST(i, f), 0, HD_NO_DTYPE, NULL);
    CHECK(hd_dtype_of(r) == HD_FLOAT64 && t_equals(r, 0, 1, 10.5, 11.5));
    r = hd_concatenate(2, LIST(i, f), 0, HD_INT16, NULL);
    CHECK(hd_dtype_of(r) == HD_INT16 && t_equals(r, 0, 1, 10, 11));
    CHECK(hd_concatenate(2, LIST(f, f), 0, HD_NO_DTYPE, out) == out &&
          t_equals(out, 10.5, 11.5, 10.5, 11.5));
    CHECK(hd_stack(2, LIST(i, i), 0, HD_NO_DTYPE, hd_zeros(SHAPE(2, 2), HD_INT32)) != NULL);
    CHECK(hd_result_dtype(2, LIST(i, hd_float(1))) == HD_FLOAT64 &&
          hd_result_dtype(2, LIST(f, hd_int(1))) == HD_FLOAT32);
    hd_scope_end(scope, NULL);
}

TEST(join, refuses)
{
    int scope = hd_scope_begin();
    hd_array *a = t_ramp(SHAPE(2, 2), HD_INT32), *b = t_ramp(SHAPE(3, 3), HD_INT32),
             *v = t_ramp(SHAPE(2), HD_INT32);
    CHECK(hd_concatenate(0, NULL, 0, HD_NO_DTYPE, NULL) == NULL && t_failed(HD_VALUE));
    CHECK(hd_concatenate(2, LIST(a, b), 0, HD_NO_DTYPE, NULL) == NULL && t_failed(HD_VALUE));
    CHECK(hd_concatenate(2, LIST(a, v), 0, HD_NO_DTYPE, NULL) == NULL && t_failed(HD_VALUE));
    CHECK(hd_concatenate(2, LIST(a, a), 2, HD_NO_DTYPE, NULL) == NULL && t_failed(HD_AXIS));
    CHECK(hd_concatenate(1, LIST(hd_reshape(t_ramp(SHAPE(1), HD_INT8), SCALAR_SHAPE, 'C')), 0,
                         HD_NO_DTYPE, NULL) == NULL &&
          t_failed(HD_VALUE));
    CHECK(hd_stack(2, LIST(a, b), 0, HD_NO_DTYPE, NULL) == NULL && t_failed(HD_VALUE));
    CHECK(hd_stack(2, LIST(a, a), 3, HD_NO_DTYPE, NULL) == NULL && t_failed(HD_AXIS));
    CHECK(hd_concatenate(2, LIST(a, a), 0, HD_NO_DTYPE, b) == NULL && t_failed(HD_VALUE));
    CHECK(hd_concatenate(2, LIST(v, v), HD_FLAT, HD_NO_DTYPE, b) == NULL && t_failed(HD_VALUE));
    CHECK(hd_concatenate(2, LIST(a, NULL), 0, HD_NO_DTYPE, NULL) == NULL && t_failed(HD_VALUE));
    hd_scope_end(scope, NULL);
}

/* The parts are copied by the kernels that make them: nothing but the result gets memory. */
TEST(join, fuses_with_what_made_the_parts)
{
    hd_array *x = t_ramp(SHAPE(1000), HD_FLOAT64);
    CHECK(hd_synchronize(NULL) == HD_OK);
    hd_reset_memory_peak(NULL);
    hd_stats before = t_stats(NULL);
    int scope = hd_scope_begin();
    hd_array *r = hd_concatenate(2, LIST(hd_add(x, x), hd_multiply(x, x)), 0, HD_NO_DTYPE, NULL);
    hd_scope_end(scope, r);
    CHECK(hd_eval(r) == HD_OK);
    hd_stats after = t_stats(NULL);
    CHECK_EQ_I64(after.temporaries - before.temporaries, 2);
    CHECK_EQ_I64(after.memory_peak - before.memory_used, 16000);
    CHECK(t_value(r, 3) == 6 && t_value(r, 1003) == 9);
    hd_release(x);
    hd_release(r);
}

/* Written into an array that is one of the inputs. */
TEST(join, out_may_be_an_input)
{
    int scope = hd_scope_begin();
    hd_array *x = t_ramp(SHAPE(4), HD_INT64), *head = t_slice(x, SLICE(0, 2, 1)),
             *tail = t_slice(x, SLICE(2, 4, 1));
    CHECK(hd_concatenate(2, LIST(head, tail), 0, HD_NO_DTYPE, x) == x && t_equals(x, 0, 1, 2, 3));
    hd_scope_end(scope, NULL);
}
