# SPDX-License-Identifier: BSD-3-Clause
"""Lanczos' method with reorthogonalization for the ends of a spectrum."""
import numpy as np

SIZES = {"tiny": (8, 4), "medium": (3000, 40), "large": (20000, 40)}
n, steps = SIZES[SIZE]
TOLERANCE = {"default": 1e-7}
d = 2.0 + np.sin(np.arange(n) * 0.7) + np.linspace(0, 3, n) ** 2
d[n // 3], d[n // 5] = 25.0, 20.0


def times(x):
    y = d * x
    y[1:] += 0.5 * x[:-1]
    y[:-1] += 0.5 * x[1:]
    return y


V = np.zeros((steps + 1, n))
V[0] = 1.0 / np.sqrt(n)
alphas, betas, estimates = [], [], []
for k in range(steps):
    w = times(V[k])
    alpha = V[k] @ w
    w -= alpha * V[k]
    if k > 0:
        w -= betas[-1] * V[k - 1]
    for _ in range(2):
        w -= V[:k + 1].T @ (V[:k + 1] @ w)
    beta = np.linalg.norm(w)
    alphas.append(alpha)
    if beta < 1e-10:
        break
    betas.append(beta)
    V[k + 1] = w / beta
    if (k + 1) % 4 == 0:
        T = np.diag(np.array(alphas)) + np.diag(betas[:-1], 1) + np.diag(betas[:-1], -1)
        estimates.append(np.linalg.eigvalsh(T)[[0, -1]])

values, vectors = np.linalg.eigh(T)
ritz = vectors[:, -1] @ V[:len(values)]
if ritz[n // 3] < 0:
    ritz = -ritz
del vectors          # their signs are arbitrary
residual = np.linalg.norm(times(ritz) - values[-1] * ritz)
small = bool(residual < 1e-3) or SIZE == "tiny"
NOISE = {"residual": 1e-5}
orthogonal = np.abs(V[:k] @ V[:k].T - np.eye(k)).max() < 1e-10
print("orthogonal:", bool(orthogonal), "converged:", small, f"largest {values[-1]:.6f}")
