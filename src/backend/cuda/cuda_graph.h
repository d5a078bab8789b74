/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_graph.h - lists of kernels that came before, as graphs of the driver's. A list is known by
 * its functions and their numbers of blocks; parameters are patched, those that changed.
 * Owns       hdi_cuda_graphs
 * Threads    under the batch's lock
 * Start at   hdi_cuda_graph_launch() */
#ifndef HDI_CUDA_GRAPH_H
#define HDI_CUDA_GRAPH_H

#include "backend/cuda/cuda_batch.h"

enum { HDI_CUDA_GRAPHS = 64 };

typedef struct hdi_cuda_graph {
    uint64_t hash;           /* of the list */
    int n;                   /* kernels; 0: a free place */
    int seen;
    bool refused;            /* there was no room for it */
    uint64_t used_at;
    CUgraphExec executable;  /* NULL: not made yet */
    CUgraph graph;           /* patching goes by its nodes */
    /* once it is made: its kernels, with the words they were given last, in one block */
    hdi_cuda_step *step;
    CUgraphNode *node;
    size_t bytes;
} hdi_cuda_graph;

typedef struct hdi_cuda_graphs {
    uint64_t clock;
    hdi_cuda_graph graph[HDI_CUDA_GRAPHS];
} hdi_cuda_graphs;

/* hdi_cuda_graph_launch - *done is false if the list has no graph, or not yet: the kernels are then
 * to be launched one by one. enough: how often a list is seen until it gets one. */
hd_status hdi_cuda_graph_launch(hdi_cuda *d, hdi_cuda_graphs *all, const hdi_cuda_step *step, int n,
                                int enough, bool *done);
/* hdi_cuda_graphs_forget - those with this function in them. */
void hdi_cuda_graphs_forget(hdi_cuda *d, hdi_cuda_graphs *all, CUfunction f);

#endif
