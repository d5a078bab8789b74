/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_peer.c - copies from one GPU to another, without the host: peer to peer where the driver
 * can, else the driver takes them through the host's memory itself.
 *
 * A copy is work of both devices. It goes to the source's stream, behind what the target's stream
 * has so far, since its memory may still be in use there; then the target's stream waits for it. So
 * each device's work stays in one order, and memory that is freed can be given out at once. */
#include "backend/cuda/cuda_device.h"

/* Every pair of devices is introduced once, whichever of them copies first. */
static pthread_mutex_t introducing = PTHREAD_MUTEX_INITIALIZER;
static uint64_t introduced[HDI_CUDA_PEERS];   /* a bit for each other device */

/* Memory of a's becomes accessible to b. Where that fails the driver finds another way. */
static void open_memory(const hdi_cuda *a, const hdi_cuda *b)
{
    const CUmemAccessDesc to_b = {1, b->device, CU_MEM_ACCESS_READ_WRITE};
    if (a->memory.pool != NULL)
        hdi_cu.cuMemPoolSetAccess(a->memory.pool, &to_b, 1);
    if (hdi_cu.cuCtxSetCurrent(b->context) == CUDA_SUCCESS)   /* for memory from outside the pool */
        hdi_cu.cuCtxEnablePeerAccess(a->context, 0);
}

static void introduce(const hdi_cuda *a, const hdi_cuda *b)
{
    int there = 0, back = 0;
    if (a->number >= HDI_CUDA_PEERS || b->number >= HDI_CUDA_PEERS)
        return;
    pthread_mutex_lock(&introducing);
    const bool known = introduced[a->number] >> b->number & 1;
    introduced[a->number] |= (uint64_t)1 << b->number;
    introduced[b->number] |= (uint64_t)1 << a->number;
    if (!known && hdi_cu.cuDeviceCanAccessPeer(&there, a->device, b->device) == CUDA_SUCCESS &&
        hdi_cu.cuDeviceCanAccessPeer(&back, b->device, a->device) == CUDA_SUCCESS && there &&
        back) {
        open_memory(a, b);
        open_memory(b, a);
    }
    pthread_mutex_unlock(&introducing);
}

/* What is given to d's stream from here on runs after what was given to e's. Each call has the
 * context of its stream, which may be a default stream. */
static hd_status follow(hdi_cuda *d, hdi_cuda *e)
{
    CUevent event = NULL;
    hd_status status = hdi_cuda_enter(e);
    if (status == HD_OK)
        status = hdi_cuda_event(e, &event);   /* recorded on e's stream */
    if (status == HD_OK)
        status = hdi_cuda_enter(d);
    if (status == HD_OK)
        status = hdi_cuda_check(d, hdi_cu.cuStreamWaitEvent(d->stream, event, 0),
                                "making a stream wait for another device");
    if (event != NULL)
        hdi_cuda_event_drop(e, event);   /* who waits for it has noted what for */
    return status;
}

static hd_status enqueue(hdi_cuda *d, CUdeviceptr to, hdi_cuda *s, CUdeviceptr from, int64_t nbytes)
{
    hd_status status = follow(s, d);   /* s's context is the current one now */
    if (status != HD_OK)
        return status;
    hdi_cuda_note(s, "copy to another device");
    status = hdi_cuda_check(
        s, hdi_cu.cuMemcpyPeerAsync(to, d->context, from, s->context, (size_t)nbytes, s->stream),
        "copying to another device");
    return status == HD_OK ? follow(d, s) : status;
}

/* Streams stay what they are meanwhile. All locks of transfers into a device come before all of
 * those out of one, as where the stream is changed (cuda_stream.c). */
hd_status hdi_cuda_copy_between(hdi_cuda *d, CUdeviceptr to, hdi_cuda *s, CUdeviceptr from,
                                int64_t nbytes)
{
    introduce(s, d);
    pthread_mutex_lock(&d->in.lock);
    pthread_mutex_lock(&s->out.lock);
    hd_status status = enqueue(d, to, s, from, nbytes);
    pthread_mutex_unlock(&s->out.lock);
    pthread_mutex_unlock(&d->in.lock);
    return status;
}
