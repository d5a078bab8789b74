/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mirrors.c - small arrays of a GPU and their mirrors on the host, on the fake driver, which
 * runs the kernels and counts copies. */
#include <dlfcn.h>

#include "backend/cpu/cpu_small.h"
#include "core/array.h"
#include "cuda/fake.h"
#include "cuda/fake_memory.h"
#include "fuse/kernel_ir.h"
#include "support.h"
#include "window/inspect.h"

static void (*fail_call)(const char *function, int n, int error);
static long long (*count)(const char *what);
static hd_device *gpu;

__attribute__((constructor)) static void use_the_fake(void)
{
    setenv("FAKE_CUDA_RUN", "1", 1);
    setenv("HEDDLE_TIER", "1", 1);
    setenv("HEDDLE_CACHE", "off", 1);
    setenv("HEDDLE_LIBCUB", "/nonexistent", 1);
    setenv("HEDDLE_DEVICE", "cpu", 1);
    void *fake = fake_open("HEDDLE_LIBCUDA", "libfake_libcuda.so");
    if (fake == NULL)
        return;
    *(void **)&fail_call = dlsym(fake, "fake_cuda_fail");
    *(void **)&count = dlsym(fake, "fake_cuda_count");
}

/* On the GPU from here on; false: there is none. */
static bool begin(void)
{
    gpu = hd_device_get("cuda:0");
    if (gpu != NULL)
        hd_device_set_current(gpu);
    return gpu != NULL;
}

static void end(void)
{
    hd_device_set_current(hd_device_get("cpu"));
}

typedef struct work { long long in, out, kernels; } work;

static work so_far(void)
{
    return (work){count("cuMemcpyHtoDAsync"), count("cuMemcpyDtoHAsync"), count("launches")};
}

static void check_work(work before, int in, int out, int kernels)
{
    work now = so_far();
    CHECK_EQ_I64(now.in - before.in, in);
    CHECK_EQ_I64(now.out - before.out, out);
    CHECK_EQ_I64(now.kernels - before.kernels, kernels);
}

static double element(const hd_array *x, int64_t i)
{
    double value = -1;
    CHECK(hd_element_get(x, 1, &i, &value) == HD_OK);
    return value;
}

static void set_element(hd_array *x, int64_t i, double value)
{
    CHECK(hd_element_set(x, 1, &i, &value) == HD_OK);
}

static hd_array *counted(int64_t n)
{
    return t_ramp(1, &n, HD_FLOAT64);
}

/* n elements that a kernel of the GPU has made: sums of columns of ones. */
static hd_array *made_there(int64_t n, int64_t sum)
{
    hd_array *ones = hd_ones(SHAPE(sum, n), HD_FLOAT64);
    hd_array *x = hd_sum(ones, 1, (int[]){0}, 0);
    CHECK(hd_eval(x) == HD_OK);
    hd_release(ones);
    return x;
}

enum { FEW = 10, MOST = HDI_MIRROR_MOST / 8, ROWS = 1000 };

TEST(mirrors, small_work_stays_on_the_host)
{
    enum { SHORT = 200 };
    REQUIRE(begin());
    work before = so_far();
    hd_array *x = counted(MOST), *y = hd_add(x, x);
    for (int64_t i = 1; i < 100; i++)
        set_element(y, i, element(y, i - 1) + element(x, i));
    CHECK(element(y, 99) == 99 * 100 / 2);
    hd_array *row = t_slice(x, SLICE(0, SHORT, 1)), *sum = hd_sum(row, HD_ALL_AXES, NULL, 0);
    hd_value value;
    CHECK(hd_item(sum, 0, &value) == HD_OK && value.as.f == SHORT * (SHORT - 1) / 2);
    check_work(before, 0, 0, 0);
    DROP(x, y, row, sum);
    end();
}

/* Of doubles no row that has a mirror is longer than HDI_SHORT_ROW; of halves there are. */
TEST(mirrors, longer_rows_are_summed_in_the_devices_order)
{
    enum { LONG = HDI_SHORT_ROW + 500 };
    REQUIRE(begin());
    uint16_t ones[LONG];
    hd_value value;
    for (int i = 0; i < LONG; i++)
        ones[i] = 0x3C00;
    for (int64_t n = HDI_SHORT_ROW; n <= LONG; n += LONG - HDI_SHORT_ROW) {
        work before = so_far();
        hd_array *x = hd_from_data(1, &n, NULL, HD_FLOAT16, ones);
        hd_array *sum = hd_sum(x, HD_ALL_AXES, NULL, 0);
        CHECK(hd_item(sum, 0, &value) == HD_OK && value.as.f == (double)n);
        const int there = n > HDI_SHORT_ROW;
        check_work(before, there, there, there);
        DROP(x, sum);
    }
    end();
}

/* Operations over so many elements that a kernel is worth it. */
TEST(mirrors, larger_work_is_the_devices)
{
    static const uint8_t flags[HDI_CPU_MIRRORED_MOST + 1];
    REQUIRE(begin());
    for (int64_t n = HDI_CPU_MIRRORED_MOST; n <= HDI_CPU_MIRRORED_MOST + 1; n++) {
        work before = so_far();
        hd_array *x = hd_from_data(1, &n, NULL, HD_BOOL, flags), *y = hd_add(x, x);
        CHECK(hd_eval(y) == HD_OK);
        const int there = n > HDI_CPU_MIRRORED_MOST;
        check_work(before, there, 0, there);
        DROP(x, y);
    }
    end();
}

/* Numbers that are fitted to what lies on the device: kernels write them in each step, so bringing
 * them does not pay. Then a loop over small pieces of another array, which has to come all the
 * same. */
TEST(mirrors, what_kernels_write_again_and_again_stays_there)
{
    enum { STEPS = 600 };
    REQUIRE(begin());
    hd_array *data = hd_ones(SHAPE(ROWS, FEW), HD_FLOAT64), *w = counted(FEW), *x;
    CHECK(hd_eval(data) == HD_OK);
    work before = so_far();
    for (int k = 0; k < STEPS; k++) {
        hd_array *part = hd_multiply(data, w), *sum = hd_sum(part, 1, (int[]){0}, 0),
                 *rate = hd_float(1.0 / (4 * ROWS)), *step = hd_multiply(sum, rate);
        CHECK(hd_inplace(HD_OP_subtract, w, step) == HD_OK);
        DROP(part, sum, rate, step);
    }
    CHECK(hd_eval(w) == HD_OK && so_far().out - before.out < STEPS / 6);
    x = made_there(MOST, ROWS);
    before = so_far();
    for (int64_t i = 1; i < MOST; i++)
        set_element(x, i, element(x, i - 1) + 1);
    CHECK(element(x, MOST - 1) == ROWS + (double)MOST - 1 && so_far().out - before.out < 40);
    DROP(data, w, x);
    end();
}

TEST(mirrors, elements_of_what_a_kernel_made_come_once)
{
    REQUIRE(begin());
    hd_array *x = made_there(FEW, ROWS);
    work before = so_far();
    for (int64_t i = 0; i < FEW; i++)
        CHECK(element(x, i) == ROWS);
    check_work(before, 0, 1, 0);
    hd_array *y = hd_multiply(x, x);   /* now the host knows it */
    CHECK(element(y, 3) == (double)ROWS * ROWS);
    check_work(before, 0, 1, 0);
    DROP(x, y);
    end();
}

TEST(mirrors, go_along_with_the_kernel_that_needs_them_once)
{
    REQUIRE(begin());
    hd_array *x = counted(FEW), *ones = hd_ones(SHAPE(ROWS, FEW), HD_FLOAT64);
    CHECK(hd_eval(ones) == HD_OK);
    work before = so_far();
    for (int k = 0; k < 3; k++) {
        hd_array *y = hd_add(ones, x);
        CHECK(hd_eval(y) == HD_OK);
        hd_release(y);
    }
    check_work(before, 1, 0, 3);
    set_element(x, 2, 50);   /* what is there is older now */
    hd_array *y = hd_add(ones, x), *sum = hd_sum(y, 1, (int[]){0}, 0);
    CHECK(element(sum, 2) == 51.0 * ROWS && element(sum, 3) == 4.0 * ROWS);
    check_work(before, 2, 1, 4);
    DROP(x, ones, y, sum);
    end();
}

TEST(mirrors, what_a_kernel_writes_comes_back)
{
    REQUIRE(begin());
    hd_array *x = counted(FEW), *s = made_there(FEW, ROWS);
    hd_array *part = t_slice(x, SLICE(2, 5, 1)), *from = t_slice(s, SLICE(0, 3, 1));
    CHECK(hd_inplace(HD_OP_add, part, from) == HD_OK);   /* the GPU has s only */
    for (int64_t i = 0; i < FEW; i++)
        CHECK(element(x, i) == (double)i + (i >= 2 && i < 5 ? ROWS : 0));
    work before = so_far();
    set_element(x, 0, 7);
    CHECK(element(x, 0) == 7 && element(x, 4) == 4 + ROWS);
    check_work(before, 0, 0, 0);
    DROP(x, s, part, from);
    end();
}

/* One byte too many, and nothing stays on the host. */
TEST(mirrors, have_a_largest_size)
{
    REQUIRE(begin());
    for (int64_t n = HDI_MIRROR_MOST - 1; n <= HDI_MIRROR_MOST + 1; n++) {
        hd_array *x = hd_zeros(1, &n, HD_UINT8);
        uint8_t value = 3, got = 0;
        CHECK(hd_eval(x) == HD_OK);
        work before = so_far();
        for (int64_t i = 0; i < 3; i++)
            CHECK(hd_element_set(x, 1, &i, &value) == HD_OK);
        CHECK(hd_element_get(x, 1, &(int64_t){2}, &got) == HD_OK && got == 3);
        CHECK(hd_element_get(x, 1, &(int64_t){-1}, &got) == HD_OK && got == 0);
        CHECK_EQ_I64(so_far().out - before.out, n > HDI_MIRROR_MOST ? 2 : x->st->buf->mem != NULL);
        DROP(x);
    }
    end();
}

/* Whoever has its address sees what is written, and what others write there is seen. */
TEST(mirrors, end_where_the_address_is_known)
{
    REQUIRE(begin());
    hd_array *x = counted(FEW);
    set_element(x, 1, 5);
    double *there = fake_on_host(hd_export_device(x, 1));
    REQUIRE(there != NULL);
    CHECK(there[1] == 5 && there[9] == 9);
    there[2] = 40;
    CHECK(element(x, 2) == 40);
    set_element(x, 3, 60);
    CHECK(hd_synchronize(gpu) == HD_OK && there[3] == 60);
    there[3] = 70;
    CHECK(element(x, 3) == 70);
    hd_unexport(x);
    CHECK(element(x, 3) == 70 && element(x, 1) == 5);
    set_element(x, 4, 1);
    CHECK(element(x, 4) == 1);
    DROP(x);
    end();
}

TEST(mirrors, snapshots_and_copies_part)
{
    REQUIRE(begin());
    hd_array *x = counted(FEW), *c = hd_copy(x, 'K');
    set_element(x, 0, 9);
    CHECK(element(c, 0) == 0 && element(x, 0) == 9);
    hd_array *on_cpu = hd_to_device(x, hd_device_get("cpu")), *back = hd_to_device(on_cpu, gpu);
    set_element(back, 0, 8);
    CHECK(element(on_cpu, 0) == 9 && element(x, 0) == 9 && element(back, 0) == 8);
    double all[FEW];
    CHECK(hd_read(back, all) == HD_OK && all[0] == 8 && all[9] == 9);
    all[3] = 33;
    CHECK(hd_write(back, all) == HD_OK && element(back, 3) == 33);
    DROP(x, c, on_cpu, back);
    end();
}

/* Element writes into what only the GPU has are recorded, until they prove to be a loop. */
TEST(mirrors, loops_of_writes_bring_what_they_write_to)
{
    REQUIRE(begin());
    hd_array *x = made_there(FEW, ROWS), *many = made_there(MOST, ROWS);
    set_element(x, 1, 4);
    CHECK(element(x, 1) == 4 && element(x, 2) == ROWS);
    work before = so_far();
    for (int64_t i = 0; i < MOST; i++)
        set_element(many, i, (double)i);
    for (int64_t i = 0; i < MOST; i++)
        CHECK(element(many, i) == (double)i);
    CHECK(so_far().out - before.out == 1);
    DROP(x, many);
    end();
}

/* Modes that record all of it: no mirrors; those that are there are taken along. */
TEST(mirrors, none_where_everything_is_recorded)
{
    REQUIRE(begin());
    hd_array *x = counted(FEW);
    set_element(x, 1, 5);
    hd_set_fusion(2);
    work before = so_far();
    hd_array *y = hd_add(x, x), *c = hd_copy(x, 'K'), *one = hd_scalar_of(c);
    CHECK(one == NULL);
    hd_error_take(NULL);
    set_element(y, 2, 100);
    CHECK(element(y, 1) == 10 && element(y, 2) == 100 && element(c, 1) == 5);
    CHECK(so_far().kernels > before.kernels && so_far().in > before.in);
    hd_set_fusion(1);
    set_element(x, 1, 6);
    hd_array *z = hd_add(x, y);
    CHECK(element(z, 1) == 16 && element(z, 2) == 102);
    DROP(x, y, c, z);
    end();
}

/* What cannot be sent fails those who read it on the GPU; the mirror is none the worse. */
TEST(mirrors, a_copy_that_fails)
{
    REQUIRE(begin());
    hd_array *x = counted(FEW), *ones = hd_ones(SHAPE(ROWS, FEW), HD_FLOAT64);
    CHECK(hd_eval(ones) == HD_OK);
    fail_call("cuMemcpyHtoDAsync", 1, 1);
    hd_array *y = hd_add(ones, x);
    CHECK(hd_eval(y) != HD_OK);
    hd_error_take(NULL);
    CHECK(element(x, 3) == 3);
    hd_array *z = hd_add(ones, x), *sum = hd_sum(z, 1, (int[]){0}, 0);
    CHECK(element(sum, 3) == 4.0 * ROWS);
    fail_call("cuMemcpyDtoHAsync", 1, 1);
    hd_array *w = made_there(FEW, ROWS);
    double value;
    CHECK(hd_element_get(w, 1, &(int64_t){1}, &value) != HD_OK);
    hd_error_take(NULL);
    CHECK(element(w, 1) == ROWS);
    DROP(x, ones, y, z, sum, w);
    end();
}

/* ---- what is asked for often ----------------------------------------------------------------- */

enum { LARGE = 40000, ASKS = HDI_ASKS + LARGE * 8 / HDI_BYTES_AN_ASK };

/* Elements of a large array: one copy each, then all of it at once. */
TEST(mirrors, elements_of_a_large_array_come_with_all_of_it)
{
    REQUIRE(begin());
    hd_array *x = hd_ones(SHAPE(LARGE), HD_FLOAT64);
    CHECK(hd_eval(x) == HD_OK);
    work before = so_far();
    for (int64_t i = 0; i < 100; i++)
        CHECK(element(x, i * 300) == 1);
    check_work(before, 0, ASKS, 0);
    for (int64_t i = 0; i < 100; i++)
        set_element(x, i, (double)i);   /* as often as it was read */
    CHECK(element(x, 99) == 99 && element(x, 101) == 1);
    check_work(before, 0, ASKS, 0);
    hd_array *sum = hd_sum(x, HD_ALL_AXES, NULL, 0);
    hd_value value;
    CHECK(hd_item(sum, 0, &value) == HD_OK && value.as.f == LARGE - 100 + 99 * 100 / 2);
    work now = so_far();
    CHECK_EQ_I64(now.in - before.in, 1);
    set_element(x, 0, 5);   /* not a second time for one element: the GPU writes it */
    CHECK(hd_eval(x) == HD_OK);
    CHECK(so_far().in == now.in && so_far().kernels > now.kernels && element(x, 0) == 5);
    DROP(x, sum);
    end();
}

/* x[k] = x[k - 1] + y[k] in views: recorded until it proves to be a loop, and then with what the
 * kernels at hand have made. */
static void run_loop(hd_array *x, const hd_array *y, int64_t n)
{
    for (int64_t k = 1; k < n; k++) {
        hd_array *last = t_slice(x, AT(k - 1)), *add = t_slice(y, AT(k)), *to = t_slice(x, AT(k));
        hd_array *sum = hd_add(last, add);
        CHECK(hd_assign(to, sum, HD_CAST_SAFE) == HD_OK);
        DROP(last, add, to, sum);
    }
}

TEST(mirrors, loops_over_what_the_gpu_made_come_home)
{
    REQUIRE(begin());
    for (int64_t n = FEW; n <= LARGE; n = n * 20) {   /* 10, 200, 4000: each side of the sizes */
        hd_array *x = made_there(n, 4), *y = made_there(n, 3);
        work before = so_far();
        run_loop(x, y, n);
        CHECK(element(x, n - 1) == 4 + 3 * (double)(n - 1));
        CHECK(so_far().kernels - before.kernels < 100 && so_far().out - before.out < 40);
        DROP(x, y);
    }
    end();
}

/* Small results of large arrays, n times: they are asked for, and no small work ever runs. */
static void ask_in_vain(const hd_array *x, int n)
{
    for (int k = 0; k < n; k++) {
        hd_array *sum = hd_sum(x, HD_ALL_AXES, NULL, 0), *twice = hd_add(sum, sum),
                 *scaled = hd_binary(HD_OP_multiply, x, twice);
        DROP(sum, twice, scaled);
    }
}

TEST(mirrors, asks_in_vain_do_not_keep_later_loops_from_coming_home)
{
    REQUIRE(begin());
    hd_array *large = made_there(LARGE, 1);
    hdi_window *w = hdi_window_of(gpu);
    for (int times = 1; times <= 3; times += 2) {
        while (w->in_vain < HDI_IN_VAIN)
            ask_in_vain(large, 100);
        ask_in_vain(large, 100 * times);
        hd_array *x = made_there(2000, 4), *y = made_there(2000, 3);
        work before = so_far();
        run_loop(x, y, 2000);
        CHECK(element(x, 1999) == 4 + 3 * 1999.0);
        CHECK(so_far().kernels - before.kernels < 500 && so_far().out - before.out < 40);
        CHECK(w->in_vain < HDI_IN_VAIN);
        DROP(x, y);
    }
    hd_release(large);
    end();
}
