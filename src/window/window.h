/* SPDX-License-Identifier: BSD-3-Clause */
/* window.h - the pending operations of a thread on one device, in program order, and when they
 * run.
 * Owns       hdi_record, hdi_window, hdi_chunk
 * Invariant  a pending record sits in ring[seq % HDI_RING]; all pending sequence numbers lie
 *            within HDI_RING of each other; edges point to earlier records and cover every
 *            conflict that is not already implied by a covering write
 * Threads    all under the library's lock; kernels run outside it (runner)
 * Start at   hdi_record_begin(), hdi_record_end(), hdi_window_demand()
 * See        docs/design/window.md (rules M1-M10, Retire), docs/design/plan-cache.md */
#ifndef HDI_WINDOW_H
#define HDI_WINDOW_H

#include "base/lock.h"
#include "core/array.h"
#include "core/payload.h"

enum {
    HDI_RING = 256,          /* slots; a power of two */
    HDI_WINDOW_MAX = 192,    /* pending records: at this many a prefix is retired */
    HDI_CUT_LO = 64, HDI_CUT_HI = 128,
    HDI_MAX_IN = 3,          /* inputs of a slot */
    HDI_SLOTS_MOST = 64,     /* slots of one operation */
    HDI_EDGES_INLINE = 4,
    HDI_BOUNDS_MOST = 8,
    HDI_BRING_MOST = 16
};

/* HDI_NONE: the output of a slot without one */
typedef enum hdi_operand_kind { HDI_ARRAY, HDI_SCALAR, HDI_INDEX, HDI_NONE } hdi_operand_kind;

/* What an operation reads or writes: rule M2. Arrays are read over the record's domain: lay has
 * its extents. */
typedef struct hdi_operand {
    hdi_buf *buf;                                            /* NULL unless ARRAY */
    union {
        /* ARRAY; INDEX: strides in elements, off is the value at index 0 */
        struct { const hdi_layout *lay; int64_t off; };
        uint64_t scalar[2];                                  /* SCALAR: one element of its dtype */
    };
    uint64_t link;     /* the write (operand 0) or read (others) of the same buffer before this */
} hdi_operand;

typedef enum hdi_verdict { HDI_DISJOINT = 0, HDI_SAME_MAP = 1, HDI_OVERLAP = 2 } hdi_verdict;
/* to the record `back` sequence numbers earlier */
typedef struct hdi_edge { uint8_t back; uint8_t verdict; } hdi_edge;

/* A slot of the ring: one output and up to three inputs. An operation with more of either takes as
 * many slots as it needs, one after the other: the first has what is said of the operation, those
 * that follow are of class HDI_MORE. They are recorded, chosen, submitted and dropped together.
 *
 * Four lines of the cache; recording an elementwise operation on n inputs touches the first
 * 64 + 32 * (n + 1) bytes. */
enum { HDI_MORE = '+' };
typedef struct hdi_record {
    uint64_t seq;
    union {                  /* first six bytes are part of the key as they are */
        struct {
            uint16_t op;     /* hd_op */
            uint8_t cls;     /* 'e', 'r', 'x', HDI_MORE */
            uint8_t cdt;     /* dtype of the loop */
            uint8_t nin;
            union {
                struct {
                    /* a reduction whose rows a back end can keep at hand: may become RR */
                    uint8_t row_fits : 1;
                    /* slots of this operation that follow; of one of class HDI_MORE: that come
                     * before it */
                    uint8_t more : 7;
                };
                uint8_t wraps : 1;   /* a copy whose input's layout is wrapped (core/layout.h) */
            };
            bool pending, chosen;
        };
        uint64_t head;
    };
    union {
        struct { uint8_t kind[1 + HDI_MAX_IN], dt[1 + HDI_MAX_IN]; };
        uint64_t kinds;
    };
    uint16_t position;       /* scratch: place in the chunk being planned */
    uint16_t nedges;
    /* while a cut is sought: op, dtypes, rank, classes of the views; and with it the same of what
     * made the operands, no further */
    uint32_t own_hash;
    union { hdi_edge edge[HDI_EDGES_INLINE]; uint64_t edges; };
    uint32_t hash;
    const hdi_layout *domain;/* the extents the operation runs over */
    hdi_payload payload;
    hdi_operand operand[1 + HDI_MAX_IN];   /* 0 is the output */
    /* NULL and 0 but in reductions: */
    const hdi_layout *row;   /* symbol of the kept extents */
    uint64_t axes;           /* axes of domain that are reduced */
    uint64_t sqaxes;         /* the same over squeezed axes */
    hdi_edge *more_edges;        /* edges beyond the inline ones: room for HDI_RING, once needed */
    /* of the record that was found last to have an edge to this one, if there were many: its
     * number, and which of its edges that is */
    uint64_t edge_from;
    uint16_t edge_at;
} __attribute__((aligned(64))) hdi_record;

typedef struct hdi_window_stats {
    int64_t records, pending_peak, dead, flushes, plans, plan_hits, planned_records, kernels,
        kernel_ops, programs, takeovers, temporaries, small;
} hdi_window_stats;

typedef struct hdi_tape hdi_tape;   /* tape.h */

typedef struct hdi_window {
    hd_device *dev;
    int number;              /* among those of the device */
    const void *owner;       /* the thread that records here, NULL: it has ended */
    struct hdi_window *mine; /* another window of that thread, of another device */
    struct hdi_window *other;/* another window, whoever's */
    /* sequence number of the next record; the first is HDI_RING more than that of the window, see
     * hdi_window_number() */
    uint64_t next;
    uint64_t head;           /* no pending record is older */
    int pending;
    unsigned special;        /* what recording has to heed, of the bits below; mostly 0 */
    bool queued;             /* its thread has submitted what may run now */
    bool fusion, records_all;   /* hd_set_fusion() */
    /* elements that an operation may run over within the call (hdi_run_small()); -1: all operations
     * are recorded. run_small: the device's; NULL: it has none */
    int64_t small;
    int small_run;           /* small operations recorded one after the other */
    /* stats.small when small work last had something brought, and asks since then (small.c) */
    int64_t small_before;
    uint32_t in_vain, chance;   /* asks since small work last ran; hdi_passes_over() */
    int asks;
    bool (*run_small)(const hdi_record *r);
    /* a generation whose contents small work on the host has asked for often; and those that are to
     * be brought when the queue is drained, which counts as a job of each */
    hdi_buf *wanted, *bring[HDI_BRING_MOST];
    int nbring;
    bool unread;             /* there may be dead records: most are dropped when they die */
    /* what had to run could not be given memory, or its thread has ended: it is seen to when the
     * queue is drained */
    bool starved;
    /* element writes recorded one after the other, and the number of the next one: see element.c */
    int element_run;
    uint64_t element_next;
    /* the prefix retired last, and whether it was the same twice: then it is tried first */
    int retired_n;
    uint64_t retired_key;
    bool retired_again;
    hdi_tape *tape;          /* where operations go while its thread captures, or NULL */
    struct hdi_plan *latest; /* the plan used last, if it is still there: see repeat.h */
    hdi_window_stats stats;
    /* of generations with long chains, and how often they were asked: see bounds.h */
    struct hdi_bounds *bounds[HDI_BOUNDS_MOST];
    uint64_t questions;
    hdi_record ring[HDI_RING];
} hdi_window;

enum {
    HDI_WATCHED = 1,         /* hdi_watched.any: maybe its thread watches */
    HDI_BESIDE = 2,          /* the device has other windows */
    HDI_CAPTURES = 4         /* records go to its tape */
};

/* A set of records about to run, in order. */
typedef struct hdi_chunk {
    hdi_window *window;
    uint64_t key;            /* hash of its canonical words, once submitted */
    uint64_t only;           /* not 0: submit it only if that is its key, else set refused */
    bool refused;
    int n;
    hdi_record *record[HDI_RING];
} hdi_chunk;

/* The window of the calling thread on the device that it recorded for last. */
typedef struct hdi_here { const hd_device *dev; hdi_window *window; } hdi_here;
extern _Thread_local hdi_here hdi_window_here __attribute__((tls_model("initial-exec")));

/* hdi_window_of - the calling thread's window on dev. Under the lock. */
hdi_window *hdi_window_find(hd_device *dev);
static inline hdi_window *hdi_window_of(hd_device *dev)
{
    return HDI_LIKELY(hdi_window_here.dev == dev) ? hdi_window_here.window : hdi_window_find(dev);
}

/* Sequence numbers tell the window: those of the window with number n have n in these bits, and so
 * have the links of access chains. */
enum { HDI_WINDOW_SHIFT = 48, HDI_WINDOWS_MOST = 1 << (64 - HDI_WINDOW_SHIFT - 2) };
static inline int hdi_window_number(uint64_t link)
{
    return (int)(link >> (HDI_WINDOW_SHIFT + 2));
}
/* hdi_window_with - the window of that link. */
static inline hdi_window *hdi_window_with(const hd_device *dev, uint64_t link)
{
    return dev->windows[hdi_window_number(link)];
}

static inline hdi_record *hdi_window_at(hdi_window *w, uint64_t seq)
{
    return &w->ring[seq & (HDI_RING - 1)];
}

/* hdi_record_slot - slot i of the operation whose first slot r is. hdi_record_first - that first
 * one. Of records in the ring. */
static inline hdi_record *hdi_record_slot(const hdi_record *r, int i)
{
    const uint64_t at = r->seq & (HDI_RING - 1);
    return (hdi_record *)(uintptr_t)(r - at) + ((at + (uint64_t)i) & (HDI_RING - 1));
}
static inline hdi_record *hdi_record_first(hdi_record *r)
{
    return HDI_UNLIKELY(r->cls == HDI_MORE) ? hdi_record_slot(r, -(int)r->more) : r;
}
/* hdi_record_slots - how many it has. */
static inline int hdi_record_slots(const hdi_record *r)
{
    return 1 + (int)r->more;
}

/* hdi_watchers_changed - `any` of hdi_watched (core/watch.h) anew, and all windows are told. */
void hdi_watchers_changed(void);

/* hdi_record_begin - room for one more record, cleared apart from its sequence number. May
 * submit older work to make room. Every operand field must be set by the caller, then
 * hdi_record_end() called. */
hdi_record *hdi_record_begin_crowded(hdi_window *w, int slots);
static inline hdi_record *hdi_slot_clear(hdi_record *r, uint64_t seq, hd_op op, char cls,
                                         hd_dtype cdt, int nin)
{
    r->seq = seq;
    r->op = (uint16_t)op;
    r->cls = (uint8_t)cls;
    r->cdt = (uint8_t)cdt;
    r->nin = (uint8_t)nin;
    r->row_fits = 0;
    r->more = 0;
    r->chosen = false;
    r->nedges = 0;
    r->kinds = r->edges = 0;   /* what nobody sets is compared as well: see repeat.h */
    r->payload.none = 0;
    return r;
}
static inline hdi_record *hdi_record_begin(hdi_window *w, hd_op op, char cls, hd_dtype cdt, int nin)
{
    hdi_record *r = hdi_window_at(w, w->next);
    if (HDI_UNLIKELY(w->pending >= HDI_WINDOW_MAX || r->pending ||
                     hdi_memory_bytes.window_only > (int64_t)256 << 20 ||
                     hdi_layouts_crowded() || (w->special & HDI_WATCHED) != 0) &&
        (r = hdi_record_begin_crowded(w, 1)) == NULL)
        return NULL;
    const char *ahead = (const char *)hdi_window_at(w, w->next + 1);
    __builtin_prefetch(ahead, 1, 3);
    __builtin_prefetch(ahead + 64, 1, 3);
    __builtin_prefetch(ahead + 128, 1, 3);
    return hdi_slot_clear(r, w->next, op, cls, cdt, nin);
}
/* hdi_record_begin_many - the same for an operation of up to so many slots. hdi_record_more - its
 * next one, with an output (hdi_record_no_output() if it has none) and nin inputs. */
hdi_record *hdi_record_begin_many(hdi_window *w, hd_op op, char cls, hd_dtype cdt, int nin,
                                  int slots);
hdi_record *hdi_record_more(hdi_record *r, int nin);

static inline void hdi_record_buffer(hdi_record *r, int operand, hdi_buf *b, hd_dtype dt,
                                     const hdi_layout *lay, int64_t off)
{
    hdi_operand *p = &r->operand[operand];
    r->kind[operand] = HDI_ARRAY;
    r->dt[operand] = (uint8_t)dt;
    p->buf = b;
    p->lay = lay;
    p->off = off;
}

static inline void hdi_record_array(hdi_record *r, int operand, const hd_array *x,
                                    const hdi_layout *lay)
{
    hdi_record_buffer(r, operand, x->st->buf, (hd_dtype)x->dtype, lay, x->off);
}

static inline void hdi_record_scalar(hdi_record *r, int operand, hd_dtype dt,
                                     const uint64_t scalar[2])
{
    hdi_operand *p = &r->operand[operand];
    r->kind[operand] = HDI_SCALAR;
    r->dt[operand] = (uint8_t)dt;
    p->buf = NULL;
    p->scalar[0] = scalar[0];
    p->scalar[1] = scalar[1];
}

static inline void hdi_record_index(hdi_record *r, int operand, const hdi_layout *lay, int64_t base)
{
    hdi_operand *p = &r->operand[operand];
    r->kind[operand] = HDI_INDEX;
    r->dt[operand] = HD_INT64;
    p->buf = NULL;
    p->lay = lay;
    p->off = base;
}

static inline void hdi_record_no_output(hdi_record *r)
{
    r->kind[0] = HDI_NONE;
    r->dt[0] = 0;
    r->operand[0].buf = NULL;
}

/* hdi_record_end - hazards, links, counts. Operands in shared memory (M9) are submitted at
 * once. If it fails, nothing was recorded. */
hd_status hdi_record_end(hdi_window *w, hdi_record *r);

/* hdi_run_small - runs r within the call instead of recording it, if all it reads is computed,
 * nothing waits for what it writes, and the device has loops for it; false: it is to be recorded.
 * Nothing of the window changes. Is asked for up to w->small elements. */
bool hdi_run_small(hdi_window *w, hdi_record *r);
/* hdi_runs_at_once - does work over n elements in dev's memory, which is the host's, run within the
 * call? For operations that do it without a record, once what they read is at hand. */
static inline bool hdi_runs_at_once(hd_device *dev, int64_t n)
{
    const hdi_window *w = dev->host_memory ? hdi_window_of(dev) : NULL;
    return w != NULL && n <= w->small && !hdi_at_once();
}
/* hdi_passes_over - is r recorded without more ado? On a GPU whose arrays were asked for in vain so
 * often, if the first one is not at hand; but for one record of eight, by chance: a loop could have
 * the same one come up each time. */
enum { HDI_IN_VAIN = 4096 };
static inline bool hdi_passes_over(hdi_window *w, const hdi_record *r)
{
    if (HDI_LIKELY(w->in_vain < HDI_IN_VAIN) || r->kind[1] != HDI_ARRAY ||
        r->operand[1].buf->host != NULL || r->operand[1].buf == r->operand[0].buf)
        return false;
    w->chance = w->chance * 1664525 + 1013904223;   /* Knuth's linear congruential generator */
    return w->chance >> 29 != 0;
}
/* hdi_small_waits - what becomes of it where much small work is recorded. */
void hdi_small_waits(hdi_window *w);
/* hdi_trust_bringing - so many asks more for what lies on the device, without any being brought. */
enum { HDI_ASK_BY_WAITING = 4 };
void hdi_trust_bringing(hdi_window *w, int asks);
/* hdi_hold_pending - until hdi_let_pending_go(w, what it returned) all work is recorded and what is
 * pending stays, unless the window is full. For operations that look at records between theirs. */
static inline int64_t hdi_hold_pending(hdi_window *w)
{
    const int64_t small = w->small;
    w->small = -1;
    return small;
}
static inline void hdi_let_pending_go(hdi_window *w, int64_t held)
{
    w->small = held;
}

/* hdi_window_captures - is what the calling thread records on dev kept on a tape? */
static inline bool hdi_window_captures(hd_device *dev)
{
    return HDI_UNLIKELY(hdi_captures > 0) && (hdi_window_of(dev)->special & HDI_CAPTURES) != 0;
}
/* hdi_window_part - st gets a generation of its own with the contents of the one it has, as
 * elements of dt. */
hd_status hdi_window_part(hdi_storage *st, hd_dtype dt, int64_t item);
/* hdi_window_unshare - dst is about to be written to in part: if another storage has the same
 * generation (a snapshot), dst's takes a fresh one with the same contents. What was made of the old
 * contents (hdi_buf.words) goes. Rule M10. */
hd_status hdi_window_unshare_cold(hd_array *dst);
static inline hd_status hdi_window_unshare(hd_array *dst)
{
    const hdi_buf *b = dst->st->buf;
    return HDI_LIKELY(b->held == 1 && b->words == NULL) ? HD_OK : hdi_window_unshare_cold(dst);
}

/* hdi_window_demand - submits what b's contents need, in whichever window that is;
 * hdi_window_flush - everything pending in w. Run by hdi_finish(). Of what a flush or a retirement
 * cannot submit hdi_finish() runs what it can; the rest fails, for those who read it.
 * hdi_window_all - lists what is pending and not dead. */
hd_status hdi_window_demand(hdi_buf *b);
void hdi_window_flush(hdi_window *w);
void hdi_window_all(hdi_window *w, hdi_chunk *c);
/* hdi_window_demand_record - submits r and what it needs. */
hd_status hdi_window_demand_record(hdi_window *w, hdi_record *r);
/* hdi_window_closure - lists what b's contents need of w, in order; nothing runs.
 * hdi_window_join_readers - adds to it what reads b in w, and what that needs. */
void hdi_window_closure(hdi_window *w, const hdi_buf *b, hdi_chunk *c);
void hdi_window_join_readers(hdi_window *w, const hdi_buf *b, hdi_chunk *c);
/* hdi_window_retire - submits a prefix of lo to hi records, cut where least is lost.
 * hdi_window_free_slots - the same so that the slots of the next so many records are free, and a
 * quarter of the ring with them. */
void hdi_window_retire(hdi_window *w, int lo, int hi);
void hdi_window_free_slots(hdi_window *w, int slots);
/* hdi_window_free - are the slots of the next so many records free? */
static inline bool hdi_window_free(hdi_window *w, int slots)
{
    bool pending = false;
    for (int i = 0; i < slots; i++)
        pending |= hdi_window_at(w, w->next + (uint64_t)i)->pending;
    return !pending;
}
/* hdi_window_drop_dead - rule M8 over the whole window: drops what was not when it died. */
void hdi_window_drop_dead(hdi_window *w);

/* How many operands of a chunk name a generation, and how many of them are outputs. */
typedef struct hdi_named { uint16_t recs, writes; } hdi_named;

/* hdi_chunk_release - c has been submitted: its records leave the window and let go of its
 * generations, gen[0..ngens). hdi_record_release - the same of one operation (r: its first slot).
 * hdi_record_drop - the same because nobody wants its results; what only it read goes as well.
 * hdi_drop_writer - of the newest write to b, which nobody will read: hdi_unread. */
void hdi_chunk_release(const hdi_chunk *c, hdi_buf *const *gen, const hdi_named *named, int ngens);
void hdi_record_release(hdi_window *w, hdi_record *r);
void hdi_record_drop(hdi_window *w, hdi_record *r);
void hdi_drop_writer(hdi_buf *b);
/* hdi_record_edge - the k-th edge. */
static inline hdi_edge hdi_record_edge(const hdi_record *r, int k)
{
    return k < HDI_EDGES_INLINE ? r->edge[k] : r->more_edges[k - HDI_EDGES_INLINE];
}

/* hdi_window_cut - where to cut the first n pending records, between lo and hi. See
 * window-policy in docs/design/window.md. */
int hdi_window_cut(const hdi_chunk *all, int lo, int hi);

/* How the window reaches execution: exec installs it. */
typedef struct hdi_runner {
    /* under the lock: plans, binds, queues; records leave the window on success only */
    hd_status (*submit)(hd_device *dev, hdi_chunk *c);
    hd_status (*drain)(hd_device *dev);                  /* without it: runs what is queued */
    bool (*relieve)(hd_device *dev);                     /* under it: hdi_relieve() */
} hdi_runner_table;
extern const hdi_runner_table *hdi_runner;

/* Scratch marks of buffers and layouts: whoever needs marks takes ++hdi_epoch, which makes all
 * older ones stale. */
extern uint64_t hdi_epoch;
/* hdi_mark_inputs - all that the operation whose first slot r is reads. */
void hdi_mark_inputs(const hdi_record *r, uint64_t epoch);

/* hdi_finish - leaves the lock, then runs what was submitted for dev (NULL: nothing). */
HDI_UNLOCKS hd_status hdi_finish_slow(hd_device *dev);
HDI_UNLOCKS static inline hd_status hdi_finish(hd_device *dev)
{
    if (HDI_UNLIKELY(hdi_deleters_waiting || (dev != NULL && dev->queued)))
        return hdi_finish_slow(dev);
    hdi_unlock();
    return HD_OK;
}
/* hdi_step_out - the same in the middle of an operation, which goes on after hdi_step_in(). What it
 * knows by a pointer stays meanwhile: layouts all, arrays and generations those that it counts.
 * What it has read of arrays (their generation, their flags) may be another afterwards. */
HDI_UNLOCKS hd_status hdi_step_out(hd_device *dev);
HDI_LOCKS void hdi_step_in(void);
/* hdi_finish_array - as hdi_finish(), at the end of an operation: x, or NULL (x released) if the
 * work failed or was interrupted. */
HDI_UNLOCKS hd_array *hdi_finish_array_slow(hd_array *x, hd_device *dev);
HDI_UNLOCKS static inline hd_array *hdi_finish_array(hd_array *x, hd_device *dev)
{
    if (HDI_UNLIKELY(x == NULL || dev == NULL || dev->queued || hdi_deleters_waiting ||
                     hdi_scope_depth > 0))
        return hdi_finish_array_slow(x, dev);
    hdi_unlock();
    return x;
}

/* Checks that tests can switch off (build with HDI_MUTATE): HEDDLE_MUTATE names one. */
#ifdef HDI_MUTATE
bool hdi_mutated(const char *check);
#define HDI_CHECK(name) (!hdi_mutated(#name))
#else
#define HDI_CHECK(name) true
#endif

#endif
