/* SPDX-License-Identifier: BSD-3-Clause */
/* clock.h - the system's clocks as one number.
 * Threads    any */
#ifndef HDI_CLOCK_H
#define HDI_CLOCK_H

#include <stdint.h>
#include <time.h>

/* hdi_now_ns - nanoseconds of CLOCK_MONOTONIC or, cheaper and in steps of some milliseconds,
 * CLOCK_MONOTONIC_COARSE. */
static inline int64_t hdi_now_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

#endif
