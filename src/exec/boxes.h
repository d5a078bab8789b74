/* SPDX-License-Identifier: BSD-3-Clause */
/* boxes.h - a launch with wrapped operands (core/layout.h) as several without: its domain is cut
 * where an operand goes on with its first element, into boxes in which all strides are plain. So
 * back ends need not know of it. Such a kernel has no reductions (partition.c).
 * Threads    under the library's lock
 * Start at   hdi_boxes_make() */
#ifndef HDI_BOXES_H
#define HDI_BOXES_H

#include "exec/exec.h"

/* hdi_has_boxes - is the step launched box by box? */
static inline bool hdi_has_boxes(const hd_device *dev, const hdi_step *step)
{
    return step->wraps && !dev->backend->wraps;
}
/* hdi_boxes_bytes - the memory that hdi_boxes_make() takes for the step. */
size_t hdi_boxes_bytes(const hdi_step *step, const hdi_chunk *c);
/* hdi_boxes_make - l, the launch of that step, gets its boxes and says what is wrapped; memory: of
 * so many bytes. Gives their end. */
uint8_t *hdi_boxes_make(const hdi_step *step, const hdi_chunk *c, hdi_launch *l, void *memory);

#endif
