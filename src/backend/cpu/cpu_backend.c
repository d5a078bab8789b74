/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_backend.c - the host as a back end: synchronous, its memory is the host's own. */
#include <fenv.h>
#include <pthread.h>

#include <heddle/faults.h>

#include "backend/backend.h"
#include "backend/cpu/cpu_exec.h"
#include "backend/cpu/cpu_fft_plan.h"
#include "backend/cpu/cpu_library.h"
#include "backend/cpu/cpu_memory.h"
#include "backend/cpu/cpu_small.h"
#include "backend/cpu/cpu_tier.h"
#include "backend/cpu/cpu_turns.h"
#include "backend/cpu/cpu_user.h"
#include "base/pool.h"
#include "codegen/cg_compile.h"

static void watch_forks(void)
{
    /* the parent; the child's turn is after_fork() below */
    pthread_atfork(NULL, hdi_cpu_memory_after_fork, NULL);
    hdi_cg_watch_forks();
}

static hd_status open_device(int number, void **state)
{
    (void)number;
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    *state = hdi_cpu_compiler();   /* memory and threads are the process's */
    return HD_OK;
}

static void *alloc(void *state, int64_t nbytes)
{
    (void)state;
    return hdi_cpu_alloc(nbytes);
}

static void release(void *state, void *ptr, int64_t nbytes)
{
    (void)state;
    hdi_cpu_free(ptr, nbytes);
}

static int64_t block_bytes(void *state, const void *ptr, int64_t nbytes)
{
    (void)state;
    return hdi_cpu_block_bytes(ptr, nbytes);
}

static int64_t capacity(void *state)
{
    (void)state;
    return hdi_cpu_capacity();
}

static int64_t trim(void *state)
{
    (void)state;
    hdi_cpu_fft_trim();
    return hdi_cpu_trim();
}

static void memory_stats(void *state, hdi_memory_stats *out, bool reset_peak)
{
    (void)state;
    hdi_cpu_memory_stats(out, reset_peak);
}

/* ---- copies ---------------------------------------------------------------------------------- */

enum { COPY_PIECE = 1 << 20, COPY_PAGES = 1 << 21, COPY_PAGES_FROM = 1 << 23 };

typedef struct copy { uint8_t *to; const uint8_t *from; int64_t nbytes, piece; } copy;

/* Pieces in parallel: most of the time of a large copy goes into the first touch of new pages. */
static bool copy_piece(void *ctx, int64_t task)
{
    const copy *c = ctx;
    int64_t at = task * c->piece;
    memcpy(c->to + at, c->from + at, (size_t)hdi_min64(c->piece, c->nbytes - at));
    return true;
}

/* Pieces of a large copy are huge pages: two threads that touch the halves of a new one at the same
 * time both clear a whole one, and one of these is thrown away (160 MB: 10.8 ms, else 9.4). Tried
 * and lost: stores past the cache (memory is the limit either way), MADV_POPULATE_WRITE (50 ms
 * instead of 55 on one thread where the system has no huge pages, and 6 ms more where the pages are
 * there). */
static hd_status copy_bytes(void *state, void *to, const void *from, int64_t nbytes)
{
    copy c = {to, from, nbytes, nbytes < COPY_PAGES_FROM ? COPY_PIECE : COPY_PAGES};
    int64_t next = 0;
    (void)state;
    if (nbytes > 0)
        hdi_pool_run((nbytes + c.piece - 1) / c.piece, copy_piece, &c, &next, NULL);
    return HD_OK;
}

/* ---- queue and threads ----------------------------------------------------------------------- */

static hd_status event_record(void *state, uint64_t *event)
{
    (void)state;
    *event = 0;   /* a launch has finished when it returns */
    return HD_OK;
}

static hd_status event_wait(void *state, uint64_t event)
{
    (void)state;
    (void)event;
    return HD_OK;
}

/* ---- faults ---------------------------------------------------------------------------------- */

static int watch(void *state, bool on)
{
    (void)state;
    hdi_pool_watch(on);
    hdi_cpu_watched(on);
    if (on) {
        feclearexcept(FE_ALL_EXCEPT);
        return 0;
    }
    int raised = fetestexcept(FE_ALL_EXCEPT);
    return (raised & FE_DIVBYZERO ? HD_FAULT_DIVIDE : 0) |
           (raised & FE_OVERFLOW ? HD_FAULT_OVERFLOW : 0) |
           (raised & FE_UNDERFLOW ? HD_FAULT_UNDERFLOW : 0) |
           (raised & FE_INVALID ? HD_FAULT_INVALID : 0);
}

/* ---- tiers ----------------------------------------------------------------------------------- */

static int set_tier(void *state, int wish)
{
    int old = hdi_cg_tier();
    (void)state;
    hdi_cg_set_tier(wish);
    return old;
}

static int tier(void *state, const void *program)
{
    (void)state;
    return hdi_cpu_tier_of(program);
}

static int threads(void *state)
{
    (void)state;
    return hdi_pool_threads();
}

static hd_status set_threads(void *state, int n)
{
    (void)state;
    return hdi_pool_set_threads(n);
}

static void before_fork(void *state)
{
    (void)state;
    hdi_cpu_memory_before_fork();   /* the pool looks after itself */
}

static void after_fork(void *state)
{
    (void)state;
    hdi_cpu_memory_after_fork();
}

const hdi_backend hdi_backend_cpu = {
    .name = "cpu",
    .parallel = true,
    .runs = true,
    .host_memory = true,
    .open = open_device,
    .alloc = alloc,
    .free = release,
    .block_bytes = block_bytes,
    .trim = trim,
    .capacity = capacity,
    .memory_stats = memory_stats,
    .copy_in = copy_bytes,
    .copy_out = copy_bytes,
    .compile = hdi_cpu_compile,
    .destroy = hdi_cpu_destroy,
    .launch = hdi_cpu_launch,
    .library = hdi_cpu_library,
    .user_kernel = hdi_cpu_user_kernel,
    .user_free = hdi_cpu_user_free,
    .begin_call = hdi_cpu_begin_call,
    .end_call = hdi_cpu_end_call,
    .run_small = hdi_cpu_run_small,
    .run_mirrored = hdi_cpu_run_mirrored,
    .small_most = hdi_cpu_small_most,
    .forget = hdi_cpu_forget,
    .event_record = event_record,
    .event_wait = event_wait,
    .watch = watch,
    .set_tier = set_tier,
    .tier = tier,
    .info = hdi_cpu_info,
    .threads = threads,
    .set_threads = set_threads,
    .before_fork = before_fork,
    .after_fork = after_fork,
    .before_exit = hdi_cg_end,
};
