/* SPDX-License-Identifier: BSD-3-Clause */
/* test_kernel.c - the front end for kernels in C source: what it refuses, with which words, and
 * what the IR says about parameters, loops and memory. What kernels compute: against_gcc.py. */
#include "kernel/kernel.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "harness.h"
#include "lir/passes.h"

static hdi_lir *lowered(const char *text, const char *name)
{
    return hdi_kernel_lower(&(hdi_kernel_source){.text = text, .name = name});
}

/* The body of a kernel with float *x, int *o and int n. */
static hdi_lir *body(const char *before, const char *statements)
{
    static char text[4096];
    snprintf(text, sizeof text, "%s\n__global__ void f(float *x, int *o, int n) { %s }\n", before,
             statements);
    return lowered(text, "f");
}

static const char *error_text(hd_status *code)
{
    static hd_error e;
    *code = hd_error_take(&e);
    return e.message;
}

/* ---- errors ---------------------------------------------------------------------------------- */

typedef struct fault { const char *before, *statements, *expected; hd_status code; } fault;

static const fault faults[] = {
    {"", "y = 1;", "f:2:46: y is not declared", HD_VALUE},
    {"", "o[0] = 1", "a ; is expected behind a statement, and not }", HD_VALUE},
    {"", "o[0] = (1 + 2;", "a ) is expected to close a (, and not ;", HD_VALUE},
    {"", "int a[] = {1, 2}; a = 0;", "an array cannot be assigned as a whole", HD_VALUE},
    {"", "const int k = n; k = 3;", "what is const cannot be assigned to", HD_VALUE},
    {"", "3 = n;", "this cannot be assigned to: it is no variable or element", HD_VALUE},
    {"", "o[x[0]] = 1;", "an index must be a whole number, and not float", HD_VALUE},
    {"", "n[0] = 1;", "this operator does not", HD_OK},
    {"", "x = o;", "int * cannot become float * without a cast", HD_VALUE},
    {"", "o[0] = x[0] % 2;", "this operator does not take float and int", HD_VALUE},
    {"", "o[0] = unknown(3);", "the function unknown is not known: define it", HD_UNSUPPORTED},
    {"", "break;", "break is not in a loop", HD_VALUE},
    {"", "continue;", "continue is not in a loop", HD_VALUE},
    {"", "goto end; end: ;", "goto and its labels are not supported: use loops", HD_UNSUPPORTED},
    {"", "auto g = [](int a) { return a; };", "functions without a name are not", HD_UNSUPPORTED},
    {"", "int *p = new int[3];", "new is not supported in kernels", HD_UNSUPPORTED},
    {"", "flot z = 1;", "flot is not declared", HD_VALUE},
    {"", "o[0] = sinf();", "sinf takes 1 argument, and not 0", HD_VALUE},
    {"", "o[0] = pow(1);", "pow takes 2 arguments, and not 1", HD_VALUE},
    {"", "atomicAdd(o);", "atomicAdd takes 2 arguments, and not 1", HD_VALUE},
    {"", "atomicMin(x, 1.0f);", "there is no such atomic function for float *", HD_UNSUPPORTED},
    {"", "o[0] = 1.2.3;", "1.2.3 is no number", HD_VALUE},
    {"", "o[0] = 99999999999999999999;", "99999999999999999999 is no number", HD_VALUE},
    {"", "o[0] = \"a;", "the text has no end on its line", HD_VALUE},
    {"", "/* o[0] = 1;", "a comment has no end: */ is missing", HD_VALUE},
    {"", "int a[n];", "a whole number that is known when the kernel is compiled", HD_VALUE},
    {"", "int a[-1];", "an array cannot have -1 elements", HD_VALUE},
    {"", "int a[2] = {1, 2, 3};", "the list has more values than int [ holds", HD_VALUE},
    {"", "if n > 3) o[0] = 1;", "a ( is expected behind if, and not n", HD_VALUE},
    {"", "o[0] = threadIdx.w;", "it has .x, .y and .z", HD_VALUE},
    {"", "printf(\"%d\");", "the format needs 1 values, and 0 are given", HD_VALUE},
    {"", "printf(\"%s\", n);", "%s of printf takes a text, and not int", HD_VALUE},
    {"", "printf(\"%d %s\", n, x);", "%s of printf takes a text, and not float *", HD_VALUE},
    {"", "printf(\"%n\", o);", "%n of printf is not supported", HD_UNSUPPORTED},
    {"", "printf(\"%*d\", n);", "the format needs 2 values, and 1 are given", HD_VALUE},
    {"", "static int s; s = 1;", "static variables of functions are not", HD_UNSUPPORTED},
    {"", "return 1;", "a function that gives nothing back returns a value", HD_VALUE},
    {"", "switch (x[0]) { }", "switch takes a whole number, and not float", HD_VALUE},
    {"", "switch (n) { case 1: { case 2: ; } }", "this label is not directly in", HD_UNSUPPORTED},
    {"", "__shared__ int s = 3;", "shared memory has no initialiser: store to it", HD_VALUE},
    {"#include \"mine.h\"", "", "#include of mine.h: only CUDA's and C's own", HD_UNSUPPORTED},
    {"#error stop here", "", "f:1:2: #error stop here", HD_VALUE},
    {"#if 1", "", "#if without #endif", HD_VALUE},
    {"#endif", "", "#endif without #if", HD_VALUE},
    {"#if )\n#endif", "", "a whole number is expected in the condition", HD_VALUE},
    {"#define g(a, b) a", "g(1);", "the macro g is given another number", HD_VALUE},
    {"#frob", "", "#frob is no directive", HD_VALUE},
    {"__device__ int g(int a) { return g(a - 1); }", "o[0] = g(n);",
     "g calls itself: recursion is not supported, use a loop", HD_UNSUPPORTED},
    {"__device__ int g(int a) { return a; }", "o[0] = g(x, o);",
     "no function g takes (float *, int *)", HD_VALUE},
    {"__device__ int g(int a);", "o[0] = g(1);", "the function g is not known", HD_UNSUPPORTED},
    {"__global__ void g(int *o) {}", "g(o);", "g is a kernel: a kernel cannot", HD_UNSUPPORTED},
    {"struct P { int a; };", "P p; p.b = 1;", "P has no member b", HD_VALUE},
    {"struct P { int a; };", "P p = 3 + P();", "this operator does not take int and P", HD_VALUE},
    {"struct P { int a : 3; };", "P p;", "fields of so many bits are not", HD_UNSUPPORTED},
    {"struct P { virtual int f(); };", "P p;", "this kind of member is not", HD_UNSUPPORTED},
    {"struct Q { int a; }; struct P : Q { };", "P p;", "structs that build on others", HD_UNSUPPORTED},
    {"namespace cg = cooperative_groups;", "", "cooperative groups are not", HD_UNSUPPORTED},
    {"template <typename... T> __device__ void g(T... t) {}", "g(1);", "", HD_OK},
    {"static const int t[2] = {1, n};", "o[0] = t[0];", "n is not declared", HD_VALUE},
    {"__device__ int t[1 << 20], u[1 << 29];", "o[0] = t[0];", "larger than 2 GB", HD_VALUE},
    {"}", "", "a type is expected, and } is none", HD_VALUE},
};

TEST(kernel, faults_are_told)
{
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        hd_status code;
        hdi_lir *l = body(faults[i].before, faults[i].statements);
        const char *text = error_text(&code);
        const int as_told = l == NULL && strstr(text, faults[i].expected) != NULL &&
                            (faults[i].code == HD_OK || code == faults[i].code);
        if (faults[i].expected[0] != '\0' && faults[i].code != HD_OK && !CHECK(as_told))
            fprintf(stderr, "  %s | %s\n  expected %s\n  found    %s\n", faults[i].before,
                    faults[i].statements, faults[i].expected, text);
        if (!CHECK(l == NULL))
            fprintf(stderr, "  accepted: %s | %s\n", faults[i].before, faults[i].statements);
        hdi_lir_free(l);
    }
}

TEST(kernel, error_shows_the_line)
{
    hd_status code;
    CHECK(lowered("// a\n__global__ void f(int *o)\n{\n    o[0] = q + 1;\n}\n", "f") == NULL);
    CHECK_STR(error_text(&code), "f:4:12: q is not declared\n    o[0] = q + 1;");
    CHECK(lowered("__global__ void f(int *o) { o[0] = sqrt(1, 2); }", "f") == NULL);
    CHECK(strncmp(error_text(&code), "f:1:36: sqrt takes 1 argument", 29) == 0);
}

TEST(kernel, unknown_names_list_what_there_is)
{
    hd_status code;
    const char *text = "__global__ void a() {} __device__ void d() {} extern \"C\" __global__ "
                       "void b(int n) {} template <typename T> __global__ void t(T *x) {}";
    CHECK(lowered(text, "c") == NULL);
    CHECK_STR(error_text(&code), "c: the source has no __global__ function c; those that it has: "
                                 "a, b, t");
    CHECK(lowered(text, "d") == NULL);
    CHECK_EQ_I64((error_text(&code), code), HD_VALUE);
    CHECK(lowered(text, "t") == NULL);
    CHECK(strstr(error_text(&code), "name it with its arguments") != NULL);
    CHECK(lowered(text, "a b") == NULL && lowered(text, "") == NULL);
    error_text(&code);
    char *names = hdi_kernel_names(&(hdi_kernel_source){.text = text});
    REQUIRE(names != NULL);
    CHECK_STR(names, "a\nb\nt\n");
    hdi_free(names, strlen(names) + 1);
    hdi_lir *l = lowered(text, "t<double>");
    CHECK(l != NULL && l->nparams == 1);
    hdi_lir_free(l);
}

/* ---- variables of the module ----------------------------------------------------------------- */

static const char *const module_text =
    "__constant__ float w[3] = {1, 2, 3};\n__device__ int n = 7; extern __device__ int n;\n"
    "namespace a { namespace b { __device__ __align__(64) char c[5] = \"abc\"; } __shared__ int s[4]; }\n"
    "static const int own[2] = {4, 5}; __device__ const int number = 3; __managed__ double last;\n"
    "using a::b::c;\n"
    "__global__ void none(int *o) { o[0] = own[1] + number + sizeof(w); }\n"
    "__global__ void reads(float *o) { o[0] = w[1] + w[2]; }\n"
    "__global__ void mixed(float *o) { o[0] = w[1] + n; }\n"
    "__global__ void writes(int *o) { atomicAdd(&n, o[0]); c[1] = 'x'; a::s[0] = 1; o[1] = a::s[1]; }\n";

/* The parameter that the module's memory is, NULL: there is none. */
static const hdi_lir_var *module_of(const hdi_lir *l)
{
    for (int32_t i = 0; l != NULL && i < l->nvars; i++)
        if (l->var[i].role == HDI_LIR_MODULE)
            return &l->var[i];
    return NULL;
}

TEST(kernel, variables_of_the_module_are_listed)
{
    static const struct { const char *name; int64_t at, bytes; } rows[] = {
        {"w", 0, 12}, {"n", 16, 4}, {"a::b::c", 64, 5}, {"last", 80, 8}};
    hdi_lir *l = hdi_kernel_globals(&(hdi_kernel_source){.text = module_text});
    REQUIRE(l != NULL && l->nvars == 4 && l->data_bytes == 88);
    for (int32_t i = 0; i < 4; i++) {
        CHECK_STR(l->names + l->var[i].name, rows[i].name);
        CHECK_EQ_I64(l->var[i].at, rows[i].at);
        CHECK_EQ_I64(l->var[i].count * hdi_lir_types[l->var[i].type].bytes, rows[i].bytes);
    }
    CHECK(memcmp(l->data + 64, "abc\0\0", 5) == 0 && l->data[16] == 7 && l->data[80] == 0);
    CHECK(memcmp(l->data, (const float[]){1, 2, 3}, 12) == 0 && hdi_lir_verify(l) == HD_OK);
    hdi_lir_free(l);
    hd_status code;
    CHECK(hdi_kernel_globals(&(hdi_kernel_source){.text = "__device__ int x[2] = {1, y};"}) == NULL);
    CHECK(strstr(error_text(&code), "y is not declared") != NULL && code == HD_VALUE);
    l = hdi_kernel_globals(&(hdi_kernel_source){.text = "int main() {}"});
    CHECK(l != NULL && l->nvars == 0 && l->data_bytes == 0);
    hdi_lir_free(l);
}

TEST(kernel, memory_of_the_module_is_a_parameter_behind_the_others)
{
    static const struct { const char *name; bool uses, writes, restricted; } rows[] = {
        {"none", false, false, false}, {"reads", true, false, true}, {"mixed", true, false, false},
        {"writes", true, true, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        hdi_lir *l = lowered(module_text, rows[i].name);
        const hdi_lir_var *v = module_of(l);
        REQUIRE(l != NULL && hdi_lir_verify(l) == HD_OK);
        CHECK_EQ_I64(l->nparams, rows[i].uses ? 2 : 1);
        if (CHECK((v != NULL) == rows[i].uses) && v != NULL)
            CHECK(v->param == 1 && v->reads && v->writes == rows[i].writes &&
                  v->restricted == rows[i].restricted && v->type == HDI_LIR_POINTER);
        char *text = hdi_lir_print(l);
        hdi_lir *again = hdi_lir_read(text);
        CHECK((module_of(again) != NULL) == rows[i].uses);
        hdi_free(text, strlen(text) + 1);
        hdi_lir_free(again);
        hdi_lir_free(l);
    }
}

/* ---- limits ---------------------------------------------------------------------------------- */

static char *repeated(const char *head, const char *part, int n, const char *tail)
{
    const size_t bytes = strlen(head) + (size_t)n * strlen(part) + strlen(tail) + 1;
    char *text = malloc(bytes), *p = text;
    if (text == NULL)
        return NULL;
    p += sprintf(p, "%s", head);
    for (int i = 0; i < n; i++)
        p += sprintf(p, "%s", part);
    sprintf(p, "%s", tail);
    return text;
}

static void too_much(const char *head, const char *part, int n, const char *tail)
{
    hd_status code;
    char *text = repeated(head, part, n, tail);
    REQUIRE(text != NULL);
    hdi_lir *l = lowered(text, "f");
    CHECK(l == NULL);
    error_text(&code);
    CHECK(code == HD_VALUE || code == HD_UNSUPPORTED);
    hdi_lir_free(l);
    free(text);
}

TEST(kernel, depth_and_size_are_bounded)
{
    const char *head = "__global__ void f(int *o) { o[0] = ";
    too_much(head, "(", 100000, "");
    too_much(head, "-", 100000, "1; }");
    too_much(head, "1 ? ", 100000, "");
    too_much(head, "sizeof ", 100000, "1; }");
    too_much(head, "(int)", 100000, "1; }");
    too_much(head, "o[", 100000, "");
    too_much(head, "{", 100000, "");
    too_much("__global__ void f(int *o) {", "{", 100000, "");
    too_much("__global__ void f(int *o) {", "if (o) ", 100000, ";}");
    too_much("__global__ void f(int *o) {", "if (0) ", 100000, ";}");
    too_much("__global__ void f(int *o) {", "do ", 100000, ";}");
    too_much("__global__ void f(int *o) { int a = ", "{", 100000, "1; }");
    too_much("__global__ void f(int ", "(*", 100000, "o) {}");
    too_much("", "namespace a { ", 100000, "");
    too_much("", "struct a { ", 100000, "");
    too_much("", "#if 1\n", 100000, "");
    too_much("#if ", "(", 100000, "1\n#endif\n");
    too_much("#define g(x) x\n__global__ void f(int *o) { o[0] = ", "g(", 100000, "1; }");
    too_much("", "int a;\n", 600000, "");
    too_much("", "\xff\x01@`", 100000, "");
    too_much("__global__ void f(int *o) {", "o[0] = o[1] + o[2] * o[3]; ", 60000, "}");
}

TEST(kernel, expansions_are_bounded)
{
    too_much("#define a0 1+1\n#define a1 a0+a0+a0+a0\n#define a2 a1+a1+a1+a1\n"
             "#define a3 a2+a2+a2+a2\n#define a4 a3+a3+a3+a3\n#define a5 a4+a4+a4+a4\n"
             "#define a6 a5+a5+a5+a5\n#define a7 a6+a6+a6+a6\n#define a8 a7+a7+a7+a7\n"
             "#define a9 a8+a8+a8+a8\n__global__ void f(int *o) { o[0] = a9", "+a9", 20, "; }");
    too_much("__device__ int a(int x) { return x * x + 1; }\n"
             "__device__ int b(int x) { return a(x) + a(a(a(a(x)))) + a(a(a(a(x)))); }\n"
             "__device__ int c(int x) { return b(x) + b(b(b(b(x)))) + b(b(b(b(x)))); }\n"
             "__device__ int d(int x) { return c(x) + c(c(c(c(x)))) + c(c(c(c(x)))); }\n"
             "__device__ int e(int x) { return d(x) + d(d(d(d(x)))) + d(d(d(d(x)))); }\n"
             "__device__ int g(int x) { return e(x) + e(e(e(e(x)))) + e(e(e(e(x)))); }\n"
             "__global__ void f(int *o) { o[0] = g(o[1]); ", "o[0] = g(o[1]);", 20, "}");
    too_much("template <int N> __device__ int g(int x) { return g<N + 1>(x) + 1; }\n"
             "__global__ void f(int *o) { o[0] = g<0>(1);", "", 0, "}");
    too_much("template <int N> struct S { S<N + 1> *p; S<N + 1> q; };\n"
             "__global__ void f(int *o) { S<0> s;", "", 0, "}");
    too_much("template <typename T> struct S { S<S<T>> q; };\n"
             "__global__ void f(int *o) { S<int> s;", "", 0, "}");
    too_much("struct S { int a[30000]; };\n__global__ void f(S *o) {", "o[0] = o[1]; ", 60, "}");
}

/* A long sum or chain of else is no deep tree. */
TEST(kernel, long_is_not_deep)
{
    char *text = repeated("__global__ void f(int *o) { o[0] = o[1]", " + o[2] * 3", 5000, "; }");
    REQUIRE(text != NULL);
    hdi_lir *l = lowered(text, "f");
    CHECK(l != NULL);
    hdi_lir_free(l);
    free(text);
}

/* ---- what the IR says ------------------------------------------------------------------------ */

TEST(kernel, parameters_are_the_first_variables)
{
    hdi_lir *l = lowered("struct P { double a; char b; };\n"
                         "extern \"C\" __global__ void __launch_bounds__(128) f(const float *__restrict__ x,"
                         " float *y, int n, P p, unsigned char c, double *r, int *a, bool b, float *z)"
                         " { y[n] = x[c] + p.a + r[0]; atomicAdd(a, 1); float *q = z; if (b) q[1] = 2; }",
                         "f");
    REQUIRE(l != NULL);
    CHECK_EQ_I64(l->nparams, 9);
    CHECK_EQ_I64(l->max_threads, 128);
    CHECK(!l->syncs);
    for (int i = 0; i < 9; i++)
        CHECK_EQ_I64(l->var[i].param, i);
    CHECK_STR(l->names + l->var[0].name, "x");
    CHECK(l->var[0].type == HDI_LIR_POINTER && l->var[0].reads && !l->var[0].writes &&
          l->var[0].restricted);
    CHECK(!l->var[1].reads && l->var[1].writes && !l->var[1].restricted);
    CHECK_EQ_I64(l->var[2].type, HDI_LIR_I32);
    CHECK(l->var[3].type == HDI_LIR_U8 && l->var[3].in_memory && l->var[3].count == 16 &&
          l->var[3].align == 8);
    CHECK_EQ_I64(l->var[4].type, HDI_LIR_U8);
    CHECK(l->var[5].reads && !l->var[5].writes);
    CHECK(l->var[6].reads && l->var[6].writes);
    CHECK_EQ_I64(l->var[7].type, HDI_LIR_BOOL);
    CHECK(!l->var[8].reads && l->var[8].writes);
    hdi_lir_free(l);
}

static int counted(const char *statements)
{
    hdi_lir *l = body("", statements);
    int n = 0;
    if (l == NULL)
        return -1;
    for (int32_t i = 0; i < l->nnodes; i++)
        n += l->node[i].op == HDI_LIR_LOOP && (l->node[i].flags & HDI_LIR_COUNTED) != 0;
    hdi_lir_free(l);
    return n;
}

/* What an argument's address must be a multiple of. */
TEST(kernel, alignment_that_accesses_rely_on)
{
    hdi_lir *l = lowered("struct P { float a, b; }; __global__ void f(float4 *a, const double2 *b, float3 *c, "
                         "float *d, float *e, P *p, float4 *unused, float2 *part) { float4 x = a[0]; a[1] = x; "
                         "double2 y = b[3]; float3 z = c[1]; float2 *q = (float2 *)(d + 2); q[0].x = z.x + y.y; "
                         "e[0] = p[0].a + part[1].y; part[1].x = 2; }", "f");
    static const int leads[] = {16, 16, 0, 8, 0, 0, 0, 8};
    REQUIRE(l != NULL);
    CHECK_EQ_I64(l->nparams, 8);
    for (int32_t v = 0; v < l->nvars; v++)
        if (l->var[v].param >= 0)
            CHECK_EQ_I64(l->var[v].leads, leads[l->var[v].param]);
    CHECK(hdi_lir_verify(l) == HD_OK);
    hdi_lir_forget_alignment(l);
    CHECK_EQ_I64(l->var[0].leads, 0);
    hdi_lir_free(l);
}

TEST(kernel, loops_that_end_are_marked)
{
    CHECK_EQ_I64(counted("for (int i = 0; i < n; i++) o[i] = i;"), 1);
    CHECK_EQ_I64(counted("for (int i = n; i > 0; i -= 3) o[i] = i;"), 1);
    CHECK_EQ_I64(counted("for (int i = n; i >= 0; --i) o[i] = i;"), 1);
    CHECK_EQ_I64(counted("for (unsigned i = 0; i < n; ++i) { if (o[i]) break; }"), 1);
    CHECK_EQ_I64(counted("for (size_t i = 0; i < 10; i = i + 1) o[i] = 1;"), 1);
    CHECK_EQ_I64(counted("for (int i = 0; i != n; i++) for (int j = 0; j <= i * 2; j += 2) o[j]++;"), 2);
    CHECK_EQ_I64(counted("for (int i = 0; i < n; i++) { o[i] = i; i += 0; }"), 0);
    CHECK_EQ_I64(counted("for (int i = 0; i < n; i++) n++;"), 0);
    CHECK_EQ_I64(counted("for (int i = 0; i < n; i--) o[i] = i;"), 0);
    CHECK_EQ_I64(counted("for (int i = 0; i < o[0]; i++) o[i] = i;"), 0);
    CHECK_EQ_I64(counted("for (int i = 0; i < n; i += n) o[i] = i;"), 0);
    CHECK_EQ_I64(counted("for (unsigned i = n; i >= 0; i--) o[i] = i;"), 0);
    CHECK_EQ_I64(counted("for (unsigned i = 0; i < n; i += 2) o[i] = i;"), 0);
    CHECK_EQ_I64(counted("for (int i = 0; i < n; i++) { int *p = &i; *p = 0; }"), 0);
    CHECK_EQ_I64(counted("for (int i = 0; i < n; i++) { int &r = i; r = 0; }"), 0);
    CHECK_EQ_I64(counted("for (char c = 0; c < n; c++) o[c] = 1;"), 0);
    CHECK_EQ_I64(counted("for (;;) break; while (n--) ; do n++; while (n < 5);"), 0);
    CHECK_EQ_I64(counted("for (float f = 0; f < n; f++) o[0]++;"), 0);
    CHECK_EQ_I64(counted("int a[100] = {0}; o[0] = a[n];"), 1);
}

static const char *const accepted[] = {
    "int a = 1, *p = &a, b[3]; b[0] = *p; o[0] = b[0];",
    "extern __shared__ float s[]; extern __shared__ int t[]; s[0] = t[1];",
    "for (int i = threadIdx.x; i < n; i += blockDim.x) { if (i == 3) continue; o[i] = i; }",
    "uint3 t = threadIdx; dim3 d(4, 2); o[0] = t.x + d.z + blockDim.x;",
    "\n#pragma unroll 4\nfor (int i = 0; i < 4; i++) o[i] = 1;",
    "complex<float> z(1, 2), w = z * z + 1.0f; o[0] = (w / z).real() + abs(w) + exp(conj(w)).imag();",
    "thrust::complex<double> z = 3.0; z *= thrust::complex<double>(0, 1); o[0] = z.imag();",
    "half h = __float2half(1.5f); float g = h + 2.f; half k = g; o[0] = __half2float(k) > h;",
    "o[0] = std::min(n, 3) + std::max(1.5f, x[0]) + std::numeric_limits<int>::max();",
    "const float *p = reinterpret_cast<const float *>(o); x[0] = __ldg(p + 1);",
    "cuFloatComplex z = make_cuFloatComplex(1, 2); o[0] = cuCabsf(cuCmulf(z, z));",
    "int v = __shfl_down_sync(0xffffffff, n, 1); __syncthreads(); o[0] = v; assert(v > 0);",
    "float2 *q = (float2 *)x; q[0] = make_float2(1, 2); float4 r = {1, 2, 3, 4}; o[0] = r.w;",
    "enum { A, B = 7 }; typedef int T; using U = float; T t = B; U u = t; o[0] = u;",
    "if constexpr (sizeof(int) == 8) { nonsense } else o[0] = 4;",
    "o[0] = clock() + clock64() + __LINE__; __nanosleep(10);",
    "long long int a = 1ll; unsigned long b = 2; long unsigned int c = a + b; o[0] = c;",
    "struct { int a; float b; } s = {1, 2}; o[0] = s.a + s.b;",
    "[[maybe_unused]] int q = 3; o[0] = 1;",
};

TEST(kernel, accepted)
{
    for (size_t i = 0; i < sizeof accepted / sizeof *accepted; i++) {
        hd_status code;
        hdi_lir *l = body("#include <cupy/complex.cuh>\n#include <cuda_fp16.h>", accepted[i]);
        if (!CHECK(l != NULL))
            fprintf(stderr, "  %s\n  %s\n", accepted[i], error_text(&code));
        hdi_lir_free(l);
    }
}

TEST(kernel, options)
{
    static const char *const o[] = {"-DN=4", "-D", "M=3", "--define-macro=T=float", "-DFLAG", "-std=c++14",
                                    "-I/nowhere", "--use_fast_math", "-DF(x)=((x)+1)", "--define-macro", "K=2"};
    hdi_lir *l = hdi_kernel_lower(&(hdi_kernel_source){
        .text = "__global__ void f(T *x) { x[N * M + F(K)] = FLAG; }", .name = "f", .noptions = 11,
        .options = o});
    CHECK(l != NULL);
    hdi_lir_free(l);
}

TEST(kernel, what_is_not_called_is_not_read)
{
    hdi_lir *l = lowered("texture_like<int> never(what) { is @ this; }\n__global__ void g() { nothing; }\n"
                         "int main() { std::vector<int> v; f<<<1, 2>>>(v); return 0; }\n"
                         "__global__ void f(int *o) { o[0] = 1; }", "f");
    CHECK(l != NULL);
    hdi_lir_free(l);
    hd_error_take(NULL);
}

static const char *const rich =
    "#include <cupy/complex.cuh>\n#define T 4\nstruct P { float a; int b[3]; };\n"
    "template <typename U> __device__ U g(U x, int n) { for (int i = 0; i < n; i++) { if (x > 3) return x; "
    "x += i; } return -x; }\n__constant__ float w[3] = {1, 2, 3};\n"
    "__global__ void f(float *x, P p, int n) { __shared__ float s[T]; P q = p; int k = n; int *r = &k; "
    "s[n] = g(x[0], n) + w[1]; __syncthreads(); switch (n) { case 1: x[1] = *r; break; default: x[2] = q.a; } "
    "complex<float> z(x[0], 1); z = z * z; x[3] = n > 3 && k++ ? z.real() : printf(\"%d\\n\", n), 1; }";

static hdi_lir *rich_kernel(void) { return lowered(rich, "f"); }

static hdi_lir *variables(void)
{
    return hdi_kernel_globals(&(hdi_kernel_source){.text = module_text});
}

/* Each allocation of make() in turn: an error, and nothing is left behind. */
static void fail_each_allocation(hdi_lir *(*make)(void))
{
    hd_status code;
    for (int64_t n = 1; n < 2000; n++) {
        hdi_fail_after(n);
        hdi_lir *l = make();
        hdi_fail_after(0);
        if (l != NULL) {
            hdi_lir_free(l);
            CHECK(n > 5);
            return;
        }
        error_text(&code);
        if (!CHECK_EQ_I64(code, HD_NOMEM))
            return;
    }
    CHECK(0);
}

TEST(kernel, every_allocation_may_fail)
{
    hdi_lir *l = rich_kernel();
    hd_status code;
    if (l == NULL)
        fprintf(stderr, "  %s\n", error_text(&code));
    REQUIRE(l != NULL);
    hdi_lir_free(l);
    fail_each_allocation(rich_kernel);
}

TEST(kernel, every_allocation_of_the_variables_may_fail) { fail_each_allocation(variables); }

TEST(kernel, cut_anywhere)
{
    const size_t bytes = strlen(rich);
    char *text = malloc(bytes + 1);
    REQUIRE(text != NULL);
    for (size_t n = 0; n < bytes; n++) {
        memcpy(text, rich, n);
        text[n] = '\0';
        hdi_lir *l = lowered(text, "f");
        CHECK(l == NULL || n + 2 > bytes);
        hdi_lir_free(l);
        hd_error_take(NULL);
    }
    free(text);
}
