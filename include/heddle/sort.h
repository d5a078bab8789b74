/* SPDX-License-Identifier: BSD-3-Clause */
/* sort.h - order along an axis, look-ups in what is ordered, counting.
 * Order      NumPy's: nan last, complex numbers by real part, then by imaginary part, 0.0 and
 *            -0.0 equal. Sorting is stable
 * Axes       in [-ndim, ndim), or HD_FLAT for the flattened array
 * Errors     HD_AXIS, HD_NOMEM, and those named below */
#ifndef HEDDLE_SORT_H
#define HEDDLE_SORT_H

#include <heddle/ops.h>

#ifdef __cplusplus
extern "C" {
#endif

/* hd_sort - x's elements in order along axis; descending: from the largest down (nan first), equal
 * ones still in the order they have.
 * hd_argsort - where in x they are: int64, C order. */
HD_API hd_array *hd_sort(const hd_array *x, int axis, int descending);
HD_API hd_array *hd_argsort(const hd_array *x, int axis, int descending);

/* hd_partition - x with the n elements of ranks kth where hd_sort() has them, smaller ones before
 * and larger ones behind each, in no order; hd_argpartition - where in x they are. HD_VALUE if a
 * rank is not in [-size, size) of the axis. */
HD_API hd_array *hd_partition(const hd_array *x, int n, const int64_t *kth, int axis);
HD_API hd_array *hd_argpartition(const hd_array *x, int n, const int64_t *kth, int axis);

/* hd_searchsorted - for each element of values the first place in the ascending table (one axis)
 * where it may be put so that the order stays; right: the last one. int64, of values' shape. Both
 * are compared in the dtype they promote to. HD_VALUE if table has not one axis. */
HD_API hd_array *hd_searchsorted(const hd_array *table, const hd_array *values, int right);

/* hd_bincount - how often each of 0, 1, ... is in x (one axis, integers): int64, as many as the
 * largest says, or minlength if that is more. With weights (x's shape) the sums of those of each
 * number: float64. HD_VALUE if an element is negative or shapes differ. Waits for x. */
HD_API hd_array *hd_bincount(const hd_array *x, const hd_array *weights, int64_t minlength);

/* hd_histogram - how many elements of x are in each bin [edges[j], edges[j + 1]), the last one with
 * its upper edge: int64, one less than there are edges. x and edges have one axis and real
 * numbers, and are compared in the dtype they promote to; edges ascend. equal: the bins are of one
 * width, but for rounding, and so found faster. HD_VALUE if there is no edge or an operand has
 * another number of axes, HD_DTYPE for complex numbers. */
HD_API hd_array *hd_histogram(const hd_array *x, const hd_array *edges, int equal);

/* The distinct elements of x, in order: one axis. Waits for x.
 * hd_unique - equal_nan: all nan count as one, else each counts. Of the others what is asked for
 * (NULL: not): the place of the first one in the flattened x, the place among the values of each
 * element of x (of x's shape), how many there are. Those of the array API: nan are distinct. */
HD_API hd_status hd_unique(const hd_array *x, int equal_nan, hd_array **values, hd_array **index,
                           hd_array **inverse, hd_array **counts);
HD_API hd_array *hd_unique_values(const hd_array *x);
HD_API hd_status hd_unique_counts(const hd_array *x, hd_array **values, hd_array **counts);
HD_API hd_status hd_unique_inverse(const hd_array *x, hd_array **values, hd_array **inverse);
HD_API hd_status hd_unique_all(const hd_array *x, hd_array **values, hd_array **index,
                               hd_array **inverse, hd_array **counts);

#ifdef __cplusplus
}
#endif
#endif
