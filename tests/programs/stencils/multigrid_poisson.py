# SPDX-License-Identifier: BSD-3-Clause
"""Multigrid V-cycles for Poisson's equation, the levels in lists, red-black smoothing in place."""
import numpy as np

SIZES = {"tiny": (3, 4), "medium": (7, 4), "large": (9, 5)}
levels, cycles = SIZES[SIZE]
n = 2 ** levels
NOISE = {"residuals": 1e-8, "r": 1e-8}
TOLERANCE = {"residuals": 1e-6}


def smooth(u, f, h, times):
    checks = np.add.outer(np.arange(u.shape[0] - 2), np.arange(u.shape[1] - 2)) % 2
    for _ in range(times):
        for colour in (0, 1):
            around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
            new = (around + h * h * f[1:-1, 1:-1]) / 4
            np.copyto(u[1:-1, 1:-1], new, where=checks == colour)


def residual(u, f, h):
    r = np.zeros_like(u)
    r[1:-1, 1:-1] = f[1:-1, 1:-1] - (4 * u[1:-1, 1:-1] - u[:-2, 1:-1] - u[2:, 1:-1]
                                     - u[1:-1, :-2] - u[1:-1, 2:]) / h ** 2
    return r


def restrict(r):
    c = r[::2, ::2].copy()
    c[1:-1, 1:-1] = (4 * r[2:-2:2, 2:-2:2] + 2 * (r[1:-3:2, 2:-2:2] + r[3:-1:2, 2:-2:2]
                     + r[2:-2:2, 1:-3:2] + r[2:-2:2, 3:-1:2]) + r[1:-3:2, 1:-3:2]
                     + r[3:-1:2, 1:-3:2] + r[1:-3:2, 3:-1:2] + r[3:-1:2, 3:-1:2]) / 16
    return c


def prolong(c):
    fine = np.zeros((2 * len(c) - 1, 2 * len(c) - 1))
    fine[::2, ::2] = c
    fine[1::2] = (fine[:-1:2] + fine[2::2]) / 2
    fine[:, 1::2] = (fine[:, :-1:2] + fine[:, 2::2]) / 2
    return fine


def cycle(u, f, h, depth=0):
    visits[depth] = visits.get(depth, 0) + 1
    if len(u) <= 3:
        u[1, 1] = h * h * f[1, 1] / 4
        return
    smooth(u, f, h, 2)
    coarse = restrict(residual(u, f, h))
    correction = np.zeros_like(coarse)
    cycle(correction, coarse, 2 * h, depth + 1)
    u += prolong(correction)
    smooth(u, f, h, 2)


y, x = np.mgrid[0:n + 1, 0:n + 1] / n
f = np.where((x - 0.3) ** 2 + (y - 0.6) ** 2 < 0.02, 50.0, 0.0) + np.sin(3 * x) * y
u, visits, residuals = np.zeros_like(f), {}, []
for k in range(cycles):
    cycle(u, f, 1 / n)
    r = residual(u, f, 1 / n)
    residuals.append(np.abs(r).max())
shrink = [bool(b < 0.5 * a) for a, b in zip(residuals, residuals[1:])]
print(f"{n} x {n}: {visits}, u from {u.min():.7f} to {u.max():.7f}, shrinks {all(shrink)}")
