/* SPDX-License-Identifier: BSD-3-Clause */
/* kernel_ir.h - one fused kernel: values in static single assignment over an index space, and
 * the operands it touches.
 * Owns       hdi_kernel, hdi_kinst, hdi_kslot
 * Invariant  arguments come before their users; inst[i] defines value i; levels and phases never
 *            decrease along an argument (FULL may use a ROW value only of an earlier phase).
 *            hdi_kernel_verify() checks all of it in debug builds
 * Threads    immutable once lowered
 * Start at   hdi_kernel
 * See        docs/design/kernel-ir.md
 *
 * Index space. A kernel has a domain (extents known only at launch); `reduced` marks axes that
 * reductions run over, the others are kept. A value of level FULL exists for every index, one of
 * level ROW once per index over the kept axes. Without reductions everything is FULL. A
 * reduction turns a FULL value into a ROW value; FULL values that depend on a ROW value live in
 * a later phase, which runs after the row has been seen completely:
 *     softmax:  phase 0  x = LOAD; m = REDUCE max x
 *               phase 1  d = subtract x m; e = exp d; s = REDUCE sum e phase 2  q = divide e s;
 *               STORE q           (x and e cross phases: the back end keeps or recomputes them)
 * ROW instructions belong to the phase whose reductions they need and run after it.
 *
 * Flow. Each element (FULL) or kept element (ROW) goes its own way through the regions that IF ..
 * ELSE .. END_IF and LOOP .. END_LOOP enclose. A region nests properly and has one level and one
 * phase. A value that is defined in a region is used in it and in regions inside it; what leaves a
 * region is a variable. A region has no STORE and no REDUCE. A loop ends for an element when a
 * BREAK says so, and only then. */
#ifndef HDI_KERNEL_IR_H
#define HDI_KERNEL_IR_H

#include <heddle/ops.h>

#include "base/base.h"

/* Straight-line kinds come from fused records; the structured ones from user kernels (front ends
 * of a later release), which is why they have their numbers here: a back end answers
 * HD_UNSUPPORTED for what it cannot run. */
typedef enum hdi_kkind {
    KIR_LOAD,   /* value of operand `slot` at the index */
    KIR_SCALAR, /* the scalar in operand `slot` (ROW or FULL: the same for every index) */
    KIR_INDEX,  /* int64: base + sum of index * stride, in elements, of operand `slot` */
    KIR_CAST,   /* arg[0] as dt */
    KIR_EW,     /* elementwise row `op`, loop dtype cdt */
    /* reduction row `op` over the reduced axes, loop dtype cdt; one argument, two for
     * sumproduct; result ROW */
    KIR_REDUCE,
    KIR_STORE, /* writes arg[0] to operand `slot` (cast already done) */
    KIR_IF,    /* goes on where arg[0], a bool, is true; elsewhere behind ELSE, or END_IF */
    KIR_ELSE,
    KIR_END_IF,
    KIR_LOOP,      /* again and again, until a BREAK */
    KIR_BREAK,     /* leaves the innermost loop; with an argument: where that bool is true */
    KIR_END_LOOP,
    KIR_LOCAL,     /* a variable of type dt that begins as arg[0], in its region (each turn anew) */
    KIR_BARRIER,
    /* operand `slot` becomes itself, row `op` of ew.def, arg[0]; no value. In kernels that a back
     * end makes of library calls */
    KIR_ATOMIC,
    /* running value of row `op` of ew.def over the reduced axis, element after element, from the
     * first one on, each rounded to dt; FULL. In kernels that a back end makes of library calls */
    KIR_SCAN,
    KIR_GET,       /* what variable arg[0], a LOCAL, is at this point */
    KIR_SET        /* variable arg[0], a LOCAL, becomes arg[1]; has no value */
} hdi_kkind;

enum { HDI_KERNEL_DEPTH = 16, HDI_KERNEL_LOCALS = 32 };   /* of regions; variables at a time */

enum { KIR_FULL = 0, KIR_ROW = 1 };
/* Reductions of at most HDI_SHORT_ROW elements to each of theirs, HDI_SHORT_ROWS in all, have one
 * order on GPUs and for the mirrors of their arrays: of 32 lanes each takes every 32nd element,
 * then their upper half joins the lower one, five times. */
enum { HDI_SHORT_ROW = 1024, HDI_SHORT_ROWS = 4096 };
static inline bool hdi_is_short(int64_t results, int64_t each)
{
    return each <= HDI_SHORT_ROW && results * each <= HDI_SHORT_ROWS;
}
/* of a record at most 14: each operand read and cast thrice, the operation, its result cast twice,
 * a store */
enum { HDI_KERNEL_MAX_INSTS = 1792, HDI_KERNEL_MAX_SLOTS = 512, HDI_KERNEL_MAX_RECORDS = 128 };
/* Wrapped operands of a kernel: each may cut its domain once more along each axis. */
enum { HDI_WRAPS_MOST = 24 };

typedef struct hdi_kinst {
    uint8_t kind;      /* hdi_kkind */
    uint8_t dt;        /* dtype of the value; bool where there is none */
    uint8_t cdt;       /* EW, REDUCE: dtype the loop runs in */
    uint8_t level;     /* KIR_FULL or KIR_ROW */
    uint8_t phase;
    uint8_t narg;
    uint16_t op;       /* EW, REDUCE: hd_op */
    uint16_t slot;     /* LOAD SCALAR INDEX STORE */
    uint16_t arg[3];   /* numbers of earlier instructions */
} hdi_kinst;

typedef enum hdi_slot_kind { HDI_SLOT_ARRAY, HDI_SLOT_SCALAR, HDI_SLOT_INDEX } hdi_slot_kind;

/* One operand of the kernel: where to find it when the plan is replayed. */
typedef struct hdi_kslot {
    uint16_t record;   /* number of the record in the chunk */
    uint8_t operand;   /* 0 output, 1.. inputs */
    uint8_t kind;      /* hdi_slot_kind */
    uint8_t dt;
    /* a ROW operand's strides are given over the kept axes only, 0 on the reduced ones */
    uint8_t level;
    bool write;
    /* value by - 1, int64 and FULL, is an offset in bytes that is added to the address; 0: none. In
     * kernels that a back end makes of library calls */
    uint8_t by;
} hdi_kslot;

typedef struct hdi_kernel {
    uint8_t cls;              /* 'e', 'r' (one phase), 'w' (several phases: RR) */
    uint8_t nphases;
    uint16_t ninst, nslots, nrecords;
    uint16_t domain_record;   /* its domain is the kernel's */
    bool has_index;
    /* slot pieces - 1 holds int64 positions: a row goes over the elements of the reduced axis from
     * its position to before the next one in memory, the first of them in any case; 0: over all.
     * In kernels that a back end makes of library calls */
    uint8_t pieces;
    bool some_empty;          /* of the pieces: these have no element after all */
    bool odd_places;          /* what slots' `by` lead to may lie at any byte */
    hdi_kinst *inst;
    hdi_kslot *slots;
} hdi_kernel;

/* hdi_kernel_is_flow - is it one of the kinds that only user kernels have? */
static inline bool hdi_kernel_is_flow(int kind)
{
    return (kind >= KIR_IF && kind <= KIR_LOCAL) || kind == KIR_GET || kind == KIR_SET;
}

/* hdi_is_position - does the reduction give where a value is, and not the value? */
static inline bool hdi_is_position(int op) { return op == HD_OP_argmin || op == HD_OP_argmax; }

/* hdi_kernel_verify - HD_INTERNAL with what is wrong, or HD_OK. */
hd_status hdi_kernel_verify(const hdi_kernel *k);
/* hdi_kernel_hash, hdi_kernel_same - over everything but the slots' record numbers: equal
 * kernels share one program. */
uint64_t hdi_kernel_hash(const hdi_kernel *k);
bool hdi_kernel_same(const hdi_kernel *a, const hdi_kernel *b);

#endif
