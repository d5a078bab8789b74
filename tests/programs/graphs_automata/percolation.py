# SPDX-License-Identifier: BSD-3-Clause
"""Percolation: union-find on an array of parents until top and bottom join; clusters by spreading labels."""
import numpy as np

SIZES = {"tiny": (3, 4), "medium": (20, 60), "large": (45, 300)}
n, big = SIZES[SIZE]
np.random.seed(2718)


def find(parent, i):
    root = i
    while parent[root] != root:
        root = int(parent[root])
    while parent[i] != root:
        parent[i], i = root, int(parent[i])
    return root


def open_until_joined(n):
    parent = np.arange(n * n + 2)
    weight = np.ones(n * n + 2, dtype=int)
    top, bottom = n * n, n * n + 1
    is_open = np.zeros((n, n), bool)

    def union(a, b):
        a, b = find(parent, a), find(parent, b)
        if a == b:
            return
        if weight[a] < weight[b]:
            a, b = b, a
        parent[b] = a
        weight[a] += weight[b]

    for opened, site in enumerate(np.random.permutation(n * n), start=1):
        r, c = divmod(int(site), n)
        is_open[r, c] = True
        here = r * n + c
        if r == 0:
            union(here, top)
        if r == n - 1:
            union(here, bottom)
        for y, x in ((r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)):
            if 0 <= y < n and 0 <= x < n and is_open[y, x]:
                union(here, y * n + x)
        if find(parent, top) == find(parent, bottom):
            return opened / (n * n), is_open, int(weight[find(parent, top)])


def labels(is_open):
    """The largest index in each cluster, by rounds of maxima."""
    lab = np.where(is_open, np.arange(1, is_open.size + 1).reshape(is_open.shape), 0)
    rounds = 0
    while True:
        new = lab.copy()
        np.maximum(new[1:], lab[:-1], out=new[1:])
        np.maximum(new[:-1], lab[1:], out=new[:-1])
        np.maximum(new[:, 1:], lab[:, :-1], out=new[:, 1:])
        np.maximum(new[:, :-1], lab[:, 1:], out=new[:, :-1])
        new[~is_open] = 0
        rounds += 1
        if (new == lab).all():
            return lab, rounds
        lab = new


thresholds = []
for trial in range(3):
    p, grid, joined = open_until_joined(n)
    thresholds.append(p)
field = np.random.rand(big, big)
largest = []
for p in np.arange(0.3, 0.75, 0.15):
    lab, rounds = labels(field < p)
    found, size = np.unique(lab[lab > 0], return_counts=True)
    largest.append(size.max() / lab.size if size.size else 0.0)
print("thresholds", ["%.4f" % p for p in thresholds], "cluster of", joined)
print("largest clusters", np.round(largest, 5), "rounds", rounds, "clusters", len(found))
