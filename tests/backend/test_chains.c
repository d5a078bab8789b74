/* SPDX-License-Identifier: BSD-3-Clause */
/* test_chains.c - generated code against the interpreter's loops: every row of ew.def and every cast
 * that the code generator has words for, in every dtype and instruction set, bit for bit. */
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

static int code_generator(void)
{
    hdi_chain c = {.isa = HDI_CHAIN_V2, .nin = 1, .nops = 1, .nout = 1};
    c.in_dt[0] = HD_FLOAT64;
    c.op[0] = (hdi_chain_op){HD_OP_negative, HD_FLOAT64, HD_FLOAT64, {0}, 1};
    c.out[0] = 1;
    if (hdi_cg_chain_code(&c, hdi_cpu_resolve, &c.isa) != NULL)
        return 1;
    hd_error_take(NULL);
    harness_skip("no code generator in this build");
    return 0;
}

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

static void check_row(const hdi_loops *l, int op, hd_dtype dt, unsigned singles)
{
    hd_dtype in[3];
    int isa = l->isa[1] - '2';
    hdi_chain_op o = {(uint16_t)op, (uint8_t)out_dtype(op, dt), (uint8_t)dt, {0},
                      (uint16_t)ew_rows[op].nin};
    for (int k = 0; k < o.narg; k++)
        in[k] = in_dtype(op, k, dt);
    hdi_chain c = one_op(isa, &o, in, singles);
    if (!hdi_chain_can((hd_op)op, dt, hdi_cpu_has_vector))
        return;
    hdi_chain_code code = hdi_cg_chain_code(&c, hdi_cpu_resolve, &c.isa);
    if (!CHECK(code != NULL)) {
        printf("    %s of %s: %s\n", ew_rows[op].name, dtypes[dt].name, hd_error_peek()->message);
        hd_error_take(NULL);
        return;
    }
    for (int k = 0; k < LENGTHS; k++) {
        for (int a = 0; a < o.narg; a++)
            for (int64_t i = 0; i < lengths[k]; i++)
                put_element(in[a], d.in[a] + i * dtypes[in[a]].size, op);
        row_by_loop(l, op, dt, singles, lengths[k]);
        compare(&c, code, ew_rows[op].name, out_dtype(op, dt), lengths[k]);
    }
}

static void check_rows(bool all)
{
    const hdi_loops *table[MAX_TABLES];
    int n = loop_tables(table);
    for (int t = 0; t < n; t++)
        for (int op = 0; op < HDI_EW_COUNT; op++)
            for (int dt = 0; dt < HD_DTYPE_COUNT; dt++)
                if (row_has(op, dt) && table[t]->ew[op][dt][HDI_VV] != NULL &&
                    (all || hdi_chain_own((hd_op)op, (hd_dtype)dt, NULL)))
                    check_row(table[t], op, (hd_dtype)dt, ew_rows[op].nin > 1 ? next_word() % 4 : 0);
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
        for (hd_dtype from = 0; from < HD_DTYPE_COUNT; from++)
            for (hd_dtype to = 0; to < HD_DTYPE_COUNT; to++) {
                if (from == to || !hdi_chain_can_cast(from, to))
                    continue;
                hdi_chain_op o = {HDI_CHAIN_CAST, (uint8_t)to, (uint8_t)from, {0}, 1};
                hdi_chain c = one_op(table[t]->isa[1] - '2', &o, &from, 0);
                hdi_chain_code code = hdi_cg_chain_code(&c, hdi_cpu_resolve, &c.isa);
                REQUIRE(code != NULL);
                for (int k = 0; k < LENGTHS; k++) {
                    for (int64_t i = 0; i < lengths[k]; i++)
                        put_element(from, d.in[0] + i * dtypes[from].size, HD_OP_add);
                    table[t]->cast[from][to](d.want, d.in[0], lengths[k]);
                    compare(&c, code, dtypes[to].name, to, lengths[k]);
                }
            }
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
