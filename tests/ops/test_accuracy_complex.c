/* SPDX-License-Identifier: BSD-3-Clause */
/* test_accuracy_complex.c - every function of complex numbers against extended precision, on every
 * instruction set: errors in units in the last place of the modulus, and of each part where that is
 * exact too; zeros, infinities and nan against the C library's. With
 * HEDDLE_ACCURACY_COMPLEX_DOC=<file> it draws 2^17 samples and writes what it found
 * (docs/accuracy-complex.md). */
#include "backend/loops_data.h"

#include <complex.h>

#include "accuracy.h"

typedef long double _Complex exact_complex;
typedef double _Complex plain_complex;

static exact_complex parts(exact re, exact im)
{
    return __builtin_complex(re, im);
}

/* ---- references ------------------------------------------------------------------------------ */

static exact_complex exact_cexp2(exact_complex z)
{
    const exact size = exp2l(creall(z)), angle = cimagl(z) * logl(2);
    return parts(size * cosl(angle), angle == 0 ? angle : size * sinl(angle));
}

static exact_complex exact_cexpm1(exact_complex z)
{
    const exact x = creall(z), y = cimagl(z), s = sinl(y / 2);
    return parts(expm1l(x) * cosl(y) - 2 * s * s, y == 0 ? y : expl(x) * sinl(y));
}

/* x^2 + y^2 - 1 in 113 bits, where it is near 0. */
static exact_complex exact_clog(exact_complex z)
{
    const exact x = fabsl(creall(z)), y = fabsl(cimagl(z));
    const __float128 high = fmaxl(x, y), low = fminl(x, y), rest = (high - 1) * (high + 1) + low * low;
    if (!(fabsl((exact)rest) < 0.5L))
        return clogl(z);
    return parts(log1pl((exact)rest) / 2, atan2l(cimagl(z), creall(z)));
}

static exact_complex exact_clog2(exact_complex z)
{
    return exact_clog(z) / logl(2);
}

static exact_complex exact_clog10(exact_complex z)
{
    return exact_clog(z) / logl(10);
}

static exact_complex exact_clog1p(exact_complex z)
{
    const exact x = creall(z), y = cimagl(z);
    const int near = fabsl(x) < 0.5L && fabsl(y) < 0.5L;
    return parts(near ? log1pl(x * (2 + x) + y * y) / 2 : logl(hypotl(1 + x, y)), atan2l(y, 1 + x));
}

/* by_parts: each part is as exact as the whole. reach: the largest angle of which the reference
 * knows enough bits. plain: the C library's, where it has one. */
typedef struct complex_row {
    hd_op op;
    exact_complex (*reference)(exact_complex);
    plain_complex (*plain)(plain_complex);
    bool by_parts;
    double reach;
} complex_row;

static const complex_row complex_rows[] = {
    {HD_OP_sqrt, csqrtl, csqrt, true, HUGE_VAL},     {HD_OP_exp, cexpl, cexp, true, HUGE_VAL},
    {HD_OP_exp2, exact_cexp2, NULL, false, 64},      {HD_OP_expm1, exact_cexpm1, NULL, false, HUGE_VAL},
    {HD_OP_log, exact_clog, clog, true, HUGE_VAL},        {HD_OP_log2, exact_clog2, NULL, true, HUGE_VAL},
    {HD_OP_log10, exact_clog10, NULL, true, HUGE_VAL}, {HD_OP_log1p, exact_clog1p, NULL, false, HUGE_VAL},
    {HD_OP_sin, csinl, csin, true, HUGE_VAL},        {HD_OP_cos, ccosl, ccos, true, HUGE_VAL},
    {HD_OP_tan, ctanl, ctan, true, HUGE_VAL},        {HD_OP_arcsin, casinl, casin, true, HUGE_VAL},
    {HD_OP_arccos, cacosl, cacos, true, HUGE_VAL},   {HD_OP_arctan, catanl, catan, true, HUGE_VAL},
    {HD_OP_sinh, csinhl, csinh, true, HUGE_VAL},     {HD_OP_cosh, ccoshl, ccosh, true, HUGE_VAL},
    {HD_OP_tanh, ctanhl, ctanh, true, HUGE_VAL},     {HD_OP_arcsinh, casinhl, casinh, true, HUGE_VAL},
    {HD_OP_arccosh, cacoshl, cacosh, true, HUGE_VAL}, {HD_OP_arctanh, catanhl, catanh, true, HUGE_VAL},
};
enum { COMPLEX_ROWS = sizeof complex_rows / sizeof *complex_rows };

/* ---- samples --------------------------------------------------------------------------------- */

enum { FEW = 1 << 11, MANY = 1 << 17 };
static double in[2][2 * MANY], got[2 * MANY];
static float in32[2][2 * MANY], got32[2 * MANY];

static double part(bool single)
{
    const uint64_t kind = accuracy_word() >> 40;
    const double sign = accuracy_word() >> 63 ? -1 : 1, near = ldexp(accuracy_unit(), -(int)(accuracy_word() % 53));
    switch (kind % 16) {
    case 0:
        return accuracy_any_bits(single);
    case 1:
        return sign * ldexp(1 + accuracy_unit(), (int)(accuracy_word() % 40) - 20);
    case 2:
        return sign * (1 + sign * near);
    case 3:
        return sign * (single ? 90 : 720) * accuracy_unit();
    case 4:   /* near whole quarters of a turn */
        return sign * 1.5707963267948966 * (double)(1 + kind / 16 % 4) * (1 + sign * near);
    case 5:
        return sign * 0.0;
    case 6:
        return sign * (single ? 200 : 1500) * accuracy_unit();
    case 7:
        return sign * ldexp(1 + accuracy_unit(), (int)(accuracy_word() % (single ? 250 : 2000)) - (single ? 125 : 1000));
    case 8:
        return sign * ldexp(1 + accuracy_unit(), -(int)(accuracy_word() % 100));
    default:
        return sign * 4 * accuracy_unit();
    }
}

/* Also points beside the circle around 0, where logarithms are 0. */
static void draw(double *x, double *y, bool single, double reach)
{
    do {
        *x = part(single);
        *y = part(single);
        if (accuracy_word() % 16 == 0) {
            const double angle = 7 * accuracy_unit();
            *x = cos(angle);
            *y = sin(angle);
        }
        if (single) {
            *x = (float)*x;
            *y = (float)*y;
        }
    } while (!isfinite(*x) || !isfinite(*y) || fabs(*y) > reach);
}

static void run(const hdi_loops *t, hd_op op, bool single, int n)
{
    const void *const wide[2] = {in[0], in[1]}, *const narrow[2] = {in32[0], in32[1]};
    for (int i = 0; single && i < 2 * n; i++) {
        in32[0][i] = (float)in[0][i];
        in32[1][i] = (float)in[1][i];
    }
    t->ew[op][single ? HD_COMPLEX64 : HD_COMPLEX128][HDI_VV](single ? (void *)got32 : got,
                                                             single ? narrow : wide, n);
    for (int i = 0; single && i < 2 * n; i++)
        got[i] = (double)got32[i];
}

/* ---- errors ---------------------------------------------------------------------------------- */

typedef struct found { double modulus, re, im, x, y; } found;

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static found measure(const complex_row *r, bool single, int n)
{
    const accuracy_type *type = single ? &accuracy_float32 : &accuracy_float64;
    found f = {0, 0, 0, 0, 0};
    for (int i = 0; i < n; i++) {
        const exact_complex want = r->reference(parts(in[0][2 * i], in[0][2 * i + 1]));
        const exact size = hypotl(creall(want), cimagl(want));
        const exact beside = size <= type->largest ? size : 0;
        const double re = accuracy_ulps(got[2 * i], creall(want), type, 0);
        const double im = accuracy_ulps(got[2 * i + 1], cimagl(want), type, 0);
        const double off = larger(accuracy_ulps(got[2 * i], creall(want), type, beside),
                                  accuracy_ulps(got[2 * i + 1], cimagl(want), type, beside));
        if (off > f.modulus)
            f = (found){off, f.re, f.im, in[0][2 * i], in[0][2 * i + 1]};
        f.re = larger(f.re, re);
        f.im = larger(f.im, im);
    }
    return f;
}

static void write_row(FILE *to, const complex_row *r, int ntables, const found f[][2])
{
    fprintf(to, "| %s |", ew_rows[r->op].name);
    for (int t = 0; t < ntables; t++)
        if (r->by_parts)
            fprintf(to, " %.2f | %.2f | %.2f | %.2f |", f[t][1].modulus, f[t][0].modulus, f[t][0].re, f[t][0].im);
        else
            fprintf(to, " %.2f | %.2f | | |", f[t][1].modulus, f[t][0].modulus);
    fprintf(to, " %.17g, %.17g |\n", f[ntables - 1][0].x, f[ntables - 1][0].y);
}

static void write_head(FILE *to, const hdi_loops *const *tables, int ntables)
{
    fputs("# How exact the functions of complex numbers are\n\n"
          "Largest errors found, in units in the last place, over 2^17 samples of each type: any bits, moderate sizes, near\n"
          "1, near quarters of a turn, near the unit circle, near where the result overflows. \"modulus\" counts in units of\n"
          "the result's modulus, \"re\" and \"im\" in units of that part itself. References are in 80 bits. complex64 is\n"
          "computed in float64 and rounded once. `test_accuracy_complex` draws fewer samples and fails beyond 4 units of the\n"
          "modulus (5 of tan and tanh), and beyond 8 of a part for all but exp2, expm1 and log1p, whose parts may be differences. This page is\n"
          "written by `HEDDLE_ACCURACY_COMPLEX_DOC=docs/accuracy-complex.md build/gcc/tests/test_accuracy_complex`.\n\n"
          "| function |", to);
    for (int t = 0; t < ntables; t++)
        fprintf(to, " complex64 %s modulus | complex128 %s modulus | re | im |", tables[t]->isa, tables[t]->isa);
    fprintf(to, " worst at (complex128) |\n|---|");
    for (int t = 0; t < 4 * ntables; t++)
        fprintf(to, "---|");
    fprintf(to, "---|\n");
}

static void examine(const complex_row *r, const hdi_loops *t, int n, found f[2])
{
    for (int single = 0; single < 2; single++) {
        for (int i = 0; i < n; i++)
            draw(&in[0][2 * i], &in[0][2 * i + 1], single, r->reach);
        run(t, r->op, single, n);
        f[single] = measure(r, single, n);
        const double worst_part = larger(f[single].re, f[single].im);
        if (!CHECK(f[single].modulus <= ew_cases[r->op].complex_ulp && (!r->by_parts || worst_part <= 8)))
            fprintf(stderr, "%s(%a, %a), complex%d, %s: %g ulp; re %g, im %g\n", ew_rows[r->op].name, f[single].x, f[single].y,
                    single ? 64 : 128, t->isa, f[single].modulus, f[single].re, f[single].im);
    }
}

TEST(accuracy_complex, no_function_exceeds_its_bound)
{
    const hdi_loops *tables[MAX_TABLES];
    const int ntables = loop_tables(tables);
    const char *name = getenv("HEDDLE_ACCURACY_COMPLEX_DOC");
    FILE *to = name != NULL ? fopen(name, "w") : NULL;
    if (to != NULL)
        write_head(to, tables, ntables);
    for (int i = 0; i < COMPLEX_ROWS; i++) {
        found f[MAX_TABLES][2];
        for (int t = 0; t < ntables; t++)
            examine(&complex_rows[i], tables[t], to != NULL ? MANY : FEW, f[t]);
        if (to != NULL)
            write_row(to, &complex_rows[i], ntables, f);
    }
    if (to != NULL)
        CHECK(fclose(to) == 0);
}

/* Powers by the logarithm: the error grows with the size of the exponent of e. */
TEST(accuracy_complex, powers_are_as_exact_as_their_exponent)
{
    const hdi_loops *tables[MAX_TABLES];
    const int ntables = loop_tables(tables);
    for (int t = 0; t < ntables; t++)
        for (int single = 0; single < 2; single++) {
            const accuracy_type *type = single ? &accuracy_float32 : &accuracy_float64;
            for (int i = 0; i < FEW; i++) {
                draw(&in[0][2 * i], &in[0][2 * i + 1], single, HUGE_VAL);
                draw(&in[1][2 * i], &in[1][2 * i + 1], single, HUGE_VAL);
            }
            run(tables[t], HD_OP_power, single, FEW);
            for (int i = 0; i < FEW; i++) {
                const exact_complex z = parts(in[0][2 * i], in[0][2 * i + 1]);
                const exact_complex log = parts(in[1][2 * i], in[1][2 * i + 1]) * clogl(z);
                const exact_complex want = cexpl(log);
                const exact size = hypotl(creall(want), cimagl(want));
                const bool is_plain = z != 0 && cabsl(log) < 1e4L && size <= type->largest && size >= 1e-30L;
                const double off = larger(accuracy_ulps(got[2 * i], creall(want), type, size),
                                          accuracy_ulps(got[2 * i + 1], cimagl(want), type, size));
                if (!CHECK(!is_plain || off <= 4 + 6 * (double)cabsl(log)))
                    fprintf(stderr, "(%a, %a) ** (%a, %a), complex%d, %s: %g ulp\n", in[0][2 * i], in[0][2 * i + 1], in[1][2 * i],
                            in[1][2 * i + 1], single ? 64 : 128, tables[t]->isa, off);
            }
        }
}

/* ---- zeros, infinities, nan ------------------------------------------------------------------ */

enum { SPECIALS = 20 };
static const double specials[SPECIALS] = {0.0, -0.0, 1, -1, 2, -2, 0.5, -0.5, INFINITY, -INFINITY,
                                          NAN, 1e300, -1e300, 5e-324, 1e-310, 800, -800, 30, -30, 3};

/* Signs count, but for those that the standard leaves open: beside nan. */
static bool is_alike(double x, double want, double beside)
{
    if (isnan(want))
        return isnan(x);
    if (want == 0 || isinf(want))
        return (x == want && (isnan(beside) || !signbit(x) == !signbit(want))) ||
               (want == 0 && fabs(x) < 1e-323) || (isinf(want) && isnan(beside) && isinf(x));
    return fabs(x - want) <= 1e-14 * fabs(want) + 1e-323;
}

TEST(accuracy_complex, special_values_are_the_c_librarys)
{
    const hdi_loops *tables[MAX_TABLES];
    const int ntables = loop_tables(tables);
    for (int k = 0; k < SPECIALS * SPECIALS; k++) {
        in[0][2 * k] = specials[k / SPECIALS];
        in[0][2 * k + 1] = specials[k % SPECIALS];
    }
    for (int row = 0; row < COMPLEX_ROWS; row++)
        for (int t = 0; complex_rows[row].plain != NULL && t < ntables; t++) {
            run(tables[t], complex_rows[row].op, false, SPECIALS * SPECIALS);
            for (int k = 0; k < SPECIALS * SPECIALS; k++) {
                const plain_complex want = complex_rows[row].plain(__builtin_complex(in[0][2 * k], in[0][2 * k + 1]));
                if (!CHECK(is_alike(got[2 * k], creal(want), cimag(want)) &&
                           is_alike(got[2 * k + 1], cimag(want), creal(want))))
                    fprintf(stderr, "%s(%g, %g), %s: %g, %g, not %g, %g\n", ew_rows[complex_rows[row].op].name, in[0][2 * k],
                            in[0][2 * k + 1], tables[t]->isa, got[2 * k], got[2 * k + 1], creal(want), cimag(want));
            }
        }
}

/* What of the C library's powers is well defined: the angle of the result is no larger than 4. */
TEST(accuracy_complex, special_powers_are_the_c_librarys)
{
    static const double values[8] = {0.0, -0.0, 1, -1, 0.5, INFINITY, -INFINITY, NAN};
    const hdi_loops *tables[MAX_TABLES];
    const int ntables = loop_tables(tables), n = 8 * 8 * 8 * 8;
    for (int k = 0; k < n; k++)
        for (int j = 0; j < 4; j++)
            in[j / 2][2 * k + j % 2] = values[k >> 3 * j & 7];
    for (int t = 0; t < ntables; t++) {
        run(tables[t], HD_OP_power, false, n);
        for (int k = 0; k < n; k++) {
            const double *x = &in[0][2 * k], *y = &in[1][2 * k];
            if ((x[0] == 0 && x[1] == 0) || (y[1] == 0 && isfinite(y[0]) && y[0] == rint(y[0])))
                continue;   /* NumPy's, not the C library's: test_ops.py has them */
            const plain_complex want = cpow(__builtin_complex(x[0], x[1]), __builtin_complex(y[0], y[1]));
            const double size = isfinite(cabs(want)) ? cabs(want) : 0;
            for (int j = 0; j < 2; j++) {
                const double p = j ? cimag(want) : creal(want), other = j ? creal(want) : cimag(want);
                if (!CHECK(is_alike(got[2 * k + j], p, other) || fabs(got[2 * k + j] - p) <= 1e-14 * size))
                    fprintf(stderr, "(%g, %g) ** (%g, %g), part %d, %s: %g, not %g\n", x[0], x[1], y[0], y[1], j, tables[t]->isa,
                            got[2 * k + j], p);
            }
        }
    }
}
