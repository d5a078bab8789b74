/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_sequence.h - functions of one block that run small kernels one after the other. Made in the
 * background for sets of kernels that came before; until then kernels run by themselves.
 * Owns       hdi_cuda_sequences
 * Threads    under the batch's lock, which the background takes to hand in what it made
 * Start at   hdi_cuda_sequence_merge() */
#ifndef HDI_CUDA_SEQUENCE_H
#define HDI_CUDA_SEQUENCE_H

#include <pthread.h>

#include "backend/cuda/cuda_graph.h"

enum { HDI_CUDA_SEQUENCES = 64 };

/* Kernels of so many blocks, at most, do better one after the other in one block (some 0.7 us a
 * block) than as kernels by themselves (1 us besides). */
enum { HDI_SEQUENCE_FEW_BLOCKS = 2 };

typedef struct hdi_cuda_sequences {
    pthread_mutex_t *lock;   /* the batch's */
    hdi_cuda_graphs *graphs; /* in which they may be kernels */
    int n;
    struct hdi_cuda_set *first;   /* the last used first */
} hdi_cuda_sequences;

/* hdi_cuda_sequence_merge - makes one step of each run of small ones that there is a function for;
 * returns how many steps are left. words: room for n + 1 words more than the steps have, and for
 * HDI_GRID_PARAMETER_WORDS beyond, which the driver reads. enough: how often a set is seen until
 * its function is asked for. */
int hdi_cuda_sequence_merge(hdi_cuda *d, hdi_cuda_sequences *all, hdi_cuda_step *step, int n,
                            uint64_t *words, int enough);
/* hdi_cuda_sequences_forget - those with kernels of p. */
void hdi_cuda_sequences_forget(hdi_cuda_sequences *all, const hdi_cuda_program *p);

#endif
