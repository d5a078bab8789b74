/* SPDX-License-Identifier: BSD-3-Clause */
/* storage.h - memory as users know it (storage) and as kernels know it (buffer generations).
 * Owns       hdi_storage, hdi_buf
 * Invariant  a storage with handles holds exactly one generation; two storages hold the same one
 *            only after a snapshot (rule M10), until either is written to; tapes hold generations
 *            as storages do, and none of these is shared; a generation is freed when nobody holds
 *            it, no pending record names it, no unfinished job uses it and nobody outside has its
 *            address
 * Threads    all under the library's lock
 * Start at   hdi_storage_new()
 * See        docs/design/window.md, rules M1, M2, M7, M8, M9 */
#ifndef HDI_STORAGE_H
#define HDI_STORAGE_H

#include "base/lock.h"
#include "core/device.h"
#include "core/layout.h"

/* Generations of a device whose memory the host cannot read may have their contents in a mirror on
 * the host, on the device, or in both: small ones from the first, larger ones once elements of them
 * have been asked for so often. docs/design/window.md, "Mirrors". */
enum { HDI_MIRROR_MOST = 4096, HDI_MIRROR_ROWS = 1 << 16, HDI_MIRROR_LARGE = 16 << 20 };
enum { HDI_ASKS = 8, HDI_BYTES_AN_ASK = 1 << 17, HDI_BROUGHT = UINT16_MAX };

/* The first 64 bytes are what recording touches. */
typedef struct hdi_buf {
    int32_t held;           /* storages with handles whose current generation it is, and tapes */
    int32_t recs;           /* operands of pending records that name it */
    int32_t writes;         /* of them, outputs */
    /* operands of unfinished jobs, and whoever else must find it again after giving the lock
     * back */
    int32_t jobs;
    int32_t pins;           /* addresses handed out, plus 1 if the memory is foreign: rule M9 */
    uint32_t number;        /* scratch, with mark */
    /* newest pending accesses: sequence number * 4 + operand; 0 none */
    uint64_t write_link, read_link;
    uint8_t *mem;           /* the device's; NULL until something was computed into it */
    /* where the host reads the contents: mem, if the host can, else the mirror; NULL: nowhere */
    uint8_t *host;
    int64_t nbytes;
    uint64_t mark;          /* scratch: see hdi_epoch */
    hd_device *dev;
    bool counted;           /* in the window's sum of bytes that only the window keeps */
    bool listed;            /* among its device's `asked` */
    /* how often small work could have run on the host, had it had these contents; HDI_BROUGHT:
     * they have been brought for that */
    uint16_t asked;
    bool stale;             /* the mirror has the contents, and mem has older ones */
    bool several;           /* reads are pending in several windows, if any: window/windows.h */
    uint16_t taped;         /* tapes that hold it (window/tape.h); its storage keeps it then */
    uint32_t version;       /* jobs submitted that write to it: whose mirror they change */
    /* copies out of it that run without the lock: its memory may not be given away */
    int32_t readers;
    hd_error *error;        /* why computing it failed; each read raises it again */
    uint64_t failed_from;   /* jobs of lower numbers mean what was there before */
    /* the job that writes to it last, and the one that reads that last: see exec/lanes.h */
    uint64_t wrote, read;
    struct hdi_deleter *foreign;   /* memory of somebody else: what to call at the end */
    /* of a mask, what its device made of it (ops/index/select.c): a handle of that storage, or
     * NULL; and how many are true, or -1. Gone before the generation is written to once more */
    struct hdi_storage *words;
    int64_t trues;
    /* memory on the host of a small generation of another device, NULL: it has none so far */
    uint8_t *mirror;
    /* memory or mirror of a generation this small, if it was not laid out with others */
    _Alignas(16) uint8_t spot[16];
} hdi_buf;

typedef struct hdi_storage {
    hdi_buf *buf;
    int64_t handles;
    size_t noted;           /* place in hdi_snapshots, if it is there */
} hdi_storage;

/* Byte counts for the window's bound: of storages with handles, and of generations that only
 * pending records keep alive. */
typedef struct hdi_bytes {
    uint64_t held;   /* wraps: arrays without memory may be of any size */
    int64_t window_only;
} hdi_bytes;
extern hdi_bytes hdi_memory_bytes;

/* Freed objects are kept for the next array: small arrays come and go by the million. Spare
 * generations are clean: every field that a new one wants to be 0 is. */
enum { HDI_SPARE_MAX = 4096 };
typedef struct hdi_spares {
    int nbufs, nstorages;
    hdi_buf *buf[HDI_SPARE_MAX];
    hdi_storage *storage[HDI_SPARE_MAX];
} hdi_spares;
extern hdi_spares hdi_spare;

/* A clean generation, and a storage over one, as they begin. */
static inline hdi_buf *hdi_buf_open(hdi_buf *b, hd_device *dev, int64_t nbytes)
{
    b->nbytes = nbytes + (nbytes == 0);   /* an empty array has an address as well */
    b->dev = dev;
    b->held = 1;
    hdi_memory_bytes.held += (uint64_t)b->nbytes;
    return b;
}
static inline hdi_storage *hdi_storage_open(hdi_storage *st, hdi_buf *b)
{
    st->buf = b;
    st->handles = 1;
    return st;
}

/* hdi_storage_new - one handle, a fresh generation of nbytes without memory. NULL and HD_NOMEM
 * on failure. */
hdi_storage *hdi_storage_new_cold(hd_device *dev, int64_t nbytes);
static inline hdi_storage *hdi_storage_new(hd_device *dev, int64_t nbytes)
{
    if (HDI_UNLIKELY(hdi_spare.nbufs == 0 || hdi_spare.nstorages == 0))
        return hdi_storage_new_cold(dev, nbytes);
    hdi_storage *st = hdi_spare.storage[--hdi_spare.nstorages];
    hdi_buf *b = hdi_spare.buf[--hdi_spare.nbufs];
    /* the next one has been out of the first-level cache since the window let go of it */
    if (HDI_LIKELY(hdi_spare.nbufs > 0))
        __builtin_prefetch(hdi_spare.buf[hdi_spare.nbufs - 1], 1, 3);
    return hdi_storage_open(st, hdi_buf_open(b, dev, nbytes));
}
/* Storages that were made as snapshots, some of which are none any more: NULL, dead, or used again.
 * hdi_is_shared - has another storage its generation as well? */
typedef struct hdi_snapshot_list {
    hdi_storage **storage;
    size_t n, room;
} hdi_snapshot_list;
extern hdi_snapshot_list hdi_snapshots;
static inline bool hdi_is_shared(const hdi_storage *st)
{
    return st != NULL && st->handles > 0 && st->buf->held - st->buf->taped > 1;
}
/* hdi_captures - threads that capture (window/tape.h). While there are any, no generation is shared
 * anew, no storage takes another one, and nothing recorded depends on values that the host knows.
 * hdi_captures_count - one more, or less. hdi_may_capture - are there any? Without the lock: a
 * thread knows its own.
 * hdi_buf_keeps_place - is b what its storage has, whatever is stored there? */
extern int hdi_captures;
static inline void hdi_captures_count(int more)
{
    __atomic_store_n(&hdi_captures, hdi_captures + more, __ATOMIC_RELAXED);
}
static inline bool hdi_may_capture(void)
{
    return HDI_UNLIKELY(__atomic_load_n(&hdi_captures, __ATOMIC_RELAXED) > 0);
}
static inline bool hdi_buf_keeps_place(const hdi_buf *b)
{
    return (b->pins | b->taped | hdi_captures) != 0;
}

/* hdi_storage_snapshot - another storage with the same current generation: whoever is written to
 * first takes a fresh one (rule M10). */
hdi_storage *hdi_storage_snapshot(hdi_storage *st);
/* hdi_storage_renew - a fresh generation takes the place of the current one (rule M7).
 * hdi_storage_restore - takes that back: `old`, which the caller kept alive, is current again. */
hd_status hdi_storage_renew(hdi_storage *st);
void hdi_storage_restore(hdi_storage *st, hdi_buf *old);

/* hdi_buf_new - a generation that one storage holds; NULL: no memory. */
hdi_buf *hdi_buf_new(hd_device *dev, int64_t nbytes);
/* hdi_buf_settle - frees b if nothing needs it any more. Call after any count went down. */
void hdi_buf_free(hdi_buf *b);
static inline void hdi_buf_settle(hdi_buf *b)
{
    if ((b->held | b->recs | b->jobs) == 0)
        hdi_buf_free(b);
}
/* hdi_buf_count - if only pending records keep b's memory alive, that now counts against the
 * window. */
static inline void hdi_buf_count(hdi_buf *b)
{
    if (!b->held && b->recs > 0 && b->mem != NULL && !b->counted) {
        b->counted = true;
        hdi_memory_bytes.window_only += b->nbytes;
    }
}
/* hdi_buf_let_go - one storage less holds b. If then the newest pending access is a write, nobody
 * will read what it writes: the window is told (hdi_unread) and can drop it at once. */
void hdi_buf_let_go(hdi_buf *b);
extern void (*hdi_unread)(hdi_buf *b);
static inline bool hdi_buf_unread(const hdi_buf *b)
{
    return b->write_link > b->read_link && (b->held | b->pins) == 0;
}
/* hdi_storage_release - one handle less. */
void hdi_storage_gone(hdi_storage *st);
static inline void hdi_storage_release(hdi_storage *st)
{
    if (--st->handles == 0)
        hdi_storage_gone(st);
}

/* hdi_buf_drop_words - b's contents will be other ones, or nobody wants them: what was made of
 * these goes. */
void hdi_buf_drop_words(hdi_buf *b);

/* hdi_buf_mirrored - the host reads b's contents in a mirror. hdi_buf_may_mirror - b may have one:
 * it is small, and nobody outside knows its address. hdi_buf_changed - the host has written to
 * b->host. */
static inline bool hdi_buf_mirrored(const hdi_buf *b)
{
    return b->host != NULL && b->host != b->mem;
}
static inline bool hdi_buf_may_mirror(const hdi_buf *b)
{
    return b->nbytes <= b->dev->mirror_most && b->pins == 0;
}
/* hdi_buf_may_ask - may b have one if it is asked for often? hdi_buf_is_asked - it has been.
 * hdi_buf_ask - so many times more, unless that is enough already. */
static inline bool hdi_buf_may_ask(const hdi_buf *b)
{
    return b->dev->mirror_most > 0 && b->nbytes <= HDI_MIRROR_LARGE && b->pins == 0;
}
static inline bool hdi_buf_is_asked(const hdi_buf *b)
{
    return b->asked >= (HDI_ASKS + b->nbytes / HDI_BYTES_AN_ASK) << b->dev->reluctance;
}
static inline void hdi_buf_ask(hdi_buf *b, int times)
{
    if (!hdi_buf_is_asked(b))
        b->asked = (uint16_t)(b->asked + times);
}
static inline void hdi_buf_changed(hdi_buf *b)
{
    if (HDI_UNLIKELY(hdi_buf_mirrored(b)))
        b->stale = true;
}
/* hdi_buf_list - b is among the latest that were asked for, until it goes. */
static inline void hdi_buf_list(hdi_buf *b)
{
    hd_device *dev = b->dev;
    hdi_buf **place = &dev->asked[dev->nasked++ % HDI_ASKED_MOST];
    if (*place != NULL)
        (*place)->listed = false;
    b->listed = true;
    *place = b;
}
void hdi_buf_unlist(hdi_buf *b);
/* hdi_buf_empty - nothing has been computed into b. hdi_buf_at_hand - b has been computed, the host
 * reads it in b->host, and nothing is about to write to it. hdi_buf_untouched - nothing that is
 * pending or queued names it either. */
static inline bool hdi_buf_empty(const hdi_buf *b)
{
    return b->mem == NULL && b->host == NULL;
}
static inline bool hdi_buf_at_hand(const hdi_buf *b)
{
    return b->host != NULL && (b->writes | b->jobs) == 0 && b->error == NULL;
}
/* hdi_buf_known - at hand, and what is recorded now may depend on it. */
static inline bool hdi_buf_known(const hdi_buf *b)
{
    return hdi_buf_at_hand(b) && hdi_captures == 0;
}
static inline bool hdi_buf_untouched(const hdi_buf *b)
{
    return (b->recs | b->jobs) == 0 && b->error == NULL;
}
/* hdi_buf_writable - the host may write to b->host now, as far as those who hold b are concerned.
 * To a large mirror only if more writes are to be expected: all of it goes to the device later.
 * hdi_buf_alone - nobody notices but those who read its one storage. */
static inline bool hdi_buf_writable(const hdi_buf *b)
{
    return b->host != NULL && hdi_buf_untouched(b) &&
           (b->host == b->mem ||
            (b->pins == 0 &&
             (b->nbytes <= HDI_MIRROR_MOST || b->stale || hdi_buf_is_asked(b))));
}
static inline bool hdi_buf_alone(const hdi_buf *b)
{
    return hdi_buf_writable(b) && b->held == 1 && b->words == NULL;
}
/* hdi_buf_take_memory - gives b, which is empty, memory, or a mirror if it may have one; false, and
 * no error, if there is none. hdi_buf_take_host - the same only where the host can write then.
 * hdi_buf_set_mirror - b's first one; NULL: there is no memory for it.
 * hdi_buf_take_far - gives b memory of its device; contents stay in the mirror.
 * hdi_buf_give_memory - takes all of it away again. hdi_buf_on_spot - is b's memory its own, which
 * nobody else can take over? */
void hdi_buf_set_mirror(hdi_buf *b, uint8_t *mirror);
bool hdi_buf_take_mirror(hdi_buf *b);
static inline bool hdi_buf_take_far(hdi_buf *b)
{
    b->mem = b->dev->alloc(b->dev->heap, b->nbytes);
    return b->mem != NULL;
}
static inline bool hdi_buf_on_spot(const hdi_buf *b)
{
    return b->mem == b->spot;
}
static inline bool hdi_buf_take_memory(hdi_buf *b)
{
    if (HDI_UNLIKELY(!b->dev->host_memory))
        return hdi_buf_may_mirror(b) ? hdi_buf_take_mirror(b) : hdi_buf_take_far(b);
    bool fits = b->nbytes <= (int64_t)sizeof b->spot;
    b->mem = fits ? b->spot : b->dev->alloc(b->dev->heap, b->nbytes);
    b->host = b->mem;
    return b->mem != NULL;
}
static inline bool hdi_buf_take_host(hdi_buf *b)
{
    return (b->dev->host_memory || hdi_buf_may_mirror(b)) && hdi_buf_take_memory(b);
}
void hdi_buf_give_mirror(hdi_buf *b);
static inline void hdi_buf_give_memory(hdi_buf *b)
{
    if (HDI_UNLIKELY(b->mirror != NULL))
        hdi_buf_give_mirror(b);
    if (b->mem != NULL && !hdi_buf_on_spot(b))
        b->dev->free(b->dev->heap, b->mem, b->nbytes);
    b->mem = b->host = NULL;
}
/* hdi_buf_memory - hdi_buf_take_memory() if b is empty. hdi_no_memory - HD_NOMEM: dev has not that
 * much, with what it holds.
 * hdi_never_fits - HD_NOMEM if dev could not store that array whatever else it gave back;
 * hdi_is_large - is it worth asking? */
hd_status hdi_no_memory(const hd_device *dev, int64_t nbytes);
hd_status hdi_buf_memory(hdi_buf *b);
hd_status hdi_never_fits(const hd_device *dev, int64_t nbytes, const hdi_layout *lay);
static inline bool hdi_is_large(int64_t nbytes) { return nbytes >= (int64_t)1 << 26; }

/* hdi_buf_set_foreign - b's memory is somebody else's from now on (rule M9); deleter may be
 * NULL. */
hd_status hdi_buf_set_foreign(hdi_buf *b, void *mem, void (*deleter)(void *ctx), void *ctx);
/* hdi_buf_distance - could a and b be the same memory? Then *bytes is b's address as seen from
 * a: 0 if they are one generation. Two generations can be only where somebody outside has both
 * addresses. */
static inline bool hdi_buf_distance(const hdi_buf *a, const hdi_buf *b, int64_t *bytes)
{
    *bytes = 0;
    if (HDI_LIKELY(a == b))
        return true;
    if (HDI_LIKELY(a->pins == 0 || b->pins == 0) || a->mem == NULL || b->mem == NULL)
        return false;
    *bytes = (int64_t)((uintptr_t)b->mem - (uintptr_t)a->mem);
    return true;
}
/* hdi_buf_fail - b could not be computed: every read raises why, those of jobs before the number
 * `from` apart. hdi_failed_bufs - generations
 * that failed and are still there. hdi_buf_forget_error - b failed, and gets other contents. */
void hdi_buf_fail(hdi_buf *b, const hd_error *why, uint64_t from);
void hdi_buf_forget_error(hdi_buf *b);
extern int64_t hdi_failed_bufs;

/* Foreign deleters, and whatever else may not run under the lock, run after it is given back:
 * hdi_defer() and hdi_deleters_take() under the lock, hdi_deleters_run() without it. */
typedef struct hdi_deleter {
    struct hdi_deleter *next;
    void (*run)(void *ctx);        /* may be NULL */
    void *ctx;
    size_t bytes;                  /* of this node, to be freed; 0: run() sees to it */
} hdi_deleter;
void hdi_defer(hdi_deleter *node);
hdi_deleter *hdi_deleters_take(void);
HDI_AWAY void hdi_deleters_run(hdi_deleter *list);
extern bool hdi_deleters_waiting;

#endif
