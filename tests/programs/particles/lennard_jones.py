# SPDX-License-Identifier: BSD-3-Clause
"""Molecular dynamics of a Lennard-Jones liquid with lists of cells, velocity Verlet and a thermostat."""
import numpy as np

SIZES = {"tiny": (3, 3), "medium": (8, 8), "large": (14, 12)}
TOLERANCE = {"default": 1e-8}             # forces of atoms close to each other amplify last digits
per_side, steps = SIZES[SIZE]
CUT = 2.5


class Cells:
    def __init__(self, box, cut):
        self.m = max(1, int(box / cut))
        self.box = box

    def build(self, x):
        index = np.floor(x / self.box * self.m).astype(int) % self.m
        flat = index[:, 0] * self.m + index[:, 1]
        order = np.argsort(flat, kind="stable")
        starts = np.searchsorted(flat[order], np.arange(self.m ** 2 + 1))
        self.members = [order[a:b] for a, b in zip(starts[:-1], starts[1:])]

    def around(self, cell):
        i, j = divmod(cell, self.m)
        near = sorted({((i + di) % self.m) * self.m + (j + dj) % self.m
                       for di in (-1, 0, 1) for dj in (-1, 0, 1)})
        return np.concatenate([self.members[c] for c in near])


def forces(x, box, cells):
    f = np.zeros_like(x)
    potential = virial = 0.0
    cells.build(x)
    for c, own in enumerate(cells.members):
        if own.size == 0:
            continue
        other = cells.around(c)
        d = x[own][:, None] - x[other][None]
        d -= box * np.round(d / box)
        r2 = np.einsum("ijk,ijk->ij", d, d)
        close = (r2 < CUT * CUT) & (own[:, None] != other)
        inv6 = np.zeros_like(r2)
        inv6[close] = 1.0 / r2[close] ** 3
        scale = np.where(close, (48 * inv6 ** 2 - 24 * inv6) / np.where(close, r2, 1), 0)
        f[own] += (scale[:, :, None] * d).sum(axis=1)
        potential += 2 * (inv6 ** 2 - inv6).sum()
        virial += 0.5 * (scale * r2).sum()
    return f, potential, virial


box = per_side * 1.2
grid = (np.arange(per_side) + 0.5) * 1.2
x = np.array([(a, b) for a in grid for b in grid])
rng = np.random.default_rng(1924)
x += 0.02 * rng.standard_normal(x.shape)
v = rng.standard_normal(x.shape)
v -= v.mean(axis=0)
v *= np.sqrt(2 * 0.8 / (v ** 2).sum(axis=1).mean())
dt = 0.002
cells = Cells(box, CUT)
f, potential, virial = forces(x, box, cells)
log = {"kinetic": [], "potential": [], "pressure": []}
for step in range(steps):
    v += 0.5 * dt * f
    x += dt * v
    x %= box
    f, potential, virial = forces(x, box, cells)
    v += 0.5 * dt * f
    kinetic = 0.5 * (v * v).sum()
    if step % 4 == 3:
        v *= np.sqrt(1 + 0.1 * (0.8 * len(x) / kinetic - 1))
    log["kinetic"].append(kinetic)
    log["potential"].append(potential)
    log["pressure"].append((kinetic + virial / 2) / box ** 2)
log = {name: np.array(values) for name, values in log.items()}
occupied = np.array([len(m) for m in cells.members])
speeds, edges = np.histogram(np.hypot(*v.T), bins=10, range=(0, 4))
print("cells", cells.m, "most in one", occupied.max(), "atoms", occupied.sum())
for name, values in log.items():
    print("%-10s" % name, *("%.6f" % q for q in values[[0, -1]]))
