/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_blas.h - the BLAS library, looked for when the first matrix product wants it; products
 * work without it, slower.
 * Invariant  a library that is found stays loaded; its functions take 32-bit sizes
 * Threads    any; cpu_turns.h says which calls may run beside each other
 * Start at   hdi_cpu_blas_ready() */
#ifndef HDI_CPU_BLAS_H
#define HDI_CPU_BLAS_H

#include <heddle/dtype.h>
#include <stdbool.h>

/* cblas.h's numbers */
enum {
    CPU_BLAS_ROWS = 101,
    CPU_BLAS_COLUMNS = 102,
    CPU_BLAS_PLAIN = 111,
    CPU_BLAS_TRANSPOSED = 112,
    CPU_BLAS_UPPER = 121
};

/* Sizes and operands: a is m x k, b is k x n. `order` says which way c runs in memory; ta and tb
 * whether a and b run the other way. */
typedef struct hdi_cpu_gemm {
    int order, ta, tb, m, n, k, lda, ldb, ldc;
    const void *a, *b;
    void *c;
} hdi_cpu_gemm;

/* hdi_cpu_blas_at_hand - would hdi_cpu_blas_ready() answer without opening anything, or looking for
 * room? Then any thread may call, also under the library's lock.
 * hdi_cpu_blas_ready - false where no BLAS was found, or there is no room for it now. It then uses
 * one thread if hdi_cpu_blas_one_thread(), else as many as kernels do, or as many as can be. */
bool hdi_cpu_blas_at_hand(void);
bool hdi_cpu_blas_ready(void);
/* hdi_cpu_blas_is_absent - it was looked for, and is not there, or is switched off. */
bool hdi_cpu_blas_is_absent(void);
/* hdi_cpu_blas_lacks_room - it was not ready, because there is no address space to open it. */
bool hdi_cpu_blas_lacks_room(void);
/* hdi_cpu_blas_one_caller - may only one thread of ours call it at a time? Each further one would
 * need memory that need not be there. The system is asked at each call (some 400 ns). */
bool hdi_cpu_blas_one_caller(void);
/* hdi_cpu_blas_one_thread - does a call use the calling thread alone, and may many threads call? */
bool hdi_cpu_blas_one_thread(void);
/* hdi_cpu_blas_crowd - from here to hdi_cpu_blas_uncrowd(), which is to follow if true, calls use
 * as many threads as kernels do, whoever makes them: so nobody else should (cpu_turns.h). */
bool hdi_cpu_blas_crowd(void);
void hdi_cpu_blas_uncrowd(void);
/* hdi_cpu_blas_gemm - c = a b, or c += a b if add. float32, float64, complex64, complex128. */
void hdi_cpu_blas_gemm(hd_dtype dt, const hdi_cpu_gemm *g, bool add);
/* hdi_cpu_blas_gemv - y = a x, where a has m rows of n with leading dimension lda, or y = a^T x;
 * strides in elements, positive. */
void hdi_cpu_blas_gemv(hd_dtype dt, bool transposed, int m, int n, const void *a, int lda,
                       const void *x, int incx, void *y, int incy);
/* hdi_cpu_blas_syrk - c = a a^T, or a^T a if transposed, and of that only what is on or above the
 * diagonal; c is n x n, in rows, as a is. */
void hdi_cpu_blas_syrk(hd_dtype dt, bool transposed, int n, int k, const void *a, int lda, void *c,
                       int ldc);
/* hdi_cpu_blas_symbol - another function of the library, once it is ready; NULL: it has none of
 * that name. */
void *hdi_cpu_blas_symbol(const char *name);
/* hdi_cpu_blas_name - the library in use; NULL: none was opened. */
const char *hdi_cpu_blas_name(void);
/* hdi_cpu_blas_off - test aid: true makes hdi_cpu_blas_ready() answer false. */
void hdi_cpu_blas_off(bool off);

#endif
