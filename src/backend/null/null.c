/* SPDX-License-Identifier: BSD-3-Clause */
/* null.c - a back end that plans everything and computes nothing: windows, fusion and plans are
 * tested and timed on it alone. Addresses it hands out name memory that does not exist. */
#include <stdatomic.h>

#include "backend/backend.h"

static _Atomic(int64_t) used, peak;

static hd_status open_device(int number, void **state)
{
    (void)number;
    *state = NULL;
    return HD_OK;
}

/* Addresses from a range that no process has, each block its own. */
static void *alloc(void *state, int64_t nbytes)
{
    static _Atomic(uint64_t) next = (uint64_t)1 << 56;
    (void)state;
    if (nbytes < 0 || nbytes > (int64_t)1 << 46)
        return NULL;
    int64_t now = atomic_fetch_add(&used, nbytes) + nbytes, high = atomic_load(&peak);
    while (now > high && !atomic_compare_exchange_weak(&peak, &high, now))
        ;
    return (void *)(uintptr_t)atomic_fetch_add(&next, ((uint64_t)nbytes + 127) & ~(uint64_t)63);
}

static void release(void *state, void *ptr, int64_t nbytes)
{
    (void)state;
    if (ptr != NULL)
        atomic_fetch_sub(&used, nbytes);
}

static int64_t trim(void *state)
{
    (void)state;
    return 0;
}

static void memory_stats(void *state, hdi_memory_stats *out, bool reset_peak)
{
    (void)state;
    *out = (hdi_memory_stats){.used = atomic_load(&used), .peak = atomic_load(&peak)};
    if (reset_peak)
        atomic_store(&peak, atomic_load(&used));
}

static hd_status copy_in(void *state, void *to, const void *host, int64_t nbytes)
{
    (void)state;
    (void)to;
    (void)host;
    (void)nbytes;
    return HD_OK;
}

static hd_status copy_out(void *state, void *host, const void *from, int64_t nbytes)
{
    (void)state;
    (void)host;
    (void)from;
    (void)nbytes;
    return hdi_fail(HD_DEVICE, "the null device computes nothing");
}

static hd_status compile(void *state, const hdi_kernel *k, void **program)
{
    static char something;
    (void)state;
    (void)k;
    *program = &something;
    return HD_OK;
}

static void destroy(void *state, void *program)
{
    (void)state;
    (void)program;
}

static hd_status launch(void *state, hdi_launch *l)
{
    (void)state;
    (void)l;
    return HD_OK;
}

static hd_status library(void *state, const hdi_xcall *x)
{
    (void)state;
    (void)x;
    return HD_OK;
}

static void forget(void *state, hdi_launch *l)
{
    (void)state;
    l->progress = NULL;
}

static hd_status event_record(void *state, uint64_t *event)
{
    (void)state;
    *event = 0;
    return HD_OK;
}

static hd_status event_wait(void *state, uint64_t event)
{
    (void)state;
    (void)event;
    return HD_OK;
}

static int threads(void *state)
{
    (void)state;
    return 1;
}

static hd_status set_threads(void *state, int n)
{
    (void)state;
    (void)n;
    return HD_OK;
}

static void around_fork(void *state)
{
    (void)state;
}

const hdi_backend hdi_backend_null = {
    .name = "null",
    .runs = false,
    .host_memory = false,
    .open = open_device,
    .alloc = alloc,
    .free = release,
    .trim = trim,
    .memory_stats = memory_stats,
    .copy_in = copy_in,
    .copy_out = copy_out,
    .compile = compile,
    .destroy = destroy,
    .launch = launch,
    .library = library,
    .forget = forget,
    .event_record = event_record,
    .event_wait = event_wait,
    .threads = threads,
    .set_threads = set_threads,
    .before_fork = around_fork,
    .after_fork = around_fork,
};
