/* SPDX-License-Identifier: BSD-3-Clause */
/* The elementwise loops: every row, element type and instruction set against each other and
 * against plain formulas. */
#include "loops_data.h"

#include "backend/cpu/cpu_vecmath.h"
#include "ops/accuracy.h"

static const hdi_loops *tables[MAX_TABLES];
static int ntables;

typedef struct block { _Alignas(64) char at[MAX_N * ITEM + 64]; } block;
static block inputs[3], expected, result, shifted[3];

static void open_tables(void)
{
    ntables = loop_tables(tables);
    data_seed = 12345;
}

/* Positions in ascending runs, as loops see them, and then others. */
static void put_positions(int64_t *x, int n)
{
    const int64_t start = (int64_t)(next_word() % 1000000);
    for (int i = 0; i < n; i++)
        x[i] = next_word() % 97 == 0 ? (int64_t)(next_word() % 5000000000) : start + i;
}

static void put_inputs(int op, hd_dtype dt, int n)
{
    for (int k = 0; k < ew_rows[op].nin; k++) {
        const hd_dtype in = in_dtype(op, k, dt);
        if (k == 0 && has_rule(op, "BITS"))
            put_positions((int64_t *)inputs[0].at, n);
        else
            put_block(in, inputs[k].at, n, op);
    }
}

/* From element `first` on, the inputs copied to an odd address; a single one where the variant
 * says so. */
static void run_part(const hdi_loops *t, int op, hd_dtype dt, int variant, int first, int n,
                     void *out)
{
    const void *in[3] = {NULL, NULL, NULL};
    for (int k = 0; k < ew_rows[op].nin; k++) {
        const int size = dtypes[in_dtype(op, k, dt)].size;
        const int state = k == 1 && has_rule(op, "BITS");
        const int single = state || (variant == HDI_VS && k == 1) || (variant == HDI_SV && k == 0);
        memcpy(shifted[k].at + 1, inputs[k].at + (single ? 0 : first * size),
               (size_t)(state    ? 16
                        : single ? size
                                 : n * size));
        in[k] = shifted[k].at + 1;
    }
    t->ew[op][dt][variant](out, in, n);
}

static void run_whole(const hdi_loops *t, int op, hd_dtype dt, int n, void *out)
{
    const void *const in[3] = {inputs[0].at, inputs[1].at, inputs[2].at};
    t->ew[op][dt][HDI_VV](out, in, n);
}

static int agrees(hd_dtype dt, const void *got, const void *want, int n, const char *what, int op,
                  hd_dtype loop, const char *isa)
{
    const int at = first_difference(dt, got, want, n);
    if (!CHECK(at < 0))
        fprintf(stderr, "%s: %s of %s, %s, element %d of %d\n", what, ew_rows[op].name,
                dtypes[loop].name, isa, at, n);
    return at < 0;
}

#define EACH_LOOP(op, dt)                                                                          \
    for (int op = 0; op < HDI_EW_COUNT; op++)                                                      \
        for (hd_dtype dt = HD_BOOL; dt < HD_DTYPE_COUNT; dt++)                                     \
            if (row_has(op, (int)dt))

TEST(loops, exist_for_the_types_of_their_rows)
{
    open_tables();
    REQUIRE(ntables >= 1);
    for (int t = 0; t < ntables; t++)
        for (int op = 0; op < HDI_EW_COUNT; op++)
            for (int dt = HD_BOOL; dt < HD_DTYPE_COUNT; dt++) {
                const hdi_ew_loop *variants = tables[t]->ew[op][dt];
                CHECK((variants[HDI_VV] != NULL) == row_has(op, dt));
                CHECK((variants[HDI_VS] != NULL) == (row_has(op, dt) && ew_rows[op].nin == 2));
                CHECK((variants[HDI_SV] != NULL) == (row_has(op, dt) && ew_rows[op].nin == 2));
            }
}

/* One element's bits depend on nothing but itself: not on its place, its neighbours, or the
 * address. */
TEST(loops, give_an_element_the_same_bits_at_any_place)
{
    static const int lengths[] = {1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 100};
    open_tables();
    EACH_LOOP(op, dt)
        for (int t = 0; t < ntables; t++) {
            const hd_dtype out = out_dtype(op, dt);
            put_inputs(op, dt, MAX_N);
            run_whole(tables[t], op, dt, MAX_N, expected.at);
            for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
                const int first = (int)(next_word() % (unsigned)(MAX_N - lengths[i]));
                run_part(tables[t], op, dt, HDI_VV, first, lengths[i], result.at + 1);
                if (!agrees(out, result.at + 1, expected.at + first * dtypes[out].size, lengths[i],
                            "place", op, dt, tables[t]->isa))
                    break;
            }
        }
}

TEST(loops, may_write_over_an_input)
{
    open_tables();
    EACH_LOOP(op, dt)
        for (int t = 0; t < ntables; t++)
            for (int k = 0; k < ew_rows[op].nin; k++) {
                const hd_dtype out = out_dtype(op, dt);
                const int n = 203;
                if (dtypes[in_dtype(op, k, dt)].size < dtypes[out].size ||
                    (k == 1 && has_rule(op, "BITS")))
                    continue;
                put_inputs(op, dt, n);
                run_whole(tables[t], op, dt, n, expected.at);
                run_whole(tables[t], op, dt, n, inputs[k].at);
                agrees(out, inputs[k].at, expected.at, n, "in place", op, dt, tables[t]->isa);
            }
}

TEST(loops, take_single_elements)
{
    open_tables();
    EACH_LOOP(op, dt)
        for (int t = 0; ew_rows[op].nin == 2 && t < ntables; t++)
            for (int variant = HDI_VS; variant <= HDI_SV; variant++) {
                const int single = variant == HDI_VS ? 1 : 0, n = 77;
                const int size = dtypes[in_dtype(op, single, dt)].size;
                if (has_rule(op, "BITS"))
                    continue;
                put_inputs(op, dt, n);
                run_part(tables[t], op, dt, variant, 0, n, result.at);
                for (int i = 1; i < n; i++)
                    memcpy(inputs[single].at + i * size, inputs[single].at, (size_t)size);
                run_whole(tables[t], op, dt, n, expected.at);
                agrees(out_dtype(op, dt), result.at, expected.at, n, "single", op, dt,
                       tables[t]->isa);
            }
}

TEST(loops, of_exact_rows_agree_on_every_instruction_set)
{
    open_tables();
    EACH_LOOP(op, dt)
        for (int repeat = 0; repeat < 4; repeat++) {
            if ((dtypes[dt].letter == 'C'   ? ew_cases[op].complex_ulp
                 : dtypes[dt].letter == 'F' ? ew_cases[op].ulp
                                            : 0) != 0)
                continue;
            put_inputs(op, dt, MAX_N);
            run_whole(tables[0], op, dt, MAX_N, expected.at);
            for (int t = 1; t < ntables; t++) {
                run_whole(tables[t], op, dt, MAX_N, result.at);
                agrees(out_dtype(op, dt), result.at, expected.at, MAX_N, "against v2", op, dt,
                       tables[t]->isa);
            }
        }
}

TEST(loops, superinstructions_round_twice)
{
    static const int pairs[HDI_SUPER_COUNT][2] = {
        {HD_OP_multiply, HD_OP_add},      {HD_OP_multiply, HD_OP_subtract},
        {HD_OP_subtract, HD_OP_multiply}, {HD_OP_add, HD_OP_multiply},
        {HD_OP_add, HD_OP_add},           {HD_OP_multiply, HD_OP_multiply}};
    const int n = 131;
    open_tables();
    for (int t = 0; t < ntables; t++)
        for (int p = 0; p < HDI_SUPER_COUNT; p++)
            for (int wide = 0; wide < 2; wide++)
                for (int mask = 0; mask < 8; mask++) {
                    const hd_dtype dt = wide ? HD_FLOAT64 : HD_FLOAT32;
                    const int size = dtypes[dt].size;
                    const void *const in[3] = {inputs[0].at, inputs[1].at, inputs[2].at};
                    for (int k = 0; k < 3; k++)
                        put_block(dt, inputs[k].at, n, HD_OP_multiply);
                    tables[t]->super[p][wide][mask](result.at, in, n);
                    for (int k = 0; k < 3; k++)
                        for (int i = 1; (mask >> k & 1) != 0 && i < n; i++)
                            memcpy(inputs[k].at + i * size, inputs[k].at, (size_t)size);
                    tables[t]->ew[pairs[p][0]][dt][HDI_VV](expected.at, in, n);
                    tables[t]->ew[pairs[p][1]][dt][HDI_VV](expected.at,
                                                           (const void *[]){expected.at, in[2]}, n);
                    agrees(dt, result.at, expected.at, n, "super", pairs[p][0], dt, tables[t]->isa);
                }
}

/* ---- values ---------------------------------------------------------------------------------- */

typedef long double wide_real;
typedef __int128 wide_int;

/* What the C library lacks. */
#define expitl(x) exact_expit(x, 0)
#define logitl(x) exact_logit(x, 0)
#define digammal(x) exact_digamma(x, 0)
#define expit(x) (double)exact_expit(x, 0)
#define logit(x) (double)exact_logit(x, 0)
#define digamma(x) (double)exact_digamma(x, 0)

/* reference_<type>(op, x, y, z): the row's value. */

#define T float
#define REFERENCE(name) name##_float
#include "loops_reference_real.h"
#define T double
#define REFERENCE(name) name##_double
#include "loops_reference_real.h"

#define T int8_t
#define REFERENCE(name) name##_int8
#include "loops_reference_int.h"
#define T int16_t
#define REFERENCE(name) name##_int16
#include "loops_reference_int.h"
#define T int32_t
#define REFERENCE(name) name##_int32
#include "loops_reference_int.h"
#define T int64_t
#define REFERENCE(name) name##_int64
#include "loops_reference_int.h"
#define T uint8_t
#define REFERENCE(name) name##_uint8
#include "loops_reference_int.h"
#define T uint16_t
#define REFERENCE(name) name##_uint16
#include "loops_reference_int.h"
#define T uint32_t
#define REFERENCE(name) name##_uint32
#include "loops_reference_int.h"
#define T uint64_t
#define REFERENCE(name) name##_uint64
#include "loops_reference_int.h"

/* Distance in units in the last place of a type with that many bits of precision and that
 * smallest exponent; in those of `beside` where that is larger. */
static double ulps(long double got, long double want, int precision, int smallest,
                   long double beside)
{
    int e;
    if (isnan(want) || isnan(got))
        return isnan(want) && isnan(got) ? 0 : HUGE_VAL;
    if (got == want)
        return 0;
    const long double largest = ldexpl(1 - ldexpl(1, -precision), 3 - smallest);
    /* overflow, where rounding to the largest number was as near */
    if (isinf(got) || isinf(want))
        return fabsl(got) >= largest && fabsl(want) >= largest && (got > 0) == (want > 0)
                   ? 1
                   : HUGE_VAL;
    frexpl(fmaxl(fabsl(want), beside), &e);
    return (double)(fabsl(got - want) /
                    ldexpl(1, ((want == 0 && beside == 0) || e < smallest ? smallest : e) - precision));
}

/* Sum of a result's error and half a unit for its own rounding; functions of the wider type are
 * not exact either. */
enum { FLOAT_DIGITS = 24, FLOAT_SMALLEST = -125, DOUBLE_DIGITS = 53, DOUBLE_SMALLEST = -1021 };

/* Where terms cancel. */
static long double beside_of(int op, double x, double y)
{
    for (int i = 0; i < ACCURACY_ROWS; i++)
        if ((int)accuracy_rows[i].op == op)
            return accuracy_beside(&accuracy_rows[i], x, y);
    return 0;
}

static void check_real(const hdi_loops *t, int op, hd_dtype dt, int i)
{
    const int is_float = dt == HD_FLOAT32, out = (int)out_dtype(op, dt);
    const int zero_sign =
        ew_cases[op].ulp > 0 || strstr("maximum minimum fmax fmin clip", ew_rows[op].name) == NULL;
    double x[3] = {0, 0, 0}, got;
    long double want;
    for (int k = 0; k < ew_rows[op].nin; k++) {
        const char *from = inputs[k].at + i * dtypes[in_dtype(op, k, dt)].size;
        if (in_dtype(op, k, dt) == HD_INT64)
            x[k] = (double)*(const int64_t *)from;
        else if (in_dtype(op, k, dt) == HD_BOOL)
            x[k] = *(const uint8_t *)from;
        else
            x[k] = is_float ? (double)*(const float *)from : *(const double *)from;
    }
    want = is_float ? reference_float(op, (float)x[0], (float)x[1], (float)x[2])
                    : reference_double(op, x[0], x[1], x[2]);
    const char *at = result.at + i * dtypes[out].size;
    got = out == HD_BOOL      ? (double)*(const uint8_t *)at
          : out == HD_INT32   ? (double)*(const int32_t *)at
          : out == HD_FLOAT32 ? (double)*(const float *)at
                              : *(const double *)at;
    const double error = ulps(got, want, is_float ? FLOAT_DIGITS : DOUBLE_DIGITS,
                              is_float ? FLOAT_SMALLEST : DOUBLE_SMALLEST,
                              beside_of(op, x[0], x[1]));
    const int sign =
        !zero_sign || isnan(got) || got != 0 || want != 0 || !signbit(got) == !signbit(want);
    if (!CHECK(error <= ew_cases[op].ulp + 0.501 && sign))
        fprintf(stderr, "%s(%a, %a, %a) of %s, %s: %a, not %La: %g ulp\n", ew_rows[op].name, x[0],
                x[1], x[2], dtypes[dt].name, t->isa, got, want, error);
}

static void check_values_of_reals(int vector_math)
{
    open_tables();
    hdi_vecmath_off(!vector_math);
    for (int op = 0; op < HDI_EW_COUNT; op++)
        for (hd_dtype dt = HD_FLOAT32; dt <= HD_FLOAT64; dt++)
            for (int repeat = 0;
                 row_has(op, (int)dt) && !is_random(op) && repeat < 4 * ntables; repeat++) {
                put_inputs(op, dt, MAX_N);
                run_whole(tables[repeat % ntables], op, dt, MAX_N, result.at);
                for (int i = 0; i < MAX_N; i++)
                    check_real(tables[repeat % ntables], op, dt, i);
            }
    hdi_vecmath_off(false);
}

TEST(loops, of_reals_have_the_values_of_plain_formulas)
{
    check_values_of_reals(1);
}

TEST(loops, of_reals_do_without_vector_functions)
{
    check_values_of_reals(0);
}

static wide_int integer_at(hd_dtype dt, const void *at)
{
    switch (dt) {
    case HD_BOOL: return *(const uint8_t *)at;
#define DT(NAME, name, code, kind, bits, ctype, real, loops) DT_##kind(NAME, ctype)
#define DT_i(NAME, ctype) case HD_##NAME: return *(const ctype *)at;
#define DT_u DT_i
#define DT_b(NAME, ctype)
#define DT_f(NAME, ctype)
#define DT_c(NAME, ctype)
#include "core/dtype.def"
    default: return 0;
    }
}

static wide_int reference_integer(hd_dtype dt, int op, wide_int x, wide_int y, wide_int z)
{
    switch (dt) {
    case HD_INT8: return reference_int8(op, x, y, z);
    case HD_INT16: return reference_int16(op, x, y, z);
    case HD_INT32: return reference_int32(op, x, y, z);
    case HD_INT64: return reference_int64(op, x, y, z);
    case HD_UINT8: return reference_uint8(op, x, y, z);
    case HD_UINT16: return reference_uint16(op, x, y, z);
    case HD_UINT32: return reference_uint32(op, x, y, z);
    default: return reference_uint64(op, x, y, z);
    }
}

static void check_integer(const hdi_loops *t, int op, hd_dtype dt, int i)
{
    wide_int x[3] = {0, 0, 0};
    const hd_dtype out = out_dtype(op, dt);
    for (int k = 0; k < ew_rows[op].nin; k++)
        x[k] = integer_at(in_dtype(op, k, dt), inputs[k].at + i * dtypes[in_dtype(op, k, dt)].size);
    const wide_int want = reference_integer(dt, op, x[0], x[1], x[2]);
    if (!CHECK(memcmp(result.at + i * dtypes[out].size, &want, (size_t)dtypes[out].size) == 0))
        fprintf(stderr, "%s(%lld, %lld, %lld) of %s, %s: not %lld\n", ew_rows[op].name,
                (long long)x[0], (long long)x[1], (long long)x[2], dtypes[dt].name, t->isa,
                (long long)want);
}

TEST(loops, of_integers_wrap_and_never_trap)
{
    open_tables();
    for (int op = 0; op < HDI_EW_COUNT; op++)
        for (hd_dtype dt = HD_INT8; dt <= HD_UINT64; dt++)
            for (int repeat = 0;
                 row_has(op, (int)dt) && !is_random(op) && repeat < 4 * ntables; repeat++) {
                put_inputs(op, dt, MAX_N);
                run_whole(tables[repeat % ntables], op, dt, MAX_N, result.at);
                for (int i = 0; i < MAX_N; i++)
                    check_integer(tables[repeat % ntables], op, dt, i);
            }
}

/* What bool loops are, by what they do to the numbers 0 and 1. */
TEST(loops, of_bools_are_logic)
{
    static const struct { int op, as;
    } meanings[] = {{HD_OP_add, HD_OP_logical_or},
                    {HD_OP_multiply, HD_OP_logical_and},
                    {HD_OP_maximum, HD_OP_logical_or},
                    {HD_OP_minimum, HD_OP_logical_and},
                    {HD_OP_fmax, HD_OP_logical_or},
                    {HD_OP_fmin, HD_OP_logical_and},
                    {HD_OP_bitwise_and, HD_OP_logical_and},
                    {HD_OP_bitwise_or, HD_OP_logical_or},
                    {HD_OP_bitwise_xor, HD_OP_logical_xor},
                    {HD_OP_invert, HD_OP_logical_not},
                    {HD_OP_equal, HD_OP_equal},
                    {HD_OP_not_equal, HD_OP_not_equal},
                    {HD_OP_less, HD_OP_less},
                    {HD_OP_less_equal, HD_OP_less_equal},
                    {HD_OP_greater, HD_OP_greater},
                    {HD_OP_greater_equal, HD_OP_greater_equal},
                    {HD_OP_logical_and, HD_OP_logical_and},
                    {HD_OP_logical_or, HD_OP_logical_or},
                    {HD_OP_logical_xor, HD_OP_logical_xor}};
    static const uint8_t x[4] = {0, 0, 1, 1}, y[4] = {0, 1, 0, 1};
    const void *const in[2] = {x, y};
    open_tables();
    for (int t = 0; t < ntables; t++)
        for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++) {
            tables[t]->ew[meanings[i].op][HD_BOOL][HDI_VV](result.at, in, 4);
            tables[t]->ew[meanings[i].as][HD_UINT8][HDI_VV](expected.at, in, 4);
            agrees(HD_BOOL, result.at, expected.at, 4, "logic", meanings[i].op, HD_BOOL,
                   tables[t]->isa);
        }
}
