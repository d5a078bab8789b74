/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_product_cut.h - into which calls of BLAS, of one thread each, a product is cut, so that
 * the pool's threads take them.
 * Owns       hdi_cpu_cut
 * Invariant  no sum is cut: every element of the result is one call's. The cut follows from the
 *            shape, and so do the bits; where it follows from the number of threads as well, its
 *            borders are such that the calls give the bits of one call for all
 *            (docs/design/linalg.md, "Tasks")
 * Threads    pure functions
 * Start at   hdi_cpu_cut_gemm() */
#ifndef HDI_CPU_PRODUCT_CUT_H
#define HDI_CPU_PRODUCT_CUT_H

#include "base/base.h"

/* Pieces of the rows and of the columns of the result; borders are multiples of `unit`. */
typedef struct hdi_cpu_cut { int64_t rows, columns, unit; } hdi_cpu_cut;

/* hdi_cpu_cut_gemm - of each of `products` products m x k by k x n, as BLAS sees them: c runs by
 * rows. */
hdi_cpu_cut hdi_cpu_cut_gemm(int64_t m, int64_t n, int64_t k, int64_t products, int threads);
/* hdi_cpu_cut_gemv - of y = a x, with a of m rows of n elements next to each other, where columns
 * are 1; or of y = a^T x, where rows are 1. `single`: precision. */
hdi_cpu_cut hdi_cpu_cut_gemv(bool transposed, int64_t m, int64_t n, bool single, int threads);
/* hdi_cpu_cut_gram - bands of rows of what is on or above the diagonal of an m x m result, alike
 * in work. */
int64_t hdi_cpu_cut_gram(int64_t m, int64_t k);

/* hdi_cpu_border - where piece i of n rows or columns begins, which is n for i == pieces;
 * hdi_cpu_band - the same of bands. */
int64_t hdi_cpu_border(int64_t n, int64_t unit, int64_t pieces, int64_t i);
int64_t hdi_cpu_band(int64_t m, int64_t bands, int64_t i);

#endif
