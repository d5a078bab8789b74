/* SPDX-License-Identifier: BSD-3-Clause */
/* test_cuda_layout.c - how launches are laid over a grid: nothing here needs a GPU. */
#include "backend/cuda/cuda_layout.h"
#include "harness.h"

/* out = in, over these extents and strides in bytes. */
typedef struct launch {
    hdi_kernel k;
    hdi_kinst inst[3];
    hdi_kslot slot[2];
    hdi_arg arg[3];
    hdi_launch l;
    int64_t dims[4], in[4], out[4];
    uint64_t words[1024];
    hdi_cuda_layout lay;
} launch;

static void lay_out(launch *x, hd_dtype dt, int nd, const int64_t *dims, const int64_t *in,
                    const int64_t *out, uint64_t reduced)
{
    bool sums = reduced != 0;
    *x = (launch){.k = {.cls = sums ? 'r' : 'e', .nphases = 1, .nslots = 2}};
    x->inst[0] = (hdi_kinst){.kind = KIR_LOAD, .dt = (uint8_t)dt};
    x->k.ninst = 1;
    if (sums)
        x->inst[x->k.ninst++] = (hdi_kinst){.kind = KIR_REDUCE, .dt = (uint8_t)dt,
                                            .cdt = (uint8_t)dt, .op = HD_OP_sum, .narg = 1,
                                            .level = KIR_ROW};
    x->inst[x->k.ninst] = (hdi_kinst){.kind = KIR_STORE, .dt = (uint8_t)dt, .slot = 1, .narg = 1,
                                      .level = sums ? KIR_ROW : KIR_FULL};
    x->inst[x->k.ninst].arg[0] = (uint16_t)(x->k.ninst - 1);
    x->k.ninst++;
    x->slot[0] = (hdi_kslot){.kind = HDI_SLOT_ARRAY, .dt = (uint8_t)dt};
    x->slot[1] = (hdi_kslot){.kind = HDI_SLOT_ARRAY, .dt = (uint8_t)dt, .write = true,
                             .level = sums ? KIR_ROW : KIR_FULL};
    x->k.inst = x->inst;
    x->k.slots = x->slot;
    memcpy(x->dims, dims, sizeof *dims * (size_t)nd);
    memcpy(x->in, in, sizeof *in * (size_t)nd);
    memcpy(x->out, out, sizeof *out * (size_t)nd);
    x->arg[0] = (hdi_arg){.ptr = (uint8_t *)(uintptr_t)4096, .strides = x->in};
    x->arg[1] = (hdi_arg){.ptr = (uint8_t *)(uintptr_t)8192, .strides = x->out};
    x->l = (hdi_launch){.nd = nd, .dims = x->dims, .reduced = reduced, .size = 1, .args = x->arg,
                        .order_arg = sums ? 0 : 1};
    for (int a = 0; a < nd; a++)
        x->l.size *= dims[a];
    REQUIRE(hdi_cuda_most_words(&x->k, nd) <= 1024);
    hdi_cuda_lay_out(&x->k, &x->l, x->words, &x->lay);
}

static int64_t word(const launch *x, int n) { return (int64_t)x->words[n]; }

TEST(cuda_layout, dense_arrays_are_one_axis)
{
    launch x;
    lay_out(&x, HD_FLOAT32, 3, (int64_t[]){3, 5, 7}, (int64_t[]){140, 28, 4},
            (int64_t[]){140, 28, 4}, 0);
    CHECK_EQ_I64(x.lay.grid.map, HDI_GRID_ELEMENTS);
    CHECK_EQ_I64(x.lay.grid.kept, 1);
    CHECK_EQ_I64(x.lay.grid.lanes, 4);
    CHECK_EQ_I64(word(&x, HDI_WORD_GROUPS), 26);
    CHECK_EQ_I64(word(&x, HDI_WORD_KEPT), 1);   /* what is left */
    CHECK(x.lay.grid.tail);
    CHECK_EQ_I64(x.lay.blocks, 1);
}

TEST(cuda_layout, bytes_go_sixteen_at_once)
{
    launch x;
    lay_out(&x, HD_UINT8, 1, (int64_t[]){8000}, (int64_t[]){1}, (int64_t[]){1}, 0);
    CHECK_EQ_I64(x.lay.grid.lanes, 16);
    x.inst[1] = x.inst[0];   /* unless what is computed is wider */
    x.inst[1].kind = KIR_EW;
    x.inst[1].cdt = HD_FLOAT32;
    hdi_cuda_lay_out(&x.k, &x.l, x.words, &x.lay);
    CHECK_EQ_I64(x.lay.grid.lanes, 8);
}

TEST(cuda_layout, both_in_columns_are_one_axis_too)
{
    launch x;
    lay_out(&x, HD_FLOAT64, 2, (int64_t[]){100, 60}, (int64_t[]){8, 800}, (int64_t[]){8, 800}, 0);
    CHECK_EQ_I64(x.lay.grid.kept, 1);
    CHECK_EQ_I64(x.lay.grid.lanes, 2);
}

TEST(cuda_layout, odd_addresses_take_single_elements)
{
    launch x;
    lay_out(&x, HD_FLOAT32, 2, (int64_t[]){9, 8}, (int64_t[]){36, 4}, (int64_t[]){32, 4}, 0);
    CHECK_EQ_I64(x.lay.grid.kept, 2);
    CHECK_EQ_I64(x.lay.grid.lanes, 1);   /* rows of 36 bytes */
    lay_out(&x, HD_FLOAT32, 2, (int64_t[]){9, 8}, (int64_t[]){40, 4}, (int64_t[]){32, 4}, 0);
    CHECK_EQ_I64(x.lay.grid.lanes, 2);
    lay_out(&x, HD_FLOAT32, 1, (int64_t[]){80}, (int64_t[]){-4}, (int64_t[]){4}, 0);
    CHECK_EQ_I64(x.lay.grid.lanes, 1);
    CHECK_EQ_I64(x.lay.grid.how[0], HDI_GRID_STRIDED);
}

TEST(cuda_layout, one_element_for_a_row)
{
    launch x;
    lay_out(&x, HD_FLOAT32, 2, (int64_t[]){9, 8}, (int64_t[]){4, 0}, (int64_t[]){32, 4}, 0);
    CHECK_EQ_I64(x.lay.grid.lanes, 4);
    CHECK_EQ_I64(x.lay.grid.how[0], HDI_GRID_SPLAT);
    CHECK_EQ_I64(x.lay.grid.how[1], HDI_GRID_DENSE);
}

TEST(cuda_layout, transposes_are_tiles)
{
    launch x;
    lay_out(&x, HD_FLOAT32, 2, (int64_t[]){100, 200}, (int64_t[]){4, 400}, (int64_t[]){800, 4}, 0);
    CHECK_EQ_I64(x.lay.grid.map, HDI_GRID_TILES);
    CHECK_EQ_I64(x.lay.grid.how[0], HDI_GRID_TURNED);
    CHECK_EQ_I64(x.lay.grid.lanes, 4);
    CHECK_EQ_I64(word(&x, HDI_WORD_TILES_LAST), 4);
    CHECK_EQ_I64(word(&x, HDI_WORD_TILES_BEFORE), 2);
    CHECK_EQ_I64(x.lay.blocks, 8);
    lay_out(&x, HD_FLOAT32, 2, (int64_t[]){99, 200}, (int64_t[]){4, 396}, (int64_t[]){800, 4}, 0);
    CHECK_EQ_I64(x.lay.grid.map, HDI_GRID_ELEMENTS);   /* 99 is no multiple of 4 */
}

TEST(cuda_layout, sums_by_rows_and_by_columns)
{
    launch x;
    lay_out(&x, HD_FLOAT32, 2, (int64_t[]){1000, 4000}, (int64_t[]){16000, 4}, (int64_t[]){4, 0},
            2);
    CHECK_EQ_I64(x.lay.grid.map, HDI_GRID_ROWS);
    CHECK_EQ_I64(x.lay.grid.across, 256);
    CHECK(!x.lay.grid.split);
    CHECK_EQ_I64(x.lay.blocks, 1000);
    lay_out(&x, HD_FLOAT32, 2, (int64_t[]){4000, 1000}, (int64_t[]){4000, 4}, (int64_t[]){0, 4},
            1);
    CHECK_EQ_I64(x.lay.grid.map, HDI_GRID_COLUMNS);
    CHECK_EQ_I64(x.lay.grid.lanes, 4);
    CHECK(x.lay.grid.split);
    CHECK_EQ_I64(x.lay.counters, 16);
}

TEST(cuda_layout, short_rows_are_taken_at_once)
{
    launch x;
    const struct { int64_t n; int unroll, across; hdi_grid_turns turns; } rows[] = {
        {16, 4, 1, HDI_GRID_TURN_WHOLE},     {20, 2, 4, HDI_GRID_TURN_PART},
        {32, 2, 4, HDI_GRID_TURN_WHOLE},     {100, 4, 8, HDI_GRID_TURN_PART},
        {1024, 4, 64, HDI_GRID_TURN_WHOLE},  {4000, 4, 256, HDI_GRID_TURN_PART},
        {4096, 4, 256, HDI_GRID_TURN_WHOLE}, {8192, 4, 256, HDI_GRID_TURNS_ANY}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        int64_t n = rows[k].n;
        lay_out(&x, HD_FLOAT32, 2, (int64_t[]){2000, n}, (int64_t[]){4 * n, 4},
                (int64_t[]){4, 0}, 2);
        CHECK_EQ_I64(x.lay.grid.map, HDI_GRID_ROWS);
        CHECK_EQ_I64(x.lay.grid.unroll, rows[k].unroll);
        CHECK_EQ_I64(x.lay.grid.across, rows[k].across);
        CHECK_EQ_I64(x.lay.grid.turns, rows[k].turns);
    }
}

TEST(cuda_layout, accumulators_have_room)
{
    launch x;
    const struct { hd_dtype dt; int unroll; } of[] = {
        {HD_FLOAT32, 4}, {HD_FLOAT64, 4}, {HD_FLOAT16, 4}, {HD_INT64, 4}, {HD_COMPLEX128, 4}};
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        int64_t size = hd_dtype_size(of[k].dt);
        lay_out(&x, of[k].dt, 1, (int64_t[]){8000000}, (int64_t[]){size}, (int64_t[]){0}, 1);
        CHECK_EQ_I64(x.lay.grid.unroll, of[k].unroll);
    }
    x.inst[1].cdt = HD_FLOAT64;   /* of eight float16 at once */
    x.inst[0].dt = x.slot[0].dt = HD_FLOAT16;
    x.in[0] = 2;
    hdi_cuda_lay_out(&x.k, &x.l, x.words, &x.lay);
    CHECK_EQ_I64(x.lay.grid.lanes, 8);
    CHECK_EQ_I64(x.lay.grid.unroll, 2);
}

TEST(cuda_layout, many_columns_have_a_thread_each)
{
    launch x;
    const int64_t columns[] = {4000, 600000, 1200000, 9000000}, across[] = {16, 4, 2, 1};
    for (int k = 0; k < 4; k++) {
        lay_out(&x, HD_FLOAT32, 2, (int64_t[]){10, columns[k]}, (int64_t[]){4 * columns[k], 4},
                (int64_t[]){0, 4}, 1);
        CHECK_EQ_I64(x.lay.grid.map, HDI_GRID_COLUMNS);
        CHECK_EQ_I64(x.lay.grid.across, across[k]);
        CHECK(!x.lay.grid.split || k == 0);
    }
}

TEST(cuda_layout, a_long_row_is_shared)
{
    launch x;
    lay_out(&x, HD_FLOAT64, 1, (int64_t[]){10000000}, (int64_t[]){8}, (int64_t[]){0}, 1);
    CHECK_EQ_I64(x.lay.grid.map, HDI_GRID_ROWS);
    CHECK(x.lay.grid.split);
    int64_t splits = word(&x, HDI_WORD_SPLITS), segment = word(&x, HDI_WORD_SEGMENT);
    CHECK(splits > 450 && splits <= 528);
    CHECK(splits * segment >= 5000000 && (splits - 1) * segment < 5000000);
    CHECK_EQ_I64(x.lay.blocks, splits);
    CHECK_EQ_I64(x.lay.partials, splits * 16);
    CHECK_EQ_I64(x.lay.counters, 1);
}

/* exp(x) / exp(x).sum(axis=1) of rows of n elements. */
static hdi_grid grid_of_quotients(hd_dtype dt, int64_t n)
{
    const uint8_t t = (uint8_t)dt;
    hdi_kinst inst[] = {
        {.kind = KIR_LOAD, .dt = t},
        {.kind = KIR_EW, .dt = t, .cdt = t, .op = HD_OP_exp, .narg = 1},
        {.kind = KIR_REDUCE, .dt = t, .cdt = t, .op = HD_OP_sum, .narg = 1, .level = KIR_ROW,
         .arg = {1}},
        {.kind = KIR_EW, .dt = t, .cdt = t, .op = HD_OP_divide, .narg = 2, .phase = 1,
         .arg = {1, 2}},
        {.kind = KIR_STORE, .dt = t, .slot = 1, .narg = 1, .phase = 1, .arg = {3}}};
    hdi_kslot slot[] = {{.kind = HDI_SLOT_ARRAY, .dt = t},
                        {.kind = HDI_SLOT_ARRAY, .dt = t, .write = true}};
    const hdi_kernel k = {.cls = 'R', .nphases = 2, .nslots = 2, .ninst = 5, .inst = inst,
                          .slots = slot};
    const int64_t size = hd_dtype_size(dt), dims[] = {100, n}, strides[] = {n * size, size};
    hdi_arg arg[] = {{.ptr = (uint8_t *)(uintptr_t)4096, .strides = strides},
                     {.ptr = (uint8_t *)(uintptr_t)8192, .strides = strides}};
    const hdi_launch l = {.nd = 2, .dims = dims, .reduced = 2, .size = 100 * n, .args = arg,
                          .order_arg = 1};
    uint64_t words[1024];
    hdi_cuda_layout lay;
    hdi_cuda_lay_out(&k, &l, words, &lay);
    CHECK_EQ_I64(lay.grid.map, HDI_GRID_ROWS);
    return lay.grid;
}

TEST(cuda_layout, rows_hold_what_costs_much)
{
    hdi_grid g = grid_of_quotients(HD_FLOAT32, 10000);
    CHECK_EQ_I64(g.held, 2);   /* exp */
    CHECK_EQ_I64(g.held_bytes, 40960);
    CHECK_EQ_I64(grid_of_quotients(HD_FLOAT32, 10241).held, 0);
    CHECK_EQ_I64(grid_of_quotients(HD_FLOAT64, 5120).held_bytes, 40960);
    CHECK_EQ_I64(grid_of_quotients(HD_FLOAT64, 5122).held, 0);
    g = grid_of_quotients(HD_FLOAT32, 64);   /* several rows to a block */
    CHECK_EQ_I64(g.held_bytes, 256 * (256 / g.across));
}

TEST(cuda_layout, large_arrays_count_in_64_bits)
{
    launch x;
    const int64_t n = (int64_t)1 << 30;
    lay_out(&x, HD_FLOAT64, 1, &n, (int64_t[]){8}, (int64_t[]){8}, 0);
    CHECK(x.lay.grid.wide);
    lay_out(&x, HD_INT8, 1, &n, (int64_t[]){1}, (int64_t[]){1}, 0);
    CHECK(!x.lay.grid.wide);
}

TEST(cuda_layout, nothing_to_do)
{
    launch x;
    lay_out(&x, HD_FLOAT64, 2, (int64_t[]){0, 5}, (int64_t[]){40, 8}, (int64_t[]){40, 8}, 0);
    CHECK_EQ_I64(x.lay.blocks, 0);
    lay_out(&x, HD_FLOAT64, 2, (int64_t[]){0, 5}, (int64_t[]){40, 8}, (int64_t[]){0, 8}, 1);
    CHECK_EQ_I64(x.lay.blocks, 1);   /* sums over nothing */
}

TEST(cuda_layout, multiplication_divides)
{
    static const int64_t extents[] = {2, 3, 5, 7, 10, 641, 1000, 65535, 65536, 65537, 99999,
                                      16777213, 1073741823};
    for (size_t k = 0; k < sizeof extents / sizeof *extents; k++) {
        launch x;
        int64_t d = extents[k];   /* the second of two axes that cannot be merged */
        lay_out(&x, HD_INT8, 2, (int64_t[]){2, d}, (int64_t[]){d + 1, 1}, (int64_t[]){d + 3, 1}, 0);
        REQUIRE(x.lay.grid.kept == 2 && x.lay.grid.lanes == 1);
        const uint64_t *w = &x.words[HDI_WORD_AXES + HDI_AXIS_WORDS];
        for (uint64_t n = 0; n < INT32_MAX; n += n < 100 ? 1 : n / 7 + (uint64_t)d % 11) {
            uint64_t near[] = {n, n / (uint64_t)d * (uint64_t)d, INT32_MAX - n};
            for (int i = 0; i < 3; i++)
                CHECK((near[i] * w[HDI_AXIS_MULTIPLIER] >> w[HDI_AXIS_SHIFT]) ==
                      near[i] / (uint64_t)d);
        }
    }
}
