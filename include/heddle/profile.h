/* SPDX-License-Identifier: BSD-3-Clause */
/* profile.h - what ran and how long: a span for each kernel, library call, copy between host and
 * device, and compilation.
 * Threads    any; one profile at a time, of the whole process
 * Start at   hd_profile_start() */
#ifndef HEDDLE_PROFILE_H
#define HEDDLE_PROFILE_H

#include <heddle/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hd_span_kind {
    HD_SPAN_KERNEL,
    HD_SPAN_LIBRARY,            /* a call of a library, or of what works as one */
    HD_SPAN_COPY,               /* between the host and a device, or two devices */
    HD_SPAN_COMPILE             /* of a kernel, in the background */
} hd_span_kind;

typedef struct hd_span {
    hd_span_kind kind;
    const char *name;           /* its operations, in their order */
    const char *device;         /* "cpu", "cuda:0"; where a compilation ran: "cpu" */
    const char *shape;          /* what a kernel runs over, "(100, 3)"; "" of other spans */
    int thread;                 /* of the host, counted from 0; on a GPU who launched it */
    /* seconds since hd_profile_start(). Of kernels and library calls on a GPU the GPU's, of the
     * rest the host's */
    double begin, seconds;
    int64_t bytes;              /* of its operands: what it must move; -1: not known */
    int64_t operations;         /* on elements; -1: not known */
} hd_span;

/* hd_profile_start - runs what is pending, and takes note of all that runs from here on. Kernels of
 * a GPU are launched one by one meanwhile. HD_VALUE if a profile is under way.
 * hd_profile_stop - runs what is pending, waits for it, and hands each span, by their beginnings,
 * to take(), which may be NULL; *lost (may be NULL): how many there was no memory for.
 * HD_VALUE if none is under way. What runs within its call (hd_set_fusion()) leaves no span. */
HD_API hd_status hd_profile_start(void);
HD_API hd_status hd_profile_stop(void (*take)(const hd_span *span, void *ctx), void *ctx,
                                 int64_t *lost);

#ifdef __cplusplus
}
#endif

#endif
