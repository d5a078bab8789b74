/* SPDX-License-Identifier: BSD-3-Clause */
/* The loops that are not elementwise: reductions in their fixed order, positions, casts, strided
 * copies. */
#include "loops_data.h"

static const hdi_loops *tables[MAX_TABLES];
static int ntables;

typedef struct block { _Alignas(64) char at[MAX_N * ITEM + 64]; } block;
static block x, y, accumulated, expected;

static const char *const red_names[HDI_RED_COUNT] = {
#define RED(name, ...) [HD_OP_##name - HD_OP_sum] = #name,
#include "ops/reduce/red.def"
};
/* The elementwise row that a reduction repeats. */
static const int steps[][2] = {{HD_OP_sum, HD_OP_add},
                               {HD_OP_prod, HD_OP_multiply},
                               {HD_OP_min, HD_OP_minimum},
                               {HD_OP_max, HD_OP_maximum},
                               {HD_OP_nanmin, HD_OP_fmin},
                               {HD_OP_nanmax, HD_OP_fmax}};
enum { NSTEPS = sizeof steps / sizeof *steps };
static const int lengths[] = {1,  2,  3,  5,  15, 16,  17,  31,  32,
                              33, 48, 63, 64, 65, 100, 224, 255, 256};
enum { NLENGTHS = sizeof lengths / sizeof *lengths };

static void open_tables(void)
{
    ntables = loop_tables(tables);
    data_seed = 4711;
}

#define EACH_DTYPE(dt)                                                                             \
    for (hd_dtype dt = HD_BOOL; dt < HD_DTYPE_COUNT; dt++)                                         \
        if (dtypes[dt].loops)

static int agrees(hd_dtype dt, const void *got, const void *want, int n, const char *what,
                  const char *name, hd_dtype loop, int length)
{
    const int at = first_difference(dt, got, want, n);
    if (!CHECK(at < 0))
        fprintf(stderr, "%s: %s of %s, element %d, %d elements\n", what, name, dtypes[loop].name,
                at, length);
    return at < 0;
}

/* Numbers of ordinary size: order shows in their sums, and products neither overflow nor vanish
 * at once. */
static void put_ordinary(hd_dtype dt, void *at, int n)
{
    for (int i = 0; i < n; i++) {
        const double re = (double)(next_word() % 2001) / 1000 - 1 + 0x1p-30,
                     im = (double)(next_word() % 2001) / 1000 - 1;
        char *p = (char *)at + i * dtypes[dt].size;
        switch (dt) {
        case HD_FLOAT32: memcpy(p, &(float){(float)re}, 4); break;
        case HD_FLOAT64: memcpy(p, &re, 8); break;
        case HD_COMPLEX64: memcpy(p, (float[]){(float)re, (float)im}, 8); break;
        case HD_COMPLEX128: memcpy(p, (double[]){re, im}, 16); break;
        default: put_element(dt, p, HD_OP_add);
        }
    }
}

/* min and max of reals have one value, but two ways to be 0 and many to be nan: compare the
 * value. */
static void drop_zero_signs(int red, hd_dtype dt, void *at, int n)
{
    const hd_dtype real = dtypes[dt].real;
    const int parts = dtypes[dt].size / dtypes[real].size * n, size = dtypes[real].size;
    if (dtypes[real].letter != 'F' || red < HD_OP_min || red > HD_OP_nanmax)
        return;
    for (int i = 0; i < parts; i++) {
        char *p = (char *)at + i * size;
        if (real == HD_FLOAT32 && *(float *)p == 0)
            *(float *)p = 0;
        if (real == HD_FLOAT64 && *(double *)p == 0)
            *(double *)p = 0;
    }
}

/* The contract of loops.h by hand: element i to lane i % 32, then lanes pairwise; last the
 * identity. */
static void reduce_by_hand(const hdi_loops *t, int red, int ew, hd_dtype dt, const char *from,
                           int n, char *out)
{
    char lane[HDI_RED_LANES][ITEM], one[ITEM];
    const int size = dtypes[dt].size;
    const hdi_ew_loop f = t->ew[ew][dt][HDI_VV];
    for (int i = 0; i < n; i++) {
        char *l = lane[i % HDI_RED_LANES];
        if (i < HDI_RED_LANES)
            memcpy(l, from + i * size, (size_t)size);
        else
            f(l, (const void *[]){l, from + i * size}, 1);
    }
    int width = n < HDI_RED_LANES ? n : HDI_RED_LANES;
    for (int half = HDI_RED_LANES / 2; half > 0; half /= 2) {
        for (int l = 0; l < half && l + half < width; l++)
            f(lane[l], (const void *[]){lane[l], lane[l + half]}, 1);
        width = width < half ? width : half;
    }
    if (t->identity(red - HD_OP_sum, dt, one))
        f(lane[0], (const void *[]){one, lane[0]}, 1);
    memcpy(out, lane[0], (size_t)size);
}

TEST(loops_reduce, chunks_have_the_order_of_the_contract)
{
    open_tables();
    EACH_DTYPE(dt)
        for (int t = 0; t < ntables; t++)
            for (int s = 0; s < NSTEPS; s++)
                for (int i = 0; i < 2 * NLENGTHS; i++) {
                    const int n = lengths[i / 2], red = steps[s][0];
                    if (i % 2)
                        put_ordinary(dt, x.at, n);
                    else
                        put_block(dt, x.at, n, HD_OP_maximum);
                    reduce_by_hand(tables[t], red, steps[s][1], dt, x.at, n, expected.at);
                    tables[t]->red_chunk[red - HD_OP_sum][dt](accumulated.at, x.at, NULL, n);
                    drop_zero_signs(red, dt, expected.at, 1);
                    drop_zero_signs(red, dt, accumulated.at, 1);
                    agrees(dt, accumulated.at, expected.at, 1, "chunk", red_names[red - HD_OP_sum],
                           dt, n);
                }
}

TEST(loops_reduce, steps_and_merges_are_the_elementwise_loops)
{
    open_tables();
    EACH_DTYPE(dt)
        for (int t = 0; t < ntables; t++)
            for (int s = 0; s < NSTEPS; s++) {
                const int red = steps[s][0] - HD_OP_sum, n = 203;
                char one[ITEM];
                put_block(dt, x.at, n, HD_OP_maximum);
                put_block(dt, y.at, n, HD_OP_maximum);
                tables[t]->red_start[red][dt][HDI_VV](accumulated.at, x.at, NULL, n);
                if (tables[t]->identity(red, dt, one))
                    tables[t]->ew[steps[s][1]][dt][HDI_SV](x.at, (const void *[]){one, x.at}, n);
                agrees(dt, accumulated.at, x.at, n, "start", red_names[red], dt, n);
                tables[t]->red_step[red][dt][HDI_VV](accumulated.at, y.at, NULL, n);
                tables[t]->ew[steps[s][1]][dt][HDI_VV](expected.at, (const void *[]){x.at, y.at},
                                                       n);
                drop_zero_signs(steps[s][0], dt, expected.at, n);
                drop_zero_signs(steps[s][0], dt, accumulated.at, n);
                agrees(dt, accumulated.at, expected.at, n, "step", red_names[red], dt, n);
                CHECK(tables[t]->red_merge[red][dt] == tables[t]->red_step[red][dt][HDI_VV]);
            }
}

/* NumPy's sum of -0.0 alone is 0.0, by a chunk and by steps; a product keeps the sign. */
TEST(loops_reduce, begin_with_the_identity)
{
    const double zeros[3] = {-0.0, -0.0, -0.0};
    double r[3];
    open_tables();
    for (int t = 0; t < ntables; t++) {
        tables[t]->red_chunk[HD_OP_sum - HD_OP_sum][HD_FLOAT64](r, zeros, NULL, 3);
        CHECK(r[0] == 0 && !signbit(r[0]));
        tables[t]->red_start[HD_OP_sum - HD_OP_sum][HD_FLOAT64][HDI_VV](r, zeros, NULL, 3);
        CHECK(r[2] == 0 && !signbit(r[2]));
        tables[t]->red_chunk[HD_OP_sumproduct - HD_OP_sum][HD_FLOAT64](r, zeros,
                                                                       (double[]){1, 1, 1}, 3);
        CHECK(r[0] == 0 && !signbit(r[0]));
        tables[t]->red_chunk[HD_OP_prod - HD_OP_sum][HD_FLOAT64](r, zeros, NULL, 1);
        CHECK(r[0] == 0 && signbit(r[0]));
    }
}

TEST(loops_reduce, any_and_all_see_truth)
{
    open_tables();
    EACH_DTYPE(dt)
        for (int t = 0; t < ntables; t++)
            for (int i = 0; i < NLENGTHS; i++)
                for (int all = 0; all < 2; all++) {
                    const int red = (all ? HD_OP_all : HD_OP_any) - HD_OP_sum, n = lengths[i];
                    const int rare = (int)(next_word() % (unsigned)n), size = dtypes[dt].size;
                    int want = next_word() % 2 != 0;
                    for (int k = 0; k < n; k++) {
                        memset(x.at + k * size, 0, (size_t)size);
                        /* one element decides, or none does */
                        if (all != (k == rare && want != all))
                            /* some non-zero value of any type */
                            x.at[(k + 1) * size - 1] = 1;
                    }
                    uint8_t got = 7, steps_got[MAX_N];
                    tables[t]->red_chunk[red][dt](&got, x.at, NULL, n);
                    CHECK_EQ_I64(got, want);
                    tables[t]->red_start[red][dt][HDI_VV](steps_got, x.at, NULL, n);
                    CHECK_EQ_I64(steps_got[rare], x.at[(rare + 1) * size - 1]);
                    tables[t]->red_step[red][dt][HDI_VV](steps_got, x.at, NULL, n);
                    CHECK_EQ_I64(steps_got[rare], x.at[(rare + 1) * size - 1]);
                    CHECK(tables[t]->red_merge[red][dt] ==
                          tables[t]->red_step[red][HD_BOOL][HDI_VV]);
                }
}

/* ---- sums of products ------------------------------------------------------------------------ */

TEST(loops_reduce, sums_of_products_are_fused_and_agree)
{
    const int red = HD_OP_sumproduct - HD_OP_sum;
    open_tables();
    EACH_DTYPE(dt)
        for (int i = 0; i < NLENGTHS; i++) {
            const int n = lengths[i];
            put_ordinary(dt, x.at, n);
            put_ordinary(dt, y.at, n);
            for (int t = 0; t < ntables; t++) {
                tables[t]->red_chunk[red][dt](t == 0 ? expected.at : accumulated.at, x.at, y.at, n);
                if (t > 0)
                    agrees(dt, accumulated.at, expected.at, 1, "chunk against v2", "sumproduct", dt,
                           n);
            }
        }
    /* One rounding: (1 + e)^2 - (1 + 2e) is e^2 only if the product was not rounded. */
    const double e = 0x1p-30, a[2] = {1 + e, 1 + 2 * e}, b[2] = {1 + e, -1}, first = 0;
    for (int t = 0; t < ntables; t++) {
        double r = -(1 + 2 * e);
        tables[t]->red_step[red][HD_FLOAT64][HDI_VV](&r, a, b, 1);
        CHECK(r == e * e);
        tables[t]->red_start[red][HD_FLOAT64][HDI_VV](&r, a + 1, b + 1, 1);
        tables[t]->red_merge[red][HD_FLOAT64](&r, &first, NULL, 1);
        CHECK(r == -(1 + 2 * e));
    }
}

TEST(loops_reduce, sums_of_products_take_single_elements)
{
    const int red = HD_OP_sumproduct - HD_OP_sum, n = 77;
    open_tables();
    EACH_DTYPE(dt)
        for (int t = 0; t < ntables; t++)
            for (int variant = HDI_VS; variant <= HDI_SV; variant++) {
                char *single = variant == HDI_VS ? y.at : x.at;
                put_ordinary(dt, x.at, n);
                put_ordinary(dt, y.at, n);
                tables[t]->red_start[red][dt][variant](accumulated.at, x.at, y.at, n);
                tables[t]->red_step[red][dt][variant](accumulated.at, x.at, y.at, n);
                for (int i = 1; i < n; i++)
                    memcpy(single + i * dtypes[dt].size, single, (size_t)dtypes[dt].size);
                tables[t]->red_start[red][dt][HDI_VV](expected.at, x.at, y.at, n);
                tables[t]->red_step[red][dt][HDI_VV](expected.at, x.at, y.at, n);
                agrees(dt, accumulated.at, expected.at, n, "single", "sumproduct", dt, n);
            }
}

/* ---- positions ------------------------------------------------------------------------------- */

/* Does element b beat a? By the comparison loops, and nan beats all but nan. */
static int beats(const hdi_loops *t, int max, hd_dtype dt, const void *a, const void *b)
{
    uint8_t better, a_nan, b_nan;
    t->ew[max ? HD_OP_greater : HD_OP_less][dt][HDI_VV](&better, (const void *[]){b, a}, 1);
    t->ew[HD_OP_isnan][dt][HDI_VV](&a_nan, (const void *[]){a}, 1);
    t->ew[HD_OP_isnan][dt][HDI_VV](&b_nan, (const void *[]){b}, 1);
    return a_nan ? 0 : b_nan ? 1 : better;
}

static int best_by_hand(const hdi_loops *t, int max, hd_dtype dt, const char *from, int n)
{
    int best = 0;
    for (int i = 1; i < n; i++)
        if (beats(t, max, dt, from + best * dtypes[dt].size, from + i * dtypes[dt].size))
            best = i;
    return best;
}

TEST(loops_reduce, positions_of_chunks_are_the_first)
{
    open_tables();
    EACH_DTYPE(dt)
        for (int t = 0; t < ntables; t++)
            for (int i = 0; i < 2 * NLENGTHS; i++) {
                const int n = lengths[i / 2], max = i % 2, size = dtypes[dt].size;
                int64_t pos = -1;
                put_block(dt, x.at, n, next_word() % 2 ? HD_OP_maximum : HD_OP_random_uniform);
                tables[t]->arg_chunk[max][dt](accumulated.at, &pos, x.at, n, 1000);
                const int want = best_by_hand(tables[t], max, dt, x.at, n);
                CHECK_EQ_I64(pos, 1000 + want);
                agrees(dt, accumulated.at, x.at + want * size, 1, "value",
                       max ? "argmax" : "argmin", dt, n);
            }
}

TEST(loops_reduce, positions_step_and_merge)
{
    const int n = 77;
    int64_t pos[2][MAX_N], later[MAX_N];
    open_tables();
    EACH_DTYPE(dt)
        for (int t = 0; t < ntables; t++)
            for (int max = 0; max < 2; max++) {
                const int size = dtypes[dt].size;
                put_block(dt, x.at, n, HD_OP_maximum);
                put_block(dt, y.at, n, HD_OP_maximum);
                memcpy(accumulated.at, x.at, (size_t)(n * size));
                memcpy(expected.at, x.at, (size_t)(n * size));
                for (int i = 0; i < n; i++) {
                    pos[0][i] = pos[1][i] = i;
                    later[i] = 900 + i;
                }
                tables[t]->arg_step[max][dt](accumulated.at, pos[0], y.at, n, 500);
                tables[t]->arg_merge[max][dt](expected.at, pos[1], y.at, later, n);
                for (int i = 0; i < n; i++) {
                    const int take = beats(tables[t], max, dt, x.at + i * size, y.at + i * size);
                    CHECK_EQ_I64(pos[0][i], take ? 500 : i);
                    CHECK_EQ_I64(pos[1][i], take ? 900 + i : i);
                    CHECK(same_element(dt, accumulated.at + i * size,
                                       (take ? y.at : x.at) + i * size));
                }
                agrees(dt, accumulated.at, expected.at, n, "step and merge",
                       max ? "argmax" : "argmin", dt, n);
            }
}

/* ---- identities ------------------------------------------------------------------------------ */

TEST(loops_reduce, identities_change_nothing)
{
    open_tables();
    EACH_DTYPE(dt)
        for (int s = 0; s < NSTEPS; s++) {
            char one[ITEM];
            const int red = steps[s][0];
            CHECK(tables[0]->identity(red - HD_OP_sum, dt, one) ==
                  (red == HD_OP_sum || red == HD_OP_prod));
            if (red != HD_OP_sum && red != HD_OP_prod)
                continue;
            put_ordinary(dt, x.at, 100);
            tables[0]->ew[steps[s][1]][dt][HDI_VS](expected.at, (const void *[]){x.at, one}, 100);
            tables[0]->ew[HD_OP_equal][dt][HDI_VV](y.at, (const void *[]){x.at, expected.at}, 100);
            for (int i = 0; i < 100; i++)
                CHECK(y.at[i] == 1);
        }
    uint8_t b = 7;
    CHECK(tables[0]->identity(HD_OP_any - HD_OP_sum, HD_FLOAT64, &b) && b == 0);
    CHECK(tables[0]->identity(HD_OP_all - HD_OP_sum, HD_COMPLEX128, &b) && b == 1);
    CHECK(!tables[0]->identity(HD_OP_argmin - HD_OP_sum, HD_FLOAT64, &b));
}

/* What the chunks of n elements make, one after the other. */
static void fold_chunks(const hdi_loops *l, int red, hd_dtype dt, char *to, const char *from, const char *with, int64_t n)
{
    const int64_t size = dtypes[dt].size;
    char next[ITEM];
    for (int64_t i = 0; i < n; i += HDI_RED_CHUNK) {
        const int64_t m = n - i < HDI_RED_CHUNK ? n - i : HDI_RED_CHUNK;
        l->red_chunk[red][dt](i == 0 ? to : next, from + i * size, with + i * size, m);
        if (i > 0)
            l->red_merge[red][dt](to, next, NULL, 1);
    }
}

/* Many elements of any order at once are their chunks one after the other, whatever the calls. */
TEST(loops_reduce, extended_results_are_those_of_chunks)
{
    enum { MOST = 9 * 1024 + 77 };
    static const int64_t ends[][2] = {{1, 1}, {256, 300}, {512, MOST}, {MOST, MOST}, {4096, 8192}};
    static char many[MOST * ITEM], others[MOST * ITEM];
    char got[ITEM], want[ITEM];
    open_tables();
    EACH_DTYPE(dt)
        for (int red = 0; red < HDI_RED_COUNT; red++) {
            const int size = dtypes[dt].size;
            if (tables[0]->red_extend[red][dt] == NULL)
                continue;
            for (int i = 0; i < MOST; i++) {   /* few distinct ones, so that equals meet */
                put_block(dt, many + i * size, 1, HD_OP_maximum);
                put_block(dt, others + i * size, 1, HD_OP_maximum);
            }
            for (int t = 0; t < ntables; t++)
                for (size_t e = 0; e < sizeof ends / sizeof *ends; e++) {
                    const int64_t cut = ends[e][0], n = ends[e][1], at = cut * size;
                    fold_chunks(tables[t], red, dt, want, many, others, n);
                    bool settled = tables[t]->red_extend[red][dt](got, many, others, cut, true);
                    if (n > cut && !settled)
                        tables[t]->red_extend[red][dt](got, many + at, others + at, n - cut, false);
                    const hd_dtype to = red == HD_OP_any - HD_OP_sum || red == HD_OP_all - HD_OP_sum ? HD_BOOL : dt;
                    CHECK(memcmp(got, want, (size_t)dtypes[to].size) == 0);
                }
        }
}

TEST(loops_reduce, runs_are_trees_of_chunks)
{
    enum { CHUNKS = HDI_RED_RUN / HDI_RED_CHUNK };
    static char many[HDI_RED_RUN * ITEM], others[HDI_RED_RUN * ITEM];
    char got[ITEM], entry[CHUNKS][ITEM];
    open_tables();
    EACH_DTYPE(dt)
        for (int red = 0; red < HDI_RED_COUNT; red++) {
            const int size = dtypes[dt].size;
            if (tables[0]->red_run[red][dt] == NULL)
                continue;
            for (int i = 0; i < HDI_RED_RUN; i++) {
                put_block(dt, many + i * size, 1, HD_OP_add);
                put_block(dt, others + i * size, 1, HD_OP_add);
            }
            for (int t = 0; t < ntables; t++) {
                for (int c = 0; c < CHUNKS; c++)
                    tables[t]->red_chunk[red][dt](entry[c], many + c * HDI_RED_CHUNK * size,
                                                  others + c * HDI_RED_CHUNK * size, HDI_RED_CHUNK);
                for (int w = 1; w < CHUNKS; w *= 2)
                    for (int c = 0; c < CHUNKS; c += 2 * w)
                        tables[t]->red_merge[red][dt](entry[c], entry[c + w], NULL, 1);
                tables[t]->red_run[red][dt](got, many, others);
                agrees(dt, got, entry[0], 1, "run", "chunks", dt, red);
            }
        }
}

/* Positions: the first of the best, wherever calls end. */
TEST(loops_reduce, extended_positions_are_the_first)
{
    enum { MOST = 6000 };
    static char many[MOST * ITEM];
    char got[ITEM], want[ITEM];
    open_tables();
    EACH_DTYPE(dt)
        for (int max = 0; max < 2; max++)
            for (int cut = 256; cut < MOST; cut = cut * 3 / 256 * 256) {
                const int size = dtypes[dt].size;
                int64_t pos = -1, first = -1;
                if (tables[0]->arg_extend[max][dt] == NULL)
                    continue;
                for (int i = 0; i < MOST; i++)
                    put_block(dt, many + i * size, 1, HD_OP_maximum);
                for (int t = 0; t < ntables; t++) {
                    memcpy(want, many, (size_t)size);
                    first = 0;
                    for (int i = 1; i < MOST; i++)
                        tables[t]->arg_step[max][dt](want, &first, many + i * size, 1, i);
                    if (!tables[t]->arg_extend[max][dt](got, &pos, many, cut, 0, true))
                        tables[t]->arg_extend[max][dt](got, &pos, many + cut * size, MOST - cut, cut, false);
                    CHECK_EQ_I64(pos, first);
                }
            }
}

/* Running results are the elementwise loop, one element after the other. */
TEST(loops_reduce, scans_repeat_their_row)
{
    static const int of[HDI_SCAN_COUNT] = {
#define SCAN(name, row, types, combine, doc) [HDI_SCAN_##name] = HD_OP_##row,
#include "ops/scan/scan.def"
    };
    const int n = 203;
    char carry[ITEM];
    open_tables();
    EACH_DTYPE(dt)
        for (int t = 0; t < ntables; t++)
            for (int row = 0; row < HDI_SCAN_COUNT; row++) {
                const int size = dtypes[dt].size;
                put_block(dt, x.at, n, HD_OP_maximum);
                memcpy(carry, x.at, (size_t)size);
                memcpy(expected.at, x.at, (size_t)(n * size));
                for (int i = 1; i < n; i++) {
                    char *e = expected.at + i * size;
                    tables[t]->ew[of[row]][dt][HDI_VV](e, (const void *[]){e - size, e}, 1);
                }
                tables[t]->scan[row][dt](x.at + size, x.at + size, n - 1, carry);
                agrees(dt, x.at, expected.at, n, "scan", "row", dt, row);
                agrees(dt, carry, expected.at + (n - 1) * size, 1, "carry", "row", dt, row);
            }
}
