/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_device.h - one CUDA device as the back end's files share it: context, stream, what it can
 * do, its memory, and what has gone wrong on it.
 * Owns       hdi_cuda
 * Invariant  all work of the device is in one order, whatever stream it is given to: a change of
 *            stream makes the new one wait for the old one. So memory that was freed may be used
 *            by whatever is enqueued later
 * Threads    the fields above `unusable` are constant once open, `stream` apart, which changes
 *            while nobody launches; the pools have locks of their own
 * Start at   hdi_cuda_enter(), hdi_cuda_check() */
#ifndef HDI_CUDA_DEVICE_H
#define HDI_CUDA_DEVICE_H

#include <pthread.h>
#include <stdatomic.h>

#include "backend/backend.h"
#include "backend/cuda/cuda_driver.h"
#include "backend/cuda/cuda_memory.h"

enum { HDI_CUDA_CHUNKS = 8, HDI_CUDA_RECENT = 8, HDI_CUDA_NAME = 32 };
enum { HDI_CUDA_REPLY = 4096 };   /* bytes that a reply holds */

typedef struct hdi_cuda_reply hdi_cuda_reply;

/* Pinned memory that host data passes through, one ring for each direction. */
typedef struct hdi_cuda_chunk {
    uint8_t *host;           /* NULL until it is needed */
    CUevent done;
    bool busy;               /* `done` was recorded and has not been waited for */
} hdi_cuda_chunk;
typedef struct hdi_cuda_ring {
    pthread_mutex_t lock;
    int at;
    int64_t fill;            /* bytes of chunk `at` that were given out */
    hdi_cuda_chunk chunk[HDI_CUDA_CHUNKS];
} hdi_cuda_ring;

/* What work is launched with. */
typedef struct hdi_cuda_limits {
    int major, minor;        /* compute capability */
    int sms, warp, threads_per_block, threads_per_sm, registers_per_sm;
    int shared_per_block, shared_optin, shared_per_sm;   /* bytes */
    int l2_bytes;
} hdi_cuda_limits;

/* Why nothing more can be done with a device. */
typedef enum hdi_cuda_state { HDI_CUDA_FINE, HDI_CUDA_LOST, HDI_CUDA_FORKED } hdi_cuda_state;

typedef struct hdi_cuda {
    int number;
    CUdevice device;
    CUcontext context;
    char name[96];           /* the product's */
    int64_t total_bytes;
    hdi_cuda_limits limits;
    CUstream own;            /* the stream it starts with */
    CUstream stream;         /* the one that work goes to now */
    _Atomic(int) unusable;   /* hdi_cuda_state */
    char why[520];           /* if lost */
    /* operations enqueued since the last wait that found everything well */
    char recent[HDI_CUDA_RECENT][HDI_CUDA_NAME];
    _Atomic(unsigned) nrecent;
    hdi_cuda_memory memory;
    CUdeviceptr counters;    /* zeros, between kernels */
    int64_t counter_bytes;
    CUfunction tier0;        /* runs kernels that are not compiled; NULL: there is none */
    char tier0_about[64];    /* "": nobody has looked */
    struct hdi_cuda_batch *batch;   /* kernels that are launched together */
    struct hdi_cuda_calls *calls;   /* kernels that library calls became */
    void *blas;              /* cuBLAS's handle */
    void *solver, *solver_params;   /* cuSOLVER's */
    struct hdi_cuda_slide *slides;  /* kernels of sliding windows */
    struct hdi_cuda_ffts *ffts;     /* plans of Fourier transforms */
    hdi_cuda_host host;
    hdi_cuda_ring in, out;
    pthread_mutex_t replies_lock;
    hdi_cuda_reply *replies; /* those at hand */
    CUfunction reply;        /* sends them; NULL: they are copied */
    bool reply_tried;        /* somebody has looked whether the driver takes it */
    CUstream reply_stream;   /* copies go by it; NULL until one does */
    pthread_mutex_t events_lock;
    int nevents;             /* events at hand, without timing */
    CUevent events[32];
} hdi_cuda;

/* hdi_cuda_open - the device of that number, its primary context retained. */
hd_status hdi_cuda_open(int number, hdi_cuda **out);
/* hdi_cuda_enter - before any call of the driver: its context becomes the calling thread's.
 * HD_DEVICE if the device is lost, or belongs to the parent of this process. */
hd_status hdi_cuda_enter(hdi_cuda *d);
static inline bool hdi_cuda_usable(const hdi_cuda *d)
{
    return atomic_load_explicit(&d->unusable, memory_order_relaxed) == HDI_CUDA_FINE;
}
/* hdi_cuda_check - HD_OK, or the error of a driver call with its name and what was being done
 * ("copying to the host"). After an error that ends the context the device is lost: this and
 * every later call says so, and why. */
hd_status hdi_cuda_check(hdi_cuda *d, CUresult result, const char *doing);
/* hdi_cuda_note - an operation was enqueued; its name is told if the device fails. */
void hdi_cuda_note(hdi_cuda *d, const char *operation);

/* hdi_cuda_event - an event without timing, recorded on the current stream; hdi_cuda_event_drop
 * hands it back. */
hd_status hdi_cuda_event(hdi_cuda *d, CUevent *event);
void hdi_cuda_event_drop(hdi_cuda *d, CUevent event);
/* hdi_cuda_settle - after a library of NVIDIA's has made a handle or a plan: waits until what it
 * copied to the device, on the default stream, is there. */
hd_status hdi_cuda_settle(hdi_cuda *d);
/* hdi_cuda_handle - makes *handle of such a library, if it is NULL: with all memory that is kept
 * if it needs that, and settled. 0, or the library's status; -1, and an error: the device's. */
typedef int hdi_cuda_create(void **handle);
int hdi_cuda_handle(hdi_cuda *d, hdi_cuda_create *create, void **handle);
/* hdi_cuda_wait - until event has happened; HD_INTERRUPTED if the user would rather not.
 * hdi_cuda_wait_until - until ask(of) says CUDA_SUCCESS, while it says that what was enqueued when
 * nrecent was `then` is not ready. */
typedef CUresult hdi_cuda_ask(void *of);
hd_status hdi_cuda_wait(hdi_cuda *d, CUevent event, const char *doing);
hd_status hdi_cuda_wait_until(hdi_cuda *d, hdi_cuda_ask *ask, void *of, unsigned then,
                              const char *doing);

/* cuda_transfer.c: copies between host and device, as backend.h wants them. */
hd_status hdi_cuda_copy_in(hdi_cuda *d, CUdeviceptr to, const void *host, int64_t nbytes);
hd_status hdi_cuda_copy_out(hdi_cuda *d, void *host, CUdeviceptr from, int64_t nbytes);
/* hdi_cuda_send, hdi_cuda_send_wait, hdi_cuda_send_end - hdi_backend.send and so on. */
hd_status hdi_cuda_send(hdi_cuda *d, void *host, CUdeviceptr from, int64_t nbytes, CUevent *over);
hd_status hdi_cuda_send_wait(hdi_cuda *d, CUevent over);
void hdi_cuda_send_end(hdi_cuda *d, CUevent over);

/* cuda_peer.c: a copy from device s to device d, as backend.h wants it. */
enum { HDI_CUDA_PEERS = 64 };   /* devices that are told about each other */
hd_status hdi_cuda_copy_between(hdi_cuda *d, CUdeviceptr to, hdi_cuda *s, CUdeviceptr from,
                                int64_t nbytes);

/* cuda_reply.c: the text of the kernel that sends replies, for tests. */
extern const char hdi_cuda_reply_text[];
#define HDI_REPLY_ENTRY "heddle_reply"
/* HDI_CUDA_REPLY bytes at most on their way to the host, as backend.h wants them.
 * What hdi_cuda_reply_begin() gave is hdi_cuda_reply_end()'s to take back, however that ends. */
hd_status hdi_cuda_reply_begin(hdi_cuda *d, CUdeviceptr from, int64_t nbytes, hdi_cuda_reply **out);
hd_status hdi_cuda_reply_end(hdi_cuda *d, hdi_cuda_reply *r, void *host, int64_t nbytes);

/* cuda_stream.c: streams and events of the user. */
extern const hdi_streams hdi_cuda_streams;

#endif
