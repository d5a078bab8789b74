/* SPDX-License-Identifier: BSD-3-Clause */
/* cg_fold.h - how a GPU brings values together: by a row of ew.def, from a value on that changes no
 * other. Compiled kernels and tier 0 do the same.
 * Threads    constant
 * Start at   hdi_fold_row() */
#ifndef HDI_CG_FOLD_H
#define HDI_CG_FOLD_H

#include "codegen/cg_chain.h"

/* hdi_fold_row - the row of ew.def that brings two accumulators of reduction op together; of a
 * running value op is that row itself. hdi_fold_largest - is it the largest that is looked for? */
hd_op hdi_fold_row(int op);
/* hdi_fold_keeps - does that row take the element first and the accumulator second? Of equals it
 * gives the second: of reals' zeros the first one stays, as it does in red.def's texts. */
bool hdi_fold_keeps(int op, hd_dtype dt);
static inline bool hdi_fold_largest(int op) { return op == HD_OP_max || op == HD_OP_argmax; }

/* hdi_fold_identity - the bits of what changes no other value of type dt, which is not complex: for
 * the smallest, the largest there is, and so on. pieces: none of the parts that are summed is
 * empty, and one may be a -0. */
uint64_t hdi_fold_identity(int op, hd_dtype dt, bool pieces);

#endif
