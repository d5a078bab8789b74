/* SPDX-License-Identifier: BSD-3-Clause */
/* wait.h - a host program that wants its thread back while the library works, for a signal that
 * came, say; beside hd_set_wait_hooks().
 * Threads    any; set before there is work
 * Start at   hd_set_attend_hook() */
#ifndef HEDDLE_WAIT_H
#define HEDDLE_WAIT_H

#include <heddle/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* hd_set_attend_hook - attend() follows when interrupted() of hd_wait_hooks was not 0 and the work
 * has stopped between blocks: outside release/acquire pairs, with nothing of the library's held,
 * no scope open and no error pending. The host does what it wanted its thread for, which may be to
 * call the library. Non-zero: the call that waits fails with HD_INTERRUPTED; 0: it goes on. It is
 * also called before work that may take long: from attend() to the next acquire() interrupted()
 * should know, where otherwise it may say 1 for not knowing. With this hook interrupted() may not
 * call the library. NULL (the default): to be interrupted is to fail. */
HD_API void hd_set_attend_hook(int (*attend)(void));

#ifdef __cplusplus
}
#endif

#endif
