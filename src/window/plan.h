/* SPDX-License-Identifier: BSD-3-Clause */
/* plan.h - the plan cache: what was decided for a chunk, found again by its canonical words.
 * Owns       hdi_plan (the head that exec's plan begins with)
 * Invariant  a plan is found by hash and then compared word by word; it is never found by hash
 *            alone
 * Threads    under the library's lock
 * Start at   hdi_plan_find() */
#ifndef HDI_PLAN_H
#define HDI_PLAN_H

#include "window/canon.h"

typedef struct hdi_repeat hdi_repeat;

typedef struct hdi_plan {
    struct hdi_plan *next;
    uint64_t hash;
    uint64_t used;             /* tick of the last use, for eviction */
    int64_t uses;              /* after the first */
    /* what came next on the device the last time, or NULL; the chunk that this was used for, to
     * compare others with, or NULL; how often in a row those that were expected were not like it */
    struct hdi_plan *then;
    hdi_repeat *repeat;
    unsigned unlike;
    int refs;                  /* unfinished jobs */
    int nwords;
    uint64_t *words;
    const hd_device *device;   /* plans hold programs of one device */
    void (*drop)(struct hdi_plan *p);
} hdi_plan;

hdi_plan *hdi_plan_find(const hd_device *device, const hdi_canon *c);
/* hdi_plan_use - p is used once more. */
void hdi_plan_use(hdi_plan *p);
/* hdi_plan_add - keeps p under c's words; evicts the least recently used plan that no job needs
 * when there are many. */
hd_status hdi_plan_add(hdi_plan *p, const hd_device *device, const hdi_canon *c);
int64_t hdi_plan_count(void);

#endif
