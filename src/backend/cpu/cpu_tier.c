/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_tier.c - work counted per program, a request when it is worth it, the result put where
 * launches look. */
#include "backend/cpu/cpu_tier.h"

#include <pthread.h>
#include <stdatomic.h>

#include "backend/cpu/cpu_builder.h"
#include "base/alloc.h"
#include "codegen/cg_compile.h"

/* Work (bytes handled by plain loops) after which a kernel is compiled: some 5 ms of it, twice what
 * a compile takes on another core. */
enum { COMPILE_WORK = 1 << 27 };

struct hdi_cpu_tier {
    _Atomic(int) refs;
    _Atomic(int64_t) work;
    _Atomic(bool) asked;                    /* a compile is under way, or was */
    _Atomic(hdi_cpu_program *) ready;
    pthread_mutex_t compiling;
    size_t bytes;
    hdi_kernel kernel;                      /* a copy; its arrays follow */
};

static atomic_bool watched;

void hdi_cpu_watched(bool on)
{
    atomic_store_explicit(&watched, on, memory_order_relaxed);
}

struct hdi_cpu_tier *hdi_cpu_tier_new(const hdi_kernel *k)
{
    if (!hdi_cg_available() || !hdi_cpu_worth_compiling(k))
        return NULL;
    size_t insts = sizeof *k->inst * k->ninst, slots = sizeof *k->slots * k->nslots;
    size_t bytes = sizeof(struct hdi_cpu_tier) + insts + slots;
    struct hdi_cpu_tier *t = hdi_alloc(bytes);
    if (t == NULL)
        return NULL;
    *t = (struct hdi_cpu_tier){.refs = 1, .bytes = bytes, .kernel = *k};
    pthread_mutex_init(&t->compiling, NULL);
    t->kernel.inst = (hdi_kinst *)(void *)(t + 1);
    t->kernel.slots = (hdi_kslot *)(void *)((uint8_t *)(t + 1) + insts);
    memcpy(t->kernel.inst, k->inst, insts);
    memcpy(t->kernel.slots, k->slots, slots);
    return t;
}

void hdi_cpu_tier_release(struct hdi_cpu_tier *t)
{
    if (t == NULL || atomic_fetch_sub(&t->refs, 1) > 1)
        return;
    hdi_cpu_program *ready = atomic_load(&t->ready);
    if (ready != NULL)
        hdi_free(ready, ready->bytes);
    pthread_mutex_destroy(&t->compiling);
    hdi_free(t, t->bytes);
}

/* A failure is tier 0's business no longer: it goes on as it is; info says why. */
static void compile(struct hdi_cpu_tier *t)
{
    hdi_cpu_program *program = NULL;
    pthread_mutex_lock(&t->compiling);
    if (atomic_load(&t->ready) == NULL) {
        hd_error before, why;
        hd_error_take(&before);
        if (hdi_cpu_compile_chained(&t->kernel, &program) != HD_OK)
            hdi_cg_note_failure(hd_error_peek());
        hd_error_take(&why);
        if (before.code != HD_OK)
            hdi_error_set(&before);
        atomic_store_explicit(&t->ready, program, memory_order_release);
    }
    pthread_mutex_unlock(&t->compiling);
}

static void compile_later(void *ctx)
{
    compile(ctx);
    hdi_cpu_tier_release(ctx);
}

static void ask(struct hdi_cpu_tier *t)
{
    if (atomic_exchange(&t->asked, true))
        return;
    atomic_fetch_add(&t->refs, 1);
    if (!hdi_cg_later(compile_later, t))
        hdi_cpu_tier_release(t);
}

const hdi_cpu_program *hdi_cpu_promote(const hdi_cpu_program *p, int64_t size)
{
    struct hdi_cpu_tier *t = p->tier;
    if (t == NULL)
        return p;
    int wish = hdi_cg_tier();
    if (wish == 0 || atomic_load_explicit(&watched, memory_order_relaxed))
        return p;
    const hdi_cpu_program *ready = atomic_load_explicit(&t->ready, memory_order_acquire);
    if (HDI_LIKELY(ready != NULL))
        return ready;
    if (wish == 1 && !atomic_exchange(&t->asked, true)) {
        compile(t);
        ready = atomic_load_explicit(&t->ready, memory_order_acquire);
        return ready != NULL ? ready : p;
    }
    /* two threads may lose each other's work: it is an estimate */
    int64_t work = atomic_load_explicit(&t->work, memory_order_relaxed) + size * p->cost;
    atomic_store_explicit(&t->work, work, memory_order_relaxed);
    if (HDI_UNLIKELY(work >= COMPILE_WORK))
        ask(t);
    return p;
}

int hdi_cpu_tier_of(const hdi_cpu_program *p)
{
    return p->tier != NULL && hdi_cg_tier() != 0 &&
           atomic_load_explicit(&p->tier->ready, memory_order_acquire) != NULL;
}
