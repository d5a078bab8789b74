/* SPDX-License-Identifier: BSD-3-Clause */
/* test_dtype.c - element types: laws of promotion and spot checks against NumPy 2's table,
 * casting levels, constants as elements. */
#include "core/dtype.h"
#include "harness.h"

TEST(dtype, rows_agree_with_the_enumeration)
{
    static const char *const names[HD_DTYPE_COUNT] = {
        "",       "bool",   "int8",    "int16",    "int32",   "int64",   "uint8",     "uint16",    "uint32",
        "uint64", "float16", "bfloat16", "float32", "float64", "complex64", "complex128"};
    for (int dt = HD_BOOL; dt < HD_DTYPE_COUNT; dt++) {
        CHECK_STR(hd_dtype_name((hd_dtype)dt), names[dt]);
        CHECK(hd_dtype_from_name(names[dt]) == (hd_dtype)dt);
        CHECK(hd_dtype_real(hd_dtype_real((hd_dtype)dt)) == hd_dtype_real((hd_dtype)dt));
        CHECK(hd_dtype_ready((hd_dtype)dt) == 1);
    }
    CHECK(hd_dtype_from_name("float") == HD_NO_DTYPE);
    CHECK(hd_dtype_real(HD_COMPLEX64) == HD_FLOAT32 && hd_dtype_real(HD_COMPLEX128) == HD_FLOAT64);
    CHECK(hd_dtype_size(HD_COMPLEX128) == 16 && hd_dtype_char(HD_INT64) == 'l' &&
          hd_dtype_kind(HD_UINT8) == 'u');
}

TEST(dtype, numbers_that_are_none)
{
    static const int none[] = {-1, HD_NO_DTYPE, HD_DTYPE_COUNT};
    for (int k = 0; k < 3; k++) {
        hd_dtype bad = (hd_dtype)none[k];
        CHECK(hd_dtype_size(bad) == 0 && hd_dtype_char(bad) == '\0' && hd_dtype_ready(bad) == 0);
        CHECK_STR(hd_dtype_name(bad), "");
        CHECK(hd_promote(bad, HD_INT8) == HD_NO_DTYPE &&
              hd_promote_weak(bad, HD_WEAK_INT) == HD_NO_DTYPE);
        CHECK(hd_can_cast(bad, HD_INT8, HD_CAST_UNSAFE) == 0);
        CHECK(hdi_dtype_check(bad) == HD_DTYPE && hd_error_take(NULL) == HD_DTYPE);
    }
    CHECK(hdi_dtype_check(HD_FLOAT64) == HD_OK);
}

/* Every element that there is comes back; nan stays nan. */
TEST(dtype, halves_come_back)
{
    for (uint32_t h = 0; h < 0x10000; h++) {
        double f = hd_float16_value((uint16_t)h), b = hd_bfloat16_value((uint16_t)h);
        CHECK(f != f ? (h & 0x7fff) > 0x7c00 && hd_float16_bits(f) == (h | 0x200)
                     : hd_float16_bits(f) == h);
        CHECK(b != b ? (h & 0x7fff) > 0x7f80 && hd_bfloat16_bits(b) == (h | 0x40)
                     : hd_bfloat16_bits(b) == h);
    }
    CHECK_NEAR(hd_float16_value(0x0001), 0x1p-24, 0);
    CHECK_NEAR(hd_float16_value(0xfbff), -65504, 0);
    CHECK_NEAR(hd_bfloat16_value(0x3fc0), 1.5, 0);
    CHECK(hd_float16_bits(65519.999) == 0x7bff && hd_float16_bits(65520) == 0x7c00);
    CHECK(hd_float16_bits(0x1p-25) == 0 && hd_float16_bits(-0x1.0001p-25) == 0x8001);
    CHECK(hd_float16_bits(-1e-300) == 0x8000 && hd_float16_bits(1e300) == 0x7c00);
}

/* Promotion commutes, is idempotent, and gives a dtype that both cast to safely; no smaller one
 * does. */
TEST(promotion, laws)
{
    for (int a = HD_BOOL; a < HD_DTYPE_COUNT; a++)
        for (int b = HD_BOOL; b < HD_DTYPE_COUNT; b++) {
            hd_dtype p = hd_promote((hd_dtype)a, (hd_dtype)b);
            CHECK(p == hd_promote((hd_dtype)b, (hd_dtype)a));
            CHECK(a != b || (int)p == a);
            CHECK(hd_can_cast((hd_dtype)a, p, HD_CAST_SAFE) &&
                  hd_can_cast((hd_dtype)b, p, HD_CAST_SAFE));
            for (int c = HD_BOOL; c < HD_DTYPE_COUNT; c++)
                if (hd_can_cast((hd_dtype)a, (hd_dtype)c, HD_CAST_SAFE) &&
                    hd_can_cast((hd_dtype)b, (hd_dtype)c, HD_CAST_SAFE))
                    CHECK(hd_dtype_size((hd_dtype)c) >= hd_dtype_size(p));
        }
}

TEST(promotion, spot_checks)
{
    static const struct { hd_dtype a, b, want;
    } cases[] = {{HD_INT64, HD_UINT64, HD_FLOAT64},
                 {HD_INT8, HD_UINT8, HD_INT16},
                 {HD_INT32, HD_UINT32, HD_INT64},
                 {HD_INT32, HD_FLOAT32, HD_FLOAT64},
                 {HD_INT16, HD_FLOAT32, HD_FLOAT32},
                 {HD_INT64, HD_FLOAT32, HD_FLOAT64},
                 {HD_BOOL, HD_INT8, HD_INT8},
                 {HD_BOOL, HD_BOOL, HD_BOOL},
                 {HD_COMPLEX64, HD_FLOAT64, HD_COMPLEX128},
                 {HD_COMPLEX64, HD_INT32, HD_COMPLEX128},
                 {HD_COMPLEX64, HD_INT16, HD_COMPLEX64},
                 {HD_FLOAT16, HD_INT8, HD_FLOAT16},
                 {HD_FLOAT16, HD_BFLOAT16, HD_FLOAT32},
                 {HD_BFLOAT16, HD_UINT8, HD_BFLOAT16},
                 {HD_BFLOAT16, HD_INT16, HD_FLOAT32},
                 {HD_FLOAT16, HD_INT16, HD_FLOAT32},
                 {HD_FLOAT16, HD_INT32, HD_FLOAT64},
                 {HD_FLOAT16, HD_COMPLEX64, HD_COMPLEX64},
                 {HD_UINT64, HD_INT8, HD_FLOAT64},
                 {HD_UINT8, HD_UINT32, HD_UINT32}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        CHECK(hd_promote(cases[k].a, cases[k].b) == cases[k].want);
}

/* NEP 50. */
TEST(promotion, weak_scalars_lift_the_kind_only)
{
    CHECK(hd_promote_weak(HD_INT8, HD_WEAK_INT) == HD_INT8);
    CHECK(hd_promote_weak(HD_BOOL, HD_WEAK_BOOL) == HD_BOOL);
    CHECK(hd_promote_weak(HD_BOOL, HD_WEAK_INT) == HD_INT64);
    CHECK(hd_promote_weak(HD_UINT8, HD_WEAK_FLOAT) == HD_FLOAT64);
    CHECK(hd_promote_weak(HD_FLOAT32, HD_WEAK_FLOAT) == HD_FLOAT32);
    CHECK(hd_promote_weak(HD_FLOAT32, HD_WEAK_COMPLEX) == HD_COMPLEX64);
    CHECK(hd_promote_weak(HD_FLOAT64, HD_WEAK_COMPLEX) == HD_COMPLEX128);
    CHECK(hd_promote_weak(HD_INT32, HD_WEAK_COMPLEX) == HD_COMPLEX128);
    CHECK(hd_promote_weak(HD_COMPLEX64, HD_WEAK_FLOAT) == HD_COMPLEX64);
    CHECK(hd_promote_weak(HD_FLOAT32, HD_WEAK_BOOL) == HD_FLOAT32);
    CHECK(hd_promote_weak(HD_FLOAT16, HD_WEAK_FLOAT) == HD_FLOAT16);
    CHECK(hd_promote_weak(HD_BFLOAT16, HD_WEAK_COMPLEX) == HD_COMPLEX64);
}

/* Each level allows what the one below allows. */
TEST(casting, levels_are_nested)
{
    for (int a = HD_BOOL; a < HD_DTYPE_COUNT; a++)
        for (int b = HD_BOOL; b < HD_DTYPE_COUNT; b++)
            for (int level = HD_CAST_NO; level < HD_CAST_UNSAFE; level++)
                CHECK(!hd_can_cast((hd_dtype)a, (hd_dtype)b, (hd_casting)level) ||
                      hd_can_cast((hd_dtype)a, (hd_dtype)b, (hd_casting)(level + 1)));
}

TEST(casting, spot_checks)
{
    static const struct { hd_dtype from, to; int safe, same_kind;
    } cases[] = {{HD_FLOAT64, HD_FLOAT32, 0, 1},    {HD_FLOAT64, HD_INT64, 0, 0},
                 {HD_INT64, HD_FLOAT64, 1, 1},      {HD_INT64, HD_INT8, 0, 1},
                 {HD_INT8, HD_UINT8, 0, 0},         {HD_UINT8, HD_INT8, 0, 1},
                 {HD_BOOL, HD_UINT8, 1, 1},         {HD_UINT8, HD_BOOL, 0, 0},
                 {HD_COMPLEX128, HD_FLOAT64, 0, 0}, {HD_COMPLEX128, HD_COMPLEX64, 0, 1},
                 {HD_FLOAT64, HD_COMPLEX64, 0, 1},  {HD_INT64, HD_FLOAT32, 0, 1},
                 {HD_INT16, HD_FLOAT32, 1, 1},      {HD_UINT64, HD_INT64, 0, 1}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        CHECK_EQ_I64(hd_can_cast(cases[k].from, cases[k].to, HD_CAST_SAFE), cases[k].safe);
        CHECK_EQ_I64(hd_can_cast(cases[k].from, cases[k].to, HD_CAST_SAME_KIND),
                     cases[k].same_kind);
        CHECK(hd_can_cast(cases[k].from, cases[k].to, HD_CAST_UNSAFE));
        CHECK(!hd_can_cast(cases[k].from, cases[k].to, HD_CAST_EQUIV));
    }
}

static void bytes_are(const uint64_t e[2], const void *want, size_t n)
{
    static const uint8_t zeros[16];
    CHECK(memcmp(e, want, n) == 0);
    CHECK(memcmp((const uint8_t *)e + n, zeros, 16 - n) == 0);
}

TEST(encode, one_element_and_zeros_after_it)
{
    uint64_t e[2];
    hdi_encode_i64(HD_INT8, -2, e);
    bytes_are(e, &(int8_t){-2}, 1);
    hdi_encode_i64(HD_UINT16, 70000, e);   /* wraps */
    bytes_are(e, &(uint16_t){4464}, 2);
    hdi_encode_i64(HD_INT64, INT64_MIN, e);
    bytes_are(e, &(int64_t){INT64_MIN}, 8);
    hdi_encode_u64(HD_UINT64, UINT64_MAX, e);
    bytes_are(e, &(uint64_t){UINT64_MAX}, 8);
    hdi_encode_u64(HD_FLOAT64, UINT64_MAX, e);
    bytes_are(e, &(double){18446744073709551616.0}, 8);
    hdi_encode_i64(HD_BOOL, -7, e);
    bytes_are(e, &(uint8_t){1}, 1);
    hdi_encode_i64(HD_FLOAT32, 3, e);
    bytes_are(e, &(float){3}, 4);
    hdi_encode_i64(HD_FLOAT16, 2049, e);   /* a tie: 2048 */
    bytes_are(e, &(uint16_t){0x6800}, 2);
    hdi_encode_f64(HD_FLOAT16, 2049 + 1e-9, 0, e);   /* rounded once: 2050 */
    bytes_are(e, &(uint16_t){0x6801}, 2);
    hdi_encode_f64(HD_BFLOAT16, -1e39, 0, e);
    bytes_are(e, &(uint16_t){0xff80}, 2);
    hdi_encode_f64(HD_COMPLEX64, 1.5, -2, e);
    bytes_are(e, (float[2]){1.5f, -2}, 8);
    hdi_encode_f64(HD_COMPLEX128, 1.5, -2, e);
    bytes_are(e, (double[2]){1.5, -2}, 16);
    hdi_encode_f64(HD_INT32, -1.9, 0, e);
    bytes_are(e, &(int32_t){-1}, 4);
    hdi_encode_f64(HD_INT64, 1e300, 0, e);   /* no undefined behaviour: what x86 gives */
    bytes_are(e, &(int64_t){INT64_MIN}, 8);
    hdi_encode_f64(HD_BOOL, 0.0, 1.0, e);
    bytes_are(e, &(uint8_t){1}, 1);
}
