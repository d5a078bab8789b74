/* SPDX-License-Identifier: BSD-3-Clause */
/* linalg.h - equations, inverses, determinants and decompositions of matrices, by LAPACK.
 * Shapes     a matrix is the last two axes; the axes before them are a batch
 * Dtypes     integers and bool count as float64; half types are refused. float32 and complex64 are
 *            computed in double precision and rounded, as NumPy does; on a GPU svd and lstsq are,
 *            the others in single precision
 * Owns       results are new references. Several results of one call may be views of one memory
 * Errors     HD_LINALG for what the shape or the values of a matrix do not allow; of values it
 *            comes at the call. HD_LIBRARY where no LAPACK is found, HD_UNSUPPORTED where no
 *            cuSOLVER is. A function with several results sets all to NULL then, and
 *            leaves out those whose pointer is NULL
 * See        docs/design/linalg.md */
#ifndef HEDDLE_LINALG_H
#define HEDDLE_LINALG_H

#include <heddle/array.h>

#ifdef __cplusplus
extern "C" {
#endif

/* hd_set_matmul_tf32 - may products of float32 and complex64 that are recorded from here on round
 * their operands to TF32 (11 bits), where a GPU is faster with it? 0 (no) to begin with, for the
 * whole process; returns what was before. Other devices never do. */
HD_API int hd_set_matmul_tf32(int on);

/* hd_solve - x with a x = b: a is (..., n, n), b (n) or (..., n, k). Batches broadcast. HD_LINALG
 * if a matrix is singular. */
HD_API hd_array *hd_solve(const hd_array *a, const hd_array *b);
/* hd_inv - inverses of (..., n, n). HD_LINALG if a matrix is singular; or, if nan_if_singular,
 * nan in place of its inverse. */
HD_API hd_array *hd_inv(const hd_array *a, int nan_if_singular);
/* hd_det - determinants of (..., n, n). hd_slogdet - their signs (of complex ones: of absolute
 * value 1) and the logarithms of their absolute values; 0 and -inf of a singular matrix. */
HD_API hd_array *hd_det(const hd_array *a);
HD_API hd_status hd_slogdet(const hd_array *a, hd_array **sign, hd_array **logdet);
/* hd_cholesky - lower triangular l with l l^H = a, or upper triangular u with u^H u = a, of
 * positive definite (..., n, n). One triangle of a is read: that of the result. HD_LINALG if a
 * matrix is not positive definite. */
HD_API hd_array *hd_cholesky(const hd_array *a, int upper);

/* hd_qr - a = q r of (..., m, n); k is the smaller of m and n. */
typedef enum hd_qr_mode {
    HD_QR_REDUCED,     /* q (..., m, k), r (..., k, n) */
    HD_QR_COMPLETE,    /* q (..., m, m), r (..., m, n) */
    HD_QR_R,           /* r (..., k, n); *q is NULL */
    HD_QR_RAW          /* LAPACK's reflectors (..., n, m) in *q, their factors (..., k) in *r */
} hd_qr_mode;
HD_API hd_status hd_qr(const hd_array *a, hd_qr_mode mode, hd_array **q, hd_array **r);

/* hd_svd - a = u diag(s) vh of (..., m, n), s falling; k is the smaller of m and n: u is
 * (..., m, k), vh (..., k, n), or, if full, both are square. u and vh NULL: s alone. hermitian: a
 * is, and its lower triangle is read. HD_LINALG if it does not converge. */
HD_API hd_status hd_svd(const hd_array *a, int full, int hermitian, hd_array **u, hd_array **s,
                        hd_array **vh);
/* hd_eigh - eigenvalues, rising, and eigenvectors (columns of v) of Hermitian (..., n, n), of which
 * the lower triangle is read, or the upper one. v NULL: the values alone. */
HD_API hd_status hd_eigh(const hd_array *a, int upper, hd_array **w, hd_array **v);
/* hd_eig - the same of any (..., n, n), in no order. Of real matrices results are real if all
 * eigenvalues are: the call computes them to see. HD_LINALG also for inf or nan in a. */
HD_API hd_status hd_eig(const hd_array *a, hd_array **w, hd_array **v);

/* hd_lstsq - x (n) or (n, k) with the least |a x - b|, and the least |x| of these, for a (m, n)
 * and b (m) or (m, k). Singular values at most rcond times the largest count as 0; an rcond up to
 * 0 or from 1 on means the precision, nan that only 0 counts as 0. residuals: (k) sums of squares
 * of a x - b, nan where rank < n or m < n; rank: one int32; s: singular values of a. */
HD_API hd_status hd_lstsq(const hd_array *a, const hd_array *b, double rcond, hd_array **x,
                          hd_array **residuals, hd_array **rank, hd_array **s);

#ifdef __cplusplus
}
#endif
#endif
