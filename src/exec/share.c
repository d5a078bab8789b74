/* SPDX-License-Identifier: BSD-3-Clause */
/* share.c - memory that somebody else knows of: addresses handed out, and arrays over memory of
 * others. Rule M9. */
#include "base/alloc.h"
#include "base/lock.h"
#include "exec/exec.h"
#include "ops/ops.h"
#include "window/windows.h"

/* Where x is, pinned there, computed as far as its device's order of work goes. */
static void *export_memory(hd_array *x, int write)
{
    hd_status status = HD_OK;
    if (write && x->flags & HDI_A_READONLY) {
        hdi_fail(HD_READONLY, "array is read-only");
        return NULL;
    }
    /* Pinned first: from here on no store renames the generation and every operation on it runs
     * at once. */
    hdi_lock();
    if (hdi_window_unshare(x) != HD_OK) {
        hdi_done_status(hd_error_peek()->code, NULL, "export");
        return NULL;
    }
    x->st->buf->pins++;
    hdi_unlock();
    hdi_buf *b = hdi_memory_begin(x, &status);
    hd_status readers = HD_OK;
    /* pending readers and writers elsewhere must be done before the other side can write */
    if (b != NULL) {
        hdi_lock();   /* allowed: it knows x, and b by a count */
        if (b->recs > 0)
            hdi_windows_flush(b->dev);
        hdi_leave();
        readers = hdi_drain_all(b->dev);
    }
    if (b != NULL && readers == HD_OK)
        readers = hdi_leave_mirror(b);
    if (b == NULL || readers != HD_OK) {
        hd_unexport(x);
        if (b != NULL)
            hdi_read_end(b);
        return NULL;
    }
    void *p = b->mem + x->off;
    hdi_read_end(b);
    return p;
}

void *hd_export(hd_array *x, int write)
{
    if (x == NULL)
        return hdi_null("an array");
    if (hdi_is_weak(x) || !x->st->buf->dev->host_memory) {
        hdi_fail(HD_EXPORT, "this array has no memory that can be shared");
        return NULL;
    }
    hdi_lock();   /* who is given memory of the host's reads it */
    hd_status status = hdi_refuse_capture(x->st->buf->dev);
    hdi_unlock();
    if (status != HD_OK)
        return NULL;
    return export_memory(x, write);
}

void *hd_export_device(hd_array *x, int write)
{
    if (x == NULL)
        return hdi_null("an array");
    if (hdi_is_weak(x) || x->st->buf->dev->backend->streams == NULL) {
        hdi_fail(HD_EXPORT, "this array is in no memory of a GPU");
        return NULL;
    }
    return export_memory(x, write);
}

void hd_unexport(hd_array *x)
{
    if (x == NULL || hdi_is_weak(x)) {
        hdi_fail_null("the memory that is no longer shared");
        return;
    }
    hdi_lock();
    x->st->buf->pins--;
    hdi_unlock();
}

/* ---- memory of others ------------------------------------------------------------------------ */

/* Memory of a device goes back to its owner when our work on it has run. */
typedef struct lent { hd_device *dev; void (*deleter)(void *ctx); void *ctx; } lent;

static void give_back(void *p)
{
    lent *l = p;
    const hdi_streams *s = l->dev->backend->streams;
    bool had = hd_error_peek()->code != HD_OK;
    s->wait(l->dev->state, s->current(l->dev->state));   /* of a lost device: there is no work */
    if (!had)
        hd_error_take(NULL);
    if (l->deleter != NULL)
        l->deleter(l->ctx);
    hdi_free(l, sizeof *l);
}

static hd_array *wrap(hd_device *dev, int nd, const int64_t *shape, const int64_t *strides,
                      hd_dtype dt, void *data, void (*deleter)(void *ctx), void *ctx)
{
    hdi_layout *lay = NULL;
    if (hdi_dtype_check(dt) == HD_OK)
        lay = strides != NULL ? hdi_layout_get(nd, shape, strides, hdi_itemsize(dt))
                              : hdi_layout_c(nd, shape, hdi_itemsize(dt));
    if (lay == NULL || (data == NULL && lay->size > 0))
        return lay != NULL ? hdi_null("the memory to share") : NULL;
    int64_t bytes = lay->size > 0 ? lay->hi - lay->lo + lay->item : 0;
    hd_array *x = hdi_array_over(hdi_storage_new(dev, bytes), dt, lay, -lay->lo);
    if (x != NULL &&
        hdi_buf_set_foreign(x->st->buf, (uint8_t *)data + lay->lo, deleter, ctx) != HD_OK) {
        hdi_array_release(x);   /* the deleter stays the caller's business */
        x = NULL;
    }
    return x;
}

hd_array *hd_wrap(int nd, const int64_t *shape, const int64_t *strides, hd_dtype dt, void *data,
                  int readonly, void (*deleter)(void *ctx), void *ctx)
{
    hd_device *cpu = hd_device_get("cpu");
    if (cpu == NULL)
        return NULL;
    hdi_lock();
    hd_array *x = wrap(cpu, nd, shape, strides, dt, data, deleter, ctx);
    if (x != NULL && readonly)
        x->flags |= HDI_A_READONLY;
    return hdi_done(x, "wrap");
}

hd_array *hd_wrap_device(hd_device *dev, int nd, const int64_t *shape, const int64_t *strides,
                         hd_dtype dt, void *data, int readonly, void (*deleter)(void *ctx),
                         void *ctx)
{
    if (dev == NULL && (dev = hd_device_current()) == NULL)
        return NULL;
    const hdi_streams *s = dev->backend->streams;
    if (s == NULL) {
        hdi_fail(HD_DEVICE, "device %s is no GPU", dev->name);
        return NULL;
    }
    if (data != NULL && s->check_pointer(dev->state, data) != HD_OK)
        return NULL;
    lent *l = hdi_alloc(sizeof *l);
    if (l == NULL) {
        hdi_fail(HD_NOMEM, "out of memory for a shared array");
        return NULL;
    }
    *l = (lent){dev, deleter, ctx};
    hdi_lock();
    hd_array *x = wrap(dev, nd, shape, strides, dt, data, give_back, l);
    if (x == NULL)
        hdi_free(l, sizeof *l);
    else if (readonly)
        x->flags |= HDI_A_READONLY;
    return hdi_done(x, "wrap");
}
