/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_user_code.c - compiled twice, the second time where it pays. */
#include "backend/cpu/cpu_user_code.h"

#include <math.h>
#include <stdatomic.h>

#include "backend/cpu/cpu_builder.h"
#include "backend/cpu/cpu_user_print.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "codegen/cg_compile.h"
#include "codegen/cg_generator.h"
#include "lir/passes.h"

/* Time in quick code after which a kernel is compiled again: about what that compile takes. */
enum { QUICK_ENOUGH = 20000000 /* ns */ };

struct hdi_cpu_kernel {
    hdi_lir *l;
    uint8_t *data;                   /* launches write to theirs, l->data is part of keys */
    _Atomic(int) refs;
    _Atomic(bool) asked;             /* fast code is made, or was */
    _Atomic(int64_t) spent;          /* ns in quick code, all threads together */
    hdi_lir_code quick;              /* NULL: there was fast code from the beginning */
    _Atomic(hdi_lir_code) fast;      /* NULL: not yet */
};

/* ---- what the code calls --------------------------------------------------------------------- */

typedef void (*any_code)(void);
typedef struct outside { const char *name; any_code code; } outside;

/* Functions that reals have no text for. */
#define ONE(f, single) \
    {#f, (any_code)(double (*)(double))f}, {#single, (any_code)(float (*)(float))single}
#define TWO(f, single)                             \
    {#f, (any_code)(double (*)(double, double))f}, \
    {#single, (any_code)(float (*)(float, float))single}
static const outside functions[] = {
    {HDI_LIR_ASK_NAME, (any_code)hdi_cpu_user_ask},
    {HDI_LIR_PRINT_NAME, (any_code)hdi_cpu_user_print},
    {HDI_LIR_TRAP_NAME, (any_code)hdi_cpu_user_trap},
    ONE(j0, j0f), ONE(j1, j1f), ONE(y0, y0f), ONE(y1, y1f), ONE(floor, floorf), ONE(ceil, ceilf),
    ONE(trunc, truncf), ONE(rint, rintf), ONE(round, roundf), TWO(remainder, remainderf),
    TWO(fmod, fmodf), TWO(fmin, fminf), TWO(fmax, fmaxf),
    {"fma", (any_code)(double (*)(double, double, double))fma},
    {"fmaf", (any_code)(float (*)(float, float, float))fmaf},
    {"memcpy", (any_code)(void *(*)(void *, const void *, size_t))memcpy},
    {"memset", (any_code)(void *(*)(void *, int, size_t))memset},
    {"memmove", (any_code)(void *(*)(void *, const void *, size_t))memmove},
};

static void *resolve(const char *symbol, void *ctx)
{
    (void)ctx;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i].name, symbol) == 0) {
            void *address;
            memcpy(&address, &functions[i].code, sizeof address);
            return address;
        }
    return NULL;
}

/* ---- codes ----------------------------------------------------------------------------------- */

static hdi_lir_target target_of(bool quick)
{
    return (hdi_lir_target){.isa = (uint8_t)hdi_cpu_isa(), .small_grid = true, .quick = quick};
}

/* Texts are wanted of the code that stays. */
static bool begins_quick(void)
{
    return hdi_cg_tier() != 1 && hdi_cg_dump_wish() == 0;
}

static hd_status first_code(hdi_cpu_kernel *k)
{
    const hdi_lir_target fast = target_of(false), quick = target_of(true);
    hdi_lir_code code = NULL;
    hdi_cg_watch_forks();
    hdi_cg_lock_codes(true);
    if (begins_quick()) {
        if (hdi_cg_tier() != 0)
            code = hdi_cg_lir_kept(k->l, &fast, resolve, NULL);
        if (code == NULL)
            k->quick = hdi_cg_lir_code(k->l, &quick, resolve, NULL);
    } else {
        code = hdi_cg_lir_code(k->l, &fast, resolve, NULL);
    }
    hdi_cg_lock_codes(false);
    atomic_store(&k->fast, code);
    return code != NULL || k->quick != NULL ? HD_OK : hd_error_peek()->code;
}

/* Where it fails quick code goes on; hd_device_info() says why. */
static void make_fast(hdi_cpu_kernel *k)
{
    const hdi_lir_target fast = target_of(false);
    hd_error before, why;
    hd_error_take(&before);
    hdi_lir_code code = hdi_cg_lir_code(k->l, &fast, resolve, NULL);
    hd_error_take(&why);
    if (code == NULL)
        hdi_cg_note_failure(&why);
    if (before.code != HD_OK)
        hdi_error_set(&before);
    atomic_store_explicit(&k->fast, code, memory_order_release);
}

static void make_fast_later(void *ctx)
{
    make_fast(ctx);
    hdi_cpu_kernel_release(ctx);
}

static int64_t worth(void *ctx)
{
    return atomic_load_explicit(&((hdi_cpu_kernel *)ctx)->spent, memory_order_relaxed);
}

static void count(hdi_cpu_kernel *k, int64_t ns)
{
    const int64_t spent =
        atomic_fetch_add_explicit(&k->spent, ns, memory_order_relaxed) + ns;
    if (spent < QUICK_ENOUGH || hdi_cg_tier() == 0 || atomic_exchange(&k->asked, true))
        return;
    atomic_fetch_add(&k->refs, 1);
    if (!hdi_cg_later(make_fast_later, worth, k))
        hdi_cpu_kernel_release(k);
}

int32_t hdi_cpu_kernel_run(hdi_cpu_kernel *k, const hdi_lir_call *call, uint8_t *shared,
                           uint8_t *spread, int64_t first, int64_t last)
{
    const hdi_lir_code fast = atomic_load_explicit(&k->fast, memory_order_acquire);
    if (HDI_LIKELY(fast != NULL))
        return fast(call, shared, spread, first, last);
    const int64_t before = hdi_now_ns(CLOCK_MONOTONIC);
    const int32_t how = k->quick(call, shared, spread, first, last);
    count(k, hdi_now_ns(CLOCK_MONOTONIC) - before);
    return how;
}

/* ---- kernels --------------------------------------------------------------------------------- */

void hdi_cpu_kernel_hurry(hdi_cpu_kernel *k)
{
    if (hdi_cg_tier() == 0 || atomic_exchange(&k->asked, true))
        return;
    hdi_cg_lock_codes(true);
    make_fast(k);
    hdi_cg_lock_codes(false);
}

bool hdi_cpu_kernel_is_quick(hdi_cpu_kernel *k)
{
    return atomic_load_explicit(&k->fast, memory_order_relaxed) == NULL;
}

const hdi_lir *hdi_cpu_kernel_lir(const hdi_cpu_kernel *k)
{
    return k->l;
}

uint8_t *hdi_cpu_kernel_data(const hdi_cpu_kernel *k)
{
    return k->data;
}

static void unload(hdi_lir_code code)
{
    void *address;
    memcpy(&address, &code, sizeof address);
    hdi_cg_unload(address);
}

void hdi_cpu_kernel_release(hdi_cpu_kernel *k)
{
    if (atomic_fetch_sub(&k->refs, 1) > 1)
        return;
    unload(k->quick);
    unload(atomic_load(&k->fast));
    hdi_free(k->data, (size_t)k->l->data_bytes);
    hdi_lir_free(k->l);
    hdi_free(k, sizeof *k);
}

static hd_status copy_data(hdi_cpu_kernel *k)
{
    const size_t bytes = (size_t)k->l->data_bytes;
    if (bytes == 0)
        return HD_OK;
    k->data = hdi_alloc(bytes);
    if (k->data == NULL)
        return hdi_fail(HD_NOMEM, "out of memory for %zu bytes of a kernel's variables", bytes);
    memcpy(k->data, k->l->data, bytes);
    return HD_OK;
}

hd_status hdi_cpu_kernel_new(hdi_lir *l, hdi_cpu_kernel **kernel)
{
    hd_status status;
    hdi_cpu_kernel *k = hdi_calloc(sizeof *k);
    *kernel = k;
    if (k == NULL) {
        hdi_lir_free(l);
        return hdi_fail(HD_NOMEM, "out of memory for a kernel");
    }
    k->l = l;
    atomic_store(&k->refs, 1);
    HD_TRY(hdi_lir_lockstep(l));
    HD_TRY(hdi_lir_place(l));
    HD_TRY(copy_data(k));
    HD_TRY(first_code(k));
done:
    if (status != HD_OK)
        hdi_cpu_kernel_release(k);
    return status;
}
