/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_reply.c - single elements on their way to the host: each has a place in pinned memory and
 * events of its own, so that who waits for one waits neither for what was enqueued later nor for
 * other threads. They go by a stream of their own, for a kernel behind a copy begins 11 us after
 * the one before it, beside a copy 1.4 (H200).
 *
 * A reply that nobody waits for any more (the user was impatient, or the wait failed) may serve
 * again at once: the next copy into it comes later in its stream, and its event with it. The device
 * then waits for that copy itself before it does anything else, since the element may go. */
#include "backend/cuda/cuda_device.h"
#include "base/alloc.h"

enum { AT_ONCE = 16 };   /* replies that are made together */

struct hdi_cuda_reply {
    struct hdi_cuda_reply *next;
    uint8_t *host;
    unsigned recent;         /* the device's nrecent when it was enqueued */
    CUevent ready, done;     /* the element is there; it is on the host. NULL until needed */
};

/* Under the lock. What is made stays as long as the device. */
static hd_status make_more(hdi_cuda *d)
{
    hd_status status = HD_OK;
    uint8_t *host = NULL;
    hdi_cuda_reply *r = hdi_calloc(AT_ONCE * sizeof *r);
    HD_REQUIRE(r != NULL, HD_NOMEM, "out of memory for values from device cuda:%d", d->number);
    HD_TRY(hdi_cuda_check(
        d, hdi_cu.cuMemHostAlloc((void **)&host, AT_ONCE * HDI_CUDA_REPLY, CU_HOSTALLOC_PORTABLE),
        "taking pinned memory for values"));
    for (int k = 0; k < AT_ONCE; k++) {
        r[k] = (hdi_cuda_reply){.next = d->replies, .host = host + k * HDI_CUDA_REPLY};
        d->replies = &r[k];
    }
done:
    if (status != HD_OK)
        hdi_free(r, AT_ONCE * sizeof *r);
    return status;
}

/* What replies need and is made at their first use. */
static hd_status make_ready(hdi_cuda *d, hdi_cuda_reply *r)
{
    hd_status status = HD_OK;
    pthread_mutex_lock(&d->replies_lock);
    if (d->reply_stream == NULL)
        HD_TRY(hdi_cuda_check(d, hdi_cu.cuStreamCreate(&d->reply_stream, CU_STREAM_NON_BLOCKING),
                              "making a stream"));
    if (r->ready == NULL)
        HD_TRY(hdi_cuda_check(d, hdi_cu.cuEventCreate(&r->ready, CU_EVENT_DISABLE_TIMING),
                              "making an event"));
    if (r->done == NULL)
        status = hdi_cuda_check(d, hdi_cu.cuEventCreate(&r->done, CU_EVENT_DISABLE_TIMING),
                                "making an event");
done:
    pthread_mutex_unlock(&d->replies_lock);
    return status;
}

static void give_reply(hdi_cuda *d, hdi_cuda_reply *r)
{
    pthread_mutex_lock(&d->replies_lock);
    r->next = d->replies;
    d->replies = r;
    pthread_mutex_unlock(&d->replies_lock);
}

static hd_status take_reply(hdi_cuda *d, hdi_cuda_reply **out)
{
    pthread_mutex_lock(&d->replies_lock);
    hd_status status = d->replies == NULL ? make_more(d) : HD_OK;
    hdi_cuda_reply *r = *out = d->replies;
    if (r != NULL)
        d->replies = r->next;
    pthread_mutex_unlock(&d->replies_lock);
    if (r != NULL && (status = make_ready(d, r)) != HD_OK)
        give_reply(d, r);
    return status;
}

/* The copy, behind all that was enqueued. */
static hd_status enqueue(hdi_cuda *d, hdi_cuda_reply *r, CUdeviceptr from, int64_t nbytes)
{
    hd_status status = HD_OK;
    r->recent = atomic_load(&d->nrecent);
    HD_TRY(hdi_cuda_check(d, hdi_cu.cuEventRecord(r->ready, d->stream), "recording an event"));
    HD_TRY(hdi_cuda_check(d, hdi_cu.cuStreamWaitEvent(d->reply_stream, r->ready, 0),
                          "ordering streams"));
    HD_TRY(hdi_cuda_check(
        d, hdi_cu.cuMemcpyDtoHAsync(r->host, from, (size_t)nbytes, d->reply_stream),
        "copying to the host"));
    status = hdi_cuda_check(d, hdi_cu.cuEventRecord(r->done, d->reply_stream),
                            "recording an event");
done:
    return status;
}

/* Nobody waits for what may be under way in r. Whatever is wrong was told before. */
static void leave_behind(hdi_cuda *d, const hdi_cuda_reply *r)
{
    if (hdi_cuda_usable(d) &&
        (hdi_cu.cuEventRecord(r->done, d->reply_stream) != CUDA_SUCCESS ||
         hdi_cu.cuStreamWaitEvent(d->stream, r->done, 0) != CUDA_SUCCESS))
        hdi_cu.cuStreamSynchronize(d->reply_stream);
}

hd_status hdi_cuda_reply_begin(hdi_cuda *d, CUdeviceptr from, int64_t nbytes, hdi_cuda_reply **out)
{
    hdi_cuda_reply *r = NULL;
    hd_status status = hdi_cuda_enter(d);
    if (status != HD_OK || (status = take_reply(d, &r)) != HD_OK)
        return status;
    status = enqueue(d, r, from, nbytes);
    if (status == HD_OK) {
        *out = r;
        return HD_OK;
    }
    leave_behind(d, r);
    give_reply(d, r);
    return status;
}

hd_status hdi_cuda_reply_end(hdi_cuda *d, hdi_cuda_reply *r, void *host, int64_t nbytes)
{
    hd_status status = hdi_cuda_enter(d);
    if (status == HD_OK)
        status = hdi_cuda_wait_for(d, r->done, r->recent, "copying to the host");
    if (status == HD_OK)
        memcpy(host, r->host, (size_t)nbytes);
    else
        leave_behind(d, r);
    give_reply(d, r);
    return status;
}
