/* SPDX-License-Identifier: BSD-3-Clause */
/* windows.h - the windows of a device, one for each thread that records for it.
 * Owns       hd_device.windows
 * Invariant  if a write to a generation is pending, all of its pending accesses are in one window;
 *            reads alone may be pending in several, and then hdi_buf.several is true. So edges stay
 *            within a window, and what is submitted may be submitted in any order of the windows
 * Threads    under the library's lock. A window is used by any thread, but only its owner records
 *            in it. Where there is no memory for another window, threads share the first one
 * Memory     windows are never freed: that of a thread that has ended is the next new thread's
 * Start at   hdi_window_find(), hdi_meet_windows()
 * See        docs/design/window.md, Streams */
#ifndef HDI_WINDOWS_H
#define HDI_WINDOWS_H

#include "window/window.h"

/* hdi_windows_open - the first window of dev. */
hd_status hdi_windows_open(hd_device *dev);
/* hdi_windows_flush - submits everything pending on dev. hdi_windows_settle - what is pending on b.
 * hdi_windows_retire - prefixes of the windows, w first, until no more than `bound` bytes are kept
 * alive by windows alone. */
void hdi_windows_flush(hd_device *dev);
hd_status hdi_windows_settle(hdi_buf *b);
void hdi_windows_retire(hdi_window *w, int64_t bound);
/* hdi_windows_pending - records pending on dev. hdi_windows_stats - sums over its windows. */
int hdi_windows_pending(const hd_device *dev);
hdi_window_stats hdi_windows_stats(const hd_device *dev);
/* hdi_windows_after_fork - in the child: only the calling thread is there. */
void hdi_windows_after_fork(hd_device *dev);

#endif
