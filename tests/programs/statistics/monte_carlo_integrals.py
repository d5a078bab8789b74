# SPDX-License-Identifier: BSD-3-Clause
"""Monte Carlo: pi by darts, an integral with variance reduction, Buffon's needle, walks."""
import numpy as np

SIZES = {"tiny": (10, 20), "medium": (40, 20000), "large": (40, 120000)}
batches, size = SIZES[SIZE]
np.random.seed(2024)
inside, thrown, path = 0, 0, []
for batch in range(batches):
    points = np.random.rand(size, 2)
    hits = (points ** 2).sum(axis=1) <= 1.0
    inside += np.count_nonzero(hits)
    thrown += size
    path.append(4.0 * inside / thrown)
    if batch > 5 and abs(path[-1] - np.pi) < 1e-9:
        break
path = np.array(path)


def f(u):
    return np.exp(u) / (1 + u ** 2)


plain, antithetic, control, stratified = [], [], [], []
for batch in range(batches // 2):
    u = np.random.random(size)
    values = f(u)
    plain.append(values.mean())
    antithetic.append(0.5 * (values + f(1 - u)).mean())
    centred = u - 0.5
    slope = (centred * (values - values.mean())).sum() / (centred ** 2).sum()
    control.append((values - slope * centred).mean())
    cells = (np.arange(size) + u) / size
    stratified.append(f(cells).mean())
estimates = {name: np.array(v) for name, v in
             (("plain", plain), ("antithetic", antithetic), ("control", control))}
spreads = {name: v.std(ddof=1) for name, v in estimates.items()}
ordered = sorted(spreads, key=spreads.get)

needle = 0
for batch in range(batches):
    centre = np.random.uniform(0, 0.5, size)
    angle = np.random.uniform(0, np.pi / 2, size)
    needle += int((centre <= 0.35 * np.sin(angle)).sum())
buffon = 2 * 0.7 * batches * size / needle
walks = np.random.choice([-1, 1], size=(batches * 5, 100)).cumsum(axis=1)
returned = (walks == 0).any(axis=1).mean()
farthest = np.abs(walks).max(axis=1)
table = {int(v): int(c) for v, c in zip(*np.unique(farthest, return_counts=True))}
print(f"pi {path[-1]:.6f}, needle {buffon:.6f}, integral {np.mean(stratified):.8f}")
print(ordered, f"returned {returned:.4f}", table.get(10, 0))
