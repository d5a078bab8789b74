/* SPDX-License-Identifier: BSD-3-Clause */
/* The loops that move elements: casts between every two dtypes, and strided copies by size. */
#include "loops_data.h"

static const hdi_loops *tables[MAX_TABLES];
static int ntables;

typedef struct block { _Alignas(64) char at[MAX_N * ITEM + 64]; } block;
static block from, to, expected;

static void open_tables(void)
{
    ntables = loop_tables(tables);
    data_seed = 99;
}

/* ---- casts ----------------------------------------------------------------------------------- */

/* An element as its two parts; whole numbers beside, since a double does not hold all of them. */
typedef struct number { double re, im; uint64_t bits; int is_whole; } number;

static number number_at(hd_dtype dt, const char *at)
{
    float f[2] = {0, 0};
    number v = {0, 0, 0, 0};
    switch (dt) {
    case HD_FLOAT16:
    case HD_BFLOAT16: return (number){half_value(dt, *(const uint16_t *)(const void *)at), 0, 0, 0};
    case HD_FLOAT32: memcpy(f, at, 4); return (number){f[0], 0, 0, 0};
    case HD_COMPLEX64: memcpy(f, at, 8); return (number){f[0], f[1], 0, 0};
    case HD_FLOAT64: memcpy(&v.re, at, 8); return v;
    case HD_COMPLEX128: memcpy(&v.re, at, 8); memcpy(&v.im, at + 8, 8); return v;
    default: break;
    }
    memcpy(&v.bits, at, (size_t)dtypes[dt].size);
    const int drop = 64 - 8 * dtypes[dt].size;
    if (dt <= HD_INT64 && dt != HD_BOOL)
        v.bits = (uint64_t)((int64_t)(v.bits << drop) >> drop);
    v.re = dt > HD_INT64 || dt == HD_BOOL ? (double)v.bits : (double)(int64_t)v.bits;
    v.is_whole = 1;
    return v;
}

/* By way of int64, whose smallest number stands for what it cannot hold; uint64 holds more. */
static uint64_t bits_of_real(double x, hd_dtype dt)
{
    if (dt == HD_UINT64 && x >= 0x1p63)
        return x < 0x1p64 ? (uint64_t)x : 0;
    return x >= -0x1p63 && x < 0x1p63 ? (uint64_t)(int64_t)x : (uint64_t)INT64_MIN;
}

static float float_of(number v, hd_dtype dt)
{
    /* rounded once */
    return !v.is_whole ? (float)v.re : dt == HD_UINT64 ? (float)v.bits : (float)(int64_t)v.bits;
}

static void cast_by_hand(hd_dtype a, const char *x, hd_dtype b, char *out)
{
    const number v = number_at(a, x);
    const float f[2] = {float_of(v, a), (float)v.im};
    const double d[2] = {v.re, v.im};
    const uint64_t bits = v.is_whole ? v.bits : bits_of_real(v.re, b);
    /* integers, and what becomes a bfloat16, are float32s on their way */
    const double near = v.is_whole || b == HD_BFLOAT16 ? (double)f[0] : v.re;
    switch (b) {
    case HD_FLOAT16:
    case HD_BFLOAT16: memcpy(out, &(uint16_t){half_bits(b, near)}, 2); break;
    case HD_BOOL: *out = v.is_whole ? v.bits != 0 : v.re != 0 || v.im != 0; break;
    case HD_FLOAT32: memcpy(out, f, 4); break;
    case HD_COMPLEX64: memcpy(out, f, 8); break;
    case HD_FLOAT64: memcpy(out, d, 8); break;
    case HD_COMPLEX128: memcpy(out, d, 16); break;
    default: memcpy(out, &bits, (size_t)dtypes[b].size);
    }
}

/* Sizes around the numbers where conversions change their ways, beside ordinary ones. */
static void put_reals(hd_dtype dt, int n)
{
    static const double borders[] = {0x1p31, 0x1p32, 0x1p63,   0x1p64, 0x1p127,
                                     300.7,  0.9,    INFINITY, NAN};
    for (int i = 0; i < n; i++) {
        const uint64_t w = next_word();
        const double x = w % 16 == 0 ? borders[(w >> 8) % 9] * (w & 16 ? 1 : -1)
                                     : (double)(w >> 40) - 0x1p23 + 0.5;
        char *p = from.at + i * dtypes[dt].size;
        if (is_half(dt))
            memcpy(p, &(uint16_t){half_bits(dt, x)}, 2);
        else if (dtypes[dt].real == HD_FLOAT32)
            memcpy(p, (float[]){(float)x, 1}, (size_t)dtypes[dt].size);
        else
            memcpy(p, (double[]){x, 1}, (size_t)dtypes[dt].size);
    }
}

static void check_cast(const hdi_loops *t, hd_dtype a, hd_dtype b, int n)
{
    for (int i = 0; i < n; i++)
        cast_by_hand(a, from.at + i * dtypes[a].size, b, expected.at + i * dtypes[b].size);
    memcpy(to.at + 1, from.at, (size_t)(n * dtypes[a].size));
    t->cast[a][b](from.at + (sizeof from.at - (size_t)(n * dtypes[b].size)), to.at + 1, n);
    const int at = first_difference(b, from.at + (sizeof from.at - (size_t)(n * dtypes[b].size)),
                                    expected.at, n);
    if (!CHECK(at < 0))
        fprintf(stderr, "%s to %s, %s, element %d of %d\n", dtypes[a].name, dtypes[b].name, t->isa,
                at, n);
    if (dtypes[b].size <= dtypes[a].size) {
        t->cast[a][b](to.at + 1, to.at + 1, n);
        CHECK(first_difference(b, to.at + 1, expected.at, n) < 0);
    }
}

TEST(loops_copy, casts_are_numpys)
{
    static const int lengths[] = {1, 7, 63, 64, 65, 200};
    open_tables();
    for (int t = 0; t < ntables; t++)
        for (hd_dtype a = HD_BOOL; a < HD_DTYPE_COUNT; a++)
            for (hd_dtype b = HD_BOOL; b < HD_DTYPE_COUNT; b++) {
                CHECK((tables[t]->cast[a][b] != NULL) == (a != b));
                for (int i = 0; tables[t]->cast[a][b] != NULL && i < 12; i++) {
                    if (i % 2 && dtypes[dtypes[a].real].letter == 'F')
                        put_reals(a, lengths[i / 2]);
                    else
                        put_block(a, from.at, lengths[i / 2], HD_OP_add);
                    check_cast(tables[t], a, b, lengths[i / 2]);
                }
            }
}

/* ---- strided copies -------------------------------------------------------------------------- */

enum { COPIES = 5, MIDDLE = MAX_N * ITEM / 2 };

static void put_bytes(void)
{
    for (size_t i = 0; i < sizeof from.at; i++)
        from.at[i] = (char)next_word();
}

TEST(loops_copy, gather_scatter_and_fill)
{
    static const int counts[] = {1, 2, 7, 33, 61};
    open_tables();
    for (int t = 0; t < ntables; t++)
        for (int log2 = 0; log2 < COPIES; log2++)
            for (int step = -4; step <= 4; step++)
                for (int c = 0; c < 5; c++) {
                    const int size = 1 << log2, n = counts[c],
                              stride = step * size + (step == 4 ? 1 : 0);
                    char *middle = from.at + MIDDLE;
                    put_bytes();
                    tables[t]->gather[log2](to.at, middle, stride, n);
                    for (int i = 0; i < n; i++)
                        CHECK(memcmp(to.at + i * size, middle + i * stride, (size_t)size) == 0);
                    tables[t]->fill[log2](to.at, middle, n);
                    for (int i = 0; i < n; i++)
                        CHECK(memcmp(to.at + i * size, middle, (size_t)size) == 0);
                    if (step == 0)
                        continue;
                    memcpy(expected.at, from.at, sizeof from.at);
                    for (int i = 0; i < n; i++)
                        memcpy(expected.at + MIDDLE + i * stride, from.at + i * size, (size_t)size);
                    memcpy(to.at, from.at, sizeof from.at);
                    tables[t]->scatter[log2](to.at + MIDDLE, stride, from.at, n);
                    CHECK(memcmp(to.at, expected.at, sizeof to.at) == 0);
                }
}
