# SPDX-License-Identifier: BSD-3-Clause
"""Roots: bisection, secant and Newton on arrays of problems at once, Durand-Kerner for polynomials, Newton in 2-d."""
import numpy as np

SIZES = {"tiny": (5, 3), "medium": (20000, 8), "large": (100000, 14)}
n, degree = SIZES[SIZE]
rng = np.random.default_rng(1690)


def kepler(E, M, e):
    return E - e * np.sin(E) - M


M = rng.uniform(0.1, 2 * np.pi - 0.1, n)
e = rng.uniform(0, 0.9, n)

# bisection of all at once
a, b = np.zeros(n), np.full(n, 2 * np.pi)
rounds = 0
while (b - a).max() > 1e-12:
    m = 0.5 * (a + b)
    positive = kepler(m, M, e) > 0
    a, b = np.where(positive, a, m), np.where(positive, m, b)
    rounds += 1
bisected = 0.5 * (a + b)

# Newton with only those that still move
E = M + 0.85 * e * np.sign(np.sin(M))
active = np.ones(n, dtype=bool)
left = []
while active.any() and len(left) < 50:
    x = E[active]
    step = kepler(x, M[active], e[active]) / (1 - e[active] * np.cos(x))
    E[active] -= step
    active[active] = np.abs(step) > 1e-8
    left.append(int(active.sum()))
assert np.abs(E - bisected).max() < 1e-10

# the secant method, problem after problem
few = []
for Mi, ei in zip(M[:20], e[:20]):
    x0, x1 = Mi, Mi + 0.5
    f0, f1 = kepler(x0, Mi, ei), kepler(x1, Mi, ei)
    for k in range(60):
        if abs(f1) < 1e-13 or f1 == f0:
            break
        x0, x1, f0 = x1, x1 - f1 * (x1 - x0) / (f1 - f0), f1
        f1 = kepler(x1, Mi, ei)
    few.append(x1)
few = np.array(few)
assert np.allclose(few, E[:20], atol=1e-9)


def durand_kerner(c, rounds=500):
    """All roots of a polynomial, highest coefficient first."""
    c = np.asarray(c, dtype=complex)
    z = (0.4 + 0.9j) ** np.arange(len(c) - 1)
    for _ in range(rounds):
        d = z[:, None] - z
        np.fill_diagonal(d, 1)
        step = np.polyval(c, z) / (c[0] * d.prod(axis=1))
        z = z - step
        if np.abs(step).max() < 1e-14:
            break
    return z


wanted = np.arange(1, degree + 1) / degree + 1j * np.where(np.arange(degree) % 2, 0.5, -0.5)
found = durand_kerner(np.poly(wanted))
order = np.argsort(found.real)
found = found[order]
print("distance of the roots below 1e-6:", bool(np.abs(found - wanted).max() < 1e-6))

# a system of two equations from many starting points
start = np.stack(np.meshgrid(np.linspace(-2, 2, 11), np.linspace(-2, 2, 11)), axis=-1).reshape(-1, 2) + 0.01
p = start.copy()
for _ in range(60):
    x, y = p[:, 0], p[:, 1]
    F = np.stack([x ** 2 + y ** 2 - 2, x - y ** 3], axis=1)
    J = np.empty((len(p), 2, 2))
    J[:, 0, 0], J[:, 0, 1], J[:, 1, 0], J[:, 1, 1] = 2 * x, 2 * y, 1, -3 * y ** 2
    p = p - np.linalg.solve(J, F[..., None])[..., 0]
ends = np.unique(p.round(8), axis=0)
print("bisections", rounds, "Newton", left[:4], "solutions", (ends + 0.0).tolist())
TOLERANCE = {"default": 1e-7}
del step, positive, f0, f1, x0, F, left, k           # rounding errors
