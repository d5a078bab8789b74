/* SPDX-License-Identifier: BSD-3-Clause */
/* array.c - handles: made from a spare list, counted, collected by scopes; and what can be asked
 * of one. */
#include "core/array.h"

#include "base/alloc.h"
#include "base/lock.h"
#include "core/services.h"

hdi_spare_arrays hdi_spare_handle;

static _Thread_local hdi_scopes scopes __attribute__((tls_model("initial-exec")));
_Thread_local int hdi_scope_depth __attribute__((tls_model("initial-exec")));

void hdi_enter(void)
{
    hdi_lock();
}

void hdi_leave(void)
{
    if (HDI_LIKELY(!hdi_deleters_waiting)) {
        hdi_unlock();
        return;
    }
    hdi_aside aside;
    hdi_deleter *list = hdi_deleters_take();
    hdi_unlock();
    hdi_host_begin(&aside);
    hdi_deleters_run(list);
    hdi_host_end(&aside);
}

void hdi_host_begin(hdi_aside *aside)
{
    hd_error_take(&aside->error);
    aside->depth = hdi_scope_depth;
    if (HDI_UNLIKELY(aside->depth > 0))   /* without a scope there are no items */
        aside->scopes = scopes;
    aside->watch = hdi_watching;
    hdi_watching = (hdi_watch){.asked = aside->watch.asked};
    hdi_watching.faults = hdi_watching.asked;
    scopes.items = NULL;
    scopes.n = scopes.capacity = 0;
    hdi_scope_depth = 0;
}

void hdi_host_end(const hdi_aside *aside)
{
    hd_error_take(NULL);
    if (aside->error.code != HD_OK)
        hdi_error_set(&aside->error);
    hdi_free(scopes.items, sizeof *scopes.items * (size_t)scopes.capacity);
    scopes.items = NULL;
    scopes.n = scopes.capacity = 0;
    if (HDI_UNLIKELY(aside->depth > 0))
        scopes = aside->scopes;
    hdi_scope_depth = aside->depth;
    const int asked = hdi_watching.asked;   /* the host may have changed that */
    hdi_watching = aside->watch;
    hdi_watching.asked = asked;
}

static bool scope_add(hd_array *x)
{
    if (scopes.n == scopes.capacity) {
        int64_t capacity = scopes.capacity ? scopes.capacity * 2 : 64;
        hd_array **items = hdi_realloc(scopes.items, sizeof *items * (size_t)scopes.capacity,
                                       sizeof *items * (size_t)capacity);
        if (items == NULL)
            return false;
        scopes.items = items;
        scopes.capacity = capacity;
    }
    scopes.items[scopes.n++] = x;
    x->flags |= HDI_A_SCOPED;
    return true;
}

static inline hd_array *handle_new(void)
{
    hd_array *x;
    if (HDI_LIKELY(hdi_spare_handle.n > 0))
        x = hdi_spare_handle.array[--hdi_spare_handle.n];
    else if ((x = hdi_alloc(sizeof *x)) == NULL) {
        hdi_fail(HD_NOMEM, "out of memory for an array handle");
        return NULL;
    }
    x->rc = 1;
    x->flags = 0;
    return x;
}

static inline void handle_free(hd_array *x)
{
    if (hdi_spare_handle.n < HDI_SPARE_MAX)
        hdi_spare_handle.array[hdi_spare_handle.n++] = x;
    else
        hdi_free(x, sizeof *x);
}

hd_array *hdi_array_over(hdi_storage *st, hd_dtype dt, hdi_layout *lay, int64_t off)
{
    hd_array *x = st != NULL ? handle_new() : NULL;
    if (x == NULL) {
        if (st != NULL)
            hdi_storage_release(st);
        return NULL;
    }
    return hdi_array_fill(x, st, dt, lay, off);
}

hd_array *hdi_array_view(const hd_array *x, hd_dtype dt, hdi_layout *lay, int64_t off)
{
    hd_array *v = handle_new();
    if (v == NULL)
        return NULL;
    v->flags |= x->flags & HDI_A_READONLY;
    x->st->handles++;
    return hdi_array_fill(v, x->st, dt, lay, off);
}

hd_array *hdi_array_weak(const hd_number *n)
{
    static const hd_dtype dts[] = {HD_BOOL, HD_INT64, HD_FLOAT64, HD_COMPLEX128};
    hdi_layout *lay = hdi_layout_c(0, NULL, hdi_itemsize(dts[n->kind]));
    hd_array *x = lay ? handle_new() : NULL;
    if (x == NULL)
        return NULL;
    x->st = NULL;
    x->off = 0;
    x->lay = lay;
    x->dtype = (uint8_t)dts[n->kind];
    x->flags |= HDI_A_WEAK | HDI_A_SCALAR | HDI_A_READONLY;
    x->weak = *n;
    lay->handles++;
    return x;
}

static inline void release(hd_array *x)
{
    if (--x->rc > 0)
        return;
    x->lay->handles--;
    if (HDI_LIKELY(x->st != NULL))
        hdi_storage_release(x->st);
    handle_free(x);
}

void hdi_array_release(hd_array *x)
{
    release(x);
}

hd_array *hdi_scope_own(hd_array *x)
{
    if (HDI_LIKELY(hdi_scope_depth == 0) || x == NULL || scope_add(x))
        return x;
    hdi_fail(HD_NOMEM, "out of memory for an array handle");
    hd_release(x);
    return NULL;
}

hd_array *hd_retain(hd_array *x)
{
    if (x != NULL) {
        hdi_lock();
        x->rc++;
        hdi_unlock();
    }
    return x;
}

void hd_release(hd_array *x)
{
    if (x == NULL)
        return;
    hdi_lock();
    release(x);
    if (HDI_LIKELY(!hdi_deleters_waiting))
        hdi_unlock();
    else
        hdi_leave();
}

int hd_scope_begin(void)
{
    int limit = (int)(sizeof scopes.start / sizeof *scopes.start);
    if (hdi_scope_depth < limit)
        scopes.start[hdi_scope_depth] = scopes.n;
    return hdi_scope_depth++;   /* deeper scopes than the limit end with the one that still fits */
}

hd_array *hd_scope_end(int depth, hd_array *keep)
{
    int limit = (int)(sizeof scopes.start / sizeof *scopes.start);
    if (depth < 0 || depth >= hdi_scope_depth)
        return keep;
    hdi_scope_depth = depth;
    if (depth >= limit)
        return keep;
    int64_t start = scopes.start[depth], n = start;
    bool kept = false;   /* one array may have been returned twice: one reference is kept */
    hdi_lock();
    for (int64_t k = start; k < scopes.n; k++) {
        hd_array *x = scopes.items[k];
        bool keeps = x == keep && !kept;
        kept |= keeps;
        if (!keeps)
            hdi_array_release(x);
        else if (depth > 0)
            scopes.items[n++] = x;   /* the scope around takes it over */
        else
            x->flags &= (uint8_t)~HDI_A_SCOPED;
    }
    scopes.n = n;
    if (depth == 0) {   /* nothing is left behind by a thread that ends */
        hdi_free(scopes.items, sizeof *scopes.items * (size_t)scopes.capacity);
        scopes.items = NULL;
        scopes.capacity = 0;
    }
    hdi_leave();
    return keep;
}

hd_array *hd_keep(hd_array *x)
{
    if (x == NULL || !(x->flags & HDI_A_SCOPED))
        return x;
    hdi_lock();
    for (int64_t k = scopes.n - 1; k >= 0; k--)
        if (scopes.items[k] == x) {
            memmove(scopes.items + k, scopes.items + k + 1,
                    sizeof *scopes.items * (size_t)(scopes.n - k - 1));
            scopes.n--;
            for (int d = 0; d < hdi_scope_depth && d < 64; d++)
                scopes.start[d] -= scopes.start[d] > k;
            x->flags &= (uint8_t)~HDI_A_SCOPED;
            break;
        }
    hdi_unlock();
    return x;
}

/* What is asked of NULL, where an operation failed, is an error and 0 or NULL. */
#define ASKED(type, name, value, none)        \
    type name(const hd_array *x)              \
    {                                         \
        if (HDI_LIKELY(x != NULL))            \
            return value;                     \
        hdi_fail_null("an array");            \
        return none;                          \
    }
ASKED(int, hd_ndim, x->lay->nd, 0)
ASKED(const int64_t *, hd_shape, x->lay->dims, NULL)
ASKED(const int64_t *, hd_strides, hdi_layout_strides(x->lay), NULL)
ASKED(int64_t, hd_size, x->lay->size, 0)
ASKED(int64_t, hd_nbytes, x->lay->size * x->lay->item, 0)
ASKED(hd_dtype, hd_dtype_of, (hd_dtype)x->dtype, HD_NO_DTYPE)
ASKED(int64_t, hd_offset, x->off, 0)
ASKED(uintptr_t, hd_storage_of, (uintptr_t)x->st, 0)

hd_device *hdi_device_of(const hd_array *x)
{
    return x->st != NULL ? x->st->buf->dev : hdi_current_device();
}

hd_device *hd_device_of(const hd_array *x)
{
    if (x == NULL)
        return hdi_null("an array");
    hdi_lock();
    hd_device *dev = hdi_device_of(x);
    hdi_unlock();
    return dev;
}

int hd_is_scalar(const hd_array *x)
{
    if (x == NULL) {
        hdi_fail_null("an array");
        return 0;
    }
    return (x->flags & HDI_A_SCALAR) != 0;
}

int hd_is_writeable(const hd_array *x)
{
    if (x == NULL) {
        hdi_fail_null("an array");
        return 0;
    }
    return !(x->flags & HDI_A_READONLY);
}

unsigned hd_flags(const hd_array *x)
{
    if (x == NULL) {
        hdi_fail_null("an array");
        return 0;
    }
    const hdi_layout *l = x->lay;
    unsigned f = HD_ALIGNED;
    f |= l->c_contiguous ? HD_C_CONTIGUOUS : 0;
    f |= l->f_contiguous ? HD_F_CONTIGUOUS : 0;
    f |= x->flags & HDI_A_READONLY ? 0 : HD_WRITEABLE;
    f |= x->flags & HDI_A_SCALAR ? HD_SCALAR : 0;
    if (hdi_is_weak(x))
        return f | HD_WEAK;
    hdi_lock();
    const hdi_buf *b = x->st->buf;
    f |= b->foreign == NULL &&
                 (l->size == 0 || (x->off + l->lo == 0 && l->size * l->item == b->nbytes))
             ? HD_OWNS_DATA
             : 0;
    f |= hdi_buf_empty(b) || b->writes > 0 ? HD_PENDING : 0;
    /* memory of our own starts at a multiple of every element size */
    uintptr_t bits = (b->foreign != NULL ? (uintptr_t)b->mem : 0) + (uintptr_t)x->off;
    for (int a = 0; a < l->nsq; a++)
        bits |= (uintptr_t)hdi_abs64(l->sqstrides[a]);
    int64_t align = hdi_itemsize(hd_dtype_real((hd_dtype)x->dtype));
    f &= l->size > 0 && bits & (uintptr_t)(align - 1) ? ~(unsigned)HD_ALIGNED : ~0u;
    hdi_unlock();
    return f;
}

hd_status hd_set_writeable(hd_array *x, int on)
{
    hd_status status = HD_OK;
    if (x == NULL)
        return hdi_fail_null("an array");
    hdi_lock();
    if (!on)
        x->flags |= HDI_A_READONLY;
    else if (x->flags & HDI_A_SCALAR ||
             (x->st->buf->foreign != NULL && x->flags & HDI_A_READONLY) || x->lay->zmask != 0)
        status = hdi_fail(HD_READONLY, "cannot set WRITEABLE flag to True of this array");
    else
        x->flags &= (uint8_t)~HDI_A_READONLY;
    hdi_unlock();
    return status;
}

static bool both_given(const hd_array *a, const hd_array *b)
{
    if (a == NULL || b == NULL)
        hdi_fail_null("an array");
    return a != NULL && b != NULL;
}

int hd_same_memory(const hd_array *a, const hd_array *b)
{
    if (!both_given(a, b))
        return 0;
    return a->st != NULL && a->st == b->st;
}

int hd_may_share(const hd_array *a, const hd_array *b)
{
    if (!both_given(a, b) || a->st == NULL || b->st == NULL)
        return 0;
    hdi_lock();
    int64_t apart;
    bool copy = a->st != b->st && a->st->buf == b->st->buf;   /* until one is written to */
    int share = !copy && hdi_buf_distance(a->st->buf, b->st->buf, &apart) &&
                hdi_overlap(a->lay, a->off, b->lay, b->off + apart);
    hdi_unlock();
    return share;
}
