/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_small.h - one operation over few elements, run by the loops of tier 0 without a program.
 * Invariant  the bits are those of the interpreter: the same loops, casts and chunks
 * Threads    under the library's lock
 * See        docs/design/window.md, "Small work" */
#ifndef HDI_CPU_SMALL_H
#define HDI_CPU_SMALL_H

#include "window/window.h"

/* Recorded work on a GPU's arrays is a launch, and 16 us where somebody waits for it: what takes 2
 * us is worth doing here. As SMALL_MOST and SMALL_WORK (cpu_small.c). */
enum { HDI_CPU_MIRRORED_MOST = 2048, HDI_CPU_MIRRORED_WORK = 8192 };

/* hdi_cpu_run_small - hdi_backend.run_small. hdi_cpu_run_mirrored - hdi_backend.run_mirrored.
 * hdi_cpu_small_most - elements of the largest operation that they take; HEDDLE_SMALL sets another
 * bound (tests). */
bool hdi_cpu_run_small(const hdi_record *r);
bool hdi_cpu_run_mirrored(const hdi_record *r);
int64_t hdi_cpu_small_most(bool mirrored);

#endif
