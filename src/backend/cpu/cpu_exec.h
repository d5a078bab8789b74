/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_exec.h - running a program: operands bound to a launch, registers of a thread, steps over
 * a block.
 * Owns       hdi_cpu_run, hdi_cpu_ctx
 * Invariant  a run is written by the launching thread before any task starts and only read by
 *            tasks. All memory that a launch needs is there before its first step runs: a launch
 *            that fails has changed nothing
 * Memory     the launching thread's scratch for a run, the running thread's for a context
 * Start at   hdi_cpu_launch() */
#ifndef HDI_CPU_EXEC_H
#define HDI_CPU_EXEC_H

#include "backend/cpu/cpu_scratch.h"
#include "backend/cpu/cpu_space.h"

/* Work (bytes handled by plain loops) from which several threads share a launch, and of one task
 * at least. */
enum { CPU_PARALLEL_WORK = 1 << 19, CPU_TASK_WORK = 1 << 17 };

typedef struct hdi_cpu_run {
    const hdi_cpu_program *p;
    const hdi_launch *l;
    hdi_cpu_space full, row;     /* of FULL and of ROW operands */
    hdi_cpu_view *loads, *stores;
    void **shared;               /* registers that are the same for every thread; NULL elsewhere */
    int64_t block;               /* elements of a block, at most p->block */
    bool straddle;               /* blocks may reach over the end of the last axis */
    bool streams;                /* some stores pass the cache by */
} hdi_cpu_run;

typedef struct hdi_cpu_ctx {
    hdi_cpu_run *run;
    void **reg;
    uint8_t *buffers;
    hdi_cpu_cursor full, row;    /* the block at hand */
    struct hdi_cpu_group *group; /* reductions: the rows at hand */
} hdi_cpu_ctx;

hd_status hdi_cpu_launch(void *state, hdi_launch *l);
void hdi_cpu_forget(void *state, hdi_launch *l);

/* The two kinds of launch. */
hd_status hdi_cpu_launch_ew(hdi_launch *l);
hd_status hdi_cpu_launch_rows(hdi_launch *l);
void hdi_cpu_forget_ew(void *progress);
void hdi_cpu_forget_rows(void *progress);

/* hdi_cpu_plain_fixed - can the launch go the short way? -1 if not, else how many operands are
 * one element for all. */
int hdi_cpu_plain_fixed(const hdi_cpu_program *p, const hdi_launch *l);
/* hdi_cpu_plain_range - elements [start, end) of such a launch. false: no memory, nothing done. */
bool hdi_cpu_plain_range(const hdi_cpu_program *p, const hdi_launch *l, int fixed, int64_t block,
                         int64_t start, int64_t end);

/* hdi_cpu_bind_shared - fills run->shared; longest: elements of the longest block. false: no
 * memory. */
bool hdi_cpu_bind_shared(hdi_cpu_run *run, int64_t longest);
/* hdi_cpu_resolve_aliases - which loads must be copied and which stores cannot be computed in
 * memory. */
void hdi_cpu_resolve_aliases(hdi_cpu_run *run);
/* hdi_cpu_open - a thread's registers, in its scratch. false: no memory. */
bool hdi_cpu_open(hdi_cpu_ctx *c, hdi_cpu_run *run);
/* hdi_cpu_run_steps - steps over a block of n elements at c->full (or c->row). */
void hdi_cpu_run_steps(hdi_cpu_ctx *c, const hdi_cpu_step *steps, int count, int64_t n);
/* hdi_cpu_reduce - a REDUCE step over the block at hand. */
void hdi_cpu_reduce(hdi_cpu_ctx *c, int number, int64_t n);
/* hdi_cpu_reduce_chain - a CHAIN step that ends in reductions; false: not at this shape, the chain
 * runs by itself and its reductions' steps do their work. */
bool hdi_cpu_reduce_chain(hdi_cpu_ctx *c, int number, int64_t n);
/* hdi_cpu_load_kept - a load that later phases use although memory will have changed by then. */
void hdi_cpu_load_kept(hdi_cpu_ctx *c, const hdi_cpu_view *v, int64_t n);

void hdi_cpu_run_chain(const hdi_cpu_chain *c, void **reg, int64_t n);
static inline void hdi_cpu_compute(const hdi_cpu_program *p, const hdi_cpu_step *s, void **reg,
                                   int64_t n)
{
    if (s->kind == CPU_CHAIN) {
        hdi_cpu_run_chain(&p->chains[s->out], reg, n);
        return;
    }
    const void *in[3] = {reg[s->in[0]], reg[s->in[1]], reg[s->in[2]]};
    if (s->kind == CPU_EW)
        s->fn.ew(reg[s->out], in, n);
    else
        s->fn.cast(reg[s->out], in[0], n);
}

/* hdi_cpu_task_size - elements per task, a multiple of the block; at least one block. */
int64_t hdi_cpu_task_size(int64_t size, int64_t cost, int64_t block);
/* hdi_cpu_cache_bytes - size of the last-level cache. hdi_cpu_stream_bytes - results larger than
 * that pass it by. */
int64_t hdi_cpu_cache_bytes(void);
static inline int64_t hdi_cpu_stream_bytes(void)
{
    return 2 * hdi_cpu_cache_bytes();
}
/* hdi_cpu_block - elements of a block for a launch of that size: half as many where memory is
 * the limit, so that each page is met twice and the processor's prefetcher, which does not look
 * beyond a page, sees the run coming. */
int64_t hdi_cpu_block(const hdi_cpu_program *p, int64_t size);
#endif
