/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_library.h - operations that are one call each: matrix products, linear algebra, running
 * results, folds, indexing by offsets, random orders, Fourier transforms, correlations.
 * Invariant  a call that is interrupted may be made again from the start: it is not interrupted
 *            where it would overwrite its own input
 * Threads    any, several at the same time, each with its own operands; large calls share their
 *            work with the pool. Some of BLAS's and LAPACK's take turns: cpu_turns.h
 * Start at   hdi_cpu_library() */
#ifndef HDI_CPU_LIBRARY_H
#define HDI_CPU_LIBRARY_H

#include "backend/backend.h"
#include "core/op.h"

hd_status hdi_cpu_library(void *state, const hdi_xcall *x);

/* hdi_cpu_library_at_hand - does op in cdt need nothing now but its operands and scratch memory?
 * Columns PLAIN and OPENS of lib.def. */
bool hdi_cpu_library_at_hand(hd_op op, hd_dtype cdt);
/* hdi_cpu_matmul_wants_blas - is a product in cdt BLAS's, where there is one? */
bool hdi_cpu_matmul_wants_blas(hd_dtype cdt);

/* The calls behind it. */
hd_status hdi_cpu_matmul(const hdi_xcall *x);
hd_status hdi_cpu_linalg(const hdi_xcall *x);
hd_status hdi_cpu_accumulate(const hdi_xcall *x);
hd_status hdi_cpu_reduceat(const hdi_xcall *x);
hd_status hdi_cpu_at(const hdi_xcall *x);
hd_status hdi_cpu_take(const hdi_xcall *x);
hd_status hdi_cpu_put(const hdi_xcall *x);
hd_status hdi_cpu_select(const hdi_xcall *x);
hd_status hdi_cpu_random_order(const hdi_xcall *x);
hd_status hdi_cpu_random_pick(const hdi_xcall *x);
hd_status hdi_cpu_fft(const hdi_xcall *x);
hd_status hdi_cpu_correlate(const hdi_xcall *x);

/* hdi_cpu_may_stop - what to ask whether to stop, or NULL if the call's output shares memory
 * with an input. */
typedef bool (*hdi_cpu_asker)(void);
hdi_cpu_asker hdi_cpu_may_stop(const hdi_xcall *x);

#endif
