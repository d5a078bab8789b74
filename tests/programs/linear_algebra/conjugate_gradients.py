# SPDX-License-Identifier: BSD-3-Clause
"""Conjugate gradients for Poisson's equation on a square, matrix-free, also preconditioned."""
import numpy as np

SIZES = {"tiny": 5, "medium": 160, "large": 420}
n = SIZES[SIZE]
h = 1.0 / (n + 1)
TOLERANCE = {"default": 1e-6}     # conjugacy is lost with the steps
NOISE = {"norms": 1e-9, "scaled_norms": 1e-9}


def laplacian(u):
    v = 4.0 * u
    v[1:] -= u[:-1]
    v[:-1] -= u[1:]
    v[:, 1:] -= u[:, :-1]
    v[:, :-1] -= u[:, 1:]
    return v / h ** 2


def solve(b, scale=None, steps=60):
    x = np.zeros_like(b)
    r = b - laplacian(x)
    z = r if scale is None else scale * r
    p = z.copy()
    rz = np.sum(r * z)
    norms = [np.sqrt(np.sum(r * r))]
    for k in range(steps):
        Ap = laplacian(p)
        alpha = rz / np.sum(p * Ap)
        x += alpha * p
        r = r - alpha * Ap
        norms.append(np.sqrt(np.sum(r * r)))
        if norms[-1] < 1e-8 * norms[0]:
            break
        z = r if scale is None else scale * r
        rz, old = np.sum(r * z), rz
        p *= rz / old
        p += z
    return x, norms


i, j = np.meshgrid(np.arange(1, n + 1) * h, np.arange(1, n + 1) * h, indexing="ij")
exact = i * (1 - i) * j * (1 - j) * (1 + 2 * i * j)
b = laplacian(exact)
x, norms = solve(b)
diagonal = 1.0 + 0.3 * np.cos(3 * i)
scaled, scaled_norms = solve(b, 1 / (4 / h ** 2 * diagonal))
norms, scaled_norms = norms[:8], scaled_norms[:8]     # later ones are rounding
worst = np.abs(x - exact).max()
close = bool(worst < 1e-2 * np.abs(exact).max())
del worst
print(f"first residuals {norms[0]:.4f} {norms[1]:.4f}, close to the solution: {close}")
