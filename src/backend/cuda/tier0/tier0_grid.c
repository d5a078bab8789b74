/* SPDX-License-Identifier: BSD-3-Clause */
/* tier0_grid.c - runs kernels that are not compiled, on the GPU. For clang's NVPTX target; the
 * words and the kernel around heddle_tier0_run() come from codegen/llvm_words_all.c. Which thread
 * takes which elements, and in which order values are brought together, is what the code of
 * llvm_grid_map.c and llvm_grid_red.c does: the results have the same bits. */
#include "backend/cuda/tier0/tier0.h"

#define SHARED __attribute__((address_space(3)))
#define INLINE static inline __attribute__((always_inline))

typedef uint64_t word;
typedef int64_t count;
typedef struct cell { word bits; } cell;

extern SHARED word heddle_tier0_words[];
static SHARED word exchange_area[256 * 3];   /* two cells and a position for each thread */
static SHARED uint32_t last_block;

void heddle_word(uint32_t number, void *d, const void *a, const void *b, const void *c);

enum { WARP = 32, THREADS = 256, POSITION_CELL = 2, RESULT_CELLS = 3 };

typedef struct thread {
    cell value[T0_CELLS];
    cell accumulator[T0_ACCUMULATORS];
    count at[T0_AXES];       /* coordinates */
    count id, block, split, blocks;
    count kept, row_thread;  /* kept index, and which of the threads that share it */
    int valid;
} thread;

INLINE word get(int n)
{
    return heddle_tier0_words[n];
}

INLINE t0_step step_at(int n)
{
    word w = get(n);
    return (t0_step){.kind = (uint8_t)w, .d = (uint8_t)(w >> 8), .a = (uint8_t)(w >> 16),
                     .b = (uint8_t)(w >> 24), .c = (uint8_t)(w >> 32), .at = (uint8_t)(w >> 40),
                     .n = (uint16_t)(w >> 48)};
}

INLINE uint16_t more_at(int n, int which)
{
    return (uint16_t)(get(n) >> 16 * which);
}

INLINE void barrier(void)
{
    __nvvm_bar_sync(0);
}

INLINE count least(count a, count b)
{
    return a < b ? a : b;
}

/* ---- operands -------------------------------------------------------------------------------- */

/* Coordinates of number n over axes [first, last). */
static void find(thread *t, count n, int first, int last)
{
    for (int a = last - 1; a > first; a--) {
        count extent = (count)get(T0_EXTENTS + a), up;
        up = ((word)n | (word)extent) >> 32 == 0 ? (count)((uint32_t)n / (uint32_t)extent)
                                                 : n / extent;
        t->at[a] = n - up * extent;
        n = up;
    }
    if (last > first)
        t->at[first] = n;
}

static count offset(const thread *t, int operand, int axes)
{
    count sum = (count)get(operand);
    for (int a = 0; a < axes; a++)
        sum += t->at[a] * (count)get(operand + 1 + a);
    return sum;
}

static void copy(uint8_t *to, const uint8_t *from, int bytes, int odd)
{
    if (odd)
        for (int k = 0; k < bytes; k++)
            to[k] = from[k];
    else if (bytes == 1)
        *to = *from;
    else if (bytes == 2)
        *(uint16_t *)to = *(const uint16_t *)from;
    else if (bytes == 4)
        *(uint32_t *)to = *(const uint32_t *)from;
    else
        for (int k = 0; k < bytes / 8; k++)
            ((word *)to)[k] = ((const word *)from)[k];
}

INLINE int axes_of(t0_step s)
{
    return (int)get(s.a & T0_OF_ROW ? T0_KEPT_AXES : T0_ALL_AXES);
}

/* A complex64 is as odd as its parts. */
static uint8_t *address(const thread *t, t0_step s)
{
    int by = s.b | s.c << 8, axes = axes_of(s);
    count far = 0;
    if (by != 0)
        copy((uint8_t *)&far, (const uint8_t *)offset(t, by, axes), 8, s.a & T0_ODD);
    return (uint8_t *)(offset(t, s.n, axes) + far);
}

static void load(thread *t, t0_step s)
{
    uint8_t *to = (uint8_t *)&t->value[s.d];
    copy(to, address(t, s), s.a & T0_SIZE_MASK, s.a & T0_ODD);
    if (s.a & T0_TRUTH)
        *to = *to != 0;
}

/* ---- steps ----------------------------------------------------------------------------------- */

static void make_values(thread *t, int from, int to)
{
    for (int n = from; n < to; n++) {
        t0_step s = step_at(n);
        switch (s.kind) {
        case T0_LOAD:
            load(t, s);
            break;
        case T0_INDEX:
            t->value[s.d].bits = (word)offset(t, s.n, axes_of(s));
            break;
        case T0_SCALAR:
            t->value[s.d].bits = get(s.n);
            if (s.a == 16)
                t->value[s.d + 1].bits = get(s.n + 1);
            break;
        case T0_STORE:
            copy(address(t, s), (const uint8_t *)&t->value[s.d], s.a & T0_SIZE_MASK,
                 s.a & T0_ODD);
            break;
        default:
            heddle_word(s.n, &t->value[s.d], &t->value[s.a], &t->value[s.b], &t->value[s.c]);
            break;
        }
    }
}

/* ---- accumulators ---------------------------------------------------------------------------- */

enum { STEP_WORDS = 4 };   /* of a REDUCE or SCAN */

INLINE int cells_of(t0_step s)
{
    return s.c & T0_CELLS_MASK;
}

INLINE int all_cells(t0_step s)
{
    return cells_of(s) + (s.c & T0_POSITION ? 1 : 0);
}

static void start(cell *to, t0_step s, int n)
{
    for (int k = 0; k < cells_of(s); k++)
        to[k].bits = get(n + 2 + k);
    if (s.c & T0_POSITION)
        to[cells_of(s)].bits = INT64_MAX;
}

static int truth_of(int number, const cell *a, const cell *b)
{
    cell truth = {0};
    heddle_word((uint32_t)number, &truth, a, b, b);
    return (uint8_t)truth.bits != 0;
}

/* Does x come before a? The better value; of equals, and of nans, the first in the row. */
static int comes_first(const cell *a, const cell *x, t0_step s, int n)
{
    int isnan = more_at(n + 1, 2), at = cells_of(s);
    int x_nan = isnan != T0_NO_WORD && truth_of(isnan, x, x);
    int a_nan = isnan != T0_NO_WORD && truth_of(isnan, a, a);
    int earlier = (count)x[at].bits < (count)a[at].bits;
    if (x_nan || a_nan)
        return x_nan && (!a_nan || earlier);
    return truth_of(more_at(n + 1, 0), x, a) || (truth_of(more_at(n + 1, 1), x, a) && earlier);
}

/* a = a and x. */
static void fold(cell *a, const cell *x, t0_step s, int n)
{
    if (!(s.c & T0_POSITION))
        heddle_word(s.n, a, a, x, x);
    else if (comes_first(a, x, s, n))
        for (int k = 0; k < all_cells(s); k++)
            a[k] = x[k];
}

INLINE float *single(const cell *c)
{
    return (float *)(uintptr_t)c;
}

INLINE double *real(const cell *c)
{
    return (double *)(uintptr_t)c;
}

static void take_in(cell *a, const thread *t, t0_step s, int n, count position)
{
    const cell *p = &t->value[s.a], *q = &t->value[s.b];
    cell x[RESULT_CELLS];
    if (s.c & T0_FUSED_SINGLE) {
        *single(a) = __nvvm_fma_rn_f(*single(p), *single(q), *single(a));
    } else if (s.c & T0_FUSED_DOUBLE) {
        *real(a) = __nvvm_fma_rn_d(*real(p), *real(q), *real(a));
    } else if (s.c & T0_PRODUCT) {
        heddle_word(more_at(n + 1, 0), x, p, q, x);
        fold(a, x, s, n);
    } else {
        for (int k = 0; k < cells_of(s); k++)
            x[k] = p[k];
        x[cells_of(s)].bits = (word)position;
        fold(a, x, s, n);
    }
}

/* The first element is the first result; each is rounded to the values' dtype. */
static void scan(thread *t, t0_step s, int n, int is_first)
{
    cell *a = &t->accumulator[s.at];
    if (is_first || s.n == T0_NO_WORD)
        for (int k = 0; k < cells_of(s); k++)
            a[k] = t->value[s.a + k];
    else
        heddle_word(s.n, a, a, &t->value[s.a], a);
    heddle_word(more_at(n + 1, 0), &t->value[s.d], a, a, a);
    heddle_word(more_at(n + 1, 1), a, &t->value[s.d], a, a);
}

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
    return is_rows() ? (int)get(T0_LANES) : 1;
}

static void element(thread *t, const part *p, count group, int flight, int lane)
{
    count n = is_rows() ? group * (count)get(T0_LANES) + lane : group;
    find(t, n, (int)get(T0_KEPT_AXES), (int)get(T0_ALL_AXES));
    make_values(t, begin_of(p->phase, T0_FULL), begin_of(p->phase, T0_TAKE));
    for (int at = begin_of(p->phase, T0_TAKE); at < begin_of(p->phase, T0_ROW);) {
        t0_step s = step_at(at);
        if (s.kind == T0_REDUCE) {
            take_in(&t->accumulator[s.at + (flight * lanes() + lane) * all_cells(s)], t, s, at, n);
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

static void walk(thread *t, const part *p)
{
    count across = (count)get(T0_ACROSS), at = p->first;
    int unroll = (int)get(T0_UNROLL);
    for (; unroll > 1 && at < p->end - across * (unroll - 1); at += across * unroll)
        for (int u = 0; u < unroll; u++)
            for (int l = 0; l < lanes(); l++)
                element(t, p, at + u * across, u, l);
    for (; at < p->end; at += across)
        for (int l = 0; l < lanes(); l++)
            element(t, p, at, 0, l);
}

/* What a loop over the reductions of a phase does with each. */
#define EACH_REDUCTION(phase)                                                              \
    for (int at = begin_of(phase, T0_TAKE); at < begin_of(phase, T0_ROW);                  \
         at += step_at(at).kind >= T0_REDUCE ? STEP_WORDS : 1)                             \
        if (step_at(at).kind == T0_REDUCE)

static void open(thread *t, int phase)
{
    EACH_REDUCTION(phase) {
        t0_step s = step_at(at);
        for (int f = 0; f < (int)get(T0_UNROLL) * lanes(); f++)
            start(&t->accumulator[s.at + f * all_cells(s)], s, at);
    }
}

/* Over what the thread has in flight: groups first, then halves of the lanes. */
static void join(thread *t, t0_step s, int n)
{
    int width = lanes(), cells = all_cells(s);
    cell *a = &t->accumulator[s.at];
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
    const cell *a = &t->accumulator[s.at];
    if (s.c & T0_POSITION)
        t->value[s.d] = a[cells_of(s)];
    else
        for (int k = 0; k < cells_of(s); k++)
            t->value[s.d + k] = a[k];
}

static void finish_phase(thread *t, const part *p)
{
    int from = begin_of(p->phase, T0_ROW), stores = begin_of(p->phase, T0_ROW_STORE);
    EACH_REDUCTION(p->phase) close(t, step_at(at));
    make_values(t, from, stores);
    if (t->valid && t->row_thread == 0)
        make_values(t, stores, begin_of(p->phase + 1, T0_FULL));
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
    count wide = is_rows() ? 1 : (count)get(T0_LANES);
    count kept = (count)get(T0_KEPT) * wide;
    count number = split * kept + t->kept * wide + lane;
    return (volatile word *)(get(T0_PARTIALS) + (word)number * get(T0_ENTRY_BYTES));
}

static void spill(const thread *t, count lane)
{
    volatile word *to = partial(t, t->split, lane);
    EACH_REDUCTION(0) {
        t0_step s = step_at(at);
        for (int k = 0; k < all_cells(s); k++)
            *to++ = t->accumulator[s.at + k].bits;
    }
}

static void collect(thread *t, count lane)
{
    EACH_REDUCTION(0) start(&t->accumulator[step_at(at).at], step_at(at), at);
    for (count split = t->row_thread; split < (count)get(T0_SPLITS);
         split += (count)get(T0_ACROSS)) {
        volatile word *from = partial(t, split, lane);
        EACH_REDUCTION(0) {
            t0_step s = step_at(at);
            cell x[RESULT_CELLS];
            for (int k = 0; k < all_cells(s); k++)
                x[k].bits = *from++;
            fold(&t->accumulator[s.at], x, s, at);
        }
    }
    EACH_REDUCTION(0) across(t, &t->accumulator[step_at(at).at], step_at(at), at);
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

static void elements(thread *t)
{
    count size = (count)get(T0_SIZE);
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
    count n = is_rows() ? t->kept : t->kept * (count)get(T0_LANES) + lane;
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
        across(t, &t->accumulator[s.at], s, at);
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
    t.blocks = __nvvm_read_ptx_sreg_nctaid_x();
    make_values(&t, (int)get(T0_SCALARS), begin_of(0, T0_FULL));
    if (get(T0_MAP) == T0_ELEMENTS) {
        elements(&t);
        return;
    }
    find_row(&t);
    count wide = is_rows() ? 1 : (count)get(T0_LANES);
    if (get(T0_SPLITS) > 1)
        shared_rows(&t, wide);
    else
        for (count lane = 0; lane < wide; lane++)
            whole_rows(&t, lane);
}
