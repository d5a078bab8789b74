/* SPDX-License-Identifier: BSD-3-Clause */
/* faulty.h - the cpu device with a back end whose launches can be made to fail, stop or be counted.
 * Start at   begin_faulty(), end_faulty() */
#ifndef HEDDLE_TESTS_FAULTY_H
#define HEDDLE_TESTS_FAULTY_H

#include "backend/backend.h"
#include "base/lock.h"
#include "core/device.h"
#include "support.h"

typedef struct faulty {
    int launches, libraries;   /* so far */
    int fail_at;               /* this launch (counted from 1) fails ... */
    int fail_times;            /* ... and so many that follow it, this one included */
    /* with this; HD_INTERRUPTED and HD_NOMEM leave the job where it is */
    hd_status code;
    const hdi_backend *real;
} faulty;

static faulty fault;

static inline bool fails_now(void)
{
    int n = fault.launches + fault.libraries;
    return fault.fail_at > 0 && n >= fault.fail_at && n < fault.fail_at + fault.fail_times;
}

static inline hd_status faulty_launch(void *state, hdi_launch *l)
{
    fault.launches++;
    return fails_now() ? hdi_fail(fault.code, "launch %d failed", fault.launches)
                       : fault.real->launch(state, l);
}

static inline hd_status faulty_library(void *state, const hdi_xcall *x)
{
    fault.libraries++;
    return fails_now() ? hdi_fail(fault.code, "library call %d failed", fault.libraries)
                       : fault.real->library(state, x);
}

/* The next launches are counted from 1. */
static inline void fail_at(int launch, int times, hd_status code)
{
    fault.launches = fault.libraries = 0;
    fault.fail_at = launch;
    fault.fail_times = times;
    fault.code = code;
}

static inline hd_device *begin_faulty(void)
{
    static hdi_backend table;
    hd_device *dev = hd_device_get("cpu");
    hd_device_set_current(dev);
    hd_synchronize(dev);
    hd_error_take(NULL);
    fault = (faulty){.real = dev->backend};
    table = *dev->backend;
    table.launch = faulty_launch;
    table.library = faulty_library;
    dev->backend = &table;
    return dev;
}

static inline void end_faulty(hd_device *dev)
{
    fail_at(0, 0, HD_OK);
    CHECK(hd_synchronize(dev) == HD_OK && t_clean());
    dev->backend = fault.real;
}

#endif
