# SPDX-License-Identifier: BSD-3-Clause
"""Linear support vectors by subgradients, three classes; a kernel machine by dual steps."""
import numpy as np

SIZES = {"tiny": (24, 2, 3), "medium": (1200, 6, 10), "large": (8000, 12, 25)}
n, features, epochs = SIZES[SIZE]
TOLERANCE = {"default": 1e-8}
rng = np.random.default_rng(27)
y = np.arange(n) % 3
X = rng.normal(0, 0.7, (n, features)) + np.array([[2, 0], [-1, 2], [-1, -2]])[y] @ rng.normal(
    0, 1, (2, features))
X = (X - X.mean(axis=0)) / X.std(axis=0)

machines, hinge = {}, {}
for label in range(3):
    sign = np.where(y == label, 1.0, -1.0)
    w, b, average = np.zeros(features), 0.0, np.zeros(features)
    hinge[label] = []
    t = 0
    for epoch in range(epochs):
        for start in range(0, n, 64):
            xb, sb = X[start:start + 64], sign[start:start + 64]
            t += 1
            rate = 1 / (0.01 * (t + 50))
            violating = sb * (xb @ w + b) < 1
            w *= 1 - rate * 0.01
            if violating.any():
                w += rate / len(sb) * (sb[violating, None] * xb[violating]).sum(axis=0)
                b += rate / len(sb) * sb[violating].sum()
            average += (w - average) / t
        hinge[label].append(np.maximum(0, 1 - sign * (X @ w + b)).mean())
    machines[label] = (average, b)
scores = np.stack([X @ w + b for w, b in machines.values()], axis=1)
accuracy = (scores.argmax(axis=1) == y).mean()

m = min(n, 150)
P, s = X[:m], np.where((P0 := X[:m])[:, 0] * P0[:, 1] > 0, 1.0, -1.0)
square = ((P[:, None, :] - P[None]) ** 2).sum(axis=2)
K = np.exp(-0.5 * square)
alpha, bounds = np.zeros(m), 5.0
for sweep in range(8):
    largest = 0.0
    for i in range(m):
        gradient = 1 - s[i] * (K[i] @ (alpha * s))
        new = min(max(alpha[i] + gradient / K[i, i], 0.0), bounds)
        largest = max(largest, abs(float(new - alpha[i])))
        alpha[i] = new
    if largest < 1e-3:
        break
support = np.flatnonzero(alpha > 1e-6)
margin = s * (K @ (alpha * s))
table = np.histogram(alpha, bins=[0, 1e-6, 1, 2.5, 4.999, 5.1])[0]
print(f"accuracy {accuracy:.5f}, {len(support)} support vectors of {m}, {sweep + 1} sweeps")
print(table, f"right: {(margin > 0).mean():.5f}")
