# SPDX-License-Identifier: BSD-3-Clause
"""Queens: all solutions row by row as one growing array, and one large board by moving queens in conflict."""
import numpy as np

SIZES = {"tiny": (5, 8), "medium": (8, 40), "large": (10, 120)}
n, board = SIZES[SIZE]


def all_solutions(n):
    """partial[k] is a placement of the first rows; every row extends all of them at once."""
    partial = np.zeros((1, 0), dtype=np.int8)
    sizes = []
    for row in range(n):
        columns = np.arange(n, dtype=np.int8)
        distance = row - np.arange(row)
        gap = np.abs(columns[None, :, None] - partial[:, None, :])
        fine = ((gap != 0) & (gap != distance)).all(axis=2)
        which, column = np.nonzero(fine)
        partial = np.hstack((partial[which], column[:, None].astype(np.int8)))
        sizes.append(len(partial))
    return partial, sizes


def conflicts(q):
    n = len(q)
    i = np.arange(n)
    column = np.bincount(q, minlength=n)
    up, down = np.bincount(q + i, minlength=2 * n - 1), np.bincount(q - i + n - 1, minlength=2 * n - 1)
    return column, up, down


def repair(n, rng, most=2000):
    q = rng.permutation(n)
    i = np.arange(n)
    for step in range(most):
        column, up, down = conflicts(q)
        bad = column[q] + up[q + i] + down[q - i + n - 1] - 3
        if bad.sum() == 0:
            return q, step
        r = rng.choice(np.flatnonzero(bad))
        column[q[r]] -= 1
        up[q[r] + r] -= 1
        down[q[r] - r + n - 1] -= 1
        cost = column + up[i + r] + down[i - r + n - 1]
        best = np.flatnonzero(cost == cost.min())
        q[r] = rng.choice(best)
    return None, most


solutions, sizes = all_solutions(n)
mirrored = n - 1 - solutions
order = np.lexsort(mirrored.T[::-1])
assert (mirrored[order] == solutions).all()
rng = np.random.default_rng(8)
placed, steps = repair(board, rng)
if placed is not None:
    for k in conflicts(placed):
        assert k.max() == 1
first = np.zeros((n, n), int)
first[np.arange(n), solutions[0]] = 1
usage = np.stack([np.bincount(c, minlength=n) for c in solutions.T])
print("partial placements", sizes)
print(first)
print("usage of the corner", usage[0, 0], "of the middle", usage[n // 2, n // 2], "steps", steps)
