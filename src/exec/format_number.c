/* SPDX-License-Identifier: BSD-3-Clause */
/* format_number.c - the digits of one real, and the widths of many. */
#include "exec/format_number.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 400, MOST_DIGITS = 17 };   /* -1.8e308 with some digits behind the point fits */

hdi_real_kind hdi_real_kind_of(hd_dtype dt)
{
    switch (dt) {
    case HD_FLOAT16: return (hdi_real_kind){11, -24, 3};
    case HD_BFLOAT16: return (hdi_real_kind){8, -133, 2};
    case HD_FLOAT32: case HD_COMPLEX64: return (hdi_real_kind){24, -149, 6};
    default: return (hdi_real_kind){53, -1074, 8};
    }
}

/* ---- digits ---------------------------------------------------------------------------------- */

/* Does the text stand for x and for no other real of the kind? */
static bool is_x(const char *text, double x, hdi_real_kind kind)
{
    const double y = strtod(text, NULL);
    if (kind.bits == 53 || y == x)
        return y == x;
    int exponent;
    frexp(x, &exponent);
    const int last = exponent - kind.bits > kind.least_exponent ? exponent - kind.bits
                                                                : kind.least_exponent;
    /* towards 0 the neighbour of a power of two is nearer; of two that are as near the even one is
     * read */
    const bool power = frexp(fabs(x), &exponent) == 0.5 && last > kind.least_exponent;
    const double half = ldexp(power && fabs(y) < fabs(x) ? 0.25 : 0.5, last);
    const bool even = fmod(ldexp(fabs(x), -last), 2) == 0;
    return even ? fabs(y - x) <= half : fabs(y - x) < half;
}

/* The fewest digits that tell x from its neighbours, as "-1.25e-07"; how many are behind the
 * first. */
static int fewest_digits(char *text, double x, hdi_real_kind kind)
{
    int p = 0;
    do
        snprintf(text, ROOM, "%.*e", p, x);
    while (!is_x(text, x, kind) && ++p < MOST_DIGITS);
    return p;
}

static void drop_zeros(char *text)
{
    size_t n = strlen(text);
    while (n > 0 && text[n - 1] == '0')
        text[--n] = '\0';
}

/* "-1.25e+07" as "-12500000.": digits that tell nothing are 0. */
static void add_zeros(char *text, const char *digits, int zeros)
{
    for (; *digits != 'e'; digits++)
        if (*digits != '.')
            *text++ = *digits;
    memset(text, '0', (size_t)zeros);
    strcpy(text + zeros, ".");
}

/* "12.5", "3.": no more digits behind the point than needed, and at most `most`. */
static void positional(char *text, double x, hdi_real_kind kind, int most)
{
    char digits[ROOM];
    const int p = fewest_digits(digits, x, kind), exponent = atoi(strchr(digits, 'e') + 1);
    const int behind = p - exponent;
    if (behind < 0) {
        add_zeros(text, digits, -behind);
        return;
    }
    snprintf(text, ROOM, "%.*f", behind < most ? behind : most, x);
    if (strchr(text, '.') == NULL)
        strcat(text, ".");
    else
        drop_zeros(text);
}

/* The parts of "1.25e-07": "1.", "25" with zeros dropped, "-07". */
typedef struct parts { char before[8], behind[40], exponent[8]; } parts;

static parts scientific(double x, hdi_real_kind kind, int most)
{
    char text[ROOM];
    parts p = {{0}, {0}, {0}};
    const int behind = fewest_digits(text, x, kind);
    snprintf(text, sizeof text, "%.*e", behind < most ? behind : most, x);
    char *e = strchr(text, 'e'), *point = strchr(text, '.');
    snprintf(p.exponent, sizeof p.exponent, "%.7s", e + 1);
    *e = '\0';
    if (point != NULL) {
        snprintf(p.behind, sizeof p.behind, "%.39s", point + 1);
        drop_zeros(p.behind);
        *point = '\0';
    }
    snprintf(p.before, sizeof p.before, "%.7s", text);
    return p;
}

/* ---- widths ---------------------------------------------------------------------------------- */

static int longer(int a, size_t b)
{
    return a > (int)b ? a : (int)b;
}

static bool wants_exponents(hdi_real_kind kind, const double *x, int64_t n, int step)
{
    double most = 0, least = DBL_MAX;
    for (int64_t i = 0; i < n; i++) {
        const double a = fabs(x[i * step]);
        if (!isfinite(a) || a == 0)
            continue;
        most = a > most ? a : most;
        least = a < least ? a : least;
    }
    return most > 0 && (most >= pow(10, kind.cutoff) || least < 1e-4 || most / least > 1000);
}

static const char *plus(const hdi_real_format *f, double x)
{
    return f->sign && !signbit(x) ? "+" : "";
}

static void measure(hdi_real_format *f, double x)
{
    char text[ROOM];
    const size_t sign = f->sign && !signbit(x);
    if (f->scientific) {
        const parts p = scientific(x, f->kind, f->precision);
        f->left = longer(f->left, strlen(p.before) + sign);
        f->right = longer(f->right, strlen(p.behind));
        f->exponent = longer(f->exponent, strlen(p.exponent) - 1);
        return;
    }
    positional(text, x, f->kind, f->precision);
    const char *point = strchr(text, '.');
    f->left = longer(f->left, (size_t)(point - text) + sign);
    f->right = longer(f->right, strlen(point + 1));
}

/* Characters from the point on: digits, and an exponent with its sign. */
static int from_the_point(const hdi_real_format *f)
{
    return f->right + 1 + (f->scientific ? f->exponent + 2 : 0);
}

/* Infinities and nans are as wide as numbers, or wider. */
static void make_room(hdi_real_format *f, const double *x, int64_t n, int step)
{
    bool any = false, negative = f->sign;
    for (int64_t i = 0; i < n; i++) {
        any |= !isfinite(x[i * step]);
        negative |= isinf(x[i * step]) && x[i * step] < 0;
    }
    const int beside = from_the_point(f);
    if (any)
        f->left = longer(f->left, (size_t)(3 + negative > beside ? 3 + negative - beside : 0));
}

hdi_real_format hdi_real_format_of(hdi_real_kind kind, const double *x, int64_t n, int step,
                                   int precision, bool sign)
{
    hdi_real_format f = {.kind = kind, .sign = sign, .precision = precision};
    f.scientific = wants_exponents(kind, x, n, step);
    for (int64_t i = 0; i < n; i++)
        if (isfinite(x[i * step]))
            measure(&f, x[i * step]);
    make_room(&f, x, n, step);
    return f;
}

/* ---- texts ----------------------------------------------------------------------------------- */

static void special(char *text, double x, bool sign)
{
    const char *before = isnan(x) ? sign ? "+" : "" : x < 0 ? "-" : sign ? "+" : "";
    snprintf(text, ROOM, "%s%s", before, isnan(x) ? "nan" : "inf");
}

void hdi_real_text(hdi_strbuf *s, const hdi_real_format *f, double x, const char *after)
{
    char text[ROOM];
    if (!isfinite(x)) {
        special(text, x, f->sign);
        hdi_strbuf_add(s, "%*s%s", f->left + from_the_point(f), text, after);
    } else if (f->scientific) {
        snprintf(text, sizeof text, "%s%.*e", plus(f, x), f->right, x);
        char *e = strchr(text, 'e');
        const int before = (int)(strcspn(text, ".e")), pad = f->left - before;
        const int exponent = atoi(e + 1);
        *e = '\0';
        hdi_strbuf_add(s, "%*s%s%se%c%0*d%s", pad, "", text, f->right == 0 ? "." : "",
                       exponent < 0 ? '-' : '+', f->exponent, abs(exponent), after);
    } else {
        char number[ROOM];
        positional(number, x, f->kind, f->precision);
        const char *point = strchr(number, '.');
        const int pad = f->left - (int)(point - number) - (int)strlen(plus(f, x));
        hdi_strbuf_add(s, "%*s%s%s%s%*s", pad, "", plus(f, x), number, after,
                       f->right - (int)strlen(point + 1), "");
    }
}

void hdi_real_alone(hdi_strbuf *s, hdi_real_kind kind, double x, bool sign, const char *whole)
{
    char text[ROOM];
    const double a = fabs(x), large = kind.bits == 53 ? 1e16 : pow(10, kind.cutoff);
    const char *before = sign && !signbit(x) ? "+" : "";
    if (!isfinite(x)) {
        special(text, x, sign);
        hdi_strbuf_add(s, "%s", text);
    } else if (x == 0 || (a >= 1e-4 && a < large)) {
        positional(text, x, kind, ROOM);
        char *end = text + strlen(text) - 1;
        const bool ends = *end == '.';
        if (ends)
            *end = '\0';
        hdi_strbuf_add(s, "%s%s%s", before, text, ends ? whole : "");
    } else {
        const parts p = scientific(x, kind, MOST_DIGITS);
        hdi_strbuf_add(s, "%s%s%s%se%s", before, p.before, p.behind[0] != '\0' ? "." : "",
                       p.behind, p.exponent);
    }
}
