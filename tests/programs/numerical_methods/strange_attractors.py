# SPDX-License-Identifier: BSD-3-Clause
"""Lorenz' system, the maps of Henon and Clifford, bifurcations of the logistic map, and Lyapunov exponents."""
import numpy as np

SIZES = {"tiny": (3, 30, 20), "medium": (30, 200, 300), "large": (2000, 300, 3000)}
TOLERANCE = {"default": 1e-5}             # chaotic: short orbits, or averages over long ones
starts, steps, parameters = SIZES[SIZE]


def lorenz(s, sigma=10.0, rho=28.0, beta=8 / 3):
    x, y, z = s
    return np.array([sigma * (y - x), x * (rho - z) - y, x * y - beta * z])


state = np.array([1.0, 1.0, 1.0])[:, None] + np.linspace(0, 1e-2, starts)
orbit = np.empty((steps,) + state.shape)
dt = 0.01
for k in range(steps):
    orbit[k] = state
    a = lorenz(state)
    b = lorenz(state + dt / 2 * a)
    c = lorenz(state + dt / 2 * b)
    d = lorenz(state + dt * c)
    state += dt / 6 * (a + 2 * b + 2 * c + d)
apart = np.abs(orbit[:, :, -1] - orbit[:, :, 0]).max(axis=1)
growth = np.log(apart[-1] / apart[0]) / (dt * steps)
wings = (np.diff(np.sign(orbit[:, 0]), axis=0) != 0).sum(axis=0)

# the logistic map for many parameters at once: what is left after a while, with 3 decimals
r = np.linspace(2.5, 3.56, parameters)
x = np.full_like(r, 0.4)
exponent = np.zeros_like(r)
for k in range(1000):
    x = r * x * (1 - x)
    exponent += np.log(np.abs(r * (1 - 2 * x)) + 1e-12)
exponent /= 1000
seen = np.empty((16, parameters))
for row in seen:
    x = r * x * (1 - x)
    row[:] = x
periods = np.array([len(np.unique(column.round(2))) for column in seen.T])
doubled = r[1:][(periods[1:] >= 2) & (periods[:-1] == 1)]


def iterate(step, p, n):
    out = []
    for _ in range(n):
        p = step(*p)
        out.append(p)
    return np.array(out)


henon = iterate(lambda x, y: (1 - 1.4 * x * x + y, 0.3 * x), (np.float64(0.1), np.float64(0.1)), 25)
clifford = iterate(lambda x, y: (np.sin(-1.4 * y) + np.cos(-1.4 * x), np.sin(1.6 * x) + 0.7 * np.cos(1.6 * y)),
                   (np.linspace(-0.1, 0.1, starts), np.zeros(starts)), 15)
picture, _, _ = np.histogram2d(clifford[:, 0].ravel(), clifford[:, 1].ravel(), bins=4, range=[[-3.01, 3.01], [-3.01, 3.01]])
assert picture.sum() == 15 * starts
single = np.float32(0.5)
for _ in range(10):
    single = np.float32(3.2) * single * (np.float32(1) - single)
print("growth %.5f" % growth, "wings", wings.min(), wings.max(), "end", orbit[-1, :, 0].round(5))
print("first doubling", [f"{v:.4f}" for v in doubled[:1]])
print("henon", henon[-1].round(5), "single", single.dtype, f"{single:.5f}", "largest exponent %.4f" % exponent.max())
del picture, periods, doubled             # counts of numbers on the edges of boxes
