# SPDX-License-Identifier: BSD-3-Clause
"""PageRank of a random graph with dangling pages: by edges, by a dense matrix, and for readers of one topic."""
import numpy as np

SIZES = {"tiny": 6, "medium": 600, "large": 2500}
n = SIZES[SIZE]
damping = 0.85
rng = np.random.default_rng(1998)

popularity = rng.pareto(1.5, n) + 0.1
popularity /= popularity.sum()
edges = []
for page in range(n):
    degree = int(rng.integers(0, 8))
    if degree:
        goals = np.unique(rng.choice(n, size=degree, p=popularity))
        goals = goals[goals != page]
        edges.append(np.stack([np.full(goals.shape, page), goals], axis=1))
edges = np.concatenate(edges)
source, target = edges.T
out = np.bincount(source, minlength=n)
dangling = np.flatnonzero(out == 0)


def by_edges(jump, tol=1e-13):
    rank = np.full(n, 1 / n)
    for it in range(1000):
        new = np.zeros(n)
        np.add.at(new, target, rank[source] / out[source])
        new += rank[dangling].sum() * jump
        new = damping * new + (1 - damping) * jump
        if np.abs(new - rank).sum() < tol:
            return new, it
        rank = new
    return rank, it


def by_matrix(jump, rounds=120):
    A = np.zeros((n, n))
    A[target, source] = 1
    columns = A.sum(axis=0)
    A[:, columns > 0] /= columns[columns > 0]
    A[:, columns == 0] = jump[:, None]
    rank = jump.copy()
    for _ in range(rounds):
        rank = damping * (A @ rank) + (1 - damping) * jump
    return rank, A


uniform = np.ones(n) / n
rank, rounds = by_edges(uniform)
dense, A = by_matrix(uniform)
assert np.allclose(rank, dense, atol=1e-10), np.abs(rank - dense).max()
topic = np.zeros(n)
topic[::5] = 1
topic /= topic.sum()
personal, _ = by_edges(topic)
best = sorted(range(n), key=lambda p: -round(float(rank[p]), 9))[:5]
moved = np.abs(personal - rank) > 0.1 / n
print(f"{len(edges)} edges, {dangling.size} dangling; sum {rank.sum():.10f}")
for page in best:
    print(f"page {page}: {rank[page]:.8f}, read by {np.count_nonzero(target == page)}")
print("moved by the topic:", moved.sum())
TOLERANCE = {"rounds": 0.0, "default": 1e-9}
