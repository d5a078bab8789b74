# SPDX-License-Identifier: BSD-3-Clause
"""k-means with k-means++ starts, empty clusters moved, silhouettes of a sample."""
import numpy as np

SIZES = {"tiny": (20, 2, 3), "medium": (4000, 6, 5), "large": (20000, 12, 8)}
n, dimensions, k = SIZES[SIZE]
rng = np.random.default_rng(44)
true_centres = rng.uniform(-10, 10, (k, dimensions))
X = true_centres[rng.integers(0, k, n)] + rng.normal(0, 0.8, (n, dimensions))


def distances2(X, centres):
    d = (X ** 2).sum(axis=1)[:, None] - 2 * X @ centres.T + (centres ** 2).sum(axis=1)
    return np.maximum(d, 0)


def plus_plus(X):
    centres = [X[0]]
    while len(centres) < k:
        d = distances2(X, np.array(centres)).min(axis=1)
        cumulative = np.cumsum(d)
        centres.append(X[int(np.searchsorted(cumulative, rng.random() * cumulative[-1]))])
    return np.array(centres)


runs = []
for start in range(3):
    centres = plus_plus(X) if start else X[:k].copy()
    inertia, shifts = [], []
    for rounds in range(30):
        d = distances2(X, centres)
        labels = d.argmin(axis=1)
        inertia.append(d[np.arange(n), labels].sum())
        moved = np.zeros_like(centres)
        for j in range(k):
            members = X[labels == j]
            if len(members) == 0:
                moved[j] = X[d.min(axis=1).argmax()]
            else:
                moved[j] = members.mean(axis=0)
        shifts.append(np.abs(moved - centres).max())
        centres = moved
        if shifts[-1] < 1e-9:
            break
    runs.append({"centres": centres, "labels": labels, "inertia": inertia, "rounds": rounds})
best = min(range(3), key=lambda r: round(float(runs[r]["inertia"][-1]), 6))
labels, centres = runs[best]["labels"], runs[best]["centres"]
sizes = np.bincount(labels, minlength=k)
sample = X[:300]
gaps = np.sqrt(((sample[:, None] - sample[None]) ** 2).sum(axis=-1))
silhouettes = []
for i in range(len(sample)):
    means = [gaps[i, labels[:300] == j].sum() / max(1, (labels[:300] == j).sum() - (j == labels[i]))
             if (labels[:300] == j).any() else np.inf for j in range(k)]
    inside = means[int(labels[i])]
    outside = min(m for j, m in enumerate(means) if j != labels[i])
    silhouettes.append((outside - inside) / max(inside, outside))
TOLERANCE = {"default": 1e-8}
NOISE = {"d": 1e-9, "gaps": 1e-6, "shifts": 1e-9}
print("rounds", [r["rounds"] for r in runs], "sizes", sorted(sizes.tolist()))
print(f"silhouette {np.mean(silhouettes):.8f}, inertia {runs[best]['inertia'][-1]:.6f}")
