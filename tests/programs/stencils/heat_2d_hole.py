# SPDX-License-Identifier: BSD-3-Clause
"""Explicit heat equation on a plate with a hole that is kept cold, until it is steady."""

import numpy as np

SIZES = {"tiny": (10, 50), "medium": (200, 150), "large": (500, 140)}
n, most = SIZES[SIZE]

T = np.zeros((n, n))
T[0, :] = 100.0
T[:, 0] = np.linspace(100.0, 0.0, n)
i, j = np.ogrid[:n, :n]
hole = (i - n // 2) ** 2 + (j - n // 3) ** 2 < (n / 6) ** 2
T[hole] = 0.0
alpha = 0.2
history, snapshots = [], []
for step in range(most):
    inner = T[1:-1, 1:-1]
    change = alpha * (T[:-2, 1:-1] + T[2:, 1:-1] + T[1:-1, :-2] + T[1:-1, 2:] - 4 * inner)
    T[1:-1, 1:-1] += change
    T[hole] = 0.0
    T[-1, :] = T[-2, :]
    T[:, -1] = T[:, -2]
    if step % 10 == 0:
        largest = np.abs(change[~hole[1:-1, 1:-1]]).max()
        history.append(largest)
        snapshots.append(T[n // 2].copy())
        if largest < 1e-3:
            break
warm = np.count_nonzero(T > 1.0)
mean_rows = [row.mean() for row in T[:20]]
flow = {"top": (T[0, 1:-1] - T[1, 1:-1]).sum(), "left": (T[1:-1, 0] - T[1:-1, 1]).sum()}
print(f"{step + 1} steps, mean {T.mean():.6f}, {warm} points above one degree")
