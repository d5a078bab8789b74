/* SPDX-License-Identifier: BSD-3-Clause */
/* test_lir_code.c - kernels in lowered IR as machine code do what the interpreter does; by chance,
 * and for a GPU as PTX that assembles. HEDDLE_TEST_ROUNDS=n: so many times as many. */
#include <stdio.h>
#include <stdlib.h>

#include "backend/cpu/cpu_user_code.h"
#include "base/alloc.h"
#include "codegen/cg_compile.h"
#include "codegen/cg_generator.h"
#include "codegen/cg_lir.h"
#include "kernel/kernel.h"
#include "lir/interpret.h"
#include "lir/passes.h"
#include "lir/random_kernel.h"
#include "ptxas.h"
#include "support.h"

enum { MOST = 512, ROOM = 1 << 20 };

typedef struct result { int32_t out[MOST]; uint32_t count; } result;

static const char *interpret(const hdi_lir *l, uint32_t grid, uint32_t threads,
                             const void *const *args)
{
    const lir_run how = {.l = l, .grid = {grid, 1, 1}, .block = {threads, 1, 1}, .args = args,
                         .dynamic_bytes = 4 * (int64_t)threads, .data = l->data,
                         .most_steps = 20000000};
    return lir_interpret(&how);
}

static int run_code(hdi_lir *l, uint32_t grid, uint32_t threads, const void *const *args)
{
    hdi_cpu_kernel *k;
    uint8_t *memory = aligned_alloc(64, ROOM);
    if (hdi_cpu_kernel_new(l, &k) != HD_OK) {
        fprintf(stderr, "%s\n", hd_error_peek()->message);
        free(memory);
        return 0;
    }
    const hdi_lir_call call = {.args = args, .data = hdi_cpu_kernel_data(k),
                               .grid = {grid, 1, 1}, .block = {threads, 1, 1}};
    int done = 1;
    for (uint32_t b = 0; b < grid && done; b++) {   /* shared memory is 0 for the interpreter too */
        memset(memory, 0, ROOM / 2);
        done = hdi_cpu_kernel_run(k, &call, memory, memory + ROOM / 2, b, b + 1) == HDI_LIR_RAN;
    }
    hdi_cpu_kernel_release(k);
    free(memory);
    return done;
}

static void complain(const hdi_lir *l, const result *x, const result *y)
{
    for (int i = 0; i < MOST; i++)
        if (x->out[i] != y->out[i]) {
            fprintf(stderr, "result %d: %d is not %d\n", i, x->out[i], y->out[i]);
            break;
        }
    char *text = hdi_lir_print(l);
    fprintf(stderr, "counts %u, %u\n%s", x->count, y->count, text);
    hdi_free(text, strlen(text) + 1);
}

enum { INTERPRETED, QUICK, FAST, WAYS };

static int run_one_way(int way, const hdi_lir *l, uint32_t grid, uint32_t threads,
                       const void *const *args)
{
    if (way == INTERPRETED)
        return interpret(l, grid, threads, args) == NULL;
    hdi_lir *copy = lir_copied(l);
    const int old = hdi_cg_tier();
    hdi_cg_set_tier(way == FAST);
    const int done = copy != NULL && run_code(copy, grid, threads, args);
    hdi_cg_set_tier(old);
    return done;
}

static int same_as_code(const hdi_lir *l, uint32_t grid, uint32_t threads, const int32_t *in)
{
    static const int32_t three[3] = {7, 11, 13}, five = 5;
    result r[WAYS] = {{.count = 0}, {.count = 0}, {.count = 0}};
    for (int way = 0; way < WAYS; way++) {
        int32_t *out = r[way].out;
        uint32_t *count = &r[way].count;
        const void *args[] = {&in, &out, &count, &five, three};
        if (!run_one_way(way, l, grid, threads, args))
            return 0;
        if (memcmp(&r[0], &r[way], sizeof r[0]) != 0) {
            complain(l, &r[0], &r[way]);
            return 0;
        }
    }
    return 1;
}

static int rounds(int n)
{
    const char *times = getenv("HEDDLE_TEST_ROUNDS");
    return n * (times != NULL ? atoi(times) : 1);
}

static void check_random(int kind, int n)
{
    int32_t in[MOST];
    if (hdi_cg_generator_open() == NULL) {   /* a build without LLVM */
        hd_error_take(NULL);
        return;
    }
    for (int k = 0; k < rounds(n); k++) {
        for (int i = 0; i < MOST; i++)
            in[i] = (int32_t)t_between(-5, 60);
        hdi_lir *l = random_kernel(kind);
        const uint32_t threads = (uint32_t)t_between(1, RANDOM_MOST_THREADS), grid = MOST / threads;
        REQUIRE(l != NULL && hdi_lir_place(l) == HD_OK);
        const int same = same_as_code(l, grid > 3 ? 3 : grid, threads, in);
        hdi_lir_free(l);
        REQUIRE(same);
    }
}

TEST(lir_code, random_kernels_with_warps) { check_random(RANDOM_WARPS, 60); }

TEST(lir_code, random_kernels_with_shared_memory) { check_random(RANDOM_SHARED, 60); }

/* Each kernel for a GPU: LLVM takes it, and says nothing of what it could not select. */
TEST(lir_code, for_a_gpu)
{
    const hdi_cg_generator *g = hdi_cg_generator_open();
    const hdi_lir_target t = {.arch = 90, .small_grid = true};
    hd_error_take(NULL);
    for (int k = 0; g != NULL && k < rounds(40); k++) {
        hdi_llvm_object ptx;
        hdi_lir *l = random_kernel(k % 2 ? RANDOM_WARPS : RANDOM_SHARED);
        REQUIRE(l != NULL && hdi_lir_verify(l) == HD_OK);
        if (k % 4 > 1)   /* as in debug mode */
            REQUIRE(hdi_lir_check(l, NULL) == HD_OK && hdi_lir_verify(l) == HD_OK);
        REQUIRE(g->lir(l, &t, 0, &ptx));
        CHECK(ptxas_takes(ptx.bytes, ptx.size, 90));
        free(ptx.bytes);
        hdi_lir_free(l);
    }
}

/* ---- alignment ------------------------------------------------------------------------------- */

/* The PTX of the kernel f of a source, to be freed; NULL: it was not compiled. */
static char *ptx_of(const char *source, bool loose)
{
    const hdi_cg_generator *g = hdi_cg_generator_open();
    const hdi_lir_target t = {.arch = 90, .small_grid = true};
    hdi_llvm_object ptx;
    hd_error_take(NULL);
    hdi_lir *l = hdi_kernel_lower(&(hdi_kernel_source){.text = source, .name = "f"});
    if (l != NULL && loose)
        hdi_lir_forget_alignment(l);
    if (l == NULL || hdi_lir_verify(l) != HD_OK || !g->lir(l, &t, 0, &ptx)) {
        hdi_lir_free(l);
        return NULL;
    }
    char *text = calloc(1, ptx.size + 1);
    memcpy(text, ptx.bytes, ptx.size);
    if (getenv("HEDDLE_TEST_SHOW") != NULL)
        fprintf(stderr, "%s\n", text);
    free(ptx.bytes);
    hdi_lir_free(l);
    return text;
}

/* Whether the PTX of a kernel has this in it; -1: it was not compiled. */
static int ptx_has(const char *source, bool loose, const char *part)
{
    char *text = ptx_of(source, loose);
    const int found = text == NULL ? -1 : strstr(text, part) != NULL;
    free(text);
    return found;
}

TEST(lir_code, structs_that_are_aligned_are_read_at_once)
{
    static const struct { const char *source, *part; } rows[] = {
        {"__global__ void f(const float4 *x, float *y) { float4 a = x[threadIdx.x]; "
         "y[threadIdx.x] = a.x * a.y + a.z * a.w; }", "ld.global.v4.f32"},
        {"__global__ void f(float4 *x, float4 *y) { y[threadIdx.x] = x[threadIdx.x]; }",
         "st.global.v4.f32"},
        {"__global__ void f(float4 *x, float4 *y) { y[threadIdx.x] = x[threadIdx.x]; }",
         "ld.global.v4.f32"},
        {"__global__ void f(double2 *x, double *y) { double2 a = x[threadIdx.x]; "
         "y[threadIdx.x] = a.x - a.y; }", "ld.global.v2.f64"},
        {"__global__ void f(float2 *x, float *y) { y[threadIdx.x] = x[threadIdx.x].x - "
         "x[threadIdx.x].y; }", "ld.global.v2.f32"},
        {"struct __align__(8) P { int a, b; }; __global__ void f(P *x, int *y) { P p = x[threadIdx.x]; "
         "y[threadIdx.x] = p.a ^ p.b; }", "ld.global.v2"},
        {"__global__ void f(float *x, float *y) { float4 a = *(float4 *)&x[4 * threadIdx.x]; "
         "y[threadIdx.x] = a.x * a.y + a.z * a.w; }", "ld.global.v4.f32"},
        {"__global__ void f(float4 *x, float *y) { __shared__ float4 s[32]; s[threadIdx.x] = "
         "x[threadIdx.x]; __syncthreads(); float4 a = s[threadIdx.x ^ 1]; y[threadIdx.x] = "
         "a.x * a.y + a.z * a.w; }", "ld.shared.v4.f32"},
    };
    if (hdi_cg_generator_open() == NULL) {   /* a build without LLVM */
        hd_error_take(NULL);
        return;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CHECK_EQ_I64(ptx_has(rows[i].source, false, rows[i].part), 1);
        if (strstr(rows[i].source, "__shared__") == NULL)
            CHECK_EQ_I64(ptx_has(rows[i].source, true, rows[i].part), 0);
    }
    /* float3 is aligned as float is. */
    CHECK_EQ_I64(ptx_has("__global__ void f(float3 *x, float *y) { float3 a = x[threadIdx.x]; "
                         "y[threadIdx.x] = a.x * a.y + a.z; }", false, ".v2"), 0);
}

/* ---- loops ----------------------------------------------------------------------------------- */

/* How often the PTX of a kernel has this in it; -1: it was not compiled, or does not assemble. */
static int ptx_counts(const char *source, const char *part)
{
    char *text = ptx_of(source, false);
    int n = text == NULL || !ptxas_takes(text, strlen(text), 90) ? -1 : 0;
    for (const char *at = n < 0 ? NULL : strstr(text, part); at != NULL; at = strstr(at + 1, part))
        n++;
    free(text);
    return n;
}

/* What the body number k of some does to me, as in n-body programs. */
#define PULL(bodies)                                                                               \
    "float a = " bodies "[k].x - me.x, b = " bodies "[k].y - me.y, c = " bodies "[k].z - me.z; "   \
    "float i = rsqrtf(a * a + b * b + c * c + 0.01f), w = " bodies "[k].w * i * i * i; "           \
    "x += a * w; y += b * w; z += c * w; "

/* Turns are where they stand: of four turns at once there are four copies, and one more of the rest
 * where the number of turns is no multiple of four. */
TEST(lir_code, short_loops_of_a_gpu_are_unrolled)
{
    static const struct { const char *source, *part; int copies; } rows[] = {
        {"__global__ void f(const float4 *p, float4 *r) { __shared__ float4 s[128]; s[threadIdx.x] = "
         "p[threadIdx.x]; __syncthreads(); float4 me = p[0]; float x = 0, y = 0, z = 0; for (int k = "
         "0; k < 128; k++) {" PULL("s") "} *r = make_float4(x, y, z, 0); }", "rsqrt", 4},
        {"__global__ void f(const float4 *p, float4 *r, int n) { float4 me = p[0]; float x = 0, y = "
         "0, z = 0; for (int k = 0; k < n; k++) {" PULL("p") "} *r = make_float4(x, y, z, 0); }",
         "rsqrt", 5},
        {"__global__ void f(const float4 *p, float4 *r, int n) { float4 me = p[0]; float x = 0, y = "
         "0, z = 0; for (const float4 *q = p; q != p + n; q++) { const int k = 0; " PULL("q")
         "} *r = make_float4(x, y, z, 0); }", "rsqrt", 5},
    };
    if (hdi_cg_generator_open() == NULL) {   /* a build without LLVM */
        hd_error_take(NULL);
        return;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK_EQ_I64(ptx_counts(rows[i].source, rows[i].part), rows[i].copies);
}

TEST(lir_code, other_loops_of_a_gpu_stay_as_they_are)
{
    static const struct { const char *source, *part; } rows[] = {
        /* threads meet in it */
        {"__global__ void f(int *x, int n) { __shared__ int s[32]; for (int k = 0; k < n; k++) { "
         "s[threadIdx.x] = x[k]; __syncthreads(); x[threadIdx.x] = s[31 - threadIdx.x]; } }",
         "bar.sync"},
        {"__global__ void f(int *x, int n) { int v = x[threadIdx.x]; for (int k = 0; k < n; k++) "
         "v += __shfl_xor_sync(-1, v, k); x[threadIdx.x] = v; }", "shfl.sync"},
        {"__global__ void f(unsigned *x, int n) { unsigned v = 0; for (int k = 0; k < n; k++) "
         "v += __activemask() + rsqrtf(x[k]); x[threadIdx.x] = v; }", "rsqrt"},
        /* the data say how often */
        {"__global__ void f(float *x, int n) { float z = *x; int k = 0; while (k < n && z < 4) { "
         "z += rsqrtf(z); k++; } *x = k; }", "rsqrt"},
        {"__global__ void f(const int *next, float *x) { int i = 0; while (i != 7) { *x += "
         "rsqrtf(*x); i = next[i]; } }", "rsqrt"},
        /* a division would say */
        {"__global__ void f(const int *x, int *bins, int n) { for (int i = threadIdx.x; i < n; "
         "i += blockDim.x) atomicAdd(&bins[x[i]], 1); }", "atom.global.add"},
        /* long */
        {"__global__ void f(const float *x, float *r, int n) { float a = 0; for (int k = 0; k < n; "
         "k++) { float v = x[k]; for (int j = 0; j < 33; j++) v = v * v + x[j]; a += rsqrtf(v); } "
         "*r = a; }", "rsqrt"},
    };
    if (hdi_cg_generator_open() == NULL) {   /* a build without LLVM */
        hd_error_take(NULL);
        return;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK_EQ_I64(ptx_counts(rows[i].source, rows[i].part), 1);
}

#define HELD "__global__ void f(const float4 *p, float4 *r, int n) { float4 me = p[0]; float x = 0, y = 0, z = 0; "
#define GIVE "*r = make_float4(x, y, z, 0); }"

/* #pragma unroll. */
TEST(lir_code, loops_of_a_gpu_are_unrolled_as_the_source_says)
{
    static const struct { const char *source, *part; int copies; } rows[] = {
        {HELD "\n#pragma unroll\nfor (int k = 0; k < 40; k++) {" PULL("p") "}" GIVE, "rsqrt", 40},
        {HELD "\n#pragma unroll 2\nfor (int k = 0; k < n; k++) {" PULL("p") "}" GIVE, "rsqrt", 3},
        {HELD "\n#pragma unroll 1\nfor (int k = 0; k < 128; k++) {" PULL("p") "}" GIVE, "rsqrt", 1},
        {HELD "\n#pragma nounroll\nfor (int k = 0; k < n; k++) {" PULL("p") "}" GIVE, "rsqrt", 1},
        {"#define TURNS 4\n" HELD "\n#pragma unroll (2 * TURNS)\nfor (int k = 0; k < 128; k++) {" PULL("p") "}" GIVE,
         "rsqrt", 8},
        {HELD "int k = 0;\n#pragma unroll 16\ndo {" PULL("p") "k++; } while (k < 128);" GIVE, "rsqrt", 16},
        /* the inner loop only */
        {HELD "\n#pragma unroll\nfor (int j = 0; j < 2; j++)\n#pragma unroll 1\nfor (int k = 0; k < 128; k++) {"
         PULL("p") "}" GIVE, "rsqrt", 2},
        {"__global__ void f(int *x) { __shared__ int s[32];\n#pragma unroll\nfor (int k = 0; k < 5; k++) { "
         "s[threadIdx.x] = x[k]; __syncthreads(); x[threadIdx.x] = s[31 - threadIdx.x]; } }", "bar.sync", 5},
        /* what cannot be is not */
        {HELD "int k = 0;\n#pragma unroll\nwhile (x < n) {" PULL("p") "k++; }" GIVE, "rsqrt", 1},
    };
    if (hdi_cg_generator_open() == NULL) {   /* a build without LLVM */
        hd_error_take(NULL);
        return;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK_EQ_I64(ptx_counts(rows[i].source, rows[i].part), rows[i].copies);
    /* A thread's array whose indexes are known is in registers. */
    CHECK_EQ_I64(ptx_counts("template <int N> __device__ float sum(const float *x) { float a[N], s = 0;\n#pragma unroll N\n"
                            "for (int i = 0; i < N; i++) a[i] = x[i] * x[i];\n#pragma unroll\nfor (int i = 0; i < N; i++) "
                            "s += a[N - 1 - i] * s; return s; }\n__global__ void f(float *x) { *x = sum<48>(x); }",
                            ".local"), 0);
}

/* ---- printf ---------------------------------------------------------------------------------- */

TEST(lir_code, texts_are_printed_by_the_driver)
{
    if (hdi_cg_generator_open() == NULL) {   /* a build without LLVM */
        hd_error_take(NULL);
        return;
    }
    CHECK(ptx_counts("__constant__ char t[] = \"title\"; __global__ void f(int n) { "
                     "printf(\"%s %-*s %d\", n > 0 ? \"plus\" : \"minus\", 9, t, n); }",
                     "vprintf") > 0);
}
