/* SPDX-License-Identifier: BSD-3-Clause */
/* services.h - what the layers below execution ask of it: a device to start with, and elements that
 * are read on the host, written by it, or moved between devices.
 * Owns       hdi_service_table, hdi_values, hdi_staged
 * Invariant  exec installs the table before main() and never changes it
 * Threads    under the library's lock, unless stated
 * Start at   hdi_current_device(), hdi_values_open()
 * See        exec/install.c; hdi_runner in window/window.h, the same for the window */
#ifndef HDI_SERVICES_H
#define HDI_SERVICES_H

#include "core/array.h"

typedef struct hdi_values {
    const void *at;
    void *copy;
    size_t bytes;
    hdi_buf *pinned;
} hdi_values;

typedef struct hdi_staged {
    hd_array *x;
    void *to, *copy;
    size_t bytes;
} hdi_staged;

/* Each entry is what the function below of its name asks. */
typedef struct hdi_service_table {
    hd_device *(*default_device)(void);
    hd_device *(*host_device)(void);
    bool (*values_open)(const hd_array *x, hdi_values *v);
    void (*values_close)(hdi_values *v);
    hd_status (*value_then)(const hd_array *x, const hd_array *next, void *into);
    hd_status (*item)(const hd_array *x, int64_t index, hd_value *value);
    bool (*staged_open)(hd_device *dev, int64_t n, hd_dtype dt, hdi_staged *s);
    hd_array *(*staged_close)(hdi_staged *s, hd_status status);
    hd_array *(*moved)(const hd_array *x, hd_device *dev);
    hd_array *(*from_host)(hd_device *dev, int nd, const int64_t *shape, hd_dtype dt,
                           const void *data);
} hdi_service_table;
extern const hdi_service_table *hdi_services;

/* hdi_current_device - the device that creation functions use; NULL and HD_DEVICE if it cannot
 * be opened. hdi_current - the same once this thread has asked, or has chosen one; else NULL. */
extern _Thread_local hd_device *hdi_current __attribute__((tls_model("initial-exec")));
static inline hd_device *hdi_current_device(void)
{
    if (HDI_LIKELY(hdi_current != NULL))
        return hdi_current;
    return hdi_current = hdi_services->default_device();
}

/* hdi_host_device - the CPU; NULL and an error if it cannot be opened. With the lock. */
static inline hd_device *hdi_host_device(void)
{
    return hdi_services->host_device();
}

/* hdi_values_open - x's elements on the host in C order, for checks that need values (indices):
 * computes x; releases and retakes the lock meanwhile. Where memory is the host's they are read in
 * place; whoever writes to x until hdi_values_close() gets another place for it. */
static inline bool hdi_values_open(const hd_array *x, hdi_values *v)
{
    return hdi_services->values_open(x, v);
}
static inline void hdi_values_close(hdi_values *v)
{
    hdi_services->values_close(v);
}

/* hdi_value_then - x's only element to `into`; `next` (if any), recorded already, is given to the
 * device before that is waited for, so that it works while the host goes on. Releases and retakes
 * the lock meanwhile. */
static inline hd_status hdi_value_then(const hd_array *x, const hd_array *next, void *into)
{
    return hdi_services->value_then(x, next, into);
}

/* hdi_item - hd_item(); without the lock. */
HDI_AWAY static inline hd_status hdi_item(const hd_array *x, int64_t index, hd_value *value)
{
    return hdi_services->item(x, index, value);
}

/* hdi_staged_open - n elements to be written by the host, in place where memory is its own. With
 * the lock, which is away while hdi_staged_close() moves them. NULL there: status was a failure
 * already, or they could not be moved. */
static inline bool hdi_staged_open(hd_device *dev, int64_t n, hd_dtype dt, hdi_staged *s)
{
    return hdi_services->staged_open(dev, n, dt, s);
}
static inline hd_array *hdi_staged_close(hdi_staged *s, hd_status status)
{
    return hdi_services->staged_close(s, status);
}

/* hdi_moved - x's elements on another device (a fresh array); releases and retakes the lock
 * meanwhile. hdi_from_host - an array on dev of elements in host memory; without the lock. */
static inline hd_array *hdi_moved(const hd_array *x, hd_device *dev)
{
    return hdi_services->moved(x, dev);
}
HDI_AWAY static inline hd_array *hdi_from_host(hd_device *dev, int nd, const int64_t *shape,
                                               hd_dtype dt, const void *data)
{
    return hdi_services->from_host(dev, nd, shape, dt, data);
}

#endif
