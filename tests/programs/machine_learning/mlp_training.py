# SPDX-License-Identifier: BSD-3-Clause
"""A perceptron with hidden layers trained by Adam: lists of weights, dropout, a best model kept."""
import numpy as np

SIZES = {"tiny": (30, [2, 4, 2], 3), "medium": (1500, [10, 48, 32, 3], 4),
         "large": (5000, [20, 96, 48, 5], 4)}
rows, layers, epochs = SIZES[SIZE]
TOLERANCE = {"default": 1e-6}     # steps of training enlarge what rounding leaves
rng = np.random.default_rng(0)
classes = layers[-1]
X = rng.normal(size=(rows, layers[0]))
y = (np.abs(X[:, 0]) + X[:, 1] ** 2 > 1.2).astype(int) + (X.sum(axis=1) > 2) * (classes > 2)
T = np.eye(classes)[y]
W = [rng.normal(0, np.sqrt(2 / a), (a, b)) for a, b in zip(layers, layers[1:])]
B = [np.zeros(b) for b in layers[1:]]
moments = [[np.zeros_like(p) for p in W + B] for _ in range(2)]


def forward(x, drop=0.0):
    activations, masks = [x], []
    for k, (w, b) in enumerate(zip(W, B)):
        x = x @ w + b
        if k < len(W) - 1:
            x = np.maximum(x, 0)
            mask = (rng.random(x.shape) >= drop) / (1 - drop) if drop else 1.0
            x = x * mask
            masks.append(mask)
        activations.append(x)
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True), activations, masks


def gradients(p, t, activations, masks):
    d = (p - t) / len(t)
    dW, dB = [None] * len(W), [None] * len(W)
    for k in reversed(range(len(W))):
        dW[k], dB[k] = activations[k].T @ d, d.sum(axis=0)
        if k:
            d = (d @ W[k].T) * masks[k - 1] * (activations[k] > 0)
    return dW + dB


history = {"loss": [], "accuracy": []}
best, best_weights, t = np.inf, None, 0
for epoch in range(epochs):
    order = rng.permutation(rows)
    for start in range(0, rows, 100):
        batch = order[start:start + 100]
        p, activations, masks = forward(X[batch], drop=0.1)
        t += 1
        parameters = W + B
        for k, g in enumerate(gradients(p, T[batch], activations, masks)):
            m, v = moments[0][k], moments[1][k]
            m += 0.1 * (g - m)
            v += 0.001 * (g * g - v)
            step = 0.003 * (m / (1 - 0.9 ** t)) / (np.sqrt(v / (1 - 0.999 ** t)) + 1e-8)
            parameters[k] -= step
    p, _, _ = forward(X)
    history["loss"].append(-np.log(p[np.arange(rows), y] + 1e-12).mean())
    history["accuracy"].append((p.argmax(axis=1) == y).mean())
    if history["loss"][-1] < best:
        best = history["loss"][-1]
        best_weights = [w.copy() for w in W]
norms = [np.linalg.norm(w) for w in best_weights]
NOISE = {"moments": 1e-9, "m": 1e-9, "g": 1e-9, "step": 1e-6, "v": 1e-12, "activations": 1e-6}
TOLERANCE["printed"] = 1e-5
print(f"{t} steps, loss {best:.5f}, accuracy {history['accuracy'][-1]:.3f}", [w.shape for w in W])
