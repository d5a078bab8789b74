/* SPDX-License-Identifier: BSD-3-Clause */
/* iterate.h - loops in C over the elements of an array on the CPU, or over its lines along an axis.
 *
 *     hd_iter it;
 *     for (hd_iter_begin(&it, x, 1, 0); hd_iter_next(&it);)
 *         for (int64_t k = 0; k < it.n; k++)
 *             total += *(const double *)(it.data + k * it.stride);
 *
 * Owns       an hd_iter that has begun holds a reference of x and its memory (hd_export()), until
 *            hd_iter_next() gives 0 or hd_iter_end() is called. It needs no memory of its own
 * Order      C order of what is iterated over, whatever the order in memory
 * Threads    an hd_iter is used by one thread at a time */
#ifndef HEDDLE_ITERATE_H
#define HEDDLE_ITERATE_H

#include <heddle/ops.h>

#ifdef __cplusplus
extern "C" {
#endif

/* data is the element, or the first one of the line, whose n elements are `stride` bytes apart;
 * index is where it is in x, with 0 for the axis of the lines. What is below `array` is the
 * library's. */
typedef struct hd_iter {
    char *data;
    int64_t n, stride;
    int64_t index[HD_MAXDIM];
    hd_array *array;
    int axis, state;
} hd_iter;

/* hd_iter_begin - sets *it before the first line of x along axis, or, if axis is HD_FLAT, before
 * its first element (n is 1). write: elements may be written to. HD_AXIS, HD_READONLY, HD_EXPORT (x
 * is not on the CPU): the loop over *it has no round.
 * hd_iter_next - 1 and the next one in *it; 0 behind the last one, where memory is let go.
 * hd_iter_end - lets go of it before that, in a loop that is left early; more than once is
 * allowed. */
HD_API hd_status hd_iter_begin(hd_iter *it, hd_array *x, int axis, int write);
HD_API int hd_iter_next(hd_iter *it);
HD_API void hd_iter_end(hd_iter *it);

#ifdef __cplusplus
}
#endif
#endif
