/* SPDX-License-Identifier: BSD-3-Clause */
/* compose.h - functions that are compositions of views and operations: repeated, differences of
 * neighbours.
 * Dtypes     the input's
 * Owns       results are new references; arguments are borrowed
 * Errors     HD_AXIS, HD_VALUE, HD_NOMEM */
#ifndef HEDDLE_COMPOSE_H
#define HEDDLE_COMPOSE_H

#include <heddle/ops.h>

#ifdef __cplusplus
extern "C" {
#endif

/* hd_tile - x repeated reps[k] times along each axis, the n last ones if x has more; a new axis in
 * front for each number more than x has axes. A copy. HD_VALUE for a negative number. */
HD_API hd_array *hd_tile(const hd_array *x, int n, const int64_t *reps);

/* hd_diff - differences x[i + 1] - x[i] along axis, n times over (of bool: are they different?).
 * n 0: a copy. HD_VALUE for a negative n, HD_AXIS for an array without axes. */
HD_API hd_array *hd_diff(const hd_array *x, int64_t n, int axis);

#ifdef __cplusplus
}
#endif
#endif
