/* SPDX-License-Identifier: BSD-3-Clause */
/* spans.c - see spans.h. */
#include "base/spans.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

_Atomic(bool) hdi_profiling_on;

static struct spans {
    pthread_mutex_t mutex;
    hdi_span *at;
    int64_t n, room, lost;
} spans = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static _Atomic(int) threads_seen;
static _Thread_local int this_thread;   /* its number, from 1 on; 0: it has none yet */

/* The caller of hdi_spans_close() has them as a block whose first bytes are its size. */
typedef struct block { size_t bytes; hdi_span at[]; } block;

bool hdi_spans_open(void)
{
    pthread_mutex_lock(&spans.mutex);
    const bool first = !atomic_load(&hdi_profiling_on);
    if (first) {
        spans.n = spans.lost = 0;
        atomic_store(&hdi_profiling_on, true);
    }
    pthread_mutex_unlock(&spans.mutex);
    return first;
}

static block *block_of(hdi_span *at)
{
    return (block *)(void *)((char *)at - offsetof(block, at));
}

/* Room for one more; under the mutex. */
static bool make_room(void)
{
    if (spans.n < spans.room)
        return true;
    const int64_t room = spans.room * 2 + 256;
    const size_t bytes = sizeof(block) + sizeof(hdi_span) * (size_t)room;
    block *now = hdi_alloc(bytes);
    if (now == NULL)
        return false;
    now->bytes = bytes;
    if (spans.at != NULL) {
        memcpy(now->at, spans.at, sizeof *spans.at * (size_t)spans.n);
        hdi_spans_free(spans.at);
    }
    spans.at = now->at;
    spans.room = room;
    return true;
}

hdi_span *hdi_spans_close(int64_t *n, int64_t *lost)
{
    pthread_mutex_lock(&spans.mutex);
    hdi_span *all = spans.at;
    *n = atomic_load(&hdi_profiling_on) ? spans.n : -1;
    *lost = spans.lost;
    atomic_store(&hdi_profiling_on, false);
    spans.at = NULL;
    spans.n = spans.room = 0;
    pthread_mutex_unlock(&spans.mutex);
    return all;
}

void hdi_spans_free(hdi_span *at)
{
    if (at != NULL)
        hdi_free(block_of(at), block_of(at)->bytes);
}

void hdi_span_begin(hdi_span *s, hd_span_kind kind, const char *name, const char *device)
{
    if (this_thread == 0)
        this_thread = atomic_fetch_add(&threads_seen, 1) + 1;
    *s = (hdi_span){.kind = kind, .device = device, .thread = this_thread - 1, .bytes = -1,
                    .operations = -1, .begin = hdi_now_ns(CLOCK_MONOTONIC)};
    snprintf(s->name, sizeof s->name, "%s", name);
}

bool hdi_span_end(hdi_span *s)
{
    s->end = hdi_now_ns(CLOCK_MONOTONIC);
    pthread_mutex_lock(&spans.mutex);
    const bool kept = atomic_load(&hdi_profiling_on) && make_room();
    if (kept)
        spans.at[spans.n++] = *s;
    else
        spans.lost++;
    pthread_mutex_unlock(&spans.mutex);
    return kept;
}
