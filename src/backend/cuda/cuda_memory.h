/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_memory.h - device memory, and pinned host memory for results, kept for reuse.
 * Owns       hdi_cuda_memory, hdi_cuda_host
 * Invariant  device memory that was freed may be given out at once: whatever is enqueued later
 *            runs later. Freeing never fails and never waits
 * Threads    any; a lock for each pool
 * Start at   hdi_cuda_alloc() */
#ifndef HDI_CUDA_MEMORY_H
#define HDI_CUDA_MEMORY_H

#include <pthread.h>

#include "backend/backend.h"
#include "backend/cuda/cuda_driver.h"

struct hdi_cuda;

enum {
    /* 8 classes of 512 bytes, then eight to a doubling, up to 2^47 bytes */
    HDI_CUDA_EXACT_CLASSES = 8, HDI_CUDA_CLASSES = HDI_CUDA_EXACT_CLASSES + 35 * 8
};

typedef struct hdi_cuda_block { CUdeviceptr ptr; uint64_t freed_at; } hdi_cuda_block;

/* Blocks of one size. */
typedef struct hdi_cuda_class {
    hdi_cuda_block *kept;    /* free ones, the oldest first; room for all there are */
    int64_t nkept, room, nblocks;
    CUdeviceptr *slabs;      /* small classes: what they are cut from */
    int64_t nslabs;
} hdi_cuda_class;

typedef struct hdi_cuda_memory {
    pthread_mutex_t lock;
    CUmemoryPool pool;       /* NULL: this device has no pools of the driver's */
    bool exact;              /* HEDDLE_CUDA_MEMORY: blocks are the driver's, none is kept */
    hdi_cuda_class classes[HDI_CUDA_CLASSES];
    int64_t used, peak, cached;   /* bytes of blocks in use, at most so far, kept */
    int64_t high;            /* the most that used has ever been */
    int64_t limit;           /* the most that used + cached may be; 0: what the device has */
    uint64_t clock;
} hdi_cuda_memory;

typedef struct hdi_cuda_pinned { void *ptr; int64_t bytes; bool used; } hdi_cuda_pinned;
typedef struct hdi_cuda_host {
    pthread_mutex_t lock;
    hdi_cuda_pinned *blocks;
    int64_t n, room;
    int64_t used, cached;
} hdi_cuda_host;

hd_status hdi_cuda_memory_open(struct hdi_cuda *d);
/* hdi_cuda_alloc - NULL if there is none, after what is kept was given back; records no error. A
 * device that cannot be used any more gives out addresses that nothing will touch. */
void *hdi_cuda_alloc(struct hdi_cuda *d, int64_t nbytes);
void hdi_cuda_free(struct hdi_cuda *d, void *ptr, int64_t nbytes);
/* hdi_cuda_block_bytes - of the block that so many bytes get. */
int64_t hdi_cuda_block_bytes(const struct hdi_cuda *d, int64_t nbytes);
/* hdi_cuda_take, hdi_cuda_give - memory that the back end itself needs as long as there is a
 * device: from the driver, not counted, so that what arrays had can go back whole. 0: none. */
CUdeviceptr hdi_cuda_take(struct hdi_cuda *d, int64_t nbytes);
void hdi_cuda_give(struct hdi_cuda *d, CUdeviceptr ptr);
int64_t hdi_cuda_trim(struct hdi_cuda *d);
/* hdi_cuda_make_room - the driver or one of its libraries needs memory and found none: all that is
 * kept goes back. True if the call may be made again, once. */
bool hdi_cuda_make_room(struct hdi_cuda *d);
void hdi_cuda_memory_stats(struct hdi_cuda *d, hdi_memory_stats *out, bool reset_peak);
/* hdi_cuda_limit - bytes >= 0 sets the most that may be held (0: no limit); the limit before.
 * hdi_cuda_capacity - bytes of the device, or what the user limits it to. */
int64_t hdi_cuda_limit(struct hdi_cuda *d, int64_t bytes);
int64_t hdi_cuda_capacity(struct hdi_cuda *d);

/* hdi_cuda_host_alloc - pinned memory, NULL if there is none. hdi_cuda_host_holds - does all of
 * [p, p + nbytes) lie in memory in use that it gave out? */
void *hdi_cuda_host_alloc(struct hdi_cuda *d, int64_t nbytes);
void hdi_cuda_host_free(struct hdi_cuda *d, void *ptr);
bool hdi_cuda_host_holds(struct hdi_cuda *d, const void *p, int64_t nbytes);
int64_t hdi_cuda_host_trim(struct hdi_cuda *d);

#endif
