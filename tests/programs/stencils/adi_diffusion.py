# SPDX-License-Identifier: BSD-3-Clause
"""Diffusion by alternating directions: tridiagonal systems of all rows, then of all columns."""
import numpy as np

SIZES = {"tiny": (6, 5), "medium": (90, 12), "large": (300, 30)}
n, steps = SIZES[SIZE]
y, x = np.mgrid[0:1:n * 1j, 0:1:n * 1j]
u = np.sin(np.pi * x) * np.sin(2 * np.pi * y) + 0.3 * (np.hypot(x - 0.5, y - 0.5) < 0.2)
u[0] = u[-1] = 0
u[:, 0] = u[:, -1] = 0
r = 0.8
factors = np.zeros(n - 2)
factors[0] = -r / (1 + 2 * r)
for i in range(1, n - 2):
    factors[i] = -r / (1 + 2 * r + r * factors[i - 1])


def solve_along_rows(d):
    """(1 + 2r) x[i] - r (x[i-1] + x[i+1]) = d[i], for all columns of d."""
    d = d.copy()
    d[0] /= 1 + 2 * r
    for i in range(1, len(d)):
        d[i] += r * d[i - 1]
        d[i] /= 1 + 2 * r + r * factors[i - 1]
    for i in range(len(d) - 2, -1, -1):
        d[i] -= factors[i] * d[i + 1]
    return d


middles, totals = [], []
for step in range(steps):
    inner = u[1:-1, 1:-1]
    right = inner + r * (u[1:-1, :-2] - 2 * inner + u[1:-1, 2:])
    u[1:-1, 1:-1] = solve_along_rows(right)
    inner = u[1:-1, 1:-1]
    right = inner + r * (u[:-2, 1:-1] - 2 * inner + u[2:, 1:-1])
    u[1:-1, 1:-1] = solve_along_rows(right.T).T
    middles.append(u[n // 2, n // 3])
    totals.append(np.abs(u).sum())
    if totals[-1] < 1e-6:
        break
last = solve_along_rows(np.eye(n - 2)[:, :3])
check = (1 + 2 * r) * last
check[1:] -= r * last[:-1]
check[:-1] -= r * last[1:]
NOISE = {"check": 1e-12}
print("solver holds:", np.allclose(check, np.eye(n - 2)[:, :3]))
print(f"{totals[0]:.6f} {totals[-1]:.6f}")
