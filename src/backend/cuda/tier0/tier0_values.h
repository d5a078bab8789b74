/* SPDX-License-Identifier: BSD-3-Clause */
/* tier0_values.h - what one thread of tier 0 does with one element: operands, values, accumulators.
 * Owns       thread, cell
 * Invariant  for clang's NVPTX target; there is no C library
 * Threads    a thread of the GPU
 * Start at   make_values() */
#ifndef HDI_TIER0_VALUES_H
#define HDI_TIER0_VALUES_H

#include "backend/cuda/tier0/tier0.h"

#define SHARED __attribute__((address_space(3)))
#define INLINE static inline __attribute__((always_inline))

typedef uint64_t word;
typedef int64_t count;
typedef struct cell { word bits; } cell;

extern SHARED word heddle_tier0_words[];

void heddle_word(uint32_t number, void *d, const void *a, const void *b, const void *c);

enum { WARP = 32, THREADS = 256, POSITION_CELL = 2, RESULT_CELLS = 3 };

typedef struct thread {
    _Alignas(16) cell own[T0_OWN_CELLS];   /* from one end values, from the other accumulators */
    count at[T0_AXES];       /* coordinates */
    count id, block, split, blocks;
    count apart;             /* wide: how far along the last axis lanes are */
    count kept, row_thread;  /* kept index, and which of the threads that share it */
    cell *far;               /* its cells in memory */
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

INLINE cell *value_at(thread *t, int number)
{
    return number < T0_CELLS ? &t->own[number] : &t->far[number - T0_CELLS];
}

INLINE cell *accumulator_at(thread *t, int number)
{
    return number < T0_ACCUMULATORS
               ? &t->own[T0_OWN_CELLS - T0_ACCUMULATORS + number]
               : &t->far[(int)get(T0_FAR_VALUES) + number - T0_ACCUMULATORS];
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

/* Of numbers that mostly fit 32 bits. */
INLINE count quotient(count n, count by)
{
    return ((word)n | (word)by) >> 32 == 0 ? (count)((uint32_t)n / (uint32_t)by) : n / by;
}

/* Coordinates of number n over axes [first, last). */
static void find(thread *t, count n, int first, int last)
{
    for (int a = last - 1; a > first; a--) {
        count extent = (count)get(T0_EXTENTS + a), up = quotient(n, extent);
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

static uint8_t *address(thread *t, t0_step s)
{
    count far = s.b == 0 ? 0 : (count)value_at(t, s.b - 1)->bits;
    return (uint8_t *)(offset(t, s.n, axes_of(s)) + far);
}

static void load(thread *t, t0_step s)
{
    uint8_t *to = (uint8_t *)value_at(t, s.d);
    copy(to, address(t, s), s.a & T0_SIZE_MASK, s.a & T0_ODD);
    if (s.a & T0_TRUTH)
        *to = *to != 0;
}

/* ---- atomic operations ----------------------------------------------------------------------- */

static uint32_t swap_word(uint32_t *at, uint32_t old, uint32_t now)
{
    uint32_t was;
    __asm__ volatile("atom.global.cas.b32 %0, [%1], %2, %3;"
                     : "=r"(was) : "l"(at), "r"(old), "r"(now) : "memory");
    return was;
}

static word swap_long(word *at, word old, word now)
{
    word was;
    __asm__ volatile("atom.global.cas.b64 %0, [%1], %2, %3;"
                     : "=l"(was) : "l"(at), "l"(old), "l"(now) : "memory");
    return was;
}

/* *at = word number of *at and x, eight bytes. */
static void change_long(word *at, uint32_t number, const cell *x)
{
    word was = *(volatile word *)at;
    for (;;) {
        cell old = {was}, now = {0};
        heddle_word(number, &now, &old, x, x);
        word found = swap_long(at, was, now.bits);
        if (found == was)
            return;
        was = found;
    }
}

/* The same of 1, 2 or 4 bytes, which lie within a word of four. */
static void change_part(uint8_t *to, uint32_t number, const cell *x, t0_step s)
{
    int bytes = s.a & T0_SIZE_MASK, shift = (int)((uintptr_t)to & 3) * 8;
    uint32_t mask = UINT32_MAX >> (32 - 8 * bytes), *at = (uint32_t *)((uintptr_t)to & ~(word)3);
    uint32_t was = *(volatile uint32_t *)at;
    for (;;) {
        cell old = {was >> shift & mask}, now = {0};
        if (s.a & T0_TRUTH)
            old.bits = old.bits != 0;
        heddle_word(number, &now, &old, x, x);
        uint32_t rest = was & ~(mask << shift);
        uint32_t found = swap_word(at, was, rest | ((uint32_t)now.bits & mask) << shift);
        if (found == was)
            return;
        was = found;
    }
}

/* A complex128 is two reals, and so is the operation. */
static void change(thread *t, t0_step s)
{
    uint8_t *to = address(t, s);
    uint32_t number = (uint32_t)s.c | (uint32_t)s.at << 8;
    int bytes = s.a & T0_SIZE_MASK;
    if (bytes < 8)
        change_part(to, number, value_at(t, s.d), s);
    else
        for (int k = 0; k < bytes / 8; k++)
            change_long((word *)to + k, number, value_at(t, s.d) + k);
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
            value_at(t, s.d)->bits = (word)offset(t, s.n, axes_of(s));
            break;
        case T0_SCALAR:
            value_at(t, s.d)->bits = get(s.n);
            if (s.a == 16)
                value_at(t, s.d)[1].bits = get(s.n + 1);
            break;
        case T0_STORE:
            copy(address(t, s), (const uint8_t *)value_at(t, s.d), s.a & T0_SIZE_MASK,
                 s.a & T0_ODD);
            break;
        case T0_ATOMIC:
            change(t, s);
            break;
        default:
            heddle_word(s.n, value_at(t, s.d), value_at(t, s.a), value_at(t, s.b),
                        value_at(t, s.c));
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
    if (s.c & T0_KEEPS)
        heddle_word(s.n, a, x, a, a);
    else if (!(s.c & T0_POSITION))
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

/* Of arguments p and q. */
static void take_in(cell *a, const cell *p, const cell *q, t0_step s, int n, count position)
{
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
    cell *a = accumulator_at(t, s.at), *x = value_at(t, s.a), *d = value_at(t, s.d);
    if (is_first || s.n == T0_NO_WORD)
        for (int k = 0; k < cells_of(s); k++)
            a[k] = x[k];
    else
        heddle_word(s.n, a, a, x, a);
    heddle_word(more_at(n + 1, 0), d, a, a, a);
    heddle_word(more_at(n + 1, 1), a, d, a, a);
}

#endif
