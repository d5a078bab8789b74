/* SPDX-License-Identifier: BSD-3-Clause */
/* test_errors.c - kernels that fail: what they had to write stays failed and says why at each
 * read, what reads it fails likewise, and everything else runs. Memory that runs out loses
 * nothing. */
#include "base/alloc.h"
#include "exec/faulty.h"
#include "support.h"

RECORDS_SMALL_WORK

/* Reading x gives this error and this message. */
static void raises(const hd_array *x, hd_status code, const char *message)
{
    hd_value v;
    hd_error e;
    CHECK(hd_item(x, 0, &v) == code);
    CHECK(hd_error_take(&e) == code);
    CHECK(strstr(e.message, message) != NULL);
}

TEST(errors, each_read_raises_the_same)
{
    hd_device *dev = begin_faulty();
    int scope = hd_scope_begin();
    hd_array *x = t_ramp(SHAPE(4), HD_FLOAT64), *y = hd_add(x, x);
    fail_at(1, 1, HD_LIBRARY);
    for (int k = 0; k < 3; k++)
        raises(y, HD_LIBRARY, "launch 1 failed");
    CHECK_EQ_I64(fault.launches, 1);   /* it is not tried again */
    CHECK(hd_eval(y) == HD_LIBRARY && t_failed(HD_LIBRARY));
    CHECK(hd_export(y, 0) == NULL && t_failed(HD_LIBRARY));
    CHECK(t_equals(x, 0, 1, 2, 3));
    hd_scope_end(scope, NULL);
    end_faulty(dev);
}

TEST(errors, what_reads_a_failure_fails)
{
    hd_device *dev = begin_faulty();
    int scope = hd_scope_begin();
    hd_array *x = t_ramp(SHAPE(4), HD_FLOAT64), *y = hd_add(x, x), *early = hd_add(y, hd_float(1)),
             *copy, *s;
    fail_at(1, 1, HD_LIBRARY);
    raises(y, HD_LIBRARY, "launch 1");
    raises(early, HD_LIBRARY, "launch 1");
    hd_array *late = hd_multiply(y, x), *z = hd_multiply(x, x), *mixed = hd_subtract(z, late);
    s = hd_sum(mixed, HD_ALL_AXES, NULL, 0);
    raises(s, HD_LIBRARY, "launch 1");
    CHECK(t_equals(z, 0, 1, 4, 9));   /* it was in the same closure, but does not depend on y */
    copy = hd_copy(x, 'C');
    hd_inplace(HD_OP_add, copy, y);
    raises(copy, HD_LIBRARY, "launch 1");
    hd_scope_end(scope, NULL);
    end_faulty(dev);
}

TEST(errors, overwriting_heals)
{
    hd_device *dev = begin_faulty();
    int scope = hd_scope_begin();
    hd_array *x = t_ramp(SHAPE(4), HD_FLOAT64), *y = hd_add(x, x),
             *part = t_slice(y, SLICE(0, 2, 1));
    fail_at(1, 1, HD_LIBRARY);
    raises(y, HD_LIBRARY, "launch 1");
    hd_array *other = hd_exp(x);
    hd_assign(part, x, HD_CAST_SAME_KIND);
    hd_error_take(NULL);
    hd_assign(part, hd_float(7), HD_CAST_SAME_KIND);   /* part of a failure is a failure */
    raises(y, HD_LIBRARY, "launch 1");
    raises(part, HD_LIBRARY, "launch 1");
    CHECK(hd_eval(other) == HD_OK && t_clean());
    hd_assign(y, hd_float(7), HD_CAST_SAME_KIND);      /* the whole is a new value */
    CHECK(t_equals(y, 7, 7, 7, 7) && t_equals(part, 7, 7));
    hd_scope_end(scope, NULL);
    end_faulty(dev);
}

/* Several kernels in one job: those that do not read what failed are done. */
TEST(errors, other_steps_of_a_job_run)
{
    hd_device *dev = begin_faulty();
    int scope = hd_scope_begin();
    hd_array *x = t_ramp(SHAPE(4), HD_FLOAT64), *u = t_ramp(SHAPE(5), HD_FLOAT64),
             *w = t_ramp(SHAPE(6), HD_FLOAT64);
    hd_array *a = hd_add(x, x), *b = hd_add(u, u), *c = hd_add(w, w);
    fail_at(2, 1, HD_DEVICE);
    CHECK(hd_synchronize(dev) == HD_DEVICE && t_failed(HD_DEVICE));
    CHECK(t_equals(a, 0, 2, 4, 6));
    raises(b, HD_DEVICE, "launch 2");
    CHECK(t_equals(c, 0, 2, 4, 6, 8, 10));
    hd_scope_end(scope, NULL);
    end_faulty(dev);
}

TEST(errors, library_calls_too)
{
    hd_device *dev = begin_faulty();
    int scope = hd_scope_begin();
    hd_array *m = t_ramp(SHAPE(20, 20), HD_FLOAT64), *p = hd_matmul(m, m, NULL), *q = hd_add(p, m);
    fail_at(1, 1, HD_LIBRARY);
    raises(q, HD_LIBRARY, "library call 1");
    raises(p, HD_LIBRARY, "library call 1");
    hd_scope_end(scope, NULL);
    end_faulty(dev);
}

/* A failure that another demand ran into is not that demand's. */
TEST(errors, of_others_are_not_raised)
{
    hd_device *dev = begin_faulty();
    int scope = hd_scope_begin();
    hd_array *x = t_ramp(SHAPE(4), HD_FLOAT64), *bad = hd_add(x, x), *good = hd_multiply(x, x);
    fail_at(1, 1, HD_INTERRUPTED);
    /* its job waits at the head of the queue ... */
    CHECK(hd_eval(bad) == HD_INTERRUPTED && t_failed(HD_INTERRUPTED));
    fail_at(1, 1, HD_LIBRARY);
    /* ... and fails while good is demanded */
    CHECK(t_equals(good, 0, 1, 4, 9));
    CHECK(t_clean());
    raises(bad, HD_LIBRARY, "launch 1");
    hd_scope_end(scope, NULL);
    end_faulty(dev);
}

/* Nor is an older error of this thread taken for the reason. */
TEST(errors, keep_their_own_reason)
{
    hd_device *dev = begin_faulty();
    int scope = hd_scope_begin();
    hd_array *x = t_ramp(SHAPE(4), HD_FLOAT64), *bad = hd_add(x, x);
    CHECK(hd_reshape(x, SHAPE(3), 'C') == NULL);   /* stays pending in this thread */
    fail_at(1, 1, HD_LIBRARY);
    CHECK(hd_eval(bad) == HD_LIBRARY);
    CHECK(hd_error_peek()->code == HD_VALUE && t_failed(HD_VALUE));
    raises(bad, HD_LIBRARY, "launch 1");
    hd_scope_end(scope, NULL);
    end_faulty(dev);
}

/* A kernel of the same job that reads what failed, and one that reads what that one writes. */
TEST(errors, later_steps_that_read_a_failure_fail)
{
    hd_device *dev = begin_faulty();
    int scope = hd_scope_begin();
    hd_array *m = t_ramp(SHAPE(20, 20), HD_FLOAT64), *p = hd_matmul(m, m, NULL),
             *q = hd_matmul(p, m, NULL), *sum = hd_sum(q, HD_ALL_AXES, NULL, 0),
             *other = hd_matmul(m, hd_transpose(m, NULL), NULL);
    CHECK(hd_inplace(HD_OP_add, other, p) == HD_OK);
    hd_array *right = hd_add(m, m);
    fail_at(1, 1, HD_LIBRARY);
    CHECK(hd_synchronize(dev) == HD_LIBRARY && t_failed(HD_LIBRARY));
    raises(p, HD_LIBRARY, "library call 1");
    raises(q, HD_LIBRARY, "library call 1");
    raises(sum, HD_LIBRARY, "library call 1");
    raises(other, HD_LIBRARY, "library call 1");   /* its product was made, and is no more */
    CHECK_EQ_I64(fault.libraries, 2);
    CHECK(t_value(right, 21) == 42);
    hd_scope_end(scope, NULL);
    end_faulty(dev);
}

/* Who read an array before it became a failure has what it was then. */
TEST(errors, do_not_reach_back)
{
    hd_device *dev = begin_faulty();
    int scope = hd_scope_begin();
    hd_array *x = t_ramp(SHAPE(4), HD_FLOAT64), *bad = hd_add(x, x), *b = hd_copy(x, 'C');
    fail_at(1, 1, HD_LIBRARY);
    raises(bad, HD_LIBRARY, "launch 1");
    CHECK(hd_eval(b) == HD_OK);
    fail_at(1, 2, HD_INTERRUPTED);
    hd_array *first = hd_exp(x);
    CHECK(hd_eval(first) == HD_INTERRUPTED && t_failed(HD_INTERRUPTED));
    hd_array *reader = hd_multiply(b, hd_float(3));   /* queued behind the one that rests */
    CHECK(hd_eval(reader) == HD_INTERRUPTED && t_failed(HD_INTERRUPTED));
    CHECK(hd_inplace(HD_OP_add, t_slice(b, SLICE(0, 2, 1)), t_slice(bad, SLICE(0, 2, 1))) == HD_OK);
    raises(b, HD_LIBRARY, "launch 1");
    CHECK(t_equals(reader, 0, 3, 6, 9));
    hd_scope_end(scope, NULL);
    end_faulty(dev);
}

/* What was queued behind a job that fails later, and reads its results. */
TEST(errors, reach_what_is_queued_already)
{
    hd_device *dev = begin_faulty();
    int scope = hd_scope_begin();
    hd_array *x = t_ramp(SHAPE(4), HD_FLOAT64), *bad = hd_add(x, x);
    fail_at(1, 2, HD_INTERRUPTED);
    CHECK(hd_eval(bad) == HD_INTERRUPTED && t_failed(HD_INTERRUPTED));
    hd_array *next = hd_exp(bad);
    CHECK(hd_eval(next) == HD_INTERRUPTED && t_failed(HD_INTERRUPTED));
    fail_at(1, 1, HD_LIBRARY);
    raises(next, HD_LIBRARY, "launch 1");
    raises(bad, HD_LIBRARY, "launch 1");
    CHECK_EQ_I64(fault.launches, 1);
    hd_scope_end(scope, NULL);
    end_faulty(dev);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* A kernel without scratch memory is tried once more. If that is in vain, what it had to write has
 * failed; nobody waits for it. */
TEST(memory, scratch_that_runs_out_is_tried_again)
{
    hd_device *dev = begin_faulty();
    int scope = hd_scope_begin();
    hd_array *x = t_ramp(SHAPE(4), HD_FLOAT64), *y = hd_add(x, x), *z = hd_multiply(y, y),
             *u = hd_exp(x), *w = hd_multiply(x, x);
    fail_at(1, 1, HD_NOMEM);
    CHECK(t_equals(y, 0, 2, 4, 6) && t_clean());
    fail_at(1, 2, HD_NOMEM);
    raises(z, HD_NOMEM, "launch 2");
    raises(z, HD_NOMEM, "launch 2");
    CHECK_EQ_I64(fault.launches, 2);
    CHECK(hd_eval(u) == HD_OK && t_equals(y, 0, 2, 4, 6) && t_clean());
    fail_at(1, 2, HD_NOMEM);
    CHECK(hd_synchronize(dev) == HD_NOMEM && t_failed(HD_NOMEM));
    raises(w, HD_NOMEM, "launch 2");
    CHECK(hd_synchronize(dev) == HD_OK && t_clean());
    hd_scope_end(scope, NULL);
    end_faulty(dev);
}

/* Whichever request fails once while work is planned and given memory: it is made again. */
TEST(memory, a_request_that_fails_once_is_made_again)
{
    int64_t n = 1;
    for (bool fired = true; fired; n++) {
        int scope = hd_scope_begin();
        hd_array *x = t_ramp(SHAPE(300), HD_FLOAT64), *m = t_ramp(SHAPE(20, 20), HD_FLOAT64);
        hd_array *a = hd_add(x, hd_float((double)n)),
                 *b = hd_sum(hd_multiply(a, a), HD_ALL_AXES, NULL, 0), *p = hd_matmul(m, m, NULL);
        hd_array *c = hd_subtract(a, b);
        hd_inplace(HD_OP_add, x, c);
        int64_t count = hdi_alloc_count();
        hdi_fail_after(n);
        CHECK(hd_synchronize(NULL) == HD_OK);
        hdi_fail_after(0);
        fired = hdi_alloc_count() - count >= n;
        CHECK_EQ_I64(t_stats(NULL).pending, 0);
        double k = (double)n, sum = 0, product = 0;
        for (int i = 0; i < 300; i++)
            sum += (i + k) * (i + k);
        for (int i = 0; i < 20; i++)
            product += i * (20 * i + 1);
        CHECK_NEAR(t_value(b, 0), sum, sum * 1e-14);
        CHECK_NEAR(t_value(x, 7), 7 + (7 + k - sum), sum * 1e-14);
        CHECK_NEAR(t_value(p, 1), product, 0);
        CHECK(t_clean());
        hd_scope_end(scope, NULL);
        REQUIRE(n < 500);
    }
    CHECK(n > 4);
}

/* An operation on shared memory runs before it returns; if it cannot, it has had no effect. */
TEST(memory, a_refused_operation_has_no_effect)
{
    double shared[3] = {1, 2, 3};
    int refused = 0;
    for (int64_t n = 1;; n++) {
        int scope = hd_scope_begin();
        hd_array *s = hd_wrap(SHAPE(3), NULL, HD_FLOAT64, shared, 0, NULL, NULL),
                 *x = t_ramp(SHAPE(3), HD_FLOAT64);
        hd_array *pending = hd_add(x, x);
        shared[0] = 1;
        hdi_fail_after(n);
        hd_status first = hd_inplace(HD_OP_add, x, s), second = hd_inplace(HD_OP_multiply, s, x);
        hdi_fail_after(0);
        hd_error_take(NULL);
        double x0 = first == HD_OK ? 1 : 0;
        CHECK_NEAR(t_value(x, 0), x0, 0);
        CHECK_NEAR(shared[0], second == HD_OK ? x0 : 1, 0);
        CHECK_NEAR(t_value(s, 0), shared[0], 0);
        shared[1] = 2;
        shared[2] = 3;
        CHECK(t_equals(pending, 0, 2, 4));
        hd_scope_end(scope, NULL);
        refused += first != HD_OK || second != HD_OK;
        if (first == HD_OK && second == HD_OK)
            break;
        REQUIRE(n < 500);
    }
    CHECK(refused > 3 && t_clean());
}

/* The same for stores that rename, when even their hazards find no memory. */
TEST(memory, a_refused_store_keeps_the_old_value)
{
    for (int64_t n = 1; n < 40; n++) {
        int scope = hd_scope_begin();
        hd_array *x = t_ramp(SHAPE(40), HD_INT64), *y = t_ramp(SHAPE(40), HD_INT64);
        for (int64_t k = 0; k < 30; k++)
            hd_assign(t_slice(y, SLICE(k, k + 1, 1)), hd_int(5), HD_CAST_SAME_KIND);
        hdi_fail_after(n);
        hd_status status = hd_assign(x, y, HD_CAST_SAME_KIND);   /* reads thirty pending writes */
        hdi_fail_after(0);
        hd_error_take(NULL);
        CHECK_NEAR(t_value(x, 3), status == HD_OK ? 5 : 3, 0);
        CHECK_NEAR(t_value(x, 39), 39, 0);
        hd_scope_end(scope, NULL);
        if (status == HD_OK)
            return;
    }
    CHECK_STR("it never succeeded", "");
}
