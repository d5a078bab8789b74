/* SPDX-License-Identifier: BSD-3-Clause */
/* test_cuda.c - the CUDA back end on the fake driver: opening, memory, transfers of all sizes,
 * streams and events, what is said when something fails. Kernels are counted here; test_ptx.c runs some. */
#include <dlfcn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/cuda/cuda_device.h"
#include "core/array.h"
#include "cuda/fake.h"
#include "support.h"

RECORDS_SMALL_WORK

static void (*fail_call)(const char *function, int n, int error);
static long long (*count)(const char *what);
static void (*reset)(void);

/* Before anything asks for a device: the fake driver beside this program, with two devices. */
__attribute__((constructor)) static void use_the_fake(void)
{
    setenv("FAKE_CUDA_DEVICES", "3", 1);
    setenv("FAKE_CUDA_MEMORY", "268435456", 1);
    setenv("HEDDLE_DEVICE", "cpu", 1);
    void *fake = fake_open("HEDDLE_LIBCUDA", "libfake_libcuda.so");
    if (fake == NULL)
        return;
    *(void **)&fail_call = dlsym(fake, "fake_cuda_fail");
    *(void **)&count = dlsym(fake, "fake_cuda_count");
    *(void **)&reset = dlsym(fake, "fake_cuda_reset");
}

static hd_device *gpu(void)
{
    hd_device *dev = hd_device_get("cuda:0");
    if (dev == NULL)
        printf("%s\n", hd_error_peek()->message);
    return dev;
}

static hdi_cuda *state_of(hd_device *dev) { return dev->state; }

/* an array on dev with bytes that depend on place and seed */
static hd_array *pattern(hd_device *dev, int64_t n, int seed)
{
    uint8_t *bytes = malloc((size_t)n + 1);
    for (int64_t i = 0; i < n; i++)
        bytes[i] = (uint8_t)(i * 7 + i / 251 + seed);
    hd_device *before = hd_device_current();
    hd_device_set_current(dev);
    hd_array *x = hd_from_data(1, &n, NULL, HD_UINT8, bytes);
    hd_device_set_current(before);
    free(bytes);
    return x;
}

static int has_pattern(const hd_array *x, int seed)
{
    int64_t n = hd_size(x), wrong = 0;
    uint8_t *bytes = calloc((size_t)n + 1, 1);
    int read = hd_read(x, bytes) == HD_OK;
    for (int64_t i = 0; i < n; i++)
        wrong += bytes[i] != (uint8_t)(i * 7 + i / 251 + seed);
    free(bytes);
    return read && wrong == 0;
}

static hd_array *ramp_on(hd_device *dev, int nd, const int64_t *shape, hd_dtype dt)
{
    hd_array *x = t_ramp(nd, shape, dt), *there = hd_to_device(x, dev);
    hd_release(x);
    return there;
}

/* ---- opening --------------------------------------------------------------------------------- */

TEST(cuda_open, by_name)
{
    hd_device *dev = gpu();
    REQUIRE(dev != NULL);
    CHECK_STR(hd_device_name(dev), "cuda:0");
    CHECK(hd_device_get("cuda") == dev && hd_device_get("cuda:0") == dev);
    CHECK_EQ_I64(hd_device_count("cuda"), 3);
    CHECK_EQ_I64(hd_device_count("cpu"), 1);
    CHECK_EQ_I64(hd_device_count("tpu"), 0);
    hd_device *second = hd_device_get("cuda:1");
    CHECK(second != NULL && second != dev);
    hd_device_set_current(second);
    CHECK(hd_device_get("cuda") == second);
    hd_device_set_current(hd_device_get("cpu"));
    static const char *const none[] = {"cuda:3", "cuda:99999999999999", "cuda:", "cuda:x",
                                       "cuda:1x", "cuda:-1", "cpu:0", "cud", "cudax", ""};
    for (size_t k = 0; k < sizeof none / sizeof *none; k++)
        CHECK(hd_device_get(none[k]) == NULL && t_failed(k < 2 ? HD_DEVICE : HD_VALUE));
    CHECK(hd_device_is_host(dev) == 0 && hd_device_is_host(hd_device_get("cpu")) == 1);
}

TEST(cuda_open, tells_what_it_is)
{
    hd_device *dev = gpu();
    REQUIRE(dev != NULL);
    char *text = hd_device_info(dev);
    REQUIRE(text != NULL);
    static const char *const lines[] = {"gpu\tFake GPU 0", "driver\tCUDA 13.0",
                                        "compute capability\t9.0", "multiprocessors\t132",
                                        "memory\t268435456", "a pool of the driver's"};
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++)
        CHECK(strstr(text, lines[k]) != NULL);
    hd_free_text(text);
    CHECK_EQ_I64(state_of(dev)->limits.sms, 132);
}

/* ---- memory ---------------------------------------------------------------------------------- */

TEST(cuda_memory, freed_blocks_serve_again)
{
    hd_device *dev = gpu();
    REQUIRE(dev != NULL);
    hdi_cuda *d = state_of(dev);
    hdi_cuda_trim(d);
    for (int64_t n = 1; n < 20000000; n = n * 3 + 7) {
        void *p = hdi_cuda_alloc(d, n);
        REQUIRE(p != NULL);
        CHECK_EQ_I64((uintptr_t)p % 512, 0);
        long long calls = count("cuMemAllocFromPoolAsync");
        hdi_cuda_free(d, p, n);
        CHECK(hdi_cuda_alloc(d, n) == p);
        CHECK_EQ_I64(count("cuMemAllocFromPoolAsync"), calls);
        hdi_cuda_free(d, p, n);
    }
    CHECK(hdi_cuda_alloc(d, -1) == NULL);
}

TEST(cuda_memory, blocks_do_not_overlap)
{
    enum { N = 600 };
    static struct { void *p; int64_t n; } held[N];
    hd_device *dev = gpu();
    REQUIRE(dev != NULL);
    hdi_cuda *d = state_of(dev);
    int64_t overlaps = 0;
    for (int round = 0; round < 4000; round++) {
        int k = (int)t_below(N);
        if (held[k].p != NULL) {
            hdi_cuda_free(d, held[k].p, held[k].n);
            held[k].p = NULL;
            continue;
        }
        held[k].n = t_below(4) ? t_below(9000) : t_below(200000);
        held[k].p = hdi_cuda_alloc(d, held[k].n);
        REQUIRE(held[k].p != NULL);
        for (int j = 0; j < N; j++)
            overlaps += j != k && held[j].p != NULL &&
                        (char *)held[j].p < (char *)held[k].p + held[k].n &&
                        (char *)held[k].p < (char *)held[j].p + held[j].n;
    }
    CHECK_EQ_I64(overlaps, 0);
    for (int k = 0; k < N; k++) {
        if (held[k].p != NULL)
            hdi_cuda_free(d, held[k].p, held[k].n);
        held[k].p = NULL;
    }
}

TEST(cuda_memory, trim_gives_all_of_it_back)
{
    hd_device *dev = gpu();
    REQUIRE(dev != NULL);
    hdi_cuda *d = state_of(dev);
    hdi_memory_stats s;
    hdi_cuda_trim(d);
    hdi_cuda_memory_stats(d, &s, true);
    int64_t used = s.used;
    void *small = hdi_cuda_alloc(d, 1000), *large = hdi_cuda_alloc(d, 10 << 20);
    hdi_cuda_memory_stats(d, &s, false);
    CHECK_EQ_I64(s.used - used, 1024 + (10 << 20));
    CHECK_EQ_I64(s.peak, s.used);
    CHECK(s.cached >= (2 << 20) - 4096);
    hdi_cuda_free(d, large, 10 << 20);
    CHECK(hdi_cuda_trim(d) >= 10 << 20);   /* the slab is in use */
    hdi_cuda_memory_stats(d, &s, false);
    CHECK(s.used - used == 1024 && s.cached > 0 && s.cached < 2 << 20);
    hdi_cuda_free(d, small, 1000);
    hdi_cuda_trim(d);
    hdi_cuda_memory_stats(d, &s, false);
    CHECK_EQ_I64(s.used, used);
    CHECK_EQ_I64(s.cached, 0);
    if (used == 0)
        CHECK_EQ_I64(count("live"), 0);
}

TEST(cuda_memory, exhaustion_is_a_memory_error)
{
    hd_device *dev = gpu();
    REQUIRE(dev != NULL);
    hd_error e;
    hd_device_set_current(dev);
    hd_array *x = hd_empty(SHAPE(100 << 20), HD_UINT8), *kept = hd_empty(SHAPE(90 << 20), HD_UINT8);
    void *zeros = calloc(1, 100 << 20);
    REQUIRE(zeros != NULL);
    CHECK(hd_write(x, zeros) == HD_OK && hd_write(kept, zeros) == HD_OK);
    free(zeros);
    hd_release(kept);
    /* what is kept makes room */
    hd_array *y = pattern(dev, 120 << 20, 1);
    CHECK(y != NULL && has_pattern(y, 1));
    hd_array *z = pattern(dev, 60 << 20, 1);
    CHECK(z == NULL && hd_error_take(&e) == HD_NOMEM);
    CHECK(strstr(e.message, "62914560 bytes") != NULL && strstr(e.message, "cuda:0") != NULL &&
          strstr(e.message, "234881024 in use") != NULL);
    hd_release(x);
    CHECK((z = pattern(dev, 60 << 20, 1)) != NULL);
    hd_release(y);
    hd_release(z);
    hd_device_set_current(hd_device_get("cpu"));
    hd_trim(dev);
}

TEST(cuda_memory, a_limit_is_kept)
{
    hd_device *dev = gpu();
    REQUIRE(dev != NULL);
    hd_trim(dev);
    CHECK_EQ_I64(hd_memory_limit(dev, 16 << 20), 0);
    hd_array *x = pattern(dev, 12 << 20, 3), *y = pattern(dev, 8 << 20, 3);
    CHECK(x != NULL && y == NULL && t_failed(HD_NOMEM));
    hd_release(x);
    CHECK((y = pattern(dev, 8 << 20, 3)) != NULL);
    hd_release(y);
    CHECK_EQ_I64(hd_memory_limit(dev, 0), 16 << 20);
    CHECK_EQ_I64(hd_memory_limit(dev, -1), 0);
    CHECK_EQ_I64(hd_memory_limit(hd_device_get("cpu"), 5), 0);
}

TEST(cuda_memory, a_failed_call_is_tried_again_after_a_trim)
{
    hd_device *dev = gpu();
    REQUIRE(dev != NULL);
    hdi_cuda *d = state_of(dev);
    hdi_cuda_trim(d);
    fail_call("cuMemAllocFromPoolAsync", 1, CUDA_ERROR_OUT_OF_MEMORY);
    void *p = hdi_cuda_alloc(d, 5 << 20);
    CHECK(p != NULL);
    hdi_cuda_free(d, p, 5 << 20);
}

/* ---- transfers ------------------------------------------------------------------------------- */

TEST(cuda_transfer, every_size_comes_back)
{
    enum { CHUNK = 4 << 20 };
    static const int64_t sizes[] = {0, 1, 2, 63, 64, 65, 4095, 65535, 65536, 65537, 262143, 262145,
                                    CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 17, 9 * CHUNK + 5};
    hd_device *dev = gpu();
    REQUIRE(dev != NULL);
    for (int round = 0; round < 2; round++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            hd_array *x = pattern(dev, sizes[k], (int)k);
            REQUIRE(x != NULL);
            if (!CHECK(has_pattern(x, (int)k)))
                printf("%lld bytes\n", (long long)sizes[k]);
            hd_release(x);
        }
}

TEST(cuda_transfer, small_ones_share_a_chunk)
{
    hd_device *dev = gpu();
    REQUIRE(dev != NULL);
    hd_array *x[200];
    for (int k = 0; k < 200; k++)
        REQUIRE((x[k] = pattern(dev, 37000 + k, k)) != NULL);   /* more than one chunk in all */
    for (int k = 0; k < 200; k++) {
        CHECK(has_pattern(x[k], k));
        hd_release(x[k]);
    }
}

TEST(cuda_transfer, between_devices)
{
    hd_device *cpu = hd_device_get("cpu"), *dev = gpu(), *other = hd_device_get("cuda:1");
    REQUIRE(dev != NULL && other != NULL);
    hd_array *x = t_ramp(SHAPE(3, 4, 5), HD_FLOAT64);
    hd_array *t = hd_transpose(x, NULL), *s = t_slice(x, ALL, SLICE(0, 4, 2));
    const hd_array *all[] = {x, t, s};
    for (int k = 0; k < 3; k++) {
        hd_array *there = hd_to_device(all[k], dev), *on = hd_to_device(there, other);
        hd_array *back = hd_to_device(on, cpu), *host = hd_to_host(on);
        REQUIRE(there != NULL && on != NULL && back != NULL && host != NULL);
        CHECK(hd_device_of(there) == dev && hd_device_of(on) == other &&
              hd_device_of(back) == cpu && hd_device_of(host) == cpu);
        double want[60], have[60], pinned[60];
        CHECK(hd_read(all[k], want) == HD_OK && hd_read(back, have) == HD_OK &&
              hd_read(host, pinned) == HD_OK);
        size_t bytes = (size_t)hd_nbytes(all[k]);
        CHECK(memcmp(want, have, bytes) == 0 && memcmp(want, pinned, bytes) == 0);
        CHECK(hd_to_device(there, dev) == there);
        hd_release(there);   /* that was one more reference */
        hd_release(there);
        hd_release(on);
        hd_release(back);
        hd_release(host);
    }
    CHECK(hd_flags(t) & HD_F_CONTIGUOUS);
    hd_array *there = hd_to_device(t, dev);
    CHECK((hd_flags(there) & HD_F_CONTIGUOUS) && t_value(there, 1) == t_value(t, 1));
    hd_release(there);
    hd_release(x);
    hd_release(t);
    hd_release(s);
}

TEST(cuda_transfer, large_results_live_in_pinned_memory_that_serves_again)
{
    hd_device *dev = gpu();
    REQUIRE(dev != NULL);
    hd_array *x = pattern(dev, 3000000, 9);
    hd_array *h = hd_to_host(x);
    REQUIRE(h != NULL);
    CHECK(has_pattern(h, 9));
    void *first = hd_export(h, 1);
    hd_unexport(h);
    hd_release(h);
    long long pinned = count("pinned"), calls = count("cuMemHostAlloc");
    h = hd_to_host(x);
    CHECK(hd_export(h, 1) == first && count("pinned") == pinned &&
          count("cuMemHostAlloc") == calls);
    hd_unexport(h);
    /* and goes to the device directly */
    long long copies = count("cuMemcpyHtoDAsync");
    hd_array *y = hd_to_device(h, dev);
    CHECK_EQ_I64(count("cuMemcpyHtoDAsync") - copies, 1);
    CHECK(has_pattern(y, 9));
    hd_release(h);
    hd_release(x);
    hd_release(y);
    hd_trim(dev);
    CHECK(count("pinned") < pinned);
}

TEST(cuda_transfer, write_replaces_the_elements)
{
    hd_device *dev = gpu();
    REQUIRE(dev != NULL);
    const double four[] = {4, 5, 6}, seven[] = {7, 8, 9};
    hd_array *x = ramp_on(dev, SHAPE(3), HD_FLOAT64), *copy = hd_copy(x, 'K');
    CHECK(hd_write(x, four) == HD_OK && t_equals(x, 4, 5, 6));
    CHECK(t_equals(copy, 0, 1, 2));
    CHECK(hd_write(x, seven) == HD_OK && t_equals(x, 7, 8, 9));
    hd_set_writeable(x, 0);
    CHECK(hd_write(x, four) == HD_READONLY && t_failed(HD_READONLY));
    hd_array *cpu = t_ramp(SHAPE(2, 3), HD_FLOAT64), *row = t_slice(cpu, AT(1));
    CHECK(hd_write(row, four) == HD_OK && t_equals(cpu, 0, 1, 2, 4, 5, 6));
    hd_release(x);
    hd_release(copy);
    hd_release(cpu);
    hd_release(row);
}

TEST(cuda_transfer, elements_one_by_one)
{
    hd_device *dev = gpu();
    REQUIRE(dev != NULL);
    hd_array *x = ramp_on(dev, SHAPE(2, 3), HD_INT32), *t = hd_transpose(x, NULL);
    CHECK(t_equals(x, 0, 1, 2, 3, 4, 5) && t_equals(t, 0, 3, 1, 4, 2, 5));
    CHECK(hd_export(x, 0) == NULL && t_failed(HD_EXPORT));
    void *p = hd_export_device(x, 1);
    CHECK(p != NULL);
    hd_unexport(x);
    hd_release(x);
    hd_release(t);
}

/* ---- sharing --------------------------------------------------------------------------------- */

static void deleted(void *ctx) { ++*(int *)ctx; }

TEST(cuda_share, memory_of_others)
{
    hd_device *dev = gpu(), *other = hd_device_get("cuda:1");
    REQUIRE(dev != NULL && other != NULL);
    int deletions = 0;
    double on_host[3] = {1, 2, 3};
    hd_array *x = ramp_on(dev, SHAPE(3), HD_FLOAT64);
    void *p = hd_export_device(x, 1);
    hd_array *y = hd_wrap_device(dev, SHAPE(3), NULL, HD_FLOAT64, p, 0, deleted, &deletions);
    REQUIRE(y != NULL);
    CHECK(t_equals(y, 0, 1, 2) && hd_may_share(x, y));
    hd_release(y);
    CHECK_EQ_I64(deletions, 1);
    CHECK(hd_wrap_device(other, SHAPE(3), NULL, HD_FLOAT64, p, 0, deleted, &deletions) == NULL &&
          t_failed(HD_VALUE));
    CHECK(hd_wrap_device(dev, SHAPE(3), NULL, HD_FLOAT64, on_host, 0, deleted, &deletions) ==
              NULL && t_failed(HD_VALUE));
    CHECK(hd_wrap_device(hd_device_get("cpu"), SHAPE(3), NULL, HD_FLOAT64, on_host, 0, NULL,
                         NULL) == NULL && t_failed(HD_DEVICE));
    CHECK_EQ_I64(deletions, 1);
    hd_unexport(x);
    hd_release(x);
}

/* ---- operands -------------------------------------------------------------------------------- */

TEST(cuda_operands, of_two_devices)
{
    hd_device *dev = gpu();
    hd_error e;
    REQUIRE(dev != NULL);
    int scope = hd_scope_begin();
    hd_array *y = t_ramp(SHAPE(3), HD_FLOAT64), *x = hd_to_device(y, dev);
    hd_array *s = hd_sum(y, HD_ALL_AXES, NULL, 0), *r;
    CHECK(hd_add(x, y) == NULL && hd_error_take(&e) == HD_DEVICE);
    CHECK(strstr(e.message, "cuda:0") != NULL && strstr(e.message, "cpu") != NULL);
    CHECK(hd_inplace(HD_OP_add, y, x) == HD_DEVICE && t_failed(HD_DEVICE));
    CHECK(hd_assign(s, hd_sum(x, HD_ALL_AXES, NULL, 0), HD_CAST_SAME_KIND) != HD_OK);
    hd_error_take(NULL);
    /* one element on the host goes with any device; a value on the device stays there */
    for (int k = 0; k < 4; k++) {
        r = k == 0   ? hd_add(x, s)
            : k == 1 ? hd_add(s, x)
            : k == 2 ? hd_where(x, s, s)
                     : hd_where(s, x, s);
        CHECK(r != NULL && t_clean());
        if (r != NULL)
            CHECK(hd_device_of(r) == dev);
    }
    CHECK(hd_inplace(HD_OP_multiply, x, s) == HD_OK);
    hd_scope_end(scope, NULL);
}

/* ---- streams --------------------------------------------------------------------------------- */

TEST(cuda_streams, work_goes_where_it_is_told)
{
    hd_device *dev = gpu(), *cpu = hd_device_get("cpu");
    uintptr_t own, current, mine = 0, event = 0, later = 0;
    int done = 0;
    double ms = -1;
    REQUIRE(dev != NULL);
    CHECK(hd_stream_get(dev, &own, &current) == HD_OK && own == current && own > 2);
    CHECK(hd_stream_new(dev, 1, &mine) == HD_OK && mine != own);
    long long waits = count("cuStreamWaitEvent");
    CHECK(hd_stream_use(dev, mine) == HD_OK);
    CHECK_EQ_I64(count("cuStreamWaitEvent") - waits, 1);
    CHECK(hd_stream_get(dev, &own, &current) == HD_OK && current == mine);
    hd_array *x = pattern(dev, 5000000, 4);
    CHECK(has_pattern(x, 4));
    CHECK(hd_event_new(dev, 1, 0, &event) == HD_OK && hd_event_new(dev, 1, 1, &later) == HD_OK);
    CHECK(hd_event_record(dev, event, mine) == HD_OK && hd_event_record(dev, later, own) == HD_OK);
    CHECK(hd_event_synchronize(dev, later) == HD_OK);
    CHECK(hd_event_done(dev, event, &done) == HD_OK && done == 1);
    CHECK(hd_event_elapsed(dev, event, later, &ms) == HD_OK && ms >= 0);
    CHECK(hd_stream_wait_event(dev, own, event) == HD_OK);
    CHECK(hd_stream_order(dev, mine, own) == HD_OK && hd_stream_order(dev, 1, mine) == HD_OK);
    CHECK(hd_stream_synchronize(dev, mine) == HD_OK && hd_device_wait_all(dev) == HD_OK);
    CHECK(hd_stream_done(dev, mine, &done) == HD_OK && done == 1);
    CHECK(hd_stream_free(dev, mine) == HD_OK);
    CHECK(hd_stream_get(dev, &own, &current) == HD_OK && current == own);
    CHECK(hd_event_free(dev, event) == HD_OK && hd_event_free(dev, later) == HD_OK);
    CHECK(hd_stream_new(cpu, 0, &mine) == HD_DEVICE && t_failed(HD_DEVICE));
    CHECK(hd_event_new(cpu, 0, 0, &event) == HD_DEVICE && t_failed(HD_DEVICE));
    CHECK(has_pattern(x, 4) && hd_synchronize(dev) == HD_OK && hd_synchronize(NULL) == HD_OK);
    hd_release(x);
}

/* ---- failures -------------------------------------------------------------------------------- */

TEST(cuda_failure, a_failed_call_says_which)
{
    hd_device *dev = gpu();
    hd_error e;
    REQUIRE(dev != NULL);
    hd_array *x = pattern(dev, 1000, 2);
    uint8_t out[1000];
    fail_call("cuMemcpyDtoHAsync", 1, 1);
    CHECK(hd_read(x, out) == HD_DEVICE && hd_error_take(&e) == HD_DEVICE);
    CHECK(strstr(e.message, "CUDA_ERROR_INVALID_VALUE") != NULL &&
          strstr(e.message, "copying to the host") != NULL && strstr(e.message, "cuda:0") != NULL);
    CHECK(has_pattern(x, 2));   /* the device goes on */
    hd_release(x);
}

TEST(cuda_failure, a_lost_device_raises_and_the_others_go_on)
{
    hd_device *lost = hd_device_get("cuda:2"), *dev = gpu();
    hd_error e;
    REQUIRE(lost != NULL && dev != NULL);
    hdi_cuda_note(state_of(lost), "add");
    hdi_cuda_note(state_of(lost), "sqrt");
    hd_array *x = pattern(lost, 100000, 5), *y = pattern(dev, 1000, 5), *z;
    fail_call("cuEventQuery", 1, CUDA_ERROR_ILLEGAL_ADDRESS);
    uint8_t *out = malloc(100000);
    CHECK(hd_read(x, out) == HD_DEVICE && hd_error_take(&e) == HD_DEVICE);
    CHECK(strstr(e.message, "cuda:2 is lost") != NULL && strstr(e.message, "add, sqrt") != NULL &&
          strstr(e.message, "CUDA_ERROR_ILLEGAL_ADDRESS") != NULL);
    reset();
    long long calls = count("cuMemcpyDtoHAsync") + count("cuMemcpyHtoDAsync") +
                      count("cuMemAllocFromPoolAsync") + count("cuMemFreeAsync");
    CHECK(hd_read(x, out) == HD_DEVICE && t_failed(HD_DEVICE));
    CHECK(pattern(lost, 3 << 20, 1) == NULL && t_failed(HD_DEVICE));
    CHECK(hd_synchronize(lost) == HD_DEVICE && t_failed(HD_DEVICE));
    CHECK(hd_trim(lost) == 0);
    hd_release(x);
    CHECK_EQ_I64(count("cuMemcpyDtoHAsync") + count("cuMemcpyHtoDAsync") +
                 count("cuMemAllocFromPoolAsync") + count("cuMemFreeAsync"), calls);
    CHECK(has_pattern(y, 5));
    z = t_ramp(SHAPE(4), HD_FLOAT64);
    CHECK(t_equals(z, 0, 1, 2, 3));
    hd_release(y);
    hd_release(z);
    free(out);
}

static int child(hd_array *x, hd_array *host)
{
    hd_error e;
    uint8_t out[1000];
    hd_device *dev = hd_device_of(x);
    int wrong = hd_read(x, out) != HD_DEVICE || hd_error_take(&e) != HD_DEVICE;
    wrong += strstr(e.message, "fork") == NULL;
    wrong += pattern(dev, 100, 1) != NULL;
    hd_error_take(NULL);
    wrong += hd_device_get("cuda:0") != dev;
    wrong += !t_equals(hd_add(host, host), 0, 2, 4);
    hd_release(x);
    return wrong + (hd_synchronize(hd_device_get("cpu")) != HD_OK);
}

TEST(cuda_failure, the_child_of_a_fork_has_the_cpu)
{
#if defined(__SANITIZE_THREAD__)
    SKIP("the thread sanitizer does not follow threads made after a fork");
#endif
    hd_device *dev = gpu();
    REQUIRE(dev != NULL);
    hd_array *x = pattern(dev, 1000, 2), *host = t_ramp(SHAPE(3), HD_FLOAT64);
    int status = -1;
    pid_t pid = fork();
    if (pid == 0)
        _exit(child(x, host));
    REQUIRE(pid > 0 && waitpid(pid, &status, 0) == pid);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(has_pattern(x, 2));
    hd_release(x);
    hd_release(host);
}
