/* SPDX-License-Identifier: BSD-3-Clause */
/* test_cuda_cub.c - what libheddle_cub is asked for, on fakes of it and of the driver: lines and
 * their order, what is packed and what is not, memory, errors. */
#include <stdio.h>

#include "backend/backend.h"
#include "backend/cuda/cub/cub_api.h"
#include "cuda/fake.h"
#include "cuda/fake_leaks.h"
#include "support.h"

RECORDS_SMALL_WORK

static const char *(*last)(hdi_cub_call *c);
static void (*fail_call)(int error);
static long long (*count)(const char *what);
static void (*fail_driver)(const char *function, int n, int error);
static void (*reset)(void);
static void (*be_lazy)(int queries);

/* Before anything asks for a device. */
__attribute__((constructor)) static void use_the_fakes(void)
{
    void *driver = fake_open("HEDDLE_LIBCUDA", "libfake_libcuda.so"),
         *cub = fake_open("HEDDLE_LIBCUB", "libfake_libcub.so");
    setenv("HEDDLE_DEVICE", "cuda:0", 1);
    setenv("FAKE_CUDA_RUN", "1", 1);   /* kernels beside the calls: indices are looked at */
    if (driver == NULL || cub == NULL)
        return;
    *(void **)&count = dlsym(driver, "fake_cuda_count");
    *(void **)&fail_driver = dlsym(driver, "fake_cuda_fail");
    *(void **)&reset = dlsym(driver, "fake_cuda_reset");
    *(void **)&be_lazy = dlsym(driver, "fake_cuda_lazy");
    *(void **)&last = dlsym(cub, "fake_cub_last");
    *(void **)&fail_call = dlsym(cub, "fake_cub_fail");
}

static hd_array *empty(int nd, const int64_t *shape, hd_dtype dt)
{
    hd_array *zero = hd_int(0), *x = hd_full(nd, shape, zero, dt);
    hd_release(zero);
    return x;
}

/* x computed and forgotten; the name of the call that this made, how many kernels beside it. */
static const char *call_of(hd_array *x, hdi_cub_call *c, long long *kernels)
{
    if (x == NULL)
        return hd_error_peek()->message;
    const long long before = count("launches");
    const hd_status status = hd_eval(x);
    *kernels = count("launches") - before;
    hd_release(x);
    return status == HD_OK ? last(c) : NULL;
}

TEST(cuda_cub, tells_what_it_is)
{
    hd_device *dev = hd_device_get("cuda:0");
    REQUIRE(dev != NULL && last != NULL);
    char *text = hd_device_info(dev);
    CHECK(text != NULL && strstr(text, "sorting by\tCUB of CUDA 13.0\n") != NULL);
    hd_free_text(text);
}

static int64_t memory_used(hd_device *dev)
{
    hd_stats s = {.size = sizeof s};
    hd_device_stats(dev, &s);
    return s.memory_used;
}

/* ---- masks ----------------------------------------------------------------------------------- */

enum { FLAGS = 40 };

/* FLAGS of them, `true` ones first, computed. */
static hd_array *mask_of(int true_ones)
{
    uint8_t flags[FLAGS] = {0};
    memset(flags, 1, (size_t)true_ones);
    hd_array *m = hd_from_data(1, (int64_t[]){FLAGS}, NULL, HD_BOOL, flags);
    hd_eval(m);
    return m;
}

/* First, for what replies need is made at the first of them. */
TEST(cuda_cub, a_mask_whatever_fails_leaves_nothing_behind)
{
    static const struct { const char *function; int times, error; } steps[] = {
        {"cuMemHostAlloc", 1, 2}, {"cuStreamCreate", 1, 1}, {"cuEventCreate", 2, 2},
        {"cuEventRecord", 2, 1}, {"cuStreamWaitEvent", 1, 1}, {"cuMemcpyDtoHAsync", 1, 1},
        {"cuEventQuery", 1, 1}, {"cuLaunchKernelEx", 1, 1}};
    hd_device *dev = hd_device_get("cuda:0");
    hd_array *x = empty(1, (int64_t[]){FLAGS}, HD_FLOAT32), *m = mask_of(7), *y;
    REQUIRE(hd_eval(x) == HD_OK && m != NULL);
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++)
        for (int n = 1; n <= steps[k].times; n++) {
            hd_trim(dev);
            const int64_t before = memory_used(dev);
            fail_driver(steps[k].function, n, steps[k].error);
            y = hd_extract(m, x);
            if (!CHECK(y == NULL))
                printf("%s, time %d\n", steps[k].function, n);
            CHECK(t_failed(steps[k].error == 2 ? HD_NOMEM : HD_DEVICE));
            CHECK_EQ_I64(memory_used(dev), before);
            reset();
        }
    y = hd_extract(m, x);
    CHECK(y != NULL && hd_size(y) == 7 && hd_eval(y) == HD_OK);
    hd_release(y), hd_release(m), hd_release(x);
}

TEST(cuda_cub, a_mask_without_memory_for_its_words)
{
    hd_device *dev = hd_device_get("cuda:0");
    hd_array *m = empty(1, (int64_t[]){4 << 20}, HD_BOOL), *axis = NULL;
    CHECK(hd_eval(m) == HD_OK);
    hd_trim(dev);
    const int64_t before = memory_used(dev);
    hd_memory_limit(dev, before + (100 << 10));
    CHECK(hd_nonzero(m, &axis) == HD_NOMEM && t_failed(HD_NOMEM));
    hd_memory_limit(dev, 0);
    CHECK_EQ_I64(memory_used(dev), before);
    CHECK(hd_nonzero(m, &axis) == HD_OK && hd_size(axis) == 0);
    hd_release(axis), hd_release(m);
}

TEST(cuda_cub, masks_are_packed_while_the_count_is_waited_for)
{
    hdi_cub_call words, c;
    long long kernels;
    hd_array *x = empty(1, (int64_t[]){FLAGS}, HD_COMPLEX64), *m = mask_of(11);
    CHECK(hd_eval(x) == HD_OK);
    hd_array *y = hd_extract(m, x);
    CHECK_STR(last(&words), "words");   /* although nobody has asked for y */
    CHECK(words.n == FLAGS && words.m == hdi_cub_words_bytes(FLAGS));
    CHECK(y != NULL && hd_size(y) == 11);
    CHECK_STR(call_of(y, &c, &kernels), "compress");
    CHECK(c.n == FLAGS && c.m == 11 && c.width == 8 && c.in2 == words.out && kernels == 0);
    hd_release(m);
    hd_array *axis = NULL;
    m = mask_of(11);
    CHECK(hd_nonzero(m, &axis) == HD_OK);
    CHECK_STR(last(&words), "words");
    CHECK_STR(call_of(axis, &c, &kernels), "places");
    CHECK(c.n == FLAGS && c.m == 11 && c.in == words.out);
    hd_release(m), m = mask_of(11);
    /* the count is on its way before the flags are packed ... */
    fail_driver("cuMemcpyDtoHAsync", 1, 1);
    CHECK(hd_extract(m, x) == NULL && t_failed(HD_DEVICE) && last(&c) == NULL);
    /* ... which is before it is waited for */
    fail_driver("cuEventQuery", 1, 1);
    CHECK(hd_extract(m, x) == NULL && t_failed(HD_DEVICE));
    CHECK_STR(last(&c), "words");
    fail_call(1);   /* not packed: the count is taken back all the same */
    const long long asked = count("cuEventQuery");
    CHECK(hd_extract(m, x) == NULL && t_failed(HD_DEVICE));
    CHECK_EQ_I64(count("cuEventQuery") - asked, 1);
    hd_array *none = mask_of(0);
    y = hd_extract(none, x);
    CHECK(y != NULL && hd_size(y) == 0 && hd_eval(y) == HD_OK);
    CHECK_STR(last(&c), "words");
    hd_release(y), hd_release(none), hd_release(m), hd_release(x);
}

/* A use that finds words and count. */
static void check_known(hd_array *m, hd_array *x, int64_t size)
{
    hdi_cub_call c;
    const long long asked = count("cuEventQuery");
    hd_array *y = hd_extract(m, x);
    CHECK(y != NULL && hd_size(y) == size && last(&c) == NULL);
    CHECK_EQ_I64(count("cuEventQuery"), asked);
    hd_release(y);
}

/* m[0] = true: the words made before are of no use any more. */
static void check_changed(hd_array *m, hd_array *x, int64_t size)
{
    hdi_cub_call c;
    hd_array *at = t_slice(m, SLICE(0, 1, 1)), *one = hd_bool(1), *y;
    CHECK(hd_assign(at, one, HD_CAST_SAME_KIND) == HD_OK);
    y = hd_extract(m, x);
    CHECK(y != NULL && hd_size(y) == size);
    CHECK_STR(last(&c), "words");
    hd_release(y), hd_release(one), hd_release(at);
}

TEST(cuda_cub, a_mask_that_is_used_again_is_neither_packed_nor_waited_for)
{
    hd_array *x = empty(1, (int64_t[]){FLAGS}, HD_FLOAT32), *m = mask_of(0), *axis = NULL;
    hdi_cub_call c;
    CHECK(hd_eval(x) == HD_OK);
    hd_array *y = hd_extract(m, x);
    CHECK(y != NULL && hd_size(y) == 0);
    CHECK_STR(last(&c), "words");
    check_known(m, x, 0);
    check_changed(m, x, 1);
    check_known(m, x, 1);
    CHECK(hd_nonzero(m, &axis) == HD_OK && hd_size(axis) == 1);
    hd_release(axis), hd_release(y), hd_release(m), hd_release(x);
}

static bool stop_now(void) { return true; }

TEST(cuda_cub, who_waits_for_a_count_may_be_impatient)
{
    bool (*usual)(void) = hdi_poll_interrupt;
    hd_device *dev = hd_device_get("cuda:0");
    hd_array *x = empty(1, (int64_t[]){FLAGS}, HD_FLOAT32), *m = mask_of(5);
    CHECK(hd_eval(x) == HD_OK);
    const int64_t before = memory_used(dev);
    const long long pinned = count("pinned"), waits = count("cuStreamWaitEvent");
    be_lazy(1000000000);
    hdi_poll_interrupt = stop_now;
    CHECK(hd_extract(m, x) == NULL && t_failed(HD_INTERRUPTED));
    hdi_poll_interrupt = usual;
    be_lazy(0);
    CHECK_EQ_I64(memory_used(dev), before);
    CHECK_EQ_I64(count("cuStreamWaitEvent") - waits, 2);   /* the copy for x, others for the copy */
    for (int k = 0; k < 40; k++) {
        hd_array *again = mask_of(5), *y = hd_extract(again, x);
        CHECK(y != NULL && hd_size(y) == 5);
        hd_release(y), hd_release(again);
    }
    CHECK_EQ_I64(count("pinned"), pinned);   /* one place serves them all */
    hd_release(m), hd_release(x);
}

/* ---- lines ----------------------------------------------------------------------------------- */

TEST(cuda_cub, lines_that_are_dense_stay_where_they_are)
{
    hdi_cub_call c;
    long long kernels;
    hd_array *x = empty(2, (int64_t[]){6, 700}, HD_FLOAT32);
    CHECK(hd_eval(x) == HD_OK);
    const char *name = call_of(hd_sort(x, 1, 1), &c, &kernels);
    CHECK_STR(name, "sort");
    CHECK(c.lines == 6 && c.n == 700 && c.dt == HD_FLOAT32 && c.down && !c.positions);
    CHECK_EQ_I64(kernels, 0);
    CHECK_STR(call_of(hd_argsort(x, 1, 0), &c, &kernels), "sort");
    CHECK(c.positions && !c.down && c.out_dt == HD_INT64 && kernels == 0);
    hd_array *columns = hd_transpose(x, NULL);   /* the same lines */
    CHECK_STR(call_of(hd_sort(columns, 0, 0), &c, &kernels), "sort");
    CHECK(c.lines == 6 && c.n == 700 && kernels == 0);
    hd_release(columns);
    hd_release(x);
}

TEST(cuda_cub, other_lines_are_packed)
{
    hdi_cub_call c;
    long long kernels;
    hd_array *x = empty(2, (int64_t[]){6, 700}, HD_INT16);
    CHECK(hd_eval(x) == HD_OK);
    CHECK_STR(call_of(hd_sort(x, 0, 0), &c, &kernels), "sort");
    CHECK(c.lines == 700 && c.n == 6);
    CHECK_EQ_I64(kernels, 2);   /* in and out */
    const int64_t kth = 3;
    CHECK_STR(call_of(hd_argpartition(x, 1, &kth, 1), &c, &kernels), "sort");
    CHECK(c.lines == 6 && c.positions && kernels == 0);
    hd_release(x);
}

TEST(cuda_cub, running_results_where_they_are_worth_it)
{
    hdi_cub_call c;
    long long kernels;
    hd_array *x = empty(2, (int64_t[]){3, 100000}, HD_FLOAT64), *many;
    CHECK(hd_eval(x) == HD_OK);
    CHECK_STR(call_of(hd_cumsum(x, 1, HD_NO_DTYPE, NULL), &c, &kernels), "accumulate");
    CHECK(c.lines == 3 && c.n == 100000 && c.op == HDI_CUB_ADD && c.cdt == HD_FLOAT64);
    CHECK_EQ_I64(kernels, 0);
    CHECK(call_of(hd_accumulate(HD_OP_subtract, x, 1, HD_NO_DTYPE, NULL), &c, &kernels) == NULL);
    CHECK_EQ_I64(kernels, 1);   /* of our own, a thread for each line */
    many = hd_reshape(x, 2, (int64_t[]){30000, 10}, 'C');
    CHECK(call_of(hd_cumsum(many, 1, HD_NO_DTYPE, NULL), &c, &kernels) == NULL);
    CHECK_EQ_I64(kernels, 1);
    hd_release(many);
    hd_release(x);
}

TEST(cuda_cub, searches_and_orders)
{
    hdi_cub_call c;
    long long kernels;
    hd_array *table = empty(1, (int64_t[]){50}, HD_INT32), *x = empty(1, (int64_t[]){9}, HD_INT32);
    CHECK(hd_eval(table) == HD_OK && hd_eval(x) == HD_OK);
    CHECK_STR(call_of(hd_searchsorted(table, x, 1), &c, &kernels), "search");
    CHECK(c.n == 50 && c.m == 9 && c.right && c.dt == HD_INT32 && kernels == 0);
    CHECK_STR(call_of(hd_histogram(x, table, 1), &c, &kernels), "histogram");
    CHECK(c.n == 9 && c.m == 49 && c.right && c.dt == HD_INT32 && kernels == 0);
    hd_generator g = hd_generator_seed(1);
    CHECK_STR(call_of(hd_random_order(&g, 2, 70, 4), &c, &kernels), "order");
    CHECK(c.lines == 2 && c.n == 70 && c.m == 4);
    hd_release(table);
    hd_release(x);
}

/* x[index] = values, done; the name of the call that this made. */
static const char *put(hd_array *x, hd_array *index, hd_array *values, hdi_cub_call *c)
{
    const hd_array *const at[1] = {index};
    if (hd_put(x, 1, at, values, HD_CAST_SAME_KIND) != HD_OK || hd_eval(x) != HD_OK)
        return hd_error_peek()->message;
    return last(c);
}

TEST(cuda_cub, places_that_may_come_again)
{
    hdi_cub_call c;
    const int64_t n = 17;
    hd_array *x = empty(2, (int64_t[]){50, 4}, HD_FLOAT32), *v = empty(1, &n, HD_FLOAT32),
             *at = empty(1, &n, HD_INT32), *rows = empty(2, (int64_t[]){n, 4}, HD_FLOAT32);
    CHECK(hd_eval(at) == HD_OK && hd_eval(v) == HD_OK && hd_eval(rows) == HD_OK);
    CHECK_STR(put(x, at, rows, &c), "runs");   /* indices as they are, rows of 16 bytes */
    CHECK(c.n == 17 && c.dt == HD_INT32 && c.extent == 50 && c.step == 16 && c.right);
    CHECK(c.low == 0 && c.high == 49 * 16);
    CHECK(c.width == 4 && c.m == 16);
    const hd_index last_first[2] = {{HD_INDEX_SLICE, HD_NONE, HD_NONE, -1},
                                    {.kind = HD_INDEX_INT, .start = 1}};
    hd_array *back = hd_slice(x, 2, last_first);
    CHECK_STR(put(back, at, v, &c), "write");
    CHECK(c.extent == 50 && c.step == -16 && c.low == -49 * 16 && c.high == 0 && c.width == 4);
    hd_array *one = empty(0, NULL, HD_FLOAT32);
    CHECK(put(back, at, one, &c) == NULL);     /* the same for each: in any order */
    hd_release(one), hd_release(back), hd_release(rows);
    hd_release(v), hd_release(at), hd_release(x);
}

TEST(cuda_cub, errors_are_told_and_memory_comes_back)
{
    hdi_cub_call c;
    hd_array *x = empty(2, (int64_t[]){600, 700}, HD_FLOAT32);
    CHECK(hd_eval(x) == HD_OK);
    hd_device *dev = hd_device_get("cuda:0");
    const int64_t before = memory_used(dev);
    fail_call(1);
    hd_array *y = hd_sort(x, 0, 0);
    CHECK(hd_eval(y) == HD_DEVICE);
    CHECK(strstr(hd_error_peek()->message, "sort") != NULL);
    hd_error_take(NULL);
    hd_release(y);
    CHECK(last(&c) != NULL);
    CHECK_EQ_I64(memory_used(dev), before);
    hd_release(x);
}

/* The last test: the device is gone after it. */
TEST(cuda_cub, what_was_enqueued_behind_a_count_is_named_if_it_fails)
{
    hdi_cub_call c;
    hd_error e;
    hd_array *x = empty(1, (int64_t[]){FLAGS}, HD_FLOAT32), *m = mask_of(5);
    CHECK(hd_eval(x) == HD_OK && hd_synchronize(hd_device_get("cuda:0")) == HD_OK);
    hd_array *y = hd_extract(m, x);   /* has waited, but not for the words */
    CHECK_STR(last(&c), "words");
    fail_driver("cuEventQuery", 1, 700);
    CHECK(hd_synchronize(hd_device_get("cuda:0")) == HD_DEVICE && hd_error_take(&e) == HD_DEVICE);
    CHECK(strstr(e.message, "true_words") != NULL);
    hd_array *later = hd_extract(m, x);   /* the words are known */
    CHECK(later != NULL && hd_eval(later) == HD_DEVICE && t_failed(HD_DEVICE));
    hd_release(later), hd_release(y), hd_release(m), hd_release(x);
    reset();
}
