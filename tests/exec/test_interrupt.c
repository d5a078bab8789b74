/* SPDX-License-Identifier: BSD-3-Clause */
/* test_interrupt.c - work that is stopped between blocks: what was finished is kept, the next
 * demand goes on, and the results are the same bits as without a stop. Recording meanwhile does
 * not wait for it. */
#include <heddle/wait.h>

#include "backend/backend.h"
#include "base/lock.h"
#include "base/pool.h"
#include "support.h"

enum { N = 500000, ROWS = 700, COLUMNS = 700 };

/* Says stop until it has said so often enough. It is asked after each task of the calling thread:
 * how long the work takes does not matter, but with two threads the other one may have done all
 * that is left by then. */
static int stops_left, asked;
static bool stop_now(void)
{
    asked++;
    return stops_left-- > 0;
}

static bool (*usual)(void);

static void begin_stopping(int stops)
{
    usual = hdi_poll_interrupt;
    hdi_poll_interrupt = stop_now;
    stops_left = stops;
    asked = 0;
    hdi_pool_ask_every(0);
}

static void end_stopping(void)
{
    hdi_poll_interrupt = usual;
    hdi_pool_ask_every(-1);
}

/* For tests of a single stop: nobody else finishes the work before the question. */
static void alone(bool yes)
{
    CHECK(hd_set_threads(yes ? 1 : 0) == HD_OK);
}

/* Demands x until it is there; returns how often it was stopped. */
static int insist(const hd_array *x)
{
    int stops = 0;
    hd_status status;
    while ((status = hd_eval(x)) == HD_INTERRUPTED && stops < 1000) {
        CHECK(t_failed(HD_INTERRUPTED));
        stops++;
    }
    CHECK(status == HD_OK);
    return stops;
}

static hd_array *elementwise(const hd_array *x)
{
    int scope = hd_scope_begin();
    hd_array *y = hd_sin(x);
    for (int k = 0; k < 14; k++)
        y = hd_exp(hd_multiply(hd_sin(y), hd_float(0.5)));
    return hd_scope_end(scope, y);   /* one kernel, no temporaries */
}

static hd_array *reduction(const hd_array *x)
{
    return hd_sum(elementwise(x), HD_ALL_AXES, NULL, 0);
}

static hd_array *rows(const hd_array *x)
{
    hd_array *m = hd_reshape(t_slice(x, SLICE(0, ROWS * COLUMNS, 1)), SHAPE(ROWS, COLUMNS), 'C');
    hd_array *e = elementwise(hd_subtract(m, hd_max(m, AXES(1), 1)));
    return hd_divide(e, hd_sum(e, AXES(1), 1));
}

static hd_array *in_place(const hd_array *x)
{
    hd_array *y = hd_copy(x, 'C'), *front = t_slice(y, SLICE(0, N - 5, 1)),
             *back = t_slice(y, SLICE(5, N, 1));
    hd_eval(y);
    hd_inplace(HD_OP_add, front, elementwise(front));
    hd_inplace(HD_OP_subtract, back, elementwise(front));
    return y;
}

static hd_array *several_kernels(const hd_array *x)
{
    hd_array *s = reduction(x), *y = hd_subtract(x, s);
    return hd_divide(elementwise(y), reduction(y));
}

static void check_program(hd_array *(*program)(const hd_array *), const hd_array *x, int stops,
                          int threads)
{
    int tries = threads == 1 ? 1 : 200, stopped = 0;
    int scope = hd_scope_begin();
    hd_array *want = program(x);
    CHECK(hd_eval(want) == HD_OK);
    for (int k = 0; k < tries && stopped == 0; k++) {
        begin_stopping(stops);
        hd_array *got = program(x);
        stopped = insist(got);
        end_stopping();
        hd_array *same = hd_all(hd_equal(got, want), HD_ALL_AXES, NULL, 0);
        CHECK_NEAR(t_value(same, 0), 1, 0);
    }
    CHECK(stopped > 0);
    hd_scope_end(scope, NULL);
    CHECK(t_clean());
}

TEST(interrupt, stopped_work_goes_on_to_the_same_bits)
{
    hd_array *x = t_ramp(SHAPE(N), HD_FLOAT64);
    hd_inplace(HD_OP_multiply, x, x);
    hd_array *small = hd_sin(x);
    for (int threads = 1; threads <= 2; threads++) {
        CHECK(hd_set_threads(threads) == HD_OK);
        check_program(elementwise, small, 2, threads);
        check_program(reduction, small, 2, threads);
        check_program(rows, small, 2, threads);
        check_program(several_kernels, small, 5, threads);
        check_program(in_place, small, 3, threads);
    }
    hd_set_threads(0);
    hd_release(x);
    hd_release(small);
}

/* The stopped job waits for a demand; records pile up behind it. */
TEST(interrupt, recording_does_not_go_on)
{
    alone(true);
    int scope = hd_scope_begin();
    hd_array *x = hd_sin(t_ramp(SHAPE(N), HD_FLOAT64)), *u = t_ramp(SHAPE(3), HD_FLOAT64);
    CHECK(hd_eval(x) == HD_OK);
    hd_array *y = elementwise(x);
    begin_stopping(1);
    CHECK(hd_eval(y) == HD_INTERRUPTED && t_failed(HD_INTERRUPTED));
    int questions = asked;
    hd_array *z = hd_add(y, y), *w = hd_add(u, u);
    hd_inplace(HD_OP_add, u, w);
    CHECK(z != NULL && asked == questions && (hd_flags(z) & HD_PENDING));
    hd_array *s = hd_sum(hd_subtract(z, hd_add(y, y)), HD_ALL_AXES, NULL, 0);
    CHECK_NEAR(t_value(s, 0), 0, 0);
    CHECK(t_equals(u, 0, 3, 6));
    end_stopping();
    hd_scope_end(scope, NULL);
    alone(false);
}

/* What nobody wants any more need not be finished. */
TEST(interrupt, abandoned_work_is_forgotten)
{
    alone(true);
    hd_array *x = t_ramp(SHAPE(N), HD_FLOAT64);
    int64_t before = t_stats(NULL).memory_used;
    int scope = hd_scope_begin();
    hd_array *y = elementwise(x);
    begin_stopping(1);
    CHECK(hd_eval(y) == HD_INTERRUPTED && t_failed(HD_INTERRUPTED));
    hd_scope_end(scope, NULL);
    end_stopping();
    hd_array *z = hd_add(x, x);
    CHECK_NEAR(t_value(z, 5), 10, 0);
    hd_release(z);
    CHECK(hd_synchronize(NULL) == HD_OK);
    CHECK_EQ_I64(t_stats(NULL).memory_used, before);
    hd_release(x);
    alone(false);
}

/* Nothing waits for ever: a stop at every question still makes progress. */
TEST(interrupt, always_makes_progress)
{
    hd_array *x = t_ramp(SHAPE(N), HD_FLOAT32), *y = hd_add(x, x);
    begin_stopping(INT32_MAX / 2);
    int scope = hd_scope_begin();
    hd_array *z = elementwise(y);
    CHECK(insist(z) < 1000);
    hd_scope_end(scope, NULL);
    end_stopping();
    hd_release(x);
    hd_release(y);
}

/* ---- the hooks of a host language ------------------------------------------------------------ */

static int released, acquired, polled;
static void *on_release(void)
{
    released++;
    hd_release(hd_keep(hd_int(1)));   /* no lock of the library is held here */
    return &released;
}

static void on_acquire(void *saved)
{
    CHECK(saved == &released);
    acquired++;
    hd_release(hd_keep(hd_int(1)));
}

static int on_poll(void *saved)
{
    CHECK(saved == &released && acquired < released);
    return ++polled == 1;
}

TEST(interrupt, through_the_wait_hooks)
{
    alone(true);
    int scope = hd_scope_begin();
    hd_array *x = hd_sin(t_ramp(SHAPE(N), HD_FLOAT64)), *y = elementwise(x),
             *tiny = t_ramp(SHAPE(3), HD_FLOAT64);
    CHECK(hd_eval(x) == HD_OK);
    hdi_pool_ask_every(0);
    hd_set_wait_hooks(&(hd_wait_hooks){on_release, on_acquire, on_poll});
    CHECK(hd_eval(hd_add(tiny, tiny)) == HD_OK);
    CHECK_EQ_I64(released, 0);   /* not worth it for three elements */
    CHECK(hd_eval(y) == HD_INTERRUPTED && t_failed(HD_INTERRUPTED));
    CHECK(released == 1 && acquired == 1);
    CHECK(hd_eval(y) == HD_OK);
    CHECK(released == acquired && released >= 2);
    hd_set_wait_hooks(NULL);
    hdi_pool_ask_every(-1);
    int before = polled;
    CHECK(hd_eval(elementwise(y)) == HD_OK && polled == before);
    hd_scope_end(scope, NULL);
    alone(false);
}

/* ---- a host that wants its thread, and gives it back ----------------------------------------- */

static int attended, refused_at;
static const hd_array *at_hand;

/* All that a program may do at the top of a call, while a kernel of this thread is not finished. */
static int on_attend(void)
{
    static int depth;
    if (depth > 0)   /* what is read here waits for the work that was stopped */
        return 0;
    depth++;
    CHECK(hd_error_peek()->code == HD_OK);
    hd_array *sum = hd_sum(at_hand, HD_ALL_AXES, NULL, 0), *mine = hd_add(at_hand, at_hand);
    CHECK_NEAR(t_value(sum, 0), 3, 0);
    CHECK(hd_add(at_hand, NULL) == NULL);
    int scope = hd_scope_begin();
    CHECK(t_equals(hd_add(mine, mine), 0, 4, 8));
    hd_scope_end(scope, NULL);
    hd_release(mine);   /* no scope of the call took it */
    hd_release(sum);
    depth--;
    return ++attended == refused_at;
}

static int wants_it_always(void *saved)
{
    (void)saved;
    return 1;
}

/* The work goes on to the same bits, however often it was stopped, and whoever else reads. */
TEST(interrupt, the_host_has_its_thread_meanwhile)
{
    alone(true);
    hd_array *at = t_ramp(SHAPE(3), HD_FLOAT64);
    int scope = hd_scope_begin();
    hd_array *ramp = t_ramp(SHAPE(N), HD_FLOAT64), *x = hd_sin(ramp);
    hd_array *want = several_kernels(x), *order = hd_argsort(x, 0, 0);
    CHECK(hd_eval(want) == HD_OK && hd_eval(order) == HD_OK);
    at_hand = at;
    attended = released = acquired = 0;
    hd_set_wait_hooks(&(hd_wait_hooks){on_release, on_acquire, wants_it_always});
    hd_set_attend_hook(on_attend);
    for (int pass = 0; pass < 2; pass++) {
        attended = 0;
        refused_at = pass == 0 ? 1 : 0;
        hd_array *got = several_kernels(x);
        hd_status status = hd_eval(got);
        CHECK(pass == 1 ? status == HD_OK
                        : status == HD_INTERRUPTED && t_failed(HD_INTERRUPTED));
        refused_at = 0;
        hd_array *again = hd_argsort(x, 0, 0);   /* made anew when it was stopped */
        hd_array *same = hd_logical_and(hd_all(hd_equal(got, want), HD_ALL_AXES, NULL, 0),
                                        hd_all(hd_equal(again, order), HD_ALL_AXES, NULL, 0));
        CHECK_NEAR(t_value(same, 0), 1, 0);
        CHECK(attended > 1 && released == acquired);
    }
    hd_set_wait_hooks(NULL);
    hd_set_attend_hook(NULL);
    hd_scope_end(scope, NULL);
    hd_release(at);
    CHECK(t_clean());
    alone(false);
}

/* What a deleter makes is not taken by the scope that it runs in. */
static hd_array *made_by_deleter;
static void makes(void *unused)
{
    (void)unused;
    CHECK(hd_error_peek()->code == HD_OK);
    made_by_deleter = hd_ones(SHAPE(3), HD_FLOAT64);
}

TEST(interrupt, deleters_are_outside_of_scopes_and_errors)
{
    static double data[3];
    int scope = hd_scope_begin();
    hd_array *x = hd_wrap(SHAPE(3), NULL, HD_FLOAT64, data, 0, makes, NULL);
    CHECK(hd_reshape(x, SHAPE(2), 'C') == NULL);   /* an error is pending */
    hd_release(hd_keep(x));
    hd_scope_end(scope, NULL);
    CHECK(t_failed(HD_VALUE));
    CHECK(made_by_deleter != NULL && t_equals(made_by_deleter, 1, 1, 1));
    hd_release(made_by_deleter);
}
