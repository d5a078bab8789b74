/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_layout.h - a launch as a grid: which axes become one, which threads share a row, how many
 * elements a thread takes at a time, and the words that tell the code so.
 * Owns       hdi_cuda_layout
 * Invariant  the layout depends on extents, strides and the alignment of addresses, never on the
 *            GPU at hand: sums have the same bits on each
 * Threads    pure
 * Start at   hdi_cuda_lay_out()
 * See        docs/design/gpu-kernels.md */
#ifndef HDI_CUDA_LAYOUT_H
#define HDI_CUDA_LAYOUT_H

#include "backend/backend.h"
#include "codegen/cg_grid.h"

typedef struct hdi_cuda_layout {
    hdi_grid grid;           /* arch is the caller's */
    int64_t blocks;          /* 0: nothing to do */
    int64_t partials;        /* bytes that blocks sharing a row need between them */
    int64_t counters;        /* of them */
    int nwords;
    uint64_t *words;         /* in the caller's room */
} hdi_cuda_layout;

/* hdi_cuda_most_words - room that is enough for any launch of k over nd axes. */
int hdi_cuda_most_words(const hdi_kernel *k, int nd);

/* hdi_cuda_lay_out - words: room for that many. The addresses of partials and counters are left
 * 0. */
void hdi_cuda_lay_out(const hdi_kernel *k, const hdi_launch *l, uint64_t *words,
                      hdi_cuda_layout *out);

#endif
