/* SPDX-License-Identifier: BSD-3-Clause */
/* format_number.h - numbers as text, as NumPy prints them in arrays: as few digits as tell a real
 * from its neighbours, at most `precision` of them behind the point, all of a column with the same
 * width.
 * Threads    plain data
 * Start at   hdi_real_format_of(), hdi_real_text()
 * Source     the rules of numpy/_core/arrayprint.py (NumPy 2.4), in our own words */
#ifndef HDI_FORMAT_NUMBER_H
#define HDI_FORMAT_NUMBER_H

#include "base/base.h"
#include "base/strbuf.h"

#include <heddle/dtype.h>

/* A kind of reals: how many bits their significands have, which power of two all of them are
 * multiples of, and from which power of ten on they are written with exponents. */
typedef struct hdi_real_kind { int bits, least_exponent, cutoff; } hdi_real_kind;

/* hdi_real_kind_of - of float16, bfloat16, float32, float64; of the parts of complex dtypes. */
hdi_real_kind hdi_real_kind_of(hd_dtype dt);

/* How the reals of an array are printed. */
typedef struct hdi_real_format {
    hdi_real_kind kind;
    bool scientific;
    bool sign;                 /* a + before what is not negative: imaginary parts */
    int precision;
    int left, right;           /* characters before and behind the point */
    int exponent;              /* digits of it */
} hdi_real_format;

/* hdi_real_format_of - for n reals, each `step` doubles behind the one before. */
hdi_real_format hdi_real_format_of(hdi_real_kind kind, const double *x, int64_t n, int step,
                                   int precision, bool sign);
void hdi_real_text(hdi_strbuf *s, const hdi_real_format *f, double x, const char *after);

/* hdi_real_alone - a number by itself, with all its digits: as Python prints floats. whole: what is
 * added to one without digits behind the point. */
void hdi_real_alone(hdi_strbuf *s, hdi_real_kind kind, double x, bool sign, const char *whole);

#endif
