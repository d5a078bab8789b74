/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_lapack.h - LAPACK, from the library that BLAS comes from, or from liblapack.so.3.
 * Invariant  matrices are column by column, float64 or, if z, complex128, with a leading dimension
 *            of their rows (at least 1); sizes are 32-bit
 * Threads    any, but the first call of hdi_cpu_lapack_ready() must be over
 * Start at   hdi_cpu_lapack_ready(); the others give LAPACK's info, 0 for
 *            success */
#ifndef HDI_CPU_LAPACK_H
#define HDI_CPU_LAPACK_H

#include <stdbool.h>
#include <stdint.h>

/* Workspace. lwork -1 asks what is wanted, in the first element of each. */
typedef struct hdi_lapack_work {
    void *work;
    double *rwork;           /* of complex matrices */
    int *iwork;
    int lwork, lrwork, liwork;
} hdi_lapack_work;

/* hdi_cpu_lapack_ready - false where no LAPACK was found. hdi_cpu_lapack_at_hand - would it answer
 * without opening anything? As hdi_cpu_blas_at_hand(). */
bool hdi_cpu_lapack_at_hand(void);
bool hdi_cpu_lapack_ready(void);

/* b (n x k) becomes a^-1 b, a its factors. */
int hdi_lapack_gesv(bool z, int n, int k, void *a, int *pivots, void *b);
int hdi_lapack_getrf(bool z, int n, void *a, int *pivots);
int hdi_lapack_potrf(bool z, bool upper, int n, void *a);
/* a becomes the eigenvectors, if wanted. */
int hdi_lapack_eigh(bool z, bool vectors, bool upper, int n, void *a, double *w,
                    const hdi_lapack_work *work);
/* w: n numbers, complex if z; else n real and then n imaginary parts. */
int hdi_lapack_geev(bool z, bool vectors, int n, void *a, void *w, void *v,
                    const hdi_lapack_work *work);
/* job: N, S or A; u has m rows, vt has vt_rows. */
int hdi_lapack_gesdd(bool z, char job, int m, int n, void *a, double *s, void *u, void *vt,
                     int vt_rows, const hdi_lapack_work *work);
int hdi_lapack_geqrf(bool z, int m, int n, void *a, void *tau, const hdi_lapack_work *work);
/* a (m x columns) becomes q, from k reflectors. */
int hdi_lapack_orgqr(bool z, int m, int columns, int k, void *a, void *tau,
                     const hdi_lapack_work *work);
/* b has the larger of m and n rows. */
int hdi_lapack_gelsd(bool z, int m, int n, int k, void *a, void *b, double *s, double rcond,
                     int *rank, const hdi_lapack_work *work);

#endif
