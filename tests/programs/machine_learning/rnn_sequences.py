# SPDX-License-Identifier: BSD-3-Clause
"""A recurrent network that adds two marked numbers, clipped gradients, checked by differences."""
import numpy as np

SIZES = {"tiny": (5, 3, 4, 3), "medium": (20, 32, 24, 8), "large": (30, 64, 48, 20)}
steps, batch, hidden, rounds = SIZES[SIZE]
TOLERANCE = {"default": 1e-8}
rng = np.random.default_rng(6)
P = {"Wx": rng.normal(0, 0.5, (2, hidden)), "Wh": 0.9 * np.eye(hidden), "b": np.zeros(hidden),
     "Wo": rng.normal(0, 0.1, (hidden, 1)), "bo": np.zeros(1)}
velocity = {name: np.zeros_like(p) for name, p in P.items()}


def batch_of():
    values = rng.random((steps, batch))
    marks = np.zeros((steps, batch))
    for j in range(batch):
        first, second = rng.choice(steps, 2, replace=False)
        marks[int(first), j] = marks[int(second), j] = 1.0
    return np.stack([values, marks], axis=-1), (values * marks).sum(axis=0)[:, None]


def forward(x):
    states = [np.zeros((batch, hidden))]
    for t in range(steps):
        states.append(np.tanh(x[t] @ P["Wx"] + states[-1] @ P["Wh"] + P["b"]))
    return states, states[-1] @ P["Wo"] + P["bo"]


def backward(x, states, error):
    G = {name: np.zeros_like(p) for name, p in P.items()}
    d = 2 * error / batch
    G["Wo"] += states[-1].T @ d
    G["bo"] += d.sum(axis=0)
    dh = d @ P["Wo"].T
    for t in reversed(range(steps)):
        dz = dh * (1 - states[t + 1] ** 2)
        G["Wx"] += x[t].T @ dz
        G["Wh"] += states[t].T @ dz
        G["b"] += dz.sum(axis=0)
        dh = dz @ P["Wh"].T
    return G


losses, norms, clipped = [], [], 0
for r in range(rounds):
    x, y = batch_of()
    states, out = forward(x)
    error = out - y
    losses.append(np.mean(error ** 2))
    G = backward(x, states, error)
    norm = np.sqrt(sum((g ** 2).sum() for g in G.values()))
    norms.append(norm)
    scale = 1.0
    if norm > 1.0:
        scale = 1.0 / norm
        clipped += 1
    for name in P:
        velocity[name] = 0.9 * velocity[name] - 0.01 * scale * G[name]
        P[name] += velocity[name]
check = {}
x, y = batch_of()
G = backward(x, *(lambda s, o: (s, o - y))(*forward(x)))
for name in ("Wx", "Wo"):
    kept = P[name][0, 0].copy()
    sides = []
    for shift in (1e-4, -1e-4):
        P[name][0, 0] = kept + shift
        sides.append(np.mean((forward(x)[1] - y) ** 2))
    P[name][0, 0] = kept
    check[name] = bool(abs((sides[0] - sides[1]) / 2e-4 - G[name][0, 0]) < 1e-4)
print(f"loss {losses[0]:.7f} to {losses[-1]:.7f}, clipped {clipped}, gradients right: {check}")
