/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_axes.h - the axes of a launch as a grid has them: sorted as memory lies, merged where every
 * operand allows it; and the words that tell a kernel of them and of its operands.
 * Owns       hdi_cuda_axes
 * Threads    pure
 * Start at   hdi_cuda_axes_make()
 * See        docs/design/gpu-kernels.md */
#ifndef HDI_CUDA_AXES_H
#define HDI_CUDA_AXES_H

#include "backend/cuda/cuda_layout.h"

/* Kept ones come first. */
typedef struct hdi_cuda_axes {
    const hdi_kernel *k;
    const hdi_launch *l;
    bool positions, scans, offsets;   /* what the kernel has of these */
    int kept, reduced;
    int64_t dim[HD_MAXDIM];
    int axis[HD_MAXDIM];             /* of the launch, before merging */
    int64_t *stride;                 /* [slot][axis], a slot's HD_MAXDIM apart */
} hdi_cuda_axes;

static inline int64_t *hdi_cuda_strides_of(const hdi_cuda_axes *x, int slot)
{
    return x->stride + (int64_t)slot * HD_MAXDIM;
}

/* hdi_cuda_wrap_of - where the slot's operand begins along the axes of the launch, NULL: it is not
 * wrapped. */
static inline const int64_t *hdi_cuda_wrap_of(const hdi_launch *l, int slot)
{
    return l->wrap != NULL ? l->wrap[slot] : NULL;
}

/* hdi_cuda_axes_make - of x->k, x->l; x->stride is room, the rest is zero. */
void hdi_cuda_axes_make(hdi_cuda_axes *x);
/* hdi_cuda_extent - product of the extents of axes [first, first + n). */
int64_t hdi_cuda_extent(const hdi_cuda_axes *x, int first, int n);
/* hdi_cuda_axes_words - to out->words; group_axis is counted in groups, -1: none is. */
void hdi_cuda_axes_words(const hdi_cuda_axes *x, hdi_cuda_layout *out, int group_axis);

#endif
