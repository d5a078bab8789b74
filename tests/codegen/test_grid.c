/* SPDX-License-Identifier: BSD-3-Clause */
/* test_grid.c - kernels for a GPU: everything that the generator has words for becomes PTX, in each
 * dtype, map and architecture, and ptxas takes it. What they compute is tested where there is a
 * GPU: the tests of the package with HEDDLE_DEVICE=cuda. */
#include <stdio.h>
#include <stdlib.h>

#include "codegen/cg_generator.h"
#include "core/op.h"
#include "harness.h"
#include "ptxas.h"

static const int archs[] = {75, 80, 90};

/* ---- a kernel by hand ------------------------------------------------------------------------ */

typedef struct maker {
    hdi_kernel k;
    hdi_kinst inst[HDI_KERNEL_MAX_INSTS];
    hdi_kslot slot[HDI_KERNEL_MAX_SLOTS];
} maker;
static maker m;

static void begin(char cls, int phases)
{
    memset(&m, 0, sizeof m);
    m.k = (hdi_kernel){.cls = (uint8_t)cls, .nphases = (uint8_t)phases, .inst = m.inst,
                       .slots = m.slot};
}

static uint16_t add(hdi_kinst i)
{
    m.inst[m.k.ninst] = i;
    return m.k.ninst++;
}

static uint16_t slot(hdi_slot_kind kind, hd_dtype dt, int level, bool write)
{
    m.slot[m.k.nslots] = (hdi_kslot){
        .kind = (uint8_t)kind, .dt = (uint8_t)dt, .level = (uint8_t)level, .write = write};
    return m.k.nslots++;
}

static uint16_t load(hd_dtype dt)
{
    return add((hdi_kinst){
        .kind = KIR_LOAD, .dt = (uint8_t)dt, .slot = slot(HDI_SLOT_ARRAY, dt, KIR_FULL, false)});
}

static uint16_t scalar(hd_dtype dt)
{
    return add((hdi_kinst){
        .kind = KIR_SCALAR, .dt = (uint8_t)dt, .slot = slot(HDI_SLOT_SCALAR, dt, KIR_FULL, false)});
}

static uint16_t ew(hd_op op, hd_dtype cdt, int phase, int narg, const uint16_t *arg)
{
    hdi_kinst i = {.kind = KIR_EW, .dt = (uint8_t)hdi_value_dtype(op, cdt), .cdt = (uint8_t)cdt,
                   .op = (uint16_t)op, .phase = (uint8_t)phase, .narg = (uint8_t)narg};
    memcpy(i.arg, arg, sizeof *arg * (size_t)narg);
    return add(i);
}

static uint16_t reduce(hd_op op, hd_dtype cdt, int phase, uint16_t x, uint16_t y)
{
    return add((hdi_kinst){.kind = KIR_REDUCE, .dt = (uint8_t)hdi_value_dtype(op, cdt),
                           .cdt = (uint8_t)cdt, .level = KIR_ROW, .op = (uint16_t)op,
                           .phase = (uint8_t)phase, .arg = {x, y},
                           .narg = op == HD_OP_sumproduct ? 2 : 1});
}

static void store(uint16_t v)
{
    hdi_kinst *from = &m.inst[v];
    add((hdi_kinst){.kind = KIR_STORE, .dt = from->dt, .level = from->level, .phase = from->phase,
                    .narg = 1, .arg = {v},
                    .slot = slot(HDI_SLOT_ARRAY, (hd_dtype)from->dt, from->level, true)});
}

/* ---- PTX, and what ptxas says ---------------------------------------------------------------- */

static const hdi_cg_generator *generator(void)
{
    const hdi_cg_generator *g = hdi_cg_generator_open();
    if (g == NULL) {
        hd_error_take(NULL);
        harness_skip("no code generator in this build");
    }
    return g;
}

/* Once is enough: the PTX of a debug build, which looks for faults of ours, is the same. */
static int assembles(const hdi_llvm_object *o, int arch)
{
#ifdef HDI_DEBUG
    (void)arch;
    return o->size > 0;
#else
    return ptxas_takes((const char *)o->bytes, o->size, arch);
#endif
}

/* least: the oldest architecture to try; ptxas takes its time. */
static void try_from(const hdi_cg_generator *g, int least, hdi_grid grid, const char *what)
{
    for (size_t a = 0; a < sizeof archs / sizeof *archs; a++) {
        if (archs[a] < least)
            continue;
        hdi_llvm_object o;
        grid.arch = (uint8_t)archs[a];
        int made = g->grid(&m.k, &grid, 0, &o);
        if (!CHECK(made && assembles(&o, archs[a])))
            printf("    %s for sm_%d: %s\n", what, archs[a], o.error);
        free(o.bytes);
    }
}

static void try_grid(const hdi_cg_generator *g, hdi_grid grid, const char *what)
{
    try_from(g, 0, grid, what);
}

static hdi_grid elements(int lanes)
{
    hdi_grid g = {.map = HDI_GRID_ELEMENTS, .kept = 1, .lanes = (uint8_t)lanes, .unroll = 1,
                  .threads = 256, .across = 1, .tail = lanes > 1};
    memset(g.how, HDI_GRID_DENSE, sizeof g.how);
    return g;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static int inputs(hd_op op)
{
    return hd_op_info_of(op)->nin;
}

/* All rows of a dtype in one kernel: one run of ptxas for each architecture. */
static void rows_of(const hdi_cg_generator *g, hd_dtype cdt)
{
    int rows = 0;
    begin('e', 1);
    for (hd_op op = 0; op < HD_OP_sum; op++) {
        uint16_t arg[3];
        if (op == HD_OP_copy || !hdi_has_loop(op, cdt) || !hdi_words_can(op, cdt))
            continue;
        for (int k = 0; k < inputs(op); k++)
            arg[k] = k == 2 ? scalar(hdi_loop_dtype(op, k, cdt)) : load(hdi_loop_dtype(op, k, cdt));
        store(ew(op, cdt, 0, inputs(op), arg));
        rows++;
    }
    CHECK(rows > (hdi_is_half(cdt) ? 1 : 20));
    bool everywhere =
        cdt == HD_BOOL || cdt == HD_INT64 || cdt == HD_FLOAT32 || cdt == HD_COMPLEX128;
    try_from(g, everywhere ? 0 : 90, elements(hd_dtype_size(cdt) <= 4 ? 2 : 1), hd_dtype_name(cdt));
}

TEST(grid, every_row_assembles)
{
    const hdi_cg_generator *g = generator();
    for (hd_dtype dt = HD_BOOL; g != NULL && dt < HD_DTYPE_COUNT; dt++)
        if (hd_dtype_ready(dt))
            rows_of(g, dt);
}

TEST(grid, every_cast_assembles)
{
    const hdi_cg_generator *g = generator();
    for (hd_dtype from = HD_BOOL; g != NULL && from < HD_DTYPE_COUNT; from++) {
        if (!hd_dtype_ready(from))
            continue;
        begin('e', 1);
        uint16_t x = load(from);
        for (hd_dtype to = HD_BOOL; to < HD_DTYPE_COUNT; to++)
            if (hd_dtype_ready(to) && to != from && hdi_cast_via(from, to) == HD_NO_DTYPE)
                store(add((hdi_kinst){.kind = KIR_CAST, .dt = (uint8_t)to, .narg = 1, .arg = {x}}));
        try_from(g, from == HD_FLOAT64 ? 0 : 90, elements(4), hd_dtype_name(from));
    }
}

/* ---- operands -------------------------------------------------------------------------------- */

TEST(grid, operands_lie_anyhow)
{
    const hdi_cg_generator *g = generator();
    for (int variant = 0; g != NULL && variant < 8; variant++) {
        begin('e', 1);
        uint16_t x = load(variant & 1 ? HD_COMPLEX64 : HD_BOOL), y = load(HD_INT16);
        uint16_t i = add((hdi_kinst){.kind = KIR_INDEX, .dt = HD_INT64,
                                     .slot = slot(HDI_SLOT_INDEX, HD_INT64, KIR_FULL, false)});
        store(x), store(y), store(i);
        hdi_grid grid = elements(4);
        grid.kept = 3;
        grid.tail = false;
        grid.wide = variant >> 1 & 1;
        grid.words_in_memory = variant >> 2 & 1;
        grid.unroll = HDI_GRID_MOST_UNROLL;
        grid.how[m.inst[x].slot] = HDI_GRID_STRIDED;
        grid.how[m.inst[y].slot] = HDI_GRID_SPLAT;
        grid.how[m.k.nslots - 1] = HDI_GRID_STRIDED;
        try_grid(g, grid, "operands");
    }
}

/* ---- reductions ------------------------------------------------------------------------------ */

static void reductions_of(const hdi_cg_generator *g, hd_dtype cdt)
{
    begin('r', 1);
    uint16_t x = load(cdt), y = load(cdt);
    for (hd_op op = HD_OP_sum; op < HD_OP_matmul; op++)
        if (hdi_has_loop(op, cdt))
            store(reduce(op, cdt, 0, x, y));
    for (int map = HDI_GRID_ROWS; map <= HDI_GRID_COLUMNS; map++)
        for (int across = 1; across <= 256; across *= 16) {
            hdi_grid grid = elements(map == HDI_GRID_ROWS ? 2 : 1);
            grid.tail = false;
            grid.map = (uint8_t)map;
            grid.reduced = 1;
            grid.across = (uint16_t)across;
            grid.split = across == 256;
            grid.unroll = 2;
            try_from(g, across == 16 ? 0 : 90, grid, hd_dtype_name(cdt));
        }
}

TEST(grid, every_reduction_assembles)
{
    static const hd_dtype some[] = {HD_BOOL, HD_INT8, HD_UINT64, HD_FLOAT32, HD_COMPLEX128};
    const hdi_cg_generator *g = generator();
    for (size_t k = 0; g != NULL && k < sizeof some / sizeof *some; k++)
        reductions_of(g, some[k]);
}

TEST(grid, atomics_assemble)
{
    const hdi_cg_generator *g = generator();
    for (hd_dtype dt = HD_BOOL; g != NULL && dt < HD_DTYPE_COUNT; dt++) {
        begin('e', 1);
        uint16_t x = load(dt), n = m.k.ninst;
        for (hd_op op = 0; op < HD_OP_sum; op++)
            if (hdi_words_atomic(op, dt))
                add((hdi_kinst){.kind = KIR_ATOMIC, .dt = (uint8_t)dt, .op = (uint16_t)op,
                                .narg = 1, .arg = {x},
                                .slot = slot(HDI_SLOT_ARRAY, dt, KIR_FULL, true)});
        if (m.k.ninst > n)
            try_grid(g, elements(1), hd_dtype_name(dt));
    }
}

/* Running results rounded to a half at each step, and sums, of pieces. */
TEST(grid, pieces_assemble)
{
    const hdi_cg_generator *g = generator();
    for (int map = HDI_GRID_ROWS; g != NULL && map <= HDI_GRID_COLUMNS; map++)
        for (int wide = 0; wide < 2; wide++) {
            begin('r', 1);
            uint16_t x = load(HD_FLOAT32);
            if (map == HDI_GRID_COLUMNS)
                store(add((hdi_kinst){.kind = KIR_SCAN, .dt = HD_FLOAT16, .cdt = HD_FLOAT32,
                                      .op = HD_OP_hypot, .narg = 1, .arg = {x}}));
            store(reduce(HD_OP_sum, HD_FLOAT32, 0, x, 0));
            m.k.pieces = (uint8_t)(slot(HDI_SLOT_ARRAY, HD_INT64, KIR_FULL, false) + 1);
            hdi_grid grid = elements(1);
            grid.map = (uint8_t)map;
            grid.reduced = 1;
            grid.wide = wide;
            grid.across = map == HDI_GRID_ROWS ? 64 : 1;
            try_grid(g, grid, "pieces");
        }
}

/* x - max, its sum, and both divided: three phases. */
TEST(grid, phases_assemble)
{
    const hdi_cg_generator *g = generator();
    begin('w', 3);
    uint16_t x = load(HD_FLOAT32), top = reduce(HD_OP_max, HD_FLOAT32, 0, x, 0);
    uint16_t d = ew(HD_OP_subtract, HD_FLOAT32, 1, 2, (uint16_t[]){x, top});
    uint16_t s = reduce(HD_OP_sum, HD_FLOAT32, 1, d, 0);
    store(ew(HD_OP_divide, HD_FLOAT32, 2, 2, (uint16_t[]){d, s}));
    for (int map = HDI_GRID_ROWS; g != NULL && map <= HDI_GRID_COLUMNS; map++) {
        hdi_grid grid = elements(4);
        grid.tail = false;
        grid.map = (uint8_t)map;
        grid.reduced = 1;
        grid.across = 64;
        try_grid(g, grid, "three phases");
    }
}

/* ---- sequences ------------------------------------------------------------------------------- */

/* The kernels made so far, kept as they are: the maker is for the next one. */
static struct { hdi_kernel k; hdi_grid g; hdi_kinst inst[32]; hdi_kslot slot[32]; } kept[4];
static hdi_sequence seq;

static void keep(hdi_grid grid)
{
    int n = seq.nbodies++;
    memcpy(kept[n].inst, m.inst, sizeof *m.inst * m.k.ninst);
    memcpy(kept[n].slot, m.slot, sizeof *m.slot * m.k.nslots);
    kept[n].k = m.k;
    kept[n].k.inst = kept[n].inst;
    kept[n].k.slots = kept[n].slot;
    kept[n].g = grid;
    seq.body[n] = (hdi_grid_kernel){&kept[n].k, &kept[n].g};
}

static void keep_reduction(hd_dtype dt, hd_op op, int map, int across, bool split)
{
    hdi_grid grid = elements(1);
    grid.tail = false;
    grid.map = (uint8_t)map;
    grid.reduced = 1;
    grid.across = (uint16_t)across;
    grid.split = split;
    begin('r', 1);
    uint16_t x = load(dt);
    store(reduce(op, dt, 0, x, 0));
    keep(grid);
}

/* Kernels of each map, of several types, that share what they have in shared memory. */
TEST(grid, sequences_assemble)
{
    const hdi_cg_generator *g = generator();
    hdi_llvm_object o;
    memset(&seq, 0, sizeof seq);
    begin('e', 1);
    store(ew(HD_OP_exp, HD_FLOAT64, 0, 1, (uint16_t[]){load(HD_FLOAT64)}));
    keep(elements(2));
    keep_reduction(HD_FLOAT64, HD_OP_sum, HDI_GRID_ROWS, 256, true);
    keep_reduction(HD_COMPLEX64, HD_OP_argmax, HDI_GRID_COLUMNS, 64, true);
    keep_reduction(HD_FLOAT32, HD_OP_max, HDI_GRID_ROWS, 64, false);
    for (int arch = 0; g != NULL && arch < 3; arch++) {
        for (int n = 0; n < seq.nbodies; n++)
            kept[n].g.arch = (uint8_t)archs[arch];
        bool made = g->sequence(&seq, 0, &o);
        CHECK(made && strstr(o.bytes, HDI_GRID_ENTRY) != NULL);
        CHECK(made && strstr(o.bytes, "st.local") == NULL);   /* the words stay parameters */
        CHECK(made && assembles(&o, archs[arch]));
        if (made)
            free(o.bytes);
    }
}
