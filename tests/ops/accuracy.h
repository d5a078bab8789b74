/* SPDX-License-Identifier: BSD-3-Clause */
/* accuracy.h - how far mathematical functions are from the truth: samples, references in extended
 * precision, units in the last place.
 * Invariant  the same numbers are drawn every time
 * Start at   accuracy_rows, accuracy_ulps() */
#ifndef HEDDLE_TESTS_ACCURACY_H
#define HEDDLE_TESTS_ACCURACY_H

#include <heddle/ops.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- references ------------------------------------------------------------------------------ */

typedef long double exact;

static inline exact exact_expit(exact x, exact y)
{
    return (void)y, 1 / (1 + expl(-x));
}

/* Near 1/2 and near 1 the digits that matter are in what is subtracted, and these are exact. */
static inline exact exact_logit(exact x, exact y)
{
    const exact s = 2 * x - 1;
    return (void)y, fabsl(s) < 0.5L ? 2 * atanhl(s) : logl(x / (1 - x));
}

/* Taylor's series around its positive root, where other ways cancel. */
static inline exact psi_near_root(exact x)
{
    static const exact root_rest = -1.265446506253743309328843429e-16L, term[] = {
        0.9676722454476211704274447617L, -0.4427631689835921060928652819L, 0.2584997609556510106244013857L,
        -0.1639427054424065275042512927L, 0.1078240506912623657571829489L, -0.07219956125645471092612178361L,
        0.04880428816414310722509252551L, -0.0331611264748473592922583984L, 0.02259764823221810465962482512L,
        -0.01542476590494895913880031684L, 0.01053879161661217538812404988L, -0.00720453438635686824097047437L,
        0.004926781395729853446354266403L, -0.003369801655439328082792856724L, 0.002305126326734927836938380283L,
        -0.001576936771430197259270934972L, 0.001078825201916296580691917775L, -0.0007380709389960051295660473894L};
    const exact apart = (x - 0x1.762d86356be40p+0L) - root_rest;
    exact sum = 0;
    for (int i = (int)(sizeof term / sizeof *term); i-- > 0;)
        sum = (sum + term[i]) * apart;
    return sum;
}

/* Abramowitz, Stegun 6.3.18 from 40 on, recurrence below. */
static inline exact exact_psi(exact x)
{
    static const exact term[] = {1.0L / 12, -1.0L / 120, 1.0L / 252, -1.0L / 240, 1.0L / 132,
                                 -691.0L / 32760, 1.0L / 12};
    exact sum = 0, power = 1;
    if (fabsl(x - 1.4616321449683622L) < 0.125L)
        return psi_near_root(x);
    for (; x < 40; x += 1)
        sum -= 1 / x;
    for (int i = 0; i < 7; i++)
        sum -= term[i] * (power /= x * x);
    return sum + logl(x) - 0.5L / x;
}

static inline exact exact_lgamma(exact x, exact y)
{
    return (void)y, isinf(x) ? x : lgammal(x);   /* SciPy's at -inf */
}

static inline exact exact_digamma(exact x, exact y)
{
    (void)y;
    if (x == 0)
        return signbit(x) ? INFINITY : -INFINITY;
    if (x < 0)
        return x == floorl(x) ? NAN : exact_psi(1 - x) - 3.14159265358979323846264L / tanl(3.14159265358979323846264L * (x - rintl(x)));
    return isinf(x) ? x : exact_psi(x);
}

static inline exact exact_logaddexp(exact x, exact y)
{
    return x == y ? x + logl(2) : fmaxl(x, y) + log1pl(expl(-fabsl(x - y)));
}

static inline exact exact_logaddexp2(exact x, exact y)
{
    return x == y ? x + 1 : fmaxl(x, y) + log1pl(exp2l(-fabsl(x - y))) / logl(2);
}

/* Below 0 the result is f(|x|) and the rest. */
static inline exact beside_mirrored(exact (*f)(exact, exact), exact x)
{
    if (!(x < 0) || isinf(x) || x == floorl(x))
        return 0;
    const exact mirrored = f(-x, 0), all = f(x, 0);
    return fmaxl(1, fabsl(mirrored) + fabsl(all - mirrored));
}
static inline exact beside_lgamma(exact x, exact y) { return (void)y, beside_mirrored(exact_lgamma, x); }
static inline exact beside_digamma(exact x, exact y) { return (void)y, beside_mirrored(exact_digamma, x); }
/* The larger argument, and what is added to it. */
static inline exact beside_sum(exact (*f)(exact, exact), exact x, exact y)
{
    const exact high = fmaxl(x, y);
    return isfinite(x) && isfinite(y) ? fmaxl(fabsl(high), f(x, y) - high) : 0;
}
static inline exact beside_logaddexp(exact x, exact y) { return beside_sum(exact_logaddexp, x, y); }
static inline exact beside_logaddexp2(exact x, exact y) { return beside_sum(exact_logaddexp2, x, y); }

/* Two arguments for all. */
#define REFERENCE1(f) static inline exact exact_##f(exact x, exact y) { return (void)y, f##l(x); }
#define REFERENCE2(f) static inline exact exact_##f(exact x, exact y) { return f##l(x, y); }
REFERENCE1(exp) REFERENCE1(exp2) REFERENCE1(expm1) REFERENCE1(log) REFERENCE1(log2) REFERENCE1(log10)
REFERENCE1(log1p) REFERENCE1(cbrt) REFERENCE1(sin) REFERENCE1(cos) REFERENCE1(tan) REFERENCE1(asin)
REFERENCE1(acos) REFERENCE1(atan) REFERENCE1(sinh) REFERENCE1(cosh) REFERENCE1(tanh) REFERENCE1(asinh)
REFERENCE1(acosh) REFERENCE1(atanh) REFERENCE1(erf) REFERENCE1(erfc) REFERENCE1(tgamma)
REFERENCE2(pow) REFERENCE2(atan2) REFERENCE2(hypot)

/* ---- samples --------------------------------------------------------------------------------- */

/* Arguments of each kind in turn: any exponent; a moderate size; the row's own interval; near a
 * point where the function is 0, has a pole or changes its method. */
typedef struct accuracy_row {
    hd_op op;
    exact (*reference)(exact, exact);
    double low, high;      /* where most of the function happens */
    double points[8];
    int npoints;
    exact (*beside)(exact, exact);   /* the size of terms that cancel: exact beside these only */
} accuracy_row;

#define POINTS(...) {__VA_ARGS__}, (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double))
static const accuracy_row accuracy_rows[] = {
    {HD_OP_exp, exact_exp, -745.2, 709.8, POINTS(0, 88.72, -87.3, -103.9, 709.78, -708.4, -745.1), NULL},
    {HD_OP_exp2, exact_exp2, -1075, 1024, POINTS(0, 128, -126, -149, 1024, -1022, -1074), NULL},
    {HD_OP_expm1, exact_expm1, -50, 709.8, POINTS(0, 0.35, -0.35, 0.69, -0.69, 88.7, 709.78), NULL},
    {HD_OP_log, exact_log, 0, 10, POINTS(1, 0.7071, 1.4142), NULL},
    {HD_OP_log2, exact_log2, 0, 10, POINTS(1, 0.7071, 1.4142, 2, 1024), NULL},
    {HD_OP_log10, exact_log10, 0, 10, POINTS(1, 0.7071, 1.4142, 10), NULL},
    {HD_OP_log1p, exact_log1p, -1, 10, POINTS(0, -1, -0.2929, 0.4142), NULL},
    {HD_OP_expit, exact_expit, -750, 40, POINTS(0, -88, -708), NULL},
    {HD_OP_logit, exact_logit, 0, 1, POINTS(0.5, 1, 0, 0.415, 0.585), NULL},
    {HD_OP_cbrt, exact_cbrt, -10, 10, POINTS(1, 8, 27), NULL},
    {HD_OP_sin, exact_sin, -100, 100, POINTS(0, 3.14159265358979, 1.5707963267949, 6.28318530717959, 0.785398163, 1048576, 22), NULL},
    {HD_OP_cos, exact_cos, -100, 100, POINTS(0, 3.14159265358979, 1.5707963267949, 6.28318530717959, 0.785398163, 1048576, 11), NULL},
    {HD_OP_tan, exact_tan, -100, 100, POINTS(0, 3.14159265358979, 1.5707963267949, 6.28318530717959, 0.785398163, 1048576, 22), NULL},
    {HD_OP_arcsin, exact_asin, -1, 1, POINTS(0, 0.5, -0.5, 1, -1), NULL},
    {HD_OP_arccos, exact_acos, -1, 1, POINTS(0, 0.5, -0.5, 1, -1), NULL},
    {HD_OP_arctan, exact_atan, -10, 10, POINTS(0, 1, 0.41421356, 2.41421356), NULL},
    {HD_OP_sinh, exact_sinh, -711, 711, POINTS(0, 0.35, 1, 89.4, 710.47), NULL},
    {HD_OP_cosh, exact_cosh, -711, 711, POINTS(0, 0.35, 1, 89.4, 710.47), NULL},
    {HD_OP_tanh, exact_tanh, -22, 22, POINTS(0, 0.17, 0.35, 0.55), NULL},
    {HD_OP_arcsinh, exact_asinh, -10, 10, POINTS(0, 1, 0.35), NULL},
    {HD_OP_arccosh, exact_acosh, 1, 10, POINTS(1, 1.0625), NULL},
    {HD_OP_arctanh, exact_atanh, -1, 1, POINTS(0, 0.5, 1, 0.17), NULL},
    {HD_OP_erf, exact_erf, -6, 6, POINTS(0, 1), NULL},
    {HD_OP_erfc, exact_erfc, -6, 27.5, POINTS(0, 1, 10, 26.5), NULL},
    {HD_OP_gamma, exact_tgamma, -20, 172, POINTS(0, 1, 2, 3, 12, 171.62, 35.04), NULL},
    {HD_OP_gammaln, exact_lgamma, 0, 30, POINTS(0, 1, 2, 3, 12), beside_lgamma},
    {HD_OP_digamma, exact_digamma, 0, 30, POINTS(0, 1, 2, 1.46163214496836, 7), beside_digamma},
    {HD_OP_power, exact_pow, 0, 10, POINTS(1, 2, 0.5), NULL},
    {HD_OP_arctan2, exact_atan2, -10, 10, POINTS(0, 1, -1), NULL},
    {HD_OP_hypot, exact_hypot, -10, 10, POINTS(0, 1), NULL},
    {HD_OP_logaddexp, exact_logaddexp, -40, 40, POINTS(0, 0.6931471805599453, 88.7, 709.78), beside_logaddexp},
    {HD_OP_logaddexp2, exact_logaddexp2, -60, 60, POINTS(0, 1, 127, 1023), beside_logaddexp2},
};
enum { ACCURACY_ROWS = sizeof accuracy_rows / sizeof *accuracy_rows };

static uint64_t accuracy_seed = 88172645463325252u;

static inline uint64_t accuracy_word(void)
{
    accuracy_seed ^= accuracy_seed << 13;
    accuracy_seed ^= accuracy_seed >> 7;
    accuracy_seed ^= accuracy_seed << 17;
    return accuracy_seed;
}

static inline double accuracy_unit(void)
{
    return (double)(accuracy_word() >> 11) * 0x1p-53;
}

static inline double accuracy_any_bits(bool single)
{
    const uint64_t w = accuracy_word();
    double d;
    float f;
    memcpy(&d, &w, 8);
    memcpy(&f, &w, 4);
    return single ? (double)f : d;
}

static inline double accuracy_sample(const accuracy_row *r, bool single)
{
    const uint64_t kind = accuracy_word() >> 40;
    const double sign = accuracy_word() >> 63 ? -1 : 1;
    switch (kind % 8) {
    case 0:
        return accuracy_any_bits(single);
    case 1:
        return sign * ldexp(1 + accuracy_unit(), (int)(accuracy_word() % 40) - 20);
    case 2: {
        const double p = r->points[kind / 8 % (unsigned)r->npoints];
        return sign * p * (1 + accuracy_unit() * ldexp(sign, -(int)(accuracy_word() % (single ? 24 : 53))));
    }
    case 3:
        return sign * 2 * accuracy_unit();
    case 4:
        return sign * 20 * accuracy_unit();
    default:
        return r->low + (r->high - r->low) * accuracy_unit();
    }
}

/* The sizes of the terms that cancel in the result of row r. */
static inline exact accuracy_beside(const accuracy_row *r, exact x, exact y)
{
    return r->beside == NULL ? 0 : r->beside(x, y);
}

/* ---- units in the last place ----------------------------------------------------------------- */

typedef struct accuracy_type { int precision, smallest; double largest; } accuracy_type;
static const accuracy_type accuracy_float16 = {11, -13, 65504},
                           accuracy_float32 = {24, -125, 0x1.fffffep127},
                           accuracy_float64 = {53, -1021, 0x1.fffffffffffffp1023};

/* Distance of got from want in units of the last place that want has in the type. A number that
 * should have been rounded to infinity counts from where the next one would be. beside: a
 * size that is worth no more than the result's own, 0 if there is none. */
static inline double accuracy_ulps(double got, exact want, const accuracy_type *t,
                                   exact beside)
{
    int e;
    if (isnan(want) || isnan(got))
        return isnan(want) && isnan(got) ? 0 : HUGE_VAL;
    if ((exact)got == want)
        return 0;
    const exact next = ldexpl(1, 3 - t->smallest), unit = ldexpl(1, 3 - t->smallest - t->precision);
    if (isinf(got) || isinf(want) || fabsl(want) > next) {
        if ((got > 0) != (want > 0) || (isinf(want) && !isinf(got)))
            return HUGE_VAL;
        const double off = (double)((fminl(fabsl(want), next) - fminl(fabsl(got), next)) / unit);
        return fabs(off);
    }
    frexpl(fmaxl(fabsl(want), fabsl(beside)), &e);
    if ((want == 0 && beside == 0) || e < t->smallest)
        e = t->smallest;
    return (double)(fabsl((exact)got - want) / ldexpl(1, e - t->precision));
}

#endif
