/* SPDX-License-Identifier: BSD-3-Clause */
/* signal.h - convolution and correlation.
 * Dtypes     NumPy's promotion of both; integers wrap, sums of reals are fused products in order
 * Owns       results are new references; arguments are borrowed
 * Errors     HD_VALUE (an empty operand, a window that fits nowhere), HD_SHAPE, HD_NOMEM */
#ifndef HEDDLE_SIGNAL_H
#define HEDDLE_SIGNAL_H

#include <heddle/array.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where a window of n elements goes over m: wherever it fits (m - n + 1 places), to m places
 * around each element, or wherever they meet (m + n - 1). An even window has no middle: SAME puts
 * its element n / 2 over each element, LATE the one before. */
typedef enum hd_window_mode {
    HD_WINDOW_VALID,
    HD_WINDOW_SAME,
    HD_WINDOW_FULL,
    HD_WINDOW_SAME_LATE
} hd_window_mode;
/* What is beyond the ends of x: a number, x again, or x in a mirror (whose edge is seen twice). */
typedef enum hd_window_bound { HD_WINDOW_FILL, HD_WINDOW_WRAP, HD_WINDOW_SYMM } hd_window_bound;

/* hd_correlate_window - r[i] = sum over k of y[k] * x[i + k - o] over all axes, in order of k; o
 * is 0, n / 2, n - 1 or (n - 1) / 2 by mode. x and y (no conjugate) have equally many axes, at
 * least one. fill: one element, or NULL: products with what is beyond x are left out. */
HD_API hd_array *hd_correlate_window(const hd_array *x, const hd_array *y, hd_window_mode mode,
                                     hd_window_bound bound, const hd_array *fill);

/* NumPy's convolve and correlate, of arrays with one axis (or none). */
HD_API hd_array *hd_convolve(const hd_array *a, const hd_array *v, hd_window_mode mode);
HD_API hd_array *hd_correlate(const hd_array *a, const hd_array *v, hd_window_mode mode);

#ifdef __cplusplus
}
#endif
#endif
