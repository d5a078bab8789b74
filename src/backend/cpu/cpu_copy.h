/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_copy.h - copies of elements between strides, by element size alone (log2: 1, 2, 4, 8, 16
 * bytes).
 * Invariant  source and destination do not overlap
 * Threads    any
 * Start at   hdi_cpu_copy_rows() */
#ifndef HDI_CPU_COPY_H
#define HDI_CPU_COPY_H

#include <stdint.h>

/* One side of a copy: address, bytes from row to row and from column to column. */
typedef struct hdi_cpu_side { uint8_t *ptr; int64_t row, column; } hdi_cpu_side;

/* hdi_cpu_copy_run - n elements. */
void hdi_cpu_copy_run(uint8_t *to, int64_t to_stride, const uint8_t *from, int64_t from_stride,
                      int64_t n, int lsize);

/* hdi_cpu_copy_rows - rows x columns elements, any strides; good at short rows. */
void hdi_cpu_copy_rows(hdi_cpu_side to, hdi_cpu_side from, int64_t rows, int64_t columns,
                       int lsize);

/* hdi_cpu_transpose - the same where `to` is dense along columns and `from` along rows (their
 * strides are the element size). */
void hdi_cpu_transpose(hdi_cpu_side to, hdi_cpu_side from, int64_t rows, int64_t columns,
                       int lsize);

/* hdi_cpu_copy_line - nbytes, quickly for any difference of the addresses. */
void hdi_cpu_copy_line(void *to, const void *from, int64_t nbytes);

/* hdi_cpu_stream - nbytes past the cache; hdi_cpu_stream_end - before other threads may read
 * what was streamed. */
void hdi_cpu_stream(void *to, const void *from, int64_t nbytes);
void hdi_cpu_stream_end(void);

#endif
