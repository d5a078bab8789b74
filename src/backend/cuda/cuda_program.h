/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_program.h - a kernel and the functions it has become so far: one for each way of laying it
 * over a grid that was launched.
 * Owns       hdi_cuda_program
 * Threads    made and freed under the library's lock; otherwise the launching thread's
 * Start at   hdi_cuda_program */
#ifndef HDI_CUDA_PROGRAM_H
#define HDI_CUDA_PROGRAM_H

#include "backend/cuda/cuda_layout.h"
#include "backend/cuda/cuda_code.h"

typedef struct hdi_cuda_variant {
    struct hdi_cuda_variant *next;
    hdi_grid grid;
    CUmodule module;
    CUfunction function;
} hdi_cuda_variant;

typedef struct hdi_cuda_program {
    hdi_kernel *k;               /* a copy */
    hdi_cuda_variant *variants;  /* the newest first */
    uint64_t *words;             /* room for a launch's words */
    int64_t words_bytes;
} hdi_cuda_program;

#endif
