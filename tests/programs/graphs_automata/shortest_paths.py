# SPDX-License-Identifier: BSD-3-Clause
"""Shortest paths four ways: Dijkstra on a dense matrix, Bellman-Ford on edges, Floyd-Warshall, min-plus squares."""
import numpy as np

SIZES = {"tiny": 5, "medium": 100, "large": 320}
n = SIZES[SIZE]
rng = np.random.default_rng(59)
points = rng.integers(0, 1000, (n, 2))
delta = points[:, None, :] - points[None]
length = np.abs(delta).sum(-1)
W = np.where((length < 400) | (length > 1800), length, 10**6)
W[np.arange(n), (np.arange(n) + 1) % n] = 700
np.fill_diagonal(W, 0)


def dijkstra(W, s):
    n = len(W)
    dist = np.full(n, np.iinfo(W.dtype).max // 4)
    done = np.zeros(n, dtype=bool)
    before = np.full(n, -1)
    dist[s] = 0
    for _ in range(n):
        u = np.argmin(np.where(done, np.iinfo(W.dtype).max, dist))
        done[u] = True
        through = dist[u] + W[u]
        better = through < dist
        dist[better] = through[better]
        before[better] = u
    return dist, before


def bellman_ford(edges, cost, n, s):
    dist = np.full(n, 10**9)
    dist[s] = 0
    for rounds in range(n):
        new = dist.copy()
        np.minimum.at(new, edges[:, 1], dist[edges[:, 0]] + cost)
        if np.array_equal(new, dist):
            break
        dist = new
    return dist, rounds


def floyd_warshall(W):
    D = W.copy()
    for k in range(len(D)):
        D = np.minimum(D, D[:, k, None] + D[k])
    return D


def min_plus(A, B):
    C = np.empty_like(A)
    for i, row in enumerate(A):
        C[i] = (row[:, None] + B).min(axis=0)
    return C


dist, before = dijkstra(W, 0)
edges = np.argwhere((W > 0) & (W < 10**6))
cost = W[edges[:, 0], edges[:, 1]]
ford, rounds = bellman_ford(edges, cost, n, 0)
D = floyd_warshall(W)
assert (dist == D[0]).all() and (ford == D[0]).all()
if n <= 100:
    S = W
    while True:
        S, old = min_plus(S, S), S
        if not (S != old).any():
            break
    assert np.array_equal(S, D)
paths = {}
for goal in range(0, n, max(1, n // 6)):
    path = [goal]
    while path[-1] != 0 and before[path[-1]] >= 0:
        path.append(int(before[path[-1]]))
    paths[goal] = path[::-1]
    assert sum(W[p, q] for p, q in zip(path[1:], path)) == dist[goal]
far = divmod(D.argmax(), n)
print("rounds", rounds, "diameter", D.max(), "between", int(far[0]), int(far[1]))
for goal, path in paths.items():
    print(goal, dist[goal], path)
