/* SPDX-License-Identifier: BSD-3-Clause */
/* test_kernel_fuzz.c - sources that are damaged at random must give a kernel or an error, and soon.
 * HEDDLE_KERNEL_FUZZ: files with more sources, separated by colons; HEDDLE_KERNEL_FUZZ_SECONDS: how
 * long; HEDDLE_KERNEL_FUZZ_SEED. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "emit_c.c"
#include "kernel/kernel.h"

static const char own[] =
    "#include <cupy/complex.cuh>\n#define T 4\n#define SQ(x, ...) ((x)*(x) __VA_ARGS__)\n#if T > 3\n"
    "struct P { float a; int b[3]; union { int i; float f; }; P(float x = 1) : a(x) {} float g() const "
    "{ return a; } P operator+(const P &o) const { return P(a + o.a); } };\n#else\n#error no\n#endif\n"
    "template <typename U, int N = 3> __device__ U g(U x, const U (&y)[N]) { for (int i = 0; i < N; i++) "
    "{ if (x > 3) return x; x += y[i]; } return -x; }\nnamespace n { enum E { A, B = 5 }; "
    "typedef unsigned long long w; }\n__constant__ float k[2][2] = {{1, 2}, 3};\n__device__ int count;\n"
    "extern \"C\" __global__ void __launch_bounds__(64) f(const float *__restrict__ x, float *y, int n)\n{\n"
    "    __shared__ float s[T][T + 1]; extern __shared__ int d[]; P p, q = p + P(2); int a = n, *r = &a;\n"
    "    float h[3] = {1.5f, x[0]}; n::w big = 1ull << 40; auto z = complex<float>(1, 2) * 2.0f;\n"
    "    s[threadIdx.x & 3][0] = g(x[n], h) + k[1][0]; __syncthreads();\n"
    "    switch (n) { case 1: y[0] = *r; break; case n::B: y[1]++; default: y[2] = q.g(); }\n"
    "    do { if (a-- < 3 || (y[3] > 2 && a++)) continue; y[a] *= SQ(2, +1) >> 1; } while (a > 0);\n"
    "    for (int i = 0, j = 9; i < j; i++, --j) atomicAdd(&count, i ? d[i] : (int)big);\n"
    "    y[4] = __shfl_xor_sync(0xffffffff, y[3], 1) + z.imag() + sqrtf(abs(z)) + sizeof(P);\n"
    "    if (n) { printf(\"%d %f\\n\", n, y[0]); return; } else assert(a != 3);\n}\n";

static const char *const words[] = {
    "(", ")", "{", "}", "[", "]", "<", ">", ",", ";", ":", "::", "?", "=", "==", "+", "-", "*", "&", "&&", "||", "!",
    "~", "++", "--", ">>", "<<", "->", ".", "...", "#", "##", "\n#define ", "\n#if ", "\n#endif\n", "\n#else\n", "\"",
    "'", "/*", "*/", "//", "\\\n", "0", "1", "3.5f", "0x7fffffff", "1e400", "int", "float", "void", "const", "struct ",
    "template <typename T> ", "typename ", "operator", "auto", "return ", "if (", "else ", "for (", "while (", "do ",
    "switch (", "case 1:", "break;", "continue;", "sizeof", "this", "static ", "extern ", "__shared__ ", "__device__ ",
    "__global__ ", "float4 ", "complex<", "namespace ", "using ", "enum ", "typedef ", "x", "y", "n", "f", "T", "P",
    "g(", "decltype(", "union {", "const_cast<", "(*", "(&", "-1", "f<", "f(x, y, n);", "atomicAdd(", "{}", "()", "[]",
};

static uint64_t state = 88172645463325252ull;

static size_t drawn(size_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return n == 0 ? 0 : (size_t)(state >> 11) % n;
}

static void insert(char *text, size_t room, size_t at, const char *what, size_t bytes)
{
    const size_t length = strlen(text);
    if (length + bytes + 1 > room || memchr(what, '\0', bytes) != NULL)
        return;
    memmove(text + at + bytes, text + at, length - at + 1);
    memcpy(text + at, what, bytes);
}

static void mutate(char *text, size_t room)
{
    const size_t length = strlen(text), at = drawn(length + 1);
    size_t span = 1 + drawn(drawn(3) == 0 ? 60 : 6);
    char copy[64];
    if (at + span > length)
        span = length - at;
    switch (drawn(5)) {
    case 0:
        memmove(text + at, text + at + span, length - at - span + 1);
        break;
    case 1:
        memcpy(copy, text + at, span);
        insert(text, room, drawn(length + 1), copy, span);
        break;
    case 2:
        if (at < length)
            text[at] = (char)(1 + drawn(255));
        break;
    default: {
        const char *word = words[drawn(sizeof words / sizeof *words)];
        insert(text, room, at, word, strlen(word));
        break;
    }
    }
}

/* Reads all of the result, too. */
static int lowers(const char *text, const char *name)
{
    hdi_lir *l = hdi_kernel_lower(&(hdi_kernel_source){.text = text, .name = name});
    hd_error e;
    const hd_status code = hd_error_take(&e);
    if (l == NULL)
        return CHECK(code == HD_VALUE || code == HD_UNSUPPORTED) ? 0 : -1;
    CHECK_EQ_I64(code, HD_OK);
    hdi_strbuf s = {0};
    emit_c(&s, l, "f");
    char *c = hdi_strbuf_take(&s);
    hdi_free(c, strlen(c) + 1);
    hdi_lir_free(l);
    return 1;
}

/* A kernel of the source, drawn. */
static void draw_name(const char *text, char *name, size_t room)
{
    char *names = hdi_kernel_names(&(hdi_kernel_source){.text = text});
    hd_error_take(NULL);
    snprintf(name, room, "f");
    if (names == NULL)
        return;
    size_t lines = 0;
    for (const char *p = names; (p = strchr(p, '\n')) != NULL; p++)
        lines++;
    const char *p = names;
    for (size_t n = drawn(lines); n > 0; n--)
        p = strchr(p, '\n') + 1;
    if (lines > 0)
        snprintf(name, room, "%.*s%s", (int)strcspn(p, "\n"), p, drawn(4) == 0 ? "<float>" : "");
    hdi_free(names, strlen(names) + 1);
}

static char *file_text(const char *path, size_t length)
{
    char name[1024];
    snprintf(name, sizeof name, "%.*s", (int)length, path);
    FILE *f = fopen(name, "rb");
    char *text = calloc(1, 262144);
    if (f != NULL && text != NULL && fread(text, 1, 262143, f) == 0)
        text[0] = '\0';
    if (f != NULL)
        fclose(f);
    return text;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

typedef struct sums { long n, lowered; double slowest; } sums;

static void damage(const char *source, sums *s)
{
    const size_t room = strlen(source) + 4096;
    char *text = malloc(room), name[200];
    if (text == NULL)
        return;
    strcpy(text, source);
    draw_name(text, name, sizeof name);
    for (size_t m = 1 + drawn(drawn(4) == 0 ? 20 : 3); m > 0; m--)
        mutate(text, room);
    const double start = seconds();
    const char *dump = getenv("HEDDLE_KERNEL_FUZZ_DUMP");
    FILE *f = dump == NULL ? NULL : fopen(dump, "wb");
    if (f != NULL) {
        fprintf(f, "// %s\n%s", name, text);
        fclose(f);
    }
    s->lowered += lowers(text, name) > 0;
    s->n++;
    const double took = seconds() - start;
    s->slowest = took > s->slowest ? took : s->slowest;
    free(text);
}

TEST(kernel_fuzz, damaged_sources)
{
    char *source[64] = {NULL};
    int n = 1;
    const char *files = getenv("HEDDLE_KERNEL_FUZZ"), *limit = getenv("HEDDLE_KERNEL_FUZZ_SECONDS");
    const char *seed = getenv("HEDDLE_KERNEL_FUZZ_SEED");
    sums s = {0, 0, 0};
    if (seed != NULL)
        state ^= strtoull(seed, NULL, 10) * 0x9E3779B97F4A7C15ull;
    source[0] = strdup(own);
    for (; files != NULL && *files != '\0' && n < 64; n++) {
        const size_t length = strcspn(files, ":");
        source[n] = file_text(files, length);
        files += length + (files[length] == ':');
    }
    CHECK_EQ_I64(lowers(own, "f"), 1);
    const double end = seconds() + (limit != NULL ? atof(limit) : 1);
    while (seconds() < end)
        damage(source[drawn((size_t)n)], &s);
    CHECK(s.slowest < 20);
    CHECK(s.n > 0 && s.lowered < s.n);
    if (limit != NULL)
        fprintf(stderr, "%ld sources, %ld of them lowered, the slowest took %.3f s\n", s.n, s.lowered, s.slowest);
    for (int i = 0; i < n; i++)
        free(source[i]);
}
