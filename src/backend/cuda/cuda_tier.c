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
    atomic_llong worth;
} job;

/* Between the thread that launches and the one in the background. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* A kernel that comes AGAIN this often will go on coming. Much: steps of elements that tier 0 takes
 * some milliseconds for, the compiler some ten. */
enum { AGAIN = 2 };
static const int64_t much = (int64_t)1 << 29;

/* What waiting costs is the elements that tier 0 has gone through so far times the kernel's steps;
 * what compiling costs, the steps. So much does a launch of few elements take. */
static const int64_t least = (int64_t)1 << 18;

/* ---- in the background ----------------------------------------------------------------------- */

static void publish(hdi_cuda_variant *v, CUmodule module, CUfunction function)
{
    v->module = module;
    v->function = function;
    atomic_store_explicit(&v->ready, true, memory_order_release);
}

static bool is_wanted(const job *j)
{
    pthread_mutex_lock(&mutex);
    bool wanted = j->of != NULL;
    pthread_mutex_unlock(&mutex);
    return wanted;
}

static void compile(job *j)
{
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
}

static void make(void *ctx)
{
    job *j = ctx;
    if (is_wanted(j))
        compile(j);
    hdi_cuda_kernel_free(j->k);
    hdi_free(j, sizeof *j);
}

static int64_t worth(void *ctx)
{
    job *j = ctx;
    return atomic_load_explicit(&j->worth, memory_order_relaxed);
}

/* Once; if it cannot be, the kernel stays on tier 0. */
static void ask(hdi_cuda *d, const hdi_kernel *k, hdi_cuda_variant *v)
{
    job *j = hdi_alloc(sizeof *j);
    v->asked = true;
    if (j == NULL)
        return;
    *j = (job){.d = d, .k = hdi_cuda_kernel_copy(k), .grid = v->grid, .of = v, .worth = v->cost};
    v->job = j;
    if (j->k != NULL && hdi_cg_later(make, worth, j))
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

static void add_cost(hdi_cuda_variant *v, int64_t cost)
{
    if (!v->asked) {
        v->cost += cost;
        return;
    }
    pthread_mutex_lock(&mutex);
    if (v->job != NULL)
        atomic_fetch_add_explicit(&v->job->worth, cost, memory_order_relaxed);
    pthread_mutex_unlock(&mutex);
}

void hdi_cuda_tier_note(hdi_cuda *d, const hdi_kernel *k, int64_t size, hdi_cuda_variant *v)
{
    add_cost(v, hdi_max64(size, least));
    if (v->runs < AGAIN)
        v->runs++;
    if (!v->asked && hdi_cg_tier() != 0 && (v->runs == AGAIN || size * k->ninst >= much))
        ask(d, k, v);
}

void hdi_cuda_tier_end(hdi_cuda *d, hdi_cuda_variant *v)
{
    pthread_mutex_lock(&mutex);
    if (v->job != NULL) {
        v->job->of = NULL;
        atomic_store_explicit(&v->job->worth, INT64_MAX, memory_order_relaxed);   /* to be freed */
    }
    pthread_mutex_unlock(&mutex);
    if (hdi_cuda_tier_ready(v) && hdi_cuda_usable(d) && hdi_cuda_enter(d) == HD_OK)
        hdi_cu.cuModuleUnload(v->module);
}
