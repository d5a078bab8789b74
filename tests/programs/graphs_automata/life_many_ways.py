# SPDX-License-Identifier: BSD-3-Clause
"""Conway's game of life on a torus, counted in four ways that must agree."""
import numpy as np

SIZES = {"tiny": (6, 4), "medium": (200, 20), "large": (600, 25)}
n, generations = SIZES[SIZE]


def by_rolls(cells):
    around = sum(np.roll(cells, (dy, dx), axis=(0, 1))
                 for dy in (-1, 0, 1) for dx in (-1, 0, 1) if (dy, dx) != (0, 0))
    return around


def by_padding(cells):
    p = np.pad(cells, 1, mode="wrap")
    return (p[:-2, :-2] + p[:-2, 1:-1] + p[:-2, 2:] + p[1:-1, :-2] + p[1:-1, 2:]
            + p[2:, :-2] + p[2:, 1:-1] + p[2:, 2:])


def by_sums(cells):
    rows = cells + np.roll(cells, 1, 0) + np.roll(cells, -1, 0)
    return rows + np.roll(rows, 1, 1) + np.roll(rows, -1, 1) - cells


def by_scatter(cells):
    count = np.zeros_like(cells)
    ys, xs = np.nonzero(cells)
    for dy in (-1, 0, 1):
        for dx in (-1, 0, 1):
            if dy or dx:
                np.add.at(count, ((ys + dy) % n, (xs + dx) % n), 1)
    return count


def rule(cells, count):
    return ((count == 3) | (cells.astype(bool) & (count == 2))).astype(cells.dtype)


rng = np.random.default_rng(1970)
cells = (rng.random((n, n)) < 0.3).astype(np.uint8)
if n > 20:
    glider = np.array([[0, 1, 0], [0, 0, 1], [1, 1, 1]], dtype=np.uint8)
    cells[:20, :20] = 0
    cells[5:8, 5:8] = glider

ways = [by_rolls, by_padding, by_sums, by_scatter]
population, age = [], np.zeros((n, n), np.int16)
history = {}
for g in range(generations):
    count = ways[g % 4](cells)
    if g % 5 == 0:
        for way in ways:
            assert np.array_equal(way(cells), count), way.__name__
    new = rule(cells, count)
    age[new == 0] = 0
    age[new != 0] += 1
    cells = new
    population.append(int(cells.sum()))
    history[g] = np.packbits(cells, axis=1)
    if not cells.any():
        break

oldest = age.max()
where = np.argwhere(age == oldest)[:3]
print("population", population[:10], "...", population[-1])
print("oldest", oldest, "first at", *[tuple(int(k) for k in w) for w in where])
if n < 10:
    for row in cells:
        print("".join("#" if c else "." for c in row))
