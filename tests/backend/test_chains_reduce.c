/* SPDX-License-Identifier: BSD-3-Clause */
/* test_chains_reduce.c - chains that end in reductions against the interpreter's loops: every row of
 * red.def that the code generator has a word for, in every dtype and instruction set, bit for bit. */
#include "code_generator.h"
#include "loops_data.h"

#include "backend/cpu/cpu_builder.h"
#include "codegen/cg_compile.h"

enum { ROWS = 3, MOST = 600, PAD = 5, SPACE = ROWS * (MOST + PAD) * ITEM, GUARD = 32 };
static const int64_t lengths[] = {1, 2, 3, 7, 16, 17, 31, 32, 33, 63, 64, 65, 100, 129, 224, 255, 256, 257, 300, 511, 512, 513, 600};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

static const char *const red_names[HDI_RED_COUNT] = {
#define RED(name, ...) [HD_OP_##name - HD_OP_sum] = #name,
#include "ops/reduce/red.def"
};

typedef struct data {
    _Alignas(64) uint8_t x[SPACE], y[SPACE], value[SPACE], out[SPACE + GUARD], want[SPACE], got[SPACE + GUARD], neutral[16];
} data;
static data d;

/* How the reduction gets what it reduces. */
typedef enum source { INPUTS, SUM, SUM_AND_OUTPUT, SUM_WITH_ROW_VALUE, SOURCES } source;

static hd_dtype sum_dtype(int op, hd_dtype dt)
{
    return op == HD_OP_any || op == HD_OP_all ? HD_BOOL : dt;
}

/* Reduction op of x (and y), or of x + y (and y). */
static hdi_chain chain_of(int isa, int op, hd_dtype dt, source from, hdi_chain_mode mode)
{
    hdi_chain c = {.isa = (uint8_t)isa, .mode = (uint8_t)mode, .nin = 2, .nred = 1};
    const uint16_t x = from == INPUTS ? 0 : 2;
    c.in_dt[0] = c.in_dt[1] = (uint8_t)dt;
    c.nops = from != INPUTS;
    c.op[0] = (hdi_chain_op){HD_OP_add, (uint8_t)dt, (uint8_t)dt, {0, 1}, 2};
    c.nout = from >= SUM_AND_OUTPUT;
    c.in_row[1] = from == SUM_WITH_ROW_VALUE;
    c.out[0] = c.nout > 0 ? 2 : 0;
    c.red[0] = (hdi_chain_red){(uint16_t)op, (uint8_t)sum_dtype(op, dt), (uint8_t)dt, {x, op == HD_OP_sumproduct ? 1 : x}};
    return c;
}

static void put_all(const hdi_loops *l, hd_dtype dt, source from)
{
    const int size = dtypes[dt].size;
    for (int i = 0; i < ROWS * (MOST + PAD); i++) {
        put_element(dt, d.x + i * size, HD_OP_add);
        put_element(dt, d.y + i * size, HD_OP_add);
    }
    memcpy(d.value, d.x, sizeof d.value);
    if (from != INPUTS)
        l->ew[HD_OP_add][dt][HDI_VV](d.value, (const void *[]){d.x, d.y}, ROWS * (MOST + PAD));
}

static int64_t rows_by_loop(const hdi_loops *l, int op, hd_dtype dt, int64_t n, int64_t pitch)
{
    const int size = dtypes[dt].size, sum_size = dtypes[sum_dtype(op, dt)].size;
    int64_t entries = 0;
    for (int64_t r = 0; r < ROWS; r++)
        for (int64_t i = 0; i < n; i += HDI_RED_CHUNK)
            l->red_chunk[op - HD_OP_sum][dt](d.want + entries++ * sum_size, d.value + (r * pitch + i) * size,
                                             d.y + (r * pitch + i) * size, n - i < HDI_RED_CHUNK ? n - i : HDI_RED_CHUNK);
    return entries;
}

static int64_t columns_by_loop(const hdi_loops *l, int op, hd_dtype dt, int64_t n, int64_t pitch)
{
    const int size = dtypes[dt].size;
    for (int64_t r = 0; r < ROWS; r++)
        (r == 0 ? l->red_start : l->red_step)[op - HD_OP_sum][dt][HDI_VV](d.want, d.value + r * pitch * size, d.y + r * pitch * size, n);
    return n;
}

static int outputs_are_right(hd_dtype dt, int64_t n, int64_t pitch)
{
    const int size = dtypes[dt].size;
    for (int64_t i = 0; i < ROWS * pitch; i++) {
        const uint8_t *got = d.out + i * size;
        if (i % pitch < n ? !same_element(dt, got, d.value + i * size) : *got != 0x5a)
            return 0;
    }
    return 1;
}

/* x + y where y has one element for each row, or for each column. */
static void add_row_values(const hdi_loops *l, const hdi_chain *c, int64_t n, int64_t pitch)
{
    const int cdt = c->red[0].cdt, size = dtypes[cdt].size;
    for (int64_t r = 0; r < ROWS; r++)
        for (int64_t i = 0; i < n; i++) {
            const void *in[2] = {d.x + (r * pitch + i) * size, d.y + (c->mode == HDI_CHAIN_ROWS ? r : i) * size};
            l->ew[HD_OP_add][cdt][HDI_VV](d.value + (r * pitch + i) * size, in, 1);
        }
}

static void check_length(const hdi_loops *l, const hdi_chain *c, hdi_chain_reduce code, int64_t n)
{
    const int op = c->red[0].op, cdt = c->red[0].cdt, sum = c->red[0].dt, size = dtypes[sum].size;
    const int64_t pitch = n + (n % 3 == 0 ? PAD : 0);
    void *operands[5] = {d.x, d.y, d.out, NULL, NULL};
    operands[2 + c->nout] = d.got;
    operands[3 + c->nout] = d.neutral;
    memset(d.got, 0x5a, sizeof d.got);
    memset(d.out, 0x5a, sizeof d.out);
    if (c->in_row[1])
        add_row_values(l, c, n, pitch);
    hdi_cpu_neutral(l, (hd_op)op, (hd_dtype)cdt, d.neutral);
    if (c->mode == HDI_CHAIN_COLUMNS)
        for (int64_t i = 0; i < n; i++)
            memcpy(d.got + i * size, d.neutral, (size_t)size);
    const int64_t entries = (c->mode == HDI_CHAIN_ROWS ? rows_by_loop : columns_by_loop)(l, op, (hd_dtype)cdt, n, pitch);
    code(operands, n, ROWS, pitch);
    int right = c->nout == 0 || outputs_are_right((hd_dtype)cdt, n, pitch);
    for (int64_t i = 0; i < entries && right; i++)
        right = same_element((hd_dtype)sum, d.want + i * size, d.got + i * size);
    for (int64_t i = entries * size; i < entries * size + GUARD && right; i++)
        right = d.got[i] == 0x5a;   /* nothing behind the end */
    if (!CHECK(right))
        printf("    %s of %s, mode %d, isa %d, %d outputs, n %lld\n", red_names[op - HD_OP_sum], dtypes[cdt].name, c->mode, c->isa, c->nout,
               (long long)n);
}

/* l NULL: only that it compiles. */
static void check_chain(const hdi_loops *l, int isa, int op, hd_dtype dt, source from, hdi_chain_mode mode)
{
    hdi_chain c = chain_of(isa, op, dt, from, mode);
    hdi_chain_reduce code = (hdi_chain_reduce)(void (*)(void))hdi_cg_chain_code(&c, hdi_cpu_resolve, &c.isa);
    if (!CHECK(code != NULL)) {
        printf("    %s of %s: %s\n", red_names[op - HD_OP_sum], dtypes[dt].name, hd_error_peek()->message);
        hd_error_take(NULL);
        return;
    }
    if (l == NULL)
        return;
    put_all(l, dt, from);
    for (int k = 0; k < LENGTHS; k++)
        check_length(l, &c, code, lengths[k]);
}

/* Every way to what is reduced on the best instruction set, half of them on the others. */
static void check_all(const hdi_loops *l, int isa)
{
    const int step = isa == hdi_cpu_isa() ? 1 : 2;
    for (int op = HD_OP_sum; op < HD_OP_matmul; op++)
        for (hd_dtype dt = HD_BOOL; dt < HD_DTYPE_COUNT; dt++)
            for (int from = step - 1; from < SOURCES && hdi_chain_can_reduce((hd_op)op, dt, (hdi_chain_isa)isa); from += step) {
                if (from == SUM_WITH_ROW_VALUE && op == HD_OP_sumproduct)
                    continue;   /* whose second factor is y */
                check_chain(l, isa, op, dt, (source)from, HDI_CHAIN_ROWS);
                check_chain(l, isa, op, dt, (source)from, HDI_CHAIN_COLUMNS);
            }
}

TEST(chains_reduce, reductions_give_the_bits_of_tier_0)
{
    const hdi_loops *table[MAX_TABLES];
    int n = loop_tables(table);
    data_seed = 77;
    if (!code_generator())
        return;
    for (int t = 0; t < n; t++)
        check_all(table[t], table[t]->isa[1] - '2');
}

/* What this machine cannot run it can still compile. */
TEST(chains_reduce, reductions_compile_for_every_instruction_set)
{
    const hdi_loops *table[MAX_TABLES];
    int n = loop_tables(table);
    if (!code_generator())
        return;
    for (int isa = n; isa <= HDI_CHAIN_V4; isa++)
        check_all(NULL, isa);
}

TEST(chains_reduce, some_reductions_have_no_word)
{
    CHECK(!hdi_chain_can_reduce(HD_OP_argmax, HD_FLOAT64, HDI_CHAIN_V4));
    CHECK(!hdi_chain_can_reduce(HD_OP_prod, HD_COMPLEX64, HDI_CHAIN_V4));
    CHECK(!hdi_chain_can_reduce(HD_OP_sumproduct, HD_FLOAT64, HDI_CHAIN_V2));
    CHECK(hdi_chain_can_reduce(HD_OP_sumproduct, HD_FLOAT64, HDI_CHAIN_V3));
    CHECK(hdi_chain_can_reduce(HD_OP_sumproduct, HD_INT16, HDI_CHAIN_V2));
    CHECK(hdi_chain_can_reduce(HD_OP_sum, HD_COMPLEX128, HDI_CHAIN_V2));
}
