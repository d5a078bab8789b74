/* SPDX-License-Identifier: BSD-3-Clause */
/* device.h - what the data model knows of a device: a name, memory, and the windows that record
 * for it.
 * Owns       struct hd_device
 * Invariant  devices are made once and never freed
 * Start at   hd_device */
#ifndef HDI_DEVICE_H
#define HDI_DEVICE_H

#include <stdbool.h>

#include <heddle/device.h>

struct hdi_window;
struct hdi_backend;

enum { HDI_ASKED_MOST = 8 };

struct hd_device {
    const char *name;
    int number;
    struct hdi_window **windows;                   /* of its threads: window/windows.h */
    int nwindows;
    const struct hdi_backend *backend;
    void *state;                                   /* the back end's */
    /* the back end's, here so that the data model needs no more of it, and its state; other ones
     * while a thread has a memory hook (exec/memory_hook.c). Under the lock */
    void *(*alloc)(void *heap, int64_t nbytes);
    void (*free)(void *heap, void *ptr, int64_t nbytes);
    void *heap;
    struct hdi_queue *queue;                       /* exec's */
    bool queued;                                   /* a thread has submitted what may run now */
    bool starved;                                  /* a window of it is */
    uint64_t next_job;                             /* number of the job to be queued next */
    bool host_memory;                              /* its arrays' memory is the host's */
    /* bytes up to which its arrays have mirrors on the host; 0: none has, as where memory is the
     * host's */
    int64_t mirror_most;
    /* bytes up to which operands of libraries go to the host (ops/home.h); 0: none does */
    int64_t home_most;
    /* bringing what small work asks for takes 2^this times as many asks: it did not pay lately */
    uint8_t reluctance;
    /* generations that small work asked for last, in turn, and how many there were; NULL: gone */
    struct hdi_buf *asked[HDI_ASKED_MOST];
    unsigned nasked;
    int64_t mirrored;   /* bytes of mirrors: memory in use as the user sees it */
    bool tells_faults;                             /* of floating point, by flags of its own */
    int64_t (*selection_bytes)(int64_t n);         /* the back end's; NULL: it has none */
    int64_t (*capacity)(void *state);              /* the back end's; NULL: there is no limit */
    /* bytes in use and bytes kept for reuse, for messages */
    void (*held)(const struct hd_device *dev, int64_t *used, int64_t *kept);
};

#endif
