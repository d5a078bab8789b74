/* SPDX-License-Identifier: BSD-3-Clause */
/* storage.c - lives and deaths of storages and buffer generations. */
#include "core/storage.h"

#include "base/alloc.h"

/* Freed objects are kept for the next array: small arrays come and go by the million. */
enum { SPARE_MAX = 4096 };
static hdi_buf *spare_bufs[SPARE_MAX];
static hdi_storage *spare_storages[SPARE_MAX];
static int nspare_bufs, nspare_storages;

hdi_bytes hdi_memory_bytes;
int64_t hdi_failed_bufs;
bool hdi_deleters_waiting;

struct hdi_deleter {
    hdi_deleter *next;
    void (*run)(void *ctx);
    void *ctx;
};
static hdi_deleter *waiting_deleters;

static hdi_buf *buf_new(hd_device *dev, int64_t nbytes)
{
    hdi_buf *b;
    if (HDI_LIKELY(nspare_bufs > 0))
        b = spare_bufs[--nspare_bufs];
    else if ((b = hdi_alloc(sizeof *b)) == NULL)
        return NULL;
    memset(b, 0, sizeof *b);
    b->nbytes = nbytes > 0 ? nbytes : 1;   /* an empty array has an address as well */
    b->dev = dev;
    b->held = 1;
    return b;
}

static void buf_free(hdi_buf *b)
{
    if (b->counted)
        hdi_memory_bytes.window_only -= b->nbytes;
    if (b->mem != NULL && b->foreign == NULL)
        b->dev->free(b->dev->state, b->mem, b->nbytes);
    if (b->error != NULL) {
        hdi_free(b->error, sizeof *b->error);
        hdi_failed_bufs--;
    }
    if (nspare_bufs < SPARE_MAX)
        spare_bufs[nspare_bufs++] = b;
    else
        hdi_free(b, sizeof *b);
}

/* The node was made together with the wrapping array, so that letting go can never fail. */
static void defer_deleter(hdi_deleter *node)
{
    node->next = waiting_deleters;
    waiting_deleters = node;
    hdi_deleters_waiting = true;
}

void hdi_buf_settle(hdi_buf *b)
{
    if (b->held > 0 || b->recs > 0 || b->jobs > 0)
        return;
    if (b->foreign != NULL)
        defer_deleter(b->foreign);
    buf_free(b);
}

hdi_deleter *hdi_deleters_take(void)
{
    hdi_deleter *list = waiting_deleters;
    waiting_deleters = NULL;
    hdi_deleters_waiting = false;
    return list;
}

void hdi_deleters_run(hdi_deleter *list)
{
    while (list != NULL) {
        hdi_deleter *next = list->next;
        if (list->run != NULL)
            list->run(list->ctx);
        hdi_free(list, sizeof *list);
        list = next;
    }
}

hd_status hdi_buf_memory(hdi_buf *b)
{
    if (b->mem == NULL && (b->mem = b->dev->alloc(b->dev->state, b->nbytes)) == NULL)
        return hdi_fail(HD_NOMEM, "unable to allocate %lld bytes for an array on device %s",
                        (long long)b->nbytes, b->dev->name);
    return HD_OK;
}

hdi_storage *hdi_storage_new(hd_device *dev, int64_t nbytes)
{
    hdi_storage *st = NULL;
    hdi_buf *b = buf_new(dev, nbytes);
    if (b != NULL) {
        if (HDI_LIKELY(nspare_storages > 0))
            st = spare_storages[--nspare_storages];
        else
            st = hdi_alloc(sizeof *st);
        if (st == NULL) {
            b->held = 0;
            buf_free(b);
        }
    }
    if (st == NULL) {
        hdi_fail(HD_NOMEM, "out of memory for an array handle");
        return NULL;
    }
    st->buf = b;
    st->handles = 1;
    hdi_memory_bytes.held += b->nbytes;
    return st;
}

void hdi_buf_count(hdi_buf *b)
{
    if (!b->held && b->recs > 0 && b->mem != NULL && !b->counted) {
        b->counted = true;
        hdi_memory_bytes.window_only += b->nbytes;
    }
}

/* The current generation loses its storage.  */
static void let_go(hdi_buf *b)
{
    b->held = 0;
    hdi_memory_bytes.held -= b->nbytes;
    hdi_buf_count(b);
    hdi_buf_settle(b);
}

void hdi_storage_release(hdi_storage *st)
{
    if (--st->handles > 0)
        return;
    let_go(st->buf);
    if (nspare_storages < SPARE_MAX)
        spare_storages[nspare_storages++] = st;
    else
        hdi_free(st, sizeof *st);
}

hd_status hdi_storage_renew(hdi_storage *st)
{
    hdi_buf *fresh = buf_new(st->buf->dev, st->buf->nbytes);
    if (fresh == NULL)
        return hdi_fail(HD_NOMEM, "out of memory for an array handle");
    hdi_memory_bytes.held += fresh->nbytes;
    let_go(st->buf);
    st->buf = fresh;
    return HD_OK;
}

void hdi_storage_restore(hdi_storage *st, hdi_buf *old)
{
    let_go(st->buf);
    st->buf = old;
    old->held = 1;
    hdi_memory_bytes.held += old->nbytes;
    if (old->counted) {
        old->counted = false;
        hdi_memory_bytes.window_only -= old->nbytes;
    }
}

hd_status hdi_buf_set_foreign(hdi_buf *b, void *mem, void (*deleter)(void *ctx), void *ctx)
{
    hdi_deleter *node = hdi_alloc(sizeof *node);
    if (node == NULL)
        return hdi_fail(HD_NOMEM, "out of memory for a shared array");
    *node = (hdi_deleter){NULL, deleter, ctx};
    b->mem = mem;
    b->pins = 1;
    b->foreign = node;
    return HD_OK;
}

void hdi_buf_fail(hdi_buf *b, const hd_error *why)
{
    if (b->error == NULL && (b->error = hdi_alloc(sizeof *b->error)) != NULL) {
        *b->error = *why;
        hdi_failed_bufs++;
    }
}
