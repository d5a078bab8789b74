# SPDX-License-Identifier: BSD-3-Clause
"""Principal components by iteration, an autoencoder, independent components."""
import numpy as np

SIZES = {"tiny": (20, 4, 2), "medium": (1500, 24, 3), "large": (6000, 48, 4)}
n, d, k = SIZES[SIZE]
TOLERANCE = {"default": 1e-7}
rng = np.random.default_rng(52)
sources = np.column_stack([np.sign(np.sin(np.arange(n) * (0.05 + 0.03 * j))) + 0.1 * j
                           for j in range(k)])
mixing = np.linalg.qr(rng.normal(size=(d, d)))[0][:k] * np.linspace(3, 1, k)[:, None]
X = sources @ mixing + 0.1 * rng.normal(size=(n, d))
X -= X.mean(axis=0)
covariance = X.T @ X / n

components, variances = [], []
rest = covariance.copy()
for j in range(k):
    v = np.ones(d) / np.sqrt(d)
    for step in range(3000):
        w = rest @ v
        w /= np.linalg.norm(w)
        moved = np.abs(w - v).max()
        v = w
        if moved < 1e-11:
            break
    variance = v @ rest @ v
    components.append(v)
    variances.append(variance)
    rest = rest - variance * np.outer(v, v)
C = np.array(components)
explained = np.cumsum(variances) / np.trace(covariance)
pca_error = ((X - X @ C.T @ C) ** 2).mean()

encode, decode = 0.1 * rng.normal(size=(d, k)), 0.1 * rng.normal(size=(k, d))
losses = []
for step in range(60):
    code = X @ encode
    error = code @ decode - X
    losses.append((error ** 2).mean())
    g_decode = code.T @ error / n
    g_encode = X.T @ (error @ decode.T) / n
    decode -= 0.05 * g_decode
    encode -= 0.05 * g_encode

whitened = X @ C.T / np.sqrt(np.array(variances))
unmixing = np.eye(k)
for sweep in range(15):
    projected = whitened @ unmixing.T
    g = np.tanh(projected)
    unmixing = g.T @ whitened / n - (1 - g ** 2).mean(axis=0)[:, None] * unmixing
    u, s, vt = np.linalg.svd(unmixing)
    unmixing = u @ vt
del u, vt, sweep, w, moved, step, rest      # signs and what is rounding
kurtosis = ((whitened @ unmixing.T) ** 4).mean(axis=0) - 3
unit = np.allclose(unmixing @ unmixing.T, np.eye(k))
print("explained", [f"{e:.7f}" for e in explained], f"error {pca_error:.8f}")
print(f"loss {losses[0]:.7f} to {losses[-1]:.7f}", unit, "least kurtosis", f"{kurtosis.min():.6f}")
