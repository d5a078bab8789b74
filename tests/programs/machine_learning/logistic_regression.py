# SPDX-License-Identifier: BSD-3-Clause
"""Logistic regression by mini-batches with momentum, decay and early stopping."""

import numpy as np

SIZES = {"tiny": (40, 3, 5), "medium": (6000, 20, 12), "large": (40000, 40, 12)}
rows, features, epochs = SIZES[SIZE]
rng = np.random.default_rng(7)
X = rng.normal(size=(rows, features))
true_w = rng.normal(size=features)
y = (X @ true_w + 0.5 * rng.normal(size=rows) > 0.3).astype(float)
cut = rows * 4 // 5
X_train, X_test, y_train, y_test = X[:cut], X[cut:], y[:cut], y[cut:]


def sigmoid(z):
    return 1.0 / (1.0 + np.exp(-z))


def loss(w, b, X, y):
    p = np.clip(sigmoid(X @ w + b), 1e-12, 1 - 1e-12)
    return -np.mean(y * np.log(p) + (1 - y) * np.log(1 - p))


w, b = np.zeros(features), 0.0
velocity = np.zeros_like(w)
rate, momentum, decay, batch = 0.1, 0.9, 1e-4, 50
losses, best, weights = [], np.inf, []
for epoch in range(epochs):
    order = rng.permutation(cut)
    for start in range(0, cut, batch):
        rows_now = order[start : start + batch]
        Xb, yb = X_train[rows_now], y_train[rows_now]
        error = sigmoid(Xb @ w + b) - yb
        gradient = Xb.T @ error / len(yb) + decay * w
        velocity *= momentum
        velocity -= rate * gradient
        w += velocity
        b -= rate * error.mean()
    losses.append(loss(w, b, X_test, y_test))
    weights.append(w.copy())
    if losses[-1] > best + 0.05:
        break
    best = min(best, losses[-1])
    rate *= 0.9
guess = sigmoid(X_test @ w + b) > 0.5
accuracy = np.mean(guess == (y_test > 0.5))
confusion = np.zeros((2, 2), int)
for got, want in zip(guess, y_test):
    confusion[int(got), int(want)] += 1
print(f"epochs {len(losses)}, loss {losses[-1]:.5f}, accuracy {accuracy:.4f}")
print(confusion)
