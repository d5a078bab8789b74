/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_linalg.h - one library call of linear algebra on the CPU: a batch of matrices, each copied
 * column by column in double precision, worked on by LAPACK, and copied out as rows of the result's
 * dtype.
 * Owns       hdi_cpu_la, the call; hdi_cpu_routine, one kind of it
 * Invariant  a routine touches its own matrix and its own piece of memory only, so that matrices
 *            of a batch can be done at once
 * Start at   hdi_cpu_linalg() in cpu_linalg.c
 * See        docs/design/linalg.md */
#ifndef HDI_CPU_LINALG_H
#define HDI_CPU_LINALG_H

#include <stdatomic.h>

#include "backend/cpu/cpu_lapack.h"
#include "backend/cpu/cpu_library.h"
#include "backend/cpu/loops/loops.h"
#include "backend/xcall.h"

typedef struct hdi_cpu_la hdi_cpu_la;

typedef struct hdi_cpu_routine {
    /* sets what memory one matrix takes: hdi_cpu_la_reserve(), hdi_cpu_la_workspace() */
    void (*plan)(hdi_cpu_la *p);
    /* one matrix: LAPACK's info, or CPU_NOT_FINITE. memory is the matrix's own */
    int (*one)(const hdi_cpu_la *p, int64_t batch, uint8_t *memory);
    const char *failure;             /* what it means that info is not 0 */
} hdi_cpu_routine;
extern const hdi_cpu_routine hdi_cpu_la_solve, hdi_cpu_la_inv, hdi_cpu_la_det,
    hdi_cpu_la_cholesky, hdi_cpu_la_qr, hdi_cpu_la_svd, hdi_cpu_la_hermitian_svd, hdi_cpu_la_eigh,
    hdi_cpu_la_eig, hdi_cpu_la_lstsq;

/* hdi_cpu_linalg_is_large - does LAPACK get BLAS's threads for it, if BLAS has any? */
bool hdi_cpu_linalg_is_large(const hdi_xcall *x);

enum { CPU_NOT_FINITE = INT32_MIN, CPU_NOT_CONVERGED = 1, CPU_BUFFERS = 6 };

struct hdi_cpu_la {
    const hdi_xcall *x;
    const hdi_cpu_routine *routine;
    const hdi_loops *l;
    bool z;                          /* complex */
    int64_t size;                    /* of an element that LAPACK sees */
    int m, n, k, mn;                 /* matrices m x n, right-hand sides m x k; least of m, n */
    int64_t batches;
    int nparts;
    hdi_part part[HDI_PARTS];
    /* the memory of one matrix: `need` bytes, in which buffer i is at[i] */
    int64_t need, at[CPU_BUFFERS], work_at, rwork_at, iwork_at;
    hdi_lapack_work work;            /* its lengths */
    bool too_large;                  /* a length that LAPACK cannot count */
    int64_t per_task;
    _Atomic(int64_t) failed;         /* number of the first matrix that failed */
    _Atomic(bool) not_finite;        /* ... because of inf or nan in it */
};

/* Planning. hdi_cpu_la_reserve - buffer i has that many bytes. hdi_cpu_la_workspace - LAPACK's
 * answer to a query, and what it needs besides; may be called again: the larger one counts. */
void hdi_cpu_la_reserve(hdi_cpu_la *p, int i, int64_t bytes);
void hdi_cpu_la_workspace(hdi_cpu_la *p, double lwork, double lrwork, double liwork);

/* hdi_cpu_la_buffer - buffer i in a matrix's memory. hdi_cpu_la_work - its workspace. */
static inline void *hdi_cpu_la_buffer(const hdi_cpu_la *p, uint8_t *memory, int i)
{
    return memory + p->at[i];
}
hdi_lapack_work hdi_cpu_la_work(const hdi_cpu_la *p, uint8_t *memory);

/* hdi_cpu_la_pull - matrix number `batch` of operand i to columns that are ld elements apart.
 * hdi_cpu_la_push - columns to the rows of result i. hdi_cpu_la_push_upper - the same, with 0
 * below the diagonal. hdi_cpu_la_push_plain - n elements as they lie: float64, where the result
 * is real, else complex128. */
void hdi_cpu_la_pull(const hdi_cpu_la *p, int i, int64_t batch, void *to, int64_t ld);
void hdi_cpu_la_push(const hdi_cpu_la *p, int i, int64_t batch, const void *from, int64_t ld);
void hdi_cpu_la_push_upper(const hdi_cpu_la *p, int i, int64_t batch, const void *from, int64_t ld);
void hdi_cpu_la_push_plain(const hdi_cpu_la *p, int i, int64_t batch, const void *from, int64_t n);
/* hdi_cpu_la_finite - no inf or nan among n elements? Iterations that meet some need not end, and
 * LAPACK prints what it thinks of them. */
bool hdi_cpu_la_finite(const hdi_cpu_la *p, const void *elements, int64_t n);
/* hdi_cpu_la_identity - n x n. hdi_cpu_la_fill - result i is one value everywhere. */
void hdi_cpu_la_identity(const hdi_cpu_la *p, void *to, int64_t n);
void hdi_cpu_la_fill(const hdi_cpu_la *p, int i, int64_t batch, double value);

#endif
