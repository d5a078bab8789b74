/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_tier.c - a variant's way from tier 0 to its own function. */
#include "backend/cuda/cuda_tier.h"

#include "backend/cuda/cuda_compile.h"
#include "backend/cuda/cuda_tier0.h"
#include "backend/cuda/tier0/tier0.h"
#include "base/alloc.h"
#include "codegen/cg_compile.h"

/* What the background works on: a copy, since programs may go meanwhile. */
typedef struct hdi_cuda_job {
    hdi_cuda *d;
    hdi_kernel *k;
    hdi_grid grid;
    hdi_cuda_variant *of;    /* NULL: it is gone */
} job;

/* Between the thread that launches and the one in the background. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* A kernel that comes AGAIN this often will go on coming. Much: steps of elements that tier 0 takes
 * some milliseconds for, the compiler some ten. */
enum { AGAIN = 2 };
static const int64_t much = (int64_t)1 << 29;

/* ---- in the background ----------------------------------------------------------------------- */

static void publish(hdi_cuda_variant *v, CUmodule module, CUfunction function)
{
    v->module = module;
    v->function = function;
    atomic_store_explicit(&v->ready, true, memory_order_release);
}

static void make(void *ctx)
{
    job *j = ctx;
    CUmodule module;
    CUfunction function;
    hd_error why;
    hdi_sequence just_one = {.nbodies = 1, .alone = true, .body = {{j->k, &j->grid}}};
    hd_status status = hdi_cuda_enter(j->d);
    if (status == HD_OK)
        status = hdi_cuda_code(j->d, &just_one, &module, &function);
    if (status != HD_OK) {
        hd_error_take(&why);
        hdi_cg_note_failure(&why);
    }
    pthread_mutex_lock(&mutex);
    if (j->of != NULL) {
        j->of->job = NULL;
        if (status == HD_OK)
            publish(j->of, module, function);
    } else if (status == HD_OK) {
        hdi_cu.cuModuleUnload(module);
    }
    pthread_mutex_unlock(&mutex);
    hdi_cuda_kernel_free(j->k);
    hdi_free(j, sizeof *j);
}

/* Once; if it cannot be, the kernel stays on tier 0. */
static void ask(hdi_cuda *d, const hdi_kernel *k, hdi_cuda_variant *v)
{
    job *j = hdi_alloc(sizeof *j);
    v->asked = true;
    if (j == NULL)
        return;
    *j = (job){d, hdi_cuda_kernel_copy(k), v->grid, v};
    v->job = j;
    if (j->k != NULL && hdi_cg_later(make, j))
        return;
    v->job = NULL;
    if (j->k != NULL)
        hdi_cuda_kernel_free(j->k);
    hdi_free(j, sizeof *j);
}

/* ---- by the thread that launches ------------------------------------------------------------- */

static bool for_tier0(hdi_cuda *d, const hdi_kernel *k, const hdi_cuda_layout *lay)
{
    uint64_t words[HDI_TIER0_WORDS];
    return hdi_cg_tier() != 1 && hdi_cuda_tier0_open(d) &&
           hdi_cuda_tier0_words(k, lay, words) > 0;
}

hd_status hdi_cuda_tier_begin(hdi_cuda *d, const hdi_kernel *k, const hdi_cuda_layout *lay,
                              hdi_cuda_variant *v)
{
    hdi_sequence just_one = {.nbodies = 1, .alone = true, .body = {{k, &v->grid}}};
    CUmodule module;
    CUfunction function = NULL;
    hd_status status = HD_OK;
    if (hdi_cg_tier() < 0)
        status = hdi_cuda_code_known(d, &just_one, &module, &function);
    if (status != HD_OK || (function == NULL && for_tier0(d, k, lay)))
        return status;
    if (function == NULL)
        status = hdi_cuda_code(d, &just_one, &module, &function);
    if (status == HD_OK)
        publish(v, module, function);
    return status;
}

void hdi_cuda_tier_note(hdi_cuda *d, const hdi_kernel *k, int64_t size, hdi_cuda_variant *v)
{
    if (v->runs < AGAIN)
        v->runs++;
    if (!v->asked && hdi_cg_tier() != 0 && (v->runs == AGAIN || size * k->ninst >= much))
        ask(d, k, v);
}

void hdi_cuda_tier_end(hdi_cuda *d, hdi_cuda_variant *v)
{
    pthread_mutex_lock(&mutex);
    if (v->job != NULL)
        v->job->of = NULL;
    pthread_mutex_unlock(&mutex);
    if (hdi_cuda_tier_ready(v) && hdi_cuda_usable(d) && hdi_cuda_enter(d) == HD_OK)
        hdi_cu.cuModuleUnload(v->module);
}
