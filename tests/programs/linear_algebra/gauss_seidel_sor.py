# SPDX-License-Identifier: BSD-3-Clause
"""Gauss-Seidel by elements, over-relaxation by rows and in red-black order, Jacobi."""
import numpy as np

SIZES = {"tiny": (5, 4), "medium": (60, 6), "large": (280, 8)}
n, sweeps = SIZES[SIZE]
rng = np.random.default_rng(31)
A = rng.uniform(-1, 1, (n, n)) / n
A[np.diag_indices(n)] = 2.5 + rng.random(n)
b = rng.normal(size=n)
d = A.diagonal().copy()
results = {name: np.zeros(n) for name in ("jacobi", "seidel", "sor", "red_black")}
changes = {name: [] for name in results}

for sweep in range(sweeps):
    x = results["jacobi"]
    new = (b - (A @ x - d * x)) / d
    changes["jacobi"].append(np.abs(new - x).max())
    results["jacobi"] = new

    x = results["seidel"]
    largest = 0.0
    for i in range(n):
        total = b[i]
        for j in range(max(0, i - 3), min(n, i + 4)):      # near ones by elements
            if j != i:
                total -= A[i, j] * x[j]
        total -= A[i, :max(0, i - 3)] @ x[:max(0, i - 3)] + A[i, i + 4:] @ x[i + 4:]
        new = total / A[i, i]
        largest = max(largest, abs(new - x[i]))
        x[i] = new
    changes["seidel"].append(largest)

    x, omega = results["sor"], 1.1
    before = x.copy()
    for i in range(n):
        rest = b[i] - A[i, :i] @ x[:i] - A[i, i + 1:] @ x[i + 1:]
        x[i] = (1 - omega) * x[i] + omega * rest / d[i]
    changes["sor"].append(np.abs(x - before).max())

    x = results["red_black"]
    before = x.copy()
    for start in (0, 1):
        x[start::2] += (b - A @ x)[start::2] / d[start::2]
    changes["red_black"].append(np.abs(x - before).max())

exact = np.linalg.solve(A, b)
distances = {name: np.abs(x - exact).max() for name, x in results.items()}
TOLERANCE = {"default": 1e-9}
NOISE = {"changes": 1e-13, "distances": 1e-13}
ranking = sorted(distances, key=lambda name: -round(float(np.log10(distances[name] + 1e-11)), 2))
smaller = all(c[-1] < c[0] for c in changes.values())
print("each change is smaller than the first:", smaller)
