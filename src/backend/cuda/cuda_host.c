/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_host.c - pinned host memory for results: the bus reaches it at full speed, and making it
 * costs far more than filling it, so it is used again. */
#include "backend/cuda/cuda_device.h"
#include "base/alloc.h"

/* kept at least, however little is in use */
#define KEEP_ANYWAY ((int64_t)256 << 20)

/* Sizes that serve again: eight to a doubling. */
static int64_t rounded(int64_t n)
{
    int64_t step = 1 << 16;
    while (step * 16 < n)
        step *= 2;
    return (n + step - 1) / step * step;
}

/* Frees kept blocks, the oldest first, until at most `most` bytes are kept. */
static int64_t evict(hdi_cuda_host *h, int64_t most)
{
    int64_t sum = 0, left = 0;
    for (int64_t k = 0; k < h->n; k++) {
        hdi_cuda_pinned *b = &h->blocks[k];
        if (b->used || h->cached <= most) {
            h->blocks[left++] = *b;
            continue;
        }
        hdi_cu.cuMemFreeHost(b->ptr);
        h->cached -= b->bytes;
        sum += b->bytes;
    }
    h->n = left;
    return sum;
}

static bool make_room(hdi_cuda_host *h)
{
    if (h->n < h->room)
        return true;
    int64_t room = 2 * h->room + 16;
    hdi_cuda_pinned *blocks = hdi_realloc(h->blocks, sizeof *blocks * (size_t)h->room,
                                          sizeof *blocks * (size_t)room);
    if (blocks == NULL)
        return false;
    h->blocks = blocks;
    h->room = room;
    return true;
}

static void *new_block(hdi_cuda *d, int64_t bytes)
{
    hdi_cuda_host *h = &d->host;
    void *p = NULL;
    if (!make_room(h))
        return NULL;
    if (hdi_cu.cuMemHostAlloc(&p, (size_t)bytes, CU_HOSTALLOC_PORTABLE) != CUDA_SUCCESS) {
        evict(h, 0);
        if (hdi_cu.cuMemHostAlloc(&p, (size_t)bytes, CU_HOSTALLOC_PORTABLE) != CUDA_SUCCESS)
            return NULL;
    }
    h->blocks[h->n++] = (hdi_cuda_pinned){p, bytes, true};
    return p;
}

void *hdi_cuda_host_alloc(hdi_cuda *d, int64_t nbytes)
{
    hdi_cuda_host *h = &d->host;
    void *p = NULL;
    if (!hdi_cuda_usable(d) || hdi_alloc_should_fail() || nbytes < 0 ||
        nbytes > (int64_t)1 << 46 || hdi_cu.cuCtxSetCurrent(d->context) != CUDA_SUCCESS)
        return NULL;
    int64_t bytes = rounded(nbytes);
    pthread_mutex_lock(&h->lock);
    for (int64_t k = h->n - 1; k >= 0 && p == NULL; k--)
        if (!h->blocks[k].used && h->blocks[k].bytes == bytes) {
            h->blocks[k].used = true;
            h->cached -= bytes;
            p = h->blocks[k].ptr;
        }
    if (p == NULL)
        p = new_block(d, bytes);
    h->used += p != NULL ? bytes : 0;
    pthread_mutex_unlock(&h->lock);
    return p;
}

void hdi_cuda_host_free(hdi_cuda *d, void *ptr)
{
    hdi_cuda_host *h = &d->host;
    if (!hdi_cuda_usable(d))   /* it went with the context */
        return;
    pthread_mutex_lock(&h->lock);
    for (int64_t k = 0; k < h->n; k++)
        if (h->blocks[k].ptr == ptr) {
            h->blocks[k].used = false;
            h->used -= h->blocks[k].bytes;
            h->cached += h->blocks[k].bytes;
        }
    if (h->cached > hdi_max64(KEEP_ANYWAY, h->used) &&
        hdi_cu.cuCtxSetCurrent(d->context) == CUDA_SUCCESS)
        evict(h, hdi_max64(KEEP_ANYWAY, h->used));
    pthread_mutex_unlock(&h->lock);
}

bool hdi_cuda_host_holds(hdi_cuda *d, const void *p, int64_t nbytes)
{
    const uint8_t *first = p;
    bool found = false;
    pthread_mutex_lock(&d->host.lock);
    for (int64_t k = 0; k < d->host.n && !found; k++) {
        const hdi_cuda_pinned *b = &d->host.blocks[k];
        found = b->used && first >= (const uint8_t *)b->ptr &&
                first + nbytes <= (const uint8_t *)b->ptr + b->bytes;
    }
    pthread_mutex_unlock(&d->host.lock);
    return found;
}

int64_t hdi_cuda_host_trim(hdi_cuda *d)
{
    pthread_mutex_lock(&d->host.lock);
    int64_t bytes = evict(&d->host, 0);
    pthread_mutex_unlock(&d->host.lock);
    return bytes;
}
