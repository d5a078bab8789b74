/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_batch.h - kernels of a job that come one after the other, enqueued together: runs of small
 * ones as one function (cuda_sequence.h), what repeats as a graph (cuda_graph.h), the rest one by
 * one. The same code over the same blocks each way: the same bits.
 * Owns       hdi_cuda_batch, hdi_cuda_step
 * Threads    launches by the thread that drains the device's queue; programs go under the library's
 *            lock, compiled sequences come from the background: a lock of its own joins them. It is
 *            not held while code is made
 * Start at   hdi_cuda_launch_all()
 * See        docs/design/gpu-kernels.md */
#ifndef HDI_CUDA_BATCH_H
#define HDI_CUDA_BATCH_H

#include "backend/cuda/cuda_program.h"

/* What the driver is told of a kernel. */
typedef struct hdi_cuda_step {
    CUfunction function;
    unsigned blocks, threads;
    int upto;                    /* launches of the batch that have been when it has */
    int nwords;
    uint64_t *words;             /* its parameter, by value */
    hdi_cuda_program *program;   /* NULL: a sequence */
    hdi_cuda_variant *variant;
} hdi_cuda_step;

/* How eager: HEDDLE_BATCH=0, not set, 1. */
typedef enum hdi_cuda_eager {
    HDI_BATCH_NEVER, HDI_BATCH_REPEATED, HDI_BATCH_ALWAYS
} hdi_cuda_eager;

hd_status hdi_cuda_batch_open(hdi_cuda *d);
/* hdi_cuda_launch_all - enqueues l[0 .. n); *done: how many of them were. */
hd_status hdi_cuda_launch_all(hdi_cuda *d, hdi_launch *l, int n, int *done);
/* hdi_cuda_batch_forget - the program is about to go: what was made of its functions goes now. */
void hdi_cuda_batch_forget(hdi_cuda *d, const hdi_cuda_program *p);

#endif
