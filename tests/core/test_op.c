/* SPDX-License-Identifier: BSD-3-Clause */
/* test_op.c - the columns of the operation tables agree with each other: what computes says that it
 * raises faults, what only moves, compares or chooses says that it does not. */
#include "core/op.h"

#include <string.h>

#include "harness.h"

/* ---- the value column, read as whether it computes ------------------------------------------- */

static bool is_quiet(const char *function)
{
    static const char *const quiet[] = {"floor", "ceil", "trunc", "rint", "copysign"};
    for (size_t k = 0; k < sizeof quiet / sizeof *quiet; k++)
        if (strcmp(function, quiet[k]) == 0)
            return true;
    return false;
}

#define QUIET1(a) (a)
#define QUIET2(a, b) ((a) | (b))
#define QUIET3(a, b, c) ((a) | (b) | (c))
#define LOUD1(a) (1 | (a))
#define LOUD2(a, b) (1 | (a) | (b))
#define NEG QUIET1
#define SIGN QUIET1
#define CONJ QUIET1
#define NOT QUIET1
#define BNOT QUIET1
#define ISNAN QUIET1
#define ISINF QUIET1
#define ISFINITE QUIET1
#define FRACTION QUIET1
#define MANTISSA QUIET1
#define EXPONENT QUIET1
#define SIGNBIT QUIET1
#define POPCOUNT QUIET1
#define SPACING QUIET1
#define ABS(a) ((complex ? 1 : 0) | (a))
#define LT QUIET2
#define LE QUIET2
#define GT QUIET2
#define GE QUIET2
#define EQ QUIET2
#define NE QUIET2
#define AND QUIET2
#define OR QUIET2
#define XOR QUIET2
#define BAND QUIET2
#define BOR QUIET2
#define BXOR QUIET2
#define SHL QUIET2
#define SHR QUIET2
#define MAX QUIET2
#define MIN QUIET2
#define FMAX QUIET2
#define FMIN QUIET2
#define UNIFORM QUIET2
#define NORMAL QUIET2
#define RAW64 QUIET2
#define GCD QUIET2
#define LCM QUIET2
#define FMOD LOUD2
#define LDEXP LOUD2
#define BOUNDED QUIET3
#define GAMMA QUIET3
#define BETA QUIET3
#define POISSON QUIET2
#define BINOMIAL QUIET3
#define SELECT QUIET3
#define ADD LOUD2
#define SUB LOUD2
#define MUL LOUD2
#define DIV LOUD2
#define FLOORDIV LOUD2
#define MOD LOUD2
#define POW LOUD2
#define RECIP LOUD1
#define FMA(a, b, c) (1 | (a) | (b) | (c))
#define CALL1(f, a) (!is_quiet(#f) | (a))
#define CALL2(f, a, b) (!is_quiet(#f) | (a) | (b))

static bool computes(hd_op op, bool complex)
{
    enum { x = 0, y = 0, z = 0, a = 0, ZERO = 0, ONE = 0, DEGREE = 0, RADIAN = 0 };
    (void)complex;
    switch ((int)op) {
#define EW1(name, types, rule, value, ...) case HD_OP_##name: return value;
#define EW2(name, types, rule, value, ...) case HD_OP_##name: return value;
#define EW3(name, types, rule, value, ...) case HD_OP_##name: return value;
#include "ops/elementwise/ew.def"
#define RED(name, nin, types, rule, combine, ...) case HD_OP_##name: return combine;
#include "ops/reduce/red.def"
    default:
        return false;
    }
}

/* ---- the checks ------------------------------------------------------------------------------ */

TEST(op, what_computes_raises)
{
    for (int k = 0; k < HD_OP_matmul; k++) {
        const hd_op op = (hd_op)k;
        const bool positions = hdi_op_rows[op].rule == HDI_RULE_INDEX;   /* of arange: no operands */
        for (int dt = 0; dt < HD_DTYPE_COUNT; dt++) {
            const hd_dtype cdt = (hd_dtype)dt;
            if (cdt == HD_NO_DTYPE || !hdi_has_loop(op, cdt))
                continue;
            const bool is_float = cdt != HD_BOOL && !hdi_is_int(cdt);
            const bool want = is_float && !positions && computes(op, hdi_is_complex(cdt));
            const bool half = op == HD_OP_spacing && cdt == HD_FLOAT16;
            CHECK_STR((hdi_loop_faults(op, cdt) != 0) == (want || half)
                          ? "agrees"
                          : hdi_op_rows[op].info.name,
                      "agrees");
            CHECK(hdi_loop_faults(op, cdt) != 0 || !is_float || !hdi_reports_values(op, cdt));
            CHECK(hdi_loop_faults(op, cdt) != 0 || !is_float || hdi_pole_of(op, cdt) == 0);
        }
    }
}

TEST(op, poles_and_values_are_of_the_dtypes_that_have_them)
{
    CHECK(hdi_pole_of(HD_OP_arctan, HD_FLOAT64) == HDI_POLE_NONE);
    CHECK(hdi_pole_of(HD_OP_arctan, HD_COMPLEX64) == HDI_POLE_I);
    CHECK(hdi_pole_of(HD_OP_power, HD_FLOAT32) == HDI_POLE_BASE);
    CHECK(!hdi_reports_values(HD_OP_divide, HD_FLOAT64));
    CHECK(hdi_reports_values(HD_OP_divide, HD_COMPLEX128));
    CHECK(hdi_loop_faults(HD_OP_absolute, HD_FLOAT64) == 0);
    CHECK(hdi_loop_faults(HD_OP_absolute, HD_COMPLEX128) == HDI_ALL_FAULTS);
    CHECK(hdi_under_of(HD_OP_multiply) == HDI_UNDER_PRODUCT);
    CHECK(hdi_under_of(HD_OP_add) == HDI_UNDER_NONE);
    CHECK(hdi_loop_faults(HD_OP_sort, HD_FLOAT64) == 0);
    CHECK(hdi_loop_faults(HD_OP_matmul, HD_FLOAT64) == HDI_ALL_FAULTS);
    CHECK(hdi_loop_faults(HD_OP_matmul, HD_INT64) == 0);
}

/* Only library calls have what library calls have. */
TEST(op, calls_say_what_they_are_told)
{
    for (int k = 0; k < HD_OP_COUNT; k++) {
        const hdi_op_row *row = &hdi_op_rows[k];
        const bool call = row->info.cls == 'x';
        CHECK(call || (row->traits == 0 && row->payload == HDI_PAYLOAD_none && row->indexed < 0));
        CHECK((row->of_scalars != NULL) == (row->info.cls == 'e'));
        CHECK(row->indexed <= row->info.nin);
        /* what may be dropped must not have its error told; what is done within the call and fails
         * is recorded, and told of then */
        CHECK(!(row->traits & HDI_TRAIT_FAILS) || !(row->traits & HDI_TRAIT_DROP));
        CHECK(!(row->traits & HDI_TRAIT_OPENS) || row->traits & HDI_TRAIT_PLAIN);
    }
    CHECK(hdi_op_rows[HD_OP_gather].indexed == 1 && hdi_op_rows[HD_OP_scatter].indexed == 0);
    CHECK(hdi_op_rows[HD_OP_sort].payload == HDI_PAYLOAD_sort);
    CHECK(hdi_op_rows[HD_OP_lstsq].payload == HDI_PAYLOAD_rcond);
}
