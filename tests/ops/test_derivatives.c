/* SPDX-License-Identifier: BSD-3-Clause */
/* Every derivative column of ew.def against central differences of its value column, in double. */
#include "harness.h"

#include <heddle/ops.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the vocabulary in plain double ---------------------------------------------------------- */

static double sign_of(double x) { return (x > 0) - (x < 0); }
static double floor_divide(double x, double y) { return floor(x / y); }
static double remainder_of(double x, double y) { return x - y * floor(x / y); }
static double larger(double x, double y) { return x > y ? x : y; }
static double smaller(double x, double y) { return x < y ? x : y; }

static double logaddexp(double x, double y) { return log(exp(x) + exp(y)); }
static double logaddexp2(double x, double y) { return log2(exp2(x) + exp2(y)); }
static double spacing_of(double x) { return nextafter(fabs(x), INFINITY) - fabs(x); }

/* What the C library lacks. Digamma and its derivative: their series from 40 on, recurrence below. */
static double expit(double x) { return 1 / (1 + exp(-x)); }
static double logit(double x) { return log(x / (1 - x)); }
static double digamma(double x)
{
    double sum = 0;
    for (; x < 40; x += 1)
        sum -= 1 / x;
    return sum + log(x) - 0.5 / x - 1 / (12 * x * x) + 1 / (120 * x * x * x * x);
}
static double trigamma(double x)
{
    double sum = 0;
    for (; x < 40; x += 1)
        sum += 1 / (x * x);
    return sum + 1 / x + 0.5 / (x * x) + 1 / (6 * x * x * x);
}

#define NEG(x) (-(x))
#define RECIP(x) (1.0 / (x))
#define ABS(x) fabs(x)
#define SIGN(x) sign_of(x)
#define CONJ(x) (x)
#define CALL1(f, x) f(x)
#define CALL2(f, x, y) f(x, y)
#define ADD(x, y) ((x) + (y))
#define SUB(x, y) ((x) - (y))
#define MUL(x, y) ((x) * (y))
#define DIV(x, y) ((x) / (y))
#define FLOORDIV(x, y) floor_divide(x, y)
#define MOD(x, y) remainder_of(x, y)
#define POW(x, y) pow(x, y)
#define FMOD(x, y) fmod(x, y)
#define LDEXP(x, y) ldexp(x, (int)(y))
#define FRACTION(x) ((x) - trunc(x))
#define MANTISSA(x) frexp(x, &(int){0})
#define EXPONENT(x) ilogb(x)
#define SPACING(x) spacing_of(x)
#define SIGNBIT(x) (signbit(x) != 0)
#define DEGREE (acos(-1.0) / 180)
#define RADIAN (180 / acos(-1.0))
#define MAX(x, y) larger(x, y)
#define MIN(x, y) smaller(x, y)
#define FMAX(x, y) larger(x, y)
#define FMIN(x, y) smaller(x, y)
#include "compare_words.h"
#define ISNAN(x) isnan(x)
#define ISINF(x) isinf(x)
#define ISFINITE(x) isfinite(x)
#define ZERO 0.0
#define ONE 1.0
#define TWO 2.0
#define HALF 0.5
#define LN2 0.693147180559945309417
#define LN10 2.302585092994045684018
#define TWO_BY_ROOT_PI 1.128379167095512573896
/* Of integers only, or of positions: no value here and, as their rows say, no derivative. */
#define BNOT(x) NAN
#define GCD(x, y) NAN
#define LCM(x, y) NAN
#define POPCOUNT(x) NAN
#define BAND(x, y) NAN
#define BOR(x, y) NAN
#define BXOR(x, y) NAN
#define SHL(x, y) NAN
#define SHR(x, y) NAN
#define UNIFORM(x, y) NAN
#define NORMAL(x, y) NAN
#define RAW64(x, y) NAN
#define BOUNDED(x, y, z) NAN
#define GAMMA(x, y, z) NAN
#define BETA(x, y, z) NAN
#define POISSON(x, y) NAN
#define BINOMIAL(x, y, z) NAN
#define NONE (*none = true, 0.0)

/* ---- the rows -------------------------------------------------------------------------------- */

typedef double (*value_function)(double x, double y, double z);
/* The cotangent of input k; *none becomes true where the column says NONE. */
typedef double (*vjp_function)(int k, double x, double y, double z, double r, double g, bool *none);
typedef struct row {
    const char *name, *rule, *samples;
    int nin;
    value_function value;
    vjp_function vjp;
} row;

#define FUNCTIONS(name, val, v0, v1, v2)                                                           \
    static double value_##name(double x, double y, double z)                                       \
    {                                                                                              \
        return (void)x, (void)y, (void)z, (double)(val);                                           \
    }                                                                                              \
    static double vjp_##name(int k, double x, double y, double z, double r, double g, bool *none)  \
    {                                                                                              \
        (void)x, (void)y, (void)z, (void)r, (void)g, (void)none;                                   \
        return k == 0 ? (v0) : k == 1 ? (v1) : (v2);                                               \
    }
#define EW1(name, types, rule, value, v0, ...) FUNCTIONS(name, value, v0, 0.0, 0.0)
#define EW2(name, types, rule, value, v0, v1, ...) FUNCTIONS(name, value, v0, v1, 0.0)
#define EW3(name, types, rule, value, v0, v1, v2, ...) FUNCTIONS(name, value, v0, v1, v2)
#include "ops/elementwise/ew.def"

#define ENTRY(name, rule, samples, nin) {#name, #rule, #samples, nin, value_##name, vjp_##name}
static const row rows[] = {
#define EW1(name, types, rule, value, v0, samples, ...) ENTRY(name, rule, samples, 1),
#define EW2(name, types, rule, value, v0, v1, samples, ...) ENTRY(name, rule, samples, 2),
#define EW3(name, types, rule, value, v0, v1, v2, samples, ...) ENTRY(name, rule, samples, 3),
#include "ops/elementwise/ew.def"
};
enum { NROWS = sizeof rows / sizeof *rows };

/* ---- the check ------------------------------------------------------------------------------- */

enum { SAMPLES = 400, ENOUGH = 300 };

static uint64_t seed;

static double uniform(double low, double high)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(seed >> 11) * 0x1p-53;
}

static double sample(const row *r, int k)
{
    if (strcmp(r->rule, "COND") == 0 && k == 0)
        return uniform(-1, 1) > 0;
    if (strcmp(r->samples, "POS") == 0)
        return uniform(0.01, 10);
    if (strcmp(r->samples, "PROB") == 0)
        return uniform(0.05, 0.95);
    if (strcmp(r->samples, "UNIT") == 0)
        return uniform(-0.95, 0.95);
    if (strcmp(r->samples, "GE1") == 0)
        return uniform(1.05, 10);
    if (strcmp(r->samples, "NZ") == 0)
        return copysign(uniform(0.2, 3), uniform(-1, 1));
    return uniform(-3, 3);
}

static double difference(const row *r, int k, const double *x, double h)
{
    double up[3] = {x[0], x[1], x[2]}, down[3] = {x[0], x[1], x[2]};
    up[k] += h;
    down[k] -= h;
    return (r->value(up[0], up[1], up[2]) - r->value(down[0], down[1], down[2])) / (2 * h);
}

typedef struct tally { int smooth, wrong; bool none; } tally;

/* Points where two step widths disagree (a jump or a kink lies between) say nothing. */
static tally compare(const row *r, int k)
{
    tally t = {0, 0, false};
    seed = 1;
    for (int i = 0; i < SAMPLES; i++) {
        const double x[3] = {sample(r, 0), sample(r, 1), sample(r, 2)}, g = uniform(0.5, 2);
        const double vjp = r->vjp(k, x[0], x[1], x[2], r->value(x[0], x[1], x[2]), g, &t.none);
        const double h = 1e-5 * fmax(1, fabs(x[k])), d = difference(r, k, x, h / 2);
        if (t.none)
            return t;
        if (!(fabs(difference(r, k, x, h) - d) <= 1e-4 * (1 + fabs(d))))
            continue;
        t.smooth++;
        t.wrong += !(fabs(vjp / g - d) <= 1e-5 * (1 + fabs(d)));
    }
    return t;
}

TEST(derivatives, every_row_agrees_with_differences)
{
    int checked = 0;
    for (int i = 0; i < NROWS; i++)
        for (int k = 0; k < rows[i].nin; k++) {
            const tally t = compare(&rows[i], k);
            if (t.none)
                continue;
            if (!CHECK(t.wrong == 0) || !CHECK(t.smooth >= ENOUGH))
                fprintf(stderr, "%s by input %d: %d of %d wrong\n", rows[i].name, k, t.wrong,
                        t.smooth);
            checked++;
        }
    CHECK(checked >= 45);
}

TEST(derivatives, rows_without_one_are_steps_or_not_real)
{
    for (int i = 0; i < NROWS; i++)
        for (int k = 0; k < rows[i].nin; k++) {
            const row *r = &rows[i];
            if (!compare(r, k).none || strcmp(r->rule, "COND") == 0 ||
                strcmp(r->rule, "INDEX") == 0 || strcmp(r->rule, "DRAW") == 0)
                continue;
            seed = 1;
            const double x[3] = {sample(r, 0), sample(r, 1), sample(r, 2)},
                         d = difference(r, k, x, 1e-6);
            if (!CHECK(isnan(d) || d == 0))
                fprintf(stderr, "%s has slope %g by input %d, but no derivative\n", r->name, d, k);
        }
}

/* ---- the check itself: rows with faults of the usual kinds ----------------------------------- */

FUNCTIONS(wrong_sign, CALL1(cos, x), MUL(g, CALL1(sin, x)), 0.0, 0.0)
FUNCTIONS(wrong_input, DIV(x, y), DIV(g, y), NEG(DIV(MUL(g, r), x)), 0.0)
FUNCTIONS(lost_factor, MUL(x, x), MUL(g, x), 0.0, 0.0)
FUNCTIONS(lost_cotangent, CALL1(exp, x), r, 0.0, 0.0)
FUNCTIONS(right, CALL1(cos, x), NEG(MUL(g, CALL1(sin, x))), 0.0, 0.0)

TEST(derivatives, planted_faults_are_found)
{
    static const row planted[] = {ENTRY(wrong_sign, SAME, ALL, 1), ENTRY(wrong_input, SAME, NZ, 2),
                                  ENTRY(lost_factor, SAME, ALL, 1),
                                  ENTRY(lost_cotangent, SAME, ALL, 1), ENTRY(right, SAME, ALL, 1)};
    CHECK(compare(&planted[0], 0).wrong > ENOUGH / 2);
    CHECK(compare(&planted[1], 0).wrong == 0);
    CHECK(compare(&planted[1], 1).wrong > ENOUGH / 2);
    CHECK(compare(&planted[2], 0).wrong > ENOUGH / 2);
    CHECK(compare(&planted[3], 0).wrong > ENOUGH / 2);
    CHECK(compare(&planted[4], 0).wrong == 0);
}
