/* SPDX-License-Identifier: BSD-3-Clause */
/* payload.h - what a library call is told beside its operands: an axis, a mode, flags.
 * Owns       hdi_payload. Which member a call has, column `payload` of ops/lib.def says; all other
 *            records have `none`, which is 0
 * Invariant  each member takes 8 bytes and has no padding: whichever was set, all bytes of a
 *            payload are defined. It is no part of the key of plans: plans do not depend on it, and
 *            like the values of scalars it is bound when the record is submitted
 * Threads    a value */
#ifndef HDI_PAYLOAD_H
#define HDI_PAYLOAD_H

#include <heddle/ops.h>

/* A call that repeats an elementwise operation along an axis. */
typedef struct hdi_fold_how {
    hd_op op;
    int axis;
} hdi_fold_how;

/* gather, scatter and at. */
enum {
    HDI_PLACES_ODD = 1,          /* elements there may lie at any byte */
    HDI_PLACES_ALIKE = 2,        /* what is written is the same for each */
    HDI_PLACES_IN_ORDER = 4,     /* also sums of reals are made in order */
    /* not offsets: int32 or int64 indices of one axis, negative ones counted from its end */
    HDI_PLACES_INDICES = 8,
    /* gather: nobody has looked whether the indices are in range. Elements of those that are not
     * are anything; the byte behind the result becomes 1 if there are any, else 0 */
    HDI_PLACES_UNSEEN = 16
};
typedef struct hdi_places_how {
    hd_op op;                    /* at: what is repeated; else copy */
    uint16_t axes;               /* at: how many the offsets stand for; else 0 */
    uint16_t flags;              /* HDI_PLACES_* */
} hdi_places_how;

/* A Fourier transform over the last axes, the very last one first. */
enum { HDI_FFT_FULL, HDI_FFT_HALF, HDI_FFT_REAL };
enum { HDI_FFT_PLAIN, HDI_FFT_OVER_N, HDI_FFT_OVER_SQRT };
typedef struct hdi_fft_how {
    /* complex results; the first half of those of real numbers; real results of such a half (over
     * one axis) */
    uint8_t kind;
    uint8_t scale;
    bool backward;               /* exponents have a plus */
    bool odd;                    /* a half: is its signal's length odd? */
    int naxes;
} hdi_fft_how;

/* A correlation: the places that the window y goes to over x, per axis of m and n elements, and
 * what x is beyond its ends. in[2], if there, is the fill of one element; else 0. */
enum { HDI_PLACES_VALID, HDI_PLACES_SAME, HDI_PLACES_FULL, HDI_PLACES_LATE };
enum { HDI_BEYOND_FILL, HDI_BEYOND_WRAP, HDI_BEYOND_MIRROR };
typedef struct hdi_correlate_how { int places, beyond; } hdi_correlate_how;

typedef struct hdi_sort_how {
    int axis;
    int descending;              /* 1: the largest first */
} hdi_sort_how;

typedef struct hdi_object hdi_object;

typedef union hdi_payload {
    uint64_t none;
    hdi_fold_how fold;
    hdi_places_how places;
    hdi_fft_how fft;
    hdi_correlate_how correlate;
    hdi_sort_how sort;
    uint64_t la;                 /* HDI_LA_* in core/la_parts.h */
    double rcond;                /* lstsq: the least singular value that counts, the largest is 1 */
    int64_t n;                   /* a number of elements */
    uint64_t tf32;               /* 1: float32 may be rounded to TF32 (hd_set_matmul_tf32()) */
    uint64_t right;              /* 1: behind equal elements of the table, not before */
    uint64_t equal;              /* 1: the bins are said to be equally wide */
    hdi_object *object;          /* core/object.h; the record counts it */
} hdi_payload;

typedef enum hdi_payload_kind {
    HDI_PAYLOAD_none,
    HDI_PAYLOAD_fold,
    HDI_PAYLOAD_places,
    HDI_PAYLOAD_fft,
    HDI_PAYLOAD_correlate,
    HDI_PAYLOAD_sort,
    HDI_PAYLOAD_la,
    HDI_PAYLOAD_rcond,
    HDI_PAYLOAD_n,
    HDI_PAYLOAD_tf32,
    HDI_PAYLOAD_right,
    HDI_PAYLOAD_equal,
    HDI_PAYLOAD_object
} hdi_payload_kind;

_Static_assert(sizeof(hdi_payload) == 8, "one word of a record");

/* Results along an axis, and how far the window's first element is before x at the first one. */
static inline int64_t hdi_correlate_count(hdi_correlate_how h, int64_t m, int64_t n)
{
    return h.places == HDI_PLACES_FULL ? m + n - 1 : h.places == HDI_PLACES_VALID ? m - n + 1 : m;
}
static inline int64_t hdi_correlate_before(hdi_correlate_how h, int64_t n)
{
    return h.places == HDI_PLACES_FULL   ? n - 1
           : h.places == HDI_PLACES_SAME ? n / 2
           : h.places == HDI_PLACES_LATE ? (n - 1) / 2
                                         : 0;
}

/* Where in x element i of the extended axis is; -1: nowhere. */
static inline int64_t hdi_correlate_place(hdi_correlate_how h, int64_t i, int64_t n)
{
    if (i >= 0 && i < n)
        return i;
    if (h.beyond == HDI_BEYOND_FILL)
        return -1;
    const int64_t period = h.beyond == HDI_BEYOND_WRAP ? n : 2 * n;
    i = (i % period + period) % period;
    return i < n ? i : 2 * n - 1 - i;
}

#endif
