# SPDX-License-Identifier: BSD-3-Clause
"""Forest fire: trees grow, lightning strikes, fire spreads to neighbours and burns out."""
import numpy as np

EMPTY, TREE, FIRE = range(3)
SIZES = {"tiny": (7, 10), "medium": (150, 60), "large": (700, 45)}
n, steps = SIZES[SIZE]
P_GROW, P_STRIKE = 0.02, 0.0005


class Forest:
    def __init__(self, n, seed):
        self.rng = np.random.default_rng(seed)
        self.land = np.where(self.rng.random((n, n)) < 0.6, TREE, EMPTY).astype("u1")
        self.burnt = np.zeros((n, n), dtype="u2")
        self.log = []

    def spread(self):
        fire = self.land == FIRE
        near = np.zeros(fire.shape, bool)
        near[1:] |= fire[:-1]
        near[:-1] |= fire[1:]
        near[:, 1:] |= fire[:, :-1]
        near[:, :-1] |= fire[:, 1:]
        return fire, near

    def step(self):
        fire, near = self.spread()
        chance = self.rng.random(self.land.shape)
        new = self.land.copy()
        new[fire] = EMPTY
        trees = self.land == TREE
        new[trees & (near | (chance < P_STRIKE))] = FIRE
        np.putmask(new, (self.land == EMPTY) & (chance < P_GROW), TREE)
        self.burnt += fire
        self.land = new
        self.log.append(np.bincount(new.ravel(), minlength=3))


forest = Forest(n, 31)
forest.land[n // 2, n // 2] = FIRE
quiet = 0
for k in range(steps):
    forest.step()
    if forest.log[-1][FIRE] == 0:
        quiet += 1
        if quiet > 3:
            i, j = divmod(int(forest.rng.integers(n * n)), n)
            forest.land[i, j] = FIRE
            quiet = 0
    else:
        quiet = 0

log = np.vstack(forest.log)
fractions = log / log.sum(axis=1, keepdims=True)
worst = int(log[:, FIRE].argmax())
hot = np.argsort(-forest.burnt.ravel().astype(int), kind="stable")[:5]
print("steps", len(log), "worst at", worst, "with", log[worst, FIRE], "burning")
print("mean fractions", fractions.mean(axis=0).round(5))
print("burnt most", [tuple(map(int, divmod(h, n))) for h in hot], forest.burnt.max())
