/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_graph.c - a kernel of a graph takes 1.0 us of the device where one that is launched takes
 * 3.6 us of the host (H100, driver 580); patching a kernel's parameters takes 0.3 us of the host.
 * Making a graph takes 0.1 to 0.3 ms, so a list has to come a few times first. */
#include "backend/cuda/cuda_graph.h"

#include "base/alloc.h"
#include "base/hash.h"

static uint64_t hash_of(const hdi_cuda_step *step, int n)
{
    uint64_t h = (uint64_t)n;
    for (int k = 0; k < n; k++) {
        h = hdi_mix(h, (uint64_t)(uintptr_t)step[k].function);
        h = hdi_mix(h, (uint64_t)step[k].blocks << 32 | (uint64_t)step[k].nwords);
    }
    return h;
}

static bool same(const hdi_cuda_step *a, const hdi_cuda_step *b, int n)
{
    for (int k = 0; k < n; k++)
        if (a[k].function != b[k].function || a[k].blocks != b[k].blocks ||
            a[k].threads != b[k].threads || a[k].nwords != b[k].nwords)
            return false;
    return true;
}

static void drop(hdi_cuda *d, hdi_cuda_graph *g)
{
    if (g->executable != NULL && hdi_cuda_usable(d))   /* waits for nothing, if it is under way */
        hdi_cu.cuGraphExecDestroy(g->executable);
    if (g->graph != NULL && hdi_cuda_usable(d))
        hdi_cu.cuGraphDestroy(g->graph);
    if (g->step != NULL)
        hdi_free(g->step, g->bytes);
    *g = (hdi_cuda_graph){0};
}

/* The list's place: its own, or that of the one not used for longest. */
static hdi_cuda_graph *place_of(hdi_cuda *d, hdi_cuda_graphs *all, const hdi_cuda_step *step, int n)
{
    uint64_t hash = hash_of(step, n);
    hdi_cuda_graph *oldest = &all->graph[0];
    for (int k = 0; k < HDI_CUDA_GRAPHS; k++) {
        hdi_cuda_graph *g = &all->graph[k];
        if (g->n == n && g->hash == hash && (g->step == NULL || same(g->step, step, n)))
            return g;
        if (g->used_at < oldest->used_at)
            oldest = g;
    }
    drop(d, oldest);
    oldest->hash = hash;
    oldest->n = n;
    return oldest;
}

/* ---- making one ------------------------------------------------------------------------------ */

static CUDA_KERNEL_NODE_PARAMS told_of(const hdi_cuda_step *s, void **parameter)
{
    *parameter = s->words;
    return (CUDA_KERNEL_NODE_PARAMS){.function = s->function, .grid_x = s->blocks, .grid_y = 1,
                                     .grid_z = 1, .block_x = s->threads, .block_y = 1,
                                     .block_z = 1, .parameters = parameter};
}

/* Copies of the kernels and their words. */
static bool keep(hdi_cuda_graph *g, const hdi_cuda_step *step)
{
    size_t words = HDI_GRID_PARAMETER_WORDS;   /* the driver reads a sequence's to their end */
    for (int k = 0; k < g->n; k++)
        words += (size_t)step[k].nwords;
    g->bytes = (sizeof *g->step + sizeof(CUgraphNode)) * (size_t)g->n + sizeof(uint64_t) * words;
    if ((g->step = hdi_calloc(g->bytes)) == NULL)
        return false;
    g->node = (CUgraphNode *)(g->step + g->n);
    uint64_t *to = (uint64_t *)(g->node + g->n);
    for (int k = 0; k < g->n; k++) {
        g->step[k] = step[k];
        g->step[k].words = memcpy(to, step[k].words, sizeof *to * (size_t)step[k].nwords);
        to += step[k].nwords;
    }
    return true;
}

/* Each after the one before. */
static CUresult fill(const hdi_cuda *d, hdi_cuda_graph *g)
{
    CUresult r = CUDA_SUCCESS;
    bool early = hdi_grid_waits(hdi_cuda_arch(d)) && hdi_cu.cuGraphAddDependencies != NULL;
    CUgraphEdgeData how = {.from_port = CU_GRAPH_PROGRAMMATIC, .type = CU_GRAPH_PROGRAMMATIC};
    for (int k = 0; k < g->n && r == CUDA_SUCCESS; k++) {
        void *parameter;
        CUDA_KERNEL_NODE_PARAMS p = told_of(&g->step[k], &parameter);
        bool after = k > 0 && !early;
        r = hdi_cu.cuGraphAddKernelNode(&g->node[k], g->graph, after ? &g->node[k - 1] : NULL,
                                        after, &p);
        if (r == CUDA_SUCCESS && k > 0 && early)
            r = hdi_cu.cuGraphAddDependencies(g->graph, &g->node[k - 1], &g->node[k], &how, 1);
    }
    return r != CUDA_SUCCESS ? r : hdi_cu.cuGraphInstantiate(&g->executable, g->graph, 0);
}

/* A list that there is no room for goes on without a graph. */
static hd_status make(hdi_cuda *d, hdi_cuda_graph *g, const hdi_cuda_step *step)
{
    if (!keep(g, step)) {
        g->refused = true;
        return HD_OK;
    }
    hd_status status =
        hdi_cuda_check(d, hdi_cu.cuGraphCreate(&g->graph, 0), "making a graph of kernels");
    if (status != HD_OK)
        return status;
    CUresult r = fill(d, g);
    g->refused = r == CUDA_ERROR_OUT_OF_MEMORY;
    if (r != CUDA_SUCCESS)
        g->executable = NULL;
    return g->refused ? HD_OK : hdi_cuda_check(d, r, "making a graph of kernels");
}

/* ---- launching ------------------------------------------------------------------------------- */

static hd_status patch(hdi_cuda *d, hdi_cuda_graph *g, int k, const hdi_cuda_step *now)
{
    void *parameter;
    size_t bytes = sizeof *now->words * (size_t)now->nwords;
    if (memcmp(g->step[k].words, now->words, bytes) == 0)
        return HD_OK;
    memcpy(g->step[k].words, now->words, bytes);
    CUDA_KERNEL_NODE_PARAMS p = told_of(&g->step[k], &parameter);
    return hdi_cuda_check(
        d, hdi_cu.cuGraphExecKernelNodeSetParams(g->executable, g->node[k], &p),
        "patching a graph of kernels");
}

hd_status hdi_cuda_graph_launch(hdi_cuda *d, hdi_cuda_graphs *all, const hdi_cuda_step *step, int n,
                                int enough, bool *done)
{
    hdi_cuda_graph *g = place_of(d, all, step, n);
    hd_status status = HD_OK;
    bool fresh = g->executable == NULL;
    g->used_at = ++all->clock;
    *done = false;
    if (fresh && (g->refused || ++g->seen < enough))
        return HD_OK;
    if (fresh)
        status = make(d, g, step);
    for (int k = 0; k < n && status == HD_OK && !fresh; k++)
        status = patch(d, g, k, &step[k]);
    if (status == HD_OK && !g->refused) {
        *done = true;
        status = hdi_cuda_check(d, hdi_cu.cuGraphLaunch(g->executable, d->stream),
                                "launching a graph of kernels");
    }
    if (status != HD_OK)   /* what it was patched to is not known */
        drop(d, g);
    return status;
}

void hdi_cuda_graphs_forget(hdi_cuda *d, hdi_cuda_graphs *all, CUfunction f)
{
    for (int k = 0; k < HDI_CUDA_GRAPHS; k++) {
        hdi_cuda_graph *g = &all->graph[k];
        bool has = false;
        for (int s = 0; s < g->n && g->step != NULL; s++)
            has |= g->step[s].function == f;
        if (has)
            drop(d, g);
    }
}
