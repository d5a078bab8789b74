/* SPDX-License-Identifier: BSD-3-Clause */
/* fold.c - arithmetic of constants, with the meaning that nodes.def gives. */
#include "lir/lir.h"

/* As a constant of the type: extended from its width. */
static int64_t fit(hdi_lir_type type, int64_t x)
{
    const int unused = 64 - 8 * hdi_lir_types[type].bytes;
    switch (hdi_lir_types[type].kind) {
    case 'b': return x != 0;
    case 'i': return (int64_t)((uint64_t)x << unused) >> unused;
    case 'u': return (int64_t)((uint64_t)x << unused >> unused);
    default: return x;
    }
}

static bool of_reals(hdi_lir_op op, hdi_lir_type type, double x, double y, int64_t *r)
{
    const bool single = type == HDI_LIR_F32;
    const float a = (float)x, b = (float)y;
    switch (op) {
    case HDI_LIR_ADD: *r = hdi_lir_bits_of(type, single ? (double)(a + b) : x + y); return true;
    case HDI_LIR_SUB: *r = hdi_lir_bits_of(type, single ? (double)(a - b) : x - y); return true;
    case HDI_LIR_MUL: *r = hdi_lir_bits_of(type, single ? (double)(a * b) : x * y); return true;
    case HDI_LIR_DIV: *r = hdi_lir_bits_of(type, single ? (double)(a / b) : x / y); return true;
    case HDI_LIR_LT: *r = x < y; return true;
    case HDI_LIR_LE: *r = x <= y; return true;
    case HDI_LIR_EQ: *r = x == y; return true;
    case HDI_LIR_NE: *r = x != y; return true;
    default: return false;
    }
}

static int64_t shifted(hdi_lir_op op, hdi_lir_type type, int64_t x, uint64_t by)
{
    const uint64_t width = 8 * (uint64_t)hdi_lir_types[type].bytes;
    if (op == HDI_LIR_SHL)
        return by >= width ? 0 : (int64_t)((uint64_t)x << by);
    if (hdi_lir_types[type].kind == 'u')
        return by >= width ? 0 : (int64_t)((uint64_t)x >> by);
    return x >> (by >= width ? width - 1 : by);
}

static bool divided(hdi_lir_op op, bool is_signed, int64_t x, int64_t y, int64_t *r)
{
    if (y == 0 || (is_signed && y == -1))
        return false;
    if (is_signed)
        *r = op == HDI_LIR_DIV ? x / y : x % y;
    else
        *r = (int64_t)(op == HDI_LIR_DIV ? (uint64_t)x / (uint64_t)y : (uint64_t)x % (uint64_t)y);
    return true;
}

static bool of_integers(hdi_lir_op op, hdi_lir_type type, int64_t x, int64_t y, int64_t *r)
{
    const bool is_signed = hdi_lir_types[type].kind == 'i';
    const uint64_t a = (uint64_t)x, b = (uint64_t)y;
    switch (op) {
    case HDI_LIR_ADD: *r = (int64_t)(a + b); return true;
    case HDI_LIR_SUB: *r = (int64_t)(a - b); return true;
    case HDI_LIR_MUL: *r = (int64_t)(a * b); return true;
    case HDI_LIR_DIV: case HDI_LIR_REM: return divided(op, is_signed, x, y, r);
    case HDI_LIR_AND: *r = x & y; return true;
    case HDI_LIR_OR: *r = x | y; return true;
    case HDI_LIR_XOR: *r = x ^ y; return true;
    case HDI_LIR_SHL: case HDI_LIR_SHR: *r = shifted(op, type, x, b & 0xffffffffu); return true;
    case HDI_LIR_LT: *r = is_signed ? x < y : a < b; return true;
    case HDI_LIR_LE: *r = is_signed ? x <= y : a <= b; return true;
    case HDI_LIR_EQ: *r = x == y; return true;
    case HDI_LIR_NE: *r = x != y; return true;
    default: return false;
    }
}

static bool compares(hdi_lir_op op) { return op >= HDI_LIR_LT && op <= HDI_LIR_NE; }

bool hdi_lir_fold2(hdi_lir_op op, hdi_lir_type type, int64_t x, int64_t y, int64_t *r)
{
    const char kind = hdi_lir_types[type].kind;
    if (kind == 'f')
        return of_reals(op, type, hdi_lir_real_of(type, x), hdi_lir_real_of(type, y), r);
    if (kind == 'p' || !of_integers(op, type, x, y, r))
        return false;
    if (!compares(op))
        *r = fit(type, *r);
    return true;
}

bool hdi_lir_fold1(hdi_lir_op op, hdi_lir_type type, int64_t x, int64_t *r)
{
    const char kind = hdi_lir_types[type].kind;
    if (op == HDI_LIR_NEG && kind == 'f')
        *r = hdi_lir_bits_of(type, -hdi_lir_real_of(type, x));
    else if (op == HDI_LIR_NEG)
        *r = fit(type, (int64_t)(0u - (uint64_t)x));
    else if (op == HDI_LIR_NOT)
        *r = kind == 'b' ? !x : fit(type, ~x);
    else
        return false;
    return true;
}

/* As CONVERT: reals beyond an integer type saturate. */
static int64_t whole_of(hdi_lir_type to, double x)
{
    const int bits = 8 * hdi_lir_types[to].bytes;
    const bool is_signed = hdi_lir_types[to].kind == 'i';
    const double top = (is_signed ? 0.5 : 1.0) * 2.0 * (double)(1ull << (bits - 1));
    if (!(x == x))
        return 0;
    if (x >= top)
        return fit(to, is_signed ? INT64_MAX >> (64 - bits) : -1);
    if (x <= (is_signed ? -top : -0.0))
        return is_signed ? INT64_MIN >> (64 - bits) : 0;
    return is_signed ? (int64_t)x : (int64_t)(uint64_t)x;
}

int64_t hdi_lir_fold_convert(hdi_lir_type from, hdi_lir_type to, int64_t x)
{
    const char f = hdi_lir_types[from].kind, t = hdi_lir_types[to].kind;
    if (t == 'b')
        return f == 'f' ? hdi_lir_real_of(from, x) != 0 : x != 0;
    if (f == 'f' && t == 'f')
        return hdi_lir_bits_of(to, hdi_lir_real_of(from, x));
    if (f == 'f')
        return whole_of(to, hdi_lir_real_of(from, x));
    if (t == 'f' && to == HDI_LIR_F32) {
        /* Not by way of double, which would round twice. */
        const float value = f == 'u' ? (float)(uint64_t)x : (float)x;
        return hdi_lir_bits_of(to, (double)value);
    }
    if (t == 'f')
        return hdi_lir_bits_of(to, f == 'u' ? (double)(uint64_t)x : (double)x);
    return fit(to, x);
}
