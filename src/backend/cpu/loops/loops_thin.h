/* SPDX-License-Identifier: BSD-3-Clause */
/* loops_thin.h - sums of products over a thin matrix, in which a row has at most HDI_THIN
 * elements: its elements go from memory to the sums they belong to, and no column is copied
 * first.
 * Wants      loops_red.h of a real type: red_sumproduct(), merge_sums()
 * Invariant  the order of additions is the one of loops.h: thin_rows gives what red_start and
 *            red_step give, thin_columns what red_chunk gives, bit for bit. No element that is
 *            not there takes part, so nothing is raised for one */
#include <string.h>

#include "backend/cpu/loops/loops_vec.h"

/* ---- one sum per row ------------------------------------------------------------------------- */

/* The width is a constant wherever this is inlined: then compilers know how to take vectors of
 * rows apart into vectors of columns. */
HDI_INLINE void sum_each_row(operand *out, const operand *x, const T *y, int64_t n, int width)
{
    HDI_NO_DEPENDENCE
    for (int64_t i = 0; i < n; i++) {
        T a = ZERO;
        for (int r = 0; r < width; r++)
            a = red_sumproduct(a, x[i * width + r], y[r]);
        out[i] = merge_sums(a, ZERO);
    }
}

/* The same over n rows of a matrix whose columns are dense and `column` bytes apart. */
HDI_INLINE void sum_down_columns(operand *out, const operand *x, int64_t column, const T *y,
                                 int64_t n, int width)
{
    T a[HDI_RED_LANES];
    for (int64_t l = 0; l < n; l++)
        a[l] = ZERO;
    for (int r = 0; r < width; r++) {
        const operand *from = (const void *)((const char *)x + r * column);
        for (int64_t l = 0; l < n; l++)
            a[l] = red_sumproduct(a[l], from[l], y[r]);
    }
    for (int64_t l = 0; l < n; l++)
        out[l] = merge_sums(a[l], ZERO);
}

#define EACH_THIN(X) \
    X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16)
#define ROWS_CASE(width) case width: sum_each_row(out, x, number, n, width); break;

void HDI_THIN_NAME(DTYPE, rows)(void *out, const void *x, const void *y, int64_t n, int width)
{
    T number[HDI_THIN] = {0};
    memcpy(number, y, (size_t)width * sizeof(T));
    switch (width) {
        EACH_THIN(ROWS_CASE)
    default: break;
    }
}

void HDI_THIN_NAME(DTYPE, turned)(void *out, const void *x, int64_t column, const void *y,
                                  int64_t n, int width)
{
    operand *o = out;
    const operand *from = x;
    T number[HDI_THIN] = {0};
    memcpy(number, y, (size_t)width * sizeof(T));
    for (; n >= HDI_RED_LANES; n -= HDI_RED_LANES, o += HDI_RED_LANES, from += HDI_RED_LANES)
        sum_down_columns(o, from, column, number, HDI_RED_LANES, width);
    sum_down_columns(o, from, column, number, n, width);
}

/* ---- one sum per column ---------------------------------------------------------------------- */

/* A chunk of columns, read as what it is in memory: width * HDI_RED_CHUNK elements in a row, of
 * which every `width` share an element of y. Lane l of column k is lane[l * width + k]. */
HDI_INLINE void combine_columns(T *lane, operand *acc, int width)
{
    for (int half = HDI_RED_LANES / 2; half > 0; half /= 2)
        for (int i = 0; i < half * width; i++)
            lane[i] = merge_sums(lane[i], lane[i + half * width]);
    for (int k = 0; k < width; k++)
        acc[k] = lane[k];
}

#if defined(HDI_PICK) && THIN_PICKS

enum {
    THIN_LANES = HDI_VEC_BYTES / (int)sizeof(T),
    PIECES = (int)sizeof(T) / 4,   /* HDI_PICK moves pieces of four bytes */
    ROUNDS = HDI_RED_CHUNK / HDI_RED_LANES
};

/* Where vector number k finds the elements of y that its elements go with: vectors of x
 * and of y that belong together begin together every `width` vectors. */
HDI_INLINE hdi_vu32 places(int k, int width)
{
    hdi_vu32 at;
    /* a division by width, exact below 2^16 / width */
    const uint32_t inverse = (65536 + (uint32_t)width - 1) / (uint32_t)width;
    for (uint32_t i = 0; i < HDI_VEC_BYTES / 4; i++) {
        const uint32_t element = (uint32_t)(k * THIN_LANES) + i / PIECES;
        at[i] = (element * inverse >> 16) * PIECES + i % PIECES;
    }
    return at;
}

/* A vector of lanes: the lane is the outer loop, as in whole_chunk2(). */
HDI_INLINE void sum_vector(T *lane, const operand *x, const T *y, int width)
{
    for (int i = 0; i < THIN_LANES; i++) {
        T a = ZERO;
        for (int s = 0; s < ROUNDS; s++)
            a = red_sumproduct(a, x[s * HDI_RED_LANES * width + i], y[s * THIN_LANES + i]);
        lane[i] = a;
    }
}

static void sum_lanes(T *lane, const operand *x, const operand *y, int width)
{
    hdi_vu32 at[HDI_THIN], part[ROUNDS];
    T picked[ROUNDS * THIN_LANES];
    for (int k = 0; k < width; k++)
        at[k] = places(k, width);
    for (int l = 0; l < HDI_RED_LANES; l += THIN_LANES) {
        for (int s = 0; s < ROUNDS; s++)
            part[s] = *(const hdi_vu32_any *)(const void *)(y + s * HDI_RED_LANES + l);
        for (int k = 0; k < width; k++) {
            const int first = l * width + k * THIN_LANES;
            for (int s = 0; s < ROUNDS; s++) {
                const hdi_vu32 v = HDI_PICK(part[s], at[k]);
                memcpy(picked + s * THIN_LANES, &v, sizeof v);
            }
            sum_vector(lane + first, x + first, picked, width);
        }
    }
}

#else

static void sum_lanes(T *lane, const operand *x, const operand *y, int width)
{
    T repeated[HDI_RED_LANES * HDI_THIN];
    const int n = HDI_RED_LANES * width;
    for (int i = 0; i < n; i++)
        lane[i] = ZERO;
    for (int s = 0; s < HDI_RED_CHUNK; s += HDI_RED_LANES) {
        for (int l = 0; l < HDI_RED_LANES; l++)
            for (int k = 0; k < width; k++)
                repeated[l * width + k] = y[s + l];
        for (int i = 0; i < n; i++)
            lane[i] = red_sumproduct(lane[i], x[s * width + i], repeated[i]);
    }
}

#endif

void HDI_THIN_NAME(DTYPE, columns)(void *acc, const void *x, const void *y, int width)
{
    T lane[HDI_RED_LANES * HDI_THIN];
    sum_lanes(lane, x, y, width);
    combine_columns(lane, acc, width);
}
