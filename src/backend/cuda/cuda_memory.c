/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_memory.c - size classes with a free list each, in front of the driver's pool.
 *
 * The driver's stream-ordered pool takes about 1 us to give and take back a block, its plain
 * allocator 100 us and a wait; a free list of ours takes the time of an uncontended lock. Blocks
 * up to 64 KB are cut from slabs of 2 MB, one class each. What is kept may not raise the peak:
 * before the driver is asked for more, the oldest kept blocks go back to its pool, which can put
 * together what lies apart. Lists are arrays on the host (device memory holds no links) with
 * room for every block there is, so that freeing cannot fail. */
#include "backend/cuda/cuda_memory.h"

#include <stdlib.h>

#include "backend/cuda/cuda_device.h"
#include "base/alloc.h"

enum { GRAIN = 512, EXACT = HDI_CUDA_EXACT_CLASSES * GRAIN, SMALL = 1 << 16, SLAB = 2 << 20 };

/* What this thread has had the driver give: hdi_memory_stats. */
static _Thread_local int64_t taken __attribute__((tls_model("initial-exec")));

/* ---- classes --------------------------------------------------------------------------------- */

static int class_of(int64_t n, int64_t *size)
{
    if (n <= EXACT) {
        int c = n > 0 ? (int)((n - 1) / GRAIN) : 0;
        *size = (int64_t)(c + 1) * GRAIN;
        return c;
    }
    int k = 63 - __builtin_clzll((uint64_t)(n - 1));   /* 2^k <= n - 1 < 2^(k+1), k >= 12 */
    int64_t eighth = (n - 1) >> (k - 3);               /* 8 ... 15 */
    *size = (eighth + 1) << (k - 3);
    return HDI_CUDA_EXACT_CLASSES + (k - 12) * 8 + (int)eighth - 8;
}

static int64_t class_size(int c)
{
    if (c < HDI_CUDA_EXACT_CLASSES)
        return (int64_t)(c + 1) * GRAIN;
    int k = 12 + (c - HDI_CUDA_EXACT_CLASSES) / 8, eighth = 8 + (c - HDI_CUDA_EXACT_CLASSES) % 8;
    return (int64_t)(eighth + 1) << (k - 3);
}

/* Room in the class's list for n more blocks. */
static bool make_room(hdi_cuda_class *c, int64_t n)
{
    if (c->nblocks + n <= c->room)
        return true;
    int64_t room = hdi_max64(2 * c->room, c->nblocks + n + 14);
    hdi_cuda_block *kept = hdi_realloc(c->kept, sizeof *kept * (size_t)c->room,
                                       sizeof *kept * (size_t)room);
    if (kept == NULL)
        return false;
    c->kept = kept;
    c->room = room;
    return true;
}

/* ---- the driver ------------------------------------------------------------------------------ */

static CUresult driver_alloc(hdi_cuda *d, CUdeviceptr *ptr, int64_t nbytes)
{
    const CUmemoryPool pool = d->memory.pool;
    CUresult r = pool != NULL
                     ? hdi_cu.cuMemAllocFromPoolAsync(ptr, (size_t)nbytes, pool, d->stream)
                     : hdi_cu.cuMemAlloc(ptr, (size_t)nbytes);
    taken += r == CUDA_SUCCESS ? nbytes : 0;
    return r;
}

static void driver_free(hdi_cuda *d, CUdeviceptr ptr)
{
    if (d->memory.pool != NULL)
        hdi_cu.cuMemFreeAsync(ptr, d->stream);
    else
        hdi_cu.cuMemFree(ptr);   /* waits for the device */
}

/* Gives the oldest kept large blocks back to the driver until at most `most` bytes are kept (of
 * small blocks none). */
static int64_t evict(hdi_cuda *d, int64_t most)
{
    hdi_cuda_memory *m = &d->memory;
    int64_t sum = 0;
    while (m->cached > most) {
        hdi_cuda_class *oldest = NULL;
        int64_t size = 0;
        for (int c = HDI_CUDA_CLASSES - 1; c >= 0 && class_size(c) > SMALL; c--)
            if (m->classes[c].nkept > 0 &&
                (oldest == NULL || m->classes[c].kept[0].freed_at < oldest->kept[0].freed_at)) {
                oldest = &m->classes[c];
                size = class_size(c);
            }
        if (oldest == NULL)
            break;
        driver_free(d, oldest->kept[0].ptr);
        memmove(oldest->kept, oldest->kept + 1, sizeof *oldest->kept * (size_t)--oldest->nkept);
        oldest->nblocks--;
        m->cached -= size;
        sum += size;
    }
    return sum;
}

/* The slab of c that holds ptr. */
static int64_t slab_of(const hdi_cuda_class *c, CUdeviceptr ptr)
{
    for (int64_t s = 0; s < c->nslabs; s++)
        if (ptr - c->slabs[s] < SLAB)
            return s;
    return -1;
}

/* Gives back the slabs of class c that have no block in use. */
static int64_t drop_slabs(hdi_cuda *d, hdi_cuda_class *c, int64_t size)
{
    int64_t each = SLAB / size, sum = 0;
    for (int64_t s = c->nslabs - 1; s >= 0 && c->nkept >= each; s--) {
        int64_t here = 0, left = 0;
        for (int64_t k = 0; k < c->nkept; k++)
            here += slab_of(c, c->kept[k].ptr) == s;
        if (here < each)
            continue;
        for (int64_t k = 0; k < c->nkept; k++)
            if (slab_of(c, c->kept[k].ptr) != s)
                c->kept[left++] = c->kept[k];
        c->nkept = left;
        c->nblocks -= each;
        driver_free(d, c->slabs[s]);
        c->slabs[s] = c->slabs[--c->nslabs];
        d->memory.cached -= each * size;
        sum += SLAB;
    }
    return sum;
}

/* Everything that is kept goes back to the system. Under the lock; waits for the device. */
static int64_t drop_all(hdi_cuda *d)
{
    int64_t sum = evict(d, 0);
    for (int c = 0; class_size(c) <= SMALL; c++)
        sum += drop_slabs(d, &d->memory.classes[c], class_size(c));
    if (d->memory.pool != NULL) {   /* what is freed in order of the stream is free once it ran */
        hdi_cu.cuStreamSynchronize(d->stream);
        hdi_cu.cuMemPoolTrimTo(d->memory.pool, 0);
    }
    return sum;
}

/* nbytes of the driver's, or 0. Under the lock. */
static CUdeviceptr driver_block(hdi_cuda *d, int64_t nbytes)
{
    hdi_cuda_memory *m = &d->memory;
    CUdeviceptr ptr = 0;
    int64_t held = m->used + m->cached;
    if (m->limit > 0 && held + nbytes > m->limit)
        drop_all(d);
    else
        evict(d, hdi_max64(m->high - m->used - nbytes, 0));
    if (m->limit > 0 && m->used + m->cached + nbytes > m->limit)
        return 0;
    if (driver_alloc(d, &ptr, nbytes) == CUDA_SUCCESS)
        return ptr;
    drop_all(d);
    return driver_alloc(d, &ptr, nbytes) == CUDA_SUCCESS ? ptr : 0;
}

static bool add_slab(hdi_cuda *d, hdi_cuda_class *c, int64_t size)
{
    int64_t each = SLAB / size;
    CUdeviceptr *slabs = hdi_realloc(c->slabs, sizeof *slabs * (size_t)c->nslabs,
                                     sizeof *slabs * (size_t)(c->nslabs + 1));
    if (slabs == NULL)
        return false;
    c->slabs = slabs;
    CUdeviceptr slab = make_room(c, each) ? driver_block(d, SLAB) : 0;
    if (slab == 0)
        return false;
    c->slabs[c->nslabs++] = slab;
    c->nblocks += each;
    for (int64_t k = each; k-- > 0;)
        c->kept[c->nkept++] = (hdi_cuda_block){slab + (CUdeviceptr)(k * size), 0};
    d->memory.cached += each * size;
    return true;
}

/* ---- the interface --------------------------------------------------------------------------- */

hd_status hdi_cuda_memory_open(hdi_cuda *d)
{
    int pools = 0;
    uint64_t keep = UINT64_MAX;   /* we say when memory goes back to the system */
    CUmemPoolProps of = {.allocation_type = 1, .location_type = 1, .location_id = d->device};
    hd_status status = HD_OK;
    pthread_mutex_init(&d->memory.lock, NULL);
    pthread_mutex_init(&d->host.lock, NULL);
    const char *wish = getenv("HEDDLE_CUDA_MEMORY");
    if ((d->memory.exact = wish != NULL && strcmp(wish, "exact") == 0))
        goto done;
    HD_TRY(hdi_cuda_check(
        d, hdi_cu.cuDeviceGetAttribute(&pools, CU_ATTRIBUTE_MEMORY_POOLS, d->device),
        "asking for memory pools"));
    if (pools == 0)   /* some virtual GPUs: the free lists are then all there is */
        goto done;
    HD_TRY(hdi_cuda_check(d, hdi_cu.cuMemPoolCreate(&d->memory.pool, &of), "making a memory pool"));
    status = hdi_cuda_check(
        d, hdi_cu.cuMemPoolSetAttribute(d->memory.pool, CU_MEMPOOL_RELEASE_THRESHOLD, &keep),
        "setting up a memory pool");
done:
    return status;
}

/* Addresses from a range that no device has. */
static void *nowhere(int64_t nbytes)
{
    static _Atomic(uint64_t) next = (uint64_t)1 << 57;
    return (void *)(uintptr_t)atomic_fetch_add(&next, ((uint64_t)nbytes + 1023) & ~(uint64_t)511);
}

/* A block of class c that was in no list: cut, or the driver's. Under the lock. */
static CUdeviceptr fresh_block(hdi_cuda *d, hdi_cuda_class *c, int64_t size)
{
    if (hdi_cu.cuCtxSetCurrent(d->context) != CUDA_SUCCESS)
        return 0;
    if (size <= SMALL) {
        if (!add_slab(d, c, size))
            return 0;
        d->memory.cached -= size;
        return c->kept[--c->nkept].ptr;
    }
    CUdeviceptr ptr = make_room(c, 1) ? driver_block(d, size) : 0;
    c->nblocks += ptr != 0;
    return ptr;
}

void *hdi_cuda_alloc(hdi_cuda *d, int64_t nbytes)
{
    hdi_cuda_memory *m = &d->memory;
    int64_t size;
    CUdeviceptr ptr;
    if (HDI_UNLIKELY(hdi_alloc_should_fail()) || nbytes < 0 || nbytes > (int64_t)1 << 46)
        return NULL;
    if (HDI_UNLIKELY(!hdi_cuda_usable(d)))
        return nowhere(nbytes);
    if (HDI_UNLIKELY(m->exact))
        return (void *)(uintptr_t)hdi_cuda_take(d, hdi_max64(nbytes, 1));
    hdi_cuda_class *c = &m->classes[class_of(nbytes, &size)];
    pthread_mutex_lock(&m->lock);
    if (HDI_LIKELY(c->nkept > 0)) {
        ptr = c->kept[--c->nkept].ptr;
        m->cached -= size;
    } else {
        ptr = fresh_block(d, c, size);
    }
    if (ptr != 0) {
        m->used += size;
        m->peak = hdi_max64(m->peak, m->used);
        m->high = hdi_max64(m->high, m->used);
    }
    pthread_mutex_unlock(&m->lock);
    return (void *)(uintptr_t)ptr;
}

void hdi_cuda_free(hdi_cuda *d, void *p, int64_t nbytes)
{
    hdi_cuda_memory *m = &d->memory;
    int64_t size;
    if (p == NULL || HDI_UNLIKELY(!hdi_cuda_usable(d)))
        return;
    if (HDI_UNLIKELY(m->exact)) {
        hdi_cuda_give(d, (CUdeviceptr)(uintptr_t)p);
        return;
    }
    hdi_cuda_class *c = &m->classes[class_of(nbytes, &size)];
    pthread_mutex_lock(&m->lock);
    c->kept[c->nkept++] = (hdi_cuda_block){(CUdeviceptr)(uintptr_t)p, m->clock++};
    m->cached += size;
    m->used -= size;
    pthread_mutex_unlock(&m->lock);
}

int64_t hdi_cuda_block_bytes(const hdi_cuda *d, int64_t nbytes)
{
    int64_t size;
    class_of(nbytes, &size);
    return d->memory.exact ? hdi_max64(nbytes, 1) : size;
}

CUdeviceptr hdi_cuda_take(hdi_cuda *d, int64_t nbytes)
{
    CUdeviceptr ptr = 0;
    if (hdi_alloc_should_fail() || hdi_cu.cuCtxSetCurrent(d->context) != CUDA_SUCCESS ||
        driver_alloc(d, &ptr, nbytes) == CUDA_SUCCESS)
        return ptr;
    hdi_cuda_trim(d);
    return driver_alloc(d, &ptr, nbytes) == CUDA_SUCCESS ? ptr : 0;
}

void hdi_cuda_give(hdi_cuda *d, CUdeviceptr ptr)
{
    if (hdi_cu.cuCtxSetCurrent(d->context) == CUDA_SUCCESS)
        driver_free(d, ptr);
}

int64_t hdi_cuda_trim(hdi_cuda *d)
{
    if (!hdi_cuda_usable(d) || hdi_cu.cuCtxSetCurrent(d->context) != CUDA_SUCCESS)
        return 0;
    pthread_mutex_lock(&d->memory.lock);
    int64_t bytes = drop_all(d);
    pthread_mutex_unlock(&d->memory.lock);
    return bytes + hdi_cuda_host_trim(d);
}

/* Whatever trimming found in the lists: the driver's pool may have kept more. */
bool hdi_cuda_make_room(hdi_cuda *d)
{
    hdi_cuda_trim(d);
    return hdi_cuda_usable(d);
}

void hdi_cuda_memory_stats(hdi_cuda *d, hdi_memory_stats *out, bool reset_peak)
{
    hdi_cuda_memory *m = &d->memory;
    if (atomic_load(&d->unusable) == HDI_CUDA_FORKED) {   /* the lock may be anybody's */
        *out = (hdi_memory_stats){m->used, m->peak, m->cached, taken};
        return;
    }
    pthread_mutex_lock(&m->lock);
    *out = (hdi_memory_stats){m->used, m->peak, m->cached, taken};
    if (reset_peak)
        m->peak = m->used;
    pthread_mutex_unlock(&m->lock);
}

int64_t hdi_cuda_limit(hdi_cuda *d, int64_t bytes)
{
    if (!hdi_cuda_usable(d))
        return 0;
    pthread_mutex_lock(&d->memory.lock);
    int64_t before = d->memory.limit;
    if (bytes >= 0)
        d->memory.limit = bytes;
    pthread_mutex_unlock(&d->memory.lock);
    return before;
}

int64_t hdi_cuda_capacity(hdi_cuda *d)
{
    int64_t limit = hdi_cuda_limit(d, -1), total = (int64_t)d->total_bytes;
    return limit > 0 && limit < total ? limit : total;
}
