/* SPDX-License-Identifier: BSD-3-Clause */
/* la.h - what the library calls of linear algebra share: operands, checks, recording.
 * Threads    under the library's lock, but for hdi_la_done() and hdi_la_done_one(), which leave it
 * Start at   hdi_la_begin(), hdi_la_record()
 * See        docs/design/linalg.md */
#ifndef HDI_LA_H
#define HDI_LA_H

#include <heddle/linalg.h>

#include "core/la_parts.h"
#include "ops/home.h"
#include "ops/ops.h"

/* One call. Matrices are m x n, right-hand sides m x k. */
typedef struct hdi_la_call {
    hd_op op;
    hdi_payload how;
    hd_dtype dt, cdt;                    /* of the results; what LAPACK computes in */
    hd_device *dev;                      /* where it runs */
    hdi_home home;
    int nin;
    const hd_array *in[2];
    bool vector;                         /* the right-hand side is (m), and so is the solution */
    int nd;                              /* of the batch */
    int64_t batch[HD_MAXDIM], batches;
    int64_t m, n, k;
    hd_array *result[HDI_PARTS];         /* after hdi_la_record() */
} hdi_la_call;

/* hdi_la_begin - operand a: its matrices, its batch, dtypes. HD_LINALG unless they are matrices,
 * and square ones if they have to be; HD_DTYPE if LAPACK does not know the dtype.
 * hdi_la_begin_pair - also b, the right-hand side of op: the batches of both broadcast. */
hd_status hdi_la_begin(hdi_la_call *c, hd_op op, hdi_payload how, const hd_array *a, bool square);
hd_status hdi_la_begin_pair(hdi_la_call *c, hd_op op, hdi_payload how, const hd_array *a,
                            const hd_array *b, bool square);
/* hdi_la_record - records the call and makes its results; runs it, if its values may not allow
 * it. */
hd_status hdi_la_record(hdi_la_call *c);
/* hdi_la_release - lets go of the results. */
void hdi_la_release(hdi_la_call *c);
/* hdi_la_none - NULL to each of out[0 ... n - 1] that is wanted. */
void hdi_la_none(int n, hd_array **const *out);
/* hdi_la_done - leaves the lock; the results go to out[i] (NULL: not wanted), or all are NULL. */
HDI_UNLOCKS hd_status hdi_la_done(hdi_la_call *c, hd_status status, int n, hd_array **const *out);
HDI_UNLOCKS hd_array *hdi_la_done_one(hdi_la_call *c, hd_status status);

#endif
