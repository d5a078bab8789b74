/* SPDX-License-Identifier: BSD-3-Clause */
/* repeat.h - a chunk that is just like the one expected is found without making its key.
 * Owns       hdi_repeat
 * Invariant  compared is what the key is made from, more strictly than the key: layouts, offsets
 *            and sizes themselves, not their numbers. So what is like a chunk has its key, and
 *            nothing is planned from here
 * Threads    under the library's lock
 * Start at   hdi_repeat_find()
 * See        docs/design/plan-cache.md */
#ifndef HDI_REPEAT_H
#define HDI_REPEAT_H

#include "window/plan.h"

/* hdi_repeat_find - the plan that followed the window's latest one the time before, if the chunk
 * is what that plan was last used for; else NULL. With it what hdi_canon_build() would leave: the
 * hash, gen[] and the numbers in the generations. */
hdi_plan *hdi_repeat_find(hdi_canon *c, const hdi_chunk *chunk);
/* hdi_repeat_note - p is the plan of the chunk; found: by hdi_repeat_find(), else by the key in c,
 * whose numbers the generations still have. */
void hdi_repeat_note(hdi_plan *p, const hdi_canon *c, const hdi_chunk *chunk, bool found);
void hdi_repeat_free(hdi_repeat *s);

#endif
