/* SPDX-License-Identifier: BSD-3-Clause */
/* forks.c - registering again. */
#include "base/forks.h"

#include <stdatomic.h>
#include <stddef.h>

typedef void (*watcher)(void);

static _Atomic(watcher) watched;

void hdi_forks_watched(void (*watch)(void))
{
    atomic_store(&watched, watch);
    watch();
}

void hdi_forks_loaded(void)
{
    watcher watch = atomic_load(&watched);
    if (watch != NULL)
        watch();
}
