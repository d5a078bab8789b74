/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_transfer.c - copies between host and device memory, in the order of the device's work.
 *
 * The bus reaches pinned memory ten times as fast as any other, so bytes pass through a ring of
 * pinned chunks: several threads fill or empty one chunk while the bus works on others. Small
 * copies share a chunk. A copy in is over for the caller when its bytes are in the ring. Memory
 * that the pool of pinned results gave out goes by the bus directly, and so few bytes as a reply
 * holds come as one (cuda_reply.c). */
#include "backend/cuda/cuda_device.h"
#include "base/pool.h"

enum {
    CHUNK = 4 << 20, PIECE = 1 << 18,
    DIRECT = 1 << 16   /* smaller copies are not looked up among the pinned results */
};

typedef struct move { uint8_t *to; const uint8_t *from; int64_t nbytes; } move;

static bool move_piece(void *ctx, int64_t task)
{
    const move *m = ctx;
    int64_t at = task * PIECE;
    memcpy(m->to + at, m->from + at, (size_t)hdi_min64(PIECE, m->nbytes - at));
    return true;
}

/* memcpy() by several threads. */
static void move_bytes(void *to, const void *from, int64_t nbytes)
{
    move m = {to, from, nbytes};
    int64_t next = 0;
    if (nbytes <= PIECE)
        memcpy(to, from, (size_t)nbytes);
    else
        hdi_pool_run((nbytes + PIECE - 1) / PIECE, move_piece, &m, &next, NULL);
}

/* ---- the ring -------------------------------------------------------------------------------- */

/* Chunk c, with memory, and nothing under way in it. */
static hd_status make_ready(hdi_cuda *d, hdi_cuda_chunk *c)
{
    hd_status status = HD_OK;
    if (c->host == NULL) {
        if (c->done == NULL)
            HD_TRY(hdi_cuda_check(d, hdi_cu.cuEventCreate(&c->done, CU_EVENT_DISABLE_TIMING),
                                  "making an event"));
        HD_TRY(hdi_cuda_check(
            d, hdi_cu.cuMemHostAlloc((void **)&c->host, CHUNK, CU_HOSTALLOC_PORTABLE),
            "taking pinned memory for transfers"));
    }
    if (c->busy)
        HD_TRY(hdi_cuda_wait(d, c->done, "a transfer"));
    c->busy = false;
done:
    return status;
}

/* The bus is at work on chunk c. */
static hd_status mark_busy(hdi_cuda *d, hdi_cuda_chunk *c)
{
    hd_status status =
        hdi_cuda_check(d, hdi_cu.cuEventRecord(c->done, d->stream), "recording an event");
    c->busy = status == HD_OK;
    return status;
}

/* ---- in -------------------------------------------------------------------------------------- */

static hd_status in_by_ring(hdi_cuda *d, CUdeviceptr to, const uint8_t *host, int64_t nbytes)
{
    hdi_cuda_ring *ring = &d->in;
    hd_status status = HD_OK;
    for (int64_t n; nbytes > 0; nbytes -= n, to += (CUdeviceptr)n, host += n) {
        hdi_cuda_chunk *c = &ring->chunk[ring->at];
        if (ring->fill == 0)
            HD_TRY(make_ready(d, c));
        n = hdi_min64(nbytes, CHUNK - ring->fill);
        move_bytes(c->host + ring->fill, host, n);
        HD_TRY(hdi_cuda_check(
            d, hdi_cu.cuMemcpyHtoDAsync(to, c->host + ring->fill, (size_t)n, d->stream),
            "copying to the device"));
        ring->fill += (n + 63) & ~(int64_t)63;
        if (ring->fill < CHUNK)
            continue;
        HD_TRY(mark_busy(d, c));
        ring->fill = 0;
        ring->at = (ring->at + 1) % HDI_CUDA_CHUNKS;
    }
done:
    return status;
}

/* From pinned memory: the caller may use it again when the bus is done. */
static hd_status in_directly(hdi_cuda *d, CUdeviceptr to, const void *host, int64_t nbytes)
{
    CUevent over = NULL;
    hd_status status = HD_OK;
    HD_TRY(hdi_cuda_check(d, hdi_cu.cuMemcpyHtoDAsync(to, host, (size_t)nbytes, d->stream),
                          "copying to the device"));
    HD_TRY(hdi_cuda_event(d, &over));
    HD_TRY(hdi_cuda_check(d, hdi_cu.cuEventSynchronize(over), "copying to the device"));
done:
    if (over != NULL)
        hdi_cuda_event_drop(d, over);
    return status;
}

hd_status hdi_cuda_copy_in(hdi_cuda *d, CUdeviceptr to, const void *host, int64_t nbytes)
{
    hd_status status = nbytes > 0 ? hdi_cuda_enter(d) : HD_OK;
    if (status != HD_OK || nbytes <= 0)
        return status;
    bool pinned = nbytes >= DIRECT && hdi_cuda_host_holds(d, host, nbytes);
    pthread_mutex_lock(&d->in.lock);
    status = pinned ? in_directly(d, to, host, nbytes) : in_by_ring(d, to, host, nbytes);
    pthread_mutex_unlock(&d->in.lock);
    return status;
}

/* ---- out ------------------------------------------------------------------------------------- */

/* The bus starts to fill chunk c. */
static hd_status start_out(hdi_cuda *d, hdi_cuda_chunk *c, CUdeviceptr from, int64_t nbytes)
{
    hd_status status = HD_OK;
    HD_TRY(make_ready(d, c));
    HD_TRY(hdi_cuda_check(d, hdi_cu.cuMemcpyDtoHAsync(c->host, from, (size_t)nbytes, d->stream),
                          "copying to the host"));
    status = mark_busy(d, c);
done:
    return status;
}

/* Chunks are started ahead; the oldest is waited for and emptied. */
static hd_status out_by_ring(hdi_cuda *d, uint8_t *host, CUdeviceptr from, int64_t nbytes)
{
    hd_status status = HD_OK;
    int64_t started = 0, n = (nbytes + CHUNK - 1) / CHUNK;
    for (int64_t k = 0; k < n; k++) {
        for (; started < n && started < k + HDI_CUDA_CHUNKS; started++)
            HD_TRY(start_out(d, &d->out.chunk[started % HDI_CUDA_CHUNKS],
                             from + (CUdeviceptr)(started * CHUNK),
                             hdi_min64(CHUNK, nbytes - started * CHUNK)));
        hdi_cuda_chunk *c = &d->out.chunk[k % HDI_CUDA_CHUNKS];
        HD_TRY(hdi_cuda_wait(d, c->done, "copying to the host"));
        c->busy = false;
        move_bytes(host + k * CHUNK, c->host, hdi_min64(CHUNK, nbytes - k * CHUNK));
    }
done:
    return status;
}

/* To pinned memory. What was enqueued before is waited for first, as long as the user wants to;
 * the copy itself is not left alone, since the memory is the caller's. */
static hd_status out_directly(hdi_cuda *d, void *host, CUdeviceptr from, int64_t nbytes)
{
    CUevent ready = NULL, over = NULL;
    hd_status status = HD_OK;
    HD_TRY(hdi_cuda_event(d, &ready));
    HD_TRY(hdi_cuda_wait(d, ready, "waiting for what is read"));
    HD_TRY(hdi_cuda_check(d, hdi_cu.cuMemcpyDtoHAsync(host, from, (size_t)nbytes, d->stream),
                          "copying to the host"));
    HD_TRY(hdi_cuda_event(d, &over));
    status = hdi_cuda_check(d, hdi_cu.cuEventSynchronize(over), "copying to the host");
done:
    if (ready != NULL)
        hdi_cuda_event_drop(d, ready);
    if (over != NULL)
        hdi_cuda_event_drop(d, over);
    return status;
}

hd_status hdi_cuda_send(hdi_cuda *d, void *host, CUdeviceptr from, int64_t nbytes, CUevent *over)
{
    hd_status status = hdi_cuda_enter(d);
    if (status != HD_OK)
        return status;
    hdi_cuda_note(d, "copy to the host");
    pthread_mutex_lock(&d->out.lock);
    status = hdi_cuda_check(d, hdi_cu.cuMemcpyDtoHAsync(host, from, (size_t)nbytes, d->stream),
                            "copying to the host");
    if (status == HD_OK && (status = hdi_cuda_event(d, over)) != HD_OK)
        hdi_cu.cuStreamSynchronize(d->stream);   /* the caller gives the memory back */
    pthread_mutex_unlock(&d->out.lock);
    return status;
}

hd_status hdi_cuda_send_wait(hdi_cuda *d, CUevent over)
{
    const hd_status status = hdi_cuda_enter(d);
    return status == HD_OK ? hdi_cuda_wait(d, over, "a transfer to the host") : status;
}

void hdi_cuda_send_end(hdi_cuda *d, CUevent over)
{
    if (!hdi_cuda_usable(d) || hdi_cu.cuCtxSetCurrent(d->context) != CUDA_SUCCESS)
        return;   /* it went with the context */
    hdi_cu.cuEventSynchronize(over);
    hdi_cuda_event_drop(d, over);
}

static hd_status out_as_reply(hdi_cuda *d, void *host, CUdeviceptr from, int64_t nbytes)
{
    hdi_cuda_reply *reply;
    hd_status status = hdi_cuda_reply_begin(d, from, nbytes, &reply);
    return status == HD_OK ? hdi_cuda_reply_end(d, reply, host, nbytes) : status;
}

hd_status hdi_cuda_copy_out(hdi_cuda *d, void *host, CUdeviceptr from, int64_t nbytes)
{
    if (nbytes > 0 && nbytes <= HDI_CUDA_REPLY)
        return out_as_reply(d, host, from, nbytes);
    hd_status status = nbytes > 0 ? hdi_cuda_enter(d) : HD_OK;
    if (status != HD_OK || nbytes <= 0)
        return status;
    bool pinned = nbytes >= DIRECT && hdi_cuda_host_holds(d, host, nbytes);
    pthread_mutex_lock(&d->out.lock);
    status = pinned ? out_directly(d, host, from, nbytes) : out_by_ring(d, host, from, nbytes);
    pthread_mutex_unlock(&d->out.lock);
    return status;
}
