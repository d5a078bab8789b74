/* SPDX-License-Identifier: BSD-3-Clause */
/* read.c - demands: computing and reading. Rule M6. */
#include "base/alloc.h"
#include "base/lock.h"
#include "base/pool.h"
#include "exec/lanes.h"
#include "ops/ops.h"

hd_status hdi_refuse_capture(hd_device *dev)
{
    if (!hdi_window_captures(dev))
        return HD_OK;
    return hdi_fail(HD_DEVICE,
                    "this thread is capturing on device %s: what is recorded runs when the graph "
                    "is launched, and until then nothing can be read or waited for", dev->name);
}

/* Computes x's generation and returns it pinned by a job count, so that it stays whatever other
 * threads do. NULL on failure. */
hdi_buf *hdi_read_begin(const hd_array *x, hd_status *status)
{
    if (hdi_may_capture()) {
        hdi_lock();
        *status = hdi_refuse_capture(x->st->buf->dev);
        hdi_unlock();
        if (*status != HD_OK)
            return NULL;
    }
    return hdi_memory_begin(x, status);
}

hdi_buf *hdi_memory_begin(const hd_array *x, hd_status *status)
{
    hdi_buf *b;
    hdi_lock();
    hd_device *dev = x->st->buf->dev;
    for (bool lacking = false;;) {   /* again if another thread writes in the meantime */
        b = x->st->buf;
        bool failed_before = hd_error_peek()->code != HD_OK;
        *status = lacking ? hdi_demand_some(b) : hdi_window_demand(b);
        bool once_more = *status == HD_NOMEM && !lacking;
        if (HDI_UNLIKELY(once_more)) {   /* when nothing is queued more memory may be there */
            if (!failed_before)
                hd_error_take(NULL);
            *status = HD_OK;
            lacking = true;
        }
        bool queued = hdi_resume(dev) || !hdi_lane_finished(dev, b->wrote);
        if (*status == HD_OK && !queued && !once_more)
            break;
        b->jobs++;
        failed_before = hd_error_peek()->code != HD_OK;
        const uint64_t wrote = b->wrote;
        hdi_leave();
        hd_status ran = once_more ? hdi_drain_all(dev) : hdi_drain_for(dev, wrote);
        if (ran != HD_OK && ran != HD_INTERRUPTED) {
            /* A kernel failed. What it had to write knows why; if that is not b, b is none the
             * worse. */
            if (!failed_before)
                hd_error_take(NULL);
            ran = HD_OK;
        }
        *status = *status != HD_OK ? *status : ran;
        hdi_lock();   /* allowed: it knows x, and b by a count */
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

/* Under the lock. */
static void unpin(hdi_buf *b)
{
    b->jobs--;
    b->readers--;
    hdi_buf_settle(b);
}

void hdi_read_end(hdi_buf *b)
{
    hdi_lock();
    unpin(b);
    hdi_leave();
}

hd_status hd_eval(const hd_array *x)
{
    hd_status status = HD_OK;
    if (x == NULL)
        return hdi_fail_null("an array");
    if (hdi_is_weak(x))
        return HD_OK;
    hdi_buf *b = hdi_read_begin(x, &status);
    if (b != NULL)
        hdi_read_end(b);
    return status;
}

static inline __attribute__((always_inline)) void gather(uint8_t *to, const uint8_t *from,
                                                        int64_t n, int64_t step, size_t item)
{
    for (int64_t i = 0; i < n; i++)
        memcpy(to + i * (int64_t)item, from + i * step, item);
}

static void gather_run(uint8_t *to, const uint8_t *from, int64_t n, int64_t step, size_t item)
{
    if (step == (int64_t)item) {
        memcpy(to, from, (size_t)n * item);
        return;
    }
    switch (item) {   /* constants: a load and a store each */
    case 1: gather(to, from, n, step, 1); break;
    case 2: gather(to, from, n, step, 2); break;
    case 4: gather(to, from, n, step, 4); break;
    case 8: gather(to, from, n, step, 8); break;
    default: gather(to, from, n, step, 16); break;
    }
}

/* A copy by several threads: each task has n elements, a huge page of the target. */
typedef struct gathering {
    uint8_t *to;
    const uint8_t *from;
    const hdi_layout *l;
    int64_t n;
} gathering;

enum { GATHER_PIECE = 1 << 21 };

/* The indices of element number `at` in C order; its distance in bytes from the first one. */
static int64_t locate(const hdi_layout *l, int64_t at, int64_t *index)
{
    const int64_t *strides = hdi_layout_strides(l);
    int64_t off = 0;
    for (int a = l->nd - 1; a >= 0; a--) {
        index[a] = at % l->dims[a];
        at /= l->dims[a];
        off += index[a] * strides[a];
    }
    return off;
}

static bool gather_piece(void *ctx, int64_t task)
{
    const gathering *g = ctx;
    const hdi_layout *l = g->l;
    const int64_t *strides = hdi_layout_strides(l);
    int64_t index[HD_MAXDIM], first = task * g->n, left = hdi_min64(g->n, l->size - first);
    const uint8_t *from = g->from + locate(l, first, index);
    uint8_t *to = g->to + first * l->item;
    for (int last = l->nd - 1; left > 0;) {
        int64_t run = hdi_min64(l->dims[last] - index[last], left);
        gather_run(to, from, run, strides[last], l->item);
        to += run * l->item;
        left -= run;
        from -= index[last] * strides[last];
        index[last] = 0;
        for (int a = last - 1; a >= 0; a--) {
            from += strides[a];
            if (++index[a] < l->dims[a])
                break;
            from -= strides[a] * l->dims[a];
            index[a] = 0;
        }
    }
    return true;
}

/* Copies elements of any layout on the host, in C order. */
void hdi_gather_host(uint8_t *to, const uint8_t *from, const hdi_layout *l)
{
    gathering g = {to, from, l, GATHER_PIECE / l->item};
    int64_t next = 0;
    if (l->nd == 0)
        memcpy(to, from, l->item);
    else if (l->size > 0)
        hdi_pool_run((l->size + g.n - 1) / g.n, gather_piece, &g, &next, NULL);
}

hd_status hdi_read_weak(const hd_array *x, void *into)
{
    uint64_t element[2];
    hd_status status = hdi_number_as(&x->weak, (hd_dtype)x->dtype, element);
    if (status == HD_OK)
        hdi_copy_element(into, element, x->lay->item);
    return status;
}

hd_status hdi_read_at(const hd_array *x, int64_t off, void *into)
{
    hd_status status = HD_OK;
    hdi_buf *b = hdi_read_begin(x, &status);
    if (b == NULL)
        return status;
    status = hdi_copy_out(b, off, into, x->lay->item);
    hdi_read_end(b);
    return status;
}

/* A few contiguous elements that are computed, under the lock. */
static bool read_few(const hd_array *x, void *into)
{
    enum { FEW = 1024 };
    const int64_t nbytes = x->lay->size * x->lay->item;
    if (nbytes > FEW || !x->lay->c_contiguous)
        return false;
    hdi_lock();
    const hdi_buf *b = x->st->buf;
    const bool here = hdi_buf_known(b) && nbytes > 0;
    if (here)
        memcpy(into, b->host + x->off, (size_t)nbytes);
    hdi_unlock();
    return here;
}

hd_status hd_read(const hd_array *x, void *into)
{
    hd_status status = HD_OK;
    if (x == NULL)
        return hdi_fail_null("an array");
    if (into == NULL && x->lay->size > 0)
        return hdi_fail_null("the place to read to");
    if (hdi_is_weak(x))
        return hdi_read_weak(x, into);
    if (read_few(x, into))
        return HD_OK;
    /* let kernels do the strided copy, in parallel, or because nobody else can */
    if (!x->lay->c_contiguous && (x->lay->size > 4096 || !x->st->buf->dev->host_memory)) {
        hdi_lock();
        hd_array *c = hdi_contiguous(x);
        c = hdi_done(c, "read");
        status = c != NULL ? hd_read(hd_keep(c), into) : hd_error_peek()->code;
        hd_release(c);
        return status;
    }
    hdi_buf *b = hdi_read_begin(x, &status);
    if (b == NULL)
        return status;
    if (x->lay->size > 0 && x->lay->c_contiguous)
        status = hdi_copy_out(b, x->off, into, x->lay->size * x->lay->item);
    else if (x->lay->size > 0)
        hdi_gather_host(into, b->host + x->off, x->lay);
    hdi_read_end(b);
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
        return hdi_fail_null("an array");
    if (value == NULL)
        return hdi_fail_null("the place for the element");
    const hdi_layout *l = x->lay;
    if (index < 0 || index >= l->size)
        return hdi_fail(HD_INDEX, "index %lld is out of bounds for size %lld", (long long)index,
                        (long long)l->size);
    if (hdi_is_weak(x)) {
        status = hdi_read_weak(x, element);
        return status != HD_OK ? status : decode((hd_dtype)x->dtype, element, value);
    }
    int64_t off = x->off;
    for (int a = l->nd - 1; a >= 0; a--) {
        off += index % l->dims[a] * hdi_layout_strides(l)[a];
        index /= l->dims[a];
    }
    status = hdi_read_at(x, off, element);
    return status != HD_OK ? status : decode((hd_dtype)x->dtype, element, value);
}

/* The element of b is on its way to the host, or there already (*reply NULL). */
static hd_status start_reply(hdi_buf *b, const hd_array *x, void *into, void **reply)
{
    const hdi_backend *be = b->dev->backend;
    return be->reply_begin == NULL || b->host != NULL ? hdi_copy_out(b, x->off, into, x->lay->item)
                                   : be->reply_begin(b->dev->state, b->mem + x->off, x->lay->item,
                                                     reply);
}

/* A reply is waited for once. */
static hd_status end_reply(hdi_buf *b, const hd_array *x, void *into, void *reply)
{
    if (reply == NULL)
        return HD_OK;
    hdi_wait_begin(b->dev);
    hd_status status = b->dev->backend->reply_end(b->dev->state, reply, into, x->lay->item);
    return hdi_wait_again(&status) ? hdi_copy_out(b, x->off, into, x->lay->item) : status;
}

hd_status hdi_exec_value_then(const hd_array *x, const hd_array *next, void *into)
{
    hd_device *dev = hdi_device_of(x);
    void *reply = NULL;
    hd_status status = hdi_step_out(dev);
    hdi_buf *b = status == HD_OK ? hdi_read_begin(x, &status) : NULL;
    if (b != NULL)
        status = start_reply(b, x, into, &reply);
    if (status == HD_OK && next != NULL)
        status = hd_eval(next);
    hd_status ended = end_reply(b, x, into, reply);
    hdi_step_in();
    if (b != NULL)
        unpin(b);
    return status != HD_OK ? status : ended;
}

static bool may_be_host(const hdi_buf *b)
{
    return b->dev->host_memory || hdi_buf_may_mirror(b);
}

bool hdi_exec_values_open(const hd_array *x, hdi_values *v)
{
    static const uint64_t none[2];   /* of an array without elements */
    const uint8_t *host = NULL;
    bool in_place = x->lay->c_contiguous && !hdi_is_weak(x) && may_be_host(x->st->buf);
    *v = (hdi_values){.bytes = (size_t)hdi_max64(x->lay->size * x->lay->item, 1)};
    hd_status status = hdi_step_out(hdi_device_of(x));
    if (status == HD_OK && in_place)
        v->pinned = hdi_read_begin(x, &status);
    if (v->pinned != NULL)
        status = hdi_mirror(v->pinned, &host);
    if (v->pinned != NULL && host == NULL) {   /* no memory for it */
        hdi_read_end(v->pinned);
        v->pinned = NULL;
    }
    if (v->pinned != NULL) {
        v->at = x->lay->size > 0 ? host + x->off : (const void *)none;
    } else if (status == HD_OK && (v->copy = hdi_alloc(v->bytes)) == NULL) {
        hdi_fail(HD_NOMEM, "out of memory to read %lld elements", (long long)x->lay->size);
    } else if (status == HD_OK && hd_read(x, v->copy) == HD_OK) {
        v->at = v->copy;
    }
    hdi_step_in();
    if (v->at == NULL && v->copy != NULL)
        hdi_free(v->copy, v->bytes);
    return v->at != NULL;
}

void hdi_exec_values_close(hdi_values *v)
{
    if (v->copy != NULL)
        hdi_free(v->copy, v->bytes);
    if (v->pinned != NULL)
        unpin(v->pinned);
}
