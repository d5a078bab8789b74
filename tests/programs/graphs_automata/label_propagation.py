# SPDX-License-Identifier: BSD-3-Clause
"""Communities of a planted graph by spreading labels, spectral cut and modularity; connected components too."""
import numpy as np

SIZES = {"tiny": (2, 5), "medium": (4, 40), "large": (6, 120)}
groups, members = SIZES[SIZE]
n = groups * members
np.random.seed(33)
truth = np.repeat(np.arange(groups), members)
chance = np.where(truth[:, None] == truth, 0.5, 0.02)
upper = np.triu(np.random.random((n, n)) < chance, 1)
A = (upper | upper.T).astype(float)
degree = A.sum(axis=1)
isolated = degree == 0
A[isolated, isolated] = 1.0


def communities(A, rounds=20):
    labels = np.arange(len(A))
    for r in range(rounds):
        changed = 0
        for v in np.random.permutation(len(A)):
            near = labels[A[v] > 0]
            counts = np.bincount(near)
            best = int(counts.argmax())
            if labels[v] != best and counts[best] > (near == labels[v]).sum():
                labels[v] = best
                changed += 1
        if changed == 0:
            break
    return labels, r


def modularity(A, labels):
    m2 = A.sum()
    k = A.sum(axis=0)
    same = labels[:, None] == labels[None, :]
    return ((A - np.outer(k, k) / m2) * same).sum() / m2


def components(A):
    comp = -np.ones(len(A), dtype=int)
    number = 0
    for v in range(len(A)):
        if comp[v] >= 0:
            continue
        front = np.zeros(len(A), bool)
        front[v] = True
        while front.any():
            comp[front] = number
            front = A[front].any(axis=0) & (comp < 0)
        number += 1
    return comp, number


labels, rounds = communities(A)
names, compact, sizes = np.unique(labels, return_inverse=True, return_counts=True)
q = modularity(A, compact)
q_truth = modularity(A, truth)
comp, number = components(A)
triangles = np.trace(A @ A @ A) / 6
d = np.maximum(A.sum(1), 1)
L = np.eye(n) - A / np.sqrt(np.outer(d, d))
eigenvalues = np.linalg.eigvalsh(L)
table = np.zeros((groups, len(names)), dtype=int)
for t, c in zip(truth, compact):
    table[t, c] += 1
purity = table.max(axis=0).sum() / n
print("communities", len(names), "after", rounds, "rounds; sizes", sorted(sizes.tolist(), reverse=True)[:8])
print(f"modularity {q:.6f}, planted {q_truth:.6f}, purity {purity:.4f}")
print("components", number, "triangles", round(float(triangles)), "gap %.6f" % eigenvalues[min(groups, n - 1)])
