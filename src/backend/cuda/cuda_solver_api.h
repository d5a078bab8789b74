/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_solver_api.h - cuSOLVER's and cuBLAS's functions as the calls of linear algebra want them:
 * one each for all dtypes, workspaces borrowed from the device's pool.
 * Invariant  matrices are stored column by column, dense: the leading dimension is the number of
 *            rows. `info` of matrix b goes to p->info[b]
 * Threads    by the thread that drains the device's queue, without the library's lock
 * Start at   hdi_solver_open() */
#ifndef HDI_CUDA_SOLVER_API_H
#define HDI_CUDA_SOLVER_API_H

#include "backend/cuda/cuda_solver.h"

enum { HDI_FILL_LOWER = 0, HDI_FILL_UPPER = 1 };
enum { HDI_OP_N = 0, HDI_OP_T = 1 };

/* hdi_solver_open - the device's handles of cuSOLVER and cuBLAS, on its current stream; HD_LIBRARY
 * or HD_UNSUPPORTED, saying how to get it, if there is none. First in every call. */
hd_status hdi_solver_open(hdi_cuda_la *p);

/* One matrix, number b of the batch. Pivots are int64. */
hd_status hdi_solver_getrf(hdi_cuda_la *p, int64_t b, int64_t n, void *a, int64_t *pivots);
hd_status hdi_solver_getrs(hdi_cuda_la *p, int op, int64_t n, int64_t k, const void *a,
                           const int64_t *pivots, void *to);
hd_status hdi_solver_potrf(hdi_cuda_la *p, int64_t b, int uplo, int64_t n, void *a);
hd_status hdi_solver_geqrf(hdi_cuda_la *p, int64_t b, int64_t m, int64_t n, void *a, void *tau);
hd_status hdi_solver_orgqr(hdi_cuda_la *p, int64_t b, int64_t m, int64_t n, int64_t k, void *a,
                           const void *tau);
/* job: 'N', 'S', 'A' as LAPACK's; m >= n. vt has `rows` rows. */
hd_status hdi_solver_gesvd(hdi_cuda_la *p, int64_t b, char job, int64_t m, int64_t n, void *a,
                           void *s, void *u, void *vt);
/* By the polar decomposition; v is not transposed. *error: not 0 if it perturbed the matrix. */
hd_status hdi_solver_gesvdp(hdi_cuda_la *p, int64_t b, char job, int64_t m, int64_t n, void *a,
                            void *s, void *u, void *v, double *error);
hd_status hdi_solver_syevd(hdi_cuda_la *p, int64_t b, bool vectors, int uplo, int64_t n, void *a,
                           void *w);
/* w: n complex numbers, whatever the matrix; v: of the matrix's dtype, as LAPACK's geev has it. */
hd_status hdi_solver_geev(hdi_cuda_la *p, int64_t b, bool vectors, int64_t n, void *a, void *w,
                          void *v);

/* Column by column, ld elements from one column to the next:
 * hdi_solver_trsm - b (m x n) becomes b times the inverse of a triangle of a
 * hdi_solver_subtracted - c (m x n) becomes 0 - a b; a has k columns */
hd_status hdi_solver_trsm(hdi_cuda_la *p, int uplo, bool unit, int64_t m, int64_t n,
                          const void *a, int64_t lda, void *b, int64_t ldb);
hd_status hdi_solver_subtracted(hdi_cuda_la *p, int64_t m, int64_t n, int64_t k, const void *a,
                                int64_t lda, const void *b, int64_t ldb, void *c, int64_t ldc);

/* All matrices of the batch, by arrays of their addresses. Pivots are int32. */
hd_status hdi_solver_getrf_all(hdi_cuda_la *p, int64_t n, void *a, int *pivots);
hd_status hdi_solver_getrs_all(hdi_cuda_la *p, int op, int64_t n, int64_t k, const void *a,
                               const int *pivots, void *to);
hd_status hdi_solver_potrf_all(hdi_cuda_la *p, int uplo, int64_t n, void *a);
/* By one array; HD_OK and *done false where this cuSOLVER lacks it. */
hd_status hdi_solver_syev_all(hdi_cuda_la *p, bool vectors, int uplo, int64_t n, void *a, void *w,
                              bool *done);
/* Jacobi's method, up to 32 x 32: u is m x m, v (not transposed) n x n. */
hd_status hdi_solver_gesvdj_all(hdi_cuda_la *p, bool vectors, int64_t m, int64_t n, void *a,
                                void *s, void *u, void *v);

#endif
