/* SPDX-License-Identifier: BSD-3-Clause */
/* device.h - where arrays live and work runs; statistics of windows, plans and memory.
 * Threads    the current device is per thread; it starts as HEDDLE_DEVICE, else the first GPU that
 *            works, else "cpu". That is found out when it is first asked for */
#ifndef HEDDLE_DEVICE_H
#define HEDDLE_DEVICE_H

#include <heddle/dtype.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hd_device hd_device;

/* hd_device_get - the device of that name ("cpu", "cuda:0", "null"), opened at its first use; NULL
 * and HD_VALUE if no device has such a name, HD_DEVICE if the machine lacks it. "cuda" is the
 * current device if that is one, else cuda:0.
 * Devices live as long as the process; do not release them.
 * hd_device_count - how many devices of the kind "cpu" or "cuda" there are; opens none. */
HD_API hd_device *hd_device_get(const char *name);
HD_API int hd_device_count(const char *kind);
/* hd_device_name - "cpu", "cuda:0". hd_device_current - where this thread makes arrays;
 * hd_device_set_current - from here on there. */
HD_API const char *hd_device_name(const hd_device *dev);
HD_API hd_device *hd_device_current(void);
HD_API void hd_device_set_current(hd_device *dev);
/* hd_device_swap - sets the current device and returns what was set before, to be set again. NULL
 * in both places is the device that the thread starts with, which is not looked for now. */
HD_API hd_device *hd_device_swap(hd_device *dev);
/* hd_device_is_host - is the memory of its arrays the host's? */
HD_API int hd_device_is_host(const hd_device *dev);
/* hd_device_at_hand - is it, and may the calling thread read them now? Not while it captures
 * (heddle/graph.h). */
HD_API int hd_device_at_hand(const hd_device *dev);

/* hd_synchronize - runs everything pending on dev (NULL: on every open device) and waits for it. */
HD_API hd_status hd_synchronize(hd_device *dev);

/* hd_before_exit - says that the process ends: what is made in the background is waited for, and
 * from here on nothing is made there; all else goes on working. To be called before exit(), which
 * may otherwise take down libraries (the CUDA driver's compiler) while they are used. */
HD_API void hd_before_exit(void);

/* hd_trim - gives cached memory back to the system; returns the bytes given back. */
HD_API int64_t hd_trim(hd_device *dev);
/* hd_memory_limit - bytes >= 0: the most that the device may hold for arrays (0: no limit);
 * negative: nothing changes. Returns the limit before; 0 on a device that has none. */
HD_API int64_t hd_memory_limit(hd_device *dev, int64_t bytes);

/* What a memory hook is told of: an array has taken a block of its device's memory, or given it
 * back. */
typedef struct hd_memory_event {
    int given_back;            /* 0: taken */
    hd_device *device;
    int64_t asked;             /* bytes of the array */
    int64_t block;             /* of the block, which is no smaller */
    int64_t fresh;             /* taken: bytes that the system gave for it, 0: it had been kept */
    uintptr_t address;         /* 0: there was no memory */
} hd_memory_event;
/* hd_set_memory_hook - from now on hook(event, ctx) is told of each block that this thread takes or
 * gives back for arrays; NULL: of none. Blocks are taken when work is submitted, not when it is
 * recorded: hd_synchronize() first. The hook is told within some later call of this thread, after
 * the block has changed hands, and may use arrays; what these take it is not told of. What the hook
 * before this one has still to be told, it is told now. An event that there is no memory to note is
 * not told. Arrays of at most 16 bytes have no block; neither have small arrays of a GPU while they
 * are on the host, nor results that stay within a kernel. HD_NOMEM: the hook is not set. */
typedef void (*hd_memory_hook)(const hd_memory_event *event, void *ctx);
HD_API hd_status hd_set_memory_hook(hd_memory_hook hook, void *ctx);

/* hd_threads - threads that kernels use; hd_set_threads - n >= 1, or 0 for the default
 * (HEDDLE_NUM_THREADS, affinity, cgroup). */
HD_API int hd_threads(void);
HD_API hd_status hd_set_threads(int n);

/* hd_set_fusion - 1 (the default): work is recorded and fused, but for small work on the CPU and on
 * what the host has of a GPU's arrays, which runs within its call; 2: all work is recorded and
 * fused; 0: recorded, and every operation is a kernel of its own (for tests). Same bits. Returns
 * the old setting. */
HD_API int hd_set_fusion(int on);

/* hd_set_tier - how kernels run, in the whole process: 0 by the interpreter of tier 0, 1 compiled
 * before they run, -1 compiled in the background once they have done enough work (the default, or
 * what HEDDLE_TIER says). Both tiers give the same bits. Returns the old setting. */
HD_API int hd_set_tier(int tier);

/* hd_device_info - what the back end says of itself (instruction set, libraries, code generator,
 * cache of kernels): lines of a name, a tab and a value. NULL: the current device. Free it with
 * hd_free_text(). */
HD_API char *hd_device_info(hd_device *dev);

typedef struct hd_stats {
    size_t size;               /* sizeof(hd_stats) of the caller, set before the call */
    int64_t records;           /* operations recorded since the start */
    int64_t pending;           /* operations in the window now */
    int64_t pending_peak;
    int64_t dead;              /* operations dropped because nobody could see their result */
    int64_t flushes;           /* chunks of the window that were run */
    int64_t plans;             /* plans made (misses of the plan cache) */
    int64_t plan_hits;         /* chunks replayed from the plan cache */
    int64_t planned_records;   /* records that went through the planner */
    int64_t kernels;           /* kernels launched */
    int64_t kernel_ops;        /* operations inside them */
    int64_t programs;          /* distinct kernels compiled for tier 0 */
    int64_t takeovers;         /* outputs that took over the memory of a dying input */
    int64_t temporaries;       /* results that never reached memory */
    /* bytes of array data: in use (small arrays of a GPU that are on the host among them), most so
     * far, kept for reuse */
    int64_t memory_used, memory_peak, memory_cached;
    int64_t layouts;           /* shapes and strides remembered */
} hd_stats;
/* hd_device_stats - fills *stats for dev (NULL: the current device). */
HD_API hd_status hd_device_stats(hd_device *dev, hd_stats *stats);
/* hd_reset_memory_peak - memory_peak counts anew, from what is in use now. */
HD_API void hd_reset_memory_peak(hd_device *dev);

#ifdef __cplusplus
}
#endif
#endif
