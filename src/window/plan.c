/* SPDX-License-Identifier: BSD-3-Clause */
/* plan.c - the table of plans. */
#include "window/plan.h"

#include "base/alloc.h"
#include "window/repeat.h"

enum { NBUCKETS = 1024, PLANS_MAX = 2048 };
static hdi_plan *buckets[NBUCKETS];
static int64_t nplans;
static uint64_t tick;

hdi_plan *hdi_plan_find(const hd_device *device, const hdi_canon *c)
{
    size_t bytes = sizeof *c->word * (size_t)c->nwords;
    for (hdi_plan *p = buckets[c->hash & (NBUCKETS - 1)]; p != NULL; p = p->next)
        if (p->hash == c->hash && p->nwords == c->nwords && p->device == device &&
            memcmp(p->words, c->word, bytes) == 0)
            return p;
    return NULL;
}

void hdi_plan_use(hdi_plan *p)
{
    p->used = ++tick;
    p->uses++;
}

/* Nobody expects p any more. */
static void forget(const hdi_plan *p)
{
    for (int b = 0; b < NBUCKETS; b++)
        for (hdi_plan *q = buckets[b]; q != NULL; q = q->next)
            if (q->then == p)
                q->then = NULL;
    for (int k = 0; k < p->device->nwindows; k++)
        if (p->device->windows[k]->latest == p)
            p->device->windows[k]->latest = NULL;
}

static void evict_oldest(void)
{
    hdi_plan **oldest = NULL;
    for (int b = 0; b < NBUCKETS; b++)
        for (hdi_plan **at = &buckets[b]; *at != NULL; at = &(*at)->next)
            if ((*at)->refs == 0 && (oldest == NULL || (*at)->used < (*oldest)->used))
                oldest = at;
    if (oldest == NULL)
        return;
    hdi_plan *p = *oldest;
    *oldest = p->next;
    nplans--;
    forget(p);
    hdi_repeat_free(p->repeat);
    hdi_free(p->words, sizeof *p->words * (size_t)p->nwords);
    p->drop(p);
}

hd_status hdi_plan_add(hdi_plan *p, const hd_device *device, const hdi_canon *c)
{
    size_t bytes = sizeof *c->word * (size_t)c->nwords;
    if ((p->words = hdi_alloc(bytes)) == NULL)
        return hdi_fail(HD_NOMEM, "out of memory for a plan of %d operations", c->n);
    if (nplans >= PLANS_MAX)
        evict_oldest();
    memcpy(p->words, c->word, bytes);
    p->nwords = c->nwords;
    p->hash = c->hash;
    p->device = device;
    p->used = ++tick;
    p->uses = 0;
    p->then = NULL;
    p->repeat = NULL;
    p->unlike = 0;
    p->refs = 0;
    p->next = buckets[c->hash & (NBUCKETS - 1)];
    buckets[c->hash & (NBUCKETS - 1)] = p;
    nplans++;
    return HD_OK;
}

int64_t hdi_plan_count(void)
{
    return nplans;
}
