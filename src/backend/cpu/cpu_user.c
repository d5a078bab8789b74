/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_user.c - kernels of the user's own: blocks as tasks of the pool. */
#include "backend/cpu/cpu_user.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "backend/cpu/cpu_builder.h"
#include "backend/cpu/cpu_scratch.h"
#include "backend/cpu/cpu_user_print.h"
#include "backend/xcall.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/pool.h"
#include "codegen/cg_compile.h"
#include "codegen/cg_lir.h"
#include "core/object.h"
#include "lir/passes.h"

typedef struct hdi_cpu_kernel {
    hdi_lir *l;
    hdi_lir_code code;
} hdi_cpu_kernel;

/* ---- what the code calls --------------------------------------------------------------------- */

/* A launch while it runs. */
typedef struct run {
    hdi_lir_call call;         /* the first member: ask() is given it */
    const hdi_cpu_kernel *k;
    int64_t blocks, piece;     /* of the grid, of a task */
    int64_t shared, room;      /* bytes that a task takes */
    pthread_t owner;           /* the thread that launches */
    int64_t asked;             /* when the host was asked last */
    int64_t wanted;            /* when it said yes, which it says once; 0: it did not */
    atomic_int ended;          /* HDI_LIR_STOPPED, HDI_LIR_TRAPPED; HDI_LIR_RAN: goes on */
} run;

/* The host gets its thread back between two blocks. Where a block goes on for so long after it was
 * wanted, it is given up. */
enum { ASK_EVERY = 5000000, GIVE_UP = 1000000000 };

static int32_t ask(const hdi_lir_call *call)
{
    run *r = (run *)(uintptr_t)call;
    if (atomic_load_explicit(&r->ended, memory_order_relaxed) != HDI_LIR_RAN)
        return 1;
    if (!pthread_equal(pthread_self(), r->owner) || hdi_poll_interrupt == NULL)
        return 0;
    const int64_t now = hdi_now_ns(CLOCK_MONOTONIC_COARSE);
    if (now - r->asked < ASK_EVERY)
        return 0;
    r->asked = now;
    if (r->wanted == 0 && hdi_poll_interrupt())
        r->wanted = now;
    if (r->wanted == 0 || now - r->wanted < GIVE_UP)
        return 0;
    atomic_store(&r->ended, HDI_LIR_STOPPED);
    return 1;
}

static _Thread_local run *own_run __attribute__((tls_model("initial-exec")));

/* Between two tasks. */
static bool is_wanted(void)
{
    return own_run->wanted != 0 || (hdi_poll_interrupt != NULL && hdi_poll_interrupt());
}

typedef void (*any_code)(void);
typedef struct outside { const char *name; any_code code; } outside;

/* Functions that reals have no text for. */
#define ONE(f, single) \
    {#f, (any_code)(double (*)(double))f}, {#single, (any_code)(float (*)(float))single}
#define TWO(f, single)                             \
    {#f, (any_code)(double (*)(double, double))f}, \
    {#single, (any_code)(float (*)(float, float))single}
static const outside functions[] = {
    {HDI_LIR_ASK_NAME, (any_code)ask},
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

/* ---- kernels --------------------------------------------------------------------------------- */

hd_status hdi_cpu_user_kernel(void *state, hdi_lir *l, uintptr_t *function)
{
    (void)state;
    const hdi_lir_target t = {.isa = (uint8_t)hdi_cpu_isa(), .small_grid = true};
    hdi_cpu_kernel *k = hdi_calloc(sizeof *k);
    hd_status status = k != NULL ? HD_OK : hdi_fail(HD_NOMEM, "out of memory for a kernel");
    if (status == HD_OK)
        status = hdi_lir_lockstep(l);
    if (status == HD_OK)
        status = hdi_lir_place(l);
    if (status == HD_OK && (k->code = hdi_cg_lir_code(l, &t, resolve, NULL)) == NULL)
        status = hd_error_peek()->code;
    if (status != HD_OK) {
        hdi_free(k, sizeof *k);
        hdi_lir_free(l);
        return status;
    }
    k->l = l;
    *function = (uintptr_t)k;
    return HD_OK;
}

void hdi_cpu_user_free(void *state, uintptr_t function)
{
    hdi_cpu_kernel *k = (hdi_cpu_kernel *)function;
    void *code;
    (void)state;
    memcpy(&code, &k->code, sizeof code);
    hdi_cg_unload(code);
    hdi_lir_free(k->l);
    hdi_free(k, sizeof *k);
}

/* ---- launches -------------------------------------------------------------------------------- */

static bool run_piece(void *ctx, int64_t task)
{
    run *r = ctx;
    const int64_t first = task * r->piece, last = hdi_min64(first + r->piece, r->blocks);
    if (atomic_load_explicit(&r->ended, memory_order_relaxed) != HDI_LIR_RAN)
        return true;
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    uint8_t *memory = hdi_cpu_scratch(r->room);
    if (memory != NULL) {
        const int32_t how = r->k->code(&r->call, memory, memory + r->shared, first, last);
        if (how != HDI_LIR_RAN)
            atomic_store(&r->ended, how);
    }
    hdi_cpu_scratch_release(mark);
    return memory != NULL;
}

/* Does the launch take longer than waking a thread? */
static bool is_long(const hdi_grid_launch *l)
{
    enum { LONG_WORK = 1 << 20 };
    return l->work >= LONG_WORK;
}

/* Blocks of a task: so many threads as are worth handing out; of a long launch not more than a
 * share for each thread of the pool. Large grids have more tasks, since blocks take different
 * times. */
static int64_t piece_of(const hdi_grid_launch *l, int64_t blocks, int64_t threads)
{
    enum { WORTH = 1 << 16, SHARES = 8 };
    const int64_t pool = hdi_pool_threads();
    int64_t worth = hdi_min64(WORTH / hdi_max64(threads, 1) + 1, blocks);
    if (is_long(l))
        worth = hdi_min64(worth, (blocks + pool - 1) / pool);
    return hdi_max64(worth, blocks / (SHARES * pool) + 1);
}

static hd_status run_grid(run *r, hdi_grid_launch *l)
{
    int64_t next = l->next;
    const int64_t tasks = (r->blocks + r->piece - 1) / r->piece;
    run *around = own_run;
    own_run = r;
    hd_status status = (is_long(l) ? hdi_pool_run_long : hdi_pool_run)(
        tasks, run_piece, r, &next, is_wanted);
    own_run = around;
    l->next = next;
    const int how = atomic_load(&r->ended);
    if (how == HDI_LIR_STOPPED)
        return hdi_fail(HD_DEVICE, "%s was stopped within a block, which had not ended a second "
                        "after the user wanted to stop: its arrays are half written", l->name);
    if (how == HDI_LIR_TRAPPED) {
        char what[400];
        hdi_cpu_user_trapped(what, sizeof what);
        return hdi_fail(HD_DEVICE, "%s: %s", l->name, what);
    }
    return status == HD_NOMEM ? hdi_fail(HD_NOMEM, "out of memory for a block of %s", l->name)
                              : status;
}

hd_status hdi_cpu_user_grid(const hdi_xcall *x)
{
    hdi_grid_launch *l = (hdi_grid_launch *)x->payload.object;
    const hdi_cpu_kernel *k = (const hdi_cpu_kernel *)l->function;
    const int64_t threads = (int64_t)l->block[0] * l->block[1] * l->block[2];
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    const int64_t n = hdi_max64(l->nargs, 1);
    uint64_t *address = hdi_cpu_scratch(n * (int64_t)sizeof *address);
    void **args = hdi_cpu_scratch(n * (int64_t)sizeof *args);
    hd_status status = HD_OK;
    HD_REQUIRE(address != NULL && args != NULL, HD_NOMEM, "out of memory to launch %s", l->name);
    run r = {.k = k, .owner = pthread_self(), .call = {.args = (const void *const *)args,
                                                        .data = k->l->data}};
    hdi_xcall_grid_args(x, l, address, args);
    memcpy(r.call.grid, l->grid, sizeof l->grid);
    memcpy(r.call.block, l->block, sizeof l->block);
    r.blocks = (int64_t)l->grid[0] * l->grid[1] * l->grid[2];
    r.piece = piece_of(l, r.blocks, threads);
    r.shared = (k->l->shared_bytes + l->shared_bytes + 63) & ~(int64_t)63;
    r.room = r.shared + k->l->spread_bytes * threads + 64;
    HD_REQUIRE(hdi_cpu_scratch_reserve(r.room), HD_NOMEM, "out of memory for a block of %s",
               l->name);
    status = run_grid(&r, l);
done:
    hdi_cpu_scratch_release(mark);
    return status;
}
