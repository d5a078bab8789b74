/* SPDX-License-Identifier: BSD-3-Clause */
/* spans.h - what ran and when, while somebody wants to know.
 * Owns       the spans of the profile under way
 * Threads    any; a mutex of its own
 * Start at   hdi_profiling */
#ifndef HDI_SPANS_H
#define HDI_SPANS_H

#include <heddle/profile.h>
#include <stdatomic.h>

#include "base/base.h"
#include "base/clock.h"

/* One span. Marks are events of the device, before and after what its own clock times; 0: the
 * host's clock does. */
typedef struct hdi_span {
    hd_span_kind kind;
    char name[120], shape[64];
    const char *device;        /* lives as long as the process */
    int where;                 /* number of the device */
    int thread;
    int64_t begin, end;        /* ns, CLOCK_MONOTONIC */
    uintptr_t mark[2];
    int64_t bytes, operations;
} hdi_span;

extern _Atomic(bool) hdi_profiling_on;
static inline bool hdi_profiling(void)
{
    return HDI_UNLIKELY(atomic_load_explicit(&hdi_profiling_on, memory_order_relaxed));
}

/* hdi_spans_open - notes spans from here on; false: it does so already. hdi_spans_close - no more
 * of them; *n spans in no order, for hdi_spans_free(); *lost: how many there was no memory for.
 * NULL with *n < 0: none were noted. */
bool hdi_spans_open(void);
hdi_span *hdi_spans_close(int64_t *n, int64_t *lost);
void hdi_spans_free(hdi_span *spans);

/* hdi_span_begin - a span of this thread that begins now. hdi_span_end - it is over; false: there
 * is no profile any more, or no memory for it, and its marks are the caller's to free. */
void hdi_span_begin(hdi_span *s, hd_span_kind kind, const char *name, const char *device);
bool hdi_span_end(hdi_span *s);

#endif
