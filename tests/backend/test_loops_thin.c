/* SPDX-License-Identifier: BSD-3-Clause */
/* The loops over thin matrices against the steps and chunks that they stand for, bit for bit. */
#include "loops_data.h"

enum { SUMPRODUCT = HD_OP_sumproduct - HD_OP_sum, SIZE = 8, MAX_ROWS = 300 };

typedef struct matrix { _Alignas(64) char at[MAX_ROWS * HDI_THIN * SIZE + 64]; } matrix;
static const hdi_loops *tables[MAX_TABLES];
static int ntables;
static matrix x, turned;
static char y[MAX_ROWS * SIZE], column[MAX_ROWS * SIZE], got[MAX_ROWS * SIZE],
    expected[MAX_ROWS * SIZE];
static const int lengths[] = {1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 255, 300};
enum { NLENGTHS = sizeof lengths / sizeof *lengths };

/* Special numbers, or small ones whose sums show the order of their additions. */
static void put(hd_dtype dt, char *at, int n, bool special)
{
    if (special || dtypes[dt].letter != 'F') {
        put_block(dt, at, n, HD_OP_maximum);
        return;
    }
    for (int i = 0; i < n; i++) {
        const double re = (double)(next_word() % 2001) / 1000 - 1 + 0x1p-30;
        if (dt == HD_FLOAT32)
            memcpy(at + i * 4, &(float){(float)re}, 4);
        else
            memcpy(at + i * 8, &re, 8);
    }
}

static void take_column(char *to, const char *from, int k, int width, int n, int size)
{
    for (int i = 0; i < n; i++)
        memcpy(to + i * size, from + (i * width + k) * size, (size_t)size);
}

static bool same(hd_dtype dt, int n, const char *what, int width)
{
    const int at = first_difference(dt, got, expected, n);
    if (!CHECK(at < 0))
        fprintf(stderr, "%s over %s: element %d of %d, width %d\n", what, dtypes[dt].name, at, n,
                width);
    return at < 0;
}

/* What red_start, red_step, ... and red_merge with 0 make of n rows. */
static void rows_by_steps(const hdi_loops *t, hd_dtype dt, int n, int width)
{
    static const char zeros[MAX_ROWS * SIZE];
    const int size = dtypes[dt].size;
    for (int r = 0; r < width; r++) {
        take_column(column, x.at, r, width, n, size);
        (r == 0 ? t->red_start : t->red_step)[SUMPRODUCT][dt][HDI_VS](expected, column,
                                                                      y + r * size, n);
        memcpy(turned.at + r * n * size, column, (size_t)(n * size));
    }
    t->red_merge[SUMPRODUCT][dt](expected, zeros, NULL, n);
}

static void check_rows(const hdi_loops *t, hd_dtype dt, int n, int width)
{
    rows_by_steps(t, dt, n, width);
    t->thin_rows[dt](got, x.at, y, n, width);
    same(dt, n, "thin_rows", width);
    memset(got, 1, sizeof got);
    t->thin_turned[dt](got, turned.at, n * dtypes[dt].size, y, n, width);
    same(dt, n, "thin_turned", width);
}

static void check_columns(const hdi_loops *t, hd_dtype dt, int width)
{
    const int size = dtypes[dt].size;
    for (int k = 0; k < width; k++) {
        take_column(column, x.at, k, width, HDI_RED_CHUNK, size);
        t->red_chunk[SUMPRODUCT][dt](expected + k * size, column, y, HDI_RED_CHUNK);
    }
    t->thin_columns[dt](got, x.at, y, width);
    same(dt, width, "thin_columns", width);
}

static void check_all(const hdi_loops *t, hd_dtype dt, bool special)
{
    for (int width = 2; width <= HDI_THIN; width++) {
        put(dt, x.at, MAX_ROWS * width, special);
        put(dt, y, MAX_ROWS, special);
        for (int i = 0; i < NLENGTHS; i++)
            check_rows(t, dt, lengths[i], width);
        check_columns(t, dt, width);
    }
}

TEST(loops_thin, are_the_steps_and_chunks_they_stand_for)
{
    ntables = loop_tables(tables);
    data_seed = 99;
    for (hd_dtype dt = HD_BOOL; dt < HD_DTYPE_COUNT; dt++)
        for (int t = 0; dtypes[dt].loops && t < ntables; t++) {
            const bool real = dtypes[dt].letter == 'F' || dtypes[dt].letter == 'I';
            CHECK((tables[t]->thin_rows[dt] != NULL) == real);
            for (int special = 0; real && special < 2; special++)
                check_all(tables[t], dt, special);
        }
}

/* A sum starts at +0, so one of zeros is +0 whatever their signs; and what underflows from below
 * is 0 as well. */
TEST(loops_thin, sums_of_rows_are_never_negative_zero)
{
    const double rows[4] = {-0.0, -0.0, -0x1p-1000, 0}, v[2] = {1, 0x1p-1000},
                 w[2] = {0x1p-1000, 1};
    double r[2];
    ntables = loop_tables(tables);
    for (int t = 0; t < ntables; t++) {
        tables[t]->thin_rows[HD_FLOAT64](r, rows, v, 2, 2);
        CHECK(r[0] == 0 && !signbit(r[0]) && r[1] == -0x1p-1000);
        tables[t]->thin_rows[HD_FLOAT64](r, rows, w, 2, 2);
        CHECK(r[1] == 0 && !signbit(r[1]));
    }
}
