/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_device.c - opening a device, errors, waiting.
 *
 * Kernels fail behind our back: the driver tells at some later call, and says neither which
 * kernel it was nor recovers. So the device remembers the names of what was enqueued since the
 * last wait that found everything well, and from such an error on it is lost: calls raise, memory
 * is handed out by number only, and the other devices go on. */
#include "backend/cuda/cuda_device.h"

#include "backend/cuda/cuda_batch.h"

#include <stdio.h>
#include <time.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "codegen/cg_compile.h"

/* ---- errors ---------------------------------------------------------------------------------- */

/* Does this error end the context? */
static bool is_final(CUresult r)
{
    switch (r) {
    case CUDA_ERROR_DEINITIALIZED: case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_ILLEGAL_ADDRESS: case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED: case CUDA_ERROR_ASSERT:
        return true;
    default:
        return r >= CUDA_ERROR_HARDWARE_STACK_ERROR && r <= CUDA_ERROR_LAUNCH_FAILED;
    }
}

void hdi_cuda_note(hdi_cuda *d, const char *operation)
{
    unsigned n = atomic_fetch_add_explicit(&d->nrecent, 1, memory_order_relaxed);
    strncpy(d->recent[n % HDI_CUDA_RECENT], operation, HDI_CUDA_NAME - 1);
}

/* "; of add, multiply" */
static void recent_text(const hdi_cuda *d, char *text, size_t size)
{
    unsigned n = atomic_load(&d->nrecent), shown = n < HDI_CUDA_RECENT ? n : HDI_CUDA_RECENT;
    size_t used = 0;
    text[0] = '\0';
    for (unsigned k = n - shown; k < n && used < size; k++) {
        int more = snprintf(text + used, size - used, "%s%s", k == n - shown ? "; it ran " : ", ",
                            d->recent[k % HDI_CUDA_RECENT]);
        used += more > 0 ? (size_t)more : 0;
    }
}

static hd_status refuse(const hdi_cuda *d)
{
    if (atomic_load(&d->unusable) == HDI_CUDA_FORKED)
        return hdi_fail(HD_DEVICE,
                        "device cuda:%d belongs to the parent of this process: CUDA does not "
                        "survive fork(); arrays on the CPU do",
                        d->number);
    return hdi_fail(HD_DEVICE, "device cuda:%d is lost: %s", d->number, d->why);
}

hd_status hdi_cuda_check(hdi_cuda *d, CUresult result, const char *doing)
{
    char error[160], recent[HDI_CUDA_RECENT * (HDI_CUDA_NAME + 2) + 16];
    int fine = HDI_CUDA_FINE;
    if (HDI_LIKELY(result == CUDA_SUCCESS))
        return HD_OK;
    hdi_cuda_error_text(result, error, sizeof error);
    if (!is_final(result))
        return hdi_fail(result == CUDA_ERROR_OUT_OF_MEMORY ? HD_NOMEM : HD_DEVICE,
                        "device cuda:%d: %s failed with %s", d->number, doing, error);
    pthread_mutex_lock(&d->events_lock);
    if (atomic_load(&d->unusable) == fine) {
        recent_text(d, recent, sizeof recent);
        snprintf(d->why, sizeof d->why, "%s failed with %s%s", doing, error, recent);
        atomic_store(&d->unusable, HDI_CUDA_LOST);
    }
    pthread_mutex_unlock(&d->events_lock);
    return refuse(d);
}

hd_status hdi_cuda_enter(hdi_cuda *d)
{
    if (HDI_UNLIKELY(!hdi_cuda_usable(d)))
        return refuse(d);
    /* each time: another library may have made its own context the thread's */
    return hdi_cuda_check(d, hdi_cu.cuCtxSetCurrent(d->context), "entering its context");
}

/* ---- waiting --------------------------------------------------------------------------------- */

/* A copy from pageable memory may return while its last bytes are under way, and our streams do not
 * wait for the default one. */
hd_status hdi_cuda_settle(hdi_cuda *d)
{
    return hdi_cuda_check(d, hdi_cu.cuCtxSynchronize(), "waiting for a library's tables");
}

int hdi_cuda_handle(hdi_cuda *d, hdi_cuda_create *create, void **handle)
{
    if (*handle != NULL)
        return 0;
    int code = create(handle);
    if (code != 0 && hdi_cuda_make_room(d))
        code = create(handle);
    if (code == 0)
        return hdi_cuda_settle(d) == HD_OK ? 0 : -1;
    *handle = NULL;
    return code;
}

hd_status hdi_cuda_event(hdi_cuda *d, CUevent *event)
{
    CUevent e = NULL;
    hd_status status = HD_OK;
    pthread_mutex_lock(&d->events_lock);
    if (d->nevents > 0)
        e = d->events[--d->nevents];
    pthread_mutex_unlock(&d->events_lock);
    if (e == NULL)
        HD_TRY(hdi_cuda_check(d, hdi_cu.cuEventCreate(&e, CU_EVENT_DISABLE_TIMING),
                              "making an event"));
    HD_TRY(hdi_cuda_check(d, hdi_cu.cuEventRecord(e, d->stream), "recording an event"));
    *event = e;
done:
    if (status != HD_OK && e != NULL)
        hdi_cuda_event_drop(d, e);
    return status;
}

void hdi_cuda_event_drop(hdi_cuda *d, CUevent event)
{
    enum { ROOM = (int)(sizeof d->events / sizeof *d->events) };
    if (!hdi_cuda_usable(d))
        return;
    pthread_mutex_lock(&d->events_lock);
    bool keep = d->nevents < ROOM;
    if (keep)
        d->events[d->nevents++] = event;
    pthread_mutex_unlock(&d->events_lock);
    if (!keep)
        hdi_cu.cuEventDestroy(event);
}

/* Most waits are for microseconds, and waking a sleeping thread takes more: so it spins for as
 * long as a large kernel may take, and then sleeps for a hundredth of what it has waited. (With
 * naps from 200 us on, a kernel of 390 us was waited for 480.) */
hd_status hdi_cuda_wait_until(hdi_cuda *d, hdi_cuda_ask *ask, void *of, unsigned then,
                              const char *doing)
{
    enum { SPIN = 20000000, POLL = 2000000, NAP_MAX = 1000000 };
    int64_t started = hdi_now_ns(CLOCK_MONOTONIC), polled = started;
    for (;;) {
        CUresult r = ask(of);
        if (r == CUDA_SUCCESS)
            break;
        if (r != CUDA_ERROR_NOT_READY)
            return hdi_cuda_check(d, r, doing);
        int64_t now = hdi_now_ns(CLOCK_MONOTONIC);
        if (now - polled > POLL) {
            polled = now;
            if (hdi_poll_interrupt != NULL && hdi_poll_interrupt())
                return hdi_fail(HD_INTERRUPTED, "stopped by the user");
        }
        if (now - started > SPIN)
            nanosleep(&(struct timespec){0, (long)hdi_min64((now - started) / 100, NAP_MAX)},
                      NULL);
    }
    /* if nothing was enqueued since, all is well: older names need not be told */
    atomic_compare_exchange_strong(&d->nrecent, &then, 0);
    return HD_OK;
}

static CUresult ask_event(void *event)
{
    return hdi_cu.cuEventQuery(*(CUevent *)event);
}

hd_status hdi_cuda_wait(hdi_cuda *d, CUevent event, const char *doing)
{
    return hdi_cuda_wait_until(d, ask_event, &event, atomic_load(&d->nrecent), doing);
}

/* ---- opening --------------------------------------------------------------------------------- */

static hd_status read_limits(hdi_cuda *d)
{
    const struct { int attribute, *value; } wanted[] = {
        {CU_ATTRIBUTE_MAJOR, &d->limits.major},
        {CU_ATTRIBUTE_MINOR, &d->limits.minor},
        {CU_ATTRIBUTE_SMS, &d->limits.sms},
        {CU_ATTRIBUTE_WARP_SIZE, &d->limits.warp},
        {CU_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &d->limits.threads_per_block},
        {CU_ATTRIBUTE_MAX_THREADS_PER_SM, &d->limits.threads_per_sm},
        {CU_ATTRIBUTE_REGISTERS_PER_SM, &d->limits.registers_per_sm},
        {CU_ATTRIBUTE_SHARED_PER_BLOCK, &d->limits.shared_per_block},
        {CU_ATTRIBUTE_SHARED_OPTIN, &d->limits.shared_optin},
        {CU_ATTRIBUTE_SHARED_PER_SM, &d->limits.shared_per_sm},
        {CU_ATTRIBUTE_L2_BYTES, &d->limits.l2_bytes},
    };
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
        hd_status status = hdi_cuda_check(
            d, hdi_cu.cuDeviceGetAttribute(wanted[k].value, wanted[k].attribute, d->device),
            "asking what it can do");
        if (status != HD_OK)
            return status;
    }
    return HD_OK;
}

static hd_status open_context(hdi_cuda *d)
{
    hd_status status = HD_OK;
    size_t bytes = 0;
    HD_TRY(hdi_cuda_check(d, hdi_cu.cuDeviceGet(&d->device, d->number), "finding it"));
    HD_TRY(hdi_cuda_check(d, hdi_cu.cuDeviceGetName(d->name, sizeof d->name, d->device),
                          "asking its name"));
    HD_TRY(hdi_cuda_check(d, hdi_cu.cuDeviceTotalMem(&bytes, d->device), "asking its memory"));
    d->total_bytes = (int64_t)bytes;
    HD_TRY(read_limits(d));
    HD_TRY(hdi_cuda_check(d, hdi_cu.cuDevicePrimaryCtxRetain(&d->context, d->device),
                          "making its context"));
    HD_TRY(hdi_cuda_enter(d));
    HD_TRY(hdi_cuda_check(d, hdi_cu.cuStreamCreate(&d->own, CU_STREAM_NON_BLOCKING),
                          "making a stream"));
    d->stream = d->own;
    status = hdi_cuda_memory_open(d);
done:
    return status;
}

hd_status hdi_cuda_open(int number, hdi_cuda **out)
{
    hdi_cuda *d = NULL;
    hd_status status = hdi_cuda_driver();
    if (status != HD_OK)
        return status;
    HD_REQUIRE(number < hdi_cuda_count(), HD_DEVICE, "there is no device cuda:%d; there are %d",
               number, hdi_cuda_count());
    HD_REQUIRE((d = hdi_calloc(sizeof *d)) != NULL, HD_NOMEM, "out of memory for device cuda:%d",
               number);
    d->number = number;
    hdi_cg_watch_forks();
    pthread_mutex_init(&d->events_lock, NULL);
    pthread_mutex_init(&d->in.lock, NULL);
    pthread_mutex_init(&d->out.lock, NULL);
    pthread_mutex_init(&d->replies_lock, NULL);
    HD_TRY(open_context(d));
    HD_TRY(hdi_cuda_batch_open(d));
    *out = d;
done:
    if (status != HD_OK)
        hdi_free(d, sizeof *d);
    return status;
}
