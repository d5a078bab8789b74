# SPDX-License-Identifier: BSD-3-Clause
"""Abelian sandpile: avalanches of single grains, a heap in the middle, and the identity of the group."""
import numpy as np

SIZES = {"tiny": (5, 20), "medium": (25, 150), "large": (40, 700)}
n, grains = SIZES[SIZE]


def topple(z, most=100000):
    """Relaxes z in place; returns how often each site toppled."""
    count = np.zeros_like(z)
    for rounds in range(most):
        high = z >= 4
        if not high.any():
            return count, rounds
        k = z >> 2
        count += k
        z -= 4 * k
        z[1:, :] += k[:-1, :]
        z[:-1, :] += k[1:, :]
        z[:, 1:] += k[:, :-1]
        z[:, :-1] += k[:, 1:]
    raise RuntimeError("does not come to rest")


pile = np.full((n, n), 3)
pile[::2, ::3] = 1
rng = np.random.default_rng(17)
sizes, areas, longest = [], [], 0
for g in range(grains):
    i, j = (int(v) for v in rng.integers(0, n, size=2))
    pile[i, j] += 1
    if pile[i, j] >= 4:
        count, rounds = topple(pile)
        sizes.append(count.sum())
        areas.append(np.count_nonzero(count))
        longest = max(longest, rounds)
sizes = np.array(sizes)
edges = np.array([1, 2, 5, 10, 20, 50, 100, 10**9])
histogram, _ = np.histogram(sizes, bins=edges)

heap = np.zeros((n, n), dtype=np.int32)
heap[n // 2, n // 2] = 8 * n * n
_, rounds = topple(heap)

six = np.full((n, n), 6)
once = six.copy()
topple(once)
identity = six - once
topple(identity)
twice = identity + identity
topple(twice)
assert np.array_equal(twice, identity)
print("avalanches", len(sizes), "largest", sizes.max() if len(sizes) else 0, "longest", longest)
print("histogram", dict(zip(edges[:-1].tolist(), histogram.tolist())))
print("heap came to rest after", rounds, "rounds:", np.bincount(heap.ravel(), minlength=4))
print("identity", np.unique(identity, return_counts=True)[1])
