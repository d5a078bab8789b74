/* SPDX-License-Identifier: BSD-3-Clause */
/* watch.c - what the calling thread's operations look for. */
#include "core/watch.h"

hdi_watchers hdi_watched;
_Thread_local hdi_watch hdi_watching __attribute__((tls_model("initial-exec")));

int hdi_faults_ask(void)
{
    hdi_watch *w = &hdi_watching;
    const int host = w->paused == 0 && hdi_watched.wanted != NULL ? hdi_watched.wanted() : 0;
    return w->faults = w->paused == 0 ? w->asked | host : 0;
}
