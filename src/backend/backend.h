/* SPDX-License-Identifier: BSD-3-Clause */
/* backend.h - the one seam between planning and running: memory, queues and events, programs,
 * launches.
 * Owns       hdi_backend, hdi_launch, hdi_arg
 * Invariant  jobs given to one queue run in the order given; nothing here is called with the
 *            library's lock held, compile() and alloc()/free() apart. Of these only alloc() may
 *            wait, where it takes from the system or gives back to it, and only for work of the
 *            device that was launched already: never for a lock of the library, a queue or the
 *            host program (docs/design/cuda.md, "Memory")
 * Threads    a queue may be drained by any thread; launches of one queue never overlap
 * See        ARCHITECTURE.md, "Add a back end" */
#ifndef HDI_BACKEND_H
#define HDI_BACKEND_H

#include <heddle/dtype.h>

#include "base/strbuf.h"
#include "core/payload.h"
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
    /* By slot: which element is read first along each axis, others follow and then those before it
     * (core/layout.h, "Wrapped"), or NULL. NULL: no operand is wrapped, as for most back ends. */
    const int64_t *const *wrap;
    /* The same as launches without wrapped operands (exec/boxes.h), and how many of them have been
     * run. Back ends that take no wrapped operands get these. */
    struct hdi_launch *boxes;
    int nboxes, box;
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
    int nin, nout;
    hdi_xarg out, in[3];
    /* of an operation of several slots: results after the first, inputs after the third */
    const hdi_xarg *results, *inputs;
    hdi_payload payload;             /* lib.def says which member */
    hd_dtype cdt;
    /* gather, scatter, at: offsets are from low to high; of places that are indices instead
     * (HDI_PLACES_INDICES), the extent and the stride of their axis */
    int64_t low, high, extent, step;
} hdi_xcall;
/* hdi_xcall_result, hdi_xcall_input - number i, from 0 on. */
static inline const hdi_xarg *hdi_xcall_result(const hdi_xcall *x, int i)
{
    return i == 0 ? &x->out : &x->results[i - 1];
}
static inline const hdi_xarg *hdi_xcall_input(const hdi_xcall *x, int i)
{
    return i < 3 ? &x->in[i] : &x->inputs[i - 3];
}

/* Streams and events of the user, of a back end whose work runs behind the caller's back. A
 * handle is the driver's own. All work of the device is in one order, whatever stream it is given
 * to: use() makes the new stream wait for the one before. */
typedef struct hdi_streams {
    hd_status (*make)(void *state, bool non_blocking, uintptr_t *stream);
    hd_status (*destroy)(void *state, uintptr_t stream);
    uintptr_t (*own)(void *state);         /* the one that the device starts with */
    uintptr_t (*current)(void *state);
    hd_status (*use)(void *state, uintptr_t stream);
    /* *over: has all that was given to it run? */
    hd_status (*query)(void *state, uintptr_t stream, bool *over);
    hd_status (*wait)(void *state, uintptr_t stream);
    /* what is given to `later` from here on runs after what was given to `earlier` */
    hd_status (*order)(void *state, uintptr_t earlier, uintptr_t later);
    hd_status (*event_make)(void *state, bool timed, bool blocking, uintptr_t *event);
    hd_status (*event_destroy)(void *state, uintptr_t event);
    hd_status (*event_put)(void *state, uintptr_t event, uintptr_t stream);
    hd_status (*event_query)(void *state, uintptr_t event, bool *over);
    hd_status (*event_wait)(void *state, uintptr_t event);
    hd_status (*event_order)(void *state, uintptr_t event, uintptr_t later);
    hd_status (*elapsed)(void *state, uintptr_t first, uintptr_t last, double *ms);
    /* waits for everything on the device, whoever enqueued it */
    hd_status (*wait_all)(void *state);
    /* HD_VALUE unless ptr is memory of this device */
    hd_status (*check_pointer)(void *state, const void *ptr);
} hdi_streams;

/* taken: what the calling thread has had the system give, since it began. */
typedef struct hdi_memory_stats { int64_t used, peak, cached, taken; } hdi_memory_stats;

struct hdi_record;   /* window/window.h */
struct hdi_lir;      /* lir/lir.h */

typedef struct hdi_backend {
    /* launch(), library() and trim() may run in several threads at the same time: each thread has
     * jobs of its own (exec/lanes.h). false: all jobs are run in one order, one at a time */
    bool parallel;
    const char *name;
    bool runs;                /* false: plans everything, computes nothing (null) */
    bool host_memory;         /* addresses can be read by the host */
    bool preferred;           /* arrays that nobody places are made here, if it opens */
    bool wraps;               /* launches may have wrapped operands */
    /* Its devices: "name:0" to "name:count() - 1". NULL: one, called by the back end's name. */
    int (*count)(void);
    hd_status (*open)(int number, void **state);

    /* Memory. alloc returns 64-byte aligned memory or NULL (no error recorded); contents
     * undefined. */
    void *(*alloc)(void *state, int64_t nbytes);
    void (*free)(void *state, void *ptr, int64_t nbytes);
    /* of the block that alloc(nbytes) gave; ptr is NULL if it gave none. NULL: nbytes */
    int64_t (*block_bytes)(void *state, const void *ptr, int64_t nbytes);
    int64_t (*trim)(void *state);
    /* The most that could ever be allocated, whatever is given back. NULL: there is no limit. */
    int64_t (*capacity)(void *state);
    void (*memory_stats)(void *state, hdi_memory_stats *out, bool reset_peak);
    /* limit(bytes) sets the most that may be held, 0 for no limit, a negative number for none
     * new; the limit before. NULL: there is none. */
    int64_t (*limit)(void *state, int64_t bytes);
    /* copy_in has taken the bytes when it returns; copy_out has delivered them. In the order of
     * launches. */
    hd_status (*copy_in)(void *state, void *to, const void *host, int64_t nbytes);
    hd_status (*copy_out)(void *state, void *host, const void *from, int64_t nbytes);
    /* send is a copy_out to memory of host_alloc that nobody waits for: the bytes are there when
     * send_wait() is HD_OK (HD_INTERRUPTED: not yet). send_end waits if it must, and is called
     * once for each that was sent. NULL: copy_out is all there is. */
    hd_status (*send)(void *state, void *host, const void *from, int64_t nbytes, void **sent);
    hd_status (*send_wait)(void *state, void *sent);
    void (*send_end)(void *state, void *sent);
    /* copy_between has nbytes come from the memory of another device of this back end, whose state
     * is `source`: after all that was launched on either so far, before what either launches later.
     * The host does not wait. NULL: such copies go through the host. */
    hd_status (*copy_between)(void *state, void *to, void *source, const void *from,
                              int64_t nbytes);
    /* copy_out of one element in two halves: reply_begin has it follow what was launched so far,
     * beside what is launched later; reply_end waits for it, delivers, and is to be called once for
     * each reply, whatever happened since. Until then the element stays where and what it is.
     * NULL: copy_out is all there is. */
    hd_status (*reply_begin)(void *state, const void *from, int64_t nbytes, void **reply);
    hd_status (*reply_end)(void *state, void *reply, void *host, int64_t nbytes);

    /* Host memory that copies reach faster; NULL: there is no such difference. host_alloc gives
     * NULL if it has none. */
    void *(*host_alloc)(void *state, int64_t nbytes);
    void (*host_free)(void *state, void *ptr);
    const hdi_streams *streams;   /* NULL: it has none */

    /* Programs. compile may not wait for a compiler; destroy frees. */
    hd_status (*compile)(void *state, const hdi_kernel *k, void **program);
    void (*destroy)(void *state, void *program);
    /* launch runs (or enqueues) one kernel. HD_INTERRUPTED: stopped between blocks with progress
     * kept; calling again goes on. */
    hd_status (*launch)(void *state, hdi_launch *l);
    /* launch_all does so with l[0 .. n), *done of which have been when it returns. NULL: one by
     * one. */
    hd_status (*launch_all)(void *state, hdi_launch *l, int n, int *done);
    hd_status (*library)(void *state, const hdi_xcall *x);
    /* Around library(), where some calls may not run beside each other: begin_call waits until this
     * one may, or gives HD_INTERRUPTED; end_call takes what was put into *turn. NULL: all may. */
    hd_status (*begin_call)(void *state, const hdi_xcall *x, int *turn);
    void (*end_call)(void *state, int turn);
    /* run_small does an operation over at most small_most elements within the call, under the
     * library's lock, to the bits of launch(); operands have memory. False: it does not; what
     * it may have written is overwritten when the operation runs as a record. NULL: every
     * operation is recorded. */
    bool (*run_small)(const struct hdi_record *r);
    int64_t (*small_most)(bool mirrored);
    /* run_mirrored does the same for arrays of another device that have mirrors on the host; false
     * also where its bits would not be that device's. */
    bool (*run_mirrored)(const struct hdi_record *r);
    /* Bytes of what true_words makes of n flags, for compress and true_places to take instead of
     * these. NULL: they take the flags. */
    int64_t (*selection_bytes)(int64_t n);
    /* Kernels of users in lowered IR, which library() runs as HD_OP_user_grid. user_kernel makes
     * the function that such a launch names; it takes l, also where it fails, and may take
     * milliseconds. user_free: nobody launches it any more. NULL: it runs none. */
    hd_status (*user_kernel)(void *state, struct hdi_lir *l, uintptr_t *function);
    void (*user_free)(void *state, uintptr_t function);
    /* forget drops the progress of an interrupted launch that will not go on. */
    void (*forget)(void *state, hdi_launch *l);

    /* Queue and events: what was launched before record() has finished when wait() returns HD_OK.
     * wait() ends the event, also where it was stopped. A synchronous one has nothing to do. */
    hd_status (*event_record)(void *state, uint64_t *event);
    hd_status (*event_wait)(void *state, uint64_t event);

    /* watch(on) starts to look for floating-point faults of what is launched from here on;
     * watch(off) waits for it and returns what was raised (HD_FAULT_ bits). NULL: it
     * has no flags, and faults are told by values (ops/float_faults.c). */
    int (*watch)(void *state, bool on);

    /* Tiers, of a back end with more than one; else NULL. set_tier as hd_set_tier(); tier: of a
     * program as it would run now. info writes lines as hd_device_info(). */
    int (*set_tier)(void *state, int tier);
    int (*tier)(void *state, const void *program);
    void (*info)(void *state, hdi_strbuf *lines);

    int (*threads)(void *state);
    hd_status (*set_threads)(void *state, int n);
    void (*before_fork)(void *state);
    void (*after_fork)(void *state);
    void (*before_exit)(void);   /* as hd_before_exit(); NULL: it has no threads of its own */
} hdi_backend;

/* One row per back end in backends.def. */
#define BACKEND(name) extern const hdi_backend hdi_backend_##name;
#include "backend/backends.def"

/* What a back end may ask of the host program while it works (installed by exec): true means
 * stop at the next block border. Called by the launching thread only, at most every few
 * milliseconds. */
extern bool (*hdi_poll_interrupt)(void);

#endif
