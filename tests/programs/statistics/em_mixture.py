# SPDX-License-Identifier: BSD-3-Clause
"""Expectation and maximisation for a mixture of normal distributions, several starts."""
import numpy as np

SIZES = {"tiny": (30, 2, 6), "medium": (3000, 3, 12), "large": (15000, 4, 20)}
n, k, rounds = SIZES[SIZE]
rng = np.random.default_rng(90)
centres = np.array([[0, 0], [4, 1], [-1, 5], [5, 6]], dtype=float)[:k]
owner = rng.integers(0, k, n)
X = centres[owner] + rng.normal(0, 1, (n, 2)) * np.array([1.0, 0.7])


def log_normal(X, mean, cov):
    L = np.linalg.cholesky(cov)
    z = np.linalg.solve(L, (X - mean).T)
    return -0.5 * (z ** 2).sum(axis=0) - np.log(np.diag(L)).sum() - np.log(2 * np.pi)


def log_sum_exp(a):
    top = a.max(axis=1, keepdims=True)
    return (top + np.log(np.exp(a - top).sum(axis=1, keepdims=True)))[:, 0]


class Mixture:
    def __init__(self, start):
        self.weights = np.full(k, 1 / k)
        self.means = X[start].copy()
        self.covs = [np.eye(2) for _ in range(k)]
        self.history = []

    def expectation(self):
        logs = np.empty((n, k))
        for j in range(k):
            logs[:, j] = np.log(self.weights[j]) + log_normal(X, self.means[j], self.covs[j])
        total = log_sum_exp(logs)
        return np.exp(logs - total[:, None]), total.mean()

    def maximisation(self, share):
        sums = share.sum(axis=0)
        self.weights = sums / n
        for j in range(k):
            self.means[j] = (share[:, j, None] * X).sum(axis=0) / sums[j]
            d = X - self.means[j]
            self.covs[j] = (share[:, j] * d.T) @ d / sums[j] + 1e-4 * np.eye(2)

    def fit(self):
        for _ in range(rounds):
            share, mean_log = self.expectation()
            self.history.append(mean_log)
            if len(self.history) > 3 and self.history[-1] - self.history[-2] < 1e-9:
                break
            self.maximisation(share)
        return self


TOLERANCE = {"default": 1e-7}     # errors grow while the rounds converge
models = [Mixture([(s * 7 + j * n // k) % n for j in range(k)]).fit() for s in range(3)]
best = max(models, key=lambda m: round(float(m.history[-1]), 6))
order = np.lexsort((best.means[:, 1], best.means[:, 0].round(6)))
share, _ = best.expectation()
labels = share.argmax(axis=1)
table = np.zeros((k, k), dtype=int)
np.add.at(table, (owner, labels), 1)
rising = all(b > a - 1e-12 for m in models for a, b in zip(m.history, m.history[1:]))
print("likelihood rises:", rising, "best", f"{best.history[-1]:.7f}")
print(best.means[order].round(5))
