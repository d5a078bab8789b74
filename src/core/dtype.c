/* SPDX-License-Identifier: BSD-3-Clause */
/* dtype.c - the table of element types, NumPy 2's promotion and casting levels, and constants as
 * elements. */
#include "core/dtype.h"

#include <complex.h>
#include <math.h>

#include "core/half.h"

enum { b = 'b', i = 'i', u = 'u', f = 'f', c = 'c' };   /* the kind column */

const hdi_dtype_row hdi_dtypes[HD_DTYPE_COUNT] = {
#define DT(NAME, name, code, kind, bits, ctype, real, loops) \
    [HD_##NAME] = {#name, (bits) / 8, code, kind, HD_##real, loops},
#include "core/dtype.def"
};

#define DT(NAME, name, code, kind, bits, ctype, real, loops) \
    _Static_assert(sizeof(ctype) * 8 == (bits), #name ": bits and C type disagree");
#include "core/dtype.def"

enum {
    no = HD_NO_DTYPE,
    o = HD_BOOL,
    i1 = HD_INT8,
    i2 = HD_INT16,
    i4 = HD_INT32,
    i8 = HD_INT64,
    u1 = HD_UINT8,
    u2 = HD_UINT16,
    u4 = HD_UINT32,
    u8 = HD_UINT64,
    f2 = HD_FLOAT16,
    bf = HD_BFLOAT16,
    f4 = HD_FLOAT32,
    f8 = HD_FLOAT64,
    c8 = HD_COMPLEX64,
    cc = HD_COMPLEX128
};

/* NumPy's table (np.promote_types); bfloat16 as ml_dtypes registers it. Checked pair by pair
 * against NumPy by the tests. */
const int8_t hdi_promotion[HD_DTYPE_COUNT][HD_DTYPE_COUNT] = {
    {HD_NO_DTYPE},
    /*        no  o   i1  i2  i4  i8  u1  u2  u4  u8  f2  bf  f4  f8  c8  cc */
    /* o  */ {no,  o,  i1, i2, i4, i8, u1, u2, u4, u8, f2, bf, f4, f8, c8, cc},
    /* i1 */ {no, i1,  i1, i2, i4, i8, i2, i4, i8, f8, f2, bf, f4, f8, c8, cc},
    /* i2 */ {no, i2,  i2, i2, i4, i8, i2, i4, i8, f8, f4, f4, f4, f8, c8, cc},
    /* i4 */ {no, i4,  i4, i4, i4, i8, i4, i4, i8, f8, f8, f8, f8, f8, cc, cc},
    /* i8 */ {no, i8,  i8, i8, i8, i8, i8, i8, i8, f8, f8, f8, f8, f8, cc, cc},
    /* u1 */ {no, u1,  i2, i2, i4, i8, u1, u2, u4, u8, f2, bf, f4, f8, c8, cc},
    /* u2 */ {no, u2,  i4, i4, i4, i8, u2, u2, u4, u8, f4, f4, f4, f8, c8, cc},
    /* u4 */ {no, u4,  i8, i8, i8, i8, u4, u4, u4, u8, f8, f8, f8, f8, cc, cc},
    /* u8 */ {no, u8,  f8, f8, f8, f8, u8, u8, u8, u8, f8, f8, f8, f8, cc, cc},
    /* f2 */ {no, f2,  f2, f4, f8, f8, f2, f4, f8, f8, f2, f4, f4, f8, c8, cc},
    /* bf */ {no, bf,  bf, f4, f8, f8, bf, f4, f8, f8, f4, bf, f4, f8, c8, cc},
    /* f4 */ {no, f4,  f4, f4, f8, f8, f4, f4, f8, f8, f4, f4, f4, f8, c8, cc},
    /* f8 */ {no, f8,  f8, f8, f8, f8, f8, f8, f8, f8, f8, f8, f8, f8, cc, cc},
    /* c8 */ {no, c8,  c8, c8, cc, cc, c8, c8, cc, cc, c8, c8, c8, cc, c8, cc},
    /* cc */ {no, cc,  cc, cc, cc, cc, cc, cc, cc, cc, cc, cc, cc, cc, cc, cc},
};

static bool known(hd_dtype dt)
{
    return dt > HD_NO_DTYPE && dt < HD_DTYPE_COUNT;
}

int hd_dtype_size(hd_dtype dt) { return known(dt) ? hdi_dtypes[dt].size : 0; }
const char *hd_dtype_name(hd_dtype dt) { return known(dt) ? hdi_dtypes[dt].name : ""; }
char hd_dtype_char(hd_dtype dt) { return known(dt) ? hdi_dtypes[dt].code : '\0'; }
char hd_dtype_kind(hd_dtype dt) { return known(dt) ? hdi_dtypes[dt].kind : '\0'; }
hd_dtype hd_dtype_real(hd_dtype dt)
{
    return known(dt) ? (hd_dtype)hdi_dtypes[dt].real : HD_NO_DTYPE;
}
int hd_dtype_ready(hd_dtype dt) { return known(dt); }

hd_dtype hd_dtype_from_name(const char *name)
{
    if (name == NULL)
        hdi_fail_null("the name of a dtype");
    for (hd_dtype dt = HD_BOOL; name != NULL && dt < HD_DTYPE_COUNT; dt++)
        if (strcmp(name, hdi_dtypes[dt].name) == 0)
            return dt;
    return HD_NO_DTYPE;
}

hd_status hdi_dtype_check(hd_dtype dt)
{
    return known(dt) ? HD_OK : hdi_fail(HD_DTYPE, "%d is not the number of a dtype", (int)dt);
}

hd_dtype hdi_cast_via(hd_dtype from, hd_dtype to)
{
    if (from == to || (!hdi_is_half(from) && !hdi_is_half(to)))
        return HD_NO_DTYPE;
    if (to == HD_FLOAT16 && from == HD_FLOAT64)
        return HD_NO_DTYPE;
    if (to == HD_FLOAT16 && from == HD_COMPLEX128)   /* its real part */
        return HD_FLOAT64;
    return from == HD_FLOAT32 || to == HD_FLOAT32 ? HD_NO_DTYPE : HD_FLOAT32;
}

hd_dtype hd_promote(hd_dtype a, hd_dtype d)
{
    return known(a) && known(d) ? (hd_dtype)hdi_promotion[a][d] : HD_NO_DTYPE;
}

/* NEP 50: a weak bool, int, float or complex lifts the kind of the dtype if it must, and
 * otherwise leaves it. */
const int8_t hdi_weak_promotion[HD_DTYPE_COUNT][4] = {
    {HD_NO_DTYPE},
#define WEAK_b(NAME, bits) HD_##NAME, HD_INT64, HD_FLOAT64, HD_COMPLEX128
#define WEAK_i(NAME, bits) HD_##NAME, HD_##NAME, HD_FLOAT64, HD_COMPLEX128
#define WEAK_u(NAME, bits) WEAK_i(NAME, bits)
#define WEAK_f(NAME, bits) \
    HD_##NAME, HD_##NAME, HD_##NAME, (bits) < 64 ? HD_COMPLEX64 : HD_COMPLEX128
#define WEAK_c(NAME, bits) HD_##NAME, HD_##NAME, HD_##NAME, HD_##NAME
#define DT(NAME, name, code, kind, bits, ctype, real, loops) {WEAK_##kind(NAME, bits)},
#include "core/dtype.def"
};

hd_dtype hd_promote_weak(hd_dtype dt, hd_weak weak)
{
    return known(dt) && (unsigned)weak < 4 ? (hd_dtype)hdi_weak_promotion[dt][weak] : HD_NO_DTYPE;
}

static int kind_rank(hd_dtype dt)
{
    switch (hdi_dtypes[dt].kind) {
    case 'b': return 0;
    case 'u': return 1;
    case 'i': return 2;
    case 'f': return 3;
    default:  return 4;
    }
}

int hd_can_cast(hd_dtype from, hd_dtype to, hd_casting level)
{
    if (!known(from) || !known(to))
        return 0;
    switch (level) {
    case HD_CAST_NO:
    case HD_CAST_EQUIV:
        return from == to;
    case HD_CAST_DEFAULT:
    case HD_CAST_SAFE:
        return hdi_promotion[from][to] == (int8_t)to;
    case HD_CAST_SAME_KIND:
        return hdi_promotion[from][to] == (int8_t)to || kind_rank(from) <= kind_rank(to);
    case HD_CAST_UNSAFE:
        return 1;
    }
    return 0;
}

const char *hd_casting_name(hd_casting level)
{
    static const char *const names[] = {"default", "no", "equiv", "safe", "same_kind", "unsafe"};
    return (unsigned)level <= HD_CAST_UNSAFE ? names[level] : "";
}

void hdi_encode_i64(hd_dtype dt, int64_t value, uint64_t out[2])
{
    if (hdi_dtypes[dt].kind == 'f' || hdi_dtypes[dt].kind == 'c') {
        hdi_encode_f64(dt, (double)value, 0.0, out);
    } else {
        int64_t v = dt == HD_BOOL ? value != 0 : value;
        out[0] = out[1] = 0;
        memcpy(out, &v, sizeof v);
        if (hdi_itemsize(dt) < 8)   /* little-endian: the low bytes come first */
            out[0] &= (UINT64_C(1) << 8 * hdi_itemsize(dt)) - 1;
    }
}

void hdi_encode_u64(hd_dtype dt, uint64_t value, uint64_t out[2])
{
    if (hdi_dtypes[dt].kind == 'f' || hdi_dtypes[dt].kind == 'c')
        hdi_encode_f64(dt, (double)value, 0.0, out);
    else
        hdi_encode_i64(dt, (int64_t)value, out);
}

uint16_t hd_float16_bits(double value) { return hdi_to_f16(hdi_odd_float(value)); }
double hd_float16_value(uint16_t bits) { return (double)hdi_from_f16(bits); }
uint16_t hd_bfloat16_bits(double value) { return hdi_to_bf16((float)value); }
double hd_bfloat16_value(uint16_t bits) { return (double)hdi_from_bf16(bits); }

float hdi_decode_half(hd_dtype dt, uint16_t element)
{
    return dt == HD_FLOAT16 ? hdi_from_f16(element) : hdi_from_bf16(element);
}

void hdi_encode_f64(hd_dtype dt, double re, double im, uint64_t out[2])
{
    float parts[2] = {(float)re, (float)im};
    out[0] = out[1] = 0;
    switch (dt) {
    case HD_FLOAT16:
        out[0] = hd_float16_bits(re);
        break;
    case HD_BFLOAT16:
        out[0] = hd_bfloat16_bits(re);
        break;
    case HD_FLOAT32:
        memcpy(out, parts, 4);
        break;
    case HD_FLOAT64:
        memcpy(out, &re, 8);
        break;
    case HD_COMPLEX64:
        memcpy(out, parts, 8);
        break;
    case HD_COMPLEX128:
        memcpy(out, &re, 8);
        memcpy(out + 1, &im, 8);
        break;
    default:   /* a real number as an integer or bool: only where the caller allowed that cast */
        if (dt == HD_BOOL)
            hdi_encode_i64(dt, re != 0 || im != 0, out);
        else
            hdi_encode_i64(dt,
                           re >= -9223372036854775808.0 && re < 9223372036854775808.0 ? (int64_t)re
                                                                                      : INT64_MIN,
                           out);
    }
}
