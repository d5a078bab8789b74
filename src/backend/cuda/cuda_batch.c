/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_batch.c - kernels are prepared up to a limit, merged, and enqueued. */
#include "backend/cuda/cuda_batch.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "backend/cuda/cuda_launch.h"
#include "backend/cuda/cuda_sequence.h"
#include "backend/cuda/cuda_tier.h"
#include "base/alloc.h"
#include "codegen/cg_compile.h"

enum { MOST = 128, ROOM = 16384 };   /* kernels at a time, and words of theirs */

typedef struct lent { uint64_t address; int64_t bytes; } lent;

typedef struct hdi_cuda_batch {
    pthread_mutex_t lock;    /* graphs, sequences */
    hdi_cuda_graphs graphs;
    hdi_cuda_sequences sequences;
    /* of the launching thread: */
    int n, nlent, nwords;
    int launches;            /* prepared; some have nothing to do, and no step */
    hdi_cuda_step step[MOST];
    lent lent[MOST];
    uint64_t words[ROOM];
    /* the driver reads the parameter of a sequence to its end */
    uint64_t merged[ROOM + 2 * MOST + HDI_GRID_PARAMETER_WORDS];
} batch;

hd_status hdi_cuda_batch_open(hdi_cuda *d)
{
    if ((d->batch = hdi_calloc(sizeof *d->batch)) == NULL)
        return hdi_fail(HD_NOMEM, "out of memory for device cuda:%d", d->number);
    pthread_mutex_init(&d->batch->lock, NULL);
    d->batch->sequences.lock = &d->batch->lock;
    d->batch->sequences.graphs = &d->batch->graphs;
    return HD_OK;
}

static hdi_cuda_eager eager(void)
{
    static _Atomic(int) known = -1;
    int wish = atomic_load_explicit(&known, memory_order_relaxed);
    if (wish < 0) {
        const char *text = getenv("HEDDLE_BATCH");
        wish = text == NULL || text[0] == '\0' ? HDI_BATCH_REPEATED
               : text[0] == '0'                ? HDI_BATCH_NEVER
               : text[0] == '1'                ? HDI_BATCH_ALWAYS
                                               : HDI_BATCH_REPEATED;
        atomic_store(&known, wish);
    }
    return (hdi_cuda_eager)wish;
}

/* ---- preparing ------------------------------------------------------------------------------- */

static void add_step(batch *b, hdi_launch *l, const hdi_cuda_layout *lay, hdi_cuda_variant *v)
{
    uint64_t *words = b->words + b->nwords;
    memcpy(words, lay->words, sizeof *words * (size_t)lay->nwords);
    if (lay->grid.split)
        b->lent[b->nlent++] = (lent){words[HDI_WORD_PARTIALS], lay->partials};
    b->nwords += lay->nwords;
    b->step[b->n++] = (hdi_cuda_step){
        .function = v->function, .blocks = (unsigned)lay->blocks, .threads = lay->grid.threads,
        .upto = b->launches + 1, .nwords = lay->nwords, .words = words,
        .program = (hdi_cuda_program *)(uintptr_t)l->program, .variant = v};
}

/* Adds a launch. *fits is false if it has to go by itself, or after what is there already. */
static hd_status add(hdi_cuda *d, batch *b, hdi_launch *l, bool *fits)
{
    hdi_cuda_layout *lay;
    hdi_cuda_variant *v;
    hd_status status = hdi_cuda_prepare(d, l, &lay, &v);
    *fits = false;
    if (status != HD_OK)
        return status;
    if (v != NULL && (lay->grid.words_in_memory || !hdi_cuda_tier_ready(v) ||
                      (b->n > 0 && hdi_cuda_lends_anew(d, lay))))
        return HD_OK;
    *fits = true;
    if (v != NULL && (status = hdi_cuda_lend(d, lay)) != HD_OK)
        return status;
    if (v != NULL)   /* else there is nothing to do */
        add_step(b, l, lay, v);
    b->launches++;
    return HD_OK;
}

/* ---- enqueuing ------------------------------------------------------------------------------- */

static hd_status one_by_one(hdi_cuda *d, const batch *b, int *done)
{
    hd_status status = HD_OK;
    for (int k = 0; k < b->n; k++) {
        const hdi_cuda_step *s = &b->step[k];
        status = hdi_cuda_call(d, s->function, s->blocks, s->threads, s->words);
        if (status != HD_OK)
            return status;
        *done = s->upto;
    }
    return HD_OK;
}

/* The steps of the batch, which is empty afterwards; *done: how many launches that were. */
static hd_status enqueue(hdi_cuda *d, batch *b, int *done)
{
    hd_status status = HD_OK;
    bool graph = false, always = eager() == HDI_BATCH_ALWAYS;
    for (int k = 0; k < b->n; k++)
        hdi_cuda_note(d, b->step[k].program->name);
    pthread_mutex_lock(&b->lock);
    if (eager() != HDI_BATCH_NEVER && b->n > 1) {
        b->n = hdi_cuda_sequence_merge(d, &b->sequences, b->step, b->n, b->merged, always ? 1 : 2);
        if (b->n > 1)
            status = hdi_cuda_graph_launch(d, &b->graphs, b->step, b->n, always ? 1 : 3, &graph);
    }
    if (status == HD_OK && !graph)
        status = one_by_one(d, b, done);
    if (status == HD_OK)
        *done = b->launches;
    pthread_mutex_unlock(&b->lock);
    while (b->nlent > 0) {   /* the last one first, so that the next time each gets the same */
        b->nlent--;
        hdi_cuda_lent_back(d, b->lent[b->nlent].address, b->lent[b->nlent].bytes);
    }
    b->n = b->nwords = b->launches = 0;
    if (always)
        hdi_cg_wait();
    return status;
}

hd_status hdi_cuda_launch_all(hdi_cuda *d, hdi_launch *l, int n, int *done)
{
    batch *b = d->batch;
    hd_status status = HD_OK, enqueued = HD_OK;
    *done = 0;
    while (*done < n && status == HD_OK && enqueued == HD_OK) {
        int now = 0;
        bool fits = true;
        while (*done + b->launches < n && fits && status == HD_OK && b->n < MOST &&
               b->nwords + HDI_GRID_PARAMETER_WORDS <= ROOM)
            status = add(d, b, &l[*done + b->launches], &fits);
        enqueued = enqueue(d, b, &now);
        *done += now;
        if (now == 0 && status == HD_OK && enqueued == HD_OK) {
            status = hdi_cuda_launch(d, &l[*done]);
            *done += status == HD_OK;
        }
    }
    return status != HD_OK ? status : enqueued;
}

void hdi_cuda_batch_forget(hdi_cuda *d, const hdi_cuda_program *p)
{
    batch *b = d->batch;
    pthread_mutex_lock(&b->lock);
    hdi_cuda_sequences_forget(&b->sequences, p);
    for (hdi_cuda_variant *v = p->variants; v != NULL; v = v->next)
        hdi_cuda_graphs_forget(d, &b->graphs, v->function);
    pthread_mutex_unlock(&b->lock);
}
