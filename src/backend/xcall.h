/* SPDX-License-Identifier: BSD-3-Clause */
/* xcall.h - a recorded library call with its addresses.
 * Start at   hdi_xcall_bind() */
#ifndef HDI_XCALL_H
#define HDI_XCALL_H

#include "backend/backend.h"
#include "core/la_parts.h"
#include "window/window.h"

/* Where the generation of an operand lies; ctx as was given. */
typedef uint8_t *(*hdi_place_of)(const void *ctx, const hdi_buf *b);

/* hdi_xcall_room - operands that need room of their own: those of the slots after the first.
 * hdi_xcall_bind - the operation whose first slot r is, as a call. room: for as many operands. */
static inline int hdi_xcall_room(const hdi_record *r)
{
    return (1 + HDI_MAX_IN) * (hdi_record_slots(r) - 1);
}
void hdi_xcall_bind(hdi_xcall *x, const hdi_record *r, hdi_place_of place, const void *ctx,
                    hdi_xarg *room);
/* hdi_xcall_grid_args - where the value of each argument of a launch lies: the value itself, or
 * address[i], which becomes that of an array. Both have room for l->nargs. */
struct hdi_grid_launch;
void hdi_xcall_grid_args(const hdi_xcall *x, const struct hdi_grid_launch *l, uint64_t *address,
                         void **args);
/* hdi_xcall_parts - the results of a call of linear algebra. */
int hdi_xcall_parts(const hdi_xcall *x, hdi_part *part);

#endif
