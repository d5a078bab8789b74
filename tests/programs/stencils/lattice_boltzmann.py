# SPDX-License-Identifier: BSD-3-Clause
"""Lattice Boltzmann flow past a cylinder: nine populations in a list, rolled and bounced."""
import numpy as np

SIZES = {"tiny": (10, 8, 10), "medium": (160, 60, 40), "large": (400, 140, 40)}
nx, ny, steps = SIZES[SIZE]
velocities = [(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)]
weights = [4 / 9] + [1 / 9] * 4 + [1 / 36] * 4
opposite = [velocities.index((-cx, -cy)) for cx, cy in velocities]
omega, inflow = 1.2, 0.08
X, Y = np.meshgrid(range(nx), range(ny), indexing="ij")
cylinder = (X - nx // 4) ** 2 + (Y - ny // 2) ** 2 < (ny / 7) ** 2


def equilibrium(rho, ux, uy):
    square = 1.5 * (ux ** 2 + uy ** 2)
    result = []
    for (cx, cy), w in zip(velocities, weights):
        cu = 3 * (cx * ux + cy * uy)
        result.append(w * rho * (1 + cu + 0.5 * cu ** 2 - square))
    return result


f = equilibrium(np.ones((nx, ny)), np.full((nx, ny), inflow), 0.001 * np.sin(Y / ny * 6.28))
drag, masses = [], []
for step in range(steps):
    f = [np.roll(p, shift=c, axis=(0, 1)) for p, c in zip(f, velocities)]
    bounced = [p[cylinder] for p in f]
    rho = sum(f)
    ux = sum(cx * p for p, (cx, cy) in zip(f, velocities) if cx) / rho
    uy = sum(cy * p for p, (cx, cy) in zip(f, velocities) if cy) / rho
    ux[0, :] = inflow
    uy[0, :] = 0.0
    for p, q in zip(f, equilibrium(rho, ux, uy)):
        p += omega * (q - p)
    force = 0.0
    for i, p in enumerate(f):
        p[cylinder] = bounced[opposite[i]]
        force += velocities[i][0] * bounced[i].sum()
    drag.append(force)
    masses.append(rho.mean())
NOISE = {"uy": 1e-12, "drag": 1e-10, "force": 1e-10}
vorticity = (np.roll(uy, -1, 0) - np.roll(uy, 1, 0)) - (np.roll(ux, -1, 1) - np.roll(ux, 1, 1))
vorticity[cylinder] = np.nan
strongest = np.nanmax(np.abs(vorticity))
print(f"mass {masses[-1]:.8f}, inside {int(cylinder.sum())}, vorticity {strongest:.6f}")
