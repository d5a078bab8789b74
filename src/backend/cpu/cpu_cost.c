/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_cost.c - rough cost of each elementwise row, read off its value expression: one per
 * operation of the processor, more for divisions and library functions. It only decides from
 * which size on several threads pay. */
#include "backend/cpu/cpu_program.h"

enum {
    CALL_COST = 6,
    DIV_COST = 2,
    POW_COST = 12,
    RANDOM_COST = 10,
    GCD_COST = 30,
    SAMPLER_COST = 100
};

#define UNARY(a) (1 + (a))
#define BINARY(a, b) (1 + (a) + (b))
#define NEG UNARY
#define ABS UNARY
#define SIGN UNARY
#define CONJ UNARY
#define NOT UNARY
#define BNOT UNARY
#define ISNAN UNARY
#define ISINF UNARY
#define ISFINITE UNARY
#define FRACTION UNARY
#define MANTISSA UNARY
#define EXPONENT UNARY
#define SPACING UNARY
#define SIGNBIT UNARY
#define POPCOUNT UNARY
#define ADD BINARY
#define SUB BINARY
#define MUL BINARY
#define LT BINARY
#define LE BINARY
#define GT BINARY
#define GE BINARY
#define EQ BINARY
#define NE BINARY
#define AND BINARY
#define OR BINARY
#define XOR BINARY
#define BAND BINARY
#define BOR BINARY
#define BXOR BINARY
#define SHL BINARY
#define SHR BINARY
#define MAX BINARY
#define MIN BINARY
#define FMAX BINARY
#define FMIN BINARY
#define DIV(a, b) (DIV_COST + (a) + (b))
#define RECIP(a) (DIV_COST + (a))
#define FLOORDIV(a, b) (DIV_COST + (a) + (b))
#define MOD(a, b) (DIV_COST + (a) + (b))
#define FMOD(a, b) (DIV_COST + (a) + (b))
#define GCD(a, b) (GCD_COST + (a) + (b))
#define LCM(a, b) (GCD_COST + (a) + (b))
#define LDEXP(a, b) (CALL_COST + (a) + (b))
#define POW(a, b) (POW_COST + (a) + (b))
#define CALL1(f, a) (CALL_COST + (a))
#define CALL2(f, a, b) (2 * CALL_COST + (a) + (b))
#define SELECT(a, b, c) (1 + (a) + (b) + (c))
#define UNIFORM(a, b) RANDOM_COST
#define NORMAL(a, b) (3 * RANDOM_COST)
#define RAW64(a, b) RANDOM_COST
#define BOUNDED(a, b, c) (2 + (a) + (b) + (c))
#define GAMMA(a, b, c) (SAMPLER_COST + (a) + (b) + (c))
#define BETA(a, b, c) (2 * SAMPLER_COST + (a) + (b) + (c))
#define POISSON(a, b) (SAMPLER_COST + (a) + (b))
#define BINOMIAL(a, b, c) (SAMPLER_COST + (a) + (b) + (c))

/* inputs and literals cost nothing */
enum { x = 0, y = 0, z = 0, ZERO = 0, ONE = 0, DEGREE = 0, RADIAN = 0 };

const uint8_t hdi_cpu_ew_cost[HDI_EW_COUNT] = {
#define EW1(name, types, rule, value, ...) [HD_OP_##name] = value,
#define EW2(name, types, rule, value, ...) [HD_OP_##name] = value,
#define EW3(name, types, rule, value, ...) [HD_OP_##name] = value,
#include "ops/elementwise/ew.def"
};
