# SPDX-License-Identifier: BSD-3-Clause
"""Eigenvalues and vectors of a symmetric matrix by cyclic Jacobi rotations."""
import numpy as np

SIZES = {"tiny": 4, "medium": 24, "large": 64}
NOISE = {"A": 1e-9}
n = SIZES[SIZE]
rng = np.random.default_rng(13)
M = rng.uniform(-1, 1, (n, n))
original = (M + M.T) / 2 + np.diag(np.arange(n) * 2.0)
A = original.copy()
V = np.eye(n)
off_norms = []
for sweep in range(20):
    off = np.sqrt(np.sum(A ** 2) - np.sum(np.diag(A) ** 2) + 1e-30)
    if sweep < 2:
        off_norms.append(off)
    if np.abs(A - np.diag(np.diag(A))).max() < 1e-9:
        break
    for p in range(n - 1):
        for q in range(p + 1, n):
            if abs(A[p, q]) < 1e-12:
                continue
            theta = (A[q, q] - A[p, p]) / (2 * A[p, q])
            t = np.sign(theta) / (abs(theta) + np.sqrt(theta ** 2 + 1)) if theta != 0 else 1.0
            c = 1 / np.sqrt(t ** 2 + 1)
            s = t * c
            column_p, column_q = A[:, p].copy(), A[:, q].copy()
            A[:, p], A[:, q] = c * column_p - s * column_q, s * column_p + c * column_q
            row_p, row_q = A[p].copy(), A[q].copy()
            A[p], A[q] = c * row_p - s * row_q, s * row_p + c * row_q
            vp = V[:, p].copy()
            V[:, p] = c * vp - s * V[:, q]
            V[:, q] = s * vp + c * V[:, q]
# what the last rotation left is rounding
del c, s, t, theta, p, q, row_p, row_q, column_p, column_q, vp, sweep, off
values = np.diag(A)
order = np.argsort(values)
values, V = values[order], V[:, order]
for j in range(n):      # signs are arbitrary: the largest component is positive
    if V[np.argmax(np.abs(V[:, j])), j] < 0:
        V[:, j] *= -1
holds = np.allclose(original @ V, V * values) and np.allclose(V.T @ V, np.eye(n))
print("holds:", holds, "smallest", f"{values[0]:.9f}", "largest", f"{values[-1]:.9f}")
