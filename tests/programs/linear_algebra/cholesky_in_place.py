# SPDX-License-Identifier: BSD-3-Clause
"""Cholesky decomposition in place, by columns and then by rows, its update by one vector."""
import numpy as np

SIZES = {"tiny": 5, "medium": 160, "large": 700}
n = SIZES[SIZE]
rng = np.random.default_rng(3)
M = rng.standard_normal((n, n))
A = M @ M.T / n + np.eye(n)


def by_columns(A):
    L = np.tril(A)
    for j in range(n):
        L[j:, j] -= L[j:, :j] @ L[j, :j]
        if L[j, j] <= 0:
            raise ValueError(f"not positive definite at {j}")
        L[j:, j] /= np.sqrt(L[j, j])
    return L


def by_rows(A):
    L = np.zeros_like(A)
    for i in range(n):
        for j in range(max(0, i - 6), i):     # a band of six below the diagonal
            L[i, j] = (A[i, j] - L[i, :j] @ L[j, :j]) / L[j, j]
        L[i, i] = np.sqrt(A[i, i] - np.sum(L[i, :i] ** 2))
    return L


def update(L, x):
    """The factor of A + x x' from that of A, by rotations."""
    L, x = L.copy(), x.copy()
    for k in range(len(x)):
        r = np.hypot(L[k, k], x[k])
        c, s = r / L[k, k], x[k] / L[k, k]
        L[k, k] = r
        if k + 1 < len(x):
            L[k + 1:, k] = (L[k + 1:, k] + s * x[k + 1:]) / c
            x[k + 1:] = c * x[k + 1:] - s * L[k + 1:, k]
    return L


L = by_columns(A)
i, j = np.indices(A.shape)
band = np.where(abs(i - j) <= 6, A, 0.0) + 2.0 * np.eye(n)
B = by_rows(band)
x = rng.standard_normal(n)
updated = update(L, x)
checks = [np.allclose(L @ L.T, A), np.allclose(B @ B.T, band),
          np.allclose(updated @ updated.T, A + np.outer(x, x))]
A[n // 2, n // 2] = -1.0
try:
    by_columns(A)
    failed_at = None
except ValueError as e:
    failed_at = str(e)
print(checks, failed_at)
