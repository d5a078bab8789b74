/* SPDX-License-Identifier: BSD-3-Clause */
/* tier0.h - a kernel as tier 0 of CUDA devices runs it: words of 64 bits, read by one piece of code
 * that is compiled when the library is.
 * Owns       the order of the words, the form of a step
 * Invariant  compiled for both sides (cuda_tier0.c writes it, tier0_grid.c reads it): nothing here
 *            needs a C library
 * Threads    plain data
 * Start at   T0_COUNT, t0_step
 * See        docs/design/gpu-tier0.md */
#ifndef HDI_TIER0_H
#define HDI_TIER0_H

#include <stdint.h>

/* A value lies in cells of 8 bytes: complex128 in two, the others in one. The first ones are the
 * thread's own; those with higher numbers lie in memory that the launch brings. The cells of one
 * value, or of one reduction, are all here or all there.
 *
 * A wide kernel computes T0_LANES elements along the last axis at a time: neighbours, or of a row
 * or column those that its thread would take one after the other. A value's lanes lie side by side,
 * as in memory, in a block of T0_LANES cells (complex128 in two blocks); steps have the numbers of
 * blocks. They lie in the same cells; accumulators stay what they are. */
enum {
    T0_LANES = 4,
    T0_CELLS = 48,           /* for values */
    T0_MOST_CELLS = 240,
    T0_ACCUMULATORS = 64,    /* cells for what reductions have in flight */
    T0_MOST_ACCUMULATORS = 248,
    T0_OWN_CELLS = 160,      /* of a thread: values, then accumulators; or blocks */
    T0_BLOCKS = T0_OWN_CELLS / T0_LANES,
    T0_BLOCKS_BESIDE = (T0_OWN_CELLS - T0_ACCUMULATORS) / T0_LANES,   /* accumulators */
    T0_AXES = 16,
    T0_PHASES = 8
};

enum { T0_ELEMENTS, T0_ROWS, T0_COLUMNS };
typedef enum t0_wide { T0_NARROW, T0_NEIGHBOURS, T0_APART } t0_wide;

/* The words: these, then an extent for each axis (kept before reduced), operands, steps. An
 * operand: its address (an index: its first value), then a stride for each axis; a scalar: two
 * words of value. Numbers and sizes are those of cg_grid.h. */
enum {
    T0_COUNT,                /* of all words */
    T0_ADDRESS,              /* of all of them, if there are more than parameters take */
    T0_MAP,
    T0_KEPT_AXES, T0_ALL_AXES,
    T0_SIZE,                 /* ELEMENTS: how many */
    T0_GROUP_LANES, T0_UNROLL, T0_ACROSS,
    T0_KEPT,                 /* ROWS: kept indices; COLUMNS: groups of them */
    T0_GROUPS,               /* ROWS: of a row. COLUMNS: elements of a column */
    T0_SEGMENT, T0_SPLITS, T0_PARTIALS, T0_COUNTERS,
    T0_PIECES,               /* operand with the borders of pieces, as a word's number; 0: none */
    T0_SOME_EMPTY,
    T0_ENTRY_BYTES,          /* of a partial result */
    T0_NPHASES,
    T0_WIDE,                 /* t0_wide */
    T0_RUNS, T0_ALL_RUNS,    /* ELEMENTS, wide: runs of T0_LANES, of a line and in all */
    T0_FIRST_BLOCK,          /* number of this launch's first block */
    /* memory for far cells: its address, how many each thread has, how many of them are values */
    T0_FAR, T0_FAR_CELLS, T0_FAR_VALUES,
    T0_SCALARS,              /* where the steps begin that run once, before all others */
    /* for each phase where its steps begin that make FULL values, that take them into
     * reductions and memory, that make ROW values, that store those; then where the last end */
    T0_BEGIN,
    T0_EXTENTS = T0_BEGIN + 4 * T0_PHASES + 1
};
enum { T0_FULL, T0_TAKE, T0_ROW, T0_ROW_STORE };

typedef enum t0_kind {
    T0_LOAD,                 /* to cell d, from operand n */
    T0_INDEX,
    T0_SCALAR,
    T0_WORD,                 /* d = word n of a, b, c (cg_words.h) */
    T0_STORE,                /* cell d to operand n */
    T0_ATOMIC,               /* operand n = word c + 256 * at of it and cell d */
    T0_WIDE_WORD,            /* block d = wide word n of a, b, c */
    /* three words more: numbers of words, and the value that changes no other */
    /* a, b into accumulators from cell `at` on, by word n; its result is d */
    T0_REDUCE,
    T0_SCAN                  /* a into accumulator `at`; d is what it is then */
} t0_kind;

/* LOAD, STORE, ATOMIC: a is the element's size and these; cell b - 1 has an offset that is added
 * to the address, 0: none. */
enum { T0_SIZE_MASK = 31, T0_TRUTH = 32, T0_ODD = 64, T0_OF_ROW = 128 };

/* How a reduction takes in a value: REDUCE: c, with the accumulator's cells in the lower bits.
 * KEEPS: of equals what the accumulator has (hdi_fold_keeps()). */
enum { T0_CELLS_MASK = 3, T0_PLAIN = 4, T0_POSITION = 8, T0_FUSED_SINGLE = 16,
       T0_FUSED_DOUBLE = 32, T0_PRODUCT = 64, T0_KEEPS = 128 };

/* In wide kernels a value's size is 2^k bytes: of a WORD k of d and a in `at`, 4 bits each, and of
 * b and c in the upper half of `kind`; of a REDUCE's arguments there. */
enum { T0_KIND_MASK = 15, T0_HALF = 4 };

typedef struct t0_step {
    uint8_t kind;
    uint8_t d, a, b, c;
    uint8_t at;
    uint16_t n;
} t0_step;

/* The first word behind a REDUCE or SCAN: numbers of words. POSITION: less (or greater), equal,
 * isnan. PRODUCT: multiply. SCAN: the casts to the values' dtype and back. */
typedef struct t0_more { uint16_t n[4]; } t0_more;
enum { T0_NO_WORD = UINT16_MAX };

#endif
