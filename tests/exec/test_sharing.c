/* SPDX-License-Identifier: BSD-3-Clause */
/* test_sharing.c - memory that somebody else can reach (rule M9): operations on it run before
 * the call returns, it is never renamed or taken over, and it is given back once, outside the
 * lock. */
#include <pthread.h>

#include "support.h"

RECORDS_SMALL_WORK

enum { N = 6 };

static hd_array *wrap(double *memory, int64_t n)
{
    return hd_wrap(1, &n, NULL, HD_FLOAT64, memory, 0, NULL, NULL);
}

static hd_array *slice(hd_array *x, int64_t from, int64_t to)
{
    return t_slice(x, SLICE(from, to, 1));
}

/* ---- imported -------------------------------------------------------------------------------- */

TEST(wrap, reads_happen_at_the_call)
{
    double memory[N] = {0, 1, 2, 3, 4, 5};
    int scope = hd_scope_begin();
    hd_array *x = wrap(memory, N), *y = hd_add(x, x), *s = hd_sum(x, HD_ALL_AXES, NULL, 0),
             *e = hd_exp(hd_multiply(x, hd_float(0)));
    for (int k = 0; k < N; k++)
        memory[k] = 100;
    CHECK(t_equals(y, 0, 2, 4, 6, 8, 10) && t_equals(s, 15) && t_all(e, 1));
    hd_array *z = hd_add(x, x);
    CHECK(t_all(z, 200) && t_all(x, 100));
    CHECK_EQ_I64(t_stats(NULL).pending, 0);
    hd_scope_end(scope, NULL);
}

TEST(wrap, writes_happen_at_the_call)
{
    double memory[N] = {0, 1, 2, 3, 4, 5};
    int scope = hd_scope_begin();
    hd_array *x = wrap(memory, N), *y = t_ramp(SHAPE(N), HD_FLOAT64);
    CHECK(hd_inplace(HD_OP_add, x, hd_multiply(y, hd_float(10))) == HD_OK);
    CHECK(memory[5] == 55 && memory[1] == 11);
    CHECK(hd_assign(slice(x, 1, 3), hd_float(7), HD_CAST_SAME_KIND) == HD_OK);
    CHECK(memory[1] == 7 && memory[2] == 7 && memory[3] == 33);
    /* the whole array, and yet not renamed */
    CHECK(hd_assign(x, hd_float(-1), HD_CAST_SAME_KIND) == HD_OK);
    CHECK(memory[0] == -1 && memory[5] == -1);
    hd_apply_options o = {
        .size = sizeof o, .out = x, .dtype = HD_NO_DTYPE, .casting = HD_CAST_SAME_KIND};
    CHECK(hd_apply(HD_OP_multiply, 2, (const hd_array *const[]){y, y}, &o) == x && memory[5] == 25);
    hd_array *at[] = {t_ramp(SHAPE(2), HD_INT64)};
    CHECK(hd_put(x, 1, (const hd_array *const *)at, hd_int(9), HD_CAST_UNSAFE) == HD_OK &&
          memory[0] == 9 && memory[2] == 4);
    hd_scope_end(scope, NULL);
}

/* What is pending on private memory, and reads what was computed from shared memory, may wait. */
TEST(wrap, only_operations_on_it_run_at_once)
{
    double memory[N] = {0, 1, 2, 3, 4, 5};
    int scope = hd_scope_begin();
    hd_array *x = wrap(memory, N), *y = hd_add(x, x), *z = hd_multiply(y, y);
    CHECK(!(hd_flags(y) & HD_PENDING) && (hd_flags(z) & HD_PENDING));
    hd_array *w = hd_add(z, x);   /* needs z */
    CHECK(!(hd_flags(w) & HD_PENDING) && !(hd_flags(z) & HD_PENDING));
    memory[1] = 50;
    CHECK(t_equals(w, 0, 5, 18, 39, 68, 105));
    hd_scope_end(scope, NULL);
}

TEST(wrap, any_strides)
{
    double memory[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    int scope = hd_scope_begin();
    /* three rows of four, seen from the last element backwards, columns first */
    hd_array *x =
        hd_wrap(SHAPE(4, 3), (const int64_t[]){-8, -32}, HD_FLOAT64, memory + 11, 0, NULL, NULL);
    CHECK(t_equals(x, 11, 7, 3, 10, 6, 2, 9, 5, 1, 8, 4, 0));
    CHECK(hd_assign(t_slice(x, AT(0)), hd_float(-1), HD_CAST_SAME_KIND) == HD_OK);
    CHECK(memory[11] == -1 && memory[7] == -1 && memory[3] == -1 && memory[10] == 10);
    CHECK(!(hd_flags(x) & HD_OWNS_DATA));
    CHECK(hd_as_strided(x, SHAPE(13), (const int64_t[]){-8}, 0) == NULL && t_failed(HD_VALUE));
    hd_array *none = hd_wrap(SHAPE(0, 3), NULL, HD_FLOAT64, memory, 0, NULL, NULL);
    CHECK(hd_size(none) == 0 && hd_eval(none) == HD_OK);
    hd_scope_end(scope, NULL);
}

TEST(wrap, refuses)
{
    char memory[32];
    CHECK(hd_wrap(SHAPE(2), NULL, HD_DTYPE_COUNT, memory, 0, NULL, NULL) == NULL && t_failed(HD_DTYPE));
    CHECK(hd_wrap(SHAPE(-2), NULL, HD_INT8, memory, 0, NULL, NULL) == NULL && t_failed(HD_VALUE));
    hd_device *cpu = hd_device_current();
    hd_device_set_current(hd_device_get("null"));
    /* the host's memory is the CPU's, wherever other arrays are made */
    hd_array *x = hd_wrap(SHAPE(2), NULL, HD_INT8, memory, 0, NULL, NULL);
    CHECK(x != NULL && hd_device_of(x) == cpu);
    hd_release(x);
    hd_device_set_current(cpu);
}

TEST(wrap, takes_unaligned_memory)
{
    char memory[33];
    double values[4] = {1, 2, 3, 4};
    memcpy(memory + 1, values, sizeof values);
    hd_array *x = hd_wrap(SHAPE(4), NULL, HD_FLOAT64, memory + 1, 0, NULL, NULL);
    CHECK(!(hd_flags(x) & HD_ALIGNED));
    CHECK(hd_inplace(HD_OP_add, x, x) == HD_OK);
    memcpy(values, memory + 1, sizeof values);
    CHECK(values[0] == 2 && values[3] == 8);
    CHECK(t_equals(x, 2, 4, 6, 8));
    hd_release(x);
}

TEST(wrap, read_only)
{
    double memory[N] = {0};
    int scope = hd_scope_begin();
    int64_t n = N;
    hd_array *x = hd_wrap(1, &n, NULL, HD_FLOAT64, memory, 1, NULL, NULL), *v = slice(x, 0, 2);
    CHECK(hd_assign(x, hd_float(1), HD_CAST_SAME_KIND) == HD_READONLY && t_failed(HD_READONLY));
    CHECK(hd_inplace(HD_OP_add, v, hd_float(1)) == HD_READONLY && t_failed(HD_READONLY));
    CHECK(hd_set_writeable(v, 1) == HD_READONLY && t_failed(HD_READONLY));
    CHECK(hd_export(x, 1) == NULL && t_failed(HD_READONLY));
    CHECK(hd_export(x, 0) == memory);
    hd_unexport(x);
    CHECK(memory[0] == 0);
    hd_scope_end(scope, NULL);
}

/* Two wraps of one memory do not know each other's names, but their addresses say it. */
TEST(wrap, twice_over_the_same_memory)
{
    enum { LONG = 5000 };
    static double memory[LONG];
    for (int k = 0; k < LONG; k++)
        memory[k] = k;
    int scope = hd_scope_begin();
    hd_array *x = wrap(memory + 1, LONG - 1), *y = wrap(memory, LONG - 1),
             *far = wrap(memory + 3000, 10), *near = wrap(memory, 10);
    CHECK(hd_may_share(x, y) && !hd_same_memory(x, y) && !hd_may_share(far, near));
    CHECK(hd_inplace(HD_OP_add, x, y) == HD_OK);   /* as if y had been copied first */
    int wrong = 0;
    for (int k = 1; k < LONG; k++)
        wrong += memory[k] != 2 * k - 1;
    CHECK_EQ_I64(wrong, 0);
    hd_array *same = wrap(memory, LONG);
    CHECK(hd_inplace(HD_OP_subtract, same, wrap(memory, LONG)) == HD_OK && memory[17] == 0);
    hd_scope_end(scope, NULL);
}

/* ---- deleters -------------------------------------------------------------------------------- */

static int deleted;
static double *deleters_memory;

/* Uses the library: it must not hold its lock. */
static void deleter(void *ctx)
{
    deleted += *(int *)ctx;
    hd_array *x = t_ramp(SHAPE(2), HD_INT64), *y = hd_add(x, x);
    CHECK(t_equals(y, 0, 2));
    hd_release(x);
    hd_release(y);
    free(deleters_memory);
    deleters_memory = NULL;
}

static hd_array *wrap_with_deleter(int *count)
{
    int64_t n = N;
    deleted = 0;
    deleters_memory = calloc(N, sizeof(double));
    return hd_wrap(1, &n, NULL, HD_FLOAT64, deleters_memory, 0, deleter, count);
}

TEST(deleter, runs_once_after_the_last_view)
{
    int one = 1;
    hd_array *x = wrap_with_deleter(&one), *v = slice(x, 1, 3), *y = hd_add(v, v);
    hd_release(x);
    CHECK_EQ_I64(deleted, 0);
    CHECK(t_all(v, 0));
    hd_release(v);
    CHECK_EQ_I64(deleted, 1);
    CHECK(t_all(y, 0));
    hd_release(y);
    CHECK(hd_synchronize(NULL) == HD_OK);
    CHECK_EQ_I64(deleted, 1);
}

TEST(deleter, runs_at_the_end_of_a_scope)
{
    int one = 1;
    int scope = hd_scope_begin();
    hd_array *x = wrap_with_deleter(&one);
    (void)hd_add(x, x);
    hd_scope_end(scope, NULL);
    CHECK_EQ_I64(deleted, 1);
}

TEST(deleter, is_the_callers_when_wrapping_fails)
{
    int one = 1;
    int64_t n = -1;
    double memory[2];
    deleted = 0;
    CHECK(hd_wrap(1, &n, NULL, HD_FLOAT64, memory, 0, deleter, &one) == NULL && t_failed(HD_VALUE));
    CHECK_EQ_I64(deleted, 0);
}

static void *release_in_thread(void *x)
{
    hd_release(x);
    return NULL;
}

TEST(deleter, runs_in_the_thread_that_lets_go)
{
    int one = 1;
    pthread_t thread;
    hd_array *x = wrap_with_deleter(&one);
    REQUIRE(pthread_create(&thread, NULL, release_in_thread, x) == 0);
    pthread_join(thread, NULL);
    CHECK_EQ_I64(deleted, 1);
}

/* ---- exported -------------------------------------------------------------------------------- */

TEST(export, computes_and_pins)
{
    int scope = hd_scope_begin();
    hd_array *x = t_ramp(SHAPE(N), HD_FLOAT64), *y = hd_add(x, x), *v = slice(y, 2, 4);
    double *p = hd_export(v, 1);
    REQUIRE(p != NULL);
    CHECK(p[0] == 4 && p[1] == 6 && p[-1] == 2);
    hd_array *before = hd_multiply(y, hd_float(10));
    p[0] = 77;
    hd_array *after = hd_multiply(y, hd_float(10));
    CHECK(t_equals(before, 0, 20, 40, 60, 80, 100) && t_equals(after, 0, 20, 770, 60, 80, 100));
    /* not renamed: p stays true */
    CHECK(hd_assign(y, hd_float(5), HD_CAST_SAME_KIND) == HD_OK && p[0] == 5 && p[3] == 5);
    hd_unexport(v);
    hd_array *lazy = hd_add(y, y);
    CHECK(hd_flags(lazy) & HD_PENDING);
    CHECK(hd_assign(y, hd_float(6), HD_CAST_SAME_KIND) == HD_OK);
    CHECK(t_all(lazy, 10) && t_all(v, 6));
    hd_scope_end(scope, NULL);
}

/* Readers that were pending before the export see the old values. */
TEST(export, pending_readers_come_first)
{
    int scope = hd_scope_begin();
    hd_array *x = t_ramp(SHAPE(N), HD_FLOAT64), *y = hd_add(x, x),
             *z = hd_multiply(slice(x, 1, 4), hd_float(3));
    double *p = hd_export(x, 1);
    REQUIRE(p != NULL);
    for (int k = 0; k < N; k++)
        p[k] = -1;
    CHECK(t_equals(y, 0, 2, 4, 6, 8, 10) && t_equals(z, 3, 6, 9));
    hd_unexport(x);
    hd_scope_end(scope, NULL);
}

TEST(export, more_than_once)
{
    int scope = hd_scope_begin();
    hd_array *x = t_ramp(SHAPE(N), HD_FLOAT64);
    double *p = hd_export(x, 1), *q = hd_export(x, 0);
    CHECK(p == q);
    hd_unexport(x);
    CHECK(hd_inplace(HD_OP_add, x, hd_float(1)) == HD_OK && p[0] == 1);   /* still pinned */
    hd_unexport(x);
    hd_scope_end(scope, NULL);
}

/* An array and a wrap of its own exported memory. */
TEST(export, wrapped_again)
{
    enum { LONG = 5000 };
    int scope = hd_scope_begin();
    hd_array *x = t_ramp(SHAPE(LONG), HD_FLOAT64);
    double *p = hd_export(x, 1);
    REQUIRE(p != NULL);
    hd_array *y = wrap(p, LONG - 1), *tail = slice(x, 1, LONG);
    CHECK(hd_may_share(x, y));
    CHECK(hd_inplace(HD_OP_add, tail, y) == HD_OK);
    CHECK_NEAR(t_value(x, 4321), 2 * 4321 - 1, 0);
    CHECK_NEAR(t_value(y, 4320), 2 * 4320 - 1, 0);
    hd_unexport(x);
    hd_scope_end(scope, NULL);
}

TEST(export, refuses)
{
    int scope = hd_scope_begin();
    hd_array *x = t_ramp(SHAPE(2), HD_INT8), *n = hd_int(3);
    hd_set_writeable(x, 0);
    CHECK(hd_export(x, 1) == NULL && t_failed(HD_READONLY));
    CHECK(hd_export(n, 0) == NULL && t_failed(HD_EXPORT));
    CHECK(hd_export(NULL, 0) == NULL && t_failed(HD_VALUE));
    hd_device *cpu = hd_device_current();
    hd_device_set_current(hd_device_get("null"));
    hd_array *y = hd_zeros(SHAPE(2), HD_INT8);
    CHECK(hd_export(y, 0) == NULL && t_failed(HD_EXPORT));
    hd_device_set_current(cpu);
    hd_scope_end(scope, NULL);
}

/* ---- copies ---------------------------------------------------------------------------------- */

TEST(from_data, copies_any_strides)
{
    double memory[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    int scope = hd_scope_begin();
    hd_array *x = hd_from_data(SHAPE(3, 4), NULL, HD_FLOAT64, memory),
             *t = hd_from_data(SHAPE(4, 3), (const int64_t[]){8, 32}, HD_FLOAT64, memory);
    hd_array *b = hd_from_data(SHAPE(2, 3), (const int64_t[]){0, -8}, HD_FLOAT64, memory + 11);
    memory[0] = 99;
    CHECK_NEAR(t_value(x, 0), 0, 0);
    CHECK(t_equals(t, 0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11) && t_equals(b, 11, 10, 9, 11, 10, 9));
    CHECK(hd_flags(x) & HD_OWNS_DATA);
    double back[12];
    CHECK(hd_read(hd_transpose(t, NULL), back) == HD_OK && back[0] == 0 && back[5] == 5 &&
          back[11] == 11);
    hd_scope_end(scope, NULL);
}

/* Reading waits for what is pending, in any layout; large strided views go through kernels. */
TEST(read, any_layout)
{
    enum { R = 90, C = 70 };
    static int32_t out[R * C];
    int scope = hd_scope_begin();
    hd_array *x = t_ramp(SHAPE(R, C), HD_INT32), *t = hd_transpose(hd_add(x, x), NULL);
    CHECK(hd_read(t, out) == HD_OK);
    int wrong = 0;
    for (int i = 0; i < C; i++)
        for (int j = 0; j < R; j++)
            wrong += out[i * R + j] != 2 * (j * C + i);
    CHECK_EQ_I64(wrong, 0);
    hd_array *part = t_slice(x, SLICE(5, 2, -1), AT(3));
    CHECK(hd_read(part, out) == HD_OK && out[0] == 5 * C + 3 && out[2] == 3 * C + 3);
    CHECK(hd_read(t_slice(x, SLICE(0, 0, 1)), NULL) == HD_OK);
    hd_value v;
    CHECK(hd_item(t, R * C - 1, &v) == HD_OK && v.kind == 'i' && v.as.i == 2 * (R * C - 1));
    CHECK(hd_item(t, R * C, &v) == HD_INDEX && t_failed(HD_INDEX));
    CHECK(hd_item(t, -1, &v) == HD_INDEX && t_failed(HD_INDEX));
    CHECK(hd_read(NULL, out) == HD_VALUE && t_failed(HD_VALUE));
    hd_scope_end(scope, NULL);
}

TEST(read, every_dtype)
{
    for (int dt = HD_BOOL; dt < HD_DTYPE_COUNT; dt++) {
        hd_array *x = t_ramp(SHAPE(2), (hd_dtype)dt);
        CHECK(t_equals(x, 0, 1));
        hd_release(x);
    }
    int8_t minus = -3;
    uint64_t huge = UINT64_MAX;
    hd_value v;
    hd_array *x = hd_from_data(SHAPE(1), NULL, HD_INT8, &minus),
             *y = hd_from_data(SHAPE(1), NULL, HD_UINT64, &huge);
    CHECK(hd_item(x, 0, &v) == HD_OK && v.kind == 'i' && v.as.i == -3);
    CHECK(hd_item(y, 0, &v) == HD_OK && v.kind == 'u' && v.as.u == huge);
    hd_release(x);
    hd_release(y);
}
