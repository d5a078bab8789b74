/* SPDX-License-Identifier: BSD-3-Clause */
/* loops_data.h - what the tests of the inner loops share: the tables to test, rows as data,
 * inputs, comparison. */
#ifndef HEDDLE_TESTS_LOOPS_DATA_H
#define HEDDLE_TESTS_LOOPS_DATA_H

#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/loops/loops.h"

enum { MAX_TABLES = 3, MAX_SPECIALS = 20, MAX_N = 512, ITEM = 16 };

/* ---- tables and rows ------------------------------------------------------------------------- */

/* The tables that this machine can run, narrowest first. */
static inline int loop_tables(const hdi_loops **t)
{
    int n = 0;
    const char *const names[] = {"v2", "v3", "v4"};
    char *kept = getenv("HEDDLE_ISA");
    if (kept != NULL)
        kept = strdup(kept);
    for (int i = 0; i < MAX_TABLES; i++) {
        setenv("HEDDLE_ISA", names[i], 1);
        const hdi_loops *best = hdi_loops_best();
        if (strcmp(best->isa, names[i]) == 0)
            t[n++] = best;
    }
    unsetenv("HEDDLE_ISA");
    if (kept != NULL)
        setenv("HEDDLE_ISA", kept, 1);
    free(kept);
    return n;
}

typedef struct ew_row { const char *name, *types, *rule; int nin; } ew_row;
static const ew_row ew_rows[] = {
#define EW1(name, types, rule, ...) {#name, #types, #rule, 1},
#define EW2(name, types, rule, ...) {#name, #types, #rule, 2},
#define EW3(name, types, rule, ...) {#name, #types, #rule, 3},
#include "ops/elementwise/ew.def"
};

typedef struct ew_case { int ulp, complex_ulp, nspecials; double special[MAX_SPECIALS]; } ew_case;
#define CASE_COUNT_OF(...) (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double))
static const ew_case ew_cases[HDI_EW_COUNT] = {
#define CASE(name, ulp, complex_ulp, ...) [HD_OP_##name] = {ulp, complex_ulp, CASE_COUNT_OF(__VA_ARGS__), {__VA_ARGS__}},
#include "ops/ew_cases.def"
};
enum { CASE_COUNT = 0
#define CASE(name, ...) + 1
#include "ops/ew_cases.def"
};
_Static_assert((int)CASE_COUNT == (int)HDI_EW_COUNT, "every row of ew.def needs its row in ew_cases.def");

static inline int has_rule(int op, const char *rule)
{
    return strcmp(ew_rows[op].rule, rule) == 0;
}

/* Random numbers: no formula has them. */
static inline int is_random(int op)
{
    return has_rule(op, "BITS") || has_rule(op, "DRAW");
}

/* ---- dtypes ---------------------------------------------------------------------------------- */

typedef struct dtype_row { const char *name; char letter; int size, loops; hd_dtype real; } dtype_row;
#define LETTER_b 'B'
#define LETTER_i 'I'
#define LETTER_u 'I'
#define LETTER_f 'F'
#define LETTER_c 'C'
static const dtype_row dtypes[HD_DTYPE_COUNT] = {
#define DT(NAME, name, code, kind, bits, ctype, real, loops) [HD_##NAME] = {#name, LETTER_##kind, bits / 8, loops, HD_##real},
#include "core/dtype.def"
};

static inline int is_half(hd_dtype dt)
{
    return dt == HD_FLOAT16 || dt == HD_BFLOAT16;
}

/* Half types have loops where the neighbours of a number are asked for; the rest is float32's. */
static inline int row_has(int op, int dt)
{
    const int neighbours = dtypes[dt].letter == 'F' && (op == HD_OP_spacing || op == HD_OP_nextafter);
    return (dtypes[dt].loops || neighbours) && strchr(ew_rows[op].types, dtypes[dt].letter) != NULL && !has_rule(op, "KEEP");
}

static inline hd_dtype out_dtype(int op, hd_dtype dt)
{
    return has_rule(op, "BOOL")    ? HD_BOOL
           : has_rule(op, "REAL")  ? dtypes[dt].real
           : has_rule(op, "UINT8") ? HD_UINT8
           : has_rule(op, "INT32") ? HD_INT32
                                   : dt;
}

static inline hd_dtype in_dtype(int op, int k, hd_dtype dt)
{
    if (k == 0 && has_rule(op, "COND"))
        return HD_BOOL;
    if (k == 0 && (has_rule(op, "INDEX") || is_random(op)))
        return HD_INT64;
    if (k == 1 && has_rule(op, "EXPO"))
        return HD_INT64;
    if (k == 1 && has_rule(op, "BITS"))
        return HD_COMPLEX128;   /* 128 bits of state */
    return dt;
}

/* ---- halves, by their definition ------------------------------------------------------------- */

static inline int half_digits(hd_dtype dt) { return dt == HD_FLOAT16 ? 10 : 7; }
static inline int half_bias(hd_dtype dt) { return dt == HD_FLOAT16 ? 15 : 127; }

static inline double half_value(hd_dtype dt, uint16_t h)
{
    const int digits = half_digits(dt), fraction = h & ((1 << digits) - 1), top = 2 * half_bias(dt) + 1;
    const int exponent = (h & 0x7fff) >> digits, e = exponent > 0 ? exponent : 1;
    const double size = exponent == top ? (fraction ? (double)NAN : HUGE_VAL)
                                        : ldexp(fraction + (exponent > 0 ? 1 << digits : 0), e - half_bias(dt) - digits);
    return h & 0x8000 ? -size : size;
}

/* The nearest one, ties to even. */
static inline uint16_t half_bits(hd_dtype dt, double x)
{
    const int digits = half_digits(dt), bias = half_bias(dt), sign = signbit(x) ? 0x8000 : 0;
    const int inf = (2 * bias + 1) << digits;
    if (isnan(x))
        return (uint16_t)(sign | inf | 1 << (digits - 1));
    if (isinf(x) || x == 0)
        return (uint16_t)(sign | (x != 0 ? inf : 0));
    const int e = ilogb(x) > 1 - bias ? ilogb(x) : 1 - bias;
    const double bits = rint(ldexp(fabs(x), digits - e)) + ldexp(e + bias - 1, digits);
    return (uint16_t)(sign | (bits < inf ? (int)bits : inf));
}

/* ---- inputs ---------------------------------------------------------------------------------- */

static uint64_t data_seed = 1;

static inline uint64_t next_word(void)
{
    data_seed ^= data_seed << 13;
    data_seed ^= data_seed >> 7;
    data_seed ^= data_seed << 17;
    return data_seed;
}

/* A real as the nearest thing to it that an integer type of any width keeps the low bits of. */
static inline int64_t whole_of(double x)
{
    return x > -9e18 && x < 9e18 ? (int64_t)x : 0;
}

static inline double some_real(int op)
{
    const uint64_t w = next_word();
    const double unit = (double)(w >> 11) * 0x1p-52 - 1;
    switch (w % 8) {
    case 0: return ew_cases[op].special[(w >> 8) % (unsigned)ew_cases[op].nspecials];
    case 1: return floor(unit * 10);
    case 2: return ldexp(unit, (int)((w >> 3) % 240) - 120);
    default: return unit * 4;
    }
}

static inline uint64_t some_bits(int op)
{
    const uint64_t w = next_word();
    switch (w % 4) {
    case 0: return (uint64_t)whole_of(ew_cases[op].special[(w >> 8) % (unsigned)ew_cases[op].nspecials]);
    case 1: return (uint64_t)((int64_t)((w >> 8) % 16) - 8);
    default: return next_word();
    }
}

static inline void put_element(hd_dtype dt, void *at, int op)
{
    const double re = some_real(op), im = some_real(op);
    const uint64_t bits = dt == HD_BOOL ? next_word() % 2 : some_bits(op);
    const uint16_t half = (uint16_t)(bits % 4 ? half_bits(dt, re) : next_word());
    switch (dt) {
    case HD_FLOAT16:
    case HD_BFLOAT16: memcpy(at, &half, 2); break;
    case HD_FLOAT32: memcpy(at, &(float){(float)re}, 4); break;
    case HD_FLOAT64: memcpy(at, &re, 8); break;
    case HD_COMPLEX64: memcpy(at, (float[]){(float)re, (float)im}, 8); break;
    case HD_COMPLEX128: memcpy(at, (double[]){re, im}, 16); break;
    default: memcpy(at, &bits, (size_t)dtypes[dt].size); break;   /* little-endian: the low bytes */
    }
}

static inline void put_block(hd_dtype dt, void *at, int n, int op)
{
    for (int i = 0; i < n; i++)
        put_element(dt, (char *)at + i * dtypes[dt].size, op);
}

/* ---- comparison ------------------------------------------------------------------------------ */

static inline int same_real(hd_dtype dt, const void *a, const void *b)
{
    double x, y;
    if (dt == HD_FLOAT32) {
        float p, q;
        memcpy(&p, a, 4);
        memcpy(&q, b, 4);
        x = p, y = q;
    } else if (is_half(dt)) {
        uint16_t p, q;
        memcpy(&p, a, 2);
        memcpy(&q, b, 2);
        x = half_value(dt, p), y = half_value(dt, q);
    } else {
        memcpy(&x, a, 8);
        memcpy(&y, b, 8);
    }
    return (isnan(x) && isnan(y)) || (x == y && !signbit(x) == !signbit(y));
}

/* Equal bits; but nan is nan. */
static inline int same_element(hd_dtype dt, const void *a, const void *b)
{
    const hd_dtype real = dtypes[dt].real;
    if (dtypes[real].letter != 'F')
        return memcmp(a, b, (size_t)dtypes[dt].size) == 0;
    return same_real(real, a, b) &&
           (real == dt || same_real(real, (const char *)a + dtypes[real].size, (const char *)b + dtypes[real].size));
}

/* Number of the first element that differs, -1 if none does. */
static inline int first_difference(hd_dtype dt, const void *a, const void *b, int n)
{
    for (int i = 0; i < n; i++)
        if (!same_element(dt, (const char *)a + i * dtypes[dt].size, (const char *)b + i * dtypes[dt].size))
            return i;
    return -1;
}

#endif
