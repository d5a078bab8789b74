# SPDX-License-Identifier: BSD-3-Clause
"""Gray-Scott reaction and diffusion, padded borders, pictures kept now and then."""
import numpy as np

SIZES = {"tiny": (12, 20), "medium": (160, 100), "large": (256, 250)}
n, steps = SIZES[SIZE]
U = np.ones((n + 2, n + 2))
V = np.zeros((n + 2, n + 2))
rng = np.random.default_rng(2)
r = max(2, n // 12)
middle = slice(n // 2 - r, n // 2 + r)
U[middle, middle] = 0.50
V[middle, middle] = 0.25
U[1:-1, 1:-1] += 0.02 * rng.random((n, n))
V[1:-1, 1:-1] += 0.02 * rng.random((n, n))
Du, Dv, feed, kill = 0.16, 0.08, 0.035, 0.060
u, v = U[1:-1, 1:-1], V[1:-1, 1:-1]


def wrap(A):
    A[0, :] = A[-2, :]
    A[-1, :] = A[1, :]
    A[:, 0] = A[:, -2]
    A[:, -1] = A[:, 1]


def laplacian(A):
    return A[:-2, 1:-1] + A[1:-1, :-2] - 4 * A[1:-1, 1:-1] + A[1:-1, 2:] + A[2:, 1:-1]


pictures, sums = [], []
for step in range(steps):
    wrap(U)
    wrap(V)
    Lu, Lv = laplacian(U), laplacian(V)
    uvv = u * v * v
    u += Du * Lu - uvv + feed * (1 - u)
    v += Dv * Lv + uvv - (feed + kill) * v
    if step % max(1, steps // 5) == 0:
        pictures.append((np.clip(V, 0, 1) * 255).round(3).astype(np.float32))
        sums.append((u.sum(), v.sum()))
TOLERANCE = {"default": 1e-9}
rows_with_pattern = [int(k) for k in range(n) if v[k].max() > 0.1]
active = np.count_nonzero(v > 0.1)
print(f"left {u.mean():.7f} {v.mean():.7f}, {active} active, {len(rows_with_pattern)} rows")
