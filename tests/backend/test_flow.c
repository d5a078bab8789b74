/* SPDX-License-Identifier: BSD-3-Clause */
/* test_flow.c - kernels with branches and loops, made by hand, against plain C for each element: as
 * chains of each instruction set, and through the back end. */
#include "code_generator.h"
#include "kernel_ref.h"
#include "loops_data.h"

#include "backend/cpu/cpu_builder.h"
#include "codegen/cg_compile.h"

enum { N = 301, TURNS = 40 };

static ref_kernel r;

/* ---- kernels by hand ------------------------------------------------------------------------- */

static int array(hd_dtype dt, bool write)
{
    return ref_array(&r, dt, KIR_FULL, write, NULL, 0, 0, 0);
}

static int constant(hd_dtype dt, double x)
{
    const int v = ref_scalar(&r, dt, KIR_FULL, 0);
    void *at = r.operand[r.inst[v].slot].scalar;
    switch (dt) {
    case HD_FLOAT64: memcpy(at, &x, 8); break;
    case HD_FLOAT32: memcpy(at, &(float){(float)x}, 4); break;
    case HD_INT32: memcpy(at, &(int32_t){(int32_t)x}, 4); break;
    default: memcpy(at, &(int64_t){(int64_t)x}, 8);
    }
    return v;
}

static int op1(hd_op op, int x)
{
    const hd_dtype dt = (hd_dtype)r.inst[x].dt;
    return ref_ew(&r, op, dt, dt, KIR_FULL, 0, 1, x, 0, 0);
}

static int op2(hd_op op, int x, int y)
{
    const hd_dtype dt = (hd_dtype)r.inst[x].dt;
    return ref_ew(&r, op, dt, dt, KIR_FULL, 0, 2, x, y, 0);
}

static int test2(hd_op op, int x, int y)
{
    return ref_ew(&r, op, (hd_dtype)r.inst[x].dt, HD_BOOL, KIR_FULL, 0, 2, x, y, 0);
}

static int flow(hdi_kkind kind, hd_dtype dt, int n, int x, int y)
{
    return ref_emit(&r, (hdi_kinst){.kind = (uint8_t)kind, .dt = (uint8_t)dt, .narg = (uint8_t)n, .arg = {(uint16_t)x, (uint16_t)y}});
}

static int local(int x) { return flow(KIR_LOCAL, (hd_dtype)r.inst[x].dt, 1, x, 0); }
static int get(int v) { return flow(KIR_GET, (hd_dtype)r.inst[v].dt, 1, v, 0); }
static void set(int v, int x) { flow(KIR_SET, HD_BOOL, 2, v, x); }
static void when(int c) { flow(KIR_IF, HD_BOOL, 1, c, 0); }
static void otherwise(void) { flow(KIR_ELSE, HD_BOOL, 0, 0, 0); }
static void end_when(void) { flow(KIR_END_IF, HD_BOOL, 0, 0, 0); }
static void loop(void) { flow(KIR_LOOP, HD_BOOL, 0, 0, 0); }
static void leave_when(int c) { flow(KIR_BREAK, HD_BOOL, 1, c, 0); }
static void leave(void) { flow(KIR_BREAK, HD_BOOL, 0, 0, 0); }
static void end_loop(void) { flow(KIR_END_LOOP, HD_BOOL, 0, 0, 0); }

static void begin(int64_t n)
{
    ref_init(&r, 1, &n, 0);
    r.k.inst = r.inst;
    r.k.slots = r.slot;
}

/* ---- the examples ---------------------------------------------------------------------------- */

typedef struct example {
    const char *name;
    void (*build)(void);                          /* operand 0: the result; then the inputs */
    void (*plain)(void *out, const void *const *in, int64_t i);
    void (*put)(void *const *in, int64_t i);
    int nin;
} example;

/* How often a number is halved, or tripled and one added, before it is 1. */
static void build_collatz(void)
{
    const int out = array(HD_INT64, true), x = ref_load(&r, array(HD_INT64, false), 0);
    const int zero = constant(HD_INT64, 0), one = constant(HD_INT64, 1), three = constant(HD_INT64, 3);
    const int n = local(x), steps = local(zero);
    loop();
    const int now = get(n);
    leave_when(test2(HD_OP_less_equal, now, one));
    when(test2(HD_OP_not_equal, op2(HD_OP_bitwise_and, now, one), zero));
    set(n, op2(HD_OP_add, op2(HD_OP_multiply, now, three), one));
    otherwise();
    set(n, op2(HD_OP_right_shift, now, one));
    end_when();
    set(steps, op2(HD_OP_add, get(steps), one));
    end_loop();
    ref_store(&r, get(steps), out, 0);
}

static void plain_collatz(void *out, const void *const *in, int64_t i)
{
    int64_t n = ((const int64_t *)in[0])[i], steps = 0;
    for (; n > 1; steps++)
        n = n & 1 ? 3 * n + 1 : n >> 1;
    ((int64_t *)out)[i] = steps;
}

static void put_collatz(void *const *in, int64_t i)
{
    ((int64_t *)in[0])[i] = i % 7 == 0 ? (int64_t)(next_word() % 100000) : i - 3;
}

/* Turns until z * z + c is far away: two reals and a count, of other widths. */
static void build_mandelbrot(void)
{
    const int out = array(HD_INT32, true);
    const int cr = ref_load(&r, array(HD_FLOAT64, false), 0), ci = ref_load(&r, array(HD_FLOAT64, false), 0);
    const int zero = constant(HD_FLOAT64, 0), two = constant(HD_FLOAT64, 2), four = constant(HD_FLOAT64, 4);
    const int none = constant(HD_INT32, 0), one = constant(HD_INT32, 1), most = constant(HD_INT32, TURNS);
    const int zr = local(zero), zi = local(zero), count = local(none);
    loop();
    leave_when(test2(HD_OP_greater_equal, get(count), most));
    const int re = get(zr), im = get(zi), rr = op1(HD_OP_square, re), ii = op1(HD_OP_square, im);
    leave_when(test2(HD_OP_greater, op2(HD_OP_add, rr, ii), four));
    set(zi, op2(HD_OP_add, op2(HD_OP_multiply, op2(HD_OP_multiply, two, re), im), ci));
    set(zr, op2(HD_OP_add, op2(HD_OP_subtract, rr, ii), cr));
    set(count, op2(HD_OP_add, get(count), one));
    end_loop();
    ref_store(&r, get(count), out, 0);
}

static void plain_mandelbrot(void *out, const void *const *in, int64_t i)
{
    const double cr = ((const double *)in[0])[i], ci = ((const double *)in[1])[i];
    double re = 0, im = 0;
    int32_t count = 0;
    while (count < TURNS && re * re + im * im <= 4) {
        const double rr = re * re, ii = im * im;
        im = 2 * re * im + ci;
        re = rr - ii + cr;
        count++;
    }
    ((int32_t *)out)[i] = count;
}

static void put_mandelbrot(void *const *in, int64_t i)
{
    ((double *)in[0])[i] = (double)(next_word() % 3000) / 1000 - 2;
    ((double *)in[1])[i] = (double)(next_word() % 2400) / 1000 - 1.2;
}

/* A value of three, of which one is in an inner branch without ELSE. */
static void build_pieces(void)
{
    const int out = array(HD_FLOAT32, true), x = ref_load(&r, array(HD_FLOAT32, false), 0);
    const int zero = constant(HD_FLOAT32, 0), one = constant(HD_FLOAT32, 1), two = constant(HD_FLOAT32, 2);
    const int y = local(x);
    when(test2(HD_OP_greater, x, zero));
    set(y, op2(HD_OP_add, x, two));
    when(test2(HD_OP_greater, x, one));
    set(y, op2(HD_OP_multiply, get(y), x));
    end_when();
    otherwise();
    const int part = local(op1(HD_OP_negative, x));
    set(part, op2(HD_OP_subtract, get(part), one));
    set(y, op2(HD_OP_divide, get(part), two));
    end_when();
    ref_store(&r, op2(HD_OP_add, get(y), one), out, 0);
}

static void plain_pieces(void *out, const void *const *in, int64_t i)
{
    const float x = ((const float *)in[0])[i];
    float y = x;
    if (x > 0) {
        y = x + 2;
        if (x > 1)
            y = y * x;
    } else
        y = (-x - 1) / 2;
    ((float *)out)[i] = y + 1;
}

static void put_pieces(void *const *in, int64_t i)
{
    ((float *)in[0])[i] = i % 50 == 49 ? NAN : (float)(next_word() % 600) / 100 - 3;
}

/* A loop in a loop, left from within a branch; a variable that begins anew in each turn. */
static void build_nested(void)
{
    const int out = array(HD_INT32, true);
    const int a = ref_load(&r, array(HD_INT32, false), 0), limit = ref_load(&r, array(HD_INT32, false), 0);
    const int zero = constant(HD_INT32, 0), one = constant(HD_INT32, 1), three = constant(HD_INT32, 3);
    const int sum = local(zero), i = local(zero);
    loop();
    const int now = get(i);
    leave_when(test2(HD_OP_greater_equal, now, a));
    const int j = local(zero);
    loop();
    const int inner = get(j);
    when(test2(HD_OP_greater, op2(HD_OP_multiply, inner, inner), now));
    leave();
    end_when();
    set(sum, op2(HD_OP_add, get(sum), op2(HD_OP_multiply, now, inner)));
    set(j, op2(HD_OP_add, get(j), one));
    end_loop();
    when(test2(HD_OP_greater, get(sum), limit));
    set(sum, op2(HD_OP_multiply, get(sum), three));
    leave();
    otherwise();
    set(sum, op2(HD_OP_add, get(sum), get(j)));
    end_when();
    set(i, op2(HD_OP_add, get(i), one));
    end_loop();
    ref_store(&r, get(sum), out, 0);
}

static void plain_nested(void *out, const void *const *in, int64_t e)
{
    const int32_t a = ((const int32_t *)in[0])[e], limit = ((const int32_t *)in[1])[e];
    int32_t sum = 0;
    for (int32_t i = 0; i < a; i++) {
        int32_t j = 0;
        for (; j * j <= i; j++)
            sum += i * j;
        if (sum > limit) {
            sum *= 3;
            break;
        }
        sum += j;
    }
    ((int32_t *)out)[e] = sum;
}

static void put_nested(void *const *in, int64_t i)
{
    ((int32_t *)in[0])[i] = (int32_t)(next_word() % 40) - 3;
    ((int32_t *)in[1])[i] = (int32_t)(next_word() % 3000) + (int32_t)(i % 2) * 100000;
}

static const example examples[] = {{"collatz", build_collatz, plain_collatz, put_collatz, 1},
                                   {"mandelbrot", build_mandelbrot, plain_mandelbrot, put_mandelbrot, 2},
                                   {"pieces", build_pieces, plain_pieces, put_pieces, 1},
                                   {"nested", build_nested, plain_nested, put_nested, 2}};
enum { EXAMPLES = sizeof examples / sizeof *examples };

/* ---- as chains ------------------------------------------------------------------------------- */

static void build(const example *x, int64_t n, void **in)
{
    begin(n);
    x->build();
    for (int k = 0; k < x->nin; k++)
        in[k] = r.run[r.operand[1 + k].buffer];
    for (int64_t i = 0; i < n; i++)
        x->put(in, i);
}

static void check_results(const example *x, void *const *in, const void *got, int isa, int64_t n)
{
    static _Alignas(16) uint8_t want[N * 8];
    const hd_dtype dt = (hd_dtype)r.slot[0].dt;
    int right = 1;
    for (int64_t i = 0; i < n; i++)
        x->plain(want, (const void *const *)in, i);
    for (int64_t i = 0; i < n && right; i++)
        right = same_element(dt, want + i * dtypes[dt].size, (const uint8_t *)got + i * dtypes[dt].size);
    if (!CHECK(right))
        printf("    %s, isa %d, n %lld\n", x->name, isa, (long long)n);
}

/* isa that this machine has not: only that it compiles. */
static void check_chain(const example *x, int isa, bool runs, int64_t n)
{
    static uint8_t got[N * 8];
    void *in[4], *operands[HDI_CHAIN_OPERANDS];
    hdi_cpu_builder *b = calloc(1, sizeof *b);
    REQUIRE(b != NULL);
    build(x, n, in);
    CHECK(hdi_kernel_verify(&r.k) == HD_OK);
    b->k = &r.k;
    memset(b->chain_of, 0xff, sizeof b->chain_of);
    hdi_cpu_find_chains(b);
    CHECK_EQ_I64(b->nchains, 1);
    CHECK(hdi_cpu_check_flow(b) == HD_OK);
    hdi_chain *c = &b->link[0].chain;
    c->isa = (uint8_t)isa;
    for (int k = 0; k < c->nin; k++) {
        const int slot = r.inst[b->link[0].in[k]].slot;
        operands[k] = r.slot[slot].kind == HDI_SLOT_SCALAR ? (void *)r.operand[slot].scalar : r.run[r.operand[slot].buffer];
    }
    operands[c->nin] = got;
    hdi_chain_code code = hdi_cg_chain_code(c, hdi_cpu_resolve, &c->isa);
    CHECK(code != NULL);
    if (code != NULL && runs) {
        code(operands, n);
        check_results(x, in, got, isa, n);
    }
    free(b);
    ref_free(&r);
}

TEST(flow, chains_give_what_plain_c_gives)
{
    static const int64_t lengths[] = {1, 2, 3, 7, 16, 31, 64, N};
    const hdi_loops *table[MAX_TABLES];
    const int n = loop_tables(table);
    if (!code_generator())
        return;
    for (int isa = HDI_CHAIN_V2; isa <= HDI_CHAIN_V4; isa++)
        for (int k = 0; k < EXAMPLES; k++)
            for (int at = 0; at < (int)(sizeof lengths / sizeof *lengths); at++)
                check_chain(&examples[k], isa, isa < n, lengths[at]);
}

/* ---- through the back end -------------------------------------------------------------------- */

TEST(flow, kernels_run)
{
    void *in[4];
    if (!code_generator())
        return;
    for (int k = 0; k < EXAMPLES; k++) {
        build(&examples[k], N, in);
        if (!CHECK(ref_execute(&r) == HD_OK))
            printf("    %s\n", hd_error_peek()->message);
        check_results(&examples[k], in, r.run[r.operand[0].buffer], hdi_cpu_isa(), N);
        ref_free(&r);
    }
}

/* What a loop gives goes into a reduction: rows of a matrix, then its columns. */
TEST(flow, values_are_reduced)
{
    if (!code_generator())
        return;
    for (int axis = 0; axis < 2; axis++) {
        const int64_t dims[2] = {70, 300};
        int64_t most[300] = {0};
        ref_init(&r, 2, dims, (uint64_t)1 << (1 - axis));
        build_collatz();
        r.slot[0].level = KIR_ROW;   /* in place of the store of each element */
        memset(r.operand[0].strides, 0, sizeof r.operand[0].strides);
        r.operand[0].strides[axis] = sizeof(int64_t);
        r.operand[0].linear = false;
        r.k.ninst--;
        ref_store(&r, ref_reduce(&r, HD_OP_max, HD_INT64, HD_INT64, 0, r.k.ninst - 1, -1), 0, 0);
        void *in = r.run[r.operand[1].buffer];
        const void *plain_in = in;
        for (int64_t i = 0; i < dims[0] * dims[1]; i++) {
            int64_t steps[1];
            put_collatz(&in, i);
            const void *one = (const int64_t *)plain_in + i;
            plain_collatz(steps, &one, 0);
            int64_t *to = &most[axis == 0 ? i / dims[1] : i % dims[1]];
            *to = steps[0] > *to ? steps[0] : *to;
        }
        if (!CHECK(ref_execute(&r) == HD_OK))
            printf("    %s\n", hd_error_peek()->message);
        CHECK(memcmp(most, r.run[r.operand[0].buffer], (size_t)dims[axis] * sizeof(int64_t)) == 0);
        ref_free(&r);
    }
}

TEST(flow, kernels_are_one_chain)
{
    void *program;
    if (!code_generator())
        return;
    begin(N);
    const int out = array(HD_INT64, true), x = ref_load(&r, array(HD_INT64, false), 0);
    const int y = local(x);
    when(test2(HD_OP_greater, x, constant(HD_INT64, 0)));
    set(y, op2(HD_OP_gcd, x, x));   /* has no word that is fast enough */
    end_when();
    ref_store(&r, get(y), out, 0);
    hd_error e;
    CHECK(ref_compile(&r, &program) == HD_UNSUPPORTED);
    hd_error_take(&e);
    CHECK(strstr(e.message, "branches or loops") != NULL);
    ref_free(&r);
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void refused(const char *why)
{
    hd_error e;
    CHECK(hdi_kernel_verify(&r.k) == HD_INTERNAL);
    hd_error_take(&e);
    if (!CHECK(strstr(e.message, why) != NULL))
        printf("    %s\n", e.message);
    ref_free(&r);
}

/* A kernel's first three instructions: an operand, a test of it, a variable. */
static void begin_small(int *x, int *test, int *v)
{
    begin(4);
    array(HD_FLOAT64, true);
    *x = ref_load(&r, array(HD_FLOAT64, false), 0);
    *test = test2(HD_OP_greater, *x, *x);
    *v = local(*x);
}

TEST(flow, verify)
{
    int x, test, v;
    begin_small(&x, &test, &v), leave_when(test), refused("leaves no loop");
    begin_small(&x, &test, &v), when(test), refused("has no end");
    begin_small(&x, &test, &v), when(test), end_loop(), refused("closes no region");
    begin_small(&x, &test, &v), end_when(), refused("closes no region");
    begin_small(&x, &test, &v), when(x), refused("wants a bool");
    begin_small(&x, &test, &v), when(test), otherwise(), otherwise(), refused("second ELSE");
    begin_small(&x, &test, &v), set(v, test), refused("another type");
    begin_small(&x, &test, &v), set(x, x), refused("is of no variable");
    begin_small(&x, &test, &v), when(test), ref_store(&r, x, 0, 0), end_when(), refused("no stores");
    begin_small(&x, &test, &v), when(test);
    const int inside = op2(HD_OP_add, x, x);
    otherwise();
    set(v, inside);
    end_when();
    refused("a region that is over");
    begin_small(&x, &test, &v), op2(HD_OP_add, v, v), refused("no value");
}
