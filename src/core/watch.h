/* SPDX-License-Identifier: BSD-3-Clause */
/* watch.h - who wants to hear of each operation by itself, and what the calling thread's operation
 * is called in reports.
 * Threads    hdi_watched is written under the lock (window/windows.c tells the windows);
 *            hdi_watching is the thread's
 * Start at   hdi_faults() */
#ifndef HDI_WATCH_H
#define HDI_WATCH_H

#include <stdbool.h>

#include "base/base.h"

struct hdi_record;

/* Who watches. Records of a thread that looks for floating-point faults (heddle/faults.h) are
 * submitted at once, each alone; so are all while somebody looks for an error (HEDDLE_DEBUG). */
typedef struct hdi_watchers {
    bool any;                  /* is anything below set? Asked first, since mostly it is not */
    int threads;               /* that called hd_watch_faults() */
    int (*wanted)(void);       /* a host's answer for the calling thread, or NULL */
    bool debug;                /* each operation has been waited for when its call returns */
} hdi_watchers;
extern hdi_watchers hdi_watched;

/* What the calling thread watches, and its operation at hand. */
typedef struct hdi_watch {
    int faults;                /* by the last answer of hdi_faults_ask() */
    int asked;                 /* by hd_watch_faults() */
    int paused;                /* faults is 0: see hdi_watch_pause() */
    bool by_name;              /* the operation was called as a function */
    bool scalar;               /* it is an operator on scalars only: NumPy names these apart */
    const char *whole;         /* it is half of this operation with two results, or NULL */
    const struct hdi_record *record;  /* being submitted because of the watch */
} hdi_watch;
extern _Thread_local hdi_watch hdi_watching __attribute__((tls_model("initial-exec")));

/* hdi_faults - those that the calling thread's operation is to look for. Who begins an operation or
 * a record asks; the rest of it goes by hdi_watching.faults, the last answer. */
int hdi_faults_ask(void);
static inline int hdi_faults(void)
{
    return HDI_LIKELY(!hdi_watched.any) ? 0 : hdi_faults_ask();
}
/* hdi_at_once - is the thread's next record to run before its call returns? hdi_is_at_once - the
 * record that was begun, by the last answer. */
static inline bool hdi_at_once(void)
{
    return HDI_UNLIKELY(hdi_watched.any) && (hdi_faults_ask() != 0 || hdi_watched.debug);
}
static inline bool hdi_is_at_once(void)
{
    return HDI_UNLIKELY(hdi_watched.any) && (hdi_watching.faults != 0 || hdi_watched.debug);
}
/* hdi_watch_pause - records of this thread from here to hdi_watch_resume() are kept and fused,
 * whoever watches: those that look for faults in values. */
static inline void hdi_watch_pause(void)
{
    hdi_watching.paused++;
    hdi_watching.faults = 0;
}
static inline void hdi_watch_resume(void)
{
    hdi_watching.paused--;
    hdi_faults_ask();
}

#endif
