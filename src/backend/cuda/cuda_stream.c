/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_stream.c - streams and events for the user. A handle is the driver's, so that other
 * libraries can be given it and theirs can be used here. */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "backend/cuda/cuda_device.h"

static CUstream stream_of(uintptr_t handle) { return (CUstream)handle; }
static CUevent event_of(uintptr_t handle) { return (CUevent)handle; }

/* The driver takes a handle for the address of its stream and reads there, whatever it is. Where
 * nothing lies there is no stream; more cannot be known. 0, 1 and 2 are names. */
static hd_status check_handle(const hdi_cuda *d, uintptr_t handle)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    unsigned char there;
    if (handle <= 2 || stream_of(handle) == d->stream || stream_of(handle) == d->own)
        return HD_OK;
    if (handle % sizeof(void *) == 0 &&
        (mincore((void *)(handle - handle % page), 1, &there) == 0 || errno != ENOMEM))
        return HD_OK;
    return hdi_fail(HD_VALUE, "%llu is no stream: nothing lies at this address",
                    (unsigned long long)handle);
}

static hd_status make(void *state, bool non_blocking, uintptr_t *stream)
{
    CUstream s = NULL;
    hd_status status = hdi_cuda_enter(state);
    if (status == HD_OK)
        status = hdi_cuda_check(
            state,
            hdi_cu.cuStreamCreate(&s, non_blocking ? CU_STREAM_NON_BLOCKING : CU_STREAM_BLOCKING),
            "making a stream");
    *stream = (uintptr_t)s;
    return status;
}

static uintptr_t own(void *state) { return (uintptr_t)((hdi_cuda *)state)->own; }
static uintptr_t current(void *state) { return (uintptr_t)((hdi_cuda *)state)->stream; }

static hd_status order(void *state, uintptr_t earlier, uintptr_t later)
{
    hdi_cuda *d = state;
    CUevent e = NULL;
    hd_status status = hdi_cuda_enter(d);
    if (status != HD_OK || earlier == later)
        return status;
    HD_TRY(check_handle(d, earlier));
    HD_TRY(check_handle(d, later));
    HD_TRY(hdi_cuda_event(d, &e));
    HD_TRY(hdi_cuda_check(d, hdi_cu.cuEventRecord(e, stream_of(earlier)), "recording an event"));
    status = hdi_cuda_check(d, hdi_cu.cuStreamWaitEvent(stream_of(later), e, 0),
                            "making a stream wait");
done:
    if (e != NULL)
        hdi_cuda_event_drop(d, e);   /* whoever waits for it has noted what for */
    return status;
}

static hd_status use(void *state, uintptr_t stream)
{
    hdi_cuda *d = state;
    pthread_mutex_lock(&d->in.lock);
    pthread_mutex_lock(&d->out.lock);
    hd_status status = order(state, (uintptr_t)d->stream, stream);
    pthread_mutex_lock(&d->memory.lock);
    if (status == HD_OK)
        d->stream = stream_of(stream);
    pthread_mutex_unlock(&d->memory.lock);
    pthread_mutex_unlock(&d->out.lock);
    pthread_mutex_unlock(&d->in.lock);
    return status;
}

static hd_status destroy(void *state, uintptr_t stream)
{
    hdi_cuda *d = state;
    if (!hdi_cuda_usable(d))   /* it went with the context */
        return HD_OK;
    hd_status status = d->stream == stream_of(stream) ? use(state, (uintptr_t)d->own)
                                                      : hdi_cuda_enter(d);
    return status != HD_OK ? status : hdi_cuda_check(d, hdi_cu.cuStreamDestroy(stream_of(stream)),
                                                     "freeing a stream");
}

/* CUDA_SUCCESS and CUDA_ERROR_NOT_READY are both answers. */
static hd_status answer(hdi_cuda *d, CUresult r, bool *over)
{
    *over = r == CUDA_SUCCESS;
    return r == CUDA_ERROR_NOT_READY ? HD_OK : hdi_cuda_check(d, r, "asking for what has run");
}

static hd_status query(void *state, uintptr_t stream, bool *over)
{
    hd_status status = hdi_cuda_enter(state);
    if (status == HD_OK)
        status = check_handle(state, stream);
    return status != HD_OK ? status
                           : answer(state, hdi_cu.cuStreamQuery(stream_of(stream)), over);
}

static hd_status wait_stream(void *state, uintptr_t stream)
{
    hdi_cuda *d = state;
    CUevent e = NULL;
    hd_status status = hdi_cuda_enter(d);
    if (status != HD_OK)
        return status;
    HD_TRY(check_handle(d, stream));
    HD_TRY(hdi_cuda_event(d, &e));
    HD_TRY(hdi_cuda_check(d, hdi_cu.cuEventRecord(e, stream_of(stream)), "recording an event"));
    status = hdi_cuda_wait(d, e, "waiting for a stream");
done:
    if (e != NULL)
        hdi_cuda_event_drop(d, e);
    return status;
}

static hd_status event_make(void *state, bool timed, bool blocking, uintptr_t *event)
{
    CUevent e = NULL;
    unsigned flags = (timed ? CU_EVENT_TIMED : CU_EVENT_DISABLE_TIMING) |
                     (blocking ? CU_EVENT_BLOCKING_SYNC : 0u);
    hd_status status = hdi_cuda_enter(state);
    if (status == HD_OK)
        status = hdi_cuda_check(state, hdi_cu.cuEventCreate(&e, flags), "making an event");
    *event = (uintptr_t)e;
    return status;
}

static hd_status event_destroy(void *state, uintptr_t event)
{
    hdi_cuda *d = state;
    if (!hdi_cuda_usable(d))
        return HD_OK;
    hd_status status = hdi_cuda_enter(d);
    return status != HD_OK
               ? status
               : hdi_cuda_check(d, hdi_cu.cuEventDestroy(event_of(event)), "freeing an event");
}

static hd_status event_put(void *state, uintptr_t event, uintptr_t stream)
{
    hd_status status = hdi_cuda_enter(state);
    if (status == HD_OK)
        status = check_handle(state, stream);
    if (status != HD_OK)
        return status;
    return hdi_cuda_check(state, hdi_cu.cuEventRecord(event_of(event), stream_of(stream)),
                          "recording an event");
}

static hd_status event_query(void *state, uintptr_t event, bool *over)
{
    hd_status status = hdi_cuda_enter(state);
    return status != HD_OK ? status : answer(state, hdi_cu.cuEventQuery(event_of(event)), over);
}

static hd_status event_wait(void *state, uintptr_t event)
{
    hd_status status = hdi_cuda_enter(state);
    return status != HD_OK ? status
                           : hdi_cuda_wait(state, event_of(event), "waiting for an event");
}

static hd_status event_order(void *state, uintptr_t event, uintptr_t later)
{
    hd_status status = hdi_cuda_enter(state);
    if (status == HD_OK)
        status = check_handle(state, later);
    return status != HD_OK
               ? status
               : hdi_cuda_check(state,
                                hdi_cu.cuStreamWaitEvent(stream_of(later), event_of(event), 0),
                                "making a stream wait");
}

static hd_status elapsed(void *state, uintptr_t first, uintptr_t last, double *ms)
{
    float between = 0;
    hd_status status = hdi_cuda_enter(state);
    if (status == HD_OK)
        status = hdi_cuda_check(
            state, hdi_cu.cuEventElapsedTime(&between, event_of(first), event_of(last)),
            "asking for the time between two events");
    *ms = (double)between;
    return status;
}

static hd_status wait_all(void *state)
{
    hd_status status = hdi_cuda_enter(state);
    return status != HD_OK ? status
                           : hdi_cuda_check(state, hdi_cu.cuCtxSynchronize(),
                                            "waiting for the device");
}

static hd_status check_pointer(void *state, const void *ptr)
{
    const hdi_cuda *d = state;
    unsigned type = 0;
    int ordinal = -1;
    hd_status status = hdi_cuda_enter(state);
    if (status != HD_OK)
        return status;
    CUdeviceptr p = (CUdeviceptr)(uintptr_t)ptr;
    if (hdi_cu.cuPointerGetAttribute(&type, CU_POINTER_MEMORY_TYPE, p) != CUDA_SUCCESS ||
        type != CU_MEMORYTYPE_DEVICE)
        return hdi_fail(HD_VALUE, "address %p is not in the memory of a CUDA device", ptr);
    if (hdi_cu.cuPointerGetAttribute(&ordinal, CU_POINTER_DEVICE_ORDINAL, p) != CUDA_SUCCESS ||
        ordinal != d->device)
        return hdi_fail(HD_VALUE, "address %p is in the memory of cuda:%d, not of cuda:%d", ptr,
                        ordinal, d->number);
    return HD_OK;
}

const hdi_streams hdi_cuda_streams = {
    .make = make,
    .destroy = destroy,
    .own = own,
    .current = current,
    .use = use,
    .query = query,
    .wait = wait_stream,
    .order = order,
    .event_make = event_make,
    .event_destroy = event_destroy,
    .event_put = event_put,
    .event_query = event_query,
    .event_wait = event_wait,
    .event_order = event_order,
    .elapsed = elapsed,
    .wait_all = wait_all,
    .check_pointer = check_pointer,
};
