/* SPDX-License-Identifier: BSD-3-Clause */
/* test_accuracy.c - every mathematical function against extended precision, as the CPU computes it
 * and by our own text, on every instruction set: no result is further away than its row of
 * ew_cases.def allows. With HEDDLE_ACCURACY_DOC=<file> it draws 2^20 samples and writes what it
 * found (docs/accuracy.md). */
#include "backend/loops_data.h"

#include "accuracy.h"
#include "backend/cpu/cpu_vecmath.h"

enum { FEW = 1 << 13, MANY = 1 << 20, HALVES = 1 << 16, WAYS = 2 };
enum { OF_HALF, OF_SINGLE, OF_DOUBLE, TYPES };

typedef struct found { double ulps, x, y; } found;
/* [type][instruction set][as the CPU does it, own] */
typedef struct findings { found worst[TYPES][MAX_TABLES][WAYS]; } findings;

typedef struct work { double x[MANY], y[MANY], got[MANY]; float x32[MANY], y32[MANY], got32[MANY]; exact want[MANY], beside[MANY]; } work;
static work w;

/* To float16 and back: to the nearest, ties to even. */
static double to_half(double x)
{
    int e;
    if (!isfinite(x) || x == 0)
        return x;
    frexp(x, &e);
    e = (e < accuracy_float16.smallest ? accuracy_float16.smallest : e) - accuracy_float16.precision;
    const double r = ldexp(rint(ldexp(x, -e)), e);
    return fabs(r) > 65504 ? copysign(INFINITY, r) : r;
}

static double half_of_bits(unsigned bits)
{
    const int e = (int)(bits >> 10 & 31), m = (int)(bits & 1023);
    const double size = e == 31 ? (m == 0 ? INFINITY : NAN) : e == 0 ? ldexp(m, -24) : ldexp(1024 + m, e - 25);
    return bits >> 15 ? -size : size;
}

/* Powers: exponents up to where the result overflows. */
static double second(const accuracy_row *r, double x, int type)
{
    const double most = type == OF_HALF ? 16 : type == OF_SINGLE ? 130 : 1030;
    if (r->op == HD_OP_power && accuracy_word() % 2 == 0 && x > 0 && x != 1)
        return (2 * accuracy_unit() - 1) * most / log2(x);
    return accuracy_sample(r, type != OF_DOUBLE);
}

static int draw_samples(const accuracy_row *r, int type, int n)
{
    n = type == OF_HALF ? HALVES : n;
    for (int i = 0; i < n; i++) {
        w.x[i] = type == OF_HALF ? half_of_bits((unsigned)i) : accuracy_sample(r, type == OF_SINGLE);
        w.y[i] = second(r, w.x[i], type);
        if (type == OF_HALF)
            w.y[i] = to_half(w.y[i]);
        if (type != OF_DOUBLE) {
            w.x[i] = w.x32[i] = (float)w.x[i];
            w.y[i] = w.y32[i] = (float)w.y[i];
        }
        w.want[i] = r->reference(w.x[i], w.y[i]);
        w.beside[i] = accuracy_beside(r, w.x[i], w.y[i]);
    }
    return n;
}

static found measure(const accuracy_row *r, const hdi_loops *t, int type, int n)
{
    const accuracy_type *const types[TYPES] = {&accuracy_float16, &accuracy_float32, &accuracy_float64};
    const void *const in32[2] = {w.x32, w.y32}, *const in64[2] = {w.x, w.y};
    found f = {0, 0, 0};
    if (type == OF_DOUBLE)
        t->ew[r->op][HD_FLOAT64][HDI_VV](w.got, in64, n);
    else
        t->ew[r->op][HD_FLOAT32][HDI_VV](w.got32, in32, n);
    for (int i = 0; i < n; i++) {
        const double got = type == OF_DOUBLE ? w.got[i] : type == OF_SINGLE ? (double)w.got32[i] : to_half(w.got32[i]);
        const double off = accuracy_ulps(got, w.want[i], types[type], w.beside[i]);
        if (off > f.ulps)
            f = (found){off, w.x[i], w.y[i]};
    }
    return f;
}

static void examine(const accuracy_row *r, const hdi_loops *const *tables, int ntables, int n, findings *f)
{
    for (int type = 0; type < TYPES; type++) {
        const int count = draw_samples(r, type, n);
        for (int t = 0; t < ntables; t++)
            for (int own = 0; own < WAYS; own++) {
                hdi_vecmath_off(own);
                f->worst[type][t][own] = measure(r, tables[t], type, count);
            }
    }
    hdi_vecmath_off(false);
}

/* ---- the document ---------------------------------------------------------------------------- */

static void write_head(FILE *to, const hdi_loops *const *tables, int ntables)
{
    fputs("# How exact the mathematical functions are\n\n"
          "Largest errors found, in units in the last place of the exact result (0.5 is the least there is), over 2^20\n"
          "samples of each type: any bits, moderate sizes, the interval in which most of the function happens, and near\n"
          "zeros, poles, limits and changes of method. float16: all 65,536 numbers, computed in float32 and rounded.\n"
          "References are in 80 bits. `test_accuracy` draws fewer samples and fails beyond the bound in\n"
          "`tests/ops/ew_cases.def`. This page is written by\n"
          "`HEDDLE_ACCURACY_DOC=docs/accuracy.md build/gcc/tests/test_accuracy`.\n\n"
          "\"own\" is the text in `src/ops/elementwise/math`, which every target can compute and the CPU uses where\n"
          "`functions.def` says so, or where the C library has no vector function; it has the same bits wherever\n"
          "multiplication and addition fuse (v3, v4). \"default\" is what the CPU uses. Below 0 the terms of gammaln and\n"
          "digamma cancel around their zeros: errors there are counted in units of the terms, or of 1 where these are\n"
          "smaller. Errors of logaddexp and logaddexp2 are counted in units of the terms as well.\n\n| function | float16 |", to);
    for (int t = 0; t < ntables; t++)
        fprintf(to, " float32 %s default | own | float64 %s default | own |", tables[t]->isa, tables[t]->isa);
    fprintf(to, " own is worst at (float64) |\n|---|---|");
    for (int t = 0; t < 4 * ntables; t++)
        fprintf(to, "---|");
    fprintf(to, "---|\n");
}

static void write_row(FILE *to, const accuracy_row *r, int ntables, const findings *f)
{
    double half = 0;
    for (int t = 0; t < ntables; t++)
        for (int own = 0; own < WAYS; own++)
            half = fmax(half, f->worst[OF_HALF][t][own].ulps);
    fprintf(to, "| %s | %.2f |", ew_rows[r->op].name, half);
    for (int t = 0; t < ntables; t++)
        for (int type = OF_SINGLE; type < TYPES; type++)
            fprintf(to, " %.2f | %.2f |", f->worst[type][t][0].ulps, f->worst[type][t][1].ulps);
    const found *at = &f->worst[OF_DOUBLE][ntables - 1][1];
    if (ew_rows[r->op].nin == 2)
        fprintf(to, " %.17g, %.17g |\n", at->x, at->y);
    else
        fprintf(to, " %.17g |\n", at->x);
}

/* ---- tests ----------------------------------------------------------------------------------- */

TEST(accuracy, no_function_exceeds_its_bound)
{
    const hdi_loops *tables[MAX_TABLES];
    const int ntables = loop_tables(tables);
    static findings f;
    const char *name = getenv("HEDDLE_ACCURACY_DOC");
    FILE *to = name != NULL ? fopen(name, "w") : NULL;
    if (to != NULL)
        write_head(to, tables, ntables);
    for (int i = 0; i < ACCURACY_ROWS; i++) {
        const accuracy_row *r = &accuracy_rows[i];
        examine(r, tables, ntables, to != NULL ? MANY : FEW, &f);
        for (int type = 0; type < TYPES; type++)
            for (int k = 0; k < WAYS * ntables; k++) {
                const found *worst = &f.worst[type][k / WAYS][k % WAYS];
                if (!CHECK(worst->ulps <= ew_cases[r->op].ulp))
                    fprintf(stderr, "%s(%a, %a), float%d, %s, %s: %g ulp\n", ew_rows[r->op].name, worst->x, worst->y, 16 << type,
                            tables[k / WAYS]->isa, k % WAYS ? "own" : "default", worst->ulps);
            }
        if (to != NULL)
            write_row(to, r, ntables, &f);
    }
    if (to != NULL)
        CHECK(fclose(to) == 0);
}

/* Is an error of a few units seen where it is? */
TEST(accuracy, planted_errors_are_found)
{
    const accuracy_type *t = &accuracy_float64;
    CHECK_NEAR(accuracy_ulps(1 + 0x1p-51, 1, t, 0), 2, 0);
    CHECK_NEAR(accuracy_ulps(5e-324, 0, t, 0), 1, 0);
    CHECK_NEAR(accuracy_ulps(INFINITY, 0x1.fffffffffffffp1023L, t, 0), 1, 0);
    CHECK_NEAR(accuracy_ulps(0x1.ffffffffffffep1023, INFINITY, t, 0), HUGE_VAL, 0);
    CHECK_NEAR(accuracy_ulps(0x1.ffffffffffffep1023, 0x1p1025L, t, 0), 2, 0);
    CHECK_NEAR(accuracy_ulps(NAN, 1, t, 0), HUGE_VAL, 0);
    CHECK_NEAR(accuracy_ulps(-1, 1, t, 0), 0x1p53, 0);
    CHECK_NEAR(accuracy_ulps(0x1p-53, 0, t, 1.5L), 0.5, 0);
    CHECK_NEAR(accuracy_ulps(65504, 65520, &accuracy_float16, 0), 0.5, 0);
}
