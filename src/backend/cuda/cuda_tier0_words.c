/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_tier0_words.c - kernel IR and its layout as the words of tier0/tier0.h. Values get cells
 * when they are made, and give them back after their last use; scalars and those of a row keep
 * theirs. A kernel is wide if it can be: scalars are then fetched when they are needed, since four
 * lanes of each would take much room. Where the thread's own cells do not suffice, reductions take
 * their values as soon as these are there; where even then they do not, there are cells in
 * memory. */
#include "backend/cuda/cuda_tier0.h"
#include "backend/cuda/tier0/tier0.h"
#include "codegen/cg_fold.h"
#include "codegen/cg_words.h"
#include "core/dtype.h"

/* What is tried, one after the other. */
typedef enum hdi_thrift { WIDE, NO_THRIFT, REDUCE_EARLY, FAR_CELLS, THRIFTS } hdi_thrift;

typedef struct writer {
    const hdi_kernel *k;
    const hdi_grid *g;
    uint64_t *w;
    int n;                   /* words so far */
    hdi_thrift thrift;
    bool failed;
    bool taken[T0_MOST_CELLS];
    int far_values, far_accumulators;   /* cells in memory */
    int accumulators;        /* cells of them given out */
    uint16_t slot[HDI_KERNEL_MAX_SLOTS];     /* where their words are */
    uint8_t cell[HDI_KERNEL_MAX_INSTS];
    bool held[HDI_KERNEL_MAX_INSTS];         /* WIDE: scalars that have cells now */
    bool need[HDI_KERNEL_MAX_INSTS];         /* FULL values of the phase at hand */
    uint16_t last[HDI_KERNEL_MAX_INSTS];     /* where in the phase they are used last */
} writer;

_Static_assert(T0_MOST_CELLS < UINT8_MAX && T0_MOST_ACCUMULATORS <= UINT8_MAX, "a byte each");
_Static_assert(sizeof(t0_step) == sizeof(uint64_t) && sizeof(t0_more) == sizeof(uint64_t), "words");

static void add(writer *x, uint64_t word)
{
    if (x->n == HDI_TIER0_WORDS)
        x->failed = true;
    else
        x->w[x->n++] = word;
}

static void add_step(writer *x, t0_step s)
{
    uint64_t word;
    memcpy(&word, &s, sizeof word);
    add(x, word);
}

static void add_more(writer *x, t0_more m)
{
    uint64_t word;
    memcpy(&word, &m, sizeof word);
    add(x, word);
}

/* A number that there is; else the kernel is not for tier 0. */
static uint16_t number(writer *x, int n)
{
    x->failed |= n < 0;
    return n < 0 ? T0_NO_WORD : (uint16_t)n;
}

static int log2_size(int dt)
{
    return __builtin_ctz((unsigned)hd_dtype_size((hd_dtype)dt));
}

/* ---- cells ----------------------------------------------------------------------------------- */

static int cells_of(int dt)
{
    return dt == HD_COMPLEX128 ? 2 : 1;
}

static int most_cells(const writer *x)
{
    bool beside = x->g->map == HDI_GRID_ROWS || x->g->map == HDI_GRID_COLUMNS;
    return x->thrift == FAR_CELLS ? T0_MOST_CELLS
           : x->thrift != WIDE    ? T0_CELLS
           : beside               ? T0_BLOCKS_BESIDE
                                  : T0_BLOCKS;
}

/* Those of one value are all near or all far. Of wide kernels: blocks. */
static uint8_t take_cells(writer *x, int dt)
{
    int n = cells_of(dt), most = most_cells(x);
    for (int c = 0; c + n <= most; c++) {
        if (x->taken[c] || (n == 2 && (x->taken[c + 1] || c + 1 == T0_CELLS)))
            continue;
        x->taken[c] = x->taken[c + n - 1] = true;
        if (c + n > T0_CELLS + x->far_values)
            x->far_values = c + n - T0_CELLS;
        return (uint8_t)c;
    }
    x->failed = true;
    return 0;
}

static void give_cells(writer *x, uint8_t cell, int dt)
{
    x->taken[cell] = x->taken[cell + cells_of(dt) - 1] = false;
}

static void add_scalar_step(writer *x, int i)
{
    const hdi_kinst *inst = &x->k->inst[i];
    add_step(x, (t0_step){.kind = T0_SCALAR, .d = x->cell[i],
                          .a = (uint8_t)hd_dtype_size((hd_dtype)inst->dt),
                          .n = x->slot[inst->slot]});
}

/* ---- what a phase needs ---------------------------------------------------------------------- */

/* Stores come after everything else, and so do reductions. */
static int place_of(const writer *x, int i)
{
    const hdi_kinst *inst = &x->k->inst[i];
    bool late = inst->kind == KIR_REDUCE && x->thrift <= NO_THRIFT;
    return late || hdi_grid_stores(inst) ? x->k->ninst + i : i;
}

static void find_needs(writer *x, int phase)
{
    const hdi_kernel *k = x->k;
    hdi_grid_needs(k, phase, -1, x->need);
    memset(x->last, 0, sizeof *x->last * k->ninst);
    memset(x->held, 0, sizeof *x->held * k->ninst);
    for (int i = 0; i < k->ninst; i++) {
        uint16_t value[HDI_GRID_USES];
        int n = x->need[i] ? hdi_grid_uses(k, i, value) : 0;
        for (int a = 0; a < n; a++)
            if (place_of(x, i) > x->last[value[a]])
                x->last[value[a]] = (uint16_t)place_of(x, i);
    }
}

static bool is_passing(const writer *x, const hdi_kinst *i)
{
    return i->kind == KIR_SCALAR ? x->thrift == WIDE : i->level == KIR_FULL;
}

/* Of wide kernels: the scalars that inst i uses. */
static void fetch_scalars(writer *x, int i)
{
    uint16_t value[HDI_GRID_USES];
    int n = x->thrift == WIDE ? hdi_grid_uses(x->k, i, value) : 0;
    for (int a = 0; a < n; a++) {
        const hdi_kinst *from = &x->k->inst[value[a]];
        if (from->kind != KIR_SCALAR || x->held[value[a]])
            continue;
        x->cell[value[a]] = take_cells(x, from->dt);
        x->held[value[a]] = true;
        add_scalar_step(x, value[a]);
    }
}

/* Of a row's values each has them for itself. */
static void drop_scalars(writer *x, int i)
{
    uint16_t value[HDI_GRID_USES];
    int n = x->thrift == WIDE ? hdi_grid_uses(x->k, i, value) : 0;
    for (int a = 0; a < n; a++)
        if (x->held[value[a]]) {
            give_cells(x, x->cell[value[a]], x->k->inst[value[a]].dt);
            x->held[value[a]] = false;
        }
}

/* Cells of values that inst i was the last to use. */
static void drop_arguments(writer *x, int i)
{
    uint16_t value[HDI_GRID_USES];
    int n = hdi_grid_uses(x->k, i, value);
    for (int a = 0; a < n; a++) {
        const hdi_kinst *from = &x->k->inst[value[a]];
        bool again = false;
        for (int b = 0; b < a; b++)
            again |= value[b] == value[a];
        if (!is_passing(x, from) || again || x->last[value[a]] != place_of(x, i))
            continue;
        give_cells(x, x->cell[value[a]], from->dt);
        x->held[value[a]] = false;
    }
}

/* ---- values ---------------------------------------------------------------------------------- */

/* word: of an ATOMIC. */
static void add_operand_step(writer *x, int kind, int i, uint8_t cell, uint16_t word)
{
    const hdi_kinst *inst = &x->k->inst[i];
    const hdi_kslot *slot = &x->k->slots[inst->slot];
    int by = slot->by == 0 ? 0 : x->cell[slot->by - 1] + 1;
    int flags = hd_dtype_size((hd_dtype)slot->dt) | (slot->dt == HD_BOOL ? T0_TRUTH : 0) |
                (x->g->unaligned ? T0_ODD : 0) | (inst->level == KIR_ROW ? T0_OF_ROW : 0);
    add_step(x, (t0_step){.kind = (uint8_t)kind, .d = cell, .a = (uint8_t)flags, .b = (uint8_t)by,
                          .c = (uint8_t)word, .at = (uint8_t)(word >> 8),
                          .n = x->slot[inst->slot]});
}

static int word_of(const hdi_kernel *k, const hdi_kinst *inst)
{
    int n, number = inst->kind == KIR_CAST || inst->op == HD_OP_copy
                        ? hdi_word_cast((hd_dtype)k->inst[inst->arg[0]].dt, (hd_dtype)inst->dt)
                        : hdi_word_number((hd_op)inst->op, (hd_dtype)inst->cdt);
    const hdi_word *w = hdi_words_list(&n) + number;
    if (number < 0 || w->dt != inst->dt || w->narg != inst->narg)
        return -1;
    for (int a = 0; a < inst->narg; a++)
        if (w->arg[a] != k->inst[inst->arg[a]].dt)
            return -1;
    return number;
}

/* Word number n of in[0 .. 3), to cell d. */
static void add_word(writer *x, int n, uint8_t d, const uint8_t *in)
{
    int all;
    t0_step s = {.kind = T0_WORD, .d = d, .a = in[0], .b = in[1], .c = in[2], .n = number(x, n)};
    const hdi_word *w = hdi_words_list(&all) + n;
    if (x->thrift == WIDE && n >= 0 && w->wide > 0) {
        s.kind = T0_WIDE_WORD;
        s.n = (uint16_t)(w->wide - 1);
    } else if (x->thrift == WIDE && n >= 0) {
        int b = w->arg[w->narg > 1 ? 1 : 0];
        x->failed |= w->narg > 2 && log2_size(w->arg[2]) != log2_size(b);
        s.at = (uint8_t)(log2_size(w->dt) | log2_size(w->arg[0]) << T0_HALF);
        s.kind = (uint8_t)(T0_WORD | log2_size(b) << T0_HALF);
    }
    add_step(x, s);
}

static void add_word_step(writer *x, int i, uint8_t to)
{
    const hdi_kinst *inst = &x->k->inst[i];
    uint8_t in[3];
    for (int a = 0; a < 3; a++)
        in[a] = x->cell[inst->arg[a < inst->narg ? a : 0]];
    add_word(x, word_of(x->k, inst), to, in);
}

/* LOAD, INDEX, CAST or EW i, which has its cell. */
static void add_value_step(writer *x, int i)
{
    int kind = x->k->inst[i].kind;
    if (kind == KIR_LOAD || kind == KIR_INDEX)
        add_operand_step(x, kind == KIR_LOAD ? T0_LOAD : T0_INDEX, i, x->cell[i], 0);
    else
        add_word_step(x, i, x->cell[i]);
}

/* Are lanes computed one after the other? */
static bool lane_by_lane(const writer *x, const hdi_kinst *inst)
{
    int all, n = x->thrift == WIDE && inst->narg > 0 ? word_of(x->k, inst) : -1;
    return n >= 0 && hdi_words_list(&all)[n].wide == 0;
}

/* The value may take the place of an argument that is not needed any more. */
static void add_full_value(writer *x, int i)
{
    bool beside = lane_by_lane(x, &x->k->inst[i]);
    fetch_scalars(x, i);
    if (!beside)
        drop_arguments(x, i);
    x->cell[i] = take_cells(x, x->k->inst[i].dt);
    add_value_step(x, i);
    if (beside)
        drop_arguments(x, i);
    if (x->last[i] == 0)   /* what nobody uses */
        give_cells(x, x->cell[i], x->k->inst[i].dt);
}

/* ---- reductions ------------------------------------------------------------------------------ */

static uint64_t identity_part(const writer *x, const hdi_kinst *inst, hd_dtype dt)
{
    return hdi_fold_identity(inst->op, hdi_chain_part(dt), x->k->pieces != 0);
}

/* The value that changes no other; of complex numbers both parts. */
static void add_identity(writer *x, const hdi_kinst *inst, hd_dtype dt)
{
    uint64_t re = identity_part(x, inst, dt), im = inst->op == HD_OP_prod ? 0 : re;
    add(x, dt == HD_COMPLEX64 ? (re & UINT32_MAX) | im << 32 : re);
    add(x, dt == HD_COMPLEX128 ? im : 0);
}

static int how_to_take(const hdi_kinst *inst, hd_dtype dt)
{
    return hdi_is_position(inst->op)       ? T0_POSITION
           : hdi_fold_keeps(inst->op, dt)  ? T0_PLAIN | T0_KEEPS
           : inst->op != HD_OP_sumproduct  ? T0_PLAIN
           : dt == HD_FLOAT32              ? T0_FUSED_SINGLE
           : dt == HD_FLOAT64              ? T0_FUSED_DOUBLE
                                           : T0_PRODUCT;
}

static uint8_t take_accumulators(writer *x, int cells)
{
    int flights = x->g->unroll * (x->g->map == HDI_GRID_ROWS ? x->g->lanes : 1);
    int at = x->accumulators, end = at + flights * cells;
    if (at < T0_ACCUMULATORS && end > T0_ACCUMULATORS) {
        at = T0_ACCUMULATORS;
        end = at + flights * cells;
    }
    x->accumulators = end;
    x->failed |= end > (x->thrift == FAR_CELLS ? T0_MOST_ACCUMULATORS : T0_ACCUMULATORS);
    if (end > T0_ACCUMULATORS + x->far_accumulators)
        x->far_accumulators = end - T0_ACCUMULATORS;
    return (uint8_t)at;
}

static t0_more position_words(writer *x, const hdi_kinst *inst, hd_dtype dt)
{
    int isnan = hdi_word_number(HD_OP_isnan, dt);
    hd_op better = hdi_fold_largest(inst->op) ? HD_OP_greater : HD_OP_less;
    return (t0_more){{number(x, hdi_word_number(better, dt)),
                      number(x, hdi_word_number(HD_OP_equal, dt)),
                      isnan < 0 ? T0_NO_WORD : (uint16_t)isnan}};
}

/* The truth of what any() and all() look at. */
static uint8_t add_truth(writer *x, int i)
{
    const hdi_kinst *inst = &x->k->inst[i];
    uint8_t cell = take_cells(x, HD_BOOL), from = x->cell[inst->arg[0]];
    add_word(x, hdi_word_cast((hd_dtype)inst->cdt, HD_BOOL), cell, (uint8_t[]){from, from, from});
    return cell;
}

static void add_reduction(writer *x, int i)
{
    const hdi_kinst *inst = &x->k->inst[i];
    bool truth = inst->op == HD_OP_any || inst->op == HD_OP_all;
    hd_dtype dt = truth ? HD_BOOL : (hd_dtype)inst->cdt;
    int how = how_to_take(inst, dt), all = cells_of(dt) + (how == T0_POSITION);
    uint8_t from = truth && inst->cdt != HD_BOOL ? add_truth(x, i) : x->cell[inst->arg[0]];
    t0_more more = {{0}};
    t0_step s = {.kind = T0_REDUCE, .a = from, .b = x->cell[inst->arg[inst->narg - 1]],
                 .c = (uint8_t)(how | cells_of(dt)), .at = take_accumulators(x, all)};
    x->failed |= inst->dt != (how == T0_POSITION ? HD_INT64 : dt);
    s.d = x->cell[i] = take_cells(x, inst->dt);
    if (how == T0_POSITION)
        more = position_words(x, inst, dt);
    else
        s.n = number(x, hdi_word_number(hdi_fold_row(inst->op), dt));
    if (how == T0_PRODUCT)
        more.n[0] = number(x, hdi_word_number(HD_OP_multiply, dt));
    if (x->thrift == WIDE)
        s.kind = (uint8_t)(s.kind | log2_size(dt) << T0_HALF);
    add_step(x, s);
    add_more(x, more);
    add_identity(x, inst, dt);
    if (from != x->cell[inst->arg[0]])
        give_cells(x, from, HD_BOOL);
    drop_arguments(x, i);
}

static void add_scan(writer *x, int i)
{
    const hdi_kinst *inst = &x->k->inst[i];
    hd_dtype dt = (hd_dtype)inst->cdt, to = (hd_dtype)inst->dt;
    x->cell[i] = take_cells(x, inst->dt);
    x->failed |= x->k->inst[inst->arg[0]].dt != dt;
    bool copies = inst->op == HD_OP_copy;
    add_step(x, (t0_step){
        .kind = T0_SCAN, .d = x->cell[i], .a = x->cell[inst->arg[0]], .c = (uint8_t)cells_of(dt),
        .at = take_accumulators(x, cells_of(dt)),
        .n = copies ? T0_NO_WORD
                    : number(x, hdi_word_number(hdi_fold_row(inst->op), dt))});
    add_more(x, (t0_more){{number(x, hdi_word_cast(dt, to)), number(x, hdi_word_cast(to, dt))}});
    add_identity(x, inst, dt);
    drop_arguments(x, i);
    if (x->last[i] == 0)
        give_cells(x, x->cell[i], inst->dt);
}

/* ---- phases ---------------------------------------------------------------------------------- */

static bool makes_value(const hdi_kinst *i)
{
    return i->kind == KIR_LOAD || i->kind == KIR_INDEX || i->kind == KIR_CAST ||
           i->kind == KIR_EW;
}

static void begin(writer *x, int phase, int what)
{
    x->w[T0_BEGIN + 4 * phase + what] = (uint64_t)x->n;
}

/* A complex128 is changed in two halves. */
static void add_atomic(writer *x, int i)
{
    const hdi_kinst *inst = &x->k->inst[i];
    hd_dtype dt = inst->dt == HD_COMPLEX128 ? HD_FLOAT64 : (hd_dtype)inst->dt;
    uint16_t word = number(x, hdi_word_number((hd_op)inst->op, dt));
    add_operand_step(x, T0_ATOMIC, i, x->cell[inst->arg[0]], word);
}

static void add_sink(writer *x, int i)
{
    const hdi_kinst *inst = &x->k->inst[i];
    fetch_scalars(x, i);
    if (inst->kind == KIR_REDUCE) {
        add_reduction(x, i);
        return;
    }
    if (inst->kind == KIR_STORE)
        add_operand_step(x, T0_STORE, i, x->cell[inst->arg[0]], 0);
    else
        add_atomic(x, i);
    drop_arguments(x, i);
}

/* Values up to the first running one, then what those lead to, then reductions and stores. */
static void add_full(writer *x, int phase)
{
    const hdi_kernel *k = x->k;
    bool early = x->thrift > NO_THRIFT, taking = false;
    begin(x, phase, T0_FULL);
    for (int i = 0; i < k->ninst; i++) {
        bool scan = k->inst[i].kind == KIR_SCAN, sink = early && k->inst[i].kind == KIR_REDUCE;
        if (x->need[i] && (scan || sink) && !taking) {
            begin(x, phase, T0_TAKE);
            taking = true;
        }
        if (x->need[i] && scan)
            add_scan(x, i);
        else if (x->need[i] && sink)
            add_sink(x, i);
        else if (x->need[i] && makes_value(&k->inst[i]))
            add_full_value(x, i);
    }
    if (!taking)
        begin(x, phase, T0_TAKE);
    for (int i = 0; i < k->ninst; i++) {
        const hdi_kinst *inst = &k->inst[i];
        if (x->need[i] && (hdi_grid_stores(inst) || (inst->kind == KIR_REDUCE && !early)))
            add_sink(x, i);
    }
}

static void add_row(writer *x, int phase)
{
    const hdi_kernel *k = x->k;
    begin(x, phase, T0_ROW);
    for (int i = 0; i < k->ninst; i++) {
        const hdi_kinst *inst = &k->inst[i];
        if (inst->level != KIR_ROW || inst->phase != phase || !makes_value(inst))
            continue;
        fetch_scalars(x, i);
        x->cell[i] = take_cells(x, inst->dt);
        add_value_step(x, i);
        drop_scalars(x, i);
    }
    begin(x, phase, T0_ROW_STORE);
    for (int i = 0; i < k->ninst; i++) {
        const hdi_kinst *inst = &k->inst[i];
        if (inst->kind != KIR_STORE || inst->level != KIR_ROW || inst->phase != phase)
            continue;
        fetch_scalars(x, i);
        add_operand_step(x, T0_STORE, i, x->cell[inst->arg[0]], 0);
        drop_scalars(x, i);
    }
}

static void add_scalars(writer *x)
{
    x->w[T0_SCALARS] = (uint64_t)x->n;
    for (int i = 0; i < x->k->ninst; i++) {
        const hdi_kinst *inst = &x->k->inst[i];
        if (inst->kind != KIR_SCALAR || x->thrift == WIDE)
            continue;
        x->cell[i] = take_cells(x, inst->dt);
        add_scalar_step(x, i);
    }
}

/* ---- the head -------------------------------------------------------------------------------- */

static uint64_t extent_of(const writer *x, const uint64_t *from, int axis)
{
    const hdi_grid *g = x->g;
    uint64_t extent = from[HDI_WORD_AXES + axis * HDI_AXIS_WORDS + HDI_AXIS_EXTENT];
    int grouped = g->map == HDI_GRID_ROWS ? hdi_grid_axes(g) - 1 : g->kept - 1;
    bool tiled = g->map == HDI_GRID_TILES && axis == grouped - 1;
    return axis == grouped || tiled ? extent * g->lanes : extent;
}

static void add_axes(writer *x, const uint64_t *from)
{
    uint64_t size = 1;
    for (int a = 0; a < hdi_grid_axes(x->g); a++) {
        uint64_t extent = extent_of(x, from, a);
        add(x, extent);
        size *= extent;
    }
    if (x->g->tail)   /* of a single axis, the rest of the groups */
        size = x->w[T0_EXTENTS] = size + from[HDI_WORD_KEPT];
    x->w[T0_SIZE] = size;
    if (x->w[T0_WIDE] == T0_NARROW)
        return;
    uint64_t last = x->w[T0_EXTENTS + hdi_grid_axes(x->g) - 1];
    x->w[T0_RUNS] = (last + T0_LANES - 1) / T0_LANES;
    x->w[T0_ALL_RUNS] = last == 0 ? 0 : size / last * x->w[T0_RUNS];
}

static void add_slots(writer *x, const uint64_t *from)
{
    int at = hdi_grid_slot_at(x->g, x->k, 0);
    for (int s = 0; s < x->k->nslots && !x->failed; s++) {
        int words = hdi_grid_slot_words(x->g, x->k, s);
        x->slot[s] = (uint16_t)x->n;
        for (int k = 0; k < words; k++)
            add(x, from[at + k]);
        at += words;
    }
}

static void write_head(writer *x, const uint64_t *from)
{
    const hdi_grid *g = x->g;
    bool rows = g->map == HDI_GRID_ROWS, columns = g->map == HDI_GRID_COLUMNS;
    uint64_t *w = x->w;
    memset(w, 0, sizeof *w * T0_EXTENTS);
    w[T0_MAP] = rows ? T0_ROWS : columns ? T0_COLUMNS : T0_ELEMENTS;
    w[T0_KEPT_AXES] = g->kept;
    w[T0_ALL_AXES] = (uint64_t)hdi_grid_axes(g);
    w[T0_WIDE] = x->thrift == WIDE ? (uint64_t)hdi_cuda_tier0_wide(x->k, g) : T0_NARROW;
    w[T0_GROUP_LANES] = g->lanes;
    w[T0_UNROLL] = g->unroll;
    w[T0_ACROSS] = g->across;
    w[T0_KEPT] = from[rows ? HDI_WORD_KEPT : HDI_WORD_GROUPS];
    w[T0_GROUPS] = from[rows ? HDI_WORD_GROUPS : HDI_WORD_REDUCED];
    w[T0_SEGMENT] = from[HDI_WORD_SEGMENT];
    w[T0_SPLITS] = g->split ? from[HDI_WORD_SPLITS] : 1;
    w[T0_PARTIALS] = from[HDI_WORD_PARTIALS];
    w[T0_COUNTERS] = from[HDI_WORD_COUNTERS];
    w[T0_SOME_EMPTY] = x->k->some_empty;
    w[T0_ENTRY_BYTES] = (uint64_t)hdi_grid_partials(x->k) * HDI_PARTIAL_BYTES;
    w[T0_NPHASES] = x->k->nphases;
    x->n = T0_EXTENTS;
}

static int write_words(const hdi_kernel *k, const hdi_cuda_layout *lay, hdi_thrift thrift,
                       uint64_t *words)
{
    writer x;
    x.k = k;
    x.g = &lay->grid;
    x.w = words;
    x.thrift = thrift;
    x.failed = false;
    memset(x.taken, 0, sizeof x.taken);
    x.far_values = x.far_accumulators = 0;
    write_head(&x, lay->words);
    add_axes(&x, lay->words);
    add_slots(&x, lay->words);
    if (k->pieces != 0)
        words[T0_PIECES] = x.slot[k->pieces - 1];
    add_scalars(&x);
    for (int phase = 0; phase < k->nphases && !x.failed; phase++) {
        find_needs(&x, phase);
        x.accumulators = 0;
        add_full(&x, phase);
        add_row(&x, phase);
    }
    begin(&x, k->nphases, T0_FULL);
    words[T0_COUNT] = (uint64_t)x.n;
    words[T0_FAR_VALUES] = (uint64_t)x.far_values;
    words[T0_FAR_CELLS] = (uint64_t)(x.far_values + x.far_accumulators);
    return x.failed ? 0 : x.n;
}

int hdi_cuda_tier0_words(const hdi_kernel *k, const hdi_cuda_layout *lay, uint64_t *words)
{
    int n = 0;
    if (k->nphases > T0_PHASES || hdi_grid_axes(&lay->grid) > T0_AXES)
        return 0;
    int first = hdi_cuda_tier0_wide(k, &lay->grid) != T0_NARROW ? WIDE : NO_THRIFT;
    for (int t = first; t < THRIFTS && n == 0; t++)
        n = write_words(k, lay, (hdi_thrift)t, words);
    return n;
}
