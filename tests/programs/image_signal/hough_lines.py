# SPDX-License-Identifier: BSD-3-Clause
"""Hough transform of points on lines: votes by loops over angles, peaks one after another."""
import numpy as np

SIZES = {"tiny": (20, 12), "medium": (200, 90), "large": (700, 360)}
n, angles = SIZES[SIZE]
rng = np.random.default_rng(33)
picture = np.zeros((n, n), dtype=bool)
for offset, slope in [(0.2, 0.5), (0.9, -0.7), (0.5, 0.0)]:
    columns = np.arange(n)
    rows = np.rint(offset * n + slope * columns).astype(int)
    inside = (rows >= 0) & (rows < n)
    picture[rows[inside], columns[inside]] = True
picture |= rng.random((n, n)) < 0.01
ys, xs = np.nonzero(picture)
theta = np.arange(angles) * np.pi / angles + 0.00123     # no distance is half a pixel exactly
reach = int(np.ceil(np.hypot(n, n)))
votes = np.zeros((2 * reach + 1, angles), dtype=np.int64)
for k, angle in enumerate(theta):
    distances = np.floor(xs * np.cos(angle) + ys * np.sin(angle) + 0.5).astype(int) + reach
    votes[:, k] += np.bincount(distances, minlength=2 * reach + 1)
again = np.zeros_like(votes)
for k in range(0, angles, 3):
    where = np.floor(xs * np.cos(theta[k]) + ys * np.sin(theta[k]) + 0.5).astype(int) + reach
    np.add.at(again, (where, k), 1)
assert (again[:, ::3] == votes[:, ::3]).all()

peaks, remaining = [], votes.copy()
while len(peaks) < 3:
    best = int(remaining.argmax())
    row, column = divmod(best, angles)
    count = int(remaining[row, column])
    if count < 4:
        break
    peaks.append((row - reach, round(float(theta[column]), 6), count))
    low, high = max(0, row - 8), row + 9
    left, right = max(0, column - 6), column + 7
    remaining[low:high, left:right] = 0
drawn = np.zeros_like(picture)
for distance, angle, _count in peaks:
    on_line = np.abs(xs * np.cos(angle) + ys * np.sin(angle) - distance) < 1.0000001
    drawn[ys[on_line], xs[on_line]] = True
found = drawn[picture].mean()
print(peaks, f"{len(xs)} points, {found:.6f} on lines")
