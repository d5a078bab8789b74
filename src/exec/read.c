/* SPDX-License-Identifier: BSD-3-Clause */
/* read.c - demands: computing, reading, exporting; and arrays over memory of others. Rules M6
 * and M9. */
#include "base/alloc.h"
#include "base/lock.h"
#include "exec/exec.h"
#include "ops/ops.h"

/* Computes x's generation and returns it pinned by a job count, so that it stays whatever other
 * threads do. NULL on failure. */
static hdi_buf *demand(const hd_array *x, hd_status *status)
{
    hdi_buf *b;
    hdi_lock();
    hd_device *dev = x->st->buf->dev;
    for (;;) {   /* again if another thread writes in the meantime */
        b = x->st->buf;
        *status = hdi_window_demand(b);
        bool queued = hdi_resume(dev);
        if (*status == HD_OK && !queued)
            break;
        b->jobs++;
        bool failed_before = hd_error_peek()->code != HD_OK;
        hd_status ran = hdi_finish(dev);
        if (ran != HD_OK && ran != HD_INTERRUPTED && ran != HD_NOMEM) {
            /* A kernel failed. What it had to write knows why; if that is not b, b is none the
             * worse. */
            if (!failed_before)
                hd_error_take(NULL);
            ran = HD_OK;
        }
        *status = *status != HD_OK ? *status : ran;
        hdi_lock();
        b->jobs--;
        hdi_buf_settle(b);
        if (*status != HD_OK)
            break;
    }
    b = x->st->buf;
    if (*status == HD_OK && b->error != NULL)
        *status = hdi_error_set(b->error);
    if (*status == HD_OK)
        *status = hdi_buf_memory(b);
    if (*status == HD_OK) {
        b->jobs++;
        b->readers++;
    }
    hdi_leave();
    return *status == HD_OK ? b : NULL;
}

static void let_go(hdi_buf *b)
{
    hdi_lock();
    b->jobs--;
    b->readers--;
    hdi_buf_settle(b);
    hdi_leave();
}

hd_status hd_eval(const hd_array *x)
{
    hd_status status = HD_OK;
    if (x == NULL)
        return hd_error_peek()->code;
    if (hdi_is_weak(x))
        return HD_OK;
    hdi_buf *b = demand(x, &status);
    if (b != NULL)
        let_go(b);
    return status;
}

/* Copies elements of any layout on the host, in C order. */
static void gather_host(uint8_t *to, const uint8_t *from, const hdi_layout *l)
{
    int64_t index[HD_MAXDIM] = {0}, left = l->size;
    const int64_t *strides = hdi_layout_strides(l);
    size_t item = l->item;
    int last = l->nd - 1;
    while (left > 0) {
        int64_t run = l->nd > 0 ? l->dims[last] : 1, step = l->nd > 0 ? strides[last] : 0;
        for (int64_t i = 0; i < run; i++, to += item)
            memcpy(to, from + i * step, item);
        left -= run;
        for (int a = last - 1; a >= 0; a--) {
            from += strides[a];
            if (++index[a] < l->dims[a])
                break;
            from -= strides[a] * l->dims[a];
            index[a] = 0;
        }
    }
}

static hd_status read_weak(const hd_array *x, void *into)
{
    uint64_t element[2];
    hd_status status = hdi_number_as(&x->weak, (hd_dtype)x->dtype, element);
    if (status == HD_OK)
        memcpy(into, element, x->lay->item);
    return status;
}

hd_status hd_read(const hd_array *x, void *into)
{
    hd_status status = HD_OK;
    if (x == NULL)
        return hd_error_peek()->code;
    if (hdi_is_weak(x))
        return read_weak(x, into);
    /* let kernels do the strided copy, in parallel */
    if (!x->lay->c_contiguous && x->lay->size > 4096) {
        hdi_lock();
        hd_array *c = hdi_contiguous(x);
        c = hdi_done(c, "read");
        status = c != NULL ? hd_read(hd_keep(c), into) : hd_error_peek()->code;
        hd_release(c);
        return status;
    }
    hdi_buf *b = demand(x, &status);
    if (b == NULL)
        return status;
    const hdi_backend *be = b->dev->backend;
    if (x->lay->size == 0)
        status = HD_OK;
    else if (x->lay->c_contiguous)
        status = be->copy_out(b->dev->state, into, b->mem + x->off, x->lay->size * x->lay->item);
    else if (be->host_memory)
        gather_host(into, b->mem + x->off, x->lay);
    else
        status =
            hdi_fail(HD_DEVICE, "elements on device %s cannot be read one by one", b->dev->name);
    let_go(b);
    return status;
}

static hd_status decode(hd_dtype dt, const uint64_t e[2], hd_value *v)
{
    float f[2];
    memcpy(f, e, sizeof f);
    memcpy(v->as.c, e, sizeof v->as.c);
    v->kind = hdi_dtypes[dt].kind;
    switch (dt) {
    case HD_BOOL:    v->as.i = (uint8_t)e[0] != 0; break;
    case HD_INT8:    v->as.i = (int8_t)e[0]; break;
    case HD_INT16:   v->as.i = (int16_t)e[0]; break;
    case HD_INT32:   v->as.i = (int32_t)e[0]; break;
    case HD_UINT8:   v->as.u = (uint8_t)e[0]; break;
    case HD_UINT16:  v->as.u = (uint16_t)e[0]; break;
    case HD_UINT32:  v->as.u = (uint32_t)e[0]; break;
    case HD_FLOAT16: case HD_BFLOAT16: v->as.f = (double)hdi_decode_half(dt, (uint16_t)e[0]); break;
    case HD_FLOAT32: v->as.f = (double)f[0]; break;
    case HD_COMPLEX64: v->as.c[0] = (double)f[0]; v->as.c[1] = (double)f[1]; break;
    default: break;   /* 64-bit kinds and complex128 are in place */
    }
    return HD_OK;
}

hd_status hd_item(const hd_array *x, int64_t index, hd_value *value)
{
    hd_status status = HD_OK;
    uint64_t element[2] = {0, 0};
    if (x == NULL)
        return hd_error_peek()->code;
    const hdi_layout *l = x->lay;
    if (index < 0 || index >= l->size)
        return hdi_fail(HD_INDEX, "index %lld is out of bounds for size %lld", (long long)index,
                        (long long)l->size);
    if (hdi_is_weak(x)) {
        status = read_weak(x, element);
        return status != HD_OK ? status : decode((hd_dtype)x->dtype, element, value);
    }
    int64_t off = x->off;
    for (int a = l->nd - 1; a >= 0; a--) {
        off += index % l->dims[a] * hdi_layout_strides(l)[a];
        index /= l->dims[a];
    }
    hdi_buf *b = demand(x, &status);
    if (b == NULL)
        return status;
    status = b->dev->backend->copy_out(b->dev->state, element, b->mem + off, l->item);
    let_go(b);
    return status != HD_OK ? status : decode((hd_dtype)x->dtype, element, value);
}

void *hdi_values_of(const hd_array *x)
{
    hd_device *dev = hdi_device_of(x);
    hd_status finished = hdi_finish(dev);
    size_t bytes = (size_t)(x->lay->size > 0 ? x->lay->size * x->lay->item : 1);
    void *values = finished == HD_OK ? hdi_alloc(bytes) : NULL;
    if (values == NULL && finished == HD_OK)
        hdi_fail(HD_NOMEM, "out of memory to read %lld elements", (long long)x->lay->size);
    if (values != NULL && hd_read(x, values) != HD_OK) {
        hdi_free(values, bytes);
        values = NULL;
    }
    hdi_lock();
    return values;
}

void *hd_export(hd_array *x, int write)
{
    hd_status status = HD_OK;
    if (x == NULL)
        return NULL;
    if (write && x->flags & HDI_A_READONLY) {
        hdi_fail(HD_READONLY, "array is read-only");
        return NULL;
    }
    if (hdi_is_weak(x) || !x->st->buf->dev->backend->host_memory) {
        hdi_fail(HD_EXPORT, "this array has no memory that can be shared");
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
    hdi_buf *b = demand(x, &status);
    hd_status readers = HD_OK;
    /* pending readers and writers elsewhere must be done before the other side can write */
    if (b != NULL) {
        hdi_lock();
        readers = b->recs > 0 ? hdi_window_flush(b->dev->window) : HD_OK;
        hd_status ran = hdi_finish(b->dev);
        readers = readers != HD_OK ? readers : ran;
    }
    if (b == NULL || readers != HD_OK) {
        hd_unexport(x);
        if (b != NULL)
            let_go(b);
        return NULL;
    }
    void *p = b->mem + x->off;
    let_go(b);
    return p;
}

void hd_unexport(hd_array *x)
{
    if (x == NULL)
        return;
    hdi_lock();
    x->st->buf->pins--;
    hdi_unlock();
}

hd_array *hd_wrap(int nd, const int64_t *shape, const int64_t *strides, hd_dtype dt, void *data,
                  int readonly, void (*deleter)(void *ctx), void *ctx)
{
    hd_array *x = NULL;
    hdi_lock();
    hd_device *dev = hdi_current_device();
    hdi_layout *lay = NULL;
    if (dev != NULL && hdi_dtype_check(dt) == HD_OK)
        lay = strides != NULL ? hdi_layout_get(nd, shape, strides, hdi_itemsize(dt))
                              : hdi_layout_c(nd, shape, hdi_itemsize(dt));
    if (lay != NULL && !dev->backend->host_memory) {
        hdi_fail(HD_DEVICE, "device %s cannot share host memory", dev->name);
        lay = NULL;
    }
    if (lay != NULL) {
        int64_t bytes = lay->size > 0 ? lay->hi - lay->lo + lay->item : 0;
        x = hdi_array_over(hdi_storage_new(dev, bytes), dt, lay, -lay->lo);
        if (x != NULL &&
            hdi_buf_set_foreign(x->st->buf, (uint8_t *)data + lay->lo, deleter, ctx) != HD_OK) {
            hdi_array_release(x);   /* the deleter stays the caller's business */
            x = NULL;
        }
    }
    if (x != NULL && readonly)
        x->flags |= HDI_A_READONLY;
    return hdi_done(x, "wrap");
}

hd_array *hd_from_data(int nd, const int64_t *shape, const int64_t *strides, hd_dtype dt,
                       const void *data)
{
    hd_array *x = NULL;
    hd_status status = HD_OK;
    hdi_lock();
    hd_device *dev = hdi_current_device();
    hdi_layout *from = NULL;
    if (dev != NULL && (x = hdi_new(dev, nd, shape, dt)) != NULL && strides != NULL)
        from = hdi_layout_get(nd, shape, strides, hdi_itemsize(dt));
    if (x == NULL || (strides != NULL && from == NULL) || hdi_buf_memory(x->st->buf) != HD_OK) {
        if (x != NULL)
            hdi_array_release(x);
        return hdi_done(NULL, "from_data");
    }
    if (from != NULL)
        from->handles++;   /* keeps the layout while the lock is away */
    hdi_unlock();          /* nobody else knows x yet */
    uint8_t *to = x->st->buf->mem;
    int64_t bytes = x->lay->size * x->lay->item;
    if (bytes == 0)
        status = HD_OK;
    else if (from == NULL || from->c_contiguous)
        status = dev->backend->copy_in(dev->state, to, data, bytes);
    else if (dev->backend->host_memory)
        gather_host(to, data, from);
    else
        status = hdi_fail(HD_DEVICE, "strided data cannot be copied to device %s", dev->name);
    hdi_lock();
    if (from != NULL)
        from->handles--;
    if (status != HD_OK) {
        hdi_array_release(x);
        x = NULL;
    }
    return hdi_done(x, "from_data");
}
