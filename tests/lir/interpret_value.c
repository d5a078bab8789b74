/* SPDX-License-Identifier: BSD-3-Clause */
/* interpret_value.c - operations of lowered IR on one value. */
#include "lir/interpret_value.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

static char kind_of(int type)
{
    return hdi_lir_types[type].kind;
}

static int width_of(int type)
{
    return 8 * hdi_lir_types[type].bytes;
}

int64_t lir_canonical(int type, int64_t x)
{
    switch (type) {
    case HDI_LIR_BOOL: return x != 0;
    case HDI_LIR_I8:   return (int8_t)x;
    case HDI_LIR_U8:   return (uint8_t)x;
    case HDI_LIR_I16:  return (int16_t)x;
    case HDI_LIR_U16:  return (uint16_t)x;
    case HDI_LIR_I32:  return (int32_t)x;
    case HDI_LIR_U32:
    case HDI_LIR_F32:  return (uint32_t)x;
    default:           return x;
    }
}

double lir_real(int type, int64_t bits)
{
    if (type == HDI_LIR_F32) {
        const uint32_t low = (uint32_t)bits;
        float f;
        memcpy(&f, &low, sizeof f);
        return (double)f;
    }
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static int64_t of_real(int type, double x)
{
    return hdi_lir_bits_of((hdi_lir_type)type, x);
}

static int64_t saturated(int to, double x)
{
    const int width = width_of(to);
    if (isnan(x))
        return 0;
    if (kind_of(to) == 'u') {
        const double end = ldexp(1, width);
        return x <= 0 ? 0 : x >= end ? lir_canonical(to, -1) : (int64_t)(uint64_t)x;
    }
    const double end = ldexp(1, width - 1);
    return x < -end ? (int64_t)(0 - ((uint64_t)1 << (width - 1)))
           : x >= end ? (int64_t)(((uint64_t)1 << (width - 1)) - 1) : (int64_t)x;
}

int64_t lir_convert(int from, int to, int64_t x)
{
    if (kind_of(from) == 'f') {
        const double r = lir_real(from, x);
        return to == HDI_LIR_BOOL ? r != 0 : kind_of(to) == 'f' ? of_real(to, r) : saturated(to, r);
    }
    if (to == HDI_LIR_F32) {
        const float f = kind_of(from) == 'u' ? (float)(uint64_t)x : (float)x;
        return of_real(to, (double)f);
    }
    if (to == HDI_LIR_F64)
        return of_real(to, kind_of(from) == 'u' ? (double)(uint64_t)x : (double)x);
    return lir_canonical(to, x);
}

int64_t lir_unary(int op, int type, int64_t x)
{
    if (op == HDI_LIR_NOT)
        return type == HDI_LIR_BOOL ? !x : lir_canonical(type, ~x);
    return kind_of(type) == 'f' ? of_real(type, -lir_real(type, x))
                                : lir_canonical(type, (int64_t)(0 - (uint64_t)x));
}

static int64_t real_binary(int op, int type, double x, double y)
{
    switch (op) {
    case HDI_LIR_ADD: return of_real(type, x + y);
    case HDI_LIR_SUB: return of_real(type, x - y);
    case HDI_LIR_MUL: return of_real(type, x * y);
    case HDI_LIR_DIV: return of_real(type, x / y);
    case HDI_LIR_LT:  return x < y;
    case HDI_LIR_LE:  return x <= y;
    case HDI_LIR_EQ:  return x == y;
    default:          return x != y;
    }
}

static int64_t divided(int type, int64_t x, int64_t y)
{
    if (y == 0)
        return -1;
    if (kind_of(type) == 'u')
        return (int64_t)((uint64_t)x / (uint64_t)y);
    return y == -1 ? (int64_t)(0 - (uint64_t)x) : x / y;
}

static int64_t remainder_of(int type, int64_t x, int64_t y)
{
    if (y == 0)
        return x;
    if (kind_of(type) == 'u')
        return (int64_t)((uint64_t)x % (uint64_t)y);
    return y == -1 ? 0 : x % y;
}

static int64_t shifted(int op, int type, int64_t x, int64_t by)
{
    const int width = width_of(type);
    if (op == HDI_LIR_SHL)
        return by >= width ? 0 : (int64_t)((uint64_t)x << by);
    if (kind_of(type) == 'u')
        return by >= width ? 0 : (int64_t)((uint64_t)x >> by);
    return x >> (by >= width ? width - 1 : by);
}

static bool less(int type, int64_t x, int64_t y)
{
    return kind_of(type) == 'i' ? x < y : (uint64_t)x < (uint64_t)y;
}

static int64_t whole_binary(int op, int type, int64_t x, int64_t y)
{
    const uint64_t a = (uint64_t)x, b = (uint64_t)y;
    switch (op) {
    case HDI_LIR_ADD: return (int64_t)(a + b);
    case HDI_LIR_SUB: return (int64_t)(a - b);
    case HDI_LIR_MUL: return (int64_t)(a * b);
    case HDI_LIR_DIV: return divided(type, x, y);
    case HDI_LIR_REM: return remainder_of(type, x, y);
    case HDI_LIR_AND: return x & y;
    case HDI_LIR_OR:  return x | y;
    case HDI_LIR_XOR: return x ^ y;
    default:          return shifted(op, type, x, y);
    }
}

int64_t lir_binary(int op, int type, int64_t x, int64_t y)
{
    if (kind_of(type) == 'f')
        return real_binary(op, type, lir_real(type, x), lir_real(type, y));
    switch (op) {
    case HDI_LIR_LT: return less(type, x, y);
    case HDI_LIR_LE: return !less(type, y, x);
    case HDI_LIR_EQ: return x == y;
    case HDI_LIR_NE: return x != y;
    default:         return lir_canonical(type, whole_binary(op, type, x, y));
    }
}

/* ---- functions ------------------------------------------------------------------------------- */

static int64_t whole_math(int which, int type, int64_t x, int64_t y)
{
    const int width = width_of(type);
    const uint64_t low = width == 64 ? (uint64_t)x : (uint64_t)x & (((uint64_t)1 << width) - 1);
    uint64_t reversed = 0;
    switch (which) {
    case HDI_LIR_M_FABS:     return kind_of(type) == 'i' && x < 0 ? (int64_t)(0 - (uint64_t)x) : x;
    case HDI_LIR_M_MIN:      return less(type, y, x) ? y : x;
    case HDI_LIR_M_MAX:      return less(type, x, y) ? y : x;
    case HDI_LIR_M_POPCOUNT: return __builtin_popcountll(low);
    case HDI_LIR_M_CLZ:      return low == 0 ? width : __builtin_clzll(low) - (64 - width);
    case HDI_LIR_M_BREV:
        for (int i = 0; i < width; i++)
            reversed |= (low >> i & 1) << (width - 1 - i);
        return (int64_t)reversed;
    default:
        return kind_of(type) == 'u'
                   ? (int64_t)(((unsigned __int128)(uint64_t)x * (uint64_t)y) >> width)
                   : (int64_t)(((__int128)x * y) >> width);
    }
}

/* long: one row for each function */
static double real_math(int which, double x, double y, double z)
{
    switch (which) {
    case HDI_LIR_M_SIN:       return sin(x);
    case HDI_LIR_M_COS:       return cos(x);
    case HDI_LIR_M_TAN:       return tan(x);
    case HDI_LIR_M_ASIN:      return asin(x);
    case HDI_LIR_M_ACOS:      return acos(x);
    case HDI_LIR_M_ATAN:      return atan(x);
    case HDI_LIR_M_ATAN2:     return atan2(x, y);
    case HDI_LIR_M_SINH:      return sinh(x);
    case HDI_LIR_M_COSH:      return cosh(x);
    case HDI_LIR_M_TANH:      return tanh(x);
    case HDI_LIR_M_ASINH:     return asinh(x);
    case HDI_LIR_M_ACOSH:     return acosh(x);
    case HDI_LIR_M_ATANH:     return atanh(x);
    case HDI_LIR_M_SINPI:     return sin(PI * remainder(x, 2));
    case HDI_LIR_M_COSPI:     return cos(PI * remainder(x, 2));
    case HDI_LIR_M_EXP:       return exp(x);
    case HDI_LIR_M_EXP2:      return exp2(x);
    case HDI_LIR_M_EXP10:     return pow(10, x);
    case HDI_LIR_M_EXPM1:     return expm1(x);
    case HDI_LIR_M_LOG:       return log(x);
    case HDI_LIR_M_LOG2:      return log2(x);
    case HDI_LIR_M_LOG10:     return log10(x);
    case HDI_LIR_M_LOG1P:     return log1p(x);
    case HDI_LIR_M_POW:       return pow(x, y);
    case HDI_LIR_M_SQRT:      return sqrt(x);
    case HDI_LIR_M_RSQRT:     return 1 / sqrt(x);
    case HDI_LIR_M_CBRT:      return cbrt(x);
    case HDI_LIR_M_HYPOT:     return hypot(x, y);
    case HDI_LIR_M_ERF:       return erf(x);
    case HDI_LIR_M_ERFC:      return erfc(x);
    case HDI_LIR_M_TGAMMA:    return tgamma(x);
    case HDI_LIR_M_LGAMMA:    return lgamma(x);
    case HDI_LIR_M_J0:        return j0(x);
    case HDI_LIR_M_J1:        return j1(x);
    case HDI_LIR_M_Y0:        return y0(x);
    case HDI_LIR_M_Y1:        return y1(x);
    case HDI_LIR_M_FLOOR:     return floor(x);
    case HDI_LIR_M_CEIL:      return ceil(x);
    case HDI_LIR_M_TRUNC:     return trunc(x);
    case HDI_LIR_M_RINT:      return rint(x);
    case HDI_LIR_M_ROUND:     return round(x);
    case HDI_LIR_M_FABS:      return fabs(x);
    case HDI_LIR_M_COPYSIGN:  return copysign(x, y);
    case HDI_LIR_M_FMOD:      return fmod(x, y);
    case HDI_LIR_M_REMAINDER: return remainder(x, y);
    case HDI_LIR_M_LDEXP:     return ldexp(x, (int)fmax(-10000, fmin(10000, y)));
    case HDI_LIR_M_MIN:       return fmin(x, y);
    case HDI_LIR_M_MAX:       return fmax(x, y);
    default:                  return fma(x, y, z);
    }
}

int64_t lir_math(int which, int type, const int64_t x[3])
{
    if (kind_of(type) != 'f')
        return lir_canonical(type, whole_math(which, type, x[0], x[1]));
    const double a = lir_real(type, x[0]), b = lir_real(type, x[1]), c = lir_real(type, x[2]);
    const bool single = type == HDI_LIR_F32;
    if (which == HDI_LIR_M_NEXTAFTER)
        return of_real(type, single ? (double)nextafterf((float)a, (float)b) : nextafter(a, b));
    if (which == HDI_LIR_M_FMA && single)
        return of_real(type, (double)fmaf((float)a, (float)b, (float)c));
    return of_real(type, real_math(which, a, b, c));
}

int64_t lir_atomic(int kind, int type, int64_t old, int64_t x, int64_t y)
{
    switch (kind) {
    case HDI_LIR_A_ADD: return lir_binary(HDI_LIR_ADD, type, old, x);
    case HDI_LIR_A_SUB: return lir_binary(HDI_LIR_SUB, type, old, x);
    case HDI_LIR_A_MIN: return less(type, x, old) ? x : old;
    case HDI_LIR_A_MAX: return less(type, old, x) ? x : old;
    case HDI_LIR_A_AND: return old & x;
    case HDI_LIR_A_OR:  return old | x;
    case HDI_LIR_A_XOR: return old ^ x;
    case HDI_LIR_A_CAS: return old == x ? y : old;
    case HDI_LIR_A_INC: return old >= x ? 0 : old + 1;
    case HDI_LIR_A_DEC: return old == 0 || old > x ? x : old - 1;
    default:            return x;
    }
}

int64_t lir_peek(int type, const void *at)
{
    int64_t bits = 0;
    memcpy(&bits, at, (size_t)hdi_lir_types[type].bytes);
    return lir_canonical(type, bits);
}

void lir_poke(int type, void *at, int64_t bits)
{
    memcpy(at, &bits, (size_t)hdi_lir_types[type].bytes);
}
