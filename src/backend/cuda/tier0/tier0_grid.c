/* SPDX-License-Identifier: BSD-3-Clause */
/* tier0_grid.c - runs kernels that are not compiled, on the GPU. For clang's NVPTX target; the
 * words and the kernel around heddle_tier0_run() come from codegen/llvm_words_all.c. Which thread
 * takes which elements, and in which order values are brought together, is what the code of
 * llvm_grid_map.c and llvm_grid_red.c does: the results have the same bits. */
#include "backend/cuda/tier0/tier0_wide.h"

static SHARED word exchange_area[256 * 3];   /* two cells and a position for each thread */
static SHARED uint32_t last_block;

/* ---- threads that share a row ---------------------------------------------------------------- */

INLINE word shuffle(word x, int by, int width, int down)
{
    int mask = (WARP - width) << 8 | 31;
    uint32_t low = (uint32_t)x, high = (uint32_t)(x >> 32);
    if (down) {
        low = (uint32_t)__nvvm_shfl_sync_down_i32(UINT32_MAX, (int)low, by, mask);
        high = (uint32_t)__nvvm_shfl_sync_down_i32(UINT32_MAX, (int)high, by, mask);
    } else {
        low = (uint32_t)__nvvm_shfl_sync_idx_i32(UINT32_MAX, (int)low, by, mask);
        high = (uint32_t)__nvvm_shfl_sync_idx_i32(UINT32_MAX, (int)high, by, mask);
    }
    return (word)high << 32 | low;
}

static void put(count entry, const cell *x, t0_step s)
{
    for (int k = 0; k < all_cells(s); k++)
        exchange_area[entry * RESULT_CELLS + k] = x[k].bits;
}

static void take(cell *x, count entry, t0_step s)
{
    for (int k = 0; k < all_cells(s); k++)
        x[k].bits = exchange_area[entry * RESULT_CELLS + k];
}

static void across_warps(const thread *t, cell *a, t0_step s, int n)
{
    count warps = (count)get(T0_ACROSS) / WARP, warp = t->id / WARP, first = warp & -warps;
    barrier();   /* what was here before has been read */
    put(warp, a, s);
    barrier();
    take(a, first, s);
    for (count w = 1; w < warps; w++) {
        cell x[RESULT_CELLS];
        take(x, first + w, s);
        fold(a, x, s, n);
    }
}

static void across_row(const thread *t, cell *a, t0_step s, int n)
{
    int across = (int)get(T0_ACROSS), width = across < WARP ? across : WARP;
    cell x[RESULT_CELLS];
    for (int by = width / 2; by > 0; by /= 2) {
        for (int k = 0; k < all_cells(s); k++)
            x[k].bits = shuffle(a[k].bits, by, width, 1);
        fold(a, x, s, n);
    }
    for (int k = 0; k < all_cells(s) && width > 1; k++)
        a[k].bits = shuffle(a[k].bits, 0, width, 0);
    if (across > WARP)
        across_warps(t, a, s, n);
}

/* Rows of threads, halved until one is left. */
static void across_column(const thread *t, cell *a, t0_step s, int n)
{
    count across = (count)get(T0_ACROSS), per_row = THREADS / across;
    barrier();
    put(t->id, a, s);
    barrier();
    for (count rows = across / 2; rows > 0; rows /= 2) {
        if (t->id < rows * per_row) {
            cell x[RESULT_CELLS];
            take(a, t->id, s);
            take(x, t->id + rows * per_row, s);
            fold(a, x, s, n);
            put(t->id, a, s);
        }
        barrier();
    }
    take(a, t->id & (per_row - 1), s);
}

static void across(const thread *t, cell *a, t0_step s, int n)
{
    if (get(T0_ACROSS) == 1)
        return;
    if (get(T0_MAP) == T0_ROWS)
        across_row(t, a, s, n);
    else
        across_column(t, a, s, n);
}

/* ---- a row ----------------------------------------------------------------------------------- */

typedef struct part { count start, first, end; int phase; } part;

INLINE int begin_of(int phase, int what)
{
    return (int)get(T0_BEGIN + 4 * phase + what);
}

INLINE int is_rows(void)
{
    return get(T0_MAP) == T0_ROWS;
}

/* Flights of a thread: groups at a time, and lanes of a group. COLUMNS go lane by lane. */
INLINE int lanes(void)
{
    return is_rows() ? (int)get(T0_GROUP_LANES) : 1;
}

static void element(thread *t, const part *p, count group, int flight, int lane)
{
    count n = is_rows() ? group * (count)get(T0_GROUP_LANES) + lane : group;
    find(t, n, (int)get(T0_KEPT_AXES), (int)get(T0_ALL_AXES));
    make_values(t, begin_of(p->phase, T0_FULL), begin_of(p->phase, T0_TAKE));
    for (int at = begin_of(p->phase, T0_TAKE); at < begin_of(p->phase, T0_ROW);) {
        t0_step s = step_at(at);
        if (s.kind == T0_REDUCE) {
            cell *a = accumulator_at(t, s.at + (flight * lanes() + lane) * all_cells(s));
            take_in(a, value_at(t, s.a), value_at(t, s.b), s, at, n);
            at += STEP_WORDS;
        } else if (s.kind == T0_SCAN) {
            scan(t, s, at, n == p->start);
            at += STEP_WORDS;
        } else {
            make_values(t, at, at + 1);
            at++;
        }
    }
}

/* Elements of the row from number n on, into flights from `first` on, every by-th of them. */
static void several(thread *t, const part *p, count n, int there, int first, int by)
{
    int flights = (int)get(T0_UNROLL) * lanes();
    find(t, n, (int)get(T0_KEPT_AXES), (int)get(T0_ALL_AXES));
    make_wide(t, begin_of(p->phase, T0_FULL), begin_of(p->phase, T0_TAKE), there);
    for (int at = begin_of(p->phase, T0_TAKE); at < begin_of(p->phase, T0_ROW);) {
        t0_step s = step_at(at);
        if ((s.kind & T0_KIND_MASK) != T0_REDUCE) {
            make_wide(t, at, at + 1, there);
            at++;
            continue;
        }
        for (int l = 0; l < there; l++) {
            int flight = (first + l * by) & (flights - 1);
            take_lane(accumulator_at(t, s.at + flight * all_cells(s)), t, s, at, l,
                      n + l * t->apart);
        }
        at += STEP_WORDS;
    }
}

static void take_group(thread *t, const part *p, count group, int flight)
{
    if (get(T0_WIDE))
        for (int l = 0; l < lanes(); l += T0_LANES)
            several(t, p, group * lanes() + l, (int)least(T0_LANES, lanes() - l),
                    flight * lanes() + l, 1);
    else
        for (int l = 0; l < lanes(); l++)
            element(t, p, group, flight, l);
}

/* T0_LANES groups of the thread at a time, lane by lane. Flights come by turns, as in walk(). */
static void walk_apart(thread *t, const part *p)
{
    count across = (count)get(T0_ACROSS);
    t->apart = across * lanes();
    for (count at = p->first; at < p->end; at += across * T0_LANES) {
        int there = (int)least(T0_LANES, (p->end - at + across - 1) / across);
        for (int l = 0; l < lanes(); l++)
            several(t, p, at * lanes() + l, there, l, lanes());
    }
}

static void walk(thread *t, const part *p)
{
    count across = (count)get(T0_ACROSS), at = p->first;
    int unroll = (int)get(T0_UNROLL);
    if (get(T0_WIDE) == T0_APART) {
        walk_apart(t, p);
        return;
    }
    for (; unroll > 1 && at < p->end - across * (unroll - 1); at += across * unroll)
        for (int u = 0; u < unroll; u++)
            take_group(t, p, at + u * across, u);
    for (int u = 0; at < p->end; at += across, u++)   /* fewer, unless there is just one flight */
        take_group(t, p, at, unroll > 1 ? u : 0);
}

INLINE int kind_at(int n)
{
    return step_at(n).kind & T0_KIND_MASK;
}

/* What a loop over the reductions of a phase does with each. */
#define EACH_REDUCTION(phase)                                                              \
    for (int at = begin_of(phase, T0_TAKE); at < begin_of(phase, T0_ROW);                  \
         at += kind_at(at) >= T0_REDUCE ? STEP_WORDS : 1)                                  \
        if (kind_at(at) == T0_REDUCE)

static void open(thread *t, int phase)
{
    EACH_REDUCTION(phase) {
        t0_step s = step_at(at);
        for (int f = 0; f < (int)get(T0_UNROLL) * lanes(); f++)
            start(accumulator_at(t, s.at + f * all_cells(s)), s, at);
    }
}

/* Over what the thread has in flight: groups first, then halves of the lanes. */
static void join(thread *t, t0_step s, int n)
{
    int width = lanes(), cells = all_cells(s);
    cell *a = accumulator_at(t, s.at);
    for (int u = 1; u < (int)get(T0_UNROLL); u++)
        for (int l = 0; l < width; l++)
            fold(a + l * cells, a + (u * width + l) * cells, s, n);
    for (width /= 2; width > 0; width /= 2)
        for (int l = 0; l < width; l++)
            fold(a + l * cells, a + (l + width) * cells, s, n);
}

/* Results become ROW values: of a position just that. */
static void close(thread *t, t0_step s)
{
    const cell *a = accumulator_at(t, s.at);
    cell *d = value_at(t, s.d);
    if (get(T0_WIDE))
        close_wide(t, a, s);
    else if (s.c & T0_POSITION)
        *d = a[cells_of(s)];
    else
        for (int k = 0; k < cells_of(s); k++)
            d[k] = a[k];
}

/* ROW values. */
static void make_some(thread *t, int from, int to)
{
    if (get(T0_WIDE))
        make_wide(t, from, to, 1);
    else
        make_values(t, from, to);
}

static void finish_phase(thread *t, const part *p)
{
    int from = begin_of(p->phase, T0_ROW), stores = begin_of(p->phase, T0_ROW_STORE);
    EACH_REDUCTION(p->phase) close(t, step_at(at));
    make_some(t, from, stores);
    if (t->valid && t->row_thread == 0)
        make_some(t, stores, begin_of(p->phase + 1, T0_FULL));
}

static count piece_border(const thread *t, int number)
{
    const count *borders = (const count *)offset(t, (int)get(T0_PIECES), (int)get(T0_KEPT_AXES));
    return borders[number];
}

static void find_part(const thread *t, part *p)
{
    count n = (count)get(T0_GROUPS);
    *p = (part){.first = t->row_thread, .end = n};
    if (get(T0_PIECES) != 0) {
        p->start = piece_border(t, 0);
        count floor = p->start + (get(T0_SOME_EMPTY) == 0), end = piece_border(t, 1);
        p->first = p->start + t->row_thread;
        p->end = end > floor ? end : floor;
    }
    if (get(T0_SPLITS) > 1) {
        count segment = (count)get(T0_SEGMENT), from = t->split * segment;
        p->first = from + t->row_thread;
        p->end = least(from + segment, n);
    }
    if (!t->valid)
        p->end = 0;
}

/* ---- several blocks to a row ----------------------------------------------------------------- */

static volatile word *partial(const thread *t, count split, count lane)
{
    count wide = is_rows() ? 1 : (count)get(T0_GROUP_LANES);
    count kept = (count)get(T0_KEPT) * wide;
    count number = split * kept + t->kept * wide + lane;
    return (volatile word *)(get(T0_PARTIALS) + (word)number * get(T0_ENTRY_BYTES));
}

static void spill(thread *t, count lane)
{
    volatile word *to = partial(t, t->split, lane);
    EACH_REDUCTION(0) {
        t0_step s = step_at(at);
        for (int k = 0; k < all_cells(s); k++)
            *to++ = accumulator_at(t, s.at)[k].bits;
    }
}

static void collect(thread *t, count lane)
{
    EACH_REDUCTION(0) start(accumulator_at(t, step_at(at).at), step_at(at), at);
    for (count split = t->row_thread; split < (count)get(T0_SPLITS);
         split += (count)get(T0_ACROSS)) {
        volatile word *from = partial(t, split, lane);
        EACH_REDUCTION(0) {
            t0_step s = step_at(at);
            cell x[RESULT_CELLS];
            for (int k = 0; k < all_cells(s); k++)
                x[k].bits = *from++;
            fold(accumulator_at(t, s.at), x, s, at);
        }
    }
    EACH_REDUCTION(0) across(t, accumulator_at(t, step_at(at).at), step_at(at), at);
}

/* Is this the last of the blocks that share rows? The counter is 0 again afterwards. */
static int is_last(const thread *t)
{
    barrier();
    if (t->id == 0) {
        uint32_t limit = (uint32_t)get(T0_SPLITS) - 1, before;
        word counter = get(T0_COUNTERS) + (word)t->block * sizeof(uint32_t);
        __asm__ volatile("atom.inc.acq_rel.gpu.global.u32 %0, [%1], %2;"
                         : "=r"(before) : "l"(counter), "r"(limit) : "memory");
        last_block = before == limit;
    }
    barrier();
    return *(volatile SHARED uint32_t *)&last_block != 0;
}

/* ---- the maps -------------------------------------------------------------------------------- */

/* Of T0_LANES neighbours, or what is left of them at the end of a line. */
static void runs(thread *t)
{
    count all = (count)get(T0_ALL_RUNS), each = (count)get(T0_RUNS);
    int last = (int)get(T0_ALL_AXES) - 1;
    for (count n = t->block * THREADS + t->id; n < all; n += t->blocks * THREADS) {
        count line = all == each ? 0 : quotient(n, each), at = (n - line * each) * T0_LANES;
        find(t, line, 0, last);
        t->at[last] = at;
        make_wide(t, begin_of(0, T0_FULL), begin_of(0, T0_ROW),
                  (int)least(T0_LANES, (count)get(T0_EXTENTS + last) - at));
    }
}

static void elements(thread *t)
{
    count size = (count)get(T0_SIZE);
    if (get(T0_WIDE)) {
        runs(t);
        return;
    }
    for (count n = t->block * THREADS + t->id; n < size; n += t->blocks * THREADS) {
        find(t, n, 0, (int)get(T0_ALL_AXES));
        make_values(t, begin_of(0, T0_FULL), begin_of(0, T0_ROW));
    }
}

static void find_row(thread *t)
{
    count across = (count)get(T0_ACROSS), side = THREADS / across;
    count inner = is_rows() ? across : side, splits = (count)get(T0_SPLITS);
    count low = t->id & (inner - 1), high = t->id / inner;
    t->split = t->block % splits;
    t->block /= splits;
    t->row_thread = is_rows() ? low : high;
    count n = t->block * side + (is_rows() ? high : low), last = (count)get(T0_KEPT) - 1;
    t->valid = n <= last;
    t->kept = least(n, last);
}

/* Stands at lane `lane` of the kept index. */
static void find_kept(thread *t, count lane)
{
    count n = is_rows() ? t->kept : t->kept * (count)get(T0_GROUP_LANES) + lane;
    find(t, n, 0, (int)get(T0_KEPT_AXES));
}

static void reduce_phase(thread *t, const part *p)
{
    open(t, p->phase);
    if (begin_of(p->phase, T0_FULL) < begin_of(p->phase, T0_ROW))
        walk(t, p);
    EACH_REDUCTION(p->phase) {
        t0_step s = step_at(at);
        join(t, s, at);
        across(t, accumulator_at(t, s.at), s, at);
    }
}

static void whole_rows(thread *t, count lane)
{
    part p;
    find_kept(t, lane);
    find_part(t, &p);
    for (p.phase = 0; p.phase < (int)get(T0_NPHASES); p.phase++) {
        reduce_phase(t, &p);
        finish_phase(t, &p);
    }
}

static void shared_rows(thread *t, count wide)
{
    part p;
    for (count lane = 0; lane < wide; lane++) {
        find_kept(t, lane);
        find_part(t, &p);
        reduce_phase(t, &p);
        if (t->valid && t->row_thread == 0)
            spill(t, lane);
    }
    if (!is_last(t))
        return;
    for (count lane = 0; lane < wide; lane++) {
        find_kept(t, lane);
        collect(t, lane);
        finish_phase(t, &p);
    }
}

void heddle_tier0_run(void)
{
    thread t;
    t.id = __nvvm_read_ptx_sreg_tid_x();
    t.block = __nvvm_read_ptx_sreg_ctaid_x();
    t.far = (cell *)get(T0_FAR) + (t.block * THREADS + t.id) * (count)get(T0_FAR_CELLS);
    t.block += (count)get(T0_FIRST_BLOCK);
    t.blocks = __nvvm_read_ptx_sreg_nctaid_x();
    t.apart = 1;
    make_values(&t, (int)get(T0_SCALARS), begin_of(0, T0_FULL));
    if (get(T0_MAP) == T0_ELEMENTS) {
        elements(&t);
        return;
    }
    find_row(&t);
    count wide = is_rows() ? 1 : (count)get(T0_GROUP_LANES);
    if (get(T0_SPLITS) > 1)
        shared_rows(&t, wide);
    else
        for (count lane = 0; lane < wide; lane++)
            whole_rows(&t, lane);
}
