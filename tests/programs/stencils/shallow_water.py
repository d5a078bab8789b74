# SPDX-License-Identifier: BSD-3-Clause
"""Shallow water in a basin with an island by Lax-Friedrichs: a drop, a gauge, the volume."""
import numpy as np

SIZES = {"tiny": (10, 15), "medium": (150, 80), "large": (400, 40)}
n, steps = SIZES[SIZE]
g, dx = 9.81, 1.0 / n
yy, xx = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")
h = np.ones((n, n)) + 0.4 * np.exp(-((xx - n / 3) ** 2 + (yy - n / 3) ** 2) / (n / 12) ** 2)
hu, hv = np.zeros((n, n)), np.zeros((n, n))
island = (abs(xx - 2 * n // 3) < n // 12 + 1) & (abs(yy - 2 * n // 3) < n // 10 + 1)
shore = [tuple(map(int, p)) for p in np.argwhere(island)[:5]]


def mirror(h, hu, hv):
    for field, signs in ((h, (1, 1)), (hu, (1, -1)), (hv, (-1, 1))):
        field[0], field[-1] = signs[0] * field[1], signs[0] * field[-2]
        field[:, 0], field[:, -1] = signs[1] * field[:, 1], signs[1] * field[:, -2]


def step_once(q, fx, fy, lam):
    new = q.copy()
    new[1:-1, 1:-1] = 0.25 * (q[:-2, 1:-1] + q[2:, 1:-1] + q[1:-1, :-2] + q[1:-1, 2:])
    new[1:-1, 1:-1] -= lam / 2 * (fx[1:-1, 2:] - fx[1:-1, :-2] + fy[2:, 1:-1] - fy[:-2, 1:-1])
    return new


gauge, times, speeds = [], [0.0], []
for step in range(steps):
    mirror(h, hu, hv)
    u, v = hu / h, hv / h
    speed = (np.sqrt(u * u + v * v) + np.sqrt(g * h)).max()
    dt = 0.4 * dx / speed
    lam = dt / dx
    pressure = 0.5 * g * h ** 2
    h, hu, hv = (step_once(h, hu, hv, lam), step_once(hu, hu * u + pressure, hu * v, lam),
                 step_once(hv, hu * v, hv * v + pressure, lam))
    hu[island] = 0
    hv[island] = 0
    gauge.append(h[n // 2, n // 2])
    times.append(times[-1] + dt)
    speeds.append(speed)
    if times[-1] > 1.0:
        print("time is up")
        break
NOISE = {"hu": 1e-12, "hv": 1e-12, "u": 1e-12, "v": 1e-12}
volume = h[1:-1, 1:-1].sum() * dx ** 2
wettest = np.array([row.max() for row in h])
print(f"{len(gauge)} steps to {times[-1]:.6f}, volume {volume:.8f}, {len(shore)} points ashore")
