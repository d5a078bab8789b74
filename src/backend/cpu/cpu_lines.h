/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_lines.h - walking an array by lines along one axis, for library calls that carry something
 * from element to element: running results, folds.
 * Owns       hdi_cpu_lines
 * Invariant  input and output have the same extents but along the axis. Where another axis is
 *            faster in memory, up to HDI_CPU_LINE_BLOCK neighbouring lines go together
 * Threads    lines are shared among the pool
 * Start at   hdi_cpu_run_lines() */
#ifndef HDI_CPU_LINES_H
#define HDI_CPU_LINES_H

#include "backend/cpu/cpu_library.h"
#include "backend/cpu/loops/loops.h"

enum { HDI_CPU_LINE_BLOCK = 512, HDI_CPU_LINE_BYTES = HDI_CPU_LINE_BLOCK * 16 };

typedef struct hdi_cpu_lines hdi_cpu_lines;

/* One line, or n lines side by side: byte offsets of their starts, and three blocks to work in. */
typedef struct hdi_cpu_line {
    int64_t in, out, n;
    uint8_t *block, *row, *spare;
} hdi_cpu_line;
typedef void (*hdi_cpu_line_work)(hdi_cpu_lines *s, const hdi_cpu_line *line);

struct hdi_cpu_lines {
    const hdi_xcall *x;
    const hdi_loops *l;
    hd_op op;                    /* elementwise */
    hd_dtype cdt;                /* that it computes in */
    /* inner: the axis whose elements go together; -1: one line at a time */
    int axis, inner;
    int64_t length, lines, per_task;
    int64_t pieces;              /* blocks of the inner axis */
    hdi_cpu_line_work work;
    hdi_cpu_asker ask;
    bool stopped;                /* set by work when ask() says so */
};

/* hdi_cpu_run_lines - work on every line of call x, whose parameter names the operation and the
 * axis. */
hd_status hdi_cpu_run_lines(const hdi_xcall *x, hdi_cpu_line_work work);

/* hdi_cpu_line_fetch - n elements at byte offset `at` of an operand, as dt; hdi_cpu_line_put - the
 * other way. hdi_cpu_line_round - n results of a step, in s->cdt, rounded to the call's dtype where
 * that is a half type: running results are NumPy's at every step. */
void hdi_cpu_line_fetch(const hdi_cpu_lines *s, const hdi_xarg *a, hd_dtype dt, int64_t at,
                        int64_t stride, int64_t n, void *to, void *spare);
void hdi_cpu_line_put(const hdi_cpu_lines *s, const hdi_xarg *a, hd_dtype dt, int64_t at,
                      int64_t stride, int64_t n, const void *from, void *spare);
void hdi_cpu_line_round(const hdi_cpu_lines *s, void *x, int64_t n);

/* hdi_cpu_scan_row - the row of scan.def that repeats op, or -1. */
int hdi_cpu_scan_row(hd_op op);

#endif
