/* SPDX-License-Identifier: BSD-3-Clause */
/* layout.h - shape and byte strides, interned: equal layouts are one object, so comparing them
 * is comparing pointers.
 * Owns       hdi_layout
 * Invariant  0 <= nd <= HD_MAXDIM; extents >= 0; their product and every element's byte offset
 *            fit int64_t
 * Threads    made and dropped under the library's lock; constant otherwise
 * Memory     layouts that no handle uses are freed by hdi_layouts_trim(), while no record is
 *            pending and no operation is in its middle: an operation may keep a layout by its
 *            pointer, also where it gives the lock back on its way (hdi_step_out() in
 *            window/window.h)
 * Start at   hdi_layout_get()
 *
 * Derived facts, computed once. Squeezed: axes of extent 1 left out. Core: squeezed axes of
 * stride 0 left out as well; two views of one buffer that have the same offset and the same core
 * touch the same elements in the same order, broadcasting apart.
 *
 * Wrapped: along some axes elements are read from one in the middle on to the last, then from the
 * first (roll()). Operands of records have such layouts, arrays do not: a launch is cut into boxes
 * in which each operand has plain strides (exec/boxes.c). */
#ifndef HDI_LAYOUT_H
#define HDI_LAYOUT_H

#include <heddle/base.h>

#include "base/base.h"

typedef struct hdi_layout hdi_layout;
struct hdi_layout {
    hdi_layout *next;             /* in its bucket */
    uint64_t hash;
    int64_t handles;              /* array handles that use it */
    int64_t size;                 /* number of elements */
    /* byte offsets of the lowest and the highest element; 0, -1 if there is none */
    int64_t lo, hi;
    int64_t gcd;                  /* of the strides of axes with extent > 1; 0 if there is none */
    uint64_t zmask;               /* squeezed axes of stride 0 */
    const hdi_layout *core;
    /* the squeezed extents as a layout of item 0: a symbol for "same domain" */
    const hdi_layout *shape;
    const int64_t *sqdims, *sqstrides;
    /* by squeezed axis, which element is read first, below the extent; NULL: nowhere another one */
    const int64_t *wrap;
    uint32_t id;                  /* for hashing: the same in every run of the same program */
    uint64_t mark;                /* scratch: see hdi_epoch */
    uint32_t number;
    int16_t nd, nsq;
    uint8_t item;                 /* bytes of one element; 0 for a shape */
    bool c_contiguous, f_contiguous;
    bool dense;                   /* elements fill [lo, hi + item) exactly once */
    /* no byte belongs to two elements; false also where that is not seen at once */
    bool injective;
    bool c_order;                 /* squeezed strides never rise: C order, but for gaps */
    uint16_t view_class;          /* what a record's hash takes from a view */
    int64_t fills;                /* bytes of the buffer that a write of it covers whole; -1 */
    /* nd extents, nd strides, nsq squeezed extents, nsq squeezed strides; wrapped: where each axis
     * begins */
    int64_t dims[];
};

static inline const int64_t *hdi_layout_strides(const hdi_layout *l) { return l->dims + l->nd; }

/* hdi_layout_get - the layout with these extents and strides, NULL and HD_NOMEM or HD_SHAPE
 * (sizes overflow). */
hdi_layout *hdi_layout_get(int nd, const int64_t *dims, const int64_t *strides, int64_t item);
/* hdi_layout_wrapped - l, which has no stride of 0, read from element wrap[a] on along axis a. */
hdi_layout *hdi_layout_wrapped(const hdi_layout *l, const int64_t *wrap);
/* hdi_layout_c - in C order. */
hdi_layout *hdi_layout_c(int nd, const int64_t *dims, int64_t item);
/* hdi_layout_k - in the memory order that NumPy's order='K' gives a result of n operands
 * broadcast to dims. */
hdi_layout *hdi_layout_k(int nd, const int64_t *dims, int64_t item, int n,
                         const hdi_layout *const *operands);
/* hdi_layout_joined - of a concatenation: as order='K', but repeated axes count with their
 * stride of 0. */
hdi_layout *hdi_layout_joined(int nd, const int64_t *dims, int64_t item, int n,
                              const hdi_layout *const *operands);
/* hdi_layout_like - the order of a copy of l: axes by falling stride, repeated ones fastest
 * (NumPy's PyArray_NewLikeArray). */
hdi_layout *hdi_layout_like(const hdi_layout *l, int64_t item);
/* hdi_layout_broadcast - l read over dims (right-aligned, stride 0 where it repeats); HD_SHAPE
 * if it does not fit. */
hdi_layout *hdi_layout_broadcast(const hdi_layout *l, int nd, const int64_t *dims);
/* hdi_layout_fits - does l broadcast to dims? No error is recorded. */
bool hdi_layout_fits(const hdi_layout *l, int nd, const int64_t *dims);

/* hdi_overlap - may the views (a at offset ao) and (b at bo) of one buffer share a byte? Rule M4.
 * hdi_contains - is each byte of b surely one of a's? See overlap.c. */
bool hdi_overlap_within(const hdi_layout *a, int64_t ao, const hdi_layout *b, int64_t bo);
static inline bool hdi_overlap(const hdi_layout *a, int64_t ao, const hdi_layout *b, int64_t bo)
{
    return a->size != 0 && b->size != 0 && ao + a->hi + a->item > bo + b->lo &&
           bo + b->hi + b->item > ao + a->lo && hdi_overlap_within(a, ao, b, bo);
}
bool hdi_contains(const hdi_layout *a, int64_t ao, const hdi_layout *b, int64_t bo);

/* hdi_broadcast_dims - extents of n shapes together into dims[HD_MAXDIM]; returns nd or -1 with
 * HD_SHAPE naming the shapes. */
int hdi_broadcast_dims(int n, const hdi_layout *const *operands, int64_t *dims);

/* hdi_shape_size - product of the extents times item into *nbytes; HD_SHAPE or HD_VALUE if
 * negative or too large. */
hd_status hdi_shape_check(int nd, const int64_t *dims, int64_t item, int64_t *nbytes);
/* hdi_shape_text - "(2, 3)" into text. */
const char *hdi_shape_text(int nd, const int64_t *dims, char *text, size_t size);

int64_t hdi_layouts_count(void);
/* hdi_layouts_trim - frees layouts without handles, unless an operation is in its middle. No record
 * may be pending. hdi_layouts_kept - operations that are: they have given the lock back on their
 * way. hdi_layouts_few - for tests: layouts are many at once, each time. */
void hdi_layouts_trim(void);
extern int64_t hdi_layouts_kept;
void hdi_layouts_few(bool few);
/* hdi_layouts_crowded - is it time to? hdi_layouts_generation - counts the trims: pointers kept
 * from an older generation are stale. */
extern int64_t hdi_layouts_number, hdi_layouts_limit;
static inline bool hdi_layouts_crowded(void) { return hdi_layouts_number >= hdi_layouts_limit; }
extern uint64_t hdi_layouts_generation;

#endif
