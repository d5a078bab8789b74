/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_tier.c - work counted per program, a request when it is worth it, the result put where
 * launches look. */
#include "backend/cpu/cpu_tier.h"

#include <pthread.h>
#include <stdatomic.h>

#include "backend/cpu/cpu_builder.h"
#include "backend/cpu/cpu_space.h"
#include "base/alloc.h"
#include "codegen/cg_compile.h"

/* Work (bytes handled by plain loops) after which a kernel is compiled: some 5 ms of it, twice what
 * a compile takes on another core. */
enum { COMPILE_WORK = 1 << 27 };

enum { NEAR = 256 };   /* bytes */

/* What a kernel becomes; of two kinds, of which the second reads some slots by strides. */
typedef struct variant {
    struct hdi_cpu_tier *of;
    _Atomic(uint64_t) strided;              /* slots; those of the first launch that had any */
    _Atomic(int64_t) work;
    _Atomic(bool) asked;                    /* a compile is under way, or was */
    _Atomic(hdi_cpu_program *) ready;
} variant;

struct hdi_cpu_tier {
    _Atomic(int) refs;
    variant dense, strided;
    pthread_mutex_t compiling;
    size_t bytes;
    hdi_kernel kernel;                      /* a copy; its arrays follow */
};

static _Atomic(int) watched;   /* jobs that are */

void hdi_cpu_watched(bool on)
{
    atomic_fetch_add_explicit(&watched, on ? 1 : -1, memory_order_relaxed);
}

bool hdi_cpu_is_watched(void)
{
    return atomic_load_explicit(&watched, memory_order_relaxed) > 0;
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
    t->dense.of = t->strided.of = t;
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
    variant *all[2] = {&t->dense, &t->strided};
    for (int k = 0; k < 2; k++) {
        hdi_cpu_program *ready = atomic_load(&all[k]->ready);
        if (ready != NULL)
            hdi_free(ready, ready->bytes);
    }
    pthread_mutex_destroy(&t->compiling);
    hdi_free(t, t->bytes);
}

/* A failure is tier 0's business no longer: it goes on as it is; info says why. */
static void compile(variant *v)
{
    struct hdi_cpu_tier *t = v->of;
    hdi_cpu_program *program = NULL;
    pthread_mutex_lock(&t->compiling);
    if (atomic_load(&v->ready) == NULL) {
        hd_error before, why;
        hd_error_take(&before);
        if (hdi_cpu_compile_chained(&t->kernel, atomic_load(&v->strided), &program) != HD_OK)
            hdi_cg_note_failure(hd_error_peek());
        hd_error_take(&why);
        if (before.code != HD_OK)
            hdi_error_set(&before);
        atomic_store_explicit(&v->ready, program, memory_order_release);
    }
    pthread_mutex_unlock(&t->compiling);
}

static void compile_later(void *ctx)
{
    variant *v = ctx;
    compile(v);
    hdi_cpu_tier_release(v->of);
}

static void ask(variant *v)
{
    if (atomic_exchange(&v->asked, true))
        return;
    atomic_fetch_add(&v->of->refs, 1);
    if (!hdi_cg_later(compile_later, NULL, v))
        hdi_cpu_tier_release(v->of);
}

/* ---- which variant --------------------------------------------------------------------------- */

/* Slots of the launch whose elements lie apart, but near enough that this is no matter of tiles:
 * a guess, since the axes are put in order later. */
static uint64_t strided_slots(const hdi_cpu_program *p, const hdi_launch *l)
{
    uint64_t slots = 0;
    int axes[HD_MAXDIM], last = -1;
    for (int i = 0; i < p->nloads; i++) {
        const hdi_cpu_operand *op = &p->loads[i];
        const hdi_arg *arg = &l->args[op->slot];
        if (op->index || op->level != KIR_FULL || op->slot >= 64 || arg->linear || l->nd == 0)
            continue;
        if (last < 0) {
            hdi_cpu_sort_axes(l, axes);
            last = axes[l->nd - 1];
        }
        int64_t stride = arg->strides[last];
        if (stride != 0 && stride != (int64_t)1 << op->lsize &&
            (l->nd == 1 || hdi_abs64(stride) <= NEAR))
            slots |= (uint64_t)1 << op->slot;
    }
    return slots;
}

/* The dense variant gathers what is strided; so does the strided one, of other slots than its
 * own. */
static variant *choose(struct hdi_cpu_tier *t, uint64_t slots)
{
    uint64_t mine = 0;
    if (slots == 0)
        return &t->dense;
    if (atomic_compare_exchange_strong(&t->strided.strided, &mine, slots))
        mine = slots;
    return (slots & ~mine) == 0 ? &t->strided : &t->dense;
}

const hdi_cpu_program *hdi_cpu_promote(const hdi_cpu_program *p, const hdi_launch *l)
{
    struct hdi_cpu_tier *t = p->tier;
    if (t == NULL)
        return p;
    int wish = hdi_cg_tier();
    if (wish == 0 || hdi_cpu_is_watched())
        return p;
    variant *v = choose(t, strided_slots(p, l));
    const hdi_cpu_program *ready = atomic_load_explicit(&v->ready, memory_order_acquire);
    if (HDI_LIKELY(ready != NULL))
        return ready;
    if (wish == 1 && !atomic_exchange(&v->asked, true)) {
        compile(v);
        ready = atomic_load_explicit(&v->ready, memory_order_acquire);
        return ready != NULL ? ready : p;
    }
    /* two threads may lose each other's work: it is an estimate */
    int64_t work = atomic_load_explicit(&v->work, memory_order_relaxed) + l->size * p->cost;
    atomic_store_explicit(&v->work, work, memory_order_relaxed);
    if (HDI_UNLIKELY(work >= COMPILE_WORK))
        ask(v);
    return p;
}

int hdi_cpu_tier_of(const hdi_cpu_program *p)
{
    const struct hdi_cpu_tier *t = p->tier;
    return t != NULL && hdi_cg_tier() != 0 &&
           (atomic_load_explicit(&t->dense.ready, memory_order_acquire) != NULL ||
            atomic_load_explicit(&t->strided.ready, memory_order_acquire) != NULL);
}
