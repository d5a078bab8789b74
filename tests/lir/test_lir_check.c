/* SPDX-License-Identifier: BSD-3-Clause */
/* test_lir_check.c - kernels that look whether their accesses are in bounds: they do what they did,
 * and tell what is not; run node by node, in both forms. HEDDLE_TEST_ROUNDS=n: so many times as
 * many kernels by chance. */
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "kernel/kernel.h"
#include "lir/interpret.h"
#include "lir/passes.h"
#include "lir/random_kernel.h"
#include "support.h"

enum { MOST = 512, MOST_PARAMS = 64 };

static void complain(const char *what, const hdi_lir *l)
{
    char *text = l != NULL ? hdi_lir_print(l) : NULL;
    hd_error e = {0};
    hd_error_take(&e);
    fprintf(stderr, "%s: %s\n%s", what, e.message, text != NULL ? text : "");
    if (text != NULL)
        hdi_free(text, strlen(text) + 1);
}

/* A copy that checks, verified and with places; in lockstep if wanted. NULL: it failed. */
static hdi_lir *checked(const hdi_lir *l, bool lockstep)
{
    hdi_lir *c = lir_copied(l);
    if (c != NULL && hdi_lir_check(c, NULL) == HD_OK && hdi_lir_verify(c) == HD_OK &&
        (!lockstep || (hdi_lir_lockstep(c) == HD_OK && hdi_lir_verify(c) == HD_OK)) &&
        hdi_lir_place(c) == HD_OK)
        return c;
    complain("not checked", c);
    hdi_lir_free(c);
    return NULL;
}

/* ---- running --------------------------------------------------------------------------------- */

typedef struct launch {
    const void *args[MOST_PARAMS];   /* the user's, then the others */
    int64_t bytes[MOST_PARAMS];      /* behind each pointer of the user's */
    uint32_t grid, threads;
    int64_t value[MOST_PARAMS], record[HDI_LIR_RECORD_WORDS], *recorded;
} launch;

static const char *run(const hdi_lir *l, launch *x)
{
    memset(x->record, 0, sizeof x->record);
    x->recorded = x->record;
    for (int32_t i = 0; i < l->nvars; i++) {
        const hdi_lir_var *v = &l->var[i];
        if (v->role == HDI_LIR_GIVEN)
            continue;
        x->value[v->param] = v->role == HDI_LIR_HIGH           ? x->bytes[v->of]
                             : v->role == HDI_LIR_SHARED_BYTES ? 4 * (int64_t)x->threads
                                                               : 0;
        x->args[v->param] = v->role == HDI_LIR_RECORD ? (const void *)&x->recorded
                                                      : &x->value[v->param];
    }
    const lir_run how = {.l = l, .grid = {x->grid, 1, 1}, .block = {x->threads, 1, 1},
                         .args = x->args, .dynamic_bytes = 4 * (int64_t)x->threads,
                         .data = l->data, .most_steps = 20000000};
    return lir_interpret(&how);
}

/* ---- by chance ------------------------------------------------------------------------------- */

typedef struct result { int32_t out[MOST]; uint32_t count; } result;

static const char *run_random(const hdi_lir *l, launch *x, const int32_t *in, result *r)
{
    static const int32_t three[3] = {7, 11, 13}, five = 5;
    int32_t *out = r->out;
    uint32_t *count = &r->count;
    memset(r, 0, sizeof *r);
    const void *args[] = {&in, &out, &count, &five, three};
    memcpy(x->args, args, sizeof args);
    return run(l, x);
}

/* The kernel as it is, checked, and checked in lockstep do the same; nothing is out of bounds. */
static int same(const hdi_lir *l, launch *x, const int32_t *in)
{
    result r[3];
    int well = run_random(l, x, in, &r[0]) == NULL;
    for (int k = 1; k < 3 && well; k++) {
        hdi_lir *c = checked(l, k == 2);
        const char *error = c != NULL ? run_random(c, x, in, &r[k]) : "not checked";
        well = error == NULL && memcmp(&r[0], &r[k], sizeof r[0]) == 0 && x->record[0] == 0;
        if (!well)
            complain(error != NULL ? error : "other results, or a record", c);
        hdi_lir_free(c);
    }
    return well;
}

/* The last thread of the grid finds less than it reads, and nobody else. */
static int one_is_found(const hdi_lir *l, launch *x, const int32_t *in)
{
    result r;
    int well = 1;
    x->bytes[0] = 4 * ((int64_t)x->grid * x->threads - 1);
    for (int k = 0; k < 2 && well; k++) {
        hdi_lir *c = checked(l, k == 1);
        const char *error = c != NULL ? run_random(c, x, in, &r) : "not checked";
        const hdi_lir_trespass t = hdi_lir_trespass_of(x->record);
        well = error == NULL && x->record[0] == 1 && t.at == x->bytes[0] && t.end == t.at &&
               t.bytes == 4 && !t.writes && strcmp(c->names + t.name, "in") == 0 &&
               t.thread[0] == x->threads - 1 && t.block[0] == x->grid - 1 && t.block[1] == 0;
        if (!well)
            complain(error != NULL ? error : "another record", c);
        hdi_lir_free(c);
    }
    return well;
}

static void check_random(int kind, int rounds)
{
    int32_t in[MOST];
    const char *times = getenv("HEDDLE_TEST_ROUNDS");
    for (int k = 0; k < rounds * (times != NULL ? atoi(times) : 1); k++) {
        hdi_lir *l = random_kernel(kind);
        launch x = {.threads = (uint32_t)t_between(1, RANDOM_MOST_THREADS), .bytes = {0, 0, 4}};
        REQUIRE(l != NULL && hdi_lir_verify(l) == HD_OK && hdi_lir_place(l) == HD_OK);
        for (int i = 0; i < MOST; i++)
            in[i] = (int32_t)t_between(-5, 60);
        x.grid = (uint32_t)t_between(1, hdi_min64(3, MOST / x.threads));
        x.bytes[0] = x.bytes[1] = 4 * (int64_t)x.grid * x.threads;
        const int well = same(l, &x, in) && one_is_found(l, &x, in);
        hdi_lir_free(l);
        REQUIRE(well);
    }
}

TEST(lir_check, random_kernels_with_warps) { check_random(RANDOM_WARPS, 100); }

TEST(lir_check, random_kernels_with_shared_memory) { check_random(RANDOM_SHARED, 100); }

/* ---- by hand --------------------------------------------------------------------------------- */

/* Elements of float *x, int *o; and of what is there behind them, for accesses that are not looked
 * at. */
enum { X = 10, O = 20, BEHIND = 16 };

/* What a kernel of source does, in a block of 8 threads; name NULL: nothing is wrong. */
typedef struct row {
    const char *before, *body, *name;
    int64_t at;
    int line, bytes;
    bool writes;
    int thread;                /* -1: any */
} row;

#define FINE NULL, 0, 2, 0, false, -1

static const row rows[] = {
    {"", "o[t] = x[t];", FINE},
    {"", "o[t] = x[t + 3];", "x", 40, 2, 4, false, 7},
    {"", "o[t] = x[t - 1];", "x", -4, 2, 4, false, 0},
    {"", "o[t * 3] = 1;", "o", 84, 2, 4, true, 7},
    {"", "atomicAdd(&o[t + 13], 1);", "o", 80, 2, 4, true, 7},
    {"", "o[t] = t < 4 ? x[t * 3] : 0;", FINE},
    {"", "o[t] = t < 5 ? x[t * 3] : 0;", "x", 48, 2, 4, false, 4},
    {"", "if (t < 3 || x[t + 3] > 0) o[t] = 1;", "x", 40, 2, 4, false, 7},
    {"", "if (t > 2 && x[t * 2] > 0) o[t] = 1;", "x", 40, 2, 4, false, -1},
    {"", "if (t < 5 && x[t * 2] > 0) o[t] = 1;", FINE},
    /* pointers that move, and where they came from */
    {"", "float *p = x + t; p += 2; *p = 1; p++; *p = 2;", "x", 40, 2, 4, true, 7},
    {"", "x += 5; x[t - 5] = 1; x -= 1; x[t] = 1;", "x", 40, 2, 4, true, -1},
    {"", "const int *p = o; for (int i = 0; i <= 19; i++) p++; o[t] = p[-1]; o[t] += *p;", "o", 80,
     2, 4, false, -1},
    {"", "float *p = t & 1 ? x : (float *)o; p[t + 10] = 1;", FINE},   /* one or the other */
    {"", "float *p = 0; if (t > 9) p = x; if (p != 0) *p = 1;", FINE},
    {"", "o[(int)x[t + n - 7]] = 1;", "x", 40, 2, 4, false, 7},
    {"", "double *d = (double *)o; d[t + 2] = 1; d[t + 3] = 2;", "o", 80, 2, 8, true, 7},
    {"", "float4 v = *(float4 *)(x + t); o[t] = v.x + v.w;", "x", 40, 2, 4, false, 7},
    /* memory of the kernel's own */
    {"", "__shared__ int s[8]; s[t] = t; __syncthreads(); o[t] = s[7 - t];", FINE},
    {"", "__shared__ int s[8]; s[t] = t; __syncthreads(); o[t] = s[8 - t];", "s", 32, 2, 4, false,
     0},
    {"", "extern __shared__ int s[]; s[t] = t; o[t] = s[t];", FINE},
    {"", "extern __shared__ int s[]; s[t + 1] = t;", "extern __shared__", 32, 2, 4, true,
     7},
    {"", "int a[3] = {1, 2, 3}; for (int i = 0; i < 3; i++) o[t] += a[i];", FINE},
    {"", "int a[3] = {1, 2, 3}; for (int i = 0; i <= 3; i++) o[t] += a[i];", "a", 12, 2, 4, false,
     -1},
    {"", "int a[3]; a[t - 6] = 1;", "a", -24, 2, 4, true, -1},
    {"", "int v = 1; int *p = &v; p[t / 7] = 2; o[t] = v;", "v", 4, 2, 4, true, 7},
    {"static const int table[4] = {1, 2, 3, 4};", "o[t] = table[t & 3];", FINE},
    {"static const int table[4] = {1, 2, 3, 4};", "o[t] = table[t - 3];", "table", -12, 2, 4, false,
     -1},
    {"struct P { int a; float b[4]; };", "P p[2]; p[1].b[t - 4 > 0 ? t - 4 : 0] = 1;", FINE},
    {"struct P { int a; float b[4]; };", "P p[2]; p[1].b[t - 3 > 0 ? t - 3 : 0] = 1;", "p", 40, 2, 4,
     true, 7},
    /* functions, and lines */
    {"__device__ void put(int *p,\n int i) {\n p[i] = i;\n}", "put(o, t + 13);", "o", 80, 3, 4, true,
     7},
    {"", "\n\no[t] = 1;\no[t + 15] = 2;", "o", 80, 5, 4, true, -1},
    /* steps and conditions of loops */
    {"", "for (int i = t; i < 30; i = o[i] + 20) o[i] = 0;", "o", 80, 2, 4, true, -1},
    {"", "int k = 0; for (int i = 0; i < 100; i += x[k++] + 1) o[t] = i;", "x", 40, 2, 4, false,
     -1},
    {"", "int k = 0; while (x[k] < 100) k++; o[t] = k;", "x", 40, 2, 4, false, -1},
    {"", "int k = 0; do { k++; } while (o[k] == 0); o[t] = k;", "o", 80, 2, 4, false, -1},
    {"__device__ int next(const float *x, int i) { while (x[i] < 5) { if (i > 50) return 9; i++; } "
     "return i + 1; }",
     "for (int i = 0; i < 60; i = next(x, i)) o[t] = i;", "x", 40, 1, 4, false, -1},
    {"", "for (int i = 0; i < 3; i++) { __syncthreads(); if (t == 2) x[i * 5] = 1; __syncthreads(); }",
     "x", 40, 2, 4, true, 2},
    {"", "int v = t; for (int i = 0; i < 2; i++) v += __shfl_xor_sync(-1, o[t + i * 13], 1); o[t] = v;",
     "o", 80, 2, 4, false, 7},
    {"", "if (t == 1) return; if (t == 3) { x[77] = 1; } __syncthreads(); o[t] = 1;", "x", 308, 2, 4, true,
     3},
    {"", "switch (t) { case 4: x[11] = 1; break; default: o[t] = 2; }", "x", 44, 2, 4, true, 4},
    {"", "printf(\"%f\", x[t + 3]);", "x", 40, 2, 4, false, 7},
};

static const char *run_row(const hdi_lir *l, launch *x, float *f, int32_t *o)
{
    static const int32_t n = 10;
    for (int i = 0; i < X; i++)
        f[i] = (float)(i % 3);
    memset(o, 0, O * sizeof *o);
    *x = (launch){.grid = 1, .threads = 8, .bytes = {X * sizeof *f, O * sizeof *o}};
    float **fp = &f;
    int32_t **op = &o;
    x->args[0] = fp;
    x->args[1] = op;
    x->args[2] = &n;
    return run(l, x);
}

static int as_told(const row *r, const hdi_lir *l, const launch *x)
{
    const hdi_lir_trespass t = hdi_lir_trespass_of(x->record);
    if (r->name == NULL)
        return x->record[0] == 0;
    return x->record[0] == 1 && strcmp(l->names + t.name, r->name) == 0 && t.at == r->at &&
           t.line == r->line && t.bytes == r->bytes && t.writes == r->writes &&
           (r->thread < 0 || t.thread[0] == r->thread) && t.block[0] == 0;
}

static void show(const char *text, const char *error, const hdi_lir *l, const launch *x)
{
    const hdi_lir_trespass t = hdi_lir_trespass_of(x->record);
    fprintf(stderr, "  %s: %s\n", text, error != NULL ? error : "");
    if (error == NULL && x->record[0] != 0)
        fprintf(stderr, "  line %d, byte %d to %d of %s, %d bytes, written %d, thread %d\n", t.line,
                (int)t.at, (int)t.end, l->names + t.name, t.bytes, t.writes, (int)t.thread[0]);
}

/* As it is, and in lockstep. */
static void check_row(const row *r, bool lockstep)
{
    static char text[4096];
    float f[X + BEHIND];
    int32_t o[O + BEHIND];
    launch x = {0};
    snprintf(text, sizeof text, "%s%s__global__ void f(float *x, int *o, int n) { int t = "
             "threadIdx.x; %s }", r->before, r->line == 2 || r->line == 5 ? "\n" : "", r->body);
    hdi_lir *l = hdi_kernel_lower(&(hdi_kernel_source){.text = text, .name = "f"});
    hdi_lir *c = l != NULL ? checked(l, lockstep) : NULL;
    const char *error = c != NULL ? run_row(c, &x, f, o) : "it was not read";
    if (!CHECK(error == NULL && as_told(r, c, &x)))
        show(text, error, c, &x);
    hdi_lir_free(l);
    hdi_lir_free(c);
}

TEST(lir_check, what_is_out_of_bounds_is_told)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_row(&rows[i], false);
        check_row(&rows[i], true);
    }
}

TEST(lir_check, every_allocation_may_fail)
{
    hdi_lir *l = hdi_kernel_lower(&(hdi_kernel_source){
        .text = "__global__ void f(float *x, int *o, int n) { for (int i = 0; i < n; i++) "
                "o[i] = n > 3 ? x[o[i]] : x[i + 1]; }", .name = "f"});
    REQUIRE(l != NULL);
    for (int64_t n = 1; n < 500; n++) {
        hdi_lir *c = lir_copied(l);
        REQUIRE(c != NULL);
        hdi_fail_after(n);
        const hd_status status = hdi_lir_check(c, NULL);
        hdi_fail_after(0);
        hdi_lir_free(c);
        hd_error_take(NULL);
        if (status == HD_OK) {
            CHECK(n > 3);
            hdi_lir_free(l);
            return;
        }
        CHECK_EQ_I64(status, HD_NOMEM);
    }
    CHECK(0);
}
