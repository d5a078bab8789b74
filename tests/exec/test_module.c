/* SPDX-License-Identifier: BSD-3-Clause */
/* test_module.c - kernels that share variables. */
#include <heddle/heddle.h>
#include <heddle/kernel.h>

#include <string.h>

#include "harness.h"

static const char *const text =
    "__device__ int total = 5; namespace a { __constant__ double by[2] = {1.5, 2}; }\n"
    "__global__ void add(int n) { atomicAdd(&total, n); }\n"
    "__global__ void show(double *r) { r[threadIdx.x] = total * a::by[threadIdx.x]; }\n"
    "__global__ void plain(double x, double *r) { *r = x * 2; }\n"
    "__global__ void wide(double x, double *r) { *r = x * a::by[0]; }\n";

static const unsigned one[3] = {1, 1, 1}, two[3] = {2, 1, 1};

static hd_status launch(hd_kernel *k, const unsigned *block, hd_launch_arg arg)
{
    return hd_kernel_launch(k, hd_device_get("cpu"), one, block, 0, 1, &arg);
}

static int has_generator(hd_module *m)
{
    hd_kernel *k = hd_module_kernel(m, "plain");
    const int made = k != NULL && hd_kernel_compile(k, hd_device_get("cpu")) == HD_OK;
    hd_kernel_free(k);
    hd_error_take(NULL);
    return made;
}

TEST(module, kernels_share_variables)
{
    const int64_t n = 2;
    double r[2];
    hd_module *m = hd_module_new(text, 0, NULL);
    REQUIRE(m != NULL);
    if (!has_generator(m)) {
        hd_module_free(m);
        SKIP("a build without LLVM");
    }
    hd_kernel *add = hd_module_kernel(m, "add"), *show = hd_module_kernel(m, "show");
    hd_array *zeros = hd_zeros(1, &n, HD_FLOAT64), *x = hd_to_device(zeros, hd_device_get("cpu"));
    hd_release(zeros);
    REQUIRE(add != NULL && show != NULL && x != NULL);
    CHECK_EQ_I64(hd_kernel_nparams(show), 1);
    for (int k = 1; k <= 10; k++)
        REQUIRE(launch(add, two, (hd_launch_arg){.value = &k, .bytes = sizeof k}) == HD_OK);
    hd_module_free(m);   /* the kernels keep it */
    REQUIRE(launch(show, two, (hd_launch_arg){.array = x}) == HD_OK && hd_read(x, r) == HD_OK);
    CHECK(r[0] == 115 * 1.5 && r[1] == 230);
    hd_kernel *alone = hd_kernel_new(text, "show", 0, NULL);   /* with variables of its own */
    REQUIRE(launch(alone, two, (hd_launch_arg){.array = x}) == HD_OK && hd_read(x, r) == HD_OK);
    CHECK(r[0] == 7.5 && r[1] == 10);
    hd_kernel_free(add);
    hd_kernel_free(show);
    hd_kernel_free(alone);
    hd_release(x);
}

TEST(module, memory_is_an_array)
{
    hd_device *cpu = hd_device_get("cpu");
    hd_module_variable v;
    hd_module *m = hd_module_new(text, 0, NULL);
    REQUIRE(m != NULL && hd_module_nvariables(m) == 2);
    REQUIRE(hd_module_variable_at(m, 1, &v) == HD_OK);
    CHECK_STR(v.name, "a::by");
    CHECK(v.offset == 16 && v.bytes == 16);
    hd_array *x = hd_module_memory(m, cpu), *y = hd_module_memory(m, cpu);
    uint8_t bytes[32];
    double by;
    REQUIRE(x != NULL && y != NULL && hd_nbytes(x) == 32 && hd_read(x, bytes) == HD_OK);
    memcpy(&by, bytes + 16, sizeof by);
    CHECK(bytes[0] == 5 && by == 1.5 && hd_same_memory(x, y) && hd_device_of(x) == cpu);
    hd_release(x);
    hd_module_free(m);
    CHECK(hd_read(y, bytes) == HD_OK && bytes[0] == 5);
    hd_release(y);
}

TEST(module, what_is_wrong_is_told)
{
    hd_module_variable v;
    hd_error e;
    hd_module *m = hd_module_new("__device__ int x = y; __global__ void f(int *r) { r[0] = x; } "
                                 "__global__ void g(int *r) { r[0] = 1; }", 0, NULL);
    REQUIRE(m != NULL);
    CHECK(hd_module_kernel(m, "f") == NULL && hd_error_take(&e) == HD_VALUE);
    CHECK(strstr(e.message, "y is not declared") != NULL);
    hd_kernel *g = hd_module_kernel(m, "g");   /* which has no use for it */
    CHECK(g != NULL);
    hd_kernel_free(g);
    CHECK(hd_module_nvariables(m) == -1 && hd_error_take(NULL) == HD_VALUE);
    CHECK(hd_module_memory(m, NULL) == NULL && hd_error_take(NULL) == HD_VALUE);
    hd_module_free(m);
    m = hd_module_new(text, 0, NULL);
    CHECK(hd_module_variable_at(m, 2, &v) == HD_INDEX && hd_module_variable_at(m, -1, &v) == HD_INDEX);
    hd_error_take(NULL);
    CHECK(hd_module_kernel(m, "h") == NULL && hd_error_take(NULL) == HD_VALUE);
    hd_module_free(m);
    hd_module_free(NULL);
}

/* Elements have no variables of a module. */
TEST(module, kernels_over_elements_have_none)
{
    hd_module *m = hd_module_new(text, 0, NULL);
    hd_kernel *plain = hd_module_kernel(m, "plain"), *wide = hd_module_kernel(m, "wide");
    const double x = 3;
    hd_launch_arg args[2] = {{.value = &x, .bytes = sizeof x}};
    hd_array *r[1] = {NULL};
    REQUIRE(plain != NULL && wide != NULL);
    CHECK(hd_kernel_apply(plain, hd_device_get("cpu"), 2, args, r) == HD_OK && r[0] != NULL);
    hd_release(r[0]);
    CHECK(hd_kernel_apply(wide, hd_device_get("cpu"), 2, args, r) == HD_UNSUPPORTED);
    hd_error_take(NULL);
    hd_kernel_free(plain);
    hd_kernel_free(wide);
    hd_module_free(m);
}
