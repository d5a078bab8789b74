/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_solver.h - one library call of linear algebra on a GPU: a batch of matrices, worked on by
 * cuSOLVER and cuBLAS in the precision that came in.
 * Owns       hdi_cuda_la, the call; hdi_cuda_matrix, where matrices lie
 * Invariant  memory that a call borrows goes back when it has been enqueued: whoever gets it next
 *            runs later
 * Threads    by the thread that drains the device's queue, without the library's lock
 * Start at   hdi_cuda_linalg()
 * See        docs/design/linalg.md */
#ifndef HDI_CUDA_SOLVER_H
#define HDI_CUDA_SOLVER_H

#include "backend/cuda/cuda_device.h"
#include "backend/xcall.h"

/* A matrix for each of the batch: addresses and steps in bytes. */
typedef struct hdi_cuda_matrix {
    uint8_t *ptr;
    hd_dtype dt;
    int64_t row, column;
    int64_t step;            /* to the next matrix of the batch ... */
    const int64_t *batch;    /* ... or, if not NULL, a step for each axis of it */
} hdi_cuda_matrix;

enum { HDI_CUDA_BORROWED = 24 };
typedef struct hdi_cuda_la {
    hdi_cuda *d;
    const hdi_xcall *x;
    const char *name;
    bool z, single;              /* complex; single precision */
    hd_dtype dt, real;           /* what is computed in */
    int64_t size;                /* of an element of dt */
    int64_t m, n, k, mn;         /* matrices m x n, right-hand sides m x k; least of m, n */
    int nbatch;                  /* axes */
    int64_t batches;
    int nparts;
    hdi_part part[HDI_PARTS];
    int *info;                   /* of each matrix, on the device; then `odd`, likewise: 1 where
                                    there is an infinity, 2 where there is a nan */
    int *odd;
    int nborrowed;
    struct { uint8_t *ptr; int64_t bytes; } borrowed[HDI_CUDA_BORROWED];
} hdi_cuda_la;

/* hdi_cuda_linalg - HD_LINALG, with NumPy's message and the number of the first matrix at fault,
 * where values do not allow the operation: operations that this can happen to are waited for. */
hd_status hdi_cuda_linalg(hdi_cuda *d, const hdi_xcall *x);

/* One kind of call each: enqueue it. */
hd_status hdi_cuda_la_solve(hdi_cuda_la *p);
hd_status hdi_cuda_la_inv(hdi_cuda_la *p);
hd_status hdi_cuda_la_det(hdi_cuda_la *p);
hd_status hdi_cuda_la_cholesky(hdi_cuda_la *p);
hd_status hdi_cuda_la_lstsq(hdi_cuda_la *p);
hd_status hdi_cuda_la_qr(hdi_cuda_la *p);
hd_status hdi_cuda_la_svd(hdi_cuda_la *p);
hd_status hdi_cuda_la_eigh(hdi_cuda_la *p);
hd_status hdi_cuda_la_eig(hdi_cuda_la *p);

/* hdi_cuda_la_from_right - are k right-hand sides for each matrix better solved for from the right?
 * (cuda_solver_right.c) By factors and pivots of getrf, of the transposed matrices:
 * hdi_cuda_la_solve_right - b (n x k each, in C order) is used up; the solution is `to`, likewise
 * hdi_cuda_la_invert_right - the factors are used up; nan where `info` is not 0, if the call has
 * HDI_LA_NAN */
bool hdi_cuda_la_from_right(const hdi_cuda_la *p, int64_t k);
hd_status hdi_cuda_la_solve_right(hdi_cuda_la *p, const uint8_t *lu, const int64_t *pivots,
                                  int64_t k, uint8_t *b, uint8_t *to);
hd_status hdi_cuda_la_invert_right(hdi_cuda_la *p, uint8_t *lu, const int64_t *pivots,
                                   hdi_cuda_matrix to);

/* hdi_cuda_la_borrow - until the call ends; NULL and an error if there is none (of 0 bytes: memory
 * all the same). */
void *hdi_cuda_la_borrow(hdi_cuda_la *p, int64_t bytes);

/* Where matrices lie: an operand; result i, in C order; memory column by column, ld elements
 * apart, or turned: row by row, which is the transposed matrix column by column. */
hdi_cuda_matrix hdi_cuda_la_operand(const hdi_cuda_la *p, int i);
hdi_cuda_matrix hdi_cuda_la_result(const hdi_cuda_la *p, int i);
hdi_cuda_matrix hdi_cuda_la_columns(void *ptr, hd_dtype dt, int64_t ld, int64_t elements,
                                    bool turned);

/* What hdi_cuda_la_move() does on the way. */
enum {
    HDI_MOVE_UPPER = 1,      /* 0 below the diagonal */
    HDI_MOVE_LOWER = 2,      /* 0 above it */
    HDI_MOVE_CONJ = 4,
    HDI_MOVE_FINITE = 8,     /* 0 for what is not finite */
    HDI_MOVE_HERMITIAN = 16, /* the other triangle is made of the lower one */
    HDI_MOVE_NAN = 32,       /* nan where `info` is not 0 */
    HDI_MOVE_ABSOLUTE = 64   /* of real numbers */
};
/* hdi_cuda_la_move - rows x columns elements of each matrix, cast. to and from may be the same. */
hd_status hdi_cuda_la_move(hdi_cuda_la *p, hdi_cuda_matrix to, hdi_cuda_matrix from, int64_t rows,
                           int64_t columns, int how);
hd_status hdi_cuda_la_identity(hdi_cuda_la *p, hdi_cuda_matrix to, int64_t rows, int64_t columns);
/* hdi_cuda_la_fill - every element of result i, of all matrices or of one. */
hd_status hdi_cuda_la_fill(hdi_cuda_la *p, int i, int64_t batch, double value);
/* hdi_cuda_la_pointers - addresses ptr, ptr + step, ... of the batch, as an array on the device. */
void *hdi_cuda_la_pointers(hdi_cuda_la *p, const void *ptr, int64_t step);
/* hdi_cuda_la_keep_nan - the last element of a matrix's factors becomes nan where any of `from` is:
 * getrf takes nan for 0. All solutions depend on that element, from both sides. */
hd_status hdi_cuda_la_keep_nan(hdi_cuda_la *p, hdi_cuda_matrix factors, hdi_cuda_matrix from);
/* hdi_cuda_la_odd - sets `odd` by the elements of a triangle (HDI_MOVE_), or of all. */
hd_status hdi_cuda_la_odd(hdi_cuda_la *p, hdi_cuda_matrix from, int64_t rows, int64_t columns,
                          int triangle);
/* hdi_cuda_la_decompose - singular values of a to s (1 x mn), and the vectors to u and vh: job is
 * 'N' (none), 'S' (mn of them) or 'A' (all). how: HDI_MOVE_CONJ gives the vectors conjugated. Sets
 * `odd`; what is not finite counts as 0, so that iterations end. */
hd_status hdi_cuda_la_decompose(hdi_cuda_la *p, hdi_cuda_matrix a, char job, int how,
                                hdi_cuda_matrix u, hdi_cuda_matrix s, hdi_cuda_matrix vh);
/* hdi_cuda_la_join_pairs - eigenvectors of real matrices as complex numbers. w: eigenvalues; v: n
 * columns of each matrix, and room for one more on both sides. */
hd_status hdi_cuda_la_join_pairs(hdi_cuda_la *p, hdi_cuda_matrix to, hdi_cuda_matrix w,
                                 hdi_cuda_matrix v);
/* hdi_cuda_la_product - sign and logarithm of the product of n x n triangular factors' diagonal, or
 * the product; pivots (int32 or int64, from 1 on) that are not their own place count as -1. */
hd_status hdi_cuda_la_product(hdi_cuda_la *p, hdi_cuda_matrix lu, hdi_cuda_matrix pivots);

#endif
