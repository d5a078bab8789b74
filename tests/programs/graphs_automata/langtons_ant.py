# SPDX-License-Identifier: BSD-3-Clause
"""Langton's ant and turmites with more colours, one step at a time on arrays of cells."""
import numpy as np

SIZES = {"tiny": (9, 30), "medium": (64, 1500), "large": (128, 11500)}
size, steps = SIZES[SIZE]
headings = np.array([[-1, 0], [0, 1], [1, 0], [0, -1]])


class Ant:
    def __init__(self, rule, size):
        self.turns = np.array([{"R": 1, "L": -1, "N": 0, "U": 2}[c] for c in rule])
        self.grid = np.zeros((size, size), dtype=np.uint8)
        self.position = np.array([size // 2, size // 2])
        self.heading = 0
        self.visits = {}

    def step(self):
        y, x = self.position
        colour = self.grid[y, x]
        self.heading = (self.heading + self.turns[colour]) % 4
        self.grid[y, x] = (colour + 1) % len(self.turns)
        key = (int(y), int(x))
        self.visits[key] = self.visits.get(key, 0) + 1
        self.position += headings[self.heading]
        self.position %= self.grid.shape


ants = {rule: Ant(rule, size) for rule in ("RL", "LLRR")}
snapshots = []
for rule, ant in ants.items():
    for k in range(steps):
        ant.step()
        if k % (steps // 3) == 0:
            snapshots.append(ant.grid.copy())

dark = ants["RL"].grid.astype(bool)
rows, columns = np.where(dark)
box = (rows.min(), rows.max(), columns.min(), columns.max()) if dark.any() else None
changes = [int((a != b).sum()) for a, b in zip(snapshots, snapshots[1:])]
most = max(ants["LLRR"].visits.values())
print("box", *[int(b) for b in box], "dark", dark.sum())
print("changes", changes, "most visits", most)
for rule, ant in ants.items():
    print(rule, "at", ant.position, "heading", ant.heading, np.bincount(ant.grid.ravel()))
