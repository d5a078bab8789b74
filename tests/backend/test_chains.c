/* SPDX-License-Identifier: BSD-3-Clause */
/* test_chains.c - generated code against the interpreter's loops: every row of ew.def and every cast
 * that the code generator has words for, in every dtype and instruction set, bit for bit. */
#include "code_generator.h"
#include "loops_data.h"

#include "backend/cpu/cpu_builder.h"
#include "backend/cpu/cpu_vecmath.h"
#include "codegen/cg_compile.h"

enum { LENGTHS = 9, GUARD = 32 };
static const int64_t lengths[LENGTHS] = {1, 2, 7, 8, 9, 31, 64, 65, 300};

typedef struct data {
    _Alignas(64) uint8_t in[3][MAX_N * ITEM], want[MAX_N * ITEM], got[MAX_N * ITEM + GUARD];
} data;
static data d;

static hdi_chain one_op(int isa, const hdi_chain_op *o, const hd_dtype *in, unsigned singles)
{
    hdi_chain c = {.isa = (uint8_t)isa, .nin = o->narg, .nops = 1, .nout = 1};
    for (int k = 0; k < o->narg; k++) {
        c.in_dt[k] = (uint8_t)in[k];
        c.in_single[k] = singles >> k & 1;
    }
    c.op[0] = *o;
    for (int k = 0; k < o->narg; k++)
        c.op[0].arg[k] = (uint16_t)k;
    c.out[0] = o->narg;
    hdi_chain_choose(&c, hdi_cpu_has_vector);
    return c;
}

static void compare(const hdi_chain *c, hdi_chain_code code, const char *what, hd_dtype dt,
                    int64_t n)
{
    void *operands[4] = {d.in[0], d.in[1], d.in[2], NULL};
    int size = dtypes[dt].size, right = 1;
    operands[c->nin] = d.got;
    memset(d.got, 0x5a, sizeof d.got);
    code(operands, n);
    for (int64_t i = 0; i < n && right; i++)
        right = same_element(dt, d.want + i * size, d.got + i * size);
    for (int64_t i = n * size; i < n * size + GUARD && right; i++)
        right = d.got[i] == 0x5a;   /* nothing behind the end */
    if (!CHECK(right))
        printf("    %s, isa %d, n %lld\n", what, c->isa, (long long)n);
}

/* What the interpreter's loop gives, with every input a block. */
static void row_by_loop(const hdi_loops *l, int op, hd_dtype dt, unsigned singles, int64_t n)
{
    static uint8_t filled[3][MAX_N * ITEM];
    const void *in[3];
    for (int k = 0; k < ew_rows[op].nin; k++) {
        size_t size = (size_t)dtypes[in_dtype(op, k, dt)].size;
        for (int64_t i = 0; i < n; i++)
            memcpy(filled[k] + (size_t)i * size,
                   d.in[k] + (singles >> k & 1 ? 0 : (size_t)i * size), size);
        in[k] = filled[k];
    }
    l->ew[op][dt][HDI_VV](d.want, in, n);
}

/* Positions: from the first of a block on, from within one, or here and there. */
static void put_positions(int64_t n, int how)
{
    const int64_t start = (int64_t)(next_word() >> 4) / 4 * 4 + (how == 1 ? 1 + (int64_t)(next_word() % 3) : 0);
    for (int64_t i = 0; i < n; i++) {
        const int64_t at = how == 2 && next_word() % 4 == 0 ? (int64_t)(next_word() >> 2) : start + i;
        memcpy(d.in[0] + i * 8, &at, 8);
    }
}

static void put_inputs(int op, const hd_dtype *in, int64_t n)
{
    for (int a = 0; a < ew_rows[op].nin; a++)
        for (int64_t i = 0; i < n; i++) {
            const uint64_t words[2] = {next_word(), next_word()};
            uint8_t *at = d.in[a] + i * dtypes[in[a]].size;
            if (is_random(op) && (a == 0 || in[a] == HD_COMPLEX128))
                memcpy(at, words, (size_t)dtypes[in[a]].size);
            else
                put_element(in[a], at, op);
        }
    if (has_rule(op, "BITS"))
        put_positions(n, (int)(next_word() % 3));
}

/* What stands at a limit of its type. */
static int put_special(hd_dtype dt, void *at, int k)
{
    static const double reals[] = {0.0, -0.0, 1.0, -1.0, 0.5, -3.0, 7.0, INFINITY, -INFINITY, NAN, 5e-324, -1e-310, 1e-38, -1e-45,
                                   3.4e38, 1.7976931348623157e308, 2147483648.0, -2147483649.0, 0x1p63, -0x1p63, 0x1p64, 4503599627370497.5};
    enum { NREALS = sizeof reals / sizeof *reals };
    const int bits = dtypes[dt].size * 8;
    const uint64_t low = (uint64_t)1 << (bits - 1) % 64;
    const uint64_t wholes[] = {0, 1, -(uint64_t)1, 2, 3, -(uint64_t)3, low, low - 1, low + 1, 7, 10, 100, -(uint64_t)100,
                               (uint64_t)bits, (uint64_t)bits - 1, (uint64_t)bits + 1, low / 2, -(uint64_t)2, low / 3, 64, 255, 12};
    _Static_assert(sizeof wholes / sizeof *wholes == NREALS, "as many of each");
    const double x = reals[k], y = reals[k * 5 % NREALS];
    switch (dt) {
    case HD_FLOAT32: memcpy(at, &(float){(float)x}, 4); break;
    case HD_FLOAT64: memcpy(at, &x, 8); break;
    case HD_COMPLEX64: memcpy(at, (float[]){(float)x, (float)y}, 8); break;
    case HD_COMPLEX128: memcpy(at, (double[]){x, y}, 16); break;
    case HD_BOOL: memcpy(at, &(uint8_t){(uint8_t)(k % 2)}, 1); break;
    default: memcpy(at, &wholes[k], (size_t)dtypes[dt].size);
    }
    return NREALS;
}

/* Each with each; of three inputs the third changes with both. */
static int64_t put_specials(int op, const hd_dtype *in)
{
    const int n = put_special(in[0], d.in[0], 0);
    for (int i = 0; i < n * n; i++)
        for (int a = 0; a < ew_rows[op].nin; a++)
            put_special(in[a], d.in[a] + i * dtypes[in[a]].size, a == 0 ? i / n : a == 1 ? i % n : (i / n + 3 * i) % n);
    return n * n;
}

static hdi_chain_code code_of(const hdi_chain *c, const char *what, hd_dtype dt)
{
    hdi_chain_code code = hdi_cg_chain_code(c, hdi_cpu_resolve, (void *)(uintptr_t)&c->isa);
    if (!CHECK(code != NULL)) {
        printf("    %s of %s: %s\n", what, dtypes[dt].name, hd_error_peek()->message);
        hd_error_take(NULL);
    }
    return code;
}

/* Rows that tier 0 does as fast are compiled here too: other targets have no other way. */
static int has_word(int op, hd_dtype dt)
{
    return hdi_chain_can((hd_op)op, dt, hdi_cpu_has_vector) || hdi_words_can((hd_op)op, dt);
}

/* l NULL: only that it compiles. */
static void check_row(const hdi_loops *l, int isa, int op, hd_dtype dt, unsigned singles)
{
    hd_dtype in[3];
    hdi_chain_op o = {(uint16_t)op, (uint8_t)out_dtype(op, dt), (uint8_t)dt, {0},
                      (uint16_t)ew_rows[op].nin};
    for (int k = 0; k < o.narg; k++)
        in[k] = in_dtype(op, k, dt);
    if (has_rule(op, "BITS"))
        singles = 2;   /* one state */
    hdi_chain c = one_op(isa, &o, in, singles);
    if (!has_word(op, dt))
        return;
    hdi_chain_code code = code_of(&c, ew_rows[op].name, dt);
    if (code == NULL || l == NULL)
        return;
    for (int k = 0; k < LENGTHS; k++) {
        put_inputs(op, in, lengths[k]);
        row_by_loop(l, op, dt, singles, lengths[k]);
        compare(&c, code, ew_rows[op].name, out_dtype(op, dt), lengths[k]);
    }
    if (singles != 0 || has_rule(op, "BITS"))
        return;
    const int64_t n = put_specials(op, in);
    row_by_loop(l, op, dt, 0, n);
    compare(&c, code, ew_rows[op].name, out_dtype(op, dt), n);
}

/* all: or only rows whose function may be our own text. */
static void check_rows(bool all)
{
    const hdi_loops *table[MAX_TABLES];
    int n = loop_tables(table);
    for (int t = 0; t < n; t++)
        for (int op = 0; op < HDI_EW_COUNT; op++)
            for (int dt = HD_BOOL; dt < HD_DTYPE_COUNT; dt++) {
                if (!row_has(op, dt) || table[t]->ew[op][dt][HDI_VV] == NULL ||
                    !(all || hdi_chain_own((hd_op)op, (hd_dtype)dt, NULL)))
                    continue;
                check_row(table[t], t, op, (hd_dtype)dt, 0);
                if (ew_rows[op].nin > 1 && t == n - 1)
                    check_row(table[t], t, op, (hd_dtype)dt, 1 + (unsigned)(next_word() % 3));
            }
}

/* What this machine cannot run it can still compile. */
TEST(chains, rows_compile_for_every_instruction_set)
{
    const hdi_loops *table[MAX_TABLES];
    int n = loop_tables(table);
    if (!code_generator())
        return;
    for (int isa = n; isa <= HDI_CHAIN_V4; isa++)
        for (int op = 0; op < HDI_EW_COUNT; op++)
            for (int dt = HD_BOOL; dt < HD_DTYPE_COUNT; dt++)
                if (row_has(op, dt))
                    check_row(NULL, isa, op, (hd_dtype)dt, 0);
}

TEST(chains, some_rows_have_words_for_other_targets_only)
{
    CHECK(!hdi_chain_can(HD_OP_gcd, HD_INT64, NULL));   /* no faster */
    CHECK(hdi_words_can(HD_OP_gcd, HD_INT64));
    CHECK(hdi_words_can(HD_OP_random_normal, HD_FLOAT32));
    CHECK(hdi_chain_can(HD_OP_gcd, HD_INT8, NULL));
    CHECK(hdi_words_can(HD_OP_exp, HD_COMPLEX64));
    CHECK(hdi_words_can(HD_OP_logaddexp, HD_FLOAT32));
    CHECK(!hdi_words_can(HD_OP_copy, HD_FLOAT32));      /* a cast */
    CHECK(hdi_chain_plain(HD_OP_add, HD_FLOAT32));
    CHECK(hdi_chain_plain(HD_OP_floor, HD_FLOAT32));
    CHECK(!hdi_chain_plain(HD_OP_exp, HD_FLOAT64));
    CHECK(!hdi_chain_plain(HD_OP_random_gamma, HD_FLOAT64));
}

TEST(chains, rows_give_the_bits_of_tier_0)
{
    if (code_generator())
        check_rows(true);
}

/* The functions that the C library has, too. */
TEST(chains, own_functions_give_the_bits_of_tier_0)
{
    if (!code_generator())
        return;
    hdi_vecmath_off(true);
    for (int repeat = 0; repeat < 8; repeat++)
        check_rows(false);
    hdi_vecmath_off(false);
}

TEST(chains, casts_give_the_bits_of_tier_0)
{
    const hdi_loops *table[MAX_TABLES];
    int n = loop_tables(table);
    if (!code_generator())
        return;
    for (int t = 0; t < n; t++)
        for (hd_dtype from = HD_BOOL; from < HD_DTYPE_COUNT; from++)
            for (hd_dtype to = HD_BOOL; to < HD_DTYPE_COUNT; to++) {
                if (from == to || !hdi_chain_can_cast(from, to))
                    continue;
                hdi_chain_op o = {HDI_CHAIN_CAST, (uint8_t)to, (uint8_t)from, {0}, 1};
                hdi_chain c = one_op(table[t]->isa[1] - '2', &o, &from, 0);
                hdi_chain_code code = code_of(&c, dtypes[to].name, from);
                REQUIRE(code != NULL);
                for (int k = 0; k <= LENGTHS; k++) {
                    const int64_t len = k < LENGTHS ? lengths[k] : put_specials(HD_OP_negative, &from);
                    for (int64_t i = 0; i < len && k < LENGTHS; i++)
                        put_element(from, d.in[0] + i * dtypes[from].size, HD_OP_add);
                    table[t]->cast[from][to](d.want, d.in[0], len);
                    compare(&c, code, dtypes[to].name, to, len);
                }
            }
}

/* x + x (of halves: x), read by strides of any kind and sign. */
static void check_strides(const hdi_loops *l, int isa, hd_dtype dt)
{
    static const int64_t steps[] = {1, -1, 2, 3, -5, 0};   /* in elements */
    hd_dtype in[2] = {dt, dt}, to = hdi_chain_half(dt) ? HD_FLOAT32 : dt;
    hdi_chain_op add = {HD_OP_add, (uint8_t)dt, (uint8_t)dt, {0}, 2},
                 cast = {HDI_CHAIN_CAST, (uint8_t)to, (uint8_t)dt, {0}, 1};
    hdi_chain c = one_op(isa, to == dt ? &add : &cast, in, 0);
    c.in_strided[c.nin - 1] = true;
    hdi_chain_code code = code_of(&c, "strided", dt);
    int size = dtypes[dt].size;
    for (size_t s = 0; code != NULL && s < sizeof steps / sizeof *steps; s++)
        for (int k = 0; k < LENGTHS; k++) {
            int64_t n = hdi_min64(lengths[k], (MAX_N - 1) / 5), step = steps[s];
            uint8_t *first = d.in[2] + (step < 0 ? -step * (n - 1) * size : 0);
            for (int64_t i = 0; i < MAX_N; i++)
                put_element(dt, d.in[2] + i * size, HD_OP_add);
            for (int64_t i = 0; i < n; i++) {
                memcpy(d.in[0] + i * size, first + i * step * size, (size_t)size);
                memcpy(d.in[1] + i * size, first + i * step * size, (size_t)size);
            }
            if (to == dt)
                l->ew[HD_OP_add][dt][HDI_VV](d.want, (const void *[]){d.in[0], d.in[1]}, n);
            else
                l->cast[dt][to](d.want, d.in[0], n);
            memset(d.got, 0x5a, sizeof d.got);
            void *stride = (void *)(intptr_t)(step * size);
            if (to == dt)
                code((void *[]){d.in[0], first, d.got, stride}, n);
            else
                code((void *[]){first, d.got, stride}, n);
            int right = 1, out = dtypes[to].size;
            for (int64_t i = 0; i < n && right; i++)
                right = same_element(to, d.want + i * out, d.got + i * out);
            for (int64_t i = n * out; i < n * out + GUARD && right; i++)
                right = d.got[i] == 0x5a;
            if (!CHECK(right))
                printf("    strides of %lld in %s, isa %d, n %lld\n", (long long)step,
                       dtypes[dt].name, isa, (long long)n);
        }
}

TEST(chains, inputs_are_read_by_strides)
{
    const hdi_loops *table[MAX_TABLES];
    int n = loop_tables(table);
    if (!code_generator())
        return;
    for (int t = 0; t < n; t++)
        for (hd_dtype dt = HD_BOOL; dt < HD_DTYPE_COUNT; dt++)
            check_strides(table[t], table[t]->isa[1] - '2', dt);
}

/* x * x + y, over x itself: outputs may lie on inputs. */
TEST(chains, results_may_take_the_place_of_inputs)
{
    double x[100], y[100], want[100];
    hdi_chain c = {.isa = (uint8_t)hdi_cpu_isa(), .nin = 2, .nops = 2, .nout = 2};
    if (!code_generator())
        return;
    c.in_dt[0] = c.in_dt[1] = HD_FLOAT64;
    c.op[0] = (hdi_chain_op){HD_OP_square, HD_FLOAT64, HD_FLOAT64, {0}, 1};
    c.op[1] = (hdi_chain_op){HD_OP_add, HD_FLOAT64, HD_FLOAT64, {2, 1}, 2};
    c.out[0] = 3;
    c.out[1] = 2;
    for (int i = 0; i < 100; i++) {
        x[i] = i * 0.37;
        y[i] = 5.0 - i;
        want[i] = x[i] * x[i] + y[i];
    }
    hdi_chain_code code = hdi_cg_chain_code(&c, hdi_cpu_resolve, &c.isa);
    REQUIRE(code != NULL);
    code((void *[]){x, y, x, y}, 100);
    for (int i = 0; i < 100; i++) {
        CHECK_NEAR(x[i], want[i], 0);
        CHECK_NEAR(y[i], (i * 0.37) * (i * 0.37), 0);
    }
    CHECK(hdi_cg_chain_code(&c, hdi_cpu_resolve, &c.isa) == code);   /* made once */
}

/* Every element of a half type; every float between two neighbours of one, and what lies beside
 * it; any bits. */
static void put_half_inputs(hd_dtype from, hd_dtype half, int64_t first)
{
    for (int64_t i = 0; i < MAX_N; i++) {
        const uint16_t h = (uint16_t)((first + i) / (from == half ? 1 : 4));
        const double x = half_value(half, h), next = half_value(half, (uint16_t)(h + 1));
        const double middle = (x + next) / 2, beside = i % 2 ? HUGE_VAL : -HUGE_VAL;
        const uint32_t bits = (uint32_t)next_word();
        const float f = i % 4 == 3 ? 0 : (float)(i % 4 == 0 ? middle : nextafterf((float)middle, (float)beside));
        if (from == half)
            memcpy(d.in[0] + i * 2, &h, 2);
        else if (from == HD_FLOAT64)
            memcpy(d.in[0] + i * 8, &(double){i % 4 == 0 ? middle : nextafter(middle, beside)}, 8);
        else
            memcpy(d.in[0] + i * 4, i % 4 == 3 ? (const void *)&bits : &f, 4);
    }
}

static void check_half_cast(const hdi_loops *l, hd_dtype from, hd_dtype to, hd_dtype half)
{
    hdi_chain_op o = {HDI_CHAIN_CAST, (uint8_t)to, (uint8_t)from, {0}, 1};
    hdi_chain c = one_op(l->isa[1] - '2', &o, &from, 0);
    hdi_chain_code code = hdi_cg_chain_code(&c, hdi_cpu_resolve, &c.isa);
    REQUIRE(code != NULL);
    for (int64_t first = 0; first < (from == half ? 0x10000 : 0x40000); first += MAX_N) {
        const int64_t n = first % 3 ? MAX_N : MAX_N - 5;
        put_half_inputs(from, half, first);
        l->cast[from][to](d.want, d.in[0], n);
        compare(&c, code, dtypes[to].name, to, n);
        if (!CHECK(memcmp(d.want, d.got, (size_t)(n * dtypes[to].size)) == 0))   /* nan too */
            return;
    }
}

TEST(chains, casts_of_halves_have_every_bit)
{
    const hdi_loops *table[MAX_TABLES];
    int n = loop_tables(table);
    if (!code_generator())
        return;
    for (int t = 0; t < n; t++)
        for (hd_dtype half = HD_FLOAT16; half <= HD_BFLOAT16; half++) {
            check_half_cast(table[t], half, HD_FLOAT32, half);
            check_half_cast(table[t], HD_FLOAT32, half, half);
            if (half == HD_FLOAT16)
                check_half_cast(table[t], HD_FLOAT64, half, half);
        }
}

/* For each instruction set, also those that this machine cannot run: nothing in the code calls a
 * function that we do not have. Beside float64 a vector has few lanes. */
TEST(chains, casts_of_halves_compile_for_every_instruction_set)
{
    if (!code_generator())
        return;
    for (int isa = HDI_CHAIN_V2; isa <= HDI_CHAIN_V4; isa++)
        for (hd_dtype half = HD_FLOAT16; half <= HD_BFLOAT16; half++) {
            const hd_dtype last = half == HD_FLOAT16 ? HD_FLOAT64 : HD_FLOAT32;
            hdi_chain c = {.isa = (uint8_t)isa, .nin = 1, .nops = 4, .nout = 2, .out = {2, 4}};
            c.in_dt[0] = (uint8_t)half;
            c.op[0] = (hdi_chain_op){HDI_CHAIN_CAST, HD_FLOAT32, (uint8_t)half, {0}, 1};
            c.op[1] = (hdi_chain_op){HDI_CHAIN_CAST, (uint8_t)half, HD_FLOAT32, {1}, 1};
            c.op[2] = (hdi_chain_op){HDI_CHAIN_CAST, HD_FLOAT64, HD_FLOAT32, {1}, 1};
            c.op[3] = (hdi_chain_op){HDI_CHAIN_CAST, (uint8_t)half, (uint8_t)last, {last == HD_FLOAT64 ? 3 : 1}, 1};
            if (!CHECK(hdi_cg_chain_code(&c, hdi_cpu_resolve, &c.isa) != NULL)) {
                printf("    isa %d: %s\n", isa, hd_error_peek()->message);
                hd_error_take(NULL);
            }
        }
}
