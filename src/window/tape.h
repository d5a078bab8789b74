/* SPDX-License-Identifier: BSD-3-Clause */
/* tape.h - operations that a thread captures: they do not run, but are kept, to be recorded again
 * as often as somebody wants.
 * Owns       hdi_tape
 * Invariant  a window with a tape has nothing pending that was recorded since it got it. A tape
 *            holds its generations (hdi_buf.held and taped), its layouts and its objects. Storages
 *            never change a generation that a tape holds for another one, and none is shared by two
 *            storages: so what the tape reads and writes stays what the program knows by its arrays
 * Threads    under the library's lock
 * Start at   hdi_tape_record(), hdi_tape_play()
 * See        docs/design/window.md, Capture */
#ifndef HDI_TAPE_H
#define HDI_TAPE_H

#include "window/window.h"

/* hdi_tape_begin - operations of the calling thread on dev go to a tape from here on; what shares a
 * generation on dev has one of its own afterwards, and what is pending there is submitted.
 * hdi_tape_end - the tape, closed; NULL and HD_VALUE if there is none. hdi_tape_free - lets go of
 * all it holds; NULL is none. hdi_tape_drop - the end of w's, which nobody wants. */
hd_status hdi_tape_begin(hd_device *dev);
hdi_tape *hdi_tape_end(hd_device *dev);
void hdi_tape_free(hdi_tape *t);
void hdi_tape_drop(hdi_window *w);
/* hdi_tape_pause - what the thread records runs again, until it goes on capturing. */
hd_status hdi_tape_pause(hd_device *dev, bool pause);

/* hdi_tape_small, hdi_tape_set_small - w->small as it is where w does not capture. */
int64_t hdi_tape_small(const hdi_window *w);
void hdi_tape_set_small(hdi_window *w, int64_t small);

/* hdi_tape_play - records all that is on t once more, in the calling thread's window. What fails
 * leaves the rest unrecorded. */
hd_status hdi_tape_play(hdi_tape *t);
/* hdi_tape_device - where. hdi_tape_operations - how many; hdi_tape_operation - the name of
 * number i. */
hd_device *hdi_tape_device(const hdi_tape *t);
int64_t hdi_tape_operations(const hdi_tape *t);
const char *hdi_tape_operation(const hdi_tape *t, int64_t i);

#endif
