/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_product_cut.c - how products are cut.
 *
 * Each piece of rows makes BLAS pack the whole of b once more, each piece of columns the whole of
 * a: so there are few of them, and none of columns where there are rows enough. OpenBLAS takes
 * rows of c (as they lie here) in groups of up to 24 and has other loops for what is left over,
 * which round otherwise; a border at a multiple of UNIT is one between groups. Products of up to
 * SMALL multiplications it may compute without packing, with other roundings again, so pieces of
 * a larger product are larger as well. */
#include "backend/cpu/cpu_product_cut.h"

enum {
    UNIT = 24,          /* rows: a multiple of all groups */
    FIXED_UNIT = 16,    /* where the same cut is made for any number of threads */
    PANEL = 192,        /* rows that a piece has where there are more of them than threads */
    PER_THREAD = 4,     /* at most so many pieces */
    FEW = 384,          /* rows: up to here columns are cut */
    NARROW = 256, WIDE = 1024, MOST_COLUMNS = 16,
    BANDS = 16, BAND = 256,
    VECTOR_UNIT = 48,   /* the same for matrices by vectors */
    SLAB = 480, WIDE_SLAB = 1024, MOST_SLABS = 16    /* columns of a transposed matrix */
};
#define SMALL ((double)1000000)
#define WORTH ((double)(1 << 18))   /* multiplications that are worth a thread, as in OpenBLAS */
#define ELEMENTS ((int64_t)1 << 17)   /* of a matrix that are, by a vector */

static double work_of(int64_t m, int64_t n, int64_t k)
{
    return (double)m * (double)n * (double)k;
}

static int64_t within(int64_t x, int64_t low, int64_t high)
{
    return x < low || high < low ? low : x > high ? high : x;
}

/* Few rows, many columns: by the shape alone. */
static int64_t columns_of(int64_t m, int64_t n, int64_t k)
{
    if (m >= FEW)
        return 1;
    const int64_t most = within(n / (m < 2 * UNIT ? NARROW : WIDE), 1, MOST_COLUMNS);
    return within((int64_t)hdi_min64((int64_t)(work_of(m, n, k) / (4 * SMALL)), most), 1, most);
}

/* Of n columns. */
static int64_t rows_of(int64_t m, int64_t n, int64_t k, int64_t others, int threads,
                       int64_t *unit)
{
    const double work = work_of(m, n, k);
    *unit = UNIT;
    if (work <= SMALL)
        return within(hdi_min64((int64_t)(work / WORTH), threads), 1, m / (2 * UNIT));
    if (work <= 3 * SMALL) {
        *unit = FIXED_UNIT;
        return within((int64_t)(work / (2 * WORTH)), 1, m / FIXED_UNIT);
    }
    const int64_t wanted = threads * within(m / ((int64_t)PANEL * threads), 1, PER_THREAD);
    const int64_t least = (int64_t)(SMALL / work_of(UNIT, n, k)) + 1;   /* units of a piece */
    return threads == 1 ? 1 : within((wanted + others - 1) / others, 1, m / UNIT / (least + 1));
}

hdi_cpu_cut hdi_cpu_cut_gemm(int64_t m, int64_t n, int64_t k, int64_t products, int threads)
{
    hdi_cpu_cut cut = {.rows = 1, .columns = 1, .unit = UNIT};
    if (work_of(m, n, k) < 2 * WORTH)
        return cut;
    cut.columns = columns_of(m, n, k);
    /* the narrowest piece decides for all */
    const int64_t narrow = cut.columns > 1 ? (n / cut.columns / UNIT - 1) * UNIT : n;
    cut.rows = rows_of(m, narrow, k, cut.columns * hdi_max64(products, 1), threads, &cut.unit);
    return cut;
}

/* In single precision a column's roundings follow from its distance to either end, so the cut
 * follows from the shape. */
static int64_t slabs_of(int64_t m, int64_t n, bool single, int threads)
{
    if (!single)
        return within(hdi_min64(m * n / ELEMENTS, 2 * threads), 1, n / SLAB);
    return m * n < 4 * ELEMENTS || n < 2 * SLAB ? 1 : within(n / WIDE_SLAB, 2, MOST_SLABS);
}

hdi_cpu_cut hdi_cpu_cut_gemv(bool transposed, int64_t m, int64_t n, bool single, int threads)
{
    hdi_cpu_cut cut = {.rows = 1, .columns = 1, .unit = VECTOR_UNIT};
    if (transposed)
        cut.columns = threads == 1 && !single ? 1 : slabs_of(m, n, single, threads);
    else if (threads > 1)
        cut.rows = within(hdi_min64(m * n / ELEMENTS, 2 * threads), 1, m / VECTOR_UNIT);
    return cut;
}

int64_t hdi_cpu_cut_gram(int64_t m, int64_t k)
{
    return work_of(m, m, k) <= 4 * SMALL || m < 4 * UNIT ? 1 : within(m / BAND, 2, BANDS);
}

int64_t hdi_cpu_border(int64_t n, int64_t unit, int64_t pieces, int64_t i)
{
    return i <= 0 ? 0 : i >= pieces ? n : (2 * n * i / pieces + unit) / (2 * unit) * unit;
}

/* Below a border at row r are (m - r)^2 / 2 elements, which is to be a share of m^2 / 2. */
int64_t hdi_cpu_band(int64_t m, int64_t bands, int64_t i)
{
    const double left = i >= bands ? 0 : __builtin_sqrt((double)(bands - i) / (double)bands);
    return i >= bands ? m : (int64_t)((double)m * (1 - left)) / FIXED_UNIT * FIXED_UNIT;
}
