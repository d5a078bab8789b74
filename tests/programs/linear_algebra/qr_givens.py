# SPDX-License-Identifier: BSD-3-Clause
"""QR steps of a Hessenberg matrix by Givens rotations of two rows at a time."""
import numpy as np

SIZES = {"tiny": 5, "medium": 120, "large": 600}
n = SIZES[SIZE]
TOLERANCE = {"default": 1e-8}
NOISE = {"H": 1e-10, "R": 1e-10}
rng = np.random.default_rng(21)
H = np.triu(rng.uniform(0.5, 1.5, (n, n)), -1) / n + np.diag(np.arange(1.0, n + 1))


def rotation(a, b):
    if b == 0:
        return 1.0, 0.0
    r = np.hypot(a, b)
    return a / r, b / r


def decompose(H):
    """R, and the rotations as a list of (cosine, sine)."""
    R, rotations = H.copy(), []
    for k in range(n - 1):
        c, s = rotation(R[k, k], R[k + 1, k])
        upper = c * R[k, k:] + s * R[k + 1, k:]
        R[k + 1, k:] = -s * R[k, k:] + c * R[k + 1, k:]
        R[k, k:] = upper
        rotations.append((c, s))
    return R, rotations


def times_q(R, rotations):
    for k, (c, s) in enumerate(rotations):
        left, right = R[:k + 2, k].copy(), R[:k + 2, k + 1].copy()
        R[:k + 2, k] = c * left + s * right
        R[:k + 2, k + 1] = c * right - s * left
    return R


traces, corners = [], []
for step in range(4):
    shift = H[n - 1, n - 1]
    H[np.arange(n), np.arange(n)] -= shift
    R, rotations = decompose(H)
    H = times_q(R.copy(), rotations)
    H += shift * np.eye(n)
    traces.append(np.trace(H))
    corners.append(H[:3, :3].copy())
    if abs(H[n - 1, n - 2]) < 1e-13:
        H[n - 1, n - 2] = 0.0
        break
cosines = np.array([c for c, s in rotations])
sines = np.array([s for c, s in rotations])
unit = np.allclose(cosines ** 2 + sines ** 2, 1)
print("steps", step + 1, "traces", [round(float(t), 6) for t in traces], unit)
