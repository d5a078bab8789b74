# SPDX-License-Identifier: BSD-3-Clause
"""Durbin's and Levinson's recursions for Toeplitz systems; the predictor of a signal of order p."""
import numpy as np

SIZES = {"tiny": (30, 4), "medium": (2000, 250), "large": (20000, 1200)}
length, p = SIZES[SIZE]
TOLERANCE = {"default": 1e-8}
rng = np.random.default_rng(5)
signal = np.zeros(length)
noise = rng.normal(size=length)
for k in range(2, min(length, 400)):
    signal[k] = 0.75 * signal[k - 1] - 0.5 * signal[k - 2] + noise[k]
signal[400:] = 0.75 * signal[399:-1][:max(0, length - 400)] + noise[400:]
signal -= signal.mean()
r = np.array([np.sum(signal[:length - k] * signal[k:]) / length for k in range(p + 1)])
r[0] *= 1.01
r /= r[0]


def durbin(r):
    y = np.zeros(len(r) - 1)
    y[0] = -r[1]
    alpha, beta, reflections = -r[1], 1.0, [-r[1]]
    for k in range(1, len(y)):
        beta = (1 - alpha ** 2) * beta
        alpha = -(r[k + 1] + np.dot(r[k:0:-1], y[:k])) / beta
        y[:k] = y[:k] + alpha * y[:k][::-1]
        y[k] = alpha
        reflections.append(alpha)
    return y, reflections, beta


def levinson(r, b):
    x, y = np.zeros(len(b)), np.zeros(len(b))
    y[0], x[0] = -r[1], b[0]
    alpha, beta = -r[1], 1.0
    for k in range(1, len(b)):
        beta *= 1 - alpha ** 2
        mu = (b[k] - r[1:k + 1] @ x[k - 1::-1][:k]) / beta
        x[:k] += mu * y[k - 1::-1][:k]
        x[k] = mu
        if k < len(b) - 1:
            alpha = -(r[k + 1] + r[1:k + 1] @ y[k - 1::-1][:k]) / beta
            y[:k] += alpha * y[:k][::-1].copy()
            y[k] = alpha
    return x


predictor, reflections, error = durbin(r)
b = np.cos(np.arange(p))
x = levinson(r, b)
T = r[np.abs(np.subtract.outer(np.arange(p), np.arange(p)))]
checks = np.allclose(T @ predictor, -r[1:], atol=1e-9), np.allclose(T @ x, b, atol=1e-7)
stable = all(abs(k) < 1 for k in reflections)
print(checks, stable, f"{float(error):.8f}")
