/* SPDX-License-Identifier: BSD-3-Clause */
/* test_graph.c - what is captured does not run, each launch does it again with the arrays as they
 * are then, and what is captured knows no numbers of before. */
#include <heddle/graph.h>
#include <heddle/kernel.h>
#include <pthread.h>

#include "base/alloc.h"
#include "base/lock.h"
#include "core/array.h"
#include "core/device.h"
#include "support.h"

enum { N = 3000 };

static hd_device *begin(void)
{
    hd_device *dev = hd_device_get("cpu");
    hd_device_set_current(dev);
    CHECK(hd_synchronize(dev) == HD_OK && t_clean());
    return dev;
}

static hd_array *line(int64_t n, double first)
{
    hd_array *x = t_ramp_from(first, 1, &n, HD_FLOAT64);
    CHECK(hd_eval(x) == HD_OK);
    return x;
}

/* x[...] = first, first + 1, ... */
static void refill(hd_array *x, double first)
{
    int64_t n = hd_size(x);
    hd_array *y = t_ramp_from(first, 1, &n, HD_FLOAT64);
    CHECK(hd_assign(x, y, HD_CAST_DEFAULT) == HD_OK);
    hd_release(y);
}

static void assign_taken(hd_array *dst, hd_array *src)
{
    CHECK(hd_assign(dst, src, HD_CAST_DEFAULT) == HD_OK);
    hd_release(src);
}

static hd_array *plus(const hd_array *x, double v)
{
    hd_array *n = hd_float(v), *r = hd_add(x, n);
    hd_release(n);
    return r;
}

static hd_array *times(const hd_array *x, double v)
{
    hd_array *n = hd_float(v), *r = hd_multiply(x, n);
    hd_release(n);
    return r;
}

TEST(graph, launches_compute_from_the_inputs_as_they_are)
{
    for (int64_t n = 3; n <= N; n += N - 3) {   /* small work, and recorded work */
        hd_device *dev = begin();
        hd_graph *g = NULL;
        hd_array *x = line(n, 1), *y = line(n, 100);
        CHECK(hd_capture_begin(dev) == HD_OK && hd_capturing(dev));
        hd_array *t = times(x, 2), *z = plus(t, 1);
        CHECK(hd_assign(y, z, HD_CAST_DEFAULT) == HD_OK);
        hd_release(t);
        CHECK(hd_capture_end(dev, &g) == HD_OK && !hd_capturing(dev));
        REQUIRE(g != NULL);
        CHECK_EQ_I64(hd_graph_size(g), 3);
        CHECK(strcmp(hd_graph_operation(g, 0), "multiply") == 0);
        CHECK_NEAR(t_value(y, 2), 102, 0);   /* nothing has run */
        CHECK(hd_graph_launch(g) == HD_OK);
        CHECK_NEAR(t_value(y, 2), 7, 0);
        CHECK_NEAR(t_value(z, 0), 3, 0);
        refill(x, 10);
        CHECK_NEAR(t_value(y, 2), 7, 0);
        CHECK(hd_graph_launch(g) == HD_OK);
        CHECK_NEAR(t_value(y, 2), 25, 0);
        hd_release(z);
        refill(x, 20);
        CHECK(hd_graph_launch(g) == HD_OK && hd_graph_launch(g) == HD_OK);
        CHECK_NEAR(t_value(y, 0), 41, 0);
        hd_graph_free(g);
        CHECK_NEAR(t_value(y, 1), 43, 0);
        hd_release(x);
        hd_release(y);
        CHECK(t_clean());
    }
}

TEST(graph, in_place_work_goes_on_from_launch_to_launch)
{
    hd_device *dev = begin();
    hd_graph *g = NULL;
    hd_array *x = line(N, 0);
    hd_capture_begin(dev);
    assign_taken(x, plus(x, 1));
    assign_taken(x, times(x, 2));
    hd_capture_end(dev, &g);
    for (int k = 0; k < 3; k++)
        CHECK(hd_graph_launch(g) == HD_OK);
    CHECK_NEAR(t_value(x, 0), 14, 0);
    CHECK_NEAR(t_value(x, 5), 5 * 8 + 14, 0);
    hd_graph_free(g);
    hd_release(x);
}

/* Copies share memory until one is written to: what the graph reads must be the array that it was
 * captured with. */
TEST(graph, copies_made_before_are_parted)
{
    for (int which = 0; which < 2; which++) {
        hd_device *dev = begin();
        hd_graph *g = NULL;
        hd_array *x = line(N, 0), *copy = hd_copy(x, 'C');
        hd_capture_begin(dev);
        hd_array *y = plus(which ? copy : x, 1);
        hd_capture_end(dev, &g);
        refill(which ? x : copy, 50);
        CHECK(hd_graph_launch(g) == HD_OK);
        CHECK_NEAR(t_value(y, 3), 4, 0);
        refill(which ? copy : x, 70);
        CHECK(hd_graph_launch(g) == HD_OK);
        CHECK_NEAR(t_value(y, 3), 74, 0);
        CHECK_NEAR(t_value(which ? x : copy, 0), 50, 0);
        hd_graph_free(g);
        hd_release(x);
        hd_release(copy);
        hd_release(y);
    }
}

TEST(graph, copies_made_within_and_after_are_copies)
{
    hd_device *dev = begin();
    hd_graph *g = NULL;
    hd_array *x = line(N, 0);
    hd_capture_begin(dev);
    hd_array *before = hd_copy(x, 'C');
    assign_taken(x, plus(x, 1));
    hd_capture_end(dev, &g);
    hd_array *after = hd_copy(x, 'C');
    CHECK(hd_graph_launch(g) == HD_OK && hd_graph_launch(g) == HD_OK);
    CHECK_NEAR(t_value(before, 0), 1, 0);
    CHECK_NEAR(t_value(x, 0), 2, 0);
    CHECK_NEAR(t_value(after, 0), 0, 0);
    refill(after, 9);
    CHECK(hd_graph_launch(g) == HD_OK);
    CHECK_NEAR(t_value(before, 0), 2, 0);
    CHECK_NEAR(t_value(x, 0), 3, 0);
    CHECK_NEAR(t_value(after, 0), 9, 0);
    hd_graph_free(g);
    hd_release(x);
    hd_release(before);
    hd_release(after);
}

/* Numbers that the host knows are no constants of the graph. */
TEST(graph, scalars_are_read_anew)
{
    hd_device *dev = begin();
    hd_graph *g = NULL;
    hd_array *s = line(1, 5), *x = line(N, 0), *few = line(4, 0);
    hd_array *v = t_slice(s, AT(0));
    CHECK(hd_eval(v) == HD_OK);
    hd_capture_begin(dev);
    hd_array *y = hd_multiply(x, v), *z = hd_add(few, v), *w = hd_scalar_of(v);
    hd_capture_end(dev, &g);
    CHECK(hd_graph_launch(g) == HD_OK);
    CHECK_NEAR(t_value(y, 2), 10, 0);
    CHECK_NEAR(t_value(z, 1), 6, 0);
    CHECK_NEAR(t_value(w, 0), 5, 0);
    refill(s, 7);
    CHECK(hd_graph_launch(g) == HD_OK);
    CHECK_NEAR(t_value(y, 2), 14, 0);
    CHECK_NEAR(t_value(z, 1), 8, 0);
    CHECK_NEAR(t_value(w, 0), 7, 0);
    hd_graph_free(g);
    hd_array *all[] = {s, x, few, v, y, z, w};
    for (int k = 0; k < 7; k++)
        hd_release(all[k]);
}

TEST(graph, elements_written_are_part_of_it)
{
    hd_device *dev = begin();
    hd_graph *g = NULL;
    double seven = 7, values[3] = {1, 2, 3};
    hd_array *x = line(3, 0), *y = line(3, 0);
    hd_capture_begin(dev);
    CHECK(hd_element_set(x, 1, (const int64_t[]){1}, &seven) == HD_OK);
    CHECK(hd_write(y, values) == HD_OK);
    hd_capture_end(dev, &g);
    CHECK_NEAR(t_value(x, 1), 1, 0);
    CHECK_NEAR(t_value(y, 0), 0, 0);
    CHECK(hd_graph_launch(g) == HD_OK);
    CHECK_NEAR(t_value(x, 1), 7, 0);
    CHECK_NEAR(t_value(y, 2), 3, 0);
    refill(x, 0);
    refill(y, 9);
    CHECK(hd_graph_launch(g) == HD_OK);
    CHECK_NEAR(t_value(x, 1), 7, 0);
    CHECK_NEAR(t_value(x, 2), 2, 0);
    CHECK_NEAR(t_value(y, 0), 1, 0);
    hd_graph_free(g);
    hd_release(x);
    hd_release(y);
}

TEST(graph, values_cannot_be_asked_for)
{
    hd_device *dev = begin();
    hd_graph *g = NULL;
    double into[4];
    hd_value value;
    hd_array *x = line(4, 0);
    hd_capture_begin(dev);
    hd_array *y = plus(x, 1);
    CHECK(hd_read(y, into) == HD_DEVICE && hd_error_take(NULL) == HD_DEVICE);
    CHECK(hd_read(x, into) == HD_DEVICE && hd_error_take(NULL) == HD_DEVICE);
    CHECK(hd_item(x, 0, &value) == HD_DEVICE && hd_error_take(NULL) == HD_DEVICE);
    CHECK(hd_element_get(x, 1, (const int64_t[]){0}, into) == HD_DEVICE);
    CHECK(hd_error_take(NULL) == HD_DEVICE);
    CHECK(hd_eval(y) == HD_DEVICE && hd_error_take(NULL) == HD_DEVICE);
    CHECK(hd_synchronize(dev) == HD_DEVICE && hd_error_take(NULL) == HD_DEVICE);
    CHECK(hd_capture_begin(dev) == HD_VALUE && hd_error_take(NULL) == HD_VALUE);
    CHECK(!hd_device_at_hand(dev) && hd_device_is_host(dev));
    hd_array *mask = hd_greater(x, x), *some = hd_extract(mask, x);
    CHECK(some == NULL && hd_error_take(NULL) == HD_DEVICE);
    CHECK(hd_capture_end(dev, &g) == HD_OK);   /* what was captured is whole */
    CHECK(hd_capture_end(dev, NULL) == HD_VALUE && hd_error_take(NULL) == HD_VALUE);
    CHECK(hd_graph_launch(g) == HD_OK);
    CHECK(hd_read(y, into) == HD_OK && into[3] == 4);
    CHECK(hd_device_at_hand(dev));
    hd_graph_free(g);
    hd_release(x);
    hd_release(y);
    hd_release(mask);
}

TEST(graph, indices_are_read_anew_and_wrap_around)
{
    hd_device *dev = begin();
    hd_graph *g = NULL;
    int64_t first[3] = {0, 2, -1}, second[3] = {4, -7, 11};
    hd_array *x = line(5, 10), *to = line(5, 0);
    hd_array *index = hd_from_data(SHAPE(3), NULL, HD_INT64, first);
    const hd_array *list[1] = {index};
    hd_capture_begin(dev);
    hd_array *y = hd_take(x, 1, list), *n = hd_float(-5);
    CHECK(hd_put(to, 1, list, n, HD_CAST_DEFAULT) == HD_OK);
    hd_release(n);
    REQUIRE(hd_capture_end(dev, &g) == HD_OK && y != NULL);
    CHECK(hd_graph_launch(g) == HD_OK);
    CHECK_NEAR(t_value(y, 0), 10, 0);
    CHECK_NEAR(t_value(y, 1), 12, 0);
    CHECK_NEAR(t_value(y, 2), 14, 0);
    CHECK_NEAR(t_value(to, 2), -5, 0);
    CHECK(hd_write(index, second) == HD_OK && hd_graph_launch(g) == HD_OK);
    CHECK_NEAR(t_value(y, 0), 14, 0);
    CHECK_NEAR(t_value(y, 1), 13, 0);   /* -7 of 5 is 3, 11 is 1 */
    CHECK_NEAR(t_value(y, 2), 11, 0);
    hd_graph_free(g);
    hd_array *all[] = {x, to, index, y};
    for (int k = 0; k < 4; k++)
        hd_release(all[k]);
}

static hd_array *sorted(const hd_array *x) { return hd_sort(x, 0, 0); }
static hd_array *summed(const hd_array *x)
{
    return hd_sum(x, HD_ALL_AXES, NULL, 0);
}
static hd_array *running(const hd_array *x) { return hd_cumsum(x, 0, HD_NO_DTYPE, NULL); }

/* Operations of each class, on few elements, which would run at once, and on many. */
TEST(graph, reductions_and_library_calls)
{
    hd_array *(*op[])(const hd_array *) = {sorted, summed, running};
    const double want[2][3] = {{1, 10, 1}, {2, 14, 2}};
    for (int k = 0; k < 3; k++) {
        hd_device *dev = begin();
        hd_graph *g = NULL;
        hd_array *x = line(4, 1);
        hd_capture_begin(dev);
        hd_array *y = op[k](x);
        REQUIRE(hd_capture_end(dev, &g) == HD_OK && y != NULL);
        CHECK(hd_graph_launch(g) == HD_OK);
        CHECK_NEAR(t_value(y, 0), want[0][k], 0);
        refill(x, 2);
        CHECK(hd_graph_launch(g) == HD_OK);
        CHECK_NEAR(t_value(y, 0), want[1][k], 0);
        hd_graph_free(g);
        hd_release(x);
        hd_release(y);
    }
}

/* A launch of a user's kernel keeps how far it has come in an object: each run has its own. */
TEST(graph, kernels_of_users_run_each_time)
{
    static const char source[] = "extern \"C\" __global__ void more(double *x) {"
                                 "    x[blockIdx.x * blockDim.x + threadIdx.x] += 1; }";
    hd_device *dev = begin();
    hd_graph *g = NULL;
    hd_kernel *kernel = hd_kernel_new(source, "more", 0, NULL);
    if (kernel == NULL) {   /* a build without a code generator */
        hd_error_take(NULL);
        return;
    }
    hd_array *x = line(64, 0);
    const hd_launch_arg arg = {.array = x, .access = HD_READS | HD_WRITES};
    hd_capture_begin(dev);
    hd_status status = hd_kernel_launch(kernel, dev, (const unsigned[]){2, 1, 1},
                                        (const unsigned[]){32, 1, 1}, 0, 1, &arg);
    CHECK(hd_capture_end(dev, &g) == HD_OK);
    if (status == HD_OK) {
        CHECK(strcmp(hd_graph_operation(g, 0), "more") == 0);
        hd_kernel_free(kernel);   /* the graph keeps it */
        for (int k = 0; k < 3; k++)
            CHECK(hd_graph_launch(g) == HD_OK);
        CHECK_NEAR(t_value(x, 63), 66, 0);
    } else {
        hd_error_take(NULL);
        hd_kernel_free(kernel);
    }
    hd_graph_free(g);
    hd_release(x);
}

/* Arrays that only the graph knows have no memory between launches. */
TEST(graph, temporaries_stay_in_registers)
{
    hd_device *dev = begin();
    hd_graph *g = NULL;
    hd_array *x = line(N, 0);
    hd_capture_begin(dev);
    hd_array *a = times(x, 2), *b = plus(a, 1), *y = hd_sqrt(b);
    hd_release(a);
    hd_capture_end(dev, &g);
    for (int k = 0; k < 3; k++)
        CHECK(hd_graph_launch(g) == HD_OK && hd_eval(y) == HD_OK);
    const hd_stats before = t_stats(dev);
    CHECK(hd_graph_launch(g) == HD_OK && hd_synchronize(dev) == HD_OK);
    hd_stats now = t_stats(dev);
    CHECK_EQ_I64(now.kernels - before.kernels, 1);
    CHECK_EQ_I64(now.temporaries - before.temporaries, 1);
    CHECK_EQ_I64(now.memory_used, before.memory_used);
    CHECK_EQ_I64(now.plans, before.plans);
    hd_release(b);   /* from here on nobody can look at it */
    CHECK(hd_graph_launch(g) == HD_OK && hd_synchronize(dev) == HD_OK);
    CHECK(t_stats(dev).memory_used < before.memory_used);
    CHECK_NEAR(t_value(y, 4), 3, 0);
    hd_graph_free(g);
    hd_release(x);
    hd_release(y);
}

/* More operations than the window holds. */
TEST(graph, is_longer_than_the_window)
{
    hd_device *dev = begin();
    hd_graph *g = NULL;
    hd_array *x = line(N, 0), *y = hd_copy(x, 'C');
    hd_capture_begin(dev);
    for (int k = 0; k < 1000; k++)
        assign_taken(y, plus(y, 1));
    hd_capture_end(dev, &g);
    CHECK_EQ_I64(hd_graph_size(g), 2000);
    CHECK_EQ_I64(t_stats(dev).pending, 0);
    CHECK(hd_graph_launch(g) == HD_OK && hd_graph_launch(g) == HD_OK);
    CHECK_NEAR(t_value(y, 5), 2005, 0);
    CHECK_NEAR(t_value(x, 5), 5, 0);
    hd_graph_free(g);
    hd_release(x);
    hd_release(y);
}

TEST(graph, one_within_another)
{
    hd_device *dev = begin();
    hd_graph *inner = NULL, *outer = NULL;
    hd_array *x = line(N, 0);
    hd_capture_begin(dev);
    hd_array *t = plus(x, 1);
    assign_taken(x, plus(t, 1));
    hd_release(t);
    hd_capture_end(dev, &inner);
    hd_capture_begin(dev);
    CHECK(hd_graph_launch(inner) == HD_OK && hd_graph_launch(inner) == HD_OK);
    hd_capture_end(dev, &outer);
    CHECK_EQ_I64(hd_graph_size(outer), 6);
    CHECK_NEAR(t_value(x, 0), 0, 0);
    hd_graph_free(inner);
    CHECK(hd_graph_launch(outer) == HD_OK);
    CHECK_NEAR(t_value(x, 0), 4, 0);
    hd_graph_free(outer);
    hd_release(x);
}

TEST(graph, pauses)
{
    hd_device *dev = begin();
    hd_graph *g = NULL;
    hd_array *x = line(N, 0), *few = line(3, 0);
    hd_capture_begin(dev);
    assign_taken(x, plus(x, 1));
    CHECK(hd_capture_pause(dev, 1) == HD_OK && !hd_capturing(dev));
    assign_taken(few, plus(few, 1));
    CHECK_NEAR(t_value(few, 0), 1, 0);
    CHECK_NEAR(t_value(x, 0), 0, 0);
    CHECK(hd_capture_pause(dev, 1) == HD_OK && hd_capture_pause(dev, 0) == HD_OK);
    assign_taken(few, times(few, 10));
    CHECK(hd_capture_end(dev, &g) == HD_OK);
    CHECK_EQ_I64(hd_graph_size(g), 4);
    CHECK(hd_capture_pause(dev, 1) == HD_VALUE && hd_error_take(NULL) == HD_VALUE);
    CHECK(hd_graph_launch(g) == HD_OK);
    CHECK_NEAR(t_value(few, 1), 20, 0);
    CHECK_NEAR(t_value(x, 0), 1, 0);
    hd_graph_free(g);
    hd_release(x);
    hd_release(few);
}

/* The setting that is made meanwhile holds afterwards. */
TEST(graph, keeps_the_setting_of_fusion)
{
    hd_device *dev = begin();
    hd_graph *g = NULL;
    hd_array *x = line(3, 0);
    hd_capture_begin(dev);
    const int old = hd_set_fusion(2);
    assign_taken(x, plus(x, 1));
    hd_capture_end(dev, &g);
    const int64_t pending = t_stats(dev).pending;
    hd_array *y = plus(x, 1);
    CHECK_EQ_I64(t_stats(dev).pending, pending + 1);
    hd_set_fusion(old);
    CHECK(hd_graph_launch(g) == HD_OK);
    CHECK_NEAR(t_value(y, 0), 1, 0);
    CHECK_NEAR(t_value(x, 0), 1, 0);
    hd_graph_free(g);
    hd_release(x);
    hd_release(y);
}

/* Memory that others know of stays where it is. */
TEST(graph, addresses_handed_out)
{
    hd_device *dev = begin();
    hd_graph *g = NULL;
    hd_array *x = line(N, 0);
    hd_capture_begin(dev);
    hd_array *y = plus(x, 1);
    CHECK(hd_export(y, 1) == NULL && hd_error_take(NULL) == HD_DEVICE);
    hd_capture_end(dev, &g);
    double *at = hd_export(y, 1);
    REQUIRE(at != NULL);
    CHECK(hd_graph_launch(g) == HD_OK && hd_synchronize(dev) == HD_OK);
    CHECK_NEAR(at[7], 8, 0);
    refill(x, 5);
    CHECK(hd_graph_launch(g) == HD_OK && hd_synchronize(dev) == HD_OK);
    CHECK_NEAR(at[7], 13, 0);
    hd_unexport(y);
    hd_graph_free(g);
    hd_release(x);
    hd_release(y);
}

TEST(graph, arrays_may_go_before_it)
{
    hd_device *dev = begin();
    hd_graph *g = NULL;
    const int64_t before = t_stats(dev).memory_used;
    hd_array *x = line(N, 0), *y = line(N, 0);
    hd_capture_begin(dev);
    assign_taken(y, plus(x, 1));
    hd_capture_end(dev, &g);
    hd_release(x);
    CHECK(hd_graph_launch(g) == HD_OK);
    CHECK_NEAR(t_value(y, 1), 2, 0);
    hd_release(y);
    CHECK(hd_graph_launch(g) == HD_OK && hd_synchronize(dev) == HD_OK);
    hd_graph_free(g);
    CHECK_EQ_I64(t_stats(dev).memory_used, before);
}

/* A launch that failed is over: what the next one writes to all of is right again, what it goes on
 * from is not. */
TEST(graph, results_of_a_failed_launch)
{
    hd_device *dev = begin();
    hd_graph *g = NULL;
    hd_array *x = line(N, 1), *on = line(N, 0);
    hd_capture_begin(dev);
    hd_array *y = plus(x, 1);
    CHECK(hd_assign(on, y, HD_CAST_DEFAULT) == HD_OK);
    assign_taken(on, plus(on, 1));
    hd_capture_end(dev, &g);
    CHECK(hd_graph_launch(g) == HD_OK);
    const hd_error why = {.code = HD_NOMEM, .message = "as if there were no memory"};
    hdi_lock();
    hdi_buf_fail(hdi_array_buf(y), &why, 0);
    hdi_buf_fail(hdi_array_buf(on), &why, 0);
    hdi_unlock();
    CHECK(hd_eval(y) == HD_NOMEM && hd_error_take(NULL) == HD_NOMEM);
    CHECK(hd_graph_launch(g) == HD_OK);
    CHECK_NEAR(t_value(y, 0), 2, 0);
    CHECK_NEAR(t_value(on, 0), 3, 0);
    hd_graph *more = NULL;
    hd_capture_begin(dev);
    assign_taken(on, plus(on, 1));
    hd_capture_end(dev, &more);
    hdi_lock();
    hdi_buf_fail(hdi_array_buf(on), &why, 0);
    hdi_unlock();
    CHECK(hd_graph_launch(more) == HD_OK);
    CHECK(hd_eval(on) == HD_NOMEM && hd_error_take(NULL) == HD_NOMEM);
    hd_graph_free(g);
    hd_graph_free(more);
    hd_release(x);
    hd_release(y);
    hd_release(on);
    CHECK(t_clean());
}

/* ---- failures -------------------------------------------------------------------------------- */

static hd_status run_once(double *sum)
{
    hd_device *dev = hd_device_get("cpu");
    hd_graph *g = NULL;
    int scope = hd_scope_begin();
    hd_array *x = hd_ones(SHAPE(N), HD_FLOAT64), *copy = hd_copy(x, 'C');
    hd_status status = copy != NULL ? hd_capture_begin(dev) : HD_NOMEM;
    if (status == HD_OK) {
        hd_array *y = hd_add(hd_multiply(copy, hd_float(2)), x);
        hd_array *r = y != NULL ? hd_sum(y, HD_ALL_AXES, NULL, 0) : NULL;
        status = hd_capture_end(dev, &g);
        if (status == HD_OK)
            status = r != NULL ? hd_graph_launch(g) : HD_NOMEM;
        hd_value v = {0};
        if (status == HD_OK)
            status = hd_item(r, 0, &v);
        *sum = v.as.f;
    }
    hd_graph_free(g);
    hd_scope_end(scope, NULL);
    hd_error_take(NULL);
    return status;
}

TEST(graph, each_allocation_may_fail)
{
    double sum = 0;
    begin();
    const int64_t used = t_stats(NULL).memory_used;
    int failed = 0;
    for (int64_t n = 1; n < 2000; n++) {
        const int64_t count = hdi_alloc_count();
        hdi_fail_after(n);
        hd_status status = run_once(&sum);
        hdi_fail_after(0);
        const bool fired = hdi_alloc_count() - count >= n;
        CHECK(status == HD_OK || (fired && status == HD_NOMEM));
        CHECK(status != HD_OK || sum == 3 * N);
        failed += status != HD_OK;
        CHECK(!hd_capturing(NULL));
        CHECK(hd_synchronize(NULL) == HD_OK);
        CHECK_EQ_I64(t_stats(NULL).memory_used, used);
        if (!fired)
            break;
    }
    CHECK(failed > 5);
    CHECK(run_once(&sum) == HD_OK && sum == 3 * N);
}

/* ---- threads --------------------------------------------------------------------------------- */

static pthread_barrier_t meet;

/* A window that was made while another thread captured. */
static bool runs_at_once(hd_device *dev)
{
    hd_array *few = line(3, 1);
    const int64_t records = t_stats(dev).records;
    hd_array *y = hd_add(few, few);
    const bool at_once = t_stats(dev).records == records;
    hd_release(y);
    hd_release(few);
    return at_once;
}

static void *others_work(void *ctx)
{
    hd_array *shared = ctx;
    hd_device *dev = hd_device_get("cpu");
    hd_device_set_current(dev);
    CHECK(!hd_capturing(dev) && runs_at_once(dev));
    hd_array *few = line(3, 1), *copy = hd_copy(shared, 'C'), *y = plus(few, 1);
    CHECK_NEAR(t_value(y, 0), 2, 0);
    CHECK_NEAR(t_value(copy, 1), 1, 0);
    hd_release(few);
    hd_release(copy);
    hd_release(y);
    pthread_barrier_wait(&meet);
    pthread_barrier_wait(&meet);
    hd_capture_begin(dev);   /* and ends within it */
    hd_array *z = plus(shared, 1);
    hd_release(z);
    return NULL;
}

TEST(graph, is_the_threads_that_captures)
{
    pthread_t thread;
    hd_device *dev = begin();
    hd_graph *g = NULL;
    hd_array *x = line(N, 0), *y = line(N, 0);
    pthread_barrier_init(&meet, NULL, 2);
    hd_capture_begin(dev);
    assign_taken(y, plus(x, 1));
    REQUIRE(pthread_create(&thread, NULL, others_work, x) == 0);
    pthread_barrier_wait(&meet);
    CHECK(hd_capture_end(dev, &g) == HD_OK);
    CHECK_EQ_I64(hd_graph_size(g), 2);
    pthread_barrier_wait(&meet);
    pthread_join(thread, NULL);
    CHECK_EQ_I64(hdi_captures, 0);
    CHECK(runs_at_once(dev));
    CHECK(hd_graph_launch(g) == HD_OK);
    CHECK_NEAR(t_value(y, 4), 5, 0);
    hd_graph_free(g);
    hd_release(x);
    hd_release(y);
    pthread_barrier_destroy(&meet);
}
