/* SPDX-License-Identifier: BSD-3-Clause */
/* test_array.c - handles: references, scopes, what can be asked of an array, weak scalars. */
#include <pthread.h>

#include "core/array.h"
#include "support.h"

RECORDS_SMALL_WORK

static int64_t bytes_held(void)
{
    return (int64_t)hdi_memory_bytes.held;
}

/* ---- references ------------------------------------------------------------------------------ */

TEST(array, the_last_reference_frees_the_storage)
{
    int64_t before = bytes_held();
    hd_array *x = t_ramp(SHAPE(100), HD_FLOAT64);
    CHECK_EQ_I64(bytes_held() - before, 800);
    CHECK(hd_retain(x) == x);
    hd_array *v = t_slice(x, SLICE(0, 10, 1));
    hd_release(x);
    hd_release(x);
    CHECK_EQ_I64(bytes_held() - before, 800);   /* the view keeps it */
    CHECK_NEAR(t_value(v, 9), 9, 0);
    hd_release(v);
    CHECK_EQ_I64(bytes_held() - before, 0);
    hd_release(NULL);
    CHECK(hd_retain(NULL) == NULL && hd_keep(NULL) == NULL);
}

TEST(array, what_is_pending_keeps_its_inputs)
{
    hd_array *x = t_ramp(SHAPE(4), HD_INT64), *ten = hd_int(10), *y = hd_add(x, ten);
    hd_release(ten);
    hd_release(x);
    hd_array *z = hd_multiply(y, y);
    hd_release(y);
    CHECK(t_equals(z, 100, 121, 144, 169));
    hd_release(z);
}

TEST(array, a_store_renews_all_views)
{
    hd_array *x = t_ramp(SHAPE(6), HD_INT64), *v = t_slice(x, SLICE(2, 4, 1)), *ten = hd_int(10);
    hd_array *old = hd_add(v, v);
    /* a fresh generation: the view follows, what was read does not */
    CHECK(hd_assign(x, ten, HD_CAST_SAME_KIND) == HD_OK);
    CHECK(t_equals(v, 10, 10) && t_equals(old, 4, 6));
    CHECK(hd_assign_number(v, &(hd_number){.kind = HD_WEAK_INT, .as.i = 3, .re = 3}) == HD_OK);
    CHECK(t_equals(x, 10, 10, 3, 3, 10, 10));
    hd_array *all[] = {x, v, ten, old};
    for (int k = 0; k < 4; k++)
        hd_release(all[k]);
}

/* ---- scopes ---------------------------------------------------------------------------------- */

static hd_array *softmax(const hd_array *x)
{
    int scope = hd_scope_begin();
    hd_array *e = hd_exp(hd_subtract(x, hd_max(x, AXES(-1), 1)));
    return hd_scope_end(scope, hd_divide(e, hd_sum(e, AXES(-1), 1)));
}

TEST(scope, releases_all_but_one)
{
    hd_array *x = t_ramp(SHAPE(2, 3), HD_FLOAT64);
    int64_t before = bytes_held();
    hd_array *y = softmax(x);
    REQUIRE(y != NULL);
    CHECK_EQ_I64(bytes_held() - before, 48);
    CHECK_NEAR(t_value(y, 0) + t_value(y, 1) + t_value(y, 2), 1, 1e-15);
    hd_release(y);
    CHECK(hd_eval(x) == HD_OK);
    CHECK_EQ_I64(bytes_held() - before, 0);
    hd_release(x);
}

TEST(scope, nest)
{
    int64_t before = bytes_held();
    int outer = hd_scope_begin();
    /* belongs to the outer scope now */
    hd_array *x = t_ramp(SHAPE(2, 3), HD_FLOAT64), *y = softmax(x);
    hd_array *kept = hd_keep(hd_add(y, y));
    CHECK(hd_scope_end(outer, NULL) == NULL);
    CHECK_EQ_I64(bytes_held() - before, 48);
    CHECK_NEAR(t_value(kept, 0) + t_value(kept, 1) + t_value(kept, 2), 2, 1e-15);
    hd_release(kept);
    CHECK_EQ_I64(bytes_held() - before, 0);
}

TEST(scope, the_same_array_may_come_back_more_than_once)
{
    int64_t before = bytes_held();
    int scope = hd_scope_begin();
    hd_array *x = t_ramp(SHAPE(3), HD_FLOAT64);
    hd_array *same = hd_astype(x, HD_FLOAT64, 'K', HD_CAST_SAFE, 0),
             *again = hd_astype(same, HD_FLOAT64, 'K', HD_CAST_SAFE, 0);
    CHECK(same == x && again == x);
    hd_array *r = hd_scope_end(scope, again);
    CHECK(t_equals(r, 0, 1, 2));
    hd_release(r);   /* one release is enough */
    CHECK_EQ_I64(bytes_held() - before, 0);
}

TEST(scope, a_kept_array_leaves_every_scope)
{
    int64_t before = bytes_held();
    int outer = hd_scope_begin(), inner = hd_scope_begin();
    hd_array *a = t_ramp(SHAPE(2), HD_INT64), *b = t_ramp(SHAPE(2), HD_INT64),
             *c = t_ramp(SHAPE(2), HD_INT64);
    CHECK(hd_keep(b) == b && hd_keep(b) == b);
    CHECK(hd_scope_end(inner, c) == c);
    CHECK_EQ_I64(bytes_held() - before, 32);
    (void)a;
    hd_scope_end(outer, NULL);
    CHECK_EQ_I64(bytes_held() - before, 16);
    hd_release(b);
}

TEST(scope, deeper_than_the_list_of_scopes)
{
    enum { DEEP = 100 };
    int depth[DEEP];
    int64_t before = bytes_held();
    for (int k = 0; k < DEEP; k++) {
        depth[k] = hd_scope_begin();
        (void)t_ramp(SHAPE(2), HD_INT64);
    }
    for (int k = DEEP - 1; k >= 0; k--)
        hd_scope_end(depth[k], NULL);
    CHECK_EQ_I64(bytes_held() - before, 0);
    CHECK(hd_scope_end(depth[0], NULL) == NULL);   /* ended already */
    CHECK(hd_scope_end(-1, NULL) == NULL);
}

static void *other_thread(void *arg)
{
    *(hd_array **)arg = t_ramp(SHAPE(2), HD_INT64);
    return NULL;
}

TEST(scope, is_the_threads_own)
{
    pthread_t thread;
    hd_array *x = NULL;
    int scope = hd_scope_begin();
    REQUIRE(pthread_create(&thread, NULL, other_thread, &x) == 0);
    pthread_join(thread, NULL);
    hd_scope_end(scope, NULL);
    CHECK(t_equals(x, 0, 1));
    hd_release(x);
}

TEST(scope, nothing_leaks_when_an_operation_fails)
{
    int64_t before = bytes_held();
    int scope = hd_scope_begin();
    hd_array *x = t_ramp(SHAPE(3), HD_FLOAT64), *y = t_ramp(SHAPE(4), HD_FLOAT64);
    hd_array *r = hd_sqrt(hd_add(hd_exp(x), hd_multiply(x, y)));
    CHECK(hd_scope_end(scope, r) == NULL);
    CHECK_EQ_I64(bytes_held() - before, 0);
    hd_error e;
    CHECK(hd_error_take(&e) == HD_SHAPE);
    CHECK_STR(e.where, "multiply");
    CHECK(strstr(e.message, "(3,) (4,)") != NULL);
}

/* ---- asking ---------------------------------------------------------------------------------- */

TEST(array, flags)
{
    hd_array *x = t_ramp(SHAPE(2, 3), HD_INT32), *t = hd_transpose(x, NULL),
             *part = t_slice(x, ALL, SLICE(0, 2, 1));
    hd_array *wide = hd_broadcast_to(x, SHAPE(2, 2, 3)), *sum = hd_sum(x, HD_ALL_AXES, NULL, 0),
             *y = hd_add(x, x);
    CHECK(hd_flags(x) == (HD_C_CONTIGUOUS | HD_WRITEABLE | HD_OWNS_DATA | HD_ALIGNED));
    CHECK((hd_flags(t) & (HD_C_CONTIGUOUS | HD_F_CONTIGUOUS)) == HD_F_CONTIGUOUS);
    CHECK((hd_flags(part) & (HD_C_CONTIGUOUS | HD_F_CONTIGUOUS | HD_OWNS_DATA)) == 0);
    CHECK(!(hd_flags(wide) & HD_WRITEABLE));
    CHECK((hd_flags(sum) & (HD_SCALAR | HD_WRITEABLE)) == HD_SCALAR);
    CHECK(hd_flags(y) & HD_PENDING);
    CHECK(hd_eval(y) == HD_OK && !(hd_flags(y) & HD_PENDING));
    CHECK(hd_set_writeable(x, 0) == HD_OK && !(hd_flags(x) & HD_WRITEABLE));
    CHECK(hd_inplace(HD_OP_add, x, y) == HD_READONLY && t_failed(HD_READONLY));
    CHECK(hd_set_writeable(x, 1) == HD_OK && hd_inplace(HD_OP_add, x, y) == HD_OK);
    CHECK(hd_set_writeable(wide, 1) == HD_READONLY && t_failed(HD_READONLY));
    CHECK(hd_set_writeable(sum, 1) == HD_READONLY && t_failed(HD_READONLY));
    hd_array *all[] = {x, t, part, wide, sum, y};
    for (int k = 0; k < 6; k++)
        hd_release(all[k]);
}

TEST(array, may_share)
{
    hd_array *x = t_ramp(SHAPE(10), HD_INT64), *y = t_ramp(SHAPE(10), HD_INT64);
    hd_array *even = t_slice(x, SLICE(0, HD_NONE, 2)), *odd = t_slice(x, SLICE(1, HD_NONE, 2));
    hd_array *front = t_slice(x, SLICE(0, 5, 1)), *n = hd_int(3);
    CHECK(hd_same_memory(even, odd) && !hd_may_share(even, odd));
    CHECK(hd_may_share(even, front) && hd_may_share(x, odd));
    CHECK(!hd_same_memory(x, y) && !hd_may_share(x, y));
    CHECK(!hd_same_memory(n, n) && !hd_may_share(n, x));
    CHECK(hd_storage_of(x) == hd_storage_of(even) && hd_storage_of(x) != hd_storage_of(y));
    hd_array *all[] = {x, y, even, odd, front, n};
    for (int k = 0; k < 6; k++)
        hd_release(all[k]);
}

/* ---- weak scalars ---------------------------------------------------------------------------- */

TEST(weak, adapts_to_the_array_beside_it)
{
    hd_array *x = t_ramp(SHAPE(3), HD_FLOAT32), *n = hd_float(0.5), *i = hd_int(2),
             *z = hd_complex(0, 1), *b = hd_bool(1);
    hd_array *y[] = {hd_add(x, n), hd_multiply(i, x), hd_multiply(x, z), hd_add(x, b),
                     hd_add(i, i), hd_add(b, b),      hd_add(n, i)};
    hd_dtype want[] = {HD_FLOAT32, HD_FLOAT32, HD_COMPLEX64, HD_FLOAT32,
                       HD_INT64,   HD_BOOL,    HD_FLOAT64};
    for (size_t k = 0; k < sizeof y / sizeof *y; k++) {
        CHECK(hd_dtype_of(y[k]) == want[k]);
        CHECK(hd_eval(y[k]) == HD_OK);
    }
    CHECK(t_equals(y[0], 0.5, 1.5, 2.5) && t_equals(y[1], 0, 2, 4) && t_equals(y[4], 4) &&
          t_equals(y[6], 2.5));
    for (size_t k = 0; k < sizeof y / sizeof *y; k++)
        hd_release(y[k]);
    hd_array *all[] = {x, n, i, z, b};
    for (int k = 0; k < 5; k++)
        hd_release(all[k]);
}

TEST(weak, integers_must_fit)
{
    hd_array *x = t_ramp(SHAPE(3), HD_UINT8), *big = hd_int(256), *minus = hd_int(-1),
             *huge = hd_uint(UINT64_MAX);
    CHECK(hd_add(x, big) == NULL && t_failed(HD_OVERFLOW));
    CHECK(hd_add(x, minus) == NULL && t_failed(HD_OVERFLOW));
    CHECK(hd_inplace(HD_OP_add, x, huge) == HD_OVERFLOW && t_failed(HD_OVERFLOW));
    /* comparisons know the answer */
    hd_array *less = hd_less(x, big), *more = hd_greater(x, minus), *same = hd_equal(x, huge);
    CHECK(t_all(less, 1) && t_all(more, 1) && t_all(same, 0));
    CHECK(t_equals(x, 0, 1, 2));
    hd_array *all[] = {x, big, minus, huge, less, more, same};
    for (int k = 0; k < 7; k++)
        hd_release(all[k]);
}

TEST(weak, can_be_read_and_asked)
{
    hd_array *i = hd_int(-7), *u = hd_uint(UINT64_MAX), *z = hd_complex(1, 2);
    int64_t n = 0;
    hd_value v;
    CHECK(hd_read(i, &n) == HD_OK && n == -7);
    CHECK(hd_item(i, 0, &v) == HD_OK && v.kind == 'i' && v.as.i == -7);
    CHECK(hd_item(i, 1, &v) == HD_INDEX && t_failed(HD_INDEX));
    CHECK(hd_item(z, 0, &v) == HD_OK && v.kind == 'c' && v.as.c[0] == 1 && v.as.c[1] == 2);
    /* as int64, which it does not fit */
    CHECK(hd_read(u, &n) == HD_OVERFLOW && t_failed(HD_OVERFLOW));
    CHECK(hd_eval(i) == HD_OK && hd_size(i) == 1 && hd_ndim(i) == 0);
    CHECK((hd_flags(i) & (HD_WEAK | HD_SCALAR | HD_WRITEABLE)) == (HD_WEAK | HD_SCALAR));
    CHECK(hd_device_of(i) == hd_device_current());
    CHECK(hd_inplace(HD_OP_add, i, i) == HD_READONLY && t_failed(HD_READONLY));
    hd_array *copy = hd_copy(i, 'C'), *as = hd_astype(i, HD_FLOAT32, 'K', HD_CAST_UNSAFE, 1),
             *s = hd_scalar_of(i);
    CHECK(t_equals(copy, -7) && t_equals(as, -7) && t_equals(s, -7));
    CHECK(hd_dtype_of(copy) == HD_INT64 && hd_dtype_of(as) == HD_FLOAT32);
    hd_array *all[] = {i, u, z, copy, as, s};
    for (int k = 0; k < 6; k++)
        hd_release(all[k]);
}

/* After a second thread came the lock is a mutex: whoever took it twice in one call would stop
 * here. */
static void *touch_the_lock(void *arg)
{
    hd_release(hd_retain(arg));
    return NULL;
}

TEST(weak, never_takes_the_lock_twice)
{
    pthread_t thread;
    hd_array *x = t_ramp(SHAPE(3), HD_INT64), *i = hd_int(1);
    REQUIRE(pthread_create(&thread, NULL, touch_the_lock, x) == 0);
    pthread_join(thread, NULL);
    const hd_array *index[] = {i}, *parts[] = {i, i};
    hd_array *r[] = {hd_copy(i, 'C'),
                     hd_astype(i, HD_INT8, 'K', HD_CAST_UNSAFE, 1),
                     hd_scalar_of(i),
                     hd_empty_like(i, HD_NO_DTYPE),
                     hd_take(x, 1, index),
                     hd_cumsum(i, HD_FLAT, HD_NO_DTYPE, NULL),
                     hd_reshape(i, SHAPE(1), 'C'),
                     hd_sum(i, HD_ALL_AXES, NULL, 0),
                     hd_stack(2, parts, 0, HD_NO_DTYPE, NULL),
                     hd_dot(i, x, NULL),
                     hd_power(x, i),
                     hd_full(SHAPE(2), i, HD_NO_DTYPE),
                     hd_where(i, i, x)};
    for (size_t k = 0; k < sizeof r / sizeof *r; k++) {
        CHECK(r[k] != NULL && hd_eval(r[k]) == HD_OK);
        hd_release(r[k]);
    }
    hd_array *axes[1];
    CHECK(hd_nonzero(i, axes) == HD_OK);
    CHECK(hd_put(x, 1, index, i, HD_CAST_UNSAFE) == HD_OK && t_equals(x, 0, 1, 2));
    hd_release(x);
    hd_release(i);
    CHECK(t_clean());
}
