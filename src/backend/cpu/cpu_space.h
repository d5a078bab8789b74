/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_space.h - the index space of a launch as it is walked, and blocks of operands fetched from
 * it and written to it.
 * Owns       hdi_cpu_space, hdi_cpu_view, hdi_cpu_cursor
 * Invariant  element number i of a space is the one whose indices count up to i with the last
 *            axis fastest; axes stand in the order they are walked, and neighbours that every
 *            operand can walk as one are one
 * Memory     strides live in the launching thread's scratch
 * Start at   hdi_cpu_space_make(), hdi_cpu_fetch() */
#ifndef HDI_CPU_SPACE_H
#define HDI_CPU_SPACE_H

#include "backend/backend.h"
#include "backend/cpu/cpu_program.h"

typedef struct hdi_cpu_space {
    int nd;
    int64_t size;
    int64_t dims[HD_MAXDIM];
} hdi_cpu_space;

/* dense in the space's order; one element for all of it; anything else */
enum { CPU_DENSE, CPU_FIXED, CPU_WALK };

/* An operand of a launch over a space. */
typedef struct hdi_cpu_view {
    const hdi_cpu_operand *op;
    uint8_t *base;             /* of element 0; index operands: NULL */
    int64_t value;             /* index operands: at element 0 */
    const int64_t *strides;    /* bytes (index operands: elements) per axis of the space */
    uint8_t how, lsize;
    bool copy;                 /* loads: memory changes before the last use, so never in place */
    bool direct;               /* stores: the value is computed in memory */
    bool stream;               /* stores: past the cache */
    uint16_t into;             /* loads: store whose memory it is gathered into, or HDI_CPU_NONE */
} hdi_cpu_view;

/* Where a block stands. */
typedef struct hdi_cpu_cursor {
    int64_t start;             /* number of the first element */
    int64_t run;               /* elements from there to the end of the last axis */
    /* a tile over the last two axes instead (rows > 0), starting at index */
    int64_t rows, columns;
    int64_t index[HD_MAXDIM];
} hdi_cpu_cursor;

/* hdi_cpu_order_of - strides that say in which order the launch walks memory; NULL: C order.
 * hdi_cpu_sort_axes - its axes so, the slowest first. */
static inline const int64_t *hdi_cpu_order_of(const hdi_launch *l)
{
    const hdi_arg *order = &l->args[l->order_arg];
    return order->linear ? NULL : order->strides;
}
void hdi_cpu_sort_axes(const hdi_launch *l, int *axes);

/* hdi_cpu_space_make - the space over these axes, and views[0..n) over it (op set by the
 * caller). flip: walk axes that run backwards in memory from their other end. false: no memory. */
bool hdi_cpu_space_make(hdi_cpu_space *s, const hdi_launch *l, const int *axes, int naxes,
                        hdi_cpu_view *views, int n, bool flip);

/* hdi_cpu_extent - bytes [*low, *high) that the view can touch. */
void hdi_cpu_extent(const hdi_cpu_space *s, const hdi_cpu_view *v, uintptr_t *low, uintptr_t *high);

void hdi_cpu_seek(hdi_cpu_cursor *c, const hdi_cpu_space *s, int64_t start);

/* hdi_cpu_place - address of the block if the view has it dense in memory there, else NULL. */
uint8_t *hdi_cpu_place(const hdi_cpu_view *v, const hdi_cpu_space *s, const hdi_cpu_cursor *c,
                       int64_t n);
/* hdi_cpu_place_strided - the same of a block whose elements lie *stride bytes apart. */
uint8_t *hdi_cpu_place_strided(const hdi_cpu_view *v, const hdi_cpu_space *s,
                               const hdi_cpu_cursor *c, int64_t n, int64_t *stride);
/* hdi_cpu_gather - n elements from the cursor on, copied to `to` (dense). An index operand's
 * values are written there. */
void hdi_cpu_gather(const hdi_loops *l, const hdi_cpu_view *v, const hdi_cpu_space *s,
                    const hdi_cpu_cursor *c, int64_t n, void *to);
/* hdi_cpu_scatter - n dense elements of `from` written from the cursor on. */
void hdi_cpu_scatter(const hdi_loops *l, const hdi_cpu_view *v, const hdi_cpu_space *s,
                     const hdi_cpu_cursor *c, int64_t n, const void *from);

#endif
