/* SPDX-License-Identifier: BSD-3-Clause */
/* memory_hook.c - telling the host program of the memory that arrays take and give back.
 *
 * While a thread has a hook, all devices' alloc and free are others than the back end's; without
 * one nothing is asked anywhere. Blocks change hands under the lock, where no code of the host may
 * run: what happened is noted, and told by what is deferred until the lock is given back. That list
 * is everybody's: another thread that finds a teller there puts it back for its owner. */
#include <pthread.h>

#include "base/alloc.h"
#include "base/lock.h"
#include "exec/exec.h"

/* Of a thread that has had a hook. */
typedef struct teller {
    hdi_deleter node;
    hd_memory_hook hook;       /* NULL: it has none now */
    void *ctx;
    hd_memory_event *event;    /* to be told, the oldest first */
    size_t n, room;
    bool deferred;             /* the node is in the list */
    bool telling;              /* the hook is at work: what it takes itself is not told */
    bool ended;                /* the thread has */
    unsigned process;
} teller;

static _Thread_local teller *mine __attribute__((tls_model("initial-exec")));
static pthread_key_t key;      /* of tellers, so that the end of a thread is noticed */
static bool has_key;
static int nhooks;             /* threads that have one */
static unsigned process;       /* one more in each child of a fork(): it has one thread only */

/* ---- noting, under the lock ------------------------------------------------------------------ */

static bool make_room(teller *t)
{
    const size_t room = t->room > 0 ? 2 * t->room : 64, each = sizeof *t->event;
    if (t->n < t->room)
        return true;
    hd_memory_event *event = hdi_realloc(t->event, each * t->room, each * room);
    if (event == NULL)
        return false;
    t->event = event;
    t->room = room;
    return true;
}

static void note(const hd_memory_event *e)
{
    teller *t = mine;
    if (t == NULL || t->hook == NULL || t->telling || !make_room(t))
        return;
    t->event[t->n++] = *e;
    if (!t->deferred)
        hdi_defer(&t->node);
    t->deferred = true;
}

static int64_t block_bytes(const hd_device *dev, const void *ptr, int64_t nbytes)
{
    const hdi_backend *be = dev->backend;
    return be->block_bytes != NULL ? be->block_bytes(dev->state, ptr, nbytes) : nbytes;
}

static int64_t taken(const hd_device *dev)
{
    hdi_memory_stats stats = {0};
    dev->backend->memory_stats(dev->state, &stats, false);
    return stats.taken;
}

static void *noted_alloc(void *heap, int64_t nbytes)
{
    hd_device *dev = heap;
    const int64_t before = taken(dev);
    void *p = dev->backend->alloc(dev->state, nbytes);
    note(&(hd_memory_event){.device = dev,
                            .asked = nbytes,
                            .block = block_bytes(dev, p, nbytes),
                            .fresh = taken(dev) - before,
                            .address = (uintptr_t)p});
    return p;
}

static void noted_free(void *heap, void *ptr, int64_t nbytes)
{
    hd_device *dev = heap;
    const hd_memory_event e = {.given_back = 1,
                               .device = dev,
                               .asked = nbytes,
                               .block = block_bytes(dev, ptr, nbytes),
                               .address = (uintptr_t)ptr};
    dev->backend->free(dev->state, ptr, nbytes);
    if (ptr != NULL)
        note(&e);
}

void hdi_memory_functions(hd_device *dev)
{
    dev->alloc = nhooks > 0 ? noted_alloc : dev->backend->alloc;
    dev->free = nhooks > 0 ? noted_free : dev->backend->free;
    dev->heap = nhooks > 0 ? dev : dev->state;
}

static void count_hooks(int more)
{
    int n;
    hd_device *devs = hdi_devices(&n);
    nhooks += more;
    for (int d = 0; d < n; d++)
        hdi_memory_functions(&devs[d]);
}

/* ---- telling, without it --------------------------------------------------------------------- */

static void free_events(hd_memory_event *event, size_t room)
{
    hdi_free(event, sizeof *event * room);
}

static void free_teller(teller *t)
{
    free_events(t->event, t->room);
    hdi_free(t, sizeof *t);
}

/* This thread's. */
static void tell(teller *t)
{
    hdi_lock();
    const size_t n = t->telling ? 0 : t->n, room = t->room;
    const hd_memory_hook hook = t->hook;
    hd_memory_event *event = t->event;
    void *ctx = t->ctx;
    if (n > 0) {
        t->telling = true;
        t->event = NULL;
        t->n = t->room = 0;
    }
    hdi_unlock();
    for (size_t k = 0; k < n; k++)
        hook(&event[k], ctx);
    if (n == 0)
        return;
    free_events(event, room);
    hdi_lock();   /* allowed: the teller is this thread's */
    t->telling = false;
    hdi_unlock();
}

static void run_deferred(void *ctx)
{
    teller *t = ctx;
    hdi_lock();
    const bool gone = t->ended || t->process != process, other = t != mine;
    t->deferred = other && !gone;
    if (t->deferred)
        hdi_defer(&t->node);
    hdi_unlock();
    if (gone)
        free_teller(t);
    else if (!other)
        tell(t);
}

/* ---- hooks ----------------------------------------------------------------------------------- */

static void thread_ends(void *ctx)
{
    teller *t = ctx;
    hdi_lock();
    if (t->hook != NULL && t->process == process)
        count_hooks(-1);
    t->ended = true;
    const bool deferred = t->deferred;
    hdi_unlock();
    mine = NULL;
    if (!deferred)
        free_teller(t);
}

static void make_key(void)
{
    has_key = pthread_key_create(&key, thread_ends) == 0;
}

/* NULL: no memory. */
static teller *teller_new(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_key);
    teller *t = has_key ? hdi_calloc(sizeof *t) : NULL;
    if (t == NULL || pthread_setspecific(key, t) != 0) {
        hdi_free(t, sizeof *t);
        hdi_fail(HD_NOMEM, "out of memory for a memory hook");
        return NULL;
    }
    t->node = (hdi_deleter){.run = run_deferred, .ctx = t};
    t->process = process;
    return mine = t;
}

hd_status hd_set_memory_hook(hd_memory_hook hook, void *ctx)
{
    teller *t = mine;
    if (t == NULL && (hook == NULL || (t = teller_new()) == NULL))
        return hook == NULL ? HD_OK : HD_NOMEM;
    tell(t);
    hdi_lock();
    const int more = (hook != NULL) - (t->hook != NULL);
    t->hook = hook;
    t->ctx = ctx;
    if (more != 0)
        count_hooks(more);
    hdi_unlock();
    return HD_OK;
}

void hdi_memory_hooks_after_fork(void)
{
    process++;
    if (mine != NULL)
        mine->process = process;
    count_hooks((mine != NULL && mine->hook != NULL) - nhooks);
}
