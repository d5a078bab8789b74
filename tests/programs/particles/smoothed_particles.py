# SPDX-License-Identifier: BSD-3-Clause
"""Smoothed particle hydrodynamics: a column of water falls; pairs from a grid of buckets, sums with add.at."""
import numpy as np

SIZES = {"tiny": (3, 4), "medium": (14, 10), "large": (40, 10)}
side, steps = SIZES[SIZE]
TOLERANCE = {"default": 1e-8}             # pressures amplify last digits
H, DT, STIFF, REST, MU = 1.0, 0.01, 50.0, 1.0, 0.8
walls = np.array([[0.0, 0.0], [side * 1.5 + 2, side * 2.0 + 2]])


def pairs(x):
    """Indices (i, j), i < j, of the pairs closer than H."""
    buckets = {}
    for k, cell in enumerate(np.floor(x / H).astype(int).tolist()):
        buckets.setdefault(tuple(cell), []).append(k)
    first, second = [], []
    for (a, b), here in buckets.items():
        here = np.array(here)
        near = []
        for da, db in ((0, 1), (1, -1), (1, 0), (1, 1)):
            near += buckets.get((a + da, b + db), [])
        i, j = np.triu_indices(len(here), k=1)
        first.append(here[i])
        second.append(here[j])
        if near:
            i, j = np.meshgrid(here, np.array(near), indexing="ij")
            first.append(i.ravel())
            second.append(j.ravel())
    i, j = np.concatenate(first), np.concatenate(second)
    r = np.sqrt(((x[i] - x[j]) ** 2).sum(axis=1))
    keep = (r < H) & (r > 1e-9)
    i, j = i[keep], j[keep]
    swap = i > j
    i[swap], j[swap] = j[swap], i[swap]
    order = np.lexsort((j, i))
    return i[order], j[order], r[keep][order]


rng = np.random.default_rng(1977)
x = 0.5 + 0.55 * np.stack(np.meshgrid(np.arange(side), np.arange(side), indexing="ij"), axis=-1).reshape(-1, 2).astype(float)
x += rng.uniform(-0.01, 0.01, x.shape)
v = np.zeros_like(x)
n = len(x)
density = np.empty(n)
how_many, energies, heights = [], [], []
for step in range(steps):
    i, j, r = pairs(x)
    w = (1 - r / H) ** 2
    density.fill(0.3)
    np.add.at(density, i, w)
    np.add.at(density, j, w)
    pressure = STIFF * np.maximum(density - REST, 0)
    push = (pressure[i] + pressure[j]) * (1 - r / H) / (density[i] * density[j])
    away = (x[i] - x[j]) / r[:, None]
    force = push[:, None] * away - MU * (1 - r / H)[:, None] * (v[i] - v[j])
    a = np.zeros_like(x)
    a[:, 1] = -9.81
    np.add.at(a, i, force)
    np.subtract.at(a, j, force)
    v += DT * a
    x += DT * v
    for axis in range(2):
        low, high = x[:, axis] < walls[0, axis], x[:, axis] > walls[1, axis]
        v[low | high, axis] *= -0.4
        np.clip(x[:, axis], walls[0, axis], walls[1, axis], out=x[:, axis])
    how_many.append(len(i))
    energies.append(0.5 * np.sum(v * v) + 9.81 * x[:, 1].sum())
    heights.append(x[:, 1].max())
columns = np.zeros(int(walls[1, 0]) + 1, dtype=int)
for p in x:
    columns[int(p[0])] += 1
print("pairs", how_many[0], how_many[-1], "density %.5f %.5f" % (density.min(), density.max()))
print("energy", [f"{e:.4f}" for e in energies[::4]], "height %.5f" % heights[-1])
print("columns", columns)
