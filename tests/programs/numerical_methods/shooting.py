# SPDX-License-Identifier: BSD-3-Clause
"""Boundary value problems: shooting with secants, relaxation by Newton, and eigenvalues of a well by Numerov."""
import numpy as np

SIZES = {"tiny": 10, "medium": 50, "large": 200}
n = SIZES[SIZE]
TOLERANCE = {"default": 1e-6}


def march(slope, n):
    """y'' = 1.5 y^2 from y(0) = 4 with this slope; returns all of y."""
    h = 1.0 / n
    y = np.zeros((n + 1, 2))
    y[0] = 4.0, slope

    def f(u):
        return np.array([u[1], 1.5 * u[0] ** 2])

    for i in range(n):
        k1 = f(y[i])
        k2 = f(y[i] + h / 2 * k1)
        k3 = f(y[i] + h / 2 * k2)
        k4 = f(y[i] + h * k3)
        y[i + 1] = y[i] + h / 6 * (k1 + 2 * (k2 + k3) + k4)
    return y


s0, s1 = -7.0, -9.0
e0, e1 = march(s0, n)[-1, 0] - 1, march(s1, n)[-1, 0] - 1
tries = 0
while abs(e1) > 1e-9 and tries < 30:
    s0, s1, e0 = s1, s1 - e1 * (s1 - s0) / (e1 - e0), e1
    y = march(s1, n)
    e1 = y[-1, 0] - 1
    tries += 1
shot = y[:, 0]
x = np.linspace(0, 1, n + 1)
exact = 4 / (1 + x) ** 2
assert np.abs(shot - exact).max() < 1e-2

# the same by Newton on all points at once
u = 4 - 3 * x
h = x[1]
for rounds in range(20):
    r = np.zeros(n + 1)
    r[1:-1] = (u[:-2] - 2 * u[1:-1] + u[2:]) / h ** 2 - 1.5 * u[1:-1] ** 2
    J = np.zeros((n + 1, n + 1))
    i = np.arange(1, n)
    J[i, i - 1] = J[i, i + 1] = 1 / h ** 2
    J[i, i] = -2 / h ** 2 - 3 * u[i]
    J[0, 0] = J[-1, -1] = 1
    du = np.linalg.solve(J, -r)
    u += du
    if np.max(np.abs(du)) < 1e-9:
        break
apart = np.abs(u - shot).max()
assert apart < 0.2


def numerov(energy, V, x):
    """Wave functions for an array of energies at once, from the left; one row a point."""
    h = x[1] - x[0]
    g = 2 * (energy[None, :] - V[:, None])
    psi = np.zeros((len(x), len(energy)))
    psi[1] = 1e-5
    a = h * h / 12
    for k in range(1, len(x) - 1):
        psi[k + 1] = (2 * (1 - 5 * a * g[k]) * psi[k] - (1 + a * g[k - 1]) * psi[k - 1]) / (1 + a * g[k + 1])
    return psi


z = np.linspace(-5, 5, 2 * n + 1)
V = 0.5 * z ** 2
lo = np.arange(5) + 0.25
hi = np.arange(5) + 0.75
left = np.sign(numerov(lo, V, z)[-1])
for _ in range(25):
    mid = (lo + hi) / 2
    same = np.sign(numerov(mid, V, z)[-1]) == left
    lo[same] = mid[same]
    hi[~same] = mid[~same]
levels = (lo + hi) / 2
psi = numerov(levels, V, z)
nodes = [int((np.diff(np.sign(p[np.abs(z) < 3.6])) != 0).sum()) for p in psi.T]
print("slope %.6f" % s1, "middle %.6f" % shot[n // 2], "levels", levels.round(5))
print("nodes", nodes)
del psi, e0, e1, s0, r, du, rounds, tries, apart, lo, hi, mid, same      # rounding errors grow in them
