/* SPDX-License-Identifier: BSD-3-Clause */
/* transfer.c - elements from host memory to a device, back, and from one device to another. */
#include "base/alloc.h"
#include "base/lock.h"
#include "exec/exec.h"
#include "exec/profile.h"
#include "ops/ops.h"

enum {
    BOUNCE = 16 << 20,        /* between two devices: through so much of the host's memory */
    PINNED_FROM = 1 << 18     /* bytes from which a result has pinned memory of its own */
};

/* ---- from the host --------------------------------------------------------------------------- */

/* Elements of any layout, gathered on the host first where the device cannot reach them. */
static hd_status fill(hdi_buf *b, const hdi_layout *from, const void *data, int64_t nbytes)
{
    if (nbytes == 0)
        return HD_OK;
    if (from == NULL || from->c_contiguous)
        return hdi_copy_in(b, 0, data, nbytes);
    if (b->host != NULL) {
        hdi_gather_host(b->host, data, from);
        hdi_buf_changed(b);
        return HD_OK;
    }
    void *dense = hdi_alloc((size_t)nbytes);
    if (dense == NULL)
        return hdi_fail(HD_NOMEM, "out of memory for %lld bytes on their way to device %s",
                        (long long)nbytes, b->dev->name);
    hdi_gather_host(dense, data, from);
    hd_status status = hdi_copy_in(b, 0, dense, nbytes);
    hdi_free(dense, (size_t)nbytes);
    return status;
}

static hd_array *from_data(hd_device *dev, int nd, const int64_t *shape, const int64_t *strides,
                           hd_dtype dt, const void *data)
{
    hdi_layout *from = NULL;
    hdi_lock();
    hd_array *x = hdi_new(dev, nd, shape, dt);
    if (x != NULL && data == NULL && x->lay->size > 0) {
        hdi_array_release(x);
        x = hdi_null("the memory to copy");
    }
    if (x != NULL && strides != NULL)
        from = hdi_layout_get(nd, shape, strides, hdi_itemsize(dt));
    if (x == NULL || (strides != NULL && from == NULL) || hdi_buf_memory(x->st->buf) != HD_OK) {
        if (x != NULL)
            hdi_array_release(x);
        return hdi_done(NULL, "from_data");
    }
    hdi_step_out(NULL);   /* nobody else knows x yet */
    hd_status status = fill(x->st->buf, from, data, x->lay->size * x->lay->item);
    hdi_step_in();
    if (status != HD_OK) {
        hdi_array_release(x);
        x = NULL;
    }
    return hdi_done(x, "from_data");
}

hd_array *hd_from_data(int nd, const int64_t *shape, const int64_t *strides, hd_dtype dt,
                       const void *data)
{
    hd_device *dev = hd_device_current();
    return dev != NULL ? from_data(dev, nd, shape, strides, dt, data) : NULL;
}

hd_array *hdi_exec_from_host(hd_device *dev, int nd, const int64_t *shape, hd_dtype dt,
                             const void *data)
{
    return hd_keep(from_data(dev, nd, shape, NULL, dt, data));
}

bool hdi_exec_staged_open(hd_device *dev, int64_t n, hd_dtype dt, hdi_staged *s)
{
    static uint64_t none[2];   /* of an array without elements */
    *s = (hdi_staged){.x = hdi_new(dev, 1, &n, dt),
                      .bytes = (size_t)hdi_max64(n * hdi_itemsize(dt), 1)};
    if (s->x != NULL && hdi_buf_memory(s->x->st->buf) == HD_OK) {
        if (s->x->st->buf->host != NULL)
            s->to = n > 0 ? (void *)s->x->st->buf->host : none;
        else if ((s->to = s->copy = hdi_alloc(s->bytes)) == NULL)
            hdi_fail(HD_NOMEM, "out of memory for %lld elements", (long long)n);
    }
    if (s->to == NULL && s->x != NULL)
        hdi_array_release(s->x);
    return s->to != NULL;
}

hd_array *hdi_exec_staged_close(hdi_staged *s, hd_status status)
{
    if (status == HD_OK && s->copy != NULL && s->x->lay->size > 0) {
        hdi_step_out(NULL);   /* nobody else knows x yet */
        status = hdi_copy_in(s->x->st->buf, 0, s->copy, s->x->lay->size * s->x->lay->item);
        hdi_step_in();
    }
    if (s->copy != NULL)
        hdi_free(s->copy, s->bytes);
    if (status == HD_OK)
        return s->x;
    hdi_array_release(s->x);
    return NULL;
}

/* ---- between devices ------------------------------------------------------------------------- */

/* x itself (retained), if its elements are one piece of memory in the order that a copy of it has,
 * else such a copy. Takes the lock. */
static hd_array *one_piece(const hd_array *x)
{
    hdi_lock();
    hdi_layout *lay = hdi_layout_like(x->lay, x->lay->item);
    if (lay == x->lay) {
        hd_array *same = (hd_array *)(uintptr_t)x;
        same->rc++;
        hdi_unlock();
        return same;
    }
    hd_array *c = lay != NULL ? hdi_new_copy(x, (hd_dtype)x->dtype, lay) : NULL;
    return hd_keep(hdi_done(c, "to_device"));
}

static hd_status through_host(hdi_buf *to, hdi_buf *from, int64_t off, int64_t nbytes)
{
    size_t room = (size_t)hdi_min64(nbytes, BOUNCE);
    hd_status status = HD_OK;
    void *host = hdi_alloc(room);
    HD_REQUIRE(host != NULL, HD_NOMEM, "out of memory between devices %s and %s", from->dev->name,
               to->dev->name);
    for (int64_t at = 0, n; at < nbytes; at += n) {
        n = hdi_min64(nbytes - at, BOUNCE);
        HD_TRY(hdi_copy_out(from, off + at, host, n));
        HD_TRY(hdi_copy_in(to, at, host, n));
    }
done:
    hdi_free(host, room);
    return status;
}

/* Gives `to`, which is empty and nobody else knows, memory for contents of `from`. *direct: they
 * are in the memory of a device that the target can reach without the host. Contents of a mirror go
 * to a mirror. */
static hd_status make_room(hdi_buf *to, const hdi_buf *from, bool *direct)
{
    hd_status status;
    hdi_lock();
    *direct = to->dev->backend == from->dev->backend && to->dev->backend->copy_between != NULL &&
              !hdi_buf_mirrored(from);
    if (*direct && hdi_buf_empty(to))
        status = hdi_buf_take_far(to) ? HD_OK : hdi_no_memory(to->dev, to->nbytes);
    else
        status = hdi_buf_memory(to);
    hdi_unlock();
    return status;
}

static hd_status move_bytes(hdi_buf *to, hdi_buf *from, int64_t off, int64_t nbytes)
{
    bool direct;
    hd_status status = make_room(to, from, &direct);
    if (nbytes == 0 || status != HD_OK)
        return status;
    if (direct)
        return hdi_profile_between(to->dev, to->mem, from->dev, from->mem + off, nbytes);
    if (from->dev->host_memory)
        return hdi_copy_in(to, 0, from->mem + off, nbytes);
    if (to->dev->host_memory)
        return hdi_copy_out(from, off, to->mem, nbytes);
    return through_host(to, from, off, nbytes);
}

/* Copies c, which is one piece, into the memory of r, which it gets if it has none. */
static hd_status move_array(const hd_array *r, const hd_array *c)
{
    hd_status status = HD_OK;
    hdi_buf *from = hdi_read_begin(c, &status);
    if (from == NULL)
        return status;
    status = move_bytes(r->st->buf, from, c->off, c->lay->size * c->lay->item);
    hdi_read_end(from);
    return status;
}

/* To the host, without waiting for it. *r is NULL, and there is no error, where the contents are on
 * the host already, or there is no memory for it. */
static hd_status send_array(const hd_array *c, hd_device *dev, hd_array **r)
{
    hd_status status = HD_OK;
    *r = NULL;
    if (!hdi_may_arrive(hd_device_of(c), dev, c->lay->size * c->lay->item))
        return HD_OK;
    hdi_buf *from = hdi_read_begin(c, &status);
    if (from == NULL)
        return status;
    if (!hdi_buf_mirrored(from))
        status = hdi_arriving(c, from, dev, r);
    hdi_read_end(from);
    return status;
}

/* wait: the contents are there when this returns. */
static hd_array *moved(const hd_array *x, hd_device *dev, bool wait)
{
    hd_array *c = one_piece(x), *r = NULL;
    if (c == NULL)
        return NULL;
    hd_status status = wait ? HD_OK : send_array(c, dev, &r);
    if (r == NULL && status == HD_OK) {
        hdi_lock();
        r = hdi_array_new(dev, (hd_dtype)x->dtype, c->lay);
        hdi_unlock();   /* nobody else knows r yet */
        status = r != NULL ? move_array(r, c) : HD_NOMEM;
    }
    if (r != NULL)
        r->flags |= x->flags & HDI_A_SCALAR ? HDI_A_SCALAR | HDI_A_READONLY : 0;
    hd_release(c);
    if (status == HD_OK)
        return r;
    if (r != NULL)
        hd_release(r);
    hdi_fail_where("to_device");
    return NULL;
}

hd_array *hd_to_device(const hd_array *x, hd_device *dev)
{
    if (x == NULL || (dev == NULL && (dev = hd_device_current()) == NULL))
        return x == NULL ? hdi_null("an array") : NULL;
    if (hdi_is_weak(x) || hd_device_of(x) == dev)
        return hdi_scope_own(hd_retain((hd_array *)(uintptr_t)x));
    return hdi_scope_own(moved(x, dev, false));
}

hd_array *hdi_exec_moved(const hd_array *x, hd_device *dev)
{
    hd_status finished = hdi_step_out(hdi_device_of(x));
    hd_array *r = finished == HD_OK ? moved(x, dev, true) : NULL;
    hdi_step_in();
    return r;
}

/* ---- to pinned memory ------------------------------------------------------------------------ */

typedef struct pinned { hd_device *dev; void *memory; } pinned;

static void unpin(void *p)
{
    pinned *m = p;
    m->dev->backend->host_free(m->dev->state, m->memory);
    hdi_free(m, sizeof *m);
}

/* Pinned memory for nbytes that come from dev; NULL, and no error, if ordinary memory will do. */
static pinned *pin(hd_device *dev, int64_t nbytes)
{
    if (nbytes < PINNED_FROM || dev->backend->host_alloc == NULL)
        return NULL;
    pinned *m = hdi_alloc(sizeof *m);
    if (m == NULL)
        return NULL;
    *m = (pinned){dev, dev->backend->host_alloc(dev->state, nbytes)};
    if (m->memory != NULL)
        return m;
    hdi_free(m, sizeof *m);
    return NULL;
}

hd_array *hd_to_host(const hd_array *x)
{
    if (x == NULL)
        return hdi_null("an array");
    hd_device *dev = hd_device_of(x), *cpu = hd_device_get("cpu");
    if (dev->host_memory)
        return hd_copy(x, 'K');
    pinned *m = cpu != NULL ? pin(dev, hd_nbytes(x)) : NULL;
    if (m == NULL)
        return cpu != NULL ? hdi_scope_own(moved(x, cpu, true)) : NULL;
    hd_array *c = one_piece(x), *r = NULL;
    if (c != NULL)
        r = hd_keep(hd_wrap(c->lay->nd, c->lay->dims, hdi_layout_strides(c->lay),
                            (hd_dtype)x->dtype, m->memory, 0, unpin, m));
    if (r == NULL)
        unpin(m);
    else if (move_array(r, c) != HD_OK) {
        hd_release(r);
        r = NULL;
    }
    hd_release(c);
    return hdi_scope_own(r);
}

/* ---- elements anew --------------------------------------------------------------------------- */

/* The new contents get memory of their own: nothing waits for who still reads the old ones. Takes
 * the lock away for the copy; others may read x meanwhile, and get what they deserve. */
HDI_LOCKED static hd_status rewrite(hd_array *x, const void *from)
{
    hdi_buf *old = x->st->buf;
    old->held++;
    hd_status status = hdi_storage_renew(x->st);
    if (status == HD_OK && (status = hdi_buf_memory(x->st->buf)) != HD_OK)
        hdi_storage_restore(x->st, old);
    hdi_buf_let_go(old);
    if (status != HD_OK)
        return status;
    hdi_buf *b = x->st->buf;
    b->jobs++;
    hdi_step_out(NULL);
    status = fill(b, NULL, from, x->lay->size * x->lay->item);
    hdi_step_in();
    if (status != HD_OK)
        hdi_buf_fail(b, hd_error_peek(), b->dev->next_job);
    b->jobs--;
    hdi_buf_settle(b);
    return status;
}

/* Few bytes of an array that nobody waits for are written where they lie, under the lock. */
static bool write_few(hd_array *x, const void *from)
{
    enum { MOST_BYTES = 1024 };
    hdi_buf *b = x->st->buf;
    const int64_t nbytes = x->lay->size * x->lay->item;
    if (nbytes == 0 || nbytes > MOST_BYTES || !x->lay->c_contiguous || !b->dev->host_memory ||
        !hdi_buf_alone(b) || hdi_captures > 0 || hdi_at_once())
        return false;
    memcpy(b->host + x->off, from, (size_t)nbytes);
    hdi_buf_changed(b);
    return true;
}

hd_status hd_write(hd_array *x, const void *from)
{
    if (x == NULL)
        return hdi_fail_null("an array");
    if (from == NULL && x->lay->size > 0)
        return hdi_fail_null("the memory to write from");
    if (hdi_is_weak(x) || x->flags & HDI_A_READONLY)
        return hdi_fail(HD_READONLY, "assignment destination is read-only");
    hdi_lock();
    hd_device *dev = x->st->buf->dev;
    if (write_few(x, from)) {
        hdi_unlock();
        return HD_OK;
    }
    if (hdi_array_is_whole(x))
        return hdi_done_status(rewrite(x, from), dev, "write");
    hdi_unlock();
    hd_array *values =
        hdi_from_host(dev, x->lay->nd, x->lay->dims, (hd_dtype)x->dtype, from);
    if (values == NULL)
        return hd_error_peek()->code;
    hd_status status = hd_assign(x, values, HD_CAST_EQUIV);
    hd_release(values);
    return status;
}
