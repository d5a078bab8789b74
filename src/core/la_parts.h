/* SPDX-License-Identifier: BSD-3-Clause */
/* la_parts.h - the results of a library call of linear algebra: each has its matrices in C order,
 * dense.
 * Owns       hdi_part and the flags of these calls
 * Threads    any
 * See        docs/design/linalg.md */
#ifndef HDI_LA_PARTS_H
#define HDI_LA_PARTS_H

#include "core/op.h"

/* hdi_payload.la of these calls, all but lstsq. */
enum {
    HDI_LA_VECTORS = 1,      /* svd, eigh, eig: not the values alone */
    HDI_LA_FULL = 2,         /* svd: square u and vh; qr: square q */
    HDI_LA_UPPER = 4,        /* cholesky: the factor; eigh: the triangle that is read */
    HDI_LA_NAN = 8,          /* inv: a singular matrix gives nan, no error */
    HDI_LA_HERMITIAN = 16,   /* svd: of a Hermitian matrix, by its eigenvalues */
    HDI_LA_R = 32,           /* qr: r alone */
    HDI_LA_RAW = 64          /* qr: LAPACK's reflectors, as (n, m), and their factors */
};

/* One result: a value, a vector of `rows` or a matrix for each matrix of the batch. */
typedef struct hdi_part {
    hd_dtype dt;
    int nd;                  /* axes after those of the batch */
    int64_t dims[2];
    uint8_t *at;             /* the first matrix, once it has memory */
    int64_t bytes;           /* of one matrix */
} hdi_part;
enum { HDI_PARTS = 4 };

/* hdi_la_parts - the parts of call op on matrices of m x n (and right-hand sides of m x k) with
 * results of dtype dt; returns how many. */
int hdi_la_parts(hd_op op, hdi_payload how, hd_dtype dt, int64_t m, int64_t n, int64_t k,
                 hdi_part *part);
#endif
