# SPDX-License-Identifier: BSD-3-Clause
"""Integrals: trapezoids, Simpson, Romberg, Gauss-Legendre from its matrix, adaptive with a stack, Monte Carlo."""
import math

import numpy as np

SIZES = {"tiny": 4, "medium": 60, "large": 300}
n = SIZES[SIZE]
functions = {
    "exp": (np.exp, 0.0, 1.0, math.e - 1),
    "runge": (lambda x: 1 / (1 + 25 * x ** 2), -1.0, 1.0, 2 * math.atan(5) / 5),
    "root": (lambda x: np.sqrt(np.abs(x)), -1.0, 2.0, 2 / 3 * (1 + 2 ** 1.5)),
    "wave": (lambda x: np.sin(8 * x) * x, 0.0, 3.0, (math.sin(24) / 64 - 3 * math.cos(24) / 8)),
}


def trapezoid(f, a, b, n):
    x = np.linspace(a, b, n + 1)
    y = f(x)
    return (y[0] / 2 + y[1:-1].sum() + y[-1] / 2) * (b - a) / n


def simpson(f, a, b, n):
    n += n % 2
    y = f(np.linspace(a, b, n + 1))
    return (b - a) / n / 3 * (y[0] + y[-1] + 4 * y[1:-1:2].sum() + 2 * y[2:-1:2].sum())


def romberg(f, a, b, rows=11):
    R = np.zeros((rows, rows))
    for i in range(rows):
        R[i, 0] = trapezoid(f, a, b, 2 ** i)
        for j in range(1, i + 1):
            R[i, j] = R[i, j - 1] + (R[i, j - 1] - R[i - 1, j - 1]) / (4 ** j - 1)
    return R


def gauss(n):
    k = np.arange(1, n)
    beta = k / np.sqrt(4.0 * k * k - 1)
    x, V = np.linalg.eigh(np.diag(beta, 1) + np.diag(beta, -1))
    return x, 2 * V[0] ** 2


def adaptive(f, a, b, tol):
    """Simpson on intervals that are halved until both halves agree with the whole."""
    stack, total, pieces = [(a, b)], 0.0, []
    while stack:
        lo, hi = stack.pop()
        x = np.linspace(lo, hi, 5)
        y = f(x)
        h = hi - lo
        whole = h / 6 * (y[0] + 4 * y[2] + y[4])
        halves = h / 12 * (y[0] + 4 * y[1] + 2 * y[2] + 4 * y[3] + y[4])
        if abs(halves - whole) < 15 * tol * h or h < 1e-6:
            total += halves + (halves - whole) / 15
            pieces.append((lo, hi))
        else:
            stack.append((x[2], hi))
            stack.append((lo, x[2]))
    return total, np.array(pieces)


x, w = gauss(min(n, 100))
assert abs(w.sum() - 2) < 1e-12 and np.allclose(x, -x[::-1])
table = np.zeros((len(functions), 5))
lengths = {}
for row, (name, (f, a, b, exact)) in zip(table, functions.items()):
    middle, half = (a + b) / 2, (b - a) / 2
    row[0] = trapezoid(f, a, b, n)
    row[1] = simpson(f, a, b, n)
    row[2] = romberg(f, a, b)[-1, -1]
    row[3] = half * np.sum(w * f(middle + half * x))
    row[4], pieces = adaptive(f, a, b, 1e-6)
    lengths[name] = np.diff(pieces, axis=1).ravel()
    print(f"{name:6s}", " ".join("%.8f" % v for v in row), "exact %.8f" % exact)
    assert abs(row[4] - exact) < 1e-4 and math.isclose(row[2], exact, abs_tol=2e-2)
rng = np.random.default_rng(1733)
points = rng.random((n * 300, 3)) * 2 - 1
inside = (points ** 2).sum(axis=1) <= 1
ball = 8 * inside.mean()
running = 8 * np.cumsum(inside)[99::100] / np.arange(100, len(inside) + 1, 100)
print("ball %.6f" % ball, "after %d: %.6f" % (100, running[0]), "intervals", {k: len(v) for k, v in lengths.items()})
