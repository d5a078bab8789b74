/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_rows.h - launches with reductions: kept elements in groups, each group's reduced elements
 * in a fixed order and a fixed tree.
 * Owns       hdi_cpu_rows, hdi_cpu_group, hdi_cpu_cascade
 * Invariant  the bits of a reduction depend on the shape and the order of axes alone: not on
 *            what is fused with it, on the number of threads, on block sizes or on the
 *            instruction set
 * Start at   hdi_cpu_launch_rows() in cpu_rows.c
 * See        docs/design/cpu.md
 *
 * The reduced axes, slowest in memory first, number the elements of a row 0 <= r < R. Row mode
 * (the fastest axis of all is reduced, and not short; or no axis is kept): a row is cut into
 * chunks of HDI_RED_CHUNK elements; the space is (kept..., reduced...), so rows follow each
 * other, and short ones share a block. Column mode: the space is (reduced..., kept...);
 * HDI_CPU_STEPS elements of a column are accumulated in order and make a chunk; a block holds
 * one r of many columns, or several r where all the columns are few. Narrow columns (at most
 * HDI_CPU_NARROW of them, and not short) are laid out like columns but summed like rows: the r
 * that share a lane of a row's chunk are added as one vector, which gives a chunk's bits without
 * gathering the columns one by one; a thin product's few rows are summed by loops of their own,
 * which do the same. Chunks are combined like the digits of a binary counter: two neighbours of
 * equal length make one of twice the length, and what is left at the end is combined from the
 * shortest to the longest. So any run of 2^k chunks that starts at a multiple of 2^k is a
 * subtree, and several threads may share one row without changing a bit. In row mode a reduction
 * whose bits do not depend on order has one entry that goes on to the end of the row or segment
 * (`extend`), the others take 16 chunks at a time (`run`). */
#ifndef HDI_CPU_ROWS_H
#define HDI_CPU_ROWS_H

#include "backend/cpu/cpu_exec.h"

enum { HDI_CPU_STEPS = 64, HDI_CPU_NARROW = 16, HDI_CPU_LONG_ROW = 32, HDI_CPU_LEVELS = 56 };

/* Kept and reduced axes, each slowest in memory first; positions count reduced axes in C order.
 * column: the fastest axis is kept, or too short to make chunks of. */
typedef struct hdi_cpu_mode {
    int nkept, nreduced, kept[HD_MAXDIM], reduced[HD_MAXDIM];
    int64_t kept_size, reduced_size;
    bool column;
} hdi_cpu_mode;

/* The chunks of one reduction so far, for `width` columns at once. An entry is an accumulator
 * per column, then (argmin, argmax) a position per column. */
typedef struct hdi_cpu_cascade {
    const hdi_cpu_red *red;
    int64_t width, positions;            /* positions: bytes to them from the start of an entry */
    uint64_t count;                      /* chunks */
    bool open;                           /* the spare entry has been begun and goes on */
    bool settled;                        /* no element changes the result any more */
    uint8_t *spare;                      /* the entry that is being made */
    /* narrow columns: accumulators of each lane and column; else NULL */
    uint8_t *lanes;
    uint8_t *level[HDI_CPU_LEVELS];      /* level k is in use when bit k of count is set */
} hdi_cpu_cascade;

/* A reduction that is the product of a thin matrix and a vector (cpu_thin.c): where they lie,
 * and bytes from one reduced element to the next. turned: the matrix's columns are dense. */
typedef struct hdi_cpu_thin {
    const uint8_t *x, *y;
    int64_t x_stride, y_stride;
    bool turned;
} hdi_cpu_thin;

/* What the threads of a launch share. */
typedef struct hdi_cpu_rows {
    hdi_cpu_run run;
    bool column, narrow;
    const hdi_cpu_thin *thin;            /* per reduction, if all of them are such products */
    int64_t kept, reduced;               /* K and R */
    int64_t width;                       /* kept elements of a group */
    int64_t groups, per_task;
    /* split launches: elements of a row per task, a power of two of chunks; else 0 */
    int64_t segment;
    struct hdi_cpu_split *split;
} hdi_cpu_rows;

/* The group a thread is at. */
typedef struct hdi_cpu_group {
    const hdi_cpu_rows *rows;
    int64_t first, n;                    /* kept elements */
    int64_t r;                           /* of the first element of the block */
    int64_t kept_index;                  /* of that element among the group's */
    int phase;
    bool whole;                          /* the block has all elements of its rows */
    hdi_cpu_cascade *cascade;            /* per reduction */
    uint8_t **kept;                      /* memory of kept values, then of loads that are kept */
    void *zeros;
} hdi_cpu_group;

/* cpu_rows_mode.c */
/* hdi_cpu_mode_find - of a reduction over nd axes; walk: strides that say in which order they are
 * walked, NULL: C order. hdi_cpu_mode_axes - all axes as they are then walked.
 * hdi_cpu_is_narrow - are columns summed like rows? */
void hdi_cpu_mode_find(hdi_cpu_mode *m, int nd, const int64_t *dims, uint64_t reduced,
                       const int64_t *walk, bool position);
void hdi_cpu_mode_axes(const hdi_cpu_mode *m, bool column, int *axes);
static inline bool hdi_cpu_is_narrow(bool column, int64_t kept, int64_t reduced)
{
    return column && kept <= HDI_CPU_NARROW && reduced >= HDI_CPU_LONG_ROW;
}

/* cpu_reduce.c */
bool hdi_cpu_cascade_open(hdi_cpu_cascade *k, const hdi_cpu_red *red, int64_t width, int64_t chunks,
                          bool lanes);
/* hdi_cpu_cascade_push - the spare entry becomes that of the next 2^level chunks; there is a
 * multiple of as many before them. */
void hdi_cpu_cascade_push(hdi_cpu_cascade *k, int level);
/* hdi_cpu_cascade_push_lanes - narrow columns: the lanes become a chunk's entry. */
void hdi_cpu_cascade_push_lanes(hdi_cpu_cascade *k, int64_t elements);
/* hdi_cpu_cascade_end - columns: after the last of `elements` elements, pushes the chunk that is
 * not full. */
void hdi_cpu_cascade_end(hdi_cpu_cascade *k, int64_t elements);
/* hdi_cpu_cascade_width - an empty cascade gets another width, at most the one it was opened
 * with. */
void hdi_cpu_cascade_width(hdi_cpu_cascade *k, int64_t width);
/* hdi_cpu_cascade_close - combines all that was pushed, then `tail` (the sum of a shorter piece
 * that follows; may be NULL). NULL if there was nothing. The entry stays valid until the next
 * push; the cascade is empty after it. */
uint8_t *hdi_cpu_cascade_close(hdi_cpu_cascade *k, uint8_t *tail);
int64_t hdi_cpu_entry_bytes(const hdi_cpu_red *red, int64_t width);
/* Elements of rows and columns, dense in the order of the mode. y: the other factor of sums of
 * products.
 * hdi_cpu_push_row - n elements of one row, whose first has number r.
 * hdi_cpu_push_columns - n elements of each column, from number r on.
 * hdi_cpu_short_rows - n whole rows of R elements, each of one chunk at most: the results come side
 * by side in out. */
void hdi_cpu_push_row(hdi_cpu_cascade *k, const uint8_t *x, const uint8_t *y, int64_t n, int64_t r);
void hdi_cpu_push_columns(hdi_cpu_cascade *k, const uint8_t *x, const uint8_t *y, int64_t n,
                          int64_t r);
void hdi_cpu_short_rows(hdi_cpu_cascade *k, const uint8_t *x, const uint8_t *y, int64_t R,
                        const void *zeros, int64_t n, uint8_t *out);
/* hdi_cpu_row_result - entry (NULL: no elements) becomes the reduction's value for n kept
 * elements. zeros: n accumulators. */
void hdi_cpu_row_result(const hdi_loops *l, const hdi_cpu_red *red, uint8_t *entry,
                        const void *zeros, int64_t n, void *out);

/* cpu_reduce_chain.c */
/* hdi_cpu_runs_by_rows - do chains go over the block by rows and columns, and do the reductions
 * that they can end in? If not, they go over all of it at once, and the reductions' steps follow.
 * row_values: has the chain ROW values? */
bool hdi_cpu_runs_by_rows(const hdi_cpu_group *g, bool row_values);

/* cpu_rows.c, for split launches */
bool hdi_cpu_group_open(hdi_cpu_ctx *c, hdi_cpu_group *g, hdi_cpu_rows *rows);
void hdi_cpu_group_full(hdi_cpu_ctx *c, int64_t from, int64_t to);
void hdi_cpu_group_spread(hdi_cpu_ctx *c);
/* hdi_cpu_group_settled - can none of the row's further elements change anything? */
bool hdi_cpu_group_settled(const hdi_cpu_ctx *c);

/* cpu_thin.c */
/* hdi_cpu_thin_find - NULL unless every reduction is the product of a thin matrix and a vector. */
hdi_cpu_thin *hdi_cpu_thin_find(const hdi_cpu_rows *rows, const hdi_launch *l);
/* hdi_cpu_thin_full - what hdi_cpu_group_full() does, for such launches. */
void hdi_cpu_thin_full(hdi_cpu_ctx *c, int64_t from, int64_t to);

/* cpu_split.c */
hd_status hdi_cpu_run_split(hdi_cpu_rows *rows);
void hdi_cpu_split_free(struct hdi_cpu_split *split);

#endif
