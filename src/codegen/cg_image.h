/* SPDX-License-Identifier: BSD-3-Clause */
/* cg_image.h - a kernel laid over a grid, or a sequence of them, as what a GPU loads: from the disk
 * cache, or generated and assembled.
 * Threads    any
 * Start at   hdi_cg_image() */
#ifndef HDI_CG_IMAGE_H
#define HDI_CG_IMAGE_H

#include "base/base.h"
#include "codegen/cg_grid.h"

/* hdi_cg_assemble - PTX, which ends with a 0, to an image: hdi_alloc()ed. */
typedef hd_status (*hdi_cg_assemble)(void *ctx, const char *ptx, size_t length, void **image,
                                     size_t *bytes);

/* hdi_cg_image - to be freed with hdi_free(*image, *bytes). target: what the image depends on
 * besides the code: GPU, driver. assemble NULL: it is only looked for on disk, and *image NULL if
 * it is not there. */
hd_status hdi_cg_image(const hdi_sequence *s, const char *target, hdi_cg_assemble assemble,
                       void *ctx, void **image, size_t *bytes);

#endif
