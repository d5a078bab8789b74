/* SPDX-License-Identifier: BSD-3-Clause */
/* array.h - the handle behind hd_array: a view of a storage, or a weak scalar.
 * Owns       struct hd_array
 * Invariant  st == NULL exactly for weak scalars; lay's item is the dtype's size; every element
 *            lies inside the storage
 * Threads    made and released under the library's lock; fields are constant, flags apart
 * Start at   hdi_array_new() */
#ifndef HDI_ARRAY_H
#define HDI_ARRAY_H

#include <heddle/ops.h>

#include "base/lock.h"
#include "core/dtype.h"
#include "core/storage.h"
#include "core/watch.h"

struct hd_array {
    int64_t rc;
    hdi_storage *st;
    int64_t off;
    hdi_layout *lay;
    uint8_t dtype;
    uint8_t flags;           /* HDI_A_* */
    hd_number weak;          /* HDI_A_WEAK */
};
enum { HDI_A_SCALAR = 1, HDI_A_READONLY = 2, HDI_A_WEAK = 4, HDI_A_SCOPED = 8 };

/* hdi_array_view - another view of x's storage. */
hd_array *hdi_array_view(const hd_array *x, hd_dtype dt, hdi_layout *lay, int64_t off);
/* hdi_array_over - the first handle of a storage made by the caller. */
hd_array *hdi_array_over(hdi_storage *st, hd_dtype dt, hdi_layout *lay, int64_t off);
/* hdi_array_fill - what every handle says of its elements. */
static inline hd_array *hdi_array_fill(hd_array *x, hdi_storage *st, hd_dtype dt, hdi_layout *lay,
                                       int64_t off)
{
    x->st = st;
    x->off = off;
    x->lay = lay;
    x->dtype = (uint8_t)dt;
    lay->handles++;
    return x;
}
/* Freed handles are kept for the next array, as storages are. */
typedef struct hdi_spare_arrays { int n; hd_array *array[HDI_SPARE_MAX]; } hdi_spare_arrays;
extern hdi_spare_arrays hdi_spare_handle;
/* hdi_array_new - a fresh C-order (or other) array over a storage of its own; lay must be dense. */
static inline hd_array *hdi_array_new(hd_device *dev, hd_dtype dt, hdi_layout *lay)
{
    hdi_storage *st = hdi_storage_new(dev, lay->size * lay->item);
    if (HDI_UNLIKELY(st == NULL || hdi_spare_handle.n == 0))
        return hdi_array_over(st, dt, lay, 0);
    hd_array *x = hdi_spare_handle.array[--hdi_spare_handle.n];
    x->rc = 1;
    x->flags = 0;
    return hdi_array_fill(x, st, dt, lay, 0);
}
/* hdi_array_is_whole - all of its storage, in C order, and a store may take another generation. */
static inline bool hdi_array_is_whole(const hd_array *x)
{
    const hdi_buf *b = x->st->buf;
    return x->off == 0 && x->lay->c_contiguous && x->lay->fills == b->nbytes &&
           !hdi_buf_keeps_place(b);
}
/* hdi_array_weak - a weak scalar. */
hd_array *hdi_array_weak(const hd_number *n);
/* Scopes that are open in this thread. */
extern _Thread_local int hdi_scope_depth __attribute__((tls_model("initial-exec")));
/* hdi_scope_own - a result on its way to the user, who may have a scope open. Without the lock.
 * NULL passes through. */
HDI_AWAY hd_array *hdi_scope_own(hd_array *x);
/* hdi_host_begin - code of the host program (a deleter, a handler of faults or of signals) runs in
 * this thread, within a call of the library: it finds no scope open and no error pending, as it
 * would outside. hdi_host_end - what was put aside is back. Without the lock. */
typedef struct hdi_scopes {
    hd_array **items;          /* arrays that this thread made inside scopes, oldest first */
    int64_t n, capacity;
    int64_t start[64];
} hdi_scopes;
typedef struct hdi_aside {
    hd_error error;
    hdi_scopes scopes;
    int depth;
    hdi_watch watch;           /* of the operation that waits meanwhile */
} hdi_aside;
HDI_AWAY void hdi_host_begin(hdi_aside *aside);
void hdi_host_end(const hdi_aside *aside);
/* hdi_array_release - under the lock. */
void hdi_array_release(hd_array *x);

static inline hdi_buf *hdi_array_buf(const hd_array *x) { return x->st->buf; }
static inline bool hdi_is_weak(const hd_array *x) { return (x->flags & HDI_A_WEAK) != 0; }

/* hdi_reshape_dims - shape with its -1 worked out; false and HD_VALUE if x's elements do not fit
 * it. */
bool hdi_reshape_dims(const hd_array *x, int nd, const int64_t *shape, int64_t *dims);
/* hdi_find_element - byte offset of x[index[0], ..., index[n - 1]] in its generation; false and
 * HD_INDEX if there is none. */
bool hdi_find_element(const hd_array *x, int n, const int64_t *index, int64_t *off);
/* hdi_reshape_is_view - can x's elements be seen under those extents without a copy? */
bool hdi_reshape_is_view(const hd_array *x, int nd, const int64_t *dims);

/* The lock and what must follow it: foreign deleters, and work that was submitted (see
 * window.h). */
HDI_LOCKS void hdi_enter(void);
HDI_UNLOCKS void hdi_leave(void);

/* hdi_device_of - under the lock; a weak scalar is on the current device. */
hd_device *hdi_device_of(const hd_array *x);
/* hdi_imag_view - hd_imag() of a complex array. */
hd_array *hdi_imag_view(const hd_array *x);

#endif
