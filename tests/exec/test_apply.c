/* SPDX-License-Identifier: BSD-3-Clause */
/* test_apply.c - kernels in C source over elements, as operations on arrays. */
#include <heddle/kernel.h>

#include <stdio.h>

#include "support.h"

#define ENTRY "extern \"C\" __global__ void k"

static hd_kernel *kernel(const char *source)
{
    hd_kernel *k = hd_kernel_new(source, "k", 0, NULL);
    CHECK(k != NULL);
    return k;
}

static hd_array *counting(int64_t n)
{
    return t_ramp_from(0, 1, &n, HD_FLOAT32);
}

static double element(const hd_array *x, int64_t i)
{
    hd_array *one = hd_astype(x, HD_FLOAT64, 'C', HD_CAST_UNSAFE, 1);
    double value = -1;
    CHECK(hd_element_get(one, 1, &i, &value) == HD_OK);
    hd_release(one);
    return value;
}

TEST(apply, results_made_and_given)
{
    hd_kernel *k = kernel(ENTRY "(float a, float x, float *y, int *sign) {"
                                "  *y = a * x; if (x > 3) *sign = 1; else *sign = -1; }");
    for (int64_t n = 8; n <= 80000; n *= 10000) {
        const float a = 2.5f;
        hd_array *x = counting(n), *y = hd_zeros(1, &n, HD_FLOAT32), *r[2];
        hd_launch_arg args[4] = {{.value = &a, .bytes = sizeof a}, {.array = x}, {.array = y}, {0}};
        CHECK(hd_kernel_apply(k, NULL, 4, args, r) == HD_OK && r[0] == y);
        CHECK(element(y, 6) == 15 && element(r[1], 6) == 1 && element(r[1], 2) == -1);
        hd_release(r[0]);
        hd_release(r[1]);
        args[1].array = y;           /* in place */
        CHECK(hd_kernel_apply(k, NULL, 4, args, r) == HD_OK && element(y, 6) == 37.5);
        hd_release(r[0]);
        hd_release(r[1]);
        hd_release(x);
        hd_release(y);
    }
    hd_kernel_free(k);
    CHECK(t_clean());
}

TEST(apply, within_a_scope)
{
    hd_kernel *k = kernel(ENTRY "(float x, float *y, float *z) { *y = x + 1; *z = x; }");
    int scope = hd_scope_begin();
    hd_array *x = counting(100), *r[2], *kept;
    CHECK(hd_kernel_apply(k, NULL, 3, (hd_launch_arg[]){{.array = x}, {0}, {0}}, r) == HD_OK);
    kept = hd_scope_end(scope, r[0]);
    hd_kernel_free(k);
    CHECK(element(kept, 5) == 6);
    hd_release(kept);
    CHECK(t_clean());
}

TEST(apply, numbers_of_all_types)
{
    hd_kernel *k = kernel(ENTRY "(signed char a, unsigned long long b, bool c, double d, double *y) {"
                                "  *y = c ? a + (b >> 60) + d : 0; }");
    const int8_t a = -3;
    const uint64_t b = 0xf000000000000000u;
    const bool c = true;
    hd_array *x = counting(4), *d = hd_astype(x, HD_FLOAT64, 'C', HD_CAST_SAFE, 1), *r;
    CHECK(hd_kernel_apply(k, NULL, 5, (hd_launch_arg[]){{.value = &a, .bytes = 1}, {.value = &b, .bytes = 8}, {.value = &c, .bytes = 1},
                                                        {.array = d}, {0}}, &r) == HD_OK);
    CHECK(element(r, 3) == 15);
    hd_release(r);
    hd_release(x);
    hd_release(d);
    hd_kernel_free(k);
}

TEST(apply, what_is_refused)
{
    hd_kernel *k = kernel(ENTRY "(float x, float *y) { *y = x; }");
    hd_array *x = counting(4), *i = hd_zeros(SHAPE(4), HD_INT32), *more = hd_zeros(SHAPE(5), HD_FLOAT32), *r = NULL;
    hd_array *z = hd_zeros(SHAPE(4), HD_COMPLEX64), *two = hd_zeros(SHAPE(2, 4), HD_FLOAT32);
    struct { hd_array *in, *out; hd_status code; } bad[] = {
        {i, NULL, HD_DTYPE}, {x, i, HD_UNSUPPORTED}, {x, more, HD_SHAPE}, {two, x, HD_SHAPE}, {z, NULL, HD_DTYPE}, {x, z, HD_DTYPE}};
    for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
        hd_status status = hd_kernel_apply(k, NULL, 2, (hd_launch_arg[]){{.array = bad[b].in}, {.array = bad[b].out}}, &r);
        CHECK(status == bad[b].code && t_failed(bad[b].code) && r == NULL);
    }
    CHECK(hd_kernel_apply(k, NULL, 1, (hd_launch_arg[]){{.array = x}}, &r) == HD_VALUE && t_failed(HD_VALUE));
    CHECK(hd_kernel_apply(k, NULL, 2, (hd_launch_arg[]){{0}, {0}}, &r) == HD_VALUE && t_failed(HD_VALUE));
    hd_kernel_free(k);
    static const char *const no_operation[] = {
        "while (x > 1) x = x / 2; *y = x;", "*y = threadIdx.x;", "y[1] = x;", "float t[2] = {x, x}; *y = t[0];", "atomicAdd(y, x);",
        "*y = x; printf(\"%f\", x);", "for (int i = 0; i < 1000; i++) x += sinf(x); *y = x;", "*(int *)y = 1;", "*y = __float_as_int(x);"};
    for (size_t b = 0; b < sizeof no_operation / sizeof *no_operation; b++) {
        char source[200];
        snprintf(source, sizeof source, ENTRY "(float x, float *y) { %s }", no_operation[b]);
        k = kernel(source);
        hd_array *out = hd_zeros(SHAPE(4), HD_FLOAT32);
        CHECK(hd_kernel_apply(k, NULL, 2, (hd_launch_arg[]){{.array = x}, {.array = out}}, &r) == HD_UNSUPPORTED);
        CHECK(t_failed(HD_UNSUPPORTED) && element(out, 2) == 0);
        hd_release(out);
        hd_kernel_free(k);
    }
    k = kernel(ENTRY "(float x, float *y) { }");
    CHECK(hd_kernel_apply(k, NULL, 2, (hd_launch_arg[]){{.array = x}, {0}}, &r) == HD_VALUE && t_failed(HD_VALUE));
    hd_kernel_free(k);
    hd_release(x);
    hd_release(i);
    hd_release(more);
    hd_release(z);
    hd_release(two);
    CHECK(t_clean());
}
