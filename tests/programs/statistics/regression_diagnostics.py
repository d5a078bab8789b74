# SPDX-License-Identifier: BSD-3-Clause
"""Least squares in two ways; ridge paths, leverage, outliers, forward selection."""
import numpy as np

SIZES = {"tiny": (15, 3), "medium": (1500, 8), "large": (15000, 16)}
n, p = SIZES[SIZE]
rng = np.random.default_rng(64)
X = rng.normal(size=(n, p))
X[:, 1] = 0.7 * X[:, 0] + 0.3 * X[:, 1]
beta = np.where(np.arange(p) % 3 == 0, 2.0, 0.0) / (1 + np.arange(p))
y = 1.5 + X @ beta + rng.normal(0, 0.5, n)
y[::max(1, n // 5)] += 4.0
A = np.column_stack([np.ones(n), X])

by_normal = np.linalg.solve(A.T @ A, A.T @ y)
by_lstsq, rss, rank, singular = np.linalg.lstsq(A, y, rcond=None)
q, r = np.linalg.qr(A)
leverage = (q ** 2).sum(axis=1)
del q, r        # signs are the library's choice
residuals = y - A @ by_lstsq
sigma2 = (residuals ** 2).sum() / (n - p - 1)
standard_errors = np.sqrt(np.diag(np.linalg.inv(A.T @ A)) * sigma2)
t_values = by_lstsq / standard_errors
studentised = residuals / np.sqrt(sigma2 * (1 - leverage))
outliers = np.flatnonzero(np.abs(studentised) > 3.0)

path = {}
centred, target = X - X.mean(axis=0), y - y.mean()
for strength in [0.0, 0.1, 1.0, 10.0, 100.0, 1000.0]:
    w = np.linalg.solve(centred.T @ centred + strength * np.eye(p), centred.T @ target)
    path[strength] = w
norms = [float(np.linalg.norm(w)) for w in path.values()]

selected, scores = [], []
best = np.inf
while len(selected) < p:
    candidates = [k for k in range(p) if k not in selected]
    trials = []
    for k in candidates:
        B = np.column_stack([np.ones(n)] + [X[:, j] for j in selected + [k]])
        w = np.linalg.solve(B.T @ B, B.T @ y)
        trials.append(((y - B @ w) ** 2).sum())
    k = int(np.argmin(trials))
    score = n * np.log(trials[k] / n) + 2 * (len(selected) + 2)
    if score > best - 1e-3 or len(selected) >= 5:
        break
    best = score
    selected.append(candidates[k])
    scores.append(score)
r2 = 1 - (residuals ** 2).sum() / ((y - y.mean()) ** 2).sum()
TOLERANCE = {"default": 1e-8}
print(f"rank {rank}, R2 {r2:.8f}, same: {np.allclose(by_normal, by_lstsq)}")
print(len(outliers), "outliers")
print("selected", selected, "norms fall:", all(b <= a for a, b in zip(norms, norms[1:])))
