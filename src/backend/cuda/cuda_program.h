/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_program.h - a kernel and the functions it has become so far: one for each way of laying it
 * over a grid that was launched; and the shapes of its last launches.
 * Owns       hdi_cuda_program
 * Threads    made and freed under the library's lock; otherwise the launching thread's
 * Start at   hdi_cuda_program */
#ifndef HDI_CUDA_PROGRAM_H
#define HDI_CUDA_PROGRAM_H

#include "backend/cuda/cuda_layout.h"
#include "backend/cuda/cuda_code.h"
#include "backend/cuda/cuda_device.h"

typedef struct hdi_cuda_variant {
    struct hdi_cuda_variant *next;
    hdi_grid grid;
    _Atomic(bool) ready;     /* has what follows; until then tier 0 runs it (cuda_tier.h) */
    CUmodule module;
    CUfunction function;
    struct hdi_cuda_job *job;      /* in the background */
    int64_t cost;            /* of its runs on tier 0, until its code was asked for */
    uint8_t runs;            /* there */
    bool asked;              /* for its code */
} hdi_cuda_variant;

/* How a launch was laid out, and by what: with the same key only addresses and scalars differ. */
typedef struct hdi_cuda_shape {
    uint64_t *key;               /* NULL: free; the layout's words lie behind it */
    int64_t nkey;
    size_t bytes;
    hdi_cuda_layout lay;
    hdi_cuda_variant *variant;   /* NULL: nothing to do */
} hdi_cuda_shape;

enum { HDI_CUDA_SHAPES = 4 };

typedef struct hdi_cuda_program {
    hdi_kernel *k;               /* a copy */
    char name[HDI_CUDA_NAME];    /* its operations: "multiply+add+sum" */
    hdi_cuda_variant *variants;  /* the newest first */
    hdi_cuda_shape shape[HDI_CUDA_SHAPES];   /* of the last launches that differed */
    unsigned nshapes;            /* that there were so far */
    /* room for a launch's key, and for its words while it is laid out */
    uint64_t *room;
    int64_t room_bytes;
    hdi_cuda_layout lay;         /* in that room */
} hdi_cuda_program;

#endif
