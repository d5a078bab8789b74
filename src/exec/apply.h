/* SPDX-License-Identifier: BSD-3-Clause */
/* apply.h - a kernel over elements as operations of arrays: what its source does with one element,
 * done with arrays of all of them. The operations are recorded as any other, so they fuse with
 * their neighbours, and run on every device.
 * Invariant  one hdi_value for each variable of the kernel; the statements are gone through once,
 *            under a mask of the elements that take part
 * Threads    under the library's lock
 * Start at   hdi_apply_kernel() in apply.c; apply_values.c has the expressions
 * See        docs/design/lowered-ir.md, "As operations" */
#ifndef HDI_APPLY_H
#define HDI_APPLY_H

#include <heddle/launch.h>

#include "lir/lir.h"
#include "ops/ops.h"

/* A value of all elements: an array, or a number that is the same for all. Neither: it is not
 * defined. */
typedef struct hdi_value {
    hd_array *x;               /* owned */
    bool known;                /* bits are the number, as of a constant of lowered IR */
    uint8_t type;              /* hdi_lir_type */
    int64_t bits;
} hdi_value;

/* A loop under way. */
typedef struct hdi_apply_loop {
    struct hdi_apply_loop *outer;
    hdi_value left;            /* mask of the elements that have left it, if `counts` */
    bool counts;               /* something in it goes further out than the loop */
} hdi_apply_loop;

typedef struct hdi_apply {
    const hdi_lir *l;
    const char *name;          /* of the kernel, for messages */
    hdi_value *var;            /* of a pointer: what it points to */
    hdi_value mask;            /* elements that take part: bool */
    hdi_apply_loop *loop;      /* innermost */
    int steps;                 /* operations so far */
    hd_status status;
} hdi_apply;

/* hdi_apply_kernel - args: one for each parameter, of which pointers are results and all others are
 * elements or numbers. results: one for each pointer, new references. HD_UNSUPPORTED: a statement
 * is no operation on arrays, or there are too many. */
hd_status hdi_apply_kernel(const hdi_lir *l, const char *name, hd_device *dev,
                           const hd_launch_arg *args, hd_array **results);

/* ---- apply_values.c -------------------------------------------------------------------------- */

/* hdi_apply_eval - the value of an expression. hdi_apply_select - x where the mask holds, else y.
 * hdi_apply_logical - of masks: HD_OP_logical_and, logical_or. hdi_apply_not.
 * All return new values, not defined ones after a failure, which is in `status`. */
hdi_value hdi_apply_eval(hdi_apply *a, int32_t node);
hdi_value hdi_apply_select(hdi_apply *a, const hdi_value *mask, const hdi_value *x,
                           const hdi_value *y);
hdi_value hdi_apply_logical(hdi_apply *a, hd_op op, const hdi_value *x, const hdi_value *y);
hdi_value hdi_apply_not(hdi_apply *a, const hdi_value *x);

static inline hdi_value hdi_apply_known(hdi_lir_type type, int64_t bits)
{
    return (hdi_value){.known = true, .type = (uint8_t)type, .bits = bits};
}
static inline bool hdi_apply_is(const hdi_value *v, bool what)
{
    return v->known && (v->bits != 0) == what;
}
static inline hdi_value hdi_apply_hold(hdi_value v)
{
    if (v.x != NULL)
        v.x->rc++;
    return v;
}
static inline void hdi_apply_drop(hdi_value *v)
{
    if (v->x != NULL)
        hdi_array_release(v->x);
    *v = (hdi_value){.type = v->type};
}
/* hdi_apply_dtype - of elements of a type; HD_NO_DTYPE: there are none. hdi_apply_number - a known
 * value for an operation. hdi_apply_refuse - HD_UNSUPPORTED, of a node: the first is told. */
hd_dtype hdi_apply_dtype(int type);
hd_number hdi_apply_number(const hdi_value *v);
void hdi_apply_refuse(hdi_apply *a, int32_t node, const char *what);

#endif
