# SPDX-License-Identifier: BSD-3-Clause
"""LU decomposition with partial pivoting, row by row in place; solutions and the determinant."""

import numpy as np

SIZES = {"tiny": 5, "medium": 110, "large": 700}
TOLERANCE = {"default": 1e-8}  # the condition of a random matrix
NOISE = {"residuals": 1e-8}
n = SIZES[SIZE]
rng = np.random.default_rng(4)
A = rng.uniform(-1, 1, (n, n))


def decompose(A):
    """L and U in one array, the order of the rows, the sign of the permutation."""
    LU = A.copy()
    order = np.arange(len(LU))
    sign = 1
    for k in range(len(LU) - 1):
        p = k + int(np.argmax(np.abs(LU[k:, k])))
        if LU[p, k] == 0:
            raise ZeroDivisionError("singular")
        if p != k:
            LU[[k, p]] = LU[[p, k]]
            order[[k, p]] = order[[p, k]]
            sign = -sign
        for i in range(k + 1, len(LU)):
            factor = LU[i, k] / LU[k, k]
            LU[i, k] = factor
            LU[i, k + 1 :] -= factor * LU[k, k + 1 :]
    return LU, order, sign


def solve(LU, order, b):
    y = b[order].copy()
    for i in range(1, len(y)):
        y[i] -= LU[i, :i] @ y[:i]
    for i in range(len(y) - 1, -1, -1):
        y[i] = (y[i] - LU[i, i + 1 :] @ y[i + 1 :]) / LU[i, i]
    return y


LU, order, sign = decompose(A)
solutions, residuals = [], []
for j in range(3):
    b = np.cos(np.arange(n) * (j + 1.0))
    x = solve(LU, order, b)
    solutions.append(x)
    residuals.append(np.abs(A @ x - b).max())
log_det = np.log(np.abs(np.diag(LU))).sum()
det_sign = sign * np.prod(np.sign(np.diag(LU)))
L = np.tril(LU, -1) + np.eye(n)
U = np.triu(LU)
back = np.zeros_like(A)
back[order] = L @ U
print("same matrix:", np.allclose(back, A), "sign", int(det_sign))
singular = A.copy()
singular[:, 1] = 0.0
try:
    decompose(singular)
    outcome = "decomposed"
except ZeroDivisionError as e:
    outcome = str(e)
print(outcome)
