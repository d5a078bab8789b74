/* SPDX-License-Identifier: BSD-3-Clause */
/* The loops that make places: byte offsets of indices, flags that are set, operations at places. */
#include "base/base.h"
#include "loops_data.h"

enum { LONGEST = 300 };

static const hdi_loops *tables[MAX_TABLES];
static int64_t at[LONGEST + 8], wanted[LONGEST];

static int64_t wrapped(int64_t v, int64_t extent)
{
    v += v < 0 ? extent : 0;
    return v >= 0 && v < extent ? v : 0;
}

TEST(loops_places, indices_stay_within_their_axis)
{
    const int n = loop_tables(tables);
    const int64_t extents[] = {1, 7, 1000, (int64_t)1 << 40};
    _Alignas(8) uint8_t memory[LONGEST * 8 + 1];
    for (int t = 0; t < n; t++)
        for (int wide = 0; wide < 2; wide++)
            for (int e = 0; e < 4; e++) {
                uint8_t *from = memory + 1;   /* elements may lie anywhere */
                for (int64_t j = 0; j < LONGEST; j++) {
                    const int64_t word = (int64_t)next_word();
                    const int64_t v = j % 5 == 0   ? (wide ? word : (int32_t)word)
                                      : j % 5 == 1 ? -hdi_min64(extents[e], INT32_MAX)
                                      : j % 5 == 2 ? hdi_min64(extents[e], INT32_MAX)
                                                   : word % 9 - 4;
                    const int32_t narrow = (int32_t)v;
                    memcpy(from + j * (wide ? 8 : 4), wide ? (const void *)&v : &narrow,
                           wide ? 8 : 4);
                    wanted[j] = wrapped(wide ? v : narrow, extents[e]) * -24;
                }
                tables[t]->index[wide](at, from, LONGEST, extents[e], -24);
                CHECK(memcmp(at, wanted, sizeof wanted) == 0);
            }
}

TEST(loops_places, flags)
{
    const int n = loop_tables(tables);
    static const int lengths[] = {0, 1, 63, 64, 65, 128, 200, LONGEST}, odds[] = {0, 1, 20, 128, 250, 256};
    uint8_t flag[LONGEST];
    for (int t = 0; t < n; t++)
        for (int l = 0; l < 8; l++)
            for (int o = 0; o < 6; o++) {
                int64_t found = 0;
                for (int64_t i = 0; i < lengths[l]; i++) {
                    flag[i] = (int)(next_word() & 255) < odds[o] ? (uint8_t)(next_word() | 1) : 0;
                    if (flag[i])
                        wanted[found++] = 100 + 3 * i;
                }
                memset(at, 0x55, sizeof at);
                CHECK_EQ_I64(tables[t]->flags_count(flag, lengths[l]), found);
                CHECK_EQ_I64(tables[t]->flags_find(at, found, flag, lengths[l], 100, 3), found);
                CHECK(memcmp(at, wanted, (size_t)found * sizeof *at) == 0);
                CHECK(at[found] == 0x5555555555555555);
                const int64_t some = tables[t]->flags_find(at, found / 2, flag, lengths[l], 100, 3);
                CHECK(some <= found / 2 && memcmp(at, wanted, (size_t)some * sizeof *at) == 0);
                CHECK(found < 2 || at[found] == 0x5555555555555555);
            }
}

/* Of the operation and the dtype, by the loop of single elements. */
static void check_at(const hdi_loops *l, hd_dtype dt, int row, hd_op op)
{
    enum { N = 100, PLACES = 9 };
    static char out[PLACES * ITEM], expected[PLACES * ITEM], values[N * ITEM];
    const int64_t size = dtypes[dt].size;
    int64_t offset[N];
    put_block(dt, out, PLACES, (int)op);
    put_block(dt, values, N, (int)op);
    memcpy(expected, out, sizeof out);
    for (int stride = 0; stride < 2; stride++) {
        for (int j = 0; j < N; j++) {
            char *to = expected + (offset[j] = (int64_t)(next_word() % PLACES) * size),
                 *value = values + j * stride * size;
            l->ew[op][dt][HDI_VV](to, (const void *[]){to, value, to}, 1);
        }
        l->at[row][dt](out, offset, values, stride * size, N);
        CHECK(first_difference(dt, out, expected, PLACES) < 0);
    }
}

TEST(loops_places, operations_at_places)
{
    static const hd_op of[] = {
#define SCAN(name, of, types, combine, doc) HD_OP_##of,
#include "ops/scan/scan.def"
    };
    const int n = loop_tables(tables);
    for (int t = 0; t < n; t++)
        for (int row = 0; row < HDI_SCAN_COUNT; row++)
            for (hd_dtype dt = HD_BOOL; dt < HD_DTYPE_COUNT; dt++)
                if (tables[t]->at[row][dt] != NULL)
                    check_at(tables[t], dt, row, of[row]);
}
