/* SPDX-License-Identifier: BSD-3-Clause */
/* backend.h - the one seam between planning and running: memory, queues and events, programs,
 * launches.
 * Owns       hdi_backend, hdi_launch, hdi_arg
 * Invariant  jobs given to one queue run in the order given; nothing here is called with the
 *            library's lock held, compile() and alloc()/free() apart, which must not wait
 * Threads    a queue may be drained by any thread; launches of one queue never overlap
 * See        ARCHITECTURE.md, "Add a back end" */
#ifndef HDI_BACKEND_H
#define HDI_BACKEND_H

#include <heddle/dtype.h>

#include "fuse/kernel_ir.h"

/* One operand of a launch, over the kernel's axes (extents-1 axes already dropped). */
typedef struct hdi_arg {
    union {
        struct {
            uint8_t *ptr;               /* ARRAY: address of the element at index 0, ..., 0 */
            const int64_t *strides;     /* ARRAY: bytes; INDEX: elements. nd of them */
            int64_t base;               /* INDEX: value at index 0, ..., 0 */
        };
        /* SCALAR: one element of the slot's dtype, in its own representation */
        uint64_t scalar[2];
    };
    bool linear;   /* ARRAY: dense in the C order of the kernel's axes (strides then may be NULL) */
} hdi_arg;

/* One kernel, ready to run. Everything is owned by the job. */
typedef struct hdi_launch {
    const void *program;      /* from compile() */
    int nd;                   /* axes, none of extent 1 */
    const int64_t *dims;
    uint64_t reduced;         /* bit a: axis a is reduced over */
    int64_t size;             /* product of dims */
    const hdi_arg *args;      /* one per slot of the kernel */
    /* args[order_arg].strides say in which order memory is walked (a reduction: and summed); may
     * be one past the kernel's slots; an argument that is linear, or without strides, means C
     * order */
    int order_arg;
    /* the back end's state of an interrupted launch; NULL before and after */
    void *progress;
} hdi_launch;

/* One library call (class X). */
typedef struct hdi_xarg {
    uint8_t *ptr;
    hd_dtype dt;
    int nd;
    const int64_t *dims, *strides;   /* strides in bytes */
} hdi_xarg;
typedef struct hdi_xcall {
    hd_op op;
    int nin;
    hdi_xarg out, in[3];
    int64_t param;                   /* cumsum: axis; random_order: n; others 0 */
    hd_dtype cdt;
} hdi_xcall;

typedef struct hdi_memory_stats { int64_t used, peak, cached; } hdi_memory_stats;

typedef struct hdi_backend {
    const char *name;
    bool runs;                /* false: plans everything, computes nothing (null) */
    bool host_memory;         /* addresses can be read by the host */
    hd_status (*open)(void **state);

    /* Memory. alloc returns 64-byte aligned memory or NULL (no error recorded); contents
     * undefined. */
    void *(*alloc)(void *state, int64_t nbytes);
    void (*free)(void *state, void *ptr, int64_t nbytes);
    int64_t (*trim)(void *state);
    void (*memory_stats)(void *state, hdi_memory_stats *out, bool reset_peak);
    hd_status (*copy_in)(void *state, void *to, const void *host, int64_t nbytes);
    hd_status (*copy_out)(void *state, void *host, const void *from, int64_t nbytes);

    /* Programs. compile may not wait for a compiler; destroy frees. */
    hd_status (*compile)(void *state, const hdi_kernel *k, void **program);
    void (*destroy)(void *state, void *program);
    /* launch runs (or enqueues) one kernel. HD_INTERRUPTED: stopped between blocks with progress
     * kept; calling again goes on. */
    hd_status (*launch)(void *state, hdi_launch *l);
    hd_status (*library)(void *state, const hdi_xcall *x);
    /* forget drops the progress of an interrupted launch that will not go on. */
    void (*forget)(void *state, hdi_launch *l);

    /* Queue and events: what was launched before record() has finished when wait() returns. A
     * synchronous back end has nothing to do. */
    hd_status (*event_record)(void *state, uint64_t *event);
    hd_status (*event_wait)(void *state, uint64_t event);

    /* watch(on) starts to look for floating-point faults of what is launched from here on;
     * watch(off) waits for it and returns what was raised (HD_FAULT_ bits). NULL: cannot tell. */
    int (*watch)(void *state, bool on);

    int (*threads)(void *state);
    hd_status (*set_threads)(void *state, int n);
    void (*before_fork)(void *state);
    void (*after_fork)(void *state);
} hdi_backend;

/* One row per back end in backends.def. */
#define BACKEND(name) extern const hdi_backend hdi_backend_##name;
#include "backend/backends.def"

/* What a back end may ask of the host program while it works (installed by exec): true means
 * stop at the next block border. Called by the launching thread only, at most every few
 * milliseconds. */
extern bool (*hdi_poll_interrupt)(void);

#endif
