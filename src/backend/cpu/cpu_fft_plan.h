/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_fft_plan.h - how transforms of one length are done: the radices of their passes, and tables
 * of roots of unity.
 * Owns       a cache of plans, the least recently used of which give way
 * Invariant  every root is the nearest number of its type to the true one, a few in a thousand
 *            apart (docs/design/fft.md)
 * Threads    any; a plan is constant once made, and lives as long as somebody uses it
 * Memory     one block for each plan and for each that it rests on; plans that nobody uses keep at
 *            most FFT_CACHE_BYTES
 * Start at   hdi_cpu_fft_plan() */
#ifndef HDI_CPU_FFT_PLAN_H
#define HDI_CPU_FFT_PLAN_H

#include <heddle/dtype.h>

#include "backend/cpu/loops/loops.h"
#include "base/base.h"

enum {
    HDI_FFT_PASSES = 64,
    HDI_FFT_LONG_BYTES = 1 << 21 /* of a long line's points: from there on it is columns and rows */
};

typedef struct hdi_fft_plan {
    int64_t n;                   /* points */
    bool real;                   /* of the real transform of n numbers, n even: length is n / 2 */
    hd_dtype dt;                 /* float32 or float64 */
    int npasses;                 /* 0: one point */
    hdi_fft_pass pass[HDI_FFT_PASSES];
    /* Bluestein's way, where a prime factor is large: `inner` transforms `padded` points */
    struct hdi_fft_plan *inner;
    int64_t padded;              /* points of a buffer: at least the length */
    const void *chirp, *filter;  /* n, padded */
    /* a long line's way (cpu_fft_long.c): the turn's n1 and n2 points; or NULL */
    struct hdi_fft_plan *columns, *rows;
    hdi_fft_turn turn;
    const void *ends;            /* table of loops.after, of real plans */
    /* the cache's */
    int users;
    size_t bytes;
    struct hdi_fft_plan *next;
} hdi_fft_plan;

/* hdi_cpu_fft_plan - the plan, to be given back; NULL and HD_NOMEM. */
hdi_fft_plan *hdi_cpu_fft_plan(int64_t n, bool real, hd_dtype dt);
void hdi_cpu_fft_done(hdi_fft_plan *plan);

/* hdi_cpu_fft_long - are lines of this plan computed as columns and rows, one by one? */
static inline bool hdi_cpu_fft_long(const hdi_fft_plan *plan)
{
    return plan->columns != NULL || (plan->inner != NULL && plan->inner->columns != NULL);
}

/* hdi_cpu_fft_run - transforms a group, of a plan that is not long: from x, by way of the other
 * planes, of plan->padded points each. Returns where the result is: x or other. */
const hdi_fft_planes *hdi_cpu_fft_run(const hdi_fft_plan *plan, const hdi_fft_loops *loops,
                                      int64_t lanes, const hdi_fft_planes *x,
                                      const hdi_fft_planes *other);

/* hdi_cpu_fft_run_long - transforms whole planes where they are, of a plan of columns and rows;
 * false when there is no memory (cpu_fft_long.c). */
bool hdi_cpu_fft_run_long(const hdi_fft_plan *plan, const hdi_fft_loops *loops,
                          const hdi_fft_planes *x);

/* hdi_cpu_fft_trim - frees plans that nobody uses. */
void hdi_cpu_fft_trim(void);

#endif
