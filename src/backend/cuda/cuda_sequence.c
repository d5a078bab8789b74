/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_sequence.c - which runs of kernels become one launch, and how their function is come by. */
#include "backend/cuda/cuda_sequence.h"

#include "backend/cuda/cuda_compile.h"
#include "base/alloc.h"
#include "codegen/cg_compile.h"

/* Kernels that one function runs. */
typedef enum state { SEEN, ASKED, READY, FAILED } state;
typedef struct hdi_cuda_set {
    struct hdi_cuda_set *next;
    hdi_cuda *d;
    hdi_cuda_sequences *all;
    int n, seen;
    state state;
    bool forgotten;          /* while it is being made: whoever does so frees it */
    hdi_cuda_variant *variant[HDI_SEQUENCE_BODIES];
    const hdi_cuda_program *program[HDI_SEQUENCE_BODIES];
    /* for the background: copies */
    hdi_kernel *k[HDI_SEQUENCE_BODIES];
    hdi_grid grid[HDI_SEQUENCE_BODIES];
    CUmodule module;
    CUfunction function;
} set;

/* ---- sets ------------------------------------------------------------------------------------ */

static void drop_copies(set *s)
{
    for (int k = 0; k < HDI_SEQUENCE_BODIES; k++)
        if (s->k[k] != NULL)
            hdi_cuda_kernel_free(s->k[k]);
    memset(s->k, 0, sizeof s->k);
}

static void drop(set *s)
{
    if (s->state == READY && hdi_cuda_usable(s->d) && hdi_cuda_enter(s->d) == HD_OK)
        hdi_cu.cuModuleUnload(s->module);
    drop_copies(s);
    hdi_free(s, sizeof *s);
}

/* One that is being made is dropped when that is done. */
static void forget(hdi_cuda_sequences *all, set **at)
{
    set *s = *at;
    *at = s->next;
    all->n--;
    if (s->state == READY)
        hdi_cuda_graphs_forget(s->d, all->graphs, s->function);
    s->forgotten = true;
    if (s->state != ASKED)
        drop(s);
}

void hdi_cuda_sequences_forget(hdi_cuda_sequences *all, const hdi_cuda_program *p)
{
    for (set **at = &all->first, *s; (s = *at) != NULL;) {
        bool has = false;
        for (int k = 0; k < s->n; k++)
            has |= s->program[k] == p;
        if (has)
            forget(all, at);
        else
            at = &s->next;
    }
}

static set *new_set(hdi_cuda *d, hdi_cuda_sequences *all, const set *like)
{
    set **last = &all->first;
    if (all->n == HDI_CUDA_SEQUENCES) {
        while ((*last)->next != NULL)
            last = &(*last)->next;
        forget(all, last);
    }
    set *s = hdi_alloc(sizeof *s);
    if (s == NULL)
        return NULL;
    *s = *like;
    s->d = d;
    s->all = all;
    s->next = all->first;
    all->first = s;
    all->n++;
    return s;
}

/* The set of these variants, in front of the others; NULL: out of memory. */
static set *find(hdi_cuda *d, hdi_cuda_sequences *all, const set *like)
{
    for (set **at = &all->first, *s; (s = *at) != NULL; at = &s->next)
        if (s->n == like->n &&
            memcmp(s->variant, like->variant, sizeof *s->variant * (size_t)s->n) == 0) {
            *at = s->next;
            s->next = all->first;
            return all->first = s;
        }
    return new_set(d, all, like);
}

/* ---- making one ------------------------------------------------------------------------------ */

/* In the background. */
static void make(void *ctx)
{
    set *s = ctx;
    hd_error why;
    hdi_sequence code = {.nbodies = s->n};
    for (int k = 0; k < s->n; k++)
        code.body[k] = (hdi_grid_kernel){s->k[k], &s->grid[k]};
    hd_status status = hdi_cuda_enter(s->d);
    if (status == HD_OK)
        status = hdi_cuda_code(s->d, &code, &s->module, &s->function);
    if (status != HD_OK) {
        hd_error_take(&why);
        hdi_cg_note_failure(&why);
    }
    pthread_mutex_lock(s->all->lock);
    s->state = status == HD_OK ? READY : FAILED;
    bool forgotten = s->forgotten;
    pthread_mutex_unlock(s->all->lock);
    if (forgotten)
        drop(s);
}

/* Its kernels run meanwhile: those that tier 0 runs come first. */
static int64_t little(void *ctx)
{
    (void)ctx;
    return 0;
}

/* What is being made does not depend on programs, which may go meanwhile. */
static bool take_copies(set *s)
{
    for (int k = 0; k < s->n; k++) {
        s->grid[k] = s->variant[k]->grid;
        s->grid[k].held = 0;   /* shared memory for all of them together may be too much */
        if ((s->k[k] = hdi_cuda_kernel_copy(s->program[k]->k)) == NULL) {
            drop_copies(s);
            return false;
        }
    }
    return true;
}

static bool is_ready(set *s, int enough)
{
    if (s->state == SEEN && ++s->seen >= enough) {
        bool asked = take_copies(s) && hdi_cg_later(make, little, s);
        if (!asked)
            drop_copies(s);
        s->state = asked ? ASKED : FAILED;
    }
    return s->state == READY;
}

/* ---- runs ------------------------------------------------------------------------------------ */

static bool is_small(const hdi_cuda_step *s)
{
    return s->program != NULL && s->blocks <= HDI_SEQUENCE_FEW_BLOCKS && !s->variant->grid.wide;
}

/* Number of the step's function in the set; added if there is room. -1: there is none. */
static int number_of(set *s, const hdi_cuda_step *step)
{
    for (int k = 0; k < s->n; k++)
        if (s->variant[k] == step->variant)
            return k;
    if (s->n == HDI_SEQUENCE_BODIES)
        return -1;
    s->variant[s->n] = step->variant;
    s->program[s->n] = step->program;
    return s->n++;
}

/* How many steps from here on one function can run, and which set of kernels that is. */
static int run_length(const hdi_cuda_step *step, int n, set *of)
{
    int words = HDI_SEQUENCE_KERNELS, length = 0;
    memset(of, 0, sizeof *of);
    for (; length < n && is_small(&step[length]); length++) {
        words += 1 + step[length].nwords;
        if (words > HDI_GRID_PARAMETER_WORDS || number_of(of, &step[length]) < 0)
            break;
    }
    return length;
}

/* The run as one step; returns its number of words. */
static int as_one(const set *s, set *of, const hdi_cuda_step *step, int n, uint64_t *words,
                  hdi_cuda_step *one)
{
    int at = HDI_SEQUENCE_KERNELS + n;
    words[HDI_SEQUENCE_COUNT] = (uint64_t)n;
    for (int k = 0; k < n; k++) {
        words[HDI_SEQUENCE_KERNELS + k] =
            hdi_sequence_kernel(number_of(of, &step[k]), at, step[k].blocks);
        memcpy(words + at, step[k].words, sizeof *words * (size_t)step[k].nwords);
        at += step[k].nwords;
    }
    *one = (hdi_cuda_step){.function = s->function, .blocks = 1, .threads = step[0].threads,
                           .upto = step[n - 1].upto, .nwords = at, .words = words};
    return at;
}

int hdi_cuda_sequence_merge(hdi_cuda *d, hdi_cuda_sequences *all, hdi_cuda_step *step, int n,
                            uint64_t *words, int enough)
{
    int left = 0;
    for (int k = 0; k < n;) {
        set of;
        int length = run_length(step + k, n - k, &of);
        set *s = length > 1 ? find(d, all, &of) : NULL;
        if (s != NULL && is_ready(s, enough)) {
            hdi_cuda_step one;
            words += as_one(s, &of, step + k, length, words, &one);
            step[left++] = one;
            k += length;
            continue;
        }
        for (int end = k + (length > 1 ? length : 1); k < end; k++)
            step[left++] = step[k];
    }
    return left;
}
