# SPDX-License-Identifier: BSD-3-Clause
"""Diffusion limited aggregation: walkers in parallel stick to a growing cluster; its fractal dimension."""
import numpy as np

SIZES = {"tiny": (15, 5), "medium": (61, 60), "large": (151, 350)}
n, goal = SIZES[SIZE]
rng = np.random.default_rng(1981)
cluster = np.zeros((n, n), dtype=bool)
middle = n // 2
cluster[middle, middle] = True
born = np.zeros(cluster.shape, dtype=np.int32)
walkers = np.zeros((0, 2), dtype=np.int64)
moves = [np.array(m) for m in [(0, 1), (0, -1), (1, 0), (-1, 0)]]
radius, size, rounds = 1.0, 1, 0


def touching(cluster):
    near = cluster.copy()
    for axis in (0, 1):
        for shift in (-1, 1):
            near |= np.roll(cluster, shift, axis=axis)
    return near


sticky = touching(cluster)
while size < goal and rounds < 20000:
    rounds += 1
    missing = 60 - len(walkers)
    if missing > 0:
        angle = 2 * np.pi * rng.random(missing)
        ring = min(radius + 4, middle - 2)
        fresh = np.rint(middle + ring * np.stack((np.cos(angle), np.sin(angle)), axis=1)).astype(np.int64)
        walkers = np.concatenate([walkers, fresh])
    walkers += np.array(moves)[rng.integers(0, 4, len(walkers))]
    inside = ((walkers > 0) & (walkers < n - 1)).all(axis=1)
    walkers = walkers[inside]
    stuck = sticky[tuple(walkers.T)] & ~cluster[walkers[:, 0], walkers[:, 1]]
    if stuck.any():
        for y, x in np.unique(walkers[stuck], axis=0):
            if size == goal:
                break
            cluster[y, x] = True
            born[y, x] = rounds
            size += 1
            radius = max(radius, np.hypot(y - middle, x - middle))
            for m in moves:
                sticky[tuple(np.array([y, x]) + m)] = True
        walkers = walkers[~stuck]

ys, xs = cluster.nonzero()
r = np.sort(np.hypot(ys - middle, xs - middle))
counts = np.arange(1, len(r) + 1)
use = (r > 1.5) & (r < 0.9 * r[-1])
dimension = np.polyfit(np.log(r[use]), np.log(counts[use]), 1)[0] if use.sum() > 3 else None
neighbours = sum(np.roll(cluster, s, axis=a) & cluster for a in (0, 1) for s in (1, -1))
neighbours = neighbours.astype(int)
around = [np.roll(cluster, shift, axis) for axis in (0, 1) for shift in (-1, 1)]
tips = np.count_nonzero(cluster & np.logical_xor.reduce(around))
if n < 70:
    for row in cluster[max(0, ys.min()):ys.max() + 1, max(0, xs.min()):xs.max() + 1]:
        print("".join(".#"[int(c)] for c in row))
print("size", size, "rounds", rounds, "radius %.4f" % radius, "tips", tips)
print("dimension", None if dimension is None else f"{dimension:.5f}", "latest", born.max(), np.bincount(neighbours[cluster]))
