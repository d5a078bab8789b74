/* SPDX-License-Identifier: BSD-3-Clause */
/* forks.h - who is asked first at a fork(). The system asks the one that registered last; a library
 * that is loaded on the way registers then, and may end its threads at a fork() while we are in it
 * (OpenBLAS does, and waits for ever for one that has work). So who holds the work registers again.
 * Threads    any
 * See        src/exec/device.c */
#ifndef HDI_FORKS_H
#define HDI_FORKS_H

/* hdi_forks_watched - watch() registers the handlers that wait for the work at hand; they are ready
 * to be registered several times. hdi_forks_loaded - a library with handlers of its own may have
 * been loaded, and has not been called yet. */
void hdi_forks_watched(void (*watch)(void));
void hdi_forks_loaded(void);

#endif
