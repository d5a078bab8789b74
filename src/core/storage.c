/* SPDX-License-Identifier: BSD-3-Clause */
/* storage.c - lives and deaths of storages and buffer generations. */
#include "core/storage.h"

#include "base/alloc.h"

hdi_spares hdi_spare;
hdi_bytes hdi_memory_bytes;
int64_t hdi_failed_bufs;
void (*hdi_unread)(hdi_buf *b);
bool hdi_deleters_waiting;
hdi_snapshot_list hdi_snapshots;
int hdi_captures;

static hdi_deleter *waiting_deleters;

static inline hdi_buf *buf_new(hd_device *dev, int64_t nbytes)
{
    hdi_buf *b;
    if (HDI_LIKELY(hdi_spare.nbufs > 0))
        b = hdi_spare.buf[--hdi_spare.nbufs];
    else if ((b = hdi_calloc(sizeof *b)) == NULL)
        return NULL;
    return hdi_buf_open(b, dev, nbytes);
}

hdi_buf *hdi_buf_new(hd_device *dev, int64_t nbytes)
{
    return buf_new(dev, nbytes);
}

/* The node was made together with what it ends, so that letting go can never fail. */
void hdi_defer(hdi_deleter *node)
{
    node->next = waiting_deleters;
    waiting_deleters = node;
    hdi_deleters_waiting = true;
}

/* What is said of a failure when there is no memory to note its reason. */
static hd_error unnoted = {.code = HD_NOMEM, .message = "out of memory"};

void hdi_buf_fail(hdi_buf *b, const hd_error *why, uint64_t from)
{
    if (b->error != NULL)
        return;
    if ((b->error = hdi_alloc(sizeof *b->error)) != NULL)
        *b->error = *why;
    else
        b->error = &unnoted;
    b->failed_from = from;
    hdi_failed_bufs++;
}

void hdi_buf_forget_error(hdi_buf *b)
{
    if (b->error != &unnoted)
        hdi_free(b->error, sizeof *b->error);
    b->error = NULL;
    hdi_failed_bufs--;
}

static void drop_contents(hdi_buf *b)
{
    if (b->counted)
        hdi_memory_bytes.window_only -= b->nbytes;
    if (b->foreign != NULL)
        hdi_defer(b->foreign);
    else if (!hdi_buf_empty(b) || b->mirror != NULL)
        hdi_buf_give_memory(b);
    if (b->error != NULL)
        hdi_buf_forget_error(b);
    memset(b, 0, sizeof *b);
}

void hdi_buf_drop_words(hdi_buf *b)
{
    hdi_storage *words = b->words;
    b->words = NULL;
    b->trues = 0;
    if (words != NULL)
        hdi_storage_release(words);
}

void hdi_buf_unlist(hdi_buf *b)
{
    for (int k = 0; k < HDI_ASKED_MOST; k++)
        if (b->dev->asked[k] == b)
            b->dev->asked[k] = NULL;
    b->listed = false;
}

void hdi_buf_free(hdi_buf *b)
{
    b->asked = 0;
    if (HDI_UNLIKELY(b->listed))
        hdi_buf_unlist(b);
    if (HDI_UNLIKELY(b->words != NULL))
        hdi_buf_drop_words(b);
    if (b->mem != NULL || b->mirror != NULL || b->error != NULL || b->pins != 0)
        drop_contents(b);
    b->write_link = b->read_link = 0;
    hd_assert(b->writes == 0 && b->readers == 0 && !b->counted && b->foreign == NULL);
    if (HDI_LIKELY(hdi_spare.nbufs < HDI_SPARE_MAX))
        hdi_spare.buf[hdi_spare.nbufs++] = b;
    else
        hdi_free(b, sizeof *b);
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
        const size_t bytes = list->bytes;
        if (list->run != NULL)
            list->run(list->ctx);
        if (bytes > 0)
            hdi_free(list, bytes);
        list = next;
    }
}

hd_status hdi_no_memory(const hd_device *dev, int64_t nbytes)
{
    int64_t used = 0, kept = 0;
    dev->held(dev, &used, &kept);
    return hdi_fail(HD_NOMEM,
                    "unable to allocate %lld bytes for an array on device %s, which has %lld in "
                    "use and %lld kept for reuse",
                    (long long)nbytes, dev->name, (long long)used, (long long)kept);
}

hd_status hdi_never_fits(const hd_device *dev, int64_t nbytes, const hdi_layout *lay)
{
    char shape[200];
    int64_t most = dev->capacity != NULL && hdi_is_large(nbytes) ? dev->capacity(dev->state)
                                                                 : INT64_MAX;
    if (nbytes <= most)
        return HD_OK;
    return hdi_fail(HD_NOMEM,
                    "unable to allocate %lld bytes for an array with shape %s; device %s has %lld "
                    "altogether",
                    (long long)nbytes, hdi_shape_text(lay->nd, lay->dims, shape, sizeof shape),
                    dev->name, (long long)most);
}

void hdi_buf_set_mirror(hdi_buf *b, uint8_t *mirror)
{
    b->mirror = mirror;
    b->dev->mirrored += mirror != NULL ? b->nbytes : 0;
}

bool hdi_buf_take_mirror(hdi_buf *b)
{
    bool fits = b->nbytes <= (int64_t)sizeof b->spot;
    if (b->mirror == NULL)
        hdi_buf_set_mirror(b, fits ? b->spot : hdi_alloc((size_t)b->nbytes));
    b->host = b->mirror;
    b->stale = b->mem != NULL;
    return b->mirror != NULL;
}

void hdi_buf_give_mirror(hdi_buf *b)
{
    if (b->mirror != b->spot)
        hdi_free(b->mirror, (size_t)b->nbytes);
    b->dev->mirrored -= b->nbytes;
    b->mirror = b->host = NULL;
    b->stale = false;
}

hd_status hdi_buf_memory(hdi_buf *b)
{
    if (hdi_buf_empty(b) && !hdi_buf_take_memory(b))
        return hdi_no_memory(b->dev, b->nbytes);
    return HD_OK;
}

/* A storage, not over a generation yet. */
static hdi_storage *storage_new(void)
{
    hdi_storage *st = NULL;
    if (hdi_spare.nstorages > 0)
        st = hdi_spare.storage[--hdi_spare.nstorages];
    else if ((st = hdi_alloc(sizeof *st)) == NULL)
        hdi_fail(HD_NOMEM, "out of memory for an array handle");
    else
        st->noted = 0;
    return st;
}

/* It may have been a snapshot's once. */
static void storage_free(hdi_storage *st)
{
    if (st->noted < hdi_snapshots.n && hdi_snapshots.storage[st->noted] == st)
        hdi_snapshots.storage[st->noted] = NULL;
    hdi_free(st, sizeof *st);
}

/* Only what is shared stays in the list; of a full one, half the room is free afterwards. */
static bool room_for_snapshot(void)
{
    hdi_snapshot_list *l = &hdi_snapshots;
    const size_t each = sizeof *l->storage;
    if (l->n < l->room)
        return true;
    size_t kept = 0;
    for (size_t k = 0; k < l->n; k++)
        if (hdi_is_shared(l->storage[k])) {
            l->storage[k]->noted = kept;
            l->storage[kept++] = l->storage[k];
        }
    l->n = kept;
    if (kept < l->room / 2 + 1 && l->room > 0)
        return true;
    const size_t room = l->room > 0 ? 2 * l->room : 64;
    hdi_storage **list = hdi_realloc(l->storage, each * l->room, each * room);
    if (list == NULL)
        return kept < l->room;
    l->storage = list;
    l->room = room;
    return true;
}

static void note_snapshot(hdi_storage *st)
{
    if (st->noted < hdi_snapshots.n && hdi_snapshots.storage[st->noted] == st)
        return;
    st->noted = hdi_snapshots.n;
    hdi_snapshots.storage[hdi_snapshots.n++] = st;
}

hdi_storage *hdi_storage_new_cold(hd_device *dev, int64_t nbytes)
{
    hdi_storage *st = storage_new();
    hdi_buf *b = st != NULL ? buf_new(dev, nbytes) : NULL;
    if (b == NULL) {
        hdi_fail(HD_NOMEM, "out of memory for an array handle");
        if (st != NULL)
            storage_free(st);
        return NULL;
    }
    return hdi_storage_open(st, b);
}

hdi_storage *hdi_storage_snapshot(hdi_storage *st)
{
    if (!room_for_snapshot()) {
        hdi_fail(HD_NOMEM, "out of memory for an array handle");
        return NULL;
    }
    hdi_storage *copy = storage_new();
    if (copy == NULL)
        return NULL;
    st->buf->held++;
    note_snapshot(copy);
    return hdi_storage_open(copy, st->buf);
}

static inline void let_go(hdi_buf *b)
{
    if (HDI_UNLIKELY(--b->held > 0))
        return;
    hdi_memory_bytes.held -= (uint64_t)b->nbytes;
    if (b->recs > 0) {
        hdi_buf_count(b);
        if (hdi_buf_unread(b))
            hdi_unread(b);
    } else {
        hdi_buf_settle(b);
    }
}

void hdi_buf_let_go(hdi_buf *b)
{
    let_go(b);
}

void hdi_storage_gone(hdi_storage *st)
{
    let_go(st->buf);
    if (HDI_LIKELY(hdi_spare.nstorages < HDI_SPARE_MAX))
        hdi_spare.storage[hdi_spare.nstorages++] = st;
    else
        storage_free(st);
}

hd_status hdi_storage_renew(hdi_storage *st)
{
    hdi_buf *fresh = buf_new(st->buf->dev, st->buf->nbytes);
    if (fresh == NULL)
        return hdi_fail(HD_NOMEM, "out of memory for an array handle");
    let_go(st->buf);
    st->buf = fresh;
    return HD_OK;
}

void hdi_storage_restore(hdi_storage *st, hdi_buf *old)
{
    let_go(st->buf);
    st->buf = old;
    if (old->held++ > 0)
        return;
    hdi_memory_bytes.held += (uint64_t)old->nbytes;
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
    *node = (hdi_deleter){NULL, deleter, ctx, sizeof *node};
    b->mem = mem;
    b->host = b->dev->host_memory ? b->mem : NULL;
    b->pins = 1;
    b->foreign = node;
    return HD_OK;
}
