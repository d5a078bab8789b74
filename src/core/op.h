/* SPDX-License-Identifier: BSD-3-Clause */
/* op.h - what the rows of the operation tables say about dtypes.
 * Threads    constant
 * Start at   hdi_loop_for() */
#ifndef HDI_OP_H
#define HDI_OP_H

#include <heddle/faults.h>
#include <heddle/ops.h>

#include "core/dtype.h"
#include "core/payload.h"

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

enum {
    HDI_ALL_FAULTS = HD_FAULT_DIVIDE | HD_FAULT_OVERFLOW | HD_FAULT_UNDERFLOW | HD_FAULT_INVALID
};

/* What may be done with a library call: column `traits` of lib.def. */
enum { HDI_TRAIT_DROP = 1, HDI_TRAIT_PLAIN = 2, HDI_TRAIT_FAILS = 4, HDI_TRAIT_OPENS = 8 };

/* Column `raises` of the tables, explained in ew.def and lib.def, as bits: how faults of real loops
 * are told, two bits higher those of complex ones; what else is to be known of them; the pole and
 * the rule for underflow as numbers. */
enum {
    HDI_RAISES_FLAGS = 1,
    HDI_RAISES_VALUES = 2,
    HDI_RAISES_COMPLEX = 2,      /* bits to the left */
    HDI_RAISES_HALF = 1 << 4,
    HDI_RAISES_LINEAR = 1 << 5,
    HDI_RAISES_OF_NAN = 1 << 6,
    HDI_INT_DIVIDES = 1 << 7,
    HDI_INT_WRAPS = 1 << 8,
    HDI_RAISES_STEPS = 1 << 9,
    HDI_POLE_SHIFT = 12,
    HDI_UNDER_SHIFT = 16
};
typedef enum hdi_pole {
    HDI_POLE_NONE,
    HDI_POLE_ZERO,
    HDI_POLE_BASE,
    HDI_POLE_MINUS_ONE,
    HDI_POLE_ONES,
    HDI_POLE_ZERO_ONE,
    HDI_POLE_I,
    HDI_POLE_NEGATIVE
} hdi_pole;
typedef enum hdi_under {
    HDI_UNDER_NONE,
    HDI_UNDER_FINITE,
    HDI_UNDER_BASE,
    HDI_UNDER_NONZERO,
    HDI_UNDER_NEIGHBOUR,
    HDI_UNDER_PRODUCT,
    HDI_UNDER_SQUARE,
    HDI_UNDER_QUOTIENT,
    HDI_UNDER_RECIPROCAL,
    HDI_UNDER_SCALED
} hdi_under;

typedef struct hdi_op_row {
    hd_op_info info;
    hdi_rule rule;
    uint32_t raises;
    bool has_identity;
    /* of library calls */
    uint8_t traits;
    uint8_t payload;             /* hdi_payload_kind */
    int8_t indexed;              /* operand that places lead into; -1: none */
    const char *of_scalars;      /* what NumPy calls it then; NULL: as always */
} hdi_op_row;
extern const hdi_op_row hdi_op_rows[HD_OP_COUNT];

/* hdi_loop_faults - the faults that the loop of row op in cdt may raise. hdi_reports_values - are
 * they read off values, on every device? hdi_pole_of - where cdt has its poles. hdi_under_of - how
 * values tell that it underflowed. */
int hdi_loop_faults(hd_op op, hd_dtype cdt);
static inline bool hdi_reports_values(hd_op op, hd_dtype cdt)
{
    const uint32_t raises = hdi_op_rows[op].raises;
    return ((hdi_is_complex(cdt) ? raises >> HDI_RAISES_COMPLEX : raises) & HDI_RAISES_VALUES) != 0;
}
static inline hdi_pole hdi_pole_of(hd_op op, hd_dtype cdt)
{
    const hdi_pole pole = hdi_op_rows[op].raises >> HDI_POLE_SHIFT & 15;
    return pole == HDI_POLE_I && !hdi_is_complex(cdt) ? HDI_POLE_NONE : pole;
}
static inline hdi_under hdi_under_of(hd_op op)
{
    return hdi_op_rows[op].raises >> HDI_UNDER_SHIFT & 15;
}

/* x + y, x - y, x * y or x / y */
static inline bool hdi_is_arithmetic(hd_op op)
{
    return op == HD_OP_add || op == HD_OP_subtract || op == HD_OP_multiply || op == HD_OP_divide;
}

/* NumPy folds halves by these in float32 and rounds the last result, by others every result. */
static inline bool hdi_fold_rounds_once(hd_op op) { return hdi_is_arithmetic(op); }

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
