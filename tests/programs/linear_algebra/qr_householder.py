# SPDX-License-Identifier: BSD-3-Clause
"""QR decomposition by Householder reflections kept in a list, least squares with it."""
import numpy as np

SIZES = {"tiny": (6, 4), "medium": (300, 60), "large": (1500, 150)}
NOISE = {"R": 1e-9, "distance": 1e-9}
m, n = SIZES[SIZE]
rng = np.random.default_rng(8)
A = rng.normal(size=(m, n))
R = A.copy()
reflectors = []
for k in range(n):
    v = R[k:, k].copy()
    norm = np.sqrt(v @ v)
    v[0] += norm if v[0] >= 0 else -norm
    v /= np.linalg.norm(v)
    reflectors.append(v)
    R[k:, k:] -= 2.0 * np.outer(v, v @ R[k:, k:])


def apply_q(x, transposed):
    x = x.copy()
    ks = range(n) if transposed else range(n - 1, -1, -1)
    for k in ks:
        v = reflectors[k]
        x[k:] -= 2.0 * v * (v @ x[k:])
    return x


true = np.linspace(-1, 1, n)
b = A @ true + 0.01 * rng.normal(size=m)
y = apply_q(b, True)
coefficients = np.zeros(n)
for k in range(n - 1, -1, -1):
    coefficients[k] = (y[k] - R[k, k + 1:n] @ coefficients[k + 1:]) / R[k, k]
residual_norm = np.linalg.norm(b - A @ coefficients)
same_norm = np.linalg.norm(y[n:])
back = apply_q(y, False)
Q = np.empty((m, min(n, 5)))
for j in range(Q.shape[1]):
    Q[:, j] = apply_q(np.eye(m)[j], False)
distance = np.abs(Q.T @ Q - np.eye(Q.shape[1])).max()
below = np.abs(np.tril(R, -1)[:, :n]).max() < 1e-10
print(f"residual {residual_norm:.8f}, again {same_norm:.8f}, triangular: {below}")
print("b again:", np.allclose(back, b), "largest error < 0.1:",
      bool(np.abs(coefficients - true).max() < 0.1))
