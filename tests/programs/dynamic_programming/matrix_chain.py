# SPDX-License-Identifier: BSD-3-Clause
"""Matrix chain order by diagonals, then the chain multiplied in the best and in the plain order."""
import numpy as np
from numpy.linalg import norm

SIZES = {"tiny": 4, "medium": 45, "large": 200}
n = SIZES[SIZE]
rng = np.random.RandomState(4)
dims = rng.randint(3, 30, n + 1)


def order(dims):
    n = len(dims) - 1
    cost = np.zeros((n, n), np.int64)
    split = -np.ones((n, n), dtype=np.int64)
    for span in range(1, n):
        for i in range(n - span):
            j = i + span
            q = cost[i, i:j] + cost[i + 1:j + 1, j] + dims[i] * dims[i + 1:j + 1] * dims[j + 1]
            k = q.argmin()
            cost[i, j] = q[k]
            split[i, j] = i + k
    return cost, split


def text(split, i, j):
    if i == j:
        return "A%d" % i
    k = int(split[i, j])
    return "(" + text(split, i, k) + text(split, k + 1, j) + ")"


def multiply(mats, split, i, j):
    if i == j:
        return mats[i]
    k = int(split[i, j])
    left, right = multiply(mats, split, i, k), multiply(mats, split, k + 1, j)
    return left @ right


cost, split = order(dims)
mats = [rng.standard_normal((p, q)) / np.sqrt(q) for p, q in zip(dims[:-1], dims[1:])]
best = multiply(mats, split, 0, n - 1)
plain = mats[0]
plain_cost = 0
for m in mats[1:]:
    plain_cost += plain.shape[0] * m.shape[0] * m.shape[1]
    plain = plain.dot(m)
error = norm(best - plain) / norm(plain)
assert error < 1e-10
del error
saved = 1 - cost[0, n - 1] / plain_cost
print(text(split, 0, min(n - 1, 9)))
print("products:", cost[0, -1], "plain:", plain_cost, f"saved: {saved:.3f}")
TOLERANCE = {"best": 1e-9, "plain": 1e-9}      # products of hundreds of matrices
