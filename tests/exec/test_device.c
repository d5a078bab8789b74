/* SPDX-License-Identifier: BSD-3-Clause */
/* test_device.c - devices by name, the current one, what explain() says, counters that add up,
 * fork. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exec/lanes.h"
#include "support.h"

RECORDS_SMALL_WORK

TEST(device, by_name)
{
    hd_device *cpu = hd_device_get("cpu"), *null = hd_device_get("null");
    REQUIRE(cpu != NULL && null != NULL && cpu != null);
    CHECK(hd_device_get("cpu") == cpu);
    CHECK_STR(hd_device_name(cpu), "cpu");
    CHECK_STR(hd_device_name(null), "null");
    CHECK(hd_device_get("gpu") == NULL && t_failed(HD_VALUE));
}

/* Scratch of submissions, and why a record was given up, are each device's own. */
TEST(device, shares_no_submission_with_others)
{
    hd_device *dev[2] = {hd_device_get("cpu"), hd_device_get("null")};
    hd_error why[2] = {{.code = HD_NOMEM, .message = "one"}, {.code = HD_DEVICE, .message = "two"}};
    int64_t before[2];
    CHECK(dev[0]->queue->submission != dev[1]->queue->submission);
    for (int d = 0; d < 2; d++) {
        before[d] = dev[d]->queue->ngiven_up;
        hdi_give_up_noted(dev[d], &why[d]);
    }
    for (int d = 0; d < 2; d++) {
        CHECK(hdi_given_up_since(dev[d], before[d]) == why[d].code);
        CHECK_STR(hd_error_peek()->message, why[d].message);
        CHECK(t_failed(why[d].code));
        CHECK(hdi_given_up_since(dev[d], dev[d]->queue->ngiven_up) == HD_OK);
    }
}

static void *current_of_thread(void *arg)
{
    *(hd_device **)arg = hd_device_current();
    return NULL;
}

TEST(device, the_current_one_is_the_threads)
{
    pthread_t thread;
    hd_device *cpu = hd_device_get("cpu"), *null = hd_device_get("null"), *other = NULL;
    hd_device_set_current(null);
    REQUIRE(pthread_create(&thread, NULL, current_of_thread, &other) == 0);
    pthread_join(thread, NULL);
    CHECK(hd_device_current() == null && other == cpu);
    hd_array *x = hd_zeros(SHAPE(3), HD_FLOAT64);
    hd_device_set_current(cpu);
    hd_array *y = hd_zeros(SHAPE(3), HD_FLOAT64), *twice = hd_add(x, x);
    CHECK(hd_device_of(x) == null && hd_device_of(y) == cpu && hd_device_of(twice) == null);
    CHECK(hd_add(x, y) == NULL && t_failed(HD_DEVICE));
    CHECK(hd_assign(y, x, HD_CAST_SAME_KIND) == HD_DEVICE && t_failed(HD_DEVICE));
    CHECK(hd_matmul(x, y, NULL) == NULL && t_failed(HD_DEVICE));
    CHECK(hd_stack(2, (const hd_array *const[]){x, y}, 0, HD_NO_DTYPE, NULL) == NULL &&
          t_failed(HD_DEVICE));
    CHECK(hd_to_device(x, cpu) == NULL && t_failed(HD_DEVICE));
    hd_array *same = hd_to_device(y, cpu);
    CHECK(same == y);
    hd_array *all[] = {x, y, twice, same};
    for (int k = 0; k < 4; k++)
        hd_release(all[k]);
}

/* null computes nothing, and says so when asked for values. */
TEST(device, null_has_no_values)
{
    hd_device *cpu = hd_device_current();
    hd_device_set_current(hd_device_get("null"));
    double out[3];
    hd_value v;
    hd_array *x = hd_zeros(SHAPE(3), HD_FLOAT64);
    CHECK(hd_eval(x) == HD_OK);
    CHECK(hd_read(x, out) == HD_DEVICE && t_failed(HD_DEVICE));
    CHECK(hd_item(x, 0, &v) == HD_DEVICE && t_failed(HD_DEVICE));
    hd_release(x);
    hd_device_set_current(cpu);
}

TEST(stats, add_up)
{
    CHECK(hd_synchronize(NULL) == HD_OK);
    hd_stats a = t_stats(NULL);
    int scope = hd_scope_begin();
    hd_array *x = t_ramp(SHAPE(9), HD_FLOAT64), *y = hd_exp(hd_add(x, x));
    CHECK_EQ_I64(t_stats(NULL).records - a.records, 2);
    CHECK_EQ_I64(t_stats(NULL).pending - a.pending, 2);
    CHECK(hd_eval(y) == HD_OK);
    hd_stats b = t_stats(NULL);
    CHECK_EQ_I64(b.flushes - a.flushes, 1);
    CHECK_EQ_I64(b.plans + b.plan_hits - a.plans - a.plan_hits, 1);
    CHECK_EQ_I64(b.kernels - a.kernels, 1);
    CHECK_EQ_I64(b.kernel_ops - a.kernel_ops, 2);
    CHECK_EQ_I64(b.pending, 0);
    CHECK(hd_eval(hd_exp(hd_add(x, x))) == HD_OK);
    hd_stats c = t_stats(NULL);
    CHECK_EQ_I64(c.plans + c.plan_hits - b.plans - b.plan_hits, 1);
    CHECK(c.programs >= a.programs && c.layouts > 0);
    hd_scope_end(scope, NULL);
    struct {
        hd_stats s;
        int64_t after;
    } small = {.s = {.size = offsetof(hd_stats, pending), .pending = -7}, .after = -9};
    CHECK(hd_device_stats(NULL, &small.s) == HD_OK);   /* an older caller's structure is shorter */
    CHECK(small.s.pending == -7 && small.after == -9 && small.s.records == c.records);
}

/* ---- explain --------------------------------------------------------------------------------- */

static void explains(const hd_array *x, const char *const *parts, int n)
{
    char *text = hd_explain(x, 0);
    REQUIRE(text != NULL);
    for (int k = 0; k < n; k++)
        if (!CHECK(strstr(text, parts[k]) != NULL))
            CHECK_STR(text, parts[k]);
    hd_free_text(text);
}
#define EXPLAINS(x, ...)                            \
    explains(x, (const char *const[]){__VA_ARGS__}, \
             (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)))

TEST(explain, says_which_kernels_will_run)
{
    int scope = hd_scope_begin();
    hd_array *x = t_ramp(SHAPE(10, 20), HD_FLOAT64), *m = t_ramp(SHAPE(20, 20), HD_FLOAT64), *y;
    EXPLAINS(x, "nothing to do");
    int inner = hd_scope_begin();
    y = hd_scope_end(inner, hd_multiply(hd_add(x, hd_int(1)), x));
    EXPLAINS(
        y,
        "kernel 1: elementwise over (10,20), 2 operations, 3200 bytes moved, 1 temporary removed",
        "add multiply");
    inner = hd_scope_begin();
    hd_array *e = hd_exp(hd_subtract(x, hd_max(x, AXES(1), 1)));
    y = hd_scope_end(inner, hd_divide(e, hd_sum(e, AXES(1), 1)));
    EXPLAINS(y, "reduce, broadcast, elementwise per row", "5 operations, 3200 bytes");
    y = hd_matmul(hd_add(x, x), m, NULL);
    EXPLAINS(y, "kernel 2: library call", "2 kernels, 2 operations");
    hd_stats before = t_stats(NULL);
    char *dot = hd_explain(y, 1);
    CHECK(strncmp(dot, "digraph", 7) == 0 && strstr(dot, "->") != NULL &&
          strstr(dot, "}\n") != NULL);
    hd_free_text(dot);
    hd_stats after = t_stats(NULL);
    CHECK(after.flushes == before.flushes && after.records == before.records &&
          (hd_flags(y) & HD_PENDING));
    CHECK(hd_explain(NULL, 0) == NULL);
    EXPLAINS(hd_int(3), "nothing to do");
    hd_free_text(NULL);
    hd_scope_end(scope, NULL);
}

/* ---- fork ------------------------------------------------------------------------------------ */

static int child(hd_array *x, hd_array *pending)
{
    int wrong = !t_all(pending, 4);
    int scope = hd_scope_begin();
    hd_array *y = hd_sum(hd_add(x, x), HD_ALL_AXES, NULL, 0);
    wrong += t_value(y, 0) != 2.0 * 100000;
    hd_inplace(HD_OP_add, x, x);
    wrong += !t_all(t_slice(x, SLICE(0, 9, 1)), 2);
    hd_scope_end(scope, NULL);
    return wrong + (hd_synchronize(NULL) != HD_OK);
}

TEST(device, works_in_the_child_of_a_fork)
{
#if defined(__SANITIZE_THREAD__)
    SKIP("the thread sanitizer does not follow threads made after a fork");
#endif
    hd_set_threads(2);
    hd_array *x = hd_ones(SHAPE(100000), HD_FLOAT64), *four = hd_add(x, x);
    hd_inplace(HD_OP_add, four, four);
    for (int k = 0; k < 3; k++) {
        int status = -1;
        pid_t pid = fork();
        if (pid == 0)
            _exit(child(x, four));
        REQUIRE(pid > 0 && waitpid(pid, &status, 0) == pid);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        if (k == 0)
            CHECK(hd_eval(x) == HD_OK);
    }
    CHECK(t_value(x, 5) == 1 && t_value(four, 99999) == 4);   /* the parent saw nothing of it */
    hd_release(x);
    hd_release(four);
    hd_set_threads(0);
}
