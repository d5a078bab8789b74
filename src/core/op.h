/* SPDX-License-Identifier: BSD-3-Clause */
/* op.h - what the rows of the operation tables say about dtypes.
 * Threads    constant
 * Start at   hdi_loop_for() */
#ifndef HDI_OP_H
#define HDI_OP_H

#include <heddle/ops.h>

#include "core/dtype.h"

typedef enum hdi_rule {
    HDI_RULE_SAME,
    HDI_RULE_BOOL,
    HDI_RULE_REAL,
    HDI_RULE_COND,
    HDI_RULE_KEEP,
    HDI_RULE_INDEX,
    HDI_RULE_BITS,
    HDI_RULE_WIDE,
    HDI_RULE_EXPO,
    HDI_RULE_PART,
    HDI_RULE_UINT8,
    HDI_RULE_INT32,
    HDI_RULE_DRAW,
    HDI_RULE_SUM,
    HDI_RULE_ARG
} hdi_rule;

typedef struct hdi_op_row {
    hd_op_info info;
    hdi_rule rule;
    bool has_identity;
} hdi_op_row;
extern const hdi_op_row hdi_op_rows[HD_OP_COUNT];

/* hdi_param - the parameter of a library call that repeats an elementwise operation, with a
 * number: an axis. */
static inline int64_t hdi_param(hd_op op, int number) { return (int64_t)number << 16 | op; }
static inline hd_op hdi_param_op(int64_t param) { return (hd_op)(param & 0xffff); }
static inline int hdi_param_number(int64_t param) { return (int)(param >> 16); }

/* The parameter of gather, scatter and at: the repeated operation (else copy), how many axes the
 * offsets stand for, and what is known of the places. */
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
static inline int64_t hdi_places_param(hd_op op, int axes, int flags)
{
    return hdi_param(op, axes | flags << 8);
}
static inline int hdi_places_axes(int64_t param) { return hdi_param_number(param) & 0xff; }
static inline int hdi_places_flags(int64_t param) { return hdi_param_number(param) >> 8; }

/* The parameter of a Fourier transform over the last axes, the very last one first. */
enum { HDI_FFT_FULL, HDI_FFT_HALF, HDI_FFT_REAL };
enum { HDI_FFT_PLAIN, HDI_FFT_OVER_N, HDI_FFT_OVER_SQRT };
typedef struct hdi_fft_how {
    /* complex results; the first half of those of real numbers; real results of such a half (over
     * one axis) */
    int kind;
    bool backward;               /* exponents have a plus */
    bool odd;                    /* a half: is its signal's length odd? */
    int scale, naxes;
} hdi_fft_how;
static inline int64_t hdi_fft_param(hdi_fft_how h)
{
    return (int64_t)h.naxes << 8 | h.scale << 4 | h.odd << 3 | h.backward << 2 | h.kind;
}
static inline hdi_fft_how hdi_fft_how_of(int64_t param)
{
    return (hdi_fft_how){.kind = (int)(param & 3),
                         .backward = (param >> 2 & 1) != 0,
                         .odd = (param >> 3 & 1) != 0,
                         .scale = (int)(param >> 4 & 3),
                         .naxes = (int)(param >> 8)};
}

/* The parameter of a correlation: the places that the window y goes to over x, per axis of m and n
 * elements, and what x is beyond its ends. in[2], if there, is the fill of one element; else 0. */
enum { HDI_PLACES_VALID, HDI_PLACES_SAME, HDI_PLACES_FULL, HDI_PLACES_LATE };
enum { HDI_BEYOND_FILL, HDI_BEYOND_WRAP, HDI_BEYOND_MIRROR };
typedef struct hdi_correlate_how { int places, beyond; } hdi_correlate_how;
static inline int64_t hdi_correlate_param(hdi_correlate_how h)
{
    return (int64_t)h.beyond << 2 | h.places;
}
static inline hdi_correlate_how hdi_correlate_how_of(int64_t param)
{
    return (hdi_correlate_how){.places = (int)(param & 3), .beyond = (int)(param >> 2 & 3)};
}
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

/* NumPy folds halves by these in float32 and rounds the last result, by others every result. */
static inline bool hdi_fold_rounds_once(hd_op op)
{
    return op == HD_OP_add || op == HD_OP_subtract || op == HD_OP_multiply || op == HD_OP_divide;
}

/* hdi_loop_for - dtype of the loop that row op runs operands of dtype dt in, by NumPy's rule;
 * HD_NO_DTYPE and an error if it has none. */
hd_dtype hdi_find_loop(hd_op op, hd_dtype dt);
/* answers so far; HD_NO_DTYPE: not asked yet */
extern int8_t hdi_loop_memo[HD_OP_COUNT][HD_DTYPE_COUNT];
static inline hd_dtype hdi_loop_for(hd_op op, hd_dtype dt)
{
    return HDI_LIKELY(hdi_loop_memo[op][dt] != 0) ? (hd_dtype)hdi_loop_memo[op][dt]
                                                  : hdi_find_loop(op, dt);
}
/* hdi_float_for - the real dtype that row op, which has no integer loop, computes dt in. */
hd_dtype hdi_float_for(hd_op op, hd_dtype dt);
/* hdi_has_loop - is there a loop of row op in cdt itself? */
bool hdi_has_loop(hd_op op, hd_dtype cdt);
/* hdi_compute_dtype - the dtype whose loop does row op in loop dtype cdt. Of half types that is
 * float32, and the result is rounded; but what asks for the neighbours of a number has loops of
 * their own. */
static inline hd_dtype hdi_compute_dtype(hd_op op, hd_dtype cdt)
{
    bool neighbours = op == HD_OP_spacing || op == HD_OP_nextafter;
    return hdi_is_half(cdt) && !neighbours ? HD_FLOAT32 : cdt;
}
/* hdi_loop_dtype - dtype that the loop in cdt expects of input k (0-based). hdi_value_dtype -
 * dtype of its result. */
hd_dtype hdi_find_loop_dtype(hd_op op, int k, hd_dtype cdt);
hd_dtype hdi_find_value_dtype(hd_op op, hd_dtype cdt);
static inline hd_dtype hdi_loop_dtype(hd_op op, int k, hd_dtype cdt)
{
    return HDI_LIKELY(hdi_op_rows[op].rule == HDI_RULE_SAME) ? cdt
                                                             : hdi_find_loop_dtype(op, k, cdt);
}
static inline hd_dtype hdi_value_dtype(hd_op op, hd_dtype cdt)
{
    return HDI_LIKELY(hdi_op_rows[op].rule == HDI_RULE_SAME) ? cdt : hdi_find_value_dtype(op, cdt);
}
static inline bool hdi_is_comparison(hd_op op)
{
    return op >= HD_OP_equal && op <= HD_OP_greater_equal;
}

#endif
